/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams and congestion marks, one directed case at a time. */
#include <criterion/criterion.h>
#include <string.h>
#include "lab.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { SMALL = 64, AT = LAB_BYTES / 2, WR = 1, RECEIVE = 2, GRH = 40, CE = 3 };

struct pair_of {
    struct lab *l;
    uint32_t a, b;
};

static struct pair_of meet(enum iba_port_kind kind, enum iba_qp_type type, struct iba_qp_attr attr)
{
    struct pair_of t = {.l = lab_open(kind, 2)};

    t.a = lab_qp(t.l, 0, type, IBA_NONE);
    t.b = lab_qp(t.l, 1, type, IBA_NONE);
    if (type == IBA_QPT_UD) {
        lab_ready(t.l, 0, t.a, attr);
        lab_ready(t.l, 1, t.b, attr);
    } else {
        lab_connect(t.l, 0, t.a, 1, t.b, attr);
    }
    return t;
}

static void say(const struct pair_of *t, bool grh, uint32_t qkey)
{
    const struct iba_send_wr wr = {
        .wr_id = WR, .op = IBA_WR_SEND, .ah = lab_ah(t->l, 0, 1, grh), .remote_qpn = t->b, .remote_qkey = qkey};

    lab_recv(t->l, 1, t->b, RECEIVE, AT, SMALL + GRH);
    cr_assert_eq(lab_send(t->l, 0, t->a, wr, 0, SMALL), IBA_VERB_OK);
    lab_settle(t->l);
    (void)lab_done(t->l, 0, WR, IBA_WC_SUCCESS); /* sent; the sender cannot know more (UU-13) */
}

Test(ud, without_a_grh_its_place_is_kept)
{
    struct pair_of t = meet(IBA_PORT_IB, IBA_QPT_UD, lab_attr());
    uint8_t before[GRH];
    struct iba_wc wc;

    memcpy(before, lab_memory(t.l, 1) + AT, GRH);
    say(&t, false, LAB_QKEY);
    wc = lab_done(t.l, 1, RECEIVE, IBA_WC_SUCCESS);
    cr_assert_eq(wc.byte_len, SMALL + GRH);
    cr_assert_eq(wc.flags, 0);
    cr_assert(wc.src_qpn == t.a && wc.slid == 1);
    cr_assert_eq(memcmp(before, lab_memory(t.l, 1) + AT, GRH), 0);
    cr_assert_eq(memcmp(lab_memory(t.l, 0), lab_memory(t.l, 1) + AT + GRH, SMALL), 0);
    lab_close(t.l);
}

Test(ud, a_grh_is_delivered_before_the_data)
{
    struct pair_of t = meet(IBA_PORT_IB, IBA_QPT_UD, lab_attr());
    const uint8_t *grh = lab_memory(t.l, 1) + AT;

    say(&t, true, LAB_QKEY);
    cr_assert_eq(lab_done(t.l, 1, RECEIVE, IBA_WC_SUCCESS).flags, IBA_WC_GRH);
    cr_assert_eq(memcmp(iba_grh_sgid(grh), iba_ca_port(&t.l->end[0].ca, 1)->gid[0], 16), 0);
    cr_assert_eq(memcmp(iba_grh_dgid(grh), iba_ca_port(&t.l->end[1].ca, 1)->gid[0], 16), 0);
    cr_assert_eq(memcmp(lab_memory(t.l, 0), grh + GRH, SMALL), 0);
    lab_close(t.l);
}

Test(ud, a_wrong_qkey_is_counted_and_dropped)
{
    struct pair_of t = meet(IBA_PORT_IB, IBA_QPT_UD, lab_attr());

    say(&t, false, LAB_QKEY + 1);
    lab_no_wc(t.l, 1);
    cr_assert_eq(iba_ca_port(&t.l->end[1].ca, 1)->counters.qkey_violations, 1);
    cr_assert_eq(lab_events(t.l, 1, IBA_EVENT_QKEY_VIOLATION), 1);
    cr_assert_eq(lab_state(t.l, 1, t.b), IBA_QPS_RTS);
    lab_close(t.l);
}

/* PV-21: if a work request names a controlled Q_Key, the packet has the QP's own Q_Key. */
Test(ud, a_controlled_qkey_is_replaced_by_the_own)
{
    struct pair_of t = meet(IBA_PORT_IB, IBA_QPT_UD, lab_attr());

    say(&t, false, 0x80000000u);
    (void)lab_done(t.l, 1, RECEIVE, IBA_WC_SUCCESS);
    lab_close(t.l);
}

/* ---- congestion ---- */

static bool mark(struct lab *l, unsigned from, uint8_t *frame, struct iba_view *v)
{
    if (from != 0)
        return true;
    if (l->kind == IBA_PORT_IB)
        iba_bth_set_fecn(frame + v->bth_at, 1);
    else
        iba_ipv4_set_ecn(frame + v->l3_at, CE);
    iba_view_repair_crc(v, frame);
    return true;
}

static struct pair_of meet_congested(enum iba_port_kind kind, enum iba_qp_type type)
{
    struct pair_of t = meet(kind, type, lab_attr());
    const struct iba_send_wr wr = {.wr_id = WR, .op = IBA_WR_SEND};

    iba_ca_port(&t.l->end[0].ca, 1)->congestion = iba_ca_port(&t.l->end[1].ca, 1)->congestion = true;
    t.l->tap = mark;
    lab_recv(t.l, 1, t.b, RECEIVE, AT, SMALL);
    cr_assert_eq(lab_send(t.l, 0, t.a, wr, 0, SMALL), IBA_VERB_OK);
    lab_settle(t.l);
    (void)lab_done(t.l, 0, WR, IBA_WC_SUCCESS);
    (void)lab_done(t.l, 1, RECEIVE, IBA_WC_SUCCESS);
    return t;
}

Test(ud, a_ce_mark_is_answered_by_a_cnp)
{
    struct pair_of t = meet_congested(IBA_PORT_ROCE2, IBA_QPT_RC);

    cr_assert_eq(lab_count(t.l, IBA_CNP_ROCE), 1);
    cr_assert_eq(lab_find(t.l, IBA_CNP_ROCE, 0)->psn, 0);
    cr_assert_eq(iba_ca_port(&t.l->end[0].ca, 1)->counters.cnp_in, 1);
    cr_assert_eq(iba_ca_port(&t.l->end[1].ca, 1)->counters.ecn_ce_in, 1);
    lab_close(t.l);
}

Test(ud, a_fecn_mark_comes_back_as_becn_in_the_ack)
{
    struct pair_of t = meet_congested(IBA_PORT_IB, IBA_QPT_RC);

    cr_assert_eq(lab_count(t.l, IBA_CNP_IB), 0);
    cr_assert(lab_find(t.l, IBA_RC_ACKNOWLEDGE, 0)->becn);
    cr_assert_eq(iba_ca_port(&t.l->end[0].ca, 1)->counters.becn_in, 1);
    lab_close(t.l);
}

Test(ud, where_no_ack_goes_back_becn_takes_a_cnp)
{
    struct pair_of t = meet_congested(IBA_PORT_IB, IBA_QPT_UC);

    cr_assert_eq(lab_count(t.l, IBA_CNP_IB), 1);
    cr_assert(lab_find(t.l, IBA_CNP_IB, 0)->becn);
    lab_close(t.l);
}

/* The answer goes to the source that the marked datagram itself names, since a UD QP knows no peer (RO-41, WF-81). */
Test(ud, a_marked_datagram_is_answered_by_a_cnp_to_its_source)
{
    static const struct {
        enum iba_port_kind kind;
        bool grh;
        uint8_t opcode;
    } rows[] = {
        {IBA_PORT_ROCE2, true, IBA_CNP_ROCE}, {IBA_PORT_IB, false, IBA_CNP_IB}, {IBA_PORT_IB, true, IBA_CNP_IB}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair_of t = meet(rows[i].kind, IBA_QPT_UD, lab_attr());
        iba_ca_port(&t.l->end[0].ca, 1)->congestion = iba_ca_port(&t.l->end[1].ca, 1)->congestion = true;
        t.l->tap = mark;
        say(&t, rows[i].grh, LAB_QKEY);
        (void)lab_done(t.l, 1, RECEIVE, IBA_WC_SUCCESS);
        cr_assert_eq(lab_count(t.l, rows[i].opcode), 1, "row %zu", i);
        cr_assert_eq(iba_ca_port(&t.l->end[0].ca, 1)->counters.cnp_in, 1, "row %zu", i);
        lab_close(t.l);
    }
}
