/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a summary as JSON: every list is sorted, and each item has its own line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stats/table.h"
#include "summary/summary.h"
#include "track/addr.h"

/* qsort() passes no context */
static const struct summary *sorted;

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_text(uint32_t a, uint32_t b)
{
    return strcmp(sorted->text[a], sorted->text[b]);
}

/* 0: both are the same capture of the same host. */
static int same_capture(const struct summary_capture *x, const struct summary_capture *y)
{
    int order = by_text(x->host, y->host);

    order = order ? order : compare(x->first_ns, y->first_ns);
    order = order ? order : by_text(x->file, y->file);
    order = order ? order : compare(x->last_ns, y->last_ns);
    order = order ? order : compare(x->packets, y->packets);
    return order ? order : compare(x->whole, y->whole);
}

static int by_capture(const void *a, const void *b)
{
    const struct summary_capture *x = a, *y = b;
    const int order = same_capture(x, y);

    return order ? order : compare(x->input, y->input);
}

static int by_part(const void *a, const void *b)
{
    const struct summary_part *x = a, *y = b;
    int order = memcmp(x->ends.key, y->ends.key, sizeof x->ends.key);

    order = order ? order : compare(x->first_ns, y->first_ns);
    order = order ? order : compare(x->last_ns, y->last_ns);
    order = order ? order : by_text(x->host, y->host);
    order = order ? order : compare(x->n_value, y->n_value);
    for (uint32_t i = 0; order == 0 && i < x->n_value; i++) {
        const struct summary_value *v = &sorted->value[x->values + i], *w = &sorted->value[y->values + i];
        order = compare(v->place, w->place);
        order = order ? order : compare(v->value, w->value);
    }
    return order;
}

bool summary_same_connection(const struct summary *s, size_t i, size_t k)
{
    return memcmp(s->part[i].ends.key, s->part[k].ends.key, sizeof s->part[i].ends.key) == 0;
}

bool summary_sort(struct summary *s, char *err, size_t errlen)
{
    sorted = s;
    if (s->failed) {
        (void)snprintf(err, errlen, "out of memory, or more than %d captures or %d connections", SUMMARY_CAPTURES,
                       SUMMARY_PARTS);
        return false;
    }
    if (s->n_capture > 0)
        qsort(s->capture, s->n_capture, sizeof *s->capture, by_capture);
    if (s->n_part > 0)
        qsort(s->part, s->n_part, sizeof *s->part, by_part);
    for (size_t i = 1; i < s->n_capture; i++) {
        const struct summary_capture *a = &s->capture[i - 1], *b = &s->capture[i];
        if (a->input == b->input || same_capture(a, b) != 0)
            continue;
        (void)snprintf(err, errlen, "capture \"%s\" of host \"%s\" is in two of the summaries: it would count twice",
                       s->text[a->file], s->text[a->host]);
        return false;
    }
    return true;
}

uint64_t summary_split(struct summary *s)
{
    uint64_t n = 0;

    for (size_t i = 1; i < s->n_part; i++)
        n += summary_same_connection(s, i - 1, i) && (i == 1 || !summary_same_connection(s, i - 2, i));
    return n;
}

/* ---- the parts of the file ---- */

/* Writes the first member of an object, which has no comma before it. */
static void first_str(struct out *o, const char *key, const char *s)
{
    OUT_LIT(o, "{\"");
    out_str(o, key);
    OUT_LIT(o, "\":\"");
    out_json(o, s, strlen(s));
    out_ch(o, '"');
}

static void next_line(struct out *o, size_t i)
{
    out_str(o, i ? ",\n" : "\n");
}

static void list(struct out *o, const char *key)
{
    OUT_LIT(o, ",\n\"");
    out_str(o, key);
    OUT_LIT(o, "\":[");
}

/* Writes "[3,17]": a class or an opcode, and how many there are. */
static void pair(struct out *o, bool *any, uint64_t which, uint64_t n)
{
    if (n == 0)
        return;
    out_str(o, *any ? ",[" : "[");
    *any = true;
    out_u64(o, which);
    out_ch(o, ',');
    out_u64(o, n);
    out_ch(o, ']');
}

/* Writes the sample, but only if there is one, so that programs that know no samples refuse only such files. */
static void write_sample(const struct summary *s, struct out *o)
{
    if (!sample_is_one(&s->sample))
        return;
    OUT_LIT(o, ",\n\"sample\":{\"one_in\":");
    out_u64(o, s->sample.one_in);
    json_u64(o, "seed", s->sample.seed);
    out_ch(o, '}');
}

static void write_captures(const struct summary *s, struct out *o)
{
    list(o, "captures");
    for (size_t i = 0; i < s->n_capture; i++) {
        const struct summary_capture *c = &s->capture[i];
        next_line(o, i);
        first_str(o, "host", s->text[c->host]);
        json_str(o, "file", s->text[c->file]);
        json_key(o, "whole");
        out_str(o, c->whole ? "true" : "false");
        json_u64(o, "packets", c->packets);
        json_u64(o, "first_ns", c->first_ns);
        json_u64(o, "last_ns", c->last_ns);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void write_counts(const struct summary *s, struct out *o)
{
    bool any = false;

    OUT_LIT(o, ",\n\"counts\":{\"");
    for (unsigned i = 0; i < SUMMARY_COUNT; i++) {
        out_str(o, i ? ",\"" : "");
        out_str(o, summary_count_keys[i]);
        OUT_LIT(o, "\":");
        out_u64(o, s->count[i]);
    }
    out_ch(o, '}');
    list(o, "opcodes");
    for (unsigned i = 0; i < 256; i++)
        pair(o, &any, i, s->opcode[i]);
    out_ch(o, ']');
}

static void write_buckets(const struct summary *s, struct out *o)
{
    OUT_LIT(o, ",\n\"bucket_s\":");
    out_u64(o, UINT64_C(1) << s->doublings);
    list(o, "buckets");
    for (size_t i = 0; i < s->n_bucket; i++) {
        next_line(o, i);
        OUT_LIT(o, "{\"at_s\":");
        out_u64(o, s->bucket[i].at << s->doublings);
        for (unsigned k = 0; k < SUMMARY_BUCKET_COUNTS; k++)
            json_u64(o, summary_count_keys[k], s->bucket[i].count[k]);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void write_first(const struct summary *s, struct out *o, const struct summary_finding *f)
{
    json_key(o, "first");
    out_ch(o, '[');
    for (unsigned i = 0; i < f->n; i++) {
        out_str(o, i ? "," : "");
        first_str(o, "host", s->text[f->first[i].host]);
        json_str(o, "file", s->text[f->first[i].file]);
        json_u64(o, "number", f->first[i].number);
        json_u64(o, "ns", f->first[i].ns);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void write_findings(const struct summary *s, struct out *o)
{
    size_t n = 0;

    list(o, "findings");
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++) {
        if (s->finding[i].count == 0)
            continue;
        next_line(o, n++);
        first_str(o, "finding", iba_findings[i].name);
        json_str(o, "severity", iba_severity_name(iba_findings[i].severity));
        json_u64(o, "count", s->finding[i].count);
        write_first(s, o, &s->finding[i]);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void write_times(const struct summary *s, struct out *o)
{
    size_t n = 0;

    list(o, "times");
    for (unsigned i = 0; i < IBA_OPERATION_COUNT * TIMES_SIZES; i++) {
        const struct summary_times *t = &s->times[i / TIMES_SIZES][i % TIMES_SIZES];
        bool any = false;
        if (t->answered + t->refused + t->open == 0)
            continue;
        next_line(o, n++);
        first_str(o, "operation", iba_operation_name((enum iba_operation)(i / TIMES_SIZES)));
        json_str(o, "bytes", times_size_title(i % TIMES_SIZES));
        json_u64(o, "answered", t->answered);
        json_u64(o, "refused", t->refused);
        json_u64(o, "open", t->open);
        json_u64(o, "shortest_ns", t->shortest);
        json_u64(o, "longest_ns", t->longest);
        json_key(o, "classes");
        out_ch(o, '[');
        for (unsigned k = 0; t->count && k < TIMES_CLASSES; k++)
            pair(o, &any, k, t->count[k]);
        OUT_LIT(o, "]}");
    }
    out_ch(o, ']');
}

/* ---- connections ---- */

static void write_end(struct out *o, const struct summary_ends *e, const char *key, const char *qp, unsigned which)
{
    const uint8_t *at = e->key + 2 + which * SUMMARY_END, *n = at + IBA_ADDR_MOST;

    json_key(o, key);
    out_ch(o, '"');
    stat_addr_print(o, (enum iba_addr_kind)e->key[0], at);
    out_ch(o, '"');
    json_known(o, qp, n[0], (uint32_t)n[1] << 16 | (uint32_t)n[2] << 8 | n[3]);
}

/* Writes a member of an object of counts; a count of 0 is left out. */
static void count(struct out *o, bool *any, const char *key, uint64_t n)
{
    if (n == 0)
        return;
    out_str(o, *any ? ",\"" : "\"");
    *any = true;
    out_str(o, key);
    OUT_LIT(o, "\":");
    out_u64(o, n);
}

static void write_side(struct out *o, const char *key, const uint64_t at[SUMMARY_SIDE])
{
    bool any = false;

    json_key(o, key);
    OUT_LIT(o, "{\"");
    for (unsigned i = 0; i < SUMMARY_SIDE_COUNT; i++) {
        out_str(o, i ? ",\"" : "");
        out_str(o, summary_side_keys[i]);
        OUT_LIT(o, "\":");
        out_u64(o, at[i]);
    }
    json_key(o, "limits_ns");
    out_ch(o, '{');
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++)
        count(o, &any, perf_limits[i].key, at[SUMMARY_AT_LIMIT + i]);
    OUT_LIT(o, "},\"latency\":[");
    any = false;
    for (unsigned i = 0; i < SUMMARY_LATENCIES; i++)
        pair(o, &any, i, at[SUMMARY_AT_LATENCY + i]);
    OUT_LIT(o, "],\"found\":{");
    any = false;
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        count(o, &any, iba_findings[i].name, at[SUMMARY_AT_FOUND + i]);
    OUT_LIT(o, "}}");
}

static void write_part(const struct summary *s, struct out *o, const struct summary_part *p)
{
    struct summary_sides sides;

    summary_sides_of(s, p, &sides);
    first_str(o, "host", s->text[p->host]);
    json_u64(o, "first_ns", p->first_ns);
    json_u64(o, "last_ns", p->last_ns);
    write_side(o, "from_a", sides.at[0]);
    write_side(o, "from_b", sides.at[1]);
    out_ch(o, '}');
}

static void write_connections(const struct summary *s, struct out *o)
{
    list(o, "connections");
    for (size_t i = 0; i < s->n_part; i++) {
        const struct summary_ends *e = &s->part[i].ends;
        if (i == 0 || !summary_same_connection(s, i - 1, i)) {
            next_line(o, i);
            first_str(o, "address", stat_addr_kind_name((enum iba_addr_kind)e->key[0]));
            json_str(o, "service", iba_svc_name((enum iba_svc)e->key[1]));
            write_end(o, e, "a", "a_qp", 0);
            write_end(o, e, "b", "b_qp", 1);
            OUT_LIT(o, ",\"parts\":[");
        } else
            out_ch(o, ',');
        write_part(s, o, &s->part[i]);
        if (i + 1 == s->n_part || !summary_same_connection(s, i, i + 1))
            OUT_LIT(o, "]}");
    }
    out_ch(o, ']');
}

bool summary_write(struct summary *s, struct out *o, char *err, size_t errlen)
{
    if (!summary_sort(s, err, errlen))
        return false;
    OUT_LIT(o, "{\"format\":\"ibproof-summary\",\"version\":");
    out_u64(o, SUMMARY_VERSION);
    write_sample(s, o);
    write_captures(s, o);
    write_counts(s, o);
    write_buckets(s, o);
    write_findings(s, o);
    write_times(s, o);
    write_connections(s, o);
    json_u64(o, "split_connections", summary_split(s));
    OUT_LIT(o, "}\n");
    return true;
}
