/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of finding, caused by a few packets. Each row of the table has its case, and no case causes other
 * findings. */
#include "shots.h"

/* The kinds from CM_VERSION on have a test of their own: the observer reports what it is given. */
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

static uint64_t play(struct witness *w, const struct row *row, uint32_t base)
{
    iba_time now = MS;
    uint64_t kinds = 0;

    witness_init(w, NULL);
    for (unsigned i = 0; i < MOST && (row->shot[i].opcode || row->shot[i].bytes); i++)
        shoot(w, &row->shot[i], base, &now);
    iba_observer_end(w->observer, now + MS);
    for (unsigned k = 0; k < MASKED; k++)
        kinds |= (uint64_t)(w->found[k] > 0) << k;
    for (unsigned k = MASKED; k < IBA_FINDING_COUNT; k++)
        cr_expect_eq(w->found[k], 0, "%s is found", iba_findings[k].name);
    return kinds;
}

static void differ(unsigned row, uint64_t found)
{
    for (unsigned k = 0; k < MASKED; k++)
        if ((found ^ rows[row].kinds) >> k & 1)
            cr_expect_fail("row %u: %s is %s", row, iba_findings[k].name, found >> k & 1 ? "found" : "not found");
}

/* Plays the case at every start PSN, including those where PSN and MSN wrap during the case. */
Test(rows, each_case_finds_what_it_shows)
{
    static const uint32_t base[] = {0, 0x1000, 0x7ffffe, 0xfffffd, 0xffffff};
    static struct witness w;

    for (unsigned b = 0; b < sizeof base / sizeof *base; b++)
        for (unsigned i = 0; i < N_ROWS; i++)
            differ(i, play(&w, &rows[i], base[b]));
}

Test(rows, each_finding_has_a_case)
{
    uint64_t shown = K(EVICTED) | K(BAD_VCRC); /* these have their own tests below */

    for (unsigned i = 0; i < N_ROWS; i++)
        shown |= rows[i].kinds;
    for (unsigned k = 0; k < MASKED; k++)
        cr_assert(shown >> k & 1, "finding %s has no case in core/observer/test/rows.c", iba_findings[k].name);
}

/* Several findings of one datagram, each with its cause. */
Test(rows, each_finding_of_connection_management_is_reported_as_given)
{
    static struct witness w;

    for (unsigned k = MASKED; k < IBA_FINDING_COUNT; k++) {
        const struct shot x = {.opcode = IBA_UD_SEND_ONLY, .psn = 1, .bytes = 8};
        const struct iba_cm_facts facts = {
            .n = 2,
            .said = {{.kind = (uint8_t)k, .count = 3, .cause = {.frame = 7}, .wait_ns = 5},
                     {.kind = IBA_FINDING_END_REFUSED}}};
        iba_time now = MS;
        witness_init(&w, NULL);
        shoot_with(&w, &x, 0, &now, &facts);
        iba_observer_end(w.observer, now + MS);
        cr_assert_eq(w.n_kept, 2, "%s", iba_findings[k].name);
        cr_assert(w.kept[0].kind == k && w.kept[0].count == 3 && w.kept[0].cause == 7 && w.kept[0].wait_ns == 5);
        cr_assert_eq(w.kept[1].kind, IBA_FINDING_END_REFUSED);
    }
}

Test(rows, findings_are_told_apart_and_cited)
{
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++) {
        const struct iba_finding_info *f = &iba_findings[k];
        cr_assert(*f->name && *f->field && *f->sentence && *f->clause,
                  "finding %u, '%s', of core/observer/iba_finding_kinds.h lacks its name, field, sentence or clause", k,
                  f->name);
        cr_assert(f->severity >= IBA_NOTE && f->severity <= IBA_ERROR, "finding %s has no severity", f->name);
        for (unsigned i = 0; i < k; i++) {
            cr_assert_str_neq(f->name, iba_findings[i].name, "two findings are named %s", f->name);
            cr_assert_str_neq(f->sentence, iba_findings[i].sentence, "findings %s and %s have one sentence", f->name,
                              iba_findings[i].name);
        }
    }
}

/* More connections than the observer remembers. It forgets the one that was unused longest, and reports that. */
Test(rows, connections_are_bounded)
{
    static struct witness w;
    iba_time now = 0;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < 10 * WITNESS_FLOWS; i++) {
        struct shot x = SEND(i);
        x.opcode = IBA_RC_SEND_ONLY;
        x.from = i % 2 ? B : A;
        now += 1000;
        static struct iba_recipe r;
        uint8_t packet[CAP];
        struct iba_view v;
        size_t len;
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x.opcode);
        iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), 0x100 + i);
        cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
        iba_view_check(&v);
        const struct iba_sighting one = {.view = &v, .now = now, .frame = i + 1};
        const struct iba_flow *f = iba_observer_feed(w.observer, &one)->flow;
        cr_assert_eq(iba_flow_key(f)->qpn, 0x100 + i);
        cr_assert_eq(iba_flow_counts(f).packets, 1);
    }
    cr_assert_eq(w.observer->n, WITNESS_FLOWS);
    cr_assert_eq(w.observer->evicted, 9 * WITNESS_FLOWS);
    cr_assert_eq(w.found[IBA_FINDING_EVICTED], 9 * WITNESS_FLOWS);
    cr_assert_eq(w.kept[0].cause, 1, "the first is the one unused longest");
}

/* Tests of facts that the table does not cover: which packet a finding is about, and the contents of the finding. */
Test(rows, findings_name_their_packet)
{
    static struct witness w;
    static const struct {
        enum iba_finding_kind kind;
        uint64_t frame, cause;
        uint32_t psn, count;
        struct shot shot[8];
    } cases[] = {
        {IBA_FINDING_SERVICE,
         3,
         1,
         7,
         0,
         {SEND(1), REPLY(1, 1), {.opcode = IBA_UC_SEND_ONLY, .psn = 7, .bytes = 8}, SEND(2), REPLY(2, 2)}},
        {IBA_FINDING_NAK_IGNORED, 4, 5, 2, 0, {SEND(1), REPLY(1, 1), SEND(3), REFUSE(2, NAK, 1), LATER(2)}},
        {IBA_FINDING_RETRY_PAYLOAD,
         2,
         1,
         1,
         IBA_COPY_UNKNOWN,
         {SEND(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_BYTES, .wait = 70 * MS}}},
        {IBA_FINDING_RETRY_PAYLOAD,
         3,
         1,
         1,
         IBA_COPY_ARRIVED,
         {SEND(1),
          REPLY(1, 1),
          {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_BYTES, .wait = 70 * MS}}},
        {IBA_FINDING_RETRY_PAYLOAD,
         5,
         3,
         2,
         IBA_COPY_LOST,
         {SEND(1),
          REPLY(1, 1),
          SEND(2),
          REFUSE(2, NAK, 1),
          {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = OTHER_BYTES}}},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        iba_time now = MS;
        bool found = false;
        witness_init(&w, NULL);
        for (unsigned k = 0; k < 8 && cases[i].shot[k].opcode; k++)
            shoot(&w, &cases[i].shot[k], 0, &now);
        for (size_t k = 0; k < w.n_kept; k++) {
            const struct iba_finding *f = &w.kept[k];
            found |= f->kind == cases[i].kind && f->frame == cases[i].frame && f->cause == cases[i].cause &&
                     f->psn.v == cases[i].psn && f->count == cases[i].count;
        }
        cr_expect(found, "case %u: %s", i, iba_findings[cases[i].kind].name);
    }
}

/* The capture shows ever more messages, and the MSN counts none of them. */
Test(rows, each_wrong_count_is_told)
{
    static struct witness w;

    for (uint32_t before = 0; before <= 8; before += 8) {
        iba_time now = MS;
        witness_init(&w, NULL);
        for (uint32_t psn = 1; psn <= before + 8; psn++) {
            shoot(&w, &(struct shot)SEND(psn), 0, &now);
            shoot(&w, &(struct shot)REPLY(psn, psn <= before ? psn : 0), 0, &now);
        }
        cr_expect_eq(w.found[IBA_FINDING_MSN_WRONG], before ? 8 : 7); /* a single response does not show a wrong MSN */
    }
}

/* The same packets at two capture points count as one conversation. */
Test(rows, a_packet_seen_twice_is_one)
{
    static struct witness w;
    static const struct shot shots[] = {
        SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), {.opcode = IBA_RC_SEND_ONLY, .psn = 3, .bytes = 8, .how = DAMAGED}};
    iba_time now = MS;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < 2 * sizeof shots / sizeof *shots; i++) {
        static struct iba_recipe r;
        uint8_t payload[8] = {0}, packet[CAP];
        struct iba_view v;
        size_t len;
        const struct shot *x = &shots[i / 2];
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x->opcode);
        address(&r, x);
        headers(&r, x, 0);
        r.payload = payload;
        r.payload_len = x->bytes;
        r.icrc_mode = x->how == DAMAGED ? IBA_CRC_BAD : IBA_CRC_GOOD;
        cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
        now += 5000;
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
        iba_view_check(&v);
        (void)iba_observer_feed(w.observer,
                                &(struct iba_sighting){.view = &v, .now = now, .frame = 1 + i / 2, .source = i % 2});
    }
    cr_assert_eq(witness_count(&w, IBA_NOTE), 1);
    cr_assert_eq(w.found[IBA_FINDING_BAD_ICRC], 1);
    cr_assert_eq(w.observer->seen_twice, 5);
    cr_assert_eq(w.observer->seen.same_as, 5);
}

Test(rows, a_path_mtu_that_is_told_is_believed)
{
    static struct witness w;
    static const struct shot first = {.opcode = IBA_RC_SEND_FIRST, .psn = 1, .bytes = 256};

    for (uint32_t mtu = 256; mtu <= 512; mtu *= 2) {
        iba_time now = MS;
        witness_init(&w, &(struct iba_observer_config){.pmtu = mtu});
        shoot(&w, &first, 0, &now);
        cr_assert_eq(w.observer->flow[0].pmtu, mtu);
        cr_assert_eq(w.found[IBA_FINDING_LENGTH], mtu != 256);
    }
}

/* Which marked packet the notification answers, the time since that packet, and the time since the previous
 * notification. */
Test(rows, notifications_answer_marked_packets)
{
    static struct witness w;
    static const struct shot shots[] = {SEND(1),
                                        REPLY(1, 1),
                                        {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = MARKED},
                                        {.opcode = IBA_RC_SEND_ONLY, .psn = 3, .bytes = 8, .how = MARKED},
                                        {.opcode = 0x81, .from = B},
                                        {.opcode = 0x81, .from = B, .wait = 50000},
                                        {.opcode = IBA_RC_SEND_ONLY, .psn = 4, .bytes = 8, .how = MARKED},
                                        {.opcode = 0x81, .from = B}};
    static const struct {
        uint64_t cause, wait, since;
    } want[] = {{3, 20000, 0}, {0, 0, 50}, {7, 10000, 20}};
    iba_time now = MS;
    unsigned n = 0;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < sizeof shots / sizeof *shots; i++)
        shoot(&w, &shots[i], 0, &now);
    for (size_t i = 0; i < w.n_kept; i++) {
        const struct iba_finding *f = &w.kept[i];
        if (f->kind != IBA_FINDING_CNP)
            continue;
        cr_assert_lt(n, 3);
        cr_assert_eq(f->cause, want[n].cause);
        cr_assert_eq(f->wait_ns, want[n].wait);
        cr_assert_eq(f->count, want[n].since);
        n++;
    }
    cr_assert_eq(n, 3);
}

/* A sender that changes its path with each packet is reported only a few times. */
Test(rows, a_way_that_changes_all_the_time)
{
    static struct witness w;
    iba_time now = MS;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < 40; i++) {
        struct shot x = SEND(i);
        x.how = i % 2 ? FARTHER : PLAIN;
        shoot(&w, &x, 0, &now);
    }
    cr_assert_eq(w.found[IBA_FINDING_PATH_CHANGED], IBA_OBS_ROUTES);
    cr_assert_eq(w.kept[0].count, 1u << IBA_PATH_HOPS);
    cr_assert_eq(w.kept[0].cause, 1);
}

/* Writes a SEND of 8 bytes into `packet`, which has CAP bytes; returns its length. */
static size_t build_send(uint8_t *packet, enum iba_encap encap, bool bad_vcrc)
{
    static struct iba_recipe r;
    static uint8_t payload[8];
    size_t len;

    iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
    r.payload = payload;
    r.payload_len = sizeof payload;
    r.vcrc_mode = bad_vcrc ? IBA_CRC_BAD : IBA_CRC_GOOD;
    cr_assert_eq(iba_build(&r, packet, CAP, &len), IBA_OK);
    return len;
}

/* The packet belongs to no known direction. */
Test(rows, damage_before_the_bth_is_told)
{
    static struct witness w;
    uint8_t packet[CAP];
    struct iba_view v;
    const size_t len = build_send(packet, IBA_ENCAP_ROCE1, false);

    witness_init(&w, NULL);
    packet[IBA_BYTES_eth + IBA_AT_grh_nxthdr / 8] ^= 1;
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
    iba_view_check(&v);
    cr_assert_null(iba_observer_feed(w.observer, &(struct iba_sighting){.view = &v, .now = MS, .frame = 1})->flow);
    cr_assert_eq(w.found[IBA_FINDING_MALFORMED], 1);
    cr_assert_null(w.kept[0].flow);
    cr_assert(w.kept[0].no_psn);
    cr_assert_eq(witness_count(&w, IBA_NOTE), 1);
}

/* The ICRC may be good although the VCRC is bad: it does not cover fields that switches change. */
Test(rows, a_bad_vcrc_is_damage)
{
    static struct witness w;
    uint8_t packet[CAP];
    struct iba_view v;
    const size_t len = build_send(packet, IBA_ENCAP_IB_LOCAL, true);

    witness_init(&w, NULL);
    (void)iba_view_parse(&v, IBA_LINK_IB, packet, len, len, NULL);
    iba_view_check(&v);
    cr_assert_eq(v.icrc, IBA_CHECK_GOOD);
    (void)iba_observer_feed(w.observer, &(struct iba_sighting){.view = &v, .now = MS, .frame = 1});
    cr_assert_eq(w.found[IBA_FINDING_BAD_VCRC], 1);
    cr_assert_eq(witness_count(&w, IBA_NOTE), 1);
}

/* When a direction continues with another P_Key, that is its P_Key: its first packet may have been damaged without an
 * ICRC to show it. */
Test(rows, the_second_of_another_partition_is_the_last_to_be_told)
{
    static struct witness w;
    iba_time now = 0;

    witness_init(&w, NULL);
    shoot(&w, &(struct shot)SEND(1), 0, &now);
    for (uint32_t psn = 2; psn < 9; psn++)
        shoot(&w, &(struct shot){.opcode = IBA_RC_SEND_ONLY, .psn = psn, .bytes = 8, .how = OTHER_PKEY}, 0, &now);
    cr_assert_eq(w.found[IBA_FINDING_PKEY], 2);
}

/* The packet is far ahead of all that follow, so it was damaged without an ICRC to show it. */
Test(rows, a_first_request_that_is_far_off_is_forgotten)
{
    static struct witness w;
    iba_time now = 0;

    witness_init(&w, NULL);
    shoot(&w, &(struct shot)SEND(0x80000), 0, &now);
    for (uint32_t psn = 1; psn < 9; psn++) {
        shoot(&w, &(struct shot)SEND(psn), 0, &now);
        shoot(&w, &(struct shot)REPLY(psn, psn), 0, &now);
    }
    cr_assert_eq(witness_count(&w, IBA_NOTE), 0);
}

/* A retransmission of a request that is no longer remembered does not displace a newer request: that one came. */
Test(rows, an_old_request_displaces_no_newer_one)
{
    enum { LATEST = IBA_OBSERVER_WINDOW + 12 };
    static struct witness w;
    iba_time now = MS;

    witness_init(&w, NULL);
    for (uint32_t psn = 0; psn <= LATEST; psn++)
        shoot(&w, &(struct shot){.opcode = IBA_RC_SEND_ONLY, .psn = psn, .bytes = 8, .wait = 100}, 0, &now);
    shoot(&w, &(struct shot)LATER(5), 0, &now);
    shoot(&w, &(struct shot)REPLY(LATEST, LATEST), 0, &now);
    cr_expect_eq(w.found[IBA_FINDING_RETRY_TIMEOUT], 1);
    cr_expect_eq(w.found[IBA_FINDING_NOT_CAPTURED], 0);
}
