/* SPDX-License-Identifier: BSD-2-Clause */
#include "track/cm_why.h"
#include <stdio.h>
#include "mad/iba_mad.h"

enum {
#define CM_FACT_BIT(f) BIT_##f,
    CM_FACTS(CM_FACT_BIT)
};
enum cm_fact {
#define CM_FACT(f) f = 1 << BIT_##f,
    CM_FACTS(CM_FACT)
};
enum { ANY = 0xffff, SIDR_WAIT_CODE = 20 };

const struct cm_why_info cm_whys[CM_WHY_COUNT] = {
#define CM_WHY_INFO(kind, wants, excludes, from, to, severity, sentence, clause)                                       \
    {#kind, sentence, clause, (uint8_t)IBA_##severity},
    CM_WHY_SETUP(CM_WHY_INFO) CM_WHY_END(CM_WHY_INFO)};

struct row {
    uint16_t wants, excludes, from, to; /* from, to: range of the reason of REJ, or of the status of SIDR_REP */
};
static const struct row rows[CM_WHY_COUNT] = {
#define CM_WHY_ROW(kind, wants, excludes, from, to, ...) {wants, excludes, from, to},
    CM_WHY_SETUP(CM_WHY_ROW) CM_WHY_END(CM_WHY_ROW)};

/* The time of a code, 4.096 us * 2^code (MD-69). */
static int64_t code_ns(uint8_t code)
{
    return (int64_t)4096 << code;
}

static uint16_t counts(const struct cm_connection *c)
{
    const struct cm_sent *s = c->sent;
    uint16_t f = 0;

    f |= cm_was_sent(c, CM_KEPT_REP) ? REP : 0;
    f |= cm_was_sent(c, CM_KEPT_RTU) ? RTU : 0;
    f |= cm_was_sent(c, CM_KEPT_DREQ) ? DREQ : 0;
    f |= cm_was_sent(c, CM_KEPT_DREP) ? DREP : 0;
    f |= s[CM_KEPT_REQ].n > 1 ? REQ_AGAIN : 0;
    f |= s[CM_KEPT_REP].n > 1 ? REP_AGAIN : 0;
    f |= s[CM_KEPT_DREQ].n > 1 ? DREQ_AGAIN : 0;
    return f;
}

/* The time that the active end waits for the answer to a message. It is the sum of the passive end's response time, of
 * the time of both ways, of which the ACK timeout is the longest estimate (MD-64), and of the time of an MRA (MD-68,
 * MD-69). SIDR_REQ states no times. */
static int64_t patience(const struct cm_connection *c)
{
    const int64_t asked = c->asked ? code_ns(c->more_time) : 0;

    return c->sidr ? code_ns(SIDR_WAIT_CODE) : asked + code_ns(c->cm_timeout) + code_ns(c->ack_timeout);
}

static uint16_t facts_of(const struct cm_connection *c, int64_t now_ns)
{
    const struct cm_sent *req = &c->sent[CM_KEPT_REQ], *rep = &c->sent[CM_KEPT_REP], *rtu = &c->sent[CM_KEPT_RTU];
    uint16_t f = counts(c);

    f |= c->sidr ? SIDR : 0;
    f |= c->asked ? MRA : 0;
    if (c->refused)
        f |= c->refused_by_active ? REJ | REJ_OF_ACTIVE : REJ;
    if (rep->n > 0 && req->last_ns > rep->first_ns)
        f |= REQ_AFTER_REP;
    if (rtu->n > 0 && rep->last_ns > rtu->first_ns)
        f |= REP_AFTER_RTU;
    if (now_ns - req->first_ns < patience(c) && !(c->sidr && req->n > 1))
        f |= WAITS;
    return f;
}

static enum cm_why first_that_fits(enum cm_why from, enum cm_why to, uint16_t facts, uint16_t reason)
{
    while (from < to) {
        const struct row *r = &rows[from];
        if ((facts & r->wants) == r->wants && (facts & r->excludes) == 0 && reason >= r->from && reason <= r->to)
            break;
        from++;
    }
    return from;
}

enum cm_why cm_why_setup(const struct cm_connection *c, int64_t now_ns)
{
    return first_that_fits((enum cm_why)0, CM_WHY_DREQ_UNANSWERED, facts_of(c, now_ns), c->reason);
}

enum cm_why cm_why_end(const struct cm_connection *c)
{
    return first_that_fits(CM_WHY_DREQ_UNANSWERED, CM_WHY_COUNT, counts(c), 0);
}

const char *cm_why_now(const struct cm_connection *c, int64_t now_ns)
{
    const enum cm_why end = cm_why_end(c);

    return cm_whys[end == CM_WHY_COUNT ? cm_why_setup(c, now_ns) : end].name;
}

/* ---- sentences ---- */

struct about {
    struct out *o;
    const struct cm_connection *c;
    int64_t now_ns;
};

static void say_time(const struct about *a, int64_t ns)
{
    char text[32];

    /* from here on three digits round up to 1000 */
    if (ns < 999500)
        (void)snprintf(text, sizeof text, "%.3g us", (double)ns / 1e3);
    else if (ns < 999500000)
        (void)snprintf(text, sizeof text, "%.3g ms", (double)ns / 1e6);
    else
        (void)snprintf(text, sizeof text, "%.1f s", (double)ns / 1e9);
    out_str(a->o, text);
}

static void say_end(const struct about *a, const struct cm_end *e)
{
    stat_addr_print(a->o, (enum iba_addr_kind)a->c->kind, e->addr);
}

/* Prints "3 REPs". */
static void say_count(const struct about *a, enum cm_kept k, const char *name)
{
    out_u64(a->o, a->c->sent[k].n);
    out_ch(a->o, ' ');
    out_str(a->o, name);
    if (a->c->sent[k].n != 1)
        out_ch(a->o, 's');
}

/* Prints the time from the first message of a kind to another time of the connection. */
static void say_between(const struct about *a, enum cm_kept from, int64_t to_ns)
{
    say_time(a, to_ns - a->c->sent[from].first_ns);
}

static void say_active(const struct about *a)
{
    say_end(a, &a->c->active);
}
static void say_passive(const struct about *a)
{
    say_end(a, &a->c->passive);
}
static void say_releaser(const struct about *a)
{
    say_end(a, a->c->released_by_active ? &a->c->active : &a->c->passive);
}
static void say_released(const struct about *a)
{
    say_end(a, a->c->released_by_active ? &a->c->passive : &a->c->active);
}
static void say_qp(const struct about *a)
{
    out_hex(a->o, a->c->active.qpn, 6);
}
static void say_service(const struct about *a)
{
    char owner[OWNER_BYTES];

    owner_text(owner, a->c->service_id, a->c->upper);
    if (owner[0])
        out_str(a->o, owner);
    else {
        OUT_LIT(a->o, "service ");
        out_hex(a->o, a->c->service_id, 16);
    }
}
static void say_reason(const struct about *a)
{
    const char *name = iba_value_name(a->c->sidr ? IBA_VALUES_CM_SIDR : IBA_VALUES_CM_REJECT, a->c->reason);

    out_str(a->o, a->c->sidr ? "SIDR_REP status " : "REJ reason ");
    out_u64(a->o, a->c->reason);
    if (name) {
        OUT_LIT(a->o, ", ");
        out_str(a->o, name);
    }
}
/* Prints how many REQs there were, and how many the REQ itself allows. */
static void say_reqs(const struct about *a)
{
    say_count(a, CM_KEPT_REQ, a->c->sidr ? "SIDR_REQ" : "REQ");
    if (a->c->sidr)
        return;
    OUT_LIT(a->o, " of the ");
    out_u64(a->o, a->c->cm_retries + 1u);
    OUT_LIT(a->o, " that Max CM Retries allows");
}
static void say_reps(const struct about *a)
{
    say_count(a, CM_KEPT_REP, "REP");
}
static void say_rtus(const struct about *a)
{
    say_count(a, CM_KEPT_RTU, "RTU");
}
static void say_dreqs(const struct about *a)
{
    say_count(a, CM_KEPT_DREQ, "DREQ");
}
static void say_more(const struct about *a)
{
    say_time(a, code_ns(a->c->more_time));
}
static void say_asked(const struct about *a)
{
    say_between(a, CM_KEPT_REQ, a->c->sent[CM_KEPT_REQ].last_ns);
}
static void say_since(const struct about *a)
{
    say_between(a, CM_KEPT_REQ, a->now_ns);
}
static void say_ended(const struct about *a)
{
    say_between(a, CM_KEPT_REQ, a->c->end_ns);
}
static void say_answer(const struct about *a)
{
    say_between(a, CM_KEPT_REQ, a->c->answer_ns);
}
static void say_confirmed(const struct about *a)
{
    say_between(a, CM_KEPT_REQ, a->c->sent[CM_KEPT_RTU].first_ns);
}
static void say_replied(const struct about *a)
{
    say_between(a, CM_KEPT_REP, a->c->sent[CM_KEPT_REP].last_ns);
}
static void say_releasing(const struct about *a)
{
    say_between(a, CM_KEPT_DREQ, a->c->sent[CM_KEPT_DREQ].last_ns);
}
/* Prints how long the connection lasted, since the first RTU; where the capture has no RTU, since the REP. */
static void say_lasted(const struct about *a)
{
    say_between(a,
                cm_was_sent(a->c, CM_KEPT_RTU)   ? CM_KEPT_RTU
                : cm_was_sent(a->c, CM_KEPT_REP) ? CM_KEPT_REP
                                                 : CM_KEPT_REQ,
                a->c->sent[CM_KEPT_DREQ].first_ns);
}

/* The functions that print the words in braces. */
static const struct {
    const char *word;
    void (*say)(const struct about *a);
} words[] = {{"active", say_active},
             {"passive", say_passive},
             {"releaser", say_releaser},
             {"released", say_released},
             {"qp", say_qp},
             {"service", say_service},
             {"reason", say_reason},
             {"reqs", say_reqs},
             {"reps", say_reps},
             {"rtus", say_rtus},
             {"dreqs", say_dreqs},
             {"more", say_more},
             {"asked", say_asked},
             {"since", say_since},
             {"ended", say_ended},
             {"answer", say_answer},
             {"confirmed", say_confirmed},
             {"replied", say_replied},
             {"releasing", say_releasing},
             {"lasted", say_lasted}};

static void say_word(const struct about *a, const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == n && memcmp(words[i].word, word, n) == 0)
            words[i].say(a);
}

void cm_why_print(struct out *o, enum cm_why why, const struct cm_connection *c, int64_t now_ns)
{
    const struct about a = {o, c, now_ns};

    out_room(o);
    for (const char *s = cm_whys[why].sentence; *s;) {
        const size_t n = strcspn(s, "{");
        out_mem(o, s, n);
        s += n;
        if (*s == '{') {
            const size_t word = strcspn(s + 1, "}");
            say_word(&a, s + 1, word);
            s += word + 2;
        }
    }
}
