/* SPDX-License-Identifier: BSD-2-Clause */
/* Reordering. Networks may choose a path for each packet, and adapters may accept packets in any order. Several paths
 * and such adapters are lawful. REORDERED reports the reordering once for each direction.
 *
 * A jump over PSNs may be reordering or loss. Only later packets show which. So the observer defers the findings about
 * a jump, and about the late packets that fill the jump. The observer reports deferred findings when a requester or a
 * NAK asks for the missing PSNs. The observer drops deferred findings when all packets have come and were acknowledged.
 * At the end of the capture it reports the findings that are still deferred, if the direction had a gap that somebody
 * asked for, and REORDERED was not reported.
 *
 * A requester that was going back may also go on with a new packet, since its responder may have kept the packets in
 * between (iba_obs_selective.c). Nothing shows that the capture lacks their retransmissions, so such a jump is not
 * reported unless some of them come late. The first jump of a capture may go over packets that were sent before the
 * capture began. The first jump is reported when a requester or a NAK asks for one of these packets. */
#include "observer/iba_obs_reorder.h"
#include "observer/iba_obs_damaged.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_report.h"

static bool is_gap(uint8_t kind)
{
    return kind == IBA_FINDING_GAP || kind == IBA_FINDING_RESPONSE_GAP || kind == IBA_FINDING_ANSWER_MISSING;
}

static bool is_inside(const struct iba_obs_put_off *o, iba_psn psn)
{
    return iba_psn_diff(psn, o->psn) < 0 && iba_psn_diff(psn, o->psn) >= -(int32_t)o->n;
}

/* No captured packet jumped over this late packet: the capture begins after that packet, or lacks the request. */
static bool is_alone(const struct iba_obs_put_off *o)
{
    return o->kind == IBA_FINDING_LATE && o->of == o->mark.frame;
}

/* True when the jump is one of requests, or with `answers` one of responses: both may have the same PSNs. */
static bool is_of(const struct iba_obs_put_off *o, bool answers)
{
    return is_gap(o->kind) && (o->kind != IBA_FINDING_GAP) == answers;
}

/* The PSN belongs to the READ whose own response jumps over answers to earlier requests. PSNs of this READ that are
 * missing too belong to another jump. */
static bool is_own(const struct iba_obs_put_off *o, iba_psn psn)
{
    return o->kind == IBA_FINDING_ANSWER_MISSING && iba_psn_diff(psn, o->own) >= 0;
}

/* Returns the jump over this PSN if some of its packets have not come; NULL: none. */
static struct iba_obs_put_off *jump_over(struct iba_flow *f, bool answers, iba_psn psn)
{
    for (unsigned i = 0; i < f->order.n; i++) {
        struct iba_obs_put_off *const o = &f->put_off[i];
        if (is_of(o, answers) && o->filled < o->n && is_inside(o, psn) && !is_own(o, psn))
            return o;
    }
    return NULL;
}

static void emit(struct iba_observer *s, struct iba_flow *f, const struct iba_obs_put_off *o)
{
    iba_obs_emit(s, f,
                 &(struct iba_finding){.kind = o->kind,
                                       .frame = o->mark.frame,
                                       .tag = o->mark.tag,
                                       .cause = o->cause,
                                       .cause_tag = o->cause_tag,
                                       .at = o->mark.at,
                                       .flow = f,
                                       .decision = o->decision,
                                       .psn = o->psn,
                                       .count = o->kind == IBA_FINDING_ANSWER_MISSING ? 0 : o->n});
}

/* A packet that fills a lawful jump may be pending, since it is late or was sent again. Such a packet is not reported
 * as late. */
static void excuse_pending(struct iba_flow *f, const struct iba_obs_put_off *jump)
{
    if (jump->kind == IBA_FINDING_GAP)
        f->rq.undecided.lawful |= is_inside(jump, f->rq.undecided.psn);
    else
        f->undecided.lawful |= is_inside(jump, f->undecided.psn);
}

/* All packets of the jump have come. The last of them may still be pending. */
static bool is_full(const struct iba_flow *f, const struct iba_obs_put_off *o)
{
    const bool answers = o->kind != IBA_FINDING_GAP;
    const bool undecided_request =
        !answers && f->rq.undecided.mark.frame != 0 && !f->rq.undecided.reported && is_inside(o, f->rq.undecided.psn);
    const bool undecided_response = answers && f->undecided.mark.frame != 0 && is_inside(o, f->undecided.psn);

    return o->filled + undecided_request + undecided_response >= o->n;
}

/* The responder may have kept the packets that the jump skips. */
static bool may_be_kept(const struct iba_obs_put_off *o)
{
    return o->excuse == IBA_EXCUSE_KEPT && o->filled == 0;
}

/* The jump has an excuse: it is a loss only if an end asks for one of its packets. */
static bool is_excused(const struct iba_obs_put_off *o)
{
    return o->excuse && o->filled == 0;
}

/* The skipped packets are not in flight: the responder has them. */
static void close_skipped(struct iba_flow *f, const struct iba_obs_put_off *o)
{
    for (unsigned i = 0; i < IBA_OBS_GAPS; i++)
        if (iba_psn_eq(iba_psn_add(f->rq.gaps[i].psn, f->rq.gaps[i].n), o->psn))
            f->rq.gaps[i].n = 0;
}

/* Reports the jump at `at` and the late packets that belong to it, or drops them if they are lawful. */
static void resolve(struct iba_observer *s, struct iba_flow *f, unsigned at, bool lawful)
{
    const struct iba_obs_put_off jump = f->put_off[at];
    const bool kept = lawful && jump.excuse && !is_full(f, &jump), overtakes = lawful && !kept && !is_alone(&jump);
    unsigned n = 0;

    f->order.taken = (uint8_t)(f->order.taken + (overtakes && f->order.taken < IBA_OBS_RUN));
    if (f->order.taken == IBA_OBS_RUN && !f->order.lawful) {
        const struct iba_finding said = iba_obs_finding(f, IBA_FINDING_REORDERED, &jump.mark, NULL, jump.psn);
        iba_obs_emit(s, f, &said);
    }
    f->order.lawful = f->order.taken == IBA_OBS_RUN;
    if (kept)
        close_skipped(f, &jump);
    else if (lawful)
        excuse_pending(f, &jump);
    for (unsigned i = 0; i < f->order.n; i++) {
        const struct iba_obs_put_off *o = &f->put_off[i];
        if (i != at && (is_gap(o->kind) || o->of != jump.mark.frame))
            f->put_off[n++] = *o;
        else if (!lawful)
            emit(s, f, o);
    }
    f->order.n = (uint8_t)n;
}

/* No NAK has ended the connection. */
static bool lives(const struct iba_observer *s, const struct iba_flow *f)
{
    const struct iba_flow *const peer = iba_obs_active(s, f->peer);

    return f->fatal.frame == 0 && peer && peer->fatal.frame == 0;
}

/* The requester lacks no response that was captured at `at`: its newest request came two round trips later, or was
 * silent longer than a round trip of any fabric (RQ-36). */
static bool lacks_no_response(const struct iba_observer *s, const struct iba_flow *f, iba_time at)
{
    const struct iba_flow *const peer = iba_obs_active(s, f->peer);
    const iba_time round =
        peer && peer->has_rtt && f->has_rtt ? (iba_time)peer->rtt_min_ns + f->rtt_min_ns : IBA_OBS_ROUND_NS;

    return peer && ((lives(s, f) && s->now.at - at > IBA_OBS_FLIGHT_NS) || peer->rq.last.at > at + 2 * round);
}

/* A late packet without a jump is dropped if the jumps of its direction are lawful. */
static bool goes_with_others(const struct iba_observer *s, const struct iba_flow *f, const struct iba_obs_put_off *o)
{
    return f->order.lawful || (f->order.taken > 0 && !f->order.strict) ||
           (o->response && lacks_no_response(s, f, o->mark.at));
}

/* The jump has an excuse, or all its packets came and their receiver accepted them. A receiver accepts them if this
 * direction is known to be reordered. A requester accepts responses if it does not ask for them again for longer than a
 * round trip of any fabric. The silence of a responder proves nothing, nor does silence after a NAK that ends the
 * connection. */
static bool is_accepted(const struct iba_observer *s, const struct iba_flow *f, const struct iba_obs_put_off *o)
{
    const bool unasked = lives(s, f) && o->kind != IBA_FINDING_GAP && s->now.at - o->mark.at > IBA_OBS_FLIGHT_NS;

    return is_excused(o) || (is_full(f, o) && (f->order.lawful || unasked));
}

/* The packets were only overtaken, or their receiver took them: the jump gets no finding. */
static bool is_lawful(const struct iba_observer *s, const struct iba_flow *f, const struct iba_obs_put_off *o)
{
    return is_alone(o) ? goes_with_others(s, f, o) : is_accepted(s, f, o);
}

static void make_room(struct iba_observer *s, struct iba_flow *f)
{
    while (f->order.n > 0 && (f->order.n == IBA_OBS_PUT_OFF || s->now.at - f->put_off[0].mark.at > s->cfg.late_ns)) {
        const bool waits = f->order.n < IBA_OBS_PUT_OFF && is_full(f, &f->put_off[0]) &&
                           s->now.at - f->put_off[0].mark.at <= IBA_OBS_FLIGHT_NS;
        if (waits)
            return;
        resolve(s, f, 0, is_lawful(s, f, &f->put_off[0]));
    }
}

static bool is_put_off(const struct iba_flow *f, uint64_t frame)
{
    for (unsigned i = 0; i < f->order.n; i++)
        if (is_gap(f->put_off[i].kind) && f->put_off[i].of == frame)
            return true;
    return false;
}

void iba_obs_order_comes_again(struct iba_flow *f, iba_psn psn)
{
    f->order.wanted &= iba_psn_diff(psn, f->order.psn) > 0;
}

/* The receiver took the packet before, or the sender is going to send it again. So the packet does not show how its
 * receiver treats reordering. Responses to a READ that was sent again do not show it either, since answers to two
 * transmissions may mix. Responses to such a READ count if packets were overtaken before. */
static bool is_asked_for(const struct iba_observer *s, struct iba_flow *f, const struct iba_finding *t)
{
    struct iba_flow *const peer = iba_obs_active(s, f->peer);
    const struct iba_obs_read *const r = peer ? iba_obs_read_at(&peer->rq, t->psn) : NULL;

    if (t->kind == IBA_FINDING_GAP)
        return f->order.wanted || iba_obs_is_answered(&f->rq, t->psn);
    return r && r->again && f->order.taken == 0;
}

/* The missing answers of ANSWER_MISSING are responses to READs and ATOMICs, not the acknowledgements between them. */
static bool is_awaited(const struct iba_observer *s, const struct iba_flow *f, const struct iba_obs_put_off *jump,
                       iba_psn psn)
{
    struct iba_flow *const peer = iba_obs_active(s, f->peer);

    return jump->kind != IBA_FINDING_ANSWER_MISSING || (peer && iba_obs_read_at(&peer->rq, psn));
}

/* The capture began after the packet that jumped over this one, or after the request that this one answers. Or the
 * capture had just begun, so that the jump was not recorded. */
static bool began_before(const struct iba_observer *s, struct iba_flow *f, const struct iba_finding *t)
{
    struct iba_flow *const peer = iba_obs_active(s, f->peer);

    if (!t->response)
        return iba_psn_diff(t->psn, f->rq.first) < 0 || !iba_obs_gap_at(s, f->rq.gaps, t->psn);
    return !peer || !peer->rq.any || iba_psn_diff(t->psn, peer->rq.first) < 0;
}

static bool overtaken_by_first(const struct iba_flow *f, const struct iba_finding *t)
{
    const bool undecided = f->rq.undecided.mark.frame == t->frame;

    return !t->response && (undecided ? f->rq.undecided.missed : iba_obs_misses_first(&f->rq, t->psn));
}

static bool has_data(const struct iba_flow *f, const struct iba_finding *t)
{
    for (unsigned i = 0; t->response && i < f->n_recent; i++)
        if (f->recent[i].mark.frame == t->frame)
            return f->recent[i].data;
    return false;
}

static bool comes_at_once(const struct iba_observer *s, const struct iba_flow *f)
{
    return s->now.at - f->last.at < IBA_OBS_AT_ONCE_NS;
}

bool iba_obs_puts_off(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *t)
{
    const bool gap = is_gap((uint8_t)t->kind);

    if (f->svc == IBA_UC)
        return false;
    struct iba_obs_put_off *const jump = gap ? NULL : jump_over(f, t->response, t->psn);
    const bool alone = !gap && !jump;
    if (alone && (f->order.lawful || !began_before(s, f, t)))
        return f->order.lawful;
    const bool at_once = t->frame == s->now.frame && (comes_at_once(s, f) || f->order.taken > 0);
    if (gap && ((!f->order.lawful && (!at_once || is_asked_for(s, f, t))) || t->count > IBA_OBS_SENT))
        return false;
    const uint64_t of = jump ? jump->mark.frame : t->frame;
    if (jump && is_awaited(s, f, jump, t->psn))
        jump->filled++;
    make_room(s, f);
    if (jump && !is_put_off(f, of))
        return false; /* the jump was just reported */
    f->put_off[f->order.n++] = (struct iba_obs_put_off){.mark = {t->frame, t->tag, t->at},
                                                        .cause = t->cause,
                                                        .cause_tag = t->cause_tag,
                                                        .decision = t->decision,
                                                        .of = of,
                                                        .psn = t->psn,
                                                        .n = (uint16_t)t->count,
                                                        .kind = (uint8_t)t->kind,
                                                        .request = alone && overtaken_by_first(f, t),
                                                        .response = alone && has_data(f, t)};
    return true;
}

bool iba_obs_puts_off_missing(struct iba_look *l, const struct iba_obs_read *r, const struct iba_obs_read *own,
                              iba_psn from, uint32_t missing)
{
    struct iba_flow *const f = l->flow;
    const uint32_t n = (uint32_t)iba_psn_diff(l->psn, from);
    const bool pauses = f->last.frame != 0 && !comes_at_once(l->s, f);

    if ((f->order.taken == 0 && !f->order.lawful && (pauses || r->again)) || missing > IBA_OBS_MOST_LOST ||
        n > UINT16_MAX)
        return false;
    make_room(l->s, f);
    f->put_off[f->order.n++] = (struct iba_obs_put_off){.mark = l->s->now,
                                                        .cause = r->mark.frame,
                                                        .cause_tag = r->mark.tag,
                                                        .of = l->s->now.frame,
                                                        .psn = l->psn,
                                                        .own = own ? own->psn : l->psn,
                                                        .n = (uint16_t)n,
                                                        .filled = (uint16_t)(n - missing),
                                                        .kind = IBA_FINDING_ANSWER_MISSING};
    return true;
}

bool iba_obs_puts_off_skipped(struct iba_look *l, uint32_t n, enum iba_obs_excuse excuse)
{
    struct iba_flow *const f = l->flow;
    const struct iba_finding gap =
        iba_obs_finding_now(l, IBA_FINDING_GAP, &(struct iba_obs_detail){.cause = &f->rq.last, .count = n});

    if (n > IBA_OBS_SENT)
        return false;
    if (iba_obs_damage_explains(l->s, f, &gap))
        return true;
    make_room(l->s, f);
    f->put_off[f->order.n++] = (struct iba_obs_put_off){.mark = l->s->now,
                                                        .cause = gap.cause,
                                                        .cause_tag = gap.cause_tag,
                                                        .of = gap.frame,
                                                        .psn = l->psn,
                                                        .n = (uint16_t)n,
                                                        .kind = IBA_FINDING_GAP,
                                                        .excuse = (uint8_t)excuse};
    return true;
}

void iba_obs_order_fill(struct iba_flow *f, iba_psn psn, uint32_t n)
{
    struct iba_obs_put_off *const jump = f->order.n > 0 ? jump_over(f, false, psn) : NULL;

    if (jump)
        jump->filled = (uint16_t)(jump->filled + n);
}

bool iba_obs_misses_first(const struct iba_obs_requests *q, iba_psn psn)
{
    return iba_psn_diff(psn, q->first) < 0 && !iba_obs_is_answered(q, psn) && q->pending.cause == IBA_CAUSE_NONE;
}

bool iba_obs_asks_for_late(struct iba_flow *f, iba_psn psn)
{
    for (unsigned i = 0; i < f->order.n; i++)
        if (f->put_off[i].response && iba_psn_diff(f->put_off[i].psn, psn) >= 0)
            return true;
    return false;
}

bool iba_obs_fills(struct iba_flow *f, bool answers, iba_psn psn)
{
    return f->order.n > 0 && jump_over(f, answers, psn);
}

/* Returns the frame of the packet that jumps over this PSN; 0: none. */
static uint64_t who_lacks(const struct iba_flow *f, bool answers, iba_psn psn)
{
    for (unsigned i = 0; i < f->order.n; i++)
        if (is_of(&f->put_off[i], answers) && is_inside(&f->put_off[i], psn))
            return f->put_off[i].mark.frame;
    return 0;
}

/* The receiver has the late packets before `psn` that no captured packet jumped over. With `asked`, the receiver lacks
 * such packets from `psn` on. */
static void settle_alone(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn, bool asked)
{
    for (unsigned i = 0; i < f->order.n;) {
        const struct iba_obs_put_off *const o = &f->put_off[i];
        const bool taken = iba_psn_diff(o->psn, psn) < 0;
        if (is_alone(o) && (answers ? o->response : o->request) && (taken || asked)) {
            resolve(s, f, i, taken);
            i = 0;
        } else
            i++;
    }
}

void iba_obs_order_asked(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn)
{
    settle_alone(s, f, answers, psn, true);
    if (!answers) {
        f->order.wanted = true;
        f->order.psn = psn;
    }
    const uint64_t refused = who_lacks(f, answers, psn); /* no jump of this packet was taken */
    for (unsigned i = 0; i < f->order.n;) {
        const struct iba_obs_put_off *o = &f->put_off[i];
        const bool taken = iba_psn_diff(o->psn, psn) < 0; /* the peer has everything before `psn` */
        const bool asked = is_inside(o, psn) || o->mark.frame == refused;
        /* no requester learns so soon of a lost request, so it goes back for another reason */
        const bool soon = !answers && s->now.at - o->mark.at < IBA_OBS_LEAST_RTT_NS;
        const bool doubtful = !f->order.lawful && !is_excused(o) && !soon && !(f->order.taken > 0 && is_full(f, o));
        if (is_of(o, answers) && (taken || doubtful || asked)) {
            const bool kept = may_be_kept(o);
            f->order.strict |= !taken && !kept;
            resolve(s, f, i, kept || (taken && (is_full(f, o) || is_excused(o))));
            i = 0;
        } else
            i++;
    }
}

/* A requester sends new requests while it still waits for responses, so new requests show no loss of responses. */
void iba_obs_order_taken(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn)
{
    if (!answers)
        settle_alone(s, f, false, iba_psn_add(psn, 1), false);
    for (unsigned i = 0; i < f->order.n;) {
        const struct iba_obs_put_off *o = &f->put_off[i];
        const bool lawful = is_full(f, o) || is_excused(o);
        const bool open = answers && (!lawful || s->now.at - o->mark.at < IBA_OBS_LEAST_RTT_NS);
        if (is_of(o, answers) && !open && iba_psn_diff(o->psn, psn) <= 0) {
            resolve(s, f, i, lawful);
            i = 0;
        } else
            i++;
    }
}

void iba_obs_order_end(struct iba_observer *s, struct iba_flow *f)
{
    while (f->order.n > 0) {
        const struct iba_obs_put_off *const o = &f->put_off[0];
        const bool full = !is_alone(o) && is_full(f, o) && (f->order.taken > 0 || !f->order.strict);
        resolve(s, f, 0, full || is_lawful(s, f, o));
    }
}
