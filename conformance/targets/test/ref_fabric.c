/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet of the reference target: packets cross it, time passes in it no further than it must, and what it cannot
 * do is refused. */
#include <string.h>
#include "bed.h"

enum { TO_HOST = 12, FROM_HOST = 11, ADAPTER_LID = 12 };
/* A switch whose port 1 is the tester's; a cable leads from its port 2 to the only port of an adapter. */
enum { S0, S1, S2, S3, H0, H1, ENDS };
static const struct ibc_fabric subnet = {
    .n_node = 2,
    .node = {{.name = "s", .type = IBA_NODE_SWITCH, .ports = 3, .state = IBA_PORT_ACTIVE, .vls = 1, .lid = 1},
             {.name = "h", .type = IBA_NODE_CA, .ports = 1, .state = IBA_PORT_ACTIVE, .vls = 1, .lid = ADAPTER_LID}},
    .n_end = ENDS,
    .end = {[S0] = {0, 0, 0},
            [S1] = {0, 1, 0},
            [S2] = {0, 2, H1 + 1},
            [S3] = {0, 3, 0},
            [H0] = {1, 0, 0},
            [H1] = {1, 1, S2 + 1}},
};
static struct ibc_target *t;
static uint8_t frame[IBC_FRAME], packet[IBA_MGMT_BYTES];
static size_t len;
static uint64_t at;
static unsigned from;

static void begin(void)
{
    char err[160] = "";

    t = ibc_target_open("reference", err, sizeof err);
    cr_assert(t && t->ops->reset(t, IBC_LINK_ib_local, 1) == IBC_OK, "%s", err);
}

static void end(void)
{
    ibc_target_close(t);
}

TestSuite(ref_fabric, .init = begin, .fini = end);

static void opened(const struct ibc_fabric *f)
{
    cr_assert_eq(t->ops->fabric_open(t, f), IBC_OK, "%s", t->fault);
}

/* Builds a datagram for QP1 whose class no agent of a node answers, so that the node's software receives it. */
static void build(uint16_t dlid, uint16_t slid)
{
    const struct iba_mgmt_to to = {.dlid = dlid, .slid = slid, .dqp = 1, .sqp = 1, .psn = 7, .pkey = 0xffff};
    const uint8_t mad[IBA_MAD_BYTES] = {1, 0x30, 1, 1};

    cr_assert_eq(iba_mgmt_build(packet, &to, 0, mad), sizeof packet);
}

static enum ibc_rc collect(uint64_t until)
{
    return t->ops->collect_any(t, until, frame, &len, &at, &from);
}

static void comes(unsigned by)
{
    cr_assert_eq(collect(t->ops->now(t) + BED_SECOND), IBC_OK, "%s", t->fault);
    cr_assert_eq(len, sizeof packet, "%zu bytes", len);
    cr_assert_eq(from, by, "by end %u", from);
    cr_assert_eq(memcmp(frame, packet, len), 0, "a switch changes nothing");
    cr_assert_eq(at, t->ops->now(t));
}

static void nothing_comes(void)
{
    cr_assert_eq(collect(t->ops->now(t) + BED_SECOND), IBC_OK, "%s", t->fault);
    cr_assert_eq(len, 0, "by end %u", from);
}

static void sends(unsigned by)
{
    cr_assert_eq(t->ops->inject(t, by, packet, sizeof packet), IBC_OK, "%s", t->fault);
}

Test(ref_fabric, packets_cross_it)
{
    opened(&subnet);
    build(TO_HOST, FROM_HOST);
    sends(S1);
    comes(H0);
    nothing_comes();
    build(FROM_HOST, TO_HOST);
    sends(H0);
    comes(S1);
    build(13, TO_HOST); /* the host at port 3 */
    sends(H0);
    comes(S3);
    build(1, TO_HOST); /* the switch */
    sends(H0);
    comes(S0);
    build(14, TO_HOST); /* a LID without a route */
    sends(H0);
    nothing_comes();
}

Test(ref_fabric, routes_of_the_scenario)
{
    struct ibc_fabric f = subnet;

    f.route[0] = (struct ibc_route){.node = 0, .port = 3, .lid = 40};
    f.route[1] = (struct ibc_route){.node = 1, .port = 2, .lid = 41}; /* an adapter has no routes */
    f.route[2] = (struct ibc_route){.node = 0, .port = 1, .lid = 1023};
    f.route[3] = (struct ibc_route){.node = 0, .port = 1, .lid = 1024}; /* above the table */
    f.n_route = 4;
    opened(&f);
    build(40, 11);
    sends(S1);
    comes(S3);
    build(1023, 13);
    sends(S3);
    comes(S1);
    build(41, 11);
    sends(S1);
    nothing_comes();
    build(1024, 13);
    sends(S3);
    nothing_comes();
}

Test(ref_fabric, a_cable_is_pulled_and_plugged)
{
    opened(&subnet);
    cr_assert_eq(t->ops->fabric_plug(t, ENDS, false), IBC_UNSUPPORTED);
    cr_assert_eq(t->ops->fabric_plug(t, S2, false), IBC_UNSUPPORTED, "a cable of the subnet");
    cr_assert_eq(t->ops->fabric_plug(t, S0, false), IBC_UNSUPPORTED, "software has no cable");
    cr_assert_eq(t->ops->fabric_plug(t, S3, false), IBC_OK);
    build(13, TO_HOST);
    sends(H0);
    nothing_comes();
    build(TO_HOST, FROM_HOST);
    sends(S1); /* the other ports work on */
    comes(H0);
    cr_assert_eq(t->ops->fabric_plug(t, S3, true), IBC_OK);
    build(13, TO_HOST);
    sends(H0); /* no manager has made the port active since */
    nothing_comes();
}

Test(ref_fabric, what_cannot_be_sent)
{
    opened(&subnet);
    build(TO_HOST, FROM_HOST);
    cr_expect_eq(t->ops->inject(t, ENDS, packet, sizeof packet), IBC_BROKEN);
    cr_expect_str_eq(t->fault, "the tester has no end 6", "%s", t->fault);
    cr_expect_eq(t->ops->inject(t, S2, packet, sizeof packet), IBC_BROKEN, "a cable of the subnet");
    cr_expect_str_eq(t->fault, "the tester has no end 2", "%s", t->fault);
    cr_expect_eq(t->ops->inject(t, S1, frame, IBA_PACKET_MOST + 1), IBC_BROKEN);
    cr_expect_str_eq(t->fault, "a packet of 4353 bytes, more than 4352", "%s", t->fault);
    cr_expect_eq(t->ops->inject(t, S1, frame, IBA_PACKET_MOST), IBC_OK);
    nothing_comes();
}

Test(ref_fabric, nodes_that_are_too_large)
{
    struct ibc_fabric f = subnet;

    f.node[0].ports = 200;
    for (unsigned i = 0; i < 2; i++) {
        cr_expect_eq(t->ops->fabric_open(t, &f), IBC_BROKEN, "whichever node it is");
        cr_expect_str_eq(t->fault, "a node is too large for this target");
        struct ibc_node_spec first = f.node[0];
        f.node[0] = f.node[1];
        f.node[1] = first;
    }
    cr_assert_eq(collect(t->ops->now(t) + 1), IBC_OK, "the adapters are there as before");
    cr_assert_eq(len, 0);
    opened(&subnet);
    build(TO_HOST, FROM_HOST);
    sends(S1);
    comes(H0);
    cr_assert_eq(t->ops->reset(t, IBC_LINK_ib_local, 1), IBC_OK);
    cr_assert_eq(t->ops->inject(t, S3, packet, sizeof packet), IBC_OK, "no end, but the first adapter");
}

Test(ref_fabric, time_goes_no_further_than_it_must)
{
    struct ibc_fabric f = subnet;
    const uint64_t begun = t->ops->now(t);

    opened(&f);
    nothing_comes();
    cr_assert_eq(t->ops->now(t), begun + BED_SECOND);
    cr_assert_eq(collect(begun), IBC_OK);
    cr_assert(len == 0 && t->ops->now(t) == begun + BED_SECOND && at == begun + BED_SECOND, "time does not go back");
    build(TO_HOST, FROM_HOST);
    sends(S1);
    comes(H0);
    cr_assert_lt(at, begun + BED_SECOND + BED_MS, "the packet takes its time on two wires only");
}

Test(ref_fabric, a_subnet_that_never_rests_is_dead)
{
    struct ibc_fabric f = subnet;
    unsigned n = 0;

    for (unsigned i = 0; i < f.n_node; i++)
        f.node[i].buffer = IBA_BUFFER_LEAST, f.node[i].refresh = true;
    opened(&f);
    while (collect(UINT64_MAX - 1) == IBC_OK && n <= 100000) {
        cr_assert_gt(len, 0, "flow control never ends");
        n++;
    }
    cr_expect_eq(n, 100000, "%u", n);
    cr_expect_str_eq(t->fault, "the subnet does not stop sending", "%s", t->fault);
}
