/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of a filter: the last text, slice, word and call that it takes, and the first one that it refuses. Also that
 * it gives back its memory. */
#include <criterion/criterion.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "filter/filter.h"
#include "filter/node.h"
#include "packets.h"

/* The message of a text that is refused; "" when the filter takes it. The text is freed. */
static const char *said(char *text)
{
    static char err[512];

    err[0] = '\0';
    struct filter *f = filter_compile(text, err, sizeof err);
    cr_expect_eq(f == NULL, err[0] != '\0', "%.80s", text);
    filter_free(f);
    free(text);
    return err;
}

/* `n` times the character, between two texts. */
static char *of_length(const char *head, char c, size_t n, const char *tail)
{
    char *text = calloc(1, strlen(head) + n + strlen(tail) + 1);

    cr_assert(text);
    memset(stpcpy(text, head), c, n);
    (void)strcat(text, tail);
    return text;
}

Test(limits, length_of_a_filter)
{
    cr_expect_str_eq(said(of_length("udp", ' ', FILTER_MAX_TEXT - 3, "")), "");
    cr_expect_str_eq(said(of_length("udp", ' ', FILTER_MAX_TEXT - 2, "")),
                     "-Y: column 65537: the filter is longer than 65536 bytes");
}

/* Slices that are put together, and bytes that are calculated, have at most 256 bytes. */
Test(limits, slices)
{
    static const char together[] = "-Y: column 7: slices put together have at most 256 bytes",
                      no_and[] = "-Y: column 15: there is no such arithmetic with bytes in hex";
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"frame[0:128,0:128]", ""},
        {"frame[0:128,0:129]", together},
        {"frame[0:1,0:255]", ""},
        {"frame[0:1,2:]", together},
        {"frame[0:257]", ""},
        {"frame[0:256] & frame[0:256]", ""},
        {"frame[0:257] & frame[0:256]", ""},
        {"frame[0:256] & frame[0:257]", ""},
        {"frame[0:999] & frame[0:257]", "-Y: column 14: there is no such arithmetic with bytes in hex"},
        {"frame[0:2222] & frame", no_and},
        {"frame[0:] & frame[2:]", "-Y: column 11: there is no such arithmetic with bytes in hex"},
        {"frame[0:] & eth[0:6]", ""},
        {"frame & 01:02", ""},
        {"frame & eth.src", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(said(strdup(rows[i].text)), rows[i].message, "%s", rows[i].text);
}

/* A name has at most 127 characters. */
Test(limits, names)
{
    const char *const longest = said(of_length("a.", 'b', FILTER_MAX_WORD - 3, ""));
    cr_expect(strncmp(longest, "-Y: column 1: no field \"a.bbb", 28) == 0, "%s", longest);
    cr_expect_str_eq(said(of_length("a.", 'b', FILTER_MAX_WORD - 2, "")),
                     "-Y: column 1: no field has a name this long");
    cr_expect_str_eq(said(of_length("udp.port == a.", 'b', FILTER_MAX_WORD, "")),
                     "-Y: column 13: no field has a name this long");
}

/* Wireshark's form of an opcode's name has at most 127 characters; its first part is free. */
Test(limits, names_of_opcodes)
{
    static const char name[] = "(RC) - SEND Only\"";
    const size_t rest = sizeof name - 2;

    cr_expect_str_eq(said(of_length("bth.opcode == \"", 'a', FILTER_MAX_WORD - 1 - rest, name)), "");
    cr_expect(strstr(said(of_length("bth.opcode == \"", 'a', FILTER_MAX_WORD - rest, name)),
                     " is neither a number nor the name of a value of infiniband.bth.opcode"));
}

/* Messages show 64 characters of a word that was not expected, and 60 of a constant. */
Test(limits, words_in_messages)
{
    for (size_t n = 63; n <= 66; n++) {
        char want[256];
        (void)snprintf(want, sizeof want, "-Y: column 5: \"%.*s\" was not expected here", n < 64 ? (int)n : 64,
                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        cr_expect_str_eq(said(of_length("udp ", 'a', n, "")), want);
        (void)snprintf(want, sizeof want,
                       "-Y: column 1: no function \"%.*s\"; there are abs, count, len, lower, max, min, string, upper",
                       n < 64 ? (int)n : 64, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        cr_expect_str_eq(said(of_length("", 'a', n, "(udp) == 1")), want);
    }
    for (size_t n = 59; n <= 62; n++) {
        char want[256];
        (void)snprintf(want, sizeof want, "-Y: column 12: \"%.*s%s\" is not a MAC address, as needed for eth.src",
                       n < 60 ? (int)n : 60, "111111111111111111111111111111111111111111111111111111111111111",
                       n > 60 ? "..." : "");
        cr_expect_str_eq(said(of_length("eth.src == ", '1', n, "")), want);
    }
}

Test(limits, arguments_of_a_function)
{
    enum { MOST = 64 };

    for (unsigned n = MOST; n <= MOST + 1; n++) {
        char text[MOST * 16] = "max(udp.port";
        for (unsigned i = 1; i < n; i++)
            (void)strcat(text, ",udp.port");
        (void)strcat(text, ") == 1");
        cr_expect_str_eq(said(strdup(text)), n == MOST ? "" : "-Y: column 1: max() takes 64 arguments");
    }
}

/* Whether the filter selects a packet with this comment. */
static bool selects(const char *expression, const char *comment)
{
    struct cap_packet cap = *test_packet(PACKET_SEND)->cap;
    struct packet p = *test_packet(PACKET_SEND);
    char err[256];
    struct filter *f = filter_compile(expression, err, sizeof err);

    cr_assert(f, "%s", err);
    cap.comment = comment;
    p.cap = &cap;
    const bool matches = filter_match(f, &p);
    filter_free(f);
    return matches;
}

/* upper() and lower() take the first 1024 characters of a text. */
Test(limits, long_texts)
{
    for (size_t n = FILTER_CASE_TEXT - 1; n <= FILTER_CASE_TEXT + 1; n++) {
        char *comment = of_length("", 'a', n, ""),
             *filter = of_length("upper(frame.comment) == \"", 'A', n < FILTER_CASE_TEXT ? n : FILTER_CASE_TEXT, "\"");
        cr_expect(selects(filter, comment), "%zu characters", n);
        free(comment);
        free(filter);
    }
}

/* A regular expression that would try too many ways matches nothing, soon. */
Test(limits, regular_expressions_without_end)
{
    char *comment = of_length("", 'a', 64, "b");

    cr_expect_not(selects("frame.comment matches \"^(a|aa)+$\"", comment));
    cr_expect(selects("frame.comment matches \"^(a|aa)+b$\"", comment));
    free(comment);
}

/* ---- memory ---- */

static size_t allocated(void)
{
    const struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

/* The allocator keeps some freed blocks, so what is allocated may grow for some filters, but not for each of them. */
Test(limits, memory_is_given_back)
{
    static const char *const texts[] = {
        "udp",
        "udp.port == 4791 and not ip",
        "frame.comment matches \"a\" or eth matches \"b\"",
        "frame.comment matches \"a\" and frame.commnt matches \"b\"",
        "eth matches \"(a\"",
        "bth.psn in {1, 2, 3} && eth[0:2] contains \"ab\"",
        "",
        "udp.port = 5",
    };
    enum { LIVES = 16 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        unsigned grew = 0;
        for (unsigned life = 0; life < LIVES; life++) {
            char err[256];
            const size_t before = allocated();
            struct filter *f = filter_compile(texts[i], err, sizeof err);
            for (unsigned k = 0; f && k < PACKET_COUNT; k++)
                (void)filter_match(f, test_packet((enum test_packet)k));
            filter_free(f);
            grew += allocated() > before;
        }
        cr_expect_lt(grew, LIVES, "\"%s\" keeps memory", texts[i]);
    }
}
