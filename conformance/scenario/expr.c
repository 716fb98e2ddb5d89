/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr.h"
#include <stddef.h>
#include <string.h>

struct expr {
    const char *s;
    bool time, unit; /* unit: a unit was seen */
    const char *why;
};

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(char c)
{
    return digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool no(struct expr *e, const char *why)
{
    if (e->why == NULL)
        e->why = why;
    return false;
}

static bool times(struct expr *e, uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a * b;
    return a == 0 || *out / a == b || no(e, "more than 64 bits");
}

static bool plus(struct expr *e, uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a + b;
    return *out >= a || no(e, "more than 64 bits");
}

static bool digits(struct expr *e, uint64_t *out)
{
    const bool hex = e->s[0] == '0' && (e->s[1] == 'x' || e->s[1] == 'X');
    int d;

    if (hex)
        e->s += 2;
    if (hex ? hex_digit(*e->s) < 0 : !digit(*e->s))
        return no(e, "no number");
    for (*out = 0; (d = hex_digit(*e->s)) >= 0 && (hex || d < 10); e->s++)
        if (!times(e, *out, hex ? 16 : 10, out) || !plus(e, *out, (uint64_t)d, out))
            return false;
    return true;
}

static const struct {
    const char *name;
    uint64_t factor;
    bool time;
} units[] = {{"KiB", 1024, false}, {"MiB", 1024 * 1024, false}, {"ns", 1, true},
             {"us", 1000, true},   {"ms", 1000000, true},       {"s", 1000000000, true}};

/* Reads the letters after a number as a unit. */
static bool unit(struct expr *e, uint64_t *factor)
{
    size_t n = 0;

    *factor = 1;
    while (letter(e->s[n]))
        n++;
    if (n == 0)
        return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].time == e->time && strlen(units[i].name) == n && memcmp(units[i].name, e->s, n) == 0) {
            e->s += n;
            e->unit = true;
            *factor = units[i].factor;
            return true;
        }
    return no(e, e->time ? "a time ends in ns, us, ms or s" : "a number ends in digits, KiB or MiB");
}

/* Reads a number such as "12", "0x0c", "64KiB" or "1.5ms". */
static bool number(struct expr *e, uint64_t *out)
{
    uint64_t fraction = 0, scale = 1, factor;

    if (!digits(e, out))
        return false;
    if (e->time && e->s[0] == '.' && digit(e->s[1]))
        for (e->s++; digit(*e->s); e->s++)
            if (scale < 1000000000)
                fraction = fraction * 10 + (uint64_t)(*e->s - '0'), scale *= 10;
    if (!unit(e, &factor) || !times(e, *out, factor, out))
        return false;
    return plus(e, *out, fraction * factor / scale, out);
}

static bool product(struct expr *e, uint64_t *out)
{
    uint64_t n;

    if (!number(e, out))
        return false;
    while (*e->s == '*' || *e->s == '/') {
        const char op = *e->s++;

        if (!number(e, &n))
            return false;
        if (op == '/' && n == 0)
            return no(e, "division by 0");
        if (op == '/')
            *out /= n;
        else if (!times(e, *out, n, out))
            return false;
    }
    return true;
}

static bool sum(struct expr *e, uint64_t *up, uint64_t *down)
{
    char sign = *e->s == '+' || *e->s == '-' ? *e->s++ : '+';
    uint64_t n;

    for (*up = *down = 0;; sign = *e->s++) {
        if (!product(e, &n) || !plus(e, sign == '+' ? *up : *down, n, sign == '+' ? up : down))
            return false;
        if (*e->s != '+' && *e->s != '-')
            return true;
    }
}

bool ibc_expr(const char *s, bool time, struct ibc_number *out)
{
    struct expr e = {.s = s, .time = time};
    uint64_t up, down;

    if (sum(&e, &up, &down) && *e.s != '\0')
        no(&e, "no number");
    if (e.why == NULL && time && !e.unit && up != down)
        no(&e, "a time ends in ns, us, ms or s");
    out->why = e.why;
    if (e.why != NULL)
        return false;
    out->negative = down > up;
    out->n = down > up ? down - up : up - down;
    return true;
}

bool ibc_expr_is_compound(const char *s)
{
    struct ibc_number n;

    return digit(*s) && strpbrk(s, "+-*/") != NULL && ibc_expr(s, false, &n) && !n.negative;
}
