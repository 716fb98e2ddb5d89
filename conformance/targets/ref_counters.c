/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of the reference device: the engine's port counters, and counts of rules under Linux' names (hw_counters
 * of rxe and mlx5). Counters that rules do not count exactly are left out: a timeout, for example, is no rule. */
#include <string.h>
#include "reference.h"

/* clang-format off */
/*    name                        table          rows */
#define BY_RULE(C)                                                                                                     \
    C(duplicate_request,          RC_RESPONDER,  "malformed_again answer_waits unknown_again no_room_again read_gone " \
                                                 "read_again result_again duplicate")                                  \
    C(out_of_seq_request,         RC_RESPONDER,  "gap_after_rnr gap_known gap")                                        \
    C(out_of_sequence,            RC_RESPONDER,  "gap_after_rnr gap_known gap")                                        \
    C(send_rnr_err,               RC_RESPONDER,  "no_receive_wqe receive_absent page_absent")                          \
    C(out_of_buffer,              RC_RESPONDER,  "no_receive_wqe")                                                     \
    C(rx_write_requests,          RC_RESPONDER,  "write_notify write_end")                                             \
    C(rx_read_requests,           RC_RESPONDER,  "read")                                                               \
    C(rx_atomic_requests,         RC_RESPONDER,  "swap add")                                                           \
    C(resp_local_length_error,    RC_RESPONDER,  "send_too_long")                                                      \
    C(resp_remote_access_errors,  RC_RESPONDER,  "write_denied read_denied atomic_denied flush_denied "                \
                                                 "atomic_write_denied")                                                \
    C(rcvd_seq_err,               RC_COMPLETER,  "NAK_SEQUENCE")                                                       \
    C(packet_seq_err,             RC_COMPLETER,  "NAK_SEQUENCE")                                                       \
    C(rcvd_rnr_err,               RC_COMPLETER,  "RNR RNR_EXHAUSTED")                                                  \
    C(rnr_nak_retry_err,          RC_COMPLETER,  "RNR RNR_EXHAUSTED")                                                  \
    C(retry_rnr_exceeded_err,     RC_COMPLETER,  "RNR_EXHAUSTED")                                                      \
    C(implied_nak_seq_err,        RC_COMPLETER,  "RESPONSE_LOST ACK_FOR_ANSWER")                                       \
    C(req_remote_invalid_request, RC_COMPLETER,  "NAK_INVALID_REQUEST")                                                \
    C(req_remote_access_errors,   RC_COMPLETER,  "NAK_REMOTE_ACCESS")                                                  \
    C(rx_icrc_encapsulated,       VALIDATE,      "bad_icrc")
/*    name                        counter of the port */
#define BY_PORT(C)                                                                                                     \
    C(sent_pkts,                  packets_out)                                                                         \
    C(rcvd_pkts,                  packets_in)                                                                          \
    C(np_cnp_sent,                cnp_out)                                                                             \
    C(rp_cnp_handled,             cnp_in)                                                                              \
    C(np_ecn_marked_roce_packets, ecn_ce_in)
/* clang-format on */
enum {
#define ONE(...) +1
#define PORT_ONE(type, name, words, clause) +1
    N_COUNTERS = 0 BY_RULE(ONE) BY_PORT(ONE) IBA_PORT_COUNTERS(PORT_ONE)
};
_Static_assert((int)N_COUNTERS <= (int)IBC_MAX_COUNTERS, "all fit");

static const struct iba_rules *const tables[IBA_TABLE_COUNT] = {
#define TABLE(id, rules, title) [IBA_TABLE_##id] = &rules,
    IBA_RULE_TABLES(TABLE)};

/* Whether `name` is one of the words of `list`. */
static bool is_among(const char *list, const char *name)
{
    const size_t n = strlen(name);

    for (const char *p = strstr(list, name); p; p = strstr(p + 1, name))
        if ((p == list || p[-1] == ' ') && (p[n] == 0 || p[n] == ' '))
            return true;
    return false;
}

static uint64_t hits(const struct iba_ca *ca, enum iba_rule_table t, const char *rows)
{
    uint64_t n = 0;

    for (uint16_t i = 0; i < tables[t]->n; i++)
        if (is_among(rows, tables[t]->row[i].name))
            n += ca->hits[t][tables[t]->row[i].hit];
    return n;
}

unsigned ref_counters(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS])
{
    const struct iba_ca *ca = &device_of(t, d)->ca;
    unsigned n = 0;

#define RULE_COUNTER(word, table, rows) out[n++] = (struct ibc_counter){#word, hits(ca, IBA_TABLE_##table, rows)};
    BY_RULE(RULE_COUNTER)
#define SUM(field) ((uint64_t)ca->port[0].counters.field + ca->port[1].counters.field)
#define LINUX_COUNTER(word, field) out[n++] = (struct ibc_counter){#word, SUM(field)};
    BY_PORT(LINUX_COUNTER)
#define PORT_COUNTER(type, name, words, clause) out[n++] = (struct ibc_counter){#name, SUM(name)};
    IBA_PORT_COUNTERS(PORT_COUNTER)
    return n;
}
