/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of finding has one row here, and a name. Only files that name a kind include this header, so that a new
 * row does not rebuild the other files. Other files read iba_findings[] (iba_finding.h). */
#ifndef IBA_FINDING_KINDS_H
#define IBA_FINDING_KINDS_H
#include "observer/iba_finding.h"

/* clang-format off */
/* One row for each kind of finding. "The packet ..." goes before its sentence. `field` is the filter name below infiniband.analysis; several kinds may share a field. Clauses are ids of the catalogue.
 *   kind               field              severity sentence                                                          clause */
#define IBA_FINDINGS(F)                                                                                                         \
    F(RETRY_NAK,        retransmission,    WARN,  "is sent again: the responder asked for it",                          "RQ-26")  \
    F(RETRY_RNR,        retransmission,    WARN,  "is sent again: the receiver was not ready",                          "RQ-28")  \
    F(RETRY_IMPLIED,    retransmission,    WARN,  "is sent again: a response showed that another was lost",             "RQ-36")  \
    F(RETRY_TIMEOUT,    retransmission,    WARN,  "is sent again: its timer ran out",                                   "RQ-21")  \
    F(RETRY_UNCLEAR,    retransmission,    WARN,  "is sent again, and the capture does not show why",                   "RQ-21")  \
    F(RETRY_CHANGED,    retransmission,    ERROR, "is sent again with other headers",                                   "RQ-06")  \
    F(RETRY_PAYLOAD,    retransmission,    NOTE,  "is sent again with other payload: its buffer changed before it was acknowledged", "§10.8") \
    F(RETRY_LIMIT,      retransmission,    WARN,  "is sent again more often than a retry counter of 3 bits allows",     "RQ-22")  \
    F(ANSWER_AGAIN,     retransmission,    NOTE,  "answers a request that was answered before",                         "RR-25, RR-28") \
    F(NETWORK_COPY,     duplicate,         WARN,  "is a copy made by the network",                                      "RR-23")  \
    F(GAP,              gap,               WARN,  "jumps over PSNs: those before it are missing",                       "RQ-01, UU-03") \
    F(RESPONSE_GAP,     gap,               WARN,  "jumps over a response that is missing",                              "RQ-37")  \
    F(ANSWER_MISSING,   gap,               WARN,  "answers a later request than a READ or ATOMIC whose response is missing", "RQ-36") \
    F(NOT_CAPTURED,     gap,               NOTE,  "acknowledges requests that the capture lacks: they did arrive",      "RR-10")  \
    F(LATE,             out_of_order,      WARN,  "was overtaken by packets that were sent after it",                   "RR-02")  \
    F(REORDERED,        out_of_order,      NOTE,  "overtakes others, as many do here: the receiver takes them in any order, and no NAK asks for them",       "RR-02") \
    F(NAK_SEQUENCE,     nak,               WARN,  "is a NAK: the responder misses this PSN",                            "RR-03")  \
    F(NAK_INVALID,      nak,               ERROR, "is a NAK: the responder cannot take the request",                    "RQ-51")  \
    F(NAK_ACCESS,       nak,               ERROR, "is a NAK: the responder denies the access",                          "RQ-51")  \
    F(NAK_OPERATION,    nak,               ERROR, "is a NAK: the responder failed",                                     "RQ-51")  \
    F(NAK_RD,           nak,               ERROR, "is a NAK: the responder refuses the reliable datagram",              "RQ-51")  \
    F(NAK_RESERVED,     nak,               ERROR, "is a NAK with a reserved code",                                      "WF-48")  \
    F(SYNDROME_RESERVED, nak,              ERROR, "has a reserved syndrome",                                            "WF-48")  \
    F(NAK_AGAIN,        nak,               WARN,  "repeats a NAK before the requested packet has come",                 "RR-04")  \
    F(NAK_AFTER_RNR,    nak,               WARN,  "is a NAK for a request that just got an RNR NAK",                    "RR-51")  \
    F(NAK_IGNORED,      nak,               WARN,  "is a NAK without effect: the requested packet came only when a timer ran out",  "RQ-26") \
    F(RNR,              rnr,               WARN,  "says that the receiver is not ready",                                "RR-49")  \
    F(RNR_EARLY,        rnr,               WARN,  "is sent again before the wait of the RNR NAK is over",               "RQ-28")  \
    F(GHOST_ACK,        ghost_ack,         WARN,  "answers a PSN that was not sent",                                    "RQ-33")  \
    F(ACK_AGAIN,        duplicate_ack,     NOTE,  "acknowledges a PSN that was acknowledged before",                    "RQ-33")  \
    F(CREDIT_UPDATE,    credit,            NOTE,  "repeats an acknowledgement with other credits",                      "RR-22")  \
    F(CREDIT_STALL,     credit,            NOTE,  "could not be sent sooner, for lack of credits",                      "RQ-40, RQ-41") \
    F(MSN_WRONG,        msn,               ERROR, "has an MSN that does not match the messages sent",                   "RR-16")  \
    F(SILENCE,          timeout,           WARN,  "asks for a response, and got no good one",                           "RR-09")  \
    F(AFTER_FATAL,      after_fatal,       ERROR, "is a request on a connection that a NAK has ended",                  "RQ-61")  \
    F(END_REFUSED,      end,               NOTE,  "refuses the connection",                                             "MD-74")  \
    F(END_NAK,          end,               NOTE,  "ends the connection: no new request followed",                       "RQ-51, RQ-61") \
    F(END_RETRIES,      end,               NOTE,  "ends the connection: no response came, and it was not sent again",   "RQ-22")  \
    F(END_RNR,          end,               NOTE,  "ends the connection: the receiver was never ready, and no new request followed",      "RQ-29") \
    F(QP_REUSED,        qp_reuse,          NOTE,  "is the first of another connection of its QP",                       "QS-30")  \
    F(SEQUENCE,         opcode_sequence,   ERROR, "does not continue the unfinished message before it",                 "RR-33, UU-06")  \
    F(ANSWER_KIND,      opcode_sequence,   ERROR, "is not a response to that kind of request",                          "RQ-48")  \
    F(ANSWER_SEQUENCE,  opcode_sequence,   ERROR, "is not the READ response that belongs at its PSN",                   "RQ-46")  \
    F(PSN_OF_READ,      psn_of_read,       ERROR, "has a PSN that the READ before it takes: the ends count its packets differently", "RQ-02")  \
    F(SERVICE,          opcode_sequence,   ERROR, "is of another service than those before and after it",                          "WF-60")  \
    F(OPCODE_RESERVED,  opcode_sequence,   ERROR, "has a reserved opcode",                                              "WF-61")  \
    F(OPCODE_VENDOR,    opcode_sequence,   NOTE,  "has a manufacturer specific opcode",                                 "VN-02")  \
    F(LENGTH,           length,            ERROR, "has a payload that its opcode cannot have",                          "WF-62")  \
    F(DMA_LENGTH,       length,            ERROR, "does not complete the message's DMA length",                         "RR-37, UU-07")  \
    F(ANSWER_LENGTH,    length,            ERROR, "has another length than the missing part of the READ",               "RQ-47")  \
    F(MALFORMED,        length,            ERROR, "has lengths or headers that do not fit",                             "PV-34")  \
    F(BAD_ICRC,         icrc,              ERROR, "has no good ICRC: it was damaged in flight",                         "WF-78")  \
    F(BAD_VCRC,         vcrc,              ERROR, "has no good VCRC: it was damaged on its last link",                  "WF-80")  \
    F(PKEY,             pkey,              WARN,  "has another partition than those before it",                         "PV-09")  \
    F(MAD_PKEY,         pkey,              WARN,  "answers a management datagram with another partition's P_Key",       "MD-07")  \
    F(QKEY,             qkey,              WARN,  "has another Q_Key than the datagrams before it",                     "PV-18")  \
    F(SPOOF,            spoof,             WARN,  "comes to a connected QP from another address than its peer's",       "PV-22")  \
    F(PATH_CHANGED,     path_change,       NOTE,  "takes another path than those before it",                            "RO-13, RO-15, RO-19") \
    F(CNP,              cnp,               NOTE,  "is a congestion notification",                                       "WF-81")  \
    F(ECN,              ecn,               NOTE,  "has a congestion mark",                                              "RO-41")  \
    F(EVICTED,          evicted,           NOTE,  "replaces a connection that was not seen for long",                   "§9.7")  \
    F(CM_VERSION,       cm,                ERROR, "is a message of the connection manager with another class version than 2", "MD-54")  \
    F(CM_METHOD,        cm,                ERROR, "is a message of the connection manager with another method than Send",     "MD-54")  \
    F(CM_UNDEFINED,     cm,                WARN,  "has a value that the connection manager does not define",            "MD-55, MD-56, MD-74, MD-79, MD-80")  \
    F(CM_ROLE,          cm,                ERROR, "is, or names, a message that only the other end of its connection sends",  "MD-56, MD-65, MD-67")  \
    F(CM_TRANSACTION,   cm,                ERROR, "answers a message under another transaction ID",                     "MD-54, MD-67")  \
    F(CM_IDS,           cm,                WARN,  "has other communication IDs than its connection",                    "MD-56, MD-57, MD-58, MD-59, MD-60")  \
    F(CM_OTHER_QP,      cm,                ERROR, "names another QP than the peer's",                                   "MD-58, MD-59, MD-76")  \
    F(CM_BOUNDS,        cm,                NOTE,  "grants or takes more READs and ATOMICs than the REQ offers",         "MD-62")  \
    F(CM_SERVICE,       cm,                ERROR, "resolves another service than its SIDR_REQ asks for",                "MD-60")  \
    F(CM_UNKNOWN,       cm,                NOTE,  "does not know the connection that its own REQ asks for",             "MD-67, MD-75")  \
    F(CM_AGAIN,         cm,                NOTE,  "is a message of the connection manager that is sent again: no answer came in time",            "MD-68")  \
    F(CM_AGAIN_ANSWERED, cm,               NOTE,  "is a message of the connection manager that is sent again after its answer was seen",          "MD-68")  \
    F(CM_AGAIN_CHANGED, cm,                ERROR, "is sent again by the connection manager with other content or another transaction ID",        "MD-68")  \
    F(CM_AGAIN_EARLY,   cm,                WARN,  "is sent again by the connection manager before the time for an answer is over",                "MD-69")  \
    F(CM_AGAIN_LIMIT,   cm,                WARN,  "is sent again by the connection manager more often than MaxCMRetries allows",                  "MD-68") \
    F(SWITCH_LOST,      fabric,            WARN,  "enters a switch and does not leave it",                              "§18.2")  \
    F(SWITCH_NO_ROUTE,  fabric,            WARN,  "enters a switch that has no route for its LID, and does not leave it", "KM-63") \
    F(SWITCH_PARTITION, fabric,            WARN,  "enters a switch that enforces other partitions, and does not leave it", "KM-16") \
    F(SWITCH_NO_LANE,   fabric,            WARN,  "enters a switch that has no lane for its SL, and does not leave it", "KM-44")  \
    F(ROUTE_WRONG,      fabric,            NOTE,  "leaves a switch by another port than the one of its LID",            "KM-63")  \
    F(ROUTE_LOOP,       fabric,            ERROR, "enters a switch that it has left before: its route is a loop",       "KM-63")  \
    F(LANE_WRONG,       fabric,            ERROR, "leaves a switch on another lane than the one of its SL",             "KM-44")  \
    F(PARTITION_PASSED, fabric,            ERROR, "leaves a switch that enforces other partitions",                     "KM-16") \
    F(LANE_STALL,       fabric,            NOTE,  "leaves a switch late: its lane had no credits for it",               "KM-48")  \
    F(TRAP_AGAIN,       fabric,            WARN,  "is a trap that is sent again: no TrapRepress has ended it",          "KM-60, KM-61") \
    F(TRAP_REPRESSED,   fabric,            WARN,  "is a trap that is sent again although its TrapRepress has reached the agent", "KM-61") \
    F(M_KEY_OTHER,      fabric,            WARN,  "has another M_Key than the port that it asks",                       "KM-02")  \
    F(M_KEY_IGNORED,    fabric,            ERROR, "answers a Set that had another M_Key",                               "KM-02, KM-03") \
    F(SM_HANDOVER,      fabric,            NOTE,  "hands the subnet over to another manager",                           "KM-53, KM-54")
/* clang-format on */

enum iba_finding_kind {
#define IBA_FINDING_ID(kind, ...) IBA_FINDING_##kind,
    IBA_FINDINGS(IBA_FINDING_ID) IBA_FINDING_COUNT,
    /* The observer reports the kinds before this one. Kinds from this one on are about connection managers: the caller,
     * which follows the managers, reports them.
     */
    IBA_FINDING_FIRST_CM = IBA_FINDING_CM_VERSION,
    /* Kinds from this one on are about switches and links: a caller that sees several links reports them. */
    IBA_FINDING_FIRST_FABRIC = IBA_FINDING_SWITCH_LOST
};
#endif
