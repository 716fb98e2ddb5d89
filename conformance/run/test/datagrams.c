/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of a connection manager and of a switch's agent that equal what a line expects, except for one byte. Also
 * the attributes that a connection manager gives a queue pair: each with the right value, and with another one. */
#include "cases.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define P IBC_IS_PASS
#define F IBC_IS_FAIL

enum { NO_BYTE = -1 };
static int turned = NO_BYTE; /* this byte of the first datagram from the device,
                                its lowest bit */
static bool waits;

static void turn(const struct ibc_target *t, uint8_t *frame, size_t len)
{
    struct iba_view v;

    if (len == 0 || !waits || turned == NO_BYTE)
        return;
    waits = false;
    cr_assert_eq(iba_view_parse(&v, t->framing, frame, len, len, NULL), IBA_OK);
    frame[v.payload_at + (unsigned)turned] ^= 1;
    iba_view_repair_crc(&v, frame);
}

static enum ibc_rc collect_turned(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                  size_t *len, uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);

    turn(t, frame, *len);
    return rc;
}

static enum ibc_rc collect_any_turned(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                                      uint64_t *at, unsigned *from)
{
    const enum ibc_rc rc = whole->collect_any(t, until, frame, len, at, from);

    turn(t, frame, *len);
    return rc;
}

static bool begins(const char *want, const char *is)
{
    return !want || strncmp(want, is, strlen(want)) == 0;
}

static void check(enum ibc_link link, const char *text, int byte, enum ibc_verdict verdict, const char *expected,
                  const char *got)
{
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.collect = collect_turned;
    changed.collect_any = collect_any_turned;
    turned = byte;
    waits = true;
    r = run_text(t, text, &(struct ibc_options){.seed = 1, .link = link, .stop_at_first = true});
    cr_expect(r.verdict == verdict && begins(expected, r.finding.expected) && begins(got, r.finding.got),
              "byte %d: %s\n  expected: %s\n  got: %s\n%s", byte, ibc_verdict_names[r.verdict], r.finding.expected,
              r.finding.got, text);
    close_changed(t, &r);
}

struct row {
    int byte;
    enum ibc_verdict verdict;
    const char *expected, *got; /* their beginnings */
};

#define CM "title t\nspec RR-03\nrole both\nservice rc\nneeds cm cm_fields\ncm c\n"
#define ASKS                                                                                                           \
    CM " c call connect psn=0x123456 responderres=3 initdepth=5 retrcount=6 "                                          \
       "prim_localacktout=13 pppmtu=4\n< c REQ"
#define OTHER_HEADER "REQ of class 7 version 2, method Send"

Test(datagrams, of_a_connection_manager)
{
    static const struct row rows[] = {
        {NO_BYTE, P, "", ""},
        {0, F, OTHER_HEADER, "REQ of class 7 version 2, method 3"}, /* base version */
        {1, F, NULL, NULL},                                         /* class */
        {2, F, OTHER_HEADER, "REQ of class 7 version 3, method 3"},
        {3, F, OTHER_HEADER, "REQ of class 7 version 2, method 2"},
        {15, P, "", ""}, /* transaction */
        {16, F, OTHER_HEADER, NULL},
        {17, F, OTHER_HEADER, NULL},
        {21, P, "", ""}, /* attribute modifier */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(IBC_LINK_roce2_ipv4, ASKS "\n", rows[i].byte, rows[i].verdict, rows[i].expected, rows[i].got);
}

Test(datagrams, with_fields)
{
    static const struct {
        const char *name;
        unsigned value;
    } fields[] = {{"psn", 0x123456},         {"responderres", 3}, {"initdepth", 5},   {"retrcount", 6},
                  {"prim_localacktout", 13}, {"pppmtu", 4},       {"maxcmretr", 2},   {"rnrretrcount", 7},
                  {"pkey", 0xffff},          {"prim_hoplim", 64}, {"prim_pktrate", 3}};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char text[512];
        snprintf(text, sizeof text, ASKS " %s=%u\n", fields[i].name, fields[i].value);
        check(IBC_LINK_roce2_ipv4, text, NO_BYTE, P, "", "");
        snprintf(text, sizeof text, ASKS " %s=%u\n", fields[i].name, fields[i].value ^ 1);
        check(IBC_LINK_roce2_ipv4, text, NO_BYTE, F, NULL, NULL);
        snprintf(text, sizeof text, ASKS " %s=!%u\n", fields[i].name, fields[i].value);
        check(IBC_LINK_roce2_ipv4, text, NO_BYTE, F, NULL, NULL);
    }
}

/* Fields of the packet's headers, the time, and fields of the message are compared on one line, each with its own
 * place. */
Test(datagrams, beside_fields_of_headers)
{
    static const struct {
        const char *line;
        enum ibc_verdict verdict;
        const char *expected, *got;
    } rows[] = {
        {" bth.destqp=1 deth.srcqp=1 psn=0x123456", P, "", ""},
        {" bth.destqp=1 within=1s psn=0x123456", P, "", ""},
        {" bth.destqp=2 psn=0x123456", F, "bth.destqp 0x000002", "bth.destqp 0x000001"},
        {" bth.destqp=1 psn=0x123457", F, "startpsn 1193047", "startpsn 1193046"},
        {" deth.srcqp=!1 psn=0x123456", F, "deth.srcqp not ", "deth.srcqp "},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, ASKS "%s\n", rows[i].line);
        check(IBC_LINK_roce2_ipv4, text, NO_BYTE, rows[i].verdict, rows[i].expected, rows[i].got);
    }
}

Test(datagrams, give_attributes)
{
    static const struct {
        const char *state, *name;
        unsigned value;
    } given[] = {{"rtr", "epsn", 0x123456}, {"rtr", "qpn", 0xabcd},   {"rtr", "pmtu", 2048},
                 {"rtr", "dest_rd", 1},     {"rts", "psn", 0x654321}, {"rts", "timeout", 13},
                 {"rts", "retry", 6},       {"rts", "rnr_retry", 2},  {"rts", "rd", 2}};

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        for (unsigned other = 0; other < 2; other++) {
            char text[768], expected[64], got[64];
            const unsigned value = given[i].value + other * given[i].value;
            snprintf(text, sizeof text,
                     ASKS "\n> c REP psn=0x654321 localqpn=0x00abcd respres=2 initdepth=1 "
                          "rnrretrcount=2 tgtackdelay=5\n"
                          " c gives %s %s=%u\n c call confirm\n< c RTU\n",
                     given[i].state, given[i].name, value);
            snprintf(expected, sizeof expected, "%s 0x%x", given[i].name, value);
            snprintf(got, sizeof got, "%s 0x%x", given[i].name, given[i].value);
            check(IBC_LINK_roce2_ipv4, text, NO_BYTE, other ? F : P, other ? expected : "", other ? got : "");
        }
}

#define SWITCH "title a test\nspec KM-16\nrole fabric\nswitch s ports=3\n"

Test(datagrams, of_an_agent)
{
    static const struct row rows[] = {
        {NO_BYTE, P, "", ""},
        {3, F, "method 0x81", "method 0x80"},
        {5, F, "status 0x0", "status 0x1"},
        {15, F, "tid ", "tid "},
        {16, F, "attribute 0x11", "attribute 0x111"},
        {17, F, "attribute 0x11", "attribute 0x10"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(IBC_LINK_ib_local, SWITCH "> s.1 GET NodeInfo\n< s.1 GET_RESP NodeInfo\n", rows[i].byte, rows[i].verdict,
              rows[i].expected, rows[i].got);
}
