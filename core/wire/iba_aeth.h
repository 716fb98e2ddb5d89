/* SPDX-License-Identifier: BSD-2-Clause */
/* The syndrome of an AETH: its kinds, and the codes of NAKs, RNR timers and end-to-end credits (section 9.7.5).
 *
 * A syndrome is one byte: a reserved bit, two bits of kind, five bits of code. The meaning of the code depends on the
 * kind: credits in an ACK, a timer in an RNR NAK, the reason in a NAK. The lists pass `A` on to each row, so that a
 * user can hand an argument to the macro that expands the rows. */
#ifndef IBA_AETH_H
#define IBA_AETH_H
#include "iba_psn.h"

/* clang-format off */
/* WF-47; Table 46 of release 1.4: K(A, name, code, words) */
#define IBA_AETH_KINDS(K, A)                                                                                           \
    K(A, ACK, 0, "Ack") K(A, RNR, 1, "RNR Nak") K(A, RESERVED, 2, "Reserved") K(A, NAK, 3, "Nak")
/* WF-51; Table 47 of release 1.4: N(A, name, code, words). Higher codes are reserved. */
#define IBA_NAKS(N, A)                                                                                                 \
    N(A, SEQUENCE, 0, "PSN Sequence Error") N(A, INVALID_REQUEST, 1, "Invalid Request")                                \
    N(A, REMOTE_ACCESS, 2, "Remote Access Error") N(A, REMOTE_OPERATION, 3, "Remote Operational Error")                \
    N(A, INVALID_RD, 4, "Invalid RD Request")
/* WF-50: T(A, code, units of 10 us, words). Code 25 is 61.44 ms (catalogue 11.1/2). */
#define IBA_RNR_TIMERS(T, A)                                                                                           \
    T(A, 0, 65536, "655.36 ms") T(A, 1, 1, "0.01 ms") T(A, 2, 2, "0.02 ms") T(A, 3, 3, "0.03 ms")                      \
    T(A, 4, 4, "0.04 ms") T(A, 5, 6, "0.06 ms") T(A, 6, 8, "0.08 ms") T(A, 7, 12, "0.12 ms") T(A, 8, 16, "0.16 ms")    \
    T(A, 9, 24, "0.24 ms") T(A, 10, 32, "0.32 ms") T(A, 11, 48, "0.48 ms") T(A, 12, 64, "0.64 ms")                     \
    T(A, 13, 96, "0.96 ms") T(A, 14, 128, "1.28 ms") T(A, 15, 192, "1.92 ms") T(A, 16, 256, "2.56 ms")                 \
    T(A, 17, 384, "3.84 ms") T(A, 18, 512, "5.12 ms") T(A, 19, 768, "7.68 ms") T(A, 20, 1024, "10.24 ms")              \
    T(A, 21, 1536, "15.36 ms") T(A, 22, 2048, "20.48 ms") T(A, 23, 3072, "30.72 ms") T(A, 24, 4096, "40.96 ms")        \
    T(A, 25, 6144, "61.44 ms") T(A, 26, 8192, "81.92 ms") T(A, 27, 12288, "122.88 ms") T(A, 28, 16384, "163.84 ms")    \
    T(A, 29, 24576, "245.76 ms") T(A, 30, 32768, "327.68 ms") T(A, 31, 49152, "491.52 ms")
/* WF-49: C(A, code, messages). Code 31 means no limit: IBA_CREDIT_NO_LIMIT. */
#define IBA_CREDITS(C, A)                                                                                              \
    C(A, 0, 0) C(A, 1, 1) C(A, 2, 2) C(A, 3, 3) C(A, 4, 4) C(A, 5, 6) C(A, 6, 8) C(A, 7, 12) C(A, 8, 16) C(A, 9, 24)   \
    C(A, 10, 32) C(A, 11, 48) C(A, 12, 64) C(A, 13, 96) C(A, 14, 128) C(A, 15, 192) C(A, 16, 256) C(A, 17, 384)        \
    C(A, 18, 512) C(A, 19, 768) C(A, 20, 1024) C(A, 21, 1536) C(A, 22, 2048) C(A, 23, 3072) C(A, 24, 4096)             \
    C(A, 25, 6144) C(A, 26, 8192) C(A, 27, 12288) C(A, 28, 16384) C(A, 29, 24576) C(A, 30, 32768)
/* clang-format on */
#define IBA_AETH_KIND_ID(A, name, code, words) IBA_AETH_##name = (code),
enum iba_aeth_kind { IBA_AETH_KINDS(IBA_AETH_KIND_ID, ) };
#define IBA_NAK_ID(A, name, code, words) IBA_NAK_##name = (code),
enum iba_nak { IBA_NAKS(IBA_NAK_ID, ) IBA_NAK_CODES };
enum { IBA_SYNDROME_CODES = 32, IBA_CREDIT_NO_LIMIT = 31 }; /* code 31: no limit (RQ-43) */

extern const uint32_t iba_rnr_timers_10us[IBA_SYNDROME_CODES];
extern const uint16_t iba_credits[IBA_SYNDROME_CODES];

/* Returns the syndrome of that kind with the low five bits of `code`. */
static inline uint8_t iba_syndrome(enum iba_aeth_kind kind, unsigned code)
{
    return (uint8_t)((unsigned)kind << 5 | code % IBA_SYNDROME_CODES);
}
/* Returns an enum iba_aeth_kind, or a greater number if the reserved bit is set (WF-48). */
static inline uint8_t iba_syndrome_kind(uint8_t syndrome)
{
    return syndrome >> 5;
}
static inline uint8_t iba_syndrome_code(uint8_t syndrome) /* the low five bits */
{
    return syndrome % IBA_SYNDROME_CODES;
}
/* Returns the shortest time after which the request may be sent again, for the low five bits of `code` (WF-50). */
static inline iba_time iba_rnr_timer_ns(uint8_t code)
{
    return iba_rnr_timers_10us[code % IBA_SYNDROME_CODES] * UINT64_C(10000);
}
/* Returns how many messages after the MSN the requester may send (WF-49); 0 for IBA_CREDIT_NO_LIMIT. */
static inline uint32_t iba_credit_count(uint8_t code)
{
    return iba_credits[code % IBA_SYNDROME_CODES];
}
#endif
