/* SPDX-License-Identifier: BSD-2-Clause */
/* The scenarios that a command works on. */
#ifndef IBC_SELECT_H
#define IBC_SELECT_H
#include "options.h"
#include "scenario/scenario.h"
#include "statements/statement.h"

struct selection {
    struct ibc_suite suite; /* all there are */
    const struct ibc_scenario **s;
    size_t n; /* the selected ones; never none */
};

/* All scenarios are loaded and the statements they cite looked up; patterns and excludes that match nothing are wrong.
 * EXIT_OK, or the exit code after the message. Owned: select_free(), also after a failure. */
int select_scenarios(struct selection *sel, const struct options *o, const struct words *pattern,
                     const struct words *exclude);
void select_free(struct selection *sel);

/* Any scenario of the suite. When none: "; nearest is \"ID\"" or "" in `near`. */
bool select_matches(const struct ibc_suite *suite, const char *pattern, char *near, size_t n);

/* "9.7.5.1; C9-105; edition A19" of what is known, after "; " where something stands before. */
void statement_print_clause(const struct ibc_statement *st);
enum ibc_class scenario_class(const struct ibc_scenario *s);
const struct ibc_statement *scenario_statement(const struct ibc_scenario *s, unsigned i);
const char *statement_nearest(const char *id); /* NULL: none near */
#endif
