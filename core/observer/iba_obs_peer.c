/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds flows by their index, and records which two directions are a pair. */
#include <stddef.h>
#include "observer/iba_obs_peer.h"

/* Sets the peer of a direction, in its flow, or in its short form when the direction is at rest. */
void iba_obs_set_peer(const struct iba_observer *s, uint32_t known, uint32_t peer, bool guess)
{
    struct iba_flow *f = iba_obs_active(s, known);

    if (f)
        f->peer = peer, f->guess = guess, f->once = false;
    else if (known)
        s->known[known - 1].peer = peer, s->known[known - 1].guess = guess;
}

void iba_obs_unpair(struct iba_observer *s, struct iba_flow *f)
{
    iba_obs_set_peer(s, f->peer, 0, false);
    iba_obs_set_peer(s, f->known, 0, false);
}
