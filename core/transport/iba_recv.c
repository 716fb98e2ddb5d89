/* SPDX-License-Identifier: BSD-2-Clause */
/* Streaming receives (iba_recv.h): several messages in one receive of a shared receive queue. */
#include "transport/iba_recv.h"
#include "transport/iba_queue.h"

/* ---- units ---- */

enum { UNIT_LOG_MAX = 31, UNITS_MAX = 65535 };

static uint64_t units(const struct iba_recv_wr *wr)
{
    return iba_recv_bytes(wr) >> wr->unit_log;
}

static bool blocks_legal(const struct iba_recv_wr *wr)
{
    return wr->n_sge == 1 && wr->block.length > 0 && wr->n_block > 0;
}

bool iba_recv_legal_other(const struct iba_recv_wr *wr)
{
    if (wr->form > IBA_RECV_BLOCKS || (wr->form == IBA_RECV_BLOCKS && !blocks_legal(wr)))
        return false;
    return wr->most == 0 || (wr->unit_log <= UNIT_LOG_MAX && units(wr) >= wr->most && units(wr) <= UNITS_MAX);
}

uint64_t iba_recv_room_other(const struct iba_recv_wr *wr)
{
    return wr->most > 0 ? (uint64_t)wr->most << wr->unit_log : iba_recv_bytes(wr);
}

/* Units that a message of so many bytes takes. Even one without bytes takes a unit, so the completions of a receive are
 * no more than its units. */
static uint64_t units_of(const struct iba_recv_wr *wr, uint64_t bytes)
{
    const uint64_t n = (bytes + (UINT64_C(1) << wr->unit_log) - 1) >> wr->unit_log;

    return n > 0 ? n : 1;
}

/* ---- the end of a message ---- */

struct ended {
    const struct iba_recv_wr *wr; /* `at` is the unit after the message */
    const struct iba_srq *srq;
    enum iba_wc_status status;
};

static bool failed(const struct ended *e)
{
    return e->status != IBA_WC_SUCCESS;
}

static bool spent(const struct ended *e)
{
    return units(e->wr) < (uint64_t)e->wr->at + e->wr->most;
}

static bool queue_lost(const struct ended *e)
{
    return !e->srq || e->srq->error;
}

static bool queue_full(const struct ended *e)
{
    return e->srq->rq.count == e->srq->rq.n;
}

static bool always(const struct ended *e)
{
    (void)e;
    return true;
}

/* clang-format off */
/*    name         when        stays   the receive ... */
#define RECV_ROWS(R)                                                                                                   \
    R(failed,      failed,     false,  "ends: its message failed")                                                     \
    R(spent,       spent,      false,  "ends: fewer units are left than its longest message takes")                    \
    R(queue_lost,  queue_lost, false,  "ends: its queue is gone, or in error")                                          \
    R(queue_full,  queue_full, false,  "ends: software has filled its queue with other receives")                      \
    R(stays,       always,     true,   "is the next one of its queue again, from the unit after the message on")
/* clang-format on */
#define ROW(name_, when_, stays_, sentence_) {#name_, sentence_, stays_},
#define FIRST(name_, when_, ...)                                                                                       \
    if (when_(&e))                                                                                                     \
        return row;                                                                                                    \
    row++;

const struct iba_recv_row iba_recv_rows[IBA_RECV_ROWS] = {RECV_ROWS(ROW)};

const struct iba_recv_row *iba_recv_row_of(const struct iba_recv_wr *wr, const struct iba_srq *srq,
                                           enum iba_wc_status status)
{
    const struct ended e = {wr, srq, status};
    const struct iba_recv_row *row = iba_recv_rows;

    RECV_ROWS(FIRST)
    return NULL;
}

/* A WRITE puts no byte into the receive that it uses for its notification. */
void iba_recv_end_message(struct iba_rx *x, struct iba_srq *srq, struct iba_wc *wc)
{
    struct iba_recv_wr *wr = &x->qp->r.wqe;
    const uint64_t taken = units_of(wr, iba_rx_write(x) ? 0 : wc->byte_len);

    wc->unit = wr->at;
    wr->at = (uint16_t)(wr->at + (taken < wr->most ? taken : wr->most));
    if (iba_recv_row_of(wr, srq, (enum iba_wc_status)wc->status)->stays && iba_rq_put_back(&srq->rq, wr))
        wc->flags |= IBA_WC_MORE;
}
