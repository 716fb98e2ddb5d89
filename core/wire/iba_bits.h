/* SPDX-License-Identifier: BSD-2-Clause */
/* Bit fields on the wire: bit 0 is the first bit sent, the most significant bit of byte 0 (catalogue WF-01). */
#ifndef IBA_BITS_H
#define IBA_BITS_H
#include <stdint.h>

/* Returns the field of `bits` (1..64) bits that starts at bit `at`. The field must lie in at most 8 bytes. With
 * constant arguments the compiler makes a load, a shift and a mask of this. */
static inline uint64_t iba_bits_get(const uint8_t *wire, unsigned at, unsigned bits)
{
    const unsigned first = at / 8, last = (at + bits - 1) / 8;
    uint64_t v = wire[first];

    for (unsigned i = first + 1; i <= last; i++)
        v = v << 8 | wire[i];
    v >>= 7 - (at + bits - 1) % 8;
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

/* Sets the field of `bits` bits that starts at bit `at` to the low bits of `v`. All other bits stay unchanged. */
static inline void iba_bits_put(uint8_t *wire, unsigned at, unsigned bits, uint64_t v)
{
    const unsigned last = (at + bits - 1) / 8, shift = 7 - (at + bits - 1) % 8;
    uint64_t mask = (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1) << shift;

    v <<= shift;
    for (unsigned i = last + 1; i-- > at / 8; v >>= 8, mask >>= 8)
        wire[i] = (uint8_t)((wire[i] & ~mask) | (v & mask));
}
#endif
