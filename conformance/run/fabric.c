/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet under test: its nodes and wires, and the lines set, get, pull and plug. */
#include <stdio.h>
#include <string.h>
#include "run/fabric.h"

/* ---- making it ---- */

static uint64_t key_n(const struct ibc_object *o, enum ibc_key key, uint64_t otherwise)
{
    return ibc_arg_n(o->arg, o->n_arg, key, otherwise);
}

static uint8_t type_of(uint8_t kind)
{
    return kind == IBC_O_switch ? IBA_NODE_SWITCH : kind == IBC_O_router ? IBA_NODE_ROUTER : IBA_NODE_CA;
}

static struct ibc_node_spec node_of(const struct ibc_object *o)
{
    enum { USUAL_PORTS = 2, USUAL_VLS = 4 };

    return (struct ibc_node_spec){.name = o->name,
                                  .type = type_of(o->kind),
                                  .ports = (uint8_t)key_n(o, IBC_K_ports, USUAL_PORTS),
                                  .state = (uint8_t)key_n(o, IBC_K_state, IBA_PORT_ACTIVE),
                                  .vls = (uint8_t)key_n(o, IBC_K_vls, USUAL_VLS),
                                  .lid = (uint16_t)key_n(o, IBC_K_lid, 1),
                                  .sm = (uint16_t)key_n(o, IBC_K_sm, RUN_FIRST_HOST + 1),
                                  .lmc = (uint8_t)key_n(o, IBC_K_lmc, 0),
                                  .protect = (uint8_t)key_n(o, IBC_K_protect, 0),
                                  .mkey = key_n(o, IBC_K_mkey, 0),
                                  .lease = (uint16_t)key_n(o, IBC_K_lease, 0),
                                  .buffer = (uint16_t)key_n(o, IBC_K_credits, 0),
                                  .refresh = key_n(o, IBC_K_refresh, 0) != 0,
                                  .unmapped = key_n(o, IBC_K_unmapped, 0) != 0,
                                  .ipd = (uint8_t)key_n(o, IBC_K_ipd, 0)};
}

static void add_routes(struct ibc_fabric *f, const struct ibc_object *o, unsigned node)
{
    for (unsigned i = 0; i < o->n_arg && f->n_route < IBC_ROUTES; i++)
        if (o->arg[i].key == IBC_K_route)
            f->route[f->n_route++] = (struct ibc_route){
                .node = (uint8_t)node, .lid = (uint16_t)o->arg[i].at, .port = (uint8_t)o->arg[i].v[0].n};
}

/* The wires of a node follow it in the list of objects. */
static void add_node(struct run_player *p, struct ibc_fabric *f, unsigned at)
{
    enum { FIRST_TID = 0x1000 };
    const struct ibc_object *o = &p->play->object[at];

    f->node[f->n_node] = node_of(o);
    add_routes(f, o, f->n_node);
    for (unsigned i = 0; i <= f->node[f->n_node].ports; i++) {
        struct run_live *w = &p->live[at + 1 + i];
        w->node = &p->live[at];
        w->id[0] = f->n_end;
        w->port = (uint8_t)i;
        w->tid = FIRST_TID * (f->n_end + 1u);
        w->made = true;
        w->type = IBA_QPT_UD;
        f->end[f->n_end++] = (struct ibc_end){.node = (uint8_t)f->n_node, .port = (uint8_t)i};
    }
    f->n_node++;
}

static bool add_cable(struct run_player *p, struct ibc_fabric *f, const struct ibc_object *o)
{
    const struct run_live *one = run_object_of(p, &ibc_arg(o->arg, o->n_arg, IBC_K_one)->v[0]);
    const struct run_live *other = run_object_of(p, &ibc_arg(o->arg, o->n_arg, IBC_K_other)->v[0]);
    const struct ibc_step line = {.kind = IBC_S_object, .object = UINT16_MAX, .line = o->line, .text = o->name};

    if (one->port == 0 || other->port == 0 || one == other || f->end[one->id[0]].to || f->end[other->id[0]].to)
        return run_error(p, &line, "a cable leads from one free port to another");
    f->end[one->id[0]].to = (uint8_t)(other->id[0] + 1);
    f->end[other->id[0]].to = (uint8_t)(one->id[0] + 1);
    return true;
}

bool run_make_fabric(struct run_player *p)
{
    static const struct ibc_step begin = {.kind = IBC_S_object, .object = UINT16_MAX, .text = "the subnet"};
    struct ibc_fabric f = {.n_node = 0};

    for (unsigned i = 0; i < p->play->n_object; i++) {
        p->live[i].o = &p->play->object[i];
        p->live[i].kind = p->play->object[i].kind;
    }
    for (unsigned i = 0; i < p->play->n_object; i++) {
        if (!ibc_is_node(p->live[i].kind))
            continue;
        if (f.n_node == IBC_NODES)
            return run_error(p, &begin, "too many nodes");
        add_node(p, &f, i);
    }
    for (unsigned i = 0; i < p->play->n_object; i++)
        if (p->live[i].kind == IBC_O_cable && !add_cable(p, &f, &p->play->object[i]))
            return false;
    f.unmanaged = p->managed;
    if (!run_add_partitions(p, &f))
        return false;
    if (!p->t->ops->fabric_open || (p->managed && !p->t->ops->fabric_read))
        return run_did(p, &begin, IBC_UNSUPPORTED, "subnet");
    return run_did(p, &begin, p->t->ops->fabric_open(p->t, &f), "subnet");
}

/* ---- pull and plug ---- */

static bool plug(struct run_player *p, const struct ibc_step *s, bool in)
{
    return run_did(p, s, p->t->ops->fabric_plug(p->t, run_live(p, s)->id[0], in), in ? "plug" : "pull");
}

bool run_step_pull(struct run_player *p, const struct ibc_step *s)
{
    return plug(p, s, false);
}

bool run_step_plug(struct run_player *p, const struct ibc_step *s)
{
    return plug(p, s, true);
}

/* ---- set and get: a request and its answer ---- */

/* Takes the answer with that transaction out of the queue of its wire; NULL: it has not come. */
static struct run_packet *take_answer(struct run_player *p, struct run_live *q, uint64_t tid)
{
    struct run_packet *before = NULL, *k = q->head;

    for (; k; before = k, k = k->queued) {
        const uint8_t *mad = run_smp_in(k);
        if (!mad || iba_madhdr_method(mad) != IBA_METHOD_GET_RESP || iba_madhdr_transactionid(mad) != tid)
            continue;
        if (before)
            before->queued = k->queued;
        else
            q->head = k->queued;
        if (q->tail == k)
            q->tail = before;
        p->n_waiting--;
        return k;
    }
    return NULL;
}

/* Sends the datagram; its answer, or NULL when none came in time: the play has failed then. */
static struct run_packet *ask(struct run_player *p, const struct ibc_step *s, struct ibc_step *request)
{
    struct run_live *q = run_live(p, s);
    const uint64_t until = run_now(p) + run_scaled(p, RUN_PATIENCE);
    struct run_packet *k;
    bool came = true;

    if (!run_step_send(p, request))
        return NULL;
    while (!(k = take_answer(p, q, q->tid)) && came) /* ends: packets are bounded, and time passes */
        if (!run_collect(p, until, &came, s))
            return NULL;
    if (!k)
        (void)run_fail(p, s, NULL, "an answer of the agent", "nothing");
    else
        run_comment(p, k, s, "as expected", NULL);
    return k;
}

static struct ibc_step request_of(const struct ibc_step *s, uint8_t method)
{
    struct ibc_step r = *s;

    r.kind = IBC_S_send;
    r.method = method;
    return r;
}

bool run_step_get(struct run_player *p, const struct ibc_step *s)
{
    struct ibc_step get = request_of(s, IBA_METHOD_GET);
    const struct run_packet *k;
    struct run_difference d;

    get.asks = true;
    k = ask(p, s, &get);
    if (!k)
        return false;
    return run_smp_has(p, s, run_smp_in(k), &d) || run_fail(p, s, k, d.expected, d.got);
}

/* A manager reads, changes the fields that it means to, and writes. */
bool run_step_set(struct run_player *p, const struct ibc_step *s)
{
    struct ibc_step get = request_of(s, IBA_METHOD_GET), set = request_of(s, IBA_METHOD_SET);
    const struct run_packet *k;
    char got[RUN_TEXT];

    get.asks = true;
    k = ask(p, s, &get);
    if (!k)
        return false;
    p->smp_base = run_smp_in(k);
    k = ask(p, s, &set);
    p->smp_base = NULL;
    if (!k)
        return false;
    if (run_smp_status(run_smp_in(k)) == 0)
        return true;
    snprintf(got, sizeof got, "status 0x%02x", run_smp_status(run_smp_in(k)));
    return run_fail(p, s, k, "status 0", got);
}
