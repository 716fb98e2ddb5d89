/* SPDX-License-Identifier: BSD-2-Clause */
/* Where requests of directions without a peer are remembered. Not for users of libiba. */
#ifndef IBA_OBS_ASKED_H
#define IBA_OBS_ASKED_H
#include "observer/iba_obs_direction.h"

/* `from`, `to`: hashes of the addresses of the requester and the responder. */
static inline uint64_t iba_obs_hash_asked(uint64_t from, uint64_t to, iba_psn psn)
{
    return iba_obs_mix(iba_obs_mix(psn.v, from), to);
}
/* Returns the chain for this hash: the serial number of its newest request. */
static inline uint32_t *iba_obs_chain_of(const struct iba_observer *s, uint64_t hash)
{
    return &s->chain[hash >> 32 & (IBA_OBS_CHAINS * s->cfg.n_asked - 1)];
}
/* The remembered request with this serial number; NULL: it is forgotten. */
static inline struct iba_obs_asked *iba_obs_asked_at(const struct iba_observer *s, uint32_t serial)
{
    return serial != 0 && s->last_asked - serial < s->cfg.n_asked ? &s->asked[serial & (s->cfg.n_asked - 1)] : NULL;
}
/* Returns the chain of this request, or of the request that this response answers. */
static inline const uint32_t *iba_obs_chain_of_packet(const struct iba_observer *s, const struct iba_direction *id,
                                                      iba_psn psn, bool response)
{
    return iba_obs_chain_of(s, iba_obs_hash_asked(response ? id->to : id->from, response ? id->from : id->to, psn));
}
static inline const uint32_t *iba_obs_chain_expected(const struct iba_observer *s, const struct iba_expected *e)
{
    return iba_obs_chain_of_packet(s, &e->id, iba_psn_of(iba_bth_psn(iba_view_bth(e->view))),
                                   e->view->op && e->view->op->dir == IBA_RSP);
}
#endif
