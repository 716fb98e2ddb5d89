/* SPDX-License-Identifier: BSD-2-Clause */
/* Vocabularies: rows ascend, fit where they are used, and are used. */
#include "mad/iba_mad_layout.h"
#include "wire.h"

Test(values, rows_ascend_and_do_not_overlap)
{
    for (unsigned w = 0; w < IBA_VALUES_COUNT; w++) {
        size_t n;
        const struct iba_value *row = iba_values((enum iba_vocabulary)w, &n);
        cr_assert_eq(row == NULL, w == IBA_VALUES_NONE || w == IBA_VALUES_OPCODE);
        cr_assert_eq(n == 0, row == NULL);
        for (size_t i = 0; i < n; i++) {
            cr_assert(row[i].lo <= row[i].hi && row[i].name && row[i].name[0]);
            cr_assert(i == 0 || row[i - 1].hi < row[i].lo, "vocabulary %u, row %zu", w, i);
        }
    }
}

static void look_at(const struct iba_hdr_info *info, unsigned n_info, bool *used)
{
    for (const struct iba_hdr_info *h = info; h < info + n_info; h++)
        for (unsigned i = 0; i < h->n_field; i++) {
            const struct iba_field *f = &h->field[i];
            size_t n;
            const struct iba_value *row = iba_values((enum iba_vocabulary)f->values, &n);
            used[f->values] = true;
            cr_assert(n == 0 || row[n - 1].hi <= iba_field_max(f), "%s.%s is too narrow for its vocabulary", h->name,
                      f->name);
        }
}

Test(values, every_vocabulary_is_used_where_it_fits)
{
    bool used[IBA_VALUES_COUNT] = {[IBA_VALUES_NONE] = true};

    look_at(iba_headers, IBA_H_COUNT, used);
    look_at(iba_mad_layouts, IBA_M_COUNT, used);
    for (unsigned w = 0; w < IBA_VALUES_COUNT; w++)
        cr_assert(used[w], "vocabulary %u is not used", w);
}

Test(values, a_name_for_each_row_and_for_nothing_else)
{
    for (unsigned w = IBA_VALUES_OPCODE + 1; w < IBA_VALUES_COUNT; w++) {
        size_t n;
        const struct iba_value *row = iba_values((enum iba_vocabulary)w, &n);
        for (size_t i = 0; i < n; i++) {
            cr_assert_eq(iba_value_name((enum iba_vocabulary)w, row[i].lo), row[i].name);
            cr_assert_eq(iba_value_name((enum iba_vocabulary)w, row[i].hi), row[i].name);
            if (i + 1 == n || row[i + 1].lo > row[i].hi + 1)
                cr_assert_null(iba_value_name((enum iba_vocabulary)w, (uint64_t)row[i].hi + 1));
        }
        if (row[0].lo > 0)
            cr_assert_null(iba_value_name((enum iba_vocabulary)w, row[0].lo - 1));
        cr_assert_null(iba_value_name((enum iba_vocabulary)w, UINT64_MAX));
    }
    for (unsigned code = 0; code < 256; code++)
        cr_assert_not_null(iba_value_name(IBA_VALUES_OPCODE, code));
    cr_assert_null(iba_value_name(IBA_VALUES_NONE, 0));
}

/* Literals of WF-49 and WF-50: credits double every two codes; so does the RNR time, from code 1 on in 10 us steps. */
Test(values, credit_and_timer_codes_follow_their_law)
{
    char text[16];

    for (unsigned code = 1; code < 31; code++) {
        const unsigned even = 1u << code / 2, credits = code % 2 ? even + even / 2 : even;
        snprintf(text, sizeof text, "%u", code < 4 ? code : credits);
        cr_assert_str_eq(iba_value_name(IBA_VALUES_CREDITS, code), text);
    }
    for (unsigned code = 1; code < 32; code++) {
        const unsigned even = 1u << code / 2, tens = code < 4 ? code : code % 2 ? even + even / 2 : even;
        snprintf(text, sizeof text, "%u.%02u ms", tens / 100, tens % 100);
        cr_assert_str_eq(iba_value_name(IBA_VALUES_RNR_MS, code), text);
    }
    cr_assert_str_eq(iba_value_name(IBA_VALUES_RNR_MS, 0), "655.36 ms");
}
