/* Precision and recall of every kind of finding, for four ways to capture. IBPROOF_SEEDS sets how many networks are
 * tried; `tools/score` makes the long run and prints the tables. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "score.h"

enum { MESSAGES = 20, SLOT = 4096, MOST = 4000, MTU = 256, RATE = 10000, FLOWS = 16, SEEDS_ENOUGH = 500 };
#define HOUR UINT64_C(3600000000000)

struct play {
    struct pair *p;
    struct score_run *r;
    struct iba_shadow shadow;
    struct iba_flow flow[FLOWS];
    struct iba_random random;
    uint32_t skip, delivered; /* sights before the capture begins; frame delivered last */
    uint64_t cause[2];        /* what an engine was told to send again for, and has not begun to; 0: nothing */
    uint64_t running[2];
    bool began[2];
    iba_psn high[2], next[2];
    uint32_t reads[2];
    bool passed[SCORE_FRAMES];
};
struct tally {
    uint64_t truth, hit, said, wrong;
};

static unsigned seeds(void)
{
    const char *s = getenv("IBPROOF_SEEDS");
    return s ? (unsigned)strtoul(s, NULL, 10) : 60;
}

/* ---- what the engines say ---- */

static void decided(void *ctx, unsigned end, const struct iba_rule *rule)
{
    static const struct {
        const char *rule;
        uint64_t cause;
    } causes[] = {{"NAK_SEQUENCE", SCORE_KIND(RETRY_NAK)},
                  {"RNR", SCORE_KIND(RETRY_RNR)},
                  {"RESPONSE_LOST", SCORE_KIND(RETRY_IMPLIED)},
                  {"ACK_FOR_ANSWER", SCORE_KIND(RETRY_IMPLIED)}};
    struct play *y = ctx;
    struct score_sight *e = end == 0 ? &y->r->sight[y->r->n_sight - 1] : NULL;

    for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(rule->name, causes[i].rule) == 0)
            y->cause[end] = causes[i].cause;
    const bool refused = strcmp(rule->name, "bad_icrc") == 0 || strcmp(rule->name, "malformed") == 0 ||
                         strcmp(rule->name, "bad_vcrc") == 0;
    if (e)
        e->refused |= refused;
    if (!refused)
        y->r->frame[y->delivered].accepted = true;
}

static uint64_t negative(const struct iba_view *v)
{
    static const uint64_t nak[] = {SCORE_KIND(NAK_SEQUENCE), SCORE_KIND(NAK_INVALID), SCORE_KIND(NAK_ACCESS),
                                   SCORE_KIND(NAK_OPERATION)};

    if (!iba_view_has(v, IBA_H_aeth))
        return 0;
    const uint8_t syndrome = iba_view_hdr(v, IBA_H_aeth)[0];
    return syndrome >> 5 == 1 ? SCORE_KIND(RNR) : syndrome >> 5 == 3 ? nak[syndrome & 3] : 0;
}

static void sent_request(struct play *y, struct score_frame *f)
{
    const unsigned s = f->from;
    const bool again = y->began[s] && iba_psn_diff(f->psn, y->high[s]) < 0;
    const bool back = y->began[s] && iba_psn_diff(f->psn, y->next[s]) < 0;

    if (again) {
        if (y->cause[s])
            y->running[s] = y->cause[s];
        else if (back)
            y->running[s] = SCORE_KIND(RETRY_TIMEOUT);
        f->retry = y->running[s];
        y->cause[s] = 0;
    }
    y->next[s] = iba_psn_add(f->psn, f->n);
    if (!y->began[s] || iba_psn_diff(y->next[s], y->high[s]) > 0)
        y->high[s] = y->next[s];
    y->began[s] = true;
}

static void sent(struct play *y, unsigned from, const struct iba_view *v)
{
    struct score_frame *f = &y->r->frame[y->r->n_frame++];

    cr_assert_lt(y->r->n_frame, (uint32_t)SCORE_FRAMES);
    *f = (struct score_frame){.from = (uint8_t)from,
                              .psn = iba_psn_of(iba_bth_psn(iba_view_bth(v))),
                              .n = 1,
                              .opcode = iba_bth_opcode(iba_view_bth(v)),
                              .request = v->op->dir == IBA_REQ};
    if (f->request) {
        if (f->opcode == IBA_RC_READ_REQUEST) {
            const uint32_t n = iba_reth_dmalen(iba_view_hdr(v, IBA_H_reth));
            f->n = n == 0 ? 1 : (n - 1) / MTU + 1;
        }
        sent_request(y, f);
        return;
    }
    f->nak = negative(v);
    f->plain = f->opcode == IBA_RC_ACKNOWLEDGE;
    f->credits = iba_view_has(v, IBA_H_aeth) ? iba_view_hdr(v, IBA_H_aeth)[0] & 0x1f : 0;
    if (v->op->pos == IBA_FIRST || v->op->pos == IBA_ONLY)
        y->reads[from]++;
    f->read = f->plain ? 0 : y->reads[from];
}

/* ---- the capture ---- */

static void on_finding(void *ctx, const struct iba_finding *f)
{
    struct play *y = ctx;
    const bool damage = f->kind == IBA_FINDING_MALFORMED || f->kind == IBA_FINDING_BAD_VCRC;
    const enum iba_finding_kind kind = damage ? IBA_FINDING_BAD_ICRC : f->kind;

    y->r->sight[f->frame - 1].found |= UINT64_C(1) << kind;
}

static void capture(struct play *y, struct score_sight *e, const struct iba_view *v)
{
    struct iba_view cut;

    e->seen = y->r->n_sight > y->skip && !(y->r->way == SCORE_LOSSY && iba_random_below(&y->random, 100) == 0);
    if (!e->seen)
        return;
    if (y->r->way == SCORE_CUT && v->payload_at > 0 && v->payload_at < v->len) {
        (void)iba_view_parse(&cut, y->p->link, v->wire, v->payload_at, v->len, NULL);
        iba_view_check(&cut);
        v = &cut;
    }
    (void)iba_shadow_feed(&y->shadow, &(struct iba_sighting){.view = v, .now = y->p->now, .frame = y->r->n_sight});
}

static void tap(void *ctx, unsigned from, bool arrived, const struct iba_view *v)
{
    struct play *y = ctx;

    if (!arrived)
        sent(y, from, v);
    const uint32_t id = arrived ? y->delivered : y->r->n_frame - 1;
    if (arrived != (from == 1))
        return;
    struct score_sight *e = &y->r->sight[y->r->n_sight++];
    cr_assert_lt(y->r->n_sight, (uint32_t)SCORE_FRAMES);
    *e = (struct score_sight){.frame = id, .copy = y->passed[id]};
    capture(y, e, v);
    e->seen &= iba_view_is_transport(v); /* damage may leave nothing that could be told from other traffic */
    y->passed[id] |= e->seen;
}

static void on_network(void *ctx, const struct iba_net_event *n)
{
    struct play *y = ctx;

    if (n->what == IBA_NET_DELIVERED)
        y->delivered = (uint32_t)n->frame;
    else if (n->what == IBA_NET_MARKED)
        y->r->frame[n->frame].marked = n->from == 1;
}

/* ---- the traffic ---- */

static void post(struct play *y, unsigned end, unsigned i, struct iba_random *r, bool forbidden)
{
    static const uint8_t op[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_WRITE_IMM, IBA_WR_SEND_IMM,
                                 IBA_WR_READ, IBA_WR_READ,  IBA_WR_FETCH_ADD, IBA_WR_CMP_SWAP};
    struct iba_send_wr wr = {.wr_id = i,
                             .op = op[iba_random_below(r, sizeof op)],
                             .va = PAIR_VA + 2 * SLOT,
                             .rkey = y->p->end[1 - end].rkey};
    const bool atomic = wr.op == IBA_WR_FETCH_ADD || wr.op == IBA_WR_CMP_SWAP;

    if (forbidden) {
        wr.op = IBA_WR_WRITE;
        wr.rkey ^= 0x5500;
    }
    pair_post_send(y->p, end, &wr, atomic || wr.op == IBA_WR_READ ? SLOT : 0,
                   atomic ? 8 : (uint32_t)iba_random_below(r, MOST));
}

static void converse(struct play *y, uint64_t seed)
{
    struct iba_random r;

    iba_random_seed(&r, seed);
    for (unsigned i = 0; i < MESSAGES; i++) {
        const bool unready = seed % 4 == 1;
        for (unsigned e = 0; e < 2 && !unready; e++)
            pair_post_recv(y->p, e, i, SLOT, MOST);
        for (unsigned e = 0; e < 2; e++)
            post(y, e, i, &r, seed % 8 == 3 && i == MESSAGES - 1 && e == seed / 8 % 2);
        if (unready)
            cr_assert(pair_run(y->p, y->p->now + iba_random_below(&r, 400000)));
        for (unsigned e = 0; e < 2 && unready; e++)
            pair_post_recv(y->p, e, i, SLOT, MOST);
        if (iba_random_below(&r, 3) == 0)
            cr_assert(pair_run(y->p, y->p->now + iba_random_below(&r, 3000000)));
    }
    cr_assert(pair_run(y->p, y->p->now + HOUR));
}

/* A clean network, one fault by itself, all at once. */
static struct iba_net_faults faults_of(uint64_t seed)
{
    struct iba_net_faults f = {.delay_ns = 5000, .reorder_ns = seed % 2 ? 4000 : 20000};
    uint32_t *const one[] = {&f.lose, &f.duplicate, &f.corrupt, &f.reorder, &f.ecn_mark};
    const unsigned which = (unsigned)(seed % 7);

    for (unsigned i = 0; i < sizeof one / sizeof *one; i++)
        *one[i] = which == 6 ? RATE : which == i ? 2 * RATE : 0;
    return f;
}

static void play(struct score_run *r, enum score_way way, uint64_t seed)
{
    static const uint32_t psn[] = {0, 0x7ffffe, 0xfffff0, 0xffffff};
    static struct play y;
    const struct pair_config c = {.seed = seed + 1,
                                  .kind = (enum iba_port_kind)(seed % 3),
                                  .v6 = seed % 2,
                                  .type = IBA_QPT_RC,
                                  .mtu = IBA_MTU_256,
                                  .psn = psn[seed % 4],
                                  .timeout = 14,
                                  .retry = 7,
                                  .rnr_retry = 7,
                                  .rd_depth = 4,
                                  .bytes = 3 * (size_t)SLOT,
                                  .faults = faults_of(seed)};

    memset(&y, 0, sizeof y);
    memset(r, 0, sizeof *r);
    r->way = way;
    y.r = r;
    y.skip = way == SCORE_MIDSTREAM ? 20 + (uint32_t)(seed * 13 % 200) : 0;
    iba_random_seed(&y.random, seed);
    iba_shadow_init(&y.shadow,
                    &(struct iba_shadow_config){.flow = y.flow, .n_flow = FLOWS, .report = on_finding, .ctx = &y});
    y.p = pair_open(&c);
    y.p->tap = tap;
    y.p->decided = decided;
    y.p->tap_ctx = &y;
    y.p->net.log = on_network;
    y.p->net.log_ctx = &y;
    converse(&y, seed);
    iba_shadow_end(&y.shadow, y.p->now + HOUR);
    pair_close(y.p);
    score_truth(r);
}

/* ---- the score ---- */

static void count(struct tally *t, const struct score_run *r, uint64_t seed)
{
    const char *show = getenv("IBPROOF_SHOW");

    for (uint32_t i = 0; i < r->n_sight; i++) {
        const struct score_sight *e = &r->sight[i];
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++) {
            const bool must = e->must >> k & 1, found = e->found >> k & 1, may = e->may >> k & 1;
            t[k].truth += must;
            t[k].hit += must && found;
            t[k].said += found && (must || !may);
            t[k].wrong += found && !must && !may;
            if (show && must != found && !may && strcmp(show, iba_findings[k].name) == 0)
                printf("seed %u frame %u psn %06x: %s\n", (unsigned)seed, i + 1, (unsigned)r->frame[e->frame].psn.v,
                       must ? "missed" : "wrong");
        }
    }
}

/* Where 0.99 of both cannot be had: in the whole capture, and where it lacks what is named. */
struct limit {
    unsigned ways; /* bits */
    uint8_t kind;
    double recall, precision;
    const char *why;
};
#define W(way) (1u << SCORE_##way)
#define ALL (W(WHOLE) | W(CUT) | W(LOSSY) | W(MIDSTREAM))
#define F(kind) IBA_FINDING_##kind
static const char reorders[] = "nothing tells late from sent again until the network has shown that it reorders";
static const char same_bytes[] = "a copy and what is sent again are the same bytes";
static const char no_icrc[] = "the ICRC is cut off: damaged packets are believed";
static const char no_request[] = "the request is not in the capture";
static const char no_cause[] = "the response that was the cause is not in the capture";
/* clang-format off */
static const struct limit limits[] = {
    {W(LOSSY),                 F(RETRY_NAK),      0.94, 0.99, no_cause},
    {W(CUT),                   F(RETRY_NAK),      0.99, 0.98, no_icrc},
    {W(MIDSTREAM),             F(RETRY_NAK),      0.98, 0.98, no_request},
    {W(WHOLE) | W(CUT) | W(LOSSY), F(RETRY_RNR),  0.98, 0.99, reorders},
    {W(MIDSTREAM),             F(RETRY_RNR),      0.88, 0.99, no_request},
    {W(WHOLE),                 F(RETRY_IMPLIED),  0.98, 0.99, reorders},
    {W(CUT),                   F(RETRY_IMPLIED),  0.98, 0.97, no_icrc},
    {W(LOSSY),                 F(RETRY_IMPLIED),  0.98, 0.90, no_cause},
    {W(MIDSTREAM),             F(RETRY_IMPLIED),  0.95, 0.98, no_request},
    {W(WHOLE) | W(CUT),        F(RETRY_UNCLEAR),  1.00, 0.00, reorders},
    {W(LOSSY),                 F(RETRY_UNCLEAR),  1.00, 0.00, no_cause},
    {W(MIDSTREAM),             F(RETRY_UNCLEAR),  1.00, 0.00, no_request},
    {W(CUT),                   F(ANSWER_AGAIN),   0.98, 0.99, no_icrc},
    {W(LOSSY),                 F(ANSWER_AGAIN),   0.98, 0.99, no_request},
    {W(WHOLE) | W(CUT) | W(LOSSY), F(NETWORK_COPY), 0.98, 0.97, same_bytes},
    {W(MIDSTREAM),             F(NETWORK_COPY),   0.98, 0.80, same_bytes},
    {W(WHOLE) | W(LOSSY) | W(MIDSTREAM), F(GAP),  0.99, 0.94, reorders},
    {W(CUT),                   F(GAP),            0.99, 0.85, no_icrc},
    {W(WHOLE) | W(LOSSY),      F(RESPONSE_GAP),   0.98, 0.94, reorders},
    {W(CUT),                   F(RESPONSE_GAP),   0.98, 0.86, no_icrc},
    {W(MIDSTREAM),             F(RESPONSE_GAP),   0.87, 0.85, no_request},
    {W(WHOLE) | W(LOSSY),      F(ANSWER_MISSING), 0.94, 0.99, reorders},
    {W(CUT),                   F(ANSWER_MISSING), 0.94, 0.85, no_icrc},
    {W(MIDSTREAM),             F(ANSWER_MISSING), 0.30, 0.88, no_request},
    {W(LOSSY),                 F(NOT_CAPTURED),   0.66, 0.74, "which response is the first to show it is not certain: see GHOST_ACK"},
    {W(MIDSTREAM),             F(NOT_CAPTURED),   0.00, 0.99, no_request},
    {W(WHOLE) | W(CUT),        F(LATE),           0.94, 0.94, reorders},
    {W(LOSSY) | W(MIDSTREAM),  F(LATE),           0.78, 0.75, no_cause},
    {W(CUT),                   F(GHOST_ACK),      1.00, 0.00, no_icrc},
    {W(LOSSY) | W(MIDSTREAM),  F(GHOST_ACK),      1.00, 0.00, no_request},
    {W(CUT),                   F(MSN_WRONG),      1.00, 0.00, no_icrc},
    {W(CUT),                   F(BAD_ICRC),       1.00, 0.00, "the ICRC is cut off: only lengths show damage"},
    {W(CUT),                   F(PKEY),           1.00, 0.00, no_icrc},
    {W(CUT),                   F(SPOOF),          1.00, 0.00, no_icrc},
    {W(MIDSTREAM),             F(MSN_WRONG),      1.00, 0.00, no_request},
    {W(MIDSTREAM),             F(RNR),            0.92, 0.99, no_request},
};
/* clang-format on */

static struct limit limit_of(enum score_way way, unsigned kind)
{
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].kind == kind && limits[i].ways >> way & 1)
            return limits[i];
    return (struct limit){.recall = way == SCORE_WHOLE ? 0.99 : 0.95, .precision = 0.99, .why = ""};
}

/* One line of the table. Mistakes come in runs, so the limits hold where there is enough to count, and in few networks
 * only about. */
static void judge(const struct tally *t, enum score_way way, unsigned kind, bool few)
{
    const struct limit least = limit_of(way, kind);
    const uint64_t enough = few ? 500 : 50;
    const double slack = few ? 0.06 : 0;
    const double recall = t->truth ? (double)t->hit / (double)t->truth : 1;
    const double precision = t->said ? (double)(t->said - t->wrong) / (double)t->said : 1;

    printf("  %-18s %8lu %8lu %8lu %8.4f %10.4f  %s\n", iba_findings[kind].name, (unsigned long)t->truth,
           (unsigned long)t->hit, (unsigned long)t->wrong, recall, precision, least.why);
    if (t->truth >= enough)
        cr_expect_geq(recall, least.recall - slack, "%s: recall %.4f", iba_findings[kind].name, recall);
    if (t->said >= enough)
        cr_expect_geq(precision, least.precision - slack, "%s: precision %.4f", iba_findings[kind].name, precision);
}

static void score(enum score_way way, const char *name)
{
    static struct score_run r;
    static struct tally t[IBA_FINDING_COUNT];
    const unsigned n = seeds();

    for (uint64_t seed = 0; seed < n; seed++) {
        play(&r, way, seed);
        count(t, &r, seed);
    }
    printf("\n%s, %u networks\n  %-18s %8s %8s %8s %8s %10s\n", name, n, "finding", "true", "found", "wrong", "recall",
           "precision");
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        if (t[k].truth > 0 || t[k].said > 0)
            judge(&t[k], way, k, n < SEEDS_ENOUGH);
    fflush(stdout);
}

Test(score, whole)
{
    score(SCORE_WHOLE, "The whole capture");
}

Test(score, cut)
{
    score(SCORE_CUT, "Packets cut behind the last transport header");
}

Test(score, lossy)
{
    score(SCORE_LOSSY, "1 % of the packets missing from the capture");
}

Test(score, midstream)
{
    score(SCORE_MIDSTREAM, "From the middle on");
}
