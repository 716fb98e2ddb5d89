/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of a connection manager: which are of an earlier play, and to which conversation the others belong. */
#include <criterion/criterion.h>
#include <string.h>
#include "player.h"

enum { DATA = 24, LOCAL_ID = DATA, REMOTE_ID = DATA + 4, REQ_QPN = DATA + 32, ONE = 1, TWO, GONE, OBJECTS };
static const uint32_t own = 0x00c5de00; /* the tester's ID in a play that began at 5 * 2^20 ns */
static const struct ibc_scenario scenario;
static struct ibc_object objects[OBJECTS];
static const struct ibc_play play = {.scenario = &scenario, .variation = "", .object = objects, .n_object = OBJECTS};
static uint8_t mad[IBA_MAD_BYTES], wire[IBA_MGMT_BYTES];

static void begin(void)
{
    player_begin();
    p->play = &play;
    p->began_at = UINT64_C(5) << 20 | 0xfffff;
    target.framing = IBA_LINK_IB;
}

static void end(void)
{
    run_arena_free(&p->arena);
    player_end();
}

TestSuite(cm_message, .init = begin, .fini = end);

static void put(unsigned at, uint32_t n)
{
    for (unsigned i = 0; i < 4; i++)
        mad[at + i] = (uint8_t)(n >> (24 - 8 * i));
}

static void packet(struct run_packet *k, uint8_t class, uint16_t message, unsigned qp)
{
    const struct iba_mgmt_to to = {.dlid = 2, .slid = 1, .dqp = qp, .sqp = 1, .pkey = 0xffff};
    size_t n;

    mad[0] = 1;
    mad[1] = class;
    mad[2] = 2;
    mad[3] = 3;
    mad[17] = (uint8_t)message;
    n = iba_mgmt_build(wire, &to, 0, mad);
    memset(k, 0, sizeof *k);
    k->frame = wire;
    k->len = (uint32_t)n;
    cr_assert_eq(iba_view_parse(&k->view, IBA_LINK_IB, wire, n, n, NULL), IBA_OK);
}

/* ---- of an earlier play ---- */

/* The tester's IDs have 0xde in bits 8 to 15, and above them the time of the play. */
Test(cm_message, of_an_earlier_play)
{
    static const struct {
        uint32_t id;
        bool late;
    } rows[] = {{0x00c5de00, false}, {0x00c5deff, false}, {0x00c4de00, true},  {0x00c0de00, true},  {0x00c6de01, true},
                {0x01c5de00, true},  {0x0000de00, true},  {0x00c4dd00, false}, {0x00c4df00, false}, {0, false}};
    static const struct {
        uint16_t message;
        unsigned at; /* where it names its receiver; 0: it names none */
    } messages[] = {{IBA_CM_ID_REQ, 0},          {IBA_CM_ID_MRA, REMOTE_ID}, {IBA_CM_ID_REJ, REMOTE_ID},
                    {IBA_CM_ID_REP, REMOTE_ID},  {IBA_CM_ID_RTU, REMOTE_ID}, {IBA_CM_ID_DREQ, REMOTE_ID},
                    {IBA_CM_ID_DREP, REMOTE_ID}, {IBA_CM_ID_SIDR_REQ, 0},    {IBA_CM_ID_SIDR_REP, LOCAL_ID},
                    {IBA_CM_ID_LAP, REMOTE_ID},  {IBA_CM_ID_APR, REMOTE_ID}};
    struct run_packet k;

    cr_assert_eq(run_cm_peer(p, 0), own);
    for (size_t m = 0; m < sizeof messages / sizeof *messages; m++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (unsigned at = LOCAL_ID; at <= REMOTE_ID; at += 4) {
                memset(mad, 0, sizeof mad);
                put(at, rows[i].id);
                packet(&k, IBA_CLASS_CM, messages[m].message, 1);
                cr_expect_eq(run_cm_is_late(p, &k), at == messages[m].at && rows[i].late, "message %#x, ID %#x at %u",
                             messages[m].message, rows[i].id, at);
            }
    memset(mad, 0, sizeof mad);
    put(REMOTE_ID, 0x00c4de00);
    packet(&k, IBA_CLASS_CM, IBA_CM_ID_RTU, 1);
    cr_expect(run_cm_is_late(p, &k));
    target.virtual_time = true; /* no time passes between two plays */
    cr_expect_not(run_cm_is_late(p, &k));
    target.virtual_time = false;
    packet(&k, IBA_CLASS_PERF, IBA_CM_ID_RTU, 1);
    cr_expect_not(run_cm_is_late(p, &k));
    packet(&k, IBA_CLASS_CM, IBA_CM_ID_RTU, 2);
    cr_expect_not(run_cm_is_late(p, &k));
}

/* ---- of a conversation ---- */

Test(cm_message, whose_it_is)
{
    static const struct {
        uint16_t message;
        uint32_t local, remote, qpn;
        bool known; /* the second conversation has had a message */
        unsigned owner;
    } rows[] = {
        {IBA_CM_ID_RTU, 0, 0x00c5de01, 0, true, ONE},
        {IBA_CM_ID_RTU, 0, 0x00c5de02, 0, true, TWO},
        {IBA_CM_ID_RTU, 0x77, 0x00c5de01, 0, true, ONE}, /* the tester's ID counts first */
        {IBA_CM_ID_RTU, 0x77, 0x00c5de09, 0, true, TWO},
        {IBA_CM_ID_RTU, 0x77, 0x00c5de09, 0, false, ONE},
        {IBA_CM_ID_RTU, 0x78, 0x00c5de09, 0, true, ONE},
        {IBA_CM_ID_RTU, 0, 0x00c5de03, 0, true, ONE}, /* of a conversation that has ended */
        {IBA_CM_ID_REQ, 0x99, 0, 0x222, false, TWO},
        {IBA_CM_ID_REQ, 0x99, 0, 0x111, false, ONE},
        {IBA_CM_ID_REQ, 0x99, 0, 0x222, true, ONE},
        {IBA_CM_ID_REQ, 0x77, 0, 0x111, true, ONE},
        {IBA_CM_ID_REQ, 0x77, 0, 0x333, true, TWO},
        {IBA_CM_ID_SIDR_REP, 0x00c5de02, 0, 0, true, TWO},
    };
    struct run_packet k;

    packet(&k, IBA_CLASS_CM, IBA_CM_ID_REQ, 1);
    cr_expect_null(run_cm_owner(p, &k), "no conversation");
    p->live[ONE] = (struct run_live){.kind = IBC_O_cm, .made = true, .peer = own + 1, .device_qpn = 0x111};
    p->live[TWO] =
        (struct run_live){.kind = IBC_O_cm, .made = true, .peer = own + 2, .device_qpn = 0x222, .id = {1, 0x77}};
    p->live[GONE] = (struct run_live){.kind = IBC_O_cm, .peer = own + 3};
    p->live[0] = (struct run_live){.kind = IBC_O_qp, .made = true, .peer = own + 2};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(mad, 0, sizeof mad);
        put(LOCAL_ID, rows[i].local);
        put(REMOTE_ID, rows[i].remote);
        put(REQ_QPN, rows[i].qpn << 8);
        packet(&k, IBA_CLASS_CM, rows[i].message, 1);
        p->live[TWO].known = rows[i].known;
        cr_expect_eq(run_cm_owner(p, &k), &p->live[rows[i].owner], "row %zu", i);
    }
    packet(&k, IBA_CLASS_CM, IBA_CM_ID_RTU, 2);
    cr_expect_null(run_cm_owner(p, &k));
}

/* ---- events ---- */

static struct iba_cm_event event;
static unsigned n_event;

static enum ibc_rc tell(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n)
{
    (void)t;
    (void)d;
    *n = n_event;
    n_event = 0;
    *e = event;
    return IBC_OK;
}

/* The request that begins a conversation names the tester's ID, or where the device's user does not see that ID, the
 * tester's queue pair (REQ) or port (SIDR_REQ). All later events of the conversation have the device's handle. */
Test(cm_message, whose_event_it_is)
{
    enum { NOBODY = OBJECTS, SIDR_PORT = DATA + 16, PORT = 7174 };
    static const struct {
        uint8_t kind;
        uint32_t id, peer, qpn, port;
        unsigned owner;
    } rows[] = {
        {IBA_CME_REQ, 0x99, own + 1, 0, 0, ONE},
        {IBA_CME_REQ, 0x99, own + 2, 0, 0, TWO},
        {IBA_CME_REQ, 0x99, own + 2, 0x111, 0, TWO}, /* the ID counts first */
        {IBA_CME_REQ, 0x77, own + 9, 0x111, 0, NOBODY},
        {IBA_CME_REQ, 0x77, 0, 0x111, 0, ONE},
        {IBA_CME_REQ, 0x77, 0, 0x222, 0, TWO},
        {IBA_CME_REQ, 0x77, 0, 0x333, 0, NOBODY},
        {IBA_CME_SIDR_REQ, 0x77, own + 1, 0, PORT + TWO, ONE},
        {IBA_CME_SIDR_REQ, 0x99, own + 2, 0, 0, TWO},
        {IBA_CME_SIDR_REQ, 0x77, own + 9, 0, PORT + TWO, NOBODY},
        {IBA_CME_SIDR_REQ, 0x77, 0, 0, PORT + ONE, ONE},
        {IBA_CME_SIDR_REQ, 0x77, 0, 0, PORT + TWO, TWO},
        {IBA_CME_SIDR_REQ, 0x77, 0, 0x111, PORT + OBJECTS, NOBODY},
        {IBA_CME_REP, 0x77, own + 1, 0, 0, TWO},
        {IBA_CME_REP, 0x66, own + 2, 0, 0, ONE},
        {IBA_CME_REP, 0x99, own + 2, 0, 0, NOBODY},
        {IBA_CME_REP, 0, own + 1, 0, 0, NOBODY}, /* a handle that no conversation has got yet */
    };

    ops.cm_event = tell;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iba_cm_event e;
        p->live[0] = (struct run_live){.kind = IBC_O_cm, .made = true, .peer = own + 8, .service_qpn = 0x888};
        p->live[ONE] = (struct run_live){
            .kind = IBC_O_cm, .made = true, .peer = own + 1, .service_qpn = 0x111, .handled = true, .handle = 0x66};
        p->live[TWO] = (struct run_live){
            .kind = IBC_O_cm, .made = true, .peer = own + 2, .service_qpn = 0x222, .handled = true, .handle = 0x77};
        memset(mad, 0, sizeof mad);
        put(LOCAL_ID, rows[i].peer);
        put(REQ_QPN, rows[i].qpn << 8);
        if (rows[i].kind == IBA_CME_SIDR_REQ)
            put(SIDR_PORT, rows[i].port);
        event = (struct iba_cm_event){.id = rows[i].id, .kind = rows[i].kind};
        memcpy(event.mad, mad, sizeof mad);
        n_event = 1;
        p->n_cm_event = 0;
        const struct run_live *const c = run_cm_next_event(p, &e);
        cr_expect_eq(c, rows[i].owner == NOBODY ? NULL : &p->live[rows[i].owner], "row %zu", i);
        cr_expect_eq(p->n_cm_event, rows[i].owner == NOBODY, "row %zu: only an event with an owner is taken", i);
        const bool begins = c && rows[i].kind != IBA_CME_REP; /* the conversation has its handle from now on */
        cr_expect(!begins || (c->handled && c->handle == rows[i].id), "row %zu", i);
    }
}

static enum ibc_rc collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                           uint64_t *at)
{
    (void)t;
    cr_expect(d == 0 && until == 99);
    memcpy(frame, wire, sizeof wire);
    *len = sizeof wire;
    *at = 7;
    return IBC_OK;
}

/* A message of an earlier play is in the evidence, but no line has to expect it. */
Test(cm_message, late_ones_are_ignored)
{
    static const struct ibc_step s = {.line = 3};
    struct run_packet k;
    bool came;

    ops.collect = collect;
    p->live[ONE] = (struct run_live){.kind = IBC_O_cm, .made = true, .peer = own + 1};
    for (unsigned i = 0; i < 2; i++) {
        memset(mad, 0, sizeof mad);
        put(REMOTE_ID, i ? own + 1 : 0x00c4de01);
        packet(&k, IBA_CLASS_CM, IBA_CM_ID_RTU, 1);
        cr_assert(run_collect(p, 99, &came, &s) && came);
        cr_expect(p->n_waiting == i && p->n_packet == i + 1 && p->verdict == IBC_IS_PASS);
        cr_expect_eq(p->live[ONE].head != NULL, i);
        cr_expect(p->last->at == 7 && p->last->line == 3 && p->last->len == sizeof wire && !p->last->sent);
    }
}
