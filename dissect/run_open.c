/* SPDX-License-Identifier: BSD-2-Clause */
/* The beginning of a run: captures, outputs, and the judge with what it reports. */
#include <stdio.h>
#include <string.h>
#include "input/merge.h"
#include "input/pcapng_write.h"
#include "judge/undecided.h"
#include "outputs.h"
#include "page/page.h"
#include "run_state.h"
#include "summaries.h"
#include "system/signals.h"
#include "system/text.h"

static struct capture *volatile live; /* the live capture, which only the signal handler uses */

void run_stop_capture(void)
{
    if (live)
        cap_stop(live); /* a signal handler may call it, see capture.h */
}

/* Reports a fault at once: no packet was printed that must precede the line. */
static void fault(struct run *r, const char *what)
{
    text_line(stderr, "ibdissect: %s", what);
    r->rc = EXIT_INPUT;
}

/* Takes a finding that is made after its packet was printed. */
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

bool run_open_judge(struct run *r)
{
    struct judge_config cfg = {.pmtu = r->opt->pmtu, .seed = r->opt->seed, .late = late, .ctx = r};

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
        fault(r, "out of memory");
        return false;
    }
    return true;
}

/* Gives up root, since the interface is open: packets of a network are not parsed as root, and files are not written as
 * root. */
static bool give_up_root(struct run *r)
{
    char err[256];

    if (privileges_drop(r->opt->user, r->as, err, sizeof err))
        return true;
    fault(r, err);
    return false;
}

static bool open_all(struct run *r)
{
    char err[512];

    if (r->opt->iface) {
        live = r->capture[0] = cap_open_live(r->opt->iface, r->opt->bpf, err, sizeof err);
        r->n_capture = live != NULL;
        if (!live) {
            fault(r, err);
            return false;
        }
        if (signals_came()) /* a signal came before there was a capture to stop */
            cap_stop(live);
        if (r->opt->every_s)
            cap_tell_quiet(live);
        return give_up_root(r);
    }
    for (size_t i = 0; i < r->opt->n_file; i++) {
        struct capture *c = cap_open(r->opt->file[i], err, sizeof err);
        if (c)
            r->capture[r->n_capture++] = c;
        else
            fault(r, err);
    }
    if (r->n_capture > 1 && !(r->merge = cap_merge_open(r->capture, r->n_capture)))
        fault(r, "out of memory");
    return r->n_capture > 0 && (r->n_capture == 1 || r->merge);
}

/* Opens the outputs, except standard output. */
static bool open_outputs(struct run *r)
{
    const struct options *opt = r->opt;
    char err[512], line[768];

    if (opt->write_path)
        r->writer = pcapng_open(opt->write_path, err, sizeof err);
    if (opt->report_path && (!opt->write_path || r->writer))
        r->report = report_open(opt->report_path, &opt->sample, err, sizeof err);
    bool good = (!opt->write_path || r->writer) && (!opt->report_path || r->report);
    if ((opt->summary_path || opt->rows || opt->metrics_path) && good)
        good = (r->summaries = summaries_open(opt, err, sizeof err)) != NULL;
    if (good)
        return true;
    snprintf(line, sizeof line,
             r->as[0] ? "%s (root was given up, this user is %s; --user NAME chooses another)" : "%s", err, r->as);
    fault(r, line);
    return false;
}

/* Opens captures and outputs. Outputs are opened before files, so they exist even if a file cannot be read. An
 * interface is opened before the outputs, since it needs root and outputs do not. */
bool run_open_files(struct run *r)
{
    char err[512];

    if (!outputs_are_apart(r->opt, err, sizeof err)) {
        fault(r, err);
        return false;
    }
    return r->opt->iface ? open_all(r) && open_outputs(r) : open_outputs(r) && open_all(r);
}
