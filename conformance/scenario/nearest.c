/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "scenario.h"

enum { LONGEST = 48 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns the number of letters to change, add, drop or swap with a neighbour to turn one word into the other. A
 * result of `far` or more means that they are not similar. */
static unsigned distance(const char *a, size_t n_a, const char *b, size_t n_b, unsigned far)
{
    unsigned row[3][LONGEST + 1];
    unsigned *before = row[0], *last = row[1], *now = row[2], *spare;

    if ((n_a > n_b ? n_a - n_b : n_b - n_a) >= far)
        return far;
    for (size_t j = 0; j <= n_b; j++)
        before[j] = 0, last[j] = (unsigned)j;
    for (size_t i = 1; i <= n_a; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= n_b; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        spare = before, before = last, last = now, now = spare;
    }
    return last[n_b];
}

const char *ibc_nearest(const char *word, const char *(*name)(size_t i, const void *ctx), size_t n, const void *ctx)
{
    const size_t len = strlen(word);
    unsigned best = (unsigned)(len < 3 ? 2 : len / 3 + 2), d;
    size_t at = n;

    if (len > LONGEST)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const char *s = name(i, ctx);
        const size_t n_s = strlen(s);

        if (strcmp(s, word) == 0) /* the word is known, but not allowed in this place */
            return NULL;
        if (n_s > LONGEST || n_s == 0)
            continue;
        d = distance(word, len, s, n_s, best);
        if (d < best && d < (len > n_s ? len : n_s)) /* at least one letter must remain */
            best = d, at = i;
    }
    return at < n ? name(at, ctx) : NULL;
}
