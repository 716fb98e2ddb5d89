/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager of the device: its verbs, its events, and the attributes that it gives queue pairs. */
#include <stdio.h>
#include <string.h>
#include "run/play.h"

enum { FIRST_TID = 0x1000, TESTER_QPN = 0x0bee00, DEVICE_QPN = 0x00d000 };

enum ibc_rc run_make_cm(struct run_player *p, struct run_live *c, unsigned d)
{
    const uint32_t n = (uint32_t)(c - p->live);

    if (!p->t->ops->cm_open)
        return IBC_UNSUPPORTED;
    c->type = IBA_QPT_GSI;
    c->attr.a.port = 1;
    c->qkey = IBA_GSI_QKEY;
    c->id[0] = 1;
    c->id[1] = c->handle = 0;
    c->peer = run_cm_peer(p, n);
    c->service_qpn = TESTER_QPN + n;
    c->device_qpn = DEVICE_QPN + n;
    c->tid = FIRST_TID + UINT64_C(0x100) * n;
    return p->t->ops->cm_open(p->t, d);
}

/* ---- verbs ---- */

/* Fills in the verb's message as the user of the device's connection manager does. The QPN in the message is that
 * of the device's QP, not of the tester's. */
static void fill_call(struct run_player *p, const struct ibc_step *s, struct run_live *c, struct ibc_cm_call *call)
{
    const uint32_t tester = c->service_qpn;
    const struct ibc_arg *compare = run_arg(s, IBC_K_compare);

    *call = (struct ibc_cm_call){.verb = (enum ibc_cm_verb)s->op, .id = c->handle};
    c->service_qpn = c->device_qpn;
    run_cm_fill(p, s, c, call->mad);
    c->service_qpn = tester;
    call->backlog = (uint32_t)run_number(p, s, IBC_K_backlog, 0, NULL);
    call->datagrams = run_has(s, IBC_K_datagrams);
    call->both = run_has(s, IBC_K_both);
    if (compare) {
        call->compare_n =
            (uint8_t)(compare->v[0].n_bytes < sizeof call->compare ? compare->v[0].n_bytes : sizeof call->compare);
        memcpy(call->compare, compare->v[0].bytes, call->compare_n);
    }
}

/* A user that chooses all fields of a message names the connection by its communication ID. */
static void learn_handle(const struct run_player *p, struct run_live *c, uint32_t handle)
{
    c->handle = handle;
    c->handled = true;
    if (p->t->cm_service == 0)
        c->id[1] = handle, c->known = true;
}

bool run_step_call(struct run_player *p, const struct ibc_step *s)
{
    static const char *const names[IBC_CM_VERB_COUNT] = {
#define VERB_NAME(name, message) #name,
        IBC_CM_VERBS(VERB_NAME)};
    struct run_live *c = run_live(p, s);
    struct ibc_cm_call call;
    enum ibc_rc rc;

    fill_call(p, s, c, &call);
    rc = p->t->ops->cm_call(p->t, 0, &call);
    if (rc == IBC_OK && (call.verb == IBC_CM_connect || call.verb == IBC_CM_resolve))
        learn_handle(p, c, call.id);
    return run_did_or(p, s, rc, names[s->op]);
}

/* ---- events ---- */

static enum ibc_rc collect_events(struct run_player *p)
{
    enum ibc_rc rc = IBC_OK;

    for (unsigned n = 1; rc == IBC_OK && n > 0 && p->n_cm_event < RUN_MAX_CM_EVENTS;) {
        rc = p->t->ops->cm_event(p->t, 0, &p->cm_event[p->n_cm_event], &n);
        p->n_cm_event += rc == IBC_OK ? n : 0;
    }
    return rc;
}

static bool poll_events(struct run_player *p, const struct ibc_step *s)
{
    return run_did(p, s, collect_events(p), "report events");
}

/* Whether the event belongs to conversation c. The device's handle decides, or the tester's communication ID in the
 * request that began the conversation. If the device's user does not see that ID, the tester's queue pair or port
 * decides. */
static bool is_about(const struct run_player *p, const struct run_live *c, const struct iba_cm_event *e)
{
    const uint8_t *data = iba_cm_event_data(e);
    const uint32_t peer = iba_cm_rtu_localcommid(data);

    if (e->kind == IBA_CME_REQ && peer == 0)
        return iba_cm_req_localqpn(data) == c->service_qpn;
    if (e->kind == IBA_CME_SIDR_REQ)
        return run_cm_asks_for(p, c, data);
    if (e->kind == IBA_CME_REQ)
        return peer == c->peer;
    return c->handled && e->id == c->handle;
}

static unsigned event_of(const struct run_player *p, const struct run_live *c)
{
    unsigned i = 0;

    while (i < p->n_cm_event && !is_about(p, c, &p->cm_event[i]))
        i++;
    return i;
}

static bool event_there(struct run_player *p, const struct ibc_step *s)
{
    return event_of(p, run_live(p, s)) < p->n_cm_event;
}

/* Lets time pass until an event comes. */
static bool await_event(struct run_player *p, const struct ibc_step *s, uint64_t patience)
{
    const uint64_t until = run_now(p) + patience;
    bool came = true;

    do {
        if (!poll_events(p, s))
            return false;
        if (event_there(p, s))
            return true;
        const uint64_t slice = run_now(p) + (p->t->virtual_time ? patience / 64 + 1 : RUN_MS);
        if (!run_collect(p, slice < until ? slice : until, &came, s))
            return false;
    } while (run_now(p) < until);
    return poll_events(p, s);
}

/* Removes the i-th event, which belongs to conversation c, from the list. */
static struct iba_cm_event take_event(struct run_player *p, struct run_live *c, unsigned i)
{
    const struct iba_cm_event e = p->cm_event[i];

    p->n_cm_event--;
    memmove(&p->cm_event[i], &p->cm_event[i + 1], (p->n_cm_event - i) * sizeof *p->cm_event);
    if (e.kind == IBA_CME_REQ || e.kind == IBA_CME_SIDR_REQ)
        learn_handle(p, c, e.id);
    return e;
}

static bool told(struct run_player *p, const struct ibc_step *s, struct run_live *c, unsigned i)
{
    const struct iba_cm_event e = p->cm_event[i];
    struct run_difference d;

    if (e.kind != s->op) {
        snprintf(d.expected, sizeof d.expected, "event %s", iba_cm_event_name((enum iba_cm_event_kind)s->op));
        snprintf(d.got, sizeof d.got, "event %s", iba_cm_event_name((enum iba_cm_event_kind)e.kind));
        return run_fail(p, s, NULL, d.expected, d.got);
    }
    (void)take_event(p, c, i);
    if (s->message && iba_madhdr_attributeid(e.mad) != 0 && !run_cm_matches(p, s, e.mad, &d))
        return run_fail(p, s, NULL, d.expected, d.got);
    return true;
}

struct run_live *run_cm_next_event(struct run_player *p, struct iba_cm_event *e)
{
    (void)collect_events(p);
    for (unsigned k = 0; k < p->n_cm_event; k++)
        for (unsigned i = 0; i < p->play->n_object; i++) {
            struct run_live *c = &p->live[i];
            if (c->kind != IBC_O_cm || !c->made || !is_about(p, c, &p->cm_event[k]))
                continue;
            *e = take_event(p, c, k);
            return c;
        }
    return NULL;
}

/* TimeWait lasts as long as the timeouts of the REQ allow packets to be in flight (MD-78): a few milliseconds with
 * the tester's REQs. */
static uint64_t patience_for(struct run_player *p, const struct ibc_step *s, const struct run_live *c)
{
    const struct ibc_arg *within = run_arg(s, IBC_K_within);

    if (within)
        return run_scaled(p, within->v[0].n);
    if (s->op == IBA_CME_NONE)
        return run_scaled(p, RUN_OPTIONAL);
    return run_scaled(p, RUN_PATIENCE) +
           (s->op == IBA_CME_TIMEWAIT_EXIT && c->ack_timeout ? 2 * iba_cm_time(c->ack_timeout) : 0);
}

bool run_step_told(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *c = run_live(p, s);
    const uint64_t patience = patience_for(p, s, c);
    char expected[RUN_TEXT];

    if (!await_event(p, s, patience))
        return false;
    const unsigned i = event_of(p, c);
    if (i < p->n_cm_event)
        return told(p, s, c, i);
    if (s->op == IBA_CME_NONE)
        return true;
    snprintf(expected, sizeof expected, "event %s", iba_cm_event_name((enum iba_cm_event_kind)s->op));
    return run_fail(p, s, NULL, expected, "no event");
}

/* ---- attributes ---- */

bool run_step_gives(struct run_player *p, const struct ibc_step *s)
{
    struct iba_qp_attr a;
    const enum ibc_rc rc = p->t->ops->cm_attributes(p->t, 0, run_live(p, s)->handle,
                                                    (enum iba_qp_state)run_arg(s, IBC_K_value)->v[0].n, &a);
    char expected[RUN_TEXT], got[RUN_TEXT];

    return run_did(p, s, rc, "give a queue pair its attributes") &&
           (run_attributes_fit(p, s, &a, expected, got) || run_fail(p, s, NULL, expected, got));
}
