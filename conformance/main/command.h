/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of ibconform: one row each. */
#ifndef IBC_COMMAND_H
#define IBC_COMMAND_H
#include "options.h"

struct command {
    const char *name, *words; /* "[PATTERN]..." */
    size_t least, most;       /* number of words that the command takes */
    const char *summary;
    uint64_t options; /* 1 << enum option_id */
    const char *examples;
    int (*run)(const struct options *o); /* returns the exit code, after printing any message */
};
extern const struct command commands[];
extern const size_t command_count;

int command_list(const struct options *o);
int command_show(const struct options *o);
int command_run(const struct options *o);
int command_statements(const struct options *o);
int command_mutants(const struct options *o);
int command_check(const struct options *o);
int command_diff(const struct options *o);
int command_devices(const struct options *o);
int command_fuzz(const struct options *o);

/* Prints a line of the table of capabilities, which list and show have. */
void command_print_capability(const char *indent, unsigned capability);
#endif
