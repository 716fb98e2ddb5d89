/* SPDX-License-Identifier: BSD-2-Clause */
/* fish: one line for each option. */
#include <stdio.h>
#include <string.h>
#include "completions.h"

/* In single quotes; of a text of several lines the first. */
static void quoted(const char *text)
{
    printf("'");
    for (const char *c = text; *c && *c != '\n'; c++)
        printf("%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
    printf("'");
}

static void print_values(const struct option *o)
{
    switch (o->source) {
    case NOTHING: return;
    case WORDS:
        printf(" -a ");
        quoted(o->text);
        return;
    case COMMAND_OUTPUT:
        printf(" -a '(");
        for (const char *c = o->text; *c; c++)
            printf("%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
        printf(")'");
        return;
    case FILES: printf(" -F"); return;
    case FOLDERS: printf(" -a '(__fish_complete_directories)'"); return;
    }
}

static void print_head(const struct program *p, const struct section *s)
{
    printf("complete -c %s", p->name);
    if (s->command)
        printf(" -n '__fish_seen_subcommand_from %s'", s->command);
}

static void print_section(const struct program *p, const struct section *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct option *o = &s->option[i];
        print_head(p, s);
        if (o->letter)
            printf(" -s %c", o->letter);
        if (o->name)
            printf(" -l %s", o->name);
        if (o->takes == TAKES_VALUE)
            printf(o->source == FILES ? " -r" : " -x");
        if (o->takes != TAKES_NONE)
            print_values(o);
        printf(" -d ");
        quoted(o->what);
        puts("");
    }
    if (s->word.source == NOTHING)
        return;
    print_head(p, s);
    print_values(&s->word);
    puts("");
}

void print_fish(const struct program *p)
{
    printf("# %s completion for fish; made from the program's table of options\ncomplete -c %s -f\n", p->name, p->name);
    for (size_t i = 0; i < p->n_section && p->section[i].command; i++) {
        printf("complete -c %s -n __fish_use_subcommand -a %s -d ", p->name, p->section[i].command);
        quoted(p->section[i].summary);
        puts("");
    }
    if (p->section[0].command)
        printf("complete -c %s -n __fish_use_subcommand -l help -d 'this'\n"
               "complete -c %s -n __fish_use_subcommand -l version -d 'the version'\n",
               p->name, p->name);
    for (size_t i = 0; i < p->n_section; i++)
        print_section(p, &p->section[i]);
}
