/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames that a scenario sends: each value and fault of a line is in the frame that the device gets, and nothing
 * else. */
#include <criterion/criterion.h>
#include <string.h>
#include "cases.h"

enum { MOST = 4 };
static uint8_t sent[MOST][IBC_FRAME];
static size_t lengths[MOST];
static unsigned n_sent;

static enum ibc_rc inject_kept(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    if (n_sent < MOST) {
        memcpy(sent[n_sent], frame, len);
        lengths[n_sent++] = len;
    }
    return whole->inject(t, d, frame, len);
}

/* Plays the text and keeps the frames. This test does not check the verdict. */
static void play(const char *text)
{
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    n_sent = 0;
    changed.inject = inject_kept;
    r = run_text(t, text, &(struct ibc_options){.seed = 1, .stop_at_first = true});
    cr_assert_neq(r.verdict, IBC_IS_ERROR, "%s: %s", text, r.finding.got);
    close_changed(t, &r);
    cr_assert_gt(n_sent, 0, "%s", text);
}

static struct iba_view view_of(unsigned i)
{
    struct iba_view v;

    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, sent[i], lengths[i], lengths[i], NULL);
    iba_view_check(&v);
    return v;
}

#define SEND(values) RC "qp a recv=4\n> a SEND_ONLY payload=12" values "\n"

Test(sends, values_of_fields)
{
    static const struct {
        const char *text;
        unsigned frame;
        enum iba_hdr hdr;
        const char *field;
        uint64_t value;
    } rows[] = {
        {SEND(""), 0, IBA_H_bth, "psn", 0x1000},
        {SEND("") "> a SEND_ONLY\n", 1, IBA_H_bth, "psn", 0x1001},
        {SEND(" psn=+3"), 0, IBA_H_bth, "psn", 0x1003},
        {SEND(" psn=7"), 0, IBA_H_bth, "psn", 7},
        {RC "qp a\n> a 0x81\n", 0, IBA_H_bth, "psn", 0},
        {RC "cm c\n> c REQ\n", 0, IBA_H_bth, "m", 1}, /* as managers send them */
        {RC "qp a\n> a 0x81 psn=7\n", 0, IBA_H_bth, "psn", 7},
        {SEND(""), 0, IBA_H_bth, "padcnt", 0},
        {RC "qp a recv=1\n> a SEND_ONLY payload=5\n", 0, IBA_H_bth, "padcnt", 3},
        {RC "qp a recv=1\n> a SEND_ONLY payload=6\n", 0, IBA_H_bth, "padcnt", 2},
        {SEND(" pad=1"), 0, IBA_H_bth, "padcnt", 1},
        {SEND(""), 0, IBA_H_bth, "a", 0},
        {SEND(" ackreq=1"), 0, IBA_H_bth, "a", 1},
        {SEND(" tver=1"), 0, IBA_H_bth, "tver", 1},
        {SEND(" pkey=0x1234"), 0, IBA_H_bth, "p_key", 0x1234},
        {SEND(" destqp=0x77"), 0, IBA_H_bth, "destqp", 0x77},
        {SEND(" hop=7"), 0, IBA_H_ipv4, "ttl", 7},
        {SEND(""), 0, IBA_H_ipv4, "ttl", 64},
        {SEND(" sport=0xd001"), 0, IBA_H_udp, "srcport", 0xd001},
        {SEND(""), 0, IBA_H_udp, "dstport", 4791},
        {RC "qp a\n> a WRITE_ONLY payload=8\n", 0, IBA_H_reth, "dmalen", 8},
        {RC "qp a\n> a WRITE_ONLY payload=8 dmalen=9\n", 0, IBA_H_reth, "dmalen", 9},
        {RC "qp a\n> a READ_REQUEST dmalen=300\n", 0, IBA_H_reth, "dmalen", 300},
        {CASE_HEAD("rd") "qp e type=ee\nqp a qkey=0x1234\n> e SEND_ONLY\n", 0, IBA_H_deth, "q_key", 0x1234},
        {CASE_HEAD("rd") "qp e type=ee\nqp a\n> e SEND_ONLY qkey=0x1234\n", 0, IBA_H_deth, "q_key", 0x1234},
        {RC "qp a\n> a ACKNOWLEDGE msn=5\n", 0, IBA_H_aeth, "msn", 5},
        {RC "qp a\n> a ACKNOWLEDGE\n", 0, IBA_H_aeth, "syndrome", 0x1f},
        {RC "qp a\n> a ACKNOWLEDGE syndrome=ack\n", 0, IBA_H_aeth, "syndrome", 0x1f},
        {RC "qp a\n> a ACKNOWLEDGE syndrome=rnr\n", 0, IBA_H_aeth, "syndrome", 0x2c},
        {RC "qp a\n> a ACKNOWLEDGE syndrome=nak\n", 0, IBA_H_aeth, "syndrome", 0x60},
        {RC "qp a\n> a ACKNOWLEDGE syndrome=nak.invalid_request\n", 0, IBA_H_aeth, "syndrome", 0x61},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        play(rows[i].text);
        const struct iba_view v = view_of(rows[i].frame);
        const struct iba_field *f = iba_field_find(rows[i].hdr, rows[i].field);
        cr_assert(f && rows[i].frame < n_sent && iba_view_has(&v, rows[i].hdr), "row %zu: no %s", i, rows[i].field);
        const uint64_t is = iba_field_get(f, iba_view_hdr(&v, rows[i].hdr));
        cr_expect_eq(is, rows[i].value, "row %zu: %s 0x%lx", i, rows[i].field, (unsigned long)is);
        cr_expect_eq(v.icrc, IBA_CHECK_GOOD, "row %zu", i);
    }
}

/* Ethernet, IPv4, UDP, BTH, 12 bytes, ICRC */
enum { PLAIN = 14 + 20 + 8 + 12 + 12 + 4 };

#define FOUR(fault) RC "qp a recv=1\n> a SEND_ONLY payload=hex:0102e7f8" fault "\n"

Test(sends, faults)
{
    static const struct {
        const char *text;
        size_t len;
        enum iba_check icrc; /* PENDING: not looked at */
        size_t at;
        uint8_t byte; /* the bytes at `at`, unless `at` is 0 */
    } rows[] = {
        {SEND(""), PLAIN, IBA_CHECK_GOOD, 54, 0},
        {SEND(" icrc=bad"), PLAIN, IBA_CHECK_BAD, 0, 0},
        {SEND(" icrc=0x12345678"), PLAIN, IBA_CHECK_BAD, PLAIN - 4, 0x78}, /* the least significant byte first */
        {SEND(" icrc=none"), PLAIN - 4, IBA_CHECK_BAD, 0, 0},
        {SEND(" cut=10"), PLAIN - 10, IBA_CHECK_PENDING, 0, 0},
        {SEND(" extra=6"), PLAIN + 6, IBA_CHECK_GOOD, 0, 0},
        {SEND(" poke=60:e7"), PLAIN, IBA_CHECK_BAD, 60, 0xe7},
        {SEND(" poke=60:e7 repair"), PLAIN, IBA_CHECK_GOOD, 60, 0xe7},
        {FOUR(" insert=54:aabb"), PLAIN - 8 + 2, IBA_CHECK_PENDING, 54 + 2 + 3, 0xf8},
        {FOUR(" insert=54:aabb"), PLAIN - 8 + 2, IBA_CHECK_PENDING, 54 + 1, 0xbb},
        {FOUR(" insert=62:aabb"), PLAIN - 8 + 2, IBA_CHECK_PENDING, 63, 0xbb}, /* after the last byte */
        {FOUR(" remove=54:2"), PLAIN - 8 - 2, IBA_CHECK_PENDING, 54, 0xe7},
        {FOUR(" remove=54:2"), PLAIN - 8 - 2, IBA_CHECK_PENDING, 55, 0xf8},
        {FOUR(" remove=58:4"), PLAIN - 8 - 4, IBA_CHECK_PENDING, 57, 0xf8}, /* the last bytes */
        {FOUR(" poke=57:aa"), PLAIN - 8, IBA_CHECK_BAD, 57, 0xaa},
        {FOUR(" poke=61:aa"), PLAIN - 8, IBA_CHECK_PENDING, 61, 0xaa},
        {RC "qp a recv=1\n> a SEND_ONLY payload=9 pad_byte=0xe7\n", PLAIN, IBA_CHECK_GOOD, 54 + 11, 0xe7},
        {RC "qp a recv=1\n> a SEND_ONLY payload=9\n", PLAIN, IBA_CHECK_GOOD, 54 + 11, 0},
        {RC "qp a recv=1\n> a SEND_ONLY payload=hex:0102e7\n", PLAIN - 8, IBA_CHECK_GOOD, 54 + 2, 0xe7},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        play(rows[i].text);
        const struct iba_view v = view_of(0);
        cr_expect_eq(lengths[0], rows[i].len, "row %zu: %zu bytes", i, lengths[0]);
        cr_expect(rows[i].icrc == IBA_CHECK_PENDING || v.icrc == rows[i].icrc, "row %zu: %d", i, (int)v.icrc);
        cr_expect(rows[i].at == 0 || sent[0][rows[i].at] == rows[i].byte || (rows[i].at == 54 && rows[i].byte == 0),
                  "row %zu: 0x%02x", i, sent[0][rows[i].at]);
    }
}

Test(sends, copies_and_who_sends)
{
    struct ibc_target *t = run_reference();
    const uint64_t stranger = t->stranger.mac, tester = t->tester.mac, device = t->device[0].mac;

    ibc_target_close(t);
    play(SEND(" times=3"));
    cr_expect_geq(n_sent, 3);
    cr_expect(lengths[0] == lengths[2] && memcmp(sent[0], sent[1], lengths[0]) == 0 &&
              memcmp(sent[0], sent[2], lengths[0]) == 0);
    cr_expect_eq(iba_eth_src(sent[0]), tester);
    cr_expect_eq(iba_eth_dst(sent[0]), device);
    play(SEND(" from=stranger"));
    cr_expect_eq(iba_eth_src(sent[0]), stranger);
    cr_expect_eq(iba_eth_dst(sent[0]), device);
    play(SEND(" as=x") "> a SEND_ONLY same=x\n");
    cr_expect(lengths[0] == lengths[1] && memcmp(sent[0], sent[1], lengths[0]) == 0);
}

/* If a line orders a fault in bytes that the packet lacks, the scenario itself is faulty. */
Test(sends, no_such_bytes)
{
    static const struct run_case rows[] = {{FOUR(" poke=62:aa"), IBC_IS_ERROR, NULL, "the packet has no such bytes"},
                                           {FOUR(" remove=59:4"), IBC_IS_ERROR, NULL, "the packet has no such bytes"},
                                           {FOUR(" insert=63:aa"), IBC_IS_ERROR, NULL, "the packet has no such bytes"}};

    run_cases(rows);
}
