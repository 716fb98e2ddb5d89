#include "iba_hdr.h"
#include <assert.h>

const struct iba_show_info iba_shows[IBA_SHOW_COUNT] = {
#define IBA_SHOW_ROW(name, unit, sb, sd, hb, hd) [IBA_SHOW_##name] = {#name, unit, sb, sd, hb, hd},
    IBA_SHOWS(IBA_SHOW_ROW)};

/* A numeric field lies in at most 8 bytes; a field of bytes begins and ends on a byte. */
#define IBA_FITS_NUM(h, name, ctype)                                                                                   \
    _Static_assert(IBA_W_##h##_##name <= sizeof(ctype) * 8, #h "." #name " does not fit its C type");                  \
    _Static_assert(IBA_END_##h##_##name / 8 - IBA_AT_##h##_##name / 8 < 8, #h "." #name " straddles more than 8 "      \
                                                                              "bytes");
#define IBA_FITS_U8(h, name) IBA_FITS_NUM(h, name, uint8_t)
#define IBA_FITS_U16(h, name) IBA_FITS_NUM(h, name, uint16_t)
#define IBA_FITS_U32(h, name) IBA_FITS_NUM(h, name, uint32_t)
#define IBA_FITS_U64(h, name) IBA_FITS_NUM(h, name, uint64_t)
#define IBA_FITS_B(h, name)                                                                                            \
    _Static_assert(IBA_AT_##h##_##name % 8 == 0 && IBA_W_##h##_##name % 8 == 0, #h "." #name " is not whole bytes");
#define IBA_FITS(h, type, name, ...) IBA_FITS_##type(h, name)

#define ALWAYS                                                                                                         \
    {                                                                                                                  \
        IBA_CMP_ALWAYS, 0, 0, 0                                                                                        \
    }
#define WHEN(h, name, cmp, value)                                                                                      \
    {                                                                                                                  \
        IBA_CMP_##cmp, IBA_AT_##h##_##name, IBA_W_##h##_##name, value                                                  \
    }
#define IBA_ROW(h, type, name, bits, show, vis, values, when, leaf, label)                                             \
    {leaf,                                                                                                             \
     label,                                                                                                            \
     IBA_AT_##h##_##name,                                                                                              \
     bits,                                                                                                             \
     offsetof(struct iba_##h, name),                                                                                   \
     (uint8_t)sizeof((struct iba_##h *)0)->name,                                                                       \
     IBA_SHOW_##show,                                                                                                  \
     IBA_VIS_##vis,                                                                                                    \
     IBA_VALUES_##values,                                                                                              \
     when},
#define IBA_VIEW_ROW(h, name, bits, show, vis, values, when, leaf, label)                                              \
    {leaf, label, IBA_AT_##h##_##name, bits, 0, 0, IBA_SHOW_##show, IBA_VIS_##vis, IBA_VALUES_##values, when},
#define IBA_TABLE(LIST, h, bytes, ...)                                                                                 \
    LIST(IBA_FITS, IBA_NO_VIEW, h)                                                                                     \
    static const struct iba_field h##_fields[] = {LIST(IBA_ROW, IBA_VIEW_ROW, h)};                                     \
    _Static_assert(IBA_BITS_##h == (bytes)*8, #h " must tile exactly " #bytes " bytes");
IBA_HEADERS(IBA_TABLE)

#define IBA_INFO(LIST, h, bytes, prefix, title)                                                                        \
    [IBA_H_##h] = {#h, prefix, title, h##_fields, sizeof h##_fields / sizeof *h##_fields, bytes},
const struct iba_hdr_info iba_headers[IBA_H_COUNT] = {IBA_HEADERS(IBA_INFO)};

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

void iba_hdr_get(enum iba_hdr h, const uint8_t *wire, void *out)
{
    for (const struct iba_field *f = iba_headers[h].field; f < iba_headers[h].field + iba_headers[h].n_field; f++) {
        if (f->mem_size == 0)
            continue;
        if (iba_field_is_bytes(f))
            memcpy((uint8_t *)out + f->mem_at, wire + f->at / 8, f->mem_size);
        else
            member_put(f, out, iba_bits_get(wire, f->at, f->bits));
    }
}

void iba_hdr_put(enum iba_hdr h, const void *in, uint8_t *wire)
{
    for (const struct iba_field *f = iba_headers[h].field; f < iba_headers[h].field + iba_headers[h].n_field; f++) {
        if (f->mem_size == 0)
            continue;
        if (iba_field_is_bytes(f))
            memcpy(wire + f->at / 8, (const uint8_t *)in + f->mem_at, f->mem_size);
        else
            iba_bits_put(wire, f->at, f->bits, member_get(f, in));
    }
}

const struct iba_field *iba_field_find(enum iba_hdr h, const char *name)
{
    for (const struct iba_field *f = iba_headers[h].field; f < iba_headers[h].field + iba_headers[h].n_field; f++)
        for (size_t i = 0; f->name[i] == name[i]; i++)
            if (name[i] == '\0')
                return f;
    return NULL;
}
