/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends one request and receives one reply within a time limit. An agent that breaks the protocol once is dead
 * until the next reset greets it again. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "live_inside.h"

uint64_t live_scaled(const struct live *l, uint64_t ns)
{
    return l->o.time_scale > 0 ? (uint64_t)((double)ns * l->o.time_scale) : ns;
}

enum ibc_rc live_dead(struct live *l, const char *format, ...)
{
    va_list args;
    int n = snprintf(l->t.fault, sizeof l->t.fault, LIVE_AGENT);

    va_start(args, format);
    (void)vsnprintf(l->t.fault + n, sizeof l->t.fault - (size_t)n, format, args);
    va_end(args);
    channel_close(&l->channel);
    l->up = false;
    return IBC_LOST;
}

struct ag_request *live_request(struct live *l, enum ag_verb verb, unsigned d)
{
    l->q = (struct ag_request){.id = ++l->id, .verb = verb, .device = d};
    return &l->q;
}

/* ---- refusals by an agent ---- */

static enum ibc_rc refusal(struct live *l)
{
    struct ibc_target *t = &l->t;

    switch (l->r.error) {
    case AG_FINE: return IBC_OK;
    case AG_E_unsupported: return IBC_UNSUPPORTED;
    case AG_E_COUNT: snprintf(t->refusal, sizeof t->refusal, "%s", l->r.word); return IBC_REFUSED;
    case AG_E_dead: snprintf(t->fault, sizeof t->fault, "%.150s", l->r.text); return IBC_DEAD;
    case AG_E_fault: snprintf(t->fault, sizeof t->fault, "%.150s", l->r.text); return IBC_BROKEN;
    default:
        snprintf(t->fault, sizeof t->fault, "the agent refuses %s: %.40s: %.60s", ag_verb_name(l->q.verb), l->r.word,
                 l->r.text);
        return IBC_BROKEN;
    }
}

/* ---- one exchange ---- */

/* Keeps frames that arrive on the wires while the target waits for the agent. */
static void keep_frames(void *ctx)
{
    struct live *l = ctx;

    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (l->o.wire[d])
            ibc_wire_keep(l->o.wire[d]);
}

static void watch_wires(struct live *l, struct channel_idle *idle)
{
    *idle = (struct channel_idle){.idle = keep_frames, .ctx = l};
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (l->o.wire[d])
            idle->fd[idle->n++] = ibc_wire_fd(l->o.wire[d]);
}

/* Receives the answer to the request. A serial port keeps answers for testers that have gone, and gives them to the
 * next tester, which therefore skips a few answers with other ids until the agent is greeted. */
static bool receive(struct live *l, uint64_t until, const struct channel_idle *idle, char *why, size_t cap)
{
    enum { OF_OTHERS = 8 };

    for (unsigned skipped = 0;; skipped++) {
        size_t len;
        const char *answer = channel_receive(&l->channel, &len, until, idle);
        if (!answer) {
            snprintf(why, cap, "%s", l->channel.fault);
            return false;
        }
        const bool good = ag_read_reply(answer, len, l->q.verb, &l->r, why, cap);
        if (l->r.id == l->q.id) /* an answer without an id has id 0, which no request has */
            return good;
        if (!l->up && l->r.has_id && skipped < OF_OTHERS)
            continue;
        if (good)
            snprintf(why, cap, "it answers another request");
        return false;
    }
}

static enum ibc_rc exchange(struct live *l)
{
    const uint64_t until = ibc_wire_clock() + live_scaled(l, LIVE_DEADLINE);
    const char *verb = ag_verb_name(l->q.verb);
    struct channel_idle idle;
    size_t len = ag_write_request(&l->q, l->line, AG_LINE);
    char why[AG_SENTENCE];

    l->line[len++] = '\n';
    watch_wires(l, &idle);
    if (!channel_send(&l->channel, l->line, len, until, &idle))
        return live_dead(l, "asked for %s: %s", verb, l->channel.fault);
    if (!receive(l, until, &idle, why, sizeof why))
        return live_dead(l, "asked for %s: %s", verb, why);
    return refusal(l);
}

enum ibc_rc live_ask(struct live *l)
{
    const uint64_t began = ibc_wire_clock();
    enum ibc_rc rc;
    uint64_t took;

    if (!l->up)
        return IBC_LOST; /* the reason is already recorded */
    rc = exchange(l);
    took = ibc_wire_clock() - began;
    if (l->q.verb != AG_V_reset && took > l->t.slowest) {
        l->t.slowest = took;
        l->t.slow_verb = ag_verb_name(l->q.verb);
    }
    return rc;
}

/* ---- the greeting ---- */

static bool greet(struct live *l)
{
    struct ag_hello_args *h = &live_request(l, AG_V_hello, 0)->u.hello;
    const struct ag_hello_ok *is = &l->r.u.hello;
    enum ibc_rc rc;

    h->version = AG_VERSION;
    if (l->token) {
        AG_SET(h, hello_args, token, (struct ag_text){{0}});
        snprintf(h->token.s, sizeof h->token.s, "%s", l->token);
    }
    rc = exchange(l);
    if (rc == IBC_LOST)
        return false;
    if (rc != IBC_OK)
        (void)live_dead(l, "hello: %s: %.100s", l->r.word, l->r.text);
    else if (is->version != AG_VERSION)
        (void)live_dead(l, "it speaks version %u of the protocol, we speak %d", is->version, (int)AG_VERSION);
    else if (is->devices < 1 || is->devices > IBC_DEVICES)
        (void)live_dead(l, "it says that it has %u devices; 1 or %d can be tested", is->devices, (int)IBC_DEVICES);
    else
        l->hello = *is;
    return rc == IBC_OK && l->channel.fd >= 0;
}

/* Rejects an agent that accepts every verb: every scenario would pass with it. */
static bool is_honest(struct live *l)
{
    (void)live_request(l, AG_V_no_such_verb, 0);
    switch (exchange(l)) {
    case IBC_UNSUPPORTED: return true;
    case IBC_LOST: return false;
    case IBC_OK: (void)live_dead(l, "it does a verb that cannot exist, where it should say unsupported"); return false;
    default:
        (void)live_dead(l, "asked for a verb that cannot exist: it says %s, not unsupported", l->r.word);
        return false;
    }
}

bool live_same_boot(const struct live *l)
{
    return l->boot[0] && strcmp(l->boot, l->hello.boot.s) == 0;
}

bool live_connect(struct live *l)
{
    const uint64_t until = ibc_wire_clock() + live_scaled(l, LIVE_DEADLINE);

    if (!channel_open(&l->channel, l->agent, until)) {
        (void)live_dead(l, "%s", l->channel.fault);
        return false;
    }
    l->no_log = false;
    l->up = greet(l) && is_honest(l);
    if (l->up && !live_same_boot(l))
        l->log_at = 0; /* the system's log has begun again */
    return l->up;
}
