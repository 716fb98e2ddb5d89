/* SPDX-License-Identifier: BSD-2-Clause */
/* Which addresses an agent may use, and the ARP and neighbour packets that ask whether an address is free. */
#include "../live_parties.h"
#include "../wire_neighbour.h"
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "held.h"

/* ---- tables of the kernel ---- */

enum { TABLES = 3 };
static const char *const paths[TABLES] = {"/proc/net/route", "/proc/net/ipv6_route", "/proc/net/arp"};
static const char *tables[TABLES]; /* what stands in each; NULL: there is none */
static bool replaced;

static void add(int fd, const char *text)
{
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

int open(const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    const int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    for (unsigned i = 0; replaced && i < TABLES; i++) {
        if (strcmp(path, paths[i]) != 0)
            continue;
        cr_assert_eq(flags, O_RDONLY | O_CLOEXEC);
        const int fd = tables[i] ? memfd_create("table", MFD_CLOEXEC) : -1;
        for (unsigned k = 0; fd >= 0 && k < 3000; k++)
            add(fd, "a line of a long table: none of its words names a gateway\n");
        if (fd >= 0)
            add(fd, tables[i]);
        return fd;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static const char *has(enum live_family f, const char *text)
{
    uint8_t bytes[16] = {0};

    if (f == LIVE_MAC)
        cr_assert(live_unhex(text, ':', bytes, 6));
    else
        cr_assert_eq(inet_pton(f == LIVE_IPV4 ? AF_INET : AF_INET6, text, bytes), 1);
    const char *why = live_host_has(bytes, f);
    return why ? why : "";
}

/* The tables are as Linux prints them: an IPv4 address as one number, in the byte order of the machine. */
Test(parties, gateways)
{
    static const char *const is[TABLES] = {
        "Iface\tDestination\tGateway\tFlags\n"
        "eth7\t00000000\t0A08FEF1\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        "eth7\t0008090A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        "eth7\t0008090A\t0A08FEF\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n",
        "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe80000000000000000000000000abcd "
        "00000400 00000000 00000000 00000003 eth7\n"
        "20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 "
        "00000400 00000000 00000000 00000003 eth7\n",
        "IP address       HW type     Flags       HW address            Mask     Device\n"
        "241.254.8.10     0x1         0x2         02:00:00:00:0a:63     *        eth7\n"
        "241.254.8.11     0x1         0x2         02:00:00:00:0a:64     *        eth7\n"};
    static const struct {
        enum live_family f;
        const char *text;
        bool gateway;
    } rows[] = {{LIVE_IPV4, "241.254.8.10", true},      {LIVE_IPV4, "10.8.254.241", false},
                {LIVE_IPV4, "241.254.8.11", false},     {LIVE_IPV4, "240.254.8.10", false},
                {LIVE_IPV6, "fe80::abcd", true},        {LIVE_IPV6, "fe80::abce", false},
                {LIVE_IPV6, "2001:db8::", false},       {LIVE_MAC, "02:00:00:00:0a:63", true},
                {LIVE_MAC, "02:00:00:00:0a:64", false}, {LIVE_MAC, "02:00:00:00:0a:65", false},
                {LIVE_IPV6, "f1fe:080a::", false}};
    const unsigned before = held_descriptors();
    size_t held[HELD_ROUNDS];

    replaced = true;
    for (unsigned round = 0; round < HELD_ROUNDS; round++) {
        live_host_forget();
        memcpy(tables, is, sizeof tables);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            cr_expect_str_eq(has(rows[i].f, rows[i].text), rows[i].gateway ? "is a gateway's" : "", "%s", rows[i].text);
        cr_expect_eq(held_descriptors(), before + TABLES, "each is opened once");
        live_host_forget();
        held[round] = held_bytes();
    }
    held_the_same(held);
    memset(tables, 0, sizeof tables); /* a kernel without them */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(has(rows[i].f, rows[i].text), "", "%s", rows[i].text);
    live_host_forget();
    cr_expect_eq(held_descriptors(), before);
    replaced = false;
}

/* ---- addresses ---- */

static struct ibc_wire *const no_wire[IBC_DEVICES];

static struct ibc_address address(uint8_t n)
{
    struct ibc_address a = {.mac = 0x020000000000 + n, .ipv4 = 0xc0000200u + n};
    static const uint8_t net[4] = {0x20, 1, 0x0d, 0xb8}, local[2] = {0xfe, 0x80};

    memcpy(a.ipv6, net, sizeof net);
    memcpy(a.gid, local, sizeof local);
    a.ipv6[15] = a.gid[15] = n;
    return a;
}

static struct ibc_target target(void)
{
    return (struct ibc_target){
        .framing = IBA_LINK_ETHERNET, .device = {address(1)}, .tester = address(3), .stranger = address(4)};
}

static bool accepts(struct ibc_target *t, const struct live_pins *pins)
{
    struct live_accepted a = {0};

    t->fault[0] = '\0';
    return live_accept(t, IBC_LINK_roce2_ipv4, no_wire, pins, &a, NULL);
}

Test(parties, ordinary_addresses)
{
    struct ibc_target t = target();

    cr_expect(accepts(&t, NULL), "%s", t.fault);
    t.device[1] = address(2);
    cr_expect(accepts(&t, NULL), "%s", t.fault);
}

Test(parties, addresses_that_no_host_has)
{
    static const struct {
        uint64_t mac;
        uint32_t ipv4;
        const char *says;
    } rows[] = {{0, 0xc0000209, "00:00:00:00:00:00, is zero"},
                {0xffffffffffff, 0xc0000209, "ff:ff:ff:ff:ff:ff, is a group's"},
                {0x01005e000001, 0xc0000209, "01:00:5e:00:00:01, is a group's"},
                {0x020000000009, 0, "0.0.0.0, is zero"},
                {0x020000000009, 0x00000001, "0.0.0.1, is zero"},
                {0x020000000009, 0xffffffff, "255.255.255.255, is a group's"},
                {0x020000000009, 0xe0000001, "224.0.0.1, is a group's"},
                {0x020000000009, 0x7f000001, "127.0.0.1, is of the loopback"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned who = 0; who < 3; who++) {
            struct ibc_target t = target();
            struct ibc_address *a = who == 0 ? &t.tester : who == 1 ? &t.stranger : &t.device[0];
            a->mac = rows[i].mac;
            a->ipv4 = rows[i].ipv4;
            cr_expect_not(accepts(&t, NULL));
            cr_expect(strstr(t.fault, rows[i].says), "%s", t.fault);
        }
    struct ibc_target t = target();
    t.tester.ipv6[0] = 0xff;
    cr_expect_not(accepts(&t, NULL));
    t = target();
    memset(t.device[0].gid, 0, 16);
    t.device[0].gid[15] = 1;
    cr_expect_not(accepts(&t, NULL));
}

Test(parties, one_address_for_two)
{
    struct ibc_target t = target();

    t.tester.ipv4 = t.device[0].ipv4;
    cr_expect_not(accepts(&t, NULL));
    cr_expect_str_eq(t.fault, "the agent gives tester and device the same address");
    t = target();
    t.stranger.mac = t.tester.mac;
    cr_expect_not(accepts(&t, NULL));
    t = target();
    memcpy(t.stranger.gid, t.device[0].gid, 16);
    cr_expect_not(accepts(&t, NULL));
}

/* Two parties must not have the same address of any kind. Two devices may share one, and missing addresses are not
 * compared. */
Test(parties, each_kind_of_address_for_two)
{
    for (unsigned kind = 0; kind < 4; kind++)
        for (unsigned who = 0; who < 3; who++) {
            struct ibc_target t = target();
            t.device[1] = address(2);
            const struct ibc_address *from = who == 2 ? &t.device[0] : &t.tester;
            struct ibc_address *to = who == 0 ? &t.stranger : &t.device[1];
            switch (kind) {
            case 0: to->mac = from->mac; break;
            case 1: to->ipv4 = from->ipv4; break;
            case 2: memcpy(to->ipv6, from->ipv6, 16); break;
            default: memcpy(to->gid, from->gid, 16);
            }
            cr_expect_eq(accepts(&t, NULL), who == 2, "kind %u, %u: %s", kind, who, t.fault);
            if (who < 2)
                cr_expect_str_eq(t.fault, who == 0 ? "the agent gives tester and stranger the same address"
                                                   : "the agent gives tester and second device the same address");
        }
    struct ibc_target t = target();
    memset(t.tester.ipv6, 0, 16), memset(t.stranger.ipv6, 0, 16);
    memset(t.tester.gid, 0, 16), memset(t.stranger.gid, 0, 16);
    cr_expect(accepts(&t, NULL), "%s", t.fault);
    struct live_accepted a = {0};
    t = target();
    t.tester.ipv4 = t.stranger.ipv4 = t.device[0].ipv4 = 0;
    cr_expect(live_accept(&t, IBC_LINK_roce1, no_wire, NULL, &a, NULL), "RoCEv1 needs no IP address: %s", t.fault);
    t.tester.ipv4 = 0x7f000001;
    cr_expect_not(live_accept(&t, IBC_LINK_roce1, no_wire, NULL, &a, NULL));
    t.framing = IBA_LINK_IB;
    cr_expect(live_accept(&t, IBC_LINK_ib_local, no_wire, NULL, &a, NULL), "native InfiniBand has none of them");
}

Test(parties, names_of_parties)
{
    static const char *const names[] = {
        "tester", "stranger", "device", "second device", "device's second port", "second device's second port"};

    for (unsigned i = 0; i < 6; i++) {
        char says[200];
        struct ibc_target t = target();
        t.device[1] = address(2);
        t.second[0] = address(5);
        t.second[1] = address(6);
        struct ibc_address *const who[] = {&t.tester,    &t.stranger,  &t.device[0],
                                           &t.device[1], &t.second[0], &t.second[1]};
        cr_expect(accepts(&t, NULL), "%s", t.fault);
        who[i]->mac |= UINT64_C(1) << 40;
        (void)snprintf(says, sizeof says, "the agent's address of the %s, 03:00:00:00:00:0%u, is a group's", names[i],
                       (unsigned)(who[i]->mac & 15));
        cr_expect_not(accepts(&t, NULL));
        cr_expect_str_eq(t.fault, says, "%s", t.fault);
        *who[i] = (struct ibc_address){.lid = 1}; /* it is there, but has no MAC */
        cr_expect_not(accepts(&t, NULL));
        *who[i] = (struct ibc_address){0};
        cr_expect_eq(accepts(&t, NULL), i > 2, "%s", names[i]);
    }
}

/* Addresses just inside and just outside of the ranges that no host can have: 0.0.0.0/8, loopback, groups. */
Test(parties, edges_of_ranges)
{
    static const struct {
        uint32_t ipv4;
        bool is;
    } rows[] = {{0x00ffffff, false}, {0x01000001, true}, {0x7effffff, true}, {0x7f000000, false},
                {0x7fffffff, false}, {0x80000000, true}, {0xdfffffff, true}, {0xe0000000, false}};
    static const uint8_t last[16] = {[15] = 2}, group[16] = {0xff, 2, [15] = 1}, high[16] = {0xfe, 0xff, [15] = 1};
    struct ibc_target t;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t = target();
        t.tester.ipv4 = rows[i].ipv4;
        cr_expect_eq(accepts(&t, NULL), rows[i].is, "row %zu: %s", i, t.fault);
    }
    t = target();
    memcpy(t.tester.ipv6, last, 16);
    cr_expect(accepts(&t, NULL), "%s", t.fault);
    memcpy(t.tester.gid, high, 16);
    cr_expect(accepts(&t, NULL), "%s", t.fault);
    memcpy(t.tester.gid, group, 16);
    cr_expect_not(accepts(&t, NULL));
    cr_expect_str_eq(t.fault, "the agent's address of the tester, ff02::1, is a group's");
}

Test(parties, pinned_addresses)
{
    struct live_pins pins = {0};
    struct ibc_target t = target();

    cr_assert(live_pin_add(&pins, "192.0.2.1"));
    cr_expect(accepts(&t, &pins), "%s", t.fault);
    cr_assert(live_pin_add(&pins, "02:00:00:00:00:01") && live_pin_add(&pins, "2001:db8::1"));
    cr_expect(accepts(&t, &pins), "%s", t.fault);
    t.device[1] = address(2);
    cr_expect_not(accepts(&t, &pins));
    cr_expect_str_eq(t.fault, "the agent's address of the second device, 02:00:00:00:00:02, is none of --device");
    cr_assert(live_pin_add(&pins, "02:00:00:00:00:02") && live_pin_add(&pins, "192.0.2.2") &&
              live_pin_add(&pins, "2001:db8::2"));
    cr_expect(accepts(&t, &pins), "%s", t.fault);
    t.device[0] = address(77);
    cr_expect_not(accepts(&t, &pins));
    for (size_t i = 0; i < 3; i++)
        cr_expect_not(live_pin_add(&pins, (const char *[]){"", "192.0.2", "02:00:00:00:00:0g"}[i]));
}

/* A pinned address (--device) restricts only addresses of its own family, those of devices and of their ports. The
 * number of pins is limited. */
Test(parties, pins)
{
    static const char *const right[] = {"02:00:00:00:00:01", "192.0.2.1", "2001:db8::1"};
    static const char *const wrong[] = {"02:00:00:00:00:03", "192.0.2.3", "2001:db8::3"};
    static const char *const is[] = {"02:00:00:00:00:01", "192.0.2.1", "2001:db8::1"};
    struct ibc_target t = target();

    for (unsigned f = LIVE_MAC; f <= LIVE_IPV6; f++) {
        struct live_pins one = {0}, other = {0};
        char says[200];
        cr_assert(live_pin_add(&one, right[f]) && one.n == 1 && one.pin[0].family == f);
        cr_expect(accepts(&t, &one), "%s", t.fault);
        cr_assert(live_pin_add(&other, wrong[f]));
        cr_expect_not(accepts(&t, &other), "the tester's is no pin");
        (void)snprintf(says, sizeof says, "the agent's address of the device, %s, is none of --device", is[f]);
        cr_expect_str_eq(t.fault, says);
        t.second[0] = address(5);
        cr_expect_not(accepts(&t, &one), "the second port is another address");
        t.second[0] = (struct ibc_address){0};
    }
    struct live_pins many = {0};
    for (unsigned i = 0; i < LIVE_PINS; i++)
        cr_assert(live_pin_add(&many, "192.0.2.1"));
    cr_expect(!live_pin_add(&many, "192.0.2.1") && many.n == LIVE_PINS);
}

/* If one address of a party changes, all are checked again. */
Test(parties, each_change_is_checked)
{
    for (unsigned who = 0; who < 4; who++)
        for (unsigned kind = 0; kind < 5; kind++) {
            struct live_accepted a = {0};
            struct ibc_target t = target();
            t.device[1] = address(2);
            cr_assert(live_accept(&t, IBC_LINK_roce2_ipv4, no_wire, NULL, &a, NULL));
            struct ibc_address *x = who == 0 ? &t.tester : who == 1 ? &t.stranger : &t.device[who - 2];
            switch (kind) {
            case 0: x->mac = 0x0200000000ee; break;
            case 1: x->ipv4 = 0xc00002ee; break;
            case 2: x->ipv6[14] = 0xee; break;
            case 3: x->gid[14] = 0xee; break;
            default: x->lid = 0xee;
            }
            const struct live_pins pins = {.n = 1, .pin = {{.family = LIVE_IPV4}}}; /* which no device has */
            cr_expect_not(live_accept(&t, IBC_LINK_roce2_ipv4, no_wire, &pins, &a, NULL), "%u %u", who, kind);
            cr_expect(live_accept(&t, IBC_LINK_roce2_ipv4, no_wire, NULL, &a, NULL));
            cr_expect(live_accept(&t, IBC_LINK_roce2_ipv4, no_wire, &pins, &a, NULL), "accepted as they are");
        }
}

/* If the addresses change during the run, the new ones are checked again. */
Test(parties, accepted_ones_are_not_checked_twice)
{
    struct live_accepted a = {0};
    struct ibc_target t = target();

    cr_expect(live_accept(&t, IBC_LINK_roce2_ipv4, no_wire, NULL, &a, NULL));
    cr_expect(live_accept(&t, IBC_LINK_roce2_ipv4, no_wire, NULL, &a, NULL));
    t.tester.mac = 0;
    cr_expect_not(live_accept(&t, IBC_LINK_roce2_ipv4, no_wire, NULL, &a, NULL));
}

Test(parties, questions_are_answered_by_the_owner_alone)
{
    const struct ibc_address a = address(3), other = address(4);
    uint8_t question[IBC_NEIGHBOUR_ANSWER], answer[IBC_NEIGHBOUR_ANSWER];
    uint64_t mac;
    size_t n;

    for (unsigned q = 0; q < IBC_NEIGHBOUR_QUESTIONS; q++) {
        const size_t len = ibc_neighbour_ask(question, 0x0a0000000001, &a, q);
        cr_assert_gt(len, 0);
        cr_expect(ibc_neighbour_claims(question, len, &a, &mac), "another host that asks is about to take it");
        cr_expect_eq(mac, 0x0a0000000001);
        cr_expect_not(ibc_neighbour_claims(question, len, &other, &mac));
        cr_expect(ibc_neighbour(question, len, &a, 1, answer, &n));
        if (q > 0)
            continue; /* a solicitation without a source is answered to all hosts, which ours leaves to kernels */
        cr_assert_gt(n, 0);
        cr_expect(ibc_neighbour_claims(answer, n, &a, &mac));
        cr_expect_eq(mac, a.mac);
        cr_expect_not(ibc_neighbour_claims(answer, n, &other, &mac));
        for (size_t cut = 0; cut < n; cut++)
            cr_expect_not(ibc_neighbour_claims(answer, cut, &a, &mac));
    }
    const struct ibc_address none = {.mac = 1};
    for (unsigned q = 0; q < IBC_NEIGHBOUR_QUESTIONS; q++)
        cr_expect_eq(ibc_neighbour_ask(question, 1, &none, q), 0);
}

Test(parties, what_leaves_this_machine)
{
    cr_expect(ibc_wire_leaves("afpacket:lo", NULL));
    cr_expect_not(ibc_wire_leaves("unix:a,b", NULL));
    cr_expect_not(ibc_wire_leaves("dgram:127.0.0.1:9,127.0.0.1:9", NULL));
    cr_expect_not(ibc_wire_leaves("dgram:[::1]:9,[::1]:9", NULL));
    cr_expect(ibc_wire_leaves("dgram:192.0.2.1:9,127.0.0.1:9", NULL));
}
