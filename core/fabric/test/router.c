/* SPDX-License-Identifier: BSD-2-Clause */
/* A router of two subnets: each row decides about its packet, and the packet that leaves has good CRCs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "fabric/iba_hop.h"
#include "fabric/iba_link.h"
#include "wire/iba_build.h"

enum { PORTS = 2, SLOTS = 16, ROUTES = 6, LID = 21, HOST = 11, GROUP = 0xc001, GRH_AT = 8 };
enum { HOPS_AT = GRH_AT + 7 };

struct routed {
    struct iba_node router, host[PORTS];
    void *memory[PORTS + 1];
    struct iba_pool pool;
    struct iba_slot slot[SLOTS];
    uint8_t bytes[SLOTS][IBA_PACKET_MOST];
};

static void make(struct routed *w, struct iba_node *n, unsigned i, uint8_t type)
{
    const struct iba_node_config c = {.type = type,
                                      .n_port = i == 0 ? PORTS : 1,
                                      .mtu = IBA_MTU_4096,
                                      .vls = 4,
                                      .widths = 3,
                                      .speeds = 7,
                                      .node_guid = 0x100 * (i + 1),
                                      .vlarb_entries = 64,
                                      .pkeys = 4,
                                      .routes = i == 0 ? ROUTES : 0};

    w->memory[i] = malloc(iba_node_bytes(&c));
    cr_assert_not_null(w->memory[i]);
    iba_node_init(n, &c, w->memory[i], &w->pool);
}

static void add(struct iba_node *n, const char *gid, uint8_t bits, uint8_t port, uint16_t dlid)
{
    struct iba_route *r = &n->route[n->n_route++];

    *r = (struct iba_route){.bits = bits, .port = port, .dlid = dlid};
    memcpy(r->gid, gid, sizeof r->gid);
}

/* Returns a router with host 1 of subnet 1 at port 1 (LID 11), a host of subnet 2 at port 2 (LID 12), and a multicast
 * group with members in both subnets. */
static struct routed *routed_new(void)
{
    struct routed *w = calloc(1, sizeof *w);

    cr_assert_not_null(w);
    iba_pool_init(&w->pool, w->slot, w->bytes[0], SLOTS);
    make(w, &w->router, 0, IBA_NODE_ROUTER);
    for (unsigned i = 0; i < PORTS; i++) {
        struct iba_portinfo *p = &w->router.port[i + 1].info;
        make(w, &w->host[i], i + 1, IBA_NODE_CA);
        iba_link_settle(&w->router, (uint8_t)(i + 1), &w->host[i], 1, 0);
        p->lid = (uint16_t)(LID + i);
        p->guid = UINT64_C(0xfec0000000000001) + i;
        p->portstate = IBA_PORT_ACTIVE;
    }
    add(&w->router, "\xfe\xc0\0\0\0\0\0\1\0\0\0\0\0\0\0\1", 128, 1, HOST);
    add(&w->router, "\xfe\xc0\0\0\0\0\0\2\0\0\0\0\0\0\0\1", 128, 2, HOST + 1);
    add(&w->router, "\xfe\xc0\0\0\0\0\0\2\0\0\0\0\0\0\0\0", 60, 2, 40);
    add(&w->router, "\xff\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 128, 1, GROUP);
    add(&w->router, "\xff\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 128, 2, GROUP);
    return w;
}

static void routed_free(struct routed *w)
{
    cr_expect_eq(w->pool.used, 0, "%d packets are left", w->pool.used);
    for (unsigned i = 0; i <= PORTS; i++)
        free(w->memory[i]);
    free(w);
}

struct packet {
    const char *row;
    uint8_t sgid[16], dgid[16];
    uint8_t hops;
    uint32_t qpn;
    uint16_t dlid;
};
#define ONE                                                                                                            \
    {                                                                                                                  \
        0xfe, 0xc0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1                                                           \
    }
#define TWO                                                                                                            \
    {                                                                                                                  \
        0xfe, 0xc0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1                                                           \
    }

static size_t build(const struct packet *k, uint8_t *out)
{
    static const uint8_t zero[256];
    struct iba_recipe r;
    uint8_t *lrh, *grh;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY);
    lrh = iba_recipe_part(&r, IBA_H_lrh);
    grh = iba_recipe_part(&r, IBA_H_grh);
    iba_lrh_set_slid(lrh, HOST);
    iba_lrh_set_dlid(lrh, k->dlid ? k->dlid : LID);
    iba_lrh_set_vl(lrh, k->qpn ? 0 : IBA_VL15);
    iba_grh_set_hoplmt(grh, k->hops);
    iba_grh_set_sgid(grh, k->sgid);
    iba_grh_set_dgid(grh, k->dgid);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), k->qpn);
    iba_bth_set_p_key(iba_recipe_part(&r, IBA_H_bth), 0xffff);
    r.payload = zero;
    r.payload_len = sizeof zero;
    cr_assert_eq(iba_build(&r, out, IBA_PACKET_MOST, &len), IBA_OK);
    return len;
}

static unsigned row_of(const char *name)
{
    for (unsigned i = 0; i < iba_router_rules.n; i++)
        if (strcmp(iba_fabric_row(&iba_router_rules, i)->name, name) == 0)
            return i;
    cr_assert_fail("no row %s", name);
    return 0;
}

Test(router, each_row)
{
    static const struct packet cases[] = {
        {"smp", ONE, TWO, 64, 0, LID},
        {"reserved", {0}, TWO, 64, 2, LID},
        {"reserved", {[15] = 1}, TWO, 64, 2, LID},
        {"reserved", ONE, {[15] = 1}, 64, 2, LID},
        {"from_group", {0xff, 0x0e, [15] = 1}, TWO, 64, 2, LID},
        {"link_local", {0xfe, 0x80, [15] = 1}, TWO, 64, 2, LID},
        {"link_local", ONE, {0xfe, 0xbf, [15] = 9}, 64, 2, LID},
        {"group_of_subnet", ONE, {0xff, 0x12, [15] = 1}, 64, 0xffffff, GROUP},
        {"hops_used_up", ONE, TWO, 0, 2, LID},
        {"hops_used_up", ONE, TWO, 1, 2, LID},
        {"no_route", ONE, {0x20, 1, [15] = 1}, 64, 2, LID},
        {"multicast", ONE, {0xff, 0x0e, [15] = 1}, 64, 0xffffff, GROUP},
        {"forwarded", ONE, TWO, 2, 2, LID},
    };
    bool seen[IBA_FABRIC_ROWS] = {false};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct routed *w = routed_new();
        const unsigned row = row_of(cases[i].row);
        uint8_t packet[IBA_PACKET_MOST];
        const size_t len = build(&cases[i], packet);
        const bool crosses = strcmp(cases[i].row, "multicast") == 0 || strcmp(cases[i].row, "forwarded") == 0;
        iba_node_feed(&w->router, 1, packet, len, 0);
        cr_expect_eq(w->router.hits[IBA_FABRIC_ROUTER][row], 1, "case %zu: %s decides", i, cases[i].row);
        cr_expect_eq(iba_node_poll(&w->router, 2, packet, sizeof packet, 0) > 0, crosses, "case %zu", i);
        cr_expect_eq(iba_node_poll(&w->router, 1, packet, sizeof packet, 0), 0, "case %zu", i);
        seen[row] = true;
        routed_free(w);
    }
    for (unsigned i = 0; i < iba_router_rules.n; i++)
        cr_expect(seen[i], "%s has no case", iba_fabric_row(&iba_router_rules, i)->name);
}

/* WF-71, WF-80: only LRH, hop limit and VCRC of a packet differ in the other subnet. */
Test(router, changes_lrh_and_hop_limit)
{
    static const struct packet k = {"", ONE, TWO, 64, 2, LID};
    struct routed *w = routed_new();
    uint8_t packet[IBA_PACKET_MOST], after[IBA_PACKET_MOST];
    const size_t len = build(&k, packet);
    struct iba_view v;

    iba_node_feed(&w->router, 1, packet, len, 0);
    cr_assert_eq(iba_node_poll(&w->router, 2, after, sizeof after, 0), len);
    iba_view_parse(&v, IBA_LINK_IB, after, len, len, NULL);
    iba_view_check(&v);
    cr_expect_eq(iba_lrh_slid(after), LID + 1);
    cr_expect_eq(iba_lrh_dlid(after), HOST + 1);
    cr_expect_eq(after[HOPS_AT], 63);
    cr_expect_eq(v.icrc, IBA_CHECK_GOOD);
    cr_expect_eq(v.vcrc, IBA_CHECK_GOOD);
    after[HOPS_AT] = packet[HOPS_AT];
    cr_expect_arr_eq(after + GRH_AT, packet + GRH_AT, len - GRH_AT - IBA_VCRC_BYTES, "ICRC too");
    routed_free(w);
}

/* The route with the longest matching prefix decides; the test tries each bit of a prefix. */
Test(router, longest_prefix)
{
    static const struct packet cases[] = {{"40", ONE, {0xfe, 0xc0, [7] = 0x0f, [15] = 9}, 64, 2, LID},
                                          {"", ONE, {0xfe, 0xc0, [7] = 0x1f, [15] = 9}, 64, 2, LID},
                                          {"12", ONE, TWO, 64, 2, LID}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct routed *w = routed_new();
        uint8_t packet[IBA_PACKET_MOST];
        iba_node_feed(&w->router, 1, packet, build(&cases[i], packet), 0);
        const size_t len = iba_node_poll(&w->router, 2, packet, sizeof packet, 0);
        cr_expect_eq(len ? iba_lrh_dlid(packet) : 0, atoi(cases[i].row), "case %zu", i);
        routed_free(w);
    }
}

/* Packets to a GID of the port, with either prefix, go to the router's software. */
Test(router, own_gid)
{
    static const struct packet cases[] = {{"", ONE, {0xfe, 0xc0, [7] = 1, [14] = 1, [15] = 1}, 64, 2, LID},
                                          {"", ONE, {0xfe, 0x80, [14] = 1, [15] = 1}, 64, 2, LID}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct routed *w = routed_new();
        uint8_t packet[IBA_PACKET_MOST], port;
        const size_t len = build(&cases[i], packet);
        iba_node_feed(&w->router, 1, packet, len, 0);
        cr_expect_eq(iba_node_receive(&w->router, &port, packet, sizeof packet), len, "case %zu", i);
        routed_free(w);
    }
}

/* A router without the row sends the case's packet, which the row would drop. A router without the row `forwarded`
 * sends no packet. */
Test(router, each_row_matters)
{
    static const struct packet cases[] = {{"smp", ONE, TWO, 64, 0, LID},
                                          {"reserved", {0}, TWO, 64, 2, LID},
                                          {"from_group", {0xff, 0x0e, [15] = 1}, TWO, 64, 2, LID},
                                          {"link_local", {0xfe, 0x80, [15] = 1}, TWO, 64, 2, LID},
                                          {"hops_used_up", ONE, TWO, 1, 2, LID},
                                          {"no_route", ONE, {0x20, 1, [15] = 1}, 64, 2, LID},
                                          {"forwarded", ONE, TWO, 2, 2, LID}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct routed *w = routed_new();
        uint8_t packet[IBA_PACKET_MOST];
        bool sent;
        w->router.cfg.broken = (struct iba_node_break){&iba_router_rules, (uint16_t)row_of(cases[i].row)};
        iba_node_feed(&w->router, 1, packet, build(&cases[i], packet), 0);
        sent = iba_node_poll(&w->router, 2, packet, sizeof packet, 0) > 0;
        sent |= iba_node_poll(&w->router, 1, packet, sizeof packet, 0) > 0;
        cr_expect_eq(sent, strcmp(cases[i].row, "forwarded") != 0, "%s", cases[i].row);
        routed_free(w);
    }
}
