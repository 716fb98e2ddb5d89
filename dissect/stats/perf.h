/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of each direction of a connection, found from its packets. perf_follow.c attributes every pause between
 * two packets to one kind of pause while packets come. perf_limit.c attributes each kind to one limit at the end, when
 * it is known how fast the sender reacts and how fast its packets follow each other. A sender is a direction with its
 * requests; the responses to these come in the other direction. The pauses of a sender cover all the time from its
 * first packet to its last, each moment once. */
#ifndef DISSECT_PERF_H
#define DISSECT_PERF_H
#include "field/packet.h"
#include "judge/judge.h"

/* PERF_SENDERS: senders that are followed, 8 KiB each; of further ones packets are only counted. PERF_MARKS: open
 * messages that a sender remembers one by one; when there are more, the newest are remembered together. PERF_BUCKETS:
 * buckets of time; when they are full, each two become one. PERF_SIZES: sizes of messages; PERF_NEAR: classes of
 * response times of each size (struct perf_took). */
enum {
    PERF_SENDERS = BOUND(8192, 8),
    PERF_MARKS = BOUND(64, 4),
    PERF_BUCKETS = 32,
    PERF_CLASSES = 36,
    PERF_SIZES = 8,
    PERF_NEAR = 12,
    PERF_NEAR_PART = 16,
    PERF_RUN = 8
};

/* clang-format off */
/* L(name, key, words) */
#define PERF_LIMITS(L)                                                                                                 \
    L(UNKNOWN,    "not_visible",  "not visible in this capture")                                                       \
    L(IDLE,       "idle",         "an idle sender: it is given nothing to send")                                       \
    L(LATENCY,    "latency",      "waiting for the response, one message outstanding")                                 \
    L(WINDOW,     "window",       "a full window: the next message waits for the response to an earlier one")          \
    L(READS,      "read_depth",   "the READ depth, or so many READs at a time: the next one waits for a response")      \
    L(QUEUE,      "queue",        "a queue: responses take longer than the shortest ones")                             \
    L(CREDITS,    "credits",      "waiting for credits: the receiver has too few receives posted")                     \
    L(RNR,        "rnr",          "a receiver that is not ready (RNR NAK)")                                            \
    L(LOSS,       "loss",         "loss: waiting until a packet is sent again")                                        \
    L(CONGESTION, "congestion",   "congestion: slower after notifications (CNP)")                                      \
    L(PACED,      "paced",        "pacing: packets leave at even gaps")                                                \
    L(LINE,       "port",         "the port: packets leave back to back at the speed of one")                          \
    L(SENDER,     "sender",       "the sender: packets follow each other, at no even rate")
/* clang-format on */
enum perf_limit {
#define PERF_LIMIT_ID(name, ...) PERF_##name,
    PERF_LIMITS(PERF_LIMIT_ID) PERF_LIMIT_COUNT
};
struct perf_limit_info {
    const char *key, *words;
};
extern const struct perf_limit_info perf_limits[PERF_LIMIT_COUNT]; /* perf_limit.c */

/* The kinds of pauses, named by the packet that ends the pause. */
enum perf_pause {
    PERF_PAUSE_ONE,      /* a new message, after the response to the only one outstanding */
    PERF_PAUSE_ALL,      /* ... after the responses to all that were outstanding, more than one */
    PERF_PAUSE_MANY,     /* ... after the responses to some of those outstanding */
    PERF_PAUSE_READS,    /* the same for a READ or ATOMIC, while only such are outstanding, more than one */
    PERF_PAUSE_CREDIT,   /* a packet that could not be sent sooner, for lack of credits */
    PERF_PAUSE_ANSWERED, /* the number of the kinds above */
    PERF_PAUSE_OWN = PERF_PAUSE_ANSWERED, /* a new message, and no response came in the pause */
    PERF_PAUSE_REQUEST,                   /* the next packet of a message, or a message directly after another */
    PERF_PAUSE_RESPONSE,                  /* the next packet of a READ response */
    PERF_PAUSE_CNP,                       /* a packet soon after a congestion notification, not back to back */
    PERF_PAUSE_UNEVEN,                    /* ... at the receiver, hardly longer than back to back */
    PERF_PAUSE_RNR,                       /* the packet that an RNR NAK refused */
    PERF_PAUSE_AGAIN,                     /* another packet that is sent again */
    PERF_PAUSE_HIDDEN,                    /* a packet that shows that others were not captured */
    PERF_PAUSE_END,                       /* the end of the capture, with messages outstanding */
    PERF_PAUSES
};

/* how even a quantity is: the sum of its values, and of the differences from each value to the next */
struct perf_even {
    uint64_t n, sum, off, last;
};
/* The pace of packets that follow each other, in ns for 1024 bytes: from one packet to the next (`each`), and over runs
 * of PERF_RUN pauses with no other pause between them (`runs`). `ns`, `bytes`, `n`: of the run that has begun. */
struct perf_pace {
    struct perf_even each, runs;
    uint64_t ns;
    uint32_t bytes, n;
};
struct perf_mark { /* an open message; `n` > 1: so many messages together */
    iba_psn first, last;
    uint32_t n;
    bool read, closed;
    uint64_t bytes;
    uint64_t at; /* when the last packet was sent */
};
/* Pauses by the length of their second part: from the last response in the pause, or without a response from the packet
 * before, to the packet that ends the pause. */
struct perf_class {
    uint32_t n;
    uint64_t wait, gap; /* sums of the first and of the second part, ns */
};
struct perf_bucket {
    uint64_t bytes;
    uint32_t messages;
};
/* Response times of messages of about one size, ns plus 1. The excess over the shortest time is taken for a queue.
 * `near`: how many times are longer than the shortest by less than one sixteenth of it, by less than two sixteenths,
 * and so on. */
struct perf_took {
    uint64_t n, sum, least;
    uint32_t near[PERF_NEAR];
};
struct perf_sender {
    const struct direction *d, *responses_from; /* responses_from: NULL until the first response */
    uint64_t first, last; /* of its packets, and of the responses to them; ns since the run began */
    /* times of its last request packet, of its last new message, and of the last notification plus 1 */
    uint64_t sent_at, started_at, cnp_at;
    uint64_t wait;      /* the part of the current pause up to the last response */
    uint64_t slow_pace; /* the last pause after a notification, in ns for 1024 bytes */
    uint64_t packets, messages, read_messages, bytes, again, again_bytes, answers;
    uint64_t area_messages, area_bytes; /* integrals over time of what is outstanding: ns, and bytes x us */
    uint32_t depth, reads, peak, peak_reads, deepest, sent_len; /* peak: after the last packet that it sent */
    uint64_t open, most_open;                                   /* bytes outstanding */
    uint64_t fastest;  /* about the shortest time between two requests without a response between them, ns for
                          1024 bytes; 0: not known */
    uint64_t quickest; /* the shortest time to a response, ns plus 1; 0: none */
    uint64_t response_ns, responses;   /* the sum of the times to a response, and their number */
    struct perf_took took[PERF_SIZES]; /* of messages of which nothing was sent again */
    /* time of the last packet that was sent again, or refused by an RNR NAK, plus 1 */
    uint64_t repaired_at;
    uint64_t full;                 /* new messages that begin while nearly as many are outstanding as ever */
    struct perf_pace pace[2];      /* requests, READ responses */
    struct perf_even pace_len;     /* bytes of these packets on the wire */
    struct perf_even start, react; /* ns from message to message, and from a response to the next message */
    uint32_t evener;               /* how often a value of `start` was nearer to the one before than that of `react` */
    uint32_t credits;              /* messages that may be outstanding */
    iba_psn next;                  /* the PSN after the newest request */
    iba_psn asked;                 /* if `refused`: a NAK asks for this PSN, and no ACK has come for it */
    iba_psn passed;                /* if `unsettled`: requests before this PSN have responses, but not all READs */
    /* limited: credits are known; stalled: more is outstanding than the credits allow */
    bool limited, stalled, unsettled, refused;
    bool fine;                              /* not all its times are whole microseconds */
    bool answered, rnr, inside, responding; /* inside: it has begun a message; responding: a READ response has begun */
    uint8_t head, n_mark, n_bucket;
    uint64_t bucket_ns;
    struct perf_mark mark[PERF_MARKS];
    struct perf_bucket bucket[PERF_BUCKETS];
    struct perf_class sum[PERF_PAUSES];
    struct perf_class class[PERF_PAUSE_ANSWERED][PERF_CLASSES];
};

static inline bool perf_is_reliable(const struct direction *d)
{
    return d->svc == IBA_RC || d->svc == IBA_XRC;
}

/* No round trip in a fabric takes so long. */
#define PERF_FAR_NS UINT64_C(1000000)

/* Whether the capture is at the receiver: a response comes back sooner than it would cross a fabric. */
static inline bool perf_is_at_receiver(const struct perf_sender *s)
{
    enum { NO_WAY_NS = 1500 };

    return s->quickest > 0 && s->quickest <= NO_WAY_NS;
}

/* Takes a request packet of the sender, or a response to it, at `now` (ns since the run began; not older than the
 * packet before). perf_follow.c */
void perf_request(struct perf_sender *s, const struct packet *p, uint64_t now);
void perf_answer(struct perf_sender *s, const struct packet *p, uint64_t now);
/* Takes a congestion notification for the sender. */
void perf_notice(struct perf_sender *s, uint64_t now);
/* Ends the last pause: no more packets come. */
void perf_end(struct perf_sender *s);
/* Forgets the pauses that have ended, and nothing else. A pause that has begun counts when it ends. */
void perf_cut(struct perf_sender *s);

/* ---- perf_limit.c ---- */
/* A time that is attributed to one limit: the pauses of a kind, or of one class if the kind has classes. */
struct perf_piece {
    const struct perf_sender *s;
    uint8_t pause, class;
    /* Which part of the pauses: WAIT, from the last packet to the last response; FLOOR, as much of the rest as every
     * such pause has; GAP, the remainder. */
    enum perf_part { PERF_WAIT, PERF_FLOOR, PERF_GAP } part;
};
struct perf_rule {
    const char *name;
    uint8_t limit; /* enum perf_limit */
    const char *sentence, *clause;
};
/* The first row that applies to the piece. */
const struct perf_rule *perf_decide(const struct perf_piece *c);
extern const struct perf_rule perf_rules[];
extern const unsigned perf_n_rules;
/* The time that each limit takes, ns. The sum is the time from the sender's first packet to its last. */
struct perf_shares {
    uint64_t ns[PERF_LIMIT_COUNT], life;
};
struct perf_shares perf_shares_of(const struct perf_sender *s);
/* The part of the sender's response times that exceeds the shortest: 0 to 1. */
double perf_queueing(const struct perf_sender *s);
enum perf_limit perf_largest(const struct perf_shares *s);
/* The rate of packets inside a message, in bit/s, with all that a port sends with them; 0: not known. */
uint64_t perf_rate(const struct perf_sender *s, unsigned which);
#endif
