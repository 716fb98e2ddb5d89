/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays every variation of a scenario with each of its services, and gives one verdict for all plays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "run/play.h"

/* Returns the i-th service of the scenario. */
static enum iba_qp_type service_at(const struct ibc_scenario *s, unsigned i)
{
    uint32_t left = s->services;

    while (i-- > 0)
        left &= left - 1;
    return (enum iba_qp_type)__builtin_ctz(left);
}

/* ---- requirements ---- */
static uint64_t needs_of(enum iba_qp_type service)
{
    static const uint8_t of[IBA_QPT_COUNT] = {
        [IBA_QPT_RC] = IBC_CAP_rc,
        [IBA_QPT_UC] = IBC_CAP_uc,
        [IBA_QPT_UD] = IBC_CAP_ud,
        [IBA_QPT_RAW_IPV6] = IBC_CAP_raw,
        [IBA_QPT_RAW_ETHERTYPE] = IBC_CAP_raw,
        [IBA_QPT_SMI] = IBC_CAP_management,
        [IBA_QPT_GSI] = IBC_CAP_management,
        [IBA_QPT_XRC_INI] = IBC_CAP_xrc,
        [IBA_QPT_XRC_TGT] = IBC_CAP_xrc_tgt,
        [IBA_QPT_RD] = IBC_CAP_rd,
        [IBA_QPT_EE] = IBC_CAP_rd,
    };
    return UINT64_C(1) << of[service];
}

/* Whether the device lacks a required capability. Then *r names it, and gives the reason if verbs cannot offer the
 * capability. */
static bool lacks(uint64_t needs, uint64_t caps, struct ibc_result *r)
{
    const uint64_t not_there = needs & ~caps;
    const unsigned c = not_there ? (unsigned)__builtin_ctzll(not_there) : 0;
    const char *why = ibc_capability_unclaimed[c];

    if (!not_there)
        return false;
    snprintf(r->measured, sizeof r->measured, "the device does not claim %s%s%s", ibc_capability_names[c],
             why ? "; " : "", why ? why : "");
    return true;
}

static bool choose_link(const struct ibc_scenario *s, struct run_player *p)
{
    const uint32_t have = p->t->ops->links(p->t), both = s->links ? s->links & have : have;

    if (!both)
        return false;
    p->link = both >> p->o->link & 1 ? (enum ibc_link)p->o->link : (enum ibc_link)__builtin_ctz(both);
    return true;
}

static bool applicable(const struct ibc_scenario *s, struct run_player *p, struct ibc_result *r)
{
    uint64_t needs = s->needs;

    p->caps = p->t->ops->capabilities(p->t);
    if (s->role == IBC_ROLE_middle)
        needs |= UINT64_C(1) << IBC_CAP_two_devices;
    if (lacks(needs, p->caps, r))
        return false;
    if (!choose_link(s, p))
        snprintf(r->measured, sizeof r->measured, "the target has no link that the scenario is for");
    else
        return true;
    return false;
}

/* ---- many plays, one verdict ---- */
static const struct ibc_statement *statement_of(const struct ibc_scenario *s)
{
    return s->n_spec ? ibc_statement_find(s->spec[0]) : NULL;
}

static bool is_informational(const struct ibc_scenario *s)
{
    const struct ibc_statement *st = statement_of(s);
    const uint8_t klass = s->klass != UINT8_MAX ? s->klass : st ? st->klass : (uint8_t)IBC_CLASS_mandatory;
    return klass == IBC_CLASS_informational;
}

/* Whether the play's failure is worse than that of *r: a failure that the device did not survive is worse than one
 * that it is not blamed for. */
static bool is_worse(const struct ibc_result *r, const struct run_player *p)
{
    const bool down = p->verdict == IBC_IS_FAIL && p->finding.down && !r->finding.down && ibc_uncertainty(r->scenario);

    return run_rank(p->verdict) > run_rank(r->verdict) || (down && run_rank(p->verdict) == run_rank(r->verdict));
}

static void add_play(struct ibc_result *r, const struct run_player *p)
{
    const bool first = r->variations == 0;

    r->variations++;
    r->died |= p->died;
    r->unwell |= p->unwell;
    r->proved |= p->proved;
    r->passed += p->verdict == IBC_IS_PASS || p->verdict == IBC_IS_TOLERATED || p->verdict == IBC_IS_INFO;
    if (first || is_worse(r, p)) {
        r->verdict = p->verdict;
        r->finding = p->finding;
    }
    if (p->counters != IBC_IS_NOT_APPLICABLE &&
        (r->counters == IBC_IS_NOT_APPLICABLE || run_rank(p->counters) > run_rank(r->counters))) {
        r->counters = p->counters;
        r->counter_finding = p->counter_finding;
    }
    if (p->measured[0] && !r->measured[0]) {
        snprintf(r->measured, sizeof r->measured, "%s", p->measured);
        r->logged = p->logged;
    }
}

/* Plays variation i of a service. */
static void play_one(enum iba_qp_type service, unsigned i, struct run_player *p, struct run_evidence *e,
                     struct ibc_result *r)
{
    struct ibc_play *play = ibc_bind(r->scenario, service, i);

    p->play = play;
    run_play(p);
    add_play(r, p);
    run_evidence_write(e, p);
    p->play = NULL;
    ibc_play_free(play);
}

static void play_all(struct run_player *p, struct run_evidence *e, struct ibc_result *r)
{
    const struct ibc_scenario *s = r->scenario;
    const unsigned n = (unsigned)__builtin_popcount(s->services) * s->n_variation;

    for (unsigned i = 0; i < n; i++) {
        const enum iba_qp_type service = service_at(s, i / s->n_variation);
        struct ibc_result unused = {0}, *answered = r->variations == 0 ? r : &unused;
        if (lacks(p->managed ? 0 : needs_of(service), p->caps, answered))
            continue;
        if (r->variations == 0)
            r->measured[0] = '\0';
        play_one(service, i % s->n_variation, p, e, r);
        if (p->o->stop_at_first && run_rank(r->verdict) >= run_rank(IBC_IS_FAIL))
            break;
    }
}

/* Turns FAIL into DEVIATES if no statement with a certain source requires the behaviour. A failure that the device
 * did not survive stays FAIL in any case. */
static void doubt(const struct ibc_scenario *s, struct ibc_result *r)
{
    if (!ibc_uncertainty(s))
        return;
    if (r->verdict == IBC_IS_FAIL && !r->finding.down)
        r->verdict = IBC_IS_DEVIATES;
    else if (r->verdict == IBC_IS_FAIL)
        snprintf(r->finding.sentence, sizeof r->finding.sentence, "A device survives whatever it is sent or asked.");
    if (r->counters == IBC_IS_FAIL)
        r->counters = IBC_IS_DEVIATES;
}

/* Turns the verdict of an informational scenario into INFO. Incomplete evidence, a failed health probe and a fault
 * of the harness keep their verdict. */
static void inform(struct ibc_result *r)
{
    if (r->verdict > IBC_IS_TOLERATED)
        return;
    if (!r->measured[0])
        snprintf(r->measured, sizeof r->measured, "as the scenario says");
    r->verdict = IBC_IS_INFO;
}

static void conclude(const struct ibc_scenario *s, struct ibc_result *r)
{
    const struct ibc_statement *st = statement_of(s);

    if (is_informational(s))
        inform(r);
    doubt(s, r);
    if (r->verdict == IBC_IS_UNSUPPORTED && !r->measured[0])
        snprintf(r->measured, sizeof r->measured, "%s", r->finding.got);
    if (st && !r->finding.sentence[0] && r->verdict != IBC_IS_PASS && r->verdict != IBC_IS_ERROR &&
        run_rank(r->verdict))
        snprintf(r->finding.sentence, sizeof r->finding.sentence, "%s", st->words);
    if (st && ibc_failed(r->counters))
        snprintf(r->counter_finding.sentence, sizeof r->counter_finding.sentence, "%s", st->words);
}

static uint64_t wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * RUN_S + (uint64_t)t.tv_nsec;
}

static void run_with(const struct ibc_scenario *s, struct run_player *p, struct ibc_result *r)
{
    struct run_evidence *e = NULL;

    p->seed = p->o->seed;
    p->informs = is_informational(s);
    p->fabric = ibc_role_has_subnet(s->role);
    p->managed = s->role == IBC_ROLE_sm;
    p->n_device = s->role == IBC_ROLE_middle ? IBC_DEVICES : 1;
    p->keep_evidence = p->o->evidence_dir != NULL;
    if (!applicable(s, p, r))
        return;
    if (p->keep_evidence)
        e = run_evidence_open(p->o->evidence_dir, s->id, &r->evidence);
    play_all(p, e, r);
    if (p->keep_evidence && !run_evidence_close(e) && run_rank(r->verdict) < run_rank(IBC_IS_ERROR)) {
        r->verdict = IBC_IS_ERROR;
        snprintf(r->finding.got, sizeof r->finding.got, "the evidence cannot be written");
    }
    conclude(s, r);
}

void ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o, struct ibc_result *r)
{
    const uint64_t begun = wall();
    struct run_player *p = calloc(1, sizeof *p);

    *r = (struct ibc_result){.scenario = s, .verdict = IBC_IS_NOT_APPLICABLE, .counters = IBC_IS_NOT_APPLICABLE};
    if (p && (p->wr = malloc(RUN_MAX_WR * sizeof *p->wr))) {
        p->t = t;
        p->o = o;
        run_with(s, p, r);
    } else {
        r->verdict = IBC_IS_ERROR;
        snprintf(r->finding.got, sizeof r->finding.got, "out of memory");
    }
    if (p) {
        run_arena_free(&p->arena);
        free(p->wr);
    }
    free(p);
    r->wall_ns = wall() - begun;
}

static uint64_t waits_of(const struct ibc_play *play)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < play->n_step; i++) {
        const struct ibc_arg *a = run_arg(&play->step[i], IBC_K_value);
        if (play->step[i].kind == IBC_S_silence || play->step[i].kind == IBC_S_wait)
            sum += a ? a->v[0].n : RUN_SILENCE;
    }
    return sum;
}

uint64_t ibc_waits(const struct ibc_scenario *s)
{
    const unsigned n = (unsigned)__builtin_popcount(s->services) * s->n_variation;
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++) {
        struct ibc_play *play = ibc_bind(s, service_at(s, i / s->n_variation), i % s->n_variation);
        sum += waits_of(play);
        ibc_play_free(play);
    }
    return sum;
}
