/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of the verbs share: iba_verbs.c, iba_post.c, iba_qp*.c, iba_queue.c. */
#ifndef IBA_QP_PARTS_H
#define IBA_QP_PARTS_H
#include "transport/iba_verbs.h"

enum { IBA_QPN_FIRST = 2 }; /* 0 and 1 are the numbers of SMI and GSI (WF-37) */

/* Traits of a type of QP. A type without traits is not offered. */
enum iba_qp_trait {
    IBA_QP_SENDS = 1 << 0,    /* has a send queue */
    IBA_QP_RECEIVES = 1 << 1, /* has a receive queue of its own, unless it uses an SRQ */
    IBA_QP_SHARES = 1 << 2,   /* can take from an SRQ */
    IBA_QP_CONNECTED = 1 << 3,
    IBA_QP_RELIABLE = 1 << 4,
    IBA_QP_DATAGRAM = 1 << 5, /* IBA datagrams, so P_Key and Q_Key; raw ones have neither */
    IBA_QP_MANAGES = 1 << 6,  /* SMI, GSI */
    IBA_QP_GROUPS = 1 << 7,   /* may join multicast groups (UU-25) */
};
/* Returns whether the type has at least one of these traits. */
bool iba_qp_type_has(uint8_t type, unsigned traits);
static inline bool iba_qp_has(const struct iba_qp *qp, unsigned traits)
{
    return iba_qp_type_has(qp->type, traits);
}

static inline const struct iba_port *iba_port_of(const struct iba_ca *ca, uint8_t number)
{
    return number >= 1 && number <= ca->n_port ? &ca->port[number - 1] : NULL;
}
static inline bool iba_pd_exists(const struct iba_mem *m, uint32_t pd)
{
    return pd < m->n_pd && m->pd[pd] != UINT32_MAX;
}

/* Makes the QP like a new one: no attributes, empty queues. The queued work requests do not complete (QS-17). */
void iba_qp_reset(struct iba_qp *qp);
/* Flushes the receive in use and the QP's own receive queue, oldest first. */
void iba_recv_flush(struct iba_ca *ca, struct iba_qp *qp);
void iba_recv_flush_queue(struct iba_ca *ca, const struct iba_qp *qp, struct iba_rq *rq);
void iba_recv_flush_one(struct iba_ca *ca, const struct iba_qp *qp, uint64_t wr_id);
/* Adds a completion to an existing queue; see iba_cq_push(). */
void iba_cq_add(struct iba_ca *ca, struct iba_cq *cq, const struct iba_wc *wc, bool solicited);
/* Sets the state Error or SQE, or, at the end of iba_qp_drain(), SQD. */
void iba_qp_enter(struct iba_ca *ca, struct iba_qp *qp, enum iba_qp_state state);
/* Moves the QP to SQD (QS-22, QS-23). */
void iba_qp_drain(struct iba_ca *ca, struct iba_qp *qp, bool notify);
/* Returns whether a QP receives in that state. Its send queue exists in these states too. */
static inline bool iba_state_receives(uint8_t state)
{
    return state == IBA_QPS_RTR || state == IBA_QPS_RTS || state == IBA_QPS_SQD || state == IBA_QPS_SQE;
}
/* Responses wait, and the last of them is the NAK that ends the connection (RR-57, RR-58). */
bool iba_resp_ends_connection(const struct iba_qp *qp);
/* Returns whether the adapter can send to the address vector. The address of a connection is not multicast (PV-26). */
bool iba_av_legal(struct iba_ca *ca, struct iba_av *av, bool connection);
struct iba_call;
/* *to becomes the QP's attributes, with the attributes that the call gives. False: a value is out of range. */
bool iba_qp_attr_merge(struct iba_call *c, struct iba_qp_attr *to);
/* Gives the QP the attributes *attr; the attributes of `mask` are new. */
void iba_qp_set(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask);
/* The same, and the transition to the state `to`. */
void iba_qp_apply(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask, uint8_t to);
/* Puts a receive into a queue that is not full. */
void iba_rq_put(struct iba_rq *rq, const struct iba_recv_wr *wr);
#endif
