/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of connection managers: where the tester puts each value, and which datagrams of the device a line takes.
 * Offsets are those of the specification's tables; they count from the start of the datagram, whose header has 24
 * bytes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"

enum { HEADER = 24, ALT_LOCAL_GID = 100, REQ_PRIVATE = 140, SIDR_PRIVATE = 16, REP_PRIVATE = 36, IP_HEADER = 36 };
#define TOLD "told" /* the user has an event */
#define CM CASE_HEAD("rc") "cm c\ncm d\n"

static struct {
    uint8_t sent[256]; /* the tester's last datagram */
    int byte;          /* of the device's first datagram: one that is changed; -1: none */
    bool waits;
} now;

static const uint8_t *datagram_in(const struct ibc_target *t, const uint8_t *frame, size_t len)
{
    struct iba_view v;

    return iba_view_parse(&v, t->framing, frame, (uint32_t)len, (uint32_t)len, NULL) == IBA_OK && v.payload_len == 256
               ? frame + v.payload_at
               : NULL;
}

static enum ibc_rc see(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    const uint8_t *mad = datagram_in(t, frame, len);

    if (mad)
        memcpy(now.sent, mad, sizeof now.sent);
    return whole->inject(t, d, frame, len);
}

static enum ibc_rc change(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                          uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);
    const uint8_t *mad = *len ? datagram_in(t, frame, *len) : NULL;
    struct iba_view v;

    if (!mad || !now.waits || now.byte < 0)
        return rc;
    now.waits = false;
    frame[mad - frame + now.byte] ^= 0x03;
    iba_view_parse(&v, t->framing, frame, (uint32_t)*len, (uint32_t)*len, NULL);
    iba_view_repair_crc(&v, frame);
    return rc;
}

static struct ibc_target *opened(uint64_t service)
{
    struct ibc_target *t = open_changed();

    changed.inject = see;
    changed.collect = change;
    t->cm_service = service;
    now.byte = -1;
    now.waits = true;
    memset(now.sent, 0, sizeof now.sent);
    return t;
}

static void play(struct ibc_target *t, enum ibc_link link, const char *text)
{
    struct ibc_result r = run_text(t, text, &(struct ibc_options){.seed = 1, .link = link, .stop_at_first = true});

    cr_expect_eq(r.verdict, IBC_IS_PASS, "%s: %s: %s", text, ibc_verdict_names[r.verdict], r.finding.got);
    ibc_free((struct ibc_scenario *)r.scenario);
    ibc_result_clear(&r);
}

static void end(struct ibc_target *t)
{
    t->ops = whole;
    ibc_target_close(t);
}

/* ---- the header of the RDMA IP CM service (A11.6) ---- */

static void put_address(uint8_t *out, enum ibc_link link, const struct ibc_address *a)
{
    memset(out, 0, 16);
    if (link == IBC_LINK_roce2_ipv4)
        for (unsigned i = 0; i < 4; i++)
            out[12 + i] = (uint8_t)(a->ipv4 >> (24 - 8 * i));
    else
        memcpy(out, link == IBC_LINK_roce2_ipv6 ? a->ipv6 : a->gid, 16);
}

static void check_header(const struct ibc_target *t, enum ibc_link link, unsigned at, unsigned port)
{
    uint8_t want[IP_HEADER] = {0, link == IBC_LINK_roce2_ipv4 ? 0x40 : 0x60, (uint8_t)(port >> 8), (uint8_t)port};

    put_address(want + 4, link, &t->tester);
    put_address(want + 20, link, &t->device[0]);
    cr_expect_arr_eq(now.sent + at, want, IP_HEADER, "link %u, offset %u, port %02x%02x", (unsigned)link, at,
                     now.sent[at + 2], now.sent[at + 3]);
}

static void check_bytes(unsigned at, const char *want, size_t n)
{
    cr_expect_arr_eq(now.sent + at, want, n, "offset %u: %02x %02x %02x %02x", at, now.sent[at], now.sent[at + 1],
                     now.sent[at + 2], now.sent[at + 3]);
}
#define BYTES(at, text) check_bytes((at), (text), sizeof(text) - 1)

/* The service ID 0x0000000001PPNNNN has the protocol (PP: TCP 6, UDP 17) and the port (NNNN; A11.4.1). The tester's
 * port for datagrams is 7174 plus the number of the object. Every scenario begins with three objects. */
Test(managers, of_the_ip_service)
{
    for (unsigned link = 0; link < IBC_LINK_COUNT; link++) {
        struct ibc_target *t = opened(0x0000000001061c06);
        play(t, (enum ibc_link)link, CM " c call listen\n> c REQ private=hex:abcd\n c " TOLD " REQ private=hex:abcd\n");
        BYTES(32, "\0\0\0\0\1\x06\x1c\x06");
        check_header(t, (enum ibc_link)link, HEADER + REQ_PRIVATE, 7174);
        BYTES(HEADER + REQ_PRIVATE + IP_HEADER, "\xab\xcd\0");
        /* other fields are where they always are */
        play(t, (enum ibc_link)link,
             CM " c call listen\n> c REQ alt_localgid=hex:0123456789 private=hex:abcd\n< c REJ\n");
        BYTES(HEADER + ALT_LOCAL_GID, "\x01\x23\x45\x67\x89\0");
        BYTES(HEADER + REQ_PRIVATE + IP_HEADER, "\xab\xcd\0");
        play(t, (enum ibc_link)link,
             CM " c call listen datagrams\n> c SIDR_REQ private=hex:0102\n c " TOLD " SIDR_REQ private=hex:0102\n");
        BYTES(32, "\0\0\0\0\1\x11\x1c\x06");
        check_header(t, (enum ibc_link)link, HEADER + SIDR_PRIVATE, 7177);
        BYTES(HEADER + SIDR_PRIVATE + IP_HEADER, "\x01\x02\0");
        play(t, (enum ibc_link)link, CM " d call listen datagrams\n> d SIDR_REQ\n d " TOLD " SIDR_REQ\n");
        check_header(t, (enum ibc_link)link, HEADER + SIDR_PRIVATE, 7178);
        play(t, (enum ibc_link)link, CM " c call resolve\n< c SIDR_REQ\n> c SIDR_REP private=hex:77\n");
        BYTES(36, "\0\0\0\0\1\x11\x1c\x06");
        BYTES(44, "\x01\x23\x45\x67");
        end(t);
    }
}

/* ---- without that service, the private data begin at once ---- */

Test(managers, of_any_other_service)
{
    struct ibc_target *t = opened(0);

    play(t, IBC_LINK_roce2_ipv4, CM " c call listen\n> c REQ private=hex:abcd\n c " TOLD " REQ private=hex:abcd\n");
    BYTES(0, "\x01\x07\x02\x03"); /* base version, class, class version, method Send */
    BYTES(16, "\x00\x10");        /* ConnectRequest */
    BYTES(32, "\x10\0\0\0\0\0\0\x42");
    BYTES(HEADER + REQ_PRIVATE, "\xab\xcd\0");
    play(t, IBC_LINK_roce2_ipv4, CM " c call resolve\n< c SIDR_REQ\n> c SIDR_REP private=hex:77\n");
    BYTES(16, "\x00\x18"); /* ServiceIDResolutionResponse */
    BYTES(36, "\x10\0\0\0\0\0\0\x42");
    BYTES(44, "\x11\x11\x11\x11");
    play(t, IBC_LINK_roce2_ipv4, CM " c call connect\n< c REQ\n> c REP private=hex:6789\n");
    BYTES(16, "\x00\x13"); /* ConnectReply */
    BYTES(HEADER + REP_PRIVATE, "\x67\x89\0");
    end(t);
}

/* ---- what a line takes ---- */

Test(managers, a_line_takes_its_message_only)
{
    static const struct {
        int byte;
        bool taken;
        const char *got;
    } rows[] = {
        {-1, true, ""},
        {0, false, "REQ of class 7 version 2, method 3"}, /* base version */
        {1, false, "REQ of class 4 version 2, method 3"},
        {2, false, "REQ of class 7 version 1, method 3"},
        {3, false, "REQ of class 7 version 2, method 0"},
        {17, false, NULL}, /* attribute */
        {23, true, ""},    /* the last byte of the modifier, which no line is about */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = opened(0);
        now.byte = rows[i].byte;
        struct ibc_result r =
            run_text(t, CM " c call connect\n< c REQ\n", &(struct ibc_options){.seed = 1, .stop_at_first = true});
        cr_expect_eq(r.verdict, rows[i].taken ? IBC_IS_PASS : IBC_IS_FAIL, "byte %d: %s, not %s", rows[i].byte,
                     r.finding.got, r.finding.expected);
        if (rows[i].got)
            cr_expect_str_eq(r.finding.got, rows[i].got, "byte %d: %s", rows[i].byte, r.finding.got);
        close_changed(t, &r);
    }
}

/* A field of bytes is as long as its pattern, and the bytes after the pattern are 0. The finding shows sixteen
 * bytes. Every connection has the same private data. */
Test(managers, private_data_that_differ)
{
    static const struct {
        uint64_t service;
        const char *line, *expected; /* NULL: they fit */
    } rows[] = {
        {0, "private=hex:abcd", NULL},
        {0, "private=hex:ab", "private ab"},
        {0, "private=hex:abcd01", "private abcd01"},
        {0, "private=!hex:abcd", "private not abcd"},
        {0, "private=!hex:abce", NULL},
        {0, "private=any", NULL},
        {0x0000000001061c06, "private=hex:abcd", NULL},
        {0x0000000001061c06, "private=hex:abce", "private abce"},
    };
    static const char got[] = "private abcd0000000000000000000000000000...";

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct ibc_target *t = opened(rows[i].service);
        snprintf(text, sizeof text, CM " c call connect private=hex:abcd\n< c REQ %s\n", rows[i].line);
        struct ibc_result r = run_text(t, text, &(struct ibc_options){.seed = 1, .stop_at_first = true});
        cr_expect_eq(r.verdict, rows[i].expected ? IBC_IS_FAIL : IBC_IS_PASS, "row %zu: %s: %s, not %s", i,
                     ibc_verdict_names[r.verdict], r.finding.got, r.finding.expected);
        if (rows[i].expected) {
            cr_expect_str_eq(r.finding.expected, rows[i].expected, "row %zu: %s", i, r.finding.expected);
            cr_expect_str_eq(r.finding.got, got, "row %zu: %s", i, r.finding.got);
        }
        close_changed(t, &r);
    }
}
