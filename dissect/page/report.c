/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "page/collected.h"

struct report *report_open(const char *path, const struct sample *sample, char *err, size_t errlen)
{
    struct report *r = calloc(1, sizeof *r);
    char why[64];
    bool good = r && (r->perf = stat_perf_open(NULL, why, sizeof why)) != NULL &&
                (r->hosts = stat_hosts_open(NULL, why, sizeof why)) != NULL;

    if (good && strcmp(path, "-") == 0)
        r->place = (struct file_new){.fd = STDOUT_FILENO};
    else
        good = good && file_begin(&r->place, path);
    if (!good) {
        (void)snprintf(err, errlen, "%s: %s", path, strerror(r && r->hosts ? errno : ENOMEM));
        free(r ? r->perf : NULL);
        free(r ? r->hosts : NULL);
        free(r);
        return NULL;
    }
    r->path = path;
    r->sample = sample;
    cm_survey_begin(&r->cm);
    out_init(&r->out, r->place.fd);
    return r;
}

static void count(struct report *r, const struct iba_finding *f, const struct verdict_names *names)
{
    struct report_kind *k = &r->kind[f->kind];

    r->names = names;
    r->severity[iba_findings[f->kind].severity]++;
    if (k->count < REPORT_FIRST)
        k->frame[k->count] = f->frame;
    k->count++;
    if (r->n_finding < REPORT_FINDINGS)
        r->finding[r->n_finding] = *f;
    r->n_finding++;
}

void report_late(struct report *r, const struct iba_finding *f, const struct verdict_names *names)
{
    count(r, f, names);
}

static struct report_line *line_of(struct report *r, uint32_t id, const struct direction *d)
{
    if (r->line_of[id] == 0) {
        if (r->n_line == REPORT_LINES)
            return NULL;
        r->line_of[id] = ++r->n_line;
    }
    struct report_line *l = &r->line[r->line_of[id] - 1];
    l->d = d ? d : l->d;
    return l;
}

/* Keeps every stride-th point; when the array is full, every other one is dropped and the stride doubles. */
static void add_point(struct report_line *l, struct report_point p)
{
    if (p.what > POINT_ANSWER) {
        if (l->n_mark < REPORT_MARKS)
            l->mark[l->n_mark++] = p;
        return;
    }
    if (l->stride == 0)
        l->stride = 1;
    if (l->skipped++ % l->stride != 0)
        return;
    if (l->n == REPORT_POINTS) {
        for (uint32_t i = 0; i < REPORT_POINTS / 2; i++)
            l->point[i] = l->point[2 * i];
        l->n = REPORT_POINTS / 2;
        l->stride *= 2;
    }
    l->point[l->n++] = p;
}

static enum report_point_kind point_kind(const struct packet *p)
{
    bool nak = false, other = false;

    for (unsigned i = 0; i < verdict_kept(p->verdict); i++) {
        const enum iba_finding_kind k = p->verdict->finding[i].kind;
        nak |= (k >= IBA_FINDING_NAK_SEQUENCE && k <= IBA_FINDING_RNR);
        other |= iba_findings[k].severity >= IBA_WARN;
    }
    if (p->verdict->again || nak || other)
        return p->verdict->again ? POINT_AGAIN : nak ? POINT_NAK : POINT_OTHER;
    return p->view.op->dir == IBA_REQ ? POINT_SENT : POINT_ANSWER;
}

static void tally(struct report_line *l, const struct packet *p, bool answers)
{
    const struct verdict *v = p->verdict;

    for (unsigned i = 0; i < verdict_kept(v); i++)
        l->kind[v->finding[i].kind]++;
    if (v->worst >= IBA_WARN && l->bad++ == 0)
        l->first_bad = p->number;
    if (answers)
        return;
    l->requests++;
    l->bytes += p->view.payload_len;
    l->again += v->again;
    l->again_bytes += v->again ? p->view.payload_len : 0;
}

/* Plots a packet. A request is shown in the chart of its direction; a response in the chart of the requests that it
 * answers. */
static void plot(struct report *r, const struct packet *p)
{
    const struct direction *d = p->verdict->direction;
    const bool answers = p->view.op->dir == IBA_RSP;
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(&p->view)));

    if (answers && d->peer == 0)
        return;
    struct report_line *l = line_of(r, answers ? d->peer - 1 : d->id, answers ? NULL : d);
    if (!l)
        return;
    const int64_t ns = (int64_t)(p->cap->ts_ns - p->first_ns);
    const int64_t at = l->any ? l->at + iba_psn_diff(psn, l->last) : 0;
    l->any = true;
    l->last = psn;
    l->at = at;
    tally(l, p, answers);
    add_point(l, (struct report_point){ns, at, (uint8_t)point_kind(p)});
    report_climb(r, l, p);
}

void report_packet(struct report *r, const struct packet *p)
{
    const struct iba_view *v = &p->view;

    if (r->packets++ == 0 || p->source != r->last_source) {
        unsigned i = 0;
        while (i < r->n_file && strcmp(r->file[i], p->source_name) != 0)
            i++;
        if (i == r->n_file && r->n_file < sizeof r->file / sizeof *r->file)
            r->file[r->n_file++] = p->source_name;
        r->last_source = p->source;
    }
    cm_survey_packet(&r->cm, p);
    stat_perf_packet(r->perf, p);
    stat_hosts_packet(r->hosts, p);
    report_event(r, p);
    r->first_ns = p->first_ns;
    r->last_ns = p->cap->ts_ns > r->last_ns ? p->cap->ts_ns : r->last_ns;
    for (unsigned i = 0; i < verdict_kept(p->verdict); i++)
        count(r, &p->verdict->finding[i], p->verdict->names);
    if (p->verdict->direction && v->op && v->op->svc != IBA_UD && v->icrc != IBA_CHECK_BAD && v->err == IBA_OK &&
        !verdict_is_twin(p->verdict, p->number))
        plot(r, p);
}

void report_message(struct report *r, const struct iba_message *m)
{
    r->messages++;
    if (m->end != IBA_MESSAGE_END_ANSWERED)
        return;
    const uint64_t ns = m->ended - m->began;
    r->answered[m->operation]++;
    r->times[m->operation][ns ? 63 - (unsigned)__builtin_clzll(ns) : 0]++;
}

int report_close(struct report *r)
{
    perf_end_all(r->perf);
    report_page(r, &r->out);
    (void)out_flush(&r->out);
    int error = r->out.error;
    if (r->place.to) {
        const int end = file_end(&r->place, error == 0);
        error = error ? error : end;
    }
    free(r->perf);
    free(r->hosts);
    free(r);
    return error;
}
