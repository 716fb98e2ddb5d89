#include "iba_view.h"
#include <assert.h>
#include "iba_walk.h"

const char *iba_strerror(enum iba_err e)
{
#define IBA_ERR_TEXT(name, text) [IBA_##name] = text,
    static const char *const text[IBA_ERR_COUNT] = {IBA_ERRS(IBA_ERR_TEXT)};
    return (unsigned)e < IBA_ERR_COUNT ? text[e] : "unknown error";
}

const char *iba_check_name(enum iba_check c)
{
    static const char *const name[] = {"absent", "good", "bad", "truncated", "pending"};
    return name[c];
}

void iba_walk_fault(struct walk *w, enum iba_err e, enum iba_hdr h)
{
    if (w->inner || w->v->err != IBA_OK)
        return;
    w->v->err = e;
    w->v->err_hdr = (uint8_t)h;
}

static bool whole(struct walk *w, uint32_t n, enum iba_hdr h)
{
    if (n > w->end - w->at) {
        if (!w->v->fragment) /* the rest of a fragment is in another packet */
            iba_walk_fault(w, IBA_HEADER_CUT, h);
        return false;
    }
    if (w->at + n > w->v->caplen) {
        w->v->truncated = true;
        if (w->v->proto == IBA_PROTO_NONE)
            w->v->proto = IBA_PROTO_UNDECIDED;
        return false;
    }
    return true;
}

const uint8_t *iba_walk_refuse(struct walk *w, enum iba_hdr h)
{
    if (whole(w, iba_headers[h].bytes, h))
        iba_walk_fault(w, IBA_TOO_DEEP, h);
    return NULL;
}

bool iba_walk_skip(struct walk *w, uint32_t n, enum iba_hdr h)
{
    if (!whole(w, n, h))
        return false;
    w->at += n;
    return true;
}

void iba_walk_bound(struct walk *w, uint32_t from, uint32_t n, enum iba_err e, enum iba_hdr h)
{
    if (n > w->end - from || from + n < w->at)
        iba_walk_fault(w, e, h);
    else
        w->end = from + n;
}

static iba_step *const steps[STEP_COUNT] = {
    [STEP_ERF] = iba_step_erf,         [STEP_SLL] = iba_step_sll,         [STEP_SLL2] = iba_step_sll2,
    [STEP_IPOIBPH] = iba_step_ipoibph, [STEP_ETH] = iba_step_eth,         [STEP_SVLAN] = iba_step_svlan,
    [STEP_VLAN] = iba_step_vlan,       [STEP_MPLS] = iba_step_mpls,       [STEP_IP] = iba_step_ip,
    [STEP_IPV4] = iba_step_ipv4,       [STEP_IPV6] = iba_step_ipv6,       [STEP_IP6EXT] = iba_step_ip6ext,
    [STEP_UDP] = iba_step_udp,         [STEP_VXLAN] = iba_step_vxlan,     [STEP_GRE] = iba_step_gre,
    [STEP_ERSPAN2] = iba_step_erspan2, [STEP_ERSPAN3] = iba_step_erspan3, [STEP_IPOIB] = iba_step_ipoib,
    [STEP_IB] = iba_step_ib,           [STEP_FC] = iba_step_fc,           [STEP_GRH] = iba_step_grh,
    [STEP_RWH] = iba_step_rwh,         [STEP_BTH] = iba_step_bth,         [STEP_IPOIBSEND] = iba_step_ipoibsend,
};

__attribute__((hot)) enum iba_err iba_view_parse(struct iba_view *v, enum iba_link link, const uint8_t *wire,
                                                 size_t caplen, size_t len, const struct iba_view_opts *opts)
{
    static const struct iba_view_opts none;
    static const uint8_t first[] = {
        [IBA_LINK_NONE] = STEP_DONE,  [IBA_LINK_ETHERNET] = STEP_ETH, [IBA_LINK_IB] = STEP_IB,
        [IBA_LINK_IB_LINK] = STEP_FC, [IBA_LINK_IP] = STEP_IP,        [IBA_LINK_SLL] = STEP_SLL,
        [IBA_LINK_SLL2] = STEP_SLL2,  [IBA_LINK_ERF] = STEP_ERF,      [IBA_LINK_IPOIB] = STEP_IPOIBPH,
    };
    struct walk w = {.v = v, .opts = opts ? opts : &none, .end = (uint32_t)len};

    assert(caplen <= len && len <= UINT32_MAX / 2);
    memset(v, 0, offsetof(struct iba_view, at)); /* what lies behind is valid where `has` and `n_layer` say so */
    v->wire = wire;
    v->caplen = (uint32_t)caplen;
    v->len = (uint32_t)len;
    for (enum step s = first[link]; s != STEP_DONE;) /* ends: every step takes a layer, and layers are bounded */
        s = steps[s](&w);
    if (v->proto == IBA_PROTO_UNDECIDED)
        v->icrc = IBA_CHECK_TRUNCATED;
    v->truncated = v->caplen < v->len; /* not only inside a header */
    return v->err;
}

enum iba_icrc_kind iba_walk_icrc_kind(enum iba_hdr l3, bool global)
{
    static const uint8_t kind[IBA_H_COUNT] = {
        [IBA_H_lrh] = IBA_ICRC_LOCAL,
        [IBA_H_grh] = IBA_ICRC_ROCE1,
        [IBA_H_ipv4] = IBA_ICRC_ROCE2_V4,
        [IBA_H_ipv6] = IBA_ICRC_ROCE2_V6,
    };
    return l3 == IBA_H_lrh && global ? IBA_ICRC_GLOBAL : (enum iba_icrc_kind)kind[l3];
}

uint32_t iba_view_icrc(const struct iba_view *v)
{
    return iba_icrc(iba_walk_icrc_kind((enum iba_hdr)v->l3, iba_view_has(v, IBA_H_grh)), v->wire + v->l3_at,
                    v->bth_at - v->l3_at, v->end - IBA_ICRC_BYTES - v->l3_at);
}

__attribute__((hot)) void iba_view_check(struct iba_view *v)
{
    if (v->icrc == IBA_CHECK_PENDING)
        v->icrc = iba_view_icrc(v) == iba_le32(v->wire + v->end - IBA_ICRC_BYTES) ? IBA_CHECK_GOOD : IBA_CHECK_BAD;
    if (v->vcrc != IBA_CHECK_PENDING)
        return;
    if (v->proto == IBA_PROTO_IB_LINK) {
        const uint8_t *fc = iba_view_hdr(v, IBA_H_fc);
        v->vcrc = iba_lpcrc(fc) == iba_le16(fc + 4) ? IBA_CHECK_GOOD : IBA_CHECK_BAD;
    } else {
        const uint8_t *lrh = iba_view_hdr(v, IBA_H_lrh);
        const uint32_t n = v->end - v->at[IBA_H_lrh];
        v->vcrc = iba_vcrc(lrh, n) == iba_le16(lrh + n) ? IBA_CHECK_GOOD : IBA_CHECK_BAD;
    }
}
