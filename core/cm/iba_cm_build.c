/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes datagrams and events from the connection, or from the message that a datagram answers. */
#include <string.h>
#include "cm/deviations_cm.h"

/* The offset at which the private data of each message begin, and their number of bytes (MD-55..MD-60). */
#define PLACES(P)                                                                                                      \
    P(REQ, IBA_BYTES_cm_req, IBA_CM_REQ_BYTES)                                                                         \
    P(MRA, IBA_AT_cm_mra_private_data / 8, IBA_CM_MRA_BYTES)                                                           \
    P(REJ, IBA_AT_cm_rej_private_data / 8, IBA_CM_REJ_BYTES)                                                           \
    P(REP, IBA_AT_cm_rep_private_data / 8, IBA_CM_REP_BYTES)                                                           \
    P(RTU, IBA_AT_cm_rtu_private_data / 8, IBA_CM_RTU_BYTES)                                                           \
    P(DREQ, IBA_AT_cm_dreq_private_data / 8, IBA_CM_DREQ_BYTES)                                                        \
    P(DREP, IBA_AT_cm_drep_private_data / 8, IBA_CM_DREP_BYTES)                                                        \
    P(SIDR_REQ, IBA_BYTES_cm_sidr_req, IBA_CM_SIDR_REQ_BYTES)                                                          \
    P(SIDR_REP, IBA_AT_cm_sidr_rep_private_data / 8, IBA_CM_SIDR_REP_BYTES)                                            \
    P(LAP, IBA_AT_cm_lap_private_data / 8, IBA_CM_LAP_BYTES)                                                           \
    P(APR, IBA_AT_cm_apr_private_data / 8, IBA_CM_APR_BYTES)                                                           \
    P(SAP, IBA_AT_cm_sap_data / 8, IBA_CM_RTU_BYTES)                                                                   \
    P(SPR, IBA_AT_cm_spr_data / 8, IBA_CM_RTU_BYTES)

static const struct {
    uint8_t at, n;
} places[] = {
#define PLACE(name, at_, n_) [IBA_CM_ON_##name] = {(at_), (n_)},
    PLACES(PLACE)};
#define TILES(name, at_, n_) _Static_assert((at_) + (n_) == 232, #name " fills the MAD");
PLACES(TILES)

bool iba_cm_private_place(uint16_t attribute, size_t *at, size_t *n)
{
    if (attribute < IBA_CM_ID_REQ || attribute > IBA_CM_ID_SPR)
        return false;
    *at = IBA_BYTES_madhdr + (size_t)places[attribute - IBA_CM_ID_REQ].at;
    *n = places[attribute - IBA_CM_ID_REQ].n;
    return true;
}

const uint8_t *iba_cm_event_private(const struct iba_cm_event *e, size_t *n)
{
    size_t at;

    if (!iba_cm_private_place(iba_madhdr_attributeid(e->mad), &at, n))
        return NULL;
    return e->mad + at;
}

/* ---- rings ---- */

bool iba_cm_has_room(const struct iba_cm *cm)
{
    return cm->out_n + IBA_CM_RINGS_LEAST <= cm->cfg.n_out && cm->event_n + IBA_CM_RINGS_LEAST <= cm->cfg.n_event;
}

static void emit(struct iba_cm *cm, const struct iba_av *av, uint16_t pkey, const uint8_t *mad)
{
    struct iba_cm_datagram *d = &cm->cfg.out[(cm->out_at + cm->out_n) % cm->cfg.n_out];

    d->av = *av;
    d->pkey = pkey;
    memcpy(d->mad, mad, IBA_MAD_BYTES);
    cm->out_n++;
}

bool iba_cm_poll(struct iba_cm *cm, struct iba_cm_datagram *out)
{
    if (cm->out_n == 0)
        return false;
    *out = cm->cfg.out[cm->out_at];
    cm->out_at = (cm->out_at + 1) % cm->cfg.n_out;
    cm->out_n--;
    return true;
}

bool iba_cm_next_event(struct iba_cm *cm, struct iba_cm_event *e)
{
    if (cm->event_n == 0)
        return false;
    *e = cm->cfg.event[cm->event_at];
    cm->event_at = (cm->event_at + 1) % cm->cfg.n_event;
    cm->event_n--;
    return true;
}

/* Returns the reason of a REJ, the timeout of an MRA, the status of an APR or SIDR_REP; 0 for other messages. */
static uint16_t reason_of(const struct iba_cm_rx *x)
{
    switch ((enum iba_cm_input)x->on) {
    case IBA_CM_ON_REJ: return iba_cm_rej_reason(x->data);
    case IBA_CM_ON_MRA: return iba_cm_mra_servicetimeout(x->data);
    case IBA_CM_ON_APR: return iba_cm_apr_status(x->data);
    case IBA_CM_ON_SIDR_REP: return iba_cm_sidr_rep_status(x->data);
    default: return 0;
    }
}

void iba_cm_report(struct iba_cm_rx *x, enum iba_cm_event_kind k)
{
    struct iba_cm *cm = x->cm;
    struct iba_cm_event *e = &cm->cfg.event[(cm->event_at + cm->event_n) % cm->cfg.n_event];

    memset(e, 0, sizeof *e);
    e->id = x->c->local_id;
    e->kind = (uint8_t)k;
    e->state = x->c->state;
    e->listener = x->c->listener;
    e->user = x->c->user;
    if (x->from)
        e->av = x->from->av;
    if (x->mad) {
        memcpy(e->mad, x->mad, IBA_MAD_BYTES);
        e->reason = reason_of(x);
    }
    cm->event_n++;
}

/* ---- messages ---- */

static void header(uint8_t *mad, uint16_t attribute, uint64_t tid) /* MD-54 */
{
    memset(mad, 0, IBA_MAD_BYTES);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_CM);
    iba_madhdr_set_classversion(mad, IBA_CM_VERSION);
    iba_madhdr_set_method(mad, IBA_CM_SEND);
    iba_madhdr_set_transactionid(mad, tid);
    iba_madhdr_set_attributeid(mad, attribute);
}

/* Communication IDs stand at the same place in all messages that have both. A message without a connection answers
 * x->mad, so it has the IDs of x->mad, exchanged. */
static void communication_ids(const struct iba_cm_rx *x, uint8_t *data)
{
    if (x->c) {
        iba_cm_rtu_set_localcommid(data, x->c->local_id);
        iba_cm_rtu_set_remotecommid(data, x->c->remote_id);
    } else {
        iba_cm_rtu_set_localcommid(data, iba_cm_rtu_remotecommid(x->data));
        iba_cm_rtu_set_remotecommid(data, iba_cm_rtu_localcommid(x->data));
    }
}

static void fill_mra(const struct iba_cm_rx *x, uint8_t *data)
{
    const uint8_t state = x->c->state;

    communication_ids(x, data);
    iba_cm_mra_set_msgmraed(data, state == IBA_CMS_REQ_RCVD ? 0 : state == IBA_CMS_REP_RCVD ? 1 : IBA_CM_OTHER);
    iba_cm_mra_set_servicetimeout(data, x->c->service_time);
}

/* Returns the code of the message that a REJ rejects (MD-56). */
static unsigned rejected(const struct iba_cm_rx *x)
{
    if (x->on == IBA_CM_ON_REQ || x->on == IBA_CM_ON_REP)
        return x->on == IBA_CM_ON_REP;
    switch ((enum iba_cm_state)x->c->state) {
    case IBA_CMS_REQ_RCVD:
    case IBA_CMS_MRA_REQ_SENT: return 0;
    case IBA_CMS_REP_RCVD:
    case IBA_CMS_MRA_REP_SENT: return 1;
    default: return IBA_CM_OTHER;
    }
}

/* Writes the additional information of a REJ: the value that would have been acceptable, or the GUID of the end that
 * gave up (MD-74). */
static size_t reject_info(const struct iba_cm_rx *x, uint16_t reason, uint8_t *ari)
{
    /* Only an arrived datagram is rejected for its GID, LID or MTU. The acceptable values are those of the port at
     * which the datagram arrived. */
    const struct iba_port *p = &x->cm->cfg.port[x->from ? x->from->port - 1 : 0];

    switch (reason) {
    case IBA_CM_REJ_TIMEOUT: iba_bits_put(ari, 0, 64, x->cm->cfg.ca_guid); return 8;
    case IBA_CM_REJ_GID:
    case IBA_CM_REJ_ALT_GID: memcpy(ari, p->gid[0], 16); return 16;
    case IBA_CM_REJ_LID:
    case IBA_CM_REJ_ALT_LID: iba_bits_put(ari, 0, 16, p->lid); return 2;
    case IBA_CM_REJ_MTU: ari[0] = p->mtu; return 1;
    default: return 0;
    }
}

static void fill_rej(const struct iba_cm_rx *x, uint8_t *data, uint16_t reason)
{
    uint8_t ari[IBA_CM_ARI_BYTES] = {0};
    size_t n = 0;

    communication_ids(x, data);
    if (x->on == IBA_CM_ON_REP) /* the connection may not know the peer's ID yet */
        iba_cm_rej_set_remotecommid(data, iba_cm_rep_localcommid(x->data));
    if (x->on == IBA_CM_ON_REQ) /* the connection may have another peer's ID, or none */
        iba_cm_rej_set_remotecommid(data, iba_cm_req_localcommid(x->data));
    if (rejected(x) == 0 && (!x->c || x->c->state == IBA_CMS_REQ_RCVD || x->c->state == IBA_CMS_TIMEWAIT))
        iba_cm_rej_set_localcommid(data, 0); /* the peer has not seen this end's ID */
    if (x->on >= IBA_CM_ON_TIMER && x->ari.n > 0)
        memcpy(ari, x->ari.bytes, n = x->ari.n);
    else if (x->on <= IBA_CM_ON_TIMER || reason == IBA_CM_REJ_TIMEOUT)
        n = reject_info(x, reason, ari);
    iba_cm_rej_set_msgrej(data, rejected(x));
    iba_cm_rej_set_rejinfolen(data, n);
    iba_cm_rej_set_reason(data, reason);
    iba_cm_rej_set_ari(data, ari);
}

static void fill_sidr_rep(const struct iba_cm_rx *x, uint8_t *data, uint16_t status)
{
    const uint8_t *req = x->c ? x->c->req : x->data;

    if (x->body)
        memcpy(data, x->body, IBA_BYTES_cm_sidr_rep);
    else
        iba_cm_sidr_rep_set_status(data, status);
    iba_cm_sidr_rep_set_requestid(data, iba_cm_sidr_req_requestid(req));
    iba_cm_sidr_rep_set_serviceid(data, iba_cm_sidr_req_serviceid(req));
}

static void fill_apr(const struct iba_cm_rx *x, uint8_t *data, uint16_t status)
{
    uint8_t info[IBA_CM_ARI_BYTES] = {0};

    communication_ids(x, data);
    iba_cm_apr_set_status(data, status);
    if (x->ari.n == 0)
        return;
    memcpy(info, x->ari.bytes, x->ari.n);
    iba_cm_apr_set_infolen(data, x->ari.n);
    iba_cm_apr_set_info(data, info);
}

static void fill(const struct iba_cm_rx *x, enum iba_cm_answer a, uint8_t *data, uint16_t code)
{
    switch (a) {
    case IBA_CMA_REQ: memcpy(data, x->c->req, sizeof x->c->req); return;
    case IBA_CMA_SIDR_REQ: memcpy(data, x->c->req, IBA_BYTES_cm_sidr_req); return;
    case IBA_CMA_MRA: fill_mra(x, data); return;
    case IBA_CMA_REJ: fill_rej(x, data, code); return;
    case IBA_CMA_REP: memcpy(data, x->c->rep, sizeof x->c->rep); return;
    case IBA_CMA_LAP: memcpy(data, x->body, IBA_BYTES_cm_lap); break;
    case IBA_CMA_APR: fill_apr(x, data, code); return;
    case IBA_CMA_SIDR_REP: fill_sidr_rep(x, data, code); return;
    default: break;
    }
    communication_ids(x, data);
    if (a == IBA_CMA_DREQ)
        iba_cm_dreq_set_remoteqpn(data, x->c->remote_qpn);
    if (a == IBA_CMA_LAP)
        iba_cm_lap_set_remoteqpn(data, x->c->remote_qpn);
}

/* Returns the transaction ID of a message. A request begins a transaction; its answer, and the answer to that answer,
 * belong to the same one. */
static uint64_t transaction(struct iba_cm_rx *x, enum iba_cm_answer a)
{
    switch (a) {
    case IBA_CMA_REQ:
    case IBA_CMA_DREQ:
    case IBA_CMA_LAP:
    case IBA_CMA_SIDR_REQ: x->c->tid = ++x->cm->tid; break;
    case IBA_CMA_SAP: return ++x->cm->tid;
    case IBA_CMA_SPR: return x->c->sap_tid;
    default: return x->c && !(x->mad && a == IBA_CMA_REJ) ? x->c->tid : iba_madhdr_transactionid(x->mad);
    }
    if (a == IBA_CMA_REQ)
        x->c->first_tid = x->c->tid;
    return x->c->tid;
}

/* The connection keeps the message, since a timer may repeat it, or a duplicate of the message that it answers may. */
static bool is_kept(enum iba_cm_answer a)
{
    return a != IBA_CMA_REJ && a != IBA_CMA_SAP && a != IBA_CMA_SPR;
}

void iba_cm_answer(struct iba_cm_rx *x, enum iba_cm_answer a, uint16_t code)
{
    static const uint8_t input[IBA_CMA_COUNT] = {[IBA_CMA_REQ] = IBA_CM_ON_REQ,
                                                 [IBA_CMA_MRA] = IBA_CM_ON_MRA,
                                                 [IBA_CMA_REJ] = IBA_CM_ON_REJ,
                                                 [IBA_CMA_REP] = IBA_CM_ON_REP,
                                                 [IBA_CMA_RTU] = IBA_CM_ON_RTU,
                                                 [IBA_CMA_DREQ] = IBA_CM_ON_DREQ,
                                                 [IBA_CMA_DREP] = IBA_CM_ON_DREP,
                                                 [IBA_CMA_SIDR_REQ] = IBA_CM_ON_SIDR_REQ,
                                                 [IBA_CMA_SIDR_REP] = IBA_CM_ON_SIDR_REP,
                                                 [IBA_CMA_LAP] = IBA_CM_ON_LAP,
                                                 [IBA_CMA_APR] = IBA_CM_ON_APR,
                                                 [IBA_CMA_SAP] = IBA_CM_ON_SAP,
                                                 [IBA_CMA_SPR] = IBA_CM_ON_SPR};
    uint8_t mad[IBA_MAD_BYTES];

    if (a == IBA_CMA_NOTHING)
        return;
    if (a == IBA_CMA_AGAIN) {
        memcpy(mad, x->c->sent, sizeof mad);
    } else {
        header(mad, (uint16_t)(IBA_CM_ID_REQ + input[a]), transaction(x, a));
        fill(x, a, mad + IBA_BYTES_madhdr, code);
        if (x->priv.n > 0)
            memcpy(mad + IBA_BYTES_madhdr + places[input[a]].at, x->priv.bytes, x->priv.n);
    }
    if (x->cm->deviate)
        x->cm->deviate->message(x, a, mad);
    if (x->c && is_kept(a))
        memcpy(x->c->sent, mad, sizeof mad);
    /* MD-82: an answer goes to the sender of the message that it answers */
    emit(x->cm, x->c ? &x->c->av : &x->from->av, x->c ? x->c->pkey : x->from->pkey, mad);
}
