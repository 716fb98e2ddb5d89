/* SPDX-License-Identifier: BSD-2-Clause */
/* The device's memory is registered pages of this process. The tester can read every region that was registered
 * since the reset, by the addresses that work requests use, and no other memory of this process. */
#include "verbs_device.h"
#include "scenario/scenario.h"
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

uint32_t verbs_access(uint32_t access, bool *all)
{
    static const struct {
        uint32_t ours, theirs;
    } rights[] = {{IBA_ACCESS_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE},
                  {IBA_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE},
                  {IBA_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_READ},
                  {IBA_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC},
                  {IBA_ACCESS_MW_BIND, IBV_ACCESS_MW_BIND},
                  {IBA_ACCESS_ZERO_BASED, IBV_ACCESS_ZERO_BASED},
                  {IBA_ACCESS_ON_DEMAND, IBV_ACCESS_ON_DEMAND},
                  {IBA_ACCESS_FLUSH_GLOBAL, VERBS_ACCESS_FLUSH_GLOBAL},
                  {IBA_ACCESS_FLUSH_PERSISTENT, VERBS_ACCESS_FLUSH_PERSISTENT}};
    uint32_t out = 0;

    for (unsigned i = 0; i < sizeof rights / sizeof *rights; i++)
        if (access & rights[i].ours) {
            out |= rights[i].theirs;
            access &= ~rights[i].ours;
        }
    *all = access == 0;
    return out;
}

/* ---- pages ---- */

void verbs_unmap(struct verbs *v, struct verbs_region *g)
{
    (void)munmap(g->map, g->mapped);
    v->memory -= g->mapped;
    *g = (struct verbs_region){0};
}

/* Returns a free slot, or the oldest deregistered region, which can be reused without harm to registered regions. */
static struct verbs_region *spare(struct verbs *v, bool mapped)
{
    struct verbs_region *best = NULL;

    for (unsigned i = 0; i < VERBS_REGIONS; i++) {
        struct verbs_region *g = &v->region[i];
        if (!g->mr && (g->map != NULL) == mapped && (!best || g->age < best->age))
            best = g;
    }
    return best;
}

static struct verbs_region *room_for(struct verbs *v, size_t bytes)
{
    struct verbs_region *old, *g = spare(v, false);

    while ((!g || bytes > VERBS_MEMORY - v->memory) && (old = spare(v, true)) != NULL) {
        verbs_unmap(v, old);
        g = old;
    }
    return bytes <= VERBS_MEMORY - v->memory ? g : NULL;
}

/* The region has the same offset in its first page as the address that the device uses; otherwise page tables could not
 * express it. */
struct verbs_region *verbs_new_region(struct verbs *v, const struct ibc_mr_spec *m)
{
    const uint64_t first = m->has_iova ? m->iova % PAGE : 0;
    const size_t bytes = (size_t)(first + m->length + VERBS_GUARD + PAGE - 1) / PAGE * PAGE;
    struct verbs_region *g = room_for(v, bytes);
    void *map = g ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;

    if (map == MAP_FAILED)
        return NULL;
    *g = (struct verbs_region){.map = map, .mapped = bytes, .length = m->length, .age = ++v->age};
    g->base = g->map + first;
    g->local = m->access & IBA_ACCESS_ZERO_BASED ? 0 : m->has_iova ? m->iova : (uint64_t)(uintptr_t)g->base;
    v->memory += bytes;
    for (uint64_t i = 0; i < m->length; i++)
        g->base[i] = ibc_pattern(m->fill, i);
    memset(g->base + m->length, VERBS_GUARD_BYTE, VERBS_GUARD);
    return g;
}

bool verbs_guards_hold(const struct verbs *v)
{
    bool hold = true;

    for (unsigned i = 0; i < VERBS_REGIONS; i++)
        for (unsigned k = 0; v->region[i].map && k < VERBS_GUARD; k++)
            hold &= v->region[i].base[v->region[i].length + k] == VERBS_GUARD_BYTE;
    return hold;
}

/* ---- regions ---- */

struct verbs_region *verbs_find_mr(struct verbs *v, uint32_t lkey)
{
    for (unsigned i = 0; i < VERBS_REGIONS; i++)
        if (v->region[i].mr && v->region[i].mr->lkey == lkey)
            return &v->region[i];
    return NULL;
}

struct ibc_mr verbs_mr(const struct verbs_region *g)
{
    return (struct ibc_mr){
        .id = g->mr->lkey, .va = g->local, .local = g->local, .lkey = g->mr->lkey, .rkey = g->mr->rkey};
}

enum ibc_rc verbs_reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    struct verbs *v = verbs_of(t);
    /* A zero-based region has addresses from 0 for the device. */
    const uint32_t wanted = m->access & ~(uint32_t)IBA_ACCESS_ZERO_BASED;
    bool all;
    const uint32_t access = verbs_access(wanted, &all);
    struct ibv_pd *pd = verbs_find_pd(v, m->pd);
    struct verbs_region *g;
    enum ibc_rc rc;

    (void)d;
    if (!all)
        return IBC_UNSUPPORTED; /* verbs have no rights for FLUSH or for regions that can be invalidated */
    if (!pd)
        return verbs_refused(v, "mem_no_pd");
    g = m->length <= VERBS_REGION_MOST ? verbs_new_region(v, m) : NULL;
    if (!g)
        return verbs_refused(v, "mem_full");
    g->mr = ibv_reg_mr_iova(pd, g->base, (size_t)m->length, g->local, access);
    rc = verbs_made(v, g->mr);
    if (rc != IBC_OK) {
        verbs_unmap(v, g);
        return rc;
    }
    *out = verbs_mr(g);
    return IBC_OK;
}

enum ibc_rc verbs_dereg(struct verbs *v, uint32_t lkey)
{
    struct verbs_region *g = verbs_find_mr(v, lkey);
    int result;

    if (!g)
        return verbs_refused(v, "mem_no_key");
    result = ibv_dereg_mr(g->mr);
    if (result == 0)
        g->mr = NULL;
    return verbs_answer_or_busy(v, result, "mem_busy");
}

/* ---- windows ---- */

struct verbs_mw *verbs_find_mw(struct verbs *v, uint32_t rkey)
{
    for (unsigned i = 0; i < VERBS_MWS; i++)
        if (v->mw[i].mw && v->mw[i].rkey == rkey)
            return &v->mw[i];
    return NULL;
}

enum ibc_rc verbs_alloc_mw(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey)
{
    struct verbs *v = verbs_of(t);
    struct ibv_pd *of = verbs_find_pd(v, pd);
    struct verbs_mw *w = NULL;

    (void)d;
    for (unsigned i = 0; i < VERBS_MWS && !w; i++)
        w = v->mw[i].mw ? NULL : &v->mw[i];
    if (!of)
        return verbs_refused(v, "mem_no_pd");
    if (!w)
        return verbs_refused(v, "mem_full");
    *w = (struct verbs_mw){.mw = ibv_alloc_mw(of, type == 1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2)};
    w->rkey = w->mw ? w->mw->rkey : 0;
    *rkey = w->rkey;
    return verbs_made(v, w->mw);
}

enum ibc_rc verbs_free_mw(struct verbs *v, uint32_t rkey)
{
    struct verbs_mw *w = verbs_find_mw(v, rkey);
    enum ibc_rc rc;

    if (!w)
        return verbs_refused(v, "mem_no_key");
    rc = verbs_answer(v, ibv_dealloc_mw(w->mw));
    if (rc == IBC_OK)
        *w = (struct verbs_mw){0};
    return rc;
}

/* ---- what is in it ---- */

/* Returns the region that has the range. Local addresses of regions may be equal: a registered region comes before
 * a deregistered one, and a newer before an older one. */
static struct verbs_region *region_at(struct verbs *v, uint64_t at, size_t n)
{
    struct verbs_region *best = NULL;

    for (unsigned i = 0; i < VERBS_REGIONS; i++) {
        struct verbs_region *g = &v->region[i];
        if (!g->map || at < g->local || at - g->local > g->length || n > g->length - (at - g->local))
            continue;
        if (!best || (g->mr != NULL) > (best->mr != NULL) || ((!g->mr == !best->mr) && g->age > best->age))
            best = g;
    }
    return best;
}

static enum ibc_rc nowhere(struct verbs *v, uint64_t at, size_t n)
{
    return verbs_fault(v, IBC_BROKEN, "%zu bytes at 0x%llx are of no region of the device", n, (unsigned long long)at);
}

enum ibc_rc verbs_read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_region *g = region_at(v, at, n);

    (void)d;
    if (!g)
        return nowhere(v, at, n);
    memcpy(out, g->base + (at - g->local), n);
    return IBC_OK;
}

enum ibc_rc verbs_write_memory(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_region *g = region_at(v, at, n);

    (void)d;
    if (!g)
        return nowhere(v, at, n);
    memcpy(g->base + (at - g->local), in, n);
    return IBC_OK;
}
