/* SPDX-License-Identifier: BSD-2-Clause */
/* split OPTION... FILE...: whether --jobs splits the run that ibdissect makes with these arguments, or needs one thread
 * for it: "split" or "one". For the test, which cannot tell from the output. */
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
