/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of this header generate from the field lists: decoded structs, inline getters and setters, and rows for
 * code that works on any field.
 *
 *   struct iba_bth { uint8_t opcode; ... }                 decoded form, values in host order
 *   iba_bth_psn(wire), iba_bth_set_psn(wire, value)        one field, constant offset; `wire` is at the header
 *   iba_headers[IBA_H_bth].field[i]                        the rows, for printing, filtering, building, mutating
 *
 * Grammar of filter names: a field is the header's prefix, a dot, its name ("infiniband.bth" + "psn"); a name that
 * begins with "=" is complete ("=ip.version"). The header's prefix alone names the header. The functions of this header
 * do not check that `wire` has all bytes of the header: the packet view (iba_view.h) does. */
#ifndef IBA_HDR_H
#define IBA_HDR_H
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "iba_bits.h"
#include "iba_fields.h"
#include "iba_values.h"
#include "net_fields.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBA_HEADERS(H) NET_HEADERS(H) IBA_IB_HEADERS(H)

/* How a value is printed. The script form is that of `-T fields`, as in Wireshark; the human form is for people.
 *    name   unit  script base, digits   human base, digits */
#define IBA_SHOWS(S)                                                                                                   \
    S(DEC, 1, 10, 0, 10, 0)                                                                                            \
    S(WORDS, 4, 10, 0, 10, 0) /* counted in 4-byte words, shown in bytes */                                            \
    S(FLAG, 1, 10, 0, 10, 0)                                                                                           \
    S(PKEY, 1, 10, 0, 16, 4)                                                                                           \
    S(QKEY, 1, 16, 16, 16, 8)                                                                                          \
    S(X2, 1, 16, 2, 16, 2)                                                                                             \
    S(X4, 1, 16, 4, 16, 4)                                                                                             \
    S(X6, 1, 16, 6, 16, 6)                                                                                             \
    S(X8, 1, 16, 8, 16, 8)                                                                                             \
    S(X16, 1, 16, 16, 16, 16)                                                                                          \
    S(N2, 1, 16, 2, 10, 0)                                                                                             \
    S(N4, 1, 16, 4, 10, 0)                                                                                             \
    S(N6, 1, 16, 6, 10, 0)                                                                                             \
    S(N8, 1, 16, 8, 10, 0)                                                                                             \
    S(LE, 1, 10, 0, 10, 0)   /* 16 bits, low byte first on the wire */                                                 \
    S(LEX4, 1, 16, 4, 16, 4) /* the same */                                                                            \
    S(MAC, 1, 0, 0, 0, 0)                                                                                              \
    S(IP4, 1, 0, 0, 0, 0)                                                                                              \
    S(IP6, 1, 0, 0, 0, 0)                                                                                              \
    S(BYTES, 1, 0, 0, 0, 0)                                                                                            \
    S(TEXT, 1, 0, 0, 0, 0) /* UTF-8 that ends at the first 0 */
enum iba_show {
#define IBA_SHOW_ID(name, ...) IBA_SHOW_##name,
    IBA_SHOWS(IBA_SHOW_ID) IBA_SHOW_COUNT
};
struct iba_show_info {
    const char *name;
    uint8_t unit; /* the value that is printed is the bits times this */
    uint8_t script_base, script_digits, human_base, human_digits;
};
extern const struct iba_show_info iba_shows[IBA_SHOW_COUNT];

enum iba_visibility {
    IBA_VIS_N, /* always shown */
    IBA_VIS_R, /* reserved: shown when not zero */
    IBA_VIS_H, /* not shown, but filters and -e can name it */
};

/* How a row's condition compares another field of the header. The row exists only in packets where its condition holds.
 */
enum iba_compare { IBA_CMP_ALWAYS, IBA_CMP_EQ, IBA_CMP_GE, IBA_CMP_LT };
struct iba_condition {
    uint8_t cmp;
    uint16_t at, bits;
    uint32_t value;
};

struct iba_field {
    const char *name, *label; /* filter name within the header (see above), label for people */
    uint16_t at, bits;        /* on the wire, in bits */
    uint16_t mem_at;          /* offset in the decoded struct, in bytes; 0 for a view */
    uint8_t mem_size;         /* in bytes; 0: the row is a view (V), which the decoded struct does not have */
    uint8_t show, vis, values;
    struct iba_condition when;
};

/* struct iba_bth { uint8_t opcode; ... }; and friends. A field of type B is bits / 8 bytes in wire order. */
#define IBA_MEMBER_U8(name, bits) uint8_t name;
#define IBA_MEMBER_U16(name, bits) uint16_t name;
#define IBA_MEMBER_U32(name, bits) uint32_t name;
#define IBA_MEMBER_U64(name, bits) uint64_t name;
#define IBA_MEMBER_B(name, bits) uint8_t name[(bits) / 8];
#define IBA_MEMBER(h, type, name, bits, ...) IBA_MEMBER_##type(name, bits)
#define IBA_NO_VIEW(...)
#define IBA_STRUCT(LIST, h, ...)                                                                                       \
    struct iba_##h {                                                                                                   \
        LIST(IBA_MEMBER, IBA_NO_VIEW, h)                                                                               \
    };
IBA_HEADERS(IBA_STRUCT)

/* IBA_AT_bth_psn, IBA_W_bth_psn. An enumerator without a value is its predecessor plus one, so a field begins at the
 * bit after the last bit of the field before it. */
#define IBA_AT(h, type, name, bits, ...) IBA_AT_##h##_##name, IBA_END_##h##_##name = IBA_AT_##h##_##name + (bits)-1,
#define IBA_WIDTH(h, type, name, bits, ...) IBA_W_##h##_##name = (bits),
#define IBA_OFFSETS(LIST, h, ...)                                                                                      \
    enum { LIST(IBA_AT, IBA_NO_VIEW, h) IBA_BITS_##h };                                                                \
    enum { LIST(IBA_WIDTH, IBA_NO_VIEW, h) };
IBA_HEADERS(IBA_OFFSETS)

#define IBA_CTYPE_U8 uint8_t
#define IBA_CTYPE_U16 uint16_t
#define IBA_CTYPE_U32 uint32_t
#define IBA_CTYPE_U64 uint64_t
#define IBA_ACCESS_NUM(h, ctype, name)                                                                                 \
    static inline ctype iba_##h##_##name(const uint8_t *wire)                                                          \
    {                                                                                                                  \
        return (ctype)iba_bits_get(wire, IBA_AT_##h##_##name, IBA_W_##h##_##name);                                     \
    }                                                                                                                  \
    static inline void iba_##h##_set_##name(uint8_t *wire, uint64_t v)                                                 \
    {                                                                                                                  \
        iba_bits_put(wire, IBA_AT_##h##_##name, IBA_W_##h##_##name, v);                                                \
    }
#define IBA_ACCESS_U8(h, name) IBA_ACCESS_NUM(h, IBA_CTYPE_U8, name)
#define IBA_ACCESS_U16(h, name) IBA_ACCESS_NUM(h, IBA_CTYPE_U16, name)
#define IBA_ACCESS_U32(h, name) IBA_ACCESS_NUM(h, IBA_CTYPE_U32, name)
#define IBA_ACCESS_U64(h, name) IBA_ACCESS_NUM(h, IBA_CTYPE_U64, name)
#define IBA_ACCESS_B(h, name)                                                                                          \
    static inline const uint8_t *iba_##h##_##name(const uint8_t *wire)                                                 \
    {                                                                                                                  \
        return wire + IBA_AT_##h##_##name / 8;                                                                         \
    }                                                                                                                  \
    static inline void iba_##h##_set_##name(uint8_t *wire, const uint8_t *v)                                           \
    {                                                                                                                  \
        memcpy(wire + IBA_AT_##h##_##name / 8, v, IBA_W_##h##_##name / 8);                                             \
    }
#define IBA_ACCESS(h, type, name, ...) IBA_ACCESS_##type(h, name)
#define IBA_ACCESSORS(LIST, h, ...) LIST(IBA_ACCESS, IBA_NO_VIEW, h)
IBA_HEADERS(IBA_ACCESSORS)

enum iba_hdr { /* IBA_H_eth, IBA_H_bth, ... */
#define IBA_HDR_ID(LIST, h, ...) IBA_H_##h,
               IBA_HEADERS(IBA_HDR_ID) IBA_H_COUNT
};
enum { /* IBA_BYTES_bth, ... */
#define IBA_HDR_BYTES(LIST, h, bytes, ...) IBA_BYTES_##h = (bytes),
       IBA_HEADERS(IBA_HDR_BYTES)
};
static_assert(IBA_H_COUNT <= 64, "a set of headers is a 64-bit mask");
#define IBA_HDR_BIT(h) (UINT64_C(1) << (h))

struct iba_hdr_info {
    const char *name, *prefix, *title; /* C name, filter name, label for people */
    const struct iba_field *field;     /* in wire order; a view is right before or after the fields that it shows */
    uint8_t n_field;
    uint16_t bytes;
};
extern const struct iba_hdr_info iba_headers[IBA_H_COUNT];

/* Decodes a complete header into struct iba_<h>. */
void iba_hdr_get(enum iba_hdr h, const uint8_t *wire, void *out);
void iba_hdr_put(enum iba_hdr h, const void *in, uint8_t *wire); /* the inverse */
/* iba_hdr_get() and iba_hdr_put() for any table in the form of struct iba_hdr_info. */
void iba_layout_get(const struct iba_hdr_info *info, const uint8_t *wire, void *out);
void iba_layout_put(const struct iba_hdr_info *info, const void *in, uint8_t *wire); /* the inverse */

/* Returns the value of a field by its row, which has at most 64 bits. A wider field is the f->bits / 8 bytes at wire +
 * f->at / 8. */
uint64_t iba_field_get(const struct iba_field *f, const uint8_t *wire);
void iba_field_put(const struct iba_field *f, uint8_t *wire, uint64_t v); /* the low f->bits bits of v */
/* Returns whether the condition of the row holds for the header at `wire`. */
bool iba_field_present(const struct iba_field *f, const uint8_t *wire);
static inline bool iba_field_is_bytes(const struct iba_field *f) /* the field is shown as bytes, not as a number */
{
    return f->show == IBA_SHOW_BYTES || f->show == IBA_SHOW_IP6 || f->show == IBA_SHOW_TEXT;
}
static inline uint64_t iba_field_max(const struct iba_field *f) /* the largest value that the field can have */
{
    return f->bits >= 64 ? UINT64_MAX : (UINT64_C(1) << f->bits) - 1;
}
/* Returns the row of header `h` with this filter name (without the header's prefix); NULL: there is none. */
const struct iba_field *iba_field_find(enum iba_hdr h, const char *name);

#ifdef __cplusplus
}
#endif

#endif
