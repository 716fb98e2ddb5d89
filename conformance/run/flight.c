/* SPDX-License-Identifier: BSD-2-Clause */
/* In real time, frames and verbs reach the device on two paths, and a verb may overtake a frame that was sent
 * before it: a packet would use a receive that is posted after it, and memory would be read before the packet
 * changed it. So a verb waits until earlier packets have arrived: until the device has answered the last packet, or
 * for the longest time that a frame takes. This time is derived from the round trips of health probes, which the
 * device answers at once. */
#include "run/play.h"
#include "wire/iba_psn.h"

enum { ROUND_TRIPS = 4, FADES = 8 }; /* FADES: the effect of a slow exchange lasts about so many exchanges */
#define MOST (50 * RUN_MS)

void run_flight_measure(struct run_player *p, uint64_t round_trip)
{
    const uint64_t is = ROUND_TRIPS * round_trip, was = p->flight_ns - p->flight_ns / FADES;

    p->flight_ns = is > was ? is : was;
    if (p->flight_ns > MOST)
        p->flight_ns = MOST;
}

void run_flight_sent(struct run_player *p, const struct iba_view *v, unsigned device)
{
    if (p->t->virtual_time)
        return;
    p->in_flight_since = run_now(p);
    p->in_flight_to = NULL;
    if (!v->op || v->op->dir != IBA_REQ || !iba_view_has_bth(v))
        return;
    p->in_flight_to = run_qp_of(p, iba_bth_destqp(iba_view_bth(v)), device);
    p->in_flight_psn = iba_bth_psn(iba_view_bth(v));
}

void run_flight_answered(struct run_player *p, const struct run_live *q, const struct iba_view *v)
{
    if (p->in_flight_to != q || !v->op || v->op->dir != IBA_RSP)
        return;
    if (iba_psn_diff(iba_psn_of(iba_bth_psn(iba_view_bth(v))), iba_psn_of(p->in_flight_psn)) >= 0)
        p->in_flight_since = 0;
}
