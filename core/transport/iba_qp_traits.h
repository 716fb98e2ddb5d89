/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of each type of queue pair; ports and protection domains by number. Not for users of libiba. */
#ifndef IBA_QP_TRAITS_H
#define IBA_QP_TRAITS_H
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
    IBA_QP_TARGETS = 1 << 8,  /* has no queues: its requests name an SRQ of its XRC domain (QS-44) */
    IBA_QP_CONTEXT = 1 << 9,  /* an EE context: has no queues, its requests name a QP of its domain (UU-33) */
    IBA_QP_NO_PD = IBA_QP_TARGETS | IBA_QP_CONTEXT,
};
/* The traits of each type of QP, and the service of its opcodes (catalogue 1.6). */
extern const struct iba_qp_kind {
    uint16_t traits;
    uint8_t service; /* enum iba_svc */
} iba_qp_kinds[IBA_QPT_COUNT];
/* Returns whether the type has at least one of these traits. */
static inline bool iba_qp_type_has(uint8_t type, unsigned traits)
{
    return type < IBA_QPT_COUNT && (iba_qp_kinds[type].traits & traits) != 0;
}
static inline bool iba_qp_has(const struct iba_qp *qp, unsigned traits)
{
    return iba_qp_type_has(qp->type, traits);
}
/* Bits 7:5 of the QP's opcodes. */
static inline uint8_t iba_qp_service_bits(const struct iba_qp *qp)
{
    return (uint8_t)(iba_qp_kinds[qp->type].service << 5);
}
/* The limiter of the QP's packets; NULL: it has none. Management QPs have none. */
static inline const struct iba_limiter *iba_limiter_of(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return iba_qp_has(qp, IBA_QP_MANAGES) ? NULL : ca->limiter;
}
static inline const struct iba_port *iba_port_of(const struct iba_ca *ca, uint8_t number)
{
    return number >= 1 && number <= ca->n_port ? &ca->port[number - 1] : NULL;
}
static inline bool iba_pd_exists(const struct iba_mem *m, uint32_t pd)
{
    return pd < m->n_pd && m->pd[pd] != UINT32_MAX;
}
/* Returns whether a QP receives in that state. Its send queue exists in these states too. */
static inline bool iba_state_receives(uint8_t state)
{
    return state == IBA_QPS_RTR || state == IBA_QPS_RTS || state == IBA_QPS_SQD || state == IBA_QPS_SQE;
}
#endif
