/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs of a target as requests of the agent's protocol: writes arguments to requests, and reads results from
 * replies. */
#include <stdio.h>
#include <string.h>
#include "live_inside.h"

/* ---- objects ---- */

static enum ibc_rc create_pd(struct ibc_target *t, unsigned d, uint32_t *pd)
{
    struct live *l = live_of(t);
    enum ibc_rc rc;

    (void)live_request(l, AG_V_create_pd, d);
    rc = live_ask(l);
    if (rc == IBC_OK)
        *pd = l->r.u.create_pd.pd;
    return rc;
}

static enum ibc_rc create_cq(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq)
{
    struct live *l = live_of(t);
    enum ibc_rc rc;

    live_request(l, AG_V_create_cq, d)->u.create_cq.depth = depth;
    rc = live_ask(l);
    if (rc == IBC_OK)
        *cq = l->r.u.create_cq.cq;
    return rc;
}

static enum ibc_rc create_srq(struct ibc_target *t, unsigned d, uint32_t pd, uint32_t depth, uint32_t limit,
                              uint32_t *srq)
{
    struct live *l = live_of(t);
    struct ag_create_srq_args *a = &live_request(l, AG_V_create_srq, d)->u.create_srq;
    enum ibc_rc rc;

    a->pd = pd;
    a->depth = depth;
    AG_SET(a, create_srq_args, limit, limit);
    rc = live_ask(l);
    if (rc == IBC_OK)
        *srq = l->r.u.create_srq.srq;
    return rc;
}

static enum ibc_rc create_ah(struct ibc_target *t, unsigned d, uint32_t pd, const struct ibc_address *to, uint32_t *ah)
{
    struct live *l = live_of(t);
    struct ag_create_ah_args *a = &live_request(l, AG_V_create_ah, d)->u.create_ah;
    enum ibc_rc rc;

    a->pd = pd;
    a->to = ag_from_address(to);
    rc = live_ask(l);
    if (rc == IBC_OK)
        *ah = l->r.u.create_ah.ah;
    return rc;
}

/* Remembers the QP's type, since its work requests name their destination or not by type. */
static void remember_qp(struct live *l, unsigned d, uint32_t qpn, uint8_t type)
{
    if (l->n_qp < LIVE_QPS)
        l->qp[l->n_qp++] = (struct live_qp){.qpn = qpn, .device = (uint8_t)d, .type = type};
}

static void forget_qp(struct live *l, unsigned d, uint32_t qpn)
{
    for (uint32_t i = 0; i < l->n_qp;)
        if (l->qp[i].qpn == qpn && l->qp[i].device == d)
            l->qp[i] = l->qp[--l->n_qp];
        else
            i++;
}

static bool is_datagram(const struct live *l, unsigned d, uint32_t qpn)
{
    for (uint32_t i = 0; i < l->n_qp; i++)
        if (l->qp[i].qpn == qpn && l->qp[i].device == d)
            return l->qp[i].type != IBA_QPT_RC && l->qp[i].type != IBA_QPT_UC && l->qp[i].type != IBA_QPT_XRC_INI &&
                   l->qp[i].type != IBA_QPT_XRC_TGT;
    return false;
}

static enum ibc_rc create_xrcd(struct ibc_target *t, unsigned d, uint32_t *xrcd)
{
    struct live *l = live_of(t);
    enum ibc_rc rc;

    (void)live_request(l, AG_V_create_xrcd, d);
    rc = live_ask(l);
    if (rc == IBC_OK)
        *xrcd = l->r.u.create_xrcd.xrcd;
    return rc;
}

static enum ibc_rc create_xrc_srq(struct ibc_target *t, unsigned d, const struct ibc_xrc_srq_spec *s, uint32_t *srq,
                                  uint32_t *number)
{
    struct live *l = live_of(t);
    struct ag_create_xrc_srq_args *a = &live_request(l, AG_V_create_xrc_srq, d)->u.create_xrc_srq;
    enum ibc_rc rc;

    a->pd = s->pd;
    a->depth = s->depth;
    a->xrcd = s->xrcd;
    a->cq = s->cq;
    rc = live_ask(l);
    if (rc != IBC_OK)
        return rc;
    *srq = l->r.u.create_xrc_srq.srq;
    *number = l->r.u.create_xrc_srq.number;
    return IBC_OK;
}

static enum ibc_rc create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn)
{
    struct live *l = live_of(t);
    struct ag_create_qp_args *a = &live_request(l, AG_V_create_qp, d)->u.create_qp;
    enum ibc_rc rc;

    a->type = q->type;
    a->pd = q->pd;
    a->scq = q->scq;
    a->rcq = q->rcq;
    a->sq = q->sq;
    if (q->has_srq)
        AG_SET(a, create_qp_args, srq, q->srq);
    if (q->has_xrcd)
        AG_SET(a, create_qp_args, xrcd, q->xrcd);
    AG_SET(a, create_qp_args, sig_all, q->sig_all);
    AG_SET(a, create_qp_args, rq, q->rq);
    rc = live_ask(l);
    if (rc != IBC_OK)
        return rc;
    *qpn = l->r.u.create_qp.qpn;
    remember_qp(l, d, *qpn, q->type);
    return IBC_OK;
}

/* The replies of two verbs have these members. */
#define REGION_OF(ok)                                                                                                  \
    ((struct ibc_mr){.id = (ok).id, .va = (ok).va, .local = (ok).local, .lkey = (ok).lkey, .rkey = (ok).rkey})

static enum ibc_rc reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    struct live *l = live_of(t);
    struct ag_reg_mr_args *a = &live_request(l, AG_V_reg_mr, d)->u.reg_mr;
    enum ibc_rc rc;

    a->pd = m->pd;
    a->length = m->length;
    a->access = m->access;
    a->fill = m->fill;
    if (m->has_iova)
        AG_SET(a, reg_mr_args, iova, m->iova);
    rc = live_ask(l);
    if (rc == IBC_OK)
        *out = REGION_OF(l->r.u.reg_mr);
    return rc;
}

static enum ibc_rc reregister(struct ibc_target *t, unsigned d, const struct ibc_reregister *r, struct ibc_mr *out)
{
    struct live *l = live_of(t);
    struct ag_reregister_args *a = &live_request(l, AG_V_reregister, d)->u.reregister;
    enum ibc_rc rc;

    a->lkey = r->lkey;
    if (r->has_pd)
        AG_SET(a, reregister_args, pd, r->pd);
    if (r->has_access)
        AG_SET(a, reregister_args, access, r->access);
    if (r->has_range) {
        AG_SET(a, reregister_args, length, r->length);
        AG_SET(a, reregister_args, fill, r->fill);
    }
    rc = live_ask(l);
    if (rc == IBC_OK)
        *out = REGION_OF(l->r.u.reregister);
    return rc;
}

static enum ibc_rc alloc_mw(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey)
{
    struct live *l = live_of(t);
    struct ag_alloc_mw_args *a = &live_request(l, AG_V_alloc_mw, d)->u.alloc_mw;
    enum ibc_rc rc;

    a->type = (uint8_t)type;
    a->pd = pd;
    rc = live_ask(l);
    if (rc == IBC_OK)
        *rkey = l->r.u.alloc_mw.rkey;
    return rc;
}

static enum ibc_rc destroy(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id)
{
    struct live *l = live_of(t);
    struct ag_destroy_args *a = &live_request(l, AG_V_destroy, d)->u.destroy;
    enum ibc_rc rc;

    a->kind = (uint8_t)kind;
    a->number = id;
    rc = live_ask(l);
    if (rc == IBC_OK && kind == IBC_O_qp)
        forget_qp(l, d, id);
    return rc;
}

/* ---- notifications ---- */

static enum ibc_rc arm_cq(struct ibc_target *t, unsigned d, uint32_t cq, bool solicited_only)
{
    struct live *l = live_of(t);
    struct ag_arm_cq_args *a = &live_request(l, AG_V_arm_cq, d)->u.arm_cq;

    a->cq = cq;
    AG_SET(a, arm_cq_args, solicited, solicited_only);
    return live_ask(l);
}

static enum ibc_rc resize_cq(struct ibc_target *t, unsigned d, uint32_t cq, uint32_t depth)
{
    struct live *l = live_of(t);
    struct ag_resize_cq_args *a = &live_request(l, AG_V_resize_cq, d)->u.resize_cq;

    a->cq = cq;
    a->depth = depth;
    return live_ask(l);
}

static enum ibc_rc notified(struct ibc_target *t, unsigned d, uint32_t cq, uint64_t *times)
{
    struct live *l = live_of(t);
    enum ibc_rc rc;

    live_request(l, AG_V_notified, d)->u.notified.cq = cq;
    rc = live_ask(l);
    if (rc == IBC_OK)
        *times = l->r.u.notified.times;
    return rc;
}

static enum ibc_rc arm_srq(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t limit)
{
    struct live *l = live_of(t);
    struct ag_arm_srq_args *a = &live_request(l, AG_V_arm_srq, d)->u.arm_srq;

    a->srq = srq;
    a->limit = limit;
    return live_ask(l);
}

/* ---- queue pairs and work ---- */

static enum ibc_rc modify_qp(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    struct live *l = live_of(t);

    ag_from_modify(&live_request(l, AG_V_modify_qp, d)->u.modify_qp, qpn, a, &t->device[d ^ 1]);
    return live_ask(l);
}

static enum ibc_rc query_qp(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    struct live *l = live_of(t);
    enum ibc_rc rc;

    live_request(l, AG_V_query_qp, d)->u.query_qp.qpn = qpn;
    rc = live_ask(l);
    if (rc == IBC_OK)
        ag_to_query(a, &l->r.u.query_qp);
    return rc;
}

static enum ibc_rc post_send(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s)
{
    struct live *l = live_of(t);

    ag_from_send(&live_request(l, AG_V_post_send, d)->u.post_send, qpn, s, is_datagram(l, d, qpn));
    return live_ask(l);
}

static enum ibc_rc post_recv(struct ibc_target *t, unsigned d, uint32_t qpn, const struct iba_recv_wr *wr)
{
    struct live *l = live_of(t);
    struct ag_post_recv_args *a = &live_request(l, AG_V_post_recv, d)->u.post_recv;

    AG_SET(a, post_recv_args, qpn, qpn);
    a->wr = ag_from_recv(wr);
    return live_ask(l);
}

static enum ibc_rc post_srq_recv(struct ibc_target *t, unsigned d, uint32_t srq, const struct iba_recv_wr *wr)
{
    struct live *l = live_of(t);
    struct ag_post_recv_args *a = &live_request(l, AG_V_post_recv, d)->u.post_recv;

    AG_SET(a, post_recv_args, srq, srq);
    a->wr = ag_from_recv(wr);
    return live_ask(l);
}

static enum ibc_rc poll_cq(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    struct live *l = live_of(t);
    const struct ag_poll_cq_ok *is = &l->r.u.poll_cq;
    enum ibc_rc rc;

    *n = 0;
    live_request(l, AG_V_poll_cq, d)->u.poll_cq.cq = cq;
    rc = live_ask(l);
    if (rc == IBC_OK && AG_HAS(is, poll_cq_ok, wc)) {
        *wc = ag_to_wc(&is->wc);
        *n = 1;
    }
    return rc;
}

static enum ibc_rc poll_event(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n)
{
    struct live *l = live_of(t);
    const struct ag_poll_event_ok *is = &l->r.u.poll_event;
    enum ibc_rc rc;

    *n = 0;
    (void)live_request(l, AG_V_poll_event, d);
    rc = live_ask(l);
    if (rc == IBC_OK && AG_HAS(is, poll_event_ok, event)) {
        *e = ag_to_event(&is->event);
        *n = 1;
    }
    return rc;
}

static enum ibc_rc attach(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool on)
{
    struct live *l = live_of(t);
    struct ag_attach_args *a = &live_request(l, AG_V_attach, d)->u.attach;

    a->qpn = qpn;
    memcpy(a->gid.b, gid, sizeof a->gid.b);
    AG_SET(a, attach_args, lid, lid);
    a->on = on;
    return live_ask(l);
}

/* ---- memory: as many requests as needed ---- */

static enum ibc_rc read_part(struct live *l, unsigned d, uint64_t at, uint8_t *out, uint32_t n)
{
    struct ag_read_memory_args *a = &live_request(l, AG_V_read_memory, d)->u.read_memory;
    enum ibc_rc rc;

    a->at = at;
    a->n = n;
    rc = live_ask(l);
    if (rc != IBC_OK)
        return rc;
    if (l->r.u.read_memory.hex.n != n)
        return live_dead(l, "asked for %u bytes of memory: it gives %u", n, l->r.u.read_memory.hex.n);
    memcpy(out, l->r.u.read_memory.hex.b, n);
    return IBC_OK;
}

static uint32_t part(const struct live *l, size_t left)
{
    const uint32_t most =
        l->hello.limits.bytes > 0 && l->hello.limits.bytes < AG_BYTES ? l->hello.limits.bytes : (uint32_t)AG_BYTES;
    return left < most ? (uint32_t)left : most;
}

static enum ibc_rc read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n)
{
    struct live *l = live_of(t);
    enum ibc_rc rc = IBC_OK;

    for (size_t done = 0; rc == IBC_OK && done < n; done += part(l, n - done))
        rc = read_part(l, d, at + done, out + done, part(l, n - done));
    return rc;
}

static enum ibc_rc write_memory(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n)
{
    struct live *l = live_of(t);
    enum ibc_rc rc = IBC_OK;

    for (size_t done = 0; rc == IBC_OK && done < n; done += part(l, n - done)) {
        struct ag_write_memory_args *a = &live_request(l, AG_V_write_memory, d)->u.write_memory;
        a->at = at + done;
        a->hex.n = part(l, n - done);
        memcpy(a->hex.b, in + done, a->hex.n);
        rc = live_ask(l);
    }
    return rc;
}

static enum ibc_rc page(struct ibc_target *t, unsigned d, uint64_t at, bool present)
{
    struct live *l = live_of(t);
    struct ag_page_args *a = &live_request(l, AG_V_page, d)->u.page;

    a->at = at;
    a->present = present;
    return live_ask(l);
}

static enum ibc_rc prefetch(struct ibc_target *t, unsigned d, const struct ibc_prefetch *p)
{
    struct live *l = live_of(t);
    struct ag_prefetch_args *a = &live_request(l, AG_V_prefetch, d)->u.prefetch;

    a->pd = p->pd;
    a->at = p->at;
    a->len = p->length;
    a->lkey = p->lkey;
    AG_SET(a, prefetch_args, write, p->write);
    AG_SET(a, prefetch_args, no_fault, p->no_fault);
    AG_SET(a, prefetch_args, later, p->later);
    return live_ask(l);
}

/* ---- the port ---- */

static enum ibc_rc set_port(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value)
{
    struct live *l = live_of(t);
    struct ag_set_port_args *a = &live_request(l, AG_V_set_port, d)->u.set_port;
    enum ibc_rc rc;

    a->key = (uint8_t)key;
    a->value = value;
    AG_SET(a, set_port_args, index, index);
    rc = live_ask(l);
    if (rc == IBC_OK && key == IBC_K_lid)
        t->device[d].lid = (uint16_t)value;
    return rc;
}

static enum ibc_rc set_gid(struct ibc_target *t, unsigned d, uint32_t index, const uint8_t gid[16])
{
    struct live *l = live_of(t);
    struct ag_set_gid_args *a = &live_request(l, AG_V_set_gid, d)->u.set_gid;
    enum ibc_rc rc;

    a->index = index;
    memcpy(a->gid.b, gid, sizeof a->gid.b);
    rc = live_ask(l);
    if (rc == IBC_OK && index == 0)
        ibc_set_first_gid(l->link, &t->device[d], gid);
    return rc;
}

static enum ibc_rc choose_psn(struct ibc_target *t, unsigned d, uint32_t *psn)
{
    struct live *l = live_of(t);
    enum ibc_rc rc;

    (void)live_request(l, AG_V_choose_psn, d);
    rc = live_ask(l);
    if (rc == IBC_OK)
        *psn = l->r.u.choose_psn.psn;
    return rc;
}

/* Returns a copy of the counter's name that is kept as long as the target exists: counters that were read before
 * are compared with later ones. */
static const char *name_of(struct live *l, const char *name)
{
    unsigned i = 0;

    while (i < l->n_counter && strcmp(l->counter[i], name) != 0)
        i++;
    if (i == LIVE_COUNTERS)
        return NULL;
    if (i == l->n_counter)
        snprintf(l->counter[l->n_counter++], sizeof l->counter[i], "%s", name);
    return l->counter[i];
}

static unsigned counters(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS])
{
    struct live *l = live_of(t);
    const struct ag_counters *is = &l->r.u.counters.counters;
    unsigned n = 0;

    (void)live_request(l, AG_V_counters, d);
    if (live_ask(l) != IBC_OK)
        return 0;
    for (uint32_t i = 0; i < is->n && i < IBC_MAX_COUNTERS; i++) {
        out[n] = (struct ibc_counter){.name = name_of(l, is->c[i].name), .value = is->c[i].value};
        n += out[n].name != NULL;
    }
    return n;
}

static enum ibc_rc complaint(struct ibc_target *t, unsigned d, char *text, size_t n)
{
    struct live *l = live_of(t);
    struct ag_log_args *a;
    enum ibc_rc rc;

    *text = '\0';
    if (l->no_log)
        return IBC_UNSUPPORTED;
    a = &live_request(l, AG_V_log, d)->u.log;
    if (l->log_at > 0)
        AG_SET(a, log_args, since, l->log_at);
    rc = live_ask(l);
    l->no_log = rc == IBC_UNSUPPORTED;
    if (rc == IBC_OK && AG_HAS(&l->r.u.log, log_ok, at))
        l->log_at = l->r.u.log.at;
    if (rc == IBC_OK && AG_HAS(&l->r.u.log, log_ok, text))
        snprintf(text, n, "%s", l->r.u.log.text.s);
    return rc;
}

const struct ibc_target_ops live_ops = {
    .name = "live",
    .help = "a device behind an agent (--agent) and a wire (--wire)",
    .reset = live_reset,
    .capabilities = live_capabilities,
    .links = live_links,
    .create_pd = create_pd,
    .create_cq = create_cq,
    .create_srq = create_srq,
    .create_xrcd = create_xrcd,
    .create_xrc_srq = create_xrc_srq,
    .create_ah = create_ah,
    .create_qp = create_qp,
    .reg_mr = reg_mr,
    .reregister = reregister,
    .alloc_mw = alloc_mw,
    .destroy = destroy,
    .arm_cq = arm_cq,
    .resize_cq = resize_cq,
    .notified = notified,
    .arm_srq = arm_srq,
    .modify_qp = modify_qp,
    .query_qp = query_qp,
    .post_send = post_send,
    .post_recv = post_recv,
    .post_srq_recv = post_srq_recv,
    .poll_cq = poll_cq,
    .poll_event = poll_event,
    .attach = attach,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .page = page,
    .prefetch = prefetch,
    .set_port = set_port,
    .counters = counters,
    .now = live_now,
    .inject = live_inject,
    .collect = live_collect,
    .collect_any = live_collect_any,
    .close = live_close,
    .choose_psn = choose_psn,
    .set_gid = set_gid,
    .cm_open = live_cm_open,
    .cm_call = live_cm_call,
    .cm_event = live_cm_event,
    .cm_attributes = live_cm_attributes,
    .log = complaint,
    .lost = live_lost,
    .contact = live_contact,
};
