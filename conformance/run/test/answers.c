/* SPDX-License-Identifier: BSD-2-Clause */
#include "answers.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"
#include "sim/iba_mutate.h"
#include "sim/iba_random.h"

static const char *const names[] = {
#define ANSWER_NAME(name, text) text,
    ANSWERS(ANSWER_NAME)};

static enum answer kind_of; /* number of the answer that becomes wrong */
static long one;
static unsigned count[ANSWER_KINDS];
static const char *what;
static struct iba_random random_of;
static struct iba_wc again;
static bool has_again;

/* Returns whether this answer is the one that the test makes wrong. */
static bool is_chosen(enum answer kind)
{
    if ((long)count[kind]++ != one || kind != kind_of)
        return false;
    what = names[kind];
    return true;
}

static unsigned below(unsigned n)
{
    return (unsigned)iba_random_below(&random_of, n);
}

/* ---- results ---- */

/* Returns the result of the verb, or another result if this answer is the one to change. */
static enum ibc_rc result(struct ibc_target *t, enum ibc_rc rc, enum answer kind)
{
    static const char *const errors[] = {"state", "mem_busy", "attr_missing", "no_such_error"};

    if (!is_chosen(kind))
        return rc;
    switch (below(12)) {
    case 0: return IBC_UNSUPPORTED;
    case 1: snprintf(t->fault, sizeof t->fault, "the device went away"); return IBC_DEAD;
    case 2: snprintf(t->fault, sizeof t->fault, "the harness broke"); return IBC_BROKEN;
    default:
        if (rc == IBC_REFUSED && below(2))
            return IBC_OK;
        snprintf(t->refusal, sizeof t->refusal, "%s", errors[below(4)]);
        return IBC_REFUSED;
    }
}

static enum ibc_rc reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    return result(t, whole->reg_mr(t, d, m, out), ANSWER_mr);
}

static enum ibc_rc alloc_mw(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey)
{
    return result(t, whole->alloc_mw(t, d, type, pd, rkey), ANSWER_mw);
}

static enum ibc_rc create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn)
{
    return result(t, whole->create_qp(t, d, q, qpn), ANSWER_qp);
}

static enum ibc_rc destroy(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id)
{
    return result(t, whole->destroy(t, d, kind, id), ANSWER_destroy);
}

static enum ibc_rc modify_qp(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    return result(t, whole->modify_qp(t, d, qpn, a), ANSWER_modify);
}

static enum ibc_rc post_send(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s)
{
    return result(t, whole->post_send(t, d, qpn, s), ANSWER_send);
}

static enum ibc_rc post_recv(struct ibc_target *t, unsigned d, uint32_t qpn, const struct iba_recv_wr *wr)
{
    return result(t, whole->post_recv(t, d, qpn, wr), ANSWER_recv);
}

static enum ibc_rc set_port(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value)
{
    return result(t, whole->set_port(t, d, key, index, value), ANSWER_port);
}

static enum ibc_rc attach(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool on)
{
    return result(t, whole->attach(t, d, qpn, gid, lid, on), ANSWER_attach);
}

static enum ibc_rc cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *c)
{
    return result(t, whole->cm_call(t, d, c), ANSWER_cm);
}

/* ---- values ---- */

static void wrong_completion(struct iba_wc *wc)
{
    switch (below(9)) {
    case 0: wc->status = (uint8_t)(wc->status ? 0 : 1 + below(8)); break;
    case 1: wc->op ^= 1; break;
    case 2: wc->byte_len += 1 + below(4); break;
    case 3: wc->imm_or_key ^= 1U << below(32); break;
    case 4: wc->src_qpn ^= 1; break;
    case 5: wc->flags ^= (uint8_t)(1U << below(4)); break;
    case 6: wc->qpn ^= 1; break;
    case 7: wc->wr_id++; break;
    default: wc->slid ^= 1; break;
    }
}

static enum ibc_rc poll_cq(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    enum ibc_rc rc = IBC_OK;

    if (has_again) {
        has_again = false;
        *wc = again;
        *n = 1;
        return IBC_OK;
    }
    rc = whole->poll_cq(t, d, cq, wc, n);
    if (rc != IBC_OK || *n == 0 || !is_chosen(ANSWER_completion))
        return rc;
    switch (below(6)) {
    case 0: return whole->poll_cq(t, d, cq, wc, n); /* the completion is lost */
    case 1: again = *wc, has_again = true; break;
    default: wrong_completion(wc); break;
    }
    return rc;
}

static enum ibc_rc poll_event(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n)
{
    const enum ibc_rc rc = whole->poll_event(t, d, e, n);

    if (rc != IBC_OK || *n == 0 || !is_chosen(ANSWER_event))
        return rc;
    switch (below(3)) {
    case 0: return whole->poll_event(t, d, e, n); /* the event is lost */
    case 1: e->kind ^= 1; break;
    default: e->object ^= 1; break;
    }
    return rc;
}

static enum ibc_rc query_qp(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    const enum ibc_rc rc = whole->query_qp(t, d, qpn, a);

    if (rc != IBC_OK || !is_chosen(ANSWER_query))
        return rc;
    switch (below(6)) {
    case 0: a->state = a->state == IBA_QPS_ERR ? IBA_QPS_RTS : IBA_QPS_ERR; break;
    case 1: a->state = a->state == IBA_QPS_RTS ? IBA_QPS_SQE : IBA_QPS_RTS; break;
    case 2: a->rq_psn ^= 1; break;
    case 3: a->sq_psn ^= 1; break;
    case 4: a->path_mig = (uint8_t)((a->path_mig + 1) % 3); break;
    default: a->pkey_index++; break;
    }
    return rc;
}

static enum ibc_rc read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n)
{
    const enum ibc_rc rc = whole->read_memory(t, d, at, out, n);

    if (rc == IBC_OK && n > 0 && is_chosen(ANSWER_memory))
        out[below((unsigned)n)] ^= (uint8_t)(1U << below(8));
    return rc;
}

static enum ibc_rc notified(struct ibc_target *t, unsigned d, uint32_t cq, uint64_t *times)
{
    const enum ibc_rc rc = whole->notified(t, d, cq, times);

    if (rc == IBC_OK && is_chosen(ANSWER_notified))
        *times = *times && below(2) ? *times - 1 : *times + 1;
    return rc;
}

static unsigned counters(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS])
{
    const unsigned n = whole->counters(t, d, out);

    if (n > 0 && is_chosen(ANSWER_counter))
        for (unsigned i = 0, first = below(n); i < 1 + below(n); i++)
            out[(first + i) % n].value += 1 + below(2);
    return n;
}

static enum ibc_rc cm_event(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n)
{
    const enum ibc_rc rc = whole->cm_event(t, d, e, n);

    if (rc != IBC_OK || *n == 0 || !is_chosen(ANSWER_cm_event))
        return rc;
    switch (below(6)) {
    case 0: return whole->cm_event(t, d, e, n);
    case 1: e->kind ^= 1; break;
    case 2: e->reason ^= 1; break;
    case 3: e->state ^= 1; break;
    case 4: e->id ^= 1; break;
    default: e->mad[24 + below(IBA_MAD_BYTES - 24)] ^= 0x10; break;
    }
    return rc;
}

/* ---- frames ---- */

enum { REPAIR = 900000 }; /* of a million changed frames, so many get good CRCs */

static uint8_t twice[IBC_FRAME];
static size_t twice_bytes;

/* Changes the frame into another one, has it come twice, or returns false: the frame is lost. */
static bool arrives(const struct ibc_target *t, uint8_t *frame, size_t *len)
{
    struct iba_mutation how;

    if (*len == 0 || !is_chosen(ANSWER_frame))
        return true;
    switch (below(6)) {
    case 0: return false;
    case 1:
        memcpy(twice, frame, *len);
        twice_bytes = *len;
        break;
    default: *len = iba_mutate(&random_of, t->framing, frame, *len, IBC_FRAME, REPAIR, &how); break;
    }
    return true;
}

static bool comes_again(const struct ibc_target *t, uint8_t *frame, size_t *len, uint64_t *at)
{
    if (twice_bytes == 0)
        return false;
    memcpy(frame, twice, twice_bytes);
    *len = twice_bytes;
    *at = t->ops->now((struct ibc_target *)t);
    twice_bytes = 0;
    return true;
}

static enum ibc_rc collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                           uint64_t *at)
{
    if (comes_again(t, frame, len, at))
        return IBC_OK;
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);
    return rc == IBC_OK && !arrives(t, frame, len) ? whole->collect(t, d, until, frame, len, at) : rc;
}

static enum ibc_rc collect_any(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                               uint64_t *at, unsigned *from)
{
    static unsigned last;

    if (comes_again(t, frame, len, at)) {
        *from = last;
        return IBC_OK;
    }
    const enum ibc_rc rc = whole->collect_any(t, until, frame, len, at, from);
    last = *from;
    return rc == IBC_OK && !arrives(t, frame, len) ? whole->collect_any(t, until, frame, len, at, from) : rc;
}

/* ---- for tests ---- */

void answers_begin(enum answer kind, long place, uint64_t seed)
{
    kind_of = kind;
    one = place;
    memset(count, 0, sizeof count);
    what = NULL;
    has_again = false;
    twice_bytes = 0;
    iba_random_seed(&random_of, seed);
}

unsigned answers_count(enum answer kind)
{
    return count[kind];
}

const char *answers_changed(void)
{
    return what;
}

void answers_attach(void)
{
    changed.reg_mr = reg_mr;
    changed.alloc_mw = alloc_mw;
    changed.create_qp = create_qp;
    changed.destroy = destroy;
    changed.modify_qp = modify_qp;
    changed.post_send = post_send;
    changed.post_recv = post_recv;
    changed.set_port = set_port;
    changed.attach = attach;
    changed.cm_call = cm_call;
    changed.poll_cq = poll_cq;
    changed.poll_event = poll_event;
    changed.query_qp = query_qp;
    changed.read_memory = read_memory;
    changed.notified = notified;
    changed.counters = counters;
    changed.cm_event = cm_event;
    changed.collect = collect;
    changed.collect_any = collect_any;
}
