/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints untrusted packets, comments and file names by every output form of ibdissect. JSON can be parsed, no text
 * breaks a line, and markup nests and has no character that XML forbids. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "judge/judge.h"
#include "output/printer.h"
#include "page/page.h"
#include "records.h"
#include "stats/stats.h"
#include "track/sample.h"
#include "track/track.h"
#include "written.h"

const struct fuzz_target fuzz_target = {"output", FUZZ_RECORDS, NULL};

/* Bits of the second byte of the settings: judge packets; track messages, which takes most of the time. */
enum { JUDGED = 1, MESSAGES = 2 };
enum { STATS = 32 };
enum { RAW = FUZZ_RAW, COMMENT, NAME, TIME, KINDS };
enum { MOST_STEPS = 12, TEXT = 200, SOURCES = 4, MOST_FIELDS = 15 };

struct session {
    struct judge *judge;
    struct packet packet;
    struct cap_packet cap;
    char comment[TEXT], name[SOURCES][TEXT];
    struct track track;
    struct print_opts opts;
    struct report *report;
    void *stat[STATS];
};
/* ---- what was written ---- */

/* A page has elements without end tags, and scripts, so an XML parser cannot check it. This looks for text that the
 * input may have added. */
static void check_page(const struct written *t)
{
    FUZZ_CHECK(t->n > 0 && memchr(t->p, '\0', t->n) == NULL);
    FUZZ_CHECK(!strstr(t->p, "<x") && !strstr(t->p, "\"x="));
}

/* ---- writing ---- */

static struct out out;

static int begin_writing(void)
{
    const int fd = memfd_create("out", 0);

    FUZZ_CHECK(fd >= 0);
    out_init(&out, fd);
    return fd;
}

static struct written end_writing(int fd)
{
    FUZZ_CHECK(out_flush(&out));
    const struct written t = written_by(fd);
    close(fd);
    return t;
}

/* Takes the options from bytes three to six of the settings. */
static void set_options(struct print_opts *o, const uint8_t *head)
{
    enum { COLOR = 0x10, FILES = 0x20, HEADER = 0x40, NO_HEX = 0x80 };
    size_t n;
    const struct field *const all = field_all(&n);
    const size_t first = (size_t)(head[4] | head[5] << 8) % n;

    memset(o, 0, sizeof *o);
    o->time = (enum time_format)((head[2] & 7) % (STAMP_UTC_DATE + 1));
    o->hex = (head[2] & NO_HEX) == 0;
    o->color = (head[2] & COLOR) != 0;
    o->sources = (head[2] & FILES) != 0;
    o->header = (head[2] & HEADER) != 0;
    o->separator = "\t,;|"[head[3] & 3];
    o->aggregator = ", ;:"[head[3] >> 2 & 3];
    o->quote = "\"'\0\""[head[3] >> 4 & 3];
    o->occurrence = "aflf"[head[3] >> 6];
    for (size_t i = 0; i < (head[6] & MOST_FIELDS); i++)
        o->field[o->n_field++] = &all[(first + i * (1u + (head[6] >> 4))) % n];
}

static void each_form(const struct packet *p, const struct print_opts *opts, bool first)
{
    for (const struct printer *form = printers; form->name; form++) {
        const int fd = begin_writing();
        if (form->begin)
            form->begin(&out, opts);
        form->packet(&out, p, opts, first);
        if (form->end)
            form->end(&out, true);
        const struct written t = end_writing(fd);
        if (strcmp(form->name, "text") == 0 || strcmp(form->name, "tree") == 0)
            written_text(t.p, t.n, opts->color);
        if (!first) /* an offset inside of a record */
            ;
        else if (strcmp(form->name, "json") == 0)
            written_json(t.p, t.n);
        else if (strcmp(form->name, "jsonl") == 0 || strcmp(form->name, "ek") == 0)
            written_json_lines(t.p, t.n);
        else if (strcmp(form->name, "pdml") == 0)
            written_xml(t.p, t.n);
        free(t.p);
    }
}

static void print_stats(const struct session *s)
{
    for (unsigned i = 0; stat_kinds[i].name; i++)
        for (unsigned json = 0; json < 2 && s->stat[i]; json++) {
            const int fd = begin_writing();
            stat_kinds[i].print(s->stat[i], &out, json);
            const struct written t = end_writing(fd);
            if (json)
                written_json_lines(t.p, t.n);
            else
                written_text(t.p, t.n, false);
            free(t.p);
        }
}

/* ---- a run of ibdissect ---- */

static void on_late(void *ctx, const struct iba_finding *f, const struct verdict_names *names)
{
    const struct session *s = ctx;

    report_late(s->report, f, names);
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->stat[i] && stat_kinds[i].late)
            stat_kinds[i].late(s->stat[i], f, names);
}

static void on_message(void *ctx, const struct iba_message *m, const struct verdict_names *names)
{
    const struct session *s = ctx;

    report_message(s->report, m);
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->stat[i] && stat_kinds[i].message)
            stat_kinds[i].message(s->stat[i], m, names);
}

static void one_packet(struct session *s, uint8_t kind, enum iba_link link, const struct fuzz_in *in)
{
    enum { LATER = 0x10, UNCHECKED = 0x20, CUT = 0x40, NO_TIME = 0x80 };
    struct packet *p = &s->packet;

    s->cap.data = in->p;
    s->cap.caplen = (uint32_t)in->n;
    s->cap.len = s->cap.caplen + (kind & CUT ? CUT : 0);
    s->cap.number = ++p->number;
    s->cap.has_ts = (kind & NO_TIME) == 0;
    s->cap.comment = s->comment[0] ? s->comment : NULL;
    p->cap = &s->cap;
    p->source_name = s->name[p->source];
    fuzz_packet(link, in->p, in->n);
    (void)iba_view_parse(&p->view, link, in->p, s->cap.caplen, s->cap.len, NULL);
    if (!(kind & UNCHECKED))
        iba_view_check(&p->view);
    track_packet(&s->track, p);
    if (s->judge)
        p->verdict = judge_packet(s->judge, p);
    each_form(p, &s->opts, (kind & LATER) == 0);
    if (s->report)
        report_packet(s->report, p);
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->stat[i])
            stat_kinds[i].packet(s->stat[i], p);
    p->prev_ns = s->cap.ts_ns;
}

static void set_text(char to[TEXT], const struct fuzz_in *in)
{
    const size_t n = in->n < TEXT - 1 ? in->n : TEXT - 1;

    memcpy(to, in->p, n);
    to[n] = '\0';
}

/* Returns the argument of a statistic of -z, which the last byte of the settings selects. */
static const char *argument(const char *name, uint8_t which)
{
    static const char *const seconds[] = {"1", "0", "0.001", "3600", "x", "1.5.", ".5", "0.000000001"};
    static const char *const severities[] = {NULL, "error", "warn", "note", "chat", "none at all"};

    if (strcmp(name, "io,stat") == 0)
        return seconds[which % 8];
    return strcmp(name, "expert") == 0 ? severities[which / 8 % 6] : NULL;
}

static void begin(struct session *s, int page, const uint8_t *head)
{
    const uint8_t how = head[1];
    const struct judge_config cfg = {.late = on_late, .message = how & MESSAGES ? on_message : NULL, .ctx = s};
    static const struct sample every_packet = {1, 0};
    char path[32], err[256];

    if (how & JUDGED) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", page);
        s->judge = judge_open(&cfg);
        s->report = report_open(path, &every_packet, err, sizeof err);
        FUZZ_CHECK(s->judge && s->report);
    }
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->judge || !stat_kinds[i].judged)
            s->stat[i] = stat_kinds[i].open(argument(stat_kinds[i].name, head[7]), err, sizeof err);
}

static void end(struct session *s, int page)
{
    if (s->judge)
        judge_end(s->judge);
    print_stats(s);
    if (s->report) {
        FUZZ_CHECK(report_close(s->report) == 0);
        struct written t = written_by(page);
        check_page(&t);
        free(t.p);
    }
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->stat[i])
            stat_kinds[i].close(s->stat[i]);
    judge_close(s->judge);
    close(page);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static struct session session;
    struct session *s = &session;
    struct fuzz_in in = {data, n}, body;
    const int page = memfd_create("page", 0);
    uint8_t head[FUZZ_HEAD], kind;

    FUZZ_CHECK(page >= 0);
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        head[i] = fuzz_u8(&in);
    set_options(&s->opts, head);
    begin(s, page, head);
    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++)
        switch (kind % KINDS) {
        case COMMENT: set_text(s->comment, &body); break;
        case NAME:
            s->packet.source = (s->packet.source + 1) % SOURCES;
            set_text(s->name[s->packet.source], &body);
            break;
        case TIME: s->cap.ts_ns += (uint64_t)fuzz_u16(&body) << fuzz_u8(&body) % 48; break;
        default: one_packet(s, kind, fuzz_link(head[0]), &body); break;
        }
    end(s, page);
    return 0;
}
