/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the simulator's tests: a network, its log, frames that contain their number. */
#ifndef NET_TEST_H
#define NET_TEST_H
#include <criterion/criterion.h>
#include "sim/iba_net.h"
#include "wire/iba_build.h"

enum { SLOTS = 4096, BYTES = 256, MILLION = 1000000, KINDS = IBA_NET_DELIVERED + 1 };

struct bench {
    struct iba_net net;
    struct iba_net_slot slot[SLOTS];
    uint8_t bytes[(size_t)SLOTS * BYTES];
    uint64_t count[KINDS];
    uint64_t trace; /* hash of every event and every byte delivered */
    uint8_t *fate;  /* for each frame, a bit for each kind of event; NULL: not recorded */
    uint32_t *delivered, *duplicated;
};

static inline void mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * UINT64_C(0x100000001b3);
    *hash ^= *hash >> 29;
}

static inline void note(void *ctx, const struct iba_net_event *e)
{
    struct bench *b = ctx;

    b->count[e->what]++;
    mix(&b->trace, e->at), mix(&b->trace, e->frame), mix(&b->trace, e->what * 2u + e->from);
    if (!b->fate)
        return;
    b->fate[e->frame] |= (uint8_t)(1u << e->what);
    b->delivered[e->frame] += e->what == IBA_NET_DELIVERED;
    b->duplicated[e->frame] += e->what == IBA_NET_DUPLICATED;
}

static inline void start(struct bench *b, uint64_t seed, const struct iba_net_faults *f, enum iba_link link)
{
    iba_net_init(&b->net, seed, f, link, b->slot, b->bytes, SLOTS, BYTES);
    memset(b->count, 0, sizeof b->count);
    b->trace = 1;
    b->fate = NULL;
    b->net.log = note;
    b->net.log_ctx = b;
}

/* Frame i: its number, then bytes derived from it. */
static inline size_t numbered(uint8_t *frame, uint64_t i)
{
    const size_t len = 16 + i % (BYTES - 16 + 1);

    memset(frame, (int)(i * 31), len);
    memcpy(frame, &i, sizeof i);
    return len;
}
#endif
