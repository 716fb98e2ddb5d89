/* SPDX-License-Identifier: BSD-2-Clause */
/* The wires of a live device, and its time: the agent's time if that is virtual, otherwise the clock of this
 * machine. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "live_inside.h"
#include "wire_neighbour.h"

void live_drain(struct live *l)
{
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (l->o.wire[d])
            ibc_wire_drain(l->o.wire[d]);
}

uint64_t live_lost(struct ibc_target *t)
{
    struct live *l = live_of(t);
    uint64_t n = l->missed;

    for (unsigned d = 0; d < IBC_DEVICES; d++)
        n += l->o.wire[d] ? ibc_wire_lost(l->o.wire[d]) : 0;
    return n;
}

bool live_hear(struct live *l)
{
    const struct ibc_target *t = &l->t;
    const uint64_t mac[] = {t->tester.mac,    t->stranger.mac,  t->device[0].mac,
                            t->device[1].mac, t->second[0].mac, t->second[1].mac};
    uint64_t known[LIVE_PARTIES];
    size_t n = 0;

    for (size_t i = 0; i < sizeof mac / sizeof *mac; i++)
        if (mac[i])
            known[n++] = mac[i];
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (l->o.wire[d] && !ibc_wire_hear(l->o.wire[d], known, n)) {
            snprintf(l->t.fault, sizeof l->t.fault, "%s", l->o.wire[d]->fault);
            return false;
        }
    return true;
}

uint64_t live_now(struct ibc_target *t)
{
    return t->virtual_time ? live_of(t)->now : ibc_wire_clock();
}

enum ibc_rc live_inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    struct live *l = live_of(t);
    struct ibc_wire *w = l->o.wire[d < IBC_DEVICES ? d : 0];

    if (!w)
        return IBC_UNSUPPORTED;
    if (!l->up)
        return IBC_LOST;
    if (ibc_wire_send(w, frame, len))
        return IBC_OK;
    snprintf(t->fault, sizeof t->fault, "%s", w->fault);
    return w->nobody ? IBC_LOST : IBC_BROKEN;
}

/* ---- received frames ---- */

/* Receives a frame of wire `d` for the runner. */
static enum ibc_wire_got take_one(struct live *l, unsigned d, uint8_t *frame, size_t *len, uint64_t *at)
{
    const struct ibc_address who[] = {l->t.tester, l->t.stranger};
    struct ibc_wire *w = l->o.wire[d];
    uint8_t answer[IBC_NEIGHBOUR_ANSWER];
    enum ibc_wire_got got;
    size_t n;

    for (unsigned i = 0; (got = ibc_wire_receive(w, frame, len, at, 0)) == IBC_WIRE_FRAME; i++) {
        if (l->t.framing == IBA_LINK_IB || ibc_is_roce(frame, *len))
            return got;
        if (ibc_neighbour(frame, *len, who, sizeof who / sizeof *who, answer, &n) && n > 0)
            (void)ibc_wire_send(w, answer, n); /* if the answer is lost, the device asks again */
        got = IBC_WIRE_NOTHING;
        if (i == LIVE_CHATTER)
            break;
    }
    if (got == IBC_WIRE_GONE)
        snprintf(l->t.fault, sizeof l->t.fault, "%s", w->fault);
    *len = 0;
    return got;
}

/* Receives a frame of any device in the set `of` (1 << d). */
static enum ibc_wire_got take_any(struct live *l, unsigned of, uint8_t *frame, size_t *len, uint64_t *at,
                                  unsigned *from)
{
    enum ibc_wire_got got = IBC_WIRE_NOTHING;

    for (unsigned i = 1; i <= IBC_DEVICES && got == IBC_WIRE_NOTHING; i++) {
        *from = (l->last + i) % IBC_DEVICES;
        if (of >> *from & 1 && l->o.wire[*from])
            got = take_one(l, *from, frame, len, at);
    }
    if (got == IBC_WIRE_FRAME)
        l->last = *from;
    return got;
}

/* Waits until a wire has a frame, or until `until` on ibc_wire_clock()'s clock. */
static void wait_wires(const struct live *l, uint64_t until)
{
    struct pollfd p[IBC_DEVICES];
    nfds_t n = 0;
    const uint64_t now = ibc_wire_clock(), ns = until > now ? until - now : 0;
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (l->o.wire[d])
            p[n++] = (struct pollfd){.fd = ibc_wire_fd(l->o.wire[d]), .events = POLLIN};
    (void)ppoll(p, n, &t, NULL);
}

static enum ibc_wire_got take_until(struct live *l, unsigned of, uint64_t until, uint8_t *frame, size_t *len,
                                    uint64_t *at, unsigned *from)
{
    enum ibc_wire_got got;

    while ((got = take_any(l, of, frame, len, at, from)) == IBC_WIRE_NOTHING && ibc_wire_clock() < until)
        wait_wires(l, until);
    return got;
}

/* ---- virtual time ---- */

/* Lets virtual time pass in the device. *frames becomes the number of frames that the device sent meanwhile. */
static enum ibc_rc advance(struct live *l, unsigned d, uint64_t until, uint32_t *frames)
{
    enum ibc_rc rc;

    live_request(l, AG_V_advance, d)->u.advance.until = until;
    rc = live_ask(l);
    if (rc != IBC_OK)
        return rc;
    *frames = l->r.u.advance.frames;
    if (l->r.u.advance.now < l->now || (*frames == 0 && l->r.u.advance.now < until))
        return live_dead(l, "asked for advance: its time does not pass");
    l->now = l->r.u.advance.now;
    return IBC_OK;
}

static enum ibc_rc collect_virtual(struct live *l, unsigned of, uint64_t until, uint8_t *frame, size_t *len,
                                   uint64_t *at, unsigned *from)
{
    enum ibc_wire_got got = take_any(l, of, frame, len, at, from);
    enum ibc_rc rc = IBC_OK;
    uint32_t frames = 1;
    uint64_t lost;

    while (got == IBC_WIRE_NOTHING && rc == IBC_OK && frames > 0) { /* ends: time passes or frames are lost */
        lost = live_lost(&l->t);
        rc = advance(l, of == 2, until, &frames);
        if (rc != IBC_OK || frames == 0)
            break;
        got = take_any(l, of, frame, len, at, from);
        if (got == IBC_WIRE_NOTHING && live_lost(&l->t) == lost)
            got = take_until(l, of, ibc_wire_clock() + live_scaled(l, LIVE_LATE), frame, len, at, from);
        l->missing = got == IBC_WIRE_NOTHING && live_lost(&l->t) == lost ? l->missing + 1 : 0;
        l->missed += l->missing > 0;
        if (l->missing == LIVE_MOST_MISSED)
            return live_dead(l, "frames that it says it sent do not come");
    }
    *at = l->now;
    return got == IBC_WIRE_GONE ? IBC_BROKEN : rc;
}

/* ---- both ---- */

static enum ibc_rc collect_of(struct live *l, unsigned of, uint64_t until, uint8_t *frame, size_t *len, uint64_t *at,
                              unsigned *from)
{
    *len = 0;
    *from = 0;
    *at = live_now(&l->t);
    if (!l->up)
        return IBC_LOST;
    if (l->t.virtual_time)
        return collect_virtual(l, of, until, frame, len, at, from);
    if (take_until(l, of, until, frame, len, at, from) == IBC_WIRE_GONE)
        return IBC_BROKEN;
    if (*len == 0)
        *at = live_now(&l->t);
    return IBC_OK;
}

enum ibc_rc live_collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                         uint64_t *at)
{
    unsigned from;

    return collect_of(live_of(t), 1u << (d < IBC_DEVICES ? d : 0), until, frame, len, at, &from);
}

enum ibc_rc live_collect_any(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len, uint64_t *at,
                             unsigned *from)
{
    return collect_of(live_of(t), (1u << IBC_DEVICES) - 1, until, frame, len, at, from);
}

/* ---- for people ---- */

enum { ADDRESS = 64 }; /* more than the letters of a MAC and an IPv4 address */

static void print_address(char out[ADDRESS], const struct ibc_address *a, enum ibc_link link)
{
    const uint64_t m = a->mac;
    const uint32_t i = a->ipv4;
    const int used = snprintf(out, ADDRESS, "%02x:%02x:%02x:%02x:%02x:%02x", (uint8_t)(m >> 40), (uint8_t)(m >> 32),
                              (uint8_t)(m >> 24), (uint8_t)(m >> 16), (uint8_t)(m >> 8), (uint8_t)m);

    if (link == IBC_LINK_roce2_ipv4)
        (void)snprintf(out + used, ADDRESS - (size_t)used, " %u.%u.%u.%u", (uint8_t)(i >> 24), (uint8_t)(i >> 16),
                       (uint8_t)(i >> 8), (uint8_t)i);
}

void ibc_live_describe(const struct ibc_target *t, char *out, size_t n)
{
    const struct live *l = (const struct live *)t;
    const struct ibc_wire *w = l->o.wire[0];
    struct ibc_wire_port p;
    char from[ADDRESS], to[ADDRESS], port[48] = "";

    print_address(from, &t->tester, l->link);
    print_address(to, &t->device[0], l->link);
    if (ibc_wire_port(w, &p))
        snprintf(port, sizeof port, " (MTU %u, link %s)", p.mtu, p.link ? "up" : "down");
    snprintf(
        out, n,
        "; from %s to %s by %.80s%s: %llu frames sent, %llu came%s. Likely: cable, VLAN, MTU, a firewall or another "
        "port at the device%s, or the tester's address outside of the device's subnet",
        from, to, w->spec, port, (unsigned long long)w->sent, (unsigned long long)w->came,
        w->came ? "" : ", not even a question for the tester's address",
        ibc_wire_privileged(w->spec) ? " (tcpdump shows what comes)" : "");
}
