/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs other than posting work: states, destruction of objects, notification, groups. */
#include <stdio.h>
#include <string.h>
#include "run/play.h"

/* ---- modify ---- */
static enum ibc_rc query(struct run_player *p, const struct run_live *q, struct iba_qp_attr *a)
{
    return p->t->ops->query_qp(p->t, q->device, q->id[0], a);
}

/* Attributes that a modify line may name. */
static const struct {
    uint8_t key;
    uint32_t mask;
} attributes[] = {
    {IBC_K_cur_state, IBA_QPA_CUR_STATE},
    {IBC_K_sqd_notify, IBA_QPA_SQD_NOTIFY},
    {IBC_K_access, IBA_QPA_ACCESS},
    {IBC_K_pkey, IBA_QPA_PKEY_INDEX},
    {IBC_K_port, IBA_QPA_PORT},
    {IBC_K_qkey, IBA_QPA_QKEY},
    {IBC_K_av, IBA_QPA_AV},
    {IBC_K_av_port, IBA_QPA_AV},
    {IBC_K_alt_port, IBA_QPA_ALT_PATH},
    {IBC_K_sl, IBA_QPA_AV},
    {IBC_K_hop, IBA_QPA_AV},
    {IBC_K_tclass, IBA_QPA_AV},
    {IBC_K_flow, IBA_QPA_AV},
    {IBC_K_vlan, IBA_QPA_AV},
    {IBC_K_sport, IBA_QPA_AV},
    {IBC_K_gid_index, IBA_QPA_AV},
    {IBC_K_path_bits, IBA_QPA_AV},
    {IBC_K_pmtu, IBA_QPA_PATH_MTU},
    {IBC_K_timeout, IBA_QPA_TIMEOUT},
    {IBC_K_retry, IBA_QPA_RETRY},
    {IBC_K_rnr_retry, IBA_QPA_RNR_RETRY},
    {IBC_K_epsn, IBA_QPA_RQ_PSN},
    {IBC_K_rd, IBA_QPA_MAX_RD},
    {IBC_K_alt, IBA_QPA_ALT_PATH},
    {IBC_K_min_rnr, IBA_QPA_MIN_RNR},
    {IBC_K_psn, IBA_QPA_SQ_PSN},
    {IBC_K_dest_rd, IBA_QPA_MAX_DEST_RD},
    {IBC_K_mig, IBA_QPA_PATH_MIG},
    {IBC_K_qpn, IBA_QPA_DEST_QPN},
    {IBC_K_flow_control, 0},
};

static void put_attribute(struct ibc_qp_attr *to, enum ibc_key key, uint64_t n)
{
    struct iba_qp_attr *a = &to->a;

    switch (key) {
    case IBC_K_cur_state: a->cur_state = (uint8_t)n; break;
    case IBC_K_sqd_notify: a->sqd_notify = n != 0; break;
    case IBC_K_pkey: a->pkey_index = (uint8_t)n; break;
    case IBC_K_port: a->port = (uint8_t)n; break;
    case IBC_K_qkey: a->qkey = (uint32_t)n; break;
    case IBC_K_sl: to->sl = (uint8_t)n; break;
    case IBC_K_hop: to->hop = (uint8_t)n; break;
    case IBC_K_tclass: to->tclass = (uint8_t)n; break;
    case IBC_K_flow: to->flow = (uint32_t)n; break;
    case IBC_K_av_port: to->av_port = (uint8_t)n; break;
    case IBC_K_alt_port: to->alt_port = (uint8_t)n; break;
    case IBC_K_pmtu: a->path_mtu = iba_mtu_code(n); break;
    case IBC_K_timeout: a->timeout = (uint8_t)n; break;
    case IBC_K_retry: a->retry = (uint8_t)n; break;
    case IBC_K_rnr_retry: a->rnr_retry = (uint8_t)n; break;
    case IBC_K_epsn: a->rq_psn = (uint32_t)n; break;
    case IBC_K_rd: a->max_rd = (uint8_t)n; break;
    case IBC_K_min_rnr: a->min_rnr = (uint8_t)n; break;
    case IBC_K_psn: a->sq_psn = (uint32_t)n; break;
    case IBC_K_dest_rd: a->max_dest_rd = (uint8_t)n; break;
    case IBC_K_mig: a->path_mig = (uint8_t)n; break;
    case IBC_K_qpn: a->dest_qpn = (uint32_t)n; break;
    case IBC_K_flow_control: a->flow_control = n != 0; break;
    case IBC_K_vlan: to->path.tagged = true, to->path.vlan = (uint16_t)n; break;
    case IBC_K_sport: to->path.sport = (uint16_t)n; break;
    case IBC_K_gid_index: to->path.gid_index = (uint8_t)n; break;
    case IBC_K_path_bits: to->path.path_bits = (uint8_t)n; break;
    default: break; /* av, alt: the target resolves the addresses of these paths */
    }
}

static uint32_t named_attributes(struct run_player *p, const struct ibc_step *s, const struct run_live *q,
                                 struct ibc_qp_attr *a)
{
    const struct run_context c = {.device = q->device};
    uint32_t mask = 0;

    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const struct ibc_arg *arg = run_arg(s, (enum ibc_key)attributes[i].key);
        if (!arg)
            continue;
        mask |= attributes[i].mask;
        if (attributes[i].key == IBC_K_access)
            a->a.access = 0;
        for (unsigned k = 0; attributes[i].key == IBC_K_access && k < arg->n; k++)
            a->a.access = (uint16_t)(a->a.access | arg->v[k].n);
        put_attribute(a, (enum ibc_key)attributes[i].key, run_value(p, &arg->v[0], &c));
        if (attributes[i].key == IBC_K_av)
            a->to = run_party(p, &arg->v[0]);
        else if (attributes[i].key == IBC_K_alt)
            a->alt = run_party(p, &arg->v[0]);
    }
    return mask;
}

static uint32_t left_out(const struct ibc_step *s)
{
    uint32_t mask = 0;

    for (unsigned i = 0; i < s->n_arg; i++)
        for (unsigned k = 0; s->arg[i].key == IBC_K_without && k < s->arg[i].n; k++)
            mask |= (uint32_t)s->arg[i].v[k].n;
    return mask;
}

/* Adopts the attributes that the device accepted: they apply to packets from now on. */
static void adopt(struct run_live *q, const struct ibc_qp_attr *a)
{
    if (a->mask & IBA_QPA_RQ_PSN)
        q->epsn = q->next_psn = a->a.rq_psn & IBA_PSN_MASK;
    if (a->mask & IBA_QPA_SQ_PSN)
        q->psn = a->a.sq_psn & IBA_PSN_MASK;
    q->attr = *a;
    q->qkey = a->a.qkey;
    q->pkey_index = a->a.pkey_index;
}

bool run_step_modify(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *q = run_live(p, s);
    struct ibc_qp_attr a = q->attr;
    struct iba_qp_attr now = {0};
    const struct iba_transition *t;
    enum iba_qp_state to;

    if (!run_did(p, s, query(p, q, &now), "say its state"))
        return false;
    to = (enum iba_qp_state)run_number(p, s, IBC_K_state, now.state, NULL);
    t = run_transition((enum iba_qp_state)now.state, to);
    a.a.state = (uint8_t)to;
    a.a.dest_qpn = q->peer;
    a.mask = named_attributes(p, s, q, &a);
    if (t && !run_has(s, IBC_K_only))
        a.mask |= t->required[q->type] | (q->optional_mask & t->optional[q->type]);
    a.mask &= ~left_out(s);
    if (!run_did_or(p, s, p->t->ops->modify_qp(p->t, q->device, q->id[0], &a), iba_qp_state_name(to)))
        return false;
    if (!run_has(s, IBC_K_error))
        adopt(q, &a);
    return true;
}

/* ---- state ---- */
static bool state_fits(struct run_player *p, const struct ibc_step *s, const struct iba_qp_attr *a)
{
    static const struct run_context none;

    return run_fits(p, run_arg(s, IBC_K_value), a->state, &none);
}

/* Whether the QP reaches the state. A live device needs time and is queried repeatedly; the reference is queried
 * once. */
static bool in_state(struct run_player *p, const struct ibc_step *s)
{
    struct iba_qp_attr a = {0};
    char expected[RUN_TEXT], got[RUN_TEXT];

    return query(p, run_live(p, s), &a) == IBC_OK && state_fits(p, s, &a) &&
           run_attributes_fit(p, s, &a, expected, got);
}

static const char *state_name(uint64_t state)
{
    return state < IBA_QPS_COUNT ? iba_qp_state_name((enum iba_qp_state)state) : "?";
}

bool run_step_state(struct run_player *p, const struct ibc_step *s)
{
    const uint64_t patience = p->t->virtual_time ? 0 : run_scaled(p, RUN_PATIENCE);
    const struct ibc_arg *want = run_arg(s, IBC_K_value);
    struct iba_qp_attr a = {0};
    char expected[RUN_TEXT], got[RUN_TEXT];

    switch (run_await(p, s, patience, false, in_state)) {
    case RUN_STOP: return false;
    case RUN_ARRIVED: return true;
    default: break;
    }
    if (!run_did(p, s, query(p, run_live(p, s), &a), "say its state"))
        return false;
    if (state_fits(p, s, &a) && !run_attributes_fit(p, s, &a, expected, got))
        return run_fail(p, s, NULL, expected, got);
    snprintf(expected, sizeof expected, "state %s%s", want->v[0].negated ? "not " : "", state_name(want->v[0].n));
    snprintf(got, sizeof got, "state %s", state_name(a.state));
    return run_fail_after_wait(p, s, expected, got);
}

/* ---- destruction of objects ---- */
static bool destroy(struct run_player *p, const struct ibc_step *s, const char *what)
{
    struct run_live *l = run_live(p, s);
    const bool qp = l->kind == IBC_O_qp;

    for (unsigned d = 0; d < (qp ? 1 : p->n_device); d++)
        if (!run_did_or(p, s, p->t->ops->destroy(p->t, qp ? l->device : d, (enum ibc_object_kind)l->kind, l->id[d]),
                        what))
            return false;
    return true;
}

static void stop_polling(struct run_player *p, const struct run_live *cq)
{
    for (unsigned i = 0; i <= IBC_MAX_OBJECTS; i++) {
        struct run_live *q = &p->live[i];
        if (q->own_cq && q->rcq == cq->id[0])
            q->cq_gone = true;
        if (q->kind == IBC_O_qp && (q->scq == cq->id[q->device] || q->rcq == cq->id[q->device]))
            q->cq_gone = true;
    }
}

bool run_step_destroy(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *l = run_live(p, s);

    if (!run_poll(p, s) || !destroy(p, s, "destroy it"))
        return false;
    if (l->kind == IBC_O_cq && !run_has(s, IBC_K_error))
        stop_polling(p, l);
    return true;
}

bool run_step_dereg(struct run_player *p, const struct ibc_step *s)
{
    return destroy(p, s, "deregister the region");
}

static enum ibc_rc register_again(struct run_player *p, const struct ibc_step *s, struct run_live *l, unsigned d)
{
    const struct ibc_arg *pd = run_arg(s, IBC_K_pd), *access = run_arg(s, IBC_K_access);
    const struct ibc_reregister r = {
        .lkey = l->mr[d].lkey,
        .has_pd = pd != NULL,
        .pd = pd ? run_domain_of(p, pd)->id[d] : 0,
        .has_access = access != NULL,
        .access = access ? run_access(access) : 0,
        .has_range = run_has(s, IBC_K_length),
        .length = run_number(p, s, IBC_K_length, 0, NULL),
        .fill = l->letter,
    };

    return p->t->ops->reregister ? p->t->ops->reregister(p->t, d, &r, &l->mr[d]) : IBC_UNSUPPORTED;
}

bool run_step_reregister(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *l = run_live(p, s);

    for (unsigned d = 0; d < p->n_device; d++) {
        if (!run_did_or(p, s, register_again(p, s, l, d), "register the region again"))
            return false;
        l->id[d] = l->mr[d].lkey;
    }
    if (!run_has(s, IBC_K_error))
        l->length = run_number(p, s, IBC_K_length, l->length, NULL);
    return true;
}

bool run_step_free(struct run_player *p, const struct ibc_step *s)
{
    return run_settle(p, s) && destroy(p, s, "free the window");
}

bool run_step_resize(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *l = run_live(p, s);
    const uint32_t depth = (uint32_t)run_number(p, s, IBC_K_value, 0, NULL);

    for (unsigned d = 0; d < p->n_device; d++)
        if (!run_did_or(p, s, p->t->ops->resize_cq(p->t, d, l->id[d], depth), "resize the CQ"))
            return false;
    return true;
}

/* ---- notification ---- */
bool run_step_arm(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *l = run_live(p, s);

    for (unsigned d = 0; d < p->n_device; d++)
        if (!run_did_or(p, s, p->t->ops->arm_cq(p->t, d, l->id[d], run_has(s, IBC_K_solicited)), "arm the CQ"))
            return false;
    return true;
}

static bool as_often(struct run_player *p, const struct ibc_step *s)
{
    static const struct run_context none;
    uint64_t n = 0;

    return p->t->ops->notified(p->t, 0, run_live(p, s)->id[0], &n) == IBC_OK &&
           run_fits(p, run_arg(s, IBC_K_value), n, &none);
}

bool run_step_notified(struct run_player *p, const struct ibc_step *s)
{
    const uint64_t patience = p->t->virtual_time ? 0 : run_scaled(p, RUN_PATIENCE);
    uint64_t n = 0;
    char expected[RUN_TEXT], got[RUN_TEXT];

    switch (run_await(p, s, patience, false, as_often)) {
    case RUN_STOP: return false;
    case RUN_ARRIVED: return true;
    default: break;
    }
    if (!run_did(p, s, p->t->ops->notified(p->t, 0, run_live(p, s)->id[0], &n), "count notifications"))
        return false;
    snprintf(expected, sizeof expected, "%llu notifications",
             (unsigned long long)run_number(p, s, IBC_K_value, 0, NULL));
    snprintf(got, sizeof got, "%llu notifications", (unsigned long long)n);
    return run_fail_after_wait(p, s, expected, got);
}

bool run_step_limit(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *l = run_live(p, s);
    const uint32_t limit = (uint32_t)run_number(p, s, IBC_K_value, 0, NULL);

    for (unsigned d = 0; d < p->n_device; d++)
        if (!run_did_or(p, s, p->t->ops->arm_srq(p->t, d, l->id[d], limit), "arm the SRQ"))
            return false;
    return true;
}

/* ---- groups ---- */
static bool join(struct run_player *p, const struct ibc_step *s, bool attach)
{
    const struct run_live *q = run_live(p, s), *group = run_object_of(p, &run_arg(s, IBC_K_value)->v[0]);

    return run_did_or(p, s, p->t->ops->attach(p->t, q->device, q->id[0], group->gid, group->lid, attach),
                      attach ? "join the group" : "leave the group");
}

bool run_step_attach(struct run_player *p, const struct ibc_step *s)
{
    return join(p, s, true);
}

bool run_step_detach(struct run_player *p, const struct ibc_step *s)
{
    return join(p, s, false);
}
