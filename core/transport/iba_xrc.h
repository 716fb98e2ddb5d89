/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the engine: extended reliable connections (iba_xrc.c). Not for users of libiba. */
#ifndef IBA_XRC_H
#define IBA_XRC_H
#include "transport/iba_qp_traits.h"
#include "transport/iba_receiver.h"

#ifdef __cplusplus
extern "C" {
#endif

bool iba_xrcd_exists(const struct iba_ca *ca, uint32_t number);
/* A target QP or an SRQ begins or ends to use the domain. */
void iba_xrcd_hold(struct iba_ca *ca, uint32_t number);
/* A broken device may have closed the domain before. */
static inline void iba_xrcd_release(struct iba_ca *ca, uint32_t number)
{
    if (number < IBA_MAX_XRCDS && ca->xrcd[number] > 1)
        ca->xrcd[number]--;
}

/* ---- a request to a target QP ---- */
/* Returns the SRQ that the request names, of whatever domain; NULL: there is none. */
struct iba_srq *iba_xrc_srq(const struct iba_rx *x);
/* Returns the protection domain of the request's memory accesses; IBA_NONE: there is none, so no key is valid. */
uint32_t iba_xrc_pd(const struct iba_rx *x);
/* Returns the protection domain of the SRQ with that number, for the response to a READ. */
uint32_t iba_xrc_pd_of(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t srqn);
/* Returns the number of the SRQ that the request names; 0 for QPs of other types. */
uint32_t iba_xrc_named(const struct iba_rx *x);
/* The CQ of the receive: the QP's; of a target, that of the receive in use or of the SRQ that the request names;
 * IBA_NONE: none. */
uint32_t iba_rx_cq(const struct iba_rx *x);
iba_when iba_xrc_foreign; /* the request names no SRQ of the QP's domain (PV-28) */
iba_when iba_xrc_other;   /* the packet continues a message that names another SRQ (QS-51) */
/* Remembers SRQ and CQ of the unfinished message of a target QP; IBA_NONE: there is none. */
static inline void iba_xrc_note(struct iba_qp *qp, uint32_t srqn, uint32_t cq)
{
    if (qp->type != IBA_QPT_XRC_TGT)
        return;
    qp->srq = srqn;
    qp->recv_cq = cq;
}

#ifdef __cplusplus
}
#endif

#endif
