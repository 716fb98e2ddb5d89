/* SPDX-License-Identifier: BSD-2-Clause */
/* Vocabularies: the names of codes in header fields. A row has a value, or a range of values, and its name. */
#ifndef IBA_VALUES_H
#define IBA_VALUES_H
#include <stddef.h>
#include <stdint.h>
#include "iba_aeth.h"
#include "iba_tm.h"
#include "mad_values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* WF-02 */
#define IBA_LNH_VALUES(V)                                                                                              \
    V(0, 0, "Raw (EtherType)") V(1, 1, "Raw (IPv6)") V(2, 2, "IBA local") V(3, 3, "IBA global")
/* WF-15 */
#define IBA_LID_VALUES(V)                                                                                              \
    V(0x0000, 0x0000, "reserved") V(0xc000, 0xfffe, "multicast") V(0xffff, 0xffff, "permissive")
/* WF-37 */
#define IBA_DESTQP_VALUES(V)                                                                                           \
    V(0, 0, "QP0, subnet management") V(1, 1, "QP1, general services") V(0xffffff, 0xffffff, "multicast")
/* Kinds and codes of a syndrome: iba_aeth.h */
#define IBA_AETH_VALUE(V, name, code, words) V(code, code, words)
#define IBA_CREDIT_VALUE(V, code, messages) V(code, code, #messages)
#define IBA_RNR_MS_VALUE(V, code, units, words) V(code, code, words)
#define IBA_AETH_KIND_VALUES(V) IBA_AETH_KINDS(IBA_AETH_VALUE, V)
#define IBA_NAK_VALUES(V) IBA_NAKS(IBA_AETH_VALUE, V) V(5, 31, "reserved")
#define IBA_CREDITS_VALUES(V) IBA_CREDITS(IBA_CREDIT_VALUE, V) V(31, 31, "no credit limit")
#define IBA_RNR_MS_VALUES(V) IBA_RNR_TIMERS(IBA_RNR_MS_VALUE, V)
/* WF-56 */
#define IBA_SELECT_VALUES(V) V(0, 0, "Memory Region Range") V(1, 1, "Memory Region") V(2, 3, "reserved")
#define IBA_PLACE_VALUES(V)                                                                                            \
    V(0, 0, "none") V(1, 1, "Global Visibility") V(2, 2, "Persistence") V(3, 3, "Global Visibility, Persistence")      \
    V(4, 15, "reserved")
/* VN-04 */
#define IBA_TM_OP_VALUE(V, name, code, words) V(code, code, words)
#define IBA_TM_OP_VALUES(V) IBA_TM_OPS(IBA_TM_OP_VALUE, V) V(4, 255, "reserved")
#define IBA_FC_OP_VALUES(V) V(0, 0, "Normal") V(1, 1, "Initialise") V(2, 15, "reserved")
#define IBA_ECN_VALUES(V) V(0, 0, "Not-ECT") V(1, 1, "ECT(1)") V(2, 2, "ECT(0)") V(3, 3, "CE")
#define IBA_IPPROTO_VALUES(V)                                                                                          \
    V(0, 0, "IPv6 Hop-by-Hop Option") V(1, 1, "ICMP") V(2, 2, "IGMP") V(4, 4, "IPIP") V(6, 6, "TCP")                   \
    V(17, 17, "UDP") V(27, 27, "IBA transport") V(41, 41, "IPv6") V(43, 43, "IPv6 Routing")                            \
    V(44, 44, "IPv6 Fragment") V(47, 47, "GRE") V(50, 50, "ESP") V(51, 51, "AH") V(58, 58, "ICMPv6")                   \
    V(59, 59, "IPv6 No Next Header") V(60, 60, "IPv6 Destination Options") V(89, 89, "OSPF") V(132, 132, "SCTP")       \
    V(135, 135, "Mobility Header") V(139, 139, "HIP") V(140, 140, "Shim6")
#define IBA_ETHERTYPE_VALUES(V)                                                                                        \
    V(0x0800, 0x0800, "IPv4") V(0x0806, 0x0806, "ARP") V(0x22eb, 0x22eb, "ERSPAN III")                                 \
    V(0x6558, 0x6558, "Transparent Ethernet bridging") V(0x8035, 0x8035, "RARP") V(0x8100, 0x8100, "802.1Q VLAN")      \
    V(0x86dd, 0x86dd, "IPv6") V(0x8808, 0x8808, "MAC Control") V(0x8847, 0x8847, "MPLS")                               \
    V(0x8848, 0x8848, "MPLS multicast") V(0x88a8, 0x88a8, "802.1ad") V(0x88be, 0x88be, "ERSPAN II")                    \
    V(0x88cc, 0x88cc, "LLDP") V(0x8906, 0x8906, "FCoE") V(0x8914, 0x8914, "FIP") V(0x8915, 0x8915, "RoCE")             \
    V(0x9100, 0x9100, "802.1Q VLAN (0x9100)")
#define IBA_UDPPORT_VALUES(V) V(4789, 4789, "VXLAN") V(4791, 4791, "RoCEv2")
#define IBA_ERF_TYPE_VALUES(V)                                                                                         \
    V(2, 2, "ETH") V(11, 11, "COLOR_ETH") V(16, 16, "DSM_COLOR_ETH") V(20, 20, "COLOR_HASH_ETH")                       \
    V(21, 21, "INFINIBAND") V(22, 22, "IPV4") V(23, 23, "IPV6") V(24, 24, "RAW_LINK") V(25, 25, "INFINIBAND_LINK")     \
    V(27, 27, "META") V(28, 28, "OPA_SNC") V(29, 29, "OPA_9B") V(48, 48, "PAD")

#define IBA_VOCABULARIES(W)                                                                                            \
    W(LNH) W(LID) W(DESTQP) W(AETH_KIND) W(NAK) W(CREDITS) W(RNR_MS) W(SELECT) W(PLACE) W(TM_OP) W(FC_OP) W(ECN)           \
    W(IPPROTO) W(ETHERTYPE) W(UDPPORT) W(ERF_TYPE) IBA_MAD_VOCABULARIES(W)
/* clang-format on */

enum iba_vocabulary {
    IBA_VALUES_NONE,
    IBA_VALUES_OPCODE, /* the names are those of the opcode table, iba_opcode_rows.h */
#define IBA_VOCABULARY_ID(w) IBA_VALUES_##w,
    IBA_VOCABULARIES(IBA_VOCABULARY_ID) IBA_VALUES_COUNT
};

struct iba_value {
    uint32_t lo, hi; /* both belong to the range; the ranges of rows ascend and do not overlap */
    const char *name;
};

/* Returns the rows of a vocabulary, and their number in *n; for NONE and OPCODE NULL and 0. */
const struct iba_value *iba_values(enum iba_vocabulary w, size_t *n);
/* Returns the name of `value`; NULL: the vocabulary has none. For OPCODE never NULL. */
const char *iba_value_name(enum iba_vocabulary w, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
