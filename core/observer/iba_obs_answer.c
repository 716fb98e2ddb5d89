/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the request that a response answers, and the requests that are answered from then on. */
#include "observer/iba_obs_answer.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_peer.h"

/* Returns the newest transmission of the request that a response with this PSN answers; NULL: none is known. */
static const struct iba_obs_mark *request_of(const struct iba_obs_requests *q, iba_psn psn)
{
    const struct iba_obs_sent *sent = iba_obs_request_at(q, psn);
    const struct iba_obs_mark *m = sent ? &sent->mark : NULL;

    for (unsigned i = 0; i < q->n_read; i++) {
        const struct iba_obs_read *r = &q->read[i];
        const int32_t d = iba_psn_diff(psn, r->psn);
        if (r->used && d >= 0 && (uint32_t)d < (r->n ? r->n : 1) && (!m || r->mark.frame > m->frame))
            m = &r->mark;
    }
    return m;
}

/* Reports to the caller that the requests from `announced` to before `una` are answered. The caller already knows of
 * earlier requests. */
static void announce(const struct iba_observer *s, struct iba_flow *peer)
{
    const struct iba_obs_requests *q = &peer->rq;

    if (!peer->has_announced || iba_psn_diff(q->una, peer->announced) > IBA_OBS_SENT)
        peer->announced = iba_psn_of(q->una.v - IBA_OBS_SENT);
    peer->has_announced = true;
    for (; iba_psn_diff(q->una, peer->announced) > 0; peer->announced = iba_psn_add(peer->announced, 1)) {
        const struct iba_obs_sent *sent = iba_obs_request_at(q, peer->announced);
        if (sent)
            s->cfg.answered(s->cfg.ctx, sent->mark.frame);
    }
    if (s->seen.request.frame)
        s->cfg.answered(s->cfg.ctx, s->seen.request.frame);
}

void iba_obs_link_answer(struct iba_look *l)
{
    struct iba_flow *peer = l->flow->guess ? NULL : iba_obs_active(l->s, l->flow->peer);

    if (!peer)
        return;
    const struct iba_obs_mark *m = l->op && l->op->dir == IBA_RSP ? request_of(&peer->rq, l->psn) : NULL;
    if (m && m->frame < l->s->now.frame)
        l->s->seen.request = *m;
    if (l->s->cfg.answered && peer->rq.answered)
        announce(l->s, peer);
}
