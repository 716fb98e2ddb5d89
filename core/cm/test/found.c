/* SPDX-License-Identifier: BSD-2-Clause */
/* How a message finds its connection: by the IDs of both ends, by the peer's queue pair, by the service that both ends
 * ask for. And the IDs and chains of connections that begin and end in any order. */
#include <criterion/criterion.h>
#include <string.h>
#include "cm/iba_cm_input.h"
#include "hand.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

enum { PEER_GUID = 0xca0001, SERVICES = 2 };

/* ---- messages ---- */

static struct iba_cm_rx match(const uint8_t *mad)
{
    static struct iba_cm_source from;
    struct iba_cm_rx x = {.cm = CM, .from = &from, .mad = mad, .data = mad + IBA_BYTES_madhdr, .now = NOW};

    from = (struct iba_cm_source){.av = h.lab.end[0].to, .pkey = 0xffff, .port = 1};
    x.on = (uint8_t)(iba_madhdr_attributeid(mad) - IBA_CM_ID_REQ);
    iba_cm_match(&x);
    return x;
}

/* Whether the IDs of both ends must agree: always, or only if the peer's is known. */
enum agree { ALWAYS_BOTH, BOTH_IF_KNOWN };

/* Checks whether the message finds the connection, for right and wrong IDs of both ends. */
static void expect_found(uint8_t *mad, bool known, enum agree agree)
{
    struct iba_cm_conn *const c = iba_cm_by_id(CM, h.id);
    uint8_t *data = mad + IBA_BYTES_madhdr;

    for (unsigned wrong = 0; wrong < 4; wrong++) {
        const bool own = !(wrong & 1), peers = !(wrong & 2);
        iba_cm_rtu_set_localcommid(data, peers ? HAND_ID : HAND_ID + 1);
        iba_cm_rtu_set_remotecommid(data, own ? h.id : h.id + 1);
        const bool found = own && (known ? peers : agree == BOTH_IF_KNOWN);
        cr_expect_eq(match(mad).c, found ? c : NULL, "message %#x, known %d, IDs %u", iba_madhdr_attributeid(mad),
                     known, wrong);
    }
    iba_cm_rtu_set_remotecommid(data, 0);
    cr_expect_null(match(mad).c, "message %#x without an ID", iba_madhdr_attributeid(mad));
}

/* Before the REP the active end does not know the ID of its peer. Only an MRA, a REP and a REJ of the REQ are found by
 * the own ID alone then; all other messages must have the IDs of both ends. */
Test(found, by_the_ids_of_both_ends)
{
    static const struct {
        uint16_t attribute;
        uint8_t agree;
    } cases[] = {{IBA_CM_ID_MRA, BOTH_IF_KNOWN}, {IBA_CM_ID_REP, BOTH_IF_KNOWN}, {IBA_CM_ID_RTU, ALWAYS_BOTH},
                 {IBA_CM_ID_DREQ, ALWAYS_BOTH},  {IBA_CM_ID_DREP, ALWAYS_BOTH},  {IBA_CM_ID_LAP, ALWAYS_BOTH},
                 {IBA_CM_ID_APR, ALWAYS_BOTH},   {IBA_CM_ID_SAP, ALWAYS_BOTH},   {IBA_CM_ID_SPR, ALWAYS_BOTH}};

    for (unsigned known = 0; known < 2; known++) {
        hand_open(&h, IBA_PORT_IB);
        hand_active(&h, known ? IBA_CMS_ESTABLISHED : IBA_CMS_REQ_SENT);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            uint8_t mad[IBA_MAD_BYTES];
            hand_message(mad, cases[i].attribute, HAND_TID);
            expect_found(mad, known, (enum agree)cases[i].agree);
        }
        hand_close(&h);
    }
}

/* MD-56: the same of a REJ depends on the message that it rejects: REQ (0), REP (1), another (2). */
Test(found, a_rejection_by_the_message_that_it_rejects)
{
    for (unsigned known = 0; known < 2; known++)
        for (unsigned rejected = 0; rejected <= 2; rejected++) {
            uint8_t mad[IBA_MAD_BYTES], *data = hand_message(mad, IBA_CM_ID_REJ, HAND_TID);
            hand_open(&h, IBA_PORT_IB);
            hand_active(&h, known ? IBA_CMS_ESTABLISHED : IBA_CMS_REQ_SENT);
            iba_cm_rej_set_msgrej(data, rejected);
            iba_cm_rej_set_reason(data, 28);
            iba_cm_rej_set_rejinfolen(data, 8); /* the GUID counts only for the reason time-out */
            iba_bits_put(data, IBA_AT_cm_rej_ari, 64, PEER_GUID);
            expect_found(mad, known, rejected == 0 ? BOTH_IF_KNOWN : ALWAYS_BOTH);
            hand_close(&h);
        }
}

/* MD-74: the REJ of a peer that gave up names the connection by the peer's GUID and ID, whatever the own ID is. */
Test(found, a_peer_that_gave_up_by_its_guid)
{
    uint8_t mad[IBA_MAD_BYTES], *data = hand_message(mad, IBA_CM_ID_REJ, HAND_TID);

    hand_open(&h, IBA_PORT_IB);
    hand_passive(&h, IBA_CMS_ESTABLISHED);
    struct iba_cm_conn *const c = iba_cm_by_id(CM, h.id);
    iba_cm_rej_set_reason(data, IBA_CM_REJ_TIMEOUT);
    iba_cm_rej_set_rejinfolen(data, 8);
    for (unsigned wrong = 0; wrong < 4; wrong++) {
        iba_bits_put(data, IBA_AT_cm_rej_ari, 64, PEER_GUID + (wrong & 1));
        iba_cm_rej_set_localcommid(data, HAND_ID + (wrong >> 1));
        cr_expect_eq(match(mad).c, wrong ? NULL : c, "%u", wrong);
    }
    hand_close(&h);
}

/* MD-70, MD-73: a REQ is a duplicate if GUID and ID are those of a connection; if only GUID and queue pair are, it is
 * of a peer that has forgotten the connection. */
Test(found, a_req_by_its_sender)
{
    static const struct {
        uint32_t id, qpn;
        uint64_t guid;
        bool duplicate, stale;
    } cases[] = {{HAND_ID, HAND_QPN, PEER_GUID, true, false},
                 {HAND_ID, HAND_QPN + 1, PEER_GUID, true, false},
                 {HAND_ID + 1, HAND_QPN, PEER_GUID, false, true},
                 {HAND_ID, HAND_QPN, PEER_GUID + 1, false, false},
                 {HAND_ID + 1, HAND_QPN + 1, PEER_GUID, false, false}};

    hand_open(&h, IBA_PORT_IB);
    hand_passive(&h, IBA_CMS_ESTABLISHED);
    struct iba_cm_conn *const c = iba_cm_by_id(CM, h.id);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t mad[IBA_MAD_BYTES], *data = hand_req(&h, mad);
        iba_cm_req_set_localcommid(data, cases[i].id);
        iba_cm_req_set_localqpn(data, cases[i].qpn);
        iba_cm_req_set_localcaguid(data, cases[i].guid);
        const struct iba_cm_rx x = match(mad);
        cr_expect_eq(x.c, cases[i].duplicate ? c : NULL, "case %zu", i);
        cr_expect_eq(x.stale, cases[i].stale ? c : NULL, "case %zu", i);
        cr_expect_eq(x.listener, cases[i].duplicate ? NULL : &CM->cfg.listener[0], "case %zu", i);
    }
    hand_close(&h);
}

/* A REQ for the service that this end also asks for (MD-86) is of that connection, unless its queue pair has another
 * one, which is stale (MD-73). */
Test(found, a_req_for_the_service_of_both_ends)
{
    struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, 0x77));
    uint8_t mad[IBA_MAD_BYTES], *data;

    hand_passive(&h, IBA_CMS_ESTABLISHED);
    struct iba_cm_conn *const other = iba_cm_by_id(CM, h.id);
    r.peer = true;
    r.req.serviceid = 0x55;
    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
    for (unsigned stale = 0; stale < 2; stale++) {
        data = hand_req(&h, mad);
        iba_cm_req_set_serviceid(data, 0x55);
        iba_cm_req_set_localcommid(data, HAND_ID + 1);
        iba_cm_req_set_localqpn(data, stale ? HAND_QPN : HAND_QPN + 1);
        cr_expect_eq(match(mad).c, stale ? NULL : iba_cm_by_id(CM, h.id));
        cr_expect_eq(match(mad).stale, stale ? other : NULL);
    }
    hand_close(&h);
}

/* MD-73: a REP is stale if the queue pair that it names has a connection. An XRC target is named in the field of the EE
 * context (QS-49). Once the peer is known, its REP is a duplicate. */
Test(found, a_rep_by_its_queue_pair)
{
    static const struct {
        uint8_t service;
        uint32_t qpn, eecn;
        uint64_t guid;
        bool stale;
    } cases[] = {{IBA_CM_RC, HAND_QPN, 0, PEER_GUID, true},       {IBA_CM_RC, 5, HAND_QPN, PEER_GUID, false},
                 {IBA_CM_UC, HAND_QPN, 0, PEER_GUID, true},       {IBA_CM_RC, HAND_QPN, 0, PEER_GUID + 1, false},
                 {IBA_CM_EXTENDED, 5, HAND_QPN, PEER_GUID, true}, {IBA_CM_EXTENDED, HAND_QPN, 5, PEER_GUID, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, 0x77));
        uint8_t mad[IBA_MAD_BYTES], *data;
        hand_passive(&h, IBA_CMS_ESTABLISHED);
        struct iba_cm_conn *const other = iba_cm_by_id(CM, h.id);
        r.req.transpsvctype = cases[i].service;
        cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
        data = hand_message_of(&h, mad, IBA_CM_ID_REP);
        iba_cm_rep_set_localcommid(data, 9);
        iba_cm_rep_set_localqpn(data, cases[i].qpn);
        iba_cm_rep_set_localeecn(data, cases[i].eecn);
        iba_cm_rep_set_localcaguid(data, cases[i].guid);
        cr_expect_eq(match(mad).c, iba_cm_by_id(CM, h.id));
        cr_expect_eq(match(mad).stale, cases[i].stale ? other : NULL, "case %zu", i);
        hand_close(&h);
    }
    hand_open(&h, IBA_PORT_IB);
    hand_active(&h, IBA_CMS_ESTABLISHED);
    uint8_t mad[IBA_MAD_BYTES], *data = hand_message_of(&h, mad, IBA_CM_ID_REP);
    iba_cm_rep_set_localqpn(data, HAND_QPN);
    iba_cm_rep_set_localcaguid(data, PEER_GUID);
    cr_expect_null(match(mad).stale);
    hand_close(&h);
}

/* A SIDR_REP belongs to the SIDR_REQ whose request ID it repeats. A SIDR_REQ is the one that waits already if sender
 * and request ID agree. */
Test(found, datagrams_by_their_request_id)
{
    const struct iba_cm_resolve r = {.service_id = 7, .response = 10};
    uint8_t mad[IBA_MAD_BYTES], *data;
    uint32_t id;

    hand_open(&h, IBA_PORT_IB);
    cr_assert_eq(iba_cm_resolve(CM, &r, NOW, &id), IBA_CM_OK);
    data = hand_message(mad, IBA_CM_ID_SIDR_REP, HAND_TID);
    iba_cm_sidr_rep_set_requestid(data, id);
    cr_expect_eq(match(mad).c, iba_cm_by_id(CM, id));
    iba_cm_sidr_rep_set_requestid(data, id + 1);
    cr_expect_null(match(mad).c);
    data = hand_message(mad, IBA_CM_ID_SIDR_REQ, HAND_TID);
    iba_cm_sidr_req_set_requestid(data, 0x55);
    iba_cm_sidr_req_set_serviceid(data, LAB_SERVICE);
    cr_expect_eq(match(mad).listener, &CM->cfg.listener[1], "the listener for datagrams");
    (void)hand_feed(&h, mad);
    cr_expect_eq(match(mad).c, iba_cm_by_id(CM, h.id));
    cr_expect_null(match(mad).listener);
    iba_cm_sidr_req_set_requestid(data, 0x56);
    cr_expect_null(match(mad).c);
    hand_close(&h);
}

/* The number that stands for the sender of a SIDR_REQ: nodes of several subnets, LIDs and MACs have different ones,
 * also if the GUIDs of the nodes have the numbers of their LIDs in some of the bits that tell vendors and devices. */
Test(found, numbers_of_senders)
{
    enum { SUBNETS = 16, NODES = 16, LIDS = 4, SHIFTS = 40, ALL = SUBNETS * NODES + LIDS + SHIFTS * LIDS };
    static uint64_t seen[ALL];

    hand_open(&h, IBA_PORT_IB);
    for (unsigned i = 0; i < ALL; i++) {
        struct iba_cm_source from = {.av = {.port = 1, .dlid = 0x11}, .pkey = 0xffff, .port = 1};
        const struct iba_cm_rx x = {.cm = CM, .from = &from};
        const unsigned k = i - SUBNETS * NODES;
        if (i < SUBNETS * NODES) {
            from.av.dgid[7] = (uint8_t)(i / NODES), from.av.dgid[15] = (uint8_t)(i % NODES);
        } else {
            from.av.dlid = (uint16_t)(0x101 + k % LIDS);
            if (k < LIDS)
                from.av.dmac = UINT64_C(0x020000000000) + k;
            else
                iba_bits_put(from.av.dgid, 64, 64, (UINT64_C(0x101) + k % LIDS) << (k / LIDS));
        }
        seen[i] = iba_cm_sidr_key(&x);
        for (unsigned other = 0; other < i; other++)
            cr_assert_neq(seen[i], seen[other], "senders %u and %u", i, other);
    }
    hand_close(&h);
}

/* ---- IDs ---- */

/* An ID is never 0, is not repeated at once, and contains the slot of its connection, wherever the count of
 * connections is. */
Test(found, ids_of_connections)
{
    enum { CONNS = 3, MOST = 0x55555555 }; /* so many IDs of a slot are there */
    static const struct iba_net_faults good = {.delay_ns = 1000};
    static const uint32_t begins[] = {0, MOST - 4, UINT32_MAX - 3};
    struct lab *l = &h.lab;
    uint32_t last[CONNS] = {0};

    lab_open(l, IBA_PORT_IB, CONNS, 1, &good);
    for (size_t b = 0; b < sizeof begins / sizeof *begins; b++) {
        CM->generation = begins[b];
        for (unsigned i = 0; i < 4 * CONNS; i++) {
            struct iba_cm_conn *const c = iba_cm_conn_new(CM);
            cr_assert_not_null(c);
            const uint32_t slot = (uint32_t)(c - CM->cfg.conn), id = c->local_id;
            cr_expect_eq((id ^ CM->operand) % CONNS, slot);
            cr_expect(id != 0 && id != last[slot], "%zu, %u", b, i);
            cr_expect_eq(iba_cm_by_id(CM, id), c);
            last[slot] = id;
            iba_cm_conn_free(CM, c);
            cr_expect_null(iba_cm_by_id(CM, id));
        }
    }
    for (uint32_t slot = 0; slot < CONNS; slot++) { /* the next ID would be 0 */
        CM->free_at = slot;
        CM->generation = 1000;
        CM->operand = 1000 * CONNS + slot;
        const struct iba_cm_conn *c = iba_cm_conn_new(CM);
        cr_assert_not_null(c);
        cr_expect_eq(c->local_id, (1001 * CONNS + slot) ^ CM->operand);
    }
    lab_close(l);
}

/* ---- chains ---- */

/* The keys of a connection, as the test remembers them. */
struct keys {
    struct iba_cm_conn *c; /* NULL: the slot is free */
    bool peer, known;
    uint64_t guid, service;
    uint32_t id, remote_qpn, local_qpn;
};
static struct keys all[LAB_CONNS];
static uint64_t dice = 1;

static uint32_t below(uint32_t n)
{
    dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(dice >> 33) % n;
}

enum { GUIDS = 3, IDS = 9, QPNS = 9 };

static struct iba_cm_conn *owner(uint64_t guid, uint32_t id, uint32_t remote_qpn, uint32_t local_qpn, uint64_t service)
{
    for (unsigned i = 0; i < LAB_CONNS; i++) {
        const struct keys *k = &all[i];
        if (k->c && ((id && k->known && k->guid == guid && k->id == id) ||
                     (remote_qpn && k->known && k->guid == guid && k->remote_qpn == remote_qpn) ||
                     (local_qpn && k->local_qpn == local_qpn) || (service && k->peer && k->service == service)))
            return k->c;
    }
    return NULL;
}

static void look_up_all(unsigned step)
{
    for (uint64_t guid = 0; guid < GUIDS; guid++)
        for (uint32_t n = 1; n <= IDS; n++) {
            cr_assert_eq(iba_cm_by_remote_id(CM, guid, n), owner(guid, n, 0, 0, 0), "step %u", step);
            cr_assert_eq(iba_cm_by_remote_qp(CM, guid, n), owner(guid, 0, n, 0, 0), "step %u", step);
        }
    for (uint32_t n = 1; n <= QPNS; n++)
        cr_assert_eq(iba_cm_by_local_qp(CM, n), owner(0, 0, 0, n, 0), "step %u", step);
    for (uint64_t n = 1; n <= SERVICES; n++)
        cr_assert_eq(iba_cm_peer_of(CM, n), owner(0, 0, 0, 0, n), "step %u", step);
    cr_assert_null(iba_cm_by_remote_qp(CM, 1, 0));
    cr_assert_null(iba_cm_by_local_qp(CM, 0));
}

static void begin_or_end(struct keys *k)
{
    if (k->c) {
        iba_cm_conn_free(CM, k->c);
        *k = (struct keys){.c = NULL};
        return;
    }
    *k = (struct keys){.c = iba_cm_conn_new(CM), .service = 1 + below(SERVICES)};
    cr_assert_not_null(k->c);
    if (!below(2) || owner(0, 0, 0, 0, k->service))
        return;
    iba_cm_req_set_serviceid(k->c->req, k->service);
    iba_cm_set_peer(CM, k->c);
    k->peer = true;
}

static void change_keys(struct keys *k)
{
    const uint64_t guid = below(GUIDS);
    const uint32_t id = 1 + below(IDS), qpn = below(QPNS);

    if (below(2) && (!qpn || !owner(0, 0, 0, qpn, 0))) {
        iba_cm_set_local_qp(CM, k->c, qpn);
        k->local_qpn = qpn;
    }
    if (owner(guid, id, qpn, 0, 0))
        return;
    iba_cm_set_remote(CM, k->c, guid, id, qpn);
    k->guid = guid, k->id = id, k->remote_qpn = qpn;
    k->known = true, k->peer = false;
}

/* Connections begin, get keys, change them, and end in any order. Each key finds its connection, and no other key finds
 * one. */
Test(found, keys_of_connections)
{
    hand_open(&h, IBA_PORT_IB);
    for (unsigned step = 0; step < 1500; step++) {
        struct keys *k = &all[below(LAB_CONNS)];
        if (!k->c || !below(4))
            begin_or_end(k);
        else
            change_keys(k);
        look_up_all(step);
    }
    hand_close(&h);
}
