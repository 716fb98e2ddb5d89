/* SPDX-License-Identifier: BSD-2-Clause */
/* The datagrams of a connection manager that the tester sends, and what it expects of those that come. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/play.h"

#define SERVICE UINT64_C(0x1000000000000042)
#define TESTER_GUID UINT64_C(0x00c0ffee00000001)
enum { TIMEOUT = 14, ACK_TIMEOUT = 10, OUR_PSN = 0x000777, HOPS = 64, DEPTH = 4, RETRIES = 2 };

static uint16_t message_of(const uint8_t *mad)
{
    return iba_madhdr_attributeid(mad);
}

/* Messages that begin a transaction; all others belong to one. */
static bool begins(uint16_t message)
{
    return message == IBA_CM_ID_REQ || message == IBA_CM_ID_DREQ || message == IBA_CM_ID_LAP ||
           message == IBA_CM_ID_SAP || message == IBA_CM_ID_SIDR_REQ;
}

/* ---- defaults ---- */

static void gid_of(const struct run_player *p, const struct ibc_address *a, uint8_t gid[16])
{
    memset(gid, 0, 16);
    if (p->link == IBC_LINK_roce2_ipv4)
        iba_gid_set_ipv4(gid, a->ipv4);
    else
        memcpy(gid, p->link == IBC_LINK_roce2_ipv6 ? a->ipv6 : a->gid, 16);
}

static bool on_ib(const struct run_player *p)
{
    return p->link == IBC_LINK_ib_local || p->link == IBC_LINK_ib_global;
}

/* `to_device`: the tester's REQ; else the one that the device's user asks for. */
static void fill_req(const struct run_player *p, const struct run_live *c, bool to_device, uint8_t *data)
{
    const struct ibc_address *local = to_device ? &p->t->tester : &p->t->device[0];
    const struct ibc_address *remote = to_device ? &p->t->device[0] : &p->t->tester;
    struct iba_cm_req req = {.localcommid = c->peer,
                             .serviceid = SERVICE,
                             .localcaguid = TESTER_GUID,
                             .localqpn = c->service_qpn,
                             .responderres = DEPTH,
                             .initdepth = DEPTH,
                             .remoteresptout = TIMEOUT,
                             .startpsn = OUR_PSN,
                             .localresptout = TIMEOUT,
                             .retrcount = 7,
                             .pkey = 0xffff,
                             .pppmtu = IBA_MTU_1024,
                             .rnrretrcount = 7,
                             .maxcmretr = RETRIES,
                             .prim_locallid = on_ib(p) ? local->lid : 0,
                             .prim_remotelid = on_ib(p) ? remote->lid : 0,
                             .prim_pktrate = 3,
                             .prim_hoplim = HOPS,
                             .prim_subnetlocal = p->link == IBC_LINK_ib_local,
                             .prim_localacktout = ACK_TIMEOUT};

    gid_of(p, local, req.prim_localgid);
    gid_of(p, remote, req.prim_remotegid);
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_req], &req, data);
}

static void fill_rep(const struct run_live *c, uint8_t *data)
{
    const struct iba_cm_rep rep = {.localqpn = c->service_qpn,
                                   .startpsn = OUR_PSN,
                                   .respres = DEPTH,
                                   .initdepth = DEPTH,
                                   .tgtackdelay = ACK_TIMEOUT,
                                   .rnrretrcount = 7,
                                   .localcaguid = TESTER_GUID};

    iba_layout_put(&iba_mad_layouts[IBA_M_cm_rep], &rep, data);
}

static void fill_lap(const struct run_player *p, const struct run_live *c, bool to_device, uint8_t *data)
{
    const struct ibc_address *local = to_device ? &p->t->tester : &p->t->device[0];
    const struct ibc_address *remote = to_device ? &p->t->device[0] : &p->t->tester;
    struct iba_cm_lap lap = {.remoteqpn = c->device_qpn,
                             .remoteresptout = TIMEOUT,
                             .alt_locallid = on_ib(p) ? (uint16_t)(local->lid + 1) : 0,
                             .alt_remotelid = on_ib(p) ? remote->lid : 0,
                             .alt_subnetlocal = on_ib(p),
                             .alt_hoplim = HOPS,
                             .alt_localacktout = ACK_TIMEOUT};

    gid_of(p, local, lap.alt_localgid);
    gid_of(p, remote, lap.alt_remotegid);
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_lap], &lap, data);
}

static void fill_sidr_req(const struct run_live *c, uint8_t *data)
{
    iba_cm_sidr_req_set_requestid(data, c->peer);
    iba_cm_sidr_req_set_pkey(data, 0xffff);
    iba_cm_sidr_req_set_serviceid(data, SERVICE);
}

static void fill_sidr_rep(const struct run_live *c, uint8_t *data)
{
    iba_cm_sidr_rep_set_requestid(data, c->id[1]);
    iba_cm_sidr_rep_set_qpn(data, c->service_qpn);
    iba_cm_sidr_rep_set_serviceid(data, SERVICE);
    iba_cm_sidr_rep_set_qkey(data, 0x11111111);
}

/* All messages but REQ and those of SIDR begin with both communication IDs. */
static void put_ids(const struct run_live *c, uint8_t *data)
{
    iba_cm_rtu_set_localcommid(data, c->peer);
    iba_cm_rtu_set_remotecommid(data, c->id[1]);
}

static void fill(struct run_player *p, uint16_t message, struct run_live *c, bool to_device, uint8_t *data)
{
    switch (message) {
    case IBA_CM_ID_REQ: fill_req(p, c, to_device, data); return;
    case IBA_CM_ID_SIDR_REQ: fill_sidr_req(c, data); return;
    case IBA_CM_ID_SIDR_REP: fill_sidr_rep(c, data); return;
    case IBA_CM_ID_REP: fill_rep(c, data); break;
    case IBA_CM_ID_LAP: fill_lap(p, c, to_device, data); break;
    case IBA_CM_ID_DREQ: iba_cm_dreq_set_remoteqpn(data, c->device_qpn); break;
    case IBA_CM_ID_REJ: iba_cm_rej_set_reason(data, IBA_CM_REJ_CONSUMER); break;
    case IBA_CM_ID_MRA: iba_cm_mra_set_servicetimeout(data, TIMEOUT); break;
    default: break;
    }
    put_ids(c, data);
}

static void put(const struct run_player *p, const struct ibc_arg *a, uint8_t *layout)
{
    static const struct run_context none;
    const struct ibc_value *v = &a->v[0];

    if (v->kind == IBC_V_BYTES)
        memcpy(layout + a->field->at / 8, v->bytes, v->n_bytes);
    else
        iba_field_put(a->field, layout, run_value(p, v, &none));
}

void run_cm_fill(struct run_player *p, const struct ibc_step *s, struct run_live *c, uint8_t mad[IBA_MAD_BYTES])
{
    const bool to_device = s->kind == IBC_S_send;

    memset(mad, 0, IBA_MAD_BYTES);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_CM);
    iba_madhdr_set_classversion(mad, 2);
    iba_madhdr_set_method(mad, 3);
    iba_madhdr_set_attributeid(mad, s->message);
    iba_madhdr_set_transactionid(mad, c->tid + (to_device && begins(s->message)));
    fill(p, s->message, c, to_device, mad + IBA_BYTES_madhdr);
    for (unsigned i = 0; i < s->n_arg; i++)
        if (s->arg[i].key == IBC_K_FIELD && s->arg[i].hdr == IBC_H_MAD)
            put(p, &s->arg[i], mad + s->arg[i].at);
}

void run_cm_sent(struct run_live *c, const uint8_t *mad)
{
    if (begins(message_of(mad)))
        c->tid = iba_madhdr_transactionid(mad);
}

/* ---- what came ---- */

void run_cm_learn(struct run_live *c, const uint8_t *mad)
{
    const uint8_t *data = mad + IBA_BYTES_madhdr;
    const uint16_t message = message_of(mad);

    if (begins(message))
        c->tid = iba_madhdr_transactionid(mad);
    if (message == IBA_CM_ID_REQ || message == IBA_CM_ID_REP)
        c->device_qpn = message == IBA_CM_ID_REQ ? iba_cm_req_localqpn(data) : iba_cm_rep_localqpn(data);
    if (message != IBA_CM_ID_REJ && message != IBA_CM_ID_SIDR_REP) /* these may name no ID of the device's */
        c->id[1] = iba_cm_rtu_localcommid(data), c->known = true;
}

/* The one that it names by the tester's ID, or by its own; else the first. */
struct run_live *run_cm_owner(struct run_player *p, const struct run_packet *k)
{
    const struct iba_view *v = &k->view;
    struct run_live *first = NULL, *own = NULL;

    if (!iba_view_has_bth(v) || iba_bth_destqp(iba_view_bth(v)) != 1 || v->payload_len != IBA_MAD_BYTES)
        return NULL;
    const uint8_t *mad = v->wire + v->payload_at, *data = mad + IBA_BYTES_madhdr;
    const uint16_t message = message_of(mad);
    const uint32_t remote = message == IBA_CM_ID_SIDR_REP ? iba_cm_sidr_rep_requestid(data)
                            : message == IBA_CM_ID_REQ || message == IBA_CM_ID_SIDR_REQ ? 0
                                                                                        : iba_cm_rtu_remotecommid(data);
    for (unsigned i = 0; i < p->play->n_object; i++) {
        struct run_live *c = &p->live[i];
        if (c->kind != IBC_O_cm || !c->made)
            continue;
        if (remote == c->peer)
            return c;
        first = first ? first : c;
        if (!own && c->known && iba_cm_rtu_localcommid(data) == c->id[1])
            own = c;
    }
    return own ? own : first;
}

static bool bytes_fit(const struct ibc_value *v, const uint8_t *is, size_t n)
{
    bool fits = v->n_bytes <= n && memcmp(is, v->bytes, v->n_bytes) == 0;

    for (size_t i = v->n_bytes; fits && i < n; i++)
        fits = is[i] == 0;
    return fits != v->negated;
}

static bool field_fits(struct run_player *p, const struct ibc_arg *a, const uint8_t *layout, struct run_difference *d)
{
    static const struct run_context none;
    const size_t n = a->field->bits / 8u;
    const uint8_t *is = layout + a->field->at / 8;

    if (a->v[0].kind == IBC_V_BYTES
            ? bytes_fit(&a->v[0], is, n)
            : a->v[0].kind == IBC_V_ANY || run_fits(p, a, iba_field_get(a->field, layout), &none))
        return true;
    run_show_wanted(p, a, IBC_H_MAD, a->field, &none, d->expected, sizeof d->expected);
    if (a->v[0].kind == IBC_V_BYTES)
        run_show_bytes(IBC_H_MAD, a->field, is, n, d->got, sizeof d->got);
    else
        run_show_field(IBC_H_MAD, a->field, iba_field_get(a->field, layout), d->got, sizeof d->got);
    return false;
}

bool run_cm_matches(struct run_player *p, const struct ibc_step *s, const uint8_t *mad, struct run_difference *d)
{
    const struct iba_mad_attr *is = iba_mad_attr(IBA_CLASS_CM, message_of(mad));

    if (message_of(mad) != s->message || iba_madhdr_mgmtclass(mad) != IBA_CLASS_CM || iba_madhdr_method(mad) != 3 ||
        iba_madhdr_classversion(mad) != 2 || iba_madhdr_baseversion(mad) != 1) {
        snprintf(d->expected, sizeof d->expected, "%s of class 7 version 2, method Send",
                 iba_mad_attr(IBA_CLASS_CM, s->message)->name);
        snprintf(d->got, sizeof d->got, "%s of class %u version %u, method %u", is ? is->name : "unknown message",
                 iba_madhdr_mgmtclass(mad), iba_madhdr_classversion(mad), iba_madhdr_method(mad));
        return false;
    }
    for (unsigned i = 0; i < s->n_arg; i++)
        if (s->arg[i].key == IBC_K_FIELD && s->arg[i].hdr == IBC_H_MAD &&
            !field_fits(p, &s->arg[i], mad + s->arg[i].at, d))
            return false;
    return true;
}
