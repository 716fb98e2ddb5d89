/* SPDX-License-Identifier: BSD-2-Clause */
/* Over any network, every byte arrives once and in order, or both sides end in the status that the architecture orders.
 * A key of any kind (keys.h) names local and remote bytes. IBPROOF_SEEDS sets the number of networks, 200 in the usual
 * run; IBPROOF_FIRST sets the first seed, 0 in the usual run. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "keys.h"
#include "transport/iba_wr_ops.h"

/* A region has three parts: source of sends and target of READs; target of WRITEs and source of READs; receive
 * buffers. */
enum { MESSAGES = 12, SMALL = 2720, LARGE = 1 << 20, LARGE_MESSAGES = 2, QPS = 2 };

struct plan {       /* one message */
    uint8_t op, qp; /* 1: the second QP of RD */
    uint32_t length;
    uint64_t local, remote, receive; /* offsets into the regions */
};
static uint32_t slot_of(const struct pair_config *c)
{
    return c->bytes > 3 * (MESSAGES * SMALL + 64) ? LARGE : SMALL;
}

struct run {
    struct pair *p;
    struct pair_config cfg;
    struct plan plan[MESSAGES];
    unsigned n, qps, done, received, next[QPS], order[QPS]; /* for each QP, the message whose completion is next */
    uint32_t slot;                                          /* bytes for one message in each part */
    uint64_t part;
    size_t area;
    uint8_t status[QPS]; /* of the first failed send; SUCCESS when none failed */
    uint8_t *want[2];
    uint64_t added;
    bool late; /* receives are posted only after a while */
    struct keys keys;
};

static uint32_t pick_length(struct iba_random *r, uint32_t mtu, uint32_t most)
{
    static const uint8_t shape[] = {0, 1, 2, 3, 4, 5};
    uint32_t n = 0;

    switch (shape[iba_random_below(r, sizeof shape)]) {
    case 0: n = 0; break;
    case 1: n = (uint32_t)iba_random_below(r, 9); break;
    case 2: n = mtu; break;
    case 3: n = mtu * (uint32_t)(1 + iba_random_below(r, 4)) + (uint32_t)iba_random_below(r, 3) - 1; break;
    default: n = (uint32_t)iba_random_below(r, most + 1); break;
    }
    return n > most ? most : n;
}

static struct pair_config pick_config(uint64_t seed)
{
    static const uint32_t psn[] = {0, 0x7ffffe, 0xfffff0, 0xffffff};
    static const uint32_t rate[] = {0, 0, 10000, 100000, 250000};
    struct iba_random r;

    iba_random_seed(&r, seed * 2 + 1);
    struct pair_config c = {.seed = seed + 1,
                            .retry = (uint8_t)iba_random_below(&r, 8),
                            .rnr_retry = 7,
                            .timeout = 8,
                            .bytes = 3 * (MESSAGES * SMALL + 64)};
    c.kind = (enum iba_port_kind)iba_random_below(&r, 3);
    c.v6 = iba_random_below(&r, 2) != 0;
    c.type = (enum iba_qp_type[]){IBA_QPT_RC, IBA_QPT_RC, IBA_QPT_RC, IBA_QPT_UC, IBA_QPT_UD}[iba_random_below(&r, 5)];
    if (c.type == IBA_QPT_RC && seed % 3 == 0)
        c.type = IBA_QPT_XRC_INI; /* to a target */
    if (c.type == IBA_QPT_RC && seed % 4 == 1)
        c.type = IBA_QPT_RD;
    c.mtu = (enum iba_mtu)(1 + iba_random_below(&r, 5));
    c.psn = psn[iba_random_below(&r, 4)];
    c.rd_depth = (uint8_t)(1 + iba_random_below(&r, PAIR_SAVED));
    c.faults = (struct iba_net_faults){.lose = rate[iba_random_below(&r, 5)],
                                       .duplicate = rate[iba_random_below(&r, 5)],
                                       .corrupt = rate[iba_random_below(&r, 4)],
                                       .reorder = rate[iba_random_below(&r, 5)],
                                       .ecn_mark = rate[iba_random_below(&r, 5)],
                                       .delay_ns = 1000,
                                       .jitter_ns = iba_random_below(&r, 3000),
                                       .reorder_ns = 20000};
    if (seed % 20 == 19) { /* now and then a mebibyte; go-back-N copes with few losses at that length */
        const uint32_t rare = (uint32_t)iba_random_below(&r, 300);
        c.bytes = 3 * (LARGE_MESSAGES * LARGE + 64);
        c.faults.lose = c.faults.duplicate = c.faults.corrupt = c.faults.reorder = rare;
        c.faults.jitter_ns =
            0; /* the simulated wire has no serialization delay: jitter alone would reorder thousands of packets */
    }
    return c;
}

static bool is_reliable(enum iba_qp_type type)
{
    return type == IBA_QPT_RC || type == IBA_QPT_XRC_INI || type == IBA_QPT_RD;
}

static uint8_t pick_op(struct iba_random *r, enum iba_qp_type type)
{
    static const uint8_t rc[] = {IBA_WR_SEND,      IBA_WR_SEND_IMM, IBA_WR_WRITE,
                                 IBA_WR_WRITE_IMM, IBA_WR_READ,     IBA_WR_FETCH_ADD};
    static const uint8_t uc[] = {IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_WRITE, IBA_WR_WRITE_IMM};

    if (is_reliable(type))
        return rc[iba_random_below(r, sizeof rc)];
    return uc[iba_random_below(r, type == IBA_QPT_UC ? sizeof uc : 2)];
}

/* Each message has its own place on either side, so the final content follows from the plan alone; the counter of the
 * ATOMICs is the last 8 bytes of the remote region. */
static void make_plan(struct run *t)
{
    const uint32_t mtu = iba_mtu_bytes(t->cfg.mtu);
    struct iba_random *r = &t->p->random;

    t->slot = slot_of(&t->cfg);
    t->area = t->cfg.bytes;
    t->part = t->area / 3;
    t->n = 1 + (unsigned)iba_random_below(r, t->slot == LARGE ? LARGE_MESSAGES : MESSAGES);
    /* Two RD QPs take turns in the context; a type 2 window is of one QP alone. */
    t->qps = t->cfg.type == IBA_QPT_RD && t->keys.kind[2] < KEY_MW2A ? QPS : 1;
    t->late = is_reliable(t->cfg.type) && iba_random_below(r, 4) == 0;
    for (unsigned i = 0; i < t->n; i++) {
        struct plan *m = &t->plan[i];
        m->op = pick_op(r, t->cfg.type);
        m->qp = t->qps > 1 ? (uint8_t)iba_random_below(r, QPS) : 0;
        m->length =
            m->op == IBA_WR_FETCH_ADD
                ? 8
                : pick_length(r, mtu, t->cfg.type == IBA_QPT_UD ? (mtu < SMALL - 40 ? mtu : SMALL - 40) : t->slot);
        m->local = (uint64_t)i * t->slot;
        m->remote = t->part + (uint64_t)i * t->slot;
        m->receive = 2 * t->part + (uint64_t)i * t->slot;
    }
}

static bool takes_receive(uint8_t op)
{
    return op == IBA_WR_SEND || op == IBA_WR_SEND_IMM || op == IBA_WR_WRITE_IMM;
}

static uint32_t qpn_of(const struct run *t, unsigned end, unsigned i)
{
    return t->plan[i].qp ? t->p->end[end].second_qpn : t->p->end[end].qpn;
}

/* A receive's wr_id is the index of its message. On RC the receives match their SENDs in order. */
static void post_receives(struct run *t)
{
    for (unsigned i = 0; i < t->n; i++)
        if (takes_receive(t->plan[i].op))
            pair_post_recv_to(t->p, 1, qpn_of(t, 1, i), i, t->plan[i].receive, t->slot);
}

static void post_sends(struct run *t)
{
    for (unsigned i = 0; i < t->n; i++) {
        const struct plan *m = &t->plan[i];
        struct iba_send_wr wr = {.wr_id = i, .op = m->op, .imm_or_key = i};
        if (t->cfg.type == IBA_QPT_UD) {
            wr.ah = t->p->end[0].ah;
            wr.remote_qpn = t->p->end[1].qpn;
            wr.remote_qkey = 0x1234;
        } else {
            wr.va = t->keys.remote_va + (m->op == IBA_WR_FETCH_ADD ? t->area - 8 : m->remote);
            wr.rkey = t->keys.rkey;
            wr.xrc_srqn = t->p->end[1].srqn;
        }
        if (t->cfg.type == IBA_QPT_RD) {
            wr.rd.eecn = t->p->end[0].eecn;
            wr.rd.remote_qpn = qpn_of(t, 1, i);
            wr.rd.remote_qkey = PAIR_QKEY;
        }
        if (m->op == IBA_WR_FETCH_ADD)
            wr.compare_add = 1;
        pair_post_send_by(t->p, 0, qpn_of(t, 0, i), &wr, m->local, m->length);
    }
}

static void expect_memory(struct run *t)
{
    for (unsigned e = 0; e < 2; e++) {
        t->want[e] = malloc(t->area);
        cr_assert_not_null(t->want[e]);
        memcpy(t->want[e], pair_memory(t->p, e), t->area);
    }
}

/* Applies the effect of a successful message to the expected memory. */
static void apply(struct run *t, const struct plan *m)
{
    uint64_t counter;

    switch (m->op) {
    case IBA_WR_READ: memcpy(t->want[0] + m->local, t->want[1] + m->remote, m->length); break;
    case IBA_WR_FETCH_ADD:
        memcpy(&counter, t->want[1] + t->area - 8, 8);
        memcpy(t->want[0] + m->local, &counter, 8);
        counter++;
        memcpy(t->want[1] + t->area - 8, &counter, 8);
        break;
    case IBA_WR_SEND:
    case IBA_WR_SEND_IMM: memcpy(t->want[1] + m->receive, t->want[0] + m->local, m->length); break;
    default: memcpy(t->want[1] + m->remote, t->want[0] + m->local, m->length); break;
    }
}

/* An unreliable service may lose messages, but must deliver each received message completely. The immediate data give
 * the index of the message. */
static void check_datagram(const struct run *t, const struct iba_wc *wc)
{
    const struct plan *m = &t->plan[wc->imm_or_key];
    const uint64_t grh = t->cfg.type == IBA_QPT_UD ? 40 : 0;
    const uint64_t at = wc->op == IBA_WR_RECV ? t->plan[wc->wr_id].receive + grh : m->remote;

    if (!(wc->flags & IBA_WC_WITH_IMM))
        return;
    cr_assert_lt(wc->imm_or_key, t->n);
    cr_assert_eq(wc->byte_len, m->length + grh, "seed %lu", (unsigned long)t->cfg.seed);
    cr_assert_eq(memcmp(pair_memory(t->p, 1) + at, t->want[0] + m->local, m->length), 0,
                 "seed %lu: message %u is damaged", (unsigned long)t->cfg.seed, wc->imm_or_key);
}

/* Returns the index of the QP's next message, from `i` on; t->n if there is none. */
static unsigned next_of(const struct run *t, unsigned qp, unsigned i)
{
    while (i < t->n && t->plan[i].qp != qp)
        i++;
    return i;
}

static unsigned qp_of(const struct run *t, unsigned end, const struct iba_wc *wc)
{
    return t->cfg.type == IBA_QPT_RD && wc->qpn == t->p->end[end].second_qpn;
}

/* Completions of each QP come in order. An EE context ends a message before it begins the next (UU-33), so those of
 * both QPs come in the order in which the messages took effect. */
static void collect_send(struct run *t, const struct iba_wc *wc)
{
    const unsigned k = qp_of(t, 0, wc), i = next_of(t, k, t->next[k]);

    cr_assert_eq(wc->wr_id, i, "seed %lu: completion %lu before %u", (unsigned long)t->cfg.seed,
                 (unsigned long)wc->wr_id, i);
    if (wc->status == IBA_WC_SUCCESS) {
        cr_assert_eq(t->status[k], IBA_WC_SUCCESS, "seed %lu: success after a failure", (unsigned long)t->cfg.seed);
        if (is_reliable(t->cfg.type))
            apply(t, &t->plan[i]);
    } else if (t->status[k] == IBA_WC_SUCCESS)
        t->status[k] = wc->status;
    else
        cr_assert_eq(wc->status, IBA_WC_FLUSHED);
    t->next[k] = i + 1;
    t->done++;
}

static void collect(struct run *t)
{
    struct iba_wc wc;

    while (pair_poll(t->p, 0, &wc)) {
        collect_send(t, &wc);
    }
    while (pair_poll(t->p, 1, &wc)) {
        if (wc.status != IBA_WC_SUCCESS)
            continue;
        const struct plan *m = &t->plan[wc.wr_id];
        if (is_reliable(t->cfg.type)) {
            unsigned *order = &t->order[qp_of(t, 1, &wc)];
            cr_assert_eq(m->qp, qp_of(t, 1, &wc));
            cr_assert_geq(wc.wr_id, *order, "seed %lu: receives out of order", (unsigned long)t->cfg.seed);
            *order = (unsigned)wc.wr_id + 1;
            cr_assert_eq(wc.byte_len, m->length, "seed %lu: %u of %u bytes", (unsigned long)t->cfg.seed, wc.byte_len,
                         m->length);
        } else
            check_datagram(t, &wc);
        t->received++;
    }
}

/* The send queue is in error, and the status of its first failure says why: the retries of its own message, or an EE
 * context in error, which used up those of another QP's message or of a RESYNC (UU-34). */
static void check_failure(const struct run *t, unsigned k)
{
    const struct pair_end *e = &t->p->end[0];
    const bool rd = t->cfg.type == IBA_QPT_RD, context = rd && t->status[k] == IBA_WC_INVALID_EE_STATE;

    cr_assert(t->status[k] == IBA_WC_RETRY_EXCEEDED || t->status[k] == IBA_WC_RNR_RETRY_EXCEEDED || context,
              "seed %lu: status %s", (unsigned long)t->cfg.seed, iba_wc_status_name((enum iba_wc_status)t->status[k]));
    if (rd) /* QS-24: a send error stops the send queue alone */
        cr_assert(e->context.state == IBA_QPS_ERR && (k ? e->second : e->qp).state == IBA_QPS_SQE);
    else
        cr_assert_eq(e->qp.state, IBA_QPS_ERR);
}

static void check_reliable(const struct run *t)
{
    const unsigned long seed = (unsigned long)t->cfg.seed;

    cr_assert_eq(t->done, t->n, "seed %lu: %u of %u completed", seed, t->done, t->n);
    if (t->status[0] == IBA_WC_SUCCESS && t->status[1] == IBA_WC_SUCCESS) {
        cr_assert_eq(memcmp(t->want[0], pair_memory(t->p, 0), t->area), 0, "seed %lu: requester's memory", seed);
        cr_assert_eq(memcmp(t->want[1], pair_memory(t->p, 1), t->area), 0, "seed %lu: responder's memory", seed);
        return;
    }
    for (unsigned k = 0; k < t->qps; k++)
        if (t->status[k] != IBA_WC_SUCCESS)
            check_failure(t, k);
}

/* Counts the networks that had each kind of key: for the sender's memory, for the receives, and for the peer's
 * memory. */
enum { SERVICES = 5, SIDES = 3 };
static unsigned used[SERVICES][SIDES][KEYS];

static unsigned service_of(enum iba_qp_type type)
{
    return type == IBA_QPT_RC ? 0 : type == IBA_QPT_UC ? 1 : type == IBA_QPT_UD ? 2 : type == IBA_QPT_RD ? 4 : 3;
}

/* A datagram names no memory of its peer, and an XRC target takes no type 2 window (QS-48). */
static bool has(unsigned service, unsigned side, unsigned kind)
{
    if (side < 2)
        return kind < KEYS_LOCAL;
    return service != 2 && (service != 3 || (kind != KEY_MW2A && kind != KEY_MW2B));
}

static void expect_every_kind(void)
{
    static const char *const services[SERVICES] = {"RC", "UC", "UD", "XRC", "RD"};

    for (unsigned s = 0; s < SERVICES; s++)
        for (unsigned side = 0; side < SIDES; side++)
            for (unsigned k = 0; k < KEYS; k++) {
                if (getenv("IBPROOF_VERBOSE"))
                    fprintf(stderr, "%s side %u key %s: %u networks\n", services[s], side, key_names[k],
                            used[s][side][k]);
                cr_expect(used[s][side][k] > 0 || !has(s, side, k), "%s side %u: no key of kind %s", services[s], side,
                          key_names[k]);
            }
}

static uint64_t one(uint64_t seed)
{
    struct run t = {.cfg = pick_config(seed)};

    t.p = pair_open(&t.cfg);
    keys_choose(&t.keys, t.p, &t.cfg);
    make_plan(&t);
    expect_memory(&t);
    if (!t.late)
        post_receives(&t);
    post_sends(&t);
    if (t.late) {
        cr_assert(pair_run(t.p, 3000000));
        post_receives(&t);
    }
    cr_assert(pair_run(t.p, UINT64_C(3600000000000)), "seed %lu never rests", (unsigned long)seed);
    collect(&t);
    cr_assert(pair_guards_hold(t.p), "seed %lu: memory outside the regions changed", (unsigned long)seed);
    for (unsigned e = 0; e < 2; e++)
        iba_ca_check(&t.p->end[e].ca);
    if (is_reliable(t.cfg.type))
        check_reliable(&t);
    else
        cr_assert_eq(t.done, t.n, "seed %lu: unreliable sends complete when sent", (unsigned long)seed);
    const uint64_t h = t.p->hash;
    used[service_of(t.cfg.type)][0][t.keys.kind[0]]++;
    used[service_of(t.cfg.type)][1][t.keys.kind[1]]++;
    used[service_of(t.cfg.type)][2][t.keys.kind[2]]++;
    free(t.want[0]);
    free(t.want[1]);
    pair_close(t.p);
    return h;
}

Test(hostile, every_byte_arrives_once_or_both_sides_say_why)
{
    const unsigned first = pair_setting("IBPROOF_FIRST", 0), n = pair_setting("IBPROOF_SEEDS", 200);

    for (unsigned i = first; i < first + n; i++) {
        const uint64_t trace = one(i);
        if (getenv("IBPROOF_VERBOSE"))
            fprintf(stderr, "seed %u: trace %016" PRIx64 "\n", i, trace);
    }
    if (n >= 1000)
        expect_every_kind();
}

Test(hostile, the_same_seed_gives_the_same_trace)
{
    for (unsigned i = 0; i < 20; i++)
        cr_assert_eq(one(i), one(i), "seed %u", i);
}

static void count_event(void *ctx, const struct iba_net_event *e)
{
    unsigned *n = ctx;

    n[e->what]++;
}

/* The longest possible message (WF-67) with IBPROOF_GREAT=2147483648, which takes 5 GiB and a minute; otherwise a part
 * of that. A fault of each kind happens about ten times whatever the length; a packet that waits for the wire is not
 * lost. */
Test(hostile, one_great_message, .timeout = 600)
{
    const unsigned length = pair_setting("IBPROOF_GREAT", 1 << 23);
    const uint32_t rate = (uint32_t)(UINT64_C(10) * 1000000 * 4096 / length);
    const struct pair_config c = {
        .seed = 31,
        .kind = IBA_PORT_ROCE2,
        .type = IBA_QPT_RC,
        .mtu = IBA_MTU_4096,
        .psn = 0xfffff0,
        .timeout = 8,
        .retry = 7,
        .rnr_retry = 7,
        .rd_depth = 1,
        .bytes = length,
        .flight = 64,
        .waits = true,
        .faults = {
            .lose = rate, .duplicate = rate, .corrupt = rate, .reorder = rate, .delay_ns = 1000, .reorder_ns = 20000}};
    struct pair *p = pair_open(&c);
    struct iba_send_wr wr = {.op = IBA_WR_WRITE, .va = PAIR_VA, .rkey = p->end[1].rkey};
    struct iba_wc wc;
    unsigned n[IBA_NET_DELIVERED + 1] = {0};

    p->net.log = count_event;
    p->net.log_ctx = n;
    pair_post_send(p, 0, &wr, 0, length);
    cr_assert(pair_run(p, UINT64_C(3600000000000)), "steps %" PRIu64, p->steps);
    for (unsigned i = IBA_NET_LOST; i <= IBA_NET_REORDERED; i++)
        cr_assert_gt(n[i], 0, "no fault of kind %u came", i);
    cr_assert_eq(pair_poll(p, 0, &wc), 1);
    cr_assert_eq(wc.status, IBA_WC_SUCCESS, "%s", iba_wc_status_name((enum iba_wc_status)wc.status));
    cr_assert_eq(memcmp(pair_memory(p, 0), pair_memory(p, 1), length), 0);
    cr_assert(pair_guards_hold(p));
    pair_close(p);
}
