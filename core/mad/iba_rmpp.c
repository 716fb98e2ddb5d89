/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_rmpp.h"
#include "iba_mad_add.h"

static bool same_ends(const struct iba_rmpp_transfer *t, const struct iba_rmpp_ends *e, bool reverse)
{
    return t->ends.kind == e->kind && memcmp(t->ends.src, reverse ? e->dst : e->src, sizeof e->src) == 0 &&
           memcmp(t->ends.dst, reverse ? e->src : e->dst, sizeof e->dst) == 0;
}

static struct iba_rmpp_transfer *find(struct iba_rmpp_desk *r, const struct iba_rmpp_ends *e, uint64_t transaction,
                                      bool reverse)
{
    for (unsigned i = 0; i < IBA_RMPP_TRANSFERS; i++) {
        struct iba_rmpp_transfer *t = &r->transfer[i];
        if (t->used && t->transaction == transaction && same_ends(t, e, reverse))
            return t;
    }
    return NULL;
}

static struct iba_rmpp_transfer *begin(struct iba_rmpp_desk *r, const struct iba_rmpp_ends *e, uint64_t transaction)
{
    struct iba_rmpp_transfer *t = &r->transfer[0];

    for (unsigned i = 0; i < IBA_RMPP_TRANSFERS && t->used; i++)
        if (!r->transfer[i].used || r->transfer[i].touched < t->touched)
            t = &r->transfer[i];
    r->given_up += t->used;
    t->used = true;
    t->ends = *e;
    t->transaction = transaction;
    memset(t->seen, 0, sizeof t->seen);
    t->n_seen = t->last = t->last_bytes = t->bytes = 0;
    t->record_bytes = 0;
    t->request = false;
    t->attr = NULL;
    return t;
}

/* STOP and ABORT end a transfer, whichever end sends them (MD-45, MD-50). */
static void end(struct iba_rmpp_desk *r, const struct iba_rmpp_ends *e, uint64_t transaction)
{
    for (unsigned reverse = 0; reverse < 2; reverse++) {
        struct iba_rmpp_transfer *t = find(r, e, transaction, reverse);
        if (t) {
            t->used = false;
            r->ended++;
        }
    }
}

struct segment {
    uint32_t number, payload;
    bool first, last;
};

/* MD-39, MD-46: the values that a segment may have. */
static bool plausible(const struct segment *s)
{
    if (s->number == 0 || s->first != (s->number == 1))
        return false;
    return !s->last || (s->payload >= IBA_BYTES_sa && s->payload <= IBA_BYTES_sa + IBA_RMPP_SEGMENT);
}

/* True when the segment agrees with the other segments about which one is the last. */
static bool fits(const struct iba_rmpp_transfer *t, const struct segment *s)
{
    if (t->last != 0)
        return s->last ? s->number == t->last && s->payload - IBA_BYTES_sa == t->last_bytes : s->number < t->last;
    if (!s->last)
        return true;
    for (uint32_t i = s->number; i < IBA_RMPP_SEGMENTS; i++) /* a last segment is wrong if a later one has come */
        if (t->seen[i / 64] >> i % 64 & 1)
            return false;
    return true;
}

static void keep(struct iba_rmpp_transfer *t, const struct segment *s, const struct iba_mad *m)
{
    const uint32_t i = s->number - 1;

    if (s->last) {
        t->last = s->number;
        t->last_bytes = s->payload - IBA_BYTES_sa;
    }
    if (s->first) {
        t->record_bytes = iba_sa_attributeoffset(m->wire + IBA_SA_AT) * 8u;
        t->request = (iba_madhdr_method(m->wire) & 0x80) == 0; /* MD-11 */
        t->attr = m->attr;
    }
    if (t->seen[i / 64] >> i % 64 & 1)
        return; /* this segment came before (MD-43) */
    t->seen[i / 64] |= UINT64_C(1) << i % 64;
    t->n_seen++;
    memcpy(t->data + (size_t)i * IBA_RMPP_SEGMENT, m->wire + IBA_SA_DATA_AT, IBA_RMPP_SEGMENT);
}

static const struct iba_rmpp_transfer *data(struct iba_rmpp_desk *r, const struct iba_rmpp_ends *e,
                                            const struct iba_mad *m)
{
    const uint8_t *rmpp = m->wire + IBA_RMPP_AT;
    const struct segment s = {iba_rmpp_data1(rmpp), iba_rmpp_data2(rmpp), iba_rmpp_rmppflag_first(rmpp) != 0,
                              iba_rmpp_rmppflag_last(rmpp) != 0};
    const uint64_t transaction = iba_madhdr_transactionid(m->wire);
    struct iba_rmpp_transfer *t;

    if (!plausible(&s) || !m->attr) {
        r->wrong++;
        return NULL;
    }
    if (s.first && s.last)
        return NULL;
    t = find(r, e, transaction, false);
    if (s.number > IBA_RMPP_SEGMENTS) {
        r->too_long++;
        if (t)
            t->used = false;
        return NULL;
    }
    t = t ? t : begin(r, e, transaction);
    t->touched = ++r->clock;
    if (!fits(t, &s)) {
        r->wrong++;
        return NULL;
    }
    keep(t, &s, m);
    if (t->last == 0 || t->n_seen < t->last)
        return NULL;
    t->bytes = (t->last - 1) * IBA_RMPP_SEGMENT + t->last_bytes;
    t->record_bytes = t->request ? t->bytes : t->record_bytes;
    t->used = false;
    r->whole++;
    return t->attr ? t : NULL;
}

const struct iba_rmpp_transfer *iba_rmpp_feed(struct iba_rmpp_desk *r, const struct iba_rmpp_ends *ends,
                                              const struct iba_mad *m)
{
    const uint8_t *rmpp = m->wire + IBA_RMPP_AT;

    if (m->captured < IBA_MAD_BYTES || iba_madhdr_mgmtclass(m->wire) != IBA_CLASS_SA || !iba_rmpp_rmppflag_active(rmpp))
        return NULL;
    switch (iba_rmpp_rmpptype(rmpp)) {
    case IBA_RMPP_DATA: return data(r, ends, m);
    case IBA_RMPP_STOP:
    case IBA_RMPP_ABORT: end(r, ends, iba_madhdr_transactionid(m->wire)); return NULL;
    default: return NULL;
    }
}
