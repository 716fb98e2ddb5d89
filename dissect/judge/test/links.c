/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets between ports of a switch, from a capture of its links built by hand. An adapter asks by its port, which
 * leads to port 1 of switch S; ports 2 and 3 of S lead to switch T, by its ports 4 and 5. Interface 0 has what the
 * adapter sends; 1, 2 and 3 what S sends by these ports; 4 and 5 what T sends. */
#include "judge/links.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_node.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"

enum {
    GET = 1,
    SET = 2,
    TRAP = 5,
    TRAP_REPRESS = 7,
    GET_RESP = 0x81,
    DIRECTED = 0x81,
    BY_LID = 1,
    VL15 = 15,
    PORT_OF_ADAPTER = 1
};
enum { NODE_INFO = 0x11, SWITCH_INFO = 0x12, PORT_INFO = 0x15, P_KEYS = 0x16, LANES = 0x17, ROUTES = 0x19 };
enum { S = 0xaaaa, T = 0xbbbb, FROM = 1, LID = 9 };
#define SECOND_NS (UINT64_C(1000) * 1000 * 1000)

struct capture {
    struct links *links;
    struct packet packet;
    struct cap_packet cap;
    uint64_t now, transaction, kinds; /* a bit for each kind that was found */
    struct iba_finding last;
    unsigned n;
    uint8_t bytes[IBA_MGMT_BYTES];
};

static void found(void *ctx, const struct iba_finding *f)
{
    struct capture *c = ctx;

    c->last = *f;
    c->n++;
    c->kinds |= UINT64_C(1) << (f->kind - IBA_FINDING_FIRST_FABRIC);
}

static void capture(struct capture *c, uint32_t iface, size_t n)
{
    struct packet *p = &c->packet;

    c->cap.iface = iface;
    c->now += 1000;
    p->cap = &c->cap;
    p->number++;
    (void)iba_view_parse(&p->view, IBA_LINK_IB, c->bytes, n, n, NULL);
    iba_view_check(&p->view);
    links_packet(c->links, &(struct links_sighting){.p = p, .tag = p->number, .now = c->now});
}

static void shoot(struct capture *c, uint32_t iface, const struct iba_mgmt_to *to, uint8_t vl, const uint8_t *mad)
{
    capture(c, iface, iba_mgmt_build(c->bytes, to, vl, mad));
}

struct smp {
    uint8_t method, hops;
    uint16_t attribute;
    uint32_t modifier;
    const uint8_t *data; /* 64 bytes; NULL: zeros */
};

static void smp(struct capture *c, uint32_t iface, const struct smp *x, bool back, uint8_t pointer)
{
    static const struct iba_mgmt_to to = {.dlid = UINT16_MAX, .slid = UINT16_MAX, .pkey = UINT16_MAX};
    static const uint8_t out[] = {0, PORT_OF_ADAPTER, 2}, in[] = {0, 1, 4};
    uint8_t mad[IBA_MAD_BYTES] = {1, DIRECTED, 1};

    iba_madhdr_set_method(mad, x->method);
    mad[4] = back ? 0x80 : 0;
    mad[6] = pointer;
    mad[7] = x->hops;
    iba_madhdr_set_transactionid(mad, c->transaction);
    iba_madhdr_set_attributeid(mad, x->attribute);
    iba_madhdr_set_attributemodifier(mad, x->modifier);
    memset(mad + 32, 0xff, 4); /* no part by LID */
    if (x->data)
        memcpy(mad + 64, x->data, 64);
    memcpy(mad + 128, out, x->hops + 1U);
    memcpy(mad + 192, in, back ? x->hops + 1U : pointer);
    shoot(c, iface, &to, VL15, mad);
}

/* Adds a request and its answer, as captured on each link of their route. */
static void ask(struct capture *c, const struct smp *request, const uint8_t *answer)
{
    struct smp x = *request;

    c->transaction++;
    smp(c, 0, &x, false, 1);
    if (x.hops == 2)
        smp(c, 2, &x, false, 2);
    x.method = GET_RESP;
    x.data = answer;
    if (x.hops == 2)
        smp(c, 4, &x, true, 2);
    smp(c, 1, &x, true, 1);
}

static void node(struct capture *c, uint64_t guid, uint8_t hops, uint8_t port)
{
    uint8_t info[64] = {0};

    iba_nodeinfo_set_nodetype(info, 2);
    iba_nodeinfo_set_numports(info, 8);
    iba_nodeinfo_set_nodeguid(info, guid);
    iba_nodeinfo_set_localportnum(info, port);
    ask(c, &(struct smp){.method = GET, .hops = hops, .attribute = NODE_INFO}, info);
}

struct told {
    uint8_t port, vl; /* of LID; of SL 0 from port 1 to port 2 */
    uint16_t key;     /* in the tables of all ports */
    uint16_t top;
    bool enforce;
};

/* Sets the table of S so that S sends LID 9 by `port`. */
static void tell(struct capture *c, const struct told *t, uint8_t method)
{
    uint8_t info[64] = {0}, routes[64], lanes[64] = {0}, keys[64] = {0}, port[64] = {0};

    iba_switchinfo_set_linearfdbtop(info, t->top);
    iba_switchinfo_set_partitionenforcementcap(info, 32);
    memset(routes, 255, sizeof routes);
    routes[LID] = t->port;
    lanes[0] = (uint8_t)(t->vl << 4);
    keys[0] = (uint8_t)(t->key >> 8);
    keys[1] = (uint8_t)t->key;
    iba_portinfo_set_operationalvls(port, 3);
    iba_portinfo_set_partitionenforcementinbound(port, t->enforce);
    iba_portinfo_set_partitionenforcementoutbound(port, t->enforce);
    ask(c, &(struct smp){method, 1, SWITCH_INFO, 0, info}, info);
    ask(c, &(struct smp){method, 1, ROUTES, 0, routes}, routes);
    for (uint32_t out = 1; out <= 3; out++) {
        ask(c, &(struct smp){method, 1, PORT_INFO, out, port}, port);
        ask(c, &(struct smp){method, 1, LANES, 1U << 8 | out, lanes}, lanes);
        ask(c, &(struct smp){method, 1, P_KEYS, out << 16, keys}, keys);
    }
}

static const struct told usual = {.port = 2, .key = 0xffff, .top = 20};

static void begin(struct capture *c)
{
    memset(c, 0, sizeof *c);
    c->links = links_open(&(struct links_config){.report = found, .ctx = c});
    cr_assert(c->links);
    node(c, S, 1, 1); /* the second packet is of another interface: from then on interfaces become ports */
    node(c, S, 1, 1);
    node(c, T, 2, 4);
    tell(c, &usual, SET);
}

static void data(struct capture *c, uint32_t iface, uint16_t lid, uint32_t psn, uint8_t vl)
{
    static const uint8_t nothing[IBA_MAD_BYTES];
    const struct iba_mgmt_to to = {.dlid = lid, .slid = FROM, .dqp = 77, .sqp = 77, .psn = psn, .pkey = 0xffff};

    shoot(c, iface, &to, vl, nothing);
}

#define BIT(kind) (UINT64_C(1) << (IBA_FINDING_##kind - IBA_FINDING_FIRST_FABRIC))

static void end(struct capture *c, uint64_t kinds, unsigned n)
{
    links_end(c->links, c->now);
    cr_expect_eq(c->kinds, kinds, "%#llx, not %#llx", (unsigned long long)c->kinds, (unsigned long long)kinds);
    cr_expect_eq(c->n, n, "%u findings", c->n);
    links_close(c->links);
}

Test(links, a_packet_that_leaves_as_it_should)
{
    static struct capture c;

    begin(&c);
    for (uint32_t psn = 0; psn < 3; psn++) {
        data(&c, 0, LID, psn, 0);
        data(&c, 2, LID, psn, 0);
    }
    end(&c, 0, 0);
}

/* A packet that does not leave is lost once a later packet of its flow has left, or after five seconds. */
Test(links, a_packet_that_does_not_leave)
{
    static struct capture c;

    begin(&c);
    data(&c, 0, LID, 1, 0);
    const uint64_t lost = c.packet.number;
    data(&c, 0, LID, 2, 0);
    data(&c, 2, LID, 2, 0);
    data(&c, 0, LID, 3, 0);
    end(&c, BIT(SWITCH_LOST), 1);
    cr_expect_eq(c.last.frame, lost);
    cr_expect_eq(c.last.tag, lost);
    cr_expect_eq(c.last.psn.v, 1);
    begin(&c);
    data(&c, 0, LID, 1, 0);
    c.now += 5 * SECOND_NS - 1;
    end(&c, 0, 0);
    begin(&c);
    data(&c, 0, LID, 1, 0);
    c.now += 5 * SECOND_NS;
    end(&c, BIT(SWITCH_LOST), 1);
}

/* A packet is not reported if it may be elsewhere: its port was not captured, another interface saw it, or it belongs
 * to the switch itself. */
Test(links, packets_that_are_not_lost)
{
    static struct capture c;
    struct told told = usual;

    begin(&c);
    data(&c, 0, LID, 1, 0);
    data(&c, 4, LID, 1, 0);
    data(&c, 0, LID, 2, 0);
    data(&c, 2, LID, 2, 0);
    end(&c, 0, 0);
    for (uint8_t port = 0; port < 8; port += 7) { /* of the switch; not captured */
        begin(&c);
        told.port = port;
        tell(&c, &told, SET);
        data(&c, 0, LID, 1, 0);
        c.now += 9 * SECOND_NS;
        end(&c, 0, 0);
    }
}

/* The tables of the switch explain why a packet does not leave. */
Test(links, packets_that_the_switch_is_told_to_drop)
{
    static struct capture c;
    static const struct {
        struct told told;
        uint16_t lid;
        uint64_t kind;
    } at[] = {{{.port = 2, .key = 0xffff, .top = 20}, LID + 1, BIT(SWITCH_NO_ROUTE)},
              {{.port = 2, .key = 0xffff, .top = LID - 1}, LID, BIT(SWITCH_NO_ROUTE)},
              {{.port = 2, .key = 0xffff, .top = 20, .vl = 15}, LID, BIT(SWITCH_NO_LANE)},
              {{.port = 2, .key = 0xffff, .top = 20, .vl = 4}, LID, BIT(SWITCH_NO_LANE)},
              {{.port = 2, .key = 0x8001, .top = 20, .enforce = true}, LID, BIT(SWITCH_PARTITION)},
              {{.port = 2, .key = 0x8001, .top = 20}, LID, 0},
              {{.port = 2, .key = 0x7fff, .top = 20, .enforce = true}, LID, 0}};

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        begin(&c);
        tell(&c, &at[i].told, SET);
        data(&c, 0, at[i].lid, 1, 0);
        end(&c, at[i].kind, at[i].kind != 0);
    }
}

/* The tables explain nothing if they were set after the packet came, or by LID, or if the Set has no answer. */
Test(links, tables_that_may_have_changed)
{
    static struct capture c;
    const struct told none = {.port = 255, .key = 0xffff, .top = 20};
    uint8_t routes[64] = {0}, mad[IBA_MAD_BYTES] = {1, BY_LID, 1, SET};

    begin(&c);
    data(&c, 0, LID, 1, 0);
    tell(&c, &none, SET);
    end(&c, 0, 0);
    begin(&c);
    tell(&c, &none, SET);
    shoot(&c, 1, &(struct iba_mgmt_to){.dlid = 3, .slid = 4, .pkey = 0xffff}, VL15, mad);
    data(&c, 0, LID, 1, 0);
    end(&c, 0, 0);
    begin(&c);
    c.transaction++;
    smp(&c, 0, &(struct smp){SET, 1, ROUTES, 0, routes}, false, 1);
    data(&c, 0, LID, 1, 0);
    data(&c, 3, LID, 1, 0);
    end(&c, 0, 0);
    begin(&c); /* the lanes of all pairs of ports at once */
    c.transaction++;
    smp(&c, 0, &(struct smp){SET, 1, LANES, 3 << 16, routes}, false, 1);
    data(&c, 0, LID, 1, 0);
    data(&c, 2, LID, 1, 1);
    end(&c, 0, 0);
}

Test(links, a_wrong_port_and_a_wrong_lane)
{
    static struct capture c;

    begin(&c);
    data(&c, 0, LID, 1, 0);
    const uint64_t entered = c.packet.number;
    data(&c, 3, LID, 1, 0); /* nothing else of T's port 5 is known, nor of S's port 3: it is no port yet */
    end(&c, 0, 0);
    begin(&c);
    data(&c, 0, LID, 1, 0);
    data(&c, 2, LID, 1, 1);
    cr_expect_eq(c.last.cause, entered);
    cr_expect_eq(c.last.wait_ns, 1000);
    end(&c, BIT(LANE_WRONG), 1);
    begin(&c);
    tell(&c, &(struct told){.port = 3, .key = 0x8001, .top = 20, .enforce = true}, SET);
    data(&c, 0, LID, 1, 0);
    data(&c, 2, LID, 1, 0);
    end(&c, BIT(ROUTE_WRONG) | BIT(PARTITION_PASSED), 2);
}

/* S sends the packet to T, and T sends it back to S by the only cable that the capture shows. */
Test(links, a_loop)
{
    static struct capture c;

    begin(&c);
    data(&c, 0, LID, 1, 0);
    const uint64_t entered = c.packet.number;
    for (unsigned i = 0; i < 3; i++) {
        data(&c, 2, LID, 1, 0);
        data(&c, 4, LID, 1, 0);
    }
    cr_expect_eq(c.last.cause, entered);
    end(&c, BIT(ROUTE_LOOP), 1);
}

/* A repeat has the same bytes as the first packet. The packet that was lost is the first one. */
Test(links, a_repeat_of_a_lost_packet)
{
    static struct capture c;

    begin(&c);
    data(&c, 0, LID, 1, 0);
    const uint64_t lost = c.packet.number;
    data(&c, 0, LID, 1, 0);
    data(&c, 2, LID, 1, 0);
    end(&c, BIT(SWITCH_LOST), 1);
    cr_expect_eq(c.last.frame, lost);
}

Test(links, damaged_packets_groups_and_smps_are_left_out)
{
    static struct capture c;

    begin(&c);
    data(&c, 0, 0xc001, 1, 0);
    data(&c, 0, LID, 1, VL15);
    data(&c, 0, LID, 2, 0);
    data(&c, 2, LID, 2, 0);
    c.now += 9 * SECOND_NS;
    end(&c, 0, 0);
}

/* ---- lanes without credits ---- */

enum { BLOCKS = 5, REFUSED_NS = 4 * 65536 }; /* of a packet; 65,536 symbol times of the slowest link */

/* Adds a flow-control packet of lane 0. */
static void flow(struct capture *c, uint32_t iface, unsigned op, unsigned limit)
{
    memset(c->bytes, 0, IBA_BYTES_fc);
    iba_fc_set_op(c->bytes, op);
    iba_fc_set_fccl(c->bytes, limit);
    iba_put_le16(c->bytes + IBA_BYTES_fc - 2, iba_lpcrc(c->bytes));
    capture(c, iface, IBA_BYTES_fc);
}

/* Port 2 of S has sent nothing yet, and the port at the other end of its link grants no credits. */
static void begin_empty(struct capture *c)
{
    begin(c);
    flow(c, 2, 0, 0);
    flow(c, 4, 0, 0);
}

/* The next port grants no credits for the packet until the last possible instant, step by step. */
Test(links, a_packet_that_its_lane_has_no_credits_for)
{
    static struct capture c;

    for (unsigned steps = 1; steps <= BLOCKS; steps++) {
        begin_empty(&c);
        data(&c, 0, LID, 1, 0);
        const uint64_t entered = c.now;
        for (unsigned i = 0; i < steps; i++)
            flow(&c, 4, 0, i);
        c.now = entered + REFUSED_NS - 1000;
        flow(&c, 4, 0, steps - 1);
        const uint64_t last = c.packet.number;
        flow(&c, 4, 0, BLOCKS);
        data(&c, 2, LID, 1, 0);
        cr_expect_eq(c.last.cause, last);
        cr_expect_eq(c.last.cause_tag, last);
        cr_expect_eq(c.last.wait_ns, REFUSED_NS);
        end(&c, BIT(LANE_STALL), 1);
    }
}

/* Each row lacks one fact that the finding needs. */
Test(links, packets_that_may_have_waited_for_something_else)
{
    static struct capture c;
    static const struct {
        const char *lacks;
        unsigned before, wait, limit, op; /* limit, op: of the last packet that refuses */
        uint32_t from;                    /* its interface */
        bool late, another, uncounted;
    } at[] = {{"the time", 0, REFUSED_NS - 1, 0, 0, 4, false, false, false},
              {"a refusal: so many blocks are granted", 0, REFUSED_NS, BLOCKS, 0, 4, false, false, false},
              {"a refusal: the operand is reserved", 0, REFUSED_NS, 0, 2, 4, false, false, false},
              {"a refusal by the next port", 0, REFUSED_NS, 0, 0, 5, false, false, false},
              {"a packet in the switch", 0, REFUSED_NS, 0, 0, 4, true, false, false},
              {"the time since another packet left", BLOCKS, REFUSED_NS - 1, BLOCKS, 0, 4, false, true, false},
              {"credits that another packet kept to", 0, REFUSED_NS, 0, 0, 4, false, true, false},
              {"the count of what was sent", 0, REFUSED_NS, 0, 0, 4, false, false, true}};

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        begin(&c);
        if (!at[i].uncounted)
            flow(&c, 2, 0, 0);
        flow(&c, 4, 0, at[i].before);
        if (!at[i].late)
            data(&c, 0, LID, 1, 0);
        if (at[i].another) {
            c.now += REFUSED_NS;
            data(&c, 2, LID, 7, 0);
        }
        c.now += at[i].wait - 1000;
        flow(&c, at[i].from, at[i].op, at[i].limit);
        if (at[i].late)
            data(&c, 0, LID, 1, 0);
        c.now += REFUSED_NS;
        flow(&c, 4, 0, 2 * BLOCKS);
        data(&c, 2, LID, 1, 0);
        cr_expect_eq(c.n, 0, "%s: %u", at[i].lacks, c.n);
        end(&c, 0, 0);
    }
}

/* ---- subnet management ---- */

static void keyed(struct capture *c, uint8_t method, uint16_t attribute, uint64_t key, bool back)
{
    static const struct iba_mgmt_to to = {.dlid = UINT16_MAX, .slid = UINT16_MAX, .pkey = UINT16_MAX};
    uint8_t mad[IBA_MAD_BYTES] = {1, DIRECTED, 1, method, back ? 0x80 : 0, 0, 1, 1};

    iba_madhdr_set_transactionid(mad, c->transaction);
    iba_madhdr_set_attributeid(mad, attribute);
    iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, key);
    memset(mad + 32, 0xff, 4);
    mad[129] = PORT_OF_ADAPTER;
    mad[193] = back;
    shoot(c, back, &to, VL15, mad); /* interface 0 has requests, 1 their answers */
}

/* Sets the M_Key of port 0 of S. */
static void set_key(struct capture *c, uint64_t key, uint8_t protection)
{
    uint8_t info[64] = {0};

    iba_portinfo_set_m_key(info, key);
    iba_portinfo_set_m_keyprotectbits(info, protection);
    ask(c, &(struct smp){SET, 1, PORT_INFO, 0, info}, info);
}

Test(links, datagrams_with_another_m_key)
{
    static struct capture c;
    static const struct {
        uint64_t key, with;
        uint8_t protection, method;
        bool other;
    } at[] = {{0x77, 0x77, 2, GET, false}, {0x77, 0x76, 2, GET, true},  {0x77, 0x76, 1, GET, false},
              {0x77, 0, 0, SET, true},     {0x77, 0x77, 3, SET, false}, {0x77, 0, 1, 7, true},
              {0, 0x76, 3, SET, false}};

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        begin(&c);
        set_key(&c, at[i].key, at[i].protection);
        c.transaction++;
        keyed(&c, at[i].method, SWITCH_INFO, at[i].with, false);
        end(&c, at[i].other ? BIT(M_KEY_OTHER) : 0, at[i].other);
    }
}

/* At protection level 1 a Get with a wrong M_Key gets an answer without the key. The key is still the same. */
Test(links, a_set_that_is_answered_nevertheless)
{
    static struct capture c;
    static const uint8_t hidden[64];

    begin(&c);
    set_key(&c, 0x77, 1);
    ask(&c, &(struct smp){GET, 1, PORT_INFO, 0, NULL}, hidden);
    c.transaction++;
    keyed(&c, SET, PORT_INFO, 0x76, false);
    const uint64_t request = c.packet.number;
    keyed(&c, GET_RESP, PORT_INFO, 0x76, true);
    cr_expect_eq(c.last.cause, request);
    end(&c, BIT(M_KEY_OTHER) | BIT(M_KEY_IGNORED), 2);
}

/* Each link has the trap once. If the first link has the trap twice, it was sent again. */
Test(links, a_trap_that_comes_again)
{
    static struct capture c;
    static const struct iba_mgmt_to to = {.dlid = 1, .slid = 7, .pkey = UINT16_MAX};
    uint8_t mad[IBA_MAD_BYTES] = {1, BY_LID, 1, 5};

    begin(&c);
    iba_madhdr_set_attributeid(mad, 2);
    for (uint64_t transaction = 8; transaction < 10; transaction++) {
        iba_madhdr_set_transactionid(mad, transaction);
        shoot(&c, 4, &to, VL15, mad);
        shoot(&c, 1, &to, VL15, mad);
    }
    cr_expect_eq(c.n, 0);
    shoot(&c, 4, &to, VL15, mad);
    cr_expect_eq(c.last.cause, c.packet.number - 2);
    shoot(&c, 1, &to, VL15, mad);
    end(&c, BIT(TRAP_AGAIN), 1);
}

/* Adds a trap that T sends by its port 4, or an answer to that trap. T has LID 7. */
static void trap(struct capture *c, uint8_t method, uint32_t iface, uint64_t transaction, uint64_t key, uint8_t lid)
{
    const bool back = method != TRAP;
    const struct iba_mgmt_to to = {.dlid = back ? lid : 1, .slid = back ? 1 : lid, .pkey = UINT16_MAX};
    uint8_t mad[IBA_MAD_BYTES] = {1, BY_LID, 1, method};

    iba_madhdr_set_attributeid(mad, 2);
    iba_madhdr_set_transactionid(mad, transaction);
    iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, key);
    mad[64] = 0x80; /* of the notice: generic */
    shoot(c, iface, &to, VL15, mad);
}

Test(links, a_trap_that_comes_again_after_its_trap_repress)
{
    static struct capture c;
    enum { RESPONSE = 3, RESPONSE_NS = 4096 << RESPONSE };
    static const struct {
        uint64_t key, with, transaction;
        uint32_t iface; /* of the TrapRepress; 2 leads to T */
        uint8_t lid;
        unsigned after;
        bool unknown, ended;
    } at[] = {{0, 0, 8, 2, 7, RESPONSE_NS, false, true},
              {0, 5, 8, 2, 7, RESPONSE_NS, false, true},
              {0x77, 0x77, 8, 2, 7, RESPONSE_NS, false, true},
              {0, 0, 1ULL << 32 | 8, 2, 7, RESPONSE_NS, false, true}, /* the upper half is the manager's */
              {0x77, 0, 8, 2, 7, RESPONSE_NS, false, false},
              {0, 0, 9, 2, 7, RESPONSE_NS, false, false},
              {0, 0, 8, 1, 7, RESPONSE_NS, false, false},
              {0, 0, 8, 2, 6, RESPONSE_NS, false, false},
              {0, 0, 8, 2, 7, RESPONSE_NS - 1, false, false},
              {0, 0, 8, 2, 7, RESPONSE_NS, true, false}};

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        uint8_t info[64] = {0};
        begin(&c);
        iba_portinfo_set_m_key(info, at[i].key);
        iba_portinfo_set_resptimevalue(info, RESPONSE);
        if (!at[i].unknown)
            ask(&c, &(struct smp){.method = SET, .hops = 2, .attribute = PORT_INFO}, info);
        trap(&c, TRAP, 4, 8, 0, 7);
        trap(&c, TRAP_REPRESS, at[i].iface, at[i].transaction, at[i].with, at[i].lid);
        const uint64_t repress = c.packet.number;
        c.now += at[i].after - 1000;
        trap(&c, TRAP, 4, 8, 0, 7);
        cr_expect_eq(c.last.cause, repress - !at[i].ended, "%zu", i);
        cr_expect_eq(c.kinds, at[i].ended ? BIT(TRAP_REPRESSED) : BIT(TRAP_AGAIN), "%zu", i);
        c.now += at[i].after - 1000;
        trap(&c, TRAP, 4, 8, 0, 7);
        end(&c, c.kinds, 2);
    }
}

Test(links, a_handover)
{
    static struct capture c;
    static const struct iba_mgmt_to to = {.dlid = 1, .slid = 7, .pkey = UINT16_MAX};
    uint8_t mad[IBA_MAD_BYTES] = {1, BY_LID, 1, SET};

    begin(&c);
    iba_madhdr_set_attributeid(mad, 0x20);
    iba_madhdr_set_attributemodifier(mad, 2); /* ACKNOWLEDGE */
    shoot(&c, 1, &to, VL15, mad);
    iba_madhdr_set_attributemodifier(mad, 1);
    for (unsigned i = 0; i < 3; i++)
        shoot(&c, i, &to, VL15, mad);
    end(&c, BIT(SM_HANDOVER), 1);
}
