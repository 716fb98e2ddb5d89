/* SPDX-License-Identifier: BSD-2-Clause */
/* The server of libibfabric-umad.so's protocol: requests that are wrong, and programs that do not read. */
#include "mad_server.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "leaks.h"
#include "umad_bed.h"

union message {
    struct mad_head head;
    struct mad_place place;
    struct mad_setting setting;
    struct mad_registration registration;
    struct mad_sent sent;
    struct mad_answer answer;
    struct mad_node node;
    struct mad_port port;
    uint8_t bytes[sizeof(struct mad_sent) + MAD_LONGEST + 1];
};

static int joined(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s:umad", w.name), room = 1 << 20;
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
    cr_assert_eq(
        connect(fd, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)), 0);
    step();
    return fd;
}

/* Sends the request; returns the bytes of the answer. 0: the server has closed the connection; -1: no answer. */
static ssize_t asks(int fd, const union message *m, size_t n, union message *answer)
{
    cr_assert_eq(send(fd, m, n, MSG_NOSIGNAL), (ssize_t)n, "%s", strerror(errno));
    step();
    return recv(fd, answer, sizeof *answer, 0);
}

/* An answer without a value. Returns its error. */
static int error_of(int fd, const union message *m, size_t n)
{
    static union message a;

    cr_assert_eq(asks(fd, m, n, &a), (ssize_t)sizeof a.answer);
    cr_expect(a.head.magic == MAD_MAGIC && a.head.kind == m->head.kind && a.answer.value == 0);
    return a.head.error;
}

static union message place(enum mad_kind kind, const char *node, uint32_t port)
{
    union message m = {.place = {.head = {MAD_MAGIC, (uint16_t)kind, 0}, .port = port}};

    memcpy(m.place.node, node, strnlen(node, MAD_NODE_NAME));
    return m;
}

/* Opens a port; returns the descriptor of datagrams. */
static int opens(int fd, const char *node, uint32_t port)
{
    const union message m = place(MAD_OPEN, node, port);
    struct mad_answer a;
    struct iovec part = {&a, sizeof a};
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int))];
    } more = {0};
    struct msghdr got = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = more.bytes, .msg_controllen = sizeof more.bytes};
    int came = -1;

    cr_assert_eq(send(fd, &m, sizeof m.place, MSG_NOSIGNAL), (ssize_t)sizeof m.place);
    step();
    cr_assert_eq(recvmsg(fd, &got, MSG_CMSG_CLOEXEC), (ssize_t)sizeof a);
    cr_assert(a.head.kind == MAD_OPEN && a.head.error == 0 && CMSG_FIRSTHDR(&got));
    memcpy(&came, CMSG_DATA(CMSG_FIRSTHDR(&got)), sizeof came);
    return came;
}

/* A program of another protocol is sent away. */
Test(mad_server, wrong_requests, .init = begin, .fini = end)
{
    static const struct {
        uint32_t magic;
        uint16_t kind;
        size_t bytes;
    } rows[] = {
        {MAD_MAGIC, MAD_GET_NODE, sizeof(struct mad_head) - 1},
        {MAD_MAGIC, MAD_GET_NODE, sizeof(struct mad_head)},
        {MAD_MAGIC + 1, MAD_GET_NODE, sizeof(struct mad_place)},
        {MAD_MAGIC, 0, sizeof(struct mad_head)},
        {MAD_MAGIC, MAD_KINDS, sizeof(struct mad_place)},
        {MAD_MAGIC, MAD_GET_NODE, sizeof(struct mad_place) - 1},
        {MAD_MAGIC, MAD_GET_NODE, sizeof(struct mad_place) + 1},
        {MAD_MAGIC, MAD_GET_PORT, sizeof(struct mad_place) - 1},
        {MAD_MAGIC, MAD_OPEN, sizeof(struct mad_place) + 1},
        {MAD_MAGIC, MAD_SET_ISSM, sizeof(struct mad_setting) + 1},
        {MAD_MAGIC, MAD_REGISTER, sizeof(struct mad_registration) - 1},
        {MAD_MAGIC, MAD_UNREGISTER, sizeof(struct mad_setting) - 1},
        {MAD_MAGIC, MAD_SEND, sizeof(struct mad_sent) + MAD_HEADER - 1},
        {MAD_MAGIC, MAD_SEND, sizeof(struct mad_sent) + MAD_LONGEST + 1},
    };
    static union message m, a;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int fd = joined();
        m.head = (struct mad_head){rows[i].magic, rows[i].kind, 0};
        cr_expect_eq(asks(fd, &m, rows[i].bytes, &a), 0, "row %zu", i);
        (void)close(fd);
    }
    cr_expect_eq(w.server.connection[0].control, -1, "its place is free");
}

Test(mad_server, requests_of_a_port_that_is_not_open, .init = begin, .fini = end)
{
    static const struct {
        uint16_t kind;
        size_t bytes;
    } rows[] = {{MAD_SET_ISSM, sizeof(struct mad_setting)},
                {MAD_REGISTER, sizeof(struct mad_registration)},
                {MAD_UNREGISTER, sizeof(struct mad_setting)},
                {MAD_SEND, sizeof(struct mad_sent) + MAD_HEADER},
                {MAD_SEND, sizeof(struct mad_sent) + MAD_LONGEST}};
    static union message m;
    const int fd = joined();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        m.head = (struct mad_head){MAD_MAGIC, rows[i].kind, 0};
        cr_expect_eq(error_of(fd, &m, rows[i].bytes), ENOTCONN, "row %zu", i);
    }
    (void)close(fd);
    step();
}

Test(mad_server, places, .init = begin, .fini = end)
{
    static const struct {
        const char *node;
        uint32_t port;
        int error;
    } rows[] = {{"X", 0, ENODEV}, {"A", 2, EINVAL}, {"S", 1, EINVAL}, {"B", 256, EINVAL}};
    static const char name[] = "0123456789012345678901234567890123456789012345678901234567890123";
    static union message m, a;
    const int fd = joined();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned kind = MAD_GET_PORT; kind <= MAD_OPEN; kind++) {
            m = place(kind, rows[i].node, rows[i].port);
            cr_expect_eq(error_of(fd, &m, sizeof m.place), rows[i].error, "%s %u", rows[i].node, rows[i].port);
        }
    m = place(MAD_GET_NODE, "X", 0);
    cr_expect_eq(error_of(fd, &m, sizeof m.place), ENODEV);
    m = place(MAD_GET_NODE, name, 0);
    cr_expect_eq(asks(fd, &m, sizeof m.place, &a), (ssize_t)sizeof a.node);
    cr_expect(a.head.magic == MAD_MAGIC && a.head.kind == MAD_GET_NODE && a.head.error == 0);
    cr_expect(a.node.node_guid == 0x80 && a.node.system_guid == 0x80 && a.node.type == 1 && a.node.ports == 2);
    cr_expect(a.node.device == 0xa001 && a.node.revision == 1);
    m = place(MAD_GET_PORT, "B", 2);
    cr_expect_eq(asks(fd, &m, sizeof m.place, &a), (ssize_t)sizeof a.port);
    cr_expect(a.head.magic == MAD_MAGIC && a.head.kind == MAD_GET_PORT && a.head.error == 0);
    cr_expect(a.port.number == 2 && a.port.lid == 4 && a.port.mbit_s == 100000 && a.port.pkeys == 64);
    (void)close(fd);
    step();
}

/* A port is open once for each connection, and closed when the connection ends. */
Test(mad_server, a_port, .init = begin, .fini = end)
{
    static union message m;
    const int fd = joined(), datagrams = opens(fd, "B", 0);

    cr_expect(w.server.layer.open[0].used && w.server.layer.open[0].node == B && w.server.layer.open[0].port == 2);
    m = place(MAD_OPEN, "B", 0);
    cr_expect_eq(error_of(fd, &m, sizeof m.place), EBUSY);
    m = (union message){.setting = {.head = {MAD_MAGIC, MAD_SET_ISSM, 0}, .value = 2}};
    cr_expect_eq(error_of(fd, &m, sizeof m.setting), 0);
    cr_expect(port_at(B, 2)->info.cap_sm);
    m = (union message){.setting = {.head = {MAD_MAGIC, MAD_UNREGISTER, 0}, .value = 0}};
    cr_expect_eq(error_of(fd, &m, sizeof m.setting), EINVAL, "no agent has this number");
    (void)close(fd);
    step();
    cr_expect(!w.server.layer.open[0].used && !port_at(B, 2)->info.cap_sm);
    cr_expect_eq(recv(datagrams, &m, sizeof m, MSG_DONTWAIT), 0, "the end of its datagrams");
    (void)close(datagrams);
}

/* A program that does not read: 31 of the longest datagrams wait, which is all that 8 MiB have room for. All others
 * are lost. When the program reads, it gets all that waited, in order. */
Test(mad_server, a_program_that_does_not_read, .init = begin, .fini = end)
{
    enum { WAIT = 31, WHOLE = sizeof(struct mad_envelope) + MAD_LONGEST };
    static uint8_t mad[MAD_LONGEST], got[WHOLE + 1];
    const int fd = joined(), datagrams = opens(fd, "A", 0);
    struct pollfd fds[MAD_SERVER_FDS];
    uint8_t n = 0, read = 0;
    struct mad_envelope e = {0};

    mad_server_fds(&w.server, fds);
    cr_expect_eq(fds[1 + MAD_OPENS].fd, -1, "nothing waits");
    while (w.server.dropped < 2 && n < 200) {
        mad[0] = mad[MAD_LONGEST - 1] = n++;
        w.server.layer.deliver(&w.server, 0, &e, mad, MAD_LONGEST);
    }
    cr_expect_eq(w.server.dropped, 2);
    cr_expect_eq(w.server.connection[0].waiting, (size_t)WAIT * WHOLE);
    mad_server_fds(&w.server, fds);
    cr_expect(fds[1 + MAD_OPENS].fd == w.server.connection[0].datagrams && fds[1 + MAD_OPENS].events == POLLOUT);
    while (recv(datagrams, got, sizeof got, MSG_DONTWAIT) == WHOLE) {
        memcpy(&e, got, sizeof e);
        cr_expect(e.length == WHOLE && got[sizeof e] == read && got[WHOLE - 1] == read, "%u", read);
        read++;
        step();
    }
    cr_expect_eq(read, n - 2);
    cr_expect(w.server.connection[0].waiting == 0 && w.server.connection[0].first == NULL);
    w.server.layer.deliver(&w.server, 0, &e, mad, MAD_HEADER);
    cr_expect_eq(recv(datagrams, got, sizeof got, MSG_DONTWAIT), (ssize_t)(sizeof e + MAD_HEADER), "as before");
    (void)close(datagrams);
    (void)close(fd);
    step();
}

/* Datagrams may wait until all of them have 8 MiB. */
Test(mad_server, room_for_datagrams, .init = begin, .fini = end)
{
    enum { ALL = 8 << 20 };
    static uint8_t mad[MAD_HEADER];
    const int fd = joined(), datagrams = opens(fd, "A", 0);
    struct mad_envelope e = {0};

    for (size_t more = 0; more < 2; more++) {
        w.server.connection[0].waiting = ALL - sizeof mad + more;
        w.server.layer.deliver(&w.server, 0, &e, mad, sizeof mad);
        cr_expect_eq(w.server.dropped, more);
    }
    w.server.connection[0].waiting = 0;
    (void)close(datagrams);
    (void)close(fd);
    step();
}

/* A connection is kept if nothing has come after all. */
Test(mad_server, nothing_came, .init = begin, .fini = end)
{
    struct pollfd fds[MAD_SERVER_FDS] = {{0}};
    const int fd = joined();

    mad_server_fds(&w.server, fds);
    fds[1].revents = POLLIN;
    mad_server_serve(&w.server, fds);
    cr_expect_geq(w.server.connection[0].control, 0);
    (void)close(fd);
    step();
    cr_expect_lt(w.server.connection[0].control, 0);
}

/* A program that ends while datagrams wait for it. */
Test(mad_server, a_program_that_ends, .init = begin, .fini = end)
{
    static uint8_t mad[MAD_LONGEST];
    const int fd = joined(), datagrams = opens(fd, "A", 0);
    struct mad_envelope e = {0};

    while (!w.server.connection[0].first)
        w.server.layer.deliver(&w.server, 0, &e, mad, MAD_LONGEST);
    (void)close(fd);
    step();
    cr_expect(!w.server.connection[0].first && w.server.connection[0].waiting == 0);
    cr_expect_eq(w.server.connection[0].last, &w.server.connection[0].first);
    (void)close(datagrams);
}

Test(mad_server, names, .init = begin, .fini = end)
{
    static struct mad_server other;
    char err[MAD_SERVER_ERROR] = "", want[MAD_SERVER_ERROR];

    cr_assert_not(mad_server_open(&other, w.s, w.name, err));
    (void)snprintf(want, sizeof want, "--sim %s: Address already in use", w.name);
    cr_expect_str_eq(err, want);
    cr_assert(mad_server_open(&other, w.s, NULL, err));
    cr_expect_eq(other.listener, -1, "it serves nobody");
    mad_server_close(&other);
}

static void work(void)
{
    static uint8_t mad[MAD_HEADER];
    struct mad_envelope e = {0};
    int fd, datagrams;

    begin();
    fd = joined();
    datagrams = opens(fd, "A", 0);
    w.server.layer.deliver(&w.server, 0, &e, mad, sizeof mad);
    (void)close(datagrams);
    (void)close(fd);
    step();
    end();
}

Test(mad_server, nothing_is_left)
{
    cr_expect(leaks_nothing(work));
}
