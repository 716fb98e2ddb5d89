/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of a packet: ICRC, VCRC, and the CRC of flow-control packets. */
#ifndef IBA_CRC_H
#define IBA_CRC_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_ICRC_BYTES = 4, IBA_VCRC_BYTES = 2 };

/* Where the ICRC starts, and which fields count as ones in it (WF-71, WF-75..WF-77). */
enum iba_icrc_kind {
    IBA_ICRC_LOCAL,    /* starts at the LRH, no GRH: masks LRH.VL */
    IBA_ICRC_GLOBAL,   /* starts at the LRH, GRH follows: masks the whole LRH and GRH TClass, FlowLabel, HopLmt */
    IBA_ICRC_ROCE1,    /* starts at the GRH */
    IBA_ICRC_ROCE2_V4, /* starts at the IPv4 header */
    IBA_ICRC_ROCE2_V6, /* starts at the IPv6 header */
};

/* In every known encapsulation the BTH is at most this far from where the ICRC starts. */
enum { IBA_ICRC_MAX_BTH_AT = 192 };

/* Returns the ICRC over from[0..end), a number that is sent as little-endian bytes (WF-69, WF-70, WF-74). `bth_at` is
 * the offset of the BTH: at least the minimum for `kind`, and at most IBA_ICRC_MAX_BTH_AT. The BTH must be complete. */
uint32_t iba_icrc(enum iba_icrc_kind kind, const uint8_t *from, size_t bth_at, size_t end);

/* Returns the VCRC over the bytes from the LRH to the ICRC, or to the end of a raw payload. The number is sent as
 * little-endian bytes (WF-79). */
uint16_t iba_vcrc(const uint8_t *lrh, size_t len);

/* Returns the link packet CRC over the first four bytes of a flow-control packet, by the CRC-16 of the VCRC (section
 * 7.9.4 [K]). */
uint16_t iba_lpcrc(const uint8_t *fc);

static inline uint32_t iba_le32(const uint8_t *p) /* four bytes, the lowest first */
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint16_t iba_le16(const uint8_t *p) /* two bytes, the lowest first */
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline void iba_put_le32(uint8_t *p, uint32_t v) /* four bytes, the lowest first */
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}
static inline void iba_put_le16(uint8_t *p, uint16_t v) /* two bytes, the lowest first */
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

#ifdef __cplusplus
}
#endif

#endif
