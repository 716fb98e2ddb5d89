/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of all wires, with an adapter of the test's own that fails on request: frames that are kept, lost or
 * dropped, errors of an adapter, limits. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "held.h"
#include "targets/wire.h"

static const uint64_t ms = 1000000;

/* ---- the adapter ---- */

static struct {
    int take[4], send[4]; /* results in turn; the last one again and again */
    unsigned n_take, n_send, takes, sends, closed;
    size_t len; /* of a frame that is taken */
    uint8_t sent[100];
    bool hears;
    uint64_t mac;
    size_t n_mac;
} adapter;

static int next(const int *results, unsigned n, unsigned *i)
{
    const unsigned k = *i < n ? *i : n - 1;

    ++*i;
    return results[k];
}

static int take(struct ibc_wire *w, uint8_t *frame, size_t room, size_t *len, uint64_t *at)
{
    (void)w;
    cr_assert_eq(room, IBC_WIRE_MOST);
    const int e = next(adapter.take, adapter.n_take, &adapter.takes);
    if (e == 0) {
        frame[0] = (uint8_t)adapter.takes;
        frame[adapter.len - 1] = 0x99;
        *len = adapter.len;
        *at = 1000 + adapter.takes;
    }
    return e;
}

static int send_one(struct ibc_wire *w, const uint8_t *frame, size_t len)
{
    (void)w;
    memcpy(adapter.sent, frame, len < sizeof adapter.sent ? len : sizeof adapter.sent);
    return next(adapter.send, adapter.n_send, &adapter.sends);
}

static bool hear(struct ibc_wire *w, const uint64_t *mac, size_t n)
{
    (void)w;
    adapter.mac = *mac;
    adapter.n_mac = n;
    return adapter.hears;
}

static void close_one(struct ibc_wire *w)
{
    (void)w;
    adapter.closed++;
}

static void look(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    cr_assert(w && p->up && p->link);
    p->mtu = 77;
}

static const struct ibc_wire_ops bare = {.take = take, .send = send_one};
static const struct ibc_wire_ops full = {
    .take = take, .send = send_one, .hear = hear, .close = close_one, .look = look};
static struct ibc_wire *w, *other;

#define TAKES(...) results(adapter.take, &adapter.n_take, (const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__})
#define SENDS(...) results(adapter.send, &adapter.n_send, (const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__})

static void results(int *to, unsigned *n, const int *from, size_t bytes)
{
    memcpy(to, from, bytes);
    *n = (unsigned)(bytes / sizeof *from);
    adapter.takes = adapter.sends = 0;
}

static void begin(void)
{
    struct ibc_wire *end[2];

    cr_assert(ibc_wire_loop(end));
    w = end[0];
    other = end[1];
    w->ops = &bare;
    memset(&adapter, 0, sizeof adapter);
    adapter.len = 60;
    TAKES(EAGAIN);
    SENDS(0);
}

static void end(void)
{
    ibc_wire_close(w);
    ibc_wire_close(other);
}

TestSuite(wire_common, .init = begin, .fini = end);

/* ---- receiving ---- */

static uint8_t frame[IBC_WIRE_MOST];
static size_t len;
static uint64_t at;

static enum ibc_wire_got receive(uint64_t timeout)
{
    len = 5;
    return ibc_wire_receive(w, frame, &len, &at, timeout);
}

Test(wire_common, frames_and_losses)
{
    TAKES(EMSGSIZE, EMSGSIZE, 0, EAGAIN);
    cr_expect_eq(receive(0), IBC_WIRE_FRAME);
    cr_expect(len == 60 && frame[0] == 3 && frame[59] == 0x99 && at == 1003);
    cr_expect(w->lost == 2 && w->came == 1 && ibc_wire_lost(w) == 2);
    cr_expect(receive(0) == IBC_WIRE_NOTHING && len == 0);
    TAKES(EIO);
    cr_expect(receive(1000 * ms) == IBC_WIRE_GONE && len == 0);
    cr_expect_str_eq(w->fault, "wire loop: Input/output error");
    cr_expect_eq(adapter.takes, 1);
    TAKES(EMSGSIZE);
    cr_expect(receive(0) == IBC_WIRE_NOTHING && w->lost == 100002, "%lu: the other end may not keep us here",
              (unsigned long)w->lost);
}

Test(wire_common, a_limit_of_time)
{
    uint64_t begun = ibc_wire_clock();

    cr_expect_eq(receive(60 * ms), IBC_WIRE_NOTHING);
    cr_expect_geq(ibc_wire_clock() - begun, 60 * ms);
    cr_expect_lt(adapter.takes, 20, "it waits");
    TAKES(EAGAIN, 0);
    begun = ibc_wire_clock();
    cr_assert(ibc_wire_send(other, frame, 60)); /* the descriptor becomes readable */
    cr_expect_eq(receive(20000 * ms), IBC_WIRE_FRAME);
    cr_expect_lt(ibc_wire_clock() - begun, 20000 * ms);
    TAKES(0);
    cr_expect_eq(receive(UINT64_MAX), IBC_WIRE_FRAME);
}

/* ---- kept frames ---- */

Test(wire_common, kept_frames)
{
    TAKES(0, 0, EAGAIN);
    ibc_wire_keep(w);
    cr_expect(ibc_wire_waiting(w) && w->came == 2 && w->kept_bytes > 120);
    TAKES(0, EAGAIN);
    adapter.len = 70;
    ibc_wire_keep(w);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(receive(0), IBC_WIRE_FRAME);
        cr_expect(len == (i < 2 ? 60 : 70) && frame[0] == (i < 2 ? i + 1 : 1) && frame[len - 1] == 0x99, "%u", i);
        cr_expect_eq(at, 1000 + (i < 2 ? i + 1 : 1));
    }
    cr_expect(!ibc_wire_waiting(w) && w->kept_bytes == 0 && receive(0) == IBC_WIRE_NOTHING);
    TAKES(0, EAGAIN);
    ibc_wire_keep(w);
    TAKES(0, 0, EAGAIN);
    ibc_wire_drain(w);
    cr_expect(!ibc_wire_waiting(w) && w->kept_bytes == 0 && adapter.takes == 3 && receive(0) == IBC_WIRE_NOTHING);
    TAKES(0, EAGAIN);
    ibc_wire_keep(w);
    cr_expect_eq(receive(0), IBC_WIRE_FRAME, "it keeps again");
}

/* Frames of 32 MiB are kept, and 100000 are read at once. */
Test(wire_common, limits_of_keeping)
{
    enum { AT_ONCE = 100000 };
    unsigned n = 0;

    adapter.len = IBC_WIRE_MOST;
    TAKES(0);
    ibc_wire_keep(w);
    cr_expect(adapter.takes == AT_ONCE && w->came == AT_ONCE);
    cr_expect(w->kept_bytes >= 32u << 20 && w->kept_bytes < (32u << 20) + 2 * IBC_WIRE_MOST);
    TAKES(EAGAIN);
    while (receive(0) == IBC_WIRE_FRAME)
        n++;
    cr_expect(n > 2000 && n <= 2048, "%u", n);
    cr_expect_eq(w->lost, AT_ONCE - n);
    TAKES(0);
    ibc_wire_drain(w);
    cr_expect_eq(adapter.takes, AT_ONCE);
}

/* ---- sending ---- */

Test(wire_common, sending)
{
    static const struct {
        int e;
        bool nobody;
        const char *says;
    } rows[] = {{EMSGSIZE, false, "wire loop: takes no frame of 60 bytes"},
                {ENOENT, true, "wire loop: nobody is at the other end"},
                {ECONNREFUSED, true, "wire loop: nobody is at the other end"},
                {EIO, false, "wire loop: Input/output error"}};

    memset(frame, 0x31, 60);
    cr_expect(ibc_wire_send(w, frame, 60) && w->sent == 1 && adapter.sent[59] == 0x31 && adapter.sends == 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SENDS(rows[i].e, 0);
        cr_expect_not(ibc_wire_send(w, frame, 60), "row %zu", i);
        cr_expect_str_eq(w->fault, rows[i].says, "row %zu: %s", i, w->fault);
        cr_expect(w->nobody == rows[i].nobody && w->sent == 1 + i, "row %zu", i);
        cr_expect(ibc_wire_send(w, frame, 60) && !w->nobody && w->sent == 2 + i, "row %zu", i);
    }
    TAKES(0, EAGAIN);
    SENDS(EAGAIN, EAGAIN, 0);
    cr_expect(ibc_wire_send(w, frame, 60) && adapter.sends == 3, "once there is room");
    cr_expect(ibc_wire_waiting(w), "frames that came meanwhile are kept");
}

Test(wire_common, frames_dropped_on_purpose)
{
    enum { TIMES = 4000 };

    w->drop = UINT32_MAX / 4;
    for (unsigned i = 0; i < TIMES; i++)
        cr_assert(ibc_wire_send(w, frame, 60));
    cr_expect(w->lost > TIMES / 5 && w->lost < TIMES * 3 / 10, "%lu", (unsigned long)w->lost);
    cr_expect(w->sent == TIMES - w->lost && adapter.sends == TIMES - w->lost);
    const uint64_t sent = w->lost;
    TAKES(0);
    for (unsigned i = 0; i < TIMES; i++)
        cr_assert_eq(receive(0), IBC_WIRE_FRAME);
    cr_expect(adapter.takes - TIMES == w->lost - sent && w->came == TIMES, "a frame that is dropped is none that came");
    cr_expect(w->lost - sent > TIMES / 5 && w->lost - sent < 2 * TIMES / 5);
}

/* ---- the rest ---- */

Test(wire_common, functions_that_an_adapter_may_lack)
{
    const uint64_t mac = 0x020000000001;
    struct ibc_wire_port p = {.mtu = 5};

    cr_expect(ibc_wire_hear(w, &mac, 1), "it receives everything");
    cr_expect_not(ibc_wire_port(w, &p));
    cr_expect(p.up && p.link && p.mtu == 0);
    w->ops = &full;
    cr_expect_not(ibc_wire_hear(w, &mac, 3));
    cr_expect(adapter.mac == mac && adapter.n_mac == 3);
    adapter.hears = true;
    cr_expect(ibc_wire_hear(w, &mac, 1));
    cr_expect(ibc_wire_port(w, &p) && p.mtu == 77);
    cr_expect_eq(ibc_wire_fd(w), w->fd);
    TAKES(0, EAGAIN);
    ibc_wire_keep(w);
    ibc_wire_close(w);
    cr_expect_eq(adapter.closed, 1);
    ibc_wire_close(NULL);
    w = NULL;
}

/* ---- names with several addresses ---- */

typedef int resolver(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* Some names have two addresses, in this order. */
int getaddrinfo(const char *restrict host, const char *restrict port, const struct addrinfo *restrict hints,
                struct addrinfo **restrict found)
{
    static const char *const names[][3] = {{"both", "::1", "127.0.0.1"},
                                           {"far", "127.0.0.1", "192.0.2.1"},
                                           {"near", "127.0.0.1", "127.0.0.2"},
                                           {"strange", "192.0.2.1", "127.0.0.1"}};
    resolver *real;

    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(host, names[i][0]) == 0)
            return real(names[i][1], port, hints, found) + real(names[i][2], port, hints, &(*found)->ai_next);
    return real(host, port, hints, found);
}

/* The first two addresses of one family that work are used, whatever comes before. */
Test(wire_common, addresses_of_both_families)
{
    static const struct {
        const char *spec;
        int family; /* AF_UNSPEC: it cannot be opened */
        bool leaves;
        const char *says;
    } rows[] = {
        {"dgram:both:9,127.0.0.1:0", AF_INET, false, ""},
        {"dgram:both:9,[::1]:0", AF_INET6, false, ""},
        {"dgram:127.0.0.1:9,both:0", AF_INET, false, ""},
        {"dgram:[::1]:9,both:0", AF_INET6, false, ""},
        {"dgram:near:9,near:0", AF_INET, false, ""},
        {"dgram:near:9,strange:0", AF_INET, false, ""}, /* the first cannot be bound */
        {"dgram:far:9,[::1]:0", AF_UNSPEC, true,
         "wire dgram:far:9,[::1]:0: want dgram:HOST:PORT,HOST:PORT, the peer's and the own; no such own address"},
        {"dgram:strange:9,192.0.2.1:0", AF_UNSPEC, true,
         "wire dgram:strange:9,192.0.2.1:0: Cannot assign requested address"},
    };
    const unsigned before = held_descriptors();
    char err[300] = "";

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sockaddr_storage a = {0};
        socklen_t n = sizeof a;
        struct ibc_wire *x = ibc_wire_open(rows[i].spec, err, sizeof err);
        cr_expect_eq(x != NULL, rows[i].family != AF_UNSPEC, "%s: %s", rows[i].spec, err);
        if (x)
            cr_expect(getpeername(x->fd, (struct sockaddr *)&a, &n) == 0 && a.ss_family == rows[i].family, "%s",
                      rows[i].spec);
        else
            cr_expect_str_eq(err, rows[i].says, "%s", err);
        ibc_wire_close(x);
        cr_expect_eq(ibc_wire_leaves(rows[i].spec, NULL), rows[i].leaves, "%s", rows[i].spec);
    }
    cr_expect_eq(held_descriptors(), before);
}

/* The list of adapters is cut where it has no room, and nothing is written after the room. */
Test(wire_common, a_list_in_a_small_room)
{
    char whole[400], err[400];

    cr_assert_null(ibc_wire_open("none:x", whole, sizeof whole));
    cr_assert(strstr(whole, "wire none:x: no such adapter; there are ") == whole && strlen(whole) < 300, "%s", whole);
    for (size_t room = 1; room < sizeof err - 1; room++) {
        memset(err, 0x5a, sizeof err);
        cr_assert_null(ibc_wire_open("none:x", err, room));
        const size_t n = strlen(whole) < room ? strlen(whole) : room - 1;
        cr_assert(strncmp(err, whole, n) == 0 && err[n] == '\0', "%zu", room);
        for (size_t i = room; i < sizeof err; i++)
            cr_assert_eq(err[i], 0x5a, "%zu of %zu", i, room);
    }
}
