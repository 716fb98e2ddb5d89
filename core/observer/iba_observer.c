/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry of the observer. This file finds the direction of a packet, skips packets that were seen before, checks the
 * headers, and calls the functions for the packet's service. */
#include <string.h>
#include "observer/iba_obs_open.h"
#include "observer/iba_observer.h"
#include "observer/iba_obs_answer.h"
#include "observer/iba_obs_compact.h"
#include "observer/iba_obs_congestion.h"
#include "observer/iba_obs_copy.h"
#include "observer/iba_obs_damaged.h"
#include "observer/iba_obs_direction.h"
#include "observer/iba_obs_end.h"
#include "observer/iba_obs_flow.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_pairing.h"
#include "observer/iba_obs_path.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_request.h"
#include "observer/iba_obs_response.h"

enum { MOST_TRUST = 8, MOST_STEP = 1024, GSI = 1, MAD_BYTES = 256 };

/* The hash has four lanes, so that the processor computes their multiplications in parallel. */
__attribute__((hot)) static uint64_t hash_bytes(uint64_t seed, const uint8_t *p, size_t n)
{
    enum { LANES = 4, WORD = sizeof(uint64_t) };
    uint64_t h[LANES] = {seed, ~seed, n, ~(uint64_t)n}, word[LANES];

    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(word, p, sizeof word);
        for (unsigned i = 0; i < LANES; i++)
            h[i] = iba_obs_mix(h[i], word[i]);
    }
    for (; n >= WORD; p += WORD, n -= WORD) {
        memcpy(word, p, WORD);
        h[0] = iba_obs_mix(h[0], word[0]);
    }
    if (n > 0) {
        word[0] = 0;
        memcpy(word, p, n);
        h[0] = iba_obs_mix(h[0], word[0]);
    }
    return iba_obs_mix(iba_obs_mix(iba_obs_mix(h[0], h[1]), h[2]), h[3]);
}

static uint32_t captured(const struct iba_view *v, uint32_t end)
{
    return end < v->caplen ? end : v->caplen;
}

/* A hash of the bytes that a retransmission repeats: all bytes after the BTH, without the pad. */
uint64_t iba_observer_content(const struct iba_view *v)
{
    const uint32_t at = v->bth_at + IBA_BYTES_bth, end = captured(v, v->payload_at + v->payload_len);

    return hash_bytes(0, v->wire + at, end > at ? end - at : 0);
}

/* The first `n` bytes of a word, eight at most. If n is a constant, the compiler emits a single load. */
static uint64_t word_of(const uint8_t *p, size_t n)
{
    uint64_t word = 0;

    memcpy(&word, p, n);
    return word;
}

/* A hash of the captured bytes that no router changes. */
__attribute__((hot)) static uint64_t hash_of(const struct iba_look *l)
{
    static const uint8_t steady[sizeof(uint64_t)] = {255, 255, 255, 255, 0, 255, 255, 255}; /* all but FECN and BECN */
    const struct iba_view *v = l->v;
    const uint32_t from = v->bth_at + IBA_BYTES_bth, to = v->payload_at + v->payload_len;
    const uint32_t at = captured(v, to > from ? to : from), end = captured(v, v->end);
    const uint32_t left = end > at ? end - at : 0; /* bytes of pad and ICRC, and more if the packet is malformed */
    const uint64_t first = word_of(l->bth, sizeof first) & word_of(steady, sizeof steady);
    const uint64_t second = word_of(l->bth + sizeof first, IBA_BYTES_bth - sizeof first);
    /* mostly only the ICRC follows */
    const uint64_t third = left == IBA_ICRC_BYTES ? word_of(v->wire + at, IBA_ICRC_BYTES)
                           : left <= sizeof third ? word_of(v->wire + at, left)
                                                  : hash_bytes(0, v->wire + at, left);

    return iba_obs_mix(iba_obs_mix(iba_obs_mix(l->content ^ l->ip_id, first), second), third);
}

/* Mostly no tag matches, so the loop has no branch that the processor could mispredict. */
static bool may_be_recent(const struct iba_flow *f, uint16_t tag)
{
    uint16_t any = 0;

    for (unsigned i = 0; i < IBA_OBS_RECENT; i++)
        any |= f->recent_tag[i] == tag;
    return any;
}

/* True when the packet was seen before: the same packet at another capture point, or a network copy. */
static bool seen_before(struct iba_look *l)
{
    struct iba_flow *f = l->flow;
    const uint64_t hash = hash_of(l);

    const bool look = may_be_recent(f, (uint16_t)hash);
    for (unsigned i = 0; look && i < f->n_recent; i++) {
        const struct iba_obs_recent *r = &f->recent[i];
        if (r->mark.frame == 0 || r->hash != hash || !iba_psn_eq(r->psn, l->psn))
            continue;
        if (r->source != l->s->source) {
            l->s->seen_twice++;
            l->s->seen.same_as = r->mark.frame;
            l->s->seen.copy = true;
            return true;
        }
        const struct iba_decision *by = iba_obs_copied(l, r);
        if (!by->kind)
            continue;
        l->s->seen.copy = true;
        iba_obs_report(l, IBA_FINDING_NETWORK_COPY, &(struct iba_obs_detail){.cause = &r->mark, .decision = by});
        if (r->request)
            f->rq.copied = l->s->now;
        return true;
    }
    f->recent_tag[f->next_recent] = (uint16_t)hash;
    f->recent[f->next_recent] =
        (struct iba_obs_recent){.hash = hash,
                                .mark = l->s->now,
                                .number = l->s->packets,
                                .source = l->s->source,
                                .psn = l->psn,
                                .ip_id = l->ip_id,
                                .request = l->op && l->op->dir == IBA_REQ,
                                .data = l->op && l->op->dir == IBA_RSP && l->op->operation != IBA_OPERATION_ACK,
                                .refuses = iba_syndrome_kind(l->syndrome) != IBA_AETH_ACK};
    f->next_recent = (uint8_t)((f->next_recent + 1) % IBA_OBS_RECENT);
    f->n_recent = (uint8_t)(f->n_recent + (f->n_recent < IBA_OBS_RECENT));
    return false;
}

/* The trust in IPv4 identifications grows when they step forward a little, and halves when they jump. */
static void follow_ip_id(struct iba_look *l)
{
    uint8_t *trust = &l->flow->ip_id[l->op->dir].trust;
    uint16_t *last = &l->flow->ip_id[l->op->dir].last;
    bool *any = &l->flow->ip_id[l->op->dir].any;
    const uint16_t step = (uint16_t)(l->ip_id - *last);

    if (!l->has_ip_id)
        return;
    l->flow->ip_id[l->op->dir].constant = *any && step == 0;
    if (*any && (uint16_t)-step <= MOST_STEP && step != 0 && *trust >= IBA_OBS_TRUST) {
        l->late = true;
        return;
    }
    if (*any && step != 0 && step <= MOST_STEP)
        *trust = (uint8_t)(*trust + (*trust < MOST_TRUST));
    else if (*any)
        *trust /= 2;
    *last = l->ip_id;
    *any = true;
}

static void partition(struct iba_look *l)
{
    struct iba_flow *f = l->flow;
    const uint16_t pkey = iba_bth_p_key(l->bth);

    if (f->key.qpn <= GSI)
        return; /* QP0 has no partition, QP1 is in all */
    if (f->has_pkey && (f->pkey ^ pkey) & 0x7fff)
        iba_obs_report(l, IBA_FINDING_PKEY, &(struct iba_obs_detail){.cause = &f->first, .count = pkey});
    /* two packets in a row have the new P_Key; the earlier P_Key may have been damaged, without an ICRC to show it */
    if (!f->has_pkey || pkey == f->last_pkey)
        f->pkey = pkey;
    f->last_pkey = pkey;
    f->has_pkey = true;
}

static void datagram(struct iba_look *l)
{
    struct iba_flow *f = l->flow;
    const uint8_t *deth = iba_view_hdr(l->v, IBA_H_deth);
    const uint32_t qkey = iba_deth_q_key(deth);

    if (l->v->payload_len > (f->pmtu ? f->pmtu : IBA_MTU_MOST_BYTES) ||
        (f->key.qpn <= GSI && l->v->payload_len != MAD_BYTES))
        iba_obs_report(l, IBA_FINDING_LENGTH, &(struct iba_obs_detail){.count = l->v->payload_len});
    if (!f->has_qkey) {
        f->qkey = qkey;
        f->src_qp = iba_deth_srcqp(deth);
    } else if (f->qkey != qkey)
        iba_obs_report(l, IBA_FINDING_QKEY, &(struct iba_obs_detail){.cause = &f->first});
    f->has_qkey = true;
}

static void by_reserved_opcode(struct iba_look *l)
{
    iba_obs_report(l, iba_opcode_is_vendor(l->opcode) ? IBA_FINDING_OPCODE_VENDOR : IBA_FINDING_OPCODE_RESERVED, NULL);
}

static void by_service(struct iba_look *l)
{
    switch (l->flow->svc) {
    case IBA_RC:
    case IBA_XRC:
        if (l->op->dir == IBA_RSP)
            iba_obs_response(l);
        else
            iba_obs_request(l);
        break;
    case IBA_UC: iba_obs_unreliable(l); break;
    case IBA_UD: datagram(l); break;
    default: break;
    }
}

static void look(struct iba_look *l, const struct iba_sighting *p)
{
    *l = (struct iba_look){.v = p->view, .bth = iba_view_bth(p->view), .op = p->view->op};
    l->opcode = iba_bth_opcode(l->bth);
    l->psn = iba_psn_of(iba_bth_psn(l->bth));
    l->content = p->content ? *p->content : iba_observer_content(l->v);
    if (iba_view_has(l->v, IBA_H_aeth)) {
        l->syndrome = iba_view_hdr(l->v, IBA_H_aeth)[0];
        l->msn = iba_aeth_msn(iba_view_hdr(l->v, IBA_H_aeth));
    }
    if (l->v->l3 == IBA_H_ipv4) {
        l->ip_id = iba_ipv4_id(l->v->wire + l->v->l3_at);
        l->has_ip_id = l->ip_id != 0;
    }
}

/* Adapters choose the UDP source port by the two QPs, and keep it for the whole connection. */
static bool has_another_port(const struct iba_look *l)
{
    enum { PORT = 48 }; /* first bit of the UDP source port in the second word of a route */
    const struct iba_obs_path *p = &l->flow->path[IBA_REQ];

    return p->any && p->reported == 0 && iba_view_has(l->v, IBA_H_udp) &&
           iba_udp_srcport(iba_view_hdr(l->v, IBA_H_udp)) != p->route[1] >> PORT;
}

/* A QP that rested may have been given to another connection since. */
static bool is_other_connection(const struct iba_look *l)
{
    const struct iba_flow *f = l->flow;
    const struct iba_obs_requests *q = &f->rq;

    if (f->last.frame == 0 || l->s->now.at - f->last.at < l->s->cfg.rest_ns)
        return false;
    if (!l->op || l->op->dir == IBA_RSP || !q->any)
        return false;
    const int32_t d = iba_psn_diff(l->psn, q->high);
    if (d > IBA_OBS_SENT || d < -IBA_OBS_SENT || (q->fatal.frame != 0 && d != 0))
        return true;
    return d != 0 && f->peer && !f->guess && (has_another_port(l) || iba_obs_another_began(l));
}

/* Connection management made a connection after the last packet of this direction. So the earlier packets belong to
 * another connection. */
static bool was_begun_since(const struct iba_look *l, const struct iba_cm_facts *t)
{
    const struct iba_flow *f = l->flow;
    const bool goes_on = l->op && l->op->dir == IBA_REQ && f->rq.any && iba_psn_eq(l->psn, f->rq.high);

    return t && f->last.frame != 0 && t->begun > f->last.frame && !goes_on;
}

static void begin_another(struct iba_look *l, bool report)
{
    const struct iba_obs_mark before = l->flow->last;

    iba_obs_begin_again(l->s, l->flow);
    if (report)
        iba_obs_report(l, IBA_FINDING_QP_REUSED,
                       &(struct iba_obs_detail){.cause = &before, .wait_ns = l->s->now.at - before.at});
}

static void judge_packet(struct iba_look *l)
{
    if (!l->op) {
        by_reserved_opcode(l);
        return;
    }
    if ((l->v->has & l->op->hdrs) != l->op->hdrs) { /* the capture cut the headers, so the effect of the packet is not
                                                       known, and the requests start again */
        if (l->op->dir == IBA_REQ)
            memset(&l->flow->rq, 0, sizeof l->flow->rq);
        return;
    }
    iba_obs_congestion(l);
    iba_obs_path(l);
    partition(l);
    follow_ip_id(l);
    by_service(l);
}

static bool has_direction(struct iba_observer *s, const struct iba_sighting *p)
{
    if (p->expected ? p->expected->any : iba_obs_is_directed(p->view))
        return true;
    s->others++;
    if (iba_view_is_damaged(p->view)) /* the damage is before the BTH, so the direction is not known */
        iba_obs_damaged_unknown(s, p->view);
    return false;
}

static const struct iba_flow *observe_damaged(struct iba_look *l)
{
    l->s->seen.damaged = true;
    l->flow = iba_obs_known(l);
    iba_obs_damaged(l, hash_of(l));
    if (l->flow)
        l->flow->packets++;
    return l->flow;
}

/* Enters the flow of the packet, and clears the flow when another connection has begun. */
static void enter_flow(struct iba_look *l, const struct iba_sighting *p)
{
    l->flow = iba_obs_flow(l);
    if (was_begun_since(l, p->cm))
        begin_another(l, false); /* the connection management message already has the finding */
    else if (is_other_connection(l))
        begin_another(l, true);
    const bool response = l->op && l->op->dir == IBA_RSP;
    l->peer = response ? iba_obs_activate_peer(l->s, l->flow) : iba_obs_active(l->s, l->flow->peer);
    if (l->peer && response && !iba_obs_is_wanted(&l->peer->rq, l->psn))
        iba_obs_pair_again(l);
}

static void report_said(struct iba_look *l, const struct iba_cm_facts *facts)
{
    for (unsigned i = 0; facts && i < facts->n; i++) {
        const struct iba_cm_said *said = &facts->said[i];
        iba_obs_report(l, said->kind,
                       &(struct iba_obs_detail){.cause = &said->cause, .count = said->count, .wait_ns = said->wait_ns});
    }
}

/* Observes the packet. Returns the flow of its direction; NULL: the packet belongs to no direction. */
__attribute__((hot)) static const struct iba_flow *observe(struct iba_observer *s, const struct iba_sighting *p)
{
    struct iba_look l;

    if (!iba_view_is_transport(p->view)) {
        s->others++;
        return NULL;
    }
    s->now = (struct iba_obs_mark){p->frame, p->tag, p->now > s->now.at ? p->now : s->now.at};
    s->source = p->source;
    if (!has_direction(s, p))
        return NULL;
    s->packets++;
    look(&l, p);
    l.s = s;
    if (p->expected) {
        l.id = p->expected->id;
        l.has_id = true;
    }
    if (iba_view_is_damaged(p->view))
        return observe_damaged(&l);
    if (l.opcode >> 5 == IBA_CNP) { /* a CNP belongs to no connection, whatever its PSN is */
        if (l.op)
            iba_obs_notified(&l);
        else
            by_reserved_opcode(&l);
        return NULL;
    }
    enter_flow(&l, p);
    l.flow->packets++;
    l.flow->bytes += l.v->payload_len;
    if (!seen_before(&l)) {
        judge_packet(&l);
        report_said(&l, p->cm);
    }
    if (s->cfg.answered || (l.op && l.op->dir == IBA_RSP))
        iba_obs_link_answer(&l);
    if (s->open && !s->seen.copy)
        iba_obs_open_packet(&l);
    l.flow->last = s->now;
    l.flow->touched = s->packets;
    return l.flow;
}

__attribute__((hot)) const struct iba_observed *iba_observer_feed(struct iba_observer *s, const struct iba_sighting *p)
{
    s->seen = (struct iba_observed){.flow = NULL};
    s->seen.flow = observe(s, p);
    if (s->seen.flow)
        s->seen.direction = iba_obs_number(s, s->seen.flow);
    return &s->seen;
}

/* Flows in use come first, since they go to rest when resting directions take their places. */
void iba_observer_end(struct iba_observer *s, iba_time now)
{
    s->seen.worst = IBA_SEVERITY_NONE;
    s->now.at = now > s->now.at ? now : s->now.at;
    for (uint32_t i = 0; i < s->n; i++) {
        iba_obs_settle_alone(s, &s->flow[i]);
        iba_obs_report_end(s, &s->flow[i], false);
    }
    for (uint32_t i = 0; s->resting > 0 && i < s->n_known; i++) {
        const struct iba_known *k = &s->known[i];
        if (k->flow == 0 && iba_obs_waits(s, k))
            iba_obs_report_end(s, iba_obs_activate(s, i + 1, NULL, NULL), false);
    }
    if (s->open)
        iba_obs_open_end(s);
}
