/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic between two adapters of which one, or both, may be changed. */
#ifndef IBA_TEST_CHANGE_H
#define IBA_TEST_CHANGE_H
#include "pair.h"

extern const unsigned change_scenarios;
/* A hash of the results of scenario `s` with the ends changed: every frame with its time, every completion. Where a
 * scenario has codes (timers, counts) they are `row`. */
uint64_t change_outcome(unsigned s, const struct iba_change *sender, const struct iba_change *peer, uint16_t row);
bool change_has_codes(unsigned s);
/* Runs it with another rule table at both ends. */
void change_rules_outcome(unsigned s, enum iba_rule_table t, const struct iba_rules *rules);
#endif
