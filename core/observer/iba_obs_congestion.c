/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion: finds the marked packet that a notification answers, and the time since the previous notification (RO-41,
 * RO-47). */
#include "observer/iba_obs_congestion.h"
#include "observer/iba_obs_direction.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_report.h"

enum { ECN_CE = 3 };

/* `hash` identifies the congested sender: its QP, its address, and the receiver's address. */
static struct iba_obs_congested *place(struct iba_observer *s, struct iba_obs_congested *all, uint64_t hash)
{
    const unsigned at = hash >> 32 & (IBA_OBS_MARKED - 1);
    struct iba_obs_congested *c = &all[at];

    _Static_assert(IBA_OBS_MARKED <= 64, "a bit for each place");
    s->congested |= UINT64_C(1) << at;
    if (c->hash != hash)
        *c = (struct iba_obs_congested){.hash = hash};
    return c;
}

/* The sender's QP is known only when the direction has a peer. Without a peer, 0 stands for the sender's QP. */
static void remember(struct iba_look *l)
{
    const struct iba_flow *f = l->flow;
    const uint32_t qpn = f->peer && !f->guess ? l->s->known[f->peer - 1].qpn : 0;
    struct iba_obs_congested *c = place(l->s, l->s->marked, iba_obs_mix_ends(qpn, f->key.src, f->key.dst));

    if (c->mark.frame == 0)
        c->mark = l->s->now;
}

void iba_obs_congestion(struct iba_look *l)
{
    const struct iba_view *v = l->v;
    const uint8_t *l3 = v->wire + v->l3_at;
    const bool ce =
        (v->l3 == IBA_H_ipv4 && iba_ipv4_ecn(l3) == ECN_CE) || (v->l3 == IBA_H_ipv6 && iba_ipv6_ecn(l3) == ECN_CE);

    if (!ce && !iba_bth_fecn(l->bth))
        return;
    iba_obs_report(l, IBA_FINDING_ECN, NULL);
    remember(l);
}

/* A notification answers the first marked packet since the previous notification. */
void iba_obs_notified(struct iba_look *l)
{
    enum { NS_IN_US = 1000 };
    struct iba_observer *s = l->s;
    struct iba_flow_key k;
    iba_obs_key(&k, l->v);
    struct iba_obs_congested *marked = place(s, s->marked, iba_obs_mix_ends(k.qpn, k.dst, k.src));
    struct iba_obs_detail t = {0};

    if (marked->mark.frame == 0)
        marked = place(s, s->marked, iba_obs_mix_ends(0, k.dst, k.src));
    if (marked->mark.frame != 0) {
        t.cause = &marked->mark;
        t.wait_ns = s->now.at - marked->mark.at;
    }
    struct iba_obs_congested *before =
        place(s, s->notified, iba_obs_mix(iba_obs_mix_ends(k.qpn, k.dst, k.src), s->source + UINT64_C(1)));
    const iba_time since = before->mark.frame ? (s->now.at - before->mark.at) / NS_IN_US : 0;
    t.count = since < UINT32_MAX ? (uint32_t)since : UINT32_MAX;
    iba_obs_report(l, IBA_FINDING_CNP, &t);
    before->mark = s->now;
    marked->mark.frame = 0;
}
