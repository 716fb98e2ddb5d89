/* SPDX-License-Identifier: BSD-2-Clause */
/* Two subnets under load: a switch, three adapters, and a router with one adapter in the other subnet. A seed decides
 * their lanes, buffers, credits, speeds and tables. Packets wait for each other, and time goes on in small steps.
 * core/fabric/test/loaded.golden has a line for each seed: the number of packets, a digest of the packets and of the
 * nodes' state, and how often each row decided (test/golden.h says how to renew it). */
#include "fabric/iba_link.h"
#include "fabric/iba_pace.h"
#include "held.h"
#include "sim/iba_random.h"
#include "wire/iba_build.h"

enum { NETWORKS = 60, EVENTS = 90, NODES = 6, SLOTS_MOST = 96, MAD_AT = 28 };
enum { SWITCH, FIRST, LAST = 3, ROUTER, FAR };
enum { SWITCH_PORTS = 5, LID_SWITCH = 1, LID_FIRST = 10, GROUP = 0xc001, KEY = 1 };

struct loaded {
    struct iba_node n[NODES];
    void *memory[NODES];
    struct iba_pool pool;
    struct iba_slot slot[SLOTS_MOST];
    uint8_t bytes[SLOTS_MOST][IBA_PACKET_MOST];
    iba_time now;
};

/* The two ends of each cable. */
static const struct cable {
    uint8_t a, port_a, b, port_b;
} cables[] = {{SWITCH, 1, 1, 1}, {SWITCH, 2, 2, 1}, {SWITCH, 3, 3, 1}, {SWITCH, 4, ROUTER, 1}, {ROUTER, 2, FAR, 1}};
enum { CABLES = sizeof cables / sizeof *cables };

static struct iba_random random_state;
static uint64_t digest;
static unsigned packets;

static unsigned below(unsigned n)
{
    return (unsigned)(iba_random_next(&random_state) >> 33) % n;
}

static bool one_in(unsigned n)
{
    return below(n) == 0;
}

#define ONE_OF(list) ((list)[below(sizeof(list) / sizeof *(list))])

/* ---- what the nodes hold ---- */

static void hold(const struct iba_node *n)
{
    uint8_t info[IBA_BYTES_switchinfo];

    iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &n->sw, info);
    digest = golden_digest(digest, info, sizeof info);
    for (unsigned i = iba_node_is_switch(n) ? 0 : 1; i <= n->cfg.n_port; i++) {
        const struct iba_node_port *p = &n->port[i];
        digest = held_port(digest, p);
        digest = golden_digest(digest, p->guid, sizeof p->guid);
        digest = golden_number(digest, iba_rate_ps_per_symbol(p));
        digest = golden_number(digest, p->arb.entry[0] | (uint64_t)p->arb.entry[1] << 8);
        digest = golden_number(digest, (uint32_t)p->arb.left[0] | (uint64_t)(uint32_t)p->arb.left[1] << 32);
        digest = golden_number(digest, p->arb.high_bytes);
        digest = held_queues(digest, p);
        digest = held_credits(digest, n, p);
    }
    digest = held_notices(digest, n);
    digest = golden_digest(digest, n->sl2vl, (n->cfg.n_port + 1u) * (n->cfg.n_port + 1u) * (size_t)IBA_VLS);
    digest = golden_digest(digest, n->lft, n->cfg.lft);
    digest = golden_digest(digest, n->mft, n->cfg.mft * iba_node_mft_positions(n) * sizeof *n->mft);
    digest = golden_number(digest, iba_node_deadline(n));
}

/* ---- a network ---- */

static struct iba_node_config some_config(unsigned i)
{
    static const uint8_t widths[] = {2, 3, 8, 11, 16, 31, 4}, speeds[] = {1, 3, 7}, ext[] = {0, 1, 3, 7, 8, 15, 31, 30};
    static const uint16_t buffers[] = {0, 68, 69, 100, 136, 200, 600, 2047, 2048, 2100, 5000};
    static const uint8_t types[] = {IBA_NODE_SWITCH, IBA_NODE_CA,     IBA_NODE_CA,
                                    IBA_NODE_CA,     IBA_NODE_ROUTER, IBA_NODE_CA};
    const bool is_switch = i == SWITCH;
    struct iba_node_config c = {.type = types[i],
                                .n_port = is_switch     ? SWITCH_PORTS
                                          : i == ROUTER ? 2
                                                        : 1,
                                .mtu = (uint8_t)(one_in(4) ? 1 + below(5) : IBA_MTU_4096),
                                .vls = (uint8_t)(1 + below(5)),
                                .widths = (uint8_t)(one_in(5) ? ONE_OF(widths) : 3),
                                .speeds = ONE_OF(speeds),
                                .ext_speeds = (uint8_t)(one_in(2) ? ONE_OF(ext) : 0),
                                .vlarb_entries = one_in(2) ? 32 : 64,
                                .node_guid = 0x100 * (i + 1),
                                .system_guid = 0x1000 + i,
                                .vendor = 0x1234,
                                .revision = 0xa0,
                                .device = 7,
                                .pkeys = (uint16_t)(1 + below(40)),
                                .switch_pkeys = (uint16_t)(is_switch && !one_in(4) ? 1 + below(40) : 0),
                                .routes = i == ROUTER ? 8 : 0,
                                .lft = is_switch ? 128 : 0,
                                .mft = is_switch ? 32 : 0,
                                .buffer = ONE_OF(buffers),
                                .refresh = one_in(4),
                                .description = "a node"};
    return c;
}

static uint16_t lid_of(unsigned node)
{
    return (uint16_t)(node == SWITCH ? LID_SWITCH : LID_FIRST + node);
}

static void gid_of(uint8_t gid[16], unsigned node)
{
    memset(gid, 0, 16);
    gid[0] = 0xfe;
    gid[1] = 0xc0;
    gid[7] = node == FAR ? 2 : 1;
    gid[15] = (uint8_t)node;
}

static void add_route(struct iba_node *n, const uint8_t *gid, uint8_t bits, uint8_t port, uint16_t dlid)
{
    struct iba_route *r = &n->route[n->n_route++];

    *r = (struct iba_route){.bits = bits, .port = port, .dlid = dlid};
    memcpy(r->gid, gid, sizeof r->gid);
}

static void add_routes(struct iba_node *n)
{
    uint8_t gid[16], group[16] = {0xff, 0x0e, [15] = 1};

    for (unsigned i = FIRST; i <= LAST; i++) {
        gid_of(gid, i);
        add_route(n, gid, 128, 1, lid_of(i));
    }
    gid_of(gid, FAR);
    add_route(n, gid, (uint8_t)(60 + below(69)), 2, lid_of(FAR));
    add_route(n, group, 128, 1, GROUP);
    add_route(n, group, 128, 2, GROUP);
}

static void poll_again(struct iba_portinfo *i)
{
    if (i->portphysicalstate != IBA_PHYS_LINKUP && !one_in(4))
        i->portphysicalstate = IBA_PHYS_POLLING;
}

/* Sets the ports as a manager does. */
static void bring_up(struct loaded *w)
{
    for (unsigned i = 0; i < CABLES; i++) {
        const struct cable *c = &cables[i];
        poll_again(&w->n[c->a].port[c->port_a].info);
        poll_again(&w->n[c->b].port[c->port_b].info);
        iba_link_settle(&w->n[c->a], c->port_a, &w->n[c->b], c->port_b, w->now);
    }
    for (unsigned i = 0; i < NODES; i++) {
        struct iba_node *n = &w->n[i];
        for (unsigned p = i == SWITCH ? 0 : 1; p <= n->cfg.n_port; p++) {
            struct iba_portinfo *info = &n->port[p].info;
            if (info->portphysicalstate == IBA_PHYS_LINKUP && info->portstate == IBA_PORT_INIT)
                info->portstate = (uint8_t)(one_in(5) ? IBA_PORT_INIT + below(2) : IBA_PORT_ACTIVE);
            info->lid = i == ROUTER && p == 2 ? 24 : lid_of(i);
            info->mastersmlid = i == FAR || (i == ROUTER && p == 2) ? lid_of(FAR) : LID_FIRST + 1;
            info->guid = UINT64_C(0xfec0000000000001) + (i == FAR || p == 2);
        }
    }
}

static void some_tables(struct iba_node *n, unsigned port)
{
    struct iba_node_port *p = &n->port[port];
    const unsigned lanes = iba_vls_of(n->cfg.vls);

    for (unsigned k = 0; k < IBA_VLARB_BLOCKS && one_in(2); k++)
        for (unsigned e = 0; e < IBA_VLARB_ENTRIES; e++) {
            p->vlarb[k][2 * e] = (uint8_t)(one_in(12) ? IBA_VL15 : below(lanes));
            p->vlarb[k][2 * e + 1] = (uint8_t)(one_in(3) ? 0 : below(one_in(4) ? 256 : 20));
        }
    for (unsigned in = 0; in <= n->cfg.n_port; in++)
        for (unsigned sl = 0; sl < IBA_VLS; sl++)
            iba_node_sl2vl(n, (uint8_t)in, (uint8_t)port)[sl] = (uint8_t)(one_in(40) ? 15 : below(lanes));
    for (unsigned k = 1; k < p->n_pkey && one_in(2); k++)
        p->pkey[k] = one_in(2) ? 0x8001 : 0x0002;
}

static void some_fields(struct iba_node *n, unsigned port)
{
    struct iba_portinfo *i = &n->port[port].info;

    i->hoqlife = (uint8_t)(one_in(2) ? below(8) : 31);
    i->vlstallcount = (uint8_t)below(4);
    i->vlhighlimit = (uint8_t)(one_in(3) ? 255 : below(4));
    i->partitionenforcementinbound = n->cfg.switch_pkeys && one_in(4);
    i->partitionenforcementoutbound = n->cfg.switch_pkeys && one_in(4);
    i->filterrawinbound = one_in(4);
    i->filterrawoutbound = one_in(4);
    i->subnettimeout = (uint8_t)(6 + below(14));
    i->m_key = one_in(4) ? KEY : 0;
    i->m_keyprotectbits = (uint8_t)below(4);
    i->m_keyleaseperiod = (uint8_t)below(2);
    i->lmc = (uint8_t)(n->cfg.type == IBA_NODE_CA && one_in(4));
    i->cap_mask_notice = !one_in(4);
    i->mastersmsl = (uint8_t)below(4);
    i->neighbormtu = (uint8_t)(one_in(6) ? 1 + below(i->mtucap) : i->neighbormtu);
    i->operationalvls = (uint8_t)(one_in(8) ? 1 + below(i->vlcap) : i->vlcap);
}

static struct loaded *loaded_new(void)
{
    struct loaded *w = calloc(1, sizeof *w);

    cr_assert_not_null(w);
    iba_pool_init(&w->pool, w->slot, w->bytes[0], (int32_t)(one_in(3) ? 4 + below(12) : SLOTS_MOST));
    for (unsigned i = 0; i < NODES; i++) {
        const struct iba_node_config c = some_config(i);
        w->memory[i] = malloc(iba_node_bytes(&c));
        cr_assert_not_null(w->memory[i]);
        iba_node_init(&w->n[i], &c, w->memory[i], &w->pool);
        hold(&w->n[i]);
        for (unsigned p = i == SWITCH ? 0 : 1; p <= c.n_port; p++) {
            some_tables(&w->n[i], p);
            some_fields(&w->n[i], p);
        }
    }
    for (unsigned lid = 0; lid < 40; lid++)
        w->n[SWITCH].lft[lid] = (uint8_t)(lid > LID_FIRST && lid < LID_FIRST + 5 ? lid - LID_FIRST : below(12));
    w->n[SWITCH].sw.linearfdbtop = (uint16_t)(30 + below(5));
    w->n[SWITCH].sw.lifetimevalue = (uint8_t)(one_in(2) ? below(8) : 18);
    w->n[SWITCH].sw.defaultmulticastprimaryport = (uint8_t)below(7);
    w->n[SWITCH].mft[GROUP - 0xc000] = (uint16_t)(one_in(6) ? 0 : below(64));
    add_routes(&w->n[ROUTER]);
    bring_up(w);
    return w;
}

static void loaded_free(struct loaded *w)
{
    for (unsigned i = 0; i < NODES; i++)
        free(w->memory[i]);
    free(w);
}

/* ---- time ---- */

static void seen(const struct loaded *w, unsigned node, uint8_t port, const uint8_t *packet, size_t len)
{
    packets++;
    digest = golden_number(digest, w->now << 16 | node << 8 | port);
    digest = golden_digest(digest, packet, len);
}

static void deliver(struct loaded *w, unsigned node, uint8_t port, const uint8_t *packet, size_t len)
{
    for (unsigned i = 0; i < CABLES; i++) {
        const struct cable *c = &cables[i];
        if (c->a == node && c->port_a == port)
            iba_node_feed(&w->n[c->b], c->port_b, packet, len, w->now);
        if (c->b == node && c->port_b == port)
            iba_node_feed(&w->n[c->a], c->port_a, packet, len, w->now);
    }
}

static void step(struct loaded *w)
{
    uint8_t packet[IBA_PACKET_MOST], port;
    size_t len;

    for (unsigned i = 0; i < NODES; i++) {
        struct iba_node *n = &w->n[i];
        iba_node_advance(n, w->now);
        for (unsigned p = 1; p <= n->cfg.n_port; p++) {
            len = iba_node_poll(n, (uint8_t)p, packet, sizeof packet, w->now);
            if (!len)
                continue;
            seen(w, i, (uint8_t)p, packet, len);
            if (!one_in(60)) /* a cable may lose the packet */
                deliver(w, i, (uint8_t)p, packet, len);
        }
        while (one_in(2) && (len = iba_node_receive(n, &port, packet, sizeof packet)) > 0)
            seen(w, i, port, packet, len);
    }
}

static void pass_time(struct loaded *w)
{
    for (unsigned k = 2 + below(12); k > 0; k--) {
        iba_time first = IBA_NEVER;
        step(w);
        for (unsigned i = 0; i < NODES; i++)
            first = iba_node_deadline(&w->n[i]) < first ? iba_node_deadline(&w->n[i]) : first;
        if (first != IBA_NEVER && first > w->now && one_in(2))
            w->now = first;
        else
            w->now += below(1500);
    }
}

/* ---- what happens ---- */

static uint16_t some_lid(void)
{
    static const uint16_t rare[] = {LID_SWITCH, GROUP, GROUP + 1, 0xc020, 0, 0xffff, 29, 33, 0xbfff, 24};

    return one_in(5) ? ONE_OF(rare) : lid_of(FIRST + below(4));
}

static void some_gid(uint8_t gid[16])
{
    gid_of(gid, FIRST + below(5));
    if (!one_in(4))
        return;
    switch (below(5)) {
    case 0:
        memset(gid, 0, 16);
        gid[15] = (uint8_t)below(3);
        break;
    case 1:
        gid[0] = 0xff;
        gid[1] = (uint8_t)below(16);
        memset(gid + 2, 0, 14);
        gid[15] = 1;
        break;
    case 2: gid[1] = 0x80; break;
    case 3: gid[8 + below(8)] ^= 1; break;
    default: gid[7] = (uint8_t)below(8); break;
    }
}

static size_t some_packet(uint8_t *out, unsigned from)
{
    static const uint8_t payload[IBA_MTU_MOST_BYTES];
    static const uint32_t sizes[] = {0, 4, 36, 64, 100, 256, 260, 512, 1000, 1024, 2048, 2052, 4096};
    static const uint16_t pkeys[] = {0xffff, 0xffff, 0xffff, 0x7fff, 0x8001, 0x0001, 0x8002};
    const bool global = one_in(3);
    const unsigned qpn = below(4);
    struct iba_recipe r;
    uint8_t *lrh, *bth, *deth;
    size_t len;

    iba_recipe_init(&r, global ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL, one_in(6) ? 0x04 : IBA_UD_SEND_ONLY);
    lrh = iba_recipe_part(&r, IBA_H_lrh);
    bth = iba_recipe_part(&r, IBA_H_bth);
    deth = iba_recipe_part(&r, IBA_H_deth);
    iba_lrh_set_slid(lrh, one_in(20) ? some_lid() : lid_of(from));
    iba_lrh_set_dlid(lrh, global && one_in(2) ? lid_of(ROUTER) : some_lid());
    iba_lrh_set_sl(lrh, below(IBA_VLS));
    iba_lrh_set_vl(lrh, one_in(10) ? below(IBA_VLS) : qpn == 0 ? IBA_VL15 : 0);
    iba_bth_set_p_key(bth, ONE_OF(pkeys));
    iba_bth_set_destqp(bth, qpn);
    if (deth)
        iba_deth_set_q_key(deth, one_in(2) ? IBA_GSI_QKEY : 5);
    if (deth)
        iba_deth_set_srcqp(deth, below(1000));
    if (global) {
        uint8_t gid[16], *grh = iba_recipe_part(&r, IBA_H_grh);
        iba_grh_set_hoplmt(grh, one_in(5) ? below(2) : 1 + below(64));
        some_gid(gid);
        iba_grh_set_sgid(grh, gid);
        some_gid(gid);
        iba_grh_set_dgid(grh, gid);
    }
    r.payload = payload;
    r.payload_len = ONE_OF(sizes);
    cr_assert_eq(iba_build(&r, out, IBA_PACKET_MOST, &len), IBA_OK);
    if (one_in(12) && !global) { /* raw */
        iba_lrh_set_lnh(out, below(2));
        iba_put_le16(out + len - 2, iba_vcrc(out, len - 2));
    }
    if (one_in(20))
        out[below((unsigned)len)] ^= 1;
    return len;
}

static void talk(struct loaded *w)
{
    uint8_t packet[IBA_PACKET_MOST];

    for (unsigned k = 1 + below(14); k > 0; k--) {
        const unsigned from = one_in(6) ? SWITCH : one_in(6) ? FAR : FIRST + below(3);
        const size_t len = some_packet(packet, from);
        if (from == SWITCH && one_in(2))
            iba_node_send(&w->n[SWITCH], 0, packet, len, w->now);
        else if (from == SWITCH)
            iba_node_feed(&w->n[SWITCH], (uint8_t)(1 + below(SWITCH_PORTS)), packet, len, w->now);
        else if (one_in(2))
            digest =
                golden_number(digest, iba_node_send_at_rate(&w->n[from], 1, packet, len, (uint8_t)below(4), w->now));
        else
            iba_node_send(&w->n[from], 1, packet, len, w->now);
    }
}

static uint32_t some_modifier(const struct iba_node *n, uint16_t attribute)
{
    const uint32_t ports = n->cfg.n_port + (one_in(6) ? 2u : 1u), port = below(ports);

    switch (attribute) {
    case 0x14: return one_in(4) ? below(3) : 0;
    case 0x15: return port | (one_in(4) ? 1u << 31 : 0);
    case 0x16: return port << 16 | (one_in(3) ? below(3) : 0);
    case 0x17: return below(ports) << 8 | port;
    case 0x18: return (one_in(4) ? below(6) : 1 + below(4)) << 16 | port;
    case 0x19: return below(4);
    case 0x1b: return (one_in(4) ? below(3) : 0) | (one_in(8) ? 1u << 28 : 0);
    default: return below(2);
    }
}

static void some_data(const struct iba_node *n, uint16_t attribute, uint32_t modifier, uint8_t *data)
{
    for (unsigned k = 0; k < IBA_SMP_DATA_BYTES; k++)
        data[k] = (uint8_t)(attribute == 0x17   ? below(4) << 4 | below(4)
                            : attribute == 0x18 ? (k % 2 ? below(30) : below(4))
                            : attribute == 0x19 ? below(SWITCH_PORTS + 2)
                            : attribute == 0x16 ? (one_in(2) ? 0 : below(256))
                                                : below(256));
    if (attribute == 0x15) {
        const uint32_t port = modifier & 7;
        struct iba_portinfo i = n->port[port && port <= n->cfg.n_port ? port : 1].info;
        i.portstate = (uint8_t)(one_in(4) ? below(6) : IBA_PORT_NOP);
        i.portphysicalstate = (uint8_t)(one_in(8) ? below(7) : IBA_PHYS_NOP);
        iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &i, data);
        for (unsigned k = below(3); k > 0; k--)
            data[below(60)] ^= (uint8_t)(1u << below(8));
    }
    if (attribute == 0x12) {
        iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &n->sw, data);
        data[below(18)] ^= (uint8_t)(1u << below(8));
    }
    if (attribute == 0x02 && iba_notice_oldest(n) && one_in(2))
        memcpy(data, iba_notice_oldest(n)->bytes, IBA_SMP_DATA_BYTES);
}

/* Writes a directed route, mostly of up to three hops, with a random hop pointer. */
static void some_route(uint8_t *mad)
{
    static const uint8_t paths[][2] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}};
    const uint8_t *path = ONE_OF(paths);
    const unsigned hops = one_in(8) ? below(70) : 1 + below(3);

    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_DIRECTED);
    iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, one_in(6) ? some_lid() : 0xffff);
    iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, one_in(6) ? some_lid() : 0xffff);
    mad[6] = (uint8_t)(one_in(5) ? below(hops + 3) : 0);
    mad[7] = (uint8_t)hops;
    for (unsigned k = 0; k < 4; k++) {
        mad[129 + k] = one_in(10) ? (uint8_t)below(8) : k < 2 ? path[k] : (uint8_t)(1 + below(2));
        mad[193 + k] = (uint8_t)(1 + below(5));
    }
    if (one_in(6))
        iba_smpdirected_set_d(mad + 4, 1);
}

static void manage(struct loaded *w)
{
    static const uint16_t attributes[] = {0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x15, 0x15,
                                          0x16, 0x17, 0x18, 0x19, 0x1b, 0x20, 0x99};
    static const uint8_t methods[] = {
        IBA_METHOD_GET, IBA_METHOD_SET, IBA_METHOD_TRAP, IBA_METHOD_TRAP_REPRESS, 0x19, IBA_METHOD_GET_RESP, 0x86};
    const unsigned from = one_in(10) ? SWITCH : FIRST + below(5), about = one_in(2) ? SWITCH : FIRST + below(5);
    const uint8_t port = from == SWITCH ? 0 : 1;
    const bool directed = one_in(3);
    const uint16_t attribute = ONE_OF(attributes);
    const uint32_t modifier = some_modifier(&w->n[about], attribute);
    struct iba_mgmt_to to = {.dlid = one_in(12) ? some_lid() : lid_of(about), .slid = lid_of(from), .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES] = {0}, packet[IBA_MGMT_BYTES];

    iba_madhdr_set_baseversion(mad, one_in(30) ? 2 : 1);
    iba_madhdr_set_mgmtclass(mad, one_in(30) ? 9 : IBA_CLASS_SMP);
    iba_madhdr_set_classversion(mad, one_in(30) ? 2 : 1);
    iba_madhdr_set_method(mad, one_in(5) ? ONE_OF(methods) : 1 + below(2));
    iba_madhdr_set_transactionid(mad, one_in(4) ? below(12) : iba_random_next(&random_state));
    iba_madhdr_set_attributeid(mad, attribute);
    iba_madhdr_set_attributemodifier(mad, modifier);
    iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, one_in(6) ? below(3) : KEY);
    some_data(&w->n[about], attribute, modifier, mad + IBA_SMP_DATA_AT);
    if (directed) {
        some_route(mad);
        if (!one_in(6))
            to.dlid = 0xffff;
        if (!one_in(6))
            to.slid = 0xffff;
    }
    to.sl = (uint8_t)below(IBA_VLS);
    iba_mgmt_build(packet, &to, IBA_VL15, mad);
    if (one_in(2)) /* as if it had come over the wire */
        iba_node_feed(&w->n[about], (uint8_t)(1 + below(w->n[about].cfg.n_port)), packet, sizeof packet, w->now);
    else
        iba_node_send(&w->n[from], port, packet, sizeof packet, w->now);
}

static void read_counters(struct loaded *w)
{
    static const uint16_t attributes[] = {0x12, 0x12, 0x1d, 0x01, 0x99};
    static const uint16_t pkeys[] = {0xffff, 0xffff, 0xffff, 0x7fff, 0x8003};
    const unsigned from = FIRST + below(3);
    const struct iba_mgmt_to to = {.dlid = one_in(3) ? some_lid() : LID_SWITCH,
                                   .slid = lid_of(from),
                                   .dqp = 1,
                                   .sqp = 1 + below(2),
                                   .psn = below(100),
                                   .sl = (uint8_t)below(IBA_VLS),
                                   .pkey = ONE_OF(pkeys)};
    uint8_t mad[IBA_MAD_BYTES] = {0}, packet[IBA_MGMT_BYTES];

    iba_madhdr_set_baseversion(mad, one_in(20) ? 2 : 1);
    iba_madhdr_set_mgmtclass(mad, one_in(8) ? 5 : IBA_CLASS_PERF);
    iba_madhdr_set_classversion(mad, one_in(20) ? 2 : 1);
    iba_madhdr_set_method(mad, one_in(10) ? below(256) : 1 + below(2));
    iba_madhdr_set_transactionid(mad, iba_random_next(&random_state));
    iba_madhdr_set_attributeid(mad, ONE_OF(attributes));
    for (unsigned k = MAD_AT; k < IBA_MAD_BYTES; k++)
        mad[k] = (uint8_t)below(256);
    mad[IBA_SMP_DATA_AT + 1] = (uint8_t)below(SWITCH_PORTS + 2);
    iba_node_send(&w->n[from], 1, packet, iba_mgmt_build(packet, &to, 0, mad), w->now);
}

static void replug(struct loaded *w)
{
    const struct cable *c = &ONE_OF(cables);

    switch (below(4)) {
    case 0: iba_link_lost(&w->n[c->a], c->port_a, w->now); break;
    case 1: iba_link_settle(&w->n[c->a], c->port_a, &w->n[c->b], c->port_b, w->now); break;
    case 2: bring_up(w); break;
    default: iba_node_set_issm(&w->n[c->b], c->port_b, one_in(2), w->now); break;
    }
}

static void flow_control(struct loaded *w)
{
    const uint8_t port = (uint8_t)(1 + below(SWITCH_PORTS));
    uint8_t fc[IBA_BYTES_fc] = {0};

    iba_fc_set_op(fc, below(3));
    iba_fc_set_vl(fc, below(IBA_VLS));
    iba_fc_set_fctbs(fc, below(4096));
    iba_fc_set_fccl(fc, below(4096));
    iba_put_le16(fc + IBA_BYTES_fc - 2, (uint16_t)(iba_lpcrc(fc) ^ one_in(6)));
    iba_node_feed(&w->n[SWITCH], port, fc, sizeof fc, w->now);
}

static void one_event(struct loaded *w)
{
    switch (below(12)) {
    case 0: read_counters(w); break;
    case 1: replug(w); break;
    case 2: flow_control(w); break;
    case 3: iba_node_count_wait(&w->n[SWITCH], (uint8_t)(1 + below(SWITCH_PORTS)), w->now); break;
    case 4: w->now += (iba_time)1000 << below(21); break;
    case 5:
    case 6:
    case 7:
    case 8: talk(w); break;
    default:
        for (unsigned k = below(5); k > 0; k--)
            manage(w);
        break;
    }
    if (one_in(3))
        bring_up(w);
    if (one_in(4))
        pass_time(w);
    for (unsigned i = 0; i < NODES; i++)
        hold(&w->n[i]);
    pass_time(w);
}

Test(loaded, networks_do_what_they_did)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/fabric/test/loaded.golden");

    for (unsigned i = 0; i < NETWORKS; i++) {
        char line[GOLDEN_LINE];
        const struct iba_node *nodes[NODES];
        struct loaded *w;
        size_t n;
        iba_random_seed(&random_state, i);
        digest = GOLDEN_EMPTY;
        packets = 0;
        w = loaded_new();
        for (unsigned e = 0; e < EVENTS; e++)
            one_event(w);
        for (unsigned k = 0; k < NODES; k++)
            nodes[k] = &w->n[k];
        n = (size_t)snprintf(line, sizeof line, "%u %u packets %016" PRIx64, i, packets, digest);
        n = held_hits(nodes, NODES, line, n);
        cr_assert_lt(n + 1, sizeof line);
        memcpy(line + n, "\n", 2);
        golden_line(&g, line);
        loaded_free(w);
    }
    golden_close(&g);
}
