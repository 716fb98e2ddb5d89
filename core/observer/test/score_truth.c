/* SPDX-License-Identifier: BSD-2-Clause */
/* The true findings of each captured packet. They follow from the sent packets, the faults of the network, and the
 * capture. */
#include <string.h>
#include "score.h"
#include "observer/iba_obs_state.h"
#include "wire/iba_opcode_rows.h"

/* JUMPS: after so many lawful jumps, the network is one that reorders */
enum { PSNS = 1 << 14, JUMPS = 3, ACKNOWLEDGED_NS = 30000 };
#define RETRIES                                                                                                        \
    (SCORE_KIND(RETRY_NAK) | SCORE_KIND(RETRY_RNR) | SCORE_KIND(RETRY_IMPLIED) | SCORE_KIND(RETRY_TIMEOUT) |           \
     SCORE_KIND(RETRY_UNCLEAR))

/* ASKS: a request for data; PASSED: an answer to a later request came; TWICE: a request came twice */
enum have { REQUEST = 1, ACK = 2, DATA = 4, ASKS = 8, PASSED = 16, TWICE = 32 };

struct stream { /* one kind of packets of one end, up to this point of the capture */
    bool any;
    uint32_t newest;     /* the newest frame */
    iba_psn high;        /* one past the highest PSN */
    iba_psn next;        /* one past the newest frame */
    uint8_t have[PSNS];  /* enum have, for captured PSNs, by distance from the first PSN that was ever sent */
    uint32_t asks[PSNS]; /* the frame that first asked for data at that PSN */
};
struct truth {
    struct score_run *r;
    iba_psn first[2];
    bool started[2];
    uint32_t begin;                        /* the first frame of the capture */
    struct stream request[2], response[2]; /* by the end that sends them */
    iba_psn una[2]; /* for the requests of that end: one past the highest PSN that was answered */
    bool answered[2];
    iba_psn proven[2]; /* for the requests of that end: all before this PSN are captured, or known to be missing */
    bool unseen[2];    /* a response to requests of that end showed that the capture lacks some; none came since */
    uint8_t credits[2];
    bool has_credits[2];
    struct {
        bool any, disguised;
        uint64_t mode;
        unsigned changes;
    } mode[2][2];                 /* path of the newest packet, by the end that sends it, and whether it is a request */
    struct score_sight *asked[2]; /* the newest packet that asked the other end for an answer */
    unsigned lawful[2];           /* number of that end's jumps for which all packets came in time */
    iba_time third[2];            /* time of the third such jump */
    bool ended[2];                /* the connection ended for the requests of that end, and the finding is counted */
};

static uint32_t index_of(const struct truth *t, unsigned asker, iba_psn psn)
{
    return (uint32_t)iba_psn_diff(psn, t->first[asker]) % PSNS;
}

static bool asks_data(const struct score_frame *f)
{
    return f->request && (f->opcode == IBA_RC_READ_REQUEST || iba_opcodes[f->opcode].pay == IBA_PAY_NONE);
}

static uint8_t sort_of(const struct score_frame *f)
{
    return f->request ? (asks_data(f) ? REQUEST | ASKS : REQUEST) : f->nak ? 0 : f->plain ? ACK : DATA;
}

static bool have(const struct truth *t, const struct stream *s, unsigned asker, iba_psn psn, unsigned sort)
{
    return (s->have[index_of(t, asker, psn)] & sort) != 0;
}

static void take(struct truth *t, struct stream *s, unsigned asker, uint32_t id)
{
    const struct score_frame *f = &t->r->frame[id];
    const iba_psn end = iba_psn_add(f->psn, f->n);

    for (uint32_t i = 0; i < f->n; i++) {
        const uint32_t at = index_of(t, asker, iba_psn_add(f->psn, i));
        if (asks_data(f) && !(s->have[at] & ASKS))
            s->asks[at] = id;
        s->have[at] |= f->request && (s->have[at] & REQUEST) ? TWICE : 0;
        s->have[at] |= sort_of(f);
    }
    if (!s->any || iba_psn_diff(end, s->high) > 0)
        s->high = end;
    if (!s->any || id > s->newest) {
        s->newest = id;
        s->next = end;
    }
    s->any = true;
}

/* Returns whether the request was acknowledged, so it arrived. If the capture lacks the request, NOT_CAPTURED reports
 * that already. */
static bool is_answered(const struct truth *t, const struct score_frame *f)
{
    return f->request && t->answered[f->from] && iba_psn_diff(f->psn, t->una[f->from]) < 0;
}

/* Returns whether the packet jumps over a request that the capture lacks: one sent since the last captured request, or
 * with selective repeat any request. */
static enum score_missing jumps(const struct truth *t, const struct stream *s, const struct score_sight *e)
{
    const uint32_t id = e->frame;
    const struct score_frame *f = &t->r->frame[id];
    const bool single = t->r->network == SCORE_OLDEST || t->r->network == SCORE_SELECTIVE;
    const bool all = is_answered(
        t, &(struct score_frame){.request = true, .from = f->from, .psn = iba_psn_add(f->psn, IBA_PSN_MASK)});
    enum score_missing most = SCORE_CAPTURED;

    for (uint32_t g = single && t->begin < s->newest ? t->begin : s->newest + 1; s->any && g < id; g++) {
        const struct score_frame *b = &t->r->frame[g];
        const bool beyond =
            (g > s->newest && iba_psn_diff(b->psn, s->next) >= 0) || (single && iba_psn_diff(b->psn, s->high) >= 0);
        if (b->from == f->from && b->request && beyond && iba_psn_diff(b->psn, f->psn) < 0 &&
            (all || !is_answered(t, b)))
            most = score_missing(t->r, e, g) > most ? score_missing(t->r, e, g) : most;
    }
    return most;
}

/* Requires NAK_IGNORED when a timer makes a requester go back to the PSN of a NAK. The NAK must be the newest response
 * that says something new. When the requester went back for another NAK, or may have obeyed this one late, the finding
 * may be reported or not. */
static void of_ignored(const struct truth *t, const struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const bool hidden = e->hidden & SCORE_KIND(RETRY_TIMEOUT);

    for (int64_t i = e - t->r->sight - 1; i >= 0; i--) {
        struct score_sight *o = &t->r->sight[i];
        const struct score_frame *g = &t->r->frame[o->frame];
        const bool asks = g->nak == SCORE_KIND(NAK_SEQUENCE) && iba_psn_eq(g->psn, f->psn);
        if (!o->seen || o->refused || (g->request ? g->from != f->from : g->from == f->from))
            continue;
        if (g->request && iba_psn_eq(g->psn, f->psn))
            return;
        if (!g->request && asks) {
            *(o->copy || hidden || score_was_obeyed(t->r, o->frame) ? &o->either : &o->must) |= SCORE_KIND(NAK_IGNORED);
            return;
        }
        if (!g->request && (g->nak || iba_psn_diff(g->psn, f->psn) >= 0))
            return;
    }
}

/* The capture lacks packets. An RNR NAK for the first packet of these retransmissions may be one of them, unless the
 * packet was acknowledged (RR-24). Any wait fits it: an RNR NAK asks for up to 655 ms (score_same.c). */
static bool may_be_refused(const struct truth *t, const struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];

    return t->r->mode == SCORE_LOSSY && f->run == e->frame && score_takes_receive(f) && !is_answered(t, f);
}

/* Finds the reason for a packet that is a retransmission. */
static void of_retry(const struct truth *t, struct score_sight *e, const struct stream *s)
{
    const struct score_frame *f = &t->r->frame[e->frame];

    if (!f->retry)
        return;
    const struct score_sight *const twin = score_previous_twin(t->r, e);
    if (twin && twin->hidden & SCORE_KIND(LATE) && score_comes_with_retry(t->r, twin) == e) {
        e->hidden |= f->retry | SCORE_KIND(NETWORK_COPY);
        return;
    }
    if (!asks_data(f) && t->r->mode != SCORE_CUT)
        e->must |= score_changed(t->r, f, e->frame);
    e->either |= SCORE_KIND(RETRY_UNCLEAR);               /* true of each retransmission, but less exact */
    uint64_t *const obeyed = &t->r->frame[f->run].obeyed; /* a requester goes back for one reason */
    const bool timer = f->retry == SCORE_KIND(RETRY_TIMEOUT);
    const uint64_t reasons = timer ? score_reason(t->r, e) : 0, early = reasons & SCORE_KIND(RNR_EARLY);
    *obeyed |= (reasons ^ early) | (timer && s->any ? score_paused(t->r, e, s->newest) : 0) |
               (timer && may_be_refused(t, e) ? SCORE_KIND(RETRY_RNR) : 0);
    const uint64_t obeyed_late = *obeyed;
    e->either |= obeyed_late | early;
    /* this may be the first, late */
    if (timer && !have(t, s, f->from, f->psn, REQUEST) && score_just_overtaken(t->r, e))
        e->either |= SCORE_KIND(LATE);
    /* also when no packet with that PSN or a higher one was captured: this may be the first */
    if (obeyed_late || !s->any || iba_psn_diff(f->psn, s->high) >= 0)
        e->hidden |= f->retry;
    else if (f->cause && !t->r->frame[f->cause - 1].captured) {
        e->hidden |= f->retry; /* the response that was the cause is not in the capture */
        e->either |= f->retry == SCORE_KIND(RETRY_RNR) ? SCORE_KIND(RETRY_TIMEOUT) : 0; /* nor is another cause */
        if (!have(t, s, f->from, f->psn, REQUEST))
            e->either |= SCORE_KIND(LATE); /* no packet with that PSN was captured either: this may be the first */
    } else
        e->must |= f->retry;
    if (f->retry == SCORE_KIND(RETRY_TIMEOUT) && s->any && !iba_psn_eq(f->psn, s->next))
        of_ignored(t, e);
}

/* The sender was going back, and goes on with the packet after the newest one. It sent the packets in between before.
 * Either their retransmissions are missing, or the responder has kept them, so that the sender does not repeat them
 * (score_same.c). After an RNR NAK the responder has kept none. */
static bool skips(const struct truth *t, const struct stream *s, const struct score_frame *f)
{
    const struct score_frame *before = &t->r->frame[s->newest];

    return s->any && !f->retry && before->retry && before->retry != SCORE_KIND(RETRY_RNR) &&
           !iba_psn_eq(s->next, s->high) && iba_psn_eq(f->psn, s->high);
}

/* Returns whether the request before the packet is answered, or its answer has begun. Otherwise all requests may be
 * retransmissions from before the capture. */
static bool begins(const struct truth *t, const struct stream *s, const struct score_sight *e)
{
    const unsigned from = t->r->frame[e->frame].from;

    return s->any && t->answered[from] && iba_psn_diff(t->una[from], t->r->frame[s->newest].psn) > 0 &&
           score_begins(t->r, e);
}

static void of_request(struct truth *t, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    struct stream *s = &t->request[f->from];

    if (!s->any)
        t->proven[f->from] = f->psn;
    if (!f->retry)
        t->unseen[f->from] = false;
    of_retry(t, e, s);
    const enum score_missing jump = jumps(t, s, e);
    const bool answered = t->answered[f->from] && iba_psn_diff(f->psn, t->una[f->from]) <= 0;
    if (jump != SCORE_CAPTURED)
        *(answered || jump == SCORE_UNCERTAIN                               ? &e->either
          : skips(t, s, f) || begins(t, s, e) || score_asked_first(t->r, e) ? &e->hidden
                                                                            : &e->must) |= SCORE_KIND(GAP);
    take(t, s, f->from, e->frame);
}

/* Finds jumps within the answer to one READ: a response was sent in between, and did not come. */
static void jumps_within(const struct truth *t, struct stream *s, struct score_sight *e)
{
    const uint32_t id = e->frame;
    const struct score_frame *f = &t->r->frame[id];
    const unsigned asker = 1u - f->from;

    for (uint32_t g = s->any ? s->newest + 1 : t->begin; g < id; g++) {
        const struct score_frame *b = &t->r->frame[g];
        if (b->from != f->from || b->request || b->plain || b->nak || iba_psn_diff(b->psn, f->psn) >= 0)
            continue;
        const bool within = b->read && b->read == f->read;
        const bool came = have(t, s, asker, b->psn, DATA); /* it came with an earlier answer */
        if (within)
            s->have[index_of(t, asker, b->psn)] |= PASSED;
        const enum score_missing gap = within ? score_missing(t->r, e, g) : SCORE_CAPTURED;
        if (gap != SCORE_CAPTURED)
            *(came || gap == SCORE_UNCERTAIN ? &e->either : &e->must) |= SCORE_KIND(RESPONSE_GAP);
        else if (within)
            continue;
        else if (!have(t, &t->request[asker], asker, b->psn, ASKS))
            e->hidden |= SCORE_KIND(ANSWER_MISSING); /* the request is not in the capture */
    }
}

/* Finds READs and ATOMICs before the answered request that lack some of their responses. */
static void passes_over(struct truth *t, struct stream *s, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const unsigned asker = 1u - f->from;
    const struct stream *q = &t->request[asker];
    const uint32_t end = index_of(t, asker, f->psn);
    const bool asked = !f->plain && (q->have[end] & ASKS);

    for (uint32_t i = 0; i < end; i++) {
        if (!(q->have[i] & ASKS) || (s->have[i] & DATA) || (asked && q->asks[i] == q->asks[end]))
            continue;
        if (q->asks[i] > e->frame) /* the capture has no earlier transmission, nor its answer */
            e->hidden |= SCORE_KIND(ANSWER_MISSING);
        else
            *(s->have[i] & PASSED ? &e->either : &e->must) |= SCORE_KIND(ANSWER_MISSING);
        s->have[i] |= PASSED;
    }
}

/* Returns whether requests sent before frame `id` arrived, although the capture has none of their packets. */
static bool unseen_request(struct truth *t, uint32_t id, unsigned asker, iba_psn psn)
{
    bool any = false;

    for (uint32_t i = 0; t->request[asker].any && i < id; i++) {
        const struct score_frame *q = &t->r->frame[i];
        if (q->request && q->from == asker && q->accepted && iba_psn_diff(q->psn, t->proven[asker]) >= 0 &&
            iba_psn_diff(q->psn, psn) <= 0 && !have(t, &t->request[asker], asker, q->psn, REQUEST))
            any = true;
    }
    if (t->request[asker].any && iba_psn_diff(psn, t->proven[asker]) >= 0)
        t->proven[asker] = iba_psn_add(psn, 1);
    return any;
}

/* A packet with the same bytes was sent before this one and is captured after it. Nothing distinguishes the two. */
static bool swapped(const struct truth *t, const struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const struct score_sight *end = t->r->sight + t->r->n_sight;

    for (const struct score_sight *o = e + 1; o < end; o++) {
        const struct score_frame *g = &t->r->frame[o->frame];
        if (o->seen && !o->refused && o->frame < e->frame && g->from == f->from && g->headers == f->headers &&
            g->content == f->content)
            return true;
    }
    return false;
}

static void of_plain_ack(const struct truth *t, struct score_sight *e, unsigned asker)
{
    const struct score_frame *f = &t->r->frame[e->frame];

    if (!t->answered[asker] || iba_psn_diff(f->psn, t->una[asker]) >= 0)
        return;
    const bool last = iba_psn_eq(iba_psn_add(f->psn, 1), t->una[asker]);
    const bool update = last && t->has_credits[asker] && t->credits[asker] != f->credits;
    const uint64_t kind = update ? SCORE_KIND(CREDIT_UPDATE) : SCORE_KIND(ACK_AGAIN);
    const bool never = !have(t, &t->response[f->from], asker, f->psn, ACK | DATA);
    /* nothing shows why the answer came again */
    const bool sent_once = !have(t, &t->request[asker], asker, f->psn, TWICE);
    const bool either = swapped(t, e) || (never && sent_once && !last);
    *(either ? &e->hidden : &e->must) |= kind;
    e->hidden |= either ? SCORE_KIND(LATE) : 0;
}

static void of_response(struct truth *t, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const unsigned asker = 1u - f->from;
    struct stream *s = &t->response[f->from];

    jumps_within(t, s, e);
    passes_over(t, s, e);
    /* The answer came before, and the requester asked again since. So it did not accept the answer then. */
    e->either |= f->misses && (f->plain || f->nak || iba_opcode_begins(&iba_opcodes[f->opcode]))
                     ? SCORE_KIND(ANSWER_MISSING)
                     : 0;
    e->must |= f->nak;
    if (f->plain && !f->nak)
        of_plain_ack(t, e, asker);
    else if (!f->nak && have(t, s, asker, f->psn, DATA))
        e->must |= SCORE_KIND(ANSWER_AGAIN);
    const iba_psn una = iba_psn_add(f->psn, f->nak ? 0 : 1);
    if (unseen_request(t, e->frame, asker, iba_psn_add(una, IBA_PSN_MASK))) {
        *(t->unseen[asker] ? &e->either : &e->must) |= SCORE_KIND(NOT_CAPTURED);
        t->unseen[asker] = true;
    }
    if (!t->answered[asker] || iba_psn_diff(una, t->una[asker]) > 0)
        t->una[asker] = una;
    t->answered[asker] = true;
    if (!f->nak && f->plain) {
        t->credits[asker] = f->credits;
        t->has_credits[asker] = true;
    }
    take(t, s, asker, e->frame);
}

/* The network copied the packet. A responder that gets a copied request repeats a whole answer itself. A packet that
 * was sent twice and then delayed looks the same as a network copy. Where these are possible, the finding that is true
 * in either case is required. */
static void of_copy(const struct truth *t, struct score_sight *e, const struct stream *s)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const bool late = e->frame < s->newest;
    const bool positive = !f->request && !f->nak && iba_opcodes[f->opcode].pos == IBA_ONLY;
    const bool rnr = f->nak == SCORE_KIND(RNR);

    e->either |= SCORE_KIND(ECN) | f->nak;
    if (late && !positive && score_sent_twice(t->r, s->newest, e->frame)) {
        e->must |= SCORE_KIND(LATE);
        e->hidden |= SCORE_KIND(NETWORK_COPY);
    } else if (positive) {
        e->must |= f->plain ? SCORE_KIND(ACK_AGAIN) : SCORE_KIND(ANSWER_AGAIN);
        e->hidden |= SCORE_KIND(NETWORK_COPY);
    } else if (rnr)
        e->hidden |= SCORE_KIND(NETWORK_COPY);
    else
        e->must |= SCORE_KIND(NETWORK_COPY);
    e->either |= late ? SCORE_KIND(LATE) : 0;
}

/* Returns whether a packet with a later PSN was sent after this one and captured before it. Otherwise this packet may
 * be the later one. */
static bool shows_late(const struct truth *t, const struct stream *s, uint32_t id)
{
    const struct score_frame *f = &t->r->frame[id];

    for (uint32_t g = id + 1; g <= s->newest; g++) {
        const struct score_frame *b = &t->r->frame[g];
        if (b->captured && b->from == f->from && b->request == f->request && iba_psn_diff(b->psn, f->psn) > 0)
            return true;
    }
    return false;
}

/* An engine does not change its path. Only damage changes a field that shows the path, and the next packet has the old
 * value again. */
static void of_path(struct truth *t, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const unsigned from = f->from, request = f->request;

    if (t->mode[from][request].any && t->mode[from][request].mode != e->mode &&
        t->mode[from][request].changes++ < IBA_OBS_ROUTES)
        *(t->mode[from][request].disguised ? &e->either : &e->must) |= SCORE_KIND(PATH_CHANGED);
    t->mode[from][request].any = true;
    t->mode[from][request].mode = e->mode;
    t->mode[from][request].disguised = e->disguised;
}

/* ---- fabrics that reorder, and adapters that wait for overtaken packets ---- */

#define LOSSES (SCORE_KIND(GAP) | SCORE_KIND(RESPONSE_GAP) | SCORE_KIND(ANSWER_MISSING))

/* Returns whether the packet is a retransmission, answers one, or will be sent again because the receiver refused it or
 * an earlier packet. */
static bool is_repeated(const struct truth *t, uint32_t id)
{
    const struct score_frame *f = &t->r->frame[id];

    if (!f->request)
        return score_answers_again(t->r, id) || have(t, &t->request[1 - f->from], 1u - f->from, f->psn, TWICE);
    return f->retry || score_is_asked_for(t->r, id);
}

/* Returns whether nothing shows that the capture lacks this packet when another one jumps over it. That holds for an
 * acknowledgement, since one may acknowledge many requests (RR-09), and for a request that was acknowledged before. */
static bool leaves_no_trace(const struct truth *t, const struct score_frame *f)
{
    return (f->plain && !f->nak) || is_answered(t, f);
}

/* The packet overtakes earlier packets that are not captured yet. No loss is required when all of them come while their
 * receiver waits for them. When they come, but the receiver waits for another one that does not, a loss may be reported
 * or not. */
static void of_overtaking(struct truth *t, struct score_sight *e, uint32_t from)
{
    struct score_run *r = t->r;
    const struct score_frame *f = &r->frame[e->frame];
    const bool jumps = (e->must & LOSSES) || (e->hidden & SCORE_KIND(GAP));
    const bool unclear = f->in_vain || is_repeated(t, e->frame) || (f->request && !t->response[f->from].any);
    bool any = false, all = true;

    for (uint32_t g = from; g < e->frame; g++)
        if (score_is_overtaken(r, e, g)) {
            const bool later = score_comes_later(r, e, g);
            any |= later;
            all &= later || leaves_no_trace(t, &r->frame[g]);
        }
    for (uint32_t g = from; g < e->frame; g++)
        if (score_is_overtaken(r, e, g))
            r->frame[g].overtaken = !all ? SCORE_SHOWN : unclear ? SCORE_UNCLEAR : SCORE_LAWFUL;
    if (!any || !all)
        return;
    e->either |= unclear ? (e->must | e->hidden) & LOSSES : 0;
    e->must &= ~LOSSES;
    e->hidden &= ~SCORE_KIND(GAP);
    t->lawful[f->from] += jumps && !unclear;
    if (jumps && !unclear && t->lawful[f->from] == JUMPS)
        t->third[f->from] = e->at;
    e->jump = !jumps ? SCORE_SHOWN : unclear ? SCORE_UNCLEAR : SCORE_LAWFUL;
}

/* Before the network is known to reorder, a late packet that fills no gap may be reported as LATE or not. Nor does the
 * capture show what became of the packets around one that was sent before it began (score_same.c). */
static void of_overtaken(const struct truth *t, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const bool known = t->lawful[f->from] >= JUMPS && e->at - t->third[f->from] >= ACKNOWLEDGED_NS;

    if (f->overtaken == SCORE_SHOWN && e->frame >= t->begin)
        return;
    e->must &= ~SCORE_KIND(LATE);
    e->hidden &= ~SCORE_KIND(LATE);
    e->either |= f->overtaken != SCORE_LAWFUL || (f->plain && !known) ? SCORE_KIND(LATE) : 0;
}

/* The acknowledgements decide which jump shows that the packets of an end overtake each other. Exactly one of the jumps
 * must be reported as REORDERED. It covers late acknowledgements before it, too: no receiver waits for them. */
static void of_order(struct score_run *r, unsigned from)
{
    struct score_sight *chosen = NULL;
    unsigned lawful = 0, jumps = 0;

    for (struct score_sight *e = r->sight; e < r->sight + r->n_sight; e++) {
        if (r->frame[e->frame].from != from || e->jump == SCORE_SHOWN)
            continue;
        jumps++;
        lawful += e->jump == SCORE_LAWFUL;
        if (!chosen || (e->found & SCORE_KIND(REORDERED) && !(chosen->found & SCORE_KIND(REORDERED))))
            chosen = e;
    }
    if (jumps >= JUMPS)
        *(lawful >= JUMPS ? &chosen->must : &chosen->either) |= SCORE_KIND(REORDERED);
    for (struct score_sight *e = r->sight; lawful >= JUMPS && e < r->sight + r->n_sight; e++) {
        const struct score_frame *f = &r->frame[e->frame];
        const uint64_t late = f->from == from && f->plain && !f->nak ? SCORE_KIND(LATE) : 0;
        e->either |= e->must & late;
        e->must &= ~late;
    }
}

/* The packet comes after packets that its end sent later, so it is late. */
static void of_late(struct truth *t, struct score_sight *e, struct stream *s)
{
    struct score_frame *f = &t->r->frame[e->frame];

    /* The packet has the same bytes as an earlier answer. The capture does not show which of the two was sent first. It
     * does not show either whether this packet was sent late, for a copy of its request, or came late. */
    const bool only = !f->request && !f->nak && iba_opcodes[f->opcode].pos == IBA_ONLY;
    const bool same = only && have(t, s, 1u - f->from, f->psn, f->plain ? ACK : DATA);
    /* Before the first answer, nothing shows how soon the sender may have sent the packet again. Where a READ was sent
     * before the capture, nothing shows how often. */
    const bool starts = iba_opcode_begins(&iba_opcodes[f->opcode]);
    const bool unasked =
        sort_of(f) == DATA && starts && !have(t, &t->request[1u - f->from], 1u - f->from, f->psn, ASKS);
    const struct score_sight *const twin = f->request ? score_comes_with_retry(t->r, e) : NULL;
    const bool shows = shows_late(t, s, e->frame) && !unasked && !twin && (!f->request || t->response[f->from].any);
    const uint64_t again = f->plain ? SCORE_KIND(ACK_AGAIN) : SCORE_KIND(ANSWER_AGAIN);
    e->must |= f->nak | (same ? again : shows ? SCORE_KIND(LATE) : 0);
    e->hidden |= SCORE_KIND(LATE) | (twin ? t->r->frame[twin->frame].retry : 0);
    e->either |= f->request && !t->response[f->from].any ? RETRIES : 0;
    /* These findings are true of a late packet, too. */
    e->either |= f->plain && !f->nak ? SCORE_KIND(ACK_AGAIN) : 0;
    e->either |= !f->request && have(t, s, 1u - f->from, f->psn, DATA) ? SCORE_KIND(ANSWER_AGAIN) : 0;
    e->either |= f->retry ? f->retry | SCORE_KIND(RETRY_UNCLEAR) : 0;
    take(t, s, f->request ? f->from : 1u - f->from, e->frame);
    if (t->r->network == SCORE_REORDERING)
        of_overtaken(t, e);
}

static void of_sight(struct truth *t, struct score_sight *e)
{
    struct score_frame *f = &t->r->frame[e->frame];
    struct stream *s = f->request ? &t->request[f->from] : &t->response[f->from];

    if (e->disguised) {
        of_path(t, e);
        e->must = 0;
        e->either = UINT64_MAX;
        return;
    }
    f->captured = true;
    if (e->refused && t->r->mode != SCORE_CUT) {
        e->must |= SCORE_KIND(BAD_ICRC);
        return;
    }
    of_path(t, e);
    e->must |= t->ended[1 - f->from] ? 0 : f->ends;
    t->ended[1 - f->from] |= f->ends != 0;
    if (f->asks)
        t->asked[f->from] = e;
    if (f->marked)
        e->must |= SCORE_KIND(ECN);
    if (e->copy) {
        e->must &= ~SCORE_KIND(ECN);
        of_copy(t, e, s);
        return;
    }
    if (s->any && e->frame < s->newest) {
        of_late(t, e, s);
        return;
    }
    const uint32_t from = s->any ? s->newest + 1 : t->begin;
    if (f->request)
        of_request(t, e);
    else
        of_response(t, e);
    if (t->r->network == SCORE_REORDERING)
        of_overtaking(t, e, from);
}

void score_truth(struct score_run *r)
{
    static struct truth t;

    memset(&t, 0, sizeof t);
    t.r = r;
    for (uint32_t i = 0; i < r->n_frame; i++) {
        const struct score_frame *f = &r->frame[i];
        if (f->request && !t.started[f->from]) {
            t.started[f->from] = true;
            t.first[f->from] = f->psn;
        }
    }
    for (uint32_t i = r->n_sight; i-- > 0;)
        t.begin = r->sight[i].seen ? r->sight[i].frame : t.begin;
    for (uint32_t i = 0; i < r->n_sight; i++)
        if (r->sight[i].seen)
            of_sight(&t, &r->sight[i]);
    for (unsigned i = 0; i < 2; i++)
        of_order(r, i);
    for (unsigned i = 0; i < 2; i++)
        if (r->gave_up[i] && t.asked[i])
            t.asked[i]->must |= SCORE_KIND(END_RETRIES);
    for (uint32_t i = 0; i < r->n_sight; i++) { /* a request that was never answered may be reported as SILENCE */
        const struct score_frame *f = &r->frame[r->sight[i].frame];
        if (f->request && (!t.answered[f->from] || iba_psn_diff(iba_psn_add(f->psn, f->n), t.una[f->from]) > 0))
            r->sight[i].either |= SCORE_KIND(SILENCE);
    }
}
