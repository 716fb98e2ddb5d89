/* SPDX-License-Identifier: BSD-2-Clause */
/* Every value of the fields that an agent checks, and every counter alone: the agent does what the specification says
 * of each. */
#include "wired.h"

enum { PORTINFO = 0x15, COUNTERS = 0x12, EXTENDED = 0x1d, CLASS_INFO = 0x01, MAD_AT = 28, DATA_AT = 64 };

/* ---- Set(PortInfo) ---- */

/* Sends Set(PortInfo) with `i` to adapter 1. Returns the status; the answer's fields are in *got. */
static int set_portinfo(struct wired *w, const struct iba_portinfo *i, struct iba_portinfo *is)
{
    struct smp s = {.dlid = w->ca[1].port[1].info.lid, .method = IBA_METHOD_SET, .attribute = PORTINFO};
    uint8_t answer[IBA_MAD_BYTES];
    int status;

    s.mkey = w->ca[1].port[1].info.m_key;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], i, s.data);
    status = wired_ask(w, 0, &s, answer);
    if (status >= 0)
        iba_layout_get(&iba_mad_layouts[IBA_M_portinfo], answer + IBA_SMP_DATA_AT, is);
    return status;
}

/* A field of eight bits: its legal values at a port with these abilities, and its value after the Set. */
struct value_case {
    const char *name;
    size_t offset;
    unsigned end; /* all values are below this one */
    bool (*legal)(const struct iba_portinfo *port, unsigned value);
    unsigned (*then)(const struct iba_portinfo *port, unsigned before, unsigned value);
};

static bool legal_width(const struct iba_portinfo *port, unsigned value)
{
    return value == 255 || (value | port->linkwidthsupported) == port->linkwidthsupported;
}

static bool legal_speed(const struct iba_portinfo *port, unsigned value)
{
    return value == 15 || (value | port->linkspeedsupported) == port->linkspeedsupported;
}

static bool legal_ext_speed(const struct iba_portinfo *port, unsigned value)
{
    return value >= 30 || (value | port->linkspeedextsupported) == port->linkspeedextsupported;
}

static bool legal_down_state(const struct iba_portinfo *port, unsigned value)
{
    (void)port;
    return value == 0 || value == 1 || value == 2;
}

static bool legal_mtu(const struct iba_portinfo *port, unsigned value)
{
    return value > 0 && value <= port->mtucap;
}

static bool legal_vls(const struct iba_portinfo *port, unsigned value)
{
    return value <= port->vlcap;
}

static unsigned as_set(const struct iba_portinfo *port, unsigned before, unsigned value)
{
    (void)port;
    (void)before;
    return value;
}

static unsigned unless_zero(const struct iba_portinfo *port, unsigned before, unsigned value)
{
    (void)port;
    return value == 0 ? before : value;
}

static unsigned width_then(const struct iba_portinfo *port, unsigned before, unsigned value)
{
    return value == 255 ? port->linkwidthsupported : unless_zero(port, before, value);
}

static unsigned speed_then(const struct iba_portinfo *port, unsigned before, unsigned value)
{
    return value == 15 ? port->linkspeedsupported : unless_zero(port, before, value);
}

static unsigned ext_speed_then(const struct iba_portinfo *port, unsigned before, unsigned value)
{
    return value == 31 ? port->linkspeedextsupported : unless_zero(port, before, value);
}

static const struct value_case values[] = {
    {"LinkWidthEnabled", offsetof(struct iba_portinfo, linkwidthenabled), 256, legal_width, width_then},
    {"LinkSpeedEnabled", offsetof(struct iba_portinfo, linkspeedenabled), 16, legal_speed, speed_then},
    {"LinkSpeedExtEnabled", offsetof(struct iba_portinfo, linkspeedextenabled), 32, legal_ext_speed, ext_speed_then},
    {"LinkDownDefaultState", offsetof(struct iba_portinfo, linkdowndefaultstate), 16, legal_down_state, unless_zero},
    {"NeighborMTU", offsetof(struct iba_portinfo, neighbormtu), 16, legal_mtu, as_set},
    {"OperationalVLs", offsetof(struct iba_portinfo, operationalvls), 16, legal_vls, unless_zero},
};

static void each_value(struct wired *w, const struct value_case *c)
{
    struct iba_portinfo *port = &w->ca[1].port[1].info, before = *port, is;

    for (unsigned value = 0; value < c->end; value++) {
        struct iba_portinfo want = before;
        const bool legal = c->legal(&before, value);
        const unsigned was = ((const uint8_t *)&before)[c->offset];
        *port = before;
        want.portstate = IBA_PORT_NOP;
        want.portphysicalstate = IBA_PHYS_NOP;
        ((uint8_t *)&want)[c->offset] = (uint8_t)value;
        cr_expect_eq(set_portinfo(w, &want, &is), legal ? IBA_MAD_OK : IBA_MAD_BAD_VALUE, "%s %u", c->name, value);
        cr_expect_eq(((const uint8_t *)&is)[c->offset], legal ? c->then(&before, was, value) : was, "%s %u", c->name,
                     value);
    }
    *port = before;
}

Test(values, of_each_field)
{
    struct wired *w = wired_new();
    struct iba_portinfo *port = &w->ca[1].port[1].info;

    port->mtucap = IBA_MTU_2048;
    port->vlcap = 3;
    port->linkwidthsupported = 3;
    port->linkspeedsupported = 5;
    port->linkspeedextsupported = 3;
    port->linkspeedenabled = 1;
    port->neighbormtu = IBA_MTU_1024;
    port->operationalvls = 2;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        each_value(w, &values[i]);
    wired_free(w);
}

Test(values, of_lids)
{
    static const struct {
        uint16_t lid;
        bool unicast;
    } cases[] = {{0, false}, {1, true}, {2, true}, {0xbfff, true}, {0xc000, false}, {0xfffe, false}, {0xffff, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned manager = 0; manager < 2; manager++) {
            struct wired *w = wired_new();
            struct iba_portinfo want = w->ca[1].port[1].info, is;
            want.portstate = IBA_PORT_NOP;
            want.portphysicalstate = IBA_PHYS_NOP;
            *(manager ? &want.mastersmlid : &want.lid) = cases[i].lid;
            cr_expect_eq(set_portinfo(w, &want, &is), cases[i].unicast ? IBA_MAD_OK : IBA_MAD_BAD_VALUE, "%#x",
                         cases[i].lid);
            cr_expect_eq((manager ? is.mastersmlid : is.lid) == cases[i].lid, cases[i].unicast, "%#x", cases[i].lid);
            wired_free(w);
        }
}

/* Returns whether Set(PortInfo) may order a port from state `is` to that state (KM-25, KM-26): the same state, the next
 * one after Initialize, or Down. */
static bool state_may_be(unsigned is, unsigned state, unsigned physical)
{
    if (physical > IBA_PHYS_DISABLED || (physical != IBA_PHYS_NOP && state > IBA_PORT_DOWN))
        return false;
    switch (state) {
    case IBA_PORT_NOP:
    case IBA_PORT_DOWN: return true;
    case IBA_PORT_ARMED: return is == IBA_PORT_INIT || is == IBA_PORT_ARMED;
    case IBA_PORT_ACTIVE: return is == IBA_PORT_ARMED || is == IBA_PORT_ACTIVE;
    default: return false;
    }
}

/* Adapter 0 orders port 3 of the switch into this state. */
static void one_state(uint8_t is, uint8_t state, uint8_t physical)
{
    struct wired *w = wired_new();
    struct iba_portinfo *port = &w->sw.port[3].info, want;
    struct smp s = {.dlid = SWITCH_LID, .method = IBA_METHOD_SET, .attribute = PORTINFO, .modifier = 3};
    const bool legal = state_may_be(is, state, physical);
    const bool down = legal && (state == IBA_PORT_DOWN || (state == IBA_PORT_NOP && physical != IBA_PHYS_NOP));
    uint8_t answer[IBA_MAD_BYTES];

    port->portstate = is;
    port->linkdowndefaultstate = IBA_PHYS_SLEEP;
    want = *port;
    want.portstate = state;
    want.portphysicalstate = physical;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &want, s.data);
    cr_expect_eq(wired_ask(w, 0, &s, answer), legal ? IBA_MAD_OK : IBA_MAD_BAD_VALUE, "state %u: %u, %u", is, state,
                 physical);
    cr_expect_eq(port->portstate,
                 down                            ? IBA_PORT_DOWN
                 : legal && state > IBA_PORT_NOP ? state
                                                 : is,
                 "state %u: %u, %u", is, state, physical);
    if (down)
        cr_expect_eq(port->portphysicalstate, physical ? physical : IBA_PHYS_SLEEP, "%u, %u", state, physical);
    memset(w->sw.notice, 0, sizeof w->sw.notice);
    wired_free(w);
}

Test(values, of_states)
{
    for (uint8_t is = IBA_PORT_INIT; is <= IBA_PORT_ACTIVE; is++)
        for (uint8_t state = 0; state < 16; state++)
            for (uint8_t physical = 0; physical < 16; physical++)
                one_state(is, state, physical);
}

/* KM-02: a Set that changes the M_Key was sent with the old key. Its answer shows the new key. */
Test(values, a_new_key_is_in_the_answer)
{
    struct wired *w = wired_new();
    struct iba_portinfo want = w->ca[1].port[1].info, is;

    want.portstate = IBA_PORT_NOP;
    want.portphysicalstate = IBA_PHYS_NOP;
    want.m_key = 77;
    want.m_keyprotectbits = 1;
    cr_expect_eq(set_portinfo(w, &want, &is), IBA_MAD_OK);
    cr_expect_eq(is.m_key, 77);
    wired_free(w);
}

/* ---- performance management ---- */

struct question {
    uint16_t dlid, attribute;
    uint8_t method, base_version, class_version, port;
    uint8_t data[192]; /* the port uses the second byte of the key */
};

static int ask(struct wired *w, const struct question *q, uint8_t *answer)
{
    const struct iba_mgmt_to to = {.dlid = q->dlid, .slid = FIRST_LID, .dqp = 1, .sqp = 1, .pkey = 0xffff};
    const struct smp s = {.dlid = q->dlid, .attribute = q->attribute, .method = q->method};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    wired_mad(mad, &s);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_PERF);
    iba_madhdr_set_baseversion(mad, q->base_version);
    iba_madhdr_set_classversion(mad, q->class_version);
    memcpy(mad + DATA_AT, q->data, sizeof q->data);
    mad[DATA_AT + 1] = q->port;
    w->heard[0] = 0;
    iba_node_send(&w->ca[0], 1, packet, iba_mgmt_build(packet, &to, 0, mad), w->now);
    wired_run(w);
    if (!w->heard[0])
        return -1;
    memcpy(answer, w->last + MAD_AT, IBA_MAD_BYTES);
    return answer[4] << 8 | answer[5];
}

Test(performance, refusals)
{
    enum { ADAPTER = FIRST_LID + 1, SET = IBA_METHOD_SET, GET = IBA_METHOD_GET };
    static const struct {
        struct question q;
        int status;
    } cases[] = {
        {{SWITCH_LID, COUNTERS, GET, 1, 1, 0, {0}}, IBA_MAD_OK},
        {{SWITCH_LID, COUNTERS, GET, 1, 1, SWITCH_PORTS, {0}}, IBA_MAD_OK},
        {{SWITCH_LID, COUNTERS, GET, 1, 1, SWITCH_PORTS + 1, {0}}, IBA_MAD_BAD_VALUE},
        {{SWITCH_LID, COUNTERS, GET, 1, 1, 255, {0}}, IBA_MAD_BAD_VALUE},
        {{ADAPTER, COUNTERS, GET, 1, 1, 0, {0}}, IBA_MAD_BAD_VALUE},
        {{ADAPTER, COUNTERS, GET, 1, 1, 1, {0}}, IBA_MAD_OK},
        {{ADAPTER, COUNTERS, GET, 1, 1, 2, {0}}, IBA_MAD_BAD_VALUE},
        {{ADAPTER, EXTENDED, GET, 1, 1, 1, {0}}, IBA_MAD_OK},
        {{ADAPTER, EXTENDED, SET, 1, 1, 0, {0}}, IBA_MAD_BAD_VALUE},
        {{ADAPTER, COUNTERS, GET, 0, 1, 1, {0}}, IBA_MAD_BAD_VERSION},
        {{ADAPTER, COUNTERS, GET, 2, 1, 1, {0}}, IBA_MAD_BAD_VERSION},
        {{ADAPTER, COUNTERS, GET, 1, 0, 1, {0}}, IBA_MAD_BAD_VERSION},
        {{ADAPTER, COUNTERS, GET, 1, 2, 1, {0}}, IBA_MAD_BAD_VERSION},
        {{ADAPTER, COUNTERS, 3, 1, 1, 1, {0}}, IBA_MAD_BAD_METHOD},
        {{ADAPTER, CLASS_INFO, SET, 1, 1, 1, {0}}, IBA_MAD_BAD_ATTRIBUTE},
        {{ADAPTER, 0x0002, GET, 1, 1, 1, {0}}, IBA_MAD_BAD_ATTRIBUTE},
        {{ADAPTER, 0x0013, GET, 1, 1, 1, {0}}, IBA_MAD_BAD_ATTRIBUTE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wired *w = wired_new();
        uint8_t answer[IBA_MAD_BYTES];
        cr_expect_eq(ask(w, &cases[i].q, answer), cases[i].status, "case %zu", i);
        wired_free(w);
    }
}

Test(performance, class_port_info)
{
    struct wired *w = wired_new();
    struct question q = {SWITCH_LID, CLASS_INFO, IBA_METHOD_GET, 1, 1, 9, {0}};
    uint8_t answer[IBA_MAD_BYTES], expected[192] = {1, 1, 0x12, 0x00, 0, 0, 0, 16};

    memset(q.data, 0xee, sizeof q.data);
    cr_expect_eq(ask(w, &q, answer), IBA_MAD_OK);
    cr_expect_arr_eq(answer + DATA_AT, expected, sizeof expected);
    wired_free(w);
}

/* ---- counters: each bit of the selection, each width ---- */

enum { SELECTABLE = 17, SELECTABLE_EXT = 8 };

/* Those of PortCounters in the order of their bits, in `c` and in the bytes of a datagram (MD-103). */
static void short_counters(const struct iba_portcounters_ext *c, uint64_t v[SELECTABLE])
{
    const uint64_t all[] = {c->symbolerrorcounter,
                            c->linkerrorrecoverycounter,
                            c->linkdownedcounter,
                            c->portrcverrors,
                            c->portrcvremotephysicalerrors,
                            c->portrcvswitchrelayerrors,
                            c->portxmitdiscards,
                            c->portxmitconstrainterrors,
                            c->portrcvconstrainterrors,
                            c->locallinkintegrityerrors,
                            c->excessivebufferoverrunerrors,
                            c->vl15dropped,
                            c->portxmitdata,
                            c->portrcvdata,
                            c->portxmitpkts,
                            c->portrcvpkts,
                            c->portxmitwait};

    memcpy(v, all, sizeof all);
}

static void long_counters(const struct iba_portcounters_ext *c, uint64_t v[SELECTABLE_EXT])
{
    const uint64_t all[] = {c->portxmitdata,          c->portrcvdata,         c->portxmitpkts,
                            c->portrcvpkts,           c->portunicastxmitpkts, c->portunicastrcvpkts,
                            c->portmulticastxmitpkts, c->portmulticastrcvpkts};

    memcpy(v, all, sizeof all);
}

/* Gives each counter of the port another value. */
static void number_counters(struct iba_portcounters_ext *c)
{
    uint8_t wire[IBA_BYTES_portcounters_ext];

    memset(wire, 0, sizeof wire);
    for (size_t i = 0; i < sizeof wire; i++)
        wire[i] = (uint8_t)(i + 1);
    iba_layout_get(&iba_mad_layouts[IBA_M_portcounters_ext], wire, c);
}

/* Port 4 of the switch has no traffic, so only the Set changes its counters. */
static void select_one(unsigned bit, bool extended)
{
    struct wired *w = wired_new();
    struct question q = {SWITCH_LID, extended ? EXTENDED : COUNTERS, IBA_METHOD_SET, 1, 1, 4, {0}};
    struct iba_portcounters_ext *c = &w->sw.port[4].counters;
    uint64_t before[SELECTABLE] = {0}, after[SELECTABLE] = {0};
    uint8_t answer[IBA_MAD_BYTES];
    const unsigned n = extended ? SELECTABLE_EXT : SELECTABLE;

    number_counters(c);
    (extended ? long_counters : short_counters)(c, before);
    if (extended)
        iba_portcounters_ext_set_counterselect(q.data, (uint16_t)(1u << bit));
    else if (bit < 16)
        iba_portcounters_set_counterselect(q.data, (uint16_t)(1u << bit));
    else
        iba_portcounters_set_counterselect2(q.data, (uint8_t)(1u << (bit - 16)));
    cr_expect_eq(ask(w, &q, answer), IBA_MAD_OK);
    (extended ? long_counters : short_counters)(c, after);
    for (unsigned i = 0; i < n; i++) {
        cr_expect_neq(before[i], 0, "counter %u", i);
        cr_expect_eq(after[i], i == bit ? 0 : before[i], "bit %u: counter %u%s", bit, i, extended ? " of 64 bits" : "");
    }
    wired_free(w);
}

Test(performance, each_bit_selects_one_counter)
{
    for (unsigned bit = 0; bit < SELECTABLE; bit++)
        select_one(bit, false);
    for (unsigned bit = 0; bit < SELECTABLE_EXT; bit++)
        select_one(bit, true);
}

/* ---- lanes ---- */

Test(values, lanes_of_each_code)
{
    static const unsigned lanes[16] = {0, 1, 2, 4, 8, 15};

    for (unsigned code = 0; code < 16; code++)
        cr_expect_eq(iba_vls_of((uint8_t)code), lanes[code], "code %u", code);
}

/* ---- packets of a switch's own software, and groups ---- */

static unsigned heard_by(struct wired *w, unsigned adapter)
{
    wired_run(w);
    return w->heard[adapter];
}

Test(groups, a_switch_sends_too)
{
    struct wired *w = wired_new();
    uint8_t packet[IBA_PACKET_MOST];
    struct data_packet d = {.slid = SWITCH_LID, .dlid = FIRST_LID + 1, .payload = 64};

    iba_node_send(&w->sw, 0, packet, wired_data(packet, &d), w->now);
    cr_expect_eq(heard_by(w, 1), 1, "to adapter 1");
    d.dlid = 77;
    iba_node_send(&w->sw, 0, packet, wired_data(packet, &d), w->now);
    cr_expect_eq(heard_by(w, 1), 1, "to a LID without a port: nobody");
    cr_expect_eq(w->heard[0] + w->heard[2] + w->heard[3], 0);
    wired_free(w);
}

/* KM-64: a packet to a group without members leaves by the switch's default port, if that port exists and is not the
 * one by which the packet came. */
Test(groups, default_port)
{
    static const struct {
        uint8_t port;
        int32_t sent;
    } cases[] = {{0, 0}, {1, 0}, {2, 1}, {SWITCH_PORTS, 1}, {SWITCH_PORTS + 1, 0}, {255, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wired *w = wired_new();
        const struct data_packet d = {.slid = FIRST_LID, .dlid = 0xc01f, .payload = 64};
        uint8_t packet[IBA_PACKET_MOST];
        w->sw.port[SWITCH_PORTS].info = w->sw.port[2].info; /* the port is Active, but no node is connected to it */
        w->sw.sw.defaultmulticastprimaryport = cases[i].port;
        iba_node_feed(&w->sw, 1, packet, wired_data(packet, &d), w->now);
        cr_expect_eq(w->pool.used, cases[i].sent, "port %u", cases[i].port);
        wired_run(w);
        wired_free(w);
    }
}

Test(values, software_learns_the_port)
{
    struct wired *w = wired_new();
    const struct data_packet d = {.slid = FIRST_LID, .dlid = FIRST_LID + 1, .payload = 64};
    uint8_t packet[IBA_PACKET_MOST], port = 99;

    iba_node_feed(&w->ca[1], 1, packet, wired_data(packet, &d), w->now);
    cr_expect_gt(iba_node_receive(&w->ca[1], &port, packet, sizeof packet), 0);
    cr_expect_eq(port, 1);
    wired_free(w);
}

/* KM-48: a link uses credits only if both its ends have buffers. */
Test(values, credits_need_both_ends)
{
    for (unsigned i = 0; i < 4; i++) {
        struct wired *w = wired_with_credits(IBA_BUFFER_LEAST, false);
        iba_link_lost(&w->sw, 1, w->now);
        iba_link_lost(&w->ca[0], 1, w->now);
        w->sw.cfg.buffer = i & 1 ? IBA_BUFFER_LEAST : 0;
        w->ca[0].cfg.buffer = i & 2 ? IBA_BUFFER_LEAST : 0;
        iba_link_settle(&w->sw, 1, &w->ca[0], 1, w->now);
        cr_expect_eq(w->sw.port[1].credits, i == 3, "case %u", i);
        cr_expect_eq(w->ca[0].port[1].credits, i == 3, "case %u", i);
        wired_free(w);
    }
}

/* ---- directed routes with a part by LID ---- */

struct route {
    uint16_t dlid, drslid, drdlid; /* of the first packet, and where the directed part begins and ends */
    uint8_t pointer, d, hops, path[2];
};

static void send_route(struct wired *w, const struct route *r)
{
    const struct smp s = {.dlid = 0xffff, .attribute = 0x11, .hops = r->hops, .path = {r->path[0], r->path[1]}};
    const struct iba_mgmt_to to = {.dlid = r->dlid, .slid = r->dlid == 0xffff ? 0xffff : FIRST_LID, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    wired_mad(mad, &s);
    mad[4] = r->d ? 0x80 : 0;
    mad[6] = r->pointer;
    iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, r->drslid);
    iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, r->drdlid);
    iba_node_send(&w->ca[0], 1, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad), w->now);
    wired_run(w);
}

/* C14-9, C14-13: a directed route may begin with a part routed by LID, end with such a part, or both. Each answer takes
 * the same route back. */
Test(routes, with_parts_by_lid)
{
    static const struct {
        struct route r;
        unsigned adapter;
    } cases[] = {
        {{0xffff, 0xffff, FIRST_LID + 2, 0, 0, 1, {1}}, 2},
        {{0xffff, 0xffff, FIRST_LID + 3, 0, 0, 1, {1}}, 3},
        {{SWITCH_LID, FIRST_LID, 0xffff, 0, 0, 1, {3}}, 2},
        {{SWITCH_LID, FIRST_LID, 0xffff, 0, 0, 1, {2}}, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wired *w = wired_new();
        send_route(w, &cases[i].r);
        cr_expect_eq(w->heard[0], 1, "case %zu is answered", i);
        cr_expect_eq(iba_nodeinfo_nodeguid(w->last + MAD_AT + IBA_SMP_DATA_AT), w->ca[cases[i].adapter].cfg.node_guid,
                     "case %zu: by adapter %u", i, cases[i].adapter);
        cr_expect_eq(w->last[MAD_AT + 6], 0, "case %zu: the hop pointer is back", i);
        wired_free(w);
    }
}

/* MD-20: a request goes beyond the end of its route; no node answers or forwards it. */
Test(routes, beyond_their_end)
{
    static const uint8_t pointers[] = {3, 4, 64, 255};

    for (size_t i = 0; i < sizeof pointers; i++)
        for (uint8_t d = 0; d < 2; d++) {
            struct wired *w = wired_new();
            send_route(w, &(struct route){SWITCH_LID, FIRST_LID, 0xffff, pointers[i], d, 1, {3, 0}});
            cr_expect_eq(wired_hits(d ? &w->ca[0] : &w->sw, &iba_directed_rules, "too_many_hops"), 1,
                         "pointer %u: an answer begins its way at the adapter", pointers[i]);
            cr_expect_eq(w->heard[0], 0);
            wired_free(w);
        }
}

/* KM-02: a switch has its M_Key at port 0, and shows no key at other ports. */
Test(values, only_end_ports_have_a_key)
{
    struct wired *w = wired_new();

    for (uint8_t port = 0; port <= SWITCH_PORTS; port++) {
        const struct smp s = {.dlid = SWITCH_LID, .attribute = PORTINFO, .modifier = port};
        uint8_t answer[IBA_MAD_BYTES];
        w->sw.port[port].info.m_key = 5;
        cr_expect_eq(wired_ask(w, 0, &s, answer), IBA_MAD_OK);
        cr_expect_eq(iba_portinfo_m_key(answer + IBA_SMP_DATA_AT), port == 0 ? 5 : 0, "port %u", port);
    }
    wired_free(w);
}
