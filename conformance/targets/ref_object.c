/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of a device have slots in fixed tables, and queues that are allocated from one block of memory. A slot
 * keeps its queues when its object is destroyed, so that endless creation and destruction needs no more memory than
 * the largest number of objects that existed at once. */
#include <string.h>
#include "reference.h"

/* Allocates from the device's memory for queues; NULL: not enough is left. The alignment suits any type. */
static void *cut(struct ref_device *dev, size_t n, size_t each)
{
    const size_t bytes = (n * each + 63) & ~(size_t)63;

    if (n > REF_DEPTH || bytes > REF_RINGS - dev->rings_used)
        return NULL;
    dev->rings_used += bytes;
    return dev->rings + dev->rings_used - bytes;
}

enum ibc_rc ref_create_pd(struct ibc_target *t, unsigned d, uint32_t *pd)
{
    return ref_mem(t, iba_pd_create(&device_of(t, d)->ca.mem, pd));
}

/* ---- completion queues ---- */

static struct ref_cq *free_cq(struct ref_device *dev, uint32_t depth)
{
    struct ref_cq *c = NULL;

    for (uint32_t i = 0; i < dev->n_cq && !c; i++)
        if (!dev->cq[i].used && dev->cq[i].n >= depth)
            c = &dev->cq[i];
    if (c || dev->n_cq == REF_CQS)
        return c;
    c = &dev->cq[dev->n_cq];
    *c = (struct ref_cq){0};
    c->ring = cut(dev, depth, sizeof *c->ring);
    c->n = depth;
    dev->n_cq += c->ring != NULL;
    return c->ring ? c : NULL;
}

enum ibc_rc ref_create_cq(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq)
{
    struct ref_device *dev = device_of(t, d);
    struct ref_cq *c = depth > 0 ? free_cq(dev, depth) : NULL;
    enum iba_verb_err e = depth > 0 ? IBA_VERB_FULL : IBA_VERB_ATTR_VALUE;

    if (c)
        e = iba_create_cq(&dev->ca, &c->cq, c->ring, depth, cq);
    if (c && e == IBA_VERB_OK)
        c->used = true;
    return ref_verb(t, e);
}

static struct ref_cq *find_cq(struct ref_device *dev, uint32_t number)
{
    for (uint32_t i = 0; i < dev->n_cq; i++)
        if (dev->cq[i].used && dev->cq[i].cq.number == number)
            return &dev->cq[i];
    return NULL;
}

/* Gives the completion queue a second ring, which is not in use at the moment. False: not enough memory is left. */
static bool has_spare(struct ref_device *dev, struct ref_cq *c, uint32_t depth)
{
    if (c->n_spare >= depth)
        return true;
    c->spare = cut(dev, depth, sizeof *c->spare);
    c->n_spare = c->spare ? depth : 0;
    return c->spare != NULL;
}

static void swap_rings(struct ref_cq *c)
{
    struct iba_wc *ring = c->ring;
    const uint32_t n = c->n;

    c->ring = c->spare;
    c->n = c->n_spare;
    c->spare = ring;
    c->n_spare = n;
}

enum ibc_rc ref_resize_cq(struct ibc_target *t, unsigned d, uint32_t cq, uint32_t depth)
{
    struct ref_device *dev = device_of(t, d);
    struct ref_cq *c = find_cq(dev, cq);
    enum iba_verb_err e;

    if (!c || depth == 0)
        return ref_verb(t, c ? IBA_VERB_ATTR_VALUE : IBA_VERB_NO_CQ);
    if (!has_spare(dev, c, depth))
        return ref_verb(t, IBA_VERB_FULL);
    e = iba_resize_cq(&dev->ca, cq, c->spare, depth);
    if (e == IBA_VERB_OK)
        swap_rings(c);
    return ref_verb(t, e);
}

static enum iba_verb_err destroy_cq(struct ref_device *dev, uint32_t number)
{
    struct ref_cq *c = find_cq(dev, number);
    const enum iba_verb_err e = iba_destroy_cq(&dev->ca, number);

    if (c && e == IBA_VERB_OK)
        c->used = false;
    return e;
}

enum ibc_rc ref_notified(struct ibc_target *t, unsigned d, uint32_t cq, uint64_t *times)
{
    const struct ref_cq *c = find_cq(device_of(t, d), cq);

    *times = c ? c->cq.notified : 0;
    return c ? IBC_OK : ref_verb(t, IBA_VERB_NO_CQ);
}

/* ---- shared receive queues ---- */

static struct ref_srq *free_srq(struct ref_device *dev, uint32_t depth)
{
    struct ref_srq *s = NULL;

    for (uint32_t i = 0; i < dev->n_srq && !s; i++)
        if (!dev->srq[i].used && dev->srq[i].n >= depth)
            s = &dev->srq[i];
    if (s || dev->n_srq == REF_SRQS)
        return s;
    s = &dev->srq[dev->n_srq];
    s->ring = cut(dev, depth, sizeof *s->ring);
    s->n = depth;
    dev->n_srq += s->ring != NULL;
    return s->ring ? s : NULL;
}

enum ibc_rc ref_create_srq(struct ibc_target *t, unsigned d, uint32_t pd, uint32_t depth, uint32_t limit, uint32_t *srq)
{
    struct ref_device *dev = device_of(t, d);
    struct ref_srq *s = depth > 0 ? free_srq(dev, depth) : NULL;
    enum iba_verb_err e = depth > 0 ? IBA_VERB_FULL : IBA_VERB_ATTR_VALUE;

    if (s)
        e = iba_create_srq(&dev->ca, &s->srq, s->ring, depth, pd, srq);
    if (s && e == IBA_VERB_OK) {
        s->used = true;
        if (limit > 0)
            e = iba_arm_srq(&dev->ca, *srq, limit);
    }
    return ref_verb(t, e);
}

enum ibc_rc ref_create_xrcd(struct ibc_target *t, unsigned d, uint32_t *xrcd)
{
    return ref_verb(t, iba_create_xrcd(&device_of(t, d)->ca, xrcd));
}

enum ibc_rc ref_create_xrc_srq(struct ibc_target *t, unsigned d, const struct ibc_xrc_srq_spec *spec, uint32_t *srq,
                               uint32_t *number)
{
    struct ref_device *dev = device_of(t, d);
    struct ref_srq *s = spec->depth > 0 ? free_srq(dev, spec->depth) : NULL;
    enum iba_verb_err e = spec->depth > 0 ? IBA_VERB_FULL : IBA_VERB_ATTR_VALUE;

    if (s) {
        const struct iba_xrc_srq_init init = {
            .ring = s->ring, .n = spec->depth, .pd = spec->pd, .xrcd = spec->xrcd, .cq = spec->cq};
        e = iba_create_xrc_srq(&dev->ca, &s->srq, &init, srq);
        s->used = e == IBA_VERB_OK;
        *number = *srq;
    }
    return ref_verb(t, e);
}

enum ibc_rc ref_create_tag_srq(struct ibc_target *t, unsigned d, const struct ibc_tag_srq_spec *spec, uint32_t *srq)
{
    struct ref_device *dev = device_of(t, d);
    struct ref_srq *s = spec->depth > 0 && spec->n_tags <= REF_TAGS ? free_srq(dev, spec->depth) : NULL;
    enum iba_verb_err e = spec->depth > 0 ? IBA_VERB_FULL : IBA_VERB_ATTR_VALUE;

    if (s) {
        const struct iba_tag_srq_init init = {.ring = s->ring,
                                              .list = s->tag,
                                              .n = spec->depth,
                                              .n_tags = spec->n_tags,
                                              .pd = spec->pd,
                                              .cq = spec->cq,
                                              .left_out = reference_of(t)->change.without_tag};
        e = iba_create_tag_srq(&dev->ca, &s->srq, &init, srq);
        s->used = e == IBA_VERB_OK;
    }
    return ref_verb(t, e);
}

static enum iba_verb_err destroy_srq(struct ref_device *dev, uint32_t number)
{
    const enum iba_verb_err e = iba_destroy_srq(&dev->ca, number);

    for (uint32_t i = 0; i < dev->n_srq && e == IBA_VERB_OK; i++)
        if (dev->srq[i].used && dev->srq[i].srq.number == number)
            dev->srq[i].used = false;
    return e;
}

/* ---- queue pairs ---- */

static struct ref_qp *free_qp(struct ref_device *dev, uint32_t sq, uint32_t rq)
{
    struct ref_qp *q = NULL;

    for (uint32_t i = 0; i < dev->n_qp && !q; i++)
        if (!dev->qp[i].used && dev->qp[i].n_sq >= sq && dev->qp[i].n_rq >= rq)
            q = &dev->qp[i];
    for (uint32_t i = 0; i < dev->n_qp && !q && dev->n_qp == REF_QPS; i++)
        if (!dev->qp[i].used)
            q = &dev->qp[i];
    if (!q && dev->n_qp < REF_QPS)
        q = &dev->qp[dev->n_qp++];
    if (q && q->n_sq < sq)
        q->sq = cut(dev, sq, sizeof *q->sq), q->n_sq = q->sq ? sq : 0;
    if (q && q->n_rq < rq)
        q->rq = cut(dev, rq, sizeof *q->rq), q->n_rq = q->rq ? rq : 0;
    return q && q->n_sq >= sq && q->n_rq >= rq ? q : NULL;
}

enum ibc_rc ref_create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *s, uint32_t *qpn)
{
    struct ref_device *dev = device_of(t, d);
    const uint32_t rq = s->has_srq ? 0 : s->rq;
    struct ref_qp *q = free_qp(dev, s->sq, rq);
    enum iba_verb_err e = IBA_VERB_FULL;

    if (q) {
        const struct iba_qp_init init = {.type = s->type,
                                         .sq_sig_all = s->sig_all,
                                         .pd = s->pd,
                                         .send_cq = s->scq,
                                         .recv_cq = s->rcq,
                                         .srq = s->has_srq ? s->srq : IBA_NONE,
                                         .xrcd = s->has_xrcd ? s->xrcd : IBA_NONE,
                                         .rdd = s->rdd,
                                         .sq = q->sq,
                                         .rq = q->rq,
                                         .saved = q->saved,
                                         .n_sq = s->sq,
                                         .n_rq = rq,
                                         .n_saved = REF_SAVED};
        e = iba_create_qp(&dev->ca, &q->qp, &init, qpn);
        q->used = e == IBA_VERB_OK;
    }
    return ref_verb(t, e);
}

static enum iba_verb_err destroy_qp(struct ref_device *dev, uint32_t qpn)
{
    const enum iba_verb_err e = iba_destroy_qp(&dev->ca, qpn);

    for (uint32_t i = 0; i < dev->n_qp && e == IBA_VERB_OK; i++)
        if (dev->qp[i].used && dev->qp[i].qp.qpn == qpn)
            dev->qp[i].used = false;
    return e;
}

/* ---- destruction ---- */

/* Destroys a protection domain. The target's own address handles do not count as users of the domain, since the
 * tester does not know them. */
static enum iba_mem_err destroy_pd(struct ref_device *dev, uint32_t pd)
{
    uint32_t own = 0;

    for (uint32_t i = 0; i < dev->n_ah; i++)
        own += dev->ah[i].pd == pd;
    if (own == 0 || pd >= REF_PDS || dev->pds[pd] != own)
        return iba_pd_destroy(&dev->ca.mem, pd);
    for (uint32_t i = 0; i < dev->n_ah;)
        if (dev->ah[i].pd == pd) {
            (void)iba_destroy_ah(&dev->ca, dev->ah[i].number);
            dev->ah[i] = dev->ah[--dev->n_ah];
        } else {
            i++;
        }
    return iba_pd_destroy(&dev->ca.mem, pd);
}

enum ibc_rc ref_destroy(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id)
{
    struct ref_device *dev = device_of(t, d);

    switch (kind) {
    case IBC_O_pd: return ref_mem(t, destroy_pd(dev, id));
    case IBC_O_mr: return ref_dereg(t, d, id);
    case IBC_O_mw: return ref_mem(t, iba_mw_free(&dev->ca.mem, id));
    case IBC_O_cq: return ref_verb(t, destroy_cq(dev, id));
    case IBC_O_xrcd: return ref_verb(t, iba_destroy_xrcd(&dev->ca, id));
    case IBC_O_srq: return ref_verb(t, destroy_srq(dev, id));
    case IBC_O_handle: return ref_verb(t, iba_destroy_ah(&dev->ca, id));
    case IBC_O_qp: return ref_verb(t, destroy_qp(dev, id));
    default: return IBC_UNSUPPORTED;
    }
}

enum ibc_rc ref_attach(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool attach)
{
    struct iba_ca *ca = &device_of(t, d)->ca;

    if (t->framing != IBA_LINK_IB)
        lid = 0;
    return ref_verb(t, attach ? iba_attach_mcast(ca, qpn, gid, lid) : iba_detach_mcast(ca, qpn, gid, lid));
}
