/* SPDX-License-Identifier: BSD-2-Clause */
/* A hundred thousand random calls against a naive model: an array of things with complete keys, searched linearly,
 * whose bytes are counted one by one. Results must agree, every invariant must hold after every call, and memory that
 * no region describes is never returned. */
#include "mem.h"

enum { CALLS = 100000, STALE = 64, QPS = 3 };

struct thing {
    bool valid;
    enum iba_mem_kind kind; /* IBA_MEM_FREE: not there */
    uint32_t pd, qpn, lkey, rkey;
    unsigned access;
    uint64_t va, length;
    size_t at; /* in the arena */
    const uint8_t *present;
    struct thing *below; /* of a bound window */
};

static struct bed bed;
static struct thing things[KEYS]; /* as many as the table can hold, in no order */
static int pd_users[PDS];         /* -1: not there */
static int holds[PDS];            /* holders that are not things */
static uint32_t stale[STALE];     /* keys that were valid once */
static uint32_t last[KEYS][2];    /* the last keys of each index */
static uint8_t pages[2];          /* presence, two bitmaps */
static unsigned n_stale, errs[IBA_MEM_ERR_COUNT], verdicts[IBA_REACH_ABSENT + 1];

static unsigned pick(unsigned n)
{
    return (unsigned)(rnd(&bed.seed) % n);
}

/* ---- the model ---- */

static bool exists(uint32_t pd)
{
    return pd < PDS && pd_users[pd] >= 0;
}

static struct thing *spare(void)
{
    for (unsigned i = 0; i < KEYS - 1; i++)
        if (things[i].kind == IBA_MEM_FREE)
            return &things[i];
    return NULL;
}

/* Returns the thing with exactly this key, among L_Keys, R_Keys or both, as the caller asks. */
static struct thing *with(uint32_t key, bool lkey, bool rkey)
{
    for (unsigned i = 0; i < KEYS; i++)
        if (things[i].kind != IBA_MEM_FREE && ((lkey && things[i].lkey == key) || (rkey && things[i].rkey == key)))
            return &things[i];
    return NULL;
}

static unsigned windows_on(const struct thing *mr)
{
    unsigned n = 0;

    for (unsigned i = 0; i < KEYS; i++)
        n += things[i].kind != IBA_MEM_FREE && things[i].below == mr;
    return n;
}

/* Returns whether the byte at address va + i belongs to the thing. */
static bool has_byte(const struct thing *t, uint64_t va, uint64_t i)
{
    return i <= UINT64_MAX - va && va + i >= t->va && va + i - t->va < t->length;
}

static bool byte_present(const struct thing *t, uint64_t va, uint64_t i)
{
    const size_t mr_at = t->below ? t->below->at : t->at, page = (t->at + (va + i - t->va) - mr_at) / IBA_MEM_PAGE;

    return !t->present || (t->present[page / 8] & 1u << page % 8);
}

/* Returns whether all bytes lie inside, counted one by one. For zero bytes, the address itself must lie inside or
 * directly after the end. */
static bool inside(const struct thing *t, uint64_t va, uint64_t length)
{
    if (length == 0)
        return has_byte(t, va, 0) || (va > 0 && has_byte(t, va - 1, 0));
    if (length > t->length)
        return false;
    for (uint64_t i = 0; i < length; i++)
        if (!has_byte(t, va, i))
            return false;
    return true;
}

static bool all_present(const struct thing *t, uint64_t va, uint64_t length)
{
    for (uint64_t i = 0; i < length; i++)
        if (!byte_present(t, va, i))
            return false;
    return true;
}

static bool wants_local(unsigned access)
{
    return access & RW || access & RA;
}

static bool is_type2(const struct thing *t)
{
    return t->kind == IBA_MEM_MW2A || t->kind == IBA_MEM_MW2B;
}

/* Returns whether requests of that domain and queue pair may use the thing. */
static bool is_for(const struct thing *t, uint32_t pd, uint32_t qpn)
{
    return (t->kind == IBA_MEM_MW2A || t->pd == pd) && (!is_type2(t) || t->qpn == qpn);
}

static enum iba_mem_verdict expect_reach(const struct iba_reach *r)
{
    const struct thing *t = NULL;

    for (unsigned i = 0; i < KEYS; i++)
        if (things[i].kind != IBA_MEM_FREE && things[i].rkey >> 8 == r->key >> 8)
            t = &things[i];
    if (!t || !t->valid || (!r->remote && t->kind != IBA_MEM_MR))
        return IBA_REACH_NO_KEY;
    if (r->key != (r->remote ? t->rkey : t->lkey))
        return IBA_REACH_KEY_BYTE;
    if (!is_for(t, r->pd, r->qpn))
        return IBA_REACH_PD;
    const uint64_t va = r->whole ? t->va : r->va, length = r->whole ? t->length : r->length;
    if (!inside(t, va, length))
        return IBA_REACH_RANGE;
    if ((r->need & t->access) != r->need)
        return IBA_REACH_RIGHT;
    return all_present(t, va, length) ? IBA_REACH_OK : IBA_REACH_ABSENT;
}

static enum iba_mem_err expect_attr(const struct iba_mr_attr *a)
{
    if (a->access >= INV << 1)
        return IBA_MEM_ACCESS;
    if (wants_local(a->access) && !(a->access & LW))
        return IBA_MEM_RIGHTS;
    if (a->length == 0)
        return IBA_MEM_ZERO;
    if (!(a->access & ZB) && a->iova + (a->length - 1) < a->iova)
        return IBA_MEM_RANGE;
    return exists(a->pd) ? IBA_MEM_OK : IBA_MEM_NO_PD;
}

static enum iba_mem_err expect_deregister(const struct thing *t)
{
    if (!t || t->kind != IBA_MEM_MR)
        return t ? IBA_MEM_KIND : IBA_MEM_NO_KEY;
    return windows_on(t) ? IBA_MEM_BUSY : IBA_MEM_OK;
}

static enum iba_mem_err expect_bind_mr(const struct iba_bind *b, uint32_t pd, struct thing *mr)
{
    if (!mr)
        return IBA_MEM_NO_KEY;
    if (mr->kind != IBA_MEM_MR)
        return IBA_MEM_KIND;
    if (!mr->valid)
        return IBA_MEM_STATE;
    if (mr->pd != pd)
        return IBA_MEM_OWNER;
    if (!(mr->access & MWB))
        return IBA_MEM_BIND_RIGHT;
    if ((wants_local(b->access) && !(mr->access & LW)) || (b->access & FG && !(mr->access & FG)) ||
        (b->access & FP && !(mr->access & FP)))
        return IBA_MEM_RIGHTS;
    return inside(mr, b->va, b->length) ? IBA_MEM_OK : IBA_MEM_RANGE;
}

static enum iba_mem_err expect_bind(const struct iba_bind *b, uint32_t pd)
{
    const struct thing *mw = with(b->mw_rkey, false, true);

    if (!mw)
        return IBA_MEM_NO_KEY;
    if (mw->kind == IBA_MEM_MR)
        return IBA_MEM_KIND;
    if (mw->pd != pd)
        return IBA_MEM_OWNER;
    if (mw->kind != IBA_MEM_MW1) {
        if (b->key_byte == (mw->rkey & 0xff))
            return IBA_MEM_SAME_BYTE;
        if (mw->valid)
            return IBA_MEM_STATE;
        if (b->length == 0)
            return IBA_MEM_ZERO;
    }
    for (unsigned bit = 1; bit < 0x10000; bit <<= 1)
        if (b->access & bit && bit != RW && bit != RR && bit != RA && bit != FG && bit != FP &&
            (bit != ZB || mw->kind == IBA_MEM_MW1))
            return IBA_MEM_ACCESS;
    return b->length == 0 ? IBA_MEM_OK : expect_bind_mr(b, pd, with(b->mr_lkey, true, false));
}

static enum iba_mem_err expect_invalidate(const struct thing *t, uint32_t pd, uint32_t qpn, bool remote)
{
    if (!t)
        return IBA_MEM_NO_KEY;
    if (t->kind == IBA_MEM_MW1 || (t->kind == IBA_MEM_MR && !(t->access & INV)) ||
        (t->kind == IBA_MEM_MR && remote && !(t->access & (RW | RR | RA | FG | FP))))
        return IBA_MEM_KIND;
    if (!t->valid)
        return IBA_MEM_STATE;
    if (!is_for(t, pd, qpn))
        return IBA_MEM_OWNER;
    return windows_on(t) ? IBA_MEM_BUSY : IBA_MEM_OK;
}

/* Checks a key that the table made for an index: no other thing has this key, and it differs from the last keys of the
 * index. */
static void learn(struct thing *t, uint32_t lkey, uint32_t rkey)
{
    const uint32_t i = rkey >> 8;

    EXPECT(i > 0 && i < KEYS && i == lkey >> 8, "keys %#x %#x", lkey, rkey);
    for (unsigned k = 0; k < KEYS; k++)
        EXPECT(things[k].kind == IBA_MEM_FREE || &things[k] == t || things[k].rkey >> 8 != i, "index %u twice", i);
    for (unsigned k = 0; k < 2; k++)
        EXPECT(rkey != last[i][k] && lkey != last[i][k], "key %#x or %#x again", rkey, lkey);
    stale[n_stale++ % STALE] = rkey;
    last[i][0] = t->lkey = lkey;
    last[i][1] = t->rkey = rkey;
}

static void unbound(struct thing *t)
{
    *t = (struct thing){.kind = t->kind, .pd = t->pd, .lkey = t->lkey, .rkey = t->rkey};
}

/* ---- random arguments: mostly valid, since arguments that are refused early test little ---- */

static uint32_t any_key(void)
{
    const struct thing *t = &things[pick(KEYS)];

    switch (pick(16)) {
    case 0: return stale[pick(STALE)];
    case 1: return t->rkey ^ 1u << pick(32);
    case 2: return (uint32_t)rnd(&bed.seed);
    case 3: return t->lkey;
    default: return t->rkey;
    }
}

/* Draws a valid thing, a region if the caller asks for one; sometimes any thing. */
static const struct thing *any_valid(bool region)
{
    const struct thing *t = &things[pick(KEYS)];

    for (unsigned i = 0; i < 30 && !(t->valid && (!region || t->kind == IBA_MEM_MR)); i++)
        t = &things[pick(KEYS)];
    return t;
}

static uint32_t any_lkey(void)
{
    return pick(8) ? any_valid(true)->lkey : any_key();
}

static uint32_t any_window(void)
{
    for (unsigned i = 0; i < 20; i++) {
        const struct thing *t = &things[pick(KEYS)];
        if (t->kind != IBA_MEM_FREE && t->kind != IBA_MEM_MR)
            return t->rkey;
    }
    return any_key();
}

static uint32_t any_pd(void)
{
    return pick(8) ? 0 : pick(PDS + 1);
}

static uint16_t any_access(void)
{
    const unsigned all = pick(2) ? ALL : ALL | OD, some = (unsigned)(rnd(&bed.seed) | rnd(&bed.seed));

    return (uint16_t)(pick(16) ? (some & (all | (pick(4) ? 0 : ZB))) | (pick(4) ? LW | MWB : 0) : rnd(&bed.seed));
}

static uint64_t any_length(uint64_t room)
{
    switch (pick(16)) {
    case 0: return 0;
    case 1: return room;
    case 2: return room + 1;
    case 3: return rnd(&bed.seed);
    case 4: return UINT64_MAX - pick(3);
    default: return pick(4) ? rnd(&bed.seed) % 70 : rnd(&bed.seed) % (room + 1);
    }
}

/* Draws an address near the start, near the end, or in the middle of the thing. */
static uint64_t any_va(const struct thing *t)
{
    switch (pick(8)) {
    case 0: return t->va - 3 + pick(6);
    case 1: return t->va + t->length - 3 + pick(6);
    case 2: return pick(2) ? rnd(&bed.seed) : 0;
    case 3: return t->va + IBA_MEM_PAGE - pick(20);
    default: return t->va + rnd(&bed.seed) % (t->length + 1);
    }
}

static const struct thing *named(uint32_t key)
{
    const struct thing *t = with(key, true, true);

    return t ? t : &things[pick(KEYS)];
}

/* ---- one call each ---- */

#define AGREE(got, want)                                                                                               \
    do {                                                                                                               \
        const enum iba_mem_err agree_got = (got);                                                                      \
        EXPECT(agree_got == (want), "%s: %s, not %s", #got, iba_mem_strerror(agree_got), iba_mem_strerror(want));      \
        errs[agree_got]++;                                                                                             \
    } while (0)

static void call_pd(void)
{
    const uint32_t pd = any_pd();
    uint32_t made = PDS;

    if (pick(2)) {
        const bool room = !exists(0) || !exists(1) || !exists(2) || !exists(3);
        AGREE(iba_pd_create(&bed.m, &made), room ? IBA_MEM_OK : IBA_MEM_FULL);
        EXPECT(room == (made < PDS) && !(room && exists(made)), "domain %u", made);
        if (room)
            pd_users[made] = 0;
    } else if (exists(pd) && pick(2)) {
        if (holds[pd] > 0)
            iba_pd_release(&bed.m, pd), holds[pd]--, pd_users[pd]--;
        else
            iba_pd_hold(&bed.m, pd), holds[pd]++, pd_users[pd]++;
    } else {
        const enum iba_mem_err want = !exists(pd) ? IBA_MEM_NO_PD : pd_users[pd] ? IBA_MEM_PD_BUSY : IBA_MEM_OK;
        AGREE(iba_pd_destroy(&bed.m, pd), want);
        if (want == IBA_MEM_OK)
            pd_users[pd] = -1;
    }
}

static struct iba_mr_attr any_attr(void)
{
    static const uint64_t iova[] = {0, 1, IOVA, UINT64_MAX - ARENA, UINT64_MAX - 100};
    const size_t at = pick(4) ? pick(ARENA) : 0;
    struct iba_mr_attr a = {.base = bed.arena + at, .length = pick(3) ? 1 + pick((unsigned)(ARENA - at)) : pick(200)};

    a.length = a.length > ARENA - at ? ARENA - at : a.length;
    a.iova = iova[pick(5)];
    a.pd = any_pd();
    a.access = any_access();
    a.present = pick(3) ? &pages[pick(2)] : NULL;
    return a;
}

static void is_region(struct thing *t, const struct iba_mr_attr *a, const struct mr *r)
{
    *t = (struct thing){.valid = true, .kind = IBA_MEM_MR, .pd = a->pd, .access = a->access, .length = a->length};
    t->va = a->access & ZB ? 0 : a->iova;
    t->at = (size_t)(a->base - bed.arena);
    t->present = a->access & OD ? a->present : NULL;
    EXPECT(r->lkey != r->rkey, "one key");
    learn(t, r->lkey, r->rkey);
    pd_users[a->pd]++;
}

static void call_register(void)
{
    const struct iba_mr_attr a = any_attr();
    struct mr r;
    enum iba_mem_err want = expect_attr(&a);

    if (want == IBA_MEM_OK && !spare())
        want = IBA_MEM_FULL;
    AGREE(iba_mr_register(&bed.m, &a, &r.lkey, &r.rkey), want);
    if (want != IBA_MEM_OK)
        return;
    is_region(spare(), &a, &r);
}

/* The new attributes that are asked for, and otherwise those of the region. */
static struct iba_mr_attr mixed(const struct thing *t, unsigned changes, const struct iba_mr_attr *new)
{
    const bool range = changes & IBA_MR_RANGE;

    return (struct iba_mr_attr){.base = range ? new->base : bed.arena + t->at,
                                .length = range ? new->length : t->length,
                                .iova = range ? new->iova : t->va,
                                .present = range ? new->present : t->present,
                                .pd = changes &IBA_MR_PD ? new->pd : t->pd,
                                .access = changes &IBA_MR_ACCESS ? new->access : (uint16_t)t->access};
}

static void call_reregister(void)
{
    const uint32_t key = any_lkey(), changes = pick(8);
    struct thing *t = with(key, true, false);
    const struct iba_mr_attr new = any_attr(), a = t ? mixed(t, changes, &new) : new;
    enum iba_mem_err want = expect_deregister(t);
    struct mr r;

    if (want == IBA_MEM_OK)
        want = expect_attr(&a);
    AGREE(iba_mr_reregister(&bed.m, key, changes, &new, &r.lkey, &r.rkey), want);
    if (want != IBA_MEM_OK)
        return;
    pd_users[t->pd]--;
    is_region(t, &a, &r);
}

static void call_deregister(void)
{
    const uint32_t key = any_lkey();
    struct thing *t = with(key, true, false);
    const enum iba_mem_err want = expect_deregister(t);

    AGREE(iba_mr_deregister(&bed.m, key), want);
    if (want != IBA_MEM_OK)
        return;
    pd_users[t->pd]--;
    *t = (struct thing){.lkey = t->lkey, .rkey = t->rkey};
}

static void call_alloc(void)
{
    const enum iba_mem_kind kind = (enum iba_mem_kind)(pick(16) ? IBA_MEM_MW1 + pick(3) : pick(8));
    const uint32_t pd = any_pd();
    uint32_t rkey = 0;
    struct thing *t = spare();
    const bool window = kind == IBA_MEM_MW1 || kind == IBA_MEM_MW2A || kind == IBA_MEM_MW2B;
    const enum iba_mem_err want = !window ? IBA_MEM_KIND : !exists(pd) ? IBA_MEM_NO_PD : t ? IBA_MEM_OK : IBA_MEM_FULL;

    AGREE(iba_mw_alloc(&bed.m, kind, pd, &rkey), want);
    if (want != IBA_MEM_OK)
        return;
    *t = (struct thing){.kind = kind, .pd = pd};
    learn(t, rkey, rkey);
    pd_users[pd]++;
}

static void call_free(void)
{
    const uint32_t key = pick(4) ? any_window() : any_key();
    struct thing *t = with(key, false, true);
    const enum iba_mem_err want = !t ? IBA_MEM_NO_KEY : t->kind == IBA_MEM_MR ? IBA_MEM_KIND : IBA_MEM_OK;

    AGREE(iba_mw_free(&bed.m, key), want);
    if (want != IBA_MEM_OK)
        return;
    pd_users[t->pd]--;
    *t = (struct thing){.lkey = t->lkey, .rkey = t->rkey};
}

static void call_bind(void)
{
    struct iba_bind b = {.mw_rkey = pick(8) ? any_window() : any_key(), .mr_lkey = any_lkey()};
    const uint32_t qpn = pick(QPS);
    uint32_t rkey = 0;

    const struct thing *mr = named(b.mr_lkey);
    b.va = any_va(mr);
    b.length = any_length(mr->length);
    b.access = pick(8) ? any_access() & (RW | RR | RA | FG | FP | (pick(4) ? 0 : ZB)) : any_access();
    b.key_byte = (uint8_t)(pick(8) ? rnd(&bed.seed) : b.mw_rkey);
    struct thing *mw = with(b.mw_rkey, false, true);
    const uint32_t pd = mw && pick(8) ? mw->pd : any_pd();
    const enum iba_mem_err want = expect_bind(&b, pd);
    AGREE(iba_mw_bind(&bed.m, &b, pd, qpn, &rkey), want);
    if (want != IBA_MEM_OK)
        return;
    EXPECT(mw->kind == IBA_MEM_MW1 || (rkey & 0xff) == b.key_byte, "not the chosen byte");
    unbound(mw);
    learn(mw, rkey, rkey);
    if (b.length == 0)
        return;
    mw->valid = true;
    mw->below = with(b.mr_lkey, true, false);
    mw->qpn = qpn;
    mw->access = b.access;
    mw->va = b.access & ZB ? 0 : b.va;
    mw->length = b.length;
    mw->at = mw->below->at + (size_t)(b.va - mw->below->va);
    mw->present = mw->below->present;
}

static void call_invalidate(void)
{
    const uint32_t key = pick(2) ? any_valid(false)->rkey : any_key();
    const bool remote = pick(2);
    struct thing *t = with(key, !remote, true);
    const uint32_t pd = any_pd(), qpn = pick(QPS);
    const enum iba_mem_err want = expect_invalidate(t, pd, qpn, remote);

    AGREE(iba_mem_invalidate(&bed.m, key, pd, qpn, remote), want);
    if (want != IBA_MEM_OK)
        return;
    if (t->kind == IBA_MEM_MR)
        t->valid = false;
    else
        unbound(t);
}

static void call_forget(void)
{
    const uint32_t qpn = pick(QPS);

    iba_mw_forget_qp(&bed.m, qpn);
    for (unsigned i = 0; i < KEYS; i++)
        if (is_type2(&things[i]) && things[i].qpn == qpn)
            unbound(&things[i]);
}

/* Checks that every returned byte belongs to a registered region. */
static void covered(const uint8_t *host, uint64_t length)
{
    for (uint64_t i = 0; i < length; i++) {
        bool found = false;
        for (unsigned k = 0; k < KEYS && !found; k++)
            found = things[k].kind == IBA_MEM_MR && things[k].valid && host + i >= bed.arena + things[k].at &&
                    host + i < bed.arena + things[k].at + things[k].length;
        EXPECT(found, "byte %lu of an access belongs to no region", (unsigned long)i);
    }
}

static void call_reach(void)
{
    const uint32_t key = pick(4) ? any_valid(pick(4) == 0)->rkey : any_key();
    const struct thing *t = named(key);
    struct iba_reach r = {.key = key, .pd = t->pd, .qpn = t->qpn, .remote = t->lkey != key};
    uint8_t *host;

    r.remote ^= pick(8) == 0;
    r.pd = pick(8) ? t->pd : any_pd();
    r.qpn = pick(2) ? t->qpn : pick(QPS);
    r.need = pick(4) ? (uint16_t)(t->access & rnd(&bed.seed)) : any_access();
    r.whole = pick(16) == 0;
    r.va = any_va(t);
    r.length = any_length(t->length);
    const enum iba_mem_verdict want = expect_reach(&r), got = ask(&bed, r, &host);
    EXPECT(got == want, "key %#x va %#lx length %#lx: %d, not %d", key, r.va, r.length, got, want);
    verdicts[got]++;
    if (got != IBA_REACH_OK)
        return;
    EXPECT(host == bed.arena + t->at + (r.whole ? 0 : r.va - t->va), "another byte");
    covered(host, r.whole ? t->length : r.length);
}

static void one(void)
{
    static void (*const call[])(void) = {
        call_register, call_register, call_reregister, call_deregister, call_deregister, call_alloc, call_alloc,
        call_free,     call_free,     call_bind,       call_bind,       call_bind,       call_bind,  call_bind,
        call_bind,     call_bind,     call_bind,       call_invalidate, call_pd};
    const unsigned n = pick(2 * COUNT(call));

    if (pick(100) == 0)
        pages[pick(2)] ^= (uint8_t)(1u << pick(3));
    if (pick(200) == 0)
        call_forget();
    if (n < COUNT(call))
        call[n]();
    else
        call_reach();
}

Test(model, a_hundred_thousand_calls_agree)
{
    make(&bed);
    for (unsigned i = 0; i < PDS; i++)
        pd_users[i] = i < 2 ? 0 : -1;
    pages[0] = pages[1] = 7;
    for (unsigned i = 0; i < CALLS; i++) {
        one();
        iba_mem_check(&bed.m);
        for (unsigned pd = 0; pd < PDS; pd++)
            EXPECT(exists(pd) ? bed.pds[pd] == (uint32_t)pd_users[pd] : bed.pds[pd] == UINT32_MAX, "users of %u", pd);
    }
    for (unsigned e = 0; e < IBA_MEM_TOO_DEEP; e++) /* regions of pieces: pieces.c */
        cr_expect(errs[e] > CALLS / 5000, "only %u times: %s", errs[e], iba_mem_strerror((enum iba_mem_err)e));
    for (unsigned v = 0; v < COUNT(verdicts); v++)
        cr_expect(verdicts[v] > CALLS / 500, "verdict %u only %u times", v, verdicts[v]);
    for (size_t i = 0; i < iba_mem_rule_count; i++)
        cr_expect(bed.m.hits[i] > CALLS / 1000 || strcmp(iba_mem_rules[i].name, "piece") == 0, "%s only %u times",
                  iba_mem_rules[i].name, bed.m.hits[i]);
}
