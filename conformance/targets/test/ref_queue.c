/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths of the reference target: where a queue pair's packets and each datagram go, and when an address handle that
 * exists is used again. */
#include <string.h>
#include "ref_bed.h"

static struct ref_device *dev;

static void begin_on(enum ibc_link link)
{
    begin_with("reference", link);
    dev = device_of(b->t, 0);
}

static void begin_queue(void)
{
    begin_on(IBC_LINK_roce2_ipv4);
}

TestSuite(ref_queue, .init = begin_queue, .fini = end);

/* ---- paths of queue pairs ---- */

static enum ibc_rc modify(uint32_t qpn, const struct ibc_qp_attr *a, uint8_t state, uint32_t mask)
{
    struct ibc_qp_attr x = *a;

    x.a.state = state;
    x.mask = mask;
    return o->modify_qp(b->t, 0, qpn, &x);
}

/* Brings a new RC queue pair of that port to RTR, and returns its attributes. */
static struct iba_qp_attr in_rtr(struct ibc_qp_attr a, uint8_t port)
{
    const uint32_t qpn = bed_qp(b, 0, IBA_QPT_RC);
    struct iba_qp_attr is;

    a.a.port = port;
    a.a.path_mtu = IBA_MTU_1024;
    a.a.dest_qpn = BED_PEER;
    cr_assert_eq(modify(qpn, &a, IBA_QPS_INIT, IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | IBA_QPA_ACCESS), IBC_OK);
    a.a.port = 3 - port; /* is not given again: no bit of the mask says so */
    cr_assert_eq(modify(qpn, &a, IBA_QPS_RTR,
                        IBA_QPA_AV | IBA_QPA_ALT_PATH | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN |
                            IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR),
                 IBC_OK, "%s", b->t->refusal);
    cr_assert_eq(o->query_qp(b->t, 0, qpn, &is), IBC_OK);
    cr_expect(is.state == IBA_QPS_RTR && is.cur_state == IBA_QPS_RTR);
    return is;
}

static void leads_to(const struct iba_av *av, uint8_t port, const struct ibc_address *to)
{
    uint8_t gid[16];

    iba_gid_set_ipv4(gid, to->ipv4);
    cr_expect_eq(av->port, port, "port %u", av->port);
    cr_expect_eq(av->dmac, to->mac);
    cr_expect_eq(memcmp(av->dgid, gid, sizeof gid), 0);
    cr_expect(av->grh);
}

Test(ref_queue, where_a_queue_pair_s_packets_go)
{
    struct ibc_qp_attr a = {.hop = 61, .tclass = 0x29, .sl = 3, .flow = 0x12345};
    struct iba_qp_attr is = in_rtr(a, 1);
    const struct iba_av *const both[] = {&is.av, &is.alt_av};

    for (unsigned i = 0; i < 2; i++) {
        const struct iba_av *av = both[i];
        leads_to(av, 1, &b->t->tester);
        cr_expect(av->hop_limit == 61 && av->tclass == 0x29 && av->sl == 3 && av->flow_label == 0x12345);
        cr_expect(av->vlan == 0xffff && av->udp_source == 0 && av->sgid_index == 0 && av->path_bits == 0);
    }
    is = in_rtr(a, 2);
    leads_to(&is.av, 2, &b->t->tester);
    leads_to(&is.alt_av, 2, &b->t->tester);
    a.path = (struct ibc_path){.tagged = true, .vlan = 7, .sport = 0xc123, .path_bits = 5};
    a.av_port = 2;
    a.alt_port = 1;
    a.to = &b->t->stranger;
    a.to_partner = true;
    is = in_rtr(a, 2);
    leads_to(&is.av, 2, &b->t->stranger);
    leads_to(&is.alt_av, 1, &b->t->device[1]);
    for (unsigned i = 0; i < 2; i++)
        cr_expect(both[i]->vlan == 7 && both[i]->udp_source == 0xc123 && both[i]->path_bits == 5);
    a.to = NULL;
    a.alt = &b->t->stranger;
    is = in_rtr(a, 2);
    leads_to(&is.av, 2, &b->t->device[1]);
    leads_to(&is.alt_av, 1, &b->t->stranger);
}

/* While the send queue is drained, a queue pair can move to another port. */
Test(ref_queue, a_port_that_is_given_with_the_path)
{
    struct ibc_qp_attr a = {.a = {.port = 2}, .hop = 64};
    const uint32_t qpn = bed_qp(b, 0, IBA_QPT_RC);
    struct iba_qp_attr is;

    bed_connect(b, 0, qpn, IBA_QPT_RC, 0);
    cr_assert_eq(modify(qpn, &a, IBA_QPS_SQD, 0), IBC_OK, "%s", b->t->refusal);
    cr_assert_eq(modify(qpn, &a, IBA_QPS_SQD, IBA_QPA_PORT | IBA_QPA_AV), IBC_OK, "%s", b->t->refusal);
    cr_assert_eq(o->query_qp(b->t, 0, qpn, &is), IBC_OK);
    leads_to(&is.av, 2, &b->t->tester);
    cr_expect(is.state == IBA_QPS_SQD && is.cur_state == IBA_QPS_SQD);
    cr_expect_eq(o->query_qp(b->t, 0, 0xabcdef, &is), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "no_qp");
}

/* ---- address handles ---- */

static struct ibc_send datagram(void)
{
    return (struct ibc_send){.wr = {.op = IBA_WR_SEND,
                                    .remote_qpn = BED_PEER,
                                    .remote_qkey = BED_QKEY,
                                    .n_sge = 1,
                                    .sge = {{b->d[0].mr.local, 16, b->d[0].mr.lkey}}},
                             .dest = {.hop = 64}};
}

static void drain(void)
{
    struct iba_wc wc;

    while (bed_take(b, 0))
        continue;
    while (bed_wc(b, 0, &wc))
        continue;
}

/* Posts a datagram, whose address handle must be a new one or not. Returns the path of its handle. */
static const struct iba_av *posted(const struct ibc_send *s, bool new, const char *what)
{
    const uint32_t n = dev->n_ah;
    struct iba_av *av = &dev->ah[0].av;

    cr_expect_eq(o->post_send(b->t, 0, b->d[0].qpn, s), IBC_OK, "%s: %s", what, b->t->refusal);
    cr_expect_eq(dev->n_ah, n + new, "%s: %u handles, not %u", what, dev->n_ah, n + new);
    if (new)
        av = &dev->ah[n].av;
    cr_expect_eq(o->post_send(b->t, 0, b->d[0].qpn, s), IBC_OK);
    cr_expect_eq(dev->n_ah, n + new, "%s: the same again needs none", what);
    drain();
    return av;
}

/* Datagrams whose paths differ in one field have different handles. */
Test(ref_queue, a_handle_for_each_path)
{
    const uint8_t gid[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 99};
    struct ibc_address to = b->t->tester;
    struct ibc_send s = datagram();

    cr_assert_eq(o->set_gid(b->t, 0, 1, gid), IBC_OK);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UD), IBA_QPT_UD, 0);
    leads_to(posted(&s, true, "the first"), 1, &b->t->tester);
    s.dest.to = &to;
    (void)posted(&s, false, "the tester by its address");
    to.mac++;
    leads_to(posted(&s, true, "MAC"), 1, &to);
    to = b->t->tester, to.ipv4++;
    leads_to(posted(&s, true, "IP address"), 1, &to);
    to = b->t->tester, to.lid++;
    cr_expect_eq(posted(&s, true, "LID")->dlid, to.lid);
    s.dest.to = NULL;
    (void)posted(&s, false, "the first again");
#define WITH(member, value, field)                                                                                     \
    s.dest.member = (value);                                                                                           \
    cr_expect_eq(posted(&s, true, #member)->field, (value));                                                           \
    s.dest.member = datagram().dest.member;                                                                            \
    (void)posted(&s, false, #member " as before")
    WITH(hop, 63, hop_limit);
    WITH(tclass, 4, tclass);
    WITH(sl, 2, sl);
    WITH(port, 2, port);
    WITH(path.sport, 0xc001, udp_source);
    WITH(path.gid_index, 1, sgid_index);
    WITH(path.path_bits, 1, path_bits);
    s.dest.path.tagged = true, s.dest.path.vlan = 9;
    cr_expect_eq(posted(&s, true, "VLAN")->vlan, 9);
    s.dest.path.tagged = false;
    (void)posted(&s, false, "no VLAN");
}

/* Datagrams to a group have a GRH, so an address with the group's LID, MAC and GID needs another handle. */
Test(ref_queue, a_handle_for_a_group)
{
    static const uint8_t group[16] = {0xff, 0x12, 0x40, 0x1b, [15] = 7};
    struct ibc_send s = datagram();

    end();
    begin_on(IBC_LINK_ib_local);
    struct ibc_address like = {.lid = ibc_group_lid(group)};
    memcpy(like.gid, group, sizeof like.gid);
    cr_assert_eq(iba_gid_mac(group, &like.mac), true);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UD), IBA_QPT_UD, 0);
    s = datagram();
    s.dest.group = group;
    const struct iba_av *av = posted(&s, true, "a group");
    cr_expect(av->grh && av->dlid == like.lid && av->dmac == like.mac && memcmp(av->dgid, group, 16) == 0);
    s.dest.group = NULL;
    s.dest.to = &like;
    cr_expect_not(posted(&s, true, "an address like it")->grh);
    s.dest.to = NULL;
    cr_expect_eq(posted(&s, true, "the tester")->dlid, b->t->tester.lid);
}

Test(ref_queue, handles_of_other_domains_and_settings)
{
    struct ibc_send s = datagram();
    uint32_t pd;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UD), IBA_QPT_UD, 0);
    (void)posted(&s, true, "the first");
    cr_expect_eq(dev->ah[0].pd, b->d[0].pd);
    cr_assert_eq(o->create_pd(b->t, 0, &pd), IBC_OK);
    s.dest.pd = pd;
    (void)posted(&s, false, "the queue pair's domain");
    s.dest.has_pd = true;
    (void)posted(&s, true, "another domain");
    cr_expect_eq(dev->ah[1].pd, pd);
    s.dest.has_pd = false;
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_congestion, 0, 1), IBC_OK);
    (void)posted(&s, true, "a port that was set up again");
    s.dest.has_pd = true;
    s.dest.pd = 31; /* which does not exist */
    cr_expect_eq(o->post_send(b->t, 0, b->d[0].qpn, &s), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "no_pd");
    cr_expect_eq(dev->n_ah, 3);
}

/* Datagrams of some types of queue pairs need an address handle, and are refused without one. */
Test(ref_queue, types_that_need_a_handle)
{
    static const struct {
        enum iba_qp_type type;
        bool needs;
    } rows[] = {{IBA_QPT_RC, false}, {IBA_QPT_UC, false},      {IBA_QPT_UD, true},           {IBA_QPT_SMI, true},
                {IBA_QPT_GSI, true}, {IBA_QPT_RAW_IPV6, true}, {IBA_QPT_RAW_ETHERTYPE, true}};

    end();
    begin_on(IBC_LINK_ib_global);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_send s = datagram();
        const uint32_t n = dev->n_ah;
        bed_connect(b, 0, bed_qp(b, 0, rows[i].type), rows[i].type, 0);
        s.dest.none = true;
        const enum ibc_rc rc = o->post_send(b->t, 0, b->d[0].qpn, &s);
        cr_expect_eq(rc == IBC_REFUSED && strcmp(b->t->refusal, "no_ah") == 0, rows[i].needs, "row %zu: %s", i,
                     b->t->refusal);
        cr_expect_eq(dev->n_ah, n, "row %zu", i);
        s.dest.none = false;
        (void)o->post_send(b->t, 0, b->d[0].qpn, &s);
        const bool differs = rows[i].type == IBA_QPT_UD || rows[i].type == IBA_QPT_SMI;
        cr_expect_eq(dev->n_ah, n + differs, "row %zu: all but those for QP0 have one path", i);
        if (differs)
            cr_expect_eq(dev->ah[n].av.smp, rows[i].type == IBA_QPT_SMI, "row %zu", i);
    }
    const struct ibc_send s = datagram();
    cr_expect_eq(o->post_send(b->t, 0, 0xabcdef, &s), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "no_qp");
}

Test(ref_queue, a_handle_on_request)
{
    uint32_t ah;

    cr_assert_eq(o->create_ah(b->t, 0, b->d[0].pd, &b->t->stranger, &ah), IBC_OK);
    cr_assert_lt(ah, REF_AHS);
    leads_to(&dev->ca.ah[ah].av, 1, &b->t->stranger);
    cr_expect(dev->ca.ah[ah].used && dev->ca.ah[ah].av.hop_limit == 64 && dev->ca.ah[ah].pd == b->d[0].pd);
    cr_expect_eq(dev->n_ah, 0, "it is no handle of the target's own");
}
