/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a connection was not made, or how it was made and ended: one sentence, from a table. A message
 * that was seen may be lost after the capture point, and one that was not seen may have been sent: no sentence says
 * more than the capture shows. */
#ifndef DISSECT_CM_WHY_H
#define DISSECT_CM_WHY_H
#include "observer/iba_finding.h"
#include "track/cm_track.h"

/* Facts that the messages of a connection show. A row wants some and excludes others. */
/* clang-format off */
#define CM_FACTS(F) \
    F(SIDR)             /* it resolves a datagram service; there is no connection */                \
    F(REJ)              /* a REJ, or a SIDR_REP with another status than 0 */                       \
    F(REJ_OF_ACTIVE)    /* the REJ is the active end's */                                           \
    F(MRA)              /* the passive end asked for more time */                                   \
    F(REP)                                                                                          \
    F(RTU)                                                                                          \
    F(DREQ)                                                                                         \
    F(DREP)                                                                                         \
    F(REQ_AGAIN)        /* more than one */                                                         \
    F(REP_AGAIN)                                                                                    \
    F(DREQ_AGAIN)                                                                                   \
    F(REQ_AFTER_REP)    /* so the active end had not taken the REP */                               \
    F(REP_AFTER_RTU)    /* so the passive end had not taken the RTU, or it answers another REQ */ \
    F(WAITS)            /* the run ended sooner after the first REQ than its sender must wait for an answer */

/* Rows of one group, the first that fits counts.
 *   kind              wants             excludes          reasons  severity  sentence                                      clause
 * Words in braces are replaced: see cm_why_print(). */
#define CM_WHY_SETUP(W)                                                                                                                   \
    W(SIDR_NO_SERVICE,   SIDR | REJ,       0,                1,  1, WARN, "{passive} has no program that takes datagrams at {service}: {reason}", "MD-80") \
    W(SIDR_REFUSED,      SIDR | REJ,       0,                0, ANY, WARN, "{passive} names no QP for {service}: {reason}",                 "MD-80") \
    W(SIDR_RESOLVED,     SIDR | REP,       0,                0, ANY, NOTE, "{passive} names a QP for {service} after {answer}",             "MD-60") \
    W(SIDR_WAITS,        SIDR | WAITS,     0,                0, ANY, NOTE, "the capture ends {since} after {active}'s SIDR_REQ, with no answer yet", "MD-60") \
    W(SIDR_NO_ANSWER,    SIDR | REQ_AGAIN, 0,                0, ANY, WARN, "{passive} does not answer {active}: {reqs} in {asked}",         "MD-60, MD-68") \
    W(SIDR_NOTHING_SEEN, SIDR,             0,                0, ANY, NOTE, "the capture has no answer to the SIDR_REQ of {active}, which does not send it again", "MD-60") \
    W(GAVE_UP_ON_REP,    REJ | REJ_OF_ACTIVE | REP, 0,       4,  4, WARN, "{active} gives up after {reqs}: {passive} sent {reps}, but none arrived", "MD-68") \
    W(REP_REFUSED,       REJ | REJ_OF_ACTIVE | REP, 0,       0, ANY, WARN, "{active} refuses the REP of {passive}: {reason}",               "MD-85") \
    W(GAVE_UP_AFTER_MRA, REJ | REJ_OF_ACTIVE | MRA, 0,       4,  4, WARN, "{passive} asked for {more} more (MRA) and did not answer; {active} gives up {ended} after its REQ", "MD-69") \
    W(GAVE_UP,           REJ | REJ_OF_ACTIVE, 0,             4,  4, WARN, "{passive} does not answer; {active} gives up {ended} after its REQ, with {reqs}", "MD-68") \
    W(WITHDRAWN,         REJ | REJ_OF_ACTIVE, 0,             0, ANY, WARN, "{active} withdraws its REQ: {reason}",                          "MD-74") \
    W(NO_LISTENER,       REJ,              0,                8,  8, WARN, "{passive} has no program that listens at {service}: {reason}",  "MD-72") \
    W(STALE,             REJ,              0,               10, 10, WARN, "{passive} still has a connection with QP {qp} of {active}: {reason}", "MD-73") \
    W(REFUSED,           REJ,              0,               28, 28, WARN, "the program at {service} of {passive} refuses, ended before it accepted, or listens at another address: {reason}", "MD-74") \
    W(NO_RESOURCES,      REJ,              0,                1,  3, WARN, "{passive} lacks resources for the connection: {reason}",        "MD-74") \
    W(RTU_LOST,          REJ | RTU,        0,                4,  4, WARN, "{passive} gives up after {reps}: {active} sent {rtus}, but none arrived", "MD-68, MD-84") \
    W(RTU_MISSING,       REJ | REP,        0,                4,  4, WARN, "{passive} gives up after {reps}: {active} does not confirm",    "MD-68") \
    W(REDIRECTED,        REJ,              0,               24, 25, WARN, "{passive} sends {active} to another port: {reason}",            "MD-74") \
    W(UNKNOWN_ID,        REJ,              0,                6,  7, WARN, "{passive} does not know the connection: {reason}",              "MD-75") \
    W(VALUE_REFUSED,     REJ,              0,                0, ANY, WARN, "{passive} refuses what the REQ asks for: {reason}",             "MD-74") \
    W(CONNECTED_LATE,    RTU | REQ_AGAIN,  0,                0, ANY, WARN, "connected, but only after {confirmed}: {reqs}, {reps}, {rtus}",  "MD-68") \
    W(RTU_LATE,          RTU | REP_AFTER_RTU, 0,             0, ANY, WARN, "connected, but the RTU of {active} was late or lost: {reps}, {rtus}", "MD-71, MD-84") \
    W(CONNECTED,         RTU,              0,                0, ANY, NOTE, "connected in {confirmed}",                                      "MD-67") \
    W(REP_LOST,          REP | REQ_AFTER_REP, 0,             0, ANY, WARN, "{passive} sent {reps}, but none arrived at {active}: {reqs}",   "MD-70") \
    W(CONNECTED_BEFORE,  DREQ,             0,                0, ANY, NOTE, "connected, though the capture does not show it",                      "MD-66") \
    W(NOT_CONFIRMED,     REP | REP_AGAIN,  0,                0, ANY, WARN, "{active} does not confirm: {reps} in {replied}, and the capture has no RTU",    "MD-68") \
    W(NO_RTU_SEEN,       REP,              0,                0, ANY, NOTE, "{passive} accepts after {answer}; the capture has no RTU",      "MD-66") \
    W(WAITS_AFTER_MRA,   MRA | WAITS,      0,                0, ANY, NOTE, "{passive} asked for {more} more (MRA); the capture ends before they are over", "MD-69") \
    W(NO_ANSWER_AFTER_MRA, MRA,            0,                0, ANY, WARN, "{passive} asked for {more} more (MRA) and did not answer",      "MD-69") \
    W(WAITS_FOR_ANSWER,  WAITS,            0,                0, ANY, NOTE, "the capture ends {since} after {active}'s REQ, with no answer yet", "MD-68") \
    W(NO_ANSWER,         REQ_AGAIN,        0,                0, ANY, WARN, "{passive} does not answer: {reqs} in {asked}",                  "MD-68") \
    W(NOTHING_SEEN,      0,                0,                0, ANY, NOTE, "the capture has no answer to the REQ of {active}, which does not send it again", "MD-68")

#define CM_WHY_END(W)                                                                                                                     \
    W(DREQ_UNANSWERED,   DREQ | DREQ_AGAIN, DREP,            0, ANY, WARN, "{releaser} disconnects, and {released} does not answer: {dreqs} in {releasing}", "MD-68, MD-76") \
    W(DISCONNECTED_LATE, DREQ | DREQ_AGAIN | DREP, 0,        0, ANY, WARN, "{releaser} disconnects, but only after {dreqs}",                "MD-68, MD-76") \
    W(DISCONNECTED,      DREQ | DREP,      0,                0, ANY, NOTE, "{releaser} disconnects after {lasted}",                         "MD-76") \
    W(DISCONNECTS,       DREQ,             0,                0, ANY, NOTE, "{releaser} disconnects after {lasted}; the capture has no DREP", "MD-76")
/* clang-format on */

enum cm_why {
#define CM_WHY_ID(kind, ...) CM_WHY_##kind,
    CM_WHY_SETUP(CM_WHY_ID) CM_WHY_END(CM_WHY_ID) CM_WHY_COUNT
};
struct cm_why_info {
    const char *name, *sentence, *clause;
    uint8_t severity; /* enum iba_severity */
};
extern const struct cm_why_info cm_whys[CM_WHY_COUNT];

/* How the attempt to connect went, as far as the messages until now show; now_ns: since the first packet of the run. */
enum cm_why cm_why_setup(const struct cm_connection *c, int64_t now_ns);
/* How the connection ended; CM_WHY_COUNT: it did not. */
enum cm_why cm_why_end(const struct cm_connection *c);
/* The name of its end; while it lasts, that of the attempt. Static text. */
const char *cm_why_now(const struct cm_connection *c, int64_t now_ns);
/* The sentence about this connection, at most OUT_SLACK bytes. */
void cm_why_print(struct out *o, enum cm_why why, const struct cm_connection *c, int64_t now_ns);
#endif
