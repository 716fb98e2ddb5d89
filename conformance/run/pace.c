/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how fast a device sends: the time from the first to the last of some packets, compared with that of an
 * earlier pace. A statement that a rate falls or rises names no amount. A difference below an eighth counts as
 * none, since the times of packets are never exact. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/play.h"

/* On a real wire the time stamps of packets include the delays of the tester's interrupts and scheduler. A measured
 * pace is not trusted if the packets are less than CLOSE_NS apart on average, or if the longest gap between two of them
 * is more than 1/UNEVEN of the whole time. */
enum { PART = 8, CLOSE_NS = 2000, UNEVEN = 4 };

/* Returns the QP's next packet if it comes within the time limit for expected packets. NULL: none came, and the
 * play has failed. */
static struct run_packet *next_packet(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    const uint64_t until = run_now(p) + run_scaled(p, RUN_PATIENCE);
    bool came = true;
    struct run_packet *k;

    while (!q->head && came) /* ends: time passes */
        if (!run_collect(p, until, &came, s))
            return NULL;
    k = q->head;
    if (!k) {
        (void)run_fail(p, s, NULL, "a packet to measure", "none for a second");
        return NULL;
    }
    run_take(p, q);
    run_comment(p, k, s, "measured", NULL);
    p->last_at = k->at;
    p->last_since = k->since;
    return k;
}

/* Appends the rate to the rates measured before, so that the report shows a curve. */
static void report(struct run_player *p, const struct ibc_step *s, uint64_t bytes, uint64_t took)
{
    const struct ibc_arg *as = run_arg(s, IBC_K_as);
    const size_t at = strlen(p->measured);
    char rate[24] = "at once";

    if (!p->informs)
        return;
    if (took > 0)
        snprintf(rate, sizeof rate, "%.3g", (double)bytes * 8 / (double)took);
    snprintf(p->measured + at, sizeof p->measured - at, "%s%s%s%s", at ? ", " : "Gb/s: ", as ? run_word(&as->v[0]) : "",
             as ? " " : "", rate);
}

/* If the tester could not time the pace exactly, its failure proves nothing. */
static void see_if_timed(struct run_player *p, struct run_pace pace)
{
    if (p->t->virtual_time || p->late[0])
        return;
    if (pace.took < pace.n * CLOSE_NS)
        snprintf(p->late, sizeof p->late, "the tester cannot time %" PRIu64 " packets in %" PRIu64 " ns", pace.n,
                 pace.took);
    else if (pace.longest > pace.took / UNEVEN)
        snprintf(p->late, sizeof p->late, "packets came unevenly: of %" PRIu64 " ns, %" PRIu64 " between two of them",
                 pace.took, pace.longest);
}

static bool compare(struct run_player *p, const struct ibc_step *s, enum ibc_key key, struct run_pace pace)
{
    const struct ibc_arg *than = run_arg(s, key);
    const struct run_pace other = than ? run_pace(p, run_word(&than->v[0])) : pace;
    char expected[RUN_TEXT], got[RUN_TEXT];
    const bool slower = key == IBC_K_slower;

    if (!than || (slower ? pace.took > other.took + other.took / PART : pace.took + pace.took / PART < other.took))
        return true;
    see_if_timed(p, pace);
    see_if_timed(p, other);
    snprintf(expected, sizeof expected, "a %s pace than '%.40s' (%" PRIu64 " ns), by more than an eighth",
             slower ? "slower" : "faster", run_word(&than->v[0]), other.took);
    snprintf(got, sizeof got, "%" PRIu64 " ns from the first packet to the last", pace.took);
    return run_fail(p, s, NULL, expected, got);
}

static void add(struct run_pace *pace, uint64_t gap)
{
    pace->took += gap;
    pace->longest = gap > pace->longest ? gap : pace->longest;
}

bool run_step_pace(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *q = run_live(p, s);
    const uint64_t n = run_number(p, s, IBC_K_value, 1, NULL);
    const struct run_packet *k = NULL, *before;
    struct run_pace pace = {.n = n};
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < n; i++) {
        before = k;
        k = next_packet(p, s, q);
        if (!k)
            return false;
        if (before)
            add(&pace, k->at - before->at);
        bytes += before ? k->len : 0;
    }
    if (!k)
        return run_error(p, s, "no packet to measure");
    report(p, s, bytes, pace.took);
    run_remember_pace(p, s, k, pace);
    return compare(p, s, IBC_K_slower, pace) && compare(p, s, IBC_K_faster, pace);
}
