/* SPDX-License-Identifier: BSD-2-Clause */
/* Source and destination of raw packets and of packets that are very short. */
#include "transport/iba_rx_path.h"
#include "receive.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;
static struct iba_view view;

/* The packet in bed.r as it arrives at port 1; byte `at` of it has another value then. */
static struct iba_rx seen(size_t at, uint8_t value)
{
    const size_t len = built(&bed.r, bed.in, sizeof bed.in);

    bed.in[at] = value;
    memset(&view, 0xee, sizeof view);
    iba_view_parse(&view, IBA_LINK_IB, bed.in, len, len, NULL);
    return (struct iba_rx){.ca = &bed.ca,
                           .port = &bed.ca.port[0],
                           .v = &view,
                           .bth = iba_view_has_bth(&view) ? iba_view_bth(&view) : NULL};
}

/* WF-17: a packet to QP0 whose class is that of directed routes may have the permissive LID. The class is in the second
 * byte of the datagram: where that byte is padding, there is no class. */
Test(rx_path, padding_is_no_class)
{
    enum { DIRECTED = 0x81, DATA_AT = IBA_BYTES_lrh + IBA_BYTES_bth + IBA_BYTES_deth };

    bed_make(&bed, IBA_PORT_IB, false);
    for (unsigned from = 0; from < 2; from++)
        for (uint32_t qpn = 0; qpn < 3; qpn++)
            for (size_t n = 0; n <= 4; n++) {
                packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, qpn, 0, n);
                (from ? iba_lrh_set_slid : iba_lrh_set_dlid)(PART(&bed, lrh), 0xffff);
                const struct iba_rx x = seen(DATA_AT + 1, DIRECTED);
                cr_expect_eq(iba_rx_permissive_misuse(&x), qpn != 0 || n < 2, "QP%u, %zu bytes", qpn, n);
            }
}

/* A raw packet has no BTH: it is for no QP, so no check of the LIDs and lanes may look for one. It is no directed
 * datagram, and none for QP0 (WF-12, WF-17). */
Test(rx_path, raw_packets)
{
    static const uint8_t encaps[] = {IBA_ENCAP_IB_RAW, IBA_ENCAP_IB_RAW_V6};
    static const uint16_t lids[] = {LID, 0xffff};

    bed_make(&bed, IBA_PORT_IB, false);
    for (size_t i = 0; i < COUNT(encaps) * COUNT(lids) * 4; i++) {
        const uint16_t from = lids[i & 1], to = lids[i >> 1 & 1];
        const uint8_t vl = i >> 2 & 1 ? 15 : 3;
        raw_packet(&bed, (enum iba_encap)encaps[i >> 3 & 1], 32);
        iba_lrh_set_slid(PART(&bed, lrh), from);
        iba_lrh_set_dlid(PART(&bed, lrh), to);
        iba_lrh_set_vl(PART(&bed, lrh), vl);
        const struct iba_rx x = seen(0, (uint8_t)(vl << 4));
        cr_assert(!x.bth && x.v->proto == IBA_PROTO_IB_RAW);
        cr_expect_eq(iba_rx_permissive_misuse(&x), from == 0xffff || to == 0xffff, "from %#x to %#x", from, to);
        cr_expect_eq(iba_rx_vl_of_other_kind(&x), vl == 15, "VL %u", vl);
        cr_expect_not(iba_rx_foreign_link(&x) || iba_rx_longer_than_mtu(&x) || iba_rx_slid_impossible(&x) ||
                      iba_rx_dlid_foreign(&x) || iba_rx_mac_foreign(&x));
    }
}
