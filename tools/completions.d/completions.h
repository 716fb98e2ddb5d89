/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a program, and their completions in three shells. */
#ifndef COMPLETIONS_H
#define COMPLETIONS_H
#include <stddef.h>

enum { MOST_OPTIONS = 64, MOST_COMMANDS = 16 };
enum takes { TAKES_NONE, TAKES_OPTIONAL, TAKES_VALUE };
enum source { NOTHING, WORDS, COMMAND_OUTPUT, FILES, FOLDERS };

struct option {
    const char *name; /* NULL: a letter only */
    char letter;      /* 0: none */
    enum takes takes;
    const char *arg, *what;
    enum source source; /* of the values, and the words themselves or the shell command that prints them */
    const char *text;
};
struct section {
    const char *command, *summary; /* NULL: the program has no commands */
    struct option option[MOST_OPTIONS];
    size_t n;
    struct option word; /* without name: words that are no option */
};
struct program {
    const char *name;
    struct section section[MOST_COMMANDS];
    size_t n_section;
};

void print_bash(const struct program *p);
void print_zsh(const struct program *p);
void print_fish(const struct program *p);
#endif
