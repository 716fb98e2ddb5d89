/* SPDX-License-Identifier: BSD-2-Clause */
/* Work requests: posts sends and receives on the device. */
#include <string.h>
#include "run/play.h"
#include "transport/iba_wr_ops.h"

/* A record of posted work in the play's memory; its number + 1 is the id that the device gets. */
static struct run_wr *new_wr(struct run_player *p, const struct ibc_step *s, const struct run_live *q, bool recv)
{
    struct run_wr *w = &p->wr[p->n_wr];

    if (p->n_wr == RUN_MAX_WR) {
        run_error(p, s, "more work requests than a play may post");
        return NULL;
    }
    *w = (struct run_wr){.object = (uint16_t)(q - p->live), .recv = recv};
    p->n_wr++;
    return w;
}

static struct run_context local_of(const struct run_live *q)
{
    return (struct run_context){.device = q->device, .local = true};
}

/* Returns the context for keys and addresses of the peer device. Only a tester in the middle has a peer device. */
static struct run_context remote_of(const struct run_live *q)
{
    return (struct run_context){.device = q->partner ? q->partner->device : q->device};
}

uint32_t run_lkey_of(struct run_player *p, const struct ibc_value *at, unsigned device)
{
    const struct run_live *l = at && at->kind == IBC_V_REF ? run_object_of(p, at) : NULL;

    if (!l || l->kind != IBC_O_mr)
        l = &p->live[RUN_L];
    return l->mr[device].lkey;
}

/* Fills the gather list from the sge= values in order, or with one piece; a message without bytes has an empty
 * list. */
static bool gather(struct run_player *p, const struct ibc_step *s, const struct run_live *q, uint64_t at, uint32_t len,
                   struct run_wr *w)
{
    const struct run_context c = local_of(q);
    const struct ibc_arg *lkey = run_arg(s, IBC_K_lkey), *place = run_arg(s, IBC_K_at);

    for (unsigned i = 0; i < s->n_arg; i++) {
        const struct ibc_arg *a = &s->arg[i];
        if (a->key != IBC_K_sge)
            continue;
        if (w->n_sge == IBA_MAX_SGE)
            return run_error(p, s, "more pieces than a work request may have");
        w->sge[w->n_sge++] = (struct iba_sge){.addr = run_value(p, &a->v[0], &c),
                                              .length = a->at,
                                              .lkey = lkey ? (uint32_t)run_value(p, &lkey->v[0], &c)
                                                           : run_lkey_of(p, &a->v[0], q->device)};
    }
    if (w->n_sge || len == 0)
        return true;
    w->sge[0] = (struct iba_sge){.addr = at,
                                 .length = len,
                                 .lkey = lkey ? (uint32_t)run_value(p, &lkey->v[0], &c)
                                              : run_lkey_of(p, place ? &place->v[0] : NULL, q->device)};
    w->n_sge = 1;
    return true;
}

static uint32_t usual_length(uint16_t op)
{
    switch (op) {
    case IBA_WR_CMP_SWAP:
    case IBA_WR_FETCH_ADD:
    case IBA_WR_ATOMIC_WRITE: return 8;
    case IBA_WR_BIND_MW:
    case IBA_WR_LOCAL_INV: return 0;
    default: return 64;
    }
}

static void put_bind(struct run_player *p, const struct ibc_step *s, const struct run_live *q, struct run_wr *w,
                     struct iba_send_wr *wr)
{
    const struct run_context c = local_of(q), theirs = {.device = q->device};
    const struct ibc_arg *mw = run_arg(s, IBC_K_mw), *mr = run_arg(s, IBC_K_mr), *access = run_arg(s, IBC_K_access);
    const struct run_live *window = mw ? run_object_of(p, &mw->v[0]) : NULL;
    const struct run_live *region = mr ? run_object_of(p, &mr->v[0]) : &p->live[RUN_M];
    uint32_t rights = access ? 0 : IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC;

    for (unsigned i = 0; access && i < access->n; i++)
        rights |= (uint32_t)access->v[i].n;
    wr->bind.va = run_number(p, s, IBC_K_va, region->mr[q->device].local, &c);
    wr->bind.length = run_number(p, s, IBC_K_len, region->mr[q->device].local + region->length - wr->bind.va, &theirs);
    wr->bind.mr_lkey = (uint32_t)run_number(p, s, IBC_K_lkey, region->mr[q->device].lkey, &c);
    wr->bind.access = (uint16_t)rights;
    if (!window)
        return;
    w->window = (uint16_t)(window - p->live);
    wr->bind.mw_rkey = window->id[q->device];
    wr->bind.key_byte = (uint8_t)run_number(p, s, IBC_K_key, (window->id[q->device] + 1) & 0xff, &c);
}

static void put_remote(struct run_player *p, const struct ibc_step *s, const struct run_live *q, struct iba_send_wr *wr)
{
    enum { SOMEWHERE = 0x10000, SOME_KEY = 0x1234 };
    const struct run_context c = remote_of(q);
    const struct ibc_mr *m = &p->live[RUN_M].mr[c.device];

    wr->va = run_number(p, s, IBC_K_to, q->partner ? m->va : SOMEWHERE, &c);
    wr->rkey = (uint32_t)run_number(p, s, IBC_K_rkey, q->partner ? m->rkey : SOME_KEY, &c);
    wr->xrc_srqn = (uint32_t)run_number(p, s, IBC_K_srqn, 0, &c);
    if (wr->op == IBA_WR_FLUSH) {
        wr->flush_placement = (uint8_t)run_number(p, s, IBC_K_placement, 1, &c);
        wr->flush_selectivity = (uint8_t)run_number(p, s, IBC_K_selectivity, 0, &c);
    } else if (wr->op == IBA_WR_CMP_SWAP || wr->op == IBA_WR_FETCH_ADD) {
        wr->swap = run_number(p, s, IBC_K_swap, 0, &c);
        wr->compare_add = run_number(p, s, wr->op == IBA_WR_FETCH_ADD ? IBC_K_add : IBC_K_cmp, 0, &c);
    }
}

/* A reliable datagram goes through the first EE context to the peer of the QP, unless the line names other values. */
static void put_context(struct run_player *p, const struct ibc_step *s, const struct run_live *q,
                        struct iba_send_wr *wr)
{
    const struct run_context c = {.device = q->device};
    const struct run_live *ee = run_first_of(p, IBA_QPT_EE);

    wr->rd.eecn = (uint32_t)run_number(p, s, IBC_K_eecn, ee ? ee->id[0] : 0, &c);
    wr->rd.remote_qpn = (uint32_t)run_number(p, s, IBC_K_qpn, q->peer, &c);
    wr->rd.remote_qkey = (uint32_t)run_number(p, s, IBC_K_qkey, q->qkey, &c);
}

static uint32_t imm_or_key(struct run_player *p, const struct ibc_step *s, const struct run_live *q)
{
    const struct run_context c = s->op == IBA_WR_LOCAL_INV ? local_of(q) : remote_of(q);

    if (run_has(s, IBC_K_ethertype)) /* the EtherType of a raw packet (WF-58) */
        return (uint32_t)run_number(p, s, IBC_K_ethertype, 0, &c);
    return (uint32_t)run_number(p, s, run_has(s, IBC_K_inv) ? IBC_K_inv : IBC_K_imm, 0, &c);
}

static void put_destination(struct run_player *p, const struct ibc_step *s, const struct run_live *q,
                            struct ibc_send *send)
{
    const struct ibc_arg *dest = run_arg(s, IBC_K_dest), *pd = run_arg(s, IBC_K_pd);
    const struct run_live *group = dest && dest->v[0].kind == IBC_V_REF ? run_object_of(p, &dest->v[0]) : NULL;
    const struct run_context c = {.device = q->device};

    send->dest =
        (struct ibc_ah_spec){.hop = q->attr.hop, .tclass = q->attr.tclass, .sl = q->attr.sl, .path = q->attr.path};
    send->dest.port = (uint8_t)run_number(p, s, IBC_K_av_port, 0, &c);
    send->dest.has_pd = pd != NULL;
    send->dest.pd = pd ? run_object_of(p, &pd->v[0])->id[q->device] : 0;
    send->dest.none = dest && !group && dest->v[0].n == IBC_PARTY_none;
    if (group)
        send->dest.group = group->gid;
    else if (dest && dest->v[0].n != IBC_PARTY_peer)
        send->dest.to = run_party(p, &dest->v[0]);
    else if (q->partner)
        send->dest.to = &p->t->device[q->partner->device];
    send->wr.remote_qpn = (uint32_t)run_number(p, s, IBC_K_qpn, group ? 0xffffff : q->peer, &c);
    send->wr.remote_qkey = (uint32_t)run_number(p, s, IBC_K_qkey, q->qkey, &c);
}

static uint8_t flags_of(const struct run_player *p, const struct ibc_step *s)
{
    return (uint8_t)((run_number(p, s, IBC_K_signaled, 1, NULL) ? IBA_WR_SIGNALED : 0) |
                     (run_number(p, s, IBC_K_solicited, 0, NULL) ? IBA_WR_SOLICITED : 0) |
                     (run_number(p, s, IBC_K_fence, 0, NULL) ? IBA_WR_FENCE : 0) |
                     (run_number(p, s, IBC_K_inline, 0, NULL) ? IBA_WR_INLINE : 0));
}

static bool has_no_peer(uint8_t type)
{
    return type != IBA_QPT_RC && type != IBA_QPT_UC && type != IBA_QPT_XRC_INI && type != IBA_QPT_XRC_TGT &&
           type != IBA_QPT_RD;
}

/* The device may refuse a request at once or accept it. If the verb accepted it, the completion must have the
 * error. */
static bool ends_as(struct run_player *p, const struct ibc_step *s)
{
    struct ibc_arg status = *run_arg(s, IBC_K_late);
    struct ibc_step step = *s;

    status.key = IBC_K_status;
    step.kind = IBC_S_completion;
    step.arg = &status;
    step.n_arg = 1;
    return run_step_completion(p, &step);
}

bool run_step_post(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    const struct run_context c = local_of(q);
    struct run_wr *w;
    struct ibc_send send;
    enum ibc_rc rc;

    if (!run_settle(p, s))
        return false;
    if (!(w = new_wr(p, s, q, false)))
        return false;
    memset(&send, 0, sizeof send);
    w->op = send.wr.op = (uint8_t)s->op;
    w->id = run_number(p, s, IBC_K_id, 0, NULL);
    send.wr.wr_id = p->n_wr;
    send.wr.flags = flags_of(p, s);
    send.wr.imm_or_key = imm_or_key(p, s, q);
    if (s->op == IBA_WR_BIND_MW) /* the three share memory in the work request: only one of them is set */
        put_bind(p, s, q, w, &send.wr);
    else if (has_no_peer(q->type))
        put_destination(p, s, q, &send);
    else
        put_remote(p, s, q, &send.wr);
    if (s->op != IBA_WR_BIND_MW && !gather(p, s, q, run_number(p, s, IBC_K_at, p->live[RUN_L].mr[q->device].local, &c),
                                           (uint32_t)run_number(p, s, IBC_K_len, usual_length(s->op), NULL), w))
        return false;
    send.wr.n_sge = w->n_sge;
    memcpy(send.wr.sge, w->sge, sizeof send.wr.sge);
    if (q->type == IBA_QPT_RD) /* the EE context takes the place of the fourth entry */
        put_context(p, s, q, &send.wr);
    rc = p->t->ops->post_send(p->t, q->device, q->id[0], &send);
    p->binds += s->op == IBA_WR_BIND_MW && rc == IBC_OK;
    return rc == IBC_OK && run_has(s, IBC_K_late) ? ends_as(p, s) : run_did_or(p, s, rc, "post the work request");
}

/* ---- receives ---- */
/* Returns the address of the next receive buffer. Buffers follow each other in the second half of region l, so that
 * data sent from its first half stay unchanged; a buffer that would not fit begins at the half's start again. */
static uint64_t next_buffer(struct run_player *p, unsigned device, uint32_t len)
{
    const struct run_live *l = &p->live[RUN_L];
    const uint64_t half = l->length / 2;
    uint64_t at = p->recv_cursor[device] < half ? half : p->recv_cursor[device];

    if (at + len > l->length)
        at = len <= half ? half : 0;
    p->recv_cursor[device] = at + len;
    return l->mr[device].local + at;
}

static bool post_one(struct run_player *p, const struct run_live *q, unsigned device, const struct run_wr *w,
                     const struct ibc_step *s)
{
    struct iba_recv_wr wr = {.wr_id = (uint64_t)(w - p->wr) + 1, .n_sge = w->n_sge};
    enum ibc_rc rc;

    memcpy(wr.sge, w->sge, sizeof wr.sge);
    rc = q->kind == IBC_O_srq ? p->t->ops->post_srq_recv(p->t, device, q->id[device], &wr)
                              : p->t->ops->post_recv(p->t, device, q->id[0], &wr);
    return run_did_or(p, s, rc, "post the receive");
}

bool run_post_receives(struct run_player *p, struct run_live *q, unsigned n, uint32_t len, const struct ibc_step *s)
{
    const struct run_context c = local_of(q);
    const struct ibc_arg *at = s->kind == IBC_S_recv ? run_arg(s, IBC_K_at) : NULL;
    uint64_t place = at ? run_value(p, &at->v[0], &c) : 0;

    for (unsigned i = 0; i < n; i++, place += len) {
        struct run_wr *w = new_wr(p, s, q, true);
        if (!w)
            return false;
        w->op = IBA_WR_RECV;
        if (s->kind == IBC_S_recv) {
            w->id = run_number(p, s, IBC_K_id, 0, NULL);
            if (!gather(p, s, q, at ? place : next_buffer(p, q->device, len), len, w))
                return false;
        } else if (len > 0) {
            w->sge[0] = (struct iba_sge){
                .addr = next_buffer(p, q->device, len), .length = len, .lkey = run_lkey_of(p, NULL, q->device)};
            w->n_sge = 1;
        }
        if (!post_one(p, q, q->device, w, s))
            return false;
    }
    return true;
}

bool run_step_recv(struct run_player *p, const struct ibc_step *s)
{
    return run_post_receives(p, run_live(p, s), (unsigned)run_number(p, s, IBC_K_times, 1, NULL),
                             (uint32_t)run_number(p, s, IBC_K_len, 1024, NULL), s);
}

/* ---- tagged receives ---- */
bool run_step_tag(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    const struct run_context c = local_of(q);
    const struct ibc_arg *at = run_arg(s, IBC_K_at);
    const uint32_t len = (uint32_t)run_number(p, s, IBC_K_len, 1024, NULL);
    struct ibc_tagged g = {.tag = run_number(p, s, IBC_K_value, 0, NULL),
                           .mask = run_number(p, s, IBC_K_mask, UINT64_MAX, NULL),
                           .handled = (uint32_t)run_number(p, s, IBC_K_handled, 0, NULL)};
    struct run_wr *w = new_wr(p, s, q, true);

    if (!w)
        return false;
    w->op = IBA_WR_RECV;
    w->tagged = true;
    w->id = run_number(p, s, IBC_K_id, 0, NULL);
    if (!gather(p, s, q, at ? run_value(p, &at->v[0], &c) : next_buffer(p, q->device, len), len, w))
        return false;
    g.wr.wr_id = (uint64_t)(w - p->wr) + 1;
    g.wr.n_sge = w->n_sge;
    memcpy(g.wr.sge, w->sge, sizeof g.wr.sge);
    return run_did_or(p, s, p->t->ops->add_tag(p->t, q->device, q->id[0], &g, &w->handle), "add the tagged receive");
}

/* The newest tagged receive of the SRQ with that id; NULL: there is none. */
static const struct run_wr *tagged(const struct run_player *p, const struct run_live *q, uint64_t id)
{
    for (unsigned i = p->n_wr; i-- > 0;)
        if (p->wr[i].tagged && &p->live[p->wr[i].object] == q && p->wr[i].id == id)
            return &p->wr[i];
    return NULL;
}

bool run_step_untag(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    const struct run_wr *w = tagged(p, q, run_number(p, s, IBC_K_value, 0, NULL));
    const uint32_t handled = (uint32_t)run_number(p, s, IBC_K_handled, 0, NULL);

    if (!w)
        return run_error(p, s, "the shared receive queue has no tagged receive of that id");
    return run_did_or(p, s, p->t->ops->remove_tag(p->t, q->device, q->id[0], w->handle, handled),
                      "remove the tagged receive");
}

bool run_step_sync(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    const uint32_t handled = (uint32_t)run_number(p, s, IBC_K_value, 0, NULL);

    return run_did_or(p, s, p->t->ops->sync_tags(p->t, q->device, q->id[0], handled), "tell what was handled");
}
