/* SPDX-License-Identifier: BSD-2-Clause */
/* Error messages: the whole line, with the column. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "filter/filter.h"

struct row {
    const char *expression, *message;
};

static void check(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char err[256] = "";
        struct filter *f = filter_compile(row[i].expression, err, sizeof err);
        cr_expect(!f, "%s: accepted", row[i].expression);
        cr_expect(strcmp(err, row[i].message) == 0, "%s:\n     got %s\nexpected %s", row[i].expression, err,
                  row[i].message);
        filter_free(f);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

Test(errors, names)
{
    static const struct row rows[] = {
        {"infiniband.bth.pns == 5", "-Y: column 1: no field \"infiniband.bth.pns\"; nearest is \"infiniband.bth.psn\""},
        {"bth.pns", "-Y: column 1: no field \"bth.pns\"; nearest is \"infiniband.bth.psn\""},
        {"udp.port == 5 and infiniband.aeht",
         "-Y: column 19: no field \"infiniband.aeht\"; nearest is \"infiniband.aeth\""},
        {"infiniband.bth.opcode == infiniband.bth.pn",
         "-Y: column 26: no field \"infiniband.bth.pn\"; nearest is \"infiniband.bth.psn\""},
        {"frame.numbr[0]", "-Y: column 1: no field \"frame.numbr\"; nearest is \"frame.number\""},
        {"len(udp.prt) == 2", "-Y: column 5: no field \"udp.prt\"; nearest is \"udp.port\""},
        {"foo(udp.port) == 1",
         "-Y: column 1: no function \"foo\"; there are abs, count, len, lower, max, min, string, upper"},
        {"Udp", "-Y: column 1: no field \"Udp\"; nearest is \"udp\""},
        {"RC_SEND_ONLY", "-Y: column 1: no field \"RC_SEND_ONLY\"; -G fields lists all"},
    };
    CHECK(rows);
}

Test(errors, syntax)
{
    static const struct row rows[] = {
        {"", "-Y: column 1: the filter is empty"},
        {"   ", "-Y: column 1: the filter is empty"},
        {"udp)", "-Y: column 4: \")\" was not expected here"},
        {"(udp", "-Y: column 5: the filter ends too early: \")\" is missing"},
        {"udp &&", "-Y: column 7: the filter ends too early"},
        {"&& udp", "-Y: column 1: \"&&\" was not expected here"},
        {"udp udp", "-Y: column 5: \"udp\" was not expected here"},
        {"udp AND ip", "-Y: column 5: \"AND\" was not expected here"},
        {"udp.port = 5", "-Y: column 10: a single \"=\"; equality is \"==\""},
        {"udp.port in {}", "-Y: column 14: \"}\" was not expected here"},
        {"udp.port in {1,}", "-Y: column 16: \"}\" was not expected here"},
        {"udp.port in {1 2}", "-Y: column 16: \"2\" was not expected here"},
        {"udp.port in 5", "-Y: column 13: \"5\" was not expected here"},
        {"udp not udp", "-Y: column 9: \"udp\" was not expected here"},
        {"udp.port ==", "-Y: column 12: the filter ends too early"},
        {"eth[3-1]", "-Y: column 6: a slice from-to needs two offsets that ascend"},
        {"eth[0:0]", "-Y: column 6: a slice of no bytes"},
        {"eth[a]", "-Y: column 5: a slice is [i], [i:count], [i-last], [i:] or [:count]"},
        {"eth[]", "-Y: column 5: a slice is [i], [i:count], [i-last], [i:] or [:count]"},
        {"eth[:]", "-Y: column 5: a slice is [i], [i:count], [i-last], [i:] or [:count]"},
        {"eth[0", "-Y: column 6: a slice ends with \"]\""},
        {"eth[0:1,2:]", "-Y: column 5: slices put together have at most 256 bytes"},
        {"eth[99999999999]", "-Y: column 5: a slice is [i], [i:count], [i-last], [i:] or [:count]"},
        {"eth contains \"abc", "-Y: column 14: the quote is never closed"},
        {"udp.port == 'ab'", "-Y: column 13: a character constant has exactly one character"},
        {"udp.port == ''", "-Y: column 13: a character constant has exactly one character"},
        {"eth matches \"\\w\"", "-Y: column 14: unknown escape; a regular expression is easier as r\"...\""},
        {"eth contains \"\\x\"", "-Y: column 15: unknown escape; a regular expression is easier as r\"...\""},
        {"eth contains \"\\777\"", "-Y: column 15: unknown escape; a regular expression is easier as r\"...\""},
        {"eth#1", "-Y: column 4: layer numbers (#) are not supported"},
        {"@eth", "-Y: column 1: raw values (@) are not supported; slice the header: eth[0:6]"},
        {"udp.port == ${udp.port}", "-Y: column 13: macros and references (${...}) are Wireshark's; write the value"},
        {"eth ; ip", "-Y: column 5: this character means nothing here"},
        {"any udp.port", "-Y: column 1: \"any\" and \"all\" stand before a comparison"},
        {"len(udp.port)", "-Y: column 1: a computed value must be compared with something"},
        {"len() == 1", "-Y: column 5: \")\" was not expected here"},
        {"len(udp.port == 1", "-Y: column 14: \"==\" was not expected here"},
        {"{udp.port == 5", "-Y: column 11: \"==\" was not expected here"},
        {"(udp and ip) == 4", "-Y: column 14: a condition cannot be compared"},
        {"(udp and ip) matches \"a\"", "-Y: column 22: a condition cannot be searched"},
        {"udp.port == (ip and udp)", "-Y: column 10: a condition cannot be compared"},
        {"(udp and ip) in {1}", "-Y: column 17: a condition is in no set"},
        {"udp.port in {(ip or udp)}", "-Y: column 14: a set holds values, not conditions"},
        {"1 + (ip or udp)", "-Y: column 3: a condition is no number"},
        {"all udp.port matches \"x\"", "-Y: column 1: \"any\" and \"all\" stand before a comparison"},
    };
    CHECK(rows);
}

Test(errors, types)
{
    static const struct row rows[] = {
        {"ip.src == eth.src", "-Y: column 11: ip.src is an IPv4 address, but eth.src is a MAC address"},
        {"udp.port == ip.src", "-Y: column 13: udp.port is a number, but ip.src is an IPv4 address"},
        {"udp.port contains 5",
         "-Y: column 1: udp.port is a number; \"contains\" searches in text and bytes, as string(udp.port) is"},
        {"udp.port matches \"a\"",
         "-Y: column 1: udp.port is a number; \"matches\" searches in text and bytes, as string(udp.port) is"},
        {"ip.src contains 0a",
         "-Y: column 1: ip.src is an IPv4 address; \"contains\" searches in text and bytes, as string(ip.src) is"},
        {"frame.time_delta matches \"1\"",
         "-Y: column 1: frame.time_delta is a time in seconds; \"matches\" searches in text and bytes"},
        {"bth.a contains \"1\"", "-Y: column 1: infiniband.bth.a is a number; \"contains\" searches in text and bytes"},
        {"infiniband.bth.psn[0]", "-Y: column 1: infiniband.bth.psn is a number and has no slices"},
        {"frame.time_epoch[0]", "-Y: column 1: frame.time_epoch is a time in seconds and has no slices"},
        {"udp.port + ip.src == 4", "-Y: column 12: udp.port is a number, but ip.src is an IPv4 address"},
        {"icrc.status + 1", "-Y: column 13: there is no such arithmetic with text"},
        {"eth.src + 1", "-Y: column 11: \"1\" is not a MAC address, as needed for eth.src"},
        {"frame.time_delta * 2 > 1", "-Y: column 18: there is no such arithmetic with a time in seconds"},
        {"-eth.src == 5", "-Y: column 1: a minus needs a number or a time"},
        {"upper(udp.port) == 1", "-Y: column 7: upper() is not for a number"},
        {"lower(eth.src) == 00", "-Y: column 7: lower() is not for a MAC address"},
        {"abs(eth.src) == 00", "-Y: column 5: abs() is not for a MAC address"},
        {"len(frame.time_delta) == 8", "-Y: column 5: len() is not for a time in seconds"},
        {"string(frame.time_delta) == \"1\"", "-Y: column 8: string() is not for a time in seconds"},
        {"string(icrc.status) == \"ok\"", "-Y: column 8: string() is not for text"},
        {"string(bth) == \"1\"", "-Y: column 8: string() is not for bytes in hex"},
        {"string(bth.a) == \"1\"", "-Y: column 8: string() is not for a flag"},
        {"string(udp.port, ip.src) == \"1\"", "-Y: column 1: string() takes 1 argument"},
        {"string(bth.psn + 1) == \"1\"", "-Y: column 16: string() takes fields, not what is computed of them"},
        {"string(\"a\") == \"a\"", "-Y: column 8: a constant stands where a field is needed"},
        {"max(udp.port, ip.src) == 3", "-Y: column 15: udp.port is a number, but ip.src is an IPv4 address"},
        {"max(1, 2) == 2", "-Y: column 5: a constant stands where a field is needed"},
        {"count(udp.port, ip.addr) == 2", "-Y: column 1: count() takes 1 argument"},
        {"len(upper(frame.file)) == 2", "-Y: column 5: len() takes fields, not what is computed of them"},
        {"eth matches abc", "-Y: column 13: \"matches\" needs a quoted string"},
        {"eth matches udp.port", "-Y: column 13: \"matches\" needs a quoted string"},
        {"1 == 1", "-Y: column 1: a constant stands where a field is needed"},
        {"\"a\" == \"b\"", "-Y: column 1: a constant stands where a field is needed"},
        {"\"a\" contains \"b\"", "-Y: column 1: a constant stands where a field is needed"},
        {"0x12b7 in {1}", "-Y: column 1: a constant stands where a field is needed"},
        {"5", "-Y: column 1: a constant stands where a field is needed"},
        {"\"udp\"", "-Y: column 1: a constant stands where a field is needed"},
        {"2 + 2", "-Y: column 3: a computed value must be compared with something"},
        {"bth & eth", "-Y: column 5: there is no such arithmetic with bytes in hex"},
    };
    CHECK(rows);
}

Test(errors, constants)
{
    static const struct row rows[] = {
        {"eth.src > \"x\"", "-Y: column 11: \"x\" is not a MAC address, as needed for eth.src"},
        {"eth.src == 5", "-Y: column 12: \"5\" is not a MAC address, as needed for eth.src"},
        {"eth.src == 52:54", "-Y: column 12: \"52:54\" is not a MAC address, as needed for eth.src"},
        {"eth.src == 52:54:00:00:00:01:02",
         "-Y: column 12: \"52:54:00:00:00:01:02\" is not a MAC address, as needed for eth.src"},
        {"eth.src == 52:54-00:00:00:01",
         "-Y: column 12: \"52:54-00:00:00:01\" is not a MAC address, as needed for eth.src"},
        {"ip.src == 10.0.0", "-Y: column 11: \"10.0.0\" is not an IPv4 address, as needed for ip.src"},
        {"ip.src == 10.0.0.1/33", "-Y: column 11: \"10.0.0.1/33\" is not an IPv4 address, as needed for ip.src"},
        {"ip.src == localhost", "-Y: column 11: \"localhost\" is not an IPv4 address, as needed for ip.src"},
        {"ip.src == \"10.0.0.1\"", "-Y: column 11: \"10.0.0.1\" is not an IPv4 address, as needed for ip.src"},
        {"ipv6.src == fe80::/129", "-Y: column 13: \"fe80::/129\" is not an IPv6 address, as needed for ipv6.src"},
        {"ipv6.src == fe80:::1", "-Y: column 13: \"fe80:::1\" is not an IPv6 address, as needed for ipv6.src"},
        {"infiniband.bth.opcode == 256", "-Y: column 26: 256 is too big for infiniband.bth.opcode, maximum 255"},
        {"infiniband.bth.opcode in {300}", "-Y: column 27: 300 is too big for infiniband.bth.opcode, maximum 255"},
        {"udp.dstport == 70000", "-Y: column 16: 70000 is too big for udp.dstport, maximum 65535"},
        {"udp.dstport == 08", "-Y: column 16: \"08\" is neither a number nor the name of a value of udp.dstport"},
        {"udp.dstport == 0x", "-Y: column 16: \"0x\" is neither a number nor the name of a value of udp.dstport"},
        {"udp.dstport == 1_000", "-Y: column 16: \"1_000\" is neither a number nor the name of a value of udp.dstport"},
        {"udp.dstport == 4791.", "-Y: column 16: \"4791.\" is neither a number nor the name of a value of udp.dstport"},
        {"udp.port == \"4791\"", "-Y: column 13: \"4791\" is not a number, as needed for udp.port"},
        {"infiniband.bth.opcode == RC_SND",
         "-Y: column 26: \"RC_SND\" is neither a number nor the name of a value of infiniband.bth.opcode"},
        {"infiniband.bth.a == yes", "-Y: column 21: \"yes\" is not a number, as needed for infiniband.bth.a"},
        {"reth.va == 0x10000000000000000",
         "-Y: column 12: \"0x10000000000000000\" is not a number, as needed for infiniband.reth.va"},
        {"bth[0] == xyz", "-Y: column 11: \"xyz\" is not bytes in hex"},
        {"bth[0:2] == 040", "-Y: column 13: \"040\" is not bytes in hex"},
        {"bth contains 0:1", "-Y: column 14: \"0:1\" is not bytes in hex"},
        {"eth matches \"(a\"", "-Y: column 13: regular expression, at its offset 2: missing closing parenthesis"},
        {"eth matches r\"a{2,1}\"",
         "-Y: column 13: regular expression, at its offset 5: numbers out of order in {} quantifier"},
        {"eth.src == -5", "-Y: column 13: \"5\" is not a MAC address, as needed for eth.src"},
        {"udp.port == thisisquitealongwordthatgoesonandonandonandonandonandonandonandonandon",
         "-Y: column 13: \"thisisquitealongwordthatgoesonandonandonandonandonandonandon...\" is not a number, as "
         "needed for udp.port"},
    };
    CHECK(rows);
}

Test(errors, times)
{
    static const struct row rows[] = {
        {"frame.time_relative > 1e-3",
         "-Y: column 23: \"1e-3\" is not a time in seconds, as needed for frame.time_relative"},
        {"frame.time_relative > 1.0000000001",
         "-Y: column 23: \"1.0000000001\" is not a time in seconds, as needed for frame.time_relative"},
        {"frame.time_relative > 99999999999",
         "-Y: column 23: \"99999999999\" is not a time in seconds, as needed for frame.time_relative"},
        {"frame.time_epoch > \"2020-13-01\"",
         "-Y: column 20: \"2020-13-01\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"2020-01-01 25:00:00\"",
         "-Y: column 20: \"2020-01-01 25:00:00\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"2023-02-29\"",
         "-Y: column 20: \"2023-02-29\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"2024-02-29 1\"",
         "-Y: column 20: \"2024-02-29 1\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"2024-02-29 10:0\"",
         "-Y: column 20: \"2024-02-29 10:0\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"2024-2-29\"",
         "-Y: column 20: \"2024-2-29\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"1969-12-31\"",
         "-Y: column 20: \"1969-12-31\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"2024-02-29 10:00:00.1234567890\"",
         "-Y: column 20: \"2024-02-29 10:00:00.1234567890\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > \"2020-01-01x\"",
         "-Y: column 20: \"2020-01-01x\" is not a time in seconds, as needed for frame.time_epoch"},
    };
    CHECK(rows);
}

Test(errors, one_line_whatever_the_text)
{
    static const char *const texts[] = {"a\nb", "ip.src == \"a\nb\"",     "eth.src == '\n'",
                                        "\x01", "udp.port == \"\x7f\n\"", "\xff\xfe"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char err[256] = "";
        cr_expect(!filter_compile(texts[i], err, sizeof err));
        cr_expect(strncmp(err, "-Y: column ", 11) == 0 && !strpbrk(err, "\n\r\x01\x7f"), "%s", err);
    }
}

Test(errors, small_buffer)
{
    char err[8];

    cr_expect(!filter_compile("nonsense", err, sizeof err));
    cr_expect(strcmp(err, "-Y: col") == 0);
}

Test(errors, edges_of_constants)
{
    static const struct row rows[] = {
        {"udp \"x\"", "-Y: column 5: a constant was not expected here"},
        {"udp 'x'", "-Y: column 5: a constant was not expected here"},
        {"eth matches 'a'", "-Y: column 13: \"matches\" needs a quoted string"},
        {"udp.dstport == 1x10", "-Y: column 16: \"1x10\" is neither a number nor the name of a value of udp.dstport"},
        {"udp.dstport == 0b2", "-Y: column 16: \"0b2\" is neither a number nor the name of a value of udp.dstport"},
        {"udp.dstport == 0xg", "-Y: column 16: \"0xg\" is neither a number nor the name of a value of udp.dstport"},
        {"udp.dstport == 65536", "-Y: column 16: 65536 is too big for udp.dstport, maximum 65535"},
        {"frame.time_relative == 1.0000000001",
         "-Y: column 24: \"1.0000000001\" is not a time in seconds, as needed for frame.time_relative"},
        {"frame.time_relative == 1.5.5",
         "-Y: column 24: \"1.5.5\" is not a time in seconds, as needed for frame.time_relative"},
        {"frame.time_relative == x",
         "-Y: column 24: \"x\" is not a time in seconds, as needed for frame.time_relative"},
        {"frame.time_relative + 1.5.5 > 1",
         "-Y: column 23: \"1.5.5\" is not a time in seconds, as needed for frame.time_relative"},
    };
    CHECK(rows);
}

/* Values that are only just wrong. */
Test(errors, edges_of_dates_and_names)
{
    static const struct row rows[] = {
        {"udp.port == true", "-Y: column 13: \"true\" is not a number, as needed for udp.port"},
        {"udp.port == false", "-Y: column 13: \"false\" is not a number, as needed for udp.port"},
    };
    static const char *const dates[] = {"2024-12-32",       "2024-04-31",          "2024-00-10",
                                        "2024-01-00",       "2024-02-29 24:00:00", "2024-02-29 10:60:00",
                                        "1969-12-31 23:59", "2201-01-01",          "2024-02-29 10:00:61",
                                        "2024-02-29 10",    "2024-02-29Z ",        "2024-02-29 10:00ZZ"};
    char text[128], message[256], err[256];

    CHECK(rows);
    cr_expect_null(
        filter_compile("eth matches \"(?|(?<a>x)|(?<b>y))\"", err, sizeof err)); /* PCRE2's longest sentence */
    cr_expect(strstr(err, ": different names for subpatterns of the same number are not allowed"), "%s", err);
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        (void)snprintf(text, sizeof text, "frame.time_epoch > \"%s\"", dates[i]);
        (void)snprintf(message, sizeof message,
                       "-Y: column 20: \"%s\" is not a time in seconds, as needed for frame.time_epoch", dates[i]);
        cr_expect_null(filter_compile(text, err, sizeof err), "%s", dates[i]);
        cr_expect_str_eq(err, message);
    }
}

/* A word on the left is a misspelled field if it begins with a letter that is no hex digit, and the other side has no
 * names that it could be. */
Test(errors, words_on_the_left)
{
    static const struct row rows[] = {
        {"f1 == udp.length", "-Y: column 1: \"f1\" is not a number, as needed for udp.length"},
        {"F1 == udp.length", "-Y: column 1: \"F1\" is not a number, as needed for udp.length"},
        {"g1 == udp.length", "-Y: column 1: no field \"g1\"; -G fields lists all"},
        {"G1 == udp.length", "-Y: column 1: no field \"G1\"; -G fields lists all"},
        {"zzzzzzzz == udp.length", "-Y: column 1: no field \"zzzzzzzz\"; -G fields lists all"},
        {"ZZZZZZZZ == udp.length", "-Y: column 1: no field \"ZZZZZZZZ\"; -G fields lists all"},
        {"_1 == udp.length", "-Y: column 1: \"_1\" is not a number, as needed for udp.length"},
        {"\"g1\" == udp.length", "-Y: column 1: \"g1\" is not a number, as needed for udp.length"},
        {"RC_SND == bth.opcode",
         "-Y: column 1: \"RC_SND\" is neither a number nor the name of a value of infiniband.bth.opcode"},
        {"RC_SEND_ONLY == bth.opcode + 1", "-Y: column 1: no field \"RC_SEND_ONLY\"; -G fields lists all"},
        {"xyzzyxyz == bth[0]", "-Y: column 1: no field \"xyzzyxyz\"; -G fields lists all"},
        {"xyzzyxyz == frame.time_delta", "-Y: column 1: no field \"xyzzyxyz\"; -G fields lists all"},
    };
    CHECK(rows);
}

/* A word on the right is a misspelled field if it begins with a letter and has a dot. */
Test(errors, words_on_the_right)
{
    static const struct row rows[] = {
        {"udp.length == a.zzzzzzzz", "-Y: column 15: no field \"a.zzzzzzzz\"; -G fields lists all"},
        {"udp.length == z.zzzzzzzz", "-Y: column 15: no field \"z.zzzzzzzz\"; -G fields lists all"},
        {"udp.length == Z.ZZZZZZZZ", "-Y: column 15: no field \"Z.ZZZZZZZZ\"; -G fields lists all"},
        {"udp.length == A.ZZZZZZZZ", "-Y: column 15: no field \"A.ZZZZZZZZ\"; -G fields lists all"},
        {"udp.length == 1.zzzzzzzz", "-Y: column 15: \"1.zzzzzzzz\" is not a number, as needed for udp.length"},
        {"udp.length == _.zzzzzzzz", "-Y: column 15: \"_.zzzzzzzz\" is not a number, as needed for udp.length"},
        {"udp.length == azzzzzzzz", "-Y: column 15: \"azzzzzzzz\" is not a number, as needed for udp.length"},
        {"udp.length == \"a.zzzzzzzz\"", "-Y: column 15: \"a.zzzzzzzz\" is not a number, as needed for udp.length"},
        {"udp.length == \"\"", "-Y: column 15: \"\" is not a number, as needed for udp.length"},
    };
    CHECK(rows);
}

Test(errors, what_is_never_closed)
{
    static const struct row rows[] = {
        {"udp.port in {1", "-Y: column 15: the filter ends too early: \"}\" is missing"},
        {"udp.port in {1,", "-Y: column 16: the filter ends too early"},
        {"udp.port in {1..", "-Y: column 17: the filter ends too early"},
        {"udp.port in", "-Y: column 12: the filter ends too early"},
        {"udp.port not", "-Y: column 13: the filter ends too early"},
        {"{udp.port", "-Y: column 10: the filter ends too early: \"}\" is missing"},
        {"{udp.port)", "-Y: column 10: \")\" was not expected here"},
        {"(udp}", "-Y: column 5: \"}\" was not expected here"},
        {"len(bth", "-Y: column 8: the filter ends too early: \")\" is missing"},
        {"len(bth,", "-Y: column 9: the filter ends too early"},
        {"(", "-Y: column 2: the filter ends too early"},
        {"{", "-Y: column 2: the filter ends too early"},
        {"(bth.pns == 1", "-Y: column 2: no field \"bth.pns\"; nearest is \"infiniband.bth.psn\""},
        {"{udp.srcprt == 1", "-Y: column 13: \"==\" was not expected here"},
    };
    CHECK(rows);
}

/* Wireshark's form of an opcode's name is "service (abbreviation) - operation". */
Test(errors, names_of_opcodes)
{
    static const char *const names[] = {"Reliable Connection (RC) + SEND Only",
                                        "Reliable Connection (RC)--SEND Only",
                                        "Reliable Connection (RC) -SEND Only",
                                        "Reliable Connection (RC) -",
                                        "Reliable Connection (RC) - ",
                                        "Reliable Connection (RC) - SEND Onl",
                                        "Reliable Connection RC) - SEND Only",
                                        "Reliable Connection (RC - SEND Only",
                                        "Reliable Connection (UX) - SEND Only",
                                        "RC SEND Onl",
                                        "RC_SEND_ONLY_",
                                        ""};
    char text[128], message[256], err[256];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(text, sizeof text, "bth.opcode == \"%s\"", names[i]);
        (void)snprintf(message, sizeof message,
                       "-Y: column 15: \"%s\" is neither a number nor the name of a value of infiniband.bth.opcode",
                       names[i]);
        struct filter *f = filter_compile(text, err, sizeof err);
        cr_expect_null(f, "%s", names[i]);
        cr_expect_str_eq(err, message);
        filter_free(f);
    }
}

/* Which arithmetic the classes of values have: numbers all of it, times sums, addresses and bytes "&", text none. */
Test(errors, arithmetic_of_classes)
{
    static const struct row rows[] = {
        {"icrc.status & \"a\"", "-Y: column 13: there is no such arithmetic with text"},
        {"icrc.status & frame.file", "-Y: column 13: there is no such arithmetic with text"},
        {"frame.time_delta & 1", "-Y: column 18: there is no such arithmetic with a time in seconds"},
        {"frame.time_delta / 2", "-Y: column 18: there is no such arithmetic with a time in seconds"},
        {"frame.time_delta % 2", "-Y: column 18: there is no such arithmetic with a time in seconds"},
        {"ip.src + ip.dst", "-Y: column 8: there is no such arithmetic with an IPv4 address"},
        {"ipv6.src - ipv6.dst", "-Y: column 10: there is no such arithmetic with an IPv6 address"},
        {"eth.src * eth.dst", "-Y: column 9: there is no such arithmetic with a MAC address"},
        {"bth[0] + bth[1]", "-Y: column 8: there is no such arithmetic with bytes in hex"},
    };
    CHECK(rows);
}

/* Constants and slices that are only just wrong. */
Test(errors, edges_of_numbers)
{
    static const struct row rows[] = {
        {"reth.va == 18446744073709551616",
         "-Y: column 12: \"18446744073709551616\" is not a number, as needed for infiniband.reth.va"},
        {"ip.hdr_len == 61", "-Y: column 15: 61 is too big for ip.hdr_len, maximum 60"},
        {"bth[0] == g", "-Y: column 11: \"g\" is not bytes in hex"},
        {"udp.length == \"a b~\"", "-Y: column 15: \"a b~\" is not a number, as needed for udp.length"},
        {"udp.length == 0b", "-Y: column 15: \"0b\" is not a number, as needed for udp.length"},
        {"eth[2147483648]", "-Y: column 5: a slice is [i], [i:count], [i-last], [i:] or [:count]"},
        {"eth[-2147483648]", "-Y: column 5: a slice is [i], [i:count], [i-last], [i:] or [:count]"},
        {"eth[-]", "-Y: column 5: a slice is [i], [i:count], [i-last], [i:] or [:count]"},
        {"eth[-3-1]", "-Y: column 7: a slice from-to needs two offsets that ascend"},
        {"eth[3-2]", "-Y: column 6: a slice from-to needs two offsets that ascend"},
        {"eth[0:-1]", "-Y: column 6: a slice of no bytes"},
        {"eth[0;1]", "-Y: column 6: a slice ends with \"]\""},
        {"eth contains \"\\400\"", "-Y: column 15: unknown escape; a regular expression is easier as r\"...\""},
        {"eth contains \"\\8\"", "-Y: column 15: unknown escape; a regular expression is easier as r\"...\""},
        {"frame.time_epoch > \"2024-02-29\\0\"",
         "-Y: column 20: \"2024-02-29?\" is not a time in seconds, as needed for frame.time_epoch"},
        {"frame.time_epoch > -\"2024-02-29\"",
         "-Y: column 21: \"2024-02-29\" is not a time in seconds, as needed for frame.time_epoch"},
    };
    CHECK(rows);
}
