/* Memory as the architecture protects it: protection domains, regions, windows, keys (section 10.6; QS-53..QS-74).
 *
 * The caller owns every byte: the arrays of this table and the memory that regions describe. A key is 24 bits of index
 * and an 8-bit key byte. Regions are contiguous in the host; ODP is a bitmap of pages that may be absent. */
#ifndef IBA_MEM_H
#define IBA_MEM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iba_access { /* rights of a region, a window, or a QP */
                  IBA_ACCESS_LOCAL_WRITE = 1 << 0,
                  IBA_ACCESS_REMOTE_WRITE = 1 << 1,
                  IBA_ACCESS_REMOTE_READ = 1 << 2,
                  IBA_ACCESS_REMOTE_ATOMIC = 1 << 3,
                  IBA_ACCESS_MW_BIND = 1 << 4,
                  IBA_ACCESS_ZERO_BASED = 1 << 5,
                  IBA_ACCESS_FLUSH_GLOBAL = 1 << 6,     /* A19: flush to global visibility */
                  IBA_ACCESS_FLUSH_PERSISTENT = 1 << 7, /* A19: flush to persistence */
                  IBA_ACCESS_ON_DEMAND = 1 << 8,        /* pages may be absent */
};

enum { IBA_MEM_PAGE = 4096 }; /* grain of the presence bitmap, bytes */

enum iba_mem_kind { IBA_MEM_FREE, IBA_MEM_MR, IBA_MEM_MW1, IBA_MEM_MW2A, IBA_MEM_MW2B };
enum iba_mem_state { IBA_MEM_INVALID, IBA_MEM_VALID };

/* One entry of the key table. Treat the fields as private; see the functions. */
struct iba_mkey {
    uint8_t *base;       /* host address of the first byte; of the region below, for a window */
    uint64_t va, length; /* what remote and local addresses count from, and bytes */
    uint32_t pd, qpn;    /* qpn: of a bound type 2 window */
    uint32_t parent;     /* index of the region a window is bound to */
    uint32_t windows;    /* bound to this region */
    uint16_t access;     /* enum iba_access */
    uint8_t kind, state; /* enum iba_mem_kind, iba_mem_state */
    uint8_t lkey_byte, rkey_byte;
    const uint8_t *present; /* one bit a page, NULL: all present; owned and changed by the caller */
};

struct iba_mem {
    struct iba_mkey *key; /* caller's array; entry 0 is never used, so that no key is 0 */
    uint32_t n_key;
    uint32_t *pd; /* caller's array: users of each protection domain, UINT32_MAX when it is free */
    uint32_t n_pd;
    uint64_t (*random)(void *ctx); /* entropy for indices and key bytes; never NULL */
    void *random_ctx;
    uint32_t hits[16]; /* of the translation rules, in table order */
};

enum iba_mem_err { /* of the calls that change the table; 0 is success */
#define IBA_MEM_ERRS(E)                                                                                                \
    E(MEM_OK, "ok")                                                                                                    \
    E(MEM_FULL, "no free entry")                                                                                       \
    E(MEM_NO_PD, "no such protection domain")                                                                          \
    E(MEM_PD_BUSY, "the protection domain is in use")                                                                  \
    E(MEM_NO_KEY, "no such key")                                                                                       \
    E(MEM_RIGHTS, "remote write or atomic needs local write (QS-53)")                                                  \
    E(MEM_RANGE, "range outside the region, or beyond 2^64")                                                           \
    E(MEM_BUSY, "windows are bound to the region (QS-74)")                                                             \
    E(MEM_STATE, "the window is not free to be bound (QS-63)")                                                         \
    E(MEM_KIND, "not that kind of key")                                                                                \
    E(MEM_BIND_RIGHT, "the region does not allow binding (QS-66)")                                                     \
    E(MEM_ZERO, "zero length (QS-65)")
#define IBA_MEM_ERR_ID(name, text) IBA_##name,
                   IBA_MEM_ERRS(IBA_MEM_ERR_ID)
};
const char *iba_mem_strerror(enum iba_mem_err e);

/* ---- set-up; arrays are the caller's and are cleared ---- */
void iba_mem_init(struct iba_mem *m, struct iba_mkey *key, uint32_t n_key, uint32_t *pd, uint32_t n_pd,
                  uint64_t (*random)(void *), void *ctx);
enum iba_mem_err iba_pd_create(struct iba_mem *m, uint32_t *pd);
enum iba_mem_err iba_pd_destroy(struct iba_mem *m, uint32_t pd);
/* QPs, SRQs and address handles hold their domain. */
void iba_pd_hold(struct iba_mem *m, uint32_t pd);
void iba_pd_release(struct iba_mem *m, uint32_t pd);

struct iba_mr_attr {
    uint8_t *base;
    uint64_t length, iova; /* iova: address of the first byte as others name it; ignored with ZERO_BASED */
    uint32_t pd;
    uint16_t access;
    const uint8_t *present; /* with ON_DEMAND: one bit a page of IBA_MEM_PAGE bytes, caller's, may change any time */
};
enum iba_mem_err iba_mr_register(struct iba_mem *m, const struct iba_mr_attr *a, uint32_t *lkey, uint32_t *rkey);
enum iba_mem_err iba_mr_deregister(struct iba_mem *m, uint32_t lkey);
enum iba_mem_err iba_mw_alloc(struct iba_mem *m, enum iba_mem_kind kind, uint32_t pd, uint32_t *rkey);
enum iba_mem_err iba_mw_free(struct iba_mem *m, uint32_t rkey);

struct iba_bind {
    uint32_t mw_rkey, mr_lkey;
    uint64_t va, length; /* va counted as the region counts */
    uint16_t access;     /* remote rights, and ZERO_BASED for type 2 */
    uint8_t key_byte;    /* type 2: the new key byte (QS-72); type 1: ignored, a random one is taken */
};
/* By a QP of protection domain `pd`. *rkey: the key now in force. */
enum iba_mem_err iba_mw_bind(struct iba_mem *m, const struct iba_bind *b, uint32_t pd, uint32_t qpn, uint32_t *rkey);
/* Local Invalidate, or Remote Invalidate by a QP (QS-59, QS-61, QS-70). */
enum iba_mem_err iba_mem_invalidate(struct iba_mem *m, uint32_t key, uint32_t pd, uint32_t qpn, bool remote);

/* ---- translation: the eight steps, each a row of a rule table (iba_mem.c) ---- */
struct iba_reach {
    uint64_t va, length; /* length 0 is not checked here: see C9-88 (RR-40) */
    uint32_t key, pd, qpn;
    uint16_t need; /* enum iba_access; 0: local read */
    bool remote;   /* key is an R_Key */
};
enum iba_mem_verdict {
    IBA_REACH_OK,
    IBA_REACH_NO_KEY,   /* no such index, free, or invalidated */
    IBA_REACH_KEY_BYTE, /* the key byte differs */
    IBA_REACH_PD,       /* other protection domain, or a window of another QP (QS-69) */
    IBA_REACH_RANGE,    /* outside, or beyond 2^64 */
    IBA_REACH_RIGHT,    /* a right is missing */
    IBA_REACH_ABSENT,   /* a page is not there yet: try again later */
};
/* On OK *host is the address of the first byte; the `length` bytes behind it are the region's. */
enum iba_mem_verdict iba_mem_reach(struct iba_mem *m, const struct iba_reach *r, uint8_t **host);

/* For printing the rule table. */
struct iba_mem_rule_info {
    const char *name, *sentence, *clause;
    enum iba_mem_verdict verdict;
};
extern const struct iba_mem_rule_info iba_mem_rules[];
extern const size_t iba_mem_rule_count;

/* States every invariant of the table in one place; asserts. */
void iba_mem_check(const struct iba_mem *m);
#endif
