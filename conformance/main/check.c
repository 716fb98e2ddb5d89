/* SPDX-License-Identifier: BSD-2-Clause */
/* check: nobody's peer. What the packets of a capture show by themselves, judged by the same rules. */
#include "check/check.h"
#include "command.h"

int command_check(const struct options *o)
{
    const struct ibc_check_options how = {
        .file = o->pattern.w, .n_file = o->pattern.n, .json = o->json, .verbose = o->verbose};

    return ibc_check(&how, stdout, stderr);
}
