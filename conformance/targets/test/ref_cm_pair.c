/* SPDX-License-Identifier: BSD-2-Clause */
/* Connection managers of both devices of the reference target, with the tester between them: each verb sends its own
 * message, with the fields and the private data of the call, and the other device has the event of it. */
#include <string.h>
#include "ref_bed.h"

enum { NS = IBA_BYTES_madhdr, QPN = 0x123456, OTHER_QPN = 0x654321 };
static const uint64_t service = UINT64_C(0x1000000000000123);

static void begin_pair(void)
{
    begin_with("reference", IBC_LINK_ib_local);
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        cr_assert_eq(o->cm_open(b->t, d), IBC_OK, "%s", b->t->refusal);
}

TestSuite(ref_cm_pair, .init = begin_pair, .fini = end);

/* ---- calls ---- */

/* Returns a call with private data that depend on the message. */
static struct ibc_cm_call call(enum ibc_cm_verb verb, uint16_t attribute, uint32_t id)
{
    struct ibc_cm_call c = {.verb = verb, .id = id};
    size_t at, n;

    iba_madhdr_set_attributeid(c.mad, attribute);
    if (iba_cm_private_place(attribute, &at, &n))
        for (size_t i = 0; i < n; i++)
            c.mad[at + i] = (uint8_t)(attribute + i + 1);
    return c;
}

static void does(unsigned d, struct ibc_cm_call *c)
{
    cr_assert_eq(o->cm_call(b->t, d, c), IBC_OK, "verb %d: %s", (int)c->verb, b->t->refusal);
}

static void does_now(unsigned d, struct ibc_cm_call c)
{
    does(d, &c);
}

static void refuses(unsigned d, struct ibc_cm_call c, const char *why)
{
    cr_expect_eq(o->cm_call(b->t, d, &c), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, why, "%s", b->t->refusal);
}

static struct ibc_cm_call listening(uint64_t id)
{
    struct ibc_cm_call c = call(IBC_CM_listen, IBA_CM_ID_REQ, 0);

    iba_cm_req_set_serviceid(c.mad + NS, id);
    return c;
}

static struct ibc_cm_call connecting(unsigned d, uint64_t id, uint32_t qpn)
{
    const struct ibc_address *own = &b->t->device[d], *peer = &b->t->device[d ^ 1];
    struct ibc_cm_call c = call(IBC_CM_connect, IBA_CM_ID_REQ, 0);
    struct iba_cm_req q = {.serviceid = id,
                           .localqpn = qpn,
                           .responderres = 4,
                           .initdepth = 4,
                           .remoteresptout = 14,
                           .startpsn = 0x777,
                           .localresptout = 14,
                           .retrcount = 7,
                           .pkey = 0xffff,
                           .pppmtu = IBA_MTU_1024,
                           .rnrretrcount = 7,
                           .maxcmretr = 2,
                           .prim_locallid = own->lid,
                           .prim_remotelid = peer->lid,
                           .prim_pktrate = 3,
                           .prim_hoplim = 64,
                           .prim_subnetlocal = 1,
                           .prim_localacktout = 10};

    memcpy(q.prim_localgid, own->gid, 16);
    memcpy(q.prim_remotegid, peer->gid, 16);
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_req], &q, c.mad + NS);
    return c;
}

/* ---- between the devices ---- */

/* Hands each packet of a device to the other, as one of the tester. */
static void relay(void)
{
    struct iba_view v;

    for (;;) {
        cr_assert_eq(o->collect_any(b->t, o->now(b->t), b->frame, &b->len, &b->at, &b->from), IBC_OK);
        if (b->len == 0)
            return;
        iba_lrh_set_dlid(b->frame, b->t->device[b->from ^ 1].lid);
        iba_lrh_set_slid(b->frame, b->t->tester.lid);
        cr_assert_eq(iba_view_parse(&v, IBA_LINK_IB, b->frame, b->len, b->len, NULL), IBA_OK);
        iba_view_check(&v);
        iba_view_repair_crc(&v, b->frame);
        if (v.vcrc != IBA_CHECK_ABSENT)
            iba_put_le16(b->frame + v.end, iba_vcrc(b->frame + v.frame_at, v.end - v.frame_at));
        cr_assert_eq(o->inject(b->t, b->from ^ 1, b->frame, b->len), IBC_OK);
    }
}

/* Returns the next event of the device, which must be of that kind. */
static struct iba_cm_event told(unsigned d, enum iba_cm_event_kind kind)
{
    struct iba_cm_event e = {0};
    unsigned n;

    relay();
    cr_assert(o->cm_event(b->t, d, &e, &n) == IBC_OK && n == 1, "device %u has no event, not %s", d,
              iba_cm_event_name(kind));
    cr_assert_eq(e.kind, kind, "%s, not %s", iba_cm_event_name((enum iba_cm_event_kind)e.kind),
                 iba_cm_event_name(kind));
    return e;
}

/* Expects the private data that call() made; of a DREP only as many as a DREQ has. */
static void has_private(const struct iba_cm_event *e, size_t most)
{
    const uint16_t attribute = iba_madhdr_attributeid(e->mad);
    size_t at, n;

    cr_assert(iba_cm_private_place(attribute, &at, &n));
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(e->mad[at + i], i < most ? (uint8_t)(attribute + i + 1) : 0, "message 0x%x, byte %zu", attribute,
                     i);
}

static void nothing_told(unsigned d)
{
    struct iba_cm_event e;
    unsigned n;

    relay();
    cr_expect(o->cm_event(b->t, d, &e, &n) == IBC_OK && n == 0, "%s",
              iba_cm_event_name((enum iba_cm_event_kind)e.kind));
}

/* Device 0 asks for a connection. Returns its number there; *id: its number at device 1. */
static uint32_t asks(uint32_t *id)
{
    struct ibc_cm_call c = listening(service);

    does(1, &c);
    c = connecting(0, service, QPN);
    does(0, &c);
    const struct iba_cm_event e = told(1, IBA_CME_REQ);
    cr_expect_eq(iba_cm_req_localqpn(e.mad + NS), QPN);
    has_private(&e, IBA_MAD_BYTES);
    *id = e.id;
    return c.id;
}

static void accepts(uint32_t id)
{
    struct ibc_cm_call c = call(IBC_CM_accept, IBA_CM_ID_REP, id);
    struct iba_cm_rep rep;

    iba_layout_get(&iba_mad_layouts[IBA_M_cm_rep], c.mad + NS, &rep);
    rep.localqpn = OTHER_QPN;
    rep.startpsn = 0x999;
    rep.respres = rep.initdepth = 4;
    rep.rnrretrcount = 7;
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_rep], &rep, c.mad + NS);
    does(1, &c);
}

/* Connects the devices. id[d]: the connection at device d. */
static void connect_both(uint32_t id[2])
{
    id[0] = asks(&id[1]);
    accepts(id[1]);
    const struct iba_cm_event e = told(0, IBA_CME_REP);
    cr_expect_eq(e.id, id[0]);
    cr_expect_eq(iba_cm_rep_localqpn(e.mad + NS), OTHER_QPN);
    cr_expect_eq(iba_cm_rep_startpsn(e.mad + NS), 0x999);
    cr_expect_eq(iba_cm_rep_tgtackdelay(e.mad + NS), REF_ACK_DELAY);
    cr_expect_eq(iba_cm_rep_localcaguid(e.mad + NS), REF_CA_GUID + 1);
    has_private(&e, IBA_MAD_BYTES);
    does_now(0, call(IBC_CM_confirm, IBA_CM_ID_RTU, id[0]));
}

/* ---- connections ---- */

Test(ref_cm_pair, from_request_to_release)
{
    struct iba_qp_attr a;
    struct iba_cm_event e;
    uint32_t id[2];

    connect_both(id);
    e = told(1, IBA_CME_ESTABLISHED);
    has_private(&e, IBA_MAD_BYTES);
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        cr_assert_eq(o->cm_attributes(b->t, d, id[d], IBA_QPS_RTR, &a), IBC_OK, "%s", b->t->refusal);
        cr_expect_eq(a.dest_qpn, d ? QPN : OTHER_QPN);
        cr_expect_eq(a.rq_psn, d ? 0x999 : 0x777, "each receives from the PSN that it named");
    }
    does_now(0, call(IBC_CM_disconnect, IBA_CM_ID_DREQ, id[0]));
    e = told(1, IBA_CME_DREQ);
    has_private(&e, IBA_MAD_BYTES);
    does_now(1, call(IBC_CM_disconnect, IBA_CM_ID_DREQ, id[1]));
    e = told(0, IBA_CME_DREP);
    refuses(0, call(IBC_CM_disconnect, IBA_CM_ID_DREQ, id[0]), "cm_wrong_state");
    cr_assert_eq(o->collect_any(b->t, o->now(b->t) + 10 * BED_SECOND, b->frame, &b->len, &b->at, &b->from), IBC_OK);
    (void)told(0, IBA_CME_TIMEWAIT_EXIT);
    (void)told(1, IBA_CME_TIMEWAIT_EXIT);
}

Test(ref_cm_pair, a_request_is_delayed)
{
    struct ibc_cm_call c;
    uint32_t id;

    (void)asks(&id);
    c = call(IBC_CM_delay, IBA_CM_ID_MRA, id);
    iba_cm_mra_set_servicetimeout(c.mad + NS, 9);
    does(1, &c);
    const struct iba_cm_event e = told(0, IBA_CME_MRA);
    cr_expect_eq(e.reason, 9);
    has_private(&e, IBA_MAD_BYTES);
}

Test(ref_cm_pair, a_request_is_rejected)
{
    struct ibc_cm_call c;
    uint32_t id;

    (void)asks(&id);
    c = call(IBC_CM_reject, IBA_CM_ID_REJ, id);
    iba_cm_rej_set_reason(c.mad + NS, IBA_CM_REJ_CONSUMER);
    iba_cm_rej_set_rejinfolen(c.mad + NS, 3);
    memcpy(c.mad + NS + 12, "whyx", 4); /* the ARI comes after two IDs and a word */
    does(1, &c);
    const struct iba_cm_event e = told(0, IBA_CME_REJ);
    cr_expect_eq(e.reason, IBA_CM_REJ_CONSUMER);
    cr_expect_eq(iba_cm_rej_rejinfolen(e.mad + NS), 3);
    cr_expect_arr_eq(e.mad + NS + 12, "why\0", 4);
    has_private(&e, IBA_MAD_BYTES);
}

/* A packet of the peer comes instead of its RTU. */
Test(ref_cm_pair, established_without_an_rtu)
{
    uint32_t id[2];

    id[0] = asks(&id[1]);
    accepts(id[1]);
    (void)told(0, IBA_CME_REP);
    refuses(1, call(IBC_CM_suggest, IBA_CM_ID_SAP, id[1]), "cm_wrong_state");
    does_now(1, call(IBC_CM_established, IBA_CM_ID_RTU, id[1]));
    does_now(1, call(IBC_CM_suggest, IBA_CM_ID_SAP, id[1]));
}

Test(ref_cm_pair, a_connection_is_abandoned)
{
    uint32_t id[2];

    connect_both(id);
    (void)told(1, IBA_CME_ESTABLISHED);
    does_now(1, call(IBC_CM_abandon, IBA_CM_ID_RTU, id[1]));
    (void)told(0, IBA_CME_DREQ);
}

/* ---- alternate paths ---- */

Test(ref_cm_pair, an_alternate_path)
{
    struct ibc_cm_call c;
    struct iba_cm_event e;
    struct iba_cm_lap lap;
    uint32_t id[2];

    connect_both(id);
    (void)told(1, IBA_CME_ESTABLISHED);
    c = call(IBC_CM_load, IBA_CM_ID_LAP, id[0]);
    iba_layout_get(&iba_mad_layouts[IBA_M_cm_lap], c.mad + NS, &lap);
    lap.alt_locallid = 77;
    lap.alt_remotelid = b->t->device[1].lid;
    lap.remoteresptout = 20;
    memcpy(lap.alt_remotegid, b->t->device[1].gid, 16);
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_lap], &lap, c.mad + NS);
    does(0, &c);
    e = told(1, IBA_CME_LAP);
    cr_expect_eq(iba_cm_lap_alt_locallid(e.mad + NS), 77);
    has_private(&e, IBA_MAD_BYTES);
    c = call(IBC_CM_loaded, IBA_CM_ID_APR, id[1]);
    iba_cm_apr_set_status(c.mad + NS, 3);
    iba_cm_apr_set_infolen(c.mad + NS, 2);
    memcpy(c.mad + NS + 12, "nox", 3);
    does(1, &c);
    e = told(0, IBA_CME_APR);
    cr_expect_eq(e.reason, 3);
    cr_expect_eq(iba_cm_apr_infolen(e.mad + NS), 2);
    cr_expect_arr_eq(e.mad + NS + 12, "no\0", 3);
    has_private(&e, IBA_MAD_BYTES);
}

Test(ref_cm_pair, a_path_is_suggested)
{
    struct iba_cm_event e;
    uint32_t id[2];

    connect_both(id);
    (void)told(1, IBA_CME_ESTABLISHED);
    does_now(1, call(IBC_CM_suggest, IBA_CM_ID_SAP, id[1]));
    e = told(0, IBA_CME_SAP);
    does_now(0, call(IBC_CM_suggested, IBA_CM_ID_SPR, id[0]));
    e = told(1, IBA_CME_SPR);
    cr_expect_eq(e.id, id[1]);
}

/* ---- listeners ---- */

/* A listener may compare the first bytes of a REQ's private data, which are 0x11, 0x12, 0x13 here. */
Test(ref_cm_pair, private_data_are_compared)
{
    static const struct {
        uint8_t n, compare[3];
        bool agree;
    } rows[] = {{1, {0x11}, true},
                {3, {0x11, 0x12, 0x13}, true},
                {2, {0x11, 0x12, 0x99}, true}, /* the third byte is not compared */
                {1, {0x12}, false},
                {3, {0x11, 0x12, 0x12}, false},
                {2, {0x01, 0x12}, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_cm_call c = listening(service);
        c.compare_n = rows[i].n;
        memcpy(c.compare, rows[i].compare, 3);
        does(1, &c);
        c = connecting(0, service, QPN + (uint32_t)i);
        does(0, &c);
        if (rows[i].agree)
            (void)told(1, IBA_CME_REQ);
        else
            cr_expect_eq(told(0, IBA_CME_REJ).reason, IBA_CM_REJ_SERVICE_ID, "row %zu", i);
        bed_reset(b, IBC_LINK_ib_local, 1);
        for (unsigned d = 0; d < IBC_DEVICES; d++)
            cr_assert_eq(o->cm_open(b->t, d), IBC_OK);
    }
}

/* All bits of a service's number count, and unlisten ends the last listener. */
Test(ref_cm_pair, services)
{
    static const uint64_t others[] = {1, UINT64_C(1) << 63};
    struct ibc_cm_call c;

    for (unsigned i = 0; i < 2; i++) {
        c = listening(service ^ others[i]);
        does(1, &c);
    }
    does_now(0, connecting(0, service, QPN));
    cr_expect_eq(told(0, IBA_CME_REJ).reason, IBA_CM_REJ_SERVICE_ID);
    does_now(1, call(IBC_CM_unlisten, IBA_CM_ID_RTU, 0));
    does_now(0, connecting(0, service ^ others[1], QPN + 1));
    cr_expect_eq(told(0, IBA_CME_REJ).reason, IBA_CM_REJ_SERVICE_ID);
    does_now(0, connecting(0, service ^ others[0], QPN + 2));
    (void)told(1, IBA_CME_REQ);
}

/* Of a backlog of 2 the third REQ finds no room. */
Test(ref_cm_pair, a_backlog)
{
    struct ibc_cm_call c = listening(service);

    c.backlog = 2;
    does(1, &c);
    for (unsigned i = 0; i < 3; i++) {
        does_now(0, connecting(0, service, QPN + i));
        if (i < 2)
            (void)told(1, IBA_CME_REQ);
        else
            cr_expect_eq(told(0, IBA_CME_REJ).reason, IBA_CM_REJ_NO_RESOURCES);
    }
}

/* A service of datagrams is asked for its queue pair, and takes no connection. */
Test(ref_cm_pair, a_service_of_datagrams)
{
    struct ibc_cm_call c = listening(service);
    struct iba_cm_event e;
    struct iba_cm_sidr_rep rep;

    c.datagrams = true;
    does(1, &c);
    does_now(0, connecting(0, service, QPN));
    cr_expect_eq(told(0, IBA_CME_REJ).reason, IBA_CM_REJ_SERVICE_ID);
    c = call(IBC_CM_resolve, IBA_CM_ID_SIDR_REQ, 0);
    iba_cm_sidr_req_set_serviceid(c.mad + NS, service);
    iba_cm_sidr_req_set_pkey(c.mad + NS, 0xffff);
    does(0, &c);
    e = told(1, IBA_CME_SIDR_REQ);
    has_private(&e, IBA_MAD_BYTES);
    c = call(IBC_CM_resolved, IBA_CM_ID_SIDR_REP, e.id);
    iba_layout_get(&iba_mad_layouts[IBA_M_cm_sidr_rep], c.mad + NS, &rep);
    rep.qpn = OTHER_QPN;
    rep.qkey = BED_QKEY;
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_sidr_rep], &rep, c.mad + NS);
    does(1, &c);
    e = told(0, IBA_CME_SIDR_REP);
    cr_expect_eq(iba_cm_sidr_rep_qpn(e.mad + NS), OTHER_QPN);
    cr_expect_eq(iba_cm_sidr_rep_qkey(e.mad + NS), BED_QKEY);
    has_private(&e, IBA_MAD_BYTES);
}

/* Both ask for the same service. Peer to peer they meet in one connection; else each is rejected, as nobody listens. */
Test(ref_cm_pair, peer_to_peer)
{
    for (unsigned both = 0; both < 2; both++) {
        for (unsigned d = 0; d < IBC_DEVICES; d++) {
            struct ibc_cm_call c = connecting(d, service, QPN + d);
            c.both = both;
            does(d, &c);
        }
        relay();
        if (!both) {
            cr_expect_eq(told(0, IBA_CME_REJ).reason, IBA_CM_REJ_SERVICE_ID);
            cr_expect_eq(told(1, IBA_CME_REJ).reason, IBA_CM_REJ_SERVICE_ID);
            continue;
        }
        (void)told(0, IBA_CME_REQ); /* of the device with the smaller GUID it becomes the passive end */
        nothing_told(1);
    }
}

/* ---- room ---- */

Test(ref_cm_pair, connections_and_listeners_that_there_is_room_for)
{
    for (unsigned i = 0; i < REF_CM_LISTENERS; i++)
        does_now(1, listening(service + i));
    refuses(1, listening(service + REF_CM_LISTENERS), "cm_full");
    for (unsigned i = 0; i < REF_CM_CONNS; i++)
        does_now(0, connecting(0, service + 99, QPN + i));
    refuses(0, connecting(0, service + 99, QPN + REF_CM_CONNS), "cm_full");
}
