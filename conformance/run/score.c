/* SPDX-License-Identifier: BSD-2-Clause */
/* How predictable the numbers are that a device assigns: min-entropy of the steps between one and the next. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "run/play.h"

enum { MOST = 4096, FEWEST = 8, USUAL = 64 };

static enum ibc_rc make_rkey(struct run_player *p, uint32_t *number)
{
    const struct ibc_mr_spec m = {.pd = p->live[RUN_PD].id[0],
                                  .length = 4096,
                                  .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_READ,
                                  .fill = 's'};
    struct ibc_mr mr = {0};
    const enum ibc_rc rc = p->t->ops->reg_mr(p->t, 0, &m, &mr);

    *number = mr.rkey;
    return rc;
}

static enum ibc_rc make_qpn(struct run_player *p, uint32_t *number)
{
    struct ibc_qp_spec q = {.type = (uint8_t)p->play->service, .pd = p->live[RUN_PD].id[0], .sq = 1, .rq = 1};
    enum ibc_rc rc = p->t->ops->create_cq(p->t, 0, 4, &q.scq);

    q.rcq = q.scq;
    return rc == IBC_OK ? p->t->ops->create_qp(p->t, 0, &q, number) : rc;
}

static enum ibc_rc make_psn(struct run_player *p, uint32_t *number)
{
    return p->t->ops->choose_psn(p->t, 0, number);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Finds the most frequent of n values, and returns how often it occurs. Sorts the values. */
static unsigned mode_of(uint32_t *v, unsigned n, uint32_t *mode)
{
    unsigned most = 0, run = 0;

    qsort(v, n, sizeof *v, by_value);
    for (unsigned i = 0; i < n; i++) {
        run = i > 0 && v[i] == v[i - 1] ? run + 1 : 1;
        if (run > most) {
            most = run;
            *mode = v[i];
        }
    }
    return most;
}

static void report(struct run_player *p, const char *what, uint32_t *number, unsigned n, uint32_t mask)
{
    uint32_t step = 0;
    unsigned most;

    for (unsigned i = 0; i + 1 < n; i++)
        number[i] = (number[i + 1] - number[i]) & mask;
    most = mode_of(number, n - 1, &step);
    snprintf(p->measured, sizeof p->measured,
             "%s: %.2f bits of min-entropy in a step; the most frequent, +0x%" PRIx32 ", %u of %u times", what,
             log2((double)(n - 1) / most), step, most, n - 1);
    if (run_rank(p->verdict) <= run_rank(IBC_IS_PASS))
        p->verdict = IBC_IS_INFO;
}

bool run_step_score(struct run_player *p, const struct ibc_step *s)
{
    static enum ibc_rc (*const make[IBC_SCORE_COUNT])(struct run_player * p, uint32_t * number) = {
        [IBC_SCORE_rkeys] = make_rkey, [IBC_SCORE_qpns] = make_qpn, [IBC_SCORE_psns] = make_psn};
    const uint64_t what = run_number(p, s, IBC_K_value, 0, NULL), asked = run_number(p, s, IBC_K_n, USUAL, NULL);
    uint32_t number[MOST];
    unsigned n = 0;
    enum ibc_rc rc = IBC_OK;

    if (what >= IBC_SCORE_COUNT)
        return run_error(p, s, "nothing that can be scored");
    while (n < asked && n < MOST && (rc = make[what](p, &number[n])) == IBC_OK)
        n++;
    if (rc == IBC_REFUSED && n >= FEWEST) /* the device has no more numbers to assign */
        rc = IBC_OK;
    if (!run_did(p, s, rc, "make as many") || n < FEWEST)
        return rc == IBC_OK ? run_error(p, s, "too few to say anything") : false;
    if (!run_has(s, IBC_K_quiet))
        report(p, ibc_score_names[what], number, n, what == IBC_SCORE_rkeys ? UINT32_MAX : 0xffffff);
    return true;
}
