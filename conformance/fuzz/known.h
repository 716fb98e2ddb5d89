/* SPDX-License-Identifier: BSD-2-Clause */
/* Deviations that have a waiver. A row names inputs that are not sent, so that a device survives; results that are
 * not compared, so that a play continues after them; and how the remaining known differences are distinguished from
 * new ones. A set of deviations has a bit for each row. */
#ifndef IBC_FUZZ_KNOWN_H
#define IBC_FUZZ_KNOWN_H
#include "fuzz.h"

enum fuzz_free { /* results that are not compared */
                 FUZZ_FREE_migreq = 1 << 0,
                 FUZZ_FREE_hop = 1 << 1,
                 FUZZ_FREE_flow = 1 << 2,
                 FUZZ_FREE_ecn = 1 << 3,
                 FUZZ_FREE_events = 1 << 4,
                 FUZZ_FREE_notified = 1 << 5,
                 FUZZ_FREE_refused = 1 << 6, /* verbs that the model refuses are not called */
                 FUZZ_FREE_local = 1 << 7, /* requests that fail locally are not posted: a device may report the failure
                                              at once, or later */
                 FUZZ_FREE_cnp = 1 << 8,   /* congestion notifications of devices that do not claim them */
                 FUZZ_FREE_solicited = 1 << 9, /* a flag that verbs of real devices do not have */
                 FUZZ_FREE_cm =
                     1 << 10, /* fields and events of a connection manager that its user does not choose or see */
};
struct fuzz_known {
    /* name of the waiver; with '=' before it: the rules leave the behaviour open, so the row is for all devices */
    const char *waiver;
    const char *avoid; /* inputs that are not generated */
    uint32_t is_free;  /* enum fuzz_free */
    /* globs of a known difference and of an input of its case; NULL: any text; '|': or; in an input '&': and a word
     * of the input */
    const char *input, *expected, *got;
};
extern const struct fuzz_known fuzz_known[];
extern const size_t fuzz_known_count;

uint32_t fuzz_known_free(uint64_t known);
bool fuzz_known_avoids(uint64_t known, const char *input);
/* Returns the waiver that covers a difference of this case; NULL: none does. */
const char *fuzz_known_as(uint64_t known, const struct fuzz_case *c, const char *expected, const char *got);
#endif
