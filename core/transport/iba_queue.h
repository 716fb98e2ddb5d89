/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of receives and completions: what enters them, and how receives are flushed. Not for users of libiba. */
#ifndef IBA_QUEUE_H
#define IBA_QUEUE_H
#include "transport/iba_verbs.h"

/* Flushes the receive in use and the QP's own receive queue, oldest first. */
void iba_recv_flush(struct iba_ca *ca, struct iba_qp *qp);
void iba_recv_flush_queue(struct iba_ca *ca, const struct iba_qp *qp, struct iba_rq *rq);
void iba_recv_flush_one(struct iba_ca *ca, const struct iba_qp *qp, uint64_t wr_id);
/* Adds a completion to an existing queue; see iba_cq_push(). */
void iba_cq_add(struct iba_ca *ca, struct iba_cq *cq, const struct iba_wc *wc, bool solicited);
/* Puts a receive into a queue that is not full. */
void iba_rq_put(struct iba_rq *rq, const struct iba_recv_wr *wr);
/* Puts a receive back, so that it is the next one. False: the queue is full. */
static inline bool iba_rq_put_back(struct iba_rq *rq, const struct iba_recv_wr *wr)
{
    if (rq->count == rq->n)
        return false;
    rq->head = (rq->head > 0 ? rq->head : rq->n) - 1;
    rq->count++;
    rq->ring[rq->head] = *wr;
    return true;
}
#endif
