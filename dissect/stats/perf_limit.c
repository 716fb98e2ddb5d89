/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides what limited a sender during its pauses. Of the rows of the table the first that applies decides. */
#include "stats/perf.h"

const struct perf_limit_info perf_limits[PERF_LIMIT_COUNT] = {
#define PERF_LIMIT_ROW(name, key_, words_) {.key = (key_), .words = (words_)},
    PERF_LIMITS(PERF_LIMIT_ROW)};

/* A sender reacts to a response within REACTS times the longest of the quickest tenth of its reactions. Fewer than
 * ENOUGH values show no rhythm, and fewer than FEW messages do not show what the sender waits for. */
enum {
    REACTS = 4,
    REACTS_NS = 100,
    ENOUGH = 16,
    FEW = 8,
    PART_OF_WAIT = 8,
    PORT_OVERHEAD = 24 /* bytes of preamble, FCS and gap: 802.3 */
};

/* ---- what the whole life of the sender shows ---- */

static bool is_even(const struct perf_even *e, unsigned percent)
{
    return e->n >= ENOUGH && e->off * 100 < e->sum * percent;
}

/* Whether the sender follows a schedule, as a token bucket does, though each packet may be late by itself. A late
 * packet shortens the next pause by as much, so a run varies by no more than a pause does. The square of what a run
 * varies by would be PERF_RUN times as large if pauses did not make up for each other. The limit is the geometric mean
 * of 1 and PERF_RUN; for ENOUGH_RUNS, it is exceeded, or kept, by chance in less than 2 of 100 cases. */
static bool keeps_schedule(const struct perf_pace *p)
{
    enum { ENOUGH_RUNS = 24, RUN_PERCENT = 25 };

    if (p->runs.n < ENOUGH_RUNS || !is_even(&p->runs, RUN_PERCENT))
        return false;
    const double pause = (double)p->each.off / (double)p->each.n;
    const double run = (double)PERF_RUN * (double)p->runs.off / (double)p->runs.n;
    const double times = run * run / (pause * pause);
    return times * times < (double)PERF_RUN;
}

enum { EVEN_PERCENT = 15, CLOCK_PERCENT = 5 };
static bool is_even_pace(const struct perf_pace *p)
{
    return is_even(&p->each, EVEN_PERCENT) || keeps_schedule(p);
}

uint64_t perf_rate(const struct perf_sender *s, unsigned which)
{
    const struct perf_even *pace = &s->pace[which].each;

    if (pace->n == 0 || pace->sum == 0)
        return 0;
    const double length = s->pace_len.n ? (double)s->pace_len.sum / (double)s->pace_len.n : 1024;
    return (uint64_t)(8e9 * 1024 * (double)pace->n / (double)pace->sum * (length + (double)PORT_OVERHEAD) / length);
}

static bool is_rate_of_port(uint64_t rate)
{
    static const uint64_t gigabit[] = {1, 10, 25, 40, 50, 100, 200, 400, 800};
    enum { WITHIN = 50 }; /* 2 % */

    for (unsigned i = 0; i < sizeof gigabit / sizeof *gigabit; i++) {
        const uint64_t port = gigabit[i] * 1000000000, off = rate > port ? rate - port : port - rate;
        if (off * WITHIN <= port)
            return true;
    }
    return false;
}

/* The class of reactions that a tenth of the pauses of this kind do not exceed. */
static unsigned fastest_tenth(const struct perf_sender *s, unsigned pause)
{
    uint64_t seen = 0;
    unsigned c = 0;

    for (; c < PERF_CLASSES - 1; c++) {
        seen += s->class[pause][c].n;
        if (seen * 10 >= s->sum[pause].n)
            break;
    }
    return c;
}

static uint64_t reaction(const struct perf_piece *c)
{
    const unsigned tenth = fastest_tenth(c->s, c->pause);
    const struct perf_class *k = &c->s->class[c->pause][tenth];

    return k->n ? k->gap / k->n : 0;
}

/* The shortest reaction, which every pause of this kind contains. */
static uint64_t least_reaction(const struct perf_piece *c)
{
    const struct perf_class *k = c->s->class[c->pause];
    unsigned i = 0;

    while (i < PERF_CLASSES - 1 && k[i].n == 0)
        i++;
    return k[i].n ? k[i].gap / k[i].n : 0;
}

static uint64_t mean_wait(const struct perf_piece *c)
{
    const struct perf_class *k = &c->s->sum[c->pause];

    return k->n ? k->wait / k->n : 0;
}

/* The longest pause between a response and a message that the response released. If several responses come one after
 * the other, the last may come just before the message by chance: then a small part of the wait counts. A pause of far
 * more than a response time is no reaction: the sender had nothing to send. */
static uint64_t soonest(const struct perf_piece *c)
{
    enum { FAR_LONGER = 2 };
    const struct perf_sender *s = c->s;
    const uint64_t most = REACTS * reaction(c) + REACTS_NS, part = mean_wait(c) / PART_OF_WAIT;
    const uint64_t soon = most > part ? most : part, longest = s->responses ? s->response_ns / s->responses : soon;

    return soon < FAR_LONGER * longest ? soon : FAR_LONGER * longest;
}

/* Whether responses release new messages: most new messages come soon after a response. A reaction that takes longer
 * than the response itself proves nothing. */
static bool is_released(const struct perf_piece *c)
{
    const uint64_t most = soonest(c);
    const struct perf_class *const k = c->s->class[c->pause];
    uint64_t soon = 0;

    for (unsigned i = 0; i < PERF_CLASSES; i++)
        soon += k[i].n && k[i].gap / k[i].n <= most ? k[i].n : 0;
    return reaction(c) <= 2 * mean_wait(c) && 3 * soon >= 2 * (uint64_t)c->s->sum[c->pause].n;
}

static bool is_soon(const struct perf_piece *c)
{
    const struct perf_class *k = &c->s->class[c->pause][c->class];

    return k->gap / k->n <= soonest(c);
}

/* Whether several messages begin with others outstanding, and with no response between. */
static bool begins_with_others(const struct perf_sender *s)
{
    enum { TENTH = 10 };

    return s->sum[PERF_PAUSE_OWN].n * (uint64_t)TENTH > s->messages;
}

/* Whether such messages begin long after the packet before them: then responses do not release them. */
static bool begins_alone(const struct perf_sender *s)
{
    enum { SIXTH = 6, SOON_NS = 1000 }; /* SOON_NS: an application may take so long to react */
    const struct perf_class *own = &s->sum[PERF_PAUSE_OWN];

    return begins_with_others(s) && own->gap > own->n * SOON_NS && s->responses > 0 &&
           SIXTH * (own->gap / own->n) > s->response_ns / s->responses;
}

/* Whether the sender keeps a number of messages outstanding, though it is not plain which response released which
 * message: at about half of the times when a message begins nearly as much is outstanding as ever, or on average half
 * as much is outstanding as ever. Each place of a window is taken while it waits for a response, and free while the
 * sender reacts. So half on average means that the wait is at least as long as the reaction. */
static bool keeps_full(const struct perf_piece *c)
{
    const struct perf_sender *s = c->s;
    const struct perf_class *k = c->pause < PERF_PAUSE_ANSWERED ? &s->class[c->pause][c->class] : &s->sum[c->pause];
    enum { MOST_PERCENT = 45 };
    const bool often = s->full * 100 >= s->messages * MOST_PERCENT;
    const bool half = s->deepest > 1 && 2 * s->area_messages >= (s->last - s->first) * s->deepest;

    return s->messages >= ENOUGH && !begins_alone(s) && (often || half) && s->responses > 0 &&
           k->gap / k->n <= s->response_ns / s->responses;
}

/* ---- conditions of the rows ---- */

static bool is_answered_kind(const struct perf_piece *c)
{
    return c->pause < PERF_PAUSE_ANSWERED;
}
static bool is_one_sided(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_OWN && c->s->answers == 0;
}
static bool is_guess(const struct perf_piece *c)
{
    return c->s->d->guess && (is_answered_kind(c) || c->pause == PERF_PAUSE_OWN);
}
static bool is_at_receiver(const struct perf_piece *c)
{
    return perf_is_at_receiver(c->s) && (is_answered_kind(c) || c->pause == PERF_PAUSE_OWN);
}
static bool is_hidden(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_HIDDEN;
}
static bool is_end(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_END;
}
static bool is_rnr(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_RNR;
}
static bool is_again(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_AGAIN;
}
static bool is_slowed(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_CNP;
}
static bool is_uneven(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_UNEVEN;
}
static bool is_sending(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_REQUEST || c->pause == PERF_PAUSE_RESPONSE;
}
static const struct perf_pace *pace_of(const struct perf_piece *c)
{
    return &c->s->pace[c->pause == PERF_PAUSE_RESPONSE];
}
static bool is_at_port_speed(const struct perf_piece *c)
{
    return is_sending(c) && is_even_pace(pace_of(c)) &&
           is_rate_of_port(perf_rate(c->s, c->pause == PERF_PAUSE_RESPONSE));
}
static bool is_evenly_sending(const struct perf_piece *c)
{
    return is_sending(c) && is_even_pace(pace_of(c));
}
static bool is_of_few(const struct perf_piece *c)
{
    return (is_answered_kind(c) || c->pause == PERF_PAUSE_OWN) && c->s->messages < FEW;
}
/* Whether a clock decides when messages begin: mostly, the time from message to message changes less than the time from
 * a response to the next message. */
static bool is_clocked(const struct perf_piece *c)
{
    const struct perf_even *start = &c->s->start, *react = &c->s->react;
    const bool beside = react->n == 0 || 4 * (uint64_t)c->s->evener > 3 * react->n;

    return (is_answered_kind(c) || c->pause == PERF_PAUSE_OWN) && c->pause != PERF_PAUSE_CREDIT &&
           is_even(start, CLOCK_PERCENT) && beside;
}
static bool is_own(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_OWN;
}
static bool is_kept_full(const struct perf_piece *c)
{
    const bool several = c->pause == PERF_PAUSE_MANY || c->pause == PERF_PAUSE_ALL || c->pause == PERF_PAUSE_OWN;

    return several && keeps_full(c);
}
static bool is_kept_full_of_reads(const struct perf_piece *c)
{
    const bool only = c->s->messages > 0 && c->s->read_messages == c->s->messages;

    return (c->pause == PERF_PAUSE_READS && keeps_full(c)) || (only && is_kept_full(c));
}
static bool is_short_of_credits(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_CREDIT && is_soon(c);
}
static bool is_next_read(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_READS && is_released(c) && is_soon(c);
}
static bool is_next_of_many(const struct perf_piece *c)
{
    return (c->pause == PERF_PAUSE_MANY || c->pause == PERF_PAUSE_ALL) && is_released(c) && is_soon(c);
}
static bool is_next_of_one(const struct perf_piece *c)
{
    return c->pause == PERF_PAUSE_ONE && is_released(c) && is_soon(c);
}
/* Whether the sender does not wait for responses: several messages begin when no response has come, and not directly
 * after another message, as messages do that one response releases. */
static bool is_open_loop(const struct perf_piece *c)
{
    return c->pause < PERF_PAUSE_CREDIT && begins_alone(c->s);
}
/* Whether the sender could send, since more was outstanding at other times, and does not wait for this response. */
static bool is_unreleased_wait(const struct perf_piece *c)
{
    const bool some = c->pause == PERF_PAUSE_MANY || c->pause == PERF_PAUSE_READS;
    const bool one_or_all = c->pause == PERF_PAUSE_ONE || c->pause == PERF_PAUSE_ALL;
    const bool fewer = one_or_all && c->s->deepest > 1 && begins_with_others(c->s);

    return (some || fewer) && c->part == PERF_WAIT && !is_released(c);
}
static bool is_wait_for_one(const struct perf_piece *c)
{
    return is_answered_kind(c) && c->part == PERF_WAIT && c->pause == PERF_PAUSE_ONE;
}
static bool is_wait_for_all(const struct perf_piece *c)
{
    return is_answered_kind(c) && c->part == PERF_WAIT;
}
static bool is_beyond_floor(const struct perf_piece *c)
{
    return is_answered_kind(c) && c->part == PERF_GAP;
}
static bool is_near(const struct perf_piece *c)
{
    return is_answered_kind(c) && c->part == PERF_FLOOR && least_reaction(c) <= 2 * mean_wait(c);
}
static bool is_far(const struct perf_piece *c)
{
    return is_answered_kind(c) && c->part == PERF_FLOOR && least_reaction(c) >= PERF_FAR_NS;
}
static bool otherwise(const struct perf_piece *c)
{
    (void)c;
    return true;
}

/* clang-format off */
/* Clauses are ids of the catalogue.
 * R(name,           when,                limit,      sentence,                                                                       clause) */
#define RULES(R)                                                                                                                       \
    R(one_sided,     is_one_sided,        UNKNOWN,    "no response is in the capture, so it does not show what the sender waits for", "RR-09")   \
    R(guessed,       is_guess,            UNKNOWN,    "the capture does not tell which direction has the responses",               "RR-09")   \
    R(at_receiver,   is_at_receiver,      UNKNOWN,    "responses leave at once: the capture is at the receiver, and shows no wait of the sender", "RR-09") \
    R(hidden,        is_hidden,           UNKNOWN,    "the capture lacks packets that were sent in between",                            "RQ-01")   \
    R(cut_off,       is_end,              UNKNOWN,    "the capture ends before the response",                                           "RR-09")   \
    R(not_ready,     is_rnr,              RNR,        "an RNR NAK has refused the packet, and the sender waits before it sends it again", "RQ-28") \
    R(again,         is_again,            LOSS,       "the sender waited in vain, and then sent a packet again",                        "RQ-21, RQ-26, RQ-36") \
    R(uneven,        is_uneven,           UNKNOWN,    "after a congestion notification, packets come to the receiver hardly slower: the sender or the network delayed them", "RO-41, WF-81") \
    R(slowed,        is_slowed,           CONGESTION, "a congestion notification came less than 10 ms before",                          "RO-41, WF-81") \
    R(port_speed,    is_at_port_speed,    LINE,       "packets follow each other evenly, at the speed of a port, or of a limiter set to it", "WF-66") \
    R(even_packets,  is_evenly_sending,   PACED,      "packets of a message follow each other evenly, at the speed of no port",    "WF-66")   \
    R(packets,       is_sending,          SENDER,     "packets of a message follow each other: the sender is at work",                  "WF-66")   \
    R(few_messages,  is_of_few,           UNKNOWN,    "fewer than 8 messages do not show what the sender waits for",                    "RQ-03")   \
    R(clock,         is_clocked,          PACED,      "messages begin at even times, whenever responses come",                          "RQ-03")   \
    R(kept_reads,    is_kept_full_of_reads, READS,    "nearly as many READs or ATOMICs are outstanding as ever, at most times",         "RQ-08")   \
    R(kept_full,     is_kept_full,        WINDOW,     "nearly as many messages are outstanding as ever, at most times",                 "RQ-03")   \
    R(own_time,      is_own,              IDLE,       "with messages outstanding, the next one begins when no response has come: it was not there before", "RQ-03") \
    R(open_loop,     is_open_loop,        IDLE,       "other messages begin when no response has come: the sender does not wait for responses", "RQ-03") \
    R(credits,       is_short_of_credits, CREDITS,    "more is outstanding than the receiver has receives, and a response brings the next packet", "RQ-40, RQ-41") \
    R(read_depth,    is_next_read,        READS,      "with several READs or ATOMICs outstanding, a response brings the next one",      "RQ-08")   \
    R(window,        is_next_of_many,     WINDOW,     "with several messages outstanding, a response brings the next one",              "RQ-03")   \
    R(one_by_one,    is_next_of_one,      LATENCY,    "with one message outstanding, its response brings the next one",                 "RQ-03, RQ-08") \
    R(rest,          is_unreleased_wait,  IDLE,       "some messages are outstanding, and responses bring no next one",                 "RQ-03")   \
    R(wait_for_one,  is_wait_for_one,     LATENCY,    "one message is outstanding, and the next one begins after its response",         "RQ-03, RQ-08") \
    R(wait_for_all,  is_wait_for_all,     WINDOW,     "messages are outstanding, and the next one begins after the responses",          "RQ-03, RQ-08") \
    R(nothing_new,   is_beyond_floor,     IDLE,       "after a response nothing is sent, longer than the sender needs at other times",  "RQ-03")   \
    R(reaction,      is_near,             LATENCY,    "between a response and the next message is no more than the sender always needs", "RQ-03")  \
    R(long_silence,  is_far,              IDLE,       "after each response nothing is sent for 1 ms or longer: no round trip takes that", "RQ-03") \
    R(far_or_idle,   otherwise,           UNKNOWN,    "responses come at once and messages long after them: an idle sender, or a capture far from it", "RQ-03")
/* clang-format on */

const struct perf_rule perf_rules[] = {
#define PERF_RULE_ROW(name_, when_, limit_, sentence_, clause_)                                                        \
    {.name = #name_, .limit = PERF_##limit_, .sentence = (sentence_), .clause = (clause_)},
    RULES(PERF_RULE_ROW)};
const unsigned perf_n_rules = sizeof perf_rules / sizeof *perf_rules;

const struct perf_rule *perf_decide(const struct perf_piece *c)
{
    static bool (*const when[])(const struct perf_piece *) = {
#define PERF_RULE_WHEN(name_, when_, ...) when_,
        RULES(PERF_RULE_WHEN)};
    unsigned i = 0;

    while (!when[i](c))
        i++;
    return &perf_rules[i];
}

/* ---- shares ---- */

/* The middle of the shortest class that has more than a few of the times: a single short time is none that all
 * responses could reach. */
static double base_of(const struct perf_took *t)
{
    enum { FEW_OF = 32 };

    for (unsigned i = 0; i < PERF_NEAR; i++)
        if ((uint64_t)t->near[i] * FEW_OF >= t->n)
            return (double)t->least * (PERF_NEAR_PART + i + 0.5) / (double)PERF_NEAR_PART;
    return (double)t->least;
}

double perf_queueing(const struct perf_sender *s)
{
    double sum = 0, least = 0;

    for (unsigned i = 0; i < PERF_SIZES; i++) {
        const struct perf_took *t = &s->took[i];
        if (t->n == 0)
            continue;
        sum += (double)t->sum;
        least += (double)t->n * base_of(t);
    }
    return sum > least ? 1 - least / sum : 0;
}

static bool waits_for_response(enum perf_limit k)
{
    return k == PERF_LATENCY || k == PERF_WINDOW || k == PERF_READS;
}

static void share(struct perf_shares *to, const struct perf_piece *c, double queueing, uint64_t ns)
{
    /* After a response to the only message, or to all messages, no other message is in a queue. */
    const bool outstanding = c->part == PERF_WAIT || (c->pause != PERF_PAUSE_ONE && c->pause != PERF_PAUSE_ALL);

    if (ns > 0) {
        const enum perf_limit k = (enum perf_limit)perf_decide(c)->limit;
        const bool waits = waits_for_response(k) && outstanding;
        const uint64_t queue = waits ? (uint64_t)((double)ns * queueing) : 0;
        to->ns[PERF_QUEUE] += queue;
        to->ns[k] += ns - queue;
    }
    to->life += ns;
}

static void share_class(struct perf_shares *to, const struct perf_sender *s, double queueing, unsigned pause,
                        unsigned class)
{
    const struct perf_class *k = pause < PERF_PAUSE_ANSWERED ? &s->class[pause][class] : &s->sum[pause];
    struct perf_piece c = {.s = s, .pause = (uint8_t)pause, .class = (uint8_t) class, .part = PERF_WAIT};

    if (k->n == 0)
        return;
    share(to, &c, queueing, k->wait);
    const uint64_t least = pause < PERF_PAUSE_ANSWERED ? least_reaction(&c) * k->n : 0;
    const uint64_t floor = k->gap < least ? k->gap : least;
    c.part = PERF_FLOOR;
    share(to, &c, queueing, floor);
    c.part = PERF_GAP;
    share(to, &c, queueing, k->gap - floor);
}

struct perf_shares perf_shares_of(const struct perf_sender *s)
{
    const double queueing = perf_queueing(s);
    struct perf_shares to = {0};

    for (unsigned pause = 0; pause < PERF_PAUSES; pause++)
        for (unsigned class = 0; class < (pause < PERF_PAUSE_ANSWERED ? PERF_CLASSES : 1); class ++)
            share_class(&to, s, queueing, pause, class);
    return to;
}

enum perf_limit perf_largest(const struct perf_shares *s)
{
    unsigned best = 0;

    for (unsigned i = 1; i < PERF_LIMIT_COUNT; i++)
        best = s->ns[i] > s->ns[best] ? i : best;
    return (enum perf_limit)best;
}
