/* Packets, comments and file names of a stranger's, through everything ibdissect writes: JSON can be parsed, lines stay
 * lines, markup nests and holds no character that XML forbids. */
#include <cjson/cJSON.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "judge/judge.h"
#include "output/printer.h"
#include "page/page.h"
#include "records.h"
#include "stats/stats.h"

const struct fuzz_target fuzz_target = {"output", FUZZ_RECORDS, NULL};

/* In the second byte of the settings: judged packets, and messages followed, take most of the time. */
enum { JUDGED = 1, MESSAGES = 2 };
enum { RAW = FUZZ_RAW, COMMENT, NAME, TIME, KINDS };
enum { MOST_STEPS = 12, TEXT = 200, MOST_DEPTH = 64, MOST_NAME = 64 };

struct session {
    struct judge *judge;
    struct packet packet;
    struct cap_packet cap;
    char comment[TEXT], name[TEXT];
    struct report *report;
    void *stat[32];
};
struct text {
    char *p; /* ends with 0 */
    size_t n;
};

/* ---- what was written ---- */

static struct text read_all(int fd)
{
    struct text t = {.n = (size_t)lseek(fd, 0, SEEK_END)};

    t.p = malloc(t.n + 1);
    FUZZ_CHECK(t.p && pread(fd, t.p, t.n, 0) == (ssize_t)t.n);
    t.p[t.n] = '\0';
    fuzz_note_bytes(t.p, t.n);
    return t;
}

static void check_json(const char *p, size_t n)
{
    const char *end = NULL;
    cJSON *j = cJSON_ParseWithLengthOpts(p, n, &end, false);

    FUZZ_CHECK(j && memchr(p, '\0', n) == NULL);
    cJSON_Delete(j);
}

static void check_json_lines(const struct text *t)
{
    for (const char *at = t->p, *end; at < t->p + t->n; at = end + 1) {
        end = memchr(at, '\n', (size_t)(t->p + t->n - at));
        FUZZ_CHECK(end);
        check_json(at, (size_t)(end - at));
    }
}

/* One element's tag, from behind its '<'; returns what is behind its '>'. */
static const char *check_tag(const char *p, char open[MOST_DEPTH][MOST_NAME], unsigned *depth)
{
    const bool closes = *p == '/';
    const char *name = p + closes;
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
    char quote = '\0';

    FUZZ_CHECK(n > 0 && n < MOST_NAME);
    for (p = name + n; *p && (quote || *p != '>'); p++)
        if (quote ? *p == quote : (*p == '"' || *p == '\''))
            quote = quote ? '\0' : *p;
        else
            FUZZ_CHECK(*p != '<');
    FUZZ_CHECK(*p == '>');
    if (closes)
        FUZZ_CHECK(*depth > 0 && strncmp(open[--*depth], name, n) == 0 && open[*depth][n] == '\0');
    else if (p[-1] != '/') {
        FUZZ_CHECK(*depth < MOST_DEPTH);
        memcpy(open[*depth], name, n);
        open[(*depth)++][n] = '\0';
    }
    return p + 1;
}

static void check_xml(const struct text *t)
{
    static char open[MOST_DEPTH][MOST_NAME];
    unsigned depth = 0;

    for (const char *p = t->p; p < t->p + t->n;) {
        FUZZ_CHECK((uint8_t)*p >= ' ' || *p == '\n' || *p == '\t' || *p == '\r');
        if (*p == '&')
            FUZZ_CHECK(strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789#") > 0 &&
                       p[1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789#")] == ';');
        if (*p++ != '<')
            continue;
        p = *p == '?' || *p == '!' ? strchr(p, '>') : check_tag(p, open, &depth);
        FUZZ_CHECK(p);
    }
    FUZZ_CHECK(depth == 0);
}

/* A page has elements that are never closed, and scripts: its own text is known, so look for what a stranger could add.
 */
static void check_page(const struct text *t)
{
    FUZZ_CHECK(t->n > 0 && memchr(t->p, '\0', t->n) == NULL);
    FUZZ_CHECK(!strstr(t->p, "<x") && !strstr(t->p, "\"x="));
}

/* ---- writing ---- */

static struct out out;

static void each_form(const struct packet *p)
{
    static const struct print_opts opts = {.separator = '\t', .quote = '"', .occurrence = 'a', .hex = true};

    for (const struct printer *form = printers; form->name; form++) {
        const int fd = memfd_create("out", 0);
        FUZZ_CHECK(fd >= 0);
        out_init(&out, fd);
        if (form->begin)
            form->begin(&out, &opts);
        form->packet(&out, p, &opts, true);
        if (form->end)
            form->end(&out, true);
        FUZZ_CHECK(out_flush(&out));
        struct text t = read_all(fd);
        if (strcmp(form->name, "json") == 0)
            check_json(t.p, t.n);
        else if (strcmp(form->name, "jsonl") == 0 || strcmp(form->name, "ek") == 0)
            check_json_lines(&t);
        else if (strcmp(form->name, "pdml") == 0)
            check_xml(&t);
        free(t.p);
        close(fd);
    }
}

static void print_stats(const struct session *s)
{
    for (unsigned i = 0; stat_kinds[i].name; i++)
        for (unsigned json = 0; json < 2 && s->stat[i]; json++) {
            const int fd = memfd_create("out", 0);
            FUZZ_CHECK(fd >= 0);
            out_init(&out, fd);
            stat_kinds[i].print(s->stat[i], &out, json);
            FUZZ_CHECK(out_flush(&out));
            struct text t = read_all(fd);
            if (json)
                check_json_lines(&t);
            free(t.p);
            close(fd);
        }
}

/* ---- a run of ibdissect ---- */

static void on_late(void *ctx, const struct judged *j)
{
    const struct session *s = ctx;

    report_late(s->report, j);
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->stat[i] && stat_kinds[i].late)
            stat_kinds[i].late(s->stat[i], j);
}

static void on_message(void *ctx, const struct message *m)
{
    const struct session *s = ctx;

    report_message(s->report, m);
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->stat[i] && stat_kinds[i].message)
            stat_kinds[i].message(s->stat[i], m);
}

static void one_packet(struct session *s, enum iba_link link, const struct fuzz_in *in)
{
    struct packet *p = &s->packet;

    s->cap.data = in->p;
    s->cap.caplen = s->cap.len = (uint32_t)in->n;
    s->cap.number = ++p->number;
    s->cap.has_ts = true;
    s->cap.comment = s->comment[0] ? s->comment : NULL;
    p->cap = &s->cap;
    p->source_name = s->name;
    fuzz_packet(link, in->p, in->n);
    (void)iba_view_parse(&p->view, link, in->p, in->n, in->n, NULL);
    iba_view_check(&p->view);
    if (s->judge)
        p->verdict = judge_packet(s->judge, p);
    each_form(p);
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

static void begin(struct session *s, int page, uint8_t how)
{
    const struct judge_config cfg = {.late = on_late, .message = how & MESSAGES ? on_message : NULL, .ctx = s};
    char path[32], err[256];

    if (how & JUDGED) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", page);
        s->judge = judge_open(&cfg);
        s->report = report_open(path, err, sizeof err);
        FUZZ_CHECK(s->judge && s->report);
    }
    for (unsigned i = 0; stat_kinds[i].name; i++)
        if (s->judge || !stat_kinds[i].judged)
            s->stat[i] = stat_kinds[i].open(NULL, err, sizeof err);
}

static void end(struct session *s, int page)
{
    if (s->judge)
        judge_end(s->judge);
    print_stats(s);
    if (s->report) {
        FUZZ_CHECK(report_close(s->report) == 0);
        struct text t = read_all(page);
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
    begin(s, page, head[1]);
    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++)
        switch (kind % KINDS) {
        case COMMENT: set_text(s->comment, &body); break;
        case NAME: set_text(s->name, &body); break;
        case TIME: s->cap.ts_ns += (uint64_t)fuzz_u16(&body) << fuzz_u8(&body) % 48; break;
        default: one_packet(s, fuzz_link(head[0]), &body); break;
        }
    end(s, page);
    return 0;
}
