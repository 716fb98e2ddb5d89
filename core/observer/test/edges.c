/* SPDX-License-Identifier: BSD-2-Clause */
/* Times and values at which the observer's results change. core/observer/test/edges.golden has a line for each packet
 * of each talk of rows.h and decisions.h, and for the end of the talk. For each line only that packet is changed:
 *
 * If the packet comes sooner or later, the line has each time, in ns, from which on the results differ. If the packet
 * has a PSN near its own, the line has a digest of all results; another digest, if it has a PSN farther away, another
 * MSN, length, syndrome or fault.
 *
 * So a limit that is off by one changes a line, wherever a talk comes near that limit. test/golden.h says how to renew
 * the file. */
#include "observer/iba_decision.h"
#include "decisions.h"
#include "rows.h"
#include "test/golden.h"

enum { BASE = 0x1000, FLOWS = 8, KNOWN = 16 };
static const uint64_t times[] = {0,       900,     10000,    50000,    150000,   400000,    2 * MS,    12 * MS,
                                 30 * MS, 60 * MS, 150 * MS, 300 * MS, 600 * MS, 1100 * MS, 2500 * MS, 20000 * MS};
enum { TIMES = sizeof times / sizeof *times };

static struct witness w;
static uint64_t digest;

static void number(uint64_t value)
{
    digest = golden_number(digest, value);
}

/* Adds everything of a finding except times, which change whenever a packet comes at another time. */
static void on_finding(void *ctx, const struct iba_finding *f)
{
    (void)ctx;
    number((uint64_t)f->kind << 56 | f->frame << 28 | f->cause);
    number((uint64_t)f->count << 32 | f->psn.v);
    number((unsigned)f->response << 1 | f->no_psn);
}

static void on_decision(void *ctx, const struct iba_decision *row)
{
    (void)ctx;
    digest = golden_digest(digest, row->name, strlen(row->name));
}

struct talk {
    struct packet {
        uint8_t bytes[CAP];
        size_t len;
        struct shot shot;
        struct iba_view view;
    } packet[MOST];
    unsigned n;
    uint64_t rest; /* until the end */
};

static void make(struct packet *p, const struct shot *x)
{
    p->shot = *x;
    p->shot.wait = x->wait ? x->wait : 10000;
    p->len = shot_bytes(x, BASE, p->bytes);
    (void)iba_view_parse(&p->view, IBA_LINK_ETHERNET, p->bytes, p->len - (x->cut < p->len ? x->cut : 0), p->len, NULL);
    iba_view_check(&p->view);
}

static uint64_t results(const struct talk *t)
{
    const struct iba_observer_config cfg = {.n_flow = FLOWS, .n_known = KNOWN};
    iba_time now = MS;

    witness_init(&w, &cfg);
    w.observer->cfg.report = on_finding;
    w.observer->cfg.decided = on_decision;
    digest = GOLDEN_EMPTY;
    for (unsigned i = 0; i < t->n; i++) {
        const struct packet *p = &t->packet[i];
        const struct iba_cm_facts facts = shot_facts(&p->shot, i + 1);
        now += p->shot.wait;
        const struct iba_observed *o = iba_observer_feed(
            w.observer, &(struct iba_sighting){.view = &p->view, .now = now, .frame = i + 1, .cm = &facts});
        number(o->request.frame << 8 | (unsigned)o->worst << 2 | (unsigned)o->copy << 1 | o->damaged);
        number(!o->flow ? 0
                        : (uint64_t)iba_flow_pmtu(o->flow) << 2 | (unsigned)iba_flow_is_paired(o->flow) << 1 |
                              iba_flow_is_guess(o->flow));
    }
    iba_observer_end(w.observer, now + t->rest);
    return digest;
}

/* ---- times ---- */

/* Returns the first time above `low` at which the results are no longer `same`; at `high` they differ. */
static uint64_t edge(const struct talk *t, uint64_t *time, uint64_t low, uint64_t high, uint64_t same)
{
    while (high - low > 1) {
        *time = low + (high - low) / 2;
        if (results(t) == same)
            low = *time;
        else
            high = *time;
    }
    return high;
}

/* Adds the edges of one time to the line, and a digest of the results between them. */
static int edges(const struct talk *t, uint64_t *time, char *line, int len)
{
    const uint64_t was = *time;
    uint64_t before = 0, all = GOLDEN_EMPTY;

    for (unsigned i = 0; i < TIMES; i++) {
        *time = times[i];
        const uint64_t now = results(t);
        all = golden_number(all, now);
        if (i > 0 && now != before)
            len += snprintf(line + len, (size_t)(GOLDEN_LINE - len), " %" PRIu64,
                            edge(t, time, times[i - 1], times[i], before));
        before = now;
    }
    *time = was;
    return len + snprintf(line + len, (size_t)(GOLDEN_LINE - len), " %08x\n", (unsigned)golden_short(all));
}

/* Returns whether the results at these times are as `known` says, the end of a line: the results change at each of its
 * edges, and its last word is the digest. */
static bool has_edges(const struct talk *t, uint64_t *time, const char *known)
{
    const uint64_t was = *time;
    uint64_t all = GOLDEN_EMPTY;
    bool same = true;
    char *end;

    for (unsigned i = 0; i < TIMES; i++) {
        *time = times[i];
        all = golden_number(all, results(t));
    }
    for (uint64_t edge = strtoull(known, &end, 10); end > known && *end == ' '; edge = strtoull(known, &end, 10)) {
        *time = edge - 1;
        const uint64_t before = results(t);
        *time = edge;
        same &= results(t) != before;
        known = end;
    }
    *time = was;
    return same && strtoul(known, NULL, 16) == golden_short(all);
}

/* ---- other fields ---- */

static uint64_t all_of_them;

static void with(struct talk *t, unsigned i, const struct shot *x)
{
    make(&t->packet[i], x);
    all_of_them = golden_number(all_of_them, results(t));
}

/* Adds the results with the PSN so much farther. */
static void with_psn(struct talk *t, unsigned i, const struct shot *was, int32_t step)
{
    struct shot x = *was;

    x.psn += (uint32_t)step;
    with(t, i, &x);
}

/* Returns a digest of the results with one PSN near that of the packet after the other. */
static uint64_t near_psns(struct talk *t, unsigned i)
{
    static const int8_t steps[] = {-17, -16, -4, -3, -2, -1, 1, 2, 3, 4, 16, 17};
    const struct shot was = t->packet[i].shot;

    all_of_them = GOLDEN_EMPTY;
    for (unsigned k = 0; k < sizeof steps; k++)
        with_psn(t, i, &was, steps[k]);
    make(&t->packet[i], &was);
    return all_of_them;
}

/* Returns a digest of the results with one field of the packet after the other changed to a value that another packet
 * might have. */
static uint64_t fields(struct talk *t, unsigned i)
{
    static const int32_t far[] = {-2049, -1024, -257, -65,  -5,   5,        15,       18,
                                  255,   1023,  1024, 1025, 2048, 0x7fffff, -0x7fffff};
    static const uint8_t syndromes[] = {0, 1, 0x1f, 0x20, 0x2e, 0x40, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x7f};
    const struct shot was = t->packet[i].shot;
    struct shot x = was;

    all_of_them = GOLDEN_EMPTY;
    for (unsigned k = 0; k < sizeof far / sizeof *far; k++)
        with_psn(t, i, &was, far[k]);
    for (uint32_t k = 1; k < 4 && was.from == B; k++, x = was) {
        x.msn += k == 3 ? UINT32_MAX : k;
        with(t, i, &x);
    }
    for (unsigned k = 0; k < sizeof syndromes && was.from == B; k++, x = was) {
        x.syndrome = syndromes[k];
        with(t, i, &x);
    }
    for (unsigned k = 0; k < 4; k++, x = was) {
        x.dma += k < 3 ? MTU * k + 1 : (uint32_t)-1;
        x.bytes = (uint16_t)(k < 2 ? was.bytes + k * 3 + 1 : was.bytes / k);
        x.bytes = x.bytes < MTU + 8 ? x.bytes : was.bytes;
        with(t, i, &x);
    }
    for (unsigned k = 0; k <= OTHER_PORT; k++, x = was) {
        x.how = k;
        x.cut = (uint16_t)(k * 3);
        with(t, i, &x);
        x.cut = was.cut;
        with(t, i, &x);
    }
    make(&t->packet[i], &was);
    return all_of_them;
}

/* ---- the talks: of rows.h, then of decisions.h ---- */

enum { TALKS = N_ROWS + CASES };

static void read_talk(struct talk *t, unsigned number)
{
    const struct shot *x = number < N_ROWS ? rows[number].shot : cases[number - N_ROWS].shot;

    t->rest = MS;
    for (t->n = 0; t->n < MOST && (x[t->n].opcode || x[t->n].bytes); t->n++)
        make(&t->packet[t->n], &x[t->n]);
}

static uint64_t *time_of(struct talk *t, unsigned i)
{
    return i == t->n ? &t->rest : &t->packet[i].shot.wait;
}

static unsigned psns(struct talk *t, unsigned i)
{
    return i == t->n ? 0 : golden_short(near_psns(t, i));
}

Test(edges, results_change_where_they_did)
{
    static struct talk t;
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/observer/test/edges.golden");
    char line[GOLDEN_LINE];

    for (unsigned number = 0; number < TALKS; number++) {
        read_talk(&t, number);
        for (unsigned i = 1; i <= t.n; i++) {
            const unsigned other = i == t.n ? 0 : golden_short(fields(&t, i));
            const int len = snprintf(line, sizeof line, "%u %u %08x %08x", number, i, psns(&t, i), other);
            (void)edges(&t, time_of(&t, i), line, len);
            golden_line(&g, line);
        }
    }
    golden_close(&g);
}

/* ---- the same, quickly: without a search for edges ---- */

/* Calls `is_so` for each packet, with the digest for its PSNs and the end of its line. */
static void each_line(bool (*is_so)(struct talk *t, unsigned i, unsigned known, const char *end))
{
    static struct talk t;
    FILE *golden = fopen(IBPROOF_SOURCE_DIR "/core/observer/test/edges.golden", "r");
    char line[GOLDEN_LINE];

    cr_assert(golden != NULL);
    for (unsigned number = 0; number < TALKS; number++) {
        read_talk(&t, number);
        for (unsigned i = 1; i <= t.n; i++) {
            unsigned its_talk, its_packet, its_psns;
            int head = 0;
            cr_assert(fgets(line, sizeof line, golden) != NULL, "the file ends before talk %u, packet %u", number, i);
            cr_assert_eq(sscanf(line, "%u %u %x %*x%n", &its_talk, &its_packet, &its_psns, &head), 3);
            cr_assert(its_talk == number && its_packet == i && head > 0, "talk %u, packet %u: %s", number, i, line);
            cr_expect(is_so(&t, i, its_psns, line + head), "talk %u, packet %u", number, i);
        }
    }
    (void)fclose(golden);
}

static bool same_times(struct talk *t, unsigned i, unsigned known, const char *end)
{
    (void)known;
    return has_edges(t, time_of(t, i), end);
}

static bool same_psns(struct talk *t, unsigned i, unsigned known, const char *end)
{
    (void)end;
    return psns(t, i) == known;
}

Test(edges, results_change_at_the_known_times)
{
    each_line(same_times);
}

Test(edges, results_change_with_the_psn)
{
    each_line(same_psns);
}
