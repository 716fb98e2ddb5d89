/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager's datagrams that the tester sends, and the comparison of those that arrive with the
 * expected ones. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/play.h"

#define SERVICE UINT64_C(0x1000000000000042)
#define TESTER_GUID UINT64_C(0x00c0ffee00000001)
#define FRESH UINT64_C(0x100)          /* difference between the GUIDs of two plays */
#define IP_PROTOCOL UINT64_C(0xff0000) /* bits of a service ID (MD-81) */
#define IP_UDP UINT64_C(0x110000)
#define QKEY 0x11111111u
#define IP_QKEY 0x01234567u /* RDMA_UDP_QKEY, the only Q_Key that librdmacm offers its users */
enum { TESTER_ID = 0x00c0de00, PLAY_BIT = 16, TICK_BITS = 20 };
enum { TIMEOUT = 14, ACK_TIMEOUT = 10, OUR_PSN = 0x000777, TESTER_PORT = 7174, HOPS = 64, DEPTH = 4, RETRIES = 2 };

static uint16_t message_of(const uint8_t *mad)
{
    return iba_madhdr_attributeid(mad);
}

/* Whether the message begins a transaction. All other messages belong to a transaction that has begun. */
static bool begins(uint16_t message)
{
    return message == IBA_CM_ID_REQ || message == IBA_CM_ID_DREQ || message == IBA_CM_ID_LAP ||
           message == IBA_CM_ID_SAP || message == IBA_CM_ID_SIDR_REQ;
}

bool run_cm_begins(const uint8_t *mad)
{
    return begins(message_of(mad));
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

static uint64_t service_of(const struct run_player *p)
{
    return p->t->cm_service ? p->t->cm_service : SERVICE;
}

/* An RDMA IP CM service of datagrams has the protocol number of UDP in its service ID; one of connections has that
 * of TCP (A11.4.1). */
static uint64_t datagram_service_of(const struct run_player *p)
{
    return p->t->cm_service ? (p->t->cm_service & ~IP_PROTOCOL) | IP_UDP : SERVICE;
}

static uint16_t port_of(const struct run_player *p, const struct run_live *c)
{
    return (uint16_t)(TESTER_PORT + (c - p->live));
}

/* A device remembers the connections of a play for a while (TimeWait). On real time each play therefore has its own
 * GUID, as if the tester were another host. */
static uint64_t guid_of(const struct run_player *p)
{
    return p->t->virtual_time ? TESTER_GUID : TESTER_GUID + FRESH * (p->began_at & UINT32_MAX);
}

/* On real time each play also has its own communication IDs: a message for the previous play may still come. */
uint32_t run_cm_peer(const struct run_player *p, uint32_t n)
{
    return TESTER_ID + n + (p->t->virtual_time ? 0 : (uint32_t)(p->began_at >> TICK_BITS << PLAY_BIT));
}

/* Writes the header of an RDMA IP CM service (annex A11), which comes before the private data. */
static void fill_ip_header(const struct run_player *p, const struct ibc_address *local,
                           const struct ibc_address *remote, uint16_t port, uint8_t *header)
{
    uint8_t *from = header + IBA_BYTES_ip_cm, *to = from + sizeof local->ipv6;

    iba_ip_cm_set_ipv(header, p->link == IBC_LINK_roce2_ipv4 ? 4 : 6);
    iba_ip_cm_set_sport(header, port);
    gid_of(p, local, from);
    gid_of(p, remote, to);
    if (p->link == IBC_LINK_roce2_ipv4) /* an IPv4 address comes after twelve bytes of zeros */
        from[10] = from[11] = to[10] = to[11] = 0;
}

/* `to_device`: the tester sends the REQ; otherwise the device's user asks the device to send one. */
static void fill_req(const struct run_player *p, const struct run_live *c, bool to_device, uint8_t *data)
{
    const struct ibc_address *local = to_device ? &p->t->tester : &p->t->device[0];
    const struct ibc_address *remote = to_device ? &p->t->device[0] : &p->t->tester;
    struct iba_cm_req req = {.localcommid = c->peer,
                             .serviceid = service_of(p),
                             .localcaguid = guid_of(p),
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
    if (p->t->cm_service && to_device)
        fill_ip_header(p, local, remote, TESTER_PORT, data + IBA_BYTES_cm_req);
}

static void fill_rep(const struct run_player *p, const struct run_live *c, uint8_t *data)
{
    const struct iba_cm_rep rep = {.localqpn = c->service_qpn,
                                   .startpsn = OUR_PSN,
                                   .respres = DEPTH,
                                   .initdepth = DEPTH,
                                   .tgtackdelay = ACK_TIMEOUT,
                                   .rnrretrcount = 7,
                                   .localcaguid = guid_of(p)};

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

static void fill_sidr_req(const struct run_player *p, const struct run_live *c, bool to_device, uint8_t *data)
{
    iba_cm_sidr_req_set_requestid(data, c->peer);
    iba_cm_sidr_req_set_pkey(data, 0xffff);
    iba_cm_sidr_req_set_serviceid(data, datagram_service_of(p));
    if (p->t->cm_service && to_device)
        fill_ip_header(p, &p->t->tester, &p->t->device[0], port_of(p, c), data + IBA_BYTES_cm_sidr_req);
}

static void fill_sidr_rep(const struct run_player *p, const struct run_live *c, uint8_t *data)
{
    iba_cm_sidr_rep_set_requestid(data, c->id[1]);
    iba_cm_sidr_rep_set_qpn(data, c->service_qpn);
    iba_cm_sidr_rep_set_serviceid(data, datagram_service_of(p));
    iba_cm_sidr_rep_set_qkey(data, p->t->cm_service ? IP_QKEY : QKEY);
}

bool run_cm_asks_for(const struct run_player *p, const struct run_live *c, const uint8_t *data)
{
    const uint32_t peer = iba_cm_sidr_req_requestid(data);

    return peer ? peer == c->peer : iba_ip_cm_sport(data + IBA_BYTES_cm_sidr_req) == port_of(p, c);
}

/* All messages except REQ, SIDR_REQ and SIDR_REP begin with both communication IDs. */
static void put_ids(const struct run_live *c, uint8_t *data)
{
    iba_cm_rtu_set_localcommid(data, c->peer);
    iba_cm_rtu_set_remotecommid(data, c->id[1]);
}

static void fill(struct run_player *p, uint16_t message, struct run_live *c, bool to_device, uint8_t *data)
{
    switch (message) {
    case IBA_CM_ID_REQ: fill_req(p, c, to_device, data); return;
    case IBA_CM_ID_SIDR_REQ: fill_sidr_req(p, c, to_device, data); return;
    case IBA_CM_ID_SIDR_REP: fill_sidr_rep(p, c, data); return;
    case IBA_CM_ID_REP: fill_rep(p, c, data); break;
    case IBA_CM_ID_LAP: fill_lap(p, c, to_device, data); break;
    case IBA_CM_ID_DREQ: iba_cm_dreq_set_remoteqpn(data, c->device_qpn); break;
    case IBA_CM_ID_REJ: iba_cm_rej_set_reason(data, IBA_CM_REJ_CONSUMER); break;
    case IBA_CM_ID_MRA: iba_cm_mra_set_servicetimeout(data, TIMEOUT); break;
    default: break;
    }
    put_ids(c, data);
}

/* Returns the length in bytes of the IP CM header, with which the private data of a request begin. */
static size_t ip_header(const struct run_player *p, uint16_t message, const struct ibc_arg *a)
{
    const unsigned bytes = message == IBA_CM_ID_REQ        ? IBA_CM_REQ_BYTES
                           : message == IBA_CM_ID_SIDR_REQ ? IBA_CM_SIDR_REQ_BYTES
                                                           : 0;

    return p->t->cm_service && bytes && a->field->bits / 8u == bytes ? IBA_BYTES_ip_cm + IBA_BYTES_ip_cm6 : 0;
}

static void put(const struct run_player *p, uint16_t message, const struct ibc_arg *a, uint8_t *layout)
{
    static const struct run_context none;
    const struct ibc_value *v = &a->v[0];
    const size_t skip = ip_header(p, message, a), room = a->field->bits / 8u - skip;

    if (v->kind == IBC_V_BYTES)
        memcpy(layout + a->field->at / 8 + skip, v->bytes, v->n_bytes < room ? v->n_bytes : room);
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
    if (run_has(s, IBC_K_datagrams))
        iba_cm_req_set_serviceid(mad + IBA_BYTES_madhdr, datagram_service_of(p));
    for (unsigned i = 0; i < s->n_arg; i++)
        if (s->arg[i].key == IBC_K_FIELD && s->arg[i].hdr == IBC_H_MAD)
            put(p, s->message, &s->arg[i], mad + s->arg[i].at);
}

void run_cm_sent(struct run_live *c, const uint8_t *mad)
{
    if (begins(message_of(mad)))
        c->tid = iba_madhdr_transactionid(mad);
}

/* ---- what came ---- */

/* Whether the message always names the communication ID of its sender. */
static bool names_sender(uint16_t message)
{
    return message != IBA_CM_ID_REJ && message != IBA_CM_ID_SIDR_REP;
}

/* The first message that the device sends shows its communication ID, where its user does not know it. */
static void learn_id(struct run_live *c, const uint8_t *mad)
{
    if (!c->known && names_sender(message_of(mad)))
        c->id[1] = iba_cm_rtu_localcommid(mad + IBA_BYTES_madhdr), c->known = true;
}

void run_cm_learn(struct run_live *c, const uint8_t *mad)
{
    const uint8_t *data = mad + IBA_BYTES_madhdr;
    const uint16_t message = message_of(mad);

    if (begins(message))
        c->tid = iba_madhdr_transactionid(mad);
    if (message == IBA_CM_ID_REQ)
        c->ack_timeout = iba_cm_req_prim_localacktout(data);
    if (message == IBA_CM_ID_REQ || message == IBA_CM_ID_REP)
        c->device_qpn = message == IBA_CM_ID_REQ ? iba_cm_req_localqpn(data) : iba_cm_rep_localqpn(data);
    if (names_sender(message))
        c->id[1] = iba_cm_rtu_localcommid(data), c->known = true;
}

/* Returns the MAD in the packet; NULL: the packet is no datagram to QP1. */
static const uint8_t *datagram_of(const struct run_packet *k)
{
    const struct iba_view *v = &k->view;

    if (!iba_view_has_bth(v) || iba_bth_destqp(iba_view_bth(v)) != 1 || v->payload_len != IBA_MAD_BYTES)
        return NULL;
    return v->wire + v->payload_at;
}

/* Returns the communication ID of the receiver; 0: the message has none. */
static uint32_t receiver_of(const uint8_t *mad)
{
    const uint8_t *data = mad + IBA_BYTES_madhdr;

    switch (message_of(mad)) {
    case IBA_CM_ID_REQ:
    case IBA_CM_ID_SIDR_REQ: return 0;
    case IBA_CM_ID_SIDR_REP: return iba_cm_sidr_rep_requestid(data);
    default: return iba_cm_rtu_remotecommid(data);
    }
}

bool run_cm_is_late(const struct run_player *p, const struct run_packet *k)
{
    enum { OF_A_PLAY = 0xff00 };
    const uint8_t *mad = p->t->virtual_time ? NULL : datagram_of(k);
    const uint32_t id = mad && iba_madhdr_mgmtclass(mad) == IBA_CLASS_CM ? receiver_of(mad) : 0;

    return (id & OF_A_PLAY) == (TESTER_ID & OF_A_PLAY) && id >> PLAY_BIT != run_cm_peer(p, 0) >> PLAY_BIT;
}

/* Returns the conversation that the message names by the tester's communication ID or the device's; if it names
 * none, the first conversation. */
struct run_live *run_cm_owner(struct run_player *p, const struct run_packet *k)
{
    const uint8_t *mad = datagram_of(k), *data = mad ? mad + IBA_BYTES_madhdr : NULL;
    struct run_live *first = NULL, *own = NULL;

    if (!mad)
        return NULL;
    const uint16_t message = message_of(mad);
    const uint32_t remote = receiver_of(mad);
    for (unsigned i = 0; i < p->play->n_object; i++) {
        struct run_live *c = &p->live[i];
        if (c->kind != IBC_O_cm || !c->made)
            continue;
        if (remote == c->peer)
            return c;
        if (!c->known && message == IBA_CM_ID_REQ && iba_cm_req_localqpn(data) == c->device_qpn)
            own = own ? own : c;
        first = first ? first : c;
        if (!own && c->known && iba_cm_rtu_localcommid(data) == c->id[1])
            own = c;
    }
    return own ? own : first;
}

/* A pattern that fills the field has the length of the field. */
static bool bytes_fit(const struct ibc_value *v, const uint8_t *is, size_t n, size_t skipped)
{
    const size_t n_bytes = v->n_bytes == n + skipped ? n : v->n_bytes;
    bool fits = n_bytes <= n && memcmp(is, v->bytes, n_bytes) == 0;

    for (size_t i = n_bytes; fits && i < n; i++)
        fits = is[i] == 0;
    return fits != v->negated;
}

static bool field_fits(struct run_player *p, uint16_t message, const struct ibc_arg *a, const uint8_t *layout,
                       struct run_difference *d)
{
    static const struct run_context none;
    const size_t skip = ip_header(p, message, a), n = a->field->bits / 8u - skip;
    const uint8_t *is = layout + a->field->at / 8 + skip;

    if (a->v[0].kind == IBC_V_BYTES
            ? bytes_fit(&a->v[0], is, n, skip)
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
    if (p->t->cm_service && s->kind == IBC_S_expect)
        learn_id(run_live(p, s), mad);
    for (unsigned i = 0; i < s->n_arg; i++)
        if (s->arg[i].key == IBC_K_FIELD && s->arg[i].hdr == IBC_H_MAD &&
            !field_fits(p, s->message, &s->arg[i], mad + s->arg[i].at, d))
            return false;
    return true;
}
