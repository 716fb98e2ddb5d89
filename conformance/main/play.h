/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays cases in child processes. */
#ifndef IBC_MAIN_PLAY_H
#define IBC_MAIN_PLAY_H
#include "cases.h"
#include "dut.h"

struct play_run {
    struct dut dut;
    const struct cases *cases;
    uint64_t seed;
    unsigned repeat, children;
    double timeout_scale;
    const char *evidence;              /* folder, or NULL */
    const struct ibc_waivers *waivers; /* NULL: none */
    const char *target;                /* as waivers name it */
    unsigned max_failures;             /* begin no case after so many that no waiver excuses; 0: play all */
    uint64_t deadline_ns;              /* nor after this of the wall clock (fault.h); 0: none */
    bool stop_at_first, hazardous; /* hazardous: also scenarios that are known to crash devices; for live ones only */
};
/* r[case * repeat + k]: of case with seed + k. False after the message, when no process can be had. After a
 * signal the cases that were not played are an ERROR, after max_failures or the deadline INCONCLUSIVE. Owned by the
 * caller: ibc_result_clear() each. */
bool play_cases(const struct play_run *run, struct ibc_result *r);
#endif
