/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager of a reference device is core/cm behind QP1 of its first port. */
#include <string.h>
#include "reference.h"

static uint64_t entropy(void *ctx)
{
    return iba_random_next(&((struct ref_device *)ctx)->random);
}

static enum ibc_rc result(struct ibc_target *t, enum iba_cm_err e)
{
#define NAME(name, text) [IBA_CM_##name] = "cm_" #name,
    static const char *const names[IBA_CM_ERR_COUNT] = {IBA_CM_ERRS(NAME)};

    return e == IBA_CM_OK ? IBC_OK : ref_refused(t, names[e]);
}

static void deviate(struct ref_device *dev, struct ref_cm *c)
{
    const struct ref_change *change = &dev->of->change;

    if (change->cm_decides)
        iba_cm_set_rules(&c->cm, change->cm_table, &change->cm_rules.rules);
    if (change->does)
        iba_cm_change(&c->cm, &change->change);
}

enum ibc_rc ref_cm_open(struct ibc_target *t, unsigned d)
{
    struct ref_device *dev = device_of(t, d);
    struct ref_cm *c = &dev->cm;

    if (c->open)
        return IBC_OK;
    iba_cm_init(&c->cm, &(struct iba_cm_config){.ca_guid = REF_CA_GUID + d,
                                                .port = dev->ca.port,
                                                .n_port = REF_PORTS,
                                                .target_ack_delay = REF_ACK_DELAY,
                                                .conn = c->conn,
                                                .heap = c->heap,
                                                .bucket = c->bucket,
                                                .n_conn = REF_CM_CONNS,
                                                .listener = c->listener,
                                                .n_listener = REF_CM_LISTENERS,
                                                .out = c->out,
                                                .event = c->event,
                                                .n_out = REF_CM_RING,
                                                .n_event = REF_CM_RING,
                                                .random = entropy,
                                                .ctx = dev});
    deviate(dev, c);
    const enum iba_verb_err e = iba_gsi_open(&c->gsi, &dev->ca, &c->cm);
    c->open = e == IBA_VERB_OK;
    return ref_verb(t, e);
}

/* ---- verbs ---- */

/* Returns the path of a datagram to the tester. */
static struct iba_av path(struct ibc_target *t)
{
    const struct reference *r = reference_of(t);
    struct iba_av av = {.port = 1, .hop_limit = 64, .vlan = 0xffff, .dmac = t->tester.mac, .dlid = t->tester.lid};

    av.grh = r->link != IBC_LINK_ib_local;
    if (r->link == IBC_LINK_roce2_ipv4)
        iba_gid_set_ipv4(av.dgid, t->tester.ipv4);
    else
        memcpy(av.dgid, r->link == IBC_LINK_roce2_ipv6 ? t->tester.ipv6 : t->tester.gid, sizeof av.dgid);
    return av;
}

/* Returns the private data of the call's message. */
static struct iba_cm_private private_of(const struct ibc_cm_call *c)
{
    size_t at, n;

    if (!iba_cm_private_place(iba_madhdr_attributeid(c->mad), &at, &n))
        return (struct iba_cm_private){NULL, 0};
    return (struct iba_cm_private){c->mad + at, n};
}

static enum iba_cm_err listen_for(struct ref_cm *r, const struct ibc_cm_call *c)
{
    struct iba_cm_listen l = {.service_id = iba_cm_req_serviceid(c->mad + IBA_BYTES_madhdr),
                              .service_mask = UINT64_MAX,
                              .backlog = c->backlog,
                              .datagrams = c->datagrams,
                              .compare_n = c->compare_n};

    memcpy(l.compare, c->compare, c->compare_n);
    memset(l.compare_mask, 0xff, c->compare_n);
    return iba_cm_listen(&r->cm, &l, &r->number);
}

static enum iba_cm_err connect_to(struct ibc_target *t, struct ref_cm *r, struct ibc_cm_call *c, iba_time now)
{
    struct iba_cm_request q = {.private_data = private_of(c), .av = path(t), .peer = c->both};

    iba_layout_get(&iba_mad_layouts[IBA_M_cm_req], c->mad + IBA_BYTES_madhdr, &q.req);
    return iba_cm_connect(&r->cm, &q, now, &c->id);
}

static enum iba_cm_err resolve(struct ibc_target *t, struct ref_cm *r, struct ibc_cm_call *c, iba_time now)
{
    const uint8_t *data = c->mad + IBA_BYTES_madhdr;
    const struct iba_cm_resolve q = {.service_id = iba_cm_sidr_req_serviceid(data),
                                     .pkey = iba_cm_sidr_req_pkey(data),
                                     .response = REF_SIDR_TIMEOUT,
                                     .retries = REF_SIDR_RETRIES,
                                     .private_data = private_of(c),
                                     .av = path(t)};

    return iba_cm_resolve(&r->cm, &q, now, &c->id);
}

static enum iba_cm_err answer(struct iba_cm *cm, const struct ibc_cm_call *c, iba_time now)
{
    const uint8_t *data = c->mad + IBA_BYTES_madhdr;
    const struct iba_cm_private p = private_of(c);
    struct iba_cm_private ari = {NULL, 0};
    struct iba_cm_rep rep;
    struct iba_cm_lap lap;
    struct iba_cm_sidr_rep sidr;

    switch (c->verb) {
    case IBC_CM_accept:
        iba_layout_get(&iba_mad_layouts[IBA_M_cm_rep], data, &rep);
        return iba_cm_accept(cm, c->id, &rep, p, now);
    case IBC_CM_confirm: return iba_cm_confirm(cm, c->id, p, now);
    case IBC_CM_reject:
        ari = (struct iba_cm_private){iba_cm_rej_ari(data), iba_cm_rej_rejinfolen(data)};
        return iba_cm_reject(cm, c->id, iba_cm_rej_reason(data), ari, p, now);
    case IBC_CM_delay: return iba_cm_delay(cm, c->id, iba_cm_mra_servicetimeout(data), p, now);
    case IBC_CM_established: return iba_cm_established(cm, c->id, now);
    case IBC_CM_disconnect:
        return iba_cm_disconnect(cm, c->id, (struct iba_cm_private){p.bytes, IBA_CM_DREQ_BYTES}, now);
    case IBC_CM_load:
        iba_layout_get(&iba_mad_layouts[IBA_M_cm_lap], data, &lap);
        return iba_cm_load(cm, c->id, &lap, p, now);
    case IBC_CM_loaded:
        ari = (struct iba_cm_private){iba_cm_apr_info(data), iba_cm_apr_infolen(data)};
        return iba_cm_loaded(cm, c->id, iba_cm_apr_status(data), ari, p, now);
    case IBC_CM_suggest: return iba_cm_suggest(cm, c->id, p, now);
    case IBC_CM_suggested: return iba_cm_suggested(cm, c->id, p, now);
    case IBC_CM_resolved:
        iba_layout_get(&iba_mad_layouts[IBA_M_cm_sidr_rep], data, &sidr);
        return iba_cm_resolved(cm, c->id, &sidr, p, now);
    default: return iba_cm_abandon(cm, c->id, now);
    }
}

enum ibc_rc ref_cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *c)
{
    struct ref_cm *r = &device_of(t, d)->cm;
    const iba_time now = reference_of(t)->now;

    if (!r->open) /* a manager that was not opened has no memory for connections */
        return result(t, IBA_CM_NO_CONNECTION);
    switch (c->verb) {
    case IBC_CM_listen: return result(t, listen_for(r, c));
    case IBC_CM_unlisten: return result(t, iba_cm_unlisten(&r->cm, r->number, now));
    case IBC_CM_connect: return result(t, connect_to(t, r, c, now));
    case IBC_CM_resolve: return result(t, resolve(t, r, c, now));
    default: return result(t, answer(&r->cm, c, now));
    }
}

enum ibc_rc ref_cm_event(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n)
{
    struct ref_cm *c = &device_of(t, d)->cm;

    *n = c->open && iba_cm_next_event(&c->cm, e);
    return IBC_OK;
}

enum ibc_rc ref_cm_attributes(struct ibc_target *t, unsigned d, uint32_t id, enum iba_qp_state state,
                              struct iba_qp_attr *a)
{
    const struct ref_cm *c = &device_of(t, d)->cm;
    uint32_t mask;

    return result(t, c->open && iba_cm_qp_attr(&c->cm, id, state, a, &mask) ? IBA_CM_OK : IBA_CM_NO_CONNECTION);
}
