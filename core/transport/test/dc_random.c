/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of dynamic connections in random runs: up to eight initiators and two targets with small pools, over a
 * network that loses, copies and reorders messages. In each run:
 *
 * - an operation with a wrong key is never executed, and none is executed by another target than its own;
 * - no more initiators are connected to a target than its pool has responders;
 * - each operation completes once, in order: executed, or with CNAK, a wrong key or a timeout;
 * - with a full handshake an operation that succeeded was executed once, and one that got CNAK never; the same holds
 * for a half handshake if the network neither copies nor reorders.
 *
 * Devices without one of the rows that protect this are noticed. IBPROOF_SEEDS sets the number of runs; the usual run
 * has 400. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "sim/iba_random.h"
#include "transport/iba_dc.h"

enum {
    RUNS = 400,
    INITIATORS = 8,
    TARGETS = 2,
    POOL = 4,
    WORK = 12, /* operations of an initiator */
    FLIGHT = 256,
    KEY = 1000, /* of target 0 */
    MEAN_DELAY = 100,
    TIMEOUT = 1000,
    STEPS = 100000
};

struct flying {
    struct iba_dc_message m;
    iba_time due;
    uint32_t serial; /* order of sending */
    bool used;
};
struct fate { /* of an operation */
    bool right_key, completed;
    uint8_t target, status;
    unsigned executed;
};
struct world {
    struct iba_random r;
    struct iba_dc_initiator initiator[INITIATORS];
    struct iba_dc_operation ring[INITIATORS][WORK];
    struct iba_dc_target target[TARGETS];
    struct iba_dc_responder pool[TARGETS][POOL];
    struct fate fate[INITIATORS][WORK];
    unsigned posted[INITIATORS], taken[INITIATORS];
    iba_time post_at[INITIATORS], now;
    struct flying flying[FLIGHT];
    uint32_t serial;
    unsigned n_initiator, lose, copy; /* lose, copy: of 1000 messages */
    bool reorder, full, leases;
    const char *violated;
    unsigned count[IBA_DC_STATUS_COUNT];
};

static struct world w;

static unsigned pick(unsigned n)
{
    return (unsigned)iba_random_below(&w.r, n);
}

static void expect(bool holds, const char *sentence)
{
    if (!holds && !w.violated)
        w.violated = sentence;
}

static struct fate *fate_of(uint64_t at)
{
    return &w.fate[at / WORK % INITIATORS][at % WORK];
}

static void store(void *ctx, const struct iba_dc_message *m)
{
    const unsigned target = (unsigned)((const struct iba_dc_target *)ctx - w.target);
    struct fate *f = fate_of(m->at);

    f->executed++;
    expect(f->right_key, "an operation with a wrong key is executed");
    expect(f->target == target, "an operation is executed by another target");
    expect(m->value == m->at * 3, "an operation stores its own value");
}

static uint64_t entropy(void *ctx)
{
    (void)ctx;
    return iba_random_next(&w.r);
}

/* ---- the network ---- */

static void fly(const struct iba_dc_message *m)
{
    for (unsigned i = 0; i < FLIGHT; i++)
        if (!w.flying[i].used) {
            w.flying[i] =
                (struct flying){*m, w.now + (w.reorder ? 1 + pick(2 * MEAN_DELAY) : MEAN_DELAY), w.serial++, true};
            return;
        }
}

static void transmit(const struct iba_dc_message *m)
{
    if (pick(1000) >= w.lose)
        fly(m);
    if (pick(1000) < w.copy)
        fly(m);
}

/* A late copy may come long after its connection has ended. */
static void copy_late(const struct iba_dc_message *m)
{
    const iba_time now = w.now;

    if (!w.reorder || pick(1000) >= w.copy)
        return;
    w.now += pick(40 * MEAN_DELAY);
    fly(m);
    w.now = now;
}

static void deliver(const struct iba_dc_message *m)
{
    struct iba_dc_message answer;

    if (m->kind > IBA_DC_DISCONNECT) {
        iba_dc_initiator_receive(&w.initiator[m->initiator], m, w.now);
        return;
    }
    if (!iba_dc_target_receive(&w.target[m->target], m, w.now, &answer))
        return;
    transmit(&answer);
    copy_late(&answer);
}

/* ---- a run ---- */

static void open_world(unsigned seed, uint32_t initiator_lacks, uint32_t target_lacks)
{
    struct iba_dc_config c = {.timeout_ns = TIMEOUT, .idle_ns = 3000};

    memset(&w, 0, sizeof w);
    iba_random_seed(&w.r, seed);
    w.full = c.full = seed % 2;
    w.reorder = seed / 2 % 2;
    w.leases = seed / 4 % 2;
    w.lose = seed / 8 % 3 * 100;
    w.copy = w.reorder ? 200 : 0;
    w.n_initiator = 1 + pick(INITIATORS);
    c.window = 1 + pick(4);
    c.retry = (uint8_t)pick(4);
    for (unsigned i = 0; i < w.n_initiator; i++) {
        iba_dc_initiator_init(&w.initiator[i], &c, i, w.ring[i], WORK);
        w.initiator[i].left_out = initiator_lacks;
    }
    for (unsigned t = 0; t < TARGETS; t++) {
        w.target[t] = (struct iba_dc_target){.number = t,
                                             .key = KEY + t,
                                             .lease_ns = w.leases ? 20000 : IBA_NEVER,
                                             .store = store,
                                             .random = entropy,
                                             .ctx = &w.target[t]};
        iba_dc_target_init(&w.target[t], w.pool[t], 1 + pick(POOL));
        w.target[t].left_out = target_lacks;
    }
}

static void post_some(unsigned i)
{
    while (w.posted[i] < WORK && w.post_at[i] <= w.now) {
        const unsigned k = w.posted[i]++, target = pick(TARGETS);
        const uint64_t at = (uint64_t)i * WORK + k;
        const bool right = pick(8) > 0;
        const struct iba_dc_operation op = {
            .id = k, .target = target, .key = KEY + target + (right ? 0 : 1 + pick(9)), .at = at, .value = at * 3};
        w.fate[i][k] = (struct fate){.right_key = right, .target = (uint8_t)target};
        cr_assert(iba_dc_post(&w.initiator[i], &op));
        w.post_at[i] = w.now + (pick(3) ? 0 : pick(8000));
    }
}

static void take_completed(unsigned i)
{
    struct iba_dc_operation op;

    while (iba_dc_take(&w.initiator[i], &op)) {
        struct fate *f = &w.fate[i][op.id];
        expect(op.id == w.taken[i]++ && !f->completed, "operations complete once, in order");
        f->completed = true;
        f->status = op.status;
        w.count[op.status]++;
    }
}

/* Without leases an initiator that is connected has a responder. */
static void count_connected(void)
{
    for (unsigned t = 0; t < TARGETS && !w.leases; t++) {
        unsigned connected = 0;
        for (unsigned i = 0; i < w.n_initiator; i++)
            connected += w.initiator[i].state == IBA_DC_OPEN && w.initiator[i].target == t;
        expect(connected <= w.target[t].n, "a target serves more initiators than its pool");
    }
}

static iba_time next_time(void)
{
    iba_time next = IBA_NEVER;

    for (unsigned i = 0; i < FLIGHT; i++)
        if (w.flying[i].used && w.flying[i].due < next)
            next = w.flying[i].due;
    for (unsigned i = 0; i < w.n_initiator; i++) {
        const iba_time t = iba_dc_deadline(&w.initiator[i]);
        next = t < next ? t : next;
        next = w.posted[i] < WORK && w.post_at[i] < next ? w.post_at[i] : next;
    }
    return next;
}

/* Returns the message that arrives next at this time; NULL: there is none. */
static struct flying *arriving(void)
{
    struct flying *first = NULL;

    for (unsigned i = 0; i < FLIGHT; i++)
        if (w.flying[i].used && w.flying[i].due <= w.now && (!first || w.flying[i].serial < first->serial))
            first = &w.flying[i];
    return first;
}

/* Everything that happens at this time. */
static void happen(void)
{
    struct iba_dc_message m;

    for (struct flying *f = arriving(); f; f = arriving()) {
        f->used = false;
        m = f->m;
        deliver(&m);
    }
    for (unsigned i = 0; i < w.n_initiator; i++) {
        post_some(i);
        iba_dc_advance(&w.initiator[i], w.now);
        while (iba_dc_poll(&w.initiator[i], &m, w.now)) {
            transmit(&m);
            copy_late(&m);
        }
        take_completed(i);
    }
    count_connected();
}

/* Judges an operation by what was executed. */
static void judge(const struct fate *f)
{
    const bool ordered = w.full || !w.reorder;

    expect(f->completed, "every operation completes");
    expect(f->right_key || f->status == IBA_DC_STATUS_BAD_KEY || f->status == IBA_DC_STATUS_TIMEOUT,
           "an operation with a wrong key is refused");
    expect(!f->right_key || f->status != IBA_DC_STATUS_BAD_KEY, "an operation with the right key is not refused");
    if (f->status == IBA_DC_STATUS_SUCCESS)
        expect(f->executed > 0, "an operation that succeeded was executed");
    expect(!ordered || f->executed <= 1, "an operation is executed at most once");
    if (ordered && f->status == IBA_DC_STATUS_CNAK)
        expect(f->executed == 0, "an operation that got CNAK is not executed");
}

/* Returns the sentence of what was violated; NULL: nothing was. */
static const char *run(unsigned seed, uint32_t initiator_lacks, uint32_t target_lacks)
{
    unsigned steps = 0;

    open_world(seed, initiator_lacks, target_lacks);
    for (; w.now != IBA_NEVER && steps < STEPS && !w.violated; steps++, w.now = next_time())
        happen();
    expect(steps < STEPS, "the run ends");
    for (unsigned i = 0; i < w.n_initiator; i++)
        for (unsigned k = 0; k < WORK; k++)
            judge(&w.fate[i][k]);
    if (w.lose == 0 && !w.reorder && !w.leases) {
        expect(w.count[IBA_DC_STATUS_TIMEOUT] == 0, "nothing times out on a perfect network");
        if (w.n_initiator <= w.target[0].n && w.n_initiator <= w.target[1].n)
            expect(w.count[IBA_DC_STATUS_CNAK] == 0, "a pool for all needs no CNAK");
        expect(iba_dc_serving(&w.target[0]) + iba_dc_serving(&w.target[1]) == 0, "idle initiators hold no responder");
    }
    return w.violated;
}

Test(dc_random, the_promises_hold)
{
    const char *s = getenv("IBPROOF_SEEDS");
    const unsigned runs = s ? (unsigned)strtoul(s, NULL, 10) : RUNS;
    unsigned count[IBA_DC_STATUS_COUNT] = {0}, twice = 0;

    for (unsigned seed = 0; seed < runs; seed++) {
        const char *violated = run(seed, 0, 0);
        cr_assert(!violated, "seed %u: %s", seed, violated);
        for (unsigned k = 0; k < IBA_DC_STATUS_COUNT; k++)
            count[k] += w.count[k];
        for (unsigned i = 0; i < INITIATORS; i++)
            for (unsigned k = 0; k < WORK; k++)
                twice += w.fate[i][k].executed > 1;
    }
    for (unsigned k = 0; k < IBA_DC_STATUS_COUNT; k++)
        cr_expect_gt(count[k], runs / 10, "status %u is rare", k);
    cr_expect_gt(twice, 0, "late copies show that a half handshake cannot promise more");
}

static unsigned row_of(const struct iba_dc_row *rows, unsigned n, const char *name)
{
    for (unsigned row = 0; row < n; row++)
        if (strcmp(rows[row].name, name) == 0)
            return row;
    cr_assert(0, "no row %s", name);
    return 0;
}

static bool noticed(uint32_t initiator_lacks, uint32_t target_lacks)
{
    for (unsigned seed = 0; seed < RUNS; seed++)
        if (run(seed, initiator_lacks, target_lacks))
            return true;
    return false;
}

Test(dc_random, broken_ends_break_a_promise)
{
    static const char *const initiator[] = {"other_connection", "accepted",  "done",      "cnak",
                                            "bad_key",          "no_answer", "connected", "connect"},
                             *const target[] = {"wrong_key", "pool_empty",  "connect",   "close",
                                                "operation", "wrong_token", "duplicate", "gap"};

    for (size_t k = 0; k < sizeof initiator / sizeof *initiator; k++)
        cr_expect(noticed(1u << row_of(iba_dc_initiator_rows, IBA_DC_INITIATOR_ROWS, initiator[k]), 0), "%s",
                  initiator[k]);
    for (size_t k = 0; k < sizeof target / sizeof *target; k++)
        cr_expect(noticed(0, 1u << row_of(iba_dc_target_rows, IBA_DC_TARGET_ROWS, target[k])), "%s", target[k]);
}
