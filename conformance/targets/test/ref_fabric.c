/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet of the reference target: packets cross it, time passes in it no further than it must, and what it cannot
 * do is refused. */
#include <string.h>
#include "bed.h"
#include "targets/reference.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

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
    build(13, 1); /* the switch's own software */
    sends(S0);
    comes(S3);
    build(FROM_HOST, 1);
    sends(S0);
    comes(S1);
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

/* Asks the switch for the state of a port, as a subnet manager at S1 does. */
static unsigned state_of(uint8_t port)
{
    enum { MAD_AT = 8 + 12 + 8, PORTINFO = 0x15, STATE_AT = 64 + 32 }; /* LRH, BTH, DETH; 14.2.5.6 */
    const struct iba_mgmt_to to = {.dlid = 1, .slid = FROM_HOST, .psn = 7, .pkey = 0xffff};
    const uint8_t mad[IBA_MAD_BYTES] = {1, 1, 1, 1, [17] = PORTINFO, [23] = port};

    cr_assert_eq(iba_mgmt_build(packet, &to, IBA_VL15, mad), sizeof packet);
    sends(S1);
    cr_assert_eq(collect(t->ops->now(t) + BED_SECOND), IBC_OK, "%s", t->fault);
    cr_assert_eq(len, sizeof packet);
    cr_assert_eq(frame[MAD_AT + 3], 0x81, "a response to a GET");
    return frame[MAD_AT + STATE_AT] & 0xf;
}

/* The ports with a link get the state that the scenario names. Port 0 of a switch has no link, and is always active. */
Test(ref_fabric, states_of_ports)
{
    static const uint8_t states[] = {IBA_PORT_INIT, IBA_PORT_ARMED, IBA_PORT_ACTIVE};

    for (size_t i = 0; i < sizeof states; i++) {
        struct ibc_fabric f = subnet;
        f.node[0].state = states[i];
        opened(&f);
        cr_expect_eq(state_of(0), IBA_PORT_ACTIVE);
        for (uint8_t port = 1; port <= 3; port++)
            cr_expect_eq(state_of(port), states[i], "port %u: %u", port, state_of(port));
    }
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

/* Ports that an earlier subnet had at an end are forgotten. */
Test(ref_fabric, ends_of_an_earlier_subnet)
{
    struct ibc_fabric f = subnet;

    opened(&subnet);
    cr_assert_eq(t->ops->fabric_plug(t, S3, true), IBC_OK);
    f.end[S3] = subnet.end[S0]; /* software of the switch */
    opened(&f);
    cr_expect_eq(t->ops->fabric_plug(t, S3, true), IBC_UNSUPPORTED);
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

/* Each expiry of a timer counts as a round, and rounds are limited. The ports send flow-control packets at regular
 * intervals. */
Test(ref_fabric, timers_that_never_stop)
{
    struct ibc_fabric f = {.n_node = 1, .node = {subnet.node[0]}, .n_end = 2, .end = {{0, 1, 0}, {0, 2, 0}}};
    struct reference *r = reference_of(t);
    unsigned n = 0;

    f.node[0].buffer = IBA_BUFFER_LEAST;
    f.node[0].refresh = true;
    opened(&f);
    while (collect(t->ops->now(t)) == IBC_OK && len > 0)
        continue;
    r->rounds = REF_MOST_ROUNDS - 3;
    while (collect(t->ops->now(t) + BED_SECOND) == IBC_OK && n < 100)
        n++;
    cr_expect_str_eq(t->fault, "the timers of the subnet do not stop", "%s", t->fault);
    cr_expect_eq(r->rounds, REF_MOST_ROUNDS + 1);
    cr_expect_eq(len, 0);
}

/* A cable leads from the switch to itself, and a packet goes round by it. */
Test(ref_fabric, a_packet_that_goes_round)
{
    struct ibc_fabric f = {.n_node = 1,
                           .node = {subnet.node[0]},
                           .n_end = 3,
                           .end = {{0, 1, 0}, {0, 2, 3}, {0, 3, 2}},
                           .n_route = 1,
                           .route = {{.node = 0, .port = 2, .lid = 50}}};
    struct reference *r = reference_of(t);
    unsigned still = 0, round = 0;

    for (unsigned left = 1; left <= 6; left++) { /* in the last round time passes, or the packet moves */
        opened(&f);
        build(50, FROM_HOST);
        cr_assert_eq(t->ops->inject(t, 0, packet, sizeof packet), IBC_OK);
        r->rounds = REF_MOST_ROUNDS - left;
        cr_assert_eq(collect(t->ops->now(t) + BED_SECOND), IBC_DEAD, "left %u", left);
        still += strcmp(t->fault, "the timers of the subnet do not stop") == 0;
        round += strcmp(t->fault, "a packet does not stop going round") == 0;
        cr_expect_eq(r->rounds, REF_MOST_ROUNDS + 1);
    }
    cr_expect(still + round == 6 && round > 0, "%u and %u", still, round);
}

/* ---- nodes as a subnet manager sees them ---- */

/* Asks the node of that LID for an attribute, and returns its data. */
static const uint8_t *asked(uint16_t lid, uint16_t attribute, uint32_t modifier)
{
    enum { DATA = 64, SMP = 8 + 12 + 8 }; /* LRH, BTH, DETH */
    const struct iba_mgmt_to to = {.dlid = lid, .slid = FROM_HOST, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES] = {1, 1, 1, 1, [17] = (uint8_t)attribute, [23] = (uint8_t)modifier};

    memcpy(mad + 24, "\x11\x22\x33\x44\x55\x66\x77\x88", 8); /* the M_Key */
    cr_assert_eq(iba_mgmt_build(packet, &to, IBA_VL15, mad), sizeof packet);
    sends(S1);
    cr_assert_eq(collect(t->ops->now(t) + BED_SECOND), IBC_OK, "%s", t->fault);
    cr_assert(len == sizeof packet && from == S1, "%zu bytes by end %u", len, from);
    cr_assert_eq(iba_lrh_dlid(frame), FROM_HOST);
    cr_assert_eq(frame[SMP + 3], 0x81, "a response");
    cr_assert_eq(frame[SMP + 4] << 8 | frame[SMP + 5], 0, "status");
    return frame + SMP + DATA;
}

static unsigned two(const uint8_t *d)
{
    return (unsigned)d[0] << 8 | d[1];
}

Test(ref_fabric, nodes)
{
    static const uint16_t lids[] = {1, ADAPTER_LID};
    const uint8_t *d;

    opened(&subnet);
    for (unsigned i = 0; i < 2; i++) {
        const char *const guid = i ? "\x00\x05\x92\x06\x00\x00\x02\x00" : "\x00\x02\xc9\x03\x00\x00\x01\x00";
        d = asked(lids[i], 0x11, 0); /* NodeInfo */
        cr_expect(d[2] == (i ? IBA_NODE_CA : IBA_NODE_SWITCH) && d[3] == (i ? 1 : 3), "type and ports");
        cr_expect(memcmp(d + 4, guid, 8) == 0 && memcmp(d + 12, guid, 8) == 0, "node %u: GUIDs", i);
        cr_expect(two(d + 28) == 64 && two(d + 30) == 7 && two(d + 38) == 0x1234, "P_Keys, device, vendor");
        cr_expect_str_eq((const char *)asked(lids[i], 0x10, 0), "reference");
    }
    d = asked(1, 0x12, 0); /* SwitchInfo */
    cr_expect(two(d) == 1024 && two(d + 4) == 64 && two(d + 14) == 32, "tables: %u, %u, %u", two(d), two(d + 4),
              two(d + 14));
    cr_expect_eq(d[11] & 4, 0, "no port has changed");
    cr_expect_eq(two(d + 6), 13, "the host at port 3 has the highest LID that has a route: %u", two(d + 6));
    struct ibc_fabric f = subnet;
    f.node[0].lid = 30;
    opened(&f);
    cr_expect_eq(two(asked(30, 0x12, 0) + 6), 30, "its own");
    f.n_route = 1;
    f.route[0] = (struct ibc_route){.node = 0, .port = 1, .lid = 40};
    opened(&f);
    cr_expect_eq(two(asked(30, 0x12, 0) + 6), 40, "a route of the scenario");
}

Test(ref_fabric, ports)
{
    struct ibc_fabric f = subnet;
    struct ibc_node_spec *h = &f.node[1];
    const uint8_t *d;

    h->sm = 9;
    h->lmc = 2;
    h->mkey = UINT64_C(0x1122334455667788);
    h->protect = 2;
    h->lease = 0x1234;
    h->vls = f.node[0].vls = 4;
    opened(&f);
    d = asked(ADAPTER_LID, 0x15, 1); /* PortInfo */
    cr_expect_arr_eq(d, "\x11\x22\x33\x44\x55\x66\x77\x88", 8);
    cr_expect(two(d + 16) == ADAPTER_LID && two(d + 18) == 9 && two(d + 26) == 0x1234);
    cr_expect_eq(d[34], 2 << 6 | 2, "protection and LMC: 0x%02x", d[34]);
    cr_expect_eq(d[30], 3, "widths: 0x%02x", d[30]);
    cr_expect_eq(d[32], 7 << 4 | IBA_PORT_ACTIVE, "speeds and state: 0x%02x", d[32]);
    cr_expect_eq(d[33] >> 4, IBA_PHYS_LINKUP);
    cr_expect_eq(iba_portinfo_linkspeedextsupported(d), 3, "extended speeds: %u",
                 iba_portinfo_linkspeedextsupported(d));
    cr_expect_eq(d[37] >> 4, 4, "lanes: 0x%02x", d[37]);
    cr_expect(d[39] == 64 && d[40] == 64, "arbitration: %u, %u", d[39], d[40]);
    cr_expect_eq(d[41] & 15, IBA_MTU_4096, "MTU: 0x%02x", d[41]);
    f.node[0].state = IBA_PORT_ARMED;
    f.node[0].sm = 7;
    f.node[0].lmc = 1;
    opened(&f);
    for (unsigned p = 0; p <= 3; p++) {
        d = asked(1, 0x15, p);
        if (p > 0)
            cr_expect_eq(d[32] & 15, IBA_PORT_ARMED, "port %u: 0x%02x", p, d[32]);
        else
            cr_expect(two(d + 16) == 1 && two(d + 18) == 7, "the switch itself");
    }
}

/* A port to which no cable leads stays down, whatever state the scenario gives to the node. */
Test(ref_fabric, a_port_without_a_link)
{
    struct ibc_fabric f = subnet;

    f.n_end = S3; /* the third port has no end */
    for (unsigned i = S3; i < ENDS; i++)
        f.end[f.n_end++] = i == S3 ? f.end[H0] : i == H0 ? f.end[H1] : (struct ibc_end){0};
    f.n_end = S3 + 2;
    f.end[S2].to = S3 + 2;
    f.end[S3 + 1].to = S2 + 1;
    opened(&f);
    cr_expect_eq(asked(1, 0x15, 3)[32] & 15, IBA_PORT_DOWN);
    cr_expect_eq(asked(1, 0x15, 2)[32] & 15, IBA_PORT_ACTIVE);
}

/* Software of an adapter with a static rate leaves time between its packets: 1 halves the rate, 3 divides it by four.
 */
Test(ref_fabric, a_static_rate)
{
    static const uint8_t ipd[] = {0, 1, 3};
    uint64_t apart[3];

    for (unsigned i = 0; i < 3; i++) {
        struct ibc_fabric f = subnet;
        f.node[1].ipd = ipd[i];
        opened(&f);
        build(FROM_HOST, TO_HOST);
        sends(H0);
        sends(H0);
        comes(S1);
        const uint64_t first = at;
        comes(S1);
        apart[i] = at - first;
    }
    cr_expect(apart[0] < apart[1] && apart[1] < apart[2], "%lu %lu %lu", (unsigned long)apart[0],
              (unsigned long)apart[1], (unsigned long)apart[2]);
}

/* ---- a router ---- */

/* A router of three subnets, of which the tester is a host at each port. */
static const struct ibc_fabric routed = {
    .n_node = 1,
    .node = {{.name = "r", .type = IBA_NODE_ROUTER, .ports = 3, .state = IBA_PORT_ACTIVE, .vls = 1, .lid = 21}},
    .n_end = 3,
    .end = {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}},
};

/* Sends a datagram with this destination to the router, from host 1 of subnet FEC0:0:0:n. */
static void sends_to(unsigned n, const uint8_t dgid[16])
{
    static const uint8_t data[256];
    uint8_t bytes[512], sgid[16] = {0xfe, 0xc0, [7] = (uint8_t)n, [15] = 1};
    struct iba_recipe r;
    size_t size;

    iba_recipe_init(&r, IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY);
    iba_lrh_set_slid(iba_recipe_part(&r, IBA_H_lrh), 10 + n);
    iba_lrh_set_dlid(iba_recipe_part(&r, IBA_H_lrh), dgid[0] == 0xff ? 0xc001 : 20 + n);
    iba_grh_set_hoplmt(iba_recipe_part(&r, IBA_H_grh), 5);
    iba_grh_set_sgid(iba_recipe_part(&r, IBA_H_grh), sgid);
    iba_grh_set_dgid(iba_recipe_part(&r, IBA_H_grh), dgid);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), 77);
    r.payload = data;
    r.payload_len = sizeof data;
    cr_assert_eq(iba_build(&r, bytes, sizeof bytes, &size), IBA_OK);
    cr_assert_eq(t->ops->inject(t, n - 1, bytes, size), IBC_OK, "%s", t->fault);
}

Test(ref_fabric, a_router)
{
    static const struct {
        uint8_t dgid[16];
        unsigned in, out, dlid; /* out: set of ports */
    } rows[] = {
        {{0xfe, 0xc0, [7] = 2, [15] = 1}, 1, 1 << 2, 12},             /* the tester, as host 1 */
        {{0xfe, 0xc0, [7] = 3, [15] = 1}, 1, 1 << 3, 13},             /* the same in another subnet */
        {{0xfe, 0xc0, [7] = 1, [15] = 1}, 3, 1 << 1, 11},             /* and in the first */
        {{0xfe, 0xc0, [7] = 2, [15] = 2}, 1, 1 << 2, 40},             /* the next router */
        {{0xfe, 0xc0, [7] = 2, [8] = 0x80, [15] = 1}, 1, 1 << 2, 40}, /* all 128 bits of a host count */
        {{0xfe, 0xc0, [7] = 4, [15] = 1}, 1, 0, 0},                   /* no such subnet */
        {{0xfe, 0xc0, [6] = 1, [7] = 2, [15] = 1}, 1, 0, 0},          /* all 64 bits of a subnet count */
        {{0xff, 0x0e, [15] = 1}, 1, 1 << 2 | 1 << 3, 0xc001},         /* a group of the whole world */
        {{0xff, 0x0e, [15] = 1}, 2, 1 << 1 | 1 << 3, 0xc001},
        {{0xff, 0x0e, [15] = 2}, 1, 0, 0},                    /* a group without members */
        {{0xff, 0x05, [15] = 1}, 1, 1 << 2 | 1 << 3, 0xc001}, /* one of the site */
        {{0xff, 0x02, [15] = 1}, 1, 0, 0},                    /* one of the subnet */
        {{0xfe, 0x80, [15] = 1}, 1, 0, 0},                    /* an address of the subnet */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned out = 0;
        opened(&routed);
        sends_to(rows[i].in, rows[i].dgid);
        for (;;) {
            cr_assert_eq(collect(t->ops->now(t) + BED_SECOND), IBC_OK, "%s", t->fault);
            if (len == 0)
                break;
            out |= 1u << (from + 1);
            cr_expect_eq(iba_lrh_dlid(frame), rows[i].dlid, "row %zu: LID %u", i, (unsigned)iba_lrh_dlid(frame));
            cr_expect_eq(iba_lrh_slid(frame), 21 + from, "row %zu: from %u", i, (unsigned)iba_lrh_slid(frame));
            cr_expect_eq(iba_grh_hoplmt(frame + IBA_BYTES_lrh), 4, "row %zu", i);
        }
        cr_expect_eq(out, rows[i].out, "row %zu: ports 0x%x", i, out);
    }
}
