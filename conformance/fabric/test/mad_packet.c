/* SPDX-License-Identifier: BSD-2-Clause */
/* Management datagrams as packets: each field of the address that a program gives, in both directions. */
#include "mad_packet.h"
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <string.h>
#include "mad/iba_mad.h"
#include "topology_text.h"
#include "wire/iba_crc.h"

enum { LRH = 8, GRH = 40, BTH = 12, PERMISSIVE = 0xffff, LOCAL = 334, GLOBAL = 374 };

static uint8_t mad[IBA_MAD_BYTES], gid[16] = {0xfe, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
static uint16_t keys[4] = {0xffff, 0x8001, 0x0000, 0x7fff};

/* LID 0x10 to 0x13, four P_Keys, two GUIDs. */
static struct iba_node_port port(void)
{
    struct iba_node_port p = {.info = {.lid = 0x10, .lmc = 2, .guid = UINT64_C(0xfec0000000000001)},
                              .guid = {0x1111, 0, 0x3333},
                              .pkey = keys,
                              .n_pkey = 4};

    for (size_t i = 0; i < sizeof mad; i++)
        mad[i] = (uint8_t)(i * 3 + 1);
    return p;
}

static struct mad_envelope envelope(void)
{
    struct mad_envelope e = {.qpn = htonl(0xab000001),
                             .qkey = htonl(0x80010000),
                             .lid = htons(0x1234),
                             .sl = 0x15,
                             .path_bits = 7,
                             .hop_limit = 9,
                             .traffic_class = 0x5a,
                             .flow_label = htonl(0xfff12345)};

    memcpy(e.gid, gid, sizeof e.gid);
    return e;
}

Test(mad_packet, built)
{
    static const struct {
        uint16_t lid, dlid;
        bool smp;
        /* in the packet */
        uint16_t slid;
        uint8_t vl;
        uint32_t dqp, qkey, sqp;
    } rows[] = {
        {0x10, 0x1234, false, 0x13, 0, 1, 0x80010000, 1}, /* path bits 7, of which LMC leaves two */
        {0x10, 0x1234, true, 0x13, 15, 0, 0, 0},
        {0x10, PERMISSIVE, true, PERMISSIVE, 15, 0, 0, 0},
        {0, 0x1234, true, PERMISSIVE, 15, 0, 0, 0}, /* the port has no LID yet */
        {0x10, PERMISSIVE, false, 0x13, 0, 1, 0x80010000, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iba_node_port p = port();
        struct mad_envelope e = envelope();
        uint8_t packet[MAD_PACKET];
        const uint8_t *bth = packet + LRH, *deth = bth + BTH;
        p.info.lid = rows[i].lid;
        e.lid = htons(rows[i].dlid);
        memset(packet, 0xee, sizeof packet);
        cr_assert_eq(mad_packet_build(packet, &p, &e, rows[i].smp, 0x123456, mad), 8 + 12 + 8 + 256 + 4 + 2);
        cr_expect(iba_lrh_vl(packet) == rows[i].vl && iba_lrh_sl(packet) == 5 && iba_lrh_lnh(packet) == 2, "row %zu",
                  i);
        cr_expect(iba_lrh_dlid(packet) == rows[i].dlid && iba_lrh_slid(packet) == rows[i].slid, "row %zu", i);
        cr_expect_eq(iba_lrh_pktlen(packet), (8 + 12 + 8 + 256 + 4) / 4);
        cr_expect(iba_bth_opcode(bth) == 0x64 && iba_bth_p_key(bth) == 0xffff && iba_bth_psn(bth) == 0x123456);
        cr_expect(iba_bth_destqp(bth) == rows[i].dqp && iba_deth_q_key(deth) == rows[i].qkey, "row %zu", i);
        cr_expect_eq(iba_deth_srcqp(deth), rows[i].sqp, "row %zu", i);
        cr_expect_eq(memcmp(deth + 8, mad, sizeof mad), 0);
        cr_expect_eq(iba_le32(packet + 284), iba_icrc(IBA_ICRC_LOCAL, packet, LRH, 284));
        cr_expect_eq(iba_le16(packet + 288), iba_vcrc(packet, 288));
        cr_expect_eq(packet[290], 0xee, "nothing after the end");
    }
}

/* Q_Keys: one with the highest bit set stands for that of the sending QP (PV-19). */
Test(mad_packet, keys_of_queues)
{
    static const struct {
        uint32_t given, sent;
    } rows[] = {{0x1234, 0x1234}, {0x7fffffff, 0x7fffffff}, {0x80000000, 0x80010000}, {0x80010000, 0x80010000}};
    struct iba_node_port p = port();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mad_envelope e = envelope();
        uint8_t packet[MAD_PACKET];
        e.qkey = htonl(rows[i].given);
        cr_assert_gt(mad_packet_build(packet, &p, &e, false, 1, mad), 0);
        cr_expect_eq(iba_deth_q_key(packet + LRH + BTH), rows[i].sent, "%#x", rows[i].given);
    }
}

Test(mad_packet, partitions)
{
    static const struct {
        uint16_t index;
        bool smp;
        uint16_t sent; /* 0: refused */
    } rows[] = {{0, false, 0xffff}, {1, false, 0x8001}, {2, false, 0},     {3, false, 0x7fff},
                {4, false, 0},      {5, false, 0},      {2, true, 0xffff}, {9, true, 0xffff}};
    struct iba_node_port p = port();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mad_envelope e = envelope();
        uint8_t packet[MAD_PACKET];
        e.pkey_index = rows[i].index;
        const size_t n = mad_packet_build(packet, &p, &e, rows[i].smp, 1, mad);
        cr_assert_eq(n > 0, rows[i].sent > 0, "row %zu", i);
        cr_expect(n == 0 || iba_bth_p_key(packet + LRH) == rows[i].sent, "row %zu", i);
    }
}

Test(mad_packet, global)
{
    static const uint8_t own[2][16] = {{0xfe, 0xc0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x11, 0x11},
                                       {0xfe, 0xc0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x33, 0x33}};
    struct iba_node_port p = port();
    struct mad_envelope e = envelope();
    uint8_t packet[MAD_PACKET];
    const uint8_t *grh = packet + LRH, *bth = grh + GRH;

    e.grh_present = 1;
    for (unsigned k = 0; k <= 2; k += 2) {
        e.gid_index = (uint8_t)k;
        cr_assert_eq(mad_packet_build(packet, &p, &e, false, 5, mad), 8 + 40 + 12 + 8 + 256 + 4 + 2);
        cr_expect(iba_lrh_lnh(packet) == 3 && iba_lrh_pktlen(packet) == (8 + 40 + 12 + 8 + 256 + 4) / 4);
        cr_expect(iba_grh_ipver(grh) == 6 && iba_grh_tclass(grh) == 0x5a && iba_grh_flowlabel(grh) == 0x12345);
        cr_expect(iba_grh_paylen(grh) == 12 + 8 + 256 + 4 && iba_grh_nxthdr(grh) == 0x1b && iba_grh_hoplmt(grh) == 9);
        cr_expect(memcmp(iba_grh_sgid(grh), own[k / 2], 16) == 0 && memcmp(iba_grh_dgid(grh), gid, 16) == 0, "%u", k);
        cr_expect(iba_bth_opcode(bth) == 0x64 && iba_bth_destqp(bth) == 1 && memcmp(bth + BTH + 8, mad, 256) == 0);
        cr_expect_eq(iba_le32(packet + 324), iba_icrc(IBA_ICRC_GLOBAL, packet, LRH + GRH, 324));
        cr_expect_eq(iba_le16(packet + 328), iba_vcrc(packet, 328));
    }
    e.gid_index = 1;
    cr_expect_eq(mad_packet_build(packet, &p, &e, false, 5, mad), 0, "there is no GUID");
    e.gid_index = IBA_GUID_BLOCK;
    cr_expect_eq(mad_packet_build(packet, &p, &e, false, 5, mad), 0);
    cr_expect_eq(mad_packet_build(packet, &p, &e, true, 5, mad), IBA_MGMT_BYTES, "an SMP has no GRH");
    cr_expect_eq(iba_lrh_lnh(packet), 2);
}

/* A packet that was built, as its receiver reads it: LIDs 0x1234 to 0x1237, P_Keys of another order. */
Test(mad_packet, read)
{
    static uint16_t others[] = {0x1234, 0x0001, 0x8001, 0xffff};
    static const uint16_t index_at_receiver[] = {3, 2, 0, 3}; /* of each of `keys`; the third is none */
    struct iba_node_port p = port(), to = port();
    uint8_t packet[MAD_PACKET];
    bool smp;

    to.pkey = others;
    to.info.lmc = 2;
    for (unsigned i = 0; i < 16; i++) {
        const bool global = i & 1, is_smp = i & 2;
        struct mad_envelope e = envelope(), got;
        e.grh_present = global;
        e.pkey_index = (uint16_t)(i / 4 == 2 ? 0 : i / 4);
        e.lid = htons((uint16_t)(0x1234 + i / 4));
        const size_t n = mad_packet_build(packet, &p, &e, is_smp, 1, mad);
        const uint8_t *at = mad_packet_read(&to, packet, n, &got, &smp);
        cr_assert_eq(at, packet + n - 6 - 256, "%u", i);
        cr_expect(smp == is_smp && ntohl(got.qpn) == !is_smp && ntohs(got.lid) == 0x13 && got.sl == 5, "%u", i);
        cr_expect_eq(got.path_bits, i / 4, "%u: the lower bits of its LID", i);
        cr_expect_eq(got.pkey_index, is_smp ? 0 : index_at_receiver[e.pkey_index], "%u", i);
        cr_expect_eq(got.grh_present, global && !is_smp, "%u", i);
        if (!got.grh_present)
            continue;
        cr_expect(got.hop_limit == 9 && got.traffic_class == 0x5a && ntohl(got.flow_label) == 0x12345);
        cr_expect_eq(memcmp(got.gid, "\xfe\xc0\0\0\0\0\0\1\0\0\0\0\0\0\x11\x11", 16), 0, "the sender's");
    }
}

/* Packets without a whole datagram for QP 0 or 1. */
Test(mad_packet, not_read)
{
    struct iba_node_port p = port();
    struct mad_envelope e = envelope(), got;
    uint8_t packet[MAD_PACKET];
    bool smp;

    cr_assert_eq(mad_packet_build(packet, &p, &e, false, 1, mad), IBA_MGMT_BYTES);
    cr_expect_null(mad_packet_read(&p, packet, IBA_MGMT_BYTES - 4, &got, &smp));
    cr_expect_null(mad_packet_read(&p, packet, IBA_MGMT_BYTES + 4, &got, &smp));
    cr_expect_null(mad_packet_read(&p, packet, MAD_PACKET, &got, &smp), "as long as with a GRH, but without one");
    iba_bth_set_destqp(packet + LRH, 2);
    cr_expect_null(mad_packet_read(&p, packet, IBA_MGMT_BYTES, &got, &smp));
    iba_bth_set_destqp(packet + LRH, 1);
    iba_bth_set_opcode(packet + LRH, 0x65);
    cr_expect_null(mad_packet_read(&p, packet, IBA_MGMT_BYTES, &got, &smp));
    iba_bth_set_opcode(packet + LRH, 0x64);
    cr_expect_not_null(mad_packet_read(&p, packet, IBA_MGMT_BYTES, &got, &smp));
    /* a key of the same partition, where none is the same */
    iba_bth_set_p_key(packet + LRH, 0x0001);
    cr_assert_not_null(mad_packet_read(&p, packet, IBA_MGMT_BYTES, &got, &smp));
    cr_expect_eq(got.pkey_index, 1, "0x8001");
    iba_bth_set_p_key(packet + LRH, 0x8444);
    cr_assert_not_null(mad_packet_read(&p, packet, IBA_MGMT_BYTES, &got, &smp));
    cr_expect_eq(got.pkey_index, 0, "none");
}
