/* SPDX-License-Identifier: BSD-2-Clause */
/* Which scenario catches which broken engine, as `mutants --out` writes it:
 *
 *     {"version": "0.1.0", "seed": 1, "link": "roce2-ipv4", "scenarios": ["rc.responder..."],
 *      "mutants": [{"spec": "mutant:...", "clause": ["RR-04"], "says": "...", "equivalent": "..." or null,
 *                   "killed_by": [{"scenario": "rc.responder...", "how": "failed" or "miscounted", "died", "hung"}]}]}
 */
#ifndef IBC_MATRIX_H
#define IBC_MATRIX_H
#include <cjson/cJSON.h>
#include "select.h"

/* Reads a matrix. NULL: the file has none, and the message was printed. The caller owns the result: cJSON_Delete(). */
cJSON *matrix_read(const char *path);
/* Whether a scenario of the suite that cites `statement` catches a mutant that breaks it. */
bool matrix_shows(const cJSON *matrix, const struct ibc_suite *suite, const char *statement, const char **mutant,
                  const char **scenario);
/* Returns "RR-03, RR-04" as a list. */
cJSON *clause_list(const char *clause);
#endif
