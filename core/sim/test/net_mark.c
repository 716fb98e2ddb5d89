/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion marks: CE or FECN where the packet has a field for it; every check stays good or bad as it was. */
#include "net.h"
#include "wire/iba_opcode_rows.h"

static struct bench bench;
static const struct iba_net_faults always = {.ecn_mark = MILLION};

static size_t build(enum iba_encap e, uint8_t ecn, uint8_t *packet)
{
    static struct iba_recipe r;
    size_t len;

    iba_recipe_init(&r, e, IBA_UC_SEND_ONLY);
    for (unsigned i = 0; i < r.n_part; i++) {
        if (r.part[i].hdr == IBA_H_ipv4)
            iba_ipv4_set_ecn(r.part[i].bytes, ecn);
        if (r.part[i].hdr == IBA_H_ipv6)
            iba_ipv6_set_ecn(r.part[i].bytes, ecn);
    }
    cr_assert_eq(iba_build(&r, packet, BYTES, &len), IBA_OK);
    return len;
}

/* Sends one frame through a network that marks all frames; `got` is the result. */
static void through(enum iba_link link, const uint8_t *packet, size_t len, uint8_t *got)
{
    start(&bench, 1, &always, link);
    iba_net_send(&bench.net, 0, packet, len, 5);
    cr_assert_eq(iba_net_receive(&bench.net, 1, got, BYTES, 5), len);
}

static void look(struct iba_view *v, enum iba_link link, const uint8_t *packet, size_t len)
{
    iba_view_parse(v, link, packet, len, len, NULL);
    iba_view_check(v);
}

/* Undoes the mark and repairs the checks. The result must be the packet that was sent. */
static void unmark(const struct iba_view *v, uint8_t *got, uint8_t ecn)
{
    switch (v->l3) {
    case IBA_H_ipv4: iba_ipv4_set_ecn(got + v->l3_at, ecn); break;
    case IBA_H_ipv6: iba_ipv6_set_ecn(got + v->l3_at, ecn); break;
    default: iba_bth_set_fecn(got + v->bth_at, 0); break;
    }
    iba_view_repair_crc(v, got);
}

/* Every encapsulation and every ECN value: marked in the header where the ICRC starts, nothing else changed, all CRCs
 * and IPv4 checksums good. */
Test(net_mark, every_encapsulation)
{
    uint8_t packet[BYTES], got[BYTES];

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        for (uint8_t ecn = 0; ecn < 4; ecn++) {
            const enum iba_link link = (enum iba_link)iba_encaps[e].link;
            const char *name = iba_encaps[e].name;
            const size_t len = build((enum iba_encap)e, ecn, packet);
            struct iba_view v;
            through(link, packet, len, got);
            look(&v, link, got, len);
            if (!iba_view_is_transport(&v)) {
                cr_assert_arr_eq(got, packet, len, "%s", name);
                cr_assert_eq(bench.count[IBA_NET_MARKED], 0);
                continue;
            }
            cr_assert_eq(bench.count[IBA_NET_MARKED], 1, "%s", name);
            const bool ip = v.l3 == IBA_H_ipv4 || v.l3 == IBA_H_ipv6;
            const uint8_t *l3 = got + v.l3_at;
            if (ip)
                cr_assert_eq(v.l3 == IBA_H_ipv4 ? iba_ipv4_ecn(l3) : iba_ipv6_ecn(l3), 3, "%s", name);
            cr_assert_eq(iba_bth_fecn(iba_view_bth(&v)), !ip, "%s: FECN is not for RoCEv2 (RO-29)", name);
            cr_assert_eq(v.icrc, IBA_CHECK_GOOD, "%s: marks are outside the ICRC", name);
            cr_assert_eq(v.vcrc, iba_view_has(&v, IBA_H_lrh) ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT, "%s", name);
            uint8_t repaired[BYTES];
            memcpy(repaired, got, len);
            struct iba_view again;
            look(&again, link, repaired, len);
            iba_view_repair_crc(&again, repaired);
            cr_assert_arr_eq(repaired, got, len, "%s: a checksum is not what it should be", name);
            unmark(&again, repaired, ecn);
            cr_assert_arr_eq(repaired, packet, len, "%s: more than a mark", name);
        }
}

/* Marking does not repair: wrong VCRC, ICRC and IPv4 checksum stay wrong. */
Test(net_mark, wrong_checks_stay_wrong)
{
    static const enum iba_encap encap[] = {IBA_ENCAP_IB_LOCAL, IBA_ENCAP_IB_GLOBAL, IBA_ENCAP_ROCE1,
                                           IBA_ENCAP_ROCE2_V4};
    uint8_t packet[BYTES], got[BYTES], healed[BYTES];

    for (unsigned i = 0; i < sizeof encap / sizeof *encap; i++) {
        const enum iba_link link = (enum iba_link)iba_encaps[encap[i]].link;
        const size_t len = build(encap[i], 2, packet);
        struct iba_view v;
        packet[len - 1] ^= 0x40; /* the VCRC on IB, else the ICRC */
        if (encap[i] == IBA_ENCAP_ROCE2_V4)
            packet[14 + 10] ^= 0x40;
        through(link, packet, len, got);
        look(&v, link, got, len);
        cr_assert_eq(bench.count[IBA_NET_MARKED], 1);
        cr_assert_eq(v.proto == IBA_PROTO_IB ? v.vcrc : v.icrc, IBA_CHECK_BAD);
        if (encap[i] != IBA_ENCAP_ROCE2_V4)
            continue;
        memcpy(healed, got, len);
        look(&v, link, healed, len);
        iba_view_repair_crc(&v, healed);
        cr_assert_neq(iba_ipv4_checksum(healed + 14), iba_ipv4_checksum(got + 14));
    }
}

/* A packet of another protocol, or an incomplete one, passes unchanged, and the log does not have it. Nothing is read
 * beyond the packet. */
Test(net_mark, every_prefix_of_every_encapsulation)
{
    uint8_t packet[BYTES], got[BYTES];

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        const size_t len = build((enum iba_encap)e, 1, packet);
        for (size_t n = 1; n < len; n++) {
            unsigned differ = 0;
            through((enum iba_link)iba_encaps[e].link, packet, n, got);
            for (size_t i = 0; i < n; i++)
                differ += (unsigned)__builtin_popcount((unsigned)(packet[i] ^ got[i]));
            cr_assert_eq(differ > 0, bench.count[IBA_NET_MARKED] > 0, "%s, %zu bytes", iba_encaps[e].name, n);
        }
    }
}

/* The probability of marks works like that of other faults. */
Test(net_mark, as_often_as_asked)
{
    enum { FRAMES = 100000 };
    const struct iba_net_faults f = {.ecn_mark = 250000};
    uint8_t packet[BYTES], got[BYTES];
    const size_t len = build(IBA_ENCAP_ROCE2_V4, 2, packet);
    unsigned marked = 0;

    start(&bench, 77, &f, IBA_LINK_ETHERNET);
    for (unsigned i = 0; i < FRAMES; i++) {
        iba_net_send(&bench.net, 1, packet, len, i);
        cr_assert_eq(iba_net_receive(&bench.net, 0, got, sizeof got, i), len);
        marked += iba_ipv4_ecn(got + 14) == 3;
    }
    cr_assert_eq(marked, bench.count[IBA_NET_MARKED]);
    cr_assert(marked > FRAMES / 4 - 900 && marked < FRAMES / 4 + 900, "%u marked", marked);
}
