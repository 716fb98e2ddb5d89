/* SPDX-License-Identifier: BSD-2-Clause */
/* zsh: one specification of _arguments for each option. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "completions.h"

/* In single quotes; of a text of several lines the first. */
static void quoted(const char *text, const char *special)
{
    for (const char *c = text; *c && *c != '\n'; c++) {
        if (*c == '\'')
            printf("'\\''");
        else
            printf("%s%c", strchr(special, *c) ? "\\" : "", *c);
    }
}

static void print_values(const struct option *o)
{
    switch (o->source) {
    case NOTHING: printf(" "); return;
    case WORDS:
        printf("(");
        quoted(o->text, ":");
        printf(")");
        return;
    case COMMAND_OUTPUT:
        printf("{compadd -- ${(f)\"$(");
        quoted(o->text, ":");
        printf(")\"}}");
        return;
    case FILES: printf("_files"); return;
    case FOLDERS: printf("_files -/"); return;
    }
}

/* For zsh every option may be repeated, although only some may; the program refuses a repeated option itself. */
static void print_one(const struct option *o, const char *dashes, const char *name, int len)
{
    const char *sign = !*o->arg || o->takes == TAKES_NONE ? ""
                       : o->takes == TAKES_OPTIONAL       ? "=-"
                       : dashes[1]                        ? "="
                                                          : "+";
    const bool value = *sign != '\0';

    printf("        '*%s%.*s%s[", dashes, len, name, sign);
    quoted(o->what, "[]\\");
    printf("]");
    if (value) {
        const size_t arg = strspn(o->arg, " [=");
        printf("%s:", o->takes == TAKES_OPTIONAL ? ":" : "");
        quoted(o->arg + arg, ":[]");
        printf(":");
        print_values(o);
    }
    printf("' \\\n");
}

static void print_section(const struct section *s)
{
    puts("    _arguments -s \\");
    for (size_t i = 0; i < s->n; i++) {
        struct option o = s->option[i];
        if (!o.arg)
            o.arg = "";
        if (o.letter)
            print_one(&o, "-", &o.letter, 1);
        if (o.name)
            print_one(&o, "--", o.name, (int)strlen(o.name));
    }
    printf("        '*:word:");
    print_values(&s->word);
    puts("'");
}

void print_zsh(const struct program *p)
{
    printf("#compdef %s\n# Made from the program's table of options.\n", p->name);
    if (!p->section[0].command) {
        print_section(&p->section[0]);
        return;
    }
    puts("local -a commands\ncommands=(");
    for (size_t i = 0; i < p->n_section; i++) {
        printf("    '%s:", p->section[i].command);
        quoted(p->section[i].summary, ":\\");
        puts("'");
    }
    puts(")\nif (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    _arguments '--help[this]' '--version[the version]'\n"
         "    return\nfi\n"
         "shift words\n(( CURRENT-- ))\ncase $words[1] in");
    for (size_t i = 0; i < p->n_section; i++) {
        printf("%s)\n", p->section[i].command);
        print_section(&p->section[i]);
        puts("    ;;");
    }
    puts("esac");
}
