/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as files write them: terms of +, -, *, / left to right, * and / first; KiB and MiB; times with their unit. */
#ifndef IBC_EXPR_H
#define IBC_EXPR_H
#include <stdbool.h>
#include <stdint.h>

struct ibc_number {
    uint64_t n;      /* magnitude */
    bool negative;   /* never of 0 */
    const char *why; /* what is wrong, when the text is no number */
};
/* All of `s`, unsigned terms; a sign may stand before the first. Time: ns, and every product has one unit at most, the
 * whole at least one. False: `why`. */
bool ibc_expr(const char *s, bool time, struct ibc_number *out);
/* A sum, product or quotient of two numbers or more, not beginning with a sign: what a variable's value may be. */
bool ibc_expr_is_compound(const char *s);
#endif
