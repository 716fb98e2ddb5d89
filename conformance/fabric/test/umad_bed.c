/* SPDX-License-Identifier: BSD-2-Clause */
#include "umad_bed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "topology_text.h"

static const char net[] = "vendid=0x2c9\ndevid=0x1017\nsysimgguid=0x9\nswitchguid=0x10\nSwitch\t4 \"S\"\n[1] \"A\"[1]\n"
                          "[2] \"B\"[2]\ncaguid=0x20\nHca 1 \"A\"\nsysimgguid=0x31\ncaguid=0x30\nHca 2 \"B\"\n"
                          "caguid=0x40\nHca 20 \"D\"\ncaguid=0x80\n"
                          "Hca 2 \"0123456789012345678901234567890123456789012345678901234567890123\"\n";

struct bed w;

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    (void)ctx;
    (void)now;
    (void)mad_layer_received(&w.server.layer, node, port, packet, len);
}

struct iba_node_port *port_at(size_t node, unsigned port)
{
    return two_hosts_port(w.s, node, port);
}

void be_at(const char *node)
{
    cr_assert_eq(setenv("IBFABRIC_NODE", node, 1), 0);
}

void begin(void)
{
    const struct subnet_events events = {.received = received};
    char err[MAD_SERVER_ERROR] = "";

    w = (struct bed){.t = topology_of(net)};
    w.s = two_hosts(w.t, &events);
    (void)snprintf(w.name, sizeof w.name, "umad-%d", (int)getpid());
    cr_assert(setenv("IBFABRIC_SIM", w.name, 1) == 0 && unsetenv("IBFABRIC_NODE") == 0);
    cr_assert(mad_server_open(&w.server, w.s, w.name, err), "%s", err);
    cr_assert(pthread_mutex_init(&w.lock, NULL) == 0 && pipe(w.stop) == 0);
}

/* Lets packets arrive, and the time of requests that wait for a second at most pass. */
static void pass(void)
{
    const iba_time second = UINT64_C(1000000000);

    for (;;) {
        const iba_time packets = subnet_deadline(w.s), datagrams = mad_layer_deadline(&w.server.layer);
        const iba_time next = packets < datagrams ? packets : datagrams;
        if (next == IBA_NEVER || next > subnet_now(w.s) + second)
            return;
        subnet_run(w.s, next);
        mad_layer_advance(&w.server.layer);
    }
}

static void *loop(void *ctx)
{
    struct pollfd fds[MAD_SERVER_FDS + 1];

    (void)ctx;
    for (;;) {
        mad_server_fds(&w.server, fds);
        fds[MAD_SERVER_FDS] = (struct pollfd){.fd = w.stop[0], .events = POLLIN};
        if (poll(fds, MAD_SERVER_FDS + 1, -1) < 0 || fds[MAD_SERVER_FDS].revents)
            return NULL;
        (void)pthread_mutex_lock(&w.lock);
        mad_server_serve(&w.server, fds);
        pass();
        (void)pthread_mutex_unlock(&w.lock);
    }
}

void step(void)
{
    struct pollfd fds[MAD_SERVER_FDS];

    mad_server_fds(&w.server, fds);
    cr_assert_geq(poll(fds, MAD_SERVER_FDS, 0), 0);
    mad_server_serve(&w.server, fds);
    pass();
}

void serve(void)
{
    cr_assert_eq(pthread_create(&w.thread, NULL, loop, NULL), 0);
    w.serves = true;
}

void end(void)
{
    (void)close(w.stop[1]);
    if (w.serves)
        (void)pthread_join(w.thread, NULL);
    (void)close(w.stop[0]);
    mad_server_close(&w.server);
    subnet_free(w.s);
    topology_free(w.t);
    (void)pthread_mutex_destroy(&w.lock);
}

bool is_manager(size_t node, unsigned port)
{
    (void)pthread_mutex_lock(&w.lock);
    const bool is = port_at(node, port)->info.cap_sm;
    (void)pthread_mutex_unlock(&w.lock);
    return is;
}

/* ---- by a script ---- */

static void answer(int to, const struct step *step)
{
    struct iovec part = {(void *)(uintptr_t)step->answer, step->len};
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int))];
    } more = {0};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    struct cmsghdr *h;

    if (step->fd) {
        m.msg_control = more.bytes;
        m.msg_controllen = sizeof more.bytes;
        h = CMSG_FIRSTHDR(&m);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof step->fd);
        memcpy(CMSG_DATA(h), &step->fd, sizeof step->fd);
    }
    (void)sendmsg(to, &m, MSG_NOSIGNAL);
}

static void *follow(void *ctx)
{
    struct script *s = ctx;
    int by = -1;

    for (size_t i = 0; i < s->n; i++) {
        if (by < 0)
            by = accept(s->listener, NULL, NULL);
        s->n_asked[i] = recv(by, s->asked[i], sizeof s->asked[i], 0);
        if (s->step[i].len)
            answer(by, &s->step[i]);
        if (!s->step[i].and_more) {
            (void)close(by);
            by = -1;
        }
    }
    return NULL;
}

void play(struct script *s, const char *name, const struct step *step, size_t n)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int len = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s:umad", name);

    *s = (struct script){.step = step, .n = n, .listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    cr_assert(s->listener >= 0);
    cr_assert_eq(
        bind(s->listener, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)),
        0);
    cr_assert(listen(s->listener, 8) == 0 && pthread_create(&s->thread, NULL, follow, s) == 0);
}

void played(struct script *s)
{
    (void)pthread_join(s->thread, NULL);
    (void)close(s->listener);
}
