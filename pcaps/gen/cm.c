/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of two connection managers (core/cm) that connect, disconnect, and try in vain, on virtual time. Each of
 * the 13 messages comes at least once, with private data. A lost datagram is in the capture, but does not arrive. */
#include <stdio.h>
#include "cm/test/lab.h"
#include "gen.h"

enum { ACTIVE = 0, PASSIVE = 1, MS = 1000000, US = 1000, STEP = 10 * US, SERVICE_CODE = 16, RETRIES = 2 };
#define SERVICE UINT64_C(0x0200000000001234) /* locally administered */
#define UD_SERVICE UINT64_C(0x0200000000001235)
enum { QPN_ACTIVE = 0x2001, QPN_PASSIVE = 0x1001 };

struct talk {
    struct job *job;
    const char *encap;
    struct lab lab;
    iba_time last; /* the datagram before */
    uint16_t lose; /* attribute ID of the message that is lost */
    unsigned lose_n;
    uint32_t qpn; /* the next of a pair that was not used */
};

static void write_datagram(struct talk *t, unsigned from, const uint8_t *mad)
{
    char line[LINE_BYTES];
    int n = snprintf(line, sizeof line,
                     "%s UD_SEND_ONLY%s bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000 mad=7:3:10 at=0:", t->encap,
                     from == ACTIVE ? "" : " reverse=1");

    for (unsigned i = 0; i < IBA_MAD_BYTES; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%02x", mad[i]);
    if (t->last)
        snprintf(line + n, sizeof line - (size_t)n, " after=%llu", (unsigned long long)(t->lab.now - t->last));
    t->last = t->lab.now;
    packet_line(t->job, line);
}

static bool leaves(void *ctx, unsigned from, const struct iba_cm_datagram *d)
{
    const uint8_t *const mad = d->mad;
    struct talk *t = ctx;

    write_datagram(t, from, mad);
    if (iba_madhdr_attributeid(mad) != t->lose || t->lose_n == 0)
        return true;
    t->lose_n--;
    return false;
}

/* The next `n` messages of that kind do not arrive. */
static void lose(struct talk *t, uint16_t message, unsigned n)
{
    t->lose = message;
    t->lose_n = n;
}

static struct iba_cm_private private_data(size_t n)
{
    static uint8_t bytes[IBA_CM_RTU_BYTES];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(0x30 + i % 0x40);
    return (struct iba_cm_private){bytes, n};
}

static void must(const struct talk *t, const char *what, bool good)
{
    if (!good)
        die(t->job, "the connection managers did not do this", what);
}

/* Waits for that event of that end. Returns the local communication ID. */
static uint32_t await(struct talk *t, unsigned end, enum iba_cm_event_kind kind)
{
    const iba_time until = t->lab.now + (iba_time)4000 * MS;
    struct iba_cm_event e = {0};

    while (!iba_cm_next_event(&t->lab.end[end].cm, &e) && t->lab.now < until)
        lab_run(&t->lab, t->lab.now + STEP);
    must(t, iba_cm_event_name(kind), e.kind == kind);
    return e.id;
}

static uint32_t ask(struct talk *t)
{
    struct iba_cm_request r = lab_request(&t->lab, ACTIVE, QPN_ACTIVE + t->qpn++);
    uint32_t id = 0;

    r.req.serviceid = SERVICE;
    r.req.maxcmretr = RETRIES;
    r.req.localresptout = 15; /* 134 ms, twice the peer's */
    r.req.prim_tfcclass = 0x60;
    r.private_data = private_data(IBA_CM_REQ_BYTES);
    must(t, "connect", iba_cm_connect(&t->lab.end[ACTIVE].cm, &r, t->lab.now, &id) == IBA_CM_OK);
    return id;
}

static void accept(struct talk *t, uint32_t id)
{
    const struct iba_cm_rep rep = lab_rep(QPN_PASSIVE + t->qpn);

    must(t, "accept",
         iba_cm_accept(&t->lab.end[PASSIVE].cm, id, &rep, private_data(IBA_CM_REP_BYTES), t->lab.now) == IBA_CM_OK);
}

/* The users need some time for their answers. */
static void pause_for(struct talk *t, iba_time ns)
{
    lab_run(&t->lab, t->lab.now + ns);
}

/* ---- what the two do; the function names say it ---- */

static void nobody_answers_the_req(struct talk *t)
{
    lose(t, IBA_CM_ID_REQ, 1 + RETRIES);
    ask(t);
    await(t, ACTIVE, IBA_CME_UNREACHABLE);
    pause_for(t, MS);
}

static void nobody_listens(struct talk *t)
{
    ask(t);
    await(t, ACTIVE, IBA_CME_REJ);
}

/* Both users delay their answers, and each answer is lost once. */
static void connect_slowly(struct talk *t, uint32_t id[2])
{
    struct iba_cm *active = &t->lab.end[ACTIVE].cm, *passive = &t->lab.end[PASSIVE].cm;

    lose(t, IBA_CM_ID_REQ, 1);
    id[ACTIVE] = ask(t);
    id[PASSIVE] = await(t, PASSIVE, IBA_CME_REQ);
    must(t, "delay",
         iba_cm_delay(passive, id[PASSIVE], SERVICE_CODE, private_data(IBA_CM_MRA_BYTES), t->lab.now) == IBA_CM_OK);
    await(t, ACTIVE, IBA_CME_MRA);
    pause_for(t, (iba_time)200 * MS);
    lose(t, IBA_CM_ID_REP, 1);
    accept(t, id[PASSIVE]);
    await(t, ACTIVE, IBA_CME_REP);
    must(t, "delay",
         iba_cm_delay(active, id[ACTIVE], SERVICE_CODE, private_data(IBA_CM_MRA_BYTES), t->lab.now) == IBA_CM_OK);
    await(t, PASSIVE, IBA_CME_MRA);
    pause_for(t, (iba_time)200 * MS);
    must(t, "confirm", iba_cm_confirm(active, id[ACTIVE], private_data(IBA_CM_RTU_BYTES), t->lab.now) == IBA_CM_OK);
    await(t, PASSIVE, IBA_CME_ESTABLISHED);
}

/* On InfiniBand the alternate path is loaded, after a delay; on Ethernet the LAP is refused. */
static void load_a_path(struct talk *t, const uint32_t id[2])
{
    const struct iba_port *own = &t->lab.end[ACTIVE].port[0], *peer = &t->lab.end[PASSIVE].port[0];
    struct iba_cm *active = &t->lab.end[ACTIVE].cm, *passive = &t->lab.end[PASSIVE].cm;
    struct iba_cm_lap lap = {.remoteresptout = 14,
                             .alt_locallid = (uint16_t)(own->lid + 32),
                             .alt_remotelid = peer->lid,
                             .alt_hoplim = 64,
                             .alt_subnetlocal = 1,
                             .alt_localacktout = 10};

    memcpy(lap.alt_localgid, own->gid[0], 16);
    memcpy(lap.alt_remotegid, peer->gid[0], 16);
    must(t, "load", iba_cm_load(active, id[ACTIVE], &lap, private_data(IBA_CM_LAP_BYTES), t->lab.now) == IBA_CM_OK);
    if (peer->kind == IBA_PORT_IB) {
        await(t, PASSIVE, IBA_CME_LAP);
        must(t, "delay",
             iba_cm_delay(passive, id[PASSIVE], SERVICE_CODE, private_data(IBA_CM_MRA_BYTES), t->lab.now) == IBA_CM_OK);
        await(t, ACTIVE, IBA_CME_MRA);
        must(t, "loaded",
             iba_cm_loaded(passive, id[PASSIVE], 0, LAB_NOTHING, private_data(IBA_CM_APR_BYTES), t->lab.now) ==
                 IBA_CM_OK);
    }
    await(t, ACTIVE, IBA_CME_APR);
}

static void suggest_a_path(struct talk *t, const uint32_t id[2])
{
    must(t, "suggest", iba_cm_suggest(&t->lab.end[PASSIVE].cm, id[PASSIVE], private_data(64), t->lab.now) == IBA_CM_OK);
    await(t, ACTIVE, IBA_CME_SAP);
    must(t, "suggested",
         iba_cm_suggested(&t->lab.end[ACTIVE].cm, id[ACTIVE], private_data(64), t->lab.now) == IBA_CM_OK);
    await(t, PASSIVE, IBA_CME_SPR);
}

static void disconnect(struct talk *t, const uint32_t id[2])
{
    lose(t, IBA_CM_ID_DREQ, 1);
    must(t, "disconnect",
         iba_cm_disconnect(&t->lab.end[ACTIVE].cm, id[ACTIVE], private_data(IBA_CM_DREQ_BYTES), t->lab.now) ==
             IBA_CM_OK);
    await(t, PASSIVE, IBA_CME_DREQ);
    must(t, "answer",
         iba_cm_disconnect(&t->lab.end[PASSIVE].cm, id[PASSIVE], private_data(IBA_CM_DREP_BYTES), t->lab.now) ==
             IBA_CM_OK);
    await(t, ACTIVE, IBA_CME_DREP);
    await(t, PASSIVE, IBA_CME_TIMEWAIT_EXIT);
    await(t, ACTIVE, IBA_CME_TIMEWAIT_EXIT);
}

static void no_rtu_comes(struct talk *t)
{
    uint32_t id;

    ask(t);
    id = await(t, PASSIVE, IBA_CME_REQ);
    accept(t, id);
    await(t, ACTIVE, IBA_CME_REP);
    await(t, PASSIVE, IBA_CME_UNCONFIRMED);
    await(t, ACTIVE, IBA_CME_REJ);
    await(t, PASSIVE, IBA_CME_TIMEWAIT_EXIT);
    await(t, ACTIVE, IBA_CME_TIMEWAIT_EXIT);
}

static void find_a_datagram_service(struct talk *t)
{
    const struct iba_cm_resolve r = {.service_id = UD_SERVICE,
                                     .pkey = 0xffff,
                                     .response = 14,
                                     .retries = RETRIES,
                                     .private_data = private_data(IBA_CM_SIDR_REQ_BYTES),
                                     .av = t->lab.end[ACTIVE].to};
    const struct iba_cm_sidr_rep rep = {.qpn = QPN_PASSIVE, .qkey = 0x01234567};
    uint32_t id;

    lose(t, IBA_CM_ID_SIDR_REQ, 1);
    must(t, "resolve", iba_cm_resolve(&t->lab.end[ACTIVE].cm, &r, t->lab.now, &id) == IBA_CM_OK);
    id = await(t, PASSIVE, IBA_CME_SIDR_REQ);
    must(t, "resolved",
         iba_cm_resolved(&t->lab.end[PASSIVE].cm, id, &rep, private_data(IBA_CM_SIDR_REP_BYTES), t->lab.now) ==
             IBA_CM_OK);
    await(t, ACTIVE, IBA_CME_SIDR_REP);
}

void cm_line(struct job *job, const char *encap)
{
    static struct talk t;
    const enum iba_port_kind kind = strncmp(encap, "ib-", 3) == 0 ? IBA_PORT_IB : IBA_PORT_ROCE2;
    const struct iba_net_faults net = {.delay_ns = 20 * US};
    uint32_t number, id[2];

    t = (struct talk){.job = job, .encap = encap};
    lab_open(&t.lab, kind, LAB_CONNS, 1, &net);
    t.lab.now = MS;
    t.lab.unchecked = true; /* for speed */
    t.lab.leaves = leaves;
    t.lab.ctx = &t;
    nobody_answers_the_req(&t);
    nobody_listens(&t);
    must(&t, "listen",
         iba_cm_listen(&t.lab.end[PASSIVE].cm,
                       &(struct iba_cm_listen){.service_id = SERVICE, .service_mask = UINT64_MAX},
                       &number) == IBA_CM_OK);
    must(&t, "listen",
         iba_cm_listen(&t.lab.end[PASSIVE].cm,
                       &(struct iba_cm_listen){.service_id = UD_SERVICE, .service_mask = UINT64_MAX, .datagrams = true},
                       &number) == IBA_CM_OK);
    connect_slowly(&t, id);
    load_a_path(&t, id);
    suggest_a_path(&t, id);
    disconnect(&t, id);
    no_rtu_comes(&t);
    find_a_datagram_service(&t);
    lab_close(&t.lab);
}
