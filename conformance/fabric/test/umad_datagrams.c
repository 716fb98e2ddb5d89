/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports, agents and datagrams by the functions of libibfabric-umad.so, which return what libibumad's return. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mad/iba_mad.h"
#include "umad_bed.h"

enum { CLASS_VENDOR = 0x30, GET = 1, SEND = 3, GET_TABLE = 0x12, PORT_COUNTERS = 0x12, LID_A = 2, LID_B = 4 };
enum { NEVER_MS = 1000000, SOON_MS = 100, QKEY = (int)UINT32_C(0x80010000) };

union buffer {
    struct ib_user_mad u;
    uint8_t bytes[sizeof(struct ib_user_mad) + 4096];
};

static void address(struct ib_user_mad *u, int lid)
{
    u->addr = (ib_mad_addr_t){.qpn = htobe32(1), .qkey = htobe32((uint32_t)QKEY), .lid = htobe16((uint16_t)lid)};
}

/* A datagram of that class to that LID. */
static void fill(union buffer *b, int lid, uint8_t class, uint8_t method, uint16_t attribute, uint32_t tid)
{
    *b = (union buffer){0};
    address(&b->u, lid);
    b->u.data[0] = 1;
    b->u.data[1] = class;
    b->u.data[2] = class == IBA_CLASS_SA ? 2 : 1;
    b->u.data[3] = method;
    iba_madhdr_set_transactionid(b->u.data, tid);
    iba_madhdr_set_attributeid(b->u.data, attribute);
}

static int opened(const char *node)
{
    be_at(node);
    const int fd = umad_open_port(NULL, 0);
    cr_assert_gt(fd, 0, "%s: %d", node, fd);
    return fd;
}

/* An agent that takes requests with this method. */
static int agent_of(int fd, int class, unsigned method)
{
    long mask[16 / sizeof(long)] = {0};

    mask[method / 64] = (long)(1ul << method % 64);
    return umad_register(fd, class, class == IBA_CLASS_SA ? 2 : 1, 0, method ? mask : NULL);
}

Test(umad_datagrams, layout)
{
    union buffer b = {0};

    cr_expect(umad_size() == 64 && umad_get_mad(&b) == b.bytes + 64);
    cr_expect(umad_set_pkey(&b, 0x1234) == 0 && umad_get_pkey(&b) == 0x1234 && b.u.addr.pkey_index == 0x1234);
    cr_expect_eq(umad_get_fd(17), 17);
}

Test(umad_datagrams, ports, .init = begin, .fini = end, .timeout = 20)
{
    int fd[MAD_OPENS + 1], n = 0;

    serve();
    cr_expect_eq(umad_open_port("mlx5_0", 1), -EINVAL);
    cr_expect_eq(umad_open_port(NULL, -1), -EINVAL);
    cr_expect_eq(umad_open_port("ibfabric0", 7), -EINVAL, "A has one port");
    be_at("X");
    cr_expect_eq(umad_open_port(NULL, 0), -ENODEV);
    be_at("A");
    while (n < MAD_OPENS && (fd[n] = umad_open_port("ibfabric0", n % 2)) > 0)
        n++;
    cr_assert_eq(n, MAD_OPENS);
    cr_expect_lt(umad_open_port(NULL, 0), 0, "the server has no room");
    cr_expect(umad_close_port(fd[5]) == 0 && umad_close_port(fd[5]) == -EINVAL);
    cr_expect_eq(umad_close_port(0), -EINVAL);
    cr_expect_eq(umad_register(fd[5], IBA_CLASS_SA, 2, 0, NULL), -EPERM, "it is closed");
    for (unsigned tries = 0; tries < 1000 && (fd[5] = umad_open_port(NULL, 0)) < 0; tries++)
        (void)usleep(1000); /* until the server has noticed the end of the connection */
    cr_expect_gt(fd[5], 0);
    while (n-- > 0)
        cr_expect_eq(umad_close_port(fd[n]), 0);
}

Test(umad_datagrams, agents, .init = begin, .fini = end, .timeout = 20)
{
    uint8_t oui[3] = {0, 0x14, 5};
    struct umad_reg_attr attr = {.mgmt_class = IBA_CLASS_SA, .mgmt_class_version = 2, .method_mask = {1u << 18, 4}};
    uint32_t id = 9;
    int fd, other;

    serve();
    fd = opened("A");
    other = opened("A");
    cr_expect(agent_of(fd, IBA_CLASS_PERF, 0) == 0 && agent_of(fd, IBA_CLASS_PERF, 0) == 1, "they take nothing");
    cr_expect(umad_register2(fd, &attr, &id) == 0 && id == 2);
    cr_expect_eq(umad_register2(other, &attr, &id), EBUSY, "another one has these methods");
    attr.method_mask[0] = 0;
    cr_expect_eq(umad_register2(other, &attr, &id), EBUSY, "method 66");
    attr.method_mask[1] = 2;
    cr_expect(umad_register2(other, &attr, &id) == 0 && id == 0);
    cr_expect_eq(agent_of(other, IBA_CLASS_SA, GET_TABLE), -EPERM);
    attr.flags = 2;
    cr_expect_eq(umad_register2(fd, &attr, &id), EINVAL, "an unknown flag");
    attr = (struct umad_reg_attr){.mgmt_class = IBA_CLASS_PERF, .mgmt_class_version = 1, .rmpp_version = 1};
    cr_expect_eq(umad_register2(fd, &attr, &id), EINVAL, "a class without RMPP");
    attr.mgmt_class = IBA_CLASS_SA;
    attr.rmpp_version = 2;
    cr_expect_eq(umad_register2(fd, &attr, &id), EINVAL, "no such version");
    cr_expect_eq(umad_register(fd, IBA_CLASS_SA, 2, 2, NULL), -EPERM);
    for (int class = 0x2f; class <= 0x50; class += 0x21)
        cr_expect_eq(umad_register_oui(fd, class, 0, oui, NULL), -EINVAL, "class %#x", (unsigned)class);
    cr_expect_eq(umad_register_oui(fd, 0x30, 0, oui, NULL), 3);
    cr_expect_eq(umad_register_oui(fd, 0x4f, 1, oui, NULL), 4);
    cr_expect(umad_unregister(fd, 3) == 0 && umad_unregister(fd, 3) == -EINVAL && umad_unregister(fd, -1) == -EINVAL);
    cr_expect(umad_unregister(fd, MAD_AGENTS) == -EINVAL && umad_unregister(other, 0) == 0);
    cr_expect_eq(agent_of(fd, IBA_CLASS_PERF, 0), 3, "the number is free again");
    for (int i = 5; i < MAD_AGENTS; i++)
        cr_expect_eq(agent_of(fd, IBA_CLASS_PERF, 0), i);
    cr_expect_eq(agent_of(fd, IBA_CLASS_PERF, 0), -EPERM, "there are 32");
    cr_expect_eq(umad_register2(99, &attr, &id), EINVAL);
    cr_expect(umad_close_port(fd) == 0 && umad_close_port(other) == 0);
}

/* Registrations as the MAD layer gets them. */
Test(umad_datagrams, registrations, .init = begin, .fini = end, .timeout = 20)
{
    struct umad_reg_attr attr = {.mgmt_class = 0x31,
                                 .mgmt_class_version = 1,
                                 .rmpp_version = 1,
                                 .flags = UMAD_USER_RMPP,
                                 .oui = 0x123456,
                                 .method_mask = {5, 6}};
    uint8_t oui[3] = {1, 2, 3};
    uint32_t id;
    int fd;

    serve();
    fd = opened("A");
    cr_assert_eq(umad_register2(fd, &attr, &id), 0);
    cr_assert_eq(umad_register_oui(fd, 0x32, 1, oui, NULL), 1);
    cr_assert_eq(umad_register(fd, IBA_CLASS_SA, 2, 1, NULL), 2);
    attr = (struct umad_reg_attr){.mgmt_class = 0x33, .mgmt_class_version = 4};
    cr_assert_eq(umad_register2(fd, &attr, &id), 0);
    (void)pthread_mutex_lock(&w.lock);
    const struct mad_agent *a = w.server.layer.open[0].agent;
    cr_expect(a[0].class == 0x31 && a[0].version == 1 && a[0].segments && !a[0].rmpp && a[0].has_oui);
    cr_expect(memcmp(a[0].oui, "\x12\x34\x56", 3) == 0 && a[0].methods[0] == 5 && a[0].methods[1] == 6);
    cr_expect(a[1].class == 0x32 && a[1].version == 1 && a[1].rmpp && !a[1].segments && a[1].has_oui);
    cr_expect(memcmp(a[1].oui, oui, 3) == 0 && a[1].methods[0] == 0);
    cr_expect(a[2].class == IBA_CLASS_SA && a[2].version == 2 && a[2].rmpp && !a[2].has_oui);
    cr_expect(a[3].class == 0x33 && a[3].version == 4 && !a[3].rmpp && !a[3].segments && !a[3].has_oui);
    (void)pthread_mutex_unlock(&w.lock);
    cr_expect_eq(umad_close_port(fd), 0);
}

Test(umad_datagrams, an_agent_of_a_node_answers, .init = begin, .fini = end, .timeout = 20)
{
    union buffer b;
    int length = 256, fd, agent;

    serve();
    fd = opened("A");
    cr_assert_eq(agent_of(fd, IBA_CLASS_SA, 0), 0);
    agent = agent_of(fd, IBA_CLASS_PERF, 0);
    fill(&b, LID_B, IBA_CLASS_PERF, GET, PORT_COUNTERS, 0x1234);
    b.u.data[65] = 2; /* PortSelect */
    cr_assert_eq(umad_send(fd, agent, &b, 256, NEVER_MS, 3), 0);
    cr_expect(b.u.timeout_ms == NEVER_MS && b.u.retries == 3 && (int)b.u.agent_id == agent);
    b = (union buffer){0};
    cr_assert_eq(umad_recv(fd, &b, &length, 5000), agent);
    cr_expect(length == 256 && b.u.status == 0 && b.u.length == 320);
    cr_expect(b.u.data[3] == IBA_METHOD_GET_RESP && b.u.data[4] == 0 && b.u.data[5] == 0);
    cr_expect_eq(iba_madhdr_transactionid(b.u.data) & UINT32_MAX, 0x1234, "the lower half is the program's");
    cr_expect(be16toh(b.u.addr.lid) == LID_B && be32toh(b.u.addr.qpn) == 1 && b.u.addr.grh_present == 0);
    cr_expect_eq(b.u.data[65], 2);
    cr_expect_eq(umad_close_port(fd), 0);
}

/* Nobody answers: the program gets the beginning of its request back. */
Test(umad_datagrams, a_time_limit, .init = begin, .fini = end, .timeout = 20)
{
    union buffer b;
    int length = 256, fd, agent;

    serve();
    fd = opened("A");
    agent = agent_of(fd, IBA_CLASS_PERF, 0);
    fill(&b, 9, IBA_CLASS_PERF, GET, PORT_COUNTERS, 5);
    cr_assert_eq(umad_send(fd, agent, &b, 256, SOON_MS, 1), 0);
    cr_assert_eq(umad_recv(fd, &b, &length, 5000), agent);
    cr_expect(b.u.status == ETIMEDOUT && length == 24 && b.u.data[3] == GET);
    errno = 0;
    cr_expect(umad_recv(fd, &b, &length, 1) == -ETIMEDOUT && errno == ETIMEDOUT, "nothing more comes");
    cr_expect_eq(umad_poll(fd, 1), -ETIMEDOUT);
    length = 256;
    cr_expect(umad_recv(fd, &b, &length, 0) == -EAGAIN && errno == EAGAIN);
    cr_expect(umad_recv(99, &b, &length, 1) == -EINVAL && umad_poll(99, 1) == -EINVAL && umad_poll(0, 1) == -EINVAL);
    errno = 0;
    cr_expect(umad_recv(fd, NULL, &length, 0) == -EINVAL && errno == EINVAL);
    cr_expect_eq(umad_recv(fd, &b, NULL, 0), -EINVAL);
    length = -1;
    cr_expect_eq(umad_recv(fd, &b, &length, 0), -EINVAL);
    cr_expect_eq(umad_close_port(fd), 0);
}

Test(umad_datagrams, what_cannot_be_sent, .init = begin, .fini = end, .timeout = 20)
{
    static const struct {
        int port, agent, length, error; /* port 0: that which is open */
        uint32_t qpn;
        uint16_t pkey_index;
    } rows[] = {
        {0, 0, 23, EINVAL, 1, 0},
        {0, 0, 24, 0, 1, 0},
        {0, 0, 256, 0, 1, 0},
        {0, 0, 257, EINVAL, 1, 0},
        {0, 1, 256, EINVAL, 1, 0},
        {0, -1, 256, EINVAL, 1, 0},
        {99, 0, 256, EINVAL, 1, 0},
        {0, 0, 256, EINVAL, 0, 0},
        {0, 0, 256, EINVAL, 1, 64},
        {0, 0, 256, EINVAL, 1, 1},
        {0, 0, (1 << 18) + 1, EINVAL, 1, 0},
    };
    static union {
        union buffer b;
        uint8_t room[sizeof(struct ib_user_mad) + (1 << 18) + 8];
    } m;
    int fd;

    serve();
    fd = opened("A");
    cr_assert_eq(agent_of(fd, IBA_CLASS_PERF, 0), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fill(&m.b, LID_B, IBA_CLASS_PERF, SEND, PORT_COUNTERS, 5);
        m.b.u.addr.qpn = htobe32(rows[i].qpn);
        m.b.u.addr.pkey_index = rows[i].pkey_index;
        errno = 0;
        const int done = umad_send(rows[i].port ? rows[i].port : fd, rows[i].agent, &m, rows[i].length, 0, 0);
        cr_expect(done == (rows[i].error ? -EIO : 0) && errno == rows[i].error, "row %zu: %d, %d", i, done, errno);
    }
    cr_expect_eq(umad_close_port(fd), 0);
}

/* From program to program. A buffer that is too small gets the beginning, and the datagram stays. */
Test(umad_datagrams, between_programs, .init = begin, .fini = end, .timeout = 20)
{
    union buffer b, got;
    int from, to, agent, length;

    serve();
    from = opened("A");
    to = opened("B");
    cr_assert_eq(agent_of(to, IBA_CLASS_PERF, 0), 0);
    agent = agent_of(to, CLASS_VENDOR, SEND);
    cr_assert(agent == 1 && agent_of(from, CLASS_VENDOR, 0) == 0);
    fill(&b, LID_B, CLASS_VENDOR, SEND, 7, 1);
    memset(b.u.data + 24, 0x5a, 232);
    b.u.addr.path_bits = 1;
    b.u.addr.sl = 3;
    cr_assert_eq(umad_send(from, 0, &b, 256, 0, 0), 0);
    cr_assert_eq(umad_poll(to, 5000), 0);
    for (length = 0; length < 256; length += 255) {
        int given = length;
        memset(&got, 0xee, sizeof got);
        cr_expect(umad_recv(to, &got, &given, 0) == -ENOSPC && errno == ENOSPC, "%d", length);
        cr_expect(given == 256 && memcmp(got.u.data, b.u.data, 8) == (length ? 0 : memcmp(got.u.data, b.u.data, 8)));
        cr_expect_eq(got.bytes[64 + length], 0xee, "nothing after the end");
    }
    length = 256;
    cr_assert_eq(umad_recv(to, &got, &length, 5000), agent);
    cr_expect(length == 256 && memcmp(got.u.data + 24, b.u.data + 24, 232) == 0);
    cr_expect(be16toh(got.u.addr.lid) == LID_A + 1 && got.u.addr.sl == 3 && got.u.addr.path_bits == 0);
    length = 256;
    cr_expect_eq(umad_recv(to, &got, &length, 0), -EAGAIN, "it came once");
    cr_expect(umad_close_port(from) == 0 && umad_close_port(to) == 0);
}

/* A program is a subnet manager while it has the path open that umad_get_issm_path() names. */
Test(umad_datagrams, managers, .init = begin, .fini = end, .timeout = 20)
{
    char path[64], again[64], cut[8];
    int fd, file, length = 256;
    union buffer b;

    serve();
    fd = opened("A");
    cr_expect_eq(umad_get_issm_path("mlx5_0", 1, path, sizeof path), -EINVAL);
    cr_expect_eq(umad_get_issm_path(NULL, -1, path, sizeof path), -EINVAL);
    cr_expect_eq(umad_get_issm_path(NULL, 1, path, 0), -EINVAL);
    cr_expect_eq(umad_get_issm_path(NULL, 2, path, sizeof path), -EINVAL, "A has one port");
    cr_assert_eq(umad_get_issm_path("ibfabric0", 0, path, sizeof path), 0);
    cr_assert_eq(umad_get_issm_path(NULL, 1, again, sizeof again), 0);
    cr_expect_str_eq(path, again, "the same port");
    cr_expect(umad_get_issm_path(NULL, 1, cut, sizeof cut) == 0 && strncmp(cut, path, 7) == 0 && cut[7] == '\0');
    cr_assert_eq(agent_of(fd, IBA_CLASS_PERF, 0), 0);
    cr_expect_not(is_manager(A, 1));
    file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_assert_geq(file, 0, "%s", path);
    cr_assert_eq(agent_of(fd, IBA_CLASS_PERF, 0), 1);
    cr_expect(is_manager(A, 1), "the next call tells the server");
    (void)close(file);
    cr_expect_eq(umad_poll(fd, 1), -ETIMEDOUT);
    cr_expect_not(is_manager(A, 1));
    file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_expect_eq(umad_recv(fd, &b, &length, 1), -ETIMEDOUT);
    cr_expect(is_manager(A, 1), "once more");
    (void)close(file);
    fill(&b, LID_B, IBA_CLASS_PERF, SEND, 1, 5);
    cr_expect_eq(umad_send(fd, 0, &b, 256, 0, 0), 0);
    cr_expect_not(is_manager(A, 1));
    file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_expect_eq(umad_poll(fd, 1), -ETIMEDOUT);
    cr_expect(is_manager(A, 1) && umad_close_port(fd) == 0);
    for (unsigned tries = 0; tries < 5000 && is_manager(A, 1); tries++)
        (void)usleep(1000);
    cr_expect_not(is_manager(A, 1), "a port that is closed has no manager");
    (void)close(file);
}

/* Paths of 16 ports. */
Test(umad_datagrams, paths_of_managers, .init = begin, .fini = end, .timeout = 20)
{
    char path[17][64];

    serve();
    be_at("D");
    for (int i = 0; i < 16; i++) {
        cr_assert_eq(umad_get_issm_path(NULL, i + 1, path[i], sizeof path[i]), 0, "port %d", i + 1);
        for (int k = 0; k < i; k++)
            cr_expect_neq(strcmp(path[i], path[k]), 0, "each port has its own");
    }
    cr_expect_eq(umad_get_issm_path(NULL, 17, path[16], sizeof path[16]), -EMFILE);
    cr_expect_eq(umad_get_issm_path(NULL, 16, path[16], sizeof path[16]), 0);
    cr_expect_str_eq(path[16], path[15]);
}

struct closer {
    int file, millisecond;
};

static void *close_later(void *ctx)
{
    const struct closer *c = ctx;

    (void)usleep((useconds_t)c->millisecond * 1000);
    (void)close(c->file);
    return NULL;
}

/* A manager that ends while its program waits for a datagram is noticed then. */
Test(umad_datagrams, a_manager_ends_while_it_waits, .init = begin, .fini = end, .timeout = 20)
{
    struct closer c = {.millisecond = 10};
    pthread_t thread;
    char path[64];
    int fd;

    serve();
    fd = opened("A");
    cr_assert_eq(umad_get_issm_path(NULL, 1, path, sizeof path), 0);
    c.file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_assert(c.file >= 0 && umad_poll(fd, 1) == -ETIMEDOUT && is_manager(A, 1));
    cr_assert_eq(pthread_create(&thread, NULL, close_later, &c), 0);
    cr_expect_eq(umad_poll(fd, 40), -ETIMEDOUT);
    cr_expect_not(is_manager(A, 1));
    (void)pthread_join(thread, NULL);
    cr_expect_eq(umad_close_port(fd), 0);
}
