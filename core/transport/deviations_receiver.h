/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of the behaviours that the architecture requires of receivers and of the RC responder, and that their rule
 * tables do not have. A sentence continues "a device ..."; after "broken:" it says what a device does whose row is
 * changed. Not for users of libiba. */
#ifndef IBA_DEVIATIONS_RECEIVER_H
#define IBA_DEVIATIONS_RECEIVER_H
#include "transport/iba_engine.h"

/* clang-format off */
/* RC, UC and UD receivers: how they treat a packet that passed validation, and its receive.
 *    name                kinds        a device ...                                                                    clause */
#define IBA_RECEIVE_BEHAVIOURS(B)                                                                                                       \
    B(PKEY_OWN,           OTHER,       "compares P_Keys with the entry of the QP's index; broken: with all of the table", "PV-12, QS-79") \
    B(PKEY_SMP,           DROP,        "does not check the P_Key of SMPs",                                             "PV-14") \
    B(QKEY_GSI,           DROP,        "requires the well known Q_Key in datagrams to QP1",                            "PV-19, KM-18") \
    B(QKEY_SMP,           DROP,        "does not check the Q_Key of SMPs",                                             "PV-20") \
    B(MARK_IN_ANSWER,     DROP,        "answers FECN on InfiniBand with BECN in an RC response, not with a CNP",          "WF-82") \
    B(MARK_TO_SOURCE,     DROP,        "sends a CNP to the source of a datagram with a congestion mark",               "RO-41") \
    B(SRQ_PD,             OTHER,       "checks receives of an SRQ against the SRQ's protection domain; broken: the QP's", "QS-42") \
    B(XRC_SRQ,            OTHER,       "takes the receives of an XRC target from the SRQ that the packet names; broken: from the first of the domain", "QS-45, QS-50") \
    B(XRC_PD,             OTHER,       "checks the keys of an XRC target against the domain of the SRQ that the packet names; broken: of the first SRQ", "QS-46, QS-50") \
    B(XRC_CQ,             OTHER,       "completes the receives of an XRC target into the CQ of their SRQ; broken: of the first SRQ of the domain", "QS-47") \
    B(SEND_FOLLOWS,       OTHER,       "stores each packet of a SEND after the one before; broken: over it",           "RR-13, UU-12") \
    B(SCATTER_ORDER,      OTHER,       "fills the entries of a list in order; broken: the last one first",             "QS-81") \
    B(WRITE_STORES,       DROP,        "stores the payload of an RDMA WRITE",                                          "RR-13, UU-12") \
    B(WRITE_FOLLOWS,      OTHER,       "stores each packet of a WRITE after the one before; broken: over it",          "RR-37") \
    B(WRITE_WHOLE,        OTHER,       "checks the whole range of a WRITE at its first packet; broken: each packet by itself", "RR-42") \
    B(WRITE_AT_ONCE,      DROP,        "stores all of a WRITE before it executes the READs and ATOMICs after it",      "RQ-10, RR-46") /* D: its last bytes when another request comes */ \
    B(WRITE_OF_NOTHING,   DROP,        "does not check the key of a WRITE of zero length",                             "RR-40, UU-11") \
    B(NOTIFY_KEYLESS,     DROP,        "does not check the keys of a receive that a WRITE only completes",             "RR-53") \
    B(WC_BYTES,           OTHER,       "reports the bytes of all of a SEND; broken: of its last packet",               "QS-81, UU-12") \
    B(WC_WRITE_BYTES,     OTHER,       "reports the bytes of all of a WRITE; broken: of its last packet",              "RR-53") \
    B(WC_WRITE_OP,        DROP,        "reports whether a SEND or a WRITE completed the receive",                      "RR-53") \
    B(WC_IMM,             DROP,        "reports the immediate data",                                                   "RR-53, UU-23") \
    B(WC_IMM_FLAG,        DROP,        "sets the flag for immediate data",                                             "RR-53, UU-23") \
    B(WC_KEY,             DROP|OTHER,  "reports the key that a SEND invalidated; broken: the next number",             "RR-54") \
    B(WC_KEY_FLAG,        DROP,        "sets the flag for an invalidated key",                                         "RR-54") \
    B(WC_SOLICITED,       DROP,        "treats a message with SE as solicited",                                        "WF-29, WF-28") \
    B(WC_PKEY_INDEX,      DROP,        "reports the index of the P_Key that matched the packet",                       "PV-13, UU-23") \
    B(UC_ANY_PSN,         OTHER,       "accepts the First of a UC message with any PSN; broken: only with the next one", "UU-04, UU-05") \
    B(UC_KEEPS_RECEIVE,   OTHER,       "uses the receive of an incomplete UC message for the next; broken: fails it", "UU-09") \
    B(UC_SRQ_FAILS,       DROP,        "fails an SRQ's receive that an incomplete UC message used",                     "UU-09, QS-41") \
    B(UC_NOTIFIES,        DROP,        "completes a receive for a UC WRITE with immediate data",                       "UU-08") \
    B(FAULT_FAILS_QP,     DROP,        "fails a UC or UD QP whose receive has a fault",                                "UU-29") \
    B(FAULT_STATUS,       OTHER,       "completes a receive with a fault with Local Protection; broken: with Local Length", "UU-29, RR-57") \
    B(UD_AREA,            DROP,        "leaves 40 bytes for the GRH before each datagram",                             "UU-21") \
    B(UD_BYTES,           OTHER,       "reports a datagram's bytes with the 40 of the GRH; broken: without",           "UU-21") \
    B(UD_GRH,             DROP,        "delivers the GRH of a datagram",                                               "UU-21, WF-25") \
    B(UD_IPV4_AT_END,     OTHER,       "puts an IPv4 header at the end of the 40 bytes; broken: in front",             "UU-22, RO-36") \
    B(UD_GRH_FLAG,        DROP,        "sets the flag for a GRH",                                                      "UU-21") \
    B(UD_SOURCE_QP,       DROP,        "reports which QP sent a datagram",                                             "UU-23") \
    B(UD_SLID,            DROP,        "reports from which LID a datagram came",                                       "UU-23") \
    B(UD_SL,              DROP,        "reports the SL of a datagram",                                                 "UU-23") \
    B(UD_PATH_BITS,       DROP,        "reports to which of its LIDs a datagram came",                                 "UU-23")

/* How the RC responder answers.
 *    name                kinds        a device ...                                                                    clause */
#define IBA_RESPOND_BEHAVIOURS(B)                                                                                \
    B(NAK_SEQUENCE,       SWAP,        "reports a lost request with NAK code 0",           "RR-03, RR-56") \
    B(NAK_INVALID,        SWAP,        "reports an invalid request with NAK code 1",         "RR-33, RR-56") \
    B(NAK_ACCESS,         SWAP,        "reports a denied access with NAK code 2",      "RR-41, RR-56") \
    B(NAK_OPERATION,      OTHER,       "reports a fault of the receive with NAK code 3; broken: with code 4",         "RR-57, RR-56") \
    B(FIRST_PSN,          DROP,        "expects the configured PSN first",                                           "RR-01") \
    B(READ_PSNS,          OTHER,       "expects after a READ the PSN after its last response; broken: after its first", "RR-01") \
    B(MSN_FROM_0,         OTHER,       "counts messages from 0; broken: from 1",                                       "RR-16") \
    B(MSN_COUNTS,         DROP|OTHER,  "counts messages when they end; broken: packets",                               "RR-16") \
    B(MSN_READ,           DROP,        "counts READs and ATOMICs as messages",                                         "RR-16, RR-17") \
    B(MSN_IN_NAK,         OTHER,       "does not count the message that it NAKs in the MSN; broken: counts it",        "RR-18") \
    B(ACK_ASKED,          DROP,        "acknowledges requests with AckReq",                                            "RR-09") \
    B(ACK_PSN,            OTHER,       "acknowledges with the PSN of the latest request; broken: of the one before",   "RR-10") \
    B(ACK_NEWEST,         OTHER,       "replaces a pending ACK by a newer one; broken: keeps the old one",             "RR-10, RR-14") \
    B(IN_ORDER,           OTHER,       "answers in PSN order; broken: the second before the first",                               "RR-06, RR-30") \
    B(DEST_QPN,           OTHER,       "sends responses to the peer's QP; broken: to the number of its own",           "RR-12") \
    B(PKEY,               OTHER,       "sends responses with its own P_Key; broken: with 0xFFFF",                      "RR-12, WF-35") \
    B(MIGRATED,           DROP,        "sets MigReq in responses in state Migrated",                                   "WF-30") \
    B(NO_ACK_REQUEST,     OTHER,       "never sets AckReq in a response; broken: does",                                "RR-12, RR-61, WF-38") \
    B(NO_SOLICITED,       OTHER,       "never sets SE in a response; broken: does",                                    "RR-12, RR-61, WF-28") \
    B(BECN,               DROP,        "sets BECN in a response to a marked request",                                  "WF-82") \
    B(CREDITS,            OTHER,       "announces no more credits than there are receives; broken: one code more",     "RR-19, WF-49") \
    B(GRANT_PSN,          OTHER,       "repeats the last PSN in an ACK that only announces credits; broken: the next PSN", "RR-22") \
    B(CREDIT_IN_USE,      DROP,        "counts the receive in use as a credit",                                        "RR-19") \
    B(CREDITS_OF_SRQ,     DROP,        "announces credit code 31 with an SRQ",                                         "RR-20, QS-39") \
    B(CREDITS_AGREED,     DROP,        "announces credit code 31 where flow control was not agreed on",                "RR-21") \
    B(RNR_CODE,           DROP|OTHER,  "puts the QP's RNR timer into RNR NAKs; broken: the next code",                 "RR-49, WF-50") \
    B(RNR_AT_ONCE,        OTHER,       "accepts a request that is sent again after an RNR NAK at any time; broken: not before the timer's end", "RR-49, RR-52") \
    B(NAK_PSN,            OTHER,       "puts the PSN that it expects into a NAK; broken: that of the request",         "RR-03") \
    B(NAK_FAILS,          DROP,        "goes to Error after a NAK of an invalid request",                              "RR-58") \
    B(REFUSED_COMPLETES,  DROP,        "completes the receive of a refused request in error",                          "RR-56") \
    B(DENIED_STATUS,      OTHER,       "completes the receive of a WRITE whose key is bad with Local Access; broken: Remote Access", "RR-53, RR-56") \
    B(TOO_LONG_STATUS,    OTHER,       "completes a receive that is too short with Local Length; broken: Remote Invalid Request", "RR-38") \
    B(AGAIN_ACKED,        DROP|OTHER,  "acknowledges a duplicate up to the next READ or ATOMIC; broken: past it",      "RR-23") \
    B(REMEMBERS,          DROP,        "remembers READs and ATOMICs to answer duplicates",                             "RR-25, RR-28, RR-68") \
    B(OLDEST_FORGOTTEN,   OTHER,       "forgets the oldest READ or ATOMIC first; broken: the newest",                  "RR-29") \
    B(REPLAYS,            OTHER,       "answers a duplicate ATOMIC with its saved result; broken: executes it again",  "RR-28") \
    B(INVALIDATES,        DROP,        "invalidates the key of a SEND with Invalidate",                                "RR-54") \
    B(INVALIDATE_FAILS,   DROP,        "fails the receive whose SEND names a key that cannot be invalidated",          "RR-55") \
    B(ZERO_READ,          DROP,        "does not check the key of a READ of zero length",                              "RR-40") \
    B(SWAP_COMPARES,      DROP,        "swaps only if the values are equal",                                           "RR-48") \
    B(ADDS_64_BITS,       OTHER,       "adds 64 bits; broken: the lower 32 without carry",                             "RR-48") \
    B(ORIGINAL,           OTHER,       "returns the original value of an ATOMIC; broken: the new one",                 "RR-48") \
    B(ATOMIC_WRITES,      DROP,        "stores the payload of an ATOMIC WRITE",                                        "RR-67") \
    B(READ_MTU,           OTHER,       "fills READ responses up to the path MTU; broken: up to 256 bytes",             "RR-61, RR-15") \
    B(READ_FIRST,         OTHER,       "begins READ responses with First or Only; broken: with Middle or Last",        "RR-61") \
    B(READ_RESTARTS,      OTHER,       "begins repeated READ responses with First or Only; broken: with Middle or Last", "RR-62") \
    B(READ_LAST_AETH,     DROP,        "puts an AETH into the last READ response",                                     "RR-61") \
    B(READ_MIDDLE_AETH,   OTHER,       "puts no AETH into Middle READ responses; broken: does",                        "RR-61") \
    B(READ_PSN,           OTHER,       "counts PSNs up in READ responses; broken: repeats the first",                  "RR-61") \
    B(READ_PAD,           OTHER,       "puts the number of pad bytes into a READ response; broken: 0",                 "WF-31") \
    B(READ_LOST,          OTHER,       "ends a READ that cannot continue with a NAK; broken: with nothing",            "RR-60") \
    B(CNP_M,              OTHER,       "clears M in congestion notifications; broken: sets it",                        "RO-42") \
    B(CNP_BECN,           OTHER,       "sets BECN in congestion notifications on InfiniBand only; broken: on RoCE only", "WF-81, RO-29") \
    B(CNP_PSN,            OTHER,       "sends congestion notifications with PSN 0; broken: with the one it expects",   "RO-42, WF-84") \
    B(CNP_ZERO,           OTHER,       "sends 16 zeros in congestion notifications; broken: ones",                     "WF-81, RO-42") \
    B(CNP_FOR_MARKS,      OTHER,       "sends congestion notifications for marked packets; broken: beside NAKs for lost ones too", "RO-43") \
    B(CNP_OPCODE,         OTHER,       "sends congestion notifications with their opcode; broken: with the other network's", "WF-81, RO-42") \
    B(AETH_ORDER,         OTHER,       "puts the syndrome before the MSN into an AETH; broken: after it",              "WF-46") \
    B(RTR_ANSWERS,        DROP,        "answers in RTR",                                                               "RR-64, RR-65") \
    B(SQD_ANSWERS,        DROP,        "answers in SQD",                                                               "RR-65") \
    B(SQE_ANSWERS,        DROP,        "answers in SQE",                                                               "RR-65, QS-24")
/* clang-format on */

#define IBA_RECEIVE_ROW(name, ...) IBA_ROW_receive_##name,
enum iba_receive_row { IBA_RECEIVE_BEHAVIOURS(IBA_RECEIVE_ROW) IBA_ROW_receive_COUNT };
#define IBA_RESPOND_ROW(name, ...) IBA_ROW_respond_##name,
enum iba_respond_row { IBA_RESPOND_BEHAVIOURS(IBA_RESPOND_ROW) IBA_ROW_respond_COUNT };

extern const struct iba_behaviours iba_receive_behaviours, iba_respond_behaviours;
#define IBA_RECEIVE_LISTS(L) L(iba_receive_behaviours) L(iba_respond_behaviours)
#endif
