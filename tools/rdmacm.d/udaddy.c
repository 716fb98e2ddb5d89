/* SPDX-License-Identifier: BSD-2-Clause */
/* udaddy: the client asks for the queue pair of the service and sends datagrams to it, each with its own queue pair's
 * number as immediate data; the server answers to that queue pair. */
#include <string.h>
#include "end.h"
#include "transport/iba_wr_ops.h"

enum { PORT = 7174, RECV_AT = 0, SEND_AT = 65536 };
#define QKEY 0x01234567u /* RDMA_UDP_QKEY of librdmacm */

static void receives(struct end *e, const struct pair *p, const struct play *play)
{
    for (unsigned i = 0; i < play->count; i++)
        end_post_recv(e, p, RECV_AT, play->size + GRH);
}

/* Waits for all datagrams of the peer; returns the immediate data of the last. */
static uint32_t datagrams(struct end *e, const struct play *play, unsigned sent)
{
    uint32_t imm = 0;

    for (unsigned received = 0; received < play->count || sent > 0;) {
        const struct iba_wc wc = end_completion(e);
        if (wc.op != IBA_WR_RECV) {
            sent--;
            continue;
        }
        if (wc.byte_len != play->size + GRH || !(wc.flags & IBA_WC_WITH_IMM))
            die("a datagram of %u bytes with flags %u", wc.byte_len, wc.flags);
        imm = wc.imm_or_key;
        received++;
    }
    return imm;
}

static void send(struct end *e, const struct pair *p, const struct play *play, uint32_t qpn, uint32_t qkey)
{
    uint32_t ah;

    must(iba_create_ah(&e->ca, e->pd, &e->to, &ah) == IBA_VERB_OK, "an address handle");
    for (unsigned i = 0; i < play->count; i++)
        end_post(e, p,
                 &(struct iba_send_wr){
                     .op = IBA_WR_SEND_IMM, .imm_or_key = p->qpn, .ah = ah, .remote_qpn = qpn, .remote_qkey = qkey},
                 SEND_AT, play->size);
}

static void serve(struct end *e, const struct play *play)
{
    const struct iba_cm_private none = {0};
    struct pair *p = end_pair(e, IBA_QPT_UD);
    const struct iba_cm_sidr_rep rep = {.qpn = p->qpn, .qkey = QKEY};

    end_ready(e, p, QKEY);
    receives(e, p, play);
    end_listen(e, UDP_SPACE, play->port ? play->port : PORT);
    const uint32_t id = end_event(e, IBA_CME_SIDR_REQ)->id;
    must(iba_cm_resolved(&e->cm, id, &rep, none, end_now()) == IBA_CM_OK, "to name the queue pair");
    const uint32_t qpn = datagrams(e, play, 0);
    receives(e, p, play);
    send(e, p, play, qpn, QKEY);
    for (unsigned i = 0; i < play->count; i++)
        (void)end_completion(e);
}

static void ask(struct end *e, const struct play *play)
{
    struct pair *p = end_pair(e, IBA_QPT_UD);

    end_ready(e, p, QKEY);
    receives(e, p, play);
    end_resolve(e, play->port ? play->port : PORT);
    const struct iba_cm_event *v = end_event(e, IBA_CME_SIDR_REP);
    const uint8_t *rep = iba_cm_event_data(v);
    if (v->reason != 0)
        die("status %u", v->reason);
    send(e, p, play, iba_cm_sidr_rep_qpn(rep), iba_cm_sidr_rep_qkey(rep));
    (void)datagrams(e, play, play->count);
}

void play_udaddy(struct end *e, const struct play *play)
{
    (play->server ? serve : ask)(e, play);
}
