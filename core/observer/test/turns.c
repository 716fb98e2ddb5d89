/* SPDX-License-Identifier: BSD-2-Clause */
/* Short talks that turn on one detail: one packet, PSN or time more or less changes what the capture shows. Each lists
 * all findings that the talk must cause, in the order of the reports: "frame KIND <cause xcount". */
#include <stdio.h>
#include "shots.h"

/* Packets without their braces. n: PSN; m: MSN; ns: the time since the packet before, 0: 10 us */
/* clang-format off */
#define SENT(n, ns)         .opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .wait = ns
#define ASKED(n, ns)        .opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .how = ASKING, .wait = ns
#define WROTE(n, ns)        .opcode = IBA_RC_WRITE_ONLY, .psn = n, .bytes = 8, .dma = 8, .wait = ns
#define READING(n, len, ns) .opcode = IBA_RC_READ_REQUEST, .psn = n, .dma = len, .wait = ns
#define ADDED(n, ns)        .opcode = IBA_RC_FETCH_ADD, .psn = n, .wait = ns
#define ACKED(n, m, ns)     .opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = ACK, .msn = m, .wait = ns
#define NAKED(n, m, ns)     .opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = NAK, .msn = m, .wait = ns
#define REFUSED(n, m, ns)   .opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = RNR, .msn = m, .wait = ns
#define GRANTED(n, code, m, ns) .opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = code, .msn = m, .wait = ns
#define FIRST(n, m, ns)     .opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = n, .bytes = MTU, .syndrome = ACK, .msn = m, .wait = ns
#define MIDDLE(n, ns)       .opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = n, .bytes = MTU, .wait = ns
#define LAST(n, m, ns)      .opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = n, .bytes = 88, .syndrome = ACK, .msn = m, .wait = ns
#define ONLY(n, m, ns)      .opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = n, .bytes = 8, .syndrome = ACK, .msn = m, .wait = ns
#define RESULT(n, m, ns)    .opcode = IBA_RC_ATOMIC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = ACK, .msn = m, .wait = ns
#define B_SENDS(n, ns)      .opcode = IBA_RC_SEND_ONLY, .from = B, .psn = n, .bytes = 8, .wait = ns
#define A_ACKS(n, m, ns)    .opcode = IBA_RC_ACKNOWLEDGE, .psn = n, .syndrome = ACK, .msn = m, .wait = ns

static const struct turn {
    const char *findings;
    uint64_t rest; /* ns until the end; 0: 20 ms */
    struct shot shot[MOST];
} turns[] = {
    /* the Last, the First and the Middle of a READ all came: no answer is missing */
    {"2 RESPONSE_GAP <1 x2", 0, {{READING(2, 600, 0)}, {LAST(4, 1, 0)}, {FIRST(2, 1, 0)}, {MIDDLE(3, 100)}, {READING(5, 8, 0)}, {ONLY(5, 2, 0)}}},
    /* a requester that was refused twice does not come back, ... */
    {"2 RNR <1 x14, 3 RNR <1 x14, 3 END_RNR x2", 5000 * MS, {{SENT(4, 0)}, {REFUSED(4, 0, 0)}, {REFUSED(4, 0, 0)}}},
    /* ... or does, before the wait is over */
    {"2 RNR <1 x14, 3 RNR <1 x14, 4 RNR_EARLY <3, 4 RETRY_RNR <2", 5000 * MS, {{SENT(1, 0)}, {REFUSED(1, 0, 0)}, {REFUSED(1, 0, 0)}, {SENT(1, 0)}}},
    /* a single response must be an Only */
    {"2 ANSWER_SEQUENCE <1", 0, {{READING(6, 88, 0)}, {LAST(6, 1, 0)}}},
    /* a response of another kind has no length to be judged */
    {"2 ANSWER_KIND <1", 0, {{READING(2, 8, 0)}, {RESULT(2, 1, 0)}}},
    /* packet 4 comes after more than four round trips of 21.1 us: its requester had a reason to send it again */
    {"4 RETRY_TIMEOUT <2", 0, {{SENT(0, 0)}, {SENT(1, 21000)}, {ACKED(0, 1, 100)}, {SENT(1, 102900)}}},
    /* of two missing answers only the first is reported */
    {"5 ANSWER_MISSING <3", 0, {{SENT(1, 0)}, {ACKED(0, 0, 0)}, {ADDED(2, 0)}, {READING(3, 8, 0)}, {ACKED(3, 3, 100)}}},
    /* an acknowledgement shows that a refused request came again, and it comes once more */
    {"2 RNR <1 x14, 4 RETRY_RNR <2", 0, {{SENT(2, 0)}, {REFUSED(2, 0, 0)}, {ACKED(2, 1, 0)}, {SENT(2, 0)}}},
    /* the RNR NAK follows its request at once, so the capture point is at the responder: the copy came too soon to be an effect */
    {"2 RNR <1 x14, 3 NETWORK_COPY <1", 0, {{SENT(0, 0)}, {REFUSED(0, 0, 100)}, {SENT(0, 100)}}},
    /* nothing asked for the newest request, which comes twice */
    {"6 NETWORK_COPY <5", 0, {{B_SENDS(50, 0)}, {A_ACKS(50, 1, 0)}, {SENT(0, 0)}, {SENT(1, 0)}, {ASKED(2, 100)}, {ASKED(2, 0)}}},
    /* the NAK asked for 2, which has been acknowledged since: it is no reason for 3 */
    {"4 NAK_SEQUENCE <3, 7 RETRY_UNCLEAR <5", 0, {{B_SENDS(50, 0)}, {A_ACKS(50, 1, 30000)}, {SENT(2, 0)}, {NAKED(2, 0, 0)}, {SENT(3, 0)}, {ACKED(2, 1, 0)}, {SENT(3, 61999)}}},
    /* software may obey an RNR NAK up to 60 ms late */
    {"2 RNR <1 x14, 4 RETRY_RNR <2", 0, {{READING(4, 600, 0)}, {REFUSED(4, 0, 0)}, {WROTE(7, 60240000)}, {READING(4, 600, 0)}}},
    /* the retransmission of 3, sent after the NAK, is overtaken by new requests: the NAK is still its reason */
    {"6 NAK_SEQUENCE <3, 7 RETRY_NAK <6, 8 RETRY_NAK <6, 10 RETRY_NAK <6", 0, {{SENT(1, 0), .id = 10}, {ACKED(1, 1, 0)}, {SENT(2, 0), .id = 11}, {SENT(3, 100), .id = 12}, {SENT(4, 100), .id = 13}, {NAKED(2, 1, 0)}, {SENT(2, 0), .id = 14}, {SENT(4, 100), .id = 16}, {SENT(5, 100), .id = 17}, {SENT(3, 100), .id = 15}, {ACKED(5, 5, 0)}}},
    /* the identification shows that the last one was sent before the NAK, which is no reason for it */
    {"6 NAK_SEQUENCE <3, 7 RETRY_NAK <6, 8 RETRY_NAK <6, 9 RETRY_NAK <6, 11 RETRY_UNCLEAR <8, 11 LATE", 0, {{SENT(1, 0), .id = 10}, {ACKED(1, 1, 0)}, {SENT(2, 0), .id = 11}, {SENT(3, 100), .id = 12}, {SENT(4, 100), .id = 14}, {NAKED(2, 1, 0)}, {SENT(2, 0), .id = 15}, {SENT(3, 100), .id = 16}, {SENT(4, 100), .id = 17}, {SENT(5, 100), .id = 18}, {SENT(3, 100), .id = 13}, {ACKED(5, 5, 0)}}},
    /* the answer to 4 shows that 2 and 3 had arrived */
    {"4 NOT_CAPTURED x2", 0, {{SENT(1, 0)}, {ACKED(1, 1, 0)}, {READING(4, 600, 0)}, {FIRST(4, 2, 0)}, {MIDDLE(5, 0)}, {LAST(6, 2, 0)}, {SENT(7, 0)}, {ACKED(7, 3, 0)}}},
    /* the answer to 4 shows that 3 had arrived, and jumps over the answer to 2 */
    {"4 GAP <3 x1, 5 NOT_CAPTURED <4 x1, 5 ANSWER_MISSING <3", 0, {{SENT(1, 0)}, {ACKED(1, 1, 0)}, {READING(2, 8, 0)}, {READING(4, 8, 0)}, {ONLY(4, 3, 0)}, {SENT(5, 0)}, {ACKED(5, 4, 0)}}},
    /* 16 missing responses are a loss within one answer: its READ, which the capture lacks, counts once; ... */
    {"4 NOT_CAPTURED x9, 6 NOT_CAPTURED x12, 5 RESPONSE_GAP x16", 0, {{SENT(1, 0)}, {ACKED(1, 1, 0)}, {SENT(40, 0)}, {FIRST(10, 5, 0)}, {MIDDLE(27, 0)}, {ACKED(40, 9, 0)}}},
    /* ... 17 are more than one run may lose */
    {"4 NOT_CAPTURED x9, 5 NOT_CAPTURED x18, 6 NOT_CAPTURED x11, 5 RESPONSE_GAP x17", 0, {{SENT(1, 0)}, {ACKED(1, 1, 0)}, {SENT(40, 0)}, {FIRST(10, 5, 0)}, {MIDDLE(28, 0)}, {ACKED(40, 9, 0)}}},
    /* the requester had credits for 2, and waits 1 ms for more; ... */
    {"5 CREDIT_STALL <4", 0, {{SENT(1, 0)}, {GRANTED(1, 0, 1, 0)}, {SENT(2, 0)}, {GRANTED(2, 2, 2, 1000000)}, {SENT(3, 0)}, {SENT(4, 0)}}},
    /* ... a shorter pause may be a round trip */
    {"", 0, {{SENT(1, 0)}, {GRANTED(1, 0, 1, 0)}, {SENT(2, 0)}, {GRANTED(2, 2, 2, 999999)}, {SENT(3, 0)}, {SENT(4, 0)}}},
    /* both READs lack their answers: the finding names the first */
    {"6 ANSWER_MISSING <3", 0, {{SENT(1, 0)}, {ACKED(1, 1, 0)}, {READING(2, 8, 0)}, {READING(3, 8, 0)}, {SENT(4, 0)}, {ACKED(4, 4, 0)}}},
};
/* clang-format on */

/* Writes the findings of the witness as the table has them. */
static void say(const struct witness *w, char *text, size_t room)
{
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < w->n_kept && n < room; i++) {
        const struct iba_finding *f = &w->kept[i];
        n += (size_t)snprintf(text + n, room - n, "%s%u %s", n ? ", " : "", (unsigned)f->frame,
                              iba_findings[f->kind].name);
        if (f->cause && n < room)
            n += (size_t)snprintf(text + n, room - n, " <%u", (unsigned)f->cause);
        if (f->count && n < room)
            n += (size_t)snprintf(text + n, room - n, " x%u", (unsigned)f->count);
    }
}

Test(turns, each_talk_has_its_findings)
{
    static struct witness w;
    char text[1024];

    for (unsigned i = 0; i < sizeof turns / sizeof *turns; i++) {
        iba_time now = MS;
        witness_init(&w, &(struct iba_observer_config){.n_flow = 4});
        for (unsigned k = 0; k < MOST && turns[i].shot[k].opcode; k++)
            shoot(&w, &turns[i].shot[k], 0, &now);
        iba_observer_end(w.observer, now + (turns[i].rest ? turns[i].rest : 20 * MS));
        say(&w, text, sizeof text);
        cr_expect_str_eq(text, turns[i].findings, "talk %u: %s", i, text);
    }
}
