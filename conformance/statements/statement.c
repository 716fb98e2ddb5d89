/* SPDX-License-Identifier: BSD-2-Clause */
/* The statements of all areas, in the order of their ids: rows of core/statements. A row is OPEN (a scenario can show
 * it) or SHUT, with status and reason.
 *
 * Columns: id; section of the specification or annex, "" where not known; compliance numbers, only those that a public
 * source shows beside the statement; edition or annex; class, M mandatory, O optional, R recommended,
 * C conditional on a claim of the device, I informational; S seen in a public source, K known to us only; our words. */
#include "statement.h"
#include <stdlib.h>
#include <string.h>
#include "scenario/words.h"
#include "severity.h"
#include "unproven.h"
#include "statements/km.h"
#include "statements/md.h"
#include "statements/pv.h"
#include "statements/qs.h"
#include "statements/ro.h"
#include "statements/rq.h"
#include "statements/rr.h"
#include "statements/uu.h"
#include "statements/vn.h"
#include "statements/wf.h"
#include "witnesses.h"

/* Reasons that many rows share */
#define IBC_WHY_SA "a subnet administration's: no scenario asks for it"
#define IBC_WHY_SWITCH "a switch's, not an endpoint's"
#define IBC_WHY_LINK "the link's: frames reach the suite whole"
#define IBC_WHY_NOTE "the sources leave it open, and require nothing"

enum { M = IBC_CLASS_mandatory, O = IBC_CLASS_optional, R = IBC_CLASS_recommended, C = IBC_CLASS_conditional };
enum { I = IBC_CLASS_informational };
enum { K = false, S = true };

#define OPEN(area, id, section, compliance, edition, klass, seen, words)                                               \
    {id, #area, section, compliance, edition, klass, IBC_ST_OPEN, seen, words, ""},
#define SHUT(area, id, section, compliance, edition, klass, seen, status, words, reason)                               \
    {id, #area, section, compliance, edition, klass, IBC_ST_##status, seen, words, reason},
const struct ibc_statement ibc_statements[] = {
    IBA_STATEMENTS_KM(OPEN, SHUT) IBA_STATEMENTS_MD(OPEN, SHUT) IBA_STATEMENTS_PV(OPEN, SHUT)
        IBA_STATEMENTS_QS(OPEN, SHUT) IBA_STATEMENTS_RO(OPEN, SHUT) IBA_STATEMENTS_RQ(OPEN, SHUT)
            IBA_STATEMENTS_RR(OPEN, SHUT) IBA_STATEMENTS_UU(OPEN, SHUT) IBA_STATEMENTS_VN(OPEN, SHUT)
                IBA_STATEMENTS_WF(OPEN, SHUT)};
const size_t ibc_statement_count = sizeof ibc_statements / sizeof ibc_statements[0];

#define CONFIRMS(id, who, where) {id, IBC_CONFIRMS, who, where},
#define SETTLES(id, who, where) {id, IBC_SETTLES, who, where},
#define CONTRADICTS(id, who, where) {id, IBC_CONTRADICTS, who, where},
const struct ibc_witness ibc_witnesses[] = {IBC_WITNESSES(CONFIRMS, SETTLES, CONTRADICTS)};
const size_t ibc_witness_count = sizeof ibc_witnesses / sizeof ibc_witnesses[0];

#define TITLE(area, title) {#area, title},
static const struct {
    const char *area, *title;
} areas[] = {IBC_AREAS(TITLE)};
#define NAME(id, name, words) name,
const char *const ibc_statement_status_names[] = {IBC_STATEMENT_STATUSES(NAME)};

#define SEVERITY_NAME(id, name, words) name,
const char *const ibc_severity_names[] = {IBC_SEVERITIES(SEVERITY_NAME)};
#define SEVERITY(of, severity) {of, IBC_SEVERITY_##severity},
static const struct {
    const char *of; /* an area or a statement's id */
    uint8_t severity;
} severities[] = {IBC_SEVERITY_ROWS(SEVERITY)};

/* Returns the severity of a statement. Rows of ids come after those of areas, so the last matching row decides. */
enum ibc_severity ibc_severity_of(const struct ibc_statement *s)
{
    enum ibc_severity is = IBC_SEVERITY_ANSWER;

    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++)
        if (strcmp(severities[i].of, s->area) == 0 || strcmp(severities[i].of, s->id) == 0)
            is = (enum ibc_severity)severities[i].severity;
    return is;
}

const char *ibc_area_title(const char *area)
{
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++)
        if (strcmp(areas[i].area, area) == 0)
            return areas[i].title;
    return NULL;
}

static int by_id(const void *id, const void *row)
{
    return strcmp(id, ((const struct ibc_statement *)row)->id);
}

const struct ibc_statement *ibc_statement_find(const char *id)
{
    return bsearch(id, ibc_statements, ibc_statement_count, sizeof ibc_statements[0], by_id);
}

#define UNPROVEN(id, why) {id, why},
static const struct {
    const char *id, *why;
} unproven[] = {IBC_UNPROVEN(UNPROVEN)};

const char *ibc_unproven_why(const char *id)
{
    for (size_t i = 0; i < sizeof unproven / sizeof *unproven; i++)
        if (strcmp(unproven[i].id, id) == 0)
            return unproven[i].why;
    return NULL;
}

const struct ibc_witness *ibc_witnesses_of(const char *id, size_t *n)
{
    size_t first = 0, end;

    while (first < ibc_witness_count && strcmp(ibc_witnesses[first].id, id) != 0)
        first++;
    for (end = first; end < ibc_witness_count && strcmp(ibc_witnesses[end].id, id) == 0;)
        end++;
    *n = end - first;
    return *n ? &ibc_witnesses[first] : NULL;
}

size_t ibc_certain_count(size_t *settled)
{
    size_t certain = 0;

    *settled = 0;
    for (size_t i = 0; i < ibc_statement_count; i++)
        certain += ibc_statements[i].certain;
    for (size_t i = 0; i < ibc_witness_count; i++)
        *settled += ibc_witnesses[i].kind == IBC_SETTLES;
    return certain;
}
