/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of merged summaries: why communication is slow, what went wrong and where, over time, and host by host. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "page/merged.h"
#include "track/addr.h"

enum { GIGA = 1000000000, INCAST = 3, SHOWN_CAPTURES = 256, YEAR_4147_BITS = 36 }; /* of seconds since 1970 */

void merged_end(struct out *o, const struct summary_ends *e, unsigned which)
{
    const uint8_t *at = e->key + 2 + which * SUMMARY_END, *qp = at + IBA_ADDR_MOST;

    stat_addr_print(o, (enum iba_addr_kind)e->key[0], at);
    if (!qp[0])
        return;
    OUT_LIT(o, " QP ");
    out_hex(o, (uint64_t)qp[1] << 16 | (uint64_t)qp[2] << 8 | qp[3], 6);
}

/* ---- the first paragraphs ---- */

static void why(const struct merged *m, struct out *o)
{
    const struct merged_pair *to = NULL;
    const unsigned n = merged_incast(m, &to);

    OUT_LIT(o, "<p class=\"lead why\">");
    perf_say_sum(o, &m->limits);
    if (n >= INCAST) {
        out_ch(o, ' ');
        out_u64(o, n);
        OUT_LIT(o, " hosts send to ");
        stat_addr_print(o, (enum iba_addr_kind)to->kind, to->dst);
        OUT_LIT(o, " at the same time.");
    }
    OUT_LIT(o, "</p>\n");
}

/* Writes seconds since 1970 as UTC in the form of ISO 8601. They have at most YEAR_4147_BITS bits. */
static void moment(struct out *o, uint64_t s)
{
    const time_t t = (time_t)s;
    char text[32];
    struct tm tm;

    (void)gmtime_r(&t, &tm);
    out_mem(o, text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm));
}

/* Writes how many captures there are, and the names of their hosts. Captures are sorted, so equal names stand together.
 */
static void lead(const struct merged *m, struct out *o)
{
    const struct summary *s = m->s;
    uint64_t hosts = 0, first = 0, last = 0;

    for (size_t i = 0; i < s->n_capture; i++) {
        const struct summary_capture *c = &s->capture[i];
        hosts += i == 0 || c->host != s->capture[i - 1].host;
        first = c->first_ns && (first == 0 || c->first_ns < first) ? c->first_ns : first;
        last = c->last_ns > last ? c->last_ns : last;
    }
    OUT_LIT(o, "<p class=\"lead\">");
    report_counted(o, s->count[SUMMARY_PACKETS], "packet");
    OUT_LIT(o, " of ");
    report_counted(o, m->connections, "connection");
    OUT_LIT(o, " in ");
    report_counted(o, s->n_capture, "capture");
    OUT_LIT(o, " of ");
    report_counted(o, hosts, "host");
    if (last > 0) {
        OUT_LIT(o, ", from ");
        moment(o, first / GIGA);
        OUT_LIT(o, " to ");
        moment(o, last / GIGA);
    }
    OUT_LIT(o, ": ");
    report_verdict(m->severity, o);
    OUT_LIT(o, ".</p>\n");
    if (m->several > 0) {
        OUT_LIT(o, "<p>");
        report_counted(o, m->several, "connection");
        OUT_LIT(o,
                " with captures of several hosts: in the limits and host by host the host counts that saw the most of "
                "its packets; packets and findings are those of all captures.</p>\n");
    }
}

/* ---- what went wrong ---- */

static void kind(const struct summary *s, struct out *o, unsigned k)
{
    const struct iba_finding_info *info = &iba_findings[k];
    const struct summary_finding *f = &s->finding[k];

    OUT_LIT(o, "<li class=\"");
    out_str(o, iba_severity_name(info->severity));
    OUT_LIT(o, "\">");
    report_counted(o, f->count, "time");
    OUT_LIT(o, " a packet ");
    report_text(o, info->sentence);
    OUT_LIT(o, " (");
    out_str(o, info->name);
    if (f->n > 0) {
        OUT_LIT(o, ", first packet ");
        out_u64(o, f->first[0].number);
        OUT_LIT(o, " of ");
        report_text(o, s->text[f->first[0].file]);
        if (s->text[f->first[0].host][0]) {
            OUT_LIT(o, " of ");
            report_text(o, s->text[f->first[0].host]);
        }
    }
    OUT_LIT(o, ", ");
    report_text(o, verdict_cited(k));
    OUT_LIT(o, ")</li>\n");
}

static void connection(struct out *o, const struct merged_connection *c)
{
    const char *before = "; ";

    OUT_LIT(o, "<li><b>");
    merged_end(o, &c->ends, 0);
    OUT_LIT(o, " and ");
    merged_end(o, &c->ends, 1);
    OUT_LIT(o, "</b>: ");
    out_u64(o, c->again);
    OUT_LIT(o, " of ");
    report_counted(o, c->sides.at[0][SUMMARY_SIDE_PACKETS] + c->sides.at[1][SUMMARY_SIDE_PACKETS], "packet");
    OUT_LIT(o, " sent again");
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++) {
        const uint64_t n = summary_sum(c->sides.at[0][SUMMARY_AT_FOUND + k], c->sides.at[1][SUMMARY_AT_FOUND + k]);
        if (n == 0 || iba_findings[k].severity < IBA_WARN)
            continue;
        out_str(o, before);
        out_u64(o, n);
        out_ch(o, ' ');
        out_str(o, iba_findings[k].name);
        before = ", ";
    }
    OUT_LIT(o, "</li>\n");
}

static void faults(const struct merged *m, struct out *o)
{
    if (m->severity[IBA_ERROR] + m->severity[IBA_WARN] == 0)
        OUT_LIT(o, "<p>Nothing that the rules forbid and nothing that was lost was seen.</p>\n");
    else
        OUT_LIT(o, "<ul>\n");
    for (unsigned severity = IBA_ERROR; severity >= IBA_WARN; severity--)
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
            if (m->s->finding[k].count > 0 && iba_findings[k].severity == severity)
                kind(m->s, o, k);
    if (m->severity[IBA_ERROR] + m->severity[IBA_WARN] > 0)
        OUT_LIT(o, "</ul>\n");
    if (m->n_worst == 0)
        return;
    OUT_LIT(o, "<h2>For whom</h2>\n<ul class=\"pairs\">\n");
    for (unsigned i = 0; i < m->n_worst; i++)
        connection(o, &m->worst[i]);
    OUT_LIT(o, "</ul>\n");
    if (m->bad_connections > m->n_worst) {
        OUT_LIT(o, "<p>");
        report_counted(o, m->bad_connections - m->n_worst, "more connection");
        OUT_LIT(o, " with fewer errors, warnings and repeats are not listed.</p>\n");
    }
}

/* ---- over time ---- */

struct bins {
    uint64_t at_s, width_s;
    unsigned n;
    uint64_t count[MERGED_BINS][SUMMARY_BUCKET_COUNTS];
};

/* Puts all buckets into at most MERGED_BINS bins, buckets without packets too. False: there are none, or their time is
 * beyond any calendar. */
static bool put_in_bins(struct bins *b, const struct summary *s)
{
    unsigned more = 0;

    if (s->n_bucket == 0)
        return false;
    const uint64_t first = s->bucket[0].at, last = s->bucket[s->n_bucket - 1].at;
    while ((last >> more) - (first >> more) >= MERGED_BINS)
        more++;
    if (s->doublings + more >= YEAR_4147_BITS || last >> (YEAR_4147_BITS - s->doublings))
        return false;
    b->width_s = UINT64_C(1) << (s->doublings + more);
    b->at_s = (first >> more) * b->width_s;
    b->n = (unsigned)((last >> more) - (first >> more)) + 1;
    for (size_t i = 0; i < s->n_bucket; i++)
        for (unsigned k = 0; k < SUMMARY_BUCKET_COUNTS; k++) {
            uint64_t *to = &b->count[(s->bucket[i].at >> more) - (first >> more)][k];
            *to = summary_sum(*to, s->bucket[i].count[k]);
        }
    return true;
}

static void series(struct out *o, const struct bins *b, const char *name, enum summary_count a, enum summary_count also)
{
    OUT_LIT(o, ",\"");
    out_str(o, name);
    OUT_LIT(o, "\":[");
    for (unsigned i = 0; i < b->n; i++) {
        out_str(o, i ? "," : "");
        out_u64(o, also == a ? b->count[i][a] : summary_sum(b->count[i][a], b->count[i][also]));
    }
    out_ch(o, ']');
}

static void figure(struct out *o, const struct bins *b, const char *class)
{
    OUT_LIT(o, "<figure class=\"");
    out_str(o, class);
    OUT_LIT(o, "\">\n<figcaption>All connections, from ");
    moment(o, b->at_s);
    OUT_LIT(o, " on, each ");
    out_u64(o, b->width_s);
    OUT_LIT(o, " s</figcaption>\n<div class=\"plot\"></div>\n<script type=\"application/json\">{\"begin\":");
    out_u64(o, b->at_s);
    OUT_LIT(o, ",\"from\":0,\"bucket\":");
    out_u64(o, b->width_s * GIGA);
}

static void over_time(const struct summary *s, struct out *o)
{
    static struct bins b;

    memset(&b, 0, sizeof b);
    if (!put_in_bins(&b, s))
        return;
    OUT_LIT(o, "<h2>Throughput</h2>\n<noscript><p>The charts are drawn by a script of this page.</p></noscript>\n");
    figure(o, &b, "rates");
    series(o, &b, "bytes", SUMMARY_PAYLOAD, SUMMARY_PAYLOAD);
    OUT_LIT(o, "}</script>\n</figure>\n<h2>Repeats, congestion, errors over time</h2>\n");
    figure(o, &b, "events");
    series(o, &b, "again", SUMMARY_AGAIN, SUMMARY_AGAIN);
    series(o, &b, "ecn", SUMMARY_ECN, SUMMARY_ECN);
    series(o, &b, "cnp", SUMMARY_CNP, SUMMARY_CNP);
    series(o, &b, "bad", SUMMARY_ERRORS, SUMMARY_WARNINGS);
    OUT_LIT(o, "}</script>\n</figure>\n");
}

/* ---- response times, captures ---- */

static void latencies(const struct summary *s, struct out *o)
{
    bool any = false;

    for (unsigned op = 0; op < IBA_OPERATION_COUNT; op++) {
        uint64_t n[REPORT_TIMES] = {0}, all = 0;
        for (unsigned size = 0; size < TIMES_SIZES; size++)
            for (unsigned k = 0; s->times[op][size].count && k < TIMES_CLASSES; k++) {
                n[times_octave(k)] = summary_sum(n[times_octave(k)], s->times[op][size].count[k]);
                all = summary_sum(all, s->times[op][size].count[k]);
            }
        if (all == 0)
            continue;
        if (!any)
            OUT_LIT(o, "<h2>Response times</h2>\n<p>From the first packet of a message to the answer to its last; what "
                       "was sent again is included.</p>\n");
        any = true;
        report_histogram(o, iba_operation_name((enum iba_operation)op), n, all);
    }
}

static void captures(const struct summary *s, struct out *o)
{
    OUT_LIT(o, "<h2>Captures</h2>\n<table>\n<tr><th>Host</th><th>File</th><th>Packets</th><th>From</th><th>Read to its "
               "end</th></tr>\n");
    for (size_t i = 0; i < s->n_capture && i < SHOWN_CAPTURES; i++) {
        const struct summary_capture *c = &s->capture[i];
        OUT_LIT(o, "<tr><td>");
        report_text(o, s->text[c->host]);
        OUT_LIT(o, "</td><td>");
        report_text(o, s->text[c->file]);
        OUT_LIT(o, "</td><td class=\"n\">");
        out_u64(o, c->packets);
        OUT_LIT(o, "</td><td>");
        if (c->first_ns)
            moment(o, c->first_ns / GIGA);
        OUT_LIT(o, "</td><td>");
        out_str(o, c->whole ? "yes" : "no");
        OUT_LIT(o, "</td></tr>\n");
    }
    OUT_LIT(o, "</table>\n");
    if (s->n_capture > SHOWN_CAPTURES) {
        OUT_LIT(o, "<p>");
        out_u64(o, s->n_capture - SHOWN_CAPTURES);
        OUT_LIT(o, " more are not listed.</p>\n");
    }
}

bool report_merged(struct summary *s, struct out *o, char *err, size_t errlen)
{
    struct merged m;

    if (!summary_sort(s, err, errlen))
        return false;
    const bool good = merged_collect(&m, s);
    if (good) {
        report_head(o, m.severity, "Why these jobs are slow, and what went wrong");
        why(&m, o);
        report_sample(o, &s->sample);
        lead(&m, o);
        faults(&m, o);
        over_time(s, o);
        merged_hosts(&m, o);
        latencies(s, o);
        captures(s, o);
        report_tail(o);
    } else
        (void)snprintf(err, errlen, "out of memory");
    free(m.pair);
    return good;
}
