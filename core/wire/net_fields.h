/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of the headers that carry InfiniBand packets: Ethernet, IP, UDP, mirror tunnels, capture pseudo headers. The
 * form is that of iba_fields.h. Sources: IEEE 802.3, 802.1Q; RFC 791, 8200, 768, 7348, 2784/2890, 3032, 4391;
 * draft-foschiano-erspan; tcpdump.org link types; Annexes A16, A17 (catalogue RO-*). */
#ifndef NET_FIELDS_H
#define NET_FIELDS_H

/* clang-format off */
/*        hdr type name      bits show  vis values     condition                 filter name         label */
#define NET_ETH(F, V, h)                                                                                                   \
        F(h, U64, dst,         48, MAC,  N, NONE,      ALWAYS,                   "dst",              "Destination")        \
        V(h, dst,              48, MAC,  H, NONE,      ALWAYS,                   "addr",             "Address")            \
        F(h, U64, src,         48, MAC,  N, NONE,      ALWAYS,                   "src",              "Source")             \
        V(h, src,              48, MAC,  H, NONE,      ALWAYS,                   "addr",             "Address")            \
        F(h, U16, type,        16, X4,   N, ETHERTYPE, WHEN(h, type, GE, 1536),  "type",             "Type")               \
        V(h, type,             16, DEC,  N, NONE,      WHEN(h, type, LT, 1501),  "len",              "Length")
#define NET_TAG(F, V, h)                                                                                                   \
        F(h, U8,  priority,     3, DEC,  N, NONE,      ALWAYS,                   "priority",         "Priority")           \
        F(h, U8,  dei,          1, FLAG, N, NONE,      ALWAYS,                   "dei",              "DEI")                \
        F(h, U16, id,          12, DEC,  N, NONE,      ALWAYS,                   "id",               "ID")                 \
        F(h, U16, etype,       16, X4,   N, ETHERTYPE, WHEN(h, etype, GE, 1536), "etype",            "Type")
#define NET_MPLS(F, V, h)                                                                                                  \
        F(h, U32, label,       20, DEC,  N, NONE,      ALWAYS,                   "label",            "MPLS Label")         \
        F(h, U8,  exp,          3, DEC,  N, NONE,      ALWAYS,                   "exp",              "MPLS Experimental Bits") \
        F(h, U8,  bottom,       1, FLAG, N, NONE,      ALWAYS,                   "bottom",           "Bottom of Label Stack") \
        F(h, U8,  ttl,          8, DEC,  N, NONE,      ALWAYS,                   "ttl",              "MPLS TTL")
#define NET_IPV4(F, V, h)                                                                                                  \
        F(h, U8,  version,      4, DEC,  N, NONE,      ALWAYS,                   "version",          "Version")            \
        F(h, U8,  hdr_len,      4, WORDS,N, NONE,      ALWAYS,                   "hdr_len",          "Header Length")      \
        V(h, dscp,              8, X2,   N, NONE,      WHEN(h, hdr_len, GE, 5),  "dsfield",          "Differentiated Services Field") \
        F(h, U8,  dscp,         6, DEC,  N, NONE,      WHEN(h, hdr_len, GE, 5),  "dsfield.dscp",     "DSCP")               \
        F(h, U8,  ecn,          2, DEC,  N, ECN,       WHEN(h, hdr_len, GE, 5),  "dsfield.ecn",      "ECN")                \
        F(h, U16, len,         16, DEC,  N, NONE,      WHEN(h, hdr_len, GE, 5),  "len",              "Total Length")       \
        F(h, U16, id,          16, X4,   N, NONE,      WHEN(h, hdr_len, GE, 5),  "id",               "Identification")     \
        V(h, rb,                3, X2,   N, NONE,      WHEN(h, hdr_len, GE, 5),  "flags",            "Flags")              \
        F(h, U8,  rb,           1, FLAG, R, NONE,      WHEN(h, hdr_len, GE, 5),  "flags.rb",         "Reserved bit")       \
        F(h, U8,  df,           1, FLAG, N, NONE,      WHEN(h, hdr_len, GE, 5),  "flags.df",         "Don't fragment")     \
        F(h, U8,  mf,           1, FLAG, N, NONE,      WHEN(h, hdr_len, GE, 5),  "flags.mf",         "More fragments")     \
        F(h, U16, frag_offset, 13, DEC,  N, NONE,      WHEN(h, hdr_len, GE, 5),  "frag_offset",      "Fragment Offset")    \
        F(h, U8,  ttl,          8, DEC,  N, NONE,      WHEN(h, hdr_len, GE, 5),  "ttl",              "Time to Live")       \
        F(h, U8,  proto,        8, DEC,  N, IPPROTO,   WHEN(h, hdr_len, GE, 5),  "proto",            "Protocol")           \
        F(h, U16, checksum,    16, X4,   N, NONE,      WHEN(h, hdr_len, GE, 5),  "checksum",         "Header Checksum")    \
        F(h, U32, src,         32, IP4,  N, NONE,      WHEN(h, hdr_len, GE, 5),  "src",              "Source Address")     \
        V(h, src,              32, IP4,  H, NONE,      WHEN(h, hdr_len, GE, 5),  "addr",             "Address")            \
        F(h, U32, dst,         32, IP4,  N, NONE,      WHEN(h, hdr_len, GE, 5),  "dst",              "Destination Address") \
        V(h, dst,              32, IP4,  H, NONE,      WHEN(h, hdr_len, GE, 5),  "addr",             "Address")
#define NET_IPV6(F, V, h)                                                                                                  \
        F(h, U8,  version,      4, DEC,  N, NONE,      ALWAYS,                   "version",          "Version")            \
        V(h, version,           4, DEC,  H, NONE,      ALWAYS,                   "=ip.version",      "Version")            \
        V(h, dscp,              8, X8,   N, NONE,      ALWAYS,                   "tclass",           "Traffic Class")      \
        F(h, U8,  dscp,         6, DEC,  N, NONE,      ALWAYS,                   "tclass.dscp",      "DSCP")               \
        F(h, U8,  ecn,          2, DEC,  N, ECN,       ALWAYS,                   "tclass.ecn",       "ECN")                \
        F(h, U32, flow,        20, X6,   N, NONE,      ALWAYS,                   "flow",             "Flow Label")         \
        F(h, U16, plen,        16, DEC,  N, NONE,      ALWAYS,                   "plen",             "Payload Length")     \
        F(h, U8,  nxt,          8, DEC,  N, IPPROTO,   ALWAYS,                   "nxt",              "Next Header")        \
        F(h, U8,  hlim,         8, DEC,  N, NONE,      ALWAYS,                   "hlim",             "Hop Limit")          \
        F(h, B,   src,        128, IP6,  N, NONE,      ALWAYS,                   "src",              "Source Address")     \
        V(h, src,             128, IP6,  H, NONE,      ALWAYS,                   "addr",             "Address")            \
        F(h, B,   dst,        128, IP6,  N, NONE,      ALWAYS,                   "dst",              "Destination Address") \
        V(h, dst,             128, IP6,  H, NONE,      ALWAYS,                   "addr",             "Address")
#define NET_IP6EXT(F, V, h)                                                                                                \
        F(h, U8,  nxt,          8, DEC,  N, IPPROTO,   ALWAYS,                   "nxt",              "Next Header")        \
        F(h, U8,  len,          8, DEC,  N, NONE,      ALWAYS,                   "len",              "Length (8-byte units less one)")
#define NET_UDP(F, V, h)                                                                                                   \
        F(h, U16, srcport,     16, DEC,  N, NONE,      ALWAYS,                   "srcport",          "Source Port")        \
        F(h, U16, dstport,     16, DEC,  N, UDPPORT,   ALWAYS,                   "dstport",          "Destination Port")   \
        V(h, srcport,          16, DEC,  H, NONE,      ALWAYS,                   "port",             "Port")               \
        V(h, dstport,          16, DEC,  H, NONE,      ALWAYS,                   "port",             "Port")               \
        F(h, U16, length,      16, DEC,  N, NONE,      ALWAYS,                   "length",           "Length")             \
        F(h, U16, checksum,    16, X4,   N, NONE,      ALWAYS,                   "checksum",         "Checksum")
#define NET_VXLAN(F, V, h)                                                                                                 \
        V(h, flag_g,           16, X4,   N, NONE,      ALWAYS,                   "flags",            "Flags")              \
        F(h, U8,  flag_g,       1, FLAG, N, NONE,      ALWAYS,                   "flag_g",           "GBP Extension")      \
        F(h, U8,  rsv1,         3, DEC,  R, NONE,      ALWAYS,                   "rsv1",             "Reserved (3 bits)")  \
        F(h, U8,  flag_i,       1, FLAG, N, NONE,      ALWAYS,                   "flag_i",           "VXLAN Network ID")   \
        F(h, U8,  rsv2,         4, DEC,  R, NONE,      ALWAYS,                   "rsv2",             "Reserved (4 bits)")  \
        F(h, U8,  flag_d,       1, FLAG, N, NONE,      ALWAYS,                   "flag_d",           "Don't Learn")        \
        F(h, U8,  rsv3,         2, DEC,  R, NONE,      ALWAYS,                   "rsv3",             "Reserved (2 bits)")  \
        F(h, U8,  flag_a,       1, FLAG, N, NONE,      ALWAYS,                   "flag_a",           "Policy Applied")     \
        F(h, U8,  rsv4,         3, DEC,  R, NONE,      ALWAYS,                   "rsv4",             "Reserved (3 bits)")  \
        F(h, U16, gbp,         16, DEC,  N, NONE,      ALWAYS,                   "gbp",              "Group Policy ID")    \
        F(h, U32, vni,         24, DEC,  N, NONE,      ALWAYS,                   "vni",              "VXLAN Network Identifier (VNI)") \
        F(h, U8,  reserved8,    8, DEC,  N, NONE,      ALWAYS,                   "reserved8",        "Reserved")
#define NET_GRE(F, V, h)                                                                                                   \
        V(h, checksum,         16, X4,   N, NONE,      ALWAYS,                   "flags_and_version", "Flags and Version") \
        F(h, U8,  checksum,     1, FLAG, N, NONE,      ALWAYS,                   "flags.checksum",   "Checksum Bit")       \
        F(h, U8,  routing,      1, FLAG, N, NONE,      ALWAYS,                   "flags.routing",    "Routing Bit")        \
        F(h, U8,  key,          1, FLAG, N, NONE,      ALWAYS,                   "flags.key",        "Key Bit")            \
        F(h, U8,  seq,          1, FLAG, N, NONE,      ALWAYS,                   "flags.sequence_number", "Sequence Number Bit") \
        F(h, U8,  strict,       1, FLAG, N, NONE,      ALWAYS,                   "flags.strict_source_route", "Strict Source Route Bit") \
        F(h, U8,  recursion,    3, DEC,  N, NONE,      ALWAYS,                   "flags.recursion_control", "Recursion Control") \
        F(h, U8,  reserved,     5, DEC,  N, NONE,      ALWAYS,                   "flags.reserved",   "Flags (Reserved)")   \
        F(h, U8,  version,      3, DEC,  N, NONE,      ALWAYS,                   "flags.version",    "Version")            \
        F(h, U16, proto,       16, X4,   N, ETHERTYPE, ALWAYS,                   "proto",            "Protocol Type")
#define NET_GRECSUM(F, V, h)                                                                                               \
        F(h, U16, checksum,    16, X4,   N, NONE,      ALWAYS,                   "=gre.checksum",    "Checksum")           \
        F(h, U16, offset,      16, DEC,  N, NONE,      ALWAYS,                   "=gre.offset",      "Offset")
#define NET_GREKEY(F, V, h)                                                                                                \
        F(h, U32, key,         32, X8,   N, NONE,      ALWAYS,                   "=gre.key",         "Key")
#define NET_GRESEQ(F, V, h)                                                                                                \
        F(h, U32, seq,         32, DEC,  N, NONE,      ALWAYS,                   "=gre.sequence_number", "Sequence Number")
#define NET_ERSPAN2(F, V, h)                                                                                               \
        F(h, U8,  version,      4, DEC,  N, NONE,      ALWAYS,                   "version",          "Version")            \
        F(h, U16, vlan,        12, DEC,  N, NONE,      ALWAYS,                   "vlan",             "Vlan")               \
        F(h, U8,  cos,          3, DEC,  N, NONE,      ALWAYS,                   "cos",              "COS")                \
        F(h, U8,  encap,        2, DEC,  N, NONE,      ALWAYS,                   "encap",            "Encap")              \
        F(h, U8,  truncated,    1, DEC,  N, NONE,      ALWAYS,                   "truncated",        "Truncated")          \
        F(h, U16, spanid,      10, DEC,  N, NONE,      ALWAYS,                   "spanid",           "SpanID")             \
        F(h, U16, reserved,    12, DEC,  N, NONE,      ALWAYS,                   "reserved",         "Reserved")           \
        F(h, U32, index,       20, DEC,  N, NONE,      ALWAYS,                   "index",            "Index")
#define NET_ERSPAN3(F, V, h)                                                                                               \
        F(h, U8,  version,      4, DEC,  N, NONE,      ALWAYS,                   "version",          "Version")            \
        F(h, U16, vlan,        12, DEC,  N, NONE,      ALWAYS,                   "vlan",             "Vlan")               \
        F(h, U8,  cos,          3, DEC,  N, NONE,      ALWAYS,                   "cos",              "COS")                \
        F(h, U8,  bso,          2, DEC,  N, NONE,      ALWAYS,                   "bso",              "Bad/Short/Oversized") \
        F(h, U8,  truncated,    1, DEC,  N, NONE,      ALWAYS,                   "truncated",        "Truncated")          \
        F(h, U16, spanid,      10, DEC,  N, NONE,      ALWAYS,                   "spanid",           "SpanID")             \
        F(h, U32, timestamp,   32, DEC,  N, NONE,      ALWAYS,                   "timestamp",        "Timestamp")          \
        F(h, U16, sgt,         16, DEC,  N, NONE,      ALWAYS,                   "sgt",              "Security Group Tag") \
        F(h, U8,  p,            1, DEC,  N, NONE,      ALWAYS,                   "p",                "Has Ethernet PDU")   \
        F(h, U8,  ft,           5, DEC,  N, NONE,      ALWAYS,                   "ft",               "Frame Type")         \
        F(h, U8,  hwid,         6, DEC,  N, NONE,      ALWAYS,                   "hw",               "Hardware ID")        \
        F(h, U8,  d,            1, DEC,  N, NONE,      ALWAYS,                   "d",                "Direction")          \
        F(h, U8,  gra,          2, DEC,  N, NONE,      ALWAYS,                   "gra",              "Timestamp Granularity") \
        F(h, U8,  o,            1, DEC,  N, NONE,      ALWAYS,                   "o",                "Optional Sub-headers")
#define NET_ERSPANP(F, V, h)                                                                                               \
        F(h, B,   opaque,      64, BYTES,N, NONE,      ALWAYS,                   "opaque",           "Platform Specific (8 bytes)")
#define NET_SLL(F, V, h)                                                                                                   \
        F(h, U16, pkttype,     16, DEC,  N, NONE,      ALWAYS,                   "pkttype",          "Packet type")        \
        F(h, U16, hatype,      16, DEC,  N, NONE,      ALWAYS,                   "hatype",           "Link-layer address type") \
        F(h, U16, halen,       16, DEC,  N, NONE,      ALWAYS,                   "halen",            "Link-layer address length") \
        F(h, B,   addr,        64, BYTES,H, NONE,      ALWAYS,                   "addr8",            "Link-layer address (8 bytes)") \
        F(h, U16, etype,       16, X4,   N, ETHERTYPE, ALWAYS,                   "etype",            "Protocol")
#define NET_SLL2(F, V, h)                                                                                                  \
        F(h, U16, etype,       16, X4,   N, ETHERTYPE, ALWAYS,                   "=sll.etype",       "Protocol")           \
        F(h, U16, reserved,    16, DEC,  R, NONE,      ALWAYS,                   "reserved",         "Reserved")           \
        F(h, U32, ifindex,     32, DEC,  N, NONE,      ALWAYS,                   "=sll.ifindex",     "Interface index")    \
        F(h, U16, hatype,      16, DEC,  N, NONE,      ALWAYS,                   "=sll.hatype",      "Link-layer address type") \
        F(h, U8,  pkttype,      8, DEC,  N, NONE,      ALWAYS,                   "=sll.pkttype",     "Packet type")        \
        F(h, U8,  halen,        8, DEC,  N, NONE,      ALWAYS,                   "=sll.halen",       "Link-layer address length") \
        F(h, B,   addr,        64, BYTES,H, NONE,      ALWAYS,                   "addr8",            "Link-layer address (8 bytes)")
#define NET_ERF(F, V, h)                                                                                                   \
        F(h, B,   ts,          64, BYTES,H, NONE,      ALWAYS,                   "ts_le",            "Timestamp (little endian 32.32)") \
        V(h, ext,               8, X2,   N, NONE,      ALWAYS,                   "types",            "Record type")        \
        F(h, U8,  ext,          1, DEC,  N, NONE,      ALWAYS,                   "types.ext_header", "Extension header present") \
        F(h, U8,  type,         7, DEC,  N, ERF_TYPE,  ALWAYS,                   "types.type",       "Type")               \
        V(h, res,               8, X2,   N, NONE,      ALWAYS,                   "flags",            "Flags")              \
        F(h, U8,  res,          2, X2,   N, NONE,      ALWAYS,                   "flags.res",        "Reserved")           \
        F(h, U8,  dse,          1, DEC,  N, NONE,      ALWAYS,                   "flags.dse",        "DS error")           \
        F(h, U8,  rxe,          1, DEC,  N, NONE,      ALWAYS,                   "flags.rxe",        "RX error")           \
        F(h, U8,  trunc,        1, DEC,  N, NONE,      ALWAYS,                   "flags.trunc",      "Truncated")          \
        F(h, U8,  vlen,         1, DEC,  N, NONE,      ALWAYS,                   "flags.vlen",       "Varying record length") \
        F(h, U8,  cap,          2, DEC,  N, NONE,      ALWAYS,                   "flags.cap",        "Capture interface")  \
        F(h, U16, rlen,        16, DEC,  N, NONE,      ALWAYS,                   "rlen",             "Record length")      \
        F(h, U16, lctr,        16, DEC,  N, NONE,      ALWAYS,                   "lctr",             "Loss counter")       \
        F(h, U16, wlen,        16, DEC,  N, NONE,      ALWAYS,                   "wlen",             "Wire length")
#define NET_ERFEXT(F, V, h)                                                                                                \
        F(h, U8,  more,         1, DEC,  N, NONE,      ALWAYS,                   "more",             "More extension headers") \
        F(h, U8,  type,         7, DEC,  N, NONE,      ALWAYS,                   "type",             "Extension header type") \
        F(h, B,   value,       56, BYTES,N, NONE,      ALWAYS,                   "value",            "Value")
#define NET_ERFPAD(F, V, h)                                                                                                \
        F(h, U8,  off,          8, DEC,  N, NONE,      ALWAYS,                   "=erf.eth.off",     "Offset")             \
        F(h, U8,  pad,          8, X2,   R, NONE,      ALWAYS,                   "=erf.eth.pad",     "Padding")
#define NET_IPOIBPH(F, V, h)                                                                                               \
        F(h, B,   unused,     160, BYTES,H, NONE,      ALWAYS,                   "unused",           "GRH of the pseudo header (20 bytes)") \
        F(h, U8,  rsv,          8, DEC,  R, NONE,      ALWAYS,                   "rsv",              "Reserved")           \
        F(h, U32, qpn,         24, X6,   N, NONE,      WHEN(h, qpn, LT, 0xffffff), "=ipoib.daddr.qpn", "Destination QPN")    \
        F(h, B,   dgid,       128, IP6,  N, NONE,      ALWAYS,                   "=ipoib.dgid",      "Destination GID")
#define NET_IPOIB(F, V, h)                                                                                                 \
        F(h, U16, type,        16, X4,   N, ETHERTYPE, ALWAYS,                   "type",             "Type")               \
        F(h, U16, reserved,    16, X4,   R, NONE,      ALWAYS,                   "reserved",         "Reserved")
/* The four bytes of IPoIB in a SEND. Wireshark gives their EtherType the name of the raw header's EtherType. */
#define NET_IPOIBSEND(F, V, h)                                                                                             \
        F(h, U16, type,        16, X4,   N, ETHERTYPE, ALWAYS,                   "type",             "Type")               \
        V(h, type,             16, X4,   H, ETHERTYPE, ALWAYS,                   "=infiniband.rwh.etype", "Type")          \
        F(h, U16, reserved,    16, X4,   R, NONE,      ALWAYS,                   "reserved",         "Reserved")

/*        list              name          bytes prefix                     title                                          */
#define NET_HEADERS(H)                                                                                                     \
        H(NET_ERF,          erf,         16,  "erf",                       "Extensible Record Format")                     \
        H(NET_ERFEXT,       erfext,       8,  "erf.ehdr",                  "ERF Extension Header")                         \
        H(NET_ERFPAD,       erfpad,       2,  "erf.ethpad",                "ERF Ethernet Pad")                             \
        H(NET_SLL,          sll,         16,  "sll",                       "Linux Cooked Capture v1")                      \
        H(NET_SLL2,         sll2,        20,  "sll2",                      "Linux Cooked Capture v2")                      \
        H(NET_IPOIBPH,      ipoibph,     40,  "ipoib.ph",                  "IP over InfiniBand Pseudo Header")             \
        H(NET_ETH,          eth,         14,  "eth",                       "Ethernet II")                                  \
        H(NET_TAG,          svlan,        4,  "ieee8021ad",                "IEEE 802.1ad")                                 \
        H(NET_TAG,          vlan,         4,  "vlan",                      "802.1Q Virtual LAN")                           \
        H(NET_MPLS,         mpls,         4,  "mpls",                      "MultiProtocol Label Switching Header")         \
        H(NET_IPV4,         ipv4,        20,  "ip",                        "Internet Protocol Version 4")                  \
        H(NET_IPV6,         ipv6,        40,  "ipv6",                      "Internet Protocol Version 6")                  \
        H(NET_IP6EXT,       ip6ext,       2,  "ipv6.ext",                  "IPv6 Extension Header")                        \
        H(NET_UDP,          udp,          8,  "udp",                       "User Datagram Protocol")                       \
        H(NET_VXLAN,        vxlan,        8,  "vxlan",                     "Virtual eXtensible Local Area Network")        \
        H(NET_GRE,          gre,          4,  "gre",                       "Generic Routing Encapsulation")                \
        H(NET_GRECSUM,      grecsum,      4,  "gre.csum",                  "GRE Checksum")                                 \
        H(NET_GREKEY,       grekey,       4,  "gre.keyhdr",                "GRE Key")                                      \
        H(NET_GRESEQ,       greseq,       4,  "gre.seqhdr",                "GRE Sequence Number")                          \
        H(NET_ERSPAN2,      erspan2,      8,  "erspan",                    "Encapsulated Remote Switch Packet ANalysis Type II") \
        H(NET_ERSPAN3,      erspan3,     12,  "erspan",                    "Encapsulated Remote Switch Packet ANalysis Type III") \
        H(NET_ERSPANP,      erspanp,      8,  "erspan.platform",           "ERSPAN Platform Sub-header")                   \
        H(NET_IPOIB,        ipoib,        4,  "ipoib",                     "IP over InfiniBand")                           \
        H(NET_IPOIBSEND,    ipoibsend,    4,  "infiniband.ipoib",          "IP over InfiniBand in a SEND")
/* clang-format on */
#endif
