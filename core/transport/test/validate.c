/* SPDX-License-Identifier: BSD-2-Clause */
/* Validation that needs more than one packet: congestion marks, addresses over IPv4, datagrams of each length. */
#include "receive.h"
#include "transport/iba_rx_path.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;

/* A packet that the network marked is answered with BECN on IB (WF-82), with a CNP on RoCEv2 (RO-41, RO-42). A port
 * with congestion control off sends no answer (WF-36), and a CNP never gets one (WF-84). */
Test(validate, congestion)
{
    for (int consent = 0; consent < 2; consent++) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.ca.port[0].congestion = consent;
        ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
        iba_bth_set_fecn(PART(&bed, bth), 1);
        give(&bed);
        cr_assert(answer(&bed));
        cr_assert_eq(iba_bth_becn(iba_view_bth(&bed.answer)), consent);

        bed_make(&bed, IBA_PORT_ROCE2, false);
        bed.ca.port[0].congestion = consent;
        packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
        iba_ipv6_set_ecn(PART(&bed, ipv6), 3);
        give(&bed);
        cr_assert(answer(&bed));
        cr_assert_eq(answer_opcode(&bed), consent ? IBA_CNP_ROCE : IBA_RC_ACKNOWLEDGE);
        cr_assert_eq(bed.ca.port[0].counters.cnp_out, (unsigned)consent);
    }
    packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_CNP_ROCE, RC_QPN, 1234, 0);
    iba_ipv6_set_ecn(PART(&bed, ipv6), 3);
    while (answer(&bed))
        ;
    give(&bed);
    cr_assert_eq(bed.ca.port[0].counters.cnp_in, 1);
    cr_assert(!answer(&bed));
}

/* RO-16, RO-24: over IPv4 the addresses are those in the GIDs, and a packet over IPv6 is dropped. */
Test(validate, ipv4_gids)
{
    bed_make(&bed, IBA_PORT_ROCE2, false);
    iba_gid_set_ipv4(bed.ca.port[0].gid[0], 0x0a000001);
    iba_gid_set_ipv4(bed.rc.attr.av.dgid, 0x0a000002);
    for (int spoil = 0; spoil < 4; spoil++) {
        packet(&bed, IBA_ENCAP_ROCE2_V4, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
        iba_ipv4_set_src(PART(&bed, ipv4), spoil == 0 ? 0x0a000003 : 0x0a000002);
        iba_ipv4_set_dst(PART(&bed, ipv4), spoil == 1 ? 0x0a000003 : 0x0a000001);
        if (spoil == 2)
            packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
        give(&bed);
        cr_assert_eq(hits(&bed, IBA_TABLE_VALIDATE, "rc_request"), spoil == 3, "spoil %d", spoil);
    }
}

/* WF-17: a datagram to QP0 may have the permissive LID if its class is that of directed routes, however long it is. */
Test(validate, the_class_of_an_smp)
{
    enum { CLASS = 1, DIRECTED = 0x81, LID_ROUTED = 0x01 };

    bed_make(&bed, IBA_PORT_IB, false);
    for (unsigned from = 0; from < 2; from++)
        for (size_t n = 1; n <= 256; n++) {
            packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 0, 0, n);
            (from ? iba_lrh_set_slid : iba_lrh_set_dlid)(PART(&bed, lrh), 0xffff);
            bed.payload[CLASS] = DIRECTED;
            give(&bed);
            cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "permissive_misuse"), n == CLASS, "%zu bytes", n);
            bed.payload[CLASS] = LID_ROUTED;
            give(&bed);
            cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "permissive_misuse"), 1, "%zu bytes", n);
        }
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 1, 0, 256);
    iba_lrh_set_dlid(PART(&bed, lrh), 0xffff);
    bed.payload[CLASS] = DIRECTED;
    give(&bed);
    cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "permissive_misuse"), 1, "QP1");
}

/* WF-10: beside the payload a packet has at most 124 bytes, LRH and ICRC included. */
Test(validate, longest_packet)
{
    enum { BESIDE = 124, HEADERS = 8 + 12 + 16 + 4 };

    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.port[0].mtu = IBA_MTU_256;
    for (unsigned more = 0; more < 2; more++) {
        ask(&bed, IBA_RC_WRITE_ONLY, 0, MTU + BESIDE - HEADERS + 4 * more);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "longer_than_mtu"), more);
    }
}

/* ---- predicates on source and destination ---- */

static struct iba_view view;

/* The packet in bed.r as it arrives at port 1, for `qp`. */
static struct iba_rx arrival(struct iba_qp *qp)
{
    const enum iba_link link = iba_port_link(&bed.ca.port[0]);
    const size_t len = built(&bed.r, bed.in, sizeof bed.in);

    memset(&view, 0xee, sizeof view);
    iba_view_parse(&view, link, bed.in, len, len, NULL);
    return (struct iba_rx){.ca = &bed.ca, .port = &bed.ca.port[0], .v = &view, .bth = iba_view_bth(&view), .qp = qp};
}

/* Begins a correct WRITE to the RC QP, over an encapsulation of a port of that kind. */
static void begin(enum iba_port_kind kind, enum iba_encap e)
{
    bed_make(&bed, kind, false);
    packet(&bed, e, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
}

/* Which encapsulations a port of each kind receives: its own, and on Ethernet with one VLAN tag at most.
 */
Test(validate, links_of_ports)
{
    static const struct {
        uint8_t encap, kind; /* the kind of port that takes it */
    } row[] = {{IBA_ENCAP_IB_LOCAL, IBA_PORT_IB},         {IBA_ENCAP_IB_GLOBAL, IBA_PORT_IB},
               {IBA_ENCAP_ROCE1, IBA_PORT_ROCE1},         {IBA_ENCAP_ROCE1_VLAN, IBA_PORT_ROCE1},
               {IBA_ENCAP_ROCE2_V4, IBA_PORT_ROCE2},      {IBA_ENCAP_ROCE2_V6, IBA_PORT_ROCE2},
               {IBA_ENCAP_ROCE2_V4_VLAN, IBA_PORT_ROCE2}, {IBA_ENCAP_ROCE2_V6_VLAN, IBA_PORT_ROCE2},
               {IBA_ENCAP_ROCE2_QINQ, UINT8_MAX},         {IBA_ENCAP_ROCE2_MPLS, UINT8_MAX},
               {IBA_ENCAP_ROCE2_V4_VXLAN, UINT8_MAX},     {IBA_ENCAP_ROCE2_GRE, UINT8_MAX},
               {IBA_ENCAP_ROCE2_GRE_IP, UINT8_MAX},       {IBA_ENCAP_ROCE1_GRE, UINT8_MAX},
               {IBA_ENCAP_ROCE2_IPIP, UINT8_MAX}};
    static const enum iba_port_kind kinds[] = {IBA_PORT_IB, IBA_PORT_ROCE1, IBA_PORT_ROCE2};

    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            bed_make(&bed, kinds[k], false);
            iba_recipe_init(&bed.r, (enum iba_encap)row[i].encap, IBA_RC_ACKNOWLEDGE);
            const struct iba_rx x = arrival(&bed.rc);
            struct iba_view other;
            look(&other, iba_encaps[row[i].encap].link, bed.in, view.len, view.len);
            const struct iba_rx seen = {.port = x.port, .v = &other};
            cr_expect_eq(iba_rx_foreign_link(&seen), kinds[k] != row[i].kind, "encapsulation %u, port %u", row[i].encap,
                         kinds[k]);
        }
    bed_make(&bed, IBA_PORT_IB, false);
    for (unsigned v6 = 0; v6 < 2; v6++) {
        raw_packet(&bed, v6 ? IBA_ENCAP_IB_RAW_V6 : IBA_ENCAP_IB_RAW, 32);
        const struct iba_rx x = arrival(NULL);
        cr_expect_not(iba_rx_foreign_link(&x), "raw packet %u", v6);
    }
}

/* RO-12, RO-17, RO-23, RO-24, for both versions of IP, and never on another network. */
Test(validate, headers_of_ip)
{
    static const uint8_t encaps[] = {IBA_ENCAP_ROCE2_V4, IBA_ENCAP_ROCE2_V6, IBA_ENCAP_ROCE1};

    for (size_t i = 0; i < COUNT(encaps); i++)
        for (unsigned fault = 0; fault < 4; fault++) {
            uint8_t gid[16];
            iba_gid_set_ipv4(gid, 0x0a000001);
            begin(i < 2 ? IBA_PORT_ROCE2 : IBA_PORT_ROCE1, (enum iba_encap)encaps[i]);
            if (fault == 1 && i < 2)
                iba_recipe_set(&bed.r, 1, i ? iba_field_find(IBA_H_ipv6, "plen") : iba_field_find(IBA_H_ipv4, "len"),
                               0);
            if (fault > 1 && i == 1)
                (fault == 2 ? iba_ipv6_set_src : iba_ipv6_set_dst)(PART(&bed, ipv6), gid);
            const struct iba_rx x = arrival(&bed.rc);
            cr_expect_eq(iba_rx_ip_length_absent(&x), fault == 1 && i < 2, "encapsulation %zu, fault %u", i, fault);
            cr_expect_eq(iba_rx_ip_mapped_wrongly(&x), fault > 1 && i == 1, "encapsulation %zu, fault %u", i, fault);
            cr_expect_not(iba_rx_ip_options(&x), "encapsulation %zu", i);
        }
    begin(IBA_PORT_ROCE2, IBA_ENCAP_ROCE2_V6_EXT);
    const struct iba_rx x = arrival(&bed.rc);
    cr_expect(iba_rx_ip_options(&x));
}

/* WF-15 to WF-18: which LIDs a packet to the unicast LID 8, with LMC 1, may have. */
Test(validate, lids)
{
    static const struct {
        uint16_t lid;
        bool dlid, slid, permissive; /* wrong as DLID, wrong as SLID, misused */
    } row[] = {{0, true, true, false},       {1, true, false, false},        {LID - 1, true, false, false},
               {LID, false, false, false},   {LID + 1, false, false, false}, {LID + 2, true, false, false},
               {0xbfff, true, false, false}, {0xc000, false, true, false},   {0xfffe, false, true, false},
               {0xffff, false, false, true}};

    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned source = 0; source < 2; source++) {
            begin(IBA_PORT_IB, IBA_ENCAP_IB_LOCAL);
            bed.ca.port[0].lmc = 1;
            (source ? iba_lrh_set_slid : iba_lrh_set_dlid)(PART(&bed, lrh), row[i].lid);
            const struct iba_rx x = arrival(&bed.rc);
            cr_expect_eq(iba_rx_dlid_foreign(&x), !source && row[i].dlid, "DLID %#x", row[i].lid);
            cr_expect_eq(iba_rx_slid_impossible(&x), source && row[i].slid, "SLID %#x", row[i].lid);
            cr_expect_eq(iba_rx_permissive_misuse(&x), row[i].permissive, "LID %#x", row[i].lid);
        }
}

/* WF-12, and the MAC address of the port or any group (RO-07). */
Test(validate, lanes_and_macs)
{
    static const struct {
        uint64_t mac;
        bool foreign;
    } row[] = {{0x020000000008, false}, {0x020000000009, true},  {0x030000000008, false}, {0x01005e000001, false},
               {0x000000000008, true},  {0xffffffffffff, false}, {0x020000010008, true},  {0x820000000008, true}};

    for (unsigned vl = 0; vl < 16; vl++)
        for (uint32_t qpn = 0; qpn < 2; qpn++) {
            bed_make(&bed, IBA_PORT_IB, false);
            packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, qpn, 0, 256);
            iba_lrh_set_vl(PART(&bed, lrh), vl);
            const struct iba_rx x = arrival(NULL);
            cr_expect_eq(iba_rx_vl_of_other_kind(&x), (vl == 15) != (qpn == 0), "VL %u, QP%u", vl, qpn);
            cr_expect_not(iba_rx_mac_foreign(&x));
        }
    for (size_t i = 0; i < COUNT(row); i++) {
        begin(IBA_PORT_ROCE1, IBA_ENCAP_ROCE1);
        iba_eth_set_dst(PART(&bed, eth), row[i].mac);
        const struct iba_rx x = arrival(&bed.rc);
        cr_expect_eq(iba_rx_mac_foreign(&x), row[i].foreign, "MAC address %zu", i);
        cr_expect_not(iba_rx_vl_of_other_kind(&x) || iba_rx_dlid_foreign(&x) || iba_rx_slid_impossible(&x) ||
                      iba_rx_permissive_misuse(&x) || iba_rx_longer_than_mtu(&x));
    }
}

/* The mark is FECN on IB, and the ECN code 3 on RoCEv2. RoCEv1 has none. */
Test(validate, marks)
{
    for (unsigned ecn = 0; ecn < 4; ecn++)
        for (unsigned fecn = 0; fecn < 2; fecn++) {
            struct iba_rx x;
            begin(IBA_PORT_ROCE2, IBA_ENCAP_ROCE2_V4);
            iba_ipv4_set_ecn(PART(&bed, ipv4), ecn);
            iba_bth_set_fecn(PART(&bed, bth), fecn);
            x = arrival(&bed.rc);
            cr_expect_eq(iba_rx_marked(&x), ecn == 3, "IPv4, %u", ecn);
            begin(IBA_PORT_ROCE2, IBA_ENCAP_ROCE2_V6);
            iba_ipv6_set_ecn(PART(&bed, ipv6), ecn);
            iba_bth_set_fecn(PART(&bed, bth), fecn);
            x = arrival(&bed.rc);
            cr_expect_eq(iba_rx_marked(&x), ecn == 3, "IPv6, %u", ecn);
            begin(IBA_PORT_ROCE1, IBA_ENCAP_ROCE1);
            iba_grh_set_tclass(PART(&bed, grh), ecn);
            iba_bth_set_fecn(PART(&bed, bth), fecn);
            x = arrival(&bed.rc);
            cr_expect_not(iba_rx_marked(&x), "RoCEv1");
            begin(IBA_PORT_IB, IBA_ENCAP_IB_GLOBAL);
            iba_grh_set_tclass(PART(&bed, grh), ecn);
            iba_bth_set_fecn(PART(&bed, bth), fecn);
            x = arrival(&bed.rc);
            cr_expect_eq(iba_rx_marked(&x), fecn, "IB, %u", fecn);
        }
}

/* The way back to the source of a datagram (RO-03): with or without GRH, with or without VLAN tag. */
Test(validate, return_paths)
{
    static const uint8_t encaps[] = {IBA_ENCAP_IB_LOCAL,   IBA_ENCAP_IB_GLOBAL, IBA_ENCAP_ROCE1,
                                     IBA_ENCAP_ROCE1_VLAN, IBA_ENCAP_ROCE2_V4,  IBA_ENCAP_ROCE2_V6_VLAN};

    for (size_t i = 0; i < COUNT(encaps); i++)
        for (uint8_t group = 0; group < 2; group++) {
            const bool ib = i < 2, tagged = i == 3 || i == 5;
            struct iba_av to_peer, av;
            begin(ib ? IBA_PORT_IB : i < 4 ? IBA_PORT_ROCE1 : IBA_PORT_ROCE2, (enum iba_encap)encaps[i]);
            to_peer = path_to_peer(&bed);
            if (i == 4)
                iba_gid_set_ipv4(to_peer.dgid, (uint32_t)iba_bits_get(to_peer.dgid, 96, 32));
            if (group && i == 4)
                iba_ipv4_set_src(PART(&bed, ipv4), 0xe0000001);
            else if (group && i == 5)
                iba_ipv6_set_src(PART(&bed, ipv6), group_gid);
            else if (group && i > 0)
                iba_grh_set_sgid(PART(&bed, grh), group_gid);
            if (ib)
                iba_lrh_set_sl(PART(&bed, lrh), 6);
            if (tagged) {
                iba_vlan_set_id(PART(&bed, vlan), 0x123);
                iba_vlan_set_priority(PART(&bed, vlan), 5);
            }
            memcpy(bed.ca.port[0].gid[1], bed.ca.port[0].gid[0], 16); /* the GID is the second of the table */
            if (i == 4)
                iba_gid_set_ipv4(bed.ca.port[0].gid[1], (uint32_t)iba_bits_get(bed.ca.port[0].gid[0], 96, 32));
            memset(bed.ca.port[0].gid[0], 0x2e, 16);
            memcpy(bed.ca.port[0].gid[2], bed.ca.port[0].gid[1], 16); /* the third differs in its last byte only */
            bed.ca.port[0].gid[2][15] ^= 1;
            bed.ca.port[0].n_gid = 3;
            memcpy(bed.ca.port[0].gid[3], bed.ca.port[0].gid[1], 16); /* beyond the table */
            const struct iba_rx x = arrival(NULL);
            memset(&av, 0xee, sizeof av);
            cr_expect_eq(iba_rx_return_path(&x, &av), !group || i == 0, "encapsulation %zu, group %u", i, group);
            cr_expect_eq(av.port, 1);
            cr_expect_eq(av.hop_limit, 64);
            cr_expect_eq(av.grh, i > 0, "encapsulation %zu", i);
            cr_expect_eq(av.vlan, tagged ? 0x123 : 0xffff, "encapsulation %zu", i);
            cr_expect_eq(av.sl, ib ? 6 : tagged ? 5 : 0, "encapsulation %zu: SL %u", i, av.sl);
            cr_expect_eq(av.dlid, ib ? PEER_LID : 0);
            cr_expect_eq(av.dmac, ib ? 0 : to_peer.dmac);
            cr_expect_eq(av.sgid_index, i > 0, "encapsulation %zu", i);
            if (i > 0 && !group)
                cr_expect_arr_eq(av.dgid, to_peer.dgid, 16, "encapsulation %zu", i);
        }
}

/* PV-22, PV-24, PV-25: each part of the path that a connected QP, and the alternate path of one, compare. */
enum path_part { NO_PART, PORT, GRH, SGID_INDEX, SGID, DGID, SLID, DLID, BITS, PREFIX, OTHER_PREFIX, PARTS };

static struct iba_av path_with(enum path_part p, bool global)
{
    struct iba_av av = path_to_peer(&bed);

    bed.ca.port[0].lmc = 2;
    av.grh = global != (p == GRH);
    av.path_bits = p == BITS ? 1 : 0x84; /* bits above the LMC count for nothing (WF-19) */
    av.port = p == PORT ? 2 : 1;
    av.sgid_index = p == SGID_INDEX;
    memcpy(bed.ca.port[0].gid[1], bed.ca.port[0].gid[0], 16); /* beyond the end of the table, which has one entry */
    if (p == SGID)
        bed.ca.port[0].gid[0][15] ^= 1;
    if (p == DGID)
        av.dgid[15] ^= 1;
    if (p == SLID)
        av.dlid++;
    if (p == DLID)
        bed.ca.port[0].lid += 4;
    if (p == PREFIX || p == OTHER_PREFIX) /* the port's own prefix, for which the default stands on IB (PV-22) */
        av.dgid[0] = bed.ca.port[0].gid[0][0] = 0x20;
    if (p == OTHER_PREFIX)
        iba_bits_put(PART(&bed, grh), IBA_AT_grh_sgid, 64, 0x21);
    return av;
}

Test(validate, parts_of_a_path)
{
    static const uint8_t encaps[] = {IBA_ENCAP_IB_LOCAL, IBA_ENCAP_IB_GLOBAL, IBA_ENCAP_ROCE1};
    static const uint8_t kinds[] = {IBA_PORT_IB, IBA_PORT_IB, IBA_PORT_ROCE1};

    for (size_t i = 0; i < COUNT(encaps); i++)
        for (enum path_part p = NO_PART; p < PARTS; p++) {
            const bool ib = i<2, global = i> 0, gids = global && (ib ? p != GRH : true);
            if (!global && p == OTHER_PREFIX)
                continue;
            begin((enum iba_port_kind)kinds[i], (enum iba_encap)encaps[i]);
            const struct iba_av av = path_with(p, global);
            bed.rc.attr.av = av;
            bed.rc.attr.port = av.port;
            const struct iba_rx x = arrival(&bed.rc);
            const bool gid =
                gids && (p == SGID_INDEX || p == SGID || p == DGID || p == OTHER_PREFIX || (p == PREFIX && !ib));
            const bool lid = ib && (p == DLID || p == BITS);
            cr_expect_eq(iba_rx_other_port(&x), p == PORT, "encapsulation %zu, part %u", i, p);
            cr_expect_eq(iba_rx_grh_missing(&x), i == 0 && p == GRH, "encapsulation %zu, part %u", i, p);
            cr_expect_eq(iba_rx_grh_unwanted(&x), i == 1 && p == GRH, "encapsulation %zu, part %u", i, p);
            cr_expect_eq(iba_rx_gids_differ(&x), gid, "encapsulation %zu, part %u", i, p);
            cr_expect_eq(iba_rx_slid_differs(&x), ib && p == SLID, "encapsulation %zu, part %u", i, p);
            cr_expect_eq(iba_rx_dlid_differs(&x), lid, "encapsulation %zu, part %u", i, p);
            cr_expect_eq(iba_rx_comes_along(&x, &av),
                         p != PORT && !(ib && p == GRH) && !gid && !(ib && p == SLID) && !lid,
                         "encapsulation %zu, part %u", i, p);
        }
}

/* Datagram QPs compare the port and the destination alone. QPs of management and raw ones, which every port has, do not
 * compare the port. */
Test(validate, paths_of_datagrams)
{
    static const uint8_t types[] = {IBA_QPT_UD, IBA_QPT_RAW_IPV6, IBA_QPT_RAW_ETHERTYPE, IBA_QPT_SMI, IBA_QPT_GSI};

    for (size_t i = 0; i < COUNT(types); i++)
        for (enum path_part p = NO_PART; p < PARTS; p++) {
            bed_make(&bed, IBA_PORT_IB, false);
            packet(&bed, IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 8);
            bed.ud.type = types[i];
            bed.ud.attr.av = path_with(p, true);
            bed.ud.attr.port = p == PORT ? 2 : 1;
            const struct iba_rx x = arrival(&bed.ud);
            cr_expect_eq(iba_rx_other_port(&x), p == PORT && types[i] == IBA_QPT_UD, "type %u, part %u", types[i], p);
            cr_expect_not(iba_rx_connected(&x) || iba_rx_grh_missing(&x) || iba_rx_grh_unwanted(&x) ||
                          iba_rx_gids_differ(&x) || iba_rx_slid_differs(&x) || iba_rx_dlid_differs(&x));
            cr_expect_eq(iba_rx_gid_foreign(&x), p == SGID, "type %u, part %u", types[i], p);
        }
}

/* PV-30, WF-26, UU-25: a group in DestQP, in the LID and in the GID, each by itself. */
Test(validate, groups)
{
    const struct iba_mcast group = {.used = true, .lid = GROUP_LID, .gid = {0xff, 0x12, [15] = 1}};
    struct iba_mcast other_lid = group, other_gid = group, unused = group;

    other_lid.lid++;
    other_gid.gid[15]++;
    unused.used = false;
    for (unsigned i = 0; i < 16; i++) {
        const bool qp = i & 1, lid = i & 2, gid = i & 4, global = i & 8;
        bed_make(&bed, IBA_PORT_IB, false);
        packet(&bed, global ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, qp ? 0xffffff : UD_QPN, 0, 8);
        if (lid)
            iba_lrh_set_dlid(PART(&bed, lrh), GROUP_LID);
        if (gid && global)
            iba_grh_set_dgid(PART(&bed, grh), group_gid);
        const struct iba_rx x = arrival(NULL);
        const struct iba_rx member = arrival(&bed.ud);
        cr_expect_eq(iba_rx_multicast(&x), qp, "case %u", i);
        cr_expect_not(iba_rx_multicast(&member), "case %u", i);
        cr_expect_eq(iba_rx_multicast_no_grh(&x), qp && !global, "case %u", i);
        cr_expect_eq(iba_rx_multicast_disagrees(&x), lid != qp || (global && gid != qp), "case %u", i);
        cr_expect_eq(iba_rx_of_group(&x, &group), lid && gid && global, "case %u", i);
        cr_expect_not(iba_rx_of_group(&x, &other_lid) || iba_rx_of_group(&x, &other_gid) ||
                          iba_rx_of_group(&x, &unused),
                      "case %u", i);
        cr_expect_eq(iba_rx_gid_foreign(&member), !qp && global && gid, "case %u", i);
    }
    for (unsigned i = 0; i < 4; i++) {
        const bool qp = i & 1, gid = i & 2;
        bed_make(&bed, IBA_PORT_ROCE2, false);
        packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_UD_SEND_ONLY, qp ? 0xffffff : UD_QPN, 0, 8);
        if (gid)
            iba_ipv6_set_dst(PART(&bed, ipv6), group_gid);
        const struct iba_rx x = arrival(NULL);
        cr_expect_eq(iba_rx_multicast_disagrees(&x), gid != qp, "RoCE, case %u", i);
        cr_expect_not(iba_rx_multicast_no_grh(&x), "RoCE, case %u", i);
        cr_expect_eq(iba_rx_of_group(&x, &other_lid), gid, "RoCE, case %u: LIDs do not count", i);
    }
}

/* QS-78: each state of migration and the bit M of a packet: what the QP does, and its state afterwards. */
Test(validate, migration_states)
{
    static const struct {
        uint8_t state, m;
        const char *row; /* beside that of the receiver */
        uint8_t after;
    } c[] = {
        {IBA_PATH_MIGRATED, 0, NULL, IBA_PATH_MIGRATED},   {IBA_PATH_MIGRATED, 1, NULL, IBA_PATH_MIGRATED},
        {IBA_PATH_REARM, 0, "peer_armed", IBA_PATH_ARMED}, {IBA_PATH_REARM, 1, NULL, IBA_PATH_REARM},
        {IBA_PATH_ARMED, 0, NULL, IBA_PATH_ARMED},         {IBA_PATH_ARMED, 1, "migration_refused", IBA_PATH_ARMED},
    };

    for (size_t i = 0; i < COUNT(c); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
        bed.rc.attr.path_mig = bed.ud.attr.path_mig = c[i].state;
        iba_bth_set_m(PART(&bed, bth), c[i].m);
        give(&bed);
        cr_expect_eq(all_hits(&bed, IBA_TABLE_VALIDATE), c[i].row && c[i].m == 0 ? 2 : 1, "case %zu", i);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, c[i].row ? c[i].row : "rc_request"), 1, "case %zu", i);
        cr_expect_eq(bed.rc.attr.path_mig, c[i].after, "case %zu", i);
        packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 8); /* a datagram has no path to migrate */
        iba_bth_set_m(PART(&bed, bth), c[i].m);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "datagram"), 1, "case %zu", i);
        cr_expect_eq(bed.ud.attr.path_mig, c[i].state, "case %zu", i);
    }
}

/* WF-36: a port without congestion control counts no BECN. KM-18: the Q_Key of QP1 is the well-known one, whatever its
 * attribute is. WF-31: each length that is no multiple of four. */
Test(validate, small_things)
{
    bed_make(&bed, IBA_PORT_IB, false);
    ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
    iba_bth_set_becn(PART(&bed, bth), 1);
    give(&bed);
    cr_expect_eq(bed.ca.port[0].counters.becn_in, 0);
    bed.gsi.attr.qkey = 5;
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 1, 0, 256);
    give(&bed);
    cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "datagram"), 1);
    bed_make(&bed, IBA_PORT_ROCE2, false);
    for (unsigned n = 4; n <= 8; n++) {
        packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, n);
        bed.r.keep |= IBA_KEEP_PAD;
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "split_word"), n % 4 != 0, "%u bytes", n);
    }
}

/* A device that does not know notifications (a broken one): even a marked notification gets no notification. */
Test(validate, no_notification_for_a_notification)
{
    struct iba_changed_rules without;
    uint16_t row = 0;

    while (strcmp(iba_validate_rules.row[row].name, "cnp") != 0)
        row++;
    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.port[0].congestion = true;
    cr_assert(iba_rules_change(&without, IBA_TABLE_VALIDATE, row, IBA_CHANGE_DROP, 0));
    iba_ca_set_rules(&bed.ca, IBA_TABLE_VALIDATE, &without.rules);
    ask(&bed, IBA_CNP_IB, 100, 0);
    iba_bth_set_fecn(PART(&bed, bth), 1);
    give(&bed);
    cr_expect_eq(bed.ca.port[0].counters.fecn_in, 0);
    cr_expect_not(bed.rc.cnp_due || bed.rc.becn_due);
}

/* The adapter looks at no member of a group beyond the entries that it was given. */
Test(validate, no_entry_beyond)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.mcast[3] = (struct iba_mcast){.qpn = UD_QPN, .lid = GROUP_LID, .used = true};
    memcpy(bed.mcast[3].gid, group_gid, 16);
    packet(&bed, IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY, 0xffffff, 0, 16);
    iba_lrh_set_dlid(PART(&bed, lrh), GROUP_LID);
    iba_grh_set_dgid(PART(&bed, grh), group_gid);
    for (uint32_t n = 4; n >= 3; n--) {
        bed.ca.n_mcast = n;
        give(&bed);
        cr_expect_eq(all_hits(&bed, IBA_TABLE_UD_RECEIVER), n == 4, "%u", n);
    }
}

static unsigned traced;

static void count_trace(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn)
{
    (void)ctx;
    traced++;
    cr_expect_str_eq(table, "header validation");
    cr_expect(traced == 1 ? qpn == IBA_NONE && strcmp(r->name, "no_qp") == 0
                          : qpn == UD_QPN && strcmp(r->name, "qkey_differs") == 0);
}

/* The user may see each row that decides, with the QP of the packet; or none of them. */
Test(validate, traced)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.trace = count_trace;
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 0x777777, 0, 8);
    give(&bed);
    cr_expect_eq(traced, 1);
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 8);
    iba_deth_set_q_key(PART(&bed, deth), 5);
    give(&bed);
    cr_expect_eq(traced, 2);
    bed.ca.trace = NULL;
    give(&bed);
    cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "qkey_differs"), 1);
    cr_expect_eq(traced, 2);
}

/* A capture card writes a header before the frame: the rows look at the bytes after it. */
Test(validate, frames_in_records_of_a_capture_card)
{
    static const char *const rows[] = {"rc_request", "dlid_foreign", "slid_impossible", "vl_of_other_kind"};

    for (unsigned i = 0; i < COUNT(rows); i++) {
        begin(IBA_PORT_IB, IBA_ENCAP_ERF_IB);
        if (i == 1)
            iba_lrh_set_dlid(PART(&bed, lrh), LID + 1);
        if (i == 2)
            iba_lrh_set_slid(PART(&bed, lrh), GROUP_LID);
        if (i == 3)
            iba_lrh_set_vl(PART(&bed, lrh), 15);
        send_as(&bed, IBA_LINK_ERF);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, rows[i]), 1, "%s", rows[i]);
    }
    for (unsigned foreign = 0; foreign < 2; foreign++) {
        begin(IBA_PORT_ROCE2, IBA_ENCAP_ERF_ETH);
        if (foreign)
            iba_eth_set_dst(PART(&bed, eth), 0x020000000001);
        send_as(&bed, IBA_LINK_ERF);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "mac_foreign"), foreign);
    }
}
