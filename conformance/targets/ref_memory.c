/* SPDX-License-Identifier: BSD-2-Clause */
/* The device's memory: regions lie side by side with guard bytes between them, and their address ranges are far
 * apart, so that no region follows another. The tester can read every region that was registered since the reset,
 * since the memory belongs to the application. */
#include <string.h>
#include "reference.h"
#include "scenario/scenario.h"

/* ---- patterns ---- */

static void fill(char letter, uint8_t *to, uint64_t n)
{
    const uint8_t *p = ibc_pattern_row(letter, 0, IBC_PATTERN_ROW);
    const uint64_t known = !p ? 0 : n < IBC_PATTERN_ROW ? n : IBC_PATTERN_ROW;

    if (known > 0)
        memcpy(to, p, known);
    for (uint64_t i = known; i < n; i++)
        to[i] = ibc_pattern(letter, i);
}

/* ---- regions ---- */

/* Returns the bytes for a region of that length, with its page bits after it. */
static size_t room_for(uint64_t length, size_t *bits)
{
    *bits = (size_t)(length / (8 * (uint64_t)IBA_MEM_PAGE)) + 1;
    return ((size_t)length + *bits + 2 * REF_GUARD + 63) & ~(size_t)63;
}

/* Returns a deregistered region, which is reused when no other space is left. */
static struct ref_region *old_region(struct ref_device *dev, size_t room)
{
    for (uint32_t i = 0; i < dev->n_region; i++)
        if (!dev->region[i].live && dev->region[i].room >= room)
            return &dev->region[i];
    return NULL;
}

static struct ref_region *new_region(struct ref_device *dev, size_t room)
{
    struct ref_region *g = &dev->region[dev->n_region];

    if (dev->n_region == REF_REGIONS || room > REF_MEMORY - dev->memory_used)
        return old_region(dev, room);
    *g = (struct ref_region){.base = dev->memory + dev->memory_used + REF_GUARD, .room = room};
    dev->memory_used += room;
    dev->n_region++;
    return g;
}

/* Takes memory for the region, and fills it. NULL: there is none. */
static struct ref_region *set_up(struct ref_device *dev, const struct ibc_mr_spec *m)
{
    size_t bits;
    struct ref_region *g = m->length <= REF_MEMORY / 2 ? new_region(dev, room_for(m->length, &bits)) : NULL;

    if (!g)
        return NULL;
    g->length = m->length;
    g->access = m->access;
    g->present = NULL;
    g->va = m->access & IBA_ACCESS_ZERO_BASED ? 0 : m->has_iova ? m->iova : dev->next_va;
    memset(g->base - REF_GUARD, REF_GUARD_BYTE, REF_GUARD);
    fill(m->fill, g->base, m->length);
    memset(g->base + m->length, REF_GUARD_BYTE, REF_GUARD);
    if (m->access & IBA_ACCESS_ON_DEMAND) {
        g->present = g->base + m->length + REF_GUARD;
        memset(g->present, 0xff, bits);
    }
    return g;
}

/* Leaves at least a page between these addresses and those of the next region. */
static void claim_addresses(struct ref_device *dev, uint64_t length)
{
    dev->next_va += (length + 2 * IBA_MEM_PAGE - 1) & ~(uint64_t)(IBA_MEM_PAGE - 1);
}

/* Registers a region of pieces. The table entry for its pieces is not used again before the next scenario. */
static enum ibc_rc reg_pieces(struct ibc_target *t, struct ref_device *dev, const struct ibc_mr_spec *m,
                              struct ibc_mr *out)
{
    struct ref_pieces *p = &dev->of_pieces[dev->n_of_pieces];

    if (dev->n_of_pieces == REF_OF_PIECES)
        return ref_mem(t, IBA_MEM_FULL);
    memcpy(p->piece, m->piece, sizeof p->piece);
    p->pieces = (struct iba_pieces){p->piece, m->n_piece, m->rounds};
    const struct iba_mr_attr a = {
        .iova = m->has_iova ? m->iova : dev->next_va, .pd = m->pd, .access = (uint16_t)m->access, .pieces = &p->pieces};
    const enum iba_mem_err e = iba_mr_register(&dev->ca.mem, &a, &out->lkey, &out->rkey);
    if (e != IBA_MEM_OK)
        return ref_mem(t, e);
    dev->n_of_pieces++;
    /* the address ranges are as far apart as the length of all regions together */
    dev->next_va += REF_MEMORY;
    out->id = out->lkey;
    out->va = out->local = m->access & IBA_ACCESS_ZERO_BASED ? 0 : a.iova;
    return IBC_OK;
}

enum ibc_rc ref_reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    struct ref_device *dev = device_of(t, d);
    if (m->n_piece > 0)
        return reg_pieces(t, dev, m, out);
    struct ref_region *g = set_up(dev, m);
    enum iba_mem_err e;

    if (!g)
        return ref_mem(t, IBA_MEM_FULL);
    const struct iba_mr_attr a = {
        .base = g->base,
        .length = m->length,
        .iova = m->has_iova ? m->iova : dev->next_va, /* the device chooses it for a zero-based region */
        .pd = m->pd,
        .access = (uint16_t)m->access,
        .present = g->present};
    e = iba_mr_register(&dev->ca.mem, &a, &out->lkey, &out->rkey);
    g->live = e == IBA_MEM_OK;
    if (!g->live)
        return ref_mem(t, e);
    claim_addresses(dev, m->length);
    g->lkey = out->id = out->lkey;
    out->va = out->local = g->va;
    return IBC_OK;
}

/* Returns the live region that was registered with this L_Key; NULL: there is none. */
static struct ref_region *region_with(struct ref_device *dev, uint32_t lkey)
{
    for (uint32_t i = 0; i < dev->n_region; i++)
        if (dev->region[i].live && dev->region[i].lkey == lkey)
            return &dev->region[i];
    return NULL;
}

/* Registers the region again at the adapter, and lets the tester find it. `to`: the region's memory from now on. */
static enum ibc_rc register_again(struct ibc_target *t, struct ref_device *dev, const struct ibc_reregister *r,
                                  struct ref_region *to, struct ibc_mr *out)
{
    const unsigned changes =
        (r->has_range ? IBA_MR_RANGE : 0u) | (r->has_pd ? IBA_MR_PD : 0u) | (r->has_access ? IBA_MR_ACCESS : 0u);
    struct iba_mr_attr a = {.pd = r->pd, .access = (uint16_t)r->access};

    if (r->has_range) {
        a.base = to->base;
        a.length = to->length;
        a.iova = to->va;
        a.present = to->present;
    }
    const enum iba_mem_err e = iba_mr_reregister(&dev->ca.mem, r->lkey, changes, &a, &out->lkey, &out->rkey);

    if (e != IBA_MEM_OK)
        return ref_mem(t, e);
    to->lkey = out->id = out->lkey;
    if (r->has_access)
        to->access = r->access;
    if (to->access & IBA_ACCESS_ZERO_BASED)
        to->va = 0;
    out->va = out->local = to->va;
    return IBC_OK;
}

/* Gives the region new memory. The tester can still read its old memory, like that of a deregistered region. */
static enum ibc_rc reregister_range(struct ibc_target *t, struct ref_device *dev, const struct ibc_reregister *r,
                                    struct ref_region *old, struct ibc_mr *out)
{
    const struct ibc_mr_spec m = {
        .length = r->length, .fill = r->fill, .access = r->has_access ? r->access : old->access};
    struct ref_region *g = set_up(dev, &m);

    if (!g)
        return ref_mem(t, IBA_MEM_FULL);
    const enum ibc_rc rc = register_again(t, dev, r, g, out);
    if (rc != IBC_OK)
        return rc;
    old->live = false;
    g->live = true;
    claim_addresses(dev, m.length);
    return IBC_OK;
}

enum ibc_rc ref_reregister(struct ibc_target *t, unsigned d, const struct ibc_reregister *r, struct ibc_mr *out)
{
    struct ref_device *dev = device_of(t, d);
    struct ref_region *g = region_with(dev, r->lkey);

    if (!g) /* the adapter refuses: there is no such region, or it consists of pieces */
        return register_again(t, dev, r, &(struct ref_region){.va = 0}, out);
    if (r->has_range)
        return reregister_range(t, dev, r, g, out);
    return register_again(t, dev, r, g, out);
}

enum ibc_rc ref_dereg(struct ibc_target *t, unsigned d, uint32_t lkey)
{
    struct ref_device *dev = device_of(t, d);
    const enum iba_mem_err e = iba_mr_deregister(&dev->ca.mem, lkey);
    struct ref_region *g = e == IBA_MEM_OK ? region_with(dev, lkey) : NULL;

    if (g)
        g->live = false;
    return ref_mem(t, e);
}

enum ibc_rc ref_alloc_mw(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey)
{
    static const uint8_t kind[] = {[1] = IBA_MEM_MW1, [2] = IBA_MEM_MW2B, [3] = IBA_MEM_MW2A};

    return ref_mem(t, iba_mw_alloc(&device_of(t, d)->ca.mem, (enum iba_mem_kind)kind[type], pd, rkey));
}

bool ref_guards_hold(const struct ref_device *dev)
{
    static const uint8_t guard[REF_GUARD] = {
#define EIGHT                                                                                                          \
    REF_GUARD_BYTE, REF_GUARD_BYTE, REF_GUARD_BYTE, REF_GUARD_BYTE, REF_GUARD_BYTE, REF_GUARD_BYTE, REF_GUARD_BYTE,    \
        REF_GUARD_BYTE
        EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT};

    for (const struct ref_region *g = dev->region; g < dev->region + dev->n_region; g++)
        if (memcmp(g->base - REF_GUARD, guard, REF_GUARD) != 0 || memcmp(g->base + g->length, guard, REF_GUARD) != 0)
            return false;
    return true;
}

/* ---- access by the tester ---- */

/* Returns the region that contains the whole range. Of several at one address a live region comes before others,
 * then the newest. */
static struct ref_region *region_at(struct ref_device *dev, uint64_t at, size_t n)
{
    struct ref_region *gone = NULL;

    for (uint32_t i = dev->n_region; i-- > 0;) {
        struct ref_region *g = &dev->region[i];
        if (at < g->va || at - g->va > g->length || n > g->length - (at - g->va))
            continue;
        if (g->live)
            return g;
        if (!gone)
            gone = g;
    }
    return gone;
}

static enum ibc_rc nowhere(struct ibc_target *t, uint64_t at, size_t n)
{
    return ref_fault(t, IBC_BROKEN, "%zu bytes at 0x%llx are of no region of the device", n, (unsigned long long)at);
}

enum ibc_rc ref_read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n)
{
    const struct ref_region *g = region_at(device_of(t, d), at, n);

    if (!g)
        return nowhere(t, at, n);
    memcpy(out, g->base + (at - g->va), n);
    return IBC_OK;
}

enum ibc_rc ref_write_memory(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n)
{
    const struct ref_region *g = region_at(device_of(t, d), at, n);

    if (!g)
        return nowhere(t, at, n);
    memcpy(g->base + (at - g->va), in, n);
    return IBC_OK;
}

static void set_page(const struct ref_region *g, uint64_t page, bool present)
{
    if (present)
        g->present[page / 8] |= (uint8_t)(1u << page % 8);
    else
        g->present[page / 8] &= (uint8_t) ~(1u << page % 8);
}

enum ibc_rc ref_page(struct ibc_target *t, unsigned d, uint64_t at, bool present)
{
    const struct ref_region *g = region_at(device_of(t, d), at, 1);

    if (!g || !g->present)
        return ref_fault(t, IBC_BROKEN, "0x%llx is in no on-demand region", (unsigned long long)at);
    set_page(g, (at - g->va) / IBA_MEM_PAGE, present);
    return IBC_OK;
}

/* The pages of a prefetch that may come later come at once, as on a host that has nothing else to do. */
enum ibc_rc ref_prefetch(struct ibc_target *t, unsigned d, const struct ibc_prefetch *p)
{
    struct ref_device *dev = device_of(t, d);
    const struct iba_prefetch a = {
        .va = p->at, .length = p->length, .lkey = p->lkey, .pd = p->pd, .write = p->write, .no_fault = p->no_fault};
    struct iba_page_span pages;
    const enum iba_mem_err e = iba_mr_prefetch(&dev->ca.mem, &a, &pages);

    const struct ref_region *g = region_with(dev, p->lkey);

    for (uint64_t k = 0; g && k < pages.n; k++)
        set_page(g, pages.first + k, true);
    return ref_mem(t, e);
}
