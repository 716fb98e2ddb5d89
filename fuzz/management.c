/* SPDX-License-Identifier: BSD-2-Clause */
/* The management agents of a switch, an adapter or a router: requests of subnet, performance, baseboard and congestion
 * management arrive at one port. A request leads to at most one packet, and its answer has its transaction, class,
 * attribute and modifier, and good CRCs. Only a Set that has the M_Key changes what subnet management set. After a Set
 * with status 0 a Get returns what the Set returned (MD-32). At the end the node still answers who has its key.
 *
 * Each kind of node is made once, and copied back for each input: so one input takes some microseconds. */
#include "fabric/iba_node.h"
#include "fuzz.h"

const struct fuzz_target fuzz_target = {"management", FUZZ_BYTES, NULL};

enum {
    KINDS = 3,
    PORTS = 3,
    AT = 1, /* the port at which requests arrive */
    SLOTS = 16,
    MEMORY = 1 << 15,
    STEPS = 24,
    ASKED_MOST = 3 * STEPS + 1, /* requests of an input: three in each step, and the last one */
    ROUTES = 2,
    OWN_LID = 5,
    REQUESTER = 9, /* the LID that asks, which is also the manager's */
    DATA_AT = 64,
    DATA_BYTES = 64,
    POLLS = 3
};
enum { NODE_INFO = 0x11, PORT_INFO = 0x15 };
#define TID UINT64_C(0x4000000000000000)
#define KEY UINT64_C(0x1122334455667788)

struct device {
    struct iba_node node;
    _Alignas(16) uint8_t memory[MEMORY];
};
static struct device device[KINDS], made[KINDS];
static struct device before; /* the device after the last request that may change its tables */

static struct world {
    struct device *d;
    size_t bytes; /* of the device's memory that the node uses */
    struct iba_pool pool;
    struct iba_slot slot[SLOTS];
    uint64_t asked;            /* requests so far: the last one has the transaction ID TID + asked */
    bool left[ASKED_MOST + 1]; /* a packet of that request has left */
    iba_time now;
    bool answered; /* the last request */
    uint8_t answer[IBA_MAD_BYTES];
    struct fuzz_in in;
} w;
static uint8_t packets[SLOTS * IBA_PACKET_MOST];

/* ---- the nodes ---- */

static struct iba_node_config config_of(unsigned kind)
{
    static const uint8_t types[KINDS] = {IBA_NODE_CA, IBA_NODE_SWITCH, IBA_NODE_ROUTER};
    const bool is_switch = types[kind] == IBA_NODE_SWITCH;

    return (struct iba_node_config){.type = types[kind],
                                    .n_port = is_switch ? PORTS : 2,
                                    .routes = types[kind] == IBA_NODE_ROUTER ? ROUTES : 0,
                                    .mtu = IBA_MTU_4096,
                                    .vls = 3,
                                    .widths = 3,
                                    .speeds = 7,
                                    .ext_speeds = 3,
                                    .vlarb_entries = 64,
                                    .node_guid = 0x100,
                                    .system_guid = 0x100,
                                    .pkeys = 64,
                                    .switch_pkeys = is_switch ? 32 : 0,
                                    .lft = is_switch ? 128 : 0,
                                    .mft = is_switch ? 64 : 0,
                                    .description = "managed"};
}

static void make(unsigned kind)
{
    const struct iba_node_config c = config_of(kind);
    struct iba_node *n = &device[kind].node;

    FUZZ_CHECK(iba_node_bytes(&c) <= MEMORY);
    iba_node_init(n, &c, device[kind].memory, &w.pool);
    for (unsigned p = 1; p <= c.n_port; p++) {
        n->port[p].info.portphysicalstate = IBA_PHYS_LINKUP;
        n->port[p].info.portstate = IBA_PORT_ACTIVE;
    }
    for (unsigned p = 0; p <= c.n_port; p++) {
        n->port[p].info.lid = OWN_LID;
        n->port[p].info.mastersmlid = REQUESTER;
    }
    if (c.lft > 0) {
        n->lft[OWN_LID] = 0;
        n->lft[REQUESTER] = AT;
        n->sw.linearfdbtop = c.lft - 1;
    }
    made[kind] = device[kind];
}

static void copy(struct device *to, const struct device *from)
{
    to->node = from->node;
    memcpy(to->memory, from->memory, w.bytes);
}

static struct iba_portinfo *keeper(void) /* the port whose M_Key counts */
{
    return &iba_node_end_port(&w.d->node, AT)->info;
}

/* ---- what subnet management set ---- */

#define SAME(field) (memcmp(now->field, was->field, sizeof now->field) == 0)

/* Returns the place in the copy of the device that the pointer has in the device. */
static const void *in_before(const void *p)
{
    return before.memory + ((const uint8_t *)p - w.d->memory);
}

static bool same_port(const struct iba_node_port *now)
{
    const struct iba_node_port *was = in_before(now);
    const struct iba_portinfo *a = &now->info, *b = &was->info;

    return SAME(guid) && SAME(vlarb) && memcmp(now->pkey, in_before(now->pkey), now->n_pkey * sizeof *now->pkey) == 0 &&
           a->m_key == b->m_key && a->guid == b->guid && a->lid == b->lid && a->mastersmlid == b->mastersmlid &&
           a->m_keyleaseperiod == b->m_keyleaseperiod && a->lmc == b->lmc && a->neighbormtu == b->neighbormtu &&
           a->operationalvls == b->operationalvls && a->portphysicalstate == b->portphysicalstate &&
           a->linkwidthenabled == b->linkwidthenabled && a->subnettimeout == b->subnettimeout;
}

static bool same_tables(void)
{
    const struct iba_node *n = &w.d->node;
    const size_t ports = n->cfg.n_port + 1u;

    for (unsigned p = n->cfg.type == IBA_NODE_SWITCH ? 0 : 1; p <= n->cfg.n_port; p++)
        if (!same_port(&n->port[p]))
            return false;
    return memcmp(n->sl2vl, in_before(n->sl2vl), ports * ports * IBA_VLS) == 0 &&
           memcmp(n->lft, in_before(n->lft), n->cfg.lft) == 0 &&
           memcmp(n->mft, in_before(n->mft), n->cfg.mft * iba_node_mft_positions(n) * sizeof *n->mft) == 0 &&
           n->sw.linearfdbtop == before.node.sw.linearfdbtop &&
           n->sw.multicastfdbtop == before.node.sw.multicastfdbtop &&
           n->sw.lifetimevalue == before.node.sw.lifetimevalue && n->sw.defaultport == before.node.sw.defaultport;
}

/* ---- packets that leave ---- */

static void check_answer(const uint8_t *asked, const uint8_t *mad)
{
    FUZZ_CHECK(iba_madhdr_method(mad) == IBA_METHOD_GET_RESP);
    FUZZ_CHECK(iba_madhdr_mgmtclass(mad) == iba_madhdr_mgmtclass(asked));
    FUZZ_CHECK(iba_madhdr_attributeid(mad) == iba_madhdr_attributeid(asked));
    FUZZ_CHECK(iba_madhdr_attributemodifier(mad) == iba_madhdr_attributemodifier(asked));
    memcpy(w.answer, mad, sizeof w.answer);
    w.answered = true;
}

/* A packet leaves by a port, or for software (0). It is a trap, or the only packet of its transaction, which may be an
 * earlier one: an answer on a lane of weight 0 waits. */
static void took(const uint8_t *asked, const uint8_t *packet, size_t len, uint8_t port)
{
    struct iba_view v;
    const uint8_t *mad;
    uint64_t tid;

    iba_view_parse(&v, IBA_LINK_IB, packet, len, len, NULL);
    iba_view_check(&v);
    FUZZ_CHECK(v.vcrc == IBA_CHECK_GOOD && v.icrc == IBA_CHECK_GOOD && v.payload_len == IBA_MAD_BYTES);
    fuzz_note_bytes(packet, len);
    mad = packet + v.payload_at;
    tid = iba_madhdr_transactionid(mad);
    if (tid < TID) {
        FUZZ_CHECK(iba_madhdr_method(mad) == IBA_METHOD_TRAP);
        return;
    }
    FUZZ_CHECK(tid <= TID + w.asked && !w.left[tid - TID]);
    w.left[tid - TID] = true;
    if (tid < TID + w.asked)
        return;
    if (iba_madhdr_method(mad) == iba_madhdr_method(asked)) /* it was forwarded: to software, or by directed route */
        FUZZ_CHECK(port == 0 || iba_madhdr_mgmtclass(mad) == IBA_CLASS_DIRECTED);
    else
        check_answer(asked, mad);
}

static void take_packets(const uint8_t *asked)
{
    struct iba_node *n = &w.d->node;
    uint8_t packet[IBA_PACKET_MOST], port;
    size_t len;

    for (unsigned i = 0; i < POLLS; i++, w.now += 1000) {
        iba_node_advance(n, w.now);
        for (uint8_t p = 1; p <= n->cfg.n_port; p++)
            if ((len = iba_node_poll(n, p, packet, sizeof packet, w.now)) > 0)
                took(asked, packet, len, p);
        while ((len = iba_node_receive(n, &port, packet, sizeof packet)) > 0)
            took(asked, packet, len, 0);
        if (w.pool.used == 0)
            break;
    }
}

static void check_pool(void)
{
    const struct iba_node *n = &w.d->node;
    uint32_t waiting = n->local[0].n + n->local[IBA_VL15].n;
    int32_t is_free = 0;

    for (unsigned p = 1; p <= n->cfg.n_port; p++)
        waiting += n->port[p].waiting;
    for (int32_t i = w.pool.free; i != IBA_NO_SLOT; i = w.slot[i].next)
        FUZZ_CHECK(++is_free <= SLOTS);
    FUZZ_CHECK((int32_t)waiting == w.pool.used && is_free + w.pool.used == SLOTS);
}

/* ---- requests ---- */

static bool of_subnet(const uint8_t *mad)
{
    return iba_madhdr_mgmtclass(mad) == IBA_CLASS_SMP || iba_madhdr_mgmtclass(mad) == IBA_CLASS_DIRECTED;
}

static bool may_change(const uint8_t *mad)
{
    return of_subnet(mad) && iba_madhdr_method(mad) == IBA_METHOD_SET &&
           (keeper()->m_key == 0 || keeper()->m_key == iba_smplid_mkey(mad + IBA_BYTES_madhdr));
}

/* The request arrives. Returns whether it may change what subnet management sets. */
static bool ask(const uint8_t *mad)
{
    const bool smp = of_subnet(mad), directed = iba_madhdr_mgmtclass(mad) == IBA_CLASS_DIRECTED,
               change = may_change(mad);
    const struct iba_mgmt_to to = {.dlid = directed ? UINT16_MAX : OWN_LID,
                                   .slid = directed ? UINT16_MAX : REQUESTER,
                                   .dqp = smp ? 0 : 1,
                                   .sqp = smp ? 0 : 1,
                                   .pkey = UINT16_MAX};
    uint8_t packet[IBA_MGMT_BYTES];

    w.answered = false;
    fuzz_steps++;
    iba_node_feed(&w.d->node, AT, packet, iba_mgmt_build(packet, &to, smp ? IBA_VL15 : 0, mad), w.now);
    take_packets(mad);
    check_pool();
    FUZZ_CHECK(change || same_tables());
    if (change)
        copy(&before, w.d);
    return change;
}

/* Returns whether an answer came, and has status 0. An SMP on a directed route has the bit of its direction there. */
static bool answered_well(void)
{
    return w.answered && (w.answer[4] & 0x7f) == 0 && w.answer[5] == 0;
}

static void begin_request(uint8_t *mad, uint8_t class, uint8_t method, uint8_t attribute, uint32_t modifier)
{
    memset(mad, 0, IBA_MAD_BYTES);
    mad[0] = 1;
    mad[1] = class;
    mad[2] = class == IBA_CLASS_CONGESTION ? 2 : 1;
    mad[3] = method;
    iba_madhdr_set_transactionid(mad, TID + ++w.asked);
    iba_madhdr_set_attributeid(mad, attribute);
    iba_madhdr_set_attributemodifier(mad, modifier);
    iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, keeper()->m_key);
    if (class == IBA_CLASS_DIRECTED) { /* a route of one hop that has come to its end */
        memset(mad + 32, UINT8_MAX, 4);
        mad[6] = mad[7] = 1;
        mad[128 + 1] = AT;
    }
}

/* Asks with the M_Key by a directed route, which no forwarding table can break. Returns whether the answer has status
 * 0. */
static bool get(uint8_t attribute, uint32_t modifier)
{
    uint8_t mad[IBA_MAD_BYTES];

    begin_request(mad, IBA_CLASS_DIRECTED, IBA_METHOD_GET, attribute, modifier);
    (void)ask(mad);
    return answered_well();
}

/* The bit of the client reregistration is only in the answer to the Set (KM-30). */
static void check_set(const uint8_t *set)
{
    uint8_t as_set[DATA_BYTES];

    memcpy(as_set, w.answer + DATA_AT, sizeof as_set);
    if (!get((uint8_t)iba_madhdr_attributeid(set), iba_madhdr_attributemodifier(set)))
        return;
    if (iba_madhdr_attributeid(set) == PORT_INFO)
        iba_bits_put(as_set, IBA_AT_portinfo_clientreregister, 1, 0);
    FUZZ_CHECK(memcmp(as_set, w.answer + DATA_AT, sizeof as_set) == 0);
}

static void request(uint8_t what)
{
    static const uint8_t classes[] = {IBA_CLASS_SMP,  IBA_CLASS_SMP,       IBA_CLASS_DIRECTED,   IBA_CLASS_DIRECTED,
                                      IBA_CLASS_PERF, IBA_CLASS_BASEBOARD, IBA_CLASS_CONGESTION, IBA_CLASS_DIRECTED};
    static const uint8_t methods[] = {IBA_METHOD_SET,          IBA_METHOD_GET,  IBA_METHOD_SET,      IBA_METHOD_SET,
                                      IBA_METHOD_TRAP_REPRESS, IBA_METHOD_TRAP, IBA_METHOD_GET_RESP, IBA_METHOD_SEND};
    static const uint8_t attributes[] = {0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x15, 0x16,
                                         0x17, 0x18, 0x19, 0x1b, 0x20, 0x01, 0x15, 0x1d};
    const uint8_t class = classes[what & 7], how = fuzz_u8(&w.in), b = fuzz_u8(&w.in);
    const uint8_t attribute = b < 128 ? attributes[b & 0xf] : b & 0x7f;
    const uint8_t low = fuzz_u8(&w.in), high = how & 0x40 ? fuzz_u8(&w.in) : 0;
    const uint32_t modifier =
        low | (uint32_t)(high & 7) << 16 | (uint32_t)(high & 0x18) << 5 | (uint32_t)(high >> 5) << 28;
    uint8_t mad[IBA_MAD_BYTES];

    if (how & 8 && get(attribute, modifier)) {
        begin_request(mad, class, methods[how & 7], attribute, modifier);
        memcpy(mad + DATA_AT, w.answer + DATA_AT, DATA_BYTES);
    } else {
        begin_request(mad, class, methods[how & 7], attribute, modifier);
    }
    if (how & 0x10)
        iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, fuzz_u8(&w.in));
    if (how & 0x20)
        for (unsigned k = fuzz_u8(&w.in) & 0xf; k > 0; k--) {
            const uint8_t at = fuzz_u8(&w.in);
            mad[at] = fuzz_u8(&w.in);
        }
    else
        for (unsigned k = fuzz_u8(&w.in) & 7; k > 0; k--) {
            const uint8_t at = fuzz_u8(&w.in);
            mad[DATA_AT + at % DATA_BYTES] = fuzz_u8(&w.in);
        }
    iba_madhdr_set_transactionid(mad, TID + w.asked);
    if (ask(mad) && answered_well())
        check_set(mad);
}

static bool link_up(void)
{
    return w.d->node.port[AT].info.portphysicalstate == IBA_PHYS_LINKUP;
}

static void begin(uint8_t settings)
{
    const unsigned kind = settings % KINDS;
    struct iba_node_config c = config_of(kind);

    w.bytes = iba_node_bytes(&c);
    iba_pool_init(&w.pool, w.slot, packets, SLOTS);
    if (made[kind].node.pool == NULL)
        make(kind);
    w.d = &device[kind];
    copy(w.d, &made[kind]);
    memset(w.left, 0, sizeof w.left);
    w.asked = w.now = 0;
    if (settings & 0x20) {
        keeper()->m_key = KEY;
        keeper()->m_keyprotectbits = settings >> 6;
        keeper()->m_keyleaseperiod = settings >> 3 & 3;
    }
    copy(&before, w.d);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    fuzz_trace = FUZZ_TRACE_START;
    w.in = (struct fuzz_in){data + (n > 0), n ? n - 1 : 0};
    begin(n ? data[0] : 0);
    for (unsigned i = 0; i < STEPS && w.in.n > 0 && link_up(); i++) {
        const uint8_t what = fuzz_u8(&w.in);
        if (what >> 3 == 0x1f)
            w.now += (iba_time)1 << fuzz_u8(&w.in) % 34;
        else
            request(what);
    }
    if (link_up() && w.pool.used < SLOTS)
        FUZZ_CHECK(get(NODE_INFO, 0));
    return 0;
}
