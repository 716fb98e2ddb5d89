/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-engine MESSAGES ACKED_EVERY QPS OPERATION: how many packets a second the engine handles on one core.
 *
 * Two adapters are joined directly over RoCEv2/IPv4; the first posts requests of 256 bytes on RC: write, send or read.
 * Each has one packet. Each packet's CRCs are computed by its sender and checked by its receiver, through a parsed
 * view. Of ACKED_EVERY WRITEs or SENDs only the last asks the responder for an answer, which is one ACK for all
 * (RR-14). Prints what was counted as name=value lines; exit code 1 when not every message completed or the bytes did
 * not arrive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench_ca.h"
#include "transport/iba_wr_ops.h"

/* name, work request, the end that has the bytes at first */
static const struct operation {
    const char *name;
    enum iba_wr_op op;
    unsigned source;
} operations[] = {{"write", IBA_WR_WRITE, 0}, {"send", IBA_WR_SEND, 0}, {"read", IBA_WR_READ, 1}};

enum { DEPTH = 16, BYTES = 256, MAX_QPS = 1024, IOVA = 0x10000, FIRST_QPN = 0x100000 };

struct flow { /* a QP and its rings */
    struct iba_qp qp;
    struct iba_sqe sq[DEPTH];
    struct iba_recv_wr rq[DEPTH];
    struct iba_saved saved[DEPTH];
};
struct end {
    struct iba_ca ca;
    struct iba_qp *qps[MAX_QPS];
    struct iba_cq *cqs[1], cq;
    struct iba_wc ring[MAX_QPS * DEPTH];
    struct iba_mkey keys[4];
    uint32_t pds[1], pd, cqn, lkey, rkey;
    struct flow flow[MAX_QPS];
    uint8_t memory[BYTES];
    uint64_t seed, packets; /* packets: sent */
};
static struct end ends[2];

/* xorshift64 (Marsaglia 2003) */
static uint64_t draw(void *ctx)
{
    uint64_t *x = ctx;

    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static void connect(struct end *e, unsigned i, uint32_t qpn, struct flow *f)
{
    const struct iba_qp_init init = {.type = IBA_QPT_RC,
                                     .sq_sig_all = true,
                                     .pd = e->pd,
                                     .send_cq = e->cqn,
                                     .recv_cq = e->cqn,
                                     .srq = IBA_NONE,
                                     .qpn = qpn,
                                     .sq = f->sq,
                                     .rq = f->rq,
                                     .n_sq = DEPTH,
                                     .n_rq = DEPTH,
                                     .saved = f->saved,
                                     .n_saved = DEPTH};

    bench_connect(&e->ca, &f->qp, &init, 1 - i);
}

static void open_end(struct end *e, unsigned i, uint32_t qps)
{
    const struct iba_ca_config cfg = {.n_port = 1,
                                      .qp = e->qps,
                                      .cq = e->cqs,
                                      .key = e->keys,
                                      .pd = e->pds,
                                      .n_qp = qps,
                                      .n_cq = 1,
                                      .n_key = 4,
                                      .n_pd = 1,
                                      .random = draw,
                                      .ctx = &e->seed};
    struct iba_mr_attr mr = {.base = e->memory,
                             .length = BYTES,
                             .iova = IOVA,
                             .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ};

    e->seed = i + 1;
    iba_ca_init(&e->ca, &cfg);
    bench_port(&e->ca, i);
    NEED(iba_pd_create(&e->ca.mem, &e->pd));
    mr.pd = e->pd;
    NEED(iba_mr_register(&e->ca.mem, &mr, &e->lkey, &e->rkey));
    NEED(iba_create_cq(&e->ca, &e->cq, e->ring, qps * DEPTH, &e->cqn));
    for (uint32_t q = 0; q < qps; q++)
        connect(e, i, FIRST_QPN + q, &e->flow[q]);
}

/* Delivers everything that `from` wants to send to the other end. */
static void carry(unsigned from, iba_time now)
{
    static uint8_t buf[IBA_TX_MOST];
    size_t len;

    while (iba_ca_poll(&ends[from].ca, 1, buf, sizeof buf, &len, now) == IBA_OK && len > 0) {
        ends[from].packets++;
        bench_feed(&ends[1 - from].ca, buf, len, now);
    }
}

static uint64_t completed(struct end *e)
{
    struct iba_wc wc;
    uint64_t n = 0;

    while (iba_poll_cq(&e->ca, e->cqn, &wc) == 1)
        n += wc.status == IBA_WC_SUCCESS;
    return n;
}

static void post(const struct operation *o, uint32_t qpn)
{
    const struct iba_send_wr wr = {
        .op = (uint8_t)o->op, .va = IOVA, .rkey = ends[1].rkey, .n_sge = 1, .sge = {{IOVA, BYTES, ends[0].lkey}}};
    const struct iba_recv_wr receive = {.n_sge = 1, .sge = {{IOVA, BYTES, ends[1].lkey}}};

    if (o->op == IBA_WR_SEND)
        NEED(iba_post_recv(&ends[1].ca, qpn, &receive));
    NEED(iba_post_send(&ends[0].ca, qpn, &wr));
}

static uint64_t run(const struct operation *o, uint64_t messages, uint32_t every, uint32_t qps)
{
    uint64_t done = 0, received = 0;
    uint32_t q = 0;

    for (uint64_t sent = 0; sent < messages; sent += every, q = q + 1 == qps ? 0 : q + 1) {
        for (uint32_t i = 0; i < every; i++)
            post(o, FIRST_QPN + q);
        carry(0, sent * 1000);
        carry(1, sent * 1000);
        done += completed(&ends[0]);
        received += completed(&ends[1]);
    }
    bench_need(received == (o->op == IBA_WR_SEND ? messages : 0), "not every receive completed");
    return done;
}

#define USAGE "ibbench-engine MESSAGES ACKED_EVERY (1..16, divides MESSAGES) QPS (1..1024) write|send|read"

static const struct operation *operation_of(const char *name)
{
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(name, operations[i].name) == 0)
            return &operations[i];
    bench_need(false, USAGE);
    return operations;
}

int main(int argc, char **argv)
{
    bench_need(argc == 5, USAGE);
    const uint64_t messages = strtoull(argv[1], NULL, 10);
    const uint32_t every = (uint32_t)strtoul(argv[2], NULL, 10), qps = (uint32_t)strtoul(argv[3], NULL, 10);
    const struct operation *o = operation_of(argv[4]);
    uint64_t done;
    clock_t start;

    bench_need(messages > 0 && every > 0 && every <= DEPTH && messages % every == 0 && qps > 0 && qps <= MAX_QPS,
               USAGE);
    for (unsigned i = 0; i < 2; i++)
        open_end(&ends[i], i, qps);
    for (unsigned i = 0; i < BYTES; i++)
        ends[o->source].memory[i] = (uint8_t)draw(&ends[0].seed);
    start = clock();
    done = run(o, messages, every, qps);
    printf("seconds=%.6f\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    printf("requests=%llu\nacks=%llu\n", (unsigned long long)ends[0].packets, (unsigned long long)ends[1].packets);
    printf("qp_bytes=%zu\nsend_queue_bytes=%zu\nreceive_queue_bytes=%zu\n", sizeof(struct iba_qp),
           sizeof ends[0].flow[0].sq, sizeof ends[0].flow[0].rq);
    bench_need(done == messages, "not every message completed");
    bench_need(memcmp(ends[0].memory, ends[1].memory, BYTES) == 0, "the bytes did not arrive");
    return 0;
}
