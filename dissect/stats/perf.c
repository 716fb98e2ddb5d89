/* SPDX-License-Identifier: BSD-2-Clause */
/* -z perf: rates of each direction, what is outstanding, and what limits it. */
#include <stdlib.h>
#include "observer/iba_finding_kinds.h"
#include "stats/kinds.h"
#include "stats/perf_print.h"

void *stat_perf_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("perf", sizeof(struct perf), arg, err, errlen);
}

static struct perf_sender *sender_of(struct perf *s, const struct direction *d)
{
    uint32_t *at = &s->place[d->id];

    if (*at == 0 && s->n < PERF_SENDERS) {
        *at = ++s->n;
        s->sender[*at - 1].d = d;
    }
    return *at ? &s->sender[*at - 1] : NULL;
}

/* Never older than the packet before. */
static bool read_clock(struct perf *s, const struct packet *p)
{
    int64_t ns;

    if (!stat_clock_read(&s->clock, p, &ns))
        return false;
    s->now = ns > 0 && (uint64_t)ns > s->now ? (uint64_t)ns : s->now;
    return true;
}

/* Copies that the network made do not count. */
static bool counts(const struct packet *p)
{
    const struct verdict *v = p->verdict;

    for (unsigned i = 0; i < verdict_kept(v); i++)
        if (v->finding[i].kind == IBA_FINDING_NETWORK_COPY)
            return false;
    return p->view.op && !iba_view_is_damaged(&p->view) && !verdict_is_twin(v, p->number);
}

static void response(struct perf *s, const struct packet *p)
{
    const struct direction *d = p->verdict->direction;
    const uint32_t at = d->peer ? s->place[d->peer - 1] : 0;

    if (at == 0)
        return;
    if (p->view.op->operation == IBA_OPERATION_CNP)
        s->sender[at - 1].cnp_at = s->now + 1;
    else
        perf_answer(&s->sender[at - 1], p, s->now);
}

void stat_perf_packet(void *state, const struct packet *p)
{
    struct perf *s = state;
    const struct direction *d = p->verdict->direction;

    if (!d || !counts(p))
        return;
    if (!read_clock(s, p)) {
        s->untimed++;
        return;
    }
    if (p->view.op->dir != IBA_REQ || p->view.op->operation == IBA_OPERATION_CNP) {
        response(s, p);
        return;
    }
    struct perf_sender *sender = sender_of(s, d);
    if (sender)
        perf_request(sender, p, s->now);
    else
        s->beyond++;
}

void stat_perf_print(void *state, struct out *o, bool json)
{
    struct perf *s = state;

    for (uint32_t i = 0; i < s->n; i++) {
        perf_end(&s->sender[i]);
        s->seen[i] = s->sender[i].d;
    }
    ends_sort(s->seen, s->n, NULL, NULL);
    (json ? perf_print_json : perf_print_text)(s, o);
}
