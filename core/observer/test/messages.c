/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages that the observer hands on: their packets, lengths, times and ends. */
#include <stdio.h>
#include <stdlib.h>
#include "shots.h"

enum { US = 1000, OPEN = 128 };

static struct iba_message done[1024];
static unsigned n_done;

static void note(void *ctx, const struct iba_message *m)
{
    (void)ctx;
    cr_assert_lt(n_done, 1024);
    done[n_done++] = *m;
}

static void ignore(void *ctx, const struct iba_finding *f)
{
    (void)ctx, (void)f;
}

static uint32_t number(void *ctx, const struct iba_flow *f)
{
    static uint32_t n;

    (void)ctx, (void)f;
    return ++n;
}

/* Opens an observer of few directions that reports messages. */
static void watch(struct witness *w)
{
    const struct iba_observer_config cfg = {
        .n_flow = 4, .n_known = 4, .report = ignore, .begun = number, .message = note, .n_message = OPEN};
    void *memory = malloc(iba_observer_bytes(&cfg));

    cr_assert_not_null(memory);
    n_done = 0;
    w->frame = 0;
    w->observer = iba_observer_init(memory, &cfg);
}

static void play(struct witness *w, const struct shot *x, size_t n)
{
    static iba_time now;

    for (size_t i = 0; i < n; i++) {
        struct shot one = x[i];
        one.syndrome = one.syndrome ? one.syndrome : ACK;
        shoot(w, &one, 0, &now);
    }
}

#define PLAY(w, ...)                                                                                                   \
    play(w, (const struct shot[]){__VA_ARGS__}, sizeof((const struct shot[]){__VA_ARGS__}) / sizeof(struct shot))
#define REQ(op, n, ...)                                                                                                \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .psn = n, __VA_ARGS__                                                                   \
    }
#define RSP(op, n, ...)                                                                                                \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .from = B, .psn = n, __VA_ARGS__                                                        \
    }

Test(message, one_acknowledgement_ends_several)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_MIDDLE, 2, .bytes = 256), REQ(SEND_LAST, 3, .bytes = 10),
         REQ(WRITE_ONLY, 4, .bytes = 8, .dma = 8), RSP(ACKNOWLEDGE, 4, .msn = 2));
    cr_assert_eq(n_done, 2);
    cr_assert_eq(done[0].operation, IBA_OPERATION_SEND);
    cr_assert_eq(done[0].bytes, 522);
    cr_assert_eq(done[0].first_frame, 1);
    cr_assert_eq(done[0].last_frame, 3);
    cr_assert_eq(done[0].answer_frame, 5);
    cr_assert_eq(done[0].ended - done[0].began, 40 * US);
    cr_assert(done[0].whole && done[0].closed);
    cr_assert_eq(done[1].operation, IBA_OPERATION_WRITE);
    cr_assert_eq(done[1].end, IBA_MESSAGE_END_ANSWERED);
    free(w.observer);
}

Test(message, a_read_ends_with_its_last_response)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(READ_REQUEST, 2, .dma = 600), REQ(SEND_ONLY, 5, .bytes = 8),
         RSP(READ_RESP_FIRST, 2, .bytes = 256, .msn = 2));
    cr_assert_eq(n_done, 1); /* a READ's response also acknowledges the requests before it */
    PLAY(&w, RSP(READ_RESP_MIDDLE, 3, .bytes = 256), RSP(READ_RESP_LAST, 4, .bytes = 88, .msn = 2),
         RSP(ACKNOWLEDGE, 5, .msn = 3));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[1].operation, IBA_OPERATION_READ);
    cr_assert_eq(done[1].bytes, 600);
    cr_assert_eq(done[1].answer_frame, 6);
    cr_assert_eq(done[2].first_frame, 3);
    free(w.observer);
}

/* Some READs end while others are outstanding, and new ones begin; each READ keeps its own values. */
Test(message, reads_may_end_in_any_order)
{
    static const uint32_t order[] = {3, 1, 4, 6, 2, 5};
    struct witness w;

    watch(&w);
    PLAY(&w, REQ(READ_REQUEST, 1, .dma = 1), REQ(READ_REQUEST, 2, .dma = 2), REQ(READ_REQUEST, 3, .dma = 3),
         RSP(READ_RESP_ONLY, 3, .bytes = 3), REQ(READ_REQUEST, 4, .dma = 4), RSP(READ_RESP_ONLY, 1, .bytes = 1),
         REQ(READ_REQUEST, 5, .dma = 5), REQ(READ_REQUEST, 6, .dma = 6), RSP(READ_RESP_ONLY, 4, .bytes = 4),
         RSP(READ_RESP_ONLY, 6, .bytes = 6), RSP(READ_RESP_ONLY, 2, .bytes = 2), RSP(READ_RESP_ONLY, 5, .bytes = 5));
    cr_assert_eq(n_done, 6);
    for (unsigned i = 0; i < 6; i++) {
        cr_expect_eq(done[i].bytes, order[i]);
        cr_expect_eq(done[i].first.v, order[i]);
        cr_expect_eq(done[i].last.v, order[i]);
        cr_expect_eq(done[i].end, IBA_MESSAGE_END_ANSWERED);
    }
    free(w.observer);
}

Test(message, a_nak_refuses_its_own_and_what_is_open_ends_open)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(WRITE_ONLY, 2, .bytes = 8, .dma = 8), REQ(SEND_ONLY, 3, .bytes = 8),
         RSP(ACKNOWLEDGE, 2, .syndrome = 0x62, .msn = 1));
    cr_assert_eq(n_done, 2);
    cr_assert_eq(done[0].end, IBA_MESSAGE_END_ANSWERED);
    cr_assert_eq(done[1].end, IBA_MESSAGE_END_REFUSED);
    iba_observer_end(w.observer, 0);
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[2].end, IBA_MESSAGE_END_OPEN);
    cr_assert_eq(done[2].answer_frame, 0);
    free(w.observer);
}

Test(message, what_is_sent_again_is_no_new_message)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(SEND_ONLY, 3, .bytes = 8),
         RSP(ACKNOWLEDGE, 2, .syndrome = 0x60, .msn = 1), REQ(SEND_ONLY, 2, .bytes = 8), REQ(SEND_ONLY, 3, .bytes = 8),
         RSP(ACKNOWLEDGE, 3, .msn = 3));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[1].first_frame, 2);
    cr_assert_eq(done[1].again, 1);
    cr_assert_eq(done[2].first_frame, 4);
    free(w.observer);
}

/* Packets that others overtook were sent once. Only a packet that the capture has twice, and that no gap explains, was
 * sent again. */
Test(message, an_overtaken_packet_is_not_sent_again)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_MIDDLE, 3, .bytes = 256), REQ(SEND_MIDDLE, 2, .bytes = 256),
         REQ(SEND_LAST, 4, .bytes = 256), RSP(ACKNOWLEDGE, 4, .msn = 1));
    cr_assert_eq(n_done, 1);
    cr_assert_eq(done[0].again, 0, "%u", done[0].again);
    cr_assert_eq(done[0].bytes, 1024);
    PLAY(&w, REQ(SEND_MIDDLE, 6, .bytes = 256), REQ(SEND_FIRST, 5, .bytes = 256), REQ(SEND_MIDDLE, 7, .bytes = 256),
         REQ(SEND_LAST, 8, .bytes = 256), RSP(ACKNOWLEDGE, 8, .msn = 2));
    cr_assert_eq(n_done, 2);
    cr_assert(done[1].whole && done[1].again == 0, "%u", done[1].again);
    PLAY(&w, REQ(SEND_FIRST, 9, .bytes = 256), REQ(SEND_LAST, 11, .bytes = 256), REQ(SEND_MIDDLE, 10, .bytes = 256),
         RSP(ACKNOWLEDGE, 9, .syndrome = 0x60, .msn = 2), REQ(SEND_FIRST, 9, .bytes = 256),
         REQ(SEND_MIDDLE, 10, .bytes = 256), REQ(SEND_LAST, 11, .bytes = 256), RSP(ACKNOWLEDGE, 11, .msn = 3));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[2].again, 3, "%u", done[2].again);
    free(w.observer);
}

/* The responder's answer and the retransmission pass each other (pcaps/rxe-corrupt20-rc.pcap, packets 59 and 61). */
Test(message, a_repeat_after_the_end_begins_no_message)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_LAST, 2, .bytes = 200), REQ(SEND_FIRST, 1, .bytes = 256),
         RSP(ACKNOWLEDGE, 2, .msn = 1), REQ(SEND_LAST, 2, .bytes = 200), RSP(ACKNOWLEDGE, 2, .msn = 1));
    cr_assert_eq(n_done, 1);
    PLAY(&w, REQ(READ_REQUEST, 3, .dma = 8), RSP(READ_RESP_ONLY, 3, .bytes = 8, .msn = 2),
         REQ(READ_REQUEST, 3, .dma = 8), RSP(READ_RESP_ONLY, 3, .bytes = 8, .msn = 2));
    cr_assert_eq(n_done, 2);
    PLAY(&w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_ONLY, 4, .bytes = 8), RSP(ACKNOWLEDGE, 4, .msn = 3));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[2].first.v, 4);
    iba_observer_end(w.observer, 0);
    cr_assert_eq(n_done, 3, "%u", n_done);
    free(w.observer);
}

Test(message, datagrams_and_unreliable_messages_ask_for_nothing)
{
    struct witness w;

    watch(&w);

    PLAY(&w, {.opcode = IBA_UC_SEND_FIRST, .psn = 1, .bytes = 256}, {.opcode = IBA_UC_SEND_LAST, .psn = 2, .bytes = 4},
         {.opcode = IBA_UD_SEND_ONLY, .bytes = 8, .how = OTHER_QP});
    cr_assert_eq(n_done, 2);
    cr_assert_eq(done[0].bytes, 260);
    cr_assert_eq(done[0].end, IBA_MESSAGE_END_UNASKED);
    cr_assert_eq(done[1].operation, IBA_OPERATION_SEND);
    free(w.observer);
}

Test(message, more_than_can_wait_are_given_up_oldest_first)
{
    struct witness w;

    watch(&w);

    for (uint32_t psn = 0; psn < OPEN + 3; psn++)
        PLAY(&w, REQ(SEND_ONLY, psn, .bytes = 8));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[2].first_frame, 3);
    cr_assert_eq(done[2].end, IBA_MESSAGE_END_OPEN);
    PLAY(&w, RSP(ACKNOWLEDGE, OPEN + 2, .msn = OPEN + 3));
    cr_assert_eq(n_done, OPEN + 3);
    free(w.observer);
}

/* An ATOMIC has 8 bytes, whatever its packet says of lengths. */
Test(message, atomic_operations_have_eight_bytes)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(CMP_SWAP, 1, .bytes = 0), RSP(ATOMIC_ACKNOWLEDGE, 1, .msn = 1),
         REQ(ATOMIC_WRITE, 2, .bytes = 8, .dma = 8), RSP(READ_RESP_ONLY, 2, .msn = 2));
    cr_assert_eq(n_done, 2);
    for (unsigned i = 0; i < 2; i++)
        cr_assert(done[i].bytes == 8 && done[i].end == IBA_MESSAGE_END_ANSWERED && done[i].answer_frame == 2 * (i + 1));
    free(w.observer);
}

/* A NAK of a gap, and "receiver not ready", acknowledge what was sent before their PSN, and refuse nothing. */
Test(message, a_request_to_send_again_refuses_nothing)
{
    static const uint8_t syndromes[] = {0x60, 0x2a}; /* PSN sequence error; receiver not ready */

    for (size_t i = 0; i < sizeof syndromes; i++) {
        struct witness w;
        watch(&w);
        PLAY(&w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(SEND_ONLY, 2, .bytes = 8),
             RSP(ACKNOWLEDGE, 2, .syndrome = syndromes[i], .msn = 1));
        cr_assert_eq(n_done, 1);
        cr_assert(done[0].first_frame == 1 && done[0].end == IBA_MESSAGE_END_ANSWERED && done[0].answer_frame == 3);
        PLAY(&w, REQ(SEND_ONLY, 2, .bytes = 8), RSP(ACKNOWLEDGE, 2, .msn = 2));
        cr_assert_eq(n_done, 2);
        cr_assert(done[1].first_frame == 2 && done[1].last_frame == 2 && done[1].again == 1);
        cr_assert(done[1].end == IBA_MESSAGE_END_ANSWERED && done[1].answer_frame == 5);
        cr_assert_eq(done[1].ended - done[1].began, 30 * US);
        free(w.observer);
    }
}

/* Every NAK except those of a gap and of a receiver that is not ready refuses the message with its PSN. */
Test(message, each_other_nak_refuses)
{
    for (uint8_t syndrome = 0x61; syndrome <= 0x64; syndrome++) {
        struct witness w;
        watch(&w);
        PLAY(&w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_LAST, 2, .bytes = 8),
             RSP(ACKNOWLEDGE, 1, .syndrome = syndrome));
        cr_assert_eq(n_done, 1);
        cr_assert(done[0].end == IBA_MESSAGE_END_REFUSED && done[0].answer_frame == 3 && done[0].last_frame == 2);
        free(w.observer);
    }
}

/* An acknowledgement ends no message whose last packet has a later PSN, or was not captured. */
Test(message, an_earlier_acknowledgement_ends_nothing)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_MIDDLE, 2, .bytes = 256), RSP(ACKNOWLEDGE, 2, .msn = 0),
         REQ(SEND_LAST, 3, .bytes = 1), RSP(ACKNOWLEDGE, 2, .msn = 0));
    cr_assert_eq(n_done, 0);
    PLAY(&w, RSP(ACKNOWLEDGE, 3, .msn = 1));
    cr_assert(n_done == 1 && done[0].bytes == 513 && done[0].answer_frame == 6);
    free(w.observer);
}

/* A READ ends only with its own last response: neither an acknowledgement of a later request nor the READ's first
 * response ends it. */
Test(message, responses_of_a_read_that_is_sent_again)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(READ_REQUEST, 1, .dma = 600), RSP(READ_RESP_FIRST, 1, .bytes = 256, .msn = 1),
         RSP(READ_RESP_MIDDLE, 2, .bytes = 256));
    cr_assert_eq(n_done, 0);
    PLAY(&w, REQ(READ_REQUEST, 3, .dma = 88), RSP(READ_RESP_ONLY, 3, .bytes = 88, .msn = 1));
    cr_assert_eq(n_done, 1);
    cr_assert(done[0].operation == IBA_OPERATION_READ && done[0].bytes == 600 && done[0].again == 1);
    cr_assert(done[0].first_frame == 1 && done[0].answer_frame == 5 && done[0].end == IBA_MESSAGE_END_ANSWERED);
    free(w.observer);
}

/* The first packet of a message was lost before the capture point, and comes again: then the message is complete. */
Test(message, the_first_packet_comes_later)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_LAST, 2, .bytes = 256), RSP(ACKNOWLEDGE, 2, .msn = 1));
    cr_assert_eq(n_done, 1);
    PLAY(&w, REQ(SEND_MIDDLE, 4, .bytes = 256), REQ(SEND_LAST, 5, .bytes = 10),
         RSP(ACKNOWLEDGE, 3, .syndrome = 0x60, .msn = 1), REQ(SEND_FIRST, 3, .bytes = 256),
         REQ(SEND_MIDDLE, 4, .bytes = 256), REQ(SEND_LAST, 5, .bytes = 10), RSP(ACKNOWLEDGE, 5, .msn = 2));
    cr_assert_eq(n_done, 2);
    cr_assert(done[1].whole && done[1].bytes == 522, "%u bytes", (unsigned)done[1].bytes);
    cr_assert(done[1].again == 3 && done[1].first_frame == 4 && done[1].answer_frame == 10);
    free(w.observer);
}

/* If the message's first packet does not come again, the message is incomplete; its length is that of the captured
 * packets. */
Test(message, the_first_packet_does_not_come)
{
    struct witness w;

    watch(&w);

    PLAY(&w, REQ(SEND_ONLY, 1, .bytes = 8), RSP(ACKNOWLEDGE, 1, .msn = 1), REQ(SEND_MIDDLE, 3, .bytes = 256),
         REQ(SEND_LAST, 4, .bytes = 10), RSP(ACKNOWLEDGE, 4, .msn = 2));
    cr_assert_eq(n_done, 2);
    cr_assert(!done[1].whole && done[1].closed && done[1].bytes == 266 && done[1].first_frame == 3);
    free(w.observer);
}

/* The First comes after a packet of its message, and goes back 128 PSNs at most: the packets between count as full. One
 * that goes back farther begins a message of its own. */
Test(message, a_first_packet_from_far_before)
{
    for (uint32_t before = 128; before <= 129; before++) {
        struct witness w;
        watch(&w);
        PLAY(&w, REQ(SEND_MIDDLE, 200, .bytes = 256), REQ(SEND_FIRST, 200 - before, .bytes = 256),
             REQ(SEND_LAST, 201, .bytes = 10), RSP(ACKNOWLEDGE, 201, .msn = 1));
        cr_assert_eq(n_done, 1);
        const bool far = before > 128;
        cr_expect(done[0].whole == !far && done[0].closed, "%u", (unsigned)before);
        cr_expect_eq(done[0].bytes, far ? 266 : 129 * 256 + 10, "%u", (unsigned)done[0].bytes);
        cr_expect_eq(done[0].first.v, far ? 200 : 72);
        iba_observer_end(w.observer, 0);
        cr_expect_eq(n_done, 1 + far);
        free(w.observer);
    }
}

Test(message, every_end_has_a_name)
{
    static const char *const ends[IBA_MESSAGE_ENDS] = {[IBA_MESSAGE_END_ANSWERED] = "answered",
                                                       [IBA_MESSAGE_END_REFUSED] = "refused",
                                                       [IBA_MESSAGE_END_UNASKED] = "unasked",
                                                       [IBA_MESSAGE_END_OPEN] = "open"};

    for (unsigned e = 0; e < IBA_MESSAGE_ENDS; e++)
        cr_assert_str_eq(iba_message_end_name((enum iba_message_end)e), ends[e]);
}

/* A direction without a number gets no messages, because the caller could not know to which direction they belong. */
Test(message, a_direction_without_a_number_has_none)
{
    struct witness w;

    watch(&w);
    w.observer->cfg.begun = NULL;
    PLAY(&w, REQ(SEND_ONLY, 1, .bytes = 8), RSP(ACKNOWLEDGE, 1, .msn = 1));
    iba_observer_end(w.observer, 0);
    cr_assert_eq(n_done, 0);
    free(w.observer);
}

/* Messages that were open when the caller reduced the observer's memory still end. */
Test(message, open_messages_outlive_less_memory)
{
    struct witness w;

    watch(&w);
    PLAY(&w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(SEND_ONLY, 2, .bytes = 8), RSP(ACKNOWLEDGE, 1, .msn = 1));
    cr_assert_eq(n_done, 1);
    const size_t bytes = iba_observer_shrink(w.observer, 2);
    w.observer = realloc(w.observer, bytes);
    cr_assert_not_null(w.observer);
    iba_observer_moved(w.observer);
    PLAY(&w, RSP(ACKNOWLEDGE, 2, .msn = 2));
    cr_assert(n_done == 2 && done[1].first_frame == 2 && done[1].end == IBA_MESSAGE_END_ANSWERED);
    free(w.observer);
}

Test(message, each_request_is_a_message_of_its_operation)
{
    for (unsigned code = 0; code < 256; code++) {
        const struct iba_opcode *op = &iba_opcodes[code];
        struct witness w;
        watch(&w);
        if (op->name && op->dir == IBA_REQ && op->svc != IBA_RD) {
            PLAY(&w, {.opcode = (uint8_t)code, .psn = 1, .bytes = op->pay == IBA_PAY_NONE ? 0 : 8});
            iba_observer_end(w.observer, 0);
            cr_assert_eq(n_done, 1, "core/observer/iba_obs_open.c: opcode 0x%02x, %s, is no message", code, op->name);
            cr_assert_eq(done[0].operation, op->operation);
        }
        free(w.observer);
    }
}
