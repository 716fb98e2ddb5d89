/* SPDX-License-Identifier: BSD-2-Clause */
/* How connections were made and ended: sentences, the number of connections with each outcome, and times. */
#include <stdlib.h>
#include "page/collected.h"

static void line(struct out *o, enum cm_why why, const struct cm_connection *c, int64_t now_ns)
{
    OUT_LIT(o, "<li class=\"");
    out_str(o, iba_severity_name((enum iba_severity)cm_whys[why].severity));
    OUT_LIT(o, "\">packet ");
    out_u64(o, c->begin_frame);
    OUT_LIT(o, ": ");
    cm_why_print(o, why, c, now_ns);
    OUT_LIT(o, " (");
    out_str(o, cm_whys[why].name);
    OUT_LIT(o, ", ");
    report_text(o, cm_whys[why].clause);
    OUT_LIT(o, ")</li>\n");
}

static void time_cell(struct out *o, uint64_t ns)
{
    OUT_LIT(o, "<td class=\"n\">");
    out_time(o, (int64_t)ns);
    OUT_LIT(o, "</td>");
}

static void times_row(struct out *o, const char *title, const struct times *t)
{
    OUT_LIT(o, "<tr><td>");
    out_str(o, title);
    OUT_LIT(o, "</td><td class=\"n\">");
    out_u64(o, t->n);
    OUT_LIT(o, "</td>");
    time_cell(o, t->shortest);
    time_cell(o, times_percentile(t, 50));
    time_cell(o, times_percentile(t, 90));
    time_cell(o, times_percentile(t, 99));
    time_cell(o, t->longest);
    OUT_LIT(o, "</tr>\n");
}

static void outcomes(struct out *o, const struct cm_outcomes *all)
{
    OUT_LIT(o, "<table>\n<tr><th>Outcome</th><th>Connections</th><th>First packet</th><th>Clause</th></tr>\n");
    for (unsigned k = 0; k < CM_WHY_COUNT; k++) {
        if (all->of[k].n == 0)
            continue;
        OUT_LIT(o, "<tr><td class=\"kind ");
        out_str(o, iba_severity_name((enum iba_severity)cm_whys[k].severity));
        OUT_LIT(o, "\">");
        out_str(o, cm_whys[k].name);
        OUT_LIT(o, "</td><td class=\"n\">");
        out_u64(o, all->of[k].n);
        OUT_LIT(o, "</td><td class=\"n\">");
        out_u64(o, all->of[k].first_frame);
        OUT_LIT(o, "</td><td>");
        report_text(o, cm_whys[k].clause);
        OUT_LIT(o, "</td></tr>\n");
    }
    OUT_LIT(o, "</table>\n");
}

void report_connections(const struct report *r, struct out *o)
{
    struct cm_outcomes *all = r->cm.track.begun > 0 ? malloc(sizeof *all) : NULL;

    if (!all)
        return;
    cm_survey_outcomes(&r->cm, all);
    OUT_LIT(o, "<h2>How connections were made and ended</h2>\n<ul>\n");
    const uint64_t more = cm_outcome_lines(all, &r->cm.track, o, line);
    OUT_LIT(o, "</ul>\n");
    if (more > 0) {
        OUT_LIT(o, "<p>");
        out_u64(o, more);
        OUT_LIT(o, " more like these are counted below and not listed.</p>\n");
    }
    outcomes(o, all);
    OUT_LIT(o, "<table>\n<tr><th>Phase</th><th>Count</th><th>Shortest (s)</th><th>p50</th><th>p90</th><th>p99</th>"
               "<th>Longest</th></tr>\n");
    for (unsigned i = 0; i < CM_PHASES; i++)
        if (all->phase[i].n > 0)
            times_row(o, cm_phase_title((enum cm_phase)i), &all->phase[i]);
    OUT_LIT(o, "</table>\n");
    free(all);
}
