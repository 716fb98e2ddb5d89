/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions over live adapters: the worked example of the source text, the membership rule, changes under traffic. */
#include <criterion/criterion.h>
#include "lab.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_build.h"

enum { A, B, C, D, ENDS };
enum { SMALL = 64, AT = LAB_BYTES / 2, WR = 1, RECEIVE = 2 };

static void set_key(struct lab *l, unsigned end, uint8_t index, uint16_t key)
{
    cr_assert_eq(iba_set_pkey(&l->end[end].ca, 1, index, key), IBA_VERB_OK);
}

static uint16_t violations(struct lab *l, unsigned end)
{
    return iba_ca_port(&l->end[end].ca, 1)->counters.pkey_violations;
}

struct talk { /* two QPs that try to communicate */
    uint32_t from, to;
};

static struct talk introduce(struct lab *l, unsigned i, unsigned k, enum iba_qp_type type, struct iba_qp_attr attr)
{
    const struct talk t = {lab_qp(l, i, type, IBA_NONE), lab_qp(l, k, type, IBA_NONE)};

    if (type == IBA_QPT_RC) {
        lab_connect(l, i, t.from, k, t.to, attr);
    } else {
        lab_ready(l, i, t.from, attr);
        lab_ready(l, k, t.to, attr);
    }
    return t;
}

/* Sends one SEND, and returns whether the peer received it. */
static bool says(struct lab *l, unsigned i, unsigned k, const struct talk *t, uint32_t ah)
{
    const uint32_t grh = iba_query_qp(&l->end[k].ca, t->to)->type == IBA_QPT_RC ? 0 : 40;
    const struct iba_send_wr wr = {
        .wr_id = WR, .op = IBA_WR_SEND, .ah = ah, .remote_qpn = t->to, .remote_qkey = LAB_QKEY};
    struct iba_wc wc;

    lab_recv(l, k, t->to, RECEIVE, AT, SMALL + grh);
    cr_assert_eq(lab_send(l, i, t->from, wr, 0, SMALL), IBA_VERB_OK);
    lab_run(l, l->now + 10 * LAB_SECOND);
    (void)lab_wc(l, i);
    return iba_poll_cq(&l->end[k].ca, l->end[k].cqn, &wc) && wc.status == IBA_WC_SUCCESS;
}

static bool rc_reaches(struct lab *l, unsigned i, unsigned k)
{
    struct iba_qp_attr attr = lab_attr();

    attr.retry = 1;
    const struct talk t = introduce(l, i, k, IBA_QPT_RC, attr);
    const bool heard = says(l, i, k, &t, 0);
    cr_assert_eq(lab_state(l, k, t.to), IBA_QPS_RTS, "a packet of another partition changes nothing");
    (void)iba_destroy_qp(&l->end[i].ca, t.from), (void)iba_destroy_qp(&l->end[k].ca, t.to);
    l->end[i].n_qp--, l->end[k].n_qp--;
    return heard;
}

static bool ud_reaches(struct lab *l, unsigned i, unsigned k)
{
    const struct talk t = introduce(l, i, k, IBA_QPT_UD, lab_attr());
    const uint32_t ah = lab_ah(l, i, k, false);
    const bool heard = says(l, i, k, &t, ah);

    (void)iba_destroy_ah(&l->end[i].ca, ah);
    (void)iba_destroy_qp(&l->end[i].ca, t.from), (void)iba_destroy_qp(&l->end[k].ca, t.to);
    l->end[i].n_qp--, l->end[k].n_qp--;
    return heard;
}

static bool can_communicate(struct lab *l, unsigned i, unsigned k)
{
    const bool heard = rc_reaches(l, i, k);

    cr_assert_eq(ud_reaches(l, i, k), heard, "RC and UD disagree about %u and %u", i, k);
    return heard;
}

/* "A has P_Key 0x8001, B and C have 0x0001, D has 0x8002" */
static struct lab *worked_example(enum iba_port_kind kind)
{
    struct lab *l = lab_open(kind, ENDS);

    set_key(l, A, 0, 0x8001);
    set_key(l, B, 0, 0x0001);
    set_key(l, C, 0, 0x0001);
    set_key(l, D, 0, 0x8002);
    return l;
}

static void check_worked_example(enum iba_port_kind kind)
{
    struct lab *l = worked_example(kind);

    cr_assert(can_communicate(l, A, B), "A and B: A is a full member");
    cr_assert(can_communicate(l, B, A));
    cr_assert(can_communicate(l, A, C), "A and C: A is a full member");
    cr_assert(can_communicate(l, C, A));
    cr_assert_not(can_communicate(l, B, C), "B and C: both are limited members");
    cr_assert_not(can_communicate(l, C, B));
    for (unsigned other = A; other < D; other++) {
        cr_assert_not(can_communicate(l, D, other), "D is in another partition");
        cr_assert_not(can_communicate(l, other, D));
    }
    lab_close(l);
}

Test(pkey, the_worked_example_over_infiniband)
{
    check_worked_example(IBA_PORT_IB);
}
Test(pkey, the_worked_example_over_rocev1)
{
    check_worked_example(IBA_PORT_ROCE1);
}
Test(pkey, the_worked_example_over_rocev2)
{
    check_worked_example(IBA_PORT_ROCE2);
}

/* match = same low 15 bits and at least one full member; a low part of 0 is invalid (PV-09, PV-10) */
Test(pkey, every_pair_of_memberships)
{
    static const uint16_t key[] = {0xffff, 0x7fff, 0x8001, 0x0001, 0x8002, 0x0002, 0xfffe, 0x7ffe, 0x8000, 0x0000};
    enum { N = sizeof key / sizeof *key };
    struct lab *l = lab_open(IBA_PORT_IB, 2);

    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < N; k++) {
            const bool same = (key[i] & 0x7fff) == (key[k] & 0x7fff) && (key[i] & 0x7fff) != 0;
            const bool full = (key[i] | key[k]) & 0x8000;
            set_key(l, A, 0, key[i]);
            set_key(l, B, 0, key[k]);
            cr_assert_eq(ud_reaches(l, A, B), same && full, "%04x to %04x", key[i], key[k]);
        }
    lab_close(l);
}

/* QS-79: a new P_Key is in force from the next packet on, for existing connections too. */
Test(pkey, a_key_that_changes_under_traffic)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const struct talk t = introduce(l, A, B, IBA_QPT_UD, lab_attr());
    const uint32_t ah = lab_ah(l, A, B, false);
    const struct iba_event *e;

    cr_assert(says(l, A, B, &t, ah));
    cr_assert_eq(violations(l, B), 0);
    set_key(l, B, 0, 0x8123);
    cr_assert_eq(lab_events(l, B, IBA_EVENT_PKEY_CHANGE), 1);
    set_key(l, B, 0, 0x8123); /* not a change */
    cr_assert_eq(lab_events(l, B, IBA_EVENT_PKEY_CHANGE), 1);
    cr_assert_not(says(l, A, B, &t, ah));
    cr_assert_eq(violations(l, B), 1);
    cr_assert_eq(lab_events(l, B, IBA_EVENT_PKEY_VIOLATION), 1);
    e = &l->end[B].event[l->end[B].n_event - 1];
    cr_assert_eq(e->a, 0xffff);
    cr_assert_eq(e->b, t.from);
    set_key(l, A, 0, 0x8123); /* the sender follows */
    lab_forget(l);
    cr_assert(says(l, A, B, &t, ah));
    cr_assert_eq(l->seen[0].pkey, 0x8123);
    lab_close(l);
}

Test(pkey, a_connection_survives_a_key_that_comes_back_in_time)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const struct talk t = introduce(l, A, B, IBA_QPT_RC, lab_attr());
    const struct iba_send_wr wr = {.wr_id = WR, .op = IBA_WR_WRITE, .va = LAB_VA, .rkey = l->end[B].rkey};

    set_key(l, B, 0, 0x8123);
    cr_assert_eq(lab_send(l, A, t.from, wr, 0, SMALL), IBA_VERB_OK);
    lab_run(l, LAB_MS);
    lab_no_wc(l, A);
    set_key(l, B, 0, 0xffff);
    lab_run(l, LAB_SECOND);
    (void)lab_done(l, A, WR, IBA_WC_SUCCESS);
    cr_assert_eq(violations(l, B), 1);
    lab_close(l);
}

Test(pkey, the_violation_counter_stops_at_its_end)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);

    iba_ca_port(&l->end[B].ca, 1)->counters.pkey_violations = 0xfffe;
    set_key(l, B, 0, 0x8123);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_not(ud_reaches(l, A, B));
    cr_assert_eq(violations(l, B), 0xffff);
    lab_close(l);
}

/* Only the value at the QP's index matters, not the index, and not the other entries. */
Test(pkey, each_qp_has_its_own_index)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    struct iba_qp_attr second = lab_attr();
    uint32_t a, b;

    second.pkey_index = 2;
    set_key(l, A, 1, 0x8005);
    set_key(l, B, 2, 0x8005);
    a = lab_qp(l, A, IBA_QPT_UD, IBA_NONE);
    b = lab_qp(l, B, IBA_QPT_UD, IBA_NONE);
    lab_ready(l, B, b, second);
    second.pkey_index = 1;
    lab_ready(l, A, a, second);
    const uint32_t ah = lab_ah(l, A, B, false);
    cr_assert(says(l, A, B, &(struct talk){a, b}, ah), "0x8005 at index 1 here, at index 2 there");
    const uint32_t other = lab_qp(l, A, IBA_QPT_UD, IBA_NONE);
    lab_ready(l, A, other, lab_attr());
    cr_assert_not(says(l, A, B, &(struct talk){other, b}, ah), "0xffff is in the table, but not at the QP's index");
    lab_close(l);
}

/* A port may be a full and a limited member of one partition; the index of a QP decides which it is. */
Test(pkey, one_partition_both_full_and_limited)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    struct iba_qp_attr limited = lab_attr();

    limited.pkey_index = 1;
    for (unsigned i = A; i <= B; i++) {
        set_key(l, i, 0, 0x8001);
        set_key(l, i, 1, 0x0001);
    }
    const struct talk poor = introduce(l, A, B, IBA_QPT_UD, limited), rich = introduce(l, A, B, IBA_QPT_UD, lab_attr());
    const uint32_t ah = lab_ah(l, A, B, false);
    cr_assert_not(says(l, A, B, &poor, ah));
    cr_assert(says(l, A, B, &rich, ah));
    cr_assert(says(l, A, B, &(struct talk){poor.from, rich.to}, ah));
    lab_close(l);
}

/* ---- the special QPs ---- */

static void mad(struct lab *l, uint32_t from, enum iba_qp_type type, uint32_t ah, uint32_t to)
{
    const struct iba_send_wr wr = {.wr_id = WR,
                                   .op = IBA_WR_SEND,
                                   .ah = ah,
                                   .remote_qpn = to,
                                   .remote_qkey = type == IBA_QPT_GSI ? IBA_GSI_QKEY : 0};

    lab_recv(l, B, to, RECEIVE, AT, 256 + 40);
    cr_assert_eq(lab_send(l, A, from, wr, 0, 256), IBA_VERB_OK);
    lab_settle(l);
    (void)lab_done(l, A, WR, IBA_WC_SUCCESS);
}

Test(pkey, qp1_takes_any_key_of_the_table)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const struct talk t = introduce(l, A, B, IBA_QPT_GSI, lab_attr());
    const uint32_t ah = lab_ah(l, A, B, false);

    set_key(l, A, 0, 0x8005);
    set_key(l, B, 3, 0x0005); /* B's QP1 has index 0 */
    mad(l, t.from, IBA_QPT_GSI, ah, t.to);
    cr_assert_eq(lab_done(l, B, RECEIVE, IBA_WC_SUCCESS).pkey_index, 3);
    set_key(l, B, 3, 0x8006);
    mad(l, t.from, IBA_QPT_GSI, ah, t.to);
    lab_no_wc(l, B);
    cr_assert_eq(violations(l, B), 1);
    lab_close(l);
}

Test(pkey, qp0_is_of_no_partition)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const struct talk t = introduce(l, A, B, IBA_QPT_SMI, lab_attr());
    struct iba_av av = lab_av(l, A, B, false);
    uint32_t ah;

    av.smp = true;
    cr_assert_eq(iba_create_ah(&l->end[A].ca, l->end[A].pd, &av, &ah), IBA_VERB_OK);
    set_key(l, A, 0, 0x8005);
    set_key(l, B, 0, 0x8006);
    mad(l, t.from, IBA_QPT_SMI, ah, t.to);
    (void)lab_done(l, B, RECEIVE, IBA_WC_SUCCESS);
    cr_assert_eq(violations(l, B), 0);
    lab_close(l);
}

/* No verb sends raw packets yet, so the test builds the packet. */
Test(pkey, raw_packets_carry_none)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const uint32_t qpn = lab_qp(l, B, IBA_QPT_RAW_ETHERTYPE, IBA_NONE);
    struct iba_recipe r;
    struct iba_view v;
    uint8_t frame[256];
    size_t len;

    lab_ready(l, B, qpn, lab_attr());
    set_key(l, B, 0, 0);
    lab_recv(l, B, qpn, RECEIVE, AT, 256);
    iba_recipe_init(&r, IBA_ENCAP_IB_RAW, 0);
    iba_lrh_set_slid(iba_recipe_part(&r, IBA_H_lrh), A + 1);
    iba_lrh_set_dlid(iba_recipe_part(&r, IBA_H_lrh), B + 1);
    r.payload = lab_memory(l, A);
    r.payload_len = SMALL;
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_IB, frame, len, len, NULL);
    iba_view_check(&v);
    iba_ca_feed(&l->end[B].ca, 1, &v, l->now);
    (void)lab_done(l, B, RECEIVE, IBA_WC_SUCCESS);
    cr_assert_eq(violations(l, B), 0);
    lab_close(l);
}
