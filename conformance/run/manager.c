/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet manager under test: the lines start and stop, and what the manager must have done after some time (has,
 * gets, subnet). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/fabric.h"

#define PATIENCE (10 * RUN_S)        /* default time limit of a line */
#define PAUSE (10 * RUN_MS)          /* time between two looks at the subnet */
#define REPEAT (2 * RUN_S)           /* time after which a request without an answer is sent again */
#define STARVED(limit) ((limit) / 4) /* the manager is not blamed if it waited this long for a processor */

/* ---- what the administrator tells it ---- */

static int key_or_unsaid(const struct ibc_object *o, enum ibc_key key)
{
    return ibc_arg(o->arg, o->n_arg, key) ? (int)ibc_arg_n(o->arg, o->n_arg, key, 0) : IBC_UNSAID;
}

static const struct run_live *wire_at(struct run_player *p, const struct ibc_arg *a)
{
    return run_object_of(p, &a->v[0]);
}

/* Returns the number of a node among the nodes of the scenario. */
static uint8_t number_of(const struct run_player *p, const struct run_live *node)
{
    uint8_t n = 0;

    for (const struct run_live *l = p->live; l < node; l++)
        n += ibc_is_node(l->kind);
    return n;
}

static struct ibc_manager manager_of(struct run_player *p, const struct ibc_object *o)
{
    const struct run_live *w = wire_at(p, ibc_arg(o->arg, o->n_arg, IBC_K_at));

    return (struct ibc_manager){.node = number_of(p, w->node),
                                .priority = key_or_unsaid(o, IBC_K_priority),
                                .lmc = key_or_unsaid(o, IBC_K_lmc),
                                .mkey = ibc_arg_n(o->arg, o->n_arg, IBC_K_mkey, 0),
                                .protect = key_or_unsaid(o, IBC_K_protect),
                                .lease = key_or_unsaid(o, IBC_K_lease),
                                .sweep = ibc_arg_n(o->arg, o->n_arg, IBC_K_sweep, 0),
                                .poll = ibc_arg_n(o->arg, o->n_arg, IBC_K_poll, 0)};
}

/* Returns the number of a manager among the managers of the scenario. */
static unsigned manager_number(const struct run_player *p, const struct ibc_step *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->object; i++)
        n += p->play->object[i].kind == IBC_O_manager;
    return n;
}

static bool add_members(struct run_player *p, const struct ibc_object *o, struct ibc_partition *to)
{
    for (unsigned i = 0; i < o->n_arg; i++) {
        const struct ibc_arg *a = &o->arg[i];
        const struct run_live *w = a->key == IBC_K_full || a->key == IBC_K_limited ? wire_at(p, a) : NULL;
        if (!w)
            continue;
        if (to->n == IBC_MEMBERS)
            return false;
        to->member[to->n].node = number_of(p, w->node);
        to->member[to->n].port = w->port;
        to->member[to->n++].full = a->key == IBC_K_full;
    }
    return true;
}

bool run_add_partitions(struct run_player *p, struct ibc_fabric *f)
{
    static const struct ibc_step begin = {.kind = IBC_S_object, .object = UINT16_MAX, .text = "the partitions"};
    unsigned managers = 0;

    for (unsigned i = 0; i < p->play->n_object; i++) {
        const struct ibc_object *o = &p->play->object[i];
        managers += o->kind == IBC_O_manager;
        if (o->kind != IBC_O_partition)
            continue;
        if (f->n_partition == IBC_PARTITIONS || !add_members(p, o, &f->partition[f->n_partition]))
            return run_error(p, &begin, "too many partitions or members");
        f->partition[f->n_partition++].pkey = (uint16_t)ibc_arg_n(o->arg, o->n_arg, IBC_K_pkey, 0);
    }
    return managers <= IBC_MANAGERS || run_error(p, &begin, "too many managers");
}

bool run_step_start(struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_manager m = manager_of(p, &p->play->object[s->object]);

    if (!p->t->ops->manager_start)
        return run_did(p, s, IBC_UNSUPPORTED, "start a subnet manager");
    return run_did(p, s, p->t->ops->manager_start(p->t, manager_number(p, s), &m), "start a subnet manager");
}

bool run_step_stop(struct run_player *p, const struct ibc_step *s)
{
    return run_did(p, s, p->t->ops->manager_stop(p->t, manager_number(p, s)), "stop a subnet manager");
}

/* ---- time limits ---- */

struct wait {
    uint64_t until, limit;
    uint64_t starved; /* how long the managers had waited for a processor when the line began */
};

static struct wait wait_of(const struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_arg *a = run_arg(s, IBC_K_within);
    const uint64_t limit = run_scaled(p, a ? a->v[0].n : PATIENCE);

    return (struct wait){.until = run_now(p) + limit, .limit = limit, .starved = p->t->ops->managers_waited(p->t)};
}

/* The time limit is over. A manager that had no processor for a good part of it is not blamed. */
static bool too_late(struct run_player *p, const struct ibc_step *s, const struct wait *w,
                     const struct run_difference *d)
{
    const uint64_t starved = p->t->ops->managers_waited(p->t) - w->starved;

    if (starved > STARVED(w->limit) && !p->late[0])
        snprintf(p->late, sizeof p->late, "the manager waited %" PRIu64 " ms for a processor", starved / RUN_MS);
    return run_fail(p, s, NULL, d->expected, d->got);
}

/* Lets a moment pass. False: the time limit is over, or the play has ended (*good is false). */
static bool moment(struct run_player *p, const struct ibc_step *s, const struct wait *w, bool *good)
{
    const uint64_t now = run_now(p), next = now + PAUSE < w->until ? now + PAUSE : w->until;
    bool came = true;

    *good = true;
    if (now >= w->until)
        return false;
    while (came && run_now(p) < next) /* ends: time passes */
        if (!run_collect(p, next, &came, s)) {
            *good = false;
            return false;
        }
    return true;
}

/* ---- what a node has ---- */

bool run_step_has(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *l = run_live(p, s);
    const struct wait w = wait_of(p, s);
    struct ibc_step get = *s;
    struct run_difference d;
    bool good;

    get.kind = IBC_S_get;
    get.method = IBA_METHOD_GET;
    get.asks = true;
    do {
        uint8_t mad[IBA_MAD_BYTES];
        struct run_live asked = *l;
        run_smp_fill(p, &get, &asked, mad);
        if (!run_did(p, s, p->t->ops->fabric_read(p->t, l->id[0], mad), "read the attribute"))
            return false;
        if (run_smp_has(p, &get, mad, &d))
            return true;
    } while (moment(p, s, &w, &good));
    return good && too_late(p, s, &w, &d);
}

/* ---- what the whole subnet is like ---- */

bool run_step_subnet(struct run_player *p, const struct ibc_step *s)
{
    static const char *const words[] = {
#define WORDS(name, text) text,
        IBC_CHECKS(WORDS)};
    const struct wait w = wait_of(p, s);
    struct run_difference d;
    bool good;

    snprintf(d.expected, sizeof d.expected, "%s", words[s->op]);
    do {
        if (p->t->ops->fabric_check(p->t, (enum ibc_check)s->op, d.got, sizeof d.got))
            return true;
    } while (moment(p, s, &w, &good));
    return good && too_late(p, s, &w, &d);
}

/* ---- what comes to a port ---- */

/* Looks for the datagram of the line among those that have come. Others are ignored: a manager sends what it
 * needs, and no line names all of it. */
static bool find(struct run_player *p, const struct ibc_step *s, struct run_live *q, struct run_difference *d)
{
    while (q->head) {
        struct run_packet *k = q->head;
        const bool fits = run_matches(p, s, k, d);
        run_take(p, q);
        run_comment(p, k, s, fits ? "as expected" : "ignored", NULL);
        if (fits) {
            run_smp_learn(q, run_smp_in(k));
            return true;
        }
    }
    return false;
}

/* Sends the last request of that end again, since a manager may drop one, as any datagram may be lost. */
static bool repeat(struct run_player *p, const struct ibc_step *s, const struct run_live *q, uint64_t *due)
{
    struct run_packet *k;

    if (!(s->method & IBA_METHOD_RESPONSE) || !q->asked_last || run_now(p) < *due)
        return true;
    *due = run_now(p) + run_scaled(p, REPEAT);
    k = run_packet_new(p, q->asked_last->device, true);
    if (!k)
        return run_error(p, s, "out of memory");
    k->frame = q->asked_last->frame;
    k->len = q->asked_last->len;
    k->view = q->asked_last->view;
    return run_inject(p, k, s);
}

bool run_step_gets(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *q = run_live(p, s);
    const struct wait w = wait_of(p, s);
    uint64_t due = run_now(p) + run_scaled(p, REPEAT);
    struct run_difference d;
    bool good;

    p->last_at = p->last_since = run_now(p); /* `within` counts from here */
    run_show_expected(s, d.expected, sizeof d.expected);
    snprintf(d.got, sizeof d.got, "no such datagram");
    do {
        if (find(p, s, q, &d))
            return true;
        if (!repeat(p, s, q, &due))
            return false;
    } while (moment(p, s, &w, &good));
    return good && too_late(p, s, &w, &d);
}
