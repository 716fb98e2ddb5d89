/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/random.h"
#include <criterion/criterion.h>

enum { MOST = 256, DRAWS = 64 };

/* Every byte is drawn, and none beyond: that one of them is 0 in 64 draws has a probability of 256^-64. */
Test(random, each_byte_is_drawn)
{
    for (size_t n = 1; n <= MOST; n += 51) {
        unsigned char all[MOST + 1] = {0};
        for (unsigned i = 0; i < DRAWS; i++) {
            unsigned char some[MOST + 1] = {0};
            cr_assert(random_bytes(some, n));
            for (size_t at = 0; at <= MOST; at++)
                all[at] |= some[at];
        }
        for (size_t at = 0; at <= MOST; at++)
            cr_expect_eq(all[at] != 0, at < n, "byte %zu of %zu", at, n);
    }
}

Test(random, more_are_refused)
{
    unsigned char some[MOST + 1];

    cr_expect_not(random_bytes(some, sizeof some));
}
