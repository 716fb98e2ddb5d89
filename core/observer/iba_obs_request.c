/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of a reliable connection: whether each is new, sent again, late, or after a gap, and which of them wait for
 * an answer. */
#include <string.h>
#include "observer/iba_obs_request.h"
#include "observer/iba_obs_asked.h"
#include "observer/iba_obs_credit.h"
#include "observer/iba_obs_direction.h"
#include "observer/iba_obs_late.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_message.h"
#include "observer/iba_obs_pairing.h"
#include "observer/iba_obs_read.h"
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_reorder.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_selective.h"
#include "observer/iba_obs_timer.h"
#include "observer/iba_obs_unsent.h"

/* The request after a READ shows how many PSNs the READ took, and with that mostly the path MTU. */
static void resolve_open(struct iba_look *l, struct iba_obs_requests *q)
{
    const int32_t d = iba_psn_diff(l->psn, q->open.psn);
    uint32_t fits = 0, pmtu = 0;

    if (!q->open.used || d <= 0 || l->late)
        return;
    for (uint32_t mtu = IBA_MTU_LEAST_BYTES; mtu <= IBA_MTU_MOST_BYTES; mtu *= 2)
        if (iba_mtu_packets(q->open.length, mtu) == (uint32_t)d) {
            fits++;
            pmtu = mtu;
        }
    const uint32_t most = iba_mtu_packets(q->open.length, IBA_MTU_LEAST_BYTES);
    if (fits == 1)
        iba_obs_learn_pmtu(l->s, l->flow, pmtu, false);
    else
        iba_obs_close_read(q, (uint32_t)d < most ? (uint32_t)d : most);
}

static void begin(struct iba_look *l, struct iba_obs_requests *q)
{
    q->any = true;
    q->first = q->high = q->next = q->seq = l->psn;
    q->message = iba_opcode_begins(l->op) ? IBA_MESSAGE_NONE : IBA_MESSAGE_UNKNOWN;
    q->asked_first = iba_obs_asks_first(l);
}

/* The PSN at which the requester goes on: after its last packet, or where answers have shown that these retransmissions
 * were unnecessary. */
static iba_psn expected(const struct iba_obs_requests *q, iba_psn psn)
{
    if (q->answered && iba_psn_diff(q->una, q->next) > 0 && iba_psn_diff(q->una, q->high) <= 0 &&
        iba_psn_diff(psn, q->una) >= 0)
        return q->una;
    return q->next;
}

bool iba_obs_goes_on(const struct iba_obs_requests *q, iba_psn psn)
{
    return iba_psn_eq(psn, expected(q, psn));
}

/* A hash of the fields that distinguish the request from others: the headers after the BTH, and the length. */
static uint16_t request_of(const struct iba_look *l)
{
    uint64_t h = iba_obs_mix(0, l->v->payload_len);

    for (uint32_t at = l->v->bth_at + IBA_BYTES_bth; at < l->v->payload_at && at < l->v->caplen; at++)
        h = iba_obs_mix(h, l->v->wire[at]);
    return (uint16_t)h;
}

/* A retransmission has the same headers and length, which the adapter keeps. The adapter reads the payload from memory
 * again. So the retransmission carries data that the application wrote there before the request completed. A responder
 * that has the first copy ignores that data. */
static void compare(struct iba_look *l, const struct iba_obs_requests *q, const struct iba_obs_sent *e)
{
    const bool arrived = e->acked || iba_obs_is_answered(q, l->psn);
    const bool asked = q->run.kind == IBA_FINDING_RETRY_NAK && !q->run.guess;

    if (e->opcode != l->opcode || e->request != request_of(l))
        iba_obs_report(l, IBA_FINDING_RETRY_CHANGED, &(struct iba_obs_detail){.cause = &e->mark});
    else if (e->content != (uint16_t)l->content)
        iba_obs_report(l, IBA_FINDING_RETRY_PAYLOAD,
                       &(struct iba_obs_detail){.cause = &e->mark,
                                                .count = arrived ? IBA_COPY_ARRIVED
                                                         : asked ? IBA_COPY_LOST
                                                                 : IBA_COPY_UNKNOWN});
}

static void report_again(struct iba_look *l, struct iba_obs_requests *q)
{
    const struct iba_obs_sent *e = iba_obs_sent_at(q, l->psn);
    const bool by_itself = q->run.kind == IBA_FINDING_RETRY_TIMEOUT || q->run.kind == IBA_FINDING_RETRY_UNCLEAR;
    const struct iba_obs_mark *why = q->run.mark.frame ? &q->run.mark : NULL;
    const struct iba_obs_mark *cause = by_itself ? (e ? &e->mark : NULL) : why;
    const struct iba_obs_detail t = {
        .cause = cause, .decision = q->run.decision, .wait_ns = cause ? l->s->now.at - cause->at : 0};

    iba_obs_report(l, (enum iba_finding_kind)q->run.kind, &t);
    q->repeat = l->s->now;
    /* A READ may be sent again for only the rest of its data (RQ-07). */
    if (e && !iba_obs_is_read(l->opcode) && !l->v->truncated && !e->cut)
        compare(l, q, e);
}

static void too_soon(struct iba_look *l, const struct iba_obs_requests *q)
{
    const iba_time waited = l->s->now.at - q->pending.mark.at;

    if (q->pending.cause == IBA_CAUSE_RNR && !q->pending.served && waited < q->pending.wait_ns &&
        !iba_obs_had_another_reason(l, q))
        iba_obs_report(l, IBA_FINDING_RNR_EARLY,
                       &(struct iba_obs_detail){.cause = &q->pending.mark, .wait_ns = q->pending.wait_ns});
}

static void move(const struct iba_look *l, struct iba_obs_requests *q, uint32_t n)
{
    const iba_psn end = iba_psn_add(l->psn, n);

    q->newest = l->psn;
    q->next = end;
    if (iba_psn_diff(end, q->high) > 0)
        q->high = end;
}

static void report_gap(struct iba_look *l, struct iba_obs_requests *q, uint32_t n)
{
    iba_obs_report(l, IBA_FINDING_GAP, &(struct iba_obs_detail){.cause = &q->last, .count = n});
    q->gap = l->s->now;
    iba_obs_open_gap(q->gaps, &q->next_gap, l->s->now.at, iba_psn_of(l->psn.v - n), n);
}

/* The packet directly follows one that may only have been late. True when that shows a retransmission. Two late packets
 * may follow each other, so the next packet does not always show a retransmission. */
__attribute__((cold)) static bool goes_right_on(const struct iba_look *l, struct iba_obs_requests *q)
{
    const bool asked = q->run.shown || (q->run.asked && q->run.kind != IBA_FINDING_RETRY_NAK) ||
                       q->run.kind == IBA_FINDING_RETRY_TIMEOUT;

    return q->misplaced_run >= IBA_OBS_RUN || asked || q->undecided.reported || l->again || q->undecided.ahead > 0 ||
           !iba_obs_gap_at(l->s, q->gaps, l->psn);
}

/* The first captured request overtook the pending one. So the first request, or another one, may also have overtaken
 * this request. A requester that goes back has mostly paused before. */
__attribute__((cold)) static bool may_be_late_too(const struct iba_look *l, struct iba_obs_requests *q)
{
    const bool overtaken = iba_psn_diff(l->psn, q->first) < 0 || iba_obs_gap_at(l->s, q->gaps, l->psn);

    return q->undecided.missed && !q->undecided.paused && overtaken && q->misplaced_run < IBA_OBS_RUN;
}

/* The packet goes on where a possibly late packet ended. So the requester did go back; some packets in between may be
 * lost. */
__attribute__((cold)) static bool follows_misplaced(const struct iba_look *l, struct iba_obs_requests *q)
{
    const int32_t lost = iba_psn_diff(l->psn, q->misplaced);

    if (!q->run.shown && q->run.kind == IBA_FINDING_RETRY_NAK && iba_obs_was_asked_for(l, q))
        return false; /* the requester goes back to this PSN */
    if (may_be_late_too(l, q) || (q->run.hurried && iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS))
        return false;
    const bool alone = lost == 0 ? goes_right_on(l, q)
                                 : ((q->run.asked && q->run.shown) || q->run.kind == IBA_FINDING_RETRY_TIMEOUT) &&
                                       !iba_obs_was_asked_for(l, q) && !iba_obs_gap_at(l->s, q->gaps, l->psn);

    return iba_psn_diff(l->psn, q->high) < 0 && lost >= 0 && l->s->now.at - q->last.at < IBA_OBS_SOONEST_TIMEOUT_NS &&
           ((q->run.alone && (lost <= 1 || q->run.kind != IBA_FINDING_RETRY_UNCLEAR)) ||
            (lost <= IBA_OBS_MOST_LOST && alone));
}

/* A READ takes as many PSNs as it has responses. A requester that uses these PSNs for other requests counts with
 * another path MTU. */
static bool inside_read(struct iba_look *l)
{
    const struct iba_obs_read *r = l->again;

    if (!r || !l->flow->pmtu_sure || r->again || iba_psn_diff(l->psn, r->psn) <= 0 || iba_obs_is_read(l->opcode) ||
        !iba_obs_is_read(r->opcode))
        return false;
    iba_obs_report(l, IBA_FINDING_PSN_OF_READ, &(struct iba_obs_detail){.cause = &r->mark, .count = r->n});
    return true;
}

/* Reports a READ that is sent again and asks for more than the rest of the earlier READ (RQ-07). */
static void too_much(struct iba_look *l)
{
    const struct iba_obs_read *r = l->again;
    const bool both = r && iba_obs_is_read(l->opcode) && iba_obs_is_read(r->opcode);

    if (!both || !l->flow->pmtu_sure || r->n == 0)
        return;
    const uint64_t before = (uint64_t)(uint32_t)iba_psn_diff(l->psn, r->psn) * l->flow->pmtu;
    if (before + iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth)) > r->length)
        iba_obs_report(l, IBA_FINDING_RETRY_CHANGED, &(struct iba_obs_detail){.cause = &r->mark});
}

static void misplaced(const struct iba_look *l, struct iba_obs_requests *q, uint32_t n)
{
    const bool goes_on = iba_psn_eq(l->psn, q->misplaced) && l->s->now.at - q->last.at < IBA_OBS_AT_ONCE_NS;

    q->misplaced_run = iba_obs_count(q->misplaced_run, goes_on);
    q->misplaced = iba_psn_add(l->psn, n);
}

static void take_late(struct iba_look *l, struct iba_obs_requests *q, uint32_t n, const struct iba_decision *by)
{
    const bool first = iba_obs_comes_first(l, q);

    if (n > 1)
        iba_obs_order_fill(l->flow, l->psn, n - 1);
    iba_obs_report(l, IBA_FINDING_LATE, &(struct iba_obs_detail){.decision = by});
    iba_obs_close_gap(l->s, q->gaps, l->psn);
    l->overtaken = !l->late || first || !iba_obs_sent_again_though_late(l);
    if (!l->overtaken) {
        if (!q->run.on && !iba_obs_left_since(l, &q->run.mark)) {
            q->run.kind = IBA_FINDING_RETRY_UNCLEAR;
            q->run.decision = NULL;
        }
        report_again(l, q);
    }
    q->high = iba_psn_diff(l->psn, q->high) < 0 ? q->high : iba_psn_add(l->psn, n);
    misplaced(l, q, n);
}

/* The requester goes back, so the packets that earlier packets jumped over are missing. */
static void ask_again(const struct iba_look *l)
{
    iba_obs_order_asked(l->s, l->flow, false, l->psn);
    if (l->peer)
        iba_obs_order_asked(l->s, l->peer, true, l->psn);
}

/* The packet does not continue the retransmissions before it: a timer ran out since, or a NAK asks for exactly this
 * packet. A requester with selective repeat continues no run, except after an RNR NAK. */
static bool comes_by_itself(const struct iba_look *l, struct iba_obs_requests *q, bool single)
{
    const iba_time pause = iba_obs_pause(l, q);
    const bool skips = iba_psn_diff(l->psn, q->next) > 0;
    const bool oldest = q->answered && iba_psn_eq(l->psn, q->una);

    if (!skips && q->run.kind == IBA_FINDING_RETRY_RNR)
        return false;
    if (single || (oldest && (pause >= IBA_OBS_FLIGHT_NS || iba_obs_stopped(l, q))) ||
        iba_obs_goes_on_elsewhere(l, q) || (pause >= IBA_OBS_LEAST_RTT_NS && iba_obs_held_back(l, q)))
        return true;
    return skips &&
           (pause >= IBA_OBS_SOONEST_TIMEOUT_NS || (pause >= IBA_OBS_LEAST_RTT_NS && iba_obs_was_asked_for(l, q)));
}

/* The requester's timer ran out after a NAK that ends the connection, and after the NAK had time to reach it. So the
 * NAK was lost after the capture point, and the connection goes on. */
static void outlive_nak(const struct iba_look *l, struct iba_obs_requests *q)
{
    if (q->fatal.frame != 0 && l->s->now.at - q->fatal.at >= IBA_OBS_ROUND_NS + iba_obs_rtt(l))
        q->fatal.frame = 0;
}

/* The request was sent before. `next` is where the requester would go on. */
static void take_again(struct iba_look *l, struct iba_obs_requests *q, uint32_t n, iba_psn next, bool asked_for)
{
    const bool single = iba_obs_repeats_single(q);
    const bool paused = iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS;
    /* the responder has all packets before this one, or may have them if they are from before the capture */
    const bool before = iba_psn_diff(l->psn, q->first) < 0;
    const bool came = single || (paused && (before || (q->answered && iba_psn_diff(l->psn, q->una) <= 0)));
    const int32_t jumps = iba_psn_diff(l->psn, next), ahead = came && jumps > 0 ? 0 : jumps;
    /* A NAK for the packet that would come next anyway may have its effect later. Other reasons stop the requester. */
    const bool stops = q->pending.cause == IBA_CAUSE_RNR || (paused && q->pending.cause == IBA_CAUSE_IMPLIED);
    const bool starts =
        (asked_for && (jumps != 0 || stops)) || ahead < 0 || !q->run.on || comes_by_itself(l, q, single);

    const bool undecided = ahead != 0 && iba_obs_is_undecided(l, q);

    if (ahead > 0 && !undecided)
        report_gap(l, q, (uint32_t)ahead);
    if (starts)
        iba_obs_start_run(l, q);
    else
        q->run.longer = true;
    if (starts && !q->run.guess)
        ask_again(l);
    iba_obs_order_comes_again(l->flow, l->psn);
    misplaced(l, q, n);
    if (undecided || (starts && q->run.guess)) {
        q->undecided.mark = l->s->now;
        q->undecided.psn = l->psn;
        q->undecided.ahead = (uint16_t)(ahead < 0 ? 0 : ahead < UINT16_MAX ? ahead : UINT16_MAX);
        q->undecided.reported = !undecided && !(q->run.guess && q->run.alone);
        q->undecided.lawful = false;
        q->undecided.missed = iba_obs_misses_first(q, l->psn);
        q->undecided.paused = paused;
        if (q->undecided.reported)
            report_again(l, q);
        q->repeat = l->s->now;
        return;
    }
    report_again(l, q);
    if (!starts && !single)
        q->kept = 0; /* go-back-N: the requester sends the following packets again, too */
    if (starts && q->run.kind == IBA_FINDING_RETRY_TIMEOUT) {
        iba_obs_count_retry(l, q);
        outlive_nak(l, q);
    }
    q->run.on = true;
    iba_obs_use_up_reason(l, q, starts || ahead < 0 ? l->psn : next, iba_psn_add(l->psn, n));
    /* the skipped packets are no longer needed, but may still come */
    if (!starts && ahead == 0 && iba_psn_diff(l->psn, q->next) > 0)
        iba_obs_open_gap(q->gaps, &q->next_gap, l->s->now.at, q->next, (uint32_t)iba_psn_diff(l->psn, q->next));
    move(l, q, n);
}

/* Forgets a request that jumped far ahead, when this one continues the packet before that request. */
static void undo_jump(const struct iba_look *l, struct iba_obs_requests *q)
{
    const int32_t back = iba_psn_diff(l->psn, q->jump.next);

    if (q->jump.on && back < IBA_OBS_JUMP && back > -IBA_OBS_JUMP && iba_psn_diff(q->next, l->psn) >= IBA_OBS_JUMP) {
        q->high = q->jump.high;
        q->next = q->jump.next;
        q->seq = q->jump.seq;
    }
    q->jump.on = false;
}

/* Forgets the first request of the capture, too, when the second one goes far back. */
__attribute__((cold)) static void forget_first(const struct iba_look *l, struct iba_obs_requests *q)
{
    if (q->any && iba_psn_diff(q->next, l->psn) >= IBA_OBS_JUMP)
        memset(q, 0, sizeof *q);
}

/* The request fills a gap, though nothing asked for it, and the packets after it have just come. Some senders do not
 * send in the order of PSNs. */
__attribute__((cold)) static bool fills_only(const struct iba_look *l, struct iba_obs_requests *q)
{
    return iba_obs_comes_first(l, q) && !q->run.on && l->s->now.at - q->last.at < IBA_OBS_AT_ONCE_NS &&
           !iba_obs_was_asked_for(l, q);
}

/* The capture may have begun inside a connection, after later PSNs than these were sent. */
static bool begins_inside(const struct iba_look *l, const struct iba_obs_requests *q, int32_t lost)
{
    return l->flow->requests <= IBA_OBS_FEW + 1 &&
           (q->ahead || (iba_obs_begins_apart(l, q) && lost > IBA_OBS_MOST_LOST));
}

/* The number of PSNs that a new packet jumps over. After a retransmission the requester may go on with a new packet, if
 * the responder has the packets in between. */
static int32_t lost_before(const struct iba_look *l, struct iba_obs_requests *q, iba_psn next)
{
    const int32_t lost = iba_psn_diff(l->psn, next), beyond = iba_psn_diff(l->psn, q->high);
    const bool went_back = q->run.on && !iba_psn_eq(next, q->high);

    const bool kept = went_back && beyond == 0 && q->answered && iba_psn_diff(q->una, q->next) > 0;

    if (lost <= 0)
        return lost;
    if (begins_inside(l, q, lost) || kept)
        return 0;
    if (!went_back || q->run.kind == IBA_FINDING_RETRY_RNR)
        return lost;
    return iba_obs_repeats_single(q) || (beyond == 0 && iba_obs_skips(l, q, next)) ? beyond : lost;
}

/* Decides whether the packet is new, sent again, late, or after a gap. */
static void place(struct iba_look *l, struct iba_obs_requests *q, uint32_t n)
{
    if (q->undecided.mark.frame != 0)
        iba_obs_settle(l->s, l->flow,
                       l->s->now.at - q->undecided.mark.at < IBA_OBS_AT_ONCE_NS ? follows_misplaced(l, q)
                                                                                : iba_obs_went_back_alone(l->s, q));
    const iba_psn next = expected(q, l->psn);
    const bool again = iba_psn_diff(l->psn, q->high) < 0;
    if (again)
        iba_obs_undo_effect(l, q);
    const bool asked_for =
        q->pending.cause != IBA_CAUSE_NONE && !q->pending.served && iba_psn_eq(l->psn, q->pending.psn);

    if (iba_psn_eq(l->psn, next))
        l->late = false; /* a PSN in order shows that the packet is not late, whatever its identification */
    const struct iba_decision *by = again && !l->late ? iba_obs_lateness(l, q) : NULL;
    if (l->late || (by && (by->kind || fills_only(l, q)))) {
        take_late(l, q, n, by && by->kind ? by : NULL);
        return;
    }
    /* a requester already going back does not wait */
    if (asked_for && !(again && q->run.on && iba_psn_eq(l->psn, next)))
        too_soon(l, q);
    if (again) {
        take_again(l, q, n, next, asked_for);
        return;
    }
    const int32_t jumps = lost_before(l, q, next);
    const bool deferred = jumps > 0 && iba_obs_defers_jump(l, q, next, (uint32_t)jumps);
    if (l->peer && l->peer->order.n)
        iba_obs_order_taken(l->s, l->peer, true, l->psn);
    if (jumps > 0 && !deferred)
        report_gap(l, q, (uint32_t)jumps);
    q->ahead = false;
    q->jump.on = jumps >= IBA_OBS_JUMP;
    q->jump.high = q->high;
    q->jump.next = q->next;
    q->jump.seq = q->seq;
    q->run.on = false;
    move(l, q, n);
}

static bool wants_answer(const struct iba_look *l)
{
    return iba_bth_a(l->bth) || iba_obs_fetches(l);
}

static void note_ask(struct iba_look *l, struct iba_obs_requests *q, uint32_t n)
{
    const iba_psn psn = iba_psn_add(l->psn, n - 1);

    if (!wants_answer(l))
        return;
    if (q->ask.any && iba_psn_eq(psn, q->ask.psn)) {
        q->ask.again++;
        q->ask.pause = l->s->now.at - q->ask.last.at;
        q->ask.last = l->s->now;
    } else if (!q->ask.any || iba_psn_diff(psn, q->ask.psn) > 0) {
        q->ask.any = true;
        q->ask.again = 0;
        q->ask.psn = psn;
        q->ask.mark = q->ask.last = l->s->now;
    }
}

/* Returns the entry for a READ that takes `n` PSNs from `psn` on. The entry is `found`, the remembered READ with this
 * PSN, or if `found` is NULL the first entry within these PSNs. Other READs within these PSNs are forgotten. */
static struct iba_obs_read *take_read(struct iba_obs_requests *q, struct iba_obs_read *found, iba_psn psn, uint32_t n)
{
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_obs_read *r = &q->read[i];
        const int32_t d = iba_psn_diff(r->psn, psn);
        if (!r->used || r == found || d < 0 || (uint32_t)d >= n)
            continue;
        if (found)
            r->used = false;
        else
            found = r;
    }
    return found;
}

/* Records READs and all other requests that are answered by more than an ACK. */
static void note_read(struct iba_look *l, struct iba_obs_requests *q, struct iba_obs_read *at, uint32_t n,
                      bool sent_before)
{
    const bool read = iba_obs_is_read(l->opcode);
    struct iba_obs_read *r = take_read(q, at, l->psn, n);
    const struct iba_obs_read before = r ? *r : (struct iba_obs_read){.seen = l->psn};
    const bool known = r != NULL, again = known || sent_before;

    if (!iba_obs_fetches(l))
        return;
    iba_obs_forget_alone(l, sent_before);
    if (!r) {
        r = &q->read[q->next_read];
        q->next_read = (uint8_t)((q->next_read + 1) % IBA_OBS_READS);
        q->n_read = (uint8_t)(q->n_read + (q->n_read < IBA_OBS_READS));
    }
    *r = (struct iba_obs_read){.mark = l->s->now,
                               .psn = l->psn,
                               .expect = l->psn,
                               .seen = before.seen,
                               .n = n,
                               .length = read ? iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth)) : 0,
                               .opcode = l->opcode,
                               .used = true,
                               .again = again,
                               .fresh = known && !iba_psn_eq(before.psn, l->psn),
                               .reported_before = before.reported || before.reported_before || (!known && again)};
    if (n == 0 && !q->open.used)
        q->open = *r;
}

static void remember(struct iba_look *l, struct iba_obs_requests *q, bool sent_before)
{
    struct iba_obs_sent *e = iba_obs_sent_at(q, l->psn);
    const bool counted = e && e->counted, again = e || sent_before, acked = e && e->acked;
    const uint32_t messages = counted ? e->messages : 0;

    e = &q->sent[l->psn.v % IBA_OBS_SENT];
    /* The entry of a newer request stays if this request is further back than the observer remembers. */
    if (e->mark.frame != 0 && e->generation == q->generation && iba_psn_diff(e->psn, l->psn) > 0 &&
        iba_psn_diff(q->high, e->psn) > 0 && iba_psn_diff(q->high, e->psn) <= IBA_OBS_SENT)
        return;
    *e = (struct iba_obs_sent){.mark = l->s->now,
                               .request = request_of(l),
                               .content = (uint16_t)l->content,
                               .messages = messages,
                               .psn = l->psn,
                               .generation = q->generation,
                               .opcode = l->opcode,
                               .cut = l->v->truncated,
                               .counted = counted,
                               .again = again,
                               .acked = acked};
}

/* The request was sent again because responses jumped over its answer. The capture began after its first transmission.
 */
static bool asks_for_missing(const struct iba_look *l)
{
    return iba_obs_fetches(l) && !l->again && !l->late && l->peer &&
           (iba_obs_fills(l->peer, true, l->psn) || iba_obs_asks_for_late(l->peer, l->psn));
}

void iba_obs_request(struct iba_look *l)
{
    struct iba_obs_requests *q = &l->flow->rq;

    if (!l->flow->peer) /* iba_obs_wait_for_peer() reads it below */
        __builtin_prefetch(iba_obs_chain_of_packet(l->s, iba_obs_id(l), l->psn, false));
    l->flow->requests++;
    iba_obs_payload(l);
    if (l->flow->requests == 2)
        forget_first(l, q);
    if (!q->any)
        begin(l, q);
    /* A requester that sends requests again may not have got the NAK. */
    if (q->fatal.frame != 0 && l->s->now.at - q->fatal.at > IBA_OBS_FLIGHT_NS && iba_psn_diff(l->psn, q->high) >= 0)
        iba_obs_report(l, IBA_FINDING_AFTER_FATAL, &(struct iba_obs_detail){.cause = &q->fatal});
    resolve_open(l, q);
    if (iba_psn_diff(l->psn, q->high) < 0) {
        iba_obs_release_by_request(l);
        iba_obs_pair_by_refusal(l);
    }
    l->again = iba_obs_read_at(q, l->psn);
    const uint32_t n = iba_obs_psns(l), least = n ? n : 1;
    if (inside_read(l)) {
        q->last = l->s->now;
        return;
    }
    too_much(l);
    undo_jump(l, q);
    if (!l->late)
        iba_obs_resolve_unsent(l, q);
    const bool sent_before = iba_psn_diff(l->psn, q->high) < 0 && !iba_obs_comes_first(l, q);
    if (asks_for_missing(l))
        iba_obs_order_asked(l->s, l->peer, true, l->psn);
    place(l, q, least);
    q->together |= l->flow->requests > 1 && iba_obs_pause(l, q) < IBA_OBS_LEAST_RTT_NS;
    remember(l, q, sent_before);
    iba_obs_wait_for_peer(l);
    struct iba_obs_read *known = iba_obs_read_at(q, l->psn);
    /* the packet asks for the rest of a READ, so it is no new message */
    const bool rest = known && !iba_psn_eq(known->psn, l->psn);
    note_read(l, q, known, n, sent_before);
    note_ask(l, q, least);
    if (iba_psn_eq(l->psn, q->seq) && !rest) {
        if (q->credit.limited)
            iba_obs_stall(l, q);
        iba_obs_message(l, q);
        q->seq = iba_psn_add(l->psn, least);
    }
    q->last = l->s->now;
}

void iba_obs_unreliable(struct iba_look *l)
{
    struct iba_obs_requests *q = &l->flow->rq;

    l->flow->requests++;
    iba_obs_payload(l);
    if (!q->any)
        begin(l, q);
    const int32_t d = iba_psn_diff(l->psn, q->next);
    if (d < 0) {
        iba_obs_report(l, IBA_FINDING_LATE, &(struct iba_obs_detail){.cause = &q->last});
        return;
    }
    if (d > 0) {
        iba_obs_report(l, IBA_FINDING_GAP, &(struct iba_obs_detail){.cause = &q->last, .count = (uint32_t)d});
        q->message = IBA_MESSAGE_UNKNOWN;
    }
    iba_obs_message(l, q);
    move(l, q, 1);
    q->last = l->s->now;
}
