/* Where time is real, frames and verbs go to the device by two ways, and a verb may be there first: a receive that is
 * posted behind a packet would catch it; memory would be read before the packet has changed it. So a verb waits until
 * what was sent before it is with the device: until the device has answered it, or as long as the way takes.
 *
 * How long that is, health exchanges tell: the device answers those at once. */
#include "run/play.h"
#include "wire/iba_psn.h"

enum { ROUND_TRIPS = 4, FADES = 8 }; /* FADES: how many exchanges a slow one is remembered for, about */
#define LEAST (2 * RUN_MS)           /* a busy tester's own interface may hold a frame back so long */
#define MOST (50 * RUN_MS)

void run_land_measure(struct run_player *p, uint64_t round_trip)
{
    const uint64_t is = ROUND_TRIPS * round_trip, was = p->way - p->way / FADES;

    p->way = is > was ? is : was;
    if (p->way > MOST)
        p->way = MOST;
}

void run_land_sent(struct run_player *p, const struct iba_view *v, unsigned device)
{
    p->flies_since = run_now(p);
    p->flies_to = NULL;
    if (!v->op || v->op->dir != IBA_REQ || !iba_view_has_bth(v))
        return;
    p->flies_to = run_qp_of(p, iba_bth_destqp(iba_view_bth(v)), device);
    p->flies_psn = iba_bth_psn(iba_view_bth(v));
}

void run_land_came(struct run_player *p, const struct run_live *q, const struct iba_view *v)
{
    if (p->flies_to != q || !v->op || v->op->dir != IBA_RSP)
        return;
    if (iba_psn_diff(iba_psn_of(iba_bth_psn(iba_view_bth(v))), iba_psn_of(p->flies_psn)) >= 0)
        p->flies_since = 0;
}

bool run_land(struct run_player *p, const struct ibc_step *s)
{
    const uint64_t way = run_scaled(p, p->way), waited = p->waited;
    bool well;

    if (p->t->virtual_time)
        return true;
    if (p->flies_since == 0)
        return run_collect_all(p, run_now(p), s); /* what it brings about comes behind what is there */
    well = run_collect_all(p, p->flies_since + (way > LEAST ? way : LEAST), s);
    p->waited = waited; /* the script did not ask for it */
    p->flies_since = 0;
    return well;
}
