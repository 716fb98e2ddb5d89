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
#include "run_state.h"
#include "summaries.h"
#include "system/privileges.h"
#include "system/signals.h"
#include "system/text.h"
#include "track/track.h"

static void deliver_undecided(struct run *r);

/* Clears the line of show_progress(). */
static void clear_progress(const struct run *r)
{
    if (r->progress)
        fputs("\r\033[K", stderr);
}

static void complain(struct run *r, const char *what)
{
    deliver_undecided(r);
    (void)out_flush(r->out); /* packets are printed before the message about the fault */
    clear_progress(r);
    text_line(stderr, "ibdissect: %s", what);
    r->rc = EXIT_INPUT;
}

/* Prints how far the run is. `jobs`: bytes that the readers of --jobs have read. */
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

static void name_captures(struct run *r, bool over)
{
    for (size_t i = 0; i < r->n_capture; i++)
        summaries_capture(r->summaries, (uint32_t)i, cap_name(r->capture[i]),
                          over && !r->cut && cap_error(r->capture[i])[0] == '\0');
}

static void finish_summary(struct run *r)
{
    char err[512];

    if (!r->summaries)
        return;
    name_captures(r, r->over);
    if (!summaries_finish(r->summaries, err, sizeof err))
        complain(r, err);
}

static void finish_write(struct run *r, int error)
{
    char line[256];

    /* when it is closed the writer returns its first error again, which was reported already */
    if (error == 0 || r->write_failed)
        return;
    r->write_failed = true;
    if (error == EPIPE) /* the reader of the pipe has closed it */
        return;
    snprintf(line, sizeof line, "%s: %s", r->opt->write_path, strerror(error));
    complain(r, line);
}

/* Writes a packet. False: the output file cannot be written to any more. */
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

/* Buffers a packet. If the packet is the second record of a packet that is buffered, the buffered one is printed for
 * both, with both numbers. */
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

/* Replaces the judge of a monitor before its table of directions is full: a run without end has more directions than
 * any table. */
static void renew_judge(struct run *r)
{
    text_line(stderr, "ibdissect: more than %d directions: their state is forgotten, as if a capture began here",
              JUDGE_DIRECTIONS / 2);
    judge_close(r->judge);
    r->judge = NULL;
    r->full |= !run_open_judge(r);
}

/* Ends the interval of --every if this time, of a packet or of the clock, is not in it. */
static void pass_interval(struct run *r, uint64_t now_ns)
{
    char err[512];

    if (!summaries_is_over(r->summaries, now_ns))
        return;
    const bool many = judge_part(r->judge).n > JUDGE_DIRECTIONS / 2;
    if (many)
        judge_end(r->judge);
    name_captures(r, true);
    if (!summaries_next(r->summaries, now_ns, many, err, sizeof err))
        complain(r, err);
    if (many)
        renew_judge(r);
}

static void one_packet(struct run *r, struct packet *p)
{
    if (r->opt->every_s && p->cap->has_ts)
        pass_interval(r, p->cap->ts_ns);
    if (r->full) /* there is no memory for the next interval */
        return;
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

/* Whether --from and --to let the packet through. A packet without a time is in no part of the time. */
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

/* Drops a packet that is not in the sample. Its time ends the interval of --every like that of any packet, but not
 * before the packets of the batch, which are older, are counted. False: the batch ends here. */
static bool leave_out(struct run *r, const struct cap_packet *cap, unsigned *left_out)
{
    if (r->opt->every_s && cap->has_ts && r->n_batch == 0)
        pass_interval(r, cap->ts_ns);
    *left_out += r->n_batch > 0;
    return *left_out < JUDGE_AHEAD && !r->full && !signals_came();
}

/* Reads the next packet, and those after it that are in memory already. False: there are no more. */
static bool fill(struct run *r)
{
    unsigned left_out = 0;
    size_t source;

    r->quiet = false;
    for (r->n_batch = 0; r->n_batch < JUDGE_AHEAD && !r->over && !r->quiet;) {
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
            if (!sample_has(&r->opt->sample, &p->view)) {
                if (!leave_out(r, cap, &left_out))
                    break;
                continue;
            }
            r->n_batch++;
            if (r->judge)
                judge_expect(r->judge, &p->view);
        } else if (got == CAP_QUIET)
            r->quiet = true;
        else if (got == CAP_ERROR && r->merge)
            complain(r, cap_error(r->capture[source]));
        else
            r->over = true;
        if (got == CAP_ERROR && !r->merge)
            r->fault = cap_error(r->capture[source]);
    }
    return r->n_batch > 0 || r->quiet;
}

/* Checks the CRCs of several packets together: the steps of one CRC depend on each other, but not on the steps of
 * another CRC. */
static void check(struct run *r, unsigned from, unsigned end)
{
    for (unsigned i = from; r->opt->check_crc && i < end; i++)
        iba_view_check(&r->batch[i].packet.view);
}

/* The last of three steps that prefetch the state of the packets' connections, which is in distant memory. */
static void fetch(struct run *r)
{
    uint32_t direction[JUDGE_AHEAD];
    const unsigned n = r->judge ? judge_fetch_more(r->judge, direction) : 0;

    for (size_t s = 0; n > 0 && s < r->opt->n_stat; s++)
        for (unsigned i = 0; r->opt->stat[s].kind->expect && i < n; i++)
            r->opt->stat[s].kind->expect(r->opt->stat[s].state, direction[i]);
}

/* Reports that a file was not read to its end. A signal is the usual end of a live capture and of a pipe; but results
 * of a part of a file must not look like results of the whole. */
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

/* Ends the interval of --every although no packet comes. Packets may come late by as long as the kernel keeps them. */
static void pass_quietly(struct run *r)
{
    enum { LATE_S = 1 };
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) == 0)
        pass_interval(r, (uint64_t)(now.tv_sec - LATE_S) * 1000000000 + (uint64_t)now.tv_nsec);
}

/* Whether the run starts threads, which confinement must allow. */
static bool needs_threads(const struct run *r)
{
    bool any = r->opt->jobs > 1;

    for (size_t i = 0; i < r->n_capture; i++)
        any = any || cap_can_ahead(r->capture[i]);
    return any;
}

static void read_all(struct run *r)
{
    enum { PROGRESS_EVERY = 4096 };
    uint64_t reported = 0; /* packets that the progress counts */

    for (size_t i = 0; i < r->n_capture; i++)
        cap_ahead(r->capture[i]);

    while (!r->full && !signals_came() && fill(r)) {
        if (r->judge)
            judge_fetch(r->judge);
        check(r, 0, r->n_batch / 2);
        fetch(r);
        check(r, r->n_batch / 2, r->n_batch);
        for (unsigned i = 0; i < r->n_batch && !r->full; i++)
            one_packet(r, &r->batch[i].packet);
        if (r->quiet && r->opt->every_s)
            pass_quietly(r);
        if (r->progress && r->read / PROGRESS_EVERY != reported / PROGRESS_EVERY) {
            show_progress(r, r->read, 0);
            reported = r->read;
        }
    }
    if (signals_came() && !r->full)
        report_unread(r);
}

/* Lets several threads do the run. False: nothing was counted, and one thread must do the run. */
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

    /* statistics must not begin in the line of the progress, and a large one is written before the last flush */
    clear_progress(r);
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

__attribute__((hot)) int run(struct options *opt)
{
    static struct out out;
    static struct run r;

    r = (struct run){.opt = opt, .out = &out, .track = track_open(), .rc = EXIT_OK};
    out_init(&out, STDOUT_FILENO);
    if (!r.track || !signals_mind(run_stop_capture)) {
        complain(&r, r.track ? "no descriptors are left" : "out of memory");
        track_close(r.track);
        return r.rc;
    }
    for (size_t i = 0; i < opt->n_service; i++)
        track_hint(r.track, opt->service[i].service_id, (enum iba_upper)opt->service[i].upper);
    opt->quiet |= outputs_take_standard(opt);
    if (run_open_files(&r) && run_open_judge(&r)) {
        r.progress = !opt->iface && isatty(STDERR_FILENO) && (opt->quiet || !isatty(STDOUT_FILENO));
        if (!opt->quiet && opt->printer->begin)
            opt->printer->begin(&out, &opt->print);
        if (jobs_can(opt))
            r.jobs = jobs_open(&(struct jobs_config){opt, opt->seed, progress_of_jobs, &r});
        outputs_confine(opt, needs_threads(&r));
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
