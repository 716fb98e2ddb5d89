/* SPDX-License-Identifier: BSD-2-Clause */
/* Envelopes: iba_envelope_write() and iba_envelope_seal() write the same bytes as the builder from the same fields, and
 * the packets parse with good CRCs, for every kind of port and every length. */
#include <criterion/criterion.h>
#include "fabric/iba_port.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { MOST_BODY = 4200, ROOM = IBA_ENVELOPE_MAX + MOST_BODY + 6, NO_VLAN = 0xffff };

static const struct form {
    enum iba_encap encap;
    enum iba_port_kind kind;
    bool grh, ipv4;
    uint16_t vlan;
    size_t bytes;
} forms[] = {
    {IBA_ENCAP_IB_LOCAL, IBA_PORT_IB, false, false, NO_VLAN, 8},
    {IBA_ENCAP_IB_GLOBAL, IBA_PORT_IB, true, false, NO_VLAN, 48},
    {IBA_ENCAP_ROCE1, IBA_PORT_ROCE1, true, false, NO_VLAN, 54},
    {IBA_ENCAP_ROCE1_VLAN, IBA_PORT_ROCE1, true, false, 0xabc, 58},
    {IBA_ENCAP_ROCE2_V4, IBA_PORT_ROCE2, true, true, NO_VLAN, 42},
    {IBA_ENCAP_ROCE2_V4_VLAN, IBA_PORT_ROCE2, true, true, 0, 46}, /* VLAN 0: priority only (RO-39) */
    {IBA_ENCAP_ROCE2_V6, IBA_PORT_ROCE2, true, false, NO_VLAN, 62},
    {IBA_ENCAP_ROCE2_V6_VLAN, IBA_PORT_ROCE2, true, false, 0xfff, 66},
};
enum { FORMS = sizeof forms / sizeof *forms };

static struct iba_port port_of(const struct form *f)
{
    struct iba_port p;

    iba_port_init(&p, 1, f->kind, IBA_MTU_4096, UINT64_C(0x0000a2b3c4d5e6f7) & 0xffffffffffff);
    p.lid = f->kind == IBA_PORT_IB ? 0x1230 : 0;
    p.lmc = 2;
    p.sl2vl[5] = 9;
    p.n_gid = 2;
    iba_bits_put(p.gid[1], 0, 64, UINT64_C(0x20010db8000a000b));
    iba_bits_put(p.gid[1], 64, 64, UINT64_C(0x1122334455667788));
    if (f->ipv4)
        iba_gid_set_ipv4(p.gid[1], 0x0a001101);
    return p;
}

static struct iba_av av_of(const struct form *f)
{
    struct iba_av av = {
        .port = 1,
        .sl = 5,
        .path_bits = 0x7, /* the LMC keeps 3 of these bits */
        .sgid_index = 1,
        .grh = f->grh,
        .dlid = 0x4567,
        .dgid = {0x20, 0x01, 0x0d, 0xb8, 0, 0xcc, 0, 0xdd, 9, 8, 7, 6, 5, 4, 3, 2},
        .dmac = UINT64_C(0x0611223344a5),
        .vlan = f->vlan,
        .flow_label = 0xabcde,
        .tclass = 0xa7,
        .hop_limit = 77,
        .udp_source = 0xd00d,
    };
    if (f->ipv4)
        iba_gid_set_ipv4(av.dgid, 0xc0a80102);
    return av;
}

static void set_ib(const struct iba_port *p, const struct iba_av *av, struct iba_recipe *r)
{
    uint8_t *h = iba_recipe_part(r, IBA_H_lrh);

    if (h) {
        iba_lrh_set_vl(h, 9);
        iba_lrh_set_sl(h, av->sl);
        iba_lrh_set_dlid(h, av->dlid);
        iba_lrh_set_slid(h, 0x1233);
    }
    if ((h = iba_recipe_part(r, IBA_H_grh))) {
        iba_grh_set_tclass(h, av->tclass);
        iba_grh_set_flowlabel(h, av->flow_label);
        iba_grh_set_hoplmt(h, av->hop_limit);
        iba_grh_set_sgid(h, p->gid[1]);
        iba_grh_set_dgid(h, av->dgid);
    }
}

static void set_net(const struct iba_port *p, const struct iba_av *av, struct iba_recipe *r)
{
    uint8_t *h = iba_recipe_part(r, IBA_H_eth);

    if (h)
        iba_eth_set_dst(h, av->dmac), iba_eth_set_src(h, p->mac);
    if ((h = iba_recipe_part(r, IBA_H_vlan)))
        iba_vlan_set_priority(h, av->sl), iba_vlan_set_dei(h, 0), iba_vlan_set_id(h, av->vlan);
    if ((h = iba_recipe_part(r, IBA_H_ipv4))) {
        iba_ipv4_set_dscp(h, 0xa7 >> 2), iba_ipv4_set_ecn(h, 0);
        iba_ipv4_set_id(h, 0), iba_ipv4_set_df(h, 1);
        iba_ipv4_set_ttl(h, av->hop_limit);
        iba_ipv4_set_src(h, 0x0a001101), iba_ipv4_set_dst(h, 0xc0a80102);
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv6))) {
        iba_ipv6_set_dscp(h, 0xa7 >> 2), iba_ipv6_set_ecn(h, 0);
        iba_ipv6_set_flow(h, av->flow_label);
        iba_ipv6_set_hlim(h, av->hop_limit);
        iba_ipv6_set_src(h, p->gid[1]), iba_ipv6_set_dst(h, av->dgid);
    }
    if ((h = iba_recipe_part(r, IBA_H_udp)))
        iba_udp_set_srcport(h, 0xd00d);
}

/* An RC WRITE Middle: a BTH and payload, which can have any length. */
static void fill_body(uint8_t *body, size_t n)
{
    memset(body, 0, IBA_BYTES_bth);
    iba_bth_set_opcode(body, IBA_RC_WRITE_MIDDLE);
    iba_bth_set_p_key(body, 0xffff);
    iba_bth_set_destqp(body, 0x123456);
    iba_bth_set_psn(body, 0xfffffe);
    for (size_t i = IBA_BYTES_bth; i < n; i++)
        body[i] = (uint8_t)(i * 7 + i / 256);
}

/* Seals two packets in the same buffer: the second one, of another length, has no bytes of the first. */
static void compare_with_builder(const struct form *f, size_t body)
{
    static uint8_t mine[ROOM], theirs[ROOM];
    static struct iba_recipe r;
    const struct iba_port p = port_of(f);
    const struct iba_av av = av_of(f);
    const size_t n = iba_envelope_write(&p, &av, 0, mine);
    size_t want, got;

    cr_assert_eq(n, f->bytes);
    fill_body(mine + n, body);
    if (body > IBA_BYTES_bth)
        iba_envelope_seal(&p, mine, n, body - 4);
    fill_body(mine + n, body);
    got = iba_envelope_seal(&p, mine, n, body);
    iba_recipe_init(&r, f->encap, IBA_RC_WRITE_MIDDLE);
    set_ib(&p, &av, &r);
    set_net(&p, &av, &r);
    memcpy(iba_recipe_part(&r, IBA_H_bth), mine + n, IBA_BYTES_bth);
    r.payload = mine + n + IBA_BYTES_bth;
    r.payload_len = body - IBA_BYTES_bth;
    cr_assert_eq(iba_build(&r, theirs, sizeof theirs, &want), IBA_OK);
    cr_assert_eq(got, want, "%s, %zu: %zu bytes, builder %zu", iba_encaps[f->encap].name, body, got, want);
    for (size_t i = 0; i < got; i++)
        if (mine[i] != theirs[i])
            cr_assert_fail("%s, %zu: byte %zu is %02x, builder %02x", iba_encaps[f->encap].name, body, i, mine[i],
                           theirs[i]);
}

Test(envelope, every_kind_and_length_is_what_the_builder_makes)
{
    for (unsigned i = 0; i < FORMS; i++)
        for (size_t body = IBA_BYTES_bth; body <= MOST_BODY; body += 4)
            compare_with_builder(&forms[i], body);
}

static size_t seal_one(const struct iba_port *p, const struct iba_av *av, uint32_t flow, uint8_t *packet,
                       struct iba_view *v, size_t body)
{
    const size_t n = iba_envelope_write(p, av, flow, packet);
    size_t len;

    fill_body(packet + n, body);
    len = iba_envelope_seal(p, packet, n, body);
    iba_view_parse(v, iba_port_link(p), packet, len, len, NULL);
    iba_view_check(v);
    return len;
}

Test(envelope, every_kind_and_length_parses_to_good_crcs)
{
    static uint8_t packet[ROOM];

    for (unsigned i = 0; i < FORMS; i++) {
        const struct iba_port p = port_of(&forms[i]);
        const struct iba_av av = av_of(&forms[i]);
        for (size_t body = IBA_BYTES_bth; body <= MOST_BODY; body += 4) {
            struct iba_view v;
            const size_t len = seal_one(&p, &av, 0, packet, &v, body);
            const bool ib = p.kind == IBA_PORT_IB;
            cr_assert_eq(v.err, IBA_OK, "form %u, %zu: %s", i, body, iba_strerror(v.err));
            cr_assert_eq(v.icrc, IBA_CHECK_GOOD, "form %u, %zu: ICRC", i, body);
            cr_assert_eq(v.vcrc, ib ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT, "form %u, %zu: VCRC", i, body);
            cr_assert_eq(v.end + (ib ? IBA_VCRC_BYTES : 0), len);
            cr_assert_eq(v.bth_at, forms[i].bytes);
            cr_assert_eq(v.payload_len, body - IBA_BYTES_bth);
        }
    }
}

/* Builds the frame of WF-72 and WF-79 from its fields, and compares its CRCs with the published ones. */
Test(envelope, sample_packet_of_the_specification)
{
    static const uint8_t want[] = {0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20, 0x24, 0x87,
                                   0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c,
                                   0x01, 0x5d, 0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e,
                                   0xbb, 0x88, 0x4d, 0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69,
                                   0x0e, 0xd4, 0x00, 0x00, 0x96, 0x25, 0xb7, 0x5a, 0x45, 0xfa};
    enum { CRCS = 6 };
    const struct iba_av av = {.sl = 1, .dlid = 0x375c};
    uint8_t packet[IBA_ENVELOPE_MAX + sizeof want];
    struct iba_port p;

    iba_port_init(&p, 1, IBA_PORT_IB, IBA_MTU_256, 1);
    p.lid = 0x17d2;
    p.sl2vl[1] = 7;
    cr_assert_eq(iba_envelope_write(&p, &av, 0, packet), 8);
    memcpy(packet + 8, want + 8, sizeof want - 8 - CRCS);
    cr_assert_eq(iba_envelope_seal(&p, packet, 8, sizeof want - 8 - CRCS), sizeof want);
    cr_assert_arr_eq(packet, want, sizeof want);
}

/* UU-27, WF-12: before a port has a LID it sends from the permissive LID. Packets to QP0 use VL 15, whatever SLtoVL
 * says. */
Test(envelope, management_before_the_lid)
{
    uint8_t e[IBA_ENVELOPE_MAX];
    struct iba_port p = port_of(&forms[0]);
    struct iba_av av = {.sl = 5, .smp = true, .dlid = 0xffff, .path_bits = 3};

    p.lid = 0;
    cr_assert_eq(iba_envelope_write(&p, &av, 0, e), IBA_BYTES_lrh);
    cr_assert_eq(iba_lrh_slid(e), 0xffff);
    cr_assert_eq(iba_lrh_dlid(e), 0xffff);
    cr_assert_eq(iba_lrh_vl(e), 15);
    cr_assert_eq(iba_lrh_sl(e), 5);
    p.lid = 0x1230;
    iba_envelope_write(&p, &av, 0, e);
    cr_assert_eq(iba_lrh_slid(e), 0x1233);
    av.smp = false;
    iba_envelope_write(&p, &av, 0, e);
    cr_assert_eq(iba_lrh_vl(e), 9);
}

/* WF-19: the LMC decides how many path bits the source LID has. */
Test(envelope, path_bits_choose_among_the_lids)
{
    uint8_t e[IBA_ENVELOPE_MAX];
    struct iba_port p = port_of(&forms[0]);
    struct iba_av av = av_of(&forms[0]);

    p.lid = 0x1280;
    for (p.lmc = 0; p.lmc <= 7; p.lmc++)
        for (unsigned bits = 0; bits < 256; bits++) {
            av.path_bits = (uint8_t)bits;
            iba_envelope_write(&p, &av, 0, e);
            cr_assert_eq(iba_lrh_slid(e), 0x1280 + (bits & ((1u << p.lmc) - 1)));
            cr_assert(iba_port_has_lid(&p, iba_lrh_slid(e)));
        }
}

/* RO-19: the UDP source port is given, or derived from the flow. A derived port is always the same for a flow, lies in
 * 0xC000..0xFFFF, and differs between flows. */
Test(envelope, udp_source_port)
{
    enum { PORTS = 0x4000, FLOWS = 4 * PORTS };
    static uint8_t seen[PORTS];
    uint8_t e[IBA_ENVELOPE_MAX];
    const struct iba_port p = port_of(&forms[4]);
    struct iba_av av = av_of(&forms[4]);
    unsigned ports = 0;

    iba_envelope_write(&p, &av, 99, e);
    cr_assert_eq(iba_udp_srcport(e + 34), 0xd00d);
    av.udp_source = 0;
    for (uint32_t flow = 0; flow < FLOWS; flow++) {
        iba_envelope_write(&p, &av, flow, e);
        const uint16_t port = iba_udp_srcport(e + 34);
        cr_assert_geq(port, 0xc000);
        ports += !seen[port - 0xc000];
        seen[port - 0xc000] = 1;
        iba_envelope_write(&p, &av, flow, e);
        cr_assert_eq(iba_udp_srcport(e + 34), port);
    }
    cr_assert_gt(ports, PORTS * 9 / 10, "%u ports for %u flows", ports, FLOWS);
}

/* RO-13: the address vector gives the DSCP, and the port gives the ECN bits. */
Test(envelope, ecn_says_ect_where_congestion_is_managed)
{
    static uint8_t packet[ROOM];

    for (unsigned i = 4; i < FORMS; i++)
        for (unsigned tclass = 0; tclass < 256; tclass++) {
            struct iba_port p = port_of(&forms[i]);
            struct iba_av av = av_of(&forms[i]);
            struct iba_view v;
            av.tclass = (uint8_t)tclass;
            p.congestion = tclass % 3 == 0;
            seal_one(&p, &av, 0, packet, &v, 20);
            const uint8_t *ip = packet + v.l3_at;
            cr_assert_eq(v.icrc, IBA_CHECK_GOOD);
            cr_assert_eq(v.l3 == IBA_H_ipv4 ? iba_ipv4_dscp(ip) : iba_ipv6_dscp(ip), tclass >> 2);
            cr_assert_eq(v.l3 == IBA_H_ipv4 ? iba_ipv4_ecn(ip) : iba_ipv6_ecn(ip), p.congestion ? 2 : 0);
        }
}

/* The ones' complement sum over all words of a correct header is all ones (RFC 1071), also where the sum carries. */
Test(envelope, ipv4_checksum_of_many_headers)
{
    static uint8_t packet[ROOM];
    struct iba_port p = port_of(&forms[4]);
    struct iba_av av = av_of(&forms[4]);

    for (uint32_t i = 0; i < 200000; i++) {
        struct iba_view v;
        uint32_t sum = 0;
        iba_gid_set_ipv4(p.gid[1], i % 7 ? i * 2654435761u : UINT32_MAX * (i & 1));
        iba_gid_set_ipv4(av.dgid, i % 5 ? i * 40503u : UINT32_MAX);
        av.hop_limit = (uint8_t)i;
        seal_one(&p, &av, 0, packet, &v, 12 + i % 32 * 4);
        for (unsigned k = 0; k < 20; k += 2)
            sum += (unsigned)packet[14 + k] << 8 | packet[15 + k];
        sum = (sum & 0xffff) + (sum >> 16);
        cr_assert_eq((sum & 0xffff) + (sum >> 16), 0xffff, "header %u", i);
    }
}

/* A raw packet has a VCRC and no ICRC, and its length ends with its payload (WF-04, WF-08). */
Test(envelope, raw_packets)
{
    const struct iba_av av = {.dlid = 0x375c};
    struct iba_port p;

    iba_port_init(&p, 1, IBA_PORT_IB, IBA_MTU_256, 1);
    p.lid = 0x17d2;
    for (unsigned lnh = 0; lnh < 2; lnh++)
        for (unsigned body = 12; body <= 60; body += 4) {
            uint8_t packet[IBA_ENVELOPE_MAX + 64];
            struct iba_view v;
            cr_assert_eq(iba_envelope_write(&p, &av, 0, packet), 8);
            iba_lrh_set_lnh(packet, lnh);
            memset(packet + 8, 0x65, sizeof packet - 8);
            cr_expect_eq(iba_envelope_seal(&p, packet, 8, body), 8 + body + 2);
            cr_expect_eq(iba_lrh_pktlen(packet), 2 + body / 4, "%u bytes", body);
            cr_expect_eq(packet[8 + body - 1], 0x65, "%u bytes", body);
            (void)iba_view_parse(&v, IBA_LINK_IB, packet, 8 + body + 2, 8 + body + 2, NULL);
            iba_view_check(&v);
            cr_expect(v.proto == IBA_PROTO_IB_RAW && v.vcrc == IBA_CHECK_GOOD && v.end == 8 + body, "%u bytes", body);
        }
}
