/* SPDX-License-Identifier: BSD-2-Clause */
/* check: judges captures passively, by rules that need only the packets of a capture. */
#include "check/check.h"
#include "command.h"
#include "sandbox.h"

int command_check(const struct options *o)
{
    const struct ibc_check_options how = {.file = o->pattern.w,
                                          .n_file = o->pattern.n,
                                          .json = o->json,
                                          .verbose = o->verbose,
                                          .opened = o->no_sandbox ? sandbox_without_check : sandbox_enter_check};

    return ibc_check(&how, stdout, stderr);
}
