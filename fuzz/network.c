/* SPDX-License-Identifier: BSD-2-Clause */
/* Two adapters with a network that loses, repeats, delays and damages frames as the input says, and later has no
 * faults. Every byte of every message arrives once, or both sides end in the status that the architecture names. */
#include <string.h>
#include "transport/iba_wr_ops.h"
#include "world.h"

const struct fuzz_target fuzz_target = {"network", FUZZ_RECORDS, NULL};

enum { DELIVER, LOSE, REPEAT, DELAY, DAMAGE, FATE_COUNT };
enum { MOST_MESSAGES = 4, SLOT = 672, PART = MOST_MESSAGES * SLOT, COUNTER = WORLD_BYTES - 8, FLIGHT = 64 };
enum { MOST_FATES = 256, MOST_ROUNDS = 20000, DELAY_NS = 5000, TRIP_NS = 1000 };

struct message {
    uint8_t op;
    uint32_t length;
};
struct flying {
    iba_time due;
    size_t len;
    unsigned to;
    bool used;
    uint8_t bytes[IBA_TX_MOST];
};
struct net {
    struct world *w;
    struct message message[MOST_MESSAGES];
    unsigned n, done;
    uint8_t fate[MOST_FATES], status;
    unsigned fates, frames;
    struct flying flying[FLIGHT];
    uint8_t want[2][WORLD_BYTES];
};

/* ---- the plan ---- */

static void read_plan(struct net *t, struct fuzz_in *in)
{
    static const uint8_t op[] = {IBA_WR_SEND,      IBA_WR_SEND_IMM, IBA_WR_WRITE,
                                 IBA_WR_WRITE_IMM, IBA_WR_READ,     IBA_WR_FETCH_ADD};
    struct fuzz_in body;
    uint8_t kind;

    while (fuzz_record(in, &kind, &body))
        if (kind % NETWORK_KINDS == NETWORK_MESSAGE && t->n < MOST_MESSAGES) {
            struct message *m = &t->message[t->n++];
            m->op = op[fuzz_u8(&body) % sizeof op];
            m->length = m->op == IBA_WR_FETCH_ADD ? 8 : fuzz_u16(&body) % (SLOT + 1u);
        } else if (kind % NETWORK_KINDS == NETWORK_FATES)
            while (body.n > 0 && t->fates < MOST_FATES)
                t->fate[t->fates++] = fuzz_u8(&body);
}

static uint64_t local(unsigned i)
{
    return (uint64_t)i * SLOT;
}

static void post(struct net *t)
{
    struct world_end *from = &t->w->end[0], *to = &t->w->end[1];

    for (unsigned i = 0; i < t->n; i++) {
        const struct message *m = &t->message[i];
        const bool counts = m->op == IBA_WR_FETCH_ADD;
        struct iba_send_wr wr = {.wr_id = i,
                                 .op = m->op,
                                 .flags = IBA_WR_SIGNALED,
                                 .n_sge = 1,
                                 .imm_or_key = i,
                                 .va = WORLD_VA + (counts ? COUNTER : PART + local(i)),
                                 .rkey = to->region[0].rkey,
                                 .compare_add = counts,
                                 .sge = {{WORLD_VA + local(i), m->length, from->region[0].lkey}}};
        const struct iba_recv_wr recv = {
            .wr_id = i, .n_sge = 1, .sge = {{WORLD_VA + 2 * PART + local(i), SLOT, to->region[0].lkey}}};
        if (m->op != IBA_WR_WRITE && m->op != IBA_WR_READ && !counts)
            FUZZ_CHECK(iba_post_recv(&to->ca, to->qp[0].qpn, &recv) == IBA_VERB_OK);
        world_to_rd(t->w, &wr, from, to);
        FUZZ_CHECK(iba_post_send(&from->ca, from->qp[0].qpn, &wr) == IBA_VERB_OK);
    }
}

/* ---- the network ---- */

static void fly(struct net *t, unsigned to, const uint8_t *frame, size_t len, iba_time due)
{
    for (unsigned i = 0; i < FLIGHT; i++)
        if (!t->flying[i].used) { /* without a free slot the frame is lost */
            struct flying *f = &t->flying[i];
            f->used = true;
            f->due = due;
            f->to = to;
            f->len = len;
            memcpy(f->bytes, frame, len);
            return;
        }
}

static void leave(struct net *t, unsigned from, uint8_t *frame, size_t len)
{
    const uint8_t fate = t->frames < t->fates ? t->fate[t->frames] : DELIVER;
    const iba_time due = t->w->now + TRIP_NS;
    const unsigned how = fate % 8;

    t->frames++;
    if (how == LOSE)
        return;
    if (how == DAMAGE)
        frame[(size_t)fate * 7 % len] ^= (uint8_t)(1u << (fate >> 5));
    fly(t, 1 - from, frame, len, how == DELAY ? due + (fate >> 3) * (iba_time)DELAY_NS : due);
    if (how == REPEAT)
        fly(t, 1 - from, frame, len, due + (fate >> 3) * (iba_time)TRIP_NS);
}

/* Returns the frame that is due first; of frames due at one time, the one that left first. */
static struct flying *next_due(struct net *t)
{
    struct flying *next = NULL;

    for (unsigned i = 0; i < FLIGHT; i++)
        if (t->flying[i].used && (!next || t->flying[i].due < next->due))
            next = &t->flying[i];
    return next;
}

static bool drain(struct net *t)
{
    static uint8_t frame[IBA_TX_MOST];
    bool any = false;
    size_t len;

    for (unsigned i = 0; i < 2; i++)
        while ((len = world_poll(t->w, i, frame, sizeof frame)) > 0) {
            leave(t, i, frame, len);
            any = true;
        }
    return any;
}

/* Runs until no frame is in flight and no timer runs. */
static void run(struct net *t)
{
    struct world *w = t->w;

    for (unsigned round = 0;; round++) {
        FUZZ_CHECK(round < MOST_ROUNDS);
        if (drain(t))
            continue;
        struct flying *f = next_due(t);
        iba_time next = f ? f->due : IBA_NEVER;
        for (unsigned i = 0; i < 2; i++) {
            const iba_time d = iba_ca_deadline(&w->end[i].ca);
            next = d < next ? d : next;
        }
        if (next == IBA_NEVER)
            return;
        w->now = next > w->now ? next : w->now;
        if (f && f->due <= w->now) {
            f->used = false;
            world_feed(w, f->to, f->bytes, f->len);
        }
        for (unsigned i = 0; i < 2; i++)
            iba_ca_advance(&w->end[i].ca, w->now);
        world_check(w);
    }
}

/* ---- the expected result ---- */

static void apply(struct net *t, unsigned i)
{
    const struct message *m = &t->message[i];
    uint64_t counter;

    switch (m->op) {
    case IBA_WR_READ: memcpy(t->want[0] + local(i), t->want[1] + PART + local(i), m->length); break;
    case IBA_WR_FETCH_ADD:
        memcpy(&counter, t->want[1] + COUNTER, sizeof counter);
        memcpy(t->want[0] + local(i), &counter, sizeof counter);
        counter++;
        memcpy(t->want[1] + COUNTER, &counter, sizeof counter);
        break;
    case IBA_WR_SEND:
    case IBA_WR_SEND_IMM: memcpy(t->want[1] + 2 * PART + local(i), t->want[0] + local(i), m->length); break;
    default: memcpy(t->want[1] + PART + local(i), t->want[0] + local(i), m->length); break;
    }
}

static void collect(struct net *t)
{
    struct iba_wc wc;

    while (iba_poll_cq(&t->w->end[0].ca, t->w->end[0].cqn[0], &wc)) {
        FUZZ_CHECK(wc.wr_id == t->done);
        if (t->status == IBA_WC_SUCCESS)
            t->status = wc.status;
        else
            FUZZ_CHECK(wc.status == IBA_WC_FLUSHED);
        if (wc.status == IBA_WC_SUCCESS)
            apply(t, t->done);
        t->done++;
    }
    FUZZ_CHECK(t->done == t->n);
    for (uint64_t last = 0; iba_poll_cq(&t->w->end[1].ca, t->w->end[1].cqn[1], &wc); last = wc.wr_id) {
        FUZZ_CHECK(wc.wr_id >= last);
        FUZZ_CHECK(wc.status != IBA_WC_SUCCESS || wc.byte_len == t->message[wc.wr_id].length);
    }
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static struct net net;
    struct net *t = &net;
    uint8_t head[FUZZ_HEAD] = {0};
    struct fuzz_in in = {data, n}, settings = {head, sizeof head};

    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        head[i] = fuzz_u8(&in);
    head[6] |= 5; /* both sides have the same READ depth, 1 or more */
    head[6] = head[6] & 3 ? head[6] & 5 : 5;
    head[7] = (uint8_t)(1 + head[7] % 12); /* the ACK timer runs; without it a lost frame would not be sent again */
    memset(t, 0, offsetof(struct net, flying));
    for (unsigned i = 0; i < FLIGHT; i++)
        t->flying[i].used = false;
    t->w = world_open(&settings, 2);
    for (unsigned e = 0; e < 2; e++) {
        for (unsigned i = 0; i < WORLD_BYTES; i++)
            t->w->end[e].region[0].bytes[i] = (uint8_t)(i * 13 + i / 241 + 97 * e);
        memcpy(t->want[e], t->w->end[e].region[0].bytes, WORLD_BYTES);
    }
    read_plan(t, &in);
    post(t);
    run(t);
    collect(t);
    for (unsigned e = 0; e < 2 && t->status == IBA_WC_SUCCESS; e++)
        FUZZ_CHECK(memcmp(t->want[e], t->w->end[e].region[0].bytes, WORLD_BYTES) == 0);
    /* With RD the EE context is in error, too, if a RESYNC was not answered. */
    FUZZ_CHECK(t->status == IBA_WC_SUCCESS || t->status == IBA_WC_RETRY_EXCEEDED ||
               (t->status == IBA_WC_INVALID_EE_STATE && world_type(t->w, 0) == IBA_QPT_RD));
    world_close(t->w);
    return 0;
}
