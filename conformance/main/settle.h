/* SPDX-License-Identifier: BSD-2-Clause */
/* A case on a live device: played until it is settled what it comes to. */
#ifndef IBC_SETTLE_H
#define IBC_SETTLE_H
#include "run/run.h"

struct settle {
    struct ibc_target *t;
    const struct ibc_options *o;
    const struct ibc_waivers *w; /* NULL: none */
    const char *target;          /* as waivers name it */
    bool ill;                    /* the device was not well behind a case, and has not been since */
};
/* The result is of the last play, but for what confirm() makes of all of them. Evidence of a play that said something
 * else is kept beside it: ID.play-N.pcapng. */
void settle(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r);
#endif
