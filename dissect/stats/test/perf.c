/* SPDX-License-Identifier: BSD-2-Clause */
/* Each row of the table of limits decides alone. Also the figures of -z perf for conversations made by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "feed.h"
#include "observer/iba_finding_kinds.h"
#include "perf_pauses.h"
#include "sim/iba_random.h"
#include "stats/perf_print.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

enum { MESSAGES = 100, US = 1000 };

/* A sender with MESSAGES pauses of one kind: `wait` and `gap` each. */
struct history {
    const char *row;
    enum perf_pause pause;
    enum perf_part part;
    uint64_t wait, gap; /* us */
    /* Optional: */
    enum { PLAIN, NO_RESPONSES, GUESSED, AT_RECEIVER, EVEN_PORT, EVEN, CLOCKED, OPEN, FULL, RESTS, FEW_MESSAGES } but;
    enum perf_limit limit;
};
static const struct history histories[] = {
    {"one_sided", PERF_PAUSE_OWN, PERF_GAP, 0, 10, NO_RESPONSES, PERF_UNKNOWN},
    {"guessed", PERF_PAUSE_ONE, PERF_WAIT, 10, 1, GUESSED, PERF_UNKNOWN},
    {"at_receiver", PERF_PAUSE_ONE, PERF_WAIT, 1, 10, AT_RECEIVER, PERF_UNKNOWN},
    {"hidden", PERF_PAUSE_HIDDEN, PERF_WAIT, 10, 1, PLAIN, PERF_UNKNOWN},
    {"cut_off", PERF_PAUSE_END, PERF_WAIT, 10, 0, PLAIN, PERF_UNKNOWN},
    {"not_ready", PERF_PAUSE_RNR, PERF_WAIT, 10, 80, PLAIN, PERF_RNR},
    {"again", PERF_PAUSE_AGAIN, PERF_WAIT, 10, 1000, PLAIN, PERF_LOSS},
    {"uneven", PERF_PAUSE_UNEVEN, PERF_GAP, 0, 10, PLAIN, PERF_UNKNOWN},
    {"slowed", PERF_PAUSE_CNP, PERF_GAP, 0, 10, PLAIN, PERF_CONGESTION},
    {"port_speed", PERF_PAUSE_REQUEST, PERF_GAP, 0, 1, EVEN_PORT, PERF_LINE},
    {"even_packets", PERF_PAUSE_REQUEST, PERF_GAP, 0, 1, EVEN, PERF_PACED},
    {"packets", PERF_PAUSE_RESPONSE, PERF_GAP, 0, 1, PLAIN, PERF_SENDER},
    {"few_messages", PERF_PAUSE_OWN, PERF_GAP, 0, 10, FEW_MESSAGES, PERF_UNKNOWN},
    {"clock", PERF_PAUSE_MANY, PERF_GAP, 5, 5, CLOCKED, PERF_PACED},
    {"kept_reads", PERF_PAUSE_READS, PERF_WAIT, 1, 5, FULL, PERF_READS},
    {"kept_full", PERF_PAUSE_OWN, PERF_GAP, 0, 1, FULL, PERF_WINDOW},
    {"own_time", PERF_PAUSE_OWN, PERF_GAP, 0, 10, PLAIN, PERF_IDLE},
    {"open_loop", PERF_PAUSE_ONE, PERF_WAIT, 10, 1, OPEN, PERF_IDLE},
    {"credits", PERF_PAUSE_CREDIT, PERF_WAIT, 10, 1, PLAIN, PERF_CREDITS},
    {"read_depth", PERF_PAUSE_READS, PERF_WAIT, 10, 1, PLAIN, PERF_READS},
    {"window", PERF_PAUSE_MANY, PERF_WAIT, 10, 1, PLAIN, PERF_WINDOW},
    {"one_by_one", PERF_PAUSE_ONE, PERF_GAP, 10, 1, PLAIN, PERF_LATENCY},
    {"rest", PERF_PAUSE_MANY, PERF_WAIT, 1, 10, PLAIN, PERF_IDLE},
    {"wait_for_one", PERF_PAUSE_ONE, PERF_WAIT, 1, 10, PLAIN, PERF_LATENCY},
    {"wait_for_all", PERF_PAUSE_ALL, PERF_WAIT, 1, 10, PLAIN, PERF_WINDOW},
    {"nothing_new", PERF_PAUSE_ONE, PERF_GAP, 10, 500, RESTS, PERF_IDLE},
    {"reaction", PERF_PAUSE_ONE, PERF_FLOOR, 10, 500, RESTS, PERF_LATENCY},
    {"long_silence", PERF_PAUSE_ONE, PERF_FLOOR, 10, 2000, PLAIN, PERF_IDLE},
    {"far_or_idle", PERF_PAUSE_ONE, PERF_FLOOR, 10, 100, PLAIN, PERF_UNKNOWN},
};

static void make(struct perf_sender *s, struct direction *d, const struct history *h)
{
    enum { LENGTH = 1000, PORT_NS = 839 }; /* 1024 bytes and the overhead of 1000 at 10 Gbit/s */

    memset(s, 0, sizeof *s);
    *d = (struct direction){.svc = IBA_RC, .guess = h->but == GUESSED};
    s->d = d;
    s->messages = s->answers = s->responses = MESSAGES;
    s->quickest = h->but == AT_RECEIVER ? 500 : 10 * US;
    s->response_ns = (uint64_t)MESSAGES * 10 * US;
    s->start = (struct perf_even){.n = MESSAGES, .sum = MESSAGES * 10 * US, .off = MESSAGES * 5 * US};
    s->pace[0].each = s->pace[1].each = (struct perf_even){.n = MESSAGES, .sum = MESSAGES * US, .off = MESSAGES * US};
    perf_pauses(s, h->pause, MESSAGES, h->wait * US, h->gap * US);
    if (h->but == NO_RESPONSES)
        s->answers = 0;
    if (h->but == EVEN || h->but == EVEN_PORT) {
        s->pace[0].each = (struct perf_even){.n = MESSAGES, .sum = MESSAGES * (h->but == EVEN ? 2 * US : PORT_NS)};
        s->pace_len = (struct perf_even){.n = MESSAGES, .sum = MESSAGES * LENGTH};
    }
    if (h->but == CLOCKED) {
        s->start.off = 0;
        s->evener = MESSAGES;
        s->react = (struct perf_even){.n = MESSAGES, .sum = MESSAGES * US, .off = MESSAGES * 100};
    }
    if (h->but == FEW_MESSAGES)
        s->messages = 7;
    if (h->but == OPEN)
        perf_pauses(s, PERF_PAUSE_OWN, MESSAGES, 0, 10 * US);
    if (h->but == FULL)
        s->full = MESSAGES;
    if (h->but == RESTS) /* few soon reactions: they do not prove that responses release messages */
        perf_pauses(s, h->pause, MESSAGES / 5, 10 * US, US);
}

Test(perf, each_row_decides_alone)
{
    static struct perf_sender s;
    struct direction d;

    cr_assert_eq(sizeof histories / sizeof *histories, perf_n_rules);
    for (unsigned i = 0; i < perf_n_rules; i++) {
        const struct history *h = &histories[i];
        make(&s, &d, h);
        const struct perf_piece c = {
            .s = &s, .pause = (uint8_t)h->pause, .class = (uint8_t)perf_class_of(h->gap * US), .part = h->part};
        const struct perf_rule *r = perf_decide(&c);
        cr_expect_str_eq(perf_rules[i].name, h->row);
        cr_expect_str_eq(r->name, h->row, "%s decides, not %s", r->name, h->row);
        cr_expect_eq(r->limit, h->limit, "%s", h->row);
        cr_expect(r->sentence[0] && r->clause[0]);
    }
}

Test(perf, shares_add_up_to_the_life)
{
    static struct perf_sender s;
    struct direction d;

    for (unsigned i = 0; i < perf_n_rules; i++) {
        make(&s, &d, &histories[i]);
        const struct perf_shares x = perf_shares_of(&s);
        uint64_t sum = 0, life = 0;
        for (unsigned k = 0; k < PERF_LIMIT_COUNT; k++)
            sum += x.ns[k];
        for (unsigned k = 0; k < PERF_PAUSES; k++)
            life += s.sum[k].wait + s.sum[k].gap;
        cr_expect_eq(sum, x.life);
        cr_expect_eq(life, x.life);
    }
}

/* ---- a conversation ---- */

struct talk {
    struct feed f;
    struct direction d[2];
    struct verdict_names names;
    struct verdict v;
    int64_t now;
};

static void begin(struct talk *t)
{
    memset(t, 0, sizeof *t);
    feed_open(&t->f, "perf");
    for (uint32_t i = 0; i < 2; i++) {
        struct direction *d = &t->d[i];
        *d = (struct direction){.id = i, .peer = 2 - i, .svc = IBA_RC, .pmtu = 1024, .knows_source_qp = true};
        d->key.kind = IBA_ADDR_IPV4;
        d->key.src[0] = d->key.dst[0] = 10;
        d->key.src[3] = (uint8_t)(1 + i);
        d->key.dst[3] = (uint8_t)(2 - i);
        d->key.qpn = 16 + i;
        d->source_qp = 17 - i;
    }
    t->names.direction = t->d;
}

static void at_with(struct talk *t, int64_t us, unsigned from, uint8_t opcode, uint32_t psn, uint8_t words)
{
    const struct spec s = {
        .proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = opcode, .p_key = 0xffff, .psn = psn, .words = words};
    const struct frame frame = frame_of(&s);

    t->v = (struct verdict){.names = &t->names, .direction = &t->d[from]};
    t->f.p.verdict = &t->v;
    t->now += us * US + 1;
    feed(&t->f, &frame, t->now);
}

static void at(struct talk *t, int64_t us, unsigned from, uint8_t opcode, uint32_t psn)
{
    at_with(t, us, from, opcode, psn, 16);
}

/* Ten messages are sent one by one: 10 us to the response, and 1 us to the next message. After a pause of 890 us one
 * more message follows. */
Test(perf, one_by_one_and_a_pause)
{
    static struct talk t;

    begin(&t);
    for (uint32_t i = 0; i < 11; i++) {
        at(&t, i == 0 ? 0 : i == 10 ? 891 : 1, 0, IBA_RC_SEND_ONLY, i);
        at(&t, 10, 1, IBA_RC_ACKNOWLEDGE, i);
    }
    char *text = printed(&t.f, false), *json = printed(&t.f, true);
    cr_expect(strstr(text, "10.0.0.1 QP 0x000011 to 10.0.0.2 QP 0x000010: limited by an idle sender"), "%s", text);
    cr_expect(strstr(text, "88.2 % of the time"), "%s", text);
    cr_expect(strstr(json, "\"limit\":\"idle\""), "%s", json);
    cr_expect(strstr(json, "\"messages\":11,\"payload_bytes\":704,"), "%s", json);
    cr_expect(strstr(json, "\"outstanding_max\":1,"), "%s", json);
    free(text);
    free(json);
    feed_close(&t.f);
}

/* If the capture lacks the responses to a direction, nothing is reported about what limits it. */
Test(perf, without_responses_nothing_is_said)
{
    static struct talk t;

    begin(&t);
    for (uint32_t i = 0; i < 20; i++)
        at(&t, 50 + i % 7, 0, IBA_RC_SEND_ONLY, i);
    char *text = printed(&t.f, false);
    cr_expect(strstr(text, "the limit is not visible in this capture: 100.0 % of the time"), "%s", text);
    free(text);
    feed_close(&t.f);
}

/* Messages are sent one by one, and every second response comes 30 us later than the others. The queue's share is half
 * of the wait beyond the shortest response time. */
Test(perf, a_queue_has_what_is_beyond_the_shortest)
{
    static struct talk t;

    begin(&t);
    for (uint32_t i = 0; i < 100; i++) {
        at(&t, i == 0 ? 0 : 1, 0, IBA_RC_SEND_ONLY, i);
        at(&t, i % 2 ? 40 : 10, 1, IBA_RC_ACKNOWLEDGE, i);
    }
    const struct perf_sender *s = &((const struct perf *)t.f.state)->sender[0];
    cr_expect(perf_queueing(s) > 0.57 && perf_queueing(s) < 0.61, "%f", perf_queueing(s));
    char *text = printed(&t.f, false);
    cr_expect(strstr(text, "limited by a queue: responses take longer than the shortest ones"), "%s", text);
    free(text);
    feed_close(&t.f);
}

/* Four WRITEs of 60 packets. Each packet is due 29 ms after the packet before, and comes up to 12 ms late, as a packet
 * of a limiter on a busy machine does. With `schedule` it is due after the time when the packet before was due, so a
 * late packet shortens the next pause. Otherwise the pauses have the same mean and the same jitter, but do not depend
 * on each other: the sender itself is slow. */
static bool is_limited_by(const char *words, bool schedule, uint64_t seed)
{
    enum { PACKETS = 60, DUE_US = 29000, LATE_US = 12000, LONG = 60 /* words of payload */ };
    struct iba_random random;
    static struct talk t;
    int64_t was = 0;

    iba_random_seed(&random, seed);
    begin(&t);
    for (uint32_t i = 0; i < 4 * PACKETS; i++) {
        const uint32_t place = i % PACKETS;
        const uint8_t opcode = place == 0             ? IBA_RC_WRITE_FIRST
                               : place == PACKETS - 1 ? IBA_RC_WRITE_LAST
                                                      : IBA_RC_WRITE_MIDDLE;
        const int64_t late = (int64_t)iba_random_below(&random, LATE_US);
        at_with(&t, i == 0 ? 0 : DUE_US + late - was, 0, opcode, i, LONG);
        was = schedule ? late : (int64_t)iba_random_below(&random, LATE_US);
        if (place == PACKETS - 1)
            at(&t, 1, 1, IBA_RC_ACKNOWLEDGE, i);
    }
    char *text = printed(&t.f, false);
    const bool found = strstr(text, words);
    free(text);
    feed_close(&t.f);
    return found;
}

Test(perf, late_packets_of_a_schedule_are_paced)
{
    enum { SEEDS = 200 };
    unsigned paced = 0, slow = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        paced += is_limited_by("limited by pacing: packets leave at even gaps", true, seed);
        slow += is_limited_by("limited by the sender: packets follow each other", false, seed);
    }
    cr_expect_geq(100 * paced, 98 * SEEDS, "%u of %u", paced, (unsigned)SEEDS);
    cr_expect_geq(100 * slow, 98 * SEEDS, "%u of %u", slow, (unsigned)SEEDS);
}

/* A CNP belongs to no direction. The responder sends it to the QP of the sender, and so the sender is found. */
Test(perf, a_notification_finds_its_sender)
{
    static struct talk t;
    const struct spec cnp = {.proto = IBA_PROTO_ROCE2,
                             .src = 2,
                             .dst = 1,
                             .opcode = IBA_CNP_ROCE,
                             .p_key = 0xffff,
                             .dest_qp = 17,
                             .words = 0};
    const struct frame frame = frame_of(&cnp);

    begin(&t);
    for (uint32_t i = 0; i < 40; i++) {
        at(&t, 10, 0, IBA_RC_SEND_ONLY, i);
        at(&t, 10, 1, IBA_RC_ACKNOWLEDGE, i);
    }
    const struct perf_sender *s = &((const struct perf *)t.f.state)->sender[0];
    cr_expect_eq(s->cnp_at, 0);
    t.v = (struct verdict){.names = &t.names};
    t.f.p.verdict = &t.v;
    feed(&t.f, &frame, t.now);
    cr_expect_neq(s->cnp_at, 0);
    const uint64_t was = s->cnp_at;
    t.d[1].peer = 0; /* the pair was a wrong guess */
    feed(&t.f, &frame, t.now + US);
    cr_expect_eq(s->cnp_at, was);
    feed_close(&t.f);
}

/* Time goes on over many buckets: each two become one, and none is lost. */
Test(perf, buckets_keep_every_byte)
{
    static struct talk t;

    begin(&t);
    for (uint32_t i = 0; i < 500; i++)
        at(&t, 1000, 0, IBA_RC_SEND_ONLY, i);
    const struct perf_sender *s = &((const struct perf *)t.f.state)->sender[0];
    uint64_t bytes = 0, messages = 0;
    for (unsigned i = 0; i < s->n_bucket; i++) {
        bytes += s->bucket[i].bytes;
        messages += s->bucket[i].messages;
    }
    cr_expect_eq(bytes, s->bytes);
    cr_expect_eq(messages, 500);
    cr_expect_eq(s->bucket_ns, 16384 * (uint64_t)US);
    feed_close(&t.f);
}

/* ---- packets that do not count ---- */

/* Copies that the network made, packets without a time or with a bad ICRC, those that another capture point had
 * before, and those of no direction. */
Test(perf, packets_that_do_not_count)
{
    static struct talk t;
    const struct spec s = {.proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = IBA_RC_SEND_ONLY, .words = 2};
    struct spec bad = s;
    const struct frame frame = frame_of(&s);

    begin(&t);
    at(&t, 10, 0, IBA_RC_SEND_ONLY, 1);
    const struct verdict plain = {.names = &t.names, .direction = &t.d[0]};
    t.v = plain;
    verdict_add(&t.v, &(struct iba_finding){.kind = IBA_FINDING_NETWORK_COPY});
    feed(&t.f, &frame, t.now);
    t.v = plain;
    t.v.same_as = 1;
    feed(&t.f, &frame, t.now);
    t.v = plain;
    t.v.direction = NULL;
    feed(&t.f, &frame, t.now);
    t.v = plain;
    feed(&t.f, &frame, UNTIMED);
    bad.bad_icrc = true;
    const struct frame damaged = frame_of(&bad);
    feed(&t.f, &damaged, t.now);
    at(&t, 10, 1, IBA_RC_ACKNOWLEDGE, 1);
    t.d[1].peer = 0; /* answers of which no request is known */
    at(&t, 10, 1, IBA_RC_ACKNOWLEDGE, 2);
    const struct perf *perf = t.f.state;
    cr_expect_eq(perf->sender[0].packets, 1);
    cr_expect_eq(perf->sender[0].answers, 1);
    char *text = printed(&t.f, false), *json = printed(&t.f, true);
    cr_expect(strstr(text, "\nPackets without a time, left out: 1\n==="), "%s", text);
    cr_expect(strstr(json, "\"untimed\":1,\"beyond\":0,"), "%s", json);
    free(text);
    free(json);
    feed_close(&t.f);
}

/* A packet that is older than the one before it counts at the time of that one. */
Test(perf, times_do_not_step_back)
{
    static struct talk t;

    begin(&t);
    at(&t, 10, 0, IBA_RC_SEND_ONLY, 1);
    at(&t, 50, 0, IBA_RC_SEND_ONLY, 2);
    at(&t, -30, 0, IBA_RC_SEND_ONLY, 3);
    const struct perf_sender *s = &((const struct perf *)t.f.state)->sender[0];
    cr_expect_eq(s->last - s->first, 50 * US + 1);
    at(&t, 40, 0, IBA_RC_SEND_ONLY, 4);
    cr_expect_eq(s->last - s->first, 60 * US + 3);
    feed_close(&t.f);
}

/* 8192 senders are followed. The requests of further ones are counted. */
Test(perf, senders_beyond_the_table)
{
    enum { FOLLOWED = 8192 };
    static struct talk t;
    static struct direction many[FOLLOWED + 2];
    const struct spec s = {.proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = IBA_RC_SEND_ONLY, .words = 2};
    const struct frame frame = frame_of(&s);

    begin(&t);
    for (uint32_t i = 0; i < FOLLOWED + 2; i++) {
        many[i] = t.d[0];
        many[i].id = i;
        many[i].peer = 0;
        t.v = (struct verdict){.names = &t.names, .direction = &many[i]};
        t.f.p.verdict = &t.v;
        feed(&t.f, &frame, i);
    }
    t.v.direction = &many[FOLLOWED - 1];
    feed(&t.f, &frame, FOLLOWED + 9);
    char *text = printed(&t.f, false);
    cr_expect(strstr(text, "\nRequests of directions beyond these, not followed: 2\n==="));
    free(text);
    cr_expect_eq(((const struct perf *)t.f.state)->sender[FOLLOWED - 1].packets, 2);
    feed_close(&t.f);
}

/* ---- sentences ---- */

/* Limits of 1 % or more, the largest first; percents are rounded to tenths. */
Test(perf, shares_as_a_sentence)
{
    static const struct {
        struct perf_shares shares;
        const char *says;
    } rows[] = {
        {{.ns = {[PERF_WINDOW] = 80, [PERF_IDLE] = 20}, .life = 100},
         "limited by a full window: the next message waits for the response to an earlier one: 80.0 % of the time; an "
         "idle "
         "sender: it is given nothing to send: 20.0 %"},
        {{.ns = {[PERF_UNKNOWN] = 60, [PERF_IDLE] = 40}, .life = 100},
         "the limit is not visible in this capture: 60.0 % of the time; an idle sender: it is given nothing to send: "
         "40.0 %"},
        {{.ns = {[PERF_RNR] = 9900, [PERF_LOSS] = 100}, .life = 10000},
         "limited by a receiver that is not ready (RNR NAK): 99.0 % of the time"},
        {{.ns = {[PERF_RNR] = 9899, [PERF_LOSS] = 101}, .life = 10000},
         "limited by a receiver that is not ready (RNR NAK): 99.0 % of the time; loss: waiting until a packet is sent "
         "again: "
         "1.0 %"},
        {{.ns = {[PERF_RNR] = 6666, [PERF_LOSS] = 3334}, .life = 10000},
         "limited by a receiver that is not ready (RNR NAK): 66.7 % of the time; loss: waiting until a packet is sent "
         "again: "
         "33.3 %"},
    };
    static struct out o;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        out_init(&o, -1);
        perf_say_shares(&o, &rows[i].shares);
        o.buf[o.n] = '\0';
        cr_expect_str_eq(o.buf, rows[i].says, "row %zu: %s", i, o.buf);
    }
}

Test(perf, all_connections_as_a_sentence)
{
    static const struct {
        struct perf_shares sum;
        const char *says;
    } rows[] = {
        {{.life = 0}, "No reliable connection shows a limit."},
        {{.ns = {[PERF_IDLE] = 5}, .life = 5},
         "Reliable connections are limited by an idle sender: it is given nothing to send: 100.0 % of the time."},
        {{.ns = {[PERF_UNKNOWN] = 5}, .life = 5},
         "Reliable connections are there, but the limit is not visible in this capture: 100.0 % of the time."},
    };
    static struct out o;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        out_init(&o, -1);
        perf_say_sum(&o, &rows[i].sum);
        o.buf[o.n] = '\0';
        cr_expect_str_eq(o.buf, rows[i].says, "row %zu: %s", i, o.buf);
    }
}
