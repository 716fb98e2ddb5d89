/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of a network interface as the kernel gives them: VLAN tags beside the frame, stamps of three clocks, errors.
 * recvmsg() and send() are replaced, so that no interface and no rights are needed. test/interface.c has both. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "targets/wire_adapters.h"
#include "targets/wire_tap.h"
#include "held.h"

enum { FD = 12345, MOST = IBC_WIRE_MOST };
static const uint64_t ms = 1000000;

/* ---- the kernel ---- */

static struct {
    int e[3]; /* results of the next calls: errno; 0: a frame */
    unsigned call;
    size_t n; /* bytes of the frame */
    bool other, tagged, stamped, timed;
    struct tpacket_auxdata aux;
    struct scm_timestamping stamp;
    struct timespec when;
    size_t room;
} kernel;

static void add(struct msghdr *m, size_t *used, int level, int type, const void *data, size_t n)
{
    struct cmsghdr *c = (struct cmsghdr *)(void *)((char *)m->msg_control + *used);

    *c = (struct cmsghdr){.cmsg_level = level, .cmsg_type = type, .cmsg_len = CMSG_LEN(n)};
    memcpy(CMSG_DATA(c), data, n);
    *used += CMSG_SPACE(n);
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    const struct tpacket_auxdata wrong = {.tp_status = TP_STATUS_VLAN_VALID, .tp_vlan_tci = 0xdead};
    const struct scm_timestamping nonsense = {{{1, 2}, {3, 4}, {5, 6}}};
    size_t used = 0;

    if (fd != FD)
        return syscall(SYS_recvmsg, fd, m, flags);
    cr_assert(flags == (MSG_DONTWAIT | MSG_TRUNC) && m->msg_controllen >= 200);
    if (kernel.e[kernel.call] != 0) {
        errno = kernel.e[kernel.call++];
        return -1;
    }
    kernel.room = m->msg_iov->iov_len;
    for (size_t i = 0; i < kernel.n && i < kernel.room; i++)
        ((uint8_t *)m->msg_iov->iov_base)[i] = (uint8_t)(i * 7 + 1);
    if (kernel.other && !kernel.stamped) { /* all control messages together would not fit */
        add(m, &used, SOL_SOCKET, PACKET_AUXDATA, &wrong, sizeof wrong);
        add(m, &used, SOL_PACKET, PACKET_AUXDATA + 1, &wrong, sizeof wrong);
    }
    if (kernel.stamped)
        add(m, &used, SOL_SOCKET, SCM_TIMESTAMPING, &kernel.stamp, sizeof kernel.stamp);
    if (kernel.stamped && kernel.other)
        add(m, &used, SOL_PACKET, SCM_TIMESTAMPING, &nonsense, sizeof nonsense);
    if (kernel.timed)
        add(m, &used, SOL_SOCKET, SCM_TIMESTAMPNS, &kernel.when, sizeof kernel.when);
    if (kernel.timed && kernel.other)
        add(m, &used, SOL_PACKET, SCM_TIMESTAMPNS, &nonsense, sizeof nonsense);
    if (kernel.tagged)
        add(m, &used, SOL_PACKET, PACKET_AUXDATA, &kernel.aux, sizeof kernel.aux);
    m->msg_controllen = used;
    return (ssize_t)kernel.n;
}

ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
    if (fd != FD)
        return syscall(SYS_sendto, fd, bytes, n, flags, NULL, 0);
    cr_assert(flags == (MSG_DONTWAIT | MSG_NOSIGNAL) && n == kernel.n);
    errno = kernel.e[kernel.call++];
    return errno == 0 ? (ssize_t)n : -1;
}

ssize_t sendto(int fd, const void *bytes, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t n_to)
{
    if (fd != FD)
        return syscall(SYS_sendto, fd, bytes, n, flags, to.__sockaddr__, n_to);
    cr_assert_str_eq(to.__sockaddr_un__->sun_path, "peer");
    return send(fd, bytes, n, flags);
}

/* ---- how an interface is opened ---- */

/* The kernel refuses at most one call: the socket, an option of packet sockets, the filter, or to bind the socket. */
enum { NOTHING, SOCKET = 1000, BIND, FILTER };
static struct {
    bool on, unlisted;
    int refused, e;
    unsigned options, bound;
} opening;

static int answer(int what)
{
    errno = opening.e;
    return opening.refused == what ? -1 : 0;
}

int socket(int domain, int type, int protocol)
{
    if (!opening.on || domain != AF_PACKET)
        return (int)syscall(SYS_socket, domain, type, protocol);
    cr_assert(type == (SOCK_RAW | SOCK_CLOEXEC) && protocol == 0);
    return answer(SOCKET) == 0 ? (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t n)
{
    if (opening.on && name == SO_ATTACH_FILTER && opening.refused == FILTER)
        return answer(FILTER);
    if (!opening.on || level != SOL_PACKET)
        return (int)syscall(SYS_setsockopt, fd, level, name, value, n);
    const struct packet_mreq *all = value;
    if (name == PACKET_ADD_MEMBERSHIP)
        cr_assert(all->mr_type == PACKET_MR_PROMISC && all->mr_ifindex == (int)if_nametoindex("lo"));
    else
        cr_assert_eq(*(const int *)value, 1);
    opening.options++;
    return answer(name);
}

int bind(int fd, __CONST_SOCKADDR_ARG a, socklen_t n)
{
    const struct sockaddr_ll *l = (const void *)a.__sockaddr__;

    if (!opening.on || a.__sockaddr__->sa_family != AF_PACKET)
        return (int)syscall(SYS_bind, fd, a.__sockaddr__, n);
    cr_assert(l->sll_protocol == htons(ETH_P_ALL) && l->sll_ifindex == (int)if_nametoindex("lo"));
    opening.bound++;
    return answer(BIND);
}

struct if_nameindex *if_nameindex(void)
{
    struct if_nameindex *(*real)(void);

    *(void **)&real = dlsym(RTLD_NEXT, "if_nameindex");
    return opening.unlisted ? NULL : real();
}

/* ---- cases ---- */

static struct wire_lead lead;
static struct ibc_wire w = {.fd = FD};
static uint8_t frame[MOST + 16];
static size_t len;
static uint64_t at;

static int take(void)
{
    kernel.call = 0;
    memset(frame, 0xee, sizeof frame);
    len = 0;
    return ibc_wire_afpacket.take(&w, frame, MOST, &len, &at);
}

/* Expects a frame of `n` bytes, with these four bytes in its middle, or NULL. */
static void is_frame(size_t n, const char *tag)
{
    size_t k = 0;

    cr_expect_eq(len, n + (tag ? 4 : 0), "%zu", len);
    for (size_t i = 0; i < len; i++)
        if (tag && i >= 12 && i < 16)
            cr_assert_eq(frame[i], (uint8_t)tag[i - 12], "byte %zu: 0x%02x", i, frame[i]);
        else
            cr_assert_eq(frame[i], (uint8_t)(k++ * 7 + 1), "byte %zu", i);
    for (size_t i = len < kernel.room ? len : kernel.room; i < len + 12 && i < sizeof frame; i++)
        cr_assert(i < len || frame[i] == 0xee, "byte %zu after the frame", i - len);
}

Test(wire_packet, tags)
{
    static const struct {
        uint32_t status;
        uint16_t tci, tpid;
        const char *tag;
    } rows[] = {
        {TP_STATUS_VLAN_VALID | TP_STATUS_VLAN_TPID_VALID, 0xe123, 0x88a8, "\x88\xa8\xe1\x23"},
        {TP_STATUS_VLAN_VALID | TP_STATUS_VLAN_TPID_VALID | TP_STATUS_USER, 0, 0x9100, "\x91\x00\x00\x00"},
        {TP_STATUS_VLAN_VALID, 0x0ffe, 0x88a8, "\x81\x00\x0f\xfe"},
        {TP_STATUS_VLAN_TPID_VALID, 0xe123, 0x88a8, NULL},
        {TP_STATUS_USER, 0xe123, 0x88a8, NULL},
    };
    static const size_t lengths[] = {12, 13, 60, 1514, MOST - 4};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            kernel.n = lengths[k];
            kernel.tagged = true;
            kernel.other = i % 2;
            kernel.aux = (struct tpacket_auxdata){
                .tp_status = rows[i].status, .tp_vlan_tci = rows[i].tci, .tp_vlan_tpid = rows[i].tpid};
            cr_assert_eq(take(), 0);
            is_frame(lengths[k], rows[i].tag);
            cr_expect_eq(kernel.room, MOST - 4, "a tag has room");
        }
    kernel.n = 11; /* no frame: it has no addresses */
    kernel.aux.tp_status = TP_STATUS_VLAN_VALID;
    cr_assert_eq(take(), 0);
    is_frame(11, NULL);
    kernel.n = 60;
    kernel.tagged = false;
    kernel.other = true;
    cr_assert_eq(take(), 0);
    is_frame(60, NULL);
    kernel.n = MOST - 3;
    cr_expect_eq(take(), EMSGSIZE);
}

Test(wire_packet, errors_of_a_frame_that_comes)
{
    static const struct {
        int e[3], is;
    } rows[] = {{{ENETDOWN}, EAGAIN}, {{EWOULDBLOCK}, EAGAIN},       {{EIO}, EIO},
                {{EINTR, 0}, 0},      {{ECONNREFUSED, EINTR, 0}, 0}, {{EINTR, ENETDOWN}, EAGAIN}};

    kernel.n = 60;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(kernel.e, rows[i].e, sizeof kernel.e);
        cr_expect_eq(take(), rows[i].is, "row %zu", i);
        cr_expect_eq(len, rows[i].is ? 0 : 60, "row %zu", i);
    }
}

static uint64_t clock_of(clockid_t id)
{
    struct timespec t;

    cr_assert_eq(clock_gettime(id, &t), 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct timespec as_time(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

/* The kernel's stamp is on the realtime clock, the frame's time on the monotonic one. */
Test(wire_packet, stamps_of_the_kernel)
{
    static const uint64_t ages[] = {1, 40, 900, 1500, 61000}; /* ms */

    kernel.n = 60;
    kernel.timed = kernel.other = true;
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
        const uint64_t before = clock_of(CLOCK_MONOTONIC);
        kernel.when = as_time(clock_of(CLOCK_REALTIME) - ages[i] * ms);
        cr_assert_eq(take(), 0);
        const uint64_t took = clock_of(CLOCK_MONOTONIC) - before;
        cr_expect(at + ages[i] * ms + ms + took >= before && at + ages[i] * ms <= before + ms + took, "%lu ms",
                  (unsigned long)ages[i]);
    }
    const uint64_t before = clock_of(CLOCK_MONOTONIC);
    kernel.when = as_time(clock_of(CLOCK_REALTIME) + 5000 * ms); /* the clock was set back */
    cr_assert_eq(take(), 0);
    cr_expect(at >= before && at <= clock_of(CLOCK_MONOTONIC));
    kernel.when = (struct timespec){0}; /* or forward, by longer than this machine runs */
    cr_assert_eq(take(), 0);
    cr_expect(at >= before && at <= clock_of(CLOCK_MONOTONIC));
}

/* Of the three stamps the third is that of the interface. */
Test(wire_packet, stamps_of_an_interface)
{
    const uint64_t now = clock_of(CLOCK_MONOTONIC), stamp = UINT64_C(7000000123);

    kernel.n = 60;
    kernel.stamped = true;
    kernel.stamp.ts[0] = kernel.stamp.ts[1] = as_time(now);
    cr_assert_eq(take(), 0);
    cr_expect_geq(at, now, "there is none of the interface");
    kernel.stamp.ts[2] = as_time(stamp);
    cr_assert_eq(take(), 0);
    cr_expect_geq(at, now, "nobody asked for stamps");
    w.lead = &lead;
    kernel.timed = kernel.other = true;
    kernel.when = as_time(clock_of(CLOCK_REALTIME));
    lead = (struct wire_lead){.known = true, .ns = (int64_t)(now - stamp - 3 * ms), .at = now};
    cr_assert_eq(take(), 0);
    cr_expect(at >= now - 3 * ms && at < now + 10000 * ms);
    cr_expect(lead.at >= now && lead.ns >= (int64_t)(now - stamp - 3 * ms));
    cr_expect_eq(at, stamp + (uint64_t)lead.ns);
    kernel.stamp.ts[2] = (struct timespec){0};
    const struct wire_lead was = lead;
    cr_assert_eq(take(), 0);
    cr_expect(at >= now && memcmp(&lead, &was, sizeof was) == 0);
    kernel.stamp.ts[2] = as_time(stamp);
    kernel.e[0] = EIO;
    cr_expect(take() == EIO && memcmp(&lead, &was, sizeof was) == 0);
    w.lead = NULL;
}

Test(wire_packet, errors_of_a_frame_that_leaves)
{
    static const int rows[][2] = {{0, 0},     {EWOULDBLOCK, EAGAIN}, {ENOBUFS, EAGAIN}, {EINTR, EAGAIN},
                                  {EIO, EIO}, {EMSGSIZE, EMSGSIZE}};
    static const struct ibc_wire_ops *const adapters[] = {&ibc_wire_afpacket, &ibc_wire_dgram, &ibc_wire_inside,
                                                          &ibc_wire_unix};

    kernel.n = 77;
    memcpy(w.peer, "peer", 5);
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            kernel.e[0] = rows[i][0];
            kernel.call = 0;
            cr_expect_eq(adapters[k]->send(&w, frame, 77), rows[i][1], "%s, row %zu", adapters[k]->name, i);
            cr_expect_eq(kernel.call, 1);
        }
}

/* An earlier datagram had no receiver: this one may have. */
Test(wire_packet, a_datagram_after_one_that_was_refused)
{
    static const int rows[][3] = {{ECONNREFUSED, 0, 0},
                                  {ECONNREFUSED, ECONNREFUSED, ECONNREFUSED},
                                  {ECONNREFUSED, ENOBUFS, EAGAIN},
                                  {ECONNREFUSED, EIO, EIO}};

    kernel.n = 77;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(kernel.e, rows[i], 2 * sizeof kernel.e[0]);
        kernel.call = 0;
        cr_expect_eq(ibc_wire_dgram.send(&w, frame, 77), rows[i][2], "row %zu", i);
        cr_expect_eq(kernel.call, 2);
    }
}

/* ---- how an interface is opened ---- */

Test(wire_packet, interfaces_that_cannot_be_opened)
{
    static const struct {
        int refused, e;
        const char *says; /* NULL: it is opened */
    } rows[] = {
        {NOTHING, 0, NULL},
        {SOCKET, EPERM, "wire afpacket:lo: needs root or CAP_NET_RAW (setcap cap_net_raw+ep)"},
        {SOCKET, EMFILE, "wire afpacket:lo: Too many open files"},
        {FILTER, ENOMEM, "wire afpacket:lo: no filter to be had: Cannot allocate memory"},
        {PACKET_IGNORE_OUTGOING, ENOPROTOOPT, "wire afpacket:lo: Protocol not available"},
        {PACKET_AUXDATA, ENOPROTOOPT, "wire afpacket:lo: Protocol not available"},
        {PACKET_ADD_MEMBERSHIP, ENODEV, "wire afpacket:lo: No such device"},
        {BIND, ENETDOWN, "wire afpacket:lo: Network is down"},
    };
    const unsigned before = held_descriptors();
    char err[200];

    opening.on = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opening.refused = rows[i].refused;
        opening.e = rows[i].e;
        opening.options = opening.bound = 0;
        struct ibc_wire *is = ibc_wire_open("afpacket:lo", err, sizeof err);
        cr_expect_eq(is == NULL, rows[i].says != NULL, "row %zu", i);
        if (rows[i].says)
            cr_expect_str_eq(err, rows[i].says, "row %zu: %s", i, err);
        else
            cr_expect(is && strcmp(is->own, "lo") == 0 && is->tap && opening.options == 3 && opening.bound == 2);
        ibc_wire_close(is);
        cr_expect_eq(held_descriptors(), before, "row %zu", i);
    }
    opening.on = false;
    opening.unlisted = true;
    cr_expect_null(ibc_wire_open("afpacket:no-such-one", err, sizeof err));
    cr_expect_str_eq(err, "wire afpacket:no-such-one: no such interface; there are");
    opening.unlisted = false;
}

/* Filters are compiled again and again. */
Test(wire_packet, filters_leave_nothing)
{
    static const uint64_t macs[] = {0x020000000001, 0x020000000002};
    struct ibc_wire udp = {.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    size_t held[HELD_ROUNDS];
    char err[200];

    cr_assert_geq(udp.fd, 0);
    for (unsigned i = 0; i < HELD_ROUNDS; i++) {
        const bool good = ibc_wire_afpacket.hear(&udp, macs, 2);
        (void)ibc_wire_open("afpacket:no-such-one", err, sizeof err);
        held[i] = good ? held_bytes() : i;
    }
    held_the_same(held);
    (void)close(udp.fd);
}
