/* SPDX-License-Identifier: BSD-2-Clause */
/* How a direction is found: its addresses and QP, and their hashes. Not for users of libiba. */
#ifndef IBA_OBS_DIRECTION_H
#define IBA_OBS_DIRECTION_H
#include "observer/iba_obs_look.h"

#define IBA_OBS_FACTOR UINT64_C(0x9e3779b97f4a7c15)
/* Gives the same value as iba_obs_mix(), for compilers that have no type of 128 bits, as on processors of 32 bits. */
static inline uint64_t iba_obs_mix_by_halves(uint64_t h, uint64_t word)
{
    const uint64_t half = UINT32_MAX, a = (h ^ word) >> 32, b = (h ^ word) & half;
    const uint64_t c = IBA_OBS_FACTOR >> 32, d = IBA_OBS_FACTOR & half;
    const uint64_t middle = (b * d >> 32) + (a * d & half) + (b * c & half);
    const uint64_t low = middle << 32 | (b * d & half);
    const uint64_t high = a * c + (a * d >> 32) + (b * c >> 32) + (middle >> 32);

    return low ^ high;
}
/* A step of a hash. No stored or printed result depends on its values. The result uses both halves of the product. The
 * lower half alone would not mix the highest bits of the word, so an attacker could choose words that collide with any
 * seed.
 */
static inline uint64_t iba_obs_mix(uint64_t h, uint64_t word)
{
#ifdef __SIZEOF_INT128__
    __extension__ const unsigned __int128 product = (unsigned __int128)(h ^ word) * IBA_OBS_FACTOR;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    return iba_obs_mix_by_halves(h, word);
#endif
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
/* The two hashes that the observer keeps of a direction: target_of() covers its destination and QP, source_of() its
 * source. */
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
