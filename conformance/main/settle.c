/* SPDX-License-Identifier: BSD-2-Clause */
#include "settle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "confirm.h"
#include "dut.h"
#include "fault.h"
#include "result.h"

enum { MOST_PLAYS = 16, PATH = 4096 };

struct playing {
    struct plays plays;
    unsigned n;
    enum play_kind kind[MOST_PLAYS]; /* kind of each play */
    char *evidence[MOST_PLAYS];      /* evidence of each play but the last; owned */
    struct ibc_finding odd;          /* finding of the first play that was not good, */
    unsigned other_play;             /* and the number of that play, from 1 */
};

/* Returns the kind of a play; a failure that a waiver covers counts as good. */
static enum play_kind kind_of(const struct settle *x, const struct ibc_result *r)
{
    struct ibc_waivers w = x->w ? *x->w : (struct ibc_waivers){0};
    struct ibc_result as = *r;
    const bool down = r->verdict == IBC_IS_FAIL && (r->died || r->unwell);
    int code;

    if (r->verdict == IBC_IS_ERROR)
        return PLAY_FAULT;
    ibc_waivers_apply(&w, x->target, &as);
    code = ibc_exit_code(&as, 1, true);
    if (code != EXIT_FAILED && code != EXIT_INCONCLUSIVE)
        return PLAY_GOOD;
    if (r->proved || (x->t->virtual_time && !r->died))
        return PLAY_PROVED;
    if (code == EXIT_INCONCLUSIVE)
        return PLAY_OPEN;
    if (down)
        return PLAY_DOWN;
    return ibc_failed(r->verdict) && r->finding.what == IBC_FOUND_LATE ? PLAY_LATE : PLAY_BAD;
}

/* ---- evidence ---- */

static char *path_of_play(const char *path, unsigned play)
{
    static const char ending[] = ".pcapng";
    const size_t n = strlen(path) - (sizeof ending - 1);
    char out[PATH];

    snprintf(out, sizeof out, "%.*s.play-%u%s", (int)n, path, play, ending);
    return strdup(out);
}

/* Renames the evidence, since the next play writes to the same file. */
static void put_aside(struct playing *p, const struct ibc_result *r)
{
    char **to = &p->evidence[p->n - 1];

    *to = r->evidence ? path_of_play(r->evidence, p->n) : NULL;
    if (*to && rename(r->evidence, *to) != 0) {
        free(*to);
        *to = NULL;
    }
}

/* Keeps the evidence of plays with another verdict than the last one. */
static void keep_what_differs(struct playing *p)
{
    for (unsigned i = 0; i + 1 < p->n; i++) {
        if (p->evidence[i] && p->kind[i] == p->kind[p->n - 1])
            (void)unlink(p->evidence[i]);
        free(p->evidence[i]);
    }
}

/* ---- one verdict for all plays ---- */

static void note(const struct playing *p, struct ibc_result *r, char *out, size_t n)
{
    char file[32] = "", plays[32] = "in one of three plays";

    if (p->n != 3)
        snprintf(plays, sizeof plays, "in play %u of %u", p->other_play, p->n);
    if (r->evidence && p->other_play < p->n)
        snprintf(file, sizeof file, " (play-%u.pcapng)", p->other_play);
    if (p->odd.got[0])
        snprintf(out, n, "%s%s: expected %.48s, got %.50s", plays, file, p->odd.expected, p->odd.got);
    else
        snprintf(out, n, "%s%s it passed", plays, file);
}

/* Makes the verdict INCONCLUSIVE, since too few plays agree to blame the device. */
static void leave_open(const struct playing *p, struct ibc_result *r)
{
    char got[sizeof r->finding.got];

    note(p, r, got, sizeof got);
    r->verdict = IBC_IS_INCONCLUSIVE;
    r->finding = p->odd;
    r->finding.what = IBC_FOUND_OTHERWISE;
    snprintf(r->finding.expected, sizeof r->finding.expected, "the same in two of three plays");
    memcpy(r->finding.got, got, sizeof got);
}

static void add_up(struct playing *p, enum confirm is, struct ibc_result *r)
{
    if (is == CONFIRM_OPEN)
        leave_open(p, r);
    else if (is == CONFIRM_NOTED && !r->measured[0])
        note(p, r, r->measured, sizeof r->measured);
}

static void count(struct playing *p, enum play_kind kind, const struct ibc_result *r)
{
    p->kind[p->n++] = kind;
    p->plays.n[kind]++;
    if (kind != PLAY_GOOD && p->other_play == 0) {
        p->odd = r->finding;
        p->other_play = p->n;
    }
}

/* ---- health probe ---- */

static bool is_well(struct settle *x, unsigned tries, char *why, size_t n)
{
    const struct timespec nap = {.tv_sec = 1};

    for (unsigned i = 0; i < tries; i++) {
        if (dut_is_well(x->t, x->o, why, n))
            return true;
        if (i + 1 < tries)
            nanosleep(&nap, NULL);
    }
    return false;
}

/* Plays the health probe with new objects after a case that the device did not survive, to learn whether the device
 * or the wire is at fault. */
static void look_after(struct settle *x, struct ibc_result *r)
{
    enum { TRIES = 5 };
    char why[200], got[sizeof r->finding.got];

    if (r->verdict != IBC_IS_FAIL || !r->unwell || r->proved || is_well(x, TRIES, why, sizeof why))
        return;
    x->ill = true;
    snprintf(got, sizeof got, "%.60s; with new objects it fails, too: %.60s", r->finding.got, why);
    memcpy(r->finding.got, got, sizeof got);
    r->verdict = IBC_IS_ERROR;
    r->counters = IBC_IS_NOT_APPLICABLE;
}

static bool is_ill(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r)
{
    char why[200], got[sizeof r->finding.got];

    if (!x->ill || is_well(x, 1, why, sizeof why)) {
        x->ill = false;
        return false;
    }
    snprintf(got, sizeof got, "since an earlier case the device is not well: %.100s", why);
    result_error(r, s, got);
    return true;
}

/* ---- plays ---- */

/* Plays the case. A play that could not begin is started once more, since an earlier case may have been the cause. */
static void play(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r)
{
    ibc_run(s, x->t, x->o, r);
    if (r->verdict == IBC_IS_ERROR && r->finding.what == IBC_FOUND_UNCLEAN && !r->died) {
        ibc_result_clear(r);
        ibc_run(s, x->t, x->o, r);
    }
}

void settle(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r)
{
    struct playing p = {0};
    enum confirm is;

    if (is_ill(x, s, r))
        return;
    for (;;) { /* ends: confirm() limits the number of plays */
        play(x, s, r);
        look_after(x, r);
        count(&p, kind_of(x, r), r);
        is = confirm(&p.plays);
        if (is != CONFIRM_AGAIN || p.n == MOST_PLAYS)
            break;
        put_aside(&p, r);
        ibc_result_clear(r);
    }
    keep_what_differs(&p);
    add_up(&p, is, r);
}
