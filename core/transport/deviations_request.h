/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the deviations: the request packets of broken devices (deviations_request.c). Not for users of libiba. */
#ifndef IBA_DEVIATIONS_REQUEST_H
#define IBA_DEVIATIONS_REQUEST_H
#include "transport/iba_requester.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the message of `e` is cut into packets. */
struct iba_cut iba_changed_cut(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e);
/* Writes the next packet of `e`. False: a fault, or a page is absent. */
bool iba_changed_request(struct iba_ca *ca, struct iba_qp *qp, const struct iba_sqe *e, iba_time now,
                         struct iba_tx *tx);

#ifdef __cplusplus
}
#endif

#endif
