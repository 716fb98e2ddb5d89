/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "common.h"

TestSuite(out, .init = printed_clear);

#define SAYS(call, text)                                                                                               \
    do {                                                                                                               \
        printed_clear();                                                                                               \
        call;                                                                                                          \
        cr_assert_str_eq(printed_text(), text);                                                                        \
    } while (0)

Test(out, numbers)
{
    SAYS(out_u64(&printed, 0), "0");
    SAYS(out_u64(&printed, 1234567890), "1234567890");
    SAYS(out_u64(&printed, UINT64_MAX), "18446744073709551615");
    for (uint64_t v = 1; v < UINT64_MAX / 10; v *= 10) {
        char want[64];
        snprintf(want, sizeof want, "%llu%llu", (unsigned long long)v, (unsigned long long)v - 1);
        SAYS((out_u64(&printed, v), out_u64(&printed, v - 1)), want);
    }
}

Test(out, hexadecimal)
{
    SAYS(out_hex(&printed, 0, 0), "0x0");
    SAYS(out_hex(&printed, 0, 4), "0x0000");
    SAYS(out_hex(&printed, 0xabc, 2), "0xabc");
    SAYS(out_hex(&printed, UINT64_MAX, 1), "0xffffffffffffffff");
    SAYS(out_hex(&printed, 0x12, 16), "0x0000000000000012");
    SAYS(out_hex_bytes(&printed, (const uint8_t *)"\x00\xff\x7f", 3), "00ff7f");
    SAYS(out_hex_bytes(&printed, NULL, 0), "");
}

Test(out, time)
{
    SAYS(out_time(&printed, 0), "0.000000000");
    SAYS(out_time(&printed, 1), "0.000000001");
    SAYS(out_time(&printed, -1), "-0.000000001");
    SAYS(out_time(&printed, 1700000000123456789), "1700000000.123456789");
    SAYS(out_time(&printed, INT64_MIN), "-9223372036.854775808");
    SAYS(out_time(&printed, INT64_MAX), "9223372036.854775807");
}

Test(out, addresses)
{
    static const uint8_t zero[16], one[16] = {[15] = 1}, gid[16] = {0xfe, 0x80, [8] = 2, [15] = 0x1a},
                                   two_gaps[16] = {0x20, 1, 0x0d, 0xb8, [9] = 1, [15] = 1};

    SAYS(out_ip4(&printed, 0xc0000201), "192.0.2.1");
    SAYS(out_ip4(&printed, UINT32_MAX), "255.255.255.255");
    SAYS(out_ip6(&printed, zero), "::");
    SAYS(out_ip6(&printed, one), "::1");
    SAYS(out_ip6(&printed, gid), "fe80::200:0:0:1a");
    SAYS(out_ip6(&printed, two_gaps), "2001:db8::1:0:0:1");
    SAYS(out_mac(&printed, 0x0200000000ff), "02:00:00:00:00:ff");
}

/* IPv6 addresses with every pattern of zero groups; the other groups have one to four digits. */
Test(out, ipv6_addresses_as_the_library_writes_them)
{
    static const uint16_t values[] = {1, 0x12, 0x123, 0x1234, 0xffff};
    char text[INET6_ADDRSTRLEN];

    for (unsigned zeros = 0; zeros < 256; zeros++)
        for (unsigned k = 0; k < 5; k++) {
            uint8_t a[16];
            for (unsigned i = 0; i < 8; i++)
                iba_bits_put(a, 16 * i, 16, zeros >> i & 1 ? 0 : values[(i + k) % 5]);
            SAYS(out_ip6(&printed, a), inet_ntop(AF_INET6, a, text, sizeof text));
        }
}

Test(out, columns)
{
    SAYS((out_str(&printed, "ab"), out_pad(&printed, 0, 4), out_ch(&printed, '|')), "ab  |");
    SAYS((out_str(&printed, "ab"), out_pad_left(&printed, 0, 4), out_ch(&printed, '|')), "  ab|");
    SAYS((out_str(&printed, "abcde"), out_pad(&printed, 0, 4), out_ch(&printed, '|')), "abcde|");
    SAYS((out_str(&printed, "abcde"), out_pad_left(&printed, 0, 4), out_ch(&printed, '|')), "abcde|");
    SAYS((out_str(&printed, "x"), out_str(&printed, "ab"), out_pad_left(&printed, 1, 4)), "x  ab");
}

Test(out, json_strings)
{
    SAYS(out_json(&printed, "plain", 5), "plain");
    SAYS(out_json(&printed, "a\"b\\c", 5), "a\\\"b\\\\c");
    SAYS(out_json(&printed, "\x00\x1f\n", 3), "\\u0000\\u001f\\u000a");
    SAYS(out_json(&printed, "\xe2\x86\x92", 3), "\xe2\x86\x92");
}

/* For any input, the output is text that JSON and XML readers accept. */
Test(out, broken_utf8_never_gets_through)
{
    static const char *const broken[] = {"\xff", "\xc0\x80",     "\xe2\x86",         "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                         "\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "a\xe2"};

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        printed_clear();
        out_json(&printed, broken[i], strlen(broken[i]));
        cr_assert_not(strstr(printed_text(), broken[i]), "JSON, case %zu", i);
        printed_clear();
        out_xml(&printed, broken[i], strlen(broken[i]));
        cr_assert_not(strstr(printed_text(), broken[i]), "XML, case %zu", i);
    }
}

/* Text from the network must not control the terminal. */
Test(out, text_from_the_wire)
{
    SAYS(out_text(&printed, "switch-7 HCA-1", 14), "switch-7 HCA-1");
    SAYS(out_text(&printed, "a\n\r\t\\", 5), "a\\n\\r\\t\\\\");
    SAYS(out_text(&printed, "\x1b[2J\x07\x7f\0", 7), "\\033[2J\\007\\177\\000");
    SAYS(out_text(&printed,
                  "\xc2\x9b"
                  "2J",
                  4),
         "\\302\\2332J");
    SAYS(out_text(&printed, "\xe2\x86\x92\xff\xc3", 5), "\xe2\x86\x92\\377\\303");
}

Test(out, xml_strings)
{
    SAYS(out_xml(&printed, "a<b>&\"c'", 8), "a&lt;b&gt;&amp;&quot;c'");
    printed_clear();
    out_xml(&printed, "\x01\x02", 2);
    cr_assert_not(strpbrk(printed_text(), "\x01\x02"), "XML knows no control characters");
}

Test(out, more_than_the_buffer_holds_arrives_whole)
{
    char path[] = "out-test-XXXXXX";
    static char big[3 * OUT_BYTES];
    const int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    unlink(path);
    out_init(&printed, fd);
    memset(big, 'b', sizeof big);
    for (unsigned i = 0; i < OUT_BYTES; i++)
        out_ch(&printed, 'a');
    out_mem(&printed, big, sizeof big);
    cr_assert(out_flush(&printed));
    cr_assert_eq(lseek(fd, 0, SEEK_END), (off_t)(4 * OUT_BYTES));
    close(fd);
}

Test(out, the_first_error_is_kept_and_the_rest_dropped)
{
    const int fd = open("/dev/full", O_WRONLY);

    cr_assert_geq(fd, 0);
    out_init(&printed, fd);
    for (unsigned i = 0; i < 3 * OUT_BYTES; i++)
        out_ch(&printed, 'a');
    cr_assert_not(out_flush(&printed));
    cr_assert_eq(printed.error, ENOSPC);
    close(fd);
    cr_assert_not(out_flush(&printed));
    cr_assert_eq(printed.error, ENOSPC);
}

/* A pad is as wide as the space that the buffer keeps free, and not wider. */
Test(out, pads_of_any_width)
{
    char want[OUT_SLACK + 1];

    memset(want, ' ', sizeof want);
    want[0] = 'x';
    want[OUT_SLACK] = '\0';
    SAYS((out_ch(&printed, 'x'), out_pad(&printed, 0, OUT_SLACK)), want);
    SAYS((out_ch(&printed, 'x'), out_pad(&printed, 0, OUT_SLACK + 1)), "x");
    SAYS((out_ch(&printed, 'x'), out_pad(&printed, 0, 1)), "x");
    SAYS((out_ch(&printed, 'x'), out_pad(&printed, 5, 9)), "x"); /* the text has left the buffer */
    want[0] = ' ';
    want[OUT_SLACK - 1] = 'x';
    SAYS((out_ch(&printed, 'x'), out_pad_left(&printed, 0, OUT_SLACK)), want);
}

/* At the end of the buffer a text is padded as far as there is room; the next byte stays as it is. */
Test(out, pads_at_the_end_of_the_buffer)
{
    static const size_t widths[] = {1, 4, 5, 16, 17, 18, 33, 36, 40, 60};
    static char text[] = "abcdefghijklmnopqrstuvwxyz";

    for (size_t have = 1; have <= 20; have += have < 15 ? 7 : 1)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t room = 0; room < 64; room++)
                for (unsigned left = 0; left < 2; left++) {
                    const size_t from = OUT_BYTES - room - have, pad = widths[w] > have ? widths[w] - have : 0;
                    const size_t want = pad <= room ? pad : 0;
                    char is[96] = "", should[96] = "";
                    memset(printed.buf + from, '!', OUT_BYTES - from);
                    memcpy(printed.buf + from, text, have);
                    printed.n = from + have;
                    (left ? out_pad_left : out_pad)(&printed, from, widths[w]);
                    cr_assert_eq(printed.n, from + have + want, "%zu of %zu, room %zu", have, widths[w], room);
                    memset(should, ' ', have + want);
                    memcpy(should + (left ? want : 0), text, have);
                    memcpy(is, printed.buf + from, have + want);
                    cr_assert_str_eq(is, should, "%zu of %zu, room %zu", have, widths[w], room);
                }
}

/* A text of 16 characters and one of 17, with pads around 32: short cells are moved in another way than long ones. */
Test(out, pads_of_short_and_long_cells)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";

    for (size_t have = 0; have <= 20; have++)
        for (size_t width = 0; width < 64; width++) {
            const size_t pad = width > have ? width - have : 0;
            char want[128];
            (void)snprintf(want, sizeof want, "x%*s%.*s|", (int)pad, "", (int)have, text);
            SAYS((out_ch(&printed, 'x'), out_mem(&printed, text, have), out_pad_left(&printed, 1, width),
                  out_ch(&printed, '|')),
                 want);
            (void)snprintf(want, sizeof want, "x%.*s%*s|", (int)have, text, (int)pad, "");
            SAYS((out_ch(&printed, 'x'), out_mem(&printed, text, have), out_pad(&printed, 1, width),
                  out_ch(&printed, '|')),
                 want);
        }
}

#define BROKEN "\xef\xbf\xbd"
Test(out, characters_of_json_and_xml)
{
    static const struct {
        const char *text, *json, *xml;
    } rows[] = {
        {"a b~", "a b~", "a b~"},
        {"\x7f", "\\u007f", BROKEN},
        {"\xc2\x80", "\\u0080", BROKEN},
        {"\xc2\x9f", "\\u009f", BROKEN},
        {"\xc2\xa0", "\xc2\xa0", "\xc2\xa0"},
        {"\xe2\x80\xa7", "\xe2\x80\xa7", "\xe2\x80\xa7"},
        {"\xe2\x80\xa8", "\\u2028", BROKEN},
        {"\xe2\x81\xa9", "\\u2069", BROKEN},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xef\xbf\xbe", "\xef\xbf\xbe", BROKEN}, /* U+FFFE: no character of XML */
        {"\t\n", "\\u0009\\u000a", "\t\n"},
        {"\r", "\\u000d", BROKEN},
        {"\x1f", "\\u001f", BROKEN},
        {"x\xff\xfey", "x" BROKEN BROKEN "y", "x" BROKEN BROKEN "y"},
        {"\xe2\x82", BROKEN BROKEN, BROKEN BROKEN},
        {"\"\\/'", "\\\"\\\\/'", "&quot;\\/'"},
        {"<&>", "<&>", "&lt;&amp;&gt;"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SAYS(out_json(&printed, rows[i].text, strlen(rows[i].text)), rows[i].json);
        SAYS(out_xml(&printed, rows[i].text, strlen(rows[i].text)), rows[i].xml);
    }
}

/* A text that does not fit any more goes out before it, and stays whole; so do bytes in hex. */
Test(out, texts_at_the_end_of_the_buffer)
{
    static const uint8_t bytes[3] = {0x12, 0x34, 0x56};

    for (size_t room = 0; room < 8; room++) {
        printed.n = OUT_BYTES - room;
        out_mem(&printed, "abcd", 4);
        cr_assert_eq(printed.n, room >= 4 ? OUT_BYTES - room + 4 : 4, "room for %zu", room);
        cr_assert(memcmp(printed.buf + printed.n - 4, "abcd", 4) == 0);
    }
    for (size_t room = OUT_SLACK - 1; room <= OUT_SLACK; room++) {
        printed.n = OUT_BYTES - room;
        out_hex_bytes(&printed, bytes, sizeof bytes);
        cr_assert_eq(printed.n, room < OUT_SLACK ? 6 : OUT_BYTES - room + 6);
        cr_assert(memcmp(printed.buf + printed.n - 6, "123456", 6) == 0);
    }
    static uint8_t many[2 * OUT_SLACK];
    printed_clear();
    out_hex_bytes(&printed, many, sizeof many);
    cr_assert_eq(printed.n, 2 * sizeof many);
    cr_assert_eq(strspn(printed_text(), "0"), 2 * sizeof many);
}
