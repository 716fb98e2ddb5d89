/* SPDX-License-Identifier: BSD-2-Clause */
/* iba_pair.h: two engines and a network, ready to use. */
#include <criterion/criterion.h>
#include <string.h>
#include "sim/iba_pair.h"
#include "transport/iba_wr_ops.h"

enum { BYTES = 8192 };

static struct iba_pair p;
static uint8_t memory[2][BYTES];
static void *const at[2] = {memory[0], memory[1]};
static const struct iba_pair_qp how = {.pmtu = IBA_MTU_256, .timeout = 4, .retry = 7};
static uint64_t trace; /* a digest of all frames and their times */
static unsigned frames;

static void sent(void *ctx, unsigned from, const uint8_t *frame, size_t len, iba_time now)
{
    cr_assert_eq(ctx, &trace);
    frames++;
    trace = trace * 31 + now + from;
    for (size_t i = 0; i < len; i++)
        trace = trace * 31 + frame[i];
}

static void opened(uint64_t seed, const struct iba_net_faults *faults, uint32_t qpn[2])
{
    memset(memory, 0, sizeof memory);
    for (unsigned i = 0; i < BYTES; i++)
        memory[1][i] = (uint8_t)(i * 13 + 1);
    trace = frames = 0;
    cr_assert_eq(iba_pair_open(&p, seed, faults, at, BYTES), 0);
    p.sent = sent;
    p.ctx = &trace;
    cr_assert_eq(iba_pair_connect(&p, &how, qpn), 0);
}

static enum iba_wc_status wrote(uint32_t qpn, uint32_t rkey)
{
    const struct iba_send_wr wr = {.op = IBA_WR_WRITE,
                                   .flags = IBA_WR_SIGNALED,
                                   .n_sge = 1,
                                   .va = IBA_PAIR_VA,
                                   .rkey = rkey,
                                   .sge = {{IBA_PAIR_VA, BYTES, p.end[1].lkey}}};
    struct iba_wc wc;

    cr_assert_eq(iba_post_send(&p.end[1].ca, qpn, &wr), IBA_VERB_OK);
    cr_assert(iba_pair_wait(&p, 1, &wc));
    cr_assert_eq(wc.qpn, qpn);
    return (enum iba_wc_status)wc.status;
}

Test(pair, a_write_takes_its_packets_and_one_answer_where_nothing_is_lost)
{
    uint32_t qpn[2];

    opened(1, NULL, qpn);
    cr_assert_eq(wrote(qpn[1], p.end[0].rkey), IBA_WC_SUCCESS);
    cr_assert_arr_eq(memory[0], memory[1], BYTES);
    cr_assert_geq(frames, BYTES / 256 + 1);
    cr_assert_eq(p.net.overflow, 0);
    iba_ca_check(&p.end[0].ca);
    iba_ca_check(&p.end[1].ca);
}

Test(pair, a_write_arrives_over_a_bad_network_and_the_same_seed_gives_the_same_packets)
{
    const struct iba_net_faults faults = {.lose = 50000,
                                          .duplicate = 20000,
                                          .corrupt = 20000,
                                          .reorder = 20000,
                                          .delay_ns = 3000,
                                          .jitter_ns = 2000,
                                          .reorder_ns = 9000};
    uint64_t before = 0, first;
    uint32_t qpn[2];

    for (uint64_t seed = 1; seed <= 20; seed++) {
        opened(seed, &faults, qpn);
        cr_assert_eq(wrote(qpn[1], p.end[0].rkey), IBA_WC_SUCCESS, "seed %u", (unsigned)seed);
        cr_assert_arr_eq(memory[0], memory[1], BYTES);
        first = trace;
        opened(seed, &faults, qpn);
        cr_assert_eq(wrote(qpn[1], p.end[0].rkey), IBA_WC_SUCCESS);
        cr_assert_eq(trace, first);
        cr_assert_neq(trace, before);
        before = trace;
    }
}

Test(pair, a_dead_network_ends_with_retries_exceeded)
{
    const struct iba_net_faults faults = {.lose = 1000000};
    uint32_t qpn[2];

    opened(1, &faults, qpn);
    cr_assert_eq(wrote(qpn[1], p.end[0].rkey), IBA_WC_RETRY_EXCEEDED);
}

Test(pair, waiting_ends_when_nothing_is_left_to_do)
{
    struct iba_wc wc;
    uint32_t qpn[2];

    opened(1, NULL, qpn);
    cr_assert_not(iba_pair_wait(&p, 0, &wc));
    cr_assert_not(iba_pair_step(&p));
    cr_assert_eq(p.now, 0);
}

Test(pair, both_ends_send_and_receive)
{
    struct iba_recv_wr r = {.wr_id = 7, .n_sge = 1};
    struct iba_send_wr s = {.op = IBA_WR_SEND, .flags = IBA_WR_SIGNALED, .n_sge = 1};
    struct iba_wc wc;
    uint32_t qpn[2];

    opened(1, NULL, qpn);
    for (unsigned n = 0; n < 2; n++) {
        r.sge[0] = (struct iba_sge){IBA_PAIR_VA + 1000, 100, p.end[n].lkey};
        cr_assert_eq(iba_post_recv(&p.end[n].ca, qpn[n], &r), IBA_VERB_OK);
    }
    for (unsigned n = 0; n < 2; n++) {
        s.sge[0] = (struct iba_sge){IBA_PAIR_VA, 100, p.end[n].lkey};
        cr_assert_eq(iba_post_send(&p.end[n].ca, qpn[n], &s), IBA_VERB_OK);
        cr_assert(iba_pair_wait(&p, 1 - n, &wc));
        cr_assert_eq(wc.wr_id, 7);
        cr_assert_eq(wc.status, IBA_WC_SUCCESS);
        cr_assert(iba_pair_wait(&p, n, &wc));
        cr_assert_eq(wc.status, IBA_WC_SUCCESS);
        cr_assert_arr_eq(memory[1 - n] + 1000, memory[n], 100);
    }
}

Test(pair, the_verb_that_refuses_gives_its_error)
{
    const struct iba_pair_qp wrong = {.pmtu = (enum iba_mtu)0, .timeout = 4, .retry = 7};
    uint32_t qpn[2];

    cr_assert_eq(iba_pair_open(&p, 1, NULL, at, BYTES), 0);
    cr_assert_neq(iba_pair_connect(&p, &wrong, qpn), 0);
    for (unsigned i = 1; i < IBA_PAIR_QPS; i++)
        cr_assert_eq(iba_pair_connect(&p, &how, qpn), 0);
    cr_assert_eq(iba_pair_connect(&p, &how, qpn), IBA_VERB_FULL);
    cr_assert_neq(iba_pair_open(&p, 1, NULL, at, 0), 0);
}
