/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_DISTANCE_H
#define DISSECT_DISTANCE_H
#include <stdbool.h>

/* Edit distance (Levenshtein) of the first DISTANCE_BYTES characters of two names. With `words`: of the number of
 * leading words, split at commas, that makes the distance smallest; the rest may be an argument in one and a forgotten
 * word in the other. */
enum { DISTANCE_BYTES = 96 };
unsigned name_distance(const char *a, const char *b, bool words);
#endif
