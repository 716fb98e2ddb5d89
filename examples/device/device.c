/* SPDX-License-Identifier: BSD-2-Clause */
/* A device: the responder of SEND on reliable connections, RoCEv2 over IPv4. libiba reads and builds the packets
 * (iba_view.h, iba_build.h). This file decides how to answer, as a stack or an FPGA does. Replace device_frame() by
 * your own first, then add one operation after the other: ibconform plays the scenarios of the capabilities that
 * agent.c claims. */
#include "device.h"
#include <string.h>
#include "wire/iba_aeth.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

struct qp device_qps[QPS];
uint8_t device_memory[MEMORY];
void (*device_send)(const uint8_t *frame, size_t len);

/* Completes the oldest receive. Returns its completion, so that the caller can set more members; if the queue of
 * completions is full, one that nobody reads. */
static struct completion *complete(struct qp *qp, const char *status, uint32_t bytes)
{
    struct queue *q = qp->completions;
    static struct completion lost;
    struct completion *c = q->n < DEPTH ? &q->entry[(q->head + q->n++) % DEPTH] : &lost;

    *c = (struct completion){
        .id = qp->receive[qp->head].id, .status = status, .bytes = bytes, .qpn = qp->number, .source = qp->peer};
    qp->head = (qp->head + 1) % DEPTH;
    qp->n--;
    return c;
}

void device_fail(struct qp *qp)
{
    qp->state = ERR;
    qp->open = false;
    while (qp->n > 0)
        (void)complete(qp, "flushed", 0);
}

/* Sends an acknowledgement of `psn` back to the sender of the request. */
static void answer(const struct qp *qp, const struct iba_view *v, iba_psn psn, uint8_t syndrome)
{
    uint8_t frame[256], *part;
    struct iba_recipe r;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_ACKNOWLEDGE);
    part = iba_recipe_part(&r, IBA_H_eth);
    iba_eth_set_dst(part, iba_eth_src(iba_view_hdr(v, IBA_H_eth)));
    iba_eth_set_src(part, DEVICE_MAC);
    part = iba_recipe_part(&r, IBA_H_ipv4);
    iba_ipv4_set_dst(part, iba_ipv4_src(iba_view_hdr(v, IBA_H_ipv4)));
    iba_ipv4_set_src(part, DEVICE_IPV4);
    part = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_destqp(part, qp->peer);
    iba_bth_set_psn(part, psn.v);
    part = iba_recipe_part(&r, IBA_H_aeth);
    part[0] = syndrome; /* the first byte of the AETH */
    iba_aeth_set_msn(part, qp->msn);
    if (iba_build(&r, frame, sizeof frame, &len) == IBA_OK)
        device_send(frame, len);
}

static void refuse(struct qp *qp, const struct iba_view *v, enum iba_nak code)
{
    answer(qp, v, iba_psn_of(qp->epsn), iba_syndrome(IBA_AETH_NAK, code));
    if (qp->open && qp->n > 0) /* the unfinished message uses a receive */
        (void)complete(qp, "remote_invalid_req", 0);
    device_fail(qp);
}

/* Executes a packet of a SEND with the expected PSN (RR-03, RR-12). */
static void take(struct qp *qp, const struct iba_view *v)
{
    const bool begins = iba_opcode_begins(v->op), ends = iba_opcode_ends(v->op);
    const struct receive *r = &qp->receive[qp->head];

    if (v->op->operation != IBA_OPERATION_SEND || begins == qp->open ||
        !iba_payload_allowed(v->op, v->payload_len, qp->pmtu)) {
        refuse(qp, v, IBA_NAK_INVALID_REQUEST);
        return;
    }
    if (qp->n == 0) { /* no receive is posted: the requester sends the packet again after the RNR timer */
        qp->nak_sent = true;
        answer(qp, v, iba_psn_of(qp->epsn), iba_syndrome(IBA_AETH_RNR, qp->rnr_timer));
        return;
    }
    if (begins)
        qp->done = 0;
    if (qp->done + v->payload_len > r->length) {
        qp->open = false;
        (void)complete(qp, "local_length", 0);
        refuse(qp, v, IBA_NAK_INVALID_REQUEST);
        return;
    }
    memcpy(device_memory + r->at + qp->done, v->wire + v->payload_at, v->payload_len);
    qp->done += v->payload_len;
    qp->open = !ends;
    if (ends) {
        struct completion *c = complete(qp, "success", qp->done);
        c->has_immediate = iba_view_has(v, IBA_H_immdt);
        c->immediate = c->has_immediate ? iba_immdt_data(iba_view_hdr(v, IBA_H_immdt)) : 0;
        qp->msn = (qp->msn + 1) & IBA_PSN_MASK;
    }
    const iba_psn psn = iba_psn_of(qp->epsn);
    qp->epsn = iba_psn_add(psn, 1).v;
    if (ends || iba_bth_a(iba_view_bth(v)))
        answer(qp, v, psn, iba_syndrome(IBA_AETH_ACK, IBA_CREDIT_NO_LIMIT));
}

void device_frame(const uint8_t *frame, size_t len)
{
    struct iba_view v;
    struct qp *qp = device_qps;

    if (iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL) != IBA_OK || v.proto != IBA_PROTO_ROCE2)
        return; /* drop a damaged packet, or a packet for another device, without an answer */
    iba_view_check(&v);
    const uint8_t *bth = iba_view_bth(&v);
    while (qp < device_qps + QPS && !(qp->used && qp->number == iba_bth_destqp(bth)))
        qp++;
    if (v.icrc != IBA_CHECK_GOOD || !v.op || v.op->svc != IBA_RC || v.op->dir != IBA_REQ || v.l3 != IBA_H_ipv4 ||
        iba_ipv4_dst(iba_view_hdr(&v, IBA_H_ipv4)) != DEVICE_IPV4 || qp == device_qps + QPS ||
        (qp->state != RTR && qp->state != RTS) || iba_bth_tver(bth) || (iba_bth_p_key(bth) & 0x7fff) != 0x7fff)
        return;
    const int32_t ahead = iba_psn_diff(iba_psn_of(iba_bth_psn(bth)), iba_psn_of(qp->epsn));
    if (ahead < 0) /* a duplicate was executed before, and is only acknowledged again */
        answer(qp, &v, iba_psn_add(iba_psn_of(qp->epsn), IBA_PSN_MASK),
               iba_syndrome(IBA_AETH_ACK, IBA_CREDIT_NO_LIMIT));
    else if (ahead > 0 && !qp->nak_sent) { /* a gap gets one NAK */
        qp->nak_sent = true;
        answer(qp, &v, iba_psn_of(qp->epsn), iba_syndrome(IBA_AETH_NAK, IBA_NAK_SEQUENCE));
    } else if (ahead == 0) {
        qp->nak_sent = false;
        take(qp, &v);
    }
}
