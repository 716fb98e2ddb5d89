/* SPDX-License-Identifier: BSD-2-Clause */
/* The limiter of iba_dcqcn.h beside a model of the paper's algorithm 1 that keeps no timers: it knows when the flow was
 * last slowed down, and counts the periods since. */
#include "transport/iba_dcqcn.h"
#include <criterion/criterion.h>
#include "sim/iba_random.h"

enum { SEEDS = 200, STEPS = 300, FLOWS = 3, ONE = 65536, NS = 1000000000 };

struct model {
    bool limited;
    iba_time slowed_at, next;
    uint64_t rate, target, bytes;
    uint32_t alpha, by_time, by_bytes, periods; /* periods: of alpha, since it was slowed */
};

static void rises(const struct iba_dcqcn_config *c, struct model *m)
{
    const bool time_past = m->by_time > c->threshold, bytes_past = m->by_bytes > c->threshold;

    if (time_past && bytes_past) {
        const uint32_t fewer = m->by_time < m->by_bytes ? m->by_time : m->by_bytes;
        m->target += (fewer - c->threshold) * c->hai_rate;
    } else if (time_past || bytes_past) {
        m->target += c->ai_rate;
    }
    m->target = m->target < c->line_rate ? m->target : c->line_rate;
    m->rate += (m->target - m->rate + 1) / 2;
    if (m->rate >= c->line_rate)
        m->limited = false;
}

static void until(const struct iba_dcqcn_config *c, struct model *m, iba_time now)
{
    while (m->limited && (now - m->slowed_at) / c->time_reset_ns > m->by_time) {
        m->by_time++;
        rises(c, m);
    }
}

static void notify(const struct iba_dcqcn_config *c, struct model *m, iba_time now)
{
    until(c, m, now);
    for (; m->periods != UINT32_MAX && (now - m->slowed_at) / c->alpha_period_ns > m->periods && m->alpha > 0;
         m->periods++)
        m->alpha -= m->alpha / (1u << c->gd) + 1;
    if (m->limited && now < m->slowed_at + c->rate_reduce_monitor_period_ns)
        return;
    m->target = m->limited ? m->rate : c->line_rate;
    m->rate = m->target - m->target / 2 * m->alpha / ONE;
    m->rate = m->rate > c->min_rate ? m->rate : c->min_rate;
    m->alpha += (ONE - m->alpha) / (1u << c->gd);
    m->limited = true;
    m->slowed_at = now;
    m->bytes = 0;
    m->by_time = m->by_bytes = m->periods = 0;
}

static void leaves(const struct iba_dcqcn_config *c, struct model *m, size_t bytes, iba_time now)
{
    if (!m->limited)
        return;
    m->next = now + bytes * 8 * NS / m->rate;
    m->bytes += bytes;
    if (m->bytes >= c->byte_reset) {
        m->bytes -= c->byte_reset;
        m->by_bytes++;
        rises(c, m);
    }
}

static void forget(struct model *m)
{
    *m = (struct model){.alpha = ONE, .periods = UINT32_MAX};
}

static struct iba_dcqcn_config some_config(struct iba_random *r)
{
    struct iba_dcqcn_config c = iba_dcqcn_defaults(UINT64_C(1000000) * (1 + iba_random_below(r, 100000)));

    c.ai_rate = 1 + iba_random_below(r, c.line_rate / 4);
    c.hai_rate = 1 + iba_random_below(r, c.line_rate / 4);
    c.byte_reset = 1000 + iba_random_below(r, 20000);
    c.time_reset_ns = 1000 + iba_random_below(r, 100000);
    c.alpha_period_ns = 1000 + iba_random_below(r, 100000);
    c.rate_reduce_monitor_period_ns = iba_random_below(r, 60000);
    c.threshold = (uint32_t)iba_random_below(r, 6);
    c.gd = (uint32_t)(1 + iba_random_below(r, 8));
    return c;
}

static void expect_equal(struct iba_dcqcn *d, uint32_t qpn, struct model *m, iba_time now, uint64_t seed)
{
    until(&d->config, m, now);
    cr_assert_eq(iba_dcqcn_rate(d, qpn, now), m->limited ? m->rate : d->config.line_rate, "seed %u", (unsigned)seed);
    cr_assert_eq(d->limiter.due(d, qpn, now), m->limited ? m->next : 0, "seed %u", (unsigned)seed);
    cr_assert_eq(d->flow[qpn % FLOWS].alpha, m->alpha, "seed %u", (unsigned)seed);
    cr_assert_eq(d->flow[qpn % FLOWS].target, m->target, "seed %u", (unsigned)seed);
}

/* Random notifications, packets and pauses of three flows. Some times lie exactly at the end of a period. */
Test(dcqcn, each_flow_does_what_the_algorithm_says)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct iba_random r;
        struct iba_dcqcn d;
        struct iba_dcqcn_flow flow[FLOWS];
        struct model model[FLOWS];
        iba_time now = 5;
        iba_random_seed(&r, seed);
        const struct iba_dcqcn_config c = some_config(&r);
        iba_dcqcn_init(&d, &c, flow, FLOWS);
        for (unsigned i = 0; i < FLOWS; i++)
            forget(&model[i]);
        for (unsigned k = 0; k < STEPS; k++) {
            const uint32_t qpn = 30 + (uint32_t)iba_random_below(&r, FLOWS);
            struct model *m = &model[qpn % FLOWS];
            const size_t bytes = 60 + iba_random_below(&r, 4100);
            switch (iba_random_below(&r, 10)) {
            case 0: d.limiter.notified(&d, qpn, now), notify(&c, m, now); break;
            case 1: now += iba_random_below(&r, 30000); break;
            case 2: now += c.time_reset_ns; break;
            case 3: now += c.alpha_period_ns; break;
            case 4: now += c.rate_reduce_monitor_period_ns; break;
            case 5:
                if (iba_random_below(&r, 20) == 0)
                    d.limiter.start(&d, qpn), forget(m);
                break;
            default:
                until(&c, m, now), (void)d.limiter.due(&d, qpn, now);
                d.limiter.sent(&d, qpn, bytes, now), leaves(&c, m, bytes, now);
            }
            expect_equal(&d, qpn, m, now, seed);
        }
    }
}

/* Each parameter of the paper's section 5 and of Linux. If two queue pairs share a slot, the newer one starts at the
 * line rate. */
Test(dcqcn, parameters_and_slots)
{
    enum { LINE = 40000 };
    const struct iba_dcqcn_config c = iba_dcqcn_defaults(LINE);
    struct iba_dcqcn_flow flow[1];
    struct iba_dcqcn d;

    cr_expect_eq(iba_dcqcn_defaults(UINT64_C(100000000000)).min_rate, 100000001, "a thousandth, and never 0");
    cr_expect(c.line_rate == LINE && c.min_rate == 41 && c.ai_rate == 40000000 && c.hai_rate == 400000000);
    cr_expect(c.byte_reset == 10000000 && c.time_reset_ns == 55000 && c.alpha_period_ns == 55000);
    cr_expect(c.rate_reduce_monitor_period_ns == 50000 && c.threshold == 5 && c.gd == 8);
    iba_dcqcn_init(&d, &c, flow, 1);
    d.limiter.notified(&d, 7, 1000);
    cr_expect_eq(iba_dcqcn_rate(&d, 7, 1000), LINE / 2);
    cr_expect_eq(iba_dcqcn_rate(&d, 8, 1000), LINE);
    cr_expect_eq(iba_dcqcn_rate(&d, 7, 1000), LINE, "forgotten");
}

/* The least rate, the least time between two reductions, and the bytes of a step, each with the value before. */
Test(dcqcn, limits)
{
    enum { LINE = 40000, PERIOD = 50000 };
    static const uint64_t halves[] = {20000, 10000, 5000, 2500, 1250, 625, 313, 157, 79, 41, 41};
    const struct iba_dcqcn_config c = iba_dcqcn_defaults(LINE);
    struct iba_dcqcn_flow flow[2];
    struct iba_dcqcn d;
    iba_time now = 1000;

    for (unsigned i = 0; i < 2; i++)
        flow[i] =
            (struct iba_dcqcn_flow){.qpn = 6 + i, .used = true, .limited = true, .rate = 5, .step_due = IBA_NEVER};
    iba_dcqcn_init(&d, &c, flow, 2);
    cr_expect(iba_dcqcn_rate(&d, 6, 1) == LINE && iba_dcqcn_rate(&d, 7, 1) == LINE, "flows of before are forgotten");
    for (unsigned i = 0; i < sizeof halves / sizeof *halves; i++, now += PERIOD) {
        if (i > 0) {
            d.limiter.notified(&d, 7, now - 1);
            cr_expect_eq(iba_dcqcn_rate(&d, 7, now - 1), halves[i - 1], "reduction %u is too early", i);
        }
        d.limiter.notified(&d, 7, now);
        cr_expect_eq(iba_dcqcn_rate(&d, 7, now), halves[i], "reduction %u", i);
    }
    d.limiter.start(&d, 7);
    d.limiter.notified(&d, 7, now);
    for (uint64_t steps = 0, rate = LINE / 2; steps < 3; steps++, rate = (rate + LINE) / 2) {
        d.limiter.sent(&d, 7, 9999999, now);
        cr_expect_eq(iba_dcqcn_rate(&d, 7, now), rate, "step %u is too early", (unsigned)steps);
        d.limiter.sent(&d, 7, 1, now);
        cr_expect_eq(iba_dcqcn_rate(&d, 7, now), (rate + LINE) / 2, "step %u", (unsigned)steps);
    }
    cr_expect_eq(iba_dcqcn_rate(&d, 6, now), LINE, "another flow");
}
