/* SPDX-License-Identifier: BSD-2-Clause */
#include "random.h"
#include <stdio.h>
#include <string.h>

/* Draws small numbers, large numbers, and numbers at the limits of a type. */
static uint64_t any_number(struct iba_random *r)
{
    static const uint64_t edges[] = {
        0, 1, UINT64_MAX, AG_EXACT, AG_EXACT - 1, AG_EXACT + 1, 1ull << 63, 1000000000000000};
    const uint64_t n = iba_random_next(r);

    switch (iba_random_below(r, 3)) {
    case 0: return edges[n % (sizeof edges / sizeof *edges)];
    case 1: return n >> iba_random_below(r, 64);
    default: return n;
    }
}

static void put(void *p, size_t size, uint64_t n)
{
    const uint8_t n8 = (uint8_t)n;
    const uint16_t n16 = (uint16_t)n;
    const uint32_t n32 = (uint32_t)n;
    const void *const from = size == 1 ? (const void *)&n8 : size == 2 ? &n16 : size == 4 ? (const void *)&n32 : &n;

    memcpy(p, from, size);
}

static void any_bytes(struct iba_random *r, uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)iba_random_next(r);
}

static void any_text(struct iba_random *r, struct ag_text *t)
{
    const uint64_t n = iba_random_below(r, sizeof t->s);

    for (uint64_t i = 0; i < n; i++)
        t->s[i] = (char)(1 + iba_random_below(r, 0x7d));
}

static void any_counters(struct iba_random *r, struct ag_counters *c)
{
    c->n = (uint32_t)iba_random_below(r, IBC_MAX_COUNTERS + 1);
    for (uint32_t i = 0; i < c->n; i++) {
        snprintf(c->c[i].name, sizeof c->c[i].name, "counter_%u", i);
        c->c[i].value = any_number(r);
    }
}

static uint64_t any_set(struct iba_random *r, const struct ag_words *w)
{
    uint64_t set = 0;

    for (size_t i = 0; i < w->n; i++)
        set |= iba_random_below(r, 2) << w->v[i].n;
    return set;
}

static void any_value(struct iba_random *r, const struct ag_field *f, uint8_t *p);

static void any_list(struct iba_random *r, const struct ag_field *f, uint8_t *p)
{
    const struct ag_shape *s = &ag_shapes[ag_of[f->kind]];
    const uint64_t n = iba_random_below(r, (f->size - sizeof n) / s->size + 1);

    put(p, sizeof n, n);
    for (uint64_t i = 0; i < n; i++)
        random_members(r, s, p + sizeof n + i * s->size);
}

static void any_value(struct iba_random *r, const struct ag_field *f, uint8_t *p)
{
    const uint8_t of = ag_of[f->kind];

    switch ((enum ag_form)ag_form[f->kind]) {
    case AG_H_NUMBER: put(p, f->size, any_number(r)); break;
    case AG_H_IPV4: put(p, f->size, iba_random_next(r)); break;
    case AG_H_FLAG: *p = (uint8_t)iba_random_below(r, 2); break;
    case AG_H_TEXT: any_text(r, (struct ag_text *)p); break;
    case AG_H_LETTER: *p = (uint8_t)('!' + iba_random_below(r, '~' - '!')); break;
    case AG_H_MTU: *p = (uint8_t)iba_random_below(r, 8); break;
    case AG_H_GID: any_bytes(r, p, sizeof(struct ag_gid)); break;
    case AG_H_MAC: put(p, f->size, iba_random_next(r) >> 16); break;
    case AG_H_BYTES:
        put(p, sizeof(uint32_t), iba_random_below(r, 50) ? iba_random_below(r, 99) : AG_BYTES);
        any_bytes(r, ((struct ag_bytes *)p)->b, ((struct ag_bytes *)p)->n);
        break;
    case AG_H_COUNTERS: any_counters(r, (struct ag_counters *)p); break;
    case AG_H_WORD: *p = (uint8_t)ag_words[of].v[iba_random_below(r, ag_words[of].n)].n; break;
    case AG_H_WORDS: put(p, f->size, any_set(r, &ag_words[of])); break;
    case AG_H_MEMBERS: random_members(r, &ag_shapes[of], p); break;
    case AG_H_LIST: any_list(r, f, p); break;
    }
}

void random_members(struct iba_random *r, const struct ag_shape *s, void *p)
{
    uint64_t given = 0;

    for (unsigned i = 0; i < s->n; i++)
        if (s->field[i].need == AG_MUST || iba_random_below(r, 2)) {
            given |= UINT64_C(1) << i;
            any_value(r, &s->field[i], (uint8_t *)p + s->field[i].at);
        }
    memcpy(p, &given, sizeof given);
}
