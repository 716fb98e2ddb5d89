/* SPDX-License-Identifier: BSD-2-Clause */
/* devices: compares reports of several devices side by side, as Markdown or as one HTML page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "earlier.h"
#include "fault.h"

struct page {
    FILE *to;
    bool html, all;
    struct earlier *r; /* one report for each device */
    const char *const *path;
    size_t n;
    const char **id; /* ids of the scenarios in all reports, sorted */
    size_t n_id;
};

/* Prints text of a report. The text may contain anything, and is escaped so that it cannot end the cell or the
 * line. */
static void print_text(const struct page *p, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<': fputs("&lt;", p->to); break;
        case '>': fputs("&gt;", p->to); break;
        case '&': fputs("&amp;", p->to); break;
        case '"': fputs("&quot;", p->to); break;
        case '|':
        case '`':
        case '*':
        case '[':
        case '\\': fprintf(p->to, "&#%d;", *s); break;
        default: fputc((unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s, p->to);
        }
}

/* Prints one cell; `tone` is the style class of a verdict, or NULL. */
static void print_cell(const struct page *p, bool head, const char *tone, const char *s)
{
    const char *name = head ? "th" : "td";

    if (!p->html) {
        fputs("| ", p->to);
        print_text(p, s);
        fputc(' ', p->to);
        return;
    }
    fprintf(p->to, "<%s%s%s%s>", name, tone ? " class=\"" : "", tone ? tone : "", tone ? "\"" : "");
    print_text(p, s);
    fprintf(p->to, "</%s>", name);
}

static void print_count(const struct page *p, size_t part, size_t of)
{
    char s[64];

    snprintf(s, sizeof s, "%zu of %zu", part, of);
    print_cell(p, false, of == 0 ? "off" : part == of ? "good" : "warn", of ? s : "-");
}

static void row_begin(const struct page *p)
{
    fputs(p->html ? "<tr>" : "", p->to);
}

static void row_end(const struct page *p)
{
    fputs(p->html ? "</tr>\n" : "|\n", p->to);
}

/* Returns the name of a device, which is that of its report's file without folder and ending. */
static void device_name(const struct page *p, size_t i, char out[128])
{
    const char *slash = strrchr(p->path[i], '/'), *name = slash ? slash + 1 : p->path[i];
    const size_t n = strlen(name), ending = n > 5 && strcmp(name + n - 5, ".json") == 0 ? 5 : 0;

    snprintf(out, 128, "%.*s", (int)(n - ending), name); /* no file's name is longer than 255 bytes */
}

static void table_begin(const struct page *p, const char *title, const char *first, bool devices)
{
    char name[128];

    fprintf(p->to, p->html ? "<h2>%s</h2>\n<table>\n" : "\n## %s\n\n", title);
    row_begin(p);
    print_cell(p, true, NULL, first);
    for (size_t i = 0; devices && i < p->n; i++) {
        device_name(p, i, name);
        print_cell(p, true, NULL, name);
    }
    for (int v = 0; !devices && v < IBC_IS_COUNT; v++)
        print_cell(p, true, NULL, ibc_verdict_names[v]);
    if (!devices)
        print_cell(p, true, NULL, "target");
    row_end(p);
    for (size_t i = 0; !p->html && i < (devices ? p->n + 1 : IBC_IS_COUNT + 2); i++)
        fputs("|---", p->to);
    fputs(p->html ? "" : "|\n", p->to);
}

static void table_end(const struct page *p)
{
    fputs(p->html ? "</table>\n" : "", p->to);
}

static const char *target_of(const struct earlier *r)
{
    const cJSON *run = cJSON_GetObjectItemCaseSensitive(r->root, "run");
    const cJSON *target = cJSON_GetObjectItemCaseSensitive(run, "target");

    return cJSON_IsString(target) ? target->valuestring : "";
}

static void print_devices(const struct page *p)
{
    char s[128];

    table_begin(p, "Devices", "report", false);
    for (size_t i = 0; i < p->n; i++) {
        size_t count[IBC_IS_COUNT] = {0};
        for (size_t k = 0; k < p->r[i].n; k++)
            count[p->r[i].p[k].verdict]++;
        row_begin(p);
        device_name(p, i, s);
        print_cell(p, false, NULL, s);
        for (int v = 0; v < IBC_IS_COUNT; v++) {
            snprintf(s, sizeof s, "%zu", count[v]);
            print_cell(p, false, count[v] ? NULL : "off", s);
        }
        print_cell(p, false, NULL, target_of(&p->r[i]));
        row_end(p);
    }
    table_end(p);
}

/* Returns how many bytes of an id are its group: "rc.responder" of "rc.responder.psn-gap". */
static size_t group_bytes(const char *id)
{
    const char *end = strrchr(id, '.');

    return end ? (size_t)(end - id) : strlen(id);
}

/* Whether a verdict is about the device, so that it is counted. */
static bool judges(enum ibc_verdict v)
{
    return v != IBC_IS_NOT_APPLICABLE && v != IBC_IS_UNSUPPORTED && v != IBC_IS_INFO && v != IBC_IS_ERROR &&
           v != IBC_IS_INCONCLUSIVE;
}

static bool passes(enum ibc_verdict v)
{
    return v == IBC_IS_PASS || v == IBC_IS_TOLERATED || v == IBC_IS_XPASS;
}

static void print_group(const struct page *p, size_t from, size_t end)
{
    char name[128];

    snprintf(name, sizeof name, "%.*s", (int)group_bytes(p->id[from]), p->id[from]);
    row_begin(p);
    print_cell(p, false, NULL, name);
    for (size_t i = 0; i < p->n; i++) {
        size_t good = 0, of = 0;
        for (size_t k = from; k < end; k++) {
            const struct earlier_case *c = earlier_find(&p->r[i], p->id[k]);
            of += c && judges(c->verdict);
            good += c && passes(c->verdict);
        }
        print_count(p, good, of);
    }
    row_end(p);
}

static void print_groups(const struct page *p)
{
    table_begin(p, "Groups: scenarios that passed, of those that judged the device", "group", true);
    for (size_t from = 0, end; from < p->n_id; from = end) {
        const size_t bytes = group_bytes(p->id[from]);
        for (end = from + 1;
             end < p->n_id && group_bytes(p->id[end]) == bytes && !memcmp(p->id[from], p->id[end], bytes);)
            end++;
        print_group(p, from, end);
    }
    table_end(p);
}

static const char *tone_of(enum ibc_verdict v)
{
    if (passes(v))
        return "good";
    return v == IBC_IS_FAIL || v == IBC_IS_ERROR ? "bad" : judges(v) || v == IBC_IS_INCONCLUSIVE ? "warn" : "off";
}

/* Whether the scenario has a row: some device did not pass, or the scenario did not apply to it. */
static bool worth_a_row(const struct page *p, const char *id)
{
    bool worth = p->all;

    for (size_t i = 0; !worth && i < p->n; i++) {
        const struct earlier_case *c = earlier_find(&p->r[i], id);
        worth = c && c->verdict != IBC_IS_PASS && strcmp(tone_of(c->verdict), "off") != 0;
    }
    return worth;
}

static void print_scenarios(const struct page *p)
{
    table_begin(p, p->all ? "Scenarios" : "Scenarios that a device did not pass", "scenario", true);
    for (size_t k = 0; k < p->n_id; k++) {
        if (!worth_a_row(p, p->id[k]))
            continue;
        row_begin(p);
        print_cell(p, false, NULL, p->id[k]);
        for (size_t i = 0; i < p->n; i++) {
            const struct earlier_case *c = earlier_find(&p->r[i], p->id[k]);
            print_cell(p, false, c ? tone_of(c->verdict) : "off", c ? ibc_verdict_names[c->verdict] : "-");
        }
        row_end(p);
    }
    table_end(p);
}

static void print_page(const struct page *p)
{
    if (p->html)
        fputs(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
            "<title>ibconform: devices</title>\n<style>\n"
            "body { font: 14px sans-serif; margin: 1em } table { border-collapse: collapse }\n"
            "th, td { border: 1px solid #bbb; padding: 1px 6px; text-align: left } th { position: sticky; top: 0; "
            "background: #eee }\n"
            ".good { background: #dfd } .bad { background: #fbb } .warn { background: #fec } .off { color: #888 }\n"
            "</style>\n</head>\n<body>\n<h1>Devices and scenarios</h1>\n",
            p->to);
    else
        fputs("# Devices and scenarios\n", p->to);
    print_devices(p);
    print_groups(p);
    print_scenarios(p);
    fputs(p->html ? "</body>\n</html>\n" : "", p->to);
}

/* Orders ids by group, then by name: "memory.write" before "memory.invalidate.again". */
static int by_group(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const size_t n = group_bytes(x), m = group_bytes(y);
    const int order = memcmp(x, y, n < m ? n : m);

    return order ? order : n != m ? (n > m) - (n < m) : strcmp(x, y);
}

/* Collects the ids of all reports, each once. False: out of memory. */
static bool collect(struct page *p)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < p->n; i++)
        n += p->r[i].n;
    p->id = calloc(n + 1, sizeof *p->id);
    if (!p->id)
        return false;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->r[i].n; k++)
            p->id[p->n_id++] = p->r[i].p[k].id;
    qsort(p->id, n, sizeof *p->id, by_group);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || strcmp(p->id[k], p->id[kept - 1]) != 0)
            p->id[kept++] = p->id[k];
    p->n_id = kept;
    return true;
}

/* Writes HTML to the file of --html; without that option, Markdown to the standard output. */
static int write_page(struct page *p, const char *path)
{
    p->html = path != NULL;
    p->to = path && strcmp(path, "-") != 0 ? fopen(path, "w") : stdout;
    if (!p->to)
        return wrong(EXIT_HARNESS, "%s: %s", path, strerror(errno));
    print_page(p);
    if (p->to == stdout)
        return EXIT_OK;
    const bool bad = ferror(p->to) != 0;
    if (fclose(p->to) != 0 || bad)
        return wrong(EXIT_HARNESS, "%s: not all could be written", path);
    return EXIT_OK;
}

int command_devices(const struct options *o)
{
    struct page p = {.all = o->verbose, .path = o->pattern.w, .n = o->pattern.n};
    int rc = EXIT_OK;

    p.r = calloc(p.n, sizeof *p.r);
    if (!p.r)
        return wrong(EXIT_HARNESS, "out of memory");
    for (size_t i = 0; rc == EXIT_OK && i < p.n; i++)
        rc = earlier_open(&p.r[i], p.path[i]);
    if (rc == EXIT_OK)
        rc = collect(&p) ? write_page(&p, o->html) : wrong(EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < p.n; i++)
        earlier_free(&p.r[i]);
    free(p.r);
    free(p.id);
    return rc;
}
