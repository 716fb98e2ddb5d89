/* SPDX-License-Identifier: BSD-2-Clause */
/* Damaged packets. The receiver of a damaged packet drops it, so the connection loses the packet. The observer blames
 * neither end for the contents of a damaged packet. A damaged packet can explain a gap, though. GAP says that PSNs are
 * missing from the capture. PSNs that the capture has in damaged packets are not missing, and BAD_ICRC already names
 * the cause. GAP is not reported for such PSNs. */
#include "observer/iba_obs_damaged.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_report.h"

static enum iba_finding_kind damage(const struct iba_view *v)
{
    if (v->icrc == IBA_CHECK_BAD)
        return IBA_FINDING_BAD_ICRC;
    return v->err != IBA_OK ? IBA_FINDING_MALFORMED : IBA_FINDING_BAD_VCRC;
}

/* The same packet was seen at another capture point. A network copy is a separate packet. */
static bool seen_elsewhere(const struct iba_look *l, uint64_t hash)
{
    struct iba_observer *const s = l->s;

    for (unsigned i = 0; i < IBA_OBS_RECENT; i++)
        if (s->damaged[i].mark.frame != 0 && s->damaged[i].hash == hash && s->damaged[i].source != s->source) {
            s->seen_twice++;
            s->seen.same_as = s->damaged[i].mark.frame;
            s->damaged[i].mark.frame = 0; /* a packet at one capture point matches only one packet at another */
            return true;
        }
    return false;
}

static void report(const struct iba_look *l)
{
    const struct iba_finding f = iba_obs_finding_now(l, damage(l->v), NULL);

    iba_obs_emit(l->s, l->flow, &f);
}

void iba_obs_damaged(struct iba_look *l, uint64_t hash)
{
    struct iba_observer *const s = l->s;

    if (seen_elsewhere(l, hash))
        return;
    s->damaged[s->next_damaged] = (struct iba_obs_damaged){.hash = hash,
                                                           .flow = l->flow,
                                                           .mark = s->now,
                                                           .source = s->source,
                                                           .psn = l->psn,
                                                           .request = l->op && l->op->dir == IBA_REQ,
                                                           .read = iba_obs_is_read(l->opcode)};
    s->next_damaged = (uint8_t)((s->next_damaged + 1) % IBA_OBS_RECENT);
    s->n_damaged++;
    report(l);
}

void iba_obs_damaged_unknown(struct iba_observer *s, const struct iba_view *v)
{
    report(&(struct iba_look){.s = s, .v = v});
}

/* The damaged packet came after the packet that precedes the jump. An older damaged packet with that PSN does not
 * explain the jump: the sender has sent the PSN again since, and that retransmission is missing. */
static bool is_since(const struct iba_flow *f, const struct iba_finding *t, const struct iba_obs_damaged *d)
{
    const uint64_t before = t->kind == IBA_FINDING_GAP ? t->cause : 0;

    return d->mark.frame > before && d->mark.at + IBA_OBS_FLIGHT_NS >= t->at && d->flow == f &&
           d->request == (t->kind == IBA_FINDING_GAP);
}

bool iba_obs_damage_explains(const struct iba_observer *s, const struct iba_flow *f, const struct iba_finding *t)
{
    const struct iba_obs_damaged *newest = &s->damaged[(s->next_damaged + IBA_OBS_RECENT - 1) % IBA_OBS_RECENT];
    uint64_t here = 0, reads = 0;
    bool read = false;

    if (t->count == 0 || t->count > IBA_OBS_RECENT || newest->mark.at + IBA_OBS_FLIGHT_NS < t->at)
        return false;
    for (unsigned i = 0; i < IBA_OBS_RECENT; i++) {
        const struct iba_obs_damaged *d = &s->damaged[i];
        const int32_t back = iba_psn_diff(t->psn, d->psn);
        if (d->mark.frame == 0 || back <= 0 || back > (int32_t)t->count || !is_since(f, t, d))
            continue;
        here |= UINT64_C(1) << (t->count - (uint32_t)back);
        reads |= (uint64_t)d->read << (t->count - (uint32_t)back);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        if (here >> i & 1)
            read = reads >> i &
                   1; /* the damage may be in the READ's length: all PSNs up to the next packet count as the READ's */
        else if (!read)
            return false;
    }
    return true;
}
