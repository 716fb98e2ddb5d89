/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a request comes again. Not for users of libiba. */
#ifndef IBA_OBS_REASON_H
#define IBA_OBS_REASON_H
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_reorder.h"

/* The response of `r` may have its effect now: it left long enough ago to reach the requester, and recently enough. */
bool iba_obs_is_recent(const struct iba_look *l, const struct iba_obs_reason *r);
/* A recent response asked for exactly this request. */
bool iba_obs_was_asked_for(const struct iba_look *l, struct iba_obs_requests *q);
/* Returns a NAK that asked for this request after its last transmission, or NULL. The request is the oldest unanswered
 * one. However old the NAK is, it had no effect yet: the requester waited for the answer to an earlier READ or ATOMIC
 * (RQ-36). */
struct iba_obs_reason *iba_obs_held_back(const struct iba_look *l, struct iba_obs_requests *q);
/* A response before the newest one asked for this request, and the wait for which that response asked is over. */
bool iba_obs_had_another_reason(const struct iba_look *l, const struct iba_obs_requests *q);
/* A NAK that asked for this request, and that cannot be the cause of the earlier packet with the same bytes; NULL:
 * none. */
struct iba_obs_reason *iba_obs_reason_not_served_by(const struct iba_look *l, struct iba_obs_requests *q,
                                                    const struct iba_obs_recent *before);
/* Records that the response of `r` has not had its effect yet. */
void iba_obs_restore_reason(struct iba_obs_reason *r);
/* The reason for this request that the capture shows, or NULL. A NAK makes the requester go back to its PSN, no
 * further. */
struct iba_obs_reason *iba_obs_reason_for(const struct iba_look *l, struct iba_obs_requests *q);
/* The packet is a READ that asks for the rest of an earlier READ. So it was sent again, and is not late. */
static inline bool iba_obs_is_rest(const struct iba_look *l)
{
    return l->again && iba_obs_is_read(l->opcode) && !iba_psn_eq(l->again->psn, l->psn);
}
/* A NAK asks for exactly this request. The request comes sooner than any known round trip. */
bool iba_obs_sooner_than_known(const struct iba_look *l, const struct iba_obs_reason *r);
/* Corrects a decision: an earlier retransmission was taken for the effect of a NAK, and this packet fits the NAK
 * better. */
__attribute__((cold)) void iba_obs_undo_effect(const struct iba_look *l, struct iba_obs_requests *q);
/* The request may be late, or sent again. Only the next packet shows which. */
bool iba_obs_is_undecided(const struct iba_look *l, struct iba_obs_requests *q);
/* The packets from `from` to before `end` come again, so NAKs for them have had their effect. */
void iba_obs_use_up_reason(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from, iba_psn end);
/* The requester's timer sends this packet once more, and nothing was answered since. Reports too many retries. */
void iba_obs_count_retry(struct iba_look *l, struct iba_obs_requests *q);
/* The requester goes back. Sets q->run: the reason, and in q->run.guess whether that is certain only after the next
 * packet. */
void iba_obs_start_run(const struct iba_look *l, struct iba_obs_requests *q);
/* Reports the pending request, if there is one. `went_back`: the requester went back to the pending request; false: the
 * pending request was late. */
void iba_obs_settle(struct iba_observer *s, struct iba_flow *f, bool went_back);
/* The pending request was sent again, though no packet followed it at once. A requester that goes back sends every
 * packet from there on, so a single packet may be late instead. */
static inline bool iba_obs_went_back_alone(const struct iba_observer *s, const struct iba_obs_requests *q)
{
    return q->run.shown && (!iba_obs_reorders(s) || iba_psn_eq(q->misplaced, q->high));
}
/* Reports the pending request, and all else that waits for a packet, when no packet follows. */
__attribute__((hot)) void iba_obs_settle_alone(struct iba_observer *s, struct iba_flow *f);
#endif
