/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that overtake each other. Not for users of libiba. */
#ifndef IBA_OBS_REORDER_H
#define IBA_OBS_REORDER_H
#include "observer/iba_obs_look.h"

/* Defers a gap or a late packet. False: the caller reports it now. */
bool iba_obs_puts_off(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *t);
/* Defers ANSWER_MISSING for a response to `own`; NULL: for an acknowledgement. The packet jumps over `missing`
 * responses from PSN `from` on. The first of the missing responses answers `r`. */
bool iba_obs_puts_off_missing(struct iba_look *l, const struct iba_obs_read *r, const struct iba_obs_read *own,
                              iba_psn from, uint32_t missing);
/* Defers a GAP over `n` PSNs that may be no loss. The GAP is dropped unless some of its packets come late. If its
 * packets may have been sent before the capture, the GAP is also reported when an end asks for them. False: the caller
 * reports it now. */
bool iba_obs_puts_off_skipped(struct iba_look *l, uint32_t n, enum iba_obs_excuse excuse);
/* True when the deferred jumps include one over this PSN: over a request, or with `answers` over a response. */
bool iba_obs_fills(struct iba_flow *f, bool answers, iba_psn psn);
/* The first captured request jumped over this PSN, and no response has shown since whether the responder has it. */
bool iba_obs_misses_first(const struct iba_obs_requests *q, iba_psn psn);
/* True when the deferred late responses without a jump include one from this PSN on. */
bool iba_obs_asks_for_late(struct iba_flow *f, iba_psn psn);
/* Counts `n` more PSNs of requests from `psn` on as arrived, since a READ takes several PSNs. */
void iba_obs_order_fill(struct iba_flow *f, iba_psn psn, uint32_t n);
/* The peer asks for missing PSNs from `psn` on: for requests of the flow, or with `answers` for its responses. */
void iba_obs_order_asked(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn);
/* The request comes again, so missing PSNs after the request may still come. */
void iba_obs_order_comes_again(struct iba_flow *f, iba_psn psn);
/* The receiver has taken all packets up to `psn`, in the order in which they came. */
void iba_obs_order_taken(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn);
/* Resolves all deferred findings, since no packet follows. */
void iba_obs_order_end(struct iba_observer *s, struct iba_flow *f);
/* This network reorders packets, as far as the capture shows. */
static inline bool iba_obs_reorders(const struct iba_observer *s)
{
    return s->reorders;
}
#endif
