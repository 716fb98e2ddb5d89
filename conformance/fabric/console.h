/* SPDX-License-Identifier: BSD-2-Clause */
/* The console reads commands and prints answers, both in lines. An empty line ends each answer. */
#ifndef IBF_CONSOLE_H
#define IBF_CONSOLE_H
#include <stdio.h>
#include "subnet.h"

enum console_result { CONSOLE_DONE, CONSOLE_WRONG, CONSOLE_QUIT };

/* Executes one line, which it changes, and writes the answer to `to`. */
enum console_result console_line(struct subnet *s, char *line, FILE *to);
/* Prints the commands, for --help and the command `help`. */
void console_help(FILE *to);
#endif
