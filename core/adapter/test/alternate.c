/* SPDX-License-Identifier: BSD-2-Clause */
/* Alternate paths: from the messages of two connection managers to the queue pairs of their adapters. A REQ brings the
 * first alternate path; a LAP from either end replaces it (MD-55, MD-79, QS-78). Each adapter has two ports, and the
 * alternate path joins the second ports. */
#include <criterion/criterion.h>
#include <string.h>
#include "adapter/iba_ca.h"
#include "cm/iba_cm.h"

enum { PASSIVE, ACTIVE, CONNS = 2, RING = 8, LID = 10, SECOND = 10, LATER = 5, FLOW = 0x12345, LAP_TIME = 14 };
#define SERVICE UINT64_C(0x42)
#define GUID UINT64_C(0x020000000001)
#define NOTHING ((struct iba_cm_private){NULL, 0})

struct end {
    struct iba_ca ca;
    struct iba_cm cm;
    struct iba_qp *qps[4], qp;
    struct iba_cq *cqs[1], cq;
    struct iba_mkey keys[1];
    uint32_t pds[1], pd, cqn, qpn, id, heap[CONNS], bucket[IBA_CM_KEYS * CONNS];
    struct iba_wc wcs[2];
    struct iba_sqe sq[1];
    struct iba_recv_wr rq[1];
    struct iba_saved saved[1];
    struct iba_cm_conn conn[CONNS];
    struct iba_cm_listener listener[1];
    struct iba_cm_datagram out[RING];
    struct iba_cm_event event[RING];
};
static struct end ends[2];

static uint64_t entropy(void *ctx)
{
    static uint64_t n;

    (void)ctx;
    return n += 0x1234567;
}

static void open_end(unsigned n, enum iba_port_kind kind)
{
    struct end *e = &ends[n];

    memset(e, 0, sizeof *e);
    iba_ca_init(&e->ca, &(struct iba_ca_config){.n_port = 2,
                                                .qp = e->qps,
                                                .cq = e->cqs,
                                                .key = e->keys,
                                                .pd = e->pds,
                                                .n_qp = 4,
                                                .n_cq = 1,
                                                .n_key = 1,
                                                .n_pd = 1,
                                                .random = entropy});
    for (uint8_t i = 0; i < 2; i++) {
        iba_port_init(&e->ca.port[i], (uint8_t)(i + 1), kind, IBA_MTU_1024, GUID + n + SECOND * i);
        e->ca.port[i].lid = kind == IBA_PORT_IB ? (uint16_t)(LID + n + SECOND * i) : 0;
    }
    e->ca.port[1].lmc = 0;
    iba_cm_init(&e->cm, &(struct iba_cm_config){.ca_guid = 1 + n,
                                                .port = e->ca.port,
                                                .n_port = 2,
                                                .conn = e->conn,
                                                .heap = e->heap,
                                                .bucket = e->bucket,
                                                .n_conn = CONNS,
                                                .listener = e->listener,
                                                .n_listener = 1,
                                                .out = e->out,
                                                .event = e->event,
                                                .n_out = RING,
                                                .n_event = RING,
                                                .random = entropy});
    cr_assert_eq(iba_pd_create(&e->ca.mem, &e->pd), IBA_MEM_OK);
    cr_assert_eq(iba_create_cq(&e->ca, &e->cq, e->wcs, 2, &e->cqn), IBA_VERB_OK);
    const struct iba_qp_init init = {.type = IBA_QPT_RC,
                                     .pd = e->pd,
                                     .send_cq = e->cqn,
                                     .recv_cq = e->cqn,
                                     .srq = IBA_NONE,
                                     .sq = e->sq,
                                     .rq = e->rq,
                                     .saved = e->saved,
                                     .n_sq = 1,
                                     .n_rq = 1,
                                     .n_saved = 1};
    cr_assert_eq(iba_create_qp(&e->ca, &e->qp, &init, &e->qpn), IBA_VERB_OK);
}

/* Returns the path between the first ports, as end `n` sees it. */
static struct iba_av path_from(unsigned n)
{
    const struct iba_port *peer = &ends[!n].ca.port[0];
    struct iba_av av = {.port = 1, .dlid = peer->lid, .dmac = peer->mac, .vlan = 0xffff, .hop_limit = 64};

    memcpy(av.dgid, peer->gid[0], 16);
    return av;
}

/* Delivers the datagrams that wait at end `n`, and returns the next event of the other end. */
static struct iba_cm_event carry(unsigned n)
{
    const struct iba_cm_source from = {.av = path_from(!n), .pkey = 0xffff, .port = 1};
    struct iba_cm_datagram d;
    struct iba_cm_event e = {.kind = IBA_CME_NONE};

    while (iba_cm_poll(&ends[n].cm, &d))
        iba_cm_feed(&ends[!n].cm, &from, d.mad, 0);
    (void)iba_cm_next_event(&ends[!n].cm, &e);
    return e;
}

static void modify(unsigned n, enum iba_qp_state state, uint32_t want)
{
    struct iba_qp_attr a;
    uint32_t mask;

    cr_assert(iba_cm_qp_attr(&ends[n].cm, ends[n].id, state, &a, &mask));
    cr_expect_eq(mask & (IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG), want, "end %u, state %u: 0x%x", n, state, mask);
    if (state == IBA_QPS_INIT)
        mask |= IBA_QPA_ACCESS;
    cr_assert_eq(iba_modify_qp(&ends[n].ca, ends[n].qpn, &a, mask), IBA_VERB_OK, "end %u, state %u", n, state);
}

static struct iba_cm_request request(bool alternate)
{
    const struct iba_port *own = ends[ACTIVE].ca.port, *peer = ends[PASSIVE].ca.port;
    struct iba_cm_request r = {.req = {.serviceid = SERVICE,
                                       .localqpn = ends[ACTIVE].qpn,
                                       .remoteresptout = 14,
                                       .localresptout = 14,
                                       .pkey = 0xffff,
                                       .pppmtu = IBA_MTU_1024,
                                       .prim_locallid = own[0].lid,
                                       .prim_remotelid = peer[0].lid,
                                       .prim_subnetlocal = own[0].kind == IBA_PORT_IB,
                                       .prim_hoplim = 64},
                               .av = path_from(ACTIVE)};

    memcpy(r.req.prim_localgid, own[0].gid[0], 16);
    memcpy(r.req.prim_remotegid, peer[0].gid[0], 16);
    if (!alternate)
        return r;
    r.req.alt_locallid = own[1].lid;
    r.req.alt_remotelid = peer[1].lid;
    r.req.alt_subnetlocal = own[1].kind == IBA_PORT_IB;
    memcpy(r.req.alt_localgid, own[1].gid[0], 16);
    memcpy(r.req.alt_remotegid, peer[1].gid[0], 16);
    return r;
}

/* Connects the two ends, and brings both queue pairs to RTS. */
static void connect(enum iba_port_kind kind, bool alternate)
{
    const bool given = alternate && kind == IBA_PORT_IB;
    struct iba_cm_rep rep = {0};
    uint32_t number;

    open_end(PASSIVE, kind);
    open_end(ACTIVE, kind);
    const struct iba_cm_request r = request(alternate);
    rep.localqpn = ends[PASSIVE].qpn;
    cr_assert_eq(iba_cm_listen(&ends[PASSIVE].cm,
                               &(struct iba_cm_listen){.service_id = SERVICE, .service_mask = UINT64_MAX}, &number),
                 IBA_CM_OK);
    cr_assert_eq(iba_cm_connect(&ends[ACTIVE].cm, &r, 0, &ends[ACTIVE].id), IBA_CM_OK);
    const struct iba_cm_event e = carry(ACTIVE);
    cr_assert_eq(e.kind, IBA_CME_REQ);
    ends[PASSIVE].id = e.id;
    cr_assert_eq(iba_cm_accept(&ends[PASSIVE].cm, e.id, &rep, NOTHING, 0), IBA_CM_OK);
    cr_assert_eq(carry(PASSIVE).kind, IBA_CME_REP);
    cr_assert_eq(iba_cm_confirm(&ends[ACTIVE].cm, ends[ACTIVE].id, NOTHING, 0), IBA_CM_OK);
    cr_assert_eq(carry(ACTIVE).kind, IBA_CME_ESTABLISHED);
    for (unsigned n = 0; n < 2; n++) {
        modify(n, IBA_QPS_INIT, 0);
        modify(n, IBA_QPS_RTR, given ? IBA_QPA_ALT_PATH : 0);
        modify(n, IBA_QPS_RTS, given ? IBA_QPA_PATH_MIG : 0);
    }
}

/* Checks that the queue pair of end `n` has an alternate path from its second port to the other end's second port. */
static void expect_second_ports(unsigned n)
{
    const struct iba_qp_attr *a = &iba_query_qp(&ends[n].ca, ends[n].qpn)->attr;

    cr_expect_eq(a->alt_av.port, 2, "end %u", n);
    cr_expect_eq(a->alt_av.dlid, ends[!n].ca.port[1].lid, "end %u", n);
    cr_expect_arr_eq(a->alt_av.dgid, ends[!n].ca.port[1].gid[0], 16, "end %u", n);
    cr_expect_not(a->alt_av.grh);
    cr_expect_eq(a->path_mig, IBA_PATH_REARM, "end %u", n);
    cr_expect_eq(a->av.port, 1);
}

Test(alternate, a_req_has_one)
{
    connect(IBA_PORT_IB, true);
    expect_second_ports(ACTIVE);
    expect_second_ports(PASSIVE);
}

Test(alternate, a_req_has_none)
{
    connect(IBA_PORT_IB, false);
    cr_expect_eq(iba_query_qp(&ends[ACTIVE].ca, ends[ACTIVE].qpn)->attr.path_mig, IBA_PATH_MIGRATED);
}

/* An alternate path over Ethernet needs a MAC address, which no CM message carries (MD-83). */
Test(alternate, ethernet_has_none)
{
    connect(IBA_PORT_ROCE2, true);
}

/* End `n` sends a LAP with the path between the second ports, and the other end answers with `status`. */
static void load(unsigned n, uint8_t status)
{
    struct iba_port *own = &ends[n].ca.port[1], *peer = &ends[!n].ca.port[1];
    struct iba_cm_lap lap = {.remoteresptout = LAP_TIME, .alt_subnetlocal = 1};
    struct iba_cm_event e;

    lap.alt_locallid = own->lid;
    lap.alt_remotelid = peer->lid;
    lap.alt_flowlabel = FLOW;
    memcpy(lap.alt_localgid, own->gid[0], 16);
    memcpy(lap.alt_remotegid, peer->gid[0], 16);
    cr_assert_eq(iba_cm_load(&ends[n].cm, ends[n].id, &lap, NOTHING, 0), IBA_CM_OK);
    cr_assert_eq(carry(n).kind, IBA_CME_LAP);
    cr_assert_eq(iba_cm_loaded(&ends[!n].cm, ends[!n].id, status, NOTHING, NOTHING, 0), IBA_CM_OK);
    e = carry(!n);
    cr_assert_eq(e.kind, IBA_CME_APR);
    cr_assert_eq(e.reason, status);
}

Test(alternate, a_lap_of_either_end_loads_one)
{
    for (unsigned from = 0; from < 2; from++)
        for (unsigned before = 0; before < 2; before++) {
            connect(IBA_PORT_IB, before);
            load(from, 0);
            for (unsigned n = 0; n < 2; n++) {
                modify(n, IBA_QPS_RTS, IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG);
                expect_second_ports(n);
                cr_expect_eq(iba_query_qp(&ends[n].ca, ends[n].qpn)->attr.alt_av.flow_label, FLOW);
            }
        }
}

/* The second LAP suggests another path, which has no effect until the peer accepts it. */
Test(alternate, the_last_path_that_was_accepted_counts)
{
    struct iba_qp_attr a;
    uint32_t mask;

    connect(IBA_PORT_IB, false);
    load(ACTIVE, 0);
    ends[ACTIVE].ca.port[1].lid += LATER;
    load(ACTIVE, 4);
    for (unsigned n = 0; n < 2; n++)
        cr_expect(iba_cm_qp_attr(&ends[n].cm, ends[n].id, IBA_QPS_RTS, &a, &mask));
    cr_expect_eq(a.alt_av.dlid, ends[PASSIVE].ca.port[1].lid);
    cr_assert(iba_cm_qp_attr(&ends[PASSIVE].cm, ends[PASSIVE].id, IBA_QPS_RTS, &a, &mask));
    cr_expect_eq(a.alt_av.dlid, LID + SECOND + ACTIVE);
    load(ACTIVE, 0);
    cr_assert(iba_cm_qp_attr(&ends[PASSIVE].cm, ends[PASSIVE].id, IBA_QPS_RTS, &a, &mask));
    cr_expect_eq(a.alt_av.dlid, LID + SECOND + ACTIVE + LATER);
}

Test(alternate, a_refused_one_is_not_loaded)
{
    struct iba_qp_attr a;
    uint32_t mask;

    connect(IBA_PORT_IB, false);
    load(PASSIVE, 4);
    for (unsigned n = 0; n < 2; n++) {
        cr_assert(iba_cm_qp_attr(&ends[n].cm, ends[n].id, IBA_QPS_RTS, &a, &mask));
        cr_expect_eq(mask & (IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG), 0);
    }
}
