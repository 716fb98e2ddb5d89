/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "capture.h"
#include "check_print.h"
#include "merge.h"
#include "system/signals.h"
#include "system/text.h"

/* Directions remembered at once; each takes 12 KiB. */
enum { FLOWS = 4096, LINE = 320 };

struct check {
    const struct ibc_check_options *o;
    FILE *err;
    struct capture *capture[CAP_MERGE_MAX];
    const char *name[CAP_MERGE_MAX]; /* name of each capture */
    bool bad_link[CAP_MERGE_MAX];
    size_t n;
    struct cap_merge *merge;
    struct iba_observer *observer;
    struct ibc_check_print print;
    FILE *summary; /* collects the lines of evicted connections until the end */
    iba_time now;
    bool unreadable, began;
};

static void complain(struct check *c, const char *what)
{
    text_line(c->err, "ibconform: %s", what);
    c->unreadable = true;
}

static enum iba_link link_of(uint32_t dlt)
{
    static const struct {
        uint16_t dlt, link;
    } known[] = {{1, IBA_LINK_ETHERNET}, {12, IBA_LINK_IP},   {14, IBA_LINK_IP},   {101, IBA_LINK_IP},
                 {113, IBA_LINK_SLL},    {197, IBA_LINK_ERF}, {228, IBA_LINK_IP},  {229, IBA_LINK_IP},
                 {242, IBA_LINK_IPOIB},  {247, IBA_LINK_IB},  {276, IBA_LINK_SLL2}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].dlt == dlt)
            return (enum iba_link)known[i].link;
    return IBA_LINK_NONE;
}

static void on_finding(void *ctx, const struct iba_finding *f)
{
    struct check *c = ctx;

    ibc_check_finding(&c->print, f);
}

static void on_forget(void *ctx, const struct iba_flow *f)
{
    struct check *c = ctx;

    ibc_check_forgotten(&c->print, c->summary, f);
}

static void judge(struct check *c, const struct cap_packet *p, size_t source)
{
    const enum iba_link link = link_of(p->dlt);
    struct iba_view v;
    char line[LINE];

    if (link == IBA_LINK_NONE) {
        snprintf(line, sizeof line, "%s: packet %" PRIu64 ": link type %" PRIu32 " is none that can be judged",
                 c->name[source], p->number, p->dlt);
        if (!c->bad_link[source])
            complain(c, line);
        c->bad_link[source] = true;
        return;
    }
    if (p->has_ts && p->ts_ns > c->now)
        c->now = p->ts_ns;
    if (!c->began)
        c->print.start = c->now;
    c->began = true;
    (void)iba_view_parse(&v, link, p->data, p->caplen, p->len, NULL);
    iba_view_check(&v);
    (void)iba_observer_feed(
        c->observer, &(struct iba_sighting){
                         .view = &v, .now = c->now, .frame = p->number, .tag = source, .source = (uint32_t)source});
}

static bool open_observer(struct check *c)
{
    const struct iba_observer_config cfg = {
        .n_flow = FLOWS, .n_known = FLOWS, .zeroed = true, .report = on_finding, .forget = on_forget, .ctx = c};
    void *memory = calloc(1, iba_observer_bytes(&cfg));

    if (!memory) {
        complain(c, "out of memory");
        return false;
    }
    c->observer = iba_observer_init(memory, &cfg);
    c->print.observer = c->observer;
    return true;
}

static bool open_all(struct check *c)
{
    char line[LINE];

    for (size_t i = 0; i < c->o->n_file; i++) {
        struct capture *one = cap_open(c->o->file[i], line, sizeof line);
        if (!one) {
            complain(c, line);
            continue;
        }
        c->name[c->n] = cap_name(one);
        c->capture[c->n++] = one;
    }
    c->summary = tmpfile();
    if (c->n > 0)
        c->merge = cap_merge_open(c->capture, c->n);
    if (!c->summary || (c->n > 0 && !c->merge)) {
        complain(c, "out of memory");
        return false;
    }
    return c->n > 0;
}

static void read_all(struct check *c)
{
    struct cap_packet p;
    enum cap_result got = CAP_PACKET;
    size_t source = 0;

    while (!signals_came() && (got = cap_merge_next(c->merge, &p, &source)) != CAP_END) {
        if (got == CAP_ERROR)
            complain(c, cap_error(c->capture[source]));
        else
            judge(c, &p, source);
    }
    if (got != CAP_END)
        complain(c, "a signal ended the run");
    iba_observer_end(c->observer, c->now);
}

static void copy(FILE *from, FILE *to)
{
    char buf[4096];
    size_t n;

    rewind(from);
    while ((n = fread(buf, 1, sizeof buf, from)) > 0)
        fwrite(buf, 1, n, to);
}

static void summarise(struct check *c)
{
    uint64_t found = 0;

    for (unsigned i = IBA_NOTE; i <= IBA_ERROR; i++)
        found += c->print.severity[i];
    if (found == 0 && !c->o->verbose)
        return;
    copy(c->summary, c->print.out);
    const struct iba_flow *f;
    for (uint32_t i = 0; (f = iba_observer_flow(c->observer, i)) != NULL; i++)
        ibc_check_connection(&c->print, c->print.out, f);
    ibc_check_totals(&c->print);
}

static void close_all(struct check *c)
{
    cap_merge_close(c->merge);
    for (size_t i = 0; i < c->n; i++)
        cap_close(c->capture[i]);
    if (c->summary)
        fclose(c->summary);
    free(c->observer);
}

int ibc_check(const struct ibc_check_options *o, FILE *out, FILE *err)
{
    struct check *c = calloc(1, sizeof *c);
    int rc = IBC_CHECK_UNREADABLE;

    assert(o->n_file >= 1 && o->n_file <= CAP_MERGE_MAX);
    if (!c) {
        fprintf(err, "ibconform: out of memory\n");
        return rc;
    }
    c->o = o;
    c->err = err;
    c->print = (struct ibc_check_print){.out = out, .json = o->json, .verbose = o->verbose, .file = c->name};
    if (open_observer(c) && open_all(c)) {
        if (o->opened)
            o->opened();
        read_all(c);
        summarise(c);
        rc = c->print.severity[IBA_WARN] + c->print.severity[IBA_ERROR] > 0 ? IBC_CHECK_FOUND : IBC_CHECK_CLEAN;
    }
    if (c->unreadable)
        rc = IBC_CHECK_UNREADABLE;
    close_all(c);
    free(c);
    return rc;
}
