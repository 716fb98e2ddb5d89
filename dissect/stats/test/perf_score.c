/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits that -z perf names, against those that the engines and the work load of a simulation know. `tools/accuracy
 * --limits` makes the long run and prints the table. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "perf_sim.h"

enum { ENOUGH = 20 }; /* networks of a kind, so that single ones do not decide */

struct tally {
    unsigned n, right, silent, wrong, close; /* silent: "not visible" is largest */
    double worst;
};

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *s = getenv(name);
    return s ? strtoull(s, NULL, 10) : otherwise;
}

static double points(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static enum perf_limit largest_true(const struct perf_outcome *r)
{
    struct perf_shares t = {.life = r->truth_life};

    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++)
        t.ns[i] = r->truth[i];
    return perf_largest(&t);
}

static bool is_sending(enum perf_limit k)
{
    return k == PERF_LINE || k == PERF_PACED || k == PERF_SENDER;
}

/* Returns the largest difference of a share. The three ways to be busy with sending count as one share. The share that
 * is not visible may belong to any other limit, so it is taken off what those lack. */
static double difference(const struct perf_outcome *r)
{
    double most = 0, lacking = 0, sending = 0;

    for (unsigned i = 1; i <= PERF_LIMIT_COUNT; i++) {
        double d = sending;
        if (i < PERF_LIMIT_COUNT) {
            d = points(r->said.ns[i], r->said.life) - points(r->truth[i], r->truth_life);
            if (is_sending((enum perf_limit)i)) {
                sending += d;
                continue;
            }
        }
        most = d > most ? d : most;
        lacking = -d > lacking ? -d : lacking;
    }
    lacking -= points(r->said.ns[PERF_UNKNOWN], r->said.life);
    return lacking > most ? lacking : most;
}

/* Returns whether both limits are the same. The three ways to be busy with sending are distinguished only for loads
 * made for that, and only where the network has not yet delayed the packets unevenly. */
static bool is_same(enum perf_limit said, enum perf_limit is, enum perf_load load, bool far)
{
    return said == is || ((far || load < PERF_LOAD_CLOCK) && is_sending(said) && is_sending(is));
}

static void show(const struct perf_outcome *r, enum perf_load load, uint64_t seed)
{
    printf("%-28s %5lu:", perf_loads[load], (unsigned long)seed);
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++)
        if (r->truth[i] || r->said.ns[i])
            printf("  %s %.1f (%.1f)", perf_limits[i].key, points(r->said.ns[i], r->said.life),
                   points(r->truth[i], r->truth_life));
    printf("\n");
}

static void count(struct tally *t, const struct perf_outcome *r, enum perf_load load, uint64_t seed, bool far)
{
    const enum perf_limit said = perf_largest(&r->said), is = largest_true(r);
    const bool right = is_same(said, is, load, far);
    const double off = difference(r);
    const char *which = getenv("IBPROOF_SHOW");

    t->n++;
    t->right += right;
    t->silent += !right && said == PERF_UNKNOWN;
    t->wrong += !right && said != PERF_UNKNOWN;
    t->close += off <= 5;
    t->worst = off > t->worst ? off : t->worst;
    if (which && (strcmp(which, "all") == 0 || !right || off > 5))
        show(r, load, seed);
}

static struct tally score(bool far, uint64_t n)
{
    static struct perf_outcome r;
    struct tally all = {0};

    printf("%-28s %8s %8s %8s %8s %14s %8s\n", far ? "captured at the receiver" : "captured at the sender", "networks",
           "right", "unknown", "wrong", "within 5 points", "worst");
    for (unsigned load = 0; load < PERF_LOAD_COUNT; load++) {
        struct tally t = {0};
        const uint64_t first = setting("IBPROOF_FIRST", 0);
        for (uint64_t seed = first; seed < first + n; seed++) {
            perf_play(&r, (enum perf_load)load, seed, far);
            cr_assert_not_null(r.sender);
            count(&t, &r, (enum perf_load)load, seed, far);
        }
        printf("%-28s %8u %8u %8u %8u %14u %8.1f\n", perf_loads[load], t.n, t.right, t.silent, t.wrong, t.close,
               t.worst);
        all.n += t.n;
        all.right += t.right;
        all.silent += t.silent;
        all.wrong += t.wrong;
        all.close += t.close;
    }
    printf("%-28s %8u %8u %8u %8u %14u\n", "all", all.n, all.right, all.silent, all.wrong, all.close);
    fflush(stdout);
    return all;
}

Test(perf_score, near)
{
    const uint64_t seeds = setting("IBPROOF_SEEDS", 1);
    const struct tally t = score(false, seeds);

    cr_expect_geq(t.right * 100, t.n * (seeds < ENOUGH ? 90 : 97), "%u of %u are right", t.right, t.n);
    cr_expect_geq(t.close * 100, t.n * (seeds < ENOUGH ? 80 : 90), "%u of %u are within 5 points", t.close, t.n);
}

/* At the receiver many limits are not visible, but those that are reported must be right. */
Test(perf_score, far)
{
    const struct tally t = score(true, setting("IBPROOF_SEEDS", 1));

    cr_expect_leq(t.wrong * 100, t.n * 5, "%u of %u are wrong", t.wrong, t.n);
}
