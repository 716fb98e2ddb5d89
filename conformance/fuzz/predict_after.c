/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the results that remain after all packets: states, completions, events, memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "known.h"
#include "predict.h"
#include "scenario/vocab.h"
#include "transport/iba_wr_ops.h"

enum { REGION = IBC_PATTERN_ROW, RUN = 64 /* bytes in one line */ };

/* Returns the i-th word of a vocabulary, valid until the next call. */
static const char *word(enum ibc_vocab v, size_t i)
{
    return ibc_vocab_name(i, &v);
}

/* ---- states ---- */

/* Whether a completion queue of the QP overflowed. Such a queue fails its QPs at once, or when they complete into
 * it (QS-32). */
static bool has_lost_queue(const struct run_player *p, const struct run_live *q, uint32_t lost)
{
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++)
        if ((lost >> i & 1) && (p->live[i].id[0] == q->scq || p->live[i].id[0] == q->rcq))
            return true;
    return false;
}

static void state(struct predicting *f, struct run_player *p, const struct run_live *q, uint32_t lost)
{
    struct iba_qp_attr a;

    if (has_lost_queue(p, q, lost) || p->t->ops->query_qp(p->t, 0, q->id[0], &a) != IBC_OK)
        return;
    predict_print(f, "  %s state %s\n", q->o->name, word(IBC_VOCAB_STATE, a.state));
}

/* ---- completions ---- */

/* Returns the object with that key. */
static const struct run_live *keyed(const struct run_player *p, uint32_t rkey)
{
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++) {
        const struct run_live *l = &p->live[i];
        if (l->made && ((l->kind == IBC_O_mr && l->mr[0].rkey == rkey) || (l->kind == IBC_O_mw && l->id[0] == rkey)))
            return l;
    }
    return NULL;
}

static void received(struct predicting *f, struct run_player *p, const struct run_wc *c)
{
    const struct iba_wc *wc = &c->wc;
    const struct run_live *key = wc->flags & IBA_WC_WITH_INV ? keyed(p, wc->imm_or_key) : NULL;

    predict_print(f, " bytes=%u", wc->byte_len);
    if (!(f->c.is_free & FUZZ_FREE_solicited))
        predict_print(f, " solicited=%d", (wc->flags & IBA_WC_SOLICITED) != 0);
    if (wc->flags & IBA_WC_WITH_IMM)
        predict_print(f, " imm=0x%08x", wc->imm_or_key);
    if (key)
        predict_print(f, " inv=%s.rkey", key->o->name);
    if (c->qp->type == IBA_QPT_RC || c->qp->type == IBA_QPT_UC)
        return;
    predict_print(f, " grh=%d pkey_index=%u", (wc->flags & IBA_WC_GRH) != 0, (unsigned)wc->pkey_index);
    if (p->link == IBC_LINK_ib_local || p->link == IBC_LINK_ib_global)
        predict_print(f, " sl=%u path_bits=%u slid=%u", (unsigned)wc->sl, (unsigned)wc->path_bits, (unsigned)wc->slid);
    if (wc->src_qpn == c->qp->peer)
        predict_print(f, " srcqp=%s.peer", c->qp->o->name);
    else if (!run_is_raw(c->qp->type))
        predict_print(f, " srcqp=0x%06x", wc->src_qpn);
}

/* Returns the status of a completion; if sources differ on how a receive fails, the status by each. */
static const char *status_of(const struct run_wc *c)
{
    const uint8_t s = c->wc.status;

    if (c->wr->recv && s == IBA_WC_LOCAL_ACCESS) /* the receive of a WRITE whose key is bad */
        return "local_access|local_protection|remote_access|flushed";
    if (c->wr->recv && s == IBA_WC_MW_BIND) /* the receive of a SEND whose key cannot be invalidated (RR-55) */
        return "!success";
    return word(IBC_VOCAB_STATUS, s < IBA_WC_STATUS_COUNT ? s : IBA_WC_SUCCESS);
}

static void completion(struct predicting *f, struct run_player *p, const struct run_wc *c)
{
    const struct iba_wc *wc = &c->wc;
    const bool done = wc->status == IBA_WC_SUCCESS && wc->op < IBA_WR_OP_COUNT;

    predict_print(f, "  %s completion %s", c->qp->o->name,
                  done          ? word(IBC_VOCAB_DONE, wc->op)
                  : c->wr->recv ? "recv"
                                : "send");
    predict_print(f, " status=%s id=%" PRIu64, status_of(c), c->wr->id);
    if (wc->status == IBA_WC_SUCCESS && c->wr->recv)
        received(f, p, c);
    else if (wc->status == IBA_WC_SUCCESS && wc->op == IBA_WR_READ)
        predict_print(f, " bytes=%u", wc->byte_len);
    predict_print(f, "\n");
}

/* ---- events and notification ---- */

static const struct run_live *object_of(const struct run_player *p, const struct iba_event *event)
{
    const struct run_event e = {.event = *event};

    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++)
        if (p->live[i].made && run_is_about(&p->live[i], &e))
            return &p->live[i];
    return NULL;
}

_Static_assert(IBC_MAX_OBJECTS <= 32, "a set of them is 32 bits");

/* A connection that is left in RTR receives packets there: sources differ on whether a refused or dropped one counts as
 * established communication (RR-64). */
static bool meets_packets_in_rtr(const struct fuzz_case *c)
{
    static const char rtr[] = "state=rtr";
    bool does = strstr(c->head, rtr);

    for (unsigned i = 0; i < c->n && !does; i++) {
        const char *at = strstr(c->input[i], rtr);
        does = at && !strstr(at, "state=rts");
    }
    return does;
}

/* Returns the word of an event. A bad request raises one of two events, and sources differ on which (RR-59). */
static const char *event_word(unsigned kind)
{
    if (kind == IBA_EVENT_WQ_INVALID_REQUEST || kind == IBA_EVENT_WQ_ACCESS_VIOLATION)
        return "wq_invalid_request|wq_access_violation";
    return kind < IBA_EVENT_COUNT ? word(IBC_VOCAB_EVENT, kind) : "";
}

/* Writes the events, and returns the set of completion queues that overflowed. */
static uint32_t events(struct predicting *f, struct run_player *p)
{
    const bool is_counted = !(f->c.is_free & FUZZ_FREE_events) && !meets_packets_in_rtr(&f->c);
    struct iba_event e;
    uint32_t lost = 0;
    unsigned n = 1;

    for (unsigned i = 0; i < RUN_MAX_EVENTS && p->t->ops->poll_event(p->t, 0, &e, &n) == IBC_OK && n; i++) {
        const bool ports =
            e.kind == IBA_EVENT_PKEY_CHANGE || e.kind == IBA_EVENT_PKEY_VIOLATION || e.kind == IBA_EVENT_QKEY_VIOLATION;
        const struct run_live *l = ports ? NULL : object_of(p, &e);
        if (l && l->kind == IBC_O_cq)
            lost |= UINT32_C(1) << (l - p->live);
        if (is_counted && (ports || l))
            predict_print(f, "  %s%sevent %s\n", l ? l->o->name : "", l ? " " : "", event_word(e.kind));
    }
    if (is_counted)
        predict_print(f, "  events none\n");
    return lost;
}

static void notified(struct predicting *f, struct run_player *p, const struct run_live *cq)
{
    uint64_t n;

    if (p->t->ops->notified(p->t, 0, cq->id[0], &n) == IBC_OK)
        predict_print(f, "  %s notified %" PRIu64 "\n", cq->o->name, n);
}

/* ---- memory ---- */

/* Returns the completed work request; NULL: it was not completed. */
static const struct run_wc *given_back(const struct run_player *p, const struct run_wr *w)
{
    for (unsigned i = 0; i < p->n_wc; i++)
        if (p->wc[i].wr == w)
            return &p->wc[i];
    return NULL;
}

static bool writes(const struct run_wr *w)
{
    return w->recv || w->op == IBA_WR_READ || w->op == IBA_WR_CMP_SWAP || w->op == IBA_WR_FETCH_ADD;
}

/* A buffer that was not completed, or its part after the message, or the space of a GRH, may contain anything. */
static void free_of(const struct run_player *p, const struct run_live *m, const struct run_wr *w, bool any[REGION])
{
    enum { AREA = 40 };
    const struct run_wc *c = given_back(p, w);
    const uint8_t type = c ? c->qp->type : IBA_QPT_RC; /* type of the QP that used a shared receive */
    const bool area = w->recv && (type == IBA_QPT_UD || type == IBA_QPT_GSI || type == IBA_QPT_SMI);
    const bool good = c && c->wc.status == IBA_WC_SUCCESS;
    const uint64_t came = c ? c->wc.byte_len : 0;
    uint64_t at = 0;

    for (unsigned i = 0; i < w->n_sge; i++)
        for (uint64_t k = 0; k < w->sge[i].length; k++, at++) {
            const uint64_t off = w->sge[i].addr + k - m->mr[0].local;
            if (off < REGION && (!good || at >= came || (area && at < AREA)))
                any[off] = true;
            else if (off >= REGION)
                break;
        }
}

enum kind { ANY, SAME, OTHER };
static enum kind kind_of(const uint8_t *is, const uint8_t *was, const bool *any, uint32_t off)
{
    return any[off] ? ANY : is[off] == was[off] ? SAME : OTHER;
}

static void tell(struct predicting *f, const struct run_live *m, const uint8_t *is, enum kind kind, uint32_t from,
                 uint32_t to)
{
    if (kind == SAME)
        predict_print(f, "  memory %s+%u len=%u unchanged\n", m->o->name, from, to - from);
    if (kind != OTHER)
        return;
    predict_print(f, "  memory %s+%u len=%u hex:", m->o->name, from, to - from);
    for (uint32_t i = from; i < to; i++)
        predict_print(f, "%02x", is[i]);
    predict_print(f, "\n");
}

static void memory(struct predicting *f, struct run_player *p, const struct run_live *m)
{
    static uint8_t is[REGION];
    static bool any[REGION];
    const uint32_t n = (uint32_t)m->length;
    const uint8_t *was = ibc_pattern_row(m->letter, 0, m->length); /* NULL: the region is larger than a pattern */

    if (!was || p->t->ops->read_memory(p->t, 0, m->mr[0].local, is, n) != IBC_OK)
        return;
    memset(any, 0, sizeof any);
    for (unsigned i = 0; i < p->n_wr; i++)
        if (writes(&p->wr[i]))
            free_of(p, m, &p->wr[i], any);
    for (uint32_t from = 0, to; from < n; from = to) {
        const enum kind kind = kind_of(is, was, any, from);
        for (to = from; to < n && kind_of(is, was, any, to) == kind && (kind != OTHER || to - from < RUN); to++)
            ;
        tell(f, m, is, kind, from, to);
    }
}

void predict_after(struct predicting *f, struct run_player *p)
{
    if (!run_poll(p, NULL))
        return;
    const uint32_t lost = events(f, p);
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++)
        if (p->live[i].made && p->live[i].kind == IBC_O_qp)
            state(f, p, &p->live[i], lost);
    predict_cm_events(f, p);
    for (unsigned i = 0; i < p->n_wc; i++)
        completion(f, p, &p->wc[i]);
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++)
        if (p->live[i].made && p->live[i].kind == IBC_O_qp && !p->live[i].cq_gone)
            predict_print(f, "  %s completions none\n", p->live[i].o->name);
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++) {
        const struct run_live *l = &p->live[i];
        if (l->made && l->kind == IBC_O_cq && !(f->c.is_free & FUZZ_FREE_notified))
            notified(f, p, l);
        else if (l->made && l->kind == IBC_O_mr)
            memory(f, p, l);
    }
}
