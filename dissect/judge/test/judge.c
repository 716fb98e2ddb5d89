/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/judge.h"
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include "wire.h"
#include "wire/iba_opcode_rows.h"
#include "observer/iba_finding_kinds.h"

static struct iba_finding late_finding[64];
static const struct direction *late_direction;
static unsigned n_late;

static void late(void *ctx, const struct iba_finding *f, const struct verdict_names *names)
{
    (void)ctx;
    late_finding[n_late++ % 64] = *f;
    late_direction = direction_of_finding(f, names);
}

#define SEND(n)                                                                                                        \
    {                                                                                                                  \
        .opcode = IBA_RC_SEND_ONLY, .qp = 7, .psn = n, .bytes = 8                                                      \
    }
#define ACK(n)                                                                                                         \
    {                                                                                                                  \
        .opcode = IBA_RC_ACKNOWLEDGE, .from = 1, .qp = 7, .psn = n, .msn = n                                           \
    }

Test(judge, a_response_is_linked_and_directions_find_each_other)
{
    static struct wire w;
    static const struct shot shots[] = {SEND(1), SEND(2), ACK(2)};
    struct judge *j = judge_open(&(struct judge_config){.late = late});
    const struct verdict *v = NULL;

    for (unsigned i = 0; i < 3; i++)
        v = judge_packet(j, wire_shoot(&w, &shots[i]));
    cr_assert_eq(v->n, 0);
    cr_assert_eq(v->request_in, 2);
    cr_assert_eq(v->time_ns, 10 * (int64_t)US);
    cr_assert_eq(v->direction->id, 1);
    cr_assert_eq(v->direction->peer, 1);
    cr_assert(v->direction->knows_source_qp && v->direction->source_qp == 7);
    cr_assert_eq(judge_direction(j, 0)->peer, 2);
    cr_assert_null(judge_direction(j, 2));
    judge_close(j);
}

Test(judge, findings_keep_what_fields_need)
{
    static struct wire w;
    /* On a reliable connection a gap is reported when it is certain that no packet was reordered; on UC at once. */
    static const struct shot shots[] = {{.opcode = IBA_UC_SEND_ONLY, .qp = 7, .psn = 1, .bytes = 8},
                                        {.opcode = IBA_UC_SEND_ONLY, .qp = 7, .psn = 3, .bytes = 8}};
    struct judge *j = judge_open(&(struct judge_config){.late = late});
    const struct verdict *v = NULL;
    char comment[VERDICT_COMMENT];

    for (unsigned i = 0; i < 2; i++)
        v = judge_packet(j, wire_shoot(&w, &shots[i]));
    cr_assert_eq(v->n, 1);
    cr_assert_eq(v->worst, IBA_WARN);
    cr_assert_eq(v->finding[0].kind, IBA_FINDING_GAP);
    cr_assert_eq(v->finding[0].cause, 1);
    cr_assert_null(v->finding[0].flow);
    cr_assert_str_eq(verdict_file(v->names, v->finding[0].tag), "x.pcap");
    cr_assert_eq(verdict_file_number(v->finding[0].tag), 2);
    cr_assert(verdict_comment(v, comment));
    cr_assert_str_eq(comment,
                     "warn: gap: PSN 0x000003 jumps over PSNs: those before it are missing (frame 1, 1 missing) "
                     "[RQ-01, UU-03, 9.7.2, 9.8.2.2]");
    judge_close(j);
}

Test(judge, what_only_the_end_shows_is_told_late)
{
    static struct wire w;
    struct shot again = SEND(1);
    struct judge *j = judge_open(&(struct judge_config){.late = late});

    n_late = 0;
    again.opcode = IBA_RC_CMP_SWAP; /* wants an answer */
    again.bytes = 0;
    (void)judge_packet(j, wire_shoot(&w, &again));
    w.now += 100000 * US;
    (void)judge_packet(j, wire_shoot(&w, &again));
    cr_assert_eq(n_late, 0);
    judge_end(j);
    cr_assert_eq(n_late, 1);
    cr_assert_eq(late_finding[0].kind, IBA_FINDING_SILENCE);
    cr_assert_eq(late_finding[0].frame, 1);
    cr_assert_eq(late_direction->id, 0);
    judge_close(j);
}

Test(judge, directions_beyond_the_limit_are_counted)
{
    static struct wire w;
    struct shot one = SEND(1);
    struct judge *j = judge_open(&(struct judge_config){.late = late});
    const struct verdict *v = NULL;

    for (one.qp = 2; one.qp < 2 + JUDGE_DIRECTIONS; one.qp++) {
        v = judge_packet(j, wire_shoot(&w, &one));
        cr_assert_not_null(v->direction);
        cr_assert_eq(v->direction->key.qpn, one.qp);
    }
    cr_assert_eq(judge_beyond(j), 0);
    v = judge_packet(j, wire_shoot(&w, &one));
    cr_assert_null(v->direction);
    cr_assert_gt(judge_beyond(j), 0);
    judge_close(j);
}

/* A datagram contains its source QP; the source QP of a connection's packet is learned. */
Test(judge, a_datagram_tells_its_source_qp)
{
    static struct wire w;
    static const struct shot one = {.opcode = IBA_UD_SEND_ONLY, .qp = 7, .psn = 1, .bytes = 8};
    struct judge *j = judge_open(&(struct judge_config){.late = late});
    struct iba_view *view = &w.packet.view;

    (void)wire_shoot(&w, &one);
    iba_deth_set_srcqp(w.bytes + view->at[IBA_H_deth], 77);
    iba_view_repair_crc(view, w.bytes);
    (void)iba_view_parse(view, IBA_LINK_ETHERNET, w.bytes, w.cap.caplen, w.cap.len, NULL);
    iba_view_check(view);
    const struct verdict *v = judge_packet(j, &w.packet);
    cr_assert(v->direction && v->direction->knows_source_qp && v->direction->source_qp == 77);
    judge_close(j);
}

/* With many connections, predictions save the search for a packet's direction. A packet without a prediction must not
 * be taken for the packet that had its place before. */
Test(judge, a_packet_that_nobody_expected)
{
    enum { PLACES = 3 };
    static struct wire w[PLACES];
    struct shot one = SEND(1);
    struct judge *j = judge_open(&(struct judge_config){.late = late});

    for (one.qp = 2; one.qp < 2 + JUDGE_FLOWS + 100; one.qp++)
        (void)judge_packet(j, wire_shoot(&w[0], &one));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < PLACES; i++) {
            one.qp = 10 + 10 * round + i;
            one.psn = 2 + round;
            (void)wire_shoot(&w[i], &one);
            if (round == 0 || i + 1 < PLACES)
                judge_expect(j, &w[i].packet.view);
        }
        judge_fetch(j);
        for (uint32_t i = 0; i < PLACES; i++) {
            const struct verdict *v = judge_packet(j, &w[i].packet);
            cr_expect(v->direction && v->direction->key.qpn == 10 + 10 * round + i, "round %u, place %u", round, i);
        }
    }
    judge_close(j);
}

/* In the end both directions of a connection name each other, and each knows the other's QP. */
Test(judge, directions_agree)
{
    static struct wire w;
    struct judge *j = judge_open(&(struct judge_config){.late = late});
    const struct direction *d;

    for (uint32_t i = 0; i < 400; i++) {
        const bool answers = i % 3 == 2, reads = i % 5 == 0;
        const struct shot x = {.opcode = answers ? IBA_RC_ACKNOWLEDGE
                                         : reads ? IBA_RC_READ_REQUEST
                                                 : IBA_RC_SEND_ONLY,
                               .from = answers || i % 7 == 0,
                               .qp = 7 + i % 4,
                               .psn = 1 + i / 12,
                               .bytes = answers || reads ? 0 : 8,
                               .dma = reads ? 64 : 0,
                               .msn = i / 12};
        (void)judge_packet(j, wire_shoot(&w, &x));
    }
    for (uint32_t id = 0; (d = judge_direction(j, id)) != NULL; id++) {
        cr_assert(d->id == id && d->peer != 0, "direction %u", id);
        const struct direction *peer = judge_direction(j, d->peer - 1);
        cr_assert(peer && peer != d && peer->peer == id + 1, "direction %u", id);
        cr_assert(d->knows_source_qp && d->source_qp == peer->key.qpn, "direction %u", id);
        cr_assert_eq(d->guess, peer->guess, "direction %u", id);
    }
    judge_close(j);
}

/* An ACK matches two connections, so pairing it is a guess. The next ACK acknowledges a PSN that the guessed pair never
 * had: the guess is undone, and neither direction names the other. */
Test(judge, a_wrong_guess_is_forgotten_by_both_directions)
{
    static struct wire w;
    static const struct shot shots[] = {{.opcode = IBA_RC_SEND_ONLY, .qp = 7, .psn = 1, .bytes = 8},
                                        {.opcode = IBA_RC_SEND_ONLY, .qp = 8, .psn = 1, .bytes = 8},
                                        {.opcode = IBA_RC_ACKNOWLEDGE, .from = 1, .qp = 9, .psn = 1, .msn = 1},
                                        {.opcode = IBA_RC_ACKNOWLEDGE, .from = 1, .qp = 9, .psn = 100, .msn = 1}};
    struct judge *j = judge_open(&(struct judge_config){.late = late});

    for (unsigned i = 0; i < 3; i++)
        (void)judge_packet(j, wire_shoot(&w, &shots[i]));
    const uint32_t peer = judge_direction(j, 2)->peer;
    cr_assert(peer == 1 || peer == 2);
    cr_assert(judge_direction(j, 2)->guess && judge_direction(j, peer - 1)->guess);
    cr_assert_eq(judge_direction(j, peer - 1)->peer, 3);
    (void)judge_packet(j, wire_shoot(&w, &shots[3]));
    for (uint32_t id = 0; id < 3; id++) {
        const struct direction *d = judge_direction(j, id);
        cr_expect(d->peer == 0 && !d->guess && !d->knows_source_qp, "direction %u: %u", id, d->peer);
    }
    judge_close(j);
}

/* One end sends with a path MTU of 1024 bytes. When an ACK shows that two directions are one connection, the other
 * direction gets that path MTU, too, although it sends no more. */
Test(judge, a_path_mtu_is_that_of_both_directions)
{
    static struct wire w;
    static const struct shot shots[] = {
        SEND(1), {.opcode = IBA_RC_SEND_FIRST, .from = 1, .qp = 7, .psn = 90, .bytes = 1024}, ACK(1)};
    struct judge *j = judge_open(&(struct judge_config){.late = late});

    for (unsigned i = 0; i < 2; i++)
        (void)judge_packet(j, wire_shoot(&w, &shots[i]));
    cr_expect_eq(judge_direction(j, 0)->pmtu, 0);
    cr_expect_eq(judge_direction(j, 1)->pmtu, 1024);
    (void)judge_packet(j, wire_shoot(&w, &shots[2]));
    cr_expect_eq(judge_direction(j, 0)->pmtu, 1024);
    judge_close(j);
}

/* Facts from management datagrams become findings of the packet, which name the frame of the datagram. A datagram may
 * state three facts itself: the first in this order counts. */
Test(judge, facts_of_datagrams)
{
    static const struct {
        bool refused, other_partition;
        uint64_t reused_in;
        uint8_t n_said;
        unsigned n;
        uint8_t kind[2];
        uint64_t cause;
        uint32_t count, file;
    } rows[] = {
        {.n = 0},
        {.refused = true, .n = 1, .kind = {IBA_FINDING_END_REFUSED}, .cause = 11, .count = 8, .file = 2},
        {.refused = true,
         .reused_in = 12,
         .n = 1,
         .kind = {IBA_FINDING_END_REFUSED},
         .cause = 11,
         .count = 8,
         .file = 2},
        {.reused_in = 12, .other_partition = true, .n = 1, .kind = {IBA_FINDING_QP_REUSED}, .cause = 12, .file = 3},
        {.other_partition = true, .n = 1, .kind = {IBA_FINDING_MAD_PKEY}, .cause = 13, .file = 4},
        {.n_said = 1, .n = 1, .kind = {IBA_FINDING_CM_AGAIN}, .cause = 14, .count = 5, .file = 5},
        {.other_partition = true,
         .n_said = 1,
         .n = 2,
         .kind = {IBA_FINDING_MAD_PKEY, IBA_FINDING_CM_AGAIN},
         .cause = 13,
         .file = 4}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned used = 0; used < 2; used++) {
            static struct wire w;
            const struct shot one = SEND(1);
            struct judge *j = judge_open(&(struct judge_config){.late = late});
            (void)wire_shoot(&w, &one);
            w.packet.mad_context = (struct mad_context){
                .used = used,
                .refused = rows[i].refused,
                .reason = 8,
                .setup_in = 11,
                .setup_source = 2,
                .reused_in = rows[i].reused_in,
                .reused_source = 3,
                .other_partition = rows[i].other_partition,
                .response_to = 13,
                .response_to_source = 4,
                .n_said = rows[i].n_said,
                .said = {{.kind = IBA_FINDING_CM_AGAIN, .count = 5, .cause = {.frame = 14, .tag = 5}}}};
            const struct verdict *v = judge_packet(j, &w.packet);
            cr_assert_eq(v->n, used ? rows[i].n : 0, "row %zu: %u", i, v->n);
            for (unsigned k = 0; k < v->n; k++)
                cr_expect_eq(v->finding[k].kind, rows[i].kind[k], "row %zu", i);
            if (v->n > 0) {
                cr_expect_eq(v->finding[0].cause, rows[i].cause, "row %zu", i);
                cr_expect_eq(v->finding[0].cause_tag, rows[i].file, "row %zu", i);
                cr_expect_eq(v->finding[0].count, rows[i].count, "row %zu", i);
            }
            judge_close(j);
        }
}

/* Pages of the address space of this process. */
static unsigned long mapped(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    cr_assert(f && fscanf(f, "%lu", &pages) == 1 && fclose(f) == 0);
    return pages;
}

/* Once more directions are known than have room for their full state, most of them are kept in a shorter form, and the
 * memory of the longer one is given back. */
Test(judge, many_directions_need_less_memory)
{
    static struct wire w;
    struct shot one = SEND(1);
    struct judge *j = judge_open(&(struct judge_config){.late = late});
    unsigned long before = 0;

    for (one.qp = 2; one.qp < 2 + JUDGE_FLOWS + 100; one.qp++) {
        (void)judge_packet(j, wire_shoot(&w, &one));
        before = one.qp == 100 ? mapped() : before;
    }
    cr_expect_lt(mapped(), before - 256, "a megabyte at least");
    for (uint32_t id = 0; id < JUDGE_FLOWS + 100; id++)
        cr_assert_eq(judge_direction(j, id)->key.qpn, id + 2);
    cr_expect_null(judge_direction(j, JUDGE_FLOWS + 100));
    judge_close(j);
}

/* A judge of a part of a run tells when each direction began, so that the parts can be joined. */
Test(judge, a_part)
{
    static struct wire w;
    static const struct shot shots[] = {SEND(1), SEND(2), ACK(2), {.opcode = IBA_RC_SEND_ONLY, .qp = 8, .psn = 1}};
    struct judge *j = judge_open(&(struct judge_config){.part = true, .late = late});

    cr_assert_not_null(j);
    cr_assert_eq(judge_part(j).n, 0);
    for (unsigned i = 0; i < 4; i++)
        (void)judge_packet(j, wire_shoot(&w, &shots[i]));
    const struct judge_part p = judge_part(j);
    cr_assert_eq(p.n, 3);
    cr_expect(p.began[0] == 1 && p.began[1] == 3 && p.began[2] == 4);
    cr_expect_eq(p.direction, judge_direction(j, 0));
    cr_expect_eq(p.observer.directions, 3);
    cr_expect_not(p.native);
    judge_close(j);
}

/* All packets of a native link are judged as such: raw packets and flow control, too, since both change the credits of
 * its lanes. */
Test(judge, packets_of_native_links)
{
    static const struct {
        enum iba_proto proto;
        uint32_t n;
        uint8_t bytes[12];
    } rows[] = {{IBA_PROTO_IB, 26, {0, 2, 0, 1, 0, 6, 0, 2, 4, 0, 0xff, 0xff}},
                {IBA_PROTO_IB_RAW, 26, {0, 0, 0, 1, 0, 6, 0, 2}},
                {IBA_PROTO_IB_RAW, 26, {0, 1, 0, 1, 0, 6, 0, 2}},
                {IBA_PROTO_IB_LINK, 6, {0x10}}};
    static struct wire w;
    const struct shot one = SEND(1);
    struct judge *j = judge_open(&(struct judge_config){.late = late});

    (void)judge_packet(j, wire_shoot(&w, &one));
    cr_expect_not(judge_part(j).native, "Ethernet");
    judge_close(j);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        j = judge_open(&(struct judge_config){.late = late});
        memset(w.bytes, 0, sizeof w.bytes);
        memcpy(w.bytes, rows[i].bytes, sizeof rows[i].bytes);
        (void)iba_view_parse(&w.packet.view, IBA_LINK_IB, w.bytes, rows[i].n, rows[i].n, NULL);
        cr_assert_eq(w.packet.view.proto, rows[i].proto, "row %zu", i);
        (void)judge_packet(j, &w.packet);
        cr_expect(judge_part(j).native, "row %zu", i);
        judge_close(j);
    }
}

/* Time without packets counts, too: the answer that does not come is missed at the end of the run. */
Test(judge, time_passes)
{
    static struct wire w;
    const struct shot one = SEND(1), answer = ACK(1);
    struct judge *j = judge_open(&(struct judge_config){.late = late});

    (void)judge_packet(j, wire_shoot(&w, &one));
    const uint64_t then = w.now;
    judge_pass(j, then + 50 * US);
    judge_pass(j, then); /* time does not go back */
    w.now = then;
    const struct verdict *v = judge_packet(j, wire_shoot(&w, &answer));
    cr_expect_eq(v->request_in, 1);
    cr_expect_eq(v->time_ns, 50 * (int64_t)US, "it is later than the stamp of the packet");
    judge_close(j);
}

static size_t allocated(void)
{
    const struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

Test(judge, gives_its_memory_back)
{
    static struct wire w;
    const struct shot one = SEND(1);
    const size_t before = allocated();
    struct judge *j = judge_open(&(struct judge_config){.late = late});

    cr_assert_not_null(j);
    (void)judge_packet(j, wire_shoot(&w, &one));
    judge_close(j);
    judge_close(NULL);
    cr_assert_eq(allocated(), before);
}
