/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact results of the observer on talks of every service and encapsulation, with a line for each in
 * core/observer/test/services.golden: messages that it hands on, waits for credits, congestion, paths that change, two
 * capture points, datagrams, and directions that the caller numbers or does not. The line has a digest of all results,
 * and the count of each finding and end of a message (test/golden.h says how to renew it). golden.c aims at the retries
 * of RC. */
#include "observer/iba_decision.h"
#include "observer/iba_obs_look.h"
#include "sim/iba_random.h"
#include "shots.h"
#include "test/golden.h"

enum { TALKS = 800, STEPS = 90, LINES = 4, READS = 4, CE = 3, POINTS = 2 };

static struct iba_random random_state;
static uint64_t digest;
static unsigned ended[IBA_MESSAGE_ENDS];

static unsigned below(unsigned n)
{
    return (unsigned)iba_random_below(&random_state, n);
}

static bool one_in(unsigned n)
{
    return below(n) == 0;
}

static void number(uint64_t value)
{
    digest = golden_number(digest, value);
}

/* ---- results ---- */

static void mark(const struct iba_obs_mark *m)
{
    number(m->frame);
    number(m->tag);
    number(m->at);
}

static void on_finding(void *ctx, const struct iba_finding *f)
{
    number((uint64_t)f->kind << 56 | f->frame << 28 | f->cause);
    number(f->at);
    number(f->wait_ns);
    number((uint64_t)f->count << 32 | f->psn.v);
    number((unsigned)f->response << 1 | f->no_psn);
    if (f->decision)
        digest = golden_digest(digest, f->decision->name, strlen(f->decision->name));
    witness_report(ctx, f);
}

static void on_message(void *ctx, const struct iba_message *m)
{
    (void)ctx;
    number((uint64_t)m->operation << 40 | (uint64_t)m->end << 32 | m->direction);
    number((uint64_t)m->first.v << 32 | m->last.v);
    number((unsigned)m->whole << 1 | m->closed);
    number(m->first_frame << 32 | m->last_frame);
    number(m->answer_frame << 32 | m->again);
    number(m->began);
    number(m->ended);
    number(m->bytes);
    ended[m->end]++;
}

static uint32_t on_begun(void *ctx, const struct iba_flow *f)
{
    const struct iba_flow_key *k = iba_flow_key(f);

    (void)ctx;
    number((uint64_t)k->kind << 32 | k->qpn);
    digest = golden_digest(digest, k->dst, sizeof k->dst);
    digest = golden_digest(digest, k->src, sizeof k->src);
    return k->qpn % 5 ? k->qpn : 0; /* some have no number */
}

static void on_forget(void *ctx, const struct iba_flow *f)
{
    const struct iba_flow_counts c = iba_flow_counts(f);

    (void)ctx;
    number((uint64_t)iba_flow_svc(f) << 32 | iba_flow_key(f)->qpn);
    number(c.packets << 40 | c.requests << 20 | c.responses);
    number(c.bytes);
    number(c.fatal);
    number(c.began);
    for (unsigned k = 0; k < IBA_FINDING_FIRST_FABRIC; k++)
        number(c.found[k]);
}

static void on_answered(void *ctx, uint64_t frame)
{
    (void)ctx;
    number(frame);
}

/* ---- packets ---- */

struct read_of {
    uint32_t psn, n, at, bytes;
    bool atomic;
};
struct line { /* a pair of queue pairs */
    enum iba_encap encap;
    uint8_t svc;        /* bits of the opcode */
    uint32_t next, msn; /* PSN and MSN, both ends' next ones */
    uint8_t operation;  /* of the message that goes on: opcode of its Middle; 0: none */
    struct read_of read[READS];
    unsigned n_read;
    uint8_t hops, port, flow, lane;
    uint16_t id[2];
    bool calm; /* mishaps are rare */
};
static struct line lines[LINES];

struct packet {
    struct line *line;
    uint8_t opcode, from, syndrome;
    uint32_t psn, msn, dma;
    uint16_t bytes;
    bool asks, ce, fecn;
    uint8_t payload[MTU];
};

static void set_address(struct iba_recipe *r, const struct packet *x)
{
    const struct line *n = x->line;
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_lrh))) {
        iba_lrh_set_slid(h, x->from == A ? 1 : 2);
        iba_lrh_set_dlid(h, x->from == A ? 2 : 1);
        iba_lrh_set_sl(h, n->lane);
    }
    if ((h = iba_recipe_part(r, IBA_H_grh))) {
        h[23] = x->from == A ? 1 : 2;
        h[39] = x->from == A ? 2 : 1;
        iba_grh_set_hoplmt(h, n->hops);
        iba_grh_set_flowlabel(h, n->flow);
        iba_grh_set_tclass(h, (uint64_t)n->lane << 2);
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv6))) {
        h[23] = x->from == A ? 1 : 2;
        h[39] = x->from == A ? 2 : 1;
        iba_ipv6_set_hlim(h, n->hops);
        iba_ipv6_set_flow(h, n->flow);
        iba_ipv6_set_dscp(h, n->lane);
        iba_ipv6_set_ecn(h, x->ce ? CE : 0);
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv4))) {
        iba_ipv4_set_src(h, x->from == A ? 0x0a000001 : 0x0a000002);
        iba_ipv4_set_dst(h, x->from == A ? 0x0a000002 : 0x0a000001);
        iba_ipv4_set_ttl(h, n->hops);
        iba_ipv4_set_dscp(h, n->lane);
        iba_ipv4_set_ecn(h, x->ce ? CE : 0);
        iba_ipv4_set_id(h, n->id[x->from]);
    }
    if ((h = iba_recipe_part(r, IBA_H_udp)))
        iba_udp_set_srcport(h, 0xc000u + n->port);
    if ((h = iba_recipe_part(r, IBA_H_vlan)))
        iba_vlan_set_priority(h, n->lane & 7);
}

static void set_headers(struct iba_recipe *r, const struct packet *x)
{
    uint8_t *h = iba_recipe_part(r, IBA_H_bth);

    iba_bth_set_psn(h, x->psn);
    iba_bth_set_destqp(h, (uint64_t)(16 * (x->line - lines) + (x->from == A ? QP_B : QP_A)));
    iba_bth_set_a(h, x->asks);
    iba_bth_set_fecn(h, x->fecn);
    if ((h = iba_recipe_part(r, IBA_H_reth)))
        iba_reth_set_dmalen(h, x->dma);
    if ((h = iba_recipe_part(r, IBA_H_deth)))
        iba_deth_set_srcqp(h, (uint64_t)(16 * (x->line - lines) + (x->from == A ? QP_A : QP_B)));
    if ((h = iba_recipe_part(r, IBA_H_aeth))) {
        h[0] = x->syndrome;
        iba_aeth_set_msn(h, x->msn);
    }
}

static void see(struct witness *w, const uint8_t *bytes, size_t len, enum iba_link link, iba_time now, uint32_t source)
{
    const struct iba_observed *o;
    struct iba_expected e;
    struct iba_view v;
    const size_t cut = one_in(30) ? below(60) : 0;

    (void)iba_view_parse(&v, link, bytes, len - (cut < len ? cut : 0), len, NULL);
    iba_view_check(&v);
    w->frame++;
    if (w->frame % 2) {
        iba_observer_expect(w->observer, &e, &v);
        iba_observer_fetch(w->observer, &e);
        number(iba_observer_fetch_peer(w->observer, &e));
    }
    o = iba_observer_feed(w->observer, &(struct iba_sighting){.view = &v,
                                                              .now = now,
                                                              .frame = w->frame,
                                                              .tag = 3 * w->frame,
                                                              .source = source,
                                                              .expected = w->frame % 2 ? &e : NULL});
    mark(&o->request);
    number((uint64_t)o->direction << 32 | (unsigned)o->worst << 2 | (unsigned)o->copy << 1 | o->damaged);
    number(o->same_as);
    if (!o->flow)
        return;
    uint32_t qpn = 0;
    number((uint64_t)iba_flow_pmtu(o->flow) << 2 | (unsigned)iba_flow_is_paired(o->flow) << 1 |
           iba_flow_is_guess(o->flow));
    number((unsigned)iba_flow_src_qp(o->flow, &qpn) + ((uint64_t)qpn << 32));
}

/* Sends the packet past one capture point, or past both. */
static void send(struct witness *w, const struct packet *x, iba_time *now, unsigned points)
{
    static struct iba_recipe r;
    uint8_t bytes[CAP];
    size_t len;
    struct line *n = x->line;

    iba_recipe_init(&r, n->encap, x->opcode | (x->opcode < 0x20 ? n->svc : 0));
    set_address(&r, x);
    set_headers(&r, x);
    r.payload = x->payload;
    r.payload_len = x->bytes;
    r.icrc_mode = one_in(60) ? IBA_CRC_BAD : IBA_CRC_GOOD;
    cr_assert_eq(iba_build(&r, bytes, sizeof bytes, &len), IBA_OK);
    n->id[x->from] = (uint16_t)(n->id[x->from] ? n->id[x->from] + 1 : 0);
    for (unsigned i = 0; i < points; i++) {
        see(w, bytes, len, (enum iba_link)iba_encaps[n->encap].link, *now, i);
        *now += i ? 0 : 700;
    }
}

/* ---- what the ends do ---- */

static struct packet of(struct line *n, uint8_t opcode, uint8_t from)
{
    return (struct packet){.line = n, .opcode = opcode, .from = from, .ce = one_in(15), .fecn = one_in(40)};
}

static struct packet go_on(struct line *n)
{
    static const uint8_t lasts[] = {1, 2}; /* after the Middle: Last, Last with immediate data */
    struct packet x = of(n, n->operation, A);
    const bool sends = n->operation == IBA_RC_SEND_MIDDLE;

    x.bytes = MTU;
    if (!one_in(3)) {
        x.opcode = sends ? (uint8_t)(lasts[below(2)] + n->operation) : (uint8_t)(n->operation + 1 + below(2));
        if (sends && n->svc == 0 && one_in(6))
            x.opcode = IBA_RC_SEND_LAST_INV;
        x.bytes = (uint16_t)(1 + below(MTU));
        n->operation = 0;
    }
    return x;
}

static struct packet single(struct line *n)
{
    static const uint8_t opcodes[] = {IBA_RC_SEND_ONLY,      IBA_RC_SEND_ONLY_IMM, IBA_RC_WRITE_ONLY,
                                      IBA_RC_WRITE_ONLY_IMM, IBA_RC_SEND_ONLY_INV, IBA_RC_ATOMIC_WRITE,
                                      IBA_RC_FLUSH};
    struct packet x = of(n, opcodes[below(n->svc == 0 ? 7 : 4)], A);

    x.bytes = (uint16_t)(x.opcode == IBA_RC_FLUSH ? 0 : x.opcode == IBA_RC_ATOMIC_WRITE ? 8 : below(64));
    x.dma = x.opcode == IBA_RC_ATOMIC_WRITE ? 8 : x.bytes;
    return x;
}

static struct packet fetch(struct line *n)
{
    struct read_of *r = &n->read[n->n_read++ % READS];
    struct packet x = of(n, one_in(4) ? IBA_RC_FETCH_ADD : IBA_RC_READ_REQUEST, A);

    *r = (struct read_of){.psn = n->next, .n = 1, .atomic = x.opcode == IBA_RC_FETCH_ADD};
    if (!r->atomic) {
        x.dma = below(4) * MTU;
        x.dma += below(2) * 9;
        r->bytes = x.dma;
        r->n = x.dma > MTU ? (x.dma + MTU - 1) / MTU : 1;
    }
    return x;
}

/* Returns the next request packet. */
static struct packet ask(struct line *n)
{
    const bool reads = n->svc == 0 || n->svc == IBA_XRC << 5;
    struct packet x;

    if (n->svc == IBA_UD << 5) {
        const uint8_t from = one_in(4) ? B : A;
        x = of(n, one_in(3) ? IBA_RC_SEND_ONLY_IMM : IBA_RC_SEND_ONLY, from);
        x.bytes = (uint16_t)below(MTU + 1);
    } else if (n->operation)
        x = go_on(n);
    else if (one_in(3)) {
        x = of(n, one_in(2) ? IBA_RC_SEND_FIRST : IBA_RC_WRITE_FIRST, A);
        x.bytes = MTU;
        x.dma = MTU + 1 + below(3 * MTU);
        n->operation = x.opcode + 1;
    } else
        x = reads && one_in(2) ? fetch(n) : single(n);
    x.psn = n->next;
    x.asks = one_in(3);
    n->next = (n->next + (x.opcode == IBA_RC_READ_REQUEST ? n->read[(n->n_read - 1) % READS].n : 1)) & IBA_PSN_MASK;
    n->msn += n->operation == 0;
    return x;
}

static struct packet acknowledge(struct line *n)
{
    static const uint8_t syndromes[] = {0x1f, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05,
                                        0x06, 0x07, 0x2e, 0x60, 0x61, 0x62, 0x63};
    struct packet x = of(n, IBA_RC_ACKNOWLEDGE, B);

    x.psn = (n->next - 1 - (one_in(3) ? below(4) : 0)) & IBA_PSN_MASK;
    x.syndrome = syndromes[below(one_in(6) ? sizeof syndromes : 9)];
    x.msn = n->msn - (one_in(4) ? below(3) : 0);
    return x;
}

static struct packet answer(struct line *n)
{
    struct read_of *r = &n->read[below(READS)];
    struct packet x = of(n, IBA_RC_ATOMIC_ACKNOWLEDGE, B);

    if (!r->atomic) {
        const bool last = r->at + 1 >= r->n;
        x.opcode = r->n <= 1    ? IBA_RC_READ_RESP_ONLY
                   : r->at == 0 ? IBA_RC_READ_RESP_FIRST
                   : last       ? IBA_RC_READ_RESP_LAST
                                : IBA_RC_READ_RESP_MIDDLE;
        x.bytes = (uint16_t)(!last ? MTU : r->bytes > r->at * MTU ? r->bytes - r->at * MTU : 0);
    }
    x.psn = (r->psn + r->at) & IBA_PSN_MASK;
    x.syndrome = ACK;
    x.msn = n->msn;
    r->at = r->at + 1 < r->n ? r->at + 1 : 0;
    return x;
}

static void change_path(struct line *n)
{
    switch (below(5)) {
    case 0: n->hops ^= 1; break;
    case 1: n->port ^= 5; break;
    case 2: n->flow ^= 9; break;
    case 3: n->lane ^= 3; break;
    default: n->id[A] = (uint16_t)(n->id[A] ? 0 : 77); break;
    }
}

static struct packet some_packet(struct line *n)
{
    const uint32_t next = n->next;
    struct packet x;

    switch (below(n->calm ? 60 : 12)) {
    case 0: n->next = (n->next - 1 - below(4)) & IBA_PSN_MASK; break; /* goes back */
    case 1: n->next = (n->next + 1 + below(2)) & IBA_PSN_MASK; break; /* loses some */
    case 2: x = of(n, one_in(4) ? IBA_CNP_IB : IBA_CNP_ROCE, B); return x;
    case 3:
    case 4:
    case 5:
        if (n->svc != IBA_UC << 5 && n->svc != IBA_UD << 5)
            return one_in(2) ? answer(n) : acknowledge(n);
        break;
    default:
        if (n->calm && n->svc != IBA_UC << 5 && n->svc != IBA_UD << 5 && one_in(2))
            return one_in(2) ? answer(n) : acknowledge(n);
        break;
    }
    x = ask(n);
    if (n->next < next && one_in(2))
        n->next = next;
    return x;
}

static void begin(struct line *n)
{
    static const uint8_t services[] = {0, 0, 0, IBA_UC << 5, IBA_XRC << 5, IBA_UD << 5, IBA_RD << 5};
    static const uint8_t encaps[] = {IBA_ENCAP_IB_LOCAL,   IBA_ENCAP_IB_GLOBAL, IBA_ENCAP_ROCE1,
                                     IBA_ENCAP_ROCE1_VLAN, IBA_ENCAP_ROCE2_V4,  IBA_ENCAP_ROCE2_V4_VLAN,
                                     IBA_ENCAP_ROCE2_V6};

    *n = (struct line){.encap = encaps[below(sizeof encaps)],
                       .svc = services[below(sizeof services)],
                       .next = one_in(3) ? 0xfffffa : 0x100,
                       .hops = 64,
                       .calm = one_in(2),
                       .id = {(uint16_t)(one_in(2) ? 0xfff0 : 0), (uint16_t)below(2)}};
}

static void at_end(const struct iba_observer *s)
{
    const struct iba_observer_totals all = iba_observer_totals(s);
    const struct iba_flow *f;

    number(all.packets << 32 | all.others);
    number(all.seen_twice << 32 | all.evicted);
    for (uint32_t i = 0; (f = iba_observer_flow(s, i)); i++)
        on_forget(NULL, f);
}

static void one_talk(struct witness *w)
{
    static const uint64_t waits[] = {0,
                                     500,
                                     2000,
                                     IBA_OBS_LEAST_RTT_NS,
                                     IBA_OBS_AT_ONCE_NS,
                                     IBA_OBS_ROUND_NS,
                                     999999,
                                     2 * MS,
                                     20 * MS,
                                     70 * MS,
                                     400 * MS,
                                     5000 * MS};
    const unsigned n_line = 1 + below(LINES), points = one_in(4) ? POINTS : 1;
    iba_time now = MS;

    for (unsigned i = 0; i < LINES; i++)
        begin(&lines[i]);
    for (unsigned i = 0; i < STEPS; i++) {
        struct line *n = &lines[below(n_line)];
        if (one_in(30))
            change_path(n);
        now += one_in(6) ? waits[below(sizeof waits / sizeof *waits)] : 10000;
        struct packet x = some_packet(n);
        send(w, &x, &now, points);
        if (one_in(15)) { /* the packet once more, perhaps with another byte */
            const uint8_t changed = (uint8_t)below(2);
            x.payload[below(x.bytes + 1u) % MTU] ^= changed;
            now += waits[below(sizeof waits / sizeof *waits)];
            send(w, &x, &now, points);
        }
    }
    iba_observer_end(w->observer, now + (one_in(2) ? 0 : 5000 * MS));
    at_end(w->observer);
}

static void line_of(unsigned i, struct golden *g)
{
    static const struct iba_observer_config rooms[] = {
        {.n_flow = 8, .n_known = 24}, {.n_flow = 2, .n_known = 8, .rest_ns = 3 * MS}, {.n_flow = 4, .n_known = 4}};
    static _Alignas(64) unsigned char memory[1 << 20];
    static struct witness w;
    struct iba_observer_config cfg = rooms[i % 3];
    char line[GOLDEN_LINE];
    int len;

    iba_random_seed(&random_state, i);
    digest = GOLDEN_EMPTY;
    memset(ended, 0, sizeof ended);
    witness_init(&w, NULL);
    cfg.report = on_finding;
    cfg.begun = on_begun;
    cfg.forget = on_forget;
    cfg.answered = on_answered;
    cfg.message = on_message;
    cfg.n_message = 1 + i % 7;
    cfg.ctx = &w;
    cr_assert_leq(iba_observer_bytes(&cfg), sizeof memory);
    w.observer = iba_observer_init(memory, &cfg);
    one_talk(&w);
    cr_assert(sound(w.observer), "talk %u", i);
    len = snprintf(line, sizeof line, "%u %016" PRIx64, i, digest);
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        if (w.found[k])
            len +=
                snprintf(line + len, sizeof line - (size_t)len, " %s=%u", iba_findings[k].name, (unsigned)w.found[k]);
    for (unsigned k = 0; k < IBA_MESSAGE_ENDS; k++)
        len += snprintf(line + len, sizeof line - (size_t)len, " %s=%u", iba_message_end_name((enum iba_message_end)k),
                        ended[k]);
    memcpy(line + len, "\n", 2);
    golden_line(g, line);
}

Test(golden, results_on_all_services_are_the_same)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/observer/test/services.golden");

    for (unsigned i = 0; i < TALKS; i++)
        line_of(i, &g);
    golden_close(&g);
}
