/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in files: sums, differences, products and quotients, computed from left to right, * and / first. KiB and
 * MiB are units of sizes; times have a unit of time. */
#ifndef IBC_EXPR_H
#define IBC_EXPR_H
#include <stdbool.h>
#include <stdint.h>

struct ibc_number {
    uint64_t n;      /* magnitude */
    bool negative;   /* false for 0 */
    const char *why; /* the error, when the text is no number */
};
/* Computes the whole text `s`. Only its first term may have a sign. Times are in ns: each product has at most one
 * unit, and at least one product has a unit. False: out->why has the reason. */
bool ibc_expr(const char *s, bool time, struct ibc_number *out);
/* Whether a variable's value is a sum, product or quotient of two numbers or more that does not begin with a sign. */
bool ibc_expr_is_compound(const char *s);
#endif
