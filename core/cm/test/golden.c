/* SPDX-License-Identifier: BSD-2-Clause */
/* Two CMs with random verbs and datagrams: core/cm/test/exchanges.golden has a line for each exchange. A seed decides
 * what users and an unreliable network do. The line has the number of datagrams and events; a digest of both, of the
 * verbs' results and of the CMs' state; and how often each row decided (test/golden.h says how to renew it). */
#include "sim/iba_random.h"
#include "test/golden.h"
#include "lab.h"

enum { EXCHANGES = 100, STEPS = 120, IDS = 8, SERVICES = 3, MS = 1000000 };

static struct lab l;
static struct iba_random random_state;
static uint64_t digest;
static unsigned datagrams, events;
static uint32_t ids[2][IDS]; /* of connections that an event or a verb named */
static unsigned n_id[2];
static uint8_t last[IBA_MAD_BYTES], bytes[IBA_MAD_BYTES];

static unsigned below(unsigned n)
{
    return (unsigned)(iba_random_next(&random_state) >> 33) % n;
}

static bool one_in(unsigned n)
{
    return below(n) == 0;
}

static void number(uint64_t value)
{
    digest = golden_number(digest, value);
}

static void hold_av(const struct iba_av *av)
{
    digest = golden_digest(digest, av->dgid, sizeof av->dgid);
    number(av->dmac);
    number((uint64_t)av->flow_label << 32 | (uint32_t)av->dlid << 16 | av->vlan);
    number((uint32_t)av->tclass << 24 | (uint32_t)av->hop_limit << 16 | (uint32_t)av->port << 8 | av->sl);
    number((uint32_t)av->static_rate << 24 | (uint32_t)av->sgid_index << 16 | av->grh);
}

static bool leaves(void *ctx, unsigned from, const struct iba_cm_datagram *d)
{
    (void)ctx;
    datagrams++;
    number(l.now << 1 | from);
    number(d->pkey);
    hold_av(&d->av);
    digest = golden_digest(digest, d->mad, sizeof d->mad);
    memcpy(last, d->mad, sizeof last);
    return true;
}

static void know(unsigned end, uint32_t id)
{
    ids[end][n_id[end]++ % IDS] = id;
}

static void hold_attributes(const struct iba_cm *cm, uint32_t id, enum iba_qp_state s)
{
    struct iba_qp_attr a;
    uint32_t mask;

    number(iba_cm_qp_attr(cm, id, s, &a, &mask));
    number((uint64_t)mask << 32 | (uint32_t)a.state << 24 | (uint32_t)a.port << 16 | (uint32_t)a.pkey_index << 8 |
           a.path_mtu);
    number((uint64_t)a.dest_qpn << 32 | a.rq_psn);
    number((uint64_t)a.sq_psn << 32 | (uint32_t)a.flow_control << 24 | (uint32_t)a.max_dest_rd << 16 |
           (uint32_t)a.timeout << 8 | a.retry);
    number((uint32_t)a.rnr_retry << 16 | (uint32_t)a.max_rd << 8 | a.min_rnr);
    hold_av(&a.av);
}

static void hold(void)
{
    for (unsigned end = 0; end < 2; end++) {
        const struct iba_cm *cm = &l.end[end].cm;
        number(iba_cm_deadline(cm));
        number(cm->n_used);
        for (unsigned i = 0; i < IDS; i++) {
            const struct iba_cm_conn *c = iba_cm_find(cm, ids[end][i]);
            number(c ? c->state : UINT64_MAX);
            hold_attributes(cm, ids[end][i], IBA_QPS_INIT);
            hold_attributes(cm, ids[end][i], IBA_QPS_RTR);
            hold_attributes(cm, ids[end][i], IBA_QPS_RTS);
        }
        for (unsigned i = 0; i < LAB_LISTENERS; i++)
            number(cm->cfg.listener[i].used ? cm->cfg.listener[i].waiting : UINT32_MAX);
    }
}

/* ---- what users do ---- */

static struct iba_cm_private some_private(void)
{
    return (struct iba_cm_private){bytes, one_in(3) ? 0 : below(one_in(20) ? 240 : 36)};
}

static uint64_t some_service(void)
{
    return one_in(16) ? UINT64_C(0x1060000) + below(4) : LAB_SERVICE + below(SERVICES);
}

static uint64_t connect(unsigned end)
{
    struct iba_cm_request r = lab_request(&l, end, 0x100 + below(6));
    uint32_t id = 0;
    enum iba_cm_err e;

    r.req.serviceid = some_service();
    r.req.transpsvctype = one_in(5) ? (uint8_t)below(4) : 0;
    r.req.ext_transport = (uint8_t)below(2);
    r.req.startpsn = below(1 << 24);
    r.req.responderres = (uint8_t)below(8);
    r.req.initdepth = (uint8_t)below(8);
    r.req.remoteresptout = (uint8_t)(one_in(6) ? 0 : 10 + below(8));
    r.req.localresptout = (uint8_t)(one_in(6) ? 0 : 10 + below(8));
    r.req.maxcmretr = (uint8_t)below(5);
    r.req.prim_localacktout = (uint8_t)below(32);
    r.req.e2eflowctrl = one_in(2);
    r.req.rnrretrcount = (uint8_t)below(8);
    r.req.retrcount = (uint8_t)below(8);
    r.req.pkey = one_in(4) ? 0x8001 : 0xffff;
    r.req.prim_sl = (uint8_t)(one_in(10) ? below(10) : 0);
    r.req.prim_subnetlocal = one_in(4) ? !r.req.prim_subnetlocal : r.req.prim_subnetlocal;
    r.req.pppmtu = (uint8_t)(one_in(10) ? below(7) : r.req.pppmtu);
    r.req.prim_flowlabel = below(1 << 20);
    r.req.prim_tfcclass = (uint8_t)below(256);
    if (one_in(12))
        r.req.prim_remotelid ^= 1;
    if (one_in(12))
        r.req.prim_remotegid[15] ^= 8;
    if (one_in(5)) { /* an alternate path */
        memcpy(r.req.alt_localgid, r.req.prim_localgid, 16);
        memcpy(r.req.alt_remotegid, r.req.prim_remotegid, 16);
        r.req.alt_locallid = r.req.prim_locallid;
        r.req.alt_remotelid = (uint16_t)(r.req.prim_remotelid + one_in(2));
        r.req.alt_subnetlocal = one_in(2);
    }
    r.peer = one_in(4);
    r.private_data = some_private();
    e = iba_cm_connect(&l.end[end].cm, &r, l.now, &id);
    if (e == IBA_CM_OK)
        know(end, id);
    return e;
}

static uint64_t resolve(unsigned end)
{
    const struct iba_cm_resolve r = {.service_id = some_service(),
                                     .pkey = 0xffff,
                                     .response = (uint8_t)below(18),
                                     .retries = (uint8_t)below(4),
                                     .private_data = some_private(),
                                     .av = l.end[end].to};
    uint32_t id = 0;
    const enum iba_cm_err e = iba_cm_resolve(&l.end[end].cm, &r, l.now, &id);

    if (e == IBA_CM_OK)
        know(end, id);
    return e;
}

static uint64_t listen(unsigned end)
{
    struct iba_cm_listen what = {.service_id = some_service(),
                                 .service_mask = one_in(3) ? ~UINT64_C(3) : UINT64_MAX,
                                 .datagrams = one_in(3),
                                 .backlog = below(3)};
    uint32_t number_of = 0;
    enum iba_cm_err e;

    if (one_in(4)) {
        what.compare_at = (uint8_t)below(30);
        what.compare_n = (uint8_t)below(3);
        memcpy(what.compare, bytes + what.compare_at, what.compare_n);
        memset(what.compare_mask, 0xff, what.compare_n);
    }
    e = iba_cm_listen(&l.end[end].cm, &what, &number_of);
    return (uint64_t)e << 32 | number_of;
}

/* Calls a random verb for a connection. */
static uint64_t verb(unsigned end, uint32_t id, unsigned what)
{
    struct iba_cm *cm = &l.end[end].cm;
    const struct iba_cm_private p = some_private(), ari = {bytes, one_in(6) ? below(80) : 0};
    struct iba_cm_rep rep = lab_rep(0x200 + below(6));
    const struct iba_cm_sidr_rep sidr = {.qpn = below(1 << 24), .qkey = below(1 << 30), .status = (uint8_t)below(3)};
    struct iba_cm_lap lap = {.alt_remotelid = l.end[end].to.dlid,
                             .alt_locallid = l.end[end].port[0].lid,
                             .remoteresptout = (uint8_t)below(12)};

    rep.respres = (uint8_t)below(8), rep.initdepth = (uint8_t)below(8), rep.startpsn = below(1 << 24);
    rep.e2eflowctrl = one_in(2), rep.rnrretrcount = (uint8_t)below(8), rep.localeecn = 0x300 + below(4);
    memcpy(lap.alt_remotegid, l.end[end].to.dgid, 16);
    memcpy(lap.alt_localgid, l.end[end].port[0].gid[0], 16);
    switch (what) {
    case 0:
    case 1:
    case 2:
    case 3: return iba_cm_accept(cm, id, &rep, p, l.now);
    case 4:
    case 5:
    case 6: return iba_cm_confirm(cm, id, p, l.now);
    case 7: return iba_cm_reject(cm, id, (uint16_t)below(40), ari, p, l.now);
    case 8: return iba_cm_delay(cm, id, (uint8_t)below(20), p, l.now);
    case 9: return iba_cm_established(cm, id, l.now);
    case 10:
    case 11: return iba_cm_disconnect(cm, id, p, l.now);
    case 12: return iba_cm_abandon(cm, id, l.now);
    case 13:
    case 14: return iba_cm_load(cm, id, &lap, p, l.now);
    case 15:
    case 16: return iba_cm_loaded(cm, id, (uint8_t)below(3), ari, p, l.now);
    case 17: return iba_cm_suggest(cm, id, p, l.now);
    case 18: return iba_cm_suggested(cm, id, p, l.now);
    case 19:
    case 20: return iba_cm_resolved(cm, id, &sidr, p, l.now);
    default: return connect(end);
    }
}

enum { ACCEPT = 0, CONFIRM = 4, DISCONNECT = 10, LOADED = 15, SUGGESTED = 18, RESOLVED = 19, VERBS = 24 };

static void user(void *ctx, unsigned end, const struct iba_cm_event *e)
{
    (void)ctx;
    events++;
    number((uint64_t)e->id << 32 | (uint32_t)e->kind << 24 | (uint32_t)e->state << 16 | e->reason);
    number(l.now << 1 | end);
    hold_av(&e->av);
    digest = golden_digest(digest, e->mad, sizeof e->mad);
    if (e->kind == IBA_CME_REQ || e->kind == IBA_CME_SIDR_REQ)
        know(end, e->id);
    if (one_in(4)) /* the user does not answer now */
        return;
    switch ((enum iba_cm_event_kind)e->kind) {
    case IBA_CME_REQ: number(verb(end, e->id, ACCEPT)); break;
    case IBA_CME_REP: number(verb(end, e->id, CONFIRM)); break;
    case IBA_CME_DREQ: number(verb(end, e->id, DISCONNECT)); break;
    case IBA_CME_LAP: number(verb(end, e->id, LOADED)); break;
    case IBA_CME_SAP: number(verb(end, e->id, SUGGESTED)); break;
    case IBA_CME_SIDR_REQ: number(verb(end, e->id, RESOLVED)); break;
    default: break;
    }
}

/* Delivers the last datagram again, with one byte changed. */
static void mistake(unsigned end)
{
    uint8_t mad[IBA_MAD_BYTES];

    memcpy(mad, last, sizeof mad);
    if (!one_in(4)) {
        const uint8_t bit = (uint8_t)(1u << below(8));
        mad[one_in(2) ? below(IBA_MAD_BYTES) : IBA_BYTES_madhdr + below(40)] ^= bit;
    }
    lab_feed(&l, end, mad);
}

static void step(void)
{
    const unsigned end = below(2);

    switch (below(16)) {
    case 0: number(listen(end)); break;
    case 1: number(one_in(3) ? (uint64_t)iba_cm_unlisten(&l.end[end].cm, below(LAB_LISTENERS + 1), l.now) : 0); break;
    case 2: number(resolve(end)); break;
    case 3: number(connect(end)); break;
    case 4: mistake(end); break;
    case 5: lab_run(&l, l.now + ((iba_time)1000 << below(26))); break;
    case 6:
    case 7: lab_run(&l, l.now + 3 * MS); break;
    default: {
        const unsigned what = below(VERBS);
        number(verb(end, one_in(30) ? below(1000) : ids[end][below(IDS)], what));
        break;
    }
    }
    (void)lab_step(&l, l.now);
    hold();
}

static size_t hits_of(char *line, size_t n)
{
    static const struct iba_cm_rules *const tables[] = {&iba_cm_message_rules, &iba_cm_timer_rules, &iba_cm_verb_rules};

    for (unsigned t = 0; t < IBA_CM_TABLES; t++)
        for (unsigned r = 0; r < tables[t]->n; r++) {
            const unsigned hits = l.end[0].cm.hits[t][r] + l.end[1].cm.hits[t][r];
            if (hits)
                n += (size_t)snprintf(line + n, GOLDEN_LINE - n, " %s=%u", tables[t]->row[r].name, hits);
        }
    return n;
}

Test(golden, cms_do_what_they_did)
{
    const struct iba_net_faults faults = {.lose = 60000, .duplicate = 60000, .delay_ns = 20000, .jitter_ns = 2 * MS};
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/cm/test/exchanges.golden");

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 5 + 1);
    for (unsigned i = 0; i < EXCHANGES; i++) {
        char line[GOLDEN_LINE];
        size_t n;
        iba_random_seed(&random_state, i);
        digest = GOLDEN_EMPTY;
        datagrams = events = 0;
        memset(ids, 0, sizeof ids);
        memset(n_id, 0, sizeof n_id);
        lab_open(&l, (enum iba_port_kind)(i % 3), LAB_CONNS, i, &faults);
        l.leaves = leaves;
        l.event = user;
        for (unsigned end = 0; end < 2; end++)
            for (unsigned k = 0; k < 2; k++)
                number(listen(end));
        for (unsigned k = 0; k < STEPS; k++)
            step();
        n = (size_t)snprintf(line, sizeof line, "%u %u datagrams %u events %016" PRIx64, i, datagrams, events, digest);
        n = hits_of(line, n);
        cr_assert_lt(n + 1, sizeof line);
        memcpy(line + n, "\n", 2);
        golden_line(&g, line);
        lab_close(&l);
    }
    golden_close(&g);
}
