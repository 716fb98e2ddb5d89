/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet sequence numbers of 24 bits, which wrap (WF-39), and time. */
#ifndef IBA_PSN_H
#define IBA_PSN_H
#include <stdint.h>

/* A struct, so that <, +, - and == with PSNs do not compile. */
typedef struct {
    uint32_t v;
} iba_psn;

enum { IBA_PSN_MASK = 0xffffff };

static inline iba_psn iba_psn_of(uint32_t v) /* the low 24 bits of v */
{
    return (iba_psn){v & IBA_PSN_MASK};
}
static inline iba_psn iba_psn_add(iba_psn a, uint32_t n) /* wraps (WF-39) */
{
    return iba_psn_of(a.v + n);
}
/* Returns a - b in [-2^23, 2^23): negative if a is before b (RR-02). The function has no branch, because with random
 * PSNs the processor would mispredict every second one. */
static inline int32_t iba_psn_diff(iba_psn a, iba_psn b)
{
    const uint32_t d = (a.v - b.v) & IBA_PSN_MASK, sign = 0x800000;
    return (int32_t)(d ^ sign) - (int32_t)sign;
}
static inline int iba_psn_eq(iba_psn a, iba_psn b) /* 1: equal; 0: not */
{
    return a.v == b.v;
}

/* A time in nanoseconds, on a clock of the caller that never runs backwards. */
typedef uint64_t iba_time;
#define IBA_NEVER UINT64_MAX
#endif
