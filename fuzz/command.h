/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a command line of ibdissect from the settings of an input of `whole`. */
#ifndef FUZZ_COMMAND_H
#define FUZZ_COMMAND_H
#include "records.h"

enum { COMMAND_WORDS = 96 };

/* Bits of the first two bytes of the settings. The low bits of the first byte select the form of -T. */
enum {
    COMMAND_FORM = 7,
    COMMAND_HEX = 8,
    COMMAND_HOLD = 16,
    COMMAND_QUIET = 32,
    COMMAND_ANYWAY = 64,
    COMMAND_LINES = 128
};
enum {
    COMMAND_GZIP = 1, /* the file is compressed */
    COMMAND_MERGE =
        2, /* two bytes after the settings have the length of the first of two files; 0: one file is read twice */
    COMMAND_WRITE = 4,
    COMMAND_PAGE = 8,   /* makes a page, if COMMAND_PAGE_TOO is set as well, since a page takes long */
    COMMAND_STATS = 16, /* all statistics of -z, if the byte for -z selects one */
    COMMAND_STDIN = 32,
    COMMAND_COLOR = 64,
    COMMAND_HEADER = 128,
};

enum { COMMAND_OTHER = 7, COMMAND_PAGE_TOO = 0xc0 };         /* bits of the last byte that all have to be set */
enum { COMMAND_STATISTIC = 6, COMMAND_NO_STATISTIC = 0xc0 }; /* that byte: below this value there is no -z */

struct command {
    const char
        *word[COMMAND_WORDS]; /* ends with NULL; getopt_long() changes the order of the words, but not the words */
    int n;
    const char *form;  /* the form that -T names */
    bool quiet, stats; /* quiet: ibdissect prints no packets; stats: the command has -z */
};

/* Paths for a command. An option whose path is NULL is left out. */
struct command_paths {
    const char *file[2], *write, *page;
};
void command_of(struct command *c, const uint8_t head[FUZZ_HEAD], const struct command_paths *at);
#endif
