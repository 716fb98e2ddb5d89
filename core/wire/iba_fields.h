/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of the InfiniBand headers. Each field has one line, in wire order. A line has the width of its field only,
 * and the compiler adds up the offsets, so fields can neither overlap nor leave a gap. A check at compile time shows
 * that the fields of a header fill its size.
 *
 * F is a field: header, C type, C name, bits, how it is shown, when it is shown, value names, condition, filter name,
 * label. V is another view of bits that fields already have: header, the field that it starts at, bits, then as F from
 * "how".
 *
 * Filter names follow Wireshark's, where it has the field (see iba_hdr.h for the grammar of names and of conditions).
 * Sources: catalogue WF-06, WF-20, WF-27, WF-40..WF-58, WF-81, VN-04, VN-05. */
#ifndef IBA_FIELDS_H
#define IBA_FIELDS_H

/* clang-format off */
/*        hdr type name      bits show  vis values     condition                 filter name         label */
#define IBA_LRH(F, V, h)                                                                                                   \
        F(h, U8,  vl,           4, X2,   N, NONE,      ALWAYS,                   "vl",               "Virtual Lane")       \
        F(h, U8,  lver,         4, DEC,  N, NONE,      ALWAYS,                   "lver",             "Link Version")       \
        F(h, U8,  sl,           4, DEC,  N, NONE,      ALWAYS,                   "sl",               "Service Level")      \
        F(h, U8,  reserved2,    2, DEC,  R, NONE,      ALWAYS,                   "reserved2",        "Reserved (2 bits)")  \
        F(h, U8,  lnh,          2, X2,   N, LNH,       ALWAYS,                   "lnh",              "Link Next Header")   \
        F(h, U16, dlid,        16, DEC,  N, LID,       ALWAYS,                   "dlid",             "Destination Local ID") \
        F(h, U8,  reserved5,    5, DEC,  R, NONE,      ALWAYS,                   "reserved5",        "Reserved (5 bits)")  \
        F(h, U16, pktlen,      11, DEC,  N, NONE,      ALWAYS,                   "pktlen",           "Packet Length (words)") \
        F(h, U16, slid,        16, DEC,  N, LID,       ALWAYS,                   "slid",             "Source Local ID")
#define IBA_GRH(F, V, h)                                                                                                   \
        F(h, U8,  ipver,        4, DEC,  N, NONE,      ALWAYS,                   "ipver",            "IP Version")         \
        F(h, U8,  tclass,       8, DEC,  N, NONE,      ALWAYS,                   "tclass",           "Traffic Class")      \
        F(h, U32, flowlabel,   20, DEC,  N, NONE,      ALWAYS,                   "flowlabel",        "Flow Label")         \
        F(h, U16, paylen,      16, DEC,  N, NONE,      ALWAYS,                   "paylen",           "Payload Length")     \
        F(h, U8,  nxthdr,       8, DEC,  N, IPPROTO,   ALWAYS,                   "nxthdr",           "Next Header")        \
        F(h, U8,  hoplmt,       8, DEC,  N, NONE,      ALWAYS,                   "hoplmt",           "Hop Limit")          \
        F(h, B,   sgid,       128, IP6,  N, NONE,      ALWAYS,                   "sgid",             "Source GID")         \
        F(h, B,   dgid,       128, IP6,  N, NONE,      ALWAYS,                   "dgid",             "Destination GID")
#define IBA_RWH(F, V, h)                                                                                                   \
        F(h, U16, reserved,    16, X4,   R, NONE,      ALWAYS,                   "reserved",         "Reserved (16 bits)") \
        F(h, U16, etype,       16, X4,   N, ETHERTYPE, ALWAYS,                   "etype",            "Ethertype")
#define IBA_BTH(F, V, h)                                                                                                   \
        F(h, U8,  opcode,       8, DEC,  N, OPCODE,    ALWAYS,                   "opcode",           "OpCode")             \
        F(h, U8,  se,           1, FLAG, N, NONE,      ALWAYS,                   "se",               "Solicited Event")    \
        F(h, U8,  m,            1, FLAG, N, NONE,      ALWAYS,                   "m",                "MigReq")             \
        F(h, U8,  padcnt,       2, DEC,  N, NONE,      ALWAYS,                   "padcnt",           "Pad Count")          \
        F(h, U8,  tver,         4, DEC,  N, NONE,      ALWAYS,                   "tver",             "Transport Header Version") \
        F(h, U16, p_key,       16, PKEY, N, NONE,      ALWAYS,                   "p_key",            "Partition Key")      \
        F(h, U8,  fecn,         1, FLAG, N, NONE,      ALWAYS,                   "fecn",             "FECN")               \
        F(h, U8,  becn,         1, FLAG, N, NONE,      ALWAYS,                   "becn",             "BECN")               \
        F(h, U8,  reserved6,    6, DEC,  R, NONE,      ALWAYS,                   "reserved6",        "Reserved (6 bits)")  \
        F(h, U32, destqp,      24, X6,   N, DESTQP,    ALWAYS,                   "destqp",           "Destination Queue Pair") \
        F(h, U8,  a,            1, FLAG, N, NONE,      ALWAYS,                   "a",                "Acknowledge Request") \
        F(h, U8,  reserved7,    7, DEC,  R, NONE,      ALWAYS,                   "reserved7",        "Reserved (7 bits)")  \
        F(h, U32, psn,         24, DEC,  N, NONE,      ALWAYS,                   "psn",              "Packet Sequence Number")
#define IBA_RDETH(F, V, h)                                                                                                 \
        F(h, U8,  reserved8,    8, DEC,  R, NONE,      ALWAYS,                   "reserved8",        "Reserved (8 bits)")  \
        F(h, U32, eecnxt,      24, DEC,  N, NONE,      ALWAYS,                   "eecnxt",           "E2E Context")
#define IBA_DETH(F, V, h)                                                                                                  \
        F(h, U32, q_key,       32, QKEY, N, NONE,      ALWAYS,                   "q_key",            "Queue Key")          \
        F(h, U8,  reserved8,    8, DEC,  R, NONE,      ALWAYS,                   "reserved8",        "Reserved (8 bits)")  \
        F(h, U32, srcqp,       24, X8,   N, NONE,      ALWAYS,                   "srcqp",            "Source Queue Pair")
#define IBA_XRCETH(F, V, h)                                                                                                \
        F(h, U8,  reserved8,    8, DEC,  R, NONE,      ALWAYS,                   "reserved8",        "Reserved (8 bits)")  \
        F(h, U32, srqn,        24, X6,   N, NONE,      ALWAYS,                   "srqn",             "XRC Shared Receive Queue")
#define IBA_FETH(F, V, h)                                                                                                  \
        F(h, U32, reserved26,  26, DEC,  R, NONE,      ALWAYS,                   "reserved26",       "Reserved (26 bits)") \
        F(h, U8,  selectivity,  2, DEC,  N, SELECT,    ALWAYS,                   "selectivity",      "Selectivity Level")  \
        F(h, U8,  placement,    4, DEC,  N, PLACE,     ALWAYS,                   "placement",        "Placement Type")     \
        V(h, selectivity,       2, DEC,  H, SELECT,    ALWAYS,                   "sel",              "Selectivity Level")  \
        V(h, placement,         4, DEC,  H, PLACE,     ALWAYS,                   "plt",              "Placement Type")
#define IBA_RETH(F, V, h)                                                                                                  \
        F(h, U64, va,          64, X16,  N, NONE,      ALWAYS,                   "va",               "Virtual Address")    \
        F(h, U32, r_key,       32, X8,   N, NONE,      ALWAYS,                   "r_key",            "Remote Key")         \
        F(h, U32, dmalen,      32, DEC,  N, NONE,      ALWAYS,                   "dmalen",           "DMA Length")
#define IBA_ATOMICETH(F, V, h)                                                                                             \
        F(h, U64, va,          64, X16,  N, NONE,      ALWAYS,                   "va",               "Virtual Address")    \
        F(h, U32, r_key,       32, X8,   N, NONE,      ALWAYS,                   "r_key",            "Remote Key")         \
        F(h, U64, swapdt,      64, DEC,  N, NONE,      ALWAYS,                   "swapdt",           "Swap (or Add) Data") \
        F(h, U64, cmpdt,       64, DEC,  N, NONE,      ALWAYS,                   "cmpdt",            "Compare Data")       \
        V(h, va,               64, X16,  H, NONE,      ALWAYS,                   "=infiniband.reth.va", "Virtual Address") \
        V(h, r_key,            32, X8,   H, NONE,      ALWAYS,                   "=infiniband.reth.r_key", "Remote Key")
#define IBA_AETH(F, V, h)                                                                                                  \
        V(h, syn_reserved,      8, DEC,  N, NONE,      ALWAYS,                   "syndrome",         "Syndrome")           \
        F(h, U8,  syn_reserved, 1, DEC,  R, NONE,      ALWAYS,                   "syndrome.reserved", "Reserved (1 bit)")  \
        F(h, U8,  syn_kind,     2, DEC,  N, AETH_KIND, ALWAYS,                   "syndrome.opcode",  "Kind")               \
        F(h, U8,  syn_value,    5, DEC,  H, NONE,      ALWAYS,                   "syndrome.value",   "Value")              \
        V(h, syn_value,         5, DEC,  N, CREDITS,   WHEN(h, syn_kind, EQ, 0), "syndrome.credit_count", "Credit Count Code") \
        V(h, syn_value,         5, DEC,  N, RNR_MS,    WHEN(h, syn_kind, EQ, 1), "syndrome.timer",   "RNR Timer Code")     \
        V(h, syn_value,         5, DEC,  N, NONE,      WHEN(h, syn_kind, EQ, 2), "syndrome.reserved_value", "Reserved Value") \
        V(h, syn_value,         5, DEC,  N, NAK,       WHEN(h, syn_kind, EQ, 3), "syndrome.error_code", "NAK Code")        \
        F(h, U32, msn,         24, DEC,  N, NONE,      ALWAYS,                   "msn",              "Message Sequence Number")
#define IBA_ATOMICACKETH(F, V, h)                                                                                          \
        F(h, U64, origremdt,   64, DEC,  N, NONE,      ALWAYS,                   "origremdt",        "Original Remote Data")
#define IBA_IMMDT(F, V, h)                                                                                                 \
        F(h, U32, data,        32, X8,   N, NONE,      ALWAYS,                   "data",             "Immediate Data") \
        V(h, data,             32, BYTES,H, NONE,      ALWAYS,                   "=infiniband.immdt", "Immediate Data")
#define IBA_IETH(F, V, h)                                                                                                  \
        F(h, U32, r_key,       32, X8,   N, NONE,      ALWAYS,                   "r_key",            "R_Key to Invalidate") \
        V(h, r_key,            32, BYTES,H, NONE,      ALWAYS,                   "=infiniband.ieth", "R_Key to Invalidate")
#define IBA_CNP(F, V, h)                                                                                                   \
        F(h, B,   reserved,   128, BYTES,R, NONE,      ALWAYS,                   "reserved",         "Reserved (16 bytes)")
/* The header of a vendor's "dynamically connected" transport. The number of its bytes after the BTH is public
 * (Wireshark 4.0 skips them), but their meaning is not (catalogue VN-02). The view parses the header on request only
 * (struct iba_view_opts). */
#define IBA_DCBTH(F, V, h)                                                                                                 \
        F(h, B,   opaque,      64, BYTES,N, NONE,      ALWAYS,                   "opaque",           "Opaque (8 bytes)")
#define IBA_DCCETH(F, V, h)                                                                                                \
        F(h, B,   opaque,     128, BYTES,N, NONE,      ALWAYS,                   "opaque",           "Opaque (16 bytes)")
/* Tag matching (VN-04, VN-05; struct ibv_tmh and struct ibv_rvh of libibverbs). These headers are payload of a SEND, so
 * the view parses them on request only (struct iba_view_opts). Of a message without tag only the first byte is header,
 * and so is it of a message whose kind has no layout. */
#define IBA_TMOP(F, V, h)                                                                                                  \
        F(h, U8,  opcode,       8, DEC,  N, TM_OP,     ALWAYS,                   "opcode",           "Operation")
#define IBA_TMH(F, V, h)                                                                                                   \
        F(h, U8,  opcode,       8, DEC,  N, TM_OP,     ALWAYS,                   "opcode",           "Operation")          \
        F(h, U32, reserved,    24, X6,   R, NONE,      ALWAYS,                   "reserved",         "Reserved (24 bits)") \
        F(h, U32, app_ctx,     32, X8,   N, NONE,      ALWAYS,                   "app_ctx",          "Application Context") \
        F(h, U64, tag,         64, X16,  N, NONE,      ALWAYS,                   "tag",              "Tag")
#define IBA_RVH(F, V, h)                                                                                                   \
        F(h, U64, va,          64, X16,  N, NONE,      ALWAYS,                   "va",               "Virtual Address")    \
        F(h, U32, r_key,       32, X8,   N, NONE,      ALWAYS,                   "r_key",            "Remote Key")         \
        F(h, U32, len,         32, DEC,  N, NONE,      ALWAYS,                   "len",              "Length")
/* A flow-control packet (section 7.9.4 [K]) is a link packet. It has no LRH, and a CRC of its own. */
#define IBA_FC(F, V, h)                                                                                                    \
        F(h, U8,  op,           4, DEC,  N, FC_OP,     ALWAYS,                   "op",               "Operand")            \
        F(h, U16, fctbs,       12, DEC,  N, NONE,      ALWAYS,                   "fctbs",            "Flow Control Total Blocks Sent") \
        F(h, U8,  vl,           4, DEC,  N, NONE,      ALWAYS,                   "vl",               "Virtual Lane")       \
        F(h, U16, fccl,        12, DEC,  N, NONE,      ALWAYS,                   "fccl",             "Flow Control Credit Limit") \
        F(h, U16, lpcrc,       16, X4,   N, NONE,      ALWAYS,                   "lpcrc",            "Link Packet CRC")

/* The order here is the order on the wire, so an opcode needs to name only the set of its headers (WF-03).
 *        list              name          bytes prefix                     title */
#define IBA_IB_HEADERS(H)                                                                                                  \
        H(IBA_FC,           fc,           6,  "infiniband_link",           "InfiniBand Flow Control Link Packet")          \
        H(IBA_LRH,          lrh,          8,  "infiniband.lrh",            "Local Route Header")                           \
        H(IBA_GRH,          grh,         40,  "infiniband.grh",            "Global Route Header")                          \
        H(IBA_RWH,          rwh,          4,  "infiniband.rwh",            "Raw Header")                                   \
        H(IBA_BTH,          bth,         12,  "infiniband.bth",            "Base Transport Header")                        \
        H(IBA_DCBTH,        dcbth,        8,  "infiniband.dcbth",          "DC Extension of the Base Transport Header")    \
        H(IBA_RDETH,        rdeth,        4,  "infiniband.rdeth",          "RDETH - Reliable Datagram Extended Transport Header") \
        H(IBA_DETH,         deth,         8,  "infiniband.deth",           "DETH - Datagram Extended Transport Header")    \
        H(IBA_XRCETH,       xrceth,       4,  "infiniband.xrceth",         "XRCETH - XRC Extended Transport Header")       \
        H(IBA_DCCETH,       dcceth,      16,  "infiniband.dcceth",         "DCCETH - DC Connect Extended Transport Header") \
        H(IBA_FETH,         feth,         4,  "infiniband.feth",           "FETH - FLUSH Extended Transport Header")       \
        H(IBA_RETH,         reth,        16,  "infiniband.reth",           "RETH - RDMA Extended Transport Header")        \
        H(IBA_ATOMICETH,    atomiceth,   28,  "infiniband.atomiceth",      "AtomicETH - Atomic Extended Transport Header") \
        H(IBA_AETH,         aeth,         4,  "infiniband.aeth",           "AETH - ACK Extended Transport Header")         \
        H(IBA_ATOMICACKETH, atomicacketh, 8,  "infiniband.atomicacketh",   "AtomicAckETH - Atomic ACK Extended Transport Header") \
        H(IBA_IMMDT,        immdt,        4,  "infiniband.immdt",          "ImmDt - Immediate Data")                       \
        H(IBA_IETH,         ieth,         4,  "infiniband.ieth",           "IETH - Invalidate Extended Transport Header")  \
        H(IBA_CNP,          cnp,         16,  "infiniband.cnp",            "Congestion Notification Packet Body")          \
        H(IBA_TMOP,         tmop,         1,  "infiniband.tmh",            "Tag Matching without Tag")                     \
        H(IBA_TMH,          tmh,         16,  "infiniband.tmh",            "TMH - Tag Matching Header")                    \
        H(IBA_RVH,          rvh,         16,  "infiniband.rvh",            "RVH - Rendezvous Header")
/* clang-format on */
#endif
