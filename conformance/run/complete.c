/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions and asynchronous events: polled from the device as they come, kept until a line asks for them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/play.h"
#include "transport/iba_wr_ops.h"

/* ---- taking ---- */
static const struct run_wr *posted(const struct run_player *p, const struct iba_wc *wc)
{
    return wc->wr_id >= 1 && wc->wr_id <= p->n_wr ? &p->wr[wc->wr_id - 1] : NULL;
}

/* Each bind changes the window's key (QS-72): keeps the new one. */
static void note_bind(struct run_player *p, const struct run_wr *w, const struct iba_wc *wc, unsigned device)
{
    if (w->recv || w->op != IBA_WR_BIND_MW)
        return;
    p->binds--;
    if (wc->status == IBA_WC_SUCCESS && wc->imm_or_key != 0)
        p->live[w->window].id[device] = wc->imm_or_key;
}

/* Receives of an SRQ of XRC, or of one with tags, complete into the completion queue of the SRQ. */
static uint32_t cq_of(const struct run_player *p, const struct run_wr *w, const struct run_live *q)
{
    if (p->live[w->object].own_cq)
        return p->live[w->object].rcq;
    return w->recv ? q->rcq : q->scq;
}

static bool note_completion(struct run_player *p, const struct ibc_step *s, const struct iba_wc *wc, unsigned device,
                            uint32_t cq)
{
    const struct run_wr *w = posted(p, wc);
    struct run_live *q = run_qp_of(p, wc->qpn, device);
    char got[RUN_TEXT];

    if (!w || !q) {
        snprintf(got, sizeof got, "a completion of work nobody posted (id %" PRIu64 ", QP 0x%06x)", wc->wr_id, wc->qpn);
        return run_fail(p, s, NULL, "completions of what was posted", got);
    }
    if (cq != cq_of(p, w, q)) {
        snprintf(got, sizeof got, "one of QP 0x%06x, whose %s complete into another", wc->qpn,
                 w->recv ? "receives" : "sends");
        return run_fail(p, s, NULL, "a completion of a queue pair that the CQ is for", got);
    }
    if (p->n_wc == RUN_MAX_WC)
        return run_error(p, s, "more completions than a play may leave unasked");
    note_bind(p, w, wc, device);
    p->wc[p->n_wc] = (struct run_wc){.wc = *wc, .wr = w, .qp = q};
    p->n_wc++;
    return true;
}

static bool poll_cq(struct run_player *p, const struct ibc_step *s, unsigned device, uint32_t cq)
{
    struct iba_wc wc;
    unsigned n = 1;

    while (n) { /* ends: a completion that belongs to no posted work fails the play */
        if (!run_did(p, s, p->t->ops->poll_cq(p->t, device, cq, &wc, &n), "poll its CQ"))
            return false;
        if (n && !note_completion(p, s, &wc, device, cq))
            return false;
    }
    return true;
}

static bool poll_events(struct run_player *p, const struct ibc_step *s, unsigned device)
{
    unsigned n = 1;

    while (n && p->n_event < RUN_MAX_EVENTS) {
        struct run_event *e = &p->event[p->n_event];
        if (!run_did(p, s, p->t->ops->poll_event(p->t, device, &e->event, &n), "poll its events"))
            return false;
        e->device = (uint8_t)device;
        p->n_event += n;
    }
    return true;
}

bool run_poll(struct run_player *p, const struct ibc_step *s)
{
    for (unsigned i = 0; i <= IBC_MAX_OBJECTS; i++) {
        const struct run_live *q = &p->live[i];
        if (q->own_cq && q->made && !q->cq_gone && !poll_cq(p, s, 0, q->rcq))
            return false;
        if (q->kind != IBC_O_qp || !q->made || q->cq_gone)
            continue;
        if (!poll_cq(p, s, q->device, q->scq) || (q->rcq != q->scq && !poll_cq(p, s, q->device, q->rcq)))
            return false;
    }
    return true;
}

/* Waits for the completion of unfinished binds: only then is the new key of the window known. */
bool run_settle(struct run_player *p, const struct ibc_step *s)
{
    return !p->binds || (run_collect_all(p, run_now(p), s) && run_poll(p, s));
}

enum run_arrival run_await(struct run_player *p, const struct ibc_step *s, uint64_t patience, bool events,
                           bool (*there)(struct run_player *p, const struct ibc_step *s))
{
    const uint64_t until = run_now(p) + patience;
    uint64_t slice = 10 * RUN_US;

    for (;;) { /* ends: time passes */
        const uint64_t now = run_now(p);
        for (unsigned d = 0; events && d < p->n_device; d++)
            if (!poll_events(p, s, d))
                return RUN_STOP;
        if (!events && !run_poll(p, s))
            return RUN_STOP;
        if (there(p, s))
            return RUN_ARRIVED;
        if (now >= until)
            return RUN_NOT;
        if (!run_collect_all(p, now + slice < until ? now + slice : until, s))
            return RUN_STOP;
        slice *= 2;
    }
}

/* ---- completion ---- */
enum queue { EITHER, SEND_QUEUE, RECV_QUEUE };
static enum queue queue_of(const struct ibc_step *s)
{
    if (run_has(s, IBC_K_send))
        return SEND_QUEUE;
    if (run_has(s, IBC_K_recv))
        return RECV_QUEUE;
    return s->op == IBC_NO_OP ? EITHER : s->op >= IBA_WR_RECV ? RECV_QUEUE : SEND_QUEUE;
}

/* Returns the index of the next completion of that queue; n_wc: there is none. */
static unsigned next_of(struct run_player *p, const struct run_live *q, enum queue which)
{
    unsigned i = 0;

    while (i < p->n_wc && (p->wc[i].qp != q || (which != EITHER && (which == RECV_QUEUE) != p->wc[i].wr->recv)))
        i++;
    return i;
}

static bool completion_there(struct run_player *p, const struct ibc_step *s)
{
    return next_of(p, run_live(p, s), queue_of(s)) < p->n_wc;
}

static void take_completion(struct run_player *p, unsigned i)
{
    p->n_wc--;
    memmove(&p->wc[i], &p->wc[i + 1], (p->n_wc - i) * sizeof *p->wc);
}

struct looked {
    struct run_player *p;
    const struct ibc_step *s;
    const struct run_wc *c;
    struct run_context at;
};

/* Compares one value of a completion with the values that the line allows. */
static bool value_fits(const struct looked *l, enum ibc_key key, uint64_t is)
{
    const struct ibc_arg *a = run_arg(l->s, key);
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (!a || run_fits(l->p, a, is, &l->at))
        return true;
    snprintf(expected, sizeof expected, "completion.%s %s0x%" PRIx64, ibc_key_names[key], a->v[0].negated ? "not " : "",
             run_value(l->p, &a->v[0], &l->at));
    snprintf(got, sizeof got, "completion.%s 0x%" PRIx64, ibc_key_names[key], is);
    return run_fail(l->p, l->s, NULL, expected, got);
}

static const char *status_name(uint64_t status)
{
    return status < IBA_WC_STATUS_COUNT ? iba_wc_status_name((enum iba_wc_status)status) : "?";
}

static bool status_fits(const struct looked *l)
{
    static const struct ibc_arg success = {.n = 1, .v = {{.kind = IBC_V_NUMBER, .mask = UINT64_MAX}}};
    const struct ibc_arg *a = run_arg(l->s, IBC_K_status);
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (run_fits(l->p, a ? a : &success, l->c->wc.status, &l->at))
        return true;
    snprintf(expected, sizeof expected, "completion.status %s%s", a && a->v[0].negated ? "other than " : "",
             status_name(a ? a->v[0].n : IBA_WC_SUCCESS));
    snprintf(got, sizeof got, "completion.status %s", status_name(l->c->wc.status));
    return run_fail(l->p, l->s, NULL, expected, got);
}

/* A completion in error names no operation (11.4.2.1). */
static bool op_fits(const struct looked *l)
{
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (l->s->op == IBC_NO_OP || l->c->wc.status != IBA_WC_SUCCESS || l->c->wc.op == l->s->op)
        return true;
    snprintf(expected, sizeof expected, "completion.op %s", iba_wr_op_name((enum iba_wr_op)l->s->op));
    snprintf(got, sizeof got, "completion.op %s", iba_wr_op_name((enum iba_wr_op)l->c->wc.op));
    return run_fail(l->p, l->s, NULL, expected, got);
}

/* Bytes of a receive buffer before the payload, by type of QP: room for a GRH (UU-21), or the bytes after the LRH
 * (UU-40) */
static const uint8_t area_of[IBA_QPT_COUNT] = {
    [IBA_QPT_UD] = IBA_BYTES_grh,        [IBA_QPT_SMI] = IBA_BYTES_grh,           [IBA_QPT_GSI] = IBA_BYTES_grh,
    [IBA_QPT_RAW_IPV6] = IBA_BYTES_ipv6, [IBA_QPT_RAW_ETHERTYPE] = IBA_BYTES_rwh,
};

/* Compares the buffers' content from byte `skip` on. */
static bool content_fits(const struct looked *l)
{
    const struct ibc_arg *fill = run_arg(l->s, IBC_K_fill);
    const struct run_wr *w = l->c->wr;
    uint64_t skip = w->recv ? area_of[l->c->qp->type] : 0;
    uint64_t left = l->c->wc.byte_len > skip ? l->c->wc.byte_len - skip : 0, at;

    if (!fill)
        return true;
    at = fill->v[0].hi;
    for (unsigned i = 0; i < w->n_sge && left > 0; i++) {
        const uint64_t from = skip < w->sge[i].length ? skip : w->sge[i].length, room = w->sge[i].length - from;
        const uint64_t n = left < room ? left : room;
        if (!run_memory_is(l->p, l->s, l->c->qp->device, w->sge[i].addr + from, n, (char)fill->v[0].n, at))
            return false;
        skip -= from;
        left -= n;
        at += n;
    }
    return true;
}

static bool match_fits(const struct looked *l)
{
    const struct iba_wc *wc = &l->c->wc;
    const bool match = (wc->flags & IBA_WC_TAG_MATCH) != 0;

    return value_fits(l, IBC_K_match, match) && value_fits(l, IBC_K_data, (wc->flags & IBA_WC_TAG_DATA) != 0) &&
           value_fits(l, IBC_K_tag, match ? wc->tag : UINT64_MAX) &&
           value_fits(l, IBC_K_app, match ? wc->imm_or_key : UINT64_MAX);
}

static bool completion_fits(const struct looked *l)
{
    const struct iba_wc *wc = &l->c->wc;

    return status_fits(l) && op_fits(l) && value_fits(l, IBC_K_id, l->c->wr->id) &&
           value_fits(l, IBC_K_bytes, wc->byte_len) &&
           value_fits(l, IBC_K_imm, wc->flags & IBA_WC_WITH_IMM ? wc->imm_or_key : UINT64_MAX) &&
           value_fits(l, IBC_K_inv, wc->flags & IBA_WC_WITH_INV ? wc->imm_or_key : UINT64_MAX) &&
           value_fits(l, IBC_K_solicited, (wc->flags & IBA_WC_SOLICITED) != 0) &&
           value_fits(l, IBC_K_grh, (wc->flags & IBA_WC_GRH) != 0) && value_fits(l, IBC_K_srcqp, wc->src_qpn) &&
           value_fits(l, IBC_K_pkey_index, wc->pkey_index) && value_fits(l, IBC_K_slid, wc->slid) &&
           value_fits(l, IBC_K_sl, wc->sl) && value_fits(l, IBC_K_path_bits, wc->path_bits) && match_fits(l) &&
           content_fits(l);
}

bool run_step_completion(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    struct looked l = {.p = p, .s = s, .at.device = q->device};
    unsigned i;

    switch (run_await(p, s, run_scaled(p, RUN_PATIENCE), false, completion_there)) {
    case RUN_STOP: return false;
    case RUN_NOT: return run_fail_after_wait(p, s, s->text, "no completion");
    default: break;
    }
    i = next_of(p, q, queue_of(s));
    l.c = &p->wc[i];
    if (!completion_fits(&l)) /* a `|` line (alternative) may match the completion */
        return false;
    take_completion(p, i);
    return true;
}

/* ---- completions ---- */
static uint32_t successes(const struct run_player *p, const struct run_live *q, bool recv)
{
    uint32_t n = 0;

    for (unsigned i = 0; i < p->n_wc; i++)
        n += p->wc[i].qp == q && p->wc[i].wr->recv == recv && p->wc[i].wc.status == IBA_WC_SUCCESS;
    return n;
}

/* Returns the number of completions that the line expects of a queue; a queue that the line does not name may have
 * any number. */
static uint32_t wanted(const struct ibc_step *s, enum ibc_key key, uint32_t is)
{
    return (uint32_t)ibc_arg_n(s->arg, s->n_arg, key, is);
}

static bool enough(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    const uint32_t send = successes(p, q, false), recv = successes(p, q, true);

    return send >= wanted(s, IBC_K_send, send) && recv >= wanted(s, IBC_K_recv, recv);
}

/* Forgets the counted completions, so that the next line does not count them again. */
static void forget_successes(struct run_player *p, const struct run_live *q, bool recv)
{
    for (unsigned i = p->n_wc; i-- > 0;)
        if (p->wc[i].qp == q && p->wc[i].wr->recv == recv && p->wc[i].wc.status == IBA_WC_SUCCESS)
            take_completion(p, i);
}

static bool none_came(struct run_player *p, const struct ibc_step *s, const struct run_live *q)
{
    const unsigned i = next_of(p, q, EITHER);
    char got[RUN_TEXT];

    if (i == p->n_wc)
        return true;
    snprintf(got, sizeof got, "a completion of %s, %s",
             p->wc[i].wr->recv ? "a receive" : iba_wr_op_name((enum iba_wr_op)p->wc[i].wr->op),
             status_name(p->wc[i].wc.status));
    return run_fail(p, s, NULL, "no completion", got);
}

/* On virtual time it is certain at once that no completion comes; on real time the play has to wait. */
static uint64_t none_patience(const struct run_player *p)
{
    return p->t->virtual_time ? 0 : run_scaled(p, RUN_NONE);
}

bool run_step_completions(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    uint32_t send, recv;
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (run_has(s, IBC_K_none))
        return run_await(p, s, none_patience(p), false, completion_there) != RUN_STOP && none_came(p, s, q);
    if (run_await(p, s, run_scaled(p, RUN_PATIENCE), false, enough) == RUN_STOP)
        return false;
    send = successes(p, q, false);
    recv = successes(p, q, true);
    if (send == wanted(s, IBC_K_send, send) && recv == wanted(s, IBC_K_recv, recv)) {
        if (run_has(s, IBC_K_send))
            forget_successes(p, q, false);
        if (run_has(s, IBC_K_recv))
            forget_successes(p, q, true);
        return true;
    }
    snprintf(expected, sizeof expected, "completions send=%u recv=%u", wanted(s, IBC_K_send, send),
             wanted(s, IBC_K_recv, recv));
    snprintf(got, sizeof got, "completions send=%u recv=%u", send, recv);
    return run_fail(p, s, NULL, expected, got);
}

/* ---- events ---- */
bool run_is_about(const struct run_live *l, const struct run_event *e)
{
    static const uint8_t kind[IBA_EVENT_COUNT] = {
        [IBA_EVENT_PATH_MIGRATED] = IBC_O_qp,       [IBA_EVENT_COMM_ESTABLISHED] = IBC_O_qp,
        [IBA_EVENT_SQ_DRAINED] = IBC_O_qp,          [IBA_EVENT_LAST_WQE_REACHED] = IBC_O_qp,
        [IBA_EVENT_SRQ_LIMIT] = IBC_O_srq,          [IBA_EVENT_CQ_ERROR] = IBC_O_cq,
        [IBA_EVENT_WQ_CATASTROPHIC] = IBC_O_qp,     [IBA_EVENT_WQ_INVALID_REQUEST] = IBC_O_qp,
        [IBA_EVENT_WQ_ACCESS_VIOLATION] = IBC_O_qp, [IBA_EVENT_SRQ_CATASTROPHIC] = IBC_O_srq,
        [IBA_EVENT_PKEY_CHANGE] = IBC_O_pd,         [IBA_EVENT_PKEY_VIOLATION] = IBC_O_pd,
        [IBA_EVENT_QKEY_VIOLATION] = IBC_O_pd, /* pd stands for the port: the event belongs to no object */
    };

    if (!l)
        return true;
    if (e->event.kind >= IBA_EVENT_COUNT || kind[e->event.kind] != l->kind)
        return false;
    return l->kind == IBC_O_qp ? e->device == l->device && e->event.object == l->id[0]
                               : e->event.object == l->id[e->device];
}

static unsigned next_event(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *l = run_live(p, s);
    unsigned i = 0;

    while (i < p->n_event && !run_is_about(l, &p->event[i]))
        i++;
    return i;
}

static bool event_there(struct run_player *p, const struct ibc_step *s)
{
    return next_event(p, s) < p->n_event;
}

static const char *event_name(uint64_t kind)
{
    return kind < IBA_EVENT_COUNT ? iba_event_name((enum iba_event_kind)kind) : "?";
}

bool run_step_event(struct run_player *p, const struct ibc_step *s)
{
    static const struct run_context none;
    const struct ibc_arg *a = run_arg(s, IBC_K_value);
    char expected[RUN_TEXT], got[RUN_TEXT];
    unsigned i;

    snprintf(expected, sizeof expected, "event %s", event_name(a->v[0].n));
    switch (run_await(p, s, run_scaled(p, RUN_PATIENCE), true, event_there)) {
    case RUN_STOP: return false;
    case RUN_NOT: return run_fail_after_wait(p, s, expected, "no event");
    default: break;
    }
    i = next_event(p, s);
    if (!run_fits(p, a, p->event[i].event.kind, &none)) {
        snprintf(got, sizeof got, "event %s", event_name(p->event[i].event.kind));
        return run_fail(p, s, NULL, expected, got);
    }
    p->n_event--;
    memmove(&p->event[i], &p->event[i + 1], (p->n_event - i) * sizeof *p->event);
    return true;
}

bool run_step_events(struct run_player *p, const struct ibc_step *s)
{
    char got[RUN_TEXT];

    if (run_await(p, s, none_patience(p), true, event_there) == RUN_STOP)
        return false;
    if (!event_there(p, s))
        return true;
    snprintf(got, sizeof got, "event %s", event_name(p->event[next_event(p, s)].event.kind));
    return run_fail(p, s, NULL, "no event", got);
}
