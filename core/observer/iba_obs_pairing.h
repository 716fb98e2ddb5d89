/* SPDX-License-Identifier: BSD-2-Clause */
/* Which two directions are a connection. Not for users of libiba. */
#ifndef IBA_OBS_PAIRING_H
#define IBA_OBS_PAIRING_H
#include "observer/iba_obs_direction.h"

/* The response to this request may come from a direction that is not known yet, so the request is recorded for it. */
__attribute__((hot)) void iba_obs_wait_for_peer(struct iba_look *l);
/* The pair is no longer a guess. */
void iba_obs_confirm_pair(struct iba_observer *s, struct iba_flow *f);
/* `from`, `to`: hashes of the addresses of the requester and the responder. */
static inline uint64_t iba_obs_hash_asked(uint64_t from, uint64_t to, iba_psn psn)
{
    return iba_obs_mix(iba_obs_mix(psn.v, from), to);
}
/* The serial number of the newest request in the chain. */
static inline uint32_t *iba_obs_chain_of(const struct iba_observer *s, uint64_t hash)
{
    return &s->chain[hash >> 32 & (IBA_OBS_CHAINS * s->cfg.n_asked - 1)];
}
/* Prefetches the place where the observer will look up this request, or the request of this response. Always inline:
 * the compiler takes a function that only prefetches for one without effect, and leaves out its calls. */
__attribute__((always_inline)) static inline void iba_obs_fetch_asked(const struct iba_observer *s,
                                                                      const struct iba_direction *id, iba_psn psn,
                                                                      bool response)
{
    __builtin_prefetch(
        iba_obs_chain_of(s, iba_obs_hash_asked(response ? id->to : id->from, response ? id->from : id->to, psn)));
}
/* Looks for the flow whose requests this response answers. */
void iba_obs_pair(struct iba_look *l);
/* The response does not answer its pair. If it answers another direction, the two become a pair, and the flow starts as
 * a new connection. */
__attribute__((cold)) void iba_obs_pair_again(struct iba_look *l);
/* The response answers a request of its pair that has no answer yet. */
static inline bool iba_obs_is_wanted(const struct iba_obs_requests *q, iba_psn psn)
{
    return q->any && iba_psn_diff(psn, q->high) < 0 && (!q->answered || iba_psn_diff(psn, q->una) >= 0);
}
/* Since the last packet of this flow, a direction without a peer began between the same addresses, the opposite way. */
bool iba_obs_another_began(const struct iba_look *l);
/* A request comes again: looks for the direction that has refused it. */
void iba_obs_pair_by_refusal(struct iba_look *l);
#endif
