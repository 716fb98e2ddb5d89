/* SPDX-License-Identifier: BSD-2-Clause */
/* The hash table of directions that the observer remembers. Inside of the engine: not for users of libiba. */
#ifndef IBA_OBS_BUCKET_H
#define IBA_OBS_BUCKET_H
#include <assert.h>
#include "observer/iba_obs_direction.h"
#include "observer/iba_obs_look.h"

/* A bucket holds at most one direction: its index plus 1, and its place, so that no search reads other directions. A
 * direction is in the bucket that its place selects, or in one of the occupied buckets that follow it. The place of a
 * connected service covers the destination, not the source: so a packet from an unexpected sender to a QP finds that
 * QP's flow. Any number of senders may send datagrams to one QP, as to a subnet manager's, so the place of other
 * services covers the source, too. */
enum { IBA_OBS_PLACE_AT = 32 };

static inline uint32_t iba_obs_buckets(const struct iba_observer *s)
{
    return s->cfg.n_known * IBA_OBS_BUCKETS;
}

static inline bool iba_obs_is_connected(uint8_t svc)
{
    return svc == IBA_RC || svc == IBA_UC || svc == IBA_XRC;
}

/* The hash of a direction that iba_known.target keeps. */
static inline uint64_t iba_obs_target(const struct iba_direction *id, bool connected)
{
    return connected ? id->target : iba_obs_mix(id->target, id->from);
}

static inline uint32_t iba_obs_place(uint64_t target)
{
    return (uint32_t)(target >> 32);
}

static inline uint32_t iba_obs_bucket_home(const struct iba_observer *s, uint32_t place)
{
    return (uint32_t)(((uint64_t)place * iba_obs_buckets(s)) >> 32);
}

static inline uint32_t iba_obs_bucket_after(const struct iba_observer *s, uint32_t at)
{
    return at + 1 == iba_obs_buckets(s) ? 0 : at + 1;
}

static inline uint32_t iba_obs_bucket_index(uint64_t entry)
{
    return (uint32_t)entry;
}

static inline uint32_t iba_obs_bucket_place(uint64_t entry)
{
    return (uint32_t)(entry >> IBA_OBS_PLACE_AT);
}

/* Returns the next direction with this place, from bucket *at on; 0: none. Sets *at to the bucket after that one. */
static inline uint32_t iba_obs_bucket_next(const struct iba_observer *s, uint32_t *at, uint32_t place)
{
    for (uint64_t entry; (entry = s->bucket[*at]) != 0;) {
        *at = iba_obs_bucket_after(s, *at);
        if (iba_obs_bucket_place(entry) == place)
            return iba_obs_bucket_index(entry);
    }
    return 0;
}

static inline uint32_t iba_obs_place_of(const struct iba_known *k)
{
    return iba_obs_place(k->target);
}

static inline void iba_obs_bucket_add(struct iba_observer *s, uint32_t known)
{
    const uint32_t place = iba_obs_place_of(&s->known[known - 1]);
    uint32_t at = iba_obs_bucket_home(s, place);

    while (s->bucket[at] != 0)
        at = iba_obs_bucket_after(s, at);
    s->bucket[at] = known | (uint64_t)place << IBA_OBS_PLACE_AT;
}

/* Number of steps forward from bucket `from` to bucket `to`; the first of `n` buckets follows the last. */
static inline uint32_t iba_obs_bucket_distance(uint32_t n, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + n - from;
}

/* Empties the direction's bucket. Moves those of the following entries that a search would no longer find. */
static inline void iba_obs_bucket_remove(struct iba_observer *s, uint32_t known)
{
    const uint32_t n = iba_obs_buckets(s);
    assert(n > 0);
    uint32_t slot = iba_obs_bucket_home(s, iba_obs_place_of(&s->known[known - 1]));

    while (iba_obs_bucket_index(s->bucket[slot]) != known)
        slot = iba_obs_bucket_after(s, slot);
    for (uint32_t at = iba_obs_bucket_after(s, slot); s->bucket[at] != 0; at = iba_obs_bucket_after(s, at)) {
        const uint32_t from = iba_obs_bucket_home(s, iba_obs_bucket_place(s->bucket[at]));
        if (iba_obs_bucket_distance(n, from, at) < iba_obs_bucket_distance(n, slot, at))
            continue;
        s->bucket[slot] = s->bucket[at];
        slot = at;
    }
    s->bucket[slot] = 0;
}
#endif
