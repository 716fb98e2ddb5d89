/* SPDX-License-Identifier: BSD-2-Clause */
/* Talks of a few packets, and the kinds of findings that each must cause. rows.c plays them as they stand, edges.c with
 * other times and PSNs. */
#ifndef OBSERVER_TEST_ROWS_H
#define OBSERVER_TEST_ROWS_H
#include "shots.h"

/* Findings from CM_VERSION on have a test of their own, because the observer only passes them on. */
enum { MASKED = IBA_FINDING_FIRST_CM };
_Static_assert(MASKED <= 64, "kinds have a bit in a mask");
struct row {
    uint64_t kinds; /* the kinds that the observer must find, and no others */
    struct shot shot[MOST];
};
#define K(kind) (UINT64_C(1) << IBA_FINDING_##kind)

/* clang-format off */
static const struct row rows[] = {
    {0, {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), READ(3, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 3, .bytes = 256, .syndrome = ACK, .msn = 3},
         {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 4, .bytes = 256}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 5, .bytes = 88, .syndrome = ACK, .msn = 3}, SEND(6), REPLY(6, 4)}},
    {K(NAK_SEQUENCE) | K(RETRY_NAK) | K(GAP), {SEND(1), REPLY(1, 1), SEND(3), REFUSE(2, NAK, 1), SEND(2), SEND(3), REPLY(3, 3)}},
    {K(NAK_SEQUENCE) | K(RETRY_NAK) | K(GAP), {SEND(1), REPLY(1, 1), SEND(3), REFUSE(2, NAK, 1), SEND(2), SEND(3), SEND(4), SEND(2), SEND(3), SEND(4), REPLY(4, 4)}},
    {K(NAK_SEQUENCE) | K(RETRY_NAK) | K(GAP), {SEND(1), REPLY(1, 1), SEND(3), REFUSE(2, NAK, 1), SEND(4), SEND(5), SEND(2), REPLY(5, 5), SEND(6), REPLY(6, 6)}},
    {K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), SEND(4), SEND(5), SEND(6), REFUSE(2, NAK, 1), SEND(2), SEND(7), REPLY(7, 7)}},
    /* the responder may have kept the packets after the one that comes again: their retransmissions are not missing, whether it has kept all of them or not */
    {K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), SEND(4), REFUSE(2, NAK, 1), SEND(2), SEND(5), REPLY(5, 5)}},
    {K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), SEND(4), REFUSE(2, NAK, 1), SEND(2), HASTY(5, 700), REFUSE(4, NAK, 3), SEND(4), SEND(5), REPLY(5, 5)}},
    {K(RETRY_TIMEOUT) | K(GAP), {SEND(1), REPLY(1, 1), SEND(2), SEND(4), SEND(5), SEND(6), SEND(7), LATER(3), SEND(8), REPLY(8, 8), SEND(9), REPLY(9, 9)}},
    {K(RNR) | K(RETRY_RNR) | K(GAP), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), SEND(4), SEND(5), SEND(6), REFUSE(2, RNR, 1), SOON(2), SEND(7)}},
    {K(RNR) | K(RETRY_RNR), {ASK(1), REFUSE(1, RNR, 0), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = 2 * MS}, REPLY(1, 1)}},
    {K(RNR) | K(RETRY_RNR) | K(RNR_EARLY), {ASK(1), REFUSE(1, RNR, 0), ASK(1), REPLY(1, 1)}},
    {K(RNR) | K(RETRY_RNR), {ASK(1), REFUSE(1, RNR, 0), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = 55 * MS}, REPLY(1, 1)}},
    {K(RNR) | K(RETRY_RNR), {ASK(1), REFUSE(1, RNR, 0), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 1, .syndrome = RNR, .wait = MS}, {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = MS}, REPLY(1, 1)}},
    {K(RNR) | K(RETRY_RNR), {REFUSE(1, RNR, 0), SEND(2), SEND(3), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = 2 * MS}, SEND(2), SEND(3), REPLY(3, 3)}},
    /* a refused request is acknowledged, so it came again for the RNR NAK, and the capture lacks that packet */
    {K(RNR) | K(RETRY_RNR), {SEND(0), REPLY(0, 0), SEND(1), AT_ONCE(2), AT_ONCE(3), REFUSE(1, RNR, 0), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 1, .syndrome = ACK, .msn = 1, .wait = 2 * MS}, AT_ONCE(2), AT_ONCE(3), REPLY(3, 3)}},
    /* a NAK asked for 4 while the READ before it lacked its answer: 4 comes for the NAK once the answer has come */
    {K(RETRY_TIMEOUT) | K(NAK_SEQUENCE) | K(RETRY_NAK) | K(ANSWER_MISSING), {SEND(1), REPLY(1, 1), READ(2, 8), SEND(3), SEND(4), SEND(5), REFUSE(4, NAK, 3), {.opcode = IBA_RC_READ_REQUEST, .psn = 2, .dma = 8, .wait = 70 * MS}, {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 2, .bytes = 8, .syndrome = ACK, .msn = 3}, {.opcode = IBA_RC_SEND_ONLY, .psn = 4, .bytes = 8, .wait = 5000}}},
    {K(RNR) | K(NAK_SEQUENCE) | K(NAK_AFTER_RNR), {SEND(1), SEND(2), REFUSE(1, RNR, 0), REFUSE(1, NAK, 0)}},
    {K(NAK_SEQUENCE) | K(NAK_AGAIN) | K(GAP), {SEND(1), REPLY(1, 1), SEND(3), REFUSE(2, NAK, 1), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 2, .syndrome = NAK, .msn = 1, .wait = 2 * MS}}},
    {K(NAK_SEQUENCE) | K(NAK_IGNORED) | K(RETRY_TIMEOUT) | K(GAP), {SEND(1), REPLY(1, 1), SEND(3), REFUSE(2, NAK, 1), LATER(2), SEND(3), REPLY(3, 3)}},
    {K(RESPONSE_GAP) | K(RETRY_IMPLIED) | K(ANSWER_AGAIN), {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1},
         {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}, READ(2, 344), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 2, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}}},
    /* the first response was lost, so it comes for the first time when the READ is sent again */
    {K(RESPONSE_GAP) | K(RETRY_IMPLIED), {READ(1, 8), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1}, SEND(2), REPLY(2, 2), READ(3, 600), {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 4, .bytes = 256},
         {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 5, .bytes = 88, .syndrome = ACK, .msn = 3, .wait = 100}, READ(3, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 3, .bytes = 256, .syndrome = ACK, .msn = 3}}},
    /* the capture lacks the READ, and its First is late: 4 has come, so 5 jumps over nothing */
    {0, {{.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 4, .bytes = 256}, {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 3, .bytes = 256, .syndrome = ACK, .msn = 1, .wait = 100},
         {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 5, .bytes = 256, .wait = 100}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 6, .bytes = 88, .syndrome = ACK, .msn = 1, .wait = 100}}},
    {K(RESPONSE_GAP) | K(RETRY_IMPLIED), {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1},
         {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}, READ(2, 344), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 2, .bytes = 256, .syndrome = ACK, .msn = 1}, SEND(4), REPLY(4, 2)}},
    /* answers sooner than the shortest round trip that is known: no response is missing, and none is late */
    {K(RESPONSE_GAP) | K(RETRY_IMPLIED) | K(ANSWER_AGAIN), {SEND(0), REPLY(0, 0), READ(1, 600), {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256}, {.opcode = IBA_RC_READ_REQUEST, .psn = 1, .dma = 600, .wait = 100}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1, .wait = 100},
         {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1, .wait = 5000}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256, .wait = 100}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1, .wait = 100}, SEND(4), REPLY(4, 2)}},
    {K(ANSWER_MISSING) | K(RETRY_IMPLIED), {SEND(0), REPLY(0, 0), READ(1, 8), SEND(2), REPLY(2, 2), READ(1, 8), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 2, .wait = 9000}}},
    {K(ANSWER_MISSING) | K(RETRY_IMPLIED), {SEND(0), REPLY(0, 0), READ(1, 8), SEND(2), REPLY(2, 2), READ(1, 8)}},
    {K(RETRY_TIMEOUT), {ASK(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = 70 * MS}, REPLY(1, 1)}},
    {K(RETRY_TIMEOUT), {SEND(1), REPLY(1, 1), SEND(2), HASTY(2, 100), HASTY(2, 200), REPLY(2, 2)}},
    {K(RETRY_TIMEOUT), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), SEND(4), HASTY(2, 100), SEND(3), SEND(4), HASTY(2, 200), SEND(3), SEND(4), REPLY(4, 4)}},
    {K(RETRY_UNCLEAR), {SEND(1), SEND(2), SEND(1), SEND(2), REPLY(2, 2)}},
    {K(LATE), {SEND(1), SEND(2), SEND(3), SEND(1), REPLY(3, 3)}},
    /* a READ from before the capture, which was answered before it came again: it is not late */
    {K(LATE) | K(RETRY_IMPLIED), {{.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 50, .bytes = 8, .how = ASKING}, {.opcode = IBA_RC_ACKNOWLEDGE, .psn = 50, .syndrome = ACK, .msn = 1, .wait = 30000},
         SEND(11), SEND(12), REPLY(12, 12), REPLY(11, 12), {.opcode = IBA_RC_READ_REQUEST, .psn = 5, .dma = 8, .wait = 30000}}},
    {K(RETRY_TIMEOUT) | K(RETRY_PAYLOAD), {SEND(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_BYTES, .wait = 70 * MS}}},
    /* the capture lacks the end of one copy, so the observer does not compare the two */
    {K(RETRY_TIMEOUT), {SEND(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_BYTES, .cut = 6, .wait = 70 * MS}}},
    {K(RETRY_TIMEOUT), {{.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .cut = 6}, {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_BYTES, .wait = 70 * MS}}},
    /* a request without payload that asks for an answer the second time: nothing but its BTH and ICRC differs */
    {K(RETRY_TIMEOUT), {{.opcode = IBA_RC_SEND_ONLY, .psn = 1}, {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .how = ASKING, .wait = 70 * MS}}},
    {K(RETRY_TIMEOUT) | K(RETRY_CHANGED), {SEND(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 12, .wait = 70 * MS}}},
    {K(RETRY_TIMEOUT) | K(RETRY_CHANGED), {WRITE(1), {.opcode = IBA_RC_WRITE_ONLY, .psn = 1, .bytes = 8, .dma = 8, .how = OTHER_KEY, .wait = 70 * MS}}},
    {K(RETRY_TIMEOUT) | K(RETRY_CHANGED), {SEND(1), {.opcode = IBA_RC_WRITE_ONLY, .psn = 1, .bytes = 8, .dma = 8, .wait = 70 * MS}}},
    {K(ANSWER_AGAIN), {READ(1, 8), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1}, SEND(2), REPLY(2, 2), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 2}}},
    {K(NETWORK_COPY), {SEND(1), SEND(1), REPLY(1, 1)}},
    {K(NOT_CAPTURED), {SEND(1), REPLY(1, 1), SEND(3), REPLY(3, 3), SEND(4), REPLY(4, 4)}},
    {K(NOT_CAPTURED) | K(GAP), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), SEND(3), REPLY(3, 3), SEND(4), REPLY(4, 4), SEND(6), REPLY(6, 6), SEND(7), REPLY(7, 7)}},
    /* single packets, each after a round trip: they may be retransmissions from before the capture, and the rest was sent then */
    {K(NOT_CAPTURED), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), SEND(30), REPLY(30, 30), SEND(31), REPLY(31, 31)}},
    {0, {SEND(1), SEND(3), SEND(2), REPLY(1, 1)}},
    {0, {SEND(1), SEND(3), SEND(2), REPLY(3, 3), SEND(4), SEND(7), SEND(6), SEND(5), REPLY(7, 7)}},
    {K(REORDERED), {SEND(1), SEND(3), SEND(2), REPLY(3, 3), SEND(4), SEND(7), SEND(6), SEND(5), REPLY(7, 7), SEND(9), SEND(8), REPLY(9, 9)}},
    {K(GAP) | K(LATE) | K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), SEND(3), SEND(2), REFUSE(2, NAK, 1), SEND(2), SEND(3), REPLY(3, 3)}},
    {K(GAP) | K(LATE) | K(RETRY_TIMEOUT), {SEND(1), SEND(3), SEND(2), REPLY(2, 2), LATER(3), REPLY(3, 3)}},
    {K(GAP) | K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), SEND(3), SEND(2), REPLY(3, 3), SEND(4), SEND(6), REFUSE(5, NAK, 4), SEND(5), SEND(6), REPLY(6, 6)}},
    {0, {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1},
         {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256}, SEND(4), REPLY(4, 2)}},
    {K(GAP) | K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), SEND(3), REFUSE(2, NAK, 1), SEND(2), SEND(3), REPLY(3, 3), SEND(5), SEND(4), REPLY(5, 5)}},
    {0, {SEND(0), REPLY(0, 0), READ(1, 600), {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1, .wait = 500},
         {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256, .wait = 100}, SEND(4), REPLY(4, 2)}},
    {K(RESPONSE_GAP) | K(RETRY_IMPLIED), {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1},
         {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}, READ(2, 8), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 2, .bytes = 8, .syndrome = ACK, .msn = 1}, READ(4, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 4, .bytes = 256, .syndrome = ACK, .msn = 2},
         {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 6, .bytes = 88, .syndrome = ACK, .msn = 2}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 5, .bytes = 256}, {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 50, .bytes = 8, .wait = 20 * MS}}},
    {0, {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}, READ(4, 8), SEND(5), REPLY(5, 3),
         {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 4, .bytes = 8, .syndrome = ACK, .msn = 2}, SEND(6), REPLY(6, 4)}},
    {0, {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}, SEND(4),
         SEND(8), READ(5, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 5, .bytes = 256, .syndrome = ACK, .msn = 3}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 6, .bytes = 256}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 7, .bytes = 88, .syndrome = ACK, .msn = 3}, REPLY(8, 4)}},
    {K(RETRY_TIMEOUT), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), SEND(4), LATER(2), REPLY(3, 3), SEND(5), REPLY(5, 5)}},
    {K(RETRY_TIMEOUT), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), REPLY(2, 2), HASTY(3, 100), REPLY(3, 3)}},
    {K(NAK_INVALID), {ASK(1), REFUSE(1, NAK + 1, 0)}},
    {K(NAK_ACCESS), {ASK(1), REFUSE(1, NAK + 2, 0)}},
    {K(NAK_OPERATION), {ASK(1), REFUSE(1, NAK + 3, 0)}},
    {K(NAK_RD), {ASK(1), REFUSE(1, NAK + 4, 0)}},
    {K(NAK_RESERVED), {SEND(1), REFUSE(1, NAK + 5, 0)}},
    {K(SYNDROME_RESERVED), {SEND(1), REFUSE(1, 0x40, 0)}},
    {K(NAK_INVALID) | K(AFTER_FATAL), {ASK(1), REFUSE(1, NAK + 1, 0), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .wait = 20 * MS}}},
    {K(GHOST_ACK), {SEND(1), REPLY(1, 1), REPLY(2, 2)}},
    {K(ACK_AGAIN), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), REPLY(1, 2)}},
    {K(LATE), {SEND(1), SEND(2), REPLY(2, 2), REPLY(1, 2)}},
    {K(CREDIT_UPDATE), {SEND(1), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 1, .msn = 1}, {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 1, .syndrome = 4, .msn = 1}}},
    {K(CREDIT_UPDATE) | K(CREDIT_STALL), {SEND(1), REFUSE(1, 0, 1), REFUSE(1, 4, 1), SEND(2)}},
    {K(CREDIT_UPDATE), {SEND(1), REFUSE(1, 0, 1), REFUSE(1, 4, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .wait = 2 * MS}}},
    {K(CREDIT_UPDATE), {SEND(1), REFUSE(1, 1, 1), REFUSE(1, 4, 1), SEND(2)}},
    {K(CREDIT_UPDATE), {SEND(1), REFUSE(1, 0, 1), REFUSE(1, 4, 1), {.opcode = IBA_RC_WRITE_ONLY, .psn = 2, .bytes = 8, .dma = 8}, SEND(3)}},
    {K(CREDIT_STALL), {SEND(1), REFUSE(1, 0, 1), SEND(2), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 2, .syndrome = 2, .msn = 2, .wait = 3 * MS}, SEND(3), SEND(4)}},
    {0, {SEND(1), REFUSE(1, 0, 1), SEND(2), REFUSE(2, 0, 2), SEND(3), REFUSE(3, ACK, 3), SEND(4), SEND(5), REPLY(5, 5)}},
    {K(MSN_WRONG), {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .wait = 20 * MS}, REPLY(2, 1)}},
    {0, {SEND(1), REPLY(1, 0x2003), SEND(2), REPLY(2, 0x2003), SEND(3), REPLY(3, 0x2003), SEND(4), REPLY(4, 0x2004)}},
    {K(RNR) | K(NETWORK_COPY), {ASK(1), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 1, .syndrome = RNR, .wait = 1}, {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = 1}}},
    {K(MSN_WRONG), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 3)}},
    {K(SILENCE) | K(RETRY_TIMEOUT), {ASK(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = 70 * MS}}},
    {K(SILENCE) | K(RETRY_TIMEOUT), {SEND(0), REPLY(0, 0), ASK(1), SEVEN_LATER(1)}},
    {K(SILENCE) | K(RETRY_TIMEOUT) | K(RETRY_LIMIT), {SEND(0), REPLY(0, 0), ASK(1), SEVEN_LATER(1), LATER(1), LATER(1)}},
    {K(END_REFUSED), {{.opcode = IBA_UD_SEND_ONLY, .psn = 1, .bytes = 8, .how = REFUSING}}},
    {K(NAK_ACCESS) | K(SILENCE) | K(RETRY_TIMEOUT) | K(END_RETRIES), {ASK(1), REFUSE(1, NAK + 2, 0), SEVEN_LATER(1), MUCH_LATER}},
    {K(NAK_ACCESS) | K(END_NAK), {ASK(1), REFUSE(1, NAK + 2, 0), {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 9, .bytes = 8, .wait = 20 * MS}}},
    /* the NAK was lost after the capture point: the requester's timer goes on */
    {K(NAK_ACCESS) | K(RETRY_TIMEOUT) | K(END_RETRIES) | K(SILENCE), {ASK(1), REFUSE(1, NAK + 2, 0), SOON(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = ASKING, .wait = 4 * MS}, {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 50, .bytes = 8, .wait = 20 * MS}}},
    {K(SILENCE) | K(RETRY_TIMEOUT) | K(END_RETRIES), {SEND(0), REPLY(0, 0), ASK(1), SEVEN_LATER(1), MUCH_LATER}},
    {K(SILENCE) | K(RETRY_TIMEOUT) | K(END_RETRIES), {SEND(0), REPLY(0, 0), ASK(1), LATER(1), {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 9, .bytes = 8, .wait = 400 * MS}}},
    {K(RNR) | K(RETRY_RNR) | K(END_RNR), {ASK(1), REFUSE(1, RNR, 0), SOON(1), REFUSE(1, RNR, 0), {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 9, .bytes = 8, .wait = 2000 * MS}}},
    {K(RNR) | K(RETRY_RNR), {ASK(1), REFUSE(1, RNR, 0), SOON(1), REFUSE(1, RNR, 0), {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 9, .bytes = 8, .wait = 200 * MS}}},
    {K(QP_REUSED), {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 5000, .bytes = 8, .wait = 2000 * MS}, REPLY(5000, 1)}},
    {K(QP_REUSED), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), {.opcode = IBA_RC_SEND_ONLY, .psn = 7, .bytes = 8, .how = STRANGER, .wait = 2000 * MS}}},
    {K(QP_REUSED), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), ANOTHER(500), REPLY(500, 1), ANOTHER(501), REPLY(501, 2)}},
    {K(QP_REUSED), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), ANOTHER(1), REPLY(1, 1), ANOTHER(2), REPLY(2, 2)}},
    {K(QP_REUSED), {SEND(1), REPLY(1, 1), LATER(2), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 2, .syndrome = ACK, .msn = 1, .how = OTHER_QP}, SEND(3), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 3, .syndrome = ACK, .msn = 2, .how = OTHER_QP}}},
    {K(ACK_AGAIN), {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_QP}, REPLY(1, 2)}},
    {0, {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 5000, .bytes = 8, .how = MADE}, REPLY(5000, 1)}},
    {0, {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = MADE}, REPLY(2, 2)}},
    {K(QP_REUSED), {{.opcode = IBA_UD_SEND_ONLY, .psn = 1, .bytes = 8, .how = GIVING}}},
    {K(MAD_PKEY), {{.opcode = IBA_UD_SEND_ONLY, .psn = 1, .bytes = 8, .how = ANSWERING}}},
    {K(SEQUENCE), {{.opcode = IBA_RC_SEND_FIRST, .psn = 1, .bytes = 256}, SEND(2)}},
    {K(SEQUENCE), {SEND(1), {.opcode = IBA_RC_SEND_LAST, .psn = 2, .bytes = 8}}},
    /* nothing continues a request that is a message by itself, and only packets of its own kind continue a message that began */
    {K(SEQUENCE), {READ(1, 8), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_SEND_LAST, .psn = 2, .bytes = 8}}},
    {K(SEQUENCE), {READ(1, 8), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_WRITE_LAST, .psn = 2, .bytes = 8}}},
    {K(SEQUENCE), {WRITE(1), REPLY(1, 1), {.opcode = IBA_RC_WRITE_MIDDLE, .psn = 2, .bytes = 256}}},
    {K(SEQUENCE), {{.opcode = IBA_RC_SEND_FIRST, .psn = 1, .bytes = 256}, {.opcode = IBA_RC_WRITE_LAST, .psn = 2, .bytes = 8}}},
    {K(SEQUENCE), {{.opcode = IBA_RC_WRITE_FIRST, .psn = 1, .bytes = 256, .dma = 264}, {.opcode = IBA_RC_SEND_LAST, .psn = 2, .bytes = 8}}},
    {0, {{.opcode = IBA_RC_SEND_FIRST, .psn = 1, .bytes = 256}, {.opcode = IBA_RC_SEND_MIDDLE, .psn = 2, .bytes = 256}, {.opcode = IBA_RC_SEND_LAST, .psn = 3, .bytes = 8}, REPLY(3, 1)}},
    {K(ANSWER_KIND), {SEND(1), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1}}},
    {K(ANSWER_KIND), {READ(1, 8), {.opcode = IBA_RC_ATOMIC_ACKNOWLEDGE, .from = B, .psn = 1, .syndrome = ACK, .msn = 1}}},
    {K(ANSWER_SEQUENCE), {READ(1, 512), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256}}},
    {K(ANSWER_LENGTH), {READ(1, 8), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 12, .syndrome = ACK, .msn = 1}}},
    /* the path MTU is not known: the READ may have one response or two */
    {0, {READ(1, 264), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 264, .syndrome = ACK, .msn = 1}}},
    /* the first packet of a direction is overtaken by no other, and the next one is */
    {0, {READ(1, 8), READ(2, 8), SEND(3), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 3, .syndrome = ACK, .msn = 3, .wait = 100}, {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 2, .bytes = 8, .syndrome = ACK, .msn = 2, .wait = 100}}},
    /* answers that were overtaken, and fill what was jumped over: no loss. The first packet of a direction, ... */
    {0, {READ(1, 8), SEND(2), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 2, .syndrome = ACK, .msn = 2}, {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1, .wait = 100}, SEND(3), REPLY(3, 3)}},
    /* ... more than three in a row, where others were overtaken before, ... */
    {0, {SEND(0), REPLY(0, 0), READ(1, 8), SEND(2), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 2, .syndrome = ACK, .msn = 2}, {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1, .wait = 100}, SEND(3),
         READ(4, 1536), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 4, .bytes = 256, .syndrome = ACK, .msn = 4}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 9, .bytes = 256, .syndrome = ACK, .msn = 4, .wait = 100}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 5, .bytes = 256, .wait = 100},
         {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 6, .bytes = 256, .wait = 100}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 7, .bytes = 256, .wait = 100}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 8, .bytes = 256, .wait = 100}, SEND(10), REPLY(10, 5)}},
    /* ... while the requester goes on with new requests, ... */
    {0, {SEND(0), REPLY(0, 0), READ(1, 8), READ(2, 8), SEND(3), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 3, .syndrome = ACK, .msn = 3}, {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1, .wait = 100}, HASTY(4, 2), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 2, .bytes = 8, .syndrome = ACK, .msn = 2, .wait = 100}, SEND(5), REPLY(5, 5)}},
    /* ... but for a READ that asks for what is missing: it was sent before the capture */
    {K(RESPONSE_GAP) | K(ANSWER_AGAIN), {{.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 50, .bytes = 8, .how = ASKING}, {.opcode = IBA_RC_ACKNOWLEDGE, .psn = 50, .syndrome = ACK, .msn = 1, .wait = 10000},
         {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1, .wait = 100}, READ(2, 344), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 2, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1, .wait = 100}, SEND(4), REPLY(4, 2)}},
    /* a READ that was overtaken was sent once: its answer is missing */
    {K(ANSWER_MISSING), {SEND(0), REPLY(0, 0), SEND(2), {.opcode = IBA_RC_READ_REQUEST, .psn = 1, .dma = 8, .wait = 100}, REPLY(2, 2)}},
    /* a late acknowledgement is not the answer that was missing */
    {K(ANSWER_MISSING) | K(LATE) | K(RETRY_IMPLIED), {SEND(0), REPLY(0, 0), READ(1, 8), SEND(2), SEND(3), REPLY(3, 3), {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 2, .syndrome = ACK, .msn = 2, .wait = 100}, READ(1, 8)}},
    /* the first response in the capture jumps over the First */
    {K(RESPONSE_GAP), {READ(1, 600), {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}}},
    /* the responder answered the READ before it came again, and had kept it: the NAK before is not the reason */
    {K(NAK_SEQUENCE) | K(GAP) | K(RETRY_NAK) | K(RETRY_IMPLIED), {SEND(0), REPLY(0, 0), SEND(2), READ(3, 8), REFUSE(1, NAK, 0), SEND(1), REPLY(2, 2), {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = 3, .bytes = 8, .syndrome = ACK, .msn = 3, .wait = 100}, READ(3, 8)}},
    /* retransmissions go on after a late packet between them */
    {K(REORDERED) | K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(0), REPLY(0, 0), SEND(2), AT_ONCE(1), REPLY(2, 2), SEND(4), AT_ONCE(3), REPLY(4, 4), SEND(5), AT_ONCE(6), AT_ONCE(7), AT_ONCE(8), REFUSE(5, NAK, 4), SEND(5), AT_ONCE(7), AT_ONCE(6), AT_ONCE(8), REPLY(8, 8)}},
    /* the repeated answer's Last overtakes its First: it has come before, and nothing shows that it is late */
    {K(REORDERED) | K(RESPONSE_GAP) | K(RETRY_IMPLIED) | K(ANSWER_AGAIN), {SEND(0), REPLY(0, 0), SEND(2), AT_ONCE(1), SEND(4), AT_ONCE(3), SEND(6), AT_ONCE(5), REPLY(6, 6), READ(7, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 7, .bytes = 256, .syndrome = ACK, .msn = 7}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 9, .bytes = 88, .syndrome = ACK, .msn = 7, .wait = 100}, READ(8, 344), {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 9, .bytes = 88, .syndrome = ACK, .msn = 7}, {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 8, .bytes = 256, .syndrome = ACK, .msn = 7, .wait = 100}, SEND(10), REPLY(10, 8)}},
    /* the capture begins between two packets that overtake each other: the receiver takes them, or asks for them */
    {0, {SEND(2), AT_ONCE(1), REPLY(2, 2), SEND(3), REPLY(3, 3)}},
    {K(LATE) | K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(2), AT_ONCE(1), REFUSE(1, NAK, 0), SEND(1), SEND(2), REPLY(2, 2)}},
    {K(LENGTH), {{.opcode = IBA_RC_FETCH_ADD, .psn = 1}, {.opcode = IBA_RC_ATOMIC_ACKNOWLEDGE, .from = B, .psn = 1, .bytes = 8, .syndrome = ACK, .msn = 1}}},
    {K(PSN_OF_READ), {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1},
         {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256}, {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}, SEND(3)}},
    {K(SERVICE), {SEND(1), REPLY(1, 1), {.opcode = IBA_UC_SEND_ONLY, .psn = 2, .bytes = 8}, SEND(2), REPLY(2, 2)}},
    {K(OPCODE_RESERVED), {SEND(1), {.opcode = 0x15, .psn = 2}}},
    {K(OPCODE_RESERVED), {SEND(1), REPLY(1, 1), {.opcode = 0x82}, {.opcode = 0x9f}, SEND(2), REPLY(2, 2)}},
    {K(OPCODE_VENDOR), {SEND(1), REPLY(1, 1), {.opcode = 0xc0}, SEND(2), REPLY(2, 2), {.opcode = 0xff}, SEND(3), REPLY(3, 3)}},
    {K(OPCODE_RESERVED) | K(NETWORK_COPY), {SEND(1), REPLY(1, 1), {.opcode = 0x15, .psn = 2}, {.opcode = 0x15, .psn = 2}}},
    {K(LENGTH), {{.opcode = IBA_RC_SEND_FIRST, .psn = 1, .bytes = 252}}},
    {K(LENGTH), {{.opcode = IBA_RC_SEND_FIRST, .psn = 1, .bytes = 256}, {.opcode = IBA_RC_SEND_LAST, .psn = 2}}},
    {K(DMA_LENGTH), {{.opcode = IBA_RC_WRITE_ONLY, .psn = 1, .bytes = 8, .dma = 9}}},
    {K(MALFORMED), {SEND(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .how = BAD_PAD}}},
    {K(BAD_ICRC), {SEND(1), SPOILT(2)}},
    {K(BAD_ICRC) | K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), REPLY(1, 1), SPOILT(2), SPOILT(3), SEND(4), REFUSE(2, NAK, 1), SEND(2), SEND(3), SEND(4), REPLY(4, 4)}},
    {K(BAD_ICRC) | K(GAP) | K(NAK_SEQUENCE) | K(RETRY_NAK), {SEND(1), REPLY(1, 1), SPOILT(3), SEND(4), REFUSE(2, NAK, 1), SEND(2), SEND(3), SEND(4), REPLY(4, 4)}},
    {K(BAD_ICRC) | K(RETRY_TIMEOUT), {SEND(1), REPLY(1, 1), SEND(2), SEND(3), SPOILT(4), LATER(2), SPOILT(3), SPOILT(4), SEND(5), REPLY(2, 2)}},
    {K(BAD_ICRC) | K(GAP), {SEND(0), AT_ONCE(1), REPLY(1, 1), SPOILT(3), LATER(2), SEND(4)}},
    {K(BAD_ICRC), {READ(1, 600), {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = 1, .bytes = 256, .syndrome = ACK, .msn = 1}, {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = 2, .bytes = 256, .how = DAMAGED},
         {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = 3, .bytes = 88, .syndrome = ACK, .msn = 1}}},
    {K(BAD_ICRC), {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_READ_REQUEST, .psn = 2, .dma = 600, .how = DAMAGED}, SEND(5)}},
    /* damaged packets explain each PSN of the jump, or it is a gap: a READ those up to the next packet, another one its own */
    {K(BAD_ICRC), {SEND(1), REPLY(1, 1), SPOILT(2), SPOILT(3), SPOILT(4), SEND(5)}},
    {K(BAD_ICRC) | K(GAP), {SEND(0), AT_ONCE(1), REPLY(1, 1), SPOILT(2), SEND(4)}},
    {K(BAD_ICRC) | K(GAP), {SEND(0), AT_ONCE(1), REPLY(1, 1), SPOILT(2), SPOILT(4), SEND(5)}},
    {K(BAD_ICRC) | K(GAP), {SEND(0), AT_ONCE(1), REPLY(1, 1), {.opcode = IBA_RC_READ_REQUEST, .psn = 2, .dma = 600, .how = DAMAGED}, SPOILT(4), SEND(6)}},
    {K(BAD_ICRC), {SEND(1), REPLY(1, 1), SPOILT(2), {.opcode = IBA_RC_READ_REQUEST, .psn = 3, .dma = 600, .how = DAMAGED}, SEND(6)}},
    {K(PKEY), {SEND(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = OTHER_PKEY}}},
    {K(QKEY), {{.opcode = IBA_UD_SEND_ONLY, .psn = 1, .bytes = 8}, {.opcode = IBA_UD_SEND_ONLY, .psn = 2, .bytes = 8, .how = OTHER_QKEY}}},
    {K(SPOOF), {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = STRANGER}}},
    {K(PATH_CHANGED), {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = OTHER_PORT}, REPLY(2, 2)}},
    {K(PATH_CHANGED), {SEND(1), REPLY(1, 1), {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = FARTHER}, REPLY(2, 2)}},
    {0, {{.opcode = IBA_UD_SEND_ONLY, .psn = 1, .bytes = 8}, {.opcode = IBA_UD_SEND_ONLY, .psn = 2, .bytes = 8, .how = FARTHER}}},
    {K(CNP), {{.opcode = 0x81, .psn = 1}}},
    {K(ECN), {{.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = MARKED}}},
    {K(GAP), {{.opcode = IBA_UC_SEND_ONLY, .psn = 1, .bytes = 8}, {.opcode = IBA_UC_SEND_ONLY, .psn = 3, .bytes = 8}}},
    {K(LATE), {{.opcode = IBA_UC_SEND_ONLY, .psn = 2, .bytes = 8}, {.opcode = IBA_UC_SEND_ONLY, .psn = 1, .bytes = 8}}},
    {K(SEQUENCE), {{.opcode = IBA_UC_SEND_FIRST, .psn = 1, .bytes = 256}, {.opcode = IBA_UC_SEND_ONLY, .psn = 2, .bytes = 8}}},
};
/* clang-format on */
enum { N_ROWS = sizeof rows / sizeof *rows };

static inline bool row_has(const struct row *row, unsigned i)
{
    return i < MOST && (row->shot[i].opcode || row->shot[i].bytes);
}
#endif
