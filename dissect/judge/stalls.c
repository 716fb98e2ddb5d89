/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/stalls.h"

/* The credits that are left to the port's lane. False: they are not known, or the port has sent more than it may. */
static bool credits(const struct fabric *f, const struct fabric_sender *s, unsigned vl, unsigned *left)
{
    return fabric_credits(f, s, vl, left) && *left <= FABRIC_CREDITS_MOST;
}

static struct stall_lane *lane_of(struct stalls *t, const struct fabric *f, const struct fabric_sender *s, unsigned vl)
{
    return &t->lane[s - f->sender][vl];
}

/* Begins a new record of the lane; its past is forgotten. */
static void begin(struct stall_lane *l, bool known, unsigned left, const struct iba_obs_mark *now)
{
    *l = (struct stall_lane){.known = known, .since = now->at, .left = (uint16_t)left, .heard = *now};
}

/* Notes a flow-control packet. If the limit grows in several steps, packets that do not fit at the last step did not
 * fit before either. */
static void hear(struct stall_lane *l, unsigned left, const struct iba_obs_mark *now)
{
    if (left > l->left) {
        l->last = l->heard;
        l->refused = l->left;
        l->left = (uint16_t)left;
    }
    l->heard = *now;
}

/* The port has sent a packet, or has announced how much it has sent. The record of the lane begins again, unless the
 * credits stay the same. */
static void sent(struct stalls *t, const struct fabric *f, const struct fabric_sender *s, unsigned vl, bool data,
                 const struct iba_obs_mark *now)
{
    struct stall_lane *l = lane_of(t, f, s, vl);
    unsigned left = 0;
    const bool known = credits(f, s, vl, &left);

    if (data || known != l->known || left != l->left)
        begin(l, known, left, now);
}

/* The port at the other end of the cable has announced how much it may receive. */
static void granted(struct stalls *t, const struct fabric *f, const struct fabric_sender *s, unsigned vl,
                    const struct iba_obs_mark *now)
{
    struct stall_lane *l = lane_of(t, f, s, vl);
    unsigned left = 0;
    const bool known = credits(f, s, vl, &left);

    if (known && l->known && left >= l->left)
        hear(l, left, now);
    else
        begin(l, known, left, now);
}

void stalls_packet(struct stalls *t, const struct fabric *f, const struct fabric_sender *s,
                   const struct iba_obs_mark *now, const struct packet *p)
{
    const struct iba_view *v = &p->view;
    const bool flow = iba_view_has(v, IBA_H_fc) && fabric_is_flow(p), data = iba_view_has(v, IBA_H_lrh);

    if (!flow && !data)
        return;
    const unsigned vl =
        (unsigned)(flow ? iba_fc_vl(iba_view_hdr(v, IBA_H_fc)) : iba_lrh_vl(iba_view_hdr(v, IBA_H_lrh)));
    if (vl >= FABRIC_LANES)
        return;
    sent(t, f, s, vl, data, now);
    const struct fabric_sender *other = flow ? fabric_neighbour(f, s) : NULL;
    if (other)
        granted(t, f, other, vl, now);
}

const struct iba_obs_mark *stalls_of(const struct stalls *t, const struct fabric *f, const struct fabric_sender *s,
                                     unsigned vl, unsigned blocks, iba_time *since)
{
    const struct stall_lane *l = &t->lane[s - f->sender][vl];

    if (!l->known || l->last.frame == 0 || l->refused >= blocks)
        return NULL;
    if (l->since > *since)
        *since = l->since;
    return &l->last;
}
