/* SPDX-License-Identifier: BSD-2-Clause */
/* A limiter (iba_limiter.h) that works as DCQCN's reaction point: Zhu et al., "Congestion Control for Large-Scale RDMA
 * Deployments", SIGCOMM 2015, section 3 and algorithm 1. Each flow has a current rate and a target rate.
 *
 * - A notification makes the current rate the target, and lowers the current rate by the part alpha / 2. Alpha
 * estimates the congestion: it rises with each reduction and falls with each alpha timer without one.
 * - A timer and a count of bytes then raise the rate in steps. Each step halves the distance to the target. In
 * fast recovery, the first `threshold` steps of timer and byte count, the target stays. When one of the two is past the
 * threshold, a step raises the target by `ai_rate` (additive increase). When both are, a step raises it by a growing
 * multiple of `hai_rate` (hyper increase).
 * - A flow whose rate is the line rate again is not limited.
 *
 * The names of the parameters are those of Linux's mlx5 driver (drivers/infiniband/hw/mlx5/cong.c: rp_time_reset,
 * rp_byte_reset, ...) without their prefix. The default values of steps, `ai_rate`, `threshold` and `gd` are the
 * paper's; those of `hai_rate` and `min_rate` are ours, and reductions are as far apart as notifications in the paper.
 * It is a model, and no device's code: a device may choose other rates and other steps (RO-47). */
#ifndef IBA_DCQCN_H
#define IBA_DCQCN_H
#include "transport/iba_limiter.h"
#include "wire/iba_change.h"

#ifdef __cplusplus
extern "C" {
#endif

struct iba_dcqcn_config {
    uint64_t line_rate;                     /* bit/s; a flow is never faster while it is limited */
    uint64_t min_rate;                      /* bit/s; above 0 */
    uint64_t ai_rate, hai_rate;             /* bit/s, above 0 */
    uint64_t byte_reset;                    /* bytes of a step */
    iba_time time_reset_ns;                 /* time of a step */
    iba_time alpha_period_ns;               /* time without a notification after which alpha falls */
    iba_time rate_reduce_monitor_period_ns; /* least time between two reductions */
    uint32_t threshold;                     /* steps of fast recovery */
    uint32_t gd;                            /* alpha's gain g is 2^-gd */
};
/* Both rates of a limited flow, and its counters */
struct iba_dcqcn_flow {
    uint32_t qpn;
    bool used, limited;
    uint32_t alpha;        /* 2^-16; starts at 1 */
    uint64_t rate, target; /* bit/s */
    uint64_t bytes;        /* since the last byte step */
    uint32_t timer_steps, byte_steps;
    iba_time step_due, alpha_due, reduced_at, next_packet;
};
struct iba_dcqcn {
    struct iba_dcqcn_config config;
    struct iba_dcqcn_flow *flow; /* caller's: as many as the adapter has slots for QPs */
    uint32_t n_flow;
    struct iba_limiter limiter;      /* for iba_ca.limiter */
    const struct iba_change *change; /* of a broken device (deviations_limiter.h); NULL: unbroken */
};

/* The paper's parameters on a link of `line_rate` bit/s */
struct iba_dcqcn_config iba_dcqcn_defaults(uint64_t line_rate);
/* `d` and the flows must live as long as an adapter uses d->limiter. */
void iba_dcqcn_init(struct iba_dcqcn *d, const struct iba_dcqcn_config *c, struct iba_dcqcn_flow *flow,
                    uint32_t n_flow);
/* Returns the flow's rate in bit/s; the line rate if it is not limited. */
uint64_t iba_dcqcn_rate(struct iba_dcqcn *d, uint32_t qpn, iba_time now);

#ifdef __cplusplus
}
#endif

#endif
