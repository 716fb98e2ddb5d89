/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses to PSNs that were never sent, or that the capture lacks. The next request shows which. */
#include "observer/iba_obs_unsent.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_read.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_reorder.h"
#include "observer/iba_obs_report.h"

/* Returns one past the PSNs that the response reports as arrived. */
static iba_psn covered(const struct iba_look *l)
{
    return iba_syndrome_kind(l->syndrome) == IBA_AETH_ACK ? iba_psn_add(l->psn, 1) : l->psn;
}

/* The response answers a PSN that was never sent, or that the capture lacks. The next request shows which. A NAK covers
 * the PSNs before its own. The responses to a READ continue within one request. */
void iba_obs_hold_unsent(struct iba_look *l, struct iba_obs_requests *q)
{
    struct iba_obs_unsent *g = &q->unsent[IBA_OBS_UNSENT - 1]; /* the first unused one, or the last */
    const bool goes_on = !iba_opcode_begins(l->op);
    const iba_psn end = covered(l);
    const bool asks =
        iba_syndrome_kind(l->syndrome) == IBA_AETH_NAK && iba_syndrome_code(l->syndrome) == IBA_NAK_SEQUENCE;

    for (unsigned i = IBA_OBS_UNSENT; i-- > 0;) {
        struct iba_obs_unsent *h = &q->unsent[i];
        const int32_t beyond = iba_psn_diff(l->psn, h->end);
        if (h->mark.frame != 0 && iba_psn_diff(l->psn, h->psn) >= 0 && beyond <= (goes_on ? IBA_OBS_MOST_LOST : -1)) {
            if (beyond > 0)
                iba_obs_report(l, IBA_FINDING_RESPONSE_GAP, &(struct iba_obs_detail){.count = (uint32_t)beyond});
            else if (beyond < 0 && iba_obs_fills(l->flow, true, l->psn))
                iba_obs_report(l, IBA_FINDING_LATE, NULL); /* another response jumped over this one a moment ago */
            h->end = iba_psn_diff(end, h->end) > 0 ? end : h->end;
            return;
        }
        g = h->mark.frame == 0 ? h : g;
    }
    if (g->mark.frame != 0 && l->peer->requests <= IBA_OBS_FEW && iba_psn_diff(l->psn, g->end) >= 0)
        g->end = end; /* the requester may have sent all these requests before the capture began */
    else if (g->mark.frame == 0 && iba_psn_diff(end, q->high) <= IBA_OBS_SENT)
        *g = (struct iba_obs_unsent){.mark = l->s->now, .psn = l->psn, .end = end, .asks = asks};
    else
        iba_obs_report(l, IBA_FINDING_GHOST_ACK, &(struct iba_obs_detail){.cause = &q->last});
}

/* The response has jumped over the missing answers of READs and ATOMICs before its request (RQ-36). Only the first
 * missing answer is reported, and none if the capture does not show how often the READs were sent. */
static void report_jumped_over(struct iba_look *l, struct iba_obs_requests *q, const struct iba_obs_unsent *g)
{
    const struct iba_look answer = {.s = l->s, .flow = l->peer, .peer = l->flow};
    struct iba_obs_read *missing = NULL;

    for (unsigned i = 0; l->peer && !q->older && i < q->n_read; i++) {
        struct iba_obs_read *r = &q->read[i];
        if (!r->used || r->again || r->n == 0 || r->reported || r->mark.frame > g->mark.frame ||
            iba_psn_diff(g->psn, iba_psn_add(r->psn, r->n)) < 0 ||
            iba_psn_diff(r->expect, iba_psn_add(r->psn, r->n)) >= 0 || iba_obs_answer_came(&answer, r))
            continue;
        r->reported = true;
        missing = missing && iba_psn_diff(missing->psn, r->psn) < 0 ? missing : r;
    }
    if (!missing)
        return;
    iba_obs_report_of(l->s, l->peer, IBA_FINDING_ANSWER_MISSING, &g->mark,
                      &(struct iba_obs_detail){.cause = &missing->mark, .response = true}, g->psn);
    iba_obs_expect_for(q,
                       &(struct iba_obs_reason){.cause = IBA_CAUSE_IMPLIED, .psn = missing->expect, .mark = g->mark});
}

/* The requester did send the requests up to `g`, and the capture lacks them. */
static void accept_unsent(struct iba_observer *s, struct iba_flow *f, struct iba_obs_unsent *g)
{
    struct iba_obs_requests *q = &f->rq;
    const int32_t n = iba_psn_diff(g->end, q->high);

    if (g->asks)
        iba_obs_expect_for(q, &(struct iba_obs_reason){.cause = IBA_CAUSE_NAK, .psn = g->psn, .mark = g->mark});
    if (n <= 0)
        return;
    iba_obs_report_of(s, f, IBA_FINDING_NOT_CAPTURED, &g->mark,
                      &(struct iba_obs_detail){.count = (uint32_t)n, .response = true}, g->psn);
    q->high = g->end;
    q->ahead = true;
    iba_obs_progress(q, iba_psn_add(g->end, IBA_PSN_MASK));
    iba_obs_go_on_at(q, g->end);
}

static void drop_unsent(struct iba_observer *s, struct iba_flow *f, const struct iba_obs_unsent *g)
{
    iba_obs_report_of(s, f, IBA_FINDING_GHOST_ACK, &g->mark,
                      &(struct iba_obs_detail){.cause = &f->rq.last, .response = true}, g->psn);
}

void iba_obs_resolve_unsent(struct iba_look *l, struct iba_obs_requests *q)
{
    for (unsigned i = 0; i < IBA_OBS_UNSENT; i++) {
        struct iba_obs_unsent *g = &q->unsent[i];
        if (g->mark.frame == 0 || iba_psn_diff(l->psn, q->high) < 0)
            continue; /* a retransmission does not show whether newer requests were sent */
        /* The capture may have begun while the requester sent old requests again. */
        if (iba_psn_diff(l->psn, g->psn) > 0 || l->s->now.at - l->flow->first.at < IBA_OBS_FLIGHT_NS) {
            report_jumped_over(l, q, g);
            accept_unsent(l->s, l->flow, g);
        } else
            drop_unsent(l->s, l->flow, g);
        g->mark.frame = 0;
    }
}

/* A capture that is known to lack packets probably lacks this request, too. */
void iba_obs_resolve_unsent_alone(struct iba_observer *s, struct iba_flow *f)
{
    for (unsigned i = 0; i < IBA_OBS_UNSENT; i++) {
        struct iba_obs_unsent *g = &f->rq.unsent[i];
        if (g->mark.frame != 0 && s->found[IBA_FINDING_NOT_CAPTURED] > 0)
            accept_unsent(s, f, g);
        else if (g->mark.frame != 0)
            drop_unsent(s, f, g);
        g->mark.frame = 0;
    }
}
