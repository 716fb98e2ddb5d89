/* SPDX-License-Identifier: BSD-2-Clause */
/* A masked bit does not change the ICRC, and every other bit does; every bit changes the VCRC. This file has a list of
 * masked bits by header and byte that is independent of core's tables (WF-71, WF-75..WF-77). */
#include <string.h>
#include "records.h"

const struct fuzz_target fuzz_target = {"crc", FUZZ_PACKET, NULL};

enum { ROOM = 4096, MOST_BITS = 64 };

/* Returns the masked bits of byte `at` of the header that the ICRC starts with. */
static uint8_t masked_l3(const struct iba_view *v, size_t at)
{
    const bool global = iba_view_has(v, IBA_H_grh);

    switch (v->l3) {
    case IBA_H_lrh:
        if (at < IBA_BYTES_lrh)
            return global ? 0xff : at == 0 ? 0xf0 : 0; /* with a GRH all of the LRH, otherwise the virtual lane */
        at -= IBA_BYTES_lrh;
        if (!global)
            return 0;
        break;
    case IBA_H_ipv4: return at == 1 || at == 8 || at == 10 || at == 11 ? 0xff : 0; /* type of service, TTL, checksum */
    default: break;
    }
    /* GRH and IPv6: traffic class, flow label, hop limit */
    return at == 0 ? 0x0f : (at >= 1 && at <= 3) || at == 7 ? 0xff : 0;
}

static uint8_t masked(const struct iba_view *v, size_t at)
{
    const bool udp = v->l3 == IBA_H_ipv4 || v->l3 == IBA_H_ipv6;

    if (at == v->bth_at + 4)
        return 0xff; /* FECN, BECN, Resv6a */
    if (udp && (at == v->bth_at - 2 || at == v->bth_at - 1))
        return 0xff; /* the UDP checksum */
    const size_t l3 = at - v->l3_at;
    const size_t bytes = v->l3 == IBA_H_lrh ? IBA_BYTES_lrh + IBA_BYTES_grh : iba_headers[v->l3].bytes;
    return at < v->bth_at && l3 < bytes ? masked_l3(v, l3) : 0;
}

static void flip_one(const struct iba_view *v, uint8_t *wire, uint16_t which)
{
    const size_t first = v->l3_at, end = v->end - IBA_ICRC_BYTES, at = first + which / 8u % (end - first);
    const uint8_t bit = (uint8_t)(1u << which % 8);
    const uint32_t good = iba_view_icrc(v);

    wire[at] ^= bit;
    FUZZ_CHECK((iba_view_icrc(v) == good) == ((masked(v, at) & bit) != 0));
    wire[at] ^= bit;
    fuzz_note(good);
}

static void flip_vcrc(uint8_t *wire, size_t len, uint16_t which)
{
    const uint16_t good = iba_vcrc(wire, len);
    const size_t at = which / 8u % len;
    const uint8_t bit = (uint8_t)(1u << which % 8);

    wire[at] ^= bit;
    FUZZ_CHECK(iba_vcrc(wire, len) != good);
    wire[at] ^= bit;
    fuzz_note(good);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static uint8_t wire[ROOM];
    struct fuzz_in in = {data, n};
    const enum iba_link link = fuzz_link(fuzz_u8(&in));
    const uint8_t start = fuzz_u8(&in);
    struct iba_view v;

    if (in.n == 0 || in.n > sizeof wire)
        return 0;
    fuzz_packet(link, in.p, in.n);
    memcpy(wire, in.p, in.n);
    (void)iba_view_parse(&v, link, wire, in.n, in.n, NULL);
    for (unsigned i = 0; i < MOST_BITS; i++) {
        const uint16_t which = (uint16_t)(start + i * 37u);
        flip_vcrc(wire, in.n, which);
        if (v.icrc == IBA_CHECK_PENDING)
            flip_one(&v, wire, which);
    }
    return 0;
}
