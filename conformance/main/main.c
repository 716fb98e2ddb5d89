/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdio.h>
#include "command.h"
#include "fault.h"

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

    signal(SIGPIPE, SIG_IGN);
    rc = options_parse(&o, argc, argv, &command);
    if (rc == EXIT_OK && command)
        rc = command->run(&o);
    return flushed(rc);
}
