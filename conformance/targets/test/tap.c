/* SPDX-License-Identifier: BSD-2-Clause */
#include "tap.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void tap_set(unsigned long what, void *r)
{
    const int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    memcpy(((struct ifreq *)r)->ifr_name, "tap0", sizeof "tap0");
    cr_assert(s >= 0 && ioctl(s, what, r) == 0, "%s", strerror(errno));
    (void)close(s);
}

void tap_up(bool up)
{
    struct ifreq r = {.ifr_flags = (short)(up ? IFF_UP | IFF_BROADCAST | IFF_MULTICAST : 0)};

    tap_set(SIOCSIFFLAGS, &r);
}

/* Without IPv6 of its own the kernel sends nothing by the interface that the test does not expect. */
static void silence_kernel(void)
{
    const int f = open("/proc/sys/net/ipv6/conf/default/disable_ipv6", O_WRONLY | O_CLOEXEC);

    if (f < 0)
        return;
    cr_assert_eq(write(f, "1", 1), 1);
    (void)close(f);
}

int tap_begin(void)
{
    struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    static const char mac[] = "\x02\x00\x00\x00\x0a\x01";
    int fd;

    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return -1;
    silence_kernel();
    fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    memcpy(r.ifr_name, "tap0", sizeof "tap0");
    if (fd < 0 || ioctl(fd, TUNSETIFF, &r) != 0) {
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    r = (struct ifreq){0};
    r.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    memcpy(r.ifr_hwaddr.sa_data, mac, 6);
    tap_set(SIOCSIFHWADDR, &r);
    tap_up(true);
    return fd;
}

struct ibc_wire *tap_wire(void)
{
    char err[512] = "";
    struct ibc_wire *w = ibc_wire_open("afpacket:tap0", err, sizeof err);

    cr_assert(w, "%s", err);
    return w;
}

void tap_arrives(int fd, const uint8_t *frame, size_t len)
{
    cr_assert_eq(write(fd, frame, len), (ssize_t)len, "%s", strerror(errno));
}

size_t tap_left(int fd, uint8_t frame[TAP_MOST])
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    ssize_t n;

    if (poll(&p, 1, 200) <= 0)
        return 0;
    n = read(fd, frame, TAP_MOST);
    cr_assert_gt(n, 0);
    return (size_t)n;
}
