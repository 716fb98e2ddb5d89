/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices: every list of behaviours, and changed copies of the five rule tables.
 *
 * A rule table changes by one row: the row is left out, swapped with its successor, or gets another action of the
 * table. Only changes that alter the device's behaviour are made, and only those that leave host memory safe. */
#ifndef IBA_CHANGE_RULES_H
#define IBA_CHANGE_RULES_H
#include "adapter/iba_ca.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All lists that the engine consults (iba_change.h). */
const struct iba_behaviours *const *iba_behaviour_lists(size_t *n);

struct iba_changed_rules { /* the caller owns this; it must live as long as an adapter uses its `rules` */
    struct iba_rule row[IBA_MAX_RULES];
    struct iba_rules rules;
};
/* Makes a copy of the table with `row` (from 0) changed. `with`: for OTHER the number of the action, less than
 * iba_rules_actions(); otherwise ignored. False, and *out unchanged: there is no such row or action, the behaviour
 * would be the same, or the engine could not run with the change. */
bool iba_rules_change(struct iba_changed_rules *out, enum iba_rule_table t, uint16_t row, enum iba_change_kind kind,
                      uint16_t with);
/* Returns how many other actions the row can have: at most 3. */
uint16_t iba_rules_actions(enum iba_rule_table t, uint16_t row);
/* Returns the name of the row that has action number `with`; NULL: there is no such action. */
const char *iba_rules_action_name(enum iba_rule_table t, uint16_t row, uint16_t with);
/* Returns whether later rows depend on this row. Such a row can neither be left out nor swapped with its successor. */
bool iba_rule_is_guard(enum iba_rule_table t, uint16_t row);

#ifdef __cplusplus
}
#endif

#endif
