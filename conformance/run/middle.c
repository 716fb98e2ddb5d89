/* SPDX-License-Identifier: BSD-2-Clause */
/* The tester stands between two devices: it forwards each packet that it has checked, or changes, drops, duplicates
 * or delays it. */
#include <string.h>
#include "run/play.h"

static bool forward_times(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!run_did(p, s, p->t->ops->inject(p->t, k->device ^ 1u, k->frame, k->len), "take the packet"))
            return false;
    run_late_answered(p, &k->view, k->device ^ 1u);
    run_flight_sent(p, &k->view, k->device ^ 1u);
    return true;
}

static bool forward(struct run_player *p, const struct ibc_step *s, const struct run_packet *k)
{
    return forward_times(p, s, k, 1);
}

/* Forwards the packet with one bit of the ICRC flipped. */
static bool forward_corrupt(struct run_player *p, const struct ibc_step *s, const struct run_packet *k)
{
    struct run_packet bad = *k;

    bad.frame = run_alloc(&p->arena, k->len);
    if (!bad.frame)
        return run_error(p, s, "out of memory");
    memcpy(bad.frame, k->frame, k->len);
    bad.frame[k->view.end > 0 ? k->view.end - 1 : k->len - 1] ^= 1;
    return forward(p, s, &bad);
}

static void hold(struct run_live *q, struct run_packet *k)
{
    k->queued = NULL;
    if (q->queued_head)
        q->queued_tail->queued = k;
    else
        q->queued_head = k;
    q->queued_tail = k;
}

bool run_go_on(struct run_player *p, const struct ibc_step *s, struct run_live *q, struct run_packet *k)
{
    if (!q->partner)
        return true;
    switch (ibc_arg_n(s->arg, s->n_arg, IBC_K_then, IBC_THEN_forward)) {
    case IBC_THEN_drop: return true;
    case IBC_THEN_twice: return forward_times(p, s, k, 2);
    case IBC_THEN_hold: hold(q, k); return true;
    case IBC_THEN_corrupt: return forward_corrupt(p, s, k);
    default: return forward(p, s, k);
    }
}

bool run_step_release(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *q = run_live(p, s);
    struct run_packet *next;

    for (struct run_packet *k = q->queued_head; k; k = next) {
        next = k->queued;
        if (!forward(p, s, k))
            return false;
    }
    q->queued_head = q->queued_tail = NULL;
    return true;
}

/* Returns the QP whose packet has waited longest. */
static struct run_live *oldest(struct run_player *p)
{
    struct run_live *best = NULL;

    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++)
        if (p->live[i].head && (!best || p->live[i].head->number < best->head->number))
            best = &p->live[i];
    return best;
}

bool run_step_pass(struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_arg *a = run_arg(s, IBC_K_value);
    const uint64_t still = run_scaled(p, a ? a->v[0].n : RUN_SILENCE);
    bool came = true;

    for (;;) { /* ends: packets are bounded, and time passes */
        struct run_live *q = oldest(p);
        struct run_packet *k = q ? q->head : NULL;
        if (!q && !came)
            return true;
        if (!q) {
            if (!run_collect(p, run_now(p) + still, &came, s))
                return false;
            continue;
        }
        run_take(p, q);
        run_comment(p, k, s, "passed", NULL);
        if (q->partner && !forward(p, s, k))
            return false;
    }
}
