/* SPDX-License-Identifier: BSD-2-Clause */
#include "help.h"
#include <stdio.h>
#include <string.h>
#include "system/confine.h"

enum { COLUMN = 26 };

static void option_line(char letter, const char *name, const char *arg, const char *what)
{
    const bool optional = arg && arg[0] == '[';
    int n = 0;

    n += letter ? printf("  -%c, --%s", letter, name) : printf("  --%s", name);
    if (arg && optional)
        n += printf("[=%.*s]", (int)sizeof "WHEN" - 1, arg + 1);
    else if (arg)
        n += printf(" %s", arg);
    printf("%*s%s\n", n < COLUMN ? COLUMN - n : 1, "", what);
}

static void print_options(const struct command *c)
{
    printf("\nOptions\n");
#define IBC_OPTION_LINE(id, name, letter, arg, kind, member, what)                                                     \
    if (c->options >> OPT_##id & 1)                                                                                    \
        option_line(letter, name, arg, what);
    IBC_OPTIONS(IBC_OPTION_LINE)
    option_line('h', "help", NULL, "this");
}

static void print_command(const struct command *c)
{
    printf("ibconform %s - %s\n\nUsage: ibconform %s [option]...%s%s\n", c->name, c->summary, c->name,
           *c->words ? " " : "", c->words);
    if (c->options >> OPT_scenarios & 1 && c->most > 1)
        printf("\nA pattern is an id, a group of ids (rc.responder), a glob over ids ('rc.*'; * also crosses dots),\n"
               "or a statement's id (RR-04). One that matches nothing is an error.\n");
    print_options(c);
    printf("\nExamples\n%s", c->examples);
}

void help_version(void)
{
    printf("ibconform %s\nsandbox: %s\n", IBPROOF_VERSION, confine_offer());
}

void help_print(const struct command *c)
{
    if (c) {
        print_command(c);
        return;
    }
    printf("ibconform - play conformance scenarios for InfiniBand and RoCE against a device\n"
           "\nUsage: ibconform COMMAND [option]... [word]...\n\nCommands\n");
    for (size_t i = 0; i < command_count; i++)
        printf("  %-11s%-14s%s\n", commands[i].name, commands[i].words, commands[i].summary);
    printf("\n  ibconform COMMAND --help says more; ibconform --version says which this is\n"
           "\nExit code: 0 all passed or waived; 1 a scenario failed, or a waiver is no longer needed; 2 wrong usage;\n"
           "3 inconclusive; 4 a fault of the harness.\n"
           "\nPassing is no certification: see what is not covered with ibconform statements --missing.\n"
           "\nExamples\n");
    for (size_t i = 0; i < command_count; i++)
        printf("%.*s\n", (int)(strcspn(commands[i].examples, "\n")), commands[i].examples);
}
