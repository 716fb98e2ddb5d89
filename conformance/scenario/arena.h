/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is allocated piece by piece and freed all at once. Out of memory ends the program. */
#ifndef IBC_ARENA_H
#define IBC_ARENA_H
#include <stddef.h>

struct ibc_arena;
struct ibc_arena *ibc_arena_new(void);
void ibc_arena_free(struct ibc_arena *a); /* NULL is fine */
/* n bytes, aligned for any object, not cleared / cleared. */
void *ibc_arena_take(struct ibc_arena *a, size_t n);
void *ibc_arena_zero(struct ibc_arena *a, size_t n);
/* The first n bytes of s and a 0. */
char *ibc_arena_string(struct ibc_arena *a, const char *s, size_t n);
#endif
