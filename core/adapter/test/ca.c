/* SPDX-License-Identifier: BSD-2-Clause */
/* The adapter around its queue pairs: counters of ports, whose turn it is, which timer is next, what init leaves. */
#include <criterion/criterion.h>
#include <string.h>
#include "lab.h"
#include "transport/deviations.h"
#include "wire/iba_opcode_rows.h"

enum { SMALL = 64, BASE = 14 + 20 + 8 + 12 + 4 }; /* Ethernet, IPv4, UDP, BTH, ICRC */

static void send_one(struct lab *l, uint32_t qpn, uint64_t id)
{
    cr_assert_eq(lab_send(l, 0, qpn, (struct iba_send_wr){.wr_id = id, .op = IBA_WR_SEND}, 0, SMALL), IBA_VERB_OK);
}

/* A SEND and its ACK, counted at both ends. */
Test(ca, ports_count_packets_and_bytes)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    const uint32_t a = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE), b = lab_qp(l, 1, IBA_QPT_RC, IBA_NONE);

    lab_connect(l, 0, a, 1, b, lab_attr());
    lab_recv(l, 1, b, 1, 0, SMALL);
    send_one(l, a, 1);
    lab_settle(l);
    for (unsigned end = 0; end < 2; end++) {
        const struct iba_port_counters *c = &iba_ca_port(&l->end[end].ca, 1)->counters;
        cr_expect_eq(c->packets_in, 1);
        cr_expect_eq(c->packets_out, 1);
        cr_expect_eq(end == 0 ? c->bytes_out : c->bytes_in, BASE + SMALL);
        cr_expect_eq(end == 0 ? c->bytes_in : c->bytes_out, BASE + 4, "AETH");
    }
    lab_close(l);
}

Test(ca, too_small_a_buffer_takes_no_packet)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    const uint32_t a = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE), b = lab_qp(l, 1, IBA_QPT_RC, IBA_NONE);
    uint8_t frame[IBA_TX_MOST];
    size_t len = 1;

    lab_connect(l, 0, a, 1, b, lab_attr());
    send_one(l, a, 1);
    cr_expect_eq(iba_ca_poll(&l->end[0].ca, 1, frame, IBA_TX_MOST - 1, &len, l->now), IBA_NO_ROOM);
    cr_expect_eq(len, 0);
    cr_expect_eq(iba_ca_poll(&l->end[0].ca, 1, frame, IBA_TX_MOST, &len, l->now), IBA_OK);
    cr_expect_eq(len, BASE + SMALL);
    lab_close(l);
}

/* Three queue pairs with two requests each send in turn. */
Test(ca, queue_pairs_take_turns)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    uint32_t a[3], b[3];
    uint8_t frame[IBA_TX_MOST];
    size_t len;

    for (unsigned i = 0; i < 3; i++) {
        a[i] = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE);
        b[i] = lab_qp(l, 1, IBA_QPT_RC, IBA_NONE);
        lab_connect(l, 0, a[i], 1, b[i], lab_attr());
    }
    for (unsigned i = 0; i < 6; i++)
        send_one(l, a[i / 2], i);
    for (unsigned i = 0; i < 6; i++) {
        struct iba_view v;
        cr_assert_eq(iba_ca_poll(&l->end[0].ca, 1, frame, sizeof frame, &len, l->now), IBA_OK);
        cr_assert_eq(iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL), IBA_OK);
        cr_expect_eq(iba_bth_destqp(iba_view_bth(&v)), b[i % 3], "packet %u", i);
        cr_expect_eq(iba_bth_psn(iba_view_bth(&v)), (0xfffffe + i / 3) & 0xffffff);
    }
    cr_expect_eq(iba_ca_poll(&l->end[0].ca, 1, frame, sizeof frame, &len, l->now), IBA_OK);
    cr_expect_eq(len, 0, "nothing is left");
    lab_close(l);
}

/* The deadline is the earliest of all queue pairs', and only what is due runs. */
Test(ca, the_earliest_timer_is_the_deadline)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    static const uint8_t timeouts[] = {15, 12, 14};
    const struct iba_ca *ca = &l->end[0].ca;
    uint32_t a[3], b[3];
    uint8_t frame[IBA_TX_MOST];
    size_t len;

    cr_expect_eq(iba_ca_deadline(ca), IBA_NEVER);
    for (unsigned i = 0; i < 3; i++) {
        struct iba_qp_attr attr = lab_attr();
        attr.timeout = timeouts[i];
        a[i] = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE);
        b[i] = lab_qp(l, 1, IBA_QPT_RC, IBA_NONE);
        lab_connect(l, 0, a[i], 1, b[i], attr);
        send_one(l, a[i], i);
        cr_assert_eq(iba_ca_poll(&l->end[0].ca, 1, frame, sizeof frame, &len, l->now), IBA_OK);
    }
    const iba_time first = iba_ca_deadline(ca);
    cr_expect_eq(first, iba_requester_deadline(iba_query_qp(ca, a[1])));
    cr_expect_geq(first, UINT64_C(4096) << 12, "C9-139: not before the timeout");
    iba_ca_advance(&l->end[0].ca, first - 1);
    cr_expect_eq(iba_ca_deadline(ca), first);
    iba_ca_advance(&l->end[0].ca, first);
    cr_expect_gt(iba_ca_deadline(ca), first);
    cr_expect_eq(ca->now, first);
    lab_close(l);
}

/* Arrays that the caller gave are cleared, whatever they held. */
Test(ca, init_clears_what_it_is_given)
{
    static const struct iba_ah no_ah;
    static const struct iba_mcast no_mcast;
    struct lab *l = lab_open(IBA_PORT_ROCE2, 1);
    struct iba_qp *qp[2] = {(void *)l, (void *)l};
    struct iba_cq *cq[2] = {(void *)l, (void *)l};
    struct iba_srq *srq[2] = {(void *)l, (void *)l};
    struct iba_ah ah[2];
    struct iba_mcast mcast[2];
    struct iba_mkey key[2];
    uint32_t pd[2];
    struct iba_ca ca;
    struct iba_ca_config cfg = {.n_port = 1,
                                .qp = qp,
                                .cq = cq,
                                .srq = srq,
                                .ah = ah,
                                .mcast = mcast,
                                .key = key,
                                .pd = pd,
                                .n_qp = 2,
                                .n_cq = 2,
                                .n_srq = 2,
                                .n_ah = 2,
                                .n_mcast = 2,
                                .n_key = 2,
                                .n_pd = 2,
                                .random = l->end[0].ca.random,
                                .event = l->end[0].ca.event,
                                .ctx = l->end[0].ca.ctx};

    memset(ah, 0xff, sizeof ah);
    memset(mcast, 0xff, sizeof mcast);
    memset(&ca, 0xff, sizeof ca);
    iba_ca_init(&ca, &cfg);
    for (unsigned i = 0; i < 2; i++) {
        cr_expect(!qp[i] && !cq[i] && !srq[i]);
        cr_expect_eq(memcmp(&ah[i], &no_ah, sizeof no_ah), 0);
        cr_expect_eq(memcmp(&mcast[i], &no_mcast, sizeof no_mcast), 0);
    }
    cr_expect(ca.n_port == 1 && ca.n_qp == 2 && ca.n_cq == 2 && ca.n_srq == 2 && ca.n_ah == 2 && ca.n_mcast == 2);
    cr_expect(ca.qp == qp && ca.cq == cq && ca.srq == srq && ca.ah == ah && ca.mcast == mcast);
    cr_expect(ca.random == cfg.random && ca.event == cfg.event && ca.ctx == cfg.ctx && !ca.trace);
    cr_expect_eq(ca.now, 0);
    lab_close(l);
}

/* Rules and changes are replaced, and restored. */
Test(ca, rules_and_changes_come_and_go)
{
    static const struct iba_rules other;
    static const struct iba_change change;
    struct lab *l = lab_open(IBA_PORT_ROCE2, 1);
    struct iba_ca *ca = &l->end[0].ca;

    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++) {
        const struct iba_rules *own = ca->table[t];
        iba_ca_set_rules(ca, (enum iba_rule_table)t, &other);
        cr_expect_eq(ca->table[t], &other);
        for (unsigned k = 0; k < IBA_TABLE_COUNT; k++)
            cr_expect(k == t || ca->table[k] != &other, "only one table is replaced");
        iba_ca_set_rules(ca, (enum iba_rule_table)t, NULL);
        cr_expect_eq(ca->table[t], own);
    }
    iba_ca_change(ca, &change);
    cr_expect(ca->change == &change && ca->deviate == &iba_deviations && ca->mem.change == &change);
    iba_ca_change(ca, NULL);
    cr_expect(!ca->change && !ca->deviate && !ca->mem.change);
    lab_close(l);
}
