/* SPDX-License-Identifier: BSD-2-Clause */
/* split OPTION... FILE...: prints "split" if --jobs would split the work of ibdissect with these arguments among
 * threads, and "one" if that run needs a single thread. The output of ibdissect itself does not show this. */
#include <stdio.h>
#include "jobs/jobs.h"
#include "system/signals.h"

static void nothing(void *ctx, uint64_t packets, uint64_t bytes)
{
    (void)ctx;
    (void)packets;
    (void)bytes;
}

int main(int argc, char **argv)
{
    static struct options opt;
    bool done, split = false;

    if (options_parse(&opt, argc, argv, &done) != EXIT_OK || done || !signals_mind(NULL))
        return EXIT_USAGE;
    if (jobs_can(&opt)) {
        struct jobs *j = jobs_open(&(struct jobs_config){.opt = &opt, .seed = 1, .progress = nothing});
        split = j && jobs_run(j);
        jobs_close(j);
    }
    (void)puts(split ? "split" : "one");
    options_free(&opt);
    return EXIT_OK;
}
