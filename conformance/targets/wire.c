/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of all wires: time limits, frames that are kept, frames that are dropped on purpose. */
#include "wire.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "wire_adapters.h"
#include "wire_tap.h"

enum {
    SEND_PATIENCE_MS = 2000,
    MOST_KEPT = 32 << 20,  /* bytes of frames that are kept */
    MOST_AT_ONCE = 100000, /* frames read in one call: the other end may send faster than this end reads */
};

struct ibc_wire_kept {
    struct ibc_wire_kept *next;
    uint64_t at;
    size_t len;
    uint8_t frame[];
};
static const struct ibc_wire_ops *const adapters[] = {&ibc_wire_unix, &ibc_wire_dgram, &ibc_wire_afpacket};
enum { ADAPTERS = sizeof adapters / sizeof *adapters };

/* ---- from open to close ---- */

static const struct ibc_wire_ops *adapter_of(const char *spec)
{
    const size_t n = strcspn(spec, ":");

    for (size_t i = 0; spec[n] == ':' && i < ADAPTERS; i++)
        if (strlen(adapters[i]->name) == n && strncmp(spec, adapters[i]->name, n) == 0)
            return adapters[i];
    return NULL;
}

bool ibc_wire_privileged(const char *spec)
{
    return adapter_of(spec) == &ibc_wire_afpacket;
}

bool ibc_wire_leaves(const char *spec, const struct ibc_wire *w)
{
    const struct ibc_wire_ops *ops = adapter_of(spec);

    return ops && ops->leaves && ops->leaves(w, spec + strlen(ops->name) + 1);
}

/* Removes ",drop=N%" from the end of `args`. */
static bool take_drop(struct ibc_wire *w, char *args)
{
    static const char word[] = ",drop=";
    char *at = strstr(args, word), *end;
    double percent;

    if (!at)
        return true;
    percent = strtod(at + sizeof word - 1, &end);
    if (end == at + sizeof word - 1 || strcmp(end, "%") != 0 || !(percent >= 0 && percent <= 100))
        return false;
    w->drop = (uint32_t)(percent / 100 * UINT32_MAX);
    *at = '\0';
    return true;
}

static struct ibc_wire *new_wire(const struct ibc_wire_ops *ops, const char *spec)
{
    struct ibc_wire *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    *w = (struct ibc_wire){.ops = ops, .fd = -1, .random = 1};
    snprintf(w->spec, sizeof w->spec, "%s", spec);
    return w;
}

static void list_adapters(const char *spec, char *err, size_t errlen)
{
    int n = snprintf(err, errlen, "wire %s: no such adapter; there are", spec);

    for (size_t i = 0; i < ADAPTERS && n > 0 && (size_t)n < errlen; i++)
        n += snprintf(err + n, errlen - (size_t)n, "%s %s", i ? "," : "", adapters[i]->form);
}

struct ibc_wire *ibc_wire_open(const char *spec, char *err, size_t errlen)
{
    const struct ibc_wire_ops *ops = adapter_of(spec);
    struct ibc_wire *w;
    char args[sizeof w->spec];

    if (!ops) {
        list_adapters(spec, err, errlen);
        return NULL;
    }
    snprintf(args, sizeof args, "%s", spec + strlen(ops->name) + 1);
    w = new_wire(ops, spec);
    if (!w)
        snprintf(err, errlen, "wire %s: out of memory", spec);
    else if (strlen(spec) >= sizeof w->spec)
        snprintf(err, errlen, "wire %.40s...: longer than %zu bytes", spec, sizeof w->spec - 1);
    else if (!take_drop(w, args))
        snprintf(err, errlen, "wire %s: drop= wants a share of 0%% to 100%%, as drop=1%%, and comes last", spec);
    else if (ops->open(w, args, err, errlen))
        return w;
    ibc_wire_close(w);
    return NULL;
}

static void forget_kept(struct ibc_wire *w)
{
    struct ibc_wire_kept *next;

    for (struct ibc_wire_kept *k = w->kept; k; k = next) {
        next = k->next;
        free(k);
    }
    w->kept = w->last = NULL;
    w->kept_bytes = 0;
}

void ibc_wire_close(struct ibc_wire *w)
{
    if (!w)
        return;
    forget_kept(w);
    if (w->ops->close)
        w->ops->close(w);
    if (w->fd >= 0)
        close(w->fd);
    wire_tap_close(w->tap);
    free(w->lead);
    free(w);
}

bool ibc_wire_loop(struct ibc_wire *end[2])
{
    int fd[2];

    if (!wire_pair(fd))
        return false;
    for (unsigned i = 0; i < 2; i++)
        end[i] = new_wire(&ibc_wire_inside, "loop");
    if (end[0] && end[1]) {
        end[0]->fd = fd[0];
        end[1]->fd = fd[1];
        return true;
    }
    for (unsigned i = 0; i < 2; i++) {
        close(fd[i]);
        ibc_wire_close(end[i]);
    }
    return false;
}

/* ---- frames ---- */

static bool is_dropped(struct ibc_wire *w)
{
    if (w->drop == 0)
        return false;
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if ((uint32_t)(w->random >> 32) >= w->drop)
        return false;
    w->lost++;
    return true;
}

/* Takes one frame from the adapter itself. Frames that are to be dropped are skipped. */
static enum ibc_wire_got take(struct ibc_wire *w, uint8_t *frame, size_t *len, uint64_t *at)
{
    for (unsigned i = 0; i < MOST_AT_ONCE; i++) {
        const int e = w->ops->take(w, frame, IBC_WIRE_MOST, len, at);
        if (e == 0 && !is_dropped(w)) {
            w->came++;
            return IBC_WIRE_FRAME;
        }
        if (e == EMSGSIZE)
            w->lost++;
        else if (e == EAGAIN)
            return IBC_WIRE_NOTHING;
        else if (e != 0) {
            wire_explain(w, "%s", strerror(e));
            return IBC_WIRE_GONE;
        }
    }
    return IBC_WIRE_NOTHING;
}

void ibc_wire_keep(struct ibc_wire *w)
{
    uint8_t frame[IBC_WIRE_MOST];
    size_t len;
    uint64_t at;

    for (unsigned i = 0; i < MOST_AT_ONCE && take(w, frame, &len, &at) == IBC_WIRE_FRAME; i++) {
        struct ibc_wire_kept *k = w->kept_bytes < MOST_KEPT ? malloc(sizeof *k + len) : NULL;
        if (!k) {
            w->lost++;
            continue;
        }
        *k = (struct ibc_wire_kept){.at = at, .len = len};
        memcpy(k->frame, frame, len);
        if (w->last)
            w->last->next = k;
        else
            w->kept = k;
        w->last = k;
        w->kept_bytes += sizeof *k + len;
    }
}

static bool wait_readable(const struct ibc_wire *w, uint64_t timeout)
{
    struct pollfd p = {.fd = w->fd, .events = POLLIN};
    const struct timespec t = {.tv_sec = (time_t)(timeout / 1000000000u), .tv_nsec = (long)(timeout % 1000000000u)};

    return ppoll(&p, 1, &t, NULL) > 0;
}

bool ibc_wire_send(struct ibc_wire *w, const uint8_t *frame, size_t len)
{
    const uint64_t until = ibc_wire_clock() + SEND_PATIENCE_MS * UINT64_C(1000000);
    int e;

    if (is_dropped(w))
        return true;
    while ((e = w->ops->send(w, frame, len)) == EAGAIN && ibc_wire_clock() < until) {
        ibc_wire_keep(w); /* the other end may be waiting until this end reads its frames */
        (void)wait_readable(w, 100000);
    }
    w->nobody = e == ENOENT || e == ECONNREFUSED;
    if (e == 0 && w->tap)
        wire_tap_sent(w->tap, frame, len);
    w->sent += e == 0;
    if (e == 0)
        return true;
    switch (e) {
    case EMSGSIZE: wire_explain(w, "takes no frame of %zu bytes", len); break;
    case EAGAIN: wire_explain(w, "the other end does not take frames"); break;
    case ENOENT:
    case ECONNREFUSED: wire_explain(w, "nobody is at the other end"); break;
    default: wire_explain(w, "%s", strerror(e));
    }
    return false;
}

static bool take_kept(struct ibc_wire *w, uint8_t *frame, size_t *len, uint64_t *at)
{
    struct ibc_wire_kept *k = w->kept;

    if (!k)
        return false;
    *len = k->len;
    *at = k->at;
    memcpy(frame, k->frame, k->len);
    w->kept = k->next;
    w->last = w->kept ? w->last : NULL;
    w->kept_bytes -= sizeof *k + k->len;
    free(k);
    return true;
}

enum ibc_wire_got ibc_wire_receive(struct ibc_wire *w, uint8_t *frame, size_t *len, uint64_t *at, uint64_t timeout)
{
    const uint64_t now = ibc_wire_clock(), until = timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX;
    enum ibc_wire_got got;

    if (take_kept(w, frame, len, at))
        return IBC_WIRE_FRAME;
    while ((got = take(w, frame, len, at)) == IBC_WIRE_NOTHING) {
        const uint64_t is = ibc_wire_clock();
        if (timeout == 0 || is >= until)
            break;
        (void)wait_readable(w, until - is);
    }
    if (got != IBC_WIRE_FRAME)
        *len = 0;
    return got;
}

int ibc_wire_fd(const struct ibc_wire *w)
{
    return w->fd;
}

bool ibc_wire_waiting(const struct ibc_wire *w)
{
    return w->kept != NULL;
}

void ibc_wire_drain(struct ibc_wire *w)
{
    uint8_t frame[IBC_WIRE_MOST];
    size_t len;
    uint64_t at;

    forget_kept(w);
    for (unsigned i = 0; i < MOST_AT_ONCE && take(w, frame, &len, &at) == IBC_WIRE_FRAME; i++)
        ;
}

uint64_t ibc_wire_lost(struct ibc_wire *w)
{
    return w->lost + wire_kernel_lost(w->fd) + (w->tap ? wire_tap_unseen(w->tap) : 0);
}

bool ibc_wire_hear(struct ibc_wire *w, const uint64_t *mac, size_t n)
{
    return !w->ops->hear || w->ops->hear(w, mac, n);
}

bool ibc_wire_port(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    *p = (struct ibc_wire_port){.up = true, .link = true};
    if (!w->ops->look)
        return false;
    w->ops->look(w, p);
    return true;
}
