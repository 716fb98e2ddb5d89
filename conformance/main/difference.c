/* SPDX-License-Identifier: BSD-2-Clause */
#include "difference.h"

#define NAME(id, name, words) name,
const char *const difference_names[DIFFERENCE_COUNT] = {IBC_DIFFERENCES(NAME)};

/* The meaning of a verdict for the device: GOOD as expected, BAD failed, EXCUSED differs without being blamed, UNJUDGED
 * no verdict about the device, ABSENT not in the report. */
enum standing { GOOD, BAD, EXCUSED, UNJUDGED, ABSENT, STANDINGS };

static const enum standing standing_of[IBC_IS_COUNT + 1] = {[IBC_IS_PASS] = GOOD,
                                                            [IBC_IS_INFO] = GOOD,
                                                            [IBC_IS_XPASS] = GOOD,
                                                            [IBC_IS_FAIL] = BAD,
                                                            [IBC_IS_DEVIATES] = EXCUSED,
                                                            [IBC_IS_XFAIL] = EXCUSED,
                                                            [IBC_IS_TOLERATED] = EXCUSED,
                                                            [IBC_IS_ERROR] = UNJUDGED,
                                                            [IBC_IS_INCONCLUSIVE] = UNJUDGED,
                                                            [IBC_IS_COUNT] = ABSENT,
                                                            [IBC_IS_UNSUPPORTED] = UNJUDGED,
                                                            [IBC_IS_NOT_APPLICABLE] = UNJUDGED};

/* clang-format off */
#define D(id) DIFFERENCE_##id
static const enum difference change[STANDINGS][STANDINGS] = {
    /* old          new: GOOD           BAD               EXCUSED             UNJUDGED             ABSENT */
    [GOOD]     = {D(SAME),          D(NEWLY_FAILING), D(NEWLY_DEVIATING), D(NO_LONGER_JUDGED), D(ONLY_OLD)},
    [BAD]      = {D(NEWLY_PASSING), D(SAME),          D(NOW_EXCUSED),     D(NO_LONGER_JUDGED), D(ONLY_OLD)},
    [EXCUSED]  = {D(NEWLY_PASSING), D(NEWLY_FAILING), D(SAME),            D(NO_LONGER_JUDGED), D(ONLY_OLD)},
    [UNJUDGED] = {D(NOW_JUDGED),    D(NEWLY_FAILING), D(NOW_JUDGED),      D(SAME),             D(ONLY_OLD)},
    [ABSENT]   = {D(ONLY_NEW),      D(NEWLY_FAILING), D(ONLY_NEW),        D(ONLY_NEW),         D(SAME)},
};
#undef D
/* clang-format on */

enum difference difference_of(enum ibc_verdict old, enum ibc_verdict new_one)
{
    return change[standing_of[old]][standing_of[new_one]];
}

bool difference_has_symptom(enum ibc_verdict v)
{
    return standing_of[v] == BAD || standing_of[v] == EXCUSED;
}
