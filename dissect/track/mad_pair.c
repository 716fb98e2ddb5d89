/* SPDX-License-Identifier: BSD-2-Clause */
#include "track/mad_pair.h"
#include "mad/iba_mad.h"

enum { ENTRIES = 16, RMPP_DATA = 1 };

/* MD-11: a response has the method's highest bit; Send, Trap, Report and TrapRepress need no response. */
static bool is_response(uint8_t method)
{
    return (method & 0x80) != 0;
}
static bool wants_answer(uint8_t method)
{
    return method == IBA_METHOD_GET || method == IBA_METHOD_SET || method == IBA_METHOD_REPORT ||
           (method >= IBA_METHOD_GET_TABLE && method <= IBA_METHOD_DELETE);
}

/* Messages of the connection manager use the method Send; the protocol determines which message answers which
 * (MD-54). */
static const struct {
    uint16_t answer, request;
} cm_pairs[] = {{IBA_CM_ID_REP, IBA_CM_ID_REQ},   {IBA_CM_ID_REJ, IBA_CM_ID_REQ},
                {IBA_CM_ID_REJ, IBA_CM_ID_REP},   {IBA_CM_ID_RTU, IBA_CM_ID_REP},
                {IBA_CM_ID_DREP, IBA_CM_ID_DREQ}, {IBA_CM_ID_SIDR_REP, IBA_CM_ID_SIDR_REQ},
                {IBA_CM_ID_APR, IBA_CM_ID_LAP}};

struct exchange {
    const uint8_t *src, *dst; /* of the request */
    uint64_t transaction;
    uint16_t attribute;
    uint8_t class;
};

static bool is_of(const struct mad_request *r, const struct exchange *x)
{
    return r->used && r->transaction == x->transaction && r->class == x->class && r->attribute == x->attribute &&
           memcmp(r->addrs.src, x->src, sizeof r->addrs.src) == 0 &&
           memcmp(r->addrs.dst, x->dst, sizeof r->addrs.dst) == 0;
}

/* Whether `a` is replaced before `b`: first unused entries, then answered ones, then the older. */
static bool is_evicted_before(const struct mad_request *a, const struct mad_request *b)
{
    const int rank_a = !a->used ? 0 : a->answered ? 1 : 2, rank_b = !b->used ? 0 : b->answered ? 1 : 2;

    return rank_a != rank_b ? rank_a < rank_b : a->frame < b->frame;
}

/* The request of the exchange; if there is none, the entry to use for it, or NULL. */
static struct mad_request *place_of(struct mad_pairs *t, const struct exchange *x, bool put)
{
    uint64_t at = (x->transaction ^ x->class) * UINT64_C(0x9e3779b97f4a7c15);
    struct mad_request *best = NULL;

    at ^= at >> 32;
    for (unsigned i = 0; i < ENTRIES; i++) {
        struct mad_request *r = &t->request[(at + i) % MAD_REQUESTS];
        if (is_of(r, x))
            return r;
        if (!best || is_evicted_before(r, best))
            best = r;
    }
    return put ? best : NULL;
}

static void asked(struct mad_pairs *t, const struct stat_addrs *a, const struct exchange *x, const struct packet *p)
{
    struct mad_request *r = place_of(t, x, true);

    if (is_of(r, x) && !r->answered) /* a request that is sent again does not replace the first one */
        return;
    t->lost += r->used && !r->answered;
    t->unanswered++;
    *r = (struct mad_request){.addrs = *a,
                              .transaction = x->transaction,
                              .frame = p->number,
                              .source = p->source,
                              .ns = (int64_t)(p->cap->ts_ns - p->first_ns),
                              .p_key = iba_bth_p_key(iba_view_bth(&p->view)),
                              .attribute = x->attribute,
                              .class = x->class,
                              .used = true,
                              .has_time = p->cap->has_ts};
}

static const struct mad_request *answer(struct mad_pairs *t, const struct exchange *x, bool *first)
{
    struct mad_request *r = place_of(t, x, false);

    if (!r)
        return NULL;
    *first = !r->answered;
    t->unanswered -= !r->answered;
    r->answered = true;
    return r;
}

/* Follows a message of the connection manager. REP is both a response, and a message that RTU answers. */
static const struct mad_request *cm_message(struct mad_pairs *t, const struct stat_addrs *a, struct exchange *x,
                                            const struct packet *p, uint16_t attribute, bool *first)
{
    const struct mad_request *found = NULL;
    bool request = false;

    for (size_t i = 0; i < sizeof cm_pairs / sizeof *cm_pairs; i++) {
        request |= cm_pairs[i].request == attribute;
        if (cm_pairs[i].answer != attribute || found)
            continue;
        x->src = a->dst;
        x->dst = a->src;
        x->attribute = cm_pairs[i].request;
        found = answer(t, x, first);
    }
    if (request) {
        x->src = a->src;
        x->dst = a->dst;
        x->attribute = attribute;
        asked(t, a, x, p);
    }
    return found;
}

const struct mad_request *mad_pair(struct mad_pairs *t, const struct packet *p, const struct iba_mad *m,
                                   const uint8_t *h, bool *first)
{
    const uint8_t *rmpp = iba_mad_layout_at(m, IBA_M_rmpp);
    struct stat_addrs a;
    struct exchange x = {
        .src = a.src, .dst = a.dst, .transaction = iba_madhdr_transactionid(h), .class = iba_madhdr_mgmtclass(h)};

    if (!stat_addrs_get(&a, &p->view))
        return NULL;
    if (m->attr && m->attr->group == IBA_GROUP_CM && !is_response(iba_madhdr_method(h)) &&
        !wants_answer(iba_madhdr_method(h)))
        return cm_message(t, &a, &x, p, m->attr->id, first);
    if (rmpp && iba_rmpp_rmppflag_active(rmpp) && iba_rmpp_rmpptype(rmpp) > RMPP_DATA)
        return NULL; /* ACK, STOP and ABORT have the method of the datagram that they refer to (MD-38) */
    if (is_response(iba_madhdr_method(h))) {
        x.src = a.dst;
        x.dst = a.src;
        return answer(t, &x, first);
    }
    if (wants_answer(iba_madhdr_method(h)))
        asked(t, &a, &x, p);
    return NULL;
}
