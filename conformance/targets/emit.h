/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that send one field wrong: it is changed in every packet that has the field, or in every such packet of
 * one class. Then checksums and CRCs are repaired, so that nothing else is wrong. */
#ifndef IBC_EMIT_H
#define IBC_EMIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/iba_view.h"

/* clang-format off */
/* Classes of packets, from the receiver's point of view. */
#define EMIT_CLASSES(C)                                                                                                \
    C(any,              "packets")                                                                                     \
    C(request_first,    "first packets of SENDs and WRITEs")                                                           \
    C(request_middle,   "middle packets of SENDs and WRITEs")                                                          \
    C(request_last,     "last packets of SENDs and WRITEs")                                                            \
    C(request_only,     "SENDs and WRITEs of one packet")                                                              \
    C(read_request,     "READ requests")                                                                               \
    C(atomic_request,   "ATOMIC requests")                                                                             \
    C(extended_request, "FLUSH and ATOMIC WRITE requests")                                                             \
    C(ack,              "ACKs")                                                                                        \
    C(nak,              "NAKs")                                                                                        \
    C(rnr_nak,          "RNR NAKs")                                                                                    \
    C(read_response,    "READ responses")                                                                              \
    C(atomic_ack,       "ATOMIC Acknowledges")                                                                         \
    C(datagram,         "datagrams")                                                                                   \
    C(cnp,              "congestion notifications")
/* Changes that are not to a field of a header. */
#define EMIT_PARTS(P) P(icrc) P(vcrc) P(payload) P(packet)
/* clang-format on */
enum emit_class {
#define EMIT_CLASS_ID(name, words) EMIT_##name,
    EMIT_CLASSES(EMIT_CLASS_ID) EMIT_CLASS_COUNT
};
enum emit_part { /* numbered after the headers, enum iba_hdr */
                 EMIT_BEFORE_PARTS = IBA_H_COUNT - 1,
#define EMIT_PART_ID(name) EMIT_P_##name,
                 EMIT_PARTS(EMIT_PART_ID) EMIT_WHERE_END
};

struct ref_emit {
    uint8_t where; /* enum iba_hdr, enum emit_part */
    uint8_t klass; /* enum emit_class */
    char op;       /* '=', '+', '^', '*': value times the number of packets changed so far, '-': see emit_change() */
    const struct iba_field *field; /* NULL for parts */
    uint64_t value;
    uint64_t changed; /* packets changed so far */
};

enum emit_class emit_class_of(const struct iba_view *v);
/* Reads a field, "bth.psn" or "ack/bth.psn", and a change, "+1", "^1", "*1" or "0x17". False: there is no such
 * class or field, or the change is wrong. */
bool emit_parse(struct ref_emit *e, const char *name, size_t len, const char *value);
/* Changes one frame that the device sends. False: the device does not send it; with "packet" and "-N" it sends only
 * the first N. */
bool emit_change(struct ref_emit *e, enum iba_link link, uint8_t *frame, size_t len);

/* One row for each mutant. */
struct emit_row {
    uint8_t klass;                        /* enum emit_class */
    const char *field;                    /* the field in the notation of emit_parse(), without class */
    const char *change;                   /* the change in the notation of emit_parse() */
    const char *clause, *words, *allowed; /* allowed: why the rules allow the change; NULL: they do not */
};
extern const struct emit_row emit_rows[];
extern const size_t emit_row_count;
extern const char *const emit_class_names[EMIT_CLASS_COUNT], *const emit_class_words[EMIT_CLASS_COUNT];
#endif
