/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers that name the header after them, headers of variable length, and packets whose headers contradict each
 * other. The numbers are those of IANA's registries and of the IBA specification. */
#include "wire.h"

enum { CAP = 512 };
static struct iba_recipe r;
static uint8_t buf[CAP];
static struct iba_view v;

/* ---- the next header ---- */

struct named {
    uint8_t parent;
    uint16_t at, bits; /* of the parent's field */
    struct {
        uint8_t child;
        uint16_t number;
    } of[10];
};
#define FIELD(header, name) IBA_H_##header, IBA_AT_##header##_##name, IBA_W_##header##_##name
/* clang-format off */
#define ETHERTYPES                                                                                                     \
    {{IBA_H_ipv4, 0x0800}, {IBA_H_ipv6, 0x86dd}, {IBA_H_grh, 0x8915}, {IBA_H_vlan, 0x8100}, {IBA_H_svlan, 0x88a8},     \
     {IBA_H_mpls, 0x8847}, {IBA_H_eth, 0x6558}, {IBA_H_erspan2, 0x88be}, {IBA_H_erspan3, 0x22eb}}
#define PROTOCOLS                                                                                                      \
    {{IBA_H_ipv4, 4}, {IBA_H_udp, 17}, {IBA_H_bth, 27}, {IBA_H_ipv6, 41}, {IBA_H_gre, 47}, {IBA_H_ip6ext, 60}}
/* clang-format on */

static const struct named named[] = {
    {FIELD(eth, type), ETHERTYPES},
    {FIELD(vlan, etype), ETHERTYPES},
    {FIELD(svlan, etype), ETHERTYPES},
    {FIELD(sll, etype), ETHERTYPES},
    {FIELD(sll2, etype), ETHERTYPES},
    {FIELD(ipoib, type), ETHERTYPES},
    {FIELD(ipoibsend, type), ETHERTYPES},
    {FIELD(rwh, etype), ETHERTYPES},
    {FIELD(gre, proto), ETHERTYPES},
    {FIELD(ipv4, proto), PROTOCOLS},
    {FIELD(ipv6, nxt), PROTOCOLS},
    {FIELD(ip6ext, nxt), PROTOCOLS},
    {FIELD(grh, nxthdr), PROTOCOLS},
    {FIELD(lrh, lnh), {{IBA_H_rwh, 0}, {IBA_H_ipv6, 1}, {IBA_H_bth, 2}, {IBA_H_grh, 3}}},
    {FIELD(udp, dstport), {{IBA_H_vxlan, 4789}, {IBA_H_bth, 4791}}},
    {FIELD(erf, type), {{IBA_H_eth, 2}, {IBA_H_lrh, 21}, {IBA_H_ipv4, 22}, {IBA_H_ipv6, 23}, {IBA_H_fc, 25}}},
};

/* A header that is added sets the field of the header before it, whatever the field has; one that has no number there
 * leaves it as it is. */
Test(recipe, a_header_is_named_by_the_one_before)
{
    for (size_t i = 0; i < COUNT(named); i++)
        for (size_t k = 0; k < COUNT(named[i].of); k++)
            for (unsigned before = 0; before < 2; before++) {
                const unsigned child = named[i].of[k].child, other = before ? UINT16_MAX >> (16 - named[i].bits) : 0;
                uint8_t *parent;
                if (k > 0 && child == 0)
                    continue;
                memset(&r, 0, sizeof r);
                parent = iba_recipe_add(&r, (enum iba_hdr)named[i].parent);
                iba_bits_put(parent, named[i].at, named[i].bits, other);
                cr_assert_not_null(iba_recipe_add(&r, (enum iba_hdr)child));
                cr_expect_eq(iba_bits_get(parent, named[i].at, named[i].bits), named[i].of[k].number, "%s before %s",
                             iba_headers[named[i].parent].name, iba_headers[child].name);
                iba_bits_put(parent, named[i].at, named[i].bits, other);
                r.n_part = 1;
                cr_assert_not_null(iba_recipe_add(&r, IBA_H_aeth));
                cr_expect_eq(iba_bits_get(parent, named[i].at, named[i].bits), other, "%s before an AETH",
                             iba_headers[named[i].parent].name);
            }
}

/* ---- variable lengths ---- */

/* RFC 8200, 4.2: the length of an extension header is in units of eight bytes, without the first eight. RFC 791: that
 * of IPv4 is in words. */
Test(recipe, headers_of_variable_length)
{
    for (uint8_t extra = 0; extra <= IBA_PART_EXTRA; extra++) {
        uint8_t *ip, *ext;
        size_t len;
        if (extra % 4 == 0) {
            memset(&r, 0, sizeof r);
            ip = iba_recipe_add(&r, IBA_H_ipv4);
            r.part[0].extra = extra;
            cr_assert_eq(iba_build(&r, buf, sizeof buf, &len), IBA_OK);
            cr_expect_eq(len, 20u + extra);
            cr_expect_eq(buf[0], 0x40 + 5 + extra / 4, "%u bytes of options", extra);
            (void)ip;
        }
        if (extra % 8 == 6) {
            memset(&r, 0, sizeof r);
            ext = iba_recipe_add(&r, IBA_H_ip6ext);
            r.part[0].extra = extra;
            cr_assert_eq(iba_build(&r, buf, sizeof buf, &len), IBA_OK);
            cr_expect_eq(len, 2u + extra);
            cr_expect_eq(buf[1], extra / 8, "%u bytes", extra);
            (void)ext;
        }
    }
}

/* ---- contradictions ---- */

/* A record of type 22 has an IPv4 packet, one of type 23 an IPv6 packet; a packet of the other version is a fault. */
Test(recipe, records_of_the_other_version)
{
    static const uint8_t payload[64];

    for (unsigned type = 22; type <= 23; type++)
        for (unsigned six = 0; six < 2; six++) {
            size_t len;
            memset(&r, 0, sizeof r);
            iba_recipe_add(&r, IBA_H_erf);
            iba_recipe_add(&r, six ? IBA_H_ipv6 : IBA_H_ipv4);
            iba_recipe_add(&r, IBA_H_udp);
            iba_erf_set_type(r.part[0].bytes, type);
            r.payload = payload;
            r.payload_len = sizeof payload;
            cr_assert_eq(iba_build(&r, buf, sizeof buf, &len), IBA_OK);
            iba_view_parse(&v, IBA_LINK_ERF, buf, len, len, NULL);
            cr_expect_eq(v.err, (type == 23) == six ? IBA_OK : IBA_IP_VERSION, "type %u", type);
            cr_expect_eq(iba_view_has(&v, IBA_H_udp), (type == 23) == six);
        }
}

/* No further port of RoCE is given, so a datagram to port 0 is none. */
Test(recipe, port_zero_is_not_of_roce)
{
    static const struct iba_view_opts none;
    size_t len;

    for (unsigned port = 0; port < 2; port++) {
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, 4);
        iba_udp_set_dstport(iba_recipe_part(&r, IBA_H_udp), port ? 4791 : 0);
        cr_assert_eq(iba_build(&r, buf, sizeof buf, &len), IBA_OK);
        iba_view_parse(&v, IBA_LINK_ETHERNET, buf, len, len, &none);
        cr_expect_eq(v.proto, port ? IBA_PROTO_ROCE2 : IBA_PROTO_NONE);
    }
}
