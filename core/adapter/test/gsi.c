/* SPDX-License-Identifier: BSD-2-Clause */
/* QP1 and its connection manager: packets that leave, byte by byte; datagrams that arrive, with the path back. */
#include "adapter/iba_gsi.h"
#include "transport/iba_wr_ops.h"
#include <criterion/criterion.h>
#include <string.h>
#include "wire/iba_opcode.h"

enum {
    CONNS = 4,
    MAC_A = 0x0200000a,
    QPN = 0x123456,
    PKEY = 0x8001,
    OTHER_CLASS = 0x04,
    IP_A = 0x0a000001,
    SECOND = 0x100
};
#define SERVICE UINT64_C(0x1000000000001234)
#define GSI_QKEY 0x80010000u /* section 3.5.3 */

struct end {
    struct iba_ca ca;
    struct iba_cm cm;
    struct iba_gsi gsi;
    struct iba_qp *qps[4];
    struct iba_cq *cqs[2];
    struct iba_ah ah[1];
    struct iba_mkey keys[2];
    uint32_t pds[2], heap[CONNS], bucket[IBA_CM_KEYS * CONNS];
    struct iba_cm_conn conn[CONNS];
    struct iba_cm_listener listener[1];
    struct iba_cm_datagram out[8];
    struct iba_cm_event event[8];
};
static struct end ends[2];
static bool over_ipv6;
static uint8_t frame[IBA_TX_MOST];

static uint64_t entropy(void *ctx)
{
    (void)ctx;
    return 0x123;
}

static void set_gid(uint8_t gid[16], uint32_t address)
{
    iba_gid_set_ipv4(gid, address);
    if (over_ipv6)
        memcpy(gid, "\xfe\x80\0\0\0\0\0\0\0\0\0\0", 12);
}

static void open_adapter(unsigned n)
{
    struct end *e = &ends[n];

    memset(e, 0, sizeof *e);
    iba_ca_init(&e->ca, &(struct iba_ca_config){.n_port = 2,
                                                .qp = e->qps,
                                                .cq = e->cqs,
                                                .ah = e->ah,
                                                .key = e->keys,
                                                .pd = e->pds,
                                                .n_qp = 4,
                                                .n_cq = 2,
                                                .n_ah = 1,
                                                .n_key = 2,
                                                .n_pd = 2,
                                                .random = entropy});
    for (uint8_t i = 0; i < 2; i++) {
        iba_port_init(&e->ca.port[i], (uint8_t)(i + 1), IBA_PORT_ROCE2, IBA_MTU_1024, MAC_A + n + SECOND * i);
        set_gid(e->ca.port[i].gid[0], IP_A + n + SECOND * i);
        e->ca.port[i].n_gid = 1;
        e->ca.port[i].pkey[1] = PKEY;
        e->ca.port[i].n_pkey = 2;
    }
}

static void open_end(unsigned n)
{
    struct end *e = &ends[n];

    open_adapter(n);
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
                                                .n_out = 8,
                                                .n_event = 8,
                                                .random = entropy});
    memset(&e->gsi, 0xa5, sizeof e->gsi); /* opening QP1 clears this memory */
    cr_assert_eq(iba_gsi_open(&e->gsi, &e->ca, &e->cm), IBA_VERB_OK);
}

/* Returns the path from port 1 of the other end to a port of this end. */
static struct iba_av path_to(unsigned n, uint8_t port)
{
    const unsigned more = port == 2 ? SECOND : 0;
    struct iba_av av = {.dmac = MAC_A + n + more, .vlan = 0xffff, .hop_limit = 64, .port = 1, .grh = true};

    set_gid(av.dgid, IP_A + n + more);
    return av;
}

/* End 0, the active one, sends a REQ to that port of the passive end. */
static void ask_port(uint8_t port)
{
    uint32_t id;
    struct iba_cm_request r = {.req = {.serviceid = SERVICE,
                                       .localqpn = QPN,
                                       .pkey = PKEY,
                                       .pppmtu = IBA_MTU_1024,
                                       .remoteresptout = 12,
                                       .localresptout = 12,
                                       .prim_hoplim = 64},
                               .av = path_to(1, port)};

    set_gid(r.req.prim_localgid, IP_A);
    memcpy(r.req.prim_remotegid, r.av.dgid, 16);
    r.req.localqpn += ends[0].cm.n_used;
    cr_assert_eq(iba_cm_connect(&ends[0].cm, &r, 0, &id), IBA_CM_OK);
}

static void ask(void)
{
    ask_port(1);
}

static void listen(void)
{
    uint32_t number;

    open_end(0);
    open_end(1);
    cr_assert_eq(
        iba_cm_listen(&ends[1].cm, &(struct iba_cm_listen){.service_id = SERVICE, .service_mask = UINT64_MAX}, &number),
        IBA_CM_OK);
}

static uint8_t sent_from; /* the port that the last packet left from */

static size_t sent(unsigned n)
{
    size_t len = 1;

    memset(frame, 0xa5, sizeof frame); /* nothing of it is left in a packet */
    cr_assert_eq(iba_gsi_poll(&ends[n].gsi, &sent_from, frame, sizeof frame, &len, 0), IBA_OK);
    return len;
}

static struct iba_view parsed(size_t len)
{
    struct iba_view v;

    cr_assert_eq(iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL), IBA_OK);
    iba_view_check(&v);
    cr_assert_eq(v.icrc, IBA_CHECK_GOOD);
    return v;
}

static void arrives_at(unsigned n, uint8_t port, size_t len)
{
    const struct iba_view v = parsed(len);

    iba_gsi_feed(&ends[n].gsi, port, &v, 0);
}

static void arrives(unsigned n, size_t len)
{
    arrives_at(n, 1, len);
}

static enum iba_cm_event_kind next_event(unsigned n, struct iba_cm_event *e)
{
    return iba_cm_next_event(&ends[n].cm, e) ? (enum iba_cm_event_kind)e->kind : IBA_CME_NONE;
}

/* MD-82: UD SEND Only from QP1 to QP1 with the general Q_Key; the P_Key is the connection's; PSNs count up. */
static void leaves_as_a_packet(void)
{
    listen();
    for (uint32_t i = 0; i < 2; i++) {
        ask();
        const size_t len = sent(0);
        const struct iba_view v = parsed(len);
        const uint8_t *bth = iba_view_bth(&v), *deth = iba_view_hdr(&v, IBA_H_deth);
        cr_expect_eq(iba_bth_opcode(bth), 0x64);
        cr_expect_eq(iba_bth_p_key(bth), PKEY);
        cr_expect_eq(iba_bth_destqp(bth), 1);
        cr_expect_eq(iba_bth_m(bth), 1);
        cr_expect_eq(iba_bth_se(bth) + iba_bth_padcnt(bth) + iba_bth_tver(bth) + iba_bth_a(bth), 0);
        cr_expect_eq(bth[4] | (bth[8] & 0x7f) | deth[4], 0, "reserved bits");
        cr_expect_eq(iba_bth_psn(bth), 0x123 + i);
        cr_expect_eq(iba_deth_q_key(deth), GSI_QKEY);
        cr_expect_eq(iba_deth_srcqp(deth), 1);
        cr_expect_eq(v.payload_len, 256);
        cr_expect_eq(iba_madhdr_mgmtclass(v.wire + v.payload_at), IBA_CLASS_CM);
        cr_expect_eq(iba_cm_req_localqpn(v.wire + v.payload_at + IBA_BYTES_madhdr), QPN + i);
        cr_expect_eq(iba_eth_dst(frame), MAC_A + 1);
        cr_expect_eq(iba_eth_src(frame), MAC_A);
        cr_expect_eq(sent(0), 0, "it leaves once");
    }
}

Test(gsi, a_datagram_leaves_as_a_packet_of_qp1)
{
    over_ipv6 = false;
    leaves_as_a_packet();
}

Test(gsi, a_datagram_leaves_over_ipv6)
{
    over_ipv6 = true;
    leaves_as_a_packet();
}

Test(gsi, too_small_a_buffer_loses_nothing)
{
    size_t len = 1;

    listen();
    ask();
    cr_expect_eq(iba_gsi_poll(&ends[0].gsi, &sent_from, frame, IBA_TX_MOST - 1, &len, 0), IBA_NO_ROOM);
    cr_expect_eq(len, 0);
    cr_expect_neq(sent(0), 0);
}

/* The CM learns the sender's addresses and partition, and answers to them. QP1 posts a new receive for the next
 * packet. */
Test(gsi, a_datagram_comes_with_the_path_back)
{
    struct iba_cm_event e;

    listen();
    for (unsigned i = 0; i < 3; i++) {
        ask();
        arrives(1, sent(0));
        cr_assert_eq(next_event(1, &e), IBA_CME_REQ, "request %u", i);
        cr_expect_eq(e.av.dmac, MAC_A);
        cr_expect_eq(e.av.port, 1);
        cr_expect(e.av.grh);
        cr_expect_arr_eq(e.av.dgid, ends[0].ca.port[0].gid[0], 16);
        cr_assert_eq(iba_cm_reject(&ends[1].cm, e.id, 28, (struct iba_cm_private){0}, (struct iba_cm_private){0}, 0),
                     IBA_CM_OK);
        const size_t len = sent(1);
        const struct iba_view v = parsed(len);
        cr_expect_eq(iba_bth_p_key(iba_view_bth(&v)), PKEY);
        arrives(0, len);
        cr_expect_eq(next_event(0, &e), IBA_CME_REJ);
        cr_expect_eq(e.reason, 28);
    }
    cr_expect_eq(ends[0].gsi.foreign + ends[1].gsi.foreign, 0);
}

/* Each port has its QP1: a request to the second is answered from there. */
Test(gsi, each_port_has_its_qp1)
{
    struct iba_cm_event e;

    listen();
    ask_port(2);
    const size_t asked = sent(0);
    cr_expect_eq(sent_from, 1);
    arrives(1, asked);
    cr_expect_eq(next_event(1, &e), IBA_CME_NONE, "it is not for this port");
    arrives_at(1, 2, asked);
    cr_assert_eq(next_event(1, &e), IBA_CME_REQ);
    cr_expect_eq(e.av.port, 2);
    cr_assert_eq(iba_cm_reject(&ends[1].cm, e.id, 28, (struct iba_cm_private){0}, (struct iba_cm_private){0}, 0),
                 IBA_CM_OK);
    const size_t len = sent(1);
    cr_expect_eq(sent_from, 2);
    cr_expect_eq(iba_eth_src(frame), MAC_A + 1 + SECOND);
    arrives(0, len);
    cr_expect_eq(next_event(0, &e), IBA_CME_REJ);
}

/* Datagrams of another class, and those that are no MAD, do not reach the CM; those after them do. */
Test(gsi, other_datagrams_are_counted_and_dropped)
{
    struct iba_cm_event e;
    struct iba_send_wr wr = {.op = IBA_WR_SEND, .n_sge = 1, .remote_qpn = 1, .remote_qkey = GSI_QKEY};
    const struct iba_av av = path_to(1, 1);
    struct end *a = &ends[0];
    size_t len;

    listen();
    ask();
    a->out[0].mad[1] = OTHER_CLASS;
    arrives(1, sent(0));
    cr_expect_eq(next_event(1, &e), IBA_CME_NONE);
    cr_expect_eq(ends[1].gsi.foreign, 1);

    /* half a REQ: the adapter drops it (UU-26) */
    cr_assert_eq(iba_create_ah(&a->ca, a->gsi.pd, &av, &wr.ah), IBA_VERB_OK);
    wr.sge[0] = (struct iba_sge){(uintptr_t)a->gsi.buffer, 128, a->gsi.lkey};
    cr_assert_eq(iba_post_send(&a->ca, 1, &wr), IBA_VERB_OK);
    cr_expect_eq(iba_post_send(&a->ca, 1, &wr), IBA_VERB_FULL, "QP1's send queue has one entry");
    cr_assert_eq(iba_ca_poll(&a->ca, 2, frame, sizeof frame, &len, 0), IBA_OK);
    cr_expect_eq(len, 0, "it leaves from its own port");
    memset(frame, 0xa5, sizeof frame);
    cr_assert_eq(iba_ca_poll(&a->ca, 1, frame, sizeof frame, &len, 0), IBA_OK);
    arrives(1, len);
    cr_expect_eq(next_event(1, &e), IBA_CME_NONE);

    ask();
    arrives(1, sent(0));
    cr_expect_eq(next_event(1, &e), IBA_CME_REQ);
    cr_expect_eq(ends[1].gsi.foreign, 1);
}

/* If the adapter has no room for an object that QP1 needs, opening QP1 fails with the error of that object's verb. */
Test(gsi, an_adapter_without_room_says_so)
{
    struct end *e = &ends[0];
    struct iba_cq spare[2];
    struct iba_wc ring[2];
    uint32_t number;

    open_adapter(0);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(iba_pd_create(&e->ca.mem, &number), IBA_MEM_OK);
    cr_expect_eq(iba_gsi_open(&e->gsi, &e->ca, &e->cm), IBA_VERB_FULL, "no protection domain is left");

    open_adapter(0);
    e->ca.mem.n_key = 0;
    cr_expect_eq(iba_gsi_open(&e->gsi, &e->ca, &e->cm), IBA_VERB_FULL, "no memory key is left");

    open_adapter(0);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(iba_create_cq(&e->ca, &spare[i], &ring[i], 1, &number), IBA_VERB_OK);
    cr_expect_eq(iba_gsi_open(&e->gsi, &e->ca, &e->cm), IBA_VERB_FULL, "no CQ is left");

    open_end(0);
    cr_expect_eq(iba_query_qp(&e->ca, 1)->state, IBA_QPS_RTS);
    cr_expect_eq(iba_query_qp(&e->ca, 1)->attr.qkey, GSI_QKEY);
    e->ca.mem.n_pd = 0; /* a second QP1 cannot be made, wherever it fails */
    cr_expect_neq(iba_gsi_open(&e->gsi, &e->ca, &e->cm), IBA_VERB_OK);
}

/* If the adapter refuses to create QP1 or to change its state, opening QP1 fails with that verb's error, and QP1 stays
 * in the state before. */
Test(gsi, a_refusal_is_handed_on)
{
    struct end *e = &ends[0];
    struct iba_qp other;
    struct iba_wc ring[1];
    struct iba_sqe sq[1];
    struct iba_recv_wr rq[1];
    struct iba_cq cq;
    uint32_t pd, cqn, qpn;

    open_adapter(0);
    e->ca.port[0].n_pkey = 0;
    cr_expect_eq(iba_gsi_open(&e->gsi, &e->ca, &e->cm), IBA_VERB_ATTR_VALUE, "no P_Key 0 (KM-11)");
    cr_expect_eq(iba_query_qp(&e->ca, 1)->state, IBA_QPS_RESET);

    open_adapter(0);
    cr_assert_eq(iba_pd_create(&e->ca.mem, &pd), IBA_MEM_OK);
    cr_assert_eq(iba_create_cq(&e->ca, &cq, ring, 1, &cqn), IBA_VERB_OK);
    const struct iba_qp_init init = {.type = IBA_QPT_GSI,
                                     .pd = pd,
                                     .send_cq = cqn,
                                     .recv_cq = cqn,
                                     .srq = IBA_NONE,
                                     .sq = sq,
                                     .rq = rq,
                                     .n_sq = 1,
                                     .n_rq = 1};
    cr_assert_eq(iba_create_qp(&e->ca, &other, &init, &qpn), IBA_VERB_OK);
    cr_expect_eq(iba_gsi_open(&e->gsi, &e->ca, &e->cm), IBA_VERB_BUSY, "there is a QP1 (QS-28)");
    cr_expect_eq(iba_query_qp(&e->ca, 1)->state, IBA_QPS_RESET);
}
