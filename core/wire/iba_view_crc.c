/* SPDX-License-Identifier: BSD-2-Clause */
/* The CRCs of a packet view: which bytes they cover, and whether they are right. */
#include "iba_walk.h"

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

bool iba_view_icrc_is_good(const struct iba_view *v)
{
    if (v->icrc != IBA_CHECK_PENDING)
        return v->icrc == IBA_CHECK_GOOD;
    return iba_view_icrc(v) == iba_le32(v->wire + v->end - IBA_ICRC_BYTES);
}

void iba_view_check_vcrc(struct iba_view *v)
{
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

__attribute__((hot)) void iba_view_check(struct iba_view *v)
{
    if (v->icrc == IBA_CHECK_PENDING)
        v->icrc = iba_view_icrc_is_good(v) ? IBA_CHECK_GOOD : IBA_CHECK_BAD;
    iba_view_check_vcrc(v);
}
