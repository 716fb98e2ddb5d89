/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines with long options: prints them for the help, and one line about a wrong option. */
#ifndef IBC_USAGE_H
#define IBC_USAGE_H
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

enum { IBC_USAGE_FAULT = 256 };

struct ibc_usage {           /* one option */
    const char *form, *what; /* the option as typed, "--port N"; lines of text about it */
};

/* Prints each option; the texts stand in one column, `width` bytes after the margin. */
void ibc_usage_print(const struct ibc_usage *rows, size_t n, int width);
/* Writes a sentence such as "--lsten: no such option; did you mean --listen?" about the word that getopt_long()
 * refused. `lacks_value`: getopt_long() returned ':'. `longs` ends with an option without a name. */
void ibc_usage_fault(char text[IBC_USAGE_FAULT], const struct option *longs, const char *word, bool lacks_value);
#endif
