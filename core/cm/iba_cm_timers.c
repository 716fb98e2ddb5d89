/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows for the timer of a connection that runs out (section 12.9.8; MD-68, MD-69, MD-78). */
#include "cm/iba_cm_rows.h"

#define ASKING (IN(REQ_SENT) | IN(MRA_REQ_RCVD))
#define OFFERING (IN(REP_SENT) | IN(MRA_REP_RCVD))
#define LOADING (IN(LAP_SENT) | IN(MRA_LAP_RCVD))

static bool may_retry(const struct iba_cm_rx *x)
{
    return x->c->tries > 0;
}

/* clang-format off */
/*    name             on     in                 when           take  answer   code next           timer     event            the timer of a connection ...                                   clause */
#define CM_TIMER_RULES(R)                                                                                                                                                                                     \
    R(req_again,       TIMER, ASKING,            may_retry,     NULL, AGAIN,   0,   REQ_SENT,      RETRY,    NONE,            "that waits for a REP runs out",                                  "MD-68")     \
    R(rep_again,       TIMER, OFFERING,          may_retry,     NULL, AGAIN,   0,   REP_SENT,      RETRY,    NONE,            "that waits for an RTU runs out",                                 "MD-68")     \
    R(lap_again,       TIMER, LOADING,           may_retry,     NULL, AGAIN,   0,   LAP_SENT,      RETRY,    NONE,            "that waits for an APR runs out",                                 "MD-68")     \
    R(dreq_again,      TIMER, IN(DREQ_SENT),     may_retry,     NULL, AGAIN,   0,   SAME,          RETRY,    NONE,            "that waits for a DREP runs out",                                 "MD-68")     \
    R(sidr_again,      TIMER, IN(SIDR_REQ_SENT), may_retry,     NULL, AGAIN,   0,   SAME,          RETRY,    NONE,            "that waits for a SIDR_REP runs out",                             "MD-68")     \
    R(req_given_up,    TIMER, ASKING,            iba_cm_always, NULL, REJ,     4,   NONE,          NONE,     UNREACHABLE,     "that waits for a REP runs out, after MaxCMRetries",              "MD-68")     \
    R(rep_given_up,    TIMER, OFFERING,          iba_cm_always, NULL, REJ,     4,   TIMEWAIT,      TIMEWAIT, UNCONFIRMED,     "that waits for an RTU runs out, after MaxCMRetries",             "MD-68")     \
    R(lap_given_up,    TIMER, LOADING,           iba_cm_always, NULL, NOTHING, 0,   ESTABLISHED,   NONE,     UNLOADED,        "that waits for an APR runs out, after MaxCMRetries",             "MD-68")     \
    R(dreq_given_up,   TIMER, IN(DREQ_SENT),     iba_cm_always, NULL, NOTHING, 0,   TIMEWAIT,      TIMEWAIT, UNRELEASED,      "that waits for a DREP runs out, after MaxCMRetries",             "MD-68")     \
    R(sidr_given_up,   TIMER, IN(SIDR_REQ_SENT), iba_cm_always, NULL, NOTHING, 0,   NONE,          NONE,     SIDR_UNANSWERED, "that waits for a SIDR_REP runs out, after MaxCMRetries",         "MD-68")     \
    R(timewait_over,   TIMER, IN(TIMEWAIT),      iba_cm_always, NULL, NOTHING, 0,   NONE,          NONE,     TIMEWAIT_EXIT,   "in TimeWait runs out",                                           "MD-78")
/* clang-format on */

IBA_CM_RULE_TABLE(CM_TIMER_RULES, iba_cm_timer_rules, "CM timers")
