/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of adapters that are sockets: the clock, large buffers, one datagram with its arrival time, frames
 * that the kernel lost, and the text of a failure. */
#include <errno.h>
#include <linux/sock_diag.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "wire_adapters.h"

enum { BUFFER = 16 << 20 }; /* bytes in each direction; without privileges the kernel gives less */

uint64_t ibc_wire_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void wire_explain(struct ibc_wire *w, const char *format, ...)
{
    int n = snprintf(w->fault, sizeof w->fault, "wire %.90s: ", w->spec);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(w->fault + n, sizeof w->fault - (size_t)n, format, args);
    va_end(args);
}

void wire_prepare(int fd)
{
    const int bytes = BUFFER, on = 1;

    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    (void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

uint64_t wire_kernel_lost(int fd)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t n = sizeof info;

    return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &n) == 0 ? info[SK_MEMINFO_DROPS] : 0;
}

/* Converts an arrival time to the monotonic clock: the kernel reports it on the realtime clock. */
static uint64_t arrival(const struct timespec *when)
{
    const uint64_t now = ibc_wire_clock();
    struct timespec real;
    int64_t age;

    clock_gettime(CLOCK_REALTIME, &real);
    age = (int64_t)(real.tv_sec - when->tv_sec) * 1000000000 + (real.tv_nsec - when->tv_nsec);
    return age > 0 && (uint64_t)age < now ? now - (uint64_t)age : now;
}

int wire_take(int fd, struct msghdr *m, size_t room, size_t *len, uint64_t *at)
{
    ssize_t n;

    do
        n = recvmsg(fd, m, MSG_DONTWAIT | MSG_TRUNC);
    while (n < 0 && (errno == EINTR || errno == ECONNREFUSED)); /* REFUSED: an earlier datagram had no receiver */
    if (n < 0)
        return errno == EWOULDBLOCK ? EAGAIN : errno;
    if ((size_t)n > room)
        return EMSGSIZE;
    *len = (size_t)n;
    *at = ibc_wire_clock();
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec when;
            memcpy(&when, CMSG_DATA(c), sizeof when);
            *at = arrival(&when);
        }
    return 0;
}
