/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour that the architecture requires of a limiter (iba_limiter.h); iba_dcqcn.h consults these rows. A sentence
 * continues "a device ..."; after "broken:" it says what a device does whose row is changed. */
#ifndef IBA_DEVIATIONS_LIMITER_H
#define IBA_DEVIATIONS_LIMITER_H
#include "wire/iba_change.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/*    name     kinds   a device ...                                                                              clause */
#define IBA_LIMITER_BEHAVIOURS(B)                                                                                          \
    B(FALLS,   DROP,   "lowers a flow's rate after a notification",                                              "RO-44, WF-83") \
    B(RISES,   DROP,   "raises a flow's rate again when no notification comes",                                  "RO-45, WF-83") \
    B(FLOW,    OTHER,  "slows down the flow that a notification names; broken: all flows",                       "RO-44")
/* clang-format on */
enum iba_limiter_row {
#define IBA_LIMITER_ROW(name, ...) IBA_ROW_limiter_##name,
    IBA_LIMITER_BEHAVIOURS(IBA_LIMITER_ROW) IBA_ROW_limiter_COUNT
};
extern const struct iba_behaviours iba_limiter_behaviours;
#define IBA_LIMITER_LISTS(L) L(iba_limiter_behaviours)

#ifdef __cplusplus
}
#endif

#endif
