/* SPDX-License-Identifier: BSD-2-Clause */
/* A tour: the same stimuli for every device, which cause every kind of packet that the device can send once. The tour
 * keeps these packets. */
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
/* Resets the target, then plays the tour on it. */
struct tour *tour_run(struct ibc_target *t, enum ibc_link link, uint64_t seed);
void tour_free(struct tour *r);
#endif
