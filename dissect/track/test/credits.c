/* SPDX-License-Identifier: BSD-2-Clause */
/* Credits of lanes as flow-control packets show them, and the bounds of the tables of a subnet. */
#include "subnet.h"

/* ---- credits (7.9) ---- */

enum { INIT = 1, RESERVED_OP = 2 };

/* Feeds a flow-control packet: what the port has sent (FCTBS), and how far its neighbour may go (FCCL). */
static void flow(uint32_t iface, unsigned op, unsigned vl, unsigned sent, unsigned limit)
{
    memset(frame, 0, 6);
    put(frame, 4, (uint64_t)op << 28 | sent << 16 | vl << 12 | limit);
    put(frame + 4, 2, 0);
    cap = (struct cap_packet){.data = frame, .caplen = 6, .len = 6, .iface = iface};
    packet.number++;
    cr_assert_eq(iba_view_parse(&packet.view, IBA_LINK_IB, frame, 6, 6, NULL), IBA_OK);
    fabric_packet(f, &packet);
}

/* Feeds a raw packet of that many bytes, with its CRC. */
static void data(uint32_t iface, unsigned vl, unsigned bytes)
{
    static uint8_t raw[4096];

    memset(raw, 0, sizeof raw);
    raw[0] = (uint8_t)(vl << 4);
    put(raw + 4, 2, (bytes - 2) / 4);
    cap = (struct cap_packet){.data = raw, .caplen = bytes, .len = bytes, .iface = iface};
    packet.number++;
    cr_assert_eq(iba_view_parse(&packet.view, IBA_LINK_IB, raw, bytes, bytes, NULL), IBA_OK);
    fabric_packet(f, &packet);
}

static int left(uint32_t iface, unsigned vl)
{
    unsigned n;

    return fabric_credits(f, interface(iface), vl, &n) ? (int)n : -1;
}

/* S may send to T on a lane up to T's limit. Its credits are the limit less the blocks that S says that it has sent,
 * and less those seen since. */
Test(credits, credits_left)
{
    begin_tables();
    cr_expect_eq(fabric_neighbour(f, interface(3)), interface(2));
    cr_expect_eq(fabric_neighbour(f, interface(2)), interface(3));
    cr_expect_null(fabric_neighbour(f, interface(1)), "nobody captures what the adapter sends");
    flow(3, INIT, 2, 4090, 7);
    cr_expect_eq(left(3, 2), -1, "T's limit is not known");
    flow(2, INIT, 2, 100, 10);
    cr_expect_eq(left(3, 2), 16, "modulo 4096");
    cr_expect_eq(left(2, 2), 4096 - 93, "the other direction has numbers of its own");
    cr_expect_eq(left(3, 1), -1, "each lane has its own");
    data(3, 2, 64 + 2); /* a block has 64 bytes, the last one maybe fewer */
    cr_expect_eq(left(3, 2), 14);
    data(3, 2, 64 - 2);
    cr_expect_eq(left(3, 2), 13);
    data(3, 15, 62); /* management has no credits */
    cr_expect_eq(left(3, 2), 13);
    const struct fabric_lane *l = &interface(3)->lane[2];
    cr_expect(l->updates == 1 && l->packets == 2 && l->blocks == 3 && l->unseen == 0);
    cr_expect(l->spent && l->least == 13 && l->beyond == 0);
    flow(3, 0, 2, 3, 7); /* 9 blocks, of which 3 were seen */
    cr_expect_eq(l->unseen, 6);
    cr_expect_eq(left(3, 2), 7);
    flow(3, INIT, 2, 5, 7); /* the lane begins again */
    cr_expect_eq(l->unseen, 6);
    cr_expect_eq(l->updates, 3);
    flow(2, 0, 2, 100, 20);
    data(3, 2, 62);
    cr_expect_eq(left(3, 2), 14);
    cr_expect_eq(l->least, 13, "the fewest, not the last");
    flow(2, 0, 2, 100, 6);
    data(3, 2, 62);
    cr_expect_eq(l->least, 13);
    cr_expect_eq(l->beyond, 1, "T had given fewer");
    end();
}

/* A limit is at most 2048 blocks ahead; anything more is a limit that was passed. */
Test(credits, credits_beyond)
{
    static const struct {
        unsigned limit, beyond;
    } rows[] = {{0, 1}, {1, 0}, {2049, 0}, {2050, 1}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_tables();
        flow(3, INIT, 0, 0, 0);
        flow(2, INIT, 0, 0, rows[i].limit);
        data(3, 0, 62);
        cr_expect_eq(interface(3)->lane[0].beyond, rows[i].beyond, "limit %u", rows[i].limit);
        cr_expect_eq(interface(3)->lane[0].spent, !rows[i].beyond);
        end();
    }
}

/* Flow-control packets of lane 15 or with a reserved operand are counted, and change nothing. */
Test(credits, bad_flow_control)
{
    begin_tables();
    flow(3, INIT, 0, 0, 0);
    flow(2, INIT, 0, 0, 9);
    flow(2, RESERVED_OP, 0, 0, 8);
    flow(2, INIT, 15, 0, 8);
    cr_expect_eq(f->bad_flow, 2);
    cr_expect_eq(left(3, 0), 9);
    flow(2, 0, 14, 0, 8);
    cr_expect_eq(f->bad_flow, 2);
    end();
}

/* Without room for its interface a packet of flow control is counted as one that is of no use, and data is not counted.
 */
Test(credits, interfaces_without_room)
{
    begin_tables();
    f->n_sender = FABRIC_SENDERS;
    flow(77, INIT, 0, 0, 0);
    cr_expect_eq(f->bad_flow, 1);
    cr_expect_null(interface(77));
    data(77, 0, 62);
    cr_expect_eq(f->no_room, 2);
    flow(3, INIT, 0, 0, 0); /* an interface that has its place */
    cr_expect_eq(f->bad_flow, 1);
    cr_expect_eq(interface(3)->lane[0].updates, 1);
    end();
}

/* Flow control with a wrong CRC changes nothing. */
Test(credits, damaged_flow_control)
{
    begin_tables();
    flow(3, INIT, 0, 0, 0);
    packet.view.vcrc = IBA_CHECK_BAD;
    fabric_packet(f, &packet);
    cr_expect_eq(f->bad_flow, 1);
    cr_expect_eq(interface(3)->lane[0].updates, 1);
    packet.view.vcrc = IBA_CHECK_GOOD;
    fabric_packet(f, &packet);
    cr_expect_eq(interface(3)->lane[0].updates, 2);
    end();
}

/* ---- bounds ---- */

/* Each table has room for as many as its bound says, and for no more. A packet that adds to a full table is counted. */
Test(credits, bounds_of_tables)
{
    enum { NODES, PORTS, ROUTES, SENDERS, TABLES, OF };
    for (unsigned table = 0; table < OF; table++)
        for (unsigned full = 0; full < 2; full++) {
            begin();
            both_switches();
            datagram(GET, NODE_INFO, 2);
            takes(3);
            size_t *const n[OF] = {&f->n_node, &f->n_port, &f->n_route, &f->n_sender, &f->n_table};
            static const size_t bound[OF] = {FABRIC_NODES, FABRIC_PORTS, FABRIC_ROUTES, FABRIC_SENDERS, FABRIC_TABLES};
            *n[table] = bound[table] - !full;
            switch (table) {
            case NODES: node(1, 0xcccc, 2), takes(1); break;
            case PORTS: node(1, S, 7), takes(11); break; /* a route of its own, too */
            case ROUTES: node(1, T, 7), takes(1); break;
            case SENDERS: takes(12); break;
            default: datagram(GET, FABRIC_SWITCH_INFO, 2), takes(3); break;
            }
            cr_expect_eq(*n[table], bound[table], "table %u", table);
            cr_expect_eq(f->no_room > 0, full, "table %u", table);
            end();
        }
}
