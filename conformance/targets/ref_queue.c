/* SPDX-License-Identifier: BSD-2-Clause */
/* Modify, query, post: translates the target's structures into the engine's. */
#include <string.h>
#include "reference.h"

static uint8_t port_of(const struct iba_qp *qp)
{
    return qp && qp->attr.port >= 1 && qp->attr.port <= REF_PORTS ? qp->attr.port : 1;
}

/* ---- states ---- */

static struct iba_av path_of_qp(const struct reference *r, uint8_t port, const struct ibc_address *to,
                                const struct ibc_qp_attr *a)
{
    struct iba_av av = ref_path(r, port, to);

    av.hop_limit = a->hop;
    av.tclass = a->tclass;
    av.sl = a->sl;
    av.flow_label = a->flow;
    ref_put_path(&av, &a->path);
    return av;
}

enum ibc_rc ref_modify_qp(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    struct reference *r = reference_of(t);
    struct iba_ca *ca = &device_of(t, d)->ca;
    const uint8_t port = a->mask & IBA_QPA_PORT ? a->a.port : port_of(iba_query_qp(ca, qpn));
    struct iba_qp_attr attr = a->a;
    const struct ibc_address *peer = a->to_partner ? &t->device[d ^ 1] : NULL;

    attr.av = path_of_qp(r, a->av_port ? a->av_port : port, a->to ? a->to : peer, a);
    attr.alt_av = path_of_qp(r, a->alt_port ? a->alt_port : port, a->alt ? a->alt : peer, a);
    return ref_verb(t, iba_modify_qp(ca, qpn, &attr, a->mask | IBA_QPA_STATE));
}

enum ibc_rc ref_query_qp(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    const struct iba_qp *qp = iba_query_qp(&device_of(t, d)->ca, qpn);

    if (!qp)
        return ref_verb(t, IBA_VERB_NO_QP);
    *a = qp->attr;
    a->state = a->cur_state = qp->state;
    return IBC_OK;
}

/* ---- address handles ---- */

static bool needs_handle(const struct iba_qp *qp)
{
    switch ((enum iba_qp_type)qp->type) {
    case IBA_QPT_UD:
    case IBA_QPT_SMI:
    case IBA_QPT_GSI:
    case IBA_QPT_RAW_IPV6:
    case IBA_QPT_RAW_ETHERTYPE: return true;
    default: return false;
    }
}

static struct iba_av path_of(const struct reference *r, const struct iba_qp *qp, const struct ibc_ah_spec *s)
{
    const uint8_t port = s->port ? s->port : port_of(qp);
    struct iba_av av = s->group ? ref_path_to_group(r, port, s->group) : ref_path(r, port, s->to);

    av.hop_limit = s->hop;
    av.tclass = s->tclass;
    av.sl = s->sl;
    av.smp = qp->type == IBA_QPT_SMI;
    ref_put_path(&av, &s->path);
    return av;
}

/* Whether the fields that path_of() sets are equal. */
static bool same_path(const struct iba_av *a, const struct iba_av *b)
{
    return a->port == b->port && a->sl == b->sl && a->grh == b->grh && a->smp == b->smp && a->dlid == b->dlid &&
           a->dmac == b->dmac && a->tclass == b->tclass && a->hop_limit == b->hop_limit && a->vlan == b->vlan &&
           a->udp_source == b->udp_source && a->sgid_index == b->sgid_index && a->path_bits == b->path_bits &&
           memcmp(a->dgid, b->dgid, sizeof a->dgid) == 0;
}

static const struct ref_ah *known_handle(const struct ref_device *dev, uint32_t pd, const struct iba_av *av)
{
    for (uint32_t i = 0; i < dev->n_ah; i++)
        if (dev->ah[i].pd == pd && dev->ah[i].epoch == dev->epoch && same_path(&dev->ah[i].av, av))
            return &dev->ah[i];
    return NULL;
}

static enum iba_verb_err handle(struct ref_device *dev, uint32_t pd, const struct iba_av *av, uint32_t *number)
{
    const struct ref_ah *known = known_handle(dev, pd, av);
    struct ref_ah new = {.av = *av, .pd = pd, .epoch = dev->epoch};
    enum iba_verb_err e;

    if (known) {
        *number = known->number;
        return IBA_VERB_OK;
    }
    e = iba_create_ah(&dev->ca, pd, av, &new.number);
    if (e != IBA_VERB_OK)
        return e;
    dev->ah[dev->n_ah++] = new;
    *number = new.number;
    return IBA_VERB_OK;
}

enum ibc_rc ref_create_ah(struct ibc_target *t, unsigned d, uint32_t pd, const struct ibc_address *to, uint32_t *ah)
{
    enum { HOPS = 64 };
    struct iba_av av = ref_path(reference_of(t), 1, to);

    av.hop_limit = HOPS;
    return ref_verb(t, iba_create_ah(&device_of(t, d)->ca, pd, &av, ah));
}

/* ---- work ---- */

enum ibc_rc ref_post_send(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s)
{
    struct ref_device *dev = device_of(t, d);
    const struct iba_qp *qp = iba_query_qp(&dev->ca, qpn);
    struct iba_send_wr wr = s->wr;

    if (qp && needs_handle(qp) && s->dest.none) {
        wr.ah = REF_AHS; /* no address handle has that number */
    } else if (qp && needs_handle(qp)) {
        const struct iba_av av = path_of(reference_of(t), qp, &s->dest);
        const enum iba_verb_err e = handle(dev, s->dest.has_pd ? s->dest.pd : qp->pd, &av, &wr.ah);
        if (e != IBA_VERB_OK)
            return ref_verb(t, e);
    }
    return ref_verb(t, iba_post_send(&dev->ca, qpn, &wr));
}
