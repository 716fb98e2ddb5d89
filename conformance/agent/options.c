/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "option_rows.h"
#include "scenario/usage.h"
#include "system/confine.h"
#include "system/text.h"

enum option_id {
    O_ENGINE,
    O_WIRE,
    O_REAL_TIME,
    O_DEVICE,
    O_PORT,
    O_TESTER,
    O_STRANGER,
    O_LISTEN,
    O_TOKEN_FILE,
    O_NO_SANDBOX,
    O_HELP,
    O_VERSION
};

int wrong(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_complain(stderr, "ibagent", format, args);
    va_end(args);
    return code;
}

static int help(void)
{
#define HELP(name, value, arg, what) {"--" name arg, what},
    static const struct ibc_usage rows[] = {IBAGENT_OPTIONS(HELP)};

    puts("usage: ibagent [--device NAME] [--port N] [--listen WHERE]\n"
         "       ibagent --engine[=SPEC] [--real-time] [--wire SPEC]... [--listen WHERE]\n\n"
         "Executes verbs on the device under test for ibconform: one request a line, one reply a line.\n");
    ibc_usage_print(rows, sizeof rows / sizeof *rows, 20);
    puts("\nExit: 0 the client has left, or a signal came; 2 wrong usage; 4 the device or the channel cannot be "
         "opened.");
    return EXIT_OK;
}

/* ---- options ---- */

static int add_wire(struct options *o, const char *spec)
{
    if (o->n_wire == IBC_DEVICES)
        return wrong(EXIT_WRONG, "--wire %s: more than %d of them", spec, (int)IBC_DEVICES);
    o->wire[o->n_wire++] = spec;
    return EXIT_OK;
}

static int set_port(struct options *o, const char *arg)
{
    enum { MOST_PORTS = 255 };
    char *end;
    const unsigned long port = strtoul(arg, &end, 10);

    if (*arg < '0' || *arg > '9' || *end || port < 1 || port > MOST_PORTS)
        return wrong(EXIT_WRONG, "--port %s: want a number, 1 to %d", arg, (int)MOST_PORTS);
    o->port = (unsigned)port;
    return EXIT_OK;
}

static int set_option(struct options *o, enum option_id id, const char *arg)
{
    switch (id) {
    case O_ENGINE: o->engine = arg ? arg : "reference"; break;
    case O_WIRE: return add_wire(o, arg);
    case O_REAL_TIME: o->real_time = true; break;
    case O_DEVICE: o->device = arg; break;
    case O_PORT: return set_port(o, arg);
    case O_TESTER: o->tester = arg; break;
    case O_STRANGER: o->stranger = arg; break;
    case O_LISTEN: o->listen = arg; break;
    case O_TOKEN_FILE: o->token_file = arg; break;
    case O_NO_SANDBOX: o->no_sandbox = true; break;
    default: break;
    }
    return EXIT_OK;
}

static int check(const struct options *o, int left, char **word)
{
    const bool verbs = o->device || o->port || o->tester || o->stranger;

    if (left > 0)
        return wrong(EXIT_WRONG, "%s: takes no arguments, only options; see ibagent --help", word[0]);
    if (o->engine && verbs)
        return wrong(EXIT_WRONG, "--engine is a device of its own: no --device, --port, --tester, --stranger");
    if (!o->engine && o->real_time)
        return wrong(EXIT_WRONG, "--real-time: a real device has no other; this is for --engine");
    if (!o->engine && o->n_wire > 0)
        return wrong(EXIT_WRONG, "--wire %s: a real device has its own; this is for --engine", o->wire[0]);
    if (!o->engine && o->no_sandbox)
        return wrong(EXIT_WRONG, "--no-sandbox: a real device has none; this is for --engine");
    if (o->token_file && (!o->listen || strncmp(o->listen, "tcp:", 4) != 0))
        return wrong(EXIT_WRONG, "--token-file %s: wants --listen tcp:...", o->token_file);
    return EXIT_OK;
}

int read_options(struct options *o, int argc, char **argv, bool *done)
{
#define LONG(name, value, arg, what) {name, value##_argument, NULL, 0},
    static const struct option longs[] = {IBAGENT_OPTIONS(LONG){0}};
    int got, which = 0, e = EXIT_OK;

    while (e == EXIT_OK && (got = getopt_long(argc, argv, ":h", longs, &which)) != -1) {
        if (got == '?' || got == ':') {
            char fault[IBC_USAGE_FAULT];
            ibc_usage_fault(fault, longs, argv[optind - 1], got == ':');
            return wrong(EXIT_WRONG, "%s; see ibagent --help", fault);
        }
        *done = got == 'h' || which == O_HELP || which == O_VERSION;
        if (*done && got != 'h' && which == O_VERSION)
            return printf("ibagent %s\nsandbox (--engine): %s\n", IBPROOF_VERSION, confine_offer()), EXIT_OK;
        if (*done)
            return help();
        e = set_option(o, (enum option_id)which, optarg);
    }
    return e == EXIT_OK ? check(o, argc - optind, argv + optind) : e;
}
