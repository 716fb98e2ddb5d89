/* SPDX-License-Identifier: BSD-2-Clause */
/* Many expressions, and which of the packets of packets.h each selects, or its error: fields of each type with each
 * operator and values of each form, and expressions with a slip in each place. drawn.golden has a digest for each field
 * and operator, and for each expression (test/golden.h says how to renew it). IBPROOF_VERBOSE=1 prints all of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "filter/filter.h"
#include "packets.h"
#include "test/golden.h"

enum { ROOM = 512 };
#define GOLDEN IBPROOF_SOURCE_DIR "/dissect/filter/test/drawn.golden"
#define N_OF(a) (sizeof(a) / sizeof *(a))

static const char *const fields[] = {
    "frame.time_epoch",
    "frame.time_relative",
    "frame.comment",
    "frame.file",
    "frame.protocols",
    "eth",
    "eth.src",
    "eth.addr",
    "ip",
    "ip.src",
    "ip.addr",
    "ip.ttl",
    "ip.flags.df",
    "ip.dsfield.dscp",
    "ipv6.src",
    "udp.port",
    "infiniband.bth.opcode",
    "infiniband.bth.psn",
    "infiniband.bth.a",
    "infiniband.reth",
    "infiniband.reth.va",
    "infiniband.aeth",
    "infiniband.aeth.syndrome",
    "infiniband.aeth.syndrome.error_code",
    "infiniband.payload",
    "infiniband.invariant.crc",
    "no.such.field",
};

/* Forms of expressions. %F stands for the field, %V for the value. */
static const char *const forms[] = {
    "%F == %V",
    "%F != %V",
    "%F === %V",
    "%F !== %V",
    "%F < %V",
    "%F <= %V",
    "%F > %V",
    "%F >= %V",
    "%F contains %V",
    "%F matches %V",
    "%F & %V",
    "%F in {%V}",
    "%F in {1, %V..200}",
    "%F in {0..%V, 4}",
    "!(%F == %V)",
    "all %F == %V",
    "any %F > %V",
    "%V <= %F",
    "len(%F) == %V",
    "count(%F) > %V",
    "max(%F, %V) == %F",
    "%F[0] == %V",
    "%F[1:2] == %V",
    "%F[-2:] contains %V",
    "%F & 0xf0 == %V",
    "%F + 1 == %V",
    "%F * 2 - %V > 10",
    "%F / %V == 1",
    "%F % 7 < %V",
    "%F && %V == %F",
    "%F xor ip.ttl > %V",
    "lower(%F) == %V",
    "upper(%F) matches %V",
    "string(%F) contains %V",
    "abs(%F - %V) < 3",
};

static const char *const values[] = {
    "0",
    "1",
    "2",
    "4",
    "5",
    "17",
    "0x11",
    "021",
    "0b101",
    "'a'",
    "'\\x04'",
    "62",
    "64",
    "74",
    "200",
    "4791",
    "65535",
    "1118481",
    "3000",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "0.5",
    "1.000963",
    "1709208001.5",
    "\"2024-02-29T12:00:01.5Z\"",
    "\"2024-02-29 12:00:02.5\"",
    "10.0.0.1",
    "10.0.0.0/8",
    "10.0.0.0/33",
    "10.0.0",
    "fe80::1",
    "fe80::/10",
    "fe80::/129",
    "52:54:00:00:00:01",
    "52:54",
    "52:54:00:00:00:01:02",
    "00",
    "\"no\"",
    "\"NO\"",
    "\"says.*\"",
    "r\"s\\w+\"",
    "\"(\"",
    "\"\"",
    "\"test.pcap\"",
    "eth",
    "true",
    "false",
    "True",
    "RC_SEND_ONLY",
    "RC_SEND_ONYL",
    "Invalid",
    "ip.ttl",
    "udp.port",
    "infiniband.bth.psn",
    "abc",
    "{1}",
    "1..5",
    "$x",
};

static const char *const whole[] = {
    "(infiniband.bth.opcode in {RC_SEND_FIRST..RC_SEND_ONLY, 0x11, 'a'} && !infiniband.aeth.msn !== 1) or ip.ttl == 64",
    "all udp.port > 1000 and eth.src[0:3,5,-2:1] == 52:54:00:01:00 || ip.src == 10.0.0.0/8 xor ipv6.dst == fe80::/10",
    "frame.comment matches r\"a\\\"b\" and frame.time_relative > -0.5 or frame.comment contains \"\\x41\\101\\n\"",
    "max(udp.port, 5) == len(infiniband.bth) or frame.time_epoch > \"2024-02-29T12:00:00.5Z\"",
    "upper(frame.file) == \"A\" and 1 < {udp.port - 4} * 2 < 70000 and not (bth.psn & 0xff) % 3 eq 1",
    "bth.psn bitwise_and 3 or bth.psn ge 0x10 and bth.psn lt 99 or bth.psn gt 4 and bth.psn le 9 and bth.psn ne 7",
    "ip.addr not in {10.0.0.1, 10.0.0.7..10.0.0.9} and eth.addr == 52-54-00-00-00-01 or ${x}",
    "any eth.src == 52.54.00.00.00.01 or reth.va >= 0x000055579ae59000 and not aeth or count(udp.port) == 2",
};

static uint64_t digest;

/* Adds to the digest which packets the expression selects, or its error message. */
static void note(const char *expression)
{
    char err[256] = "";
    struct filter *f = filter_compile(expression, err, sizeof err);
    unsigned got = 0;

    for (unsigned k = 0; f && k < PACKET_COUNT; k++)
        got = got * 10 + filter_match(f, test_packet((enum test_packet)k));
    filter_free(f);
    digest = golden_number(golden_text(digest, err), got);
    if (getenv("IBPROOF_VERBOSE"))
        printf("%s: %s%05u\n", expression, err, got);
}

static void fill(const char *form, const char *field, const char *value, char out[ROOM])
{
    size_t n = 0;

    for (; *form; form++) {
        const char *const part = form[0] == '%' && form[1] == 'F'   ? field
                                 : form[0] == '%' && form[1] == 'V' ? value
                                                                    : NULL;
        n += (size_t)snprintf(out + n, ROOM - n, "%.*s", part ? ROOM : 1, part ? part : form);
        form += part != NULL;
    }
}

static void line_of(struct golden *g, const char *what, const char *how)
{
    char line[ROOM];

    (void)snprintf(line, sizeof line, "%s | %s | %08x\n", what, how, golden_short(digest));
    golden_line(g, line);
    digest = GOLDEN_EMPTY;
}

/* Tries the text without byte `at`, with that byte twice, and with other bytes in its place. */
static void slips(const char *text, size_t at)
{
    static const char others[] = "a0(){}[]<>=!&|\".:,-+*/%'\\ $~^;_";
    char other[ROOM];

    (void)snprintf(other, sizeof other, "%.*s%s", (int)at, text, text + at + 1);
    note(other);
    (void)snprintf(other, sizeof other, "%.*s%c%s", (int)at, text, text[at], text + at);
    note(other);
    for (const char *c = others; *c; c++) {
        (void)snprintf(other, sizeof other, "%s", text);
        other[at] = *c;
        note(other);
    }
}

Test(drawn, each_field_with_each_operator_and_value)
{
    struct golden g = golden_open(GOLDEN);
    char expression[ROOM];

    setenv("TZ", "UTC", 1);
    digest = GOLDEN_EMPTY;
    for (size_t f = 0; f < N_OF(fields); f++)
        for (size_t o = 0; o < N_OF(forms); o++) {
            for (size_t v = 0; v < N_OF(values); v++) {
                fill(forms[o], fields[f], values[v], expression);
                note(expression);
            }
            line_of(&g, fields[f], forms[o]);
        }
    for (size_t i = 0; i < N_OF(whole); i++)
        for (size_t at = 0; whole[i][at]; at++) {
            slips(whole[i], at);
            if (at % 16 == 15 || !whole[i][at + 1])
                line_of(&g, "slips", whole[i] + at - at % 16);
        }
    golden_close(&g);
}
