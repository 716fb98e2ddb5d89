/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends and receives frames. A received frame is queued at the QP that it is addressed to until a step asks for it. */
#include <string.h>
#include "run/fabric.h"

#define FLIGHT_LEAST (2 * RUN_MS) /* the tester's own interface may delay a frame this long */

struct run_packet *run_packet_new(struct run_player *p, unsigned device, bool sent)
{
    struct run_packet *k = run_alloc(&p->arena, sizeof *k);

    if (!k)
        return NULL;
    memset(k, 0, offsetof(struct run_packet, view));
    k->device = (uint8_t)device;
    k->sent = sent;
    return k;
}

/* Adds the frame to the evidence. */
static void enlist(struct run_player *p, struct run_packet *k, const struct ibc_step *s)
{
    k->number = ++p->n_packet;
    k->line = s->line;
    if (p->last)
        p->last->next = k;
    else
        p->first = k;
    p->last = k;
}

static uint32_t source_qp(const struct iba_view *v)
{
    return iba_view_has(v, IBA_H_deth) ? iba_deth_srcqp(iba_view_hdr(v, IBA_H_deth)) : UINT32_MAX;
}

/* Returns the EE context that the RDETH names, whose other end is the tester. If the RDETH has another number,
 * returns the first EE context. */
static struct run_live *context_of(struct run_player *p, const struct run_packet *k)
{
    const uint32_t to = iba_rdeth_eecnxt(iba_view_hdr(&k->view, IBA_H_rdeth));
    struct run_live *first = NULL;

    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++) {
        struct run_live *q = &p->live[i];
        if (q->kind != IBC_O_qp || !q->made || q->type != IBA_QPT_EE || q->device != k->device)
            continue;
        if (q->peer == to)
            return q;
        first = first ? first : q;
    }
    return first;
}

/* Returns the QP whose peer is the destination of the packet. A datagram with another destination belongs to the QP
 * that sent it. */
static struct run_live *owner_of(struct run_player *p, const struct run_packet *k)
{
    const struct iba_view *v = &k->view;
    const bool bth = iba_view_has_bth(v);
    const uint32_t to = bth ? iba_bth_destqp(iba_view_bth(v)) : 0, from = source_qp(v);
    struct run_live *sender = NULL;

    if (bth && iba_view_has(v, IBA_H_rdeth))
        return context_of(p, k);
    for (unsigned i = 0; i <= IBC_MAX_OBJECTS; i++) {
        struct run_live *q = &p->live[i];
        if (q->kind != IBC_O_qp || !q->made || q->device != k->device || run_is_raw(q->type) == bth)
            continue;
        if (!bth || q->peer == to)
            return q;
        if (q->id[0] == from)
            sender = q;
    }
    return sender;
}

/* A management agent may send traps at any time, and a port flow-control packets. They are ignored in a scenario
 * that has no line about them. */
static bool is_unasked(const struct run_player *p, const struct run_packet *k)
{
    const uint8_t *mad = run_smp_in(k);
    const bool flow = iba_view_has(&k->view, IBA_H_fc), trap = mad && iba_madhdr_method(mad) == IBA_METHOD_TRAP;

    if (p->managed)
        return run_is_passing(p, k);
    if (!p->fabric || (!flow && !trap))
        return false;
    for (unsigned i = 0; i < p->play->n_step; i++) {
        const struct ibc_step *s = &p->play->step[i];
        if (s->kind == IBC_S_expect && (flow ? s->op == IBC_FLOW_OPCODE : s->method == IBA_METHOD_TRAP))
            return false;
    }
    return true;
}

static bool arrived(struct run_player *p, struct run_packet *k, const struct ibc_step *s)
{
    struct run_live *q;
    char got[RUN_TEXT];

    enlist(p, k, s);
    iba_view_parse(&k->view, p->t->framing, k->frame, k->len, k->len, NULL);
    iba_view_check(&k->view);
    if (run_cm_is_late(p, k) || is_unasked(p, k))
        return true;
    q = p->fabric ? run_wire_of(p, k->device) : run_cm_owner(p, k);
    if (!q && !p->fabric)
        q = owner_of(p, k);
    if (!q) {
        run_show_packet(k, got, sizeof got);
        return run_fail(p, s, k, "packets to the tester's queue pairs only", got);
    }
    k->owner = q;
    if (q->tail)
        q->tail->queued = k;
    else
        q->head = k;
    q->tail = k;
    if (!p->fabric) {
        run_late_asked(p, q, k);
        run_flight_answered(p, q, &k->view);
    }
    if (++p->n_waiting > RUN_MAX_PACKETS)
        return run_fail(p, s, k, "an end of it", "packets without end");
    return true;
}

bool run_collect(struct run_player *p, uint64_t until, bool *came, const struct ibc_step *s)
{
    const uint64_t from = run_now(p);
    uint8_t *frame = run_alloc(&p->arena, IBC_FRAME);
    struct run_packet *k;
    size_t len = 0;
    uint64_t at = 0, end;
    unsigned device = 0;
    enum ibc_rc rc;

    *came = false;
    if (!frame)
        return run_error(p, s, "out of memory");
    if (p->n_device > 1 || p->fabric)
        rc = p->t->ops->collect_any(p->t, until, frame, &len, &at, &device);
    else
        rc = p->t->ops->collect(p->t, 0, until, frame, &len, &at);
    if (rc != IBC_OK)
        len = 0;
    run_trim(&p->arena, frame, IBC_FRAME, len);
    end = len ? at : until;
    p->waited += end > from ? end - from : 0;
    if (len == 0 && rc == IBC_OK)
        p->empty_at = until;
    if (!run_did(p, s, rc, "receive packets") || len == 0)
        return rc == IBC_OK;
    k = run_packet_new(p, device, false);
    if (!k)
        return run_error(p, s, "out of memory");
    k->frame = frame;
    k->len = (uint32_t)len;
    k->at = at;
    k->since = p->t->virtual_time || p->empty_at > at ? at : p->empty_at;
    *came = true;
    return arrived(p, k, s);
}

bool run_collect_all(struct run_player *p, uint64_t until, const struct ibc_step *s)
{
    bool came = true;

    while (came) /* ends: the number of waiting frames is bounded */
        if (!run_collect(p, until, &came, s))
            return false;
    return true;
}

bool run_let_arrive(struct run_player *p, const struct ibc_step *s)
{
    const uint64_t scaled = run_scaled(p, p->flight_ns), waited = p->waited;
    bool well;

    if (p->in_flight_since == 0)
        return true;
    well = run_collect_all(p, p->in_flight_since + (scaled > FLIGHT_LEAST ? scaled : FLIGHT_LEAST), s);
    p->waited = waited; /* the script did not request this wait */
    p->in_flight_since = 0;
    return well;
}

/* Whether the packet is valid: a packet that the device must drop answers no request. */
static bool is_unbroken(const struct ibc_step *s)
{
    static const uint8_t faults[] = {IBC_K_icrc,   IBC_K_vcrc, IBC_K_cut,  IBC_K_extra, IBC_K_insert,
                                     IBC_K_remove, IBC_K_poke, IBC_K_from, IBC_K_port};

    for (size_t i = 0; i < sizeof faults; i++)
        if (run_has(s, (enum ibc_key)faults[i]))
            return false;
    return true;
}

bool run_inject(struct run_player *p, struct run_packet *k, const struct ibc_step *s)
{
    k->at = k->since = p->last_at = p->last_since = run_now(p);
    enlist(p, k, s);
    run_comment(p, k, s, NULL, NULL);
    if (!run_did(p, s, p->t->ops->inject(p->t, k->device, k->frame, k->len), "take the packet"))
        return false;
    p->sent_by = run_now(p);
    if (p->fabric) {
        run_wire_of(p, k->device)->asked_last = k;
        return true;
    }
    run_flight_sent(p, &k->view, k->device);
    if (is_unbroken(s))
        run_late_answered(p, &k->view, k->device);
    return true;
}

void run_take(struct run_player *p, struct run_live *q)
{
    q->head = q->head->queued;
    if (!q->head)
        q->tail = NULL;
    p->n_waiting--;
}
