/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses on a wire that is a network interface, in a network namespace of the test's own: this machine's, those of
 * its gateways, and the questions whether an address is free. Without the right to make a namespace each case passes
 * without a look. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <net/route.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "../live_parties.h"
#include "../wire_adapters.h"
#include "../wire_neighbour.h"
#include "tap.h"

static const uint64_t ms = 1000000;
static int tap;

/* ---- this machine's addresses ---- */

static void set_address(unsigned long what, const char *text)
{
    struct ifreq r = {0};
    struct sockaddr_in a = {.sin_family = AF_INET};

    cr_assert_eq(inet_pton(AF_INET, text, &a.sin_addr), 1);
    memcpy(&r.ifr_addr, &a, sizeof a);
    tap_set(what, &r);
}

static void set_gateway(const char *text)
{
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in gateway = {.sin_family = AF_INET}, any = {.sin_family = AF_INET};
    struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
    struct arpreq neighbour = {
        .arp_flags = ATF_COM | ATF_PERM, .arp_ha = {.sa_family = ARPHRD_ETHER}, .arp_dev = "tap0"};

    cr_assert_eq(inet_pton(AF_INET, text, &gateway.sin_addr), 1);
    memcpy(&route.rt_gateway, &gateway, sizeof gateway);
    memcpy(&route.rt_dst, &any, sizeof any);
    memcpy(&route.rt_genmask, &any, sizeof any);
    cr_assert(ioctl(s, SIOCADDRT, &route) == 0, "%s", strerror(errno));
    memcpy(&neighbour.arp_pa, &gateway, sizeof gateway);
    memcpy(neighbour.arp_ha.sa_data, "\x02\x00\x00\x00\x0a\x63", 6);
    cr_assert(ioctl(s, SIOCSARP, &neighbour) == 0, "%s", strerror(errno));
    cr_assert_eq(inet_pton(AF_INET, "10.9.8.50", &gateway.sin_addr), 1); /* a neighbour that is no gateway */
    memcpy(&neighbour.arp_pa, &gateway, sizeof gateway);
    neighbour.arp_ha.sa_data[5] = 0x64;
    cr_assert(ioctl(s, SIOCSARP, &neighbour) == 0, "%s", strerror(errno));
    (void)close(s);
}

static const char *has(enum live_family f, const char *text)
{
    uint8_t b[16] = {0};

    if (f == LIVE_MAC)
        cr_assert(live_unhex(text, ':', b, 6));
    else
        cr_assert_eq(inet_pton(f == LIVE_IPV4 ? AF_INET : AF_INET6, text, b), 1);
    const char *why = live_host_has(b, f);
    return why ? why : "";
}

Test(addresses, addresses_of_this_machine)
{
    if ((tap = tap_begin()) < 0)
        return;
    set_address(SIOCSIFADDR, "10.9.8.7");
    set_address(SIOCSIFNETMASK, "255.255.255.0");
    set_address(SIOCSIFBRDADDR, "10.9.8.255");
    set_gateway("10.9.8.1");
    static const struct {
        enum live_family f;
        const char *text, *says;
    } rows[] = {
        {LIVE_IPV4, "10.9.8.7", "is this machine's own"},
        {LIVE_IPV4, "10.9.8.255", "is the broadcast of a network of this machine"},
        {LIVE_IPV4, "10.9.8.1", "is a gateway's"},
        {LIVE_IPV4, "10.9.8.2", ""},
        {LIVE_IPV4, "1.8.9.10", ""}, /* the bytes are not in another order */
        {LIVE_IPV4, "10.9.8.0", ""},
        {LIVE_MAC, "02:00:00:00:0a:01", "is this machine's own"},
        {LIVE_MAC, "02:00:00:00:0a:63", "is a gateway's"},
        {LIVE_MAC, "02:00:00:00:0a:64", ""},
        {LIVE_MAC, "02:00:00:00:0a:02", ""},
        {LIVE_MAC, "ff:ff:ff:ff:ff:ff", ""},
        {LIVE_IPV6, "2001:db8::1", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(has(rows[i].f, rows[i].text), rows[i].says, "%s: %s", rows[i].text,
                         has(rows[i].f, rows[i].text));
    live_host_forget();
    set_address(SIOCSIFADDR, "10.9.9.9");
    cr_expect_str_eq(has(LIVE_IPV4, "10.9.9.9"), "is this machine's own");
    cr_expect_str_eq(has(LIVE_IPV4, "10.9.8.7"), "", "it is another machine's by now");
    live_host_forget();
    live_host_forget();
}

Test(addresses, addresses_that_stay_here)
{
    if ((tap = tap_begin()) < 0)
        return;
    set_address(SIOCSIFADDR, "10.9.8.7");
    set_address(SIOCSIFNETMASK, "255.255.255.0");
    static const struct {
        const char *text;
        bool local;
    } rows[] = {{"10.9.8.7", true}, {"10.9.8.8", false}, {"192.0.2.1", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sockaddr_in a = {.sin_family = AF_INET};
        cr_assert_eq(inet_pton(AF_INET, rows[i].text, &a.sin_addr), 1);
        cr_expect_eq(wire_is_local((struct sockaddr *)&a), rows[i].local, "%s", rows[i].text);
    }
    const struct sockaddr other = {.sa_family = AF_UNIX};
    cr_expect_not(wire_is_local(&other));
}

/* ---- are addresses free? ---- */

struct host {
    int fd;
    unsigned questions, answers_to; /* answers_to: the number of the question that it answers, from 1 on */
    uint8_t answer[IBC_NEIGHBOUR_ANSWER];
    size_t n;
    uint8_t asked[32][IBC_NEIGHBOUR_ANSWER];
    size_t len[32];
};

/* A host at the other end of the cable. */
static void *be_host(void *ctx)
{
    struct host *h = ctx;
    uint8_t in[TAP_MOST];

    for (unsigned quiet = 0; quiet < 6;) {
        const size_t n = tap_left(h->fd, in);
        quiet = n ? 0 : quiet + 1;
        if (n == 0 || n > IBC_NEIGHBOUR_ANSWER || h->questions == 32)
            continue;
        memcpy(h->asked[h->questions], in, n);
        h->len[h->questions++] = n;
        if (h->questions == h->answers_to)
            tap_arrives(h->fd, h->answer, h->n);
    }
    return NULL;
}

static char shown[640];

static void show(const char *line)
{
    (void)snprintf(shown, sizeof shown, "%s", line);
}

static struct ibc_target target(void)
{
    const struct ibc_address party = {.mac = 0x020000000001,
                                      .ipv4 = 0xc0000201,
                                      .ipv6 = {0x20, 1, 0xd, 0xb8, [15] = 1},
                                      .gid = {0xfe, 0x80, [15] = 1}};
    struct ibc_target t = {.framing = IBA_LINK_ETHERNET, .device = {party}, .tester = party, .stranger = party};

    t.tester.mac = 0x020000000003, t.tester.ipv4 += 2, t.tester.ipv6[15] = t.tester.gid[15] = 3;
    t.stranger = (struct ibc_address){.mac = 0x020000000004, .ipv4 = 0xc0000204};
    return t;
}

static bool accepts(struct ibc_target *t, struct ibc_wire *w, struct host *h, struct live_accepted *a)
{
    struct ibc_wire *const wire[IBC_DEVICES] = {w};
    pthread_t other;
    bool good;

    h->fd = tap;
    cr_assert_eq(pthread_create(&other, NULL, be_host, h), 0);
    good = live_accept(t, IBC_LINK_roce2_ipv4, wire, NULL, a, show);
    cr_assert_eq(pthread_join(other, NULL), 0);
    return good;
}

Test(addresses, free_addresses_are_asked_for_three_times)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();
    struct ibc_target t = target();
    struct host h = {0};
    struct live_accepted a = {0};
    uint8_t question[IBC_NEIGHBOUR_ANSWER];
    const uint64_t begun = ibc_wire_clock();

    cr_assert(accepts(&t, w, &h, &a), "%s", t.fault);
    cr_expect_geq(ibc_wire_clock() - begun, 1000 * ms, "a second for answers (RFC 5227 2.1.1)");
    cr_expect_str_eq(shown, "tester 02:00:00:00:00:03 192.0.2.3 2001:db8::3; stranger 02:00:00:00:00:04 192.0.2.4; "
                            "device 02:00:00:00:00:01 192.0.2.1 2001:db8::1");
    cr_assert_eq(h.questions, 12, "%u", h.questions);
    for (unsigned i = 0; i < 12; i++) {
        const bool stranger = i % 4 == 3;
        const size_t n =
            ibc_neighbour_ask(question, 0x020000000a01, stranger ? &t.stranger : &t.tester, stranger ? 0 : i % 4);
        cr_expect_eq(h.len[i], n, "%u", i);
        cr_expect_arr_eq(h.asked[i], question, n, "%u", i);
    }
    cr_expect(a.any && a.is[0].mac == t.tester.mac && a.is[1].mac == t.stranger.mac && a.is[2].mac == t.device[0].mac);
    h.questions = 0;
    cr_expect(accepts(&t, w, &h, &a), "%s", t.fault);
    cr_expect_eq(h.questions, 0, "they were accepted already");
    ibc_wire_close(w);
}

Test(addresses, addresses_that_a_host_has)
{
    if ((tap = tap_begin()) < 0)
        return;
    struct ibc_wire *w = tap_wire();
    struct ibc_target t = target();

    for (unsigned which = 0; which < 2; which++) {
        struct host h = {.answers_to = which ? 12 : 2};
        struct live_accepted a = {0};
        char says[160];
        /* a host that asks for the address is about to take it */
        h.n = ibc_neighbour_ask(h.answer, 0x02aabbccddee, which ? &t.stranger : &t.tester, which ? 0 : 1);
        cr_expect_not(accepts(&t, w, &h, &a));
        (void)snprintf(says, sizeof says, "the agent's address of the %s is in use on tap0, by 02:aa:bb:cc:dd:ee",
                       which ? "stranger" : "tester");
        cr_expect_str_eq(t.fault, says, "%s", t.fault);
        cr_expect_not(a.any);
    }
    ibc_wire_close(w);
}

Test(addresses, addresses_of_our_own_are_refused)
{
    if ((tap = tap_begin()) < 0)
        return;
    set_address(SIOCSIFADDR, "192.0.2.1");
    set_address(SIOCSIFNETMASK, "255.255.255.0");
    struct ibc_wire *w = tap_wire();
    struct ibc_target t = target();
    struct host h = {0};
    struct live_accepted a = {0};

    cr_expect_not(accepts(&t, w, &h, &a));
    cr_expect_str_eq(t.fault, "the agent's address of the device, 192.0.2.1, is this machine's own");
    t = target();
    t.stranger.mac = 0x020000000a01;
    t.device[0].ipv4 = 0xc0000209;
    cr_expect_not(accepts(&t, w, &h, &a));
    cr_expect_str_eq(t.fault, "the agent's address of the stranger, 02:00:00:00:0a:01, is this machine's own");
    tap_up(false);
    t = target();
    t.device[0].ipv4 = 0xc0000209;
    cr_expect_not(accepts(&t, w, &h, &a));
    cr_expect_str_eq(t.fault, "wire afpacket:tap0: Network is down");
    ibc_wire_close(w);
}
