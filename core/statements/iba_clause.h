/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of clauses: section of the specification and compliance numbers for each statement's id. The rows of
 * statements are in the other headers of this folder. The table here and the one in conformance are made from these
 * rows. */
#ifndef IBA_CLAUSE_H
#define IBA_CLAUSE_H
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iba_clause {
    const char *id;         /* "RR-04" */
    const char *section;    /* "9.7.5.1", or "" if not known */
    const char *compliance; /* "C9-80 C9-114", or "" */
};
enum { IBA_CLAUSE_SECTIONS = 96 }; /* bytes that the sections of a finding or a rule need at most */

/* Finds the clause of an id of `len` bytes; NULL: no statement has this id. */
const struct iba_clause *iba_clause_find(const char *id, size_t len);
/* Writes the sections of `clauses` into `out`, each section once, for example "9.7.1 C9-114, 9.8.2". `clauses` is a
 * text as tables have it, for example "RQ-01, UU-03" or "§9.7". The result is "" if no section is known. A section that
 * does not fit is left out completely. Returns the length of the result. */
size_t iba_clause_sections(const char *clauses, char *out, size_t room);

#ifdef __cplusplus
}
#endif

#endif
