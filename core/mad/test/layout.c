/* SPDX-License-Identifier: BSD-2-Clause */
/* Every row of every layout of management datagrams. */
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

enum { GUARD = 8, ROOM = 256 };

/* The files of the field lists, for error messages. */
#define LISTS "core/mad/*_fields.h"

static const struct iba_field *row_end(unsigned l)
{
    return iba_mad_layouts[l].field + iba_mad_layouts[l].n_field;
}
#define EACH_ROW(l, f)                                                                                                 \
    for (unsigned l = 0; l < IBA_M_COUNT; l++)                                                                         \
        for (const struct iba_field *f = iba_mad_layouts[l].field; f < row_end(l); f++)

/* The reference implementation, which sets one bit at a time. */
static void bits_set(uint8_t *p, unsigned at, unsigned n, uint64_t v)
{
    for (unsigned i = 0; i < n; i++) {
        const uint8_t m = (uint8_t)(0x80 >> (at + i) % 8);
        if (v >> (n - 1 - i) & 1)
            p[(at + i) / 8] |= m;
        else
            p[(at + i) / 8] &= (uint8_t)~m;
    }
}

static void one_value(unsigned l, const struct iba_field *f, uint64_t bits, uint8_t background)
{
    uint8_t w[GUARD + ROOM + GUARD], ref[sizeof w];

    memset(w, background, sizeof w);
    memset(ref, background, sizeof ref);
    iba_field_put(f, w + GUARD, bits);
    bits_set(ref + GUARD, f->at, f->bits, bits);
    EXPECT(memcmp(w, ref, sizeof w) == 0, "%s.%s: put touched its neighbours", iba_mad_layouts[l].name, f->name);
    EXPECT(iba_field_get(f, w + GUARD) == bits, "%s.%s: get after put", iba_mad_layouts[l].name, f->name);
}

Test(layout, every_row_round_trips_and_spares_its_neighbours)
{
    EACH_ROW(l, f)
    {
        const uint64_t max = iba_field_max(f);
        const uint64_t v[] = {0, 1, max, max >> 1, UINT64_C(0x5a5a5a5a5a5a5a5a) & max};
        for (size_t k = 0; k < COUNT(v) && f->bits <= 64; k++) {
            one_value(l, f, v[k], 0x00);
            one_value(l, f, v[k], 0xff);
        }
        cr_assert(f->bits <= 64 || (iba_field_is_bytes(f) && f->at % 8 == 0 && f->bits % 8 == 0),
                  "%s.%s (" LISTS ") has more than 64 bits and is not whole bytes", iba_mad_layouts[l].name, f->name);
    }
}

Test(layout, fields_tile_their_layout_in_order)
{
    for (unsigned l = 0; l < IBA_M_COUNT; l++) {
        unsigned at = 0;
        for (const struct iba_field *f = iba_mad_layouts[l].field; f < row_end(l); f++) {
            cr_assert(f->at + f->bits <= iba_mad_layouts[l].bytes * 8u,
                      "%s.%s (" LISTS ") ends after the %u bytes of %s", iba_mad_layouts[l].name, f->name,
                      iba_mad_layouts[l].bytes, iba_mad_layouts[l].name);
            if (f->mem_size == 0)
                continue;
            cr_assert_eq(f->at, at, "%s.%s (" LISTS ") begins at bit %u, the field before it ends at bit %u",
                         iba_mad_layouts[l].name, f->name, f->at, at);
            at += f->bits;
        }
        cr_assert_eq(at, iba_mad_layouts[l].bytes * 8u, "%s (" LISTS ") has %u bytes, its fields end at bit %u",
                     iba_mad_layouts[l].name, iba_mad_layouts[l].bytes, at);
    }
}

Test(layout, decoded_struct_is_the_same_layout)
{
    uint64_t seed = 1;

    for (unsigned l = 0; l < IBA_M_COUNT; l++)
        for (unsigned k = 0; k < 20; k++) {
            uint8_t w[ROOM], out[ROOM];
            uint64_t s[64];
            rnd_bytes(&seed, w, sizeof w);
            memset(out, k % 2 ? 0xff : 0, sizeof out);
            memset(s, 0x77, sizeof s);
            iba_layout_get(&iba_mad_layouts[l], w, s);
            iba_layout_put(&iba_mad_layouts[l], s, out);
            EXPECT(memcmp(w, out, iba_mad_layouts[l].bytes) == 0, "%s is not written as it was read",
                   iba_mad_layouts[l].name);
            for (size_t i = iba_mad_layouts[l].bytes; i < sizeof out; i++)
                EXPECT(out[i] == (k % 2 ? 0xff : 0), "%s: wrote after the layout", iba_mad_layouts[l].name);
        }
}

static bool never_both(const struct iba_field *a, const struct iba_field *b)
{
    return a->at != b->at || (a->when.cmp != IBA_CMP_ALWAYS && b->when.cmp != IBA_CMP_ALWAYS);
}

Test(layout, a_name_is_twice_only_for_other_bits_or_another_condition)
{
    EACH_ROW(l, f)
    {
        cr_assert(f->name[0] && f->label[0], "%s (" LISTS "): the field at bit %u lacks its name or its label",
                  iba_mad_layouts[l].name, f->at);
        for (const struct iba_field *g = iba_mad_layouts[l].field; g < f; g++)
            cr_assert(strcmp(f->name, g->name) != 0 || never_both(f, g), "%s.%s (" LISTS ") is there twice",
                      iba_mad_layouts[l].name, f->name);
    }
}

Test(layout, conditions_ask_a_field_for_a_value_it_can_have)
{
    EACH_ROW(l, f)
    {
        bool found = f->when.cmp == IBA_CMP_ALWAYS;
        for (const struct iba_field *g = iba_mad_layouts[l].field; g < row_end(l); g++)
            found |=
                g->mem_size != 0 && g->at == f->when.at && g->bits == f->when.bits && f->when.value <= iba_field_max(g);
        cr_assert(found, "%s.%s (" LISTS ") asks for bits that are no field, or a value that does not fit",
                  iba_mad_layouts[l].name, f->name);
    }
}

Test(layout, attributes_ascend_and_fit_their_class)
{
    static const uint8_t room[] = {64, 200, 192, 192, 232, 224, 192}; /* by group */

    for (size_t i = 0; i < iba_mad_attr_count; i++) {
        const struct iba_mad_attr *a = &iba_mad_attrs[i], *before = a - 1;
        cr_assert(i == 0 || before->group < a->group || (before->group == a->group && before->id < a->id),
                  "attribute %s (0x%04x) is out of order in core/mad/iba_mad_attr.c", a->name, a->id);
        for (unsigned k = 0; k < IBA_MAD_ATTR_PARTS && a->part[k].n > 0; k++)
            cr_assert(a->part[k].at + (unsigned)a->part[k].n * iba_mad_layouts[a->part[k].layout].bytes <=
                          room[a->group],
                      "attribute %s of core/mad/iba_mad_attr.c: part %u does not fit its class", a->name, k);
    }
}
