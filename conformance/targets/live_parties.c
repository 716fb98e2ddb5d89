/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_parties.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wire_neighbour.h"

enum { TEXT = 96, LINE = 640 };

static bool no(struct ibc_target *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool no(struct ibc_target *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->fault, sizeof t->fault, format, args);
    va_end(args);
    return false;
}

/* ---- addresses as bytes ---- */

static const size_t family_bytes[] = {[LIVE_MAC] = 6, [LIVE_IPV4] = 4, [LIVE_IPV6] = 16};
static const uint8_t nothing[16];

/* The address of that family; LIVE_IPV6: also the GID, as the `second`. Zero: it has none. */
static void take(const struct ibc_address *a, enum live_family f, bool second, uint8_t out[16])
{
    memset(out, 0, 16);
    if (f == LIVE_IPV6)
        memcpy(out, second ? a->gid : a->ipv6, 16);
    else if (!second)
        for (unsigned i = 0; i < family_bytes[f]; i++)
            out[i] = (uint8_t)(f == LIVE_MAC ? a->mac >> (40 - 8 * i) : a->ipv4 >> (24 - 8 * i));
}

static bool is_zero(const uint8_t b[16])
{
    return memcmp(b, nothing, sizeof nothing) == 0;
}

static void print(const uint8_t b[16], enum live_family f, char out[TEXT])
{
    if (f == LIVE_MAC)
        (void)snprintf(out, TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
    else if (!inet_ntop(f == LIVE_IPV4 ? AF_INET : AF_INET6, b, out, TEXT))
        out[0] = '\0';
}

/* n bytes, each as two hex digits, with the separator between them; '\0': none. The text has nothing else. */
static bool unhex(const char *text, char separator, uint8_t *out, size_t n)
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

bool live_pin_add(struct live_pins *p, const char *text)
{
    struct live_pin pin = {.family = LIVE_MAC};

    if (p->n == LIVE_PINS)
        return false;
    if (unhex(text, ':', pin.bytes, 6))
        pin.family = LIVE_MAC;
    else if (inet_pton(AF_INET, text, pin.bytes) == 1)
        pin.family = LIVE_IPV4;
    else if (inet_pton(AF_INET6, text, pin.bytes) == 1)
        pin.family = LIVE_IPV6;
    else
        return false;
    p->pin[p->n++] = pin;
    return true;
}

/* ---- whom an address names ---- */

/* Why no single host has it; NULL: one may. */
static const char *is_no_host(const uint8_t b[16], enum live_family f)
{
    static const uint8_t here[16] = {[15] = 1};

    if (is_zero(b))
        return "is zero";
    switch (f) {
    case LIVE_MAC: return b[0] & 1 ? "is a group's" : NULL;
    case LIVE_IPV4:
        return b[0] == 0 ? "is zero" : b[0] == 127 ? "is of the loopback" : b[0] >= 224 ? "is a group's" : NULL;
    default: return b[0] == 0xff ? "is a group's" : memcmp(b, here, 16) == 0 ? "is of the loopback" : NULL;
    }
}

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

/* An address of this machine, or the one for all hosts of a network of its. */
static const char *is_ours(const uint8_t b[16], enum live_family f)
{
    struct ifaddrs *all = NULL;
    const char *why = NULL;

    if (getifaddrs(&all) != 0)
        return NULL;
    for (const struct ifaddrs *i = all; i && !why; i = i->ifa_next)
        if (holds(i->ifa_addr, f, b))
            why = "is this machine's own";
        else if ((i->ifa_flags & IFF_BROADCAST) && f == LIVE_IPV4 && holds(i->ifa_broadaddr, f, b))
            why = "is the broadcast of a network of this machine";
    freeifaddrs(all);
    return why;
}

/* ---- gateways ---- */

/* The gateway of a line of the kernel's table of routes. */
static bool gateway_read(const char *line, enum live_family f, uint8_t b[16])
{
    char hop[64];

    memset(b, 0, 16);
    if (f == LIVE_IPV6)
        return sscanf(line, "%*s %*s %*s %*s %63s", hop) == 1 && unhex(hop, '\0', b, 16);
    if (f != LIVE_IPV4 || sscanf(line, "%*s %*s %63s", hop) != 1 || !unhex(hop, '\0', b, 4))
        return false;
    /* The kernel prints the four bytes as one word of this machine. */
    const uint32_t word = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    memcpy(b, &word, sizeof word);
    return true;
}

/* Whether a route of the kernel's table goes through it. */
static bool is_gateway(const uint8_t b[16], enum live_family f)
{
    FILE *t = fopen(f == LIVE_IPV4 ? "/proc/net/route" : "/proc/net/ipv6_route", "re");
    char line[256];
    bool found = false;

    while (t && !found && fgets(line, sizeof line, t)) {
        uint8_t is[16];
        found = gateway_read(line, f, is) && !is_zero(is) && memcmp(is, b, 16) == 0;
    }
    if (t)
        fclose(t);
    return found;
}

/* Whether a gateway has this MAC, as far as the kernel has resolved it. */
static bool is_gateways_mac(const uint8_t mac[16])
{
    FILE *t = fopen("/proc/net/arp", "re");
    char line[256], ip[64], hw[64], own[TEXT];
    bool found = false;

    print(mac, LIVE_MAC, own);
    while (t && !found && fgets(line, sizeof line, t)) {
        uint8_t is[16] = {0};
        found = sscanf(line, "%63s %*s %*s %63s", ip, hw) == 2 && strcmp(hw, own) == 0 &&
                inet_pton(AF_INET, ip, is) == 1 && is_gateway(is, LIVE_IPV4);
    }
    if (t)
        fclose(t);
    return found;
}

static const char *is_of_this_network(const uint8_t b[16], enum live_family f)
{
    const char *why = is_ours(b, f);

    if (!why && (f == LIVE_MAC ? is_gateways_mac(b) : is_gateway(b, f)))
        why = "is a gateway's";
    return why;
}

/* ---- the parties ---- */

struct parties {
    struct ibc_target *t;
    const struct ibc_address *a[LIVE_PARTIES];
    const char *name[LIVE_PARTIES];
    unsigned n;
};
enum { TESTER, STRANGER, DEVICES }; /* places in it */

static bool is_equal(const struct ibc_address *a, const struct ibc_address *b)
{
    return a->mac == b->mac && a->ipv4 == b->ipv4 && a->lid == b->lid && memcmp(a->ipv6, b->ipv6, 16) == 0 &&
           memcmp(a->gid, b->gid, 16) == 0;
}

static void add(struct parties *p, const char *name, const struct ibc_address *a, bool always)
{
    static const struct ibc_address none;

    if (!always && is_equal(a, &none))
        return;
    p->name[p->n] = name;
    p->a[p->n++] = a;
}

static struct parties list(struct ibc_target *t)
{
    struct parties p = {.t = t};

    add(&p, "tester", &t->tester, true);
    add(&p, "stranger", &t->stranger, true);
    add(&p, "device", &t->device[0], true);
    add(&p, "second device", &t->device[1], false);
    add(&p, "device's second port", &t->second[0], false);
    add(&p, "second device's second port", &t->second[1], false);
    return p;
}

/* The family that packets of the link are addressed with, beside MACs. */
static bool is_needed(enum ibc_link link, enum live_family f)
{
    return f == LIVE_MAC || (f == LIVE_IPV4 && link == IBC_LINK_roce2_ipv4);
}

static bool check_one(const struct parties *p, unsigned i, enum ibc_link link, bool on_interface)
{
    uint8_t b[16];
    char text[TEXT];

    for (unsigned f = LIVE_MAC; f <= LIVE_IPV6; f++)
        for (unsigned second = 0; second < 2; second++) {
            const char *why = NULL;
            take(p->a[i], (enum live_family)f, second, b);
            if (!is_zero(b) || (is_needed(link, (enum live_family)f) && !second))
                why = is_no_host(b, (enum live_family)f);
            if (!why && on_interface && !is_zero(b))
                why = is_of_this_network(b, (enum live_family)f);
            if (!why)
                continue;
            print(b, (enum live_family)f, text);
            return no(p->t, "the agent's address of the %s, %s, %s", p->name[i], text, why);
        }
    return true;
}

static bool share_an_address(const struct ibc_address *a, const struct ibc_address *b)
{
    return (a->mac && a->mac == b->mac) || (a->ipv4 && a->ipv4 == b->ipv4) ||
           (!is_zero(a->ipv6) && memcmp(a->ipv6, b->ipv6, 16) == 0) ||
           (!is_zero(a->gid) && memcmp(a->gid, b->gid, 16) == 0);
}

static bool check_pins(const struct parties *p, const struct live_pins *pins)
{
    uint8_t b[16];
    char text[TEXT];

    for (unsigned i = DEVICES; i < p->n; i++)
        for (unsigned f = LIVE_MAC; f <= LIVE_IPV6; f++) {
            bool pinned = false, right = false;
            take(p->a[i], (enum live_family)f, false, b);
            for (unsigned k = 0; k < pins->n; k++) {
                pinned |= pins->pin[k].family == f;
                right |= pins->pin[k].family == f && memcmp(pins->pin[k].bytes, b, 16) == 0;
            }
            if (!pinned || right)
                continue;
            print(b, (enum live_family)f, text);
            return no(p->t, "the agent's address of the %s, %s, is none of --device", p->name[i], text);
        }
    return true;
}

static void say(const struct parties *p, void (*show)(const char *line))
{
    char line[LINE], text[TEXT];
    size_t used = 0;

    for (unsigned i = 0; i < p->n; i++) {
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", i ? "; " : "", p->name[i]);
        for (unsigned f = LIVE_MAC; f <= LIVE_IPV6 && used < sizeof line; f++) {
            uint8_t b[16];
            take(p->a[i], (enum live_family)f, false, b);
            print(b, (enum live_family)f, text);
            if (!is_zero(b))
                used += (size_t)snprintf(line + used, sizeof line - used, " %s", text);
        }
        if (used >= sizeof line)
            break;
    }
    show(line);
}

/* ---- are they free? ---- */

/* Frames that arrive until then: whether one shows a host that has an address of `a`. */
static bool is_claimed(struct ibc_wire *w, uint64_t until, const struct ibc_address *a, size_t n, size_t *which,
                       uint64_t *mac)
{
    uint8_t frame[IBC_WIRE_MOST];
    uint64_t now, at;
    size_t len;

    while ((now = ibc_wire_clock()) < until)
        if (ibc_wire_receive(w, frame, &len, &at, until - now) == IBC_WIRE_FRAME)
            for (*which = 0; *which < n; ++*which)
                if (ibc_neighbour_claims(frame, len, &a[*which], mac))
                    return true;
    return false;
}

static bool probe(struct ibc_target *t, struct ibc_wire *w, uint64_t own)
{
    enum { TIMES = 3 };
    static const uint64_t pause[TIMES] = {250000000, 250000000, 500000000}; /* ns */
    static const char *const name[] = {"tester", "stranger"};
    const struct ibc_address a[] = {t->tester, t->stranger};
    uint8_t frame[IBC_NEIGHBOUR_ANSWER], mac[16] = {0};
    char text[TEXT];
    uint64_t of;
    size_t which;

    for (unsigned k = 0; k < TIMES; k++) {
        for (size_t i = 0; i < 2; i++)
            for (unsigned q = 0; q < IBC_NEIGHBOUR_QUESTIONS; q++) {
                const size_t n = ibc_neighbour_ask(frame, own, &a[i], q);
                if (n > 0 && !ibc_wire_send(w, frame, n))
                    return no(t, "%s", w->fault);
            }
        if (!is_claimed(w, ibc_wire_clock() + pause[k], a, 2, &which, &of))
            continue;
        for (unsigned i = 0; i < 6; i++)
            mac[i] = (uint8_t)(of >> (40 - 8 * i));
        print(mac, LIVE_MAC, text);
        return no(t, "the agent's address of the %s is in use on %s, by %s", name[which], w->own, text);
    }
    return true;
}

static bool was_accepted(const struct live_accepted *a, const struct parties *p)
{
    bool same = a->any;

    for (unsigned i = 0; i < p->n && same; i++)
        same = is_equal(&a->is[i], p->a[i]);
    return same;
}

bool live_accept(struct ibc_target *t, enum ibc_link link, struct ibc_wire *const wire[IBC_DEVICES],
                 const struct live_pins *pins, struct live_accepted *a, void (*show)(const char *line))
{
    const struct parties p = list(t);
    struct ibc_wire_port port;
    bool on_interface = false;

    if (t->framing == IBA_LINK_IB || was_accepted(a, &p))
        return true;
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        on_interface |= wire[d] && ibc_wire_port(wire[d], &port);
    for (unsigned i = 0; i < p.n; i++) {
        if (!check_one(&p, i, link, on_interface))
            return false;
        for (unsigned k = 0; k < i && k < DEVICES; k++)
            if (share_an_address(p.a[i], p.a[k]))
                return no(t, "the agent gives %s and %s the same address", p.name[k], p.name[i]);
    }
    if (pins && !check_pins(&p, pins))
        return false;
    if (show && on_interface)
        say(&p, show);
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (wire[d] && ibc_wire_port(wire[d], &port) && !probe(t, wire[d], port.mac))
            return false;
    for (unsigned i = 0; i < p.n; i++)
        a->is[i] = *p.a[i];
    a->any = true;
    return true;
}
