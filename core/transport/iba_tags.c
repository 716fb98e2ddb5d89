/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport/iba_tags.h"
#include <assert.h>
#include <string.h>
#include "transport/iba_receiver.h"
#include "transport/iba_wr_ops.h"

enum { HEADERS = IBA_BYTES_tmh + IBA_BYTES_rvh };

/* The first packet of a message, as tag matching sees it. */
struct look {
    const struct iba_rx *x;
    const struct iba_srq *srq;
    const uint8_t *header;      /* the payload */
    uint32_t n;                 /* its bytes */
    const struct iba_tag *best; /* NULL: no listed receive fits */
};

/* ---- the rows ---- */

static bool is_kind(const struct look *l, unsigned kind, uint32_t bytes)
{
    return l->n >= bytes && iba_tmh_opcode(l->header) == kind;
}

static bool is_rndv(const struct look *l)
{
    return is_kind(l, IBA_TM_RNDV, HEADERS);
}

static bool is_untagged(const struct look *l)
{
    return !is_rndv(l) && !is_kind(l, IBA_TM_EAGER, IBA_BYTES_tmh);
}

static bool is_long_rndv(const struct look *l)
{
    return is_rndv(l) && !iba_rx_ends(l->x);
}

static bool is_unmatched(const struct look *l)
{
    return !l->best;
}

static bool is_too_large(const struct look *l)
{
    return is_rndv(l) && iba_rvh_len(l->header + IBA_BYTES_tmh) > iba_sgl_length(l->best->wr.sge, l->best->wr.n_sge);
}

static bool has_no_room(const struct look *l)
{
    return is_rndv(l) && l->x->qp->s.n - l->x->qp->s.count < 2;
}

static bool always(const struct look *l)
{
    (void)l;
    return true;
}

/* clang-format off */
/*    name         when           use         the message ...                                                              clause */
#define TAG_RULES(R)                                                                                                                 \
    R(untagged,    is_untagged,   ORDINARY,   "has no tag, ends a rendezvous, or is shorter than its header",            "VN-04, VN-06") \
    R(long_rndv,   is_long_rndv,  UNEXPECTED, "is a rendezvous of several packets",                                      "VN-06") \
    R(unmatched,   is_unmatched,  UNEXPECTED, "has a tag that no receive of the list fits",                              "VN-06") \
    R(too_large,   is_too_large,  HEADERS,    "is a rendezvous of more data than the receive has space for",             "VN-05") \
    R(no_room,     has_no_room,   WAIT,       "is a rendezvous, and the send queue has no room for its READ and its FIN", "VN-05") \
    R(rendezvous,  is_rndv,       READ,       "is a rendezvous",                                                         "VN-05") \
    R(eager,       always,        EAGER,      "has its data after the header",                                           "VN-04")
/* clang-format on */
#define TAG_AT(name, ...) AT_##name,
enum { TAG_RULES(TAG_AT) AT_COUNT };
#define TAG_ROW(name_, when_, use_, sentence_, clause_) {#name_, sentence_, clause_, IBA_TAG_##use_},
static const struct iba_tag_row rows[] = {TAG_RULES(TAG_ROW)};

const struct iba_tag_row *iba_tag_rules(size_t *n)
{
    *n = AT_COUNT;
    return rows;
}

#define TAG_DECIDE(name, when, use, ...)                                                                               \
    if (l->srq->tags.left_out != AT_##name + 1 && when(l))                                                             \
        return IBA_TAG_##use;
static enum iba_tag_use decide(const struct look *l)
{
    TAG_RULES(TAG_DECIDE)
    return IBA_TAG_UNEXPECTED; /* only in a device that lacks the last row */
}

static const struct iba_tag *best_of(const struct iba_tags *t, uint64_t tag)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->list[i].listed && ((t->list[i].tag ^ tag) & t->list[i].mask) == 0)
            return &t->list[i];
    return NULL;
}

/* Decides on the first packet of a SEND; *best is the tagged receive that fits, or NULL. */
static enum iba_tag_use use_of(const struct iba_rx *x, const struct iba_srq *srq, const struct iba_tag **best)
{
    struct look l = {.x = x, .srq = srq, .header = iba_rx_data(x), .n = x->v->payload_len};
    enum iba_tag_use use;

    *best = NULL;
    if (x->qp->type != IBA_QPT_RC)
        return IBA_TAG_ORDINARY;
    if (l.n >= IBA_BYTES_tmh)
        l.best = best_of(&srq->tags, iba_tmh_tag(l.header));
    use = decide(&l);
    if (use >= IBA_TAG_EAGER && !l.best)
        use = IBA_TAG_ORDINARY; /* only in a device that lacks rows */
    *best = use >= IBA_TAG_EAGER ? l.best : NULL;
    return use;
}

/* ---- receiving ---- */

struct iba_tag_part iba_tags_part(const struct iba_rx *x, const struct iba_srq *srq)
{
    const uint32_t n = x->v->payload_len;
    const struct iba_tag *best;

    if (!iba_rx_begins(x))
        return (struct iba_tag_part){.n = n};
    switch (use_of(x, srq, &best)) {
    case IBA_TAG_EAGER: return (struct iba_tag_part){.skip = IBA_BYTES_tmh, .n = n - IBA_BYTES_tmh};
    case IBA_TAG_READ: return (struct iba_tag_part){.skip = n};
    case IBA_TAG_HEADERS: return (struct iba_tag_part){.n = HEADERS};
    default: return (struct iba_tag_part){.n = n};
    }
}

const struct iba_recv_wr *iba_tags_next(const struct iba_rx *x, const struct iba_srq *srq)
{
    const struct iba_tag *best;

    if (use_of(x, srq, &best) == IBA_TAG_WAIT)
        return NULL;
    return best ? &best->wr : iba_rq_next(&srq->rq);
}

static void remove_at(struct iba_tags *t, uint32_t at)
{
    t->count--;
    memmove(&t->list[at], &t->list[at + 1], (t->count - at) * sizeof *t->list);
}

bool iba_tags_take(struct iba_rx *x, struct iba_srq *srq, struct iba_recv_wr *wr)
{
    const struct iba_tag *best;
    const enum iba_tag_use use = use_of(x, srq, &best);

    if (!best) {
        srq->tags.unexpected += use == IBA_TAG_UNEXPECTED;
        return iba_recv_take(x->ca, x->qp, srq, wr);
    }
    *wr = best->wr;
    wr->matched = (uint8_t)use;
    remove_at(&srq->tags, (uint32_t)(best - srq->tags.list));
    return true;
}

/* Only the completion that reports the match has the tag and the application's context. */
static void report_match(const struct iba_rx *x, struct iba_wc *wc)
{
    wc->flags |= IBA_WC_TAG_MATCH;
    wc->tag = iba_tmh_tag(iba_rx_data(x));
    wc->imm_or_key = iba_tmh_app_ctx(iba_rx_data(x));
}

void iba_tags_begun(struct iba_rx *x)
{
    const struct iba_qp *qp = x->qp;
    struct iba_wc wc = {.wr_id = qp->r.wqe.wr_id,
                        .op = IBA_WR_RECV,
                        .qpn = qp->qpn,
                        .src_qpn = qp->attr.dest_qpn,
                        .srqn = qp->srq,
                        .pkey_index = iba_rx_pkey_index(x)};

    report_match(x, &wc);
    iba_cq_push(x->ca, iba_recv_cq(x->ca, qp), &wc, false);
}

/* The list of the READ: as many bytes of the receive as the rendezvous has. */
static uint8_t cut_list(struct iba_sge *to, const struct iba_recv_wr *wr, uint32_t bytes)
{
    uint8_t n = 0;

    for (; n < wr->n_sge && bytes > 0; n++) {
        to[n] = wr->sge[n];
        if (to[n].length > bytes)
            to[n].length = bytes;
        bytes -= to[n].length;
    }
    return n;
}

/* The data of the rendezvous come by a READ. The FIN waits for it, by its fence (VN-05). */
static void fetch(struct iba_rx *x, const struct iba_recv_wr *wr)
{
    const uint8_t *rvh = iba_rx_data(x) + IBA_BYTES_tmh;
    struct iba_send_wr read = {
        .wr_id = wr->wr_id, .op = IBA_WR_READ, .va = iba_rvh_va(rvh), .rkey = iba_rvh_r_key(rvh)};
    const struct iba_send_wr fin = {.wr_id = wr->wr_id, .op = IBA_WR_SEND, .flags = IBA_WR_FENCE};
    struct iba_qp *qp = x->qp;
    struct iba_sqe *e;

    if (qp->s.n - qp->s.count < 2) /* only in a device that lacks a row */
        return;
    read.n_sge = cut_list(read.sge, wr, iba_rvh_len(rvh));
    iba_requester_post(x->ca, qp, &read);
    iba_sqe_at(qp, qp->s.count - 1)->wr.flags = IBA_WR_TAGGED;
    iba_requester_post(x->ca, qp, &fin);
    e = iba_sqe_at(qp, qp->s.count - 1);
    e->wr.flags |= IBA_WR_TAGGED | IBA_WR_INLINE;
    e->length = HEADERS;
    _Static_assert((int)HEADERS <= (int)IBA_MAX_INLINE, "a FIN is inline");
    memcpy(e->wr.sge, iba_rx_data(x), HEADERS);
    iba_tmh_set_opcode((uint8_t *)e->wr.sge, IBA_TM_FIN);
}

void iba_tags_complete(struct iba_rx *x, struct iba_wc *wc)
{
    const struct iba_recv_wr *wr = &x->qp->r.wqe;

    if (wc->status != IBA_WC_SUCCESS)
        return;
    if (iba_rx_begins(x))
        report_match(x, wc);
    if (wr->matched == IBA_TAG_EAGER)
        wc->flags |= IBA_WC_TAG_DATA;
    else if (wr->matched == IBA_TAG_HEADERS)
        wc->status = IBA_WC_TAG_INCOMPLETE;
    else
        fetch(x, wr);
}

/* ---- verbs ---- */

enum iba_verb_err iba_create_tag_srq(struct iba_ca *ca, struct iba_srq *srq, const struct iba_tag_srq_init *init,
                                     uint32_t *number)
{
    enum iba_verb_err e;

    assert(init->list && init->n_tags > 0);
    if (!iba_cq_find(ca, init->cq))
        return IBA_VERB_NO_CQ;
    e = iba_create_srq(ca, srq, init->ring, init->n, init->pd, number);
    if (e != IBA_VERB_OK)
        return e;
    srq->cq = init->cq;
    srq->tags = (struct iba_tags){.list = init->list, .n = init->n_tags, .left_out = init->left_out};
    return IBA_VERB_OK;
}

/* The SRQ with tags of that number; NULL: *e says why there is none. */
static struct iba_srq *find(const struct iba_ca *ca, uint32_t number, enum iba_verb_err *e)
{
    struct iba_srq *srq = iba_srq_find(ca, number);

    *e = !srq ? IBA_VERB_NO_SRQ : !srq->tags.list ? IBA_VERB_TYPE : IBA_VERB_OK;
    return *e == IBA_VERB_OK ? srq : NULL;
}

/* Software that has handled all unexpected messages has found none that fits the receives that it added. */
static void sync_list(struct iba_tags *t, uint32_t handled)
{
    for (uint32_t i = 0; handled == t->unexpected && i < t->count; i++)
        t->list[i].listed = true;
}

enum iba_verb_err iba_add_tag(struct iba_ca *ca, uint32_t number, const struct iba_recv_wr *wr, uint64_t tag,
                              uint64_t mask, uint32_t handled, uint32_t *handle)
{
    enum iba_verb_err e;
    struct iba_srq *srq = find(ca, number, &e);

    if (!srq)
        return e;
    if (srq->error)
        return IBA_VERB_STATE;
    if (wr->n_sge > IBA_MAX_SGE || wr->form != IBA_RECV_LIST || wr->most > 0)
        return IBA_VERB_SGE;
    if (srq->tags.count == srq->tags.n)
        return IBA_VERB_FULL;
    *handle = ++srq->tags.next_handle;
    srq->tags.list[srq->tags.count++] = (struct iba_tag){.wr = *wr, .tag = tag, .mask = mask, .handle = *handle};
    sync_list(&srq->tags, handled);
    return IBA_VERB_OK;
}

enum iba_verb_err iba_remove_tag(struct iba_ca *ca, uint32_t number, uint32_t handle, uint32_t handled)
{
    enum iba_verb_err e;
    struct iba_srq *srq = find(ca, number, &e);

    if (!srq)
        return e;
    sync_list(&srq->tags, handled);
    for (uint32_t i = 0; i < srq->tags.count; i++)
        if (srq->tags.list[i].handle == handle) {
            remove_at(&srq->tags, i);
            return IBA_VERB_OK;
        }
    return IBA_VERB_ATTR_VALUE;
}

enum iba_verb_err iba_sync_tags(struct iba_ca *ca, uint32_t number, uint32_t handled)
{
    enum iba_verb_err e;
    struct iba_srq *srq = find(ca, number, &e);

    if (srq)
        sync_list(&srq->tags, handled);
    return e;
}
