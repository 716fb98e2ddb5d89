/* SPDX-License-Identifier: BSD-2-Clause */
/* Reserved bits of sent packets are zero (WF-05), whatever the memory held in which a packet was built. */
#ifndef RESERVED_TEST_H
#define RESERVED_TEST_H
#include <criterion/criterion.h>
#include "wire/iba_view.h"

static inline bool is_zero(const struct iba_field *f, const uint8_t *wire)
{
    if (!iba_field_is_bytes(f))
        return iba_field_get(f, wire) == 0;
    for (unsigned i = 0; i < f->bits / 8u; i++)
        if (wire[f->at / 8 + i] != 0)
            return false;
    return true;
}

static inline void expect_reserved_zero(const struct iba_view *v)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        for (unsigned i = 0; iba_view_has(v, (enum iba_hdr)h) && i < iba_headers[h].n_field; i++) {
            const struct iba_field *f = &iba_headers[h].field[i];
            if (f->vis == IBA_VIS_R)
                cr_expect(is_zero(f, iba_view_hdr(v, (enum iba_hdr)h)), "%s.%s", iba_headers[h].name, f->name);
        }
}
#endif
