/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs of broken devices: a change of any row of the lists of transitions, attributes, objects, queues and memory
 * makes a different device. Random verbs show the difference, and that no change does harm. */
#include "fabric/deviations_port.h"
#include "memory/deviations_memory.h"
#include "transport/deviations_qp.h"
#include "transport/iba_wr_ops.h"
#include "verbs.h"

enum { STEPS = 3000, SEEDS = 800, REGION = 4096, KEYS = 3, LITTLE = 3 };

static struct desk *d;
static struct iba_random dice; /* the device has random numbers of its own */
static uint64_t trace;
static uint32_t lkey[KEYS], rkey[KEYS], window[KEYS]; /* the keys given most recently */
static uint8_t memory[REGION];

static uint32_t below(uint32_t n)
{
    return (uint32_t)iba_random_below(&dice, n);
}
static bool rarely(void)
{
    return below(6) == 0;
}
static uint32_t some_pd(void)
{
    return rarely() ? below(N_PD) : d->pd;
}
static void record(uint64_t what)
{
    trace = (trace ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    trace ^= trace >> 29;
}

static uint32_t some_qpn(void)
{
    const struct iba_qp *qp = d->qps[below(N_QP)];

    return qp ? qp->qpn : below(4);
}

/* ---- queue pairs ---- */
static void create_qp(void)
{
    static const uint32_t numbers[] = {0, 0, 0, 0, 1, 0xffffff};
    struct iba_qp_init init;
    uint32_t i = 0, qpn = 0;

    while (i < N_QP && iba_qp_find(&d->ca, d->qp[i].qpn) == &d->qp[i])
        i++;
    if (i == N_QP)
        return;
    init = desk_init(d, i, below(2) ? IBA_QPT_RC : (enum iba_qp_type)below(IBA_QPT_RD));
    init.pd = some_pd();
    init.srq = below(2) ? below(N_SRQ + 1) : IBA_NONE;
    init.n_rq = init.srq == IBA_NONE ? 1 + below(LITTLE) : 0;
    init.n_saved = below(N_SAVED + 1);
    init.qpn = numbers[below(sizeof numbers / sizeof *numbers)];
    record(iba_create_qp(&d->ca, &d->qp[i], &init, &qpn));
    record(qpn);
}

static void spoil_path(struct iba_av *av)
{
    static const uint8_t v4[16] = {[10] = 0xff, [11] = 0xff, [12] = 10}, group[16] = {0xff, 2}, none[16];

    switch (below(9)) {
    case 0: av->port = (uint8_t)below(4); break;
    case 1: av->sl = (uint8_t)below(32); break;
    case 2: av->dlid = 0; break;
    case 3: av->sgid_index = (uint8_t)below(3); break;
    case 4: av->flow_label = 1 << 20; break;
    case 5: memcpy(av->dgid, none, sizeof none); break;
    case 6: memcpy(av->dgid, v4, sizeof v4); break;
    case 7: memcpy(av->dgid, group, sizeof group); break;
    default: av->vlan = 0xfff;
    }
}

/* Changes one attribute at random, and returns which one. */
static uint32_t spoil(struct iba_qp_attr *a)
{
    const struct {
        uint8_t *at;
        uint32_t bit;
    } bytes[] = {{&a->port, IBA_QPA_PORT},           {&a->pkey_index, IBA_QPA_PKEY_INDEX},
                 {&a->path_mtu, IBA_QPA_PATH_MTU},   {&a->timeout, IBA_QPA_TIMEOUT},
                 {&a->retry, IBA_QPA_RETRY},         {&a->rnr_retry, IBA_QPA_RNR_RETRY},
                 {&a->min_rnr, IBA_QPA_MIN_RNR},     {&a->max_dest_rd, IBA_QPA_MAX_DEST_RD},
                 {&a->path_mig, IBA_QPA_PATH_MIG},   {&a->cur_state, IBA_QPA_CUR_STATE},
                 {&a->cur_state, IBA_QPA_CUR_STATE}, {&a->port, IBA_QPA_PORT}};
    static const uint8_t values[] = {0, 1, 2, 3, 4, 5, 8, 32, 33, 64, 250};
    const unsigned i = below(sizeof bytes / sizeof *bytes);

    switch (below(6)) {
    case 0: a->access = (uint16_t)below(1024); return IBA_QPA_ACCESS;
    case 1: a->rq_psn = a->sq_psn = 1 << 24; return 0;
    case 2: a->dest_qpn = below(3); return 0;
    case 3: a->qkey = 7; return IBA_QPA_QKEY;
    default: *bytes[i].at = values[below(sizeof values)]; return bytes[i].bit;
    }
}

static void modify_qp(void)
{
    const uint32_t qpn = some_qpn();
    const struct iba_qp *qp = iba_query_qp(&d->ca, qpn);
    struct iba_qp_attr a;
    uint32_t mask = IBA_QPA_STATE;

    if (!qp)
        return;
    a = desk_attr(qp);
    a.port = a.av.port = (uint8_t)(1 + below(2));
    a.state = below(3) ? desk_onwards(qp->state) : (uint8_t)below(IBA_QPS_COUNT);
    if (rarely())
        a.state = qp->state == IBA_QPS_RTS ? IBA_QPS_SQD : qp->state;
    a.pkey_index = (uint8_t)below(4u - a.port);
    a.flow_control = below(2);
    a.path_mtu = (uint8_t)(IBA_MTU_256 + below(4));
    a.av.dlid = 5;
    a.av.hop_limit = (uint8_t)below(4);
    a.sqd_notify = below(2);
    mask |= iba_qp_required((enum iba_qp_type)qp->type, qp->state, a.state);
    if (below(3) == 0)
        mask ^= 1u << below(21);
    if (qp->state == a.state && below(2))
        mask |= 1u << below(21);
    if (rarely())
        mask |= IBA_QPA_CUR_STATE;
    if (below(3) == 0)
        mask |= spoil(&a) & (below(2) ? UINT32_MAX : 0);
    if (rarely())
        spoil_path(below(2) ? &a.av : &a.alt_av);
    if (rarely()) /* as if requests were still to be drained, or not */
        ((struct iba_qp *)qp)->s.drained = below(2);
    record(iba_modify_qp(&d->ca, qpn, &a, mask));
    record((uint32_t)qp->state << 8 | (uint32_t)qp->attr.port << 16 | (uint32_t)qp->attr.pkey_index << 24 |
           qp->envelope_bytes);
    record(qp->attr.access ^ (uint32_t)qp->attr.timeout << 12 ^ (uint32_t)qp->attr.min_rnr << 18 ^
           (uint32_t)qp->attr.path_mtu << 24);
    record(qp->attr.dest_qpn ^ (uint32_t)qp->attr.flow_control << 31 ^ qp->attr.qkey);
    record((uint32_t)qp->attr.max_rd << 8 | qp->attr.max_dest_rd);
    record(qp->rq.count << 8 | qp->s.count);
    for (unsigned i = 0; i < qp->envelope_bytes; i++)
        record(qp->envelope[i]);
}

static void post(void)
{
    const uint32_t qpn = some_qpn();
    const struct iba_recv_wr recv = desk_recv(below(1000));
    struct iba_qp *qp = iba_qp_find(&d->ca, qpn);
    struct iba_recv_wr taken;
    struct iba_send_wr send = desk_send(d, below(1000));

    send.op = (uint8_t)below(IBA_WR_OP_COUNT);
    if (below(2))
        record(iba_post_recv(&d->ca, qpn, &recv));
    else if (below(2))
        record(iba_post_srq_recv(&d->ca, below(N_SRQ), &recv));
    else
        record(iba_post_send(&d->ca, qpn, &send));
    if (qp && below(4) == 0 && qp->state != IBA_QPS_ERR && desk_take(d, qp, &taken))
        record(taken.wr_id);
    if (qp && rarely() && below(2))
        qp->r.has_wqe = qp->recv_cq != IBA_NONE && (qp->state == IBA_QPS_RTR || qp->state == IBA_QPS_RTS);
    if (qp && rarely() && rarely() && qp->state == IBA_QPS_RTS)
        iba_qp_sq_error(&d->ca, qp);
}

/* ---- queues ---- */
/* A queue gets the lowest free number; its memory here is the entry of that number. */
static void make_queue(bool cq)
{
    uint32_t n = 0;

    if (cq) {
        while (n < N_CQ && d->cqs[n])
            n++;
        if (n < N_CQ)
            record(iba_create_cq(&d->ca, &d->cq[n], d->wc[n], LITTLE, &n));
        return;
    }
    while (n < N_SRQ && d->srqs[n])
        n++;
    if (n < N_SRQ)
        record(iba_create_srq(&d->ca, &d->srq[n], d->shared[n], LITTLE, below(N_PD), &n));
}

/* Two rings take turns, because a queue must be resized into a ring other than its present one. */
static void resize(uint32_t n)
{
    static struct iba_wc more[N_CQ][N_WC];
    struct iba_wc *ring = d->cqs[n] && d->cqs[n]->ring == more[n] ? d->wc[n] : more[n];

    record(iba_resize_cq(&d->ca, n, ring, 1 + below(2 * LITTLE)));
}

static void queues(void)
{
    const uint32_t n = below(N_CQ);
    const struct iba_wc wc = {
        .wr_id = below(100), .status = rarely() ? IBA_WC_LOCAL_QP_OPERATION : IBA_WC_SUCCESS, .qpn = some_qpn()};
    struct iba_wc got;

    switch (below(10)) {
    case 0: record(iba_destroy_cq(&d->ca, n)); break;
    case 7: resize(n); break;
    case 1: record(iba_destroy_srq(&d->ca, below(N_SRQ))); break;
    case 2: record(iba_arm_srq(&d->ca, below(N_SRQ), below(LITTLE + 1))); break;
    case 3: record(iba_req_notify_cq(&d->ca, n, below(2))); break;
    case 4: make_queue(below(2)); break;
    case 5:
    case 6:
        if (d->cqs[n])
            iba_cq_push(&d->ca, n, &wc, below(2));
        break;
    default:
        while (iba_poll_cq(&d->ca, n, &got))
            record(got.wr_id << 8 | got.status);
    }
    if (d->cqs[n])
        record(d->cqs[n]->notified);
}

/* ---- objects ---- */
static void objects(void)
{
    static const uint8_t gids[][16] = {{0xff, 2}, {0xff, 3}, {0xfe, 0x80}};
    static const uint16_t lids[] = {0, 0xc001, 5};
    const uint8_t *gid = gids[below(3)];
    const uint16_t lid = lids[below(3)];
    struct iba_av av = desk_av();
    uint32_t n = 0;

    if (below(2))
        spoil_path(&av);
    switch (below(10)) {
    case 0: create_qp(); break;
    case 8: record(below(2) ? iba_create_xrcd(&d->ca, &n) : iba_destroy_xrcd(&d->ca, below(2))); break;
    case 1: record(below(3) ? 0 : iba_destroy_qp(&d->ca, some_qpn())); break;
    case 2: record(iba_create_ah(&d->ca, below(N_PD), &av, &n)); break;
    case 3: record(iba_destroy_ah(&d->ca, below(N_AH))); break;
    case 4: record(iba_attach_mcast(&d->ca, some_qpn(), gid, lid)); break;
    case 5: record(iba_detach_mcast(&d->ca, some_qpn(), gid, lid)); break;
    case 6: record(iba_set_pkey(&d->ca, 1, (uint8_t)below(3), (uint16_t)(below(2) << 15 | below(3)))); break;
    case 7: record(iba_pd_create(&d->ca.mem, &n)); break;
    default: record(rarely() ? iba_pd_destroy(&d->ca.mem, below(N_PD)) : 0);
    }
    record(d->ca.port[0].pkey[1] ^ (uint64_t)d->ca.port[0].pkey[2] << 16);
    for (unsigned i = 0; i < N_MCAST; i++)
        record(d->mcast[i].used);
}

/* ---- memory ---- */
static uint16_t some_access(void)
{
    const unsigned mostly = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_MW_BIND | IBA_ACCESS_INVALIDATE;
    unsigned a = below(1 << 10);

    if (below(2))
        a |= mostly;
    return (uint16_t)(rarely() ? a | 1 << 11 : a);
}

/* Sixteen times 64 bytes of another region, which may be gone when they are accessed; for region i */
static const struct iba_pieces *some_pieces(unsigned i)
{
    static struct iba_piece piece[KEYS];
    static struct iba_pieces pieces[KEYS];

    piece[i] =
        (struct iba_piece){.addr = 4096 + below(64), .stride = below(8), .lkey = lkey[below(KEYS)], .length = 64};
    pieces[i] = (struct iba_pieces){&piece[i], 1, 16};
    return &pieces[i];
}

static void regions(void)
{
    static const uint8_t nothing_there[1];
    const unsigned i = below(KEYS);
    struct iba_mr_attr mr = {.base = memory,
                             .length = 1 + below(REGION),
                             .pd = some_pd(),
                             .access = some_access(),
                             .iova = rarely() ? UINT64_MAX - 4 : 4096,
                             .present = rarely() ? nothing_there : NULL};

    switch (below(8)) {
    case 0:
    case 1:
        record(iba_mr_deregister(&d->ca.mem, lkey[i])); /* registers a region again, because there are few keys */
        if (below(4) == 0)
            mr.pieces = some_pieces(i);
        record(iba_mr_register(&d->ca.mem, &mr, &lkey[i], &rkey[i]));
        break;
    case 2: record(iba_mr_deregister(&d->ca.mem, lkey[i])); break;
    case 3:
    case 4:
        record(iba_mw_free(&d->ca.mem, window[i]));
        record(iba_mw_alloc(&d->ca.mem, (enum iba_mem_kind)(IBA_MEM_MW1 + below(3)), some_pd(), &window[i]));
        break;
    case 5: record(iba_mw_free(&d->ca.mem, window[i])); break;
    case 6: record(iba_mr_reregister(&d->ca.mem, lkey[i], 1 + below(7), &mr, &lkey[i], &rkey[i])); break;
    default: record(rarely() ? iba_pd_destroy(&d->ca.mem, below(N_PD)) : iba_pd_create(&d->ca.mem, &(uint32_t){0}));
    }
    record(lkey[i] ^ (uint64_t)rkey[i] << 32 ^ window[i]);
}

static void windows(void)
{
    const unsigned i = below(KEYS), k = below(KEYS), asked = below(1 << 8) & IBA_ACCESS_OF_WINDOW;
    const struct iba_bind b = {.mw_rkey = window[i],
                               .mr_lkey = lkey[k],
                               .va = below(3) ? 4096 + below(REGION / 4) : below(REGION / 4),
                               .length = rarely() ? 0 : below(REGION / 2),
                               .access = (uint16_t)(below(3) ? asked : asked | 1),
                               .key_byte = (uint8_t)(rarely() ? window[i] : below(256))};
    const uint32_t any[] = {window[i], window[i], window[i], lkey[k], rkey[k], rkey[k] ^ 1};

    if (below(3))
        record(iba_mw_bind(&d->ca.mem, &b, some_pd(), 5 + below(2), &window[i]));
    else if (below(3))
        record(iba_mem_invalidate(&d->ca.mem, any[below(6)], some_pd(), 5 + below(2), below(2)));
    else if (rarely())
        iba_mw_forget_qp(&d->ca.mem, 5);
    record(window[i]);
}

/* Prefetches the bytes that an access reads, from one of the regions. */
static void prefetch(const struct iba_reach *r)
{
    const struct iba_prefetch p = {
        .va = r->va, .length = r->length, .lkey = lkey[r->va % KEYS], .pd = r->pd, .write = r->remote};
    struct iba_page_span pages;

    record(iba_mr_prefetch(&d->ca.mem, &p, &pages));
    record(pages.first << 32 ^ pages.n);
}

static void reach(void)
{
    const uint32_t any[] = {window[below(KEYS)], window[below(KEYS)], lkey[below(KEYS)], rkey[below(KEYS)],
                            rkey[below(KEYS)] ^ 1};
    const struct iba_reach r = {.va = below(2) ? below(REGION) : 4096 + below(REGION),
                                .length = below(16),
                                .key = any[below(5)],
                                .pd = some_pd(),
                                .qpn = 5 + below(2),
                                .need = (uint16_t)(1 << below(4)),
                                .remote = below(3)};
    struct iba_place place;

    prefetch(&r);
    record(iba_mem_reach(&d->ca.mem, &r, &place));
    const uint8_t *host = place.key && !place.key->pieces ? place.key->base + place.at : NULL;
    record(host ? (uint64_t)(host - memory) : 1);
    if (host)
        cr_assert(host >= memory && host + r.length <= memory + sizeof memory);
}

/* ---- worlds ---- */
static void (*const doings[])(void) = {modify_qp, modify_qp, modify_qp, modify_qp, modify_qp, post,    post,
                                       queues,    queues,    objects,   objects,   regions,   windows, reach};
static void (*const of_memory[])(void) = {regions, windows, windows, reach, reach};

static uint64_t world(uint64_t seed, const struct iba_change *c)
{
    d = desk_open();
    iba_random_seed(&dice, seed);
    memset(lkey, 0, sizeof lkey), memset(rkey, 0, sizeof rkey), memset(window, 0, sizeof window);
    trace = seed;
    iba_ca_change(&d->ca, c);
    d->ca.port[0].n_pkey = 3;
    d->ca.port[1].n_pkey = 2;
    d->ca.port[1].kind = seed % 2 ? IBA_PORT_IB : IBA_PORT_ROCE2;
    for (unsigned i = 0; i < N_QP / 2; i++)
        create_qp();
    for (unsigned i = 0; i < STEPS; i++) {
        if (seed % 3 == 0)
            of_memory[below(sizeof of_memory / sizeof *of_memory)]();
        else
            doings[below(sizeof doings / sizeof *doings)]();
        for (unsigned k = 0; k < d->n_event; k++)
            record((uint32_t)d->events[k].kind << 8 | d->events[k].object);
        d->n_event = 0;
    }
    return trace;
}

static uint64_t whole[SEEDS];
static unsigned alike, looked_at;

static void differs(const struct iba_change *c)
{
    bool differ = false;

    for (uint64_t seed = 0; seed < SEEDS && !differ; seed++)
        differ = world(seed, c) != whole[seed];
    looked_at++;
    if (!differ) {
        alike++;
        (void)fprintf(stderr, "behaviour %s of %s: change of kind %u makes no difference in this test's world\n",
                      c->list->row[c->row].name, c->list->name, c->kind);
    }
}

Test(changed_verbs, each_row_makes_another_device)
{
    const struct iba_change nobodys = {.list = &iba_port_behaviours, .row = IBA_ROW_port_COUNT};
    static const struct iba_behaviours *const lists[] = {
        &iba_mem_behaviours,  &iba_reach_behaviours, &iba_transition_behaviours, &iba_modify_behaviours,
        &iba_attr_behaviours, &iba_verb_behaviours,  &iba_queue_behaviours};

    for (uint64_t seed = 0; seed < SEEDS; seed++)
        whole[seed] = world(seed, NULL);
    for (uint64_t seed = 0; seed < SEEDS; seed++) { /* a change of a row that nothing reads makes no difference */
        cr_assert_eq(world(seed, NULL), whole[seed], "seed %lu", (unsigned long)seed);
        cr_assert_eq(world(seed, &nobodys), whole[seed], "seed %lu", (unsigned long)seed);
    }
    for (unsigned l = 0; l < sizeof lists / sizeof *lists; l++)
        for (uint16_t row = 0; row < lists[l]->n; row++)
            for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++)
                if (lists[l]->row[row].kinds >> kind & 1)
                    differs(&(struct iba_change){.list = lists[l], .row = row, .kind = (uint8_t)kind});
    differs(&(struct iba_change){.list = &iba_state_behaviours, .row = IBA_ROW_state_NEW_PATH});
    cr_assert_gt(looked_at, 180, "%u changes looked at", looked_at);
    cr_assert_eq(alike, 0, "%u of %u changes make no difference", alike, looked_at);
}
