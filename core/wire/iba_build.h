/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets from tables: the inverse of the view (iba_view.h).
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
/* The headers before those of the opcode. Where a row ends with bth, the opcode's headers are added after it.
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
/* The encapsulation of that script name; IBA_ENCAP_COUNT when there is none. */
enum iba_encap iba_encap_find(const char *name);

/* Bytes after a header's fixed part that no row describes: IPv4 options, IPv6 extension headers, control words */
enum { IBA_PART_BYTES = 40, IBA_PART_EXTRA = 40 };
struct iba_part {
    uint8_t hdr;   /* enum iba_hdr */
    uint8_t extra; /* 0 .. IBA_PART_EXTRA: that many of `bytes` follow the header in the packet */
    uint16_t keep; /* derived fields not to be written; iba_recipe_set() sets them */
    uint8_t bytes[IBA_PART_BYTES + IBA_PART_EXTRA];
};

enum {                         /* iba_recipe.keep */
       IBA_KEEP_LENGTHS = 1,   /* of every header; IHL and the length of extension headers too */
       IBA_KEEP_CHECKSUMS = 2, /* of IPv4 headers and flow-control packets */
       IBA_KEEP_PAD = 4,       /* PadCnt as it is, and no pad: the payload contains its own pad bytes or none */
};
enum iba_crc_mode {
    IBA_CRC_GOOD,
    IBA_CRC_BAD,   /* the good one, lowest bit of its first byte flipped */
    IBA_CRC_GIVEN, /* the value in the recipe */
    IBA_CRC_NONE,  /* no CRC bytes; the lengths count the bytes that exist */
};

struct iba_recipe {
    const uint8_t *payload; /* borrowed until iba_build() returns */
    size_t payload_len;
    size_t frame_pad;  /* zero bytes after the packet, which only ERF's length counts (RO-04, RO-38) */
    uint32_t icrc;     /* for IBA_CRC_GIVEN: the number that is sent as little-endian bytes */
    uint16_t vcrc;     /* likewise; a flow-control packet's CRC follows vcrc_mode too */
    uint8_t keep;      /* IBA_KEEP_* */
    bool udp_checksum; /* write correct UDP checksums; false leaves those of the images: 0 (RO-21) */
    uint8_t icrc_mode; /* enum iba_crc_mode: packets with a BTH after a network header */
    uint8_t vcrc_mode; /* packets with an LRH */
    unsigned n_part;   /* 0 .. IBA_MAX_LAYERS */
    struct iba_part part[IBA_MAX_LAYERS]; /* in wire order */
};

/* A packet of encapsulation `e` with that opcode and no payload, every field at a legal default. Any code is accepted:
 * reserved and vendor codes have no headers after the BTH. */
void iba_recipe_init(struct iba_recipe *r, enum iba_encap e, uint8_t opcode);
/* The same, with the headers of `hdrs` (IBA_HDR_BIT) after the BTH, whatever the opcode requires. */
void iba_recipe_init_with(struct iba_recipe *r, enum iba_encap e, uint8_t opcode, uint64_t hdrs);
/* Appends a header with its defaults and makes the one before announce it, if that is possible. Returns its image; NULL
 * when the recipe is full. A zeroed recipe is an empty one, and may be added to. */
uint8_t *iba_recipe_add(struct iba_recipe *r, enum iba_hdr h);
/* The image of the last header of that kind; NULL when there is none. For outer ones use part[]. */
uint8_t *iba_recipe_part(struct iba_recipe *r, enum iba_hdr h);
/* Sets a field (of at most 64 bits) of part[i] to any value, and keeps iba_build() from deriving it. */
void iba_recipe_set(struct iba_recipe *r, unsigned i, const struct iba_field *f, uint64_t v);

/* Writes the packet. *len is its length, also when the result is IBA_NO_ROOM and nothing was written. IBA_TOO_DEEP: the
 * BTH is too far from its network header for an ICRC. A length that exceeds its field loses its high bits. */
enum iba_err iba_build(const struct iba_recipe *r, uint8_t *buf, size_t cap, size_t *len);

/* Repairs the CRCs of a parsed packet: IPv4 header checksums, then ICRC, then VCRC or link packet CRC; those the view
 * could check. `wire` is v->wire, writable. The view's own icrc and vcrc stay as they were: parse again. */
void iba_view_repair_crc(const struct iba_view *v, uint8_t *wire);

#ifdef __cplusplus
}
#endif

#endif
