/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager of the device's system, by librdmacm. Its user chooses a port and private data. The system
 * itself chooses the service ID, the IP CM header before the private data (annex A11), timers, PSNs and
 * communication IDs. The user names queue pairs without creating them, and queries their attributes. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "verbs_device.h"

#define QKEY 0x01234567u /* RDMA_UDP_QKEY: that of each queue pair of a datagram service */
enum { PORT = 17042, IP_HEADER = IBA_BYTES_ip_cm + IBA_BYTES_ip_cm6, RESOLVE_MS = 1000, NS_PER_MS = 1000000 };
enum { SIDR_REJECTED = 2 }; /* MD-80 */

/* service IDs of connections and of datagrams, without their ports */
static const struct space {
    uint64_t service;
    enum rdma_port_space space;
} spaces[2] = {{UINT64_C(0x01060000), RDMA_PS_TCP}, {UINT64_C(0x01110000), RDMA_PS_UDP}};

static bool is_in(uint64_t service, bool datagrams)
{
    return service >> 16 == spaces[datagrams].service >> 16;
}

/* ---- connections ---- */

static struct verbs_cm_conn *conn_of(struct verbs *v, uint32_t number)
{
    for (unsigned i = 0; i < VERBS_CMS; i++)
        if (v->cm.conn[i].id && v->cm.conn[i].number == number)
            return &v->cm.conn[i];
    return NULL;
}

static struct verbs_cm_conn *conn_with(struct verbs *v, const struct rdma_cm_id *id)
{
    for (unsigned i = 0; i < VERBS_CMS; i++)
        if (v->cm.conn[i].id == id)
            return &v->cm.conn[i];
    return NULL;
}

static struct verbs_cm_conn *conn_new(struct verbs *v, struct rdma_cm_id *id)
{
    struct verbs_cm_conn *c = conn_with(v, NULL);

    if (c)
        *c = (struct verbs_cm_conn){.id = id, .number = ++v->cm.numbers, .latest = VERBS_CM_NOTHING};
    return c;
}

static int conn_free(struct verbs_cm_conn *c)
{
    struct rdma_cm_id *id = c->id;

    *c = (struct verbs_cm_conn){0};
    return rdma_destroy_id(id);
}

bool verbs_cm_destroy_all(struct verbs *v)
{
    bool good = true;

    for (unsigned i = 0; i < VERBS_CMS; i++)
        if (v->cm.conn[i].id)
            good &= conn_free(&v->cm.conn[i]) == 0;
    if (v->cm.channel)
        rdma_destroy_event_channel(v->cm.channel);
    v->cm.channel = NULL;
    v->cm.n_event = 0;
    return good;
}

bool verbs_cm_exists(struct verbs *v)
{
    struct rdma_event_channel *channel = v->links >> IBC_LINK_ib_local & 1 ? NULL : rdma_create_event_channel();

    if (channel)
        rdma_destroy_event_channel(channel);
    return channel;
}

enum ibc_rc verbs_cm_open(struct ibc_target *t, unsigned d)
{
    struct verbs *v = verbs_of(t);

    (void)d;
    t->cm_service = spaces[false].service + PORT;
    if (v->cm.channel)
        return IBC_OK;
    v->cm.channel = rdma_create_event_channel();
    if (v->cm.channel && fcntl(v->cm.channel->fd, F_SETFL, O_NONBLOCK) == 0)
        return IBC_OK;
    return verbs_answer(v, errno);
}

/* ---- events ---- */

static void put_private(uint8_t *mad, size_t skip, const void *bytes, size_t n)
{
    size_t at, room;

    if (!bytes || !iba_cm_private_place(iba_madhdr_attributeid(mad), &at, &room))
        return;
    memcpy(mad + at + skip, bytes, n < room - skip ? n : room - skip);
}

static void put_header(uint8_t *mad, uint16_t attribute)
{
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_CM);
    iba_madhdr_set_classversion(mad, 2);
    iba_madhdr_set_method(mad, 3);
    iba_madhdr_set_attributeid(mad, attribute);
}

/* Writes the message of an event, with the fields that librdmacm shows. */
static void message(struct iba_cm_event *out, uint16_t attribute, const struct rdma_cm_event *e)
{
    const struct rdma_conn_param *p = &e->param.conn;
    uint8_t *mad = out->mad, *data = mad + IBA_BYTES_madhdr;

    put_header(mad, attribute);
    if (attribute == IBA_CM_ID_REQ) {
        iba_cm_req_set_localqpn(data, p->qp_num);
        /* librdmacm has exchanged the two depths, as the receiver of the REQ counts them */
        iba_cm_req_set_initdepth(data, p->responder_resources);
        iba_cm_req_set_responderres(data, p->initiator_depth);
        iba_cm_req_set_retrcount(data, p->retry_count);
        iba_cm_req_set_rnrretrcount(data, p->rnr_retry_count);
    } else if (attribute == IBA_CM_ID_REP) {
        iba_cm_rep_set_localqpn(data, p->qp_num);
        iba_cm_rep_set_initdepth(data, p->responder_resources);
        iba_cm_rep_set_respres(data, p->initiator_depth);
        iba_cm_rep_set_rnrretrcount(data, p->rnr_retry_count);
    } else if (attribute == IBA_CM_ID_REJ)
        iba_cm_rej_set_reason(data, (uint16_t)e->status);
    put_private(mad, attribute == IBA_CM_ID_REQ ? IP_HEADER : 0, p->private_data, p->private_data_len);
}

static const struct {
    /* enum iba_cm_event_kind on either side; NONE: the tester does not get the event */
    uint8_t event, active, passive;
    uint16_t message; /* 0: none */
} kinds[] = {
    {RDMA_CM_EVENT_CONNECT_REQUEST, IBA_CME_NONE, IBA_CME_REQ, IBA_CM_ID_REQ},
    {RDMA_CM_EVENT_CONNECT_RESPONSE, IBA_CME_REP, IBA_CME_NONE, IBA_CM_ID_REP},
    {RDMA_CM_EVENT_ESTABLISHED, IBA_CME_ESTABLISHED, IBA_CME_ESTABLISHED, IBA_CM_ID_RTU},
    {RDMA_CM_EVENT_REJECTED, IBA_CME_REJ, IBA_CME_REJ, IBA_CM_ID_REJ},
    {RDMA_CM_EVENT_UNREACHABLE, IBA_CME_UNREACHABLE, IBA_CME_UNCONFIRMED, 0},
    {RDMA_CM_EVENT_CONNECT_ERROR, IBA_CME_UNREACHABLE, IBA_CME_UNCONFIRMED, 0},
    {RDMA_CM_EVENT_TIMEWAIT_EXIT, IBA_CME_TIMEWAIT_EXIT, IBA_CME_TIMEWAIT_EXIT, 0},
};

/* Translates a disconnection: librdmacm has one event for a DREQ, a DREP, and a DREQ that nobody answered. */
static void disconnected(const struct verbs_cm_conn *c, const struct rdma_cm_event *e, struct iba_cm_event *out)
{
    out->kind = e->status != 0 ? IBA_CME_UNRELEASED : c->disconnected ? IBA_CME_DREP : IBA_CME_DREQ;
    if (out->kind != IBA_CME_UNRELEASED)
        message(out, out->kind == IBA_CME_DREQ ? IBA_CM_ID_DREQ : IBA_CM_ID_DREP, e);
}

/* Translates an event of a datagram service (SIDR). librdmacm reports a refusing SIDR_REP and a timeout as one
 * event: the status of a refusal is positive. */
static void datagram(const struct rdma_cm_event *e, struct iba_cm_event *out)
{
    const struct rdma_ud_param *p = &e->param.ud;
    uint8_t *data = out->mad + IBA_BYTES_madhdr;

    if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
        out->kind = IBA_CME_SIDR_REQ;
        put_header(out->mad, IBA_CM_ID_SIDR_REQ);
        iba_ip_cm_set_sport(data + IBA_BYTES_cm_sidr_req, ntohs(rdma_get_dst_port(e->id)));
        put_private(out->mad, IP_HEADER, p->private_data, p->private_data_len);
    } else if (e->event == RDMA_CM_EVENT_ESTABLISHED || (e->event == RDMA_CM_EVENT_UNREACHABLE && e->status > 0)) {
        out->kind = IBA_CME_SIDR_REP;
        out->reason = (uint16_t)e->status;
        put_header(out->mad, IBA_CM_ID_SIDR_REP);
        iba_cm_sidr_rep_set_status(data, (uint8_t)e->status);
        iba_cm_sidr_rep_set_qpn(data, p->qp_num);
        iba_cm_sidr_rep_set_qkey(data, p->qkey);
        put_private(out->mad, 0, p->private_data, p->private_data_len);
    } else if (e->event == RDMA_CM_EVENT_UNREACHABLE)
        out->kind = IBA_CME_SIDR_UNANSWERED;
}

static void connection(const struct verbs_cm_conn *c, const struct rdma_cm_event *e, struct iba_cm_event *out)
{
    if (e->event == RDMA_CM_EVENT_DISCONNECTED)
        disconnected(c, e, out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].event == e->event) {
            out->kind = c->active ? kinds[i].active : kinds[i].passive;
            if (kinds[i].message)
                message(out, kinds[i].message, e);
        }
    if (out->kind == IBA_CME_REJ)
        out->reason = (uint16_t)e->status;
}

static void report(struct verbs *v, const struct verbs_cm_conn *c, const struct rdma_cm_event *e)
{
    struct iba_cm_event out = {.id = c->number};

    if (e->id->ps == RDMA_PS_UDP)
        datagram(e, &out);
    else
        connection(c, e, &out);
    if (out.kind != IBA_CME_NONE && v->cm.n_event < VERBS_CM_EVENTS)
        v->cm.event[v->cm.n_event++] = out;
}

/* Takes all events of the system. Each is acknowledged at once, since a connection with unacknowledged events
 * cannot be destroyed. */
static void take_events(struct verbs *v)
{
    struct rdma_cm_event *e;

    while (rdma_get_cm_event(v->cm.channel, &e) == 0) {
        const bool begins = e->event == RDMA_CM_EVENT_CONNECT_REQUEST;
        struct verbs_cm_conn *c = begins ? conn_new(v, e->id) : conn_with(v, e->id);
        struct rdma_cm_id *refused = begins && !c ? e->id : NULL;
        if (c) {
            c->latest = (uint8_t)e->event;
            report(v, c, e);
        }
        (void)rdma_ack_cm_event(e);
        if (refused)
            (void)rdma_destroy_id(refused);
    }
}

enum ibc_rc verbs_cm_event(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n)
{
    struct verbs *v = verbs_of(t);

    (void)d;
    *n = 0;
    if (!v->cm.channel)
        return IBC_OK;
    take_events(v);
    if (v->cm.n_event == 0)
        return IBC_OK;
    *n = 1;
    *e = v->cm.event[0];
    memmove(v->cm.event, v->cm.event + 1, --v->cm.n_event * sizeof *v->cm.event);
    return IBC_OK;
}

/* ---- addresses ---- */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static union address address_of(const struct verbs *v, const struct ibc_address *a, uint16_t port)
{
    union address out = {0};

    if (v->link == IBC_LINK_roce2_ipv4) {
        out.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(a->ipv4)}};
    } else {
        out.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = v->ifindex};
        memcpy(&out.v6.sin6_addr, a->ipv6, sizeof a->ipv6);
    }
    return out;
}

/* Waits for one step of the path to the peer. */
static bool resolved(struct verbs *v, const struct verbs_cm_conn *c, enum rdma_cm_event_type want)
{
    const uint64_t until = v->t.ops->now(&v->t) + (uint64_t)RESOLVE_MS * NS_PER_MS;
    struct pollfd fd = {.fd = v->cm.channel->fd, .events = POLLIN};

    while (c->latest != (uint8_t)want) {
        if (c->latest == RDMA_CM_EVENT_ADDR_ERROR || c->latest == RDMA_CM_EVENT_ROUTE_ERROR ||
            v->t.ops->now(&v->t) > until)
            return false;
        (void)poll(&fd, 1, 1);
        take_events(v);
    }
    return true;
}

/* ---- verbs ---- */

/* Returns the length of the private data that the user gives, without zeros at the end, which the system adds. */
static uint8_t private_of(const struct ibc_cm_call *call, const uint8_t **bytes)
{
    const uint16_t attribute = iba_madhdr_attributeid(call->mad);
    const size_t skip = attribute == IBA_CM_ID_REQ || attribute == IBA_CM_ID_SIDR_REQ ? IP_HEADER : 0;
    size_t at = 0, n = 0;

    (void)iba_cm_private_place(attribute, &at, &n);
    *bytes = call->mad + at + skip;
    for (n -= skip; n > 0 && (*bytes)[n - 1] == 0;)
        n--;
    return (uint8_t)n;
}

static enum ibc_rc listen_for(struct verbs *v, const struct ibc_cm_call *call)
{
    const uint64_t service = iba_cm_req_serviceid(call->mad + IBA_BYTES_madhdr);
    union address own = address_of(v, &v->t.device[0], (uint16_t)service);
    struct rdma_cm_id *id;

    if (!is_in(service, call->datagrams) || call->compare_n > 0)
        return IBC_UNSUPPORTED;
    if (rdma_create_id(v->cm.channel, &id, NULL, spaces[call->datagrams].space) != 0)
        return verbs_answer(v, errno);
    if (rdma_bind_addr(id, &own.any) != 0 || rdma_listen(id, (int)call->backlog) != 0 || !conn_new(v, id)) {
        const int e = errno;
        (void)rdma_destroy_id(id);
        return e == EADDRINUSE ? verbs_refused(v, "cm_service_busy") : verbs_answer(v, e);
    }
    conn_with(v, id)->listens = true;
    return IBC_OK;
}

static enum ibc_rc unlisten(struct verbs *v)
{
    for (unsigned i = 0; i < VERBS_CMS; i++)
        if (v->cm.conn[i].id && v->cm.conn[i].listens)
            return verbs_answer(v, conn_free(&v->cm.conn[i]));
    return verbs_refused(v, "cm_no_service");
}

static uint64_t service_of(const struct ibc_cm_call *call)
{
    const uint8_t *data = call->mad + IBA_BYTES_madhdr;

    return call->verb == IBC_CM_resolve ? iba_cm_sidr_req_serviceid(data) : iba_cm_req_serviceid(data);
}

/* Fills in the parameters that the user chooses; for a SIDR_REQ only the private data. */
static void fill_params(const struct ibc_cm_call *call, struct rdma_conn_param *p)
{
    const uint8_t *data = call->mad + IBA_BYTES_madhdr, *bytes;

    *p = (struct rdma_conn_param){.private_data_len = private_of(call, &bytes)};
    p->private_data = bytes;
    if (call->verb == IBC_CM_resolve)
        return;
    p->responder_resources = (uint8_t)iba_cm_req_responderres(data);
    p->initiator_depth = (uint8_t)iba_cm_req_initdepth(data);
    p->flow_control = (uint8_t)iba_cm_req_e2eflowctrl(data);
    p->retry_count = (uint8_t)iba_cm_req_retrcount(data);
    p->rnr_retry_count = (uint8_t)iba_cm_req_rnrretrcount(data);
    p->qp_num = (uint32_t)iba_cm_req_localqpn(data);
}

static int ask(struct verbs *v, struct verbs_cm_conn *c, const struct ibc_cm_call *call)
{
    union address own = address_of(v, &v->t.device[0], 0);
    union address peer = address_of(v, &v->t.tester, (uint16_t)service_of(call));
    struct rdma_conn_param p;

    fill_params(call, &p);
    c->active = true;
    if (rdma_resolve_addr(c->id, &own.any, &peer.any, RESOLVE_MS) != 0)
        return errno;
    if (!resolved(v, c, RDMA_CM_EVENT_ADDR_RESOLVED))
        return EHOSTUNREACH;
    if (rdma_resolve_route(c->id, RESOLVE_MS) != 0)
        return errno;
    if (!resolved(v, c, RDMA_CM_EVENT_ROUTE_RESOLVED))
        return EHOSTUNREACH;
    return rdma_connect(c->id, &p) == 0 ? 0 : errno;
}

static enum ibc_rc connect_to(struct verbs *v, struct ibc_cm_call *call)
{
    struct rdma_cm_id *id;
    struct verbs_cm_conn *c;
    int e;

    const bool datagrams = call->verb == IBC_CM_resolve;

    if (!is_in(service_of(call), datagrams) || call->both)
        return IBC_UNSUPPORTED;
    if (rdma_create_id(v->cm.channel, &id, NULL, spaces[datagrams].space) != 0)
        return verbs_answer(v, errno);
    c = conn_new(v, id);
    if (!c) {
        (void)rdma_destroy_id(id);
        return verbs_refused(v, "cm_full");
    }
    call->id = c->number;
    e = ask(v, c, call);
    if (e != 0)
        (void)conn_free(c);
    return verbs_answer(v, e);
}

static int accept_it(const struct verbs_cm_conn *c, const struct ibc_cm_call *call)
{
    const uint8_t *data = call->mad + IBA_BYTES_madhdr, *bytes;
    struct rdma_conn_param p = {.private_data_len = private_of(call, &bytes),
                                .responder_resources = (uint8_t)iba_cm_rep_respres(data),
                                .initiator_depth = (uint8_t)iba_cm_rep_initdepth(data),
                                .flow_control = (uint8_t)iba_cm_rep_e2eflowctrl(data),
                                .rnr_retry_count = (uint8_t)iba_cm_rep_rnrretrcount(data),
                                .srq = (uint8_t)iba_cm_rep_srq(data),
                                .qp_num = (uint32_t)iba_cm_rep_localqpn(data)};

    p.private_data = bytes;
    return rdma_accept(c->id, &p);
}

/* Answers a SIDR_REQ with a queue pair, or refuses it. */
static int resolve_it(const struct verbs_cm_conn *c, const struct ibc_cm_call *call)
{
    const uint8_t *data = call->mad + IBA_BYTES_madhdr, *bytes;
    struct rdma_conn_param p = {.private_data_len = private_of(call, &bytes),
                                .qp_num = (uint32_t)iba_cm_sidr_rep_qpn(data)};

    p.private_data = bytes;
    return iba_cm_sidr_rep_status(data) == 0 ? rdma_accept(c->id, &p) : rdma_reject(c->id, bytes, p.private_data_len);
}

/* Whether librdmacm can send this answer: it offers only one status of a refusal, and only one Q_Key. */
static bool can_resolve(const struct ibc_cm_call *call)
{
    const uint8_t *data = call->mad + IBA_BYTES_madhdr;
    const uint8_t status = (uint8_t)iba_cm_sidr_rep_status(data);

    return status == SIDR_REJECTED || (status == 0 && iba_cm_sidr_rep_qkey(data) == QKEY);
}

static enum ibc_rc call_on(struct verbs *v, struct verbs_cm_conn *c, const struct ibc_cm_call *call)
{
    const uint8_t *bytes;
    const uint8_t n = private_of(call, &bytes);
    int result;

    switch (call->verb) {
    case IBC_CM_accept: result = accept_it(c, call); break;
    case IBC_CM_reject:
        if (iba_cm_rej_reason(call->mad + IBA_BYTES_madhdr) != IBA_CM_REJ_CONSUMER)
            return IBC_UNSUPPORTED;
        result = rdma_reject(c->id, bytes, n);
        break;
    case IBC_CM_confirm: result = n > 0 ? EOPNOTSUPP : rdma_establish(c->id); break;
    case IBC_CM_resolved:
        if (!can_resolve(call))
            return IBC_UNSUPPORTED;
        result = resolve_it(c, call);
        break;
    case IBC_CM_established: result = rdma_notify(c->id, IBV_EVENT_COMM_EST); break;
    case IBC_CM_disconnect:
        result = n > 0 ? EOPNOTSUPP : rdma_disconnect(c->id);
        c->disconnected |= result == 0;
        break;
    case IBC_CM_abandon: result = conn_free(c); break;
    default: return IBC_UNSUPPORTED;
    }
    return result != 0 && errno == EINVAL ? verbs_refused(v, "cm_wrong_state") : verbs_answer(v, result);
}

enum ibc_rc verbs_cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *call)
{
    struct verbs *v = verbs_of(t);
    struct verbs_cm_conn *c;

    (void)d;
    if (!v->cm.channel)
        return IBC_UNSUPPORTED;
    take_events(v);
    if (call->verb == IBC_CM_listen)
        return listen_for(v, call);
    if (call->verb == IBC_CM_unlisten)
        return unlisten(v);
    if (call->verb == IBC_CM_connect || call->verb == IBC_CM_resolve)
        return connect_to(v, call);
    c = conn_of(v, call->id);
    return c ? call_on(v, c, call) : verbs_refused(v, "cm_no_connection");
}

enum ibc_rc verbs_cm_attributes(struct ibc_target *t, unsigned d, uint32_t id, enum iba_qp_state state,
                                struct iba_qp_attr *a)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_cm_conn *c = conn_of(v, id);
    struct ibv_qp_attr is = {.qp_state = (enum ibv_qp_state)state};
    int mask;
    enum ibc_rc rc;

    (void)d;
    if (!c)
        return verbs_refused(v, "cm_no_connection");
    rc = verbs_answer(v, rdma_init_qp_attr(c->id, &is, &mask));
    if (rc == IBC_OK)
        verbs_attributes_of(&is, a);
    return rc;
}
