/* What is true of each captured packet, from what was sent, what befell it, and what of that is in the capture. */
#include <string.h>
#include "score.h"

enum { PSNS = 1 << 14 };
#define RETRIES                                                                                                        \
    (SCORE_KIND(RETRY_NAK) | SCORE_KIND(RETRY_RNR) | SCORE_KIND(RETRY_IMPLIED) | SCORE_KIND(RETRY_TIMEOUT) |           \
     SCORE_KIND(RETRY_UNCLEAR))
#define AGAIN (RETRIES | SCORE_KIND(NETWORK_COPY) | SCORE_KIND(ANSWER_AGAIN) | SCORE_KIND(ACK_AGAIN))

enum have { REQUEST = 1, ACK = 2, DATA = 4, REQUEST_AGAIN = 8 };

struct stream { /* one kind of packets of one end, as far as captured */
    bool any;
    uint32_t newest;    /* frame */
    iba_psn high;       /* behind the highest PSN */
    iba_psn next;       /* behind the newest frame */
    uint8_t have[PSNS]; /* enum have, of PSNs that were captured, by distance from the first ever sent */
};
struct truth {
    struct score_run *r;
    iba_psn first[2];
    bool started[2];
    uint32_t begin;                        /* frame: the first of the capture */
    struct stream request[2], response[2]; /* by the end that sends them */
    iba_psn una[2];                        /* of the requests of that end: behind the highest that was answered */
    bool answered[2];
    iba_psn proven[2]; /* of the requests of that end: all before it was captured, or is known to be missing */
    iba_psn nak[2];    /* what the last one asks end 0 or 1 for */
    bool asked[2];
    bool untold[2]; /* of the requests of that end: a response has shown that some were not captured; nobody said so */
    uint8_t credits[2];
    bool has_credits[2];
};

static uint32_t index_of(const struct truth *t, unsigned asker, iba_psn psn)
{
    return (uint32_t)iba_psn_diff(psn, t->first[asker]) % PSNS;
}

static uint8_t sort_of(const struct score_frame *f)
{
    return f->request ? (f->retry ? REQUEST | REQUEST_AGAIN : REQUEST) : f->nak ? 0 : f->plain ? ACK : DATA;
}

static bool have(const struct truth *t, const struct stream *s, unsigned asker, iba_psn psn, uint8_t sort)
{
    return (s->have[index_of(t, asker, psn)] & sort) != 0;
}

static void take(struct truth *t, struct stream *s, unsigned asker, uint32_t id)
{
    const struct score_frame *f = &t->r->frame[id];
    const iba_psn end = iba_psn_add(f->psn, f->n);

    for (uint32_t i = 0; i < f->n; i++)
        s->have[index_of(t, asker, iba_psn_add(f->psn, i))] |= sort_of(f);
    if (!s->any || iba_psn_diff(end, s->high) > 0)
        s->high = end;
    if (!s->any || id > s->newest) {
        s->newest = id;
        s->next = end;
    }
    s->any = true;
}

/* A request ahead of what came before it, and between the two one that the capture lacks. */
static bool jumps(const struct truth *t, const struct stream *s, uint32_t id)
{
    const struct score_frame *f = &t->r->frame[id];

    for (uint32_t g = s->newest + 1; s->any && g < id; g++) {
        const struct score_frame *b = &t->r->frame[g];
        if (b->from == f->from && b->request && iba_psn_diff(b->psn, s->next) >= 0 && iba_psn_diff(b->psn, f->psn) < 0)
            return true;
    }
    return false;
}

static void of_request(struct truth *t, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    struct stream *s = &t->request[f->from];

    if (!s->any)
        t->proven[f->from] = f->psn;
    if (s->any && iba_psn_diff(f->psn, s->high) < 0)
        e->must |= f->retry;
    else
        e->may |= f->retry ? RETRIES : 0; /* its first copies were all lost before the capture: nothing shows */
    if (jumps(t, s, e->frame)) {
        const bool answered = t->answered[f->from] && iba_psn_diff(f->psn, t->una[f->from]) <= 0;
        *(answered ? &e->may : &e->must) |= SCORE_KIND(GAP);
    }
    take(t, s, f->from, e->frame);
}

/* The first answer to a READ or ATOMIC that this one passes over. */
static void passes_over(const struct truth *t, const struct stream *s, struct score_sight *e)
{
    const uint32_t id = e->frame;
    const struct score_frame *f = &t->r->frame[id];
    const unsigned asker = 1u - f->from;

    for (uint32_t g = s->any ? s->newest + 1 : t->begin; g < id; g++) {
        const struct score_frame *b = &t->r->frame[g];
        if (b->from != f->from || b->request || b->plain || b->nak || iba_psn_diff(b->psn, f->psn) >= 0)
            continue;
        const bool old = f->plain && t->answered[asker] && iba_psn_diff(f->psn, t->una[asker]) < 0;
        const bool need_not =
            f->nak || old || have(t, s, asker, b->psn, DATA); /* an earlier answer is in the capture */
        *(need_not ? &e->may : &e->must) |=
            b->read && b->read == f->read ? SCORE_KIND(RESPONSE_GAP) : SCORE_KIND(ANSWER_MISSING);
    }
}

/* Requests that arrived, and that no packet of the capture carries. */
static bool unseen_request(struct truth *t, unsigned asker, iba_psn psn)
{
    bool any = false;

    for (uint32_t i = 0; t->request[asker].any && i < t->r->n_frame; i++) {
        const struct score_frame *q = &t->r->frame[i];
        if (q->request && q->from == asker && q->accepted && iba_psn_diff(q->psn, t->proven[asker]) >= 0 &&
            iba_psn_diff(q->psn, psn) <= 0 && !have(t, &t->request[asker], asker, q->psn, REQUEST))
            any = true;
    }
    if (t->request[asker].any && iba_psn_diff(psn, t->proven[asker]) >= 0)
        t->proven[asker] = iba_psn_add(psn, 1);
    return any;
}

static void of_plain_ack(struct truth *t, struct score_sight *e, unsigned asker)
{
    const struct score_frame *f = &t->r->frame[e->frame];

    if (!t->answered[asker] || iba_psn_diff(f->psn, t->una[asker]) >= 0)
        return;
    const bool last = iba_psn_eq(iba_psn_add(f->psn, 1), t->una[asker]);
    const bool update = last && t->has_credits[asker] && t->credits[asker] != f->credits;
    e->must |= update ? SCORE_KIND(CREDIT_UPDATE) : SCORE_KIND(ACK_AGAIN);
    if (last && !update && e->found & SCORE_KIND(NETWORK_COPY)) { /* the same bytes as a copy of the last */
        e->must &= ~SCORE_KIND(ACK_AGAIN);
        e->may |= SCORE_KIND(NETWORK_COPY);
    }
}

static void of_response(struct truth *t, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    const unsigned asker = 1u - f->from;
    struct stream *s = &t->response[f->from];

    passes_over(t, s, e);
    e->must |= f->nak;
    if (f->nak) {
        t->nak[asker] = f->psn;
        t->asked[asker] = true;
    }
    if (f->plain && !f->nak)
        of_plain_ack(t, e, asker);
    else if (!f->nak && have(t, s, asker, f->psn, DATA))
        e->must |= SCORE_KIND(ANSWER_AGAIN);
    const iba_psn una = iba_psn_add(f->psn, f->nak ? 0 : 1);
    const bool unseen = unseen_request(t, asker, iba_psn_add(una, IBA_PSN_MASK));
    *(unseen ? &e->must : &e->may) |= unseen || t->untold[asker] ? SCORE_KIND(NOT_CAPTURED) : 0;
    t->untold[asker] = (unseen || t->untold[asker]) && !(e->found & SCORE_KIND(NOT_CAPTURED));
    if (!t->answered[asker] || iba_psn_diff(una, t->una[asker]) > 0)
        t->una[asker] = una;
    t->answered[asker] = true;
    if (!f->nak && f->plain) {
        t->credits[asker] = f->credits;
        t->has_credits[asker] = true;
    }
    take(t, s, asker, e->frame);
}

static void of_sight(struct truth *t, struct score_sight *e)
{
    const struct score_frame *f = &t->r->frame[e->frame];
    struct stream *s = f->request ? &t->request[f->from] : &t->response[f->from];

    if (e->refused && t->r->way != SCORE_CUT) {
        e->must |= SCORE_KIND(BAD_ICRC);
        return;
    }
    if (f->marked)
        e->must |= SCORE_KIND(ECN);
    if (e->copy) {
        e->must |= SCORE_KIND(NETWORK_COPY);
        e->may |= SCORE_KIND(ECN) | f->nak;
        e->must &= ~SCORE_KIND(ECN);
        const bool alone = !f->request && iba_opcodes[f->opcode].pos == IBA_ONLY;
        if (alone && e->found & AGAIN) { /* the same bytes, whoever made them */
            e->must &= ~SCORE_KIND(NETWORK_COPY);
            e->may |= AGAIN;
        }
    } else if (s->any && e->frame < s->newest) {
        /* What came before with that PSN, or a NAK that asks for it, makes it one sent again to an observer. */
        const bool known = have(t, s, f->request ? f->from : 1u - f->from, f->psn, sort_of(f));
        const bool asked = f->request ? t->asked[f->from] && iba_psn_eq(t->nak[f->from], f->psn)
                                      : have(t, &t->request[1 - f->from], 1u - f->from, f->psn, REQUEST_AGAIN);
        e->must |= f->nak | (known && e->found & AGAIN ? 0 : asked ? 0 : SCORE_KIND(LATE));
        e->may |= RETRIES | (known || asked ? SCORE_KIND(LATE) | AGAIN : 0);
        take(t, s, f->request ? f->from : 1u - f->from, e->frame);
    } else if (f->request)
        of_request(t, e);
    else
        of_response(t, e);
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
    for (uint32_t i = 0; i < r->n_sight; i++) { /* who was never answered was left alone */
        const struct score_frame *f = &r->frame[r->sight[i].frame];
        if (f->request && (!t.answered[f->from] || iba_psn_diff(iba_psn_add(f->psn, f->n), t.una[f->from]) > 0))
            r->sight[i].may |= SCORE_KIND(SILENCE);
    }
}
