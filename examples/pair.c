/* SPDX-License-Identifier: BSD-2-Clause */
/* pair [SEED]: one of two engines writes 64 KiB to the other's memory by RDMA, and reads them back. The network between
 * them loses, copies and reorders packets. The exit code is 0 if the bytes are right.
 *
 * sim/iba_pair.h prepares both ends, and carries packets and time. The program posts work requests and checks the
 * results. connect.c does not use sim/iba_pair.h, and configures its adapters itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/iba_pair.h"
#include "transport/iba_wr_ops.h"

enum { BYTES = 65536, HALF = BYTES / 2 };

static struct iba_pair pair;
static uint8_t memory[2][BYTES];
static unsigned frames[2];

static void count(void *ctx, unsigned from, const uint8_t *frame, size_t len, iba_time now)
{
    (void)ctx, (void)frame, (void)len, (void)now;
    frames[from]++;
}

/* End 1 posts a work request, and waits for its completion. The request copies bytes between offset `at` of end 1's
 * memory and the beginning of end 0's. */
static int work(uint32_t qpn, enum iba_wr_op op, uint64_t at)
{
    const struct iba_send_wr wr = {.op = (uint8_t)op,
                                   .flags = IBA_WR_SIGNALED,
                                   .n_sge = 1,
                                   .va = IBA_PAIR_VA,
                                   .rkey = pair.end[0].rkey,
                                   .sge = {{IBA_PAIR_VA + at, HALF, pair.end[1].lkey}}};
    struct iba_wc wc;

    if (iba_post_send(&pair.end[1].ca, qpn, &wr) != IBA_VERB_OK || !iba_pair_wait(&pair, 1, &wc))
        return 1;
    printf("%8.3f ms  %s: %s, frames so far %u and %u\n", (double)pair.now / 1e6, op == IBA_WR_WRITE ? "WRITE" : "READ",
           iba_wc_status_name((enum iba_wc_status)wc.status), frames[1], frames[0]);
    return wc.status != IBA_WC_SUCCESS;
}

int main(int argc, char **argv)
{
    const struct iba_net_faults faults = {
        .lose = 50000, .duplicate = 10000, .reorder = 10000, .reorder_ns = 30000, .delay_ns = 5000, .spacing_ns = 100};
    const struct iba_pair_qp how = {.pmtu = IBA_MTU_1024, .timeout = 8, .retry = 7};
    void *const at[2] = {memory[0], memory[1]};
    uint32_t qpn[2];
    int bad;

    for (unsigned i = 0; i < HALF; i++)
        memory[1][i] = (uint8_t)(i * 7 + i / 251);
    bad = iba_pair_open(&pair, argc > 1 ? strtoull(argv[1], NULL, 0) : 1, &faults, at, BYTES);
    pair.sent = count;
    bad = bad || iba_pair_connect(&pair, &how, qpn) || work(qpn[1], IBA_WR_WRITE, 0) ||
          work(qpn[1], IBA_WR_READ, HALF) || memcmp(memory[0], memory[1], HALF) != 0 ||
          memcmp(memory[1] + HALF, memory[1], HALF) != 0;
    printf("%s\n", bad ? "the data did not arrive" : "written, read back, equal");
    return bad;
}
