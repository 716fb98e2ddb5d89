/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of an interface: whether the interface stamps all frames with it, as a kernel of the test's own reports
 * (ioctl() is replaced), and its conversion to ours. test/interface.c checks frames that leave. */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "targets/wire_tap.h"

/* ---- whether it stamps ---- */

enum {
    BOTH = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE,
    NONE = HWTSTAMP_FILTER_NONE,
    ALL = HWTSTAMP_FILTER_ALL,
    SOME = HWTSTAMP_FILTER_PTP_V2_EVENT,
};
/* The interface: its capabilities; whether it answers the questions for them and for its setting, and takes a new
 * setting; its filter; the filter that it sets when it is asked for ALL. */
struct stamps {
    uint32_t can, filters;
    bool tells, shows, takes;
    int filter, makes;
};
static struct stamps kernel;
static int asked = -1;

int ioctl(int fd, unsigned long what, ...)
{
    va_list args;

    va_start(args, what);
    struct ifreq *r = va_arg(args, struct ifreq *);
    va_end(args);
    if (fd != asked)
        return (int)syscall(SYS_ioctl, fd, what, r);
    cr_assert_str_eq(r->ifr_name, "fifteen-letters");
    struct ethtool_ts_info *info = (void *)r->ifr_data;
    struct hwtstamp_config *c = (void *)r->ifr_data;
    if (what == SIOCETHTOOL && info->cmd == ETHTOOL_GET_TS_INFO) {
        info->so_timestamping = kernel.can;
        info->rx_filters = kernel.filters;
        return kernel.tells ? 0 : -1;
    }
    if (what == SIOCGHWTSTAMP) {
        c->rx_filter = kernel.filter;
        return kernel.shows ? 0 : -1;
    }
    cr_assert(what == SIOCSHWTSTAMP && c->rx_filter == ALL);
    kernel.filter = c->rx_filter = kernel.makes;
    return kernel.takes ? 0 : -1;
}

Test(wire_tap, whether_it_stamps_all_frames)
{
    static const struct {
        struct stamps is;
        bool stamps;
        int filter; /* afterwards */
    } rows[] = {
        {{BOTH, 1 << NONE | 1 << ALL, true, true, true, NONE, ALL}, true, ALL},
        {{BOTH | SOF_TIMESTAMPING_SOFTWARE, 1 << ALL, true, true, true, NONE, ALL}, true, ALL},
        {{BOTH, 1 << ALL, true, true, true, ALL, SOME}, true, ALL},   /* ALL is not set again */
        {{BOTH, 1 << ALL, true, true, true, SOME, ALL}, false, SOME}, /* a daemon's filter stays */
        {{BOTH, 1 << ALL, true, true, true, NONE, SOME}, false, SOME},
        {{BOTH, 1 << ALL, true, true, false, NONE, ALL}, false, ALL},
        {{BOTH, 1 << ALL, true, false, true, ALL, ALL}, false, ALL},
        {{BOTH, 1 << ALL, false, true, true, ALL, ALL}, false, ALL},
        {{BOTH, 1 << NONE | 1 << SOME, true, true, true, ALL, ALL}, false, ALL},
        {{SOF_TIMESTAMPING_RX_HARDWARE, 1 << ALL, true, true, true, ALL, ALL}, false, ALL},
        {{SOF_TIMESTAMPING_RAW_HARDWARE, 1 << ALL, true, true, true, ALL, ALL}, false, ALL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int is = 0;
        socklen_t n = sizeof is;
        kernel = rows[i].is;
        asked = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        cr_assert_geq(asked, 0);
        cr_expect_eq(wire_stamps(asked, "fifteen-letters"), rows[i].stamps, "row %zu", i);
        cr_expect_eq(kernel.filter, rows[i].filter, "row %zu", i);
        cr_assert_eq(getsockopt(asked, SOL_SOCKET, SO_TIMESTAMPING, &is, &n), 0);
        cr_expect_eq(is, rows[i].stamps ? BOTH : 0, "row %zu", i);
        (void)close(asked);
    }
    kernel = rows[0].is;
    cr_expect_not(wire_stamps(asked, "fifteen-letters"), "the socket is closed");
    asked = -1;
}

/* ---- its clock ---- */

/* The lead, from stamp to report, includes the delay of the report. So a smaller lead counts at once, and a larger one
 * by at most a 5000th of the time that has passed, but a leap of more than 20 ms at once. */
Test(wire_tap, how_far_the_clock_is_ahead)
{
    enum { SECOND = 1000000000 };
    static const struct {
        int64_t seen, lead; /* seen: after the last frame; lead: of this machine's clock */
        int64_t is;
    } rows[] = {
        {5000000, 1000, 1000},     {5000000, 999, 999},    {5000000, 1500, 1500},     {5000000, 1999, 1999},
        {5000000, 2000, 2000},     {5000000, 2001, 2000},  {5000000, 20001000, 2000}, {5000000, 20001001, 20001001},
        {0, 1500, 1000},           {-5000000, 1500, 1000}, {4999, 1500, 1000},        {5000, 1500, 1001},
        {5000000, -70000, -70000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_lead lead = {.known = true, .ns = 1000, .at = SECOND};
        const uint64_t seen = (uint64_t)(SECOND + rows[i].seen), stamp = seen - (uint64_t)rows[i].lead;
        cr_expect_eq(wire_arrival(&lead, stamp, seen), stamp + (uint64_t)rows[i].is, "row %zu", i);
        cr_expect(lead.known && lead.ns == rows[i].is && lead.at == seen, "row %zu", i);
    }
    struct wire_lead lead = {.ns = -9};
    cr_expect_eq(wire_arrival(&lead, 100, 7000), 7000, "the first frame");
    cr_expect(lead.known && lead.ns == 6900 && lead.at == 7000);
}

/* The interface's clock is 80 millionths too fast and has another origin. The kernel reports a frame up to 3 ms late,
 * seldom less than 10 us late. The converted time is never later than the kernel's, and after a while within 150 us of
 * the true time. */
Test(wire_tap, when_it_came)
{
    struct wire_lead lead = {0};
    uint64_t noise = 7;

    for (uint64_t i = 0; i < 5000; i++) {
        const uint64_t truth = 5000000000 + i * 700000, stamp = 77 + truth + truth / 12500;
        noise = noise * UINT64_C(6364136223846793005) + 1;
        const uint64_t told = truth + (noise >> 33) % 3000000, is = wire_arrival(&lead, stamp, told);
        cr_assert_leq(is, told);
        if (i > 2000) {
            cr_assert_lt(is, truth + 150000, "%" PRIu64 ": %" PRId64, i, (int64_t)(is - truth));
            cr_assert_gt(is + 150000, truth);
        }
    }
}

/* Somebody sets one of the clocks forward or back by seconds. */
Test(wire_tap, when_it_came_after_a_leap)
{
    struct wire_lead lead = {0};
    const uint64_t leap[] = {0, 9000000000, 3000000000};
    uint64_t now = 20000000000;

    for (size_t i = 0; i < sizeof leap / sizeof *leap; i++)
        for (unsigned k = 0; k < 10; k++, now += 1000000)
            cr_assert_eq(wire_arrival(&lead, now + leap[i], now), now);
}
