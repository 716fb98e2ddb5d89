/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "console.h"
#include "fabric/iba_node.h"
#include "option_rows.h"
#include "scenario/usage.h"
#include "system/text.h"

enum option_id { O_SIM, O_UDP, O_PCAP, O_CONSOLE, O_CREDITS, O_MUTANT, O_RULES, O_HELP, O_VERSION };

int options_wrong(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_complain(stderr, "ibfabric", format, args);
    va_end(args);
    return code;
}

static int help(void)
{
#define HELP(name, value, arg, what) {"--" name arg, what},
    static const struct ibc_usage rows[] = {IBFABRIC_OPTIONS(HELP)};

    puts("ibfabric - simulate an InfiniBand subnet for a subnet manager and its tools\n\n"
         "Usage: ibfabric [option]... TOPOLOGY\n\n"
         "TOPOLOGY is a file as ibnetdiscover prints it, or a net file of ibsim; - is the standard input.\n"
         "Programs reach the subnet through libibfabric-umad.so (whole addresses, RMPP) or libumad2sim.so, which they "
         "preload.\n\nOptions");
    ibc_usage_print(rows, sizeof rows / sizeof *rows, 18);
    puts("\nCommands of the console; an empty line ends each answer");
    console_help(stdout);
    puts("\nExit: 0 a signal, quit or the end of the console; 2 wrong usage, or the topology is wrong; 4 a socket or "
         "file\n"
         "cannot be used.\n\n"
         "Examples\n"
         "  ibfabric net --sim lab --pcap bring-up.pcapng &\n"
         "  export IBSIM_SOCKNAME=lab LD_PRELOAD=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so\n"
         "  SIM_HOST=Hca1 opensm -o\n"
         "  SIM_HOST=Hca2 ibnetdiscover\n"
         "  LD_PRELOAD=libibfabric-umad.so IBFABRIC_SIM=lab IBFABRIC_NODE=Hca2 saquery NR\n"
         "  ibdissect bring-up.pcapng\n\n"
         "  printf 'pull Switch1 1\\nport Switch1 2\\n' | ibfabric net --console\n"
         "  ibfabric ring --credits 128 --console        then: loops, flood 100 0 0, stalls\n"
         "  ibfabric net --mutant agent.key_for_get      a subnet whose nodes answer every Get");
    return EXIT_OK;
}

static int set_udp(struct options *o, const char *arg)
{
    enum { FIRST = 1024, LAST = 65000 };
    char *end;
    const unsigned long port = strtoul(arg, &end, 10);

    if (*arg < '0' || *arg > '9' || *end || port < FIRST || port > LAST)
        return options_wrong(EXIT_WRONG, "--udp %s: want a port, %d to %d", arg, (int)FIRST, (int)LAST);
    o->udp_port = (uint16_t)port;
    return EXIT_OK;
}

static int set_credits(struct options *o, const char *arg)
{
    enum { MOST = 2048 };
    char *end;
    const unsigned long blocks = strtoul(arg, &end, 10);

    if (*arg < '0' || *arg > '9' || *end || blocks < IBA_BUFFER_LEAST || blocks > MOST)
        return options_wrong(EXIT_WRONG, "--credits %s: want blocks of 64 bytes, %d to %d", arg, (int)IBA_BUFFER_LEAST,
                             (int)MOST);
    o->credits = (uint16_t)blocks;
    return EXIT_OK;
}

static int set_option(struct options *o, enum option_id id, const char *arg)
{
    switch (id) {
    case O_SIM: o->sim = arg; break;
    case O_UDP: return set_udp(o, arg);
    case O_PCAP: o->pcap = arg; break;
    case O_CONSOLE: o->console = true; break;
    case O_CREDITS: return set_credits(o, arg);
    case O_MUTANT: o->mutant = arg; break;
    case O_RULES: o->list_rules = true; break;
    default: break;
    }
    return EXIT_OK;
}

static int check(struct options *o, int left, char **word)
{
    enum { LONGEST_NAME = 40 };

    if (o->list_rules)
        return EXIT_OK;
    if (left == 0)
        return options_wrong(EXIT_WRONG, "want a topology file; see ibfabric --help");
    if (left > 1)
        return options_wrong(EXIT_WRONG, "%s: one topology file only; see ibfabric --help", word[1]);
    o->topology = word[0];
    if (strlen(o->sim) == 0 || strlen(o->sim) > LONGEST_NAME)
        return options_wrong(EXIT_WRONG, "--sim %s: want a name of 1 to %d characters", o->sim, (int)LONGEST_NAME);
    if (o->console && strcmp(o->topology, "-") == 0)
        return options_wrong(EXIT_WRONG, "--console: the standard input is the topology already");
    return EXIT_OK;
}

int options_read(struct options *o, int argc, char **argv, bool *done)
{
#define LONG(name, value, arg, what) {name, value##_argument, NULL, 0},
    static const struct option longs[] = {IBFABRIC_OPTIONS(LONG){0}};
    int got, which = 0, e = EXIT_OK;

    *o = (struct options){.sim = "sim"};
    *done = false;
    while (e == EXIT_OK && (got = getopt_long(argc, argv, ":h", longs, &which)) != -1) {
        if (got == '?' || got == ':') {
            char fault[IBC_USAGE_FAULT];
            ibc_usage_fault(fault, longs, argv[optind - 1], got == ':');
            return options_wrong(EXIT_WRONG, "%s; see ibfabric --help", fault);
        }
        if (got == 'h' || which == O_HELP) {
            *done = true;
            return help();
        }
        if (which == O_VERSION) {
            *done = true;
            puts("ibfabric " IBPROOF_VERSION);
            return EXIT_OK;
        }
        e = set_option(o, (enum option_id)which, optarg);
    }
    return e != EXIT_OK ? e : check(o, argc - optind, argv + optind);
}
