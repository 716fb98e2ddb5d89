/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated subnet of a manager under test: packets on its wires, cables, what its nodes hold, and what is required
 * of all of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_hop.h"
#include "fabric/iba_sma.h"
#include "sm_bed.h"
#include "fake_clock.h"
#include "held.h"

static const uint64_t second = 1000000000;

static struct sm *with_subnet(void)
{
    struct sm *s = sm_bed_open("true");

    cr_assert_eq(sm_subnet_open(&s->t, &sm_bed_fabric), IBC_OK, "%s", s->t.fault);
    server_advance(&s->server, sm_now(&s->t)); /* the cables come up */
    return s;
}

/* ---- packets ---- */

/* Builds a Get(NodeInfo) along a directed route of one hop. */
static size_t get_node_info(uint8_t packet[IBA_MGMT_BYTES], uint8_t port)
{
    const struct iba_mgmt_to to = {.dlid = 0xffff, .slid = 0xffff, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES] = {1, IBA_CLASS_DIRECTED, 1, 1};

    mad[7] = 1;
    iba_madhdr_set_attributeid(mad, 0x11);
    iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, 0xffff);
    iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, 0xffff);
    mad[129] = port;
    return iba_mgmt_build(packet, &to, IBA_VL15, mad);
}

/* Asks the switch from an adapter, and expects the packet at these ends in this order; no time passes back. */
static void asks_switch(struct sm *s, unsigned from, const unsigned *ends, unsigned n)
{
    uint8_t packet[IBA_MGMT_BYTES], frame[IBC_FRAME];
    const size_t bytes = get_node_info(packet, 1);
    uint64_t at, last = 0;
    unsigned end;
    size_t len;

    cr_assert_eq(sm_inject(&s->t, from, packet, bytes), IBC_OK, "%s", s->t.fault);
    for (unsigned i = 0; i < n; i++) {
        cr_assert_eq(sm_collect(&s->t, sm_now(&s->t) + 10 * second, frame, &len, &at, &end), IBC_OK);
        cr_assert_eq(len, bytes, "%u: %zu bytes", i, len);
        cr_assert_eq(end, ends[i], "%u: at end %u", i, end);
        cr_assert_geq(at, last);
        cr_assert_eq(memcmp(frame, packet, 8), 0, "the local route header is the same all along");
        last = at;
    }
    cr_assert_eq(sm_collect(&s->t, sm_now(&s->t) + second / 100, frame, &len, &at, &end), IBC_OK);
    cr_assert_eq(len, 0, "nothing else comes");
}

Test(sm, each_packet_is_kept_where_it_arrives)
{
    static const unsigned from_a[] = {SW1, A1, A0}, from_c[] = {SW3, C1, C0};
    struct sm *s = with_subnet();

    for (unsigned i = 0; i < 3; i++) {
        asks_switch(s, A0, from_a, 3);
        asks_switch(s, C0, from_c, 3);
    }
    cr_assert_eq(s->lost, 0);
    cr_assert_eq(s->n_frame, 0);
    sm_bed_close(s);
}

/* The ring of kept packets goes round. */
Test(sm, the_ring_goes_round)
{
    static const unsigned from_b[] = {SW2, B1, B0};
    struct sm *s = with_subnet();

    s->first_frame = SM_FRAMES - 2;
    asks_switch(s, B0, from_b, 3);
    cr_assert_eq(s->first_frame, 1);
    s->n_frame = SM_FRAMES; /* full */
    uint8_t packet[IBA_MGMT_BYTES];
    cr_assert_eq(sm_inject(&s->t, B0, packet, get_node_info(packet, 1)), IBC_OK);
    server_advance(&s->server, sm_now(&s->t) + second);
    cr_assert_eq(s->lost, 3);
    s->n_frame = 0;
    sm_bed_close(s);
}

Test(sm, collecting_waits_as_long_as_it_may)
{
    struct sm *s = with_subnet();
    uint8_t frame[IBC_FRAME];
    const uint64_t begun = sm_now(&s->t);
    unsigned end;
    uint64_t at;
    size_t len = 1;

    cr_assert_eq(sm_collect(&s->t, begun + second / 10, frame, &len, &at, &end), IBC_OK);
    cr_assert_eq(len, 0);
    cr_assert(sm_now(&s->t) >= begun + second / 10 && sm_now(&s->t) < begun + 30 * second);
    cr_assert_lt(sm_now(&s->t), 100 * second, "time 0 is when the target was opened");
    sm_subnet_close(s);
    cr_assert_eq(sm_collect(&s->t, 0, frame, &len, &at, &end), IBC_BROKEN);
    cr_assert_str_eq(s->t.fault, "there is no subnet");
    sm_bed_close(s);
}

/* On a clock of the test's own: time is counted in ns from a reset on, and it is waited for once, to the end. */
Test(sm, time)
{
    struct sm *s = with_subnet();
    uint8_t frame[IBC_FRAME];
    unsigned end;
    uint64_t at;
    size_t len = 1;

    fake_begin();
    fake.now = 7 * second + 123;
    s->begun = 0;
    cr_expect_eq(sm_now(&s->t), 7 * second + 123);
    s->begun = second;
    cr_expect_eq(sm_now(&s->t), 6 * second + 123);
    for (unsigned own = 0; own < 2; own++) {
        sm_subnet_close(s);
        s->own = own;
        cr_assert_eq(sm_subnet_open(&s->t, &sm_bed_fabric), IBC_OK, "%s", s->t.fault);
        server_advance(&s->server, sm_now(&s->t) + 10 * second); /* the cables are up, and nothing moves */
        const uint64_t until = sm_now(&s->t) + 2 * second + 500000001;
        fake.n = 0;
        cr_assert_eq(sm_collect(&s->t, until, frame, &len, &at, &end), IBC_OK);
        cr_expect_eq(len, 0);
        cr_expect_eq(fake.wait[0], 2 * second + 500000001, "%lu", (unsigned long)fake.wait[0]);
        cr_expect(fake.n <= 2 && sm_now(&s->t) >= until && sm_now(&s->t) <= until + 1);
    }
    fake.on = false;
    sm_bed_close(s);
}

Test(sm, what_cannot_be_sent)
{
    struct sm *s = with_subnet();
    uint8_t packet[IBA_PACKET_MOST + 1] = {0};
    static const unsigned wrong[] = {SW1, A1, C2, SM_BED_ENDS, SM_BED_ENDS + 1};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(sm_inject(&s->t, wrong[i], packet, 100), IBC_BROKEN, "%u", wrong[i]);
        cr_assert_str_eq(s->t.fault, "only software of a node sends: NODE.0");
    }
    cr_assert_eq(sm_inject(&s->t, A0, packet, IBA_PACKET_MOST), IBC_OK);
    cr_assert_eq(sm_inject(&s->t, A0, packet, IBA_PACKET_MOST + 1), IBC_BROKEN);
    cr_assert_str_eq(s->t.fault, "a packet of 4353 bytes, more than 4352");
    sm_bed_close(s);
}

/* A switch's software sends by its port 0. */
Test(sm, software_of_a_switch_sends)
{
    struct sm *s = with_subnet();
    uint8_t packet[IBA_MGMT_BYTES], frame[IBC_FRAME];
    unsigned end;
    uint64_t at;
    size_t len;

    cr_assert_eq(sm_inject(&s->t, SW0, packet, get_node_info(packet, 2)), IBC_OK);
    cr_assert_eq(sm_collect(&s->t, sm_now(&s->t) + 10 * second, frame, &len, &at, &end), IBC_OK);
    cr_assert_eq(len, IBA_MGMT_BYTES);
    cr_assert_eq(end, B1);
    sm_bed_close(s);
}

Test(sm, a_cable_is_pulled_and_plugged)
{
    static const unsigned all[] = {SW1, A1, A0};
    struct sm *s = with_subnet();

    asks_switch(s, A0, all, 3);
    cr_assert_eq(sm_plug(&s->t, SW1, false), IBC_OK);
    cr_assert(subnet_node(s->subnet, A)->end[1].pulled);
    asks_switch(s, A0, all, 0);
    cr_assert_eq(sm_plug(&s->t, A1, true), IBC_OK);
    asks_switch(s, A0, all, 3);
    cr_assert_eq(sm_plug(&s->t, C2, false), IBC_BROKEN);
    cr_assert_str_eq(s->t.fault, "no cable is there");
    sm_bed_close(s);
}

/* ---- making it ---- */

Test(sm, nodes_are_those_of_the_scenario)
{
    struct sm *s = with_subnet();
    struct ibc_fabric managed = sm_bed_fabric;

    for (unsigned i = 0; i < SM_BED_NODES; i++) {
        const struct iba_node *n = sm_bed_node(s, i);
        cr_assert_eq(n->cfg.type, sm_bed_fabric.node[i].type);
        cr_assert_eq(n->cfg.n_port, sm_bed_fabric.node[i].ports);
        cr_assert_str_eq(n->cfg.description, sm_bed_fabric.node[i].name);
        cr_assert_eq(n->cfg.node_guid, UINT64_C(0x0002c90300000100) + 0x100 * i);
        cr_assert_eq(n->cfg.system_guid, n->cfg.node_guid);
        cr_assert_eq(subnet_find(s->subnet, sm_bed_fabric.node[i].name), (int32_t)i);
    }
    sm_subnet_close(s);
    cr_assert_null(s->subnet);
    managed.unmanaged = false;
    cr_assert_eq(sm_subnet_open(&s->t, &managed), IBC_UNSUPPORTED);
    managed.unmanaged = true;
    managed.node[C].type = IBA_NODE_ROUTER;
    cr_assert_eq(sm_subnet_open(&s->t, &managed), IBC_OK);
    cr_assert_eq(sm_bed_node(s, C)->cfg.type, IBA_NODE_ROUTER);
    sm_bed_close(s);
}

/* A subnet that is closed leaves no socket open, for either library. */
Test(sm, sockets_are_closed)
{
    struct sm *s = sm_bed_open("true");
    const unsigned before = held_descriptors();

    for (unsigned i = 0; i < 4; i++) {
        s->own = i % 2;
        cr_assert_eq(sm_subnet_open(&s->t, &sm_bed_fabric), IBC_OK, "%s", s->t.fault);
        cr_expect_gt(held_descriptors(), before);
        sm_subnet_close(s);
        cr_expect_eq(held_descriptors(), before, "play %u", i);
    }
    sm_bed_close(s);
}

/* Packets of an ended play do not come in the next. */
Test(sm, a_new_subnet_has_no_old_packets)
{
    struct sm *s = with_subnet();
    uint8_t packet[IBA_MGMT_BYTES];

    cr_assert_eq(sm_inject(&s->t, A0, packet, get_node_info(packet, 1)), IBC_OK);
    server_advance(&s->server, sm_now(&s->t) + second / 100);
    cr_assert_eq(s->n_frame, 3);
    s->spoil.trapped = true;
    char name[sizeof s->server.sockets.name];
    memcpy(name, s->server.sockets.name, sizeof name);
    sm_subnet_close(s);
    cr_assert_eq(s->n_frame, 0);
    cr_assert_eq(sm_subnet_open(&s->t, &sm_bed_fabric), IBC_OK);
    cr_assert_not(s->spoil.trapped, "what an earlier manager did is forgotten");
    cr_assert(s->server.alter == sm_spoil_apply && s->server.alter_ctx == &s->spoil);
    cr_assert_str_neq(s->server.sockets.name, name, "sockets of a manager that still ends are not used again");
    sm_bed_close(s);
}

/* A subnet gives back all that it took: nodes, sockets, packets that nobody collected. With our own library, too. */
Test(sm, nothing_stays)
{
    struct sm *s = sm_bed_open("true");
    const unsigned before = held_descriptors();
    uint8_t packet[IBA_MGMT_BYTES], frame[IBC_FRAME];
    size_t held[HELD_ROUNDS], len;
    unsigned end;
    uint64_t at;

    for (unsigned i = 0; i < HELD_ROUNDS; i++) {
        for (unsigned own = 0; own < 2; own++) {
            s->own = own;
            cr_assert_eq(sm_subnet_open(&s->t, &sm_bed_fabric), IBC_OK, "%s", s->t.fault);
            server_advance(&s->server, sm_now(&s->t));
            cr_assert_eq(sm_inject(&s->t, A0, packet, get_node_info(packet, 1)), IBC_OK);
            cr_assert_eq(sm_collect(&s->t, sm_now(&s->t) + 10 * second, frame, &len, &at, &end), IBC_OK);
            cr_assert(len > 0 && end == SW1);
            sm_subnet_close(s);
        }
        held[i] = held_bytes();
    }
    held_the_same(held);
    cr_expect_eq(held_descriptors(), before);
    sm_bed_close(s);
}

/* Another subnet of the same process has the name of the sockets. */
Test(sm, a_name_that_is_taken)
{
    struct sm *s = with_subnet(), *other = sm_bed_open("true");
    const unsigned before = held_descriptors();

    for (unsigned own = 0; own < 2; own++) {
        other->plays = s->plays - 1;
        other->own = own;
        other->t.fault[0] = '\0';
        cr_expect_eq(sm_subnet_open(&other->t, &sm_bed_fabric), IBC_BROKEN);
        cr_expect(other->t.fault[0] != '\0' && !other->subnet);
        cr_expect_eq(held_descriptors(), before);
    }
    sm_bed_close(s);
    other->plays--;
    cr_expect_eq(sm_subnet_open(&other->t, &sm_bed_fabric), IBC_OK, "it is free again: %s", other->t.fault);
    sm_bed_close(other);
}

/* ---- reading nodes ---- */

static uint8_t mad[IBA_MAD_BYTES];

/* Reads an attribute; returns the status. */
static unsigned reads(struct sm *s, unsigned end, uint16_t attribute, uint32_t modifier)
{
    memset(mad, 0xa5, sizeof mad);
    iba_madhdr_set_attributeid(mad, attribute);
    iba_madhdr_set_attributemodifier(mad, modifier);
    mad[4] = mad[5] = 0;
    cr_assert_eq(sm_read(&s->t, end, mad), IBC_OK, "%s", s->t.fault);
    cr_assert_eq(iba_madhdr_method(mad), 0x81);
    cr_assert(mad[63] == 0xa5 && mad[128] == 0xa5, "only the data of the attribute changes");
    return (unsigned)(mad[4] << 8 | mad[5]);
}

Test(sm, reads_port_info)
{
    struct sm *s = with_subnet();
    struct iba_portinfo is;

    sm_bed_manage(s);
    sm_bed_port(s, SW, 2)->neighbormtu = IBA_MTU_256;
    static const struct {
        unsigned end, modifier, lid, local; /* the LID of the port whose PortInfo is read; the port that is asked */
    } rows[] = {{SW0, 0, 1, 0}, {SW2, 0, 1, 2}, {SW1, 2, 0, 1}, {A1, 1, 4, 1}, {A1, 0, 4, 1},
                {C1, 0, 8, 1},  {C1, 2, 0, 1},  {C2, 0, 0, 2},  {C2, 1, 8, 2}, {C1, 0x102, 0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(reads(s, rows[i].end, 0x15, rows[i].modifier), 0);
        iba_layout_get(&iba_mad_layouts[IBA_M_portinfo], mad + 64, &is);
        cr_expect_eq(is.lid, rows[i].lid, "%zu: %u", i, (unsigned)is.lid);
        cr_expect_eq(is.localportnum, rows[i].local, "%zu: %u", i, (unsigned)is.localportnum);
    }
    cr_assert_eq(reads(s, SW0, 0x15, 2), 0);
    cr_expect_eq(iba_portinfo_neighbormtu(mad + 64), IBA_MTU_256);
    cr_expect_eq(reads(s, SW0, 0x15, 3), 0);
    cr_expect_eq(reads(s, SW0, 0x15, 4), 0x1c);
    cr_expect_eq(reads(s, A1, 0x15, 2), 0x1c);
    sm_bed_close(s);
}

Test(sm, reads_switch_info)
{
    struct sm *s = with_subnet();
    struct iba_switchinfo is;

    sm_bed_manage(s);
    cr_assert_eq(reads(s, SW1, 0x12, 0), 0);
    iba_layout_get(&iba_mad_layouts[IBA_M_switchinfo], mad + 64, &is);
    cr_expect_eq(is.linearfdbtop, 16);
    cr_expect_eq(is.linearfdbcap, sm_bed_node(s, SW)->cfg.lft);
    for (unsigned i = 24; i < 64; i++) /* after its fields */
        cr_expect_eq(mad[64 + i], 0, "byte %u", i);
    cr_expect_eq(reads(s, A1, 0x12, 0), 0x1c);
    sm_bed_close(s);
}

static unsigned word(unsigned i)
{
    return (unsigned)(mad[64 + 2 * i] << 8 | mad[64 + 2 * i + 1]);
}

Test(sm, reads_partition_keys)
{
    struct sm *s = with_subnet();

    for (unsigned node = 0; node < SM_BED_NODES; node++)
        for (unsigned port = node == SW ? 0 : 1; port <= sm_bed_node(s, node)->cfg.n_port; port++) {
            const struct iba_node_port *p = &sm_bed_node(s, node)->port[port];
            for (unsigned i = 0; i < p->n_pkey; i++)
                p->pkey[i] = (uint16_t)(0x1000 * (node + 1) + 0x100 * port + i);
        }
    static const struct {
        unsigned end, modifier, first;
    } rows[] = {{A1, 0, 0x2100},       {A1, 1, 0x2120},  {C2, 0, 0x4200},        {C1, 1, 0x4120},
                {C1, 0x20001, 0x4120}, {SW1, 0, 0x1000}, {SW1, 0x20000, 0x1200}, {SW0, 0x30000, 0x1300}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_end *e = &sm_bed_fabric.end[rows[i].end];
        const unsigned port = e->node == SW ? rows[i].modifier >> 16 : e->port;
        const unsigned has = sm_bed_node(s, e->node)->port[port].n_pkey, block = rows[i].modifier & 0xffff;
        cr_assert_eq(reads(s, rows[i].end, 0x16, rows[i].modifier), 0);
        for (unsigned k = 0; k < IBA_PKEY_BLOCK; k++)
            cr_expect_eq(word(k), 32 * block + k < has ? rows[i].first + k : 0, "%zu %u: %x", i, k, word(k));
    }
    cr_assert_eq(reads(s, A1, 0x16, 0xffff), 0);
    for (unsigned k = 0; k < IBA_PKEY_BLOCK; k++)
        cr_expect_eq(word(k), 0);
    cr_expect_eq(reads(s, SW0, 0x16, 0x40000), 0x1c, "the switch has no such port");
    sm_bed_close(s);
}

Test(sm, reads_forwarding_tables)
{
    struct sm *s = with_subnet();
    struct iba_node *n = sm_bed_node(s, SW);
    const unsigned blocks = n->cfg.lft / IBA_LFT_BLOCK;

    for (unsigned i = 0; i < n->cfg.lft; i++)
        n->lft[i] = (uint8_t)(i * 7 + i / 64);
    for (unsigned block = 0; block < blocks; block += block == 3 ? blocks - 4 : 1) { /* the first four and the last */
        cr_assert_eq(reads(s, SW1, 0x19, block), 0);
        cr_expect_arr_eq(mad + 64, n->lft + (size_t)64 * block, 64, "%u", block);
    }
    cr_assert_eq(reads(s, SW1, 0x19, blocks), 0);
    for (unsigned i = 0; i < 64; i++)
        cr_expect_eq(mad[64 + i], IBA_NO_PORT);
    cr_expect_eq(reads(s, A1, 0x19, 0), 0x1c);
    sm_bed_close(s);
}

Test(sm, reads_multicast_tables)
{
    struct sm *s = with_subnet();
    struct iba_node *n = sm_bed_node(s, SW);

    for (unsigned i = 0; i < n->cfg.mft; i++)
        n->mft[i] = (uint16_t)(i * 3 + 1);
    for (unsigned block = 0; block <= n->cfg.mft / 32u; block++) {
        cr_assert_eq(reads(s, SW1, 0x1b, block), 0);
        for (unsigned k = 0; k < 32; k++)
            cr_expect_eq(word(k), 32 * block + k < n->cfg.mft ? (32 * block + k) * 3 + 1 : 0, "%u %u", block, k);
    }
    cr_expect_eq(reads(s, SW1, 0x1b, 0x10000000), 0x1c, "there is one position of 16 ports");
    cr_expect_eq(reads(s, A1, 0x1b, 0), 0x1c);
    sm_bed_close(s);
}

Test(sm, reads_no_other_attribute)
{
    struct sm *s = with_subnet();

    for (unsigned i = 0; i <= UINT16_MAX; i++) {
        if (i == 0x12 || i == 0x15 || i == 0x16 || i == 0x19 || i == 0x1b)
            continue;
        iba_madhdr_set_attributeid(mad, i);
        cr_assert_eq(sm_read(&s->t, A1, mad), IBC_BROKEN, "%x", i);
        cr_expect_str_eq(s->t.fault, "the tester does not read this attribute of a node");
        s->t.fault[0] = '\0';
    }
    sm_bed_close(s);
}

/* ---- the whole subnet ---- */

/* Expects that the check fails with this text; "": it passes. */
static void checks(struct sm *s, enum ibc_check check, const char *says)
{
    char got[100] = "";
    const bool good = sm_check(&s->t, check, got, sizeof got);

    cr_expect_eq(good, *says == '\0', "%s", got);
    if (*says)
        cr_expect_str_eq(got, says);
}

Test(sm, lids_must_differ_and_fit)
{
    struct sm *s = with_subnet();
    static const struct {
        uint8_t node, port;
        uint16_t lid;
        uint8_t lmc;
        const char *says;
    } rows[] = {
        {A, 1, 0, 0, "a.1 has LID 0 with LMC 0"},
        {A, 1, 5, 1, "a.1 has LID 5 with LMC 1"},
        {A, 1, 6, 2, "a.1 has LID 6 with LMC 2"},
        {A, 1, 2, 1, ""},
        {A, 1, 0xbfff, 0, ""},
        {A, 1, 0xbffe, 1, ""},
        {A, 1, 0xc000, 0, "a.1 has LID 49152 with LMC 0"},
        {A, 1, 0xbffc, 3, "a.1 has LID 49148 with LMC 3"},
        {B, 1, 4, 0, "a.1 and b.1 have LID 4"},
        {B, 1, 5, 0, "a.1 and b.1 have LID 5"},
        {C, 1, 6, 0, "b.1 and c.1 have LID 6"},
        {B, 1, 3, 0, ""},
        {B, 1, 6, 1, ""},
        {A, 1, 0, 1, "a.1 has LID 0 with LMC 1"},
        {B, 1, 1, 0, "sw.0 and b.1 have LID 1"},
        {B, 1, 4, 1, "a.1 and b.1 have LID 4"},
        {SW, 0, 5, 0, "sw.0 and a.1 have LID 4"}, /* the second of a's two LIDs */
        {SW, 0, 0, 0, "sw.0 has LID 0 with LMC 0"},
        {SW, 1, 4, 0, ""}, /* only port 0 of a switch has a LID */
        {C, 2, 4, 0, ""},  /* a port without a cable needs none */
    };

    sm_bed_manage(s);
    checks(s, IBC_CHECK_lids, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iba_portinfo *p = sm_bed_port(s, rows[i].node, rows[i].port), was = *p;
        p->lid = rows[i].lid;
        p->lmc = rows[i].lmc;
        checks(s, IBC_CHECK_lids, rows[i].says);
        *p = was;
    }
    sm_bed_close(s);
}

Test(sm, ports_with_cables_must_be_active)
{
    struct sm *s = with_subnet();
    static const struct {
        uint8_t node, port;
        const char *says;
    } rows[] = {{SW, 1, "sw.1 is in state 3"},
                {SW, 3, "sw.3 is in state 3"},
                {A, 1, "a.1 is in state 3"},
                {C, 1, "c.1 is in state 3"},
                {C, 2, ""},
                {SW, 0, ""}};

    checks(s, IBC_CHECK_active, "sw.1 is in state 2");
    sm_bed_manage(s);
    checks(s, IBC_CHECK_active, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iba_portinfo *p = sm_bed_port(s, rows[i].node, rows[i].port);
        const uint8_t was = (uint8_t)p->portstate;
        p->portstate = IBA_PORT_ARMED;
        checks(s, IBC_CHECK_active, rows[i].says);
        p->portstate = was;
    }
    sm_bed_port(s, B, 1)->portstate = IBA_PORT_DOWN;
    subnet_node(s->subnet, B)->end[1].pulled = true;
    checks(s, IBC_CHECK_active, ""); /* whose cable is pulled need not be */
    sm_bed_close(s);
}

/* A has two LIDs, B and C have one: 2 to A from each of two, 1 to B and 1 to C from each of two. */
Test(sm, every_lid_must_be_reached)
{
    struct sm *s = with_subnet();
    uint8_t *lft = sm_bed_node(s, SW)->lft;
    char got[100];

    sm_bed_manage(s);
    cr_assert(sm_check(&s->t, IBC_CHECK_routed, got, sizeof got), "%s", got);
    cr_expect_str_eq(got, "8 of 8 packets arrive, 0 run in a loop");
    lft[5] = IBA_NO_PORT;
    checks(s, IBC_CHECK_routed, "6 of 8 packets arrive, 0 run in a loop");
    lft[6] = 3; /* to C instead of B */
    checks(s, IBC_CHECK_routed, "4 of 8 packets arrive, 0 run in a loop");
    sm_bed_close(s);
}
