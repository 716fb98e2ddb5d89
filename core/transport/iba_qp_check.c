/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants of every QP and queue. They are true between two calls for any packets of the peer. */
#include <assert.h>
#include "transport/iba_qp_traits.h"
#include "transport/iba_requester.h"
#include "transport/iba_responder.h"
#include "transport/iba_xrc.h"

#define TRUE_OF_QP(name) static bool name(const struct iba_ca *ca, const struct iba_qp *qp)

static bool ring_holds(uint32_t n, uint32_t head, uint32_t count)
{
    return count <= n && (head < n || head == 0);
}

static bool sends_nothing(const struct iba_qp *qp)
{
    return qp->r.resp_count == 0 && !qp->cnp_due && !qp->becn_due;
}

TRUE_OF_QP(is_offered)
{
    (void)ca;
    return iba_qp_has(qp, IBA_QP_SENDS | IBA_QP_NO_PD) && qp->state < IBA_QPS_COUNT;
}

static uint32_t receives(const struct iba_qp *qp)
{
    return iba_qp_has(qp, IBA_QP_CONTEXT) ? 0 : qp->rq.count;
}

TRUE_OF_QP(is_found)
{
    return iba_qp_find(ca, qp->qpn) == qp;
}

/* Returns whether the queues of an XRC target exist: they are those of the unfinished message. */
static bool parts_of_target_exist(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return iba_xrcd_exists(ca, qp->xrcd) && (qp->srq == IBA_NONE || iba_srq_find(ca, qp->srq)) &&
           (qp->recv_cq == IBA_NONE || iba_cq_find(ca, qp->recv_cq)) && (!qp->r.has_wqe || qp->recv_cq != IBA_NONE);
}

TRUE_OF_QP(parts_exist)
{
    if (iba_qp_has(qp, IBA_QP_TARGETS))
        return parts_of_target_exist(ca, qp);
    const bool receives = iba_qp_has(qp, IBA_QP_RECEIVES);

    if (iba_qp_has(qp, IBA_QP_CONTEXT))
        return qp->s.n == 1;
    return iba_pd_exists(&ca->mem, qp->pd) && (!iba_qp_has(qp, IBA_QP_SENDS) || iba_cq_find(ca, qp->send_cq)) &&
           (!receives || iba_cq_find(ca, qp->recv_cq)) && (qp->srq == IBA_NONE || iba_srq_find(ca, qp->srq));
}

TRUE_OF_QP(one_receive_queue)
{
    (void)ca;
    return qp->srq == IBA_NONE || iba_qp_has(qp, IBA_QP_CONTEXT) || qp->rq.n == 0;
}

TRUE_OF_QP(queues_hold)
{
    (void)ca;
    return (iba_qp_has(qp, IBA_QP_CONTEXT) || ring_holds(qp->rq.n, qp->rq.head, qp->rq.count)) &&
           ring_holds(qp->s.n, qp->s.head, qp->s.count) && qp->r.resp_count <= iba_resp_most(qp);
}

TRUE_OF_QP(reset_is_empty)
{
    (void)ca;
    return qp->state != IBA_QPS_RESET ||
           (qp->s.count == 0 && receives(qp) == 0 && !qp->r.has_wqe && sends_nothing(qp) && qp->envelope_bytes == 0);
}

TRUE_OF_QP(init_is_deaf)
{
    (void)ca;
    return qp->state != IBA_QPS_INIT || (qp->s.count == 0 && !qp->r.has_wqe && sends_nothing(qp));
}

TRUE_OF_QP(rtr_has_no_sends)
{
    (void)ca;
    return qp->state != IBA_QPS_RTR || qp->s.count == 0;
}

TRUE_OF_QP(drained_is_reported)
{
    (void)ca;
    return qp->state != IBA_QPS_SQD || !qp->s.drained || !qp->s.sqd_asked;
}

TRUE_OF_QP(sqe_is_flushed)
{
    (void)ca;
    return qp->state != IBA_QPS_SQE || (qp->s.count == 0 && !iba_qp_has(qp, IBA_QP_RELIABLE));
}

TRUE_OF_QP(err_is_flushed)
{
    (void)ca;
    return qp->state != IBA_QPS_ERR || (qp->s.count == 0 && receives(qp) == 0 && !qp->r.has_wqe);
}

/* Responses wait, and the last of them is the NAK that ends the connection (RR-57, RR-58). */
static bool ends_connection(const struct iba_qp *qp)
{
    return qp->r.resp_count > 0 && qp->r.last_words;
}

TRUE_OF_QP(err_is_silent)
{
    (void)ca;
    return qp->state != IBA_QPS_ERR || sends_nothing(qp) || ends_connection(qp);
}

TRUE_OF_QP(has_a_port)
{
    return !iba_qp_may_receive_requests(qp) || iba_port_of(ca, qp->attr.port);
}

TRUE_OF_QP(has_a_path)
{
    (void)ca;
    return !iba_qp_has(qp, IBA_QP_CONNECTED) || !iba_qp_may_receive_requests(qp) ||
           (qp->envelope_bytes > 0 && qp->envelope_bytes <= IBA_ENVELOPE_MAX && qp->attr.path_mtu >= IBA_MTU_256 &&
            qp->attr.path_mtu <= IBA_MTU_4096);
}

TRUE_OF_QP(counts_in_24_bits)
{
    (void)ca;
    return qp->r.epsn.v <= IBA_PSN_MASK && qp->r.msn <= IBA_PSN_MASK && qp->s.next_psn.v <= IBA_PSN_MASK;
}

TRUE_OF_QP(can_remember)
{
    (void)ca;
    return qp->attr.max_dest_rd <= qp->r.n_saved;
}

TRUE_OF_QP(answers_are_few)
{
    (void)ca;
    return iba_resp_open(qp) <= qp->r.n_saved && iba_resp_again(qp) <= (uint64_t)qp->r.n_saved + 1;
}

TRUE_OF_QP(sends_soundly)
{
    (void)ca;
    return iba_requester_is_sound(qp);
}

/* clang-format off */
#define INVARIANTS(I)                                                                                                  \
    I( is_offered,        "type and state have valid values"                                                )          \
    I( is_found,          "its number leads to it"                                                                      ) \
    I( parts_exist,       "its protection domain, completion queues and SRQ exist"                                   ) \
    I( one_receive_queue, "with an SRQ it has no receive queue of its own"                                           ) \
    I( queues_hold,       "no queue holds more than it can"                                                          ) \
    I( reset_is_empty,    "in Reset no work is queued and no response is pending (QS-17)"                                         ) \
    I( init_is_deaf,      "in Init nothing is sent and no response is pending (QS-18)"                                            ) \
    I( rtr_has_no_sends,  "in RTR nothing is queued to be sent (QS-19)"                                              ) \
    I( drained_is_reported,   "a drained send queue has raised its event (QS-23)"                                            ) \
    I( sqe_is_flushed,    "in SQE the send queue is empty, and a reliable QP is never there (QS-24)"                 ) \
    I( err_is_flushed,    "in Error both queues are empty (QS-25)"                                                   ) \
    I( err_is_silent,     "in Error no response is pending, except a NAK that ends the connection (RQ-61, RR-58)")     \
    I( has_a_port,        "a QP that can receive has a port"                                                        )  \
    I( has_a_path,        "a connection that can receive has a path and its MTU"                                    )  \
    I( counts_in_24_bits, "PSNs and MSN have 24 bits"                                                                ) \
    I( sends_soundly,     "its outstanding requests have the outstanding PSNs in order, below the limits (RQ-03, RQ-04, RQ-08)"    ) \
    I( can_remember,      "it has memory for its responder resources (RR-29)"                    )                     \
    I( answers_are_few,   "its pending responses belong to no more READs and ATOMICs than its responder resources (RR-35)"              )
/* clang-format on */

const char *iba_qp_broken(const struct iba_ca *ca, const struct iba_qp *qp)
{
    static const struct {
        bool (*holds)(const struct iba_ca *ca, const struct iba_qp *qp);
        const char *sentence;
    } invariants[] = {
#define ROW(holds, sentence) {holds, sentence},
        INVARIANTS(ROW)};

    for (size_t i = 0; i < sizeof invariants / sizeof *invariants; i++)
        if (!invariants[i].holds(ca, qp))
            return invariants[i].sentence;
    return NULL;
}

/* A broken device may violate the invariants of an unbroken one. */
void iba_qp_check(const struct iba_ca *ca, const struct iba_qp *qp)
{
    assert(ca->change || !iba_qp_broken(ca, qp));
    (void)ca, (void)qp;
}

static bool cq_holds(const struct iba_cq *cq, uint32_t number)
{
    return cq->number == number && cq->armed <= 2 && ring_holds(cq->n, cq->head, cq->count);
}

static bool srq_holds(const struct iba_ca *ca, const struct iba_srq *srq, uint32_t number)
{
    return srq->number == number && (srq->xrcd == IBA_NONE || iba_xrcd_exists(ca, srq->xrcd)) &&
           iba_pd_exists(&ca->mem, srq->pd) && srq->limit <= srq->rq.n &&
           ring_holds(srq->rq.n, srq->rq.head, srq->rq.count) && srq->tags.count <= srq->tags.n;
}

const char *iba_queues_broken(const struct iba_ca *ca)
{
    for (uint32_t i = 0; i < ca->n_cq; i++)
        if (ca->cq[i] && !cq_holds(ca->cq[i], i))
            return "a completion queue holds no more than it can";
    for (uint32_t i = 0; i < ca->n_srq; i++)
        if (ca->srq[i] && !srq_holds(ca, ca->srq[i], i))
            return "a shared receive queue holds no more than it can";
    return NULL;
}

void iba_queues_check(const struct iba_ca *ca)
{
    assert(ca->change || !iba_queues_broken(ca));
    (void)ca;
}
