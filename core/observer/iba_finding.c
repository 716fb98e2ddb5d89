/* SPDX-License-Identifier: BSD-2-Clause */
/* What may be found, as a table. */
#include "observer/iba_observer.h"

#define FINDING(kind, field, severity, sentence, clause) {#kind, #field, IBA_##severity, sentence, clause},
const struct iba_finding_info iba_findings[IBA_FINDING_COUNT] = {IBA_FINDINGS(FINDING)};

const char *iba_severity_name(enum iba_severity s)
{
    static const char *const name[] = {"none", "note", "warn", "error"};

    return (size_t)s < sizeof name / sizeof *name ? name[s] : "unknown";
}
