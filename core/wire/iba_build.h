/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds packets from tables, as the view (iba_view.h) parses them.
 *
 *     struct iba_recipe r;
 *     iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
 *     iba_bth_set_psn(iba_recipe_part(&r, IBA_H_bth), 7);
 *     r.payload = bytes, r.payload_len = n;
 *     err = iba_build(&r, buf, sizeof buf, &len);
 *
 * A recipe is a list of header images. A field that names the next header (EtherType, protocol, LNH, port, flags that
 * announce an optional header) is written when a header is added, and may be overwritten like any other field. Fields
 * that are only known at the end (lengths, pad, checksums, CRCs: "derived") are written by iba_build(), unless the
 * recipe keeps their values. */
#ifndef IBA_BUILD_H
#define IBA_BUILD_H
#include "iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* The headers of a packet up to the BTH. Where a row ends with bth, the headers of the opcode follow the BTH.
 *    name             script name           link      headers */
#define IBA_ENCAPS(E, X)                                                                                                   \
    E(IB_LOCAL,        "ib-local",           IB,       X(lrh) X(bth))                                                      \
    E(IB_GLOBAL,       "ib-global",          IB,       X(lrh) X(grh) X(bth))                                               \
    E(IB_RAW,          "ib-raw-ethertype",   IB,       X(lrh) X(rwh))                                                      \
    E(IB_RAW_V6,       "ib-raw-ipv6",        IB,       X(lrh) X(ipv6))                                                     \
    E(IB_FC,           "ib-flow-control",    IB_LINK,  X(fc))                                                              \
    E(ROCE1,           "roce1",              ETHERNET, X(eth) X(grh) X(bth))                                               \
    E(ROCE1_VLAN,      "roce1-vlan",         ETHERNET, X(eth) X(vlan) X(grh) X(bth))                                       \
    E(ROCE2_V4,        "roce2-ipv4",         ETHERNET, X(eth) X(ipv4) X(udp) X(bth))                                       \
    E(ROCE2_V6,        "roce2-ipv6",         ETHERNET, X(eth) X(ipv6) X(udp) X(bth))                                       \
    E(ROCE2_V4_VLAN,   "roce2-ipv4-vlan",    ETHERNET, X(eth) X(vlan) X(ipv4) X(udp) X(bth))                               \
    E(ROCE2_V6_VLAN,   "roce2-ipv6-vlan",    ETHERNET, X(eth) X(vlan) X(ipv6) X(udp) X(bth))                               \
    E(ROCE2_QINQ,      "roce2-ipv4-qinq",    ETHERNET, X(eth) X(svlan) X(vlan) X(ipv4) X(udp) X(bth))                      \
    E(ROCE2_V6_EXT,    "roce2-ipv6-ext",     ETHERNET, X(eth) X(ipv6) X(ip6ext) X(udp) X(bth))                             \
    E(ROCE2_MPLS,      "roce2-ipv4-mpls",    ETHERNET, X(eth) X(mpls) X(mpls) X(ipv4) X(udp) X(bth))                       \
    E(ROCE2_MPLS_PW,   "roce2-ipv4-mpls-pw", ETHERNET, X(eth) X(mpls) X(eth) X(ipv4) X(udp) X(bth))                        \
    E(ROCE2_V4_VXLAN,  "roce2-ipv4-vxlan",   ETHERNET, X(eth) X(ipv4) X(udp) X(vxlan) X(eth) X(ipv4) X(udp) X(bth))        \
    E(ROCE2_V6_VXLAN,  "roce2-ipv6-vxlan",   ETHERNET, X(eth) X(ipv6) X(udp) X(vxlan) X(eth) X(ipv6) X(udp) X(bth))        \
    E(ROCE2_GRE,       "roce2-ipv4-gre",     ETHERNET, X(eth) X(ipv4) X(gre) X(eth) X(ipv4) X(udp) X(bth))                 \
    E(ROCE2_GRE_IP,    "roce2-ipv4-gre-ip",  ETHERNET, X(eth) X(ipv4) X(gre) X(grekey) X(ipv4) X(udp) X(bth))              \
    E(ROCE1_GRE,       "roce1-gre",          ETHERNET, X(eth) X(ipv4) X(gre) X(eth) X(grh) X(bth))                         \
    E(ROCE2_ERSPAN2,   "roce2-ipv4-erspan2", ETHERNET, X(eth) X(ipv4) X(gre) X(greseq) X(erspan2) X(eth) X(ipv4) X(udp) X(bth)) \
    E(ROCE2_ERSPAN3,   "roce2-ipv4-erspan3", ETHERNET, X(eth) X(ipv4) X(gre) X(greseq) X(erspan3) X(eth) X(ipv4) X(udp) X(bth)) \
    E(ROCE2_ERSPAN3P,  "roce2-ipv6-erspan3-platform", ETHERNET,                                                            \
                       X(eth) X(ipv4) X(gre) X(greseq) X(erspan3) X(erspanp) X(eth) X(ipv6) X(udp) X(bth))                 \
    E(ROCE2_IPIP,      "roce2-ipv4-ipip",    ETHERNET, X(eth) X(ipv4) X(ipv4) X(udp) X(bth))                               \
    E(IP_V4,           "ip-roce2-ipv4",      IP,       X(ipv4) X(udp) X(bth))                                              \
    E(IP_V6,           "ip-roce2-ipv6",      IP,       X(ipv6) X(udp) X(bth))                                              \
    E(SLL,             "sll-roce2-ipv4",     SLL,      X(sll) X(ipv4) X(udp) X(bth))                                       \
    E(SLL_ROCE1,       "sll-roce1",          SLL,      X(sll) X(grh) X(bth))                                               \
    E(SLL2,            "sll2-roce2-ipv6",    SLL2,     X(sll2) X(ipv6) X(udp) X(bth))                                      \
    E(ERF_ETH,         "erf-roce2-ipv4",     ERF,      X(erf) X(erfpad) X(eth) X(ipv4) X(udp) X(bth))                      \
    E(ERF_ETH_EXT,     "erf-ext-roce1",      ERF,      X(erf) X(erfext) X(erfext) X(erfpad) X(eth) X(grh) X(bth))          \
    E(ERF_IB,          "erf-ib-local",       ERF,      X(erf) X(lrh) X(bth))                                               \
    E(ERF_IB_GLOBAL,   "erf-ib-global",      ERF,      X(erf) X(erfext) X(lrh) X(grh) X(bth))                              \
    E(ERF_FC,          "erf-flow-control",   ERF,      X(erf) X(fc))                                                       \
    E(IPOIB,           "ipoib-ipv4",         IPOIB,    X(ipoibph) X(ipoib) X(ipv4) X(udp))
/* clang-format on */

enum iba_encap { /* IBA_ENCAP_IB_LOCAL, ... */
#define IBA_ENCAP_ID(name, ...) IBA_ENCAP_##name,
                 IBA_ENCAPS(IBA_ENCAP_ID, ) IBA_ENCAP_COUNT
};
struct iba_encap_info {
    const char *name;
    uint8_t link, n_hdr; /* enum iba_link to parse the result with */
    uint8_t hdr[14];
};
extern const struct iba_encap_info iba_encaps[IBA_ENCAP_COUNT];
/* Returns the encapsulation of that script name; IBA_ENCAP_COUNT: there is none. */
enum iba_encap iba_encap_find(const char *name);

/* IBA_PART_EXTRA: most bytes after a header's fixed part (IPv4 options, IPv6 extension headers, control words) */
enum { IBA_PART_BYTES = 40, IBA_PART_EXTRA = 40 };
struct iba_part {
    uint8_t hdr;   /* enum iba_hdr */
    uint8_t extra; /* 0 .. IBA_PART_EXTRA: number of variable bytes, which follow the fixed part in `bytes` and in the
                      packet */
    uint16_t keep; /* derived fields that iba_build() leaves as they are; iba_recipe_set() sets this */
    uint8_t bytes[IBA_PART_BYTES + IBA_PART_EXTRA];
};

enum {                         /* bits of iba_recipe.keep: derived fields that iba_build() leaves as they are */
       IBA_KEEP_LENGTHS = 1,   /* the lengths of every header, IHL and the lengths of extension headers included */
       IBA_KEEP_CHECKSUMS = 2, /* the checksums of IPv4 headers and flow-control packets */
       IBA_KEEP_PAD = 4,       /* PadCnt; iba_build() adds no pad, so the payload has its own pad bytes or none */
};
enum iba_crc_mode {
    IBA_CRC_GOOD,
    IBA_CRC_BAD,   /* the right CRC, with the lowest bit of its first byte flipped */
    IBA_CRC_GIVEN, /* the value in the recipe */
    IBA_CRC_NONE,  /* no CRC bytes; the lengths do not count them either */
};

struct iba_recipe {
    const uint8_t *payload; /* borrowed until iba_build() returns */
    size_t payload_len;
    size_t frame_pad;  /* number of zero bytes after the packet, which only ERF's length counts (RO-04, RO-38) */
    uint32_t icrc;     /* for IBA_CRC_GIVEN: the ICRC, which is sent as little-endian bytes */
    uint16_t vcrc;     /* for IBA_CRC_GIVEN: the VCRC, or the CRC of a flow-control packet */
    uint8_t keep;      /* IBA_KEEP_* */
    bool udp_checksum; /* write correct UDP checksums; false: leave those of the images, which are 0 by default (RO-21)
                        */
    uint8_t icrc_mode; /* enum iba_crc_mode, for packets with a BTH after a network header */
    uint8_t vcrc_mode; /* enum iba_crc_mode, for packets with an LRH, and flow-control packets */
    unsigned n_part;   /* 0 .. IBA_MAX_LAYERS */
    struct iba_part part[IBA_MAX_LAYERS]; /* in wire order */
};

/* Makes the recipe of a packet of encapsulation `e` with that opcode, without payload, whose fields have legal
 * defaults. Any opcode is accepted: a packet with a reserved or vendor opcode has no headers after the BTH. */
void iba_recipe_init(struct iba_recipe *r, enum iba_encap e, uint8_t opcode);
/* Like iba_recipe_init(), but with the headers of `hdrs` (IBA_HDR_BIT) after the BTH, whatever the opcode requires. */
void iba_recipe_init_with(struct iba_recipe *r, enum iba_encap e, uint8_t opcode, uint64_t hdrs);
/* Appends a header with its default values, and makes the header before it announce it, if that is possible. Returns
 * the image of the new header; NULL: the recipe is full. A recipe of zeros is empty, and a header can be appended to
 * it. */
uint8_t *iba_recipe_add(struct iba_recipe *r, enum iba_hdr h);
/* Returns the image of the last header of that kind; NULL: there is none. part[] has the outer headers of that kind. */
uint8_t *iba_recipe_part(struct iba_recipe *r, enum iba_hdr h);
/* Sets a field of at most 64 bits of part[i] to any value. If it is a derived field, iba_build() then leaves it as it
 * is. */
void iba_recipe_set(struct iba_recipe *r, unsigned i, const struct iba_field *f, uint64_t v);

/* Writes the packet. *len becomes its length, also if the result is IBA_NO_ROOM and nothing was written. IBA_TOO_DEEP:
 * the BTH is too far from its network header for an ICRC. A length that exceeds its field loses its high bits. */
enum iba_err iba_build(const struct iba_recipe *r, uint8_t *buf, size_t cap, size_t *len);

/* Repairs the CRCs of a parsed packet that the view can check: IPv4 header checksums, then ICRC, then VCRC or link
 * packet CRC. `wire` is v->wire, but writable. The view's own icrc and vcrc stay as they were, so parse the packet
 * again. */
void iba_view_repair_crc(const struct iba_view *v, uint8_t *wire);

#ifdef __cplusplus
}
#endif

#endif
