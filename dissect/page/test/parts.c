/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the page as whole texts: how connections were made, and ladders with each kind of answer. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../stats/test/feed.h"
#include "cm/iba_cm.h"
#include "mad/iba_mad.h"
#include "page/collected.h"
#include "wire/iba_opcode_rows.h"

enum { MS = 1000000 };

static struct report r;
static struct out o;
static struct direction direction = {.key = {.kind = IBA_ADDR_IPV4, .qpn = 7}};
static const struct verdict_names names = {.direction = &direction};

static void begin(void)
{
    memset(&r, 0, sizeof r);
    r.names = &names;
    cm_survey_begin(&r.cm);
    out_init(&o, -1);
}
TestSuite(parts, .init = begin);

static void says(void (*part)(const struct report *, struct out *), const char *text)
{
    o.n = 0;
    part(&r, &o);
    o.buf[o.n] = '\0';
    cr_expect_str_eq(o.buf, text, "it says: %s", o.buf);
}

/* ---- how connections were made ---- */

static void datagram(struct frame *f, int64_t at)
{
    static uint64_t number;
    const struct cap_packet cap = {
        .data = f->b, .caplen = (uint32_t)f->n, .len = (uint32_t)f->n, .has_ts = true, .ts_ns = RUN_NS + (uint64_t)at};
    const struct verdict v = {.names = &names};
    struct packet p = {.cap = &cap, .number = ++number, .first_ns = RUN_NS, .source_name = "a.pcap", .verdict = &v};

    (void)iba_view_parse(&p.view, f->link, f->b, f->n, f->n, NULL);
    cm_survey_packet(&r.cm, &p);
}

static uint8_t *message(struct frame *f)
{
    return frame_datagram(f) + IBA_BYTES_madhdr;
}

/* The REP comes after three times `ms`, the RTU after five. */
static void connect(uint32_t id, int64_t at, int64_t ms)
{
    struct frame req = frame_cm(false, IBA_CM_ID_REQ), rep = frame_cm(true, IBA_CM_ID_REP),
                 rtu = frame_cm(false, IBA_CM_ID_RTU);

    iba_cm_req_set_localcommid(message(&req), id);
    iba_cm_rep_set_localcommid(message(&rep), 1000 + id);
    iba_cm_rep_set_remotecommid(message(&rep), id);
    iba_cm_rtu_set_localcommid(message(&rtu), id);
    iba_cm_rtu_set_remotecommid(message(&rtu), 1000 + id);
    datagram(&req, at);
    datagram(&rep, at + 3 * ms * MS);
    datagram(&rtu, at + 5 * ms * MS);
}

static void refuse(uint32_t id, int64_t at)
{
    struct frame req = frame_cm(false, IBA_CM_ID_REQ), rej = frame_cm(true, IBA_CM_ID_REJ);

    iba_cm_req_set_localcommid(message(&req), id);
    iba_cm_rej_set_remotecommid(message(&rej), id);
    iba_cm_rej_set_reason(message(&rej), IBA_CM_REJ_SERVICE_ID);
    datagram(&req, at);
    datagram(&rej, at + MS);
}

Test(parts, connections)
{
    says(report_connections, "");
    /* of two times the percentile 50 is the shorter one: the class of 3 ms ends at 92 * 2^15 ns - 1 */
    refuse(1, 0);
    connect(2, 10 * MS, 1);
    connect(3, 20 * MS, 10);
    says(report_connections,
         "<h2>How connections were made and ended</h2>\n"
         "<ul>\n"
         "<li class=\"warn\">packet 1: 10.0.0.2 has no program that listens at service "
         "0x0000000000000000: REJ reason 8, invalid service ID (NO_LISTENER, MD-72)</li>\n"
         "<li class=\"note\">packet 3: connected in 5 ms (CONNECTED, MD-67)</li>\n"
         "<li class=\"note\">packet 6: connected in 50 ms (CONNECTED, MD-67)</li>\n"
         "</ul>\n"
         "<table>\n"
         "<tr><th>Outcome</th><th>Connections</th><th>First packet</th><th>Clause</th></tr>\n"
         "<tr><td class=\"kind warn\">NO_LISTENER</td><td class=\"n\">1</td><td class=\"n\">1</td><td>"
         "MD-72</td></tr>\n"
         "<tr><td class=\"kind note\">CONNECTED</td><td class=\"n\">2</td><td class=\"n\">3</td><td>"
         "MD-67</td></tr>\n"
         "</table>\n"
         "<table>\n"
         "<tr><th>Phase</th><th>Count</th><th>Shortest (s)</th><th>p50</th><th>p90</th><th>p99</th><th>"
         "Longest</th></tr>\n"
         "<tr><td>REQ to REP</td><td class=\"n\">2</td><td class=\"n\">0.003000000</td><td class=\"n\">"
         "0.003014655</td><td class=\"n\">0.030000000</td><td class=\"n\">0.030000000</td><td class=\"n\">"
         "0.030000000</td></tr>\n"
         "<tr><td>REP to RTU</td><td class=\"n\">2</td><td class=\"n\">0.002000000</td><td class=\"n\">"
         "0.002015231</td><td class=\"n\">0.020000000</td><td class=\"n\">0.020000000</td><td class=\"n\">"
         "0.020000000</td></tr>\n"
         "<tr><td>REQ to RTU</td><td class=\"n\">2</td><td class=\"n\">0.005000000</td><td class=\"n\">"
         "0.005046271</td><td class=\"n\">0.050000000</td><td class=\"n\">0.050000000</td><td class=\"n\">"
         "0.050000000</td></tr>\n"
         "</table>\n");
}

Test(parts, many_connections)
{
    for (uint32_t i = 0; i < 200; i++)
        refuse(1 + i, 10 * MS * (int64_t)i);
    report_connections(&r, &o);
    o.buf[o.n] = '\0';
    cr_expect(strstr(o.buf, "</ul>\n<p>190 more like these are counted below and not listed.</p>\n<table>"));
    cr_expect(strstr(o.buf, "</td><td class=\"n\">200</td><td class=\"n\">1</td>"), "%s", o.buf);
}

/* ---- ladders ---- */

static struct report_step step(uint64_t frame, uint8_t opcode, uint32_t len)
{
    return (struct report_step){.frame = frame,
                                .ns = (int64_t)(10 * frame),
                                .opcode = opcode,
                                .psn = iba_psn_of((uint32_t)frame + 0xabcd0),
                                .len = len};
}

static struct report_step answer(uint64_t frame, uint8_t syndrome, uint8_t value)
{
    struct report_step s = step(frame, IBA_RC_ACKNOWLEDGE, 0);

    s.answers = s.has_aeth = true;
    s.syndrome = syndrome;
    s.value = value;
    return s;
}

static const char ladders_text[] =
    "<h2>What happened</h2>\n"
    "<p>Around the first finding of each kind; packets of this connection only, requests to the "
    "right, answers to the left.</p>\n"
    "<figure class=\"ladder\">\n"
    "<figcaption>GAP: PSN 0x000000 jumps over PSNs: those before it are missing (2 missing) [RQ-01, "
    "UU-03, 9.7.2, 9.8.2.2]</figcaption>\n"
    "<table class=\"ladder\">\n"
    "<tr><td class=\"n\">1</td><td class=\"n\">0.000000010</td><td class=\"request\">RC RDMA READ "
    "Request PSN 0x0abcd1 of 1 byte \342\206\222</td><td class=\"none\"></td></tr>\n"
    "<tr><td class=\"n\">2</td><td class=\"n\">0.000000020</td><td class=\"request\">RC SEND Only "
    "PSN 0x0abcd2 \342\206\222</td><td class=\"none\"></td></tr>\n"
    "<tr class=\"hit\"><td class=\"n\">3</td><td class=\"n\">0.000000030</td><td class=\"request\">"
    "RC SEND Only PSN 0x0abcd3, 1 byte \342\206\222</td><td class=\"warn\">GAP</td></tr>\n"
    "<tr><td class=\"n\">4</td><td class=\"n\">0.000000040</td><td class=\"request\">RC RDMA WRITE "
    "Only PSN 0x0abcd4 of 4096 bytes \342\206\222</td><td class=\"none\"></td></tr>\n"
    "<tr><td class=\"n\">5</td><td class=\"n\">0.000000050</td><td class=\"answer\">\342\206\220 RC "
    "Acknowledge PSN 0x0abcd5</td><td class=\"none\"></td></tr>\n"
    "<tr><td class=\"n\">6</td><td class=\"n\">0.000000060</td><td class=\"answer\">\342\206\220 RC "
    "RDMA READ Response Only PSN 0x0abcd6, 8 bytes</td><td class=\"none\"></td></tr>\n"
    "</table>\n"
    "</figure>\n"
    "<figure class=\"ladder\">\n"
    "<figcaption>NAK_ACCESS: PSN 0x000000 is a NAK: the responder denies the access [RQ-51, "
    "11.6.2]</figcaption>\n"
    "<table class=\"ladder\">\n"
    "<tr class=\"hit\"><td class=\"n\">7</td><td class=\"n\">0.000000070</td><td class=\"answer\">"
    "\342\206\220 RC Acknowledge PSN 0x0abcd7 RNR NAK 0.64 ms</td><td class=\"error\">NAK_ACCESS</td>"
    "</tr>\n"
    "<tr><td class=\"n\">8</td><td class=\"n\">0.000000080</td><td class=\"answer\">\342\206\220 RC "
    "Acknowledge PSN 0x0abcd8 NAK Remote Access Error</td><td class=\"note\">ECN</td></tr>\n"
    "<tr><td class=\"n\">9</td><td class=\"n\">0.000000090</td><td class=\"answer\">\342\206\220 RC "
    "Acknowledge PSN 0x0abcd9 reserved syndrome 9</td><td class=\"none\"></td></tr>\n"
    "<tr><td class=\"n\">10</td><td class=\"n\">0.000000100</td><td class=\"answer\">\342\206\220 RC "
    "Acknowledge PSN 0x0abcda NAK reserved</td><td class=\"none\"></td></tr>\n"
    "</table>\n"
    "</figure>\n";

Test(parts, ladders)
{
    struct report_ladder *const a = &r.ladder[0], *const b = &r.ladder[1];

    says(report_ladders, "");
    a->step[0] = step(1, IBA_RC_READ_REQUEST, 0);
    a->step[0].has_reth = true;
    a->step[0].dmalen = 1;
    a->step[1] = step(2, IBA_RC_SEND_ONLY, 0);
    a->step[2] = step(3, IBA_RC_SEND_ONLY, 1);
    a->step[2].has_finding = true;
    a->step[2].finding = (struct iba_finding){.kind = IBA_FINDING_GAP, .frame = 3, .count = 2};
    a->step[3] = step(4, IBA_RC_WRITE_ONLY, 4096);
    a->step[3].has_reth = true;
    a->step[3].dmalen = 4096;
    a->step[4] = answer(5, IBA_AETH_ACK, 31);
    a->step[5] = step(6, IBA_RC_READ_RESP_ONLY, 8);
    a->step[5].answers = true;
    a->n = 6;
    a->hit = 2;
    b->step[0] = answer(7, IBA_AETH_RNR, 12);
    b->step[0].has_finding = true;
    b->step[0].finding = (struct iba_finding){.kind = IBA_FINDING_NAK_ACCESS, .frame = 7};
    b->step[1] = answer(8, IBA_AETH_NAK, 2);
    b->step[1].has_finding = true;
    b->step[1].finding = (struct iba_finding){.kind = IBA_FINDING_ECN, .frame = 8};
    b->step[2] = answer(9, IBA_AETH_RESERVED, 9);
    b->step[3] = answer(10, IBA_AETH_NAK, 30); /* without a name */
    b->n = 4;
    r.n_ladder = 2;
    says(report_ladders, ladders_text);
}

/* ---- charts ---- */

static void charts_say(uint32_t drawn, uint32_t lines, bool some)
{
    static const char text[] = "<p>Not every connection is drawn; those with the most errors and warnings are.</p>\n";

    begin();
    r.n_line = lines;
    for (uint32_t i = 0; i < drawn; i++)
        r.line[i].d = &direction;
    report_charts(&r, &o);
    o.buf[o.n] = '\0';
    cr_expect_eq(strstr(o.buf, text) != NULL, some, "%u of %u", drawn, lines);
}

Test(parts, charts_of_some_connections)
{
    charts_say(REPORT_CHARTS, REPORT_CHARTS, false);
    charts_say(REPORT_CHARTS + 1, REPORT_CHARTS + 1, true);
    charts_say(1, REPORT_LINES - 1, false);
    charts_say(1, REPORT_LINES, true); /* of more connections nothing is known */
}

Test(parts, a_chart)
{
    r.n_line = 1;
    r.line[0] = (struct report_line){.d = &direction, .any = true, .last = iba_psn_of(2), .at = 5, .bad = 1};
    r.line[0].n = 2;
    r.line[0].point[0] = (struct report_point){.ns = 5, .psn = -3, .what = POINT_SENT};
    r.line[0].point[1] = (struct report_point){.ns = 6, .psn = 4, .what = POINT_ANSWER};
    r.line[0].n_mark = 1;
    r.line[0].mark[0] = (struct report_point){.ns = 7, .psn = 0, .what = POINT_OTHER};
    says(report_charts,
         "<h2>PSNs over time</h2>\n<noscript><p>The charts are drawn by a script of this page.</p></noscript>\n"
         "<figure class=\"psns\">\n<figcaption>0.0.0.0 to 0.0.0.0 QP 0x000007: 1 packet that went wrong</figcaption>\n"
         "<div class=\"plot\"></div>\n<script type=\"application/json\">{\"base\":16777213,\"sent\":[5,-3],"
         "\"answer\":[6,4],\"again\":[],\"nak\":[],\"other\":[7,0]}</script>\n</figure>\n");
}

Test(parts, events)
{
    static struct perf perf;

    perf.n = 1;
    perf.sender[0] = (struct perf_sender){.d = &direction, .first = 3, .last = 4, .bytes = 10, .messages = 1};
    r.perf = &perf;
    r.events = (struct report_events){.bucket_ns = 2000, .all = 6, .used = 3, .n = {{1, 0, 2}, {0, 3}}};
    report_over_time(&r, &o);
    o.buf[o.n] = '\0';
    cr_expect(strstr(o.buf,
                     "<h2>Repeats, RNR NAKs, congestion over time</h2>\n<figure class=\"events\">\n<figcaption>All "
                     "connections</figcaption>\n<div class=\"plot\"></div>\n<script type=\"application/json\">"
                     "{\"bucket\":2000,\"again\":[1,0,2],\"rnr\":[0,3,0],\"ecn\":[0,0,0],\"cnp\":[0,0,0]}</script>\n</"
                     "figure>\n"),
              "%s", o.buf);
}

/* ---- the whole page ---- */

/* All parts of a page in their order. */
Test(parts, of_a_page)
{
    static const char *const order[] = {
        "<!DOCTYPE html>\n",
        "<title>ibdissect: 0 errors, 1 warning, 0 notes</title>\n<style>\n",
        ".uplot",
        "figure {", /* of page.css */
        "</style>\n</head>\n<body>\n<h1>What went wrong in this capture</h1>\n",
        "<p class=\"lead why\">",
        "<p class=\"lead\">",
        "1 time a packet jumps over PSNs: those before it are missing (GAP, first packet 0, RQ-01, ",
        "<h2>For whom</h2>",
        "</b>: 2 of 3 request packets sent again, 50.0 % of the bytes (4 ",
        "<h2>How connections were made and ended</h2>",
        "<h2>Throughput</h2>",
        "<h2>Host by host</h2>",
        "<h2>PSNs over time</h2>",
        "<h2>Response times</h2>",
        "<script>/*<![CDATA[*/\n",
        "uPlot",
        "/*]]>*/</script>\n<script>/*<![CDATA[*/\n",
        "/*]]>*/</script>\n</body>\n</html>\n"};
    static const struct sample all = {1, 0};
    static struct perf perf;

    connect(1, 0, 1);
    perf.n = 1;
    perf.sender[0] = (struct perf_sender){.d = &direction, .first = 3, .last = 4, .bytes = 10, .messages = 1};
    r.perf = &perf;
    r.sample = &all;
    r.severity[IBA_WARN] = r.kind[IBA_FINDING_GAP].count = 1;
    r.n_line = 1;
    r.line[0] = (struct report_line){
        .d = &direction, .bad = 1, .requests = 3, .again = 2, .bytes = 20, .again_bytes = 10, .first_bad = 5};
    r.line[0].kind[IBA_FINDING_RETRY_CHANGED] = 4;
    r.answered[IBA_OPERATION_SEND] = 1;
    report_page(&r, &o);
    o.buf[o.n] = '\0';
    const char *at = o.buf;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *found = strstr(at, order[i]);
        cr_assert_not_null(found, "after the part before it the page lacks: %s", order[i]);
        at = found + strlen(order[i]);
    }
    cr_expect_str_eq(at, "");
}
