/* SPDX-License-Identifier: BSD-2-Clause */
/* connect [SEED]: two adapters of libiba connect by their connection managers, one writes to the other's memory by
 * RDMA, and they disconnect. The network between them loses a tenth of the packets; time is virtual. The exit code is 0
 * if all of this worked.
 *
 * The library has no I/O, so the loop in run() carries packets and time. A user of libiba writes no more code than
 * this. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "adapter/iba_gsi.h"
#include "sim/iba_net.h"
#include "transport/iba_wr_ops.h"

enum { DEPTH = 16, CONNS = 4, FLIGHT = 64, BYTES = 4096, MS = 1000000 };
#define SERVICE UINT64_C(0x1000000000001234)

struct end { /* an adapter with its CM, one RC queue pair and one region; the program owns all memory */
    struct iba_ca ca;
    struct iba_cm cm;
    struct iba_gsi gsi;
    struct iba_random random;
    struct iba_qp *qps[8], qp;
    struct iba_cq *cqs[4], cq;
    struct iba_mkey keys[8];
    uint32_t pds[4], pd, cqn, qpn, lkey, rkey, id, heap[CONNS], bucket[IBA_CM_KEYS * CONNS];
    struct iba_wc wcs[DEPTH];
    struct iba_sqe sq[DEPTH];
    struct iba_recv_wr rq[DEPTH];
    struct iba_saved saved[4];
    struct iba_cm_conn conn[CONNS];
    struct iba_cm_listener listener[1];
    struct iba_cm_datagram out[8];
    struct iba_cm_event event[8];
    uint8_t memory[BYTES];
};
struct offer { /* private data of the REP: where the passive end's memory is */
    uint64_t va;
    uint32_t rkey;
};

/* clang-format off */
static struct end ends[2]; /* 0: passive, 1: active */
static struct iba_net net;
static struct iba_net_slot slots[FLIGHT];
static uint8_t bytes[FLIGHT * IBA_TX_MOST];
static iba_time now;
static bool written, over;

static uint64_t entropy(void *ctx)
{
    return iba_random_next(&((struct end *)ctx)->random);
}

static void must(const char *what, int error)
{
    if (!error)
        return;
    (void)fprintf(stderr, "connect: %s: error %d\n", what, error);
    exit(1);
}

static void open_end(unsigned n)
{
    struct end *e = &ends[n];
    struct iba_port *port = &e->ca.port[0];

    iba_ca_init(&e->ca, &(struct iba_ca_config){.n_port = 1, .qp = e->qps, .cq = e->cqs, .key = e->keys, .pd = e->pds,
        .n_qp = 8, .n_cq = 4, .n_key = 8, .n_pd = 4, .random = entropy, .ctx = e});
    iba_port_init(port, 1, IBA_PORT_ROCE2, IBA_MTU_1024, 0x020000000001 + n);
    memcpy(port->gid[0], (uint8_t[16]){[10] = 0xff, 0xff, 10, 0, 0, (uint8_t)(1 + n)}, 16);
    iba_cm_init(&e->cm, &(struct iba_cm_config){.ca_guid = 1 + n, .port = e->ca.port, .n_port = 1, .conn = e->conn,
        .heap = e->heap, .bucket = e->bucket, .n_conn = CONNS, .listener = e->listener, .n_listener = 1, .out = e->out,
        .event = e->event, .n_out = 8, .n_event = 8, .random = entropy, .ctx = e});
    must("QP1", (int)iba_gsi_open(&e->gsi, &e->ca, &e->cm));
    must("domain", (int)iba_pd_create(&e->ca.mem, &e->pd));
    must("region", (int)iba_mr_register(&e->ca.mem, &(struct iba_mr_attr){.base = e->memory, .length = BYTES, .iova = 0x10000,
        .pd = e->pd, .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE}, &e->lkey, &e->rkey));
    must("completion queue", (int)iba_create_cq(&e->ca, &e->cq, e->wcs, DEPTH, &e->cqn));
    must("queue pair", (int)iba_create_qp(&e->ca, &e->qp, &(struct iba_qp_init){.type = IBA_QPT_RC, .pd = e->pd,
        .send_cq = e->cqn, .recv_cq = e->cqn, .srq = IBA_NONE, .sq = e->sq, .rq = e->rq, .saved = e->saved,
        .n_sq = DEPTH, .n_rq = DEPTH, .n_saved = 4}, &e->qpn));
}

/* Brings the queue pair from one state to another, with the attributes that the CM messages have negotiated. */
static void modify(struct end *e, enum iba_qp_state from, enum iba_qp_state to)
{
    struct iba_qp_attr a;
    uint32_t mask;

    for (enum iba_qp_state s = from; s <= to; s++) {
        must("attributes", !iba_cm_qp_attr(&e->cm, e->id, s, &a, &mask));
        a.access = IBA_ACCESS_REMOTE_WRITE;
        must("modify", (int)iba_modify_qp(&e->ca, e->qpn, &a, s == IBA_QPS_INIT ? mask | IBA_QPA_ACCESS : mask));
    }
}

static void connect_to(struct end *e, const struct end *peer)
{
    struct iba_cm_request r = {.req = {.serviceid = SERVICE, .localqpn = e->qpn, .responderres = 1, .initdepth = 1,
        .remoteresptout = 12, .startpsn = iba_random_psn(&e->ca), .localresptout = 12, .retrcount = 7, .pkey = 0xffff,
        .pppmtu = IBA_MTU_1024, .rnrretrcount = 7, .maxcmretr = 15, .prim_hoplim = 64, .prim_localacktout = 8},
        .av = {.dmac = peer->ca.port[0].mac, .vlan = 0xffff, .hop_limit = 64, .port = 1, .grh = true}};

    memcpy(r.av.dgid, peer->ca.port[0].gid[0], 16);
    memcpy(r.req.prim_localgid, e->ca.port[0].gid[0], 16);
    memcpy(r.req.prim_remotegid, r.av.dgid, 16);
    must("connect", (int)iba_cm_connect(&e->cm, &r, now, &e->id));
}

/* The users of both ends answer the events of their CMs here. */
static void on_event(struct end *e, const struct iba_cm_event *v)
{
    const struct offer own = {0x10000, e->rkey};
    const struct iba_cm_private offer = {&own, sizeof own}, none = {NULL, 0};
    struct offer peer;
    size_t n;

    printf("%8.3f ms  end %d: %s\n", (double)now / (double)MS, (int)(e - ends), iba_cm_event_name((enum iba_cm_event_kind)v->kind));
    e->id = v->id;
    switch ((enum iba_cm_event_kind)v->kind) {
    case IBA_CME_REQ:
        must("accept", (int)iba_cm_accept(&e->cm, e->id, &(struct iba_cm_rep){.localqpn = e->qpn,
            .startpsn = iba_random_psn(&e->ca), .respres = 1, .initdepth = 1, .rnrretrcount = 7}, offer, now));
        modify(e, IBA_QPS_INIT, IBA_QPS_RTR);
        break;
    case IBA_CME_REP:
        modify(e, IBA_QPS_INIT, IBA_QPS_RTS);
        must("confirm", (int)iba_cm_confirm(&e->cm, e->id, none, now));
        memcpy(&peer, iba_cm_event_private(v, &n), sizeof peer);
        must("post", (int)iba_post_send(&e->ca, e->qpn, &(struct iba_send_wr){.op = IBA_WR_WRITE, .flags = IBA_WR_SIGNALED,
            .n_sge = 1, .va = peer.va, .rkey = peer.rkey, .sge = {{0x10000, BYTES, e->lkey}}}));
        break;
    case IBA_CME_ESTABLISHED: modify(e, IBA_QPS_RTS, IBA_QPS_RTS); break;
    case IBA_CME_DREQ: must("disconnect", (int)iba_cm_disconnect(&e->cm, e->id, none, now)); break;
    case IBA_CME_DREP:
    case IBA_CME_UNRELEASED: over = true; break;
    default: break;
    }
}

/* Does everything that is due now at end n: takes in packets, runs timers, handles events, sends packets. */
static void serve(unsigned n)
{
    struct end *e = &ends[n];
    static uint8_t frame[IBA_TX_MOST];
    struct iba_cm_event v;
    struct iba_view view;
    struct iba_wc wc;
    uint8_t port;
    size_t len;

    while ((len = iba_net_receive(&net, (uint8_t)n, frame, sizeof frame, now)) > 0)
        if (iba_view_parse(&view, IBA_LINK_ETHERNET, frame, len, len, NULL) == IBA_OK) {
            iba_view_check(&view);
            iba_gsi_feed(&e->gsi, 1, &view, now);
        }
    iba_ca_advance(&e->ca, now);
    iba_cm_advance(&e->cm, now);
    while (iba_cm_next_event(&e->cm, &v))
        on_event(e, &v);
    while (iba_poll_cq(&e->ca, e->cqn, &wc) > 0) {
        written = wc.status == IBA_WC_SUCCESS;
        printf("%8.3f ms  end %u: %s\n", (double)now / (double)MS, n, iba_wc_status_name((enum iba_wc_status)wc.status));
        must("disconnect", (int)iba_cm_disconnect(&e->cm, e->id, (struct iba_cm_private){NULL, 0}, now));
    }
    while (iba_gsi_poll(&e->gsi, &port, frame, sizeof frame, &len, now) == IBA_OK && len > 0)
        iba_net_send(&net, (uint8_t)n, frame, len, now);
    while (iba_ca_poll(&e->ca, 1, frame, sizeof frame, &len, now) == IBA_OK && len > 0)
        iba_net_send(&net, (uint8_t)n, frame, len, now);
}

static iba_time earlier(iba_time a, iba_time b)
{
    return a < b ? a : b;
}

static void run(void)
{
    iba_time next = now;

    for (; !over && next != IBA_NEVER; now = next > now ? next : now) {
        serve(0);
        serve(1);
        next = iba_net_deadline(&net);
        for (unsigned n = 0; n < 2; n++)
            next = earlier(next, earlier(iba_ca_deadline(&ends[n].ca), iba_cm_deadline(&ends[n].cm)));
    }
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const struct iba_net_faults faults = {.lose = 100000, .delay_ns = 20000, .jitter_ns = 50000};
    uint32_t number;

    iba_net_init(&net, seed, &faults, IBA_LINK_ETHERNET, slots, bytes, FLIGHT, IBA_TX_MOST);
    for (unsigned n = 0; n < 2; n++) {
        iba_random_seed(&ends[n].random, seed * 2 + n);
        open_end(n);
    }
    for (unsigned i = 0; i < BYTES; i++)
        ends[1].memory[i] = (uint8_t)(i * 7);
    must("listen", (int)iba_cm_listen(&ends[0].cm, &(struct iba_cm_listen){.service_id = SERVICE, .service_mask = UINT64_MAX}, &number));
    connect_to(&ends[1], &ends[0]);
    run();
    written = written && memcmp(ends[0].memory, ends[1].memory, BYTES) == 0;
    printf("%s\n", written ? "the memories are equal" : "the data did not arrive");
    return written ? 0 : 1;
}
