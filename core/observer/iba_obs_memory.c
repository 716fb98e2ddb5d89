/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of the caller's memory: the observer, the remembered directions, the tables that find them, the open
 * messages, and last the flows. Flows come last so that a caller can take memory back when it needs fewer flows. */
#include <assert.h>
#include <string.h>
#include "observer/iba_obs_open.h"
#include "observer/iba_obs_memory.h"
#include "observer/iba_obs_look.h"

#define MS UINT64_C(1000000)

struct layout { /* offsets */
    size_t known, rests, bucket, asked, chain, open, flow, end;
};

/* Returns where the next array begins, after one of `n` entries at `at`: at a multiple of a cache line. */
static size_t after(size_t at, size_t n, size_t bytes)
{
    enum { LINE = 64 };

    return (at + n * bytes + LINE - 1) / LINE * LINE;
}

static uint32_t n_asked(const struct iba_observer_config *cfg)
{
    return cfg->n_asked ? cfg->n_asked : IBA_OBS_ASKED;
}

static struct layout layout_of(const struct iba_observer_config *cfg, uint32_t n_open)
{
    struct layout l;

    l.known = after(0, 1, sizeof(struct iba_observer));
    l.rests = after(l.known, cfg->n_known, sizeof(struct iba_known));
    l.bucket = after(l.rests, cfg->n_known, sizeof(iba_time));
    l.asked = after(l.bucket, (size_t)cfg->n_known * IBA_OBS_BUCKETS, sizeof(uint64_t));
    l.chain = after(l.asked, n_asked(cfg), sizeof(struct iba_obs_asked));
    l.open = after(l.chain, (size_t)n_asked(cfg) * IBA_OBS_CHAINS, sizeof(uint32_t));
    l.flow = cfg->message ? after(l.open, n_open, iba_obs_open_bytes(cfg)) : l.open;
    l.end = l.flow + cfg->n_flow * sizeof(struct iba_flow);
    return l;
}

size_t iba_observer_bytes(const struct iba_observer_config *cfg)
{
    return layout_of(cfg, cfg->n_flow).end;
}

size_t iba_obs_bytes(const struct iba_observer *s)
{
    return layout_of(&s->cfg, s->most_open).end;
}

struct iba_observer *iba_observer_moved(void *memory)
{
    struct iba_observer *s = memory;
    const struct layout l = layout_of(&s->cfg, s->most_open);
    char *at = memory;

    s->known = (void *)(at + l.known);
    s->rests = (void *)(at + l.rests);
    s->bucket = (void *)(at + l.bucket);
    s->asked = (void *)(at + l.asked);
    s->chain = (void *)(at + l.chain);
    s->open = s->cfg.message ? (void *)(at + l.open) : NULL;
    s->flow = (void *)(at + l.flow);
    return s;
}

/* Flows on probation are few, so that short-lived directions stay in the processor's cache. */
void iba_obs_share(struct iba_observer *s)
{
    enum { MOST_ON_PROBATION = 8, PROBATION_SHARE = 8 };
    const uint32_t share = s->cfg.n_flow / PROBATION_SHARE;
    const uint32_t probation = share < MOST_ON_PROBATION ? share : MOST_ON_PROBATION;

    s->list[IBA_OBS_PROBATION].most = s->cfg.n_known > s->cfg.n_flow && probation >= 2 ? probation : 0;
    s->list[IBA_OBS_PROTECTED].most = s->cfg.n_flow - s->list[IBA_OBS_PROBATION].most;
}

static iba_time or_default(iba_time v, iba_time otherwise)
{
    return v ? v : otherwise;
}

struct iba_observer *iba_observer_init(void *memory, const struct iba_observer_config *cfg)
{
    struct iba_observer *s = memory;
    const uint32_t asked = n_asked(cfg);

    assert(memory && cfg->n_flow >= 2 && cfg->report);
    assert(cfg->n_known >= cfg->n_flow && cfg->n_known < 1 << 20 && (asked & (asked - 1)) == 0);
    assert(!cfg->message || cfg->n_message > 0);
    assert(cfg->pmtu == 0 || iba_obs_is_mtu(cfg->pmtu));
    memset(s, 0, sizeof *s);
    s->cfg = *cfg;
    s->cfg.n_asked = asked;
    s->most_open = cfg->n_flow;
    s->cfg.copy_ns = or_default(cfg->copy_ns, MS);
    s->cfg.late_ns = or_default(cfg->late_ns, 3 * MS);
    s->cfg.silence_ns = or_default(cfg->silence_ns, 1000 * MS);
    s->cfg.rest_ns = or_default(cfg->rest_ns, 1000 * MS);
    iba_observer_moved(memory);
    if (!cfg->zeroed) {
        memset(s->flow, 0, cfg->n_flow * sizeof *s->flow);
        memset(s->bucket, 0, (size_t)cfg->n_known * IBA_OBS_BUCKETS * sizeof *s->bucket);
        if (s->open)
            memset(s->open, 0, s->most_open * iba_obs_open_bytes(cfg));
    }
    /* Nearly every chain is used, and the other parts run in other threads. A page that is read before it is written is
     * mapped twice, and the second time the kernel interrupts all cores that run the program. */
    if (!cfg->zeroed || cfg->part)
        memset(s->chain, 0, (size_t)asked * IBA_OBS_CHAINS * sizeof *s->chain);
    iba_obs_share(s);
    return s;
}
