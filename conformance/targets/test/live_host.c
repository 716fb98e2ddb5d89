/* SPDX-License-Identifier: BSD-2-Clause */
/* This machine's own addresses, as the system's list of interfaces has them: the list here is the test's. */
#include "../live_host.h"
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>

static struct sockaddr_ll mac = {
    .sll_family = AF_PACKET, .sll_halen = 6, .sll_addr = {2, 0, 0, 0, 0x0a, 1, 0xee, 0xee}};
static struct sockaddr_in ipv4 = {.sin_family = AF_INET}, broadcast = {.sin_family = AF_INET},
                          peer = {.sin_family = AF_INET}, other = {.sin_family = AF_INET};
static struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
static struct ifaddrs list[5];
static unsigned asked, freed;
static bool fails;

int getifaddrs(struct ifaddrs **first)
{
    asked++;
    errno = EMFILE;
    *first = list;
    return fails ? -1 : 0;
}

void freeifaddrs(struct ifaddrs *first)
{
    cr_expect_eq(first, list);
    freed++;
}

static void *data(struct sockaddr_in *a, const char *text)
{
    cr_assert_eq(inet_pton(AF_INET, text, &a->sin_addr), 1);
    return a;
}

/* An interface without any address, one that is broadcast, and one between two points, whose second address is that of
 * the other end. */
static void begin(void)
{
    cr_assert_eq(inet_pton(AF_INET6, "2001:db8::17", &ipv6.sin6_addr), 1);
    list[0] = (struct ifaddrs){.ifa_next = &list[1], .ifa_flags = IFF_BROADCAST};
    list[1] = (struct ifaddrs){.ifa_next = &list[2], .ifa_addr = (void *)&mac, .ifa_flags = IFF_BROADCAST};
    list[2] = (struct ifaddrs){.ifa_next = &list[3],
                               .ifa_addr = data(&ipv4, "241.2.3.4"),
                               .ifa_broadaddr = data(&broadcast, "241.2.3.255"),
                               .ifa_flags = IFF_BROADCAST};
    list[3] = (struct ifaddrs){.ifa_next = &list[4],
                               .ifa_addr = data(&other, "241.9.9.9"),
                               .ifa_broadaddr = data(&peer, "241.9.9.10"),
                               .ifa_flags = IFF_POINTOPOINT};
    list[4] = (struct ifaddrs){.ifa_addr = (void *)&ipv6};
}

TestSuite(live_host, .init = begin, .fini = live_host_forget);

static const char *has(enum live_family f, const char *text)
{
    uint8_t b[16] = {0};
    const char *why;

    if (f == LIVE_MAC)
        cr_assert(live_unhex(text, ':', b, 6));
    else
        cr_assert_eq(inet_pton(f == LIVE_IPV4 ? AF_INET : AF_INET6, text, b), 1);
    why = live_host_has(b, f);
    return why ? why : "";
}

#define OWN "is this machine's own"

Test(live_host, own_addresses)
{
    static const struct {
        enum live_family f;
        const char *text, *says;
    } rows[] = {
        {LIVE_MAC, "02:00:00:00:0a:01", OWN},
        {LIVE_MAC, "02:00:00:00:0a:02", ""},
        {LIVE_MAC, "03:00:00:00:0a:01", ""},
        {LIVE_IPV4, "241.2.3.4", OWN},
        {LIVE_IPV4, "241.2.3.5", ""},
        {LIVE_IPV4, "240.2.3.4", ""},
        {LIVE_IPV4, "4.3.2.241", ""},
        {LIVE_IPV4, "241.2.3.255", "is the broadcast of a network of this machine"},
        {LIVE_IPV4, "241.2.3.254", ""},
        {LIVE_IPV4, "241.9.9.9", OWN},
        {LIVE_IPV4, "241.9.9.10", ""}, /* the other end's */
        {LIVE_IPV6, "2001:db8::17", OWN},
        {LIVE_IPV6, "2001:db8::16", ""},
        {LIVE_IPV6, "3001:db8::17", ""},
        {LIVE_IPV6, "f102:304::", ""},  /* the bytes of the IPv4 address */
        {LIVE_IPV6, "200:0:a01::", ""}, /* and of the MAC */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(has(rows[i].f, rows[i].text), rows[i].says, "%s: %s", rows[i].text,
                         has(rows[i].f, rows[i].text));
    cr_expect(asked == 1 && freed == 0, "the system is asked once");
    live_host_forget();
    live_host_forget();
    cr_expect(asked == 1 && freed == 1, "%u", freed);
    data(&ipv4, "241.2.3.5");
    cr_expect_str_eq(has(LIVE_IPV4, "241.2.3.5"), OWN, "asked again");
    cr_expect_str_eq(has(LIVE_IPV4, "241.2.3.4"), "");
    cr_expect_eq(asked, 2);
}

/* Without the list no address may be used. */
Test(live_host, without_a_list)
{
    fails = true;
    cr_expect_not(live_host_open());
    cr_expect_str_eq(has(LIVE_IPV4, "241.2.3.4"), "cannot be compared with this machine's own");
    cr_expect_str_eq(has(LIVE_MAC, "02:00:00:00:0a:09"), "cannot be compared with this machine's own");
    fails = false;
    cr_expect(live_host_open() && live_host_open());
    cr_expect_eq(asked, 4);
    cr_expect_str_eq(has(LIVE_IPV4, "241.2.3.4"), OWN);
}

/* Numbers of two digits each, with that separator between them and nothing after the last. */
Test(live_host, digits)
{
    static const struct {
        const char *text;
        char separator;
        size_t n;
        bool good;
        uint8_t bytes[4];
    } rows[] = {
        {"01:ab:CD", ':', 3, true, {1, 0xab, 0xcd}},
        {"01abCD", '\0', 3, true, {1, 0xab, 0xcd}},
        {"ff", ':', 1, true, {0xff}},
        {"", ':', 0, true, {0}},
        {"01:ab:CD:", ':', 3, false, {0}},
        {"01:ab:CD0", ':', 3, false, {0}},
        {"01:ab", ':', 3, false, {0}},
        {"01:ab:C", ':', 3, false, {0}},
        {"01:a:CD", ':', 3, false, {0}},
        {"01-ab-CD", ':', 3, false, {0}},
        {"01abCD", ':', 3, false, {0}},
        {"01:ab:CD", '\0', 3, false, {0}},
        {"0g", ':', 1, false, {0}},
        {"g0", ':', 1, false, {0}},
        {" 1", ':', 1, false, {0}},
        {"+1", ':', 1, false, {0}},
        {"0x1", ':', 1, false, {0}},
        {"0", ':', 1, false, {0}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t out[5] = {0, 0, 0, 0, 0xee};
        cr_expect_eq(live_unhex(rows[i].text, rows[i].separator, out, rows[i].n), rows[i].good, "%s", rows[i].text);
        cr_expect(!rows[i].good || memcmp(out, rows[i].bytes, 4) == 0, "%s", rows[i].text);
        cr_expect_eq(out[4], 0xee);
    }
}
