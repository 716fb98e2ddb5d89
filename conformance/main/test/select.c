/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns that match no scenario, and what is known of a scenario's statements. */
#include "main/select.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "parts.h"

static char *words(const char *s)
{
    return (char *)(uintptr_t)s;
}

/* The most similar id, else the most similar group with as many parts as the pattern. */
Test(select, patterns)
{
    static const struct {
        const char *pattern, *near; /* NULL: it matches */
    } rows[] = {
        {"rc.*", NULL},
        {"*", NULL},
        {"rc", NULL},
        {"rc.responder", NULL},
        {"ud.receiver.lost-packet", NULL},
        {"rc.responder.first-on", "; nearest is \"rc.responder.first-one\""},
        {"ud.reciever.lost-packet", "; nearest is \"ud.receiver.lost-packet\""},
        {"rc.respnder", "; nearest is \"rc.responder\""},
        {"ud.receivers", "; nearest is \"ud.receiver\""},
        {"uds", "; nearest is \"ud\""},
        {"qwertyuiopasdfghjkl", "; ibconform list prints all"},
    };
    struct ibc_scenario s[] = {{.id = words("rc.responder.first-one")},
                               {.id = words("rc.requester.second-one")},
                               {.id = words("ud.receiver.lost-packet")}};
    struct ibc_scenario *all[] = {&s[0], &s[1], &s[2]};
    const struct ibc_suite suite = {all, 3};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char near[256] = "untouched";
        cr_expect_eq(select_matches(&suite, rows[i].pattern, near, sizeof near), rows[i].near == NULL, "%s",
                     rows[i].pattern);
        cr_expect_str_eq(near, rows[i].near ? rows[i].near : "untouched", "%s: %s", rows[i].pattern, near);
    }
}

static const struct ibc_statement *of_class(enum ibc_class k)
{
    for (size_t i = 0; i < ibc_statement_count; i++)
        if (ibc_statements[i].klass == k)
            return &ibc_statements[i];
    cr_expect_fail("no statement of class %d", (int)k);
    abort();
}

/* The class of a scenario is its own, else that of the first statement that it cites. */
Test(select, classes)
{
    const struct ibc_statement *may = of_class(IBC_CLASS_optional), *must = of_class(IBC_CLASS_mandatory);
    const char *spec[] = {may->id, must->id, "no-such-statement"};
    struct ibc_scenario s = {.klass = UINT8_MAX, .spec = spec, .n_spec = 3};

    cr_expect_eq(scenario_class(&s), IBC_CLASS_optional);
    cr_expect(scenario_statement(&s, 0) == may && scenario_statement(&s, 1) == must);
    cr_expect(scenario_statement(&s, 2) == NULL && scenario_statement(&s, 3) == NULL);
    s.klass = IBC_CLASS_COUNT;
    cr_expect_eq(scenario_class(&s), IBC_CLASS_optional);
    s.klass = IBC_CLASS_security;
    cr_expect_eq(scenario_class(&s), IBC_CLASS_security);
    s.klass = IBC_CLASS_mandatory;
    cr_expect_eq(scenario_class(&s), IBC_CLASS_mandatory);
    s.klass = UINT8_MAX;
    s.spec = spec + 2;
    s.n_spec = 1;
    cr_expect_eq(scenario_class(&s), IBC_CLASS_mandatory, "the statement does not exist");
    s.n_spec = 0;
    cr_expect_eq(scenario_class(&s), IBC_CLASS_mandatory);
    cr_expect_null(scenario_statement(&s, 0));
}

Test(select, clauses)
{
    static const struct {
        struct ibc_statement s;
        const char *says;
    } rows[] = {
        {{.reference = "9.7", .compliance = "C9-1", .edition = "1.4", .certain = true}, "; 9.7; C9-1; edition 1.4"},
        {{.reference = "9.7", .compliance = "", .edition = "", .certain = true}, "; 9.7"},
        {{.reference = "", .compliance = "C9-1", .edition = "", .certain = false}, "; C9-1; source not certain"},
        {{.reference = "", .compliance = "", .edition = "A17", .certain = true}, "; edition A17"},
        {{.reference = "", .compliance = "", .edition = "", .certain = false}, "; source not certain"},
        {{.reference = "", .compliance = "", .edition = "", .certain = true}, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parts_listen();
        statement_print_clause(&rows[i].s);
        parts_hear();
        cr_expect_str_eq(parts_said, rows[i].says, "row %zu: %s", i, parts_said);
    }
    cr_expect_str_eq(statement_nearest("RR03"), "RR-03");
    cr_expect_null(statement_nearest("qwertyuiopasdfghjkl"));
}
