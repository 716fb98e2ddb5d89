/* SPDX-License-Identifier: BSD-2-Clause */
/* Validation that needs more than one packet: congestion marks, addresses over IPv4, datagrams of each length. */
#include "receive.h"
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
