/* SPDX-License-Identifier: BSD-2-Clause */
/* The agents of performance, congestion control and baseboard management, byte by byte: versions, attributes, blocks
 * and keys, of adapters with two ports and of switches with more ports than a block has. */
#include "alone.h"

enum { MOST_PORTS = 60 };

/* ---- ClassPortInfo ---- */

/* MD-102, MD-115: base version, class version, which capabilities, and a response time of 4.096 us * 2^16. */
Test(agents, class_port_info)
{
    static const struct {
        uint8_t mgmt_class, bytes[8];
    } cases[] = {{IBA_CLASS_PERF, {1, 1, 0x12, 0x00, 0, 0, 0, 16}},
                 {IBA_CLASS_CONGESTION, {1, 2, 0, 0, 0, 0, 0, 16}},
                 {IBA_CLASS_BASEBOARD, {1, 1, 0, 0, 0, 0, 0, 16}}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++) {
            struct alone *a = alone_new(type, 2);
            struct request r = {.mgmt_class = cases[i].mgmt_class, .method = GET, .attribute = 1, .rest = 0xee};
            memset(r.data, 0xee, sizeof r.data);
            cr_expect_eq(alone_ask(a, &r), IBA_MAD_OK);
            alone_expect(a, cases[i].bytes, sizeof cases[i].bytes, DATA_BYTES, "ClassPortInfo");
            alone_free(a);
        }
}

/* An agent takes datagrams of base version 1 and of the version of its class only. */
Test(agents, versions)
{
    static const uint8_t classes[] = {IBA_CLASS_SMP, IBA_CLASS_PERF, IBA_CLASS_CONGESTION, IBA_CLASS_BASEBOARD};

    for (size_t i = 0; i < sizeof classes; i++)
        for (uint8_t base = 1; base <= 3; base++)
            for (uint8_t version = 1; version <= 3; version++) {
                const uint8_t right = classes[i] == IBA_CLASS_CONGESTION ? 2 : 1;
                struct alone *a = alone_new(IBA_NODE_CA, 1);
                a->n.port[1].info.m_key = 0;
                const struct request r = {.mgmt_class = classes[i],
                                          .method = GET,
                                          .base = base,
                                          .version = version,
                                          .attribute = classes[i] == IBA_CLASS_SMP ? 0x11 : 1};
                cr_expect_eq(alone_ask(a, &r), base == 1 && version == right ? IBA_MAD_OK : IBA_MAD_BAD_VERSION,
                             "class %#x, versions %u and %u", classes[i], base, version);
                alone_free(a);
            }
}

/* A request with two faults is refused for the one that an agent looks for first: the version, then the key, the
 * method, the attribute, and whether it may be set. */
Test(agents, the_first_of_two_faults)
{
    enum { BAD_METHOD = 0x19, UNKNOWN = 0x99 };
    static const struct {
        struct request r;
        int status;
    } cases[] = {
        {{IBA_CLASS_PERF, .method = BAD_METHOD, .version = 2, .attribute = 1}, IBA_MAD_BAD_VERSION},
        {{IBA_CLASS_PERF, .method = BAD_METHOD, .attribute = UNKNOWN}, IBA_MAD_BAD_METHOD},
        {{IBA_CLASS_PERF, .method = SET, .attribute = UNKNOWN}, IBA_MAD_BAD_ATTRIBUTE},
        {{IBA_CLASS_CONGESTION, .method = SET, .version = 1, .attribute = 0x12}, IBA_MAD_BAD_VERSION},
        {{IBA_CLASS_CONGESTION, .method = SET, .attribute = UNKNOWN}, -1},
        {{IBA_CLASS_CONGESTION, .method = GET, .attribute = UNKNOWN}, -1},
        {{IBA_CLASS_CONGESTION, .method = SET, .attribute = 0x11}, -1},
        {{IBA_CLASS_CONGESTION, .method = BAD_METHOD, .attribute = UNKNOWN}, IBA_MAD_BAD_METHOD},
        {{IBA_CLASS_CONGESTION, .method = SET, .attribute = UNKNOWN, .key = 7}, IBA_MAD_BAD_ATTRIBUTE},
        {{IBA_CLASS_BASEBOARD, .method = SET, .version = 2, .attribute = 0x10}, IBA_MAD_BAD_VERSION},
        {{IBA_CLASS_BASEBOARD, .method = BAD_METHOD, .attribute = UNKNOWN}, IBA_MAD_BAD_METHOD},
        {{IBA_CLASS_BASEBOARD, .method = SET, .attribute = UNKNOWN}, IBA_MAD_BAD_ATTRIBUTE},
        {{IBA_CLASS_BASEBOARD, .method = SET, .attribute = 1}, -1},
        {{IBA_CLASS_SMP, .method = SET, .version = 2, .attribute = 0x15}, IBA_MAD_BAD_VERSION},
        {{IBA_CLASS_SMP, .method = SET, .attribute = UNKNOWN}, -1},
        {{IBA_CLASS_SMP, .method = GET, .attribute = UNKNOWN}, -1},
        {{IBA_CLASS_SMP, .method = BAD_METHOD, .attribute = UNKNOWN}, IBA_MAD_BAD_METHOD},
        {{IBA_CLASS_SMP, .method = SET, .attribute = 0x11}, -1},
        {{IBA_CLASS_SMP, .method = SET, .attribute = 0x11, .modifier = 9, .key = 7}, IBA_MAD_BAD_ATTRIBUTE},
        {{IBA_CLASS_SMP, .method = SET, .attribute = 0x16, .modifier = 9, .key = 7}, IBA_MAD_BAD_VALUE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct alone *a = alone_new(IBA_NODE_CA, 1);
        a->n.congestion[1].guard.key = a->n.port[1].baseboard.key = a->n.port[1].info.m_key = 7;
        a->n.congestion[1].guard.protect = true;
        a->n.port[1].info.m_keyprotectbits = 3;
        cr_expect_eq(alone_ask(a, &cases[i].r), cases[i].status, "case %zu", i);
        alone_free(a);
    }
}

/* ---- congestion control ---- */

/* MD-115: which attributes a node has depends on its kind. */
Test(agents, attributes_of_congestion_control)
{
    static const struct {
        uint16_t id;
        bool adapter, of_switch, set;
    } cases[] = {{0x01, true, true, false}, {0x10, false, false, false}, {0x11, true, true, false},
                 {0x12, true, true, true},  {0x13, true, true, false},   {0x14, false, true, true},
                 {0x15, false, true, true}, {0x16, true, false, true},   {0x17, true, false, true},
                 {0x18, true, true, false}, {0x19, false, false, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++) {
            const bool has = type == IBA_NODE_CA ? cases[i].adapter : cases[i].of_switch;
            struct alone *a = alone_new(type, 2);
            struct request r = {.mgmt_class = IBA_CLASS_CONGESTION, .method = GET, .attribute = cases[i].id};
            cr_expect_eq(alone_ask(a, &r), has ? IBA_MAD_OK : IBA_MAD_BAD_ATTRIBUTE, "Get %#x, node %u", cases[i].id,
                         type);
            r.method = SET;
            cr_expect_eq(alone_ask(a, &r), has && cases[i].set ? IBA_MAD_OK : IBA_MAD_BAD_ATTRIBUTE, "Set %#x, node %u",
                         cases[i].id, type);
            alone_free(a);
        }
}

/* MD-117: the modifier is the number of a block of 48 ports, port 0 included, or of 64 entries; elsewhere it is
 * ignored. */
Test(agents, blocks_of_congestion_control)
{
    static const struct {
        uint8_t type, ports;
        uint16_t attribute;
        unsigned blocks; /* 0: any */
    } cases[] = {{IBA_NODE_SWITCH, 2, 0x15, 1},  {IBA_NODE_SWITCH, 47, 0x15, 1}, {IBA_NODE_SWITCH, 48, 0x15, 2},
                 {IBA_NODE_SWITCH, 60, 0x15, 2}, {IBA_NODE_CA, 2, 0x17, 2},      {IBA_NODE_CA, 1, 0x16, 0},
                 {IBA_NODE_SWITCH, 60, 0x14, 0}, {IBA_NODE_SWITCH, 60, 0x12, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned block = 0; block < 4; block++) {
            struct alone *a = alone_new(cases[i].type, cases[i].ports);
            cr_expect_eq(alone_get(a, IBA_CLASS_CONGESTION, cases[i].attribute, block),
                         cases[i].blocks == 0 || block < cases[i].blocks ? IBA_MAD_OK : IBA_MAD_BAD_VALUE,
                         "case %zu, block %u", i, block);
            alone_free(a);
        }
}

/* Each port of a switch has four bytes; of the first byte two bits are reserved. */
Test(agents, congestion_of_60_ports)
{
    enum { BLOCK = 48, BYTES = 4, RESERVED = 0x30 };

    for (unsigned block = 0; block < 2; block++) {
        struct alone *a = alone_new(IBA_NODE_SWITCH, MOST_PORTS);
        const unsigned first = block * BLOCK, last = block ? MOST_PORTS : BLOCK - 1;
        struct request r = {.mgmt_class = IBA_CLASS_CONGESTION, .method = SET, .attribute = 0x15, .modifier = block};
        uint8_t kept[DATA_BYTES] = {0};
        for (unsigned k = 0; k < DATA_BYTES; k++)
            r.data[k] = (uint8_t)(0xc0 | k);
        cr_expect_eq(alone_ask(a, &r), IBA_MAD_OK);
        for (unsigned k = 0; k < (last - first + 1) * BYTES; k++)
            kept[k] = (uint8_t)(r.data[k] & (k % BYTES == 0 ? ~RESERVED : 0xff));
        alone_expect(a, kept, sizeof kept, DATA_BYTES, "the answer to the Set");
        for (unsigned p = 0; p <= MOST_PORTS; p++) {
            static const uint8_t none[BYTES];
            cr_expect_arr_eq(a->n.port[p].congestion, p < first || p > last ? none : kept + (p - first) * BYTES, BYTES,
                             "block %u, port %u", block, p);
        }
        cr_expect_eq(alone_get(a, IBA_CLASS_CONGESTION, 0x15, block), IBA_MAD_OK);
        alone_expect(a, kept, sizeof kept, DATA_BYTES, "Get");
        cr_expect_eq(alone_get(a, IBA_CLASS_CONGESTION, 0x15, !block), IBA_MAD_OK);
        alone_expect(a, kept, 0, DATA_BYTES, "the other block");
        alone_free(a);
    }
}

/* Reserved bits are not kept: 4 and 12 bits of a switch's settings, three bytes of each SL of an adapter. */
Test(agents, reserved_bits_of_congestion_control)
{
    for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++) {
        struct alone *a = alone_new(type, 1);
        const size_t n = type == IBA_NODE_CA ? 4 + 16 * 8 : 76;
        struct request r = {.mgmt_class = IBA_CLASS_CONGESTION,
                            .method = SET,
                            .attribute = (uint16_t)(type == IBA_NODE_CA ? 0x16 : 0x14),
                            .rest = 0xff};
        uint8_t kept[DATA_BYTES];
        memset(r.data, 0xff, sizeof r.data);
        memset(kept, 0xff, sizeof kept);
        if (type == IBA_NODE_CA)
            for (unsigned sl = 0; sl < 16; sl++)
                memset(kept + 4 + 8 * sl + 5, 0, 3);
        else
            kept[68] = kept[70] = 0xf0, kept[71] = 0;
        cr_expect_eq(alone_ask(a, &r), IBA_MAD_OK);
        alone_expect(a, kept, n, DATA_BYTES, "kept");
        for (unsigned k = LOG_AT; k < DATA_AT; k++)
            cr_expect_eq(a->answer[k], 0, "byte %u, which is reserved in other attributes than the log", k);
        alone_free(a);
    }
}

/* The two blocks of a port's table, and the tables of two ports, are apart. CCTI_Limit belongs to the whole table. */
Test(agents, tables_of_congestion_control)
{
    struct alone *a = alone_new(IBA_NODE_CA, 2);
    struct request r = {.mgmt_class = IBA_CLASS_CONGESTION, .method = SET, .attribute = 0x17};

    for (uint8_t port = 1; port <= 2; port++)
        for (unsigned block = 0; block < 2; block++) {
            r.port = port;
            r.modifier = block;
            memset(r.data, 0, sizeof r.data);
            r.data[1] = (uint8_t)(10 * port + block); /* CCTI_Limit */
            memset(r.data + 4, (int)(0x10 * port + block), 2 * 64);
            cr_expect_eq(alone_ask(a, &r), IBA_MAD_OK);
        }
    r.method = GET;
    for (uint8_t port = 1; port <= 2; port++)
        for (unsigned block = 0; block < 2; block++) {
            uint8_t expected[4 + 2 * 64] = {0, (uint8_t)(10 * port + 1)};
            memset(expected + 4, (int)(0x10 * port + block), 2 * 64);
            r.port = port;
            r.modifier = block;
            cr_expect_eq(alone_ask(a, &r), IBA_MAD_OK);
            alone_expect(a, expected, sizeof expected, DATA_BYTES, "table");
        }
    alone_free(a);
}

/* MD-115: what an adapter or switch says of itself, and its time in units of 1.024 us. */
Test(agents, information_of_congestion_control)
{
    for (uint8_t type = IBA_NODE_CA; type <= IBA_NODE_SWITCH; type++) {
        struct alone *a = alone_new(type, 1);
        const bool adapter = type == IBA_NODE_CA;
        const struct request log = {.mgmt_class = IBA_CLASS_CONGESTION, .method = GET, .attribute = 0x13, .rest = 0xee};
        uint8_t expected[IBA_MAD_BYTES - LOG_AT] = {0};
        cr_expect_eq(alone_get(a, IBA_CLASS_CONGESTION, 0x11, 0), IBA_MAD_OK);
        alone_expect(a, (const uint8_t[]){0, 0, adapter ? 2 : 0}, 3, DATA_BYTES, "CongestionInfo");
        a->now = UINT64_C(0x0102030405) * 1024 + 1023;
        cr_expect_eq(alone_get(a, IBA_CLASS_CONGESTION, 0x18, 0), IBA_MAD_OK);
        alone_expect(a, "\2\3\4\5", 4, DATA_BYTES, "TimeStamp");
        a->now = UINT64_C(0x01020304050) * 1024;
        cr_expect_eq(alone_ask(a, &log), IBA_MAD_OK);
        expected[0] = adapter ? 2 : 1;
        iba_bits_put(expected, adapter ? 64 : 32, 32, 0x20304050);
        cr_expect_arr_eq(a->answer + LOG_AT, expected, sizeof expected, "CongestionLog of node %u", type);
        alone_free(a);
    }
}

/* ---- keys of agents ---- */

enum { LEASE = 3 };
static const uint64_t key = UINT64_C(0x1122334455667788);

/* The attribute with the key of the agent: key, protection bit, 15 reserved bits, lease, violations. */
static struct request set_key(uint8_t mgmt_class, uint64_t to, bool protect, uint16_t lease, uint16_t violations)
{
    struct request r = {.mgmt_class = mgmt_class, .method = SET};

    r.attribute = mgmt_class == IBA_CLASS_CONGESTION ? 0x12 : 0x10;
    iba_bits_put(r.data, 0, 64, to);
    iba_bits_put(r.data, 64, 1, protect);
    iba_bits_put(r.data, 80, 16, lease);
    iba_bits_put(r.data, 96, 16, violations);
    return r;
}

static struct iba_key_guard *guard_of(struct alone *a, uint8_t mgmt_class, uint8_t port)
{
    return mgmt_class == IBA_CLASS_CONGESTION ? &a->n.congestion[port].guard : &a->n.port[port].baseboard;
}

/* The answer has the key as it was set, with protection and lease. Each port of an adapter has a key of its own. */
Test(agents, keys_of_two_ports)
{
    static const uint8_t classes[] = {IBA_CLASS_CONGESTION, IBA_CLASS_BASEBOARD};

    for (unsigned i = 0; i < 2; i++)
        for (unsigned protect = 0; protect < 2; protect++) {
            struct alone *a = alone_new(IBA_NODE_CA, 2);
            struct request set = set_key(classes[i], key, protect, 0x1234, 0), get_it = set;
            uint8_t expected[14] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, (uint8_t)(protect << 7),
                                    0,    0x12, 0x34};
            set.port = 2;
            cr_expect_eq(alone_ask(a, &set), IBA_MAD_OK);
            alone_expect(a, expected, sizeof expected, DATA_BYTES, "the answer to the Set");
            cr_expect(guard_of(a, classes[i], 1)->key == 0 && guard_of(a, classes[i], 2)->key == key);
            get_it.method = GET;
            get_it.port = 1;
            cr_expect_eq(alone_ask(a, &get_it), IBA_MAD_OK);
            alone_expect(a, expected, 0, DATA_BYTES, "the other port");
            get_it.port = 2;
            get_it.key = key;
            cr_expect_eq(alone_ask(a, &get_it), IBA_MAD_OK);
            alone_expect(a, expected, sizeof expected, DATA_BYTES, "with the key");
            alone_free(a);
        }
}

/* KM-17, MD-116: a request without the key starts the lease, later ones do not start it again. At its end, to the
 * nanosecond, the protection ends. A lease of 0 never ends. The count of violations stays at its maximum. */
Test(agents, leases_of_keys)
{
    static const uint8_t classes[] = {IBA_CLASS_CONGESTION, IBA_CLASS_BASEBOARD};

    for (unsigned i = 0; i < 2; i++)
        for (unsigned lease = 0; lease <= LEASE; lease += LEASE) {
            struct alone *a = alone_new(IBA_NODE_CA, 1);
            struct iba_key_guard *g = guard_of(a, classes[i], 1);
            const struct request wrong = set_key(classes[i], 1, false, 0, 0);
            const struct request look = {.mgmt_class = classes[i], .method = GET, .attribute = 1};
            iba_time begun;
            g->key = key;
            g->protect = true;
            g->lease_s = (uint16_t)lease;
            g->violations = UINT16_MAX - 1;
            begun = a->now;
            cr_expect_eq(alone_ask(a, &wrong), -1);
            cr_expect_eq(g->violations, UINT16_MAX);
            cr_expect_eq(g->lease_ends, lease ? begun + (iba_time)LEASE * SECOND : IBA_NEVER);
            a->now = begun + SECOND;
            cr_expect_eq(alone_ask(a, &wrong), -1);
            cr_expect_eq(g->violations, UINT16_MAX);
            cr_expect_eq(g->lease_ends, lease ? begun + (iba_time)LEASE * SECOND : IBA_NEVER, "the first one counts");
            a->now = begun + (iba_time)LEASE * SECOND - 1;
            (void)alone_ask(a, &look);
            cr_expect(g->protect);
            a->now = begun + (iba_time)LEASE * SECOND;
            (void)alone_ask(a, &look);
            cr_expect_eq(g->protect, lease == 0);
            cr_expect_eq(g->lease_ends, IBA_NEVER);
            cr_expect_eq(g->key, key);
            alone_free(a);
        }
}

/* MD-116: a Set of the CC_Key also sets its count of violations; the count of B_Key violations can only be read. */
Test(agents, violations_that_a_set_gives)
{
    static const uint8_t classes[] = {IBA_CLASS_CONGESTION, IBA_CLASS_BASEBOARD};

    for (unsigned i = 0; i < 2; i++) {
        struct alone *a = alone_new(IBA_NODE_CA, 1);
        const struct request set = set_key(classes[i], 0, false, 0, 0x1234);
        guard_of(a, classes[i], 1)->violations = 5;
        cr_expect_eq(alone_ask(a, &set), IBA_MAD_OK);
        cr_expect_eq(iba_bits_get(a->answer + DATA_AT, 96, 16), classes[i] == IBA_CLASS_CONGESTION ? 0x1234 : 5);
        alone_free(a);
    }
}
