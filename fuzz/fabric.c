/* SPDX-License-Identifier: BSD-2-Clause */
/* Two switches, a router and four adapters, one of them in another subnet; their links count credits. Any bytes arrive,
 * every node sends, links lose, change and copy packets, cables are plugged and pulled. After each step every slot of
 * the pool is in one queue or free, buffers are as full as the packets in them, no multicast packet goes back to its
 * sender, packets on links have good CRCs, and no node asks without end to be called again at once. */
#include "fabric/iba_link.h"
#include "fabric/iba_node.h"
#include "fuzz.h"
#include "wire/iba_build.h"

const struct fuzz_target fuzz_target = {"fabric", FUZZ_BYTES, NULL};

enum {
    SWITCHES = 2,
    NODES = 7,
    ROUTER = 5,
    BEYOND = 6,
    ROUTES = 4,
    PORTS = 4,
    SLOTS = 192,
    BUFFER = 70,
    FLIGHT = 16,
    STEPS = 1500,
    MEMORY = 1 << 16
};
enum { GROUP = 0xc001, CALLS_AT_ONCE = 4096 };

struct flying {
    uint8_t node, port;
    uint16_t len;
    uint8_t bytes[IBA_PACKET_MOST];
};
struct world {
    struct iba_node node[NODES];
    _Alignas(16) uint8_t memory[NODES][MEMORY];
    struct iba_pool pool;
    struct iba_slot slot[SLOTS];
    uint8_t bytes[SLOTS * IBA_PACKET_MOST];
    bool plugged[NODES][PORTS + 1];
    struct flying flight[FLIGHT];
    unsigned n_flight;
    iba_time now;
    struct fuzz_in in;
};
static struct world w;

/* Switch 0: adapters 2 and 3 at ports 1 and 2, switch 1 at port 3, the router at port 4; switch 1: adapter 4 at port 1,
 * switch 0 at port 2; the router: adapter 6 at port 2. */
static const struct {
    uint8_t node, port;
} cable[NODES][PORTS + 1] = {{{0, 0}, {2, 1}, {3, 1}, {1, 2}, {ROUTER, 1}},
                             {{0, 0}, {4, 1}, {0, 3}, {0, 0}, {0, 0}},
                             [ROUTER] = {{0, 0}, {0, 4}, {BEYOND, 1}}};

/* Finds the other end of the cable; false: the port has no cable. */
static bool other_end(unsigned node, unsigned port, unsigned *to, uint8_t *to_port)
{
    for (unsigned s = 0; s < NODES; s++)
        for (unsigned p = 1; p <= PORTS; p++) {
            if (cable[s][p].port == 0)
                continue;
            if (s == node && p == port) {
                *to = cable[s][p].node;
                *to_port = cable[s][p].port;
                return true;
            }
            if (cable[s][p].node == node && cable[s][p].port == port) {
                *to = s;
                *to_port = (uint8_t)p;
                return true;
            }
        }
    return false;
}

/* ---- the subnet ---- */

static void plug(unsigned node, uint8_t port, bool in)
{
    unsigned to;
    uint8_t to_port;

    if (!other_end(node, port, &to, &to_port))
        return;
    w.plugged[node][port] = w.plugged[to][to_port] = in;
    if (in) {
        iba_link_settle(&w.node[node], port, &w.node[to], to_port, w.now);
    } else {
        iba_link_lost(&w.node[node], port, w.now);
        iba_link_lost(&w.node[to], to_port, w.now);
    }
}

#define SITE UINT64_C(0xfec0000000000000)

/* Makes the GID of an adapter in subnet 0 or 1, or of a multicast group of all subnets. */
static void gid_of(unsigned node, uint8_t gid[16])
{
    if (node >= NODES) {
        memset(gid, 0, 16);
        gid[0] = UINT8_MAX;
        gid[1] = 0xe;
        return;
    }
    iba_bits_put(gid, 0, 64, SITE | (node == BEYOND));
    iba_bits_put(gid, 64, 64, w.node[node].port[w.node[node].cfg.type == IBA_NODE_SWITCH ? 0 : 1].guid[0]);
}

static void add_routes(struct iba_node *n)
{
    static const struct {
        uint8_t node, bits, port;
        uint16_t lid;
    } to[ROUTES] = {{2, 64, 1, 3}, {BEYOND, 128, 2, BEYOND + 1}, {NODES, 128, 1, GROUP}, {NODES, 128, 2, GROUP}};

    for (unsigned i = 0; i < ROUTES; i++) {
        n->route[i] = (struct iba_route){.bits = to[i].bits, .port = to[i].port, .dlid = to[i].lid};
        gid_of(to[i].node, n->route[i].gid);
    }
    n->n_route = ROUTES;
    n->port[2].info.lid = NODES + 1;
}

static void manage(struct iba_node *n, unsigned i)
{
    for (unsigned p = 1; p <= n->cfg.n_port; p++)
        if (n->port[p].info.portphysicalstate == IBA_PHYS_LINKUP)
            n->port[p].info.portstate = IBA_PORT_ACTIVE;
    n->port[i < SWITCHES ? 0 : 1].info.lid = (uint16_t)(i + 1);
    n->port[i < SWITCHES ? 0 : 1].info.mastersmlid = SWITCHES + 1;
    for (unsigned p = 1; i >= SWITCHES && p <= n->cfg.n_port; p++)
        n->port[p].info.guid = SITE | (i == BEYOND || p == 2);
    if (i == ROUTER)
        add_routes(n);
    if (i >= SWITCHES)
        return;
    n->sw.linearfdbtop = NODES;
    for (unsigned k = 0; k < NODES; k++)
        n->lft[k + 1] = (uint8_t)(i == 0 ? (k == 0        ? 0
                                            : k == 2      ? 1
                                            : k == 3      ? 2
                                            : k == ROUTER ? 4
                                                          : 3)
                                         : (k == 1   ? 0
                                            : k == 4 ? 1
                                                     : 2));
    n->mft[GROUP - 0xc000] = 0x1e;
}

static void make(uint8_t settings)
{
    w.n_flight = 0; /* bytes of packets, in flight or in the pool, are written before they are read */
    w.now = 0;
    memset(w.slot, 0, sizeof w.slot);
    memset(w.plugged, 0, sizeof w.plugged);
    iba_pool_init(&w.pool, w.slot, w.bytes, SLOTS);
    for (unsigned i = 0; i < NODES; i++) {
        const struct iba_node_config c = {.type = i < SWITCHES  ? IBA_NODE_SWITCH
                                                  : i == ROUTER ? IBA_NODE_ROUTER
                                                                : IBA_NODE_CA,
                                          .n_port = i < SWITCHES  ? PORTS
                                                    : i == ROUTER ? 2
                                                                  : 1,
                                          .routes = i == ROUTER ? ROUTES : 0,
                                          .mtu = IBA_MTU_4096,
                                          .vls = 3,
                                          .widths = 3,
                                          .speeds = 7,
                                          .ext_speeds = 3,
                                          .vlarb_entries = 64,
                                          .node_guid = 0x100 * (i + 1),
                                          .system_guid = 0x100 * (i + 1),
                                          .pkeys = 32,
                                          .switch_pkeys = i < SWITCHES ? 32 : 0,
                                          .lft = i < SWITCHES ? 64 : 0,
                                          .mft = i < SWITCHES ? 32 : 0,
                                          .buffer = settings & 1 ? 0 : BUFFER,
                                          .refresh = (settings & 6) == 6};
        FUZZ_CHECK(iba_node_bytes(&c) <= MEMORY);
        iba_node_init(&w.node[i], &c, w.memory[i], &w.pool);
    }
    for (unsigned s = 0; s < NODES; s++)
        for (unsigned p = 1; p <= w.node[s].cfg.n_port; p++)
            plug(s, (uint8_t)p, true);
    for (unsigned i = 0; i < NODES && !(settings & 8); i++)
        manage(&w.node[i], i);
}

/* ---- what holds ---- */

/* Returns the number of packets in the queue. */
static uint32_t check_queue(const struct iba_node *n, const struct iba_fifo *q, unsigned port, bool leaves,
                            uint32_t *copies)
{
    uint32_t count = 0;

    if (q->n == 0)
        return 0;
    for (int32_t i = q->first; i != IBA_NO_SLOT; i = w.slot[i].next) {
        const bool multicast =
            iba_lid_classify((uint16_t)iba_lrh_dlid(w.bytes + (size_t)i * IBA_PACKET_MOST)) == IBA_LID_MULTICAST;
        FUZZ_CHECK(++count <= q->n && w.slot[i].len <= IBA_PACKET_MOST);
        FUZZ_CHECK(!leaves || !multicast || n->cfg.type != IBA_NODE_SWITCH || w.slot[i].in != port);
        if (w.slot[i].hold > 0)
            copies[w.slot[i].hold - 1]++;
    }
    FUZZ_CHECK(count == q->n);
    return count;
}

/* Whether no packet waits at the port. Most ports are idle after most steps, and their queues need no check. */
static bool is_idle(const struct iba_node_port *p)
{
    uint32_t n = p->waiting | p->paced_waiting;

    for (unsigned vl = 0; vl < IBA_VLS; vl++)
        n |= p->queue[vl].n;
    for (unsigned f = 0; f < IBA_PACED_FLOWS; f++)
        n |= p->paced[f].queue.n;
    return n == 0;
}

/* Returns the number of slots in the queues of a node, and counts the copies of each record of a receive buffer. */
static uint32_t check_queues(const struct iba_node *n, uint32_t *copies)
{
    uint32_t slots = n->local[0].n + n->local[IBA_VL15].n;

    (void)check_queue(n, &n->local[0], 0, false, copies);
    (void)check_queue(n, &n->local[IBA_VL15], 0, false, copies);
    for (unsigned p = 1; p <= n->cfg.n_port; p++) {
        const struct iba_node_port *port = &n->port[p];
        uint32_t waiting = 0, paced = 0;
        if (is_idle(port))
            continue;
        for (unsigned vl = 0; vl < IBA_VLS; vl++)
            waiting += check_queue(n, &port->queue[vl], p, true, copies);
        for (unsigned f = 0; f < IBA_PACED_FLOWS; f++)
            paced += check_queue(n, &port->paced[f].queue, p, false, copies);
        FUZZ_CHECK(waiting == port->waiting && paced == port->paced_waiting);
        slots += waiting + paced;
    }
    return slots;
}

/* Adds the record of the receive buffer that the packet holds to those of this node, once. */
static unsigned add_hold(int32_t slot, bool *known, uint16_t *own, unsigned n)
{
    const int32_t hold = w.slot[slot].hold;

    if (hold == 0 || known[hold - 1])
        return n;
    known[hold - 1] = true;
    own[n] = (uint16_t)(hold - 1);
    return n + 1;
}

static void check_buffers(const struct iba_node *n, const uint32_t *copies)
{
    uint32_t held[PORTS + 1][IBA_VLS] = {{0}};
    bool known[SLOTS] = {false};
    uint16_t own[SLOTS];
    unsigned n_own = 0;

    for (unsigned p = 1; p <= n->cfg.n_port; p++)
        for (unsigned vl = 0; vl < IBA_VLS && n->port[p].waiting > 0; vl++)
            for (int32_t i = n->port[p].queue[vl].first; i != IBA_NO_SLOT; i = w.slot[i].next)
                n_own = add_hold(i, known, own, n_own);
    for (int32_t i = n->local[0].n ? n->local[0].first : IBA_NO_SLOT; i != IBA_NO_SLOT; i = w.slot[i].next)
        n_own = add_hold(i, known, own, n_own);
    for (unsigned k = 0; k < n_own; k++) {
        const struct iba_hold *room = &w.slot[own[k]].room;
        FUZZ_CHECK(room->copies == copies[own[k]] && room->port <= n->cfg.n_port);
        held[room->port][room->vl] += room->blocks;
    }
    for (unsigned p = 1; p <= n->cfg.n_port; p++)
        for (unsigned vl = 0; vl < IBA_VL15; vl++)
            FUZZ_CHECK(n->port[p].lane[vl].held == held[p][vl] && held[p][vl] <= n->cfg.buffer);
}

static void check(void)
{
    uint32_t copies[SLOTS] = {0}, slots = 0;
    int32_t is_free = 0;

    for (unsigned i = 0; i < NODES; i++)
        slots += check_queues(&w.node[i], copies);
    for (unsigned i = 0; i < NODES; i++)
        check_buffers(&w.node[i], copies);
    for (int32_t i = w.pool.free; i != IBA_NO_SLOT; i = w.slot[i].next)
        FUZZ_CHECK(++is_free <= SLOTS);
    FUZZ_CHECK((int32_t)slots == w.pool.used && is_free + w.pool.used == SLOTS);
}

/* ---- what happens ---- */

static void on_the_wire(unsigned node, uint8_t port, const uint8_t *packet, size_t len)
{
    struct iba_view v;
    unsigned to;
    uint8_t to_port;
    struct flying *f = &w.flight[w.n_flight];

    iba_view_parse(&v, IBA_LINK_IB, packet, len, len, NULL);
    iba_view_check(&v);
    FUZZ_CHECK(v.vcrc == IBA_CHECK_GOOD);
    fuzz_note_bytes(packet, len);
    if (!other_end(node, port, &to, &to_port) || !w.plugged[node][port] || w.n_flight == FLIGHT)
        return;
    f->node = (uint8_t)to;
    f->port = to_port;
    f->len = (uint16_t)len;
    memcpy(f->bytes, packet, len);
    w.n_flight++;
}

static void settle(void)
{
    for (unsigned i = 0; i < NODES; i++)
        for (uint8_t p = 1; p <= w.node[i].cfg.n_port; p++)
            if (w.node[i].port[p].link_work) {
                w.node[i].port[p].link_work = false;
                if (w.plugged[i][p])
                    plug(i, p, true);
            }
}

/* Does everything that is due now. */
static void work(void)
{
    uint8_t packet[IBA_PACKET_MOST], port;
    size_t len;

    settle();
    for (unsigned i = 0; i < NODES; i++) {
        struct iba_node *n = &w.node[i];
        unsigned calls = 0;
        do {
            FUZZ_CHECK(++calls < CALLS_AT_ONCE);
            iba_node_advance(n, w.now);
            for (uint8_t p = 1; p <= n->cfg.n_port; p++)
                while ((len = iba_node_poll(n, p, packet, sizeof packet, w.now)) > 0)
                    on_the_wire(i, p, packet, len);
        } while (iba_node_deadline(n) <= w.now);
        if (!(fuzz_u8(&w.in) & 1))
            while ((len = iba_node_receive(n, &port, packet, sizeof packet)) > 0)
                fuzz_note_bytes(packet, len);
    }
}

/* A packet in flight arrives, is lost, arrives damaged, or arrives while a copy stays in flight. */
static void deliver(uint8_t how)
{
    struct flying f;
    unsigned at;

    if (w.n_flight == 0)
        return;
    at = fuzz_u8(&w.in) % w.n_flight;
    f = w.flight[at];
    if (!(how & 2))
        w.flight[at] = w.flight[--w.n_flight];
    if (how & 1)
        f.bytes[fuzz_u16(&w.in) % f.len] ^= fuzz_u8(&w.in);
    if ((how & 12) != 12)
        iba_node_feed(&w.node[f.node], f.port, f.bytes, f.len, w.now);
}

/* Arbitrary bytes arrive, with a right or a wrong VCRC. */
static void arrive(uint8_t how)
{
    uint8_t packet[64];
    const unsigned node = fuzz_u8(&w.in) % NODES;
    const size_t len = 6 + fuzz_u8(&w.in) % (sizeof packet - 6);

    for (size_t i = 0; i < len; i++)
        packet[i] = fuzz_u8(&w.in);
    if (len == IBA_BYTES_fc && how & 1)
        iba_put_le16(packet + 4, iba_lpcrc(packet));
    else if (how & 1)
        iba_put_le16(packet + len - IBA_VCRC_BYTES, iba_vcrc(packet, len - IBA_VCRC_BYTES));
    iba_node_feed(&w.node[node], (uint8_t)(1 + fuzz_u8(&w.in) % w.node[node].cfg.n_port), packet, len, w.now);
}

static uint16_t some_lid(void)
{
    const uint8_t b = fuzz_u8(&w.in);

    return b < 128 ? (uint16_t)(1 + b % NODES) : b < 160 ? GROUP : b < 192 ? UINT16_MAX : (uint16_t)(b - 190);
}

/* An adapter sends a management datagram. Most of the 64 bytes of its attribute are zero. */
static void ask(void)
{
    enum { PERFORMANCE = 0x04, CONGESTION = 0x21 };
    const unsigned node = SWITCHES + fuzz_u8(&w.in) % (NODES - SWITCHES);
    struct iba_mgmt_to to = {.dlid = some_lid(), .slid = (uint16_t)(node + 1), .pkey = UINT16_MAX};
    uint8_t mad[IBA_MAD_BYTES] = {1, 0, 1}, packet[IBA_MGMT_BYTES];

    const uint8_t class = fuzz_u8(&w.in);

    to.dqp = to.sqp = class & 1;
    mad[1] = to.dqp ? (class & 2 ? CONGESTION : PERFORMANCE) : to.dlid == UINT16_MAX ? 0x81 : 1;
    mad[2] = to.dqp && class & 2 ? 2 : 1;
    mad[3] = fuzz_u8(&w.in);
    iba_madhdr_set_transactionid(mad, fuzz_u8(&w.in));
    iba_madhdr_set_attributeid(mad, fuzz_u8(&w.in));
    iba_madhdr_set_attributemodifier(mad, fuzz_u32(&w.in));
    if (to.dlid == UINT16_MAX) {
        to.slid = UINT16_MAX;
        memset(mad + 32, 0xff, 4);
        mad[7] = fuzz_u8(&w.in) % 8;
        for (unsigned i = 1; i <= mad[7]; i++)
            mad[128 + i] = fuzz_u8(&w.in) % (PORTS + 2);
    }
    for (unsigned k = fuzz_u8(&w.in) % 16; k > 0; k--) {
        const uint8_t at = fuzz_u8(&w.in);
        mad[at] = fuzz_u8(&w.in);
    }
    iba_node_send(&w.node[node], 1, packet, iba_mgmt_build(packet, &to, to.dqp ? 0 : IBA_VL15, mad), w.now);
}

static void address(unsigned node, uint8_t *grh)
{
    const uint8_t b = fuzz_u8(&w.in);
    uint8_t gid[16] = {0};

    gid_of(node, gid);
    iba_grh_set_sgid(grh, gid);
    gid_of(b % (NODES + 1), gid);
    iba_grh_set_dgid(grh, gid);
    iba_grh_set_hoplmt(grh, b / (NODES + 1));
}

static void talk(void)
{
    static const uint16_t sizes[] = {0, 4, 256, 1024, 4096};
    static const uint8_t zero[IBA_MTU_MOST_BYTES + 4];
    const unsigned node = SWITCHES + fuzz_u8(&w.in) % (NODES - SWITCHES);
    const uint8_t ipd = fuzz_u8(&w.in);
    uint8_t packet[IBA_PACKET_MOST];
    struct iba_recipe r;
    size_t len;

    iba_recipe_init(&r, ipd & 2 ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL, 0x64);
    if (ipd & 2)
        address(node, iba_recipe_part(&r, IBA_H_grh));
    iba_lrh_set_slid(iba_recipe_part(&r, IBA_H_lrh), node + 1);
    iba_lrh_set_dlid(iba_recipe_part(&r, IBA_H_lrh), some_lid());
    iba_lrh_set_sl(iba_recipe_part(&r, IBA_H_lrh), fuzz_u8(&w.in) & 0xf);
    iba_bth_set_p_key(iba_recipe_part(&r, IBA_H_bth), 0xffff);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), fuzz_u8(&w.in) & 3);
    r.payload = zero;
    r.payload_len = sizes[fuzz_u8(&w.in) % (sizeof sizes / sizeof *sizes)];
    FUZZ_CHECK(iba_build(&r, packet, sizeof packet, &len) == IBA_OK);
    if (ipd & 1)
        (void)iba_node_send_at_rate(&w.node[node], 1, packet, len, ipd, w.now);
    else
        iba_node_send(&w.node[node], 1, packet, len, w.now);
}

static void step(void)
{
    const uint8_t what = fuzz_u8(&w.in), node = what >> 4;

    switch (what & 0xf) {
    case 0: arrive(what >> 4); break;
    case 1:
    case 2: ask(); break;
    case 3: plug(node % SWITCHES, (uint8_t)(1 + node / SWITCHES % PORTS), what >> 7); break;
    case 4: w.now += (iba_time)1 << fuzz_u8(&w.in) % 34; break;
    case 5: manage(&w.node[node % NODES], node % NODES); break;
    case 6:
    case 7:
    case 8: talk(); break;
    case 9: w.now += 1000; break;
    default: deliver(what >> 4); break;
    }
}

int fuzz_one(const uint8_t *data, size_t n)
{
    fuzz_trace = FUZZ_TRACE_START;
    make(n ? data[0] : 0);
    w.in = (struct fuzz_in){data + (n > 0), n ? n - 1 : 0};
    work();
    for (unsigned i = 0; i < STEPS && w.in.n > 0; i++, fuzz_steps++) {
        step();
        work();
        check();
    }
    return 0;
}
