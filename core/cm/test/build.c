/* SPDX-License-Identifier: BSD-2-Clause */
/* Each of the 13 messages, as the CM builds it, is read back by core/mad; and one that a kernel accepted. */
#include <criterion/criterion.h>
#include <string.h>
#include "hand.h"

static struct hand h;

/* Checks that core/mad knows the message, finds all of its parts, and reads its header. */
static void read_back(unsigned attribute, const char *name)
{
    struct iba_mad m;

    cr_assert(iba_mad_parse(&m, h.mad, IBA_MAD_BYTES, IBA_MAD_BYTES), "%s", name);
    cr_assert_not_null(m.attr, "%s", name);
    cr_expect_eq(m.attr->id, attribute);
    cr_expect_str_eq(m.attr->name, name);
    cr_expect_eq(iba_madhdr_baseversion(h.mad), 1);
    cr_expect_eq(iba_madhdr_mgmtclass(h.mad), IBA_CLASS_CM);
    cr_expect_eq(iba_madhdr_classversion(h.mad), 2);
    cr_expect_eq(iba_madhdr_method(h.mad), 3);
}

/* Checks that the datagram ends with `n` bytes of private data. */
static void private_is(size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(h.mad[IBA_MAD_BYTES - n + i], 0xe1, "byte %zu of %zu", i, n);
    cr_assert_neq(h.mad[IBA_MAD_BYTES - n - 1], 0xe1);
}

static uint8_t bytes[IBA_MAD_BYTES];
#define ALL(n) ((struct iba_cm_private){bytes, (n)})
#define CM HAND_CM(&h)
#define NOW h.lab.now

static void fresh(void)
{
    memset(bytes, 0xe1, sizeof bytes);
    hand_open(&h, IBA_PORT_IB);
}

static void ids_are(void)
{
    cr_expect_eq(iba_cm_rtu_localcommid(HAND_DATA(&h)), h.id);
    cr_expect_eq(iba_cm_rtu_remotecommid(HAND_DATA(&h)), HAND_ID);
}

Test(build, req)
{
    struct iba_cm_request r = (fresh(), lab_request(&h.lab, 0, OUR_QPN));
    uint8_t wire[IBA_BYTES_cm_req];

    r.private_data = ALL(IBA_CM_REQ_BYTES);
    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_REQ);
    read_back(IBA_CM_ID_REQ, "REQ");
    r.req.localcommid = h.id;
    r.req.localcaguid = 0xca0000;
    iba_layout_put(&iba_mad_layouts[IBA_M_cm_req], &r.req, wire);
    cr_expect_arr_eq(HAND_DATA(&h), wire, sizeof wire);
    private_is(IBA_CM_REQ_BYTES);
    hand_close(&h);
}

Test(build, rep)
{
    struct iba_cm_rep rep = lab_rep(OUR_QPN), back;

    fresh();
    hand_passive(&h, IBA_CMS_REQ_RCVD);
    rep.respres = 200; /* more than the REQ's initiator depth, 4 (MD-62) */
    cr_assert_eq(iba_cm_accept(CM, h.id, &rep, ALL(IBA_CM_REP_BYTES), NOW), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_REP);
    read_back(IBA_CM_ID_REP, "REP");
    ids_are();
    iba_layout_get(&iba_mad_layouts[IBA_M_cm_rep], HAND_DATA(&h), &back);
    cr_expect_eq(back.localqpn, OUR_QPN);
    cr_expect_eq(back.startpsn, 0x999);
    cr_expect_eq(back.respres, 4);
    cr_expect_eq(back.initdepth, 4);
    cr_expect_eq(back.tgtackdelay, 15);
    cr_expect_eq(back.rnrretrcount, 7);
    cr_expect_eq(back.localcaguid, 0xca0000);
    cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID);
    private_is(IBA_CM_REP_BYTES);
    hand_close(&h);
}

struct built {
    uint8_t active, state;
    enum iba_cm_err (*verb)(size_t n);
    uint16_t attribute;
    const char *name;
    size_t room;
};
static enum iba_cm_err delay(size_t n)
{
    return iba_cm_delay(CM, h.id, 19, ALL(n), NOW);
}
static enum iba_cm_err reject(size_t n)
{
    return iba_cm_reject(CM, h.id, 28, LAB_NOTHING, ALL(n), NOW);
}
static enum iba_cm_err confirm(size_t n)
{
    return iba_cm_confirm(CM, h.id, ALL(n), NOW);
}
static enum iba_cm_err disconnect(size_t n)
{
    return iba_cm_disconnect(CM, h.id, ALL(n), NOW);
}
static enum iba_cm_err load(size_t n)
{
    const struct iba_cm_lap lap = {.alt_remotelid = 7};
    return iba_cm_load(CM, h.id, &lap, ALL(n), NOW);
}
static enum iba_cm_err loaded(size_t n)
{
    return iba_cm_loaded(CM, h.id, 0, LAB_NOTHING, ALL(n), NOW);
}
static enum iba_cm_err suggest(size_t n)
{
    return iba_cm_suggest(CM, h.id, ALL(n), NOW);
}
static enum iba_cm_err suggested(size_t n)
{
    return iba_cm_suggested(CM, h.id, ALL(n), NOW);
}

static const struct built built[] = {
    {0, IBA_CMS_REQ_RCVD, delay, IBA_CM_ID_MRA, "MRA", 222},
    {1, IBA_CMS_REP_RCVD, delay, IBA_CM_ID_MRA, "MRA", 222},
    {1, IBA_CMS_LAP_RCVD, delay, IBA_CM_ID_MRA, "MRA", 222},
    {1, IBA_CMS_REP_RCVD, reject, IBA_CM_ID_REJ, "REJ", 148},
    {1, IBA_CMS_REP_RCVD, confirm, IBA_CM_ID_RTU, "RTU", 224},
    {1, IBA_CMS_ESTABLISHED, disconnect, IBA_CM_ID_DREQ, "DREQ", 220},
    {1, IBA_CMS_DREQ_RCVD, disconnect, IBA_CM_ID_DREP, "DREP", 224},
    {1, IBA_CMS_ESTABLISHED, load, IBA_CM_ID_LAP, "LAP", 168},
    {0, IBA_CMS_LAP_RCVD, loaded, IBA_CM_ID_APR, "APR", 148},
    {0, IBA_CMS_ESTABLISHED, suggest, IBA_CM_ID_SAP, "SAP", 224},
    {0, IBA_CMS_ESTABLISHED, suggested, IBA_CM_ID_SPR, "SPR", 224},
};

/* Each message carries private data up to its own limit, and no more. */
Test(build, messages_of_a_connection)
{
    for (const struct built *b = built; b < built + sizeof built / sizeof *built; b++) {
        fresh();
        (b->active ? hand_active : hand_passive)(&h, (enum iba_cm_state)b->state);
        cr_expect_eq(b->verb(b->room + 1), IBA_CM_PRIVATE_TOO_LONG, "%s", b->name);
        cr_expect_eq(hand_take(&h), 0);
        cr_expect_eq(b->verb(b->room), IBA_CM_OK, "%s", b->name);
        cr_expect_eq(hand_take(&h), b->attribute);
        read_back(b->attribute, b->name);
        ids_are();
        private_is(b->room);
        hand_close(&h);
    }
}

Test(build, sidr)
{
    const struct iba_cm_sidr_rep rep = {.qpn = 0x99, .qkey = 0x11111111};
    struct iba_cm_resolve r = {.service_id = LAB_SERVICE, .pkey = 0x8001};
    uint8_t mad[IBA_MAD_BYTES];

    fresh();
    r.private_data = ALL(IBA_CM_SIDR_REQ_BYTES);
    cr_assert_eq(iba_cm_resolve(CM, &r, NOW, &h.id), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_SIDR_REQ);
    read_back(IBA_CM_ID_SIDR_REQ, "SIDR_REQ");
    cr_expect_eq(iba_cm_sidr_req_serviceid(HAND_DATA(&h)), LAB_SERVICE);
    cr_expect_eq(iba_cm_sidr_req_pkey(HAND_DATA(&h)), 0x8001);
    private_is(IBA_CM_SIDR_REQ_BYTES);
    memcpy(mad, h.mad, sizeof mad);
    hand_feed(&h, mad);
    cr_assert_eq(h.e.kind, IBA_CME_SIDR_REQ);
    cr_assert_eq(iba_cm_resolved(CM, h.id, &rep, ALL(IBA_CM_SIDR_REP_BYTES), NOW), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_SIDR_REP);
    read_back(IBA_CM_ID_SIDR_REP, "SIDR_REP");
    cr_expect_eq(iba_cm_sidr_rep_qpn(HAND_DATA(&h)), 0x99);
    cr_expect_eq(iba_cm_sidr_rep_qkey(HAND_DATA(&h)), 0x11111111);
    private_is(IBA_CM_SIDR_REP_BYTES);
    hand_close(&h);
}

/* A REP of another program, which shares no code with libiba. The CM of Linux 6.1 accepted it: it answered a REQ of
 * rping with these fields, and rping ended without error. Our REP must have the same bytes. */
Test(build, rep_that_a_kernel_accepted)
{
    static const uint8_t witness[36] = {0x00, 0xab, 0xcd, 0xef, /* Local Communication ID */
                                        0x01, 0x02, 0x03, 0x04, /* Remote Communication ID */
                                        0,    0,    0,    0,    /* Q_Key */
                                        0x12, 0x34, 0x56, 0,    /* Local QPN */
                                        0,    0,    0,    0,    /* Local EECN */
                                        0x00, 0x07, 0x77, 0,    /* Starting PSN */
                                        1,    1,                /* Responder Resources, Initiator Depth */
                                        0x78, 0xe0,             /* Target ACK Delay 15; RNR Retry Count 7 */
                                        2,    0,    0,    0,    0, 0, 0, 2}; /* Local CA GUID */
    const struct iba_cm_rep rep = {
        .localqpn = 0x123456, .startpsn = 0x777, .respres = 16, .initdepth = 16, .rnrretrcount = 7};
    uint8_t mad[IBA_MAD_BYTES], *data;

    fresh();
    CM->cfg.ca_guid = 0x0200000000000002;
    data = hand_req(&h, mad);
    iba_cm_req_set_responderres(data, 1);
    iba_cm_req_set_initdepth(data, 1);
    hand_feed(&h, mad);
    cr_assert_eq(iba_cm_accept(CM, h.id, &rep, LAB_NOTHING, NOW), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_REP);
    cr_expect_arr_eq(HAND_DATA(&h) + 4, witness + 4, sizeof witness - 4);
    for (size_t i = sizeof witness; i < 232; i++)
        cr_expect_eq(HAND_DATA(&h)[i], 0);
    hand_close(&h);
}
