/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of the observer. Each case is a talk of a few packets that comes just to a limit, and one that goes just
 * beyond it. */
#include "exact.h"

/* ---- IPv4 identifications ---- */

/* The network made a copy, which comes 3 ms later. Only a sender that is known to count its packets with the IPv4
 * identification shows that. */
static bool is_trusted(const uint16_t *ids, unsigned n)
{
    begin(NULL);
    for (unsigned i = 0; i < n; i++)
        PLAY(COUNTED(i, ids[i]));
    PLAY(FROM_A(SEND_ONLY, n - 1, .bytes = 8, .id = ids[n - 1], .wait = 3 * MS));
    return FOUND(NETWORK_COPY) == 1;
}

static void steps_of_identifications(void)
{
    static const struct {
        unsigned n;
        uint16_t id[4];
        bool trusted;
    } cases[] = {{2, {7, 8}, false},           {3, {7, 8, 9}, true},           {3, {7, 7, 8}, false},
                 {3, {1, 1025, 2049}, true},   {3, {1, 1026, 2051}, false},    {3, {0xfffe, 0xffff, 0x0002}, true},
                 {4, {7, 8, 8, 9}, false},     {4, {7, 8, 9, 9 + 1024}, true}, {4, {7, 8, 9, 9 + 1025}, false},
                 {4, {7, 8, 9, 9}, false},     {3, {0, 1, 2}, false},          {4, {7, 0, 8, 9}, true},
                 {4, {9, 10, 11, 5000}, false}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(is_trusted(cases[i].id, cases[i].n), cases[i].trusted, "case %u", i);
}

/* Trust halves where identifications jump: a long row of steps survives two jumps, and no third. */
static void jumps_of_identifications(void)
{
    enum { STEPS = 20, MOST_JUMPS = 3 };
    uint16_t ids[STEPS + MOST_JUMPS];

    for (unsigned i = 0; i < STEPS + MOST_JUMPS; i++)
        ids[i] = (uint16_t)(1 + i + (i < STEPS ? 0 : 5000 * (i - STEPS + 1)));
    for (unsigned jumps = 0; jumps <= MOST_JUMPS; jumps++)
        cr_expect_eq(is_trusted(ids, STEPS + jumps), jumps < 3, "%u jumps", jumps);
}

/* Where responses count packets, a response with an identification before the last one is late. */
static void late_responses_by_their_identification(void)
{
    static const struct {
        uint16_t id[3];
        bool late;
    } cases[] = {{{5000, 5001, 5002 - 1024}, false}, {{5000, 5001, 5001}, false}, {{5000, 5001, 5000}, false}};
    static const uint16_t backs[] = {0, 1, 2, 1024, 1025};

    for (unsigned i = 0; i < 3; i++) {
        begin(NULL);
        for (uint32_t psn = 0; psn < 3; psn++)
            PLAY(SEND(psn), FROM_B(ACKNOWLEDGE, psn, .syndrome = ACK, .msn = psn + 1, .id = cases[i].id[psn]));
        cr_expect_eq(FOUND(LATE), cases[i].late, "a single step shows nothing: %u", i);
    }
    for (unsigned i = 0; i < sizeof backs / sizeof *backs; i++) {
        begin(NULL);
        for (uint32_t psn = 0; psn < 4; psn++)
            PLAY(SEND(psn), FROM_B(ACKNOWLEDGE, psn, .syndrome = ACK, .msn = psn + 1,
                                   .id = (uint16_t)(psn < 3 ? 5000 + psn : 5002u - backs[i])));
        cr_expect_eq(FOUND(LATE), backs[i] > 0 && backs[i] <= 1024, "%u back", backs[i]);
    }
}

/* ---- another connection of the same QP ---- */

static void who_comes_back_from_a_rest(void)
{
    static const struct {
        uint32_t psn;
        iba_time wait;
        uint8_t how;
        bool reused;
    } cases[] = {
        {1001 + 128, 1000 * MS, PLAIN, false},     {1001 + 129, 1000 * MS, PLAIN, true},
        {1001 + 129, 1000 * MS - 1, PLAIN, false}, {1001 - 128, 1000 * MS, PLAIN, false},
        {1001 - 129, 1000 * MS, PLAIN, true},      {1002, 1000 * MS, PLAIN, false},
        {1002, 1000 * MS, OTHER_PORT, true},       {1001, 1000 * MS, OTHER_PORT, false},
        {1002, 1000 * MS - 1, OTHER_PORT, false},  {1000, 1000 * MS, OTHER_PORT, true},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(SEND(1000), FROM_B(ACKNOWLEDGE, 1000, .syndrome = ACK, .msn = 1, .wait = 10),
             {.opcode = IBA_RC_SEND_ONLY,
              .psn = cases[i].psn,
              .bytes = 8,
              .wait = cases[i].wait - 10,
              .how = cases[i].how});
        cr_expect_eq(FOUND(QP_REUSED), cases[i].reused, "case %u", i);
    }
}

/* Another port alone shows nothing while the peer is not known, nor after a port that changed before. */
static void a_port_that_says_nothing(void)
{
    begin(NULL);
    PLAY(SEND(1000), FROM_A(SEND_ONLY, 1002, .bytes = 8, .wait = 1000 * MS, .how = OTHER_PORT));
    cr_expect_eq(FOUND(QP_REUSED), 0);
    begin(NULL);
    PLAY(SEND(1), FROM_B(ACKNOWLEDGE, 1, .syndrome = ACK, .msn = 1),
         FROM_A(SEND_ONLY, 2, .bytes = 8, .how = OTHER_PORT), FROM_A(SEND_ONLY, 4, .bytes = 8, .wait = 1000 * MS));
    cr_expect(FOUND(QP_REUSED) == 0 && FOUND(PATH_CHANGED) == 2);
}

/* After a NAK that ends the connection only the same PSN belongs to it. */
static void who_comes_back_after_its_end(void)
{
    for (uint32_t psn = 0; psn < 4; psn++) {
        begin(NULL);
        PLAY(SEND(1), FROM_B(ACKNOWLEDGE, 1, .syndrome = NAK + 2, .msn = 0),
             FROM_A(SEND_ONLY, psn, .bytes = 8, .wait = 1000 * MS));
        cr_expect_eq(FOUND(QP_REUSED), psn != 2, "%u", psn);
        cr_expect_eq(FOUND(AFTER_FATAL), psn == 2, "%u", psn);
    }
}

/* Connection management made a connection after the last packet, so the packet begins it. The packet that comes next
 * anyway does not. */
static void what_was_made_since(void)
{
    static const struct {
        uint64_t begun;
        uint32_t psn;
        bool begins;
    } cases[] = {{2, 500, false}, {3, 500, true}, {3, 3, false}, {3, 2, true}, {3, 4, true}, {0, 500, false}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(SEND(1), SEND(2));
        shoot_with(&w, &(struct shot)SEND(cases[i].psn), 0, &now, &(struct iba_cm_facts){.begun = cases[i].begun});
        cr_expect_eq(w.observer->seen.flow->packets, cases[i].begins ? 1 : 3, "case %u", i);
        cr_expect_eq(FOUND(QP_REUSED), 0);
    }
}

/* A stranger that comes when the pair has been quiet for a second is the next user of the QP. */
static void a_stranger_after_a_rest(void)
{
    for (unsigned early = 0; early < 2; early++) {
        begin(NULL);
        PLAY(SEND(1), FROM_B(ACKNOWLEDGE, 1, .syndrome = ACK, .msn = 1, .wait = 10),
             {.opcode = IBA_RC_SEND_ONLY, .psn = 7, .bytes = 8, .how = STRANGER, .wait = 1000 * MS - 10 - early});
        cr_expect(FOUND(SPOOF) == early && FOUND(QP_REUSED) == !early);
        cr_expect_eq(w.kept[0].cause, 1);
    }
}

/* Only a stranger that uses the service of a pair accuses somebody. The pair may be at rest. */
static void strangers_that_matter(void)
{
    static const struct {
        bool rests;
        unsigned spoofs;
        struct shot shot[4];
    } cases[] = {{false, 1, {SEND(1), REPLY(1, 1)}},
                 {false, 0, {SEND(1)}},
                 {false, 0, {{.opcode = IBA_UC_SEND_ONLY, .psn = 1, .bytes = 8}, REPLY(1, 1)}},
                 {true, 1, {SEND(1), REPLY(1, 1)}},
                 {true, 0, {SEND(1)}},
                 {false, 0, {FROM_A(SEND_ONLY, 1, .bytes = 8, .how = OTHER_QP), SEND(1), REPLY(1, 1)}},
                 {true, 0, {FROM_A(SEND_ONLY, 1, .bytes = 8, .how = OTHER_QP), SEND(1), REPLY(1, 1)}}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(cases[i].rests ? &(struct iba_observer_config){.n_flow = 2, .n_known = 12} : NULL);
        for (unsigned k = 0; k < 4 && cases[i].shot[k].opcode; k++)
            PLAY(cases[i].shot[k]);
        for (uint32_t k = 0; cases[i].rests && k < 2; k++)
            PLAY({.opcode = IBA_UC_SEND_ONLY, .from = k ? B : A, .psn = 1, .bytes = 8, .how = THIRD_QP});
        PLAY(FROM_A(SEND_ONLY, 9, .bytes = 8, .how = STRANGER));
        cr_expect_eq(FOUND(SPOOF), cases[i].spoofs, "case %u", i);
        cr_expect(FOUND(SPOOF) == 0 || w.kept[w.n_kept - 1].cause == 1);
    }
}

/* A packet of another service is foreign only between packets of its QP that come within the time of a rest. */
static void another_service_after_a_rest(void)
{
    for (unsigned early = 0; early < 2; early++) {
        begin(NULL);
        PLAY(SEND(1), {.opcode = IBA_UC_SEND_ONLY, .psn = 7, .bytes = 8, .wait = 10},
             FROM_A(SEND_ONLY, 2, .bytes = 8, .wait = 1000 * MS - 10 - early));
        cr_expect_eq(FOUND(SERVICE), early);
    }
}

/* ---- headers that the capture cut ---- */

/* The effect of a request whose RETH was cut is not known, so its direction starts again. A response whose AETH was cut
 * says nothing about the requests of its direction. */
static void headers_that_were_cut(void)
{
    begin(NULL);
    PLAY(SEND(1), FROM_A(WRITE_ONLY, 2, .bytes = 8, .dma = 8, .cut = 13, .wait = 100), SEND(50));
    iba_observer_end(w.observer, now);
    cr_expect_eq(witness_count(&w, IBA_NOTE), 0);
    begin(NULL);
    PLAY(SEND(1), FROM_A(WRITE_ONLY, 2, .bytes = 8, .dma = 8, .cut = 12, .wait = 100), SEND(50));
    iba_observer_end(w.observer, now);
    cr_expect_eq(FOUND(GAP), 1);
    begin(NULL);
    PLAY(FROM_B(SEND_ONLY, 1, .bytes = 8), FROM_B(SEND_ONLY, 2, .bytes = 8, .wait = 100),
         FROM_B(ACKNOWLEDGE, 9, .syndrome = NAK + 1, .cut = 5), FROM_B(SEND_ONLY, 50, .bytes = 8));
    iba_observer_end(w.observer, now);
    cr_expect(FOUND(GAP) == 1 && FOUND(NAK_INVALID) == 0);
}

/* Bytes that the capture lacks distinguish no packets. */
static void bytes_that_were_cut(void)
{
    for (unsigned cut = 4; cut <= 12; cut += 8) { /* the payload has 8 bytes, and its first byte differs */
        begin(NULL);
        PLAY(FROM_A(SEND_ONLY, 1, .bytes = 8, .cut = (uint16_t)cut),
             FROM_A(SEND_ONLY, 1, .bytes = 8, .cut = (uint16_t)cut, .how = OTHER_BYTES));
        cr_expect_eq(FOUND(NETWORK_COPY), cut == 12, "%u", cut);
    }
}

/* ---- lengths ---- */

/* A DMA length has 31 bits and may be 2^31 (RR-37). */
static void the_longest_message(void)
{
    for (uint32_t beyond = 0; beyond < 2; beyond++) {
        begin(NULL);
        PLAY(FROM_A(WRITE_FIRST, 1, .bytes = 256, .dma = 0x80000000 + beyond));
        cr_expect_eq(FOUND(DMA_LENGTH), beyond);
        begin(NULL);
        PLAY(FROM_A(READ_REQUEST, 1, .dma = 0x80000000 + beyond));
        cr_expect_eq(FOUND(DMA_LENGTH), beyond);
    }
}

/* Only the last packet of a WRITE completes its DMA length, and completes it exactly. */
static void lengths_of_writes(void)
{
    static const struct {
        uint32_t dma;
        uint16_t last;
        unsigned wrong;
    } cases[] = {{256, 8, 2}, {257, 1, 0}, {264, 8, 0}, {264, 12, 1}, {264, 4, 1}, {512, 256, 0}, {100, 8, 2}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(FROM_A(WRITE_FIRST, 1, .bytes = 256, .dma = cases[i].dma),
             {.opcode = IBA_RC_WRITE_LAST, .psn = 2, .bytes = cases[i].last});
        cr_expect_eq(FOUND(DMA_LENGTH), cases[i].wrong, "case %u: %u", i, FOUND(DMA_LENGTH));
        cr_expect(cases[i].wrong == 0 || w.kept[w.n_kept - 1].count == (cases[i].dma > 256 ? cases[i].dma - 256 : 0));
    }
}

/* ---- jumps that may be reordering ---- */

/* The finding about a jump over at most 128 PSNs waits for them. */
static void jumps_that_wait(void)
{
    for (uint32_t n = 127; n <= 129; n++) {
        begin(NULL);
        PLAY(SEND(1), AT_ONCE(2 + n));
        cr_expect_eq(FOUND(GAP), n > 128, "%u", (unsigned)n);
        iba_observer_end(w.observer, now);
        cr_expect(FOUND(GAP) == 1 && w.kept[0].count == n);
    }
}

/* 24 findings of a direction wait. One more, and the first is reported. */
static void jumps_of_one_direction(void)
{
    for (uint32_t n = 23; n <= 26; n++) {
        begin(NULL);
        PLAY(SEND(1));
        for (uint32_t i = 0; i < n; i++)
            PLAY(AT_ONCE(3 + 2 * i));
        cr_expect_eq(FOUND(GAP), n > 24 ? n - 24 : 0, "%u", (unsigned)n);
        cr_expect(n <= 24 || w.kept[0].psn.v == 3);
        iba_observer_end(w.observer, now);
        cr_expect_eq(FOUND(GAP), n);
    }
}

/* A finding waits for late_ns, 3 ms, and when all its packets have come for 10 ms. */
static void the_time_that_jumps_wait(void)
{
    static const struct {
        iba_time wait;
        bool fills;
        unsigned gaps, late;
    } cases[] = {{3 * MS, false, 0, 0},
                 {3 * MS + 1, false, 1, 0},
                 {3 * MS + 1, true, 0, 0},
                 {IBA_OBS_FLIGHT_NS, true, 0, 0},
                 {IBA_OBS_FLIGHT_NS + 1, true, 1, 1}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(SEND(1), AT_ONCE(3));
        if (cases[i].fills)
            PLAY(AT_ONCE(2));
        PLAY({.opcode = IBA_RC_SEND_ONLY,
              .psn = 4,
              .bytes = 8,
              .wait = cases[i].wait - 100 - (cases[i].fills ? 100 : 0)},
             AT_ONCE(6));
        cr_expect_eq(FOUND(GAP), cases[i].gaps, "case %u: %u", i, FOUND(GAP));
        cr_expect_eq(FOUND(LATE), cases[i].late, "case %u: %u", i, FOUND(LATE));
    }
}

/* The missing answer to a READ waits where its jump has less than 2^16 PSNs. */
static void jumps_over_answers_that_wait(void)
{
    for (uint32_t psn = 65536; psn <= 65537; psn++) {
        begin(&(struct iba_observer_config){.pmtu = MTU});
        PLAY(READ(1, 8), READ(2, 70000 * MTU), FROM_B(READ_RESP_MIDDLE, psn, .bytes = MTU));
        cr_expect_eq(FOUND(ANSWER_MISSING), psn > 65536, "%u", (unsigned)psn);
        iba_observer_end(w.observer, now);
        cr_expect_eq(FOUND(ANSWER_MISSING), 1);
    }
}

/* ---- responses without their requests ---- */

static void jumps_of_responses_alone(void)
{
    for (uint32_t n = 0; n <= 129; n = n < 2 ? n + 1 : n == 2 ? 127 : n + 1) {
        begin(NULL);
        PLAY(FROM_B(READ_RESP_MIDDLE, 1, .bytes = MTU), FROM_B(READ_RESP_MIDDLE, 2 + n, .bytes = MTU));
        iba_observer_end(w.observer, now);
        cr_expect_eq(FOUND(RESPONSE_GAP), n > 0 && n <= 128, "%u", (unsigned)n);
        cr_expect(FOUND(RESPONSE_GAP) == 0 || w.kept[0].count == n);
    }
}

/* A Middle from before the newest response is late, but the newest one itself may come twice. */
static void responses_alone_that_go_back(void)
{
    for (uint32_t psn = 7; psn <= 10; psn++) {
        begin(NULL);
        PLAY(FROM_B(READ_RESP_MIDDLE, 8, .bytes = MTU), FROM_B(READ_RESP_MIDDLE, 9, .bytes = MTU),
             FROM_B(READ_RESP_LAST, psn, .bytes = 8, .syndrome = ACK));
        iba_observer_end(w.observer, now);
        cr_expect_eq(FOUND(LATE), psn == 7, "%u", (unsigned)psn);
        cr_expect_eq(FOUND(ANSWER_AGAIN), psn == 8 || psn == 9, "%u", (unsigned)psn);
    }
}

/* A late response does not move the place where responses go on. */
static void responses_alone_after_a_late_one(void)
{
    begin(NULL);
    PLAY(FROM_B(READ_RESP_MIDDLE, 8, .bytes = MTU), FROM_B(READ_RESP_MIDDLE, 9, .bytes = MTU),
         FROM_B(READ_RESP_MIDDLE, 7, .bytes = MTU), FROM_B(READ_RESP_MIDDLE, 10, .bytes = MTU, .wait = 300000));
    iba_observer_end(w.observer, now);
    cr_expect(FOUND(LATE) == 1 && FOUND(RESPONSE_GAP) == 0);
}

/* ---- packets of any QP, at several capture points ---- */

struct raw {
    uint8_t opcode;
    uint32_t qpn, psn;
    uint16_t pkey;
    uint32_t bytes, source;
    bool damaged;
};

static void feed(const struct raw *x)
{
    static struct iba_recipe r;
    static uint8_t packet[CAP], payload[CAP];
    struct iba_view v;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x->opcode);
    uint8_t *bth = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_psn(bth, x->psn);
    iba_bth_set_destqp(bth, x->qpn);
    iba_bth_set_p_key(bth, x->pkey);
    r.payload = payload;
    r.payload_len = x->bytes;
    r.icrc_mode = x->damaged ? IBA_CRC_BAD : IBA_CRC_GOOD;
    cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
    iba_view_check(&v);
    w.frame++;
    now += 100;
    (void)iba_observer_feed(w.observer,
                            &(struct iba_sighting){.view = &v, .now = now, .frame = w.frame, .source = x->source});
}

/* The highest bit of a P_Key is no part of the partition. QP0 has no partition, and QP1 is in all. */
static void partitions_of_queue_pairs(void)
{
    static const struct {
        uint32_t qpn;
        uint16_t pkey[4];
        unsigned differ;
    } cases[] = {{5, {0x8001, 0x0001, 0x8001, 0x0001}, 0}, {5, {0xffff, 0x7fff, 0x7fff, 0xffff}, 0},
                 {5, {0x8001, 0x8002, 0x8001, 0x8002}, 2}, {5, {0x8001, 0x8002, 0x8002, 0x8002}, 2},
                 {5, {0x8001, 0xc001, 0xc001, 0x8001}, 3}, {0, {0x8001, 0x8002, 0x8003, 0x8004}, 0},
                 {1, {0x8001, 0x8002, 0x8003, 0x8004}, 0}, {2, {0x8001, 0x8002, 0x8003, 0x8004}, 3}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        for (uint32_t k = 0; k < 4; k++)
            feed(&(struct raw){IBA_UD_SEND_ONLY, cases[i].qpn, k, cases[i].pkey[k], 256, 0, false});
        cr_expect_eq(FOUND(PKEY), cases[i].differ, "case %u: %u", i, FOUND(PKEY));
    }
}

/* Management datagrams have 256 bytes, other datagrams as many as the path MTU, or 4096. */
static void lengths_of_datagrams(void)
{
    static const struct {
        uint32_t qpn, bytes, pmtu;
        bool wrong;
    } cases[] = {{0, 256, 0, false},  {0, 252, 0, true},    {0, 260, 0, true},    {1, 256, 256, false},
                 {1, 252, 0, true},   {2, 252, 256, false}, {2, 256, 256, false}, {2, 260, 256, true},
                 {2, 4096, 0, false}, {2, 4096, 2048, true}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(&(struct iba_observer_config){.pmtu = cases[i].pmtu});
        feed(&(struct raw){IBA_UD_SEND_ONLY, cases[i].qpn, 1, 0xffff, cases[i].bytes, 0, false});
        cr_expect_eq(FOUND(LENGTH), cases[i].wrong, "case %u", i);
    }
}

/* A packet is found at another capture point while fewer than 64 others have come. A damaged one belongs to no
 * connection, and is found once. */
static void packets_between_two_sightings(void)
{
    for (unsigned damaged = 0; damaged < 2; damaged++)
        for (uint32_t others = 63; others <= 64; others++) {
            const struct raw x = {IBA_RC_SEND_ONLY, 5, 0, 0xffff, 8, 0, damaged};
            struct raw y = x;
            begin(NULL);
            feed(&x);
            for (y.psn = 1; y.psn <= others; y.psn++)
                feed(&y);
            y = x;
            y.source = 1;
            feed(&y);
            const unsigned twice = others < 64;
            cr_expect_eq(w.observer->seen_twice, twice);
            cr_expect_eq(w.observer->seen.same_as, twice);
            cr_expect_eq(FOUND(BAD_ICRC), damaged ? others + 1 + !twice : 0);
            cr_expect_eq(w.observer->n_damaged, FOUND(BAD_ICRC));
            feed(&y);
            cr_expect_eq(w.observer->seen_twice, damaged ? twice : 2 * twice, "%u", (unsigned)w.observer->seen_twice);
        }
}

static uint32_t seven(void *ctx, const struct iba_flow *f)
{
    (void)ctx, (void)f;
    return 7;
}

/* A late request belongs to an open message only where messages are followed. */
static void a_late_request_without_messages(void)
{
    begin(&(struct iba_observer_config){.begun = seven});
    PLAY(SEND(1), SEND(2), SEND(3), SEND(1), REPLY(3, 3));
    iba_observer_end(w.observer, now);
    cr_expect(FOUND(LATE) == 1 && w.kept[0].direction == 7);
}

/* In one process: a process for each takes longer than all of them. */
Test(exact, limits)
{
    steps_of_identifications();
    jumps_of_identifications();
    late_responses_by_their_identification();
    who_comes_back_from_a_rest();
    a_port_that_says_nothing();
    who_comes_back_after_its_end();
    what_was_made_since();
    a_stranger_after_a_rest();
    strangers_that_matter();
    another_service_after_a_rest();
    headers_that_were_cut();
    bytes_that_were_cut();
    the_longest_message();
    lengths_of_writes();
    jumps_that_wait();
    jumps_of_one_direction();
    the_time_that_jumps_wait();
    jumps_over_answers_that_wait();
    jumps_of_responses_alone();
    responses_alone_that_go_back();
    responses_alone_after_a_late_one();
    partitions_of_queue_pairs();
    lengths_of_datagrams();
    packets_between_two_sightings();
    a_late_request_without_messages();
}
