/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/message.h"
#include <stdlib.h>
#include "wire/iba_aeth.h"
#include "wire/iba_mtu.h"
#include "observer/iba_finding_kinds.h"

enum { ATOMIC_BYTES = 8 };

struct line { /* messages of one direction, in the order in which their first packets were seen */
    const struct direction *direction;
    uint32_t n, pmtu; /* pmtu: the path MTU for which READs were measured */
    struct message open[MESSAGES_OPEN];
};
struct messages {
    message_done *done;
    void *ctx;
    size_t used; /* slots up to the last that was used: the others' memory was never touched */
    struct line line[];
};

const char *message_kind_name(enum message_kind k)
{
    static const char *const name[MESSAGE_KINDS] = {"SEND", "WRITE", "READ", "ATOMIC", "FLUSH", "ATOMIC WRITE"};
    return name[k];
}

const char *message_end_name(enum message_end e)
{
    static const char *const name[MESSAGE_ENDS] = {"answered", "refused", "unasked", "open"};
    return name[e];
}

struct messages *messages_open(size_t slots, message_done *done, void *ctx)
{
    struct messages *s = calloc(1, sizeof *s + slots * sizeof *s->line);

    if (s)
        s->done = done, s->ctx = ctx;
    return s;
}

void messages_close(struct messages *s)
{
    free(s);
}

/* Ends the message at `i`. `frame` 0: no response. */
static void finish(struct messages *s, struct line *l, uint32_t i, enum message_end end, uint64_t frame, iba_time now)
{
    struct message m = l->open[i];

    l->n--;
    memmove(&l->open[i], &l->open[i + 1], (l->n - i) * sizeof *l->open);
    m.end = (uint8_t)end;
    m.answer_frame = frame;
    m.ended = frame ? now : m.began;
    s->done(s->ctx, &m);
}

static void give_up(struct messages *s, struct line *l)
{
    while (l->n > 0)
        finish(s, l, 0, MESSAGE_OPEN, 0, 0);
}

/* The number of PSNs of a message that is one request; for a READ, while the path MTU is not known, the maximum. */
static uint32_t psns_of(uint32_t known_pmtu, enum message_kind kind, uint64_t bytes)
{
    const uint32_t pmtu = known_pmtu ? known_pmtu : IBA_MTU_LEAST_BYTES;

    return kind == MESSAGE_READ ? iba_mtu_packets(bytes, pmtu) : 1;
}

static struct line *line_of(struct messages *s, uint32_t slot, const struct direction *d)
{
    struct line *l = &s->line[slot];

    s->used = slot < s->used ? s->used : slot + 1;
    if (l->direction != d) {
        give_up(s, l);
        l->direction = d;
        l->pmtu = 0;
    }
    if (l->pmtu == d->pmtu)
        return l;
    l->pmtu = d->pmtu;
    for (uint32_t i = 0; i < l->n; i++) {
        struct message *m = &l->open[i];
        if (m->kind == MESSAGE_READ)
            m->last = iba_psn_add(m->first, psns_of(l->pmtu, MESSAGE_READ, m->bytes) - 1);
    }
    return l;
}

static enum message_kind kind_of(const struct iba_opcode *op)
{
    static const uint8_t kind[IBA_OPERATION_COUNT] = {
        [IBA_OPERATION_SEND] = MESSAGE_SEND,   [IBA_OPERATION_WRITE] = MESSAGE_WRITE,
        [IBA_OPERATION_READ] = MESSAGE_READ,   [IBA_OPERATION_ATOMIC] = MESSAGE_ATOMIC,
        [IBA_OPERATION_FLUSH] = MESSAGE_FLUSH, [IBA_OPERATION_ATOMIC_WRITE] = MESSAGE_ATOMIC_WRITE};

    return (enum message_kind)kind[op->operation];
}

static uint64_t bytes_of(const struct iba_view *v, enum message_kind kind)
{
    if (kind == MESSAGE_ATOMIC || kind == MESSAGE_ATOMIC_WRITE)
        return ATOMIC_BYTES;
    return iba_view_has(v, IBA_H_reth) ? iba_reth_dmalen(iba_view_hdr(v, IBA_H_reth)) : v->payload_len;
}

static struct message *covering(struct line *l, iba_psn psn)
{
    for (uint32_t i = l->n; i-- > 0;)
        if (iba_psn_diff(psn, l->open[i].first) >= 0 && iba_psn_diff(psn, l->open[i].last) <= 0)
            return &l->open[i];
    return NULL;
}

/* The message that a middle or last packet continues: the nearest before it that has not ended. */
static struct message *unfinished(struct line *l, iba_psn psn, enum message_kind kind)
{
    struct message *best = NULL;

    for (uint32_t i = 0; i < l->n; i++) {
        struct message *m = &l->open[i];
        if (m->closed || m->kind != kind || iba_psn_diff(psn, m->last) <= 0)
            continue;
        best = !best || iba_psn_diff(m->first, best->first) > 0 ? m : best;
    }
    return best;
}

static struct message *begin(struct messages *s, struct line *l, const struct message_packet *p, enum message_kind kind)
{
    const struct iba_opcode *op = p->view->op;
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(p->view)));

    if (l->n == MESSAGES_OPEN)
        finish(s, l, 0, MESSAGE_OPEN, 0, 0);
    struct message *m = &l->open[l->n++];
    *m = (struct message){.direction = p->verdict->direction,
                          .kind = (uint8_t)kind,
                          .whole = iba_opcode_begins(op),
                          .first = psn,
                          .last = psn,
                          .first_frame = p->frame,
                          .began = p->now,
                          .bytes = bytes_of(p->view, kind)};
    m->last = iba_psn_add(psn, psns_of(l->pmtu, kind, m->bytes) - 1);
    return m;
}

/* The request after a READ shows where the READ ends, if nothing else does. */
static void end_read(struct line *l, const struct verdict *v, iba_psn psn)
{
    struct message *m = l->pmtu == 0 && !v->again && !v->late ? covering(l, psn) : NULL;

    if (m && m->kind == MESSAGE_READ && iba_psn_diff(psn, m->first) > 0)
        m->last = iba_psn_add(psn, IBA_PSN_MASK);
}

/* A message whose first packet is sent again, and was not seen before. */
static bool prepend(struct line *l, const struct message_packet *p, iba_psn psn, enum message_kind kind)
{
    for (uint32_t i = 0; p->view->op->pos == IBA_FIRST && i < l->n; i++) {
        struct message *m = &l->open[i];
        const int32_t before = iba_psn_diff(m->first, psn);
        if (m->whole || m->kind != kind || before <= 0 || before > MESSAGES_OPEN)
            continue;
        const uint64_t missing = p->view->payload_len + (uint64_t)(before - 1) * l->pmtu;
        m->bytes = kind == MESSAGE_WRITE ? bytes_of(p->view, kind) : m->bytes + missing;
        m->first = psn;
        m->whole = true;
        m->again++;
        return true;
    }
    return false;
}

/* A WRITE's length is in its first packet; a SEND's is the sum of its packets, with lost ones counted as full
 * packets. */
static void grow(struct message *m, const struct message_packet *p, iba_psn psn, uint32_t pmtu)
{
    const uint32_t step = (uint32_t)iba_psn_diff(psn, m->last);

    if (m->kind == MESSAGE_SEND || !m->whole)
        m->bytes += p->view->payload_len + (uint64_t)(step - 1) * pmtu;
    m->last = psn;
}

static void request(struct messages *s, const struct message_packet *p)
{
    struct line *l = line_of(s, p->slot, p->verdict->direction);
    const struct iba_opcode *op = p->view->op;
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(p->view)));
    const enum message_kind kind = kind_of(op);
    struct message *m;

    end_read(l, p->verdict, psn);
    if ((m = covering(l, psn))) {
        m->again++;
        return;
    }
    if (prepend(l, p, psn, kind))
        return;
    if (!iba_opcode_begins(op))
        m = unfinished(l, psn, kind);
    if (m)
        grow(m, p, psn, l->pmtu);
    else
        m = begin(s, l, p, kind);
    m->last_frame = p->frame;
    m->closed = iba_opcode_ends(op);
    if (m->closed && (op->svc == IBA_UC || op->svc == IBA_UD))
        finish(s, l, (uint32_t)(m - l->open), MESSAGE_UNASKED, 0, 0);
}

/* A SEND or WRITE is done when any PSN from its last on was acknowledged; others when their own response comes. */
static void acknowledge(struct messages *s, struct line *l, const struct message_packet *p, iba_psn up_to)
{
    for (uint32_t i = 0; i < l->n;) {
        const struct message *m = &l->open[i];
        const bool plain = m->kind == MESSAGE_SEND || m->kind == MESSAGE_WRITE;
        if (plain && m->closed && iba_psn_diff(m->last, up_to) <= 0)
            finish(s, l, i, MESSAGE_ANSWERED, p->frame, p->now);
        else
            i++;
    }
}

static void respond(struct messages *s, struct line *l, const struct message_packet *p, enum message_end end)
{
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(p->view)));
    struct message *m = covering(l, psn);

    acknowledge(s, l, p, iba_psn_add(psn, IBA_PSN_MASK));
    m = m ? covering(l, psn) : NULL; /* they may have moved */
    if (m && (end == MESSAGE_REFUSED || iba_opcode_ends(p->view->op)))
        finish(s, l, (uint32_t)(m - l->open), end, p->frame, p->now);
}

static void response(struct messages *s, const struct message_packet *p)
{
    struct line *l = line_of(s, p->peer_slot, p->peer);
    const uint8_t *aeth = iba_view_has(p->view, IBA_H_aeth) ? iba_view_hdr(p->view, IBA_H_aeth) : NULL;
    const uint8_t kind = aeth ? iba_aeth_syn_kind(aeth) : (uint8_t)IBA_AETH_ACK;
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(p->view)));
    const bool plain = p->view->op->operation == IBA_OPERATION_ACK;

    if (kind == IBA_AETH_ACK && plain)
        acknowledge(s, l, p, psn);
    else if (kind == IBA_AETH_ACK)
        respond(s, l, p, MESSAGE_ANSWERED);
    else if (kind == IBA_AETH_NAK && iba_aeth_syn_value(aeth) != IBA_NAK_SEQUENCE)
        respond(s, l, p, MESSAGE_REFUSED);
    else
        acknowledge(s, l, p, iba_psn_add(psn, IBA_PSN_MASK));
}

void messages_packet(struct messages *s, const struct message_packet *p)
{
    const struct iba_view *v = p->view;

    if (!v->op || (v->has & v->op->hdrs) != v->op->hdrs || !p->verdict->direction || v->op->svc == IBA_RD)
        return;
    if (v->op->dir == IBA_REQ)
        request(s, p);
    else if (p->peer && !p->verdict->direction->guess)
        response(s, p);
}

void messages_end(struct messages *s)
{
    for (size_t i = 0; i < s->used; i++)
        give_up(s, &s->line[i]);
}
