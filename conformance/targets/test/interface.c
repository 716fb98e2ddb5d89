/* SPDX-License-Identifier: BSD-2-Clause */
/* The wire that is a network interface, in a network namespace of the test's own: frames, tags, filters, properties,
 * frames that do not leave. Without the right to make a namespace each case passes without a look. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "../wire_adapters.h"
#include "../wire_tap.h"
#include "tap.h"

static const uint64_t ms = 1000000;
static int tap;

/* ---- frames ---- */

static uint8_t frame[TAP_MOST], got[TAP_MOST];

/* Builds a frame of RoCEv1 with other bytes in each place. */
static void roce(size_t len)
{
    for (size_t i = 0; i < len; i++)
        frame[i] = (uint8_t)(i * 7 + 1);
    memcpy(frame, "\x02\x00\x00\x00\x0a\x01\x02\x00\x00\x00\x0a\x02\x89\x15", 14);
}

static size_t receives(struct ibc_wire *w, uint64_t timeout)
{
    size_t len = 1;
    uint64_t at = 0;
    const enum ibc_wire_got is = ibc_wire_receive(w, got, &len, &at, timeout);

    cr_assert_neq(is, IBC_WIRE_GONE, "%s", w->fault);
    cr_assert_eq(is == IBC_WIRE_FRAME, len > 0);
    if (len)
        cr_assert(at <= ibc_wire_clock() && at + 30000 * ms > ibc_wire_clock());
    return len;
}

Test(interface, frames_leave_and_arrive)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();
    static const size_t lengths[] = {60, 61, 1000, 1514};

    cr_assert_str_eq(w->own, "tap0");
    cr_assert_null(w->lead, "it has no clock");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        roce(lengths[i]);
        cr_assert(ibc_wire_send(w, frame, lengths[i]), "%s", w->fault);
        cr_assert_eq(tap_left(tap, got), lengths[i]);
        cr_assert_arr_eq(got, frame, lengths[i]);
        tap_arrives(tap, frame, lengths[i]);
        cr_assert_eq(receives(w, 10000 * ms), lengths[i]);
        cr_assert_arr_eq(got, frame, lengths[i]);
    }
    cr_assert_eq(receives(w, 0), 0, "frames that leave do not arrive");
    cr_assert_eq(ibc_wire_lost(w), 0);
    cr_assert(w->sent == 4 && w->came == 4);
    roce(1600);
    cr_assert_not(ibc_wire_send(w, frame, 1600));
    cr_assert_str_eq(w->fault, "wire afpacket:tap0: takes no frame of 1600 bytes");
    cr_assert(ibc_wire_privileged(w->spec));
    ibc_wire_close(w);
}

/* The kernel takes a VLAN tag out of a frame that arrives, and the wire puts it back. */
Test(interface, tags_stay)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();
    static const char *const tags[] = {"\x81\x00\x20\x07", "\x81\x00\xef\xfe", "\x81\x00\x60\x00", "\x88\xa8\x51\x23"};

    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        for (size_t len = 60; len <= 1500; len += 720) {
            roce(len);
            memmove(frame + 16, frame + 12, len - 12);
            memcpy(frame + 12, tags[i], 4);
            tap_arrives(tap, frame, len + 4);
            memset(got, 0xee, sizeof got);
            cr_assert_eq(receives(w, 10000 * ms), len + 4, "%zu", i);
            cr_assert_arr_eq(got, frame, len + 4);
            for (size_t k = 0; k < 20; k++)
                cr_expect_eq(got[len + 4 + k], 0xee, "byte %zu after the frame is not touched", k);
        }
    ibc_wire_close(w);
}

/* ---- what is heard ---- */

static size_t udp(bool ipv6, uint16_t port)
{
    memset(frame, 0, 100);
    memcpy(frame, "\x02\x00\x00\x00\x0a\x01\x02\x00\x00\x00\x0a\x02", 12);
    if (ipv6)
        memcpy(frame + 12, "\x86\xdd\x60\x00\x00\x00\x00\x20\x11\x40", 10);
    else
        memcpy(frame + 12, "\x08\x00\x45\x00\x00\x30\x00\x00\x40\x00\x40\x11", 12);
    const size_t at = ipv6 ? 54 : 34;
    frame[at + 2] = (uint8_t)(port >> 8);
    frame[at + 3] = (uint8_t)port;
    frame[at + 5] = 32;
    return 96;
}

static size_t icmpv6(uint8_t type)
{
    (void)udp(true, 0);
    frame[20] = 58;
    frame[54] = type;
    return 96;
}

static size_t of_type(uint8_t high, uint8_t low)
{
    roce(60);
    frame[12] = high;
    frame[13] = low;
    return 60;
}

static bool heard(struct ibc_wire *w, size_t len)
{
    tap_arrives(tap, frame, len);
    return receives(w, 20 * ms) == len;
}

Test(interface, what_is_heard)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();

    cr_expect(heard(w, of_type(0x89, 0x15)));
    cr_expect(heard(w, of_type(0x08, 0x06)));
    cr_expect_not(heard(w, of_type(0x89, 0x14)));
    cr_expect_not(heard(w, of_type(0x88, 0xcc)));
    cr_expect(heard(w, udp(false, 4791)));
    cr_expect(heard(w, udp(true, 4791)));
    cr_expect_not(heard(w, udp(false, 4790)));
    cr_expect_not(heard(w, udp(true, 4790)));
    cr_expect(heard(w, icmpv6(135)));
    cr_expect(heard(w, icmpv6(136)));
    cr_expect_not(heard(w, icmpv6(134)));
    cr_expect_not(heard(w, icmpv6(137)));
    ibc_wire_close(w);
}

Test(interface, whose_frames_are_heard)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();
    static const uint64_t macs[] = {0x1a2b3c4d5e6f, 0x0211223344fe, 0xfefffdfbf7ef};
    static const struct {
        const char *to, *from;
        bool is;
    } rows[] = {
        {"\x1a\x2b\x3c\x4d\x5e\x6f", "\x02\x99\x99\x99\x99\x99", true},
        {"\x02\x99\x99\x99\x99\x99", "\x1a\x2b\x3c\x4d\x5e\x6f", true},
        {"\x02\x11\x22\x33\x44\xfe", "\x02\x99\x99\x99\x99\x99", true},
        {"\x02\x99\x99\x99\x99\x99", "\x02\x11\x22\x33\x44\xfe", true},
        {"\x02\x99\x99\x99\x99\x98", "\x02\x99\x99\x99\x99\x99", false},
        {"\x02\x11\x22\x33\x44\xff", "\x1a\x2b\x3c\x4d\x5e\x6e", false},
        {"\x1a\x2b\x3c\x4d\x5f\x6f", "\x1a\x2b\x3c\x4c\x5e\x6f", false},
        {"\x1a\x2b\x3d\x4d\x5e\x6f", "\x1a\x2a\x3c\x4d\x5e\x6f", false},
        {"\x1e\x2b\x3c\x4d\x5e\x6f", "\x02\x99\x99\x99\x99\x99", false},
        {"\xfe\xff\xfd\xfb\xf7\xef", "\x02\x99\x99\x99\x99\x99", true},
        {"\xff\xff\xff\xff\xff\xff", "\x02\x99\x99\x99\x99\x99", true},
        {"\x33\x33\x00\x00\x00\x01", "\x02\x99\x99\x99\x99\x99", true},
    };
    cr_assert(ibc_wire_hear(w, macs, 3), "%s", w->fault);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roce(60);
        memcpy(frame, rows[i].to, 6);
        memcpy(frame + 6, rows[i].from, 6);
        cr_expect_eq(heard(w, 60), rows[i].is, "%zu", i);
        frame[13] = 0x14; /* another type is not heard from anybody */
        cr_expect_not(heard(w, 60), "%zu", i);
    }
    uint64_t many[100];
    for (unsigned i = 0; i < 100; i++)
        many[i] = 0x020000000000 + i;
    cr_expect(ibc_wire_hear(w, many, 60), "%s", w->fault);
    cr_expect_not(ibc_wire_hear(w, many, 100), "the filter's text is bounded");
    cr_expect(strncmp(w->fault, "wire afpacket:tap0: no filter to be had: ", 41) == 0, "%s", w->fault);
    ibc_wire_close(w);
}

/* An interface that goes down may come back. */
Test(interface, down_and_up)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();
    struct ibc_wire_port p;

    tap_up(false);
    cr_assert_eq(receives(w, 20 * ms), 0);
    roce(60);
    cr_assert_not(ibc_wire_send(w, frame, 60));
    cr_assert_str_eq(w->fault, "wire afpacket:tap0: Network is down");
    cr_assert_not(w->nobody);
    cr_assert(ibc_wire_port(w, &p) && !p.up);
    tap_up(true);
    cr_assert(ibc_wire_send(w, frame, 60), "%s", w->fault);
    cr_assert_eq(tap_left(tap, got), 60);
    tap_arrives(tap, frame, 60);
    cr_assert_eq(receives(w, 10000 * ms), 60);
    ibc_wire_close(w);
}

/* ---- properties ---- */

/* Returns the number of the setting; UINT32_MAX: the kernel has no such setting. */
static unsigned feature(const char *name)
{
    enum { MOST = 256 };
    struct ethtool_gstrings *all = calloc(1, sizeof *all + MOST * ETH_GSTRING_LEN);
    struct ifreq r = {.ifr_data = (char *)all};
    unsigned found = UINT32_MAX;

    cr_assert_not_null(all);
    *all = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES};
    tap_set(SIOCETHTOOL, &r);
    for (unsigned i = 0; i < all->len && i < MOST; i++)
        if (strcmp((const char *)all->data + (size_t)i * ETH_GSTRING_LEN, name) == 0)
            found = i;
    free(all);
    return found;
}

/* Returns whether the kernel has the setting, and turned it on. */
static bool turn_on(const char *name)
{
    enum { BLOCKS = 8 };
    struct ethtool_sfeatures *set = calloc(1, sizeof *set + BLOCKS * sizeof set->features[0]);
    const unsigned i = feature(name);
    struct ifreq r = {.ifr_name = "tap0", .ifr_data = (char *)set};
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    bool good = false;

    cr_assert(set && s >= 0);
    for (unsigned n = i / 32 + 1; n <= BLOCKS && !good && i != UINT32_MAX; n++) { /* the kernel wants its own number */
        *set = (struct ethtool_sfeatures){.cmd = ETHTOOL_SFEATURES, .size = n};
        set->features[i / 32] = (struct ethtool_set_features_block){1u << i % 32, 1u << i % 32};
        good = ioctl(s, SIOCETHTOOL, &r) >= 0;
    }
    (void)close(s);
    free(set);
    return good;
}

Test(interface, its_properties)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();
    struct ibc_wire_port p;
    struct ifreq r = {.ifr_mtu = 4200};

    cr_assert(ibc_wire_port(w, &p));
    cr_expect_str_eq(p.name, "tap0");
    cr_expect_eq(p.mac, 0x020000000a01);
    cr_expect_eq(p.mtu, 1500);
    cr_expect(p.up && p.link);
    cr_expect_str_eq(p.joins, "");
    cr_expect_str_eq(p.rdma, "");
    tap_set(SIOCSIFMTU, &r);
    cr_assert(ibc_wire_port(w, &p) && p.mtu == 4200);
    if (turn_on("rx-gro-list")) {
        cr_assert(ibc_wire_port(w, &p));
        cr_expect_str_eq(p.joins, "rx-gro-list");
        cr_assert(turn_on("rx-udp-gro-forwarding") && ibc_wire_port(w, &p));
        cr_expect_str_eq(p.joins, "rx-gro-list rx-udp-gro-forwarding");
        cr_expect(turn_on("tx-nocache-copy") && ibc_wire_port(w, &p));
        cr_expect_str_eq(p.joins, "rx-gro-list rx-udp-gro-forwarding", "other settings join nothing");
    }
    (void)close(tap); /* the interface is gone */
    cr_assert(ibc_wire_port(w, &p));
    cr_expect(p.mtu == 0 && p.mac == 0 && p.joins[0] == '\0');
    cr_expect_str_eq(p.name, "tap0");
    ibc_wire_close(w);
}

Test(interface, names_of_interfaces)
{
    char err[512];

    if ((tap = tap_begin()) < 0)
        return;
    cr_assert_null(ibc_wire_open("afpacket:tap1", err, sizeof err));
    cr_expect_str_eq(err, "wire afpacket:tap1: no such interface; there are lo tap0");
    cr_expect(ibc_wire_leaves("afpacket:tap0", NULL));
}

/* ---- frames that left ---- */

Test(interface, frames_that_do_not_leave)
{
    enum { MOST_OUT = 1024 };

    if ((tap = tap_begin()) < 0)
        return;
    struct wire_tap *t = wire_tap_open(if_nametoindex("tap0"));
    struct ibc_wire *w = tap_wire();
    uint64_t begun;

    cr_assert(t);
    cr_assert_eq(wire_tap_unseen(t), 0);
    roce(60);
    cr_assert(ibc_wire_send(w, frame, 60));
    wire_tap_sent(t, frame, 60);
    begun = ibc_wire_clock();
    cr_expect_eq(wire_tap_unseen(t), 0);
    wire_tap_sent(t, frame, 60); /* the frame was seen once */
    begun = ibc_wire_clock();
    cr_expect_eq(wire_tap_unseen(t), 1);
    cr_expect_geq(ibc_wire_clock() - begun, 90 * ms);
    cr_expect_eq(wire_tap_unseen(t), 1, "it is counted once");
    frame[59] ^= 1;
    cr_assert(ibc_wire_send(w, frame, 60));
    frame[59] ^= 1;
    wire_tap_sent(t, frame, 60); /* another frame left */
    cr_expect_eq(wire_tap_unseen(t), 2);
    cr_assert(ibc_wire_send(w, frame, 61));
    wire_tap_sent(t, frame, 60);
    cr_expect_eq(wire_tap_unseen(t), 3, "a frame of another length left");
    for (unsigned i = 0; i < MOST_OUT + 2; i++) { /* the table is full: the oldest are given up */
        frame[20] = (uint8_t)i;
        frame[21] = (uint8_t)(i >> 8);
        wire_tap_sent(t, frame, 60);
    }
    cr_expect_eq(wire_tap_unseen(t), 3 + MOST_OUT + 2);
    wire_tap_close(t);
    ibc_wire_close(w);
}

/* A descriptor may have the number 0. */
Test(interface, descriptor_zero)
{
    if ((tap = tap_begin()) < 0)
        return;
    const int like = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    int sizes[2] = {0, 1};
    socklen_t n = sizeof sizes[0];

    wire_prepare(like);
    (void)close(STDIN_FILENO);
    struct wire_tap *t = wire_tap_open(if_nametoindex("tap0"));
    cr_assert_not_null(t);
    cr_assert(getsockopt(0, SOL_SOCKET, SO_RCVBUF, &sizes[0], &n) == 0 &&
              getsockopt(like, SOL_SOCKET, SO_RCVBUF, &sizes[1], &n) == 0);
    cr_expect_eq(sizes[0], sizes[1], "its buffer is large");
    wire_tap_close(t);
    cr_expect_lt(fcntl(0, F_GETFD), 0, "it is closed");
    (void)close(like);
}

/* Several frames leave in another order than they were reported. */
Test(interface, frames_that_leave_late)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct wire_tap *t = wire_tap_open(if_nametoindex("tap0"));
    struct ibc_wire *w = tap_wire();

    cr_assert(t);
    for (unsigned i = 0; i < 20; i++) {
        roce(60 + i);
        wire_tap_sent(t, frame, 60 + i);
    }
    for (unsigned i = 20; i-- > 0;) {
        roce(60 + i);
        cr_assert(ibc_wire_send(w, frame, 60 + i));
    }
    cr_expect_eq(wire_tap_unseen(t), 0);
    roce(60);
    wire_tap_sent(t, frame, 60);
    (void)usleep(150000);
    cr_assert(ibc_wire_send(w, frame, 60));
    cr_expect_eq(wire_tap_unseen(t), 1, "it left, but too late");
    wire_tap_close(t);
    ibc_wire_close(w);
}
