/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists (iba_change.h) of the behaviours that the architecture requires of a sending device and that no rule table has.
 *
 * A sentence continues "a device ...". The kinds of change that make another device are DROP (the device lacks the
 * row), SWAP (the row and the next one are exchanged, the last with the first) and OTHER (the device does something
 * else). The comment after a row says what the device does instead: with OTHER, or, after "D:", with DROP.
 * Not for users of libiba. */
#ifndef IBA_DEVIATIONS_REQUESTER_H
#define IBA_DEVIATIONS_REQUESTER_H
#include "transport/iba_engine.h"

/* clang-format off */
/* The send queue: when requests go, which are sent again, how they complete. */
#define IBA_REQUESTER_BEHAVIOURS(B)                                                                                                                             \
    B(fence,              DROP|OTHER, "delays a fenced request until the READs and ATOMICs before it are complete",          "RQ-09") /* one may be open */ \
    B(read_depth,         DROP|OTHER, "has no more READs and ATOMICs outstanding than the QP's depth",                                  "RQ-08") /* one more */     \
    B(psn_span,           DROP,       "keeps the span of outstanding PSNs below 2^23",                                                  "RQ-03")                    \
    B(order,              DROP,       "sends messages in the order in which they were posted",                                   "RQ-04") /* D: a new one overtakes one that waits */ \
    B(zero_length,        DROP,       "sends a packet for a message of zero length",                                                "RQ-12")                    \
    B(credit_limit,       DROP,       "obeys the limit that end-to-end credits set",                                             "RQ-40")                    \
    B(credit_negotiated,  DROP,       "counts credits only where both sides agreed to it",                                       "RQ-45")                    \
    B(credit_taken,       DROP,       "takes credits from the ACKs",                                                             "RQ-40")                    \
    B(credit_from_msn,    OTHER,      "counts credits from the MSN of the ACK",                                                  "RQ-40") /* from what it has begun */ \
    B(credit_forward,     DROP,       "does not let an old ACK lower the credit limit",                                          "RQ-44")                    \
    B(credit_one_beyond,  DROP|OTHER, "begins one message beyond the credit limit, and no second",                               "RQ-41") /* two */          \
    B(credit_one_packet,  DROP,       "stops after the first packet of a message beyond the credit limit",                      "RQ-41")                    \
    B(credit_asks,        DROP,       "asks for an ACK with the first packet of a message beyond the credit limit",              "RQ-41")                    \
    B(credit_receives,    DROP,       "lets credits limit only messages that consume a receive",                           "RQ-42")                    \
    B(credit_others_add,  DROP,       "raises the credit limit by each message that consumes no receive",              "RQ-42")                    \
    B(rnr_holds,          DROP,       "sends no request while an RNR timer runs",                                                "RQ-28")                    \
    B(rnr_time,           OTHER,      "waits at least the time that the RNR NAK names",                                          "RQ-28, WF-50") /* half */  \
    B(rnr_resumes,        DROP,       "continues with the request that got an RNR NAK",                                            "RQ-28")                    \
    B(rnr_stops_timer,    DROP,       "stops the ACK timer while an RNR timer runs",                                             "RQ-20, RQ-28")             \
    B(rnr_acks_before,    DROP,       "treats an RNR NAK as an acknowledgement of all earlier PSNs",                         "RQ-30")                    \
    B(rnr_counted_apart,  DROP,       "does not count RNR NAKs against the retry count",                             "RQ-31")                    \
    B(rnr_reload,         DROP,       "reloads the RNR retry count when a new PSN is acknowledged",                              "RQ-24, RQ-31")             \
    B(sqd_holds,          DROP,       "starts no new request while its send queue drains",                                          "QS-22")                    \
    B(sqd_finishes,       DROP,       "finishes what it has begun while its send queue drains",                                  "QS-22")                    \
    B(page_waits,         DROP,       "waits for a page of a local buffer that is not there yet",                                "RQ-13")                    \
    B(invalidate_waits,   DROP,       "lets a local invalidation pass nothing that was posted before it",                        "QS-59")                    \
    B(local_fails,        DROP,       "reports a bind or invalidation that memory refuses",                                      "RQ-57")                    \
    B(timer_runs,         DROP,       "starts the ACK timer with the first packet that asks for an answer",                      "RQ-20")                    \
    B(timer_not_pushed,   DROP,       "does not restart a running ACK timer when it sends",                             "RQ-20")                    \
    B(timer_restarts,     DROP,       "restarts the ACK timer with each new PSN that is acknowledged",                       "RQ-20")                    \
    B(timer_stops,        DROP,       "stops the ACK timer when nothing is outstanding",                                                "RQ-20")                    \
    B(timer_not_early,    OTHER,      "treats no packet as lost before the ACK timeout",                                         "RQ-19") /* half of it */   \
    B(timer_not_late,     OTHER,      "treats a packet as lost after four times the ACK timeout at the latest",                  "RQ-19") /* eight times */  \
    B(resends,            DROP,       "sends unacknowledged requests again after the timeout",                                           "RQ-21")                    \
    B(resend_oldest,      OTHER,      "goes back to the oldest unacknowledged PSN after a timeout",                              "RQ-21") /* to the next one */      \
    B(resend_rest,        OTHER,      "sends everything after the oldest PSN again after a timeout too",                        "RQ-21") /* the rest waits for the answer to it */    \
    B(retry_bound,        DROP,       "gives up when its retries are used up",                                                   "RQ-22")                    \
    B(retry_reload,       DROP,       "reloads the retry count when a new PSN is acknowledged",                                  "RQ-24")                    \
    B(retry_shared,       DROP,       "counts a sequence NAK as a retry, as it does a timeout",                          "RQ-23")                    \
    B(migrates,           DROP,       "migrates to an armed alternate path when its retries are used up",                        "RQ-25, QS-78")             \
    B(migration_reloads,  DROP,       "has all its retries again after a migration",                                             "RQ-25")                    \
    B(nak_acks_before,    DROP,       "treats a sequence NAK as an acknowledgement of all earlier PSNs",             "RQ-26, RQ-36")             \
    B(error_acks_before,  DROP,       "treats a NAK that ends the connection as an acknowledgement of all earlier PSNs",     "RQ-51")                    \
    B(coalesced,          DROP,       "completes with one ACK everything up to its PSN",                                         "RQ-35") /* D: one request */ \
    B(atomic_host_order,  DROP,       "stores the result of an ATOMIC in its own byte order",                                    "RQ-50")                    \
    B(fault_waits,        DROP,       "completes work posted before a local fault first",                                "RQ-14")                    \
    B(fault_stops,        DROP,       "sends nothing of a message whose buffer it may not read",                                 "RQ-13") /* D: zeros */     \
    B(error_stops,        DROP,       "fails the queue when a request fails",                                            "RQ-51, RQ-56")             \
    B(sqe,                DROP,       "puts an unreliable QP into SQE when a send fails, and not into Error",                    "UU-14, UU-28, QS-24")      \
    B(uc_completes,       DROP,       "completes an unreliable send when its last packet has left",                              "UU-13")                    \
    B(wc_order,           DROP,       "completes requests in the order in which they were posted",                               "RQ-54")                    \
    B(wc_unsignaled,      DROP,       "writes no completion for an unsignaled request that succeeds",                                    "QS-36")                    \
    B(wc_signal_all,      DROP,       "completes every request of a QP that was created to signal all",                          "QS-36")                    \
    B(wc_failed,          DROP,       "completes an unsignaled request that fails",                                              "RQ-53, QS-36")             \
    B(wc_flushed,         DROP,       "completes requests after a failed one as flushed",                                 "RQ-55")                    \
    B(wc_first_status,    DROP|OTHER, "shows the true status with the first failed request only",                                "RQ-55") /* with all; D: with none */ \
    B(wc_id,              DROP,       "gives a completion the number of its work request",                                       "§11.4.2")                  \
    B(wc_op,              OTHER,      "gives a completion the operation of its work request",                                    "§11.4.2") /* SEND */       \
    B(wc_qpn,             DROP,       "gives a completion the number of its QP",                                                 "§11.4.2")                  \
    B(wc_bytes,           DROP,       "gives a completion the bytes of its message",                                             "RQ-50")                    \
    B(wc_bound_key,       DROP,       "gives the completion of a bind the new R_Key",                                            "QS-62")

/* The fields and the payload of a request packet. */
#define IBA_PACKET_BEHAVIOURS(B)                                                                                                                             \
    B(reads_reserve,      DROP,       "reserves a PSN for each response of a READ",                                              "RQ-02") /* D: one */       \
    B(path_mtu,           DROP|OTHER, "cuts messages at the path MTU",                                                           "WF-64, WF-66") /* half; D: the port's */ \
    B(last_not_empty,     DROP,       "ends a message of whole packets with a full one",                                         "WF-64") /* D: an empty one follows */ \
    B(gather_order,       OTHER,      "gathers a message from the entries of its list in order",                                   "QS-81") /* the last one first */ \
    B(psn_next,           DROP,       "gives each packet the next PSN",                                                          "RQ-01") /* D: a message has one */ \
    B(psn_24_bits,        OTHER,      "counts PSNs in 24 bits",                                                                  "WF-39") /* 16 */           \
    B(psn_datagram,       DROP,       "counts the PSNs of datagrams too",                                                        "UU-17")                    \
    B(again_psn,          DROP,       "sends a packet again with the PSN it had",                                                "RQ-06")                    \
    B(again_opcode,       DROP,       "sends a packet again with the opcode it had",                                             "RQ-06") /* D: as if the message began with it */ \
    B(again_payload,      DROP,       "sends a packet again with the payload it had",                                            "RQ-06") /* D: the message's first bytes */ \
    B(read_rest_va,       DROP,       "asks for the rest of a READ after the received part",                                        "RQ-07")                    \
    B(read_rest_length,   DROP,       "asks for the rest of a READ with the length of the rest",                                 "RQ-07")                    \
    B(solicited,          DROP|OTHER, "sets SE when the work request says so",                                                   "WF-28, RQ-16") /* always */ \
    B(solicited_last,     DROP,       "sets SE in the last packet of a message only",                                            "WF-28, RQ-16")             \
    B(solicited_receive,  DROP,       "sets SE only where a receive work request is taken",                                      "WF-28, RQ-16")             \
    B(mig_req,            DROP|OTHER, "sets MigReq in state Migrated and in no other",                                           "WF-30") /* always */       \
    B(pad_count,          DROP,       "sets PadCnt to the number of pad bytes",                                                    "WF-31")                    \
    B(tver,               DROP,       "sends transport header version 0",                                                        "WF-34")                    \
    B(pkey,               DROP,       "sends the P_Key at its QP's index",                                                       "WF-35") /* D: the default one */ \
    B(pkey_membership,    DROP,       "sends the membership bit of its P_Key as it is",                                          "WF-35") /* D: full member */ \
    B(pkey_smi,           DROP,       "sends 0xFFFF as P_Key from QP0",                                                          "PV-14")                    \
    B(congestion_bits,    DROP,       "leaves FECN clear in requests",                                                           "WF-36")                    \
    B(bth_reserved,       DROP,       "sends 0 in the reserved bits of the BTH",                                                 "WF-05, WF-27")             \
    B(dest_qpn,           OTHER,      "sends the number of the destination QP",                                                     "WF-27") /* its own */      \
    B(ack_req_last,       DROP,       "asks for an ACK with the last packet of a message",                                       "RQ-05")                    \
    B(ack_req_reliable,   DROP,       "asks for ACKs on reliable services only",                                                 "WF-38")                    \
    B(controlled_qkey,    DROP|OTHER, "sends the QP's own Q_Key where the work request's has bit 31 set, and only there",        "PV-21, UU-30") /* always */ \
    B(source_qpn,         DROP,       "sends its QP's number as SrcQP",                                                          "WF-41")                    \
    B(deth_reserved,      DROP,       "sends 0 in the reserved bits of the DETH",                                                "WF-05, WF-41")             \
    B(xrc_srqn,           DROP,       "sends the number of the XRC SRQ with each packet",                                        "WF-42, RQ-60")             \
    B(reth_va,            OTHER,      "sends all 64 bits of the remote address",                                                 "WF-43") /* 32 */           \
    B(reth_rkey,          DROP,       "sends the R_Key of the remote memory",                                                    "WF-43")                    \
    B(reth_length,        OTHER,      "sends the length of the message as DMA length",                                           "WF-43") /* of the packet */ \
    B(atomic_operands,    OTHER,      "sends the value to swap in before the value to compare with",                             "WF-45") /* exchanged */    \
    B(atomic_no_compare,  DROP,       "sends 0 to compare with in a Fetch and Add",                                              "WF-45")                    \
    B(flush_placement,    DROP,       "sends the placement that a FLUSH asks for",                                               "WF-56") /* D: global visibility */ \
    B(flush_selectivity,  DROP,       "sends the selectivity that a FLUSH asks for",                                             "WF-56") /* D: the range */ \
    B(immediate,          DROP,       "sends immediate data with the operations that have them",                                 "WF-54") /* D: without */   \
    B(immediate_order,    OTHER,      "sends immediate data in the order of their bytes",                                        "WF-54") /* reversed */     \
    B(invalidate,         DROP,       "sends a SEND with Invalidate with its own opcode",                               "RQ-17") /* D: a SEND */    \
    B(invalidate_key,     DROP,       "sends the key that a SEND invalidates",                                                   "WF-55")                    \
    B(raw_kind,           OTHER,      "puts the kind of a raw packet into the LRH",                                       "WF-02") /* the other */    \
    B(raw_ethertype,      DROP,       "sends the EtherType of a raw packet",                                                     "WF-58")

/* Faults of a work request: some are reported at once, others when the request's turn comes. */
#define IBA_POSTING_BEHAVIOURS(B)                                                                                                                            \
    B(post_before_rts,    DROP,       "refuses sends before the QP is ready to send",                                            "QS-17, QS-18, QS-19")      \
    B(post_flushes,       DROP,       "flushes a send posted to a broken QP",                                                    "QS-24, QS-25")             \
    B(operation_offered,  DROP,       "sends only what the QP's service offers",                                                 "RQ-15, UU-01, UU-16")      \
    B(sge_count,          DROP,       "refuses a scatter/gather list that the operation cannot have",                            "QS-83")                    \
    B(message_length,     DROP,       "sends no message of more than 2^31 bytes",                                                "WF-67")                    \
    B(eight_bytes,        DROP,       "accepts an ATOMIC of 8 bytes only",                                                         "WF-68, WF-57")             \
    B(datagram_length,    DROP,       "sends no datagram that is longer than a packet",                                          "UU-16")                    \
    B(raw_words,          DROP,       "sends raw packets of whole words only",                                                   "WF-58") /* D: pads */      \
    B(raw_least,          DROP,       "sends no raw packet of less than five words",                                             "WF-09") /* D: pads */      \
    B(read_span,          DROP,       "refuses a READ whose responses span 2^23 PSNs",                                           "RQ-03")                    \
    B(read_no_depth,      DROP,       "refuses a READ or ATOMIC on a QP of depth 0",                                             "RQ-08") /* D: it waits forever */  \
    B(inline_copied,      DROP,       "copies inline data when they are posted",                                                 "QS-84")                    \
    B(flush_asks,         DROP,       "refuses a FLUSH without a known placement type",                                             "WF-56")                    \
    B(handle_exists,      DROP,       "refuses a datagram without an address handle at once",                                    "QS-82")                    \
    B(handle_domain,      DROP,       "refuses an address handle of another protection domain",                                  "QS-82")                    \
    B(handle_port,        DROP,       "refuses an address handle of another port",                                               "QS-82")                    \
    B(multicast_grh,      DROP,       "sends no multicast without a GRH",                                                        "WF-26, UU-24")

/* Tables of numbers: a row has a code, and the value that the code means. In a broken device another row may act in
 * place of a row (iba_row_in_ring). */
/* These rows follow row 0, which means no timer (RQ-18). */
#define IBA_ACK_TIMEOUTS(N)                                                                                            \
    N(1) N(2) N(3) N(4) N(5) N(6) N(7) N(8) N(9) N(10) N(11) N(12) N(13) N(14) N(15) N(16) N(17) N(18) N(19)      \
    N(20) N(21) N(22) N(23) N(24) N(25) N(26) N(27) N(28) N(29) N(30) N(31)
#define IBA_RETRIES(N) N(0) N(1) N(2) N(3) N(4) N(5) N(6)
#define IBA_POSITIONS(N) N(FIRST, "First") N(MIDDLE, "Middle") N(LAST, "Last") N(ONLY, "Only")
/* Completion statuses, as in IBA_WC_STATUSES. The table also has statuses that a sending device never shows, because
 * two neighbouring rows can be exchanged. */
#define IBA_SHOWN(N)                                                                                                   \
    N(SUCCESS,            "succeeded",                                             "RQ-57")                            \
    N(LOCAL_LENGTH,       "has a wrong length, or got a response of a wrong length", "RQ-47, RQ-13")                     \
    N(LOCAL_QP_OPERATION, "is an operation that the QP does not support",                            "RQ-15")                            \
    N(LOCAL_PROTECTION,   "names a buffer that the QP may not use",                "RQ-13")                            \
    N(FLUSHED,            "comes after a failed one",                             "RQ-55")                            \
    N(MW_BIND,            "binds or invalidates a window or region that it may not",                  "RQ-57")                            \
    N(BAD_RESPONSE,       "got a response of the wrong kind",             "RQ-48")                            \
    N(LOCAL_ACCESS,       "had a local access error",                              "RQ-57")                            \
    N(REMOTE_INVALID_REQ, "was answered with NAK 0x61",                            "RQ-51")                            \
    N(REMOTE_ACCESS,      "was answered with NAK 0x62",                            "RQ-51")                            \
    N(REMOTE_OPERATION,   "was answered with NAK 0x63",                            "RQ-51")                            \
    N(RETRY_EXCEEDED,     "was retried as often as the retry count allows",                          "RQ-22")                            \
    N(RNR_RETRY_EXCEEDED, "got as many RNR NAKs as the RNR retry count allows",  "RQ-29")                            \
    N(LOCAL_RDD,          "violates a reliable datagram domain",                   "RQ-57")                            \
    N(REMOTE_INVALID_RD,  "was answered with NAK 0x64",                            "RQ-51")
/* clang-format on */

#define IBA_REQUESTER_ROW(name, ...) IBA_ROW_requester_##name,
enum iba_requester_row { IBA_REQUESTER_BEHAVIOURS(IBA_REQUESTER_ROW) IBA_ROW_requester_COUNT };
#define IBA_PACKET_ROW(name, ...) IBA_ROW_packet_##name,
enum iba_packet_row { IBA_PACKET_BEHAVIOURS(IBA_PACKET_ROW) IBA_ROW_packet_COUNT };
#define IBA_POSTING_ROW(name, ...) IBA_ROW_posting_##name,
enum iba_posting_row { IBA_POSTING_BEHAVIOURS(IBA_POSTING_ROW) IBA_ROW_posting_COUNT };

#define IBA_REQUESTER_LISTS(L)                                                                                         \
    L(iba_requester_behaviours)                                                                                        \
    L(iba_packet_behaviours)                                                                                           \
    L(iba_posting_behaviours)                                                                                          \
    L(iba_position_behaviours)                                                                                         \
    L(iba_operation_behaviours)                                                                                        \
    L(iba_status_behaviours)                                                                                           \
    L(iba_ack_timeout_behaviours)                                                                                      \
    L(iba_rnr_timer_behaviours)                                                                                        \
    L(iba_credit_behaviours)                                                                                           \
    L(iba_retry_behaviours)                                                                                            \
    L(iba_rnr_retry_behaviours)
#define IBA_BEHAVIOURS_DECL(list) extern const struct iba_behaviours list;
IBA_REQUESTER_LISTS(IBA_BEHAVIOURS_DECL)

/* Returns the row that acts in place of `row` in a table of numbers. The first row follows the last. */
static inline unsigned iba_row_in_ring(const struct iba_change *c, const struct iba_behaviours *list, unsigned row)
{
    if (!iba_is_unbroken(c) && c->list == list && c->kind == IBA_CHANGE_SWAP && c->row + 1u == list->n)
        return row == c->row ? 0 : row == 0 ? c->row : row;
    return iba_row_for(c, list, row);
}
#endif
