/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the packet view through InfiniBand's own headers. */
#include "iba_walk.h"

enum step iba_step_fc(struct walk *w)
{
    w->v->proto = IBA_PROTO_IB_LINK;
    if (iba_walk_take(w, IBA_H_fc))
        w->v->vcrc = IBA_CHECK_PENDING;
    else if (w->v->truncated)
        w->v->vcrc = IBA_CHECK_TRUNCATED;
    w->v->end = w->at;
    return STEP_DONE;
}

static enum iba_check capture_holds(const struct iba_view *v, uint32_t end)
{
    return end <= v->caplen ? IBA_CHECK_PENDING : IBA_CHECK_TRUNCATED;
}

/* LRH.PktLen counts words up to the VCRC (WF-08), which a capture may or may not contain. */
static void lrh_length(struct walk *w, uint32_t from, uint32_t words)
{
    const uint32_t n = words * 4, there = w->end - from;

    if (n != there && n + IBA_VCRC_BYTES != there)
        iba_walk_fault(w, IBA_LRH_LENGTH, IBA_H_lrh);
    if (n <= there && n >= IBA_BYTES_lrh) {
        w->end = from + n;
        if (there >= n + IBA_VCRC_BYTES)
            w->v->vcrc = capture_holds(w->v, w->end + IBA_VCRC_BYTES);
    }
    w->v->end = w->end;
}

enum step iba_step_ib(struct walk *w)
{
    enum { FLOW_CONTROL_BYTES = IBA_BYTES_fc };
    static const uint8_t by_lnh[] = {STEP_RWH, STEP_IPV6, STEP_BTH, STEP_GRH};
    const uint32_t from = w->at;
    const uint8_t *p;

    if (w->end - from == FLOW_CONTROL_BYTES)
        return STEP_FC;
    w->v->proto = IBA_PROTO_IB;
    w->v->icrc = IBA_CHECK_TRUNCATED; /* this holds if the capture ends before the end of the BTH */
    p = iba_walk_take(w, IBA_H_lrh);
    if (!p) {
        w->v->icrc = w->v->truncated ? IBA_CHECK_TRUNCATED : IBA_CHECK_ABSENT;
        return STEP_DONE;
    }
    w->l3 = IBA_H_lrh;
    w->l3_at = from;
    lrh_length(w, from, iba_lrh_pktlen(p));
    if (iba_lrh_lver(p) != 0)
        iba_walk_fault(w, IBA_LRH_VERSION, IBA_H_lrh);
    if (iba_lrh_lnh(p) < 2) {
        w->v->proto = IBA_PROTO_IB_RAW;
        w->v->icrc = IBA_CHECK_ABSENT;
        w->inner = true; /* faults in the payload are no faults of the InfiniBand packet */
    }
    return by_lnh[iba_lrh_lnh(p)];
}

enum step iba_step_rwh(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_rwh);

    return p ? iba_walk_by_ethertype(w, iba_rwh_etype(p)) : STEP_DONE;
}

enum step iba_step_grh(struct walk *w)
{
    enum { IBA_TRANSPORT = 0x1b };
    const uint32_t from = w->at;
    const bool native = iba_view_has(w->v, IBA_H_lrh);
    const uint8_t *p;

    if (!native) {
        w->v->proto = IBA_PROTO_ROCE1;
        w->l3 = IBA_H_grh;
        w->l3_at = from;
    }
    p = iba_walk_take(w, IBA_H_grh);
    if (!p) {
        w->v->icrc = w->v->truncated ? IBA_CHECK_TRUNCATED : IBA_CHECK_ABSENT;
        return STEP_DONE;
    }
    if (iba_grh_ipver(p) != 6)
        iba_walk_fault(w, IBA_GRH_VERSION, IBA_H_grh);
    if (native && from + IBA_BYTES_grh + iba_grh_paylen(p) != w->end)
        iba_walk_fault(w, IBA_GRH_LENGTH, IBA_H_grh);
    if (!native) /* an Ethernet frame may have padding after the packet (RO-04) */
        iba_walk_bound(w, from, (uint32_t)IBA_BYTES_grh + iba_grh_paylen(p), IBA_GRH_LENGTH, IBA_H_grh);
    if (iba_grh_nxthdr(p) == IBA_TRANSPORT)
        return STEP_BTH;
    iba_walk_fault(w, IBA_GRH_NXTHDR, IBA_H_grh);
    w->v->icrc = IBA_CHECK_ABSENT;
    return STEP_DONE;
}

/* Returns the set of headers after the BTH. */
static uint64_t extensions(const struct walk *w, uint8_t opcode)
{
    enum { DC_CONNECT = 0x55 };

    if (w->opts->dc && opcode >> 5 == IBA_RD) {
        const uint64_t rc = iba_opcodes[opcode & 0x1f].hdrs;
        return IBA_HDR_BIT(IBA_H_dcbth) |
               (opcode == DC_CONNECT ? IBA_HDR_BIT(IBA_H_dcceth) : rc & ~IBA_HDR_BIT(IBA_H_bth));
    }
    return iba_opcodes[opcode].hdrs & ~IBA_HDR_BIT(IBA_H_bth);
}

/* Returns whether a UDP packet to a RoCE port is no RoCE: its opcode is reserved, and its ICRC is not right. If the
 * capture lacks bytes to check the ICRC, the packet counts as RoCE. */
static bool forced(const struct walk *w, uint8_t opcode)
{
    const struct iba_view *v = w->v;

    if (v->proto != IBA_PROTO_ROCE2 || v->icrc == IBA_CHECK_TRUNCATED || iba_opcodes[opcode].name ||
        iba_opcode_is_vendor(opcode))
        return false;
    return !iba_view_icrc_is_good(v);
}

static enum step not_roce(struct walk *w)
{
    struct iba_view *v = w->v;

    v->n_layer--;
    v->has &= ~IBA_HDR_BIT(IBA_H_bth);
    v->proto = IBA_PROTO_NONE;
    v->icrc = IBA_CHECK_ABSENT;
    v->op = NULL;
    iba_walk_fault(w, IBA_NOT_ROCE_OPCODE, IBA_H_bth);
    return STEP_DONE;
}

/* Returns whether the payload of a SEND is an IPoIB packet (RFC 4391, and RFC 4755 for connected mode): four bytes name
 * the protocol; a header of that protocol follows whose length fits the payload, or an ARP for InfiniBand hardware. */
static bool holds_ipoib(const struct iba_view *v)
{
    enum { LEAST = IBA_BYTES_ipoibsend + 28 };
    const uint8_t *p = v->wire + v->payload_at + IBA_BYTES_ipoibsend;
    const uint32_t room = v->payload_len - IBA_BYTES_ipoibsend;

    if (!v->op || v->op->operation != IBA_OPERATION_SEND || v->op->pos != IBA_ONLY || v->op->svc == IBA_XRC)
        return false;
    if (v->holds != IBA_HOLDS_UNKNOWN)
        return v->holds == IBA_HOLDS_IPOIB && iba_view_payload_captured(v) >= IBA_BYTES_ipoibsend;
    if (iba_bth_destqp(iba_view_bth(v)) < 2 || iba_view_payload_captured(v) < LEAST)
        return false;
    switch (iba_bits_get(p - IBA_BYTES_ipoibsend, 0, 32)) {
    case 0x08000000: return p[0] >> 4 == 4 && iba_ipv4_hdr_len(p) >= 5 && iba_ipv4_len(p) == room;
    case 0x86dd0000: return p[0] >> 4 == 6 && iba_ipv6_plen(p) + (uint32_t)IBA_BYTES_ipv6 == room;
    case 0x08060000: return iba_bits_get(p, 0, 16) == 32; /* ARPHRD_INFINIBAND */
    default: return false;
    }
}

/* Returns whether the payload begins with a header of tag matching, because the options say so (VN-04). */
static bool holds_tm(const struct iba_view *v)
{
    return v->holds == IBA_HOLDS_TM && v->op && (v->op->svc == IBA_RC || v->op->svc == IBA_XRC) &&
           v->op->operation == IBA_OPERATION_SEND && iba_opcode_begins(v->op);
}

/* A RNDV has an RVH (VN-05). Public text gives two forms of a FIN: with the RVH of its RNDV, and without. A header
 * that does not fit is payload, and no fault. */
enum step iba_step_tm(struct walk *w)
{
    const bool there = w->at < w->end && w->at < w->v->caplen;
    const uint8_t kind = there ? iba_tmop_opcode(w->v->wire + w->at) : IBA_TM_NO_TAG;

    if (kind == IBA_TM_NO_TAG || kind > IBA_TM_EAGER)
        (void)iba_walk_take(w, IBA_H_tmop);
    else if (iba_walk_take(w, IBA_H_tmh) && (kind == IBA_TM_RNDV || kind == IBA_TM_FIN))
        (void)iba_walk_take(w, IBA_H_rvh);
    return STEP_DONE;
}

static uint8_t told(const struct walk *w, uint32_t qpn)
{
    for (unsigned i = 0; i < IBA_MAX_QPS && w->opts->qp[i].holds != IBA_HOLDS_UNKNOWN; i++)
        if (w->opts->qp[i].qpn == qpn)
            return w->opts->qp[i].holds;
    return IBA_HOLDS_UNKNOWN;
}

static enum step payload(struct walk *w, uint32_t at, uint32_t room)
{
    struct iba_view *v = w->v;

    v->payload_at = at;
    v->pad = iba_bth_padcnt(iba_view_bth(v));
    if (v->pad > room) {
        iba_walk_fault(w, IBA_BAD_PAD, IBA_H_bth);
        v->pad = 0;
    }
    v->payload_len = room - v->pad;
    v->holds = told(w, iba_bth_destqp(iba_view_bth(v)));
    if (!holds_ipoib(v) && !holds_tm(v))
        return STEP_DONE;
    w->inner = true;
    w->at = at;
    w->end = at + v->payload_len;
    return v->holds == IBA_HOLDS_TM ? STEP_TM : STEP_IPOIBSEND;
}

enum step iba_step_bth(struct walk *w)
{
    struct iba_view *v = w->v;
    const uint32_t from = w->at;
    const uint8_t *p = iba_walk_take(w, IBA_H_bth);
    uint64_t hdrs;

    if (p) {
        v->l3 = w->l3;
        v->l3_at = w->l3_at;
        v->bth_at = from;
    }
    v->end = w->end;
    v->icrc = v->fragment ? IBA_CHECK_TRUNCATED : capture_holds(v, v->end);
    if (!p || w->end - w->at < IBA_ICRC_BYTES || from - w->l3_at > IBA_ICRC_MAX_BTH_AT) {
        if (!v->truncated)
            v->icrc = IBA_CHECK_ABSENT;
        if (p)
            iba_walk_fault(w, IBA_NO_ICRC, IBA_H_bth);
        return STEP_DONE;
    }
    if (forced(w, iba_bth_opcode(p)))
        return not_roce(w);
    v->op = iba_opcodes[iba_bth_opcode(p)].name ? &iba_opcodes[iba_bth_opcode(p)] : NULL;
    hdrs = extensions(w, iba_bth_opcode(p));
    w->end -= IBA_ICRC_BYTES;
    const uint32_t ext_end = w->at + (uint32_t)iba_hdrs_bytes(hdrs);
    for (uint64_t left = hdrs; left; left &= left - 1)
        if (!iba_walk_take(w, (enum iba_hdr)__builtin_ctzll(left)))
            break;
    if (ext_end > w->end) { /* the error names the header that did not fit; the bytes after it are no payload */
        v->payload_at = w->at;
        return STEP_DONE;
    }
    return payload(w, ext_end, w->end - ext_end);
}
