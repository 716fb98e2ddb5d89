/* SPDX-License-Identifier: BSD-2-Clause */
/* The endpoint's side of the fabric: ports, their addresses and their P_Key table (chapter 10.9, KM-11..KM-15, seeds).
 */
#ifndef IBA_PORT_H
#define IBA_PORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/iba_change.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_mtu.h"
#include "wire/iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum iba_port_kind { IBA_PORT_IB, IBA_PORT_ROCE1, IBA_PORT_ROCE2 };

#define IBA_GSI_QKEY 0x80010000u /* PV-19 */
enum { IBA_MAX_GIDS = 8, IBA_PORT_MAX_PKEYS = 64 };

/* clang-format off */
/* Counters of a port: type, name, what is counted, clause */
#define IBA_PORT_COUNTERS(C)                                                                                                    \
    C(uint16_t, pkey_violations, "packets of another partition; stops at 0xFFFF, set to 0 by the manager", "PV-16")             \
    C(uint16_t, qkey_violations, "datagrams with another Q_Key than the QP; stops at 0xFFFF, set to 0 by the manager", "PV-18") \
    C(uint64_t, packets_in,      "packets that arrived", "")                                                                    \
    C(uint64_t, packets_out,     "packets that were sent", "")                                                                  \
    C(uint64_t, bytes_in,        "bytes of the packets that arrived", "")                                                       \
    C(uint64_t, bytes_out,       "bytes of the packets that were sent", "")                                                     \
    C(uint64_t, fecn_in,         "packets with FECN", "WF-81")                                                                  \
    C(uint64_t, becn_in,         "packets with BECN", "WF-83")                                                                  \
    C(uint64_t, cnp_in,          "congestion notification packets that arrived", "WF-84")                                       \
    C(uint64_t, cnp_out,         "congestion notification packets that were sent", "WF-81")                                     \
    C(uint64_t, ecn_ce_in,       "packets with ECN Congestion Experienced", "RO-41")
/* clang-format on */
struct iba_port_counters {
#define IBA_PORT_COUNTER(type, name, words, clause) type name;
    IBA_PORT_COUNTERS(IBA_PORT_COUNTER)
};

struct iba_port {
    uint8_t kind; /* enum iba_port_kind */
    uint8_t number;
    uint8_t mtu; /* enum iba_mtu */
    uint8_t lmc;
    uint16_t lid; /* base LID; 0 before it is assigned, and on RoCE */
    uint64_t mac;
    uint8_t sl2vl[16];             /* 15: packets of that SL must not be sent (KM-44); the caller must check this */
    uint8_t gid[IBA_MAX_GIDS][16]; /* entry 0 is the default GID; RoCEv2 over IPv4: ::ffff:a.b.c.d (RO-16) */
    uint8_t n_gid;
    uint16_t pkey[IBA_PORT_MAX_PKEYS]; /* 0 in the low 15 bits: no entry (PV-10) */
    uint8_t n_pkey;                    /* size of the table, valid entries or not */
    bool congestion; /* claims A10 (IB) or RoCEv2 congestion management: FECN/ECN are answered, packets leave as ECT(0)
                      */
    struct iba_port_counters counters;
    const struct iba_change *change;           /* of the adapter, which keeps it up to date; NULL: none */
    const struct iba_port_deviations *deviate; /* and how (deviations_port.h); NULL with `change` */
};

/* One resolved address vector: the header fields before the BTH for every packet of a QP or an address handle
 * (RO-13..RO-19). */
struct iba_av {
    uint64_t dmac; /* RoCE */
    uint8_t dgid[16];
    uint32_t flow_label;
    uint16_t dlid;       /* IB */
    uint16_t vlan;       /* RoCE: VLAN id, 0xffff for no tag */
    uint16_t udp_source; /* RoCEv2: the same for all packets of a flow (RO-19); 0: derived from the QPNs */
    uint8_t tclass, hop_limit;
    uint8_t port;      /* number */
    uint8_t sl;        /* RoCE: 0..7 (RO-27) */
    uint8_t path_bits; /* low LMC bits of the SLID (WF-19); others are ignored */
    uint8_t static_rate;
    uint8_t sgid_index;
    bool grh; /* IB: a GRH is sent; RoCE: always */
    bool smp; /* IB: leads to QP0, so VL 15 whatever the SL says (WF-12) */
};

static inline enum iba_link iba_port_link(const struct iba_port *p) /* of its frames, to parse them with */
{
    return p->kind == IBA_PORT_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET;
}

/* Default values: P_Key table {0xFFFF, 0, ...} (KM-13), all SLs on VL 0, GID 0 by rule 1: FE80::/64 and the port's
 * EUI-64, which on RoCE is derived from the 48 bits of the MAC. */
void iba_port_init(struct iba_port *p, uint8_t number, enum iba_port_kind kind, enum iba_mtu mtu, uint64_t guid_or_mac);

/* The membership rule: same partition, not the invalid one, at least one full member (PV-09, PV-10). */
bool iba_pkey_match(uint16_t a, uint16_t b);
/* The same, with the deviations of that port. */
bool iba_port_pkey_match(const struct iba_port *p, uint16_t a, uint16_t b);
/* The index of the first table entry that `key` matches; -1 when none does. */
int iba_port_pkey_find(const struct iba_port *p, uint16_t key);
/* Sets one entry; false when the index is beyond the table. Takes effect at once (QS-79). */
bool iba_port_pkey_set(struct iba_port *p, uint8_t index, uint16_t key);
void iba_port_count_pkey_violation(struct iba_port *p); /* the counter stays at its maximum */
void iba_port_count_qkey_violation(struct iba_port *p); /* the counter stays at its maximum */

enum iba_lid_class { IBA_LID_RESERVED, IBA_LID_UNICAST, IBA_LID_MULTICAST, IBA_LID_PERMISSIVE };
enum iba_lid_class iba_lid_classify(uint16_t lid); /* WF-15 */
/* The LID is one of the port's 2^LMC (WF-16). */
bool iba_port_has_lid(const struct iba_port *p, uint16_t lid);
/* The GID is in the table; on IB also under the default prefix FE80::/64 (KM-35, PV-23). Never ::0 (KM-40). */
bool iba_port_has_gid(const struct iba_port *p, const uint8_t *gid);
/* FFxx::, or ::ffff:a.b.c.d of an IPv4 multicast address (RO-06). */
bool iba_gid_is_multicast(const uint8_t *gid);
/* The MAC address of a GID (RO-06): multicast groups, and link-local GIDs derived from a MAC. False for others, which
 * need neighbour discovery. */
bool iba_gid_mac(const uint8_t *gid, uint64_t *mac);

enum {
    IBA_ENVELOPE_MAX = 14 + 4 + 40 + 8,     /* Ethernet, VLAN, IPv6, UDP; or LRH, GRH */
    IBA_ENVELOPE_IPV4_MAX = 14 + 4 + 20 + 8 /* the longest over IPv4; the shortest over IPv6 is longer */
};
/* Everything before the BTH, with lengths and checksum left 0, for packets from `p` along `av`: once per address
 * vector, as it touches every field. `flow` (say, of the two QPNs) picks a UDP source port of 0xC000..0xFFFF where
 * av->udp_source is 0. RoCEv2 goes over IPv4 when the port's GID is an IPv4 one; the destination is then the DGID's
 * last four bytes. Returns its bytes, 8..IBA_ENVELOPE_MAX; all IBA_ENVELOPE_MAX bytes of `out` are written to. */
size_t iba_envelope_write(const struct iba_port *p, const struct iba_av *av, uint32_t flow, uint8_t *out);
/* Fills in lengths and checksum of an envelope of `n` bytes at the front of a packet whose BTH..payload+pad is `body`
 * bytes (12 or more, whole words), then appends ICRC, and VCRC on IB: this needs room for 6 more bytes. May be called
 * again after the body or the envelope changed. Returns the packet's length. */
size_t iba_envelope_seal(const struct iba_port *p, uint8_t *packet, size_t n, size_t body);

#ifdef __cplusplus
}
#endif

#endif
