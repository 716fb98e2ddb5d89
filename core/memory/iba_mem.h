/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory protection: protection domains, regions, windows, keys (section 10.6; QS-53..QS-74).
 *
 * The caller owns every byte: the arrays of this table and the memory that regions describe. A key is 24 bits of index
 * and an 8-bit key byte. Regions are contiguous in the host, or consist of pieces of other regions (UMR). A region
 * for ODP has a bitmap of the pages that are present.
 *
 * Keys, addresses and lengths may come from the wire: every value has a defined result. A call that fails changes
 * nothing. Mistakes of the caller are asserts: a region without host memory, an unbalanced hold, a QP number beyond 24
 * bits at bind. */
#ifndef IBA_MEM_H
#define IBA_MEM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rights of a region, a window, or a QP; the other bits say how a region or window behaves. */
enum iba_access {
    IBA_ACCESS_LOCAL_WRITE = 1 << 0,
    IBA_ACCESS_REMOTE_WRITE = 1 << 1,
    IBA_ACCESS_REMOTE_READ = 1 << 2,
    IBA_ACCESS_REMOTE_ATOMIC = 1 << 3,
    IBA_ACCESS_MW_BIND = 1 << 4,
    IBA_ACCESS_ZERO_BASED = 1 << 5,
    IBA_ACCESS_FLUSH_GLOBAL = 1 << 6,     /* A19: flush to global visibility */
    IBA_ACCESS_FLUSH_PERSISTENT = 1 << 7, /* A19: flush to persistence */
    IBA_ACCESS_ON_DEMAND = 1 << 8,        /* pages may be absent */
    IBA_ACCESS_INVALIDATE = 1 << 9,       /* the region can be invalidated, as after fast registration (QS-58, QS-61) */

    IBA_ACCESS_REMOTE = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC |
                        IBA_ACCESS_FLUSH_GLOBAL | IBA_ACCESS_FLUSH_PERSISTENT,
    IBA_ACCESS_OF_REGION = (1 << 10) - 1, /* bits that a region accepts */
    IBA_ACCESS_OF_WINDOW =
        IBA_ACCESS_REMOTE |
        IBA_ACCESS_ZERO_BASED /* bits that a window accepts; a window of type 1 cannot be zero-based */
};

enum { IBA_MEM_PAGE = 4096 }; /* granularity of the presence bitmap, bytes */

enum iba_mem_kind { IBA_MEM_FREE, IBA_MEM_MR, IBA_MEM_MW1, IBA_MEM_MW2A, IBA_MEM_MW2B };
/* Invalid corresponds to the architecture's Free state of a type 2 window or a fast registration: it may be bound
 * again, but gives no access. A window that is not bound is invalid. */
enum iba_mem_state { IBA_MEM_INVALID, IBA_MEM_VALID };

static inline uint32_t iba_key_index(uint32_t key) /* the key's upper 24 bits select the entry of the table */
{
    return key >> 8;
}
static inline uint8_t iba_key_byte(uint32_t key) /* the consumer chooses the key's low 8 bits (QS-72) */
{
    return (uint8_t)key;
}
static inline uint32_t iba_key_of(uint32_t index, uint8_t byte) /* index < 2^24 */
{
    return index << 8 | byte;
}

/* One entry of the key table. Treat the fields as private; see the functions. */
struct iba_mkey {
    uint8_t *base;          /* host address of the first byte of the region or window */
    uint64_t va, length;    /* address of the first byte in requests, and the number of bytes */
    uint32_t pd, qpn;       /* qpn: the QP that bound a type 2 window */
    uint32_t parent;        /* of a window: index of the region that it is bound to */
    uint32_t windows;       /* of a region: the number of windows bound to it */
    uint16_t access;        /* enum iba_access */
    uint8_t kind, state;    /* enum iba_mem_kind, iba_mem_state */
    uint8_t lkey_byte;      /* differs from rkey_byte in a region; equals it in a window, which has no L_Key */
    uint8_t rkey_byte;      /* both bytes stay when the entry is freed, so that the next owner gets other bytes */
    const uint8_t *present; /* of a region: bitmap of pages, which the caller owns and changes; NULL: all are present */
    const struct iba_pieces *pieces; /* of a region of pieces, whose `base` is NULL; otherwise NULL */
};

/* A region of pieces (UMR; VN-11: packets do not show the pieces). Its bytes are `repeat` rounds; each round takes one
 * block of each piece, in order. With one round the region is a list of ranges. With one piece it is a series of blocks
 * at a stride. With several rounds and pieces it interleaves the blocks of several such series. (Public interfaces with
 * this shape: mlx5dv_wr_mr_list(3), mlx5dv_wr_mr_interleaved(3).)
 */
struct iba_piece {
    uint64_t addr;   /* of the first block, in the address space of `lkey` */
    uint64_t stride; /* bytes from the start of a block to the start of the next; may be less than `length` */
    uint32_t lkey;   /* of the region below, which may consist of pieces as well */
    uint32_t length; /* bytes of a block */
};
struct iba_pieces {
    const struct iba_piece *piece;
    uint32_t n;
    uint64_t repeat; /* number of rounds */
};
enum { IBA_MEM_DEPTH = 4 }; /* most levels of regions of pieces, one on top of the other */

struct iba_mem {
    struct iba_mkey *key; /* caller's array; entry 0 is never used, so that no key is 0 */
    uint32_t n_key;       /* at most 2^24, the range of an index */
    uint32_t *pd;         /* caller's array: number of users of each protection domain; UINT32_MAX: it does not exist */
    uint32_t n_pd;
    uint64_t (*random)(void *ctx); /* entropy for indices and key bytes; never NULL */
    void *random_ctx;
    uint32_t hits[16]; /* how often each translation rule decided, in table order */
    /* Bit i: rule i is skipped, as in a broken device. Rules that protect host memory are evaluated in any case. */
    uint16_t left_out;
    const struct iba_change *change; /* that iba_ca_change() has set for the adapter; NULL: none */
    const struct iba_mem_deviations
        *deviate; /* functions of a broken device (deviations_memory.h); NULL if `change` is */
};

enum iba_mem_err { /* results of the calls that change the table; 0 is success */
#define IBA_MEM_ERRS(E)                                                                                                \
    E(MEM_OK, "ok")                                                                                                    \
    E(MEM_FULL, "no free entry")                                                                                       \
    E(MEM_NO_PD, "no such protection domain")                                                                          \
    E(MEM_PD_BUSY, "the protection domain is in use")                                                                  \
    E(MEM_NO_KEY, "no such key")                                                                                       \
    E(MEM_RIGHTS, "remote write or atomic needs local write, flush the region's own flush (QS-53, QS-67)")             \
    E(MEM_RANGE, "range outside the region, or beyond 2^64")                                                           \
    E(MEM_BUSY, "windows are bound to the region (QS-74)")                                                             \
    E(MEM_STATE, "not in the state the call needs: bound, or invalidated (QS-58, QS-63)")                              \
    E(MEM_KIND, "not that kind of key")                                                                                \
    E(MEM_BIND_RIGHT, "the region does not allow binding (QS-66)")                                                     \
    E(MEM_ZERO, "zero length (QS-65)")                                                                                 \
    E(MEM_ACCESS, "an access bit that this kind of key does not take (QS-62)")                                         \
    E(MEM_OWNER, "belongs to another protection domain or queue pair (QS-61, QS-64)")                                  \
    E(MEM_SAME_BYTE, "the new key byte is the current one (QS-72)")                                                    \
    E(MEM_TOO_DEEP, "regions of pieces are more than four levels deep")
#define IBA_MEM_ERR_ID(name, text) IBA_##name,
                   IBA_MEM_ERRS(IBA_MEM_ERR_ID) IBA_MEM_ERR_COUNT
};
const char *iba_mem_strerror(enum iba_mem_err e); /* the text above; never NULL */

/* ---- set-up; arrays are the caller's and are cleared ---- */
void iba_mem_init(struct iba_mem *m, struct iba_mkey *key, uint32_t n_key, uint32_t *pd, uint32_t n_pd,
                  uint64_t (*random)(void *), void *ctx);
enum iba_mem_err iba_pd_create(struct iba_mem *m, uint32_t *pd); /* MEM_FULL */
enum iba_mem_err iba_pd_destroy(struct iba_mem *m, uint32_t pd); /* MEM_NO_PD; MEM_PD_BUSY: it has users */
/* QPs, SRQs and address handles call this to hold their domain. The calls for regions and windows hold it themselves.
 */
void iba_pd_hold(struct iba_mem *m, uint32_t pd);
void iba_pd_release(struct iba_mem *m, uint32_t pd); /* after iba_pd_hold() */

struct iba_mr_attr {
    uint8_t *base;
    uint64_t length, iova; /* iova: address of the first byte in requests; ignored with ZERO_BASED */
    uint32_t pd;
    uint16_t access;
    /* With ON_DEMAND: page i, counted from the first byte of the region, is present when bit i % 8 (1 << i % 8) of byte
     * i / 8 is set. The caller owns the bitmap and may change it at any time. NULL, or without ON_DEMAND: all pages are
     * present. */
    const uint8_t *present;
    /* Not NULL: the region consists of these pieces, and `base`, `length` and `present` are ignored. The caller keeps
     * struct iba_pieces and its pieces unchanged until the region is deregistered. If a region below is deregistered
     * before, accesses to its pieces are refused. */
    const struct iba_pieces *pieces;
};
/* Errors: ACCESS, RIGHTS, ZERO, RANGE, NO_PD, FULL; of a region of pieces also NO_KEY, KIND, OWNER, TOO_DEEP. A region
 * without remote rights gets an R_Key, too, which gives no access. */
enum iba_mem_err iba_mr_register(struct iba_mem *m, const struct iba_mr_attr *a, uint32_t *lkey, uint32_t *rkey);
/* Errors: NO_KEY, KIND, BUSY. BUSY: windows are bound to the region, and must be unbound first (QS-74). */
enum iba_mem_err iba_mr_deregister(struct iba_mem *m, uint32_t lkey);

/* The attributes that iba_mr_reregister() changes; the range is base, length, iova and present. */
enum iba_mr_changes { IBA_MR_RANGE = 1 << 0, IBA_MR_PD = 1 << 1, IBA_MR_ACCESS = 1 << 2 };
/* Registers a region again with the attributes of `a` that `changes` names; it keeps the others (ibv_rereg_mr(3)). To
 * its users this is a deregistration and a registration: they need the new keys, and an invalidated region is valid
 * again. Errors: those of both calls, except FULL; also KIND if the region consists of pieces. */
enum iba_mem_err iba_mr_reregister(struct iba_mem *m, uint32_t old_lkey, unsigned changes, const struct iba_mr_attr *a,
                                   uint32_t *lkey, uint32_t *rkey);

/* Software's advice that it will soon access these bytes of an on-demand region (ibv_advise_mr(3)). */
struct iba_prefetch {
    uint64_t va, length; /* va: address in the region */
    uint32_t lkey, pd;
    bool write;    /* the pages are to be writable */
    bool no_fault; /* only pages that the host has in its memory; here the host lacks each page that is absent */
};
struct iba_page_span {
    uint64_t first, n; /* pages, counted from the first byte of the region */
};
/* Returns in *pages which pages the caller, who owns the bitmap, makes present. The calls that access memory do not do
 * this by themselves. Errors: NO_KEY; KIND: not on demand, or of pieces; STATE, OWNER, RANGE; RIGHTS: `write` without
 * local write. */
enum iba_mem_err iba_mr_prefetch(const struct iba_mem *m, const struct iba_prefetch *p, struct iba_page_span *pages);
/* Errors: KIND, NO_PD, FULL. The R_Key identifies the window in bind and free; it gives no access before a bind. */
enum iba_mem_err iba_mw_alloc(struct iba_mem *m, enum iba_mem_kind kind, uint32_t pd, uint32_t *rkey);
/* Errors: NO_KEY, KIND. Unbinds the window first if necessary. */
enum iba_mem_err iba_mw_free(struct iba_mem *m, uint32_t rkey);

struct iba_bind {
    uint32_t mw_rkey;    /* the window's key before the bind */
    uint32_t mr_lkey;    /* ignored when a type 1 window is unbound */
    uint64_t va, length; /* va: address in the region; length 0 unbinds type 1 (QS-62), is an error for type 2 */
    uint16_t access;     /* remote rights, and ZERO_BASED for type 2 */
    uint8_t key_byte;    /* type 2: the new key byte (QS-72); type 1: ignored, a random one is taken */
};
/* QP `qpn` (24 bits) of protection domain `pd` binds a window. *rkey becomes its new key. Errors about the window:
 * NO_KEY, KIND, OWNER; for type 2 SAME_BYTE, STATE, ZERO; ACCESS; about the region: NO_KEY, KIND, STATE, OWNER,
 * BIND_RIGHT; RIGHTS, RANGE. */
enum iba_mem_err iba_mw_bind(struct iba_mem *m, const struct iba_bind *b, uint32_t pd, uint32_t qpn, uint32_t *rkey);
/* Does a Local Invalidate, or a Remote Invalidate by a QP (QS-59, QS-61, QS-70), of a region with IBA_ACCESS_INVALIDATE
 * or of a type 2 window. A remote one accepts R_Keys only, and a region's only if it has a remote right; a local one
 * accepts a region's L_Key too. Errors: NO_KEY, KIND, STATE (already invalid), OWNER, BUSY. */
enum iba_mem_err iba_mem_invalidate(struct iba_mem *m, uint32_t key, uint32_t pd, uint32_t qpn, bool remote);
/* Call this when a QP is destroyed. It invalidates the type 2 windows that the QP bound; otherwise the next QP of the
 * same number could use them. */
void iba_mw_forget_qp(struct iba_mem *m, uint32_t qpn);
/* Returns whether a type 2 window is bound that QP `qpn` bound. */
bool iba_mw_of_qp(const struct iba_mem *m, uint32_t qpn);

/* ---- translation: nine checks that may refuse, then the address; each is a row of a rule table (iba_mem_translate.c)
 * ---- */
struct iba_reach {
    uint64_t va,
        length; /* 0 is checked as any other: the caller decides whether to check the key of no bytes (C9-88, RR-40) */
    uint32_t key;
    uint32_t pd;   /* domain of the QP; for XRC of the SRQ (QS-46) */
    uint32_t qpn;  /* UINT32_MAX: the QP is an XRC target, which cannot use type 2 windows (QS-48) */
    uint16_t need; /* enum iba_access: rights that the access needs; 0: local read */
    bool remote;   /* `key` is an R_Key */
    bool whole;    /* FLUSH of the whole region (RR-66): va and length are ignored */
};
enum iba_mem_verdict {
    IBA_REACH_OK,
    IBA_REACH_NO_KEY,   /* the index is too large, its entry is free, or the key was invalidated */
    IBA_REACH_KEY_BYTE, /* the key byte differs */
    IBA_REACH_PD,       /* other protection domain, or a window of another QP (QS-69) */
    IBA_REACH_RANGE,    /* a byte is outside of the region, or beyond 2^64 */
    IBA_REACH_RIGHT,    /* a right is missing */
    IBA_REACH_ABSENT,   /* a page is absent: the caller tries again later */
};
/* Where the bytes of a granted access are. The bytes of a region of pieces lie in several places, so iba_mem_put() and
 * iba_mem_get() move them. */
struct iba_place {
    const struct iba_mem *mem;
    const struct iba_mkey *key; /* NULL: the access was refused */
    uint64_t at;                /* offset of the first byte in the region or window */
};
/* On OK *place is that of the first byte, and the next `length` bytes belong to the region until the table changes.
 * Otherwise place->key is NULL. In a region of pieces only the pieces of the first IBA_MEM_PAGE bytes are checked. A
 * packet moves no more bytes, so the caller calls this for each packet. */
enum iba_mem_verdict iba_mem_reach(struct iba_mem *m, const struct iba_reach *r, struct iba_place *place);
/* Moves n bytes, at most IBA_MEM_PAGE, that iba_mem_reach() has granted, into or out of the region. */
void iba_mem_put(const struct iba_place *place, const uint8_t *from, size_t n);
void iba_mem_get(const struct iba_place *place, uint8_t *to, size_t n); /* as iba_mem_put(), out of the region */

/* A row of the translation rules, for printing. Its sentence continues "the access ...". */
struct iba_mem_rule_info {
    const char *name, *sentence, *clause;
    enum iba_mem_verdict verdict;
    bool guard; /* protects host memory: cannot be left out */
};
extern const struct iba_mem_rule_info iba_mem_rules[];
extern const size_t iba_mem_rule_count;

/* Checks every invariant of the table (iba_mem_check.c). Returns the sentence of the first one that does not hold;
 * NULL: all hold. */
const char *iba_mem_broken(const struct iba_mem *m);
/* Asserts that every invariant of the table holds. */
void iba_mem_check(const struct iba_mem *m);

#ifdef __cplusplus
}
#endif

#endif
