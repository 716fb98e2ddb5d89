/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses to requests that were not sent, as far as the capture shows. Not for users of libiba. */
#ifndef IBA_OBS_UNSENT_H
#define IBA_OBS_UNSENT_H
#include "observer/iba_obs_look.h"

/* The response answers a PSN that was not sent yet, or that the capture lacks. The finding about the response waits for
 * the next request.
 */
void iba_obs_hold_unsent(struct iba_look *l, struct iba_obs_requests *q);
/* An earlier response may have answered a request that the capture lacks. The current request shows whether that
 * request was sent. */
__attribute__((hot)) void iba_obs_resolve_unsent(struct iba_look *l, struct iba_obs_requests *q);
/* Resolves responses to PSNs that were not seen, when no request follows. */
__attribute__((hot)) void iba_obs_resolve_unsent_alone(struct iba_observer *s, struct iba_flow *f);
/* A response to a PSN that was not seen waits: the requester may have sent requests that the capture lacks. */
static inline bool iba_obs_waits_unsent(const struct iba_obs_requests *q)
{
    for (unsigned i = 0; i < IBA_OBS_UNSENT; i++)
        if (q->unsent[i].mark.frame != 0)
            return true;
    return false;
}
#endif
