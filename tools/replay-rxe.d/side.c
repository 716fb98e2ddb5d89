/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine as one side of the conversation: a fresh adapter, configured from the capture. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "replay.h"
#include "sim/iba_random.h"
#include "wire/iba_build.h"

enum { SLOTS = 8, DEPTH = 4, SAVED = 16, GSI = 1, GRH_AREA = 40 };
static const uint16_t rights =
    IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC;

struct player {
    const struct capture_file *c;
    const struct flow *f;
    struct side *s;
    struct memory m;
    struct iba_ca ca;
    struct iba_qp qp, *qps[SLOTS];
    struct iba_cq cq, *cqs[SLOTS];
    struct iba_srq *srqs[SLOTS];
    struct iba_ah ahs[SLOTS];
    struct iba_mcast mcasts[SLOTS];
    struct iba_mkey *keys;
    uint32_t pds[SLOTS], pd, cqn, lkey;
    struct iba_wc ring[SLOTS * DEPTH];
    struct iba_sqe sq[DEPTH];
    struct iba_recv_wr rq[DEPTH];
    struct iba_saved saved[SAVED];
    uint8_t *inbox; /* every receive work request's buffer */
    uint32_t inbox_bytes;
    uint32_t mtu; /* bytes */
    struct verdict last;
    bool waiting; /* a receive work request is posted */
    struct iba_random random;
};

static uint64_t entropy(void *ctx)
{
    return iba_random_next(&((struct player *)ctx)->random);
}

static void trace(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn)
{
    (void)qpn;
    ((struct player *)ctx)->last = (struct verdict){table, r};
}

static void must(bool good, const char *what)
{
    if (!good)
        die("the engine refuses", what);
}

static void open_adapter(struct player *p)
{
    const uint32_t n_key = (uint32_t)p->m.n_region + SLOTS;

    p->keys = calloc(n_key, sizeof *p->keys);
    must(p->keys, "memory");
    const struct iba_ca_config cfg = {.n_port = 1,
                                      .qp = p->qps,
                                      .cq = p->cqs,
                                      .srq = p->srqs,
                                      .ah = p->ahs,
                                      .mcast = p->mcasts,
                                      .key = p->keys,
                                      .pd = p->pds,
                                      .n_qp = SLOTS,
                                      .n_cq = SLOTS,
                                      .n_srq = SLOTS,
                                      .n_ah = SLOTS,
                                      .n_mcast = SLOTS,
                                      .n_key = n_key,
                                      .n_pd = SLOTS,
                                      .random = entropy,
                                      .trace = trace,
                                      .ctx = p};
    iba_random_seed(&p->random, 1);
    iba_ca_init(&p->ca, &cfg);
    p->ca.ack_delay = 1u << 20; /* acknowledges only requests with AckReq, as Linux does */
    struct iba_port *port = iba_ca_port(&p->ca, 1);
    iba_port_init(port, 1, IBA_PORT_ROCE2, IBA_MTU_4096, p->f->to.mac);
    memcpy(port->gid[0], p->f->to.gid, 16);
    port->n_gid = 1;
}

static void register_memory(struct player *p)
{
    uint64_t sum = GRH_AREA + IBA_MEM_PAGE;

    must(iba_pd_create(&p->ca.mem, &p->pd) == IBA_MEM_OK, "a protection domain");
    for (size_t i = 0; i < p->m.n_region; i++) {
        struct region *r = &p->m.region[i];
        const struct iba_mr_attr a = {.base = r->block->bytes + (r->first - r->block->first),
                                      .length = r->end - r->first,
                                      .iova = r->first,
                                      .pd = p->pd,
                                      .access = rights | IBA_ACCESS_INVALIDATE};
        uint32_t lkey;
        must(iba_mr_register(&p->ca.mem, &a, &lkey, &r->ours) == IBA_MEM_OK, "a region");
    }
    for (size_t i = 0; i < p->f->n_request; i++)
        sum += flow_request(p->c, p->f, i)->view.payload_len;
    p->inbox_bytes = (uint32_t)sum; /* no message is longer than the sum of all */
    p->inbox = calloc(sum, 1);
    must(p->inbox, "memory");
    const struct iba_mr_attr a = {.base = p->inbox, .length = sum, .pd = p->pd, .access = IBA_ACCESS_LOCAL_WRITE};
    uint32_t rkey;
    must(iba_mr_register(&p->ca.mem, &a, &p->lkey, &rkey) == IBA_MEM_OK, "the inbox");
}

static enum iba_qp_type type_of(const struct flow *f)
{
    if (f->service == IBA_UD)
        return f->qpn == GSI ? IBA_QPT_GSI : IBA_QPT_UD;
    return f->service == IBA_RC ? IBA_QPT_RC : IBA_QPT_UC;
}

static void create_qp(struct player *p)
{
    uint32_t qpn;
    const struct iba_qp_init init = {.type = (uint8_t)type_of(p->f),
                                     .pd = p->pd,
                                     .send_cq = p->cqn,
                                     .recv_cq = p->cqn,
                                     .srq = IBA_NONE,
                                     .qpn = p->f->qpn,
                                     .sq = p->sq,
                                     .rq = p->rq,
                                     .saved = p->saved,
                                     .n_sq = DEPTH,
                                     .n_rq = DEPTH,
                                     .n_saved = SAVED};

    must(iba_create_qp(&p->ca, &p->qp, &init, &qpn) == IBA_VERB_OK, "the queue pair");
}

/* Where the responder began to count: with the first request, unless its first words are "I expect ..." what comes
 * before that: then the first was lost or overtaken. */
static uint32_t first_psn(const struct player *p)
{
    const struct flow *f = p->f;
    const struct packet *said = f->n_response > 0 ? flow_response(p->c, f, 0) : NULL, *asked = NULL;

    for (size_t i = 0; i < f->n_request && !asked; i++)
        if (packet_good(flow_request(p->c, f, i)))
            asked = flow_request(p->c, f, i);
    if (said && packet_is_nak(said, IBA_NAK_SEQUENCE) &&
        (!asked || iba_psn_diff(packet_psn(said), packet_psn(asked)) < 0))
        return packet_psn(said).v;
    return asked ? packet_psn(asked).v : 0;
}

static uint8_t rnr_code(const struct player *p)
{
    for (size_t i = 0; i < p->f->n_response; i++)
        if (packet_is_rnr(flow_response(p->c, p->f, i)))
            return iba_aeth_syn_value(packet_hdr(flow_response(p->c, p->f, i), IBA_H_aeth));
    return 0;
}

static uint32_t qkey(const struct player *p)
{
    const uint8_t *deth = packet_hdr(flow_request(p->c, p->f, 0), IBA_H_deth);

    return deth ? iba_deth_q_key(deth) : 0;
}

static void connect(struct player *p, enum iba_mtu mtu)
{
    const bool ud = p->f->service == IBA_UD, rc = p->f->service == IBA_RC;
    struct iba_qp_attr a = {.state = IBA_QPS_INIT,
                            .port = 1,
                            .qkey = qkey(p),
                            .access = rights & IBA_ACCESS_REMOTE,
                            .path_mtu = (uint8_t)mtu,
                            .dest_qpn = p->f->peer_qpn == IBA_NONE ? p->f->qpn : p->f->peer_qpn,
                            .rq_psn = first_psn(p),
                            .min_rnr = rnr_code(p),
                            .max_rd = SAVED,
                            .max_dest_rd = SAVED,
                            .av = {.port = 1, .grh = true, .vlan = 0xffff, .hop_limit = 64, .dmac = p->f->from.mac}};
    uint32_t init = IBA_QPA_STATE | IBA_QPA_PKEY_INDEX, rtr = IBA_QPA_STATE, rts = IBA_QPA_STATE | IBA_QPA_SQ_PSN;

    memcpy(a.av.dgid, p->f->from.gid, 16);
    init |= ud ? IBA_QPA_QKEY : IBA_QPA_ACCESS;
    init |= p->qp.type == IBA_QPT_GSI ? 0 : IBA_QPA_PORT;
    rtr |= ud ? 0 : IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN;
    rtr |= rc ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0;
    rts |= rc ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0;
    must(iba_modify_qp(&p->ca, p->qp.qpn, &a, init) == IBA_VERB_OK, "Init");
    a.state = IBA_QPS_RTR;
    must(iba_modify_qp(&p->ca, p->qp.qpn, &a, rtr) == IBA_VERB_OK, "Ready to Receive");
    a.state = IBA_QPS_RTS;
    must(iba_modify_qp(&p->ca, p->qp.qpn, &a, rts) == IBA_VERB_OK, "Ready to Send");
}

/* The first expected PSN of the responder: that of the first request, unless its first response is a sequence NAK for
 * an earlier PSN: then the first request was lost or overtaken. */

/* Whether the packet consumes a receive work request: the first of a SEND, or the last of a WRITE with immediate
 * data. */
static bool takes_receive(const struct packet *q)
{
    if (!q->view.op)
        return false;
    return q->view.op->operation == IBA_OPERATION_SEND ? iba_opcode_begins(q->view.op)
                                                       : (q->view.op->hdrs & IBA_HDR_BIT(IBA_H_immdt)) != 0;
}

/* The capture's responder had no receive for request i: its RNR NAKs for that PSN and the copies of the request pair up
 * in order. */
static bool was_not_ready(const struct player *p, size_t i)
{
    const struct packet *q = flow_request(p->c, p->f, i);
    size_t before = 0, naks = 0;

    for (size_t k = 0; k < i; k++)
        before += packet_good(flow_request(p->c, p->f, k)) &&
                  iba_psn_eq(packet_psn(flow_request(p->c, p->f, k)), packet_psn(q));
    for (size_t k = 0; k < p->f->n_response; k++)
        naks += packet_is_rnr(flow_response(p->c, p->f, k)) &&
                iba_psn_eq(packet_psn(flow_response(p->c, p->f, k)), packet_psn(q));
    return before < naks;
}

/* Whether the buffer of the capture's responder was too short: its NAK for a SEND is not due to key or PSN. */
static bool was_too_short(const struct player *p, const struct packet *q)
{
    for (size_t k = 0; k < p->f->n_response; k++) {
        const struct packet *a = flow_response(p->c, p->f, k);
        if ((packet_is_nak(a, IBA_NAK_INVALID_REQUEST) || packet_is_nak(a, IBA_NAK_REMOTE_OPERATION)) &&
            iba_psn_eq(packet_psn(a), packet_psn(q)))
            return true;
    }
    return false;
}

static void post(struct player *p, size_t i)
{
    const struct packet *q = flow_request(p->c, p->f, i);
    struct iba_recv_wr wr = {.wr_id = i, .n_sge = 1, .sge = {{0, p->inbox_bytes, p->lkey}}};

    if (p->waiting || !packet_good(q) || !takes_receive(q) || was_not_ready(p, i))
        return;
    if (was_too_short(p, q))
        wr.sge[0].length = q->view.payload_len / 2;
    p->waiting = iba_post_recv(&p->ca, p->qp.qpn, &wr) == IBA_VERB_OK;
}

/* ---- packets in, packets out ---- */

static uint32_t key_for_us(const struct player *p, uint32_t rkey)
{
    const struct region *r = memory_region(&p->m, rkey);

    if (r)
        return r->ours;
    for (size_t i = 0; i < p->m.n_region; i++)
        if (p->m.region[i].ours == rkey) /* a bad key stays bad */
            return rkey ^ 0xff;
    return rkey;
}

/* Replaces the keys that Linux chose by the engine's, and repairs the ICRC. */
static void translate(const struct player *p, const struct iba_view *v, uint8_t *bytes)
{
    uint8_t *reth = bytes + v->at[IBA_H_reth], *atomic = bytes + v->at[IBA_H_atomiceth],
            *ieth = bytes + v->at[IBA_H_ieth];

    if (iba_view_has(v, IBA_H_reth))
        iba_reth_set_r_key(reth, key_for_us(p, iba_reth_r_key(reth)));
    else if (iba_view_has(v, IBA_H_atomiceth))
        iba_atomiceth_set_r_key(atomic, key_for_us(p, iba_atomiceth_r_key(atomic)));
    else if (iba_view_has(v, IBA_H_ieth))
        iba_ieth_set_r_key(ieth, key_for_us(p, iba_ieth_r_key(ieth)));
    else
        return; /* unchanged, with its checksums */
    iba_view_repair_crc(v, bytes);
}

static void parse(struct iba_view *v, const uint8_t *bytes, const struct packet *q)
{
    (void)iba_view_parse(v, IBA_LINK_ETHERNET, bytes, q->view.caplen, q->view.len, NULL);
    iba_view_check(v);
}

static void feed(struct player *p, const struct packet *q)
{
    uint8_t *bytes = malloc(q->view.caplen);
    struct iba_view v;

    must(bytes, "memory");
    memcpy(bytes, q->bytes, q->view.caplen);
    parse(&v, bytes, q);
    if (packet_good(q)) {
        translate(p, &v, bytes);
        parse(&v, bytes, q);
    }
    p->last = (struct verdict){0};
    iba_ca_feed(&p->ca, 1, &v, q->at);
    free(bytes);
}

static void collect(struct player *p, size_t i)
{
    const iba_time now = flow_request(p->c, p->f, i)->at;
    uint8_t buf[IBA_TX_MOST];
    struct iba_wc wc;
    size_t len;

    while (iba_ca_poll(&p->ca, 1, buf, sizeof buf, &len, now) == IBA_OK && len > 0) {
        struct side *s = p->s;
        s->answer = grow(s->answer, s->n_answer, sizeof *s->answer);
        struct answer *a = &s->answer[s->n_answer++];
        *a = (struct answer){.bytes = malloc(len), .request = i, .match = NOBODY};
        must(a->bytes, "memory");
        memcpy(a->bytes, buf, len);
        (void)iba_view_parse(&a->view, IBA_LINK_ETHERNET, a->bytes, len, len, NULL);
        iba_view_check(&a->view);
    }
    while (iba_poll_cq(&p->ca, p->cqn, &wc))
        p->s->delivered += wc.status == IBA_WC_SUCCESS;
    const struct iba_qp *qp = iba_query_qp(&p->ca, p->f->qpn);
    p->waiting = qp && qp->rq.count > 0;
}

/* Whether a completion reports a message after this packet. */
static bool ends_message(const struct packet *q)
{
    if (!packet_good(q) || !q->view.op)
        return false;
    return q->view.op->operation == IBA_OPERATION_SEND ? iba_opcode_ends(q->view.op) : takes_receive(q);
}

void side_play(const struct capture_file *c, const struct flow *f, struct side *s)
{
    struct player *p = calloc(1, sizeof *p);
    const enum iba_mtu mtu = flow_mtu(c, f);

    must(p, "memory");
    *s = (struct side){.verdict = calloc(f->n_request, sizeof *s->verdict)};
    must(s->verdict, "memory");
    p->c = c, p->f = f, p->s = s, p->mtu = iba_mtu_bytes(mtu);
    memory_find(c, f, &p->m);
    open_adapter(p);
    register_memory(p);
    must(iba_create_cq(&p->ca, &p->cq, p->ring, SLOTS * DEPTH, &p->cqn) == IBA_VERB_OK, "a completion queue");
    if (f->service != IBA_RC || f->n_response > 0) { /* a responder that never sends anything does not exist */
        create_qp(p);
        connect(p, mtu);
    }
    for (size_t i = 0; i < f->n_request; i++) {
        const struct packet *q = flow_request(c, f, i);
        post(p, i);
        memory_before(c, f, &p->m, i, p->mtu);
        feed(p, q);
        s->verdict[i] = p->last;
        s->messages += ends_message(q);
        collect(p, i);
        memory_after(c, f, &p->m, i, p->mtu);
    }
    iba_ca_check(&p->ca);
    memory_free(&p->m);
    free(p->keys);
    free(p->inbox);
    free(p);
}

void side_free(struct side *s)
{
    for (size_t i = 0; i < s->n_answer; i++)
        free(s->answer[i].bytes);
    free(s->answer);
    free(s->verdict);
}
