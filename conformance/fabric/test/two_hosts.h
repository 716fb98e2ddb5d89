/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet with routes between two hosts, for tests of the servers. */
#ifndef IBF_TEST_TWO_HOSTS_H
#define IBF_TEST_TWO_HOSTS_H
#include <criterion/criterion.h>
#include "subnet.h"

/* The first nodes of the topology: the switch, and the adapters at its ports 1 and 2. */
enum { S, A, B };

static inline struct iba_node_port *two_hosts_port(struct subnet *s, size_t node, unsigned port)
{
    return &subnet_node(s, node)->n.port[port];
}

/* Makes the subnet. All links are Active. A has LID 2 and 3 (LMC 1), B has 4 at its port 2, the switch 5. The caller
 * owns the result: subnet_free(). */
static inline struct subnet *two_hosts(const struct topology *t, const struct subnet_events *events)
{
    static const struct {
        size_t node;
        unsigned port, lid;
    } ports[] = {{S, 0, 5}, {S, 1, 0}, {S, 2, 0}, {A, 1, 2}, {B, 2, 4}};
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, events);

    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        two_hosts_port(s, ports[i].node, ports[i].port)->info.portstate = IBA_PORT_ACTIVE;
        two_hosts_port(s, ports[i].node, ports[i].port)->info.lid = (uint16_t)ports[i].lid;
    }
    two_hosts_port(s, A, 1)->info.lmc = 1;
    struct iba_node *sw = &subnet_node(s, S)->n;
    sw->sw.linearfdbtop = 5;
    sw->lft[2] = sw->lft[3] = 1;
    sw->lft[4] = 2;
    sw->lft[5] = 0;
    return s;
}
#endif
