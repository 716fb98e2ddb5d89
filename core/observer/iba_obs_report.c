/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports findings. Drops a gap whose packets were captured damaged, and defers findings that may be lawful reordering.
 */
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_damaged.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_reorder.h"

__attribute__((cold)) static void note_late(struct iba_flow *f, uint64_t frame)
{
    for (unsigned i = 0; i < f->n_recent; i++)
        f->recent[i].late |= f->recent[i].mark.frame == frame;
}

static bool is_gap(enum iba_finding_kind kind)
{
    return kind == IBA_FINDING_GAP || kind == IBA_FINDING_RESPONSE_GAP;
}

/* Later packets may show that the finding is lawful reordering. */
static bool may_be_put_off(enum iba_finding_kind kind)
{
    return is_gap(kind) || kind == IBA_FINDING_LATE;
}

/* `f` is NULL only for kinds that are not put off. */
static void report(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *finding)
{
    if (finding->kind == IBA_FINDING_LATE) {
        s->reorders = true;
        note_late(f, finding->frame);
    }
    if (is_gap(finding->kind) && iba_obs_damage_explains(s, f, finding))
        return;
    if (!may_be_put_off(finding->kind) || !iba_obs_puts_off(s, f, finding))
        iba_obs_emit(s, f, finding);
}

void iba_obs_report(struct iba_look *l, enum iba_finding_kind kind, const struct iba_obs_detail *t)
{
    const struct iba_finding f = iba_obs_finding_now(l, kind, t);

    report(l->s, l->flow, &f);
}

void iba_obs_report_of(struct iba_observer *s, struct iba_flow *f, enum iba_finding_kind kind,
                       const struct iba_obs_mark *of, const struct iba_obs_detail *t, iba_psn psn)
{
    const struct iba_finding finding = iba_obs_finding(f, kind, of, t, psn);

    report(s, f, &finding);
}
