/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of `ibconform fuzz`. */
#ifndef IBC_FUZZ_TEST_BED_H
#define IBC_FUZZ_TEST_BED_H
#include "fuzz/known.h"
#include "fuzz/making.h"
#include <criterion/criterion.h>
#include <string.h>

/* All that a device can do, on every link, without known deviations. */
static const struct fuzz_may all = {UINT64_MAX, (1u << IBC_LINK_COUNT) - 1, 0};

/* Opens a target, which the caller closes: ibc_target_close(). */
static inline struct ibc_target *target(const char *spec)
{
    char err[512] = "";
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);

    cr_assert(t, "%s", err);
    return t;
}

/* The known deviations that a waiver stands for, as bits of their places in fuzz_known. */
static inline uint64_t known_as(const char *waiver)
{
    uint64_t set = 0;

    for (size_t i = 0; i < fuzz_known_count; i++)
        if (strcmp(fuzz_known[i].waiver, waiver) == 0)
            set |= UINT64_C(1) << i;
    cr_assert(set, "%s", waiver);
    return set;
}

#endif
