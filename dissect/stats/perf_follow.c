/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows a sender packet by packet: which messages are outstanding, and what ended each pause. */
#include "observer/iba_finding_kinds.h"
#include "stats/perf.h"
#include "wire/iba_aeth.h"

/* A packet is back to back with the one before when the pause is not longer than 1.5 times the shortest pause for its
 * length, or than EACH_NS, which a card may need for a packet of any length, or than a step of the clock, 1 us in many
 * captures. The shortest pause slowly grows again, since clocks jitter. */
enum { STEP_NS = 1000, EACH_NS = 150, LEAST_BYTES = 256, FORGET = 256 };
enum { WARM = 4 }; /* the first messages of a connection, whose pauses show no rhythm yet */
/* After a notification the sender may be slow for this time: DCQCN raises the rate in steps of some 100 us. */
#define AFTER_CNP_NS UINT64_C(10000000)
#define BUCKET_NS UINT64_C(1000)

static unsigned class_of(uint64_t ns)
{
    const unsigned c = ns == 0 ? 0 : 64 - (unsigned)__builtin_clzll(ns);
    return c < PERF_CLASSES ? c : PERF_CLASSES - 1;
}

/* Returns the difference from the value before. */
static uint64_t note(struct perf_even *e, uint64_t value)
{
    const uint64_t before = e->n ? e->last : value, off = value > before ? value - before : before - value;

    e->n++;
    e->sum += value;
    e->off += off;
    e->last = value;
    return off;
}

static void end_run(struct perf_pace *p)
{
    p->ns = p->bytes = p->n = 0;
}

static void note_pace(struct perf_pace *p, uint64_t pause, uint32_t bytes)
{
    (void)note(&p->each, pause * 1024 / bytes);
    p->ns += pause;
    p->bytes += bytes;
    if (++p->n < PERF_RUN)
        return;
    (void)note(&p->runs, p->ns * 1024 / p->bytes);
    end_run(p);
}

static void add(struct perf_sender *s, enum perf_pause kind, uint64_t wait, uint64_t gap)
{
    struct perf_class *const to[] = {&s->sum[kind], kind < PERF_PAUSE_ANSWERED ? &s->class[kind][class_of(gap)] : NULL};

    for (unsigned i = 0; i < 2 && to[i]; i++) {
        to[i]->n++;
        to[i]->wait += wait;
        to[i]->gap += gap;
    }
}

/* ---- what is outstanding ---- */

static iba_psn psn_of(const struct packet *p)
{
    return iba_psn_of(iba_bth_psn(iba_view_bth(&p->view)));
}

static struct perf_mark *mark_at(struct perf_sender *s, unsigned i)
{
    return &s->mark[(s->head + i) % PERF_MARKS];
}

static void pass_time(struct perf_sender *s, uint64_t now)
{
    s->area_messages += (now - s->last) * s->depth;
    s->area_bytes += (now - s->last) / 1000 * s->open;
    s->last = now;
}

/* A message has ended before the next one begins, though the capture may lack its last packet, or have it later. */
static void close_before(struct perf_sender *s, iba_psn next)
{
    struct perf_mark *m = s->n_mark ? mark_at(s, s->n_mark - 1U) : NULL;

    if (!m || m->closed || iba_psn_diff(next, m->last) <= 0)
        return;
    m->last = iba_psn_add(next, IBA_PSN_MASK); /* one less */
    m->closed = true;
}

static void open_message(struct perf_sender *s, const struct perf_mark *m)
{
    close_before(s, m->first);
    if (s->n_mark == PERF_MARKS) {
        struct perf_mark *newest = mark_at(s, s->n_mark - 1U);
        newest->n++;
        newest->last = m->last;
        newest->closed = m->closed;
        newest->at = m->at;
        newest->bytes += m->bytes;
        newest->read &= m->read;
    } else
        *mark_at(s, s->n_mark++) = *m;
    s->depth++;
    s->reads += m->read;
    s->open += m->bytes;
}

static void continue_message(struct perf_sender *s, const struct packet *p, uint64_t now)
{
    if (s->n_mark == 0)
        return;
    struct perf_mark *m = mark_at(s, s->n_mark - 1U);
    const iba_psn psn = psn_of(p);
    if (iba_psn_diff(psn, m->last) <= 0) /* a packet of an older message, which the capture lacked until now */
        return;
    m->last = psn;
    m->closed = iba_opcode_ends(p->view.op);
    m->bytes += p->view.payload_len;
    m->at = now;
    s->open += p->view.payload_len;
}

static bool is_read(const struct iba_opcode *op)
{
    return op->operation == IBA_OPERATION_READ || op->operation == IBA_OPERATION_ATOMIC ||
           op->operation == IBA_OPERATION_FLUSH || op->operation == IBA_OPERATION_ATOMIC_WRITE;
}

static void note_message(struct perf_sender *s, const struct packet *p, uint64_t now)
{
    const struct iba_view *v = &p->view;
    struct perf_mark m = {.first = psn_of(p),
                          .n = 1,
                          .read = is_read(v->op),
                          .closed = iba_opcode_ends(v->op),
                          .bytes = v->payload_len,
                          .at = now};

    m.last = m.first;
    if (v->op->operation == IBA_OPERATION_READ && iba_view_has(v, IBA_H_reth)) {
        m.bytes = iba_reth_dmalen(iba_view_hdr(v, IBA_H_reth));
        if (s->d->pmtu && m.bytes) /* a READ takes a PSN for each packet of its response (RQ-03) */
            m.last = iba_psn_add(m.first, (uint32_t)((m.bytes - 1) / s->d->pmtu));
    }
    open_message(s, &m);
}

struct reply {
    iba_psn psn;
    bool whole;   /* it acknowledges the packet with this PSN, too: it is no NAK, and no part of a READ response */
    bool ends;    /* it is the last response to a READ or ATOMIC */
    bool settled; /* the sender accepted it, and did not repeat the READs that it leaves out */
};

static struct reply reply_of(const struct packet *p, bool nak)
{
    const struct iba_opcode *op = p->view.op;
    const bool read = op->operation == IBA_OPERATION_READ_RESPONSE,
               data = read || op->operation == IBA_OPERATION_ATOMIC_ACK;

    return (struct reply){
        .psn = psn_of(p), .whole = !nak && (!read || iba_opcode_ends(op)), .ends = data && iba_opcode_ends(op)};
}

static bool leaves_out(const struct perf_mark *m, const struct reply *r)
{
    return m->closed && m->read && m->n == 1 && !r->settled && iba_psn_diff(r->psn, m->last) > 0;
}

/* Whether the response completes the message. A response to a later message completes all but READs and ATOMICs. */
static bool completes(const struct perf_mark *m, const struct reply *r)
{
    const int32_t beyond = iba_psn_diff(r->psn, m->last);

    if (!m->closed || leaves_out(m, r))
        return false;
    return beyond > 0 || (beyond == 0 && (m->read && m->n == 1 ? r->ends : r->whole));
}

/* Sets the shortest time to `least`. The classes above it move, since they count from the shortest. */
static void lower(struct perf_took *t, uint64_t least)
{
    const uint64_t by = t->n == 1 ? 0 : (t->least - least) * PERF_NEAR_PART / least;

    for (unsigned i = PERF_NEAR; i-- > 0 && by > 0;)
        t->near[i] = i >= by ? t->near[i - by] : 0;
    t->least = least;
}

/* Notes the response time of the newest message that a response completes. Older ones may have waited for a response
 * that acknowledges several messages. */
static void note_took(struct perf_sender *s, const struct perf_mark *m)
{
    enum { SMALLEST = 9 }; /* bits of the length: 256 bytes; each class is four times as wide */
    const uint64_t took = s->last - m->at + 1;
    const unsigned bits = m->bytes ? 64 - (unsigned)__builtin_clzll(m->bytes) : 0;
    unsigned size = bits > SMALLEST ? (bits - SMALLEST + 1) / 2 : 0;

    if (m->n > 1 || s->repaired_at > m->at)
        return;
    size = size < PERF_SIZES ? size : PERF_SIZES - 1;
    struct perf_took *t = &s->took[size];
    t->n++;
    t->sum += took;
    if (t->n == 1 || took < t->least)
        lower(t, took);
    const uint64_t class = (took - t->least) * PERF_NEAR_PART / t->least;
    if (class < PERF_NEAR)
        t->near[class]++;
}

static void complete(struct perf_sender *s, const struct reply *r)
{
    while (s->n_mark > 0 && completes(mark_at(s, 0), r)) {
        const struct perf_mark *m = mark_at(s, 0);
        const uint64_t took = s->last - m->at + 1;
        s->quickest = s->quickest == 0 || took < s->quickest ? took : s->quickest;
        s->response_ns += took - 1;
        s->responses++;
        if (s->n_mark == 1 || !completes(mark_at(s, 1), r))
            note_took(s, m);
        s->depth -= m->n;
        s->open -= m->bytes;
        s->reads -= m->read ? m->n : 0;
        s->head = (uint8_t)((s->head + 1) % PERF_MARKS);
        s->n_mark--;
    }
    s->reads = s->n_mark ? s->reads : 0;
    if (s->n_mark == 0 || !leaves_out(mark_at(s, 0), r))
        return;
    s->unsettled = true;
    s->passed = r->whole ? iba_psn_add(r->psn, 1) : r->psn;
}

/* Completes READs and ATOMICs whose last response the capture lacks. If the sender lacks it, too, it drops responses to
 * later requests, and repeats its request (RQ-36). If it goes on, it has the response. */
static void settle(struct perf_sender *s, bool again)
{
    if (s->unsettled && !again)
        complete(s, &(struct reply){.psn = s->passed, .settled = true});
    s->unsettled = false;
}

/* ---- buckets of time ---- */

static struct perf_bucket *bucket_at(struct perf_sender *s, uint64_t now)
{
    s->bucket_ns = s->bucket_ns ? s->bucket_ns : BUCKET_NS;
    while ((now - s->first) / s->bucket_ns >= PERF_BUCKETS) {
        for (unsigned i = 0; i < PERF_BUCKETS / 2; i++) {
            s->bucket[i].bytes = s->bucket[2 * i].bytes + s->bucket[2 * i + 1].bytes;
            s->bucket[i].messages = s->bucket[2 * i].messages + s->bucket[2 * i + 1].messages;
        }
        memset(s->bucket + PERF_BUCKETS / 2, 0, sizeof s->bucket / 2);
        s->bucket_ns *= 2;
        s->n_bucket = (uint8_t)((s->n_bucket + 1) / 2);
    }
    const unsigned i = (unsigned)((now - s->first) / s->bucket_ns);
    s->n_bucket = i >= s->n_bucket ? (uint8_t)(i + 1) : s->n_bucket;
    return &s->bucket[i];
}

/* ---- pauses ---- */

static unsigned found(const struct packet *p, unsigned first, unsigned last)
{
    unsigned n = 0;

    for (unsigned i = 0; i < verdict_kept(p->verdict); i++)
        n += p->verdict->finding[i].kind >= first && p->verdict->finding[i].kind <= last;
    return n;
}
#define FOUND(p, kind) (found((p), IBA_FINDING_##kind, IBA_FINDING_##kind) > 0)

static bool is_after_cnp(const struct perf_sender *s, uint64_t now)
{
    return s->cnp_at && now - (s->cnp_at - 1) < AFTER_CNP_NS;
}

/* Whether the pause is longer than the shortest one by no more than a `part`. */
static bool is_near_fastest(const struct perf_sender *s, uint64_t pause, unsigned part)
{
    const uint64_t fastest = s->fastest * s->sent_len / 1024;

    return pause <= (s->fine ? EACH_NS : STEP_NS) || pause <= fastest + fastest / part;
}

/* Whether the packet follows back to back. After a notification, a sender that is slower by a sixteenth counts as
 * slowed down. */
enum { HALF = 2, SIXTEENTH = 16 };
static bool is_back_to_back(const struct perf_sender *s, uint64_t pause, uint64_t now)
{
    return is_near_fastest(s, pause, is_after_cnp(s, now) ? SIXTEENTH : HALF);
}

/* Whether the capture leaves open which of the two made the pause longer: a sender that is slowed down, or the network.
 * In a capture at the sender, the network has not delayed the packet yet. */
static bool is_jitter_or_slow(const struct perf_sender *s, uint64_t pause)
{
    return perf_is_at_receiver(s) && is_near_fastest(s, pause, HALF);
}

/* Whether the pause is not longer than twice the pause before, for the packet's length: then no response in the pause
 * released the packet. DCQCN halves the rate at most. */
static bool keeps_slow_pace(const struct perf_sender *s, uint64_t pause)
{
    return pause * 1024 <= 2 * s->slow_pace * s->sent_len;
}

static enum perf_pause answered_kind(const struct perf_sender *s, const struct iba_opcode *op)
{
    if (s->peak <= 1)
        return PERF_PAUSE_ONE;
    if (is_read(op) && (s->peak_reads == s->peak || s->read_messages == s->messages))
        return PERF_PAUSE_READS;
    return s->depth == 0 ? PERF_PAUSE_ALL : PERF_PAUSE_MANY;
}

/* Whether a window delays a long message between two of its packets. Most pauses in a message have another cause. At
 * the receiver, no packet shows whether the sender waits. */
static bool is_held_up(const struct perf_sender *s, uint64_t pause)
{
    enum { LONG = 8 };

    return s->answered && (perf_is_at_receiver(s) || pause * 1024 > LONG * s->fastest * s->sent_len);
}

/* Whether the sender waits for credits. A sender without credits sends one packet beyond its credits (RQ-41). A window
 * of one message more than the credits looks the same, unless a message stops after its first packet, or more was
 * outstanding before. */
static bool is_short_of_credits(const struct perf_sender *s, const struct iba_opcode *op)
{
    return s->stalled && op->operation == IBA_OPERATION_SEND && (!iba_opcode_begins(op) || s->peak < s->deepest);
}

/* Whether the packet is sent again. The capture may see it for the first time, since it can lose the first copy. But an
 * old PSN may also be a packet that others overtook. So it counts only if a NAK has asked for it, or if it comes later
 * than any packet that was overtaken. */
static bool is_sent_again(const struct perf_sender *s, const struct packet *p, uint64_t pause)
{
    const iba_psn psn = psn_of(p);
    const bool older = perf_is_reliable(s->d) && iba_psn_diff(psn, s->next) < 0;
    const bool asked = s->refused && iba_psn_diff(psn, s->asked) >= 0;

    return p->verdict->again || (older && !p->verdict->late && !FOUND(p, QP_REUSED) && (asked || pause >= PERF_FAR_NS));
}

static enum perf_pause kind_of(const struct perf_sender *s, const struct packet *p, bool again, uint64_t gap,
                               uint64_t now)
{
    const struct iba_opcode *op = p->view.op;
    const bool starts = iba_opcode_begins(op);

    if (s->rnr || FOUND(p, RETRY_RNR))
        return PERF_PAUSE_RNR;
    if (again)
        return PERF_PAUSE_AGAIN;
    if (FOUND(p, GAP) || FOUND(p, SEQUENCE))
        return PERF_PAUSE_HIDDEN;
    if (is_back_to_back(s, s->wait + gap, now))
        return PERF_PAUSE_REQUEST;
    if (FOUND(p, CREDIT_STALL) || is_short_of_credits(s, op))
        return PERF_PAUSE_CREDIT;
    if (is_after_cnp(s, now) && (!s->answered || !starts || keeps_slow_pace(s, s->wait + gap)))
        return is_jitter_or_slow(s, s->wait + gap) ? PERF_PAUSE_UNEVEN : PERF_PAUSE_CNP;
    if (!starts && !is_held_up(s, s->wait + gap))
        return PERF_PAUSE_REQUEST;
    return s->answered ? answered_kind(s, op) : PERF_PAUSE_OWN;
}

/* Notes a pause for the rhythm of the sender. */
static void note_pause(struct perf_sender *s, enum perf_pause kind, const struct packet *p, uint64_t gap, uint64_t now)
{
    const uint64_t pause = s->wait + gap;

    if (s->sent_len >= LEAST_BYTES && pause > 0 && kind <= PERF_PAUSE_REQUEST) {
        const uint64_t pace = pause * 1024 / s->sent_len;
        const bool alone = !s->answered || !iba_opcode_begins(p->view.op); /* no response released the packet */
        if (s->fastest == 0 ? alone : pace < s->fastest)
            s->fastest = pace;
        else if (!is_after_cnp(s, now) && !s->answered)
            s->fastest += (pace - s->fastest) / FORGET;
    }
    if (kind == PERF_PAUSE_CNP && s->sent_len > 0)
        s->slow_pace = (pause * 1024 + s->sent_len - 1) / s->sent_len;
    if (kind == PERF_PAUSE_REQUEST && s->sent_len >= LEAST_BYTES) {
        note_pace(&s->pace[0], pause, s->sent_len);
        (void)note(&s->pace_len, s->sent_len);
    } else
        end_run(&s->pace[0]);
    if (!iba_opcode_begins(p->view.op) || s->messages < WARM)
        return;
    if (kind > PERF_PAUSE_OWN)
        return;
    const uint64_t off = note(&s->start, now - s->started_at);
    if (kind < PERF_PAUSE_ANSWERED)
        s->evener += off < note(&s->react, gap);
}

/* Notes whether more messages are outstanding than receives were counted in the last acknowledgement (RQ-40). */
static void note_credits(struct perf_sender *s, bool sends)
{
    s->stalled = (s->stalled && !sends) || (s->limited && s->depth > s->credits);
}

static void note_sent(struct perf_sender *s, const struct packet *p, uint64_t now)
{
    const struct iba_view *v = &p->view;
    const bool again = p->verdict->again, starts = iba_opcode_begins(v->op);
    const iba_psn next = iba_psn_add(psn_of(p), 1);
    struct perf_bucket *b = bucket_at(s, now);

    s->packets++;
    s->again += again;
    s->again_bytes += again ? v->payload_len : 0;
    if (s->packets == 1 || iba_psn_diff(next, s->next) > 0 || FOUND(p, QP_REUSED))
        s->next = next;
    s->sent_at = now;
    s->sent_len = packet_len(p);
    s->inside = !iba_opcode_ends(v->op);
    if (again)
        return;
    s->messages += starts;
    s->read_messages += starts && is_read(v->op);
    b->messages += starts;
    s->bytes += v->payload_len;
    b->bytes += v->payload_len;
    s->started_at = starts ? now : s->started_at;
    if (!perf_is_reliable(s->d))
        return;
    if (starts)
        note_message(s, p, now);
    else
        continue_message(s, p, now);
    s->full += starts && s->depth > 1 && s->depth + s->deepest / 5 >= s->deepest;
    s->deepest = s->depth > s->deepest ? s->depth : s->deepest;
    s->most_open = s->open > s->most_open ? s->open : s->most_open;
}

void perf_request(struct perf_sender *s, const struct packet *p, uint64_t now)
{
    bool again = false;

    s->fine |= p->cap->ts_ns % STEP_NS != 0;
    if (s->packets == 0)
        s->first = s->last = now;
    else {
        const uint64_t gap = now - s->last;
        again = is_sent_again(s, p, s->wait + gap);
        settle(s, again);
        const enum perf_pause kind = kind_of(s, p, again, gap, now);
        add(s, kind, s->wait, gap);
        note_pause(s, kind, p, gap, now);
    }
    pass_time(s, now);
    s->repaired_at = again ? now + 1 : s->repaired_at;
    note_sent(s, p, now);
    s->wait = 0;
    s->answered = s->rnr = false;
    s->peak = s->depth;
    s->peak_reads = s->reads;
    note_credits(s, true);
}

static void note_syndrome(struct perf_sender *s, const struct packet *p)
{
    const uint8_t syndrome = iba_view_hdr(&p->view, IBA_H_aeth)[0];
    const uint8_t kind = iba_syndrome_kind(syndrome), code = iba_syndrome_code(syndrome);
    const iba_psn psn = psn_of(p);

    if (kind == IBA_AETH_ACK) {
        s->refused &= iba_psn_diff(psn, s->asked) < 0;
        s->limited = code != IBA_CREDIT_NO_LIMIT;
        s->credits = iba_credit_count(code);
    }
    if (kind == IBA_AETH_NAK) {
        s->refused = true;
        s->asked = psn;
    }
    if (kind != IBA_AETH_RNR)
        return;
    add(s, PERF_PAUSE_RNR, s->wait, 0);
    s->wait = 0;
    s->rnr = true;
    s->repaired_at = s->last + 1;
}

void perf_answer(struct perf_sender *s, const struct packet *p, uint64_t now)
{
    const struct iba_opcode *op = p->view.op;
    const bool data = op->operation == IBA_OPERATION_READ_RESPONSE, aeth = iba_view_has(&p->view, IBA_H_aeth);
    const bool nak = aeth && iba_syndrome_kind(iba_view_hdr(&p->view, IBA_H_aeth)[0]) != IBA_AETH_ACK;
    const uint64_t pause = now - s->last;

    s->answers++;
    if (s->rnr)
        add(s, PERF_PAUSE_RNR, 0, pause);
    else if (data && s->responding && !iba_opcode_begins(op)) {
        add(s, PERF_PAUSE_RESPONSE, 0, pause);
        note_pace(&s->pace[1], pause, packet_len(p) ? packet_len(p) : 1);
    } else {
        s->wait += pause;
        end_run(&s->pace[1]);
    }
    pass_time(s, now);
    s->responding = data && !iba_opcode_ends(op);
    s->answered = true;
    if (data && !p->verdict->again) {
        s->bytes += p->view.payload_len;
        bucket_at(s, now)->bytes += p->view.payload_len;
    }
    if (aeth && !s->rnr)
        note_syndrome(s, p);
    const struct reply r = reply_of(p, nak);
    complete(s, &r);
    note_credits(s, false);
}

void perf_notice(struct perf_sender *s, uint64_t now)
{
    s->cnp_at = now + 1;
}

void perf_end(struct perf_sender *s)
{
    const enum perf_pause answered = s->peak <= 1 ? PERF_PAUSE_ONE : PERF_PAUSE_ALL;

    settle(s, false);
    if (s->wait > 0)
        add(s, s->depth == 0 ? answered : PERF_PAUSE_END, s->wait, 0);
    s->wait = 0;
}

void perf_cut(struct perf_sender *s)
{
    memset(s->sum, 0, sizeof s->sum);
    memset(s->class, 0, sizeof s->class);
}
