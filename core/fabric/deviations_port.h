/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour that the architecture requires of a port: which keys and addresses are its own, and the headers before the
 * BTH. A sentence continues "a device ..."; after "broken:" it says what a device does whose row is changed. */
#ifndef IBA_ROW_port_H
#define IBA_ROW_port_H
#include "iba_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/*    name                kinds        a device ...                                                                         clause */
#define IBA_PORT_BEHAVIOURS(B)                                                                                                       \
    B(PKEY_PARTITION,     DROP,        "matches P_Keys only when their low 15 bits are equal",                              "PV-09") \
    B(PKEY_INVALID,       DROP,        "matches nothing with a P_Key whose low 15 bits are 0",                              "PV-10") \
    B(PKEY_FULL,          DROP|OTHER,  "matches P_Keys only when one of the two is of a full member; broken: both",         "PV-09, PV-11") \
    B(PKEY_ANY,           OTHER,       "looks for QP1's P_Key in all of the table; broken: in entry 0",                     "PV-13") \
    B(PKEY_SET,           DROP,        "uses a P_Key that is set in its table at once",                                     "QS-79, KM-14") \
    B(PKEY_VIOLATIONS,    DROP,        "counts packets of other partitions",                                                "PV-16") \
    B(PKEY_SATURATES,     DROP,        "stops the counter of P_Key violations at 0xFFFF",                                   "PV-16") \
    B(QKEY_VIOLATIONS,    DROP,        "counts datagrams with another Q_Key",                                               "PV-18") \
    B(QKEY_SATURATES,     DROP,        "stops the counter of Q_Key violations at 0xFFFF",                                   "PV-18") \
    B(LIDS,               OTHER,       "answers to all of its 2^LMC LIDs; broken: to the base LID only",                    "WF-16") \
    B(GID_TABLE,          OTHER,       "answers to all GIDs of its table; broken: to entry 0 only",                         "PV-23, KM-36") \
    B(GID_DEFAULT_PREFIX, DROP,        "answers to its GIDs under the default prefix too",                                  "KM-35, PV-23") \
    B(GID_UNSPECIFIED,    DROP,        "never answers to the GID ::",                                                       "KM-40") \
    B(SL,                 DROP,        "puts the SL of the address vector into the LRH",                                    "WF-14") \
    B(SL_TO_VL,           DROP|OTHER,  "sends on the VL that its table has for the SL; broken: on the SL's own number",     "WF-14, KM-44") \
    B(VL_OF_SMP,          DROP,        "sends SMPs on VL 15",                                                               "WF-12") \
    B(PATH_BITS,          DROP,        "sends from the LID that the path bits select",                                      "WF-19") \
    B(SLID_UNASSIGNED,    DROP,        "sends from the permissive LID while it has none",                                   "UU-27") \
    B(GRH,                DROP,        "sends a GRH where the address vector has one",                                      "WF-26, QS-82") \
    B(GRH_VERSION,        OTHER,       "sends GRHs of version 6; broken: of 4",                                             "WF-21") \
    B(GRH_TCLASS,         DROP,        "puts the traffic class of the address vector into the GRH",                         "WF-25") \
    B(GRH_FLOW,           DROP,        "puts the flow label of the address vector into the GRH",                            "WF-25") \
    B(GRH_NEXT,           OTHER,       "has IBA transport as next header of the GRH; broken: UDP",                          "WF-22, RO-02") \
    B(GRH_HOP_LIMIT,      DROP|OTHER,  "puts the hop limit of the address vector into the GRH; broken: 255",                "WF-20, QS-82") \
    B(GRH_PAYLEN,         OTHER,       "counts the bytes after the GRH with the ICRC; broken: without it",                  "WF-23, RO-02") \
    B(SGID,               OTHER,       "sends from the GID that the address vector selects; broken: from entry 0",          "KM-35, RO-16") \
    B(GIDS_ORDER,         OTHER,       "puts the source GID or IP address before the destination's; broken: after it",      "WF-20, RO-16") \
    B(VLAN,               DROP,        "tags frames with the VLAN of the address vector",                                   "RO-03") \
    B(PRIORITY,           DROP,        "gives tagged frames the SL as their priority",                                      "RO-03, RO-27") \
    B(DSCP,               DROP,        "takes the DSCP from the traffic class",                                             "RO-13, RO-17") \
    B(ECN,                DROP|OTHER,  "sends ECT(0) if it claims congestion management, else 00; broken: always ECT(0)",   "RO-13") \
    B(DONT_FRAGMENT,      DROP,        "sends IPv4 packets that must not be fragmented",                                    "RO-14") \
    B(TTL,                DROP|OTHER,  "takes TTL or hop limit from the address vector; broken: 255",                       "RO-15") \
    B(IP_FLOW,            DROP,        "puts the flow label of the address vector into the IPv6 header",                    "RO-17") \
    B(IP_VERSION,         OTHER,       "sends IPv4 from an IPv4 GID; broken: IPv6 with both addresses mapped",              "RO-11, RO-16, RO-24") \
    B(IP_LENGTH,          OTHER,       "counts the IP packet up to and including the ICRC; broken: without it",             "RO-12, RO-17") \
    B(IP_CHECKSUM,        DROP,        "sends IPv4 headers with their checksum",                                            "RO-12") \
    B(UDP_PORT,           OTHER,       "sends to UDP port 4791; broken: to 4790",                                           "RO-18") \
    B(UDP_SOURCE,         OTHER,       "keeps one UDP source port in a flow; broken: changes it with the PSN",              "RO-19") \
    B(UDP_SOURCE_ASKED,   DROP,        "sends from the UDP source port of the address vector",                              "RO-19") \
    B(UDP_LENGTH,         OTHER,       "counts the UDP datagram up to and including the ICRC; broken: without it",          "RO-20") \
    B(UDP_CHECKSUM,       OTHER,       "sends UDP without checksum; broken: with a wrong one",                              "RO-21") \
    B(LRH_LENGTH,         OTHER,       "counts the words from LRH to ICRC; broken: one too few",                            "WF-11, WF-10") \
    B(ICRC,               DROP|OTHER,  "ends packets with their ICRC; broken: with its bytes reversed",                     "WF-74, RO-22") \
    B(VCRC,               DROP|OTHER,  "ends packets on InfiniBand with their VCRC; broken: with its bytes reversed",          "WF-79")
/* clang-format on */
enum iba_port_row {
#define IBA_PORT_ROW(name, ...) IBA_ROW_port_##name,
    IBA_PORT_BEHAVIOURS(IBA_PORT_ROW) IBA_ROW_port_COUNT
};
extern const struct iba_behaviours iba_port_behaviours;
#define IBA_PORT_LISTS(L) L(iba_port_behaviours)

/* The points at which a broken port deviates: P(returns, name, arguments). */
/* clang-format off */
#define IBA_PORT_POINTS(P)                                                                                             \
    /* The port writes the headers before the BTH, or seals them (iba_port.h). */                                       \
    P(size_t, envelope, (const struct iba_port *p, const struct iba_av *av, uint32_t flow, uint8_t *out))              \
    P(size_t, seal, (const struct iba_port *p, uint8_t *packet, size_t n, size_t body))                                \
    /* Returns whether two P_Keys match. */                                                                            \
    P(bool, pkey_match, (const struct iba_port *p, uint16_t a, uint16_t b))                                            \
    /* `i` is the first entry that matches. Returns the entry that this device finds. */                               \
    P(int, pkey_found, (const struct iba_port *p, int i))                                                              \
    /* The port counts a violation. */                                                                                 \
    P(void, count, (const struct iba_port *p, uint16_t *counter))                                                      \
    /* Returns whether the port answers to one of its LIDs. */                                                         \
    P(bool, answers_to_lid, (const struct iba_port *p, uint16_t lid))                                                  \
    /* Returns whether the GID, from byte `from` on, is equal to one of the port's GIDs. */                            \
    P(bool, has_gid, (const struct iba_port *p, const uint8_t *gid, size_t from))
/* clang-format on */
struct iba_port_deviations {
#define IBA_PORT_POINT(returns, name, arguments) returns(*name) arguments;
    IBA_PORT_POINTS(IBA_PORT_POINT)
};
/* Makes `p` the port of a broken device with the change `c`; NULL: of an unbroken one again. */
void iba_port_change(struct iba_port *p, const struct iba_change *c);

#ifdef __cplusplus
}
#endif

#endif
