/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices deviate in QPs, states and objects. The functions of this file are called at the points of
 * deviations.h, and act by the rows of deviations_qp.h. iba_qp_state.c has the list of transitions, deviations_queue.c
 * the queues. */
#include "transport/deviations_qp.h"
#include "transport/deviations.h"
#include "transport/deviations_refusals.h"
#include "transport/deviations_receiver.h"
#include "transport/iba_qp_state.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_queue.h"

static int state_row(const struct iba_ca *ca)
{
    return IBA_CHANGED_ROW(ca, state);
}

static bool otherwise(const struct iba_ca *ca)
{
    return ca->change->kind == IBA_CHANGE_OTHER;
}

/* ---- transitions ---- */

/* Returns the attribute that the device does not need; 0: the device needs all attributes. */
static uint32_t not_needed(const struct iba_ca *ca)
{
    static const uint32_t needs[] = {
        [IBA_ROW_modify_NEEDS_ACCESS] = IBA_QPA_ACCESS,
        [IBA_ROW_modify_NEEDS_PKEY_INDEX] = IBA_QPA_PKEY_INDEX,
        [IBA_ROW_modify_NEEDS_PORT] = IBA_QPA_PORT,
        [IBA_ROW_modify_NEEDS_QKEY] = IBA_QPA_QKEY,
        [IBA_ROW_modify_NEEDS_AV] = IBA_QPA_AV,
        [IBA_ROW_modify_NEEDS_PATH_MTU] = IBA_QPA_PATH_MTU,
        [IBA_ROW_modify_NEEDS_DEST_QPN] = IBA_QPA_DEST_QPN,
        [IBA_ROW_modify_NEEDS_RQ_PSN] = IBA_QPA_RQ_PSN,
        [IBA_ROW_modify_NEEDS_MAX_DEST_RD] = IBA_QPA_MAX_DEST_RD,
        [IBA_ROW_modify_NEEDS_MIN_RNR] = IBA_QPA_MIN_RNR,
        [IBA_ROW_modify_NEEDS_SQ_PSN] = IBA_QPA_SQ_PSN,
        [IBA_ROW_modify_NEEDS_TIMEOUT] = IBA_QPA_TIMEOUT,
        [IBA_ROW_modify_NEEDS_RETRY] = IBA_QPA_RETRY,
        [IBA_ROW_modify_NEEDS_RNR_RETRY] = IBA_QPA_RNR_RETRY,
        [IBA_ROW_modify_NEEDS_MAX_RD] = IBA_QPA_MAX_RD,
    };
    const int row = IBA_CHANGED_ROW(ca, modify);

    return row >= 0 && (size_t)row < sizeof needs / sizeof *needs ? needs[row] : 0;
}

struct taking { /* the rows about the attributes that a transition takes */
    uint8_t from, to, optional, foreign;
};

static const struct taking *taking_of(uint8_t from, uint8_t to)
{
#define TAKES(from, to)                                                                                                \
    {                                                                                                                  \
        IBA_QPS_##from, IBA_QPS_##to, IBA_ROW_modify_OPTIONAL_##from##_TO_##to,                                        \
            IBA_ROW_modify_FOREIGN_##from##_TO_##to                                                                    \
    }
    static const struct taking takings[] = {
        {IBA_QPS_RESET, IBA_QPS_INIT, IBA_ROW_modify_COUNT, IBA_ROW_modify_FOREIGN_RESET_TO_INIT},
        TAKES(INIT, INIT),
        TAKES(INIT, RTR),
        TAKES(RTR, RTS),
        TAKES(RTS, RTS),
        TAKES(RTS, SQD),
        TAKES(SQD, RTS),
        TAKES(SQD, SQD),
        TAKES(SQE, RTS)};

    for (unsigned i = 0; i < sizeof takings / sizeof *takings; i++)
        if (takings[i].from == from && takings[i].to == to)
            return &takings[i];
    return NULL;
}

/* Changes the attributes that a transition takes, for all types of QP alike. */
static void change_transition(const struct iba_ca *ca, struct iba_transition *t)
{
    static const struct taking to_reset = {.optional = IBA_ROW_modify_COUNT,
                                           .foreign = IBA_ROW_modify_FOREIGN_TO_RESET},
                               to_err = {.optional = IBA_ROW_modify_COUNT, .foreign = IBA_ROW_modify_FOREIGN_TO_ERR};
    const struct taking *known = taking_of(t->from, t->to);
    const struct taking *k = known ? known : t->to == IBA_QPS_RESET ? &to_reset : &to_err;
    const int row = IBA_CHANGED_ROW(ca, modify);

    for (unsigned type = 0; type < IBA_QPT_COUNT; type++) {
        const uint32_t spared = t->required[type] & not_needed(ca);
        t->required[type] &= ~spared;
        if (row == k->optional)
            t->optional[type] = 0;
        t->optional[type] |= spared;
        if (row == k->foreign)
            t->optional[type] = UINT32_MAX;
    }
}

const struct iba_transition *iba_changed_transition(const struct iba_call *c, struct iba_transition *room)
{
    const struct iba_transition *t = c->modify.transition;
    const uint8_t from = c->qp->state, to = c->modify.to;
    const int row = IBA_CHANGED_ROW(c->ca, transition);

    if (to < IBA_QPS_COUNT && row >= 0 && (unsigned)row == IBA_ROW_of_transition(from, to)) {
        if (t)
            return NULL;
        *room = (struct iba_transition){.from = from, .to = to};
        for (unsigned type = 0; type < IBA_QPT_COUNT; type++)
            room->optional[type] = UINT32_MAX;
        return room;
    }
    if (!t)
        return NULL;
    *room = *t;
    change_transition(c->ca, room);
    return room;
}

static bool is_transition(uint8_t from, uint8_t to)
{
    size_t n;
    const struct iba_transition *t = iba_transitions(&n);

    for (size_t i = 0; i < n; i++)
        if (t[i].from == from && t[i].to == to)
            return true;
    return false;
}

static bool sends(uint8_t state)
{
    return iba_state_receives(state) && state != IBA_QPS_RTR;
}

/* FIRST_PSN, MSN_FROM_0 */
static void responder_started(const struct iba_ca *ca, struct iba_qp *qp)
{
    const int row = IBA_CHANGED_ROW(ca, respond);

    if (row == IBA_ROW_respond_FIRST_PSN) {
        qp->r.epsn = iba_psn_of(0);
        qp->r.acked = iba_psn_of(IBA_PSN_MASK);
    }
    if (row == IBA_ROW_respond_MSN_FROM_0)
        qp->r.msn = 1;
}

/* A transition that does not exist skips states, so it starts and stops the responder and the requester as these states
 * would. */
static void jump(struct iba_ca *ca, struct iba_qp *qp, uint8_t to)
{
    const uint8_t from = qp->state;

    qp->state = to;
    if (!iba_state_receives(from) && iba_state_receives(to)) {
        iba_responder_reset(qp);
        iba_responder_start(qp);
        responder_started(ca, qp);
    }
    if (sends(from) && !sends(to))
        iba_requester_reset(qp);
    if (!sends(from) && sends(to))
        iba_requester_start(qp);
    if (to == IBA_QPS_SQE)
        iba_requester_flush(ca, qp);
    if (to == IBA_QPS_SQD)
        iba_qp_drain(ca, qp, false);
}

/* ---- attributes ---- */

/* A value that the device wrongly accepts is cut to the width of its field. */
void iba_cut_attributes(const struct iba_ca *ca, struct iba_qp_attr *a, uint32_t mask)
{
    enum { FIVE_BITS = 31, THREE_BITS = 7, QPN_MAX = 0xffffff };

    switch (IBA_CHANGED_ROW(ca, attr)) {
    case IBA_ROW_attr_PORT:
        if ((mask & IBA_QPA_PORT) && !iba_port_of(ca, a->port))
            a->port = 1;
        break;
    case IBA_ROW_attr_FLOW_CONTROL: a->flow_control &= (mask & IBA_QPA_DEST_QPN) == 0; break;
    case IBA_ROW_attr_TIMEOUT: a->timeout &= FIVE_BITS; break;
    case IBA_ROW_attr_MIN_RNR: a->min_rnr &= FIVE_BITS; break;
    case IBA_ROW_attr_RETRY: a->retry &= THREE_BITS; break;
    case IBA_ROW_attr_RNR_RETRY: a->rnr_retry &= THREE_BITS; break;
    case IBA_ROW_attr_RQ_PSN: a->rq_psn &= IBA_PSN_MASK; break;
    case IBA_ROW_attr_SQ_PSN: a->sq_psn &= IBA_PSN_MASK; break;
    case IBA_ROW_attr_DEST_QPN: a->dest_qpn &= QPN_MAX; break;
    case IBA_ROW_attr_PKEY_INDEX: a->pkey_index %= IBA_PORT_MAX_PKEYS; break;
    case IBA_ROW_attr_PATH_MIG:
        if (a->path_mig > IBA_PATH_ARMED)
            a->path_mig = IBA_PATH_ARMED;
        break;
    default: break;
    }
}

/* Returns the port of that number; if there is none the first port, and *number becomes its number. */
const struct iba_port *iba_port_or_first(const struct iba_ca *ca, uint8_t *number)
{
    if (*number < 1 || *number > ca->n_port)
        *number = 1;
    return &ca->port[*number - 1];
}

void iba_av_fit(const struct iba_port *p, struct iba_av *av)
{
    if (av->sgid_index >= p->n_gid)
        av->sgid_index = 0;
}

/* A broken device may enter a state without the attributes that the state needs. It then uses port 1, the port's MTU,
 * and an address vector that fits the port. */
void iba_fill_attributes(const struct iba_ca *ca, struct iba_qp *qp)
{
    if (state_row(ca) == IBA_ROW_state_DATAGRAM_MTU && iba_qp_has(qp, IBA_QP_DATAGRAM) && qp->state != IBA_QPS_RESET &&
        iba_port_of(ca, qp->attr.port))
        qp->attr.path_mtu = IBA_MTU_256;
    if (!iba_state_receives(qp->state))
        return;
    const struct iba_port *const p = iba_port_or_first(ca, &qp->attr.port);
    if (iba_qp_has(qp, IBA_QP_CONNECTED | IBA_QP_DATAGRAM) &&
        (qp->attr.path_mtu < IBA_MTU_256 || qp->attr.path_mtu > IBA_MTU_4096))
        qp->attr.path_mtu = p->mtu;
    if (iba_qp_has(qp, IBA_QP_CONNECTED) && qp->envelope_bytes == 0) {
        iba_av_fit(p, &qp->attr.av);
        qp->envelope_bytes = (uint8_t)iba_envelope_write(p, &qp->attr.av, qp->qpn, qp->envelope);
    }
}

/* DEPTHS_AS_GIVEN: the QP has one READ less outstanding, as requester and as responder. */
static void lower_depths(const struct iba_ca *ca, struct iba_qp *qp, uint32_t mask)
{
    if (IBA_CHANGED_ROW(ca, modify) != IBA_ROW_modify_DEPTHS_AS_GIVEN)
        return;
    if ((mask & IBA_QPA_MAX_RD) != 0 && qp->attr.max_rd > 0)
        qp->attr.max_rd--;
    if ((mask & IBA_QPA_MAX_DEST_RD) != 0 && qp->attr.max_dest_rd > 0)
        qp->attr.max_dest_rd--;
}

/* ---- states ---- */

void iba_deviate_entered(struct iba_ca *ca, struct iba_qp *qp)
{
    const int row = state_row(ca);

    if (row == (qp->state == IBA_QPS_ERR ? IBA_ROW_state_ERR_FLUSHES_SENDS : IBA_ROW_state_SQE_FLUSHES) &&
        qp->state != IBA_QPS_SQD)
        iba_requester_reset(qp); /* the queued requests vanish without completions */
    if (row == IBA_ROW_state_ERR_SILENT && qp->state == IBA_QPS_ERR)
        qp->r.last_words = true;
    if (row == IBA_ROW_state_LAST_WORDS && qp->state == IBA_QPS_ERR)
        qp->r.resp_count = 0;
    if (row == IBA_ROW_state_SQD_TELLS_ASKED && qp->state == IBA_QPS_SQD)
        qp->s.sqd_asked = true;
    if (row == IBA_ROW_state_SQD_WAITS && qp->state == IBA_QPS_SQD)
        iba_qp_drained(ca, qp);
}

static void reset(struct iba_ca *ca, struct iba_qp *qp)
{
    const bool discards = state_row(ca) == IBA_ROW_state_RESET_DISCARDS;
    const struct iba_qp_attr attr = qp->attr;
    const struct iba_rq rq = qp->rq;

    if (discards && otherwise(ca)) {
        iba_requester_flush(ca, qp);
        iba_recv_flush(ca, qp);
    }
    iba_qp_part(ca, qp);
    iba_qp_reset(qp);
    if (discards && !otherwise(ca))
        qp->rq = rq;
    if (state_row(ca) == IBA_ROW_state_RESET_CLEARS && attr.port != 0)
        qp->attr = attr;
}

/* NEW_PATH: the device keeps the envelope of the path that it had. */
static uint32_t used_attributes(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t mask)
{
    const bool keeps_path = state_row(ca) == IBA_ROW_state_NEW_PATH && qp->envelope_bytes > 0;

    return keeps_path ? mask & ~(uint32_t)IBA_QPA_AV : mask;
}

void iba_deviate_apply(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask, uint8_t to)
{
    const uint32_t used = used_attributes(ca, qp, mask);
    const struct iba_port *p = iba_port_of(ca, attr->port);
    const uint8_t from = qp->state;
    struct iba_qp_attr fit = *attr;

    if (p && (used & IBA_QPA_AV))
        iba_av_fit(p, &fit.av);
    if (!is_transition(from, to)) {
        iba_qp_set(ca, qp, &fit, used);
        jump(ca, qp, to);
    } else if (to == IBA_QPS_RESET) {
        iba_qp_set(ca, qp, &fit, used);
        reset(ca, qp);
    } else {
        iba_qp_apply(ca, qp, &fit, used, to);
        if (from == IBA_QPS_INIT && to == IBA_QPS_RTR)
            responder_started(ca, qp);
    }
    iba_fill_attributes(ca, qp);
    lower_depths(ca, qp, used);
}
