/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pairs of hosts a sample has. */
#include "track/sample.h"
#include <criterion/criterion.h>
#include <string.h>
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { FRAME = 256, PAIRS = 64 };

static bool has(const struct sample *s, bool v6, uint8_t from, uint8_t to)
{
    static uint8_t frame[FRAME];
    uint8_t src[16] = {0xfe, 0x80, [15] = from}, dst[16] = {0xfe, 0x80, [15] = to};
    struct iba_recipe r;
    struct iba_view v;
    size_t n;

    iba_recipe_init(&r, v6 ? IBA_ENCAP_ROCE2_V6 : IBA_ENCAP_ROCE2_V4, IBA_UC_SEND_ONLY);
    if (v6) {
        iba_ipv6_set_src(iba_recipe_part(&r, IBA_H_ipv6), src);
        iba_ipv6_set_dst(iba_recipe_part(&r, IBA_H_ipv6), dst);
    } else {
        iba_ipv4_set_src(iba_recipe_part(&r, IBA_H_ipv4), 0x0a000000 | from);
        iba_ipv4_set_dst(iba_recipe_part(&r, IBA_H_ipv4), 0x0a000000 | to);
    }
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &n), IBA_OK);
    cr_assert_eq(iba_view_parse(&v, IBA_LINK_ETHERNET, frame, n, n, NULL), IBA_OK);
    return sample_has(s, &v);
}

/* Captures of other hosts must have the same pairs, so the choice is fixed. The values are those of another program,
 * which hashes both addresses with the mixing step of SplitMix64. Bit k is the pair of the hosts 1 and k + 2. */
Test(sample, pairs)
{
    static const struct {
        struct sample s;
        bool v6;
        uint64_t pairs;
    } rows[] = {
        {{4, 7}, false, UINT64_C(0xc620400a05040801)},
        {{4, 8}, false, UINT64_C(0x24605081405204a7)},
        {{2, 7}, false, UINT64_C(0xd6245a9a6dcf3965)},
        {{16, 7}, false, UINT64_C(0x1000001)},
        {{1, 7}, false, UINT64_MAX},
        {{0, 7}, false, UINT64_MAX},
        {{4, 7}, true, UINT64_C(0x4111124108e88905)},
        {{4, 8}, true, UINT64_C(0x7c002811421914a9)},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t pairs = 0, back = 0;
        for (uint8_t k = 0; k < PAIRS; k++) {
            pairs |= (uint64_t)has(&rows[i].s, rows[i].v6, 1, (uint8_t)(k + 2)) << k;
            back |= (uint64_t)has(&rows[i].s, rows[i].v6, (uint8_t)(k + 2), 1) << k;
        }
        cr_expect_eq(pairs, rows[i].pairs, "row %zu: %llx", i, (unsigned long long)pairs);
        cr_expect_eq(back, pairs, "row %zu: both directions", i);
    }
}

/* A packet without addresses belongs to no pair. */
Test(sample, no_addresses)
{
    static const uint8_t bytes[64] = {0};
    const struct sample some = {.one_in = 2}, all = {.one_in = 1};
    struct iba_view v;

    (void)iba_view_parse(&v, IBA_LINK_NONE, bytes, sizeof bytes, sizeof bytes, NULL);
    cr_expect_not(sample_has(&some, &v));
    cr_expect(sample_has(&all, &v));
}

Test(sample, as_text)
{
    static const char says[] = "A sample: 1 in 16 pairs of hosts (seed 7). All numbers are those of the sample.";
    const struct sample s = {.one_in = 16, .seed = 7};
    static struct out o;

    out_init(&o, -1);
    sample_say(&o, &s);
    cr_assert_eq(o.n, sizeof says - 1);
    cr_expect_eq(memcmp(o.buf, says, o.n), 0);
}
