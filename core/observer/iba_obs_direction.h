/* SPDX-License-Identifier: BSD-2-Clause */
/* How a direction is found: its addresses and QP, and their hashes. Not for users of libiba. */
#ifndef IBA_OBS_DIRECTION_H
#define IBA_OBS_DIRECTION_H
#include "observer/iba_obs_look.h"

/* A step of a hash. No stored or printed result depends on its values. Both halves of the product count: the lower half
 * alone would pass the highest bits of the word on unmixed, so that words could be chosen that collide with any seed.
 */
static inline uint64_t iba_obs_mix(uint64_t h, uint64_t word)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)(h ^ word) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
/* False when the packet belongs to no direction. */
__attribute__((hot)) bool iba_obs_is_directed(const struct iba_view *v);
/* The addresses and DestQP of a packet that belongs to a direction. */
__attribute__((hot)) void iba_obs_key(struct iba_flow_key *k, const struct iba_view *v);
/* The packet goes between the addresses of the key, in its direction. */
__attribute__((hot)) bool iba_obs_is_between(const struct iba_flow_key *k, const struct iba_view *v);
/* Hashes of the packet's direction, with the configuration's seed. False when the packet belongs to no direction. */
__attribute__((hot)) bool iba_obs_identify(struct iba_direction *id, const struct iba_view *v, uint64_t seed);
/* The hashes of the packet's direction, computed at first use: the observer mostly finds the flow without them. */
__attribute__((hot)) const struct iba_direction *iba_obs_id(struct iba_look *l);
/* The hashes that the observer keeps of a direction: of its destination and QP; of its source. */
static inline uint64_t iba_obs_target_of(uint64_t to, uint32_t qpn)
{
    return iba_obs_mix(to, qpn);
}
static inline uint32_t iba_obs_source_of(uint64_t from)
{
    return (uint32_t)(from >> 32);
}
static inline uint64_t iba_obs_mix_ends(uint64_t h, const uint8_t a[16], const uint8_t b[16])
{
    h = iba_obs_mix(iba_obs_mix(h, iba_bits_get(a, 0, 64)), iba_bits_get(a, 64, 64));
    return iba_obs_mix(iba_obs_mix(h, iba_bits_get(b, 0, 64)), iba_bits_get(b, 64, 64));
}
#endif
