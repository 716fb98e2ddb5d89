/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a list of fields into a table of rows, and checks the list. Only files that define tables include this. Not for
 * users of libiba. */
#ifndef IBA_TABLE_H
#define IBA_TABLE_H
#include "iba_hdr.h"

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
#define IBA_INFO(h, bytes, prefix, title)                                                                              \
    {                                                                                                                  \
#h, prefix, title, h##_fields, sizeof h##_fields / sizeof *h##_fields, bytes                                   \
    }
#endif
