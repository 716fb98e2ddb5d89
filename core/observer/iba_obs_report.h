/* SPDX-License-Identifier: BSD-2-Clause */
/* How findings are reported. Not for users of libiba. */
#ifndef IBA_OBS_REPORT_H
#define IBA_OBS_REPORT_H
#include "observer/iba_decision.h"
#include "observer/iba_obs_look.h"

/* Details of a finding. `cause` may be NULL. */
struct iba_obs_detail {
    const struct iba_obs_mark *cause;
    const struct iba_decision *decision; /* the row that decided; NULL: no table decides this kind */
    uint32_t count;
    iba_time wait_ns;
    bool response; /* used when the finding is about an earlier packet: that packet is a response */
};
/* Reports a finding `kind` about the current packet. `t` may be NULL. */
__attribute__((cold)) void iba_obs_report(struct iba_look *l, enum iba_finding_kind kind,
                                          const struct iba_obs_detail *t);
/* Reports a finding `kind` about the earlier packet `of`. `f` counts the finding; NULL: no flow counts it.
 */
__attribute__((cold)) void iba_obs_report_of(struct iba_observer *s, struct iba_flow *f, enum iba_finding_kind kind,
                                             const struct iba_obs_mark *of, const struct iba_obs_detail *t,
                                             iba_psn psn);
/* Returns a finding about the packet `of`. `t` may be NULL. */
struct iba_finding iba_obs_finding(const struct iba_flow *f, enum iba_finding_kind kind, const struct iba_obs_mark *of,
                                   const struct iba_obs_detail *t, iba_psn psn);
/* Returns a finding about the current packet. `t` may be NULL. */
struct iba_finding iba_obs_finding_now(const struct iba_look *l, enum iba_finding_kind kind,
                                       const struct iba_obs_detail *t);
/* Reports a finding at once, without deferring it. */
void iba_obs_emit(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *finding);
/* A decision table has decided. Notifies the caller, if the caller has set cfg.decided. */
static inline void iba_obs_decided(const struct iba_observer *s, const struct iba_decision *by)
{
    if (s->cfg.decided)
        s->cfg.decided(s->cfg.ctx, by);
}
#endif
