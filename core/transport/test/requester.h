/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of the requester: an adapter with one QP. The test itself is the peer. */
#ifndef REQUESTER_TEST_H
#define REQUESTER_TEST_H
#include <criterion/criterion.h>
#include <stdio.h>
#include "adapter/iba_ca.h"
#include "test/recorder.h"
#include "test/reserved.h"
#include "transport/iba_requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum {
    QPN = 0x102,
    PEER = 0x345,
    QKEY = 0x1234,
    N_SQ = 256,
    N_CQ = 600,
    N_QP = 4,
    N_KEY = 16,
    MEMORY = 1 << 18,
    IOVA = 1 << 20,
    CHUNK = 1 << 16, /* message n of a test lies at IOVA + n * CHUNK where that matters */
};

struct bench {
    struct iba_ca ca;
    struct iba_qp *qps[N_QP], qp_room;
    struct iba_cq *cqs[2], cq;
    struct iba_ah ah[2];
    struct iba_mkey key[N_KEY];
    uint32_t pds[2], pd, lkey, rkey, cqn;
    struct iba_sqe sq[N_SQ];
    struct iba_recv_wr rq[4];
    struct iba_saved saved[4];
    struct iba_wc ring[N_CQ];
    uint8_t memory[MEMORY];
    iba_time now;
    uint64_t seed;
    struct iba_qp *qp;
    unsigned events[32]; /* by enum iba_event_kind */
    /* the last packet sent */
    uint8_t frame[IBA_TX_MOST];
    struct iba_view v;
    const uint8_t *bth;
    /* the last response */
    uint8_t answer[IBA_TX_MOST];
    const char *row;
};
static struct bench b;

static inline uint64_t bench_random(void *ctx)
{
    (void)ctx;
    return b.seed = b.seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
}
static inline void bench_event(void *ctx, const struct iba_event *e)
{
    (void)ctx;
    b.events[e->kind]++;
}
static inline void bench_trace(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn)
{
    record_rule(ctx, table, r, qpn);
    b.row = r->name;
}

struct setup {
    uint8_t type, mtu, timeout, retry, rnr_retry, max_rd;
    uint32_t psn;
    bool flow_control, sig_all;
};

static inline void modify(uint8_t state, const struct iba_qp_attr *a, uint32_t mask)
{
    struct iba_qp_attr copy = *a;
    copy.state = state;
    cr_assert_eq(iba_modify_qp(&b.ca, b.qp->qpn, &copy, mask | IBA_QPA_STATE), IBA_VERB_OK, "to state %d", state);
}

static inline struct iba_av bench_av(void)
{
    struct iba_av av = {
        .port = 1, .grh = true, .hop_limit = 64, .dmac = 0x020000000002, .vlan = 0xffff, .udp_source = 0xc000};
    memcpy(av.dgid, "\xfe\x80\0\0\0\0\0\0\0\0\0\xff\xfe\0\0\2", 16);
    return av;
}

static inline void to_rts(const struct setup *s)
{
    const bool ud = s->type == IBA_QPT_UD, rc = s->type == IBA_QPT_RC;
    const struct iba_qp_attr a = {.port = 1,
                                  .access = IBA_ACCESS_REMOTE_WRITE,
                                  .qkey = QKEY,
                                  .path_mtu = s->mtu,
                                  .dest_qpn = PEER,
                                  .rq_psn = 7,
                                  .sq_psn = s->psn,
                                  .timeout = s->timeout,
                                  .retry = s->retry,
                                  .rnr_retry = s->rnr_retry,
                                  .max_rd = s->max_rd,
                                  .max_dest_rd = 4,
                                  .flow_control = s->flow_control,
                                  .av = bench_av()};

    modify(IBA_QPS_INIT, &a, IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | (ud ? IBA_QPA_QKEY : IBA_QPA_ACCESS));
    modify(IBA_QPS_RTR, &a,
           ud ? 0
              : IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN |
                    (rc ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0));
    modify(IBA_QPS_RTS, &a,
           IBA_QPA_SQ_PSN | (rc ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0));
}

/* Creates a QP in RTS, and a region over b.memory. */
static inline void start(struct setup s)
{
    const struct iba_ca_config cfg = {.n_port = 1,
                                      .qp = b.qps,
                                      .cq = b.cqs,
                                      .ah = b.ah,
                                      .key = b.key,
                                      .pd = b.pds,
                                      .n_qp = N_QP,
                                      .n_cq = 2,
                                      .n_ah = 2,
                                      .n_key = N_KEY,
                                      .n_pd = 2,
                                      .random = bench_random,
                                      .event = bench_event,
                                      .trace = bench_trace};
    struct iba_mr_attr mr = {.base = b.memory,
                             .length = MEMORY,
                             .iova = IOVA,
                             .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_MW_BIND | IBA_ACCESS_REMOTE_WRITE};
    struct iba_qp_init init = {.type = s.type,
                               .sq_sig_all = s.sig_all,
                               .srq = IBA_NONE,
                               .qpn = QPN,
                               .sq = b.sq,
                               .rq = b.rq,
                               .saved = b.saved,
                               .n_sq = N_SQ,
                               .n_rq = 4,
                               .n_saved = 4};
    uint32_t qpn;

    memset(&b, 0, sizeof b);
    b.seed = 1;
    b.now = 1000;
    iba_ca_init(&b.ca, &cfg);
    iba_port_init(iba_ca_port(&b.ca, 1), 1, IBA_PORT_ROCE2, IBA_MTU_4096, 0x020000000001);
    cr_assert_eq(iba_pd_create(&b.ca.mem, &b.pd), IBA_MEM_OK);
    mr.pd = b.pd;
    cr_assert_eq(iba_mr_register(&b.ca.mem, &mr, &b.lkey, &b.rkey), IBA_MEM_OK);
    cr_assert_eq(iba_create_cq(&b.ca, &b.cq, b.ring, N_CQ, &b.cqn), IBA_VERB_OK);
    init.pd = b.pd;
    init.send_cq = init.recv_cq = b.cqn;
    cr_assert_eq(iba_create_qp(&b.ca, &b.qp_room, &init, &qpn), IBA_VERB_OK);
    b.qp = &b.qp_room;
    to_rts(&s);
    for (size_t i = 0; i < MEMORY; i++)
        b.memory[i] = (uint8_t)(i * 7 + (i >> 8));
}

/* start() with defaults, except for the fields of s that `...` sets. */
#define START(type_, ...)                                                                                              \
    do {                                                                                                               \
        struct setup s = {.type = (uint8_t)(type_),                                                                    \
                          .mtu = IBA_MTU_1024,                                                                         \
                          .timeout = 14,                                                                               \
                          .retry = 7,                                                                                  \
                          .rnr_retry = 7,                                                                              \
                          .max_rd = 4,                                                                                 \
                          .psn = 100,                                                                                  \
                          .sig_all = true};                                                                            \
        __VA_ARGS__;                                                                                                   \
        start(s);                                                                                                      \
    } while (0)

/* ---- work ---- */
static inline struct iba_send_wr wr_of(enum iba_wr_op op, uint64_t id, uint32_t len)
{
    struct iba_send_wr w = {.wr_id = id, .op = (uint8_t)op, .imm_or_key = 0x01020304};

    if (op >= IBA_WR_WRITE && op <= IBA_WR_ATOMIC_WRITE)
        w.va = 0x7000, w.rkey = 0xabcd;
    if (op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD)
        w.compare_add = 11, w.swap = 22;
    if (op == IBA_WR_FLUSH)
        w.flush_placement = 1;
    if (op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD || op == IBA_WR_ATOMIC_WRITE)
        len = 8;
    w.n_sge = len > 0 || op == IBA_WR_FLUSH;
    w.sge[0] = (struct iba_sge){.addr = IOVA, .length = len, .lkey = b.lkey};
    return w;
}
static inline void post_wr(const struct iba_send_wr *w)
{
    cr_assert_eq(iba_post_send(&b.ca, b.qp->qpn, w), IBA_VERB_OK, "wr %d", (int)w->wr_id);
}
static inline void post(enum iba_wr_op op, uint64_t id, uint32_t len)
{
    const struct iba_send_wr w = wr_of(op, id, len);
    post_wr(&w);
}

/* ---- packets ---- */
/* Takes and parses the next packet that the adapter sends. Returns false if there is none. */
static inline bool sends(void)
{
    size_t len;

    memset(b.frame, 0xee, sizeof b.frame);
    cr_assert_eq(iba_ca_poll(&b.ca, 1, b.frame, sizeof b.frame, &len, b.now), IBA_OK);
    if (len == 0)
        return false;
    cr_assert_eq(iba_view_parse(&b.v, IBA_LINK_ETHERNET, b.frame, len, len, NULL), IBA_OK);
    iba_view_check(&b.v);
    cr_assert_eq(b.v.icrc, IBA_CHECK_GOOD);
    expect_reserved_zero(&b.v);
    b.bth = iba_view_bth(&b.v);
    return true;
}
/* Expects that the next packet has this opcode and PSN. */
#define EXPECT_SENT(opcode_, psn_)                                                                                     \
    do {                                                                                                               \
        cr_assert(sends(), "nothing sent");                                                                            \
        cr_assert_eq(iba_bth_opcode(b.bth), (opcode_), "opcode 0x%02x", iba_bth_opcode(b.bth));                        \
        cr_assert_eq(iba_bth_psn(b.bth), (uint32_t)(psn_), "PSN %u", iba_bth_psn(b.bth));                              \
    } while (0)
#define EXPECT_SILENCE() cr_assert_not(sends(), "opcode 0x%02x PSN %u", iba_bth_opcode(b.bth), iba_bth_psn(b.bth))
static inline unsigned sends_all(void)
{
    unsigned n = 0;
    while (sends())
        n++;
    return n;
}
static inline const uint8_t *sent(enum iba_hdr h)
{
    cr_assert(iba_view_has(&b.v, h));
    return iba_view_hdr(&b.v, h);
}

/* A response that the test gives to the completer's table directly, with the headers of its opcode. */
struct response {
    uint8_t opcode, syndrome;
    uint32_t psn, msn;
    const uint8_t *payload;
    size_t len;
    uint64_t value; /* ATOMIC */
};
static inline void respond(struct response r)
{
    struct iba_recipe recipe;
    struct iba_view v;
    size_t len;

    iba_recipe_init(&recipe, IBA_ENCAP_ROCE2_V6, r.opcode);
    iba_bth_set_psn(iba_recipe_part(&recipe, IBA_H_bth), r.psn);
    iba_bth_set_destqp(iba_recipe_part(&recipe, IBA_H_bth), QPN);
    if (iba_recipe_part(&recipe, IBA_H_aeth)) {
        iba_recipe_part(&recipe, IBA_H_aeth)[0] = r.syndrome;
        iba_aeth_set_msn(iba_recipe_part(&recipe, IBA_H_aeth), r.msn);
    }
    if (iba_recipe_part(&recipe, IBA_H_atomicacketh))
        iba_atomicacketh_set_origremdt(iba_recipe_part(&recipe, IBA_H_atomicacketh), r.value);
    recipe.payload = r.payload;
    recipe.payload_len = r.len;
    cr_assert_eq(iba_build(&recipe, b.answer, sizeof b.answer, &len), IBA_OK);
    iba_view_parse(&v, IBA_LINK_ETHERNET, b.answer, len, len, NULL);
    b.row = "none";
    struct iba_rx x = {.ca = &b.ca,
                       .port = iba_ca_port(&b.ca, 1),
                       .qp = b.qp,
                       .v = &v,
                       .bth = iba_view_bth(&v),
                       .op = v.op,
                       .operation = v.op->operation,
                       .now = b.now,
                       .psn = iba_psn_of(r.psn)};
    iba_rules_apply(&x, IBA_TABLE_RC_COMPLETER);
    iba_ca_check(&b.ca);
}
static inline void ack(uint32_t psn)
{
    respond((struct response){.opcode = IBA_RC_ACKNOWLEDGE, .syndrome = 0x1f, .psn = psn});
}
static inline void nak(uint8_t syndrome, uint32_t psn)
{
    respond((struct response){.opcode = IBA_RC_ACKNOWLEDGE, .syndrome = syndrome, .psn = psn});
}
static inline void data(enum iba_op opcode, uint32_t psn, const uint8_t *payload, size_t len)
{
    respond((struct response){.opcode = (uint8_t)opcode, .syndrome = 0x1f, .psn = psn, .payload = payload, .len = len});
}
/* Returns how often the completer's row with that name was hit. */
static inline uint32_t hits(const char *name)
{
    const struct iba_rules *t = &iba_rc_completer_rules;
    for (unsigned i = 0; i < t->n; i++)
        if (strcmp(t->row[i].name, name) == 0)
            return b.ca.hits[IBA_TABLE_RC_COMPLETER][t->row[i].hit];
    cr_assert(0, "no row %s", name);
    return 0;
}
/* Expects that the last response hit this row, and that the row was hit n times. */
#define EXPECT_ROW(name_, n_)                                                                                          \
    do {                                                                                                               \
        cr_assert_str_eq(b.row, name_);                                                                                \
        cr_assert_eq(hits(name_), (n_));                                                                               \
    } while (0)

/* ---- completions and time ---- */
#define EXPECT_WC(id_, status_)                                                                                        \
    do {                                                                                                               \
        struct iba_wc wc_;                                                                                             \
        cr_assert_eq(iba_poll_cq(&b.ca, b.cqn, &wc_), 1, "no completion");                                             \
        cr_assert_eq(wc_.wr_id, (uint64_t)(id_), "of %d", (int)wc_.wr_id);                                             \
        cr_assert_eq(wc_.status, (status_), "%s", iba_wc_status_name((enum iba_wc_status)wc_.status));                 \
    } while (0)
static inline bool no_wc(void)
{
    struct iba_wc wc;
    return iba_poll_cq(&b.ca, b.cqn, &wc) == 0;
}
static inline void wait_until(iba_time t)
{
    b.now = t;
    iba_ca_advance(&b.ca, t);
}
#endif
