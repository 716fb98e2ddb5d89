/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_mutate.h"
#include <assert.h>
#include "wire/iba_build.h"

static uint64_t named_value(const struct iba_field *f, struct iba_random *r)
{
    size_t n;
    const struct iba_value *row = iba_values((enum iba_vocabulary)f->values, &n);

    if (n == 0)
        return iba_random_next(r);
    row += iba_random_below(r, n);
    return row->lo + iba_random_below(r, (uint64_t)row->hi - row->lo + 1);
}

static uint64_t interesting(const struct iba_field *f, uint64_t was, struct iba_random *r)
{
    const uint64_t max = iba_field_max(f), mid = max >> 1;
    const uint64_t candidate[] = {0, 1, max, max - 1, mid, mid + 1, was + 1, was - 1};
    enum { N = sizeof candidate / sizeof *candidate, BIT = N, NAMED, ANY, CHOICES };
    const uint64_t choice = iba_random_below(r, CHOICES);

    switch (choice) {
    case BIT: return was ^ UINT64_C(1) << iba_random_below(r, f->bits);
    case NAMED: return named_value(f, r);
    case ANY: return iba_random_next(r);
    default: return candidate[choice];
    }
}

/* Gives a field that is too wide for a number another value: all zeros, all ones, one inverted bit, or random bytes. */
static void mutate_bytes(uint8_t *p, size_t n, struct iba_random *r)
{
    const uint64_t choice = iba_random_below(r, 4);
    uint8_t changed = 0;

    for (size_t i = 0; choice < 3 && i < n; i++) {
        const uint8_t v = choice == 0 ? 0 : choice == 1 ? 0xff : (uint8_t)iba_random_next(r);
        changed |= p[i] ^ v;
        p[i] = v;
    }
    if (!changed)
        p[iba_random_below(r, n)] ^= (uint8_t)(1u << iba_random_below(r, 8));
}

void iba_mutate_field(const struct iba_view *v, uint8_t *wire, struct iba_random *r, struct iba_mutation *what)
{
    const struct iba_layer *l;
    const struct iba_field *f;
    uint8_t *hdr;

    assert(wire == v->wire && v->n_layer > 0);
    l = &v->layer[iba_random_below(r, v->n_layer)];
    f = &iba_headers[l->hdr].field[iba_random_below(r, iba_headers[l->hdr].n_field)];
    hdr = wire + l->at;
    *what = (struct iba_mutation){.kind = IBA_MUTATION_FIELD, .hdr = l->hdr, .at = l->at, .field = f};
    if (f->bits > 64) {
        mutate_bytes(hdr + f->at / 8, f->bits / 8u, r);
        return;
    }
    const uint64_t was = iba_bits_get(hdr, f->at, f->bits), now = interesting(f, was, r) & iba_field_max(f);
    iba_bits_put(hdr, f->at, f->bits, now != was ? now : was ^ 1);
}

/* Returns a number of bytes from 1 to `most`. Small numbers are more likely: the upper bound is 1, 2, 4, ... or 64. */
static size_t some_bytes(struct iba_random *r, size_t most)
{
    const size_t n = 1 + iba_random_below(r, UINT64_C(1) << iba_random_below(r, 7));

    return n < most ? n : most;
}

static size_t grow(struct iba_random *r, uint8_t *wire, size_t len, size_t cap)
{
    for (size_t n = some_bytes(r, cap - len); n > 0; n--)
        wire[len++] = (uint8_t)iba_random_next(r);
    return len;
}

static void change_byte(struct iba_random *r, uint8_t *wire, size_t len, struct iba_mutation *what)
{
    const size_t at = iba_random_below(r, len);

    wire[at] ^= (uint8_t)(1 + iba_random_below(r, 255));
    *what = (struct iba_mutation){.kind = IBA_MUTATION_BYTE, .at = (uint32_t)at};
}

static void repair_crc(enum iba_link link, uint8_t *wire, size_t len)
{
    struct iba_view v;

    iba_view_parse(&v, link, wire, len, len, NULL);
    iba_view_repair_crc(&v, wire);
}

size_t iba_mutate(struct iba_random *r, enum iba_link link, uint8_t *wire, size_t len, size_t cap, uint32_t repair,
                  struct iba_mutation *what)
{
    enum { CUT, GROW, BYTE, CHOICES = 10 };
    const uint64_t choice = iba_random_below(r, CHOICES);
    struct iba_mutation unused, *m = what ? what : &unused;
    struct iba_view v;

    assert(len > 0 && len <= cap);
    if (choice == CUT && len > 1) {
        len -= some_bytes(r, len - 1);
        *m = (struct iba_mutation){.kind = IBA_MUTATION_CUT, .at = (uint32_t)len};
    } else if (choice == GROW && len < cap) {
        *m = (struct iba_mutation){.kind = IBA_MUTATION_GROWN, .at = (uint32_t)len};
        len = grow(r, wire, len, cap);
    } else if (choice == BYTE || (iba_view_parse(&v, link, wire, len, len, NULL), v.n_layer == 0)) {
        change_byte(r, wire, len, m);
    } else {
        iba_mutate_field(&v, wire, r, m);
    }
    m->repaired = iba_random_below(r, 1000000) < repair;
    if (m->repaired)
        repair_crc(link, wire, len);
    return len;
}
