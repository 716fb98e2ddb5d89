/* SPDX-License-Identifier: BSD-2-Clause */
/* Times and values at which the observer's results change. core/observer/test/edges.golden has a line for each packet
 * of each talk of rows.h, and for the end of the talk. For each line only that packet is changed:
 *
 * If the packet comes sooner or later, the line has each time, in ns, from which on the results differ. If the packet
 * has another PSN, MSN, length, syndrome or fault, the line has a digest of all results.
 *
 * So a limit that is off by one changes a line, wherever a talk comes near that limit. test/golden.h says how to renew
 * the file. */
#include "observer/iba_decision.h"
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

/* Returns a digest of the results with one field of the packet after the other changed to a value that another packet
 * might have. */
static uint64_t fields(struct talk *t, unsigned i)
{
    static const int32_t psns[] = {-2049, -1024, -257, -65,  -17,  -16,  -5,   -4,       -3,
                                   -2,    -1,    1,    2,    3,    4,    5,    15,       16,
                                   17,    18,    255,  1023, 1024, 1025, 2048, 0x7fffff, -0x7fffff};
    static const uint8_t syndromes[] = {0, 1, 0x1f, 0x20, 0x2e, 0x40, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x7f};
    const struct shot was = t->packet[i].shot;
    struct shot x = was;

    all_of_them = GOLDEN_EMPTY;
    for (unsigned k = 0; k < sizeof psns / sizeof *psns; k++, x = was) {
        x.psn += (uint32_t)psns[k];
        with(t, i, &x);
    }
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

static void read_row(struct talk *t, unsigned row)
{
    t->rest = MS;
    for (t->n = 0; row_has(&rows[row], t->n); t->n++)
        make(&t->packet[t->n], &rows[row].shot[t->n]);
}

Test(edges, results_change_where_they_did)
{
    static struct talk t;
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/observer/test/edges.golden");
    char line[GOLDEN_LINE];

    for (unsigned row = 0; row < N_ROWS; row++) {
        read_row(&t, row);
        for (unsigned i = 1; i <= t.n; i++) {
            const bool end = i == t.n;
            int len = snprintf(line, sizeof line, "%u %u %08x", row, i, end ? 0 : (unsigned)fields(&t, i));
            (void)edges(&t, end ? &t.rest : &t.packet[i].shot.wait, line, len);
            golden_line(&g, line);
        }
    }
    golden_close(&g);
}

/* The same for the times alone, at the edges that the file has. It takes a tenth of the processor time, since it looks
 * for no edges. */
Test(edges, results_change_at_the_known_times)
{
    static struct talk t;
    FILE *golden = fopen(IBPROOF_SOURCE_DIR "/core/observer/test/edges.golden", "r");
    char line[GOLDEN_LINE];

    cr_assert(golden != NULL);
    for (unsigned row = 0; row < N_ROWS; row++) {
        read_row(&t, row);
        for (unsigned i = 1; i <= t.n; i++) {
            unsigned its_row, its_packet;
            int head = 0;
            cr_assert(fgets(line, sizeof line, golden) != NULL, "the file ends before packet %u of row %u", i, row);
            cr_assert_eq(sscanf(line, "%u %u %*x%n", &its_row, &its_packet, &head), 2);
            cr_assert(its_row == row && its_packet == i && head > 0, "packet %u of row %u: %s", i, row, line);
            cr_expect(has_edges(&t, i == t.n ? &t.rest : &t.packet[i].shot.wait, line + head), "packet %u of row %u", i,
                      row);
        }
    }
    (void)fclose(golden);
}
