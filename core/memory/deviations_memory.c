/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour of broken memory: the list of deviations_memory.h as data, and the change that each row makes. */
#include "deviations_memory.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_mem_behaviours, "memory", IBA_MEM_BEHAVIOURS)

static int changed(const struct iba_mem *m)
{
    return IBA_CHANGED_ROW(m, mem);
}

static bool otherwise(const struct iba_mem *m)
{
    return m->change->kind == IBA_CHANGE_OTHER;
}

/* ---- keys ---- */

static uint8_t byte_unlike(struct iba_mem *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t byte = (uint8_t)m->random(m->random_ctx);

    while (byte == a || byte == b || byte == c)
        byte++;
    return byte;
}

/* REGION_TWO_KEYS: both keys of a region get the same byte. FRESH_KEY: the new owner of an entry gets the key bytes of
 * the last owner, if the last owner had as many keys. */
static void new_keys(struct iba_mem *m, struct iba_mkey *k, enum iba_mem_kind kind)
{
    const bool two = kind == IBA_MEM_MR && changed(m) != IBA_ROW_mem_REGION_TWO_KEYS;
    const uint8_t old_rkey = k->rkey_byte, old_lkey = k->lkey_byte;

    if (changed(m) == IBA_ROW_mem_FRESH_KEY && old_rkey != 0 && (old_lkey != old_rkey) == two)
        return;
    k->rkey_byte = byte_unlike(m, old_rkey, old_lkey, old_lkey);
    k->lkey_byte = two ? byte_unlike(m, old_rkey, old_lkey, k->rkey_byte) : k->rkey_byte;
}

static bool rekeys(const struct iba_mem *m, const struct iba_mkey *mw, uint8_t *chosen)
{
    if (changed(m) != (mw->kind == IBA_MEM_MW1 ? IBA_ROW_mem_BIND_KEY_TYPE1 : IBA_ROW_mem_BIND_KEY_TYPE2))
        return true;
    ++*chosen;
    return otherwise(m);
}

static bool takes_key(const struct iba_mem *m, bool lkey)
{
    return changed(m) == IBA_ROW_mem_INVALIDATE_KEY_BYTE || (lkey && changed(m) == IBA_ROW_mem_INVALIDATE_BY_RKEY);
}

/* ---- regions and windows ---- */

static bool counts_from_va(const struct iba_mem *m, bool window)
{
    return changed(m) == (window ? IBA_ROW_mem_BIND_ZERO_BASED : IBA_ROW_mem_REGION_ZERO_BASED);
}

static unsigned reregisters(const struct iba_mem *m, unsigned changes)
{
    switch (changed(m)) {
    case IBA_ROW_mem_REREGISTER_RANGE: return changes & ~(unsigned)IBA_MR_RANGE;
    case IBA_ROW_mem_REREGISTER_PD: return changes & ~(unsigned)IBA_MR_PD;
    case IBA_ROW_mem_REREGISTER_ACCESS: return changes & ~(unsigned)IBA_MR_ACCESS;
    default: return changes;
    }
}

static bool remembers_qp(const struct iba_mem *m)
{
    return changed(m) == IBA_ROW_mem_WINDOW_OF_DEAD_QP;
}

/* The region that a bind names; NULL: none. */
static const struct iba_mkey *region_of(const struct iba_mem *m, const struct iba_bind *b)
{
    const uint32_t i = iba_key_index(b->mr_lkey);
    const struct iba_mkey *mr = i < m->n_key ? &m->key[i] : NULL;

    return mr && mr->kind == IBA_MEM_MR && mr->lkey_byte == iba_key_byte(b->mr_lkey) ? mr : NULL;
}

/* BIND_RANGE: returns the part of the bind that lies inside of the region. A bind that begins outside of the region
 * stays as it is. */
static struct iba_bind asked(const struct iba_mem *m, const struct iba_bind *b)
{
    const struct iba_mkey *mr = region_of(m, b);
    struct iba_bind part = *b;

    if (changed(m) != IBA_ROW_mem_BIND_RANGE || !mr || b->va < mr->va || b->va - mr->va >= mr->length)
        return part;
    if (part.length > mr->length - (b->va - mr->va))
        part.length = mr->length - (b->va - mr->va);
    return part;
}

static bool unbinds(const struct iba_mem *m)
{
    return changed(m) != IBA_ROW_mem_BIND_NOTHING_UNBINDS;
}

static void bound(const struct iba_mem *m, struct iba_mkey *mw, const struct iba_mkey *mr)
{
    const bool from_zero = (mw->access & IBA_ACCESS_ZERO_BASED) != 0;

    if (changed(m) == IBA_ROW_mem_WINDOW_RIGHTS)
        mw->access |= mr->access & IBA_ACCESS_REMOTE;
    if (changed(m) != IBA_ROW_mem_WINDOW_BOUNDS)
        return;
    mw->base = mr->base;
    mw->va = from_zero ? 0 : mr->va;
    mw->length = mr->length;
}

static bool stays_valid(const struct iba_mem *m, const struct iba_mkey *k)
{
    return changed(m) == (k->kind == IBA_MEM_MR ? IBA_ROW_mem_INVALID_REGION : IBA_ROW_mem_INVALID_WINDOW);
}

/* ---- the points ---- */

void iba_mem_change(struct iba_mem *m, const struct iba_change *c)
{
    static const struct iba_mem_deviations deviations = {
#define ENTRY(returns, name, arguments) .name = name,
        IBA_MEM_POINTS(ENTRY)};

    m->change = c;
    m->deviate = c ? &deviations : NULL;
}
