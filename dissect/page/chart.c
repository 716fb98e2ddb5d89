/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the data of the charts next to the places where page.js draws them. The data are numbers only, so nothing
 * needs escaping. */
#include "page/collected.h"

static const char *const point_name[POINT_KINDS] = {"sent", "answer", "again", "nak", "other"};

static void integer(struct out *o, int64_t v)
{
    if (v < 0)
        out_ch(o, '-');
    out_u64(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void figure(struct out *o, const char *kind)
{
    OUT_LIT(o, "<figure class=\"");
    out_str(o, kind);
    OUT_LIT(o, "\">\n<figcaption>");
}

static void place(struct out *o)
{
    OUT_LIT(o, "</figcaption>\n<div class=\"plot\"></div>\n<script type=\"application/json\">{");
}

static void end_figure(struct out *o)
{
    OUT_LIT(o, "}</script>\n</figure>\n");
}

/* Appends the points of one kind: "again":[ns,psn,ns,psn]. */
static void points(struct out *o, const struct report_line *l, enum report_point_kind what)
{
    const struct report_point *p = what > POINT_ANSWER ? l->mark : l->point;
    const uint32_t n = what > POINT_ANSWER ? l->n_mark : l->n;
    bool any = false;

    OUT_LIT(o, ",\"");
    out_str(o, point_name[what]);
    OUT_LIT(o, "\":[");
    for (uint32_t i = 0; i < n; i++) {
        if (p[i].what != what)
            continue;
        out_str(o, any ? "," : "");
        integer(o, p[i].ns);
        out_ch(o, ',');
        integer(o, p[i].psn);
        any = true;
    }
    out_ch(o, ']');
}

static void chart(struct out *o, const struct report_line *l)
{
    const iba_psn base = iba_psn_of(l->last.v - (uint32_t)(l->at & IBA_PSN_MASK));

    figure(o, "psns");
    report_direction(o, l->d);
    if (l->bad > 0) {
        OUT_LIT(o, ": ");
        report_counted(o, l->bad, "packet");
        OUT_LIT(o, " that went wrong");
    }
    place(o);
    OUT_LIT(o, "\"base\":");
    out_u64(o, base.v);
    for (unsigned what = 0; what < POINT_KINDS; what++)
        points(o, l, (enum report_point_kind)what);
    end_figure(o);
}

void report_charts(const struct report *r, struct out *o)
{
    const struct report_line *order[REPORT_LINES];
    const uint32_t n = report_order(r, order);

    if (n == 0)
        return;
    OUT_LIT(o, "<h2>PSNs over time</h2>\n<noscript><p>The charts are drawn by a script of this page.</p></noscript>\n");
    for (uint32_t i = 0; i < n && i < REPORT_CHARTS; i++)
        chart(o, order[i]);
    if (n > REPORT_CHARTS || r->n_line == REPORT_LINES)
        OUT_LIT(o, "<p>Not every connection is drawn; those with the most errors and warnings are.</p>\n");
}

/* Appends the classes from the shortest time to the longest; class i begins at 2^i ns. */
void report_histogram(struct out *o, const char *name, const uint64_t times[REPORT_TIMES], uint64_t answered)
{
    unsigned from = 0, to = REPORT_TIMES - 1;

    while (from < to && times[from] == 0)
        from++;
    while (to > from && times[to] == 0)
        to--;
    figure(o, "times");
    out_str(o, name);
    OUT_LIT(o, ": ");
    out_u64(o, answered);
    OUT_LIT(o, " answered");
    place(o);
    OUT_LIT(o, "\"from\":");
    out_u64(o, from);
    OUT_LIT(o, ",\"n\":[");
    for (unsigned i = from; i <= to; i++) {
        out_str(o, i > from ? "," : "");
        out_u64(o, times[i]);
    }
    out_ch(o, ']');
    end_figure(o);
}

void report_latencies(const struct report *r, struct out *o)
{
    uint64_t answered = 0;

    for (unsigned k = 0; k < IBA_OPERATION_COUNT; k++)
        answered += r->answered[k];
    if (answered == 0)
        return;
    OUT_LIT(o,
            "<h2>Response times</h2>\n<p>From the first packet of a message to the answer to its last; what was sent "
            "again is included.</p>\n");
    for (unsigned k = 0; k < IBA_OPERATION_COUNT; k++)
        if (r->answered[k] > 0)
            report_histogram(o, iba_operation_name((enum iba_operation)k), r->times[k], r->answered[k]);
}
