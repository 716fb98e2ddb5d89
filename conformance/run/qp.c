/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue pairs: the attributes of a `qp` line, the transitions from state to state, and the attributes that a device
 * reports. */
#include <stdio.h>
#include "run/play.h"

static const struct ibc_arg *qp_arg(const struct run_live *q, enum ibc_key key)
{
    return ibc_arg(q->o->arg, q->o->n_arg, key);
}

static uint64_t qp_n(struct run_player *p, const struct run_live *q, enum ibc_key key, uint64_t otherwise)
{
    const struct run_context c = {.device = q->device};
    const struct ibc_arg *a = qp_arg(q, key);

    return a ? run_value(p, &a->v[0], &c) : otherwise;
}

static uint32_t usual_rights(const struct run_player *p)
{
    uint32_t access = IBA_ACCESS_REMOTE;

    if (!(p->caps >> IBC_CAP_flush & 1))
        access &= ~(uint32_t)IBA_ACCESS_FLUSH_GLOBAL;
    if (!(p->caps >> IBC_CAP_persistent & 1))
        access &= ~(uint32_t)IBA_ACCESS_FLUSH_PERSISTENT;
    if (!(p->caps >> IBC_CAP_atomic & 1))
        access &= ~(uint32_t)IBA_ACCESS_REMOTE_ATOMIC;
    return access;
}

static void read_rights(const struct run_player *p, struct run_live *q)
{
    const struct ibc_arg *a = qp_arg(q, IBC_K_access);
    uint32_t access = a ? 0 : usual_rights(p);

    for (unsigned i = 0; a && i < a->n; i++)
        access |= (uint32_t)a->v[i].n;
    q->attr.a.access = (uint16_t)access;
}

static void read_path(struct run_player *p, struct run_live *q)
{
    const struct ibc_arg *alt = qp_arg(q, IBC_K_alt);
    struct ibc_qp_attr *a = &q->attr;

    a->sl = (uint8_t)qp_n(p, q, IBC_K_sl, 0);
    a->hop = (uint8_t)qp_n(p, q, IBC_K_hop, 64);
    a->tclass = (uint8_t)qp_n(p, q, IBC_K_tclass, 0);
    a->flow = (uint32_t)qp_n(p, q, IBC_K_flow, 0);
    a->a.port = (uint8_t)qp_n(p, q, IBC_K_port, 1);
    a->path = (struct ibc_path){.tagged = qp_arg(q, IBC_K_vlan) != NULL,
                                .vlan = (uint16_t)qp_n(p, q, IBC_K_vlan, 0),
                                .sport = (uint16_t)qp_n(p, q, IBC_K_sport, 0),
                                .gid_index = (uint8_t)qp_n(p, q, IBC_K_gid_index, 0),
                                .path_bits = (uint8_t)qp_n(p, q, IBC_K_path_bits, 0)};
    a->a.path_mig = (uint8_t)qp_n(p, q, IBC_K_mig, IBA_PATH_MIGRATED);
    q->optional_mask = 0;
    if (alt && alt->v[0].n != IBC_PARTY_none)
        q->optional_mask |= IBA_QPA_ALT_PATH;
    if (alt)
        a->alt = run_party(p, &alt->v[0]);
    if (qp_arg(q, IBC_K_mig))
        q->optional_mask |= IBA_QPA_PATH_MIG;
}

static uint32_t usual_qkey(uint8_t type)
{
    return type == IBA_QPT_SMI ? 0 : type == IBA_QPT_GSI ? IBA_GSI_QKEY : 0x11111111;
}

static void read_line(struct run_player *p, struct run_live *q)
{
    struct iba_qp_attr *a = &q->attr.a;

    q->type = (uint8_t)qp_n(p, q, IBC_K_type, p->play->service);
    q->pmtu = (uint32_t)qp_n(p, q, IBC_K_pmtu, 1024);
    q->epsn = (uint32_t)qp_n(p, q, IBC_K_epsn, 0x001000) & IBA_PSN_MASK;
    q->psn = (uint32_t)qp_n(p, q, IBC_K_psn, 0x002000) & IBA_PSN_MASK;
    q->next_psn = q->epsn;
    q->qkey = (uint32_t)qp_n(p, q, IBC_K_qkey, usual_qkey(q->type));
    q->pkey_index = (uint32_t)qp_n(p, q, IBC_K_pkey, 0);
    q->recv = (uint32_t)qp_n(p, q, IBC_K_recv, 0);
    q->recv_bytes = (uint32_t)qp_n(p, q, IBC_K_recv_bytes, 1024);
    q->state_wanted = (uint8_t)qp_n(p, q, IBC_K_state, IBA_QPS_RTS);
    a->path_mtu = iba_mtu_code(q->pmtu); /* 0 (no MTU has this size): the device refuses the attribute */
    a->rq_psn = q->epsn;
    a->sq_psn = q->psn;
    a->qkey = q->qkey;
    a->pkey_index = (uint8_t)q->pkey_index;
    a->timeout = (uint8_t)qp_n(p, q, IBC_K_timeout, 0);
    a->retry = (uint8_t)qp_n(p, q, IBC_K_retry, 7);
    a->rnr_retry = (uint8_t)qp_n(p, q, IBC_K_rnr_retry, 7);
    a->min_rnr = (uint8_t)qp_n(p, q, IBC_K_min_rnr, 12);
    a->max_rd = (uint8_t)qp_n(p, q, IBC_K_rd, 4);
    a->max_dest_rd = (uint8_t)qp_n(p, q, IBC_K_dest_rd, 4);
    a->flow_control = qp_n(p, q, IBC_K_flow_control, 0) != 0;
    q->sq = (uint32_t)qp_n(p, q, IBC_K_sq, 32);
    q->rq = (uint32_t)qp_n(p, q, IBC_K_rq, 32);
    read_rights(p, q);
    read_path(p, q);
}

/* Returns the number of the tester's QP: 24 bits that no other peer QP has, derived from the seed. */
static uint32_t tester_qpn(const struct run_player *p, const struct run_live *q)
{
    const uint64_t which = (uint64_t)(q - p->live) + 1;
    uint64_t x = p->seed * UINT64_C(0x9e3779b97f4a7c15) + which * UINT64_C(0xbf58476d1ce4e5b9);

    x ^= x >> 29;
    x *= UINT64_C(0x94d049bb133111eb);
    /* the low byte distinguishes QPs of a play; the rest is neither 0 nor all ones */
    return (uint32_t)((0x10000 + (x >> 32) % 0xe00000) & ~UINT64_C(0xff)) | (uint32_t)which;
}

static uint32_t peer_of(struct run_player *p, const struct run_live *q)
{
    if (q->type == IBA_QPT_SMI)
        return 0;
    return q->type == IBA_QPT_GSI ? 1 : tester_qpn(p, q);
}

static bool make_cqs(struct run_player *p, struct run_live *q, const struct ibc_step *s)
{
    const struct ibc_arg *scq = qp_arg(q, IBC_K_scq), *rcq = qp_arg(q, IBC_K_rcq);
    const struct run_live *named_s = scq ? run_object_of(p, &scq->v[0]) : NULL;
    const struct run_live *named_r = rcq ? run_object_of(p, &rcq->v[0]) : NULL;
    uint32_t own = 0;

    if ((!named_s || !named_r) &&
        !run_did(p, s, p->t->ops->create_cq(p->t, q->device, q->sq + q->rq + 16, &own), "create its CQ"))
        return false;
    q->scq = named_s ? named_s->id[q->device] : own;
    q->rcq = named_r ? named_r->id[q->device] : own;
    return true;
}

bool run_make_qp(struct run_player *p, struct run_live *q, const struct ibc_step *s)
{
    const struct ibc_arg *srq = qp_arg(q, IBC_K_srq), *peer = qp_arg(q, IBC_K_peer);
    struct ibc_qp_spec spec;

    q->device = (uint8_t)(qp_n(p, q, IBC_K_dut, 1) - 1) % IBC_DEVICES;
    read_line(p, q);
    q->peer = peer_of(p, q);
    q->partner = peer && p->n_device > 1 ? run_object_of(p, &peer->v[0]) : NULL;
    q->attr.to_partner = q->partner != NULL;
    if (!make_cqs(p, q, s))
        return false;
    spec = (struct ibc_qp_spec){
        .type = q->type,
        .pd = run_domain_of(p, qp_arg(q, IBC_K_pd))->id[q->device],
        .scq = q->scq,
        .rcq = q->rcq,
        .srq = srq ? run_object_of(p, &srq->v[0])->id[q->device] : 0,
        .has_srq = srq != NULL,
        .sig_all = qp_n(p, q, IBC_K_sig, 1) != 0,
        .sq = q->sq,
        .rq = srq ? 0 : q->rq,
        .rdd = (uint32_t)qp_n(p, q, IBC_K_rdd, 1),
    };
    if (qp_arg(q, IBC_K_xrcd)) {
        spec.has_xrcd = true;
        spec.xrcd = run_object_of(p, &qp_arg(q, IBC_K_xrcd)->v[0])->id[q->device];
    }
    if (!run_did_or(p, s, p->t->ops->create_qp(p->t, q->device, &spec, &q->id[0]), "create the QP"))
        return false;
    q->made = !run_has(s, IBC_K_error);
    return true;
}

const struct iba_transition *run_transition(enum iba_qp_state from, enum iba_qp_state to)
{
    size_t n;
    const struct iba_transition *t = iba_transitions(&n);

    for (size_t i = 0; i < n; i++)
        if (t[i].from == from && t[i].to == to)
            return &t[i];
    return NULL;
}

static bool go_to(struct run_player *p, struct run_live *q, enum iba_qp_state from, enum iba_qp_state to,
                  const struct ibc_step *s)
{
    const struct iba_transition *t = run_transition(from, to);
    struct ibc_qp_attr a = q->attr;

    a.a.state = (uint8_t)to;
    a.mask = t->required[q->type] | (q->optional_mask & t->optional[q->type]);
    a.a.dest_qpn = q->peer;
    return run_did(p, s, p->t->ops->modify_qp(p->t, q->device, q->id[0], &a), iba_qp_state_name(to));
}

/* The peer QP exists now: attributes that the line leaves open are set from it. */
static void meet(struct run_live *q)
{
    q->peer = q->partner->id[0];
    if (!qp_arg(q, IBC_K_epsn))
        q->epsn = q->next_psn = q->attr.a.rq_psn = q->partner->psn;
}

bool run_raise_from(struct run_player *p, struct run_live *q, enum iba_qp_state from, enum iba_qp_state to,
                    const struct ibc_step *s)
{
    static const uint8_t states[] = {IBA_QPS_RESET, IBA_QPS_INIT, IBA_QPS_RTR, IBA_QPS_RTS};

    if (q->partner)
        meet(q);
    for (unsigned i = 0; i + 1 < sizeof states && states[i] < to; i++) {
        if (states[i] < from)
            continue;
        if (!go_to(p, q, (enum iba_qp_state)states[i], (enum iba_qp_state)states[i + 1], s))
            return false;
        if (i == 0 && q->recv > 0 && !run_post_receives(p, q, q->recv, q->recv_bytes, s))
            return false;
    }
    return true;
}

bool run_raise_qp(struct run_player *p, struct run_live *q, enum iba_qp_state state, const struct ibc_step *s)
{
    return run_raise_from(p, q, IBA_QPS_RESET, state, s);
}

/* ---- reported attributes ---- */
static const uint8_t reported[] = {IBC_K_epsn,    IBC_K_psn,          IBC_K_qpn,     IBC_K_pmtu,
                                   IBC_K_timeout, IBC_K_retry,        IBC_K_rd,      IBC_K_rnr_retry,
                                   IBC_K_dest_rd, IBC_K_flow_control, IBC_K_alt_lid, IBC_K_alt_port,
                                   IBC_K_mig,     IBC_K_min_rnr,      IBC_K_pkey,    IBC_K_qkey};

static uint64_t value_of(const struct iba_qp_attr *a, uint8_t key)
{
    switch (key) {
    case IBC_K_epsn: return a->rq_psn;
    case IBC_K_psn: return a->sq_psn;
    case IBC_K_qpn: return a->dest_qpn;
    case IBC_K_pmtu: return a->path_mtu ? 128u << a->path_mtu : 0;
    case IBC_K_timeout: return a->timeout;
    case IBC_K_retry: return a->retry;
    case IBC_K_rd: return a->max_rd;
    case IBC_K_rnr_retry: return a->rnr_retry;
    case IBC_K_dest_rd: return a->max_dest_rd;
    case IBC_K_alt_lid: return a->alt_av.dlid;
    case IBC_K_alt_port: return a->alt_av.port;
    case IBC_K_mig: return a->path_mig;
    case IBC_K_min_rnr: return a->min_rnr;
    case IBC_K_pkey: return a->pkey_index;
    case IBC_K_qkey: return a->qkey;
    default: return a->flow_control;
    }
}

/* Writes the first value that the line allows, and whether others are allowed: "rd 0x4", "rd 0x4 or more", "rd 0x4
 * or another". */
static void show_reported(struct run_player *p, const struct ibc_arg *arg, char out[RUN_TEXT])
{
    static const struct run_context none;
    const struct ibc_value *v = &arg->v[0];

    snprintf(out, RUN_TEXT, "%s %s0x%llx%s", ibc_key_names[arg->key], v->negated ? "not " : "",
             (unsigned long long)run_value(p, v, &none),
             v->kind == IBC_V_RANGE ? " or more"
             : arg->n > 1           ? " or another"
                                    : "");
}

bool run_attributes_fit(struct run_player *p, const struct ibc_step *s, const struct iba_qp_attr *a,
                        char expected[RUN_TEXT], char got[RUN_TEXT])
{
    static const struct run_context none;

    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
        const struct ibc_arg *arg = run_arg(s, (enum ibc_key)reported[i]);
        if (!arg || run_fits(p, arg, value_of(a, reported[i]), &none))
            continue;
        show_reported(p, arg, expected);
        snprintf(got, RUN_TEXT, "%s 0x%llx", ibc_key_names[arg->key], (unsigned long long)value_of(a, reported[i]));
        return false;
    }
    return true;
}
