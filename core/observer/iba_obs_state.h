/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer's memory: the directions that it looks at, what is left of those at rest, and the observer itself. Not
 * for users of libiba. */
#ifndef IBA_OBS_STATE_H
#define IBA_OBS_STATE_H
#include "observer/iba_finding_kinds.h"
#include "observer/iba_obs_requests.h"

enum {
    IBA_OBS_ASKED = 8192,    /* requests of directions without a peer among which that of a response is looked for */
    IBA_OBS_BUCKETS = 2,     /* for each direction that is remembered */
    IBA_OBS_PUT_OFF = 24,    /* findings of a direction that may turn out to be nothing */
    IBA_OBS_ROUTES = 4,      /* changes of a path that are reported: some senders change it all the time */
    IBA_OBS_MARKED = 64,     /* QPs with congestion, a power of two: of two at one place the later counts */
    IBA_OBS_LAST_FOUND = 256 /* directions that are found without a search, one for each of so many QPs */
};

/* The parts of a path: where each is kept, in which of two words, at which bit, how many bits. */
#define IBA_PATH_PARTS(P)                                                                                              \
    P(VLAN, "VLAN", 0, 0, 16)                                                                                          \
    P(SL, "service level", 0, 16, 4)                                                                                   \
    P(LIDS, "LIDs", 0, 32, 32)                                                                                         \
    P(DSCP, "DSCP", 1, 0, 6)                                                                                           \
    P(LABEL, "flow label", 1, 8, 20)                                                                                   \
    P(HOPS, "hop limit", 1, 32, 8)                                                                                     \
    P(PORT, "source port", 1, 48, 16)
enum iba_path_part {
#define IBA_PATH_ID(part, ...) IBA_PATH_##part,
    IBA_PATH_PARTS(IBA_PATH_ID) IBA_PATH_PARTS_N
};
struct iba_obs_path {
    bool any;
    uint8_t told; /* how many changes of it were reported */
    uint32_t source;
    uint64_t route[2];
    struct iba_obs_mark mark;
};
/* A response to a READ that may be late: the next packet will show; frame 0: none. */
struct iba_obs_held {
    struct iba_obs_mark mark;
    iba_psn psn, answers; /* answers: one past the newest before it */
    iba_psn from;         /* of the READ: what is missing if it is not late; psn: it is a First */
    bool late, again;     /* what it is when nothing comes after it; whether it came before */
    bool lawful;          /* it was overtaken, and its receiver took that: LATE is not reported */
};
/* A jump over other packets, or a late packet that fills such a gap: reported when somebody asks for it. */
struct iba_obs_put_off {
    struct iba_obs_mark mark;
    uint64_t cause, cause_tag, of; /* of: frame of the jump */
    const struct iba_decision *decision;
    iba_psn psn;
    uint16_t n, filled; /* PSNs that were missing; that came */
    uint8_t kind;
};

struct iba_flow {
    struct iba_flow_key key;
    uint8_t svc;           /* enum iba_svc */
    uint8_t list;          /* enum iba_obs_list */
    bool used;             /* else spare */
    bool again;            /* on probation, with a second packet */
    uint32_t known;        /* its place among those, index plus 1; 0: this flow is not used */
    uint32_t newer, older; /* in the list, index plus 1 */
    uint64_t ordered;      /* number of the packet that moved it to the front of the order of use */
    iba_psn announced;     /* one past the last request that was reported as answered; valid when has_announced */
    bool has_announced;
    /* From here on what its packets have shown: another connection with the same addresses and QP has none of it. */
    bool has_pkey, has_qkey, has_aeth;
    bool guess;               /* the peer is one of several that would fit */
    bool once;                /* a guess only because it has fitted once */
    uint16_t pkey, last_pkey; /* last_pkey: of the last packet */
    uint32_t qkey, src_qp;    /* of the first datagram */
    uint8_t credits;          /* code of the last acknowledgement */
    bool has_rtt;             /* rtt_min_ns is known: how soon, at least, a packet to the sender has an effect here */
    uint32_t rtt_min_ns;
    uint32_t pmtu;  /* bytes; 0: not seen. Of both directions */
    bool pmtu_sure; /* seen in a First or Middle, not only in the PSNs that a READ took */
    uint32_t peer;  /* the other direction, index in known plus 1; 0: not known */
    uint8_t tries;  /* how often a peer was looked for */
    struct iba_obs_mark first, last;
    uint64_t began, touched;   /* number of its first and last packet among all that were fed; it rested: began 0 */
    struct iba_obs_mark fatal; /* the first NAK this direction sent that ends the connection; frame 0: none */
    uint64_t packets, bytes, requests, responses; /* bytes of payload; since it rested, if it did, as found is */
    uint32_t found[IBA_FINDING_COUNT];
    struct { /* whether the IPv4 identification counts packets. By iba_dir: the two take different paths */
        uint16_t last;
        uint8_t trust;
        bool any, constant; /* constant: other packets have the same */
    } ip_id[2];
    struct iba_obs_path path[2];                 /* of its last packet, by iba_dir */
    struct iba_obs_gap unanswered[IBA_OBS_GAPS]; /* in this direction's responses to READs and ATOMICs */
    uint8_t next_unanswered;
    bool has_answers;
    iba_psn answers;       /* one past the newest of them */
    struct {               /* responses each directly after the one before: how many, where the next would be */
        uint8_t n, before; /* before: of the row that the last one did not continue */
        iba_psn next;
    } row;
    struct iba_obs_held held;
    struct { /* how many are put off, and came without being asked for; somebody asked for one; nobody did for many */
        uint8_t n, taken;
        bool strict, lawful;
        bool wanted; /* requests from `psn` on: asked for, and not come again */
        iba_psn psn;
    } order;
    uint8_t next_recent, n_recent;       /* n_recent: entries that were ever used; they fill from the front */
    uint16_t recent_tag[IBA_OBS_RECENT]; /* low bits of the hashes: looked through for each packet */
    struct iba_obs_recent recent[IBA_OBS_RECENT];
    struct iba_obs_put_off put_off[IBA_OBS_PUT_OFF];
    struct iba_obs_requests rq;
    struct iba_obs_reason refused; /* the last that it sent while its requests were not known; frame 0: none */
};

/* What is left of a direction that rests, for lack of flows. After `tag`: valid at rest only; a hash that two share
 * needs the same QP number, too. */
struct iba_known {
    uint32_t target, source; /* hashes of destination and QP, of source */
    uint32_t qpn;
    uint32_t flow; /* index plus 1; 0: it is at rest */
    uint32_t tag;  /* the caller's: 0 when the direction begins */
    uint32_t peer, touched;
    iba_psn high, next, una;
    uint32_t content; /* of the last request, both hashes; asked: the PSN that asked */
    iba_time at;
    struct iba_obs_mark mark; /* the last request, or packet; asked: the packet that asked */
    union {
        struct {
            uint32_t messages, msn_lo, msn_hi, dma_left;
        } count;
        struct {
            uint64_t frame, tag;
        } other; /* ended: the NAK; asked: the last packet */
        struct {
            uint32_t qkey, src_qp;
        } ud;
    };
    uint16_t pkey, ip_id[2];
    uint8_t trust[2];                                   /* plus 1; 0: no identification seen */
    uint8_t svc, opcode, message, pmtu, credits, tries; /* opcode; asked: how often again. pmtu: of 256 bytes each */
    uint8_t kind : 2;                                   /* enum, inside: what the union holds */
    bool any : 1, answered : 1, counts : 1, steady : 1, asks : 1, again : 1;
    bool guess : 1, once : 1, pmtu_sure : 1, has_pkey : 1, has_qkey : 1, has_aeth : 1;
    bool shared : 1; /* not only at rest: another has the same ends, and another service */
};

struct iba_obs_congested { /* whose packets meet congestion */
    uint64_t hash;
    struct iba_obs_mark mark; /* frame 0: none */
};
/* Flows by their use. A flow on probation was not there for long: many that come and go take each other's places. */
enum iba_obs_list { IBA_OBS_PROBATION, IBA_OBS_PROTECTED, IBA_OBS_LISTS };

/* A damaged packet, as it says of itself. The same packet at another capture point is found by its hash. */
struct iba_obs_damaged {
    uint64_t hash;
    const struct iba_flow *flow; /* compared, not followed: the flow may be another connection's by now */
    struct iba_obs_mark mark;    /* frame 0: none */
    uint32_t source;
    iba_psn psn;
    bool request, read; /* read: a READ request, which takes as many PSNs as its answer has packets */
};

struct iba_observer {
    struct iba_observer_config cfg;
    struct iba_flow *flow;   /* cfg.n_flow */
    struct iba_known *known; /* cfg.n_known */
    uint32_t *bucket;        /* IBA_OBS_BUCKETS * cfg.n_known */
    uint32_t *asked;         /* cfg.n_asked: who asked, by addresses and PSN */
    struct iba_obs_damaged damaged[IBA_OBS_RECENT];
    uint8_t next_damaged;
    struct iba_obs_congested marked[IBA_OBS_MARKED];   /* the first marked packet that no notification answers */
    struct iba_obs_congested notified[IBA_OBS_MARKED]; /* the last notification, at each capture point */
    uint32_t last_found[IBA_OBS_LAST_FOUND]; /* the flow last found with such a QP, index plus 1: it may be another's by
                                                now */
    struct {
        uint32_t newest, oldest, n, most; /* flows, index plus 1; how many */
    } list[IBA_OBS_LISTS];
    uint32_t n, spare;                     /* flows that were ever used; one that is free again, index plus 1 */
    uint32_t n_known, resting, clock_hand; /* that were ever used; at rest; where one to be forgotten is looked for */
    uint32_t generation;                   /* how often a flow began anew */
    uint64_t packets, others, evicted;     /* with a transport header; without; directions that were forgotten */
    uint64_t seen_twice;                   /* at two capture points */
    uint32_t found[IBA_FINDING_COUNT];
    bool reorders;            /* packets came late */
    struct iba_observed seen; /* the packet fed last */
    struct iba_obs_mark now;  /* the same packet */
    uint32_t source;
};
#endif
