/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager of a live device: the agent's verbs. */
#include <string.h>
#include "live_inside.h"

enum ibc_rc live_cm_open(struct ibc_target *t, unsigned d)
{
    struct live *l = live_of(t);

    enum ibc_rc rc;

    (void)live_request(l, AG_V_cm_open, d);
    rc = live_ask(l);
    t->cm_service = rc == IBC_OK && AG_HAS(&l->r.u.cm_open, cm_open_ok, service) ? l->r.u.cm_open.service : 0;
    return rc;
}

enum ibc_rc live_cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *c)
{
    struct live *l = live_of(t);
    struct ag_cm_call_args *a = &live_request(l, AG_V_cm_call, d)->u.cm_call;
    enum ibc_rc rc;

    a->call = (uint8_t)c->verb;
    a->conn = c->id;
    a->hex.n = (uint32_t)sizeof c->mad + c->compare_n;
    memcpy(a->hex.b, c->mad, sizeof c->mad);
    memcpy(a->hex.b + sizeof c->mad, c->compare, c->compare_n);
    AG_SET(a, cm_call_args, backlog, c->backlog);
    AG_SET(a, cm_call_args, datagrams, c->datagrams);
    AG_SET(a, cm_call_args, both, c->both);
    rc = live_ask(l);
    if (rc == IBC_OK)
        c->id = l->r.u.cm_call.conn;
    return rc;
}

enum ibc_rc live_cm_event(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n)
{
    struct live *l = live_of(t);
    const struct ag_cm_event_ok *is = &l->r.u.cm_event;
    enum ibc_rc rc;

    *n = 0;
    (void)live_request(l, AG_V_cm_event, d);
    rc = live_ask(l);
    if (rc != IBC_OK || is->kind == IBA_CME_NONE)
        return rc;
    *n = 1;
    *e = (struct iba_cm_event){.kind = is->kind, .id = is->conn, .reason = is->reason};
    if (is->hex.n == sizeof e->mad)
        memcpy(e->mad, is->hex.b, sizeof e->mad);
    return rc;
}

enum ibc_rc live_cm_attributes(struct ibc_target *t, unsigned d, uint32_t id, enum iba_qp_state state,
                               struct iba_qp_attr *a)
{
    struct live *l = live_of(t);
    struct ag_cm_attributes_args *args = &live_request(l, AG_V_cm_attributes, d)->u.cm_attributes;
    struct ag_query_qp_ok q;
    enum ibc_rc rc;

    args->conn = id;
    args->state = (uint8_t)state;
    rc = live_ask(l);
    _Static_assert(sizeof q == sizeof l->r.u.cm_attributes, "the members of both are the same");
    if (rc == IBC_OK) {
        memcpy(&q, &l->r.u.cm_attributes, sizeof q);
        ag_to_query(a, &q);
    }
    return rc;
}
