/* SPDX-License-Identifier: BSD-2-Clause */
/* ibfabric: simulates a subnet on one machine for a subnet manager and its tools. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "capture.h"
#include "console.h"
#include "mad_server.h"
#include "options.h"
#include "server.h"
#include "system/descriptors.h"
#include "system/signals.h"

struct program {
    struct options o;
    struct topology *t;
    struct subnet *subnet;
    struct server server;
    struct mad_server mads;
    struct fabric_capture *capture;
    /* CLOCK_MONOTONIC in ns at the subnet's time 0, less the time by which the subnet's clock was set forward */
    uint64_t begun;
    char line[1024];
    size_t n_line;
    bool quit;
};

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;

    (void)clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static iba_time now(const struct program *p)
{
    return clock_ns(CLOCK_MONOTONIC) - p->begun;
}

/* ---- events of the subnet ---- */

static void sent(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time at)
{
    struct program *p = ctx;

    if (p->capture)
        fabric_capture_packet(p->capture, node, port, packet, len, at);
}

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time at)
{
    struct program *p = ctx;
    const uint8_t *mad;

    (void)at;
    mad = mad_layer_received(&p->mads.layer, node, port, packet, len);
    if (mad)
        server_taken(&p->server, mad);
    else
        server_received(&p->server, node, port, packet, len);
}

/* ---- broken nodes ---- */

static void list_rules(void)
{
    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (unsigned i = 0; i < iba_fabric_tables[t]->n; i++) {
            const struct iba_fabric_row *r = iba_fabric_row(iba_fabric_tables[t], i);
            printf("%s.%s\t%s\t%s\n", iba_fabric_tables[t]->name, r->name, r->sentence, r->clause);
        }
}

/* Finds the row that --mutant names; without that option no row is broken. False: there is no such row. */
static bool find_row(const char *row, struct iba_node_break *found)
{
    char name[80];

    *found = (struct iba_node_break){0};
    for (unsigned t = 0; row && t < IBA_FABRIC_TABLE_COUNT; t++)
        for (unsigned i = 0; i < iba_fabric_tables[t]->n; i++) {
            (void)snprintf(name, sizeof name, "%s.%s", iba_fabric_tables[t]->name,
                           iba_fabric_row(iba_fabric_tables[t], i)->name);
            if (strcmp(name, row) == 0)
                *found = (struct iba_node_break){iba_fabric_tables[t], (uint16_t)i};
        }
    return !row || found->table;
}

/* ---- the loop ---- */

static void advance(struct program *p)
{
    server_advance(&p->server, now(p));
    mad_layer_advance(&p->mads.layer);
    server_advance(&p->server, now(p)); /* packets that are sent again arrive at once */
}

/* Traffic that the console starts takes virtual time at once, and no real time. So the subnet's clock is set
 * forward to the end of the traffic. */
static void set_clock_forward(struct program *p)
{
    if (subnet_now(p->subnet) > now(p))
        p->begun -= subnet_now(p->subnet) - now(p);
}

static void run_line(struct program *p)
{
    p->line[p->n_line] = '\0';
    p->n_line = 0;
    advance(p);
    p->quit = console_line(p->subnet, p->line, stdout) == CONSOLE_QUIT;
    set_clock_forward(p);
    advance(p);
    if (p->capture)
        (void)fabric_capture_flush(p->capture); /* whoever reads the answer finds the packets in the file */
    (void)fflush(stdout);
}

static void serve_console(struct program *p)
{
    char text[256];
    const ssize_t n = read(STDIN_FILENO, text, sizeof text);

    if (n <= 0) {
        p->quit = n == 0 || errno != EINTR;
        return;
    }
    for (ssize_t i = 0; i < n && !p->quit; i++) {
        if (text[i] == '\n')
            run_line(p);
        else if (p->n_line < sizeof p->line - 1)
            p->line[p->n_line++] = text[i];
    }
}

/* Returns the time in ms until the subnet or the server has something to do; -1: no limit. */
static int patience(const struct program *p)
{
    enum { MS = 1000000, LONGEST_MS = 60000 };
    const iba_time datagrams = mad_layer_deadline(&p->mads.layer), packets = server_deadline(&p->server), at = now(p);
    const iba_time due = datagrams < packets ? datagrams : packets;

    if (due == IBA_NEVER)
        return -1;
    if (due <= at)
        return 0;
    return (due - at) / MS < LONGEST_MS ? (int)((due - at) / MS) + 1 : LONGEST_MS;
}

static int loop(struct program *p)
{
    enum { MADS = SERVER_FDS, SIGNAL = MADS + MAD_SERVER_FDS, CONSOLE, FDS };
    struct pollfd fds[FDS];

    while (!p->quit && !signals_came()) {
        server_fds(&p->server, fds);
        mad_server_fds(&p->mads, fds + MADS);
        fds[SIGNAL] = (struct pollfd){.fd = signals_fd(), .events = POLLIN};
        fds[CONSOLE] = (struct pollfd){.fd = p->o.console ? STDIN_FILENO : -1, .events = POLLIN};
        if (poll(fds, FDS, patience(p)) < 0 && errno != EINTR)
            return options_wrong(EXIT_BROKEN, "poll: %s", strerror(errno));
        server_serve(&p->server, fds, now(p));
        mad_server_serve(&p->mads, fds + MADS);
        advance(p);
        if (fds[CONSOLE].revents)
            serve_console(p);
    }
    return EXIT_OK;
}

static int open_capture(struct program *p)
{
    char err[TOPOLOGY_ERROR];

    if (!p->o.pcap)
        return EXIT_OK;
    p->capture = fabric_capture_open(p->o.pcap, p->t, clock_ns(CLOCK_REALTIME), err, sizeof err);
    return p->capture ? EXIT_OK : options_wrong(EXIT_BROKEN, "%s", err);
}

static int close_capture(struct program *p)
{
    const int e = p->capture ? fabric_capture_close(p->capture) : 0;

    return e ? options_wrong(EXIT_BROKEN, "%s: %s", p->o.pcap, strerror(e)) : EXIT_OK;
}

static int serve(struct program *p)
{
    const struct subnet_events events = {.sent = sent, .received = received, .ctx = p};
    struct subnet_config config = {.buffer = p->o.credits};
    char err[TOPOLOGY_ERROR];
    int e, closed;

    if (!find_row(p->o.mutant, &config.broken))
        return options_wrong(EXIT_WRONG, "--mutant %s: no such row; ibfabric --rules lists them", p->o.mutant);
    p->subnet = subnet_new(p->t, &config, &events);
    if (!p->subnet)
        return options_wrong(EXIT_BROKEN, "no memory");
    e = open_capture(p);
    if (e != EXIT_OK)
        return e;
    p->begun = clock_ns(CLOCK_MONOTONIC);
    if (server_open(&p->server, p->subnet, p->o.sim, p->o.udp_port, err) &&
        mad_server_open(&p->mads, p->subnet, p->o.udp_port ? NULL : p->o.sim, err)) {
        server_advance(&p->server, 0);
        fprintf(stderr, "ibfabric: %zu nodes, serving %s\n", p->t->n, p->o.udp_port ? "UDP" : p->o.sim);
        e = loop(p);
        mad_server_close(&p->mads);
    } else {
        e = options_wrong(EXIT_BROKEN, "%s", err);
    }
    server_close(&p->server);
    closed = close_capture(p);
    return e != EXIT_OK ? e : closed;
}

int main(int argc, char **argv)
{
    struct program p = {0};
    char err[TOPOLOGY_ERROR];
    bool done;
    int e;

    if (!descriptors_fill())
        return EXIT_BROKEN;
    e = options_read(&p.o, argc, argv, &done);
    if (e != EXIT_OK || done)
        return e;
    if (p.o.list_rules) {
        list_rules();
        return EXIT_OK;
    }
    if (!signals_mind(NULL))
        return options_wrong(EXIT_BROKEN, "no descriptors are left");
    p.t = topology_read(p.o.topology, err);
    if (!p.t)
        return options_wrong(EXIT_WRONG, "%s", err);
    e = serve(&p);
    subnet_free(p.subnet);
    topology_free(p.t);
    return e;
}
