/* SPDX-License-Identifier: BSD-2-Clause */
#include "hand.h"
#include <assert.h>
#include <string.h>

static const struct iba_net_faults good = {.delay_ns = 1000};

void hand_open(struct hand *h, enum iba_port_kind kind)
{
    uint32_t number;
    enum iba_cm_err e;

    memset(h, 0, sizeof *h);
    lab_open(&h->lab, kind, LAB_CONNS, 1, &good);
    for (unsigned i = 0; i < 2; i++) {
        e = iba_cm_listen(
            HAND_CM(h),
            &(struct iba_cm_listen){.service_id = LAB_SERVICE, .service_mask = UINT64_MAX, .datagrams = i == 1},
            &number);
        assert(e == IBA_CM_OK);
    }
    (void)e;
}

void hand_close(struct hand *h)
{
    lab_close(&h->lab);
}

uint8_t *hand_message(uint8_t *mad, uint16_t attribute, uint64_t tid)
{
    memset(mad, 0, IBA_MAD_BYTES);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_CM);
    iba_madhdr_set_classversion(mad, 2);
    iba_madhdr_set_method(mad, 3);
    iba_madhdr_set_transactionid(mad, tid);
    iba_madhdr_set_attributeid(mad, attribute);
    return mad + IBA_BYTES_madhdr;
}

uint8_t *hand_message_of(const struct hand *h, uint8_t *mad, uint16_t attribute)
{
    uint8_t *data = hand_message(mad, attribute, HAND_TID);

    iba_cm_rtu_set_localcommid(data, HAND_ID);
    iba_cm_rtu_set_remotecommid(data, h->id);
    return data;
}

uint8_t *hand_req(const struct hand *h, uint8_t *mad)
{
    const struct iba_cm_request r = lab_request(&h->lab, 1, HAND_QPN);
    uint8_t *data = hand_message(mad, IBA_CM_ID_REQ, HAND_TID);

    iba_layout_put(&iba_mad_layouts[IBA_M_cm_req], &r.req, data);
    iba_cm_req_set_localcommid(data, HAND_ID);
    iba_cm_req_set_localcaguid(data, 0xca0001);
    iba_cm_req_set_maxcmretr(data, 2);
    iba_cm_req_set_localresptout(data, HAND_PEER_TIME);
    return data;
}

unsigned hand_take(struct hand *h)
{
    struct iba_cm_datagram d;
    struct iba_cm_event e;

    memset(h->mad, 0, sizeof h->mad);
    memset(&h->e, 0, sizeof h->e);
    while (iba_cm_poll(HAND_CM(h), &d))
        memcpy(h->mad, d.mad, sizeof h->mad);
    while (iba_cm_next_event(HAND_CM(h), &e))
        h->e = e;
    if (h->e.id)
        h->id = h->e.id;
    iba_cm_check(HAND_CM(h));
    return iba_madhdr_attributeid(h->mad);
}

unsigned hand_feed(struct hand *h, const uint8_t *mad)
{
    lab_feed(&h->lab, 0, mad);
    return hand_take(h);
}

unsigned hand_timer(struct hand *h)
{
    h->lab.now = iba_cm_deadline(HAND_CM(h));
    assert(h->lab.now != IBA_NEVER);
    iba_cm_advance(HAND_CM(h), h->lab.now);
    return hand_take(h);
}

enum iba_cm_state hand_state(const struct hand *h)
{
    const struct iba_cm_conn *c = iba_cm_find(&h->lab.end[0].cm, h->id);

    return c ? (enum iba_cm_state)c->state : IBA_CMS_NONE;
}

static void must(enum iba_cm_err e)
{
    assert(e == IBA_CM_OK);
    (void)e;
}

unsigned hand_say(struct hand *h, uint16_t attribute, unsigned code)
{
    const struct iba_cm_rep rep = lab_rep(HAND_QPN);
    uint8_t mad[IBA_MAD_BYTES], *data = hand_message_of(h, mad, attribute);

    if (attribute == IBA_CM_ID_REQ)
        hand_req(h, mad);
    if (attribute == IBA_CM_ID_MRA)
        iba_cm_mra_set_msgmraed(data, code), iba_cm_mra_set_servicetimeout(data, HAND_SERVICE_TIME);
    if (attribute == IBA_CM_ID_REJ)
        iba_cm_rej_set_reason(data, code);
    if (attribute == IBA_CM_ID_APR)
        iba_cm_apr_set_status(data, code);
    if (attribute == IBA_CM_ID_REP) {
        iba_layout_put(&iba_mad_layouts[IBA_M_cm_rep], &rep, data);
        iba_cm_rep_set_localcommid(data, HAND_ID);
        iba_cm_rep_set_remotecommid(data, h->id);
        iba_cm_rep_set_localcaguid(data, 0xca0001);
        iba_cm_rep_set_tgtackdelay(data, HAND_ACK_DELAY);
    }
    if (attribute == IBA_CM_ID_DREQ)
        iba_cm_dreq_set_remoteqpn(data, OUR_QPN);
    if (attribute == IBA_CM_ID_LAP) {
        iba_cm_lap_set_remoteqpn(data, OUR_QPN);
        iba_cm_lap_set_alt_remotegid(data, h->lab.end[0].port[0].gid[0]);
        iba_cm_lap_set_alt_localgid(data, h->lab.end[1].port[0].gid[0]);
        iba_cm_lap_set_alt_locallid(data, 99);
        iba_cm_lap_set_alt_remotelid(data, h->lab.end[0].port[0].lid);
        iba_cm_lap_set_alt_subnetlocal(data, 1);
    }
    return hand_feed(h, mad);
}

/* Goes on to Established, its sub-states, and the states after it, which are the same for both ends. */
static void go_on(struct hand *h, enum iba_cm_state s)
{
    struct iba_cm *cm = HAND_CM(h);
    const struct iba_cm_lap lap = {.remoteresptout = HAND_LAP_TIME, .alt_remotelid = 9};

    switch (s) {
    case IBA_CMS_LAP_SENT:
    case IBA_CMS_MRA_LAP_RCVD: must(iba_cm_load(cm, h->id, &lap, LAB_NOTHING, h->lab.now)); break;
    case IBA_CMS_LAP_RCVD:
    case IBA_CMS_MRA_LAP_SENT: hand_say(h, IBA_CM_ID_LAP, 0); break;
    case IBA_CMS_DREQ_SENT:
    case IBA_CMS_TIMEWAIT: must(iba_cm_disconnect(cm, h->id, LAB_NOTHING, h->lab.now)); break;
    case IBA_CMS_DREQ_RCVD: hand_say(h, IBA_CM_ID_DREQ, 0); break;
    default: break;
    }
    if (s == IBA_CMS_MRA_LAP_RCVD)
        hand_say(h, IBA_CM_ID_MRA, 2);
    if (s == IBA_CMS_MRA_LAP_SENT)
        must(iba_cm_delay(cm, h->id, 16, LAB_NOTHING, h->lab.now));
    if (s == IBA_CMS_TIMEWAIT)
        hand_say(h, IBA_CM_ID_DREP, 0);
    hand_take(h);
    assert(hand_state(h) == s);
}

void hand_passive(struct hand *h, enum iba_cm_state s)
{
    struct iba_cm *cm = HAND_CM(h);
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);
    uint8_t mad[IBA_MAD_BYTES];

    hand_req(h, mad);
    hand_feed(h, mad);
    if (s == IBA_CMS_MRA_REQ_SENT)
        must(iba_cm_delay(cm, h->id, 16, LAB_NOTHING, h->lab.now));
    if (s > IBA_CMS_MRA_REQ_SENT)
        must(iba_cm_accept(cm, h->id, &rep, LAB_NOTHING, h->lab.now));
    if (s == IBA_CMS_MRA_REP_RCVD)
        hand_say(h, IBA_CM_ID_MRA, 1);
    if (s >= IBA_CMS_ESTABLISHED)
        hand_say(h, IBA_CM_ID_RTU, 0);
    go_on(h, s);
}

void hand_active(struct hand *h, enum iba_cm_state s)
{
    struct iba_cm *cm = HAND_CM(h);
    struct iba_cm_request r = lab_request(&h->lab, 0, OUR_QPN);

    r.req.maxcmretr = 2;
    must(iba_cm_connect(cm, &r, h->lab.now, &h->id));
    hand_take(h);
    if (s == IBA_CMS_MRA_REQ_RCVD)
        hand_say(h, IBA_CM_ID_MRA, 0);
    if (s >= IBA_CMS_REP_RCVD)
        hand_say(h, IBA_CM_ID_REP, 0);
    if (s == IBA_CMS_MRA_REP_SENT)
        must(iba_cm_delay(cm, h->id, 16, LAB_NOTHING, h->lab.now));
    if (s >= IBA_CMS_ESTABLISHED)
        must(iba_cm_confirm(cm, h->id, LAB_NOTHING, h->lab.now));
    go_on(h, s);
}
