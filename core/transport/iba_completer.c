/* SPDX-License-Identifier: BSD-2-Clause */
/* RC requester: how it handles a response (sections 9.7.5 to 9.7.7; catalogue 4.2 to 4.7).
 *
 * Responses answer the oldest open request. A response also acknowledges everything before its PSN (RQ-26, RQ-30,
 * RQ-35, RR-14), unless a READ or ATOMIC before that PSN still lacks its answer. So the rows first look for such a READ
 * or ATOMIC. Responses of XRC have the same opcodes with other service bits (RQ-60). */
#include <string.h>
#include "transport/iba_rd.h"
#include "transport/iba_receiver.h"
#include "transport/iba_requester.h"
#include "transport/iba_wr_ops.h"

/* clang-format off */
/*   the response ...       when                    then                     sentence                                                                    clause */
#define RC_COMPLETER_RULES(R)                                                                                                                               \
    R(RD_OTHER_SENDER,      iba_rd_other_sender,    drop,                    "the reliable datagram is for a QP that has no message in flight",             "UU-32") \
    R(ACK_WITH_PAYLOAD,     ack_with_payload,       drop,                    "the acknowledgement carries payload",                                       "WF-63") \
    R(RESERVED_SYNDROME,    reserved_syndrome,      drop,                    "the syndrome, or the NAK code in it, is reserved",                          "WF-48, RQ-52") \
    R(UNSOLICITED_ACK,      unsolicited_ack,        take_credits,            "the ACK repeats the last one: only its credits count",                      "RQ-34, RR-22") \
    R(DUPLICATE,            duplicate,              drop,                    "the PSN was acknowledged before",                                           "RQ-33, RQ-27, RQ-32, RQ-49") \
    R(NEVER_SENT,           never_sent,             drop,                    "the PSN was not sent yet",                                                  "RQ-33, RQ-27") \
    R(LOSS_KNOWN,           loss_known,             drop,                    "an earlier response is missing, and was requested again",                   "RQ-37") \
    R(NAK_KNOWN,            nak_known,              drop,                    "the NAK is for a PSN that is already being sent again",                     "RQ-23, RQ-28") \
    R(RETRIES_EXHAUSTED,    retries_exhausted,      fail_retry_exceeded,     "the response asks for a retry, and none is left",                           "RQ-22, RQ-23") \
    R(RESPONSE_LOST,        response_lost,          iba_requester_ask_again, "the response to an earlier READ or ATOMIC is missing: an implied NAK",      "RQ-36, RQ-37") \
    R(ACK_FOR_ANSWER,       ack_for_answer,         iba_requester_ask_again, "a plain ACK has the PSN of a READ or ATOMIC: its response is missing",      "RQ-38") \
    R(NAK_SEQUENCE,         nak_sequence,           iba_requester_resend,    "the responder misses this PSN",                                             "RQ-26") \
    R(RNR_EXHAUSTED,        rnr_exhausted,          fail_rnr_exceeded,       "the receiver is not ready, and no retry is left",                           "RQ-29") \
    R(RNR,                  rnr,                    iba_requester_wait,      "the receiver is not ready yet",                                             "RQ-28, RQ-30") \
    R(NAK_INVALID_REQUEST,  nak_invalid_request,    fail_invalid_request,    "the responder cannot take the request",                                     "RQ-51") \
    R(NAK_REMOTE_ACCESS,    nak_remote_access,      fail_remote_access,      "the responder denies the access",                                           "RQ-51") \
    R(NAK_REMOTE_OPERATION, nak_remote_operation,   fail_remote_operation,   "the responder failed",                                                      "RQ-51") \
    R(NAK_INVALID_RD,       nak_invalid_rd,         fail_invalid_rd,         "the responder refuses the reliable datagram request",                       "RQ-51") \
    R(ACK,                  ack,                    acknowledge,             "the responder has everything up to this PSN",                               "RQ-35, RQ-24") \
    R(ANSWER_NOT_POSITIVE,  answer_not_positive,    fail_bad_response,       "the response carries data and a syndrome that is not ACK",                  "RQ-48, WF-47") \
    R(EXTENDED_DONE,        extended_done,          acknowledge,             "an empty READ Response Only ends a FLUSH or ATOMIC WRITE",                  "RR-32, RR-66") \
    R(OTHER_KIND,           other_kind,             fail_bad_response,       "the response does not fit that kind of request",                            "RQ-48") \
    R(READ_OUT_OF_ORDER,    read_out_of_order,      fail_bad_response,       "First, Middle, Last or Only is out of place",                               "RQ-46") \
    R(READ_WRONG_LENGTH,    read_wrong_length,      fail_local_length,       "the payload has the wrong length for its place",                            "RQ-47") \
    R(READ_DATA,            read_data,              store_read,              "the response has the next bytes of the READ",                               "RQ-38, RQ-07") \
    R(ATOMIC_RESULT,        atomic_result,          iba_requester_store_atomic, "the response has the value from before the ATOMIC",                         "RQ-50")
/* clang-format on */

/* ---- the kind of response ---- */

static bool is_plain(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_ACK;
}
static bool is_read(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_READ_RESPONSE;
}
static bool has_aeth(const struct iba_rx *x)
{
    return iba_view_has(x->v, IBA_H_aeth);
}
static const uint8_t *aeth(const struct iba_rx *x) /* the response must have an AETH */
{
    return iba_view_hdr(x->v, IBA_H_aeth);
}
static bool syndrome_is(const struct iba_rx *x, unsigned kind)
{
    return has_aeth(x) && iba_aeth_syn_kind(aeth(x)) == kind;
}
static bool nak_is(const struct iba_rx *x, unsigned code)
{
    return is_plain(x) && syndrome_is(x, IBA_AETH_NAK) && iba_aeth_syn_value(aeth(x)) == code;
}

/* ---- the PSN of the response ---- */

/* Returns the number of PSNs from the oldest unacknowledged PSN to the response's PSN. */
static uint32_t past(const struct iba_rx *x)
{
    return iba_psn_past(x->qp, x->psn);
}
/* The request that the response's PSN belongs to; the PSN is open. NULL: the request was sent in part, and failed
 * locally. */
static const struct iba_sqe *owner(const struct iba_rx *x)
{
    for (uint32_t i = 0; i < x->qp->s.count; i++) {
        const struct iba_sqe *e = iba_sqe_at(x->qp, i);
        if (e->state == IBA_SQE_BEGUN && iba_psn_past(x->qp, e->last) >= past(x))
            return e;
        if (e->state == IBA_SQE_WAITING || e->state == IBA_SQE_FAULTY)
            break;
    }
    return NULL;
}
/* Returns whether a READ or ATOMIC before or at the response's PSN lacks its answer. *at becomes the PSN of the missing
 * answer; it is unchanged when no answer is missing. */
static bool missing(const struct iba_rx *x, iba_psn *at)
{
    const struct iba_qp *qp = x->qp;

    if (qp->s.rd_open == 0)
        return false;
    for (uint32_t i = 0; i < qp->s.count; i++) {
        const struct iba_sqe *e = iba_sqe_at(qp, i);
        if (e->state == IBA_SQE_DONE)
            continue;
        const iba_psn from = i == 0 ? qp->s.una : e->first;
        if (e->state != IBA_SQE_BEGUN || iba_psn_past(qp, from) > past(x))
            return false;
        if (iba_sqe_is(e, IBA_FORM_ANSWERED)) {
            *at = from;
            return true;
        }
    }
    return false;
}
/* The retry counters after everything before the response's PSN is acknowledged (RQ-24, RQ-31). */
static uint8_t retries(const struct iba_rx *x)
{
    return iba_psn_eq(iba_requester_missing(x), x->qp->s.una) ? x->qp->s.retry_left
                                                              : iba_requester_retries(x->ca, x->qp).retry;
}
static uint8_t rnr_retries(const struct iba_rx *x)
{
    if (iba_is_context(x->qp)) {
        const struct iba_qp *sender = iba_rd_sender(x->ca, x->qp);
        return sender ? sender->s.rnr_left : IBA_RNR_FOR_EVER;
    }
    return past(x) == 0 ? x->qp->s.rnr_left : iba_requester_retries(x->ca, x->qp).rnr;
}

/* ---- predicates ---- */

static bool ack_with_payload(const struct iba_rx *x)
{
    return !is_read(x) && x->v->payload_len > 0;
}
static bool reserved_syndrome(const struct iba_rx *x)
{
    return has_aeth(x) && (iba_aeth_syn_reserved(aeth(x)) || syndrome_is(x, IBA_AETH_RESERVED) ||
                           (syndrome_is(x, IBA_AETH_NAK) && iba_aeth_syn_value(aeth(x)) >= IBA_NAK_CODES));
}
static bool unsolicited_ack(const struct iba_rx *x)
{
    return is_plain(x) && syndrome_is(x, IBA_AETH_ACK) && iba_psn_diff(x->psn, x->qp->s.una) == -1;
}
static bool duplicate(const struct iba_rx *x)
{
    return iba_psn_diff(x->psn, x->qp->s.una) < 0;
}
static bool never_sent(const struct iba_rx *x)
{
    return past(x) >= iba_psn_past(x->qp, x->qp->s.high_psn);
}
static bool response_lost(const struct iba_rx *x)
{
    iba_psn at;
    return missing(x, &at) && !iba_psn_eq(at, x->psn);
}
static bool ack_for_answer(const struct iba_rx *x)
{
    iba_psn at;
    return is_plain(x) && syndrome_is(x, IBA_AETH_ACK) && missing(x, &at);
}
static bool loss_known(const struct iba_rx *x)
{
    return x->qp->s.implied && (response_lost(x) || ack_for_answer(x));
}
static bool nak_sequence(const struct iba_rx *x)
{
    return nak_is(x, IBA_NAK_SEQUENCE);
}
static bool rnr(const struct iba_rx *x)
{
    return is_plain(x) && syndrome_is(x, IBA_AETH_RNR);
}
/* A NAK or RNR NAK that the requester has already handled. While an RNR timer runs, a responder may still send both
 * kinds (11.2/29). */
static bool nak_known(const struct iba_rx *x)
{
    const struct iba_qp *qp = x->qp;

    if (past(x) != 0 || !(nak_sequence(x) || rnr(x)))
        return false;
    return qp->s.rnr_due != IBA_NEVER || (iba_psn_eq(qp->s.next_psn, qp->s.una) && nak_sequence(x));
}
static bool retries_exhausted(const struct iba_rx *x)
{
    return (response_lost(x) || ack_for_answer(x) || nak_sequence(x)) && retries(x) == 0 &&
           !iba_requester_may_migrate(x->ca, x->qp);
}
static bool rnr_exhausted(const struct iba_rx *x)
{
    return rnr(x) && rnr_retries(x) == 0;
}
static bool nak_invalid_request(const struct iba_rx *x)
{
    return nak_is(x, IBA_NAK_INVALID_REQUEST);
}
static bool nak_remote_access(const struct iba_rx *x)
{
    return nak_is(x, IBA_NAK_REMOTE_ACCESS);
}
static bool nak_remote_operation(const struct iba_rx *x)
{
    return nak_is(x, IBA_NAK_REMOTE_OPERATION);
}
static bool nak_invalid_rd(const struct iba_rx *x)
{
    return nak_is(x, IBA_NAK_INVALID_RD);
}
static bool ack(const struct iba_rx *x)
{
    return is_plain(x) && syndrome_is(x, IBA_AETH_ACK);
}
static bool answer_not_positive(const struct iba_rx *x)
{
    return has_aeth(x) && !syndrome_is(x, IBA_AETH_ACK);
}
/* The answer to a FLUSH or ATOMIC WRITE is a READ Response without payload (catalogue 11.2, 40). */
static bool extended_done(const struct iba_rx *x)
{
    const struct iba_sqe *e = owner(x);
    return e && is_read(x) && x->op->pos == IBA_ONLY && x->v->payload_len == 0 &&
           (e->wr.op == IBA_WR_FLUSH || e->wr.op == IBA_WR_ATOMIC_WRITE);
}
static bool other_kind(const struct iba_rx *x)
{
    const struct iba_sqe *e = owner(x);
    const bool atomic = e && (e->wr.op == IBA_WR_CMP_SWAP || e->wr.op == IBA_WR_FETCH_ADD);
    return is_read(x) ? !e || e->wr.op != IBA_WR_READ : !atomic;
}
/* When the requester sent a READ again from PSN `asked`, responses may begin again at that PSN (RR-62). Otherwise they
 * begin at the first PSN of the READ only. */
static bool read_out_of_order(const struct iba_rx *x)
{
    const struct iba_sqe *e = owner(x);
    const bool ends = iba_rx_ends(x);
    const bool starts = iba_rx_begins(x);

    if (!e || !is_read(x))
        return false;
    return ends != (bool)iba_psn_eq(x->psn, e->last) ||
           (starts ? !iba_psn_eq(x->psn, e->asked) && !iba_psn_eq(x->psn, e->first) : iba_psn_eq(x->psn, e->first));
}
/* Number of bytes of the READ before the payload of the response. */
static uint64_t offset(const struct iba_rx *x, const struct iba_sqe *e)
{
    return ((x->psn.v - e->first.v) & IBA_PSN_MASK) * (uint64_t)iba_mtu_bytes((enum iba_mtu)x->qp->attr.path_mtu);
}
static bool read_wrong_length(const struct iba_rx *x)
{
    const struct iba_sqe *e = owner(x);
    const uint64_t pmtu = iba_mtu_bytes((enum iba_mtu)x->qp->attr.path_mtu);

    if (!e || !is_read(x))
        return false;
    return x->v->payload_len != (iba_psn_eq(x->psn, e->last) ? e->length - offset(x, e) : pmtu);
}
static bool read_data(const struct iba_rx *x)
{
    return is_read(x);
}
static bool atomic_result(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_ATOMIC_ACK;
}

/* ---- actions ---- */

/* Ignores the packet. */
static void drop(struct iba_rx *x)
{
    (void)x;
}
static void take_credits(struct iba_rx *x)
{
    if (syndrome_is(x, IBA_AETH_ACK))
        iba_requester_credit(x->ca, x->qp, iba_aeth_syn_value(aeth(x)), iba_aeth_msn(aeth(x)));
}
/* Acknowledges all PSNs before `psn`. False: the QP failed, or no request is left. */
static bool acknowledge_before(struct iba_rx *x, iba_psn psn)
{
    if (iba_psn_past(x->qp, psn) > 0)
        iba_requester_acknowledge(x->ca, x->qp, iba_psn_add(psn, IBA_PSN_MASK), x->now);
    return iba_qp_is_alive(x->qp) && x->qp->s.count > 0;
}
static void acknowledge(struct iba_rx *x)
{
    take_credits(x);
    iba_requester_acknowledge(x->ca, x->qp, x->psn, x->now);
}
static void retry_at(struct iba_rx *x, iba_psn psn)
{
    if (!acknowledge_before(x, psn))
        return;
    iba_requester_use_retry(x->ca, x->qp);
    iba_requester_rewind(x->qp);
}
void iba_requester_resend(struct iba_rx *x)
{
    retry_at(x, x->psn);
}
iba_psn iba_requester_missing(const struct iba_rx *x)
{
    iba_psn at = x->psn;

    missing(x, &at);
    return at;
}
void iba_requester_ask_again(struct iba_rx *x)
{
    retry_at(x, iba_requester_missing(x));
    x->qp->s.implied = true;
}
void iba_requester_wait(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;

    if (iba_is_context(qp)) {
        iba_rd_suspend(x->ca, qp, x->now + iba_rnr_timer_ns(iba_aeth_syn_value(aeth(x))));
        return;
    }
    if (!acknowledge_before(x, x->psn))
        return;
    if (iba_requester_retries(x->ca, qp).rnr != IBA_RNR_FOR_EVER && qp->s.rnr_left > 0)
        qp->s.rnr_left--;
    iba_requester_rewind(qp);
    qp->s.rnr_due = x->now + iba_rnr_timer_ns(iba_aeth_syn_value(aeth(x)));
}
static void fail_at(struct iba_rx *x, iba_psn psn, enum iba_wc_status status)
{
    if (acknowledge_before(x, psn))
        iba_requester_fail(x->ca, x->qp, status);
}
static void fail_retry_exceeded(struct iba_rx *x)
{
    fail_at(x, iba_requester_missing(x), IBA_WC_RETRY_EXCEEDED);
}
static void fail_rnr_exceeded(struct iba_rx *x)
{
    fail_at(x, x->psn, IBA_WC_RNR_RETRY_EXCEEDED);
}
static void fail_invalid_request(struct iba_rx *x)
{
    fail_at(x, x->psn, IBA_WC_REMOTE_INVALID_REQ);
}
static void fail_remote_access(struct iba_rx *x)
{
    fail_at(x, x->psn, IBA_WC_REMOTE_ACCESS);
}
static void fail_remote_operation(struct iba_rx *x)
{
    fail_at(x, x->psn, IBA_WC_REMOTE_OPERATION);
}
static void fail_invalid_rd(struct iba_rx *x)
{
    fail_at(x, x->psn, IBA_WC_REMOTE_INVALID_RD);
}
static void fail_bad_response(struct iba_rx *x)
{
    fail_at(x, x->psn, IBA_WC_BAD_RESPONSE);
}
static void fail_local_length(struct iba_rx *x)
{
    fail_at(x, x->psn, IBA_WC_LOCAL_LENGTH);
}
/* Writes the response's data to the buffers of the oldest request, then acknowledges the response's PSN. The response
 * counts as lost when a page of the buffers is absent. */
void iba_requester_store(struct iba_rx *x, const uint8_t *data, size_t len)
{
    bool absent;

    if (!acknowledge_before(x, x->psn) || !iba_psn_eq(x->qp->s.una, x->psn)) /* unequal in broken devices only */
        return;
    const struct iba_sqe *const e = iba_sqe_at(x->qp, 0);
    const enum iba_wc_status status = iba_sgl_scatter(x->ca, x->qp->pd, e->wr.sge, e->wr.n_sge,
                                                      e->wr.op == IBA_WR_READ ? offset(x, e) : 0, data, len, &absent);
    if (absent)
        drop(x);
    else if (status != IBA_WC_SUCCESS)
        iba_requester_fail(x->ca, x->qp, status);
    else
        acknowledge(x);
}
static void store_read(struct iba_rx *x)
{
    iba_requester_store(x, x->v->wire + x->v->payload_at, x->v->payload_len);
}
void iba_requester_store_atomic(struct iba_rx *x)
{
    uint8_t host[8];
    const uint64_t value = iba_atomicacketh_origremdt(iba_view_hdr(x->v, IBA_H_atomicacketh));

    memcpy(host, &value, sizeof host);
    iba_requester_store(x, host, sizeof host);
}

IBA_RULE_TABLE(RC_COMPLETER_RULES, iba_rc_completer_rules, "RC requester")
