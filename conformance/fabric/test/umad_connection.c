/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of libibfabric-umad.so: what it asks, and what it makes of answers that are wrong. */
#include "umad/connection.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "umad_bed.h"

static const char *own_name(void)
{
    static char name[32];

    (void)snprintf(name, sizeof name, "script-%d", (int)getpid());
    cr_assert_eq(setenv("IBFABRIC_SIM", name, 1), 0);
    return name;
}

Test(umad_connection, answers, .timeout = 20)
{
    static const struct mad_node good = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}, .node_guid = 7, .ports = 3},
                                 magic = {.head = {MAD_MAGIC + 1, MAD_GET_NODE, 0}},
                                 kind = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}},
                                 error = {.head = {MAD_MAGIC, MAD_GET_NODE, ENODEV}};
    static const struct mad_node longer[2] = {{.head = {MAD_MAGIC, MAD_GET_NODE, 0}}};
    static const struct {
        struct step step;
        int result;
    } rows[] = {
        {{&good, sizeof good, 0, false}, 0},
        {{&magic, sizeof magic, 0, false}, -EPROTO},
        {{&kind, sizeof kind, 0, false}, -EPROTO},
        {{&error, sizeof(struct mad_answer), 0, false}, -ENODEV},
        {{&error, sizeof(struct mad_head), 0, false}, -ENODEV},
        {{&good, sizeof(struct mad_head) - 1, 0, false}, -EIO},
        {{&good, sizeof(struct mad_answer), 0, false}, -EPROTO}, /* too short, and no error */
        {{longer, sizeof longer, 0, false}, -EPROTO},
        {{NULL, 0, 0, false}, -EIO}, /* the server ends */
    };
    const char *name = own_name();
    struct mad_node n;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct script s;
        play(&s, name, &rows[i].step, 1);
        n = (struct mad_node){0};
        cr_expect_eq(connection_ask_once(MAD_GET_NODE, 0, &n, sizeof n), rows[i].result, "row %zu", i);
        played(&s);
        cr_expect(rows[i].result || (n.node_guid == 7 && n.ports == 3));
    }
    cr_expect_eq(connection_ask_once(MAD_GET_NODE, 0, &n, sizeof n), -ECONNREFUSED, "no server");
}

Test(umad_connection, what_it_asks, .timeout = 20)
{
    static const struct mad_node good = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}};
    static const struct step step = {&good, sizeof good, 0, false};
    static const char *const nodes[] = {NULL, "Hca2",
                                        "0123456789012345678901234567890123456789012345678901234567890123456789"};
    const char *name = own_name();

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct script s;
        struct mad_node n;
        struct mad_place p, want = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}, .port = (uint32_t)i + 3};
        cr_assert_eq(nodes[i] ? setenv("IBFABRIC_NODE", nodes[i], 1) : unsetenv("IBFABRIC_NODE"), 0);
        if (nodes[i])
            memcpy(want.node, nodes[i], strnlen(nodes[i], sizeof want.node));
        play(&s, name, &step, 1);
        cr_assert_eq(connection_ask_once(MAD_GET_NODE, want.port, &n, sizeof n), 0);
        played(&s);
        cr_assert_eq(s.n_asked[0], (ssize_t)sizeof p);
        memcpy(&p, s.asked[0], sizeof p);
        cr_expect_eq(memcmp(&p, &want, sizeof p), 0, "row %zu", i);
    }
}

/* The name of the socket, with the part after the colon, has 106 bytes at most. */
Test(umad_connection, names, .timeout = 20)
{
    char name[120];

    memset(name, 'n', sizeof name);
    for (size_t n = 100; n <= 103; n++) {
        name[n] = '\0';
        cr_assert_eq(setenv("IBFABRIC_SIM", name, 1), 0);
        cr_expect_eq(connection_open(), n <= 101 ? -ECONNREFUSED : -ENAMETOOLONG, "%zu", n);
        name[n] = 'n';
    }
}

/* A port is open when its descriptor has come. The second request names the port that the first answer has. */
Test(umad_connection, a_port, .timeout = 20)
{
    static const struct mad_port port = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}, .number = 5},
                                 none = {.head = {MAD_MAGIC, MAD_GET_PORT, EINVAL}};
    static const struct mad_answer open_it = {.head = {MAD_MAGIC, MAD_OPEN, 0}},
                                   full = {.head = {MAD_MAGIC, MAD_OPEN, EBUSY}};
    const struct step good[] = {{&port, sizeof port, 0, true}, {&open_it, sizeof open_it, STDERR_FILENO, false}},
                      bare[] = {{&port, sizeof port, 0, true}, {&open_it, sizeof open_it, 0, false}},
                      busy[] = {{&port, sizeof port, 0, true}, {&full, sizeof full, 0, false}},
                      wrong[] = {{&none, sizeof(struct mad_answer), 0, false}};
    const char *name = own_name();
    struct mad_place asked;
    struct script s;
    int fd;

    play(&s, name, good, 2);
    fd = umad_open_port(NULL, 2);
    played(&s);
    cr_assert_gt(fd, STDERR_FILENO);
    memcpy(&asked, s.asked[1], sizeof asked);
    cr_expect(asked.head.kind == MAD_OPEN && asked.head.magic == MAD_MAGIC && asked.port == 5);
    cr_expect_eq(umad_close_port(fd), 0);
    play(&s, name, bare, 2);
    cr_expect_eq(umad_open_port(NULL, 2), -EPROTO, "no descriptor came");
    played(&s);
    play(&s, name, busy, 2);
    cr_expect_eq(umad_open_port(NULL, 2), -EBUSY);
    played(&s);
    play(&s, name, wrong, 1);
    cr_expect_eq(umad_open_port(NULL, 2), -EINVAL);
    played(&s);
    cr_expect_eq(umad_open_port(NULL, 2), -ECONNREFUSED);
}

/* Requests of an open port, byte by byte. */
Test(umad_connection, requests_of_a_port, .timeout = 20)
{
    static const struct mad_port port = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}, .number = 5};
    static const struct mad_answer open_it = {.head = {MAD_MAGIC, MAD_OPEN, 0}},
                                   agent = {.head = {MAD_MAGIC, MAD_REGISTER, 0}, .value = 7},
                                   sent = {.head = {MAD_MAGIC, MAD_SEND, 0}},
                                   gone = {.head = {MAD_MAGIC, MAD_UNREGISTER, 0}};
    const struct step steps[] = {{&port, sizeof port, 0, true},
                                 {&open_it, sizeof open_it, STDERR_FILENO, true},
                                 {&agent, sizeof agent, 0, true},
                                 {&sent, sizeof sent, 0, true},
                                 {&gone, sizeof gone, 0, false}};
    const struct mad_place opens = {.head = {MAD_MAGIC, MAD_OPEN, 0}, .port = 5};
    const struct mad_registration registers = {
        .head = {MAD_MAGIC, MAD_REGISTER, 0}, .class = 4, .version = 1, .methods = {3, 0}};
    const struct mad_setting leaves = {.head = {MAD_MAGIC, MAD_UNREGISTER, 0}, .value = 7};
    struct mad_sent sends = {.head = {MAD_MAGIC, MAD_SEND, 0}, .envelope = {.agent = 7, .timeout_ms = 9, .retries = 2}};
    union {
        struct ib_user_mad u;
        uint8_t bytes[sizeof(struct ib_user_mad) + 256];
    } b = {0};
    long methods[16 / sizeof(long)] = {3};
    struct script s;
    int fd;

    (void)unsetenv("IBFABRIC_NODE");
    play(&s, own_name(), steps, 5);
    fd = umad_open_port(NULL, 0);
    cr_assert_gt(fd, 0);
    cr_assert_eq(umad_register(fd, 4, 1, 0, methods), 7);
    memset(b.u.data, 0x5b, 256);
    b.u.addr.sl = 3;
    sends.envelope.sl = 3;
    cr_expect_eq(umad_send(fd, 7, &b, 100, 9, 2), 0);
    cr_expect_eq(umad_unregister(fd, 7), 0);
    played(&s);
    cr_expect(s.n_asked[1] == sizeof opens && memcmp(s.asked[1], &opens, sizeof opens) == 0);
    cr_expect(s.n_asked[2] == sizeof registers && memcmp(s.asked[2], &registers, sizeof registers) == 0);
    cr_expect(s.n_asked[3] == sizeof sends + 100 && memcmp(s.asked[3], &sends, sizeof sends) == 0);
    cr_expect_eq(memcmp(s.asked[3] + sizeof sends, b.u.data, 100), 0);
    cr_expect(s.n_asked[4] == sizeof leaves && memcmp(s.asked[4], &leaves, sizeof leaves) == 0);
    cr_expect_eq(umad_unregister(fd, 7), -EPIPE, "the server has ended");
    cr_expect_eq(umad_close_port(fd), 0);
}

/* A datagram has 24 bytes or more. */
Test(umad_connection, short_datagrams, .timeout = 20)
{
    static const struct mad_port port = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}, .number = 5};
    static const struct mad_answer open_it = {.head = {MAD_MAGIC, MAD_OPEN, 0}};
    union {
        struct ib_user_mad u;
        uint8_t bytes[sizeof(struct ib_user_mad) + 256];
    } b = {.u.agent_id = 3};
    int pair[2], fd, length = 256;
    struct script s;

    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    const struct step steps[] = {{&port, sizeof port, 0, true}, {&open_it, sizeof open_it, pair[1], false}};
    play(&s, own_name(), steps, 2);
    fd = umad_open_port(NULL, 0);
    played(&s);
    cr_assert_gt(fd, 0);
    cr_assert_eq(send(pair[0], &b, sizeof b.u + 23, 0), (ssize_t)sizeof b.u + 23);
    cr_assert_eq(send(pair[0], &b, sizeof b.u + 24, 0), (ssize_t)sizeof b.u + 24);
    cr_expect(umad_recv(fd, &b, &length, 1000) == -EIO && errno == EIO);
    cr_expect(umad_recv(fd, &b, &length, 1000) == 3 && length == 24);
    (void)close(pair[0]);
    (void)close(pair[1]);
    cr_expect_eq(umad_recv(fd, &b, &length, 1000), -EIO, "the end");
    cr_expect_eq(umad_close_port(fd), 0);
}

/* More P_Keys than the answer has room for. */
Test(umad_connection, too_many_keys, .timeout = 20)
{
    static const struct mad_port most = {.head = {MAD_MAGIC, MAD_GET_PORT, 0},
                                         .number = 1,
                                         .pkeys = MAD_PKEYS,
                                         .pkey[MAD_PKEYS - 1] = 9},
                                 more = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}, .number = 1, .pkeys = MAD_PKEYS + 1};
    const struct step steps[] = {{&most, sizeof most, 0, false}, {&more, sizeof more, 0, false}};
    struct script s;
    umad_port_t p;

    play(&s, own_name(), steps, 2);
    cr_assert_eq(umad_get_port(NULL, 1, &p), 0);
    cr_expect(p.pkeys_size == MAD_PKEYS && p.pkeys[MAD_PKEYS - 1] == 9);
    cr_expect_eq(umad_release_port(&p), 0);
    cr_expect_eq(umad_get_port(NULL, 1, &p), -EPROTO);
    played(&s);
}

/* Asks for a descriptor, or for none, and gets an answer with n of them. Returns the result; *fd: what was received. */
static int asks(bool wants, unsigned n, int *fd)
{
    const struct mad_answer sent = {.head = {MAD_MAGIC, MAD_OPEN, 0}, .value = 7};
    struct mad_place request = {.head = {MAD_MAGIC, MAD_OPEN, 0}};
    struct mad_answer a = {.value = 0};
    union {
        struct cmsghdr head;
        uint8_t bytes[CMSG_SPACE(2 * sizeof(int))];
    } more = {.bytes = {0}};
    struct iovec part = {(void *)&sent, sizeof sent};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    int pair[2], result;

    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    if (n) {
        const int copies[2] = {STDERR_FILENO, STDERR_FILENO};
        m.msg_control = more.bytes;
        m.msg_controllen = CMSG_SPACE(n * sizeof(int));
        more.head =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n * sizeof(int))};
        memcpy(CMSG_DATA(&more.head), copies, n * sizeof(int));
    }
    cr_assert_eq(sendmsg(pair[1], &m, 0), (ssize_t)sizeof sent);
    *fd = -1;
    result = connection_ask(pair[0], &request, sizeof request, NULL, 0, &a, sizeof a, wants ? fd : NULL);
    cr_expect(result || a.value == 7);
    (void)close(pair[0]);
    (void)close(pair[1]);
    return result;
}

/* Only one descriptor is taken, and only if it was asked for. It does not outlive the program's execve(). */
Test(umad_connection, descriptors, .timeout = 20)
{
    int fd;

    cr_expect(asks(true, 0, &fd) == 0 && fd == -1);
    cr_expect(asks(false, 1, &fd) == 0 && fd == -1);
    cr_expect(asks(true, 2, &fd) == 0 && fd == -1, "none, if there are two");
    cr_expect(asks(true, 1, &fd) == 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    (void)close(fd);
}

/* Errors of the socket itself reach the caller. */
Test(umad_connection, errors, .timeout = 20)
{
    struct mad_place request = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}};
    struct mad_node a;
    int pair[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    cr_expect_eq(connection_ask(pair[0], &request, sizeof request, NULL, 0, &a, sizeof a, NULL), -EAGAIN);
    cr_assert_eq(recv(pair[1], &request, sizeof request, 0), (ssize_t)sizeof request);
    (void)close(pair[1]);
    cr_expect_eq(connection_ask(pair[0], &request, sizeof request, NULL, 0, &a, sizeof a, NULL), -EPIPE);
    (void)close(pair[0]);
    cr_expect_eq(connection_ask(pair[0], &request, sizeof request, NULL, 0, &a, sizeof a, NULL), -EBADF);
}
