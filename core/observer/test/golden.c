/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact findings of the observer on talks: core/observer/test/talks.golden has a line for each. Two or three pairs
 * of queue pairs send requests, answer, go back, skip, wait and repeat as a seed says, more often wrongly than networks
 * do; the line has a digest of findings, decisions and results, and the count of each finding (test/golden.h says how
 * to renew it).
 *
 * core/observer/test/limits.golden has talks that aim at limits: their packets come exactly at a limit after one of the
 * packets before, or 1 ns sooner, and jump over as many PSNs as a limit allows, or one more. Some of them come late,
 * some belong to another service, and directions rest and fall silent soon. */
#include "observer/iba_decision.h"
#include "observer/iba_obs_look.h"
#include "shots.h"
#include "sim/iba_random.h"
#include "test/golden.h"

enum { TALKS = 600, AIMED = 800, SHOTS = 70, PAIRS = 3, MANY = 20, READS = 4, PAST = 8 };

static struct iba_random random_state;
static uint64_t digest;

static unsigned below(unsigned n)
{
    return (unsigned)(iba_random_next(&random_state) >> 33) % n;
}

static bool one_in(unsigned n)
{
    return below(n) == 0;
}

static void number(uint64_t value)
{
    digest = golden_number(digest, value);
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

static void on_decision(void *ctx, const struct iba_decision *row)
{
    (void)ctx;
    digest = golden_digest(digest, row->name, strlen(row->name));
}

static void on_answered(void *ctx, uint64_t frame)
{
    (void)ctx;
    number(frame);
}

/* ---- one pair of queue pairs ---- */

struct talk {
    uint32_t base, next, msn;
    struct {
        uint32_t psn, n, bytes;
        bool atomic;
    } read[READS];
    unsigned n_read;
    uint16_t id[2];           /* 0: that end does not count packets */
    uint8_t service;          /* bits of the opcode: RC or XRC */
    bool inside;              /* a message goes on */
    bool calm;                /* mistakes are rare, and each is asked for again */
    bool is_asked;            /* the responder asks for a PSN again */
    uint32_t asked, expected; /* PSNs */
};
static struct talk talks[MANY];

/* ---- talks that aim at limits ---- */

static bool aims;
static iba_time past[PAST]; /* of the newest packets */
static unsigned n_past;

/* Round trips take 10 us in these talks. The limits are half a round trip, three quarters, two and four of them, and
 * the observer's own times. */
static const iba_time limits[] = {IBA_OBS_LEAST_RTT_NS,
                                  IBA_OBS_AT_ONCE_NS,
                                  IBA_OBS_ROUND_NS,
                                  IBA_OBS_SOONEST_TIMEOUT_NS,
                                  IBA_OBS_FLIGHT_NS,
                                  4000,
                                  5000,
                                  7500,
                                  10000,
                                  11000,
                                  20000,
                                  21000,
                                  40000,
                                  44000,
                                  61000,
                                  70000,
                                  1280000, /* RNR NAK code 14 (WF-50) */
                                  3 * MS,
                                  5 * MS,
                                  50 * MS,
                                  60 * MS,
                                  61280000,
                                  100 * MS};

/* Returns the time that makes the next packet come exactly a limit after one of the newest packets, or 1 ns sooner. */
static iba_time aimed_wait(iba_time now)
{
    const iba_time at = past[below(PAST)] + limits[below(sizeof limits / sizeof *limits)] - below(2);

    return at >= now && one_in(2) ? at - now : 10000;
}

static unsigned aimed_jump(void)
{
    static const uint16_t jumps[] = {1, 2, 3, 4, IBA_OBS_MOST_LOST, IBA_OBS_JUMP, IBA_OBS_SENT};

    return (one_in(3) ? jumps[below(sizeof jumps / sizeof *jumps)] : 1 + below(4)) + below(2);
}

static void observe(struct witness *w, const struct shot *x, const struct talk *t, iba_time *now)
{
    static struct iba_recipe r;
    uint8_t payload[MTU + 8] = {0}, packet[CAP];
    const struct iba_observed *o;
    struct iba_view v;
    size_t len;

    payload[0] = x->how == OTHER_BYTES;
    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x->opcode | t->service);
    address(&r, x);
    headers(&r, x, t->base);
    uint8_t *bth = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_destqp(bth, iba_bth_destqp(bth) + 16 * (uint32_t)(t - talks));
    r.payload = payload;
    r.payload_len = x->bytes;
    r.icrc_mode = x->how == DAMAGED ? IBA_CRC_BAD : IBA_CRC_GOOD;
    cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
    *now += x->wait;
    past[n_past++ % PAST] = *now;
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len - x->cut, len, NULL);
    iba_view_check(&v);
    w->frame++;
    o = iba_observer_feed(w->observer, &(struct iba_sighting){.view = &v, .now = *now, .frame = w->frame});
    number(o->request.frame);
    number((unsigned)o->worst << 2 | (unsigned)o->copy << 1 | o->damaged);
    number(o->flow
               ? iba_flow_pmtu(o->flow) + (iba_flow_is_paired(o->flow) ? 1u : 0) + (iba_flow_is_guess(o->flow) ? 2u : 0)
               : 4);
}

static uint32_t packets_of(uint32_t bytes)
{
    return bytes <= MTU ? 1 : (bytes + MTU - 1) / MTU;
}

/* Returns the next request, in the middle of a message or at its beginning. */
static struct shot request(struct talk *t, uint32_t psn)
{
    struct shot x = {.from = A, .psn = psn, .bytes = 8};

    if (t->inside) {
        x.opcode = one_in(2) ? IBA_RC_SEND_MIDDLE : IBA_RC_SEND_LAST;
        x.bytes = x.opcode == IBA_RC_SEND_MIDDLE || one_in(8) ? MTU : 8;
        t->inside = x.opcode == IBA_RC_SEND_MIDDLE;
        return x;
    }
    switch (below(6)) {
    case 0:
        x.opcode = IBA_RC_SEND_FIRST;
        x.bytes = one_in(12) ? 128 : MTU;
        t->inside = true;
        break;
    case 1:
        x.opcode = IBA_RC_READ_REQUEST;
        x.bytes = 0;
        x.dma = one_in(3) ? 8 : MTU * (1 + below(5));
        t->read[t->n_read % READS].psn = psn;
        t->read[t->n_read % READS].atomic = false;
        t->read[t->n_read % READS].bytes = x.dma;
        t->read[t->n_read++ % READS].n = packets_of(x.dma);
        break;
    case 2:
        x.opcode = IBA_RC_FETCH_ADD;
        x.bytes = 0;
        t->read[t->n_read % READS].psn = psn;
        t->read[t->n_read % READS].atomic = true;
        t->read[t->n_read++ % READS].n = 1;
        break;
    case 3:
        x.opcode = IBA_RC_WRITE_ONLY;
        x.dma = one_in(10) ? 16 : 8;
        break;
    default: x.opcode = IBA_RC_SEND_ONLY; break;
    }
    x.how = one_in(4) ? ASKING : PLAIN;
    t->msn++;
    return x;
}

static struct shot acknowledge(const struct talk *t)
{
    static const uint8_t syndromes[] = {ACK, ACK, ACK, ACK, 0x05, RNR, 0x21, NAK, NAK, NAK + 1, NAK + 2, NAK + 4, 0x85};

    return (struct shot){.opcode = IBA_RC_ACKNOWLEDGE,
                         .from = B,
                         .psn = t->next + 1 - below(one_in(3) ? 8 : 3),
                         .syndrome = syndromes[below(one_in(3) ? sizeof syndromes : 4)],
                         .msn = t->msn - (one_in(4) ? below(4) : 0)};
}

/* Returns a response with data, most often for a READ or ATOMIC that was requested. */
static struct shot answer(struct talk *t)
{
    const unsigned i = below(READS);
    const uint32_t n = t->read[i].n ? t->read[i].n : 1, at = below(n);
    struct shot x = {.from = B, .psn = t->read[i].psn + at, .syndrome = ACK, .msn = t->msn};

    if (t->read[i].atomic != one_in(20)) {
        x.opcode = IBA_RC_ATOMIC_ACKNOWLEDGE;
        return x;
    }
    x.opcode = n == 1        ? IBA_RC_READ_RESP_ONLY
               : at == 0     ? IBA_RC_READ_RESP_FIRST
               : at == n - 1 ? IBA_RC_READ_RESP_LAST
                             : IBA_RC_READ_RESP_MIDDLE;
    x.bytes = (uint16_t)(x.opcode == IBA_RC_READ_RESP_FIRST || x.opcode == IBA_RC_READ_RESP_MIDDLE ? MTU : 8);
    if (one_in(15))
        x.bytes = 16;
    return x;
}

/* Sends all responses of the newest READ. Sometimes one is missing, or exchanged with the next. */
static void answer_all(struct witness *w, struct talk *t, iba_time *now)
{
    const unsigned i = (t->n_read + READS - 1) % READS, lost = one_in(3) ? below(6) : 99,
                   early = one_in(4) ? below(5) : 99;

    for (uint32_t k = 0; k < t->read[i].n; k++) {
        const uint32_t at = k == early && k + 1 < t->read[i].n ? k + 1 : k == early + 1 ? k - 1 : k;
        struct shot x = {
            .from = B, .psn = t->read[i].psn + at, .syndrome = ACK, .msn = t->msn, .wait = 1000, .bytes = MTU};
        x.opcode = t->read[i].atomic        ? IBA_RC_ATOMIC_ACKNOWLEDGE
                   : t->read[i].n == 1      ? IBA_RC_READ_RESP_ONLY
                   : at == 0                ? IBA_RC_READ_RESP_FIRST
                   : at + 1 == t->read[i].n ? IBA_RC_READ_RESP_LAST
                                            : IBA_RC_READ_RESP_MIDDLE;
        x.bytes = (uint16_t)(t->read[i].atomic ? 0 : t->read[i].n == 1 ? 8 : MTU);
        x.id = t->id[B] ? t->id[B]++ : 0;
        if (k != lost)
            observe(w, &x, t, now);
    }
}

static uint64_t some_wait(void)
{
    static const uint64_t waits[] = {500,     2000,    200000,   700000,   2 * MS,
                                     20 * MS, 70 * MS, 140 * MS, 400 * MS, 5000 * MS};

    return one_in(4) ? waits[below(sizeof waits / sizeof *waits)] : 10000;
}

/* Sends the next packet of a calm talk: the responder asks for a missing request or for time, and the requester goes
 * back to that request. */
static bool calm_shot(struct talk *t, struct shot *x)
{
    if (!t->calm)
        return false;
    if (t->is_asked && !one_in(4)) {
        t->next = t->asked;
        t->is_asked = t->inside = false;
        *x = request(t, t->next++);
        t->expected = t->next;
        return true;
    }
    if (!one_in(5))
        return false;
    const bool busy = one_in(3);
    *x = acknowledge(t);
    x->psn = t->expected < t->next ? t->expected : t->next - 1;
    x->syndrome = busy ? RNR : t->expected < t->next ? NAK : ACK;
    if (x->syndrome != ACK) {
        t->is_asked = true;
        t->asked = x->psn;
    }
    return true;
}

/* Returns an IP identification as far ahead or behind as the observer still takes for the sender's counter, or one
 * farther. */
static uint16_t aimed_id(uint16_t next)
{
    const uint16_t step = (uint16_t)(1024 + below(2));

    return (uint16_t)(one_in(2) ? next - step : next + step);
}

/* Damages the packet, or gives it a syndrome that few responders send, or an IP identification far from the last
 * one. */
static void disturb(const struct talk *t, struct shot *x)
{
    static const uint8_t syndromes[] = {0x40, NAK + 3, NAK + 5, 0x7f, RNR + 1};

    if (x->from == B && x->syndrome && one_in(12))
        x->syndrome = syndromes[below(sizeof syndromes)];
    if (one_in(15))
        x->how = DAMAGED;
    if (t->id[x->from] && one_in(10))
        x->id = aimed_id(t->id[x->from]);
}

/* Turns the packet into one of a UC or UD queue pair with the same number. */
static void other_service(struct shot *x)
{
    if (one_in(2))
        x->opcode = IBA_UD_SEND_ONLY;
    else if (x->opcode <= IBA_RC_WRITE_ONLY)
        x->opcode |= IBA_UC << 5;
}

static struct shot some_shot(struct talk *t, iba_time now)
{
    struct shot x;
    unsigned what = below(20);

    if (t->calm && what < 3 && !one_in(4))
        what = 10;
    if (what > 2 && calm_shot(t, &x))
        what = 20;
    switch (what) {
    case 20: break;
    case 0:
    case 1: /* goes back */
        x = request(t, t->next - 1 - below(6));
        x.how = one_in(8) ? OTHER_BYTES : x.how;
        if (one_in(2))
            t->next = x.psn + 1;
        break;
    case 2: /* jumps */
        t->next += aims ? aimed_jump() : 1 + below(one_in(20) ? 3000 : 3);
        x = request(t, t->next++);
        break;
    case 3:
    case 4:
    case 5:
    case 6: x = acknowledge(t); break;
    case 7: x = answer(t); break;
    default:
        x = request(t, t->next);
        t->expected += t->expected == t->next;
        t->next += x.opcode == IBA_RC_READ_REQUEST ? packets_of(x.dma) : 1;
        break;
    }
    x.wait = aims ? aimed_wait(now) : some_wait();
    if (t->id[x.from])
        x.id = (uint16_t)(one_in(10) ? t->id[x.from] - 1 - below(4) : t->id[x.from]++);
    if (one_in(25)) {
        static const uint8_t hows[] = {DAMAGED,   STRANGER, OTHER_PKEY, MARKED,  OTHER_BYTES,
                                       OTHER_KEY, OTHER_QP, BAD_PAD,    FARTHER, OTHER_PORT};
        x.how = hows[below(sizeof hows)];
    }
    if (one_in(40))
        x.cut = (uint16_t)below(20);
    if (aims)
        disturb(t, &x);
    if (aims && one_in(30))
        other_service(&x);
    return x;
}

static void begin(struct talk *t)
{
    *t = (struct talk){.base = one_in(3) ? 0xfffff0 : 0x1000, .next = 10};
    t->expected = t->next;
    t->calm = !one_in(3);
    t->id[A] = one_in(2) ? (uint16_t)(1 + below(65000)) : 0;
    t->id[B] = one_in(2) ? (uint16_t)(1 + below(65000)) : 0;
    t->service = aims && one_in(5) ? IBA_XRC << 5 : 0;
}

static struct {
    struct shot x;
    const struct talk *t;
    unsigned left; /* packets that come before the kept one */
} held;

/* Delivers a packet, keeps it to deliver it later, or also delivers one that was kept. */
static void deliver(struct witness *w, const struct shot *x, const struct talk *t, iba_time *now)
{
    if (aims && held.left == 0 && one_in(8)) {
        held.x = *x;
        held.x.wait = 1000;
        held.t = t;
        held.left = 1 + below(3);
        return;
    }
    observe(w, x, t, now);
    if (held.left > 0 && --held.left == 0)
        observe(w, &held.x, held.t, now);
}

static void one_talk(struct witness *w)
{
    const unsigned pairs = aims && one_in(4) ? MANY : 1 + below(PAIRS);
    const unsigned shots = pairs == MANY ? 4 * SHOTS : SHOTS;
    iba_time now = MS;

    held.left = 0;
    memset(past, 0, sizeof past);
    n_past = 0;
    for (unsigned i = 0; i < (aims ? MANY : PAIRS); i++)
        begin(&talks[i]);
    for (unsigned i = 0; i < shots; i++) {
        struct talk *t = &talks[below(pairs)];
        if (one_in(12)) {
            answer_all(w, t, &now);
            continue;
        }
        const struct shot x = some_shot(t, now);
        deliver(w, &x, t, &now);
        if (one_in(20))
            observe(w,
                    &(struct shot){.opcode = x.opcode,
                                   .from = x.from,
                                   .psn = x.psn,
                                   .bytes = x.bytes,
                                   .syndrome = x.syndrome,
                                   .msn = x.msn,
                                   .dma = x.dma,
                                   .id = x.id,
                                   .wait = one_in(2) ? 1000 : 3 * MS},
                    t, &now);
    }
    iba_observer_end(w->observer, one_in(2) ? now : now + 5000 * MS);
}

/* Compares a line for each talk from number `first` on with the file. */
static void compare(const char *path, unsigned first, unsigned n)
{
    /* directions that all have room, that rest and come back, or that are forgotten */
    static const struct iba_observer_config rooms[] = {
        {0}, {.n_flow = 2, .n_known = 12}, {.n_flow = 4, .n_known = 4}, {.pmtu = MTU}};
    static const struct iba_observer_config soon[] = {{.n_flow = 16, .n_known = 64, .silence_ns = 10 * MS},
                                                      {.n_flow = 2, .n_known = 12, .rest_ns = 3 * MS},
                                                      {.n_flow = 2, .n_known = 4, .rest_ns = MS},
                                                      {.n_known = 48, .pmtu = MTU, .copy_ns = 10000, .late_ns = 20000}};
    struct golden g = golden_open(path);
    static struct witness w;

    for (unsigned i = first; i < first + n; i++) {
        struct iba_observer_config room = (aims ? soon : rooms)[i % 4];
        char line[GOLDEN_LINE];
        int len;
        iba_random_seed(&random_state, i);
        digest = GOLDEN_EMPTY;
        witness_init(&w, &room);
        w.observer->cfg.report = on_finding;
        w.observer->cfg.decided = on_decision;
        w.observer->cfg.answered = aims && i % 8 >= 4 ? NULL : on_answered;
        one_talk(&w);
        cr_assert(sound(w.observer), "talk %u", i);
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
            cr_assert_eq(w.observer->found[k], w.found[k], "talk %u: %s", i, iba_findings[k].name);
        len = snprintf(line, sizeof line, "%u %016" PRIx64, i, digest);
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
            if (w.found[k])
                len += snprintf(line + len, sizeof line - (size_t)len, " %s=%u", iba_findings[k].name,
                                (unsigned)w.found[k]);
        memcpy(line + len, "\n", 2);
        golden_line(&g, line);
    }
    golden_close(&g);
}

Test(golden, findings_on_talks_are_the_same)
{
    compare(IBPROOF_SOURCE_DIR "/core/observer/test/talks.golden", 0, TALKS);
}

Test(golden, findings_at_limits_are_the_same)
{
    aims = true;
    compare(IBPROOF_SOURCE_DIR "/core/observer/test/limits.golden", TALKS, AIMED);
}
