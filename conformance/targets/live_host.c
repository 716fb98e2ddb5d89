/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_host.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum table { ROUTES, ROUTES6, NEIGHBOURS, TABLES };
static const char *const paths[TABLES] = {"/proc/net/route", "/proc/net/ipv6_route", "/proc/net/arp"};

static struct {
    struct ifaddrs *own;
    /* descriptors of the kernel's tables; -1: the kernel has no such table, as without IPv6 */
    int table[TABLES];
    bool open;
} host;

bool live_host_open(void)
{
    if (host.open)
        return true;
    if (getifaddrs(&host.own) != 0)
        return false;
    for (unsigned t = 0; t < TABLES; t++)
        host.table[t] = open(paths[t], O_RDONLY | O_CLOEXEC);
    host.open = true;
    return true;
}

void live_host_forget(void)
{
    if (!host.open)
        return;
    freeifaddrs(host.own);
    for (unsigned t = 0; t < TABLES; t++)
        if (host.table[t] >= 0)
            (void)close(host.table[t]);
    host.open = false;
}

bool live_unhex(const char *text, char separator, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && separator != '\0' && *text++ != separator)
            return false;
        if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
            return false;
        out[i] = (uint8_t)strtoul((const char[]){text[0], text[1], '\0'}, NULL, 16);
        text += 2;
    }
    return *text == '\0';
}

/* ---- its addresses ---- */

static bool holds(const struct sockaddr *s, enum live_family f, const uint8_t b[16])
{
    if (!s)
        return false;
    if (f == LIVE_MAC && s->sa_family == AF_PACKET)
        return memcmp(((const struct sockaddr_ll *)(const void *)s)->sll_addr, b, 6) == 0;
    if (f == LIVE_IPV4 && s->sa_family == AF_INET)
        return memcmp(&((const struct sockaddr_in *)(const void *)s)->sin_addr, b, 4) == 0;
    return f == LIVE_IPV6 && s->sa_family == AF_INET6 &&
           memcmp(&((const struct sockaddr_in6 *)(const void *)s)->sin6_addr, b, 16) == 0;
}

/* Returns a text if the address is one of this machine's, or the broadcast address of one of its networks. */
static const char *is_ours(const uint8_t b[16], enum live_family f)
{
    const char *why = NULL;

    for (const struct ifaddrs *i = host.own; i && !why; i = i->ifa_next)
        if (holds(i->ifa_addr, f, b))
            why = "is this machine's own";
        else if ((i->ifa_flags & IFF_BROADCAST) && f == LIVE_IPV4 && holds(i->ifa_broadaddr, f, b))
            why = "is the broadcast of a network of this machine";
    return why;
}

/* ---- its gateways ---- */

/* Returns the table as text, which the caller owns. Several processes may read it, so the position of the
 * descriptor is not moved. */
static char *read_table(enum table t)
{
    enum { STEP = 16384, MOST = 16 << 20 };
    char *text = NULL, *more;
    size_t used = 0;
    ssize_t n = 1;

    while (host.table[t] >= 0 && n > 0 && used < MOST && (more = realloc(text, used + STEP + 1)) != NULL) {
        text = more;
        n = pread(host.table[t], text + used, STEP, (off_t)used);
        used += n > 0 ? (size_t)n : 0;
        text[used] = '\0';
    }
    return text;
}

/* Whether the function `says` is true for one of the table's lines. */
static bool any_line(enum table t, bool (*says)(const char *line, const uint8_t b[16]), const uint8_t b[16])
{
    char *text = read_table(t), *rest = text;
    bool found = false;

    for (const char *line; !found && text && (line = strtok_r(rest, "\n", &rest)) != NULL;)
        found = says(line, b);
    free(text);
    return found;
}

/* Reads the gateway from a line of the kernel's table of routes. */
static bool gateway_read(const char *line, enum live_family f, uint8_t b[16])
{
    char hop[64];

    memset(b, 0, 16);
    if (f == LIVE_IPV6)
        return sscanf(line, "%*s %*s %*s %*s %63s", hop) == 1 && live_unhex(hop, '\0', b, 16);
    if (f != LIVE_IPV4 || sscanf(line, "%*s %*s %63s", hop) != 1 || !live_unhex(hop, '\0', b, 4))
        return false;
    /* The kernel prints the four bytes as one number in the byte order of this machine. */
    const uint32_t word = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    memcpy(b, &word, sizeof word);
    return true;
}

static bool is_hop(const char *line, enum live_family f, const uint8_t b[16])
{
    static const uint8_t zero[16];
    uint8_t is[16];

    return gateway_read(line, f, is) && memcmp(is, zero, sizeof is) != 0 && memcmp(is, b, sizeof is) == 0;
}

static bool says_ipv4(const char *line, const uint8_t b[16])
{
    return is_hop(line, LIVE_IPV4, b);
}

static bool says_ipv6(const char *line, const uint8_t b[16])
{
    return is_hop(line, LIVE_IPV6, b);
}

/* Whether a line of the table of neighbours has this MAC, and the address of a gateway. */
static bool says_mac(const char *line, const uint8_t mac[16])
{
    char ip[64], hw[64];
    uint8_t is[16] = {0}, of[6];

    return sscanf(line, "%63s %*s %*s %63s", ip, hw) == 2 && live_unhex(hw, ':', of, sizeof of) &&
           memcmp(of, mac, sizeof of) == 0 && inet_pton(AF_INET, ip, is) == 1 && any_line(ROUTES, says_ipv4, is);
}

const char *live_host_has(const uint8_t b[16], enum live_family f)
{
    static const struct {
        enum table t;
        bool (*says)(const char *line, const uint8_t b[16]);
    } of[] = {
        [LIVE_MAC] = {NEIGHBOURS, says_mac}, [LIVE_IPV4] = {ROUTES, says_ipv4}, [LIVE_IPV6] = {ROUTES6, says_ipv6}};

    if (!live_host_open())
        return "cannot be compared with this machine's own";
    const char *why = is_ours(b, f);
    return why ? why : any_line(of[f].t, of[f].says, b) ? "is a gateway's" : NULL;
}
