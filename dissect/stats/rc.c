/* SPDX-License-Identifier: BSD-2-Clause */
/* -z rc,analysis: the findings of each direction of each reliable connection. */
#include <stdlib.h>
#include "stats/ends.h"
#include "stats/kinds.h"
#include "observer/iba_finding_kinds.h"

struct found {
    uint32_t kind[IBA_FINDING_COUNT], severity[IBA_ERROR + 1];
};
struct row {
    uint64_t packets, bytes;
    uint32_t found; /* index of the direction's findings, plus 1; 0: it has none */
    bool seen;
};
struct total {
    uint64_t packets, bytes;
    struct found found;
};
struct rc {
    uint64_t no_connection;   /* packets of the service that belong to no known connection */
    uint64_t elsewhere;       /* findings that belong to no reliable connection */
    struct iba_finding first; /* the first of the worst findings; frame 0: there is neither a warning nor an error */
    uint64_t first_now;       /* the packet at which `first` was found, or UINT64_MAX: it was found at the end */
    const struct verdict_names *names;
    struct row row[JUDGE_DIRECTIONS];
    struct found found[JUDGE_DIRECTIONS]; /* one for each direction with findings, so that the others need no memory */
    uint32_t n_found;
    const struct direction *seen[JUDGE_DIRECTIONS];
    size_t n;
};

/* Columns that are sums of findings; the last of `kinds` is repeated. */
struct sum {
    const char *title, *key;
    uint8_t width, n;
    uint8_t kinds[6];
};
#define F(kind) IBA_FINDING_##kind
static const struct sum sums[] = {
    {"Re:NAK", "retransmissions_nak", 6, 1, {F(RETRY_NAK)}},
    {"Re:RNR", "retransmissions_rnr", 6, 1, {F(RETRY_RNR)}},
    {"Re:lost", "retransmissions_implied", 7, 1, {F(RETRY_IMPLIED)}},
    {"Re:time", "retransmissions_timeout", 7, 1, {F(RETRY_TIMEOUT)}},
    {"Re:?", "retransmissions_unclear", 5, 1, {F(RETRY_UNCLEAR)}},
    {"Copies", "copies", 6, 1, {F(NETWORK_COPY)}},
    {"Gaps", "gaps", 5, 3, {F(GAP), F(RESPONSE_GAP), F(ANSWER_MISSING)}},
    {"Late", "out_of_order", 5, 1, {F(LATE)}},
    {"NAK seq", "nak_sequence", 7, 1, {F(NAK_SEQUENCE)}},
    {"NAKs",
     "nak_other",
     5,
     6,
     {F(NAK_INVALID), F(NAK_ACCESS), F(NAK_OPERATION), F(NAK_RD), F(NAK_RESERVED), F(SYNDROME_RESERVED)}},
    {"RNRs", "rnr", 5, 1, {F(RNR)}},
    {"AckDup", "duplicate_acks", 6, 2, {F(ACK_AGAIN), F(ANSWER_AGAIN)}},
    {"Ghosts", "ghost_acks", 6, 1, {F(GHOST_ACK)}},
    {"ICRC", "bad_icrc", 5, 1, {F(BAD_ICRC)}},
    {"ECN", "ecn", 6, 1, {F(ECN)}},
};
#undef F
enum { N_SUMS = sizeof sums / sizeof *sums, LAST_COLUMNS = 3, COLUMNS = ENDS_COLUMNS + 2 + N_SUMS + LAST_COLUMNS };

void *stat_rc_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("rc,analysis", sizeof(struct rc), arg, err, errlen);
}

static bool reliable(uint8_t svc)
{
    return svc == IBA_RC || svc == IBA_XRC;
}

static struct row *row_of(struct rc *s, const struct direction *d)
{
    if (!d || !reliable(d->svc))
        return NULL;
    struct row *r = &s->row[d->id];
    if (!r->seen) {
        r->seen = true;
        ends_add(s->seen, &s->n, d, s, sizeof *s);
    }
    return r;
}

static enum iba_severity severity_of(const struct iba_finding *f)
{
    return iba_findings[f->kind].severity;
}

static void count(struct rc *s, const struct iba_finding *finding, const struct verdict_names *names)
{
    struct row *r = row_of(s, direction_of_finding(finding, names));

    s->names = names;
    if (severity_of(finding) >= IBA_WARN && (s->first.frame == 0 || severity_of(finding) > severity_of(&s->first))) {
        s->first = *finding;
        s->first_now = names->now ? names->now : UINT64_MAX;
    }
    if (!r) {
        s->elsewhere++;
        return;
    }
    if (!r->found)
        r->found = ++s->n_found;
    struct found *f = &s->found[r->found - 1];
    f->kind[finding->kind]++;
    f->severity[severity_of(finding)]++;
}

__attribute__((hot)) void stat_rc_packet(void *state, const struct packet *p)
{
    struct rc *s = state;
    const struct verdict *v = p->verdict;
    struct row *r = row_of(s, v->direction);

    if (verdict_is_twin(v, p->number))
        return;
    for (unsigned i = 0; i < verdict_kept(v); i++)
        count(s, &v->finding[i], v->names);
    if (r) {
        r->packets++;
        r->bytes += p->view.icrc == IBA_CHECK_BAD ? 0 : p->view.payload_len;
    } else if (!v->direction && iba_view_has_bth(&p->view) && reliable(iba_bth_opcode(iba_view_bth(&p->view)) >> 5))
        s->no_connection++;
}

static void fetch_row(const struct rc *s, uint32_t direction)
{
    __builtin_prefetch(&s->row[direction], 1);
    __builtin_prefetch((const char *)&s->row[direction + 1] - 1, 1); /* the row may lie in two cache lines */
}

__attribute__((hot)) void stat_rc_expect(void *state, uint32_t direction)
{
    fetch_row(state, direction);
}

void stat_rc_late(void *state, const struct iba_finding *f, const struct verdict_names *names)
{
    count(state, f, names);
}

/* Joins the first finding. If two parts found theirs at the end, which of them one judge would find first depends on
 * its order of connections: then the parts cannot be joined. */
static bool join_first(struct rc *s, const struct rc *part, const struct stat_part *as)
{
    const enum iba_severity a = s->first.frame ? severity_of(&s->first) : IBA_SEVERITY_NONE;
    const enum iba_severity b = part->first.frame ? severity_of(&part->first) : IBA_SEVERITY_NONE;

    if (b == IBA_SEVERITY_NONE || b < a || (b == a && part->first_now > s->first_now))
        return true;
    if (b == a && part->first_now == s->first_now)
        return false;
    s->first = part->first;
    s->first_now = part->first_now;
    if (s->first.direction)
        s->first.direction = as->direction[s->first.direction - 1]->id + 1;
    return true;
}

bool stat_rc_join(void *state, void *part, const struct stat_part *as)
{
    struct rc *s = state;
    const struct rc *x = part;

    s->names = as->names;
    s->no_connection += x->no_connection;
    s->elsewhere += x->elsewhere;
    for (size_t i = 0; i < x->n; i++) {
        const struct row *from = &x->row[x->seen[i]->id];
        struct row *to = row_of(s, as->direction[x->seen[i]->id]);
        to->packets = from->packets;
        to->bytes = from->bytes;
        if (!from->found)
            continue;
        to->found = ++s->n_found;
        s->found[to->found - 1] = x->found[from->found - 1];
    }
    return join_first(s, x, as);
}

static uint64_t sum_of(const struct total *t, const struct sum *sum)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < sum->n; i++)
        n += t->found.kind[sum->kinds[i]];
    return n;
}

static void add(const struct rc *s, struct total *to, const struct row *r)
{
    const struct found *f = r->found ? &s->found[r->found - 1] : NULL;

    to->packets += r->packets;
    to->bytes += r->bytes;
    for (unsigned i = 0; f && i < IBA_FINDING_COUNT; i++)
        to->found.kind[i] += f->kind[i];
    for (unsigned i = 0; f && i <= IBA_ERROR; i++)
        to->found.severity[i] += f->severity[i];
}

static struct total one_of(const struct rc *s, const struct direction *d)
{
    struct total one = {0};

    add(s, &one, &s->row[d->id]);
    return one;
}

static uint64_t weight(const void *ctx, uint32_t id)
{
    const struct rc *s = ctx;
    const uint32_t found = s->row[id].found;

    return found ? (uint64_t)s->found[found - 1].severity[IBA_ERROR] + s->found[found - 1].severity[IBA_WARN] : 0;
}

/* Prints the cells of a row. Columns without any count are left out, so that the others fit a screen. */
static void cells(struct table *t, const struct total *r, const struct total *total)
{
    table_u64(t, r->packets);
    table_u64(t, r->bytes);
    for (unsigned i = 0; i < N_SUMS; i++)
        if (sum_of(total, &sums[i]) > 0)
            table_u64(t, sum_of(r, &sums[i]));
    for (unsigned i = IBA_ERROR; i >= IBA_NOTE; i--)
        table_u64(t, r->found.severity[i]);
}

static size_t columns(struct column column[COLUMNS], const struct total *total)
{
    size_t n = ENDS_COLUMNS;

    column[n++] = (struct column){"Packets", 9, false};
    column[n++] = (struct column){"Payload bytes", 13, false};
    for (unsigned i = 0; i < N_SUMS; i++)
        if (sum_of(total, &sums[i]) > 0)
            column[n++] = (struct column){sums[i].title, sums[i].width, false};
    column[n++] = (struct column){"Errors", 6, false};
    column[n++] = (struct column){"Warnings", 8, false};
    column[n++] = (struct column){"Notes", 5, false};
    return n;
}

static struct total total_of(const struct rc *s)
{
    struct total total = {0};

    for (size_t i = 0; i < s->n; i++)
        add(s, &total, &s->row[s->seen[i]->id]);
    return total;
}

/* One sentence, which the user should check against the packets. */
static void diagnosis(const struct rc *s, struct out *o)
{
    out_str(o, severity_of(&s->first) == IBA_ERROR ? "First error: packet " : "First warning: packet ");
    out_u64(o, s->first.frame);
    out_ch(o, ' ');
    out_str(o, verdict_text(&s->first, s->names));
    OUT_LIT(o, " [");
    out_str(o, verdict_cited(s->first.kind));
    OUT_LIT(o, "]\n");
}

/* Prefetches rows, since they are printed in another order than they have in memory. */
static void look_ahead(const struct rc *s, size_t i)
{
    enum { AHEAD = 8 };

    if (i + 2 * AHEAD < s->n)
        __builtin_prefetch(s->seen[i + 2 * AHEAD]);
    if (i + AHEAD < s->n)
        fetch_row(s, s->seen[i + AHEAD]->id);
}

static void print_text(const struct rc *s, struct out *o)
{
    const struct total total = total_of(s);
    struct column column[COLUMNS];
    struct table t;

    ends_columns(o, column, s->seen, s->n);
    table_open(&t, o, "Reliable connections: what went wrong, by direction", column, columns(column, &total));
    for (size_t i = 0; i < s->n; i++) {
        look_ahead(s, i);
        const struct total one = one_of(s, s->seen[i]);
        ends_cells(&t, s->seen[i]);
        cells(&t, &one, &total);
    }
    table_rule(&t, '-');
    table_str(&t, "Total");
    for (unsigned i = 1; i < ENDS_COLUMNS; i++)
        table_str(&t, "");
    cells(&t, &total, &total);
    if (s->no_connection + s->elsewhere > 0) {
        out_str(o, "Beside these: packets of no connection ");
        out_u64(o, s->no_connection);
        out_str(o, ", findings of no reliable connection ");
        out_u64(o, s->elsewhere);
        out_ch(o, '\n');
    }
    if (s->first.frame != 0)
        diagnosis(s, o);
    table_close(&t);
}

static void json_row(struct out *o, const struct total *r)
{
    json_u64(o, "packets", r->packets);
    json_u64(o, "payload_bytes", r->bytes);
    for (unsigned i = 0; i < N_SUMS; i++)
        json_u64(o, sums[i].key, sum_of(r, &sums[i]));
    for (unsigned i = IBA_ERROR; i >= IBA_NOTE; i--)
        json_u64(o, iba_severity_name((enum iba_severity)i), r->found.severity[i]);
    json_key(o, "found");
    out_ch(o, '{');
    bool any = false;
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        if (r->found.kind[i]) {
            out_str(o, any ? ",\"" : "\"");
            any = true;
            out_str(o, iba_findings[i].name);
            OUT_LIT(o, "\":");
            out_u64(o, r->found.kind[i]);
        }
    out_ch(o, '}');
}

static void print_json(const struct rc *s, struct out *o)
{
    const struct total total = total_of(s);

    out_str(o, "{\"stat\":\"rc,analysis\",\"directions\":[");
    for (size_t i = 0; i < s->n; i++) {
        const struct direction *d = s->seen[i];
        const struct total one = one_of(s, d);
        out_str(o, i > 0 ? ",{\"direction\":" : "{\"direction\":");
        out_u64(o, d->id);
        json_known(o, "peer", d->peer != 0, d->peer - 1);
        ends_json(o, d);
        json_row(o, &one);
        out_ch(o, '}');
    }
    out_str(o, "],\"total\":{\"directions\":");
    out_u64(o, s->n);
    json_row(o, &total);
    out_ch(o, '}');
    if (s->first.frame != 0) {
        OUT_LIT(o, ",\"first\":{\"packet\":");
        out_u64(o, s->first.frame);
        json_str(o, "finding", iba_findings[s->first.kind].name);
        json_str(o, "message", verdict_text(&s->first, s->names));
        json_str(o, "clause", iba_findings[s->first.kind].clause);
        json_str(o, "section", verdict_sections(s->first.kind));
        out_ch(o, '}');
    }
    json_u64(o, "no_connection_packets", s->no_connection);
    json_u64(o, "elsewhere_findings", s->elsewhere);
    json_u64(o, "limit", JUDGE_DIRECTIONS);
    out_str(o, "}\n");
}

void stat_rc_print(void *state, struct out *o, bool json)
{
    struct rc *s = state;

    ends_sort(s->seen, s->n, s->n_found > 0 ? weight : NULL, s);
    (json ? print_json : print_text)(state, o);
}
