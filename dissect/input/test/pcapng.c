/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct capture *must_open(const struct bytes *f)
{
    char err[256];
    struct capture *c = open_bytes(f->b, f->n, err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    return c;
}

static void expect(const struct bytes *f, uint64_t packets, const char *line)
{
    struct outcome o = read_all(f->b, f->n);
    cr_assert_str_eq(o.line, line);
    cr_assert_eq(o.packets, packets);
}

/* Returns a section with one Ethernet interface, to which packets can be added. */
static struct bytes start(void)
{
    struct bytes f = {0};
    ng_section(&f, false);
    ng_interface(&f, false, 1, 65535, NULL);
    return f;
}

Test(pcapng, sections_of_either_byte_order_count_interfaces_on)
{
    struct bytes f = {0};
    struct cap_packet p;
    for (int i = 0; i < 4; i++) {
        ng_section(&f, i % 2);
        ng_interface(&f, i % 2, 1, 65535, NULL);
        ng_interface(&f, i % 2, 247, 100, NULL);
        ng_packet(&f, i % 2, 1, 1700000000000000, 10, (uint8_t)i, NULL);
    }
    struct capture *c = must_open(&f);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_assert(p.iface == 2 * i + 1 && p.dlt == 247 && p.caplen == 10 && p.data[9] == i && p.number == i + 1);
        cr_assert_eq(p.ts_ns, UINT64_C(1700000000000000000));
    }
    cr_assert_eq(cap_next(c, &p), CAP_END);
    cap_close(c);
    bytes_free(&f);
}

/* Interfaces of the same name are the same capture point in all sections, even in sections that number their interfaces
 * differently. */
Test(pcapng, names_of_interfaces_are_capture_points)
{
    static const char *const names[] = {"a", NULL, "b", "a", "b", NULL};
    uint32_t point[6];
    struct bytes f = {0};
    struct cap_packet p;

    for (unsigned i = 0; i < 6; i++) {
        struct bytes options = {0};
        if (names[i])
            ng_option(&options, false, 2, names[i], 1);
        put32(&options, 0, false);
        if (i % 2 == 0)
            ng_section(&f, false);
        ng_interface(&f, false, 1, 65535, &options);
        ng_packet(&f, false, i % 2, 1, 10, 1, NULL);
        bytes_free(&options);
    }
    struct capture *c = must_open(&f);
    for (unsigned i = 0; i < 6; i++) {
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        point[i] = p.point;
        cr_expect_lt(p.point, 1U << 24);
    }
    cr_expect(point[1] == 0 && point[5] == 0 && point[0] != 0 && point[2] != 0);
    cr_expect(point[0] == point[3] && point[2] == point[4] && point[0] != point[2]);
    cap_close(c);
    bytes_free(&f);
}

static uint64_t time_of(uint8_t resolution, int64_t offset, uint64_t ticks)
{
    struct bytes f = {0}, options = {0}, seconds = {0};
    struct cap_packet p;
    put64(&seconds, (uint64_t)offset, true);
    ng_option(&options, true, 9, &resolution, 1);
    ng_option(&options, true, 14, seconds.b, 8);
    put32(&options, 0, true);
    ng_section(&f, true);
    ng_interface(&f, true, 1, 0, &options);
    ng_packet(&f, true, 0, ticks, 1, 1, NULL);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cap_close(c);
    bytes_free(&f);
    bytes_free(&options);
    bytes_free(&seconds);
    return p.ts_ns;
}

Test(pcapng, every_time_resolution)
{
    static const struct {
        uint8_t resolution;
        int64_t offset;
        uint64_t ticks, ns;
    } rows[] = {
        {6, 0, 1700000000000001, 1700000000000001000},
        {9, 0, 1700000000000000001, 1700000000000000001},
        {3, 0, 1700000000001, 1700000000001000000},
        {0, 0, 1700000000, 1700000000000000000},
        {12, 0, 1700000000001999, 1700000000001},
        {28, 0, UINT64_MAX, 1},
        {29, 0, UINT64_MAX, 0},
        {127, 0, UINT64_MAX, 0},
        {0x80, 0, 5, 5000000000},
        {0x80 | 10, 0, 1024 + 512, 1500000000},
        {0x80 | 32, 0, (UINT64_C(1700000000) << 32) | 0x80000000, 1700000000500000000},
        {0x80 | 34, 0, (UINT64_C(3) << 34) - 1, 2999999999},
        {0x80 | 40, 0, (UINT64_C(3) << 40) - 1, 2999999999},
        {0x80 | 63, 0, UINT64_C(3) << 62, 1500000000},
        {0x80 | 64, 0, UINT64_C(1) << 63, 500000000},
        {0x80 | 98, 0, UINT64_MAX, 0},
        {0x80 | 127, 0, UINT64_MAX, 0},
        {6, 100, 1, 100000001000},
        {6, -100, 100000001, 1000},
        {6, -100, 5, 0},
        {0, 0, UINT64_MAX, UINT64_MAX},
        {0x80, 0, UINT64_MAX, UINT64_MAX},
        {9, INT64_MAX, UINT64_MAX, UINT64_MAX},
        {9, INT64_MIN, UINT64_MAX, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(time_of(rows[i].resolution, rows[i].offset, rows[i].ticks), rows[i].ns, "row %zu", i);
}

Test(pcapng, without_options_time_is_in_microseconds)
{
    struct bytes f = start();
    struct cap_packet p;
    ng_packet(&f, false, 0, 7, 0, 0, NULL);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.ts_ns == 7000 && p.has_ts && p.caplen == 0);
    cap_close(c);
    bytes_free(&f);
}

Test(pcapng, simple_blocks_have_no_time)
{
    struct bytes f = {0}, body = {0};
    struct cap_packet p;
    ng_section(&f, false);
    ng_interface(&f, false, 247, 6, NULL);
    put32(&body, 60, false);
    put_fill(&body, 5, 6);
    ng_block(&f, false, 3, &body);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(!p.has_ts && p.ts_ns == 0 && p.caplen == 6 && p.len == 60 && p.dlt == 247 && p.data[5] == 5);
    cap_close(c);
    bytes_free(&f);
    bytes_free(&body);
}

Test(pcapng, obsolete_packet_blocks)
{
    struct bytes f = start(), body = {0};
    struct cap_packet p;
    put16(&body, 0, false);
    put16(&body, 77, false); /* drops */
    put32(&body, 0, false);
    put32(&body, 9, false);
    put32(&body, 3, false);
    put32(&body, 4, false);
    put(&body, "abc", 4);
    ng_option(&body, false, 1, "old", 3);
    put32(&body, 0, false);
    ng_block(&f, false, 2, &body);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.caplen == 3 && p.len == 4 && p.ts_ns == 9000 && p.has_ts && memcmp(p.data, "abc", 3) == 0);
    cr_assert_str_eq(p.comment, "old");
    cap_close(c);
    bytes_free(&f);
    bytes_free(&body);
}

/* Checks the comment of a packet that has these options. */
static void expect_comment(const struct bytes *options, const char *comment)
{
    struct bytes f = start();
    struct cap_packet p;
    ng_packet(&f, false, 0, 1, 5, 1, options);
    ng_packet(&f, false, 0, 2, 5, 2, NULL);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.data[4] == 1);
    if (comment == NULL)
        cr_assert_null(p.comment);
    else
        cr_assert_str_eq(p.comment, comment);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.comment == NULL && p.ts_ns == 2000 && p.data[0] == 2);
    cap_close(c);
    bytes_free(&f);
}

Test(pcapng, comments)
{
    struct bytes options = {0};
    ng_option(&options, false, 2, "\0\0\0\0", 4);
    ng_option(&options, false, 1, "first", 5);
    ng_option(&options, false, 1, "second", 6);
    put32(&options, 0, false);
    expect_comment(&options, "first");
    bytes_free(&options);
    ng_option(&options, false, 1, "four", 4); /* no padding and no end of options: the NUL takes a foreign place */
    expect_comment(&options, "four");
    bytes_free(&options);
    ng_option(&options, false, 1, "", 0);
    expect_comment(&options, "");
    bytes_free(&options);
    put32(&options, 0, false);
    ng_option(&options, false, 1, "after the end", 14);
    expect_comment(&options, NULL);
    bytes_free(&options);
}

Test(pcapng, options_that_overrun_cost_a_packet_its_comment_only)
{
    struct bytes options = {0};
    ng_option(&options, false, 1, "four", 4);
    options.b[2] = 5;
    expect_comment(&options, NULL);
    bytes_free(&options);
    ng_option(&options, false, 2, "four", 4);
    options.b[3] = 0xff;
    expect_comment(&options, NULL);
    bytes_free(&options);
}

Test(pcapng, the_longest_packet_with_the_longest_comment)
{
    struct bytes f = start(), options = {0}, text = {0};
    struct cap_packet p;
    put_fill(&text, 'x', 65535);
    ng_option(&options, false, 1, text.b, 65535);
    put32(&options, 0, false);
    ng_packet(&f, false, 0, 1, CAP_MAX_RECORD, 1, &options);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET, "%s", cap_error(c));
    cr_assert(p.caplen == CAP_MAX_RECORD && strlen(p.comment) == 65535);
    cap_close(c);
    bytes_free(&f);
    bytes_free(&options);
    bytes_free(&text);
}

Test(pcapng, blocks_nobody_knows_are_skipped_whatever_their_length)
{
    struct bytes f = start(), body = {0};
    put_fill(&body, 3, 700000);
    ng_block(&f, false, 0x40000bad, &body);
    ng_packet(&f, false, 0, 1, 5, 1, NULL);
    expect(&f, 1, "");
    f.n -= 37 + 3;
    f.n -= 9;
    expect(&f, 0, "f: cut in block at offset 0x30: 700003 of 700012 bytes");
    bytes_free(&f);
    bytes_free(&body);
}

Test(pcapng, faults_of_the_file_header)
{
    struct bytes f = start();
    f.b[8] = 0;
    expect(&f, 0, "f: block at offset 0x0: its byte-order magic is wrong");
    f.b[8] = 0x4d;
    f.b[12] = 2;
    expect(&f, 0, "f: pcapng version 2.0 is not known (1.0 and 1.2 are)");
    f.b[12] = 1;
    f.b[4] = 24;
    expect(&f, 0, "f: block at offset 0x0: too short for its type");
    f.b[4] = 29;
    expect(&f, 0, "f: block at offset 0x0: length 29 is impossible");
    f.b[4] = 100;
    expect(&f, 0, "f: cut in the file header (48 of 100 bytes)");
    f.b[7] = 0x7f;
    expect(&f, 0, "f: block at offset 0x0: too long for its type");
    bytes_free(&f);
}

/* Reads a correct packet, then one whose block has the given byte changed. */
static void expect_changed(size_t at, uint8_t value, const char *line)
{
    struct bytes f = start();
    ng_packet(&f, false, 0, 1, 5, 1, NULL);
    size_t second = f.n;
    ng_packet(&f, false, 0, 1, 5, 1, NULL);
    f.b[second + at] = value;
    expect(&f, 1, line);
    bytes_free(&f);
}

Test(pcapng, faults_of_packets)
{
    expect_changed(8, 9, "f: packet 2 at offset 0x58: interface 9 is not described");
    expect_changed(20, 9, "f: packet 2 at offset 0x58: captured length 9 exceeds its block of 40 bytes");
    expect_changed(23, 0xff, "f: packet 2 at offset 0x58: captured length 4278190085 exceeds its block of 40 bytes");
    expect_changed(36, 44, "f: block at offset 0x58: its two lengths differ");
    expect_changed(4, 44, "f: cut in packet 2 at offset 0x58: 40 of 44 bytes");
    expect_changed(4, 28, "f: block at offset 0x58: too short for its type");
    expect_changed(4, 0, "f: block at offset 0x58: length 0 is impossible");
    expect_changed(7, 1, "f: block at offset 0x58: too long for its type");
}

Test(pcapng, a_packet_above_the_limit_is_a_fault)
{
    struct bytes f = start();
    ng_packet(&f, false, 0, 1, CAP_MAX_RECORD + 1, 1, NULL);
    expect(&f, 0, "f: packet 1 at offset 0x30: record length 262145 exceeds 262144, the longest a record can be");
    bytes_free(&f);
}

Test(pcapng, faults_of_interfaces)
{
    struct bytes f = {0}, options = {0};
    ng_section(&f, false);
    ng_packet(&f, false, 0, 1, 5, 1, NULL);
    expect(&f, 0, "f: packet 1 at offset 0x1c: interface 0 is not described");
    bytes_free(&f);
    ng_option(&options, false, 9, "\x09", 1);
    options.b[2] = 200;
    ng_section(&f, false);
    ng_interface(&f, false, 1, 0, &options);
    expect(&f, 0, "f: block at offset 0x1c: an option overruns it");
    bytes_free(&f);
    bytes_free(&options);
    ng_section(&f, false);
    for (int i = 0; i < 2049; i++)
        ng_interface(&f, false, 1, 0, NULL);
    expect(&f, 0, "f: block at offset 0xa01c: more than 2048 interfaces in a section");
    bytes_free(&f);
}

/* A block that nobody knows, and of which the file lacks the last bytes: some of its length after the body, or all of
 * it, or some of the body. */
Test(pcapng, blocks_nobody_knows_are_cut)
{
    for (uint32_t lacks = 0; lacks <= 9; lacks++) {
        struct bytes f = start(), body = {0};
        char line[128] = "";
        put_fill(&body, 3, 20);
        ng_block(&f, false, 0x40000bad, &body);
        f.n -= lacks;
        if (lacks > 0)
            (void)snprintf(line, sizeof line, "f: cut in block at offset 0x30: %u of 32 bytes", 32 - lacks);
        expect(&f, 0, line);
        bytes_free(&f);
        bytes_free(&body);
    }
}
