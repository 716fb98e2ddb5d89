/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic between two adapters of which one, or both, may be changed. */
#ifndef IBA_TEST_CHANGE_H
#define IBA_TEST_CHANGE_H
#include "pair.h"

extern const unsigned change_scenarios;
/* Returns a hash of the results of scenario `s` with the changed ends: every frame with its time, and every completion.
 * If a scenario uses codes (of timers or counts), `row` gives the codes. */
uint64_t change_outcome(unsigned s, const struct iba_change *sender, const struct iba_change *peer, uint16_t row);
bool change_has_codes(unsigned s);
/* Runs the scenario with another rule table at both ends. */
void change_rules_outcome(unsigned s, enum iba_rule_table t, const struct iba_rules *rules);
#endif
