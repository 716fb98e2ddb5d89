/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the page, tested alone: hosts that send to one host at the same time, pairs of hosts, events over time,
 * response times. */
#include <criterion/criterion.h>
#include <string.h>
#include "observer/iba_finding_kinds.h"
#include "page/collected.h"
#include "sim/iba_random.h"
#include "wire/iba_endpoints.h"

static struct report r;
static struct perf perf;
static struct out o;
static struct direction directions[80];

static void begin(void)
{
    memset(&r, 0, sizeof r);
    memset(&perf, 0, sizeof perf);
    r.perf = &perf;
    out_init(&o, -1);
}

static const char *said(void)
{
    o.buf[o.n] = '\0';
    return o.buf;
}

/* Adds another direction from host `from` to host `to`. */
static struct perf_sender *sender(uint8_t from, uint8_t to, uint64_t first, uint64_t last, uint64_t bytes)
{
    struct direction *d = &directions[perf.n];
    struct perf_sender *s = &perf.sender[perf.n];

    *d = (struct direction){.id = perf.n, .svc = IBA_RC, .key = {.kind = IBA_ADDR_IPV4, .qpn = 16 + perf.n}};
    d->key.src[0] = d->key.dst[0] = 10;
    d->key.src[3] = from;
    d->key.dst[3] = to;
    *s = (struct perf_sender){.d = d, .first = first, .last = last, .bytes = bytes, .messages = 1};
    perf.n++;
    return s;
}

/* Hosts 1, 2, ... send to host 99, each for a time of 10. Each host begins `apart` after the one before. */
static void senders(unsigned n, uint64_t apart)
{
    begin();
    for (unsigned i = 0; i < n; i++)
        (void)sender((uint8_t)(1 + i), 99, i * apart, i * apart + 10, 100);
}

static void says_of_why(const char *sentence)
{
    report_why(&r, &o);
    cr_expect_eq(strstr(said(), sentence ? sentence : "at the same time") != NULL, sentence != NULL, "%s: %s",
                 sentence ? sentence : "nothing", said());
}

Test(page, who_sends_at_the_same_time)
{
    senders(2, 0);
    says_of_why(NULL);
    senders(3, 0);
    says_of_why(" 3 hosts send to 10.0.0.99 at the same time.");
    senders(6, 5); /* each begins when the one before the last ends */
    says_of_why(" 3 hosts send to 10.0.0.99 at the same time.");
    senders(6, 6);
    says_of_why(NULL);
    senders(3, 0); /* other connections of the same hosts */
    (void)sender(1, 99, 0, 10, 5);
    (void)sender(2, 99, 0, 10, 5);
    says_of_why(" 3 hosts send to 10.0.0.99 at the same time.");
    senders(3, 0);
    perf.sender[0].read_messages = 1; /* its payload comes back */
    says_of_why(NULL);
    senders(3, 0);
    perf.sender[0].read_messages = 1;
    perf.sender[0].messages = 2;
    says_of_why(" 3 hosts send to 10.0.0.99 at the same time.");
    senders(2, 0); /* a host sends before and after: its time is that of all its connections */
    (void)sender(3, 99, 8, 9, 5);
    (void)sender(3, 99, 0, 1, 5);
    says_of_why(" 3 hosts send to 10.0.0.99 at the same time.");
    senders(4, 20); /* one at a time, and one all the time */
    (void)sender(5, 99, 70, 71, 5);
    (void)sender(5, 99, 0, 1, 5);
    (void)sender(6, 99, 0, 100, 5);
    says_of_why(" 3 hosts send to 10.0.0.99 at the same time.");
    senders(3, 0);
    directions[2].key.dst[3] = 98;
    says_of_why(NULL);
    senders(4, 0);
    directions[3].key.kind = IBA_ADDR_IPV6;
    says_of_why(" 3 hosts send to 10.0.0.99 at the same time.");
    senders(70, 0); /* more than are compared */
    says_of_why(" At least 64 hosts send to 10.0.0.99 at the same time.");
}

Test(page, pairs_of_hosts)
{
    begin();
    report_over_time(&r, &o);
    cr_expect_eq(o.n, 0);
    (void)sender(1, 2, 0, 10, 100);
    (void)sender(3, 4, 0, 10, 250);
    (void)sender(1, 2, 0, 10, 50);
    (void)sender(5, 6, 0, 10, 250);
    report_over_time(&r, &o);
    const char *table = strstr(said(), "<table class=\"hosts\">");
    cr_assert_not_null(table);
    cr_expect_str_eq(strstr(table, "<tr><td>"),
                     "<tr><td>10.0.0.3</td><td>10.0.0.4</td><td class=\"n\">1</td><td class=\"n\">250</td>"
                     "<td class=\"n\">38.5 %</td></tr>\n"
                     "<tr><td>10.0.0.5</td><td>10.0.0.6</td><td class=\"n\">1</td><td class=\"n\">250</td>"
                     "<td class=\"n\">38.5 %</td></tr>\n"
                     "<tr><td>10.0.0.1</td><td>10.0.0.2</td><td class=\"n\">2</td><td class=\"n\">150</td>"
                     "<td class=\"n\">23.1 %</td></tr>\n"
                     "</table>\n");
}

static unsigned times(const char *what)
{
    unsigned n = 0;

    for (const char *at = said(); (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* The page lists a limited number of pairs, and draws a limited number of directions. */
Test(page, how_many_are_shown)
{
    static const struct {
        unsigned n, drawn, listed;
        bool some_drawn, some_listed, some_compared;
    } c[] = {{1, 1, 1, false, false, false},   {12, 12, 12, false, false, false}, {13, 12, 13, true, false, false},
             {16, 12, 16, true, false, false}, {17, 12, 16, true, true, false},   {64, 12, 16, true, true, false},
             {65, 12, 16, true, false, true}};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        begin();
        for (unsigned k = 0; k < c[i].n; k++)
            (void)sender((uint8_t)(1 + k), 200, 0, 10, 100);
        report_over_time(&r, &o);
        cr_expect_eq(times("<figure class=\"rates\">"), c[i].drawn, "%u", c[i].n);
        cr_expect_eq(times("<tr><td>"), c[i].listed, "%u", c[i].n);
        cr_expect_eq(times("with the most bytes are drawn"), c[i].some_drawn, "%u", c[i].n);
        cr_expect_eq(times("with the most bytes are listed"), c[i].some_listed, "%u", c[i].n);
        cr_expect_eq(times("Only the first 64 pairs"), c[i].some_compared, "%u", c[i].n);
    }
}

/* Buckets of time become longer when time goes on, and keep every event in its place. */
Test(page, events_over_time)
{
    enum { EVENTS = 300, FIRST = 5000 };
    static uint64_t when[EVENTS];
    static unsigned what[EVENTS]; /* a set of kinds */
    static const enum iba_finding_kind kind[] = {
        [EVENT_RNR] = IBA_FINDING_RNR, [EVENT_ECN] = IBA_FINDING_ECN, [EVENT_CNP] = IBA_FINDING_CNP};
    struct iba_random random;
    uint64_t now = FIRST, longest = 1000;

    iba_random_seed(&random, 1);
    begin();
    for (unsigned i = 0; i < EVENTS; i++) {
        struct cap_packet cap = {.has_ts = true, .ts_ns = now};
        struct verdict v = {.again = iba_random_below(&random, 2)};
        const struct packet p = {.cap = &cap, .first_ns = FIRST, .verdict = &v};
        when[i] = now - FIRST;
        what[i] = v.again;
        for (unsigned k = EVENT_RNR; k < EVENT_KINDS; k++)
            if (iba_random_below(&random, 2)) {
                verdict_add(&v, &(struct iba_finding){.kind = (uint8_t)kind[k]});
                what[i] |= 1u << k;
            }
        verdict_add(&v, &(struct iba_finding){.kind = IBA_FINDING_GAP}); /* not drawn */
        report_event(&r, &p);
        now += iba_random_below(&random, 100 * (i + 1));
    }
    while (when[EVENTS - 1] / longest >= REPORT_EVENT_BUCKETS)
        longest *= 2;
    cr_expect_eq(r.events.bucket_ns, longest);
    cr_expect_eq(r.events.used, when[EVENTS - 1] / longest + 1);
    uint64_t all = 0;
    for (unsigned k = 0; k < EVENT_KINDS; k++)
        for (unsigned b = 0; b < REPORT_EVENT_BUCKETS; b++) {
            unsigned n = 0;
            for (unsigned i = 0; i < EVENTS; i++)
                n += when[i] / longest == b && what[i] >> k & 1;
            cr_expect_eq(r.events.n[k][b], n, "kind %u, bucket %u: %u, not %u", k, b, r.events.n[k][b], n);
            all += n;
        }
    cr_expect_eq(r.events.all, all);
}

/* An event may have no time, or a time before the first event's, as merged captures can have. */
Test(page, events_out_of_time)
{
    struct cap_packet cap = {.has_ts = false, .ts_ns = 900000};
    struct verdict v = {.again = true};
    const struct packet p = {.cap = &cap, .first_ns = 1000, .verdict = &v};

    begin();
    report_event(&r, &p);
    cr_expect_eq(r.events.all, 0);
    cap = (struct cap_packet){.has_ts = true, .ts_ns = 1};
    report_event(&r, &p);
    cr_expect_eq(r.events.all, 1);
    cr_expect_eq(r.events.n[EVENT_AGAIN][0], 1);
}

static void answered(uint64_t ns)
{
    const struct iba_message m = {
        .operation = IBA_OPERATION_SEND, .end = IBA_MESSAGE_END_ANSWERED, .began = 1000, .ended = 1000 + ns};

    report_message(&r, &m);
}

/* Classes of response times: each is twice as wide as the class before. */
Test(page, response_times)
{
    static const struct iba_message other = {.operation = IBA_OPERATION_SEND, .end = IBA_MESSAGE_END_REFUSED};

    begin();
    report_latencies(&r, &o);
    cr_expect_eq(o.n, 0);
    report_message(&r, &other);
    report_latencies(&r, &o);
    cr_expect_eq(o.n, 0);
    answered(8);
    answered(15);
    answered(16);
    answered(127);
    report_latencies(&r, &o);
    cr_expect_eq(r.messages, 5);
    cr_expect(strstr(said(), ": 4 answered</figcaption>"), "%s", said());
    cr_expect(strstr(said(), "{\"from\":3,\"n\":[2,1,0,1]}"), "%s", said());
    begin();
    answered(0);
    report_latencies(&r, &o);
    cr_expect(strstr(said(), "{\"from\":0,\"n\":[1]}"), "%s", said());
    begin();
    answered(UINT64_C(1) << 63);
    report_latencies(&r, &o);
    cr_expect(strstr(said(), "{\"from\":63,\"n\":[1]}"), "%s", said());
}

Test(page, words)
{
    begin();
    r.severity[IBA_ERROR] = 1;
    r.severity[IBA_WARN] = 2;
    report_verdict(r.severity, &o);
    cr_expect_str_eq(said(), "1 error, 2 warnings, 0 notes");
    begin();
    (void)sender(1, 2, 0, 0, 0);
    report_direction(&o, &directions[0]);
    cr_expect_str_eq(said(), "10.0.0.1 to 10.0.0.2 QP 0x000010");
    directions[0].knows_source_qp = true;
    directions[0].source_qp = 0x20;
    out_init(&o, -1);
    report_direction(&o, &directions[0]);
    cr_expect_str_eq(said(), "10.0.0.1 QP 0x000020 to 10.0.0.2 QP 0x000010");
    directions[0].guess = true;
    out_init(&o, -1);
    report_direction(&o, &directions[0]);
    cr_expect_str_eq(said(), "10.0.0.1 QP 0x000020? to 10.0.0.2 QP 0x000010");
}
