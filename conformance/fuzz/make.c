/* What the tester does: mostly what a good peer would, now and then one thing wrong. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "fuzz.h"
#include "sim/iba_random.h"

enum { REGION = 65536, OFTEN = 4, MOST_OPEN = FUZZ_INPUTS };

struct request { /* of the device's, as far as a peer knows of it */
    uint32_t psn, psns, len;
    bool read, atomic;
};
struct making {
    struct fuzz_case *c;
    struct iba_random r;
    uint32_t pmtu;
    uint32_t next; /* PSN of the next request, from the first */
    /* the device's requests */
    struct request open[MOST_OPEN];
    unsigned n_open, answered;
    uint32_t msn, read_done; /* read_done: responses given of the READ at hand */
};

static uint32_t below(struct making *m, uint32_t n)
{
    return (uint32_t)iba_random_below(&m->r, n);
}

static bool one_in(struct making *m, uint32_t n)
{
    return below(m, n) == 0;
}

static void __attribute__((format(printf, 2, 3))) say(struct making *m, const char *format, ...)
{
    va_list args;

    if (m->c->n == FUZZ_INPUTS)
        return;
    va_start(args, format);
    (void)vsnprintf(m->c->input[m->c->n++], FUZZ_LINE, format, args);
    va_end(args);
}

/* ---- one thing wrong ---- */

/* Words behind a request that make it wrong in one way; mostly none. */
static const char *spoiled(struct making *m, bool remote)
{
    static const char *const any[] = {" icrc=bad", " tver=1", " pkey=0x1234", " from=stranger",  " migreq=0",
                                      " se=1",     " fecn=1", " becn=1",      " destqp=a.qpn^1", " pad_byte=7"};
    static const char *const key[] = {" rkey=m.rkey^1", " rkey=m.rkey^0x100", " rkey=0"};
    enum { ANY = sizeof any / sizeof *any, KEY = sizeof key / sizeof *key };

    if (!one_in(m, 2 * OFTEN))
        return "";
    return remote && one_in(m, 2) ? key[below(m, KEY)] : any[below(m, ANY)];
}

static uint32_t length(struct making *m, uint32_t most)
{
    static const uint32_t edges[] = {0, 1, 2, 3, 4, 7, 8};

    if (one_in(m, 3))
        return edges[below(m, sizeof edges / sizeof *edges)];
    return one_in(m, 3) ? most - below(m, 2) : below(m, most + 1);
}

/* ---- requests to the device ---- */

/* Where in the region `n` bytes are; now and then they are not. */
static uint32_t place(struct making *m, uint32_t n)
{
    return one_in(m, 4 * OFTEN) ? REGION - below(m, n + 1) : below(m, REGION - n);
}

static void send_only(struct making *m)
{
    say(m, "> a %s psn=+%u ackreq=%u payload=%u%s", one_in(m, 3) ? "SEND_ONLY_IMM" : "SEND_ONLY", m->next,
        !one_in(m, OFTEN), length(m, m->pmtu + one_in(m, 2 * OFTEN)), spoiled(m, false));
    m->next++;
}

static void write_only(struct making *m)
{
    const uint32_t n = length(m, m->pmtu);
    const bool lies = one_in(m, 2 * OFTEN);

    say(m, "> a %s psn=+%u ackreq=%u va=m+%u payload=%u%s", one_in(m, 3) ? "WRITE_ONLY_IMM" : "WRITE_ONLY", m->next,
        !one_in(m, OFTEN), below(m, REGION - m->pmtu), n,
        lies ? one_in(m, 2) ? " dmalen=5" : " dmalen=0" : spoiled(m, true));
    m->next++;
}

/* A message of several packets; now and then one of them is left out, or of another kind. */
static void message(struct making *m)
{
    const bool write = one_in(m, 2);
    const uint32_t n = 2 + below(m, 3), last = 1 + below(m, m->pmtu), at = place(m, 5 * m->pmtu);
    const uint32_t skip = one_in(m, OFTEN) ? below(m, n) : n;

    for (uint32_t i = 0; i < n; i++) {
        const char *where = i == 0 ? "FIRST" : i + 1 < n ? "MIDDLE" : "LAST";
        const bool other = one_in(m, 3 * OFTEN);
        char reth[64] = "";
        if (write && i == 0)
            snprintf(reth, sizeof reth, " va=m+%u dmalen=%u", at, (n - 1) * m->pmtu + last);
        if (i != skip)
            say(m, "> a %s_%s psn=+%u ackreq=%u%s payload=%u%s", write != other ? "WRITE" : "SEND", where, m->next,
                i + 1 == n || one_in(m, 3), write != other ? reth : "",
                i + 1 < n ? m->pmtu - one_in(m, 4 * OFTEN) : last, spoiled(m, write != other && i == 0));
        if (i != skip || one_in(m, 2))
            m->next++;
    }
}

static void read_request(struct making *m)
{
    const uint32_t n = length(m, 3 * m->pmtu);

    say(m, "> a READ_REQUEST psn=+%u ackreq=1 va=m+%u dmalen=%u%s", m->next, place(m, 3 * m->pmtu), n,
        spoiled(m, true));
    m->next += n ? (n + m->pmtu - 1) / m->pmtu : 1;
}

static void atomic(struct making *m)
{
    const uint32_t at = 8 * below(m, 8) + one_in(m, 2 * OFTEN);

    if (one_in(m, 2))
        say(m, "> a CMP_SWAP psn=+%u ackreq=1 va=m+%u cmp=%u swap=0x%" PRIx64 "%s", m->next, at, below(m, 3),
            iba_random_next(&m->r), spoiled(m, true));
    else
        say(m, "> a FETCH_ADD psn=+%u ackreq=1 va=m+%u add=%u%s", m->next, at, below(m, 1000), spoiled(m, true));
    m->next++;
}

/* What was sent before comes again, as it was or elsewhere in the sequence. */
static void again(struct making *m)
{
    if (m->c->n > 0)
        say(m, "%.150s", m->c->input[below(m, m->c->n)]);
}

static void elsewhere(struct making *m)
{
    static const char *const op[] = {"SEND_ONLY",  "SEND_MIDDLE",    "SEND_LAST",   "WRITE_MIDDLE",
                                     "WRITE_LAST", "READ_RESP_ONLY", "ACKNOWLEDGE", "0x1f",
                                     "0x1d",       "0x16",           "UD_SEND_ONLY"};
    const char *name = op[below(m, sizeof op / sizeof *op)];

    if (one_in(m, 2))
        say(m, "> a SEND_ONLY psn=+%u ackreq=1 payload=8", m->next + 1 + below(m, 3));
    else if (one_in(m, 3))
        say(m, "> a SEND_ONLY psn=+%u ackreq=1 payload=8", m->next ^ 0x800000);
    else
        say(m, "> a %s psn=+%u%s", name, m->next, strncmp(name, "SEND", 4) == 0 ? " ackreq=1 payload=8" : "");
}

static void to_responder(struct making *m)
{
    static void (*const does[])(struct making *) = {send_only, send_only,    write_only, write_only, message,
                                                    message,   read_request, atomic,     again,      elsewhere};

    does[below(m, sizeof does / sizeof *does)](m);
}

/* ---- answers to the device ---- */

static void post(struct making *m)
{
    static const char *const op[] = {"SEND", "SEND_IMM", "WRITE", "WRITE_IMM", "READ", "CMP_SWAP", "FETCH_ADD"};
    const unsigned k = below(m, sizeof op / sizeof *op);
    struct request q = {.psn = m->next, .len = k > 4 ? 8 : length(m, 3 * m->pmtu), .read = k == 4, .atomic = k > 4};

    if (m->n_open == MOST_OPEN)
        return;
    q.psns = q.len ? (q.len + m->pmtu - 1) / m->pmtu : 1;
    m->next += q.psns;
    m->open[m->n_open++] = q;
    say(m, "  a post %s len=%u", op[k], q.len);
}

/* The next response of the READ at hand. */
static void read_response(struct making *m, const struct request *q)
{
    const uint32_t i = m->read_done++;
    const bool first = i == 0, last = i + 1 == q->psns;
    const char *where = first && last ? "ONLY" : first ? "FIRST" : last ? "LAST" : "MIDDLE";
    const uint32_t n = last ? q->len - i * m->pmtu : m->pmtu;
    char aeth[48] = "";

    m->msn += last;
    if (first || last)
        snprintf(aeth, sizeof aeth, " syndrome=ack msn=%u", m->msn);
    say(m, "> a READ_RESP_%s psn=+%u%s payload=%u%s", where, q->psn + i, aeth, n + one_in(m, 3 * OFTEN),
        one_in(m, 3 * OFTEN) ? " icrc=bad" : "");
    m->answered += last;
    m->read_done = last ? 0 : m->read_done;
}

static void good_answer(struct making *m)
{
    if (m->answered == m->n_open) {
        post(m);
        return;
    }
    const struct request *q = &m->open[m->answered];
    if (q->read) {
        read_response(m, q);
        return;
    }
    m->answered++;
    m->msn++;
    if (q->atomic)
        say(m, "> a ATOMIC_ACKNOWLEDGE psn=+%u syndrome=ack msn=%u orig=%u", q->psn, m->msn, below(m, 100));
    else
        say(m, "> a ACKNOWLEDGE psn=+%u syndrome=ack msn=%u", q->psn + q->psns - 1, m->msn);
}

static void bad_answer(struct making *m)
{
    static const char *const syndrome[] = {"rnr:1",
                                           "nak.psn_sequence_error",
                                           "nak.invalid_request",
                                           "nak.remote_access_error",
                                           "nak.remote_operational_error",
                                           "nak.invalid_rd_request",
                                           "nak:9",
                                           "ack",
                                           "ack"};
    static const char *const op[] = {"ACKNOWLEDGE",      "ACKNOWLEDGE",     "ACKNOWLEDGE",       "READ_RESP_ONLY",
                                     "READ_RESP_MIDDLE", "READ_RESP_FIRST", "ATOMIC_ACKNOWLEDGE"};
    const char *name = op[below(m, sizeof op / sizeof *op)];
    const uint32_t reach = m->next + 3, from = m->answered < m->n_open ? m->open[m->answered].psn : 0;
    const uint32_t psn = one_in(m, 2) ? below(m, reach) : from;

    if (strcmp(name, "READ_RESP_MIDDLE") == 0)
        say(m, "> a %s psn=+%u payload=%u", name, psn, m->pmtu);
    else
        say(m, "> a %s psn=+%u syndrome=%s msn=%u%s", name, psn, syndrome[below(m, sizeof syndrome / sizeof *syndrome)],
            m->msn, name[0] == 'R' ? " payload=8" : "");
}

static void to_requester(struct making *m)
{
    static void (*const does[])(struct making *) = {post, post, good_answer, good_answer, good_answer, bad_answer};

    does[below(m, sizeof does / sizeof *does)](m);
}

/* ---- the case ---- */

void fuzz_make(struct fuzz_case *c, uint64_t seed)
{
    static const uint32_t mtus[] = {256, 256, 512, 1024};
    struct making m = {.c = c};

    c->n = 0;
    iba_random_seed(&m.r, seed);
    m.pmtu = mtus[below(&m, sizeof mtus / sizeof *mtus)];
    const bool responder = one_in(&m, 2);
    const uint32_t psn = one_in(&m, 2) ? 0xfffff8 + below(&m, 8) : below(&m, 1 << 24), recv = below(&m, 9);
    const uint32_t n = 3 + below(&m, FUZZ_INPUTS - 4);
    snprintf(c->head, sizeof c->head,
             "title    sequence %" PRIu64 "\nspec     %s\nrole     %s\nservice  rc\nneeds    write read atomic\n\n"
             "qp a     pmtu=%u %s=0x%06x recv=%u recv_bytes=%u min_rnr=1 timeout=0 retry=3 rnr_retry=3\n",
             seed, responder ? "RR-01" : "RQ-33", responder ? "responder" : "requester", m.pmtu,
             responder ? "epsn" : "psn", psn, recv, 4 * m.pmtu);
    while (c->n < n)
        (responder ? to_responder : to_requester)(&m);
}

void fuzz_minimise(struct fuzz_case *c, fuzz_shows *shows, void *ctx)
{
    for (unsigned i = c->n; i-- > 0;) {
        struct fuzz_case less = *c;
        less.n--;
        memmove(less.input[i], less.input[i + 1], (less.n - i) * sizeof less.input[0]);
        if (less.n > 0 && shows(ctx, &less))
            *c = less;
    }
}
