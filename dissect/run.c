/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "filter/filter.h"
#include "input/merge.h"
#include "input/pcapng_write.h"
#include "judge/undecided.h"
#include "jobs/jobs.h"
#include "judge/judge.h"
#include "link.h"
#include "outputs.h"
#include "page/page.h"
#include "seed.h"
#include "summaries.h"
#include "system/privileges.h"
#include "system/signals.h"
#include "system/text.h"
#include "track/track.h"

struct run {
    struct options *opt;
    struct capture *capture[MAX_FILES];
    size_t n_capture;
    struct cap_merge *merge;
    struct jobs *jobs; /* NULL: one thread does all */
    struct pcapng_writer *writer;
    struct report *report;
    struct summaries *summaries; /* NULL: none */
    struct judge *judge;         /* NULL: no output needs it */
    struct track *track;
    struct undecided *undecided; /* NULL: packets are printed at once */
    const char *fault;           /* of the one capture, to be printed after the buffered packets */
    bool full;                   /* nothing further need be read */
    struct out *out;
    struct {
        struct cap_packet cap;
        struct packet packet;
    } batch[JUDGE_AHEAD]; /* read, and in memory together */
    unsigned n_batch;
    bool over;                   /* nothing more can be read */
    bool cut;                    /* since a packet cannot be parsed */
    const struct packet *packet; /* the current one */
    uint64_t seed;               /* of the observer's hashes */
    uint64_t first_ns, prev_ns;
    uint64_t begin_ns; /* the first time in the captures, in the window or not */
    bool timed;        /* there was one */
    uint64_t read, shown;
    enum iba_severity worst; /* of packets that match, and of late findings */
    int rc;
    bool progress, write_failed;
    uint64_t unwritten;       /* ERF records that are too short to be some */
    char as[PRIVILEGES_USER]; /* the user that replaced root; empty: root was not given up */
    time_t said;
};

static struct capture *volatile live; /* for the signal handler only */

static void stop_capture(void)
{
    if (live)
        cap_stop(live); /* it may be called from a handler, see capture.h */
}

static void deliver_undecided(struct run *r);

/* The line of say_progress(). */
static void clear_progress(const struct run *r)
{
    if (r->progress)
        fputs("\r\033[K", stderr);
}

static void complain(struct run *r, const char *what)
{
    deliver_undecided(r);
    (void)out_flush(r->out); /* packets come before the message about the fault */
    clear_progress(r);
    text_line(stderr, "ibdissect: %s", what);
    r->rc = EXIT_INPUT;
}

/* A finding that is made after its packet was printed. */
static void late(void *ctx, const struct iba_finding *f, const struct verdict_names *names)
{
    struct run *r = ctx;
    const enum iba_severity severity = iba_findings[f->kind].severity;
    struct verdict *v = r->undecided ? undecided_verdict(r->undecided, f->frame) : NULL;

    if (v) {
        verdict_add(v, f);
        return;
    }
    r->worst = severity > r->worst ? severity : r->worst;
    if (r->report)
        report_late(r->report, f, names);
    if (r->summaries)
        summaries_late(r->summaries, f, names);
    for (size_t i = 0; i < r->opt->n_stat; i++)
        if (r->opt->stat[i].kind->late)
            r->opt->stat[i].kind->late(r->opt->stat[i].state, f, names);
}

static void answered(void *ctx, uint64_t frame)
{
    struct run *r = ctx;
    struct verdict *v = undecided_verdict(r->undecided, frame);

    if (v && v->response_in == 0)
        v->response_in = r->packet->number;
}

static void message(void *ctx, const struct iba_message *m, const struct verdict_names *names)
{
    struct run *r = ctx;

    if (r->report)
        report_message(r->report, m);
    if (r->summaries)
        summaries_message(r->summaries, m, names);
    for (size_t i = 0; i < r->opt->n_stat; i++)
        if (r->opt->stat[i].kind->message)
            r->opt->stat[i].kind->message(r->opt->stat[i].state, m, names);
}

static bool open_judge(struct run *r)
{
    struct judge_config cfg = {.pmtu = r->opt->pmtu, .seed = r->seed, .late = late, .ctx = r};

    cfg.message = r->report || r->summaries ? message : NULL;
    for (size_t i = 0; i < r->opt->n_stat; i++)
        if (r->opt->stat[i].kind->message)
            cfg.message = message;
    if (r->opt->hold)
        cfg.answered = answered;
    if (r->opt->judge)
        r->judge = judge_open(&cfg);
    if (r->opt->hold)
        r->undecided = undecided_open();
    if ((r->opt->judge && !r->judge) || (r->opt->hold && !r->undecided)) {
        complain(r, "out of memory");
        return false;
    }
    return true;
}

/* The interface is open: packets of a network are not parsed, and files not written, as root. */
static bool give_up_root(struct run *r)
{
    char err[256];

    if (privileges_drop(r->opt->user, r->as, err, sizeof err))
        return true;
    complain(r, err);
    return false;
}

static bool open_all(struct run *r)
{
    char err[512];

    if (r->opt->iface) {
        live = r->capture[0] = cap_open_live(r->opt->iface, r->opt->bpf, err, sizeof err);
        r->n_capture = live != NULL;
        if (!live) {
            complain(r, err);
            return false;
        }
        if (signals_came()) /* before there was something to stop */
            cap_stop(live);
        return give_up_root(r);
    }
    for (size_t i = 0; i < r->opt->n_file; i++) {
        struct capture *c = cap_open(r->opt->file[i], err, sizeof err);
        if (c)
            r->capture[r->n_capture++] = c;
        else
            complain(r, err);
    }
    if (r->n_capture > 1 && !(r->merge = cap_merge_open(r->capture, r->n_capture)))
        complain(r, "out of memory");
    return r->n_capture > 0 && (r->n_capture == 1 || r->merge);
}

/* `jobs`: bytes that other readers than the run's own have read. */
static void show_progress(struct run *r, uint64_t packets, uint64_t jobs)
{
    uint64_t done = jobs, total = 0;
    const time_t now = time(NULL);

    if (now == r->said)
        return;
    r->said = now;
    for (size_t i = 0; i < r->n_capture; i++) {
        uint64_t d, t;
        cap_progress(r->capture[i], &d, &t);
        done += d;
        total += t;
    }
    if (total > 0)
        fprintf(stderr, "\r%llu packets, %3.0f %%\033[K", (unsigned long long)packets,
                100.0 * (double)(done < total ? done : total) / (double)total);
}

static void finish_report(struct run *r)
{
    const int error = r->report ? report_close(r->report) : 0;
    char line[256];

    r->report = NULL;
    if (error == 0)
        return;
    snprintf(line, sizeof line, "%s: %s", r->opt->report_path, strerror(error));
    complain(r, line);
}

static void finish_summary(struct run *r)
{
    char err[512];

    if (!r->summaries)
        return;
    for (size_t i = 0; i < r->n_capture; i++)
        summaries_capture(r->summaries, (uint32_t)i, cap_name(r->capture[i]),
                          r->over && !r->cut && cap_error(r->capture[i])[0] == '\0');
    if (!summaries_finish(r->summaries, err, sizeof err))
        complain(r, err);
}

static void finish_write(struct run *r, int error)
{
    char line[256];

    if (error == 0 || r->write_failed) /* the writer repeats its first error when it is closed */
        return;
    r->write_failed = true;
    if (error == EPIPE) /* the reader of the pipe has closed it */
        return;
    snprintf(line, sizeof line, "%s: %s", r->opt->write_path, strerror(error));
    complain(r, line);
}

/* False: the output file cannot be written to any more. */
static bool write_packet(struct run *r, const struct packet *p)
{
    char comment[VERDICT_COMMENT];
    int error = pcapng_packet(r->writer, p->cap, verdict_comment(p->verdict, comment) ? comment : NULL);

    if (error == EBADMSG) {
        r->unwritten++;
        return true;
    }
    if (error == 0 && (r->opt->line_buffered || r->opt->iface))
        error = pcapng_flush(r->writer);
    if (error)
        finish_write(r, error);
    return error == 0;
}

__attribute__((hot)) static void deliver(struct run *r, const struct packet *p)
{
    const struct options *opt = r->opt;

    if (opt->filter && !filter_match(opt->filter, p))
        return;
    if (r->judge && p->verdict->worst > r->worst)
        r->worst = p->verdict->worst;
    for (size_t i = 0; i < opt->n_stat; i++)
        opt->stat[i].kind->packet(opt->stat[i].state, p);
    if (r->report)
        report_packet(r->report, p);
    if (r->summaries)
        summaries_packet(r->summaries, p);
    if (r->writer && !write_packet(r, p)) {
        r->full = true;
        return;
    }
    if (!opt->quiet) {
        opt->printer->packet(r->out, p, &opt->print, r->shown == 0);
        if (opt->line_buffered || opt->iface)
            (void)out_flush(r->out);
    }
    r->shown++;
    r->full = r->out->error != 0 || (opt->count != 0 && r->shown == opt->count);
}

static bool deliver_first(struct run *r)
{
    const struct packet *p = r->undecided && !r->full ? undecided_first(r->undecided) : NULL;

    if (!p)
        return false;
    deliver(r, p);
    undecided_drop_first(r->undecided);
    return true;
}

static void deliver_undecided(struct run *r)
{
    while (deliver_first(r))
        ;
}

/* Shows a packet that two captures have once, with both numbers, while the other one is buffered. */
static void hold(struct run *r, const struct packet *p)
{
    struct verdict *twin = p->verdict->same_as ? undecided_verdict(r->undecided, p->verdict->same_as) : NULL;

    if (twin) {
        twin->same_as = p->number;
        return;
    }
    while (!undecided_fits(r->undecided, p) && deliver_first(r))
        ;
    if (!r->full)
        undecided_push(r->undecided, p);
}

static void one_packet(struct run *r, struct packet *p)
{
    r->packet = p;
    track_packet(r->track, p);
    if (r->undecided && p->mad_context.response_to != 0)
        undecided_response(r->undecided, p->mad_context.response_to, p->number);
    if (r->judge)
        p->verdict = judge_packet(r->judge, p);
    if (r->undecided)
        hold(r, p);
    else
        deliver(r, p);
}

static enum cap_result next(struct run *r, struct cap_packet *cap, size_t *source)
{
    *source = 0;
    const enum cap_result got = r->merge ? cap_merge_next(r->merge, cap, source) : cap_next(r->capture[0], cap);
    if (got == CAP_PACKET)
        cap_erf_time(cap);
    return got;
}

/* --from and --to. A packet without a time is in no part of the time. */
static bool is_wanted(struct run *r, const struct cap_packet *cap)
{
    const struct window *w = &r->opt->window;

    if (!r->timed && cap->has_ts) {
        r->begin_ns = cap->ts_ns;
        r->timed = true;
    }
    return (!w->from.set && !w->to.set) || (cap->has_ts && window_has(w, r->begin_ns, cap->ts_ns));
}

__attribute__((hot)) static bool parse(struct run *r, struct packet *p, struct cap_packet *cap, size_t source)
{
    enum iba_link link;
    char line[320];

    if (!link_of(r->opt, cap->dlt, &link)) {
        snprintf(line, sizeof line, "%s: packet %llu: link type %u is not one ibdissect reads%s",
                 cap_name(r->capture[source]), (unsigned long long)cap->number, cap->dlt,
                 cap->dlt >= 147 && cap->dlt <= 162 ? "; say what it holds, for example -d user0,infiniband" : "");
        complain(r, line);
        r->cut = true;
        return false;
    }
    p->number = ++r->read;
    if (r->read == 1)
        r->first_ns = r->prev_ns = cap->ts_ns;
    p->first_ns = r->first_ns;
    p->prev_ns = r->prev_ns;
    r->prev_ns = cap->ts_ns;
    p->cap = cap;
    p->source = (uint32_t)source;
    p->source_name = cap_name(r->capture[source]);
    (void)iba_view_parse(&p->view, link, cap->data, cap->caplen, cap->len, &r->opt->view);
    return true;
}

/* Reads packets that are in memory together, at least one. False: there are no more. */
static bool fill(struct run *r)
{
    size_t source;

    for (r->n_batch = 0; r->n_batch < JUDGE_AHEAD && !r->over;) {
        struct cap_packet *cap = &r->batch[r->n_batch].cap;
        if (r->n_batch > 0 && (r->merge || !cap_ready(r->capture[0])))
            break;
        const enum cap_result got = next(r, cap, &source);
        if (got == CAP_PACKET && !is_wanted(r, cap)) {
            if (signals_came())
                break;
            continue;
        }
        struct packet *p = &r->batch[r->n_batch].packet;
        if (got == CAP_PACKET && parse(r, p, cap, source)) {
            r->n_batch++;
            if (r->judge)
                judge_expect(r->judge, &p->view);
        } else if (got == CAP_ERROR && r->merge)
            complain(r, cap_error(r->capture[source]));
        else
            r->over = true;
        if (got == CAP_ERROR && !r->merge)
            r->fault = cap_error(r->capture[source]);
    }
    return r->n_batch > 0;
}

/* Checks several packets together: the steps of one CRC depend on each other, but not on those of another. */
static void check(struct run *r, unsigned from, unsigned end)
{
    for (unsigned i = from; r->opt->check_crc && i < end; i++)
        iba_view_check(&r->batch[i].packet.view);
}

/* The state of their connections is in distant memory: the last of three steps to prefetch it. */
static void fetch(struct run *r)
{
    uint32_t direction[JUDGE_AHEAD];
    const unsigned n = r->judge ? judge_fetch_more(r->judge, direction) : 0;

    for (size_t s = 0; n > 0 && s < r->opt->n_stat; s++)
        for (unsigned i = 0; r->opt->stat[s].kind->expect && i < n; i++)
            r->opt->stat[s].kind->expect(r->opt->stat[s].state, direction[i]);
}

/* A signal is the usual end of a live capture and of a pipe. A file has an end of its own: results without the rest of
 * it must not look like results of the whole. */
static void report_unread(struct run *r)
{
    char line[320];

    for (size_t i = 0; i < r->n_capture; i++) {
        uint64_t done, total;
        cap_progress(r->capture[i], &done, &total);
        if (total == 0 || (r->over && !r->merge))
            continue;
        snprintf(line, sizeof line, "%s: a signal ended the run; the packets up to number %llu were read",
                 cap_name(r->capture[i]), (unsigned long long)r->read);
        complain(r, line);
        return;
    }
}

static void read_all(struct run *r)
{
    enum { PROGRESS_EVERY = 4096 };

    while (!r->full && !signals_came() && fill(r)) {
        if (r->judge)
            judge_fetch(r->judge);
        check(r, 0, r->n_batch / 2);
        fetch(r);
        check(r, r->n_batch / 2, r->n_batch);
        for (unsigned i = 0; i < r->n_batch && !r->full; i++)
            one_packet(r, &r->batch[i].packet);
        if (r->progress && r->read / PROGRESS_EVERY != (r->read - r->n_batch) / PROGRESS_EVERY)
            show_progress(r, r->read, 0);
    }
    if (signals_came() && !r->full)
        report_unread(r);
}

/* False: nothing was counted, one thread must do it. */
static bool read_by_jobs(struct run *r)
{
    if (!r->jobs || !jobs_run(r->jobs))
        return false;
    r->read = jobs_read(r->jobs);
    r->worst = jobs_worst(r->jobs);
    r->over = !signals_came();
    if (!r->over)
        report_unread(r);
    return true;
}

static void progress_of_jobs(void *ctx, uint64_t packets, uint64_t bytes)
{
    struct run *r = ctx;

    if (r->progress)
        show_progress(r, packets, bytes);
}

static void print_stats(struct run *r)
{
    for (size_t i = 0; i < r->opt->n_stat; i++)
        r->opt->stat[i].kind->print(r->opt->stat[i].state, r->out, r->opt->json_stats);
}

static void end(struct run *r)
{
    const struct options *opt = r->opt;

    clear_progress(r); /* statistics must not begin in its line, and a large one is written before the last flush */
    if (r->judge)
        judge_end(r->judge);
    deliver_undecided(r);
    if (r->fault)
        complain(r, r->fault);
    if (r->writer)
        finish_write(r, pcapng_close(r->writer));
    if (r->unwritten) {
        char line[320];
        snprintf(line, sizeof line, "%s: lacks %llu ERF records that are shorter than an ERF header", opt->write_path,
                 (unsigned long long)r->unwritten);
        complain(r, line);
    }
    if (!opt->quiet && opt->printer->end)
        opt->printer->end(r->out, r->shown > 0);
    print_stats(r);
    (void)out_flush(r->out);
    if (r->out->error && r->out->error != EPIPE) {
        fprintf(stderr, "ibdissect: standard output: %s\n", strerror(r->out->error));
        r->rc = EXIT_INPUT;
    }
    if (r->rc == EXIT_OK && opt->fail_on != IBA_SEVERITY_NONE && r->worst >= opt->fail_on)
        r->rc = EXIT_FAIL_ON;
    if (opt->iface)
        fprintf(stderr, "%llu packets captured, %llu dropped by the kernel\n", (unsigned long long)r->read,
                (unsigned long long)cap_dropped(r->capture[0]));
}

/* Opens the outputs other than standard output. */
static bool open_outputs(struct run *r)
{
    const struct options *opt = r->opt;
    char err[512], line[768];

    if (opt->write_path)
        r->writer = pcapng_open(opt->write_path, err, sizeof err);
    if (opt->report_path && (!opt->write_path || r->writer))
        r->report = report_open(opt->report_path, err, sizeof err);
    bool good = (!opt->write_path || r->writer) && (!opt->report_path || r->report);
    if ((opt->summary_path || opt->rows) && good)
        good = (r->summaries = summaries_open(opt, err, sizeof err)) != NULL;
    if (good)
        return true;
    snprintf(line, sizeof line,
             r->as[0] ? "%s (root was given up, this user is %s; --user NAME chooses another)" : "%s", err, r->as);
    complain(r, line);
    return false;
}

/* A file that cannot be read is reported after its outputs were made; an interface needs root, and files do not. */
static bool open_both(struct run *r)
{
    char err[512];

    if (!outputs_are_apart(r->opt, err, sizeof err)) {
        complain(r, err);
        return false;
    }
    return r->opt->iface ? open_all(r) && open_outputs(r) : open_outputs(r) && open_all(r);
}

__attribute__((hot)) int run(struct options *opt)
{
    static struct out out;
    static struct run r;

    r = (struct run){.opt = opt, .out = &out, .track = track_open(), .rc = EXIT_OK};
    r.seed = seed_hashes();
    out_init(&out, STDOUT_FILENO);
    if (!r.track || !signals_mind(stop_capture)) {
        complain(&r, r.track ? "no descriptors are left" : "out of memory");
        track_close(r.track);
        return r.rc;
    }
    for (size_t i = 0; i < opt->n_service; i++)
        track_hint(r.track, opt->service[i].service_id, (enum iba_upper)opt->service[i].upper);
    opt->quiet |= outputs_take_standard(opt);
    if (open_both(&r) && open_judge(&r)) {
        r.progress = !opt->iface && isatty(STDERR_FILENO) && (opt->quiet || !isatty(STDOUT_FILENO));
        if (!opt->quiet && opt->printer->begin)
            opt->printer->begin(&out, &opt->print);
        if (jobs_can(opt))
            r.jobs = jobs_open(&(struct jobs_config){opt, r.seed, progress_of_jobs, &r});
        outputs_confine(opt);
        if (!read_by_jobs(&r))
            read_all(&r);
        end(&r);
    } else if (r.writer)
        finish_write(&r, pcapng_close(r.writer));
    finish_report(&r);
    finish_summary(&r);
    jobs_close(r.jobs);
    judge_close(r.judge);
    undecided_close(r.undecided);
    track_close(r.track);
    cap_merge_close(r.merge);
    for (size_t i = 0; i < r.n_capture; i++)
        cap_close(r.capture[i]);
    return r.rc;
}
