/* SPDX-License-Identifier: BSD-2-Clause */
#include "mad_layer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mad_kind.h"
#include "mad_rmpp.h"
#include "mad_send.h"

enum { METHOD_MASK = 0x7f };
enum { VENDOR_FIRST = 0x30, VENDOR_LAST = 0x4f, OUI_AT = 37 };
enum { MARK_SHIFT = 32, PSN_FIRST = 0x10000, MS = 1000000 };
/* The server of ibsim's protocol has a client number, 0 to 9, in these bits of a transaction ID. */
#define MARK_NOT_IBSIM 0x00ff0000u

/* ---- datagrams ---- */

static bool has_oui(unsigned class)
{
    return class >= VENDOR_FIRST && class <= VENDOR_LAST;
}

/* ---- open ports and agents ---- */

void mad_layer_open(struct mad_layer *l, unsigned open, size_t node, uint8_t port)
{
    l->open[open] = (struct mad_open){.used = true, .node = node, .port = port};
}

static void forget_agent(struct mad_layer *l, unsigned open, unsigned agent)
{
    for (size_t k = l->n_send; k-- > 0;)
        if (l->send[k].used && l->send[k].open == open && l->send[k].agent == agent)
            mad_send_forget(l, &l->send[k]);
    mad_rmpp_forget(l, open, agent);
    l->open[open].agent[agent] = (struct mad_agent){0};
}

void mad_layer_close(struct mad_layer *l, unsigned open)
{
    mad_layer_set_issm(l, open, false);
    for (unsigned a = 0; a < MAD_AGENTS; a++)
        if (l->open[open].agent[a].used)
            forget_agent(l, open, a);
    l->open[open] = (struct mad_open){0};
}

void mad_layer_set_issm(struct mad_layer *l, unsigned open, bool issm)
{
    struct mad_open *o = &l->open[open];
    bool other = false;

    if (o->issm == issm)
        return;
    o->issm = issm;
    for (unsigned i = 0; i < MAD_OPENS; i++)
        other = other || (i != open && l->open[i].used && l->open[i].issm && l->open[i].node == o->node &&
                          l->open[i].port == o->port);
    if (other)
        return;
    iba_node_set_issm(&subnet_node(l->subnet, o->node)->n, o->port, issm, subnet_now(l->subnet));
    subnet_touch(l->subnet, o->node);
}

static bool same_service(const struct mad_agent *a, const struct mad_registration *r)
{
    return a->used && a->class == r->class && a->version == r->version &&
           (!a->has_oui || memcmp(a->oui, r->oui, sizeof a->oui) == 0);
}

/* Returns whether another agent at the port has one of the methods already. */
static bool is_taken(const struct mad_layer *l, unsigned open, const struct mad_registration *r)
{
    const struct mad_open *own = &l->open[open];

    for (unsigned i = 0; i < MAD_OPENS; i++) {
        const struct mad_open *o = &l->open[i];
        for (unsigned a = 0; o->used && o->node == own->node && o->port == own->port && a < MAD_AGENTS; a++)
            if (same_service(&o->agent[a], r) &&
                ((o->agent[a].methods[0] & r->methods[0]) || (o->agent[a].methods[1] & r->methods[1])))
                return true;
    }
    return false;
}

int mad_layer_register(struct mad_layer *l, unsigned open, const struct mad_registration *r, uint32_t *agent)
{
    struct mad_open *o = &l->open[open];
    unsigned i = 0;

    if (r->rmpp_version > 1 || (r->rmpp_version && !mad_rmpp_has_class(r->class)))
        return EINVAL;
    if (is_taken(l, open, r))
        return EBUSY;
    while (i < MAD_AGENTS && o->agent[i].used)
        i++;
    if (i == MAD_AGENTS)
        return ENOMEM;
    l->marks++;
    o->agent[i] = (struct mad_agent){.used = true,
                                     .mark = (l->marks & 0xff00) << 16 | MARK_NOT_IBSIM | (l->marks & 0xff) << 8 | open,
                                     .class = r->class,
                                     .version = r->version,
                                     .rmpp = r->rmpp_version && !(r->flags & MAD_USER_RMPP),
                                     .segments = r->rmpp_version && (r->flags & MAD_USER_RMPP),
                                     .has_oui = has_oui(r->class) && r->has_oui,
                                     .methods = {r->methods[0], r->methods[1]}};
    memcpy(o->agent[i].oui, r->oui, sizeof r->oui);
    *agent = i;
    return 0;
}

int mad_layer_unregister(struct mad_layer *l, unsigned open, uint32_t agent)
{
    if (agent >= MAD_AGENTS || !l->open[open].agent[agent].used)
        return EINVAL;
    forget_agent(l, open, agent);
    return 0;
}

/* ---- sending ---- */

static iba_time timeout_of(const struct mad_send *s)
{
    return s->to.timeout_ms ? (iba_time)s->to.timeout_ms * MS : IBA_NEVER;
}

/* Keeps a copy of what is sent, until its answer or its last ACK comes. NULL: no room. */
static struct mad_send *keep(struct mad_layer *l, const struct mad_send *s, const uint8_t *mad)
{
    const uint32_t room = s->segments ? mad_rmpp_room(iba_madhdr_mgmtclass(mad), s->segments) : IBA_MAD_BYTES;
    size_t k = 0;
    uint8_t *copy;

    while (k < l->n_send && l->send[k].used)
        k++;
    if (k == MAD_SENDS || !(copy = calloc(1, room)))
        return NULL;
    memcpy(copy, mad, s->bytes);
    l->send[k] = *s;
    l->send[k].mad = copy;
    if (k >= l->n_send)
        l->n_send = k + 1;
    return &l->send[k];
}

static int send_one(struct mad_layer *l, const struct mad_send *s, const uint8_t *mad)
{
    uint8_t whole[IBA_MAD_BYTES] = {0};
    int error;

    memcpy(whole, mad, s->bytes);
    error = mad_send_now(l, s->open, &s->to, whole);
    if (error || !s->to.timeout_ms || mad_is_answer(whole))
        return error;
    struct mad_send *kept = keep(l, s, whole);
    if (!kept)
        return ENOMEM;
    kept->due = subnet_now(l->subnet) + timeout_of(kept);
    return 0;
}

static int send_segments(struct mad_layer *l, struct mad_send *s, const uint8_t *mad)
{
    struct mad_send *kept;

    s->segments = mad_rmpp_segments(iba_madhdr_mgmtclass(mad), s->bytes);
    if (s->segments == 0)
        return EINVAL;
    kept = keep(l, s, mad);
    if (!kept)
        return ENOMEM;
    if (!mad_rmpp_start(l, kept)) {
        mad_send_forget(l, kept);
        return EINVAL;
    }
    return 0;
}

/* Changes what a program sends. False: it goes no further, and a request has been answered. */
static bool alter_sent(struct mad_layer *l, const struct mad_send *s, uint8_t *mad)
{
    const bool request = !mad_is_answer(mad);
    struct mad_envelope from = s->to;

    if (!l->alter || l->alter(l->alter_ctx, true, mad))
        return true;
    if (request && mad_is_answer(mad))
        l->deliver(l->ctx, s->open, &from, mad, IBA_MAD_BYTES);
    return false;
}

int mad_layer_send(struct mad_layer *l, unsigned open, const struct mad_envelope *e, const uint8_t *mad, size_t len)
{
    const struct mad_agent *a = e->agent < MAD_AGENTS ? &l->open[open].agent[e->agent] : NULL;
    struct mad_send s = {.used = true, .open = (uint8_t)open, .to = *e, .retries = e->retries, .bytes = (uint32_t)len};
    uint8_t *copy;
    int error;

    if (!a || !a->used || len < MAD_HEADER || len > MAD_LONGEST)
        return EINVAL;
    s.agent = (uint8_t)e->agent;
    if (!mad_is_smp(mad) && (ntohl(e->qpn) & 0xffffff) == 0)
        return EINVAL;
    copy = calloc(1, len < IBA_MAD_BYTES ? IBA_MAD_BYTES : len);
    if (!copy)
        return ENOMEM;
    memcpy(copy, mad, len);
    if (!mad_is_answer(copy))
        iba_madhdr_set_transactionid(copy, (uint64_t)a->mark << MARK_SHIFT | (uint32_t)iba_madhdr_transactionid(copy));
    if (!alter_sent(l, &s, copy))
        error = 0;
    else if (a->rmpp && mad_rmpp_is_active(copy, len))
        error = send_segments(l, &s, copy);
    else
        error = len <= IBA_MAD_BYTES ? send_one(l, &s, copy) : EINVAL;
    free(copy);
    return error;
}

/* ---- receiving ---- */

static bool lives_at(const struct mad_open *o, size_t node, uint8_t port)
{
    return o->used && o->node == node && o->port == port;
}

static bool is_for(const struct mad_agent *a, const uint8_t *mad)
{
    const unsigned class = iba_madhdr_mgmtclass(mad), method = iba_madhdr_method(mad) & METHOD_MASK;

    if (!a->used)
        return false;
    if (mad_is_answer(mad))
        return iba_madhdr_transactionid(mad) >> MARK_SHIFT == a->mark;
    return a->class == class && a->version == iba_madhdr_classversion(mad) &&
           (a->methods[method / 64] >> method % 64 & 1) &&
           (!a->has_oui || memcmp(a->oui, mad + OUI_AT, sizeof a->oui) == 0);
}

static bool find_agent(const struct mad_layer *l, size_t node, uint8_t port, const uint8_t *mad, unsigned *open,
                       unsigned *agent)
{
    for (*open = 0; *open < MAD_OPENS; ++*open)
        for (*agent = 0; lives_at(&l->open[*open], node, port) && *agent < MAD_AGENTS; ++*agent)
            if (is_for(&l->open[*open].agent[*agent], mad))
                return true;
    return false;
}

const uint8_t *mad_layer_received(struct mad_layer *l, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    struct mad_envelope e;
    struct mad_send *s;
    uint8_t altered[IBA_MAD_BYTES];
    unsigned open, agent;
    bool smp;
    const uint8_t *mad = mad_packet_read(&subnet_node(l->subnet, node)->n.port[port], packet, len, &e, &smp);

    if (!mad || smp != mad_is_smp(mad) || !find_agent(l, node, port, mad, &open, &agent))
        return NULL;
    e.agent = agent;
    if (l->open[open].agent[agent].rmpp && mad_rmpp_is_active(mad, IBA_MAD_BYTES)) {
        mad_rmpp_received(l, open, agent, &e, mad);
        return mad;
    }
    if (mad_is_answer(mad) && !(l->open[open].agent[agent].segments && mad_rmpp_is_active(mad, IBA_MAD_BYTES))) {
        s = mad_send_find(l, open, agent, iba_madhdr_transactionid(mad), (uint8_t)iba_madhdr_mgmtclass(mad));
        if (!s)
            return mad; /* it has timed out, or its answer has come before */
        mad_send_forget(l, s);
    }
    memcpy(altered, mad, sizeof altered);
    if (!l->alter || l->alter(l->alter_ctx, false, altered))
        l->deliver(l->ctx, open, &e, altered, IBA_MAD_BYTES);
    return mad;
}

/* ---- time ---- */

static void expire(struct mad_layer *l, struct mad_send *s)
{
    if (s->segments && mad_rmpp_expire(l, s))
        return;
    if (s->retries == 0) {
        mad_send_fail(l, s, ETIMEDOUT);
        return;
    }
    s->retries--;
    s->due = subnet_now(l->subnet) + timeout_of(s);
    if (!s->segments)
        (void)mad_send_now(l, s->open, &s->to, s->mad);
}

void mad_layer_advance(struct mad_layer *l)
{
    const iba_time now = subnet_now(l->subnet);

    for (size_t k = l->n_send; k-- > 0;)
        if (l->send[k].used && l->send[k].due <= now)
            expire(l, &l->send[k]);
    mad_rmpp_advance(l);
}

iba_time mad_layer_deadline(const struct mad_layer *l)
{
    iba_time first = mad_rmpp_deadline(l);

    for (size_t k = 0; k < l->n_send; k++)
        if (l->send[k].used && l->send[k].due < first)
            first = l->send[k].due;
    return first;
}

bool mad_layer_begin(struct mad_layer *l, struct subnet *subnet)
{
    l->subnet = subnet;
    l->send = calloc(MAD_SENDS, sizeof *l->send);
    l->transfer = calloc(MAD_TRANSFERS, sizeof *l->transfer);
    l->psn = PSN_FIRST;
    return l->send && l->transfer;
}

void mad_layer_end(struct mad_layer *l)
{
    for (unsigned i = 0; l->send && l->transfer && i < MAD_OPENS; i++)
        if (l->open[i].used)
            mad_layer_close(l, i);
    free(l->send);
    free(l->transfer);
}
