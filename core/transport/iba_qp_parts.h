/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verbs' own files share: iba_verbs.c, iba_post.c, iba_qp*.c, iba_queue.c. */
#ifndef IBA_QP_PARTS_H
#define IBA_QP_PARTS_H
#include "transport/iba_verbs.h"

enum { IBA_QPN_FIRST = 2 }; /* 0 and 1 are SMI's and GSI's (WF-37) */

/* What a type of QP is made of; a type without any is not offered. */
enum iba_qp_trait {
    IBA_QP_SENDS = 1 << 0,    /* has a send queue */
    IBA_QP_RECEIVES = 1 << 1, /* has a receive queue of its own, unless it was given an SRQ */
    IBA_QP_SHARES = 1 << 2,   /* can take from an SRQ */
    IBA_QP_CONNECTED = 1 << 3,
    IBA_QP_RELIABLE = 1 << 4,
    IBA_QP_DATAGRAM = 1 << 5, /* IBA datagrams, so P_Key and Q_Key; raw ones have neither */
    IBA_QP_MANAGES = 1 << 6,  /* SMI, GSI */
    IBA_QP_GROUPS = 1 << 7,   /* may join multicast groups (UU-25) */
};
/* Any of these. */
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

/* To what a new QP is: no attributes, empty queues, nothing completed (QS-17). */
void iba_qp_reset(const struct iba_ca *ca, struct iba_qp *qp);
/* What is held and what is queued in the QP's own receive queue completes, flushed, oldest first. */
void iba_recv_flush(struct iba_ca *ca, struct iba_qp *qp);
/* Responses wait, and the last of them tells the peer why the QP fails (RR-57, RR-58). */
bool iba_resp_ends_connection(const struct iba_qp *qp);
/* An address vector the adapter can send along; as that of a connection it leads to one port only (PV-26). */
bool iba_av_legal(const struct iba_ca *ca, const struct iba_av *av, bool connection);
/* iba_envelope_write() for packets from `p`. A changed device may have taken what the port has not. */
uint8_t iba_av_write(const struct iba_ca *ca, const struct iba_port *p, struct iba_av *av, uint32_t flow, uint8_t *out);
/* *to becomes the QP's attributes with those of `mask` taken from `given`. False: a value is out of range. */
bool iba_qp_attr_merge(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_qp_attr *given, uint32_t mask,
                       struct iba_qp_attr *to);
#endif
