/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"
#include "ends.h"
#include "transport/iba_wr_ops.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define LAB_MAC UINT64_C(0x020000000001)

struct note { /* ctx of an adapter's callbacks */
    struct lab *l;
    unsigned end;
};
static struct note notes[LAB_ENDS];

static uint64_t entropy(void *ctx)
{
    struct lab *l = ((struct note *)ctx)->l;

    l->random = l->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return l->random >> 11;
}

static void on_event(void *ctx, const struct iba_event *e)
{
    const struct note *n = ctx;
    struct lab_end *end = &n->l->end[n->end];

    if (end->n_event < LAB_EVENTS)
        end->event[end->n_event++] = *e;
}

/* ---- set-up ---- */

static void open_memory(struct lab *l, unsigned i)
{
    struct lab_end *e = &l->end[i];

    e->room = malloc(LAB_BYTES + 2 * LAB_GUARD);
    cr_assert_not_null(e->room);
    memset(e->room, 0xa5, LAB_BYTES + 2 * LAB_GUARD);
    for (unsigned k = 0; k < LAB_BYTES; k++)
        lab_memory(l, i)[k] = (uint8_t)(k * 7 + k / 251 + i * 101);
    const struct iba_mr_attr mr = {.base = lab_memory(l, i),
                                   .length = LAB_BYTES,
                                   .iova = LAB_VA,
                                   .pd = e->pd,
                                   .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_MW_BIND};
    cr_assert_eq(iba_mr_register(&e->ca.mem, &mr, &e->lkey, &e->rkey), IBA_MEM_OK);
}

static void open_end(struct lab *l, unsigned i)
{
    struct lab_end *e = &l->end[i];
    const struct iba_ca_config cfg = {IBA_CA_TABLES(e), .n_port = 1, .random = entropy, .event = on_event,
                                      .ctx = &notes[i]};
    struct iba_port *port;

    notes[i] = (struct note){l, i};
    iba_ca_init(&e->ca, &cfg);
    port = iba_ca_port(&e->ca, 1);
    iba_port_init(port, 1, l->kind, IBA_MTU_4096, LAB_MAC + i);
    end_gid(l->kind, false, i, port->gid[0]);
    port->n_gid = 1;
    port->n_pkey = 4;
    port->lid = l->kind == IBA_PORT_IB ? (uint16_t)(i + 1) : 0;
    cr_assert_eq(iba_pd_create(&e->ca.mem, &e->pd), IBA_MEM_OK);
    open_memory(l, i);
    cr_assert_eq(iba_create_cq(&e->ca, &e->cq, e->ring, 8 * LAB_DEPTH, &e->cqn), IBA_VERB_OK);
}

struct lab *lab_open(enum iba_port_kind kind, unsigned n)
{
    struct lab *l = calloc(1, sizeof *l);

    cr_assert_not_null(l);
    l->kind = kind;
    l->n = n;
    l->random = 42;
    for (unsigned i = 0; i < n; i++)
        open_end(l, i);
    return l;
}

void lab_close(struct lab *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        const struct lab_end *e = &l->end[i];
        iba_ca_check(&e->ca);
        iba_queues_check(&e->ca);
        for (unsigned k = 0; k < LAB_GUARD; k++)
            cr_assert(e->room[k] == 0xa5 && e->room[LAB_GUARD + LAB_BYTES + k] == 0xa5, "a guard of end %u", i);
        free(e->room);
    }
    free(l);
}

struct iba_av lab_av(const struct lab *l, unsigned from, unsigned to, bool grh)
{
    struct iba_av av = {.port = 1,
                        .grh = grh || l->kind != IBA_PORT_IB,
                        .dlid = (uint16_t)(to + 1),
                        .vlan = 0xffff,
                        .hop_limit = 64,
                        .dmac = LAB_MAC + to};

    (void)from;
    end_gid(l->kind, false, to, av.dgid);
    return av;
}

struct iba_qp_attr lab_attr(void)
{
    return (struct iba_qp_attr){.port = 1,
                                .qkey = LAB_QKEY,
                                .access = IBA_ACCESS_REMOTE,
                                .path_mtu = IBA_MTU_1024,
                                .rq_psn = 0xfffffe,
                                .sq_psn = 0xfffffe,
                                .timeout = 14,
                                .retry = 3,
                                .rnr_retry = 3,
                                .min_rnr = 12, /* 0.64 ms */
                                .max_rd = LAB_SAVED,
                                .max_dest_rd = LAB_SAVED};
}

uint32_t lab_qp(struct lab *l, unsigned end, enum iba_qp_type type, uint32_t srq)
{
    struct lab_end *e = &l->end[end];
    struct lab_qp *q = &e->qp[e->n_qp++];
    uint32_t qpn;
    const struct iba_qp_init init = {.type = (uint8_t)type,
                                     .pd = e->pd,
                                     .send_cq = e->cqn,
                                     .recv_cq = e->cqn,
                                     .srq = srq,
                                     .sq = q->sq,
                                     .rq = q->rq,
                                     .saved = q->saved,
                                     .n_sq = LAB_DEPTH,
                                     .n_rq = srq == IBA_NONE ? LAB_DEPTH : 0,
                                     .n_saved = LAB_SAVED};

    cr_assert_leq(e->n_qp, LAB_QPS);
    cr_assert_eq(iba_create_qp(&e->ca, &q->qp, &init, &qpn), IBA_VERB_OK);
    return qpn;
}

static void modify(struct lab *l, unsigned end, uint32_t qpn, struct iba_qp_attr a, uint8_t to, uint32_t mask)
{
    enum iba_verb_err e;

    a.state = to;
    e = iba_modify_qp(&l->end[end].ca, qpn, &a, mask | IBA_QPA_STATE);
    cr_assert_eq(e, IBA_VERB_OK, "to %s: %s", iba_qp_state_name(to), iba_verb_strerror(e));
}

void lab_connect_one(struct lab *l, unsigned from, uint32_t qpn, unsigned to, uint32_t peer, struct iba_qp_attr a)
{
    const bool rc = iba_query_qp(&l->end[from].ca, qpn)->type == IBA_QPT_RC;

    a.dest_qpn = peer;
    a.av = lab_av(l, from, to, false);
    modify(l, from, qpn, a, IBA_QPS_INIT, IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | IBA_QPA_ACCESS);
    modify(l, from, qpn, a, IBA_QPS_RTR,
           IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN |
               (rc ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0));
    modify(l, from, qpn, a, IBA_QPS_RTS,
           IBA_QPA_SQ_PSN | (rc ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0));
}

void lab_connect(struct lab *l, unsigned i, uint32_t qi, unsigned k, uint32_t qk, struct iba_qp_attr a)
{
    lab_connect_one(l, i, qi, k, qk, a);
    lab_connect_one(l, k, qk, i, qi, a);
}

void lab_ready(struct lab *l, unsigned end, uint32_t qpn, struct iba_qp_attr a)
{
    const uint8_t type = iba_query_qp(&l->end[end].ca, qpn)->type;
    const bool raw = type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE;

    if (type == IBA_QPT_GSI)
        a.qkey = IBA_GSI_QKEY;
    modify(l, end, qpn, a, IBA_QPS_INIT,
           raw                  ? IBA_QPA_PORT
           : type == IBA_QPT_UD ? IBA_QPA_PORT | IBA_QPA_PKEY_INDEX | IBA_QPA_QKEY
                                : IBA_QPA_PKEY_INDEX | IBA_QPA_QKEY);
    modify(l, end, qpn, a, IBA_QPS_RTR, 0);
    modify(l, end, qpn, a, IBA_QPS_RTS, raw ? 0 : IBA_QPA_SQ_PSN);
}

uint32_t lab_ah(struct lab *l, unsigned from, unsigned to, bool grh)
{
    const struct iba_av av = lab_av(l, from, to, grh);
    uint32_t ah;

    cr_assert_eq(iba_create_ah(&l->end[from].ca, l->end[from].pd, &av, &ah), IBA_VERB_OK);
    return ah;
}

/* ---- the wire ---- */

static void note_seen(struct lab *l, unsigned from, const struct iba_view *v)
{
    struct lab_seen *s = &l->seen[l->n_seen];

    if (l->n_seen == LAB_SEEN || !iba_view_has_bth(v))
        return;
    l->n_seen++;
    *s = (struct lab_seen){.at = l->now,
                           .from = from,
                           .opcode = iba_bth_opcode(iba_view_bth(v)),
                           .pkey = iba_bth_p_key(iba_view_bth(v)),
                           .psn = iba_bth_psn(iba_view_bth(v)),
                           .payload = v->payload_len,
                           .fecn = iba_bth_fecn(iba_view_bth(v)),
                           .becn = iba_bth_becn(iba_view_bth(v))};
    if (iba_view_has(v, IBA_H_aeth))
        s->syndrome = *iba_view_hdr(v, IBA_H_aeth); /* its first byte */
}

static bool leads_to(const struct lab *l, unsigned from, unsigned to, const uint8_t *frame)
{
    if (l->kind == IBA_PORT_IB) {
        const uint16_t dlid = iba_lrh_dlid(frame);
        return iba_lid_classify(dlid) == IBA_LID_UNICAST ? dlid == to + 1 : from != to;
    }
    return iba_eth_dst(frame) >> 40 & 1 ? from != to : iba_eth_dst(frame) == LAB_MAC + to;
}

static void carry(struct lab *l, unsigned from, uint8_t *frame, size_t len)
{
    const enum iba_link link = l->kind == IBA_PORT_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    struct iba_view v;

    (void)iba_view_parse(&v, link, frame, len, len, NULL);
    iba_view_check(&v);
    cr_assert_eq(v.err, IBA_OK, "%s", iba_strerror(v.err));
    cr_assert_neq(v.icrc, IBA_CHECK_BAD);
    note_seen(l, from, &v);
    if (l->tap && !l->tap(l, from, frame, &v))
        return;
    for (unsigned to = 0; to < l->n; to++) {
        if (!leads_to(l, from, to, frame))
            continue;
        (void)iba_view_parse(&v, link, frame, len, len, NULL);
        iba_view_check(&v);
        iba_ca_feed(&l->end[to].ca, 1, &v, l->now);
    }
}

static bool move_packets(struct lab *l)
{
    uint8_t frame[IBA_TX_MOST];
    bool moved = false;

    for (unsigned i = 0; i < l->n; i++) {
        size_t len;
        cr_assert_eq(iba_ca_poll(&l->end[i].ca, 1, frame, sizeof frame, &len, l->now), IBA_OK);
        if (len > 0)
            carry(l, i, frame, len);
        moved |= len > 0;
    }
    return moved;
}

void lab_run(struct lab *l, iba_time until)
{
    for (;;) {
        iba_time next = IBA_NEVER;
        if (move_packets(l))
            continue;
        for (unsigned i = 0; i < l->n; i++) {
            const iba_time t = iba_ca_deadline(&l->end[i].ca);
            next = t < next ? t : next;
        }
        if (next > until) {
            l->now = until;
            return;
        }
        l->now = next > l->now ? next : l->now;
        for (unsigned i = 0; i < l->n; i++)
            iba_ca_advance(&l->end[i].ca, l->now);
    }
}

/* ---- work ---- */

void lab_recv(struct lab *l, unsigned end, uint32_t qpn, uint64_t wr_id, uint64_t at, uint32_t length)
{
    const struct iba_recv_wr wr = {.wr_id = wr_id, .n_sge = 1, .sge = {{LAB_VA + at, length, l->end[end].lkey}}};

    cr_assert_eq(iba_post_recv(&l->end[end].ca, qpn, &wr), IBA_VERB_OK);
}

enum iba_verb_err lab_send(struct lab *l, unsigned end, uint32_t qpn, struct iba_send_wr wr, uint64_t at,
                           uint32_t length)
{
    wr.flags |= IBA_WR_SIGNALED;
    if (wr.op != IBA_WR_BIND_MW && wr.op != IBA_WR_LOCAL_INV) {
        wr.n_sge = 1;
        wr.sge[0] = (struct iba_sge){LAB_VA + at, length, l->end[end].lkey};
    }
    return iba_post_send(&l->end[end].ca, qpn, &wr);
}

struct iba_wc lab_wc(struct lab *l, unsigned end)
{
    struct iba_wc wc = {0};

    cr_assert(iba_poll_cq(&l->end[end].ca, l->end[end].cqn, &wc), "end %u: no completion", end);
    return wc;
}

void lab_no_wc(struct lab *l, unsigned end)
{
    struct iba_wc wc = {0};

    cr_assert(!iba_poll_cq(&l->end[end].ca, l->end[end].cqn, &wc), "end %u: %s of %lu", end,
              iba_wc_status_name((enum iba_wc_status)wc.status), (unsigned long)wc.wr_id);
}

struct iba_wc lab_done(struct lab *l, unsigned end, uint64_t wr_id, enum iba_wc_status status)
{
    const struct iba_wc wc = lab_wc(l, end);

    cr_assert_eq(wc.wr_id, wr_id, "end %u: completion of %lu, not of %lu", end, (unsigned long)wc.wr_id,
                 (unsigned long)wr_id);
    cr_assert_eq(wc.status, status, "end %u, request %lu: %s", end, (unsigned long)wr_id,
                 iba_wc_status_name((enum iba_wc_status)wc.status));
    return wc;
}

unsigned lab_events(const struct lab *l, unsigned end, enum iba_event_kind kind)
{
    unsigned n = 0;

    for (unsigned i = 0; i < l->end[end].n_event; i++)
        n += l->end[end].event[i].kind == kind;
    return n;
}

enum iba_qp_state lab_state(const struct lab *l, unsigned end, uint32_t qpn)
{
    return (enum iba_qp_state)iba_query_qp(&l->end[end].ca, qpn)->state;
}

unsigned lab_count(const struct lab *l, uint8_t opcode)
{
    unsigned n = 0;

    for (unsigned i = 0; i < l->n_seen; i++)
        n += l->seen[i].opcode == opcode;
    return n;
}

const struct lab_seen *lab_find(const struct lab *l, uint8_t opcode, unsigned nth)
{
    for (unsigned i = 0; i < l->n_seen; i++)
        if (l->seen[i].opcode == opcode && nth-- == 0)
            return &l->seen[i];
    return NULL;
}
