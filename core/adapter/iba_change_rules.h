/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices: every list of behaviours, and changed copies of the five rule tables.
 *
 * A rule table changes by one row: left out, behind its successor, or with another action of the table. Only changes
 * that make another device are made, and only those that leave host memory safe. */
#ifndef IBA_CHANGE_RULES_H
#define IBA_CHANGE_RULES_H
#include "adapter/iba_ca.h"

/* All lists that the engine asks (iba_change.h). */
const struct iba_behaviours *const *iba_behaviour_lists(size_t *n);

struct iba_changed_rules { /* caller's; outlives iba_ca_set_rules(ca, t, &rules) */
    struct iba_rule row[IBA_MAX_RULES];
    struct iba_rules rules;
};
/* The table with `row` (from 0) changed. `with`: of OTHER, which of iba_rules_actions(); else ignored. False: there is
 * no such row or action, the device would be none other, or it could not run: *out is then untouched. */
bool iba_rules_change(struct iba_changed_rules *out, enum iba_rule_table t, uint16_t row, enum iba_change_kind kind,
                      uint16_t with);
/* How many other actions the row can have: at most 3. */
uint16_t iba_rules_actions(enum iba_rule_table t, uint16_t row);
/* The name of the row whose action that is; NULL: none. */
const char *iba_rules_action_name(enum iba_rule_table t, uint16_t row, uint16_t with);
/* Later rows read what this one lets through: it cannot be left out, nor stand behind its successor. */
bool iba_rule_is_guard(enum iba_rule_table t, uint16_t row);
#endif
