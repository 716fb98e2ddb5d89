/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts to load, and their common beginning. */
#ifndef IBC_TEST_LOAD_H
#define IBC_TEST_LOAD_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "scenario/scenario.h"

/* Lines 1 to 4 */
#define HEAD "title t\nspec RR-03\nrole middle\nservice rc\n"

static inline struct ibc_scenario *load_text(const char *text, char err[500])
{
    err[0] = '\0';
    return ibc_load_text(text, strlen(text), "f.ibt", "f", err, 500);
}

/* Expects that the text is refused with this message; NULL: it is loaded. */
static inline void gives(const char *text, const char *says)
{
    char err[500];
    struct ibc_scenario *s = load_text(text, err);

    cr_expect_eq(s != NULL, says == NULL, "%s: %s", text, err);
    if (says)
        cr_expect_str_eq(err, says, "%s, not %s", err, says);
    ibc_free(s);
}

/* Returns the only variation of the scenario for reliable connections. The scenario is in *s. */
static inline struct ibc_play *play_of(const char *text, struct ibc_scenario **s)
{
    char err[500];

    *s = load_text(text, err);
    cr_assert_not_null(*s, "%s", err);
    return ibc_bind(*s, IBA_QPT_RC, 0);
}

static inline void done(struct ibc_play *p, struct ibc_scenario *s)
{
    ibc_play_free(p);
    ibc_free(s);
}
#endif
