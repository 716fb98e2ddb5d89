/* SPDX-License-Identifier: BSD-2-Clause */
/* For the id of a statement, its section of the specification and its compliance numbers. The statements themselves are
 * the rows of this folder's other headers; both this table and conformance's are generated from them. */
#ifndef IBA_CLAUSE_H
#define IBA_CLAUSE_H
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iba_clause {
    const char *id;         /* "RR-04" */
    const char *section;    /* "9.7.5.1", or "" where not known */
    const char *compliance; /* "C9-80 C9-114", or "" */
};
enum { IBA_CLAUSE_SECTIONS = 96 }; /* bytes that the sections of a finding or a rule need at most */

/* Finds the clause of an id of `len` bytes; NULL if there is none. */
const struct iba_clause *iba_clause_find(const char *id, size_t len);
/* Writes the sections of clauses as tables cite them, "RQ-01, UU-03" or "§9.7", as "9.7.1 C9-114, 9.8.2", each once; ""
 * when none is known. A section that does not fit is left out completely. Returns the length. */
size_t iba_clause_sections(const char *clauses, char *out, size_t room);

#ifdef __cplusplus
}
#endif

#endif
