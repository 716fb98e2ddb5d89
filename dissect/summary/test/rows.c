/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows for databases: the whole line of a message, a finding, a connection and a bucket of time. */
#include "summary/rows.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "observer/iba_finding_kinds.h"
#include "observer/iba_message.h"

enum { ROOM = 1 << 15 };

static struct direction direction[2] = {
    {.id = 0,
     .svc = IBA_RC,
     .source_qp = 0x123456,
     .knows_source_qp = true,
     .key = {.kind = IBA_ADDR_IPV4, .qpn = 0x11, .src = {10, 0, 0, 1}, .dst = {10, 0, 0, 2}}},
    {.id = 1, .svc = IBA_UD, .key = {.kind = IBA_ADDR_LID, .qpn = 1, .src = {1, 2}, .dst = {0, 3}}}};
static const struct verdict_names names = {.direction = direction, .file = {"a.pcap", "b.pcap"}};
static char folder[] = "ibproof-rows-XXXXXX", inside[sizeof folder + 8];
static struct rows *r;
static struct summary *s;

static void begin(void)
{
    char err[256];

    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(inside, sizeof inside, "%s/rows", folder);
    r = rows_open(inside, "h", err, sizeof err);
    cr_assert_not_null(r, "%s", err);
    s = summary_open();
}

static const char *path_of(const char *file)
{
    static char path[sizeof inside + 32];

    (void)snprintf(path, sizeof path, "%s/%s.ndjson", inside, file);
    return path;
}

static void end(void)
{
    static const char *const files[] = {"messages", "findings", "connections", "buckets"};

    if (r)
        cr_expect_eq(rows_end(r, s), 0);
    r = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_expect_eq(unlink(path_of(files[i])), 0);
    cr_expect(rmdir(inside) == 0 && rmdir(folder) == 0);
    summary_free(s);
}

TestSuite(rows, .init = begin, .fini = end);

/* Ends the rows, and returns the text of this file. */
static const char *text_of(const char *file)
{
    static char text[ROOM];

    cr_expect_eq(rows_end(r, s), 0);
    r = NULL;
    FILE *f = fopen(path_of(file), "r");
    cr_assert_not_null(f);
    const size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    return text;
}

Test(rows, messages)
{
    struct iba_message m = {.direction = 1,
                            .operation = IBA_OPERATION_READ,
                            .end = IBA_MESSAGE_END_ANSWERED,
                            .whole = true,
                            .closed = true,
                            .first_frame = 4,
                            .last_frame = 5,
                            .answer_frame = 6,
                            .began = 1000,
                            .ended = 1250,
                            .bytes = 77,
                            .again = 2};

    rows_message(r, &m, &names);
    m.closed = false;
    m.answer_frame = 0;
    m.end = IBA_MESSAGE_END_OPEN;
    rows_message(r, &m, &names);
    m.closed = true;
    m.whole = false;
    m.answer_frame = 6;
    m.ended = 1000;
    m.direction = 2;
    rows_message(r, &m, &names);
    m.ended = 999; /* an answer that was captured elsewhere, by another clock */
    rows_message(r, &m, &names);
    cr_expect_str_eq(text_of("messages"),
                     "{\"v\":1,\"host\":\"h\",\"ns\":1000,\"service\":\"RC\",\"src\":\"10.0.0.1\","
                     "\"src_qp\":1193046,\"dst\":\"10.0.0.2\",\"dst_qp\":17,\"operation\":\"READ\","
                     "\"end\":\"answered\",\"whole\":true,\"bytes\":77,\"latency_ns\":250,\"sent_again\":2,"
                     "\"first_packet\":4,\"last_packet\":5,\"answer_packet\":6}\n"
                     "{\"v\":1,\"host\":\"h\",\"ns\":1000,\"service\":\"RC\",\"src\":\"10.0.0.1\","
                     "\"src_qp\":1193046,\"dst\":\"10.0.0.2\",\"dst_qp\":17,\"operation\":\"READ\","
                     "\"end\":\"open\",\"whole\":false,\"bytes\":77,\"latency_ns\":null,\"sent_again\":2,"
                     "\"first_packet\":4,\"last_packet\":5,\"answer_packet\":null}\n"
                     "{\"v\":1,\"host\":\"h\",\"ns\":1000,\"service\":\"UD\",\"src\":\"LID: 258\","
                     "\"src_qp\":null,\"dst\":\"LID: 3\",\"dst_qp\":1,\"operation\":\"READ\",\"end\":\"open\","
                     "\"whole\":false,\"bytes\":77,\"latency_ns\":0,\"sent_again\":2,\"first_packet\":4,"
                     "\"last_packet\":5,\"answer_packet\":6}\n"
                     "{\"v\":1,\"host\":\"h\",\"ns\":1000,\"service\":\"UD\",\"src\":\"LID: 258\","
                     "\"src_qp\":null,\"dst\":\"LID: 3\",\"dst_qp\":1,\"operation\":\"READ\",\"end\":\"open\","
                     "\"whole\":false,\"bytes\":77,\"latency_ns\":null,\"sent_again\":2,\"first_packet\":4,"
                     "\"last_packet\":5,\"answer_packet\":6}\n");
}

Test(rows, findings)
{
    struct iba_finding f = {.kind = IBA_FINDING_GAP,
                            .tag = 7U << VERDICT_SOURCE_BITS | 1,
                            .cause = 3,
                            .cause_tag = 2U << VERDICT_SOURCE_BITS,
                            .frame = 9,
                            .at = 1000,
                            .psn = {5},
                            .count = 2,
                            .wait_ns = 30,
                            .direction = 1};

    rows_finding(r, &f, &names);
    f.cause = 0;
    f.direction = 0;
    f.tag = 7U << VERDICT_SOURCE_BITS | 2;
    rows_finding(r, &f, &names);
    cr_expect_str_eq(text_of("findings"),
                     "{\"v\":1,\"host\":\"h\",\"ns\":1000,\"finding\":\"GAP\",\"severity\":\"warn\","
                     "\"clause\":\"RQ-01, UU-03\",\"service\":\"RC\",\"src\":\"10.0.0.1\",\"src_qp\":1193046,"
                     "\"dst\":\"10.0.0.2\",\"dst_qp\":17,\"file\":\"b.pcap\",\"number\":7,"
                     "\"cause_file\":\"a.pcap\",\"cause_number\":2,\"wait_ns\":30,"
                     "\"message\":\"PSN 0x000005 jumps over PSNs: those before it are missing (a.pcap frame 3,"
                     " 2 missing, 0.03 us)\"}\n"
                     "{\"v\":1,\"host\":\"h\",\"ns\":1000,\"finding\":\"GAP\",\"severity\":\"warn\","
                     "\"clause\":\"RQ-01, UU-03\",\"service\":null,\"src\":null,\"src_qp\":null,\"dst\":null,"
                     "\"dst_qp\":null,\"file\":\"\",\"number\":7,\"cause_file\":\"\",\"cause_number\":null,"
                     "\"wait_ns\":30,"
                     "\"message\":\"PSN 0x000005 jumps over PSNs: those before it are missing (2 missing,"
                     " 0.03 us)\"}\n");
}

Test(rows, connections)
{
    struct summary_sides sides = {.at = {{1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17, 18}}};
    struct summary_part p = {.ends = {.key = {IBA_ADDR_IPV4, IBA_RC}}, .first_ns = 100, .last_ns = 900};

    summary_set_end(&p.ends, 0, direction[0].key.src, true, 0x123456);
    summary_set_end(&p.ends, 1, direction[0].key.dst, false, 0);
    sides.at[0][SUMMARY_AT_FOUND + IBA_FINDING_GAP] = 2;
    sides.at[0][SUMMARY_AT_FOUND + IBA_FINDING_LENGTH] = 3;
    sides.at[0][SUMMARY_AT_FOUND + IBA_FINDING_ECN] = 4;
    sides.at[1][SUMMARY_AT_FOUND + IBA_FINDING_ECN] = UINT64_MAX;
    sides.at[1][SUMMARY_AT_FOUND + IBA_FINDING_CNP] = 1;
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++)
        sides.at[1][SUMMARY_AT_LIMIT + i] = 1000 + i;
    summary_add_part(s, &p, &sides);
    cr_expect_str_eq(text_of("connections"),
                     "{\"v\":1,\"host\":\"h\",\"address\":\"ipv4\",\"service\":\"RC\",\"src\":\"10.0.0.1\","
                     "\"src_qp\":1193046,\"dst\":\"10.0.0.2\",\"dst_qp\":null,\"first_ns\":100,"
                     "\"last_ns\":900,\"packets\":1,\"payload_bytes\":2,\"sent_again\":3,\"messages\":4,"
                     "\"answered\":5,\"refused\":6,\"open\":7,\"message_bytes\":8,\"errors\":3,\"warnings\":2,"
                     "\"notes\":4,\"limit_not_visible_ns\":0,\"limit_idle_ns\":0,\"limit_latency_ns\":0,"
                     "\"limit_window_ns\":0,\"limit_read_depth_ns\":0,\"limit_queue_ns\":0,"
                     "\"limit_credits_ns\":0,\"limit_rnr_ns\":0,\"limit_loss_ns\":0,\"limit_congestion_ns\":0,"
                     "\"limit_paced_ns\":0,\"limit_port_ns\":0,\"limit_sender_ns\":0}\n"
                     "{\"v\":1,\"host\":\"h\",\"address\":\"ipv4\",\"service\":\"RC\",\"src\":\"10.0.0.2\","
                     "\"src_qp\":null,\"dst\":\"10.0.0.1\",\"dst_qp\":1193046,\"first_ns\":100,"
                     "\"last_ns\":900,\"packets\":11,\"payload_bytes\":12,\"sent_again\":13,\"messages\":14,"
                     "\"answered\":15,\"refused\":16,\"open\":17,\"message_bytes\":18,\"errors\":0,"
                     "\"warnings\":0,\"notes\":18446744073709551615,\"limit_not_visible_ns\":1000,"
                     "\"limit_idle_ns\":1001,\"limit_latency_ns\":1002,\"limit_window_ns\":1003,"
                     "\"limit_read_depth_ns\":1004,\"limit_queue_ns\":1005,\"limit_credits_ns\":1006,"
                     "\"limit_rnr_ns\":1007,\"limit_loss_ns\":1008,\"limit_congestion_ns\":1009,"
                     "\"limit_paced_ns\":1010,\"limit_port_ns\":1011,\"limit_sender_ns\":1012}\n");
}

Test(rows, buckets)
{
    static const uint64_t count[SUMMARY_BUCKET_COUNTS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    summary_add_bucket(s, 3, 5, count);
    cr_expect_str_eq(text_of("buckets"),
                     "{\"v\":1,\"host\":\"h\",\"at_s\":40,\"bucket_s\":8,\"packets\":1,\"bytes\":2,"
                     "\"payload_bytes\":3,\"messages\":4,\"sent_again\":5,\"ecn\":6,\"cnp\":7,\"errors\":8,"
                     "\"warnings\":9,\"notes\":10}\n");
}

/* The folder must be new. */
Test(rows, folders)
{
    char err[256] = "", want[256];

    cr_expect_null(rows_open(inside, "h", err, sizeof err));
    (void)snprintf(want, sizeof want, "%s: %s", inside, strerror(EEXIST));
    cr_expect_str_eq(err, want);
    cr_expect_null(rows_open("ibproof-none/rows", "h", err, sizeof err));
    (void)snprintf(want, sizeof want, "ibproof-none/rows: %s", strerror(ENOENT));
    cr_expect_str_eq(err, want);
}
