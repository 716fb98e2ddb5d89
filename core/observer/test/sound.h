/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants of an observer between any two packets: its lists are consistent, each direction has one bucket, and pairs
 * are mutual. Shared by tests and the fuzz target. */
#ifndef SOUND_H
#define SOUND_H
#include "observer/iba_obs_state.h"

/* Bytes that suffice for an observer with so many flows and known directions. */
#define OBSERVER_BYTES(flows, known)                                                                                   \
    (sizeof(struct iba_observer) + (flows) * sizeof(struct iba_flow) +                                                 \
     (known) * (sizeof(struct iba_known) + sizeof(iba_time) + IBA_OBS_BUCKETS * sizeof(uint64_t)) +                    \
     IBA_OBS_ASKED * (sizeof(struct iba_obs_asked) + IBA_OBS_CHAINS * sizeof(uint32_t)) + 512)

static inline bool sound_list(const struct iba_observer *s, unsigned list)
{
    uint32_t n = 0, last = 0;

    for (uint32_t i = s->list[list].newest; i; last = i, i = s->flow[i - 1].older) {
        const struct iba_flow *f = &s->flow[i - 1];
        if (++n > s->n || f->newer != last || f->list != list || f->known == 0 || s->known[f->known - 1].flow != i)
            return false;
    }
    return n == s->list[list].n && s->list[list].oldest == last;
}

static inline uint32_t sound_peer(const struct iba_observer *s, uint32_t known)
{
    const struct iba_known *k = &s->known[known - 1];

    return k->flow ? s->flow[k->flow - 1].peer : k->peer;
}

/* Returns whether each part of the caller's memory begins at a cache line, provided that the memory itself does. */
static inline bool sound_layout(const struct iba_observer *s)
{
    const void *const pieces[] = {s->flow, s->known, s->rests, s->bucket, s->asked, s->chain};

    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++)
        if (((uintptr_t)pieces[i] - (uintptr_t)s) % 64 != 0)
            return false;
    return true;
}

static inline bool sound(const struct iba_observer *s)
{
    uint32_t used = 0, resting = 0, placed = 0;

    for (unsigned list = 0; list < IBA_OBS_LISTS; list++) {
        if (!sound_list(s, list))
            return false;
        used += s->list[list].n;
    }
    for (uint32_t b = 0; b < s->cfg.n_known * IBA_OBS_BUCKETS; b++)
        placed += s->bucket[b] != 0;
    for (uint32_t i = 1; i <= s->n_known; i++) {
        const uint32_t peer = sound_peer(s, i);
        resting += s->known[i - 1].flow == 0;
        if ((s->known[i - 1].flow == 0) != (s->rests[i - 1] != IBA_NEVER))
            return false;
        if (peer && sound_peer(s, peer) != i)
            return false;
    }
    return used == s->n && s->n <= s->cfg.n_flow && placed == s->n_known && resting == s->resting &&
           used + resting == s->n_known && sound_layout(s);
}
#endif
