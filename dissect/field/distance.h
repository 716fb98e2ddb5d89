/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_DISTANCE_H
#define DISSECT_DISTANCE_H
#include <stdbool.h>

/* Edit distance (Levenshtein) of two names, of which DISTANCE_BYTES characters are looked at. With `words`: of as many
 * leading words of each, split at commas, as make it least; what follows may be an argument in the one and a forgotten
 * word in the other. */
enum { DISTANCE_BYTES = 96 };
unsigned name_distance(const char *a, const char *b, bool words);
#endif
