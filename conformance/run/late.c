/* SPDX-License-Identifier: BSD-2-Clause */
/* In real time: checks whether the tester answered the device's requests before the device's own timer expired
 * (9.7.6.1.3). Time in which the script waits for the device does not count. The remaining time from the arrival of
 * the request to the tester's answer, or to a verb of the script, counts: it is due to a busy machine, or a slow
 * agent. A device whose timer has expired meanwhile correctly retransmits its request, and must not fail a scenario
 * that expects no retransmission. */
#include <inttypes.h>
#include <stdio.h>
#include "run/play.h"
#include "wire/iba_aeth.h"
#include "wire/iba_psn.h"

/* Returns 4.096 us * 2^code, the minimum time before the device may retransmit; 0: it never does (RQ-18, RQ-19). */
static uint64_t timer_of(const struct run_live *q)
{
    const uint8_t code = q->attr.a.timeout;

    if (q->type != IBA_QPT_RC && q->type != IBA_QPT_XRC_INI)
        return 0;
    return code ? UINT64_C(4096) << (code & 31) : 0;
}

void run_late_asked(struct run_player *p, struct run_live *q, const struct run_packet *k)
{
    const struct iba_view *v = &k->view;
    iba_psn psn;

    if (p->t->virtual_time || !v->op || v->op->dir != IBA_REQ || timer_of(q) == 0)
        return;
    psn = iba_psn_of(iba_bth_psn(iba_view_bth(v)));
    if (q->asked_at == 0 || iba_psn_diff(psn, iba_psn_of(q->asked_psn)) <= 0) {
        q->asked_at = k->at;
        q->asked_waited = p->waited;
    }
    q->asked_psn = psn.v;
}

/* Whether the answer ends the device's wait: it acknowledges all requests, or is a NAK, on which the device acts at
 * once. */
static bool ends_it(const struct run_live *q, const struct iba_view *v)
{
    const bool acks = !iba_view_has(v, IBA_H_aeth) || iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth)) == IBA_AETH_ACK;
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(v)));

    return !acks || (iba_opcode_ends(v->op) && iba_psn_diff(psn, iba_psn_of(q->asked_psn)) >= 0);
}

void run_late_answered(struct run_player *p, const struct iba_view *v, unsigned device)
{
    struct run_live *q;

    run_late_look(p);
    if (p->t->virtual_time || !v->op || v->op->dir != IBA_RSP || !iba_view_has_bth(v))
        return;
    q = run_qp_of(p, iba_bth_destqp(iba_view_bth(v)), device);
    if (!q || q->asked_at == 0)
        return;
    q->asked_at = ends_it(q, v) ? 0 : run_now(p); /* progress restarts the timer */
    q->asked_waited = p->waited;
}

/* Whether the failure was found before the tester was late, and so has another cause. */
static bool settled(const struct run_player *p)
{
    return p->verdict == IBC_IS_FAIL || (p->informs && p->verdict == IBC_IS_TOLERATED);
}

void run_late_look(struct run_player *p)
{
    const uint64_t now = p->t->virtual_time || p->late[0] || settled(p) ? 0 : run_now(p);

    for (unsigned i = 0; now && i <= IBC_MAX_OBJECTS; i++) {
        const struct run_live *q = &p->live[i];
        const uint64_t timer = q->kind == IBC_O_qp ? timer_of(q) : 0;
        const uint64_t gone = q->asked_at && now > q->asked_at ? now - q->asked_at : 0;
        /* a request may have come while the play waited for the flight of a frame, which counts no more */
        const uint64_t waited = p->waited > q->asked_waited ? p->waited - q->asked_waited : 0;
        if (timer == 0 || gone <= timer || waited >= timer)
            continue;
        snprintf(p->late, sizeof p->late,
                 "the tester was late: it went on %" PRIu64 " us after the request; the device's timer is %" PRIu64
                 " us",
                 gone / RUN_US, timer / RUN_US);
        return;
    }
}
