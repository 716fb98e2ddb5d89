/* SPDX-License-Identifier: BSD-2-Clause */
/* The adapter passes packets and time to its parts (ports, memory, queue pairs), and packets of its parts to the
 * caller. */
#include "adapter/iba_ca.h"
#include <assert.h>
#include <string.h>
#include "memory/deviations_memory.h"
#include "transport/deviations.h"

static const struct iba_rules *const true_tables[IBA_TABLE_COUNT] = {
#define IBA_RULE_TABLE_ROW(id, rules, title) [IBA_TABLE_##id] = &rules,
    IBA_RULE_TABLES(IBA_RULE_TABLE_ROW)};

void iba_ca_init(struct iba_ca *ca, const struct iba_ca_config *cfg)
{
    assert(cfg->n_port >= 1 && cfg->n_port <= IBA_MAX_PORTS_CA && cfg->random && cfg->n_qp > 0);
    memset(ca, 0, sizeof *ca);
    memset(cfg->qp, 0, cfg->n_qp * sizeof *cfg->qp);
    memset(cfg->cq, 0, cfg->n_cq * sizeof *cfg->cq);
    if (cfg->n_srq > 0)
        memset(cfg->srq, 0, cfg->n_srq * sizeof *cfg->srq);
    if (cfg->n_ah > 0)
        memset(cfg->ah, 0, cfg->n_ah * sizeof *cfg->ah);
    if (cfg->n_mcast > 0)
        memset(cfg->mcast, 0, cfg->n_mcast * sizeof *cfg->mcast);
    ca->n_port = cfg->n_port;
    ca->qp = cfg->qp, ca->n_qp = cfg->n_qp;
    ca->cq = cfg->cq, ca->n_cq = cfg->n_cq;
    ca->srq = cfg->srq, ca->n_srq = cfg->n_srq;
    ca->ah = cfg->ah, ca->n_ah = cfg->n_ah;
    ca->mcast = cfg->mcast, ca->n_mcast = cfg->n_mcast;
    ca->random = cfg->random;
    ca->event = cfg->event;
    ca->trace = cfg->trace;
    ca->ctx = cfg->ctx;
    iba_mem_init(&ca->mem, cfg->key, cfg->n_key, cfg->pd, cfg->n_pd, cfg->random, cfg->ctx);
    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
        ca->table[t] = true_tables[t];
}

struct iba_port *iba_ca_port(struct iba_ca *ca, uint8_t number)
{
    assert(number >= 1 && number <= ca->n_port);
    return &ca->port[number - 1];
}

void iba_ca_set_rules(struct iba_ca *ca, enum iba_rule_table t, const struct iba_rules *rules)
{
    ca->table[t] = rules ? rules : true_tables[t];
}

void iba_ca_change(struct iba_ca *ca, const struct iba_change *c)
{
    ca->change = c;
    ca->deviate = c ? &iba_deviations : NULL;
    iba_mem_change(&ca->mem, c);
    iba_ports_follow(ca);
}

static void clock_to(struct iba_ca *ca, iba_time now)
{
    assert(now >= ca->now);
    ca->now = now;
}

#ifndef NDEBUG
/* A broken device may break the invariants, so only an unbroken one is checked. */
static bool is_unbroken(const struct iba_ca *ca)
{
    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
        if (ca->table[t] != true_tables[t])
            return false;
    return !ca->change;
}
#endif

static void check_in_debug(const struct iba_ca *ca, const struct iba_qp *qp)
{
#ifndef NDEBUG
    if (qp && is_unbroken(ca))
        iba_qp_check(ca, qp);
#else
    (void)ca;
    (void)qp;
#endif
}

void iba_ca_feed(struct iba_ca *ca, uint8_t port, const struct iba_view *v, iba_time now)
{
    struct iba_rx x = {.ca = ca, .port = iba_ca_port(ca, port), .v = v, .now = now};

    clock_to(ca, now);
    x.port->counters.packets_in++;
    x.port->counters.bytes_in += v->len - v->frame_at;
    iba_receive(&x);
    check_in_debug(ca, x.qp);
}

void iba_ca_advance(struct iba_ca *ca, iba_time now)
{
    clock_to(ca, now);
    for (uint32_t i = 0; i < ca->n_qp; i++) {
        struct iba_qp *qp = ca->qp[i];
        if (!qp || iba_requester_deadline(qp) > now)
            continue;
        iba_requester_advance(ca, qp, now);
        check_in_debug(ca, qp);
    }
}

/* Returns whether the QP's next packet is a response with data. A CNP that is due leaves before it. */
static bool read_is_next(const struct iba_qp *qp)
{
    return !qp->cnp_due && qp->r.resp_count > 0 && qp->r.resp[0].kind == IBA_RESP_READ;
}

/* Returns when the limiter permits the QP's next packet with data; IBA_NEVER: the limiter delays no packet. */
static iba_time limiter_due(const struct iba_ca *ca, const struct iba_qp *qp)
{
    const struct iba_limiter *l = iba_limiter_of(ca, qp);
    iba_time t;

    if (!l || (qp->s.next >= qp->s.count && !read_is_next(qp)))
        return IBA_NEVER;
    t = l->due(l->ctx, qp->qpn, ca->now);
    return t > ca->now ? t : IBA_NEVER;
}

iba_time iba_ca_deadline(const struct iba_ca *ca)
{
    iba_time first = IBA_NEVER;

    for (uint32_t i = 0; i < ca->n_qp; i++) {
        const iba_time t = ca->qp[i] ? iba_requester_deadline(ca->qp[i]) : IBA_NEVER;
        const iba_time held = ca->qp[i] ? limiter_due(ca, ca->qp[i]) : IBA_NEVER;
        if (t < first)
            first = t;
        if (held < first)
            first = held;
    }
    return first;
}

/* Returns whether the QP has nothing to send, which is the usual case. Both `emit` functions begin with this test. */
static bool rests(const struct iba_qp *qp)
{
    return qp->r.resp_count == 0 && !qp->cnp_due && !qp->r.starved && qp->s.next >= qp->s.count;
}

/* emit() for an adapter with a limiter. */
static bool emit_limited(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    const struct iba_limiter *l = ca->limiter;
    const bool held = limiter_due(ca, qp) != IBA_NEVER;
    const bool read = read_is_next(qp);

    if (!(held && read) && iba_responder_emit(ca, qp, tx)) {
        if (read)
            l->sent(l->ctx, qp->qpn, tx->envelope + tx->body, now);
        return true;
    }
    if (held || !iba_requester_emit(ca, qp, now, tx))
        return false;
    l->sent(l->ctx, qp->qpn, tx->envelope + tx->body, now);
    return true;
}

/* Writes the next packet of a QP. Responses go before requests. */
static bool emit(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    if (iba_limiter_of(ca, qp))
        return emit_limited(ca, qp, now, tx);
    return iba_responder_emit(ca, qp, tx) || iba_requester_emit(ca, qp, now, tx);
}

enum iba_err iba_ca_poll(struct iba_ca *ca, uint8_t port, uint8_t *buf, size_t cap, size_t *len, iba_time now)
{
    struct iba_tx tx = {.buf = buf, .cap = cap, .port = iba_ca_port(ca, port)};

    *len = 0;
    if (cap < IBA_TX_MOST)
        return IBA_NO_ROOM;
    clock_to(ca, now);
    for (uint32_t i = 0; i < ca->n_qp; i++) {
        const uint32_t slot = ca->next_slot;
        struct iba_qp *qp = ca->qp[slot];
        ca->next_slot = slot + 1 == ca->n_qp ? 0 : slot + 1;
        if (!qp || rests(qp) || qp->attr.port != port || !emit(ca, qp, now, &tx))
            continue;
        *len = iba_envelope_seal(tx.port, buf, tx.envelope, tx.body);
        iba_ca_port(ca, port)->counters.packets_out++;
        iba_ca_port(ca, port)->counters.bytes_out += *len;
        check_in_debug(ca, qp);
        return IBA_OK;
    }
    return IBA_OK;
}

void iba_ca_check_queues(const struct iba_ca *ca)
{
    if (ca->change)
        return;
    iba_queues_check(ca);
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i]) {
            assert(ca->qp[i]->qpn < 2 || ca->qp[i]->qpn % ca->n_qp == i);
            iba_qp_check(ca, ca->qp[i]);
        }
}

void iba_ca_check(const struct iba_ca *ca)
{
    if (!ca->change)
        iba_mem_check(&ca->mem);
    iba_ca_check_queues(ca);
}
