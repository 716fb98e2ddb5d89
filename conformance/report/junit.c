/* SPDX-License-Identifier: BSD-2-Clause */
/* JUnit XML in the form that Jenkins and similar tools read: one suite per group, one case per scenario; a scenario
 * with counters has a second case for them, since they have a verdict of their own. junit.xsd has the schema. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "common.h"

#define NS_PER_S UINT64_C(1000000000)
enum { OF_SUITE = 3, OF_CASE = 6 }; /* decimals of seconds */

enum outcome { PASSED, FAILURE, FAULT, SKIPPED, OUTCOMES };
static const char *const elements[OUTCOMES] = {"", "failure", "error", "skipped"};

/* Returns the outcome for JUnit. An undecided result is no pass; a waived result, or one without a certain
 * statement, is no failure of the build. */
static enum outcome outcome(const struct rep *p, enum ibc_verdict v)
{
    switch (v) {
    case IBC_IS_UNSUPPORTED:
    case IBC_IS_DEVIATES: return p->of->info && p->of->info->strict ? FAILURE : SKIPPED;
    case IBC_IS_FAIL:
    case IBC_IS_XPASS: return FAILURE;
    case IBC_IS_ERROR:
    case IBC_IS_INCONCLUSIVE: return FAULT;
    case IBC_IS_XFAIL:
    case IBC_IS_NOT_APPLICABLE: return SKIPPED;
    default: return PASSED;
    }
}

static bool has_counters(const struct ibc_result *r)
{
    return r->counters != IBC_IS_NOT_APPLICABLE;
}

/* Writes a time in seconds: for suites the plug-ins accept three decimals at most. */
static void seconds(struct out *o, uint64_t ns, unsigned decimals)
{
    char text[40];

    snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
    out_mem(o, text, strlen(text) - 9 + decimals);
}

static void number(struct out *o, const char *name, uint64_t n)
{
    out_ch(o, ' ');
    out_str(o, name);
    OUT_LIT(o, "=\"");
    out_u64(o, n);
    out_ch(o, '"');
}

static void attribute(struct out *o, const char *name, const char *s, size_t n)
{
    out_ch(o, ' ');
    out_str(o, name);
    OUT_LIT(o, "=\"");
    out_xml(o, s, n);
    out_ch(o, '"');
}

/* ---- a case ---- */
static void said(struct out *o, const char *name, const char *s, size_t n)
{
    if (n == 0)
        return;
    out_str(o, name);
    OUT_LIT(o, ": ");
    out_xml(o, s, n);
    out_ch(o, '\n');
}

static void said_str(struct out *o, const char *name, const char *s)
{
    if (s)
        said(o, name, s, strlen(s));
}

static void said_number(struct out *o, const char *name, uint64_t n)
{
    if (n == 0)
        return;
    out_str(o, name);
    OUT_LIT(o, ": ");
    out_u64(o, n);
    out_ch(o, '\n');
}

static void finding(struct out *o, const struct rep_case *c, const struct ibc_finding *f)
{
    const char *sentence = rep_sentence(c, f);
    char clause[REP_CLAUSE];

    said_str(o, "statement", c->statement ? c->statement->id : NULL);
    said(o, "sentence", sentence, sentence == f->sentence ? strnlen(sentence, sizeof f->sentence) : strlen(sentence));
    rep_clause(c->statement, clause);
    said(o, "clause", clause, strlen(clause));
    if (ibc_failed(c->r->verdict))
        said_str(o, "severity", ibc_severity_names[rep_severity(c)]);
    said_str(o, "not certain", rep_uncertainty(c));
    said(o, "expected", REP_ARRAY(f->expected));
    said(o, "got", REP_ARRAY(f->got));
    said(o, "variation", REP_ARRAY(f->variation));
    said_str(o, "scenario", c->r->scenario->path);
    said_number(o, "line", f->line);
    said_number(o, "packet", f->packet);
    said_str(o, "evidence", c->r->evidence);
    if (c->r->waiver)
        said_str(o, "waiver", c->r->waiver->reason);
}

/* Writes one line: the expected and the received packet, or why the scenario was not played. */
static void message(struct out *o, const struct rep_case *c, enum ibc_verdict v, const struct ibc_finding *f)
{
    OUT_LIT(o, " message=\"");
    if (c->r->spared || (v == IBC_IS_NOT_APPLICABLE && c->r->measured[0])) /* the capability that the device lacks */
        out_xml(o, REP_ARRAY(c->r->measured));
    else if (f->expected[0]) {
        OUT_LIT(o, "expected ");
        out_xml(o, REP_ARRAY(f->expected));
        OUT_LIT(o, ", got ");
        out_xml(o, REP_ARRAY(f->got));
    } else if (f->got[0])
        out_xml(o, REP_ARRAY(f->got));
    else
        rep_str(o, ibc_failed(v) && *rep_sentence(c, f) ? rep_sentence(c, f) : rep_verdict_words[v]);
    out_ch(o, '"');
}

static void result(struct out *o, const struct rep *p, const struct rep_case *c, enum ibc_verdict v,
                   const struct ibc_finding *f)
{
    const enum outcome is = outcome(p, v);
    const char *element = elements[is];

    if (is == PASSED) {
        OUT_LIT(o, "      <system-out>");
        said_str(o, "verdict", rep_verdict_names[v]);
        said_str(o, "statement", c->statement ? c->statement->id : NULL);
        said(o, "measured", REP_ARRAY(c->r->measured));
        said(o, "got", REP_ARRAY(f->got));
        said_str(o, "evidence", c->r->evidence);
        OUT_LIT(o, "</system-out>\n");
        return;
    }
    OUT_LIT(o, "      <");
    out_str(o, element);
    attribute(o, "type", rep_verdict_names[v], strlen(rep_verdict_names[v]));
    message(o, c, v, f);
    OUT_LIT(o, ">");
    finding(o, c, f);
    OUT_LIT(o, "</");
    out_str(o, element);
    OUT_LIT(o, ">\n");
}

static void one_case(struct out *o, const struct rep *p, const struct rep_case *c, bool counters)
{
    const struct ibc_result *r = c->r;

    OUT_LIT(o, "    <testcase");
    attribute(o, "classname", c->id, c->n_group);
    OUT_LIT(o, " name=\"");
    rep_str(o, c->name);
    if (counters)
        OUT_LIT(o, " (counters)");
    OUT_LIT(o, "\" time=\"");
    seconds(o, counters ? 0 : r->wall_ns, OF_CASE);
    OUT_LIT(o, "\">\n");
    result(o, p, c, counters ? r->counters : r->verdict, counters ? &r->counter_finding : &r->finding);
    OUT_LIT(o, "    </testcase>\n");
}

/* ---- suites ---- */
static void tally(const struct rep *p, size_t first, size_t end, unsigned n[OUTCOMES], uint64_t *ns)
{
    *ns = 0;
    memset(n, 0, OUTCOMES * sizeof *n);
    for (size_t i = first; i < end; i++) {
        const struct ibc_result *r = p->c[i].r;

        n[outcome(p, r->verdict)]++;
        if (has_counters(r))
            n[outcome(p, r->counters)]++;
        *ns += r->wall_ns;
    }
}

static void totals(struct out *o, const unsigned n[OUTCOMES])
{
    number(o, "tests", (uint64_t)n[PASSED] + n[FAILURE] + n[FAULT] + n[SKIPPED]);
    number(o, "failures", n[FAILURE]);
    number(o, "errors", n[FAULT]);
}

static void property(struct out *o, const char *name, const char *value)
{
    OUT_LIT(o, "      <property name=\"");
    out_str(o, name);
    OUT_LIT(o, "\" value=\"");
    rep_str(o, value ? value : "");
    OUT_LIT(o, "\"/>\n");
}

static void properties(struct out *o, const struct ibc_run_info *info)
{
    char seed[24];

    snprintf(seed, sizeof seed, "%" PRIu64, info->seed);
    OUT_LIT(o, "    <properties>\n");
    property(o, "target", info->target);
    property(o, "link", info->link);
    property(o, "seed", seed);
    property(o, "version", info->version);
    OUT_LIT(o, "    </properties>\n");
}

static void suite(struct out *o, const struct rep *p, size_t first, size_t end)
{
    const struct ibc_run_info *info = p->of->info;
    unsigned n[OUTCOMES];
    uint64_t ns;

    tally(p, first, end, n, &ns);
    OUT_LIT(o, "  <testsuite");
    attribute(o, "name", p->c[first].id, p->c[first].n_group);
    totals(o, n);
    number(o, "skipped", n[SKIPPED]);
    OUT_LIT(o, " time=\"");
    seconds(o, ns, OF_SUITE);
    out_ch(o, '"');
    if (info && info->started)
        attribute(o, "timestamp", info->started, strlen(info->started));
    OUT_LIT(o, ">\n");
    if (info)
        properties(o, info);
    for (size_t i = first; i < end; i++) {
        one_case(o, p, &p->c[i], false);
        if (has_counters(p->c[i].r))
            one_case(o, p, &p->c[i], true);
    }
    OUT_LIT(o, "  </testsuite>\n");
}

static void document(struct out *o, const struct rep *p)
{
    unsigned n[OUTCOMES];
    uint64_t ns;

    tally(p, 0, p->n, n, &ns);
    OUT_LIT(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ibconform\"");
    totals(o, n);
    OUT_LIT(o, " time=\"");
    seconds(o, ns, OF_SUITE);
    OUT_LIT(o, "\">\n");
    for (size_t i = 0, end; i < p->n; i = end) {
        end = rep_group_end(p, i);
        suite(o, p, i, end);
    }
    OUT_LIT(o, "</testsuites>\n");
}

bool ibc_report_junit(const char *path, const struct ibc_report *r, char *err, size_t errlen)
{
    return rep_write(path, r, document, err, errlen);
}
