/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the engine: reliable datagrams (section 9.7.8; UU-32..UU-38, PV-27). Not for users of libiba.
 *
 * An EE context (iba_qp.h: type EE) is the connection of two adapters: path, P_Key, PSNs, timer and retries are its
 * own. RD queue pairs have work requests, receives, Q_Keys, rights and protection domains. One message of one QP at a
 * time uses the context: the context's send queue has one entry, a copy of that QP's oldest work request. The message
 * ends before the next one begins (UU-33).
 *
 * This is a model: no device is known to implement the service. iba_rd.c is the receiving side, iba_rd_send.c the
 * sending side. */
#ifndef IBA_RD_H
#define IBA_RD_H
#include "transport/iba_receiver.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline bool iba_is_context(const struct iba_qp *qp)
{
    return qp->type == IBA_QPT_EE;
}

/* ---- a packet of the service: iba_rd.c ---- */
/* Puts the EE context that the RDETH names into x->qp (NULL: there is none), and the RD QP that DestQP names into
 * x->user. */
void iba_rd_find(struct iba_rx *x);
/* From now on responses go to the SrcQP of this request. Responses that wait already keep their destination. */
void iba_rd_note_peer(const struct iba_rx *x);
/* The QP whose receive is in use, otherwise the QP of the request. */
struct iba_qp *iba_rd_owner(const struct iba_rx *x);
/* The protection domain of the QP with that number, for the response to a READ; IBA_NONE: there is no such QP. */
uint32_t iba_rd_pd_of(const struct iba_ca *ca, uint32_t qpn);
/* Takes the receive of `qp` that an EE context uses away from the context. False: there is none. */
bool iba_rd_take_back(const struct iba_ca *ca, const struct iba_qp *qp, uint64_t *wr_id);
iba_when iba_rd_resyncs;        /* a RESYNC that is no duplicate (UU-34) */
iba_when iba_rd_refused;        /* the request was refused, and no RESYNC came since (UU-34, UU-37) */
iba_when iba_rd_no_receiver;    /* DestQP is no RD QP that receives (UU-35) */
iba_when iba_rd_other_domain;   /* UU-36 */
iba_when iba_rd_qkey_differs;   /* UU-35 */
iba_when iba_rd_other_receiver; /* the packet continues a message to another QP (UU-33) */
iba_when iba_rd_other_sender;   /* a response for a QP that has no message in flight (UU-32) */

/* ---- messages that an EE context sends: iba_rd_send.c ---- */
/* The QP must wait: a message of it or of another QP is in flight in the context. */
bool iba_rd_waits(const struct iba_ca *ca, const struct iba_qp *qp);
/* Gives the oldest work request of the QP to its EE context. Returns the status of a fault; SUCCESS: there is none. */
enum iba_wc_status iba_rd_hand_over(const struct iba_ca *ca, struct iba_qp *qp);
/* The EE context that has the QP's message; the QP itself: none has. */
struct iba_qp *iba_rd_serving(const struct iba_ca *ca, struct iba_qp *qp);
/* The QP whose message the context sends; NULL: there is none, or it is gone. */
struct iba_qp *iba_rd_sender(const struct iba_ca *ca, const struct iba_qp *ee);
/* The message of the context ends unfinished. If packets of it were sent, a RESYNC follows (UU-34). */
void iba_rd_abandon(const struct iba_ca *ca, struct iba_qp *ee);
/* The receiver of the message is not ready until `due`. Its sender waits, and others may use the context (UU-37). */
void iba_rd_suspend(const struct iba_ca *ca, struct iba_qp *ee, iba_time due);
/* The QP is not to send any more: its message, if it is in flight, ends unfinished. */
void iba_rd_let_go(const struct iba_ca *ca, struct iba_qp *qp);

#ifdef __cplusplus
}
#endif

#endif
