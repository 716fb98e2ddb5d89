/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays the whole suite against the reference, each scenario on one link, and records the frames that the scenario
 * sends, the verbs that it calls, and how it ends when one frame of the device is changed. script.golden has a line for
 * each scenario:
 *
 * id, digest of the file, link, verdict, digest of frames and verbs; then for two changed frames the verdict, the line,
 * and a digest of the finding
 *
 * A scenario that is new, or whose file has changed since, is not compared (test/golden.h says how to renew the file).
 * IBPROOF_VERBOSE=1 prints what was expected and what came. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "changed_wire.h"
#include "recorder.h"
#include "test/golden.h"

enum { LINE = 512, LEAST_PERCENT = 80, CHANGES = 2 };
#define GOLDEN IBPROOF_SOURCE_DIR "/conformance/run/test/script.golden"

static struct ibc_result play(struct ibc_target *t, const struct ibc_scenario *s, uint32_t link)
{
    struct ibc_result r;

    ibc_run(s, t, &(struct ibc_options){.seed = 1, .link = link}, &r);
    return r;
}

static uint32_t found(const struct ibc_result *r)
{
    const char *const words[] = {r->finding.expected, r->finding.got, r->finding.variation, r->finding.sentence,
                                 r->measured};
    uint64_t d = GOLDEN_EMPTY;

    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        d = golden_text(d, words[i]);
    return golden_short(d);
}

static void print_changed(struct changed_wire *w, const struct ibc_scenario *s, uint32_t link, unsigned frames,
                          char line[LINE])
{
    struct iba_random random;

    iba_random_seed(&random, golden_text(GOLDEN_EMPTY, s->id));
    for (unsigned i = 0; i < CHANGES; i++) {
        const uint64_t seed = iba_random_next(&random);
        changed_wire_begin(w, seed, (long)iba_random_below(&random, frames), false);
        struct ibc_result r = play(w->t, s, link);
        const size_t used = strlen(line);
        (void)snprintf(line + used, LINE - used, " | %s %u %08x", ibc_verdict_names[r.verdict], r.finding.line,
                       found(&r));
        if (getenv("IBPROOF_VERBOSE"))
            printf("%s: %s %u: %s; got %s\n", s->id, ibc_verdict_names[r.verdict], r.finding.line, r.finding.expected,
                   r.finding.got);
        ibc_result_clear(&r);
    }
}

static void line_of(struct changed_wire *w, const struct ibc_scenario *s, char line[LINE])
{
    const uint64_t file = golden_file(s->path);
    const uint32_t link = (uint32_t)(golden_text(GOLDEN_EMPTY, s->id) % IBC_LINK_COUNT);

    changed_wire_begin(w, 0, WIRE_NO_FRAME, false);
    recorder_begin();
    struct ibc_result r = play(w->t, s, link);
    const unsigned frames = w->all;
    (void)snprintf(line, LINE, "%s %08x link %u %s %08x", s->id, golden_short(file), link, ibc_verdict_names[r.verdict],
                   golden_short(recorder_sum()));
    ibc_result_clear(&r);
    if (frames > 0)
        print_changed(w, s, link, frames, line);
}

/* Returns the length of "id digest ", with which a line begins. */
static size_t head_of(const char *line)
{
    const size_t id = strcspn(line, " ") + 1;

    return id + strcspn(line + id, " ") + 1;
}

Test(script, of_every_scenario)
{
    char err[512] = "", line[LINE];
    struct ibc_suite suite;
    struct golden_rows golden = golden_rows_open(GOLDEN);

    cr_assert(ibc_suite_load(&suite, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err), "%s", err);
    struct changed_wire *w = changed_wire_open();
    recorder_attach();
    for (size_t i = 0; i < suite.n; i++) {
        line_of(w, suite.s[i], line);
        golden_row(&golden, line, head_of(line));
    }
    golden_rows_close(&golden, LEAST_PERCENT);
    changed_wire_close(w);
    ibc_suite_free(&suite);
}
