/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of subnet management: which of them are the same again, and which M_Key a port has. */
#include "capture.h"

enum { NOTICE = 2, SM_INFO = 0x20, NOTICE_AT = 64, CONTENT = 54, RESPONSE = 3 };

static struct capture c;

/* A datagram by LID. */
struct by_lid {
    uint8_t method;
    uint16_t attribute, slid;
    uint64_t transaction;
    uint32_t modifier;
    unsigned differs; /* a byte of it that is not 0 otherwise: its place; 0: none */
    bool damaged, directed;
};

static void send(uint32_t iface, const struct by_lid *x)
{
    const struct iba_mgmt_to to = {.dlid = 1, .slid = x->slid, .pkey = UINT16_MAX};
    uint8_t mad[IBA_MAD_BYTES] = {1, x->directed ? DIRECTED : BY_LID, 1, x->method};

    iba_madhdr_set_attributeid(mad, x->attribute);
    iba_madhdr_set_attributemodifier(mad, x->modifier);
    iba_madhdr_set_transactionid(mad, x->transaction);
    if (x->differs)
        mad[x->differs] = 7;
    const size_t n = iba_mgmt_build(c.bytes, &to, VL15, mad);
    c.bytes[n - 1] ^= x->damaged;
    capture(&c, iface, n);
}

/* ---- traps ---- */

/* A trap is the same again if all of this is equal. */
Test(managed, what_a_trap_is_known_by)
{
    const struct by_lid first = {.method = TRAP, .attribute = NOTICE, .slid = 7, .transaction = 8};
    struct {
        const char *differs;
        struct by_lid x;
        uint32_t iface;
        bool again;
    } rows[] = {{"nothing", first, 4, true},
                {"the last byte of its notice", first, 4, false},
                {"the first byte", first, 4, false},
                {"the byte behind", first, 4, true},
                {"the link", first, 1, false},
                {"the sender", first, 4, false},
                {"the transaction", first, 4, false},
                {"the upper half of the transaction", first, 4, false},
                {"sender and transaction", first, 4, false},
                {"the method", first, 4, false},
                {"the attribute", first, 4, false},
                {"the class", first, 4, false},
                {"it is damaged", first, 4, false}};

    rows[1].x.differs = NOTICE_AT + CONTENT - 1;
    rows[2].x.differs = NOTICE_AT;
    rows[3].x.differs = NOTICE_AT + CONTENT;
    rows[5].x.slid = 6;
    rows[6].x.transaction = 9;
    rows[7].x.transaction |= UINT64_C(1) << 32;
    rows[8].x.slid = 6; /* both have the same place in the table */
    rows[8].x.transaction = 8 ^ 7 ^ 6;
    rows[9].x.method = GET;
    rows[10].x.attribute = NOTICE + 1;
    rows[11].x.directed = true;
    rows[12].x.damaged = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&c);
        send(4, &first);
        const uint64_t sent = c.packet.number;
        send(rows[i].iface, &rows[i].x);
        cr_expect_eq(c.n, rows[i].again, "%s", rows[i].differs);
        if (rows[i].again)
            cr_expect_eq(c.last.cause, sent);
        end(&c, rows[i].again ? BIT(TRAP_AGAIN) : 0, rows[i].again);
    }
}

/* Each repetition names the one before. */
Test(managed, repetitions)
{
    const struct by_lid trap = {.method = TRAP, .attribute = NOTICE, .slid = 7, .transaction = 8};

    begin(&c);
    for (unsigned i = 0; i < 4; i++) {
        send(4, &trap);
        c.now += 500;
    }
    for (unsigned i = 1; i < 3; i++)
        cr_expect_eq(c.all[i].cause, c.all[i - 1].frame);
    end(&c, BIT(TRAP_AGAIN), 3);
}

/* The first TrapRepress counts. */
Test(managed, a_second_repress)
{
    const struct by_lid trap = {.method = TRAP, .attribute = NOTICE, .slid = 7, .transaction = 8};
    const struct iba_mgmt_to to = {.dlid = 7, .slid = 1, .pkey = UINT16_MAX};
    uint8_t info[64] = {0}, mad[IBA_MAD_BYTES] = {1, BY_LID, 1, TRAP_REPRESS};
    uint64_t first = 0;

    begin(&c);
    iba_portinfo_set_resptimevalue(info, RESPONSE);
    ask(&c, &(struct smp){.method = SET, .hops = 2, .attribute = PORT_INFO}, info);
    send(4, &trap);
    iba_madhdr_set_attributeid(mad, NOTICE);
    iba_madhdr_set_transactionid(mad, 8);
    for (unsigned i = 0; i < 2; i++) {
        shoot(&c, 2, &to, VL15, mad);
        first = first ? first : c.packet.number;
        c.now += (4096 << RESPONSE) - 2000;
    }
    send(4, &trap);
    cr_expect_eq(c.last.cause, first);
    end(&c, BIT(TRAP_REPRESSED), 1);
}

/* ---- managers ---- */

Test(managed, handovers)
{
    const struct by_lid first = {.method = SET, .attribute = SM_INFO, .modifier = 1, .slid = 7, .transaction = 8};
    struct {
        const char *differs;
        struct by_lid x;
        unsigned n;
    } rows[] = {{"nothing", first, 1},    {"the sender", first, 2},        {"the transaction", first, 2},
                {"the method", first, 1}, {"the modifier", first, 1},      {"the attribute", first, 1},
                {"the class", first, 1},  {"a trap is as that", first, 1}, {"it is damaged", first, 1}};

    rows[1].x.slid = 6;
    rows[2].x.transaction = 9;
    rows[3].x.method = GET;
    rows[4].x.modifier = 2;
    rows[5].x.attribute = SM_INFO + 1;
    rows[6].x.directed = true;
    rows[7].x.method = TRAP;
    rows[7].x.attribute = NOTICE;
    rows[8].x.damaged = true;
    rows[8].x.transaction = 9;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&c);
        send(1, &first);
        cr_expect_eq(c.last.frame, c.packet.number);
        cr_expect_eq(c.last.cause, 0);
        send(2, &rows[i].x);
        cr_expect_eq(c.n, rows[i].n, "%s", rows[i].differs);
        end(&c, BIT(SM_HANDOVER), rows[i].n);
    }
    begin(&c); /* of another kind, though all else is equal */
    send(4, &rows[7].x);
    send(1, &first);
    send(4, &rows[7].x);
    end(&c, BIT(SM_HANDOVER), 1);
    begin(&c);
    struct by_lid directed = first;
    directed.directed = true;
    send(1, &directed);
    end(&c, BIT(SM_HANDOVER), 1);
    begin(&c);
    send(9, &first); /* an interface of which nothing is known */
    end(&c, 0, 0);
}

/* ---- M_Keys ---- */

enum { KEY = 0x77 };

/* Nodes behind S: port 5 leads to an adapter. */
static const struct route to_adapter = {{1, 5}, {1, 1}, {0, 5}, {1, 6}}, to_second = {{1, 5}, {1, 2}, {0, 5}, {1, 6}};

static void tell_adapter(uint8_t ports, uint8_t port, uint32_t modifier)
{
    const struct route *by = port == 1 ? &to_adapter : &to_second;
    uint8_t info[64] = {0};

    iba_nodeinfo_set_nodetype(info, 1);
    iba_nodeinfo_set_numports(info, ports);
    iba_nodeinfo_set_nodeguid(info, 0xdddd);
    iba_nodeinfo_set_localportnum(info, port);
    for (unsigned i = 0; i < 2; i++)
        ask(&c, &(struct smp){.method = GET, .hops = 2, .attribute = NODE_INFO, .by = by}, info);
    memset(info, 0, sizeof info);
    iba_portinfo_set_m_key(info, KEY);
    iba_portinfo_set_m_keyprotectbits(info, 2);
    iba_portinfo_set_localportnum(info, port);
    ask(&c, &(struct smp){.method = GET, .hops = 2, .attribute = PORT_INFO, .modifier = modifier, .by = by, .key = KEY},
        info);
}

/* The PortInfo that decides is that of the port that is asked; an adapter with one port may answer for port 0. */
Test(managed, the_key_of_an_adapter)
{
    static const struct {
        uint8_t ports, port;
        uint32_t modifier;
        bool known;
    } rows[] = {{1, 1, 0, true}, {1, 1, 1, true}, {2, 1, 0, false}, {2, 1, 1, true}, {2, 2, 2, true}, {2, 1, 2, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&c);
        tell_adapter(rows[i].ports, rows[i].port, rows[i].modifier);
        ask_only(&c, &(struct smp){.method = GET,
                                   .hops = 2,
                                   .attribute = NODE_INFO,
                                   .by = rows[i].port == 1 ? &to_adapter : &to_second});
        cr_expect_eq(c.n, rows[i].known, "row %zu", i);
        end(&c, rows[i].known ? BIT(M_KEY_OTHER) : 0, rows[i].known);
    }
}

/* A switch has the key of its port 0, by whatever port it is asked. */
Test(managed, the_key_of_a_switch)
{
    for (uint32_t port = 0; port < 2; port++) {
        uint8_t info[64] = {0};
        begin(&c);
        iba_portinfo_set_m_key(info, KEY);
        iba_portinfo_set_m_keyprotectbits(info, 2);
        ask(&c, &(struct smp){.method = SET, .hops = 1, .attribute = PORT_INFO, .modifier = port}, info);
        ask_only(&c, &(struct smp){.method = GET, .hops = 1, .attribute = SWITCH_INFO});
        end(&c, port == 0 ? BIT(M_KEY_OTHER) : 0, port == 0);
    }
}

static void begin_with_key(uint8_t hops)
{
    uint8_t info[64] = {0};

    begin(&c);
    iba_portinfo_set_m_key(info, KEY);
    iba_portinfo_set_m_keyprotectbits(info, 2);
    ask(&c, &(struct smp){.method = SET, .hops = hops, .attribute = PORT_INFO}, info);
    cr_assert_eq(c.n, 0);
}

/* Which datagrams need the key: on the last link of their route, those that the agent answers. */
Test(managed, datagrams_that_need_the_key)
{
    static const struct {
        uint8_t method;
        uint16_t attribute;
        uint8_t pointer_at;
        bool back, needs;
    } rows[] = {{GET, SWITCH_INFO, 0, false, true},       {SET, SWITCH_INFO, 0, false, true},
                {TRAP_REPRESS, NOTICE, 0, false, true},   {TRAP, NOTICE, 0, false, false},
                {GET_RESP, SWITCH_INFO, 0, false, false}, {GET, SM_INFO, 0, false, false},
                {GET, SWITCH_INFO, 2, false, false},      {GET, SWITCH_INFO, 0, true, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_with_key(1);
        c.transaction++;
        smp(&c, 0,
            &(struct smp){
                .method = rows[i].method, .hops = 1, .attribute = rows[i].attribute, .pointer_at = rows[i].pointer_at},
            rows[i].back, 1);
        cr_expect_eq(c.n, rows[i].needs, "row %zu", i);
        end(&c, rows[i].needs ? BIT(M_KEY_OTHER) : 0, rows[i].needs);
    }
    begin_with_key(2); /* S has no key, but T has one */
    ask_only(&c, &(struct smp){.method = GET, .hops = 2, .attribute = SWITCH_INFO});
    cr_expect_eq(c.last.frame, c.packet.number);
    end(&c, BIT(M_KEY_OTHER), 1);
    begin_with_key(1); /* S has one: requests to T need none */
    ask_only(&c, &(struct smp){.method = GET, .hops = 2, .attribute = SWITCH_INFO});
    end(&c, 0, 0);
}

/* An answer to a Set with another key shows that the key was ignored. */
Test(managed, answers_without_the_key)
{
    static const struct {
        uint8_t asked, method, status;
        unsigned later; /* the answer's transaction is that much later */
        uint32_t iface;
        bool ignored;
    } rows[] = {{SET, GET_RESP, 0, 0, 1, true},  {SET, GET_RESP, 4, 0, 1, false}, {SET, GET_RESP, 0, 1, 1, false},
                {GET, GET_RESP, 0, 0, 1, false}, {SET, SET, 0, 0, 1, false},      {SET, GET_RESP, 0, 0, 4, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_with_key(1);
        struct smp x = {.method = rows[i].asked, .hops = 1, .attribute = SWITCH_INFO};
        ask_only(&c, &x);
        const uint64_t request = c.packet.number;
        c.transaction += rows[i].later;
        x.method = rows[i].method;
        x.status = rows[i].status;
        for (unsigned twice = 0; twice < 2; twice++) /* a second answer is no second fault */
            smp(&c, rows[i].iface, &x, true, 1);
        if (rows[i].ignored)
            cr_expect_eq(c.last.cause, request);
        cr_expect_eq(c.n, 1U + rows[i].ignored, "row %zu", i);
        end(&c, BIT(M_KEY_OTHER) | (rows[i].ignored ? BIT(M_KEY_IGNORED) : 0), 1U + rows[i].ignored);
    }
}

/* ---- the agent of a trap ---- */

/* Ends the repetition of a trap from the agent with LID 7 on the last link, which leads to it. */
static void repress(uint32_t iface)
{
    const struct iba_mgmt_to to = {.dlid = 7, .slid = 1, .pkey = UINT16_MAX};
    uint8_t mad[IBA_MAD_BYTES] = {1, BY_LID, 1, TRAP_REPRESS};

    iba_madhdr_set_attributeid(mad, NOTICE);
    iba_madhdr_set_transactionid(mad, 8);
    shoot(&c, iface, &to, VL15, mad);
    c.now += SECOND_NS;
}

/* A TrapRepress counts if it reaches the agent that sent the trap: ports of a switch share theirs, ports of an adapter
 * do not. Adapter and S are connected by their ports 1 and 5, and by 2 and 7. */
Test(managed, the_agent_of_a_trap)
{
    static const struct route by_second = {{1, 7}, {1, 2}, {0, 7}, {1, 8}};
    static const struct {
        uint32_t trap, repress; /* interfaces: 6 and 8 have what the adapter sends, 5 and 7 what it gets */
        bool ended;
    } rows[] = {{6, 5, true}, {8, 7, true}, {6, 7, false}, {8, 5, false}, {4, 5, false}, {0, 5, false}, {6, 2, false}};
    const struct by_lid trap = {.method = TRAP, .attribute = NOTICE, .slid = 7, .transaction = 8};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&c);
        for (uint8_t port = 1; port <= 2; port++) {
            const struct route *by = port == 1 ? &to_adapter : &by_second;
            uint8_t info[64] = {0};
            iba_nodeinfo_set_nodetype(info, 1);
            iba_nodeinfo_set_numports(info, 2);
            iba_nodeinfo_set_nodeguid(info, 0xdddd);
            iba_nodeinfo_set_localportnum(info, port);
            for (unsigned k = 0; k < 2; k++)
                ask(&c, &(struct smp){.method = GET, .hops = 2, .attribute = NODE_INFO, .by = by}, info);
            memset(info, 0, sizeof info);
            iba_portinfo_set_localportnum(info, port);
            ask(&c, &(struct smp){.method = GET, .hops = 2, .attribute = PORT_INFO, .modifier = port, .by = by}, info);
        }
        uint8_t info[64] = {0};
        ask(&c, &(struct smp){.method = SET, .hops = 2, .attribute = PORT_INFO}, info); /* of T */
        send(rows[i].trap, &trap);
        const uint64_t sent = c.packet.number;
        repress(rows[i].repress);
        send(rows[i].trap, &trap);
        cr_expect_eq(c.last.cause, sent + rows[i].ended, "row %zu", i);
        end(&c, rows[i].ended ? BIT(TRAP_REPRESSED) : BIT(TRAP_AGAIN), 1);
    }
}

/* Adds an answer by which S names itself on interface 3. */
static void switch_on_interface(void)
{
    uint8_t info[64] = {0};

    iba_nodeinfo_set_nodetype(info, 2);
    iba_nodeinfo_set_numports(info, 8);
    iba_nodeinfo_set_nodeguid(info, S);
    iba_nodeinfo_set_localportnum(info, 1);
    smp(&c, 3, &(struct smp){.method = GET_RESP, .hops = 1, .attribute = NODE_INFO, .data = info}, true, 1);
}

/* One interface shows packets of many links, so it is no port, whatever its number is: only a second interface, or a
 * second file, makes ports of them. */
Test(managed, captures_of_one_interface)
{
    struct by_lid handover = {.method = SET, .attribute = SM_INFO, .modifier = 1, .slid = 7, .transaction = 8};

    for (unsigned by_source = 0; by_source < 2; by_source++) {
        begin_unknown(&c);
        c.by_source = by_source;
        for (uint32_t i = 0; i < 3; i++)
            switch_on_interface();
        send(3, &handover);
        cr_expect_eq(c.n, 0, "one interface");
        send(4, &handover);
        handover.transaction++;
        switch_on_interface();
        send(3, &handover);
        end(&c, BIT(SM_HANDOVER), 1);
    }
}
