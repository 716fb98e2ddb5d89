/* SPDX-License-Identifier: BSD-2-Clause */
/* The faults in sentences: of the capture, of each connection with findings, and of each kind of finding. */
#include <stdlib.h>
#include "page/collected.h"
#include "observer/iba_finding_kinds.h"

static int by_harm(const void *a, const void *b)
{
    const struct report_line *x = *(const struct report_line *const *)a, *y = *(const struct report_line *const *)b;

    if (x->bad != y->bad)
        return x->bad < y->bad ? 1 : -1;
    return x < y ? -1 : x > y;
}

uint32_t report_order(const struct report *r, const struct report_line *order[REPORT_LINES])
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n_line; i++)
        if (r->line[i].d) /* requests of the direction were seen, not only responses to them */
            order[n++] = &r->line[i];
    qsort(order, n, sizeof *order, by_harm);
    return n;
}

/* Appends "14 RETRY_NAK, 2 RETRY_TIMEOUT": the kinds from `from` to `to` that are warnings or worse. */
static void kinds(struct out *o, const struct report_line *l, unsigned from, unsigned to, const char *before)
{
    for (unsigned k = from; k < to; k++) {
        if (l->kind[k] == 0 || iba_findings[k].severity < IBA_WARN)
            continue;
        out_str(o, before);
        out_u64(o, l->kind[k]);
        out_ch(o, ' ');
        out_str(o, iba_findings[k].name);
        before = ", ";
    }
}

static void connection(struct out *o, const struct report_line *l)
{
    OUT_LIT(o, "<li><b>");
    report_direction(o, l->d);
    OUT_LIT(o, "</b>: ");
    if (l->again > 0) {
        out_u64(o, l->again);
        OUT_LIT(o, " of ");
        report_counted(o, l->requests, "request packet");
        OUT_LIT(o, " sent again, ");
        perf_say_percent(o, l->again_bytes, l->bytes);
        OUT_LIT(o, " of the bytes (");
        kinds(o, l, 0, IBA_FINDING_RETRY_CHANGED + 1, "");
        OUT_LIT(o, ")");
    } else {
        report_counted(o, l->requests, "request packet");
        OUT_LIT(o, ", none sent again");
    }
    kinds(o, l, IBA_FINDING_RETRY_CHANGED + 1, IBA_FINDING_COUNT, "; ");
    OUT_LIT(o, "; it begins with packet ");
    out_u64(o, l->first_bad);
    OUT_LIT(o, ".</li>\n");
}

static void connections(const struct report *r, struct out *o)
{
    const struct report_line *order[REPORT_LINES];
    const uint32_t n = report_order(r, order);

    if (n == 0 || order[0]->bad == 0)
        return;
    OUT_LIT(o, "<h2>For whom</h2>\n<ul class=\"pairs\">\n");
    for (uint32_t i = 0; i < n && i < REPORT_CHARTS && order[i]->bad > 0; i++)
        connection(o, order[i]);
    OUT_LIT(o, "</ul>\n");
}

static void kind(const struct report *r, struct out *o, unsigned k)
{
    const struct iba_finding_info *info = &iba_findings[k];

    OUT_LIT(o, "<li class=\"");
    out_str(o, iba_severity_name(info->severity));
    OUT_LIT(o, "\">");
    report_counted(o, r->kind[k].count, "time");
    OUT_LIT(o, " a packet ");
    report_text(o, info->sentence);
    OUT_LIT(o, " (");
    out_str(o, info->name);
    OUT_LIT(o, ", first packet ");
    out_u64(o, r->kind[k].frame[0]);
    OUT_LIT(o, ", ");
    report_text(o, verdict_cited(k));
    OUT_LIT(o, ")</li>\n");
}

static void capture(const struct report *r, struct out *o)
{
    OUT_LIT(o, "<p class=\"lead\">");
    report_counted(o, r->packets, "packet");
    OUT_LIT(o, " of ");
    for (unsigned i = 0; i < r->n_file; i++) {
        if (i > 0)
            OUT_LIT(o, ", ");
        report_text(o, r->file[i]);
    }
    OUT_LIT(o, " in ");
    out_time(o, r->last_ns > r->first_ns ? (int64_t)(r->last_ns - r->first_ns) : 0);
    OUT_LIT(o, " s: ");
    report_verdict(r->severity, o);
    OUT_LIT(o, ".</p>\n");
}

void report_summary(const struct report *r, struct out *o)
{
    capture(r, o);
    if (r->severity[IBA_ERROR] + r->severity[IBA_WARN] == 0) {
        OUT_LIT(o, "<p>Nothing that the rules forbid and nothing that was lost was seen.</p>\n");
        return;
    }
    OUT_LIT(o, "<ul>\n");
    for (unsigned severity = IBA_ERROR; severity >= IBA_WARN; severity--)
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
            if (r->kind[k].count > 0 && iba_findings[k].severity == severity)
                kind(r, o, k);
    OUT_LIT(o, "</ul>\n");
    connections(r, o);
}
