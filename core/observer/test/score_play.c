/* SPDX-License-Identifier: BSD-2-Clause */
/* One simulated network, played to its end: the trace of the engines, the faults of the network, and the packets that
 * the observer sees. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>
#include "score_play.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

const char *const score_networks[SCORE_NETWORKS] = {
    [SCORE_PLAIN] = "plain",         [SCORE_REORDERING] = "reordering", [SCORE_OLDEST] = "oldest",
    [SCORE_SELECTIVE] = "selective", [SCORE_ADAPTIVE] = "adaptive",     [SCORE_REUSED] = "reused"};
const char *const score_ways[SCORE_MODES] = {
    [SCORE_WHOLE] = "whole", [SCORE_CUT] = "cut", [SCORE_LOSSY] = "lossy", [SCORE_MIDSTREAM] = "midstream"};

enum { MESSAGES = 20, SLOT = 4096, MOST = 4000, MTU = 256, RATE = 10000 };
/* A short network has few packets and many faults: */
enum { SHORT_MESSAGES = 4, SHORT_MOST = 900, SHORT_FAULTS = 8, SHORT_SKIP = 12, SHORT_LOSS = 10, LOSS = 100 };
static bool is_short;
#define HOUR UINT64_C(3600000000000)

/* ---- the trace of the engines ---- */

static void decided(void *ctx, unsigned end, const struct iba_rule *rule)
{
    static const struct {
        const char *rule;
        uint64_t cause;
    } causes[] = {{"NAK_SEQUENCE", SCORE_KIND(RETRY_NAK)},
                  {"RNR", SCORE_KIND(RETRY_RNR)},
                  {"RESPONSE_LOST", SCORE_KIND(RETRY_IMPLIED)},
                  {"ACK_FOR_ANSWER", SCORE_KIND(RETRY_IMPLIED)}};
    static const char *const ends[] = {"NAK_INVALID_REQUEST", "NAK_REMOTE_ACCESS", "NAK_REMOTE_OPERATION"};
    struct score_play *y = ctx;
    struct score_sight *e = end == 0 ? &y->r->sight[y->r->n_sight - 1] : NULL;

    for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(rule->name, causes[i].rule) == 0) {
            y->cause[end] = (struct score_why){causes[i].cause, y->delivered + 1};
            y->r->frame[y->delivered].misses |= causes[i].cause == SCORE_KIND(RETRY_IMPLIED);
        }
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(rule->name, ends[i]) == 0)
            y->r->frame[y->delivered].ends = SCORE_KIND(END_NAK);
    const bool refused = strcmp(rule->name, "bad_icrc") == 0 || strcmp(rule->name, "malformed") == 0 ||
                         strcmp(rule->name, "bad_vcrc") == 0;
    static const char *const behind_loss[] = {"gap", "gap_known", "gap_after_rnr", "LOSS_KNOWN", "RESPONSE_LOST"};
    for (unsigned i = 0; i < sizeof behind_loss / sizeof *behind_loss; i++)
        if (strcmp(rule->name, behind_loss[i]) == 0)
            y->r->frame[y->delivered].in_vain = true;
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

static void sent_request(struct score_play *y, struct score_frame *f)
{
    const unsigned s = f->from;
    const bool again = y->began[s] && iba_psn_diff(f->psn, y->high[s]) < 0;
    const bool all = y->again[s].all && y->again[s].at == y->p->now;
    const bool one_by_one = (y->r->network == SCORE_OLDEST || y->r->network == SCORE_SELECTIVE) && !all;
    const bool back = y->began[s] && (one_by_one || iba_psn_diff(f->psn, y->next[s]) < 0);

    if (again) {
        if (y->cause[s].kind)
            y->running[s] = y->cause[s];
        else if (back)
            y->running[s] = (struct score_why){SCORE_KIND(RETRY_TIMEOUT), 0};
        if (y->cause[s].kind || back)
            y->run[s] = y->r->n_frame - 1;
        f->run = y->run[s];
        f->retry = y->running[s].kind;
        f->cause = y->running[s].frame;
        y->cause[s].kind = 0;
    }
    y->next[s] = iba_psn_add(f->psn, f->n);
    if (!y->began[s] || iba_psn_diff(y->next[s], y->high[s]) > 0)
        y->high[s] = y->next[s];
    y->began[s] = true;
}

#define HASH_EMPTY UINT64_C(14695981039346656037)
static uint64_t hash_byte(uint64_t h, uint8_t byte)
{
    return (h ^ byte) * UINT64_C(1099511628211);
}

/* A hash of the headers that the network does not change when it marks a packet: it leaves out the traffic class, its
 * checksum, and FECN. */
static uint64_t headers(const struct iba_view *v)
{
    uint64_t h = HASH_EMPTY;

    for (uint32_t i = v->l3_at; i < v->payload_at; i++) {
        const uint32_t at = i - v->l3_at;
        const bool ip4 = v->l3 == IBA_H_ipv4 && (at == 1 || at == 10 || at == 11);
        if (ip4 || (v->l3 == IBA_H_ipv6 && at < 2) || i == v->bth_at + 4)
            continue;
        h = hash_byte(h, v->wire[i]);
    }
    return h;
}

/* Returns a hash of the path: traffic class without ECN, hop limit, flow label, UDP source port, service level and
 * LIDs. */
static uint64_t way_of(const struct iba_view *v)
{
    const bool six = v->l3 == IBA_H_ipv6 || iba_view_has(v, IBA_H_grh);
    const uint8_t *h = iba_view_has(v, IBA_H_grh) ? iba_view_hdr(v, IBA_H_grh) : v->wire + v->l3_at;
    uint64_t mode = 0;

    if (six)
        mode = (uint64_t)(h[0] & 0x0f) << 32 | (uint64_t)(h[1] & 0xcf) << 24 | (uint64_t)h[2] << 16 |
               (uint64_t)h[3] << 8 | h[7];
    else if (v->l3 == IBA_H_ipv4)
        mode = (uint64_t)(h[1] >> 2) << 8 | h[8];
    if (iba_view_has(v, IBA_H_udp))
        mode = mode << 16 | iba_udp_srcport(iba_view_hdr(v, IBA_H_udp));
    if (iba_view_has(v, IBA_H_lrh)) {
        const uint8_t *lrh = iba_view_hdr(v, IBA_H_lrh);
        mode ^= (uint64_t)(lrh[1] >> 4) << 32 | (uint64_t)iba_lrh_dlid(lrh) << 16 | iba_lrh_slid(lrh);
    }
    return mode;
}

/* A hash of the fields by which the observer finds the place of a packet: addresses, QP and PSN, and whether it is a
 * request. */
static uint64_t name_of(const struct iba_view *v)
{
    const bool six = v->l3 == IBA_H_ipv6 || iba_view_has(v, IBA_H_grh);
    const uint8_t *h = iba_view_has(v, IBA_H_grh) ? iba_view_hdr(v, IBA_H_grh) : v->wire + v->l3_at;
    const uint32_t from = six ? 8 : 12, to = six ? 40 : 20;
    uint64_t name = HASH_EMPTY;

    for (uint32_t i = from; (six || v->l3 == IBA_H_ipv4) && i < to; i++)
        name = hash_byte(name, h[i]);
    name = (name ^ iba_bth_destqp(iba_view_bth(v))) * UINT64_C(1099511628211);
    name = (name ^ iba_bth_psn(iba_view_bth(v))) * UINT64_C(1099511628211);
    return hash_byte(name, v->op && v->op->dir == IBA_REQ);
}

/* A hash of the headers after the BTH. It includes data that an engine fetched from memory, which may have been written
 * since. */
static uint64_t content(const struct iba_view *v, uint32_t end)
{
    enum { BTH = 12 };
    uint64_t h = hash_byte(HASH_EMPTY, (uint8_t)(v->payload_len >> 8));

    for (uint32_t i = v->bth_at + BTH; i < end; i++)
        h = hash_byte(h, v->wire[i]);
    return hash_byte(h, (uint8_t)v->payload_len);
}

static void sent(struct score_play *y, unsigned from, const struct iba_view *v)
{
    struct score_frame *f = &y->r->frame[y->r->n_frame++];

    cr_assert_lt(y->r->n_frame, (uint32_t)SCORE_FRAMES);
    *f = (struct score_frame){.from = (uint8_t)from,
                              .psn = iba_psn_of(iba_bth_psn(iba_view_bth(v))),
                              .n = 1,
                              .run = y->r->n_frame - 1,
                              .headers = headers(v),
                              .name = name_of(v),
                              .mode = way_of(v),
                              .content = content(v, v->payload_at + v->payload_len),
                              .asked = content(v, v->payload_at),
                              .opcode = iba_bth_opcode(iba_view_bth(v)),
                              .request = v->op->dir == IBA_REQ};
    f->asks =
        f->request && (iba_bth_a(iba_view_bth(v)) || f->opcode == IBA_RC_READ_REQUEST || v->op->pay == IBA_PAY_NONE);
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
    if (iba_opcode_begins(v->op)) {
        y->reads[from]++;
        y->answer[from] = f->run;
    }
    f->read = f->plain ? 0 : y->reads[from];
    f->run = f->read ? y->answer[from] : f->run;
}

/* ---- the capture ---- */

/* FNV-1a over 64 bits at a time. */
static uint64_t digest(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001b3);
}

static void remember(struct score_run *r, const struct iba_finding *f)
{
    const uint64_t words[] = {f->kind, f->frame, f->cause, f->at, f->psn.v, f->response, f->count, f->wait_ns};

    r->n_reported[f->kind]++;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        r->digest = digest(r->digest, words[i]);
}

static void on_finding(void *ctx, const struct iba_finding *f)
{
    struct score_play *y = ctx;
    const bool damage = f->kind == IBA_FINDING_MALFORMED || f->kind == IBA_FINDING_BAD_VCRC;
    const enum iba_finding_kind kind = damage ? IBA_FINDING_BAD_ICRC : f->kind;

    if (f->frame <= y->earlier)
        return;
    remember(y->r, f);
    y->r->sight[f->frame - y->earlier - 1].found |= UINT64_C(1) << kind;
}

static void capture(struct score_play *y, struct score_sight *e, const struct iba_view *v)
{
    struct iba_view cut;

    e->seen = y->r->n_sight > y->skip &&
              !(y->r->mode == SCORE_LOSSY && iba_random_below(&y->random, is_short ? SHORT_LOSS : LOSS) == 0);
    if (!e->seen)
        return;
    e->mode = way_of(v);
    e->headers_damaged = headers(v) != y->r->frame[e->frame].headers;
    e->names = iba_view_is_transport(v) && name_of(v) == y->r->frame[e->frame].name;
    e->disguised = y->r->mode == SCORE_CUT && e->headers_damaged;
    if (y->r->mode == SCORE_CUT && v->payload_at > 0 && v->payload_at < v->len) {
        (void)iba_view_parse(&cut, y->p->link, v->wire, v->payload_at, v->len, NULL);
        iba_view_check(&cut);
        v = &cut;
    }
    e->shows_damage = y->r->mode != SCORE_CUT || v->err != IBA_OK;
    (void)iba_observer_feed(y->observer,
                            &(struct iba_sighting){.view = v, .now = y->p->now, .frame = y->earlier + y->r->n_sight});
}

static void tap(void *ctx, unsigned from, bool arrived, const struct iba_view *v)
{
    struct score_play *y = ctx;

    if (!arrived)
        sent(y, from, v);
    const uint32_t id = arrived ? y->delivered : y->r->n_frame - 1;
    if (arrived != (from == 1))
        return;
    struct score_sight *e = &y->r->sight[y->r->n_sight++];
    cr_assert_lt(y->r->n_sight, (uint32_t)SCORE_FRAMES);
    *e = (struct score_sight){.frame = id, .copy = y->passed[id], .at = y->p->now};
    capture(y, e, v);
    e->seen &= iba_view_is_transport(v); /* damage may make a packet look like other traffic */
    y->passed[id] |= e->seen;
}

static void on_network(void *ctx, const struct iba_net_event *n)
{
    struct score_play *y = ctx;

    if (n->what == IBA_NET_DELIVERED)
        y->delivered = (uint32_t)n->frame;
    else if (n->what == IBA_NET_MARKED)
        y->r->frame[n->frame].marked = n->from == 1;
}

/* ---- the traffic ---- */

static void post(struct score_play *y, unsigned end, unsigned i, struct iba_random *r, bool forbidden)
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
                   atomic ? 8 : (uint32_t)iba_random_below(r, is_short ? SHORT_MOST : MOST));
}

static void converse(struct score_play *y, uint64_t seed)
{
    const unsigned messages = is_short ? SHORT_MESSAGES : MESSAGES;
    struct iba_random r;

    iba_random_seed(&r, seed);
    for (unsigned i = 0; i < messages; i++) {
        const bool unready = seed % 4 == 1;
        for (unsigned e = 0; e < 2 && !unready; e++)
            pair_post_recv(y->p, e, i, SLOT, MOST);
        for (unsigned e = 0; e < 2; e++)
            post(y, e, i, &r, seed % 8 == 3 && i == messages - 1 && e == seed / 8 % 2);
        if (unready)
            cr_assert(pair_run(y->p, y->p->now + iba_random_below(&r, 400000)));
        for (unsigned e = 0; e < 2 && unready; e++)
            pair_post_recv(y->p, e, i, SLOT, MOST);
        if (iba_random_below(&r, 3) == 0)
            cr_assert(pair_run(y->p, y->p->now + iba_random_below(&r, 3000000)));
    }
    cr_assert(pair_run(y->p, y->p->now + HOUR));
}

/* The network's number selects a network without faults, with one kind of fault, or with all. */
static struct iba_net_faults faults_of_plain(uint64_t seed)
{
    struct iba_net_faults f = {.delay_ns = 5000, .reorder_ns = seed % 2 ? 4000 : 20000};
    uint32_t *const one[] = {&f.lose, &f.duplicate, &f.corrupt, &f.reorder, &f.ecn_mark};
    const unsigned which = (unsigned)(seed % 7);

    for (unsigned i = 0; i < sizeof one / sizeof *one; i++)
        *one[i] = which == 6 ? RATE : which == i ? 2 * RATE : 0;
    return f;
}

/* A fabric that picks a path for each packet. Some of these networks also lose packets. */
static struct iba_net_faults faults_of_reordering(uint64_t seed)
{
    enum { SPACING = 100, FARTHEST = 12 };
    static const uint32_t lose[] = {0, RATE / 10, RATE / 2};

    return (struct iba_net_faults){.delay_ns = 5000,
                                   .spacing_ns = SPACING,
                                   .reorder = 2 * RATE * (1 + (uint32_t)(seed % 7)),
                                   .reorder_ns = SPACING / 2 + SPACING * (1 + seed % FARTHEST),
                                   .lose = lose[seed % 3],
                                   .ecn_mark = seed % 5 == 0 ? RATE : 0};
}

/* A network that loses packets. Some of these networks also mark them. */
static struct iba_net_faults faults_of_losing(uint64_t seed)
{
    return (struct iba_net_faults){.delay_ns = 5000,
                                   .spacing_ns = 100,
                                   .lose = RATE / 2 * (1 + (uint32_t)(seed % 4)),
                                   .ecn_mark = seed % 5 == 0 ? RATE : 0};
}

static struct iba_net_faults (*const faults_of[])(uint64_t seed) = {
    [SCORE_PLAIN] = faults_of_plain,      [SCORE_REORDERING] = faults_of_reordering, [SCORE_OLDEST] = faults_of_losing,
    [SCORE_SELECTIVE] = faults_of_losing, [SCORE_ADAPTIVE] = faults_of_losing,       [SCORE_REUSED] = faults_of_losing};

/* Records which end gave up because no answer came. */
static void completed(struct score_play *y)
{
    struct iba_wc wc;

    for (unsigned e = 0; e < 2; e++)
        while (pair_poll(y->p, e, &wc))
            y->r->gave_up[e] |= wc.status == IBA_WC_RETRY_EXCEEDED;
}

/* Plays one connection, from `now` on. Returns the time of its end. */
static iba_time connection(struct score_play *y, const struct pair_config *c, iba_time now, uint64_t seed)
{
    y->p = pair_open(c);
    y->p->now = now;
    y->p->tap = tap;
    y->p->decided = decided;
    y->p->tap_ctx = y;
    y->p->net.log = on_network;
    y->p->net.log_ctx = y;
    score_peer_open(y);
    converse(y, seed);
    completed(y);
    const iba_time over = y->p->now;
    pair_close(y->p);
    return over;
}

/* ---- QPs that had another connection before ---- */

/* Longer than the observer assumes that a QP keeps its connection. The PSNs of the next connection are far from these.
 */
#define PAUSE UINT64_C(2000000000)
enum { OTHER_PSN = 0x5a5a5 };

/* Returns whether the end has a new QP, as end 1 has in networks with an odd number. */
static bool is_new(uint64_t seed, unsigned end)
{
    return end == 1 && seed % 2;
}

/* For each QP that had a connection before, the observer must report QP_REUSED for one packet to it, and not twice. */
static void reused(struct score_run *r, uint64_t seed)
{
    for (unsigned from = 0; from < 2; from++) {
        struct score_sight *chosen = NULL;
        for (struct score_sight *e = r->sight; e < r->sight + r->n_sight; e++)
            if (e->seen && !e->refused && r->frame[e->frame].from == from &&
                (!chosen || (e->found & ~chosen->found & SCORE_KIND(QP_REUSED))))
                chosen = e;
        if (chosen && !is_new(seed, 1 - from))
            chosen->must |= SCORE_KIND(QP_REUSED);
    }
}

/* The entries of the arrays are written before they are read. */
static void forget(struct score_run *r)
{
    memset((char *)r + offsetof(struct score_run, n_frame), 0, sizeof *r - offsetof(struct score_run, n_frame));
}

/* The capture also has the earlier connection, which other tests judge. */
static iba_time connection_before(struct score_play *y, struct pair_config *c, uint64_t seed)
{
    static struct score_run before;
    struct score_run *const r = y->r;

    forget(&before);
    before.mode = r->mode;
    before.network = SCORE_REUSED;
    y->r = &before;
    (void)connection(y, c, 0, seed);
    const uint32_t earlier = before.n_sight;
    const iba_time last = earlier ? before.sight[earlier - 1].at : 0;
    memset((char *)y + offsetof(struct score_play, cause), 0, sizeof *y - offsetof(struct score_play, cause));
    y->r = r;
    y->skip = y->delivered = 0;
    y->earlier = earlier;
    c->psn = (c->psn + OTHER_PSN) & IBA_PSN_MASK;
    c->earlier = is_new(seed, 1);
    return last + PAUSE;
}

void score_play(struct score_run *r, enum score_mode mode, enum score_network network, uint64_t seed)
{
    static struct score_play y;
    struct iba_net_faults faults = faults_of[network](seed);
    uint32_t *const rates[] = {&faults.lose, &faults.duplicate, &faults.corrupt, &faults.reorder, &faults.ecn_mark};
    for (unsigned i = 0; is_short && i < sizeof rates / sizeof *rates; i++)
        *rates[i] *= SHORT_FAULTS;
    struct pair_config c = pair_config_of(seed, 3 * (size_t)SLOT, &faults);

    memset(&y, 0, sizeof y);
    forget(r);
    r->mode = mode;
    r->network = network;
    y.r = r;
    y.skip = mode != SCORE_MIDSTREAM ? 0
             : is_short              ? 1 + (uint32_t)(seed * 13 % SHORT_SKIP)
                                     : 20 + (uint32_t)(seed * 13 % 200);
    iba_random_seed(&y.random, seed);
    y.observer = iba_observer_init(
        y.memory, &(struct iba_observer_config){
                      .n_flow = SCORE_FLOWS, .n_known = SCORE_FLOWS, .zeroed = true, .report = on_finding, .ctx = &y});
    const iba_time begin = network == SCORE_REUSED ? connection_before(&y, &c, seed) : 0;
    iba_observer_end(y.observer, connection(&y, &c, begin, seed) + HOUR);
    score_truth(r);
    if (network == SCORE_REUSED)
        reused(r, seed);
}

void score_play_short(struct score_run *r, enum score_mode mode, enum score_network network, uint64_t seed)
{
    is_short = true;
    score_play(r, mode, network, seed);
    is_short = false;
}
