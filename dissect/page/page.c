/* The page: what is wrong in sentences, then findings, PSNs, response times. Well-formed XML, which is how a test sees
 * that nothing went unescaped; no request leaves it, and its policy forbids any. */
#include "page/parts.h"
#include "stats/addr.h"

static const char style[] =
    ":root{color-scheme:light "
    "dark;--page:#fff;--text:#1b1f24;--dim:#57606a;--line:#d0d7de;--error:#b3131b;--warn:#7d4e00;"
    "--note:#0b5cad;--sent:#8c96a0;--answer:#0b7d4f}\n"
    "@media "
    "(prefers-color-scheme:dark){:root{--page:#0f1216;--text:#e6eaef;--dim:#a3adb8;--line:#3a424c;--error:#ff8f88;"
    "--warn:#e3b341;--note:#79b8ff;--sent:#6e7984;--answer:#56d364}}\n"
    "body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--page);color:var(--text);"
    "font:1rem/1.45 system-ui,\"DejaVu Sans\",sans-serif;overflow-wrap:anywhere}\n"
    "h1{margin:0;font-size:1.5rem}h2{margin:2rem 0 .5rem;font-size:1.2rem;border-bottom:1px solid var(--line)}\n"
    ".lead{font-size:1.1rem}.error{color:var(--error)}.warn{color:var(--warn)}.note{color:var(--note)}\n"
    "table{border-collapse:collapse;width:100%}th{white-space:nowrap}th,td{text-align:left;padding:.2rem "
    ".5rem;vertical-align:top;"
    "border-bottom:1px solid var(--line)}.n,.kind{white-space:nowrap}.n{text-align:right}figure{margin:1rem "
    "0}figcaption{font-weight:600}\n"
    "svg{width:100%;height:auto;font:11px system-ui,sans-serif}svg text{fill:var(--dim)}\n"
    "path{fill:none;stroke-width:5;stroke-linecap:round}path.axis{stroke:var(--line);stroke-width:1}\n"
    "path.sent{stroke:var(--sent)}path.answer{stroke:var(--answer);stroke-width:3}path.again{stroke:var(--error)}\n"
    "path.nak{stroke:var(--note);stroke-width:8}path.other{stroke:var(--warn)}rect.bar{fill:var(--note)}\n"
    ".key span{margin-right:1rem}.key span::before{content:\"\\25CF \"}.key .sent::before{color:var(--sent)}"
    ".key .answer::before{color:var(--answer)}.key .again::before{color:var(--error)}.key "
    ".nak::before{color:var(--note)}"
    ".key .other::before{color:var(--warn)}\n";

void report_text(struct out *o, const char *s)
{
    out_xml(o, s, strlen(s));
}

void report_direction(struct out *o, const struct direction *d)
{
    stat_addr_print(o, (enum stat_addr_kind)d->key.kind, d->key.src);
    if (d->knows_source_qp) {
        OUT_LIT(o, " QP ");
        out_hex(o, d->source_qp, 6);
        out_str(o, d->guess ? "?" : "");
    }
    OUT_LIT(o, " to ");
    stat_addr_print(o, (enum stat_addr_kind)d->key.kind, d->key.dst);
    OUT_LIT(o, " QP ");
    out_hex(o, d->key.qpn, 6);
}

static void counted(struct out *o, uint64_t n, const char *what)
{
    out_u64(o, n);
    out_ch(o, ' ');
    out_str(o, what);
    if (n != 1)
        out_ch(o, 's');
}

static void verdict_words(const struct report *r, struct out *o)
{
    counted(o, r->severity[IBA_ERROR], "error");
    OUT_LIT(o, ", ");
    counted(o, r->severity[IBA_WARN], "warning");
    OUT_LIT(o, ", ");
    counted(o, r->severity[IBA_NOTE], "note");
}

static void head(const struct report *r, struct out *o)
{
    OUT_LIT(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
               "base-uri 'none'; form-action 'none'\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>ibdissect: ");
    verdict_words(r, o);
    OUT_LIT(o, "</title>\n<style>\n");
    out_str(o, style);
    OUT_LIT(o, "</style>\n</head>\n<body>\n<h1>What went wrong in this capture</h1>\n");
}

/* A sentence for the capture, and one for each kind of finding that is a warning or worse. */
static void summary(const struct report *r, struct out *o)
{
    OUT_LIT(o, "<p class=\"lead\">");
    counted(o, r->packets, "packet");
    OUT_LIT(o, " of ");
    for (unsigned i = 0; i < r->n_file; i++) {
        if (i > 0)
            OUT_LIT(o, ", ");
        report_text(o, r->file[i]);
    }
    OUT_LIT(o, " in ");
    out_time(o, r->last_ns > r->first_ns ? (int64_t)(r->last_ns - r->first_ns) : 0);
    OUT_LIT(o, " s: ");
    verdict_words(r, o);
    OUT_LIT(o, ".</p>\n");
    if (r->severity[IBA_ERROR] + r->severity[IBA_WARN] == 0) {
        OUT_LIT(o, "<p>Nothing that the rules forbid and nothing that was lost was seen.</p>\n");
        return;
    }
    OUT_LIT(o, "<ul>\n");
    for (unsigned severity = IBA_ERROR; severity >= IBA_WARN; severity--)
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++) {
            if (r->kind[k].count == 0 || iba_findings[k].severity != severity)
                continue;
            OUT_LIT(o, "<li class=\"");
            out_str(o, iba_severity_name((enum iba_severity)severity));
            OUT_LIT(o, "\">");
            counted(o, r->kind[k].count, "time");
            OUT_LIT(o, " a packet ");
            report_text(o, iba_findings[k].sentence);
            OUT_LIT(o, " (first packet ");
            out_u64(o, r->kind[k].frame[0]);
            OUT_LIT(o, ", ");
            report_text(o, iba_findings[k].clause);
            OUT_LIT(o, ")</li>\n");
        }
    OUT_LIT(o, "</ul>\n");
}

static void cell(struct out *o, const char *s)
{
    OUT_LIT(o, "<td>");
    report_text(o, s);
    OUT_LIT(o, "</td>");
}

static void finding(struct out *o, const struct judged *j, uint64_t first_ns)
{
    const struct iba_finding_info *info = &iba_findings[j->finding.kind];

    OUT_LIT(o, "<tr><td class=\"n\">");
    out_u64(o, j->finding.frame);
    OUT_LIT(o, "</td><td class=\"n\">");
    out_time(o, j->finding.at > first_ns ? (int64_t)(j->finding.at - first_ns) : 0);
    OUT_LIT(o, "</td><td class=\"kind ");
    out_str(o, iba_severity_name(info->severity));
    OUT_LIT(o, "\">");
    out_str(o, info->name);
    OUT_LIT(o, "</td><td>");
    if (j->direction)
        report_direction(o, j->direction);
    OUT_LIT(o, "</td>");
    cell(o, verdict_text(j));
    cell(o, info->clause);
    OUT_LIT(o, "</tr>\n");
}

static void findings(const struct report *r, struct out *o)
{
    if (r->n_finding == 0)
        return;
    OUT_LIT(o, "<h2>Findings</h2>\n<table>\n<tr><th>Packet</th><th>Time (s)</th><th>Finding</th><th>From, to</th>"
               "<th>What</th><th>Clause</th></tr>\n");
    for (uint64_t i = 0; i < r->n_finding && i < REPORT_FINDINGS; i++)
        finding(o, &r->finding[i], r->first_ns);
    OUT_LIT(o, "</table>\n");
    if (r->n_finding > REPORT_FINDINGS) {
        OUT_LIT(o, "<p>");
        out_u64(o, r->n_finding - REPORT_FINDINGS);
        OUT_LIT(o, " more are counted above and not listed.</p>\n");
    }
}

void report_page(struct report *r, struct out *o)
{
    head(r, o);
    summary(r, o);
    findings(r, o);
    report_charts(r, o);
    report_latencies(r, o);
    OUT_LIT(o, "</body>\n</html>\n");
}
