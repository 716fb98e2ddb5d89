/* SPDX-License-Identifier: BSD-2-Clause */
/* Serializes results for a pipe from a child, and merges several of one scenario. */
#ifndef IBC_RESULT_H
#define IBC_RESULT_H
#include "run/run.h"

/* Bytes used of `out`; what the result owns goes along. Between processes of one program only. */
size_t result_pack(const struct ibc_result *r, uint8_t *out, size_t room);
/* False when it is not complete. Owned: ibc_result_clear(). */
bool result_unpack(struct ibc_result *r, const struct ibc_scenario *s, const uint8_t *in, size_t n);
/* A result with this error only. */
void result_error(struct ibc_result *r, const struct ibc_scenario *s, const char *why);
/* A result for a scenario that was not played for another reason than a fault. */
void result_not_played(struct ibc_result *r, const struct ibc_scenario *s, const char *why);
/* A result for a scenario that was not played since it may crash the device. */
void result_spare(struct ibc_result *r, const struct ibc_scenario *s);

/* One scenario on several links: the worst verdict, variations added. Takes over what `r` owns. */
void result_add(struct ibc_result *to, struct ibc_result *r);
/* One scenario with n seeds, from `seed` on, into r[0]: verdicts that differ are a failure of their own, unless one of
 * them is INCONCLUSIVE: then the worse one stands. The others are cleared. */
void result_repeats(struct ibc_result *r, size_t n, uint64_t seed);
/* "link=roce1 pmtu=256" */
void result_name_link(struct ibc_result *r, const char *link);
#endif
