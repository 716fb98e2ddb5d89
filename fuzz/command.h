/* SPDX-License-Identifier: BSD-2-Clause */
/* A command line of ibdissect, chosen by the settings of an input of `whole`: any row of any option. */
#ifndef FUZZ_COMMAND_H
#define FUZZ_COMMAND_H
#include "records.h"

enum { COMMAND_WORDS = 96 };

/* Bits of the first two bytes of the settings. The low bits of the first are the index of the form. */
enum {
    COMMAND_FORM = 7,
    COMMAND_HEX = 8,
    COMMAND_HOLD = 16,
    COMMAND_QUIET = 32,
    COMMAND_ANYWAY = 64,
    COMMAND_LINES = 128
};
enum {
    COMMAND_GZIP = 1,  /* the file is given compressed */
    COMMAND_MERGE = 2, /* two bytes follow the settings: the length of the first of two files; 0: it is read twice */
    COMMAND_WRITE = 4,
    COMMAND_PAGE = 8,   /* with COMMAND_PAGE_TOO, since a page takes long */
    COMMAND_STATS = 16, /* all of -z, where the byte for -z asks for one */
    COMMAND_STDIN = 32,
    COMMAND_COLOR = 64,
    COMMAND_HEADER = 128,
};

enum { COMMAND_OTHER = 7, COMMAND_PAGE_TOO = 0xc0 };         /* bits of the last byte that all have to be set */
enum { COMMAND_STATISTIC = 6, COMMAND_NO_STATISTIC = 0xc0 }; /* that byte: below this value there is no -z */

struct command {
    const char *word[COMMAND_WORDS]; /* ends with NULL; getopt_long() moves words, and writes to none */
    int n;
    const char *form;  /* of -T */
    bool quiet, stats; /* as ibdissect takes them: no packets are printed; -z is there */
};

/* `file`, `write`, `page`: paths; what has no path is left out. */
struct command_paths {
    const char *file[2], *write, *page;
};
void command_of(struct command *c, const uint8_t head[FUZZ_HEAD], const struct command_paths *at);
#endif
