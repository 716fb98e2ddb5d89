/* SPDX-License-Identifier: BSD-2-Clause */
#include "arena.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 48 * 1024, ALIGN = 16 };

struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(ALIGN) unsigned char bytes[];
};
struct ibc_arena {
    struct chunk *chunk; /* the chunk in use, the first of the list */
};

static void *must(void *p)
{
    if (p == NULL) {
        fputs("ibconform: out of memory\n", stderr);
        abort();
    }
    return p;
}

static struct chunk *chunk_new(size_t size, struct chunk *next)
{
    struct chunk *c = must(malloc(sizeof *c + size));

    c->next = next;
    c->used = 0;
    c->size = size;
    return c;
}

/* The arena is stored in its own first chunk: a small play needs one allocation. */
struct ibc_arena *ibc_arena_new(void)
{
    struct chunk *c = chunk_new(CHUNK, NULL);
    struct ibc_arena *a = (struct ibc_arena *)(void *)c->bytes;

    c->used = ALIGN;
    a->chunk = c;
    return a;
}

void ibc_arena_free(struct ibc_arena *a)
{
    struct chunk *next;

    if (a == NULL)
        return;
    for (struct chunk *c = a->chunk; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
}

void *ibc_arena_take(struct ibc_arena *a, size_t n)
{
    struct chunk *c = a->chunk;
    const size_t whole = (n + ALIGN - 1) / ALIGN * ALIGN;

    if (whole > c->size - c->used)
        c = a->chunk = chunk_new(whole > CHUNK ? whole : CHUNK, c);
    c->used += whole;
    return c->bytes + (c->used - whole);
}

void *ibc_arena_zero(struct ibc_arena *a, size_t n)
{
    return memset(ibc_arena_take(a, n), 0, n);
}

char *ibc_arena_string(struct ibc_arena *a, const char *s, size_t n)
{
    char *out = ibc_arena_take(a, n + 1);

    memcpy(out, s, n);
    out[n] = '\0';
    return out;
}
