/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of iba_requester_does.h as data. */
#include "transport/iba_requester_does.h"

enum { D = 1 << IBA_CHANGE_DROP, S = 1 << IBA_CHANGE_SWAP, O = 1 << IBA_CHANGE_OTHER };

#define ROW(name, kinds, sentence, clause) {#name, sentence, clause, kinds},
#define LIST(id, title, rows) const struct iba_behaviours id = {title, rows, sizeof(rows) / sizeof *(rows)};

static const struct iba_behaviour requester[] = {IBA_REQUESTER_DOES(ROW)};
LIST(iba_requester_behaviours, "requester", requester)

static const struct iba_behaviour packet[] = {IBA_PACKET_DOES(ROW)};
LIST(iba_packet_behaviours, "request packet", packet)

static const struct iba_behaviour posting[] = {IBA_POSTING_DOES(ROW)};
LIST(iba_posting_behaviours, "posting", posting)

#define POSITION(name, words) {#name, "sends the " words " packet of a message as " words, "WF-64", S},
static const struct iba_behaviour position[] = {IBA_POSITIONS(POSITION)};
LIST(iba_position_behaviours, "position", position)

#define OPERATION(name) {#name, "sends the opcodes of " #name " for it", "WF-64, RQ-17", S},
static const struct iba_behaviour operation[] = {IBA_SENT_OPS(OPERATION)};
LIST(iba_operation_behaviours, "operation", operation)

#define STATUS(name, words, clause) {#name, "shows " #name " for a request that " words, clause, S},
#define STATUS_AT(name, ...) AT_##name,
static const struct iba_behaviour status[] = {IBA_SHOWN(STATUS)};
enum { IBA_SHOWN(STATUS_AT) AT_END };
_Static_assert((int)AT_REMOTE_INVALID_RD == (int)IBA_WC_REMOTE_INVALID_RD && (int)AT_FLUSHED == (int)IBA_WC_FLUSHED,
               "a status is its row");
LIST(iba_status_behaviours, "status", status)

#define TIMEOUT(code) {"code_" #code, "waits 4.096 us * 2^" #code " for an ACK on timeout code " #code, "RQ-18", S},
static const struct iba_behaviour ack_timeout[] = {{"code_0", "runs no ACK timer on timeout code 0", "RQ-18", S},
                                                   IBA_ACK_TIMEOUTS(TIMEOUT)};
LIST(iba_ack_timeout_behaviours, "ACK timeout", ack_timeout)

#define RNR(kinds, code, units, words)                                                                                 \
    {"code_" #code, "waits " words " on RNR timer code " #code, "WF-50, RQ-28", kinds},
static const struct iba_behaviour rnr_timer[] = {IBA_RNR_TIMERS(RNR, S)};
LIST(iba_rnr_timer_behaviours, "RNR timer", rnr_timer)

#define CREDIT(kinds, code, count)                                                                                     \
    {"code_" #code, "takes credit code " #code " for " #count " messages", "WF-49, RQ-40", kinds},
static const struct iba_behaviour credit[] = {
    IBA_CREDITS(CREDIT, S){"code_31", "takes credit code 31 for no limit from then on", "WF-49, RQ-43", D}};
LIST(iba_credit_behaviours, "credits", credit)

#define RETRY(count) {"count_" #count, "retries " #count " times on retry count " #count, "RQ-22", S},
static const struct iba_behaviour retry[] = {
    IBA_RETRIES(RETRY){"count_7", "retries 7 times on retry count 7, and not for ever", "RQ-22", O}};
LIST(iba_retry_behaviours, "retry count", retry)

#define RNR_RETRY(count) {"count_" #count, "retries " #count " times on RNR retry count " #count, "RQ-29", S},
static const struct iba_behaviour rnr_retry[] = {
    IBA_RETRIES(RNR_RETRY){"count_7", "retries for ever on RNR retry count 7", "RQ-29", O}};
LIST(iba_rnr_retry_behaviours, "RNR retry count", rnr_retry)
