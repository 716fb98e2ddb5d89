/* SPDX-License-Identifier: BSD-2-Clause */
#include "world.h"
#include <string.h>
#include "adapter/test/ends.h"
#include "test/recorder.h"

enum { GUARD = 0xa5, PLAIN = 0x5a };
enum { VLAN = 5 };

enum iba_qp_type world_type(const struct world *w, unsigned qp)
{
    static const uint8_t type[WORLD_QPS] = {IBA_QPT_RC,  IBA_QPT_RC,  IBA_QPT_UC,       IBA_QPT_UD,
                                            IBA_QPT_GSI, IBA_QPT_SMI, IBA_QPT_RAW_IPV6, IBA_QPT_RAW_ETHERTYPE};

    if (w->head[1] & WORLD_RD && qp % WORLD_QPS == WORLD_CONTEXT)
        return IBA_QPT_EE;
    if (w->head[1] & WORLD_RD && (qp % WORLD_QPS == WORLD_RD_QP || qp % WORLD_QPS == WORLD_RD_OTHER))
        return IBA_QPT_RD;
    return (enum iba_qp_type)type[qp % WORLD_QPS];
}

void world_to_rd(const struct world *w, struct iba_send_wr *wr, const struct world_end *from,
                 const struct world_end *to)
{
    if (world_type(w, 0) != IBA_QPT_RD)
        return;
    wr->rd.eecn = from->qp[WORLD_CONTEXT].qpn;
    wr->rd.remote_qpn = to->qp[0].qpn;
    wr->rd.remote_qkey = WORLD_QKEY;
}

static uint64_t entropy(void *ctx)
{
    return iba_random_next(&((struct world *)ctx)->random);
}

static void on_event(void *ctx, const struct iba_event *e)
{
    (void)ctx;
    fuzz_note((uint64_t)e->kind << 32 | e->object);
}

static void on_rule(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn)
{
    if (fuzz_recording())
        record_rule(ctx, table, r, qpn);
}

static void record_memory(const struct iba_mem *m)
{
    for (size_t i = 0; i < iba_mem_rule_count; i++)
        if (m->hits[i])
            record_hit(RECORDER_MEMORY, iba_mem_rules[i].name);
}

/* Returns the LMC of the ports: the number of low bits of a LID that may have any value. */
static uint8_t lmc_of(const struct world *w)
{
    return w->kind == IBA_PORT_IB ? w->head[5] >> 6 : 0;
}

uint16_t world_lid(const struct world *w, unsigned end)
{
    return (uint16_t)((end + 1) << (lmc_of(w) ? WORLD_LMC_ROOM : 0));
}

struct iba_av world_av(const struct world *w, unsigned from)
{
    struct iba_av av = {.port = 1,
                        .grh = w->kind != IBA_PORT_IB || (w->head[7] & WORLD_WITH_GRH),
                        .dlid = world_lid(w, 1 - from),
                        .vlan = w->head[6] & WORLD_WITH_VLAN ? VLAN : 0xffff,
                        .hop_limit = 64,
                        .dmac = WORLD_MAC + 1 - from};

    end_gid(w->kind, w->v6, 1 - from, av.dgid);
    return av;
}

/* ---- QPs ---- */

struct iba_qp_init world_init(struct world *w, unsigned end, unsigned i)
{
    struct world_end *e = &w->end[end];
    struct world_qp *q = &e->qp[i];
    const enum iba_qp_type type = world_type(w, i);

    return (struct iba_qp_init){.type = (uint8_t)type,
                                .pd = e->pd[0],
                                .send_cq = e->cqn[0],
                                .recv_cq = e->cqn[1],
                                .srq = i == 1 ? e->srqn : IBA_NONE,
                                .qpn = type == IBA_QPT_GSI || type == IBA_QPT_SMI ? 0 : 0x10 + i,
                                .sq = q->sq,
                                .rq = q->rq,
                                .saved = q->saved,
                                .n_sq = type == IBA_QPT_EE ? 1 : WORLD_DEPTH,
                                .n_rq = i == 1 ? 0 : WORLD_DEPTH,
                                .n_saved = WORLD_SAVED};
}

static void make_qp(struct world *w, unsigned end, unsigned i)
{
    struct world_end *e = &w->end[end];
    struct world_qp *q = &e->qp[i];
    const struct iba_qp_init init = world_init(w, end, i);

    q->alive = iba_create_qp(&e->ca, &q->qp, &init, &q->qpn) == IBA_VERB_OK;
}

static struct iba_qp_attr attributes(const struct world *w, unsigned end, unsigned i)
{
    const uint8_t *h = w->head;
    const uint32_t psn = h[2] | (uint32_t)h[3] << 8 | (uint32_t)h[4] << 16;

    return (struct iba_qp_attr){.port = 1,
                                .qkey = WORLD_QKEY,
                                .access = (uint16_t)(IBA_ACCESS_REMOTE & ~(h[7] & WORLD_FEW_RIGHTS ? h[7] << 1 : 0)),
                                .path_mtu = (uint8_t)(IBA_MTU_256 + (h[1] & 3) % 3),
                                .flow_control = (h[1] & 4) != 0,
                                .dest_qpn = 0x10 + i,
                                .rq_psn = psn,
                                .sq_psn = psn,
                                .timeout = h[7] & 31,
                                .retry = h[5] & 7,
                                .rnr_retry = h[5] >> 3 & 7,
                                .min_rnr = h[7] & 31,
                                .max_rd = (uint8_t)((h[6] & 3) % (WORLD_SAVED + 1)),
                                .max_dest_rd = (uint8_t)((h[6] >> 2 & 3) % (WORLD_SAVED + 1)),
                                .path_mig = IBA_PATH_REARM,
                                .alt_av = world_av(w, end),
                                .av = world_av(w, end)};
}

void world_connect(struct world *w, unsigned end, unsigned i)
{
    struct world_end *e = &w->end[end];
    struct iba_qp_attr a = attributes(w, end, i);
    const enum iba_qp_type type = e->qp[i].alive ? (enum iba_qp_type)e->qp[i].qp.type : world_type(w, i);
    const bool raw = type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE, rc = type == IBA_QPT_RC;
    const bool manages = type == IBA_QPT_SMI || type == IBA_QPT_GSI, connected = rc || type == IBA_QPT_UC;
    const bool ee = type == IBA_QPT_EE, rd = type == IBA_QPT_RD;
    uint32_t mask[3] = {raw || rd ? 0 : IBA_QPA_PKEY_INDEX, 0, raw || rd ? 0 : IBA_QPA_SQ_PSN};

    if (!e->qp[i].alive)
        make_qp(w, end, i);
    if (!e->qp[i].alive)
        return;
    mask[0] |= (manages ? 0 : IBA_QPA_PORT) | (connected ? IBA_QPA_ACCESS : raw || ee ? 0 : IBA_QPA_QKEY);
    mask[0] |= rd ? IBA_QPA_ACCESS : 0;
    mask[1] |= connected || ee ? IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN : 0;
    mask[1] |= rc ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0;
    mask[2] |= rc ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0;
    mask[1] |= rd ? IBA_QPA_MIN_RNR : ee ? IBA_QPA_MAX_DEST_RD : 0;
    mask[2] |= rd ? IBA_QPA_RNR_RETRY : ee ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_MAX_RD : 0;
    if (connected && (w->head[6] & WORLD_ARMED))
        mask[2] |= IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG;
    const unsigned not_far = (w->head[6] / WORLD_NOT_FAR & 3u) % 3;
    for (unsigned k = 0; k < 3 && k + not_far < 3; k++) {
        a.state = (uint8_t)(IBA_QPS_INIT + k);
        fuzz_note(iba_modify_qp(&e->ca, e->qp[i].qpn, &a, mask[k] | IBA_QPA_STATE));
    }
}

/* ---- memory ---- */

static void make_region(struct world_end *e, unsigned i)
{
    static const uint16_t access[WORLD_SPARE] = {
        IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_MW_BIND | IBA_ACCESS_INVALIDATE, IBA_ACCESS_REMOTE_READ,
        IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_ON_DEMAND};
    struct world_region *r = &e->region[i];
    const struct iba_mr_attr a = {.base = r->bytes,
                                  .length = WORLD_BYTES,
                                  .iova = WORLD_VA * (i + 1),
                                  .pd = e->pd[0],
                                  .access = access[i],
                                  .present = i == WORLD_ON_DEMAND ? &e->present : NULL};

    r->va = a.iova;
    FUZZ_CHECK(iba_mr_register(&e->ca.mem, &a, &r->lkey, &r->rkey) == IBA_MEM_OK);
}

/* With a sanitizer reads and writes of a guard are detected, without one only writes. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(POISONED)
#include <sanitizer/asan_interface.h>
enum { GUARDS_ARE_SEEN = true };
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
enum { GUARDS_ARE_SEEN = false };
#endif

static void clear_regions(struct world_end *e)
{
    for (unsigned i = 0; i < WORLD_REGIONS; i++) {
        struct world_region *r = &e->region[i];
        ASAN_UNPOISON_MEMORY_REGION(r, sizeof *r);
        memset(r->before, GUARD, sizeof r->before);
        memset(r->bytes, PLAIN, sizeof r->bytes);
        memset(r->after, GUARD, sizeof r->after);
        ASAN_POISON_MEMORY_REGION(r->before, sizeof r->before);
        ASAN_POISON_MEMORY_REGION(r->after, sizeof r->after);
        r->lkey = r->rkey = 0;
        r->va = WORLD_VA * (i + 1);
    }
}

/* ---- all of it ---- */

static void open_port(struct world *w, unsigned end, uint8_t number)
{
    struct iba_port *port = iba_ca_port(&w->end[end].ca, number);

    iba_port_init(port, number, w->kind, IBA_MTU_1024, WORLD_MAC + end);
    end_gid(w->kind, w->v6, end, port->gid[0]);
    memcpy(port->gid[1], port->gid[0], sizeof port->gid[0]);
    port->gid[1][0] ^= 0x20; /* the GID is of another subnet, or, with RoCEv2 over IPv4, an IPv6 address */
    port->n_gid = 2;
    port->n_pkey = 3;
    port->lid = w->kind == IBA_PORT_IB ? world_lid(w, end) : 0;
    port->lmc = lmc_of(w);
    port->congestion = (w->head[1] & 8) != 0;
}

static void open_end(struct world *w, unsigned end)
{
    struct world_end *e = &w->end[end];
    const struct iba_ca_config cfg = {IBA_CA_TABLES(e),  .n_port = 2,      .random = entropy,
                                      .event = on_event, .trace = on_rule, .ctx = w};
    const struct iba_av av = world_av(w, end);
    uint32_t ah;

    iba_ca_init(&e->ca, &cfg);
    iba_ca_change(&e->ca, w->device.change);
    if (w->device.rules)
        iba_ca_set_rules(&e->ca, w->device.table, w->device.rules);
    e->ca.ack_delay = w->head[1] >> 4 & 7;
    open_port(w, end, 1);
    open_port(w, end, 2); /* a second port, which no QP uses */
    for (unsigned i = 0; i < WORLD_PDS; i++)
        FUZZ_CHECK(iba_pd_create(&e->ca.mem, &e->pd[i]) == IBA_MEM_OK);
    for (unsigned i = 0; i < WORLD_CQS; i++)
        FUZZ_CHECK(iba_create_cq(&e->ca, &e->cq[i], e->ring[i], WORLD_CQ_ROOM, &e->cqn[i]) == IBA_VERB_OK);
    FUZZ_CHECK(iba_create_srq(&e->ca, &e->srq, e->srq_ring, WORLD_DEPTH, e->pd[0], &e->srqn) == IBA_VERB_OK);
    FUZZ_CHECK(iba_create_ah(&e->ca, e->pd[0], &av, &ah) == IBA_VERB_OK);
    e->present = 0xff;
    e->checked.done = false;
    clear_regions(e);
    for (unsigned i = 0; i < WORLD_SPARE; i++)
        make_region(e, i);
    for (unsigned i = 0; i < WORLD_QPS; i++)
        e->qp[i].alive = false;
    for (unsigned i = 0; i < WORLD_QPS; i++)
        world_connect(w, end, i);
    memset(e->window, 0, sizeof e->window);
    for (unsigned i = 0; i < WORLD_WINDOWS; i++)
        (void)iba_mw_alloc(&e->ca.mem, i ? IBA_MEM_MW2B : IBA_MEM_MW1, e->pd[0], &e->window[i]);
}

static bool is_whole(const struct world *w)
{
    return !w->device.change && !w->device.rules;
}

struct world *world_open(struct fuzz_in *in, unsigned ends)
{
    return world_open_as(in, ends, NULL);
}

struct world *world_open_as(struct fuzz_in *in, unsigned ends, const struct world_device *d)
{
    static const uint8_t kind[] = {IBA_PORT_ROCE2, IBA_PORT_ROCE2, IBA_PORT_ROCE1, IBA_PORT_IB};
    static struct world world;
    struct world *w = &world;

    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        w->head[i] = fuzz_u8(in);
    iba_random_seed(&w->random, w->head[0]);
    w->ends = ends;
    w->kind = (enum iba_port_kind)kind[w->head[0] % 4];
    w->v6 = w->head[0] % 4 == 1;
    w->link = w->kind == IBA_PORT_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    w->now = 0;
    w->device = d ? *d : (struct world_device){.change = NULL};
    for (unsigned i = 0; i < ends; i++)
        open_end(w, i);
    world_log_begin(w);
    return w;
}

static bool all(const uint8_t *p, size_t n, uint8_t what)
{
    return p[0] == what && memcmp(p, p + 1, n - 1) == 0;
}

static bool same(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n) == 0;
}

/* iba_ca_check(). Invariants of the key table depend only on its bytes: if these are unchanged, the invariants still
 * hold. */
static void check_invariants(struct world_end *e)
{
    if (!e->checked.done || !same(e->checked.keys, e->keys, sizeof e->keys) ||
        !same(e->checked.pds, e->pds, sizeof e->pds)) {
        iba_mem_check(&e->ca.mem);
        memcpy(e->checked.keys, e->keys, sizeof e->keys);
        memcpy(e->checked.pds, e->pds, sizeof e->pds);
        e->checked.done = true;
    }
    iba_ca_check_queues(&e->ca);
}

void world_check(struct world *w)
{
    for (unsigned i = 0; i < w->ends; i++) {
        struct world_end *e = &w->end[i];
        if (is_whole(w))
            check_invariants(e);
        if (fuzz_recording())
            record_memory(&e->ca.mem);
        for (unsigned k = 0; k < WORLD_REGIONS && !GUARDS_ARE_SEEN; k++)
            FUZZ_CHECK(all(e->region[k].before, WORLD_GUARD, GUARD) && all(e->region[k].after, WORLD_GUARD, GUARD));
    }
}

void world_close(const struct world *w)
{
    for (unsigned i = 0; i < w->ends; i++)
        for (unsigned k = 0; k < WORLD_REGIONS; k++)
            fuzz_note_bytes(w->end[i].region[k].bytes, WORLD_BYTES);
    for (unsigned i = 0; i < w->ends; i++)
        FUZZ_CHECK(!is_whole(w) || all(w->end[i].region[WORLD_READ_ONLY].bytes, WORLD_BYTES, PLAIN));
}
