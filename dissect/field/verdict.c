/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/verdict.h"
#include <stdio.h>
#include <string.h>
#include "observer/iba_finding_kinds.h"
#include "statements/iba_clause.h"

void verdict_add(struct verdict *v, const struct iba_finding *f)
{
    const enum iba_severity severity = iba_findings[f->kind].severity;

    v->worst = severity > v->worst ? severity : v->worst;
    v->again |= f->kind <= IBA_FINDING_RETRY_CHANGED;
    v->late |= f->kind == IBA_FINDING_LATE;
    if (v->n < VERDICT_MOST) {
        v->finding[v->n] = *f;
        v->finding[v->n].flow = NULL;
    }
    v->n++;
}

const char *verdict_text(const struct iba_finding *f, const struct verdict_names *names)
{
    static char text[FINDING_TEXT_BYTES];
    const char *file = verdict_file(names, f->tag), *cause = f->cause ? verdict_file(names, f->cause_tag) : NULL;

    finding_text(text, sizeof text, f, cause != file ? cause : NULL);
    return text;
}

const char *verdict_sections(unsigned kind)
{
    static char text[IBA_FINDING_COUNT][IBA_CLAUSE_SECTIONS]; /* found once for each kind, then kept */

    if (text[kind][0] == '\0')
        (void)iba_clause_sections(iba_findings[kind].clause, text[kind], sizeof text[kind]);
    return text[kind];
}

const char *verdict_cited(unsigned kind)
{
    static char text[2 * IBA_CLAUSE_SECTIONS];
    const char *sections = strncmp(iba_findings[kind].clause, "§", 2) == 0 ? "" : verdict_sections(kind);

    snprintf(text, sizeof text, "%s%s%s", iba_findings[kind].clause, *sections ? ", " : "", sections);
    return text;
}

bool verdict_comment(const struct verdict *v, char to[VERDICT_COMMENT])
{
    size_t n = 0;

    for (unsigned i = 0; i < verdict_kept(v); i++) {
        const struct iba_finding_info *info = &iba_findings[v->finding[i].kind];
        const int k = snprintf(to + n, VERDICT_COMMENT - n, "%s%s: %s: %s [%s]", i > 0 ? "\n" : "",
                               iba_severity_name(info->severity), info->field, verdict_text(&v->finding[i], v->names),
                               verdict_cited(v->finding[i].kind));
        n = k > 0 && (size_t)k < VERDICT_COMMENT - n ? n + (size_t)k : VERDICT_COMMENT - 1;
    }
    return n > 0;
}

unsigned verdict_first_kind(unsigned kind)
{
    for (unsigned k = 0; k < kind; k++)
        if (strcmp(iba_findings[k].field, iba_findings[kind].field) == 0)
            return k;
    return kind;
}

const char *verdict_value(const struct verdict *v, unsigned i, enum verdict_field what, unsigned kind)
{
    const struct iba_finding_info *info = &iba_findings[v->finding[i].kind];

    switch (what) {
    case VERDICT_OF_KIND: return strcmp(info->field, iba_findings[kind].field) == 0 ? info->name : NULL;
    case VERDICT_FINDING: return info->name;
    case VERDICT_MESSAGE: return verdict_text(&v->finding[i], v->names);
    case VERDICT_SECTION: return verdict_sections(v->finding[i].kind);
    default: return info->clause;
    }
}
