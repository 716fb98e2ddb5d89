/* SPDX-License-Identifier: BSD-2-Clause */
/* Serializes results, which children send through pipes, and merges several results of one scenario. */
#ifndef IBC_RESULT_H
#define IBC_RESULT_H
#include "run/run.h"

/* Writes a result to `out` with all that it owns, and returns the number of bytes. Only for processes of one
 * program. */
size_t result_pack(const struct ibc_result *r, uint8_t *out, size_t room);
/* Reads a result. False: it is not complete. The caller owns the result: ibc_result_clear(). */
bool result_unpack(struct ibc_result *r, const struct ibc_scenario *s, const uint8_t *in, size_t n);
/* Makes a result with the verdict ERROR and this reason. */
void result_error(struct ibc_result *r, const struct ibc_scenario *s, const char *why);
/* Makes a result for a scenario that was not played, for a reason that is no fault. */
void result_not_played(struct ibc_result *r, const struct ibc_scenario *s, const char *why);
/* Makes a result for a scenario that was not played since it may crash the device. */
void result_spare(struct ibc_result *r, const struct ibc_scenario *s);

/* Merges the results of one scenario on several links: the worst verdict stays, and variations are added up. Takes
 * over what `r` owns. */
void result_add(struct ibc_result *to, struct ibc_result *r);
/* Merges the results of one scenario with n seeds, from `seed` on, into r[0], and clears the others. `has` says which
 * of them were played; r[0] always was. Verdicts that differ are a failure of their own; but if one of them is
 * INCONCLUSIVE, the worse one stays. Counters that a repeat did not compare contradict none. */
void result_repeats(struct ibc_result *r, const bool *has, size_t n, uint64_t seed);
/* Puts the link before the variation: "link=roce1 pmtu=256". */
void result_name_link(struct ibc_result *r, const char *link);
#endif
