/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_parties.h"
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
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

static const size_t family_bytes[] = {[LIVE_MAC] = 6, [LIVE_IPV4] = 4};
static const uint8_t nothing[16];

/* Copies the address of that family; of LIVE_IPV6 the GID if `second`. All zero: the party has no such address. */
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

bool live_pin_add(struct live_pins *p, const char *text)
{
    struct live_pin pin = {.family = LIVE_MAC};

    if (p->n == LIVE_PINS)
        return false;
    if (live_unhex(text, ':', pin.bytes, 6))
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

/* Returns why no single host can have the address; NULL: one may have it. */
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

/* ---- the parties ---- */

struct parties {
    struct ibc_target *t;
    const struct ibc_address *a[LIVE_PARTIES];
    const char *name[LIVE_PARTIES];
    unsigned n;
};
enum { TESTER, STRANGER, DEVICES }; /* indices of the parties */

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

/* Whether packets of the link need addresses of that family, in addition to MACs. */
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
                why = live_host_has(b, (enum live_family)f);
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

/* The line has room for the longest names and addresses of all parties. */
static void say(const struct parties *p, void (*show)(const char *line))
{
    char line[LINE], text[TEXT];
    size_t used = 0;

    for (unsigned i = 0; i < p->n; i++) {
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", i ? "; " : "", p->name[i]);
        for (unsigned f = LIVE_MAC; f <= LIVE_IPV6; f++) {
            uint8_t b[16];
            take(p->a[i], (enum live_family)f, false, b);
            print(b, (enum live_family)f, text);
            if (!is_zero(b))
                used += (size_t)snprintf(line + used, sizeof line - used, " %s", text);
        }
    }
    show(line);
}

/* ---- are they free? ---- */

/* Reads frames that arrive before `until`. Whether one of them shows a host that has an address of `a`. */
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
