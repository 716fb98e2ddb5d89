/* SPDX-License-Identifier: BSD-2-Clause */
/* iba_mem_broken() detects what it should: each invariant, damaged alone in an otherwise correct table. */
#include "mem.h"
#include <signal.h>
#include <stddef.h>

static struct bed bed;
static uint8_t pages[1];

/* The table of every case: a region with bound windows of type 1 and 2B, an unbound window, a region without rights */
static struct {
    struct iba_mkey *mr, *mw1, *mw2, *unbound, *plain, *spare;
} at;

static struct iba_mkey *of(uint32_t key)
{
    return &bed.key[iba_key_index(key)];
}

static void prepare(void)
{
    const struct mr r = reg(make(&bed), ALL);

    at.mr = of(r.lkey);
    at.mw1 = of(bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW1), r, RR | RW)));
    at.mw2 = of(bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW2B), r, RR | RW)));
    at.unbound = of(alloc_mw(&bed, IBA_MEM_MW2A));
    at.plain = of(reg(&bed, 0).lkey);
    at.spare = &bed.key[1];
    while (at.spare->kind != IBA_MEM_FREE)
        at.spare++;
    cr_assert_null(iba_mem_broken(&bed.m), "%s", iba_mem_broken(&bed.m));
}

#define BREAKS(damage, words)                                                                                          \
    do {                                                                                                               \
        prepare();                                                                                                     \
        damage;                                                                                                        \
        const char *broken = iba_mem_broken(&bed.m);                                                                   \
        cr_assert(broken &&strstr(broken, words), "%s: %s", #damage, broken ? broken : "not seen");                    \
    } while (0)

Test(check, entries)
{
    BREAKS(at.mr->kind = IBA_MEM_MW2B + 1, "valid values");
    BREAKS(at.mr->state = 2, "valid values");
    BREAKS(bed.key[0].kind = IBA_MEM_MR, "entry 0");
    BREAKS(bed.key[0].rkey_byte = 1, "entry 0");
    BREAKS(at.spare->length = 1, "a free entry");
    BREAKS(at.spare->state = IBA_MEM_VALID, "a free entry");
    BREAKS(at.spare->base = bed.arena, "a free entry");
    BREAKS(at.unbound->base = bed.arena, "unbound");
    BREAKS(at.unbound->access = RR, "unbound");
    BREAKS(at.unbound->qpn = QP, "unbound");
    BREAKS(at.mr->lkey_byte = at.mr->rkey_byte, "L_Key");
    BREAKS(at.mw1->lkey_byte++, "L_Key");
    BREAKS(at.mr->pd = PDS, "protection domain that exists");
    BREAKS(at.plain->pd = PDS - 1, "protection domain that exists");
    BREAKS(at.mr->base = NULL, "has bytes");
    BREAKS(at.mw1->length = 0, "has bytes");
    BREAKS(at.plain->va = UINT64_MAX, "has bytes");
    BREAKS(at.plain->access = ZB, "zero-based");
    BREAKS((at.mw1->access |= ZB, at.mw1->va = 0), "zero-based");
    BREAKS(at.mr->access |= 0x8000, "only rights");
    BREAKS(at.mw2->access |= LW, "only rights");
    BREAKS(at.mr->qpn = QP, "neither parent");
    BREAKS(at.plain->parent = 1, "neither parent");
    BREAKS(at.mw1->qpn = QP, "only type 2");
    BREAKS(at.mw2->qpn = 0x1000000, "only type 2");
    BREAKS(at.mw2->windows = 1, "only type 2");
}

Test(check, relations)
{
    BREAKS(at.mw2->parent = KEYS, "the region of a bound window");
    BREAKS(at.mw2->parent = 0, "the region of a bound window");
    BREAKS(at.mw2->parent = (uint32_t)(at.mw1 - bed.key), "the region of a bound window");
    BREAKS(at.mw2->parent = (uint32_t)(at.plain - bed.key), "the region of a bound window");
    BREAKS(at.mr->state = IBA_MEM_INVALID, "the region of a bound window");
    BREAKS((at.mw2->pd = bed.pd2, iba_pd_hold(&bed.m, bed.pd2)), "the region of a bound window");
    BREAKS(at.plain->access = RW, "come with local write");
    BREAKS(at.mr->access = MWB, "come with local write");
    BREAKS(at.plain->present = pages, "absent only");
    BREAKS(at.mw1->present = pages, "absent only");
    BREAKS(at.mw2->base--, "within its region");
    BREAKS(at.mw2->va++, "within its region");
    BREAKS(at.mw2->length = ARENA, "within its region");
    BREAKS((at.mw2->access |= ZB, at.mw2->va = 0, at.mw2->base = (uint8_t *)&bed + offsetof(struct bed, arena) - 1),
           "within its region");
    BREAKS(at.mr->windows++, "counts the windows");
    BREAKS(at.mr->windows--, "counts the windows");
    BREAKS(at.plain->windows++, "counts the windows");
    BREAKS(bed.pds[bed.pd] = 4, "protection domain counts");
    BREAKS(bed.pds[bed.pd] = UINT32_MAX, "protection domain that exists");
}

Test(check, asserts, .signal = SIGABRT)
{
    prepare();
    at.mr->windows++;
    iba_mem_check(&bed.m);
}
