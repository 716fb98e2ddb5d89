/* SPDX-License-Identifier: BSD-2-Clause */
/* The data that the page collects from packets: points and marks of a direction, findings, ladders, files; each in
 * bounded memory.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../stats/test/feed.h"
#include "page/collected.h"
#include "wire/iba_opcode_rows.h"

enum { A = 1, B = 2, REQUESTS = 0, ANSWERS = 1, LONE = 2, DIRECTIONS = 300 };

static const struct sample all = {1, 0};
static struct report *r;
static struct direction direction[DIRECTIONS];
static struct verdict_names names = {.direction = direction};
static char path[] = "ibproof-report-XXXXXX";
static const char *source_name = "a.pcap";
static uint32_t source;

static void begin(void)
{
    char err[256];
    const int fd = mkstemp(path);

    cr_assert(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
    r = report_open(path, &all, err, sizeof err);
    cr_assert_not_null(r, "%s", err);
    for (uint32_t i = 0; i < DIRECTIONS; i++)
        direction[i] =
            (struct direction){.id = i,
                               .svc = IBA_RC,
                               .source_qp = i,
                               .knows_source_qp = true,
                               .key = {.kind = IBA_ADDR_IPV4, .qpn = i, .src = {10, 0, 0, A}, .dst = {10, 0, 0, B}}};
    direction[REQUESTS].peer = ANSWERS + 1;
    direction[ANSWERS].peer = REQUESTS + 1;
}

static void end(void)
{
    cr_expect_eq(report_close(r), 0);
    (void)unlink(path);
}

TestSuite(report, .init = begin, .fini = end);

struct what {
    uint32_t direction, psn;
    uint8_t opcode;
    bool again, bad_icrc;
    uint64_t same_as;
    unsigned n;
    enum iba_finding_kind kind[3];
};

/* Hands over the next packet, 10 ns after the one before. */
static void packet(const struct what *w)
{
    const uint64_t number = r->packets + 1;
    const bool back = w->direction == ANSWERS;
    const struct frame f = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2,
                                                   .src = back ? B : A,
                                                   .dst = back ? A : B,
                                                   .opcode = w->opcode,
                                                   .psn = w->psn,
                                                   .dest_qp = w->direction,
                                                   .words = w->opcode == IBA_RC_SEND_ONLY ? 2 : 0,
                                                   .bad_icrc = w->bad_icrc});
    struct verdict v = {.again = w->again,
                        .same_as = w->same_as,
                        .names = &names,
                        .direction = w->direction < DIRECTIONS ? &direction[w->direction] : NULL};
    const struct cap_packet cap = {.data = f.b,
                                   .caplen = (uint32_t)f.n,
                                   .len = (uint32_t)f.n,
                                   .has_ts = true,
                                   .ts_ns = RUN_NS + 10 * (number - 1)};
    struct packet p = {
        .cap = &cap, .number = number, .first_ns = RUN_NS, .source = source, .source_name = source_name, .verdict = &v};

    names.file[source] = source_name;
    for (unsigned i = 0; i < w->n; i++)
        verdict_add(&v,
                    &(struct iba_finding){
                        .kind = (uint8_t)w->kind[i], .frame = number, .at = cap.ts_ns, .direction = w->direction + 1});
    v.again = w->again; /* as the tests say, whatever the findings are */
    (void)iba_view_parse(&p.view, f.link, f.b, f.n, f.n, NULL);
    iba_view_check(&p.view);
    report_packet(r, &p);
}

static void request(uint32_t psn)
{
    packet(&(struct what){.direction = REQUESTS, .psn = psn, .opcode = IBA_RC_SEND_ONLY});
}

static void answer(uint32_t psn)
{
    packet(&(struct what){.direction = ANSWERS, .psn = psn, .opcode = IBA_RC_ACKNOWLEDGE});
}

static const char *said(void (*part)(const struct report *, struct out *))
{
    static struct out o;

    out_init(&o, -1);
    part(r, &o);
    o.buf[o.n] = '\0';
    return o.buf;
}

/* ---- points ---- */

/* When there are too many points every other one is dropped; PSNs wrap. */
Test(report, points_of_a_direction)
{
    enum { FIRST = 0xfffff0, N = 5000, STRIDE = 4 };

    for (uint32_t i = 0; i < N; i++)
        request((FIRST + i) & 0xffffff);
    const struct report_line *l = &r->line[0];
    cr_assert_eq(r->n_line, 1);
    cr_assert_eq(l->stride, STRIDE);
    cr_assert_eq(l->n, N / STRIDE);
    for (uint32_t i = 0; i < l->n; i++) {
        cr_expect(l->point[i].ns == 10 * STRIDE * i && l->point[i].psn == STRIDE * i, "%u: %ld %ld", i,
                  (long)l->point[i].ns, (long)l->point[i].psn);
        cr_expect_eq(l->point[i].what, POINT_SENT);
    }
    cr_expect(l->requests == N && l->bytes == 8 * N && l->again == 0 && l->bad == 0);
    const char *text = said(report_charts);
    cr_expect(strstr(text, "<figcaption>10.0.0.1 QP 0x000000 to 10.0.0.2 QP 0x000000</figcaption>"));
    cr_expect(strstr(text, "{\"base\":16777200,\"sent\":[0,0,40,4,80,8,"), "%.400s", text);
    cr_expect(strstr(text, ",\"answer\":[],\"again\":[],\"nak\":[],\"other\":[]}"));
}

/* The heading speaks of faults only when there are some; notes are no faults. */
Test(report, heading_of_a_capture_without_faults)
{
    static const char good[] = "<h1>What this capture shows</h1>", bad[] = "<h1>What went wrong in this capture</h1>";

    cr_expect(strstr(said(report_page), good));
    r->severity[IBA_NOTE] = 1;
    cr_expect(strstr(said(report_page), good));
    r->severity[IBA_WARN] = 1;
    cr_expect(strstr(said(report_page), bad));
    r->severity[IBA_WARN] = 0;
    r->severity[IBA_ERROR] = 1;
    cr_expect(strstr(said(report_page), bad));
}

/* A PSN before the first one is below 0. */
Test(report, earlier_psns)
{
    request(5);
    request(3);
    const char *text = said(report_charts);
    cr_expect(strstr(text, "{\"base\":5,\"sent\":[0,0,10,-2],"), "%s", text);
}

Test(report, each_kind_of_point)
{
    request(1);
    packet(&(struct what){REQUESTS, 1, IBA_RC_SEND_ONLY, .again = true, .n = 1, .kind = {IBA_FINDING_RETRY_TIMEOUT}});
    packet(&(struct what){ANSWERS, 1, IBA_RC_ACKNOWLEDGE, .n = 1, .kind = {IBA_FINDING_NAK_SEQUENCE}});
    packet(&(struct what){ANSWERS, 2, IBA_RC_ACKNOWLEDGE, .n = 1, .kind = {IBA_FINDING_RNR}});
    packet(&(struct what){REQUESTS, 2, IBA_RC_SEND_ONLY, .n = 1, .kind = {IBA_FINDING_GAP}});
    packet(&(struct what){REQUESTS, 2, IBA_RC_SEND_ONLY, .again = true, .n = 2,
                          .kind = {IBA_FINDING_GAP, IBA_FINDING_RNR}});
    packet(&(struct what){REQUESTS, 3, IBA_RC_SEND_ONLY, .n = 1, .kind = {IBA_FINDING_ECN}});
    answer(3);
    const struct report_line *l = &r->line[0];
    const char *text = said(report_charts);
    cr_expect(
        strstr(text,
               "\"sent\":[0,0,60,2],\"answer\":[70,2],\"again\":[10,0,50,1],\"nak\":[20,0,30,1],\"other\":[40,1]}"),
        "%s", text);
    cr_expect(strstr(text, ": 5 packets that went wrong</figcaption>"));
    cr_expect(l->requests == 5 && l->bytes == 40 && l->again == 2 && l->again_bytes == 16 && l->bad == 5 &&
              l->first_bad == 2);
    cr_expect(l->kind[IBA_FINDING_GAP] == 2 && l->kind[IBA_FINDING_RNR] == 2 && l->kind[IBA_FINDING_ECN] == 1);
}

Test(report, the_first_marks_are_kept)
{
    for (uint32_t i = 0; i < REPORT_MARKS + 9; i++)
        packet(&(struct what){REQUESTS, 7 + i, IBA_RC_SEND_ONLY, .again = true});
    const struct report_line *l = &r->line[0];
    cr_expect(l->n_mark == REPORT_MARKS && l->n == 0 && l->again == REPORT_MARKS + 9);
    for (uint32_t i = 0; i < l->n_mark; i++)
        cr_expect(l->mark[i].psn == i && l->mark[i].what == POINT_AGAIN);
}

Test(report, what_is_not_drawn)
{
    packet(&(struct what){.direction = DIRECTIONS, .opcode = IBA_RC_SEND_ONLY});
    packet(&(struct what){.direction = REQUESTS, .opcode = IBA_RC_SEND_ONLY, .bad_icrc = true});
    packet(&(struct what){.direction = REQUESTS, .opcode = IBA_RC_SEND_ONLY, .same_as = 1});
    packet(&(struct what){.direction = REQUESTS, .opcode = IBA_UD_SEND_ONLY});
    packet(&(struct what){.direction = LONE, .opcode = IBA_RC_ACKNOWLEDGE}); /* nothing that it answers is known */
    cr_expect_eq(r->n_line, 0);
    cr_expect_str_eq(said(report_charts), "");
    answer(9); /* without a request: it has a line, which is not drawn */
    cr_expect_eq(r->n_line, 1);
    cr_expect_str_eq(said(report_charts), "");
    cr_expect_eq(r->packets, 6);
}

/* The lines of the directions with the most errors are drawn. */
Test(report, more_directions_than_lines)
{
    for (uint32_t i = 0; i < REPORT_LINES + 10; i++)
        packet(&(struct what){.direction = 3 + i, .psn = i, .opcode = IBA_RC_SEND_ONLY});
    cr_expect_eq(r->n_line, REPORT_LINES);
    for (uint32_t i = 0; i < 2; i++)
        packet(&(struct what){3 + 200, 300 + i, IBA_RC_SEND_ONLY, .n = 1, .kind = {IBA_FINDING_GAP}});
    packet(&(struct what){3 + 100, 300, IBA_RC_SEND_ONLY, .n = 1, .kind = {IBA_FINDING_GAP}});
    const struct report_line *order[REPORT_LINES];
    cr_assert_eq(report_order(r, order), REPORT_LINES);
    cr_expect(order[0]->d->id == 203 && order[1]->d->id == 103 && order[2]->d->id == 3 && order[3]->d->id == 4);
    const char *text = said(report_charts);
    unsigned drawn = 0;
    for (const char *at = text; (at = strstr(at, "<figure class=\"psns\">")); at++)
        drawn++;
    cr_expect_eq(drawn, REPORT_CHARTS);
    cr_expect(strstr(text, "<p>Not every connection is drawn;"));
}

/* ---- findings, ladders, files ---- */

Test(report, findings)
{
    for (uint32_t i = 0; i < REPORT_FINDINGS + 3; i++)
        packet(&(struct what){REQUESTS, i, IBA_RC_SEND_ONLY, .n = 2,
                              .kind = {IBA_FINDING_GAP, i == 0 ? IBA_FINDING_NAK_ACCESS : IBA_FINDING_ECN}});
    report_late(r, &(struct iba_finding){.kind = IBA_FINDING_SILENCE, .frame = 1, .direction = 1}, &names);
    cr_expect_eq(r->n_finding, 2 * (REPORT_FINDINGS + 3) + 1);
    cr_expect(r->severity[IBA_ERROR] == 1 && r->severity[IBA_WARN] == REPORT_FINDINGS + 4 &&
              r->severity[IBA_NOTE] == REPORT_FINDINGS + 2);
    const struct report_kind *gap = &r->kind[IBA_FINDING_GAP], *ecn = &r->kind[IBA_FINDING_ECN];
    cr_expect(gap->count == REPORT_FINDINGS + 3 && ecn->count == REPORT_FINDINGS + 2);
    for (unsigned i = 0; i < REPORT_FIRST; i++)
        cr_expect(gap->frame[i] == i + 1 && ecn->frame[i] == i + 2);
    cr_expect(r->finding[0].kind == IBA_FINDING_GAP && r->finding[1].kind == IBA_FINDING_NAK_ACCESS &&
              r->finding[2].frame == 2);
    cr_expect(r->finding[REPORT_FINDINGS - 1].frame == REPORT_FINDINGS / 2);
    cr_expect_eq(r->names, &names);
    const char *text = said(report_summary);
    cr_expect(strstr(text, "<p class=\"lead\">1003 packets of a.pcap in 0.000010020 s: 1 error, 1004 warnings, 1002 "
                           "notes.</p>\n<ul>\n<li class=\"error\">1 time a packet "),
              "%.300s", text);
    cr_expect(
        strstr(text,
               "</b>: 1003 request packets, none sent again; 1003 GAP, 1 NAK_ACCESS; it begins with packet 1.</li>"),
        "%s", text);
}

Test(report, sent_again_in_words)
{
    request(1);
    packet(&(struct what){REQUESTS, 1, IBA_RC_SEND_ONLY, .again = true, .n = 1, .kind = {IBA_FINDING_RETRY_TIMEOUT}});
    packet(&(struct what){REQUESTS, 1, IBA_RC_SEND_ONLY, .again = true, .n = 2,
                          .kind = {IBA_FINDING_RETRY_CHANGED, IBA_FINDING_GAP}});
    const char *text = said(report_summary);
    cr_expect(strstr(text, "</b>: 2 of 3 request packets sent again, 66.7 % of the bytes (1 RETRY_TIMEOUT, 1 "
                           "RETRY_CHANGED); 1 GAP; it begins with "
                           "packet 2.</li>"),
              "%s", text);
}

/* A ladder has five packets before the first finding of its kind, and five after it. */
Test(report, ladders)
{
    for (uint32_t i = 1; i <= 20; i++)
        packet(&(struct what){REQUESTS, i, IBA_RC_SEND_ONLY, .n = i == 8 || i == 9 || i == 18,
                              .kind = {i == 18 ? IBA_FINDING_LATE : IBA_FINDING_GAP}});
    cr_assert_eq(r->n_ladder, 2);
    const struct report_ladder *a = &r->ladder[0], *b = &r->ladder[1];
    cr_expect(a->n == 11 && a->hit == 5 && b->n == 8 && b->hit == 5 && a->line == &r->line[0]);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct report_step *s = &a->step[i];
        cr_expect(s->frame == 3 + i && s->psn.v == 3 + i && s->len == 8 && s->ns == 10 * (2 + (int64_t)i) &&
                  !s->answers);
        cr_expect(s->opcode == IBA_RC_SEND_ONLY && !s->has_aeth && !s->has_reth &&
                  s->has_finding == (i == 5 || i == 6));
    }
    for (uint32_t i = 0; i < b->n; i++)
        cr_expect_eq(b->step[i].frame, 13 + i);
    packet(&(struct what){LONE, 1, IBA_RC_SEND_ONLY, .n = 1, .kind = {IBA_FINDING_ECN}}); /* only a note */
    cr_expect_eq(r->n_ladder, 2);
    packet(&(struct what){LONE, 1, IBA_RC_SEND_ONLY, .n = 3,
                          .kind = {IBA_FINDING_ECN, IBA_FINDING_NAK_ACCESS, IBA_FINDING_NAK_INVALID}});
    cr_assert_eq(r->n_ladder, 3);
    const struct report_step *hit = &r->ladder[2].step[r->ladder[2].hit];
    cr_expect(r->ladder[2].hit == 1 && r->ladder[2].n == 2 && hit->finding.kind == IBA_FINDING_NAK_ACCESS,
              "the first of the worst");
}

Test(report, more_kinds_than_ladders)
{
    unsigned kinds = 0;

    for (unsigned k = 0; k < IBA_FINDING_COUNT && kinds < REPORT_LADDERS + 4; k++)
        if (iba_findings[k].severity >= IBA_WARN) {
            packet(&(struct what){3 + kinds, 1, IBA_RC_SEND_ONLY, .n = 1, .kind = {(enum iba_finding_kind)k}});
            cr_expect_eq(r->n_ladder, ++kinds < REPORT_LADDERS ? kinds : (unsigned)REPORT_LADDERS);
        }
}

Test(report, steps_of_answers_and_reads)
{
    packet(&(struct what){.direction = REQUESTS, .psn = 4, .opcode = IBA_RC_READ_REQUEST});
    packet(&(struct what){ANSWERS, 4, IBA_RC_ACKNOWLEDGE, .n = 1, .kind = {IBA_FINDING_GAP}});
    cr_assert(r->n_ladder == 1 && r->ladder[0].n == 2);
    const struct report_step *s = r->ladder[0].step;
    cr_expect(s[0].has_reth && !s[0].has_aeth && !s[0].answers && s[0].len == 0);
    cr_expect(s[1].has_aeth && !s[1].has_reth && s[1].answers);
}

Test(report, names_of_files)
{
    static const char *const file[] = {"a", "b", "a", "c", "d", "e", "f", "g", "h", "i", "b"};

    for (uint32_t i = 0; i < sizeof file / sizeof *file; i++) {
        source = i;
        source_name = file[i];
        request(i);
        request(i);
    }
    cr_assert_eq(r->n_file, 8);
    for (unsigned i = 0; i < 8; i++)
        cr_expect(r->file[i][0] == (char)('a' + i) && r->file[i][1] == '\0');
    cr_expect(strstr(said(report_summary), "<p class=\"lead\">22 packets of a, b, c, d, e, f, g, h in "));
}

/* ---- the file ---- */

Test(report, the_page_appears_when_it_is_complete)
{
    char own[] = "ibproof-whole-XXXXXX", err[256], start[16] = "", last[9] = "";
    const int fd = mkstemp(own);

    cr_assert(fd >= 0 && close(fd) == 0 && unlink(own) == 0);
    struct report *other = report_open(own, &all, err, sizeof err);
    cr_assert_not_null(other, "%s", err);
    cr_expect_neq(access(own, F_OK), 0);
    cr_expect_eq(report_close(other), 0);
    FILE *f = fopen(own, "rbe");
    cr_assert_not_null(f);
    cr_expect_eq(fread(start, 1, 15, f), 15);
    cr_expect_str_eq(start, "<!DOCTYPE html>");
    cr_expect_eq(fseek(f, -8, SEEK_END), 0);
    cr_expect_eq(fread(last, 1, 8, f), 8);
    cr_expect_str_eq(last, "</html>\n");
    (void)fclose(f);
    (void)unlink(own);
    cr_expect_null(report_open("no-such-folder/page", &all, err, sizeof err));
    cr_expect_str_eq(err, "no-such-folder/page: No such file or directory", "%s", err);
    other = report_open("-", &all, err, sizeof err);
    cr_assert_not_null(other);
    other->place.fd = other->out.fd = -1;
    cr_expect_eq(report_close(other), EBADF, "a failure is reported");
}
