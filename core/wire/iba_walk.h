/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the packet view: a cursor over one packet and the steps that move it. Not for users of libiba. */
#ifndef IBA_WALK_H
#define IBA_WALK_H
#include "iba_view.h"

/* A step reads one header, and returns the step for the next header. */
enum step {
    STEP_DONE,
    STEP_ERF,
    STEP_SLL,
    STEP_SLL2,
    STEP_IPOIBPH,
    STEP_ETH,
    STEP_SVLAN,
    STEP_VLAN,
    STEP_MPLS,
    STEP_IP,
    STEP_IPV4,
    STEP_IPV6,
    STEP_IP6EXT,
    STEP_UDP,
    STEP_VXLAN,
    STEP_GRE,
    STEP_ERSPAN2,
    STEP_ERSPAN3,
    STEP_IPOIB,
    STEP_IPOIBSEND,
    STEP_IB,
    STEP_FC,
    STEP_GRH,
    STEP_RWH,
    STEP_BTH,
    STEP_TM,
    STEP_COUNT
};

struct walk {
    struct iba_view *v;
    const struct iba_view_opts *opts;
    uint32_t at, end; /* the cursor, and where the packet ends by the lengths read so far (<= v->len) */
    uint32_t l3_at;
    uint32_t ip_end; /* where the packet ends by the length of the last IP header; 0: unknown */
    uint8_t l3;
    uint8_t ip_next; /* the protocol number at this point of the IPv6 extension chain */
    bool inner;      /* the cursor is in the payload, where a fault is none of the InfiniBand packet */
};

/* Records why the header at the cursor does not fit. Always returns NULL. */
__attribute__((cold)) const uint8_t *iba_walk_refuse(struct walk *w, enum iba_hdr h);
/* Adds the header at the cursor to the layers, and returns its bytes. NULL: the packet ends before the header does (a
 * fault), or the capture does (truncated). */
static inline const uint8_t *iba_walk_take(struct walk *w, enum iba_hdr h)
{
    struct iba_view *const v = w->v;
    const uint32_t at = w->at, n = iba_headers[h].bytes;

    if (n > w->end - at || at + n > v->caplen || v->n_layer == IBA_MAX_LAYERS || at > UINT16_MAX)
        return iba_walk_refuse(w, h);
    v->layer[v->n_layer++] = (struct iba_layer){.at = (uint16_t)at, .hdr = (uint8_t)h};
    v->at[h] = (uint16_t)at;
    v->has |= IBA_HDR_BIT(h);
    w->at = at + n;
    return v->wire + at;
}
/* Moves the cursor over n bytes after the fixed part of header `h`. False: the packet ends before them (a fault), or
 * the capture does (truncated). */
__attribute__((hot)) bool iba_walk_skip(struct walk *w, uint32_t n, enum iba_hdr h);
void iba_walk_fault(struct walk *w, enum iba_err e, enum iba_hdr h);
/* By the length in header `h` the packet ends `n` bytes after `from`. If that is beyond the end by the headers before,
 * or before the cursor, the end stays as it was, and the packet has fault `e`. */
__attribute__((hot)) void iba_walk_bound(struct walk *w, uint32_t from, uint32_t n, enum iba_err e, enum iba_hdr h);

typedef enum step iba_step(struct walk *w);
__attribute__((hot)) iba_step iba_step_eth, iba_step_ipv4, iba_step_udp, iba_step_bth;
iba_step iba_step_erf, iba_step_sll, iba_step_sll2, iba_step_ipoibph, iba_step_svlan, iba_step_vlan, iba_step_mpls,
    iba_step_ip, iba_step_ipv6, iba_step_ip6ext, iba_step_vxlan, iba_step_gre, iba_step_erspan2, iba_step_erspan3,
    iba_step_ipoib, iba_step_ipoibsend, iba_step_ib, iba_step_fc, iba_step_grh, iba_step_rwh, iba_step_tm;
/* Returns the step for an EtherType. That of RoCE is ignored inside of the payload of an InfiniBand packet. */
enum step iba_walk_by_ethertype(const struct walk *w, uint16_t type);
/* Returns the kind of an ICRC that starts at header `l3`; `global`: a GRH follows the LRH. */
enum iba_icrc_kind iba_walk_icrc_kind(enum iba_hdr l3, bool global);
/* Checks the VCRC alone, as a switch does that forwards the packet. */
void iba_view_check_vcrc(struct iba_view *v);
/* Returns whether the packet has a good ICRC, which is computed if nobody has checked it. */
bool iba_view_icrc_is_good(const struct iba_view *v);
#endif
