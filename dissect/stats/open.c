/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "stats/kinds.h"

void *stat_open_plain(const char *name, size_t bytes, const char *arg, char *err, size_t errlen)
{
    void *state = arg ? NULL : calloc(1, bytes);

    if (arg)
        (void)snprintf(err, errlen, "-z %s takes no argument, not \"%.64s\"", name, arg);
    else if (!state)
        (void)snprintf(err, errlen, "-z %s: out of memory", name);
    return state;
}
