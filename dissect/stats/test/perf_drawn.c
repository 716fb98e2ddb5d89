/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversations drawn by a seed, of every kind of message and answer, with losses and pauses of all lengths: -z perf
 * says of them what golden/perf-drawn.json has. Other tests say whether a limit is right; this one notices any other
 * figure. */
#include <criterion/criterion.h>
#include <string.h>
#include "feed.h"
#include "observer/iba_finding_kinds.h"
#include "sim/iba_random.h"
#include "stats/perf_print.h"
#include "wire/iba_aeth.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

enum { CONNECTIONS = 24, PACKETS = 400, OPEN = 16, BEHIND_BTH = 14 + 20 + 8 + 12, DMALEN_AT = 12 };

static struct feed f;
static struct direction directions[2 * CONNECTIONS];
static struct verdict_names names = {.direction = directions};
static struct verdict verdict;
static struct iba_random random_of;
static int64_t now;

static uint32_t below(uint32_t n)
{
    return (uint32_t)iba_random_below(&random_of, n);
}

static void make_direction(uint32_t id)
{
    struct direction *d = &directions[id];
    const uint8_t from = (uint8_t)(1 + (id & 1)), to = (uint8_t)(3 - from);

    *d = (struct direction){.id = id, .peer = (id ^ 1) + 1, .svc = IBA_RC, .pmtu = 256, .knows_source_qp = true};
    d->key.kind = IBA_ADDR_IPV4;
    d->key.src[0] = d->key.dst[0] = 10;
    d->key.src[2] = d->key.dst[2] = (uint8_t)(id / 2);
    d->key.src[3] = from;
    d->key.dst[3] = to;
    d->key.qpn = 16 + id;
    d->source_qp = 16 + (id ^ 1);
    d->guess = id / 2 == CONNECTIONS - 1;
}

/* Feeds a packet. `value` is the syndrome of its AETH, or the length in its RETH; 0 if it has neither header. */
static void send(uint32_t id, uint8_t opcode, uint32_t psn, uint8_t words, uint32_t value)
{
    const struct spec s = {.proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = opcode, .psn = psn, .words = words};
    struct frame frame = frame_of(&s);

    if (iba_opcodes[opcode].hdrs & IBA_HDR_BIT(IBA_H_aeth))
        frame.b[BEHIND_BTH] = (uint8_t)value;
    if (iba_opcodes[opcode].hdrs & IBA_HDR_BIT(IBA_H_reth))
        iba_bits_put(frame.b + BEHIND_BTH, 8 * DMALEN_AT, 32, value);
    verdict.names = &names;
    verdict.direction = &directions[id];
    f.p.verdict = &verdict;
    feed(&f, &frame, now);
    verdict = (struct verdict){.names = &names};
}

static void mark(enum iba_finding_kind kind)
{
    const struct iba_finding found = {.kind = (uint8_t)kind};

    verdict_add(&verdict, &found);
}

/* Lets time pass: most often the pace of the connection, sometimes much more. */
static void pass(uint32_t pace)
{
    static const uint32_t longer[] = {1, 1, 1, 1, 2, 3, 10, 200};

    now += pace / 2 + below(pace) + 1;
    if (below(8) == 0)
        now += (int64_t)pace * longer[below(8)];
}

struct talk {
    uint32_t id, psn, pace, depth;
    uint32_t open[OPEN], n; /* PSNs that are not answered */
    bool reads, credits;
};

static void request(struct talk *t)
{
    static const uint8_t parts[] = {IBA_RC_SEND_FIRST, IBA_RC_SEND_MIDDLE, IBA_RC_SEND_LAST};
    const unsigned kind = t->reads ? 4 : below(7);

    if (kind == 0) {
        for (unsigned i = 0; i < 3; i++) {
            pass(i ? t->pace / 8 + 1 : t->pace);
            send(t->id, parts[i], t->psn + i, 64, 0);
        }
        t->psn += 2;
    } else {
        pass(t->pace);
        send(t->id,
             kind == 4   ? IBA_RC_READ_REQUEST
             : kind == 5 ? IBA_RC_WRITE_ONLY
             : kind == 6 ? IBA_RC_FETCH_ADD
                         : IBA_RC_SEND_ONLY,
             t->psn, kind == 4 || kind == 6 ? 0 : (uint8_t)(1 + below(64)), kind == 4 ? 512 : 64);
        t->psn += kind == 4;
    }
    t->open[t->n++] = t->psn++;
}

static void answer(struct talk *t)
{
    const uint32_t k = below(4) ? 0 : below(t->n), psn = t->open[k];
    const uint8_t credit = t->credits ? (uint8_t)below(4) : IBA_CREDIT_NO_LIMIT;

    pass(3 * t->pace);
    if (t->reads) {
        send(t->id ^ 1, IBA_RC_READ_RESP_FIRST, psn - 1, 64, credit);
        pass(t->pace / 4 + 1);
        send(t->id ^ 1, IBA_RC_READ_RESP_LAST, psn, 64, credit);
    } else if (below(24) == 0) {
        send(t->id ^ 1, IBA_RC_ATOMIC_ACKNOWLEDGE, psn, 0, credit);
    } else {
        send(t->id ^ 1, IBA_RC_ACKNOWLEDGE, psn, 0, credit);
    }
    t->n -= k + 1;
    memmove(t->open, t->open + k + 1, t->n * sizeof *t->open);
}

/* Sends a refusal, a retransmission, a packet that the capture lacks, or a congestion notification. */
static void trouble(struct talk *t)
{
    const uint32_t psn = t->n ? t->open[0] : t->psn - 1;
    struct perf *perf = f.state;

    pass(2 * t->pace);
    switch (below(4)) {
    case 0:
        send(t->id ^ 1, IBA_RC_ACKNOWLEDGE, psn, 0, iba_syndrome(IBA_AETH_RNR, 5));
        pass(20 * t->pace);
        mark(IBA_FINDING_RETRY_RNR);
        break;
    case 1: send(t->id ^ 1, IBA_RC_ACKNOWLEDGE, psn, 0, iba_syndrome(IBA_AETH_NAK, IBA_NAK_SEQUENCE)); break;
    case 2: mark(IBA_FINDING_GAP); break;
    default:
        if (perf->place[t->id])
            perf_notice(&perf->sender[perf->place[t->id] - 1], perf->now);
        send(t->id, IBA_RC_SEND_ONLY, t->psn, 8, 0);
        t->open[t->n] = t->psn++;
        t->n += t->n < OPEN - 1;
        return;
    }
    verdict.again = true;
    send(t->id, IBA_RC_SEND_ONLY, psn, 16, 0);
}

static void converse(uint32_t connection)
{
    struct talk t = {.id = 2 * connection,
                     .psn = below(0x1000000),
                     .pace = 100U << below(8),
                     .depth = 1 + below(OPEN - 2),
                     .reads = below(4) == 0,
                     .credits = below(4) == 0};
    const uint32_t calm = 5 + below(60), eager = 1 + below(4);

    for (unsigned i = 0; i < PACKETS; i++) {
        if (below(calm) == 0)
            trouble(&t);
        if (t.n < t.depth && (t.n == 0 || below(eager + 1)))
            request(&t);
        else if (t.n > 0)
            answer(&t);
        t.psn &= 0x7fffff; /* the memory of open PSNs does not wrap */
    }
}

Test(perf_drawn, figures_are_as_before)
{
    iba_random_seed(&random_of, 1);
    feed_open(&f, "perf");
    f.unchecked = true;
    for (uint32_t i = 0; i < 2 * CONNECTIONS; i++)
        make_direction(i);
    for (uint32_t i = 0; i < CONNECTIONS; i++)
        converse(i);
    expect(&f, "perf-drawn");
}
