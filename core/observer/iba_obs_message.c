/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages as the responder assembles them. The observer checks the order of opcodes and the lengths. */
#include "observer/iba_obs_message.h"
#include "observer/iba_obs_compact.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_report.h"

/* The path MTU has become known, or known more exactly. So the number of responses of each READ becomes known. */
static void recount(struct iba_obs_requests *q, uint32_t pmtu)
{
    if (q->open.used)
        iba_obs_close_read(q, iba_mtu_packets(q->open.length, pmtu));
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_obs_read *r = &q->read[i];
        if (!r->used || !iba_obs_is_read(r->opcode))
            continue;
        if (r->n == 0) { /* the length of this READ is not known either, and q->open held another READ */
            q->open = *r;
            iba_obs_close_read(q, iba_mtu_packets(r->length, pmtu));
        }
        r->n = iba_mtu_packets(r->length, pmtu);
    }
}

void iba_obs_learn_pmtu(struct iba_observer *s, struct iba_flow *f, uint32_t pmtu, bool sure)
{
    struct iba_flow *both[2] = {f, iba_obs_active(s, f->peer)};
    struct iba_known *k = both[1] ? NULL : iba_obs_known_at(s, f->peer);

    for (unsigned i = 0; i < 2; i++)
        if (both[i] && (!both[i]->pmtu || (sure && !both[i]->pmtu_sure))) {
            both[i]->pmtu = pmtu;
            both[i]->pmtu_sure = sure;
            recount(&both[i]->rq, pmtu);
        }
    if (k && (!k->pmtu || (sure && !k->pmtu_sure)))
        iba_obs_rest_pmtu(k, pmtu, sure);
}

#define LONGEST_DMA UINT32_C(0x80000000)

void iba_obs_payload(struct iba_look *l)
{
    const uint32_t n = l->v->payload_len;
    const uint32_t pmtu = l->flow->pmtu_sure ? l->flow->pmtu : 0;

    if (l->op->pay == IBA_PAY_PMTU && pmtu == 0 && iba_obs_is_mtu(n)) {
        iba_obs_learn_pmtu(l->s, l->flow, n, true);
        return;
    }
    if (!iba_payload_allowed(l->op, n, pmtu ? pmtu : IBA_MTU_MOST_BYTES))
        iba_obs_report(l, IBA_FINDING_LENGTH, &(struct iba_obs_detail){.count = n});
}

/* Other requests than SENDs and WRITEs count as SENDs: they are always messages of one packet, so nothing continues
 * them. */
static enum iba_obs_message message_of(const struct iba_opcode *op)
{
    return op->operation == IBA_OPERATION_WRITE ? IBA_MESSAGE_WRITE : IBA_MESSAGE_SEND;
}

/* Counts the bytes of a WRITE packet against the rest of the message's DMA length. */
static void take_write(struct iba_look *l, struct iba_obs_requests *q, bool ends)
{
    const uint32_t n = l->v->payload_len;
    const bool fits = ends ? n == q->dma_left : n < q->dma_left;

    if (!fits)
        iba_obs_report(l, IBA_FINDING_DMA_LENGTH, &(struct iba_obs_detail){.count = q->dma_left});
    q->dma_left -= n < q->dma_left ? n : q->dma_left;
}

void iba_obs_message(struct iba_look *l, struct iba_obs_requests *q)
{
    const enum iba_obs_message op = message_of(l->op);
    const bool starts = iba_opcode_begins(l->op);
    const bool ends = iba_opcode_ends(l->op);
    struct iba_obs_sent *e = iba_obs_sent_at(q, l->psn);
    bool known = q->message != IBA_MESSAGE_UNKNOWN;

    if (e) {
        e->messages = q->messages;
        e->counted = true;
    }
    if (known && (starts ? q->message != IBA_MESSAGE_NONE : q->message != op))
        iba_obs_report(l, IBA_FINDING_SEQUENCE, &(struct iba_obs_detail){.cause = &q->last});
    known = starts || q->message == op;
    if (starts && iba_view_has(l->v, IBA_H_reth)) {
        q->dma_left = iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth));
        if (q->dma_left > LONGEST_DMA)
            iba_obs_report(l, IBA_FINDING_DMA_LENGTH, &(struct iba_obs_detail){.count = q->dma_left});
    }
    if (known && op == IBA_MESSAGE_WRITE)
        take_write(l, q, ends);
    q->message = (uint8_t)(ends ? IBA_MESSAGE_NONE : known ? op : IBA_MESSAGE_UNKNOWN);
    q->messages += ends;
}
