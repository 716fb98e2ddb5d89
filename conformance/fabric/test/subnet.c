/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes and cables on virtual time. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "subnet.h"

struct seen {
    unsigned sent, received;
    iba_time sent_at, received_at;
    size_t len;
};

static void sent(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    struct seen *s = ctx;

    (void)packet;
    cr_expect(node < 3 && port > 0);
    s->sent++;
    s->sent_at = now;
    s->len = len;
}

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    struct seen *s = ctx;

    (void)packet;
    (void)len;
    cr_expect(node == 1 && port == 1, "back at the adapter that asked");
    s->received++;
    s->received_at = now;
}

static struct topology *two_adapters(void)
{
    static const char text[] = "Switch\t4 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\nHca 1 \"A\"\nHca 1 \"B\"\n";
    const int fd = memfd_create("topology", 0);
    char path[64], err[TOPOLOGY_ERROR] = "";
    struct topology *t;

    cr_assert(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    t = topology_read(path, err);
    (void)close(fd);
    cr_assert_not_null(t, "%s", err);
    return t;
}

/* A Get(NodeInfo) along the ports of a path. */
static void ask(struct subnet *s, uint8_t hops, uint8_t first, uint8_t second)
{
    const struct iba_mgmt_to to = {.dlid = 0xffff, .slid = 0xffff, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES] = {1, IBA_CLASS_DIRECTED, 1, 1}, packet[IBA_MGMT_BYTES];

    mad[7] = hops;
    iba_madhdr_set_attributeid(mad, 0x11);
    iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, 0xffff);
    iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, 0xffff);
    mad[129] = first;
    mad[130] = second;
    subnet_send(s, 1, 1, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad));
}

Test(subnet, cables_come_up)
{
    struct topology *t = two_adapters();
    struct subnet *s = subnet_new(t, &(struct subnet_events){0});

    cr_assert_not_null(s);
    subnet_run(s, 0);
    cr_expect_eq(subnet_node(s, 0)->n.port[1].info.portstate, IBA_PORT_INIT);
    cr_expect_eq(subnet_node(s, 2)->n.port[1].info.portphysicalstate, IBA_PHYS_LINKUP);
    cr_expect_eq(subnet_node(s, 0)->n.port[3].info.portstate, IBA_PORT_DOWN);
    cr_expect(subnet_cable(s, 2, 1, false));
    subnet_run(s, 0);
    cr_expect_eq(subnet_node(s, 0)->n.port[2].info.portstate, IBA_PORT_DOWN);
    cr_expect(!subnet_cable(s, 0, 3, true), "there is none");
    cr_expect_eq(subnet_find(s, "B"), 2);
    cr_expect_eq(subnet_find(s, "C"), -1);
    subnet_free(s);
    topology_free(t);
}

/* Two wires out and two back, each of which takes the time of its bits: 4 lanes of EDR carry a byte in 80 ps. */
Test(subnet, packets_take_their_time)
{
    struct topology *t = two_adapters();
    struct seen seen = {0};
    struct subnet *s = subnet_new(t, &(struct subnet_events){sent, received, &seen});

    cr_assert_not_null(s);
    subnet_run(s, 1000);
    ask(s, 2, 1, 2);
    subnet_run(s, 1000000);
    cr_expect_eq(seen.sent, 4);
    cr_expect_eq(seen.received, 1);
    cr_expect_eq(seen.len, IBA_MGMT_BYTES);
    cr_expect_eq(seen.received_at - 1000, 4 * (IBA_MGMT_BYTES * 80 / 1000));
    cr_expect_eq(subnet_in_flight(s), 0);
    subnet_free(s);
    topology_free(t);
}

Test(subnet, a_route_to_nowhere_ends)
{
    struct topology *t = two_adapters();
    struct seen seen = {0};
    struct subnet *s = subnet_new(t, &(struct subnet_events){sent, received, &seen});

    cr_assert_not_null(s);
    subnet_run(s, 0);
    ask(s, 2, 1, 3);
    ask(s, 2, 1, 77);
    subnet_run(s, 1000000);
    cr_expect_eq(seen.sent, 2);
    cr_expect_eq(seen.received, 0);
    cr_expect_eq(subnet_deadline(s), IBA_NEVER);
    subnet_free(s);
    topology_free(t);
}
