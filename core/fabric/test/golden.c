/* SPDX-License-Identifier: BSD-2-Clause */
/* A switch and four adapters with random packets: core/fabric/test/nodes.golden has a line for each network. A seed
 * decides what managers, software and cables do. The line has the number of packets, a digest of the packets and of the
 * nodes' state, and how often each row decided (test/golden.h says how to renew it). */
#include "held.h"
#include "sim/iba_random.h"
#include "wired.h"

enum { NETWORKS = 60, EVENTS = 60, PERFORMANCE_QP = 1, MAD_AT = 64, PORT_OUT = SWITCH_PORTS };

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

static void seen(struct wired *w, unsigned from, uint8_t port, const uint8_t *packet, size_t len)
{
    packets++;
    digest = golden_number(digest, w->now << 16 | from << 8 | port);
    digest = golden_digest(digest, packet, len);
}

/* ---- state of nodes ---- */

static void hold(const struct iba_node *n)
{
    uint8_t info[IBA_BYTES_switchinfo];

    iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &n->sw, info);
    digest = golden_digest(digest, info, sizeof info);
    for (unsigned p = iba_node_is_switch(n) ? 0 : 1; p <= n->cfg.n_port; p++)
        digest = held_port(digest, &n->port[p]);
    digest = held_notices(digest, n);
    digest = golden_number(digest, iba_node_deadline(n));
}

/* ---- what happens ---- */

static uint16_t some_lid(void)
{
    static const uint16_t lids[] = {SWITCH_LID, FIRST_LID, FIRST_LID + 1, FIRST_LID + 2, FIRST_LID + 3, GROUP,
                                    77,         0,         0xffff};

    return lids[one_in(4) ? below(sizeof lids / sizeof *lids) : below(5)];
}

static struct iba_node *node_at(struct wired *w, uint16_t lid)
{
    return lid >= FIRST_LID && lid < FIRST_LID + ADAPTERS ? &w->ca[lid - FIRST_LID] : &w->sw;
}

/* Writes the present PortInfo with one or two bytes changed. */
static void changed_portinfo(struct wired *w, struct smp *s)
{
    struct iba_node *n = node_at(w, s->dlid);
    const uint32_t port = s->modifier <= n->cfg.n_port && (s->modifier || iba_node_is_switch(n)) ? s->modifier : 1;
    struct iba_portinfo i = n->port[port].info;

    i.portstate = one_in(4) ? (uint8_t)below(6) : IBA_PORT_NOP;
    i.portphysicalstate = one_in(8) ? (uint8_t)below(4) : IBA_PHYS_NOP;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &i, s->data);
    for (unsigned k = below(3); k > 0; k--)
        s->data[below(56)] ^= (uint8_t)(1u << below(8));
}

static uint32_t some_modifier(uint16_t attribute)
{
    const uint32_t port = below(PORT_OUT + 2), block = below(5);

    switch (attribute) {
    case 0x15: return port;
    case 0x16: return port << 16 | below(3);
    case 0x17: return below(PORT_OUT + 2) << 8 | port;
    case 0x18: return block << 16 | port;
    case 0x19: return below(20);
    case 0x1b: return below(3) | (one_in(4) ? 1u << 28 : 0);
    default: return one_in(8) ? 1 : 0;
    }
}

static void some_data(struct wired *w, struct smp *s)
{
    for (unsigned k = 0; k < sizeof s->data; k++)
        s->data[k] = (uint8_t)(s->attribute == 0x17   ? below(4) << 4 | below(4)
                               : s->attribute == 0x18 ? (k % 2 ? below(8) : below(4))
                               : s->attribute == 0x19 ? below(SWITCH_PORTS + 1)
                                                      : below(256));
    if (s->attribute == 0x15)
        changed_portinfo(w, s);
    if (s->attribute == 0x12) {
        iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &w->sw.sw, s->data);
        s->data[below(16)] ^= (uint8_t)(1u << below(8));
    }
}

static void manage(struct wired *w)
{
    static const uint16_t attributes[] = {0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x15,
                                          0x15, 0x16, 0x17, 0x18, 0x19, 0x1b, 0x99};
    static const uint8_t methods[] = {IBA_METHOD_GET, IBA_METHOD_SET, IBA_METHOD_SET, IBA_METHOD_TRAP_REPRESS, 0x19};
    const unsigned from = below(ADAPTERS);
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];
    struct smp s = {.dlid = some_lid(),
                    .slid = (uint16_t)(FIRST_LID + from),
                    .attribute = attributes[below(sizeof attributes / sizeof *attributes)]};

    s.modifier = some_modifier(s.attribute);
    s.method = methods[one_in(6) ? below(5) : below(2)];
    const struct iba_node *n = node_at(w, s.dlid);
    s.mkey = one_in(10) ? below(3) : n->port[iba_node_is_switch(n) ? 0 : 1].info.m_key;
    some_data(w, &s);
    if (one_in(3)) {
        s.dlid = s.slid = 0xffff;
        s.hops = (uint8_t)(1 + below(2));
        s.path[0] = 1;
        s.path[1] = (uint8_t)(1 + below(SWITCH_PORTS));
    }
    wired_mad(mad, &s);
    iba_node_send(
        &w->ca[from], 1, packet,
        iba_mgmt_build(packet, &(struct iba_mgmt_to){.dlid = s.dlid, .slid = s.slid, .pkey = 0xffff}, IBA_VL15, mad),
        w->now);
    wired_run(w);
}

static void read_counters(struct wired *w)
{
    static const uint16_t attributes[] = {0x12, 0x1d, 0x01, 0x12, 0x99};
    const uint16_t dlid = one_in(3) ? (uint16_t)(FIRST_LID + below(ADAPTERS)) : SWITCH_LID;
    const unsigned from = below(ADAPTERS);
    const struct iba_mgmt_to to = {.dlid = dlid,
                                   .slid = (uint16_t)(FIRST_LID + from),
                                   .dqp = PERFORMANCE_QP,
                                   .sqp = PERFORMANCE_QP,
                                   .sl = (uint8_t)below(4),
                                   .pkey = one_in(8) ? 0x8001 : 0xffff};
    const struct smp s = {.dlid = dlid, .attribute = attributes[below(5)], .method = (uint8_t)(1 + below(2))};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    wired_mad(mad, &s);
    iba_madhdr_set_mgmtclass(mad, one_in(8) ? 5 : IBA_CLASS_PERF);
    mad[MAD_AT + 1] = (uint8_t)below(SWITCH_PORTS + 2);
    mad[MAD_AT + 2] = (uint8_t)below(256);
    mad[MAD_AT + 3] = (uint8_t)below(256);
    iba_node_send(&w->ca[from], 1, packet, iba_mgmt_build(packet, &to, 0, mad), w->now);
    wired_run(w);
}

/* Sends several packets at once, so that they wait for each other. */
static void talk(struct wired *w)
{
    static const uint32_t sizes[] = {0, 64, 256, 1000, 2048, 4096};
    uint8_t packet[IBA_PACKET_MOST];

    for (unsigned k = 1 + below(12); k > 0; k--) {
        const unsigned from = below(ADAPTERS);
        const struct data_packet d = {.slid = one_in(10) ? some_lid() : (uint16_t)(FIRST_LID + from),
                                      .dlid = some_lid(),
                                      .pkey = one_in(6) ? 0x8001 : 0xffff,
                                      .sl = (uint8_t)below(8),
                                      .vl = one_in(10) ? IBA_VL15 : (uint8_t)below(4),
                                      .payload = sizes[below(6)],
                                      .qpn = below(4)};
        const size_t len = wired_data(packet, &d);
        if (one_in(12))
            packet[below((unsigned)len)] ^= 1;
        if (one_in(3))
            iba_node_feed(&w->sw, (uint8_t)(from + 1), packet, len, w->now);
        else
            iba_node_send(&w->ca[from], 1, packet, len, w->now);
    }
    wired_run(w);
}

static void replug(struct wired *w)
{
    const uint8_t i = (uint8_t)below(ADAPTERS);

    if (one_in(2))
        iba_link_lost(&w->sw, (uint8_t)(i + 1), w->now);
    else
        iba_link_settle(&w->sw, (uint8_t)(i + 1), &w->ca[i], 1, w->now);
    if (one_in(2))
        wired_bring_up(w);
    if (one_in(4))
        iba_node_set_issm(&w->ca[i], 1, one_in(2), w->now);
    wired_run(w);
}

/* Sets fields as a manager may, so that each rule about these fields decides in some networks. */
static void arrange(struct wired *w)
{
    for (unsigned p = 1; p <= SWITCH_PORTS; p++) {
        struct iba_portinfo *i = &w->sw.port[p].info;
        i->partitionenforcementinbound = one_in(3);
        i->partitionenforcementoutbound = one_in(3);
        i->filterrawinbound = one_in(4);
        i->hoqlife = (uint8_t)(one_in(2) ? 3 + below(6) : i->hoqlife);
        i->vlhighlimit = (uint8_t)(one_in(2) ? below(3) : 0);
        w->sw.port[p].pkey[1] = one_in(2) ? 0x8001 : 0;
        for (unsigned sl = 0; sl < 8; sl++)
            iba_node_sl2vl(&w->sw, (uint8_t)(1 + below(ADAPTERS)), (uint8_t)p)[sl] = (uint8_t)below(4);
    }
    for (unsigned i = 0; i <= ADAPTERS; i++) {
        struct iba_portinfo *p = i == 0 ? &w->sw.port[0].info : &w->ca[i - 1].port[1].info;
        p->subnettimeout = (uint8_t)(4 + below(16));
        p->m_key = one_in(4) ? 1 : 0;
        p->m_keyprotectbits = (uint8_t)below(4);
        p->m_keyleaseperiod = (uint8_t)below(2);
        p->lmc = (uint8_t)(i > 0 && one_in(3));
        p->cap_mask_notice = !one_in(4);
    }
    w->sw.sw.lifetimevalue = (uint8_t)(one_in(2) ? 2 + below(8) : 18);
    w->sw.sw.multicastfdbtop = 0xc01f;
}

static void one_event(struct wired *w)
{
    switch (below(8)) {
    case 0: read_counters(w); break;
    case 1:
    case 2: talk(w); break;
    case 3: replug(w); break;
    case 4: wired_wait(w, (iba_time)1000 << below(22)); break;
    default: manage(w); break;
    }
    hold(&w->sw);
    for (unsigned i = 0; i < ADAPTERS; i++)
        hold(&w->ca[i]);
}

Test(golden, nodes_do_what_they_did)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/fabric/test/nodes.golden");

    for (unsigned i = 0; i < NETWORKS; i++) {
        char line[GOLDEN_LINE];
        struct wired *w = wired_new();
        const struct iba_node *nodes[] = {&w->sw, &w->ca[0], &w->ca[1], &w->ca[2], &w->ca[3]};
        size_t n;
        iba_random_seed(&random_state, i);
        digest = GOLDEN_EMPTY;
        packets = 0;
        w->seen = seen;
        arrange(w);
        for (unsigned e = 0; e < EVENTS; e++)
            one_event(w);
        n = (size_t)snprintf(line, sizeof line, "%u %u packets %016" PRIx64, i, packets, digest);
        n = held_hits(nodes, ADAPTERS + 1, line, n);
        cr_assert_lt(n + 1, sizeof line);
        memcpy(line + n, "\n", 2);
        golden_line(&g, line);
        w->pool.used = 0; /* packets may still wait for a port that is down */
        wired_free(w);
    }
    golden_close(&g);
}
