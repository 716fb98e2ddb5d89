/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros that make a table of the CM from its list of rows (iba_cm_rules.h). Not for users of libiba. */
#ifndef IBA_CM_ROWS_H
#define IBA_CM_ROWS_H
#include "cm/iba_cm_input.h"

#define IN(state) (1u << IBA_CMS_##state)
#define IBA_CMS_SAME IBA_CM_SAME
#define IBA_CM_RULE_HIT(name_, ...) HIT_##name_,
#define IBA_CM_RULE_ROW(name_, on_, in_, when_, take_, answer_, code_, next_, timer_, event_, sentence_, clause_)      \
    {.name = #name_,                                                                                                   \
     .sentence = sentence_,                                                                                            \
     .clause = clause_,                                                                                                \
     .when = when_,                                                                                                    \
     .take = take_,                                                                                                    \
     .in = in_,                                                                                                        \
     .on = IBA_CM_ON_##on_,                                                                                            \
     .answer = IBA_CMA_##answer_,                                                                                      \
     .next = IBA_CMS_##next_,                                                                                          \
     .timer = IBA_CMT_##timer_,                                                                                        \
     .event = IBA_CME_##event_,                                                                                        \
     .code = code_,                                                                                                    \
     .hit = HIT_##name_},
#define IBA_CM_RULE_TABLE(LIST, id, title)                                                                             \
    enum { LIST(IBA_CM_RULE_HIT) HIT_COUNT };                                                                          \
    _Static_assert((int)HIT_COUNT <= (int)IBA_CM_MAX_RULES, "more rows than counters");                                \
    static const struct iba_cm_rule rows[] = {LIST(IBA_CM_RULE_ROW)};                                                  \
    const struct iba_cm_rules id = {.name = title, .row = rows, .n = HIT_COUNT};

static inline bool iba_cm_always(const struct iba_cm_rx *x)
{
    (void)x;
    return true;
}
#endif
