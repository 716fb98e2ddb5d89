/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in files: terms of +, -, *, / left to right, * and / first; KiB and MiB; times with their unit. */
#ifndef IBC_EXPR_H
#define IBC_EXPR_H
#include <stdbool.h>
#include <stdint.h>

struct ibc_number {
    uint64_t n;      /* magnitude */
    bool negative;   /* never of 0 */
    const char *why; /* the error, when the text is no number */
};
/* All of `s`, unsigned terms; the first may have a sign. Time: ns; every product has one unit at most, the whole at
 * least one. False: `why`. */
bool ibc_expr(const char *s, bool time, struct ibc_number *out);
/* Whether a variable's value is a sum, product or quotient of two numbers or more that does not begin with a sign. */
bool ibc_expr_is_compound(const char *s);
#endif
