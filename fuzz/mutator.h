/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations that know the structure of an input: packets by core/sim's field tables, sequences at the borders of their
 * records. Used by libFuzzer (driver_libfuzzer.c) and AFL++ (mutator_afl.c). */
#ifndef FUZZ_MUTATOR_H
#define FUZZ_MUTATOR_H
#include "fuzz.h"
#include "sim/iba_random.h"

/* Applies one mutation to `data`, and returns its new length, 1..most (most > 0). */
size_t fuzz_mutate(enum fuzz_form form, struct iba_random *r, uint8_t *data, size_t n, size_t most);
/* Joins the front of one input and the back of another, cut between records if they have any. Returns the length. */
size_t fuzz_splice(enum fuzz_form form, struct iba_random *r, const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                   uint8_t *out, size_t most);
/* Writes the offsets of a sequence's records and of its end. Returns their number, 1..cap. */
size_t fuzz_borders(const uint8_t *data, size_t n, size_t *at, size_t cap);
#endif
