/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated subnet of a manager under test: its nodes are those of the scenario, its time is real, and each packet
 * that arrives at a port is kept for the scenario. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "sm_inside.h"

enum { NS_OF_S = 1000000000, NS_OF_MS = 1000000 };

uint64_t sm_now(struct ibc_target *t)
{
    struct timespec c;

    (void)clock_gettime(CLOCK_MONOTONIC, &c);
    return (uint64_t)c.tv_sec * NS_OF_S + (uint64_t)c.tv_nsec - sm_of(t)->begun;
}

/* ---- packets ---- */

static void keep(struct sm *s, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time at)
{
    struct sm_frame *f;
    uint8_t *bytes = s->n_frame < SM_FRAMES ? malloc(len) : NULL;

    if (!bytes) {
        s->lost++;
        return;
    }
    memcpy(bytes, packet, len);
    f = &s->frame[(s->first_frame + s->n_frame++) % SM_FRAMES];
    *f = (struct sm_frame){at, bytes, (uint16_t)len, (uint8_t)(s->first_end[node] + port)};
}

/* A packet that begins to leave a port is kept as one that arrives at the other end of the cable. */
static void sent(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time at)
{
    struct sm *s = ctx;
    const struct subnet_end *e = &subnet_node(s->subnet, node)->end[port];

    if (e->node >= 0 && !e->pulled)
        keep(s, (size_t)e->node, e->port, packet, len, at);
}

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time at)
{
    struct sm *s = ctx;

    const uint8_t *mad = s->own ? mad_layer_received(&s->mads.layer, node, port, packet, len) : NULL;

    keep(s, node, 0, packet, len, at);
    if (mad)
        server_taken(&s->server, mad);
    else
        server_received(&s->server, node, port, packet, len);
}

enum ibc_rc sm_inject(struct ibc_target *t, unsigned end, const uint8_t *frame, size_t len)
{
    struct sm *s = sm_of(t);
    const struct ibc_end *e = &s->is.end[end];

    if (end >= s->is.n_end || e->port > 0)
        return sm_fault(s, IBC_BROKEN, "only software of a node sends: NODE.0");
    if (len > IBA_PACKET_MOST)
        return sm_fault(s, IBC_BROKEN, "a packet of %zu bytes, more than %d", len, (int)IBA_PACKET_MOST);
    subnet_send(s->subnet, e->node, s->node[e->node].is_switch ? 0 : 1, frame, len);
    return IBC_OK;
}

static void advance(struct sm *s)
{
    server_advance(&s->server, sm_now(&s->t));
    if (!s->own)
        return;
    mad_layer_advance(&s->mads.layer);
    server_advance(&s->server, sm_now(&s->t)); /* packets that are sent again arrive at once */
}

enum ibc_rc sm_plug(struct ibc_target *t, unsigned end, bool in)
{
    struct sm *s = sm_of(t);
    const struct ibc_end *e = &s->is.end[end];

    advance(s);
    if (subnet_cable(s->subnet, e->node, e->port, in))
        return IBC_OK;
    return sm_fault(s, IBC_BROKEN, "no cable is there");
}

/* ---- time ---- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Waits for the programs, but not beyond `until`. */
static void serve(struct sm *s, uint64_t until)
{
    struct pollfd fds[SERVER_FDS + MAD_SERVER_FDS];
    const uint64_t now = sm_now(&s->t), due = s->own ? mad_layer_deadline(&s->mads.layer) : IBA_NEVER;
    const uint64_t next = earlier(until, earlier(due, server_deadline(&s->server))), ns = next > now ? next - now : 0;
    const struct timespec nap = {.tv_sec = (time_t)(ns / NS_OF_S), .tv_nsec = (long)(ns % NS_OF_S)};

    server_fds(&s->server, fds);
    if (s->own)
        mad_server_fds(&s->mads, fds + SERVER_FDS);
    if (ppoll(fds, SERVER_FDS + (s->own ? MAD_SERVER_FDS : 0), &nap, NULL) > 0) {
        server_serve(&s->server, fds, sm_now(&s->t));
        if (s->own)
            mad_server_serve(&s->mads, fds + SERVER_FDS);
    }
    advance(s);
}

enum ibc_rc sm_collect(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len, uint64_t *at,
                       unsigned *from)
{
    struct sm *s = sm_of(t);
    bool over = false;

    *len = 0;
    if (!s->subnet)
        return sm_fault(s, IBC_BROKEN, "there is no subnet");
    while (s->n_frame == 0 && !over) {
        const enum ibc_rc rc = sm_all_run(s);
        if (rc != IBC_OK)
            return rc;
        over = sm_now(t) >= until;
        serve(s, until);
    }
    if (s->n_frame > 0) {
        const struct sm_frame *f = &s->frame[s->first_frame];
        memcpy(frame, f->bytes, f->len);
        *len = f->len;
        *at = f->at;
        *from = f->end;
        free(f->bytes);
        s->first_frame = (s->first_frame + 1) % SM_FRAMES;
        s->n_frame--;
    }
    return IBC_OK;
}

/* ---- making it ---- */

static void make_node(struct sm *s, unsigned i, struct topology_end *ends)
{
    enum { GUIDS = 0x100 };
    const struct ibc_node_spec *is = &s->is.node[i];
    struct topology_node *n = &s->node[i];

    *n = (struct topology_node){.guid = UINT64_C(0x0002c90300000100) + (uint64_t)GUIDS * i,
                                .ports = is->ports,
                                .is_switch = is->type == IBA_NODE_SWITCH,
                                .is_router = is->type == IBA_NODE_ROUTER,
                                .end = ends};
    n->system_guid = n->guid;
    (void)snprintf(n->id, sizeof n->id, "%s", is->name);
    (void)snprintf(n->description, sizeof n->description, "%s", is->name);
}

static void make_topology(struct sm *s)
{
    for (unsigned i = 0; i < s->is.n_end; i++) {
        const struct ibc_end *e = &s->is.end[i];
        const struct ibc_end *to = e->to ? &s->is.end[e->to - 1] : NULL;
        s->end[i] = (struct topology_end){.node = to ? to->node : -1, .port = to ? to->port : 0};
        if (e->port > 0)
            continue;
        s->first_end[e->node] = (uint8_t)i;
        make_node(s, e->node, &s->end[i]);
    }
    s->topology = (struct topology){.node = s->node, .n = s->is.n_node};
}

/* Opens the sockets for programs that preload the library of this target. */
static bool serve_programs(struct sm *s, const char *name, char err[SOCKETS_ERROR])
{
    _Static_assert((int)SOCKETS_ERROR == (int)MAD_SERVER_ERROR, "one buffer is for both");
    if (!server_open(&s->server, s->subnet, name, 0, err)) {
        server_close(&s->server);
        return false;
    }
    s->server.alter = sm_spoil_apply;
    s->server.alter_ctx = &s->spoil;
    if (!s->own)
        return true;
    if (!mad_server_open(&s->mads, s->subnet, name, err)) {
        server_close(&s->server);
        return false;
    }
    s->mads.layer.alter = sm_spoil_apply;
    s->mads.layer.alter_ctx = &s->spoil;
    return true;
}

enum ibc_rc sm_subnet_open(struct ibc_target *t, const struct ibc_fabric *f)
{
    struct sm *s = sm_of(t);
    char name[SOCKETS_NAME], err[SOCKETS_ERROR];

    if (!f->unmanaged)
        return IBC_UNSUPPORTED;
    s->is = *f;
    make_topology(s);
    s->subnet = subnet_new(&s->topology, &(struct subnet_config){0}, &(struct subnet_events){sent, received, s});
    if (!s->subnet)
        return sm_fault(s, IBC_BROKEN, "no memory for the subnet");
    (void)snprintf(name, sizeof name, "ibconform-%d-%u", (int)getpid(), s->plays++);
    if (!serve_programs(s, name, err)) {
        subnet_free(s->subnet);
        s->subnet = NULL;
        return sm_fault(s, IBC_BROKEN, "%s", err);
    }
    sm_spoil_begin(&s->spoil);
    return IBC_OK;
}

void sm_subnet_close(struct sm *s)
{
    for (; s->n_frame > 0; s->n_frame--) {
        free(s->frame[s->first_frame].bytes);
        s->first_frame = (s->first_frame + 1) % SM_FRAMES;
    }
    if (!s->subnet)
        return;
    if (s->own)
        mad_server_close(&s->mads);
    server_close(&s->server);
    subnet_free(s->subnet);
    s->subnet = NULL;
}
