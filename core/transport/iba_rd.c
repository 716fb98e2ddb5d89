/* SPDX-License-Identifier: BSD-2-Clause */
/* How reliable datagrams are received (section 9.7.8; UU-32..UU-38, PV-27): which EE context and which QP a packet is
 * for, and the rows of the rule tables that apply to RD only.
 *
 * After a refused request the context and the QP stay usable. The context keeps its expected PSN, and refuses the
 * request again, whatever has changed since, until a RESYNC has the PSN of the next message. So both ends agree on
 * which messages arrived, even if packets of an abandoned message are late. */
#include "transport/iba_rd.h"
#include "transport/deviations_rd.h"
#include "transport/iba_qp_traits.h"

/* ---- the packet ---- */

/* An opcode that is reserved has no row, but each packet of the service begins with RDETH and DETH (UU-32). Responses
 * have no reserved opcodes. */
static const uint8_t *header(const struct iba_rx *x, enum iba_hdr h)
{
    const uint32_t at = h == IBA_H_deth ? IBA_BYTES_rdeth : 0;

    if (x->op)
        return iba_view_has(x->v, h) ? iba_view_hdr(x->v, h) : NULL;
    return x->v->payload_len >= IBA_BYTES_rdeth + IBA_BYTES_deth ? iba_rx_data(x) + at : NULL;
}

static struct iba_qp *first_context(const struct iba_ca *ca)
{
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] && iba_is_context(ca->qp[i]))
            return ca->qp[i];
    return NULL;
}

static struct iba_qp *context(const struct iba_ca *ca, const uint8_t *rdeth)
{
    struct iba_qp *ee = rdeth ? iba_qp_find(ca, iba_rdeth_eecnxt(rdeth)) : NULL;

    if (rdeth && IBA_DEVIATES(ca, rd, CONTEXT_NAMED))
        ee = first_context(ca);
    return ee && iba_is_context(ee) ? ee : NULL;
}

void iba_rd_find(struct iba_rx *x)
{
    x->user = x->qp && x->qp->type == IBA_QPT_RD ? x->qp : NULL;
    x->qp = context(x->ca, header(x, IBA_H_rdeth));
}

void iba_rd_note_peer(const struct iba_rx *x)
{
    const uint8_t *deth = header(x, IBA_H_deth);

    if (deth && (x->ahead >= 0 || x->qp->r.resp_count == 0))
        x->qp->ee.peer = iba_deth_srcqp(deth);
}

static struct iba_qp *rd_qp(const struct iba_ca *ca, uint32_t qpn)
{
    struct iba_qp *qp = iba_qp_find(ca, qpn);

    return qp && qp->type == IBA_QPT_RD ? qp : NULL;
}

struct iba_qp *iba_rd_owner(const struct iba_rx *x)
{
    struct iba_qp *owner = x->qp->r.has_wqe ? rd_qp(x->ca, x->qp->ee.receiver) : x->user;

    return owner ? owner : x->qp;
}

uint32_t iba_rd_pd_of(const struct iba_ca *ca, uint32_t qpn)
{
    const struct iba_qp *qp = rd_qp(ca, qpn);

    return qp && !IBA_DEVIATES(ca, rd, KEYS_OF_QP) ? qp->pd : IBA_NONE;
}

bool iba_rd_take_back(const struct iba_ca *ca, const struct iba_qp *qp, uint64_t *wr_id)
{
    for (uint32_t i = 0; i < ca->n_qp; i++) {
        struct iba_qp *ee = ca->qp[i];
        if (!ee || !iba_is_context(ee) || ee->ee.receiver != qp->qpn || !ee->r.has_wqe)
            continue;
        ee->r.has_wqe = false;
        ee->r.op = IBA_NO_MESSAGE;
        *wr_id = ee->r.wqe.wr_id;
        return true;
    }
    return false;
}

/* ---- rows of the responder ---- */

bool iba_rd_resyncs(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_RESYNC && iba_is_context(x->qp) && x->ahead >= 0;
}

bool iba_rd_refused(const struct iba_rx *x)
{
    return iba_is_context(x->qp) && x->qp->ee.refused && x->ahead == 0;
}

bool iba_rd_no_receiver(const struct iba_rx *x)
{
    return iba_is_context(x->qp) && (!x->user || !iba_qp_may_receive_requests(x->user));
}

bool iba_rd_other_domain(const struct iba_rx *x)
{
    return x->user && x->user->rdd != x->qp->rdd;
}

bool iba_rd_qkey_differs(const struct iba_rx *x)
{
    const uint8_t *deth = x->user ? header(x, IBA_H_deth) : NULL;

    return deth && iba_deth_q_key(deth) != x->user->attr.qkey;
}

bool iba_rd_other_receiver(const struct iba_rx *x)
{
    return x->user && x->qp->r.op != IBA_NO_MESSAGE && !iba_rx_begins(x) && x->user->qpn != x->qp->ee.receiver;
}

/* ---- a row of the requester ---- */

/* Returns whether a response is for another QP than the sender of the message in flight. Responses to a RESYNC are for
 * the QP whose message was abandoned. */
bool iba_rd_other_sender(const struct iba_rx *x)
{
    return iba_is_context(x->qp) && iba_bth_destqp(x->bth) != x->qp->ee.sender;
}
