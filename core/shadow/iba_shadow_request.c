/* Requests of a reliable connection: new, sent again and why, late, or behind a gap; and what waits for an answer. */
#include <string.h>
#include "shadow/iba_shadow_parts.h"

/* Less than any ACK timer in use: who comes back sooner has another reason. */
#define SOONEST_TIMEOUT_NS UINT64_C(1000000)
/* What was on its way when the NAK left: longer than a round trip of any fabric. */
#define FLIGHT_NS UINT64_C(10000000)
/* How much longer than asked for software waits. */
#define SLOW_TIMER_NS UINT64_C(50000000)
enum { MOST_LOST = 16, MOST_ID_STEP = 1024, SMALLEST_MTU = 256, LARGEST_MTU = 4096 };

struct iba_shadow_sent *iba_shadow_sent_at(struct iba_shadow_requests *q, iba_psn psn)
{
    return iba_shadow_request_at(q, psn) ? &q->sent[psn.v % IBA_SHADOW_SENT] : NULL;
}

struct iba_shadow_read *iba_shadow_read_at(struct iba_shadow_requests *q, iba_psn psn)
{
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_shadow_read *r = &q->read[i];
        const int32_t d = iba_psn_diff(psn, r->psn);
        if (r->used && d >= 0 && (uint32_t)d < (r->n ? r->n : iba_shadow_packets(r->length, SMALLEST_MTU)))
            return r;
    }
    return NULL;
}

void iba_shadow_close_read(struct iba_shadow_requests *q, uint32_t n)
{
    const iba_psn after = iba_psn_add(q->open.psn, 1), end = iba_psn_add(q->open.psn, n);
    struct iba_shadow_read *r = iba_shadow_read_at(q, q->open.psn);

    q->open.used = false;
    if (iba_psn_eq(q->high, after))
        q->high = end;
    if (iba_psn_eq(q->next, after))
        q->next = end;
    if (iba_psn_eq(q->seq, after))
        q->seq = end;
    if (r && r->n == 0)
        r->n = n;
}

/* The request behind a READ shows how many PSNs the READ took, and with that, mostly, the path MTU. */
static void resolve_open(struct iba_look *l, struct iba_shadow_requests *q)
{
    const int32_t d = iba_psn_diff(l->psn, q->open.psn);
    uint32_t fits = 0, pmtu = 0;

    if (!q->open.used || d <= 0 || l->late)
        return;
    for (uint32_t mtu = SMALLEST_MTU; mtu <= LARGEST_MTU; mtu *= 2)
        if (iba_shadow_packets(q->open.length, mtu) == (uint32_t)d) {
            fits++;
            pmtu = mtu;
        }
    const uint32_t most = iba_shadow_packets(q->open.length, SMALLEST_MTU);
    if (fits == 1)
        iba_shadow_learn_pmtu(l->s, l->flow, pmtu, false);
    else
        iba_shadow_close_read(q, (uint32_t)d < most ? (uint32_t)d : most);
}

uint32_t iba_shadow_psns(const struct iba_look *l)
{
    if (!iba_shadow_is_read(l->opcode))
        return 1;
    const uint32_t length = iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth));
    if (length <= SMALLEST_MTU)
        return 1;
    return l->flow->pmtu ? iba_shadow_packets(length, l->flow->pmtu) : 0;
}

static void begin(struct iba_look *l, struct iba_shadow_requests *q)
{
    q->any = true;
    q->first = q->high = q->next = q->seq = l->psn;
    q->message = l->op->pos == IBA_FIRST || l->op->pos == IBA_ONLY ? IBA_MESSAGE_NONE : IBA_MESSAGE_UNKNOWN;
}

/* Where the requester goes on: behind its last packet, or where answers have shown that this was no longer needed. */
static iba_psn expected(const struct iba_shadow_requests *q, iba_psn psn)
{
    if (q->answered && iba_psn_diff(q->una, q->next) > 0 && iba_psn_diff(q->una, q->high) <= 0 &&
        iba_psn_diff(psn, q->una) >= 0)
        return q->una;
    return q->next;
}

bool iba_shadow_goes_on(const struct iba_shadow_requests *q, iba_psn psn)
{
    return iba_psn_eq(psn, expected(q, psn));
}

/* By its identification the packet left before others that have come; some with this PSN or higher before it? */
static bool sent_again_though_late(const struct iba_look *l)
{
    for (unsigned i = 0; i < l->flow->n_recent; i++) {
        const struct iba_shadow_recent *r = &l->flow->recent[i];
        const uint16_t earlier = (uint16_t)(l->ip_id - r->ip_id);
        if (r->mark.frame != 0 && r->request && earlier != 0 && earlier <= MOST_ID_STEP &&
            iba_psn_diff(r->psn, l->psn) >= 0)
            return true;
    }
    return false;
}

/* What left long ago and had no effect was lost behind the capture point. */
static bool recent(const struct iba_look *l, const struct iba_shadow_reason *r)
{
    const iba_time effect = r->cause == IBA_CAUSE_RNR ? r->wait_ns + SLOW_TIMER_NS : FLIGHT_NS;

    return r->mark.frame != 0 && l->s->now.at - r->mark.at < effect;
}

static struct iba_shadow_reason *earlier_reason(const struct iba_look *l, struct iba_shadow_requests *q)
{
    for (unsigned i = 0; i < IBA_SHADOW_REASONS; i++)
        if (iba_psn_eq(q->before[i].psn, l->psn) && recent(l, &q->before[i]))
            return &q->before[i];
    return NULL;
}

bool iba_shadow_was_asked_for(const struct iba_look *l, struct iba_shadow_requests *q)
{
    return (iba_psn_eq(q->pending.psn, l->psn) && recent(l, &q->pending)) || earlier_reason(l, q);
}

/* The reason that the capture shows. A NAK makes the requester go back to its PSN, no further. */
static struct iba_shadow_reason *reason(const struct iba_look *l, struct iba_shadow_requests *q)
{
    struct iba_shadow_reason *const r = &q->pending;
    const bool now = r->cause != IBA_CAUSE_NONE && !r->served && recent(l, r);

    if (now && iba_psn_eq(l->psn, r->psn))
        return r;
    struct iba_shadow_reason *const earlier = earlier_reason(l, q);
    if (earlier)
        return earlier;
    const bool fits = r->cause == IBA_CAUSE_IMPLIED || iba_psn_diff(l->psn, r->psn) >= 0 || !l->again;
    return now && fits ? r : NULL;
}

/* A PSN that never came, soon behind a gap. */
static bool may_be_late(const struct iba_look *l, struct iba_shadow_requests *q)
{
    return q->gap.frame != 0 && l->s->now.at - q->gap.at <= l->s->cfg.late_ns && !iba_shadow_sent_at(q, l->psn) &&
           !iba_shadow_read_at(q, l->psn);
}

/* Without identifications: such a PSN, and not where requesters go back. */
static bool looks_late(const struct iba_look *l, struct iba_shadow_requests *q)
{
    const bool id_says_no = l->has_ip_id && l->flow->ip_id[IBA_REQ].trust >= 2;
    const struct iba_shadow_reason *const r = id_says_no ? NULL : reason(l, q);
    const bool asked_for = r && (r->cause == IBA_CAUSE_IMPLIED || iba_psn_eq(r->psn, l->psn));

    const int32_t ahead = iba_psn_diff(l->psn, q->next);
    const bool loses = q->run.on && ahead > 0 && ahead <= MOST_LOST; /* the run that goes on lost some, rather */

    return !id_says_no && !asked_for && !loses && ahead != 0 && may_be_late(l, q) &&
           l->s->now.at - q->last.at < SOONEST_TIMEOUT_NS && !iba_psn_eq(l->psn, q->stray) &&
           iba_psn_diff(l->psn, q->high) > -IBA_SHADOW_SENT;
}

/* A READ or ATOMIC whose missing answer may make the requester go back: of those that are not long ago, any. */
static const struct iba_shadow_read *may_lack(const struct iba_look *l, const struct iba_shadow_requests *q)
{
    for (unsigned i = 0; i < q->n_read; i++)
        if (q->read[i].used && l->s->now.at - q->read[i].mark.at < FLIGHT_NS)
            return &q->read[i];
    return NULL;
}

/* The requester goes back: what for? */
static void start_run(const struct iba_look *l, struct iba_shadow_requests *q)
{
    static const uint8_t why[] = {[IBA_CAUSE_NAK] = IBA_FINDING_RETRY_NAK,
                                  [IBA_CAUSE_RNR] = IBA_FINDING_RETRY_RNR,
                                  [IBA_CAUSE_IMPLIED] = IBA_FINDING_RETRY_IMPLIED};
    struct iba_shadow_reason *const r = reason(l, q);
    const struct iba_shadow_read *const lacks = l->again ? l->again : may_lack(l, q);

    const bool reorders = l->s->found[IBA_FINDING_LATE] > 0; /* this network, as far as seen */

    q->run.on = true;
    q->run.guess = false;
    q->run.asked = r == &q->pending || (!r && l->again);
    if (r) {
        q->run.kind = why[r->cause];
        q->run.mark = r->mark;
        q->run.guess = reorders && (r != &q->pending || may_be_late(l, q));
        if (r == &q->pending) {
            if (r->cause != IBA_CAUSE_RNR || reorders)
                iba_shadow_outdo(q); /* it may be of a run that began before: then it comes once more */
            r->served = !q->run.guess;
        }
        return;
    }
    if (l->s->now.at - q->last.at >= SOONEST_TIMEOUT_NS)
        q->run.kind = IBA_FINDING_RETRY_TIMEOUT;
    else if (lacks) { /* no NAK, too soon for a timeout: it misses the answer */
        q->run.kind = IBA_FINDING_RETRY_IMPLIED;
        q->run.mark = lacks->mark;
        q->run.guess = reorders;
    } else {
        q->run.kind = IBA_FINDING_RETRY_UNCLEAR;
        q->run.guess = true;
    }
    iba_shadow_outdo(q);
    q->pending.served = true;
}

static void tell_again(struct iba_look *l, struct iba_shadow_requests *q)
{
    const struct iba_shadow_sent *e = iba_shadow_sent_at(q, l->psn);
    const bool by_itself = q->run.kind == IBA_FINDING_RETRY_TIMEOUT || q->run.kind == IBA_FINDING_RETRY_UNCLEAR;
    const struct iba_shadow_mark *cause = by_itself ? (e ? &e->mark : NULL) : &q->run.mark;
    const struct iba_tell t = {.cause = cause, .wait_ns = cause ? l->s->now.at - cause->at : 0};

    iba_shadow_tell(l, (enum iba_finding_kind)q->run.kind, &t);
    q->repeat = l->s->now;
    /* A READ may come back for the rest only (RQ-07). */
    if (e && !iba_shadow_is_read(l->opcode) && !l->v->truncated && (e->opcode != l->opcode || e->content != l->content))
        iba_shadow_tell(l, IBA_FINDING_RETRY_CHANGED, &(struct iba_tell){.cause = &e->mark});
}

static void too_soon(struct iba_look *l, const struct iba_shadow_requests *q)
{
    const iba_time waited = l->s->now.at - q->pending.mark.at;

    if (q->pending.cause == IBA_CAUSE_RNR && !q->pending.served && waited < q->pending.wait_ns)
        iba_shadow_tell(l, IBA_FINDING_RNR_EARLY,
                        &(struct iba_tell){.cause = &q->pending.mark, .wait_ns = q->pending.wait_ns});
}

static void move(const struct iba_look *l, struct iba_shadow_requests *q, uint32_t n)
{
    const iba_psn end = iba_psn_add(l->psn, n);

    q->next = end;
    if (iba_psn_diff(end, q->high) > 0)
        q->high = end;
}

static void tell_gap(struct iba_look *l, struct iba_shadow_requests *q, uint32_t n)
{
    iba_shadow_tell(l, IBA_FINDING_GAP, &(struct iba_tell){.cause = &q->last, .count = n});
    q->gap = l->s->now;
}

/* It goes on where one that may only have been late left off, so they did go back; some between may be lost. */
static bool follows_stray(const struct iba_look *l, struct iba_shadow_requests *q)
{
    const int32_t lost = iba_psn_diff(l->psn, q->stray);

    return q->run.guess && lost >= 0 && lost <= MOST_LOST && l->s->now.at - q->last.at < SOONEST_TIMEOUT_NS &&
           (lost == 0 || (q->run.asked && !l->again && !iba_shadow_was_asked_for(l, q)));
}

/* A READ takes as many PSNs as it has answers; what goes on before those are used up counts with another path MTU. */
static bool inside_read(struct iba_look *l)
{
    const struct iba_shadow_read *r = l->again;

    if (!r || !l->flow->pmtu_sure || r->again || iba_psn_diff(l->psn, r->psn) <= 0 || iba_shadow_is_read(l->opcode) ||
        !iba_shadow_is_read(r->opcode))
        return false;
    iba_shadow_tell(l, IBA_FINDING_PSN_OF_READ, &(struct iba_tell){.cause = &r->mark, .count = r->n});
    return true;
}

/* Where the packet stands among those before it. */
static void place(struct iba_look *l, struct iba_shadow_requests *q, uint32_t n)
{
    const iba_psn next = expected(q, l->psn);
    const bool again = iba_psn_diff(l->psn, q->high) < 0;
    const bool asked_for =
        q->pending.cause != IBA_CAUSE_NONE && !q->pending.served && iba_psn_eq(l->psn, q->pending.psn);

    if (iba_psn_eq(l->psn, next))
        l->late = false; /* identifications are no better witness than PSNs in order */
    if (l->late || (again && looks_late(l, q))) {
        iba_shadow_tell(l, IBA_FINDING_LATE, NULL);
        if (l->late && sent_again_though_late(l)) {
            q->run.kind = q->run.on ? q->run.kind : (uint8_t)IBA_FINDING_RETRY_UNCLEAR;
            tell_again(l, q);
        }
        q->high = again ? q->high : iba_psn_add(l->psn, n);
        q->stray = iba_psn_add(l->psn, n);
        q->run.guess = false;
        return;
    }
    if (asked_for)
        too_soon(l, q);
    if (!again) {
        if (iba_psn_diff(l->psn, next) > 0)
            tell_gap(l, q, (uint32_t)iba_psn_diff(l->psn, next));
        q->run.on = false;
    } else {
        const bool follows = follows_stray(l, q);
        const int32_t lost = iba_psn_diff(l->psn, q->stray);
        if (follows && lost > 0)
            tell_gap(l, q, (uint32_t)lost);
        else if (!follows && iba_psn_diff(l->psn, next) > 0)
            tell_gap(l, q, (uint32_t)iba_psn_diff(l->psn, next));
        if (!follows && (asked_for || iba_psn_diff(l->psn, next) < 0 || !q->run.on))
            start_run(l, q);
        tell_again(l, q);
        q->stray = iba_psn_add(l->psn, n);
        if (q->run.guess && !follows) {
            q->run.on = false;
            return;
        }
        q->run.on = true;
        q->run.guess = false;
        if (follows) {
            iba_shadow_outdo(q);
            q->pending.served = true;
        }
    }
    move(l, q, n);
}

static bool wants_answer(const struct iba_look *l)
{
    return iba_bth_a(l->bth) || l->op->pay == IBA_PAY_NONE || l->op->pay == IBA_PAY_EIGHT;
}

static void note_ask(struct iba_look *l, struct iba_shadow_requests *q, uint32_t n)
{
    const iba_psn psn = iba_psn_add(l->psn, n - 1);

    if (!wants_answer(l))
        return;
    if (q->ask.any && iba_psn_eq(psn, q->ask.psn)) {
        q->ask.again++;
        q->ask.last = l->s->now;
    } else if (!q->ask.any || iba_psn_diff(psn, q->ask.psn) > 0) {
        q->ask.any = true;
        q->ask.again = 0;
        q->ask.psn = psn;
        q->ask.mark = q->ask.last = l->s->now;
    }
}

/* What is known of a READ from `psn` on, or of parts of it that were asked for: one entry, the others are given up. */
static struct iba_shadow_read *take_read(struct iba_shadow_requests *q, iba_psn psn, uint32_t n)
{
    struct iba_shadow_read *found = iba_shadow_read_at(q, psn);

    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_shadow_read *r = &q->read[i];
        const int32_t d = iba_psn_diff(r->psn, psn);
        if (!r->used || r == found || d < 0 || (uint32_t)d >= n)
            continue;
        if (found)
            r->used = false;
        else
            found = r;
    }
    return found;
}

/* READs and all else that is answered by more than an ACK. */
static void note_read(struct iba_look *l, struct iba_shadow_requests *q, uint32_t n)
{
    const bool read = iba_shadow_is_read(l->opcode);
    struct iba_shadow_read *r = take_read(q, l->psn, n);
    const struct iba_shadow_read before = r ? *r : (struct iba_shadow_read){.seen = l->psn};
    const bool again = r != NULL;
    /* Of two runs of answers the one that is under way. */
    const bool other = before.again && (iba_psn_eq(before.expect, before.psn) ||
                                        iba_psn_eq(before.expect, iba_psn_add(before.psn, before.n)));

    if (l->op->pay != IBA_PAY_NONE && l->op->pay != IBA_PAY_EIGHT)
        return;
    if (!r) {
        r = &q->read[q->next_read];
        q->next_read = (uint8_t)((q->next_read + 1) % IBA_SHADOW_READS);
        q->n_read = (uint8_t)(q->n_read + (q->n_read < IBA_SHADOW_READS));
    }
    *r = (struct iba_shadow_read){.mark = l->s->now,
                                  .psn = l->psn,
                                  .expect = l->psn,
                                  .older = other ? before.older : before.expect,
                                  .seen = before.seen,
                                  .hole = before.hole,
                                  .n_hole = before.n_hole,
                                  .n = n,
                                  .length = read ? iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth)) : 0,
                                  .opcode = l->opcode,
                                  .used = true,
                                  .again = again};
    if (n == 0 && !q->open.used)
        q->open = *r;
}

static void remember(struct iba_look *l, struct iba_shadow_requests *q)
{
    struct iba_shadow_sent *e = iba_shadow_sent_at(q, l->psn);
    const bool counted = e && e->counted, again = e != NULL;
    const uint32_t messages = counted ? e->messages : 0;

    e = &q->sent[l->psn.v % IBA_SHADOW_SENT];
    *e = (struct iba_shadow_sent){.mark = l->s->now,
                                  .content = l->content,
                                  .messages = messages,
                                  .psn = l->psn,
                                  .born = q->born,
                                  .opcode = l->opcode,
                                  .counted = counted,
                                  .again = again};
}

void iba_shadow_request(struct iba_look *l)
{
    struct iba_shadow_requests *q = &l->flow->rq;

    l->flow->requests++;
    iba_shadow_payload(l);
    if (!q->any)
        begin(l, q);
    /* Who sends again what it sent before may not have got the NAK. */
    if (q->fatal.frame != 0 && l->s->now.at - q->fatal.at > FLIGHT_NS && iba_psn_diff(l->psn, q->high) >= 0)
        iba_shadow_tell(l, IBA_FINDING_AFTER_FATAL, &(struct iba_tell){.cause = &q->fatal});
    resolve_open(l, q);
    l->again = iba_shadow_read_at(q, l->psn);
    const uint32_t n = iba_shadow_psns(l), least = n ? n : 1;
    if (inside_read(l)) {
        q->last = l->s->now;
        return;
    }
    place(l, q, least);
    remember(l, q);
    iba_shadow_wait_for_peer(l);
    const struct iba_shadow_read *known = iba_shadow_read_at(q, l->psn);
    const bool rest = known && !iba_psn_eq(known->psn, l->psn); /* of a READ: no message of its own */
    note_read(l, q, n);
    note_ask(l, q, least);
    if (iba_psn_eq(l->psn, q->seq) && !rest) {
        iba_shadow_message(l, q);
        q->seq = iba_psn_add(l->psn, least);
    }
    q->last = l->s->now;
}

void iba_shadow_unreliable(struct iba_look *l)
{
    struct iba_shadow_requests *q = &l->flow->rq;

    l->flow->requests++;
    iba_shadow_payload(l);
    if (!q->any)
        begin(l, q);
    const int32_t d = iba_psn_diff(l->psn, q->next);
    if (d < 0) {
        iba_shadow_tell(l, IBA_FINDING_LATE, &(struct iba_tell){.cause = &q->last});
        return;
    }
    if (d > 0) {
        iba_shadow_tell(l, IBA_FINDING_GAP, &(struct iba_tell){.cause = &q->last, .count = (uint32_t)d});
        q->message = IBA_MESSAGE_UNKNOWN;
    }
    iba_shadow_message(l, q);
    move(l, q, 1);
    q->last = l->s->now;
}
