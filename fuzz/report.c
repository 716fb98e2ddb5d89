/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints untrusted results of a run by every report of ibconform. JSON can be parsed, XML nests and has no forbidden
 * character, and a terminal gets no control sequences but those for colours. */
#include <sys/mman.h>
#include <unistd.h>
#include "input/pcapng_write.h"
#include "records.h"
#include "report/terminal.h"
#include "written.h"

const struct fuzz_target fuzz_target = {"report", FUZZ_RECORDS, NULL};

enum { RAW = FUZZ_RAW, RESULT, TEXT, COMMENT, SOURCE, KINDS };
enum { MOST_STEPS = 64, MOST_RESULTS = 6, MOST_TEXT = 250, TEXTS = 12, PATH = 64 };

/* One result, and the data that it points to. It points to the first texts; the others are in its arrays. */
enum {
    ID,
    TITLE,
    SPEC,
    TARGET,
    LINK,
    VERSION,
    REASON,
    STRINGS,
    VARIATION = STRINGS,
    EXPECTED,
    GOT,
    SENTENCE,
    MEASURED
};
struct one {
    struct ibc_scenario scenario;
    struct ibc_waiver waiver;
    const char *spec[2];
    char text[STRINGS][MOST_TEXT + 1];
};
struct run {
    struct ibc_result result[MOST_RESULTS];
    struct one one[MOST_RESULTS];
    unsigned n;
    struct pcapng_writer *evidence;
    char evidence_path[PATH], source_path[PATH], comment[MOST_TEXT + 1];
    int evidence_fd, source_fd;
    uint64_t now;
};

static void make_file(int *fd, char *path)
{
    *fd = memfd_create("fuzz", 0);
    FUZZ_CHECK(*fd >= 0);
    (void)snprintf(path, PATH, "/proc/self/fd/%d", *fd);
}

/* ---- what was found ---- */

static void add_result(struct run *r, struct fuzz_in *in)
{
    if (r->n == MOST_RESULTS)
        return;
    struct one *o = &r->one[r->n];
    struct ibc_result *x = &r->result[r->n++];
    const uint8_t verdict = fuzz_u8(in), flags = fuzz_u8(in);
    enum { WITH_EVIDENCE = 1, DIED = 2, WAIVED = 4, COUNTED = 8, COUNTED_WRONG = 16, NO_FILE = 32, KNOWN = 64 };

    o->scenario.id = o->text[ID];
    o->scenario.title = o->text[TITLE];
    o->scenario.path = flags & NO_FILE ? NULL : r->source_path;
    o->spec[0] = flags & KNOWN ? "RR-03" : o->text[SPEC];
    o->spec[1] = "RQ-55";
    o->scenario.spec = o->spec;
    o->scenario.n_spec = verdict >> 6 < 3 ? verdict >> 6 : 2;
    o->scenario.klass = fuzz_u8(in) % (IBC_CLASS_COUNT + 1);
    if (o->scenario.klass == IBC_CLASS_COUNT)
        o->scenario.klass = UINT8_MAX;
    o->waiver = (struct ibc_waiver){.reason = o->text[REASON], .pattern = o->text[ID], .expires = o->text[VERSION]};
    x->scenario = &o->scenario;
    x->verdict = (enum ibc_verdict)((verdict & 0x3f) % IBC_IS_COUNT);
    x->counters = flags & COUNTED_WRONG ? IBC_IS_FAIL : flags & COUNTED ? IBC_IS_PASS : IBC_IS_NOT_APPLICABLE;
    x->died = (flags & DIED) != 0;
    x->waiver = flags & WAIVED ? &o->waiver : NULL;
    x->evidence = flags & WITH_EVIDENCE ? r->evidence_path : NULL;
    x->finding.line = fuzz_u8(in);
    x->finding.packet = fuzz_u8(in);
    x->variations = fuzz_u16(in);
    x->passed = fuzz_u8(in);
    x->wall_ns = (uint64_t)fuzz_u32(in) << fuzz_u8(in) % 32;
}

/* Fills all of the array, which then need not end with a 0. */
static void fill(char *to, size_t room, const struct fuzz_in *in)
{
    const size_t n = in->n < room ? in->n : room;

    memset(to, 0, room);
    memcpy(to, in->p, n);
}

static void set_text(struct run *r, uint8_t kind, const struct fuzz_in *in)
{
    struct ibc_result *x = &r->result[r->n ? r->n - 1 : 0];
    struct ibc_finding *f = kind & 0x80 ? &x->counter_finding : &x->finding;
    const unsigned which = kind / KINDS % TEXTS;

    switch (which) {
    case VARIATION: fill(f->variation, sizeof f->variation, in); break;
    case EXPECTED: fill(f->expected, sizeof f->expected, in); break;
    case GOT: fill(f->got, sizeof f->got, in); break;
    case SENTENCE: fill(f->sentence, sizeof f->sentence, in); break;
    case MEASURED: fill(x->measured, sizeof x->measured, in); break;
    default: fill(r->one[r->n ? r->n - 1 : 0].text[which], MOST_TEXT, in); break;
    }
}

static void add_packet(struct run *r, enum iba_link link, const struct fuzz_in *in)
{
    const uint32_t dlt = link == IBA_LINK_IB ? 247 : 1;
    const struct cap_packet p = {.data = in->p,
                                 .caplen = (uint32_t)in->n,
                                 .len = (uint32_t)in->n,
                                 .dlt = dlt,
                                 .has_ts = true,
                                 .ts_ns = r->now += 1500};

    fuzz_packet(link, in->p, in->n);
    FUZZ_CHECK(pcapng_packet(r->evidence, &p, r->comment[0] ? r->comment : NULL) == 0);
}

static void step(struct run *r, uint8_t kind, enum iba_link link, struct fuzz_in *in)
{
    switch (kind % KINDS) {
    case RESULT: add_result(r, in); break;
    case TEXT: set_text(r, kind, in); break;
    case COMMENT: fill(r->comment, MOST_TEXT, in); break;
    case SOURCE: FUZZ_CHECK(write(r->source_fd, in->p, in->n) == (ssize_t)in->n); break;
    default: add_packet(r, link, in); break;
    }
}

/* ---- what is written ---- */

static void written_file(const struct ibc_report *of,
                         bool (*write_to)(const char *, const struct ibc_report *, char *, size_t), bool json)
{
    char path[PATH], err[512];
    int fd;

    make_file(&fd, path);
    FUZZ_CHECK(write_to(path, of, err, sizeof err));
    struct written t = written_by(fd);
    if (json)
        written_json(t.p, t.n);
    else
        written_xml(t.p, t.n);
    free(t.p);
    close(fd);
}

/* Checks that the text has no control sequence for a terminal but those for colours. */
static void written_lines(const struct ibc_report *of, uint8_t how)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    FUZZ_CHECK(f);
    rep_terminal(f, of, how & 1, how & 2, how >> 2);
    FUZZ_CHECK(fclose(f) == 0 && strlen(text) == n);
    written_text(text, n, how & 1);
    fuzz_note_bytes(text, n);
    free(text);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static struct run run;
    struct run *r = &run;
    struct fuzz_in in = {data, n}, body;
    uint8_t head[FUZZ_HEAD], kind;
    char err[256];

    memset(r, 0, sizeof *r);
    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        head[i] = fuzz_u8(&in);
    make_file(&r->evidence_fd, r->evidence_path);
    make_file(&r->source_fd, r->source_path);
    FUZZ_CHECK((r->evidence = pcapng_open(r->evidence_path, err, sizeof err)));
    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++)
        step(r, kind, fuzz_link(head[0]), &body);
    FUZZ_CHECK(pcapng_close(r->evidence) == 0);
    const struct ibc_run_info info = {.target = r->one[0].text[TARGET],
                                      .link = r->one[0].text[LINK],
                                      .version = r->one[0].text[VERSION],
                                      .seed = head[3],
                                      .repeat = head[4],
                                      .jobs = head[5],
                                      .wall_ns = (uint64_t)head[6] << 28,
                                      .started = "2026-11-21T16:00:00Z"};
    const struct ibc_report of = {.info = &info, .result = r->result, .n = r->n};
    written_file(&of, ibc_report_json, true);
    written_file(&of, ibc_report_junit, false);
    written_file(&of, ibc_report_html, false);
    written_lines(&of, head[1]);
    close(r->evidence_fd);
    close(r->source_fd);
    return 0;
}
