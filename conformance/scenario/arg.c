/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario.h"

const struct ibc_arg *ibc_arg(const struct ibc_arg *arg, unsigned n, enum ibc_key key)
{
    for (unsigned i = 0; i < n; i++)
        if (arg[i].key == key)
            return &arg[i];
    return NULL;
}

uint64_t ibc_arg_n(const struct ibc_arg *arg, unsigned n, enum ibc_key key, uint64_t otherwise)
{
    const struct ibc_arg *a = ibc_arg(arg, n, key);

    return a == NULL ? otherwise : a->v[0].n;
}

/* The period is longer than any payload, so that bytes at a wrong offset are detected. */
uint8_t ibc_pattern(char letter, uint64_t i)
{
    uint64_t x =
        (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(unsigned char)letter * UINT64_C(0xd1342543de82ef95);

    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint8_t)(x >> 56);
}

const uint8_t *ibc_pattern_row(char letter, uint64_t at, uint64_t n)
{
    enum { FIRST = 'a', LETTERS = 26 };
    static uint8_t row[LETTERS][IBC_PATTERN_ROW];
    static bool made[LETTERS];
    const unsigned k = (unsigned)(unsigned char)letter - FIRST;

    if (k >= LETTERS || at > IBC_PATTERN_ROW || n > IBC_PATTERN_ROW - at)
        return NULL;
    for (uint64_t i = 0; !made[k] && i < IBC_PATTERN_ROW; i++)
        row[k][i] = ibc_pattern(letter, i);
    made[k] = true;
    return row[k] + at;
}
