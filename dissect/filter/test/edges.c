/* SPDX-License-Identifier: BSD-2-Clause */
/* Values at the edges of what an expression compares: the last bit of a prefix, the first of two equal values, the
 * constant on the left, letters beside the alphabet. Hand-computed from the frames of packets.c. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "filter/filter.h"
#include "filter/node.h"
#include "packets.h"

/* Which packets each expression selects: the five digits stand for SEND, READ, NAK, V6 and ARP, and leading zeros are
 * left out. */
Test(edges, constant_on_the_left)
{
    static const struct row rows[] = {
        {"52:54:00:00:00:01 == eth.src", 11001},
        {"52:54:00:00:00:01 < eth.src", 110},
        {"52:54:00:00:00:02 > eth.src", 11001},
        {"10.0.0.1 == ip.src", 11000},
        {"10.0.0.1 < ip.src", 100},
        {"10.0.0.0/8 == ip.src", 11100},
        {"fe80::/10 == ipv6.src", 10},
        {"::1 < ipv6.src", 10},
        {"1 == frame.time_relative", 1000},
        {"1 < frame.time_relative", 111},
        {"04 == bth[0]", 10000},
        {"\"good\" == icrc.status", 11110},
        {"3 > frame.number", 11000},
    };
    CHECK(rows);
}

Test(edges, prefixes)
{
    static const struct row rows[] = {
        {"ipv6.src == e000::/3", 10},
        {"ipv6.src == 2000::/3", 0},
        {"ipv6.src == ::/0", 10},
        {"ipv6.src == fe80::5054:ff:fe00:2/128", 10},
        {"ipv6.src == fe80::5054:ff:fe00:3/127", 10},
        {"ipv6.src == fe80::5054:ff:fe00:0/127", 0},
        {"ipv6.src == fe80::5054:ff:fe00:0/126", 10},
        {"ipv6.src == fe80::/64", 10},
        {"ipv6.src == fe80::/16", 10},
        {"ipv6.src == fe81::/16", 0},
        {"ipv6.src == fe81::/15", 10},
        {"ipv6.src > fe80::/16", 0},
        {"ipv6.src < fe81::/16", 10},
        {"ip.src == 10.0.0.1/32", 11000},
        {"ip.src == 10.0.0.2/32", 100},
        {"ip.src == 10.0.0.0/31", 11000},
        {"ip.src == 10.0.0.0/30", 11100},
        {"ip.src == 128.0.0.0/1", 0},
        {"ip.src == 0.0.0.0/1", 11100},
        {"ip.src < 11.0.0.0/8", 11100},
    };
    CHECK(rows);
}

Test(edges, what_is_not_zero)
{
    static const struct row rows[] = {
        {"frame.time_relative - 1", 10111},
        {"frame.time_relative - 0.999999999", 11111},
        {"ip.src & 0.0.0.2", 100},
        {"eth.src & 00:00:00:00:00:01", 11001},
        {"eth.src & ff:00:00:00:00:00", 11111},
        {"eth.src & 00:00:00:00:01:00", 0},
        {"bth[0:1] & 04", 11000},
        {"bth[0:2] & 0b:01", 1110},
        {"frame.number - 1", 1111},
        {"-bth.a", 11000},
        {"ipv6.src & ::2", 10},
        {"ipv6.src & ::4", 0},
        {"ipv6.src & 8000::", 10},
    };
    CHECK(rows);
}

Test(edges, ranges)
{
    static const struct row rows[] = {
        {"frame.number in {2..4}", 1110},
        {"frame.number in {2..2}", 1000},
        {"frame.number in {3..2}", 0},
        {"frame.number in {4..9}", 11},
        {"frame.number in {0..1, 5}", 10001},
        {"frame.number not in {2..4}", 10001},
        {"frame.comment in {\"a\"..\"t\"}", 100},
        {"frame.comment in {\"t\"..\"z\"}", 0},
        {"eth.src in {52:54:00:00:00:02..52:54:00:00:00:03}", 110},
        {"frame.time_relative in {1..1, 3..9}", 1011},
        {"ip.src in {10.0.0.1..10.0.0.1}", 11000},
        {"1 <= frame.number < 3", 11000},
        {"1 < frame.number <= 3", 1100},
        {"5 > frame.number > 3", 10},
    };
    CHECK(rows);
}

Test(edges, arithmetic)
{
    static const struct row rows[] = {
        {"frame.number % 2", 10101},
        {"frame.number * 3 == 12", 10},
        {"frame.number / 2 == 1", 1100},
        {"7 / frame.number == 3", 1000},
        {"7 % frame.number == 1", 1100},
        {"frame.number - 5 == -1", 10},
        {"frame.number - 5 < 0", 11110},
        {"frame.number - 5 > 3", 0},
        {"-2 < frame.number - 3 <= 0", 1100},
        {"{frame.number - 5} / 2 == -2", 10000},
        {"{frame.number - 5} * -1 == 3", 1000},
        {"abs(frame.number - 3) == 2", 10001},
        {"-{frame.number - 5} == 4", 10000},
        {"frame.number * 0xffffffffffffffff > 0", 10000},
        {"frame.number + 0xffffffffffffffff > 0", 0},
        {"5 - frame.number == 1", 10},
        {"frame.number + frame.number == 4", 1000},
        {"frame.number & 3 == 0", 10},
        {"2 + 3 * frame.number == 8", 1000},
        {"{2 + 3} * frame.number == 10", 1000},
        {"8 / 2 / 2 == frame.number", 1000},
        {"8 - 2 - 2 == frame.number", 10},
        {"frame.time_relative + 1 == 2", 1000},
        {"1 + frame.time_relative == 2", 1000},
        {"frame.time_relative - 1 == 1", 100},
        {"1 - frame.time_relative == -1", 100},
        {"-frame.number == -3", 100},
        {"abs(-frame.time_relative) == 2", 100},
        {"abs(frame.time_relative - 3) == 1", 101},
    };
    CHECK(rows);
}

Test(edges, functions)
{
    static const struct row rows[] = {
        {"min(eth.addr) == 52:54:00:00:00:01", 11111},
        {"max(eth.addr) == ff:ff:ff:ff:ff:ff", 1},
        {"max(ip.addr) == 10.0.0.2", 11100},
        {"min(ip.addr) == 10.0.0.1", 11100},
        {"max(ipv6.addr) == fe80::5054:ff:fe00:2", 10},
        {"min(ipv6.addr) == fe80::5054:ff:fe00:1", 10},
        {"max(frame.comment, \"z\") == \"z\"", 11111},
        {"min(frame.comment, \"z\") == \"z\"", 11011},
        {"max(frame.number, 3, 2) == 3", 11100},
        {"min(3, frame.number, 2) == 2", 1111},
        {"max(frame.time_relative, 1) == 1", 11000},
        {"upper(frame.file) == \"TEST.PCAP\"", 11111},
        {"lower(frame.file) == \"test.pcap\"", 11111},
        {"upper(frame.file) == \"test.pcap\"", 0},
        {"string(bth.opcode) == \"17\"", 110},
        {"string(bth.psn) contains \"1118\"", 11100},
        {"string(reth.va) == \"93834749251584\"", 1000},
        {"string(eth.src) == \"52:54:00:00:00:01\"", 11001},
        {"string(ip.src) matches r\"^10\\.0\\.0\\.1$\"", 11000},
        {"string(ip.addr) == \"10.0.0.2\"", 11100},
        {"string(ipv6.src) == \"fe80::5054:ff:fe00:2\"", 10},
        {"string(ipv6.src) contains \"::\"", 10},
        {"string(udp.port)[0:2] == \"47\"", 11110},
        {"string(udp.srcport) < string(udp.dstport)", 0},
        {"string(ip.ttl) in {\"64\", \"a\"}", 11100},
        {"count(eth.addr) == 2", 11111},
        {"count(bth) == 1", 11110},
        {"len(bth.a) == 1", 11110},
        {"len(reth.va) == 8", 1000},
        {"len(frame.comment[2:]) == 7", 100},
        {"bth[0:2] contains 04:00", 10000},
        {"bth[0:2] contains 04:00:ff", 0},
        {"bth[1:2] contains 04", 0},
        {"udp\r\n", 11110},
        {"\v\fudp", 11110},
    };
    CHECK(rows);
}

Test(edges, slices)
{
    static const struct row rows[] = {
        {"eth.src[5] == 01", 11001},
        {"eth.src[5:] == 01", 11001},
        {"eth.src[6]", 0},
        {"eth.src[-1] == 01", 11001},
        {"eth.src[-6] == 52", 11111},
        {"eth.src[-7]", 0},
        {"eth.src[-2:2] == 00:01", 11001},
        {"eth.src[-2:3]", 0},
        {"eth.src[4:2] == 00:01", 11001},
        {"eth.src[4:3]", 0},
        {"eth.src[0-5] == 52:54:00:00:00:01", 11001},
        {"eth.src[0-6]", 0},
        {"eth.src[5,0] == 01:52", 11001},
        {"eth.src[0,6]", 0},
        {"eth.src[:6] == 52:54:00:00:00:01", 11001},
    };
    CHECK(rows);
}

static bool with_comment(const char *expression, const char *comment)
{
    char err[256] = "";
    struct cap_packet cap = *test_packet(PACKET_SEND)->cap;
    struct packet p = *test_packet(PACKET_SEND);
    struct filter *f = filter_compile(expression, err, sizeof err);

    cr_assert(f, "%s: %s", expression, err);
    cap.comment = comment;
    p.cap = &cap;
    const bool matches = filter_match(f, &p);
    filter_free(f);
    return matches;
}

/* upper() and lower() change every letter and nothing else: the characters next to the alphabet in ASCII stay. */
Test(edges, case_of_letters)
{
    cr_expect(with_comment("upper(frame.comment) == \"@AZ[`AZ{\"", "@AZ[`az{"));
    cr_expect(with_comment("lower(frame.comment) == \"@az[`az{\"", "@AZ[`az{"));
    cr_expect(with_comment("upper(frame.comment) == \"MN\"", "mN"));
    cr_expect(with_comment("lower(frame.comment) == \"mn\"", "Mn"));
    cr_expect(with_comment("frame.comment == \"\\a\\b\\f\\n\\r\\t\\v\\\\'\\?\"", "\a\b\f\n\r\t\v\\'?"));
    cr_expect(with_comment("frame.comment == '\\\\'", "\\"));
    cr_expect(with_comment("frame.comment == R\"a\\b\"", "a\\b"));
    cr_expect(with_comment("frame.comment == \"\\1018\\x4142\"", "A8A42"));
    cr_expect(with_comment("frame.comment == \"\\377\"", "\xff"));
    cr_expect(with_comment("frame.comment == \"\\x4a\\x4A\\x49\\x30\\70\"", "JJI08"));
}

/* Digits of each kind, and where a word ends: a slash belongs to an address and to nothing else. */
Test(edges, digits_and_words)
{
    static const struct row rows[] = {
        {"frame.number + 0xabcdef == 0xABCDF0", 10000},
        {"frame.number + 0x9 == 10", 10000},
        {"frame.number == 0b11", 100},
        {"frame.number + 07 == 010", 10000},
        {"frame.number + 18446744073709551614 == 18446744073709551615", 10000},
        {"frame.number + 0xffffffffffffffff >= 0", 0},
        {"-0xffffffffffffffff - frame.number < 0", 10000},
        {"ip.hdr_len < 60", 11100},
        {"udp.dstport/2 == 2395", 11110},
        {"8/2 == frame.number", 10},
        {"ip.src==10.0.0.0/30&&udp", 11100},
        {"ipv6.src==fe80::/10||vlan.id", 10},
        {"bth[\t0\t:\t1\t] == 04", 10000},
        {"bth[\t2\t-\t2\t,\t0\t] == ff:04", 10000},
        {"bth[2-2] == ff", 11110},
        {"bth[ :1] == 04", 10000},
        {"eth[2147483647]", 0},
        {"eth[0:2147483647]", 0},
        {"bth[0:2] == 04:00 && bth[2:2] == ff:ff", 10000},
        {"udp.port in{4791}", 11110},
    };
    CHECK(rows);
}

/* Limits of depth and of number: the last expression that the filter accepts, and the first one that it refuses. */
static char *repeated(const char *head, const char *core, const char *tail, size_t n)
{
    const size_t room = n * (strlen(head) + strlen(tail)) + strlen(core) + 1;
    char *text = malloc(room), *at = text;

    cr_assert(text);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, head);
    at = stpcpy(at, core);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, tail);
    return text;
}

static void expect_most(const char *head, const char *core, const char *tail, size_t most, const char *message)
{
    for (size_t n = most; n <= most + 1; n++) {
        char *text = repeated(head, core, tail, n), err[256] = "";
        struct filter *f = filter_compile(text, err, sizeof err);
        cr_expect(n == most ? f != NULL : !f && strstr(err, message), "%zu times \"%s\": %s", n, head, err);
        filter_free(f);
        free(text);
    }
}

Test(edges, depth)
{
    const char *const deep = "nested deeper than 64";

    expect_most("(", "udp", ")", FILTER_MAX_DEPTH - 1, deep);
    expect_most("!", "udp", "", FILTER_MAX_DEPTH - 1, deep);
    expect_most("-", "udp.port", "", FILTER_MAX_DEPTH - 1, deep);
    expect_most("", "udp.port", " + 1", FILTER_MAX_DEPTH - 1, deep);
    expect_most("", "bth", "[0:]", FILTER_MAX_DEPTH - 1, deep);
}

Test(edges, breadth)
{
    static const char *const leads[] = {"", "!udp or ",
                                        "udp.port == 5 or "}; /* the first node too many is one of any kind */

    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        char *many = repeated("udp or ", "udp", "", FILTER_MAX_NODES / 2), *text = NULL, err[256] = "";
        cr_assert_geq(asprintf(&text, "%s%s", leads[i], many), 0);
        cr_expect_null(filter_compile(text, err, sizeof err));
        cr_expect(strstr(err, "the filter has more than 8192 terms"), "%s", err);
        free(many);
        free(text);
    }
}
