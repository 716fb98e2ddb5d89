/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields that mutants send wrongly: each field of each header that the engine sends, then the most important ones
 * for each class of packets. The clauses are those of the catalogue that such a device breaks; if it breaks none, the
 * row says why. */
#include "emit.h"

/* clang-format off */
#define FREE_ID   "an IP packet that may not be fragmented needs no identification; any will do"
#define EITHER_WAY "a request that is answered with a READ response or an ATOMIC Acknowledge is answered whatever AckReq says"

/* The field alone is wrong, in all packets.
 *    field                     change  clauses                      ... with                                  why it may be so */
#define EVERYWHERE(E)                                                                                                                   \
    E("eth.dst",                "^1",   "RO-06,RO-01",               "another destination MAC address",        NULL)                    \
    E("eth.src",                "^1",   "RO-05,RO-01",               "another source MAC address",             NULL)                    \
    E("eth.type",               "+1",   "RO-01,RO-11",               "another EtherType",                      NULL)                    \
    E("vlan.id",                "^1",   "RO-03,RO-05",               "another VLAN",                           NULL)                    \
    E("vlan.priority",          "^1",   "RO-03,RO-27",               "another priority",                       NULL)                    \
    E("vlan.dei",               "^1",   "RO-03",                     "a tag that says it may be dropped",      NULL)                    \
    E("vlan.etype",             "+1",   "RO-01,RO-03",               "another EtherType after the tag",       NULL)                    \
    E("ip.version",             "+1",   "RO-12,RO-11",               "an IP version that is not 4",            NULL)                    \
    E("ip.hdr_len",             "+1",   "RO-12",                     "an IPv4 header length of six words",     NULL)                    \
    E("ip.dsfield.dscp",        "+1",   "RO-13",                     "a DSCP that is not the traffic class'",  NULL)                    \
    E("ip.dsfield.ecn",         "^3",   "RO-13",                     "other ECN bits",                         NULL)                    \
    E("ip.len",                 "+1",   "RO-12",                     "an IPv4 total length of one too much",   NULL)                    \
    E("ip.id",                  "+1",   "RO-12",                     "another IPv4 identification",            FREE_ID)                 \
    E("ip.flags.rb",            "^1",   "RO-14",                     "the reserved IPv4 flag set",             NULL)                    \
    E("ip.flags.df",            "^1",   "RO-14",                     "Don't Fragment not set",                 NULL)                    \
    E("ip.flags.mf",            "^1",   "RO-14",                     "More Fragments set",                     NULL)                    \
    E("ip.frag_offset",         "+1",   "RO-14",                     "a fragment offset that is not 0",        NULL)                    \
    E("ip.ttl",                 "+1",   "RO-15",                     "a TTL that is not the hop limit",        NULL)                    \
    E("ip.proto",               "+1",   "RO-15",                     "an IP protocol that is not UDP",         NULL)                    \
    E("ip.checksum",            "+1",   "RO-12",                     "a wrong IPv4 header checksum",           NULL)                    \
    E("ip.src",                 "^1",   "RO-16,RO-25",               "another IPv4 source address",            NULL)                    \
    E("ip.dst",                 "^1",   "RO-16,RO-25",               "another IPv4 destination address",       NULL)                    \
    E("ipv6.version",           "^1",   "RO-17,RO-11",               "an IP version that is not 6",            NULL)                    \
    E("ipv6.tclass.dscp",       "+1",   "RO-13,RO-17",               "a DSCP that is not the traffic class'",  NULL)                    \
    E("ipv6.tclass.ecn",        "^3",   "RO-13,RO-17",               "other ECN bits",                         NULL)                    \
    E("ipv6.flow",              "+1",   "RO-17",                     "another IPv6 flow label",                NULL)                    \
    E("ipv6.plen",              "+1",   "RO-17",                     "an IPv6 payload length of one too much", NULL)                    \
    E("ipv6.nxt",               "+1",   "RO-15,RO-17",               "an IPv6 next header that is not UDP",    NULL)                    \
    E("ipv6.hlim",              "+1",   "RO-15",                     "another IPv6 hop limit",                 NULL)                    \
    E("ipv6.src",               "^1",   "RO-16,RO-25",               "another IPv6 source address",            NULL)                    \
    E("ipv6.dst",               "^1",   "RO-16,RO-25",               "another IPv6 destination address",       NULL)                    \
    E("udp.srcport",            "+1",   "RO-19",                     "another UDP source port",                NULL)                    \
    E("udp.srcport",            "*1",   "RO-19",                     "a new UDP source port each",             NULL)                    \
    E("udp.dstport",            "+1",   "RO-18",                     "a UDP destination port that is not 4791", NULL)                   \
    E("udp.length",             "+1",   "RO-20",                     "a UDP length of one too much",           NULL)                    \
    E("udp.checksum",           "+1",   "RO-21",                     "a wrong UDP checksum, and not 0",        NULL)                    \
    E("lrh.vl",                 "^1",   "WF-14,WF-12,KM-44",         "another virtual lane than the SL's",     NULL)                    \
    E("lrh.lver",               "+1",   "WF-07",                     "a link version that is not 0",           NULL)                    \
    E("lrh.sl",                 "+1",   "WF-14,RR-15",               "another service level",                  NULL)                    \
    E("lrh.reserved2",          "^1",   "WF-05,WF-06",               "reserved bits of the LRH set",           NULL)                    \
    E("lrh.lnh",                "^1",   "WF-02",                     "a wrong LNH",                            NULL)                    \
    E("lrh.dlid",               "^1",   "WF-06,RR-15",               "another DLID",                           NULL)                    \
    E("lrh.reserved5",          "^1",   "WF-05,WF-06",               "reserved bits of the LRH set",           NULL)                    \
    E("lrh.pktlen",             "+1",   "WF-08",                     "a packet length of one word too much",   NULL)                    \
    E("lrh.slid",               "^1",   "WF-19,WF-18",               "another SLID",                           NULL)                    \
    E("grh.ipver",              "^1",   "WF-21,RO-02",               "a GRH version that is not 6",            NULL)                    \
    E("grh.tclass",             "+1",   "WF-25,WF-20",               "another traffic class",                  NULL)                    \
    E("grh.flowlabel",          "+1",   "WF-25,WF-20",               "another flow label",                     NULL)                    \
    E("grh.paylen",             "+1",   "WF-23,RO-02",               "a GRH payload length of one too much",   NULL)                    \
    E("grh.nxthdr",             "+1",   "WF-22,RO-02",               "a next header that is not 0x1b",         NULL)                    \
    E("grh.hoplmt",             "+1",   "WF-20",                     "another hop limit",                      NULL)                    \
    E("grh.sgid",               "^1",   "WF-20,RR-15",               "another source GID",                     NULL)                    \
    E("grh.dgid",               "^1",   "WF-20,RR-15",               "another destination GID",                NULL)                    \
    E("rwh.reserved",           "^1",   "WF-05,WF-58",               "reserved bits of the raw header set",    NULL)                    \
    E("rwh.etype",              "+1",   "WF-58,UU-39",               "another EtherType in the raw header",    NULL)                    \
    E("bth.opcode",             "^1",   "WF-59,WF-64,WF-65",         "a wrong opcode",                         NULL)                    \
    E("bth.se",                 "^1",   "WF-28,RQ-16,RR-12,RR-61",   "SE where it was not, and the other way", NULL)                    \
    E("bth.m",                  "^1",   "WF-30",                     "MigReq turned over",                     NULL)                    \
    E("bth.padcnt",             "+1",   "WF-31,WF-32",               "a wrong pad count",                      NULL)                    \
    E("bth.tver",               "+1",   "WF-34",                     "a transport version that is not 0",      NULL)                    \
    E("bth.p_key",              "^1",   "WF-35",                     "the P_Key of another partition",         NULL)                    \
    E("bth.p_key",              "^0x8000", "WF-35",                  "the P_Key of the other membership",      NULL)                    \
    E("bth.fecn",               "^1",   "WF-36,RO-29",               "FECN set",                               NULL)                    \
    E("bth.becn",               "^1",   "WF-36,WF-82,RO-29",         "BECN turned over",                       NULL)                    \
    E("bth.reserved6",          "^1",   "WF-05,WF-27",               "reserved bits of the BTH set",           NULL)                    \
    E("bth.destqp",             "+1",   "WF-27,RR-12",               "another DestQP",                         NULL)                    \
    E("bth.a",                  "^1",   "WF-38,RQ-05,RR-12,RR-61",   "AckReq turned over",                     NULL)                    \
    E("bth.reserved7",          "^1",   "WF-05,WF-27",               "reserved bits of the BTH set",           NULL)                    \
    E("bth.psn",                "+1",   "RQ-01,RR-10,RR-61,WF-39",   "a PSN of one too much",                  NULL)                    \
    E("deth.q_key",             "^1",   "WF-41,PV-21",               "another Q_Key",                          NULL)                    \
    E("deth.reserved8",         "^1",   "WF-05,WF-41",               "reserved bits of the DETH set",          NULL)                    \
    E("deth.srcqp",             "+1",   "WF-41",                     "another source QP",                      NULL)                    \
    E("xrceth.reserved8",       "^1",   "WF-05,WF-42",               "reserved bits of the XRCETH set",        NULL)                    \
    E("xrceth.srqn",            "+1",   "WF-42,RQ-60",               "another shared receive queue",           NULL)                    \
    E("feth.reserved26",        "^1",   "WF-05,WF-56",               "reserved bits of the FETH set",          NULL)                    \
    E("feth.selectivity",       "^1",   "WF-56",                     "another selectivity level",              NULL)                    \
    E("feth.placement",         "^3",   "WF-56",                     "another placement type",                 NULL)                    \
    E("reth.va",                "+1",   "WF-43",                     "a remote address of one too much",       NULL)                    \
    E("reth.r_key",             "^1",   "WF-43",                     "another R_Key",                          NULL)                    \
    E("reth.dmalen",            "+1",   "WF-43",                     "a DMA length of one too much",           NULL)                    \
    E("atomiceth.va",           "+8",   "WF-45",                     "a remote address of eight too much",     NULL)                    \
    E("atomiceth.r_key",        "^1",   "WF-45",                     "another R_Key",                          NULL)                    \
    E("atomiceth.swapdt",       "+1",   "WF-45",                     "other Swap or Add data",                 NULL)                    \
    E("atomiceth.cmpdt",        "+1",   "WF-45",                     "other Compare data",                     NULL)                    \
    E("aeth.syndrome.reserved", "^1",   "WF-47",                     "the reserved bit of the syndrome set",   NULL)                    \
    E("aeth.syndrome.opcode",   "^2",   "WF-47,RR-03,RR-09",         "another kind of syndrome",               NULL)                    \
    E("aeth.syndrome.value",    "+1",   "WF-49,WF-50,WF-51,RR-19",   "another credit, timer or NAK code",      NULL)                    \
    E("aeth.msn",               "+1",   "RR-16,RR-17,RR-18",         "an MSN of one too much",                 NULL)                    \
    E("atomicacketh.origremdt", "+1",   "WF-53,RR-48",               "a value that was not there before",      NULL)                    \
    E("immdt.data",             "^1",   "WF-54",                     "other immediate data",                   NULL)                    \
    E("ieth.r_key",             "^1",   "WF-55",                     "another R_Key to invalidate",            NULL)                    \
    E("cnp.reserved",           "^1",   "WF-81,RO-42",               "a body that is not all zeros",           NULL)                    \
    E("icrc",                   "^1",   "WF-69,WF-70,WF-71,RO-22",   "a wrong ICRC",                           NULL)                    \
    E("vcrc",                   "^1",   "WF-79",                     "a wrong VCRC",                           NULL)                    \
    E("payload",                "^1",   "WF-64,WF-65,UU-16",         "a payload that is not what was asked for", NULL)

/* The BTH by class: clauses of each field.
 *    class              psn               se              m        padcnt           tver             p_key            destqp */
#define BTH_BY_CLASS(B)                                                                                                                 \
    B(request_first,     "RQ-01,WF-39",    "WF-28",        "WF-30", "WF-31,WF-32",   "WF-34",         "WF-35",         "WF-27")          \
    B(request_middle,    "RQ-01,WF-39",    "WF-28",        "WF-30", "WF-31,WF-32",   "WF-34",         "WF-35",         "WF-27")          \
    B(request_last,      "RQ-01,WF-39",    "WF-28,RQ-16",  "WF-30", "WF-31",         "WF-34",         "WF-35",         "WF-27")          \
    B(request_only,      "RQ-01,WF-39",    "WF-28,RQ-16",  "WF-30", "WF-31",         "WF-34",         "WF-35",         "WF-27")          \
    B(read_request,      "RQ-01,RQ-02",    "WF-28",        "WF-30", "WF-31,WF-63",   "WF-34",         "WF-35",         "WF-27")          \
    B(atomic_request,    "RQ-01,RQ-02",    "WF-28",        "WF-30", "WF-31,WF-63",   "WF-34",         "WF-35",         "WF-27")          \
    B(extended_request,  "RQ-01,RQ-02",    "WF-28",        "WF-30", "WF-31,WF-57",   "WF-34",         "WF-35",         "WF-27")          \
    B(ack,               "RR-10,RR-12",    "RR-12,WF-28",  "WF-30", "RR-12,WF-31",   "RR-12,WF-34",   "RR-12,WF-35",   "RR-12")          \
    B(nak,               "RR-03,RR-05",    "RR-12,WF-28",  "WF-30", "RR-12,WF-31",   "RR-12,WF-34",   "RR-12,WF-35",   "RR-12")          \
    B(rnr_nak,           "RR-49",          "RR-12,WF-28",  "WF-30", "RR-12,WF-31",   "RR-12,WF-34",   "RR-12,WF-35",   "RR-12")          \
    B(read_response,     "RR-61",          "RR-61,WF-28",  "WF-30", "WF-31,WF-65",   "WF-34",         "WF-35",         "WF-27")          \
    B(atomic_ack,        "RR-10,RR-28",    "WF-28",        "WF-30", "WF-31,WF-63",   "WF-34",         "WF-35",         "WF-27")          \
    B(datagram,          "UU-17,WF-39",    "WF-28,RQ-16",  "WF-30", "WF-31",         "WF-34",         "WF-35",         "WF-27")          \
    B(cnp,               "RO-42",          "RO-42,WF-28",  "RO-42", "WF-31",         "WF-34",         "RO-42,WF-35",   "RO-42")
/* AckReq by class: setting it where it is not needed is allowed, so only clearing it where it is needed is a fault. */
#define A_BY_CLASS(B)                                                                                                                   \
    B(request_first,     "^1", "WF-38",        NULL)                                                                                    \
    B(request_middle,    "^1", "WF-38",        NULL)                                                                                    \
    B(request_last,      "^1", "RQ-05,WF-38",  NULL)                                                                                    \
    B(request_only,      "^1", "RQ-05,WF-38",  NULL)                                                                                    \
    B(read_request,      "^1", "RQ-05",        EITHER_WAY)                                                                              \
    B(atomic_request,    "^1", "RQ-05",        EITHER_WAY)                                                                              \
    B(extended_request,  "^1", "RQ-05",        EITHER_WAY)                                                                              \
    B(ack,               "^1", "RR-12,WF-38",  NULL)                                                                                    \
    B(nak,               "^1", "RR-12,WF-38",  NULL)                                                                                    \
    B(rnr_nak,           "^1", "RR-12,WF-38",  NULL)                                                                                    \
    B(read_response,     "^1", "RR-61,WF-38",  NULL)                                                                                    \
    B(atomic_ack,        "^1", "WF-38",        NULL)                                                                                    \
    B(datagram,          "^1", "WF-38",        NULL)                                                                                    \
    B(cnp,               "^1", "RO-42,WF-38",  NULL)
/* The AETH by class.
 *    class              reserved          kind                    value                    msn */
#define AETH_BY_CLASS(B)                                                                                                                \
    B(ack,               "WF-47",          "WF-47,RR-09",          "WF-49,RR-19,RR-20,RR-21", "RR-16")                                  \
    B(nak,               "WF-47",          "WF-47,RR-03",          "WF-51,RR-03",           "RR-18")                                    \
    B(rnr_nak,           "WF-47",          "WF-47,RR-49",          "WF-50,RR-49",           "RR-18")                                    \
    B(read_response,     "WF-47",          "WF-47,RR-61",          "WF-49,RR-20,RR-21",     "RR-17")                                    \
    B(atomic_ack,        "WF-47",          "WF-47,RR-48",          "WF-49,RR-20,RR-21",     "RR-16")
/* Other fields for which a class has a clause of its own.
 *    class              field         change  clauses            words */
#define MORE_BY_CLASS(M)                                                                                                                \
    M(request_first,     "reth.va",     "+1",  "WF-43",           "a remote address of one too much")                                   \
    M(request_first,     "reth.dmalen", "+1",  "WF-43,RR-37",     "a DMA length of one too much")                                       \
    M(request_only,      "reth.dmalen", "+1",  "WF-43,RR-37",     "a DMA length of one too much")                                       \
    M(read_request,      "reth.va",     "+1",  "WF-43,RQ-07",     "a remote address of one too much")                                   \
    M(read_request,      "reth.dmalen", "+1",  "WF-43,RQ-07",     "a DMA length of one too much")                                       \
    M(extended_request,  "reth.va",     "+8",  "WF-43,RR-67",     "a remote address of eight too much")                                 \
    M(extended_request,  "reth.dmalen", "+8",  "WF-43,WF-57",     "a DMA length of eight too much")                                     \
    M(request_first,     "payload",     "^1",  "WF-64",           "a payload that is not the message's")                                \
    M(request_middle,    "payload",     "^1",  "WF-64",           "a payload that is not the message's")                                \
    M(request_last,      "payload",     "^1",  "WF-64",           "a payload that is not the message's")                                \
    M(request_only,      "payload",     "^1",  "WF-64",           "a payload that is not the message's")                                \
    M(extended_request,  "payload",     "^1",  "WF-57",           "a payload that is not the value to write")                           \
    M(read_response,     "payload",     "^1",  "WF-65,RR-61",     "a payload that is not in memory")                                    \
    M(datagram,          "payload",     "^1",  "UU-16",           "a payload that is not the message's")                                \
    M(ack,               "packet",      "-1",  "RR-09,RR-16",     "once and never again")                                                \
    M(nak,               "packet",      "-1",  "RR-03,RR-08",     "once and never again")                                                \
    M(rnr_nak,           "packet",      "-1",  "RR-52,RR-49",     "once and never again")                                                \
    M(read_response,     "packet",      "-1",  "RR-17,RR-25",     "once and never again")                                                \
    M(atomic_ack,        "packet",      "-1",  "RR-28,RR-48",     "once and never again")                                                \
    M(cnp,               "packet",      "-1",  "RO-41",           "once and never again")
/* clang-format on */

#define EVERYWHERE_ROW(field, change, clause, words, why) {EMIT_any, field, change, clause, words, why},
#define BTH_ROWS(c, psn, se, m, padcnt, tver, p_key, destqp)                                                           \
    {EMIT_##c, "bth.psn", "+1", psn, "a PSN of one too much", NULL},                                                   \
        {EMIT_##c, "bth.se", "^1", se, "SE where it was not, and the other way", NULL},                                \
        {EMIT_##c, "bth.m", "^1", m, "MigReq turned over", NULL},                                                      \
        {EMIT_##c, "bth.padcnt", "+1", padcnt, "a wrong pad count", NULL},                                             \
        {EMIT_##c, "bth.tver", "+1", tver, "a transport version that is not 0", NULL},                                 \
        {EMIT_##c, "bth.p_key", "^1", p_key, "the P_Key of another partition", NULL},                                  \
        {EMIT_##c, "bth.destqp", "+1", destqp, "another DestQP", NULL},                                                \
        {EMIT_##c, "bth.fecn", "^1", "WF-36,RO-29", "FECN turned over", NULL},                                         \
        {EMIT_##c, "bth.becn", "^1", "WF-36,WF-82,RO-29", "BECN turned over", NULL},                                   \
        {EMIT_##c, "bth.reserved6", "^1", "WF-05,WF-27", "reserved bits beside BECN set", NULL},                       \
        {EMIT_##c, "bth.reserved7", "^1", "WF-05,WF-27", "reserved bits beside AckReq set", NULL},
#define A_ROW(c, change, clause, why) {EMIT_##c, "bth.a", change, clause, "AckReq turned over", why},
#define AETH_ROWS(c, reserved, kind, value, msn)                                                                       \
    {EMIT_##c, "aeth.syndrome.reserved", "^1", reserved, "the reserved bit of the syndrome set", NULL},                \
        {EMIT_##c, "aeth.syndrome.opcode", "^2", kind, "another kind of syndrome", NULL},                              \
        {EMIT_##c, "aeth.syndrome.value", "+1", value, "another code in the syndrome", NULL},                          \
        {EMIT_##c, "aeth.msn", "+1", msn, "an MSN of one too much", NULL},
#define MORE_ROW(c, field, change, clause, words) {EMIT_##c, field, change, clause, words, NULL},

const struct emit_row emit_rows[] = {EVERYWHERE(EVERYWHERE_ROW) BTH_BY_CLASS(BTH_ROWS) A_BY_CLASS(A_ROW)
                                         AETH_BY_CLASS(AETH_ROWS) MORE_BY_CLASS(MORE_ROW)};
const size_t emit_row_count = sizeof emit_rows / sizeof *emit_rows;
