/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays the whole suite against the reference, each scenario on one link, while one answer of the device is wrong: the
 * result of a verb, a completion, an event, an attribute, a byte of memory, a counter, or a frame. The frame is
 * changed, comes twice, or is lost. The golden file has a line for each scenario:
 *
 * id, digest of the file, link; then for each wrong answer what it was, the verdict's first letter, and a digest of the
 * finding
 *
 * A scenario that is new, or whose file has changed since, is not compared (test/golden.h says how to renew the file).
 * IBPROOF_VERBOSE=ID prints what was expected and what came. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "answers.h"
#include "cases.h"
#include "sim/iba_random.h"
#include "suite_rows.h"
#include "test/golden.h"

enum { LEAST_PERCENT = 80, WRONG = 10 };
#define GOLDEN IBPROOF_SOURCE_DIR "/conformance/run/test/wrong_answers.golden"

static uint32_t found(const struct ibc_result *r)
{
    const char *const words[] = {r->finding.expected, r->finding.got, r->finding.variation, r->finding.sentence,
                                 r->measured};
    uint64_t d = golden_number(golden_number(GOLDEN_EMPTY, r->verdict), r->finding.line);

    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        d = golden_text(d, words[i]);
    return golden_short(d);
}

static struct ibc_result play(struct ibc_target *t, const struct ibc_scenario *s, uint32_t link)
{
    struct ibc_result r;

    ibc_run(s, t, &(struct ibc_options){.seed = 1, .link = link}, &r);
    return r;
}

/* Draws one kind of answer. */
static enum answer drawn(struct iba_random *random, const unsigned n[ANSWER_KINDS])
{
    unsigned kinds = 0, k;

    if (n[ANSWER_frame] > 0 && iba_random_below(random, 3) == 0)
        return ANSWER_frame;
    for (k = 0; k < ANSWER_KINDS; k++)
        kinds += n[k] > 0;
    unsigned left = (unsigned)iba_random_below(random, kinds);
    for (k = 0; n[k] == 0 || left > 0; k++)
        left -= n[k] > 0;
    return (enum answer)k;
}

static void play_wrong(struct ibc_target *t, const struct ibc_scenario *s, uint32_t link,
                       const unsigned n[ANSWER_KINDS], char line[SUITE_ROW])
{
    const char *const wanted = getenv("IBPROOF_VERBOSE");
    struct iba_random random;

    iba_random_seed(&random, golden_text(GOLDEN_EMPTY, s->id) + 1);
    for (unsigned i = 0; i < WRONG; i++) {
        const enum answer kind = drawn(&random, n);
        const long place = (long)iba_random_below(&random, n[kind]);
        answers_begin(kind, place, iba_random_next(&random));
        struct ibc_result r = play(t, s, link);
        const size_t used = strlen(line);
        (void)snprintf(line + used, SUITE_ROW - used, " %s.%c%04x", answers_changed() ? answers_changed() : "nothing",
                       *ibc_verdict_names[r.verdict], found(&r) & 0xffff);
        if (wanted && strcmp(wanted, s->id) == 0)
            printf("%s: %s %u: %s; got %s\n", answers_changed(), ibc_verdict_names[r.verdict], r.finding.line,
                   r.finding.expected, r.finding.got);
        ibc_result_clear(&r);
    }
}

static bool row_of(struct ibc_target *t, const struct ibc_scenario *s, char line[SUITE_ROW])
{
    const uint64_t file = golden_file(s->path);
    const uint32_t link = (uint32_t)(golden_text(GOLDEN_EMPTY, s->id) / 16 % IBC_LINK_COUNT);

    unsigned n[ANSWER_KINDS], all = 0;

    answers_begin(ANSWER_frame, ANSWERS_NONE, 0);
    struct ibc_result r = play(t, s, link);
    (void)snprintf(line, SUITE_ROW, "%s %08x link %u %s", s->id, golden_short(file), link,
                   ibc_verdict_names[r.verdict]);
    ibc_result_clear(&r);
    for (enum answer k = 0; k < ANSWER_KINDS; k++)
        all += n[k] = answers_count(k);
    if (all > 0)
        play_wrong(t, s, link, n, line);
    return true;
}

Test(wrong_answers, in_every_scenario)
{
    struct ibc_target *t = open_changed();
    answers_attach();
    suite_rows(t, row_of, GOLDEN, LEAST_PERCENT);
    t->ops = whole;
    ibc_target_close(t);
}
