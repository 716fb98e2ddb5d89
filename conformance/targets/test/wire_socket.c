/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of sockets, on a kernel that the test replaces: arrival times, errors, lost frames, buffers. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../wire_adapters.h"

enum { FD = 77, ROOM = 100 };

static struct {
    bool clock; /* the two clocks are those of the test, and not those of its framework */
    struct timespec monotonic, real;
    /* what the kernel's calls return, in order: bytes, or an error below 0 */
    int returns[4];
    unsigned calls;
    struct {
        int level, type;
        struct timespec stamp;
    } control[2];
    unsigned n_control;
    int flags;
    bool no_force, no_info;
    socklen_t info_bytes;
    char options[400]; /* that were set */
} kernel;

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!kernel.clock)
        return (int)syscall(SYS_clock_gettime, id, t);
    *t = id == CLOCK_MONOTONIC ? kernel.monotonic : kernel.real;
    return 0;
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    if (fd != FD)
        return syscall(SYS_recvmsg, fd, m, flags);
    const int is = kernel.calls < 4 ? kernel.returns[kernel.calls] : -EIO;
    kernel.calls++;
    kernel.flags = flags;
    if (is < 0) {
        errno = -is;
        return -1;
    }
    uint8_t *at = m->msg_control;
    for (unsigned i = 0; i < kernel.n_control; i++) {
        struct cmsghdr *const h = (void *)at;
        h->cmsg_level = kernel.control[i].level;
        h->cmsg_type = kernel.control[i].type;
        h->cmsg_len = CMSG_LEN(sizeof kernel.control[i].stamp);
        memcpy(CMSG_DATA(h), &kernel.control[i].stamp, sizeof kernel.control[i].stamp);
        at += CMSG_SPACE(sizeof kernel.control[i].stamp);
    }
    m->msg_controllen = (size_t)(at - (uint8_t *)m->msg_control);
    return is;
}

int getsockopt(int fd, int level, int name, void *restrict value, socklen_t *restrict n)
{
    if (fd != FD)
        return (int)syscall(SYS_getsockopt, fd, level, name, value, n);
    kernel.info_bytes = level == SOL_SOCKET && name == SO_MEMINFO ? *n : 0;
    for (unsigned i = 0; i < *n / sizeof(uint32_t); i++)
        memcpy((uint8_t *)value + i * sizeof(uint32_t), &(uint32_t){1000 + i}, sizeof(uint32_t));
    return kernel.no_info ? -1 : 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t n)
{
    const size_t used = strlen(kernel.options);
    int is = 0;

    if (fd != FD)
        return (int)syscall(SYS_setsockopt, fd, level, name, value, n);
    memcpy(&is, value, n < sizeof is ? n : sizeof is);
    (void)snprintf(kernel.options + used, sizeof kernel.options - used, "%s=%d ",
                   level != SOL_SOCKET      ? "other"
                   : name == SO_RCVBUFFORCE ? "rcvforce"
                   : name == SO_RCVBUF      ? "rcv"
                   : name == SO_SNDBUFFORCE ? "sndforce"
                   : name == SO_SNDBUF      ? "snd"
                   : name == SO_TIMESTAMPNS ? "stamp"
                                            : "other",
                   is);
    return kernel.no_force && (name == SO_RCVBUFFORCE || name == SO_SNDBUFFORCE) ? -1 : 0;
}

static int take(size_t *len, uint64_t *at)
{
    uint8_t bytes[ROOM], control[256] = {0};
    struct iovec v = {bytes, sizeof bytes};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int e;

    kernel.calls = 0;
    kernel.clock = true;
    e = wire_take(FD, &m, ROOM, len, at);
    kernel.clock = false;
    return e;
}

/* A call that a signal interrupted, or that reports an earlier datagram, is repeated; "nothing there" has one name. */
Test(wire_socket, results)
{
    static const struct {
        int returns[4];
        unsigned calls;
        int error;
        size_t len;
    } rows[] = {
        {{60}, 1, 0, 60},
        {{0}, 1, 0, 0},
        {{ROOM}, 1, 0, ROOM},
        {{ROOM + 1}, 1, EMSGSIZE, 1},
        {{-EAGAIN}, 1, EAGAIN, 1},
        {{-EINTR, 60}, 2, 0, 60},
        {{-ECONNREFUSED, -EINTR, -ECONNREFUSED, 60}, 4, 0, 60},
        {{-EINTR, -EAGAIN}, 2, EAGAIN, 1},
        {{-ENETDOWN}, 1, ENETDOWN, 1},
        {{-EBADF}, 1, EBADF, 1},
    };

    kernel.monotonic = (struct timespec){50, 7};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = 1;
        uint64_t at = 2;
        memcpy(kernel.returns, rows[i].returns, sizeof kernel.returns);
        cr_expect_eq(take(&len, &at), rows[i].error, "row %zu", i);
        cr_expect(kernel.calls == rows[i].calls && len == rows[i].len, "row %zu: %u calls", i, kernel.calls);
        cr_expect_eq(at, rows[i].error ? 2 : UINT64_C(50000000007), "row %zu", i);
        cr_expect_eq(kernel.flags, MSG_DONTWAIT | MSG_TRUNC);
    }
}

/* The kernel stamps by the clock of the day; here it is 1000.5 s, and 50 s by the clock that only goes on. A stamp from
 * the future, or from before the machine began, is none. */
Test(wire_socket, arrivals)
{
    static const struct {
        struct timespec stamp;
        uint64_t at;
    } rows[] = {
        {{1000, 500000000}, UINT64_C(50000000000)},
        {{1000, 499999999}, UINT64_C(49999999999)},
        {{999, 900000000}, UINT64_C(49400000000)},
        {{990, 0}, UINT64_C(39500000000)},
        {{1000, 500000001}, UINT64_C(50000000000)},
        {{1001, 0}, UINT64_C(50000000000)},
        {{950, 500000001}, UINT64_C(1)},
        {{950, 500000000}, UINT64_C(50000000000)},
        {{900, 0}, UINT64_C(50000000000)},
    };
    size_t len;
    uint64_t at;

    kernel.monotonic = (struct timespec){50, 0};
    kernel.real = (struct timespec){1000, 500000000};
    memset(kernel.returns, 0, sizeof kernel.returns);
    kernel.n_control = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < 2; k++) {
            kernel.control[k].level = SOL_SOCKET;
            kernel.control[k].type = SCM_TIMESTAMPNS;
            kernel.control[k].stamp = rows[i].stamp;
            kernel.control[!k].level = i % 2 ? SOL_SOCKET : SOL_PACKET; /* another message beside it */
            kernel.control[!k].type = i % 2 ? SCM_RIGHTS : SCM_TIMESTAMPNS;
            kernel.control[!k].stamp = (struct timespec){970, 0};
            cr_expect_eq(take(&len, &at), 0);
            cr_expect_eq(at, rows[i].at, "row %zu: %llu", i, (unsigned long long)at);
        }
}

Test(wire_socket, lost_frames)
{
    cr_expect_eq(wire_kernel_lost(FD), 1000 + SK_MEMINFO_DROPS);
    cr_expect_eq(kernel.info_bytes, SK_MEMINFO_VARS * sizeof(uint32_t));
    kernel.no_info = true;
    cr_expect_eq(wire_kernel_lost(FD), 0);
}

/* Buffers are as large as they may be: with privileges beyond the system's limit. */
Test(wire_socket, buffers)
{
    wire_prepare(FD);
    cr_expect_str_eq(kernel.options, "rcvforce=16777216 sndforce=16777216 stamp=1 ", "%s", kernel.options);
    kernel.options[0] = '\0';
    kernel.no_force = true;
    wire_prepare(FD);
    cr_expect_str_eq(kernel.options, "rcvforce=16777216 rcv=16777216 sndforce=16777216 snd=16777216 stamp=1 ", "%s",
                     kernel.options);
}

/* The name of a wire is cut, so that the reason after it is there. */
Test(wire_socket, sentences)
{
    static struct ibc_wire w;
    char want[sizeof w.fault];

    (void)snprintf(w.spec, sizeof w.spec, "unix:a,b");
    wire_explain(&w, "takes no frame of %u bytes", 7);
    cr_expect_str_eq(w.fault, "wire unix:a,b: takes no frame of 7 bytes", "%s", w.fault);
    memset(w.spec, 'x', sizeof w.spec - 1);
    wire_explain(&w, "%s", "Network is down");
    (void)snprintf(want, sizeof want, "wire %.90s: Network is down", w.spec);
    cr_expect_str_eq(w.fault, want, "%s", w.fault);
    wire_explain(&w, "%s%s", w.spec, w.spec);
    cr_expect_eq(strlen(w.fault), sizeof w.fault - 1);
}
