/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffers of receives: blocks beside a byte-wise model, and each row by which a receive of several messages ends or
 * stays. */
#include "transport/iba_recv.h"
#include "receive.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;

/* A receive of blocks at the start of the memory. */
static struct iba_recv_wr blocks(uint32_t length, uint64_t distance, uint32_t n)
{
    struct iba_recv_wr w = buffer(&bed, length);

    w.form = IBA_RECV_BLOCKS;
    w.distance = distance;
    w.n_block = n;
    return w;
}

/* A receive for messages of at most `most` units of 16 bytes. */
static struct iba_recv_wr stream(uint32_t bytes, uint16_t most)
{
    struct iba_recv_wr w = buffer(&bed, bytes);

    w.unit_log = 4;
    w.most = most;
    return w;
}

/* Every start and length in blocks that are apart, adjacent, overlapping or all at one place. Byte `i` of a message
 * goes to block i / length; no other byte changes. */
Test(recv, each_byte_goes_to_its_block)
{
    static const struct {
        uint32_t length, n;
        uint64_t distance;
    } shapes[] = {{1, 9, 3}, {3, 5, 7}, {4, 4, 4}, {5, 3, 2}, {6, 1, 0}, {2, 4, 0}, {3, 4, UINT64_MAX - 8}};

    bed_make(&bed, IBA_PORT_IB, true);
    for (size_t s = 0; s < COUNT(shapes); s++) {
        struct iba_recv_wr w = blocks(shapes[s].length, shapes[s].distance, shapes[s].n);
        const uint64_t total = (uint64_t)shapes[s].length * shapes[s].n;
        w.block.addr = VA + 100;
        cr_assert_eq(iba_recv_bytes(&w), total);
        for (uint64_t at = 0; at <= total; at++)
            for (size_t len = 0; at + len <= total + 1; len++) {
                uint8_t model[MEMORY] = {0};
                bool absent;
                memset(bed.memory, 0, MEMORY);
                const enum iba_wc_status got = iba_recv_scatter(&bed.ca, bed.pd, &w, at, bed.payload, len, &absent);
                EXPECT(got == (at + len > total ? IBA_WC_LOCAL_LENGTH : IBA_WC_SUCCESS), "status %d", got);
                EXPECT(got == iba_recv_check(&bed.ca, bed.pd, &w, at, len, &absent), "check agrees");
                for (uint64_t i = at; i < at + len && i < total; i++)
                    model[(uint64_t)100 + i / w.block.length * w.distance + i % w.block.length] = bed.payload[i - at];
                EXPECT(memcmp(model, bed.memory, MEMORY) == 0, "shape %zu, %zu bytes at %u", s, len, (unsigned)at);
            }
    }
}

/* A block outside of the region, and one whose page is absent. Only blocks that the message reaches count. */
Test(recv, each_block_is_checked)
{
    bool absent;

    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_recv_wr leaves = blocks(64, MEMORY - 64, 2), far = blocks(64, MEMORY, 2);
    cr_expect_eq(iba_recv_check(&bed.ca, bed.pd, &leaves, 0, 128, &absent), IBA_WC_SUCCESS);
    cr_expect_eq(iba_recv_check(&bed.ca, bed.pd, &far, 0, 64, &absent), IBA_WC_SUCCESS);
    cr_expect_eq(iba_recv_check(&bed.ca, bed.pd, &far, 0, 65, &absent), IBA_WC_LOCAL_PROTECTION);
    cr_expect_eq(iba_recv_scatter(&bed.ca, bed.pd, &far, 64, bed.payload, 1, &absent), IBA_WC_LOCAL_PROTECTION);
    cr_expect_eq(iba_recv_check(&bed.ca, bed.other_pd, &leaves, 0, 1, &absent), IBA_WC_LOCAL_PROTECTION);
    bed.present = 1;
    uint32_t lkey, rkey;
    region(&bed, IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND, bed.pd, &lkey, &rkey);
    struct iba_recv_wr paged = blocks(64, 4096, 2);
    paged.block.lkey = lkey;
    cr_expect(iba_recv_check(&bed.ca, bed.pd, &paged, 0, 64, &absent) == IBA_WC_SUCCESS && !absent);
    cr_expect(iba_recv_check(&bed.ca, bed.pd, &paged, 0, 65, &absent) == IBA_WC_SUCCESS && absent);
}

/* The two verbs refuse blocks without bytes, and streaming receives with too few or too many units. A QP's own queue
 * takes blocks, but no receive of several messages (RR-19). */
Test(recv, refused)
{
    bed_make(&bed, IBA_PORT_IB, true);
    struct iba_recv_wr none = blocks(0, 64, 4), empty = blocks(64, 64, 0), two = blocks(64, 64, 4), other = two;
    struct iba_recv_wr wide = blocks(UINT32_MAX, 0, UINT32_MAX), units = stream(65535u << 4, 4);
    two.n_sge = 2;
    other.form = IBA_RECV_BLOCKS + 1;
    wide.unit_log = 50; /* 2^14 units of more bytes than any message has */
    wide.most = 1;
    struct iba_recv_wr largest = wide, larger = wide;
    largest.n_block = larger.n_block = 1u << 15;
    largest.unit_log = 31;
    larger.unit_log = 32;
    const struct {
        struct iba_recv_wr wr;
        enum iba_verb_err shared, own;
    } cases[] = {
        {blocks(64, 64, 1), IBA_VERB_OK, IBA_VERB_OK},
        {blocks(1, 64, 2), IBA_VERB_OK, IBA_VERB_OK},
        {none, IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE},
        {empty, IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE},
        {two, IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE},
        {other, IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE},
        {stream(64, 4), IBA_VERB_OK, IBA_VERB_ATTR_VALUE},
        {stream(63, 4), IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE}, /* three units for a message of four */
        {wide, IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE},
        {largest, IBA_VERB_OK, IBA_VERB_ATTR_VALUE}, /* units of 2^31 bytes, as long as the longest message */
        {larger, IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE},
        {units, IBA_VERB_OK, IBA_VERB_ATTR_VALUE},
        {stream(65536u << 4, 4), IBA_VERB_ATTR_VALUE, IBA_VERB_ATTR_VALUE}, /* more units than `at` counts */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        EXPECT(iba_post_srq_recv(&bed.ca, bed.srq_number, &cases[i].wr) == cases[i].shared, "case %zu, shared", i);
        EXPECT(iba_post_recv(&bed.ca, UD_QPN, &cases[i].wr) == cases[i].own, "case %zu, own", i);
    }
}

/* Gives the device a message of `n` bytes, and returns its completion. */
static struct iba_wc message(int ahead, size_t n)
{
    ask(&bed, IBA_RC_SEND_ONLY, ahead, n);
    give(&bed);
    return completion(&bed);
}

/* The fields of streaming receives mean nothing in a receive for one message. */
Test(recv, unused_fields)
{
    bool absent;

    bed_make(&bed, IBA_PORT_IB, true);
    struct iba_recv_wr w = buffer(&bed, 64);
    w.unit_log = 200;
    w.at = 3;
    cr_expect_eq(iba_recv_check(&bed.ca, bed.pd, &w, 0, 64, &absent), IBA_WC_SUCCESS);
    cr_expect_eq(iba_recv_scatter(&bed.ca, bed.pd, &w, 0, bed.payload, 64, &absent), IBA_WC_SUCCESS);
    cr_expect_arr_eq(bed.memory, bed.payload, 64);
}

/* A streaming receive of eight units takes messages of up to four units. After each message a row of iba_recv_rows says
 * whether the receive stays in its queue; the test hits each row. */
Test(recv, rows)
{
    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_recv_wr w = stream(128, 4), plain = buffer(&bed, 64);
    MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
    static const struct {
        size_t bytes;
        uint16_t unit;
        bool more;
    } messages[] = {{17, 0, true}, {0, 2, true}, {16, 3, true}, {64, 4, false}};
    for (size_t i = 0; i < COUNT(messages); i++) {
        const struct iba_wc wc = message((int)i, messages[i].bytes);
        EXPECT(wc.unit == messages[i].unit && wc.byte_len == messages[i].bytes, "message %zu at %u", i, wc.unit);
        EXPECT(((wc.flags & IBA_WC_MORE) != 0) == messages[i].more, "message %zu", i); /* stays, spent */
        EXPECT(memcmp(bed.memory + 16 * wc.unit, bed.payload, wc.byte_len) == 0, "message %zu", i);
        EXPECT(bed.srq.rq.count == messages[i].more, "message %zu", i);
    }
    cr_expect_eq(iba_recv_row_of(&w, &bed.srq, IBA_WC_LOCAL_LENGTH), &iba_recv_rows[0]); /* failed */
    struct iba_recv_wr at = w;
    at.at = 5;
    cr_expect_eq(iba_recv_row_of(&at, &bed.srq, IBA_WC_SUCCESS), &iba_recv_rows[1]); /* spent */
    at.at = 4;
    cr_expect_eq(iba_recv_row_of(&at, NULL, IBA_WC_SUCCESS), &iba_recv_rows[2]); /* queue_lost */
    bed.srq.error = true;
    cr_expect_eq(iba_recv_row_of(&at, &bed.srq, IBA_WC_SUCCESS), &iba_recv_rows[2]);
    bed.srq.error = false;
    cr_expect_eq(iba_recv_row_of(&at, &bed.srq, IBA_WC_SUCCESS), &iba_recv_rows[4]); /* stays */
    while (iba_post_srq_recv(&bed.ca, bed.srq_number, &plain) == IBA_VERB_OK)
        continue;
    cr_expect_eq(iba_recv_row_of(&at, &bed.srq, IBA_WC_SUCCESS), &iba_recv_rows[3]); /* queue_full */
    bed.srq.error = true; /* from here on two rows apply, and the first one decides */
    cr_expect_eq(iba_recv_row_of(&at, &bed.srq, IBA_WC_SUCCESS), &iba_recv_rows[2]);
    at.at = 5;
    cr_expect_eq(iba_recv_row_of(&at, &bed.srq, IBA_WC_SUCCESS), &iba_recv_rows[1]);
    cr_expect_eq(iba_recv_row_of(&at, &bed.srq, IBA_WC_LOCAL_LENGTH), &iba_recv_rows[0]);
    static const char *const names[] = {"failed", "spent", "queue_lost", "queue_full", "stays"};
    for (size_t i = 0; i < COUNT(names); i++)
        EXPECT(strcmp(iba_recv_rows[i].name, names[i]) == 0 && iba_recv_rows[i].stays == (i == 4), "%s", names[i]);
}

/* A message that is too long fails although units are left, so what a sender may send does not depend on earlier
 * messages. The receive ends. A WRITE with Immediate takes one unit and puts no byte there; a datagram has its GRH in
 * its units, too. */
Test(recv, other_messages)
{
    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_recv_wr w = stream(8192, 6);
    MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
    ask(&bed, IBA_RC_WRITE_ONLY_IMM, 0, 64);
    give(&bed);
    struct iba_wc wc = completion(&bed);
    cr_expect(wc.op == IBA_WR_RECV_WRITE_IMM && wc.unit == 0 && wc.flags == (IBA_WC_WITH_IMM | IBA_WC_MORE));
    wc = message(1, 97);
    cr_expect(wc.status == IBA_WC_LOCAL_LENGTH && wc.unit == 1 && !(wc.flags & IBA_WC_MORE));
    cr_expect_eq(bed.srq.rq.count, 0);
    bed.ud.srq = bed.srq_number;
    bed.ud.rq.n = 0;
    MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
    for (unsigned i = 0; i < 2; i++) {
        packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 24);
        give(&bed);
        wc = completion(&bed);
        cr_expect(wc.status == IBA_WC_SUCCESS && wc.byte_len == 64 && wc.unit == 4 * i && wc.flags & IBA_WC_MORE);
        cr_expect_arr_eq(bed.memory + 16 * wc.unit + 40, bed.payload, 24);
    }
}

/* Messages of at most one unit: a message of two is too long, although the receive has room for it. */
Test(recv, messages_of_one_unit)
{
    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_recv_wr w = stream(128, 1);
    cr_expect_eq(iba_recv_room(&w), 16);
    MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
    for (int i = 0; i < 2; i++) {
        const struct iba_wc wc = message(i, 16);
        cr_expect(wc.status == IBA_WC_SUCCESS && wc.unit == i && wc.flags == IBA_WC_MORE, "message %d", i);
    }
    cr_expect_eq(message(2, 17).status, IBA_WC_LOCAL_LENGTH);
}
