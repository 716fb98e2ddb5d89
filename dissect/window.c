/* SPDX-License-Identifier: BSD-2-Clause */
#include "window.h"
#include <string.h>
#include <time.h>

#define GIGA UINT64_C(1000000000)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Up to nine digits after a point, if there is one, as nanoseconds. NULL: something else. */
static const char *fraction(const char *s, uint64_t *ns)
{
    uint64_t unit = GIGA / 10;

    *ns = 0;
    if (*s != '.')
        return s;
    s++;
    if (!is_digit(*s))
        return NULL;
    for (; is_digit(*s); s++, unit /= 10) {
        if (unit == 0)
            return NULL;
        *ns += (uint64_t)(*s - '0') * unit;
    }
    return s;
}

static bool seconds(const char *s, uint64_t *ns)
{
    uint64_t whole = 0, part;

    if (!is_digit(*s))
        return false;
    for (; is_digit(*s); s++) {
        whole = whole * 10 + (uint64_t)(*s - '0');
        if (whole >= UINT64_MAX / GIGA)
            return false;
    }
    s = fraction(s, &part);
    *ns = whole * GIGA + (s ? part : 0);
    return s && *s == '\0';
}

/* mktime() makes 1 March of 30 February. */
static bool same_day(const struct tm *a, const struct tm *b)
{
    return a->tm_mday == b->tm_mday && a->tm_mon == b->tm_mon;
}

static bool date(const char *text, uint64_t *ns)
{
    struct tm t = {.tm_isdst = -1}, asked;
    const char *s = strptime(text, "%Y-%m-%d", &t);
    uint64_t part = 0;
    time_t at;

    if (s && (*s == 'T' || *s == ' ')) {
        const char *const clock = s + 1;
        s = strptime(clock, "%H:%M:%S", &t);
        s = s ? fraction(s, &part) : strptime(clock, "%H:%M", &t);
    }
    if (!s || (*s != '\0' && strcmp(s, "Z") != 0))
        return false;
    asked = t;
    t.tm_isdst = -1;
    at = *s == 'Z' ? timegm(&t) : mktime(&t);
    *ns = (uint64_t)at * GIGA + part;
    return at >= 0 && (uint64_t)at < UINT64_MAX / GIGA && same_day(&asked, &t);
}

bool window_edge_parse(struct window_edge *e, const char *text)
{
    *e = (struct window_edge){.set = true, .after_first = *text == '+'};
    if (e->after_first)
        return seconds(text + 1, &e->ns);
    return seconds(text, &e->ns) || date(text, &e->ns);
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
