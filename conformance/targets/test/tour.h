/* SPDX-License-Identifier: BSD-2-Clause */
/* The same stimuli for any responses: every kind of packet that it sends, once. It keeps the packets that it sends. */
#ifndef TOUR_H
#define TOUR_H
#include "bed.h"

enum { TOUR_FRAMES = 160 };
struct tour {
    uint8_t *frame[TOUR_FRAMES];
    size_t len[TOUR_FRAMES];
    uint64_t at[TOUR_FRAMES];
    unsigned n;
    enum iba_link framing;
    uint64_t classes; /* 1 << enum emit_class, seen */
};
/* Resets the target first. */
struct tour *tour_run(struct ibc_target *t, enum ibc_link link, uint64_t seed);
void tour_free(struct tour *r);
#endif
