/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet view: what one packet has, and where. It copies no bytes, and is valid as long as the packet's bytes are.
 *
 * Parsing a view is the only place that checks lengths from the wire. Every header in `layer` lies completely inside
 * the captured bytes; code that has a view reads it with the getters of iba_hdr.h and checks nothing. */
#ifndef IBA_VIEW_H
#define IBA_VIEW_H
#include "iba_crc.h"
#include "iba_opcode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Faults of a packet; 0 is success. The view keeps the first fault, and parsing continues where it can. */
#define IBA_ERRS(E)                                                                                                    \
    E(OK, "ok")                                                                                                        \
    E(HEADER_CUT, "the packet ends inside a header")                                                                   \
    E(NO_ICRC, "the packet is too short for an ICRC")                                                                  \
    E(BAD_PAD, "BTH.PadCnt is larger than the payload")                                                                \
    E(LRH_LENGTH, "LRH.PktLen does not fit the packet (WF-08, WF-11)")                                                 \
    E(LRH_VERSION, "LRH.LVer is not 0 (WF-07)")                                                                        \
    E(GRH_LENGTH, "GRH.PayLen does not fit the packet (WF-23)")                                                        \
    E(GRH_VERSION, "GRH.IPVer is not 6 (WF-21)")                                                                       \
    E(GRH_NXTHDR, "GRH.NxtHdr is not 0x1b (WF-22)")                                                                    \
    E(IP_VERSION, "IP version does not match")                                                                         \
    E(IP_HEADER, "IP header length is impossible")                                                                     \
    E(IP_LENGTH, "IP length exceeds the frame")                                                                        \
    E(UDP_LENGTH, "UDP length does not fit the IP packet (RO-20)")                                                     \
    E(NOT_ROCE_SHORT, "not RoCE: too short for a BTH and an ICRC")                                                     \
    E(NOT_ROCE_OPCODE, "not RoCE: reserved opcode, and no good ICRC")                                                  \
    E(TOO_DEEP, "more headers than any known encapsulation has")                                                       \
    E(NO_ROOM, "the caller's buffer is too small")
enum iba_err {
#define IBA_ERR_ID(name, text) IBA_##name,
    IBA_ERRS(IBA_ERR_ID) IBA_ERR_COUNT
};
/* Returns the text of IBA_ERRS. Never NULL. */
const char *iba_strerror(enum iba_err e);

/* The first header of a capture's packets. */
enum iba_link {
    IBA_LINK_NONE, /* a link type that cannot have InfiniBand: the view has no layers */
    IBA_LINK_ETHERNET,
    IBA_LINK_IB,      /* LRH first; a packet of 6 bytes is a flow-control packet */
    IBA_LINK_IB_LINK, /* flow-control packet */
    IBA_LINK_IP,      /* IPv4 or IPv6 by the version nibble */
    IBA_LINK_SLL,
    IBA_LINK_SLL2,
    IBA_LINK_ERF,   /* a whole ERF record */
    IBA_LINK_IPOIB, /* 40 bytes of pseudo header, then EtherType */
};

enum iba_proto {
    IBA_PROTO_NONE,      /* the packet is no InfiniBand or RoCE */
    IBA_PROTO_UNDECIDED, /* the capture was cut before the protocol could be determined */
    IBA_PROTO_IB,        /* native, LNH 2 or 3 */
    IBA_PROTO_IB_RAW,    /* native, LNH 0 or 1: no BTH, no ICRC (WF-04) */
    IBA_PROTO_IB_LINK,   /* flow-control packet */
    IBA_PROTO_ROCE1,
    IBA_PROTO_ROCE2,
};

enum iba_check {
    IBA_CHECK_ABSENT, /* the packet has no such CRC */
    IBA_CHECK_GOOD,
    IBA_CHECK_BAD,
    IBA_CHECK_TRUNCATED, /* the capture lacks bytes that the CRC covers */
    IBA_CHECK_PENDING,   /* can be checked, but has not been yet: see iba_view_check() */
};

enum { IBA_MAX_LAYERS = 32, IBA_MAX_PORTS = 8, IBA_MAX_QPS = 16 };

/* Kinds of payload, which the options may declare for a QP. Otherwise packets to QPs 0 and 1 have management
 * datagrams, and IPoIB is recognized by its bytes. TM: messages of tag matching, which no packet announces. */
enum iba_holds { IBA_HOLDS_UNKNOWN, IBA_HOLDS_DATA, IBA_HOLDS_MAD, IBA_HOLDS_IPOIB, IBA_HOLDS_TM };
struct iba_view_opts {
    struct {
        uint32_t qpn;  /* destination QP */
        uint8_t holds; /* enum iba_holds: what its packets have; IBA_HOLDS_UNKNOWN ends the list */
    } qp[IBA_MAX_QPS];
    uint16_t port[IBA_MAX_PORTS]; /* further UDP ports of RoCEv2, besides 4791; 0 ends the list */
    bool dc;                      /* decode the RD opcodes as the vendor's DC transport (IBA_DCBTH) */
};

struct iba_layer {
    uint16_t at; /* offset of the header from wire[0] */
    uint8_t hdr; /* enum iba_hdr */
};

struct iba_view {
    const uint8_t *wire;
    uint32_t frame_at;    /* where the frame starts: 0, or after an ERF header */
    uint32_t caplen, len; /* where the captured bytes end, and the bytes on the wire, from wire[0] */
    uint64_t has;         /* IBA_HDR_BIT of each header in `layer` */
    enum iba_proto proto;
    enum iba_err err;
    uint8_t err_hdr; /* the header in which the fault was found */
    bool truncated;  /* the capture lacks the end of the packet, which is no fault of the packet */
    bool fragment;   /* the packet is a fragment of an IP packet */
    uint8_t n_layer;
    uint8_t holds;                    /* enum iba_holds, from the options */
    uint8_t pad;                      /* bytes after the payload, BTH.PadCnt */
    uint8_t l3;                       /* enum iba_hdr of the header that the ICRC starts with: lrh, grh, ipv4 or ipv6 */
    enum iba_check icrc, vcrc;        /* vcrc is the link packet CRC of a flow-control packet */
    const struct iba_opcode *op;      /* NULL: no BTH, or a reserved or vendor opcode */
    uint32_t l3_at, bth_at;           /* offsets; valid if `has` has the BTH */
    uint32_t payload_at, payload_len; /* on the wire, without pad and CRCs; may end beyond caplen */
    uint32_t end;                     /* where the InfiniBand packet ends, with its ICRC and without its VCRC */
    uint16_t at[IBA_H_COUNT];         /* offset of the last header of that kind, if `has` has its bit */
    struct iba_layer layer[IBA_MAX_LAYERS]; /* in wire order */
};

/* Parses one packet, and returns v->err. Also after a fault the view may be read. caplen <= len <= INT32_MAX. `opts`
 * may be NULL. */
enum iba_err iba_view_parse(struct iba_view *v, enum iba_link link, const uint8_t *wire, size_t caplen, size_t len,
                            const struct iba_view_opts *opts);
/* Checks the CRCs whose icrc or vcrc is IBA_CHECK_PENDING. */
void iba_view_check(struct iba_view *v);
/* Returns the ICRC that the packet should have. v->icrc must be GOOD, BAD or PENDING. */
uint32_t iba_view_icrc(const struct iba_view *v);
/* Returns "good", "bad", "truncated", "absent" or "pending". */
const char *iba_check_name(enum iba_check c);

static inline bool iba_view_has(const struct iba_view *v,
                                enum iba_hdr h) /* the packet has a complete header of that kind */
{
    return (v->has >> h & 1) != 0;
}
/* Returns the bytes of header `h`, which the packet must have. */
static inline const uint8_t *iba_view_hdr(const struct iba_view *v, enum iba_hdr h)
{
    return v->wire + v->at[h];
}
static inline bool iba_view_has_bth(const struct iba_view *v) /* a transport header */
{
    return iba_view_has(v, IBA_H_bth);
}
static inline const uint8_t *iba_view_bth(const struct iba_view *v) /* the packet must have a BTH */
{
    return v->wire + v->bth_at;
}
/* Returns how many bytes of the payload were captured. */
static inline uint32_t iba_view_payload_captured(const struct iba_view *v)
{
    if (v->payload_at >= v->caplen)
        return 0;
    return v->payload_len < v->caplen - v->payload_at ? v->payload_len : v->caplen - v->payload_at;
}
/* Returns whether the receiver drops the packet because it is damaged: its ICRC or VCRC is bad, or its lengths do not
 * fit its headers (WF-78, WF-80, PV-34). Call iba_view_check() before: a CRC that is absent, truncated or pending shows
 * no damage. */
static inline bool iba_view_is_damaged(const struct iba_view *v)
{
    return v->icrc == IBA_CHECK_BAD || v->vcrc == IBA_CHECK_BAD || v->err != IBA_OK;
}
/* Returns whether the packet is InfiniBand or RoCE with a transport header. */
static inline bool iba_view_is_transport(const struct iba_view *v)
{
    return v->proto == IBA_PROTO_IB || v->proto == IBA_PROTO_ROCE1 || v->proto == IBA_PROTO_ROCE2;
}

#ifdef __cplusplus
}
#endif

#endif
