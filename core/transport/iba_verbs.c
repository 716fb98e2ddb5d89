/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs that create, destroy and set: queue pairs, address handles, multicast attachments, P_Keys (sections 10.2,
 * 10.5). */
#include <assert.h>
#include <string.h>
#include "transport/deviations.h"
#include "transport/deviations_qp.h"
#include "transport/iba_qp_parts.h"

enum { QPN_LAST = 0xfffffe, QPN_MAX = 0xffffff, GID_BYTES = 16 }; /* 0, 1 and 0xFFFFFF are reserved (WF-37) */

/* ---- QP numbers: random, but their low bits are the slot ---- */
/* The first free slot from `slot` on; IBA_NONE when all are taken. */
static uint32_t free_slot(const struct iba_ca *ca, uint32_t slot)
{
    for (uint32_t i = 0; i < ca->n_qp; i++, slot = slot + 1 == ca->n_qp ? 0 : slot + 1)
        if (!ca->qp[slot])
            return slot;
    return IBA_NONE;
}

/* A peer of a former QP of the slot must not reach the new QP, so the QPN is random but for the slot (QS-30). */
static uint32_t random_qpn(const struct iba_ca *ca, uint32_t slot)
{
    const uint32_t turns = (QPN_LAST - slot) / ca->n_qp + 1;
    uint32_t qpn = slot + (uint32_t)(ca->random(ca->ctx) % turns) * ca->n_qp;

    while (qpn < IBA_QPN_FIRST)
        qpn += ca->n_qp;
    return qpn;
}

static void random_number(const struct iba_ca *ca, uint32_t *qpn, uint32_t *slot)
{
    *slot = free_slot(ca, (uint32_t)(ca->random(ca->ctx) % ca->n_qp));
    if (*slot != IBA_NONE)
        *qpn = random_qpn(ca, *slot);
}

static enum iba_verb_err number(const struct iba_ca *ca, const struct iba_qp_init *init, uint32_t *qpn, uint32_t *slot)
{
    const bool managed = iba_qp_type_has(init->type, IBA_QP_MANAGES);

    *qpn = managed ? init->type == IBA_QPT_GSI : init->qpn;
    if (!managed && *qpn == 0) {
        if (!ca->deviate || !ca->deviate->numbers(ca, qpn, slot))
            random_number(ca, qpn, slot);
        return *slot == IBA_NONE ? IBA_VERB_FULL : IBA_VERB_OK;
    }
    if (*qpn > QPN_MAX)
        return IBA_VERB_ATTR_VALUE;
    IBA_REFUSE(ca, verb, QPN_ORDINARY, !managed && (*qpn < IBA_QPN_FIRST || *qpn > QPN_LAST), IBA_VERB_ATTR_VALUE)
    if (iba_qp_find(ca, *qpn))
        return IBA_VERB_BUSY;
    *slot = managed ? free_slot(ca, *qpn % ca->n_qp) : *qpn % ca->n_qp;
    return *slot == IBA_NONE || ca->qp[*slot] ? IBA_VERB_FULL : IBA_VERB_OK;
}

/* ---- queue pairs ---- */
static bool cq_missing(const struct iba_ca *ca, const struct iba_qp_init *init, uint32_t cq, unsigned traits)
{
    return iba_qp_type_has(init->type, traits) && (cq >= ca->n_cq || !ca->cq[cq]);
}

static enum iba_verb_err parts_exist(const struct iba_ca *ca, const struct iba_qp_init *init)
{
    const bool shared = init->srq != IBA_NONE;

    if (!iba_qp_type_has(init->type, IBA_QP_SENDS | IBA_QP_SHARES))
        return IBA_VERB_TYPE;
    IBA_REFUSE(ca, verb, QP_SHARES, shared && !iba_qp_type_has(init->type, IBA_QP_SHARES), IBA_VERB_TYPE)
    IBA_REFUSE(ca, verb, QP_PD, !iba_pd_exists(&ca->mem, init->pd), IBA_VERB_NO_PD)
    if (cq_missing(ca, init, init->send_cq, IBA_QP_SENDS) ||
        cq_missing(ca, init, init->recv_cq, IBA_QP_RECEIVES | IBA_QP_SHARES))
        return IBA_VERB_NO_CQ;
    IBA_REFUSE(ca, verb, QP_SRQ, shared && (init->srq >= ca->n_srq || !ca->srq[init->srq]), IBA_VERB_NO_SRQ)
    return shared && init->n_rq > 0 ? IBA_VERB_ATTR_VALUE : IBA_VERB_OK;
}

static void set_up(struct iba_qp *qp, const struct iba_qp_init *init, uint32_t qpn)
{
    const bool sends = iba_qp_type_has(init->type, IBA_QP_SENDS);
    const bool receives = iba_qp_type_has(init->type, IBA_QP_RECEIVES);
    const bool completes = receives || iba_qp_type_has(init->type, IBA_QP_SHARES);

    memset(qp, 0, sizeof *qp);
    qp->qpn = qpn;
    qp->type = init->type;
    qp->sq_sig_all = init->sq_sig_all;
    qp->pd = init->pd;
    qp->srq = init->srq;
    qp->send_cq = sends ? init->send_cq : IBA_NONE;
    qp->recv_cq = completes ? init->recv_cq : IBA_NONE;
    qp->s.ring = init->sq;
    qp->s.n = sends ? init->n_sq : 0;
    qp->rq.ring = init->rq;
    qp->rq.n = receives ? init->n_rq : 0;
    qp->r.saved = init->saved;
    qp->r.n_saved = init->n_saved;
    iba_qp_reset(qp);
}

uint32_t iba_random_psn(struct iba_ca *ca)
{
    return (uint32_t)ca->random(ca->ctx) & IBA_PSN_MASK;
}

enum iba_verb_err iba_create_qp(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_init *init, uint32_t *qpn)
{
    enum iba_verb_err e = parts_exist(ca, init);
    uint32_t new = 0, slot;

    assert(ca->n_qp > 0 && ca->n_qp <= QPN_LAST / 2);
    assert((init->n_sq == 0 || init->sq) && (init->n_rq == 0 || init->rq) && (init->n_saved == 0 || init->saved));
    if (e == IBA_VERB_OK)
        e = number(ca, init, &new, &slot);
    if (e != IBA_VERB_OK)
        return e;
    set_up(qp, init, new);
    ca->qp[slot] = qp;
    *qpn = new;
    iba_pd_hold(&ca->mem, qp->pd);
    return IBA_VERB_OK;
}

static bool attached(const struct iba_ca *ca, uint32_t qpn)
{
    for (uint32_t i = 0; i < ca->n_mcast; i++)
        if (ca->mcast[i].used && ca->mcast[i].qpn == qpn)
            return true;
    return false;
}

enum iba_verb_err iba_destroy_qp(struct iba_ca *ca, uint32_t qpn)
{
    struct iba_qp *qp = iba_qp_find(ca, qpn);

    if (!qp)
        return IBA_VERB_NO_QP;
    IBA_REFUSE(ca, verb, QP_ATTACHED, attached(ca, qpn), IBA_VERB_BUSY)
    if (!IBA_KEEPS(ca, verb, QP_BINDS) && iba_mw_of_qp(&ca->mem, qpn))
        return IBA_VERB_BUSY;
    iba_mw_forget_qp(&ca->mem, qpn);
    iba_pd_release(&ca->mem, qp->pd);
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] == qp)
            ca->qp[i] = NULL;
    return IBA_VERB_OK;
}

const struct iba_qp *iba_query_qp(const struct iba_ca *ca, uint32_t qpn)
{
    return iba_qp_find(ca, qpn);
}

/* ---- address handles (QS-82) ---- */
enum iba_verb_err iba_create_ah(struct iba_ca *ca, uint32_t pd, const struct iba_av *av, uint32_t *number)
{
    IBA_REFUSE(ca, verb, AH_PD, !iba_pd_exists(&ca->mem, pd), IBA_VERB_NO_PD)
    if (!iba_av_legal(ca, av, false))
        return IBA_VERB_ATTR_VALUE;
    for (uint32_t i = 0; i < ca->n_ah; i++) {
        struct iba_ah *ah = &ca->ah[i];
        if (ah->used)
            continue;
        *ah = (struct iba_ah){.av = *av, .pd = pd, .used = true};
        if (ca->deviate)
            ca->deviate->handle_made(ca, ah);
        iba_ports_follow(ca);
        ah->envelope_bytes = (uint8_t)iba_envelope_write(iba_port_of(ca, ah->av.port), &ah->av, i, ah->envelope);
        iba_pd_hold(&ca->mem, pd);
        *number = i;
        return IBA_VERB_OK;
    }
    return IBA_VERB_FULL;
}

enum iba_verb_err iba_destroy_ah(struct iba_ca *ca, uint32_t number)
{
    if (number >= ca->n_ah || !ca->ah[number].used)
        return IBA_VERB_NO_AH;
    iba_pd_release(&ca->mem, ca->ah[number].pd);
    ca->ah[number].used = false;
    return IBA_VERB_OK;
}

/* ---- multicast attachments (UU-25) ---- */
static bool is_attachment(const struct iba_mcast *m, uint32_t qpn, const uint8_t *gid, uint16_t lid)
{
    return m->used && m->qpn == qpn && m->lid == lid && memcmp(m->gid, gid, GID_BYTES) == 0;
}

static struct iba_mcast *attachment(const struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid)
{
    for (uint32_t i = 0; i < ca->n_mcast; i++)
        if (is_attachment(&ca->mcast[i], qpn, gid, lid))
            return &ca->mcast[i];
    return NULL;
}

static struct iba_mcast *free_attachment(const struct iba_ca *ca)
{
    for (uint32_t i = 0; i < ca->n_mcast; i++)
        if (!ca->mcast[i].used)
            return &ca->mcast[i];
    return NULL;
}

enum iba_verb_err iba_attach_mcast(struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid)
{
    const struct iba_qp *qp = iba_qp_find(ca, qpn);
    struct iba_mcast *m;

    if (!qp)
        return IBA_VERB_NO_QP;
    IBA_REFUSE(ca, verb, ATTACH_TYPE, !iba_qp_has(qp, IBA_QP_GROUPS), IBA_VERB_TYPE)
    IBA_REFUSE(ca, verb, ATTACH_GID, !iba_gid_is_multicast(gid), IBA_VERB_ATTR_VALUE)
    IBA_REFUSE(ca, verb, ATTACH_LID, lid != 0 && iba_lid_classify(lid) != IBA_LID_MULTICAST, IBA_VERB_ATTR_VALUE)
    IBA_REFUSE(ca, verb, ATTACH_ONCE, attachment(ca, qpn, gid, lid), IBA_VERB_OK)
    if (!IBA_KEEPS(ca, verb, ATTACH))
        return IBA_VERB_OK;
    m = free_attachment(ca);
    if (!m)
        return IBA_VERB_FULL;
    *m = (struct iba_mcast){.qpn = qpn, .lid = lid, .used = true};
    memcpy(m->gid, gid, GID_BYTES);
    return IBA_VERB_OK;
}

enum iba_verb_err iba_detach_mcast(struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid)
{
    struct iba_mcast *m = attachment(ca, qpn, gid, lid);

    if (!iba_qp_find(ca, qpn))
        return IBA_VERB_NO_QP;
    if (!m)
        return IBA_VERB_ATTR_VALUE;
    m->used = !IBA_KEEPS(ca, verb, DETACH);
    return IBA_VERB_OK;
}

/* ---- partitions, events ---- */
enum iba_verb_err iba_set_pkey(struct iba_ca *ca, uint8_t port, uint8_t index, uint16_t key)
{
    const struct iba_port *p = iba_port_of(ca, port);
    uint16_t before;

    if (!p || index >= p->n_pkey)
        return IBA_VERB_ATTR_VALUE;
    before = p->pkey[index];
    iba_ports_follow(ca);
    iba_port_pkey_set(&ca->port[port - 1], index, key);
    if (before != key)
        iba_raise(ca, IBA_EVENT_PKEY_CHANGE, port, index, key, before);
    return IBA_VERB_OK;
}
