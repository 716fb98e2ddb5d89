/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays the lines '>', '<', silence and wait: packets that are sent, expected, or must not come. '<?' and '<*'
 * lines wait a short time for a packet and decide nothing. They stay pending at their QP until its next '<' or
 * silence is decided. Until then they accept packets that match them and not the deciding line. */
#include <stdio.h>
#include <string.h>
#include "run/fabric.h"
#include "wire/iba_aeth.h"
#include "wire/iba_opcode.h"

/* ---- sending ---- */
static unsigned times(const struct ibc_step *s)
{
    const uint64_t n = ibc_arg_n(s->arg, s->n_arg, IBC_K_times, 1);
    return n > UINT16_MAX ? UINT16_MAX : (unsigned)n;
}

bool run_step_send(struct run_player *p, const struct ibc_step *s)
{
    const struct run_live *q = run_live(p, s);
    const struct ibc_arg *after = run_arg(s, IBC_K_after);
    const unsigned device = q->kind == IBC_O_wire ? q->id[0] : q->device;
    struct run_packet *k = run_packet_new(p, device, true), *copy;

    if (!k)
        return run_error(p, s, "out of memory");
    if ((after && !run_collect_all(p, p->last_at + after->v[0].n, s)) || !run_settle(p, s))
        return false;
    if (!run_build(p, s, k) || !run_inject(p, k, s))
        return false;
    run_remember(p, s, k);
    for (unsigned i = 1; i < times(s); i++) {
        copy = run_packet_new(p, device, true);
        if (!copy)
            return run_error(p, s, "out of memory");
        copy->frame = k->frame;
        copy->len = k->len;
        copy->view = k->view;
        if (!run_inject(p, copy, s))
            return false;
    }
    p->last_since = k->since; /* the device may act on the first copy */
    return true;
}

/* ---- deciding ---- */
/* Returns the first of an event's alternatives that matches the packet; NULL: none does. *d becomes the mismatch of
 * the first alternative for QP q. */
static const struct ibc_step *first_fit(struct run_player *p, const struct ibc_step *s, const struct run_live *q,
                                        const struct run_packet *k, struct run_difference *d)
{
    struct run_difference other;
    bool answered = false;

    d->expected[0] = '\0';
    d->late = false;
    for (; s; s = run_alternative(p, s)) {
        if (s->kind != IBC_S_expect || run_live(p, s) != q)
            continue;
        if (run_matches(p, s, k, answered ? &other : d))
            return s;
        answered = true;
    }
    return NULL;
}

/* Advances the payload's position in the message past this packet. */
static void follow(struct run_live *q, const struct ibc_step *s, const struct run_packet *k)
{
    struct run_flow *f = &q->rx[k->view.op && k->view.op->dir == IBA_RSP];

    run_flow_begin(f, k->view.op, run_arg(s, IBC_K_fill));
    f->at += k->view.payload_len;
}

static bool conclude(struct run_player *p, const struct ibc_step *s, struct run_packet *k)
{
    char got[RUN_TEXT] = "silence";

    if (k)
        run_show_packet(k, got, sizeof got);
    return run_conclude(p, s, k, "the answer above", got);
}

static bool decided(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    struct run_packet *k = q->head;

    const char *const verdict[] = {"as expected", "tolerated", run_verdict_name(p, IBC_IS_FAIL), "as expected"};

    run_take(p, q);
    follow(q, s, k);
    p->last_at = k->at;
    p->last_since = k->since;
    run_remember(p, s, k);
    if (s->message && q->kind == IBC_O_wire)
        run_smp_learn(q, k->view.wire + k->view.payload_at);
    else if (s->message)
        run_cm_learn(q, k->view.wire + k->view.payload_at);
    run_comment(p, k, s, verdict[s->says], NULL);
    return conclude(p, s, k) && run_go_on(p, s, q, k);
}

/* Returns an optional step that matches the packet; NULL: none does. A step for one packet ('<?') is removed from
 * the list. */
static const struct ibc_step *optional_fit(struct run_player *p, struct run_live *q, const struct run_packet *k,
                                           bool take)
{
    struct run_difference d;

    for (unsigned i = 0; i < q->n_optional; i++) {
        const struct ibc_step *s = &p->play->step[q->optional[i]], *fit = first_fit(p, s, q, k, &d);
        if (!fit)
            continue;
        if (take && s->many == '?') {
            memmove(&q->optional[i], &q->optional[i + 1], (q->n_optional - i - 1) * sizeof *q->optional);
            q->n_optional--;
        }
        return fit;
    }
    return NULL;
}

static bool expect_some(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *q = run_live(p, s);
    const uint64_t until = run_now(p) + run_scaled(p, RUN_OPTIONAL);
    bool came = true;

    if (q->n_optional == RUN_MAX_OPTIONAL)
        return run_error(p, s, "too many optional packets wait");
    q->optional[q->n_optional++] = (uint16_t)(s - p->play->step);
    while (!q->head && came) /* ends: packets are bounded, and time passes */
        if (!run_collect(p, until, &came, s))
            return false;
    return true;
}

/* ---- congestion notifications without a marked packet ---- */
static bool is_sequence_nak(const struct run_packet *k)
{
    const struct iba_view *v = &k->view;

    return !k->sent && v->op && v->op->operation == IBA_OPERATION_ACK && iba_view_has(v, IBA_H_aeth) &&
           *iba_view_hdr(v, IBA_H_aeth) == iba_syndrome(IBA_AETH_NAK, IBA_NAK_SEQUENCE);
}

/* Whether the scenario itself has a line about congestion notifications. */
static bool expects_cnp(const struct run_player *p)
{
    for (unsigned i = 0; i < p->play->n_step; i++)
        if (p->play->step[i].kind == IBC_S_expect && p->play->step[i].op < IBC_ANY_OPCODE &&
            iba_opcode_operation((uint8_t)p->play->step[i].op) == IBA_OPERATION_CNP)
            return true;
    return p->informs;
}

/* Whether a NAK (PSN sequence error) went to the same QP as the notification. The destination QPs are compared,
 * since for reliable datagrams the NAK is queued at an EE context and the notification at a QP. */
static bool has_sequence_nak(const struct run_player *p, const struct run_packet *cnp)
{
    const uint32_t to = iba_bth_destqp(iba_view_bth(&cnp->view));
    const struct run_packet *k = p->first;

    while (k && (k->device != cnp->device || !is_sequence_nak(k) || iba_bth_destqp(iba_view_bth(&k->view)) != to))
        k = k->next;
    return k;
}

/* Some hardware takes a gap in the PSNs for congestion, and sends a notification before or after its NAK unless it
 * is configured otherwise. RO-43 requires a notification for a marked packet and forbids no other one: the
 * notification is noted and does not affect the verdict. */
static bool comes_with_nak(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    struct run_packet *k = q->head;
    const uint64_t until = run_now(p) + run_scaled(p, RUN_OPTIONAL);
    bool came = true;
    char got[RUN_TEXT];

    if (p->play->scenario->role == IBC_ROLE_requester || !iba_view_has_bth(&k->view) ||
        iba_opcode_operation((uint8_t)iba_bth_opcode(iba_view_bth(&k->view))) != IBA_OPERATION_CNP || expects_cnp(p))
        return false;
    while (came && !has_sequence_nak(p, k)) /* ends: packets are bounded, and time passes */
        if (!run_collect(p, until, &came, s))
            return false;
    if (!has_sequence_nak(p, k))
        return false;
    run_take(p, q);
    run_comment(p, k, s, "tolerated", NULL);
    run_show_packet(k, got, sizeof got);
    run_note(p, IBC_IS_TOLERATED, s, k, "no congestion notification, as no packet was marked", got);
    if (p->finding.packet == k->number)
        snprintf(p->finding.sentence, sizeof p->finding.sentence,
                 "some devices send a congestion notification with a NAK");
    return true;
}

static bool unexpected(struct run_player *p, const struct ibc_step *s, struct run_packet *k,
                       const struct run_difference *d)
{
    char expected[RUN_TEXT], got[RUN_TEXT];

    run_show_expected(s, expected, sizeof expected);
    run_show_packet(k, got, sizeof got);
    run_note_as(p, d->late ? IBC_FOUND_LATE : IBC_FOUND_OTHERWISE, IBC_IS_FAIL, s, k,
                d->expected[0] ? d->expected : expected, d->expected[0] ? d->got : got);
    run_comment(p, k, s, run_verdict_name(p, IBC_IS_FAIL), d);
    return false;
}

/* ---- packets that come ---- */
/* Returns the QP with the oldest queued packet; NULL: no packet is queued. */
static struct run_live *ready(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *best = NULL;

    for (; s; s = run_alternative(p, s)) {
        struct run_live *q = s->kind == IBC_S_expect ? run_live(p, s) : NULL;
        if (q && q->head && (!best || q->head->number < best->head->number))
            best = q;
    }
    return best;
}

/* A packet that matches both the expected and an optional line counts as the optional one if the packet after it
 * matches the expected line as well. */
static bool is_early(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    struct run_difference d;

    if (q->n_optional == 0 || !optional_fit(p, q, q->head, false))
        return false;
    if (!q->head->queued && !run_collect_all(p, run_now(p), s))
        return false;
    return q->head->queued && first_fit(p, s, q, q->head->queued, &d);
}

enum outcome { STOP, DONE, AGAIN };

/* A packet that is not the expected one is accepted if an optional line allows it, or if it is a notification that
 * comes with a sequence NAK. */
static bool may_come(struct run_player *p, const struct ibc_step *s, struct run_live *q, enum outcome *outcome)
{
    const struct ibc_step *optional = optional_fit(p, q, q->head, true);

    *outcome = !optional || decided(p, optional, q) ? AGAIN : STOP;
    return optional || comes_with_nak(p, s, q);
}

static enum outcome judge(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    struct run_difference d;
    const struct ibc_step *fit = first_fit(p, s, q, q->head, &d);
    enum outcome outcome;

    if (fit && !is_early(p, s, q)) {
        q->n_optional = 0;
        return decided(p, fit, q) ? DONE : STOP;
    }
    if (may_come(p, s, q, &outcome))
        return outcome;
    unexpected(p, s, q->head, &d);
    return STOP;
}

static const struct ibc_step *silent_alternative(const struct run_player *p, const struct ibc_step *s)
{
    while (s && s->kind != IBC_S_silence)
        s = run_alternative(p, s);
    return s;
}

static uint64_t duration(const struct run_player *p, const struct ibc_step *s, uint64_t otherwise)
{
    const struct ibc_arg *a = run_arg(s, IBC_K_value);
    return run_scaled(p, a ? a->v[0].n : otherwise);
}

static bool nothing(struct run_player *p, const struct ibc_step *s, const struct ibc_step *silent, uint64_t waited)
{
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (silent)
        return conclude(p, silent, NULL);
    run_show_expected(s, expected, sizeof expected);
    snprintf(got, sizeof got, "nothing for %.6g ms", (double)waited / (double)RUN_MS);
    return run_fail(p, s, NULL, expected, got);
}

static bool expect_one(struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_step *silent = silent_alternative(p, s);
    const struct ibc_arg *within = run_arg(s, IBC_K_within), *after = run_arg(s, IBC_K_after);
    uint64_t patience = silent ? duration(p, silent, RUN_SILENCE) : run_scaled(p, RUN_PATIENCE), until;

    if (within && run_scaled(p, within->v[0].n) > patience)
        patience = run_scaled(p, within->v[0].n);
    if (after && after->v[0].n + run_scaled(p, RUN_PATIENCE) > patience)
        patience = after->v[0].n + run_scaled(p, RUN_PATIENCE);
    until = run_now(p) + patience;
    for (;;) { /* ends: each round takes a packet or lets time pass */
        struct run_live *q = ready(p, s);
        bool came = true;
        enum outcome o = q ? judge(p, s, q) : AGAIN;
        if (o != AGAIN)
            return o == DONE;
        if (!q && !run_collect(p, until, &came, s))
            return false;
        if (!came)
            return nothing(p, s, silent, patience);
    }
}

bool run_step_expect(struct run_player *p, const struct ibc_step *s)
{
    if (s->many)
        return expect_some(p, s);
    for (unsigned i = 0; i < times(s); i++)
        if (!expect_one(p, s))
            return false;
    return true;
}

/* ---- packets that must not come ---- */
static struct run_live *noisy(struct run_player *p, const struct ibc_step *s)
{
    for (unsigned i = 0; i <= IBC_MAX_OBJECTS; i++)
        if (p->live[i].head && (s->object > IBC_MAX_OBJECTS || &p->live[i] == run_live(p, s)))
            return &p->live[i];
    return NULL;
}

/* Decides on a packet that comes during a silence: an optional line or an alternative of the silence accepts it;
 * otherwise the play fails. */
static enum outcome break_silence(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    struct run_difference d;
    const struct ibc_step *fit = first_fit(p, s, q, q->head, &d);
    enum outcome outcome;

    if (fit)
        return decided(p, fit, q) ? DONE : STOP;
    if (may_come(p, s, q, &outcome))
        return outcome;
    d.expected[0] = '\0';
    d.late = false;
    unexpected(p, s, q->head, &d);
    return STOP;
}

static bool keep_silent(struct run_player *p, const struct ibc_step *s, uint64_t until)
{
    bool came = true;

    for (;;) { /* ends: each round takes a packet or lets time pass */
        struct run_live *q = noisy(p, s);
        enum outcome o = q ? break_silence(p, s, q) : AGAIN;
        if (o != AGAIN)
            return o == DONE;
        if (!q && !came)
            return true;
        if (!q && !run_collect(p, until, &came, s))
            return false;
    }
}

/* A packet that may come or not has had its time. Of those that may come any number of times, one may still come later:
 * no clause says how soon the last of them leaves, and a busy device is slow. */
static void drop_single_optional(const struct run_player *p, struct run_live *q)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < q->n_optional; i++)
        if (p->play->step[q->optional[i]].many == '*')
            q->optional[kept++] = q->optional[i];
    q->n_optional = (uint8_t)kept;
}

bool run_step_silence(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *q = run_live(p, s);
    const bool good = keep_silent(p, s, run_now(p) + duration(p, s, RUN_SILENCE));

    for (unsigned i = 0; i <= IBC_MAX_OBJECTS; i++)
        if (!q || q == &p->live[i])
            drop_single_optional(p, &p->live[i]);
    return good;
}

bool run_step_wait(struct run_player *p, const struct ibc_step *s)
{
    return run_collect_all(p, run_now(p) + duration(p, s, 0), s);
}

/* At the end, every packet, completion and event must have been asked for by a line. */
bool run_leftovers(struct run_player *p)
{
    static const struct ibc_step end = {.kind = IBC_S_silence, .object = UINT16_MAX, .text = "no more packets"};
    struct ibc_step s = end;

    s.line = p->play->n_step ? p->play->step[p->play->n_step - 1].line : 0;
    return keep_silent(p, &s, run_now(p));
}
