/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios are played against the reference, and the wire changes its frames. The runner ends each with a
 * verdict, and no line takes a frame that differs in a value that the line names.
 *
 * Whether a frame differs is decided without the runner: by the frame before the change, if the same line took it when
 * the scenario was played without a change, and by numbers that the scenario writes out. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "changed_wire.h"
#include "cases.h"

enum {
    MOST_LINES = 4096,
    MOST_FRAMES = 1 << 16,
    CHANGES = 8
}; /* CHANGES: plays of a scenario with changes, for each one without */

static struct {
    struct changed_wire *wire;
    uint32_t line[MOST_FRAMES]; /* the line that took the frame when nothing was changed; 0: no line did */
    unsigned n;                 /* frames then */
    bool learns;
    unsigned long plays, changed, taken, verdict[IBC_IS_COUNT];
} now;

/* IBPROOF_PLAYS sets the number of plays; a long run takes 10000. */
static unsigned long plays_wanted(void)
{
    const char *s = getenv("IBPROOF_PLAYS");

    return s ? strtoul(s, NULL, 10) : 800;
}

/* ---- does a frame differ? ---- */
struct frame {
    struct iba_view view;
    const uint8_t *bytes;
};

static struct frame parsed(const uint8_t *bytes, size_t n)
{
    struct frame f = {.bytes = bytes};

    iba_view_parse(&f.view, now.wire->t->framing, bytes, (uint32_t)n, (uint32_t)n, NULL);
    return f;
}

/* Returns the bytes of the header, or of the part of the message, that the argument is about; NULL if the frame has no
 * such part. */
static const uint8_t *part_of(const struct frame *f, const struct ibc_arg *a, const struct iba_field **field)
{
    uint8_t hdr = a->hdr;

    *field = a->field;
    if (a->key == IBC_K_FIELD && hdr == IBC_H_MAD)
        return f->view.payload_len == IBA_MAD_BYTES ? f->view.wire + f->view.payload_at + a->at : NULL;
    *field = run_is_field(a) ? run_field_in(a, f->view.has, &hdr) : NULL;
    return *field ? iba_view_hdr(&f->view, (enum iba_hdr)hdr) : NULL;
}

static bool same_bits(const struct iba_field *f, const uint8_t *a, const uint8_t *b, uint64_t mask)
{
    return f->bits > 64 ? memcmp(a + f->at / 8, b + f->at / 8, f->bits / 8) == 0
                        : ((iba_field_get(f, a) ^ iba_field_get(f, b)) & mask) == 0;
}

/* Returns whether the argument allows only one value of the field. */
static bool is_exact(const struct ibc_arg *a)
{
    const uint8_t kind = a->v[0].kind;

    return a->n == 1 && !a->v[0].negated &&
           (kind == IBC_V_NUMBER || kind == IBC_V_RELATIVE || kind == IBC_V_REF || kind == IBC_V_BYTES);
}

static bool value_differs(const struct ibc_arg *a, const struct frame *is, const struct frame *was)
{
    const struct ibc_value *v = &a->v[0];
    const struct iba_field *f, *old;
    const uint8_t *at = part_of(is, a, &f), *before = was ? part_of(was, a, &old) : NULL;

    if (!is_exact(a) || (a->key == IBC_K_FIELD ? 0 : !run_is_field(a)))
        return false;
    if (!at)
        return true;
    if (before && f == old)
        return !same_bits(f, at, before, v->kind == IBC_V_NUMBER ? v->mask : UINT64_MAX);
    return v->kind == IBC_V_NUMBER && f->bits <= 64 && ((iba_field_get(f, at) ^ v->n) & v->mask) != 0;
}

static bool payload_differs(const struct ibc_step *s, const struct frame *is, const struct frame *was)
{
    const struct ibc_arg *payload = run_arg(s, IBC_K_payload);
    const bool exact = payload && is_exact(payload), number = exact && payload->v[0].kind == IBC_V_NUMBER;

    if (number && is->view.payload_len != payload->v[0].n)
        return true;
    if (!was || !(run_has(s, IBC_K_fill) || (exact && !number)))
        return false;
    /* A pattern has no length. */
    const size_t n = is->view.payload_len < was->view.payload_len ? is->view.payload_len : was->view.payload_len;
    return (exact && is->view.payload_len != was->view.payload_len) ||
           memcmp(is->view.wire + is->view.payload_at, was->view.wire + was->view.payload_at, n) != 0;
}

/* Returns whether the frame differs from a value that the line names. `was` is a frame that this line took; NULL: no
 * such frame is known. */
static bool differs(const struct ibc_step *s, const struct frame *is, const struct frame *was)
{
    const bool bth = iba_view_has_bth(&is->view);

    if (s->op < IBC_ANY_OPCODE && (!bth || iba_bth_opcode(iba_view_bth(&is->view)) != s->op))
        return true;
    for (unsigned i = 0; i < s->n_arg; i++)
        if (value_differs(&s->arg[i], is, was))
            return true;
    return payload_differs(s, is, was);
}

/* ---- which line took a frame? ---- */
static bool ends_with(const char *s, const char *end)
{
    const size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Returns the line that took the frame, which the comment in the evidence names; 0: no line took it. */
static uint32_t line_of(const struct run_packet *k)
{
    unsigned line;

    return k->comment && (ends_with(k->comment, ": as expected") || ends_with(k->comment, ": tolerated")) &&
                   sscanf(k->comment, "line %u:", &line) == 1 && line < MOST_LINES
               ? line
               : 0;
}

/* A repeated line makes several steps, in order. The n-th step must take the n-th frame, unless a step may take no
 * frame or several. */
static bool some_step_takes(const struct run_player *p, uint32_t line, unsigned nth, const struct frame *is,
                            const struct frame *was)
{
    unsigned seen = 0;

    for (unsigned i = 0; i < p->play->n_step; i++) {
        const struct ibc_step *s = &p->play->step[i];
        const bool one = !s->many && !s->is_alternative && !s->alternative && !run_has(s, IBC_K_times);
        if (s->kind != IBC_S_expect || s->line != line)
            continue;
        if ((!one || seen == nth) && !differs(s, is, was))
            return true;
        seen++;
    }
    return seen == 0; /* a congestion notification that is tolerated in the place of another line's packet */
}

static void check(const struct run_player *p, const struct run_packet *k, const struct changed_frame *c, unsigned nth)
{
    const uint32_t line = line_of(k);
    const struct frame is = parsed(k->frame, k->len), was = parsed(c->was, c->bytes);
    const bool same = c->all < now.n && now.line[c->all] == line && now.wire->changes == 1;

    now.taken += line != 0;
    cr_expect(
        line == 0 || some_step_takes(p, line, nth, &is, same ? &was : NULL),
        "%s (%s), play %lu: line %u takes a frame that differs from it: kind %u, header %u, field %s, byte %u: %s",
        p->play->scenario->id, p->play->variation, now.plays, line, c->how.kind, c->how.hdr,
        c->how.field ? c->how.field->name : "-", c->how.at, k->comment);
}

static void ended(void *ctx, struct run_player *p)
{
    unsigned taken[MOST_LINES] = {0}; /* of each line */
    unsigned place = 0;

    (void)ctx;
    for (const struct run_packet *k = p->first; k; k = k->next) {
        const uint32_t line = line_of(k);
        const struct changed_frame *c;
        if (k->sent)
            continue;
        if (now.learns && now.wire->played + place < MOST_FRAMES)
            now.line[now.wire->played + place] = line;
        c = changed_wire_at(now.wire, place++);
        if (c)
            check(p, k, c, taken[line]);
        taken[line]++;
    }
}

/* ---- plays ---- */
static enum ibc_verdict play(const struct ibc_scenario *s, uint32_t link, const char *folder)
{
    const struct ibc_options o = {.seed = 1, .link = link, .evidence_dir = folder, .ended = ended};
    struct ibc_result r;
    enum ibc_verdict v;

    ibc_run(s, now.wire->t, &o, &r);
    v = r.verdict;
    cr_expect(v < IBC_IS_COUNT && v != IBC_IS_ERROR, "%s, play %lu: %s, line %u: %s, not %s", s->id, now.plays,
              ibc_verdict_names[v], r.finding.line, r.finding.got, r.finding.expected);
    if (r.evidence)
        (void)unlink(r.evidence);
    ibc_result_clear(&r);
    return v;
}

/* Plays the scenario once without a change, then with one frame changed, or with several. */
static void round_of(const struct ibc_scenario *s, uint32_t link, struct iba_random *r, const char *folder)
{
    memset(now.line, 0, now.n * sizeof *now.line);
    changed_wire_begin(now.wire, 0, WIRE_NO_FRAME, false);
    now.learns = true;
    (void)play(s, link, folder);
    now.learns = false;
    now.n = now.wire->all < MOST_FRAMES ? now.wire->all : MOST_FRAMES;
    for (unsigned i = 0; now.n > 0 && i < CHANGES; i++) {
        const bool some = i == CHANGES - 1;
        changed_wire_begin(now.wire, iba_random_next(r), some ? WIRE_NO_FRAME : (long)iba_random_below(r, now.n), some);
        now.plays++;
        now.verdict[play(s, link, folder)]++;
        now.changed += now.wire->changes;
    }
}

static void print_figures(void)
{
    printf("%lu plays, %lu frames changed; lines took %lu of them, which differ in nothing that the line names; ",
           now.plays, now.changed, now.taken);
    for (unsigned v = 0; v < IBC_IS_COUNT; v++)
        if (now.verdict[v])
            printf("%s %lu ", ibc_verdict_names[v], now.verdict[v]);
    printf("\n");
}

Test(changed, no_line_takes_a_frame_that_differs)
{
    char folder[] = "changed-frames.XXXXXX", err[512] = "";
    const unsigned long wanted = plays_wanted();
    struct ibc_suite suite;
    struct iba_random r;

    cr_assert(mkdtemp(folder) && ibc_suite_load(&suite, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err),
              "%s", err);
    now.wire = changed_wire_open();
    iba_random_seed(&r, 1);
    while (now.plays < wanted) {
        const struct ibc_scenario *s = suite.s[iba_random_below(&r, suite.n)];
        round_of(s, (uint32_t)iba_random_below(&r, IBC_LINK_COUNT), &r, folder);
    }
    print_figures();
    cr_assert(now.taken > now.changed / 100 && now.verdict[IBC_IS_FAIL] > now.plays / 10);
    changed_wire_close(now.wire);
    ibc_suite_free(&suite);
    (void)rmdir(folder);
}
