/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations that a responder remembers so that it can answer duplicates (RR-25..RR-32). */
#include "iba_responder.h"

uint32_t iba_saved_depth(const struct iba_qp *qp)
{
    return qp->attr.max_dest_rd < qp->r.n_saved ? qp->attr.max_dest_rd : qp->r.n_saved;
}

uint32_t iba_read_packets(const struct iba_qp *qp, uint32_t length)
{
    return iba_mtu_packets(length, iba_mtu_bytes((enum iba_mtu)qp->attr.path_mtu));
}

const struct iba_saved_op *iba_saved_find(const struct iba_rx *x)
{
    const uint8_t opcode = iba_bth_opcode(x->bth);

    for (uint32_t i = 0; i < x->qp->r.n_saved; i++) {
        const struct iba_saved_op *s = &x->qp->r.saved[i].op;
        /* An operation after the PSN has a difference of more than 2^31; an entry without one has n_psn 0. */
        if (s->opcode == opcode && (uint32_t)iba_psn_diff(x->psn, s->psn) < s->n_psn)
            return s;
    }
    return NULL;
}

void iba_saved_put(const struct iba_rx *x, const struct iba_saved_op *s)
{
    struct iba_qp *qp = x->qp;
    const uint32_t depth = iba_saved_depth(qp);

    if (depth == 0)
        return;
    qp->r.saved_at %= depth;
    qp->r.saved[qp->r.saved_at++].op = *s;
}
