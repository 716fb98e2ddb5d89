/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that wait, but can move: for the wire, or for credits that come. The console's tests have stuck ones. */
#include <string.h>
#include "console_bed.h"
#include "loops.h"

/* Three adapters at a switch, with the LIDs 1 to 3. */
static struct subnet *begin(uint16_t buffer)
{
    struct subnet *s;

    topology = topology_of("Switch 3 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\n[3] \"C\"[1]\n"
                           "Hca 1 \"A\"\nHca 1 \"B\"\nHca 1 \"C\"\n");
    s = subnet_new(topology, &(struct subnet_config){.buffer = buffer}, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (uint8_t i = 1; i <= 3; i++) {
        set(s, 0, i, 0);
        set(s, i, 1, i);
        subnet_node(s, 0)->n.lft[i] = i;
    }
    subnet_node(s, 0)->n.sw.linearfdbtop = 3;
    subnet_run(s, 100000);
    return s;
}

/* Sends packets to LID 2. */
static void post(struct subnet *s, size_t node, unsigned n)
{
    const struct iba_mgmt_to to = {.dlid = 2, .slid = (uint16_t)node, .dqp = 9, .pkey = 0xffff};
    static const uint8_t mad[IBA_MAD_BYTES];
    uint8_t packet[IBA_MGMT_BYTES];

    for (unsigned i = 0; i < n; i++)
        subnet_send(s, node, 1, packet, iba_mgmt_build(packet, &to, 0, mad));
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
        struct subnet *s = begin(rows[i].buffer);
        struct stalls found;
        size_t most = 0;
        post(s, 1, rows[i].a);
        post(s, 3, rows[i].c);
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
