/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_mem_pieces.h"
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
    IBA_REFUSE(m, mem, KEEPS_BUSY_PD, m->pd[pd] > 0, IBA_MEM_PD_BUSY)
    m->pd[pd] = PD_FREE;
    return IBA_MEM_OK;
}

/* A broken device may use a domain that was destroyed, or whose number a new domain has by now. Its holds of a domain
 * that does not exist are not counted. */
void iba_pd_hold(struct iba_mem *m, uint32_t pd)
{
    if (m->deviate && !pd_exists(m, pd))
        return;
    assert(pd_exists(m, pd) && m->pd[pd] < PD_FREE - 1);
    m->pd[pd]++;
}

void iba_pd_release(struct iba_mem *m, uint32_t pd)
{
    if (m->deviate && (!pd_exists(m, pd) || m->pd[pd] == 0))
        return;
    assert(pd_exists(m, pd) && m->pd[pd] > 0);
    m->pd[pd]--;
}

/* ---- entries ---- */

/* Returns a free index, each with equal probability, so that a key does not reveal the next key; 0: none is free. */
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

/* Returns a random byte that is none of `old`. A random byte that is one of them is counted up, so that the search ends
 * whatever the entropy source returns. */
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

/* A region has two keys (L_Key and R_Key) with different bytes; a window has only an R_Key. */
static void new_keys(struct iba_mem *m, struct iba_mkey *k, enum iba_mem_kind kind)
{
    const uint8_t old_rkey = k->rkey_byte;

    new_rkey(m, k);
    k->lkey_byte =
        kind == IBA_MEM_MR ? fresh_byte(m, (const uint8_t[]){old_rkey, k->lkey_byte, k->rkey_byte}) : k->rkey_byte;
}

static void give_keys(struct iba_mem *m, struct iba_mkey *k, enum iba_mem_kind kind)
{
    if (m->deviate)
        m->deviate->new_keys(m, k, kind);
    else
        new_keys(m, k, kind);
}

static enum iba_mem_err claim(struct iba_mem *m, enum iba_mem_kind kind, uint32_t pd, struct iba_mkey **k)
{
    if (!pd_exists(m, pd))
        return IBA_MEM_NO_PD;
    const uint32_t i = free_index(m);
    if (i == 0)
        return IBA_MEM_FULL;
    *k = &m->key[i];
    give_keys(m, *k, kind);
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

static uint32_t lkey_of(const struct iba_mem *m, const struct iba_mkey *k)
{
    return iba_key_of((uint32_t)(k - m->key), k->lkey_byte);
}

/* The entry in use that the key's index selects, whatever its key byte */
static struct iba_mkey *find_entry(const struct iba_mem *m, uint32_t key)
{
    struct iba_mkey *k = iba_mem_entry(m, key);

    return k->kind != IBA_MEM_FREE ? k : NULL;
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

/* Remote write and remote atomic need local write (QS-53), for windows too (C10-74, QS-67). */
static bool lacks_local_write(unsigned remote, unsigned local)
{
    return (remote & (IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_ATOMIC)) && !(local & IBA_ACCESS_LOCAL_WRITE);
}

/* clang-format off */
/* Why a region is refused, and why a window is not bound. The rows are some of IBA_MEM_BEHAVIOURS.
 *    row                  error      where ...                                                               clause */
#define REGION_REFUSALS(R)                                                                                                          \
    R(REGION_ACCESS_BITS,  ACCESS,     a->access & ~IBA_ACCESS_OF_REGION,                                      "QS-53")             \
    R(REGION_LOCAL_WRITE,  RIGHTS,     lacks_local_write(a->access, a->access),                                "QS-53")             \
    R(REGION_WRAPS,        RANGE,      a->length > 0 && a->length - 1 > UINT64_MAX - va,                       "QS-54")
#define PREFETCH_REFUSALS(R)                                                                                                        \
    R(PREFETCH_PD,         OWNER,      k->pd != p->pd,                                                         "QS-55")             \
    R(PREFETCH_RANGE,      RANGE,      iba_mkey_lacks(k, p->va, p->length),                                    "QS-55")             \
    R(PREFETCH_WRITE,      RIGHTS,     p->write && !(k->access & IBA_ACCESS_LOCAL_WRITE),                      "QS-55")
#define WINDOW_REFUSALS(R)                                                                                                          \
    R(BIND_PD,             OWNER,      mw->pd != pd,                                                           "QS-64")             \
    R(BIND_NEW_BYTE,       SAME_BYTE,  !type1 && b->key_byte == mw->rkey_byte,                                 "QS-72")             \
    R(BIND_FROM_FREE,      STATE,      !type1 && mw->state == IBA_MEM_VALID,                                   "QS-63")             \
    R(BIND_SOME_BYTES,     ZERO,       !type1 && b->length == 0,                                               "QS-65")             \
    R(BIND_ACCESS_BITS,    ACCESS,     b->access & ~(type1 ? IBA_ACCESS_REMOTE : IBA_ACCESS_OF_WINDOW),        "QS-62")
#define REGION_BELOW_REFUSALS(R)                                                                                                    \
    R(BIND_REGION_VALID,   STATE,      (*mr)->state != IBA_MEM_VALID,                                          "QS-59")             \
    R(BIND_REGION_PD,      OWNER,      (*mr)->pd != pd,                                                        "QS-64")             \
    R(BIND_RIGHT,          BIND_RIGHT, !((*mr)->access & IBA_ACCESS_MW_BIND),                                  "QS-66")             \
    R(BIND_LOCAL_WRITE,    RIGHTS,     lacks_local_write(b->access, (*mr)->access),                            "QS-67")             \
    R(BIND_FLUSH,          RIGHTS,     b->access & ~(*mr)->access & FLUSH,                                     "RR-66")
#define REGION_INVALIDATION_REFUSALS(R)                                                                                             \
    R(INVALIDATE_FAST_ONLY, KIND,      !(k->access & IBA_ACCESS_INVALIDATE),                                   "QS-61")             \
    R(INVALIDATE_REMOTE_RIGHT, KIND,   remote && !(k->access & IBA_ACCESS_REMOTE),                             "QS-61")             \
    R(INVALIDATE_VALID,    STATE,      k->state != IBA_MEM_VALID,                                              "QS-58")             \
    R(INVALIDATE_PD,       OWNER,      k->pd != pd,                                                            "QS-61")             \
    R(INVALIDATE_WINDOWLESS, BUSY,     k->windows > 0,                                                         "QS-74")
#define WINDOW_INVALIDATION_REFUSALS(R)                                                                                             \
    R(INVALIDATE_TYPE1,    KIND,       type1,                                                                  "QS-70, o10-37.2.26") \
    R(INVALIDATE_VALID,    STATE,      !type1 && k->state != IBA_MEM_VALID,                                    "QS-58")             \
    R(INVALIDATE_WINDOW_QP, OWNER,     !type1 && k->qpn != qpn,                                                "QS-61, QS-69")      \
    R(INVALIDATE_WINDOW_PD, OWNER,     k->kind == IBA_MEM_MW2B && k->pd != pd,                                 "QS-69")
#define REFUSAL(row, error, is, clause) IBA_REFUSE(m, mem, row, is, IBA_MEM_##error)
/* clang-format on */
enum { FLUSH = IBA_ACCESS_FLUSH_GLOBAL | IBA_ACCESS_FLUSH_PERSISTENT };

static enum iba_mem_err region_refused(const struct iba_mem *m, const struct iba_mr_attr *a, uint64_t va)
{
    REGION_REFUSALS(REFUSAL)
    return a->length == 0 ? IBA_MEM_ZERO : IBA_MEM_OK;
}

static void describe(struct iba_mkey *k, const struct iba_mr_attr *a)
{
    k->length = a->length;
    k->access = a->access;
    k->pieces = a->pieces;
    if (a->pieces)
        return;
    k->base = a->base;
    k->present = a->access & IBA_ACCESS_ON_DEMAND ? a->present : NULL;
}

/* Returns the address of the first byte of a region or window: 0 if it is zero-based. */
static uint64_t first_va(const struct iba_mem *m, unsigned access, uint64_t va, bool window)
{
    if ((access & IBA_ACCESS_ZERO_BASED) && !(m->deviate && m->deviate->counts_from_va(m, window)))
        return 0;
    return va;
}

static enum iba_mem_err add_region(struct iba_mem *m, const struct iba_mr_attr *a, uint32_t *lkey, uint32_t *rkey)
{
    const uint64_t va = first_va(m, a->access, a->iova, false);
    struct iba_mkey *k;
    enum iba_mem_err e = region_refused(m, a, va);

    assert(a->pieces || (a->base && (e != IBA_MEM_OK || a->length <= UINTPTR_MAX - (uintptr_t)a->base)));
    if (e == IBA_MEM_OK)
        e = claim(m, IBA_MEM_MR, a->pd, &k);
    if (e != IBA_MEM_OK)
        return e;
    describe(k, a);
    k->va = va;
    k->state = IBA_MEM_VALID;
    *rkey = rkey_of(m, k);
    *lkey = lkey_of(m, k);
    return IBA_MEM_OK;
}

enum iba_mem_err iba_mr_register(struct iba_mem *m, const struct iba_mr_attr *a, uint32_t *lkey, uint32_t *rkey)
{
    struct iba_mr_attr whole = *a;

    if (a->pieces) {
        const enum iba_mem_err e = iba_pieces_refused(m, a->pieces, a->pd);
        if (e != IBA_MEM_OK)
            return e;
        whole.length = iba_pieces_length(a->pieces);
    }
    return add_region(m, &whole, lkey, rkey);
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

/* ---- reregistration ---- */

static struct iba_mr_attr attr_of(const struct iba_mkey *k, unsigned changes, const struct iba_mr_attr *a)
{
    struct iba_mr_attr is = {
        .base = k->base, .length = k->length, .iova = k->va, .pd = k->pd, .access = k->access, .present = k->present};

    if (changes & IBA_MR_RANGE) {
        is.base = a->base;
        is.length = a->length;
        is.iova = a->iova;
        is.present = a->present;
    }
    if (changes & IBA_MR_PD)
        is.pd = a->pd;
    if (changes & IBA_MR_ACCESS)
        is.access = a->access;
    return is;
}

static void move_to_pd(struct iba_mem *m, struct iba_mkey *k, uint32_t pd)
{
    iba_pd_hold(m, pd);
    iba_pd_release(m, k->pd);
    k->pd = pd;
}

/* Why the region cannot get the attributes `is` and the address `va`. IBA_MEM_OK: it can. */
static enum iba_mem_err reregister_refused(const struct iba_mem *m, const struct iba_mkey *k,
                                           const struct iba_mr_attr *is, uint64_t va)
{
    const enum iba_mem_err e = region_refused(m, is, va);

    if (k->windows > 0)
        return IBA_MEM_BUSY;
    return e == IBA_MEM_OK && !pd_exists(m, is->pd) ? IBA_MEM_NO_PD : e;
}

enum iba_mem_err iba_mr_reregister(struct iba_mem *m, uint32_t old_lkey, unsigned changes, const struct iba_mr_attr *a,
                                   uint32_t *lkey, uint32_t *rkey)
{
    struct iba_mkey *k;
    enum iba_mem_err e = find_region(m, old_lkey, &k);

    if (e != IBA_MEM_OK)
        return e;
    if (k->pieces || ((changes & IBA_MR_RANGE) && a->pieces))
        return IBA_MEM_KIND;
    const struct iba_mr_attr is = attr_of(k, m->deviate ? m->deviate->reregisters(m, changes) : changes, a);
    const uint64_t va = first_va(m, is.access, is.iova, false);
    e = reregister_refused(m, k, &is, va);
    assert(is.base && (e != IBA_MEM_OK || is.length <= UINTPTR_MAX - (uintptr_t)is.base));
    if (e != IBA_MEM_OK) {
        if (!IBA_KEEPS(m, mem, REREGISTER_REFUSED))
            k->access = is.access;
        return e;
    }
    move_to_pd(m, k, is.pd);
    describe(k, &is);
    k->va = va;
    k->state = IBA_MEM_VALID;
    give_keys(m, k, IBA_MEM_MR);
    *rkey = rkey_of(m, k);
    *lkey = lkey_of(m, k);
    return IBA_MEM_OK;
}

/* ---- prefetch ---- */

static enum iba_mem_err prefetch_refused(const struct iba_mem *m, const struct iba_mkey *k,
                                         const struct iba_prefetch *p)
{
    if (!(k->access & IBA_ACCESS_ON_DEMAND) || k->pieces)
        return IBA_MEM_KIND;
    if (k->state != IBA_MEM_VALID)
        return IBA_MEM_STATE;
    PREFETCH_REFUSALS(REFUSAL)
    return IBA_MEM_OK;
}

/* The pages of these bytes. Bytes outside of the region, which only a broken device accepts, have none. */
static struct iba_page_span pages_of(const struct iba_mkey *k, uint64_t va, uint64_t length)
{
    const uint64_t at = va - k->va, most = va >= k->va && at < k->length ? k->length - at : 0;
    const uint64_t n = length < most ? length : most, first = at / IBA_MEM_PAGE;

    return n > 0 ? (struct iba_page_span){first, (at + n - 1) / IBA_MEM_PAGE - first + 1} : (struct iba_page_span){0};
}

enum iba_mem_err iba_mr_prefetch(const struct iba_mem *m, const struct iba_prefetch *p, struct iba_page_span *pages)
{
    struct iba_mkey *k;
    enum iba_mem_err e = find_region(m, p->lkey, &k);

    *pages = (struct iba_page_span){0};
    if (e == IBA_MEM_OK)
        e = prefetch_refused(m, k, p);
    if (e == IBA_MEM_OK && !p->no_fault && IBA_KEEPS(m, mem, PREFETCH_PAGES))
        *pages = pages_of(k, p->va, p->length);
    return e;
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

/* Unbinds the window, but keeps its type and key bytes, so that its next key byte differs from the last one. */
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
    if (m->deviate && m->deviate->remembers_qp(m))
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

    WINDOW_REFUSALS(REFUSAL)
    return IBA_MEM_OK;
}

static enum iba_mem_err region_for_window(struct iba_mem *m, const struct iba_bind *b, uint32_t pd,
                                          struct iba_mkey **mr)
{
    const enum iba_mem_err e = find_region(m, b->mr_lkey, mr);

    if (e != IBA_MEM_OK)
        return e;
    REGION_BELOW_REFUSALS(REFUSAL)
    if ((*mr)->pieces)
        return IBA_MEM_KIND;
    return iba_mkey_lacks(*mr, b->va, b->length) ? IBA_MEM_RANGE : IBA_MEM_OK;
}

/* A type 1 window gets a new key with each bind (QS-62), a type 2 window the one its consumer chose (QS-72). */
static void rekey(struct iba_mem *m, struct iba_mkey *mw, uint8_t chosen)
{
    const bool rekeys = !m->deviate || m->deviate->rekeys(m, mw, &chosen);

    if (rekeys && mw->kind == IBA_MEM_MW1)
        new_rkey(m, mw);
    else if (rekeys)
        mw->rkey_byte = chosen;
    mw->lkey_byte = mw->rkey_byte;
}

static void reach_through(const struct iba_mem *m, struct iba_mkey *mw, const struct iba_bind *b, uint32_t qpn,
                          const struct iba_mkey *mr)
{
    mw->base = mr->base + (b->va - mr->va);
    mw->va = first_va(m, b->access, b->va, true);
    mw->length = b->length;
    mw->qpn = mw->kind == IBA_MEM_MW1 ? 0 : qpn;
    mw->parent = (uint32_t)(mr - m->key);
    mw->access = b->access;
    mw->present = mr->present;
    mw->state = IBA_MEM_VALID;
    if (m->deviate)
        m->deviate->bound(m, mw, mr);
}

enum iba_mem_err iba_mw_bind(struct iba_mem *m, const struct iba_bind *asked, uint32_t pd, uint32_t qpn, uint32_t *rkey)
{
    const struct iba_bind b = m->deviate ? m->deviate->asked(m, asked) : *asked;
    struct iba_mkey *mw, *mr = NULL;
    enum iba_mem_err e = find_window(m, b.mw_rkey, &mw);

    assert(qpn < QPNS);
    if (e == IBA_MEM_OK)
        e = window_refused(m, mw, &b, pd);
    if (e == IBA_MEM_OK && b.length > 0)
        e = region_for_window(m, &b, pd, &mr);
    if (e != IBA_MEM_OK)
        return e;
    if (mr || !m->deviate || m->deviate->unbinds(m)) {
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
    REGION_INVALIDATION_REFUSALS(REFUSAL)
    return IBA_MEM_OK;
}

static enum iba_mem_err window_not_invalidated(const struct iba_mem *m, const struct iba_mkey *k, uint32_t pd,
                                               uint32_t qpn)
{
    const bool type1 = k->kind == IBA_MEM_MW1;

    WINDOW_INVALIDATION_REFUSALS(REFUSAL)
    return IBA_MEM_OK;
}

/* Returns whether `byte` is the byte of a key of `k`. Remote requests may use R_Keys only. */
static bool is_key_of(const struct iba_mem *m, const struct iba_mkey *k, uint8_t byte, bool remote)
{
    if (byte == k->rkey_byte || (byte == k->lkey_byte && !remote))
        return true;
    return m->deviate && m->deviate->takes_key(m, byte == k->lkey_byte);
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
    if (m->deviate && m->deviate->stays_valid(m, k))
        return IBA_MEM_OK;
    if (k->kind == IBA_MEM_MR)
        k->state = IBA_MEM_INVALID;
    else
        unbind(m, k);
    return IBA_MEM_OK;
}
