/* SPDX-License-Identifier: BSD-2-Clause */
/* All broken engines: which clauses each one breaks, what it does, and how many frames of the tour it sends before one
 * differs from the reference's. broken.golden has a line for each:
 *
 * name, digest of clauses and sentence, number of frames that it sends, the first frame that differs ("-": none)
 *
 * An engine that is new is not compared (test/golden.h says how to renew the file). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "targets/mutant.h"
#include "test/golden.h"
#include "tour.h"

enum { LINE = 256, LEAST_PERCENT = 80 };
#define GOLDEN IBPROOF_SOURCE_DIR "/conformance/targets/test/broken.golden"

static uint32_t digest(const char *one, const char *other) /* FNV-1a */
{
    uint32_t h = 0x811c9dc5;

    for (; *one; one++)
        h = (h ^ (uint8_t)*one) * 0x01000193;
    for (; *other; other++)
        h = (h ^ (uint8_t)*other) * 0x01000193;
    return h;
}

static struct tour *tour_of(const char *spec, enum ibc_link link)
{
    char err[200] = "";
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);

    cr_assert_not_null(t, "%s", err);
    struct tour *r = tour_run(t, link, 3);
    ibc_target_close(t);
    return r;
}

/* Returns the index of the first frame that differs; if no frame differs, the number of frames. */
static unsigned first_other(const struct tour *a, const struct tour *b)
{
    unsigned i = 0;

    while (i < a->n && i < b->n && a->len[i] == b->len[i] && memcmp(a->frame[i], b->frame[i], a->len[i]) == 0)
        i++;
    return i;
}

static void line_of(const struct ibc_mutant *m, struct tour *const whole[IBC_LINK_COUNT], char line[LINE])
{
    const enum ibc_link link = (enum ibc_link)(digest(m->spec, "") % IBC_LINK_COUNT);
    char tour[32] = "";

    if (strncmp(m->spec, "mutant:fabric.", 14) != 0) { /* the tour has no subnet */
        struct tour *r = tour_of(m->spec, link);
        const unsigned at = first_other(r, whole[link]);
        (void)snprintf(tour, sizeof tour, at == r->n && at == whole[link]->n ? " %u -" : " %u %u", r->n, at);
        tour_free(r);
    }
    (void)snprintf(line, LINE, "%s %08x%s", m->spec, digest(m->clause, m->says), tour);
}

Test(broken, each_as_before, .timeout = 280)
{
    struct tour *whole[IBC_LINK_COUNT];
    struct golden_rows golden = golden_rows_open(GOLDEN);
    char line[LINE];
    struct ibc_mutant m;

    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        whole[l] = tour_of("reference", (enum ibc_link)l);
    for (size_t i = 0; ibc_mutant_at(i, &m); i++) {
        line_of(&m, whole, line);
        golden_row(&golden, line, strcspn(line, " ") + 1);
    }
    golden_rows_close(&golden, LEAST_PERCENT);
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        tour_free(whole[l]);
}
