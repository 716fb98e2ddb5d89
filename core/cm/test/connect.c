/* SPDX-License-Identifier: BSD-2-Clause */
/* Two CMs connect and disconnect over a network without faults. */
#include <criterion/criterion.h>
#include <string.h>
#include "lab.h"

enum { MS = 1000000, PASSIVE = 0, ACTIVE = 1 };

static const struct iba_net_faults good = {.delay_ns = 10000};

static uint32_t listen(struct lab *l)
{
    uint32_t number;

    cr_assert_eq(iba_cm_listen(&l->end[PASSIVE].cm,
                               &(struct iba_cm_listen){.service_id = LAB_SERVICE, .service_mask = UINT64_MAX}, &number),
                 IBA_CM_OK);
    return number;
}

/* Connects queue pair 0x123456 of the active end with 0x654321 of the passive end. id[] receives the connection's ID at
 * each end. */
static void connect(struct lab *l, uint32_t id[2])
{
    const struct iba_cm_request r = lab_request(l, ACTIVE, 0x123456);
    const struct iba_cm_rep rep = lab_rep(0x654321);
    struct iba_cm_event e;

    listen(l);
    cr_assert_eq(iba_cm_connect(&l->end[ACTIVE].cm, &r, l->now, &id[ACTIVE]), IBA_CM_OK);
    e = lab_next(l, PASSIVE, MS);
    cr_assert_eq(e.kind, IBA_CME_REQ);
    id[PASSIVE] = e.id;
    cr_assert_eq(iba_cm_accept(&l->end[PASSIVE].cm, e.id, &rep, LAB_NOTHING, l->now), IBA_CM_OK);
    e = lab_next(l, ACTIVE, MS);
    cr_assert_eq(e.kind, IBA_CME_REP);
    cr_assert_eq(e.id, id[ACTIVE]);
    cr_assert_eq(iba_cm_confirm(&l->end[ACTIVE].cm, e.id, LAB_NOTHING, l->now), IBA_CM_OK);
    e = lab_next(l, PASSIVE, MS);
    cr_assert_eq(e.kind, IBA_CME_ESTABLISHED);
    for (unsigned n = 0; n < 2; n++)
        cr_assert_eq(iba_cm_find(&l->end[n].cm, id[n])->state, IBA_CMS_ESTABLISHED);
}

static struct lab l;

Test(connect, both_ends_are_established_and_disconnect)
{
    static const uint8_t kinds[] = {IBA_PORT_IB, IBA_PORT_ROCE1, IBA_PORT_ROCE2};

    for (unsigned k = 0; k < sizeof kinds; k++) {
        uint32_t id[2];
        lab_open(&l, kinds[k], LAB_CONNS, 1, &good);
        connect(&l, id);
        cr_assert_eq(iba_cm_disconnect(&l.end[ACTIVE].cm, id[ACTIVE], LAB_NOTHING, l.now), IBA_CM_OK);
        cr_assert_eq(lab_next(&l, PASSIVE, MS).kind, IBA_CME_DREQ);
        cr_assert_eq(iba_cm_disconnect(&l.end[PASSIVE].cm, id[PASSIVE], LAB_NOTHING, l.now), IBA_CM_OK);
        cr_assert_eq(lab_next(&l, ACTIVE, MS).kind, IBA_CME_DREP);
        cr_assert_eq(lab_next(&l, ACTIVE, 1000 * MS).kind, IBA_CME_TIMEWAIT_EXIT);
        cr_assert_eq(lab_next(&l, PASSIVE, 1000 * MS).kind, IBA_CME_TIMEWAIT_EXIT);
        cr_assert_eq(l.end[0].cm.n_used + l.end[1].cm.n_used, 0);
        lab_close(&l);
    }
}

/* MD-63: each StartingPSN is the PSN at which its sender begins to receive. */
Test(connect, starting_psns_cross)
{
    struct iba_qp_attr a[2];
    uint32_t id[2], mask;

    lab_open(&l, IBA_PORT_ROCE2, LAB_CONNS, 1, &good);
    connect(&l, id);
    for (unsigned n = 0; n < 2; n++)
        cr_assert(iba_cm_qp_attr(&l.end[n].cm, id[n], IBA_QPS_RTR, &a[n], &mask));
    cr_expect_eq(a[ACTIVE].rq_psn, 0x777);
    cr_expect_eq(a[PASSIVE].rq_psn, 0x999);
    cr_expect_eq(a[ACTIVE].dest_qpn, 0x654321);
    cr_expect_eq(a[PASSIVE].dest_qpn, 0x123456);
    cr_expect_eq(a[ACTIVE].path_mtu, IBA_MTU_1024);
    for (unsigned n = 0; n < 2; n++)
        cr_assert(iba_cm_qp_attr(&l.end[n].cm, id[n], IBA_QPS_RTS, &a[n], &mask));
    cr_expect_eq(a[ACTIVE].sq_psn, 0x999);
    cr_expect_eq(a[PASSIVE].sq_psn, 0x777);
    lab_close(&l);
}

Test(connect, a_service_that_nobody_has_is_rejected)
{
    const struct iba_cm_request r = (lab_open(&l, IBA_PORT_IB, LAB_CONNS, 1, &good), lab_request(&l, ACTIVE, 5));
    uint32_t id;

    cr_assert_eq(iba_cm_connect(&l.end[ACTIVE].cm, &r, l.now, &id), IBA_CM_OK);
    const struct iba_cm_event e = lab_next(&l, ACTIVE, MS);
    cr_expect_eq(e.kind, IBA_CME_REJ);
    cr_expect_eq(e.reason, IBA_CM_REJ_SERVICE_ID);
    cr_expect_eq(l.end[ACTIVE].cm.n_used, 0);
    lab_close(&l);
}

Test(connect, the_user_rejects)
{
    const struct iba_cm_request r = (lab_open(&l, IBA_PORT_IB, LAB_CONNS, 1, &good), lab_request(&l, ACTIVE, 5));
    uint32_t id;

    listen(&l);
    cr_assert_eq(iba_cm_connect(&l.end[ACTIVE].cm, &r, l.now, &id), IBA_CM_OK);
    struct iba_cm_event e = lab_next(&l, PASSIVE, MS);
    cr_assert_eq(iba_cm_reject(&l.end[PASSIVE].cm, e.id, 28, LAB_NOTHING, (struct iba_cm_private){"no", 2}, l.now),
                 IBA_CM_OK);
    e = lab_next(&l, ACTIVE, MS);
    size_t n;
    cr_expect_eq(e.kind, IBA_CME_REJ);
    cr_expect_eq(e.reason, 28);
    cr_expect_arr_eq(iba_cm_event_private(&e, &n), "no", 3);
    cr_expect_eq(n, IBA_CM_REJ_BYTES);
    cr_expect_eq(l.end[PASSIVE].cm.n_used, 0);
    lab_close(&l);
}

static uint64_t transaction_of(unsigned end, uint16_t attribute)
{
    uint8_t mad[IBA_MAD_BYTES];

    cr_assert(lab_take(&l, end, mad));
    cr_assert_eq(iba_madhdr_attributeid(mad), attribute);
    return iba_madhdr_transactionid(mad);
}

/* A SAP may be sent while a LAP waits for its APR; the APR still has the transaction ID of the LAP. */
Test(connect, an_apr_answers_its_lap_whatever_is_suggested_meanwhile)
{
    struct iba_cm_lap lap = {.alt_locallid = 77, .remoteresptout = 20};
    uint32_t id[2];

    lab_open(&l, IBA_PORT_IB, LAB_CONNS, 1, &good);
    connect(&l, id);
    lap.alt_remotelid = l.end[ACTIVE].to.dlid;
    memcpy(lap.alt_remotegid, l.end[ACTIVE].to.dgid, 16);
    cr_assert_eq(iba_cm_load(&l.end[ACTIVE].cm, id[ACTIVE], &lap, LAB_NOTHING, l.now), IBA_CM_OK);
    const uint64_t tid = iba_madhdr_transactionid(l.end[ACTIVE].cm.cfg.conn[0].sent);
    cr_assert_eq(lab_next(&l, PASSIVE, MS).kind, IBA_CME_LAP);
    cr_assert_eq(iba_cm_suggest(&l.end[PASSIVE].cm, id[PASSIVE], LAB_NOTHING, l.now), IBA_CM_OK);
    cr_assert_neq(transaction_of(PASSIVE, IBA_CM_ID_SAP), tid);
    cr_assert_eq(iba_cm_loaded(&l.end[PASSIVE].cm, id[PASSIVE], 0, LAB_NOTHING, LAB_NOTHING, l.now), IBA_CM_OK);
    cr_assert_eq(transaction_of(PASSIVE, IBA_CM_ID_APR), tid);
    lab_close(&l);
}
