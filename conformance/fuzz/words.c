/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that the grammar cannot express, because they depend on earlier packets. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "making.h"
#include "wire/iba_mtu.h"

enum { OFTEN = 4 };
struct place { /* buffer for the text of a word */
    char *out;
    size_t room;
};

static void __attribute__((format(printf, 2, 3))) put(struct place *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(p->out, p->room, format, args);
    va_end(args);
}

static uint32_t packets_of(const struct making *m, uint32_t bytes)
{
    return iba_mtu_packets(bytes, m->pmtu);
}

/* ---- numbers ---- */

static uint32_t length(struct making *m, uint32_t most)
{
    static const uint32_t edges[] = {0, 1, 2, 3, 4, 7, 8, 8, 16, 64};

    if (making_one_in(m, 2))
        return edges[making_below(m, sizeof edges / sizeof *edges)];
    return making_one_in(m, 3) ? most - making_below(m, 2) : making_below(m, most + 1);
}

static void w_next(struct making *m, struct place *p)
{
    put(p, "%u", m->next++);
}

static void w_now(struct making *m, struct place *p)
{
    put(p, "%u", m->next);
}

static void w_old(struct making *m, struct place *p)
{
    put(p, "%u", making_below(m, m->next + 1));
}

static void w_ahead(struct making *m, struct place *p)
{
    put(p, "%u", m->next + 1 + making_below(m, 3));
}

static void w_wild(struct making *m, struct place *p)
{
    put(p, "%u", m->next ^ 0x800000);
}

static void w_gap(struct making *m, struct place *p)
{
    put(p, "%s", "");
    m->next++;
}

static void w_anew(struct making *m, struct place *p)
{
    put(p, "%s", "");
    m->next = 0;
    m->n_open = m->answered = m->msn = m->read_done = 0;
}

static void w_mtu(struct making *m, struct place *p)
{
    put(p, "%u", m->pmtu);
}

static void w_len(struct making *m, struct place *p)
{
    put(p, "%u", length(m, m->pmtu));
}

static void w_long(struct making *m, struct place *p)
{
    put(p, "%u", length(m, 3 * m->pmtu));
}

/* Writes the length of a READ whose PSN was the last one, and skips the PSNs of its responses. */
static void w_span(struct making *m, struct place *p)
{
    const uint32_t n = length(m, 3 * m->pmtu);

    m->next += packets_of(m, n) - 1;
    put(p, "%u", n);
}

/* Writes an offset in a region, now and then at the end of the region. */
static void w_place(struct making *m, struct place *p)
{
    put(p, "%u", making_one_in(m, 4 * OFTEN) ? MAKING_REGION - making_below(m, m->pmtu) : 8 * making_below(m, 512));
}

static void w_psn0(struct making *m, struct place *p)
{
    put(p, "0x%06x",
        making_one_in(m, 2)   ? 0xfffff8 + making_below(m, 8)
        : making_one_in(m, 4) ? 0
                              : making_below(m, 1 << 24));
}

static void w_u16(struct making *m, struct place *p)
{
    put(p, "0x%04x", making_below(m, 1 << 16));
}

static void w_u20(struct making *m, struct place *p)
{
    put(p, "0x%05x", making_below(m, 1 << 20));
}

static void w_u32(struct making *m, struct place *p)
{
    put(p, "0x%08x", (uint32_t)iba_random_next(&m->r));
}

static void w_u64(struct making *m, struct place *p)
{
    put(p, "0x%016" PRIx64, iba_random_next(&m->r));
}

static void w_id(struct making *m, struct place *p)
{
    put(p, "%u", ++m->ids);
}

/* ---- packets that depend on each other ---- */

/* Repeats an earlier packet. */
static void w_again(struct making *m, struct place *p)
{
    unsigned n = 0, chosen = 0;

    for (unsigned i = 0; i < m->c->n; i++)
        if (m->c->input[i][0] == '>' && making_one_in(m, ++n))
            chosen = i;
    put(p, "%s", n ? m->c->input[chosen] : "");
}

/* Writes a message of several packets; now and then one of them is left out, or of another kind. */
static void w_message(struct making *m, struct place *p)
{
    const bool write = making_one_in(m, 2), imm = making_one_in(m, 3);
    const uint32_t n = 2 + making_below(m, 3), last = 1 + making_below(m, m->pmtu), at = 8 * making_below(m, 256);
    const uint32_t skip = making_one_in(m, OFTEN) ? making_below(m, n) : n;
    size_t used = 0;

    p->out[0] = '\0';
    for (uint32_t i = 0; i < n && used + 200 < p->room; i++) {
        const char *where = i == 0 ? "FIRST" : i + 1 < n ? "MIDDLE" : imm ? "LAST_IMM" : "LAST";
        const bool other = making_one_in(m, 3 * OFTEN);
        char reth[80] = "";
        if (write != other && i == 0)
            snprintf(reth, sizeof reth, " va=m+%u dmalen=%u", at, (n - 1) * m->pmtu + last);
        if (i != skip) {
            /* drawn one after the other, since compilers differ in the order in which they evaluate arguments */
            const bool shorter = i + 1 < n && making_one_in(m, 4 * OFTEN), asks = i + 1 == n || making_one_in(m, 3);
            used += (size_t)snprintf(
                p->out + used, p->room - used, "> a %s_%s psn=+%u ackreq=%u%s payload=%u%s{spoil?}\n",
                write != other ? "WRITE" : "SEND", where, m->next, asks, reth, i + 1 < n ? m->pmtu : last,
                shorter             ? "-1"
                : i + 1 == n && imm ? " imm={u32}"
                                    : "");
        }
        if (i != skip || making_one_in(m, 2))
            m->next++;
    }
}

/* ---- requests of the device, and responses to them ---- */

static void w_post(struct making *m, struct place *p)
{
    static const struct {
        const char *op;
        uint64_t needs;
        bool read, atomic;
        const char *words;
    } ops[] = {
        {"SEND", 0, false, false, "{local}"},
        {"SEND_IMM", 0, false, false, "{local} imm={u32}"},
        {"SEND_INV", FUZZ_CAP(send_inv), false, false, "{local} inv={u32}"},
        {"WRITE", FUZZ_CAP(write), false, false, "{local}{remote}"},
        {"WRITE_IMM", FUZZ_CAP(write), false, false, "{local}{remote} imm={u32}"},
        {"READ", FUZZ_CAP(read), true, false, "{local}{remote}"},
        {"READ", FUZZ_CAP(read), true, false, "{local}{remote}"},
        {"CMP_SWAP", FUZZ_CAP(atomic), false, true, "{remote8} cmp={u64} swap={u64} at=l+{0..4000}"},
        {"FETCH_ADD", FUZZ_CAP(atomic), false, true, "{remote8} add={u64} at=l+{0..4000}"},
        {"FLUSH", FUZZ_CAP(persistent), true, false, "{remote} placement={1|2|3} selectivity={0|1|2}"},
        {"ATOMIC_WRITE", FUZZ_CAP(atomic_write), true, true, "{remote8}"},
    };
    const unsigned k = making_below(m, sizeof ops / sizeof *ops);
    const bool flush = strcmp(ops[k].op, "FLUSH") == 0, eight = ops[k].atomic;
    struct making_request q = {
        .len = eight ? 8 : length(m, 3 * m->pmtu), .read = ops[k].read, .atomic = eight && !ops[k].read};

    put(p, "%s", "");
    if (m->n_open == MAKING_OPEN || (ops[k].needs & ~m->may->caps))
        return;
    m->needs |= ops[k].needs;
    q.psn = m->next;
    q.psns = flush ? 1 : packets_of(m, q.len);
    if (flush || (eight && q.read))
        q.len = 0; /* answered by a READ response without data */
    m->next += q.psns;
    m->open[m->n_open++] = q;
    put(p, "  a post %s len=%u id={id} %s{flags?}", ops[k].op, flush ? 64 : eight ? 8 : q.len, ops[k].words);
}

/* Writes the next response of the current READ. */
static void read_response(struct making *m, const struct making_request *q, struct place *p)
{
    const uint32_t i = m->read_done++;
    const bool first = i == 0, last = i + 1 == q->psns;
    const char *where = first && last ? "ONLY" : first ? "FIRST" : last ? "LAST" : "MIDDLE";
    const uint32_t n = last ? q->len - i * m->pmtu : m->pmtu;
    char aeth[48] = "";

    m->msn += last;
    if (first || last)
        snprintf(aeth, sizeof aeth, " syndrome=ack{credit} msn=%u", m->msn);
    const bool spoilt = making_one_in(m, 3 * OFTEN), longer = making_one_in(m, 4 * OFTEN);
    put(p, "> a READ_RESP_%s psn=+%u%s payload=%u%s", where, q->psn + i, aeth, n + longer, spoilt ? "{spoil}" : "");
    m->answered += last;
    m->read_done = last ? 0 : m->read_done;
}

static void w_answer(struct making *m, struct place *p)
{
    const struct making_request *q = &m->open[m->answered];

    if (m->answered == m->n_open) {
        w_post(m, p);
        return;
    }
    if (q->read) {
        read_response(m, q, p);
        return;
    }
    m->answered++;
    m->msn++;
    if (q->atomic)
        put(p, "> a ATOMIC_ACKNOWLEDGE psn=+%u syndrome=ack{credit} msn=%u orig=%u{spoil?}", q->psn, m->msn,
            making_below(m, 100));
    else
        put(p, "> a ACKNOWLEDGE psn=+%u syndrome=ack{credit} msn=%u{spoil?}", q->psn + q->psns - 1, m->msn);
}

/* Acknowledges all outstanding requests at once. */
static void w_all(struct making *m, struct place *p)
{
    put(p, "%s", "");
    if (m->answered == m->n_open)
        return;
    m->msn += m->n_open - m->answered;
    m->answered = m->n_open;
    m->read_done = 0;
    put(p, "> a ACKNOWLEDGE psn=+%u syndrome=ack{credit} msn=%u", m->next - 1, m->msn);
}

/* Writes a refusal, mostly of the oldest outstanding request. */
static void w_refusal(struct making *m, struct place *p)
{
    const uint32_t from = m->answered < m->n_open ? m->open[m->answered].psn : m->next;

    put(p, "> a ACKNOWLEDGE psn=+%u syndrome={rnr:{rnr}|rnr:{rnr}|nak:{0..4}|nak:0|nak:{0..31}} msn=%u{spoil?}",
        from + (making_one_in(m, 3) && m->next > from ? making_below(m, m->next - from) : 0), m->msn);
}

/* Repeats a refusal more often than the retry count allows. */
static void w_storm(struct making *m, struct place *p)
{
    const uint32_t psn = m->answered < m->n_open ? m->open[m->answered].psn : m->next, n = 2 + making_below(m, 7);
    const char *syndrome = making_one_in(m, 3) ? "nak:0" : "rnr:1";
    size_t used = 0;

    p->out[0] = '\0';
    for (uint32_t i = 0; i < n && used < p->room; i++)
        used += (size_t)snprintf(p->out + used, p->room - used, "> a ACKNOWLEDGE psn=+%u syndrome=%s msn=%u\n", psn,
                                 syndrome, m->msn);
}

static void w_bad_answer(struct making *m, struct place *p)
{
    static const char *const op[] = {"ACKNOWLEDGE",      "ACKNOWLEDGE",     "ACKNOWLEDGE",       "READ_RESP_ONLY",
                                     "READ_RESP_MIDDLE", "READ_RESP_FIRST", "ATOMIC_ACKNOWLEDGE"};
    const char *name = op[making_below(m, sizeof op / sizeof *op)];
    const uint32_t reach = m->next + 3, from = m->answered < m->n_open ? m->open[m->answered].psn : 0;
    const uint32_t psn = making_one_in(m, 2) ? making_below(m, reach) : from;

    if (strcmp(name, "READ_RESP_MIDDLE") == 0)
        put(p, "> a %s psn=+%u payload=%u", name, psn, m->pmtu);
    else
        put(p, "> a %s psn=+%u syndrome={ack|ack:{0..31}|nak:{0..31}|rnr:{rnr}|0x40} msn=%u%s", name, psn,
            m->msn + making_below(m, 3), name[0] == 'R' ? " payload=8" : "");
}

bool making_word(struct making *m, const char *name, size_t len, char *out, size_t room)
{
    static const struct {
        const char *name;
        void (*does)(struct making *m, struct place *p);
    } words[] = {
        {"next", w_next},   {"now", w_now},
        {"old", w_old},     {"ahead", w_ahead},
        {"wild", w_wild},   {"gap", w_gap},
        {"anew", w_anew},   {"mtu", w_mtu},
        {"len", w_len},     {"long", w_long},
        {"span", w_span},   {"place", w_place},
        {"psn0", w_psn0},   {"u16", w_u16},
        {"u20", w_u20},     {"u32", w_u32},
        {"u64", w_u64},     {"id", w_id},
        {"again", w_again}, {"message", w_message},
        {"post", w_post},   {"answer", w_answer},
        {"all", w_all},     {"refusal", w_refusal},
        {"storm", w_storm}, {"bad_answer", w_bad_answer},
    };
    struct place p = {out, room};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(words[i].name, name, len) == 0 && words[i].name[len] == '\0') {
            words[i].does(m, &p);
            return true;
        }
    return false;
}
