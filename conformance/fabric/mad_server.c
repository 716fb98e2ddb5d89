/* SPDX-License-Identifier: BSD-2-Clause */
#include "mad_server.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG_MOST = 8 << 20, ROOM = 1 << 20 };

union request {
    struct mad_head head;
    struct mad_place place;
    struct mad_setting setting;
    struct mad_registration registration;
    struct mad_sent sent;
    uint8_t bytes[sizeof(struct mad_sent) + MAD_LONGEST];
};

/* ---- datagrams to programs ---- */

static void forget_messages(struct mad_connection *c)
{
    while (c->first) {
        struct mad_message *m = c->first;
        c->first = m->next;
        free(m);
    }
    c->last = &c->first;
    c->waiting = 0;
}

static void leave(struct mad_server *s, unsigned i)
{
    struct mad_connection *c = &s->connection[i];

    if (c->datagrams >= 0) {
        mad_layer_close(&s->layer, i);
        (void)close(c->datagrams);
    }
    (void)close(c->control);
    forget_messages(c);
    c->control = c->datagrams = -1;
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS;
}

/* A program that reads nothing loses datagrams in the end. */
static void queue(struct mad_server *s, struct mad_connection *c, const struct mad_envelope *e, const uint8_t *mad,
                  size_t len)
{
    struct mad_message *m = NULL;

    if (c->waiting + len <= BACKLOG_MOST)
        m = malloc(sizeof *m + sizeof *e + len);
    if (!m) {
        s->dropped++;
        return;
    }
    m->next = NULL;
    m->len = sizeof *e + len;
    memcpy(m->bytes, e, sizeof *e);
    memcpy(m->bytes + sizeof *e, mad, len);
    *c->last = m;
    c->last = &m->next;
    c->waiting += m->len;
}

static void send_messages(struct mad_connection *c)
{
    while (c->first) {
        struct mad_message *m = c->first;
        if (send(c->datagrams, m->bytes, m->len, MSG_NOSIGNAL) < 0 && would_block())
            return;
        c->waiting -= m->len;
        c->first = m->next;
        if (!c->first)
            c->last = &c->first;
        free(m);
    }
}

static void deliver(void *ctx, unsigned open, struct mad_envelope *e, const uint8_t *mad, size_t len)
{
    struct mad_server *s = ctx;
    struct mad_connection *c = &s->connection[open];

    e->length = (uint32_t)(sizeof *e + len);
    queue(s, c, e, mad, len);
    send_messages(c);
}

/* ---- places ---- */

/* Returns the node with that name; "": the first adapter. */
static struct subnet_node *find_node(const struct mad_server *s, const struct mad_place *p, size_t *node)
{
    struct subnet *subnet = s->layer.subnet;
    char name[MAD_NODE_NAME + 1];
    int32_t found;

    (void)snprintf(name, sizeof name, "%.*s", MAD_NODE_NAME, p->node);
    found = subnet_find(subnet, name);
    for (size_t i = 0; !*name && found < 0 && i < subnet_nodes(subnet); i++)
        if (subnet_node(subnet, i)->n.cfg.type == IBA_NODE_CA)
            found = (int32_t)i;
    *node = (size_t)found;
    return found < 0 ? NULL : subnet_node(subnet, *node);
}

/* Returns the number of the first Active port, of the first with a link, or 1. */
static uint8_t default_port(const struct iba_node *n)
{
    for (unsigned p = 1; p <= n->cfg.n_port; p++)
        if (n->port[p].info.portstate == IBA_PORT_ACTIVE)
            return (uint8_t)p;
    for (unsigned p = 1; p <= n->cfg.n_port; p++)
        if (n->port[p].info.portphysicalstate == IBA_PHYS_LINKUP)
            return (uint8_t)p;
    return 1;
}

static int find_port(const struct mad_server *s, const struct mad_place *p, size_t *node, uint8_t *port)
{
    const struct subnet_node *n = find_node(s, p, node);

    if (!n)
        return ENODEV;
    if (p->port > n->n.cfg.n_port || (iba_node_is_switch(&n->n) && p->port > 0))
        return EINVAL;
    *port = iba_node_is_switch(&n->n) ? 0 : p->port ? (uint8_t)p->port : default_port(&n->n);
    return 0;
}

/* ---- answers ---- */

static void answer(struct mad_connection *c, const union request *r, int error, uint32_t value)
{
    const struct mad_answer a = {.head = {MAD_MAGIC, r->head.kind, (uint16_t)error}, .value = value};

    (void)send(c->control, &a, sizeof a, MSG_NOSIGNAL);
}

static void get_node(struct mad_server *s, struct mad_connection *c, const union request *r)
{
    size_t node;
    const struct subnet_node *n = find_node(s, &r->place, &node);
    struct mad_node a = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}};

    if (!n) {
        answer(c, r, ENODEV, 0);
        return;
    }
    a.node_guid = n->n.cfg.node_guid;
    a.system_guid = n->n.cfg.system_guid;
    a.type = n->n.cfg.type;
    a.ports = n->n.cfg.n_port;
    a.device = n->n.cfg.device;
    a.revision = n->n.cfg.revision;
    (void)send(c->control, &a, sizeof a, MSG_NOSIGNAL);
}

static uint32_t mbit_s(const struct iba_portinfo *i)
{
    static const struct {
        uint8_t extended, speed;
        uint32_t mbit_s; /* of a lane */
    } rows[] = {{1, 2, 25000}, {1, 1, 14000}, {0, 4, 10000}, {0, 2, 5000}, {0, 1, 2500}};
    const uint32_t lanes = i->linkwidthactive == 8 ? 12 : i->linkwidthactive == 4 ? 8 : i->linkwidthactive == 2 ? 4 : 1;

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if ((rows[k].extended ? i->linkspeedextactive : i->linkspeedactive) == rows[k].speed)
            return lanes * rows[k].mbit_s;
    return 0;
}

static void get_port(struct mad_server *s, struct mad_connection *c, const union request *r)
{
    enum { CAPABILITIES_AT = 20 };
    struct mad_port a = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}};
    uint8_t wire[IBA_BYTES_portinfo] = {0}, port;
    size_t node;
    const int error = find_port(s, &r->place, &node, &port);

    if (error) {
        answer(c, r, error, 0);
        return;
    }
    const struct iba_node_port *p = &subnet_node(s->layer.subnet, node)->n.port[port];
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &p->info, wire);
    a.gid_prefix = p->info.guid;
    a.port_guid = p->guid[0];
    a.number = port;
    a.lid = p->info.lid;
    a.lmc = p->info.lmc;
    a.sm_lid = p->info.mastersmlid;
    a.sm_sl = p->info.mastersmsl;
    a.state = p->info.portstate;
    a.phys_state = p->info.portphysicalstate;
    a.capabilities = (uint32_t)iba_bits_get(wire + CAPABILITIES_AT, 0, 32);
    a.mbit_s = mbit_s(&p->info);
    a.pkeys = p->n_pkey < MAD_PKEYS ? p->n_pkey : MAD_PKEYS;
    memcpy(a.pkey, p->pkey, a.pkeys * sizeof *a.pkey);
    (void)send(c->control, &a, sizeof a, MSG_NOSIGNAL);
}

/* Answers with a descriptor, from which the program reads datagrams. */
static bool send_descriptor(const struct mad_connection *c, int fd)
{
    struct mad_answer a = {.head = {MAD_MAGIC, MAD_OPEN, 0}};
    struct iovec part = {&a, sizeof a};
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int))];
    } more = {0};
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = more.bytes, .msg_controllen = sizeof more.bytes};
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);

    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    return sendmsg(c->control, &m, MSG_NOSIGNAL) == (ssize_t)sizeof a;
}

static void open_port(struct mad_server *s, unsigned i, const union request *r)
{
    struct mad_connection *c = &s->connection[i];
    const int room = ROOM;
    int pair[2];
    size_t node;
    uint8_t port;
    int error = c->datagrams >= 0 ? EBUSY : find_port(s, &r->place, &node, &port);

    if (!error && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        error = errno;
    if (error) {
        answer(c, r, error, 0);
        return;
    }
    (void)setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (send_descriptor(c, pair[1])) {
        c->datagrams = pair[0];
        mad_layer_open(&s->layer, i, node, port);
    } else {
        (void)close(pair[0]);
    }
    (void)close(pair[1]);
}

/* ---- requests ---- */

/* The bytes of each request. MAD_SEND has a datagram of MAD_HEADER bytes or more after them. */
static const struct {
    size_t bytes;
    bool open; /* only a program with an open port may send it */
} kinds[MAD_KINDS] = {
    [MAD_GET_NODE] = {sizeof(struct mad_place), false},
    [MAD_GET_PORT] = {sizeof(struct mad_place), false},
    [MAD_OPEN] = {sizeof(struct mad_place), false},
    [MAD_SET_ISSM] = {sizeof(struct mad_setting), true},
    [MAD_REGISTER] = {sizeof(struct mad_registration), true},
    [MAD_UNREGISTER] = {sizeof(struct mad_setting), true},
    [MAD_SEND] = {sizeof(struct mad_sent), true},
};

/* Returns 0 if the request has the right length, or an errno. Nothing checks lengths after this. */
static int check(const struct mad_connection *c, const union request *r, size_t len)
{
    if (len < sizeof r->head || r->head.magic != MAD_MAGIC || r->head.kind >= MAD_KINDS || !kinds[r->head.kind].bytes)
        return EPROTO;
    if (r->head.kind == MAD_SEND ? len < sizeof r->sent + MAD_HEADER || len > sizeof r->bytes
                                 : len != kinds[r->head.kind].bytes)
        return EPROTO;
    return kinds[r->head.kind].open && c->datagrams < 0 ? ENOTCONN : 0;
}

static void handle(struct mad_server *s, unsigned i, const union request *r, size_t len)
{
    struct mad_connection *c = &s->connection[i];
    struct mad_layer *l = &s->layer;
    uint32_t agent = 0;
    int error;

    switch (r->head.kind) {
    case MAD_GET_NODE: get_node(s, c, r); return;
    case MAD_GET_PORT: get_port(s, c, r); return;
    case MAD_OPEN: open_port(s, i, r); return;
    case MAD_SET_ISSM:
        mad_layer_set_issm(l, i, r->setting.value != 0);
        answer(c, r, 0, 0);
        return;
    case MAD_REGISTER:
        error = mad_layer_register(l, i, &r->registration, &agent);
        answer(c, r, error, agent);
        return;
    case MAD_UNREGISTER: answer(c, r, mad_layer_unregister(l, i, r->setting.value), 0); return;
    default: break;
    }
    error = mad_layer_send(l, i, &r->sent.envelope, r->bytes + sizeof r->sent, len - sizeof r->sent);
    answer(c, r, error, 0);
}

static void serve(struct mad_server *s, unsigned i)
{
    static union request r;
    struct mad_connection *c = &s->connection[i];
    const ssize_t n = recv(c->control, &r, sizeof r, MSG_TRUNC);
    int error;

    if (n < 0 && would_block())
        return;
    error = n > 0 ? check(c, &r, (size_t)n) : EPIPE;
    if (error == 0)
        handle(s, i, &r, (size_t)n);
    else if (error == ENOTCONN)
        answer(c, &r, error, 0);
    else
        leave(s, i); /* the program has ended, or speaks another protocol */
}

static void accept_one(struct mad_server *s)
{
    const int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    unsigned i = 0;

    if (fd < 0)
        return;
    while (i < MAD_OPENS && s->connection[i].control >= 0)
        i++;
    if (i == MAD_OPENS)
        (void)close(fd);
    else
        s->connection[i].control = fd;
}

/* ---- the whole ---- */

static int listen_at(const char *name)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s:" MAD_SOCKET, name);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    if (bind(fd, (const struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) ==
            0 &&
        listen(fd, MAD_OPENS) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

bool mad_server_open(struct mad_server *s, struct subnet *subnet, const char *name, char err[MAD_SERVER_ERROR])
{
    memset(s, 0, sizeof *s);
    s->layer.deliver = deliver;
    s->layer.ctx = s;
    s->listener = -1;
    for (unsigned i = 0; i < MAD_OPENS; i++)
        s->connection[i] = (struct mad_connection){.control = -1, .datagrams = -1, .last = &s->connection[i].first};
    if (!mad_layer_begin(&s->layer, subnet)) {
        (void)snprintf(err, MAD_SERVER_ERROR, "no memory");
        mad_layer_end(&s->layer);
        return false;
    }
    s->listener = name ? listen_at(name) : -1;
    if (!name || s->listener >= 0)
        return true;
    (void)snprintf(err, MAD_SERVER_ERROR, "--sim %s: %s", name, strerror(errno));
    mad_layer_end(&s->layer);
    return false;
}

void mad_server_close(struct mad_server *s)
{
    for (unsigned i = 0; i < MAD_OPENS; i++)
        if (s->connection[i].control >= 0)
            leave(s, i);
    if (s->listener >= 0)
        (void)close(s->listener);
    mad_layer_end(&s->layer);
}

/* The descriptors: the listener, the control sockets, and the sockets of datagrams, if any wait. */
void mad_server_fds(const struct mad_server *s, struct pollfd fds[MAD_SERVER_FDS])
{
    fds[0] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    for (unsigned i = 0; i < MAD_OPENS; i++) {
        const struct mad_connection *c = &s->connection[i];
        fds[1 + i] = (struct pollfd){.fd = c->control, .events = POLLIN};
        fds[1 + MAD_OPENS + i] = (struct pollfd){.fd = c->first ? c->datagrams : -1, .events = POLLOUT};
    }
}

void mad_server_serve(struct mad_server *s, const struct pollfd fds[MAD_SERVER_FDS])
{
    for (unsigned i = 0; i < MAD_OPENS; i++) {
        if (fds[1 + i].revents && s->connection[i].control >= 0)
            serve(s, i);
        if (fds[1 + MAD_OPENS + i].revents)
            send_messages(&s->connection[i]);
    }
    if (fds[0].revents)
        accept_one(s);
}
