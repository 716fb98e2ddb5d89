/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes, cables, interfaces and tables of a subnet, as its datagrams show them. */
#include "subnet.h"

/* ---- nodes and cables ---- */

Test(fabric, nodes_and_cables)
{
    begin();
    both_switches();
    cr_assert_eq(f->n_node, 2);
    cr_expect(f->node[NODE_S].guid == S && f->node[NODE_T].guid == T);
    cr_expect(f->node[NODE_S].type == FABRIC_SWITCH && f->node[NODE_T].ports == 8);
    cr_expect(f->node[NODE_S].first_frame == 1 && f->node[NODE_T].first_frame == 2);
    cr_expect_eq(peer(NODE_S, 3), port(NODE_T, 4));
    cr_expect_eq(peer(NODE_T, 4), port(NODE_S, 3));
    cr_expect_null(peer(NODE_S, 2), "the adapter has no name");
    cr_expect_eq(port(NODE_S, 2)->asker, 1);
    cr_expect_eq(port(NODE_T, 4)->asker, 0);
    cr_expect_eq(port(NODE_T, 4)->first_frame, 2);
    cr_expect_eq(fabric_node_of(f, port(NODE_T, 4)), &f->node[NODE_T]);
    cr_expect_null(fabric_find_port(f, NODE_T, 5));
    cr_expect_eq(f->answers, 2);
    both_switches();
    cr_expect(f->n_node == 2 && f->moved == 0 && f->no_room == 0);
    cr_expect_eq(f->node[NODE_S].first_frame, 1, "not the last");
    cr_expect_eq(port(NODE_T, 4)->first_frame, 2);
    end();
}

/* A node at the end of a route whose next to last node is not known has no cable yet. */
Test(fabric, a_node_before_the_one_before)
{
    begin();
    node(2, T, 4);
    takes(2);
    cr_assert_eq(f->n_node, 1);
    cr_expect_null(peer(0, 4));
    node(1, S, 2);
    takes(1);
    node(2, T, 4);
    takes(2);
    cr_expect_eq(peer(0, 4), port(1, 3));
    end();
}

/* A cable has two ends: a port that a wrong answer connects with itself stays alone. */
Test(fabric, a_port_connected_with_itself)
{
    begin();
    node(1, S, 2);
    takes(1);
    node(2, S, 3);
    takes(2);
    cr_expect_null(peer(NODE_S, 3));
    cr_expect_eq(f->moved, 0);
    end();
}

/* A cable that is moved is removed from both of its old ports. */
Test(fabric, cables_that_move)
{
    begin();
    both_switches();
    node(2, T, 5);
    takes(2);
    cr_expect_eq(peer(NODE_S, 3), port(NODE_T, 5));
    cr_expect_null(peer(NODE_T, 4), "nothing is there any more");
    cr_expect_eq(f->moved, 1);
    node(2, 0xcccc, 5);
    takes(2);
    cr_expect_eq(f->n_node, 3);
    cr_expect_eq(peer(NODE_S, 3), port(2, 5));
    cr_expect_null(peer(NODE_T, 5));
    cr_expect_eq(f->moved, 3, "the cable, and the route");
    end();
}

/* An answer shows a cable only if it has reached the end of its route, the route has no part by LID, its status is no
 * error, and it comes from the port that the route names. */
Test(fabric, answers_that_count)
{
    static const struct {
        unsigned at, is;
        bool counts;
    } rows[] = {
        {0, 1, true},        {3, GET, false},     {STATUS, 0x00, false}, {STATUS, 0x81, false}, {STATUS + 1, 1, false},
        {POINTER, 0, false}, {POINTER, 2, false}, {HOPS, 0, false},      {DR_SLID, 0, false},   {DR_DLID + 1, 0, false},
        {1, BY_LID, false},  {16, 1, false},      {IN + 1, 3, false},    {DATA + 36, 2, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        node(1, S, 2);
        mad[rows[i].at] = (uint8_t)rows[i].is;
        takes(1);
        cr_expect_eq(f->n_node, rows[i].counts, "row %zu", i);
        end();
    }
    begin();
    node(1, S, 2);
    mad[HOPS] = mad[POINTER] = FABRIC_HOPS + 1; /* too long a route */
    takes(1);
    cr_expect_eq(f->answers, 0);
    end();
}

/* Only a datagram that was captured whole is read: of a shorter one the routes may be missing. */
Test(fabric, datagrams_that_are_cut)
{
    for (uint32_t n = 0; n <= 2; n++) {
        const uint32_t captured = MAD_AT + IBA_MAD_BYTES + 1 - n;
        begin();
        node(1, S, 2);
        cap = (struct cap_packet){.data = frame, .caplen = captured, .len = BYTES, .iface = 1};
        (void)iba_view_parse(&packet.view, IBA_LINK_IB, frame, captured, BYTES, NULL);
        fabric_packet(f, &packet);
        cr_expect_eq(f->n_node, n < 2, "%u bytes", captured);
        cr_expect_eq(f->answers, n < 2);
        end();
    }
}

Test(fabric, descriptions_and_lids)
{
    begin();
    both_switches();
    datagram(GET_RESP, NODE_DESCRIPTION, 1);
    memcpy(mad + DATA, "spine", 5);
    takes(1);
    cr_expect(f->node[NODE_S].described == 5 && memcmp(f->node[NODE_S].description, "spine", 6) == 0);
    datagram(GET_RESP, NODE_DESCRIPTION, 1);
    memset(mad + DATA, 'x', FABRIC_TEXT);
    mad[OUT] = 'y'; /* after it; no hop has this number */
    takes(1);
    cr_expect_eq(f->node[NODE_S].described, FABRIC_TEXT);
    datagram(GET_RESP, FABRIC_PORT_INFO, 2);
    mad[23] = 7; /* of port 7 */
    iba_portinfo_set_portstate(mad + DATA, 3);
    iba_portinfo_set_lid(mad + DATA, 78);
    takes(2);
    cr_expect(port(NODE_T, 7)->state == 3 && f->node[NODE_T].lid == 0, "the LID is of port 0");
    mad[23] = 0;
    takes(2);
    cr_expect(f->node[NODE_T].lid == 78 && port(NODE_T, 0)->state == 3);
    cr_expect_eq(f->node[NODE_S].lid, 0);
    end();
}

/* An adapter has a LID for each port. A PortInfo of port 0 is about the port that was asked. */
Test(fabric, lids_of_adapters)
{
    begin();
    node(1, S, 2);
    iba_nodeinfo_set_nodetype(mad + DATA, 1);
    takes(1);
    datagram(GET_RESP, FABRIC_PORT_INFO, 1);
    iba_portinfo_set_localportnum(mad + DATA, 2);
    iba_portinfo_set_portstate(mad + DATA, 4);
    iba_portinfo_set_lid(mad + DATA, 79);
    takes(1);
    cr_expect(port(NODE_S, 2)->state == 4 && f->node[NODE_S].lid == 79);
    cr_expect_null(fabric_find_port(f, NODE_S, 0));
    mad[23] = 1; /* the same of another port */
    iba_portinfo_set_lid(mad + DATA, 80);
    takes(1);
    cr_expect_eq(f->node[NODE_S].lid, 80, "that of the last one");
    cr_expect_eq(port(NODE_S, 1)->state, 4);
    end();
}

/* The routes of two askers have the same ports out of the switches, and different ports in. */
Test(fabric, routes_of_two_askers)
{
    begin();
    node(1, S, 2);
    takes(1);
    node(1, T, 7);
    takes(11);
    cr_expect_eq(f->n_route, 2);
    cr_expect_eq(f->moved, 0);
    end();
}

/* When tables are full: a cable needs two ports, and what finds no room is counted. */
Test(fabric, no_room)
{
    static const struct {
        uint8_t out, in;
    } cables[] = {{3, 6}, {5, 4}, {5, 6}};

    begin();
    both_switches();
    f->n_port = FABRIC_PORTS;
    for (size_t i = 0; i < sizeof cables / sizeof *cables; i++) {
        const uint64_t before = f->no_room;
        node(2, T, cables[i].in);
        mad[OUT + 2] = cables[i].out;
        takes(2);
        cr_expect_gt(f->no_room, before);
        cr_expect_eq(peer(NODE_S, 3), port(NODE_T, 4), "as it was");
    }
    end();
}

/* ---- interfaces ---- */

static void first_hop(uint32_t iface, uint64_t transaction)
{
    datagram(GET, NODE_INFO, 1);
    put(mad + 8, 8, transaction);
    takes(iface);
}

/* An answer shows the port that sends it on this interface, a request the port before. On the first hop a request comes
 * from the asker, which has no name. */
Test(fabric, ports_of_interfaces)
{
    enum { FAR = 300 };
    begin();
    both_switches();
    cr_expect_eq(fabric_near(f, interface(1)), port(NODE_S, 2));
    cr_expect_null(fabric_far(f, interface(1)));
    cr_expect_eq(fabric_near(f, interface(2)), port(NODE_T, 4));
    cr_expect_eq(fabric_far(f, interface(2)), port(NODE_S, 3));
    cr_expect_null(interface(3));
    datagram(GET, NODE_INFO, 2);
    takes(3);
    cr_expect_eq(fabric_near(f, interface(3)), port(NODE_S, 3));
    cr_expect_eq(fabric_far(f, interface(3)), port(NODE_T, 4));
    first_hop(9, FAR);
    cr_expect_null(fabric_far(f, interface(9)), "not answered");
    datagram(GET, NODE_INFO, 2); /* the second hop is no first one */
    put(mad + 8, 8, FAR);
    takes(3);
    node(1, S, 2);
    put(mad + 8, 8, FAR + 1);
    takes(1);
    cr_expect_null(fabric_far(f, interface(9)), "in another transaction");
    node(1, S, 2);
    put(mad + 8, 8, FAR);
    takes(1);
    cr_expect_eq(fabric_far(f, interface(9)), port(NODE_S, 2));
    cr_expect_null(fabric_near(f, interface(9)));
    end();
}

/* An interface with packets from two ports, or with packets to two ports, belongs to no port. */
Test(fabric, interfaces_of_several_ports)
{
    begin();
    both_switches();
    node(2, T, 4);
    takes(1);
    cr_expect_null(fabric_near(f, interface(1)));
    cr_expect_null(fabric_far(f, interface(1)));
    for (uint8_t in = 2; in < 4; in++) {
        first_hop(9, in);
        node(1, S, in);
        put(mad + 8, 8, in);
        takes(10 + (uint32_t)in);
        cr_expect_eq(fabric_far(f, interface(9)), in == 2 ? port(NODE_S, 2) : NULL);
    }
    end();
}

/* ---- tables ---- */

enum { KEY = 0x1234, OTHER_KEY = 0x99 };

/* Feeds a request to T's agent, and its answer. */
static void ask(uint8_t method, uint16_t attribute, uint32_t modifier, uint64_t m_key, uint64_t transaction)
{
    datagram(method, attribute, 2);
    put(mad + 8, 8, transaction);
    put(mad + 20, 4, modifier);
    put(mad + M_KEY, 8, m_key);
    takes(3);
}
static void make_answer(uint16_t attribute, uint32_t modifier, uint64_t transaction, uint8_t first)
{
    datagram(GET_RESP, attribute, 2);
    put(mad + 8, 8, transaction);
    put(mad + 20, 4, modifier);
    mad[DATA] = first;
}
static void answer(uint16_t attribute, uint32_t modifier, uint64_t transaction, uint8_t first)
{
    make_answer(attribute, modifier, transaction, first);
    takes(2);
}
static void exchange(uint16_t attribute, uint32_t modifier, uint8_t first)
{
    ask(GET, attribute, modifier, 0, packet.number);
    answer(attribute, modifier, packet.number - 1, first);
}
/* Returns the first byte of what is known of the attribute; -1 if nothing is known. */
static int known(uint16_t attribute, uint32_t modifier)
{
    const struct fabric_table *t = fabric_table(f, NODE_T, attribute, modifier);

    return t ? t->data[0] : -1;
}

Test(fabric, tables_that_are_kept)
{
    begin_tables();
    for (uint16_t attribute = 0x10; attribute < 0x20; attribute++) {
        const bool kept =
            attribute == 0x12 || attribute == 0x15 || attribute == 0x16 || attribute == 0x17 || attribute == 0x19;
        if (attribute == NODE_INFO)
            continue;
        exchange(attribute, 7, 5);
        cr_expect_eq(known(attribute, 7), kept ? 5 : -1, "attribute 0x%x", attribute);
        cr_expect_eq(known(attribute, 8), -1);
        cr_expect_null(fabric_table(f, NODE_S, attribute, 7));
    }
    end();
}

/* An answer counts only with its request, in the same transaction, and without an error. */
Test(fabric, answers_of_tables)
{
    enum { A = FABRIC_SWITCH_INFO };
    begin_tables();
    answer(A, 0, 5, 1);
    cr_expect_eq(known(A, 0), -1, "nobody asked");
    ask(GET, A, 0, 0, 5);
    cr_expect_eq(known(A, 0), -1, "not answered");
    answer(A, 0, 6, 1);
    cr_expect_eq(known(A, 0), -1, "in another transaction");
    make_answer(A, 0, 5, 1);
    mad[STATUS + 1] = 4;
    takes(2);
    cr_expect_eq(known(A, 0), -1, "an error");
    answer(A, 0, 5, 1);
    cr_expect_eq(known(A, 0), 1);
    const uint64_t since = fabric_table(f, NODE_T, A, 0)->since;
    cr_expect_eq(since, packet.number);
    exchange(A, 0, 1);
    cr_expect_eq(fabric_table(f, NODE_T, A, 0)->since, since, "the same since then");
    exchange(A, 0, 2);
    cr_expect_eq(fabric_table(f, NODE_T, A, 0)->since, packet.number);
    end();
}

Test(fabric, no_room_for_tables)
{
    begin_tables();
    f->n_table = FABRIC_TABLES;
    const uint64_t before = f->no_room;
    exchange(FABRIC_SWITCH_INFO, 0, 1);
    cr_expect_eq(f->no_room, before + 1);
    cr_expect_eq(known(FABRIC_SWITCH_INFO, 0), -1);
    end();
}

/* A Set that reaches the agent ends what is known of its attribute. A datagram that goes back is an answer. A Set by
 * LID may have changed anything. */
Test(fabric, tables_that_are_set)
{
    enum { A = FABRIC_SWITCH_INFO, B = FABRIC_P_KEYS };
    begin_tables();
    exchange(A, 0, 1);
    exchange(B, 0, 2);
    datagram(SET, A, 2);
    mad[STATUS] = 0x80;
    takes(2);
    cr_expect_eq(known(A, 0), 1);
    ask(GET, A, 0, 0, 70);
    cr_expect_eq(known(A, 0), 1);
    make_answer(A, 0, 70, 9);
    mad[3] = SET;
    takes(2);
    cr_expect_eq(known(A, 0), 1, "no answer has this method");
    ask(SET, A, 0, 0, 71);
    cr_expect_eq(known(A, 0), -1);
    cr_expect_eq(known(B, 0), 2);
    answer(A, 0, 71, 3);
    cr_expect_eq(known(A, 0), 3);
    datagram(SET, A, 0);
    mad[1] = BY_LID;
    takes(5);
    cr_expect_eq(known(A, 0), -1);
    cr_expect_eq(known(B, 0), -1);
    exchange(B, 0, 2);
    cr_expect_eq(known(B, 0), 2);
    datagram(GET, A, 0);
    mad[1] = BY_LID;
    takes(5);
    cr_expect_eq(known(B, 0), 2);
    end();
}

/* Bits above the two ports of an SL-to-VL table select several tables at once. */
Test(fabric, lanes_that_are_set_at_once)
{
    enum { A = FABRIC_LANES_OF_SL };
    for (unsigned at_once = 0; at_once < 2; at_once++) {
        begin_tables();
        exchange(A, 0x102, 1);
        exchange(FABRIC_SWITCH_INFO, 0, 2);
        ask(SET, A, at_once ? 0x10000 : 0xffff, 0, 70);
        cr_expect_eq(known(A, 0x102), at_once ? -1 : 1);
        cr_expect_eq(known(FABRIC_SWITCH_INFO, 0), 2);
        exchange(A, 0x102, 1);
        cr_expect_eq(known(A, 0x102), 1);
        end();
    }
}

/* A Get without the right M_Key may get a PortInfo in which the key is hidden (KM-02). */
Test(fabric, hidden_keys)
{
    static const struct {
        uint64_t asked_with, told, is;
    } rows[] = {{OTHER_KEY, 0, KEY}, {0, 0, KEY}, {KEY, 0, 0}, {OTHER_KEY, 5, 5}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_tables();
        ask(GET, FABRIC_PORT_INFO, 1, KEY, 70);
        make_answer(FABRIC_PORT_INFO, 1, 70, 0);
        iba_portinfo_set_m_key(mad + DATA, KEY);
        takes(2);
        ask(GET, FABRIC_PORT_INFO, 1, rows[i].asked_with, 71);
        make_answer(FABRIC_PORT_INFO, 1, 71, 0);
        iba_portinfo_set_m_key(mad + DATA, rows[i].told);
        takes(2);
        const struct fabric_table *t = fabric_table(f, NODE_T, FABRIC_PORT_INFO, 1);
        cr_assert_not_null(t);
        cr_expect_eq(iba_portinfo_m_key(t->data), rows[i].is, "row %zu", i);
        end();
    }
}
