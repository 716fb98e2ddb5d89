/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdio.h>
#include "command.h"
#include "fault.h"
#include "system/descriptors.h"
#include "system/signals.h"

/* Whether the output was written completely. */
static int flushed(int rc)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || reader_left())
        return rc;
    return wrong(EXIT_HARNESS, "standard output: not all could be written");
}

int main(int argc, char **argv)
{
    static struct options o;
    const struct command *command;
    int rc;

    if (!descriptors_fill())
        return EXIT_HARNESS;
    signal(SIGPIPE, SIG_IGN);
    if (!signals_mind(NULL))
        return EXIT_HARNESS;
    rc = options_parse(&o, argc, argv, &command);
    if (rc == EXIT_OK && command)
        rc = command->run(&o);
    return flushed(rc);
}
