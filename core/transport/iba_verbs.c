/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs that create, destroy and set: queue pairs, address handles, multicast attachments, P_Keys (sections 10.2,
 * 10.5). */
#include <assert.h>
#include <string.h>
#include "transport/deviations_qp.h"
#include "transport/iba_refusals.h"
#include "transport/iba_qp_attr.h"
#include "transport/iba_qp_state.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_xrc.h"

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

/* ---- queue pairs ---- */
static bool cq_missing(const struct iba_ca *ca, const struct iba_qp_init *init, uint32_t cq, unsigned traits)
{
    return iba_qp_type_has(init->type, traits) && !iba_cq_find(ca, cq);
}

static bool is_shared(const struct iba_qp_init *init)
{
    return init->srq != IBA_NONE;
}

static bool srq_missing(const struct iba_ca *ca, const struct iba_qp_init *init)
{
    return is_shared(init) && !iba_srq_find(ca, init->srq);
}

static bool is_target(uint8_t type)
{
    return iba_qp_type_has(type, IBA_QP_TARGETS);
}

static bool is_context(uint8_t type)
{
    return iba_qp_type_has(type, IBA_QP_CONTEXT);
}

/* Requests name an SRQ or a QP that has a protection domain. */
static bool has_no_pd(uint8_t type)
{
    return iba_qp_type_has(type, IBA_QP_NO_PD);
}

static bool is_managed(const struct iba_qp_init *init)
{
    return iba_qp_type_has(init->type, IBA_QP_MANAGES);
}

/* WF-37: only SMI and GSI have the numbers 0 and 1. */
static bool qpn_reserved(const struct iba_qp_init *init, uint32_t qpn)
{
    return !is_managed(init) && (qpn < IBA_QPN_FIRST || qpn > QPN_LAST);
}

/* clang-format off */
#define INIT c->create.init
#define NAMED !c->create.any
#define CREATE_QP_CHECKS(R, A)                                                                                                          \
    A(type_unknown,       IBA_VERB_TYPE,       !iba_qp_type_has(INIT->type, IBA_QP_SENDS | IBA_QP_NO_PD),                "QS-28")       \
    R(verb, QP_SHARES,    IBA_VERB_TYPE,       is_shared(INIT) && !iba_qp_type_has(INIT->type, IBA_QP_SHARES),           "QS-28, QS-44") \
    A(no_xrcd,            IBA_VERB_NO_XRCD,    is_target(INIT->type) && !iba_xrcd_exists(c->ca, INIT->xrcd),             "QS-44")       \
    R(verb, QP_PD,        IBA_VERB_NO_PD,      !has_no_pd(INIT->type) && !iba_pd_exists(&c->ca->mem, INIT->pd),                                    "QS-28")       \
    A(no_send_cq,         IBA_VERB_NO_CQ,      cq_missing(c->ca, INIT, INIT->send_cq, IBA_QP_SENDS),                     "QS-28")       \
    A(no_receive_cq,      IBA_VERB_NO_CQ,      cq_missing(c->ca, INIT, INIT->recv_cq, IBA_QP_RECEIVES | IBA_QP_SHARES),  "QS-28")       \
    R(verb, QP_SRQ,       IBA_VERB_NO_SRQ,     srq_missing(c->ca, INIT),                                                 "QS-28")       \
    A(two_receive_queues, IBA_VERB_ATTR_VALUE, is_shared(INIT) && INIT->n_rq > 0,                                        "QS-28")       \
    A(no_entry,           IBA_VERB_ATTR_VALUE, is_context(INIT->type) && INIT->n_sq == 0,                                "UU-33")       \
    A(qpn_too_large,      IBA_VERB_ATTR_VALUE, NAMED && c->create.qpn > QPN_MAX,                                         "WF-37")       \
    R(verb, QPN_ORDINARY, IBA_VERB_ATTR_VALUE, NAMED && qpn_reserved(INIT, c->create.qpn),                               "WF-37")       \
    A(qpn_taken,          IBA_VERB_BUSY,       NAMED && iba_qp_find(c->ca, c->create.qpn),                               "QS-28")
/* clang-format on */
IBA_REFUSAL_TABLE(CREATE_QP_CHECKS, create_qp_checks, CREATE_QP)

/* Returns a free slot for the new QP, which gets its number; IBA_NONE: no slot is free. */
static uint32_t number(struct iba_call *c)
{
    const struct iba_ca *ca = c->ca;
    uint32_t slot;

    if (c->create.any)
        random_number(ca, &c->create.qpn, &slot);
    else
        slot = is_managed(c->create.init) ? free_slot(ca, c->create.qpn % ca->n_qp) : c->create.qpn % ca->n_qp;
    return slot == IBA_NONE || ca->qp[slot] ? IBA_NONE : slot;
}

static void set_up(struct iba_qp *qp, const struct iba_qp_init *init, uint32_t qpn)
{
    const bool sends = iba_qp_type_has(init->type, IBA_QP_SENDS);
    const bool receives = iba_qp_type_has(init->type, IBA_QP_RECEIVES);

    memset(qp, 0, sizeof *qp);
    qp->qpn = qpn;
    qp->type = init->type;
    qp->sq_sig_all = init->sq_sig_all;
    qp->pd = has_no_pd(init->type) ? IBA_NONE : init->pd;
    qp->srq = has_no_pd(init->type) ? IBA_NONE : init->srq;
    qp->send_cq = sends ? init->send_cq : IBA_NONE;
    qp->recv_cq = receives ? init->recv_cq : IBA_NONE;
    qp->xrcd = is_target(init->type) ? init->xrcd : IBA_NONE;
    if (init->type == IBA_QPT_RD || is_context(init->type))
        qp->rdd = init->rdd;
    qp->s.ring = init->sq;
    qp->s.n = sends ? init->n_sq : is_context(init->type);
    if (receives)
        qp->rq = (struct iba_rq){.ring = init->rq, .n = init->n_rq};
    qp->r.saved = init->saved;
    qp->r.n_saved = init->n_saved;
    iba_qp_reset(qp);
}

uint32_t iba_random_psn(struct iba_ca *ca)
{
    return (uint32_t)ca->random(ca->ctx) & IBA_PSN_MASK;
}

static struct iba_call creation(struct iba_ca *ca, const struct iba_qp_init *init)
{
    const bool managed = is_managed(init);

    return (struct iba_call){.ca = ca,
                             .create = {.init = init,
                                        .qpn = managed ? init->type == IBA_QPT_GSI : init->qpn,
                                        .any = !managed && init->qpn == 0}};
}

enum iba_verb_err iba_create_qp(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_init *init, uint32_t *qpn)
{
    struct iba_call c = creation(ca, init);
    const int refused = iba_refuse(&c, &create_qp_checks);
    uint32_t slot;

    assert(ca->n_qp > 0 && ca->n_qp <= QPN_LAST / 2);
    assert((init->n_sq == 0 || init->sq) && (init->n_rq == 0 || init->rq) && (init->n_saved == 0 || init->saved));
    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    slot = number(&c);
    if (slot == IBA_NONE)
        return IBA_VERB_FULL;
    set_up(qp, init, c.create.qpn);
    ca->qp[slot] = qp;
    *qpn = c.create.qpn;
    if (is_target(qp->type))
        iba_xrcd_hold(ca, qp->xrcd);
    else if (!has_no_pd(qp->type))
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

/* clang-format off */
#define DESTROY_QP_CHECKS(R, A)                                                                                   \
    A(no_qp_to_destroy,  IBA_VERB_NO_QP, !c->qp,                         "QS-29")                                 \
    R(verb, QP_ATTACHED, IBA_VERB_BUSY,  attached(c->ca, c->qp->qpn),    "QS-29, UU-25")
/* clang-format on */
IBA_REFUSAL_TABLE(DESTROY_QP_CHECKS, destroy_qp_checks, DESTROY_QP)

enum iba_verb_err iba_destroy_qp(struct iba_ca *ca, uint32_t qpn)
{
    struct iba_qp *qp = iba_qp_find(ca, qpn);
    struct iba_call c = {.ca = ca, .qp = qp};
    const int refused = iba_refuse(&c, &destroy_qp_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    iba_qp_part(ca, qp);
    iba_mw_forget_qp(&ca->mem, qpn);
    if (is_target(qp->type))
        iba_xrcd_release(ca, qp->xrcd);
    else if (!has_no_pd(qp->type))
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
/* clang-format off */
#define CREATE_AH_CHECKS(R, A)                                                                                    \
    R(verb, AH_PD,      IBA_VERB_NO_PD,      !iba_pd_exists(&c->ca->mem, c->path.pd),        "QS-82")             \
    A(av_illegal,       IBA_VERB_ATTR_VALUE, !iba_av_legal(c->ca, c->path.av, false),        "QS-82")
/* clang-format on */
IBA_REFUSAL_TABLE(CREATE_AH_CHECKS, create_ah_checks, CREATE_AH)

enum iba_verb_err iba_create_ah(struct iba_ca *ca, uint32_t pd, const struct iba_av *given, uint32_t *number)
{
    struct iba_av av = *given;
    struct iba_call c = {.ca = ca, .path = {.av = &av, .pd = pd}};
    const int refused = iba_refuse(&c, &create_ah_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    for (uint32_t i = 0; i < ca->n_ah; i++) {
        struct iba_ah *ah = &ca->ah[i];
        if (ah->used)
            continue;
        *ah = (struct iba_ah){.av = av, .pd = pd, .used = true};
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

static bool lid_is_of_group(uint16_t lid)
{
    return lid == 0 || iba_lid_classify(lid) == IBA_LID_MULTICAST;
}

/* clang-format off */
#define ATTACH_CHECKS(R, A)                                                                                       \
    A(no_qp_to_attach,   IBA_VERB_NO_QP,      !c->qp,                                   "UU-25")                  \
    R(verb, ATTACH_TYPE, IBA_VERB_TYPE,       !iba_qp_has(c->qp, IBA_QP_GROUPS),        "UU-25")                  \
    R(verb, ATTACH_GID,  IBA_VERB_ATTR_VALUE, !iba_gid_is_multicast(c->group.gid),      "UU-25, KM-38")           \
    R(verb, ATTACH_LID,  IBA_VERB_ATTR_VALUE, !lid_is_of_group(c->group.lid),           "UU-25, WF-15")           \
    R(verb, ATTACH_ONCE, IBA_VERB_OK,         c->group.attachment,                      "UU-25, PV-29")
#define DETACH_CHECKS(R, A)                                                                                       \
    A(no_qp_to_detach,   IBA_VERB_NO_QP,      !c->qp,                                   "UU-25")                  \
    A(not_attached,      IBA_VERB_ATTR_VALUE, !c->group.attachment,                     "UU-25")
/* clang-format on */
IBA_REFUSAL_TABLE(ATTACH_CHECKS, attach_checks, ATTACH)
IBA_REFUSAL_TABLE(DETACH_CHECKS, detach_checks, DETACH)

enum iba_verb_err iba_attach_mcast(struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid)
{
    struct iba_call c = {.ca = ca,
                         .qp = iba_qp_find(ca, qpn),
                         .group = {.attachment = attachment(ca, qpn, gid, lid), .gid = gid, .lid = lid}};
    const int refused = iba_refuse(&c, &attach_checks);
    struct iba_mcast *m;

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
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
    struct iba_call c = {.ca = ca, .qp = iba_qp_find(ca, qpn), .group = {.attachment = m, .gid = gid, .lid = lid}};
    const int refused = iba_refuse(&c, &detach_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    assert(m); /* by a row */
    m->used = false;
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
