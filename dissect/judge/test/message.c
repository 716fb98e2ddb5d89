/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/message.h"
#include <stdio.h>
#include <string.h>
#include "wire.h"
#include "wire/iba_opcode_rows.h"

static struct message done[1024];
static unsigned n_done;

static void note(void *ctx, const struct message *m)
{
    (void)ctx;
    cr_assert_lt(n_done, 1024);
    done[n_done++] = *m;
}

static struct judge *watch(void)
{
    n_done = 0;
    return judge_open(&(struct judge_config){.message = note});
}

static void play(struct judge *j, struct wire *w, const struct shot *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)judge_packet(j, wire_shoot(w, &x[i]));
}

#define PLAY(j, w, ...)                                                                                                \
    play(j, w, (const struct shot[]){__VA_ARGS__}, sizeof((const struct shot[]){__VA_ARGS__}) / sizeof(struct shot))
#define REQ(op, n, ...)                                                                                                \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .qp = 7, .psn = n, __VA_ARGS__                                                          \
    }
#define RSP(op, n, ...)                                                                                                \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .from = 1, .qp = 7, .psn = n, __VA_ARGS__                                               \
    }

Test(message, one_acknowledgement_ends_several)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_MIDDLE, 2, .bytes = 256), REQ(SEND_LAST, 3, .bytes = 10),
         REQ(WRITE_ONLY, 4, .bytes = 8, .dma = 8), RSP(ACKNOWLEDGE, 4, .msn = 2));
    cr_assert_eq(n_done, 2);
    cr_assert_eq(done[0].kind, MESSAGE_SEND);
    cr_assert_eq(done[0].bytes, 522);
    cr_assert_eq(done[0].first_frame, 1);
    cr_assert_eq(done[0].last_frame, 3);
    cr_assert_eq(done[0].answer_frame, 5);
    cr_assert_eq(done[0].ended - done[0].began, 40 * US);
    cr_assert(done[0].whole && done[0].closed);
    cr_assert_eq(done[1].kind, MESSAGE_WRITE);
    cr_assert_eq(done[1].end, MESSAGE_ANSWERED);
    judge_close(j);
}

Test(message, a_read_ends_with_its_last_response)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(READ_REQUEST, 2, .dma = 600), REQ(SEND_ONLY, 5, .bytes = 8),
         RSP(READ_RESP_FIRST, 2, .bytes = 256, .msn = 2));
    cr_assert_eq(n_done, 1); /* what stood before the READ is acknowledged with it */
    PLAY(j, &w, RSP(READ_RESP_MIDDLE, 3, .bytes = 256), RSP(READ_RESP_LAST, 4, .bytes = 88, .msn = 2),
         RSP(ACKNOWLEDGE, 5, .msn = 3));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[1].kind, MESSAGE_READ);
    cr_assert_eq(done[1].bytes, 600);
    cr_assert_eq(done[1].answer_frame, 6);
    cr_assert_eq(done[2].first_frame, 3);
    judge_close(j);
}

Test(message, a_nak_refuses_its_own_and_what_is_open_ends_open)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(WRITE_ONLY, 2, .bytes = 8, .dma = 8), REQ(SEND_ONLY, 3, .bytes = 8),
         RSP(ACKNOWLEDGE, 2, .syndrome = 0x62, .msn = 1));
    cr_assert_eq(n_done, 2);
    cr_assert_eq(done[0].end, MESSAGE_ANSWERED);
    cr_assert_eq(done[1].end, MESSAGE_REFUSED);
    judge_end(j);
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[2].end, MESSAGE_OPEN);
    cr_assert_eq(done[2].answer_frame, 0);
    judge_close(j);
}

Test(message, what_is_sent_again_is_no_new_message)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(SEND_ONLY, 3, .bytes = 8),
         RSP(ACKNOWLEDGE, 2, .syndrome = 0x60, .msn = 1), REQ(SEND_ONLY, 2, .bytes = 8), REQ(SEND_ONLY, 3, .bytes = 8),
         RSP(ACKNOWLEDGE, 3, .msn = 3));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[1].first_frame, 2);
    cr_assert_eq(done[1].again, 1);
    cr_assert_eq(done[2].first_frame, 4);
    judge_close(j);
}

Test(message, datagrams_and_unreliable_messages_ask_for_nothing)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, {.opcode = IBA_UC_SEND_FIRST, .qp = 7, .psn = 1, .bytes = 256},
         {.opcode = IBA_UC_SEND_LAST, .qp = 7, .psn = 2, .bytes = 4},
         {.opcode = IBA_UD_SEND_ONLY, .qp = 9, .bytes = 8});
    cr_assert_eq(n_done, 2);
    cr_assert_eq(done[0].bytes, 260);
    cr_assert_eq(done[0].end, MESSAGE_UNASKED);
    cr_assert_eq(done[1].kind, MESSAGE_SEND);
    judge_close(j);
}

Test(message, more_than_can_wait_are_given_up_oldest_first)
{
    static struct wire w;
    struct judge *j = watch();

    for (uint32_t psn = 0; psn < MESSAGES_OPEN + 3; psn++)
        PLAY(j, &w, REQ(SEND_ONLY, psn, .bytes = 8));
    cr_assert_eq(n_done, 3);
    cr_assert_eq(done[2].first_frame, 3);
    cr_assert_eq(done[2].end, MESSAGE_OPEN);
    PLAY(j, &w, RSP(ACKNOWLEDGE, MESSAGES_OPEN + 2, .msn = MESSAGES_OPEN + 3));
    cr_assert_eq(n_done, MESSAGES_OPEN + 3);
    judge_close(j);
}

/* An ATOMIC has 8 bytes, whatever its packet says of lengths. */
Test(message, atomic_operations_have_eight_bytes)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(CMP_SWAP, 1, .bytes = 0), RSP(ATOMIC_ACKNOWLEDGE, 1, .msn = 1),
         REQ(ATOMIC_WRITE, 2, .bytes = 8, .dma = 8), RSP(READ_RESP_ONLY, 2, .msn = 2));
    cr_assert_eq(n_done, 2);
    for (unsigned i = 0; i < 2; i++)
        cr_assert(done[i].bytes == 8 && done[i].end == MESSAGE_ANSWERED && done[i].answer_frame == 2 * (i + 1));
    judge_close(j);
}

/* A NAK of a gap, and "receiver not ready", acknowledge what was sent before their PSN, and refuse nothing. */
Test(message, a_request_to_send_again_refuses_nothing)
{
    static const uint8_t syndromes[] = {0x60, 0x2a}; /* PSN sequence error; receiver not ready */

    for (size_t i = 0; i < sizeof syndromes; i++) {
        static struct wire w;
        struct judge *j = watch();
        memset(&w, 0, sizeof w);
        PLAY(j, &w, REQ(SEND_ONLY, 1, .bytes = 8), REQ(SEND_ONLY, 2, .bytes = 8),
             RSP(ACKNOWLEDGE, 2, .syndrome = syndromes[i], .msn = 1));
        cr_assert_eq(n_done, 1);
        cr_assert(done[0].first_frame == 1 && done[0].end == MESSAGE_ANSWERED && done[0].answer_frame == 3);
        PLAY(j, &w, REQ(SEND_ONLY, 2, .bytes = 8), RSP(ACKNOWLEDGE, 2, .msn = 2));
        cr_assert_eq(n_done, 2);
        cr_assert(done[1].first_frame == 2 && done[1].last_frame == 2 && done[1].again == 1);
        cr_assert(done[1].end == MESSAGE_ANSWERED && done[1].answer_frame == 5);
        cr_assert_eq(done[1].ended - done[1].began, 30 * US);
        judge_close(j);
    }
}

/* All other NAKs refuse the message of their PSN. */
Test(message, each_other_nak_refuses)
{
    for (uint8_t syndrome = 0x61; syndrome <= 0x64; syndrome++) {
        static struct wire w;
        struct judge *j = watch();
        memset(&w, 0, sizeof w);
        PLAY(j, &w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_LAST, 2, .bytes = 8),
             RSP(ACKNOWLEDGE, 1, .syndrome = syndrome));
        cr_assert_eq(n_done, 1);
        cr_assert(done[0].end == MESSAGE_REFUSED && done[0].answer_frame == 3 && done[0].last_frame == 2);
        judge_close(j);
    }
}

/* An acknowledgement of an earlier packet than the last ends no message; nor one of a message whose last packet is not
 * seen. */
Test(message, an_earlier_acknowledgement_ends_nothing)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_MIDDLE, 2, .bytes = 256), RSP(ACKNOWLEDGE, 2, .msn = 0),
         REQ(SEND_LAST, 3, .bytes = 1), RSP(ACKNOWLEDGE, 2, .msn = 0));
    cr_assert_eq(n_done, 0);
    PLAY(j, &w, RSP(ACKNOWLEDGE, 3, .msn = 1));
    cr_assert(n_done == 1 && done[0].bytes == 513 && done[0].answer_frame == 6);
    judge_close(j);
}

/* Only a READ's own last response ends it: neither an acknowledgement of a later request, nor its first response. */
Test(message, responses_of_a_read_that_is_sent_again)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(READ_REQUEST, 1, .dma = 600), RSP(READ_RESP_FIRST, 1, .bytes = 256, .msn = 1),
         RSP(READ_RESP_MIDDLE, 2, .bytes = 256));
    cr_assert_eq(n_done, 0);
    PLAY(j, &w, REQ(READ_REQUEST, 3, .dma = 88), RSP(READ_RESP_ONLY, 3, .bytes = 88, .msn = 1));
    cr_assert_eq(n_done, 1);
    cr_assert(done[0].kind == MESSAGE_READ && done[0].bytes == 600 && done[0].again == 1);
    cr_assert(done[0].first_frame == 1 && done[0].answer_frame == 5 && done[0].end == MESSAGE_ANSWERED);
    judge_close(j);
}

/* The first packet of a message was lost before the capture point, and comes again: then the message is complete. */
Test(message, the_first_packet_comes_later)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(SEND_FIRST, 1, .bytes = 256), REQ(SEND_LAST, 2, .bytes = 256), RSP(ACKNOWLEDGE, 2, .msn = 1));
    cr_assert_eq(n_done, 1);
    PLAY(j, &w, REQ(SEND_MIDDLE, 4, .bytes = 256), REQ(SEND_LAST, 5, .bytes = 10), REQ(SEND_FIRST, 3, .bytes = 256),
         REQ(SEND_MIDDLE, 4, .bytes = 256), REQ(SEND_LAST, 5, .bytes = 10), RSP(ACKNOWLEDGE, 5, .msn = 2));
    cr_assert_eq(n_done, 2);
    cr_assert(done[1].whole && done[1].bytes == 522, "%u bytes", (unsigned)done[1].bytes);
    cr_assert(done[1].again == 3 && done[1].first_frame == 4 && done[1].answer_frame == 9);
    judge_close(j);
}

/* Without it the message is incomplete, and its length is that of what was seen. */
Test(message, the_first_packet_does_not_come)
{
    static struct wire w;
    struct judge *j = watch();

    PLAY(j, &w, REQ(SEND_ONLY, 1, .bytes = 8), RSP(ACKNOWLEDGE, 1, .msn = 1), REQ(SEND_MIDDLE, 3, .bytes = 256),
         REQ(SEND_LAST, 4, .bytes = 10), RSP(ACKNOWLEDGE, 4, .msn = 2));
    cr_assert_eq(n_done, 2);
    cr_assert(!done[1].whole && done[1].closed && done[1].bytes == 266 && done[1].first_frame == 3);
    judge_close(j);
}

Test(message, every_kind_and_end_has_a_name)
{
    static const char *const kinds[] = {
        [MESSAGE_SEND] = "SEND",     [MESSAGE_WRITE] = "WRITE", [MESSAGE_READ] = "READ",
        [MESSAGE_ATOMIC] = "ATOMIC", [MESSAGE_FLUSH] = "FLUSH", [MESSAGE_ATOMIC_WRITE] = "ATOMIC WRITE"};
    static const char *const ends[] = {[MESSAGE_ANSWERED] = "answered",
                                       [MESSAGE_REFUSED] = "refused",
                                       [MESSAGE_UNASKED] = "unasked",
                                       [MESSAGE_OPEN] = "open"};

    for (unsigned k = 0; k < MESSAGE_KINDS; k++)
        cr_assert_str_eq(message_kind_name((enum message_kind)k), kinds[k]);
    for (unsigned e = 0; e < MESSAGE_ENDS; e++)
        cr_assert_str_eq(message_end_name((enum message_end)e), ends[e]);
}

/* "ATOMIC WRITE" of ATOMIC_WRITE */
static const char *operation_name(enum iba_operation o)
{
    static const char *const name[IBA_OPERATION_COUNT] = {[IBA_OPERATION_NONE] = "nothing",
#define NAME(operation) [IBA_OPERATION_##operation] = #operation,
                                                          IBA_OPERATIONS(NAME)};
    static char text[32];

    snprintf(text, sizeof text, "%s", name[o]);
    for (char *s = text; (s = strchr(s, '_'));)
        *s = ' ';
    return text;
}

Test(message, each_request_is_a_message_of_its_operation)
{
    static struct wire w;

    for (unsigned code = 0; code < 256; code++) {
        const struct iba_opcode *op = &iba_opcodes[code];
        struct judge *j = watch();
        if (op->name && op->dir == IBA_REQ && op->svc != IBA_RD) {
            PLAY(j, &w, {.opcode = (uint8_t)code, .qp = 7, .psn = 1, .bytes = op->pay == IBA_PAY_NONE ? 0 : 8});
            judge_end(j);
            cr_assert_eq(n_done, 1, "dissect/judge/message.c: opcode 0x%02x, %s, is no message", code, op->name);
            const char *kind = message_kind_name((enum message_kind)done[0].kind);
            const char *expected = operation_name((enum iba_operation)op->operation);
            cr_assert_str_eq(kind, expected, "dissect/judge/message.c: opcode 0x%02x, %s, is a %s, not a %s", code,
                             op->name, kind, expected);
        }
        judge_close(j);
    }
}
