/* SPDX-License-Identifier: BSD-2-Clause */
#include "narrow.h"
#include <errno.h>
#include <stdlib.h>
#include "earlier.h"
#include "fault.h"
#include "reports.h"

/* Whether the scenario is played again: the device failed it, or was not judged. */
static bool to_play_again(enum ibc_verdict v)
{
    return ibc_failed(v) || v == IBC_IS_ERROR || v == IBC_IS_INCONCLUSIVE || v == IBC_IS_XPASS;
}

static int keep_failed(struct selection *sel, const char *path)
{
    struct earlier old = {.n = 0};
    int rc = earlier_open(&old, path);
    size_t kept = 0;

    if (rc == EXIT_OK && earlier_find(&old, REPORTS_NO_RESULT))
        rc = wrong(EXIT_USAGE, "--rerun-failed %s: that run did not end, and has no results", path);

    for (size_t i = 0; rc == EXIT_OK && i < sel->n; i++) {
        const struct earlier_case *was = earlier_find(&old, sel->s[i]->id);
        if (was && to_play_again(was->verdict))
            sel->s[kept++] = sel->s[i];
    }
    earlier_free(&old);
    if (rc != EXIT_OK)
        return rc;
    sel->n = kept;
    return kept > 0 ? EXIT_OK : wrong(EXIT_USAGE, "--rerun-failed %s: none of what was chosen failed there", path);
}

static unsigned long number(const char **at)
{
    char *end;

    if (**at < '1') /* a blank or a sign, which strtoul() takes; of a letter it takes nothing */
        return 0;
    const unsigned long n = strtoul(*at, &end, 10);
    *at = end;
    return n;
}

/* Keeps part "I/N": every Nth scenario from the Ith on, so that each part has scenarios of all kinds and takes
 * about as long as the others. */
static int keep_part(struct selection *sel, const char *part)
{
    const char *at = part;
    size_t kept = 0;

    errno = 0;
    const unsigned long i = number(&at);
    const unsigned long n = *at == '/' ? (at++, number(&at)) : 0;
    if (errno || i == 0 || n == 0 || *at || i > n)
        return wrong(EXIT_USAGE, "--shard %s: want I/N, as 1/4 to 4/4", part);
    for (size_t k = i - 1; k < sel->n; k += n)
        sel->s[kept++] = sel->s[k];
    if (kept == 0)
        return wrong(EXIT_USAGE, "--shard %s: only %zu scenario%s chosen", part, sel->n, sel->n == 1 ? " is" : "s are");
    sel->n = kept;
    return EXIT_OK;
}

int narrow_selection(struct selection *sel, const struct options *o)
{
    int rc = EXIT_OK;

    if (o->rerun_failed)
        rc = keep_failed(sel, o->rerun_failed);
    if (rc == EXIT_OK && o->shard)
        rc = keep_part(sel, o->shard);
    return rc;
}
