/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-congestion [DATA]: the rates of two flows that share a link, while they react to congestion (RO-44, RO-45).
 *
 * Two adapters with the limiter of core/transport/iba_dcqcn.h send RC RDMA WRITEs to a third one, over links of 10 Gb/s
 * and a queue of a switch. The queue marks packets as in the paper (iba_dcqcn.h): with a probability that grows from
 * 0 at a queue of 5 kB to 1 % at 200 kB; it marks all packets above 200 kB. The third adapter sends the CNPs. The
 * second flow begins after 20 ms and
 * ends at 100 ms. Prints the curve as text and name=value lines; DATA gets a line for each millisecond: time, rates in
 * Mb/s, queue in bytes. Time is virtual. Exit code 1: one flow had over 10 % more than the other, or the first one did
 * not recover. The measure is what both carried, not half of the line: marks keep their sum below the line, so that
 * the queue stays short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench_ca.h"
#include "sim/iba_random.h"
#include "transport/iba_dcqcn.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_build.h"

#define LINE UINT64_C(10000000000)
#define MS UINT64_C(1000000)
enum { SENDERS = 2, RECEIVER = SENDERS, ENDS, DEPTH = 16, BYTES = 16384, IOVA = 0x10000, QPN = 0x100000 };
enum { QUEUE = 1024, K_MIN = 5000, K_MAX = 200000, BEGIN = 20, STOP = 100, END = 200, FAIR = 60, COLUMNS = 50 };

struct end {
    struct iba_ca ca;
    struct iba_qp *qps[SENDERS], qp[SENDERS];
    struct iba_sqe sq[SENDERS][DEPTH];
    struct iba_recv_wr rq[SENDERS][DEPTH];
    struct iba_cq *cqs[1], cq;
    struct iba_wc ring[SENDERS * DEPTH];
    struct iba_mkey keys[4];
    uint32_t pds[1], pd, cqn, lkey, rkey;
    uint8_t memory[BYTES];
    struct iba_random random;
    struct iba_dcqcn dcqcn;
    struct iba_dcqcn_flow flow[SENDERS];
    iba_time free_at; /* its link */
};
struct frame {
    size_t len;
    unsigned from;
    uint8_t bytes[IBA_TX_MOST];
};
static struct end ends[ENDS];
static struct frame queue[QUEUE];
static unsigned head, count;
static size_t queued;
static uint64_t carried[SENDERS];
static struct iba_random luck;

static uint64_t draw(void *ctx)
{
    return iba_random_next(ctx);
}

static void connect(unsigned i, unsigned q, unsigned to)
{
    struct end *e = &ends[i];
    const struct iba_qp_init init = {.type = IBA_QPT_RC,
                                     .sq_sig_all = true,
                                     .pd = e->pd,
                                     .send_cq = e->cqn,
                                     .recv_cq = e->cqn,
                                     .srq = IBA_NONE,
                                     .qpn = QPN + q,
                                     .sq = e->sq[q],
                                     .rq = e->rq[q],
                                     .n_sq = DEPTH,
                                     .n_rq = DEPTH};

    bench_connect(&e->ca, &e->qp[q], &init, to);
}

static void open_end(unsigned i)
{
    struct end *e = &ends[i];
    const struct iba_dcqcn_config c = iba_dcqcn_defaults(LINE);
    const struct iba_ca_config cfg = {.n_port = 1,
                                      .qp = e->qps,
                                      .cq = e->cqs,
                                      .key = e->keys,
                                      .pd = e->pds,
                                      .n_qp = SENDERS,
                                      .n_cq = 1,
                                      .n_key = 4,
                                      .n_pd = 1,
                                      .random = draw,
                                      .ctx = &e->random};
    struct iba_mr_attr mr = {
        .base = e->memory, .length = BYTES, .iova = IOVA, .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE};

    iba_random_seed(&e->random, i + 1);
    iba_ca_init(&e->ca, &cfg);
    bench_port(&e->ca, i);
    iba_ca_port(&e->ca, 1)->congestion = true;
    NEED(iba_pd_create(&e->ca.mem, &e->pd));
    mr.pd = e->pd;
    NEED(iba_mr_register(&e->ca.mem, &mr, &e->lkey, &e->rkey));
    NEED(iba_create_cq(&e->ca, &e->cq, e->ring, SENDERS * DEPTH, &e->cqn));
    iba_dcqcn_init(&e->dcqcn, &c, e->flow, SENDERS);
    e->ca.limiter = &e->dcqcn.limiter;
}

/* The switch takes a frame, and marks it where its queue is long. */
static void enqueue(struct frame *f)
{
    struct iba_view v;

    if (queued > K_MAX || (queued > K_MIN && iba_random_below(&luck, (K_MAX - K_MIN) * 100) < queued - K_MIN)) {
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, f->bytes, f->len, f->len, NULL);
        iba_ipv4_set_ecn(f->bytes + v.l3_at, 3);
        iba_view_repair_crc(&v, f->bytes);
    }
    count++;
    queued += f->len;
}

static void send_one(unsigned i, iba_time now)
{
    struct end *e = &ends[i];
    struct frame *f = &queue[(head + count) % QUEUE];
    struct iba_wc wc;
    struct iba_send_wr wr = {
        .op = IBA_WR_WRITE, .va = IOVA, .rkey = ends[RECEIVER].rkey, .n_sge = 1, .sge = {{IOVA, BYTES, e->lkey}}};

    while (iba_poll_cq(&e->ca, e->cqn, &wc) > 0)
        bench_need(wc.status == IBA_WC_SUCCESS, "a request failed");
    while (now < (i == 0 ? END : STOP) * MS && iba_post_send(&e->ca, QPN + i, &wr) == IBA_VERB_OK)
        ;
    iba_ca_advance(&e->ca, now);
    if (count == QUEUE || iba_ca_poll(&e->ca, 1, f->bytes, sizeof f->bytes, &f->len, now) != IBA_OK || f->len == 0)
        return;
    f->from = i;
    e->free_at = now + f->len * 8 * 1000000000u / LINE;
    enqueue(f);
}

/* The queue's first frame reaches the receiver; its answers return at once. */
static void forward(iba_time now)
{
    struct frame *f = &queue[head];
    static struct frame back;
    struct iba_view v;

    carried[f->from] += f->len;
    queued -= f->len;
    head = (head + 1) % QUEUE;
    count--;
    bench_feed(&ends[RECEIVER].ca, f->bytes, f->len, now);
    while (iba_ca_poll(&ends[RECEIVER].ca, 1, back.bytes, sizeof back.bytes, &back.len, now) == IBA_OK &&
           back.len > 0) {
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, back.bytes, back.len, back.len, NULL);
        bench_feed(&ends[iba_bth_destqp(iba_view_bth(&v)) - QPN].ca, back.bytes, back.len, now);
    }
}

static void print_row(uint64_t ms, const uint64_t *mbit, FILE *data)
{
    char row[COLUMNS + 2];

    if (data)
        fprintf(data, "%lu %lu %lu %zu\n", (unsigned long)ms, (unsigned long)mbit[0], (unsigned long)mbit[1], queued);
    if (ms % 4)
        return;
    memset(row, ' ', sizeof row);
    row[COLUMNS + 1] = 0;
    for (unsigned i = 0; i < SENDERS; i++)
        row[mbit[i] * COLUMNS / 10500] = (char)('1' + i);
    printf("%4lu ms |%s| %5lu %5lu Mb/s\n", (unsigned long)ms, row, (unsigned long)mbit[0], (unsigned long)mbit[1]);
}

static double percent_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* Returns whether neither flow carried over 10 % more than the other. */
static bool print_shares(const uint64_t *share)
{
    const uint64_t sum = share[0] + share[1], line = LINE / 1000000 * (STOP - FAIR);

    printf(
        "fair share, each within 10 %% of the other, from %d to %d ms: flow 1 has %.1f %% of flow 2's rate, and the\n"
        "flows are %+.1f %% and %+.1f %% off their mean; together they carry %.1f %% of the line\n",
        FAIR, STOP, percent_of(share[0], share[1]), percent_of(2 * share[0], sum) - 100,
        percent_of(2 * share[1], sum) - 100, percent_of(sum, line));
    printf("share1=%lu\nshare2=%lu\n", (unsigned long)share[0] / (STOP - FAIR),
           (unsigned long)share[1] / (STOP - FAIR));
    return share[0] * 10 <= share[1] * 11 && share[1] * 10 <= share[0] * 11;
}

int main(int argc, char **argv)
{
    FILE *data = argc > 1 ? fopen(argv[1], "w") : NULL;
    uint64_t share[SENDERS] = {0}, before[SENDERS] = {0}, mbit[SENDERS] = {0};
    iba_time link_free = 0, next_row = MS;

    bench_need(argc < 2 || data, "DATA cannot be opened");
    iba_random_seed(&luck, 1);
    for (unsigned i = 0; i < ENDS; i++)
        open_end(i);
    for (unsigned i = 0; i < SENDERS; i++) {
        connect(i, i, RECEIVER);
        connect(RECEIVER, i, i);
    }
    for (iba_time now = 0; now < END * MS; now += 100) {
        for (unsigned i = 0; i < SENDERS; i++)
            if (now >= (i == 0 ? 0 : BEGIN * MS) && now >= ends[i].free_at)
                send_one(i, now);
        if (count > 0 && now >= link_free) {
            link_free = now + queue[head].len * 8 * 1000000000u / LINE;
            forward(now);
        }
        if (now < next_row)
            continue;
        for (unsigned i = 0; i < SENDERS; i++) {
            mbit[i] = (carried[i] - before[i]) * 8 / 1000;
            before[i] = carried[i];
            share[i] += now > FAIR * MS && now <= STOP * MS ? mbit[i] : 0;
        }
        print_row(next_row / MS, mbit, data);
        next_row += MS;
    }
    const bool fair = print_shares(share);
    printf("recovered=%lu\n", (unsigned long)mbit[0]);
    if (data && fclose(data) != 0)
        return 1;
    return !fair || mbit[0] < 9000;
}
