/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool says(const char *line, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(line, texts[i]) != NULL)
            return true;
    return false;
}

Test(live, an_interface_that_is_not_there)
{
    static const char *const texts[] = {"no-such-if0: no such interface; dumpcap -D lists them",
                                        "no-such-if0: capturing needs CAP_NET_RAW"};
    char err[512];
    cr_assert_null(cap_open_live("no-such-if0", NULL, err, sizeof err));
    cr_assert(says(err, texts, 2), "%s", err);
}

/* Opens the loopback interface. Returns NULL, with a message, if the test lacks the privilege. */
static struct capture *loopback(const char *bpf)
{
    static const char *const texts[] = {"lo: capturing needs CAP_NET_RAW", "lo: promiscuous mode needs CAP_NET_ADMIN",
                                        "lo: no such interface", "lo: the interface is down; ip link set IFACE up"};
    char err[512];
    struct capture *c = cap_open_live("lo", bpf, err, sizeof err);
    cr_assert(c != NULL || says(err, texts, 4), "%s", err);
    return c;
}

static void send_datagram(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    cr_assert_eq(sendto(s, "hello", 5, 0, (struct sockaddr *)&to, sizeof to), 5);
    close(s);
}

Test(live, a_filter_chooses_the_packets)
{
    struct cap_packet p;
    uint64_t done, total;
    struct capture *c = loopback("udp dst port 4791");
    if (c == NULL)
        return;
    send_datagram(4790);
    send_datagram(4791);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(cap_is_live(c) && p.number == 1 && p.dlt == 1 && p.caplen == 14 + 20 + 8 + 5 && p.has_ts);
    cr_assert_eq(memcmp(p.data + 42, "hello", 5), 0);
    cr_assert_gt(p.ts_ns, UINT64_C(1500000000000000000));
    cap_progress(c, &done, &total);
    cr_assert_eq(total, 0);
    cr_assert_eq(cap_dropped(c), 0);
    cap_close(c);
}

Test(live, stop_ends_the_capture)
{
    struct cap_packet p;
    struct capture *c = loopback("udp dst port 4792");
    if (c == NULL)
        return;
    cap_stop(c);
    cr_assert_eq(cap_next(c, &p), CAP_END);
    cr_assert_eq(cap_next(c, &p), CAP_END);
    cr_assert_str_eq(cap_error(c), "");
    cap_close(c);
}

Test(live, a_filter_that_does_not_parse)
{
    char err[512];
    struct capture *c = loopback(NULL);
    if (c == NULL)
        return;
    cap_close(c);
    cr_assert_null(cap_open_live("lo", "udp port port", err, sizeof err));
    cr_assert_not_null(strstr(err, "lo: capture filter \"udp port port\": "), "%s", err);
}

/* A capture that tells when nothing came goes on, and numbers all packets. */
Test(live, quiet_times)
{
    enum { PACKETS = 3, TURNS = 100 };
    struct cap_packet p;
    struct capture *c = loopback("udp dst port 4793");
    if (c == NULL)
        return;
    cap_tell_quiet(c);
    cr_assert_eq(cap_next(c, &p), CAP_QUIET);
    for (unsigned i = 1; i <= PACKETS; i++) {
        enum cap_result got = CAP_QUIET;
        send_datagram(4793);
        for (unsigned turn = 0; got == CAP_QUIET && turn < TURNS; turn++)
            got = cap_next(c, &p);
        cr_assert_eq(got, CAP_PACKET);
        cr_expect(p.number == i && p.len == p.caplen && p.dlt == 1);
        cr_expect_str_eq(p.iface_name, "lo");
    }
    cr_expect_eq(cap_next(c, &p), CAP_QUIET);
    cr_expect(!cap_can_ahead(c) && !cap_in_pieces(c));
    cap_close(c);
}

Test(live, without_the_right)
{
    char err[512];
    if (geteuid() != 0 || seteuid(65534) != 0)
        return;
    cr_expect_null(cap_open_live("lo", NULL, err, sizeof err));
    cr_expect_str_eq(err, "lo: capturing needs CAP_NET_RAW (run as root, or setcap cap_net_raw+ep on the program)",
                     "%s", err);
    cr_assert_eq(seteuid(0), 0);
    (void)prctl(PR_SET_DUMPABLE, 1); /* the sanitizer looks for leaks from outside */
}

/* In a network namespace of its own, where that is allowed. */
Test(live, an_interface_that_is_down)
{
    char err[512];
    if (unshare(CLONE_NEWNET) != 0)
        return;
    cr_expect_null(cap_open_live("lo", NULL, err, sizeof err));
    cr_expect_str_eq(err, "lo: the interface is down; ip link set IFACE up", "%s", err);
}

/* An interface without link headers, in a network namespace of its own, where that is allowed: LINKTYPE_RAW is 101. */
Test(live, packets_without_a_link_header)
{
    static const uint8_t ip[28] = {0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2};
    struct ifreq r = {.ifr_name = "tun0", .ifr_flags = IFF_TUN | IFF_NO_PI};
    char err[512];
    struct cap_packet p;
    const int fd = unshare(CLONE_NEWNET) == 0 ? open("/dev/net/tun", O_RDWR | O_CLOEXEC) : -1;
    const int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || s < 0 || ioctl(fd, TUNSETIFF, &r) != 0)
        return;
    r.ifr_flags = IFF_UP;
    cr_assert_eq(ioctl(s, SIOCSIFFLAGS, &r), 0);
    struct capture *c = cap_open_live("tun0", "udp", err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    cr_assert_eq(write(fd, ip, sizeof ip), (ssize_t)sizeof ip);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_expect(p.dlt == 101 && p.caplen == sizeof ip && p.len == sizeof ip && p.number == 1);
    cr_expect_arr_eq(p.data, ip, sizeof ip);
    cap_close(c);
    (void)close(fd);
    (void)close(s);
}
