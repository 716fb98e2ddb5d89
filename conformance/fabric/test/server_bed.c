/* SPDX-License-Identifier: BSD-2-Clause */
#include "server_bed.h"
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>
#include "topology_text.h"

static const char net[] =
    "vendid=0x2c9\ndevid=0x1017\nsysimgguid=0x9\nswitchguid=0x10\nSwitch\t4 \"S\"\n[1] \"A\"[1]\n"
    "[2] \"B\"[2]\nvendid=0xabcdef\ndevid=0x7f\nsysimgguid=0x21\ncaguid=0x20\nHca 1 \"A\" # \"first\"\n"
    "caguid=0x30\nHca 2 \"B\"\ncaguid=0x50\nHca 2 \"C\"\n";
struct bed w;

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    (void)ctx;
    (void)now;
    server_received(&w.server, node, port, packet, len);
}

struct iba_node_port *port_at(size_t node, unsigned port)
{
    return two_hosts_port(w.s, node, port);
}

void begin(void)
{
    const struct subnet_events events = {.received = received};
    char err[SOCKETS_ERROR] = "";

    w = (struct bed){.t = topology_of(net)};
    w.s = two_hosts(w.t, &events);
    (void)snprintf(w.name, sizeof w.name, "server-%d", (int)getpid());
    cr_assert(server_open(&w.server, w.s, w.name, 0, err), "%s", err);
}

void end(void)
{
    server_close(&w.server);
    subnet_free(w.s);
    topology_free(w.t);
}

void serve(void)
{
    struct pollfd fds[SERVER_FDS];

    server_fds(&w.server, fds);
    cr_assert_geq(poll(fds, SERVER_FDS, 0), 0);
    server_serve(&w.server, fds, w.now);
}

/* ---- a client ---- */

/* An abstract name; the NUL at its end counts (ibsim). */
static socklen_t named(struct sockaddr_un *a, const char *format, ...)
{
    va_list args;
    int n;

    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    va_start(args, format);
    n = vsnprintf(a->sun_path + 1, sizeof a->sun_path - 1, format, args);
    va_end(args);
    return (socklen_t)(sizeof a->sun_family + 1 + (size_t)n + 1);
}

int bound(const char *what, uint32_t id)
{
    struct sockaddr_un a;
    const socklen_t len = named(&a, "%s:%s%u", w.name, what, id);
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)&a, len) == 0, "%s%u: %s", what, id, strerror(errno));
    return fd;
}

void tell(const struct client *c, const void *bytes, size_t n)
{
    struct sockaddr_un a;
    const socklen_t len = named(&a, "%s:ctl", w.name);

    cr_assert_eq(sendto(c->control, bytes, n, 0, (struct sockaddr *)&a, len), (ssize_t)n);
    serve();
}

struct ibsim_ctl ask(const struct client *c, uint32_t type, const void *data, size_t n)
{
    struct ibsim_ctl m = {IBSIM_MAGIC, c->number, type, IBSIM_CTL_DATA, {0}};

    memcpy(m.data, data, n);
    tell(c, &m, sizeof m);
    cr_assert_eq(recv(c->control, &m, sizeof m, MSG_TRUNC), (ssize_t)sizeof m, "type %u", type);
    cr_assert(m.magic == IBSIM_MAGIC && m.client == c->number);
    return m;
}

bool join(struct client *c, uint32_t id, const char *node, bool issm, const char *placed)
{
    struct ibsim_connect d = {.id = id, .issm = issm};
    struct ibsim_ctl m;
    struct sockaddr_un a;

    (void)snprintf(d.node, sizeof d.node, "%s", node);
    *c = (struct client){bound("ctl", id), bound("in", id), id, 0};
    m = ask(c, IBSIM_CONNECT, &d, sizeof d);
    if (m.type == IBSIM_ERROR)
        return false;
    cr_assert_eq(m.type, IBSIM_CONNECT);
    memcpy(&d, m.data, sizeof d);
    cr_assert_str_eq(d.node, placed);
    c->number = d.id;
    const socklen_t len = named(&a, "%s:out%u", w.name, c->number);
    cr_assert_eq(connect(c->mads, (struct sockaddr *)&a, len), 0);
    return true;
}

void gone(const struct client *c)
{
    (void)close(c->control);
    (void)close(c->mads);
}

struct ibsim_request datagram(uint16_t dlid, uint8_t class, uint8_t method, uint16_t attribute, uint64_t tid)
{
    struct ibsim_request r = {.dlid = htons(dlid), .dqp = htonl(1), .sqp = htonl(1), .length = htobe64(IBSIM_MAD)};

    r.mad[0] = 1;
    r.mad[1] = class;
    r.mad[2] = class == IBA_CLASS_SA ? 2 : 1;
    r.mad[3] = method;
    iba_madhdr_set_attributeid(r.mad, attribute);
    iba_madhdr_set_transactionid(r.mad, tid);
    return r;
}

void send_it(const struct client *c, const struct ibsim_request *r)
{
    cr_assert_eq(send(c->mads, r, sizeof *r, 0), (ssize_t)sizeof *r);
    serve();
}

bool got(const struct client *c, struct ibsim_request *r)
{
    const ssize_t n = recv(c->mads, r, sizeof *r, MSG_TRUNC);

    cr_assert(n < 0 || n == (ssize_t)sizeof *r);
    return n > 0;
}
