/* SPDX-License-Identifier: BSD-2-Clause */
/* The CM's behaviour as data: tables of rows. A row gives an input (a message, a timer, a verb), the states in which it
 * applies, and its effects.
 *
 *   R(name, on, in, when, take, answer, code, next, timer, event, sentence, clause)
 *     on      the message, IBA_CM_ON_TIMER or a verb
 *     in      a set of states, separated by |
 *     when    a further condition: a function without side effects
 *     take    what the connection remembers of the input
 *     answer  the message that the CM sends
 *     code    reason of a REJ, status of an APR or SIDR_REP; 0 where a verb gives it
 *     next    the state after the input; SAME: the state does not change
 *     timer   the timer that starts
 *     event   the event that the caller gets
 *
 * The first row that applies decides; each row counts how often it decided. If no row applies, a message is dropped,
 * and a verb fails (WRONG_STATE). A broken CM has one column of one row changed (deviations_cm.h). */
#ifndef IBA_CM_RULES_H
#define IBA_CM_RULES_H
#include "cm/iba_cm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs: the 13 messages in the order of their attribute IDs, timers, verbs. The input `forget` means that the peer
 * has lost the connection, as one of its messages shows. */
/* clang-format off */
#define IBA_CM_INPUTS(I)                                                                                               \
    I(REQ) I(MRA) I(REJ) I(REP) I(RTU) I(DREQ) I(DREP) I(SIDR_REQ) I(SIDR_REP) I(LAP) I(APR) I(SAP) I(SPR)             \
    I(TIMER)                                                                                                           \
    I(connect) I(accept) I(confirm) I(reject) I(delay) I(established) I(disconnect) I(abandon) I(load) I(loaded)       \
    I(suggest) I(suggested) I(resolve) I(resolved) I(forget)
/* clang-format on */
enum iba_cm_input {
#define IBA_CM_INPUT_ID(name) IBA_CM_ON_##name,
    IBA_CM_INPUTS(IBA_CM_INPUT_ID) IBA_CM_ON_COUNT
};

/* The messages that a row may send. AGAIN: the connection's last message once more, unchanged (MD-68). */
#define IBA_CM_ANSWERS(A)                                                                                              \
    A(NOTHING)                                                                                                         \
    A(AGAIN) A(REQ) A(MRA) A(REJ) A(REP) A(RTU) A(DREQ) A(DREP) A(SIDR_REQ) A(SIDR_REP) A(LAP) A(APR) A(SAP) A(SPR)
enum iba_cm_answer {
#define IBA_CM_ANSWER_ID(name) IBA_CMA_##name,
    IBA_CM_ANSWERS(IBA_CM_ANSWER_ID) IBA_CMA_COUNT
};

enum iba_cm_timer {
    IBA_CMT_NONE,     /* the row starts no timer; a timer that runs stops when the state changes */
    IBA_CMT_RESPONSE, /* the peer has its response time, and then MaxCMRetries times the same again */
    IBA_CMT_RETRY,    /* the peer has its response time once more, after a retry */
    IBA_CMT_SERVICE,  /* the peer has the time that its MRA asks for */
    IBA_CMT_TIMEWAIT,
    IBA_CMT_COUNT
};
enum { IBA_CM_SAME = IBA_CMS_COUNT }; /* `next`: the state does not change */

struct iba_cm_rx;
typedef bool iba_cm_when(const struct iba_cm_rx *x);
typedef void iba_cm_take(struct iba_cm_rx *x);

struct iba_cm_rule {
    const char *name, *sentence, *clause;
    iba_cm_when *when;
    iba_cm_take *take;
    uint32_t in; /* 1 << enum iba_cm_state */
    uint8_t on, answer, next, timer, event;
    uint16_t code;
    uint16_t hit; /* index of the row's counter */
};
struct iba_cm_rules {
    const char *name;
    const struct iba_cm_rule *row;
    uint16_t n;
};
extern const struct iba_cm_rules iba_cm_message_rules, iba_cm_timer_rules, iba_cm_verb_rules;

#ifdef __cplusplus
}
#endif

#endif
