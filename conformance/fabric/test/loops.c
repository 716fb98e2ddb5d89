/* SPDX-License-Identifier: BSD-2-Clause */
/* Credit loops in routes: which tables of switches, lanes and cables allow one. */
#include "loops.h"
#include <stdarg.h>
#include "console_bed.h"

enum { TEXT = 32000 };
static char text[TEXT];

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;

    va_start(args, format);
    cr_assert_lt((size_t)vsnprintf(text + n, sizeof text - n, format, args), sizeof text - n);
    va_end(args);
}

static struct subnet *begin(void)
{
    struct subnet *s;

    topology = topology_of(text);
    s = subnet_new(topology, &(struct subnet_config){0}, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (size_t i = 0; i < subnet_nodes(s); i++)
        for (unsigned p = 0; p <= subnet_node(s, i)->n.cfg.n_port; p++)
            set(s, i, p, 0);
    return s;
}

/* n switches in a ring: each sends by its port 2 to port 3 of the next one, and has an adapter at port 1. The adapter
 * of switch i is node n + i, and has the LID first + i, which is as many as `hops` switches before it know. */
static struct subnet *begin_ring(unsigned n, uint16_t first, unsigned hops)
{
    struct subnet *s;

    text[0] = '\0';
    for (unsigned i = 0; i < n; i++)
        line("Switch 3 \"S%u\"\n[1] \"A%u\"[1]\n[2] \"S%u\"[3]\n", i, i, (i + 1) % n);
    for (unsigned i = 0; i < n; i++)
        line("Hca 1 \"A%u\"\n", i);
    s = begin();
    for (unsigned i = 0; i < n; i++) {
        struct iba_node *sw = &subnet_node(s, i)->n;
        set(s, n + i, 1, (uint16_t)(first + i));
        sw->sw.linearfdbtop = (uint16_t)(first + n - 1);
        for (unsigned k = 0; k <= hops; k++) {
            const unsigned lid = first + (i + k) % n;
            if (lid < sw->cfg.lft)
                sw->lft[lid] = k ? 2 : 1;
        }
    }
    return s;
}

static unsigned loop_of(struct subnet *s, uint16_t sls)
{
    struct lane_loop loop;

    cr_assert(loops_in_routes(s, sls, &loop));
    return loop.n;
}

/* ---- what a loop needs ---- */

enum part { NOTHING, PORT, TOP, LANE, LANES, ADAPTER_LANE, LID, LMC, CABLE, ADAPTER };

/* The change is in what brings packets from switch 0 by switch 1 to LID 3: the ring has no other route with that pair
 * of lanes. */
static void change(struct subnet *s, enum part part, unsigned value)
{
    struct iba_node *sw = &subnet_node(s, 1)->n;

    switch (part) {
    case PORT: sw->lft[3] = (uint8_t)value; break;
    case TOP: sw->sw.linearfdbtop = (uint16_t)value; break;
    case LANE: iba_node_sl2vl(sw, 3, 2)[0] = (uint8_t)value; break;
    case LANES: sw->port[2].info.operationalvls = (uint8_t)value; break;
    case ADAPTER_LANE: iba_node_sl2vl(&subnet_node(s, 3)->n, 0, 1)[0] = (uint8_t)value; break;
    case LID: subnet_node(s, 5)->n.port[1].info.lid = (uint16_t)value; break;
    case LMC:
        sw->lft[3] = 1;
        for (size_t i = 0; i < 3; i++) {
            subnet_node(s, i)->n.sw.linearfdbtop = 9;
            for (unsigned lid = 4; lid <= 9; lid++)
                subnet_node(s, i)->n.lft[lid] = IBA_NO_PORT;
            subnet_node(s, i)->n.lft[6] = i == 2 ? 1 : 2;
        }
        subnet_node(s, 5)->n.port[1].info.lmc = (uint8_t)value;
        break;
    case CABLE: cr_assert(subnet_cable(s, value, 2, false)); break;
    case ADAPTER: subnet_node(s, 3)->n.port[1].info.lid = (uint16_t)value; break;
    default: break;
    }
}

Test(loops, what_a_loop_needs)
{
    static const struct {
        enum part part;
        unsigned value;
        bool loop;
    } rows[] = {
        {NOTHING, 0, true},
        {PORT, 2, true},
        {PORT, 1, false},
        {PORT, 0, false},           /* for the switch itself */
        {PORT, 3, false},           /* back to where it came from */
        {PORT, 4, false},           /* no such port */
        {PORT, IBA_NO_PORT, false}, /* dropped */
        {TOP, 3, true},
        {TOP, 2, false},
        {LANE, 0, true},
        {LANE, 1, false}, /* other packets leave switch 1 by lane 0 */
        {LANE, 15, false},
        {LANES, 1, true}, /* one lane is enough */
        {ADAPTER_LANE, 7, true},
        {ADAPTER_LANE, 8, false}, /* the adapter has eight lanes */
        {LID, 3, true},
        {LID, 0, false},
        {LID, 4, false},
        {LMC, 1, false}, /* LIDs 3 and 4, of which neither goes round */
        {LMC, 2, true},  /* LIDs 3 to 6 */
        {CABLE, 0, false},
        {CABLE, 1, false},
        {ADAPTER, 0, false}, /* a port without a LID sends nothing */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subnet *s = begin_ring(3, 1, 2);
        change(s, rows[i].part, rows[i].value);
        cr_expect_eq(loop_of(s, 1), rows[i].loop ? 3 : 0, "row %zu: %u", i, loop_of(s, 1));
        end(s);
    }
}

/* A switch forwards no LID beyond its table, whatever the top of the table is said to be. */
Test(loops, the_largest_lid)
{
    struct subnet *s = begin_ring(3, 0xbffd, 2);

    cr_assert_eq(subnet_node(s, 0)->n.cfg.lft, 0xc000);
    cr_expect_eq(loop_of(s, 1), 3);
    end(s);
    s = begin_ring(3, 0xbffe, 2);
    cr_expect_eq(loop_of(s, 1), 0);
    end(s);
}

/* Each service level has lanes of its own. */
Test(loops, service_levels)
{
    struct subnet *s = begin_ring(3, 1, 2);

    for (unsigned sl = 0; sl < 16; sl++) {
        uint8_t *const lane = &iba_node_sl2vl(&subnet_node(s, 1)->n, 3, 2)[sl];
        const uint8_t was = *lane;
        const uint16_t own = (uint16_t)(1u << sl);
        cr_expect_eq(loop_of(s, own), 3, "SL %u", sl);
        *lane = 15;
        cr_expect_eq(loop_of(s, own), 0, "SL %u", sl);
        cr_expect_eq(loop_of(s, (uint16_t)~own), 3, "all but SL %u", sl);
        *lane = was;
    }
    cr_expect_eq(loop_of(s, 0), 0);
    end(s);
}

/* ---- long loops and long ways ---- */

/* Of a longer loop the first lanes are named. Each switch has only routes to the next two. */
Test(loops, more_lanes_than_are_named)
{
    static const unsigned lanes[] = {LOOP_MOST - 1, LOOP_MOST, LOOP_MOST + 1};

    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        struct subnet *s = begin_ring(lanes[i], 1, 2);
        struct lane_loop loop;
        cr_assert(loops_in_routes(s, 1, &loop));
        cr_assert_eq(loop.n, i == 0 ? LOOP_MOST - 1 : LOOP_MOST, "%u", loop.n);
        for (unsigned k = 0; k < loop.n; k++)
            cr_expect(loop.at[k].node == k && loop.at[k].port == 2 && loop.at[k].vl == 0, "lane %u", k);
        end(s);
    }
}

/* A packet is followed by 64 ports after the adapter's. The last two switches send it to each other. */
Test(loops, a_long_way)
{
    for (unsigned n = 61; n <= 62; n++) {
        struct subnet *s;
        text[0] = '\0';
        for (unsigned i = 0; i < n + 2; i++)
            line("Switch 4 \"S%u\"\n[2] \"S%u\"[%u]\n", i, i == n + 1 ? n : i + 1, i == n + 1 ? 3 : 1);
        line("Hca 1 \"A\"\n[1] \"S0\"[1]\nHca 1 \"B\"\n[1] \"S%u\"[4]\n", n + 1);
        s = begin();
        set(s, n + 2, 1, 1);
        set(s, n + 3, 1, 2);
        for (size_t i = 0; i < n + 2; i++) {
            subnet_node(s, i)->n.sw.linearfdbtop = 2;
            subnet_node(s, i)->n.lft[2] = 2;
        }
        cr_expect_eq(loop_of(s, 1), n == 61 ? 2 : 0, "by %u switches: %u", n, loop_of(s, 1));
        end(s);
    }
}

/* From one lane packets go on by many others, of which the last one belongs to a loop. */
Test(loops, many_ways_on)
{
    enum { ADAPTERS = 40 };
    struct lane_loop loop;
    struct subnet *s;

    text[0] = '\0';
    line("Switch 3 \"S\"\n[1] \"A\"[1]\n[2] \"T\"[1]\n[3] \"T\"[2]\nSwitch %u \"T\"\nHca 1 \"A\"\n", ADAPTERS + 2);
    for (unsigned i = 3; i <= ADAPTERS + 2; i++)
        line("Hca 1 \"H%u\"\n[1] \"T\"[%u]\n", i, i);
    s = begin();
    set(s, 2, 1, 1);
    for (size_t sw = 0; sw < 2; sw++) {
        struct iba_node *n = &subnet_node(s, sw)->n;
        n->sw.linearfdbtop = ADAPTERS + 2;
        for (uint8_t lid = 3; lid <= ADAPTERS + 2; lid++) {
            n->lft[lid] = sw ? lid : 2;
            set(s, lid, 1, lid);
        }
    }
    cr_expect_eq(loop_of(s, 1), 0);
    subnet_node(s, 1)->n.lft[ADAPTERS + 2] = 2; /* back to where it came from, by the other cable */
    cr_assert(loops_in_routes(s, 1, &loop) && loop.n == 2, "%u", loop.n);
    cr_expect(loop.at[0].node == 0 && loop.at[0].port == 2 && loop.at[1].node == 1 && loop.at[1].port == 2);
    end(s);
}
