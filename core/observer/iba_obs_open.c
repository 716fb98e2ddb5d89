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

/* Ends the message at `i`. The current packet is its response, if it has one. */
static void finish(const struct iba_observer *s, struct iba_obs_open *o, uint32_t i, enum iba_message_end end)
{
    const bool responded = end == IBA_MESSAGE_END_ANSWERED || end == IBA_MESSAGE_END_REFUSED;
    struct iba_message m = o->message[i];

    o->n--;
    memmove(&o->message[i], &o->message[i + 1], (o->n - i) * sizeof *o->message);
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

/* The last PSN of a message of one request packet. A READ takes as many as it may have responses: with the smallest
 * path MTU, while the path MTU is not known. */
static iba_psn last_of(const struct iba_message *m, uint32_t pmtu)
{
    const uint32_t n =
        m->operation == IBA_OPERATION_READ ? iba_mtu_packets(m->bytes, pmtu ? pmtu : IBA_MTU_LEAST_BYTES) : 1;

    return iba_psn_add(m->first, n - 1);
}

/* The open messages of the flow; NULL: the caller gave its direction no number. */
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
        if (o->message[i].operation == IBA_OPERATION_READ)
            o->message[i].last = last_of(&o->message[i], o->pmtu);
    return o;
}

static struct iba_message *covering(struct iba_obs_open *o, iba_psn psn)
{
    for (uint32_t i = o->n; i-- > 0;)
        if (iba_psn_diff(psn, o->message[i].first) >= 0 && iba_psn_diff(psn, o->message[i].last) <= 0)
            return &o->message[i];
    return NULL;
}

/* The message that a Middle or Last continues: the nearest before it whose last packet was not seen. */
static struct iba_message *unfinished(struct iba_obs_open *o, const struct iba_look *l)
{
    struct iba_message *best = NULL;

    for (uint32_t i = 0; i < o->n; i++) {
        struct iba_message *m = &o->message[i];
        if (m->closed || m->operation != l->op->operation || iba_psn_diff(l->psn, m->last) <= 0)
            continue;
        best = !best || iba_psn_diff(m->first, best->first) > 0 ? m : best;
    }
    return best;
}

static uint64_t bytes_of(const struct iba_look *l)
{
    if (l->op->operation == IBA_OPERATION_ATOMIC || l->op->operation == IBA_OPERATION_ATOMIC_WRITE)
        return ATOMIC_BYTES;
    return iba_view_has(l->v, IBA_H_reth) ? iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth)) : l->v->payload_len;
}

static struct iba_message *begin(struct iba_obs_open *o, const struct iba_look *l)
{
    if (o->n == l->s->cfg.n_message)
        finish(l->s, o, 0, IBA_MESSAGE_END_OPEN);
    struct iba_message *m = &o->message[o->n++];
    *m = (struct iba_message){.direction = o->direction,
                              .operation = l->op->operation,
                              .whole = iba_opcode_begins(l->op),
                              .first = l->psn,
                              .first_frame = l->s->now.frame,
                              .began = l->s->now.at,
                              .bytes = bytes_of(l)};
    m->last = last_of(m, o->pmtu);
    return m;
}

/* Without a path MTU, the request after a READ has shown how many responses the READ has. */
static void shorten_read(struct iba_obs_open *o, const struct iba_look *l)
{
    struct iba_message *m = o->pmtu == 0 ? covering(o, l->psn) : NULL;
    const struct iba_obs_read *r =
        m && m->operation == IBA_OPERATION_READ ? iba_obs_read_at(&l->flow->rq, m->first) : NULL;

    if (r && r->n > 0)
        m->last = iba_psn_add(m->first, r->n - 1);
}

/* The First of a message is sent again, and the capture lacks its earlier transmission. */
static bool prepend(struct iba_obs_open *o, const struct iba_look *l)
{
    for (uint32_t i = 0; l->op->pos == IBA_FIRST && i < o->n; i++) {
        struct iba_message *m = &o->message[i];
        const int32_t before = iba_psn_diff(m->first, l->psn);
        if (m->whole || m->operation != l->op->operation || before <= 0 || before > IBA_OBSERVER_WINDOW)
            continue;
        const uint64_t missing = l->v->payload_len + (uint64_t)(before - 1) * o->pmtu;
        m->bytes = m->operation == IBA_OPERATION_WRITE ? bytes_of(l) : m->bytes + missing;
        m->first = l->psn;
        m->whole = true;
        m->again++;
        return true;
    }
    return false;
}

/* A WRITE's length is in its First; a SEND's is the sum of its packets, where those that the capture lacks count as
 * full packets. */
static void grow(struct iba_message *m, const struct iba_look *l, uint32_t pmtu)
{
    const uint32_t step = (uint32_t)iba_psn_diff(l->psn, m->last);

    if (m->operation == IBA_OPERATION_SEND || !m->whole)
        m->bytes += l->v->payload_len + (uint64_t)(step - 1) * pmtu;
    m->last = l->psn;
}

static void request(struct iba_obs_open *o, const struct iba_look *l)
{
    struct iba_message *m;

    shorten_read(o, l);
    if ((m = covering(o, l->psn))) {
        m->again++;
        return;
    }
    if (prepend(o, l))
        return;
    if (!iba_opcode_begins(l->op))
        m = unfinished(o, l);
    if (m)
        grow(m, l, o->pmtu);
    else
        m = begin(o, l);
    m->last_frame = l->s->now.frame;
    m->closed = iba_opcode_ends(l->op);
    if (m->closed && (l->op->svc == IBA_UC || l->op->svc == IBA_UD))
        finish(l->s, o, (uint32_t)(m - o->message), IBA_MESSAGE_END_UNASKED);
}

/* A SEND or WRITE ends when a PSN from its last on is acknowledged; other messages end with their own response. */
static void acknowledge(struct iba_obs_open *o, const struct iba_look *l, iba_psn up_to)
{
    for (uint32_t i = 0; i < o->n;) {
        const struct iba_message *m = &o->message[i];
        const bool plain = m->operation == IBA_OPERATION_SEND || m->operation == IBA_OPERATION_WRITE;
        if (plain && m->closed && iba_psn_diff(m->last, up_to) <= 0)
            finish(l->s, o, i, IBA_MESSAGE_END_ANSWERED);
        else
            i++;
    }
}

static void respond(struct iba_obs_open *o, const struct iba_look *l, enum iba_message_end end)
{
    struct iba_message *m = covering(o, l->psn);

    acknowledge(o, l, iba_psn_add(l->psn, IBA_PSN_MASK));
    m = m ? covering(o, l->psn) : NULL; /* the messages may have moved */
    if (m && (end == IBA_MESSAGE_END_REFUSED || iba_opcode_ends(l->op)))
        finish(l->s, o, (uint32_t)(m - o->message), end);
}

static void response(struct iba_obs_open *o, const struct iba_look *l)
{
    const uint8_t kind = iba_syndrome_kind(l->syndrome); /* of a response without an AETH: IBA_AETH_ACK */

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

void iba_obs_open_end(struct iba_observer *s)
{
    for (uint32_t i = 0; i < s->n_open; i++)
        end_all(s, open_at(s, i));
}
