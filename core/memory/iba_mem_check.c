/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include "iba_mem.h"

/* One entry of a table, under inspection */
struct probe {
    const struct iba_mem *m;
    const struct iba_mkey *k;
};

static bool is_window(const struct iba_mkey *k)
{
    return k->kind == IBA_MEM_MW1 || k->kind == IBA_MEM_MW2A || k->kind == IBA_MEM_MW2B;
}

static bool is_type2(const struct iba_mkey *k)
{
    return k->kind == IBA_MEM_MW2A || k->kind == IBA_MEM_MW2B;
}

static bool is_bound(const struct iba_mkey *k)
{
    return is_window(k) && k->state == IBA_MEM_VALID;
}

/* Returns whether the entry has no address, length, right or anything else that an access could use. */
static bool is_blank(const struct iba_mkey *k)
{
    return !k->base && k->va == 0 && k->length == 0 && k->qpn == 0 && k->parent == 0 && k->windows == 0 &&
           k->access == 0 && !k->present && !k->pieces;
}

/* Returns the region that a window is bound to; NULL: there is no such region. */
static const struct iba_mkey *region_below(const struct probe *p)
{
    const uint32_t i = p->k->parent;

    return i < p->m->n_key && p->m->key[i].kind == IBA_MEM_MR ? &p->m->key[i] : NULL;
}

static bool kind_known(const struct probe *p)
{
    return p->k->kind <= IBA_MEM_MW2B && p->k->state <= IBA_MEM_VALID;
}

static bool first_unused(const struct probe *p)
{
    return p->k != p->m->key || (p->k->kind == IBA_MEM_FREE && p->k->lkey_byte == 0 && p->k->rkey_byte == 0);
}

static bool free_blank(const struct probe *p)
{
    return p->k->kind != IBA_MEM_FREE || (is_blank(p->k) && p->k->state == IBA_MEM_INVALID && p->k->pd == 0);
}

static bool unbound_blank(const struct probe *p)
{
    return !is_window(p->k) || is_bound(p->k) || is_blank(p->k);
}

static bool key_bytes(const struct probe *p)
{
    return p->k->kind == IBA_MEM_FREE || (p->k->kind == IBA_MEM_MR) == (p->k->lkey_byte != p->k->rkey_byte);
}

static bool domain(const struct probe *p)
{
    return p->k->kind == IBA_MEM_FREE || (p->k->pd < p->m->n_pd && p->m->pd[p->k->pd] != UINT32_MAX);
}

static bool range(const struct probe *p)
{
    const struct iba_mkey *k = p->k;

    return (k->kind != IBA_MEM_MR && !is_bound(k)) ||
           ((k->base || k->pieces) && k->length > 0 && k->length - 1 <= UINT64_MAX - k->va &&
            k->length <= UINTPTR_MAX - (uintptr_t)k->base);
}

static bool zero_based(const struct probe *p)
{
    return !(p->k->access & IBA_ACCESS_ZERO_BASED) || (p->k->va == 0 && p->k->kind != IBA_MEM_MW1);
}

static bool access_bits(const struct probe *p)
{
    return !(p->k->access & ~(is_window(p->k) ? IBA_ACCESS_OF_WINDOW : IBA_ACCESS_OF_REGION));
}

static bool local_write(const struct probe *p)
{
    const struct iba_mkey *below = is_bound(p->k) ? region_below(p) : p->k;

    return !(p->k->access & (IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_ATOMIC)) ||
           (below && below->access & IBA_ACCESS_LOCAL_WRITE);
}

static bool presence(const struct probe *p)
{
    const struct iba_mkey *below = is_bound(p->k) ? region_below(p) : p->k;

    return below && p->k->present == below->present && (!p->k->present || below->access & IBA_ACCESS_ON_DEMAND);
}

static bool region_alone(const struct probe *p)
{
    return p->k->kind != IBA_MEM_MR || (p->k->parent == 0 && p->k->qpn == 0);
}

static bool pieces_alone(const struct probe *p)
{
    return !p->k->pieces || (p->k->kind == IBA_MEM_MR && !p->k->base && !p->k->present && p->k->windows == 0);
}

static bool window_owner(const struct probe *p)
{
    return !is_window(p->k) || (p->k->windows == 0 && p->k->qpn <= 0xffffff && (is_type2(p->k) || p->k->qpn == 0));
}

static bool parent_binds(const struct probe *p)
{
    if (!is_bound(p->k))
        return true;
    const struct iba_mkey *mr = region_below(p);
    return mr && mr->state == IBA_MEM_VALID && mr->access & IBA_ACCESS_MW_BIND && mr->pd == p->k->pd;
}

static bool inside_parent(const struct probe *p)
{
    if (!is_bound(p->k))
        return true;
    const struct iba_mkey *mr = region_below(p);
    if (!mr)
        return false;
    const uintptr_t first = (uintptr_t)p->k->base, from = (uintptr_t)mr->base;
    return first >= from && first - from < mr->length && p->k->length <= mr->length - (first - from) &&
           (p->k->access & IBA_ACCESS_ZERO_BASED || p->k->va - mr->va == first - from);
}

static bool windows_counted(const struct probe *p)
{
    uint32_t n = 0;

    if (p->k->kind != IBA_MEM_MR)
        return true;
    for (uint32_t i = 1; i < p->m->n_key; i++)
        n += is_bound(&p->m->key[i]) && p->m->key[i].parent == (uint32_t)(p->k - p->m->key);
    return n == p->k->windows;
}

/* clang-format off */
/* An invariant is checked for all entries before the next invariant, so a row may rely on the rows above it. */
static const struct {
    bool (*holds)(const struct probe *p);
    const char *sentence;
} invariants[] = {
    {kind_known,      "kind and state have valid values"},
    {first_unused,    "entry 0 is never used"},
    {free_blank,      "a free entry keeps only its last key bytes"},
    {unbound_blank,   "an unbound window gives no access"},
    {key_bytes,       "a region's L_Key is not its R_Key, a window has one key"},
    {domain,          "regions and windows belong to a protection domain that exists"},
    {range,           "a region or bound window has bytes, and ends at or before 2^64"},
    {zero_based,      "a zero-based entry starts at 0 and is not of type 1 (QS-56, QS-62)"},
    {access_bits,     "only rights of its kind are granted"},
    {region_alone,    "a region has neither parent nor QP"},
    {pieces_alone,    "a region of pieces has no memory of its own, and no windows"},
    {window_owner,    "only type 2 windows belong to a QP, and none has windows (QS-69)"},
    {parent_binds,    "the region of a bound window is valid, allows binding, and has its domain (QS-64, QS-66)"},
    {local_write,     "remote write rights come with local write (QS-53, QS-67)"},
    {presence,        "pages are absent only on demand, and for a window as for its region"},
    {inside_parent,   "a bound window lies within its region (QS-68)"},
    {windows_counted, "a region counts the windows bound to it (QS-74)"},
};
/* clang-format on */

/* Only the caller knows holders other than keys (QPs, SRQs, address handles), so the count is a lower bound. */
static bool users_counted(const struct iba_mem *m, uint32_t pd)
{
    uint32_t n = 0;

    for (uint32_t i = 1; i < m->n_key; i++)
        n += m->key[i].kind != IBA_MEM_FREE && m->key[i].pd == pd;
    return m->pd[pd] == UINT32_MAX || n <= m->pd[pd];
}

const char *iba_mem_broken(const struct iba_mem *m)
{
    for (size_t row = 0; row < sizeof invariants / sizeof *invariants; row++)
        for (uint32_t i = 0; i < m->n_key; i++)
            if (!invariants[row].holds(&(struct probe){m, &m->key[i]}))
                return invariants[row].sentence;
    for (uint32_t pd = 0; pd < m->n_pd; pd++)
        if (!users_counted(m, pd))
            return "a protection domain counts the regions and windows in it";
    return NULL;
}

void iba_mem_check(const struct iba_mem *m)
{
    const char *broken = iba_mem_broken(m);

    assert(!broken || m->change); /* a broken device may break invariants */
    (void)broken;
}
