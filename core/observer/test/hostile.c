/* SPDX-License-Identifier: BSD-2-Clause */
/* Two engines, a hostile network, and an observer. The observer's counts equal those of the simulator. The observer
 * never says that an engine that keeps the rules breaks one. IBPROOF_SEEDS sets the number of networks. */
#include <stdlib.h>
#include "adapter/test/pair.h"
#include "transport/iba_wr_ops.h"
#include "witness.h"
#include "wire/iba_opcode_rows.h"

enum { PLAIN = 4, MESSAGES = 24, SLOT = 4096, MOST = 4000, LOSS = 50000, MTU = 256 };
#define HOUR UINT64_C(3600000000000)

struct truth {
    uint64_t again, nak, rnr, copies, missing;
    uint64_t skipped; /* of those missing: the next new request jumps over them, and they were sent before */
};
struct scene {
    struct pair *p;
    struct witness *w;
    enum { AT_SENDERS, AT_RECEIVER, REQUESTS_ONLY, RESPONSES_ONLY } where;
    uint64_t skip; /* frames before the observer starts */
    bool plain;    /* SENDs and WRITEs only */
    bool rd;       /* by two RD QPs in turns */
    bool unready;  /* the receiver posts receives after the SENDs that need them */
    struct truth truth;
    bool began;
    iba_psn high;
    bool arrived, answered;
    /* next, furthest: one past the request that arrived last, and the highest; una: one past the highest answer that
     * left
     */
    iba_psn next, furthest, una;
};

static unsigned seeds(void)
{
    const char *s = getenv("IBPROOF_SEEDS");
    return s ? (unsigned)strtoul(s, NULL, 10) : 200;
}

static uint32_t psns(const struct iba_view *v)
{
    if (v->op != &iba_opcodes[IBA_RC_READ_REQUEST])
        return 1;
    const uint32_t n = iba_reth_dmalen(iba_view_hdr(v, IBA_H_reth));
    return n == 0 ? 1 : (n + MTU - 1) / MTU;
}

/* Records the sent requests in the simplest way: it keeps only the highest PSN. */
static void account(struct scene *s, unsigned from, const struct iba_view *v)
{
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(v)));

    if (v->op->dir == IBA_RSP) {
        const uint8_t kind = iba_view_has(v, IBA_H_aeth) ? iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth)) : 0;
        s->truth.rnr += kind == 1;
        s->truth.nak += kind == 3;
        return;
    }
    cr_assert_eq(from, 0, "only end 0 asks");
    const iba_psn end = iba_psn_add(psn, psns(v));
    s->truth.again += s->began && iba_psn_diff(psn, s->high) < 0;
    s->high = !s->began || iba_psn_diff(end, s->high) > 0 ? end : s->high;
    s->began = true;
}

static iba_psn later(iba_psn a, iba_psn b)
{
    return iba_psn_diff(a, b) > 0 ? a : b;
}

/* Counts at the receiver the PSNs that arriving requests jump over, unless these were answered before. */
static void account_arrival(struct scene *s, unsigned from, bool arrived, const struct iba_view *v)
{
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(v)));

    if (from == 1 && !arrived) {
        const bool ack = !iba_view_has(v, IBA_H_aeth) || iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth)) == 0;
        const iba_psn una = iba_psn_add(psn, ack);
        s->una = s->answered ? later(una, s->una) : una;
        s->answered = true;
    } else if (from == 0 && arrived) {
        iba_psn next = s->next;
        if (s->answered && iba_psn_diff(psn, s->una) >= 0)
            next = later(next, s->una);
        const uint32_t lost = s->arrived && iba_psn_diff(psn, next) > 0 ? (uint32_t)iba_psn_diff(psn, next) : 0;
        s->truth.missing += lost;
        s->truth.skipped += iba_psn_eq(psn, s->furthest) ? lost : 0;
        s->next = iba_psn_add(psn, psns(v));
        s->furthest = s->arrived ? later(s->next, s->furthest) : s->next;
        s->arrived = true;
    }
}

static bool visible(const struct scene *s, unsigned from, bool arrived, const struct iba_view *v)
{
    switch (s->where) {
    case AT_SENDERS: return !arrived;
    case AT_RECEIVER: return from == 0 ? arrived : !arrived;
    case REQUESTS_ONLY: return !arrived && v->op->dir == IBA_REQ;
    default: return !arrived && v->op->dir == IBA_RSP;
    }
}

static void tap(void *ctx, unsigned from, bool arrived, const struct iba_view *v)
{
    struct scene *s = ctx;

    if (!arrived)
        account(s, from, v);
    if (v->icrc == IBA_CHECK_GOOD && v->err == IBA_OK)
        account_arrival(s, from, arrived, v);
    if (!visible(s, from, arrived, v))
        return;
    s->w->frame++;
    if (s->w->frame > s->skip)
        (void)iba_observer_feed(s->w->observer,
                                &(struct iba_sighting){.view = v, .now = s->p->now, .frame = s->w->frame});
}

static void log_event(void *ctx, const struct iba_net_event *e)
{
    struct scene *s = ctx;

    s->truth.copies += e->what == IBA_NET_DUPLICATED && e->from == 0;
}

static void post(struct scene *s, uint64_t seed)
{
    static const uint8_t op[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_WRITE_IMM, IBA_WR_SEND_IMM,
                                 IBA_WR_READ, IBA_WR_READ,  IBA_WR_FETCH_ADD, IBA_WR_CMP_SWAP};
    struct iba_random r;
    struct iba_wc wc;

    iba_random_seed(&r, seed);
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct iba_send_wr wr = {.wr_id = i,
                                 .op = op[iba_random_below(&r, s->plain ? PLAIN : sizeof op)],
                                 .va = PAIR_VA,
                                 .rkey = s->p->end[1].rkey};
        const bool atomic = wr.op == IBA_WR_FETCH_ADD || wr.op == IBA_WR_CMP_SWAP;
        const struct pair_end *to = &s->p->end[1], *from = &s->p->end[0];
        const bool second = s->rd && i % 2;
        if (s->rd) {
            wr.rd.eecn = from->eecn;
            wr.rd.remote_qpn = second ? to->second_qpn : to->qpn;
            wr.rd.remote_qkey = PAIR_QKEY;
        }
        if (!s->unready)
            pair_post_recv_to(s->p, 1, second ? to->second_qpn : to->qpn, i, SLOT, MOST);
        /* READs fetch from a separate buffer. Otherwise a message would change between its copies. */
        pair_post_send_by(s->p, 0, second ? from->second_qpn : from->qpn, &wr,
                          atomic || wr.op == IBA_WR_READ ? SLOT : 0, atomic ? 8 : (uint32_t)iba_random_below(&r, MOST));
        if (s->unready) {
            cr_assert(pair_run(s->p, s->p->now + iba_random_below(&r, 400000)));
            pair_post_recv_to(s->p, 1, second ? to->second_qpn : to->qpn, i, SLOT, MOST);
        }
        if (iba_random_below(&r, 3) == 0)
            cr_assert(pair_run(s->p, s->p->now + iba_random_below(&r, 3000000)));
    }
    cr_assert(pair_run(s->p, s->p->now + HOUR));
    for (unsigned e = 0; e < 2; e++)
        while (pair_poll(s->p, e, &wc))
            cr_assert_eq(wc.status, IBA_WC_SUCCESS, "seed %u", (unsigned)seed);
    iba_observer_end(s->w->observer, s->p->now + HOUR);
}

static void play(struct scene *s, uint64_t seed, const struct iba_net_faults *faults)
{
    static struct witness w;
    struct pair_config c = pair_config_of(seed, 2 * (size_t)SLOT, faults);

    c.type = s->rd ? IBA_QPT_RD : IBA_QPT_RC;
    witness_init(&w, NULL);
    s->p = pair_open(&c);
    s->w = &w;
    s->p->tap = tap;
    s->p->tap_ctx = s;
    s->p->net.log = log_event;
    s->p->net.log_ctx = s;
    post(s, seed);
    pair_close(s->p);
}

static uint64_t again(const struct witness *w)
{
    return w->found[IBA_FINDING_RETRY_NAK] + w->found[IBA_FINDING_RETRY_RNR] + w->found[IBA_FINDING_RETRY_IMPLIED] +
           w->found[IBA_FINDING_RETRY_TIMEOUT] + w->found[IBA_FINDING_RETRY_UNCLEAR];
}

static void nothing_but(const struct witness *w, uint64_t seed, uint64_t allowed)
{
    for (unsigned k = 0; k < IBA_FINDING_FIRST_CM; k++)
        if (!(allowed >> k & 1))
            cr_assert_eq(w->found[k], 0, "seed %u: %u %s", (unsigned)seed, (unsigned)w->found[k], iba_findings[k].name);
}
#define ALLOW(kind) (UINT64_C(1) << IBA_FINDING_##kind)
#define RETRIES                                                                                                        \
    (ALLOW(RETRY_NAK) | ALLOW(RETRY_RNR) | ALLOW(RETRY_IMPLIED) | ALLOW(RETRY_TIMEOUT) | ALLOW(RETRY_UNCLEAR) |        \
     ALLOW(NAK_SEQUENCE) | ALLOW(NAK_IGNORED) | ALLOW(RNR)) /* the network may lose a NAK, too */
/* Findings that an engine may cause when a request reaches it twice. */
#define REPLIES (ALLOW(ACK_AGAIN) | ALLOW(ANSWER_AGAIN) | ALLOW(CREDIT_UPDATE))

static const struct iba_net_faults none = {.delay_ns = 1000};

Test(hostile, a_clean_exchange_has_no_findings)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {0};
        play(&s, seed, &none);
        nothing_but(s.w, seed, ALLOW(CREDIT_UPDATE));
        cr_assert_eq(s.truth.again, 0);
    }
}

Test(hostile, one_direction_alone_has_no_findings)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene requests = {.where = REQUESTS_ONLY}, responses = {.where = RESPONSES_ONLY};
        play(&requests, seed, &none);
        nothing_but(requests.w, seed, 0);
        play(&responses, seed, &none);
        nothing_but(responses.w, seed, 0);
    }
}

Test(hostile, an_observer_who_comes_late_sees_no_fault)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {.skip = 1 + seed * 7 % 120};
        play(&s, seed, &none);
        nothing_but(s.w, seed, ALLOW(CREDIT_UPDATE));
    }
}

Test(hostile, what_is_sent_again_is_counted)
{
    uint64_t total = 0;

    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {0};
        play(&s, seed, &(struct iba_net_faults){.delay_ns = 1000, .lose = LOSS});
        cr_assert_eq(again(s.w), s.truth.again, "seed %u: %u, sent %u", (unsigned)seed, (unsigned)again(s.w),
                     (unsigned)s.truth.again);
        cr_assert_eq(s.w->found[IBA_FINDING_NAK_SEQUENCE], s.truth.nak, "seed %u", (unsigned)seed);
        cr_assert_eq(s.w->found[IBA_FINDING_RNR], s.truth.rnr, "seed %u", (unsigned)seed);
        nothing_but(s.w, seed, RETRIES | REPLIES);
        total += s.truth.again;
    }
    cr_assert_gt(total, seeds(), "something was lost");
}

Test(hostile, what_was_lost_before_the_observer_is_a_gap)
{
    uint64_t total = 0;

    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {.where = AT_RECEIVER};
        play(&s, seed, &(struct iba_net_faults){.delay_ns = 1000, .lose = LOSS / 2});
        const uint64_t hidden = s.truth.missing - s.w->missing;
        cr_assert(s.w->missing <= s.truth.missing && hidden <= s.truth.skipped, "seed %u: %u missing, counted %u",
                  (unsigned)seed, (unsigned)s.w->missing, (unsigned)s.truth.missing);
        cr_assert_eq(s.w->found[IBA_FINDING_RNR], s.truth.rnr, "seed %u", (unsigned)seed);
        nothing_but(s.w, seed, RETRIES | REPLIES | ALLOW(GAP));
        total += s.w->missing;
    }
    cr_assert_gt(total, seeds(), "something was lost");
}

Test(hostile, copies_are_counted)
{
    uint64_t total = 0;

    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {.where = AT_RECEIVER, .plain = true};
        play(&s, seed, &(struct iba_net_faults){.delay_ns = 1000, .duplicate = 2 * LOSS});
        cr_assert_eq(s.w->found[IBA_FINDING_NETWORK_COPY], s.truth.copies, "seed %u: %u, made %u", (unsigned)seed,
                     (unsigned)s.w->found[IBA_FINDING_NETWORK_COPY], (unsigned)s.truth.copies);
        nothing_but(s.w, seed, REPLIES | ALLOW(NETWORK_COPY));
        total += s.truth.copies;
    }
    cr_assert_gt(total, seeds(), "something was copied");
}

Test(hostile, who_was_not_ready_is_waited_for)
{
    uint64_t total = 0;

    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {.unready = true};
        play(&s, seed, &none);
        cr_assert_eq(s.w->found[IBA_FINDING_RNR], s.truth.rnr, "seed %u", (unsigned)seed);
        cr_assert_eq(s.w->found[IBA_FINDING_RETRY_RNR], s.truth.again, "seed %u: %u, sent %u", (unsigned)seed,
                     (unsigned)s.w->found[IBA_FINDING_RETRY_RNR], (unsigned)s.truth.again);
        nothing_but(s.w, seed, ALLOW(RNR) | ALLOW(RETRY_RNR) | ALLOW(CREDIT_UPDATE));
        total += s.truth.rnr;
    }
    cr_assert_gt(total, seeds(), "somebody was not ready");
}

/* All faults happen at once. The observer cannot always find out what happened, but may report no broken rule, since
 * both engines keep the rules. */
static void expect_no_errors(bool rd)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {.where = seed % 2 ? AT_RECEIVER : AT_SENDERS, .rd = rd};
        play(&s, seed,
             &(struct iba_net_faults){.delay_ns = 1000,
                                      .jitter_ns = seed % 3 * 1000,
                                      .lose = LOSS / 4,
                                      .duplicate = LOSS / 4,
                                      .reorder = LOSS / 4,
                                      .reorder_ns = 20000,
                                      .corrupt = LOSS / 4,
                                      .ecn_mark = LOSS / 4});
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
            if (iba_findings[k].severity == IBA_ERROR && k != IBA_FINDING_BAD_ICRC && k != IBA_FINDING_MALFORMED &&
                k != IBA_FINDING_BAD_VCRC)
                cr_assert_eq(s.w->found[k], 0, "seed %u: %s", (unsigned)seed, iba_findings[k].name);
    }
}

Test(hostile, engines_never_break_a_rule)
{
    expect_no_errors(false);
}

/* Both directions of all RD QPs of an adapter share the PSNs of one EE context, RESYNCs skip some of them, and the
 * receiver of one QP may be not ready: nothing of that is a fault (UU-33, UU-34, UU-37). */
Test(hostile, reliable_datagrams_have_no_findings)
{
    for (uint64_t seed = 0; seed < seeds(); seed++) {
        struct scene s = {.where = seed % 2 ? AT_RECEIVER : AT_SENDERS, .rd = true, .unready = seed % 3 == 2};
        play(&s, seed, &none);
        nothing_but(s.w, seed, 0);
    }
    expect_no_errors(true);
}
