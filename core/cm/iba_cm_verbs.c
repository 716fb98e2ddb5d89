/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs of a CM: what its user may do in which state (section 12.9, 12.11). */
#include <assert.h>
#include <string.h>
#include "cm/deviations_cm.h"
#include "cm/iba_cm_rows.h"

#define NO IN(NONE)
#define ASKING (IN(REQ_SENT) | IN(MRA_REQ_RCVD))
#define ASKED (IN(REQ_RCVD) | IN(MRA_REQ_SENT))
#define OFFERING (IN(REP_SENT) | IN(MRA_REP_RCVD))
#define OFFERED (IN(REP_RCVD) | IN(MRA_REP_SENT))
#define SUGGESTED (IN(LAP_RCVD) | IN(MRA_LAP_SENT))
#define UP (IN(ESTABLISHED) | IN(LAP_SENT) | IN(MRA_LAP_RCVD) | SUGGESTED)

static uint8_t at_most(uint8_t n, uint8_t most)
{
    return n < most ? n : most;
}

/* The REP offers no more than the REQ asks for (MD-62). */
static void take_accept(struct iba_cm_rx *x)
{
    const struct iba_cm_rep *given = x->body;
    struct iba_cm_conn *c = x->c;
    uint8_t wire[IBA_BYTES_cm_rep];

    iba_layout_put(&iba_mad_layouts[IBA_M_cm_rep], given, wire);
    memcpy(c->rep, wire, sizeof c->rep);
    iba_cm_rep_set_localcommid(c->rep, c->local_id);
    iba_cm_rep_set_remotecommid(c->rep, c->remote_id);
    iba_cm_rep_set_localcaguid(c->rep, x->cm->cfg.ca_guid);
    iba_cm_rep_set_tgtackdelay(c->rep, x->cm->cfg.target_ack_delay);
    if (IBA_KEEPS(x->cm, cm, BOUNDS)) {
        iba_cm_rep_set_respres(c->rep, at_most(given->respres, iba_cm_req_initdepth(c->req)));
        iba_cm_rep_set_initdepth(c->rep, at_most(given->initdepth, iba_cm_req_responderres(c->req)));
    }
    c->has_rep = true;
    iba_cm_set_local_qp(x->cm, c, iba_cm_rep_qp(c->rep, c->service));
}

static void take_delay(struct iba_cm_rx *x)
{
    x->c->service_time = *(const uint8_t *)x->body & 31;
}

/* clang-format off */
/*    name               on           in                 when           take         answer    code next           timer     event        the user ...                                              clause */
#define CM_VERB_RULES(R)                                                                                                                                                                                      \
    R(connect,           connect,     NO,                iba_cm_always, NULL,        REQ,      0,   REQ_SENT,      RESPONSE, NONE,        "connects",                                               "MD-67")       \
    R(accept,            accept,      ASKED,             iba_cm_always, take_accept, REP,      0,   REP_SENT,      RESPONSE, NONE,        "accepts a REQ",                                          "MD-65,MD-62") \
    R(confirm,           confirm,     OFFERED,           iba_cm_always, NULL,        RTU,      0,   ESTABLISHED,   NONE,     NONE,        "accepts a REP",                                          "MD-67")       \
    R(reject_req,        reject,      ASKED,             iba_cm_always, NULL,        REJ,      0,   NONE,          NONE,     NONE,        "rejects a REQ",                                          "MD-65,MD-74") \
    R(reject_rep,        reject,      OFFERED,           iba_cm_always, NULL,        REJ,      0,   NONE,          NONE,     NONE,        "rejects a REP",                                          "MD-85,MD-74") \
    R(delay_req,         delay,       IN(REQ_RCVD),      iba_cm_always, take_delay,  MRA,      0,   MRA_REQ_SENT,  NONE,     NONE,        "needs more time for a REQ",                              "MD-69")       \
    R(delay_rep,         delay,       IN(REP_RCVD),      iba_cm_always, take_delay,  MRA,      0,   MRA_REP_SENT,  NONE,     NONE,        "needs more time for a REP",                              "MD-69")       \
    R(delay_lap,         delay,       IN(LAP_RCVD),      iba_cm_always, take_delay,  MRA,      0,   MRA_LAP_SENT,  NONE,     NONE,        "needs more time for a LAP",                              "MD-69,MD-79") \
    R(established,       established, OFFERING,          iba_cm_always, NULL,        NOTHING,  0,   ESTABLISHED,   NONE,     ESTABLISHED, "reports a packet of the connection before the RTU",      "MD-66")       \
    R(disconnect,        disconnect,  UP,                iba_cm_always, NULL,        DREQ,     0,   DREQ_SENT,     RESPONSE, NONE,        "disconnects",                                            "MD-76")       \
    R(disconnect_too,    disconnect,  IN(DREQ_RCVD),     iba_cm_always, NULL,        DREP,     0,   TIMEWAIT,      TIMEWAIT, NONE,        "disconnects after the peer",                             "MD-76")       \
    R(abandon_asking,    abandon,     ASKING,            iba_cm_always, NULL,        REJ,      4,   NONE,          NONE,     NONE,        "abandons a connection that waits for a REP",             "MD-74")       \
    R(abandon_asked,     abandon,     ASKED|OFFERED,     iba_cm_always, NULL,        REJ,      28,  NONE,          NONE,     NONE,        "abandons a connection without answering",                "MD-74")       \
    R(abandon_offering,  abandon,     OFFERING,          iba_cm_always, NULL,        REJ,      28,  TIMEWAIT,      TIMEWAIT, NONE,        "abandons a connection that waits for an RTU",            "MD-74,MD-78") \
    R(abandon_up,        abandon,     UP,                iba_cm_always, NULL,        DREQ,     0,   DREQ_SENT,     RESPONSE, NONE,        "abandons an established connection",                     "MD-76")       \
    R(abandon_asked_end, abandon,     IN(DREQ_RCVD),     iba_cm_always, NULL,        DREP,     0,   TIMEWAIT,      TIMEWAIT, NONE,        "abandons a connection that the peer disconnects",        "MD-76")       \
    R(abandon_end,       abandon,     IN(DREQ_SENT),     iba_cm_always, NULL,        NOTHING,  0,   TIMEWAIT,      TIMEWAIT, NONE,        "abandons a connection that waits for a DREP",            "MD-78")       \
    R(abandon_sidr,      abandon,     IN(SIDR_REQ_SENT), iba_cm_always, NULL,        NOTHING,  0,   NONE,          NONE,     NONE,        "abandons a SIDR_REQ",                                    "MD-80")       \
    R(abandon_sidr_req,  abandon,     IN(SIDR_REQ_RCVD), iba_cm_always, NULL,        SIDR_REP, 2,   NONE,          NONE,     NONE,        "abandons a SIDR_REQ without answering",                  "MD-80")       \
    R(load,              load,        IN(ESTABLISHED),   iba_cm_always, iba_cm_take_load, LAP,      0,   LAP_SENT,      RESPONSE, NONE,        "asks the peer to load an alternate path",                "MD-79")       \
    R(loaded,            loaded,      SUGGESTED,         iba_cm_always, iba_cm_take_alternate, APR,      0,   ESTABLISHED,   NONE,     NONE,        "answers a LAP",                                          "MD-79")       \
    R(suggest,           suggest,     UP,                iba_cm_always, NULL,        SAP,      0,   SAME,          NONE,     NONE,        "suggests an alternate path",                             "MD-54")       \
    R(suggested,         suggested,   UP,                iba_cm_always, NULL,        SPR,      0,   SAME,          NONE,     NONE,        "answers a SAP",                                          "MD-54")       \
    R(resolve,           resolve,     NO,                iba_cm_always, NULL,        SIDR_REQ, 0,   SIDR_REQ_SENT, RESPONSE, NONE,        "asks for the queue pair of a service",                   "MD-80")       \
    R(resolved,          resolved,    IN(SIDR_REQ_RCVD), iba_cm_always, NULL,        SIDR_REP, 0,   NONE,          NONE,     NONE,        "answers a SIDR_REQ",                                     "MD-80")       \
    R(forget,            forget,      UP,                iba_cm_always, NULL,        DREQ,     0,   DREQ_SENT,     RESPONSE, STALE,       "has a connection whose queue pair the peer reuses",      "MD-73")
/* clang-format on */

IBA_CM_RULE_TABLE(CM_VERB_RULES, iba_cm_verb_rules, "CM verbs")

/* ---- all verbs ---- */

/* Calls a verb of connection `id`. The verb's message has space for `most` bytes of private data. */
static enum iba_cm_err call(struct iba_cm_rx *x, uint32_t id, size_t most)
{
    assert(x->now >= x->cm->now);
    x->cm->now = x->now;
    x->c = iba_cm_by_id(x->cm, id);
    if (!x->c)
        return IBA_CM_NO_CONNECTION;
    if (x->priv.n > most || x->ari.n > IBA_CM_ARI_BYTES)
        return IBA_CM_PRIVATE_TOO_LONG;
    if (!iba_cm_has_room(x->cm))
        return IBA_CM_FULL;
    return iba_cm_apply(x, IBA_CM_TABLE_VERBS) ? IBA_CM_OK : IBA_CM_WRONG_STATE;
}

/* Checks the input of a verb that begins a connection, and takes a slot for the connection. */
static enum iba_cm_err begin(struct iba_cm_rx *x, size_t most)
{
    assert(x->now >= x->cm->now);
    if (x->priv.n > most)
        return IBA_CM_PRIVATE_TOO_LONG;
    if (!iba_cm_has_room(x->cm))
        return IBA_CM_FULL;
    x->cm->now = x->now;
    x->c = iba_cm_conn_new(x->cm);
    if (!x->c)
        return IBA_CM_FULL;
    return IBA_CM_OK;
}

static enum iba_cm_err start(struct iba_cm_rx *x)
{
    struct iba_cm_conn *c = x->c;

    if (iba_cm_apply(x, IBA_CM_TABLE_VERBS))
        return IBA_CM_OK;
    iba_cm_conn_free(x->cm, c);
    return IBA_CM_WRONG_STATE;
}

/* ---- listening ---- */

static bool same_listen(const struct iba_cm_listen *a, const struct iba_cm_listen *b)
{
    return a->datagrams == b->datagrams && a->service_id == b->service_id && a->service_mask == b->service_mask &&
           a->compare_at == b->compare_at && a->compare_n == b->compare_n &&
           memcmp(a->compare, b->compare, a->compare_n) == 0 &&
           memcmp(a->compare_mask, b->compare_mask, a->compare_n) == 0;
}

enum iba_cm_err iba_cm_listen(struct iba_cm *cm, const struct iba_cm_listen *l, uint32_t *number)
{
    struct iba_cm_listener *free_one = NULL;

    if ((unsigned)l->compare_at + l->compare_n > IBA_CM_REQ_BYTES)
        return IBA_CM_BAD_VALUE;
    for (uint32_t i = cm->cfg.n_listener; i-- > 0;) {
        if (!cm->cfg.listener[i].used)
            free_one = &cm->cfg.listener[i];
        else if (same_listen(&cm->cfg.listener[i].what, l))
            return IBA_CM_SERVICE_BUSY;
    }
    if (!free_one)
        return IBA_CM_FULL;
    *free_one = (struct iba_cm_listener){.what = *l, .used = true};
    *number = (uint32_t)(free_one - cm->cfg.listener);
    return IBA_CM_OK;
}

enum iba_cm_err iba_cm_unlisten(struct iba_cm *cm, uint32_t number, iba_time now)
{
    if (number >= cm->cfg.n_listener || !cm->cfg.listener[number].used)
        return IBA_CM_NO_SERVICE;
    for (uint32_t i = 0; i < cm->cfg.n_conn && cm->cfg.listener[number].waiting > 0; i++) {
        const struct iba_cm_conn *c = &cm->cfg.conn[i];
        if (c->local_id && c->listener == number && iba_cm_abandon(cm, c->local_id, now) != IBA_CM_OK)
            return IBA_CM_FULL;
    }
    cm->cfg.listener[number].used = false;
    return IBA_CM_OK;
}

/* ---- connecting ---- */

enum iba_cm_err iba_cm_connect(struct iba_cm *cm, const struct iba_cm_request *r, iba_time now, uint32_t *id)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_connect, .now = now, .priv = r->private_data};
    const uint32_t qpn = r->req.localqpn & IBA_PSN_MASK;

    if (qpn == 0)
        return IBA_CM_BAD_VALUE;
    if (iba_cm_by_local_qp(cm, qpn))
        return IBA_CM_QP_BUSY;
    const enum iba_cm_err e = begin(&x, IBA_CM_REQ_BYTES);
    if (e != IBA_CM_OK)
        return e;
    struct iba_cm_conn *c = x.c;
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_req], &r->req, c->req);
    iba_cm_req_set_localcommid(c->req, c->local_id);
    iba_cm_req_set_localcaguid(c->req, cm->cfg.ca_guid);
    iba_cm_set_local_qp(cm, c, qpn);
    c->active = true;
    c->service = r->req.transpsvctype;
    c->response = r->req.remoteresptout;
    c->av = r->av;
    c->pkey = r->req.pkey;
    c->user = r->user;
    if (r->peer)
        iba_cm_set_peer(cm, c);
    *id = c->local_id;
    return start(&x);
}

enum iba_cm_err iba_cm_accept(struct iba_cm *cm, uint32_t id, const struct iba_cm_rep *rep, struct iba_cm_private p,
                              iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_accept, .now = now, .priv = p, .body = rep};
    const struct iba_cm_conn *c = iba_cm_by_id(cm, id);
    const uint32_t qpn = c && c->service == IBA_CM_EXTENDED ? rep->localeecn : rep->localqpn;
    const struct iba_cm_conn *owner = iba_cm_by_local_qp(cm, qpn & IBA_PSN_MASK);

    if ((qpn & IBA_PSN_MASK) == 0)
        return IBA_CM_BAD_VALUE;
    if (owner && owner != c)
        return IBA_CM_QP_BUSY;
    return call(&x, id, IBA_CM_REP_BYTES);
}

enum iba_cm_err iba_cm_confirm(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_confirm, .now = now, .priv = p};

    return call(&x, id, IBA_CM_RTU_BYTES);
}

enum iba_cm_err iba_cm_reject(struct iba_cm *cm, uint32_t id, uint16_t reason, struct iba_cm_private ari,
                              struct iba_cm_private p, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_reject, .now = now, .priv = p, .ari = ari, .reason = reason};

    return call(&x, id, IBA_CM_REJ_BYTES);
}

enum iba_cm_err iba_cm_delay(struct iba_cm *cm, uint32_t id, uint8_t code, struct iba_cm_private p, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_delay, .now = now, .priv = p, .body = &code};

    return call(&x, id, IBA_CM_MRA_BYTES);
}

enum iba_cm_err iba_cm_established(struct iba_cm *cm, uint32_t id, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_established, .now = now};

    return call(&x, id, 0);
}

enum iba_cm_err iba_cm_disconnect(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_disconnect, .now = now, .priv = p};
    const struct iba_cm_conn *c = iba_cm_by_id(cm, id);

    return call(&x, id, c && c->state == IBA_CMS_DREQ_RCVD ? IBA_CM_DREP_BYTES : IBA_CM_DREQ_BYTES);
}

enum iba_cm_err iba_cm_abandon(struct iba_cm *cm, uint32_t id, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_abandon, .now = now};

    return call(&x, id, 0);
}

/* ---- alternate paths ---- */

enum iba_cm_err iba_cm_load(struct iba_cm *cm, uint32_t id, const struct iba_cm_lap *lap, struct iba_cm_private p,
                            iba_time now)
{
    uint8_t wire[IBA_BYTES_cm_lap];
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_load, .now = now, .priv = p, .body = wire};

    iba_layout_put(&iba_mad_layouts[IBA_M_cm_lap], lap, wire);
    return call(&x, id, IBA_CM_LAP_BYTES);
}

enum iba_cm_err iba_cm_loaded(struct iba_cm *cm, uint32_t id, uint8_t status, struct iba_cm_private info,
                              struct iba_cm_private p, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_loaded, .now = now, .priv = p, .ari = info, .reason = status};

    return call(&x, id, IBA_CM_APR_BYTES);
}

enum iba_cm_err iba_cm_suggest(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_suggest, .now = now, .priv = p};

    return call(&x, id, IBA_CM_RTU_BYTES);
}

enum iba_cm_err iba_cm_suggested(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_suggested, .now = now, .priv = p};

    return call(&x, id, IBA_CM_RTU_BYTES);
}

/* ---- datagram services ---- */

enum iba_cm_err iba_cm_resolve(struct iba_cm *cm, const struct iba_cm_resolve *r, iba_time now, uint32_t *id)
{
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_resolve, .now = now, .priv = r->private_data};
    const enum iba_cm_err e = begin(&x, IBA_CM_SIDR_REQ_BYTES);

    if (e != IBA_CM_OK)
        return e;
    iba_cm_sidr_req_set_requestid(x.c->req, x.c->local_id);
    iba_cm_sidr_req_set_pkey(x.c->req, r->pkey);
    iba_cm_sidr_req_set_serviceid(x.c->req, r->service_id);
    x.c->service = IBA_CM_DATAGRAM;
    x.c->active = true;
    x.c->response = r->response & 31;
    x.c->retries = r->retries;
    x.c->av = r->av;
    x.c->pkey = r->pkey;
    x.c->user = r->user;
    *id = x.c->local_id;
    return start(&x);
}

enum iba_cm_err iba_cm_resolved(struct iba_cm *cm, uint32_t id, const struct iba_cm_sidr_rep *rep,
                                struct iba_cm_private p, iba_time now)
{
    uint8_t wire[IBA_BYTES_cm_sidr_rep];
    struct iba_cm_rx x = {.cm = cm, .on = IBA_CM_ON_resolved, .now = now, .priv = p, .body = wire};

    iba_layout_put(&iba_mad_layouts[IBA_M_cm_sidr_rep], rep, wire);
    return call(&x, id, IBA_CM_SIDR_REP_BYTES);
}
