/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a case on a live device until its verdict is certain. */
#ifndef IBC_SETTLE_H
#define IBC_SETTLE_H
#include "run/run.h"

struct settle {
    struct ibc_target *t;
    const struct ibc_options *o;
    const struct ibc_waivers *w; /* NULL: none */
    const char *target;          /* as waivers name it */
    bool ill;                    /* the health probe after a case failed, and no later one has passed */
};
/* The result is that of the last play, except where confirm() combines all of them. Evidence of a play with another
 * verdict is kept beside it: ID.play-N.pcapng. */
void settle(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r);
#endif
