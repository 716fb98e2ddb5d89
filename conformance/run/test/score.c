/* SPDX-License-Identifier: BSD-2-Clause */
/* How predictable numbers are: against a device that assigns numbers which the test chooses. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "player.h"

enum { FEWEST = 8, USUAL = 64, MOST = 4096 };

static uint32_t numbers[MOST + 1];
static unsigned asked, until_refused, until_no_cq; /* as many are assigned before the device refuses */
static enum ibc_rc refusal;
static char spec[200]; /* of the last object */
static const struct ibc_scenario scenario;
static const struct ibc_play play = {.scenario = &scenario, .variation = "", .service = IBA_QPT_UC};

static enum ibc_rc next(uint32_t *number)
{
    cr_assert_lt(asked, MOST + 1);
    if (asked == until_refused)
        return refusal;
    *number = numbers[asked++];
    return IBC_OK;
}

static enum ibc_rc reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    (void)t;
    (void)snprintf(spec, sizeof spec, "device %u pd=%u length=%llu access=0x%x fill=%c pieces=%u", d, m->pd,
                   (unsigned long long)m->length, m->access, m->fill, m->n_piece);
    return next(&out->rkey);
}

static enum ibc_rc create_cq(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq)
{
    (void)t;
    (void)snprintf(spec, sizeof spec, "cq device %u depth=%u; ", d, depth);
    *cq = 77;
    return asked == until_no_cq ? IBC_DEAD : IBC_OK;
}

static enum ibc_rc create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn)
{
    const size_t n = strlen(spec);

    (void)t;
    (void)snprintf(spec + n, sizeof spec - n, "qp device %u type=%s pd=%u scq=%u rcq=%u sq=%u rq=%u", d,
                   q->type == IBA_QPT_UC ? "UC" : "another", q->pd, q->scq, q->rcq, q->sq, q->rq);
    return next(qpn);
}

static enum ibc_rc choose_psn(struct ibc_target *t, unsigned d, uint32_t *psn)
{
    (void)t;
    (void)snprintf(spec, sizeof spec, "psn device %u", d);
    return next(psn);
}

static void begin(void)
{
    player_begin();
    ops.reg_mr = reg_mr;
    ops.create_cq = create_cq;
    ops.create_qp = create_qp;
    ops.choose_psn = choose_psn;
    p->play = &play;
    p->live[RUN_PD].id[0] = 5;
}

TestSuite(score, .init = begin, .fini = player_end);

/* Plays the line "score WHAT n=N", without n= where n is 0. */
static bool scores(uint64_t what, uint64_t n, bool quiet)
{
    struct ibc_arg args[3] = {{.key = IBC_K_value, .n = 1, .v = {NUMBER(what)}}};
    struct ibc_step s = {.arg = args, .n_arg = 1, .text = "the line"};

    if (n)
        args[s.n_arg++] = (struct ibc_arg){.key = IBC_K_n, .n = 1, .v = {NUMBER(n)}};
    if (quiet)
        args[s.n_arg++] = (struct ibc_arg){.key = IBC_K_quiet, .n = 1};
    asked = 0;
    p->verdict = IBC_IS_PASS;
    p->measured[0] = '\0';
    p->finding = (struct ibc_finding){.line = 0};
    return run_step_score(p, &s);
}

static void assign(uint32_t first, const uint32_t *steps, unsigned n_step, unsigned n)
{
    numbers[0] = first;
    for (unsigned i = 1; i < n; i++)
        numbers[i] = numbers[i - 1] + steps[(i - 1) % n_step];
    until_refused = until_no_cq = UINT32_MAX;
}

/* Numbers of 24 bits begin again with 0, R_Keys after 32 bits. Of steps that are as frequent, the smallest is named. */
Test(score, steps)
{
    static const struct {
        uint32_t first, step[8];
        unsigned n_step;
        uint64_t n;
        const char *psns, *rkeys; /* after the name; NULL: as psns */
    } rows[] = {
        {100, {5}, 1, 8, "0.00 bits of min-entropy in a step; the most frequent, +0x5, 7 of 7 times", NULL},
        {100, {1, 2}, 2, 9, "1.00 bits of min-entropy in a step; the most frequent, +0x1, 4 of 8 times", NULL},
        {100, {2, 1}, 2, 8, "0.81 bits of min-entropy in a step; the most frequent, +0x2, 4 of 7 times", NULL},
        {100,
         {8, 7, 6, 5, 4, 3, 2, 1},
         8,
         9,
         "3.00 bits of min-entropy in a step; the most frequent, +0x1, 1 of 8 times",
         NULL},
        {100,
         {9, 3, 7, 3, 9, 1, 9, 3},
         8,
         9,
         "1.42 bits of min-entropy in a step; the most frequent, +0x3, 3 of 8 times",
         NULL},
        {0xfffffe,
         {0xffffff},
         1,
         8,
         "0.00 bits of min-entropy in a step; the most frequent, +0xffffff, 7 of 7 times",
         NULL},
        {7,
         {0xff000003},
         1,
         8,
         "0.00 bits of min-entropy in a step; the most frequent, +0x3, 7 of 7 times",
         "0.00 bits of min-entropy in a step; the most frequent, +0xff000003, 7 of 7 times"},
        {100,
         {5, 5, 5, 5, 6, 6, 6},
         7,
         0,
         "0.81 bits of min-entropy in a step; the most frequent, +0x5, 36 of 63 times",
         NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned what = 0; what < IBC_SCORE_COUNT; what++) {
            char want[RUN_TEXT];
            const char *is = what == IBC_SCORE_rkeys && rows[i].rkeys ? rows[i].rkeys : rows[i].psns;
            assign(rows[i].first, rows[i].step, rows[i].n_step, MOST);
            cr_expect(scores(what, rows[i].n, false), "row %zu: %s", i, p->finding.got);
            cr_expect_eq(asked, rows[i].n ? rows[i].n : USUAL);
            (void)snprintf(want, sizeof want, "%s: %s", ibc_score_names[what], is);
            cr_expect_str_eq(p->measured, want, "%s", p->measured);
            cr_expect_eq(p->verdict, IBC_IS_INFO);
        }
}

/* Each number is that of a small object. */
Test(score, objects)
{
    static const uint32_t one = 1;
    static const char *const want[] = {
        [IBC_SCORE_rkeys] = "device 0 pd=5 length=4096 access=0x5 fill=s pieces=0",
        [IBC_SCORE_qpns] = "cq device 0 depth=4; qp device 0 type=UC pd=5 scq=77 rcq=77 sq=1 rq=1",
        [IBC_SCORE_psns] = "psn device 0",
    };

    cr_expect_eq(IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_READ, 5);
    for (unsigned what = 0; what < IBC_SCORE_COUNT; what++) {
        assign(1, &one, 1, FEWEST);
        cr_expect(scores(what, FEWEST, false));
        cr_expect_str_eq(spec, want[what], "%s", spec);
    }
}

/* A device that has no more numbers is scored by those that it had, if these are eight. */
Test(score, how_many)
{
    static const uint32_t one = 1;
    static const struct {
        uint64_t n;
        unsigned until;
        enum ibc_rc rc;
        bool good;
        unsigned asked;
        const char *got; /* of the finding */
    } rows[] = {
        {8, UINT32_MAX, IBC_OK, true, 8, ""},
        {7, UINT32_MAX, IBC_OK, false, 7, "too few to say anything"},
        {4096, UINT32_MAX, IBC_OK, true, 4096, ""},
        {4097, UINT32_MAX, IBC_OK, true, 4096, ""},
        {20, 8, IBC_REFUSED, true, 8, ""},
        {20, 7, IBC_REFUSED, false, 7, "refused: no more"},
        {20, 8, IBC_DEAD, false, 8, "it has gone"},
        {20, 8, IBC_UNSUPPORTED, false, 8, "this target cannot make as many"},
    };

    (void)snprintf(target.refusal, sizeof target.refusal, "no more");
    (void)snprintf(target.fault, sizeof target.fault, "it has gone");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assign(1, &one, 1, MOST + 1);
        until_refused = rows[i].until;
        refusal = rows[i].rc;
        cr_expect_eq(scores(IBC_SCORE_psns, rows[i].n, false), rows[i].good, "row %zu", i);
        cr_expect_eq(asked, rows[i].asked, "row %zu: %u", i, asked);
        cr_expect_str_eq(p->finding.got, rows[i].got, "row %zu: %s", i, p->finding.got);
        cr_expect_eq(p->measured[0] != '\0', rows[i].good);
    }
    assign(1, &one, 1, MOST + 1);
    until_no_cq = 20;
    cr_expect_not(scores(IBC_SCORE_qpns, 30, false), "no completion queue for the 21st");
    cr_expect_eq(asked, 20);
}

/* A quiet line only looks if the device makes so many. A failure is not replaced by a measurement. */
Test(score, verdicts)
{
    static const uint32_t one = 1;
    const struct ibc_arg what = {.key = IBC_K_value, .n = 1, .v = {NUMBER(IBC_SCORE_psns)}};
    const struct ibc_step s = {.arg = &what, .n_arg = 1};
    static const struct {
        enum ibc_verdict before, after;
    } rows[] = {{IBC_IS_PASS, IBC_IS_INFO},
                {IBC_IS_INFO, IBC_IS_INFO},
                {IBC_IS_TOLERATED, IBC_IS_TOLERATED},
                {IBC_IS_FAIL, IBC_IS_FAIL},
                {IBC_IS_ERROR, IBC_IS_ERROR}};

    assign(1, &one, 1, MOST);
    cr_expect(scores(IBC_SCORE_psns, 8, true));
    cr_expect(p->measured[0] == '\0' && p->verdict == IBC_IS_PASS && asked == 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asked = 0;
        p->verdict = rows[i].before;
        cr_expect(run_step_score(p, &s));
        cr_expect_eq(p->verdict, rows[i].after, "row %zu: %s", i, ibc_verdict_names[p->verdict]);
    }
    cr_expect_not(scores(IBC_SCORE_COUNT, 8, false));
    cr_expect(p->verdict == IBC_IS_ERROR && asked == 0);
    cr_expect_str_eq(p->finding.got, "nothing that can be scored");
}
