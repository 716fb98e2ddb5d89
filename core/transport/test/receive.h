/* SPDX-License-Identifier: BSD-2-Clause */
/* A test bed for receivers: an adapter with one QP of each kind, and a peer whose packets are recipes. */
#ifndef RECEIVE_TEST_H
#define RECEIVE_TEST_H
#include "../../wire/test/wire.h"
#include "adapter/iba_change_rules.h"
#include "test/recorder.h"
#include "test/reserved.h"
#include "transport/iba_xrc.h"

enum {
    PEER_QPN = 0x20,
    RC_QPN = 0x15,
    UC_QPN = 0x13,
    UD_QPN = 0x12,
    RAW_QPN = 0x14,
    QKEY = 0x1234,
    LID = 8,
    PEER_LID = 9,
    ALT_LID = 0x19,
    GROUP_LID = 0xc001,
    MTU = 256,
    EPSN = 0xfffffe, /* the PSN wraps soon */
    N_SAVED = 4,
    N_RQ = 8,
    MEMORY = 16384,
    VA = 0x10000,
    FULL = 4096, /* a buffer that takes any packet */
};
static const uint8_t group_gid[16] = {0xff, 0x12, [15] = 1};

struct bed {
    struct iba_ca ca;
    struct iba_qp *qp_slot[16], rc, uc, ud, smi, gsi, raw;
    struct iba_cq *cq_slot[2], cq;
    struct iba_srq *srq_slot[2], srq;
    struct iba_ah ah[2];
    struct iba_mcast mcast[4];
    struct iba_mkey key[16];
    uint32_t pd_slot[4], pd, other_pd, cq_number, srq_number;
    struct iba_wc ring[32];
    struct iba_recv_wr rq[6][N_RQ], srq_ring[N_RQ];
    struct iba_sqe sq[6][4];
    struct iba_saved saved[N_SAVED];
    uint8_t memory[MEMORY], present;
    uint32_t lkey, rkey;
    uint64_t seed;
    unsigned events[64];
    struct iba_event last_event;
    struct iba_recipe r; /* the packet that is being built */
    uint8_t payload[4096 + 8], in[4096 + 200], out[IBA_TX_MOST];
    struct iba_view answer;
    bool answered;
};

static inline uint64_t bed_random(void *ctx)
{
    return rnd(&((struct bed *)ctx)->seed);
}

static inline void bed_event(void *ctx, const struct iba_event *e)
{
    ((struct bed *)ctx)->events[e->kind]++;
    ((struct bed *)ctx)->last_event = *e;
}

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        const int must_ = (int)(call);                                                                                 \
        cr_assert_eq(must_, 0, "%s is %d", #call, must_);                                                              \
    } while (0)

/* A region of all memory, at VA, in `pd`. */
static inline void region(struct bed *b, uint16_t access, uint32_t pd, uint32_t *lkey, uint32_t *rkey)
{
    const struct iba_mr_attr a = {
        .base = b->memory, .length = MEMORY, .iova = VA, .pd = pd, .access = access, .present = &b->present};

    MUST(iba_mr_register(&b->ca.mem, &a, lkey, rkey));
}

enum { ALL_RIGHTS = IBA_ACCESS_OF_REGION & ~IBA_ACCESS_ZERO_BASED & ~IBA_ACCESS_ON_DEMAND };

static inline struct iba_av path_to_peer(const struct bed *b)
{
    struct iba_av av = {.port = 1, .dlid = PEER_LID, .vlan = 0xffff, .hop_limit = 64, .dmac = 0x020000000009};

    memcpy(av.dgid, b->ca.port[0].gid[0], 16);
    av.dgid[15] ^= 0x40;
    return av;
}

static inline void to_rts(struct bed *b, uint32_t qpn, uint8_t type)
{
    const bool rc = type == IBA_QPT_RC, connected = rc || type == IBA_QPT_UC;
    const bool raw = type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE;
    const bool mg = type == IBA_QPT_SMI || type == IBA_QPT_GSI;
    const uint32_t init = raw         ? IBA_QPA_PORT
                          : connected ? IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | IBA_QPA_ACCESS
                                      : IBA_QPA_PKEY_INDEX | IBA_QPA_QKEY | (mg ? 0 : IBA_QPA_PORT);
    struct iba_qp_attr a = {.state = IBA_QPS_INIT,
                            .port = 1,
                            .access = IBA_ACCESS_REMOTE,
                            .qkey = type == IBA_QPT_GSI ? IBA_GSI_QKEY : QKEY,
                            .path_mtu = IBA_MTU_256,
                            .dest_qpn = PEER_QPN,
                            .rq_psn = EPSN,
                            .sq_psn = 7,
                            .max_dest_rd = N_SAVED,
                            .min_rnr = 13,
                            .timeout = 14,
                            .retry = 7,
                            .rnr_retry = 7,
                            .max_rd = 4,
                            .av = path_to_peer(b)};

    MUST(iba_modify_qp(&b->ca, qpn, &a, IBA_QPA_STATE | init));
    a.state = IBA_QPS_RTR;
    MUST(iba_modify_qp(&b->ca, qpn, &a,
                       IBA_QPA_STATE |
                           (connected ? IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN : 0) |
                           (rc ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0)));
    a.state = IBA_QPS_RTS;
    MUST(iba_modify_qp(&b->ca, qpn, &a,
                       IBA_QPA_STATE | (raw ? 0 : IBA_QPA_SQ_PSN) |
                           (rc ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0)));
}

static inline void make_qp(struct bed *b, struct iba_qp *qp, uint8_t type, uint32_t qpn, unsigned i, uint32_t srq)
{
    const bool shared = srq != IBA_NONE;
    const struct iba_qp_init init = {.type = type,
                                     .pd = b->pd,
                                     .send_cq = b->cq_number,
                                     .recv_cq = b->cq_number,
                                     .srq = srq,
                                     .qpn = qpn,
                                     .sq = b->sq[i],
                                     .rq = shared ? NULL : b->rq[i],
                                     .saved = b->saved,
                                     .n_sq = 4,
                                     .n_rq = shared ? 0 : N_RQ,
                                     .n_saved = type == IBA_QPT_RC ? N_SAVED : 0};
    uint32_t got;

    MUST(iba_create_qp(&b->ca, qp, &init, &got));
    to_rts(b, got, type);
}

static inline void set_port(struct bed *b, enum iba_port_kind kind)
{
    struct iba_port *p = iba_ca_port(&b->ca, 1);

    iba_port_init(p, 1, kind, IBA_MTU_4096, 0x020000000008);
    p->lid = kind == IBA_PORT_IB ? LID : 0;
    p->n_pkey = 4;
    p->pkey[1] = 0x8005;
}

/* Fills `b`. Its QPs are in RTS and have empty receive queues. If `shared`, the QP `rc` takes its receives from the
 * SRQ. */
static inline void bed_make(struct bed *b, enum iba_port_kind kind, bool shared)
{
    struct iba_ca_config cfg = {.n_port = 2,
                                .qp = b->qp_slot,
                                .cq = b->cq_slot,
                                .srq = b->srq_slot,
                                .ah = b->ah,
                                .mcast = b->mcast,
                                .key = b->key,
                                .pd = b->pd_slot,
                                .n_qp = 16,
                                .n_cq = 2,
                                .n_srq = 2,
                                .n_ah = 2,
                                .n_mcast = 4,
                                .n_key = 16,
                                .n_pd = 4,
                                .random = bed_random,
                                .event = bed_event,
                                .trace = record_rule,
                                .ctx = b};

    memset(b, 0, sizeof *b);
    b->present = 0xff;
    rnd_bytes(&b->seed, b->memory, sizeof b->memory);
    rnd_bytes(&b->seed, b->payload, sizeof b->payload);
    iba_ca_init(&b->ca, &cfg);
    iba_port_init(iba_ca_port(&b->ca, 2), 2, kind, IBA_MTU_4096, 0x020000000018);
    set_port(b, kind);
    MUST(iba_pd_create(&b->ca.mem, &b->pd));
    MUST(iba_pd_create(&b->ca.mem, &b->other_pd));
    MUST(iba_create_cq(&b->ca, &b->cq, b->ring, 32, &b->cq_number));
    MUST(iba_create_srq(&b->ca, &b->srq, b->srq_ring, N_RQ, b->pd, &b->srq_number));
    region(b, ALL_RIGHTS, b->pd, &b->lkey, &b->rkey);
    make_qp(b, &b->rc, IBA_QPT_RC, RC_QPN, 0, shared ? b->srq_number : IBA_NONE);
    make_qp(b, &b->uc, IBA_QPT_UC, UC_QPN, 1, shared ? b->srq_number : IBA_NONE);
    make_qp(b, &b->ud, IBA_QPT_UD, UD_QPN, 2, IBA_NONE);
    make_qp(b, &b->gsi, IBA_QPT_GSI, 1, 4, IBA_NONE);
    if (kind != IBA_PORT_IB)
        return;
    make_qp(b, &b->smi, IBA_QPT_SMI, 0, 3, IBA_NONE);
    make_qp(b, &b->raw, IBA_QPT_RAW_ETHERTYPE, RAW_QPN, 5, IBA_NONE);
}

/* Returns a receive with one buffer of `len` bytes at the start of the memory. */
static inline struct iba_recv_wr buffer(const struct bed *b, uint32_t len)
{
    return (struct iba_recv_wr){.wr_id = 77, .n_sge = 1, .sge = {{.addr = VA, .length = len, .lkey = b->lkey}}};
}

static inline void post(struct bed *b, uint32_t qpn, uint32_t len)
{
    const struct iba_recv_wr w = buffer(b, len);

    MUST(iba_post_recv(&b->ca, qpn, &w));
}

/* Makes the QP an XRC target, and puts the SRQ into an XRC domain: the target's, or another one. */
static inline void as_target(struct bed *b, bool other)
{
    uint32_t domain[2];

    MUST(iba_create_xrcd(&b->ca, &domain[0]));
    MUST(iba_create_xrcd(&b->ca, &domain[1]));
    b->rc.type = IBA_QPT_XRC_TGT;
    b->rc.pd = b->rc.recv_cq = b->rc.srq = IBA_NONE;
    b->rc.xrcd = domain[0];
    b->rc.rq.n = 0;
    b->srq.xrcd = domain[other];
    b->srq.cq = b->cq_number;
    iba_xrcd_hold(&b->ca, b->rc.xrcd);
    iba_xrcd_hold(&b->ca, b->srq.xrcd);
}

/* ---- packets of the peer ---- */
#define PART(b, h) iba_recipe_part(&(b)->r, IBA_H_##h)
#define HAS(b, h) (PART(b, h) != NULL)

static inline void address_ethernet(struct bed *b, const struct iba_av *av)
{
    iba_eth_set_dst(PART(b, eth), b->ca.port[0].mac);
    iba_eth_set_src(PART(b, eth), av->dmac);
    if (HAS(b, ipv4)) {
        iba_ipv4_set_src(PART(b, ipv4), iba_bits_get(av->dgid, 96, 32));
        iba_ipv4_set_dst(PART(b, ipv4), iba_bits_get(b->ca.port[0].gid[0], 96, 32));
    }
    if (HAS(b, ipv6)) {
        iba_ipv6_set_src(PART(b, ipv6), av->dgid);
        iba_ipv6_set_dst(PART(b, ipv6), b->ca.port[0].gid[0]);
    }
}

/* Begins a packet with the encapsulation `e` to `qpn`. The packet is correct; the test then makes it wrong. */
static inline void packet(struct bed *b, enum iba_encap e, uint8_t opcode, uint32_t qpn, uint32_t psn, size_t payload)
{
    const struct iba_av av = path_to_peer(b);
    uint8_t *p;

    iba_recipe_init(&b->r, e, opcode);
    b->r.payload = b->payload, b->r.payload_len = payload;
    if ((p = PART(b, lrh))) {
        iba_lrh_set_dlid(p, LID);
        iba_lrh_set_slid(p, PEER_LID);
        iba_lrh_set_vl(p, qpn == 0 ? 15 : 0);
    } else {
        address_ethernet(b, &av);
    }
    if ((p = PART(b, grh))) {
        iba_grh_set_sgid(p, av.dgid);
        iba_grh_set_dgid(p, b->ca.port[0].gid[0]);
    }
    p = PART(b, bth);
    iba_bth_set_destqp(p, qpn);
    iba_bth_set_psn(p, psn & IBA_PSN_MASK);
    iba_bth_set_p_key(p, 0xffff);
    iba_bth_set_m(p, 1);
    iba_bth_set_a(p, 1);
    if ((p = PART(b, reth))) {
        iba_reth_set_va(p, VA);
        iba_reth_set_r_key(p, b->rkey);
        iba_reth_set_dmalen(p, payload);
    }
    if ((p = PART(b, atomiceth))) {
        iba_atomiceth_set_va(p, VA);
        iba_atomiceth_set_r_key(p, b->rkey);
    }
    if ((p = PART(b, deth))) {
        iba_deth_set_q_key(p, qpn == 1 ? IBA_GSI_QKEY : QKEY);
        iba_deth_set_srcqp(p, PEER_QPN);
    }
    if ((p = PART(b, immdt)))
        iba_immdt_set_data(p, 0x01020304);
}

/* Builds a request over IB to the RC QP, whose PSN is `ahead` after the first one. */
static inline void ask(struct bed *b, uint8_t opcode, int ahead, size_t payload)
{
    packet(b, IBA_ENCAP_IB_LOCAL, opcode, RC_QPN, (uint32_t)(EPSN + ahead), payload);
}

/* Builds a raw packet, which has no BTH, from the peer to the port. */
static inline void raw_packet(struct bed *b, enum iba_encap e, size_t payload)
{
    iba_recipe_init(&b->r, e, 0);
    b->r.payload = b->payload, b->r.payload_len = payload;
    iba_lrh_set_dlid(PART(b, lrh), LID);
    iba_lrh_set_slid(PART(b, lrh), PEER_LID);
}

/* Gives the packet, whose IP header is of version 6, an IPv4 address as its source (RO-24). */
static inline void from_mapped_address(struct bed *b)
{
    uint8_t gid[16];

    iba_gid_set_ipv4(gid, 0x0a000001);
    iba_ipv6_set_src(PART(b, ipv6), gid);
}

/* Gives the packet to the adapter. The counters then count this packet only. */
static inline void send_as(struct bed *b, enum iba_link link)
{
    struct iba_view v;
    size_t len = built(&b->r, b->in, sizeof b->in);

    memset(b->ca.hits, 0, sizeof b->ca.hits);
    memset(b->events, 0, sizeof b->events);
    memset(&v, 0xee, sizeof v); /* the sanitizer notices reads of absent headers */
    iba_view_parse(&v, link, b->in, len, len, NULL);
    iba_view_check(&v);
    iba_ca_feed(&b->ca, 1, &v, b->ca.now);
}

static inline void give(struct bed *b)
{
    send_as(b, iba_port_link(iba_ca_port(&b->ca, 1)));
}

/* Calls `use` with every change of the table. */
static inline void each_changed_table(enum iba_rule_table t, uint16_t rows,
                                      void (*use)(const struct iba_rules *changed))
{
    struct iba_changed_rules c;

    for (uint16_t row = 0; row < rows; row++)
        for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++)
            for (uint16_t with = 0; iba_rules_change(&c, t, row, (enum iba_change_kind)kind, with); with++) {
                use(&c.rules);
                if (kind != IBA_CHANGE_OTHER)
                    break;
            }
}

/* Makes the adapter a device that lacks the row; `c` must live as long as it. */
static inline void lack(struct bed *b, enum iba_rule_table t, const char *row, struct iba_changed_rules *c)
{
    uint16_t i = 0;

    while (strcmp(b->ca.table[t]->row[i].name, row) != 0)
        i++;
    cr_assert(iba_rules_change(c, t, i, IBA_CHANGE_DROP, 0), "the row %s can be left out", row);
    iba_ca_set_rules(&b->ca, t, &c->rules);
}

/* Puts the next packet that the adapter sends into b->answer. */
static inline bool answer(struct bed *b)
{
    uint8_t next[IBA_TX_MOST];
    size_t len;

    memset(next, 0xee, sizeof next);
    MUST(iba_ca_poll(&b->ca, 1, next, sizeof next, &len, b->ca.now));
    b->answered = len > 0;
    if (b->answered) {
        memcpy(b->out, next, len);
        cr_assert_eq(look(&b->answer, iba_port_link(iba_ca_port(&b->ca, 1)), b->out, len, len), IBA_OK);
        expect_reserved_zero(&b->answer);
    }
    return b->answered;
}

static inline uint8_t answer_opcode(const struct bed *b)
{
    return iba_bth_opcode(iba_view_bth(&b->answer));
}

static inline uint32_t answer_psn(const struct bed *b)
{
    return iba_bth_psn(iba_view_bth(&b->answer));
}

static inline uint8_t answer_syndrome(const struct bed *b)
{
    return iba_view_hdr(&b->answer, IBA_H_aeth)[0];
}

static inline uint32_t answer_msn(const struct bed *b)
{
    return iba_aeth_msn(iba_view_hdr(&b->answer, IBA_H_aeth));
}

static inline const uint8_t *answer_data(const struct bed *b)
{
    return b->answer.wire + b->answer.payload_at;
}

/* ---- rows ---- */
static inline uint32_t hits(const struct bed *b, enum iba_rule_table t, const char *row)
{
    for (unsigned i = 0; i < b->ca.table[t]->n; i++)
        if (!strcmp(b->ca.table[t]->row[i].name, row))
            return b->ca.hits[t][b->ca.table[t]->row[i].hit];
    cr_assert(0, "no row %s", row);
    return 0;
}

static inline uint32_t all_hits(const struct bed *b, enum iba_rule_table t)
{
    uint32_t n = 0;

    for (unsigned i = 0; i < IBA_MAX_RULES; i++)
        n += b->ca.hits[t][i];
    return n;
}

static inline struct iba_wc completion(struct bed *b)
{
    struct iba_wc wc = {0};

    cr_assert_eq(iba_poll_cq(&b->ca, b->cq_number, &wc), 1, "there is a completion");
    return wc;
}

static inline bool no_completion(const struct bed *b)
{
    return b->cq.count == 0;
}
#endif
