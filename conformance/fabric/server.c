/* SPDX-License-Identifier: BSD-2-Clause */
#include "server.h"
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mad_kind.h"

enum { PERMISSIVE = 0xffff, NOBODY = -1, CLIENT_SHIFT = 48 };
enum { NEAR_NS = 1000000 };      /* packets on wires arrive at once if they would arrive within this time */
enum { ANSWER_NS = 1000000000 }; /* a program answers a request within this time, or not at all */

static bool is_response(const uint8_t *mad)
{
    return (iba_madhdr_method(mad) & IBA_METHOD_RESPONSE) != 0;
}

static bool wants_answer(const uint8_t *mad)
{
    return !mad_is_answer(mad) && iba_madhdr_method(mad) != IBA_METHOD_SEND;
}

static struct iba_node_port *port_of(struct server *s, const struct server_client *c)
{
    return &subnet_node(s->subnet, c->node)->n.port[c->port];
}

/* ---- clients ---- */

static void leave(struct server *s, unsigned i)
{
    struct server_client *c = &s->client[i];

    if (!c->used)
        return;
    if (c->issm)
        iba_node_set_issm(&subnet_node(s->subnet, c->node)->n, c->port, false, subnet_now(s->subnet));
    c->used = c->issm = false;
    for (size_t k = 0; k < s->n_pending; k++)
        if (s->pending[k].used && s->pending[k].client == i)
            s->pending[k].used = false;
        else if (s->pending[k].used && s->pending[k].by == (int8_t)i)
            s->pending[k].by = NOBODY;
    (void)sockets_part(&s->sockets, i);
    subnet_touch(s->subnet, c->node);
}

/* Sends a request to client i. If the socket of its program is gone, the program has died without a message, and
 * the client leaves. */
static bool give(struct server *s, unsigned i, const struct ibsim_request *r)
{
    if (send(s->sockets.client[i], r, sizeof *r, 0) == (ssize_t)sizeof *r)
        return true;
    if (errno == ECONNREFUSED || errno == ENOTCONN || errno == ENOENT)
        leave(s, i);
    return false;
}

/* Finds the place of a client: the node that it names, or the first adapter, and there the first port that has a
 * cable. */
static bool find_place(struct server *s, const char *name, struct server_client *c)
{
    int32_t node = subnet_find(s->subnet, name);

    for (size_t i = 0; !*name && node < 0 && i < subnet_nodes(s->subnet); i++)
        if (subnet_node(s->subnet, i)->n.cfg.type == IBA_NODE_CA)
            node = (int32_t)i;
    if (node < 0)
        return false;
    c->node = (size_t)node;
    c->port = 0;
    if (!iba_node_is_switch(&subnet_node(s->subnet, c->node)->n)) {
        const struct subnet_node *n = subnet_node(s->subnet, c->node);
        c->port = 1;
        while (c->port < n->n.cfg.n_port && n->end[c->port].node < 0)
            c->port++;
        c->port = n->end[c->port].node < 0 ? 1 : c->port;
    }
    return true;
}

static bool join(struct server *s, struct ibsim_ctl *m)
{
    struct ibsim_connect d;
    unsigned i = 0;

    memcpy(&d, m->data, sizeof d);
    d.node[IBSIM_NODE_NAME - 1] = '\0';
    while (i < IBSIM_CLIENTS && s->client[i].used)
        i++;
    if (i == IBSIM_CLIENTS || !find_place(s, d.node, &s->client[i]))
        return false;
    if (!sockets_join(&s->sockets, i, d.id))
        return false;
    s->client[i].used = true;
    s->client[i].life++;
    s->client[i].issm = false;
    if (d.issm) {
        s->client[i].issm = true;
        iba_node_set_issm(&subnet_node(s->subnet, s->client[i].node)->n, s->client[i].port, true,
                          subnet_now(s->subnet));
    }
    d.id = i;
    (void)snprintf(d.node, sizeof d.node, "%.*s", IBSIM_NODE_NAME - 1,
                   subnet_node(s->subnet, s->client[i].node)->from->id);
    memcpy(m->data, &d, sizeof d);
    return true;
}

/* ---- control messages about a client's port ---- */

static void answer_port(struct server *s, const struct server_client *c, uint8_t *data)
{
    const struct iba_portinfo *i = &port_of(s, c)->info;
    const struct ibsim_port p = {.lid = i->lid, .state = i->portstate};

    memcpy(data, &p, sizeof p);
}

static void answer_vendor(struct server *s, const struct server_client *c, uint8_t *data)
{
    const struct iba_node_config *n = &subnet_node(s->subnet, c->node)->n.cfg;
    const struct ibsim_vendor v = {.vendor = n->vendor, .part = n->device, .hardware = n->revision, .firmware = 1};

    memcpy(data, &v, sizeof v);
}

static void put64(uint8_t *at, uint64_t v)
{
    iba_bits_put(at, 0, 64, v);
}

static void answer_gid(struct server *s, const struct server_client *c, uint8_t *data)
{
    put64(data, port_of(s, c)->info.guid);
    put64(data + sizeof(uint64_t), port_of(s, c)->guid[0]);
}

static void answer_guid(struct server *s, const struct server_client *c, uint8_t *data)
{
    put64(data, subnet_node(s->subnet, c->node)->n.cfg.node_guid);
}

/* Answers with the NodeInfo of the node's agent, since programs request it before any link is up. */
static void answer_nodeinfo(struct server *s, const struct server_client *c, uint8_t *data)
{
    const struct iba_node_config *n = &subnet_node(s->subnet, c->node)->n.cfg;
    const struct iba_nodeinfo info = {.baseversion = 1,
                                      .classversion = 1,
                                      .nodetype = n->type,
                                      .numports = n->n_port,
                                      .systemimageguid = n->system_guid,
                                      .nodeguid = n->node_guid,
                                      .portguid = port_of(s, c)->guid[0],
                                      .partitioncap = n->pkeys,
                                      .deviceid = n->device,
                                      .revision = n->revision,
                                      .localportnum = c->port,
                                      .vendorid = n->vendor};

    iba_layout_put(&iba_mad_layouts[IBA_M_nodeinfo], &info, data);
}

static void answer_portinfo(struct server *s, const struct server_client *c, uint8_t *data)
{
    struct iba_node *n = &subnet_node(s->subnet, c->node)->n;
    const uint8_t port = data[0] && data[0] <= n->cfg.n_port ? data[0] : c->port;
    struct iba_portinfo info = n->port[port].info;

    info.localportnum = port;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &info, data);
}

static void answer_pkeys(struct server *s, const struct server_client *c, uint8_t *data)
{
    const struct iba_node_port *p = port_of(s, c);

    for (unsigned i = 0; i < IBSIM_CTL_DATA / sizeof(uint16_t); i++)
        iba_bits_put(data + i * sizeof(uint16_t), 0, 16, i < p->n_pkey ? p->pkey[i] : 0);
}

static void set_issm(struct server *s, struct server_client *c, const uint8_t *data)
{
    uint32_t issm;

    memcpy(&issm, data, sizeof issm);
    c->issm = issm != 0;
    iba_node_set_issm(&subnet_node(s->subnet, c->node)->n, c->port, c->issm, subnet_now(s->subnet));
    subnet_touch(s->subnet, c->node);
}

static bool control(struct server *s, struct ibsim_ctl *m)
{
    struct server_client *c = m->client < IBSIM_CLIENTS && s->client[m->client].used ? &s->client[m->client] : NULL;

    if (m->type == IBSIM_CONNECT)
        return join(s, m);
    if (!c)
        return false;
    switch (m->type) {
    case IBSIM_DISCONNECT: leave(s, m->client); return true;
    case IBSIM_GET_PORT: answer_port(s, c, m->data); return true;
    case IBSIM_GET_VENDOR: answer_vendor(s, c, m->data); return true;
    case IBSIM_GET_GID: answer_gid(s, c, m->data); return true;
    case IBSIM_GET_GUID: answer_guid(s, c, m->data); return true;
    case IBSIM_GET_NODEINFO: answer_nodeinfo(s, c, m->data); return true;
    case IBSIM_GET_PORTINFO: answer_portinfo(s, c, m->data); return true;
    case IBSIM_SET_ISSM: set_issm(s, c, m->data); return true;
    case IBSIM_GET_PKEYS: answer_pkeys(s, c, m->data); return true;
    default: return false;
    }
}

static void serve_control(struct server *s)
{
    struct ibsim_ctl m;
    struct sockets_address from;

    for (;;) {
        from.len = sizeof from.to;
        const ssize_t n = recvfrom(s->sockets.control, &m, sizeof m, MSG_TRUNC, (struct sockaddr *)&from.to, &from.len);
        if (n < 0)
            return;
        if (n != (ssize_t)sizeof m || m.magic != IBSIM_MAGIC)
            continue;
        if (!control(s, &m))
            m.type = IBSIM_ERROR;
        (void)sendto(s->sockets.control, &m, sizeof m, 0, (struct sockaddr *)&from.to, from.len);
    }
}

/* ---- requests that wait for an answer ---- */

/* Returns the request to its client with the status ETIMEDOUT, since a client has no timer of its own. */
static void time_out(struct server *s, struct server_pending *p)
{
    p->request.status = htonl(ETIMEDOUT);
    s->silences++;
    p->used = false;
    (void)give(s, p->client, &p->request);
}

/* Where all entries are used, the request of one of them is returned. */
static void remember(struct server *s, unsigned client, const struct ibsim_request *r)
{
    size_t k = 0;

    while (k < s->n_pending && s->pending[k].used)
        k++;
    if (k == SERVER_PENDING) {
        k = iba_madhdr_transactionid(r->mad) % SERVER_PENDING;
        time_out(s, &s->pending[k]);
        if (!s->client[client].used) /* it could not be reached, and has left */
            return;
    }
    if (k >= s->n_pending)
        s->n_pending = k + 1;
    s->pending[k] = (struct server_pending){.used = true, .client = (uint8_t)client, .by = NOBODY, .request = *r};
}

static struct server_pending *recall(struct server *s, const uint8_t *mad)
{
    const uint64_t tid = iba_madhdr_transactionid(mad);

    for (size_t k = 0; k < s->n_pending; k++)
        if (s->pending[k].used && iba_madhdr_transactionid(s->pending[k].request.mad) == tid &&
            iba_madhdr_mgmtclass(s->pending[k].request.mad) == iba_madhdr_mgmtclass(mad))
            return &s->pending[k];
    return NULL;
}

static iba_time answer_due(const struct server_pending *p)
{
    return p->used && p->by != NOBODY ? p->asked + ANSWER_NS : IBA_NEVER;
}

static bool is_unanswered(const struct server *s, const struct server_pending *p, iba_time now)
{
    if (!p->used)
        return false;
    return p->by == NOBODY ? subnet_in_flight(s->subnet) == 0 : answer_due(p) <= now;
}

/* Returns unanswered requests (KM-03: a node may answer with silence). */
static void return_unanswered(struct server *s, iba_time now)
{
    for (size_t k = s->n_pending; k-- > 0;)
        if (is_unanswered(s, &s->pending[k], now))
            time_out(s, &s->pending[k]);
    while (s->n_pending > 0 && !s->pending[s->n_pending - 1].used)
        s->n_pending--;
}

/* ---- datagrams ---- */

/* Sends the datagram as a packet with the P_Key of index 0, SL 0 and no GRH, because the client cannot name others. */
static void send_datagram(struct server *s, const struct server_client *c, const struct ibsim_request *r)
{
    const struct iba_node_port *p = port_of(s, c);
    const bool smp = mad_is_smp(r->mad);
    const uint16_t slid = ntohs(r->slid);
    struct iba_mgmt_to to = {.dlid = ntohs(r->dlid),
                             .slid = slid && slid != PERMISSIVE ? slid : p->info.lid,
                             .dqp = smp ? 0 : ntohl(r->dqp) & 0xffffff,
                             .sqp = smp ? 0 : 1,
                             .psn = s->psn,
                             .pkey = smp || !p->n_pkey ? 0xffff : p->pkey[0]};
    uint8_t packet[IBA_MGMT_BYTES];

    if (smp && to.dlid == PERMISSIVE)
        to.slid = PERMISSIVE;
    if (!smp && to.dqp == 0)
        to.dqp = 1;
    subnet_send(s->subnet, c->node, c->port, packet, iba_mgmt_build(packet, &to, smp ? IBA_VL15 : 0, r->mad));
}

/* Returns the upper bits of the transaction IDs of client i: the number of the client, and a count of the programs
 * that have had this number. Responses have these bits too. A response that comes after the end of its program must
 * not reach the next program with that number: libumad2sim crashes on a response that it did not request. */
static uint64_t mark_of(const struct server *s, unsigned i)
{
    return (uint64_t)s->client[i].life << 8 | i;
}

static void serve_datagram(struct server *s, unsigned i, struct ibsim_request *r)
{
    const uint64_t length = be64toh(r->length);

    if (s->alter && !s->alter(s->alter_ctx, true, r->mad)) {
        if (is_response(r->mad))
            (void)give(s, i, r);
        return;
    }
    if (!mad_is_answer(r->mad)) {
        const uint64_t tid = iba_madhdr_transactionid(r->mad) & ((UINT64_C(1) << CLIENT_SHIFT) - 1);
        iba_madhdr_set_transactionid(r->mad, tid | mark_of(s, i) << CLIENT_SHIFT);
    }
    s->requests++;
    s->psn = (uint16_t)(s->psn == UINT16_MAX ? 1 : s->psn + 1);
    s->length[s->psn] = (uint16_t)(length > 0 && length < IBSIM_MAD ? length : IBSIM_MAD);
    if (wants_answer(r->mad))
        remember(s, i, r);
    send_datagram(s, &s->client[i], r);
}

static void serve_client(struct server *s, unsigned i, iba_time now)
{
    struct ibsim_request r;
    ssize_t n;

    while (s->client[i].used && (n = recv(s->sockets.client[i], &r, sizeof r, MSG_TRUNC)) >= 0) {
        if (n != (ssize_t)sizeof r)
            continue;
        serve_datagram(s, i, &r);
        server_advance(s, now);
    }
    if (errno == ECONNREFUSED)
        leave(s, i);
}

/* ---- packets for software ---- */

static bool lives_at(const struct server_client *c, size_t node, uint8_t port)
{
    return c->used && c->node == node && c->port == port;
}

/* Returns the client that has to receive a datagram. A response goes to the client that sent the request `p` (NULL: the
 * request was returned as timed out, or its program left), if that client is at this port. All others go to the
 * manager at the port or, for classes that no manager serves, to another program there. */
static int taker(const struct server *s, size_t node, uint8_t port, const uint8_t *mad, const struct server_pending *p)
{
    const unsigned asked = iba_madhdr_transactionid(mad) >> CLIENT_SHIFT & UINT8_MAX;

    if (mad_is_answer(mad))
        return p && lives_at(&s->client[p->client], node, port) ? p->client : NOBODY;
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        if (lives_at(&s->client[i], node, port) && s->client[i].issm)
            return (int)i;
    for (unsigned i = 0; i < IBSIM_CLIENTS && !mad_is_smp(mad); i++)
        if (lives_at(&s->client[i], node, port) && i != asked)
            return (int)i;
    return NOBODY;
}

void server_received(struct server *s, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    enum { MAD_AT = 28 };
    const uint8_t *mad = packet + MAD_AT, *bth = packet + IBA_BYTES_lrh, *deth = bth + IBA_BYTES_bth;
    struct server_pending *p;
    struct ibsim_request r = {0};
    uint32_t psn;
    int to;

    if (len != IBA_MGMT_BYTES || iba_bth_destqp(bth) > 1)
        return;
    psn = iba_bth_psn(bth);
    p = recall(s, mad);
    to = taker(s, node, port, mad, p);
    if (to == NOBODY)
        return;
    r.dlid = htons(iba_lrh_dlid(packet));
    r.slid = htons(iba_lrh_slid(packet));
    r.dqp = htonl(iba_bth_destqp(bth));
    r.sqp = htonl(iba_deth_srcqp(deth));
    r.length = htobe64(psn && psn < SERVER_LENGTHS ? s->length[psn] : IBSIM_MAD);
    memcpy(r.mad, mad, IBSIM_MAD);
    if (s->alter && !s->alter(s->alter_ctx, false, r.mad))
        return;
    if (!give(s, (unsigned)to, &r))
        return;
    if (p && mad_is_answer(mad)) {
        s->answers++;
        p->used = false;
    } else if (p) {
        p->by = (int8_t)to;
        p->asked = subnet_now(s->subnet);
    }
}

void server_taken(struct server *s, const uint8_t *mad)
{
    struct server_pending *p = mad_is_answer(mad) ? NULL : recall(s, mad);

    if (!p)
        return;
    p->by = IBSIM_CLIENTS;
    p->asked = subnet_now(s->subnet);
}

/* ---- the whole ---- */

void server_advance(struct server *s, iba_time now)
{
    subnet_run(s->subnet, (now > subnet_now(s->subnet) ? now : subnet_now(s->subnet)));
    while (subnet_deadline(s->subnet) <= now + NEAR_NS)
        subnet_run(s->subnet, subnet_deadline(s->subnet));
    return_unanswered(s, now);
}

iba_time server_deadline(const struct server *s)
{
    iba_time first = subnet_deadline(s->subnet);

    for (size_t k = 0; k < s->n_pending; k++)
        first = answer_due(&s->pending[k]) < first ? answer_due(&s->pending[k]) : first;
    return first;
}

bool server_open(struct server *s, struct subnet *subnet, const char *name, uint16_t udp_port, char err[SOCKETS_ERROR])
{
    memset(s, 0, sizeof *s);
    s->subnet = subnet;
    s->pending = calloc(SERVER_PENDING, sizeof *s->pending);
    s->length = calloc(SERVER_LENGTHS, sizeof *s->length);
    if (!s->pending || !s->length) {
        (void)snprintf(err, SOCKETS_ERROR, "no memory");
        return false;
    }
    return sockets_open(&s->sockets, name, udp_port, err);
}

void server_close(struct server *s)
{
    sockets_close(&s->sockets);
    free(s->pending);
    free(s->length);
}

void server_fds(const struct server *s, struct pollfd fds[SERVER_FDS])
{
    fds[0] = (struct pollfd){.fd = s->sockets.control, .events = POLLIN};
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        fds[i + 1] = (struct pollfd){.fd = s->sockets.client[i], .events = POLLIN};
}

void server_serve(struct server *s, const struct pollfd fds[SERVER_FDS], iba_time now)
{
    if (fds[0].revents)
        serve_control(s);
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        if (fds[i + 1].revents)
            serve_client(s, i, now);
    server_advance(s, now);
}
