/* SPDX-License-Identifier: BSD-2-Clause */
#include "track/sample.h"
#include "wire/iba_endpoints.h"

/* The mixing step of SplitMix64: every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A hash that is the same on every machine. */
static uint64_t hash(uint64_t from, const uint8_t addr[IBA_ADDR_MOST])
{
    for (unsigned i = 0; i < IBA_ADDR_MOST; i += 8) {
        uint64_t word = 0;
        for (unsigned k = 0; k < 8; k++)
            word = word << 8 | addr[i + k];
        from = mix(from + UINT64_C(0x9e3779b97f4a7c15) + word);
    }
    return from;
}

bool sample_has(const struct sample *s, const struct iba_view *v)
{
    uint8_t a[IBA_ADDR_MOST] = {0}, b[IBA_ADDR_MOST] = {0};
    struct iba_endpoints e;

    if (!sample_is_one(s))
        return true;
    if (!iba_endpoints_of(&e, v))
        return false;
    iba_addr_copy(a, e.kind, e.src);
    iba_addr_copy(b, e.kind, e.dst);
    const bool turned = memcmp(a, b, sizeof a) > 0;
    return hash(hash(mix(s->seed) + (uint64_t)e.kind, turned ? b : a), turned ? a : b) % s->one_in == 0;
}

void sample_say(struct out *o, const struct sample *s)
{
    OUT_LIT(o, "A sample: 1 in ");
    out_u64(o, s->one_in);
    OUT_LIT(o, " pairs of hosts (seed ");
    out_u64(o, s->seed);
    OUT_LIT(o, "). All numbers are those of the sample.");
}
