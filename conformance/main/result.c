/* SPDX-License-Identifier: BSD-2-Clause */
#include "result.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t result_pack(const struct ibc_result *r, uint8_t *out, size_t room)
{
    const size_t path = r->evidence ? strlen(r->evidence) + 1 : 0;

    if (sizeof *r + path > room)
        return 0;
    memcpy(out, r, sizeof *r);
    if (path)
        memcpy(out + sizeof *r, r->evidence, path);
    return sizeof *r + path;
}

bool result_unpack(struct ibc_result *r, const struct ibc_scenario *s, const uint8_t *in, size_t n)
{
    if (n < sizeof *r || (n > sizeof *r && in[n - 1] != '\0'))
        return false;
    memcpy(r, in, sizeof *r);
    r->scenario = s;
    r->waiver = NULL;
    r->evidence = n > sizeof *r ? strdup((const char *)in + sizeof *r) : NULL;
    return true;
}

void result_error(struct ibc_result *r, const struct ibc_scenario *s, const char *why)
{
    *r =
        (struct ibc_result){.scenario = s, .verdict = IBC_IS_ERROR, .counters = IBC_IS_NOT_APPLICABLE, .variations = 1};
    snprintf(r->finding.got, sizeof r->finding.got, "%s", why);
}

void result_not_played(struct ibc_result *r, const struct ibc_scenario *s, const char *why)
{
    result_error(r, s, "");
    r->verdict = IBC_IS_INCONCLUSIVE;
    snprintf(r->finding.got, sizeof r->finding.got, "not played: %s", why);
}

void result_spare(struct ibc_result *r, const struct ibc_scenario *s)
{
    *r = (struct ibc_result){
        .scenario = s, .verdict = IBC_IS_NOT_APPLICABLE, .counters = IBC_IS_NOT_APPLICABLE, .spared = true};
    snprintf(r->measured, sizeof r->measured, "not played: known to take devices down; --hazardous plays it");
}

static bool ranks(enum ibc_verdict v)
{
    return v <= IBC_IS_ERROR;
}

/* Whether verdict a replaces b. A verdict with a rank replaces one without, and a worse one a better one; of equals
 * the first stays. */
static bool outweighs(enum ibc_verdict a, enum ibc_verdict b)
{
    return ranks(a) && (!ranks(b) || a > b);
}

static void take_evidence(struct ibc_result *to, struct ibc_result *r)
{
    char *was = to->evidence;

    to->evidence = r->evidence;
    r->evidence = was;
}

void result_add(struct ibc_result *to, struct ibc_result *r)
{
    if (outweighs(r->verdict, to->verdict)) {
        to->verdict = r->verdict;
        to->finding = r->finding;
        take_evidence(to, r);
    }
    if (outweighs(r->counters, to->counters)) {
        to->counters = r->counters;
        to->counter_finding = r->counter_finding;
    }
    if (to->measured[0] == '\0') {
        memcpy(to->measured, r->measured, sizeof to->measured);
        to->logged = r->logged;
    }
    to->variations += r->variations;
    to->passed += r->passed;
    to->wall_ns += r->wall_ns;
    ibc_result_clear(r);
}

/* Keeps the finding of the worse verdict. */
static void differ(enum ibc_verdict *to, struct ibc_finding *f, enum ibc_verdict is, const struct ibc_finding *its,
                   uint64_t seed, bool sure)
{
    const bool worse = outweighs(is, *to);
    char got[sizeof f->got];

    memcpy(got, worse ? its->got : f->got, sizeof got);
    if (worse)
        *f = *its;
    snprintf(f->got, sizeof f->got, "verdicts differ between repeats: %s before, %s with seed %" PRIu64 "%s%.64s",
             ibc_verdict_names[*to], ibc_verdict_names[is], seed, got[0] ? "; " : "", got);
    *to = sure ? IBC_IS_FAIL : IBC_IS_DEVIATES;
}

/* Whether one of the verdicts is not about the device, as when the tester was late: the two do not contradict each
 * other. */
static bool says_nothing(enum ibc_verdict a, enum ibc_verdict b)
{
    return a == IBC_IS_INCONCLUSIVE || b == IBC_IS_INCONCLUSIVE;
}

static void repeat_verdict(struct ibc_result *r, enum ibc_verdict *first, struct ibc_result *again, uint64_t seed)
{
    const bool error = again->verdict == IBC_IS_ERROR;

    if (r->verdict == IBC_IS_ERROR || again->verdict == r->verdict || (!error && r->verdict != *first))
        return;
    if (outweighs(again->verdict, r->verdict))
        take_evidence(r, again);
    if (!error && !says_nothing(again->verdict, r->verdict)) {
        differ(&r->verdict, &r->finding, again->verdict, &again->finding, seed, !ibc_uncertainty(r->scenario));
    } else if (error || outweighs(again->verdict, r->verdict)) {
        r->finding = again->finding;
        *first = r->verdict = again->verdict;
    }
}

/* Counters that a repeat did not compare, as it was not played to its end, do not contradict those of another. */
static void repeat_counters(struct ibc_result *r, enum ibc_verdict *first, const struct ibc_result *again,
                            uint64_t seed)
{
    const bool both = r->counters != IBC_IS_NOT_APPLICABLE && again->counters != IBC_IS_NOT_APPLICABLE;

    if (again->counters == r->counters || r->counters != *first)
        return;
    if (both && !says_nothing(again->counters, r->counters)) {
        differ(&r->counters, &r->counter_finding, again->counters, &again->counter_finding, seed,
               !ibc_uncertainty(r->scenario));
    } else if (outweighs(again->counters, r->counters)) {
        r->counter_finding = again->counter_finding;
        *first = r->counters = again->counters;
    }
}

void result_repeats(struct ibc_result *r, const bool *has, size_t n, uint64_t seed)
{
    enum ibc_verdict verdict = r->verdict, counters = r->counters;

    for (size_t i = 1; i < n; i++) {
        if (!has[i])
            continue;
        repeat_verdict(r, &verdict, &r[i], seed + i);
        repeat_counters(r, &counters, &r[i], seed + i);
        r->wall_ns += r[i].wall_ns;
        ibc_result_clear(&r[i]);
    }
}

void result_name_link(struct ibc_result *r, const char *link)
{
    struct ibc_finding *f[] = {&r->finding, &r->counter_finding};

    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        char was[sizeof f[i]->variation];
        memcpy(was, f[i]->variation, sizeof was);
        snprintf(f[i]->variation, sizeof f[i]->variation, "link=%s%s%.*s", link, was[0] ? " " : "",
                 (int)(sizeof was - 32), was);
    }
}
