/* SPDX-License-Identifier: BSD-2-Clause */
/* The wire of the reference target: addresses, time, ports, counters, and the twin. */
#include <stdlib.h>
#include <string.h>
#include "tour.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

static uint64_t counter(struct bed *b, const char *name)
{
    struct ibc_counter c[IBC_MAX_COUNTERS];
    const unsigned n = b->t->ops->counters(b->t, 0, c);

    for (unsigned i = 0; i < n; i++)
        if (strcmp(c[i].name, name) == 0)
            return c[i].value;
    cr_assert_fail("no counter %s", name);
    return 0;
}

static bool same_tour(const struct tour *a, const struct tour *b)
{
    bool same = a->n == b->n;

    for (unsigned i = 0; same && i < a->n; i++)
        same = a->at[i] == b->at[i] && a->len[i] == b->len[i] && memcmp(a->frame[i], b->frame[i], a->len[i]) == 0;
    return same;
}

Test(wire, one_seed_one_conversation)
{
    char err[80];
    struct ibc_target *t = ibc_target_open("reference", err, sizeof err);

    for (unsigned l = 0; l < IBC_LINK_COUNT; l++) {
        struct tour *a = tour_run(t, (enum ibc_link)l, 7), *b = tour_run(t, (enum ibc_link)l, 8),
                    *c = tour_run(t, (enum ibc_link)l, 7);
        cr_assert_gt(a->n, 30, "%u", a->n);
        cr_assert(same_tour(a, c), "the same seed, link %u", l);
        cr_assert_not(same_tour(a, b), "another seed, link %u", l);
        tour_free(a), tour_free(b), tour_free(c);
    }
    ibc_target_close(t);
}

Test(wire, a_reset_leaves_nothing)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    struct iba_wc wc;
    struct iba_event e;
    unsigned n;
    uint32_t old;

    tour_free(tour_run(b->t, IBC_LINK_roce2_ipv4, 1));
    cr_assert_gt(counter(b, "packets_in"), 0);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    old = b->d[0].qpn;
    (void)bed_post(b, 0, IBA_WR_SEND, 8, 0, 0);
    bed_reset(b, IBC_LINK_ib_local, 2);
    cr_assert_eq(b->t->framing, IBA_LINK_IB);
    cr_assert_eq(b->t->ops->now(b->t), BED_SECOND);
    cr_assert_eq(counter(b, "packets_in"), 0);
    cr_assert_not(bed_wc(b, 0, &wc));
    cr_assert(b->t->ops->poll_event(b->t, 0, &e, &n) == IBC_OK && n == 0);
    b->d[0].qpn = old;
    cr_assert_eq(bed_post(b, 0, IBA_WR_SEND, 8, 0, 0), IBC_REFUSED);
    bed_quiet(b, 0);
    bed_close(b);
}

Test(wire, time_goes_no_further_than_it_must)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const uint64_t timeout = UINT64_C(4096) << 14, start = o->now(b->t);

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    cr_assert_eq(bed_post(b, 0, IBA_WR_SEND, 8, 0, 0), IBC_OK);
    bed_expect(b, 0, IBA_RC_SEND_ONLY, BED_PSN);
    cr_assert_eq(b->at, start);
    cr_assert_eq(o->collect(b->t, 0, start + timeout / 2, b->frame, &b->len, &b->at), IBC_OK);
    cr_assert(b->len == 0 && o->now(b->t) == start + timeout / 2);
    cr_assert_eq(o->collect(b->t, 0, start + 10 * BED_SECOND, b->frame, &b->len, &b->at), IBC_OK);
    cr_assert_gt(b->len, 0);
    cr_assert(b->at >= start + timeout && b->at <= start + 4 * timeout, "%lu", (unsigned long)(b->at - start));
    cr_assert_eq(o->now(b->t), b->at);
    cr_assert_eq(o->collect(b->t, 0, 0, b->frame, &b->len, &b->at), IBC_OK);
    cr_assert(b->len == 0 && b->at == o->now(b->t), "time that has gone by does not come back");
    bed_close(b);
}

static void twins(enum ibc_link link)
{
    struct bed *b = bed_open("reference", link, 3);
    const struct ibc_target_ops *o = b->t->ops;
    const uint32_t q0 = bed_qp(b, 0, IBA_QPT_RC), q1 = bed_qp(b, 1, IBA_QPT_RC);
    unsigned moved = 0;
    struct iba_wc wc;
    uint8_t bytes[2][2000];
    struct ibc_send s = {.wr = {.wr_id = 1, .op = IBA_WR_WRITE, .n_sge = 1}, .dest = {.hop = 64}};

    bed_connect(b, 0, q0, IBA_QPT_RC, q1);
    bed_connect(b, 1, q1, IBA_QPT_RC, q0);
    s.wr.va = b->d[1].mr.va, s.wr.rkey = b->d[1].mr.rkey;
    s.wr.sge[0] = (struct iba_sge){b->d[0].mr.local + 77, 2000, b->d[0].mr.lkey};
    cr_assert_eq(o->post_send(b->t, 0, q0, &s), IBC_OK);
    for (;;) {
        cr_assert_eq(o->collect_any(b->t, o->now(b->t) + BED_MS, b->frame, &b->len, &b->at, &b->from), IBC_OK);
        if (b->len == 0)
            break;
        moved++;
        cr_assert_eq(o->inject(b->t, b->from ^ 1, b->frame, b->len), IBC_OK);
    }
    cr_assert_gt(moved, 1);
    cr_assert(bed_wc(b, 0, &wc) && wc.status == IBA_WC_SUCCESS);
    cr_assert_eq(o->read_memory(b->t, 0, b->d[0].mr.local + 77, bytes[0], 2000), IBC_OK);
    cr_assert_eq(o->read_memory(b->t, 1, b->d[1].mr.local, bytes[1], 2000), IBC_OK);
    cr_assert_eq(memcmp(bytes[0], bytes[1], 2000), 0);
    bed_close(b);
}

Test(wire, two_devices_talk_through_the_tester)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        twins((enum ibc_link)l);
}

Test(wire, a_manager_sets_the_port)
{
    struct bed *b = bed_open("reference", IBC_LINK_ib_local, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const uint8_t gid[16] = {0x20, 0x01, [15] = 0x77};
    struct iba_recipe x;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_pkey, 0, 0x8123), IBC_OK);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    bed_quiet(b, 0);
    cr_assert_eq(counter(b, "pkey_violations"), 1);
    x = bed_recipe(b, 0, IBA_RC_READ_REQUEST, BED_EPSN);
    iba_bth_set_p_key(iba_recipe_part(&x, IBA_H_bth), 0x8123);
    bed_inject(b, 0, &x);
    bed_expect(b, 0, IBA_RC_READ_RESP_ONLY, BED_EPSN);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_pkey, 99, 0x8123), IBC_REFUSED);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_lmc, 0, 2), IBC_OK);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_lmc, 0, 8), IBC_REFUSED);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_mtu, 0, 256), IBC_OK);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_mtu, 0, 300), IBC_REFUSED);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_sl2vl, 3, 15), IBC_OK);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_congestion, 0, 0), IBC_OK);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_lid, 0, 0x99), IBC_OK);
    cr_assert_eq(b->t->device[0].lid, 0x99);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_qkey, 0, 0), IBC_UNSUPPORTED);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_pkey_violations, 0, 0xfffe), IBC_OK);
    cr_assert_eq(counter(b, "pkey_violations"), 0xfffe);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_qkey_violations, 0, 7), IBC_OK);
    cr_assert_eq(counter(b, "qkey_violations"), 7);
    cr_assert_eq(o->set_gid(b->t, 0, 0, gid), IBC_OK);
    cr_assert_arr_eq(b->t->device[0].gid, gid, sizeof gid);
    cr_assert_eq(o->set_gid(b->t, 0, 99, gid), IBC_REFUSED);
    bed_close(b);
}

static void group_of(enum ibc_link link, uint8_t *gid)
{
    static const uint8_t group[16] = {0xff, 0x12, [15] = 9};

    memcpy(gid, group, sizeof group);
    if (link == IBC_LINK_roce2_ipv4)
        iba_gid_set_ipv4(gid, 0xef000009);
}

static void groups(enum ibc_link link)
{
    struct bed *b = bed_open("reference", link, 1);
    const struct ibc_target_ops *o = b->t->ops;
    struct ibc_send s = {.wr = {.op = IBA_WR_SEND, .remote_qpn = 0xffffff, .remote_qkey = BED_QKEY},
                         .dest = {.hop = 1}};
    uint8_t gid[16];
    struct iba_wc wc;

    group_of(link, gid);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UD), IBA_QPT_UD, 0);
    bed_connect(b, 1, bed_qp(b, 1, IBA_QPT_UD), IBA_QPT_UD, 0);
    bed_recv(b, 1, 0, 256);
    cr_assert_eq(o->attach(b->t, 1, b->d[1].qpn, gid, ibc_group_lid(gid), true), IBC_OK);
    s.dest.group = gid;
    for (unsigned i = 0; i < 100; i++)
        cr_assert_eq(o->post_send(b->t, 0, b->d[0].qpn, &s), i < 32 ? IBC_OK : IBC_REFUSED); /* one handle for all */
    bed_expect(b, 0, IBA_UD_SEND_ONLY, BED_PSN);
    cr_assert_eq(o->inject(b->t, 1, b->frame, b->len), IBC_OK);
    cr_assert(bed_wc(b, 1, &wc) && wc.status == IBA_WC_SUCCESS);
    cr_assert_eq(o->attach(b->t, 1, b->d[1].qpn, gid, ibc_group_lid(gid), false), IBC_OK);
    cr_assert_eq(o->attach(b->t, 1, b->d[1].qpn, gid, ibc_group_lid(gid), false), IBC_REFUSED);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, b->d[0].qpn), IBC_OK);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, b->d[0].mr.id), IBC_OK);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_pd, b->d[0].pd), IBC_OK, "the target's own handles hold nothing");
    bed_close(b);
}

Test(wire, groups_are_reached_on_every_link)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        groups((enum ibc_link)l);
}

Test(wire, a_qp_of_the_second_port_hears_nothing_at_the_first)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    struct ibc_qp_attr a = {.a = {.state = IBA_QPS_INIT, .port = 2, .access = IBA_ACCESS_REMOTE},
                            .mask = IBA_QPA_PORT | IBA_QPA_PKEY_INDEX | IBA_QPA_ACCESS};
    struct iba_recipe x;

    (void)bed_qp(b, 0, IBA_QPT_UC);
    cr_assert_eq(b->t->ops->modify_qp(b->t, 0, b->d[0].qpn, &a), IBC_OK);
    a = (struct ibc_qp_attr){.a = {.state = IBA_QPS_RTR, .path_mtu = IBA_MTU_1024, .dest_qpn = BED_PEER},
                             .mask = IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN};
    cr_assert_eq(b->t->ops->modify_qp(b->t, 0, b->d[0].qpn, &a), IBC_OK, "%s", b->t->refusal);
    x = bed_recipe(b, 0, IBA_UC_WRITE_ONLY, 0);
    bed_inject(b, 0, &x);
    cr_assert_eq(counter(b, "packets_in"), 1);
    bed_quiet(b, 0);
    bed_close(b);
}

Test(wire, counters_have_linux_names)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    struct iba_recipe x;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 8);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN + 7, 8);
    x = bed_recipe(b, 0, IBA_RC_READ_REQUEST, BED_EPSN + 1);
    x.icrc_mode = IBA_CRC_BAD;
    bed_inject(b, 0, &x);
    cr_assert_eq(counter(b, "send_rnr_err"), 1);
    cr_assert_eq(counter(b, "out_of_buffer"), 1);
    cr_assert_eq(counter(b, "rx_write_requests"), 1);
    cr_assert_eq(counter(b, "duplicate_request"), 1);
    cr_assert_eq(counter(b, "out_of_seq_request"), 1);
    cr_assert_eq(counter(b, "rx_icrc_encapsulated"), 1);
    cr_assert_eq(counter(b, "rcvd_pkts"), 5);
    bed_close(b);
}

Test(wire, a_device_that_never_rests_is_dead)
{
    struct bed *b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    const struct ibc_target_ops *o = b->t->ops;
    const struct ibc_mr_spec m = {.pd = b->d[0].pd, .length = 4096, .access = IBA_ACCESS_ON_DEMAND};
    enum ibc_rc rc;

    cr_assert_eq(o->reg_mr(b->t, 0, &m, &b->d[0].mr), IBC_OK);
    cr_assert_eq(o->page(b->t, 0, b->d[0].mr.local, false), IBC_OK);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    cr_assert_eq(bed_post(b, 0, IBA_WR_SEND, 8, 0, 0), IBC_OK);
    rc = o->collect(b->t, 0, UINT64_MAX - 1, b->frame, &b->len, &b->at);
    cr_assert_eq(rc, IBC_DEAD);
    cr_assert_str_eq(b->t->fault, "the device's timers do not stop");
    bed_close(b);
}
