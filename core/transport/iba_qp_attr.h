/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the attributes that modify QP gets, and merges them with those of the QP. Not for users of libiba. */
#ifndef IBA_QP_ATTR_H
#define IBA_QP_ATTR_H
#include "transport/iba_verbs.h"

struct iba_call;
/* Returns whether the adapter can send to the address vector. The address of a connection is not multicast (PV-26). */
bool iba_av_legal(struct iba_ca *ca, struct iba_av *av, bool connection);
/* *to becomes the QP's attributes, with the attributes that the call gives. False: a value is out of range. */
bool iba_qp_attr_merge(struct iba_call *c, struct iba_qp_attr *to);
#endif
