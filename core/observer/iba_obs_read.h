/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses to READs and ATOMICs. Not for users of libiba. */
#ifndef IBA_OBS_READ_H
#define IBA_OBS_READ_H
#include "observer/iba_obs_look.h"

/* Decides whether a response with data is late; `r` may be NULL. */
const struct iba_decision *iba_obs_answer_lateness(const struct iba_look *l, const struct iba_obs_read *r);
/* Decides whether the pending response is late, or `l` continues its run. `l` NULL: no packet follows. */
__attribute__((hot)) void iba_obs_release(struct iba_observer *s, struct iba_flow *f, const struct iba_look *l);
/* Decides the pending response by itself, since another one is about to become pending. */
void iba_obs_release_alone(struct iba_observer *s, struct iba_flow *f);
/* The packet is the First of a READ. Only the next packet shows whether the First is late. `r` may be NULL. */
bool iba_obs_holds(const struct iba_look *l, const struct iba_obs_read *r);
/* The response fills a gap for the first time. The READ of the response was sent only once, and before the gap, so the
 * response does not belong to a second answer. `r` may be NULL. */
bool iba_obs_fills_once(const struct iba_look *l, const struct iba_obs_read *r);
/* The packet is not a First, and may be late. The READ of the packet was sent again, and the new answer has not begun.
 */
bool iba_obs_begins_inside(const struct iba_look *l, const struct iba_obs_read *r);
/* The requester goes back, and the pending response may be the reason: decides that response. */
void iba_obs_release_by_request(struct iba_look *l);
/* All responses to the READ came, though not necessarily since its newest transmission. */
bool iba_obs_answer_came(const struct iba_look *l, const struct iba_obs_read *r);
/* Remembers a response with data whose READ or ATOMIC the capture lacks. */
void iba_obs_note_alone(const struct iba_look *l);
/* The packet is a request. If the request was not sent before, forgets the remembered responses to its PSN and to later
 * PSNs: they came before the PSNs wrapped. */
void iba_obs_forget_alone(const struct iba_look *l, bool sent_before);
/* Processes a response with data. `r` is the READ or ATOMIC that it answers; NULL: the capture lacks the request. */
void iba_obs_read_response(struct iba_look *l, struct iba_obs_requests *q, struct iba_obs_read *r);
#endif
