/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys.h"
#include <criterion/criterion.h>
#include <string.h>

#define KEY_NAME(k) #k,
const char *const key_names[KEYS] = {KEY_KINDS(KEY_NAME)};

enum { TURNS = 40, EVERY_NS = 25000, COME = 6 };
#define RIGHTS                                                                                                         \
    (IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC |            \
     IBA_ACCESS_MW_BIND)

/* Removes a page of each on-demand region and brings back some others; after a number of calls all pages are
 * present. */
static void page(void *ctx)
{
    struct keys *k = ctx;
    const uint64_t pages = k->p->end[0].bytes / IBA_MEM_PAGE + 1;

    for (unsigned i = 0; i < 3; i++) {
        const uint64_t gone = iba_random_below(&k->random, pages);
        k->present[i][gone / 8] &= (uint8_t) ~(1u << gone % 8);
        for (uint64_t n = 0; n <= pages / COME; n++) {
            const uint64_t came = iba_random_below(&k->random, pages);
            k->present[i][came / 8] |= (uint8_t)(1u << came % 8);
        }
    }
    k->p->due += EVERY_NS;
    if (++k->turns < TURNS)
        return;
    memset(k->present, 0xff, sizeof k->present);
    k->p->due = IBA_NEVER;
}

/* Cuts the buffer into ranges of random lengths, one after the other. The last range has the 8 bytes that ATOMICs
 * use. */
static const struct iba_pieces *cut(struct keys *k, unsigned i, const struct pair_end *e)
{
    uint64_t at = 0;

    for (unsigned n = 0; n < KEYS_PIECES; n++) {
        const uint64_t most = (e->bytes - 8 - at) / 2;
        const uint64_t length = n == KEYS_PIECES - 1 ? e->bytes - at : 1 + iba_random_below(&k->random, most);
        k->piece[i][n] = (struct iba_piece){.addr = e->va + at, .lkey = e->lkey, .length = (uint32_t)length};
        at += length;
    }
    k->pieces[i] = (struct iba_pieces){.piece = k->piece[i], .n = KEYS_PIECES, .repeat = 1};
    return &k->pieces[i];
}

static uint64_t region(struct keys *k, unsigned i, struct pair_end *e, uint32_t *lkey, uint32_t *rkey)
{
    const uint8_t kind = k->kind[i];
    const uint16_t more = kind == KEY_ZERO_BASED  ? IBA_ACCESS_ZERO_BASED
                          : kind == KEY_FAST      ? IBA_ACCESS_INVALIDATE
                          : kind == KEY_ON_DEMAND ? IBA_ACCESS_ON_DEMAND
                                                  : 0;
    const struct iba_mr_attr mr = {.base = e->memory + PAIR_GUARD,
                                   .length = e->bytes,
                                   .iova = 3 * PAIR_VA,
                                   .pd = e->pd,
                                   .access = (uint16_t)(RIGHTS | more),
                                   .present = k->present[i],
                                   .pieces = kind == KEY_PIECES ? cut(k, i, e) : NULL};

    cr_assert_eq(iba_mr_register(&e->ca.mem, &mr, lkey, rkey), IBA_MEM_OK, "%s", key_names[kind]);
    return kind == KEY_ZERO_BASED ? 0 : 3 * PAIR_VA;
}

static void window(struct keys *k, struct pair_end *e, uint32_t mr_lkey)
{
    static const uint8_t kinds[KEYS] = {[KEY_MW1] = IBA_MEM_MW1, [KEY_MW2A] = IBA_MEM_MW2A, [KEY_MW2B] = IBA_MEM_MW2B};
    struct iba_bind b = {.mr_lkey = mr_lkey,
                         .va = 3 * PAIR_VA,
                         .length = e->bytes,
                         .access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC};

    cr_assert_eq(iba_mw_alloc(&e->ca.mem, (enum iba_mem_kind)kinds[k->kind[2]], e->pd, &b.mw_rkey), IBA_MEM_OK);
    b.key_byte = (uint8_t)(b.mw_rkey + 1);
    cr_assert_eq(iba_mw_bind(&e->ca.mem, &b, e->pd, e->qpn, &k->rkey), IBA_MEM_OK, "%s", key_names[k->kind[2]]);
}

void keys_choose(struct keys *k, struct pair *p, const struct pair_config *c)
{
    const bool xrc = c->type == IBA_QPT_XRC_INI;
    struct pair_end *e = p->end;
    uint32_t lkey, rkey;

    memset(k, 0, sizeof *k);
    k->p = p;
    iba_random_seed(&k->random, c->seed ^ UINT64_C(0x6b657973));
    for (unsigned i = 0; i < 2; i++)
        k->kind[i] = (uint8_t)iba_random_below(&k->random, KEYS_LOCAL);
    k->kind[2] = (uint8_t)iba_random_below(&k->random, xrc ? KEY_MW2A : KEYS);
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t va = region(k, i, &e[i], &lkey, &rkey);
        e[i].lkey = lkey;
        e[i].va = va;
    }
    k->remote_va = region(k, 2, &e[1], &lkey, &k->rkey);
    if (k->kind[2] >= KEYS_LOCAL)
        window(k, &e[1], lkey);
    p->tap_ctx = k;
    p->on_due = page;
    p->due = EVERY_NS;
}
