/* SPDX-License-Identifier: BSD-2-Clause */
/* Deviations that have a waiver: what is not sent, so that a device lives; what is not compared, so that a play goes on
 * behind it; and how the rest is told from what is new. A set of them has a bit for each row. */
#ifndef IBC_FUZZ_KNOWN_H
#define IBC_FUZZ_KNOWN_H
#include "fuzz.h"

enum fuzz_free { /* what is not compared */
                 FUZZ_FREE_migreq = 1 << 0,
                 FUZZ_FREE_hop = 1 << 1,
                 FUZZ_FREE_flow = 1 << 2,
                 FUZZ_FREE_ecn = 1 << 3,
                 FUZZ_FREE_events = 1 << 4,
                 FUZZ_FREE_notified = 1 << 5,
                 FUZZ_FREE_refused = 1 << 6,   /* what the model refuses is not asked */
                 FUZZ_FREE_local = 1 << 7,     /* nor what fails at home: a device may say so at once, or later */
                 FUZZ_FREE_cnp = 1 << 8,       /* congestion notifications, of who does not claim them */
                 FUZZ_FREE_solicited = 1 << 9, /* a flag that verbs of real devices do not have */
};
struct fuzz_known {
    const char *waiver;                 /* its name; '=' before it: what the rules leave open, for all devices */
    const char *avoid;                  /* inputs like this are not made */
    uint32_t is_free;                   /* enum fuzz_free */
    const char *input, *expected, *got; /* a difference like this, of a case with an input like that; NULL: any;
                                         * '|': or; in an input '&': and a word of it */
};
extern const struct fuzz_known fuzz_known[];
extern const size_t fuzz_known_count;

uint32_t fuzz_known_free(uint64_t known);
bool fuzz_known_avoids(uint64_t known, const char *input);
/* The waiver that a difference of this case has, or NULL. */
const char *fuzz_known_as(uint64_t known, const struct fuzz_case *c, const char *expected, const char *got);
#endif
