/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/moment.h"
#include <string.h>
#include <time.h>

/* Days from 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t days(int64_t y, int64_t m, int64_t d)
{
    y -= m <= 2;
    const int64_t era = y / 400, of_era = y - era * 400;
    const int64_t of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Reads `lead`, then exactly `digits` digits at *s, and moves *s past them. */
static bool take_digits(const char **s, const char *lead, unsigned digits, int *out)
{
    const char *at = *s;
    int v = 0;

    if (*lead && (!*at || !strchr(lead, *at++)))
        return false;
    for (; digits; digits--, at++) {
        if (*at < '0' || *at > '9')
            return false;
        v = v * 10 + (*at - '0');
    }
    *s = at;
    *out = v;
    return true;
}

/* Reads a fraction such as ".5" at *s as nanoseconds; 0 where there is none. */
static int64_t take_fraction(const char **s)
{
    int64_t unit = 1000000000, ns = 0;

    if (**s != '.')
        return 0;
    for (++*s; **s >= '0' && **s <= '9' && unit > 1; ++*s) {
        unit /= 10;
        ns += unit * (**s - '0');
    }
    return ns;
}

static bool is_day(int y, int m, int d)
{
    return y >= 1970 && y <= 2200 && m >= 1 && m <= 12 && d >= 1 &&
           days(y, m, d) < (m < 12 ? days(y, m + 1, 1) : days(y + 1, 1, 1));
}

bool moment_date(const char *s, int64_t *ns)
{
    int y, mon, d, h = 0, min = 0, sec = 0;
    int64_t fraction = 0;

    if (!take_digits(&s, "", 4, &y) || !take_digits(&s, "-", 2, &mon) || !take_digits(&s, "-", 2, &d) ||
        !is_day(y, mon, d))
        return false;
    if (take_digits(&s, " T", 2, &h)) {
        if (!take_digits(&s, ":", 2, &min))
            return false;
        if (take_digits(&s, ":", 2, &sec))
            fraction = take_fraction(&s);
    }
    const bool utc = *s == 'Z';
    if (s[utc] != '\0' || h > 23 || min > 59 || sec > 60)
        return false;
    struct tm tm = {.tm_year = y - 1900, .tm_mon = mon - 1, .tm_mday = d, .tm_hour = h, .tm_min = min, .tm_sec = sec};
    tm.tm_isdst = -1;
    const int64_t seconds = utc ? ((days(y, mon, d) * 24 + h) * 60 + min) * 60 + sec : (int64_t)mktime(&tm);
    *ns = seconds * 1000000000 + fraction;
    return true;
}

bool moment_seconds(const char *s, size_t n, int64_t *ns)
{
    int64_t v = 0;
    int decimals = -1;

    for (size_t i = 0; i < n; i++) {
        if (s[i] == '.' && decimals < 0 && i > 0) {
            decimals = 0;
            continue;
        }
        if (s[i] < '0' || s[i] > '9' || decimals == 9 || v > INT64_MAX / 10 - 1)
            return false;
        v = v * 10 + (s[i] - '0');
        decimals += decimals >= 0;
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 9; i++) {
        if (v > INT64_MAX / 10)
            return false;
        v *= 10;
    }
    *ns = v;
    return n > 0;
}
