/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBC_HELP_H
#define IBC_HELP_H
#include "command.h"

/* Printed from the tables of commands and options. NULL: the program's. */
void help_print(const struct command *c);
void help_version(void);
#endif
