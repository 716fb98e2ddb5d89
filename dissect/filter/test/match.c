/* SPDX-License-Identifier: BSD-2-Clause */
/* For each expression, which of the packets of packets.h it selects. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "filter/filter.h"
#include "filter/node.h"
#include "packets.h"

/* Which packets each expression selects: the five digits stand for SEND, READ, NAK, V6 and ARP, and leading zeros are
 * left out. */
Test(match, presence)
{
    static const struct row rows[] = {
        {"eth", 11111},
        {"ip", 11100},
        {"ipv6", 10},
        {"infiniband", 11110},
        {"infiniband.aeth", 110},
        {"aeth", 110},
        {"infiniband.aeth.syndrome.error_code", 100},
        {"aeth.syndrome.credit_count", 10},
        {"infiniband.reth", 1000},
        {"!infiniband.aeth", 11001},
        {"not not aeth", 110},
        {"ip.flags.rb", 11100},
        {"infiniband.bth.a", 11110},
        {"vlan", 0},
        {"frame.comment", 100},
        {"infiniband.payload", 0},
    };
    CHECK(rows);
}

Test(match, numbers)
{
    static const struct row rows[] = {
        {"infiniband.bth.opcode == 4", 10000},
        {"bth.opcode eq 0x11", 110},
        {"bth.opcode == 021", 110},
        {"bth.opcode == 0b10001", 110},
        {"bth.opcode != 17", 11000},
        {"bth.opcode ne 17", 11000},
        {"!(bth.opcode == 17)", 11001},
        {"bth.opcode > 11", 1110},
        {"bth.opcode >= 12", 1110},
        {"bth.opcode < 12", 10000},
        {"bth.opcode le 0xc", 11000},
        {"bth.opcode == '\\x11'", 110},
        {"bth.opcode > 255", 0},
        {"bth.psn == 1118485", 10000},
        {"bth.psn == -1", 0},
        {"bth.psn > -1", 11110},
        {"reth.va == 0x000055579ae59000", 1000},
        {"reth.va > 0xffffffff", 1000},
        {"reth.va < 18446744073709551615", 1000},
        {"4791 == udp.dstport", 11110},
        {"ip.hdr_len == 20", 11100},
        {"bth.a == 1", 11000},
        {"bth.a == true", 11000},
        {"bth.a == FALSE", 110},
        {"bth.a == 2", 11000},
        {"bth.a > 0", 11000},
        {"frame.number == 3", 100},
        {"frame.len == frame.cap_len", 11111},
        {"infiniband.invariant.crc == 0x170f8b21", 10000},
    };
    CHECK(rows);
}

Test(match, several_values)
{
    static const struct row rows[] = {
        {"udp.port == 4791", 11110},
        {"udp.port != 4791", 0},
        {"udp.port == 0xc9c4", 10000},
        {"udp.port != 0xc9c4", 1110},
        {"udp.port === 4791", 0},
        {"udp.port !== 4791", 11110},
        {"udp.port ~= 4791", 11110},
        {"udp.port all_eq 4791", 0},
        {"udp.port any_eq 4791", 11110},
        {"udp.port all_ne 1", 11110},
        {"udp.port any_ne 4791", 11110},
        {"any udp.port > 60000", 10},
        {"all udp.port > 60000", 0},
        {"all udp.port > 4790", 11110},
        {"all udp.port != 4791", 0},
        {"any udp.port != 4791", 11110},
        {"all vlan.id == 1", 0},
        {"udp.srcport == udp.dstport", 0},
        {"udp.srcport != udp.dstport", 11110},
        {"udp.port == udp.port", 11110},
        {"udp.port === udp.port", 0},
        {"udp.srcport == udp.port == udp.srcport", 11110},
        {"4790 < udp.dstport < 4792", 11110},
        {"udp.port == vlan.id", 0},
        {"udp.port !== vlan.id", 0},
    };
    CHECK(rows);
}

Test(match, sets)
{
    static const struct row rows[] = {
        {"bth.opcode in {1..5, 7, 0x11}", 10110},
        {"bth.opcode in {1 .. 5,7}", 10000},
        {"bth.opcode not in {1..5, 7}", 1111},
        {"not bth.opcode in {4}", 1111},
        {"udp.port in {4791}", 11110},
        {"udp.srcport in {udp.dstport}", 0},
        {"udp.srcport in {1000..udp.dstport}", 0},
        {"udp.dstport in {1000..udp.srcport}", 11110},
        {"ip.src in {10.0.0.2, 10.1.0.0/16}", 100},
        {"ip.src in {10.0.0.2..10.0.0.5}", 100},
        {"bth.opcode in {RC_SEND_FIRST..RC_SEND_ONLY, \"RC Acknowledge\"}", 10110},
        {"eth.type in {IPv4, ARP}", 11101},
        {"bth[0] in {04, 0c}", 11000},
        {"bth[0] in {05..11}", 1110},
        {"frame.time_relative in {1..2.5}", 1100},
        {"frame.comment in {\"no\", \"says \\\"no\\\"\"}", 100},
    };
    CHECK(rows);
}

Test(match, addresses)
{
    static const struct row rows[] = {
        {"ip.src == 10.0.0.1", 11000},
        {"ip.src == 10.0.0.0/8", 11100},
        {"ip.src == 11.0.0.0/8", 0},
        {"ip.src == 0.0.0.0/0", 11100},
        {"ip.src == 10.0.0.3/31", 100},
        {"ip.src != 10.0.0.1", 100},
        {"ip.addr == 10.0.0.1 && ip.addr == 10.0.0.2", 11100},
        {"ip.addr != 10.0.0.1", 0},
        {"ip.src > 10.0.0.1", 100},
        {"ip.src > 10.0.0.0/8", 0},
        {"ip.src < ip.dst", 11000},
        {"ip.src & 0.0.0.1", 11000},
        {"ip.src & 255.0.0.0 == 10.0.0.0", 11100},
        {"ip.src[3] == 02", 100},
        {"ipv6.src == fe80::/10", 10},
        {"ipv6.src == fe80::5054:ff:fe00:2", 10},
        {"ipv6.dst == fe80::5054:ff:fe00:2", 0},
        {"ipv6.dst == ff00::/9", 0},
        {"ipv6.dst > ::1", 10},
        {"ipv6.src & ::1", 0},
        {"ipv6.dst & ::3 == ::1", 10},
        {"ipv6.dst & ::3 == ::2", 0},
        {"ipv6.src & ffff:: == fe80::/10", 10},
        {"fe80::/10 == ipv6.src & ffff::", 10},
        {"ipv6.src[0:2] == fe:80", 10},
        {"eth.src == 52:54:00:00:00:01", 11001},
        {"eth.src == 52-54-00-00-00-01", 11001},
        {"eth.src == 5254.0000.0001", 11001},
        {"eth.dst == ff:ff:ff:ff:ff:ff", 1},
        {"eth.addr != 52:54:00:00:00:02", 1},
        {"eth.src < 52:54:00:00:00:02", 11001},
        {"eth.src[0:3] == 52:54:00", 11111},
        {"eth.dst[0] & 1", 1},
        {"eth.dst[0] & 1 == 0", 11110},
        {"eth.dst & 01:00:00:00:00:00", 1},
        {"eth.src[0:3] == eth.dst[0:3]", 11110},
        {"eth.src contains 00:01", 11001},
        {"eth.src matches r\"\\x54\\x00\"", 11111},
    };
    CHECK(rows);
}

Test(match, bytes)
{
    static const struct row rows[] = {
        {"bth[0] == 04", 10000},
        {"bth[0] == 4", 10000},
        {"bth[0] == 0x04", 10000},
        {"infiniband.bth[0] == 11", 110},
        {"bth[0:2] == 0400", 10000},
        {"bth[0:2] == 04.00", 10000},
        {"bth[0:2] == \"\\x04\\0\"", 10000},
        {"bth[0] == '\\x04'", 10000},
        {"bth[2-3] == ffff", 11110},
        {"bth[0,2-3,-1] == 0c:ff:ff:11", 1000},
        {"bth[-3:2] == 11:11", 11100},
        {"bth[:1] == 0c", 1000},
        {"bth[9:] == 11:11:11", 1100},
        {"bth[11]", 11110},
        {"bth[12]", 0},
        {"bth[-12]", 11110},
        {"bth[-13]", 0},
        {"bth[12:]", 0},
        {"bth[10:3]", 0},
        {"bth[4:4][2:2] == 00:37", 1100},
        {"bth [ 0 : 1 ] == 04", 10000},
        {"bth contains ff:ff", 11110},
        {"bth contains \"\\xff\\xff\"", 11110},
        {"bth contains \"\"", 0},
        {"bth contains '\\x04'", 10000},
        {"bth contains eth.src[2:3]", 11110},
        {"bth[0:2] > 04", 11110}, /* the longer is the greater */
        {"bth[0:2] < 04:00:00", 11110},
        {"bth[0] & 10", 110},
        {"bth[0] & 0d == 0c", 1000},
        {"infiniband[0]", 0},
    };
    CHECK(rows);
}

Test(match, text)
{
    static const struct row rows[] = {
        {"frame.comment == \"says \\\"no\\\"\"", 100},
        {"frame.comment contains no", 100},
        {"frame.comment contains NO", 0},
        {"frame.comment matches \"NO\"", 100},
        {"frame.comment ~ \"^s.*\\x22$\"", 100},
        {"frame.comment matches r\"\\bno\\b\"", 100},
        {"frame.comment matches r\"\\\"no\\\"\"", 100},
        {"frame.comment matches \"\"", 100},
        {"frame.comment > \"a\"", 100},
        {"frame.comment < \"sb\"", 100},
        {"frame.comment[0:4] == \"says\"", 100},
        {"frame.comment[0:4] == 73:61:79:73", 100},
        {"upper(frame.comment) contains \"NO\"", 100},
        {"lower(infiniband.encapsulation) == rocev2", 11110},
        {"infiniband.icrc.status == good", 11110},
        {"icrc.status == \"good\"", 11110},
        {"frame.file matches r\"\\.PCAP$\"", 11111},
        {"infiniband.bth.service == RC", 11110},
        {"bth matches r\"^\\x04\\x00\"", 10000},
        {"bth matches \"^\\x04.\\xff\"", 10000},
        {"frame.file matches \"(a+)+$|(.*)*(.*)*(.*)*x(.*)*y\"", 0},
    };
    CHECK(rows);
}

Test(match, names_of_codes)
{
    static const struct row rows[] = {
        {"bth.opcode == RC_SEND_ONLY", 10000},
        {"bth.opcode == rc_send_only", 10000},
        {"RC_SEND_ONLY == bth.opcode", 10000},
        {"bth.opcode != RC_SEND_ONLY", 1110},
        {"bth.opcode == \"RC RDMA READ Request\"", 1000},
        {"bth.opcode == \"Reliable Connection (RC) - RDMA READ Request\"", 1000},
        {"aeth.syndrome.error_code == \"Remote Access Error\"", 100},
        {"aeth.syndrome.opcode == Nak", 100},
        {"aeth.syndrome.opcode == ack", 10},
        {"aeth.syndrome.credit_count == \"no credit limit\"", 10},
        {"aeth.syndrome.error_code in {\"PSN Sequence Error\"..\"Remote Operational Error\"}", 100},
        {"aeth.syndrome.error_code == reserved", 0},
        {"aeth.syndrome.error_code != reserved", 100},
        {"aeth.syndrome.error_code < reserved", 100},
        {"ip.proto == UDP", 11100},
        {"eth.type == ARP", 1},
        {"udp.dstport == RoCEv2", 11110},
    };
    CHECK(rows);
}

Test(match, arithmetic)
{
    static const struct row rows[] = {
        {"bth.opcode & 0x1f == 4", 10000},
        {"(bth.opcode & 0x1f) == 4", 10000},
        {"{bth.opcode & 0x1f} == 4", 10000},
        {"4 == bth.opcode & 0x1f", 10000},
        {"bth.opcode & 0x10", 110},
        {"bth.opcode bitwise_and 0x10", 110},
        {"bth.opcode & 8 + 4", 11000}, /* + before & */
        {"bth.opcode + 1 == 5", 10000},
        {"bth.opcode+1==5", 10000},
        {"bth.opcode - 1 == 16", 110},
        {"bth.opcode - 4", 1110},
        {"bth.opcode * 2 + 1 == 9", 10000},
        {"1 + 2 * bth.opcode == 9", 10000},
        {"bth.opcode / 5 == 2", 1000},
        {"bth.opcode % 5 == 2", 1110},
        {"bth.opcode / 0 == 0", 0},
        {"bth.opcode % 0 == 0", 0},
        {"bth.opcode == {2+2}", 10000},
        {"bth.opcode == 2 + 2", 10000},
        {"-bth.opcode == -4", 10000},
        {"bth.opcode == - -4", 10000},
        {"bth.opcode == +4", 10000},
        {"udp.port + udp.port == 9582", 11110},
        {"udp.length - 8 == len(bth) + 4", 10000},
        {"frame.time_relative + 0.5 > 3", 11},
        {"frame.time_delta - 1 == 0", 1111},
        {"abs(-frame.time_relative) == 2", 100},
    };
    CHECK(rows);
}

Test(match, times)
{
    static const struct row rows[] = {
        {"frame.time_relative > 0.5", 1111},
        {"frame.time_relative == 1", 1000},
        {"frame.time_relative == 1.000000000", 1000},
        {"frame.time_relative > -0.5", 11111},
        {"frame.time_delta >= 1.0", 1111},
        {"frame.time_epoch == 1709208000.5", 10000},
        {"frame.time_epoch >= 1709208002", 111},
        {"frame.time_epoch == \"2024-02-29 12:00:00.5Z\"", 10000},
        {"frame.time_epoch == \"2024-02-29T12:00:01.500Z\"", 1000},
        {"frame.time_epoch >= \"2024-02-29 12:00:02\"", 111},
        {"frame.time_epoch > 2024-02-29", 11111},
        {"frame.time_epoch > \"2024-03-01Z\"", 0},
        {"frame.time_epoch > \"2024-02-29 11:59Z\"", 11111},
    };
    CHECK(rows);
}

static bool at_time(const char *expression, int64_t ns)
{
    struct cap_packet cap = *test_packet(PACKET_SEND)->cap;
    struct packet p = *test_packet(PACKET_SEND);
    struct filter *f = filter_compile(expression, NULL, 0);

    cr_assert(f, "%s", expression);
    cap.ts_ns = (uint64_t)ns;
    p.cap = &cap;
    const bool matches = filter_match(f, &p);
    filter_free(f);
    return matches;
}

/* On each day of the years that a filter accepts, a date stands for the second that the C library computes. */
Test(match, each_day)
{
    enum { FIRST = 1970, LAST = 2200 };
    const int64_t day = 86400, ns = 1000000000;
    struct tm tm;
    char text[64];
    int year = FIRST;

    setenv("TZ", "UTC", 1);
    for (int64_t t = 0; year <= LAST; t += day) {
        const time_t seconds = (time_t)t;
        cr_assert(gmtime_r(&seconds, &tm));
        year = tm.tm_year + 1900;
        (void)strftime(text, sizeof text, year <= LAST ? "frame.time_epoch == \"%Y-%m-%dZ\"" : "", &tm);
        cr_assert(!text[0] || (at_time(text, t * ns) && !at_time(text, t * ns + 1)), "%s is not %" PRId64, text, t);
    }
    cr_expect(at_time("frame.time_epoch == \"2199-12-31 23:59:60Z\"", INT64_C(7258118400) * ns), "a leap second");
    cr_expect(!filter_compile("frame.time_epoch == \"2201-01-01Z\"", text, sizeof text));
    cr_expect(at_time("frame.time_epoch == \"1970-01-02 03:04:05.678901234Z\"", 97445 * ns + 678901234));
}

/* The limit of depth counts nested expressions only; any number of expressions may stand one after the other. */
Test(match, many_beside_each_other)
{
    static const struct {
        const char *first, *more;
    } rows[] = {{"frame.number == 1", " or frame.number == -0"},
                {"(aeth or not aeth)", " and (frame)"},
                {"not aeth", " and not vlan"}};
    char text[8192];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = (size_t)snprintf(text, sizeof text, "%s", rows[i].first);
        for (unsigned k = 0; k < 2u * FILTER_MAX_DEPTH; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", rows[i].more);
        cr_assert_lt(n, sizeof text);
        cr_expect(at_time(text, 0), "%s", rows[i].first);
    }
}

Test(match, functions)
{
    static const struct row rows[] = {
        {"len(bth) == 12", 11110},
        {"len(udp.port) == 2", 11110},
        {"len(bth.psn) == 3", 11110},
        {"len(frame.number) == 4", 11111},
        {"len(eth.src) == 6", 11111},
        {"len(ip.src) == 4", 11100},
        {"len(ipv6.src) == 16", 10},
        {"len(frame.comment) == 9", 100},
        {"len(bth[2:]) == 10", 11110},
        {"count(udp.port) == 2", 11110},
        {"count(eth) == 1", 11111},
        {"count(aeth) == 0", 0}, /* absent: no value, as in Wireshark */
        {"count(udp.port) == count(ip.addr)", 11100},
        {"max(udp.port) == udp.srcport", 11110},
        {"min(udp.port) == 4791", 11110},
        {"max(udp.port, 60000) == 60000", 11101},
        {"min(udp.port, frame.number) == 2", 1000},
        {"max(eth.addr) == 52:54:00:00:00:02", 11110},
        {"abs(udp.dstport) == 4791", 11110},
    };
    CHECK(rows);
}

Test(match, logic)
{
    static const struct row rows[] = {
        {"udp and not aeth or ipv6", 11010},
        {"ipv6 or ip && aeth", 110},
        {"(ipv6 or ip) && aeth", 110},
        {"ip || ipv6 && aeth", 11110},
        {"!bth.opcode == 4", 1111},
        {"not bth.opcode == 4 and udp", 1110},
        {"ip xor aeth", 11010},
        {"ip ^^ aeth ^^ ipv6", 11000},
        {"ip ^^ ip", 0},
        {"ip and udp and bth and reth", 1000},
        {"vlan or reth or aeth", 1110},
        {"((udp))&&!(ip)", 10},
        {"udp.port==4791&&ip||eth.type==ARP", 11101},
        {"\tudp\n", 11110},
        {"not any udp.port == 4791", 1},
        {"(udp.dstport) == 4791", 11110},
    };
    CHECK(rows);
}

/* Each way to write a constant, with its extreme values: digits of either case, prefixes, separators, decimals. */
Test(match, constants)
{
    static const struct row rows[] = {
        {"infiniband.invariant.crc == 0X170F8B21", 10000},
        {"infiniband.invariant.crc == 0x170f8B21", 10000},
        {"infiniband.invariant.crc == 0x170f8b20", 0},
        {"bth.opcode == 0B10001", 110},
        {"bth.opcode == 0b10000", 0},
        {"bth.opcode == 0", 0},
        {"bth.opcode == 00", 0},
        {"bth.opcode == 04", 10000},
        {"bth.opcode == 014", 1000},
        {"bth.opcode == '\\x0C'", 1000},
        {"bth.opcode == '\\x0c'", 1000},
        {"bth.opcode == '\\014'", 1000},
        {"bth contains \"\\xFF\\xfF\"", 11110},
        {"bth[2-3] == FF:fF", 11110},
        {"bth[2-3] == Ff-FF", 11110},
        {"bth[2-3] == ff.FF", 11110},
        {"bth[2-3] == FFff", 11110},
        {"bth[2] == ff", 11110},
        {"bth[2] == fe", 0},
        {"bth[0] == c", 1000},
        {"bth[0] == C", 1000},
        {"frame.time_relative == 1.0", 1000},
        {"frame.time_relative == 1.000000001", 0},
        {"frame.time_relative > 0.999999999", 1111},
        {"frame.time_relative < 1.000000001", 11000},
        {"frame.time_relative == -1", 0},
        {"-frame.time_relative == -1", 1000},
        {"-frame.time_relative < -1", 111},
        {"abs(frame.time_relative) == 1", 1000},
        {"-udp.dstport == -4791", 11110},
        {"2 + udp.dstport == 4793", 11110},
        {"udp.dstport + 2 == 4793", 11110},
    };
    CHECK(rows);
}

/* Every way to write each comparison operator. */
Test(match, names_of_comparisons)
{
    static const struct row rows[] = {
        {"bth.opcode gt 12", 110},       {"bth.opcode > 12", 110},       {"bth.opcode ge 12", 1110},
        {"bth.opcode >= 12", 1110},      {"bth.opcode lt 12", 10000},    {"bth.opcode < 12", 10000},
        {"bth.opcode le 12", 11000},     {"bth.opcode <= 12", 11000},    {"bth.opcode eq 12", 1000},
        {"bth.opcode == 12", 1000},      {"bth.opcode ne 12", 10110},    {"bth.opcode != 12", 10110},
        {"bth.opcode any_eq 12", 1000},  {"bth.opcode all_eq 12", 1000}, {"bth.opcode any_ne 12", 10110},
        {"bth.opcode all_ne 12", 10110},
    };
    CHECK(rows);
}
