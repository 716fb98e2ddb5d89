/* SPDX-License-Identifier: BSD-2-Clause */
/* DCQCN's reaction point (iba_dcqcn.h). Timers need no call when they run out: the next call about the flow applies all
 * steps that are due, in their order. */
#include "transport/iba_dcqcn.h"
#include <assert.h>
#include <string.h>
#include "transport/deviations_limiter.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_limiter_behaviours, "limiter", IBA_LIMITER_BEHAVIOURS)

#define ALPHA_ONE UINT32_C(65536)
#define SECOND_NS UINT64_C(1000000000)

struct iba_dcqcn_config iba_dcqcn_defaults(uint64_t line_rate)
{
    return (struct iba_dcqcn_config){.line_rate = line_rate,
                                     .min_rate = line_rate / 1000 + 1,
                                     .ai_rate = 40000000,
                                     .hai_rate = 400000000,
                                     .byte_reset = 10000000,
                                     .time_reset_ns = 55000,
                                     .alpha_period_ns = 55000,
                                     .rate_reduce_monitor_period_ns = 50000,
                                     .threshold = 5,
                                     .gd = 8};
}

static struct iba_dcqcn_flow *flow_of(const struct iba_dcqcn *d, uint32_t qpn)
{
    struct iba_dcqcn_flow *f;

    if (IBA_DEVIATES(d, limiter, FLOW))
        qpn = 0;
    f = &d->flow[qpn % d->n_flow];
    if (!f->used || f->qpn != qpn)
        *f = (struct iba_dcqcn_flow){.qpn = qpn, .used = true, .alpha = ALPHA_ONE, .alpha_due = IBA_NEVER};
    return f;
}

/* Algorithm 1: fast recovery, additive increase, hyper increase. */
static void step_up(const struct iba_dcqcn *d, struct iba_dcqcn_flow *f)
{
    const uint32_t least = f->timer_steps < f->byte_steps ? f->timer_steps : f->byte_steps;
    const uint32_t most = f->timer_steps < f->byte_steps ? f->byte_steps : f->timer_steps;

    if (least > d->config.threshold)
        f->target += (least - d->config.threshold) * d->config.hai_rate;
    else if (most > d->config.threshold)
        f->target += d->config.ai_rate;
    if (f->target > d->config.line_rate)
        f->target = d->config.line_rate;
    f->rate = (f->rate + f->target + 1) / 2;
    f->limited = f->rate < d->config.line_rate;
}

static void alpha_falls(const struct iba_dcqcn *d, struct iba_dcqcn_flow *f, iba_time now)
{
    while (f->alpha > 0 && f->alpha_due <= now) {
        f->alpha -= (f->alpha >> d->config.gd) + 1;
        f->alpha_due += d->config.alpha_period_ns;
    }
}

static void rate_rises(const struct iba_dcqcn *d, struct iba_dcqcn_flow *f, iba_time now)
{
    if (!IBA_KEEPS(d, limiter, RISES))
        return;
    while (f->limited && f->step_due <= now) {
        f->timer_steps++;
        f->step_due += d->config.time_reset_ns;
        step_up(d, f);
    }
}

static void start(void *ctx, uint32_t qpn)
{
    flow_of(ctx, qpn)->used = false;
}

static void notified(void *ctx, uint32_t qpn, iba_time now)
{
    const struct iba_dcqcn *d = ctx;
    struct iba_dcqcn_flow *f = flow_of(d, qpn);

    if (!IBA_KEEPS(d, limiter, FALLS))
        return;
    rate_rises(d, f, now);
    alpha_falls(d, f, now);
    if (f->limited && now - f->reduced_at < d->config.rate_reduce_monitor_period_ns)
        return;
    if (!f->limited)
        f->rate = d->config.line_rate;
    f->target = f->rate;
    f->rate -= f->rate / 2 * f->alpha / ALPHA_ONE;
    if (f->rate < d->config.min_rate)
        f->rate = d->config.min_rate;
    f->alpha += (ALPHA_ONE - f->alpha) >> d->config.gd;
    f->limited = true;
    f->bytes = 0;
    f->timer_steps = f->byte_steps = 0;
    f->reduced_at = now;
    f->step_due = now + d->config.time_reset_ns;
    f->alpha_due = now + d->config.alpha_period_ns;
}

static void sent(void *ctx, uint32_t qpn, size_t frame_bytes, iba_time now)
{
    const struct iba_dcqcn *d = ctx;
    struct iba_dcqcn_flow *f = flow_of(d, qpn);

    if (!f->limited)
        return;
    f->next_packet = now + frame_bytes * 8 * SECOND_NS / f->rate;
    f->bytes += frame_bytes;
    if (f->bytes < d->config.byte_reset || !IBA_KEEPS(d, limiter, RISES))
        return;
    f->bytes -= d->config.byte_reset;
    f->byte_steps++;
    step_up(d, f);
}

static iba_time due(void *ctx, uint32_t qpn, iba_time now)
{
    const struct iba_dcqcn *d = ctx;
    struct iba_dcqcn_flow *f = flow_of(d, qpn);

    rate_rises(d, f, now);
    return f->limited ? f->next_packet : 0;
}

uint64_t iba_dcqcn_rate(struct iba_dcqcn *d, uint32_t qpn, iba_time now)
{
    struct iba_dcqcn_flow *f = flow_of(d, qpn);

    rate_rises(d, f, now);
    return f->limited ? f->rate : d->config.line_rate;
}

void iba_dcqcn_init(struct iba_dcqcn *d, const struct iba_dcqcn_config *c, struct iba_dcqcn_flow *flow, uint32_t n_flow)
{
    assert(n_flow > 0 && c->min_rate > 0 && c->min_rate <= c->line_rate && c->ai_rate > 0 && c->hai_rate > 0);
    assert(c->byte_reset > 0 && c->time_reset_ns > 0 && c->alpha_period_ns > 0 && c->gd <= 16);
    memset(flow, 0, n_flow * sizeof *flow);
    *d = (struct iba_dcqcn){.config = *c,
                            .flow = flow,
                            .n_flow = n_flow,
                            .limiter = {.ctx = d, .start = start, .notified = notified, .sent = sent, .due = due}};
}
