/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact findings of the observer on simulated networks. core/observer/test/findings.golden has a line for each
 * network and way to capture it: the count of each finding, and a digest of the findings' contents.
 *
 * The limits of precision and recall (score.c) let single mistakes pass; this test lets none pass. It does not know
 * which result is right. After an intended change, check the lines that differ with tools/accuracy, and renew the file:
 * IBPROOF_BLESS=1 build/dev/test/t-core-observer-findings, or the target "bless". */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "score.h"
#include "test/golden.h"

/* FIRST: these networks are as good as any others */
enum { LINE = 1024, SHOWN = 20, PLAIN = 28, OTHERS = 16, FIRST = 5000 };
static const char golden_path[] = IBPROOF_SOURCE_DIR "/core/observer/test/findings.golden";
static void describe(char line[LINE], enum score_network network, enum score_mode mode, uint64_t seed)
{
    static struct score_run r;
    int n;

    score_play(&r, mode, network, seed);
    n = snprintf(line, LINE, "%s %s %" PRIu64 " %016" PRIx64, score_networks[network], score_ways[mode], seed,
                 r.digest);
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        if (r.n_reported[k] && n > 0 && n < LINE)
            n += snprintf(line + n, (size_t)(LINE - n), " %s=%u", iba_findings[k].name, (unsigned)r.n_reported[k]);
    cr_assert(n > 0 && n + 1 < LINE);
    line[n] = '\n';
    line[n + 1] = '\0';
}

/* Calls `each` with the golden line of every network, in the order of the file. */
static void every_line(void (*each)(FILE *golden, const char *line), FILE *golden)
{
    char line[LINE];

    for (unsigned network = 0; network < SCORE_NETWORKS; network++)
        for (unsigned mode = 0; mode < SCORE_MODES; mode++)
            for (uint64_t i = 0; i < (network == SCORE_PLAIN ? PLAIN : OTHERS); i++) {
                describe(line, (enum score_network)network, (enum score_mode)mode, FIRST + i);
                each(golden, line);
            }
}

static void write_line(FILE *golden, const char *line)
{
    cr_assert(fputs(line, golden) >= 0);
}

static unsigned differ;

static void compare_line(FILE *golden, const char *line)
{
    char old[LINE] = "(nothing)\n";

    (void)!fgets(old, sizeof old, golden);
    if (strcmp(old, line) == 0)
        return;
    if (differ++ < SHOWN)
        printf("-%s+%s", old, line);
}

Test(findings, are_what_they_were)
{
    const bool bless = getenv("IBPROOF_BLESS") != NULL;
    FILE *golden = fopen(golden_path, bless ? "w" : "r");
    char rest[LINE];

    cr_assert(golden != NULL, "%s: cannot be opened", golden_path);
    every_line(bless ? write_line : compare_line, golden);
    cr_expect(bless || !fgets(rest, sizeof rest, golden), "%s has more lines", golden_path);
    fclose(golden);
    cr_assert_eq(
        differ, 0,
        "%u networks are judged otherwise (the first %d are shown); when that is meant: cmake --build build/dev "
        "--target bless",
        differ, SHOWN);
}

/* Short networks with many faults, in which small mistakes of the observer show that other networks do not show. */
static const struct short_network {
    enum score_network network;
    enum score_mode mode;
    uint64_t seed;
} short_networks[] = {{SCORE_PLAIN, SCORE_WHOLE, 7000000},          {SCORE_REORDERING, SCORE_WHOLE, 7000000},
                      {SCORE_OLDEST, SCORE_LOSSY, 7000000},         {SCORE_PLAIN, SCORE_MIDSTREAM, 7000000},
                      {SCORE_REORDERING, SCORE_MIDSTREAM, 7000000}, {SCORE_PLAIN, SCORE_WHOLE, 7000001},
                      {SCORE_REORDERING, SCORE_WHOLE, 7000001},     {SCORE_PLAIN, SCORE_LOSSY, 7000001},
                      {SCORE_REORDERING, SCORE_LOSSY, 7000001},     {SCORE_REORDERING, SCORE_WHOLE, 7000002},
                      {SCORE_SELECTIVE, SCORE_LOSSY, 7000002},      {SCORE_REUSED, SCORE_LOSSY, 7000002},
                      {SCORE_REORDERING, SCORE_MIDSTREAM, 7000002}, {SCORE_PLAIN, SCORE_WHOLE, 7000003},
                      {SCORE_REORDERING, SCORE_MIDSTREAM, 7000003}, {SCORE_SELECTIVE, SCORE_MIDSTREAM, 7000003},
                      {SCORE_PLAIN, SCORE_WHOLE, 7000004},          {SCORE_ADAPTIVE, SCORE_WHOLE, 7000005},
                      {SCORE_REUSED, SCORE_WHOLE, 7000005},         {SCORE_SELECTIVE, SCORE_WHOLE, 7000006},
                      {SCORE_PLAIN, SCORE_WHOLE, 7000007},          {SCORE_REUSED, SCORE_LOSSY, 7000007}};

static void describe_short(char line[GOLDEN_LINE], const struct short_network *n)
{
    static struct score_run r;
    int len;

    score_play_short(&r, n->mode, n->network, n->seed);
    for (uint32_t i = 0; i < r.n_sight; i++) {
        const struct score_sight *e = &r.sight[i];
        const uint64_t wrong = (e->found & ~(e->must | e->hidden | e->either)) | (e->must & ~e->found);
        for (unsigned k = 0; k < IBA_FINDING_FIRST_CM; k++)
            cr_expect(!(wrong >> k & 1), "%s, network %u, packet %u: %s is %s", score_networks[n->network],
                      (unsigned)n->seed, i + 1, iba_findings[k].name, e->found >> k & 1 ? "wrong" : "missing");
    }
    len = snprintf(line, GOLDEN_LINE, "%s %s %" PRIu64 " %016" PRIx64, score_networks[n->network], score_ways[n->mode],
                   n->seed, r.digest);
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        if (r.n_reported[k])
            len += snprintf(line + len, (size_t)(GOLDEN_LINE - len), " %s=%u", iba_findings[k].name, r.n_reported[k]);
    memcpy(line + len, "\n", 2);
}

/* All that is true of these networks is found, and nothing else; causes and counts are what they were. */
Test(findings, of_short_networks_are_right)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/observer/test/short.golden");
    char line[GOLDEN_LINE];

    for (unsigned i = 0; i < sizeof short_networks / sizeof *short_networks; i++) {
        describe_short(line, &short_networks[i]);
        golden_line(&g, line);
    }
    golden_close(&g);
}
