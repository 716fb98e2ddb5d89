/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that wait: for the wire, for credits that come, or for credits that never come. The console's tests have
 * packets that stop each other. */
#include <string.h>
#include "console_bed.h"
#include "loops.h"

/* Three adapters at a switch, with the LIDs 1 to 3, and two lanes. B's receive buffer has a size of its own. */
static struct subnet *begin(uint16_t buffer, uint16_t of_b)
{
    enum { TWO_LANES = 2, FOREVER = 31 };
    struct subnet *s;

    topology = topology_of("Switch 3 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\n[3] \"C\"[1]\n"
                           "Hca 1 \"A\"\nHca 1 \"B\"\nHca 1 \"C\"\n");
    s = subnet_new(topology, &(struct subnet_config){.buffer = buffer}, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_node(s, 2)->n.cfg.buffer = of_b;
    subnet_run(s, 0);
    subnet_node(s, 0)->n.sw.lifetimevalue = FOREVER;
    for (uint8_t i = 1; i <= 3; i++) {
        struct iba_portinfo *sw = &subnet_node(s, 0)->n.port[i].info;
        sw->hoqlife = FOREVER;
        sw->operationalvls = subnet_node(s, i)->n.port[1].info.operationalvls = TWO_LANES;
        set(s, 0, i, 0);
        set(s, i, 1, i);
        subnet_node(s, 0)->n.lft[i] = i;
    }
    subnet_node(s, 0)->n.sw.linearfdbtop = 3;
    subnet_run(s, 100000);
    return s;
}

/* Sends packets to LID 2, by this lane of each wire: a port gives each service level a lane of its own. */
static void post(struct subnet *s, size_t node, uint8_t lane, unsigned n)
{
    const struct iba_mgmt_to to = {.dlid = 2, .slid = (uint16_t)node, .dqp = 9, .pkey = 0xffff, .sl = lane};
    static const uint8_t mad[IBA_MAD_BYTES];
    uint8_t packet[IBA_MGMT_BYTES];

    for (unsigned i = 0; i < n; i++)
        subnet_send(s, node, 1, packet, iba_mgmt_build(packet, &to, lane, mad));
}

static struct stalls stalls_of(struct subnet *s)
{
    struct stalls found;

    memset(&found, 0x5a, sizeof found);
    cr_assert(stalls_find(s, &found));
    return found;
}

Test(stalls, packets_that_move)
{
    static const struct {
        uint16_t buffer;
        unsigned a, c;  /* packets that each adapter sends; each has 5 blocks */
        size_t waiting; /* at most at one time: both adapters share the way to the third */
    } rows[] = {{0, 0, 0, 0},  {0, 60, 0, 0},  {0, 60, 60, 0}, {80, 0, 0, 0},
                {80, 4, 0, 0}, {80, 16, 0, 0}, {80, 60, 0, 0}, {80, 60, 60, 2}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subnet *s = begin(rows[i].buffer, rows[i].buffer);
        struct stalls found;
        size_t most = 0;
        post(s, 1, 0, rows[i].a);
        post(s, 3, 0, rows[i].c);
        for (iba_time until = subnet_now(s); subnet_waiting(s) > 0 && subnet_deadline(s) != IBA_NEVER;) {
            found = stalls_of(s);
            cr_expect(found.stuck == 0 && found.loop.n == 0, "row %zu: %zu", i, found.stuck);
            most = found.waiting > most ? found.waiting : most;
            subnet_run(s, until = subnet_deadline(s));
        }
        cr_expect_eq(most, rows[i].waiting, "row %zu: %zu", i, most);
        found = stalls_of(s);
        cr_expect(found.waiting == 0 && found.stuck == 0 && found.loop.n == 0 && subnet_waiting(s) == 0, "row %zu", i);
        end(s);
    }
}

/* B's buffer is too small for a packet, so the packets to it fill the switch's buffer for A's port, whose own packets
 * are stuck then, too. Those of another lane, or of another port, have the room of their own. */
Test(stalls, packets_that_get_stuck)
{
    enum { SMALL = 4, BLOCKS = 5, BUFFER = 16 * BLOCKS };
    static const struct {
        size_t node;
        uint8_t lane;
        unsigned n;   /* packets that come later */
        size_t stuck; /* lanes: the switch's to B, and A's */
    } rows[] = {{1, 0, 0, 1}, {1, 0, 1, 2}, {1, 1, 2, 1}, {3, 0, 2, 1}, {3, 1, 2, 1}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subnet *s = begin(BUFFER, SMALL);
        struct stalls found;
        post(s, 1, 0, 16);
        subnet_run(s, subnet_now(s) + 100000);
        post(s, rows[i].node, rows[i].lane, rows[i].n);
        found = stalls_of(s);
        cr_expect_eq(found.stuck, rows[i].stuck, "row %zu: %zu", i, found.stuck);
        cr_assert_eq(found.loop.n, 1, "row %zu: %u", i, found.loop.n);
        cr_expect(found.loop.at[0].node == 0 && found.loop.at[0].port == 2 && found.loop.at[0].vl == 0, "row %zu", i);
        cr_expect_eq(found.waiting, rows[i].stuck, "row %zu: %zu", i, found.waiting);
        end(s);
    }
}
