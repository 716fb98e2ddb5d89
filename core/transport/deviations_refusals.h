/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the deviations: how broken devices check verbs (deviations_refusals.c) and change QPs (deviations_qp.c).
 * Not for users of libiba. */
#ifndef IBA_DEVIATIONS_REFUSALS_H
#define IBA_DEVIATIONS_REFUSALS_H
#include "transport/iba_refusals.h"
#include "transport/iba_verbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The row for the transition that the call asks for; NULL: there is none. `room` has space for a changed row. */
const struct iba_transition *iba_changed_transition(const struct iba_call *c, struct iba_transition *room);
/* Cuts values of the attributes of `mask` that the device wrongly accepts to the width of their fields. */
void iba_cut_attributes(const struct iba_ca *ca, struct iba_qp_attr *a, uint32_t mask);
/* Gives a QP the attributes that its state needs and that it was not given. */
void iba_fill_attributes(const struct iba_ca *ca, struct iba_qp *qp);
/* The port of that number; where there is none, the first port, and *number becomes its number. */
const struct iba_port *iba_port_or_first(const struct iba_ca *ca, uint8_t *number);
/* Gives the address vector a GID index of the port. */
void iba_av_fit(const struct iba_port *p, struct iba_av *av);

#ifdef __cplusplus
}
#endif

#endif
