/* SPDX-License-Identifier: BSD-2-Clause */
#include "summary/metrics.h"
#include <stdlib.h>
#include <string.h>
#include "stats/table.h"
#include "track/addr.h"

enum {
    OCTAVES = 64,
    LEAST_OCTAVE = 10, /* buckets of response times: below 2^10 ns, ... 2^33 ns (8.6 s), and above */
    MOST_OCTAVE = 33
};

struct pair_key {
    uint8_t kind, src[IBA_ADDR_MOST], dst[IBA_ADDR_MOST];
};
_Static_assert(sizeof(struct pair_key) == 1 + 2 * IBA_ADDR_MOST, "keys are compared as bytes: no padding");
/* clang-format off */
#define PAIR_COUNTS(C)                                                                                                 \
    C(PACKETS,  "packets",       "",      "Packets from one host to another.")                                        \
    C(PAYLOAD,  "payload_bytes", "bytes", "Payload from one host to another, of packets with a good ICRC.")           \
    C(AGAIN,    "sent_again",    "",      "Packets that a requester sent again.")                                     \
    C(WARNINGS, "warnings",      "",      "Findings of severity warn, by the direction that they are about.")         \
    C(ERRORS,   "errors",        "",      "Findings of severity error, by the direction that they are about.")
/* clang-format on */
#define PAIR_ID(id, ...) PAIR_##id,
enum pair_count { PAIR_COUNTS(PAIR_ID) PAIR_COUNT };
struct pair {
    struct pair_key key; /* must be first: see stat_slot() */
    uint64_t count[PAIR_COUNT];
};
struct metrics {
    uint64_t count[SUMMARY_COUNT], finding[IBA_FINDING_COUNT];
    uint64_t answered[IBA_OPERATION_COUNT], refused[IBA_OPERATION_COUNT], open[IBA_OPERATION_COUNT];
    uint64_t octave[IBA_OPERATION_COUNT][OCTAVES]; /* messages answered in 2^i ns and more, below twice that */
    uint64_t limit_ns[PERF_LIMIT_COUNT];
    uint64_t last_ns; /* time of the newest packet */
    uint32_t one_in;  /* the sample: one of so many pairs of hosts */
    size_t n_pair;
    uint32_t slot[2 * METRICS_PAIRS];
    struct pair pair[METRICS_PAIRS], others;
};

struct metrics *metrics_open(void)
{
    return calloc(1, sizeof(struct metrics));
}

/* ---- adding ---- */

static void add(uint64_t *to, uint64_t n)
{
    *to = summary_sum(*to, n);
}

static void add_times(struct metrics *m, const struct summary *s, unsigned op)
{
    for (unsigned size = 0; size < TIMES_SIZES; size++) {
        const struct summary_times *t = &s->times[op][size];
        add(&m->answered[op], t->answered);
        add(&m->refused[op], t->refused);
        add(&m->open[op], t->open);
        for (unsigned k = 0; t->count && k < TIMES_CLASSES; k++)
            add(&m->octave[op][times_octave(k)], t->count[k]);
    }
}

static struct pair *pair_of(struct metrics *m, const struct summary_part *p, unsigned from)
{
    const struct stat_items items = {m->pair, sizeof *m->pair, METRICS_PAIRS, &m->n_pair, m->slot};
    const uint8_t *end = p->ends.key + 2;
    struct pair_key key = {.kind = p->ends.key[0]};

    memcpy(key.src, end + from * SUMMARY_END, IBA_ADDR_MOST);
    memcpy(key.dst, end + !from * SUMMARY_END, IBA_ADDR_MOST);
    const size_t at = stat_item_or_new(&items, &key, sizeof key);
    return at ? &m->pair[at - 1] : &m->others;
}

static void add_part(struct metrics *m, const struct summary *s, const struct summary_part *p)
{
    const bool reliable = p->ends.key[1] == IBA_RC || p->ends.key[1] == IBA_XRC;
    struct summary_sides sides;

    summary_sides_of(s, p, &sides);
    for (unsigned from = 0; from < 2; from++) {
        const uint64_t *at = sides.at[from];
        for (unsigned k = 0; reliable && k < PERF_LIMIT_COUNT; k++)
            add(&m->limit_ns[k], at[SUMMARY_AT_LIMIT + k]);
        if (at[SUMMARY_SIDE_PACKETS] == 0)
            continue;
        struct pair *to = pair_of(m, p, from);
        add(&to->count[PAIR_PACKETS], at[SUMMARY_SIDE_PACKETS]);
        add(&to->count[PAIR_PAYLOAD], at[SUMMARY_SIDE_PAYLOAD]);
        add(&to->count[PAIR_AGAIN], at[SUMMARY_SIDE_AGAIN]);
        for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
            if (iba_findings[k].severity >= IBA_WARN)
                add(&to->count[iba_findings[k].severity == IBA_ERROR ? PAIR_ERRORS : PAIR_WARNINGS],
                    at[SUMMARY_AT_FOUND + k]);
    }
}

void metrics_add(struct metrics *m, const struct summary *s)
{
    for (unsigned i = 0; i < SUMMARY_COUNT; i++)
        add(&m->count[i], s->count[i]);
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        add(&m->finding[i], s->finding[i].count);
    for (unsigned op = 0; op < IBA_OPERATION_COUNT; op++)
        add_times(m, s, op);
    for (size_t i = 0; i < s->n_part; i++)
        add_part(m, s, &s->part[i]);
    for (size_t i = 0; i < s->n_capture; i++)
        m->last_ns = s->capture[i].last_ns > m->last_ns ? s->capture[i].last_ns : m->last_ns;
    m->one_in = s->sample.one_in;
}

/* ---- writing ---- */

/* Writes the lines that precede the samples of a family. unit: the last word of its name, or "". */
static void family(struct out *o, const char *name, const char *type, const char *unit, const char *help)
{
    OUT_LIT(o, "# TYPE ibdissect_");
    out_str(o, name);
    out_ch(o, ' ');
    out_str(o, type);
    if (*unit) {
        OUT_LIT(o, "\n# UNIT ibdissect_");
        out_str(o, name);
        out_ch(o, ' ');
        out_str(o, unit);
    }
    OUT_LIT(o, "\n# HELP ibdissect_");
    out_str(o, name);
    out_ch(o, ' ');
    out_str(o, help);
    out_ch(o, '\n');
}

/* Writes the name of a sample, without its labels. */
static void sample(struct out *o, const char *name, const char *suffix)
{
    OUT_LIT(o, "ibdissect_");
    out_str(o, name);
    out_str(o, suffix);
}

static void value(struct out *o, uint64_t n)
{
    out_ch(o, ' ');
    out_u64(o, n);
    out_ch(o, '\n');
}

static void label(struct out *o, const char *before, const char *name, const char *text)
{
    out_str(o, before);
    out_str(o, name);
    OUT_LIT(o, "=\"");
    out_str(o, text);
    out_ch(o, '"');
}

/* Writes the counts that have no labels. */
static void counts(const struct metrics *m, struct out *o)
{
    static const struct {
        enum summary_count count;
        const char *name, *unit, *help;
    } of[] = {
        {SUMMARY_PACKETS, "packets", "", "Packets, those seen twice once."},
        {SUMMARY_BYTES, "wire_bytes", "bytes", "Bytes of frames on the wire."},
        {SUMMARY_PAYLOAD, "payload_bytes", "bytes", "Bytes of payload, of packets with a good ICRC."},
        {SUMMARY_MESSAGES, "messages", "", "Messages that have ended."},
        {SUMMARY_AGAIN, "sent_again", "", "Packets that a requester sent again."},
        {SUMMARY_ECN, "ecn_marks", "", "Packets with a congestion mark."},
        {SUMMARY_CNP, "cnps", "", "Congestion notifications."},
        {SUMMARY_ICRC_BAD, "bad_icrcs", "", "Packets whose ICRC is wrong."},
        {SUMMARY_SEEN_TWICE, "seen_twice", "", "Packets that two captures have."},
        {SUMMARY_NO_CONNECTION, "no_connection", "", "Packets of no connection."},
        {SUMMARY_NOT_FOLLOWED, "not_followed", "", "Request packets whose limits are not followed."},
    };

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        family(o, of[i].name, "counter", of[i].unit, of[i].help);
        sample(o, of[i].name, "_total");
        value(o, m->count[of[i].count]);
    }
}

static void findings(const struct metrics *m, struct out *o)
{
    family(o, "findings", "counter", "", "Findings by kind; man ibproof-findings explains them.");
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++) {
        sample(o, "findings", "_total");
        label(o, "{", "finding", iba_findings[i].name);
        label(o, ",", "severity", iba_severity_name(iba_findings[i].severity));
        out_ch(o, '}');
        value(o, m->finding[i]);
    }
}

static void ends(const struct metrics *m, struct out *o)
{
    static const char *const names[] = {"answered", "refused", "open"};

    family(o, "message_ends", "counter", "", "How messages ended: answered, refused by a NAK, or still open.");
    for (unsigned op = 0; op < IBA_OPERATION_COUNT; op++) {
        const uint64_t n[] = {m->answered[op], m->refused[op], m->open[op]};
        for (unsigned i = 0; n[0] + n[1] + n[2] > 0 && i < sizeof n / sizeof *n; i++) {
            sample(o, "message_ends", "_total");
            label(o, "{", "operation", iba_operation_name((enum iba_operation)op));
            label(o, ",", "end", names[i]);
            out_ch(o, '}');
            value(o, n[i]);
        }
    }
}

/* Writes response times as buckets only, since summaries keep classes of times and not their sum. */
static void responses(const struct metrics *m, struct out *o)
{
    family(o, "response_seconds", "histogram", "seconds",
           "From the first packet of a message to the answer to its last.");
    for (unsigned op = 0; op < IBA_OPERATION_COUNT; op++) {
        uint64_t sum = 0;
        unsigned next = 0;
        for (unsigned k = LEAST_OCTAVE; m->answered[op] > 0 && k <= MOST_OCTAVE + 1; k++) {
            const unsigned end = k <= MOST_OCTAVE ? k : (unsigned)OCTAVES;
            for (; next < end; next++)
                add(&sum, m->octave[op][next]);
            sample(o, "response_seconds", "_bucket");
            label(o, "{", "operation", iba_operation_name((enum iba_operation)op));
            OUT_LIT(o, ",le=\"");
            if (k <= MOST_OCTAVE)
                out_time(o, (int64_t)((UINT64_C(1) << k) - 1));
            else
                OUT_LIT(o, "+Inf");
            OUT_LIT(o, "\"}");
            value(o, sum);
        }
    }
}

static void limits(const struct metrics *m, struct out *o)
{
    family(o, "limit_seconds", "counter", "seconds", "Time of reliable directions by what limited them (-z perf).");
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++) {
        sample(o, "limit_seconds", "_total");
        label(o, "{", "limit", perf_limits[i].key);
        OUT_LIT(o, "} ");
        out_u64(o, m->limit_ns[i] / 1000000000);
        out_ch(o, '.');
        const uint64_t ns = m->limit_ns[i] % 1000000000;
        for (uint64_t digit = 100000000; digit > 0; digit /= 10)
            out_ch(o, (char)('0' + ns / digit % 10));
        out_ch(o, '\n');
    }
}

static void pair_label(struct out *o, const struct pair *p, bool other, const char *before, const char *name,
                       const uint8_t *addr)
{
    out_str(o, before);
    out_str(o, name);
    OUT_LIT(o, "=\"");
    if (other)
        OUT_LIT(o, "other");
    else
        stat_addr_print(o, (enum iba_addr_kind)p->key.kind, addr);
    out_ch(o, '"');
}

static void pairs(const struct metrics *m, struct out *o)
{
#define PAIR_INFO(id, name, unit, help) {"hosts_" name, unit, help},
    static const struct {
        const char *name, *unit, *help;
    } of[PAIR_COUNT] = {PAIR_COUNTS(PAIR_INFO)};

    for (unsigned k = 0; k < PAIR_COUNT; k++) {
        family(o, of[k].name, "counter", of[k].unit, of[k].help);
        for (size_t i = 0; i <= m->n_pair; i++) {
            const bool other = i == m->n_pair;
            const struct pair *p = other ? &m->others : &m->pair[i];
            if (other && p->count[PAIR_PACKETS] == 0)
                continue;
            sample(o, of[k].name, "_total");
            pair_label(o, p, other, "{", "src", p->key.src);
            pair_label(o, p, other, ",", "dst", p->key.dst);
            out_ch(o, '}');
            value(o, p->count[k]);
        }
    }
}

void metrics_write(const struct metrics *m, struct out *o)
{
    counts(m, o);
    findings(m, o);
    ends(m, o);
    responses(m, o);
    limits(m, o);
    pairs(m, o);
    if (m->one_in > 1) {
        family(o, "sample_pairs", "gauge", "", "Counts are those of one in so many pairs of hosts.");
        sample(o, "sample_pairs", "");
        value(o, m->one_in);
    }
    if (m->last_ns > 0) {
        family(o, "last_packet_timestamp_seconds", "gauge", "seconds", "When the newest packet was captured.");
        sample(o, "last_packet_timestamp_seconds", " ");
        out_time(o, m->last_ns < INT64_MAX ? (int64_t)m->last_ns : INT64_MAX);
        out_ch(o, '\n');
    }
    OUT_LIT(o, "# EOF\n");
}
