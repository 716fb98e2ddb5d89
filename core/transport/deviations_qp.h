/* SPDX-License-Identifier: BSD-2-Clause */
/* The behaviours that the architecture requires of verbs, states, events and queues, as lists. A sentence continues
 * "a device ..."; after "broken:" it says what a device does whose row is changed. Host memory stays safe in every
 * broken device: a harmless value replaces a value that the device wrongly accepts. Not for users of libiba. */
#ifndef IBA_DEVIATIONS_QP_H
#define IBA_DEVIATIONS_QP_H
#include "transport/iba_engine.h"

/* clang-format off */
/* Transitions that do not exist (QS-14). The table of iba_qp_state.c has those that exist. */
#define IBA_NO_TRANSITIONS(N)                                                                                                     \
    N(RESET, RTR) N(RESET, RTS) N(RESET, SQD) N(RESET, SQE) N(INIT, RTS) N(INIT, SQD) N(INIT, SQE) N(RTR, INIT) N(RTR, RTR)       \
    N(RTR, SQD)   N(RTR, SQE)   N(RTS, INIT)  N(RTS, RTR)   N(RTS, SQE)  N(SQD, INIT) N(SQD, RTR)  N(SQD, SQE)  N(SQE, INIT)      \
    N(SQE, RTR)   N(SQE, SQD)   N(SQE, SQE)   N(ERR, INIT)  N(ERR, RTR)  N(ERR, RTS)  N(ERR, SQD)  N(ERR, SQE)

/* Which attributes, besides the state, modify QP takes.
 *    name                      kinds  a device ...                                                              clause */
#define IBA_MODIFY_BEHAVIOURS(B)                                                                                          \
    B(NEEDS_ACCESS,             DROP,  "needs the access rights for Initialized",                                "QS-01") \
    B(NEEDS_PKEY_INDEX,         DROP,  "needs the P_Key index for Initialized",                                  "QS-01, QS-12") \
    B(NEEDS_PORT,               DROP,  "needs the port for Initialized",                                         "QS-01, QS-13") \
    B(NEEDS_QKEY,               DROP,  "needs the Q_Key for Initialized",                                        "QS-01, QS-12") \
    B(NEEDS_AV,                 DROP,  "needs the address vector for Ready to Receive",                          "QS-03") \
    B(NEEDS_PATH_MTU,           DROP,  "needs the path MTU for Ready to Receive",                                "QS-03") \
    B(NEEDS_DEST_QPN,           DROP,  "needs the destination QP for Ready to Receive",                          "QS-03") \
    B(NEEDS_RQ_PSN,             DROP,  "needs the receive PSN for Ready to Receive",                             "QS-03") \
    B(NEEDS_MAX_DEST_RD,        DROP,  "needs the READs as responder for Ready to Receive",                      "QS-03") \
    B(NEEDS_MIN_RNR,            DROP,  "needs the RNR timer for Ready to Receive",                               "QS-03") \
    B(NEEDS_SQ_PSN,             DROP,  "needs the send PSN for Ready to Send",                                   "QS-05, QS-12") \
    B(NEEDS_TIMEOUT,            DROP,  "needs the ACK timeout for Ready to Send",                                "QS-05") \
    B(NEEDS_RETRY,              DROP,  "needs the retry count for Ready to Send",                                "QS-05") \
    B(NEEDS_RNR_RETRY,          DROP,  "needs the RNR retry count for Ready to Send",                            "QS-05") \
    B(NEEDS_MAX_RD,             DROP,  "needs the READs as requester for Ready to Send",                         "QS-05") \
    B(OPTIONAL_INIT_TO_INIT,    DROP,  "takes optional attributes in Initialized",                               "QS-02") \
    B(OPTIONAL_INIT_TO_RTR,     DROP,  "takes optional attributes when it gets ready to receive",                "QS-04") \
    B(OPTIONAL_RTR_TO_RTS,      DROP,  "takes optional attributes when it gets ready to send",                   "QS-06") \
    B(OPTIONAL_RTS_TO_RTS,      DROP,  "takes optional attributes in Ready to Send",                             "QS-07") \
    B(OPTIONAL_RTS_TO_SQD,      DROP,  "takes the request for the drained event",                                "QS-08") \
    B(OPTIONAL_SQD_TO_RTS,      DROP,  "takes optional attributes when a drained send queue returns to Ready to Send", "QS-09") \
    B(OPTIONAL_SQD_TO_SQD,      DROP,  "takes optional attributes while the send queue is drained",              "QS-10") \
    B(OPTIONAL_SQE_TO_RTS,      DROP,  "takes optional attributes when a send queue recovers",                   "QS-11") \
    B(FOREIGN_RESET_TO_INIT,    DROP,  "refuses attributes that the transition from Reset to Initialized does not take", "QS-01") \
    B(FOREIGN_INIT_TO_INIT,     DROP,  "refuses attributes that a transition in Initialized does not take",      "QS-02") \
    B(FOREIGN_INIT_TO_RTR,      DROP,  "refuses attributes that the transition from Initialized to Ready to Receive does not take", "QS-03, QS-04") \
    B(FOREIGN_RTR_TO_RTS,       DROP,  "refuses attributes that the transition from Ready to Receive to Ready to Send does not take", "QS-05, QS-06") \
    B(FOREIGN_RTS_TO_RTS,       DROP,  "refuses attributes that a transition in Ready to Send does not take",    "QS-07") \
    B(FOREIGN_RTS_TO_SQD,       DROP,  "refuses attributes that the transition from Ready to Send to Send Queue Drain does not take", "QS-08") \
    B(FOREIGN_SQD_TO_RTS,       DROP,  "refuses attributes that the transition from Send Queue Drain to Ready to Send does not take", "QS-09") \
    B(FOREIGN_SQD_TO_SQD,       DROP,  "refuses attributes that a transition in Send Queue Drain does not take", "QS-10") \
    B(FOREIGN_SQE_TO_RTS,       DROP,  "refuses attributes that the transition from Send Queue Error to Ready to Send does not take", "QS-11") \
    B(FOREIGN_TO_RESET,         DROP,  "takes no attribute but the state in the transition to Reset",            "QS-14") \
    B(FOREIGN_TO_ERR,           DROP,  "takes no attribute but the state in the transition to Error",            "QS-14") \
    B(CUR_STATE_VALUES,         DROP,  "accepts no other current state than RTR, RTS, SQD, SQE",                 "QS-16") \
    B(CUR_STATE_IS_TRUE,        DROP,  "refuses a transition whose current state attribute is not the QP's state", "QS-16") \
    B(DRAINED_FIRST,            DROP,  "takes no attributes while its send queue still drains",                  "QS-23") \
    B(ALL_OR_NOTHING,           DROP,  "takes none of the attributes when it refuses one of them",               "QS-15") \
    B(JUDGES_AGAIN,             DROP,  "checks P_Key index, path and MTU again when the port changes",           "QS-10") \
    B(DEPTHS_AS_GIVEN,          OTHER, "has the READ depths that it was given; else, one less",                  "RR-29, RQ-08")

/* Values of attributes. A value that the device wrongly accepts is cut to the width of its field.
 *    name                kinds  a device ...                                                              clause */
#define IBA_ATTR_BEHAVIOURS(B)                                                                                             \
    B(PORT,               DROP,  "refuses a port that does not exist",                                     "QS-01, QS-80") \
    B(ACCESS,             DROP,  "refuses access rights of a QP other than remote ones",                   "QS-01") \
    B(PKEY_INDEX,         DROP,  "refuses a P_Key index beyond the table",                                 "QS-01, KM-11") \
    B(QKEY,               DROP,  "refuses another Q_Key for the GSI than the well known one",              "PV-19, KM-18") \
    B(PATH_PORT,          DROP,  "refuses an address vector of another port than the QP's",                "PV-24") \
    B(ALTERNATE,          DROP,  "refuses an alternate path that cannot be used",                          "QS-78") \
    B(PATH_MTU,           DROP,  "refuses a path MTU above the port's",                                    "RO-08, QS-80") \
    B(TIMEOUT,            DROP,  "refuses a timeout code above 31",                                        "RQ-18") \
    B(RETRY,              DROP,  "refuses a retry count above 7",                                          "RQ-22") \
    B(RNR_RETRY,          DROP,  "refuses an RNR retry count above 7",                                     "RQ-29") \
    B(MIN_RNR,            DROP,  "refuses an RNR timer code above 31",                                     "WF-50") \
    B(RQ_PSN,             DROP,  "refuses a receive PSN above 24 bits",                                    "WF-39") \
    B(SQ_PSN,             DROP,  "refuses a send PSN above 24 bits",                                       "WF-39") \
    B(MAX_DEST_RD,        DROP,  "refuses more responder resources than it has memory for",                "RR-29") \
    B(PATH_MIG,           DROP,  "refuses software that sets the migration state Armed",                   "QS-78") \
    B(DEST_QPN,           DROP,  "refuses QP0, QP1 and the multicast QP as the peer of a connection",      "WF-37") \
    B(FLOW_CONTROL,       DROP,  "takes with the destination QP whether flow control was negotiated",      "RQ-45, RR-21") \
    B(AV_PORT,            DROP,  "refuses an address vector of a port that does not exist",                "QS-82") \
    B(AV_SL,              DROP,  "refuses an SL above 15, on RoCE above 7",                                "RO-27") \
    B(AV_DLID,            DROP,  "refuses LID 0 as destination",                                           "WF-15, WF-16") \
    B(AV_SGID,            DROP,  "refuses a GID index beyond the table",                                   "QS-82, KM-36") \
    B(AV_FLOW_LABEL,      DROP,  "refuses a flow label above 20 bits",                                     "WF-20") \
    B(AV_DGID,            DROP,  "refuses :: and ::1 as destination",                                      "KM-40") \
    B(AV_VLAN,            DROP,  "refuses VLAN 0xFFF",                                                     "RO-03") \
    B(AV_IP_VERSION,      DROP,  "refuses a path between an IPv4 and an IPv6 address",                     "RO-24") \
    B(AV_GROUP,           DROP,  "refuses a multicast address for a connection",                           "PV-26")

/* Behaviour in a state, and when a QP enters it.
 *    name                kinds        a device ...                                                              clause */
#define IBA_STATE_BEHAVIOURS(B)                                                                                           \
    B(RESET_DISCARDS,     DROP|OTHER,  "discards its receive queue in the transition to Reset; broken: flushes it",     "QS-17") \
    B(RESET_CLEARS,       DROP,        "clears its attributes in Reset",                                        "QS-17") \
    B(RTR_HEARS,          DROP,        "receives requests in RTR",                                               "PV-05, QS-19") \
    B(SQD_HEARS,          DROP,        "receives requests in SQD",                                               "PV-05, QS-22") \
    B(SQE_HEARS,          DROP,        "receives requests in SQE",                                               "PV-05, QS-24") \
    B(SQD_HEARS_ANSWERS,  DROP,        "receives responses in SQD",                                              "PV-06, QS-22") \
    B(DATAGRAM_MTU,       OTHER,       "bounds datagrams by the port's MTU; broken: by 256 bytes",               "UU-16") \
    B(NEW_PATH,           DROP,        "uses an address vector that was changed",                                "QS-10, RR-15") \
    B(SQD_WAITS,          DROP,        "is drained when outstanding requests are done, not at once",             "QS-22, QS-23") \
    B(SQD_TELLS_ASKED,    OTHER,       "raises the drained event if it was requested; broken: always",           "QS-23") \
    B(ERR_FLUSHES_SENDS,  DROP,        "completes in Error the work of its send queue",                          "QS-25") \
    B(ERR_FLUSHES_RECVS,  DROP,        "completes in Error the work of its receive queue",                       "QS-25") \
    B(ERR_FLUSHES_HELD,   DROP,        "completes in Error the receive that was in use",                         "QS-25, QS-27") \
    B(ERR_FLUSHES_POSTS,  DROP|OTHER,  "flushes receives posted in Error; broken: refuses them",                 "QS-25") \
    B(FLUSHED_STATUS,     OTHER,       "completes flushed work with Flushed; broken: with success",              "QS-25, RQ-57") \
    B(ERR_KEEPS_SRQ,      OTHER,       "leaves in Error the receives of the SRQ posted; broken: flushes them as well", "QS-27, QS-52") \
    B(ERR_SILENT,         DROP,        "sends no pending response in Error",                                     "RQ-61, QS-25") \
    B(LAST_WORDS,         DROP,        "sends the NAK that ends the connection",                                 "RR-58") \
    B(SQE_FLUSHES,        DROP,        "completes in SQE the work of its send queue",                            "QS-24")

/* How objects are created, used and destroyed.
 *    name                kinds  a device ...                                                              clause */
#define IBA_VERB_BEHAVIOURS(B)                                                                                             \
    B(QP_SHARES,          DROP,  "makes no QP of a type without SRQ on one",                               "QS-28, QS-44") \
    B(QP_PD,              DROP,  "makes no QP in a protection domain that does not exist",                 "QS-28") \
    B(QP_SRQ,             DROP,  "makes no QP on an SRQ that does not exist",                              "QS-28") \
    B(QPN_RANDOM,         OTHER, "gives QPs random numbers; broken: the lowest free ones",                 "QS-30") \
    B(QPN_ORDINARY,       DROP,  "gives no QP the number 1 or 0xFFFFFF",                                   "WF-37") \
    B(QP_ATTACHED,        DROP,  "does not destroy a QP that is attached to a group",                      "QS-29, UU-25") \
    B(QP_BINDS,           DROP,  "destroys a QP that has bound type 2 windows",                            "QS-29, QS-69") \
    B(CQ_BUSY,            DROP,  "does not destroy a CQ that QPs complete into",                           "QS-28") \
    B(SRQ_BUSY,           DROP,  "does not destroy an SRQ that QPs take from",                             "QS-28") \
    B(XRCD_BUSY,          DROP,  "does not close an XRC domain that a target QP or an SRQ is in",          "QS-44") \
    B(SRQ_PD,             DROP,  "makes no SRQ in a protection domain that does not exist",                "QS-42") \
    B(AH_PD,              DROP,  "makes no address handle in a protection domain that does not exist",     "QS-82") \
    B(ATTACH_TYPE,        DROP,  "attaches UD and raw QPs only",                                           "UU-25") \
    B(ATTACH_GID,         DROP,  "attaches to multicast GIDs only",                                        "UU-25, KM-38") \
    B(ATTACH_LID,         DROP,  "attaches to multicast LIDs only",                                        "UU-25, WF-15") \
    B(ATTACH_ONCE,        DROP,  "attaches once when it is attached twice",                                "UU-25, PV-29") \
    B(ATTACH,             DROP,  "delivers to a QP that was attached",                                     "UU-25") \
    B(DETACH,             DROP,  "delivers no more to a QP that was detached",                             "UU-25")

/* The events that the adapter raises, in the order of enum iba_event_kind.
 *    event                kinds  a device ...                                                             clause */
#define IBA_EVENT_BEHAVIOURS(B)                                                                                           \
    B(PATH_MIGRATED,       DROP,  "raises the event of a migration",                                               "QS-75, QS-78") \
    B(COMM_ESTABLISHED,    DROP,  "raises an event for the first request in RTR",                                    "QS-20, RR-64, QS-75") \
    B(SQ_DRAINED,          DROP,  "raises the event of a drained send queue",                                 "QS-23, QS-75") \
    B(LAST_WQE_REACHED,    DROP,  "raises the event that a QP in Error took its last receive from the SRQ",                  "QS-27, QS-75") \
    B(SRQ_LIMIT,           DROP,  "raises the event of an SRQ below its limit",                               "QS-38, QS-75") \
    B(SRQ_CATASTROPHIC,    DROP,  "raises the event of an SRQ in error",                                         "QS-43, QS-76") \
    B(CQ_ERROR,            DROP,  "raises the event of a CQ overflow",                                           "QS-32, QS-76") \
    B(WQ_INVALID_REQUEST,  DROP,  "raises an event for an invalid request that consumed no receive",                     "RR-59, QS-76") \
    B(WQ_ACCESS_VIOLATION, DROP,  "raises an event for a denied access that consumed no receive",                     "RR-59, QS-76") \
    B(PKEY_CHANGE,         DROP,  "raises the event of a P_Key change",                                       "QS-77") \
    B(PKEY_VIOLATION,      DROP,  "raises an event for packets of other partitions",                                 "PV-17") \
    B(QKEY_VIOLATION,      DROP,  "raises an event for datagrams with another Q_Key",                                "PV-18")

/* Completion queues, receive queues, shared receive queues.
 *    name                kinds        a device ...                                                              clause */
#define IBA_QUEUE_BEHAVIOURS(B)                                                                                           \
    B(CQ_ORDER,           OTHER,       "gives completions oldest first; broken: newest first",                   "QS-34") \
    B(CQ_OVERFLOW,        DROP|OTHER,  "makes a CQ unusable when it overflows; left out: only drops the completion; broken: the oldest one", "QS-32") \
    B(CQ_OVERFLOW_FAILS,  DROP,        "fails the QPs of a CQ that overflows",                                   "QS-32") \
    B(CQ_LOST_FAILS,      DROP,        "fails a QP that completes into an overflowed CQ",                        "QS-32") \
    B(CQ_ONCE,            OTHER,       "writes one completion for each work request; broken: two",               "QS-31") \
    B(ARM_LOST,           DROP,        "does not arm an overflowed CQ",                                          "QS-32") \
    B(ARM_STRENGTHENS,    DROP,        "extends the arming of a CQ to any completion, never reduces it",         "QS-33") \
    B(ARM_ONCE,           DROP,        "notifies once each time it is armed",                                    "QS-33") \
    B(ARM_SOLICITED,      DROP|OTHER,  "notifies of solicited completions when armed for them; broken: of any",  "QS-33, WF-29") \
    B(ARM_ERRORS,         DROP,        "notifies of errors when armed for solicited completions",                "QS-33, WF-29") \
    B(ARM_NEXT,           DROP,        "notifies of any completion when armed for the next",                     "QS-33") \
    B(RESIZE_FITS,        DROP,        "refuses to resize a CQ to fewer entries than it has completions",        "QS-35") \
    B(RESIZE_KEEPS,       DROP|OTHER,  "keeps the completions of a CQ that is resized; left out: loses them; broken: gives the newest first", "QS-35") \
    B(RESIZE_ROOM,        DROP,        "has space for new completions in a CQ that was enlarged",                "QS-35") \
    B(RECV_ORDER,         OTHER,       "takes receives oldest first; broken: newest first",                      "QS-37, RR-06") \
    B(RECV_RESET,         DROP,        "refuses receives in Reset",                                              "QS-17") \
    B(RECV_INIT,          DROP,        "takes receives in Init",                                                 "QS-18") \
    B(RECV_FULL,          OTHER,       "refuses receives when its queue is full; broken: drops them",            "QS-83") \
    B(FLUSH_ORDER,        OTHER,       "flushes receives oldest first; broken: newest first",                    "QS-25, QS-34") \
    B(SRQ_LIMIT_BELOW,    OTHER,       "raises the limit event of an SRQ below its limit; broken: at its limit too", "QS-38") \
    B(SRQ_LIMIT_ONCE,     DROP,        "raises the limit event of an SRQ once",                                  "QS-38")
/* clang-format on */

#define IBA_MODIFY_ROW(name, ...) IBA_ROW_modify_##name,
enum iba_modify_row { IBA_MODIFY_BEHAVIOURS(IBA_MODIFY_ROW) IBA_ROW_modify_COUNT };
#define IBA_ATTR_ROW(name, ...) IBA_ROW_attr_##name,
enum iba_attr_row { IBA_ATTR_BEHAVIOURS(IBA_ATTR_ROW) IBA_ROW_attr_COUNT };
#define IBA_STATE_ROW(name, ...) IBA_ROW_state_##name,
enum iba_state_row { IBA_STATE_BEHAVIOURS(IBA_STATE_ROW) IBA_ROW_state_COUNT };
#define IBA_VERB_ROW(name, ...) IBA_ROW_verb_##name,
enum iba_verb_row { IBA_VERB_BEHAVIOURS(IBA_VERB_ROW) IBA_ROW_verb_COUNT };
#define IBA_EVENT_ROW(name, ...) IBA_ROW_event_##name,
enum iba_event_row { IBA_EVENT_BEHAVIOURS(IBA_EVENT_ROW) IBA_ROW_event_COUNT };
#define IBA_QUEUE_ROW(name, ...) IBA_ROW_queue_##name,
enum iba_queue_row { IBA_QUEUE_BEHAVIOURS(IBA_QUEUE_ROW) IBA_ROW_queue_COUNT };

/* The row of a transition. For two states without a transition, the row says that the device refuses it. */
#define IBA_ROW_of_transition(from, to) ((unsigned)(from)*IBA_QPS_COUNT + (unsigned)(to))
extern const struct iba_behaviours iba_transition_behaviours;
extern const struct iba_behaviours iba_modify_behaviours, iba_attr_behaviours, iba_state_behaviours;
extern const struct iba_behaviours iba_verb_behaviours, iba_event_behaviours, iba_queue_behaviours;
#define IBA_QP_LISTS(L)                                                                                                \
    L(iba_transition_behaviours)                                                                                       \
    L(iba_modify_behaviours)                                                                                           \
    L(iba_attr_behaviours)                                                                                             \
    L(iba_state_behaviours)                                                                                            \
    L(iba_verb_behaviours)                                                                                             \
    L(iba_event_behaviours)                                                                                            \
    L(iba_queue_behaviours)

#endif
