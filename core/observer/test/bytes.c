/* SPDX-License-Identifier: BSD-2-Clause */
/* Single fields and bits of a packet: the observer names the part of the path that changed, and takes two packets for
 * copies only when they are the same. */
#include "observer/iba_obs_look.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"
#include "witness.h"

enum { CAP = 256, BYTES = 8 };
#define MS UINT64_C(1000000)

static struct witness w;

static void feed(enum iba_link link, const uint8_t *packet, size_t len, iba_time now)
{
    struct iba_view v;

    (void)iba_view_parse(&v, link, packet, len, len, NULL);
    w.frame++;
    (void)iba_observer_feed(w.observer, &(struct iba_sighting){.view = &v, .now = now, .frame = w.frame});
}

/* ---- parts of a path ---- */

static void set_ipv4_dscp(struct iba_recipe *r)
{
    iba_ipv4_set_dscp(iba_recipe_part(r, IBA_H_ipv4), 26);
}

static void set_ipv4_ttl(struct iba_recipe *r)
{
    iba_ipv4_set_ttl(iba_recipe_part(r, IBA_H_ipv4), 9);
}

static void set_udp_port(struct iba_recipe *r)
{
    iba_udp_set_srcport(iba_recipe_part(r, IBA_H_udp), 0xc123);
}

static void set_ipv6_dscp(struct iba_recipe *r)
{
    iba_ipv6_set_dscp(iba_recipe_part(r, IBA_H_ipv6), 26);
}

static void set_ipv6_hlim(struct iba_recipe *r)
{
    iba_ipv6_set_hlim(iba_recipe_part(r, IBA_H_ipv6), 9);
}

static void set_ipv6_flow(struct iba_recipe *r)
{
    iba_ipv6_set_flow(iba_recipe_part(r, IBA_H_ipv6), 0xabcde);
}

static void set_tclass(struct iba_recipe *r)
{
    iba_grh_set_tclass(iba_recipe_part(r, IBA_H_grh), 26 << 2);
}

static void set_congestion(struct iba_recipe *r)
{
    iba_grh_set_tclass(iba_recipe_part(r, IBA_H_grh), 1);
}

static void set_hoplmt(struct iba_recipe *r)
{
    iba_grh_set_hoplmt(iba_recipe_part(r, IBA_H_grh), 9);
}

static void set_flowlabel(struct iba_recipe *r)
{
    iba_grh_set_flowlabel(iba_recipe_part(r, IBA_H_grh), 0xabcde);
}

static void set_sl(struct iba_recipe *r)
{
    iba_lrh_set_sl(iba_recipe_part(r, IBA_H_lrh), 5);
}

static void set_dlid(struct iba_recipe *r)
{
    iba_lrh_set_dlid(iba_recipe_part(r, IBA_H_lrh), 0x1234);
}

static void set_slid(struct iba_recipe *r)
{
    iba_lrh_set_slid(iba_recipe_part(r, IBA_H_lrh), 0x1234);
}

/* A path inside a subnet is between LIDs, so another LID is another path. A path between GIDs crosses subnets, and its
 * LIDs belong to one link. */
static const struct part {
    enum iba_encap encap;
    enum iba_link link;
    void (*change)(struct iba_recipe *r);
    uint32_t changed; /* bits IBA_PATH_* */
} parts[] = {
    {IBA_ENCAP_ROCE2_V4, IBA_LINK_ETHERNET, set_ipv4_dscp, 1u << IBA_PATH_DSCP},
    {IBA_ENCAP_ROCE2_V4, IBA_LINK_ETHERNET, set_ipv4_ttl, 1u << IBA_PATH_HOPS},
    {IBA_ENCAP_ROCE2_V4, IBA_LINK_ETHERNET, set_udp_port, 1u << IBA_PATH_PORT},
    {IBA_ENCAP_ROCE2_V6, IBA_LINK_ETHERNET, set_ipv6_dscp, 1u << IBA_PATH_DSCP},
    {IBA_ENCAP_ROCE2_V6, IBA_LINK_ETHERNET, set_ipv6_hlim, 1u << IBA_PATH_HOPS},
    {IBA_ENCAP_ROCE2_V6, IBA_LINK_ETHERNET, set_ipv6_flow, 1u << IBA_PATH_LABEL},
    {IBA_ENCAP_ROCE2_V6, IBA_LINK_ETHERNET, set_udp_port, 1u << IBA_PATH_PORT},
    {IBA_ENCAP_ROCE1, IBA_LINK_ETHERNET, set_tclass, 1u << IBA_PATH_DSCP},
    {IBA_ENCAP_ROCE1, IBA_LINK_ETHERNET, set_congestion, 0},
    {IBA_ENCAP_ROCE1, IBA_LINK_ETHERNET, set_hoplmt, 1u << IBA_PATH_HOPS},
    {IBA_ENCAP_ROCE1, IBA_LINK_ETHERNET, set_flowlabel, 1u << IBA_PATH_LABEL},
    {IBA_ENCAP_IB_LOCAL, IBA_LINK_IB, set_sl, 1u << IBA_PATH_SL},
    {IBA_ENCAP_IB_GLOBAL, IBA_LINK_IB, set_sl, 1u << IBA_PATH_SL},
    {IBA_ENCAP_IB_GLOBAL, IBA_LINK_IB, set_dlid, 1u << IBA_PATH_LIDS},
    {IBA_ENCAP_IB_GLOBAL, IBA_LINK_IB, set_slid, 1u << IBA_PATH_LIDS},
    {IBA_ENCAP_IB_GLOBAL, IBA_LINK_IB, set_tclass, 1u << IBA_PATH_DSCP},
    {IBA_ENCAP_IB_GLOBAL, IBA_LINK_IB, set_hoplmt, 1u << IBA_PATH_HOPS},
    {IBA_ENCAP_IB_GLOBAL, IBA_LINK_IB, set_flowlabel, 1u << IBA_PATH_LABEL},
};

static size_t build(uint8_t packet[CAP], enum iba_encap encap, uint32_t psn, void (*change)(struct iba_recipe *r))
{
    static struct iba_recipe r;
    static const uint8_t payload[BYTES] = {1};
    size_t len;

    iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
    iba_bth_set_psn(iba_recipe_part(&r, IBA_H_bth), psn);
    if (change)
        change(&r);
    r.payload = payload;
    r.payload_len = sizeof payload;
    cr_assert_eq(iba_build(&r, packet, CAP, &len), IBA_OK);
    return len;
}

Test(bytes, each_part_of_a_path_is_named_when_it_changes)
{
    uint8_t packet[CAP];

    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *p = &parts[i];
        witness_init(&w, NULL);
        for (uint32_t psn = 1; psn <= 3; psn++)
            feed(p->link, packet, build(packet, p->encap, psn, psn < 2 ? NULL : p->change), MS + psn * 10000);
        /* the second packet has the change, the third keeps it */
        cr_expect_eq(w.found[IBA_FINDING_PATH_CHANGED], p->changed != 0, "row %u", i);
        for (size_t k = 0; k < w.n_kept; k++)
            if (w.kept[k].kind == IBA_FINDING_PATH_CHANGED) {
                cr_expect_eq(w.kept[k].count, p->changed, "row %u: parts 0x%x", i, (unsigned)w.kept[k].count);
                cr_expect_eq(w.kept[k].frame, 2, "row %u", i);
                cr_expect_eq(w.kept[k].cause, 1, "row %u", i);
            }
    }
}

/* ---- copies ---- */

/* BTH from IBTA 9.2: byte 4 is FECN, BECN and six reserved bits. Switches set the first two, and the ICRC leaves all
 * eight out (7.8.1). */
static bool a_router_changes(size_t at)
{
    return at == 4;
}

/* The network copies whole packets. Two packets that differ in a bit which no router changes are two packets. */
Test(bytes, each_bit_makes_a_packet_of_its_own)
{
    uint8_t first[CAP], second[CAP];
    const size_t len = build(first, IBA_ENCAP_ROCE2_V4, 7, NULL), bth = len - IBA_BYTES_bth - BYTES - IBA_ICRC_BYTES;

    for (size_t bit = 0; bit < 8 * (len - bth); bit++) {
        memcpy(second, first, len);
        second[bth + bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
        witness_init(&w, NULL);
        feed(IBA_LINK_ETHERNET, first, len, MS);
        feed(IBA_LINK_ETHERNET, second, len, MS + 100);
        cr_expect_eq(w.found[IBA_FINDING_NETWORK_COPY], a_router_changes(bit / 8), "byte %zu, bit %zu", bit / 8,
                     bit % 8);
    }
}

/* The content of a retransmission is compared by a hash of all bytes after the BTH, but for the pad. */
Test(bytes, each_byte_of_the_content_counts)
{
    enum { MOST = 72 };
    static struct iba_recipe r;
    uint8_t payload[MOST] = {0}, packet[CAP];
    uint64_t single[MOST];
    struct iba_view v;
    size_t len;

    for (uint32_t n = 1; n <= MOST; n++) {
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
        r.payload = payload;
        r.payload_len = n;
        cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
        const uint64_t none = iba_observer_content(&v);
        for (uint32_t i = 0; i < n; i++) {
            packet[v.payload_at + i] = 1;
            single[i] = iba_observer_content(&v);
            packet[v.payload_at + i] = 0;
            cr_expect_neq(single[i], none, "byte %u of %u", (unsigned)i, (unsigned)n);
            for (uint32_t k = 0; k < i; k++)
                cr_expect_neq(single[i], single[k], "bytes %u and %u of %u", (unsigned)i, (unsigned)k, (unsigned)n);
        }
        packet[v.payload_at + n] ^= 1; /* the pad, or the ICRC */
        cr_expect_eq(iba_observer_content(&v), none, "%u", (unsigned)n);
    }
}

/* ---- directions ---- */

/* A GID and an IPv6 address of the same bytes are two hosts. */
Test(bytes, the_kind_of_an_address_counts)
{
    static const enum iba_encap encaps[] = {IBA_ENCAP_ROCE1, IBA_ENCAP_ROCE2_V6};
    static struct iba_recipe r;
    uint8_t packet[CAP];
    size_t len;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < 4; i++) {
        const enum iba_encap encap = encaps[i % 2];
        iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
        uint8_t *l3 = iba_recipe_part(&r, encap == IBA_ENCAP_ROCE1 ? IBA_H_grh : IBA_H_ipv6);
        memset(l3 + 8, 0x20, 16);
        memset(l3 + 24, 0x30, 16);
        iba_bth_set_psn(iba_recipe_part(&r, IBA_H_bth), i);
        cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
        feed(IBA_LINK_ETHERNET, packet, len, MS + i * 10000);
    }
    cr_expect_eq(w.observer->n_known, 2);
}
