/* SPDX-License-Identifier: BSD-2-Clause */
/* Each entry of the tables of a switch: which route, lane and partition a packet has, at the bounds of blocks and of
 * capacities, and what follows where a table is not known. */
#include "capture.h"

static struct capture c;

/* Sets a table of S. */
static void set(uint16_t attribute, uint32_t modifier, const uint8_t *table)
{
    ask(&c, &(struct smp){.method = SET, .hops = 1, .attribute = attribute, .modifier = modifier, .data = table},
        table);
}

/* From here on the table is not known: a Set of it has no answer. */
static void forget(uint16_t attribute, uint32_t modifier)
{
    ask_only(&c, &(struct smp){.method = SET, .hops = 1, .attribute = attribute, .modifier = modifier});
}

static void set_switch_info(uint16_t top, uint16_t keys)
{
    uint8_t info[64] = {0};

    iba_switchinfo_set_linearfdbtop(info, top);
    iba_switchinfo_set_partitionenforcementcap(info, keys);
    set(SWITCH_INFO, 0, info);
}

static void set_port_info(uint8_t port, uint8_t lanes, bool in, bool out)
{
    uint8_t info[64] = {0};

    iba_portinfo_set_operationalvls(info, lanes);
    iba_portinfo_set_partitionenforcementinbound(info, in);
    iba_portinfo_set_partitionenforcementoutbound(info, out);
    set(PORT_INFO, port, info);
}

/* The packet enters S, and leaves it by port 2 on this lane. */
static void cross(uint16_t lid, uint8_t vl)
{
    data(&c, 0, lid, 1, 0);
    data(&c, 2, lid, 1, vl);
}

/* The packet enters S, and never leaves. */
static void stay(uint16_t lid)
{
    data(&c, 0, lid, 1, 0);
    c.now += 9 * SECOND_NS;
}

Test(tables, each_route)
{
    static const struct {
        uint16_t lid, top;
        uint8_t port;
        bool known, routed; /* routed: it should leave by port 2 */
    } rows[] = {{9, 9, 2, true, true},          {63, 63, 2, true, true},      {64, 64, 2, true, true},
                {64, 200, 3, true, false},      {127, 200, 2, true, true},    {128, 200, 2, true, true},
                {130, 129, 2, true, false},     {130, 200, 255, true, false}, {130, 200, 2, false, false},
                {0xbfff, 0xbfff, 2, true, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned stays = 0; stays < 2; stays++) {
            uint8_t routes[64];
            const bool none = rows[i].lid > rows[i].top || rows[i].port == 255;
            memset(routes, rows[i].routed ? 3 : 2, sizeof routes);
            routes[rows[i].lid % 64] = rows[i].port;
            begin(&c);
            set_switch_info(rows[i].top, 0);
            set(ROUTES, rows[i].lid / 64, routes);
            if (!rows[i].known)
                forget(ROUTES, rows[i].lid / 64);
            if (stays)
                stay(rows[i].lid);
            else
                cross(rows[i].lid, 0);
            const uint64_t kind = !rows[i].known      ? 0
                                  : !stays            ? (rows[i].routed ? 0 : BIT(ROUTE_WRONG))
                                  : none              ? BIT(SWITCH_NO_ROUTE)
                                  : rows[i].port == 2 ? BIT(SWITCH_LOST)
                                                      : 0; /* port 3 was not captured */
            end(&c, kind, kind != 0);
        }
}

/* LIDs of multicast groups have other tables, and no LID above the top has a route. */
Test(tables, the_last_lid)
{
    begin(&c);
    stay(0xbfff);
    end(&c, BIT(SWITCH_NO_ROUTE), 1);
    begin(&c);
    stay(0xc000);
    end(&c, 0, 0);
    begin(&c);
    forget(SWITCH_INFO, 0);
    stay(0xbfff);
    end(&c, 0, 0);
}

Test(tables, each_lane)
{
    uint8_t lanes[64] = {0};

    for (uint8_t sl = 0; sl < 16; sl++)
        lanes[sl / 2] = (uint8_t)(lanes[sl / 2] | ((sl * 3 + 1) % 8) << (sl % 2 ? 0 : 4));
    for (uint8_t sl = 0; sl < 16; sl++)
        for (unsigned wrong = 0; wrong < 2; wrong++) {
            begin(&c);
            set_port_info(2, 4, false, false); /* 8 lanes */
            set(LANES, 1U << 8 | 2, lanes);
            c.sl = sl;
            cross(LID, (uint8_t)((sl * 3U + 1 + wrong) % 8));
            end(&c, wrong ? BIT(LANE_WRONG) : 0, wrong);
        }
}

/* OperationalVLs 1 to 5 mean 1, 2, 4, 8 and 15 data lanes. A packet that is mapped to another lane is dropped. */
Test(tables, lanes_that_a_port_has)
{
    static const uint8_t count[] = {0, 1, 2, 4, 8, 15};

    for (uint8_t code = 1; code <= 5; code++)
        for (int over = -1; over <= 0; over++) {
            uint8_t lanes[64] = {0};
            lanes[0] = (uint8_t)((count[code] + over) << 4);
            begin(&c);
            set_port_info(2, code, false, false);
            set(LANES, 1U << 8 | 2, lanes);
            stay(LID);
            end(&c, over == 0 ? BIT(SWITCH_NO_LANE) : BIT(SWITCH_LOST), 1);
        }
}

Test(tables, lanes_that_are_not_known)
{
    for (unsigned lacks = 0; lacks < 2; lacks++) {
        begin(&c);
        forget(lacks ? PORT_INFO : LANES, lacks ? 2 : 1U << 8 | 2);
        cross(LID, 3);
        end(&c, 0, 0);
        begin(&c);
        forget(lacks ? PORT_INFO : LANES, lacks ? 3 : 1U << 8 | 3); /* of another port */
        cross(LID, 3);
        end(&c, BIT(LANE_WRONG), 1);
    }
}

/* A port that enforces partitions lets packets of the partitions in its table pass. */
Test(tables, each_partition)
{
    enum { KEY = 0x8123, NO_KEY = 99, UNKNOWN = 98 };
    static const struct {
        uint8_t port; /* that enforces; its direction: inbound for port 1 */
        bool in, out; /* directions of that port */
        uint8_t keys; /* capacity of tables */
        uint8_t at;   /* place of the packet's key */
        bool foreign; /* none of the keys that count is the packet's */
    } rows[] = {
        {1, true, false, 32, NO_KEY, true},  {1, false, true, 32, NO_KEY, false},  {2, false, true, 32, NO_KEY, true},
        {2, true, false, 32, NO_KEY, false}, {1, true, false, 32, 0, false},       {1, true, false, 32, 31, false},
        {2, false, true, 64, 32, false},     {2, false, true, 64, 63, false},      {2, false, true, 64, NO_KEY, true},
        {1, true, false, 33, 32, false},     {1, true, false, 32, 32, true},       {1, true, false, 31, 31, true},
        {1, true, false, 0, NO_KEY, false},  {2, false, true, 64, UNKNOWN, false}, {1, true, false, 32, UNKNOWN, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned stays = 0; stays < 2; stays++) {
            begin(&c);
            set_switch_info(20, rows[i].keys);
            set_port_info(1, 3, rows[i].port == 1 && rows[i].in, rows[i].port == 1 && rows[i].out);
            set_port_info(2, 3, rows[i].port == 2 && rows[i].in, rows[i].port == 2 && rows[i].out);
            for (uint32_t block = 0; block < 2; block++) {
                uint8_t keys[64];
                for (unsigned k = 0; k < 32; k++) {
                    const uint16_t key = rows[i].at == 32 * block + k ? KEY : 0x8023; /* the lower byte is the same */
                    keys[2 * k] = (uint8_t)(key >> 8);
                    keys[2 * k + 1] = (uint8_t)key;
                }
                set(P_KEYS, (uint32_t)rows[i].port << 16 | block, keys);
            }
            if (rows[i].at == UNKNOWN)
                forget(P_KEYS, (uint32_t)rows[i].port << 16 | 1);
            c.p_key = KEY;
            if (stays)
                stay(LID);
            else
                cross(LID, 0);
            end(&c,
                rows[i].foreign ? stays ? BIT(SWITCH_PARTITION) : BIT(PARTITION_PASSED)
                : stays ? BIT(SWITCH_LOST)
                                : 0,
                rows[i].foreign || stays);
        }
}

/* ---- several switches and interfaces ---- */

/* Packets of data go from S to T and U, a third switch, and back to S, where their loop ends. */
Test(tables, a_loop_of_three)
{
    enum { U = 0xcccc };
    static const struct route to_u = {{1, 2, 6}, {1, 4, 7}, {0, 2, 6}, {1, 4, 7}},
                              back = {{1, 2, 6, 8}, {1, 4, 7, 3}, {0, 2, 6, 8}, {1, 4, 7, 9}};
    uint8_t info[64] = {0};

    begin(&c);
    iba_nodeinfo_set_nodetype(info, 2);
    iba_nodeinfo_set_numports(info, 8);
    iba_nodeinfo_set_nodeguid(info, U);
    iba_nodeinfo_set_localportnum(info, 7);
    ask(&c, &(struct smp){.method = GET, .hops = 3, .attribute = NODE_INFO, .by = &to_u}, info);
    ask(&c, &(struct smp){.method = GET, .hops = 3, .attribute = NODE_INFO, .by = &to_u}, info);
    iba_nodeinfo_set_nodeguid(info, S);
    iba_nodeinfo_set_localportnum(info, 3);
    for (unsigned i = 0; i < 2; i++)
        ask(&c, &(struct smp){.method = GET, .hops = 4, .attribute = NODE_INFO, .by = &back}, info);
    data(&c, 0, LID, 1, 0);
    const uint64_t entered = c.packet.number;
    data(&c, 2, LID, 1, 0);
    data(&c, 6, LID, 1, 0);
    cr_expect_eq(c.n, 0);
    data(&c, 8, LID, 1, 0);
    cr_expect_eq(c.n, 1);
    cr_expect_eq(c.last.frame, c.packet.number);
    cr_expect_eq(c.last.cause, entered);
    data(&c, 2, LID, 1, 0); /* once more around: it is one loop */
    data(&c, 6, LID, 1, 0);
    data(&c, 8, LID, 1, 0);
    c.now += 9 * SECOND_NS;
    end(&c, BIT(ROUTE_LOOP), 1);
}

/* Two interfaces show what port 2 of S sends: packets count once. */
Test(tables, a_port_that_two_interfaces_show)
{
    begin(&c);
    c.transaction++;
    smp(&c, 6, &(struct smp){.method = GET, .hops = 2, .attribute = NODE_INFO}, false, 2);
    data(&c, 0, LID, 1, 0);
    data(&c, 6, LID, 1, 0);
    data(&c, 2, LID, 1, 0);
    data(&c, 4, LID, 1, 0);
    end(&c, BIT(ROUTE_LOOP), 1);
}

/* Interfaces are those of files, too: each file numbers its own from 0. */
Test(tables, interfaces_of_several_files)
{
    begin_as(&c, true);
    cross(LID, 3);
    end(&c, BIT(LANE_WRONG), 1);
}

/* At the end lost packets are reported in the order in which they came. */
Test(tables, the_order_at_the_end)
{
    begin(&c);
    for (uint32_t psn = 1; psn <= 5; psn++)
        data(&c, 0, LID, psn, 0);
    c.now += 9 * SECOND_NS;
    end(&c, BIT(SWITCH_LOST), 5);
    for (uint32_t i = 0; i < 5; i++)
        cr_expect_eq(c.all[i].psn.v, i + 1);
}
