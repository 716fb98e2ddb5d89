/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_table.h"
#include <assert.h>

const struct iba_show_info iba_shows[IBA_SHOW_COUNT] = {
#define IBA_SHOW_ROW(name, unit, sb, sd, hb, hd) [IBA_SHOW_##name] = {#name, unit, sb, sd, hb, hd},
    IBA_SHOWS(IBA_SHOW_ROW)};

IBA_HEADERS(IBA_TABLE)

#define IBA_HDR_INFO(LIST, h, bytes, prefix, title) [IBA_H_##h] = IBA_INFO(h, bytes, prefix, title),
const struct iba_hdr_info iba_headers[IBA_H_COUNT] = {IBA_HEADERS(IBA_HDR_INFO)};

uint64_t iba_field_get(const struct iba_field *f, const uint8_t *wire)
{
    assert(f->bits <= 64);
    return iba_bits_get(wire, f->at, f->bits) * iba_shows[f->show].unit;
}

void iba_field_put(const struct iba_field *f, uint8_t *wire, uint64_t v)
{
    assert(f->bits <= 64);
    iba_bits_put(wire, f->at, f->bits, v / iba_shows[f->show].unit);
}

bool iba_field_present(const struct iba_field *f, const uint8_t *wire)
{
    const struct iba_condition *c = &f->when;
    uint64_t v;

    if (c->cmp == IBA_CMP_ALWAYS)
        return true;
    v = iba_bits_get(wire, c->at, c->bits);
    return c->cmp == IBA_CMP_EQ ? v == c->value : c->cmp == IBA_CMP_GE ? v >= c->value : v < c->value;
}

static void member_put(const struct iba_field *f, void *s, uint64_t x)
{
    uint8_t *p = (uint8_t *)s + f->mem_at;
    const uint16_t x16 = (uint16_t)x;
    const uint32_t x32 = (uint32_t)x;

    switch (f->mem_size) {
    case 1: *p = (uint8_t)x; break;
    case 2: memcpy(p, &x16, sizeof x16); break;
    case 4: memcpy(p, &x32, sizeof x32); break;
    default: memcpy(p, &x, sizeof x); break;
    }
}

static uint64_t member_get(const struct iba_field *f, const void *s)
{
    const uint8_t *p = (const uint8_t *)s + f->mem_at;
    uint16_t x16;
    uint32_t x32;
    uint64_t x;

    switch (f->mem_size) {
    case 1: return *p;
    case 2: memcpy(&x16, p, sizeof x16); return x16;
    case 4: memcpy(&x32, p, sizeof x32); return x32;
    default: memcpy(&x, p, sizeof x); return x;
    }
}

void iba_layout_get(const struct iba_hdr_info *info, const uint8_t *wire, void *out)
{
    for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++) {
        if (f->mem_size == 0)
            continue;
        if (iba_field_is_bytes(f))
            memcpy((uint8_t *)out + f->mem_at, wire + f->at / 8, f->mem_size);
        else
            member_put(f, out, iba_bits_get(wire, f->at, f->bits));
    }
}

void iba_layout_put(const struct iba_hdr_info *info, const void *in, uint8_t *wire)
{
    for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++) {
        if (f->mem_size == 0)
            continue;
        if (iba_field_is_bytes(f))
            memcpy(wire + f->at / 8, (const uint8_t *)in + f->mem_at, f->mem_size);
        else
            iba_bits_put(wire, f->at, f->bits, member_get(f, in));
    }
}

void iba_hdr_get(enum iba_hdr h, const uint8_t *wire, void *out)
{
    iba_layout_get(&iba_headers[h], wire, out);
}

void iba_hdr_put(enum iba_hdr h, const void *in, uint8_t *wire)
{
    iba_layout_put(&iba_headers[h], in, wire);
}

const struct iba_field *iba_field_find(enum iba_hdr h, const char *name)
{
    for (const struct iba_field *f = iba_headers[h].field; f < iba_headers[h].field + iba_headers[h].n_field; f++)
        for (size_t i = 0; f->name[i] == name[i]; i++)
            if (name[i] == '\0')
                return f;
    return NULL;
}
