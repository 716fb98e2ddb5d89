/* SPDX-License-Identifier: BSD-2-Clause */
/* One channel adapter with a region of memory and reliable connections, its arrays included: for the Python package.
 * The package keeps the structure, calls no function after it is freed, and passes only numbers that the functions
 * gave. */
#include <string.h>
#include <adapter/iba_ca.h>
#include <sim/iba_random.h>
#include <transport/iba_wr_ops.h>

enum { EN_QPS = 8, EN_DEPTH = 64, EN_SAVED = 16, EN_VA = 0x100000 };

struct engine {
    struct iba_ca ca;
    struct iba_random random;
    struct iba_qp *qps[2 * EN_QPS], qp[EN_QPS];
    struct iba_cq *cqs[2], cq;
    struct iba_mkey keys[8];
    uint32_t pds[2], pd, cqn, lkey, rkey, n_qp;
    struct iba_wc wc[2 * EN_QPS * EN_DEPTH];
    struct iba_sqe sq[EN_QPS][EN_DEPTH];
    struct iba_recv_wr rq[EN_QPS][EN_DEPTH];
    struct iba_saved saved[EN_QPS][EN_SAVED];
};

static uint64_t engine_entropy(void *ctx)
{
    return iba_random_next(&((struct engine *)ctx)->random);
}

/* 0, or an enum iba_verb_err or iba_mem_err of the first call that failed. */
static int engine_open(struct engine *e, uint64_t seed, uint64_t mac, const uint8_t *gid, uint8_t *memory,
                       uint64_t size)
{
    const struct iba_ca_config cfg = {.n_port = 1,
                                      .qp = e->qps,
                                      .cq = e->cqs,
                                      .key = e->keys,
                                      .pd = e->pds,
                                      .n_qp = 2 * EN_QPS,
                                      .n_cq = 2,
                                      .n_key = 8,
                                      .n_pd = 2,
                                      .random = engine_entropy,
                                      .ctx = e};
    struct iba_mr_attr attr = {.base = memory,
                               .length = size,
                               .iova = EN_VA,
                               .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ |
                                         IBA_ACCESS_REMOTE_ATOMIC};
    int error;

    iba_random_seed(&e->random, seed);
    iba_ca_init(&e->ca, &cfg);
    iba_port_init(iba_ca_port(&e->ca, 1), 1, IBA_PORT_ROCE2, IBA_MTU_4096, mac);
    memcpy(iba_ca_port(&e->ca, 1)->gid[0], gid, 16);
    error = (int)iba_pd_create(&e->ca.mem, &e->pd);
    attr.pd = e->pd;
    if (error == 0)
        error = (int)iba_mr_register(&e->ca.mem, &attr, &e->lkey, &e->rkey);
    return error ? error : (int)iba_create_cq(&e->ca, &e->cq, e->wc, 2 * EN_QPS * EN_DEPTH, &e->cqn);
}

static int engine_create_qp(struct engine *e, uint32_t *qpn)
{
    const uint32_t n = e->n_qp;
    struct iba_qp_init init = {.type = IBA_QPT_RC,
                               .pd = e->pd,
                               .send_cq = e->cqn,
                               .recv_cq = e->cqn,
                               .srq = IBA_NONE,
                               .n_sq = EN_DEPTH,
                               .n_rq = EN_DEPTH,
                               .n_saved = EN_SAVED};
    int error;

    if (n == EN_QPS)
        return IBA_VERB_FULL;
    init.sq = e->sq[n];
    init.rq = e->rq[n];
    init.saved = e->saved[n];
    error = (int)iba_create_qp(&e->ca, &e->qp[n], &init, qpn);
    e->n_qp += error == 0;
    return error;
}

/* Takes a QP from Reset to Ready to Send. */
static int engine_connect(struct engine *e, uint32_t qpn, uint64_t mac, const uint8_t *gid, uint32_t peer, uint32_t psn,
                          uint32_t epsn, int pmtu, int timeout, int retry)
{
    struct iba_qp_attr a = {.access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC,
                            .port = 1,
                            .timeout = (uint8_t)timeout,
                            .retry = (uint8_t)retry,
                            .rnr_retry = 7,
                            .min_rnr = 12,
                            .max_rd = 8,
                            .max_dest_rd = 8,
                            .dest_qpn = peer,
                            .rq_psn = epsn,
                            .sq_psn = psn,
                            .av = {.dmac = mac, .vlan = 0xffff, .hop_limit = 64, .port = 1, .grh = true}};
    int error = 0;

    memcpy(a.av.dgid, gid, 16);
    a.path_mtu = iba_mtu_code((uint64_t)pmtu);
    for (unsigned from = IBA_QPS_RESET; error == 0 && from < IBA_QPS_RTS; from++) {
        a.state = (uint8_t)(from + 1);
        error =
            (int)iba_modify_qp(&e->ca, qpn, &a, IBA_QPA_STATE | iba_qp_required(IBA_QPT_RC, (uint8_t)from, a.state));
    }
    return error;
}

static int engine_send(struct engine *e, uint32_t qpn, int op, uint64_t id, uint64_t at, uint32_t length, uint64_t va,
                       uint32_t rkey, uint64_t compare_add, uint64_t swap, uint32_t imm)
{
    struct iba_send_wr wr = {.wr_id = id,
                             .op = (uint8_t)op,
                             .flags = IBA_WR_SIGNALED,
                             .n_sge = 1,
                             .imm_or_key = imm,
                             .sge = {{at, length, e->lkey}}};

    wr.va = va;
    wr.rkey = rkey;
    if (op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD) {
        wr.compare_add = compare_add;
        wr.swap = swap;
    }
    return (int)iba_post_send(&e->ca, qpn, &wr);
}

static int engine_receive(struct engine *e, uint32_t qpn, uint64_t id, uint64_t at, uint32_t length)
{
    const struct iba_recv_wr wr = {.wr_id = id, .n_sge = 1, .sge = {{at, length, e->lkey}}};

    return (int)iba_post_recv(&e->ca, qpn, &wr);
}

/* A frame that arrived; false: it is none that can be parsed. */
static bool engine_feed(struct engine *e, const uint8_t *frame, size_t n, uint64_t now)
{
    struct iba_view v;

    if (iba_view_parse(&v, IBA_LINK_ETHERNET, frame, n, n, NULL) != IBA_OK)
        return false;
    iba_view_check(&v);
    iba_ca_feed(&e->ca, 1, &v, now);
    return true;
}

static void engine_advance(struct engine *e, uint64_t now)
{
    iba_ca_advance(&e->ca, now);
}

/* Length of the next frame to send; 0: none. `frame` has EN_FRAME bytes. */
enum { EN_FRAME = IBA_TX_MOST };
static size_t engine_next(struct engine *e, uint8_t *frame, uint64_t now)
{
    size_t n = 0;

    return iba_ca_poll(&e->ca, 1, frame, IBA_TX_MOST, &n, now) == IBA_OK ? n : 0;
}

static uint64_t engine_deadline(const struct engine *e)
{
    return iba_ca_deadline(&e->ca);
}

static bool engine_poll(struct engine *e, struct iba_wc *wc)
{
    return iba_poll_cq(&e->ca, e->cqn, wc) > 0;
}

static const char *engine_error(int error)
{
    return iba_verb_strerror((enum iba_verb_err)error);
}

static const char *engine_status(int status)
{
    return iba_wc_status_name((enum iba_wc_status)status);
}
