/* SPDX-License-Identifier: BSD-2-Clause */
#include "summary/rows.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "stats/table.h"
#include "track/addr.h"

enum { MESSAGES, FINDINGS, CONNECTIONS, BUCKETS, FILES };
static const char *const names_of[FILES] = {"messages.ndjson", "findings.ndjson", "connections.ndjson",
                                            "buckets.ndjson"};

struct rows {
    const char *host;
    struct out file[FILES];
};

static int open_in(const char *folder, const char *name)
{
    enum { PATH = 4096, MODE = 0666 };
    char path[PATH];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
}

struct rows *rows_open(const char *folder, const char *host, char *err, size_t errlen)
{
    enum { MODE = 0777 };
    struct rows *r = calloc(1, sizeof *r);
    bool good = r != NULL && mkdir(folder, MODE) == 0;
    int n = 0;

    for (; good && n < FILES; n++) {
        const int fd = open_in(folder, names_of[n]);
        good = fd >= 0;
        if (good)
            out_init(&r->file[n], fd);
    }
    if (good) {
        r->host = host;
        return r;
    }
    (void)snprintf(err, errlen, "%s: %s", folder, strerror(r ? errno : ENOMEM));
    for (int i = 0; i + 1 < n; i++)
        (void)close(r->file[i].fd);
    free(r);
    return NULL;
}

static struct out *begin(struct rows *r, int file)
{
    struct out *o = &r->file[file];

    OUT_LIT(o, "{\"v\":");
    out_u64(o, ROWS_VERSION);
    json_str(o, "host", r->host);
    return o;
}

static void end(struct out *o)
{
    OUT_LIT(o, "}\n");
}

static void address(struct out *o, const char *key, uint8_t kind, const uint8_t *addr)
{
    json_key(o, key);
    out_ch(o, '"');
    stat_addr_print(o, (enum iba_addr_kind)kind, addr);
    out_ch(o, '"');
}

static void direction(struct out *o, const struct direction *d)
{
    static const char *const keys[] = {"service", "src", "src_qp", "dst", "dst_qp"};

    if (!d) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            json_known(o, keys[i], false, 0);
        return;
    }
    json_str(o, "service", iba_svc_name((enum iba_svc)d->svc));
    address(o, "src", d->key.kind, d->key.src);
    json_known(o, "src_qp", d->knows_source_qp, d->source_qp);
    address(o, "dst", d->key.kind, d->key.dst);
    json_u64(o, "dst_qp", d->key.qpn);
}

void rows_finding(struct rows *r, const struct iba_finding *f, const struct verdict_names *names)
{
    struct out *o = begin(r, FINDINGS);
    const char *file = verdict_file(names, f->tag), *cause = f->cause ? verdict_file(names, f->cause_tag) : NULL;

    json_u64(o, "ns", f->at);
    json_str(o, "finding", iba_findings[f->kind].name);
    json_str(o, "severity", iba_severity_name(iba_findings[f->kind].severity));
    json_str(o, "clause", iba_findings[f->kind].clause);
    direction(o, direction_of_finding(f, names));
    json_str(o, "file", file ? file : "");
    json_u64(o, "number", verdict_file_number(f->tag));
    json_str(o, "cause_file", cause ? cause : "");
    json_known(o, "cause_number", f->cause != 0, verdict_file_number(f->cause_tag));
    json_u64(o, "wait_ns", f->wait_ns);
    json_str(o, "message", verdict_text(f, names));
    end(o);
}

void rows_message(struct rows *r, const struct iba_message *m, const struct verdict_names *names)
{
    struct out *o = begin(r, MESSAGES);
    const bool answered = m->answer_frame != 0 && m->ended >= m->began;

    json_u64(o, "ns", m->began);
    direction(o, direction_of_message(m, names));
    json_str(o, "operation", iba_operation_name((enum iba_operation)m->operation));
    json_str(o, "end", iba_message_end_name((enum iba_message_end)m->end));
    json_key(o, "whole");
    out_str(o, m->whole && m->closed ? "true" : "false");
    json_u64(o, "bytes", m->bytes);
    json_known(o, "latency_ns", answered, m->ended - m->began);
    json_u64(o, "sent_again", m->again);
    json_u64(o, "first_packet", m->first_frame);
    json_u64(o, "last_packet", m->last_frame);
    json_known(o, "answer_packet", m->answer_frame != 0, m->answer_frame);
    end(o);
}

/* ---- from the summary ---- */

static void write_end(struct out *o, const struct summary_ends *e, const char *key, const char *qp, unsigned which)
{
    const uint8_t *at = e->key + 2 + which * SUMMARY_END, *n = at + IBA_ADDR_MOST;

    address(o, key, e->key[0], at);
    json_known(o, qp, n[0], (uint32_t)n[1] << 16 | (uint32_t)n[2] << 8 | n[3]);
}

static void errors_of(struct out *o, const uint64_t at[SUMMARY_SIDE])
{
    static const char *const keys[] = {[IBA_NOTE] = "notes", [IBA_WARN] = "warnings", [IBA_ERROR] = "errors"};
    uint64_t n[IBA_ERROR + 1] = {0};

    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        n[iba_findings[i].severity] = summary_sum(n[iba_findings[i].severity], at[SUMMARY_AT_FOUND + i]);
    for (unsigned i = IBA_ERROR; i >= IBA_NOTE; i--)
        json_u64(o, keys[i], n[i]);
}

/* Writes one row for each direction of each part of a connection. */
static void connection(struct rows *r, const struct summary *s, const struct summary_part *p)
{
    struct summary_sides sides;

    summary_sides_of(s, p, &sides);
    for (unsigned from = 0; from < 2; from++) {
        const uint64_t *at = sides.at[from];
        struct out *o = begin(r, CONNECTIONS);
        char key[64];
        json_str(o, "address", stat_addr_kind_name((enum iba_addr_kind)p->ends.key[0]));
        json_str(o, "service", iba_svc_name((enum iba_svc)p->ends.key[1]));
        write_end(o, &p->ends, "src", "src_qp", from);
        write_end(o, &p->ends, "dst", "dst_qp", !from);
        json_u64(o, "first_ns", p->first_ns);
        json_u64(o, "last_ns", p->last_ns);
        for (unsigned i = 0; i < SUMMARY_SIDE_COUNT; i++)
            json_u64(o, summary_side_keys[i], at[i]);
        errors_of(o, at);
        for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++) {
            (void)snprintf(key, sizeof key, "limit_%s_ns", perf_limits[i].key);
            json_u64(o, key, at[SUMMARY_AT_LIMIT + i]);
        }
        end(o);
    }
}

static void bucket(struct rows *r, const struct summary *s, const struct summary_bucket *b)
{
    struct out *o = begin(r, BUCKETS);

    json_u64(o, "at_s", b->at << s->doublings);
    json_u64(o, "bucket_s", UINT64_C(1) << s->doublings);
    for (unsigned i = 0; i < SUMMARY_BUCKET_COUNTS; i++)
        json_u64(o, summary_count_keys[i], b->count[i]);
    end(o);
}

int rows_end(struct rows *r, const struct summary *s)
{
    int error = 0;

    for (size_t i = 0; i < s->n_part; i++)
        connection(r, s, &s->part[i]);
    for (size_t i = 0; i < s->n_bucket; i++)
        bucket(r, s, &s->bucket[i]);
    for (unsigned i = 0; i < FILES; i++) {
        (void)out_flush(&r->file[i]);
        error = error ? error : r->file[i].error;
        if (close(r->file[i].fd) != 0 && error == 0)
            error = errno;
    }
    free(r);
    return error;
}
