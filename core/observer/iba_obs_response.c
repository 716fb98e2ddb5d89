/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses: their contents, the requests that they prove to have arrived, and the reaction of the requester. */
#include <string.h>
#include "observer/iba_obs_response.h"
#include "observer/iba_obs_ack.h"
#include "observer/iba_obs_alone.h"
#include "observer/iba_obs_credit.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_message.h"
#include "observer/iba_obs_pairing.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_read.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_reorder.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_selective.h"
#include "observer/iba_obs_unsent.h"

enum { MOST_BACK = 1 << 16 }; /* PSNs */

static bool never_sent(const struct iba_obs_requests *q, iba_psn psn)
{
    if (iba_psn_diff(q->first, psn) > MOST_BACK)
        return true; /* no responder answers a PSN so far back */
    if (q->open.used && iba_psn_diff(psn, q->open.psn) < (int32_t)iba_mtu_packets(q->open.length, 256))
        return false;
    return iba_psn_diff(psn, q->high) >= 0;
}

/* Counts the PSNs from `q->seq` to before `end` for which the capture has no request. Requests that are no longer
 * remembered are not counted. */
static uint32_t unseen(struct iba_obs_requests *q, iba_psn end)
{
    const int32_t all = iba_psn_diff(end, q->seq), forgotten = iba_psn_diff(q->high, q->seq) - IBA_OBS_SENT;
    uint32_t n = 0;

    for (int32_t i = forgotten > 0 ? forgotten : 0; i < all; i++) {
        const iba_psn at = iba_psn_add(q->seq, (uint32_t)i);
        n += !iba_obs_sent_at(q, at) && !iba_obs_read_at(q, at);
    }
    return n;
}

/* The responder has all requests up to `psn`. So requests that the capture lacks were not lost. */
static void arrived(struct iba_look *l, struct iba_obs_requests *q, iba_psn psn)
{
    const iba_psn end = iba_psn_add(psn, 1);

    if (iba_psn_diff(end, q->seq) <= 0 || q->open.used)
        return;
    const uint32_t n = unseen(q, end);
    if (n > 0)
        iba_obs_report(l, IBA_FINDING_NOT_CAPTURED,
                       &(struct iba_obs_detail){.cause = q->gap.frame ? &q->gap : NULL, .count = n});
    iba_obs_go_on_at(q, end);
}

/* True when requests from before the capture explain the MSN. A capture may begin in the middle of a connection, whose
 * MSN began at 0 (RR-16), and while requests are sent again. The responses to these requests count messages that were
 * sent before the capture, so later responses seem to count too few. Such requests do not excuse a responder that has
 * sent a wrong MSN before. Such requests do not excuse a responder that counts fewer messages than the capture has: the
 * connection is hardly so old that its MSN has just wrapped to 0. */
static bool counted_before(const struct iba_look *l, const struct iba_obs_requests *q, uint32_t hi)
{
    const iba_psn start = iba_psn_of(0), most = iba_psn_of(q->msn_hi);
    const bool young = iba_psn_diff(iba_psn_of(q->msn_lo), start) <= 0 && iba_psn_diff(most, start) >= -IBA_OBS_SENT;
    const struct iba_obs_sent *const first = iba_obs_request_at(q, q->first);
    const iba_time began = first ? first->mark.at : l->peer->first.at;

    return !young && !q->miscounts && iba_psn_diff(iba_psn_of(hi), most) < 0 &&
           l->s->now.at - began < IBA_OBS_FLIGHT_NS;
}

/* Compares the MSN with the messages. The MSN counts at least the messages that ended up to the PSN of the response,
 * and at most all messages that were sent (RR-16, RR-17). A NAK counts exactly the messages before its PSN (RR-18). The
 * start of the count is known only as a range, which each response narrows. */
static void check_msn(struct iba_look *l, struct iba_obs_requests *q, const struct iba_obs_sent *e)
{
    if (!e || !e->counted || iba_obs_waits_unsent(q))
        return;
    const bool positive = iba_syndrome_kind(l->syndrome) == IBA_AETH_ACK;
    const struct iba_opcode *op = &iba_opcodes[e->opcode];
    const bool ends = iba_opcode_ends(op);
    const int32_t uncounted = iba_psn_diff(q->high, q->seq);
    const uint32_t least = e->messages + (positive && ends && !iba_obs_is_read(e->opcode));
    const uint32_t most = positive ? q->messages + (uncounted > 0 ? (uint32_t)uncounted : 0) : e->messages;
    const uint32_t lo = (l->msn - most) & IBA_PSN_MASK, hi = (l->msn - least) & IBA_PSN_MASK;

    if (q->counts) {
        const uint32_t from = iba_psn_diff(iba_psn_of(lo), iba_psn_of(q->msn_lo)) > 0 ? lo : q->msn_lo;
        const uint32_t to = iba_psn_diff(iba_psn_of(hi), iba_psn_of(q->msn_hi)) < 0 ? hi : q->msn_hi;
        if (iba_psn_diff(iba_psn_of(to), iba_psn_of(from)) >= 0) {
            q->msn_lo = from;
            q->msn_hi = to;
            return;
        }
        if (l->flow->guess) {
            iba_obs_unpair(l->s, l->flow);
            return;
        }
        if (!counted_before(l, q, hi)) {
            iba_obs_report(l, IBA_FINDING_MSN_WRONG, &(struct iba_obs_detail){.cause = &e->mark, .count = l->msn});
            q->miscounts = true;
        }
    }
    q->counts = true;
    q->msn_lo = lo;
    q->msn_hi = hi;
}

/* A capture that has just begun, in the middle of a connection, does not show how often the READ was sent, and which of
 * its transmissions were answered. */
__attribute__((cold)) static bool asked_before(const struct iba_look *l, const struct iba_obs_requests *q,
                                               const struct iba_obs_read *r)
{
    const bool at_once = l->s->now.at - r->mark.at < IBA_OBS_LEAST_RTT_NS;

    return q->older && l->s->now.at - l->peer->first.at < IBA_OBS_FLIGHT_NS &&
           (at_once ? !r->again : r->again && !l->flow->has_rtt);
}

/* A response that acknowledges everything up to `psn` jumps over the missing answers of READs and ATOMICs before it
 * (RQ-36). Only the first missing answer is reported. The answer to a READ that was sent again just now may still come.
 * For such a READ, the missing answer is the one to the earlier transmission. */
static bool passed_over(struct iba_look *l, struct iba_obs_requests *q, iba_psn psn, const struct iba_obs_read *own)
{
    const struct iba_obs_read *missing = NULL;
    iba_psn from = {0};
    uint32_t n = 0;

    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_obs_read *r = &q->read[i];
        if (!r->used || r == own || r->n == 0 || iba_psn_diff(psn, r->psn) < 0)
            continue;
        const bool before = r->again && l->s->now.at - r->mark.at < 2 * iba_obs_rtt(l) + IBA_OBS_LEAST_RTT_NS;
        const iba_psn end = iba_psn_add(r->psn, r->n), stops = before ? r->seen : r->expect;
        bool *reported = before ? &r->reported_before : &r->reported;
        if (*reported || iba_psn_diff(stops, end) >= 0 || asked_before(l, q, r))
            continue;
        *reported = true;
        if (iba_obs_answer_came(l, r))
            continue;
        iba_obs_miss(l->s, l->flow, q, stops, end);
        n += (uint32_t)iba_psn_diff(end, stops);
        if (!missing || iba_psn_diff(r->psn, missing->psn) < 0) {
            missing = r;
            from = stops;
        }
    }
    if (!missing)
        return false;
    if (!iba_obs_puts_off_missing(l, missing, own, from, n))
        iba_obs_report(l, IBA_FINDING_ANSWER_MISSING, &(struct iba_obs_detail){.cause = &missing->mark});
    iba_obs_progress(q, psn);
    iba_obs_expect_retry(l, q, IBA_CAUSE_IMPLIED, from, 0);
    return true;
}

/* Updates the minimum time between a request and its response. */
static void learn_rtt(struct iba_look *l, struct iba_obs_requests *q)
{
    const struct iba_obs_sent *e = iba_obs_sent_at(q, l->psn);
    const iba_time took = e ? l->s->now.at - e->mark.at : 0;

    if (!e || e->again || took > IBA_OBS_AT_ONCE_NS || (l->flow->has_rtt && took >= l->flow->rtt_min_ns))
        return;
    const struct iba_obs_read *r = iba_obs_read_at(q, l->psn);
    if (r && r->again)
        return;
    l->flow->rtt_min_ns = (uint32_t)took;
    l->flow->has_rtt = true;
}

static void acknowledge(struct iba_look *l, struct iba_obs_requests *q)
{
    if (iba_obs_is_answered(q, l->psn))
        iba_obs_ack_again(l, q);
    else {
        (void)passed_over(l, q, l->psn, NULL);
        arrived(l, q, l->psn);
        iba_obs_progress(q, l->psn);
        if (l->peer->order.n)
            iba_obs_order_taken(l->s, l->peer, false, l->psn);
    }
    check_msn(l, q, iba_obs_sent_at(q, l->psn));
}

static void rnr(struct iba_look *l, struct iba_obs_requests *q)
{
    q->rnr_wait_ns = iba_rnr_timer_ns(l->syndrome);
    if (iba_obs_is_answered(q, l->psn))
        return;
    q->ask.any = false; /* an RNR NAK is an answer, too */
    q->stuck.n = 0;
    if (passed_over(l, q, iba_psn_add(l->psn, IBA_PSN_MASK), NULL))
        return; /* the requester sends the request of the missing answer again instead (RQ-36) */
    iba_obs_progress(q, iba_psn_add(l->psn, IBA_PSN_MASK));
    q->refused++;
    iba_obs_expect_retry(l, q, IBA_CAUSE_RNR, l->psn, q->rnr_wait_ns);
}

static bool misses_an_answer(const struct iba_look *l, struct iba_obs_requests *q)
{
    const struct iba_obs_read *r =
        q->pending.cause == IBA_CAUSE_IMPLIED && !q->pending.served ? iba_obs_read_at(q, q->pending.psn) : NULL;

    return r && l->s->now.at - q->pending.mark.at < IBA_OBS_FLIGHT_NS &&
           iba_psn_diff(r->expect, iba_psn_add(r->psn, r->n)) < 0;
}

static void nak_sequence(struct iba_look *l, struct iba_obs_requests *q)
{
    const bool asked = !q->pending.served && iba_psn_eq(q->pending.psn, l->psn);
    const struct iba_obs_detail t = {.cause = &q->pending.mark};

    if (iba_obs_is_answered(q, l->psn))
        return;
    iba_obs_order_asked(l->s, l->peer, false, l->psn);
    if (asked && q->pending.cause == IBA_CAUSE_RNR) {
        iba_obs_report(l, IBA_FINDING_NAK_AFTER_RNR, &t);
        return; /* the requester still waits for an earlier RNR NAK */
    }
    if (asked && q->pending.cause == IBA_CAUSE_NAK)
        iba_obs_report(l, IBA_FINDING_NAK_AGAIN, &t);
    q->ask.any = false;
    q->stuck.n = 0; /* some requesters reload their retry counter (RQ-23) */
    const bool implied = passed_over(l, q, iba_psn_add(l->psn, IBA_PSN_MASK), NULL) || misses_an_answer(l, q);
    arrived(l, q, iba_psn_add(l->psn, IBA_PSN_MASK));
    iba_obs_progress(q, iba_psn_add(l->psn, IBA_PSN_MASK));
    const struct iba_obs_reason missing = q->pending;
    iba_obs_expect_retry(l, q, IBA_CAUSE_NAK, l->psn, 0);
    if (iba_psn_diff(l->psn, q->first) < 0 && !iba_obs_sent_at(q, l->psn) &&
        !iba_obs_gap_at(l->s, q->gaps, l->psn)) /* packets before the first captured one may come late */
        iba_obs_open_gap(q->gaps, &q->next_gap, l->s->now.at, l->psn, 1);
    if (!implied)
        return;
    /* The requester goes back to the request of the missing answer (RQ-36). From there on it also sends the packets
     * again that the NAK asks for. The requester goes back to the NAK's PSN instead when only the capture lacks the
     * answer. */
    iba_obs_expect_retry(l, q, IBA_CAUSE_IMPLIED, missing.psn, 0);
    q->pending.mark = missing.mark;
}

/* The requester waits for answers to READs or ATOMICs before `psn` that it has sent again. */
static bool waits(const struct iba_obs_requests *q, iba_psn psn)
{
    for (unsigned i = 0; i < q->n_read; i++) {
        const struct iba_obs_read *r = &q->read[i];
        if (r->used && r->again && r->n != 0 && iba_psn_diff(r->psn, psn) < 0 &&
            iba_psn_diff(r->expect, iba_psn_add(r->psn, r->n)) < 0)
            return true;
    }
    return false;
}

static void fatal(struct iba_look *l, struct iba_obs_requests *q)
{
    if (iba_obs_is_answered(q, l->psn))
        return;
    if (passed_over(l, q, iba_psn_add(l->psn, IBA_PSN_MASK), NULL) || waits(q, l->psn)) {
        q->ignored_nak = l->s->now; /* the requester sends the request of the missing answer again instead (RQ-36), if
                                    the requester lacks that answer, too */
        return;
    }
    iba_obs_progress(q, iba_psn_add(l->psn, IBA_PSN_MASK));
    q->pending.cause = IBA_CAUSE_NONE;
    if (q->fatal.frame == 0)
        q->fatal = l->s->now;
}

/* Reports the syndrome of the AETH, whether or not its request was captured. */
static void report_syndrome(struct iba_look *l, struct iba_obs_requests *q)
{
    static const uint8_t nak[IBA_NAK_CODES] = {IBA_FINDING_NAK_SEQUENCE, IBA_FINDING_NAK_INVALID,
                                               IBA_FINDING_NAK_ACCESS, IBA_FINDING_NAK_OPERATION, IBA_FINDING_NAK_RD};
    const uint8_t kind = iba_syndrome_kind(l->syndrome), code = iba_syndrome_code(l->syndrome);
    const struct iba_obs_sent *e = q ? iba_obs_sent_at(q, l->psn) : NULL;
    struct iba_obs_detail t = {.cause = e ? &e->mark : NULL, .count = code};

    if (kind == IBA_AETH_ACK)
        return;
    if (kind == IBA_AETH_RNR) {
        t.wait_ns = iba_rnr_timer_ns(code);
        iba_obs_report(l, IBA_FINDING_RNR, &t);
    } else if (kind != IBA_AETH_NAK) {
        t.count = l->syndrome;
        iba_obs_report(l, IBA_FINDING_SYNDROME_RESERVED, &t);
    } else {
        iba_obs_report(l, code < IBA_NAK_CODES ? (enum iba_finding_kind)nak[code] : IBA_FINDING_NAK_RESERVED, &t);
        if (code > IBA_NAK_SEQUENCE && code < IBA_NAK_CODES && l->flow->fatal.frame == 0)
            l->flow->fatal = l->s->now;
    }
}

static void negative(struct iba_look *l, struct iba_obs_requests *q)
{
    const uint8_t kind = iba_syndrome_kind(l->syndrome), code = iba_syndrome_code(l->syndrome);

    /* The NAK refuses a request that the responder has accepted since. A responder refuses no duplicates (RR-24), so
     * the NAK is late. */
    if (iba_obs_is_answered(q, l->psn) && !iba_obs_has_newer_id(l) &&
        (kind == IBA_AETH_RNR || (kind == IBA_AETH_NAK && code == IBA_NAK_SEQUENCE)))
        iba_obs_report(l, IBA_FINDING_LATE, NULL);
    if (kind == IBA_AETH_RNR)
        rnr(l, q);
    else if (kind == IBA_AETH_NAK && code == IBA_NAK_SEQUENCE)
        nak_sequence(l, q);
    else if (kind == IBA_AETH_NAK && code < IBA_NAK_CODES)
        fatal(l, q);
    else
        return; /* the requester ignores reserved syndromes (RQ-52) */
    check_msn(l, q, iba_obs_sent_at(q, l->psn));
}

/* The direction of the refused request is not known yet. The direction becomes known when the request comes again. */
static void note_refusal(const struct iba_look *l)
{
    const uint8_t kind = iba_syndrome_kind(l->syndrome), code = iba_syndrome_code(l->syndrome);
    struct iba_obs_reason *r = &l->flow->refused;

    if (kind != IBA_AETH_RNR && (kind != IBA_AETH_NAK || code != IBA_NAK_SEQUENCE))
        return;
    *r = (struct iba_obs_reason){.cause = IBA_CAUSE_NAK, .psn = l->psn, .mark = l->s->now};
    if (kind == IBA_AETH_RNR) {
        r->cause = IBA_CAUSE_RNR;
        r->wait_ns = iba_rnr_timer_ns(code);
    }
}

/* The response continues the answer to a READ that the capture is already known to lack. */
static bool continues_unseen(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return q->ahead && !iba_opcode_begins(l->op) && iba_psn_eq(l->psn, q->high) && l->flow->has_answers &&
           iba_psn_eq(l->psn, l->flow->answers);
}

/* The requests that the response answers. NULL: they are not known well enough to judge the response. */
static struct iba_obs_requests *answered(struct iba_look *l)
{
    struct iba_obs_requests *q = l->peer ? &l->peer->rq : NULL;

    if (!q || !q->any)
        return NULL;
    q->older |= iba_psn_diff(l->psn, q->first) < 0;
    if (!never_sent(q, l->psn))
        return q;
    if (!l->flow->guess && continues_unseen(l, q)) {
        q->high = iba_psn_add(l->psn, 1);
        iba_obs_go_on_at(q, q->high);
        return q;
    }
    /* Before the first response, nothing shows how far the requester had come when the capture began. */
    if (!l->flow->guess && !q->answered && iba_psn_diff(l->psn, q->high) < IBA_OBS_SENT &&
        iba_psn_diff(l->psn, q->high) >= 0) {
        const iba_psn end = iba_psn_add(l->psn, 1);
        iba_obs_report(l, IBA_FINDING_NOT_CAPTURED,
                       &(struct iba_obs_detail){.count = (uint32_t)iba_psn_diff(end, q->high)});
        q->high = end;
        q->ahead = true;
        iba_obs_go_on_at(q, end);
        return q;
    }
    if (l->flow->guess)
        iba_obs_unpair(l->s, l->flow);
    else
        iba_obs_hold_unsent(l, q);
    return NULL;
}

static void count_row(const struct iba_look *l)
{
    struct iba_flow *f = l->flow;
    const bool goes_on = iba_psn_eq(l->psn, f->row.next) && l->s->now.at - f->last.at < IBA_OBS_AT_ONCE_NS;

    f->row.before =
        !goes_on && l->s->now.at - f->last.at < IBA_OBS_LEAST_RTT_NS && iba_psn_diff(l->psn, f->row.next) > 0 ? f->row.n
                                                                                                              : 0;
    f->row.n = iba_obs_count(f->row.n, goes_on);
    f->row.next = iba_psn_add(l->psn, 1);
}

/* Takes a response with data. Returns false if the response came late, or may have come late. */
static bool data(struct iba_look *l, struct iba_obs_requests *q)
{
    struct iba_obs_read *r = iba_obs_read_at(q, l->psn);
    const struct iba_decision *by =
        l->flow->row.n <= IBA_OBS_RUN || iba_obs_fills_once(l, r) ? iba_obs_answer_lateness(l, r) : NULL;
    const bool late = by && by->kind;
    const bool begins_inside = iba_obs_begins_inside(l, r);
    if (begins_inside || iba_obs_holds(l, r)) {
        iba_obs_release_alone(l->s, l->flow);
        l->flow->undecided =
            (struct iba_obs_undecided){.mark = l->s->now,
                                       .psn = l->psn,
                                       .answers = l->flow->answers,
                                       .from = begins_inside ? r->psn : l->psn,
                                       .again = begins_inside,
                                       .late = late || begins_inside || (r && iba_psn_diff(r->expect, l->psn) > 0)};
        if (begins_inside)
            return false;
        l->flow->undecided.again = late && iba_obs_answered_before(l);
        if (late)
            return false;
    }
    if (late) {
        iba_obs_report(l, IBA_FINDING_LATE, &(struct iba_obs_detail){.cause = r ? &r->mark : NULL, .decision = by});
        iba_obs_close_gap(l->s, l->flow->unanswered, l->psn);
        if (r && iba_psn_eq(l->psn, r->seen))
            r->seen = iba_psn_add(l->psn, 1); /* this response came, though late */
        return false;
    }
    const int32_t lost = iba_psn_diff(l->psn, l->flow->answers);
    const bool goes_on = !iba_opcode_begins(l->op) && l->flow->has_answers && lost >= 0 && lost <= IBA_OBS_MOST_LOST;
    (void)passed_over(l, q, l->psn, r);
    iba_obs_read_response(l, q, r);
    if (!r && !goes_on)
        arrived(l, q, l->psn);
    else if (!r && iba_psn_diff(l->psn, q->seq) >= 0)
        iba_obs_go_on_at(q, iba_psn_add(l->psn, 1));
    else if (r && iba_psn_diff(iba_psn_add(r->psn, 1), q->seq) > 0)
        arrived(l, q, iba_psn_add(r->psn, (r->n ? r->n : 1) - 1));
    if (iba_view_has(l->v, IBA_H_aeth) && r)
        check_msn(l, q, iba_obs_sent_at(q, r->psn));
    return true;
}

static void note_time(const struct iba_look *l)
{
    struct iba_flow *f = l->flow;

    if (l->s->now.at - f->responded.last >= IBA_OBS_ROUND_NS) {
        f->responded.before = f->responded.last;
        f->responded.again = l->s->now.at;
    }
    f->responded.last = l->s->now.at;
}

void iba_obs_response(struct iba_look *l)
{
    const bool aeth = iba_view_has(l->v, IBA_H_aeth);

    l->flow->responses++;
    note_time(l);
    iba_obs_payload(l);
    if (!l->peer)
        iba_obs_pair(l);
    else if (l->flow->once && iba_obs_sent_at(&l->peer->rq, l->psn))
        iba_obs_confirm_pair(l->s, l->flow); /* a second response answers a request of this pair */
    if (aeth)
        report_syndrome(l, l->peer ? &l->peer->rq : NULL);
    if (l->late) {
        iba_obs_report(l, IBA_FINDING_LATE, NULL);
        return;
    }
    struct iba_obs_requests *q = answered(l);
    if (!q) {
        if (aeth && (!l->peer || !l->peer->rq.any))
            note_refusal(l);
        if (!l->peer || !l->peer->rq.any)
            iba_obs_response_alone(l);
        return;
    }
    const iba_psn una = q->una;
    iba_obs_release(l->s, l->flow, l);
    learn_rtt(l, q);
    count_row(l);
    if (aeth && iba_syndrome_kind(l->syndrome) != IBA_AETH_ACK)
        negative(l, q);
    else if (l->op->operation == IBA_OPERATION_ACK)
        acknowledge(l, q);
    else if (!data(l, q))
        return;
    if (q->run.on || q->unproven || q->undecided.mark.frame != 0)
        iba_obs_learn_kept(l, q, una);
    struct iba_obs_sent *e = iba_obs_sent_at(q, l->psn);
    if (e && iba_syndrome_kind(l->syndrome) == IBA_AETH_ACK)
        e->acked = true;
    if (aeth && iba_syndrome_kind(l->syndrome) == IBA_AETH_ACK) {
        l->flow->credits = iba_syndrome_code(l->syndrome);
        l->flow->has_aeth = true;
        iba_obs_grant(l, q);
    }
}
