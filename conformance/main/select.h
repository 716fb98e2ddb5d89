/* SPDX-License-Identifier: BSD-2-Clause */
/* The scenarios that a command works on. */
#ifndef IBC_SELECT_H
#define IBC_SELECT_H
#include "options.h"
#include "scenario/scenario.h"
#include "statements/statement.h"

struct selection {
    struct ibc_suite suite; /* all scenarios */
    const struct ibc_scenario **s;
    size_t n; /* number of selected scenarios, at least 1 */
};

/* Loads all scenarios, finds the statements that they cite, and selects. A pattern or exclude that matches no
 * scenario is an error. Returns EXIT_OK, or the exit code after the message. The caller calls select_free(), also
 * after a failure. */
int select_scenarios(struct selection *sel, const struct options *o, const struct words *pattern,
                     const struct words *exclude);
void select_free(struct selection *sel);

/* Whether the pattern matches any scenario of the suite. If not, `near` becomes "; nearest is \"ID\"" or "". */
bool select_matches(const struct ibc_suite *suite, const char *pattern, char *near, size_t n);

/* Prints what is known of the clause, such as "9.7.5.1; C9-105; edition A19", with "; " between the parts. */
void statement_print_clause(const struct ibc_statement *st);
enum ibc_class scenario_class(const struct ibc_scenario *s);
const struct ibc_statement *scenario_statement(const struct ibc_scenario *s, unsigned i);
const char *statement_nearest(const char *id); /* NULL: no id is similar */
#endif
