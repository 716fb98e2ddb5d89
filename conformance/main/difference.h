/* SPDX-License-Identifier: BSD-2-Clause */
/* How a scenario's verdict changed from one report of `ibconform run --json` to another. */
#ifndef IBC_DIFFERENCE_H
#define IBC_DIFFERENCE_H
#include "run/run.h"

/*      id              name                 what it means */
#define IBC_DIFFERENCES(D)                                                                                             \
    D(SAME, "same", "the verdict stands for the same")                                                                 \
    D(NEWLY_FAILING, "newly failing", "FAIL, and did not fail before, or was not in the old report")                   \
    D(NEWLY_DEVIATING, "newly deviating", "waived, or against an uncertain statement; passed before")                  \
    D(CHANGED_SYMPTOM, "changed symptom", "still not as expected, but in another way")                                 \
    D(NO_LONGER_JUDGED, "no longer judged", "had a verdict of the device, has none now")                               \
    D(NOW_EXCUSED, "now excused", "failed before; now waived, or the statement is not certain")                        \
    D(NEWLY_PASSING, "newly passing", "passes, and did not pass before")                                               \
    D(NOW_JUDGED, "now judged", "had no verdict of the device, and has one now")                                       \
    D(ONLY_NEW, "only in the new report", "does not fail")                                                             \
    D(ONLY_OLD, "only in the old report", "was not played again")

enum difference {
#define IBC_DIFFERENCE_ID(id, name, words) DIFFERENCE_##id,
    IBC_DIFFERENCES(IBC_DIFFERENCE_ID) DIFFERENCE_COUNT
};
extern const char *const difference_names[DIFFERENCE_COUNT];

/* Returns how the verdict changed. IBC_IS_COUNT means that a report lacks the scenario, which cannot be so for
 * both. Two failing verdicts are the SAME here; the caller must compare their symptoms. */
enum difference difference_of(enum ibc_verdict old, enum ibc_verdict new_one);
/* Whether a scenario with this verdict did not end as expected, so that the report has a symptom. */
bool difference_has_symptom(enum ibc_verdict v);
#endif
