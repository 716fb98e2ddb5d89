/* SPDX-License-Identifier: BSD-2-Clause */
/* A talk for each row of the observer's decision tables. The row decides its last packet. decisions.c plays them as
 * they stand, edges.c with other times and PSNs. */
#ifndef OBSERVER_TEST_DECISIONS_H
#define OBSERVER_TEST_DECISIONS_H
#include "shots.h"

/* clang-format off */
#define SENT(n, ns)       {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .wait = ns}
#define COUNTED(n, count) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .id = count}
#define NUMBERED(n, count) {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = n, .bytes = 8, .syndrome = ACK, .id = count}
#define LONG_READ(n, ns)  {.opcode = IBA_RC_READ_REQUEST, .psn = n, .dma = 600, .wait = ns}
#define SHORT_READ(n, ns) {.opcode = IBA_RC_READ_REQUEST, .psn = n, .dma = 8, .wait = ns}
#define ACKED(n, ns)      {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = ACK, .wait = ns}
#define NUMBERED_ACK(n, count) {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = ACK, .id = count}
#define COUNTING(n, count, ns) {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = ACK, .msn = count, .wait = ns}
#define NAKED(n, ns)      {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = NAK, .wait = ns}
#define REFUSED(n, ns)    {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = RNR, .wait = ns}
#define FIRST(n, ns)      {.opcode = IBA_RC_READ_RESP_FIRST, .from = B, .psn = n, .bytes = 256, .syndrome = ACK, .wait = ns}
#define MIDDLE(n, ns)     {.opcode = IBA_RC_READ_RESP_MIDDLE, .from = B, .psn = n, .bytes = 256, .wait = ns}
#define LAST(n, ns)       {.opcode = IBA_RC_READ_RESP_LAST, .from = B, .psn = n, .bytes = 88, .syndrome = ACK, .wait = ns}
#define ONLY(n, ns)       {.opcode = IBA_RC_READ_RESP_ONLY, .from = B, .psn = n, .bytes = 8, .syndrome = ACK, .wait = ns}
/* A round trip for A: it answers B after 30 us. */
#define ROUND_TRIP        {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 50, .bytes = 8, .how = ASKING}, \
                          {.opcode = IBA_RC_ACKNOWLEDGE, .psn = 50, .syndrome = ACK, .wait = 30000}

static const struct decided {
    const char *row;
    struct shot shot[MOST];
} cases[] = {
    {"why.nak", {LONG_READ(7, 0), NAKED(5, 0), SENT(7, 0)}},
    {"why.timer_in_wait", {SENT(7, 0), REFUSED(7, 0), SENT(7, 0), SENT(7, 300000), REFUSED(7, 0), SENT(7, 300000)}},
    {"why.rnr_nak", {LONG_READ(8, 0), REFUSED(7, 0), SENT(7, 0)}},
    {"why.answer_missing", {SHORT_READ(2, 0), ACKED(2, 0), SHORT_READ(2, 0)}},
    {"why.timer", {SENT(2, 0), SENT(2, 70000000)}},
    {"why.nak_held_back", {SHORT_READ(2, 0), SENT(3, 0), SENT(4, 0), SENT(5, 0), NAKED(4, 0), SHORT_READ(2, 70000000), ONLY(2, 5000), SENT(4, 5000)}},
    {"why.adaptive_timer", {SENT(7, 0), REFUSED(7, 0), SENT(7, 0), SENT(7, 300000)}},
    {"why.nak_copied", {SENT(6, 0), NAKED(7, 0), SENT(7, 0), SENT(7, 0)}},
    {"why.read_before_capture", {ROUND_TRIP, SENT(6, 0), SHORT_READ(5, 30000)}},
    {"why.answer_lost", {LONG_READ(8, 0), SENT(8, 0)}},
    {"why.unclear", {SENT(6, 0), ASK(6)}},
    {"late.no_gap", {SENT(6, 0), ASK(6)}},
    {"late.newer_identification", {COUNTED(2, 105), COUNTED(8, 106), COUNTED(6, 108)}},
    {"late.rest_of_read", {SENT(8, 0), LONG_READ(5, 0), SENT(8, 0), SHORT_READ(6, 0)}},
    {"late.far_ahead", {SENT(40, 0), SENT(42, 0), SENT(10, 500), SENT(11, 50), SENT(12, 50), SENT(13, 50), SENT(41, 50)}},
    {"late.in_sequence", {SHORT_READ(4, 0), SHORT_READ(8, 0), SHORT_READ(4, 0), SHORT_READ(5, 0)}},
    {"late.after_timer", {LONG_READ(7, 0), NAKED(5, 0), LONG_READ(5, 2000000)}},
    {"late.had_time", {LONG_READ(1, 0), LONG_READ(5, 0), SENT(4, 0)}},
    {"late.asked_for", {ROUND_TRIP, SHORT_READ(2, 0), LAST(3, 0), SENT(6, 300000), SHORT_READ(8, 0), SENT(7, 0)}},
    {"late.run_lost_some", {ROUND_TRIP, SENT(3, 0), SENT(6, 0), SENT(2, 0), SHORT_READ(4, 0)}},
    {"late.after_many", {ROUND_TRIP, SENT(1, 0), SENT(8, 0), SENT(2, 1000), SENT(3, 1000), SENT(4, 1000), SENT(5, 1000)}},
    {"late.shorter_round_trip", {ROUND_TRIP, SENT(1, 0), SENT(3, 0), NAKED(2, 1000), SENT(2, 20000)}},
    {"late.too_soon", {ROUND_TRIP, SENT(3, 0), SENT(6, 0), SENT(4, 0)}},
    {"answer.fills_only_run", {LONG_READ(1, 0), FIRST(1, 0), LAST(3, 0), MIDDLE(2, 0), LONG_READ(4, 0), FIRST(4, 0), LAST(6, 0), MIDDLE(5, 0)}},
    {"answer.not_jumped_over", {ONLY(6, 0)}},
    {"answer.newer_identification", {NUMBERED(1, 102), SENT(3, 0), NUMBERED(8, 108), NUMBERED(2, 109)}},
    {"answer.goes_on_with_newest", {LONG_READ(5, 0), LAST(7, 0), LONG_READ(5, 0), FIRST(5, 0), MIDDLE(6, 0)}},
    {"answer.answers_new_request", {ONLY(3, 0), LONG_READ(6, 0), FIRST(6, 0), LONG_READ(4, 0), ONLY(4, 0)}},
    {"answer.follows_at_once", {LONG_READ(3, 0), SENT(5, 0), ACKED(3, 0), ONLY(4, 500)}},
    {"answer.earlier_run", {FIRST(7, 0), SENT(7, 0), SHORT_READ(7, 0), LAST(7, 0)}},
    {"answer.one_of_two", {FIRST(5, 0), MIDDLE(8, 0), ACKED(7, 0), ONLY(7, 0)}},
    {"answer.begins_unknown", {ACKED(3, 0), FIRST(8, 0), ONLY(7, 0)}},
    {"answer.unknown_read", {ONLY(4, 0), FIRST(7, 0), LAST(6, 0)}},
    {"answer.begins_second_run", {FIRST(5, 0), MIDDLE(8, 0), LONG_READ(5, 0), ONLY(7, 0)}},
    {"answer.jumped_over", {ONLY(3, 0), LONG_READ(6, 0), ONLY(8, 0), FIRST(6, 0)}},
    {"ack.repeats_last", {ASK(4), ACKED(7, 0), ACKED(7, 0)}},
    {"ack.answers_repeat_at_once", {LONG_READ(8, 0), ASK(6), LAST(4, 100), ACKED(1, 500)}},
    {"ack.answers_repeat", {LONG_READ(6, 1000), LAST(8, 0), SHORT_READ(8, 70000000), ACKED(8, 30000)}},
    {"ack.goes_on_in_row", {SENT(7, 0), SENT(8, 0), ACKED(8, 0), ACKED(1, 0), ACKED(2, 100), ACKED(3, 100), ACKED(4, 100), ACKED(6, 100)}},
    {"ack.counts_later", {ASK(1), ACKED(1, 1000), SHORT_READ(1, 1000), LAST(8, 0), COUNTING(1, 3, 70000000)}},
    {"ack.acked_before", {SHORT_READ(6, 100), ACKED(6, 30000), ACKED(6, 70000000)}},
    {"ack.newer_identification", {LONG_READ(4, 1000), NUMBERED_ACK(4, 103), NUMBERED_ACK(7, 106), NUMBERED_ACK(3, 109)}},
    {"ack.seen_before", {SENT(8, 500), MIDDLE(2, 500), LAST(3, 300000), ACKED(2, 0)}},
    {"ack.overtaken", {ASK(8), NAKED(7, 0), ACKED(3, 2000000)}},
    {"alone.continues_repeats", {ACKED(7, 0), LAST(1, 0), ACKED(3, 100)}},
    {"alone.ack_again", {ACKED(2, 1000), ACKED(2, 0)}},
    {"alone.answer_again", {ONLY(5, 0), LAST(5, 0)}},
    {"alone.overtaken_ack", {ACKED(6, 0), ACKED(4, 0)}},
    {"alone.goes_back", {ACKED(5, 300000), LAST(4, 70000000)}},
    {"alone.jumps", {ACKED(4, 30000), MIDDLE(6, 2000000)}},
    {"alone.in_order", {FIRST(6, 0)}},
    {"copy.same_identification", {COUNTED(1, 100), COUNTED(2, 101), COUNTED(3, 102), COUNTED(3, 102)}},
    {"copy.answers_copied_request", {ACKED(3, 0), ACKED(3, 0)}},
    {"copy.long_after", {SENT(3, 0), ACKED(2, 70000000), SENT(3, 0)}},
    {"copy.after_others", {SHORT_READ(7, 0), SENT(5, 0), SHORT_READ(7, 0)}},
    {"copy.copy_of_undecided", {SENT(5, 0), SENT(2, 0), SENT(2, 500)}},
    {"copy.original_was_late", {LONG_READ(1, 0), LONG_READ(5, 0), SENT(4, 0), SENT(4, 0)}},
    {"copy.original_came_too_soon", {ROUND_TRIP, LONG_READ(6, 0), NAKED(6, 0), LAST(4, 0), ONLY(1, 0), SENT(6, 3000), SENT(6, 0)}},
    {"copy.after_round_trips", {SENT(6, 0), FIRST(6, 0), SENT(6, 300000)}},
    {"copy.goes_on_at_once", {LONG_READ(4, 0), LAST(4, 0), MIDDLE(6, 0), SENT(5, 0), SENT(5, 100)}},
    {"copy.asked_for_at_once", {SENT(1, 0), REFUSED(4, 0), ACKED(4, 0), ASK(4), {.opcode = IBA_RC_SEND_ONLY, .psn = 4, .bytes = 8, .how = ASKING, .wait = 100}}},
    {"copy.at_once", {SENT(4, 0), SENT(4, 100)}},
    {"copy.jumped_over", {SENT(3, 0), SENT(6, 0), NAKED(4, 0), SENT(5, 0), SENT(5, 0)}},
    {"copy.before_others", {SENT(4, 0), SENT(2, 0), SENT(2, 0)}},
    {"copy.part_of_new_run", {SHORT_READ(2, 0), FIRST(2, 0), SHORT_READ(2, 0), FIRST(2, 0)}},
    {"copy.begins_new_run", {SHORT_READ(6, 0), ACKED(6, 0), FIRST(6, 0), FIRST(6, 0)}},
    {"copy.original_stood_alone", {SENT(4, 0), ONLY(7, 0), NAKED(2, 0), FIRST(2, 0), FIRST(2, 0)}},
    {"copy.part_of_answer", {MIDDLE(2, 0), MIDDLE(2, 500)}},
    {"copy.unknown_request", {NAKED(4, 0), NAKED(4, 0)}},
    {"copy.request_came_again", {SHORT_READ(5, 0), NAKED(4, 0), LONG_READ(3, 0), NAKED(4, 0)}},
    {"copy.request_was_copied", {SENT(6, 0), SENT(6, 0), NAKED(8, 0), NAKED(8, 0)}},
    {"copy.response", {NAKED(3, 0), NAKED(3, 100)}},
    {"copy.reason_pending", {SENT(7, 0), REFUSED(7, 0), SENT(7, 0)}},
    {"copy.asked_for", {SENT(6, 0), NAKED(6, 0), ONLY(6, 0), SENT(6, 0)}},
    {"copy.partly_answered", {SHORT_READ(2, 0), FIRST(2, 0), SHORT_READ(2, 0)}},
    {"copy.no_reason", {SENT(3, 0), SENT(3, 0)}},
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof *cases };
#endif
