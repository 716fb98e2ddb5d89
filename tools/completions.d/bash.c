/* SPDX-License-Identifier: BSD-2-Clause */
/* bash, without the functions of the package bash-completion. */
#include <stdio.h>
#include "completions.h"

static void print_values(const struct option *o)
{
    switch (o->source) {
    case NOTHING: puts("COMPREPLY=()"); return;
    case WORDS: printf("mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n", o->text); return;
    case COMMAND_OUTPUT: printf("mapfile -t COMPREPLY < <(compgen -W \"$(%s)\" -- \"$cur\")\n", o->text); return;
    case FILES: puts("compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"); return;
    case FOLDERS: puts("compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")"); return;
    }
}

static void print_options(const struct section *s)
{
    const char *gap = "";

    printf("        *,-*) mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; i < s->n; i++) {
        if (s->option[i].letter)
            printf("%s-%c", gap, s->option[i].letter);
        if (s->option[i].name)
            printf("%s--%s", s->option[i].letter ? " " : gap, s->option[i].name);
        gap = " ";
    }
    puts("' -- \"$cur\") ;;");
}

/* By the word before, and whether this one begins with '-'. */
static void print_section(const struct section *s)
{
    puts("        case $prev,$cur in");
    for (size_t i = 0; i < s->n; i++) {
        const struct option *o = &s->option[i];
        if (o->takes == TAKES_NONE)
            continue;
        printf("        ");
        if (o->letter)
            printf("-%c,*", o->letter);
        if (o->name)
            /* A value that may be left out follows '='. */
            printf("%s--%s%s,*", o->letter ? " | " : "", o->name, o->takes == TAKES_OPTIONAL ? "=" : "");
        if (o->name && o->takes == TAKES_VALUE)
            printf(" | --%s=,*", o->name);
        printf(") ");
        print_values(o);
        puts("            ;;");
    }
    print_options(s);
    printf("        *) ");
    print_values(&s->word);
    puts("            ;;\n        esac");
}

/* bash splits words at the characters of COMP_WORDBREAKS, '=' and ':' among them: the line is read instead, and replies
 * lack what bash keeps. */
static void print_head(const struct program *p)
{
    printf("# %s completion for bash; made from the program's table of options\n", p->name);
    puts("# shellcheck shell=bash disable=SC2016,SC2034");
    printf("_%s()\n{\n", p->name);
    puts("    local line=${COMP_LINE:0:COMP_POINT} words cur prev kept\n"
         "    read -ra words <<<\"$line\"\n"
         "    [[ $line != *[[:space:]] ]] || words+=('')\n"
         "    cur=${words[-1]} prev=${words[-2]-}\n"
         "    if [[ $cur == --*=* ]]; then prev=${cur%%=*}= cur=${cur#*=}; fi\n"
         "    kept=${cur%\"${cur##*[:=]}\"}\n"
         "    COMPREPLY=()");
}

void print_bash(const struct program *p)
{
    print_head(p);
    if (!p->section[0].command) {
        print_section(&p->section[0]);
    } else {
        puts("    if [ ${#words[@]} -eq 2 ]; then");
        printf("        mapfile -t COMPREPLY < <(compgen -W '");
        for (size_t i = 0; i < p->n_section; i++)
            printf("%s ", p->section[i].command);
        puts("--help --version' -- \"$cur\")\n    fi");
        puts("    case ${#words[@]},${words[1]} in\n    2,*) ;;");
        for (size_t i = 0; i < p->n_section; i++) {
            printf("    *,%s)\n", p->section[i].command);
            print_section(&p->section[i]);
            puts("        ;;");
        }
        puts("    esac");
    }
    puts("    COMPREPLY=(\"${COMPREPLY[@]#\"$kept\"}\")");
    puts("    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:,] ]]; then compopt -o nospace; fi");
    printf("}\ncomplete -F _%s %s\n", p->name, p->name);
}
