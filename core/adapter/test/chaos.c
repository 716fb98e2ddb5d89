/* SPDX-License-Identifier: BSD-2-Clause */
/* Random packets, verbs and times: no assert fires, every invariant holds, no byte changes that no key covers.
 * IBPROOF_STEPS sets how many steps are taken (200 000 in the usual run), IBPROOF_SEED the first seed. Each seed runs
 * 20 000 steps.
 *
 * core/adapter/test/lives.golden has a line for each of some short lives: a digest of all packets, completions, events,
 * results of verbs, and of the memory at the end (test/golden.h says how to renew it). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chaos.h"
#include "test/golden.h"

enum { WORLD = 20000, CHECK_EVERY = 64, LIVES = 60, LIFE = 3000, FIRST_LIFE = 9000 };

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *s = getenv(name);
    return s ? strtoull(s, NULL, 10) : usual;
}

static uint64_t rows_hit[IBA_TABLE_COUNT][IBA_MAX_RULES];

static void count_rows(const struct chaos *c)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
            for (unsigned k = 0; k < IBA_MAX_RULES; k++)
                rows_hit[t][k] += c->end[i].ca.hits[t][k];
}

/* Returns how many rows of the rule tables were never the first to apply. */
static unsigned rows_missed(void)
{
#define TABLE(id, rules, title) &(rules),
    static const struct iba_rules *const table[] = {IBA_RULE_TABLES(TABLE)};
    unsigned missed = 0;

    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
        for (size_t k = 0; k < table[t]->n; k++) {
            const uint64_t n = rows_hit[t][table[t]->row[k].hit];
            missed += n == 0;
            if (getenv("IBPROOF_VERBOSE"))
                fprintf(stderr, "%10lu %s: %s\n", (unsigned long)n, table[t]->name, table[t]->row[k].name);
        }
    return missed;
}

static uint64_t world(uint64_t seed, uint64_t steps)
{
    struct chaos *c = chaos_open(seed);
    uint64_t h;

    for (uint64_t i = 0; i < steps; i++) {
        chaos_step(c);
        if (i % CHECK_EVERY == 0)
            chaos_check(c);
    }
    chaos_check(c);
    for (unsigned i = 0; i < 2; i++)
        chaos_hash(c, c->end[i].memory, sizeof c->end[i].memory);
    cr_assert_gt(c->successes, steps / 1000, "seed %lu: only %lu successes", (unsigned long)seed,
                 (unsigned long)c->successes);
    if (getenv("IBPROOF_VERBOSE"))
        fprintf(stderr, "seed %lu: trace %016lx, %lu fed, %lu completions, %lu successes, %lu events\n",
                (unsigned long)seed, (unsigned long)c->hash, (unsigned long)c->fed, (unsigned long)c->completions,
                (unsigned long)c->successes, (unsigned long)c->events);
    count_rows(c);
    h = c->hash;
    chaos_close(c);
    return h;
}

Test(chaos, no_assert_fires_and_no_foreign_byte_changes)
{
    const uint64_t steps = setting("IBPROOF_STEPS", 200000);
    uint64_t seed = setting("IBPROOF_SEED", 1);

    for (uint64_t done = 0; done < steps; done += WORLD, seed++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%lu", (unsigned long)seed);
        (void)setenv("IBPROOF_AT_SEED", name, 1); /* for the reader of a core dump or the user of a debugger */
        (void)world(seed, WORLD);
    }
    /* A stepper that reaches few rows proves little. */
    cr_assert_leq(rows_missed(), 12, "%u rows of the rule tables never applied", rows_missed());
}

Test(chaos, the_same_seed_gives_the_same_trace)
{
    for (uint64_t seed = 0; seed < 3; seed++)
        cr_assert_eq(world(seed, 5000), world(seed, 5000), "seed %lu", (unsigned long)seed);
}

Test(chaos, lives_are_the_same)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/adapter/test/lives.golden");

    for (uint64_t seed = FIRST_LIFE; seed < FIRST_LIFE + LIVES; seed++) {
        struct chaos *c = chaos_open(seed);
        char line[GOLDEN_LINE];
        for (unsigned i = 0; i < LIFE; i++)
            chaos_step(c);
        for (unsigned i = 0; i < 2; i++)
            chaos_hash(c, c->end[i].memory, sizeof c->end[i].memory);
        (void)snprintf(line, sizeof line,
                       "%" PRIu64 " %016" PRIx64 " %lu fed, %lu completions, %lu successes, %lu events\n", seed,
                       c->hash, (unsigned long)c->fed, (unsigned long)c->completions, (unsigned long)c->successes,
                       (unsigned long)c->events);
        golden_line(&g, line);
        chaos_close(c);
    }
    golden_close(&g);
}
