/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a direction: its requests and READs by PSN, its gaps, and the response that makes its requester go
 * back. Not for users of libiba. */
#ifndef IBA_OBS_RECORD_H
#define IBA_OBS_RECORD_H
#include "observer/iba_obs_look.h"

/* The number of PSNs that the packet takes; 0: unknown, a READ while the path MTU is unknown. */
uint32_t iba_obs_psns(const struct iba_look *l);
/* The last READ's number of PSNs has become known. */
void iba_obs_close_read(struct iba_obs_requests *q, uint32_t n);
/* The READ or ATOMIC that waits for a response at this PSN, or NULL. */
static inline struct iba_obs_read *iba_obs_read_at(struct iba_obs_requests *q, iba_psn psn)
{
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_obs_read *r = &q->read[i];
        const uint32_t d = (uint32_t)iba_psn_diff(psn, r->psn); /* before the READ: more than it can have packets */
        if (r->used && d < (r->n ? r->n : iba_mtu_packets(r->length, IBA_MTU_LEAST_BYTES)))
            return r;
    }
    return NULL;
}
/* The request remembered at this PSN, or NULL. */
static inline struct iba_obs_sent *iba_obs_sent_at(struct iba_obs_requests *q, iba_psn psn)
{
    return iba_obs_has_request(q, psn) ? &q->sent[psn.v % IBA_OBS_SENT] : NULL;
}
/* The recent gap that this PSN belongs to; NULL: none. `gap` has IBA_OBS_GAPS entries. */
struct iba_obs_gap *iba_obs_gap_at(const struct iba_observer *s, struct iba_obs_gap *gap, iba_psn psn);
/* A late packet closes the gaps at its PSN: responses to several requests may have jumped over it. */
void iba_obs_close_gap(const struct iba_observer *s, struct iba_obs_gap *gap, iba_psn psn);
/* Records a gap of `n` PSNs in the ring of IBA_OBS_GAPS entries. */
void iba_obs_open_gap(struct iba_obs_gap *gap, uint8_t *next, iba_time now, iba_psn psn, uint32_t n);
/* Records that responses from `from` to before `end` are missing; some of them may have come before. */
void iba_obs_miss(const struct iba_observer *s, struct iba_flow *f, struct iba_obs_requests *q, iba_psn from,
                  iba_psn end);
/* Records that `n` responses from `from` on are missing, while the capture lacks their requests. */
void iba_obs_miss_alone(const struct iba_observer *s, struct iba_flow *f, iba_psn from, int32_t n);
/* The responder has all requests up to `end`, and the capture lacks some of them. The message count starts again. */
void iba_obs_go_on_at(struct iba_obs_requests *q, iba_psn end);
/* An earlier response among the remembered packets has the same PSN. */
bool iba_obs_answered_before(const struct iba_look *l);
/* The response jumps over `lost` PSNs since another one. Returns how many of these PSNs, directly before this response,
 * did not come shortly before. Packets that did come may have overtaken the other response. */
int32_t iba_obs_missing_before(const struct iba_look *l, int32_t lost);
/* The newest remembered response before this one; NULL: none. */
const struct iba_obs_recent *iba_obs_response_before(const struct iba_look *l);
/* Records that all requests up to `psn` are answered. */
void iba_obs_progress(struct iba_obs_requests *q, iba_psn psn);
/* The pending reason to go back is replaced or no longer needed. The observer remembers the reason, since its effect
 * may still come. */
void iba_obs_replace_reason(struct iba_obs_requests *q);
/* Responses to later requests have come since `since`. */
bool iba_obs_overtaken(const struct iba_look *l, iba_time since);
/* `r` becomes the pending reason to go back; the previous one is remembered. */
void iba_obs_expect_for(struct iba_obs_requests *q, const struct iba_obs_reason *r);
/* Records that a response makes the requester go back to `psn`. */
void iba_obs_expect_retry(struct iba_look *l, struct iba_obs_requests *q, enum iba_obs_cause cause, iba_psn psn,
                          iba_time wait_ns);
#endif
