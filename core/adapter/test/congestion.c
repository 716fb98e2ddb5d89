/* SPDX-License-Identifier: BSD-2-Clause */
/* Reaction to congestion (RO-44, RO-45, WF-83): a flow slows down after a notification, its rate recovers, other flows
 * keep theirs, and two flows that share a link come to equal shares. */
#include <criterion/criterion.h>
#include "lab.h"
#include "sim/iba_random.h"
#include "transport/iba_dcqcn.h"
#include "wire/iba_build.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode.h"

#define LINE UINT64_C(10000000000) /* bit/s */
#define MESSAGE 16384u

enum { FLOWS = 16, QUEUE_MOST = 1 << 20 };

struct bed {
    struct lab *l;
    uint32_t a, b, a2, b2;
    struct iba_dcqcn d;
    struct iba_dcqcn_flow flow[FLOWS];
};

static void open_bed(struct bed *t, enum iba_port_kind kind)
{
    const struct iba_dcqcn_config c = iba_dcqcn_defaults(LINE);

    t->l = lab_open(kind, 2);
    t->a = lab_qp(t->l, 0, IBA_QPT_RC, IBA_NONE);
    t->b = lab_qp(t->l, 1, IBA_QPT_RC, IBA_NONE);
    t->a2 = lab_qp(t->l, 0, IBA_QPT_RC, IBA_NONE);
    t->b2 = lab_qp(t->l, 1, IBA_QPT_RC, IBA_NONE);
    lab_connect(t->l, 0, t->a, 1, t->b, lab_attr());
    lab_connect(t->l, 0, t->a2, 1, t->b2, lab_attr());
    iba_ca_port(&t->l->end[0].ca, 1)->congestion = true;
    iba_dcqcn_init(&t->d, &c, t->flow, FLOWS);
    t->l->end[0].ca.limiter = &t->d.limiter;
}

/* Sends a WRITE to end 1, or a READ from it, and returns how long the operation took. */
static iba_time take(struct bed *t, unsigned end, uint32_t qpn, uint8_t op)
{
    const iba_time from = t->l->now;
    iba_time last;
    const struct iba_send_wr wr = {.wr_id = 1, .op = op, .va = LAB_VA + 2 * MESSAGE, .rkey = t->l->end[1 - end].rkey};

    lab_forget(t->l);
    cr_assert_eq(lab_send(t->l, end, qpn, wr, 0, MESSAGE), IBA_VERB_OK);
    lab_run(t->l, from + LAB_MS);
    (void)lab_done(t->l, end, 1, IBA_WC_SUCCESS);
    last = t->l->seen[t->l->n_seen - 1].at;
    return last - from;
}

static void notify(struct bed *t, uint32_t qpn)
{
    t->d.limiter.notified(t->d.limiter.ctx, qpn, t->l->now);
}

Test(congestion, a_notified_flow_slows_down_and_comes_back)
{
    struct bed t;
    iba_time before, after;

    open_bed(&t, IBA_PORT_ROCE2);
    before = take(&t, 0, t.a, IBA_WR_WRITE);
    notify(&t, t.a);
    cr_assert_eq(iba_dcqcn_rate(&t.d, t.a, t.l->now), LINE / 2); /* alpha is 1 */
    after = take(&t, 0, t.a, IBA_WR_WRITE);
    cr_expect_eq(before, 0);
    cr_expect_gt(after, MESSAGE * 8u * 10 / 9 / 10); /* ns: at most nine tenths of the line rate */
    lab_run(t.l, t.l->now + LAB_SECOND);
    cr_expect_eq(iba_dcqcn_rate(&t.d, t.a, t.l->now), LINE);
    cr_expect_eq(take(&t, 0, t.a, IBA_WR_WRITE), 0);
    lab_close(t.l);
}

/* QP1's number selects the limiter slot of another flow; that flow stays slowed down, and QP1 is not limited. */
Test(congestion, management_is_not_limited)
{
    struct bed t;
    uint32_t gsi, peer, in_its_slot;

    open_bed(&t, IBA_PORT_ROCE2);
    gsi = lab_qp(t.l, 0, IBA_QPT_GSI, IBA_NONE);
    peer = lab_qp(t.l, 1, IBA_QPT_GSI, IBA_NONE);
    lab_ready(t.l, 0, gsi, lab_attr());
    lab_ready(t.l, 1, peer, lab_attr());
    in_its_slot = FLOWS + gsi;
    notify(&t, in_its_slot);
    const struct iba_send_wr wr = {
        .wr_id = 1, .op = IBA_WR_SEND, .ah = lab_ah(t.l, 0, 1, true), .remote_qpn = 1, .remote_qkey = IBA_GSI_QKEY};
    cr_assert_eq(lab_send(t.l, 0, gsi, wr, 0, 256), IBA_VERB_OK);
    lab_run(t.l, t.l->now);
    cr_expect_gt(t.l->n_seen, 0, "sent at once");
    cr_expect_eq(iba_dcqcn_rate(&t.d, in_its_slot, t.l->now), LINE / 2);
    lab_close(t.l);
}

Test(congestion, other_flows_keep_their_rate)
{
    struct bed t;

    open_bed(&t, IBA_PORT_ROCE2);
    notify(&t, t.a);
    cr_expect_eq(take(&t, 0, t.a2, IBA_WR_WRITE), 0);
    cr_expect_gt(take(&t, 0, t.a, IBA_WR_WRITE), 0);
    lab_close(t.l);
}

Test(congestion, responses_of_a_read_are_of_the_flow)
{
    struct bed t;

    open_bed(&t, IBA_PORT_ROCE2);
    cr_expect_eq(take(&t, 1, t.b, IBA_WR_READ), 0);
    notify(&t, t.a);
    cr_expect_gt(take(&t, 1, t.b, IBA_WR_READ), 0);
    lab_close(t.l);
}

/* Sets a mark on the first packet that end 0 sends: CE on RoCEv2, FECN on InfiniBand. */
static bool mark_first(struct lab *l, unsigned from, uint8_t *frame, struct iba_view *v)
{
    if (from != 0 || l->tapped++ > 0)
        return true;
    if (l->kind == IBA_PORT_ROCE2)
        iba_ipv4_set_ecn(frame + v->l3_at, 3);
    else
        iba_bth_set_fecn(frame + v->bth_at, 1);
    iba_view_repair_crc(v, frame);
    return true;
}

static void mark_slows(enum iba_port_kind kind)
{
    struct bed t;

    open_bed(&t, kind);
    iba_ca_port(&t.l->end[1].ca, 1)->congestion = true;
    t.l->tap = mark_first;
    (void)take(&t, 0, t.a, IBA_WR_WRITE);
    cr_expect_eq(t.l->tapped > 0, true);
    cr_expect_eq(t.flow[t.a % FLOWS].limited || t.flow[t.a % FLOWS].reduced_at > 0, true);
    lab_close(t.l);
}

Test(congestion, a_mark_comes_back_and_slows_the_sender)
{
    mark_slows(IBA_PORT_ROCE2);
    mark_slows(IBA_PORT_IB);
}

/* ---- the curve ---- */

Test(congestion, steps_are_those_of_the_algorithm)
{
    struct iba_dcqcn d;
    struct iba_dcqcn_flow flow[1];
    const struct iba_dcqcn_config c = iba_dcqcn_defaults(LINE);
    iba_time now = 1000;

    iba_dcqcn_init(&d, &c, flow, 1);
    d.limiter.notified(&d, 0, now);
    cr_expect_eq(iba_dcqcn_rate(&d, 0, now), LINE / 2);
    d.limiter.notified(&d, 0, now + c.rate_reduce_monitor_period_ns - 1); /* too soon */
    cr_expect_eq(iba_dcqcn_rate(&d, 0, now + c.time_reset_ns - 1), LINE / 2);
    now += c.rate_reduce_monitor_period_ns;
    d.limiter.notified(&d, 0, now); /* the target is now half of the line rate */
    cr_expect_eq(iba_dcqcn_rate(&d, 0, now), LINE / 4);
    now += c.time_reset_ns;
    cr_expect_eq(iba_dcqcn_rate(&d, 0, now), LINE * 3 / 8);
    now += 4 * c.time_reset_ns; /* the fifth step of fast recovery */
    cr_expect_lt(iba_dcqcn_rate(&d, 0, now), LINE / 2);
    cr_expect_eq(flow[0].target, LINE / 2);
    now += c.time_reset_ns; /* additive increase */
    cr_expect_lt(iba_dcqcn_rate(&d, 0, now), LINE / 2 + c.ai_rate);
    cr_expect_eq(flow[0].target, LINE / 2 + c.ai_rate);
    flow[0].byte_steps = c.threshold + 1; /* hyper increase */
    now += c.time_reset_ns;
    (void)iba_dcqcn_rate(&d, 0, now);
    cr_expect_eq(flow[0].target, LINE / 2 + c.ai_rate + c.hai_rate);
    cr_expect_eq(iba_dcqcn_rate(&d, 0, now + LAB_SECOND), LINE);
}

/* Two flows share a link of the line rate. Its queue marks packets with a probability that grows from 0 at 5 kB to 1 %
 * at 200 kB, and all of them above (the paper's section 5). The second flow begins late, and ends early. */
Test(congestion, two_flows_come_to_equal_shares)
{
    enum { FRAME = 1082, K_MIN = 5000, K_MAX = 200000, MS = 1000000, BEGIN = 20 * MS, FAIR = 120 * MS, END = 200 * MS };
    struct iba_dcqcn d;
    struct iba_dcqcn_flow flow[2];
    const struct iba_dcqcn_config c = iba_dcqcn_defaults(LINE);
    struct iba_random random;
    uint64_t bytes[2] = {0}, queue = 0;
    const iba_time wire = FRAME * 8 * UINT64_C(1000000000) / LINE;
    iba_time free_at[2] = {0, BEGIN};

    iba_dcqcn_init(&d, &c, flow, 2);
    iba_random_seed(&random, 1);
    for (iba_time now = 0; now < END; now += wire) { /* the link sends one frame in each step */
        queue -= queue < FRAME ? queue : FRAME;
        for (uint32_t i = 0; i < 2; i++) {
            if (free_at[i] > now || d.limiter.due(&d, i, now) > now)
                continue;
            free_at[i] = now + wire;
            d.limiter.sent(&d, i, FRAME, now);
            queue += queue < QUEUE_MOST ? FRAME : 0;
            bytes[i] += now >= FAIR ? FRAME : 0;
            if (queue > K_MAX || (queue > K_MIN && iba_random_below(&random, (K_MAX - K_MIN) * 100) < queue - K_MIN))
                d.limiter.notified(&d, i, now);
        }
    }
    cr_expect_lt(bytes[0] * 10, bytes[1] * 11, "%lu %lu", (unsigned long)bytes[0], (unsigned long)bytes[1]);
    cr_expect_lt(bytes[1] * 10, bytes[0] * 11, "%lu %lu", (unsigned long)bytes[0], (unsigned long)bytes[1]);
    cr_expect_gt((bytes[0] + bytes[1]) * 8 * 1000 / ((END - FAIR) / MS), LINE * 8 / 10);
    cr_expect_eq(iba_dcqcn_rate(&d, 0, END + LAB_SECOND), LINE);
}

/* ---- whose turn the limiter decides ---- */

enum { HELD = 5000 };

static iba_time held_until(void *ctx, uint32_t qpn, iba_time now)
{
    (void)ctx;
    (void)qpn;
    (void)now;
    return HELD;
}

static iba_time no_wait(void *ctx, uint32_t qpn, iba_time now)
{
    (void)ctx;
    (void)qpn;
    return now;
}

/* If a request or a READ response is the next packet, the adapter waits for the limiter. It does not wait before a CNP,
 * an ACK or an ATOMIC's response. */
Test(congestion, only_data_waits)
{
    static struct iba_qp qp;
    struct iba_qp *slot[] = {&qp};
    const struct iba_limiter limiter = {.due = held_until};
    struct iba_ca ca = {.qp = slot, .n_qp = 1, .limiter = &limiter};
    static const uint8_t kinds[] = {IBA_RESP_READ, IBA_RESP_ACK};

    for (unsigned k = 0; k < 64; k++) {
        const bool cnp = k & 1, response = k & 2, request = k & 4, is_read = !(k & 8), managed = k & 16, over = k & 32;
        memset(&qp, 0, sizeof qp);
        qp.type = managed ? IBA_QPT_GSI : IBA_QPT_RC;
        qp.s.ack_due = qp.s.rnr_due = qp.s.page_due = IBA_NEVER;
        qp.cnp_due = cnp;
        qp.r.resp_count = response;
        qp.r.resp[0].kind = kinds[!is_read];
        qp.s.count = request;
        ca.now = over ? HELD : HELD - 1;
        cr_expect_eq(iba_ca_deadline(&ca),
                     !managed && !over && (request || (!cnp && response && is_read)) ? HELD : IBA_NEVER, "case %u", k);
    }
}

static unsigned started_flows;
static uint32_t started;

static void start(void *ctx, uint32_t qpn)
{
    (void)ctx;
    started = qpn;
    started_flows++;
}

/* Each time a QP becomes able to send, a new flow begins: a QP that comes back from Reset does not keep its old
 * rate. */
Test(congestion, each_life_of_a_qp_begins_a_flow)
{
    const struct iba_limiter limiter = {.start = start, .due = no_wait};
    const struct iba_qp_attr reset = {.state = IBA_QPS_RESET};
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    const uint32_t a = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE), b = lab_qp(l, 1, IBA_QPT_RC, IBA_NONE);

    l->end[0].ca.limiter = &limiter;
    for (unsigned life = 1; life < 4; life++) {
        lab_connect(l, 0, a, 1, b, lab_attr());
        cr_expect_eq(started_flows, life);
        cr_expect_eq(started, a);
        cr_assert_eq(iba_modify_qp(&l->end[0].ca, a, &reset, IBA_QPA_STATE), IBA_VERB_OK);
        cr_assert_eq(iba_modify_qp(&l->end[1].ca, b, &reset, IBA_QPA_STATE), IBA_VERB_OK);
    }
}
