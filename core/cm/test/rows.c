/* SPDX-License-Identifier: BSD-2-Clause */
/* Every row of the three tables: a case brings a CM into a state, gives it an input, and names the row that must decide
 * and what must follow from it. */
#include <criterion/criterion.h>
#include <string.h>
#include "hand.h"

static struct hand h;
static uint32_t hits[IBA_CM_TABLES][IBA_CM_MAX_RULES]; /* of all cases */

static const struct iba_cm_rules *const tables[] = {&iba_cm_message_rules, &iba_cm_timer_rules, &iba_cm_verb_rules};

static unsigned number_of(enum iba_cm_table t, const char *row)
{
    for (unsigned i = 0; i < tables[t]->n; i++)
        if (strcmp(tables[t]->row[i].name, row) == 0)
            return i;
    cr_assert_fail("no row %s", row);
    return 0;
}

static void count(void)
{
    for (unsigned t = 0; t < IBA_CM_TABLES; t++)
        for (unsigned i = 0; i < IBA_CM_MAX_RULES; i++)
            hits[t][i] += HAND_CM(&h)->hits[t][i];
    hand_close(&h);
}

/* ---- messages ---- */

typedef void change(uint8_t *mad); /* what differs from a correct message */
static void none(uint8_t *mad)
{
    (void)mad;
}
static void version(uint8_t *mad)
{
    iba_madhdr_set_classversion(mad, 1);
}
#define DATA (mad + IBA_BYTES_madhdr)
#define CHANGE(name, statement)                                                                                        \
    static void name(uint8_t *mad)                                                                                     \
    {                                                                                                                  \
        statement;                                                                                                     \
    }
static const uint8_t foreign[16] = {0xfe, 0x80, [15] = 0x99};
CHANGE(other_id, iba_cm_req_set_localcommid(DATA, 77))
CHANGE(other_service, iba_cm_req_set_serviceid(DATA, 5))
CHANGE(rd, iba_cm_req_set_transpsvctype(DATA, 2))
CHANGE(gid, iba_cm_req_set_prim_remotegid(DATA, foreign))
CHANGE(lid, iba_cm_req_set_prim_remotelid(DATA, 99))
CHANGE(sl, iba_cm_req_set_prim_sl(DATA, 9))
CHANGE(alt_gid, iba_cm_req_set_alt_localgid(DATA, foreign))
CHANGE(mtu, iba_cm_req_set_pppmtu(DATA, 6))
CHANGE(bigger_mtu, iba_cm_req_set_pppmtu(DATA, IBA_MTU_2048))
CHANGE(ip, iba_cm_req_set_serviceid(DATA, 0x1060007); memset(DATA + IBA_BYTES_cm_req, 0, 36);
       iba_ip_cm_set_ipv(DATA + IBA_BYTES_cm_req, 5))
CHANGE(of_rep, iba_cm_mra_set_msgmraed(DATA, 1))
CHANGE(of_other, iba_cm_mra_set_msgmraed(DATA, 2))
CHANGE(stale, iba_cm_rej_set_reason(DATA, 10))
CHANGE(unknown, iba_cm_rtu_set_remotecommid(DATA, 5))
CHANGE(qpn, iba_cm_dreq_set_remoteqpn(DATA, OUR_QPN))
CHANGE(lap_foreign_lid, iba_cm_lap_set_alt_remotelid(DATA, 99))
CHANGE(lap_qpn, iba_cm_lap_set_remoteqpn(DATA, 5))
CHANGE(lap_gid, iba_cm_lap_set_alt_remotegid(DATA, foreign))
CHANGE(lap_same, iba_cm_lap_set_alt_locallid(DATA, 11))
CHANGE(sidr_other, iba_cm_sidr_req_set_serviceid(DATA, 5))
CHANGE(alt_lid, iba_cm_req_set_alt_locallid(DATA, 11); iba_cm_req_set_alt_remotelid(DATA, 99);
       iba_cm_req_set_alt_subnetlocal(DATA, 1); iba_cm_req_set_alt_remotegid(DATA, iba_cm_req_prim_remotegid(DATA)))

enum side { PASSIVE, ACTIVE, NOBODY };
struct message_case {
    const char *row;
    uint16_t message;
    uint8_t side, state;
    change *how;
    uint16_t answer, code; /* attribute of the answer, 0: none; its reason or status */
    uint8_t next, event;
};
#define M(row, message, side, state, how, answer, code, next, event)                                                   \
    {                                                                                                                  \
#row, IBA_CM_ID_##message, side, IBA_CMS_##state, how, answer, code, IBA_CMS_##next, IBA_CME_##event           \
    }
#define SENDS(message) IBA_CM_ID_##message
static const struct message_case message_cases[] = {
    M(req_version, REQ, NOBODY, NONE, version, SENDS(REJ), 31, NONE, NONE),
    M(sidr_version, SIDR_REQ, NOBODY, NONE, version, SENDS(SIDR_REP), 5, NONE, NONE),
    M(req_again_mra, REQ, PASSIVE, MRA_REQ_SENT, none, SENDS(MRA), 0, MRA_REQ_SENT, NONE),
    M(req_again_rep, REQ, PASSIVE, REP_SENT, none, SENDS(REP), 0, REP_SENT, NONE),
    M(req_again_rep, REQ, PASSIVE, MRA_REP_RCVD, none, SENDS(REP), 0, MRA_REP_RCVD, NONE),
    M(req_timewait, REQ, PASSIVE, TIMEWAIT, none, SENDS(REJ), 10, TIMEWAIT, NONE),
    M(req_stale, REQ, PASSIVE, ESTABLISHED, other_id, SENDS(REJ), 10, DREQ_SENT, STALE),
    M(req_stale, REQ, PASSIVE, TIMEWAIT, other_id, SENDS(REJ), 10, TIMEWAIT, NONE),
    M(req_no_service, REQ, NOBODY, NONE, other_service, SENDS(REJ), 8, NONE, NONE),
    M(req_wrong_type, REQ, NOBODY, NONE, rd, SENDS(REJ), 9, NONE, NONE),
    M(req_foreign_gid, REQ, NOBODY, NONE, gid, SENDS(REJ), 12, NONE, NONE),
    M(req_foreign_lid, REQ, NOBODY, NONE, lid, SENDS(REJ), 13, NONE, NONE),
    M(req_blocked_sl, REQ, NOBODY, NONE, sl, SENDS(REJ), 14, NONE, NONE),
    M(req_foreign_alt_gid, REQ, NOBODY, NONE, alt_gid, SENDS(REJ), 18, NONE, NONE),
    M(req_foreign_alt_lid, REQ, NOBODY, NONE, alt_lid, SENDS(REJ), 19, NONE, NONE),
    M(req_wrong_mtu, REQ, NOBODY, NONE, mtu, SENDS(REJ), 26, NONE, NONE),
    M(req_wrong_mtu, REQ, NOBODY, NONE, bigger_mtu, SENDS(REJ), 26, NONE, NONE),
    M(req_wrong_ip, REQ, NOBODY, NONE, ip, SENDS(REJ), 28, NONE, NONE),
    M(req, REQ, NOBODY, NONE, none, 0, 0, REQ_RCVD, REQ),
    M(mra_req, MRA, ACTIVE, REQ_SENT, none, 0, 0, MRA_REQ_RCVD, MRA),
    M(mra_rep, MRA, PASSIVE, REP_SENT, of_rep, 0, 0, MRA_REP_RCVD, MRA),
    M(mra_lap, MRA, PASSIVE, LAP_SENT, of_other, 0, 0, MRA_LAP_RCVD, MRA),
    M(rej_stale, REJ, ACTIVE, REQ_SENT, stale, 0, 0, TIMEWAIT, REJ),
    M(rej_asking, REJ, ACTIVE, REQ_SENT, none, 0, 0, NONE, REJ),
    M(rej_asking, REJ, ACTIVE, MRA_REQ_RCVD, none, 0, 0, NONE, REJ),
    M(rej_offering, REJ, PASSIVE, REP_SENT, of_rep, 0, 0, TIMEWAIT, REJ),
    M(rej_offering, REJ, ACTIVE, REP_RCVD, of_other, 0, 0, TIMEWAIT, REJ),
    M(rej_up, REJ, ACTIVE, ESTABLISHED, of_other, 0, 0, TIMEWAIT, REJ),
    M(rej_up, REJ, ACTIVE, DREQ_SENT, of_other, 0, 0, TIMEWAIT, REJ),
    M(rep, REP, ACTIVE, REQ_SENT, none, 0, 0, REP_RCVD, REP),
    M(rep, REP, ACTIVE, MRA_REQ_RCVD, none, 0, 0, REP_RCVD, REP),
    M(rep_again_mra, REP, ACTIVE, MRA_REP_SENT, none, SENDS(MRA), 0, MRA_REP_SENT, NONE),
    M(rep_again_rtu, REP, ACTIVE, ESTABLISHED, none, SENDS(RTU), 0, ESTABLISHED, NONE),
    M(rep_unknown, REP, NOBODY, NONE, unknown, SENDS(REJ), 6, NONE, NONE),
    M(rtu, RTU, PASSIVE, REP_SENT, none, 0, 0, ESTABLISHED, ESTABLISHED),
    M(rtu, RTU, PASSIVE, MRA_REP_RCVD, none, 0, 0, ESTABLISHED, ESTABLISHED),
    M(dreq_other_qp, DREQ, PASSIVE, ESTABLISHED, none, 0, 0, ESTABLISHED, NONE),
    M(dreq_both, DREQ, ACTIVE, DREQ_SENT, qpn, SENDS(DREP), 0, TIMEWAIT, DREQ),
    M(dreq, DREQ, ACTIVE, ESTABLISHED, qpn, 0, 0, DREQ_RCVD, DREQ),
    M(dreq, DREQ, PASSIVE, REP_SENT, qpn, 0, 0, DREQ_RCVD, DREQ),
    M(dreq, DREQ, PASSIVE, LAP_RCVD, qpn, 0, 0, DREQ_RCVD, DREQ),
    M(dreq_timewait, DREQ, ACTIVE, TIMEWAIT, qpn, SENDS(DREP), 0, TIMEWAIT, NONE),
    M(dreq_unknown, DREQ, NOBODY, NONE, unknown, SENDS(DREP), 0, NONE, NONE),
    M(drep, DREP, ACTIVE, DREQ_SENT, none, 0, 0, TIMEWAIT, DREP),
    M(lap_unknown, LAP, NOBODY, NONE, unknown, SENDS(APR), 1, NONE, NONE),
    M(lap_again_mra, LAP, PASSIVE, MRA_LAP_SENT, none, SENDS(MRA), 0, MRA_LAP_SENT, NONE),
    M(lap_other_qp, LAP, PASSIVE, ESTABLISHED, lap_qpn, SENDS(APR), 6, ESTABLISHED, NONE),
    M(lap_foreign_lid, LAP, PASSIVE, ESTABLISHED, lap_foreign_lid, SENDS(APR), 7, ESTABLISHED, NONE),
    M(lap_foreign_gid, LAP, PASSIVE, ESTABLISHED, lap_gid, SENDS(APR), 8, ESTABLISHED, NONE),
    M(lap_same_path, LAP, PASSIVE, ESTABLISHED, lap_same, SENDS(APR), 5, ESTABLISHED, NONE),
    M(lap, LAP, PASSIVE, ESTABLISHED, none, 0, 0, LAP_RCVD, LAP),
    M(apr, APR, PASSIVE, LAP_SENT, none, 0, 0, ESTABLISHED, APR),
    M(apr, APR, PASSIVE, MRA_LAP_RCVD, none, 0, 0, ESTABLISHED, APR),
    M(sap, SAP, PASSIVE, ESTABLISHED, none, 0, 0, ESTABLISHED, SAP),
    M(spr, SPR, PASSIVE, ESTABLISHED, none, 0, 0, ESTABLISHED, SPR),
    M(sidr_no_service, SIDR_REQ, NOBODY, NONE, sidr_other, SENDS(SIDR_REP), 1, NONE, NONE),
    M(sidr_req, SIDR_REQ, NOBODY, NONE, none, 0, 0, SIDR_REQ_RCVD, SIDR_REQ),
};

/* Makes a correct message of the peer. */
static void make(uint16_t attribute, uint8_t *mad)
{
    const struct iba_cm_rep rep = lab_rep(HAND_QPN);
    uint8_t *data = hand_message_of(&h, mad, attribute);

    switch (attribute) {
    case IBA_CM_ID_REQ: hand_req(&h, mad); break;
    case IBA_CM_ID_REP:
        iba_layout_put(&iba_mad_layouts[IBA_M_cm_rep], &rep, data);
        iba_cm_rep_set_localcommid(data, HAND_ID);
        iba_cm_rep_set_remotecommid(data, h.id);
        iba_cm_rep_set_localcaguid(data, 0xca0001);
        break;
    case IBA_CM_ID_REJ: iba_cm_rej_set_reason(data, 28); break;
    case IBA_CM_ID_LAP:
        iba_cm_lap_set_remoteqpn(data, OUR_QPN);
        iba_cm_lap_set_alt_remotegid(data, h.lab.end[0].port[0].gid[0]);
        iba_cm_lap_set_alt_locallid(data, 99);
        iba_cm_lap_set_alt_remotelid(data, h.lab.end[0].port[0].lid);
        iba_cm_lap_set_alt_subnetlocal(data, 1);
        break;
    case IBA_CM_ID_SIDR_REQ: iba_cm_sidr_req_set_serviceid(data, LAB_SERVICE); break;
    default: break;
    }
}

static void be_in(uint8_t side, uint8_t state)
{
    hand_open(&h, IBA_PORT_IB);
    h.lab.end[0].port[0].sl2vl[9] = 15;
    uint32_t number;
    cr_assert_eq(iba_cm_listen(HAND_CM(&h),
                               &(struct iba_cm_listen){.service_id = 0x1060007, .service_mask = UINT64_MAX}, &number),
                 IBA_CM_OK);
    if (side == PASSIVE)
        hand_passive(&h, (enum iba_cm_state)state);
    if (side == ACTIVE)
        hand_active(&h, (enum iba_cm_state)state);
}

static unsigned code_of(unsigned answer)
{
    switch (answer) {
    case IBA_CM_ID_REJ: return iba_cm_rej_reason(HAND_DATA(&h));
    case IBA_CM_ID_APR: return iba_cm_apr_status(HAND_DATA(&h));
    case IBA_CM_ID_SIDR_REP: return iba_cm_sidr_rep_status(HAND_DATA(&h));
    default: return 0;
    }
}

static void play(const struct message_case *c)
{
    uint8_t mad[IBA_MAD_BYTES];
    const unsigned row = number_of(IBA_CM_TABLE_MESSAGES, c->row);

    be_in(c->side, c->state);
    make(c->message, mad);
    c->how(mad);
    const uint32_t before = HAND_CM(&h)->hits[IBA_CM_TABLE_MESSAGES][row],
                   unexpected = (uint32_t)HAND_CM(&h)->unexpected;
    lab_feed(&h.lab, 0, mad);
    /* of two answers (REJ, and DREQ of a stale connection) the last: REJ */
    cr_expect_eq(hand_take(&h), c->answer, "%s: answer %#x", c->row, iba_madhdr_attributeid(h.mad));
    cr_expect_eq(HAND_CM(&h)->hits[IBA_CM_TABLE_MESSAGES][row], before + 1, "%s in %s", c->row,
                 iba_cm_state_name((enum iba_cm_state)c->state));
    cr_expect_eq(HAND_CM(&h)->unexpected, unexpected);
    cr_expect_eq(code_of(c->answer), c->code, "%s: code %u", c->row, code_of(c->answer));
    cr_expect_eq(hand_state(&h), c->next, "%s: state %s", c->row, iba_cm_state_name(hand_state(&h)));
    cr_expect_eq(h.e.kind, c->event, "%s: event %s", c->row, iba_cm_event_name((enum iba_cm_event_kind)h.e.kind));
    count();
}

/* ---- messages that need more than a state ---- */

static void peers(uint64_t guid, bool loses)
{
    uint8_t mad[IBA_MAD_BYTES];
    struct iba_cm_request r;

    be_in(NOBODY, 0);
    r = lab_request(&h.lab, 0, OUR_QPN);
    r.peer = true;
    cr_assert_eq(iba_cm_connect(HAND_CM(&h), &r, h.lab.now, &h.id), IBA_CM_OK);
    iba_cm_req_set_localcaguid(hand_req(&h, mad), guid);
    hand_take(&h);
    cr_expect_eq(hand_feed(&h, mad), 0);
    cr_expect_eq(HAND_CM(&h)->hits[0][number_of(IBA_CM_TABLE_MESSAGES, "req_peer_loses")], loses);
    cr_expect_eq(hand_state(&h), loses ? IBA_CMS_REQ_RCVD : IBA_CMS_REQ_SENT);
    count();
}

static void fill_slots(uint16_t message, const char *row, unsigned answer, unsigned code)
{
    uint8_t mad[IBA_MAD_BYTES];

    be_in(NOBODY, 0);
    for (unsigned i = 0; i <= LAB_CONNS; i++) {
        make(message, mad);
        iba_cm_req_set_localcommid(mad + IBA_BYTES_madhdr, i + 1); /* likewise the request ID of a SIDR_REQ */
        if (message == IBA_CM_ID_REQ)
            iba_cm_req_set_localqpn(mad + IBA_BYTES_madhdr, i + 2);
        cr_expect_eq(hand_feed(&h, mad), i == LAB_CONNS ? answer : 0);
    }
    cr_expect_eq(code_of(answer), code);
    cr_expect_eq(HAND_CM(&h)->hits[0][number_of(IBA_CM_TABLE_MESSAGES, row)], 1, "%s", row);
    count();
}

static void fill_backlog(uint16_t message, bool datagrams, unsigned answer, unsigned code)
{
    uint8_t mad[IBA_MAD_BYTES];
    uint32_t number;

    be_in(NOBODY, 0);
    cr_assert_eq(iba_cm_listen(HAND_CM(&h),
                               &(struct iba_cm_listen){
                                   .service_id = 5, .service_mask = UINT64_MAX, .backlog = 2, .datagrams = datagrams},
                               &number),
                 IBA_CM_OK);
    for (unsigned i = 0; i < 3; i++) {
        make(message, mad);
        (datagrams ? sidr_other : other_service)(mad);
        iba_cm_req_set_localcommid(mad + IBA_BYTES_madhdr, i + 1);
        if (!datagrams)
            iba_cm_req_set_localqpn(mad + IBA_BYTES_madhdr, i + 2);
        cr_expect_eq(hand_feed(&h, mad), i == 2 ? answer : 0);
    }
    cr_expect_eq(code_of(answer), code);
    count();
}

/* A connection is established and we ask for a second one; `mad` receives the REP to the second REQ. */
static void second_rep(uint8_t mad[IBA_MAD_BYTES])
{
    struct iba_cm_request r;

    be_in(PASSIVE, IBA_CMS_ESTABLISHED);
    r = lab_request(&h.lab, 0, 0x77);
    cr_assert_eq(iba_cm_connect(HAND_CM(&h), &r, h.lab.now, &h.id), IBA_CM_OK);
    hand_take(&h);
    make(IBA_CM_ID_REP, mad);
}

/* The peer's queue pair already has a connection with us. */
static void rep_of_a_busy_queue_pair(void)
{
    uint8_t mad[IBA_MAD_BYTES];

    second_rep(mad);
    iba_cm_rep_set_localcommid(mad + IBA_BYTES_madhdr, 9);
    cr_expect_eq(hand_feed(&h, mad), IBA_CM_ID_REJ);
    cr_expect_eq(code_of(IBA_CM_ID_REJ), 10);
    cr_expect_eq(h.e.kind, IBA_CME_STALE);
    cr_expect_eq(hand_state(&h), IBA_CMS_NONE);
    count();
}

/* The REP has an ID of the peer that already names another connection. */
static void rep_of_a_known_id(void)
{
    uint8_t mad[IBA_MAD_BYTES];

    second_rep(mad);
    iba_cm_rep_set_localqpn(mad + IBA_BYTES_madhdr, 0x4444);
    cr_expect_eq(hand_feed(&h, mad), IBA_CM_ID_REJ);
    cr_expect_eq(code_of(IBA_CM_ID_REJ), 30);
    cr_expect_eq(hand_state(&h), IBA_CMS_REQ_SENT);
    count();
}

static void laps(void)
{
    uint8_t mad[IBA_MAD_BYTES], first[IBA_MAD_BYTES];

    be_in(PASSIVE, IBA_CMS_LAP_RCVD);
    cr_assert_eq(iba_cm_loaded(HAND_CM(&h), h.id, 3, (struct iba_cm_private){"why", 3}, LAB_NOTHING, h.lab.now),
                 IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_APR);
    cr_expect_eq(code_of(IBA_CM_ID_APR), 3);
    cr_expect_eq(iba_cm_apr_infolen(HAND_DATA(&h)), 3);
    memcpy(first, h.mad, sizeof first);
    make(IBA_CM_ID_LAP, mad);
    cr_expect_eq(hand_feed(&h, mad), IBA_CM_ID_APR);
    cr_expect_arr_eq(first, h.mad, sizeof first);
    count();
    hand_open(&h, IBA_PORT_ROCE2);
    hand_passive(&h, IBA_CMS_ESTABLISHED);
    make(IBA_CM_ID_LAP, mad);
    cr_expect_eq(hand_feed(&h, mad), IBA_CM_ID_APR);
    cr_expect_eq(code_of(IBA_CM_ID_APR), 2);
    count();
}

static void resolving(bool answered)
{
    uint8_t mad[IBA_MAD_BYTES];
    const struct iba_cm_resolve r = {.service_id = 7, .pkey = 0xffff, .response = 10, .retries = 1};

    be_in(NOBODY, 0);
    cr_assert_eq(iba_cm_resolve(HAND_CM(&h), &r, h.lab.now, &h.id), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_SIDR_REQ);
    cr_expect_eq(iba_cm_sidr_req_requestid(HAND_DATA(&h)), h.id);
    if (answered) {
        iba_cm_sidr_rep_set_requestid(hand_message(mad, IBA_CM_ID_SIDR_REP, 1), h.id);
        hand_feed(&h, mad);
        cr_expect_eq(h.e.kind, IBA_CME_SIDR_REP);
    } else {
        cr_expect_eq(hand_timer(&h), IBA_CM_ID_SIDR_REQ);
        cr_expect_eq(hand_timer(&h), 0);
        cr_expect_eq(h.e.kind, IBA_CME_SIDR_UNANSWERED);
    }
    cr_expect_eq(hand_state(&h), IBA_CMS_NONE);
    count();
}

/* ---- timers ---- */

static const struct {
    uint8_t side, state;
    uint16_t again, last; /* attributes of what the timer repeats, and of what it sends last */
    uint8_t next, event;
} timer_cases[] = {
    {ACTIVE, IBA_CMS_REQ_SENT, IBA_CM_ID_REQ, IBA_CM_ID_REJ, IBA_CMS_NONE, IBA_CME_UNREACHABLE},
    {ACTIVE, IBA_CMS_MRA_REQ_RCVD, IBA_CM_ID_REQ, IBA_CM_ID_REJ, IBA_CMS_NONE, IBA_CME_UNREACHABLE},
    {PASSIVE, IBA_CMS_REP_SENT, IBA_CM_ID_REP, IBA_CM_ID_REJ, IBA_CMS_TIMEWAIT, IBA_CME_UNCONFIRMED},
    {PASSIVE, IBA_CMS_MRA_REP_RCVD, IBA_CM_ID_REP, IBA_CM_ID_REJ, IBA_CMS_TIMEWAIT, IBA_CME_UNCONFIRMED},
    {ACTIVE, IBA_CMS_LAP_SENT, IBA_CM_ID_LAP, 0, IBA_CMS_ESTABLISHED, IBA_CME_UNLOADED},
    {ACTIVE, IBA_CMS_MRA_LAP_RCVD, IBA_CM_ID_LAP, 0, IBA_CMS_ESTABLISHED, IBA_CME_UNLOADED},
    {PASSIVE, IBA_CMS_DREQ_SENT, IBA_CM_ID_DREQ, 0, IBA_CMS_TIMEWAIT, IBA_CME_UNRELEASED},
};

/* MD-68: the CM repeats its message MaxCMRetries (2) times with the same bytes, then stops. */
static void run_out(size_t i)
{
    uint8_t sent[IBA_MAD_BYTES];

    be_in(timer_cases[i].side, timer_cases[i].state);
    memcpy(sent, iba_cm_find(HAND_CM(&h), h.id)->sent, sizeof sent);
    for (unsigned n = 0; n < 2; n++) {
        cr_expect_eq(hand_timer(&h), timer_cases[i].again, "case %zu", i);
        cr_expect_arr_eq(h.mad, sent, sizeof sent);
        cr_expect_eq(h.e.kind, IBA_CME_NONE);
    }
    cr_expect_eq(hand_timer(&h), timer_cases[i].last, "case %zu", i);
    if (timer_cases[i].last)
        cr_expect_eq(code_of(IBA_CM_ID_REJ), 4);
    cr_expect_eq(h.e.kind, timer_cases[i].event);
    cr_expect_eq(hand_state(&h), timer_cases[i].next);
    if (timer_cases[i].next == IBA_CMS_TIMEWAIT) {
        const iba_time way = (iba_time)4096 << 10; /* MD-78: only the active end adds a delay */
        cr_expect_eq(iba_cm_deadline(HAND_CM(&h)), h.lab.now + way);
        hand_timer(&h);
        cr_expect_eq(h.e.kind, IBA_CME_TIMEWAIT_EXIT);
        cr_expect_eq(HAND_CM(&h)->n_used, 0);
    }
    count();
}

/* ---- verbs ---- */

static enum iba_cm_err reject(void)
{
    return iba_cm_reject(HAND_CM(&h), h.id, 17, (struct iba_cm_private){"\3", 1}, LAB_NOTHING, h.lab.now);
}
static enum iba_cm_err established(void)
{
    return iba_cm_established(HAND_CM(&h), h.id, h.lab.now);
}
static enum iba_cm_err disconnect(void)
{
    return iba_cm_disconnect(HAND_CM(&h), h.id, LAB_NOTHING, h.lab.now);
}
static enum iba_cm_err abandon(void)
{
    return iba_cm_abandon(HAND_CM(&h), h.id, h.lab.now);
}
static enum iba_cm_err suggest(void)
{
    return iba_cm_suggest(HAND_CM(&h), h.id, (struct iba_cm_private){"path", 4}, h.lab.now);
}
static enum iba_cm_err suggested(void)
{
    return iba_cm_suggested(HAND_CM(&h), h.id, (struct iba_cm_private){"fine", 4}, h.lab.now);
}
static enum iba_cm_err confirm(void)
{
    return iba_cm_confirm(HAND_CM(&h), h.id, LAB_NOTHING, h.lab.now);
}

static const struct {
    enum iba_cm_err (*verb)(void);
    uint8_t side, state;
    uint16_t answer, code;
    uint8_t next, event;
} verb_cases[] = {
    {confirm, ACTIVE, IBA_CMS_MRA_REP_SENT, IBA_CM_ID_RTU, 0, IBA_CMS_ESTABLISHED, 0},
    {reject, PASSIVE, IBA_CMS_REQ_RCVD, IBA_CM_ID_REJ, 17, IBA_CMS_NONE, 0},
    {reject, ACTIVE, IBA_CMS_REP_RCVD, IBA_CM_ID_REJ, 17, IBA_CMS_NONE, 0},
    {established, PASSIVE, IBA_CMS_REP_SENT, 0, 0, IBA_CMS_ESTABLISHED, IBA_CME_ESTABLISHED},
    {disconnect, PASSIVE, IBA_CMS_LAP_RCVD, IBA_CM_ID_DREQ, 0, IBA_CMS_DREQ_SENT, 0},
    {disconnect, PASSIVE, IBA_CMS_DREQ_RCVD, IBA_CM_ID_DREP, 0, IBA_CMS_TIMEWAIT, 0},
    {abandon, ACTIVE, IBA_CMS_REQ_SENT, IBA_CM_ID_REJ, 4, IBA_CMS_NONE, 0},
    {abandon, PASSIVE, IBA_CMS_MRA_REQ_SENT, IBA_CM_ID_REJ, 28, IBA_CMS_NONE, 0},
    {abandon, ACTIVE, IBA_CMS_REP_RCVD, IBA_CM_ID_REJ, 28, IBA_CMS_NONE, 0},
    {abandon, PASSIVE, IBA_CMS_REP_SENT, IBA_CM_ID_REJ, 28, IBA_CMS_TIMEWAIT, 0},
    {abandon, ACTIVE, IBA_CMS_ESTABLISHED, IBA_CM_ID_DREQ, 0, IBA_CMS_DREQ_SENT, 0},
    {abandon, ACTIVE, IBA_CMS_DREQ_RCVD, IBA_CM_ID_DREP, 0, IBA_CMS_TIMEWAIT, 0},
    {abandon, ACTIVE, IBA_CMS_DREQ_SENT, 0, 0, IBA_CMS_TIMEWAIT, 0},
    {suggest, PASSIVE, IBA_CMS_ESTABLISHED, IBA_CM_ID_SAP, 0, IBA_CMS_ESTABLISHED, 0},
    {suggested, ACTIVE, IBA_CMS_ESTABLISHED, IBA_CM_ID_SPR, 0, IBA_CMS_ESTABLISHED, 0},
};

static void call(size_t i)
{
    be_in(verb_cases[i].side, verb_cases[i].state);
    cr_expect_eq(verb_cases[i].verb(), IBA_CM_OK, "verb %zu", i);
    cr_expect_eq(hand_take(&h), verb_cases[i].answer, "verb %zu", i);
    cr_expect_eq(code_of(verb_cases[i].answer), verb_cases[i].code, "verb %zu", i);
    cr_expect_eq(hand_state(&h), verb_cases[i].next, "verb %zu", i);
    cr_expect_eq(h.e.kind, verb_cases[i].event, "verb %zu", i);
    count();
}

/* The peer's SIDR_REQ is answered by the user, or not; the user also gives up a SIDR_REQ of ours. */
static void sidr_verbs(void)
{
    const struct iba_cm_resolve r = {.service_id = 7, .response = 10};
    const struct iba_cm_sidr_rep rep = {.qpn = 0x99, .qkey = 0x11111111};
    uint8_t mad[IBA_MAD_BYTES];

    for (unsigned answered = 0; answered < 2; answered++) {
        be_in(NOBODY, 0);
        make(IBA_CM_ID_SIDR_REQ, mad);
        iba_cm_sidr_req_set_requestid(mad + IBA_BYTES_madhdr, 0x55);
        hand_feed(&h, mad);
        cr_assert_eq(answered ? iba_cm_resolved(HAND_CM(&h), h.id, &rep, LAB_NOTHING, h.lab.now) : abandon(),
                     IBA_CM_OK);
        cr_assert_eq(hand_take(&h), IBA_CM_ID_SIDR_REP);
        cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID);
        cr_expect_eq(iba_cm_sidr_rep_requestid(HAND_DATA(&h)), 0x55);
        cr_expect_eq(iba_cm_sidr_rep_serviceid(HAND_DATA(&h)), LAB_SERVICE);
        cr_expect_eq(iba_cm_sidr_rep_status(HAND_DATA(&h)), answered ? 0 : 2);
        cr_expect_eq(iba_cm_sidr_rep_qpn(HAND_DATA(&h)), answered ? 0x99 : 0);
        cr_expect_eq(hand_state(&h), IBA_CMS_NONE);
        count();
    }
    be_in(NOBODY, 0);
    cr_assert_eq(iba_cm_resolve(HAND_CM(&h), &r, h.lab.now, &h.id), IBA_CM_OK);
    cr_expect_eq(abandon(), IBA_CM_OK);
    cr_expect_eq(hand_state(&h), IBA_CMS_NONE);
    count();
}

Test(rows, every_row_decides_in_some_case)
{
    for (size_t i = 0; i < sizeof message_cases / sizeof *message_cases; i++)
        play(&message_cases[i]);
    peers(0xc90000, false);
    peers(0xcb0000, true);
    fill_slots(IBA_CM_ID_REQ, "req_no_slot", IBA_CM_ID_REJ, 3);
    fill_slots(IBA_CM_ID_SIDR_REQ, "sidr_no_slot", IBA_CM_ID_SIDR_REP, 3);
    fill_backlog(IBA_CM_ID_REQ, false, IBA_CM_ID_REJ, 3);
    fill_backlog(IBA_CM_ID_SIDR_REQ, true, IBA_CM_ID_SIDR_REP, 3);
    rep_of_a_busy_queue_pair();
    rep_of_a_known_id();
    laps();
    resolving(true);
    resolving(false);
    for (size_t i = 0; i < sizeof timer_cases / sizeof *timer_cases; i++)
        run_out(i);
    for (size_t i = 0; i < sizeof verb_cases / sizeof *verb_cases; i++)
        call(i);
    sidr_verbs();
    for (unsigned t = 0; t < IBA_CM_TABLES; t++)
        for (unsigned i = 0; i < tables[t]->n; i++)
            cr_expect_gt(hits[t][i], 0, "no case for row %s of %s", tables[t]->row[i].name, tables[t]->name);
}

/* In every state without a row for the message, the CM drops the message and changes nothing. */
Test(rows, messages_that_no_row_takes_change_nothing)
{
    uint8_t mad[IBA_MAD_BYTES];

    for (unsigned side = PASSIVE; side <= ACTIVE; side++)
        for (unsigned s = IBA_CMS_REQ_SENT; s <= IBA_CMS_TIMEWAIT; s++)
            for (uint16_t m = IBA_CM_ID_MRA; m <= IBA_CM_ID_SPR; m++) {
                const bool asks = s == IBA_CMS_REQ_SENT || s == IBA_CMS_MRA_REQ_RCVD || s == IBA_CMS_REP_RCVD ||
                                  s == IBA_CMS_MRA_REP_SENT;
                const bool asked = s >= IBA_CMS_REQ_RCVD && s <= IBA_CMS_MRA_REP_RCVD;
                if (side == PASSIVE ? asks : asked)
                    continue;
                be_in((uint8_t)side, (uint8_t)s);
                make(m, mad);
                const struct iba_cm_conn before = *iba_cm_find(HAND_CM(&h), h.id);
                const uint64_t dropped = HAND_CM(&h)->unexpected;
                const unsigned answer = hand_feed(&h, mad);
                if (HAND_CM(&h)->unexpected > dropped) {
                    cr_expect_eq(answer, 0);
                    cr_expect_eq(h.e.kind, IBA_CME_NONE);
                    cr_expect_eq(memcmp(&before, iba_cm_find(HAND_CM(&h), h.id), sizeof before), 0, "message %#x in %s",
                                 m, iba_cm_state_name((enum iba_cm_state)s));
                }
                hand_close(&h);
            }
}
