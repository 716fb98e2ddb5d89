/* SPDX-License-Identifier: BSD-2-Clause */
/* Field-aware mutators for fuzzers: one change per call, in the caller's buffer. */
#ifndef IBA_MUTATE_H
#define IBA_MUTATE_H
#include "sim/iba_random.h"
#include "wire/iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum iba_mutation_kind {
    IBA_MUTATION_FIELD, /* a field of a header has another value */
    IBA_MUTATION_BYTE,  /* a byte has another value */
    IBA_MUTATION_CUT,   /* bytes at the end are removed; at least one byte stays */
    IBA_MUTATION_GROWN, /* random bytes are appended */
    IBA_MUTATION_COUNT
};
struct iba_mutation { /* a record of the change, for logs and tests */
    uint8_t kind;     /* enum iba_mutation_kind */
    uint8_t hdr;      /* FIELD: enum iba_hdr */
    bool repaired;    /* the CRCs and IPv4 checksums that the changed packet has were repaired */
    uint32_t at; /* offset of the header (FIELD), of the changed byte (BYTE), or of the first byte that was removed or
                    added */
    const struct iba_field *field; /* the changed field (FIELD); otherwise NULL */
};

/* Gives one field of one header of the packet another value that is likely to expose faults: 0, 1, the maximum, the
 * middle, a neighbour of one of these or of the old value, a value with one bit inverted, a value that has a name, or a
 * random one. Every header is equally likely, and every row of a header. A row whose condition does not hold counts
 * too, since the header has its bits. `wire` is v->wire, but writable; the view must have a layer. */
void iba_mutate_field(const struct iba_view *v, uint8_t *wire, struct iba_random *r, struct iba_mutation *what);

/* Applies one mutation of any kind to the `len` bytes (at least 1) at `wire`; field changes are the most likely. Then,
 * with probability repair / 1000000, the CRCs that the changed packet has are repaired (iba_view_repair_crc); its
 * length fields stay as they are. Returns the new length, 1..cap; `what` may be NULL. */
size_t iba_mutate(struct iba_random *r, enum iba_link link, uint8_t *wire, size_t len, size_t cap, uint32_t repair,
                  struct iba_mutation *what);

#ifdef __cplusplus
}
#endif

#endif
