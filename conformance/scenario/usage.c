/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/usage.h"
#include <stdio.h>
#include <string.h>
#include "scenario/scenario.h"

void ibc_usage_print(const struct ibc_usage *rows, size_t n, int width)
{
    for (size_t i = 0; i < n; i++) {
        const char *what = rows[i].what, *end;
        printf("  %-*s", width, rows[i].form);
        for (; (end = strchr(what, '\n')) != NULL; what = end + 1)
            printf("%.*s\n  %*s", (int)(end - what), what, width, "");
        puts(what);
    }
}

static const char *name_of(size_t i, const void *longs)
{
    return ((const struct option *)longs)[i].name;
}

/* Returns the option that the word names, without the value after '='; NULL: there is none. */
static const struct option *find(const struct option *longs, const char *name, size_t len)
{
    for (; longs->name; longs++)
        if (strlen(longs->name) == len && memcmp(longs->name, name, len) == 0)
            return longs;
    return NULL;
}

void ibc_usage_fault(char text[IBC_USAGE_FAULT], const struct option *longs, const char *word, bool lacks_value)
{
    const bool is_long = strncmp(word, "--", 2) == 0;
    const char *name = is_long ? word + 2 : word;
    const int len = (int)strcspn(name, "=");
    char bare[64];
    size_t n = 0;

    while (longs[n].name)
        n++;
    snprintf(bare, sizeof bare, "%.*s", len, name);
    const char *near = is_long ? ibc_nearest(bare, name_of, n, longs) : NULL;
    if (lacks_value)
        snprintf(text, IBC_USAGE_FAULT, "%.100s: wants a value", word);
    else if (is_long && find(longs, name, (size_t)len))
        snprintf(text, IBC_USAGE_FAULT, "%.100s: takes no value", word);
    else
        snprintf(text, IBC_USAGE_FAULT, "%.100s: no such option%s%s%s", word, near ? "; did you mean --" : "",
                 near ? near : "", near ? "?" : "");
}
