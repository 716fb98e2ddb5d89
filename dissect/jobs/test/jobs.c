/* SPDX-License-Identifier: BSD-2-Clause */
/* Which runs are split, and what the threads make of each packet. */
#include "../jobs.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "frames.h"
#include "judge/judge.h"
#include "observer/iba_observer.h"

enum { MOST = 64, FILES = 2 };
#define BEGIN_NS UINT64_C(1700000000000000000)

/* ---- a statistic that notes what each packet is ---- */

struct noted {
    uint64_t frame, number, ts_ns, first_ns;
    uint32_t len, caplen, source, qp;
    const char *source_name, *joined_name;
    bool has_ts, good_icrc, content;
    const struct direction *direction; /* as the whole run has it */
};
struct notes {
    unsigned n;
    uint64_t packets;
    struct noted *of;
};

static void *note_open(const char *arg, char *err, size_t errlen)
{
    struct notes *s = calloc(1, sizeof *s);

    (void)arg;
    (void)err;
    (void)errlen;
    cr_assert(s && (s->of = calloc(MOST, sizeof *s->of)));
    return s;
}
static void note_close(void *state)
{
    free(((struct notes *)state)->of);
    free(state);
}
static void note_packet(void *state, const struct packet *p)
{
    struct notes *s = state;

    s->packets++;
    if (s->n == MOST)
        return;
    s->of[s->n++] = (struct noted){.frame = p->number,
                                   .number = p->cap->number,
                                   .ts_ns = p->cap->ts_ns,
                                   .first_ns = p->first_ns,
                                   .len = p->cap->len,
                                   .caplen = p->cap->caplen,
                                   .source = p->source,
                                   .qp = (uint32_t)iba_bth_destqp(iba_view_bth(&p->view)),
                                   .source_name = p->source_name,
                                   .has_ts = p->cap->has_ts,
                                   .good_icrc = p->view.icrc == IBA_CHECK_GOOD,
                                   .content = p->content && *p->content == iba_observer_content(&p->view),
                                   .direction = p->verdict ? p->verdict->direction : NULL};
}
static bool note_join(void *state, void *part, const struct stat_part *as)
{
    struct notes *s = state;
    const struct notes *p = part;

    s->packets += p->packets;
    for (unsigned i = 0; i < p->n && s->n < MOST; i++) {
        s->of[s->n] = p->of[i];
        s->of[s->n].joined_name = as->names->file[p->of[i].source];
        if (p->of[i].direction)
            s->of[s->n].direction = as->direction[p->of[i].direction->id];
        s->n++;
    }
    return true;
}
static const struct stat_kind joins = {.open = note_open,
                                       .packet = note_packet,
                                       .close = note_close,
                                       .join = note_join},
                              alone = {.open = note_open, .packet = note_packet, .close = note_close};

/* ---- files ---- */

static char path[FILES][32];
static struct options opt;

/* Appends `n` bytes at `ns` after the begin to the file. */
static void add(unsigned file, uint64_t ns, const uint8_t *bytes, uint32_t n, uint32_t len)
{
    const uint64_t at = BEGIN_NS + ns;
    const uint32_t head[] = {(uint32_t)(at / 1000000000), (uint32_t)(at % 1000000000), n, len};
    FILE *f = fopen(path[file], "ab");

    cr_assert(f && fwrite(head, sizeof head, 1, f) == 1 && fwrite(bytes, n, 1, f) == 1 && fclose(f) == 0);
}
static void add_frame(unsigned file, uint64_t ns, const struct frame *x)
{
    uint8_t bytes[FRAME_MOST];
    const uint32_t n = frame_put(bytes, x);

    add(file, ns, bytes, n, n);
}

static void begin(void)
{
    static const uint32_t head[] = {0xa1b23c4d, 0x40002, 0, 0, 65535, 1}; /* times in nanoseconds, Ethernet */
    static const struct options none;

    opt = none;
    for (unsigned i = 0; i < FILES; i++) {
        (void)snprintf(path[i], sizeof path[i], "ibproof-jobs-XXXXXX");
        const int fd = mkstemp(path[i]);
        cr_assert(fd >= 0 && write(fd, head, sizeof head) == (ssize_t)sizeof head && close(fd) == 0);
        opt.file[i] = path[i];
    }
    opt.jobs = 2;
    opt.quiet = opt.judge = opt.check_crc = true;
    opt.n_file = opt.n_stat = 1;
    opt.stat[0] = (struct run_stat){&joins, note_open(NULL, NULL, 0)};
}

static void end(void)
{
    note_close(opt.stat[0].state);
    for (unsigned i = 0; i < FILES; i++)
        (void)unlink(path[i]);
}

TestSuite(jobs, .init = begin, .fini = end);

/* ---- which runs are split ---- */

static struct filter *some_filter(void)
{
    static long any;
    return (struct filter *)(void *)&any;
}

static void as_it_is(struct options *o)
{
    (void)o;
}
static void most_jobs(struct options *o)
{
    o->jobs = JOBS_MOST;
}
static void two_files(struct options *o)
{
    o->n_file = 2;
}
static void one_job(struct options *o)
{
    o->jobs = 1;
}
static void no_jobs(struct options *o)
{
    o->jobs = 0;
}
static void packets_printed(struct options *o)
{
    o->quiet = false;
}
static void no_statistic(struct options *o)
{
    o->n_stat = 0;
}
static void no_file(struct options *o)
{
    o->n_file = 0;
}
static void filtered(struct options *o)
{
    o->filter = some_filter();
}
static void counted(struct options *o)
{
    o->count = 1;
}
static void whole_sample(struct options *o)
{
    o->sample.one_in = 1;
}
static void sampled(struct options *o)
{
    o->sample.one_in = 2;
}
static void held(struct options *o)
{
    o->hold = true;
}
static void live(struct options *o)
{
    o->iface = "lo";
}
static void written(struct options *o)
{
    o->write_path = "x";
}
static void reported(struct options *o)
{
    o->report_path = "x";
}
static void summed_up(struct options *o)
{
    o->summary_path = "x";
}
static void rows_written(struct options *o)
{
    o->rows = "x";
}
static void metrics_written(struct options *o)
{
    o->metrics_path = "x";
}
static void known_qp(struct options *o)
{
    o->view.qp[0].holds = IBA_HOLDS_MAD;
}
static void dc(struct options *o)
{
    o->view.dc = true;
}
static void standard_input(struct options *o)
{
    o->file[0] = "-";
}
static void second_is_folder(struct options *o)
{
    o->n_file = 2, o->file[1] = "/";
}
static void second_is_missing(struct options *o)
{
    o->n_file = 2, o->file[1] = "ibproof-none";
}
static void second_alone(struct options *o)
{
    o->n_stat = 2, o->stat[1].kind = &alone;
}
static void first_alone(struct options *o)
{
    o->n_stat = 2, o->stat[1] = o->stat[0], o->stat[0].kind = &alone;
}
static void two_statistics(struct options *o)
{
    o->n_stat = 2, o->stat[1] = o->stat[0];
}

Test(jobs, which_runs_are_split)
{
    static const struct {
        const char *what;
        void (*change)(struct options *o);
        bool can;
    } rows[] = {{"two jobs", as_it_is, true},
                {"64 jobs", most_jobs, true},
                {"two files", two_files, true},
                {"two statistics", two_statistics, true},
                {"a sample of all", whole_sample, true},
                {"one job", one_job, false},
                {"jobs are not given", no_jobs, false},
                {"packets are printed", packets_printed, false},
                {"no statistic", no_statistic, false},
                {"no file", no_file, false},
                {"a filter", filtered, false},
                {"-c", counted, false},
                {"a sample", sampled, false},
                {"-2", held, false},
                {"-i", live, false},
                {"-w", written, false},
                {"--report", reported, false},
                {"--summary", summed_up, false},
                {"--rows", rows_written, false},
                {"--metrics", metrics_written, false},
                {"a queue pair of known contents", known_qp, false},
                {"dynamic connections", dc, false},
                {"standard input", standard_input, false},
                {"a folder", second_is_folder, false},
                {"a missing file", second_is_missing, false},
                {"a statistic that is not added, last", second_alone, false},
                {"and first", first_alone, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options o = opt;
        rows[i].change(&o);
        cr_expect_eq(jobs_can(&o), rows[i].can, "%s", rows[i].what);
    }
}

/* ---- a run ---- */

static uint64_t said_packets, said_bytes;

static void progress(void *ctx, uint64_t packets, uint64_t bytes)
{
    cr_expect_eq(ctx, &opt);
    said_packets = packets;
    said_bytes = bytes;
}

static int by_frame(const void *a, const void *b)
{
    const struct noted *x = a, *y = b;

    return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static struct jobs *open_run(void)
{
    struct jobs *j = jobs_open(&(struct jobs_config){.opt = &opt, .seed = 7, .progress = progress, .ctx = &opt});

    cr_assert_not_null(j);
    return j;
}

static struct notes *sorted(void)
{
    struct notes *s = opt.stat[0].state;

    qsort(s->of, s->n, sizeof *s->of, by_frame);
    return s;
}

/* Packets of two files, by time. The longer ones, of 600 bytes, are checked by the thread that reads them. */
Test(jobs, each_packet_of_two_files)
{
    static const struct {
        unsigned file;
        struct frame f;
        uint32_t number, direction;
    } rows[] = {{1, {.src = 1, .dst = 2, .qp = 10, .psn = 1, .bytes = 8}, 1, 0},
                {0, {.src = 3, .dst = 4, .qp = 11, .psn = 1, .bytes = 600}, 1, 1},
                {1, {.src = 5, .dst = 6, .qp = 12, .psn = 1, .bytes = 600}, 2, 2},
                {1, {.src = 3, .dst = 4, .qp = 11, .psn = 2, .bytes = 8}, 3, 1},
                {0, {.src = 1, .dst = 2, .qp = 10, .psn = 2, .bytes = 4}, 2, 0}};
    enum { N = sizeof rows / sizeof *rows };

    opt.n_file = 2;
    for (unsigned i = 0; i < N; i++)
        add_frame(rows[i].file, 1000 * i, &rows[i].f);
    struct jobs *j = open_run();
    cr_assert(jobs_run(j));
    cr_expect_eq(jobs_read(j), N);
    cr_expect_eq(jobs_worst(j), IBA_SEVERITY_NONE);
    const struct notes *s = sorted();
    cr_assert_eq(s->n, N);
    for (unsigned i = 0; i < N; i++) {
        const struct noted *x = &s->of[i];
        uint8_t bytes[FRAME_MOST];
        const uint32_t n = frame_put(bytes, &rows[i].f);
        cr_expect(x->frame == i + 1 && x->number == rows[i].number, "packet %u", i);
        cr_expect(x->has_ts && x->ts_ns == BEGIN_NS + 1000 * i && x->first_ns == BEGIN_NS, "packet %u", i);
        cr_expect(x->len == n && x->caplen == n && x->qp == rows[i].f.qp && x->good_icrc, "packet %u", i);
        cr_expect_eq(x->source, rows[i].file);
        cr_expect_str_eq(x->source_name, path[rows[i].file]);
        cr_expect_str_eq(x->joined_name, path[rows[i].file]);
        cr_expect_eq(x->content, rows[i].f.bytes >= 512, "packet %u", i);
        cr_assert_not_null(x->direction);
        cr_expect_eq(x->direction->id, rows[i].direction);
    }
    jobs_close(j);
}

/* A damaged packet may be a copy of another capture point's, so only a run with one such point is split. */
Test(jobs, damaged_packets)
{
    for (unsigned files = 1; files <= 2; files++) {
        opt.n_file = files;
        add_frame(0, 1, &(struct frame){.src = 1, .dst = 2, .qp = 10, .psn = 1, .bytes = 8, .bad_icrc = files == 1});
        add_frame(1, 2, &(struct frame){.src = 3, .dst = 4, .qp = 10, .psn = 1, .bytes = 8});
        struct jobs *j = open_run();
        cr_expect_eq(jobs_run(j), files == 1, "%u files", files);
        jobs_close(j);
        if (files == 1)
            cr_expect_not(sorted()->of[0].good_icrc);
    }
}

/* The worst finding of all workers, and time that steps back. */
Test(jobs, worst_and_time)
{
    add_frame(0, 5, &(struct frame){.src = 1, .dst = 2, .qp = 10, .psn = 1, .bytes = 8, .opcode = IBA_UC_SEND_ONLY});
    add_frame(0, 6, &(struct frame){.src = 3, .dst = 4, .qp = 11, .psn = 1, .bytes = 8});
    add_frame(0, 6, &(struct frame){.src = 1, .dst = 2, .qp = 10, .psn = 3, .bytes = 8, .opcode = IBA_UC_SEND_ONLY});
    struct jobs *j = open_run();
    cr_expect(jobs_run(j));
    cr_expect_eq(jobs_worst(j), IBA_WARN, "packets are missing");
    jobs_close(j);
    add_frame(0, 5, &(struct frame){.src = 3, .dst = 4, .qp = 11, .psn = 2, .bytes = 8});
    j = open_run();
    cr_expect_not(jobs_run(j), "time goes back");
    jobs_close(j);
}

/* A large file has more chunks than the workers hold at a time. Progress is reported once in 65536 packets. */
Test(jobs, many_chunks)
{
    enum { EVERY = 1 << 16 };
    static uint8_t bytes[FRAME_MOST];
    static const struct frame x = {.src = 1, .dst = 2, .qp = 10, .psn = 1, .bytes = 32, .opcode = IBA_UD_SEND_ONLY};
    const uint32_t n = frame_put(bytes, &x), head[] = {1700000000, 0, n, n};
    FILE *f = fopen(path[0], "ab");

    cr_assert_not_null(f);
    for (unsigned i = 0; i < EVERY - 1; i++)
        cr_assert(fwrite(head, sizeof head, 1, f) == 1 && fwrite(bytes, n, 1, f) == 1);
    cr_assert_eq(fclose(f), 0);
    opt.check_crc = opt.judge = false;
    for (opt.jobs = 2; opt.jobs <= 3; opt.jobs++) {
        const unsigned packets = EVERY - 3 + opt.jobs;
        said_packets = said_bytes = 0;
        struct jobs *j = open_run();
        cr_expect(jobs_run(j));
        cr_expect_eq(jobs_read(j), packets);
        jobs_close(j);
        cr_expect_eq(((struct notes *)opt.stat[0].state)->packets, packets);
        cr_expect_eq(said_packets, packets < EVERY ? 0 : EVERY);
        cr_expect_eq(said_bytes > 0, packets == EVERY);
        add(0, 0, bytes, n, n);
    }
}

/* Only packets between --from and --to count; the first packet of the file is the begin. */
Test(jobs, a_part_of_the_time)
{
    for (unsigned i = 0; i < 5; i++)
        add_frame(0, 1000 * i, &(struct frame){.src = 1, .dst = 2, .qp = 10, .psn = i, .bytes = 8});
    opt.window.from = (struct window_edge){.set = true, .after_first = true, .ns = 1000};
    opt.window.to = (struct window_edge){.set = true, .after_first = true, .ns = 4000};
    struct jobs *j = open_run();
    cr_assert(jobs_run(j));
    const struct notes *s = sorted();
    cr_assert_eq(s->n, 3);
    for (unsigned i = 0; i < 3; i++) {
        cr_expect(s->of[i].frame == i + 1 && s->of[i].number == i + 2, "packet %u", i);
        cr_expect_eq(s->of[i].first_ns, BEGIN_NS + 1000);
    }
    jobs_close(j);
}

/* Some files end the run, which is repeated with one thread, for its messages: an unknown link type, or a file that is
 * cut. */
Test(jobs, files_that_cannot_be_split)
{
    uint8_t bytes[FRAME_MOST];
    const uint32_t n = frame_put(bytes, &(struct frame){.src = 1, .dst = 2, .qp = 10, .psn = 1, .bytes = 8});

    add(0, 0, bytes, n, n);
    cr_assert_eq(truncate(path[0], 24 + 16 + n - 1), 0);
    struct jobs *j = open_run();
    cr_expect_not(jobs_run(j), "cut");
    jobs_close(j);
    const int fd = open(path[1], O_WRONLY);
    cr_assert(fd >= 0 && pwrite(fd, &(uint32_t){105}, 4, 20) == 4 && close(fd) == 0);
    add(1, 0, bytes, n, n);
    opt.file[0] = path[1];
    j = open_run();
    cr_expect_not(jobs_run(j), "IEEE 802.11");
    jobs_close(j);
    opt.file[0] = "ibproof-none";
    cr_expect_null(jobs_open(&(struct jobs_config){.opt = &opt}), "missing");
}
