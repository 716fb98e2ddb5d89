/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: the faults in sentences, the packets around them, PSNs, response times, then every finding. The page is
 * well-formed XML, so that a test can check the escaping. It makes no request, and its policy forbids all requests. */
#include "page/collected.h"

extern const unsigned char page_page_css[], page_page_js[], page_uPlot_iife_min_js[], page_uPlot_min_css[];
extern const size_t page_page_css_bytes, page_page_js_bytes, page_uPlot_iife_min_js_bytes, page_uPlot_min_css_bytes;

static void embedded(struct out *o, const unsigned char *file, size_t n)
{
    out_mem(o, (const char *)file, n);
    out_ch(o, '\n');
}

/* Writes a script. XML readers must ignore the text of the script; HTML readers take the marks for comments. */
static void script(struct out *o, const unsigned char *file, size_t n)
{
    OUT_LIT(o, "<script>/*<![CDATA[*/\n");
    embedded(o, file, n);
    OUT_LIT(o, "/*]]>*/</script>\n");
}

void report_head(struct out *o, const uint64_t severity[IBA_ERROR + 1], const char *title)
{
    OUT_LIT(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
               "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>ibdissect: ");
    report_verdict(severity, o);
    OUT_LIT(o, "</title>\n<style>\n");
    embedded(o, page_uPlot_min_css, page_uPlot_min_css_bytes);
    embedded(o, page_page_css, page_page_css_bytes);
    OUT_LIT(o, "</style>\n</head>\n<body>\n<h1>");
    out_str(o, title);
    OUT_LIT(o, "</h1>\n");
}

void report_tail(struct out *o)
{
    script(o, page_uPlot_iife_min_js, page_uPlot_iife_min_js_bytes);
    script(o, page_page_js, page_page_js_bytes);
    OUT_LIT(o, "</body>\n</html>\n");
}

static void cell(struct out *o, const char *s)
{
    OUT_LIT(o, "<td>");
    report_text(o, s);
    OUT_LIT(o, "</td>");
}

static void finding(struct out *o, const struct iba_finding *f, const struct report *r)
{
    const struct iba_finding_info *info = &iba_findings[f->kind];
    const struct direction *d = direction_of_finding(f, r->names);

    OUT_LIT(o, "<tr><td class=\"n\">");
    out_u64(o, f->frame);
    OUT_LIT(o, "</td><td class=\"n\">");
    out_time(o, f->at > r->first_ns ? (int64_t)(f->at - r->first_ns) : 0);
    OUT_LIT(o, "</td><td class=\"kind ");
    out_str(o, iba_severity_name(info->severity));
    OUT_LIT(o, "\">");
    out_str(o, info->name);
    OUT_LIT(o, "</td><td>");
    if (d)
        report_direction(o, d);
    OUT_LIT(o, "</td>");
    cell(o, verdict_text(f, r->names));
    cell(o, verdict_cited(f->kind));
    OUT_LIT(o, "</tr>\n");
}

static void findings(const struct report *r, struct out *o)
{
    if (r->n_finding == 0)
        return;
    OUT_LIT(o, "<h2>Findings</h2>\n<table>\n<tr><th>Packet</th><th>Time (s)</th><th>Finding</th><th>From, to</th>"
               "<th>What</th><th>Clause</th></tr>\n");
    for (uint64_t i = 0; i < r->n_finding && i < REPORT_FINDINGS; i++)
        finding(o, &r->finding[i], r);
    OUT_LIT(o, "</table>\n");
    if (r->n_finding > REPORT_FINDINGS) {
        OUT_LIT(o, "<p>");
        out_u64(o, r->n_finding - REPORT_FINDINGS);
        OUT_LIT(o, " more are counted above and not listed.</p>\n");
    }
}

void report_page(const struct report *r, struct out *o)
{
    const bool faulty = r->severity[IBA_WARN] || r->severity[IBA_ERROR];

    report_head(o, r->severity, faulty ? "What went wrong in this capture" : "What this capture shows");
    report_why(r, o);
    report_sample(o, r->sample);
    report_summary(r, o);
    report_connections(r, o);
    report_ladders(r, o);
    report_over_time(r, o);
    report_charts(r, o);
    report_latencies(r, o);
    findings(r, o);
    report_tail(o);
}
