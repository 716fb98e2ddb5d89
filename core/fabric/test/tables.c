/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of subnet management that are parts of tables, of nodes with more ports than a part has; and traps, to the
 * nanosecond. */
#include "alone.h"

enum { MOST_PORTS = 60 };

/* ---- memory ---- */

/* Each part of a node's memory begins at a multiple of 16 bytes, as the whole does, and is cleared. */
Test(tables, parts_of_memory)
{
    for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++)
        for (uint8_t ports = 1; ports < 20; ports++) {
            struct alone *a = alone_new(type, ports);
            const size_t bytes = iba_node_bytes(&a->n.cfg);
            const void *parts[] = {a->n.port,  a->n.sl2vl,      a->n.lft,          a->n.mft,
                                   a->n.route, a->n.congestion, a->n.port[1].pkey, a->n.port[ports].pkey};
            for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
                const uintptr_t at = (uintptr_t)parts[i] - (uintptr_t)a->memory;
                cr_expect_eq(at % 16, 0, "part %zu of %u ports", i, ports);
                cr_expect_leq(at, bytes);
            }
            cr_expect_leq((uintptr_t)(a->n.port[ports].pkey + 40), (uintptr_t)a->memory + bytes);
            for (unsigned k = 1; k < 40; k++)
                cr_expect_eq(a->n.port[ports].pkey[k], 0);
            alone_free(a);
        }
}

/* ---- attributes of subnet management ---- */

static int set(struct alone *a, uint16_t attribute, uint32_t modifier, const uint8_t data[IBA_SMP_DATA_BYTES])
{
    struct request r = {.mgmt_class = IBA_CLASS_SMP, .method = SET, .attribute = attribute, .modifier = modifier};

    memcpy(r.data, data, IBA_SMP_DATA_BYTES);
    return alone_ask(a, &r);
}

/* KM-41 */
Test(tables, node_info)
{
    for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++) {
        struct alone *a = alone_new(type, 2);
        uint8_t expected[40] = {1,    1,    type, 2,    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 1, 2,
                                3,    4,    5,    6,    7,    8,    1,    2,    3,    4,    5,    6,    7, 8,
                                0x00, 0x28, 0x45, 0x67, 0x23, 0x45, 0x67, 0x89, 2,    0x12, 0x34, 0x56};
        const struct request r = {.mgmt_class = IBA_CLASS_SMP, .method = GET, .attribute = 0x11, .port = 2};
        expected[27] = type == IBA_NODE_CA ? 8 + 2 : 8; /* an adapter's port has the node's GUID plus its number */
        if (type == IBA_NODE_SWITCH)
            a->n.lft[MANAGER_LID] = 2;
        cr_expect_eq(alone_ask(a, &r), IBA_MAD_OK);
        alone_expect(a, expected, sizeof expected, IBA_SMP_DATA_BYTES, "NodeInfo");
        cr_expect_eq(alone_get(a, IBA_CLASS_SMP, 0x10, 0), type == IBA_NODE_CA ? IBA_MAD_OK : -1, "by the other port");
        if (type == IBA_NODE_CA)
            alone_expect(a, "a node alone", 12, IBA_SMP_DATA_BYTES, "NodeDescription");
        iba_port_flush(&a->n, &a->n.port[2]);
        alone_free(a);
    }
}

/* KM-11, KM-14: 40 P_Keys are a block of 32 and one of 8. Of a switch the upper half of the modifier is the port; an
 * adapter ignores it. */
Test(tables, pkeys_of_a_part_of_a_block)
{
    for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++) {
        struct alone *a = alone_new(type, 2);
        uint8_t data[IBA_SMP_DATA_BYTES];
        const unsigned port = type == IBA_NODE_CA ? 1 : 2;
        for (unsigned k = 0; k < sizeof data; k++)
            data[k] = (uint8_t)(k + 1);
        a->n.port[port].pkey[31] = 0x1234;
        cr_expect_eq(set(a, 0x16, 2 << 16 | 1, data), IBA_MAD_OK);
        alone_expect(a, data, 16, IBA_SMP_DATA_BYTES, "8 P_Keys");
        cr_expect_eq(a->n.port[port].pkey[31], 0x1234);
        cr_expect_eq(a->n.port[port].pkey[32], 0x0102);
        cr_expect_eq(a->n.port[port].pkey[39], 0x0f10);
        cr_expect_eq(alone_get(a, IBA_CLASS_SMP, 0x16, 2 << 16 | 2), IBA_MAD_BAD_VALUE, "there is no third block");
        cr_expect_eq(alone_get(a, IBA_CLASS_SMP, 0x16, 3 << 16), type == IBA_NODE_CA ? IBA_MAD_OK : IBA_MAD_BAD_VALUE,
                     "there is no port 3");
        cr_expect_eq(set(a, 0x16, 2 << 16, data), IBA_MAD_OK);
        alone_expect(a, data, 64, IBA_SMP_DATA_BYTES, "32 P_Keys");
        alone_free(a);
    }
}

/* KM-46: with 32 entries each table of arbitration has one block: 1 of low priority, 3 of high. */
Test(tables, arbitration_of_32_entries)
{
    struct alone *a = alone_new(IBA_NODE_SWITCH, 2);

    for (uint32_t block = 0; block < 7; block++)
        for (uint32_t port = 0; port < 4; port++)
            cr_expect_eq(alone_get(a, IBA_CLASS_SMP, 0x18, block << 16 | port),
                         (block == 1 || block == 3) && port <= 2 ? IBA_MAD_OK : IBA_MAD_BAD_VALUE, "%u, %u", block,
                         port);
    alone_free(a);
}

/* KM-44: a switch has a table for each port in (upper byte) and port out (lower one), an adapter one for each port. */
Test(tables, lanes_of_sls)
{
    uint8_t data[IBA_SMP_DATA_BYTES] = {0x01, 0x23, 0x01, 0x23, 0x32, 0x10, 0x32, 0x10};
    static const uint8_t vls[16] = {0, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0, 3, 2, 1, 0};

    for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++) {
        struct alone *a = alone_new(type, 3);
        cr_expect_eq(set(a, 0x17, 3 << 8 | 2, data), IBA_MAD_OK);
        alone_expect(a, data, 8, IBA_SMP_DATA_BYTES, "SLtoVLMappingTable");
        for (uint8_t in = 0; in <= 3; in++)
            for (uint8_t out = 0; out <= 3; out++) {
                const bool this_one = type == IBA_NODE_SWITCH ? in == 3 && out == 2 : in == 0 && out == 1;
                cr_expect_eq(memcmp(iba_node_sl2vl(&a->n, in, out), vls, 16) == 0, this_one, "%u to %u", in, out);
            }
        cr_expect_eq(alone_get(a, IBA_CLASS_SMP, 0x17, 4 << 8 | 2),
                     type == IBA_NODE_SWITCH ? IBA_MAD_BAD_VALUE : IBA_MAD_OK);
        cr_expect_eq(alone_get(a, IBA_CLASS_SMP, 0x17, 3 << 8 | 4),
                     type == IBA_NODE_SWITCH ? IBA_MAD_BAD_VALUE : IBA_MAD_OK);
        alone_free(a);
    }
}

/* KM-63: a position of the multicast table has 16 ports, so the ports 0 to 60 take four of them. A block has 32
 * MLIDs. */
Test(tables, groups_of_60_ports)
{
    struct alone *a = alone_new(IBA_NODE_SWITCH, MOST_PORTS);
    uint8_t data[IBA_SMP_DATA_BYTES] = {0};

    for (uint32_t position = 0; position < 6; position++)
        for (uint32_t block = 0; block < 3; block++) {
            data[0] = (uint8_t)(1 + position);
            data[1] = (uint8_t)block;
            data[63] = (uint8_t)(0x10 * position + block);
            cr_expect_eq(set(a, 0x1b, position << 28 | block, data),
                         position < 4 && block < 2 ? IBA_MAD_OK : IBA_MAD_BAD_VALUE, "%u, %u", position, block);
        }
    for (uint32_t position = 0; position < 4; position++)
        for (uint32_t block = 0; block < 2; block++) {
            data[0] = (uint8_t)(1 + position);
            data[1] = (uint8_t)block;
            data[63] = (uint8_t)(0x10 * position + block);
            cr_expect_eq(alone_get(a, IBA_CLASS_SMP, 0x1b, position << 28 | block), IBA_MAD_OK);
            alone_expect(a, data, sizeof data, IBA_SMP_DATA_BYTES, "ports");
            cr_expect_eq(a->n.mft[block * 32 * 4 + position], (1 + position) << 8 | block);
        }
    alone_free(a);
}

/* KM-23: the modifier of PortInfo is a port of a switch; of an adapter 0 is the port that the request came by. Bit 31
 * only says that the manager knows extended speeds. */
Test(tables, ports_of_port_info)
{
    for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++)
        for (uint32_t modifier = 0; modifier < 5; modifier++)
            for (unsigned high = 0; high < 2; high++) {
                struct alone *a = alone_new(type, 3);
                const struct request r = {.mgmt_class = IBA_CLASS_SMP,
                                          .method = GET,
                                          .attribute = 0x15,
                                          .modifier = modifier | (uint32_t)high << 31,
                                          .port = 2};
                const unsigned number = modifier == 0 && type == IBA_NODE_CA ? 2 : modifier;
                if (type == IBA_NODE_SWITCH)
                    a->n.lft[MANAGER_LID] = 2;
                for (unsigned p = 0; p < 4; p++)
                    a->n.port[p].info.vlhighlimit = (uint8_t)(0x40 + p);
                cr_expect_eq(alone_ask(a, &r), modifier < 4 ? IBA_MAD_OK : IBA_MAD_BAD_VALUE, "port %u", modifier);
                if (modifier < 4) {
                    cr_expect_eq(iba_portinfo_vlhighlimit(a->answer + DATA_AT), 0x40 + number);
                    cr_expect_eq(iba_portinfo_localportnum(a->answer + DATA_AT), 2);
                }
                alone_free(a);
            }
}

/* KM-16: a switch without the ability to enforce partitions refuses to do so, in each direction alone. */
Test(tables, enforcement_that_a_switch_lacks)
{
    for (unsigned i = 0; i < 16; i++) {
        struct alone *a = alone_new(IBA_NODE_SWITCH, 2);
        struct iba_portinfo *p = &a->n.port[2].info, want = *p;
        const bool in = i & 1, out = i & 2, can_in = i & 4, can_out = i & 8;
        uint8_t data[IBA_SMP_DATA_BYTES] = {0};
        a->n.sw.inboundenforcementcap = can_in;
        a->n.sw.outboundenforcementcap = can_out;
        want.portstate = IBA_PORT_NOP;
        want.portphysicalstate = IBA_PHYS_NOP;
        want.partitionenforcementinbound = in;
        want.partitionenforcementoutbound = out;
        iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &want, data);
        cr_expect_eq(set(a, 0x15, 2, data), (in && !can_in) || (out && !can_out) ? IBA_MAD_BAD_VALUE : IBA_MAD_OK,
                     "case %u", i);
        cr_expect(p->partitionenforcementinbound == (in && can_in) &&
                      p->partitionenforcementoutbound == (out && can_out),
                  "case %u", i);
        alone_free(a);
    }
}

/* ---- notices ---- */

/* KM-59: only a port with a LID, which is Active and knows its manager, has notices. */
Test(tables, ports_that_have_notices)
{
    for (unsigned i = 0; i < 8; i++) {
        struct alone *a = alone_new(IBA_NODE_CA, 2);
        struct iba_portinfo *p = &a->n.port[2].info;
        p->lid = i & 1 ? 5 : 0;
        p->mastersmlid = i & 2 ? MANAGER_LID : 0;
        p->portstate = i & 4 ? IBA_PORT_ACTIVE : IBA_PORT_ARMED;
        iba_node_set_issm(&a->n, 2, true, a->now);
        cr_expect_eq(iba_notice_oldest(&a->n) != NULL, i == 7, "case %u", i);
        alone_free(a);
    }
}

/* A notice waits only while its port is Active and knows a manager; then it is given up (KM-59). */
Test(tables, a_notice_is_given_up)
{
    for (unsigned why = 0; why < 4; why++) {
        struct alone *a = alone_new(IBA_NODE_CA, 2);
        struct iba_portinfo *i = &a->n.port[2].info;
        uint8_t packet[IBA_PACKET_MOST];
        i->mastersmlid = MANAGER_LID;
        iba_node_set_issm(&a->n, 2, true, a->now);
        cr_assert_not_null(iba_notice_oldest(&a->n));
        i->portstate = why & 1 ? IBA_PORT_ARMED : IBA_PORT_ACTIVE;
        i->mastersmlid = why & 2 ? 0 : MANAGER_LID;
        iba_node_advance(&a->n, a->now);
        cr_expect_eq(iba_notice_oldest(&a->n) == NULL, why != 0, "case %u", why);
        cr_expect_eq(iba_node_poll(&a->n, 2, packet, sizeof packet, a->now) > 0, why == 0);
        alone_free(a);
    }
}

/* The trap goes with the manager's SL to the manager's LID, and again after 4.096 us * 2^SubnetTimeout, to the
 * nanosecond (KM-59, KM-60). */
Test(tables, a_trap_comes_again)
{
    struct alone *a = alone_new(IBA_NODE_CA, 2);
    struct iba_portinfo *i = &a->n.port[2].info;
    uint8_t packet[IBA_PACKET_MOST];
    const iba_time begun = a->now, period = 4096 << 7;

    i->mastersmlid = MANAGER_LID;
    i->mastersmsl = 5;
    i->subnettimeout = 7;
    iba_node_set_issm(&a->n, 2, true, a->now);
    cr_expect_eq(iba_node_deadline(&a->n), begun);
    for (unsigned times = 0; times < 3; times++) {
        iba_node_advance(&a->n, begun + times * period);
        cr_assert_gt(iba_node_poll(&a->n, 2, packet, sizeof packet, begun + times * period), 0);
        cr_expect(iba_lrh_dlid(packet) == MANAGER_LID && iba_lrh_slid(packet) == NODE_LID + 2);
        cr_expect_eq(iba_lrh_sl(packet), 5);
        cr_expect_eq(iba_madhdr_method(packet + MAD_AT), 5);
        cr_expect_eq(iba_madhdr_baseversion(packet + MAD_AT), 1);
        cr_expect_eq(iba_madhdr_classversion(packet + MAD_AT), 1);
        cr_expect_eq(iba_madhdr_attributeid(packet + MAD_AT), 2);
        cr_expect_eq(iba_madhdr_transactionid(packet + MAD_AT), 1);
        iba_node_advance(&a->n, begun + (times + 1) * period - 1);
        cr_expect_eq(iba_node_poll(&a->n, 2, packet, sizeof packet, begun + (times + 1) * period - 1), 0);
        cr_expect_eq(iba_node_deadline(&a->n), begun + (times + 1) * period);
    }
    alone_free(a);
}

/* A directed route that ends at a switch may go on by LID (MD-23), but not to the switch itself: it has no link to its
 * port 0. */
Test(tables, a_route_that_goes_on_to_its_own_end)
{
    for (unsigned to_self = 0; to_self < 2; to_self++) {
        struct alone *a = alone_new(IBA_NODE_SWITCH, 2);
        const struct iba_mgmt_to to = {.dlid = 0xffff, .slid = 0xffff, .pkey = 0xffff};
        uint8_t mad[IBA_MAD_BYTES] = {1, IBA_CLASS_DIRECTED, 1, GET}, packet[IBA_PACKET_MOST];
        mad[6] = mad[7] = 1;
        iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, 0xffff);
        iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, to_self ? NODE_LID : MANAGER_LID);
        a->n.lft[NODE_LID] = 0;
        iba_node_feed(&a->n, 2, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad), a->now);
        cr_expect_eq(a->pool.used, !to_self);
        cr_expect_eq(iba_node_poll(&a->n, 1, packet, sizeof packet, a->now) > 0, !to_self);
        alone_free(a);
    }
}

/* MD-112: a notice has room for the last 30 ports of a directed route back. */
Test(tables, a_long_route_in_a_notice)
{
    enum { ROOM = 30, MOST_HOPS = 63, RETURN_AT = 192, BY = 2 };

    for (uint8_t hops = 1; hops <= MOST_HOPS; hops++) {
        struct alone *a = alone_new(IBA_NODE_SWITCH, 2);
        const struct iba_mgmt_to to = {.dlid = 0xffff, .slid = 0xffff, .pkey = 0xffff};
        const unsigned kept = hops < ROOM ? hops : ROOM;
        uint8_t mad[IBA_MAD_BYTES] = {1, IBA_CLASS_DIRECTED, 1, GET}, packet[IBA_MGMT_BYTES], path[ROOM] = {0};
        const uint8_t *d = a->n.notice[0].bytes + IBA_BYTES_notice;
        iba_madhdr_set_attributeid(mad, 0x15);
        mad[6] = mad[7] = hops;
        memset(mad + 32, 0xff, 4); /* both LIDs of the route */
        for (uint8_t k = 1; k < hops; k++)
            mad[RETURN_AT + k] = (uint8_t)(100 + k);
        for (unsigned k = 0; k < kept; k++)
            path[k] = (uint8_t)(k + 1 == kept ? BY : 100 + hops - kept + k + 1);
        a->n.port[0].info.m_key = 7;
        a->n.port[0].info.m_keyprotectbits = 2;
        a->n.port[0].info.mastersmlid = MANAGER_LID;
        iba_node_feed(&a->n, BY, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad), a->now);
        cr_assert_eq(iba_notice_trap(a->n.notice[0].bytes), 256);
        cr_expect_eq(iba_trap_mkey_drnotice(d), 1);
        cr_expect_eq(iba_trap_mkey_drhopcount(d), kept, "%u hops", hops);
        cr_expect_eq(iba_trap_mkey_drpathtruncated(d), hops > ROOM, "%u hops", hops);
        cr_expect_eq(iba_trap_mkey_drslid(d), 0xffff);
        cr_expect_arr_eq(d + IBA_AT_trap_mkey_returnpath / 8, path, ROOM, "%u hops", hops);
        alone_free(a);
    }
}
