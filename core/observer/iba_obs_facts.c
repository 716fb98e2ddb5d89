/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the observer's state for its users. */
#include "observer/iba_obs_flow.h"

const struct iba_flow_key *iba_flow_key(const struct iba_flow *f)
{
    return &f->key;
}

enum iba_svc iba_flow_svc(const struct iba_flow *f)
{
    return (enum iba_svc)f->svc;
}

uint32_t iba_flow_pmtu(const struct iba_flow *f)
{
    return f->pmtu;
}

bool iba_flow_is_paired(const struct iba_flow *f)
{
    return f->peer != 0;
}

bool iba_flow_is_guess(const struct iba_flow *f)
{
    return f->guess;
}

bool iba_flow_src_qp(const struct iba_flow *f, uint32_t *qpn)
{
    if (f->has_qkey)
        *qpn = f->src_qp;
    return f->has_qkey;
}

struct iba_flow_counts iba_flow_counts(const struct iba_flow *f)
{
    return (struct iba_flow_counts){.packets = f->packets,
                                    .requests = f->requests,
                                    .responses = f->responses,
                                    .bytes = f->bytes,
                                    .found = f->found,
                                    .fatal = f->fatal.frame,
                                    .began = f->first.at};
}

uint32_t iba_observer_direction(struct iba_observer *s, const struct iba_flow *f)
{
    return iba_obs_number(s, f);
}

const struct iba_flow *iba_observer_flow(const struct iba_observer *s, uint32_t index)
{
    return index < s->n ? &s->flow[index] : NULL;
}

bool iba_observer_has_resting(const struct iba_observer *s)
{
    return s->resting > 0;
}

/* Reordering, and a packet that the capture lacks, change how all later packets of the capture are judged. */
struct iba_observer_part iba_observer_part(const struct iba_observer *s)
{
    return (struct iba_observer_part){.depends = s->depends || s->reorders || s->resting > 0 || s->evicted > 0 ||
                                                 s->found[IBA_FINDING_NOT_CAPTURED] > 0,
                                      .began_again = s->generation != s->n,
                                      .directions = s->n_known,
                                      .most_directions = s->list[IBA_OBS_PROTECTED].most,
                                      .damaged = s->n_damaged,
                                      .most_damaged = IBA_OBS_RECENT,
                                      .congested = s->congested};
}

struct iba_observer_totals iba_observer_totals(const struct iba_observer *s)
{
    return (struct iba_observer_totals){.packets = s->packets,
                                        .others = s->others,
                                        .seen_twice = s->seen_twice,
                                        .evicted = s->evicted,
                                        .found = s->found};
}
