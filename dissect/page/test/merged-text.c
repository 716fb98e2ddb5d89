/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of merged summaries as texts: findings with their first packet, connections, captures, times, and what is
 * left out of long lists. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "page/merged.h"
#include "page/page.h"

#define SECOND UINT64_C(1000000000)
enum { WARN = IBA_FINDING_GAP, ERROR = IBA_FINDING_NAK_ACCESS, NOTE = IBA_FINDING_ECN };

static struct summary *s;
static struct out o;

static void begin(void)
{
    s = summary_open();
    cr_assert_not_null(s);
    out_init(&o, -1);
}

static void end(void)
{
    summary_free(s);
}
TestSuite(merged_text, .init = begin, .fini = end);

static void page(void)
{
    char err[200] = "";

    o.n = 0;
    cr_assert(report_merged(s, &o, err, sizeof err), "%s", err);
    o.buf[o.n] = '\0';
}

static void says(const char *text)
{
    cr_expect(strstr(o.buf, text), "it does not say: %s", text);
}

static void is_silent(const char *text)
{
    cr_expect_null(strstr(o.buf, text), "it says: %s", text);
}

/* ---- what went wrong ---- */

static void first(unsigned kind, uint64_t number, const char *file, const char *host)
{
    summary_add_first(
        s, kind,
        &(struct summary_packet){
            .ns = number, .number = number, .host = summary_text(s, host), .file = summary_text(s, file)});
}

Test(merged_text, findings)
{
    char text[2100];

    page();
    says("<p>Nothing that the rules forbid and nothing that was lost was seen.</p>\n");
    is_silent("<li class=");
    s->finding[NOTE].count = 9;
    page();
    says(": 0 errors, 0 warnings, 9 notes.</p>\n<p>Nothing that the rules forbid");
    s->finding[WARN].count = 2;
    s->finding[ERROR].count = 1;
    first(WARN, 31, "b<c.pcap", "one");
    first(WARN, 30, "a.pcap", "two");
    first(ERROR, 7, "a.pcap", "");
    page();
    is_silent("Nothing that the rules forbid");
    says(": 1 error, 2 warnings, 9 notes.</p>\n<ul>\n<li class=\"error\">");
    int n = snprintf(text, sizeof text,
                     "<ul>\n<li class=\"error\">1 time a packet %s (NAK_ACCESS, first packet 7 of a.pcap, %s)</li>\n",
                     iba_findings[ERROR].sentence, verdict_cited(ERROR));
    (void)snprintf(text + n, sizeof text - (size_t)n,
                   "<li class=\"warn\">2 times a packet %s (GAP, first packet 30 of a.pcap of two, %s)</li>\n</ul>\n",
                   iba_findings[WARN].sentence, verdict_cited(WARN));
    says(text);
    is_silent("<h2>For whom</h2>");
    s->finding[ERROR].count = 0;
    page();
    says(": 0 errors, 2 warnings, 9 notes.</p>\n<ul>\n<li class=\"warn\">");
    s->finding[WARN].count = 1;
    page();
    says(": 0 errors, 1 warning, 9 notes.</p>\n<ul>\n<li class=\"warn\">");
    (void)snprintf(text, sizeof text, "%s)</li>\n</ul>\n", verdict_cited(WARN));
    says(text);
}

/* Adds a connection of 10.0.0.1 to 10.0.0.2 with 100 packets from the first and 10 back. */
static void connection(uint32_t qp, uint64_t again, uint64_t warnings, uint64_t errors)
{
    const uint8_t a[IBA_ADDR_MOST] = {10, 0, 0, 1}, b[IBA_ADDR_MOST] = {10, 0, 0, 2};
    struct summary_part p = {.host = summary_text(s, "h"), .first_ns = SECOND, .last_ns = 2 * SECOND};
    static struct summary_sides sides;

    memset(&sides, 0, sizeof sides);
    p.ends.key[0] = IBA_ADDR_IPV4;
    p.ends.key[1] = IBA_RC;
    summary_set_end(&p.ends, 0, a, true, qp);
    summary_set_end(&p.ends, 1, b, false, 0);
    sides.at[0][SUMMARY_SIDE_PACKETS] = 100;
    sides.at[1][SUMMARY_SIDE_PACKETS] = 10;
    sides.at[1][SUMMARY_SIDE_AGAIN] = again;
    sides.at[0][SUMMARY_AT_FOUND + WARN] = warnings;
    sides.at[1][SUMMARY_AT_FOUND + WARN] = warnings;
    sides.at[1][SUMMARY_AT_FOUND + ERROR] = errors;
    sides.at[0][SUMMARY_AT_FOUND + NOTE] = 5;
    summary_add_part(s, &p, &sides);
}

Test(merged_text, for_whom)
{
    connection(0x123456, 3, 2, 1);
    connection(0x11, 0, 0, 1);
    connection(0x12, 0, 0, 0);
    page();
    says("<h2>For whom</h2>\n<ul class=\"pairs\">\n"
         "<li><b>10.0.0.1 QP 0x123456 and 10.0.0.2</b>: 3 of 110 packets sent again; 4 GAP, 1 NAK_ACCESS</li>\n"
         "<li><b>10.0.0.1 QP 0x000011 and 10.0.0.2</b>: 0 of 110 packets sent again; 1 NAK_ACCESS</li>\n</ul>\n");
    is_silent("are not listed");
    for (uint32_t i = 2; i < MERGED_WORST; i++)
        connection(100 + i, i, 0, 0);
    page();
    is_silent("more connection");
    connection(1, 1, 0, 0);
    page();
    says("<p>1 more connection with fewer errors, warnings and repeats are not listed.</p>\n");
    is_silent("QP 0x000001 ");
}

/* ---- lists ---- */

Test(merged_text, captures)
{
    char name[16];

    for (unsigned i = 0; i < 258; i++) {
        snprintf(name, sizeof name, "f%03u", i);
        summary_add_capture(
            s, &(struct summary_capture){.host = summary_text(s, "h"), .file = summary_text(s, name), .packets = i});
        if (i + 1 < 256)
            continue;
        page();
        says("<td>f255</td><td class=\"n\">255</td><td></td><td>no</td></tr>\n</table>\n");
        is_silent("<td>f256</td>");
        if (i + 1 == 256)
            is_silent("more are not listed");
    }
    says("<p>2 more are not listed.</p>\n");
    says(" in 258 captures of 1 host: ");
}

Test(merged_text, response_times)
{
    uint64_t *small = summary_classes(s, &s->times[IBA_OPERATION_SEND][0]),
             *large = summary_classes(s, &s->times[IBA_OPERATION_SEND][TIMES_SIZES - 1]),
             *read = summary_classes(s, &s->times[IBA_OPERATION_READ][1]);

    cr_assert(small && large && read);
    page();
    is_silent("<h2>Response times</h2>");
    small[times_class(1000)] = 3; /* below 1024: octave 9 */
    large[times_class(1024)] = 2;
    large[times_class(1500)] = 1;
    large[times_class(9000)] = 4; /* from 8192 on: octave 13 */
    page();
    says(
        "<h2>Response times</h2>\n<p>From the first packet of a message to the answer to its last; what was sent again "
        "is included.</p>\n<figure class=\"times\">\n<figcaption>SEND: 10 answered</figcaption>\n<div "
        "class=\"plot\"></div>\n"
        "<script type=\"application/json\">{\"from\":9,\"n\":[3,3,0,0,4]}</script>\n</figure>\n");
    is_silent("READ: ");
    read[TIMES_CLASSES - 1] = 1;
    page();
    says("READ: 1 answered</figcaption>");
    const char *once = strstr(o.buf, "<h2>Response times</h2>");
    cr_assert_not_null(once);
    cr_expect_null(strstr(once + 1, "<h2>Response times</h2>"));
}

/* ---- over time ---- */

/* Two buckets with these times and this width, and what the page says of the first bin. Years after 4147 are no years.
 */
Test(merged_text, bins)
{
    static const struct {
        unsigned doublings;
        uint64_t first, last;
        const char *says; /* NULL: there is no chart */
    } rows[] = {
        {0, 1700000000, 1700000000, "from 2023-11-14T22:13:20Z on, each 1 s</figcaption>"},
        {0, 1700000000, 1700000255, "from 2023-11-14T22:13:20Z on, each 1 s</figcaption>"},
        {0, 1700000000, 1700000256, "from 2023-11-14T22:13:20Z on, each 2 s</figcaption>"},
        {0, 1700000001, 1700000300, "from 2023-11-14T22:13:20Z on, each 2 s</figcaption>"},
        {1, 850000000, 850000256, "from 2023-11-14T22:13:20Z on, each 4 s</figcaption>"},
        {0, 68719476735, 68719476735, "from 4147-08-20T07:32:15Z on, each 1 s</figcaption>"},
        {0, 68719476736, 68719476736, NULL},
        {35, 0, 1, "from 1970-01-01T00:00:00Z on, each 34359738368 s</figcaption>"},
        {35, 1, 2, NULL},
        {36, 0, 0, NULL},
    };
    const uint64_t count[SUMMARY_BUCKET_COUNTS] = {[SUMMARY_PAYLOAD] = 5, [SUMMARY_AGAIN] = 6,  [SUMMARY_ECN] = 7,
                                                   [SUMMARY_CNP] = 8,     [SUMMARY_ERRORS] = 1, [SUMMARY_WARNINGS] = 2};

    page();
    is_silent("<h2>Throughput</h2>");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        summary_clear(s);
        summary_add_bucket(s, rows[i].doublings, rows[i].first, count);
        if (rows[i].last != rows[i].first)
            summary_add_bucket(s, rows[i].doublings, rows[i].last, count);
        page();
        if (rows[i].says)
            says(rows[i].says);
        else
            is_silent("<h2>Throughput</h2>");
        if (rows[i].says && rows[i].last == rows[i].first)
            says("\"again\":[6],\"ecn\":[7],\"cnp\":[8],\"bad\":[3]}</script>");
    }
}

/* ---- host by host ---- */

static void hosts_say(unsigned pairs, const char *text)
{
    summary_clear(s);
    for (unsigned i = 0; i < pairs; i++) {
        const uint8_t a[IBA_ADDR_MOST] = {10, 0, 0, (uint8_t)(10 + i)}, b[IBA_ADDR_MOST] = {10, 0, 0, 99};
        struct summary_part p = {.host = summary_text(s, "h"), .first_ns = SECOND, .last_ns = 2 * SECOND};
        static struct summary_sides sides;
        memset(&sides, 0, sizeof sides);
        p.ends.key[0] = IBA_ADDR_IPV4;
        p.ends.key[1] = IBA_RC;
        summary_set_end(&p.ends, 0, a, true, 1);
        summary_set_end(&p.ends, 1, b, true, 2);
        sides.at[0][SUMMARY_SIDE_PACKETS] = 1;
        sides.at[0][SUMMARY_SIDE_PAYLOAD] = text ? 100 : 0;
        summary_add_part(s, &p, &sides);
    }
    page();
    if (text)
        says(text);
    else
        is_silent("<table class=\"matrix\">");
}

Test(merged_text, hosts)
{
    hosts_say(2, NULL); /* no payload: no matrix */
    says("<td>10.0.0.11</td><td>10.0.0.99</td><td class=\"n\">1</td><td class=\"n\">1</td><td class=\"n\">0</td>");
    hosts_say(2, "50.0 %</td>");
    is_silent("at the same time.");
    hosts_say(3, " 3 hosts send to 10.0.0.99 at the same time.</p>");
    hosts_say(MERGED_HOSTS - 1, "<th>10.0.0.24</th><th>10.0.0.99</th></tr>\n");
    is_silent("not in the matrix");
    hosts_say(MERGED_HOSTS, "<p>1 more host with less payload are not in the matrix.</p>\n");
    hosts_say(MERGED_PAIRS, "<p>17 more hosts with less payload are not in the matrix.</p>\n");
    is_silent("more pair");
    hosts_say(MERGED_PAIRS + 1, "<p>1 more pair with less payload are not listed.</p>\n");
}
