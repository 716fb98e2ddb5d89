/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages from their first packet to the response that ends them. */
#include "observer/iba_obs_open.h"
#include "observer/iba_obs_flow.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_record.h"
#include <string.h>

enum { ATOMIC_BYTES = 8 };

const char *iba_message_end_name(enum iba_message_end e)
{
    static const char *const name[IBA_MESSAGE_ENDS] = {[IBA_MESSAGE_END_ANSWERED] = "answered",
                                                       [IBA_MESSAGE_END_REFUSED] = "refused",
                                                       [IBA_MESSAGE_END_UNASKED] = "unasked",
                                                       [IBA_MESSAGE_END_OPEN] = "open"};
    return name[e];
}

static struct iba_obs_open *open_at(const struct iba_observer *s, uint32_t index)
{
    return (void *)((char *)s->open + index * iba_obs_open_bytes(&s->cfg));
}

/* Returns the members of a message that are not compared with every packet. */
static struct iba_message *rest_of(const struct iba_observer *s, struct iba_obs_open *o, const struct iba_obs_span *x)
{
    return (struct iba_message *)(void *)&o->span[s->cfg.n_message] + x->slot;
}

/* A SEND or WRITE: an acknowledgement ends it. */
static bool is_plain(const struct iba_obs_span *x)
{
    return x->operation == IBA_OPERATION_SEND || x->operation == IBA_OPERATION_WRITE;
}

/* Ends the message at `i`. If a response ends the message, it is the current packet. */
static void finish(const struct iba_observer *s, struct iba_obs_open *o, uint32_t i, enum iba_message_end end)
{
    const bool responded = end == IBA_MESSAGE_END_ANSWERED || end == IBA_MESSAGE_END_REFUSED;
    const struct iba_obs_span x = o->span[i];
    struct iba_message m = *rest_of(s, o, &x);

    o->n--;
    o->n_plain -= is_plain(&x);
    memmove(&o->span[i], &o->span[i + 1], (o->n - i) * sizeof *o->span);
    o->span[o->n].slot = x.slot; /* the slot is free now */
    m.operation = x.operation;
    m.whole = x.whole;
    m.closed = x.closed;
    m.first = x.first;
    m.last = x.last;
    m.end = (uint8_t)end;
    m.answer_frame = responded ? s->now.frame : 0;
    m.ended = responded ? s->now.at : m.began;
    s->cfg.message(s->cfg.ctx, &m);
}

static void end_all(const struct iba_observer *s, struct iba_obs_open *o)
{
    while (o->n > 0)
        finish(s, o, 0, IBA_MESSAGE_END_OPEN);
}

/* The last PSN of a message of one request packet. A READ takes as many PSNs as it may have responses. While the path
 * MTU is not known, the smallest one gives the number. */
static iba_psn last_of(const struct iba_obs_span *x, uint64_t bytes, uint32_t pmtu)
{
    const uint32_t n =
        x->operation == IBA_OPERATION_READ ? iba_mtu_packets(bytes, pmtu ? pmtu : IBA_MTU_LEAST_BYTES) : 1;

    return iba_psn_add(x->first, n - 1);
}

/* Returns the open messages of the flow; NULL: the caller gave the flow's direction no number. */
static struct iba_obs_open *open_of(struct iba_observer *s, const struct iba_flow *f)
{
    const uint32_t index = (uint32_t)(f - s->flow), direction = iba_obs_number(s, f);
    struct iba_obs_open *o = open_at(s, index);

    if (direction == 0)
        return NULL;
    s->n_open = index < s->n_open ? s->n_open : index + 1;
    if (o->direction != direction) {
        end_all(s, o);
        o->direction = direction;
        o->pmtu = 0;
    }
    if (f->pmtu == 0 || o->pmtu == f->pmtu)
        return o;
    o->pmtu = f->pmtu;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->span[i].operation == IBA_OPERATION_READ)
            o->span[i].last = last_of(&o->span[i], rest_of(s, o, &o->span[i])->bytes, o->pmtu);
    return o;
}

/* True when `psn` is neither before `first` nor after `last`. The expression needs few instructions. */
static bool takes(const struct iba_obs_span *x, iba_psn psn)
{
    const uint32_t sign = (IBA_PSN_MASK + 1) / 2;

    return (((psn.v - x->first.v) | (x->last.v - psn.v)) & sign) == 0;
}

/* Returns the newest message that takes this PSN, mostly the last one. The search reads all other messages without a
 * branch for each, since the processor could not predict such branches where PSNs come at random. */
static struct iba_obs_span *covering(struct iba_obs_open *o, iba_psn psn)
{
    uint32_t at = UINT32_MAX;

    if (o->n > 0 && takes(&o->span[o->n - 1], psn))
        return &o->span[o->n - 1];
    for (uint32_t i = 0; i < o->n; i++)
        at = takes(&o->span[i], psn) ? i : at;
    return at == UINT32_MAX ? NULL : &o->span[at];
}

/* Returns the message that a Middle or Last continues: the nearest earlier message whose last packet was not seen. */
static struct iba_obs_span *unfinished(struct iba_obs_open *o, const struct iba_look *l)
{
    struct iba_obs_span *best = NULL;

    for (uint32_t i = 0; i < o->n; i++) {
        struct iba_obs_span *x = &o->span[i];
        if (x->closed || x->operation != l->op->operation || iba_psn_diff(l->psn, x->last) <= 0)
            continue;
        best = !best || iba_psn_diff(x->first, best->first) > 0 ? x : best;
    }
    return best;
}

static uint64_t bytes_of(const struct iba_look *l)
{
    if (l->op->operation == IBA_OPERATION_ATOMIC || l->op->operation == IBA_OPERATION_ATOMIC_WRITE)
        return ATOMIC_BYTES;
    return iba_view_has(l->v, IBA_H_reth) ? iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth)) : l->v->payload_len;
}

static struct iba_obs_span *begin(struct iba_obs_open *o, const struct iba_look *l)
{
    if (o->n == l->s->cfg.n_message)
        finish(l->s, o, 0, IBA_MESSAGE_END_OPEN);
    struct iba_obs_span *x = &o->span[o->n];
    *x = (struct iba_obs_span){.operation = l->op->operation,
                               .whole = iba_opcode_begins(l->op),
                               .first = l->psn,
                               .slot = o->n < o->n_slot ? x->slot : o->n_slot++};
    o->n++;
    o->n_plain += is_plain(x);
    struct iba_message *m = rest_of(l->s, o, x);
    *m = (struct iba_message){
        .direction = o->direction, .first_frame = l->s->now.frame, .began = l->s->now.at, .bytes = bytes_of(l)};
    x->last = last_of(x, m->bytes, o->pmtu);
    return x;
}

/* While the path MTU is not known, the request after a READ shows how many responses the READ has. Returns true when
 * that makes the READ shorter.
 */
static bool shorten_read(const struct iba_obs_open *o, const struct iba_look *l, struct iba_obs_span *x)
{
    const struct iba_obs_read *r =
        o->pmtu == 0 && x && x->operation == IBA_OPERATION_READ ? iba_obs_read_at(&l->flow->rq, x->first) : NULL;

    if (!r || r->n == 0)
        return false;
    x->last = iba_psn_add(x->first, r->n - 1);
    return true;
}

/* Adds a First to a message that began without it. The First is sent again, and the capture lacks its earlier
 * transmission; or later packets overtook the First.
 */
static bool prepend(struct iba_obs_open *o, const struct iba_look *l)
{
    for (uint32_t i = 0; l->op->pos == IBA_FIRST && i < o->n; i++) {
        struct iba_obs_span *x = &o->span[i];
        const int32_t before = iba_psn_diff(x->first, l->psn);
        if (x->whole || x->operation != l->op->operation || before <= 0 || before > IBA_OBSERVER_WINDOW)
            continue;
        struct iba_message *m = rest_of(l->s, o, x);
        const uint64_t missing = l->v->payload_len + (uint64_t)(before - 1) * o->pmtu;
        m->bytes = x->operation == IBA_OPERATION_WRITE ? bytes_of(l) : m->bytes + missing;
        x->first = l->psn;
        x->whole = true;
        m->again += !l->overtaken;
        return true;
    }
    return false;
}

/* The length of a WRITE is in its First. The length of a SEND is the sum of its packets' payloads; packets that the
 * capture lacks count as full packets. */
static void grow(struct iba_obs_span *x, struct iba_message *m, const struct iba_look *l, uint32_t pmtu)
{
    const uint32_t step = (uint32_t)iba_psn_diff(l->psn, x->last);

    if (x->operation == IBA_OPERATION_SEND || !x->whole)
        m->bytes += l->v->payload_len + (uint64_t)(step - 1) * pmtu;
    x->last = l->psn;
}

/* The packet is sent again after its message has ended: it begins no other message. */
static bool has_ended(const struct iba_look *l)
{
    const struct iba_obs_sent *const e = iba_obs_request_at(&l->flow->rq, l->psn);

    return iba_obs_fetches(l) ? l->again != NULL : e && e->again && iba_obs_is_answered(&l->flow->rq, l->psn);
}

static void request(struct iba_obs_open *o, const struct iba_look *l)
{
    struct iba_obs_span *x = covering(o, l->psn);

    if (shorten_read(o, l, x))
        x = covering(o, l->psn);
    if (x) {
        rest_of(l->s, o, x)->again += !l->overtaken;
        return;
    }
    if (prepend(o, l))
        return;
    if (!iba_opcode_begins(l->op))
        x = unfinished(o, l);
    if (x)
        grow(x, rest_of(l->s, o, x), l, o->pmtu);
    else if (has_ended(l))
        return;
    else
        x = begin(o, l);
    rest_of(l->s, o, x)->last_frame = l->s->now.frame;
    x->closed = iba_opcode_ends(l->op);
    if (x->closed && (l->op->svc == IBA_UC || l->op->svc == IBA_UD))
        finish(l->s, o, (uint32_t)(x - o->span), IBA_MESSAGE_END_UNASKED);
}

/* A SEND or WRITE ends when a PSN from its last on is acknowledged; other messages end with their own response. */
static void acknowledge(struct iba_obs_open *o, const struct iba_look *l, iba_psn up_to)
{
    for (uint32_t i = 0; o->n_plain > 0 && i < o->n;) {
        const struct iba_obs_span *x = &o->span[i];
        if (is_plain(x) && x->closed && iba_psn_diff(x->last, up_to) <= 0)
            finish(l->s, o, i, IBA_MESSAGE_END_ANSWERED);
        else
            i++;
    }
}

static void respond(struct iba_obs_open *o, const struct iba_look *l, enum iba_message_end end)
{
    acknowledge(o, l, iba_psn_add(l->psn, IBA_PSN_MASK));
    struct iba_obs_span *x = covering(o, l->psn);
    if (x && (end == IBA_MESSAGE_END_REFUSED || iba_opcode_ends(l->op)))
        finish(l->s, o, (uint32_t)(x - o->span), end);
}

static void response(struct iba_obs_open *o, const struct iba_look *l)
{
    const uint8_t kind = iba_syndrome_kind(l->syndrome); /* IBA_AETH_ACK when the response has no AETH */

    if (kind == IBA_AETH_ACK && l->op->operation == IBA_OPERATION_ACK)
        acknowledge(o, l, l->psn);
    else if (kind == IBA_AETH_ACK)
        respond(o, l, IBA_MESSAGE_END_ANSWERED);
    else if (kind == IBA_AETH_NAK && iba_syndrome_code(l->syndrome) != IBA_NAK_SEQUENCE)
        respond(o, l, IBA_MESSAGE_END_REFUSED);
    else
        acknowledge(o, l, iba_psn_add(l->psn, IBA_PSN_MASK));
}

void iba_obs_open_packet(struct iba_look *l)
{
    if (!l->op || (l->v->has & l->op->hdrs) != l->op->hdrs || l->op->svc == IBA_RD ||
        iba_obs_number(l->s, l->flow) == 0)
        return;
    const bool asks = l->op->dir == IBA_REQ;
    const struct iba_flow *requester = asks ? l->flow : l->flow->guess ? NULL : iba_obs_active(l->s, l->flow->peer);
    struct iba_obs_open *o = requester ? open_of(l->s, requester) : NULL;
    if (o)
        (asks ? request : response)(o, l);
}

void iba_obs_open_overtaken(struct iba_observer *s, const struct iba_flow *f, iba_psn psn)
{
    struct iba_obs_open *o = s->open ? open_of(s, f) : NULL;
    const struct iba_obs_span *x = o ? covering(o, psn) : NULL;
    struct iba_message *m = x ? rest_of(s, o, x) : NULL;

    if (m && m->again > 0)
        m->again--;
}

void iba_obs_open_end(struct iba_observer *s)
{
    for (uint32_t i = 0; i < s->n_open; i++)
        end_all(s, open_at(s, i));
}
