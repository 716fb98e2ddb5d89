/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of the reference device: which of them each event moves. Their names and meanings are those of Linux'
 * hw_counters (rxe, mlx5). */
#include <stdio.h>
#include <string.h>
#include "bed.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

static struct bed *b;

static void begin(void)
{
    b = bed_open("reference", IBC_LINK_roce2_ipv4, 1);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
}

static void end(void)
{
    bed_close(b);
}

TestSuite(ref_counters, .init = begin, .fini = end);

/* Counters of every packet and byte, which each event moves. */
static bool is_of_all(const char *name)
{
    static const char *const all[] = {"sent_pkts", "rcvd_pkts", "packets_in", "packets_out", "bytes_in", "bytes_out"};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i], name) == 0)
            return true;
    return false;
}

/* Checks that exactly these counters of the device have moved since the last call: "a 1, b 2". */
static void moved(const char *wanted)
{
    static uint64_t before[IBC_MAX_COUNTERS];
    struct ibc_counter c[IBC_MAX_COUNTERS];
    char text[512] = "";
    size_t used = 0;
    const unsigned n = b->t->ops->counters(b->t, 0, c);

    for (unsigned i = 0; i < n; i++) {
        if (c[i].value != before[i] && !is_of_all(c[i].name))
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %llu", used ? ", " : "", c[i].name,
                                     (unsigned long long)(c[i].value - before[i]));
        before[i] = c[i].value;
    }
    cr_expect_str_eq(text, wanted, "%s, not %s", text, wanted);
}

/* Sends a request with a key that no region has. */
static void strange_key(uint8_t opcode, uint32_t psn)
{
    struct iba_recipe x = bed_recipe(b, 0, opcode, psn);
    uint8_t *reth = iba_recipe_part(&x, IBA_H_reth), *atomic = iba_recipe_part(&x, IBA_H_atomiceth);

    if (reth)
        iba_reth_set_r_key(reth, 0x123456), iba_reth_set_dmalen(reth, 8);
    if (atomic)
        iba_atomiceth_set_r_key(atomic, 0x123456);
    x.payload = (const uint8_t *)"12345678";
    x.payload_len = iba_opcodes[opcode].pay == IBA_PAY_NONE ? 0 : 8;
    bed_inject(b, 0, &x);
}

static void answer(uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
    struct iba_recipe x = bed_recipe(b, 0, opcode, psn);

    *iba_recipe_part(&x, IBA_H_aeth) = syndrome;
    bed_inject(b, 0, &x);
}

/* Connects a new queue pair, since an error has ended the old one. */
static void fresh(void)
{
    while (bed_take(b, 0))
        continue;
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
}

Test(ref_counters, requests)
{
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    moved("rx_write_requests 1");
    bed_recv(b, 0, 0, 64);
    bed_send(b, 0, IBA_RC_WRITE_ONLY_IMM, BED_EPSN + 1, 8);
    moved("rx_write_requests 1");
    bed_send(b, 0, IBA_RC_WRITE_FIRST, BED_EPSN + 2, 1024);
    moved("");
    bed_send(b, 0, IBA_RC_WRITE_LAST, BED_EPSN + 3, 0);
    fresh();
    moved("");
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN, 8);
    moved("rx_read_requests 1");
    bed_send(b, 0, IBA_RC_FETCH_ADD, BED_EPSN + 1, 0);
    moved("rx_atomic_requests 1");
    bed_send(b, 0, IBA_RC_CMP_SWAP, BED_EPSN + 2, 0);
    moved("rx_atomic_requests 1");
    bed_recv(b, 0, 0, 64);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN + 3, 8);
    bed_send(b, 0, IBA_RC_FLUSH, BED_EPSN + 4, 8);
    moved("");
}

Test(ref_counters, duplicates)
{
    bed_recv(b, 0, 0, 64);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 8);
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN + 1, 8);
    bed_send(b, 0, IBA_RC_FETCH_ADD, BED_EPSN + 2, 0);
    while (bed_take(b, 0))
        continue;
    moved("rx_read_requests 1, rx_atomic_requests 1");
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 8);
    moved("duplicate_request 1");
    bed_send(b, 0, IBA_RC_FETCH_ADD, BED_EPSN + 2, 0);
    moved("duplicate_request 1");
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN + 1, 8);
    moved("duplicate_request 1");
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN - 7, 8);
    moved("duplicate_request 1");
}

Test(ref_counters, requests_that_are_refused)
{
    static const uint8_t keyed[] = {IBA_RC_WRITE_ONLY, IBA_RC_READ_REQUEST, IBA_RC_FETCH_ADD, IBA_RC_FLUSH,
                                    IBA_RC_ATOMIC_WRITE};

    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 8);
    moved("send_rnr_err 1, out_of_buffer 1");
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN + 3, 8);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN + 3, 8);
    moved("out_of_seq_request 2, out_of_sequence 2");
    fresh();
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN + 3, 8);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN + 4, 8);
    moved("out_of_seq_request 2, out_of_sequence 2");
    fresh();
    bed_recv(b, 0, 0, 64);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 65);
    moved("resp_local_length_error 1");
    for (size_t i = 0; i < sizeof keyed; i++) {
        fresh();
        strange_key(keyed[i], BED_EPSN);
        moved("resp_remote_access_errors 1");
    }
}

Test(ref_counters, pages_that_are_absent)
{
    const struct ibc_mr_spec m = {
        .pd = b->d[0].pd, .length = 8192, .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_ON_DEMAND};

    cr_assert_eq(b->t->ops->reg_mr(b->t, 0, &m, &b->d[0].mr), IBC_OK);
    cr_assert_eq(b->t->ops->page(b->t, 0, b->d[0].mr.local, false), IBC_OK);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    moved("send_rnr_err 1");
    bed_recv(b, 0, 0, 64);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 8);
    moved("send_rnr_err 1");
}

Test(ref_counters, answers)
{
    static const struct {
        uint8_t syndrome;
        const char *moves;
    } rows[] = {
        {0x60, "rcvd_seq_err 1, packet_seq_err 1"},
        {0x22, "rcvd_rnr_err 1, rnr_nak_retry_err 1"},
        {0x61, "req_remote_invalid_request 1"},
        {0x62, "req_remote_access_errors 1"},
        {0x63, ""},
        {0x1f, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fresh();
        cr_assert_eq(bed_post(b, 0, IBA_WR_SEND, 8, 0, 0), IBC_OK);
        cr_assert(bed_take(b, 0));
        answer(IBA_RC_ACKNOWLEDGE, BED_PSN, rows[i].syndrome);
        moved(rows[i].moves);
    }
}

Test(ref_counters, receivers_that_are_never_ready)
{
    cr_assert_eq(bed_post(b, 0, IBA_WR_SEND, 8, 0, 0), IBC_OK);
    for (unsigned i = 0; i < 4; i++) { /* the queue pair has three retries */
        cr_assert(bed_take(b, 0), "%u", i);
        answer(IBA_RC_ACKNOWLEDGE, BED_PSN, 0x21);
        moved(i < 3 ? "rcvd_rnr_err 1, rnr_nak_retry_err 1"
                    : "rcvd_rnr_err 1, rnr_nak_retry_err 1, retry_rnr_exceeded_err 1");
    }
    cr_assert_not(bed_take(b, 0));
}

Test(ref_counters, responses_that_are_lost)
{
    for (unsigned i = 0; i < 2; i++) {
        fresh();
        cr_assert_eq(bed_post(b, 0, IBA_WR_READ, 8, 0x1000, 0x2000), IBC_OK);
        cr_assert_eq(bed_post(b, 0, IBA_WR_SEND, 8, 0, 0), IBC_OK);
        cr_assert(bed_take(b, 0) && bed_take(b, 0));
        answer(IBA_RC_ACKNOWLEDGE, BED_PSN + 1 - i, 0x1f); /* past the READ, or of the READ itself */
        moved("implied_nak_seq_err 1");
    }
}

Test(ref_counters, both_ports)
{
    struct ibc_counter c[IBC_MAX_COUNTERS];
    struct iba_recipe x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN);
    uint64_t linux_count = 0, packets = 0;

    iba_eth_set_dst(iba_recipe_part(&x, IBA_H_eth), b->t->second[0].mac);
    iba_ipv4_set_dst(iba_recipe_part(&x, IBA_H_ipv4), b->t->second[0].ipv4);
    bed_inject(b, 0, &x);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    const unsigned n = b->t->ops->counters(b->t, 0, c);
    for (unsigned i = 0; i < n; i++) {
        linux_count += strcmp(c[i].name, "rcvd_pkts") == 0 ? c[i].value : 0;
        packets += strcmp(c[i].name, "packets_in") == 0 ? c[i].value : 0;
    }
    cr_expect(linux_count == 2 && packets == 2, "a packet at each port");
}

Test(ref_counters, congestion)
{
    struct iba_recipe x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN);

    iba_ipv4_set_ecn(iba_recipe_part(&x, IBA_H_ipv4), 3);
    bed_inject(b, 0, &x);
    while (bed_take(b, 0))
        continue;
    moved("rx_write_requests 1, np_cnp_sent 1, np_ecn_marked_roce_packets 1, cnp_out 1, ecn_ce_in 1");
    x = bed_recipe(b, 0, IBA_CNP_ROCE, 0);
    iba_bth_set_becn(iba_recipe_part(&x, IBA_H_bth), 1);
    x.payload = (const uint8_t[16]){0};
    x.payload_len = 16;
    bed_inject(b, 0, &x);
    moved("rp_cnp_handled 1, cnp_in 1");
}

Test(ref_counters, broken_crcs)
{
    struct iba_recipe x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN);

    x.icrc_mode = IBA_CRC_BAD;
    bed_inject(b, 0, &x);
    moved("rx_icrc_encapsulated 1");
}
