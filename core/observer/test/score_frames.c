/* SPDX-License-Identifier: BSD-2-Clause */
/* Relations between two frames of a run. */
#include "score.h"
#include "wire/iba_opcode.h"

enum score_missing score_missing(const struct score_run *r, const struct score_sight *e, uint32_t frame)
{
    const struct score_frame *f = &r->frame[frame];
    enum score_missing least = SCORE_MISSING;

    for (const struct score_sight *o = r->sight; o < e; o++) {
        const struct score_frame *g = &r->frame[o->frame];
        const bool same = g->from == f->from && g->request == f->request && iba_psn_eq(g->psn, f->psn);
        const enum score_missing is = o->headers_damaged ? SCORE_UNCERTAIN : SCORE_CAPTURED;
        if (o->seen && o->refused && same && (o->shows_damage || (o->disguised && o->names)) && o->frame >= frame &&
            is < least)
            least = is;
    }
    return least;
}

uint64_t score_changed(const struct score_run *r, const struct score_frame *f, uint32_t id)
{
    while (id-- > 0) {
        const struct score_frame *b = &r->frame[id];
        if (!b->captured || !b->request || b->from != f->from || !iba_psn_eq(b->psn, f->psn))
            continue;
        if (b->opcode != f->opcode || b->asked != f->asked)
            return SCORE_KIND(RETRY_CHANGED);
        return b->content != f->content ? SCORE_KIND(RETRY_PAYLOAD) : 0;
    }
    return 0;
}

/* Returns the kind of retransmission if the frame asks the requester to go back to that PSN or to an earlier one;
 * otherwise 0. The kind is RNR_EARLY while the wait of an RNR NAK is not over. */
static uint64_t asks_back(const struct score_run *r, const struct score_sight *o, iba_psn psn, iba_time waited)
{
    const struct score_frame *g = &r->frame[o->frame];

    if (g->nak == SCORE_KIND(RNR))
        return !iba_psn_eq(g->psn, psn)                 ? 0
               : waited >= iba_rnr_timer_ns(g->credits) ? SCORE_KIND(RETRY_RNR)
                                                        : SCORE_KIND(RNR_EARLY);
    if (g->nak)
        return g->nak == SCORE_KIND(NAK_SEQUENCE) && iba_psn_diff(g->psn, psn) <= 0 ? SCORE_KIND(RETRY_NAK) : 0;
    return (o->must | o->either | o->hidden) & (SCORE_KIND(ANSWER_MISSING) | SCORE_KIND(RESPONSE_GAP))
               ? SCORE_KIND(RETRY_IMPLIED)
               : 0;
}

/* Returns whether the capture began a moment ago, in the middle of the connection: a NAK from before may have asked for
 * the packet. */
static bool just_began(const struct score_run *r, const struct score_sight *e, iba_time slowest)
{
    const struct score_sight *first = r->sight;

    while (first < e && !first->seen)
        first++;
    return first > r->sight && r->mode == SCORE_MIDSTREAM && e->at - first->at <= slowest;
}

uint64_t score_reason(const struct score_run *r, const struct score_sight *e)
{
    static const iba_time slowest_ns = 10000000;
    const struct score_frame *f = &r->frame[e->frame];
    uint64_t kinds = 0;

    for (const struct score_sight *o = e; o-- > r->sight && e->at - o->at <= slowest_ns;) {
        const struct score_frame *g = &r->frame[o->frame];
        if (!o->seen || o->refused)
            continue;
        if (g->request && g->from == f->from && iba_psn_eq(g->psn, f->psn))
            return kinds;
        if (!g->request && g->from != f->from)
            kinds |= asks_back(r, o, f->psn, e->at - o->at);
    }
    return kinds | (just_began(r, e, slowest_ns) ? SCORE_KIND(RETRY_NAK) : 0);
}

enum { INSTANT_NS = 1000 };

/* Returns the time of the packet that carries the frame. */
static iba_time time_of(const struct score_run *r, const struct score_sight *e, uint32_t frame)
{
    while (e > r->sight && (--e)->frame != frame)
        ;
    return e->at;
}

uint64_t score_paused(const struct score_run *r, const struct score_sight *e, uint32_t newest)
{
    static const iba_time longest_ns = 1000000; /* a pause frame of 65535 times 512 bit times, at 40 Gbit/s */
    const struct score_frame *f = &r->frame[e->frame], *before = &r->frame[newest];
    const bool goes_on = iba_psn_eq(iba_psn_add(before->psn, before->n), f->psn);

    return before->retry && before->run != f->run && goes_on && e->at - time_of(r, e, newest) < longest_ns
               ? before->retry | r->frame[before->run].obeyed
               : 0;
}

bool score_just_overtaken(const struct score_run *r, const struct score_sight *e)
{
    static const iba_time round_trip_ns = 10000;
    const struct score_frame *f = &r->frame[e->frame];

    for (const struct score_sight *o = e; o-- > r->sight;) {
        const struct score_frame *g = &r->frame[o->frame];
        if (o->seen && e->at - o->at >= round_trip_ns && g->request && g->from == f->from &&
            iba_psn_diff(g->psn, f->psn) > 0)
            return false;
    }
    return true;
}

/* Returns the previous or the next request of the same sender if it has the same bytes and comes at the same instant;
 * NULL otherwise. */
static const struct score_sight *twin_of(const struct score_run *r, const struct score_sight *e, int step)
{
    const struct score_frame *f = &r->frame[e->frame];

    for (int64_t i = e - r->sight + step; i >= 0 && i < r->n_sight; i += step) {
        const struct score_sight *o = &r->sight[i];
        const struct score_frame *g = &r->frame[o->frame];
        if ((step > 0 ? o->at - e->at : e->at - o->at) >= INSTANT_NS)
            return NULL;
        if (o->seen && g->request && g->from == f->from)
            return !o->refused && iba_psn_eq(g->psn, f->psn) && g->headers == f->headers && g->content == f->content
                       ? o
                       : NULL;
    }
    return NULL;
}

const struct score_sight *score_previous_twin(const struct score_run *r, const struct score_sight *e)
{
    return twin_of(r, e, -1);
}

const struct score_sight *score_comes_with_retry(const struct score_run *r, const struct score_sight *e)
{
    const struct score_sight *o = twin_of(r, e, 1);
    const struct score_frame *g = o ? &r->frame[o->frame] : NULL;

    return g && o->frame > e->frame && g->retry && g->cause && r->frame[g->cause - 1].captured ? o : NULL;
}

bool score_begins(const struct score_run *r, const struct score_sight *e)
{
    enum { FEW = 3 };
    iba_time next = e->at;
    unsigned n = 0;

    for (const struct score_sight *o = e; o-- > r->sight;) {
        const struct score_frame *g = &r->frame[o->frame];
        if (!o->seen || o->refused || !g->request || g->from != r->frame[e->frame].from)
            continue;
        if (++n > FEW || next - o->at < INSTANT_NS)
            return false;
        next = o->at;
    }
    return n > 0;
}

bool score_was_obeyed(const struct score_run *r, uint32_t id)
{
    for (uint32_t i = id + 1; i < r->n_frame; i++)
        if (r->frame[i].cause == id + 1)
            return true;
    return false;
}

bool score_is_overtaken(const struct score_run *r, const struct score_sight *e, uint32_t frame)
{
    const struct score_frame *f = &r->frame[e->frame], *b = &r->frame[frame];

    return b->from == f->from && b->request == f->request && !b->captured;
}

bool score_comes_later(const struct score_run *r, const struct score_sight *e, uint32_t frame)
{
    for (const struct score_sight *o = e + 1; o < r->sight + r->n_sight; o++)
        if (o->frame == frame && o->seen)
            return true;
    return false;
}

bool score_sent_twice(const struct score_run *r, uint32_t newest, uint32_t id)
{
    const struct score_frame *f = &r->frame[id];

    for (uint32_t g = 0; g <= newest; g++) {
        const struct score_frame *b = &r->frame[g];
        if (g != id && b->from == f->from && b->request == f->request && b->opcode == f->opcode &&
            iba_psn_eq(b->psn, f->psn))
            return true;
    }
    return false;
}

bool score_answers_again(const struct score_run *r, uint32_t id)
{
    const struct score_frame *f = &r->frame[id];

    for (uint32_t i = 0; i < id; i++) {
        const struct score_frame *b = &r->frame[i];
        if (!b->request && b->from == f->from && !b->nak && b->plain == f->plain && iba_psn_eq(b->psn, f->psn))
            return true;
    }
    return false;
}

bool score_is_asked_for(const struct score_run *r, uint32_t id)
{
    const struct score_frame *f = &r->frame[id];

    for (uint32_t i = id + 1; i < r->n_frame; i++) {
        const struct score_frame *b = &r->frame[i];
        if (b->request && b->from == f->from && iba_psn_eq(b->psn, f->psn))
            return (b->retry & (SCORE_KIND(RETRY_NAK) | SCORE_KIND(RETRY_RNR))) != 0;
    }
    return false;
}

bool score_takes_receive(const struct score_frame *f)
{
    const struct iba_opcode *op = &iba_opcodes[f->opcode];

    return op->operation == IBA_OPERATION_SEND ? iba_opcode_begins(op) : (op->hdrs & IBA_HDR_BIT(IBA_H_immdt)) != 0;
}

bool score_asked_first(const struct score_run *r, const struct score_sight *e)
{
    const struct score_frame *before = NULL;

    for (const struct score_sight *o = r->sight; o < e; o++) {
        const struct score_frame *g = &r->frame[o->frame];
        if (!o->seen || o->refused || !g->request || g->from != r->frame[e->frame].from)
            continue;
        if (before)
            return false;
        before = g;
    }
    return before && before->retry == SCORE_KIND(RETRY_NAK) && before->cause && r->frame[before->cause - 1].captured;
}
