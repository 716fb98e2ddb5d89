/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all findings, and how a finding is reported. */
#include "observer/iba_obs_flow.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_report.h"

#define FINDING(kind, field, severity, sentence, clause) {#kind, #field, IBA_##severity, sentence, clause},
const struct iba_finding_info iba_findings[IBA_FINDING_COUNT] = {IBA_FINDINGS(FINDING)};

const char *iba_severity_name(enum iba_severity s)
{
    static const char *const name[] = {"none", "note", "warn", "error"};

    return (size_t)s < sizeof name / sizeof *name ? name[s] : "unknown";
}

struct iba_finding iba_obs_finding(const struct iba_flow *f, enum iba_finding_kind kind, const struct iba_obs_mark *of,
                                   const struct iba_obs_detail *t, iba_psn psn)
{
    return (struct iba_finding){.kind = (uint8_t)kind,
                                .frame = of->frame,
                                .tag = of->tag,
                                .cause = t && t->cause ? t->cause->frame : 0,
                                .cause_tag = t && t->cause ? t->cause->tag : 0,
                                .at = of->at,
                                .flow = f,
                                .psn = psn,
                                .response = t && t->response,
                                .decision = t ? t->decision : NULL,
                                .count = t ? t->count : 0,
                                .wait_ns = t ? t->wait_ns : 0};
}

struct iba_finding iba_obs_finding_now(const struct iba_look *l, enum iba_finding_kind kind,
                                       const struct iba_obs_detail *t)
{
    struct iba_finding f = iba_obs_finding(l->flow, kind, &l->s->now, t, l->psn);

    f.response = l->op && l->op->dir == IBA_RSP;
    f.no_psn = !l->bth;
    return f;
}

void iba_obs_emit(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *finding)
{
    const enum iba_severity severity = iba_findings[finding->kind].severity;

    s->found[finding->kind]++;
    if (f)
        f->found[finding->kind]++;
    s->seen.worst = severity > s->seen.worst ? severity : s->seen.worst;
    struct iba_finding numbered = *finding;
    numbered.direction = f ? iba_obs_number(s, f) : 0;
    s->cfg.report(s->cfg.ctx, &numbered);
}
