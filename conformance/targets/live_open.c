/* SPDX-License-Identifier: BSD-2-Clause */
/* Greets an agent and opens it as a target. */
#include "live.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live_inside.h"

static bool start(struct live *l, char *err, size_t errlen)
{
    if (!live_connect(l)) {
        snprintf(err, errlen, "agent %s: %s", l->agent, l->t.fault + strlen(LIVE_AGENT));
        return false;
    }
    l->t.virtual_time = l->hello.time;
    if (live_links(&l->t) != 0)
        return true;
    snprintf(err, errlen, "agent %s: none of its links goes over the wire %s", l->agent, l->o.wire[0]->spec);
    return false;
}

struct ibc_target *ibc_live_open(const struct ibc_live *o, char *err, size_t errlen)
{
    struct live *l = calloc(1, sizeof *l);

    if (!l) {
        snprintf(err, errlen, "out of memory");
        return NULL;
    }
    l->t = (struct ibc_target){.ops = &live_ops, .time_scale = o->time_scale};
    l->o = *o;
    l->channel.fd = -1;
    l->channel.starter = o->starter;
    l->agent = strdup(o->agent);
    l->token = o->token ? strdup(o->token) : NULL;
    if (!l->agent || (o->token && !l->token))
        snprintf(err, errlen, "out of memory");
    else if (start(l, err, errlen))
        return &l->t;
    live_close(&l->t);
    return NULL;
}

const char *ibc_live_name(const struct ibc_target *t)
{
    return ((const struct live *)t)->hello.name.s;
}
