/* SPDX-License-Identifier: BSD-2-Clause */
/* The adapter's part outside the queue pairs: counters of ports, which queue pair sends next, which timer expires next,
 * and the state after init. */
#include <criterion/criterion.h>
#include <string.h>
#include "lab.h"
#include "transport/deviations.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { SMALL = 64, BASE = 14 + 20 + 8 + 12 + 4 }; /* Ethernet, IPv4, UDP, BTH, ICRC */

static void send_one(struct lab *l, uint32_t qpn, uint64_t id)
{
    cr_assert_eq(lab_send(l, 0, qpn, (struct iba_send_wr){.wr_id = id, .op = IBA_WR_SEND}, 0, SMALL), IBA_VERB_OK);
}

/* Ports count SENDs and their ACKs at both ends. */
Test(ca, ports_count_packets_and_bytes)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    const uint32_t a = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE), b = lab_qp(l, 1, IBA_QPT_RC, IBA_NONE);

    lab_connect(l, 0, a, 1, b, lab_attr());
    for (unsigned n = 1; n <= 3; n++) {
        lab_recv(l, 1, b, n, 0, SMALL);
        send_one(l, a, n);
        lab_settle(l);
        for (unsigned end = 0; end < 2; end++) {
            const struct iba_port_counters *c = &iba_ca_port(&l->end[end].ca, 1)->counters;
            cr_expect(c->packets_in == n && c->packets_out == n);
            cr_expect_eq(end == 0 ? c->bytes_out : c->bytes_in, n * (BASE + SMALL));
            cr_expect_eq(end == 0 ? c->bytes_in : c->bytes_out, n * (BASE + 4), "AETH");
        }
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

/* The adapter's deadline is the earliest of all its queue pairs, and only timers that are due run. */
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

/* Queue pairs are in random slots, and random ones of them run a timer. */
Test(ca, the_deadline_of_any_slot)
{
    enum { SLOTS = 3, EMPTY = 4, CHOICES = 5 };
    static struct iba_qp qp[SLOTS];
    struct iba_qp *slots[SLOTS];
    const struct iba_ca ca = {.qp = slots, .n_qp = SLOTS};

    for (unsigned k = 0; k < CHOICES * CHOICES * CHOICES; k++) {
        iba_time first = IBA_NEVER;
        for (unsigned i = 0, left = k; i < SLOTS; i++, left /= CHOICES) {
            const unsigned choice = left % CHOICES;
            iba_time *const timer[] = {&qp[i].s.ack_due, &qp[i].s.rnr_due, &qp[i].s.page_due};
            qp[i].s.ack_due = qp[i].s.rnr_due = qp[i].s.page_due = IBA_NEVER;
            slots[i] = choice == EMPTY ? NULL : &qp[i];
            if (choice >= SLOTS)
                continue;
            *timer[choice] = 1000 + 10 * ((k + 2 * i) % SLOTS) + i;
            if (*timer[choice] < first)
                first = *timer[choice];
        }
        cr_expect_eq(iba_ca_deadline(&ca), first, "choice %u", k);
    }
}

/* A capture card's record has a header before the frame, which ports do not count. */
Test(ca, bytes_count_from_the_frame_on)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 1);
    const struct iba_port_counters *c = &iba_ca_port(&l->end[0].ca, 1)->counters;
    static struct iba_recipe r;
    struct iba_view v;
    uint8_t frame[256];
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ERF_ETH, IBA_RC_SEND_ONLY);
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
    cr_assert_eq(iba_view_parse(&v, IBA_LINK_ERF, frame, len, len, NULL), IBA_OK);
    cr_assert_gt(v.frame_at, 0);
    iba_ca_feed(&l->end[0].ca, 1, &v, l->now + SMALL);
    cr_expect_eq(c->packets_in, 1);
    cr_expect_eq(c->bytes_in, BASE);
    cr_expect_eq(l->end[0].ca.now, l->now + SMALL, "time goes on with a packet");
    lab_close(l);
}

static void trace(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn)
{
    (void)ctx;
    (void)table;
    (void)r;
    (void)qpn;
}

/* iba_ca_init() clears the arrays that the caller gave, whatever they contained, and writes nothing after them. */
static void clears(struct lab *l, uint32_t n)
{
    enum { ROOM = 3 };
    static const uint8_t zeros[sizeof(struct iba_ah) + sizeof(struct iba_mcast) + sizeof(struct iba_mkey)];
    struct iba_qp *qp[ROOM];
    struct iba_cq *cq[ROOM];
    struct iba_srq *srq[ROOM];
    struct iba_ah ah[ROOM];
    struct iba_mcast mcast[ROOM];
    struct iba_mkey key[ROOM];
    uint32_t pd[ROOM];
    struct iba_ca ca;
    struct iba_ca_config cfg = {.n_port = 1,
                                .qp = qp,
                                .cq = cq,
                                .srq = srq,
                                .ah = ah,
                                .mcast = mcast,
                                .key = key,
                                .pd = pd,
                                .n_qp = n,
                                .n_cq = n,
                                .n_srq = n,
                                .n_ah = n,
                                .n_mcast = n,
                                .n_key = 2,
                                .n_pd = 2,
                                .random = l->end[0].ca.random,
                                .event = l->end[0].ca.event,
                                .trace = trace,
                                .ctx = l->end[0].ca.ctx};
    const struct {
        const void *array;
        size_t each;
    } given[] = {{qp, sizeof *qp}, {cq, sizeof *cq}, {srq, sizeof *srq}, {ah, sizeof *ah}, {mcast, sizeof *mcast}};

    memset(qp, 0xff, sizeof qp);
    memset(cq, 0xff, sizeof cq);
    memset(srq, 0xff, sizeof srq);
    memset(ah, 0xff, sizeof ah);
    memset(mcast, 0xff, sizeof mcast);
    memset(&ca, 0xff, sizeof ca);
    iba_ca_init(&ca, &cfg);
    for (unsigned k = 0; k < sizeof given / sizeof *given; k++)
        for (uint32_t i = 0; i < ROOM; i++) {
            const uint8_t *entry = (const uint8_t *)given[k].array + i * given[k].each;
            cr_expect_eq(memcmp(entry, zeros, given[k].each) == 0, i < n, "array %u, entry %u of %u", k, i, n);
        }
    cr_expect(ca.n_port == 1 && ca.n_qp == n && ca.n_cq == n && ca.n_srq == n && ca.n_ah == n && ca.n_mcast == n);
    cr_expect(ca.qp == qp && ca.cq == cq && ca.srq == srq && ca.ah == ah && ca.mcast == mcast);
    cr_expect(ca.random == cfg.random && ca.event == cfg.event && ca.ctx == cfg.ctx && ca.trace == trace);
    cr_expect_eq(ca.now, 0);
}

Test(ca, init_clears_what_it_is_given)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 1);

    clears(l, 1);
    clears(l, 2);
    lab_close(l);
}

/* Rule tables and changes can be replaced, and restored. */
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
    cr_expect(ca->port[0].change == &change && ca->port[0].deviate, "ports follow");
    iba_ca_change(ca, NULL);
    cr_expect(!ca->change && !ca->deviate && !ca->mem.change && !ca->port[0].change && !ca->port[0].deviate);
    lab_close(l);
}
