/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes of a connection's queue pair for random REQs, REPs and paths: core/cm/test/attributes.golden has a
 * line for each kind of port, end, service and state (core/test/golden.h says how to renew it). And verbs one argument
 * at a time: listeners that differ in one field, a full adapter, additional rejection information. */
#include "test/golden.h"
#include "hand.h"
#include "wire/test/wire.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

/* ---- attributes ---- */

static uint64_t digest;

static void number(uint64_t value)
{
    digest = golden_number(digest, value);
}

static void see_path(const struct iba_av *av)
{
    number(av->dmac);
    digest = golden_digest(digest, av->dgid, sizeof av->dgid);
    number((uint64_t)av->flow_label << 32 | (uint64_t)av->dlid << 16 | av->vlan);
    number((uint64_t)av->udp_source << 32 | (uint64_t)av->tclass << 24 | (uint64_t)av->hop_limit << 16 |
           (uint64_t)av->port << 8 | av->sl);
    number((uint64_t)av->path_bits << 32 | (uint64_t)av->static_rate << 24 | (uint64_t)av->sgid_index << 16 |
           (uint64_t)av->grh << 8 | av->smp);
}

static void see(enum iba_qp_state state)
{
    struct iba_qp_attr a;
    uint32_t mask;

    number(iba_cm_qp_attr(CM, h.id, state, &a, &mask));
    number(mask);
    number((uint64_t)a.state << 56 | (uint64_t)a.port << 48 | (uint64_t)a.pkey_index << 40 |
           (uint64_t)a.path_mtu << 32 | (uint64_t)a.timeout << 24 | (uint64_t)a.retry << 16 |
           (uint64_t)a.rnr_retry << 8 | a.min_rnr);
    number((uint64_t)a.max_rd << 48 | (uint64_t)a.max_dest_rd << 40 | (uint64_t)a.path_mig << 32 |
           (uint64_t)a.flow_control << 24 | (uint64_t)a.access << 8 | a.cur_state);
    number((uint64_t)a.dest_qpn << 32 | a.qkey);
    number((uint64_t)a.rq_psn << 32 | a.sq_psn);
    see_path(&a.av);
    see_path(&a.alt_av);
}

/* Draws a REQ and a REP. Of four, one has no alternate path; the alternate paths of the others begin at one of our
 * LIDs, at one of our GIDs, and at another port. */
static void draw(uint64_t *seed, struct iba_cm_conn *c, unsigned k)
{
    const struct iba_port *port = &CM->cfg.port[k / 4 % 2];
    const uint16_t lid = (uint16_t)(k % 4 == 1 ? port->lid + k / 8 % (1u << port->lmc) : 0x7001);
    static const uint8_t foreign[16] = {0xfe, 0x80, 9};

    rnd_bytes(seed, c->req, sizeof c->req);
    rnd_bytes(seed, c->rep, sizeof c->rep);
    iba_cm_req_set_pkey(c->req, k % 3 ? CM->cfg.port[0].pkey[k % 2] : 0x1234);
    const uint8_t *gid = k % 4 == 2 ? port->gid[0] : foreign;
    if (c->active) {
        iba_cm_req_set_alt_locallid(c->req, k % 4 ? lid : 0);
        iba_cm_req_set_alt_localgid(c->req, gid);
    } else {
        iba_cm_req_set_alt_remotelid(c->req, lid);
        iba_cm_req_set_alt_remotegid(c->req, gid);
    }
    if (k % 4 == 0) { /* a REQ without one has zeros there */
        iba_cm_req_set_alt_locallid(c->req, 0);
        memset(c->req + IBA_AT_cm_req_alt_localgid / 8, 0, 16);
    }
}

static void line_of(struct golden *g, enum iba_port_kind kind, bool active, uint8_t service)
{
    static const uint8_t states[] = {IBA_QPS_RESET, IBA_QPS_INIT, IBA_QPS_RTR, IBA_QPS_RTS, IBA_QPS_SQD};
    char line[GOLDEN_LINE];
    uint64_t seed = 1;
    int n;

    hand_open(&h, kind);
    (active ? hand_active : hand_passive)(&h, IBA_CMS_ESTABLISHED);
    iba_port_init(&h.lab.end[0].port[1], 2, kind, IBA_MTU_1024, 0x020000000101);
    CM->cfg.n_port = 2;
    for (unsigned i = 0; i < 2; i++) {
        h.lab.end[0].port[i].lmc = 2;
        h.lab.end[0].port[i].lid = (uint16_t)(0x40 + 8 * i);
        h.lab.end[0].port[i].pkey[1] = 0x8001;
        h.lab.end[0].port[i].n_pkey = 2;
    }
    n = snprintf(line, sizeof line, "kind %u %s service %u:", kind, active ? "active" : "passive", service);
    struct iba_cm_conn *c = (struct iba_cm_conn *)iba_cm_find(CM, h.id);
    const struct iba_cm_conn before = *c;
    c->service = service;
    for (size_t s = 0; s < COUNT(states); s++) {
        digest = GOLDEN_EMPTY;
        for (unsigned k = 0; k < 192; k++) {
            draw(&seed, c, k);
            c->loaded = k % 5 == 0;
            c->has_rep = k % 7 != 0;
            see((enum iba_qp_state)states[s]);
        }
        n += snprintf(line + n, sizeof line - (size_t)n, " %08x", golden_short(digest));
    }
    (void)snprintf(line + n, sizeof line - (size_t)n, "\n");
    golden_line(g, line);
    *c = before;
    hand_close(&h);
}

Test(attr, attributes_are_the_same)
{
    static const uint8_t kinds[] = {IBA_PORT_IB, IBA_PORT_ROCE1, IBA_PORT_ROCE2};
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/cm/test/attributes.golden");

    for (size_t i = 0; i < COUNT(kinds); i++)
        for (unsigned active = 0; active < 2; active++)
            for (uint8_t service = 0; service < 4; service++)
                line_of(&g, (enum iba_port_kind)kinds[i], active, service);
    golden_close(&g);
}

/* MD-64: the active end adds the REP's delay to the timeout. The sum of two codes is the larger code, or one more if
 * both are equal or neighbours, and at most 31. */
Test(attr, every_timeout_and_delay)
{
    for (unsigned active = 0; active < 2; active++) {
        hand_open(&h, IBA_PORT_IB);
        (active ? hand_active : hand_passive)(&h, IBA_CMS_ESTABLISHED);
        struct iba_cm_conn *c = (struct iba_cm_conn *)iba_cm_find(CM, h.id);
        for (unsigned k = 0; k < 32 * 32; k++) {
            const unsigned code = k % 32, delay = active ? k / 32 : 0;
            const unsigned most = code > delay ? code : delay, least = code > delay ? delay : code;
            struct iba_qp_attr a;
            uint32_t mask;
            iba_cm_req_set_prim_localacktout(c->req, code);
            iba_cm_rep_set_tgtackdelay(c->rep, k / 32);
            cr_assert(iba_cm_qp_attr(CM, h.id, IBA_QPS_RTS, &a, &mask));
            const unsigned wanted = least == 0 ? code : most == 31 ? 31 : most + (most - least < 2);
            cr_expect_eq(a.timeout, wanted, "%u and %u: %u", code, k / 32, a.timeout);
        }
        hand_close(&h);
    }
}

/* ---- loaded paths ---- */

/* Loads an alternate path. A LAP of the peer names the path from the peer, and our LAP names the path from us. An APR
 * of status 0 puts the path into force. */
static void load(bool theirs, unsigned status, bool local)
{
    static const uint8_t far[16] = {0xfe, 0x80, 7, [15] = 9};
    struct iba_cm_lap lap = {.alt_flowlabel = 0x12345,
                             .alt_tfcclass = 0x67,
                             .alt_hoplim = 0x43,
                             .alt_pktrate = 5,
                             .alt_sl = 6,
                             .alt_subnetlocal = local,
                             .alt_localacktout = 21,
                             .remoteqpn = theirs ? OUR_QPN : HAND_QPN,
                             .remoteresptout = 20};
    uint8_t mad[IBA_MAD_BYTES], *data;

    if (theirs) {
        lap.alt_locallid = 77, lap.alt_remotelid = CM->cfg.port[0].lid;
        memcpy(lap.alt_localgid, far, 16), memcpy(lap.alt_remotegid, CM->cfg.port[0].gid[0], 16);
        data = hand_message_of(&h, mad, IBA_CM_ID_LAP);
        iba_layout_put(&iba_mad_layouts[IBA_M_cm_lap], &lap, data);
        iba_cm_lap_set_localcommid(data, HAND_ID);
        iba_cm_lap_set_remotecommid(data, h.id);
        (void)hand_feed(&h, mad);
        cr_assert_eq(hand_state(&h), IBA_CMS_LAP_RCVD);
        cr_assert_eq(iba_cm_loaded(CM, h.id, (uint8_t)status, LAB_NOTHING, LAB_NOTHING, NOW), IBA_CM_OK);
        cr_assert_eq(hand_take(&h), IBA_CM_ID_APR);
        return;
    }
    lap.alt_locallid = CM->cfg.port[0].lid, lap.alt_remotelid = 77;
    memcpy(lap.alt_localgid, CM->cfg.port[0].gid[0], 16), memcpy(lap.alt_remotegid, far, 16);
    cr_assert_eq(iba_cm_load(CM, h.id, &lap, LAB_NOTHING, NOW), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_LAP);
    const uint64_t tid = iba_madhdr_transactionid(h.mad);
    data = hand_message_of(&h, mad, IBA_CM_ID_APR);
    iba_madhdr_set_transactionid(mad, tid);
    iba_cm_apr_set_status(data, status);
    (void)hand_feed(&h, mad);
    cr_assert_eq(hand_state(&h), IBA_CMS_ESTABLISHED);
}

Test(attr, a_loaded_path_is_the_alternate_one)
{
    for (unsigned k = 0; k < 16; k++) {
        const bool active = k % 2, theirs = k / 2 % 2, refused = k / 4 % 2, local = k / 8;
        struct iba_qp_attr a;
        uint32_t mask;
        hand_open(&h, IBA_PORT_IB);
        (active ? hand_active : hand_passive)(&h, IBA_CMS_ESTABLISHED);
        load(theirs, refused ? 5 : 0, local);
        cr_assert(iba_cm_qp_attr(CM, h.id, IBA_QPS_RTS, &a, &mask));
        cr_expect_eq((mask & IBA_QPA_ALT_PATH) != 0, !refused, "case %u", k);
        if (!refused) {
            cr_expect_eq(mask, IBA_QPA_STATE | IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG);
            cr_expect(a.path_mig == IBA_PATH_REARM && a.alt_av.port == 1 && a.alt_av.dlid == 77 && a.alt_av.sl == 6);
            cr_expect(a.alt_av.flow_label == 0x12345 && a.alt_av.tclass == 0x67 && a.alt_av.hop_limit == 0x43);
            cr_expect(a.alt_av.static_rate == 5 && a.alt_av.grh == !local && a.alt_av.dgid[2] == 7 &&
                      a.alt_av.dgid[15] == 9);
            cr_expect_eq(a.alt_av.path_bits, 0);
            const uint8_t *req = iba_cm_find(CM, h.id)->req;
            const uint8_t *own = active ? iba_cm_req_alt_localgid(req) : iba_cm_req_alt_remotegid(req);
            cr_expect_arr_eq(own, CM->cfg.port[0].gid[0], 16, "case %u", k);
            cr_expect_eq(active ? iba_cm_req_alt_locallid(req) : iba_cm_req_alt_remotelid(req), CM->cfg.port[0].lid);
            cr_expect_eq(iba_cm_req_alt_localacktout(req), 21);
        }
        hand_close(&h);
    }
}

/* An exchange of datagrams has no queue pair, nor has an ID that names no connection. Before the REP only the
 * transition to INIT is known. */
Test(attr, queue_pairs_without_attributes)
{
    static const struct iba_cm_resolve r = {.service_id = 7, .response = 10};
    static const uint8_t states[] = {IBA_QPS_INIT, IBA_QPS_RTR, IBA_QPS_RTS};
    enum { REQ, SIDR_REQ, NOBODY, CASES };

    for (unsigned k = 0; k < CASES; k++) {
        hand_open(&h, IBA_PORT_IB);
        if (k == SIDR_REQ)
            cr_assert_eq(iba_cm_resolve(CM, &r, NOW, &h.id), IBA_CM_OK);
        else
            hand_passive(&h, IBA_CMS_REQ_RCVD);
        for (unsigned s = 0; s < sizeof states; s++) {
            struct iba_qp_attr a;
            uint32_t mask = 1;
            const bool known =
                iba_cm_qp_attr(CM, k == NOBODY ? h.id + 1 : h.id, (enum iba_qp_state)states[s], &a, &mask);
            cr_expect_eq(known, k == REQ && s == 0, "case %u, state %u", k, states[s]);
            cr_expect_eq(mask != 0, known);
            cr_expect_eq(a.state, known ? states[s] : 0);
        }
        hand_close(&h);
    }
}

/* ---- ports ---- */

/* An alternate path may lead to any port of the adapter, with each LID and GID that the port has (MD-74, MD-79). */
Test(attr, alternate_paths_to_each_port)
{
    static const struct {
        uint16_t lid;
        uint8_t gid, status; /* gid: number of the port that has it; status: of a LAP */
        uint8_t reason;      /* of a REQ */
    } cases[] = {{0x40, 1, 0, 0}, {0x43, 1, 0, 0},  {0x44, 1, 7, 19}, {0x47, 2, 7, 19}, {0x48, 2, 0, 0},
                 {0x4b, 2, 0, 0}, {0x4c, 2, 7, 19}, {0x48, 0, 8, 18}, {0x3f, 1, 7, 19}};

    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const uint16_t lid = cases[i / 2].lid;
        uint8_t mad[IBA_MAD_BYTES], gid[16] = {0xfe, 0x80, 9}, *data;
        const bool lap = i % 2;
        hand_open(&h, IBA_PORT_IB);
        if (lap)
            hand_passive(&h, IBA_CMS_ESTABLISHED);
        iba_port_init(&h.lab.end[0].port[1], 2, IBA_PORT_IB, IBA_MTU_1024, 0x020000000101);
        CM->cfg.n_port = 2;
        for (unsigned p = 0; p < 2; p++) {
            h.lab.end[0].port[p].lmc = 2;
            h.lab.end[0].port[p].lid = (uint16_t)(0x40 + 8 * p);
            if (cases[i / 2].gid == p + 1)
                memcpy(gid, h.lab.end[0].port[p].gid[0], sizeof gid);
        }
        data = lap ? hand_message_of(&h, mad, IBA_CM_ID_LAP) : hand_req(&h, mad);
        if (lap) {
            iba_cm_lap_set_remoteqpn(data, OUR_QPN);
            iba_cm_lap_set_alt_remotelid(data, lid), iba_cm_lap_set_alt_locallid(data, 77);
            iba_cm_lap_set_alt_remotegid(data, gid), iba_cm_lap_set_alt_subnetlocal(data, 1);
        } else {
            iba_cm_req_set_prim_remotelid(data, 0x40);
            iba_cm_req_set_alt_remotelid(data, lid), iba_cm_req_set_alt_locallid(data, 77);
            iba_cm_req_set_alt_remotegid(data, gid), iba_cm_req_set_alt_subnetlocal(data, 1);
        }
        const bool refused = lap ? cases[i / 2].status : cases[i / 2].reason;
        cr_expect_eq(hand_feed(&h, mad), !refused ? 0 : lap ? IBA_CM_ID_APR : IBA_CM_ID_REJ, "case %zu", i);
        if (refused)
            cr_expect_eq(lap ? iba_cm_apr_status(HAND_DATA(&h)) : iba_cm_rej_reason(HAND_DATA(&h)),
                         lap ? cases[i / 2].status : cases[i / 2].reason, "case %zu", i);
        hand_close(&h);
    }
}

/* The path of the packets is that of the REQ on InfiniBand, and that of the datagrams on Ethernet; an alternate path is
 * there only on InfiniBand. The port by which the REQ came decides, and its P_Key table. */
Test(attr, attributes_by_the_port_of_the_connection)
{
    static const uint8_t kinds[] = {IBA_PORT_IB, IBA_PORT_ROCE2, IBA_PORT_ROCE2, IBA_PORT_IB};
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);

    for (uint8_t by = 1; by <= 2; by++) {
        struct iba_port port[4];
        struct iba_cm_source from = {.pkey = 0x8123, .port = by};
        uint8_t mad[IBA_MAD_BYTES], *data;
        struct iba_qp_attr a;
        uint32_t mask;
        hand_open(&h, IBA_PORT_IB);
        for (uint8_t i = 0; i < 4; i++) {
            port[i] = h.lab.end[0].port[0];
            port[i].kind = kinds[i];
            port[i].pkey[1 + i] = 0x8123;
            port[i].n_pkey = (uint8_t)(2 + i);
        }
        CM->cfg.port = port;
        CM->cfg.n_port = 2;
        data = hand_req(&h, mad);
        iba_cm_req_set_pkey(data, 0x8123);
        iba_cm_req_set_alt_locallid(data, 77);
        iba_cm_req_set_alt_remotelid(data, port[0].lid);
        iba_cm_req_set_alt_remotegid(data, port[0].gid[0]);
        from.av = h.lab.end[0].to;
        from.av.port = by, from.av.dlid = 0x2222;
        iba_cm_feed(CM, &from, mad, NOW);
        cr_assert_eq(hand_take(&h), 0);
        cr_assert_eq(iba_cm_accept(CM, h.id, &rep, LAB_NOTHING, NOW), IBA_CM_OK);
        cr_assert(iba_cm_qp_attr(CM, h.id, IBA_QPS_INIT, &a, &mask));
        cr_expect(a.port == by && a.pkey_index == by, "port %u: P_Key %u", by, a.pkey_index);
        cr_assert(iba_cm_qp_attr(CM, h.id, IBA_QPS_RTR, &a, &mask));
        cr_expect_eq(a.av.dlid, by == 1 ? h.lab.end[1].port[0].lid : 0x2222, "port %u", by);
        cr_expect_eq((mask & IBA_QPA_ALT_PATH) != 0, by == 1, "port %u", by);
        hand_close(&h);
    }
}

/* ---- traces ---- */

static uint32_t traced;
static unsigned traces;

static void trace(void *ctx, const char *table, const struct iba_cm_rule *r, uint32_t id)
{
    (void)ctx;
    cr_expect(table[0] && r->name[0]);
    traced = id;
    traces++;
}

/* Each traced decision has the ID of its connection, or 0 if the message belongs to no connection. */
Test(attr, decisions_are_traced)
{
    uint8_t mad[IBA_MAD_BYTES], *data;

    hand_open(&h, IBA_PORT_IB);
    hand_passive(&h, IBA_CMS_ESTABLISHED);
    const uint32_t id = h.id;
    CM->cfg.trace = trace;
    cr_assert_eq(iba_cm_suggest(CM, id, LAB_NOTHING, NOW), IBA_CM_OK);
    cr_expect(traces == 1 && traced == id);
    data = hand_message_of(&h, mad, IBA_CM_ID_DREQ);
    iba_cm_dreq_set_remotecommid(data, id + 1);
    (void)hand_feed(&h, mad);
    cr_expect(traces == 2 && traced == 0);
    hand_close(&h);
}

/* ---- listeners ---- */

static enum iba_cm_err listen(const struct iba_cm_listen *l)
{
    uint32_t number = 99;
    const enum iba_cm_err e = iba_cm_listen(CM, l, &number);

    if (e == IBA_CM_OK)
        cr_assert_eq(iba_cm_unlisten(CM, number, NOW), IBA_CM_OK);
    return e;
}

/* Two listeners cannot ask for the same service. A listener that differs in any of these fields asks for another
 * service. */
Test(attr, listeners_that_differ_in_one_field)
{
    const struct iba_cm_listen one = {.service_id = 0x77,
                                      .service_mask = 0xff,
                                      .compare_at = 3,
                                      .compare_n = 2,
                                      .compare = {1, 2, 3},
                                      .compare_mask = {4, 5, 6},
                                      .backlog = 1};
    uint32_t number;

    hand_open(&h, IBA_PORT_IB);
    cr_assert_eq(iba_cm_listen(CM, &one, &number), IBA_CM_OK);
    cr_expect_eq(listen(&one), IBA_CM_SERVICE_BUSY);
    for (unsigned k = 0; k < 11; k++) {
        struct iba_cm_listen l = one;
        switch (k) {
        case 0: l.service_id++; break;
        case 1: l.service_mask--; break;
        case 2: l.compare_at++; break;
        case 3: l.compare_n++; break;
        case 4: l.datagrams = true; break;
        case 5: l.compare[0]++; break;
        case 6: l.compare[1]++; break;
        case 7: l.compare_mask[0]++; break;
        case 8: l.compare_mask[1]++; break;
        case 9: l.compare[2]++, l.compare_mask[2]++; break; /* not compared */
        default: l.backlog++; break;                        /* not what it asks for */
        }
        cr_expect_eq(listen(&l), k < 9 ? IBA_CM_OK : IBA_CM_SERVICE_BUSY, "field %u", k);
    }
    for (unsigned at = 0; at <= IBA_CM_REQ_BYTES + 1u; at++) {
        const struct iba_cm_listen l = {.service_id = 5, .compare_at = (uint8_t)at, .compare_n = 1};
        cr_expect_eq(listen(&l), at < IBA_CM_REQ_BYTES ? IBA_CM_OK : IBA_CM_BAD_VALUE, "at %u", at);
    }
    for (uint32_t k = 0; k < LAB_LISTENERS + 2u; k++)
        cr_expect_eq(iba_cm_unlisten(CM, k, NOW), k < 3 ? IBA_CM_OK : IBA_CM_NO_SERVICE, "listener %u", k);
    hand_close(&h);
}

/* ---- rejections ---- */

/* The caller's additional rejection information is sent unchanged. The verb refuses information that is longer than its
 * field. */
Test(attr, information_of_a_rejection)
{
    uint8_t bytes[IBA_CM_ARI_BYTES + 1];

    for (size_t n = 0; n <= sizeof bytes; n++) {
        const struct iba_cm_private ari = {bytes, n};
        hand_open(&h, IBA_PORT_IB);
        hand_passive(&h, IBA_CMS_REQ_RCVD);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(i + 1);
        if (n > IBA_CM_ARI_BYTES) {
            cr_expect_eq(iba_cm_reject(CM, h.id, 28, ari, LAB_NOTHING, NOW), IBA_CM_PRIVATE_TOO_LONG);
        } else {
            cr_assert_eq(iba_cm_reject(CM, h.id, 28, ari, LAB_NOTHING, NOW), IBA_CM_OK);
            cr_assert_eq(hand_take(&h), IBA_CM_ID_REJ);
            cr_expect_eq(iba_cm_rej_rejinfolen(HAND_DATA(&h)), n);
            for (size_t i = 0; i < IBA_CM_ARI_BYTES; i++)
                cr_expect_eq(iba_cm_rej_ari(HAND_DATA(&h))[i], i < n ? i + 1 : 0, "byte %zu of %zu", i, n);
        }
        hand_close(&h);
    }
}

/* A peer that got no answer sends a REJ with its own GUID, which takes eight bytes or more (MD-74). */
Test(attr, a_peer_that_names_itself)
{
    for (unsigned n = 0; n <= IBA_CM_ARI_BYTES; n++) {
        uint8_t mad[IBA_MAD_BYTES], *data = hand_message(mad, IBA_CM_ID_REJ, HAND_TID);
        hand_open(&h, IBA_PORT_IB);
        hand_passive(&h, IBA_CMS_REQ_RCVD);
        iba_cm_rej_set_localcommid(data, HAND_ID);
        iba_cm_rej_set_reason(data, IBA_CM_REJ_TIMEOUT);
        iba_cm_rej_set_rejinfolen(data, n);
        iba_bits_put(data, IBA_AT_cm_rej_ari, 64, 0xca0001);
        (void)hand_feed(&h, mad);
        cr_expect_eq(h.e.kind, n >= 8 ? IBA_CME_REJ : IBA_CME_NONE, "%u bytes", n);
        hand_close(&h);
    }
}

/* ---- a full CM ---- */

/* Without room for a message or an event, every verb fails and changes nothing. */
Test(attr, verbs_without_room)
{
    for (unsigned what = 0; what < 2; what++) {
        const struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));
        const struct iba_cm_resolve resolve = {.service_id = LAB_SERVICE};
        const struct iba_cm_rep rep = lab_rep(OUR_QPN);
        uint32_t id;
        hand_passive(&h, IBA_CMS_REQ_RCVD);
        const uint32_t n_out = CM->cfg.n_out, n_event = CM->cfg.n_event;
        *(what ? &CM->cfg.n_event : &CM->cfg.n_out) = 0;
        cr_expect_eq(iba_cm_connect(CM, &r, NOW, &id), IBA_CM_FULL);
        cr_expect_eq(iba_cm_resolve(CM, &resolve, NOW, &id), IBA_CM_FULL);
        cr_expect_eq(iba_cm_accept(CM, h.id, &rep, LAB_NOTHING, NOW), IBA_CM_FULL);
        cr_expect_eq(iba_cm_reject(CM, h.id, 28, LAB_NOTHING, LAB_NOTHING, NOW), IBA_CM_FULL);
        cr_expect_eq(iba_cm_abandon(CM, h.id, NOW), IBA_CM_FULL);
        cr_expect_eq(iba_cm_abandon(CM, h.id + 1, NOW), IBA_CM_NO_CONNECTION);
        cr_expect_eq(hand_state(&h), IBA_CMS_REQ_RCVD);
        CM->cfg.n_out = n_out, CM->cfg.n_event = n_event;
        cr_expect_eq(iba_cm_accept(CM, h.id, &rep, LAB_NOTHING, NOW), IBA_CM_OK);
        hand_close(&h);
    }
}

Test(attr, states_and_events_have_names)
{
    cr_expect_str_eq(iba_cm_event_name(IBA_CME_REQ), "REQ");
    cr_expect_str_eq(iba_cm_event_name(IBA_CME_TIMEWAIT_EXIT), "TIMEWAIT_EXIT");
    for (unsigned s = 0; s < IBA_CMS_COUNT; s++)
        for (unsigned k = 0; k <= s; k++)
            cr_expect_eq(strcmp(iba_cm_state_name((enum iba_cm_state)s), iba_cm_state_name((enum iba_cm_state)k)) == 0,
                         s == k, "%u and %u", s, k);
    for (unsigned e = 0; e < IBA_CM_ERR_COUNT; e++)
        for (unsigned k = 0; k <= e; k++)
            cr_expect_eq(strcmp(iba_cm_err_name((enum iba_cm_err)e), iba_cm_err_name((enum iba_cm_err)k)) == 0, e == k,
                         "%u and %u", e, k);
}
