/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ibagent. */
#ifndef IBC_AGENT_OPTIONS_H
#define IBC_AGENT_OPTIONS_H
#include "targets/target.h"

enum { EXIT_OK, EXIT_WRONG = 2, EXIT_BROKEN = 4 };

struct options {
    const char *engine, *listen, *token_file, *wire[IBC_DEVICES];
    const char *device, *tester, *stranger;
    unsigned port, n_wire; /* port is 0: the option was not given */
    bool real_time, no_sandbox;
};

/* Prints one line on the standard error; returns `code`. */
int wrong(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads the command line. Returns EXIT_OK, or the exit code of the program after the message. *done: --help or
 * --version was answered. */
int read_options(struct options *o, int argc, char **argv, bool *done);
#endif
