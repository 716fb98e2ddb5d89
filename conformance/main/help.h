/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBC_HELP_H
#define IBC_HELP_H
#include "command.h"

/* Prints the help of a command from the tables of commands and options. NULL: prints that of the program. */
void help_print(const struct command *c);
void help_version(void);
#endif
