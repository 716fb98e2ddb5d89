/* SPDX-License-Identifier: BSD-2-Clause */
/* -z expert: findings by kind, the worst first. */
#include <stdio.h>
#include <stdlib.h>
#include "stats/kinds.h"
#include "observer/iba_finding_kinds.h"

enum { FIRST_FRAMES = 5, FRAMES_BYTES = 64 };

struct kind {
    uint64_t count;
    uint64_t frame[FIRST_FRAMES], number[FIRST_FRAMES]; /* frame: number over all files; number: in its own file */
    const char *file[FIRST_FRAMES];
};
struct expert {
    enum iba_severity least;
    uint64_t packets;
    const char *file; /* the only file so far; with several: see below */
    bool several;
    struct kind kind[IBA_FINDING_COUNT];
};

void *stat_expert_open(const char *arg, char *err, size_t errlen)
{
    struct expert *s = stat_open_plain("expert", sizeof *s, NULL, err, errlen);
    enum iba_severity least = IBA_NOTE;

    while (arg && least <= IBA_ERROR && strcmp(arg, iba_severity_name(least)) != 0)
        least++;
    if (least > IBA_ERROR) {
        (void)snprintf(err, errlen, "-z expert,%.64s: no such severity; there are: note warn error", arg);
        free(s);
        return NULL;
    }
    if (s)
        s->least = least;
    return s;
}

static void count(struct expert *s, const struct iba_finding *f, const struct verdict_names *names)
{
    struct kind *k = &s->kind[f->kind];

    if (iba_findings[f->kind].severity < s->least)
        return;
    if (k->count < FIRST_FRAMES) {
        k->frame[k->count] = f->frame;
        k->file[k->count] = verdict_file(names, f->tag);
        k->number[k->count] = verdict_file_number(f->tag);
    }
    k->count++;
}

void stat_expert_packet(void *state, const struct packet *p)
{
    struct expert *s = state;

    s->packets++;
    s->several |= s->file && s->file != p->source_name;
    s->file = p->source_name;
    for (unsigned i = 0; i < verdict_kept(p->verdict); i++)
        count(s, &p->verdict->finding[i], p->verdict->names);
}

void stat_expert_late(void *state, const struct iba_finding *f, const struct verdict_names *names)
{
    count(state, f, names);
}

/* Sorts the kinds: the worst first, then in the order of the table of findings. */
static unsigned sorted(const struct expert *s, uint8_t order[IBA_FINDING_COUNT])
{
    unsigned n = 0;

    for (unsigned severity = IBA_ERROR; severity >= IBA_NOTE; severity--)
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
            if (s->kind[k].count > 0 && iba_findings[k].severity == severity)
                order[n++] = (uint8_t)k;
    return n;
}

static unsigned frames_of(const struct kind *k)
{
    return k->count < FIRST_FRAMES ? (unsigned)k->count : (unsigned)FIRST_FRAMES;
}

static void frames(struct out *o, const struct kind *k)
{
    for (unsigned i = 0; i < frames_of(k); i++) {
        if (i > 0)
            out_ch(o, ' ');
        out_u64(o, k->frame[i]);
    }
    if (k->count > FIRST_FRAMES)
        OUT_LIT(o, " ...");
}

/* Prints where the first finding is, when there are several files. */
static void whereabouts(struct out *o, const struct expert *s, const struct kind *k)
{
    if (!s->several)
        return;
    OUT_LIT(o, " (");
    out_u64(o, k->number[0]);
    OUT_LIT(o, " of ");
    out_text(o, k->file[0], strlen(k->file[0]));
    out_ch(o, ')');
}

static void print_text(const struct expert *s, struct out *o)
{
    static const struct column columns[] = {
        {"Severity", 8, true}, {"Finding", 17, true}, {"The packet", 63, true},    {"Clause", 12, true},
        {"Section", 24, true}, {"Count", 9, false},   {"First packets", 36, false}};
    uint8_t order[IBA_FINDING_COUNT];
    uint64_t total = 0;
    struct table t;
    const unsigned n = sorted(s, order);

    table_open(&t, o, "Findings", columns, sizeof columns / sizeof *columns);
    for (unsigned i = 0; i < n; i++) {
        const struct iba_finding_info *info = &iba_findings[order[i]];
        const struct kind *k = &s->kind[order[i]];
        table_str(&t, iba_severity_name(info->severity));
        table_str(&t, info->name);
        table_str(&t, info->sentence);
        table_str(&t, info->clause);
        table_str(&t, verdict_sections(order[i]));
        table_u64(&t, k->count);
        table_begin(&t);
        frames(o, k);
        whereabouts(o, s, k);
        table_end(&t);
        total += k->count;
    }
    table_rule(&t, '-');
    out_str(o, "Findings ");
    out_u64(o, total);
    out_str(o, ", packets ");
    out_u64(o, s->packets);
    out_ch(o, '\n');
    table_close(&t);
}

static void json_frames(struct out *o, const struct kind *k)
{
    json_key(o, "first");
    out_ch(o, '[');
    for (unsigned i = 0; i < frames_of(k); i++) {
        out_str(o, i > 0 ? ",{\"frame\":" : "{\"frame\":");
        out_u64(o, k->frame[i]);
        json_str(o, "file", k->file[i] ? k->file[i] : "");
        json_u64(o, "file_number", k->number[i]);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void print_json(const struct expert *s, struct out *o)
{
    uint8_t order[IBA_FINDING_COUNT];
    const unsigned n = sorted(s, order);

    out_str(o, "{\"stat\":\"expert\"");
    json_str(o, "least", iba_severity_name(s->least));
    json_u64(o, "packets", s->packets);
    json_key(o, "findings");
    out_ch(o, '[');
    for (unsigned i = 0; i < n; i++) {
        const struct iba_finding_info *info = &iba_findings[order[i]];
        out_str(o, i > 0 ? ",{\"finding\":\"" : "{\"finding\":\"");
        out_str(o, info->name);
        out_ch(o, '"');
        json_str(o, "analysis", info->field);
        json_str(o, "severity", iba_severity_name(info->severity));
        json_str(o, "sentence", info->sentence);
        json_str(o, "clause", info->clause);
        json_str(o, "section", verdict_sections(order[i]));
        json_u64(o, "count", s->kind[order[i]].count);
        json_frames(o, &s->kind[order[i]]);
        out_ch(o, '}');
    }
    out_str(o, "]}\n");
}

void stat_expert_print(void *state, struct out *o, bool json)
{
    (json ? print_json : print_text)(state, o);
}
