/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_DISTANCE_H
#define DISSECT_DISTANCE_H
#include <stdbool.h>

/* Edit distance (Levenshtein) of the first DISTANCE_BYTES characters of two names. With `words`, the smallest distance
 * between leading words of one name and leading words of the other, split at commas: the rest may be an argument in one
 * name and a forgotten word in the other. */
enum { DISTANCE_BYTES = 96 };
unsigned name_distance(const char *a, const char *b, bool words);
#endif
