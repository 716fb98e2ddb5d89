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
    const char *target;                /* name of the target in waivers */
    /* after so many failures that no waiver excuses no further case begins; 0: no limit */
    unsigned max_failures;
    uint64_t deadline_ns; /* after this time of the wall clock no further case begins; 0: no limit */
    /* hazardous: scenarios that are known to crash devices are played too; only live targets use this */
    bool stop_at_first, hazardous;
};
/* Plays all cases. r[case * repeat + k] is the result of a case with seed + k. False: no process could be created,
 * and the message was printed. Cases that were not played are an ERROR after a signal, and INCONCLUSIVE after
 * max_failures or the deadline. If repeats of a case that follow each other were not played, only the first of them has
 * a result. `has` says which results there are; all are false before. The other results are not touched, so they use no
 * memory. The caller owns the results: ibc_result_clear() each that is there. */
bool play_cases(const struct play_run *run, struct ibc_result *r, bool *has);
#endif
