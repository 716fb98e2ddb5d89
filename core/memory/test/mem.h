/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of core/memory: a small table over an arena, and requests that succeed until one thing is
 * changed. */
#ifndef MEM_TEST_H
#define MEM_TEST_H
#include <criterion/criterion.h>
#include <string.h>
#include "memory/iba_mem.h"
#include "test/recorder.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
/* An assertion inside a hot loop: Criterion is only called when it fails. */
#define EXPECT(cond, ...)                                                                                              \
    do {                                                                                                               \
        if (!(cond))                                                                                                   \
            cr_assert(0, __VA_ARGS__);                                                                                 \
    } while (0)

static inline uint64_t rnd(void *seed) /* splitmix64 */
{
    uint64_t z = *(uint64_t *)seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

enum { KEYS = 16, PDS = 4, ARENA = 3 * IBA_MEM_PAGE };
enum {
    LW = IBA_ACCESS_LOCAL_WRITE,
    RW = IBA_ACCESS_REMOTE_WRITE,
    RR = IBA_ACCESS_REMOTE_READ,
    RA = IBA_ACCESS_REMOTE_ATOMIC,
    MWB = IBA_ACCESS_MW_BIND,
    ZB = IBA_ACCESS_ZERO_BASED,
    FG = IBA_ACCESS_FLUSH_GLOBAL,
    FP = IBA_ACCESS_FLUSH_PERSISTENT,
    OD = IBA_ACCESS_ON_DEMAND,
    INV = IBA_ACCESS_INVALIDATE,
    ALL = LW | RW | RR | RA | MWB | FG | FP | INV
};
#define IOVA UINT64_C(0x7000000000000000)

/* A memory table with two protection domains, and the host memory of its regions. */
struct bed {
    struct iba_mem m;
    struct iba_mkey key[KEYS];
    uint32_t pds[PDS], pd, pd2;
    uint64_t seed;
    uint8_t arena[ARENA];
};

static inline struct bed *make(struct bed *b)
{
    memset(b, 0, sizeof *b);
    b->seed = 7;
    iba_mem_init(&b->m, b->key, KEYS, b->pds, PDS, rnd, &b->seed);
    cr_assert_eq(iba_pd_create(&b->m, &b->pd), IBA_MEM_OK);
    cr_assert_eq(iba_pd_create(&b->m, &b->pd2), IBA_MEM_OK);
    cr_assert_neq(b->pd, b->pd2);
    return b;
}

struct mr {
    uint32_t lkey, rkey;
};

static inline struct iba_mr_attr attr(struct bed *b, unsigned access)
{
    return (struct iba_mr_attr){
        .base = b->arena, .length = ARENA, .iova = IOVA, .pd = b->pd, .access = (uint16_t)access};
}

static inline struct mr reg_with(struct bed *b, struct iba_mr_attr a)
{
    struct mr r = {0, 0};
    const enum iba_mem_err e = iba_mr_register(&b->m, &a, &r.lkey, &r.rkey);

    EXPECT(e == IBA_MEM_OK, "register: %s", iba_mem_strerror(e));
    return r;
}

/* A region of the whole arena, whose addresses begin at IOVA. */
static inline struct mr reg(struct bed *b, unsigned access)
{
    return reg_with(b, attr(b, access));
}

static inline uint32_t alloc_mw(struct bed *b, enum iba_mem_kind kind)
{
    uint32_t rkey = 0;

    cr_assert_eq(iba_mw_alloc(&b->m, kind, b->pd, &rkey), IBA_MEM_OK);
    return rkey;
}

enum { QP = 0x12, MW_AT = 100, MW_BYTES = 1000 };
/* A bind of 1000 bytes from offset 100 on, by QP 0x12. Its key byte differs from the window's. */
static inline struct iba_bind bind_of(uint32_t mw, struct mr r, unsigned access)
{
    return (struct iba_bind){.mw_rkey = mw,
                             .mr_lkey = r.lkey,
                             .va = IOVA + MW_AT,
                             .length = MW_BYTES,
                             .access = (uint16_t)access,
                             .key_byte = (uint8_t)(iba_key_byte(mw) + 1)};
}

static inline uint32_t bound(struct bed *b, struct iba_bind how)
{
    uint32_t rkey = 0;
    const enum iba_mem_err e = iba_mw_bind(&b->m, &how, b->pd, QP, &rkey);

    EXPECT(e == IBA_MEM_OK, "bind: %s", iba_mem_strerror(e));
    return rkey;
}

/* Binds a window of that kind on a new region with all rights. Returns the window's key. */
static inline uint32_t bound_mw(struct bed *b, enum iba_mem_kind kind, unsigned access)
{
    const struct mr r = reg(b, ALL);

    return bound(b, bind_of(alloc_mw(b, kind), r, access));
}

static inline struct iba_reach reach_of(const struct bed *b, uint32_t rkey, uint64_t va, uint64_t length)
{
    return (struct iba_reach){.va = va, .length = length, .key = rkey, .pd = b->pd, .qpn = QP, .remote = true};
}

/* Returns the host address of the first byte; NULL if the place has no memory, or is a region of pieces. */
static inline uint8_t *host_of(const struct iba_place *p)
{
    return p->key && p->key->base ? p->key->base + p->at : NULL;
}

/* Calls iba_mem_reach(). Checks that the call counts the row that decided, and returns memory only if it grants the
 * access. */
static inline enum iba_mem_verdict ask(struct bed *b, struct iba_reach r, uint8_t **host)
{
    struct iba_mem before = b->m;
    struct iba_place place = {&before, before.key, 0}; /* anything but nowhere */
    const enum iba_mem_verdict v = iba_mem_reach(&b->m, &r, &place);
    uint32_t hits = 0;

    for (size_t i = 0; i < iba_mem_rule_count; i++) {
        const uint32_t n = b->m.hits[i] - before.hits[i];
        EXPECT(n == 0 || iba_mem_rules[i].verdict == v, "rule %s hit, verdict %d", iba_mem_rules[i].name, v);
        if (n > 0)
            record_hit(RECORDER_MEMORY, iba_mem_rules[i].name);
        hits += n;
    }
    EXPECT(hits == 1, "%u rules hit", hits);
    EXPECT((v == IBA_REACH_OK) == (place.key != NULL), "verdict %d, key %p", v, (const void *)place.key);
    if (host)
        *host = host_of(&place);
    return v;
}

static inline enum iba_mem_verdict probe(struct bed *b, uint32_t rkey, uint64_t va, uint64_t length, unsigned need)
{
    struct iba_reach r = reach_of(b, rkey, va, length);

    r.need = (uint16_t)need;
    return ask(b, r, NULL);
}
#endif
