/* SPDX-License-Identifier: BSD-2-Clause */
/* Adapters with selective repeat. Their responder keeps the packets that arrive after a lost one. Their requester sends
 * only the lost packet again, or only the oldest unacknowledged one. RQ-21 and RQ-26 allow a requester to go back and
 * send all packets from there on, but do not require it.
 *
 * Packets that were sent after a lost one, were acknowledged, and did not come again show that a connection uses
 * selective repeat. The capture may lack the retransmissions of one or two such packets, so three of them count as
 * proof. */
#include "observer/iba_obs_parts.h"

/* Counts those packets from `from` to before `end` that the capture has. */
static void keep(struct iba_obs_requests *q, iba_psn from, iba_psn end)
{
    const int32_t n = iba_psn_diff(end, from);

    for (int32_t i = 0; i < n && i < IBA_OBS_SENT && q->kept < IBA_OBS_KEPT; i++)
        q->kept = (uint8_t)(q->kept + (iba_obs_request_at(q, iba_psn_add(from, (uint32_t)i)) != NULL));
}

bool iba_obs_skips(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from)
{
    const bool pauses = iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS; /* go-back-N sends the rest at once */

    /* After an RNR NAK the responder has kept no later packets (RR-51). Packets that are not sent again then are lost.
     */
    if (pauses && q->run.kind != IBA_FINDING_RETRY_RNR)
        keep(q, from, q->high);
    q->unproven = iba_obs_repeats_single(q);
    q->kept_from = from;
    return q->unproven;
}

/* A responder that asks for one of these packets has not kept it. */
static void prove(const struct iba_look *l, struct iba_obs_requests *q)
{
    const bool refuses = iba_view_has(l->v, IBA_H_aeth) && iba_syndrome_kind(l->syndrome) == IBA_AETH_NAK;

    if (refuses && iba_psn_diff(l->psn, q->kept_from) >= 0)
        q->kept = 0;
    q->unproven = !refuses && iba_psn_diff(q->una, q->kept_from) <= 0;
}

void iba_obs_learn_kept(struct iba_look *l, struct iba_obs_requests *q, iba_psn una)
{
    const bool pending = q->undecided.mark.frame != 0;
    const iba_psn kept_from = pending ? q->misplaced : q->next;

    if (q->unproven)
        prove(l, q);
    if (!(q->run.on || pending) || !q->run.shown || q->run.kind != IBA_FINDING_RETRY_NAK || !q->answered ||
        iba_psn_diff(una, kept_from) > 0 || iba_psn_diff(q->una, kept_from) <= 0 || iba_psn_diff(q->una, q->high) > 0)
        return;
    keep(q, kept_from, q->una);
    if (pending)
        iba_obs_settle(l->s, l->peer, true);
}
