/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ibagent. */
#ifndef IBC_AGENT_OPTIONS_H
#define IBC_AGENT_OPTIONS_H
#include "targets/target.h"

enum { EXIT_OK, EXIT_WRONG = 2, EXIT_BROKEN = 4 };

struct options {
    const char *engine, *listen, *token_file, *wire[IBC_DEVICES];
    const char *device, *tester, *stranger;
    unsigned port, n_wire; /* port 0: not given */
    bool real_time, no_sandbox;
};

/* One line on the standard error; returns `code`. */
int wrong(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* EXIT_OK, or what the program ends with, the message printed. *done: help or the version was asked for, and is. */
int read_options(struct options *o, int argc, char **argv, bool *done);
#endif
