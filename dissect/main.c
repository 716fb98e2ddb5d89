/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"
#include <signal.h>
#include <string.h>
#include "summaries.h"
#include "system/descriptors.h"

int main(int argc, char **argv)
{
    static struct options opt;
    bool done;
    int rc;

    if (!descriptors_fill())
        return EXIT_INPUT;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is the end of the work, not of the process: see out.h */
    if (argc > 1 && strcmp(argv[1], "merge") == 0)
        return summaries_merge(argc - 1, argv + 1);
    rc = options_parse(&opt, argc, argv, &done);
    if (rc == EXIT_OK && !done)
        rc = run(&opt);
    options_free(&opt);
    return rc;
}
