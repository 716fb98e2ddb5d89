/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements are found by their ids, with section and compliance number. Each finding of the observer cites statements
 * whose section or number is known. */
#include "statements/iba_clause.h"
#include <criterion/criterion.h>
#include <string.h>
#include "observer/iba_finding_kinds.h"

Test(clause, find)
{
    const struct iba_clause *c = iba_clause_find("RR-24, ", 5);

    cr_assert(c);
    cr_expect_str_eq(c->section, "9.7.5.1.4");
    cr_expect_null(iba_clause_find("RR-2", 4));
    cr_expect_null(iba_clause_find("RR-99", 5));
    cr_expect_null(iba_clause_find("", 0));
}

Test(clause, sections)
{
    static const struct {
        const char *cited, *want;
    } c[] = {
        {"RR-24", "9.7.5.1.4"},
        {"RR-36", "9.7.4.1.6 C9-92"},
        {"RR-04", "C9-80 C9-114"},
        {"RR-03, RR-36", "9.7.4.1.2, 9.7.4.1.6 C9-92"},
        {"RR-25, RR-26", "9.7.4.1"},
        {"§9.7", "9.7"},
        {"C9-80, RR-24", "C9-80, 9.7.5.1.4"},
        {"MD-11", ""},
        {"", ""},
    };
    char out[IBA_CLAUSE_SECTIONS];

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        cr_expect_eq(iba_clause_sections(c[i].cited, out, sizeof out), strlen(c[i].want), "%s", c[i].cited);
        cr_expect_str_eq(out, c[i].want);
    }
    for (size_t room = 1; room < 28; room++) { /* nothing half, and never beyond */
        memset(out, 'x', sizeof out);
        (void)iba_clause_sections("RR-03, RR-36", out, room);
        cr_expect(strlen(out) < room && out[room] == 'x', "%zu", room);
        cr_expect(strcmp(out, "") == 0 || strncmp(out, "9.7.4.1.2", 9) == 0 || strncmp(out, "C9-92", 5) == 0, "%s",
                  out);
    }
}

Test(clause, every_finding_stands_somewhere)
{
    char out[IBA_CLAUSE_SECTIONS];

    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++) {
        const char *cited = iba_findings[k].clause;
        const bool counted = strncmp(cited, "MD-", 3) != 0 && strncmp(cited, "VN-", 3) != 0;
        (void)iba_clause_sections(cited, out, sizeof out);
        cr_expect(!counted || *out, "finding %s cites %s, of which core/statements has no section or compliance number",
                  iba_findings[k].name, cited);
    }
}
