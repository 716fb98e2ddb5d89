/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf_sim.h"
#include "transport/iba_wr_ops.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wire/iba_opcode.h"

const char *const perf_loads[PERF_LOAD_COUNT] = {
#define PERF_LOAD_WORDS(name, words) words,
    PERF_LOADS(PERF_LOAD_WORDS)};

enum { MTU = 1024 };
enum { MOST_OTHERS = 64, CUT_NS = 50000, RAISE_NS = 55000, FAST_STEPS = 5, LEAST_RATE = 50, SLOWED = 1000 - 1000 / 16 };
enum { MOST_FRAMES = 1 << 15, CUT = 128, MESSAGES = 300, REGION = 1 << 17, DEEPEST = 30, MOST_TURNS = 1 << 18 };
#define US UINT64_C(1000)

struct caught { /* one captured packet */
    iba_time at;
    uint32_t order, len, caplen;
    uint8_t bytes[CUT];
};
struct work {
    uint8_t op;              /* enum iba_wr_op */
    uint32_t bytes, depth;   /* of a message; messages at the same time */
    uint64_t react, think;   /* ns from a completion to the next message: at most, and how much more on average */
    uint64_t every;          /* ns from message to message, whatever completes; 0: after completions. On average */
    bool clocked;            /* ... exactly */
    uint32_t receives;       /* that end 1 has posted */
    uint64_t repost;         /* ns until a receive that was used is posted again, on average */
    uint32_t lose;           /* of 1000000 packets */
    uint64_t delay, spacing; /* ns: one way; of packets as they leave the port */
    uint64_t out_spacing;    /* as they leave the switch; 0: as they left the port */
    uint32_t others;         /* packets of other senders, of a closed loop each, that go to the same port */
    uint64_t burst, rest;    /* ns, on average: so long the others send, and do not */
    uint32_t mark;           /* of 1000000 packets */
};
/* The rate of a sender that takes notifications as DCQCN does (Zhu et al., SIGCOMM 2015), in 1/1000 of its port's. */
struct rate {
    uint64_t line; /* spacing without it, ns; 0: no such sender */
    double now, target, alpha;
    uint32_t steps; /* raised so often since the last notification */
    iba_time cut_at, raise_at;
};
struct sim {
    struct pair *p;
    struct iba_random random;
    struct work w;
    enum perf_load load;
    bool far, began, psn_known;
    iba_time due[DEEPEST], receive_due[DEEPEST]; /* when a message, or a receive, is posted next */
    uint32_t n_due, n_receive_due, posted, completed, received;
    iba_time port_free;
    iba_psn high;
    iba_time other[MOST_OTHERS], burst_ends, rest_ends; /* when the packets of others reach the switch */
    struct rate rate;
    iba_time first_leaves, leaves[2 * DEEPEST]; /* by message: when its first packet leaves the queue of the switch */
    uint32_t sent, peak; /* messages whose last packet has been sent; outstanding after the last packet */
    uint64_t truth[PERF_LIMIT_COUNT], tail[PERF_LIMIT_COUNT], since_sent[PERF_LIMIT_COUNT];
    uint32_t n;
    struct caught caught[MOST_FRAMES];
};

/* ---- the capture ---- */

static void commit(struct sim *y)
{
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++)
        y->truth[i] += y->tail[i];
    memset(y->tail, 0, sizeof y->tail);
}

/* A packet is sent again, so all the time since the packet before it was a wait for the retransmission. */
static void blame(struct sim *y, enum perf_limit k)
{
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++) {
        y->truth[i] -= y->since_sent[i];
        y->truth[k] += y->since_sent[i];
    }
}

static void sent(struct sim *y, const struct iba_view *v)
{
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(v)));

    if (v->op->dir != IBA_REQ || v->op->operation == IBA_OPERATION_CNP)
        return;
    commit(y);
    if (y->psn_known && iba_psn_diff(psn, y->high) < 0)
        blame(y, y->since_sent[PERF_RNR] ? PERF_RNR : PERF_LOSS);
    const uint32_t asked = v->op->operation == IBA_OPERATION_READ ? iba_reth_dmalen(iba_view_hdr(v, IBA_H_reth)) : 0;
    const iba_psn end = iba_psn_add(psn, asked ? (asked - 1) / MTU + 1 : 1);
    if (!y->psn_known || iba_psn_diff(end, y->high) > 0)
        y->high = end;
    y->psn_known = y->began = true;
    if (iba_opcode_begins(v->op)) /* the message's own packets are no queue */
        y->first_leaves = y->p->net.wire[1];
    if (iba_opcode_ends(v->op) && y->sent < y->posted)
        y->leaves[y->sent++ % (2 * DEEPEST)] = y->first_leaves;
    y->peak = y->sent - y->completed + !iba_opcode_ends(v->op);
    memset(y->since_sent, 0, sizeof y->since_sent);
}

static void catch (struct sim *y, const struct iba_view *v, iba_time at)
{
    struct caught *c = &y->caught[y->n];

    cr_assert_lt(y->n, (uint32_t)MOST_FRAMES);
    c->at = at;
    c->order = y->n++;
    c->len = v->len;
    c->caplen = v->len < CUT ? v->len : CUT;
    memcpy(c->bytes, v->wire, c->caplen);
}

static void set_spacing(struct sim *y)
{
    y->w.spacing = (uint64_t)((double)y->rate.line * 1000 / y->rate.now);
    y->p->net.faults.spacing_ns = y->w.spacing;
}

static void slow_down(struct sim *y)
{
    struct rate *r = &y->rate;

    if (r->line == 0 || y->p->now < r->cut_at)
        return;
    r->target = r->now;
    r->now *= 1 - r->alpha / 2;
    r->now = r->now < (double)LEAST_RATE ? (double)LEAST_RATE : r->now;
    r->alpha = r->alpha * 15 / 16 + 1.0 / 16;
    r->steps = 0;
    r->cut_at = y->p->now + CUT_NS;
    r->raise_at = y->p->now + RAISE_NS;
    set_spacing(y);
}

static void speed_up(struct sim *y)
{
    struct rate *r = &y->rate;
    static const double full = 1000, more = 20;

    if (y->p->now < r->raise_at)
        return;
    r->target = r->steps++ >= FAST_STEPS && r->target < full ? r->target + more : r->target;
    r->now = (r->now + r->target) / 2;
    r->now = r->now > full - 1 ? full : r->now;
    r->alpha = r->alpha * 15 / 16;
    r->raise_at = r->now < full ? y->p->now + RAISE_NS : IBA_NEVER;
    set_spacing(y);
}

static void tap(void *ctx, unsigned from, bool arrived, const struct iba_view *v)
{
    struct sim *y = ctx;
    iba_time at = y->p->now;

    if (from == 0 && !arrived) {
        sent(y, v);
        at = y->port_free > at ? y->port_free : at;
        y->port_free = at + y->w.spacing;
    } else if (from == 1 && !arrived && y->rate.line)
        y->p->net.wire[0] = y->p->now; /* the rate is that of the sender's port */
    else if (from == 1 && arrived) {
        commit(y);
        if (v->op->operation == IBA_OPERATION_CNP)
            slow_down(y);
    }
    if (arrived == (from == (y->far ? 0U : 1U)))
        catch (y, v, at);
}

static int by_time(const void *a, const void *b)
{
    const struct caught *x = a, *y = b;

    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->order < y->order ? -1 : 1;
}

static void put_u32(FILE *f, uint32_t v)
{
    cr_assert_eq(fwrite(&v, sizeof v, 1, f), 1U);
}

/* IBPROOF_SAVE names a folder into which the capture is written, for tests of whole programs. */
static void save(const struct sim *y)
{
    enum { MAJOR = 2, MINOR = 4, ETHERNET = 1 };
    const char *folder = getenv("IBPROOF_SAVE");
    char path[256];

    if (!folder)
        return;
    cr_assert_lt(snprintf(path, sizeof path, "%s/%u%s.pcap", folder, y->load, y->far ? "-far" : ""), (int)sizeof path);
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f, "%s", path);
    const uint32_t head[] = {0xa1b23c4d /* nanoseconds */, MAJOR | MINOR << 16, 0, 0, CUT, ETHERNET};
    for (unsigned i = 0; i < sizeof head / sizeof *head; i++)
        put_u32(f, head[i]);
    for (uint32_t i = 0; i < y->n; i++) {
        const struct caught *c = &y->caught[i];
        put_u32(f, 1 + (uint32_t)(c->at / 1000000000));
        put_u32(f, (uint32_t)(c->at % 1000000000));
        put_u32(f, c->caplen);
        put_u32(f, c->len);
        cr_assert_eq(fwrite(c->bytes, 1, c->caplen, f), c->caplen);
    }
    cr_assert_eq(fclose(f), 0);
}

static void judge_capture(struct sim *y, struct perf_outcome *r)
{
    static struct perf *state;
    char err[64];
    struct judge *j = judge_open(&(struct judge_config){0});

    free(state);
    state = stat_perf_open(NULL, err, sizeof err);
    cr_assert(j && state);
    qsort(y->caught, y->n, sizeof *y->caught, by_time);
    save(y);
    for (uint32_t i = 0; i < y->n; i++) {
        const struct caught *c = &y->caught[i];
        const struct cap_packet cap = {
            .data = c->bytes, .caplen = c->caplen, .len = c->len, .ts_ns = US + c->at, .has_ts = true, .number = i + 1};
        struct packet p = {.cap = &cap, .number = i + 1, .first_ns = US + y->caught[0].at, .source_name = "x.pcap"};
        (void)iba_view_parse(&p.view, y->p->link, c->bytes, c->caplen, c->len, NULL);
        iba_view_check(&p.view);
        p.verdict = judge_packet(j, &p);
        stat_perf_packet(state, &p);
    }
    judge_end(j);
    r->sender = state->n ? &state->sender[0] : NULL;
    for (uint32_t i = 0; i < state->n; i++)
        perf_end(&state->sender[i]);
    r->said = r->sender ? perf_shares_of(r->sender) : (struct perf_shares){0};
    judge_close(j);
}

/* ---- the truth ---- */

static enum perf_limit waits_for_completion(const struct sim *y)
{
    return y->peak <= 1 ? PERF_LATENCY : y->w.op == IBA_WR_READ ? PERF_READS : PERF_WINDOW;
}

/* Returns why there is no work: the application of a closed loop waits until something completes; other applications
 * have nothing to send. */
static enum perf_limit without_work(const struct sim *y)
{
    if (y->w.clocked)
        return PERF_PACED;
    if (y->w.every || (y->w.think && y->posted == y->completed))
        return PERF_IDLE;
    return waits_for_completion(y);
}

/* Returns whether a packet at the port, which is free at that time, waits for the packet before it. */
static bool queued(const struct sim *y, iba_time free)
{
    return free > y->p->now + y->w.spacing;
}

static enum perf_limit sends_at(const struct sim *y)
{
    if (y->rate.line)
        return y->rate.now < (double)SLOWED ? PERF_CONGESTION : PERF_LINE;
    return y->load == PERF_LOAD_PORT ? PERF_LINE : PERF_PACED;
}

static enum perf_limit now_limited_by(const struct sim *y)
{
    const struct iba_qp *qp = &y->p->end[0].qp;
    const enum perf_limit port = sends_at(y);

    if (qp->s.rnr_due != IBA_NEVER)
        return PERF_RNR;
    if (queued(y, y->port_free) || (y->w.op == IBA_WR_READ && queued(y, y->p->net.wire[0])))
        return port; /* the one or the other sends */
    if (qp->s.next >= qp->s.count)
        return without_work(y);
    const bool read = y->w.op == IBA_WR_READ;
    if (read && qp->s.rd_open >= qp->attr.max_rd)
        return qp->attr.max_rd == 1 ? PERF_LATENCY : PERF_READS;
    return qp->s.unlimited ? waits_for_completion(y) : PERF_CREDITS;
}

/* Returns how much of the time until then the outstanding messages spend in the queue of the switch. */
static uint64_t queueing(const struct sim *y, enum perf_limit k, iba_time until)
{
    uint64_t sum = 0;

    if ((k != PERF_WINDOW && k != PERF_LATENCY) || y->sent <= y->completed)
        return 0;
    for (uint32_t i = y->completed; i < y->sent; i++) {
        const iba_time leaves = y->leaves[i % (2 * DEEPEST)], end = leaves < until ? leaves : until;
        sum += end > y->p->now ? end - y->p->now : 0;
    }
    return sum / (y->sent - y->completed);
}

static void pass(struct sim *y, iba_time until)
{
    while (y->p->now < until) {
        const iba_time wire = queued(y, y->p->net.wire[0]) ? y->p->net.wire[0] - y->w.spacing : until;
        const iba_time free = queued(y, y->port_free) ? y->port_free - y->w.spacing : until;
        const iba_time first = free < wire ? free : wire, busy = first < until ? first : until;
        const enum perf_limit k = now_limited_by(y);
        if (y->began) {
            const uint64_t queue = queueing(y, k, busy);
            y->tail[k] += busy - y->p->now - queue;
            y->since_sent[k] += busy - y->p->now - queue;
            y->tail[PERF_QUEUE] += queue;
            y->since_sent[PERF_QUEUE] += queue;
        }
        cr_assert(pair_run(y->p, busy));
        y->p->now = busy; /* it stays where it is when nothing is in flight */
    }
}

/* ---- the work ---- */

static uint64_t about(struct sim *y, uint64_t mean)
{
    uint64_t sum = 0; /* the sum of the first successes: nearly exponential */

    if (mean == 0)
        return 0;
    while (iba_random_below(&y->random, 8) != 0)
        sum += mean / 8;
    return sum + iba_random_below(&y->random, mean / 8 + 1);
}

static void post(struct sim *y)
{
    struct iba_send_wr wr = {.wr_id = y->posted, .op = y->w.op, .va = PAIR_VA + REGION / 2, .rkey = y->p->end[1].rkey};

    pair_post_send(y->p, 0, &wr, 0, y->w.bytes);
    y->posted++;
}

static void plan(struct sim *y, iba_time at)
{
    if (y->n_due < DEEPEST)
        y->due[y->n_due++] = at;
}

/* Posts the work that is due. */
static void work(struct sim *y)
{
    for (uint32_t i = 0; i < y->n_due;) {
        if (y->due[i] > y->p->now) {
            i++;
            continue;
        }
        const iba_time was = y->due[i];
        y->due[i] = y->due[--y->n_due];
        if (y->posted < MESSAGES && y->posted - y->completed < DEEPEST)
            post(y);
        if (y->w.every && y->posted < MESSAGES)
            plan(y, was + (y->w.clocked ? y->w.every : about(y, y->w.every) + 1));
    }
    for (uint32_t i = 0; i < y->n_receive_due;) {
        if (y->receive_due[i] > y->p->now) {
            i++;
            continue;
        }
        y->receive_due[i] = y->receive_due[--y->n_receive_due];
        pair_post_recv(y->p, 1, 0, REGION / 2, REGION / 4);
    }
}

/* The other senders send bursts, all at the same time. */
static void others(struct sim *y)
{
    iba_time *wire = &y->p->net.wire[1];

    for (uint32_t i = 0; i < y->w.others; i++) {
        if (y->other[i] > y->p->now)
            continue;
        if (y->p->now >= y->burst_ends) {
            if (y->p->now >= y->rest_ends) {
                y->burst_ends = y->p->now + about(y, y->w.burst);
                y->rest_ends = y->burst_ends + about(y, y->w.rest);
            } else {
                y->other[i] = y->rest_ends + iba_random_below(&y->random, y->w.delay + 1);
                continue;
            }
        }
        *wire = (*wire > y->p->now ? *wire : y->p->now) + y->w.out_spacing;
        y->other[i] = *wire + 2 * y->w.delay;
    }
}

static void look(struct sim *y)
{
    struct iba_wc wc;

    while (pair_poll(y->p, 0, &wc)) {
        cr_assert_eq(wc.status, IBA_WC_SUCCESS, "load %s", perf_loads[y->load]);
        y->completed++;
        if (!y->w.every)
            plan(y, y->p->now + y->w.react / 2 + iba_random_below(&y->random, y->w.react + 1) + about(y, y->w.think));
    }
    while (pair_poll(y->p, 1, &wc))
        if (wc.op == IBA_WR_RECV && y->n_receive_due < DEEPEST)
            y->receive_due[y->n_receive_due++] = y->p->now + about(y, y->w.repost);
}

static iba_time next_event(const struct sim *y)
{
    iba_time t = iba_net_deadline(&y->p->net);

    for (unsigned i = 0; i < 2; i++) {
        const iba_time d = iba_ca_deadline(&y->p->end[i].ca);
        t = d < t ? d : t;
    }
    for (uint32_t i = 0; i < y->n_due; i++)
        t = y->due[i] < t ? y->due[i] : t;
    for (uint32_t i = 0; i < y->n_receive_due; i++)
        t = y->receive_due[i] < t ? y->receive_due[i] : t;
    for (uint32_t i = 0; i < y->w.others; i++)
        t = y->other[i] < t ? y->other[i] : t;
    return y->rate.line && y->rate.raise_at < t ? y->rate.raise_at : t;
}

static void run(struct sim *y)
{
    for (uint32_t i = 0; i < y->w.receives; i++)
        pair_post_recv(y->p, 1, 0, REGION / 2, REGION / 4);
    for (uint32_t i = 0; i < (y->w.every ? 1 : y->w.depth); i++)
        plan(y, 0);
    for (uint32_t turn = 0; turn < MOST_TURNS && y->completed < MESSAGES; turn++) {
        work(y);
        others(y);
        if (y->rate.line)
            speed_up(y);
        cr_assert(pair_run(y->p, y->p->now));
        look(y);
        const iba_time t = next_event(y);
        if (t == IBA_NEVER)
            break;
        pass(y, t > y->p->now ? t : y->p->now + 1);
        look(y);
    }
}

/* ---- the networks ---- */

static uint64_t between(struct sim *y, uint64_t least, uint64_t most)
{
    return least + iba_random_below(&y->random, most - least + 1);
}

/* Sets up the network of a closed loop that shares it: bursts of other senders in one queue, or marks. */
static void share_network(struct sim *y, struct work *w, uint64_t round)
{
    if (y->load == PERF_LOAD_INCAST) {
        w->op = iba_random_below(&y->random, 2) ? IBA_WR_WRITE : IBA_WR_SEND;
        w->bytes = (uint32_t)between(y, 1, 1024);
        w->out_spacing = between(y, 100, 900);
        w->depth = (uint32_t)between(y, 1, round / w->out_spacing / 2 + 1); /* its own packets fill no queue */
        w->depth = w->depth < 8 ? w->depth : 8;
        w->others = (uint32_t)between(y, 4, MOST_OTHERS);
        w->burst = between(y, 5, 40) * round;
        w->rest = between(y, 2, 20) * round;
    } else {
        w->op = IBA_WR_WRITE;
        w->depth = (uint32_t)between(y, 3, 10);
        w->bytes = 8192;
        w->delay = between(y, 1, 10) * US;
        w->mark = (uint32_t)between(y, 1000, 30000);
    }
}

static struct work work_of(struct sim *y)
{
    static const uint8_t ops[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_READ};
    const uint64_t delay = between(y, 1, 20) * US;
    struct work w = {.op = ops[iba_random_below(&y->random, 3)],
                     .bytes = (uint32_t)between(y, 1, 8192),
                     .depth = 1,
                     .react = between(y, 100, 1500),
                     .receives = DEEPEST,
                     .delay = delay,
                     .spacing = 100};
    const uint64_t round = 2 * delay;

    switch (y->load) {
    case PERF_LOAD_ONE: break;
    case PERF_LOAD_MANY:
        w.depth = (uint32_t)between(y, 2, 12);
        w.op = ops[iba_random_below(&y->random, 2)]; /* the READ depth is a load of its own */
        break;
    case PERF_LOAD_DEPTH:
        w.depth = 16;
        w.op = IBA_WR_READ;
        break;
    case PERF_LOAD_CREDIT:
        w.op = IBA_WR_SEND;
        w.depth = 24;
        w.receives = (uint32_t)between(y, 1, 6);
        w.bytes = (uint32_t)between(y, 1500, 8192);
        break;
    case PERF_LOAD_UNREADY:
        w.op = IBA_WR_SEND;
        w.depth = (uint32_t)between(y, 1, 4);
        w.receives = (uint32_t)between(y, 1, 2);
        w.repost = between(y, 2, 20) * round;
        break;
    case PERF_LOAD_THINK: w.think = between(y, 1, 30) * round; break;
    case PERF_LOAD_RANDOM:
        w.every = between(y, round / 3, 4 * round);
        w.depth = DEEPEST;
        break;
    case PERF_LOAD_LOSSY:
        w.lose = (uint32_t)between(y, 5000, 40000);
        w.depth = (uint32_t)between(y, 1, 4);
        break;
    case PERF_LOAD_INCAST:
    case PERF_LOAD_MARKED: share_network(y, &w, round); break;
    case PERF_LOAD_CLOCK:
        w.every = between(y, round / 8, round * 3 / 4) + 1200;
        w.clocked = true;
        w.depth = DEEPEST;
        w.bytes = (uint32_t)between(y, 1, 1024);
        break;
    default:
        w.op = IBA_WR_WRITE;
        w.depth = DEEPEST;
        w.bytes = 8192;
        w.delay = between(y, 1, 10) * US;
        break;
    }
    return w;
}

/* Returns how long packets with 1024 bytes of payload take on the port. */
static uint64_t spacing_of(enum perf_load load, uint64_t seed)
{
    static const uint64_t port[] = {10, 25, 40}, limiter[] = {3, 7, 13};
    enum { WIRE = 1024 + 14 + 20 + 8 + 12 + 4 + 24 };
    const uint64_t gigabit = (load == PERF_LOAD_LIMITER ? limiter : port)[seed % 3];

    return load >= PERF_LOAD_PORT ? WIRE * 8 / gigabit : 100;
}

void perf_play(struct perf_outcome *r, enum perf_load load, uint64_t seed, bool far)
{
    static struct sim y;
    const struct iba_net_faults none = {0};
    struct pair_config c = pair_config_of(seed, REGION, &none);

    memset(&y, 0, offsetof(struct sim, caught));
    iba_random_seed(&y.random, seed * PERF_LOAD_COUNT + (uint64_t)load);
    y.load = load;
    y.far = far;
    y.w = work_of(&y);
    y.w.spacing = spacing_of(load, seed);
    c.kind = IBA_PORT_ROCE2;
    c.v6 = false;
    c.mtu = IBA_MTU_1024;
    c.timeout = 8; /* 1 ms */
    c.rd_depth = load == PERF_LOAD_DEPTH ? (uint8_t)between(&y, 1, 4) : PAIR_SAVED;
    y.rate.line = load == PERF_LOAD_MARKED ? y.w.spacing : 0;
    y.rate.now = y.rate.target = 1000;
    y.rate.alpha = 1;
    y.rate.raise_at = IBA_NEVER;
    c.faults = (struct iba_net_faults){.lose = y.w.lose,
                                       .ecn_mark = y.w.mark,
                                       .delay_ns = y.w.delay,
                                       .spacing_ns = y.w.out_spacing ? y.w.out_spacing : y.w.spacing,
                                       .jitter_ns = y.rate.line        ? 50
                                                    : y.w.spacing > 50 ? y.w.spacing - 50
                                                                       : 0};
    y.p = pair_open(&c);
    y.p->tap = tap;
    y.p->tap_ctx = &y;
    for (unsigned i = 0; i < 2; i++) {
        iba_ca_port(&y.p->end[i].ca, 1)->congestion = load == PERF_LOAD_MARKED;
        y.p->end[i].qp.attr.flow_control = true;
        y.p->end[i].qp.s.unlimited = false;
    }
    run(&y);
    judge_capture(&y, r);
    memcpy(r->truth, y.truth, sizeof r->truth);
    r->truth_life = 0;
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++)
        r->truth_life += y.truth[i];
    pair_close(y.p);
}
