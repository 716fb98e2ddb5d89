/* SPDX-License-Identifier: BSD-2-Clause */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "end.h"

static const struct {
    const char *client, *server;
    void (*play)(struct end *e, const struct play *p);
} programs[] = {{"rping", "rping", play_rping},
                {"ucmatose", "ucmatose", play_ucmatose},
                {"udaddy", "udaddy", play_udaddy},
                {"cmtime", "cmtime", play_cmtime},
                {"riostream", "riostream", play_riostream},
                {"rdma_client", "rdma_server", play_client},
                {"rdma_xclient", "rdma_xserver", play_xclient}};

static const char usage[] =
    "usage: ibrdmacm --wire SPEC [OPTION]... PROGRAM client|server\n\n"
    "The other end of an example program of librdmacm, by the engine and its connection manager, as 10.0.0.2 with the\n"
    "MAC 02:00:00:00:00:02. The peer, 10.0.0.1 with 02:00:00:00:00:01, runs the real one, as in tools/guest.\n\n"
    "PROGRAM: rping, ucmatose, udaddy, cmtime, riostream, rdma_client (whose peer is rdma_server), rdma_xclient "
    "(rdma_xserver)\n\n"
    "  --wire SPEC        unix:PEER,OWN, as ibagent has it\n"
    "  --ipv6             as 2001:db8::2, with the peer 2001:db8::1\n"
    "  --count N          rounds, or messages of a connection (3)\n"
    "  --connections N    of ucmatose and cmtime; rounds of riostream (2)\n"
    "  --size N           bytes of a message (100)\n"
    "  --port N           of the service (that of the program)\n"
    "  --record FILE      a pcap of what both ends sent\n"
    "  --patience N       seconds until it must be over (60)\n\n"
    "Ends with 0 if both ends did what the program does and the data were right; else with 1 and one line.\n\n"
    "Example: tools/guest run -- sh -c 'build/dev/tools/ibrdmacm --wire $IBPROOF_WIRE rping server'\n";

static _Noreturn void wrong(const char *what)
{
    (void)fprintf(stderr, "ibrdmacm: %s (--help says more)\n", what);
    exit(2);
}

static unsigned number(const char *text, unsigned most)
{
    char *end;
    const unsigned long v = strtoul(text, &end, 10);

    if (*text == '\0' || *end != '\0' || v == 0 || v > most)
        wrong("a number is wrong, or too large");
    return (unsigned)v;
}

struct given {
    const char *wire, *record;
    bool v6;
    unsigned patience;
    struct play play;
};

static void read_option(struct given *g, int option)
{
    switch (option) {
    case 'w': g->wire = optarg; break;
    case '6': g->v6 = true; break;
    case 'c': g->play.count = number(optarg, DEPTH / 2); break;
    case 'n': g->play.connections = number(optarg, PAIRS); break;
    case 's': g->play.size = number(optarg, 4096 - GRH); break;
    case 'p': g->play.port = number(optarg, 65535); break;
    case 'r': g->record = optarg; break;
    case 't': g->patience = number(optarg, 3600); break;
    case 'h': (void)fputs(usage, stdout); exit(0);
    default: exit(2);
    }
}

static void play(const struct given *g, const char *program, const char *role)
{
    struct play p = g->play;

    p.server = strcmp(role, "server") == 0;
    if (!p.server && strcmp(role, "client") != 0)
        wrong("want client or server");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(program, programs[i].client) != 0 && strcmp(program, programs[i].server) != 0)
            continue;
        struct end *e = end_open(g->wire, g->v6, g->record, g->patience);
        programs[i].play(e, &p);
        end_serve(e, 0.5); /* copies of the last messages are answered, too */
        end_close(e);
        return;
    }
    wrong("no such program");
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"wire", required_argument, NULL, 'w'},   {"ipv6", no_argument, NULL, '6'},
        {"count", required_argument, NULL, 'c'},  {"connections", required_argument, NULL, 'n'},
        {"size", required_argument, NULL, 's'},   {"port", required_argument, NULL, 'p'},
        {"record", required_argument, NULL, 'r'}, {"patience", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},         {0}};
    struct given g = {.patience = 60, .play = {.count = 3, .connections = 2, .size = 100}};

    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;)
        read_option(&g, c);
    if (argc - optind != 2)
        wrong("want PROGRAM and client or server");
    if (!g.wire)
        wrong("--wire is wanted");
    play(&g, argv[optind], argv[optind + 1]);
    (void)printf("%s %s: as it must be\n", argv[optind], argv[optind + 1]);
    return 0;
}
