/* SPDX-License-Identifier: BSD-2-Clause */
/* -z perf: rates of each direction, what is outstanding, and what limits its sender. */
#include <stdlib.h>
#include <string.h>
#include "observer/iba_finding_kinds.h"
#include "stats/kinds.h"
#include "stats/perf_print.h"
#include "track/addr.h"
#include "wire/iba_endpoints.h"

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

/* Reads the time of a packet, which is made not older than the time of the packet before. */
static bool read_clock(struct perf *s, const struct packet *p)
{
    int64_t ns;

    if (!stat_clock_read(&s->clock, p, &ns))
        return false;
    s->now = ns > 0 && (uint64_t)ns > s->now ? (uint64_t)ns : s->now;
    return true;
}

/* Whether the packet counts; copies that the network made do not. */
static bool counts(const struct packet *p)
{
    const struct verdict *v = p->verdict;

    for (unsigned i = 0; i < verdict_kept(v); i++)
        if (v->finding[i].kind == IBA_FINDING_NETWORK_COPY)
            return false;
    return p->view.op && !iba_view_is_damaged(&p->view) && !verdict_is_twin(v, p->number);
}

/* ---- notifications: a CNP belongs to no direction ---- */

static uint32_t slot_of(const struct iba_flow_key *k)
{
    uint8_t key[2 * IBA_ADDR_MOST + sizeof k->qpn];

    memcpy(key, k->src, IBA_ADDR_MOST);
    memcpy(key + IBA_ADDR_MOST, k->dst, IBA_ADDR_MOST);
    memcpy(key + sizeof key - sizeof k->qpn, &k->qpn, sizeof k->qpn);
    return (uint32_t)stat_hash(key, sizeof key);
}

static bool same_key(const struct iba_flow_key *a, const struct iba_flow_key *b)
{
    return a->qpn == b->qpn && direction_keys_same_ends(a, b);
}

/* Notes which notifications are for this sender. If so many slots in a row are taken, the sender is left out, which
 * bounds the time of a packet. */
static void expect_notices(struct perf *s, const struct direction *responses, uint32_t at)
{
    const uint32_t slot = slot_of(&responses->key);

    s->sender[at - 1].responses_from = responses;
    for (unsigned i = 0; i < PERF_PROBES; i++) {
        uint16_t *const x = &s->notified[(slot + i) % PERF_NOTIFIED];
        if (*x == 0 || *x == at) {
            *x = (uint16_t)at;
            return;
        }
    }
}

static void notice(struct perf *s, const struct packet *p)
{
    struct iba_flow_key k = {.qpn = iba_bth_destqp(iba_view_bth(&p->view))};
    struct iba_endpoints e;

    if (!iba_endpoints_of(&e, &p->view))
        return;
    k.kind = (uint8_t)e.kind;
    iba_addr_copy(k.src, e.kind, e.src);
    iba_addr_copy(k.dst, e.kind, e.dst);
    const uint32_t slot = slot_of(&k);
    for (unsigned i = 0; i < PERF_PROBES; i++) {
        const uint16_t at = s->notified[(slot + i) % PERF_NOTIFIED];
        if (at == 0)
            return;
        struct perf_sender *y = &s->sender[at - 1];
        if (y->responses_from->peer == y->d->id + 1 && same_key(&y->responses_from->key, &k)) {
            perf_notice(y, s->now);
            return;
        }
    }
}

static void response(struct perf *s, const struct packet *p)
{
    const struct direction *d = p->verdict->direction;
    const uint32_t at = d->peer ? s->place[d->peer - 1] : 0;

    if (at == 0)
        return;
    if (s->sender[at - 1].responses_from != d) /* the pair was a guess, and the guess may have been wrong */
        expect_notices(s, d, at);
    perf_answer(&s->sender[at - 1], p, s->now);
}

void stat_perf_packet(void *state, const struct packet *p)
{
    struct perf *s = state;
    const struct direction *d = p->verdict->direction;

    if (!counts(p) || (!d && p->view.op->operation != IBA_OPERATION_CNP))
        return;
    if (!read_clock(s, p)) {
        s->untimed++;
        return;
    }
    if (p->view.op->operation == IBA_OPERATION_CNP) {
        notice(s, p);
        return;
    }
    if (p->view.op->dir != IBA_REQ) {
        response(s, p);
        return;
    }
    struct perf_sender *sender = sender_of(s, d);
    if (sender)
        perf_request(sender, p, s->now);
    else
        s->beyond++;
}

/* Whether no sender was left out by expect_notices(). Which one is left out depends on the order of senders, so parts
 * that may lack one cannot be joined. */
static bool has_room(const struct perf *s)
{
    unsigned row = 0, longest = 0;

    /* twice, since a row of taken slots may go on from the last slot to the first */
    for (unsigned i = 0; i < 2 * PERF_NOTIFIED; i++) {
        row = s->notified[i % PERF_NOTIFIED] ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    return longest < PERF_PROBES;
}

bool stat_perf_join(void *state, void *part, const struct stat_part *as)
{
    struct perf *s = state;
    const struct perf *x = part;

    s->untimed += x->untimed;
    s->beyond += x->beyond;
    if (x->n > PERF_SENDERS - s->n || x->beyond > 0)
        return false;
    for (uint32_t i = 0; i < x->n; i++) {
        struct perf_sender *to = &s->sender[s->n++];
        *to = x->sender[i];
        to->d = as->direction[x->sender[i].d->id];
        s->place[to->d->id] = s->n;
        if (!to->responses_from)
            continue;
        to->responses_from = as->direction[to->responses_from->id];
        expect_notices(s, to->responses_from, s->n);
    }
    return has_room(s);
}

void perf_end_all(struct perf *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        perf_end(&s->sender[i]);
        s->seen[i] = s->sender[i].d;
    }
    ends_sort(s->seen, s->n, NULL, NULL);
}

void stat_perf_print(void *state, struct out *o, bool json)
{
    struct perf *s = state;

    perf_end_all(s);
    (json ? perf_print_json : perf_print_text)(s, o);
}
