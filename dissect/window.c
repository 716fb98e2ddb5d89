/* SPDX-License-Identifier: BSD-2-Clause */
#include "window.h"
#include <string.h>
#include "field/moment.h"

/* Whether the text has a point without a digit after it, which moment.c would accept. */
static bool has_bare_point(const char *text)
{
    const char *point = strchr(text, '.');

    return point && (point[1] < '0' || point[1] > '9');
}

bool window_edge_parse(struct window_edge *e, const char *text)
{
    const bool after_first = *text == '+';
    const char *const s = text + after_first;
    int64_t ns;

    if (has_bare_point(s) || (!moment_seconds(s, strlen(s), &ns) && (after_first || !moment_date(s, &ns))) || ns < 0)
        return false;
    *e = (struct window_edge){.set = true, .after_first = after_first, .ns = (uint64_t)ns};
    return true;
}

bool window_is_empty(const struct window *w)
{
    return w->from.set && w->to.set && w->from.after_first == w->to.after_first && w->from.ns >= w->to.ns;
}

static uint64_t edge(const struct window_edge *e, uint64_t first_ns)
{
    const uint64_t from = e->after_first ? first_ns : 0;

    return e->ns > UINT64_MAX - from ? UINT64_MAX : from + e->ns;
}

bool window_has(const struct window *w, uint64_t first_ns, uint64_t ns)
{
    return (!w->from.set || ns >= edge(&w->from, first_ns)) && (!w->to.set || ns < edge(&w->to, first_ns));
}
