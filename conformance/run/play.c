/* SPDX-License-Identifier: BSD-2-Clause */
/* One play: a clean device, objects, the steps in order, leftover packets and completions, and the health probe. */
#include <stdio.h>
#include <string.h>
#include "run/play.h"

#define STEP_FUNCTION(w, text) [IBC_S_##w] = run_step_##w,
static bool (*const steps[IBC_S_COUNT])(struct run_player *p, const struct ibc_step *s) = {IBC_STEPS(STEP_FUNCTION)};

static void begin(struct run_player *p)
{
    run_arena_reset(&p->arena);
    memset(p->live, 0, sizeof p->live);
    p->first = p->last = NULL;
    p->n_waiting = p->n_name = p->n_wr = p->n_wc = p->binds = p->n_event = p->n_cm_event = p->n_counter = 0;
    memset(p->recv_cursor, 0, sizeof p->recv_cursor);
    memset(p->pkey, 0, sizeof p->pkey);
    p->verdict = IBC_IS_PASS;
    p->counters = IBC_IS_NOT_APPLICABLE;
    memset(&p->finding, 0, sizeof p->finding);
    memset(&p->counter_finding, 0, sizeof p->counter_finding);
    p->measured[0] = '\0';
    p->unwell = p->died = p->proved = p->logged = p->unclean = p->lost = p->over = false;
    p->late[0] = '\0';
    p->waited = p->sent_by = p->in_flight_since = 0;
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        p->pkey[d][0] = 0xffff; /* KM-13 */
}

/* Resets the device. If that fails, the play cannot begin, and the finding names no line. */
static bool clean(struct run_player *p)
{
    static const char what[] = "a clean device";
    const enum ibc_rc rc = p->t->ops->reset(p->t, p->link, p->seed);
    char got[RUN_TEXT];

    p->began_at = p->last_at = p->last_since = p->empty_at = run_now(p);
    if (rc == IBC_OK)
        return true;
    p->unclean = true;
    snprintf(got, sizeof got, rc == IBC_REFUSED ? "refused: %s" : "%s",
             rc == IBC_REFUSED ? p->t->refusal : p->t->fault);
    if (rc == IBC_UNSUPPORTED || rc == IBC_LOST)
        (void)run_did(p, NULL, rc, what);
    else
        (void)run_note(p, IBC_IS_ERROR, NULL, NULL, what, got);
    p->finding.what = IBC_FOUND_UNCLEAN; /* the play before left the device in this state */
    return false;
}

static bool has_step(const struct ibc_play *play, enum ibc_step_kind kind)
{
    for (unsigned i = 0; i < play->n_step; i++)
        if (play->step[i].kind == kind)
            return true;
    return false;
}

/* Properties of steps */
enum {
    /* The alternatives of the step are tried one after the other: for packets when one comes, for verbs when they
     * have returned. */
    ASKED_IN_TURN = 1,
    /* The step makes the device act. If it does so too late, the device's timer may have expired. A step that only
     * reads has no such effect, and a late answer is noticed when it is sent. */
    ACTS = 2,
    /* The step acts on the device, or reads its state, at once, so packets sent before it must have arrived. Steps
     * that poll wait by themselves. */
    AT_ONCE = 4,
};
static const uint8_t traits[IBC_S_COUNT] = {
    [IBC_S_send] = ACTS,
    [IBC_S_post] = ACTS | AT_ONCE,
    [IBC_S_recv] = ACTS | AT_ONCE,
    [IBC_S_modify] = ACTS | AT_ONCE,
    [IBC_S_call] = ACTS | AT_ONCE,
    [IBC_S_told] = ASKED_IN_TURN,
    [IBC_S_gives] = AT_ONCE,
    [IBC_S_set] = ACTS,
    [IBC_S_get] = ACTS,
    [IBC_S_pull] = ACTS | AT_ONCE,
    [IBC_S_plug] = ACTS | AT_ONCE,
    [IBC_S_start] = ACTS | AT_ONCE,
    [IBC_S_stop] = ACTS | AT_ONCE,
    [IBC_S_destroy] = ACTS | AT_ONCE,
    [IBC_S_dereg] = ACTS | AT_ONCE,
    [IBC_S_reregister] = ACTS | AT_ONCE,
    [IBC_S_free] = ACTS | AT_ONCE,
    [IBC_S_attach] = ACTS | AT_ONCE,
    [IBC_S_detach] = ACTS | AT_ONCE,
    [IBC_S_object] = ACTS | AT_ONCE,
    [IBC_S_completion] = ASKED_IN_TURN,
    [IBC_S_completions] = ASKED_IN_TURN,
    [IBC_S_event] = ASKED_IN_TURN,
    [IBC_S_events] = ASKED_IN_TURN,
    [IBC_S_state] = ASKED_IN_TURN | AT_ONCE,
    [IBC_S_memory] = ASKED_IN_TURN | AT_ONCE,
    [IBC_S_arm] = AT_ONCE,
    [IBC_S_resize] = AT_ONCE,
    [IBC_S_notified] = AT_ONCE,
    [IBC_S_limit] = AT_ONCE,
    [IBC_S_tag] = ACTS | AT_ONCE,
    [IBC_S_untag] = AT_ONCE,
    [IBC_S_sync] = AT_ONCE,
    [IBC_S_write] = AT_ONCE,
    [IBC_S_page] = AT_ONCE,
    [IBC_S_prefetch] = AT_ONCE,
    [IBC_S_port] = AT_ONCE,
    [IBC_S_counter] = AT_ONCE,
};

static bool is(const struct ibc_step *s, uint8_t trait)
{
    return traits[s->kind] & trait;
}

/* Reads all frames that have come, so that packets which the step causes are queued after them. */
static bool prepare(struct run_player *p, const struct ibc_step *s)
{
    if (p->t->virtual_time || !is(s, ACTS | AT_ONCE))
        return true;
    return (!is(s, AT_ONCE) || run_let_arrive(p, s)) && run_collect_all(p, run_now(p), s);
}

/* Whether the step, which checks a state, or one of its alternatives matches. If none does, the mismatch of the
 * step's own line is reported. */
static bool any(struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_finding before = p->finding;
    const enum ibc_verdict verdict = p->verdict;
    struct ibc_finding missed;

    if (steps[s->kind](p, s))
        return true;
    if (p->verdict != IBC_IS_FAIL)
        return false;
    missed = p->finding;
    for (const struct ibc_step *one = run_alternative(p, s); one; one = run_alternative(p, one)) {
        p->finding = before;
        p->verdict = verdict;
        if (steps[one->kind](p, one))
            return run_conclude(p, one, NULL, missed.expected, missed.got);
        if (p->verdict != IBC_IS_FAIL)
            return false;
    }
    p->finding = missed;
    return false;
}

static bool play_step(struct run_player *p, const struct ibc_step *s)
{
    if (!prepare(p, s))
        return false;
    return is(s, ASKED_IN_TURN) && s->alternative ? any(p, s) : steps[s->kind](p, s);
}

static bool play_steps(struct run_player *p)
{
    for (unsigned i = 0; i < p->play->n_step && !p->over; i++) {
        const struct ibc_step *s = &p->play->step[i];
        if (!s->is_alternative && !play_step(p, s))
            return false;
        if (is(s, ACTS))
            run_late_look(p);
    }
    return p->managed || run_leftovers(p); /* a manager sends what no line names */
}

/* An informational scenario fails for nothing that it measures: a result that would fail another scenario is
 * recorded as the measurement, and tolerated. The health probe measures nothing, and its failure counts. */
static bool measured(struct run_player *p)
{
    if (!p->informs || p->unwell || (p->verdict != IBC_IS_TOLERATED && p->verdict != IBC_IS_FAIL))
        return false;
    p->verdict = IBC_IS_TOLERATED;
    if (!p->measured[0])
        snprintf(p->measured, sizeof p->measured, "%.70s, not %.70s", p->finding.got, p->finding.expected);
    return true;
}

/* Reads the first complaint in the logs of the devices' systems since the last request. Older complaints do not
 * belong to this play: every log is read, even when one has a complaint. */
static void read_logs(struct run_player *p, char text[RUN_TEXT])
{
    text[0] = '\0';
    for (unsigned d = 0; p->t->ops->log && d < p->n_device; d++) {
        char one[RUN_TEXT] = "";
        if (p->t->ops->log(p->t, d, one, sizeof one) == IBC_OK && !text[0])
            memcpy(text, one, sizeof one);
    }
}

/* Whether the complaint is about time. A system that was not scheduled makes such complaints too: the case is
 * played again before it counts as proved. */
static bool of_time(const char *log_text)
{
    return strstr(log_text, "lockup") || strstr(log_text, "stall") || strstr(log_text, "blocked for");
}

static void see_logs(struct run_player *p, const struct ibc_step *s)
{
    char log_text[RUN_TEXT], got[RUN_TEXT];

    read_logs(p, log_text);
    if (!log_text[0])
        return;
    p->died = true;
    p->proved |= !of_time(log_text);
    snprintf(got, sizeof got, "its log: %.*s", (int)sizeof got - 10, log_text);
    if (!run_rank(p->verdict) || p->verdict < IBC_IS_FAIL)
        (void)run_fail(p, s, NULL, IBC_NO_COMPLAINT, got);
    else if (!p->measured[0]) {
        snprintf(p->measured, sizeof p->measured, "%s", got);
        p->logged = true;
    }
}

/* Plays the scenario and its health probe, so that a device that did not survive is reported for the scenario that
 * crashed it, and not for the next one. */
static void play(struct run_player *p)
{
    static const struct ibc_step last = {.kind = IBC_S_health, .object = UINT16_MAX, .text = "health"};
    char old[RUN_TEXT];
    bool ended;

    if (!clean(p))
        return;
    read_logs(p, old);
    if (has_step(p->play, IBC_S_counter))
        p->n_counter = p->t->ops->counters(p->t, 0, p->counter);
    ended = run_make_objects(p) && play_steps(p);
    if (p->o->ended)
        p->o->ended(p->o->ctx, p);
    if (!p->died && !p->fabric && (measured(p) || ended || (p->verdict == IBC_IS_FAIL && !p->o->stop_at_first)))
        run_health(p, &last);
    if (!p->lost)
        see_logs(p, &last);
}

void run_play(struct run_player *p)
{
    const uint64_t before = run_lost_frames(p);

    begin(p);
    play(p);
    run_see_contact(p);
    run_late_conclude(p);
    run_losses_conclude(p, before);
}

bool run_step_health(struct run_player *p, const struct ibc_step *s)
{
    return run_health(p, s);
}
