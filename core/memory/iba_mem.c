/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_mem.h"
#include <assert.h>
#include <string.h>
#include "deviations_memory.h"

enum { INDICES = 1 << 24, QPNS = 1 << 24 };
#define PD_FREE UINT32_MAX

const char *iba_mem_strerror(enum iba_mem_err e)
{
#define ERR_TEXT(name, text) [IBA_##name] = (text),
    static const char *const text[IBA_MEM_ERR_COUNT] = {IBA_MEM_ERRS(ERR_TEXT)};
    return (unsigned)e < IBA_MEM_ERR_COUNT ? text[e] : "unknown error";
}

void iba_mem_init(struct iba_mem *m, struct iba_mkey *key, uint32_t n_key, uint32_t *pd, uint32_t n_pd,
                  uint64_t (*random)(void *), void *ctx)
{
    assert(key && n_key > 0 && n_key <= INDICES && pd && n_pd < PD_FREE && random);
    memset(key, 0, n_key * sizeof *key);
    for (uint32_t i = 0; i < n_pd; i++)
        pd[i] = PD_FREE;
    *m = (struct iba_mem){.key = key, .n_key = n_key, .pd = pd, .n_pd = n_pd, .random = random, .random_ctx = ctx};
}

/* ---- protection domains ---- */

static bool pd_exists(const struct iba_mem *m, uint32_t pd)
{
    return pd < m->n_pd && m->pd[pd] != PD_FREE;
}

enum iba_mem_err iba_pd_create(struct iba_mem *m, uint32_t *pd)
{
    for (uint32_t i = 0; i < m->n_pd; i++)
        if (m->pd[i] == PD_FREE) {
            m->pd[i] = 0;
            *pd = i;
            return IBA_MEM_OK;
        }
    return IBA_MEM_FULL;
}

enum iba_mem_err iba_pd_destroy(struct iba_mem *m, uint32_t pd)
{
    if (!pd_exists(m, pd))
        return IBA_MEM_NO_PD;
    if (m->pd[pd] > 0 && IBA_KEEPS(m, mem, KEEPS_BUSY_PD))
        return IBA_MEM_PD_BUSY;
    m->pd[pd] = PD_FREE;
    return IBA_MEM_OK;
}

/* A changed device has users of domains that are gone, and of others that have their number: it counts what it can. */
void iba_pd_hold(struct iba_mem *m, uint32_t pd)
{
    if (m->change && !pd_exists(m, pd))
        return;
    assert(pd_exists(m, pd) && m->pd[pd] < PD_FREE - 1);
    m->pd[pd]++;
}

void iba_pd_release(struct iba_mem *m, uint32_t pd)
{
    if (m->change && (!pd_exists(m, pd) || m->pd[pd] == 0))
        return;
    assert(pd_exists(m, pd) && m->pd[pd] > 0);
    m->pd[pd]--;
}

/* ---- entries ---- */

/* Any free index, all alike, so that a key tells nothing of the next; 0: none is free. */
static uint32_t free_index(struct iba_mem *m)
{
    uint32_t n = 0, i = 0;

    for (uint32_t k = 1; k < m->n_key; k++)
        n += m->key[k].kind == IBA_MEM_FREE;
    if (n == 0)
        return 0;
    for (uint64_t skip = m->random(m->random_ctx) % n + 1; skip > 0;)
        if (m->key[++i].kind == IBA_MEM_FREE)
            skip--;
    return i;
}

/* A random byte, or the first behind it, that is none of `old`. Stepping on ends whatever the entropy is worth. */
static uint8_t fresh_byte(struct iba_mem *m, const uint8_t old[3])
{
    uint8_t byte = (uint8_t)m->random(m->random_ctx);

    while (byte == old[0] || byte == old[1] || byte == old[2])
        byte++;
    return byte;
}

static void new_rkey(struct iba_mem *m, struct iba_mkey *k)
{
    k->rkey_byte = fresh_byte(m, (const uint8_t[]){k->rkey_byte, k->lkey_byte, k->lkey_byte});
}

/* A region has two key bytes, a window one. */
static void new_keys(struct iba_mem *m, struct iba_mkey *k, enum iba_mem_kind kind)
{
    const bool two = kind == IBA_MEM_MR && IBA_KEEPS(m, mem, REGION_TWO_KEYS);
    const uint8_t old_rkey = k->rkey_byte;

    if (!IBA_KEEPS(m, mem, FRESH_KEY) && old_rkey != 0 && (k->lkey_byte != old_rkey) == two)
        return;
    new_rkey(m, k);
    k->lkey_byte = two ? fresh_byte(m, (const uint8_t[]){old_rkey, k->lkey_byte, k->rkey_byte}) : k->rkey_byte;
}

static enum iba_mem_err claim(struct iba_mem *m, enum iba_mem_kind kind, uint32_t pd, struct iba_mkey **k)
{
    if (!pd_exists(m, pd))
        return IBA_MEM_NO_PD;
    const uint32_t i = free_index(m);
    if (i == 0)
        return IBA_MEM_FULL;
    *k = &m->key[i];
    new_keys(m, *k, kind);
    (*k)->kind = (uint8_t)kind;
    (*k)->pd = pd;
    iba_pd_hold(m, pd);
    return IBA_MEM_OK;
}

static void give_back(struct iba_mem *m, struct iba_mkey *k)
{
    iba_pd_release(m, k->pd);
    *k = (struct iba_mkey){.lkey_byte = k->lkey_byte, .rkey_byte = k->rkey_byte};
}

static uint32_t rkey_of(const struct iba_mem *m, const struct iba_mkey *k)
{
    return iba_key_of((uint32_t)(k - m->key), k->rkey_byte);
}

/* The entry in use that the key's index names, whatever its byte */
static struct iba_mkey *find_entry(const struct iba_mem *m, uint32_t key)
{
    const uint32_t i = iba_key_index(key);

    return i < m->n_key && m->key[i].kind != IBA_MEM_FREE ? &m->key[i] : NULL;
}

static enum iba_mem_err find_region(const struct iba_mem *m, uint32_t lkey, struct iba_mkey **k)
{
    *k = find_entry(m, lkey);
    if (!*k || (*k)->lkey_byte != iba_key_byte(lkey))
        return IBA_MEM_NO_KEY;
    return (*k)->kind == IBA_MEM_MR ? IBA_MEM_OK : IBA_MEM_KIND;
}

static enum iba_mem_err find_window(const struct iba_mem *m, uint32_t rkey, struct iba_mkey **k)
{
    *k = find_entry(m, rkey);
    if (!*k || (*k)->rkey_byte != iba_key_byte(rkey))
        return IBA_MEM_NO_KEY;
    return (*k)->kind != IBA_MEM_MR ? IBA_MEM_OK : IBA_MEM_KIND;
}

/* ---- regions ---- */

/* What is reached from afar is written there: QS-53, and C10-74 (QS-67) for windows. */
static bool lacks_local_write(unsigned remote, unsigned local)
{
    return (remote & (IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_ATOMIC)) && !(local & IBA_ACCESS_LOCAL_WRITE);
}

static enum iba_mem_err region_refused(const struct iba_mem *m, const struct iba_mr_attr *a, uint64_t va)
{
    if ((a->access & ~IBA_ACCESS_OF_REGION) && IBA_KEEPS(m, mem, REGION_ACCESS_BITS))
        return IBA_MEM_ACCESS;
    if (lacks_local_write(a->access, a->access) && IBA_KEEPS(m, mem, REGION_LOCAL_WRITE))
        return IBA_MEM_RIGHTS;
    if (a->length == 0)
        return IBA_MEM_ZERO;
    return a->length - 1 > UINT64_MAX - va && IBA_KEEPS(m, mem, REGION_WRAPS) ? IBA_MEM_RANGE : IBA_MEM_OK;
}

enum iba_mem_err iba_mr_register(struct iba_mem *m, const struct iba_mr_attr *a, uint32_t *lkey, uint32_t *rkey)
{
    const uint64_t va = (a->access & IBA_ACCESS_ZERO_BASED) && IBA_KEEPS(m, mem, REGION_ZERO_BASED) ? 0 : a->iova;
    struct iba_mkey *k;
    enum iba_mem_err e = region_refused(m, a, va);

    assert(a->base && (e != IBA_MEM_OK || a->length <= UINTPTR_MAX - (uintptr_t)a->base));
    if (e == IBA_MEM_OK)
        e = claim(m, IBA_MEM_MR, a->pd, &k);
    if (e != IBA_MEM_OK)
        return e;
    k->base = a->base;
    k->va = va;
    k->length = a->length;
    k->access = a->access;
    k->present = a->access & IBA_ACCESS_ON_DEMAND ? a->present : NULL;
    k->state = IBA_MEM_VALID;
    *rkey = rkey_of(m, k);
    *lkey = iba_key_of(iba_key_index(*rkey), k->lkey_byte);
    return IBA_MEM_OK;
}

enum iba_mem_err iba_mr_deregister(struct iba_mem *m, uint32_t lkey)
{
    struct iba_mkey *k;
    const enum iba_mem_err e = find_region(m, lkey, &k);

    if (e != IBA_MEM_OK)
        return e;
    if (k->windows > 0)
        return IBA_MEM_BUSY;
    give_back(m, k);
    return IBA_MEM_OK;
}

/* ---- windows ---- */

enum iba_mem_err iba_mw_alloc(struct iba_mem *m, enum iba_mem_kind kind, uint32_t pd, uint32_t *rkey)
{
    struct iba_mkey *k;

    if (kind != IBA_MEM_MW1 && kind != IBA_MEM_MW2A && kind != IBA_MEM_MW2B)
        return IBA_MEM_KIND;
    const enum iba_mem_err e = claim(m, kind, pd, &k);
    if (e == IBA_MEM_OK)
        *rkey = rkey_of(m, k);
    return e;
}

/* Leaves what the window is and its key bytes, so that a new byte differs from the last one. */
static void unbind(struct iba_mem *m, struct iba_mkey *k)
{
    if (k->state == IBA_MEM_INVALID)
        return;
    m->key[k->parent].windows--;
    *k = (struct iba_mkey){.kind = k->kind, .pd = k->pd, .lkey_byte = k->lkey_byte, .rkey_byte = k->rkey_byte};
}

enum iba_mem_err iba_mw_free(struct iba_mem *m, uint32_t rkey)
{
    struct iba_mkey *k;
    const enum iba_mem_err e = find_window(m, rkey, &k);

    if (e != IBA_MEM_OK)
        return e;
    unbind(m, k);
    give_back(m, k);
    return IBA_MEM_OK;
}

static bool is_of_qp(const struct iba_mkey *k, uint32_t qpn)
{
    return (k->kind == IBA_MEM_MW2A || k->kind == IBA_MEM_MW2B) && k->qpn == qpn;
}

void iba_mw_forget_qp(struct iba_mem *m, uint32_t qpn)
{
    if (!IBA_KEEPS(m, mem, WINDOW_OF_DEAD_QP))
        return;
    for (uint32_t i = 1; i < m->n_key; i++)
        if (is_of_qp(&m->key[i], qpn))
            unbind(m, &m->key[i]);
}

bool iba_mw_of_qp(const struct iba_mem *m, uint32_t qpn)
{
    for (uint32_t i = 1; i < m->n_key; i++)
        if (is_of_qp(&m->key[i], qpn))
            return true;
    return false;
}

static enum iba_mem_err window_refused(const struct iba_mem *m, const struct iba_mkey *mw, const struct iba_bind *b,
                                       uint32_t pd)
{
    const bool type1 = mw->kind == IBA_MEM_MW1;

    if (mw->pd != pd && IBA_KEEPS(m, mem, BIND_PD))
        return IBA_MEM_OWNER;
    if (!type1 && b->key_byte == mw->rkey_byte && IBA_KEEPS(m, mem, BIND_NEW_BYTE))
        return IBA_MEM_SAME_BYTE;
    if (!type1 && mw->state == IBA_MEM_VALID && IBA_KEEPS(m, mem, BIND_FROM_FREE))
        return IBA_MEM_STATE;
    if (!type1 && b->length == 0 && IBA_KEEPS(m, mem, BIND_SOME_BYTES))
        return IBA_MEM_ZERO;
    if ((b->access & ~(type1 ? IBA_ACCESS_REMOTE : IBA_ACCESS_OF_WINDOW)) && IBA_KEEPS(m, mem, BIND_ACCESS_BITS))
        return IBA_MEM_ACCESS;
    return IBA_MEM_OK;
}

static bool outside(const struct iba_mkey *k, uint64_t va, uint64_t length)
{
    return va < k->va || va - k->va > k->length || length > k->length - (va - k->va);
}

static enum iba_mem_err region_for_window(struct iba_mem *m, const struct iba_bind *b, uint32_t pd,
                                          struct iba_mkey **mr)
{
    const enum iba_mem_err e = find_region(m, b->mr_lkey, mr);
    const unsigned flush = IBA_ACCESS_FLUSH_GLOBAL | IBA_ACCESS_FLUSH_PERSISTENT;

    if (e != IBA_MEM_OK)
        return e;
    if ((*mr)->state != IBA_MEM_VALID && IBA_KEEPS(m, mem, BIND_REGION_VALID))
        return IBA_MEM_STATE;
    if ((*mr)->pd != pd && IBA_KEEPS(m, mem, BIND_REGION_PD))
        return IBA_MEM_OWNER;
    if (!((*mr)->access & IBA_ACCESS_MW_BIND) && IBA_KEEPS(m, mem, BIND_RIGHT))
        return IBA_MEM_BIND_RIGHT;
    if (lacks_local_write(b->access, (*mr)->access) && IBA_KEEPS(m, mem, BIND_LOCAL_WRITE))
        return IBA_MEM_RIGHTS;
    if ((b->access & ~(*mr)->access & flush) && IBA_KEEPS(m, mem, BIND_FLUSH))
        return IBA_MEM_RIGHTS;
    return outside(*mr, b->va, b->length) ? IBA_MEM_RANGE : IBA_MEM_OK;
}

/* A type 1 window gets a new key at each bind (QS-62), a type 2 window the one its consumer chose (QS-72). */
static void rekey(struct iba_mem *m, struct iba_mkey *mw, uint8_t chosen)
{
    if (mw->kind == IBA_MEM_MW1 && IBA_KEEPS(m, mem, BIND_KEY_TYPE1))
        new_rkey(m, mw);
    else if (mw->kind != IBA_MEM_MW1 && IBA_KEEPS(m, mem, BIND_KEY_TYPE2))
        mw->rkey_byte = (uint8_t)(chosen + IBA_DEVIATES(m, mem, BIND_KEY_TYPE2));
    mw->lkey_byte = mw->rkey_byte;
}

/* What of the bind lies inside of the region; all of a bind that reaches it nowhere. */
static struct iba_bind clipped(const struct iba_mem *m, const struct iba_bind *b)
{
    struct iba_bind part = *b;
    struct iba_mkey *mr;

    if (!IBA_DEVIATES(m, mem, BIND_RANGE) || find_region(m, b->mr_lkey, &mr) != IBA_MEM_OK || outside(mr, b->va, 1))
        return part;
    if (part.length > mr->length - (b->va - mr->va))
        part.length = mr->length - (b->va - mr->va);
    return part;
}

static void reach_through(const struct iba_mem *m, struct iba_mkey *mw, const struct iba_bind *b, uint32_t qpn,
                          const struct iba_mkey *mr)
{
    const bool from_zero = (b->access & IBA_ACCESS_ZERO_BASED) && IBA_KEEPS(m, mem, BIND_ZERO_BASED);

    mw->base = mr->base + (b->va - mr->va);
    mw->va = from_zero ? 0 : b->va;
    mw->length = b->length;
    if (!IBA_KEEPS(m, mem, WINDOW_BOUNDS)) {
        mw->base = mr->base;
        mw->va = from_zero ? 0 : mr->va;
        mw->length = mr->length;
    }
    mw->qpn = mw->kind == IBA_MEM_MW1 ? 0 : qpn;
    mw->parent = (uint32_t)(mr - m->key);
    mw->access =
        (uint16_t)(IBA_KEEPS(m, mem, WINDOW_RIGHTS) ? b->access : b->access | (mr->access & IBA_ACCESS_REMOTE));
    mw->present = mr->present;
    mw->state = IBA_MEM_VALID;
}

enum iba_mem_err iba_mw_bind(struct iba_mem *m, const struct iba_bind *asked, uint32_t pd, uint32_t qpn, uint32_t *rkey)
{
    const struct iba_bind b = m->change ? clipped(m, asked) : *asked;
    struct iba_mkey *mw, *mr = NULL;
    enum iba_mem_err e = find_window(m, b.mw_rkey, &mw);

    assert(qpn < QPNS);
    if (e == IBA_MEM_OK)
        e = window_refused(m, mw, &b, pd);
    if (e == IBA_MEM_OK && b.length > 0)
        e = region_for_window(m, &b, pd, &mr);
    if (e != IBA_MEM_OK)
        return e;
    if (mr || IBA_KEEPS(m, mem, BIND_NOTHING_UNBINDS)) {
        unbind(m, mw);
        rekey(m, mw, b.key_byte);
    }
    *rkey = rkey_of(m, mw);
    if (!mr)
        return IBA_MEM_OK;
    reach_through(m, mw, &b, qpn, mr);
    mr->windows++;
    return IBA_MEM_OK;
}

/* ---- invalidation ---- */

static enum iba_mem_err region_not_invalidated(const struct iba_mem *m, const struct iba_mkey *k, uint32_t pd,
                                               bool remote)
{
    if (!(k->access & IBA_ACCESS_INVALIDATE) && IBA_KEEPS(m, mem, INVALIDATE_FAST_ONLY))
        return IBA_MEM_KIND;
    if (remote && !(k->access & IBA_ACCESS_REMOTE) && IBA_KEEPS(m, mem, INVALIDATE_REMOTE_RIGHT))
        return IBA_MEM_KIND;
    if (k->state != IBA_MEM_VALID && IBA_KEEPS(m, mem, INVALIDATE_VALID))
        return IBA_MEM_STATE;
    if (k->pd != pd && IBA_KEEPS(m, mem, INVALIDATE_PD))
        return IBA_MEM_OWNER;
    return k->windows > 0 && IBA_KEEPS(m, mem, INVALIDATE_WINDOWLESS) ? IBA_MEM_BUSY : IBA_MEM_OK;
}

static enum iba_mem_err window_not_invalidated(const struct iba_mem *m, const struct iba_mkey *k, uint32_t pd,
                                               uint32_t qpn)
{
    if (k->kind == IBA_MEM_MW1) /* o10-37.2.26 */
        return IBA_KEEPS(m, mem, INVALIDATE_TYPE1) ? IBA_MEM_KIND : IBA_MEM_OK;
    if (k->state != IBA_MEM_VALID && IBA_KEEPS(m, mem, INVALIDATE_VALID))
        return IBA_MEM_STATE;
    if (k->qpn != qpn && IBA_KEEPS(m, mem, INVALIDATE_WINDOW_QP))
        return IBA_MEM_OWNER;
    return k->kind == IBA_MEM_MW2B && k->pd != pd && IBA_KEEPS(m, mem, INVALIDATE_WINDOW_PD) ? IBA_MEM_OWNER
                                                                                             : IBA_MEM_OK;
}

/* A region has two keys, of which only the R_Key is for others. */
static bool is_key_of(const struct iba_mem *m, const struct iba_mkey *k, uint8_t byte, bool remote)
{
    if (byte == k->rkey_byte || !IBA_KEEPS(m, mem, INVALIDATE_KEY_BYTE))
        return true;
    return byte == k->lkey_byte && (!remote || !IBA_KEEPS(m, mem, INVALIDATE_BY_RKEY));
}

enum iba_mem_err iba_mem_invalidate(struct iba_mem *m, uint32_t key, uint32_t pd, uint32_t qpn, bool remote)
{
    struct iba_mkey *k = find_entry(m, key);

    if (!k || !is_key_of(m, k, iba_key_byte(key), remote))
        return IBA_MEM_NO_KEY;
    const enum iba_mem_err e =
        k->kind == IBA_MEM_MR ? region_not_invalidated(m, k, pd, remote) : window_not_invalidated(m, k, pd, qpn);
    if (e != IBA_MEM_OK)
        return e;
    if (k->kind == IBA_MEM_MR && IBA_KEEPS(m, mem, INVALID_REGION))
        k->state = IBA_MEM_INVALID;
    else if (k->kind != IBA_MEM_MR && IBA_KEEPS(m, mem, INVALID_WINDOW))
        unbind(m, k);
    return IBA_MEM_OK;
}
