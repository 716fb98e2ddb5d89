/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of attributes: the last legal one and the first illegal one of each, and their effects. */
#include "transport/deviations_qp.h"
#include "transport/iba_qp_attr.h"
#include "verbs.h"

static struct desk *d;
static uint32_t qpn;

static void begin(enum iba_qp_type type, enum iba_qp_state state)
{
    d = desk_open();
    qpn = desk_qp_in(d, 0, type, state);
}
/* Gives desk_attr() with one change: the attributes that the transition requires, and those of `mask`. */
#define TRY(to, mask, change, err)                                                                                     \
    do {                                                                                                               \
        struct iba_qp_attr a = desk_attr(&d->qp[0]);                                                                   \
        a.state = IBA_QPS_##to;                                                                                        \
        change;                                                                                                        \
        REFUSED(d,                                                                                                     \
                iba_modify_qp(&d->ca, qpn, &a,                                                                         \
                              IBA_QPA_STATE | (mask) |                                                                 \
                                  iba_qp_required((enum iba_qp_type)d->qp[0].type, d->qp[0].state, IBA_QPS_##to)),     \
                err);                                                                                                  \
    } while (0)
#define BAD(to, mask, change) TRY(to, mask, change, ATTR_VALUE)
#define GOOD(type, from, to, mask, change)                                                                             \
    do {                                                                                                               \
        struct iba_qp_attr a;                                                                                          \
        begin(IBA_QPT_##type, IBA_QPS_##from);                                                                         \
        a = desk_attr(&d->qp[0]);                                                                                      \
        a.state = IBA_QPS_##to;                                                                                        \
        change;                                                                                                        \
        OK(iba_modify_qp(&d->ca, qpn, &a,                                                                              \
                         IBA_QPA_STATE | (mask) | iba_qp_required(IBA_QPT_##type, IBA_QPS_##from, IBA_QPS_##to)));     \
    } while (0)

Test(attr, to_init)
{
    begin(IBA_QPT_RC, IBA_QPS_RESET);
    BAD(INIT, 0, a.port = 0);
    BAD(INIT, 0, a.port = 3);
    BAD(INIT, 0, a.pkey_index = IBA_PORT_MAX_PKEYS);
    BAD(INIT, 0, a.access |= IBA_ACCESS_LOCAL_WRITE);
    BAD(INIT, 0, a.access |= IBA_ACCESS_MW_BIND);
    BAD(INIT, 0, a.access |= 1 << 15);
    GOOD(RC, RESET, INIT, 0, a.port = 2);
    GOOD(RC, RESET, INIT, 0, a.pkey_index = IBA_PORT_MAX_PKEYS - 1);
    GOOD(RC, RESET, INIT, 0, a.access = 0);
    GOOD(RC, RESET, INIT, 0, a.access = IBA_ACCESS_REMOTE);
    cr_assert_eq(d->qp[0].attr.access, IBA_ACCESS_REMOTE);
}

/* The other port has a shorter table, so the index is checked again (QS-02). */
Test(attr, port_moves_under_pkey)
{
    GOOD(UC, RESET, INIT, 0, a.pkey_index = 9);
    d->ca.port[1].n_pkey = 9;
    BAD(INIT, IBA_QPA_PORT, a.port = 2);
    d->ca.port[1].n_pkey = 10;
    TRY(RTR, IBA_QPA_PORT, a.port = 2, ATTR_FORBIDDEN);
    {
        struct iba_qp_attr a = desk_attr(&d->qp[0]);
        a.port = 2;
        OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_PORT));
        cr_assert_eq(d->qp[0].attr.port, 2);
        cr_assert_eq(d->qp[0].envelope_bytes, 0, "no path yet");
        d->ca.port[1].n_pkey = 9; /* what is not given, nor depends on what is given, is not checked again */
        OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_ACCESS));
    }
}

Test(attr, qkey)
{
    GOOD(UD, RESET, INIT, 0, a.qkey = UINT32_MAX);
    cr_assert_eq(d->qp[0].attr.qkey, UINT32_MAX);
    GOOD(SMI, RESET, INIT, 0, a.qkey = 0);
    begin(IBA_QPT_GSI, IBA_QPS_RESET);
    BAD(INIT, 0, a.qkey = 0);
    BAD(INIT, 0, a.qkey = IBA_GSI_QKEY + 1);
    GOOD(GSI, RESET, INIT, 0, a.qkey = IBA_GSI_QKEY);
}

Test(attr, to_rtr)
{
    begin(IBA_QPT_RC, IBA_QPS_INIT);
    BAD(RTR, 0, a.path_mtu = 0);
    BAD(RTR, 0, a.path_mtu = IBA_MTU_4096); /* the port has 2048 */
    BAD(RTR, 0, a.path_mtu = 255);
    BAD(RTR, 0, a.rq_psn = 1 << 24);
    BAD(RTR, 0, a.dest_qpn = 0);
    BAD(RTR, 0, a.dest_qpn = 1);
    BAD(RTR, 0, a.dest_qpn = 0xffffff);
    BAD(RTR, 0, a.dest_qpn = 0x1000002);
    BAD(RTR, 0, a.max_dest_rd = N_SAVED + 1);
    BAD(RTR, 0, a.min_rnr = 32);
    BAD(RTR, IBA_QPA_ALT_PATH, a.alt_av.port = 3);
    GOOD(RC, INIT, RTR, 0, a.path_mtu = IBA_MTU_256);
    GOOD(RC, INIT, RTR, 0, a.path_mtu = IBA_MTU_2048);
    GOOD(RC, INIT, RTR, 0, a.rq_psn = 0xffffff);
    cr_assert_eq(d->qp[0].r.epsn.v, 0xffffff);
    GOOD(RC, INIT, RTR, 0, a.dest_qpn = 0xfffffe);
    GOOD(RC, INIT, RTR, 0, a.dest_qpn = 2);
    GOOD(RC, INIT, RTR, 0, a.max_dest_rd = 0);
    GOOD(RC, INIT, RTR, 0, a.min_rnr = 31);
    GOOD(RC, INIT, RTR, IBA_QPA_ALT_PATH, a.alt_av.port = 2);
}

Test(attr, to_rts)
{
    begin(IBA_QPT_RC, IBA_QPS_RTR);
    BAD(RTS, 0, a.sq_psn = 1 << 24);
    BAD(RTS, 0, a.timeout = 32);
    BAD(RTS, 0, a.retry = 8);
    BAD(RTS, 0, a.rnr_retry = 8);
    BAD(RTS, IBA_QPA_MIN_RNR, a.min_rnr = 32);
    BAD(RTS, IBA_QPA_PATH_MIG, a.path_mig = IBA_PATH_ARMED); /* QS-78: only the adapter sets ARMED */
    BAD(RTS, IBA_QPA_PATH_MIG, a.path_mig = 3);
    GOOD(RC, RTR, RTS, 0, a.sq_psn = 0xffffff);
    cr_assert_eq(d->qp[0].s.next_psn.v, 0xffffff);
    GOOD(RC, RTR, RTS, 0, (a.timeout = 31, a.retry = 0, a.rnr_retry = 7));
    GOOD(RC, RTR, RTS, 0, (a.timeout = 0, a.retry = 7, a.rnr_retry = 0, a.max_rd = 255));
    GOOD(RC, RTR, RTS, IBA_QPA_PATH_MIG, a.path_mig = IBA_PATH_MIGRATED);
}

/* ---- address vectors: connections on RoCEv2 ---- */
Test(attr, path_on_roce)
{
    static const uint8_t v4[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1};

    begin(IBA_QPT_UC, IBA_QPS_INIT);
    BAD(RTR, 0, a.av.port = 0);
    BAD(RTR, 0, a.av.port = 2); /* not the port of the QP */
    BAD(RTR, 0, a.av.sl = 8);   /* RO-27 */
    BAD(RTR, 0, a.av.sgid_index = 1);
    BAD(RTR, 0, a.av.flow_label = 1 << 20);
    BAD(RTR, 0, a.av.vlan = 0xfff);
    BAD(RTR, 0, a.av.dmac = UINT64_C(1) << 48);
    BAD(RTR, 0, a.av.dgid[0] = 0xff);                           /* PV-26 */
    BAD(RTR, 0, memset(a.av.dgid, 0, 16));                      /* KM-40 */
    BAD(RTR, 0, (memset(a.av.dgid, 0, 16), a.av.dgid[15] = 1)); /* KM-40 */
    BAD(RTR, 0, (memset(a.av.dgid, 0, 16), a.av.dgid[15] = 1, a.av.flow_label = 0xfffff));
    BAD(RTR, 0, memcpy(a.av.dgid, v4, 16)); /* RO-24 */
    d->ca.port[0].n_gid = 2;
    memcpy(d->ca.port[0].gid[1], v4, 16);
    BAD(RTR, 0, a.av.sgid_index = 1);
    GOOD(UC, INIT, RTR, 0, (a.av.sl = 7, a.av.flow_label = 0xfffff, a.av.vlan = 0xffe));
    cr_assert_eq(d->qp[0].envelope_bytes, 14 + 4 + 40 + 8);
    GOOD(UC, INIT, RTR, 0, (memset(a.av.dgid, 0, 16), a.av.dgid[15] = 2, a.av.flow_label = 0));
    GOOD(UC, INIT, RTR, 0, (memset(a.av.dgid, 0, 16), a.av.dgid[14] = 1, a.av.flow_label = 0));
    GOOD(UC, INIT, RTR, 0, a.av.grh = false); /* RoCE always has one */
    cr_assert_eq(d->qp[0].envelope_bytes, 14 + 40 + 8);
}

/* ---- address handles and connections on InfiniBand ---- */
static void on_ib(struct iba_av *av)
{
    d = desk_open();
    iba_port_init(iba_ca_port(&d->ca, 1), 1, IBA_PORT_IB, IBA_MTU_2048, 0x1234);
    d->ca.port[0].lid = 0x10;
    *av = desk_av();
    av->grh = false;
    av->dlid = 0x20;
    av->sl = 15;
}

Test(attr, handle_on_ib)
{
    struct iba_av good, av;
    uint32_t ah = 0;

    on_ib(&good);
#define BAD_AH(change)                                                                                                 \
    av = good;                                                                                                         \
    change;                                                                                                            \
    REFUSED(d, iba_create_ah(&d->ca, d->pd, &av, &ah), ATTR_VALUE)
    BAD_AH(av.port = 3);
    BAD_AH(av.sl = 16);
    BAD_AH(av.dlid = 0);
    BAD_AH((av.grh = true, av.sgid_index = 1));
    BAD_AH((av.grh = true, memset(av.dgid, 0, 16)));
    OK(iba_create_ah(&d->ca, d->pd, &good, &ah));
    cr_assert_eq(d->ah[ah].envelope_bytes, 8);
    OK(iba_destroy_ah(&d->ca, ah));
    av = good;
    av.dlid = 0xffff;
    av.sgid_index = 7; /* used with a GRH only */
    OK(iba_create_ah(&d->ca, d->pd, &av, &ah));
    OK(iba_destroy_ah(&d->ca, ah));
    av = good;
    av.grh = true;
    av.dlid = 0xc001;
    av.dgid[0] = 0xff;
    OK(iba_create_ah(&d->ca, d->pd, &av, &ah));
    cr_assert_eq(d->ah[ah].envelope_bytes, 48);
}

/* PV-26: a connection has one peer. */
Test(attr, path_on_ib)
{
    static const uint16_t groups[] = {0xc000, 0xc001, 0xfffe, 0xffff, 0};
    struct iba_av good;

    on_ib(&good);
    qpn = desk_qp_in(d, 0, IBA_QPT_UC, IBA_QPS_INIT);
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        BAD(RTR, 0, (a.av = good, a.av.dlid = groups[i]));
    BAD(RTR, 0, (a.av = good, a.av.grh = true, a.av.dgid[0] = 0xff));
    {
        struct iba_qp_attr a = desk_attr(&d->qp[0]);
        a.state = IBA_QPS_RTR;
        a.av = good;
        OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | iba_qp_required(IBA_QPT_UC, IBA_QPS_INIT, IBA_QPS_RTR)));
    }
    cr_assert_eq(d->qp[0].envelope_bytes, 8);
}

/* ---- effects ---- */
Test(attr, envelope_follows_path)
{
    uint8_t expected[IBA_ENVELOPE_MAX];
    struct iba_av av = desk_av();

    begin(IBA_QPT_RC, IBA_QPS_RTR);
    iba_envelope_write(&d->ca.port[0], &av, qpn ^ 0x345 << 8, expected);
    cr_assert_eq(d->qp[0].envelope_bytes, 62);
    cr_assert_arr_eq(d->qp[0].envelope, expected, 62);
    OK(desk_step(d, qpn, IBA_QPS_RTS, 0));
    OK(desk_step(d, qpn, IBA_QPS_SQD, 0));
    BAD(SQD, IBA_QPA_PORT, a.port = 2); /* the path is of another port */
    BAD(SQD, IBA_QPA_PORT | IBA_QPA_AV, (a.port = 2, a.av.port = 1));
    d->ca.port[1].mtu = IBA_MTU_256; /* less than the path has */
    BAD(SQD, IBA_QPA_PORT | IBA_QPA_AV, a.port = a.av.port = 2);
    d->ca.port[1].mtu = d->ca.port[0].mtu;
    {
        struct iba_qp_attr a = desk_attr(&d->qp[0]);
        a.port = a.av.port = 2;
        a.av.tclass = 0xa0;
        OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_PORT | IBA_QPA_AV));
        iba_envelope_write(&d->ca.port[1], &a.av, qpn ^ 0x345 << 8, expected);
        cr_assert_arr_eq(d->qp[0].envelope, expected, 62);
        cr_assert_eq(d->qp[0].attr.port, 2);
    }
}

Test(attr, flow_control_comes_with_the_peer)
{
    GOOD(RC, INIT, RTR, 0, a.flow_control = true);
    cr_assert(d->qp[0].attr.flow_control);
    GOOD(UC, INIT, INIT, 0, a.flow_control = true);
    cr_assert_not(d->qp[0].attr.flow_control);
}

/* Attributes that are not in the mask are ignored. */
Test(attr, only_what_is_given)
{
    GOOD(RC, RTS, RTS, IBA_QPA_MIN_RNR, (a.min_rnr = 1, a.retry = 200, a.port = 0, a.sq_psn = UINT32_MAX));
    cr_assert_eq(d->qp[0].attr.min_rnr, 1);
    cr_assert_eq(d->qp[0].attr.retry, 7);
    cr_assert_eq(d->qp[0].attr.port, 1);
}

/* UU-16: the port's MTU limits datagrams. */
Test(attr, datagrams_take_the_ports_mtu)
{
    GOOD(UD, RESET, INIT, 0, a.port = 2);
    cr_assert_eq(d->qp[0].attr.path_mtu, IBA_MTU_1024);
    GOOD(GSI, RESET, INIT, 0, (void)a);
    cr_assert_eq(d->qp[0].attr.path_mtu, IBA_MTU_2048);
}

/* PV-26: no connection leads to a group. The GID matters only if the path has a GRH (on RoCE: always). */
Test(attr, connections_lead_to_no_group)
{
    struct iba_av av;

    for (unsigned k = 0; k < 16; k++) {
        const bool ib = k & 1, grh = k & 2, group_gid = k & 4, group_lid = k & 8;
        d = desk_open();
        av = desk_av();
        if (ib)
            on_ib(&av);
        av.grh = grh;
        av.dgid[0] = group_gid ? 0xff : av.dgid[0];
        if (group_lid)
            av.dlid = 0xc001;
        const bool leads = (ib && group_lid) || (group_gid && (grh || !ib));
        cr_expect_eq(iba_av_legal(&d->ca, &av, true), !leads, "case %u", k);
        cr_expect(iba_av_legal(&d->ca, &av, false), "case %u", k);
    }
}

/* QS-80: the longest MTU there is, on a port that has it. */
Test(attr, longest_mtu)
{
    begin(IBA_QPT_RC, IBA_QPS_INIT);
    d->ca.port[0].mtu = IBA_MTU_4096;
    BAD(RTR, 0, a.path_mtu = IBA_MTU_4096 + 1);
    {
        struct iba_qp_attr a = desk_attr(&d->qp[0]);
        a.state = IBA_QPS_RTR;
        a.path_mtu = IBA_MTU_4096;
        OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | iba_qp_required(IBA_QPT_RC, IBA_QPS_INIT, IBA_QPS_RTR)));
    }
    cr_assert_eq(d->qp[0].attr.path_mtu, IBA_MTU_4096);
}

/* RO-24 is about IP addresses, which only RoCEv2 has. */
Test(attr, rocev1_has_no_ip_version)
{
    struct iba_av av = desk_av();

    d = desk_open();
    iba_gid_set_ipv4(av.dgid, 0x0a000001);
    cr_expect_not(iba_av_legal(&d->ca, &av, true));
    iba_port_init(iba_ca_port(&d->ca, 1), 1, IBA_PORT_ROCE1, IBA_MTU_2048, 0x020000000001);
    cr_expect(iba_av_legal(&d->ca, &av, true));
}

/* A device without the check of the GID index takes the first GID for one that the port does not have. */
Test(attr, an_index_beyond_the_gids)
{
    const struct iba_change any_index = {.list = &iba_attr_behaviours, .row = IBA_ROW_attr_AV_SGID};
    struct iba_av av = desk_av();

    d = desk_open();
    iba_gid_set_ipv4(d->ca.port[0].gid[1], 0x0a000001); /* left over from a longer table */
    iba_ca_change(&d->ca, &any_index);
    for (av.sgid_index = 0; av.sgid_index < 3; av.sgid_index++) {
        iba_gid_set_ipv4(av.dgid, 0x0a000002);
        cr_expect_not(iba_av_legal(&d->ca, &av, true), "%u", av.sgid_index);
        av.dgid[0] = 0xfe;
        cr_expect(iba_av_legal(&d->ca, &av, true), "%u", av.sgid_index);
    }
}

/* A device without the check of the port's MTU takes 4096 on any port, and no code without a meaning. */
Test(attr, an_mtu_above_the_ports)
{
    const struct iba_change any_mtu = {.list = &iba_attr_behaviours, .row = IBA_ROW_attr_PATH_MTU};

    for (unsigned mtu = 0; mtu < 8; mtu++) {
        struct iba_qp_attr a;
        begin(IBA_QPT_UC, IBA_QPS_INIT);
        iba_ca_change(&d->ca, &any_mtu);
        a = desk_attr(&d->qp[0]);
        a.state = IBA_QPS_RTR;
        a.path_mtu = (uint8_t)mtu;
        cr_expect_eq(
            iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | iba_qp_required(IBA_QPT_UC, IBA_QPS_INIT, IBA_QPS_RTR)),
            mtu >= 1 && mtu <= 5 ? IBA_VERB_OK : IBA_VERB_ATTR_VALUE, "%u", mtu);
    }
}

/* ---- each attribute has a field ---- */
#define FIELD(id, field)                                                                                               \
    {                                                                                                                  \
#id, IBA_QPA_##id, offsetof(struct iba_qp_attr, field), sizeof((struct iba_qp_attr *)0)->field                 \
    }
static const struct field {
    const char *name;
    uint32_t bit;
    size_t at, bytes;
} while_drained[] = {FIELD(ACCESS, access),
                     FIELD(PKEY_INDEX, pkey_index),
                     FIELD(AV, av),
                     FIELD(TIMEOUT, timeout),
                     FIELD(RETRY, retry),
                     FIELD(RNR_RETRY, rnr_retry),
                     FIELD(MAX_RD, max_rd),
                     FIELD(MAX_DEST_RD, max_dest_rd),
                     FIELD(ALT_PATH, alt_av),
                     FIELD(MIN_RNR, min_rnr),
                     FIELD(PATH_MIG, path_mig)};

/* QS-10: an attribute that is given changes, and no other. */
Test(attr, one_changes_alone)
{
    for (unsigned i = 0; i < sizeof while_drained / sizeof *while_drained; i++) {
        const struct field *f = &while_drained[i];
        struct iba_qp_attr before, expected, a;

        begin(IBA_QPT_RC, IBA_QPS_SQD);
        before = d->qp[0].attr;
        a = desk_attr(&d->qp[0]);
        a.access = IBA_ACCESS_REMOTE_ATOMIC, a.pkey_index = 1, a.av.tclass = 5, a.timeout = 1, a.retry = 2;
        a.rnr_retry = 3, a.max_rd = 4, a.max_dest_rd = 1, a.alt_av.tclass = 6, a.min_rnr = 7;
        expected = before;
        memcpy((uint8_t *)&expected + f->at, (uint8_t *)&a + f->at, f->bytes);
        OK(iba_modify_qp(&d->ca, qpn, &a, f->bit));
        cr_expect_arr_neq((uint8_t *)&before, (uint8_t *)&expected, sizeof before, "%s", f->name);
        cr_expect_arr_eq((uint8_t *)&d->qp[0].attr, (uint8_t *)&expected, sizeof expected, "%s", f->name);
    }
}

/* A QP in Ready to Send has each value that it was given, and none else. */
Test(attr, all_that_were_given)
{
    const struct iba_qp_attr *got;
    struct iba_qp_attr expected;

    begin(IBA_QPT_RC, IBA_QPS_RTS);
    got = &d->qp[0].attr;
    expected = desk_attr(&d->qp[0]);
    cr_expect_eq(got->port, expected.port);
    cr_expect_eq(got->access, expected.access);
    cr_expect_eq(got->path_mtu, expected.path_mtu);
    cr_expect_eq(got->timeout, expected.timeout);
    cr_expect_eq(got->retry, expected.retry);
    cr_expect_eq(got->rnr_retry, expected.rnr_retry);
    cr_expect_eq(got->min_rnr, expected.min_rnr);
    cr_expect_eq(got->max_rd, expected.max_rd);
    cr_expect_eq(got->max_dest_rd, expected.max_dest_rd);
    cr_expect_eq(got->dest_qpn, expected.dest_qpn);
    cr_expect_eq(got->rq_psn, expected.rq_psn);
    cr_expect_eq(got->sq_psn, expected.sq_psn);
    cr_expect(got->path_mig == 0 && got->qkey == 0 && !got->sqd_notify && got->alt_av.port == 0, "not given");
    OK(desk_step(d, qpn, IBA_QPS_SQD, IBA_QPA_SQD_NOTIFY));
    cr_expect(got->sqd_notify);
    GOOD(UD, RTS, RTS, IBA_QPA_QKEY, a.qkey = 0x55aa);
    cr_expect_eq(d->qp[0].attr.qkey, 0x55aa);
    cr_expect_eq(d->qp[0].attr.sq_psn, 0x123456);
}

/* QS-78: after a migration the QP uses the alternate path, its port, and the flow of its peer. */
Test(attr, migration)
{
    uint8_t expected[IBA_ENVELOPE_MAX];
    struct iba_av alt = desk_av();

    alt.port = 2;
    alt.tclass = 0xa0;
    begin(IBA_QPT_RC, IBA_QPS_INIT);
    OK(desk_step(d, qpn, IBA_QPS_RTR, 0));
    d->qp[0].attr.alt_av = alt;
    d->qp[0].attr.path_mig = IBA_PATH_ARMED;
    iba_qp_migrate(&d->ca, &d->qp[0]);
    iba_envelope_write(&d->ca.port[1], &alt, qpn ^ 0x345 << 8, expected);
    cr_expect_eq(d->qp[0].attr.port, 2);
    cr_expect_eq(d->qp[0].attr.path_mig, IBA_PATH_MIGRATED);
    cr_expect_eq(d->qp[0].attr.av.tclass, 0xa0);
    cr_expect_eq(d->qp[0].envelope_bytes, 62);
    cr_expect_arr_eq(d->qp[0].envelope, expected, 62);
    cr_expect_eq(desk_events(d, IBA_EVENT_PATH_MIGRATED, qpn), 1);
    cr_expect_eq(d->n_event, 1);
}
