/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "run/play.h"

/* Plays reuse the chunks of the play before, so only the first play allocates memory from the system. */
enum { CHUNK = 256 * 1024, ALIGN = 16 };
struct run_chunk {
    struct run_chunk *next;
    size_t used, size;
    _Alignas(ALIGN) uint8_t bytes[];
};

static size_t rounded(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static struct run_chunk *chunk_with_room(struct run_arena *a, size_t n)
{
    struct run_chunk *c = a->now, *fresh;

    while (c && c->size - c->used < n && c->next)
        c = c->next;
    if (c && c->size - c->used >= n)
        return c;
    fresh = malloc(sizeof *fresh + (n > CHUNK ? n : CHUNK));
    if (!fresh)
        return NULL;
    *fresh = (struct run_chunk){.size = n > CHUNK ? n : CHUNK};
    if (c)
        c->next = fresh;
    else
        a->first = fresh;
    return fresh;
}

void *run_alloc(struct run_arena *a, size_t n)
{
    struct run_chunk *c = chunk_with_room(a, rounded(n));
    void *p;

    if (!c)
        return NULL;
    a->now = c;
    p = c->bytes + c->used;
    c->used += rounded(n);
    return p;
}

void run_trim(struct run_arena *a, void *p, size_t n, size_t used)
{
    struct run_chunk *c = a->now;

    if (c && (uint8_t *)p + rounded(n) == c->bytes + c->used)
        c->used -= rounded(n) - rounded(used);
}

void run_arena_reset(struct run_arena *a)
{
    for (struct run_chunk *c = a->first; c; c = c->next)
        c->used = 0;
    a->now = a->first;
}

void run_arena_free(struct run_arena *a)
{
    for (struct run_chunk *c = a->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *a = (struct run_arena){0};
}
