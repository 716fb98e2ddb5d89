/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of management agents: where they are in a packet, how they are shown, and for which no line waits. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "player.h"

enum { GET = 1, SET = 2, TRAP = 5, GET_RESP = 0x81, NODE_INFO = 0x11, PORT_INFO = 0x15 };

static uint8_t mad[IBA_MAD_BYTES], wires[3][IBA_MGMT_BYTES]; /* a packet to each of the queue pairs 0 to 2 */

TestSuite(smp, .init = player_begin, .fini = player_end);

/* Makes the packet that carries `mad` to queue pair `qp` (0 or 1: to an agent). It lasts until the next one there. */
static void packet(struct run_packet *k, unsigned qp)
{
    const struct iba_mgmt_to to = {.dlid = 2, .slid = 1, .dqp = qp, .sqp = qp, .pkey = 0xffff};
    uint8_t *const wire = wires[qp];
    const size_t n = iba_mgmt_build(wire, &to, qp ? 0 : IBA_VL15, mad);

    memset(k, 0, sizeof *k);
    k->frame = wire;
    k->len = (uint32_t)n;
    cr_assert_eq(iba_view_parse(&k->view, IBA_LINK_IB, wire, n, n, NULL), IBA_OK);
}

static void datagram(uint8_t class, uint8_t method, uint16_t attribute)
{
    memset(mad, 0, sizeof mad);
    mad[0] = 1;
    mad[1] = class;
    mad[2] = 1;
    mad[3] = method;
    mad[16] = (uint8_t)(attribute >> 8);
    mad[17] = (uint8_t)attribute;
}

/* ---- for people ---- */

/* Bit 15 of the status says in which direction a directed packet goes (14.2.1.2), so that it is no status. */
Test(smp, statuses)
{
    static const struct {
        uint8_t high, low;
        unsigned is;
    } rows[] = {{0, 0, 0},          {0, 0x1c, 0x1c},      {0x12, 0x34, 0x1234}, {0x80, 0, 0},
                {0x80, 0xff, 0xff}, {0x7f, 0xff, 0x7fff}, {0xff, 0, 0x7f00},    {0x01, 0, 0x100}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        datagram(IBA_CLASS_DIRECTED, GET_RESP, NODE_INFO);
        mad[4] = rows[i].high;
        mad[5] = rows[i].low;
        mad[3] = mad[6] = 0xff;
        cr_expect_eq(run_smp_status(mad), rows[i].is, "row %zu: 0x%x", i, run_smp_status(mad));
    }
}

Test(smp, texts)
{
    static const struct {
        uint8_t class, method;
        uint16_t attribute;
        const char *text; /* NULL: the packet is shown by others */
    } rows[] = {
        {IBA_CLASS_DIRECTED, 0x01, 0x11, "GET NodeInfo tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_DIRECTED, 0x02, 0x15, "SET PortInfo tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_DIRECTED, 0x81, 0x10, "GET_RESP NodeDescription tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_DIRECTED, 0x05, 0x02, "TRAP Notice tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_DIRECTED, 0x07, 0x02, "TRAP_REPRESS Notice tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_SA, 0x15, 0x38, "DELETE MCMemberRecord tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_SA, 0x95, 0x38, "DELETE_RESP MCMemberRecord tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_PERF, 0x01, 0x12, "GET PortCounters tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_PERF, 0x00, 0x12, "0x00 PortCounters tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_PERF, 0x9f, 0x12, "0x9f PortCounters tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_PERF, 0x01, 0x00, "GET unknown attribute tid 0x102030405060708 status 0x203"},
        {IBA_CLASS_CM, 0x03, 0x10, NULL}, /* of a connection manager */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_packet k;
        char text[RUN_TEXT] = "untouched", few[10] = "";
        datagram(rows[i].class, rows[i].method, rows[i].attribute);
        mad[4] = 2;
        mad[5] = 3;
        for (uint8_t b = 0; b < 8; b++)
            mad[8 + b] = (uint8_t)(b + 1);
        packet(&k, rows[i].class != IBA_CLASS_DIRECTED);
        cr_expect_eq(run_smp_show(&k.view, text, sizeof text), rows[i].text != NULL, "row %zu", i);
        cr_expect_str_eq(text, rows[i].text ? rows[i].text : "untouched", "row %zu: %s", i, text);
        cr_expect(!rows[i].text || (run_smp_show(&k.view, few, sizeof few) && strlen(few) == sizeof few - 1));
    }
}

/* A datagram is the whole payload of 256 bytes of a packet to QP0 or QP1. */
Test(smp, packets_without_datagrams)
{
    struct run_packet k;
    char text[RUN_TEXT];

    datagram(IBA_CLASS_DIRECTED, GET, NODE_INFO);
    packet(&k, 0);
    cr_expect(run_smp_in(&k) && memcmp(run_smp_in(&k), mad, sizeof mad) == 0);
    for (int more = -1; more <= 1; more += 2) {
        struct run_packet other = k;
        other.view.payload_len += (uint32_t)more;
        cr_expect_null(run_smp_in(&other));
        cr_expect_not(run_smp_show(&other.view, text, sizeof text));
    }
    packet(&k, 1);
    cr_expect(run_smp_in(&k) != NULL);
    packet(&k, 2);
    cr_expect_null(run_smp_in(&k));
    cr_expect_not(run_smp_show(&k.view, text, sizeof text));
}

/* ---- for whom no line waits ---- */

Test(smp, packets_that_pass)
{
    enum { WIRE = 2 };
    static const struct {
        uint8_t kind, method, end;
        const char *message; /* NULL: the line is about another packet */
        bool waits;          /* for GET_RESP of NodeInfo from end 7 */
    } rows[] = {
        {IBC_S_expect, GET_RESP, 7, "NodeInfo", true},  {IBC_S_gets, GET_RESP, 7, "NodeInfo", true},
        {IBC_S_send, GET_RESP, 7, "NodeInfo", false},   {IBC_S_set, GET_RESP, 7, "NodeInfo", false},
        {IBC_S_expect, GET, 7, "NodeInfo", false},      {IBC_S_expect, GET_RESP, 7, "PortInfo", false},
        {IBC_S_expect, SET, 7, "PortInfo", false},      {IBC_S_expect, GET_RESP, 6, "NodeInfo", false},
        {IBC_S_expect, GET_RESP, 8, "NodeInfo", false}, {IBC_S_expect, GET_RESP, 7, NULL, false},
    };
    struct ibc_step steps[3] = {{.kind = IBC_S_wait}, {.kind = IBC_S_wait}, {.kind = IBC_S_wait}};
    struct ibc_play play = {.step = steps};
    struct run_packet k, data;

    p->play = &play;
    datagram(IBA_CLASS_DIRECTED, GET_RESP, NODE_INFO);
    packet(&data, 2);
    packet(&k, 0);
    k.device = data.device = 7;
    cr_expect(run_is_passing(p, &k), "no line");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned at = 0; at < 3; at++) {
            memset(steps, 0, sizeof steps);
            for (unsigned n = 0; n < 3; n++)
                steps[n].kind = IBC_S_wait;
            steps[at] = (struct ibc_step){.kind = rows[i].kind,
                                          .method = rows[i].method,
                                          .object = WIRE,
                                          .message = rows[i].message ? ibc_smp_find(rows[i].message) : 0};
            p->live[WIRE].id[0] = rows[i].end;
            for (play.n_step = 0; play.n_step <= 3; play.n_step++) {
                const bool there = play.n_step > at;
                cr_expect_eq(run_is_passing(p, &k), !(there && rows[i].waits), "row %zu, line %u of %u", i, at,
                             play.n_step);
                cr_expect_eq(run_is_passing(p, &data), !(there && !rows[i].message), "row %zu, data", i);
            }
            play.n_step = 0;
        }
}

/* ---- lanes ---- */

/* On a cable, SMPs to QP0 have lane 15 and other datagrams never have it (7.6.4). Between a node and its own software,
 * at its port 0, no lane counts. */
Test(smp, lanes)
{
    enum { WIRE = 2, LANES = 16 };
    struct ibc_step s = {.kind = IBC_S_expect, .method = GET_RESP, .object = WIRE, .message = ibc_smp_find("NodeInfo")};
    struct ibc_play play = {.step = &s, .n_step = 1};
    struct run_difference d;
    struct run_packet k;

    p->play = &play;
    datagram(IBA_CLASS_DIRECTED, GET_RESP, NODE_INFO);
    for (unsigned qp = 0; qp < 2; qp++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned port = 0; port < 3; port++) {
                packet(&k, qp);
                iba_lrh_set_vl(wires[qp], lane);
                p->live[WIRE].port = (uint8_t)port;
                const bool fits = port == 0 || (lane == 15) == (qp == 0);
                cr_expect_eq(run_smp_matches(p, &s, &k, &d), fits, "QP%u, lane %u, port %u", qp, lane, port);
                cr_expect(fits || strcmp(d.expected, qp ? "lrh.vl 0x0" : "lrh.vl 0xf") == 0, "%s", d.expected);
            }
}
