/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet from its datagrams, built byte by byte: an adapter asks by its port 1; its cable leads to port 2 of switch
 * S, whose port 3 leads to port 4 of switch T. Interface 1 has what S sends to the adapter, 2 what T sends to S, 3 what
 * S sends to T, and 9 what the adapter sends. */
#ifndef TRACK_TEST_SUBNET_H
#define TRACK_TEST_SUBNET_H
#include "track/fabric.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "mad/iba_mad.h"

enum { LRH = 8, BTH = 12, DETH = 8, MAD_AT = LRH + BTH + DETH, BYTES = MAD_AT + IBA_MAD_BYTES + 4 + 2 };
enum { GET = 1, SET = 2, GET_RESP = 0x81, BY_LID = 0x01, S = 0xaaaa, T = 0xbbbb };
enum { NODE_DESCRIPTION = 0x10, NODE_INFO = 0x11 };
/* Offsets of a datagram on a directed route (14.2.1.2) */
enum { STATUS = 4, POINTER = 6, HOPS = 7, M_KEY = 24, DR_SLID = 32, DR_DLID = 34, DATA = 64, OUT = 128, IN = 192 };

static struct fabric *f;
static uint8_t frame[BYTES], *const mad = frame + MAD_AT;
static struct cap_packet cap;
static struct packet packet;

static inline void begin(void)
{
    f = calloc(1, sizeof *f);
    cr_assert_not_null(f);
    packet = (struct packet){.cap = &cap};
}

static inline void end(void)
{
    free(f);
}

static inline void put(uint8_t *at, unsigned bytes, uint64_t v)
{
    iba_bits_put(at, 0, bytes * 8, v);
}

/* Feeds a datagram on the directed route over both switches, or to S alone. An answer has the D bit. */
static inline void datagram(uint8_t method, uint16_t attribute, unsigned hops)
{
    memset(frame, 0, sizeof frame);
    frame[0] = 0xf0; /* lane 15 */
    frame[1] = 2;    /* a BTH follows */
    put(frame + 4, 2, (BYTES - 2) / 4);
    frame[LRH] = 0x64; /* SEND only of a datagram */
    put(frame + LRH + 2, 2, 0xffff);
    mad[0] = 1;
    mad[1] = IBA_CLASS_DIRECTED;
    mad[2] = 1;
    mad[3] = method;
    mad[STATUS] = method == GET_RESP ? 0x80 : 0;
    mad[POINTER] = mad[HOPS] = (uint8_t)hops;
    put(mad + 16, 2, attribute);
    put(mad + DR_SLID, 4, 0xffffffff);
    mad[OUT + 1] = 1;
    mad[IN + 1] = 2;
    if (hops > 1) {
        mad[OUT + 2] = 3;
        mad[IN + 2] = 4;
    }
}

static inline void takes(uint32_t iface)
{
    cap = (struct cap_packet){.data = frame, .caplen = BYTES, .len = BYTES, .iface = iface};
    packet.number++;
    cr_assert_eq(iba_view_parse(&packet.view, IBA_LINK_IB, frame, BYTES, BYTES, NULL), IBA_OK);
    fabric_packet(f, &packet);
}

static inline void node(unsigned hops, uint64_t guid, uint8_t port)
{
    datagram(GET_RESP, NODE_INFO, hops);
    iba_nodeinfo_set_nodetype(mad + DATA, FABRIC_SWITCH);
    iba_nodeinfo_set_numports(mad + DATA, 8);
    iba_nodeinfo_set_nodeguid(mad + DATA, guid);
    iba_nodeinfo_set_localportnum(mad + DATA, port);
    mad[IN + hops] = port;
}

static inline void both_switches(void)
{
    node(1, S, 2);
    takes(1);
    node(2, T, 4);
    takes(2);
}

enum { NODE_S, NODE_T }; /* their indices */

static inline const struct fabric_port *port(uint16_t of, uint8_t number)
{
    const struct fabric_port *p = fabric_find_port(f, of, number);

    cr_assert_not_null(p, "node %u, port %u", of, number);
    return p;
}
static inline const struct fabric_port *peer(uint16_t of, uint8_t number)
{
    const uint16_t i = port(of, number)->peer;

    return i ? &f->port[i - 1] : NULL;
}
static inline const struct fabric_sender *interface(uint32_t iface)
{
    cap.iface = iface;
    return fabric_sender(f, &packet);
}

/* Begins with both switches, and with interface 3. */
static inline void begin_tables(void)
{
    begin();
    both_switches();
    datagram(GET, NODE_INFO, 2);
    takes(3);
}
#endif
