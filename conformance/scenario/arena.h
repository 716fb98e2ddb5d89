/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is allocated piece by piece and freed all at once. Out of memory ends the program. */
#ifndef IBC_ARENA_H
#define IBC_ARENA_H
#include <stddef.h>

struct ibc_arena;
struct ibc_arena *ibc_arena_new(void);
void ibc_arena_free(struct ibc_arena *a); /* a may be NULL */
/* Return n bytes aligned for any object. ibc_arena_zero() clears them. */
void *ibc_arena_take(struct ibc_arena *a, size_t n);
void *ibc_arena_zero(struct ibc_arena *a, size_t n);
/* Returns a copy of the first n bytes of s with a 0 byte after them. */
char *ibc_arena_string(struct ibc_arena *a, const char *s, size_t n);
#endif
