/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/cm_outcome.h"

static const struct {
    const char *title, *name;
    enum cm_kept from, to;
    bool sidr;
} phases[CM_PHASES] = {
    [CM_PHASE_REPLY] = {"REQ to REP", "req_to_rep", CM_KEPT_REQ, CM_KEPT_REP, false},
    [CM_PHASE_CONFIRM] = {"REP to RTU", "rep_to_rtu", CM_KEPT_REP, CM_KEPT_RTU, false},
    [CM_PHASE_SETUP] = {"REQ to RTU", "req_to_rtu", CM_KEPT_REQ, CM_KEPT_RTU, false},
    [CM_PHASE_RESOLVE] = {"SIDR_REQ to SIDR_REP", "sidr_req_to_sidr_rep", CM_KEPT_REQ, CM_KEPT_REP, true},
    [CM_PHASE_RELEASE] = {"DREQ to DREP", "dreq_to_drep", CM_KEPT_DREQ, CM_KEPT_DREP, false},
};

const char *cm_phase_title(enum cm_phase p)
{
    return phases[p].title;
}

static void count(struct cm_outcomes *s, enum cm_why why, const struct cm_connection *c)
{
    if (why == CM_WHY_COUNT)
        return;
    if (s->of[why].n++ == 0)
        s->of[why].first_frame = c->begin_frame;
}

/* Adds the times between the first messages of each kind: so long the program that connects has waited. */
static void time_phases(struct cm_outcomes *s, const struct cm_connection *c)
{
    for (unsigned i = 0; i < CM_PHASES; i++) {
        const struct cm_sent *from = &c->sent[phases[i].from], *to = &c->sent[phases[i].to];
        if (phases[i].sidr == c->sidr && from->n > 0 && to->n > 0 && to->first_ns >= from->first_ns)
            times_add(&s->phase[i], (uint64_t)(to->first_ns - from->first_ns));
    }
}

/* Counts a connection of which no more messages will be followed. */
static void add(struct cm_outcomes *s, const struct cm_connection *c)
{
    count(s, cm_why_setup(c, s->now_ns), c);
    count(s, cm_why_end(c), c);
    time_phases(s, c);
}

static void ending(void *ctx, const struct cm_connection *c)
{
    struct cm_survey *s = ctx;

    add(&s->forgotten, c);
}

void cm_survey_begin(struct cm_survey *s)
{
    s->track.ending = ending;
    s->track.ctx = s;
}

void cm_survey_packet(struct cm_survey *s, const struct packet *p)
{
    const int64_t ns = (int64_t)(p->cap->ts_ns - p->first_ns);

    if (p->cap->has_ts && ns > s->forgotten.now_ns)
        s->forgotten.now_ns = ns;
    struct cm_connection *c = cm_track_packet(&s->track, p);
    if (c)
        c->upper = p->mad_context.upper;
}

void cm_survey_outcomes(const struct cm_survey *s, struct cm_outcomes *all)
{
    const struct cm_connection *c;

    *all = s->forgotten;
    for (size_t i = 0; (c = cm_track_nth(&s->track, i)) != NULL; i++)
        add(all, c);
}

static bool worth_a_line(const struct cm_track *t, enum cm_why why)
{
    return why != CM_WHY_COUNT && (t->begun <= CM_FEW || cm_whys[why].severity >= IBA_WARN);
}

uint64_t cm_outcome_lines(const struct cm_outcomes *s, const struct cm_track *t, struct out *o, cm_line *line)
{
    const uint32_t most = t->begun <= CM_FEW ? 2 * CM_FEW : CM_LINES;
    const struct cm_connection *c;
    uint32_t lines[CM_WHY_COUNT] = {0};
    uint64_t more = 0;

    for (size_t i = 0; (c = cm_track_nth(t, i)) != NULL; i++) {
        const enum cm_why why[] = {cm_why_setup(c, s->now_ns), cm_why_end(c)};
        for (unsigned k = 0; k < 2; k++) {
            if (!worth_a_line(t, why[k]))
                continue;
            if (lines[why[k]]++ < most)
                line(o, why[k], c, s->now_ns);
            else
                more++;
        }
    }
    return more;
}

/* ---- for people ---- */

static void sentence(struct out *o, enum cm_why why, const struct cm_connection *c, int64_t now_ns)
{
    OUT_LIT(o, "Packet ");
    out_u64(o, c->begin_frame);
    OUT_LIT(o, ": ");
    cm_why_print(o, why, c, now_ns);
    OUT_LIT(o, " [");
    out_str(o, cm_whys[why].name);
    OUT_LIT(o, ", ");
    out_str(o, cm_whys[why].clause);
    OUT_LIT(o, "]\n");
}

static void outcomes(const struct cm_outcomes *s, struct out *o)
{
    static const struct column column[] = {{"Outcome", 20, true},
                                           {"Severity", 8, true},
                                           {"Clause", 12, true},
                                           {"Connections", 11, false},
                                           {"First packet", 12, false}};
    struct table t;

    table_open(&t, o, "Outcomes, of all connections", column, sizeof column / sizeof *column);
    for (unsigned k = 0; k < CM_WHY_COUNT; k++) {
        if (s->of[k].n == 0)
            continue;
        table_str(&t, cm_whys[k].name);
        table_str(&t, iba_severity_name((enum iba_severity)cm_whys[k].severity));
        table_str(&t, cm_whys[k].clause);
        table_u64(&t, s->of[k].n);
        table_u64(&t, s->of[k].first_frame);
    }
    table_close(&t);
}

static void phase_times(const struct cm_outcomes *s, struct out *o)
{
    static const struct column column[] = {{"Phase", 20, true},   {"Count", 10, false}, {"Shortest (s)", 13, false},
                                           {"p50", 13, false},    {"p90", 13, false},   {"p99", 13, false},
                                           {"Longest", 13, false}};
    struct table t;
    uint64_t any = 0;

    for (unsigned i = 0; i < CM_PHASES; i++)
        any += s->phase[i].n;
    if (any == 0)
        return;
    table_open(&t, o, "Times of connection management, resends included", column, sizeof column / sizeof *column);
    for (unsigned i = 0; i < CM_PHASES; i++) {
        const struct times *x = &s->phase[i];
        if (x->n == 0)
            continue;
        table_str(&t, phases[i].title);
        table_u64(&t, x->n);
        table_time(&t, (int64_t)x->shortest);
        table_time(&t, (int64_t)times_percentile(x, 50));
        table_time(&t, (int64_t)times_percentile(x, 90));
        table_time(&t, (int64_t)times_percentile(x, 99));
        table_time(&t, (int64_t)x->longest);
    }
    table_close(&t);
}

void cm_outcome_text(const struct cm_outcomes *s, const struct cm_track *t, struct out *o)
{
    if (t->begun == 0)
        return;
    const uint64_t more = cm_outcome_lines(s, t, o, sentence);
    if (more > 0) {
        OUT_LIT(o, "and ");
        out_u64(o, more);
        OUT_LIT(o, " more like these, counted below with those that the table has forgotten\n");
    }
    outcomes(s, o);
    phase_times(s, o);
}

/* ---- for programs ---- */

void cm_outcome_json(const struct cm_outcomes *s, struct out *o)
{
    const char *comma = "";

    json_key(o, "outcomes");
    out_ch(o, '{');
    for (unsigned k = 0; k < CM_WHY_COUNT; k++) {
        if (s->of[k].n == 0)
            continue;
        out_str(o, comma);
        comma = ",";
        out_ch(o, '"');
        out_str(o, cm_whys[k].name);
        OUT_LIT(o, "\":");
        out_u64(o, s->of[k].n);
    }
    OUT_LIT(o, "}");
    json_key(o, "times");
    out_ch(o, '{');
    comma = "";
    for (unsigned i = 0; i < CM_PHASES; i++) {
        const struct times *x = &s->phase[i];
        if (x->n == 0)
            continue;
        out_str(o, comma);
        comma = ",";
        out_ch(o, '"');
        out_str(o, phases[i].name);
        OUT_LIT(o, "\":{\"count\":");
        out_u64(o, x->n);
        json_time(o, "shortest", (int64_t)x->shortest);
        json_time(o, "p50", (int64_t)times_percentile(x, 50));
        json_time(o, "p90", (int64_t)times_percentile(x, 90));
        json_time(o, "p99", (int64_t)times_percentile(x, 99));
        json_time(o, "longest", (int64_t)x->longest);
        out_ch(o, '}');
    }
    out_ch(o, '}');
}

static void why_json(struct out *o, const char *key, const char *text_key, enum cm_why why,
                     const struct cm_connection *c, int64_t now_ns)
{
    json_key(o, key);
    if (why == CM_WHY_COUNT) {
        OUT_LIT(o, "null");
        json_key(o, text_key);
        OUT_LIT(o, "null");
        return;
    }
    out_ch(o, '"');
    out_str(o, cm_whys[why].name);
    out_ch(o, '"');
    json_key(o, text_key);
    out_ch(o, '"');
    cm_why_print(o, why, c, now_ns);
    out_ch(o, '"');
}

void cm_outcome_connection_json(struct out *o, const struct cm_connection *c, int64_t now_ns)
{
    why_json(o, "why", "why_text", cm_why_setup(c, now_ns), c, now_ns);
    why_json(o, "end", "end_text", cm_why_end(c), c, now_ns);
}
