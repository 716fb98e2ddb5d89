/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of the observer: a record of its findings, and two engines to observe. */
#ifndef WITNESS_H
#define WITNESS_H
#include <criterion/criterion.h>
#include "sound.h"

enum { WITNESS_FLOWS = 16, WITNESS_KNOWN = 64, WITNESS_KEPT = 64 };

/* Tests keep sets of findings as bits of 64-bit numbers. */
_Static_assert(IBA_FINDING_FIRST_CM <= 64, "a set of kinds is 64 bits");

struct witness {
    struct iba_observer *observer;
    _Alignas(64) unsigned char memory[OBSERVER_BYTES(WITNESS_FLOWS, WITNESS_KNOWN)];
    uint64_t frame;
    uint64_t found[IBA_FINDING_COUNT], missing; /* missing: PSNs that gaps of requests jump over */
    struct iba_finding kept[WITNESS_KEPT];
    size_t n_kept;
};

static inline void witness_report(void *ctx, const struct iba_finding *f)
{
    struct witness *w = ctx;

    cr_assert_lt((unsigned)f->kind, (unsigned)IBA_FINDING_COUNT);
    cr_assert_neq(f->frame, 0);
    w->found[f->kind]++;
    w->missing += f->kind == IBA_FINDING_GAP ? f->count : 0;
    if (w->n_kept < WITNESS_KEPT)
        w->kept[w->n_kept++] = *f;
}

static inline void witness_init(struct witness *w, const struct iba_observer_config *other)
{
    struct iba_observer_config cfg = other ? *other : (struct iba_observer_config){0};

    w->frame = 0;
    memset(w->found, 0, sizeof w->found);
    w->missing = 0;
    w->n_kept = 0;
    cfg.n_flow = cfg.n_flow ? cfg.n_flow : WITNESS_FLOWS;
    cfg.n_known = cfg.n_known ? cfg.n_known : cfg.n_flow;
    cfg.report = witness_report;
    cfg.ctx = w;
    cr_assert_leq(iba_observer_bytes(&cfg), sizeof w->memory);
    w->observer = iba_observer_init(w->memory, &cfg);
}

static inline uint64_t witness_count(const struct witness *w, enum iba_severity least)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        n += iba_findings[i].severity >= least ? w->found[i] : 0;
    return n;
}
#endif
