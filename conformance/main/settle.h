/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a case on a live device until its verdict is certain. */
#ifndef IBC_SETTLE_H
#define IBC_SETTLE_H
#include "run/run.h"

struct settle {
    struct ibc_target *t;
    const struct ibc_options *o;
    const struct ibc_waivers *w; /* NULL: none */
    const char *target;          /* name of the target in waivers */
    bool ill;                    /* the health probe after a case failed, and no later one has passed */
};
/* Plays a case until its verdict is certain. The result is that of the last play, unless confirm() combines all
 * plays. Evidence of a play with another verdict is kept as ID.play-N.pcapng. */
void settle(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r);
#endif
