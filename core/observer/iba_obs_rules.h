/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros that make a decision table from a list of rows R(name, when, kind, sentence, clause). `when` is a function of
 * the context `c`. The file with the list defines DECISION_TABLE, the name of the table. Not for users of libiba. */
#ifndef IBA_OBS_RULES_H
#define IBA_OBS_RULES_H
#include "observer/iba_decision.h"

enum { IBA_SAYS_no, IBA_SAYS_yes };
#define IBA_DECISION_ID(name_, ...) ROW_##name_,
#define IBA_DECISION_YES_NO(name_, when_, says_, sentence_, clause_)                                                   \
    {.table = DECISION_TABLE,                                                                                          \
     .name = #name_,                                                                                                   \
     .says = #says_,                                                                                                   \
     .sentence = sentence_,                                                                                            \
     .clause = clause_,                                                                                                \
     .kind = IBA_SAYS_##says_},
#define IBA_DECISION_KIND(name_, when_, kind_, sentence_, clause_)                                                     \
    {.table = DECISION_TABLE,                                                                                          \
     .name = #name_,                                                                                                   \
     .says = #kind_,                                                                                                   \
     .sentence = sentence_,                                                                                            \
     .clause = clause_,                                                                                                \
     .kind = IBA_FINDING_##kind_},
#define IBA_DECISION_FIRST(name_, when_, ...)                                                                          \
    if (when_(c))                                                                                                      \
        return &rows[ROW_##name_];
#endif
