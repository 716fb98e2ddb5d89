/* SPDX-License-Identifier: BSD-2-Clause */
#include "markup.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void html_text(struct out *o, const char *name, const char *c, const char *s, size_t n)
{
    out_ch(o, '<');
    out_str(o, name);
    if (c) {
        OUT_LIT(o, " class=\"");
        out_str(o, c);
        out_ch(o, '"');
    }
    out_ch(o, '>');
    out_xml(o, s, n);
    OUT_LIT(o, "</");
    out_str(o, name);
    out_ch(o, '>');
}

void html_str(struct out *o, const char *name, const char *c, const char *s)
{
    html_text(o, name, c, s, strlen(s));
}

void html_number(struct out *o, const char *name, const char *c, uint64_t n)
{
    char text[24];

    html_text(o, name, c, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, n));
}

/* ---- links ---- */
static void percent(struct out *o, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isalnum((unsigned char)s[i]) || strchr("-._~/", s[i] ? s[i] : ' '))
            out_ch(o, s[i]);
        else {
            out_ch(o, '%');
            out_hex_bytes(o, (const uint8_t *)&s[i], 1);
        }
    }
}

void html_case_link(struct out *o, const char *id)
{
    OUT_LIT(o, " href=\"#");
    percent(o, id, strlen(id));
    out_ch(o, '"');
}

/* Returns the length of the folders that two absolute paths have in common, including the last slash. */
static size_t common_folders(const char *a, const char *b)
{
    size_t end = 0;

    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            end = i + 1;
    return end;
}

void html_file_link(struct out *o, const char *report, const char *file)
{
    char from[PATH_MAX], to[PATH_MAX];

    OUT_LIT(o, " href=\"");
    if (report && realpath(report, from) && realpath(file, to)) {
        const size_t same = common_folders(from, to);

        OUT_LIT(o, "./");
        for (const char *up = strchr(from + same, '/'); up; up = strchr(up + 1, '/'))
            OUT_LIT(o, "../");
        percent(o, to + same, strlen(to + same));
    } else {
        if (*file != '/')
            OUT_LIT(o, "./"); /* so that no browser takes a name with ':' for a URL scheme */
        percent(o, file, strlen(file));
    }
    out_ch(o, '"');
}

/* ---- words ---- */
void html_counts(struct out *o, const unsigned count[IBC_IS_COUNT])
{
    bool any = false;

    for (size_t i = 0; i < IBC_IS_COUNT; i++) {
        const struct rep_verdict *v = &rep_verdicts[i];

        if (count[v->v] == 0)
            continue;
        if (any)
            OUT_LIT(o, ", ");
        out_u64(o, count[v->v]);
        out_ch(o, ' ');
        out_str(o, v->counted);
        any = true;
    }
}

const char *html_tone(enum ibc_verdict v)
{
    switch (v) {
    case IBC_IS_PASS: return "good";
    case IBC_IS_FAIL:
    case IBC_IS_XPASS:
    case IBC_IS_ERROR: return "bad";
    case IBC_IS_INFO: return "note";
    case IBC_IS_NOT_APPLICABLE:
    case IBC_IS_UNSUPPORTED: return "off";
    default: return "warn";
    }
}

void html_duration(struct out *o, uint64_t ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    char text[40];
    size_t u = 0;

    while (u < 2 && (double)ns < units[u].ns)
        u++;
    snprintf(text, sizeof text, "%.3g %s", (double)ns / units[u].ns, units[u].unit);
    out_str(o, text);
}
