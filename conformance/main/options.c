/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "fault.h"
#include "help.h"
#include "scenario/scenario.h"

enum kind { KIND_FLAG, KIND_TEXT, KIND_WORDS, KIND_SEED, KIND_COUNT, KIND_SCALE, KIND_COLOR };

static const struct option_row {
    const char *name, *arg;
    size_t to;
    enum kind kind;
    char letter;
} rows[] = {
#define IBC_OPTION_ROW(id, name, letter, arg, kind, member, what)                                                      \
    {name, arg, offsetof(struct options, member), KIND_##kind, letter},
    IBC_OPTIONS(IBC_OPTION_ROW)};
_Static_assert(OPT_COUNT <= 64, "a command's options are 64 bits");

/* The largest values of COUNT options. */
static const unsigned count_most[OPT_COUNT] = {
    [OPT_repeat] = MAX_REPEAT, [OPT_jobs] = MAX_CHILDREN,        [OPT_sample] = MAX_MUTANTS,
    [OPT_least] = MAX_MUTANTS, [OPT_count] = UINT32_MAX,         [OPT_seconds] = UINT32_MAX,
    [OPT_rate] = UINT32_MAX,   [OPT_max_failures] = MAX_MUTANTS, [OPT_deadline] = UINT32_MAX};

static int add_word(struct words *to, const char *word)
{
    if (to->n == MAX_WORDS)
        return wrong(EXIT_USAGE, "more than %d patterns", MAX_WORDS);
    to->w[to->n++] = word;
    return EXIT_OK;
}

static int set_count(unsigned *to, enum option_id id, const char *arg)
{
    char *end;

    errno = 0;
    const unsigned long n = strtoul(arg, &end, 10);
    if (*arg < '0' || *arg > '9' || *end || errno || n < 1 || n > count_most[id])
        return wrong(EXIT_USAGE, "--%s %s: want a number, 1 to %u", rows[id].name, arg, count_most[id]);
    *to = (unsigned)n;
    return EXIT_OK;
}

static int set_seed(uint64_t *to, const char *arg)
{
    char *end;

    errno = 0;
    *to = strtoull(arg, &end, 0);
    if (*arg < '0' || *arg > '9' || *end || errno)
        return wrong(EXIT_USAGE, "--seed %s: want a number", arg);
    return EXIT_OK;
}

static int set_scale(double *to, const char *arg)
{
    char *end;

    *to = strtod(arg, &end);
    if (*arg < '0' || *arg > '9' || *end || !isfinite(*to) || *to < 0.01 || *to > 1000)
        return wrong(EXIT_USAGE, "--timeout-scale %s: want a factor, 0.01 to 1000", arg);
    return EXIT_OK;
}

static int set_color(bool *to, const char *when)
{
    const char *no = getenv("NO_COLOR");

    if (strcmp(when, "always") == 0)
        *to = true;
    else if (strcmp(when, "never") == 0)
        *to = false;
    else if (strcmp(when, "auto") == 0)
        *to = isatty(STDOUT_FILENO) && !(no && *no);
    else
        return wrong(EXIT_USAGE, "--color=%s: want auto, always or never", when);
    return EXIT_OK;
}

static int set_option(struct options *o, enum option_id id, const char *arg)
{
    void *to = (char *)o + rows[id].to;

    if (!arg) /* only these options may lack a value: getopt_long checked */
        arg = rows[id].kind == KIND_COLOR ? "auto" : "-";
    if (*arg == '\0')
        return wrong(EXIT_USAGE, "--%s: its value is empty", rows[id].name);
    switch (rows[id].kind) {
    case KIND_FLAG: *(bool *)to = true; return EXIT_OK;
    case KIND_TEXT: *(const char **)to = arg; return EXIT_OK;
    case KIND_WORDS: return add_word(to, arg);
    case KIND_SEED: return set_seed(to, arg);
    case KIND_COUNT: return set_count(to, id, arg);
    case KIND_SCALE: return set_scale(to, arg);
    case KIND_COLOR: return set_color(to, arg);
    }
    return EXIT_OK;
}

static const char *command_name(size_t i, const void *ctx)
{
    (void)ctx;
    return commands[i].name;
}

static const char *option_name(size_t i, const void *ctx)
{
    const struct command *c = ctx;

    return c->options >> i & 1 ? rows[i].name : "";
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    const char *near = ibc_nearest(name, command_name, command_count, NULL);
    wrong(EXIT_USAGE, "no command \"%s\"; %s%s%s", name, near ? "did you mean \"" : "see ibconform --help",
          near ? near : "", near ? "\"?" : "");
    return NULL;
}

/* values that getopt_long returns: GETOPT_FIRST + enum option_id */
enum { GETOPT_HELP = 0x1000, GETOPT_FIRST };

/* Fills in the command's options in the form of getopt_long. */
static void getopt_rows(const struct command *c, struct option longs[OPT_COUNT + 2], char shorts[2 * OPT_COUNT + 4])
{
    *shorts++ = ':';
    *shorts++ = 'h';
    for (int id = 0; id < OPT_COUNT; id++) {
        const struct option_row *r = &rows[id];
        if (!(c->options >> id & 1))
            continue;
        const int has = !r->arg ? no_argument : r->arg[0] == '[' ? optional_argument : required_argument;
        *longs++ = (struct option){r->name, has, NULL, GETOPT_FIRST + id};
        if (r->letter) {
            *shorts++ = r->letter;
            if (r->arg)
                *shorts++ = ':';
        }
    }
    *shorts = '\0';
    *longs++ = (struct option){"help", no_argument, NULL, GETOPT_HELP};
    *longs = (struct option){0};
}

static enum option_id by_letter(int letter)
{
    int id = 0;

    while (id < OPT_COUNT && rows[id].letter != letter)
        id++;
    return (enum option_id)id;
}

/* Reports a wrong option: getopt_long returned '?' or ':' for `word`, or for a letter. */
static int bad_option(const struct command *c, int got, const char *word)
{
    char name[64];

    if (got == ':' && optopt < GETOPT_FIRST)
        return wrong(EXIT_USAGE, "-%c: wants a value", optopt);
    if (got == ':')
        return wrong(EXIT_USAGE, "--%s: wants a value: %s", rows[optopt - GETOPT_FIRST].name,
                     rows[optopt - GETOPT_FIRST].arg);
    if (optopt >= GETOPT_HELP)
        return wrong(EXIT_USAGE, "%s: takes no value", word);
    if (optopt)
        return wrong(EXIT_USAGE, "no option -%c; see ibconform %s --help", optopt, c->name);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = ibc_nearest(name, option_name, OPT_COUNT, c);
    if (!near || !*near)
        return wrong(EXIT_USAGE, "no option --%s; see ibconform %s --help", name, c->name);
    return wrong(EXIT_USAGE, "no option --%s; did you mean --%s?", name, near);
}

static int parse_words(struct options *o, int argc, char **argv, const struct command *c)
{
    for (; optind < argc; optind++)
        if (add_word(&o->pattern, argv[optind]) != EXIT_OK)
            return EXIT_USAGE;
    if (o->pattern.n < c->least)
        return wrong(EXIT_USAGE, "%s wants %s; see ibconform %s --help", c->name, c->words, c->name);
    if (o->pattern.n > 0 && c->most == 0)
        return wrong(EXIT_USAGE, "%s takes options only, not \"%s\"", c->name, o->pattern.w[0]);
    if (o->pattern.n > c->most)
        return wrong(EXIT_USAGE, "%s takes %s%s, not also \"%s\"", c->name, c->most == 1 ? "one " : "", c->words,
                     o->pattern.w[c->most]);
    return EXIT_OK;
}

static int parse_command(struct options *o, int argc, char **argv, const struct command **command)
{
    const struct command *c = *command;
    struct option longs[OPT_COUNT + 2];
    char shorts[2 * OPT_COUNT + 4];
    int rc = EXIT_OK, got;

    getopt_rows(c, longs, shorts);
    opterr = 0;
    while (rc == EXIT_OK && (got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (got == GETOPT_HELP || got == 'h') {
            help_print(c);
            *command = NULL;
            return EXIT_OK;
        }
        if (got == '?' || got == ':')
            return bad_option(c, got, argv[optind - 1]);
        rc = set_option(o, got >= GETOPT_FIRST ? (enum option_id)(got - GETOPT_FIRST) : by_letter(got), optarg);
    }
    return rc != EXIT_OK ? rc : parse_words(o, argc, argv, c);
}

int options_parse(struct options *o, int argc, char **argv, const struct command **command)
{
    *o = (struct options){.seed = 1, .repeat = 1, .timeout_scale = 1};
    *command = NULL;
    (void)set_color(&o->color, "auto");
    if (argc < 2)
        return wrong(EXIT_USAGE, "say what to do: ibconform COMMAND; see ibconform --help");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_print(NULL);
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        help_version();
        return EXIT_OK;
    }
    if (argv[1][0] == '-')
        return wrong(EXIT_USAGE, "the command comes first: ibconform COMMAND %s; see ibconform --help", argv[1]);
    *command = find_command(argv[1]);
    return *command ? parse_command(o, argc - 1, argv + 1, command) : EXIT_USAGE;
}
