/* SPDX-License-Identifier: BSD-2-Clause */
/* check: judges captures passively. It applies the same rules to the packets of a capture alone. */
#include "check/check.h"
#include "command.h"

int command_check(const struct options *o)
{
    const struct ibc_check_options how = {
        .file = o->pattern.w, .n_file = o->pattern.n, .json = o->json, .verbose = o->verbose};

    return ibc_check(&how, stdout, stderr);
}
