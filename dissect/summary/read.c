/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a summary in JSON, and adds it to another summary. The members come in the order in which write.c writes them.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "summary/json_in.h"
#include "summary/summary.h"
#include "track/addr.h"

struct reader {
    struct json_in j;
    struct summary *s;
    uint32_t input;
};

static bool refuse(struct reader *r, const char *fault)
{
    return json_in_refuse(&r->j, fault);
}

static const char misplaced[] = "a member is missing, unknown, or not in its place";

/* Whether the next member has this key. */
static bool key(struct reader *r, const char *name)
{
    if (json_in_key(&r->j) && strcmp(r->j.text, name) == 0)
        return true;
    return refuse(r, misplaced);
}

/* Whether the object has no further members. */
static bool over(struct reader *r)
{
    return (!json_in_key(&r->j) && !r->j.fault) || refuse(r, "a member is unknown or not in its place");
}

static bool number(struct reader *r, const char *name, uint64_t *v)
{
    return key(r, name) && json_in_u64(&r->j, v);
}

static bool text(struct reader *r, const char *name, uint32_t *v)
{
    if (!key(r, name) || !json_in_text(&r->j))
        return false;
    *v = summary_text(r->s, r->j.text);
    return true;
}

static bool is(struct reader *r, const char *name, const char *value)
{
    return key(r, name) && json_in_text(&r->j) &&
           (strcmp(r->j.text, value) == 0 || refuse(r, "a text is not the one that belongs there"));
}

/* Reads one "[class, count]" of a list. False: the list has ended, or there is a fault. */
static bool pair(struct reader *r, unsigned classes, uint64_t *which, uint64_t *n)
{
    struct json_in *j = &r->j;

    return json_in_item(j) && json_in_list(j) && json_in_item(j) && json_in_u64(j, which) &&
           (*which < classes || refuse(r, "a class does not exist")) && json_in_item(j) && json_in_u64(j, n) &&
           (!json_in_item(j) || refuse(r, "a pair has two numbers"));
}

/* ---- the names ---- */

static const char *finding_name(unsigned i)
{
    return iba_findings[i].name;
}

static const char *limit_name(unsigned i)
{
    return perf_limits[i].key;
}

static const char *operation_name(unsigned i)
{
    return iba_operation_name((enum iba_operation)i);
}

static const char *address_name(unsigned i)
{
    return stat_addr_kind_name((enum iba_addr_kind)i);
}

static const char *service_name(unsigned i)
{
    return iba_svc_name((enum iba_svc)i);
}

/* The index of the name that was read last. */
static bool find(struct reader *r, const char *(*name)(unsigned), unsigned n, unsigned *which)
{
    for (*which = 0; *which < n; (*which)++) {
        const char *one = name(*which);
        if (*one == r->j.text[0] && strcmp(one, r->j.text) == 0)
            return true;
    }
    return refuse(r, "a name is not known to this version");
}

/* Reads a member whose value is one of these names. */
static bool named(struct reader *r, const char *member, const char *(*name)(unsigned), unsigned n, unsigned *which)
{
    return key(r, member) && json_in_text(&r->j) && find(r, name, n, which);
}

/* ---- captures, counts, buckets ---- */

/* Reads the sample, if there is one, and then the key of the captures. */
static bool read_sample(struct reader *r)
{
    struct json_in *j = &r->j;
    struct sample sample = {1, 0};
    uint64_t one_in;

    if (!json_in_key(j))
        return refuse(r, misplaced);
    const bool has = strcmp(j->text, "sample") == 0;
    if (has) {
        if (!json_in_object(j) || !number(r, "one_in", &one_in) || !number(r, "seed", &sample.seed) || !over(r))
            return false;
        if (one_in < 2 || one_in > UINT32_MAX)
            return refuse(r, "a sample is of 1 in 2 or more");
        sample.one_in = (uint32_t)one_in;
    }
    if (!summary_take_sample(r->s, &sample))
        return refuse(r, "another sample than that of the summaries before: they do not add up");
    return has ? key(r, "captures") : strcmp(j->text, "captures") == 0 || refuse(r, misplaced);
}

/* The times of the first and of the last packet. */
static bool times(struct reader *r, uint64_t *first, uint64_t *last)
{
    return number(r, "first_ns", first) && number(r, "last_ns", last) &&
           (*first <= *last || refuse(r, "last_ns is before first_ns"));
}

static bool read_captures(struct reader *r)
{
    struct json_in *j = &r->j;

    if (!json_in_list(j))
        return false;
    while (json_in_item(j)) {
        struct summary_capture c = {.input = r->input};
        if (!json_in_object(j) || !text(r, "host", &c.host) || !text(r, "file", &c.file) || !key(r, "whole") ||
            !json_in_bool(j, &c.whole) || !number(r, "packets", &c.packets) || !times(r, &c.first_ns, &c.last_ns) ||
            !over(r))
            return false;
        summary_add_capture(r->s, &c);
    }
    return !j->fault;
}

static bool read_counts(struct reader *r)
{
    struct json_in *j = &r->j;
    uint64_t which, n;

    if (!key(r, "counts") || !json_in_object(j))
        return false;
    for (unsigned i = 0; i < SUMMARY_COUNT; i++) {
        if (!number(r, summary_count_keys[i], &n))
            return false;
        r->s->count[i] = summary_sum(r->s->count[i], n);
    }
    if (!over(r) || !key(r, "opcodes") || !json_in_list(j))
        return false;
    while (pair(r, 256, &which, &n))
        r->s->opcode[which] = summary_sum(r->s->opcode[which], n);
    return !j->fault;
}

static bool read_buckets(struct reader *r)
{
    struct json_in *j = &r->j;
    uint64_t width, at, count[SUMMARY_BUCKET_COUNTS];

    if (!number(r, "bucket_s", &width) || !key(r, "buckets") || !json_in_list(j))
        return false;
    if (width == 0 || (width & (width - 1)) != 0)
        return refuse(r, "bucket_s is no power of two");
    while (json_in_item(j)) {
        bool good = json_in_object(j) && number(r, "at_s", &at);
        for (unsigned i = 0; good && i < SUMMARY_BUCKET_COUNTS; i++)
            good = number(r, summary_count_keys[i], &count[i]);
        if (!good || !over(r))
            return false;
        if (at % width != 0)
            return refuse(r, "a bucket does not begin at a multiple of bucket_s");
        summary_add_bucket(r->s, (unsigned)__builtin_ctzll(width), at / width, count);
    }
    return !j->fault;
}

/* ---- findings, times ---- */

static bool read_first(struct reader *r, unsigned kind)
{
    struct json_in *j = &r->j;
    struct summary_packet p;

    if (!key(r, "first") || !json_in_list(j))
        return false;
    while (json_in_item(j)) {
        if (!json_in_object(j) || !text(r, "host", &p.host) || !text(r, "file", &p.file) ||
            !number(r, "number", &p.number) || !number(r, "ns", &p.ns) || !over(r))
            return false;
        summary_add_first(r->s, kind, &p);
    }
    return !j->fault;
}

static bool read_findings(struct reader *r)
{
    struct json_in *j = &r->j;
    unsigned kind;
    uint64_t n;

    if (!key(r, "findings") || !json_in_list(j))
        return false;
    while (json_in_item(j)) {
        if (!json_in_object(j) || !named(r, "finding", finding_name, IBA_FINDING_COUNT, &kind) ||
            !is(r, "severity", iba_severity_name(iba_findings[kind].severity)) || !number(r, "count", &n))
            return false;
        r->s->finding[kind].count = summary_sum(r->s->finding[kind].count, n);
        if (!read_first(r, kind) || !over(r))
            return false;
    }
    return !j->fault;
}

static bool read_classes(struct reader *r, struct summary_times *t)
{
    uint64_t which, n;

    if (!key(r, "classes") || !json_in_list(&r->j))
        return false;
    while (pair(r, TIMES_CLASSES, &which, &n)) {
        uint64_t *count = summary_classes(r->s, t);
        if (!count)
            return refuse(r, "out of memory");
        count[which] = summary_sum(count[which], n);
    }
    return !r->j.fault;
}

static bool read_times(struct reader *r)
{
    struct json_in *j = &r->j;
    struct summary_times one;
    unsigned operation, size;

    if (!key(r, "times") || !json_in_list(j))
        return false;
    while (json_in_item(j)) {
        if (!json_in_object(j) || !named(r, "operation", operation_name, IBA_OPERATION_COUNT, &operation) ||
            !named(r, "bytes", times_size_title, TIMES_SIZES, &size) || !number(r, "answered", &one.answered) ||
            !number(r, "refused", &one.refused) || !number(r, "open", &one.open) ||
            !number(r, "shortest_ns", &one.shortest) || !number(r, "longest_ns", &one.longest))
            return false;
        struct summary_times *t = &r->s->times[operation][size];
        if (one.answered > 0) {
            t->shortest = t->answered == 0 || one.shortest < t->shortest ? one.shortest : t->shortest;
            t->longest = one.longest > t->longest ? one.longest : t->longest;
        }
        t->answered = summary_sum(t->answered, one.answered);
        t->refused = summary_sum(t->refused, one.refused);
        t->open = summary_sum(t->open, one.open);
        if (!read_classes(r, t) || !over(r))
            return false;
    }
    return !j->fault;
}

/* ---- connections ---- */

static bool gid(const char *words, uint8_t to[IBA_ADDR_MOST])
{
    static const char mark[] = "GID: ";

    return strncmp(words, mark, sizeof mark - 1) == 0 && inet_pton(AF_INET6, words + sizeof mark - 1, to) == 1;
}

static bool lid(const char *words, uint8_t to[IBA_ADDR_MOST])
{
    static const char mark[] = "LID: ";
    char *end;

    if (strncmp(words, mark, sizeof mark - 1) != 0 || words[sizeof mark - 1] < '0' || words[sizeof mark - 1] > '9')
        return false;
    const unsigned long n = strtoul(words + sizeof mark - 1, &end, 10);
    to[0] = (uint8_t)(n >> 8);
    to[1] = (uint8_t)n;
    return *end == '\0' && n <= UINT16_MAX;
}

static bool address(enum iba_addr_kind kind, const char *words, uint8_t to[IBA_ADDR_MOST])
{
    switch (kind) {
    case IBA_ADDR_IPV4: return inet_pton(AF_INET, words, to) == 1;
    case IBA_ADDR_IPV6: return inet_pton(AF_INET6, words, to) == 1;
    case IBA_ADDR_GID: return gid(words, to);
    default: return lid(words, to);
    }
}

static bool read_end(struct reader *r, struct summary_ends *e, unsigned which)
{
    enum { QPN_MOST = 0xffffff };
    uint8_t addr[IBA_ADDR_MOST] = {0};
    uint64_t qpn = 0;

    if (!key(r, which ? "b" : "a") || !json_in_text(&r->j))
        return false;
    if (!address((enum iba_addr_kind)e->key[0], r->j.text, addr))
        return refuse(r, "an address is none of its kind");
    if (!key(r, which ? "b_qp" : "a_qp"))
        return false;
    const bool unknown = json_in_null(&r->j);
    if (!unknown && !json_in_u64(&r->j, &qpn))
        return false;
    if (qpn > QPN_MOST)
        return refuse(r, "a queue pair number has 24 bits");
    summary_set_end(e, which, addr, !unknown, (uint32_t)qpn);
    return true;
}

static bool read_side(struct reader *r, const char *name, uint64_t at[SUMMARY_SIDE])
{
    struct json_in *j = &r->j;
    unsigned which;
    uint64_t class, n;

    if (!key(r, name) || !json_in_object(j))
        return false;
    for (unsigned i = 0; i < SUMMARY_SIDE_COUNT; i++)
        if (!number(r, summary_side_keys[i], &at[i]))
            return false;
    if (!key(r, "limits_ns") || !json_in_object(j))
        return false;
    while (json_in_key(j))
        if (!find(r, limit_name, PERF_LIMIT_COUNT, &which) || !json_in_u64(j, &at[SUMMARY_AT_LIMIT + which]))
            return false;
    if (!key(r, "latency") || !json_in_list(j))
        return false;
    while (pair(r, SUMMARY_LATENCIES, &class, &n))
        at[SUMMARY_AT_LATENCY + class] = n;
    if (!key(r, "found") || !json_in_object(j))
        return false;
    while (json_in_key(j))
        if (!find(r, finding_name, IBA_FINDING_COUNT, &which) || !json_in_u64(j, &at[SUMMARY_AT_FOUND + which]))
            return false;
    return over(r);
}

static bool read_part(struct reader *r, const struct summary_ends *ends, bool turned)
{
    struct summary_part p = {.ends = *ends};
    struct summary_sides sides = {0};

    if (!json_in_object(&r->j) || !text(r, "host", &p.host) || !times(r, &p.first_ns, &p.last_ns) ||
        !read_side(r, "from_a", sides.at[turned]) || !read_side(r, "from_b", sides.at[!turned]) || !over(r))
        return false;
    summary_add_part(r->s, &p, &sides);
    return true;
}

static bool read_connections(struct reader *r)
{
    struct json_in *j = &r->j;
    unsigned kind, service;

    if (!key(r, "connections") || !json_in_list(j))
        return false;
    while (json_in_item(j)) {
        struct summary_ends e;
        if (!json_in_object(j) || !named(r, "address", address_name, IBA_ADDR_KINDS, &kind) ||
            !named(r, "service", service_name, IBA_MSP1 + 1, &service))
            return false;
        e.key[0] = (uint8_t)kind;
        e.key[1] = (uint8_t)service;
        if (!read_end(r, &e, 0) || !read_end(r, &e, 1) || !key(r, "parts") || !json_in_list(j))
            return false;
        const bool turned = summary_ends_order(&e);
        while (json_in_item(j))
            if (!read_part(r, &e, turned))
                return false;
        if (!over(r))
            return false;
    }
    return !j->fault;
}

bool summary_read(struct summary *s, const char *words, size_t n, uint32_t input, char *err, size_t errlen)
{
    struct reader r = {.s = s, .input = input};
    uint64_t version, split;

    json_in_begin(&r.j, words, n);
    const bool known = json_in_object(&r.j) && is(&r, "format", "ibproof-summary") && number(&r, "version", &version) &&
                       (version == SUMMARY_VERSION || refuse(&r, "another version of the format"));
    const bool good = known && read_sample(&r) && read_captures(&r) && read_counts(&r) && read_buckets(&r) &&
                      read_findings(&r) && read_times(&r) && read_connections(&r) &&
                      number(&r, "split_connections", &split) && over(&r) && json_in_end(&r.j);
    if (good && !s->failed)
        return true;
    if (good)
        (void)snprintf(err, errlen, "out of memory, or more than %d captures or %d connections", SUMMARY_CAPTURES,
                       SUMMARY_PARTS);
    else
        (void)snprintf(err, errlen, "line %zu: %s", r.j.line, r.j.fault);
    return false;
}
