/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics: sums of several summaries, their form as OpenMetrics text, and pairs of hosts beyond the limit. */
#include "summary/metrics.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct summary *s;
static struct metrics *m;
static char *text;

static void begin(void)
{
    s = summary_open();
    m = metrics_open();
    cr_assert(s && m);
}

static void end(void)
{
    summary_free(s);
    free(m);
    free(text);
    text = NULL;
}

TestSuite(metrics, .init = begin, .fini = end);

/* Adds the summary to the metrics, and writes these. */
static void add_and_write(void)
{
    static struct out o;

    metrics_add(m, s);
    out_init(&o, -1);
    metrics_write(m, &o);
    free(text);
    text = strndup(o.buf, o.n);
    cr_assert_not_null(text);
}

/* Whether the text has this line. */
static bool has(const char *line)
{
    const size_t n = strlen(line);

    for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
        if ((at == text || at[-1] == '\n') && at[n] == '\n')
            return true;
    return false;
}

static void expect_lines(int at, const char *const lines[])
{
    for (; *lines; lines++)
        cr_expect(has(*lines), "line %d: not in the text: %s", at, *lines);
}
#define EXPECT_LINES(...) expect_lines(__LINE__, (const char *const[]){__VA_ARGS__, NULL})

static size_t lines_with(const char *what)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* Adds a connection of 10.0.x.y to 10.1.0.1 with these numbers. */
static void connection(unsigned host, enum iba_svc svc, struct summary_sides *sides)
{
    const uint8_t from[IBA_ADDR_MOST] = {10, 0, (uint8_t)(host >> 8), (uint8_t)host}, to[IBA_ADDR_MOST] = {10, 1, 0, 1};
    struct summary_part p = {.ends.key = {IBA_ADDR_IPV4, (uint8_t)svc}};

    summary_set_end(&p.ends, 0, from, true, 1);
    summary_set_end(&p.ends, 1, to, true, 2);
    summary_add_part(s, &p, sides);
}

Test(metrics, nothing)
{
    add_and_write();
    EXPECT_LINES("# TYPE ibdissect_packets counter", "# HELP ibdissect_packets Packets, those seen twice once.",
                 "ibdissect_packets_total 0");
    cr_expect_eq(lines_with("ibdissect_findings_total{"), IBA_FINDING_COUNT, "each kind from the start");
    cr_expect_eq(lines_with("ibdissect_limit_seconds_total{limit=\""), PERF_LIMIT_COUNT);
    cr_expect_eq(lines_with("ibdissect_message_ends_total"), 0);
    cr_expect_eq(lines_with("_bucket"), 0);
    cr_expect_eq(lines_with("src="), 0);
    cr_expect_eq(lines_with("sample_pairs"), 0);
    cr_expect_eq(lines_with("last_packet"), 0);
    cr_expect_str_eq(text + strlen(text) - 6, "# EOF\n");
}

Test(metrics, each_count)
{
    for (unsigned i = 0; i < SUMMARY_COUNT; i++)
        s->count[i] = 100 + i;
    metrics_add(m, s);
    s->count[SUMMARY_CNP] = UINT64_MAX;
    add_and_write();
    EXPECT_LINES("ibdissect_packets_total 200", "# UNIT ibdissect_wire_bytes bytes", "ibdissect_wire_bytes_total 202",
                 "ibdissect_payload_bytes_total 204", "ibdissect_messages_total 206", "ibdissect_sent_again_total 208",
                 "ibdissect_ecn_marks_total 210", "ibdissect_cnps_total 18446744073709551615",
                 "ibdissect_bad_icrcs_total 222", "ibdissect_seen_twice_total 226", "ibdissect_no_connection_total 230",
                 "ibdissect_not_followed_total 232");
}

Test(metrics, findings_of_all_summaries)
{
    s->finding[IBA_FINDING_GAP].count = 3;
    s->finding[IBA_FINDING_COUNT - 1].count = 1;
    metrics_add(m, s);
    add_and_write();
    EXPECT_LINES("ibdissect_findings_total{finding=\"GAP\",severity=\"warn\"} 6");
    cr_expect_eq(lines_with("} 2\n"), 1, "the last kind");
    cr_expect_eq(lines_with("} 0\n"), IBA_FINDING_COUNT - 2);
}

/* Response times are counted in buckets that end at 2^10 - 1, ... 2^33 - 1 ns. */
Test(metrics, messages_and_response_times)
{
    struct summary_times *t = &s->times[IBA_OPERATION_READ][0];

    *t = (struct summary_times){.answered = 4, .refused = 2, .open = 1};
    summary_classes(s, t)[times_class(1023)] = 1;
    summary_classes(s, t)[times_class(1024)] = 2;
    summary_classes(s, t)[times_class(UINT64_C(1) << 33)] = 1;
    s->times[IBA_OPERATION_READ][5] = (struct summary_times){.answered = 1};
    summary_classes(s, &s->times[IBA_OPERATION_READ][5])[0] = 1;
    s->times[IBA_OPERATION_SEND][5].open = 9;
    add_and_write();
    EXPECT_LINES("ibdissect_message_ends_total{operation=\"READ\",end=\"answered\"} 5",
                 "ibdissect_message_ends_total{operation=\"READ\",end=\"refused\"} 2",
                 "ibdissect_message_ends_total{operation=\"READ\",end=\"open\"} 1",
                 "ibdissect_message_ends_total{operation=\"SEND\",end=\"open\"} 9");
    cr_expect_eq(lines_with("ibdissect_message_ends_total"), 6);
    EXPECT_LINES("# TYPE ibdissect_response_seconds histogram",
                 "ibdissect_response_seconds_bucket{operation=\"READ\",le=\"0.000001023\"} 2",
                 "ibdissect_response_seconds_bucket{operation=\"READ\",le=\"0.000002047\"} 4",
                 "ibdissect_response_seconds_bucket{operation=\"READ\",le=\"8.589934591\"} 4",
                 "ibdissect_response_seconds_bucket{operation=\"READ\",le=\"+Inf\"} 5");
    cr_expect_eq(lines_with("_bucket{"), 25, "none of SEND, which has no answers");
}

Test(metrics, limits_of_reliable_connections)
{
    static const enum iba_svc svcs[] = {IBA_RC, IBA_XRC, IBA_UC, IBA_UD};

    for (unsigned i = 0; i < 4; i++) {
        struct summary_sides sides = {0};
        sides.at[0][SUMMARY_AT_LIMIT + PERF_LOSS] = 1000000017;
        sides.at[1][SUMMARY_AT_LIMIT + PERF_LOSS] = 3;
        sides.at[1][SUMMARY_AT_LIMIT + PERF_SENDER] = 123456789;
        connection(i, svcs[i], &sides);
    }
    add_and_write();
    EXPECT_LINES("# UNIT ibdissect_limit_seconds seconds", "ibdissect_limit_seconds_total{limit=\"loss\"} 2.000000040",
                 "ibdissect_limit_seconds_total{limit=\"sender\"} 0.246913578",
                 "ibdissect_limit_seconds_total{limit=\"idle\"} 0.000000000");
    cr_expect_eq(lines_with("src="), 0, "they sent no packets");
}

Test(metrics, pairs_of_hosts)
{
    struct summary_sides sides = {0};
    unsigned error = 0, note = 0;

    while (iba_findings[error].severity != IBA_ERROR)
        error++;
    while (iba_findings[note].severity != IBA_NOTE)
        note++;
    sides.at[0][SUMMARY_SIDE_PACKETS] = 5;
    sides.at[0][SUMMARY_SIDE_PAYLOAD] = 50;
    sides.at[0][SUMMARY_SIDE_AGAIN] = 2;
    sides.at[0][SUMMARY_AT_FOUND + error] = 3;
    sides.at[0][SUMMARY_AT_FOUND + IBA_FINDING_GAP] = 4;
    sides.at[0][SUMMARY_AT_FOUND + note] = 8;
    sides.at[1][SUMMARY_SIDE_PACKETS] = 7;
    connection(1, IBA_RC, &sides);
    connection(1, IBA_UD, &sides);
    add_and_write();
    EXPECT_LINES("ibdissect_hosts_packets_total{src=\"10.0.0.1\",dst=\"10.1.0.1\"} 10",
                 "ibdissect_hosts_packets_total{src=\"10.1.0.1\",dst=\"10.0.0.1\"} 14",
                 "ibdissect_hosts_payload_bytes_total{src=\"10.0.0.1\",dst=\"10.1.0.1\"} 100",
                 "ibdissect_hosts_sent_again_total{src=\"10.0.0.1\",dst=\"10.1.0.1\"} 4",
                 "ibdissect_hosts_warnings_total{src=\"10.0.0.1\",dst=\"10.1.0.1\"} 8",
                 "ibdissect_hosts_errors_total{src=\"10.0.0.1\",dst=\"10.1.0.1\"} 6",
                 "ibdissect_hosts_errors_total{src=\"10.1.0.1\",dst=\"10.0.0.1\"} 0");
    cr_expect_eq(lines_with("src="), 10);
}

Test(metrics, pairs_beyond_the_limit_share_a_series)
{
    struct summary_sides sides = {.at[0][SUMMARY_SIDE_PACKETS] = 1};

    for (unsigned i = 0; i < METRICS_PAIRS; i++)
        connection(i, IBA_RC, &sides);
    add_and_write();
    cr_expect_eq(lines_with("hosts_packets_total{"), METRICS_PAIRS);
    cr_expect_eq(lines_with("\"other\""), 0);
    connection(METRICS_PAIRS, IBA_RC, &sides);
    connection(METRICS_PAIRS + 1, IBA_RC, &sides);
    add_and_write();
    EXPECT_LINES("ibdissect_hosts_packets_total{src=\"10.0.0.255\",dst=\"10.1.0.1\"} 2",
                 "ibdissect_hosts_packets_total{src=\"other\",dst=\"other\"} 2");
    cr_expect_eq(lines_with("hosts_packets_total{"), METRICS_PAIRS + 1);
}

Test(metrics, samples_and_the_newest_packet)
{
    summary_add_capture(s, &(struct summary_capture){.last_ns = UINT64_C(1700000000000000001)});
    summary_add_capture(s, &(struct summary_capture){.last_ns = 5});
    cr_assert(summary_take_sample(s, &(struct sample){2, 1}));
    metrics_add(m, s);
    s->capture[0].last_ns = 4;
    add_and_write();
    EXPECT_LINES("# TYPE ibdissect_sample_pairs gauge", "ibdissect_sample_pairs 2",
                 "# TYPE ibdissect_last_packet_timestamp_seconds gauge",
                 "ibdissect_last_packet_timestamp_seconds 1700000000.000000001");
    s->capture[0].last_ns = UINT64_MAX;
    add_and_write();
    EXPECT_LINES("ibdissect_last_packet_timestamp_seconds 9223372036.854775807");
}
