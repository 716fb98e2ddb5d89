/* SPDX-License-Identifier: BSD-2-Clause */
/* Two lists of the behaviour that the architecture requires of memory: that of the verbs, and the translation of an
 * access (iba_mem_translate.c). A sentence continues "a device ..."; after "broken:" it says what a device does whose
 * row is changed. Not for users of libiba. */
#ifndef IBA_ROW_mem_H
#define IBA_ROW_mem_H
#include "iba_mem.h"
#include "wire/iba_change.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/*    name                     kinds  a device ...                                                                       clause */
#define IBA_MEM_BEHAVIOURS(B)                                                                                                     \
    B(KEEPS_BUSY_PD,           DROP,  "does not destroy a protection domain that is in use",                             "QS-54") \
    B(REGION_ACCESS_BITS,      DROP,  "refuses a region with an unknown right",                                          "QS-53") \
    B(REGION_LOCAL_WRITE,      DROP,  "refuses remote write or atomic on a region without local write",                  "QS-53") \
    B(REGION_WRAPS,            DROP,  "refuses a region that ends beyond 2^64",                                          "QS-54") \
    B(REGION_ZERO_BASED,       DROP,  "starts the addresses of a zero-based region at 0",                                "QS-56") \
    B(REGION_TWO_KEYS,         DROP,  "gives a region an L_Key that is not its R_Key",                                   "QS-54, QS-55") \
    B(REREGISTER_RANGE,        DROP,  "gives a region that is registered again its new range",                           "QS-54") \
    B(REREGISTER_PD,           DROP,  "moves a region that is registered again to its new protection domain",            "QS-54, QS-55") \
    B(REREGISTER_ACCESS,       DROP,  "gives a region that is registered again its new rights, and no others",           "QS-54, QS-55") \
    B(REREGISTER_REFUSED,      DROP,  "grants no right of a reregistration that it refuses",                             "QS-53") \
    B(PREFETCH_PD,             DROP,  "prefetches no region of another protection domain",                               "QS-55") \
    B(PREFETCH_RANGE,          DROP,  "refuses to prefetch bytes outside of the region",                                 "QS-55") \
    B(PREFETCH_WRITE,          DROP,  "prefetches for writing only a region with local write",                           "QS-55") \
    B(PREFETCH_PAGES,          DROP,  "has the pages of a prefetch present when it is done",                             "RR-50") \
    B(FRESH_KEY,               DROP,  "gives the next owner of a key's index another key byte",                          "QS-57") \
    B(BIND_PD,                 DROP,  "binds no window of another protection domain than the QP's",                      "QS-64") \
    B(BIND_NEW_BYTE,           DROP,  "binds a type 2 window only with a key byte that is new",                          "QS-72") \
    B(BIND_FROM_FREE,          DROP,  "binds a type 2 window only when it is not bound",                                 "QS-63") \
    B(BIND_SOME_BYTES,         DROP,  "refuses to bind a type 2 window with length 0",                                   "QS-65") \
    B(BIND_ACCESS_BITS,        DROP,  "refuses to bind with a right that windows do not have, or type 1 zero-based",     "QS-62") \
    B(BIND_REGION_VALID,       DROP,  "binds no window to an invalidated region",                                        "QS-59") \
    B(BIND_REGION_PD,          DROP,  "binds no window to a region of another protection domain",                        "QS-64") \
    B(BIND_RIGHT,              DROP,  "binds only to a region with the right to bind",                                   "QS-66") \
    B(BIND_LOCAL_WRITE,        DROP,  "binds remote write or atomic only to a region with local write",                  "QS-67") \
    B(BIND_FLUSH,              DROP,  "binds a FLUSH right only to a region that has it",                                "RR-66") \
    B(BIND_RANGE,              OTHER, "refuses a window that is not inside its region; broken: binds the part that is",  "QS-68") \
    B(BIND_KEY_TYPE1,          DROP,  "gives a type 1 window another key at each bind",                                  "QS-62") \
    B(BIND_KEY_TYPE2,          DROP|OTHER, "gives a type 2 window the key byte its consumer chose; broken: the next one", "QS-72") \
    B(BIND_ZERO_BASED,         DROP,  "starts the addresses of a zero-based window at 0",                                "QS-56") \
    B(BIND_NOTHING_UNBINDS,    DROP,  "unbinds a type 1 window with a bind of length 0",                                 "QS-62") \
    B(WINDOW_RIGHTS,           DROP,  "grants through a window only the rights of its bind",                             "QS-71") \
    B(WINDOW_BOUNDS,           DROP,  "gives access through a window only to the bound range",                           "QS-71") \
    B(WINDOW_OF_DEAD_QP,       DROP,  "unbinds the type 2 windows of a QP that is destroyed",                            "QS-69") \
    B(INVALIDATE_KEY_BYTE,     DROP,  "invalidates only by the key byte in force",                                       "QS-54, QS-61") \
    B(INVALIDATE_BY_RKEY,      DROP,  "invalidates remotely by an R_Key only",                                           "QS-61") \
    B(INVALIDATE_FAST_ONLY,    DROP,  "invalidates only regions that were fast-registered",                              "QS-61") \
    B(INVALIDATE_REMOTE_RIGHT, DROP,  "invalidates remotely only regions with a remote right",                           "QS-61") \
    B(INVALIDATE_VALID,        DROP,  "refuses to invalidate an invalid key",                                            "QS-58") \
    B(INVALIDATE_PD,           DROP,  "invalidates no region of another protection domain",                              "QS-61") \
    B(INVALIDATE_WINDOWLESS,   DROP,  "does not invalidate a region with windows on it",                                 "QS-74") \
    B(INVALIDATE_TYPE1,        DROP,  "does not invalidate type 1 windows",                                              "QS-70") \
    B(INVALIDATE_WINDOW_QP,    DROP,  "invalidates a type 2 window only by the QP that bound it",                        "QS-61, QS-69") \
    B(INVALIDATE_WINDOW_PD,    DROP,  "invalidates a type 2B window only in its own protection domain",                  "QS-69") \
    B(INVALID_REGION,          DROP,  "gives no access by the key of an invalidated region",                             "QS-57, QS-59") \
    B(INVALID_WINDOW,          DROP,  "gives no access by the key of an invalidated window",                             "QS-57, QS-59")
/* clang-format on */
enum iba_mem_row {
#define IBA_MEM_ROW(name, ...) IBA_ROW_mem_##name,
    IBA_MEM_BEHAVIOURS(IBA_MEM_ROW) IBA_ROW_mem_COUNT
};
extern const struct iba_behaviours iba_mem_behaviours;
/* The translation rules, in their order. Rows that protect host memory can be neither left out nor moved. */
extern const struct iba_behaviours iba_reach_behaviours;
#define IBA_MEM_LISTS(L) L(iba_mem_behaviours) L(iba_reach_behaviours)

/* The points at which broken memory deviates: P(returns, name, arguments). */
/* clang-format off */
#define IBA_MEM_POINTS(P)                                                                                              \
    /* A region or window gets its key bytes. */                                                                       \
    P(void, new_keys, (struct iba_mem *m, struct iba_mkey *k, enum iba_mem_kind kind))                                 \
    /* A region or window is zero-based. True: this device counts from its address instead. */                         \
    P(bool, counts_from_va, (const struct iba_mem *m, bool window))                                                    \
    /* A verb registers a region again. Returns the changes that this device makes (enum iba_mr_changes). */            \
    P(unsigned, reregisters, (const struct iba_mem *m, unsigned changes))                                              \
    /* A QP was destroyed. True: its windows stay bound. */                                                            \
    P(bool, remembers_qp, (const struct iba_mem *m))                                                                   \
    /* A verb asks for a bind. Returns the bind that this device does. */                                              \
    P(struct iba_bind, asked, (const struct iba_mem *m, const struct iba_bind *b))                                     \
    /* A bind has length 0. False: the window stays bound. */                                                          \
    P(bool, unbinds, (const struct iba_mem *m))                                                                        \
    /* A bind gives a window a new key byte; `chosen` is that of type 2. False: the window keeps its byte. */          \
    P(bool, rekeys, (const struct iba_mem *m, const struct iba_mkey *mw, uint8_t *chosen))                             \
    /* A window was bound to the region. */                                                                            \
    P(void, bound, (const struct iba_mem *m, struct iba_mkey *mw, const struct iba_mkey *mr))                          \
    /* The key byte is wrong, or (`lkey`) a remote request names an L_Key. True: this device accepts it. */            \
    P(bool, takes_key, (const struct iba_mem *m, bool lkey))                                                           \
    /* A verb invalidates a region or window. True: it stays valid. */                                                 \
    P(bool, stays_valid, (const struct iba_mem *m, const struct iba_mkey *k))
/* clang-format on */
struct iba_mem_deviations {
#define IBA_MEM_POINT(returns, name, arguments) returns(*name) arguments;
    IBA_MEM_POINTS(IBA_MEM_POINT)
};
/* Makes `m` the memory of a broken device with the change `c`; NULL: of an unbroken one again. */
void iba_mem_change(struct iba_mem *m, const struct iba_change *c);

#ifdef __cplusplus
}
#endif

#endif
