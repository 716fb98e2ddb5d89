/* SPDX-License-Identifier: BSD-2-Clause */
/* Converting the interface's clock to ours. live.py checks frames that leave, on machines that have an interface. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include "targets/wire_tap.h"

/* The interface's clock is 80 millionths too fast and has another origin. The kernel reports a frame up to 3 ms late,
 * seldom less than 10 us late. The converted time is never later than the kernel's, and after a while within 150 us of
 * the true time. */
Test(wire_tap, when_it_came)
{
    struct wire_lead lead = {0};
    uint64_t noise = 7;

    for (uint64_t i = 0; i < 5000; i++) {
        const uint64_t truth = 5000000000 + i * 700000, stamp = 77 + truth + truth / 12500;
        noise = noise * UINT64_C(6364136223846793005) + 1;
        const uint64_t told = truth + (noise >> 33) % 3000000, is = wire_arrival(&lead, stamp, told);
        cr_assert_leq(is, told);
        if (i > 2000) {
            cr_assert_lt(is, truth + 150000, "%" PRIu64 ": %" PRId64, i, (int64_t)(is - truth));
            cr_assert_gt(is + 150000, truth);
        }
    }
}

/* Somebody sets one of the clocks forward or back by seconds. */
Test(wire_tap, when_it_came_after_a_leap)
{
    struct wire_lead lead = {0};
    const uint64_t leap[] = {0, 9000000000, 3000000000};
    uint64_t now = 20000000000;

    for (size_t i = 0; i < sizeof leap / sizeof *leap; i++)
        for (unsigned k = 0; k < 10; k++, now += 1000000)
            cr_assert_eq(wire_arrival(&lead, now + leap[i], now), now);
}
