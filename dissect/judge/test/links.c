/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets between ports of a switch, from a capture of its links (capture.h). */
#include "capture.h"

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
    cr_expect_eq(c.last.tag, TAG(lost));
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
    smp(&c, 0, &(struct smp){.method = SET, .hops = 1, .attribute = ROUTES, .modifier = 0, .data = routes}, false, 1);
    data(&c, 0, LID, 1, 0);
    data(&c, 3, LID, 1, 0);
    end(&c, 0, 0);
    begin(&c); /* the lanes of all pairs of ports at once */
    c.transaction++;
    smp(&c, 0, &(struct smp){.method = SET, .hops = 1, .attribute = LANES, .modifier = 3 << 16, .data = routes}, false,
        1);
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
        cr_expect_eq(c.last.cause_tag, TAG(last));
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
    ask(c, &(struct smp){.method = SET, .hops = 1, .attribute = PORT_INFO, .modifier = 0, .data = info}, info);
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
    ask(&c, &(struct smp){.method = GET, .hops = 1, .attribute = PORT_INFO, .modifier = 0, .data = NULL}, hidden);
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
