/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole suite against the reference, each scenario on one link: the frames that it sends and the verbs that it
 * calls; and how it ends when one frame of the device is changed. script.golden has a line for each scenario:
 *
 *   id, digest of the file, link, verdict, digest of frames and verbs, and for two changed frames verdict, line and a
 *   digest of what was expected and of what came
 *
 * A scenario that is new, or whose file has changed since, is not compared. After a change that is meant, run with
 * IBPROOF_BLESS=1; IBPROOF_VERBOSE=1 prints what was expected and what came. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "changed_wire.h"
#include "recorder.h"

enum { LINE = 512, LEAST_PERCENT = 80, CHANGES = 2 };
#define GOLDEN IBPROOF_SOURCE_DIR "/conformance/run/test/script.golden"

static uint64_t digest_of_file(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *f = fopen(path, "r");

    cr_assert_not_null(f, "%s", path);
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    (void)fclose(f);
    return recorder_digest(0, bytes, n);
}

static struct ibc_result play(struct ibc_target *t, const struct ibc_scenario *s, uint32_t link)
{
    struct ibc_result r;

    ibc_run(s, t, &(struct ibc_options){.seed = 1, .link = link}, &r);
    return r;
}

static uint32_t short_of(uint64_t digest)
{
    return (uint32_t)(digest ^ digest >> 32);
}

static uint32_t found(const struct ibc_result *r)
{
    uint64_t d = recorder_digest(0, r->finding.expected, strlen(r->finding.expected));

    d = recorder_digest(d, r->finding.got, strlen(r->finding.got));
    d = recorder_digest(d, r->finding.variation, strlen(r->finding.variation));
    d = recorder_digest(d, r->finding.sentence, strlen(r->finding.sentence));
    return short_of(recorder_digest(d, r->measured, strlen(r->measured)));
}

static void print_changed(struct changed_wire *w, const struct ibc_scenario *s, uint32_t link, unsigned frames,
                          char line[LINE])
{
    struct iba_random random;

    iba_random_seed(&random, recorder_digest(0, s->id, strlen(s->id)));
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
    const uint64_t file = digest_of_file(s->path);
    const uint32_t link = (uint32_t)(recorder_digest(0, s->id, strlen(s->id)) % IBC_LINK_COUNT);

    changed_wire_begin(w, 0, WIRE_NO_FRAME, false);
    recorder_begin();
    struct ibc_result r = play(w->t, s, link);
    const unsigned frames = w->all;
    (void)snprintf(line, LINE, "%s %08x link %u %s %08x", s->id, short_of(file), link, ibc_verdict_names[r.verdict],
                   short_of(recorder_sum()));
    ibc_result_clear(&r);
    if (frames > 0)
        print_changed(w, s, link, frames, line);
}

/* "id digest " of a line */
static size_t head_of(const char *line)
{
    const size_t id = strcspn(line, " ") + 1;

    return id + strcspn(line + id, " ") + 1;
}

/* Whether the golden has a line of that scenario and file; *same: and of that content. */
static bool is_known(const char *golden, const char *line, bool *same)
{
    const size_t head = head_of(line), n = strlen(line);

    for (const char *at = golden; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, line, head) != 0)
            continue;
        *same = strncmp(at, line, n) == 0 && at[n] == '\n';
        return true;
    }
    return false;
}

static char *read_golden(void)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    FILE *f = fopen(GOLDEN, "r");

    cr_assert(text && f, "%s", GOLDEN);
    (void)fread(text, 1, MOST - 1, f);
    (void)fclose(f);
    return text;
}

Test(script, of_every_scenario)
{
    char err[512] = "", line[LINE];
    struct ibc_suite suite;
    unsigned known = 0;
    const bool bless = getenv("IBPROOF_BLESS") != NULL;
    FILE *out = bless ? fopen(GOLDEN, "w") : NULL;
    char *golden = bless ? NULL : read_golden();

    cr_assert(ibc_suite_load(&suite, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err), "%s", err);
    struct changed_wire *w = changed_wire_open();
    recorder_attach();
    for (size_t i = 0; i < suite.n; i++) {
        bool same = true;
        line_of(w, suite.s[i], line);
        if (out)
            (void)fprintf(out, "%s\n", line);
        else if (is_known(golden, line, &same))
            known++;
        cr_expect(same, "not as before: %s", line);
    }
    cr_expect(bless || 100 * known >= LEAST_PERCENT * suite.n,
              "only %u of %zu scenarios are as before: renew the golden", known, suite.n);
    if (out)
        cr_assert_eq(fclose(out), 0);
    free(golden);
    changed_wire_close(w);
    ibc_suite_free(&suite);
}
