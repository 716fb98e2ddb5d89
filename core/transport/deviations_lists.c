/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of deviations_qp.h, deviations_receiver.h and deviations_requester.h as data. The list of the transitions
 * is in iba_qp_state.c, beside their table. */
#include "transport/deviations_qp.h"
#include "transport/deviations_rd.h"
#include "transport/deviations_receiver.h"
#include "transport/deviations_requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_modify_behaviours, "modify QP", IBA_MODIFY_BEHAVIOURS)
IBA_BEHAVIOURS(iba_attr_behaviours, "attribute values", IBA_ATTR_BEHAVIOURS)
IBA_BEHAVIOURS(iba_state_behaviours, "queue pair states", IBA_STATE_BEHAVIOURS)
IBA_BEHAVIOURS(iba_verb_behaviours, "objects", IBA_VERB_BEHAVIOURS)
IBA_BEHAVIOURS(iba_event_behaviours, "events", IBA_EVENT_BEHAVIOURS)
IBA_BEHAVIOURS(iba_queue_behaviours, "queues", IBA_QUEUE_BEHAVIOURS)
IBA_BEHAVIOURS(iba_receive_behaviours, "receivers", IBA_RECEIVE_BEHAVIOURS)
IBA_BEHAVIOURS(iba_respond_behaviours, "RC responder", IBA_RESPOND_BEHAVIOURS)
IBA_BEHAVIOURS(iba_rd_behaviours, "reliable datagrams", IBA_RD_BEHAVIOURS)

#define LIST(id, title, rows) const struct iba_behaviours id = {title, rows, sizeof(rows) / sizeof *(rows)};

IBA_BEHAVIOURS(iba_requester_behaviours, "requester", IBA_REQUESTER_BEHAVIOURS)
IBA_BEHAVIOURS(iba_packet_behaviours, "request packet", IBA_PACKET_BEHAVIOURS)
IBA_BEHAVIOURS(iba_posting_behaviours, "posting", IBA_POSTING_BEHAVIOURS)

#define POSITION(name, words) {#name, "sends the " words " packet of a message as " words, "WF-64", SWAP},
static const struct iba_behaviour position_rows[] = {IBA_POSITIONS(POSITION)};
LIST(iba_position_behaviours, "position", position_rows)

#define OPERATION(name, words) {#name, "sends the opcodes of " #name " for it", "WF-64, RQ-17", SWAP},
static const struct iba_behaviour operation_rows[] = {IBA_WR_SENT_OPS(OPERATION)};
LIST(iba_operation_behaviours, "operation", operation_rows)

#define STATUS(name, words, clause) {#name, "shows " #name " for a request that " words, clause, SWAP},
#define STATUS_AT(name, ...) AT_##name,
static const struct iba_behaviour status_rows[] = {IBA_SHOWN(STATUS)};
enum { IBA_SHOWN(STATUS_AT) AT_END };
_Static_assert((int)AT_REMOTE_INVALID_RD == (int)IBA_WC_REMOTE_INVALID_RD && (int)AT_FLUSHED == (int)IBA_WC_FLUSHED,
               "a status is its row");
LIST(iba_status_behaviours, "status", status_rows)

#define TIMEOUT(code) {"code_" #code, "waits 4.096 us * 2^" #code " for an ACK on timeout code " #code, "RQ-18", SWAP},
static const struct iba_behaviour ack_timeout_rows[] = {
    {"code_0", "runs no ACK timer on timeout code 0", "RQ-18", SWAP}, IBA_ACK_TIMEOUTS(TIMEOUT)};
LIST(iba_ack_timeout_behaviours, "ACK timeout", ack_timeout_rows)

#define RNR(kinds, code, units, words)                                                                                 \
    {"code_" #code, "waits " words " on RNR timer code " #code, "WF-50, RQ-28", kinds},
static const struct iba_behaviour rnr_timer_rows[] = {IBA_RNR_TIMERS(RNR, SWAP)};
LIST(iba_rnr_timer_behaviours, "RNR timer", rnr_timer_rows)

#define CREDIT(kinds, code, count)                                                                                     \
    {"code_" #code, "takes credit code " #code " for " #count " messages", "WF-49, RQ-40", kinds},
static const struct iba_behaviour credit_rows[] = {
    IBA_CREDITS(CREDIT, SWAP){"code_31", "takes credit code 31 for no limit from then on", "WF-49, RQ-43", DROP}};
LIST(iba_credit_behaviours, "credits", credit_rows)

#define RETRY(count) {"count_" #count, "retries " #count " times on retry count " #count, "RQ-22", SWAP},
static const struct iba_behaviour retry_rows[] = {
    IBA_RETRIES(RETRY){"count_7", "retries 7 times on retry count 7, and no more", "RQ-22", OTHER}};
LIST(iba_retry_behaviours, "retry count", retry_rows)

#define RNR_RETRY(count) {"count_" #count, "retries " #count " times on RNR retry count " #count, "RQ-29", SWAP},
static const struct iba_behaviour rnr_retry_rows[] = {
    IBA_RETRIES(RNR_RETRY){"count_7", "retries without end on RNR retry count 7", "RQ-29", OTHER}};
LIST(iba_rnr_retry_behaviours, "RNR retry count", rnr_retry_rows)
