/* SPDX-License-Identifier: BSD-2-Clause */
/* No text crashes the compiler, and no compiled filter crashes on a packet. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "filter/filter.h"
#include "field/field.h"
#include "packets.h"

enum { SOUPS = 100000, MAX_SOUP = 24 };

/* Compiles the text and, if that succeeds, matches every packet with the filter. Returns whether the text compiled. */
static bool try(const char *text)
{
    char err[256] = "";
    struct filter *f = filter_compile(text, err, sizeof err);
    bool any = false;

    if (!f) {
        cr_assert(strncmp(err, "-Y: column ", 11) == 0, "%s: %s", text, err);
        return false;
    }
    for (unsigned k = 0; k < PACKET_COUNT; k++)
        any |= filter_match(f, test_packet((enum test_packet)k));
    filter_free(f);
    (void)any;
    return true;
}

static const char long_one[] =
    "(infiniband.bth.opcode in {RC_SEND_FIRST..RC_SEND_ONLY, 0x11, 'a'} && !infiniband.aeth.msn !== 1) or "
    "all udp.port > 1000 and eth.src[0:3,5,-2:1] == 52:54:00:01:00 || ip.src == 10.0.0.0/8 xor ipv6.dst == fe80::/10 "
    "and infiniband.bth.opcode & 0x1f == 4 or frame.comment matches r\"a\\\"b\" and frame.time_relative > -0.5 or "
    "frame.comment contains \"\\x41\\101\\n\" or max(udp.port, 5) == len(infiniband.bth) or "
    "frame.time_epoch > \"2024-02-29T12:00:00.5Z\" or upper(frame.file) == \"A\" and 1 < {udp.port - 4} * 2 < 70000";

Test(robust, every_prefix)
{
    char text[sizeof long_one];
    unsigned good = 0;

    cr_assert(try(long_one));
    for (size_t n = 0; n < sizeof long_one; n++) {
        memcpy(text, long_one, n);
        text[n] = '\0';
        good += try(text);
    }
    cr_expect(good > 20 && good < sizeof long_one / 2, "%u prefixes compiled", good);
}

Test(robust, every_byte_changed)
{
    char text[sizeof long_one];

    for (size_t n = 0; n + 1 < sizeof long_one; n++)
        for (unsigned c = 1; c < 256; c += 7) {
            memcpy(text, long_one, sizeof text);
            text[n] = (char)c;
            (void)try(text);
        }
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

/* clang-format off */
static const char *const tokens[] = {
    "udp.port", "eth.src", "ip.src", "ipv6.dst", "infiniband.bth", "bth.opcode", "aeth", "bth.a", "frame.comment",
    "frame.time_relative", "infiniband", "vlan.id", "eth.addr", "frame.file", "==", "!=", "===", "!==", "<", "<=",
    ">", ">=", "contains", "matches", "in", "not", "!", "&&", "or", "xor", "(", ")", "{", "}", "[0]", "[0:2]",
    "[-1:1,2]", "[", "]", "..", ",", "&", "+", "-", "*", "/", "%", "4", "0x11", "4791", "52:54:00:00:00:01",
    "10.0.0.0/8", "fe80::/10", "\"a\"", "'a'", "r\"a.*\"", "RC_SEND_ONLY", "true", "0.5", "2024-02-29", "len(",
    "count(", "max(", "min(", "abs(", "string(", "upper(", "any", "all", "nonsense", "\"", "#",
};
/* clang-format on */

Test(robust, token_soup)
{
    uint64_t seed = 0x9e3779b97f4a7c15;
    unsigned good = 0;

    for (unsigned i = 0; i < SOUPS; i++) {
        char text[1024] = "";
        const unsigned n = 1 + (unsigned)(next(&seed) % MAX_SOUP);
        for (unsigned k = 0; k < n; k++) {
            strcat(text, tokens[next(&seed) % (sizeof tokens / sizeof *tokens)]);
            strcat(text, " ");
        }
        good += try(text);
    }
    cr_expect(good > 200, "only %u soups compiled", good);
}

/* clang-format off */
static const char *const values[] = {
    "udp.port", "udp.srcport", "eth.src", "eth.addr", "ip.src", "ip.addr[1]", "ipv6.dst", "bth", "bth[0]",
    "bth[2,4-5]", "eth.src[0,5]", "ipv6.src[4:]", "{bth.opcode & 7}", "bth.a", "frame.comment", "upper(frame.file)",
    "lower(frame.comment)", "frame.time_relative", "-frame.time_delta", "max(eth.addr)", "min(udp.port, 7)",
    "max(ipv6.addr)", "max(frame.comment)", "len(bth)", "count(ip.addr)", "abs(bth.psn - 7)", "5", "00:01", "\"a\"",
    "1.5", "{ip.src & 1.2.3.4}", "{ipv6.src & ::1}[15]", "{bth & ff:ff}", "infiniband", "infiniband.payload",
};
/* clang-format on */

/* Random texts of the form operand (op operand)*, most of which compile. */
Test(robust, comparison_soup)
{
    static const char *const ops[] = {"==", "!=", "===", "!==", "<",    "<=",       ">",  ">=", "contains",
                                      "&",  "+",  "-",   "%",   "in {", "not in {", "&&", "||", "xor"};
    uint64_t seed = 88172645463325252;
    unsigned good = 0;

    for (unsigned i = 0; i < SOUPS / 2; i++) {
        char text[512] = "";
        const unsigned n = 1 + (unsigned)(next(&seed) % 3);
        strcat(text, values[next(&seed) % (sizeof values / sizeof *values)]);
        for (unsigned k = 0; k < n; k++) {
            const char *op = ops[next(&seed) % (sizeof ops / sizeof *ops)];
            strcat(strcat(strcat(text, " "), op), " ");
            strcat(text, values[next(&seed) % (sizeof values / sizeof *values)]);
            if (strchr(op, '{'))
                strcat(text, next(&seed) & 1 ? "}" : " .. 9}");
        }
        good += try(text);
    }
    cr_expect(good > SOUPS / 20, "only %u soups compiled", good);
}

/* Returns `head` n times, `core`, then `tail` n times. The caller frees the text. */
static char *nested(const char *head, const char *core, const char *tail, size_t n)
{
    char *text = malloc(n * (strlen(head) + strlen(tail)) + strlen(core) + 1), *at = text;

    cr_assert(text);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, head);
    at = stpcpy(at, core);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, tail);
    return text;
}

static bool try_nested(const char *head, const char *core, const char *tail, size_t n)
{
    char *text = nested(head, core, tail, n);
    const bool good = try(text);

    free(text);
    return good;
}

Test(robust, depth_is_limited)
{
    static const char *const forms[][3] = {
        {"(", "udp", ")"},     {"!", "udp", ""},         {"not ", "udp", ""},       {"{", "udp.port", "}"},
        {"-", "udp.port", ""}, {"(udp or ", "udp", ")"}, {"abs(", "udp.port", ")"}, {"", "udp.port", " + 1"},
        {"", "bth", "[0:1]"},  {"1 + ", "udp.port", ""}, {"!(", "udp", ")"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (size_t n = 40; n < 30000; n = n * 3 + 100)
            (void)try_nested(forms[i][0], forms[i][1], forms[i][2], n);
    }
    cr_expect(try_nested("(", "udp", ")", 40));
    cr_expect(!try_nested("(", "udp", ")", 70));
    cr_expect(try_nested("!", "udp", "", 60));
    cr_expect(!try_nested("!", "udp", "", 70));
    cr_expect(try_nested("1 + ", "udp.port", "", 60));
    cr_expect(!try_nested("1 + ", "udp.port", "", 70));
    cr_expect(!try_nested("abs(", "udp.port", ")", 70));
}

Test(robust, breadth_is_not_depth)
{
    cr_expect(try_nested("udp.port == 5 or ", "udp", "", 1000));
    cr_expect(try_nested("udp.port == 4791 and ", "udp", "", 1000));
    cr_expect(try_nested("udp xor ", "udp", "", 2000));
    cr_expect(try_nested("udp.port < ", "udp.port", "", 1000));
    cr_expect(!try_nested("udp or ", "udp", "", 9000)); /* too many terms */
}

Test(robust, long_text)
{
    char err[256] = "";
    char *text = nested(" ", "udp", "", 64 * 1024 - 3);

    cr_expect(try(text));
    free(text);
    text = nested(" ", "udp", "", 64 * 1024);
    cr_expect(!filter_compile(text, err, sizeof err));
    cr_expect(strcmp(err, "-Y: column 65537: the filter is longer than 65536 bytes") == 0, "%s", err);
    free(text);
    text = nested("a", "", "", 60000);
    cr_expect(!try(text));
    free(text);
    text = nested("1", " == udp.port", "", 60000);
    cr_expect(!try(text));
    free(text);
}

static struct filter *filter_of(const struct field *f)
{
    char text[512], err[256] = "";

    (void)snprintf(text, sizeof text, "%s or %s == %s or count(%s) == 9", f->name, f->name, f->name, f->name);
    struct filter *filter = filter_compile(text, err, sizeof err);
    cr_assert(filter, "%s: %s", text, err);
    return filter;
}

/* Every field, whether the packet has it or not: alone, and compared with itself; on every packet, and on every prefix
 * of a packet. */
Test(robust, every_field)
{
    static uint8_t room[128];
    size_t n;
    const struct field *f = field_all(&n);
    struct filter **filter = calloc(n, sizeof(struct filter *));

    for (size_t i = 0; i < n; i++)
        filter[i] = filter_of(&f[i]);
    for (unsigned k = 0; k < PACKET_COUNT; k++) {
        struct packet p = *test_packet((enum test_packet)k);
        struct cap_packet cap = *p.cap;
        p.cap = &cap;
        memcpy(room, cap.data, cap.caplen);
        for (uint32_t len = cap.len; len > 0; len -= len > 60 ? 1 : 7 < len ? 7 : len) {
            cap.caplen = len;
            (void)iba_view_parse(&p.view, IBA_LINK_ETHERNET, room, len, cap.len, NULL);
            iba_view_check(&p.view);
            for (size_t i = 0; i < n; i++)
                (void)filter_match(filter[i], &p);
        }
    }
    for (size_t i = 0; i < n; i++)
        filter_free(filter[i]);
    free(filter);
}

Test(robust, free_nothing)
{
    filter_free(NULL);
}
