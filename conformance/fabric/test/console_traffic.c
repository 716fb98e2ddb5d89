/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic that the console starts, where a subnet has many adapters, or no switch. */
#include "console_bed.h"

/* Twenty adapters at a switch: each sends to more destinations than can wait for their static rate at once. */
static struct subnet *begin_star(unsigned adapters, const struct subnet_config *c)
{
    static char text[4000];
    struct subnet *s;

    (void)snprintf(text, sizeof text, "Switch %u \"S\"\n", adapters);
    for (unsigned i = 1; i <= adapters; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "[%u] \"H%u\"[1]\n", i, i);
    for (unsigned i = 1; i <= adapters; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "Hca 1 \"H%u\"\n", i);
    topology = topology_of(text);
    s = subnet_new(topology, c, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    subnet_node(s, 0)->n.sw.linearfdbtop = (uint16_t)adapters;
    set(s, 0, 0, 0);
    for (unsigned i = 1; i <= adapters; i++) {
        set(s, 0, i, 0);
        set(s, i, 1, (uint16_t)i);
        subnet_node(s, i)->n.port[1].info.guid = UINT64_C(0xfe80000000000000);
        subnet_node(s, 0)->n.lft[i] = (uint8_t)i;
    }
    return s;
}

Test(console_traffic, many_adapters)
{
    static const struct row rows[] =
        {
            {"flood 1 0 3",
             "sent\t380\ndelivered\t380\ntwice\t0\nastray\t0\nwaiting\t0\nunsent\t0\nlost\t0\nns\t4458\n"},
        },
                            more[] = {{"flood 1000000 0 0", "error: too many packets, or no memory\n"}};
    struct subnet *s = begin_star(20, &(struct subnet_config){0});

    TABLE(s, rows);
    end(s);
    s = begin_star(67, &(struct subnet_config){0});
    TABLE(s, more);
    end(s);
}

/* A packet to a multicast group arrives where nobody has its LID. */
Test(console_traffic, packets_that_go_astray)
{
    static const struct row rows[] = {
        {"send H1 1 0xc000", "H1\t1\nS\t3\nastray\tH3 1\n"},
        {"send H1 1 0xc001", "H1\t1\nlost\n"},
    };
    struct subnet *s = begin_star(3, &(struct subnet_config){0});
    struct iba_node *n = &subnet_node(s, 0)->n;

    n->sw.multicastfdbtop = 0xc000;
    n->mft[0] = 1u << 3;
    TABLE(s, rows);
    end(s);
}

/* Two adapters and a cable. The first node of the file is one of them. */
Test(console_traffic, without_a_switch)
{
    static const struct row rows[] = {
        {"pairs", "packets\t6\ndelivered\t6\nastray\t0\nloop\t0\nlost\t0\nhops\t6\nmost_hops\t1\n"},
        {"flood 2 0 0", "sent\t4\ndelivered\t4\ntwice\t0\nastray\t0\nwaiting\t0\nunsent\t0\nlost\t0\nns\t548\n"},
        {"loops 0", "loop\t0\n"},
    };
    struct subnet *s;

    topology = topology_of("Hca 2 \"A\"\n[2] \"B\"[1]\nHca 1 \"B\"\n");
    s = subnet_new(topology, &(struct subnet_config){0}, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    set(s, 0, 2, 8);
    set(s, 1, 1, 12);
    subnet_node(s, 0)->n.port[2].info.guid = subnet_node(s, 1)->n.port[1].info.guid;
    subnet_node(s, 1)->n.port[1].info.lmc = 2; /* 12 to 15 */
    subnet_node(s, 0)->n.port[2].info.lmc = 1; /* 8, 9 */
    TABLE(s, rows);
    end(s);
}
