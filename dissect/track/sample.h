/* SPDX-License-Identifier: BSD-2-Clause */
/* --sample: some of the pairs of addresses, chosen by a hash.
 *
 * A packet names the queue pair of its receiver only, so what belongs to one connection is known from addresses alone:
 * a pair has all its packets, in both directions, with acknowledgements and the datagrams that made its connections.
 * Captures of other hosts have the same pairs in their samples. */
#ifndef DISSECT_TRACK_SAMPLE_H
#define DISSECT_TRACK_SAMPLE_H
#include "field/out.h"
#include "wire/iba_view.h"

struct sample {
    uint32_t one_in; /* 0 and 1: all packets */
    uint64_t seed;   /* another seed gives another sample */
};
static inline bool sample_is_one(const struct sample *s)
{
    return s->one_in > 1;
}
/* Whether the sample has the packet. A sample of all has each packet; other samples have no packet without addresses.
 */
bool sample_has(const struct sample *s, const struct iba_view *v);
/* "A sample: 1 in 16 pairs of hosts (seed 7). All numbers are those of the sample." */
void sample_say(struct out *o, const struct sample *s);
#endif
