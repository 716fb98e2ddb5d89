/* SPDX-License-Identifier: BSD-2-Clause */
/* How a queue pair changes its state and attributes. Not for users of libiba. */
#ifndef IBA_QP_STATE_H
#define IBA_QP_STATE_H
#include "transport/iba_verbs.h"

/* Makes the QP like a new one: no attributes, empty queues. The queued work requests do not complete (QS-17). */
void iba_qp_reset(struct iba_qp *qp);
/* Before Reset or the end of the QP: a message of reliable datagrams that uses the QP, or that the EE context sends,
 * ends unfinished. */
void iba_qp_part(struct iba_ca *ca, struct iba_qp *qp);
/* Sets the state Error or SQE, or, at the end of iba_qp_drain(), SQD. */
void iba_qp_enter(struct iba_ca *ca, struct iba_qp *qp, enum iba_qp_state state);
/* Moves the QP to SQD (QS-22, QS-23). */
void iba_qp_drain(struct iba_ca *ca, struct iba_qp *qp, bool notify);
/* Gives the QP the attributes *attr; the attributes of `mask` are new. */
void iba_qp_set(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask);
/* The same, and the transition to the state `to`. */
void iba_qp_apply(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask, uint8_t to);
#endif
