/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: commands in lines, answers in lines; an empty line ends each answer. */
#ifndef IBF_CONSOLE_H
#define IBF_CONSOLE_H
#include <stdio.h>
#include "subnet.h"

enum console_result { CONSOLE_DONE, CONSOLE_WRONG, CONSOLE_QUIT };

/* Executes one line, and answers to `to`. The line is changed. */
enum console_result console_line(struct subnet *s, char *line, FILE *to);
/* The commands, for --help and `help`. */
void console_help(FILE *to);
#endif
