/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer's memory: the directions in use, the short form of directions at rest, and the observer itself. Not for
 * users of libiba. */
#ifndef IBA_OBS_STATE_H
#define IBA_OBS_STATE_H
#include "observer/iba_finding_kinds.h"
#include "observer/iba_obs_requests.h"

enum {
    IBA_OBS_ASKED = 8192, /* remembered requests of directions without a peer: a response looks for its request there */
    IBA_OBS_BUCKETS = 2,  /* buckets for each remembered direction */
    IBA_OBS_CHAINS = 4,   /* chains for each remembered request: mostly a chain is empty */
    IBA_OBS_ALONE = 4,    /* rows of responses of a direction whose requests the capture lacks */
    IBA_OBS_PUT_OFF = 24, /* deferred findings of a direction, which may be dropped */
    IBA_OBS_ROUTES = 4,   /* path changes that are reported at most: some senders change their path all the time */
    IBA_OBS_MARKED = 64,  /* remembered QPs with congestion, a power of two; at each index only the newest stays */
    IBA_OBS_LAST_FOUND = 4096 /* directions that are found without a search, one for each QP number modulo this */
};

/* The parts of a path: name, index of the word that holds the part, first bit, number of bits. */
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
    uint8_t reported; /* number of reported changes */
    uint32_t source;
    uint64_t route[2];
    struct iba_obs_mark mark;
};
/* A pending response to a READ. The next packet shows whether the response is late. Frame 0: none. */
struct iba_obs_undecided {
    struct iba_obs_mark mark;
    iba_psn psn, answers; /* answers: one past the newest response before this one */
    /* the first missing PSN of the READ if the response is not late; equal to psn: the response is a First */
    iba_psn from;
    bool late, again; /* late: the response counts as late when no packet follows; again: the response came before */
    bool lawful;      /* the response was overtaken, and its receiver took it: LATE is not reported */
};
/* Why a jump may be no loss, though nothing fills it. KEPT: the capture has the skipped PSNs, and their retransmissions
 * were not needed. BEFORE: the skipped PSNs were sent before the capture began. */
enum iba_obs_excuse { IBA_EXCUSE_NONE, IBA_EXCUSE_KEPT, IBA_EXCUSE_BEFORE };
/* A deferred finding: a jump over other packets, or a late packet that fills such a jump. The finding is reported when
 * an end asks for the missing packets. */
struct iba_obs_put_off {
    struct iba_obs_mark mark;
    uint64_t cause, cause_tag, of; /* of: the frame of the jump */
    const struct iba_decision *decision;
    iba_psn psn, own;   /* own: for ANSWER_MISSING the first PSN of the READ whose response jumps; else psn */
    uint16_t n, filled; /* n: PSNs that were missing; filled: PSNs that have come since */
    uint8_t kind;
    uint8_t excuse; /* enum iba_obs_excuse */
    /* Set for a late packet that no recorded packet jumped over. request: the first captured request overtook the
     * packet; response: the packet is a response with data. The receiver of both kinds waits for them, and asks for
     * them. */
    bool request, response;
};

struct iba_flow {
    struct iba_flow_key key;
    uint8_t svc;           /* enum iba_svc */
    uint8_t list;          /* enum iba_obs_list */
    bool again;            /* the flow is on probation, and has got a second packet */
    uint32_t known;        /* index of its direction in iba_observer.known plus 1; 0: this flow gets another one */
    uint32_t newer, older; /* neighbours in the list, index plus 1 */
    uint64_t ordered;      /* number of the packet that last moved the flow to the front of its list */
    iba_psn announced;     /* one past the last request that was reported as answered; valid when has_announced */
    bool has_announced;
    /* From here on: results from the direction's packets. Another connection with the same addresses and QP starts
     * without them. */
    bool has_pkey, has_qkey, has_aeth;
    bool guess;               /* the peer is one of several that would fit */
    bool once;                /* the pair is a guess only because it has fitted once */
    uint16_t pkey, last_pkey; /* last_pkey: of the last packet */
    uint32_t qkey, src_qp;    /* of the first datagram */
    uint8_t credits;          /* credit code of the last acknowledgement */
    bool has_rtt; /* rtt_min_ns is known: the minimum time until a packet to the sender shows an effect here */
    uint32_t rtt_min_ns;
    uint32_t pmtu;  /* path MTU, bytes; 0: not known. Both directions have the same value */
    bool pmtu_sure; /* the path MTU was seen in a First or Middle, not only derived from the PSNs that a READ took */
    uint32_t peer;  /* the other direction, index in known plus 1; 0: not known */
    uint8_t tries;  /* number of searches for a peer */
    struct iba_obs_mark first, last;
    uint64_t began, touched;   /* numbers of its first and last packet, among all packets of the observer; began 0: the
                                  direction has rested */
    struct iba_obs_mark fatal; /* the first NAK this direction sent that ends the connection; frame 0: none */
    /* bytes: of payload. All these counts and `found` start again when the direction rests */
    uint64_t packets, bytes, requests, responses;
    uint32_t found[IBA_FINDING_COUNT];
    struct { /* whether the sender counts its packets in the IPv4 identification. One entry for each enum iba_dir, since
                requests and responses take different paths */
        uint16_t last;
        uint8_t trust; /* rises with each packet whose identification follows the last one; halves where it does not */
        bool any, constant; /* constant: the last two packets have the same identification */
    } ip_id[2];
    struct iba_obs_path path[2];                 /* path of the last packet, by iba_dir */
    struct iba_obs_gap unanswered[IBA_OBS_GAPS]; /* gaps in this direction's responses to READs and ATOMICs */
    uint8_t next_unanswered;
    bool has_answers;
    struct {                          /* when responses came; 0: none came */
        iba_time last, again, before; /* again: the first response after a pause of IBA_OBS_ROUND_NS; before: the last
                                         response before that pause */
    } responded;
    iba_psn answers; /* one past the newest response to READs and ATOMICs */
    struct {         /* responses to READs and ATOMICs that the capture lacks, from `psn` to before `end` */
        iba_psn psn, end;
    } alone[IBA_OBS_ALONE];
    uint8_t next_alone;
    struct { /* a row of consecutive responses. n: their number; next: the PSN that would continue the row */
        uint8_t n, before; /* before: length of the previous row, which the last response did not continue */
        iba_psn next;
    } row;
    struct iba_obs_undecided undecided;
    struct { /* n: deferred findings; taken: jumps that filled up before an end asked for their packets; strict: an end
                asked for a gap; lawful: many jumps filled up, so reordering is lawful here */
        uint8_t n, taken;
        bool strict, lawful;
        bool wanted; /* an end asked for requests from `psn` on, which have not come again */
        iba_psn psn;
    } order;
    uint8_t next_recent, n_recent; /* n_recent: entries that were ever used; they fill from the front */
    /* low bits of the hashes in `recent`: each packet is compared with all of them */
    uint16_t recent_tag[IBA_OBS_RECENT];
    struct iba_obs_recent recent[IBA_OBS_RECENT];
    struct iba_obs_put_off put_off[IBA_OBS_PUT_OFF];
    struct iba_obs_requests rq;
    /* the last NAK that this direction sent while its requests were not known; frame 0: none */
    struct iba_obs_reason refused;
};

/* A remembered direction. The members after `number` are valid only at rest, when the direction has no flow. Since two
 * directions may share a hash, a search compares the QP number, too. */
struct iba_known {
    uint64_t target; /* hash of destination and QP; for datagrams and other services that are not connected, the hash
                        also covers the source */
    uint32_t source; /* hash of the source */
    uint32_t qpn;
    uint32_t flow;   /* index of its flow plus 1; 0: the direction is at rest */
    uint32_t number; /* number that the caller gave the direction; 0: none yet */
    uint32_t peer, touched;
    iba_psn high, next, una;
    uint32_t content; /* both hashes of the last request; KIND_ASKED: PSN of the packet that asked for an answer */
    struct iba_obs_mark mark; /* the last request or packet; KIND_ASKED: the packet that asked for an answer */
    union {
        struct {
            uint32_t messages, msn_lo, msn_hi, dma_left;
        } count;
        struct {
            uint64_t frame, tag;
        } other; /* KIND_ENDED: the NAK; KIND_ASKED: the last packet */
        struct {
            uint32_t qkey, src_qp;
        } ud;
    };
    uint16_t pkey, ip_id[2];
    uint8_t trust[2]; /* trust of the direction's ip_id[], plus 1; 0: no IPv4 identification was seen */
    /* opcode: KIND_ASKED: the number of retries instead. pmtu: in units of 256 bytes */
    uint8_t svc, opcode, message, pmtu, credits, tries;
    uint8_t kind : 2; /* enum kind of iba_obs_compact.c: the valid member of the union */
    bool any : 1, answered : 1, counts : 1, steady : 1, asks : 1, again : 1;
    bool guess : 1, once : 1, pmtu_sure : 1, has_pkey : 1, has_qkey : 1, has_aeth : 1;
    bool shared : 1; /* another direction has the same ends, but another service; also valid while the direction is in
                        use */
};

/* A request of a direction that has no peer. */
struct iba_obs_asked {
    uint64_t hash;   /* of the addresses and the PSN */
    uint32_t before; /* serial number of the next older request in its chain; 0: none */
    uint32_t known;  /* the direction, index plus 1, and IBA_OBS_SEVERAL */
};
/* Another direction without a peer sent a request with this PSN between the same addresses, too. */
#define IBA_OBS_SEVERAL (UINT32_C(1) << 31)
struct iba_obs_congested { /* a direction whose packets meet congestion */
    uint64_t hash;
    struct iba_obs_mark mark; /* frame 0: none */
};
/* Lists of flows by their use. A new flow starts on probation, so that short-lived directions replace only each other.
 */
enum iba_obs_list { IBA_OBS_PROBATION, IBA_OBS_PROTECTED, IBA_OBS_LISTS };

/* A damaged packet, with the fields that it shows. The hash finds the same packet at another capture point. */
struct iba_obs_damaged {
    uint64_t hash;
    const struct iba_flow *flow; /* only compared, since the flow may belong to another connection by now */
    struct iba_obs_mark mark;    /* frame 0: none */
    uint32_t source;
    iba_psn psn;
    bool request, read; /* read: a READ request, which takes as many PSNs as its answer has packets */
};

struct iba_obs_open; /* observer/iba_obs_open.h */
struct iba_observer {
    struct iba_observer_config cfg;
    struct iba_flow *flow;       /* cfg.n_flow */
    struct iba_known *known;     /* cfg.n_known */
    iba_time *rests;             /* cfg.n_known: when a direction at rest was seen last; IBA_NEVER: it has a flow */
    uint64_t *bucket;            /* IBA_OBS_BUCKETS * cfg.n_known */
    struct iba_obs_asked *asked; /* cfg.n_asked, by serial number: the newest requests of directions without a peer */
    uint32_t *chain;     /* IBA_OBS_CHAINS * cfg.n_asked, by hash: serial number of the newest request in the chain */
    uint32_t last_asked; /* serial number of the newest request; 0: none */
    struct iba_obs_open *open; /* the open messages of each flow; NULL: messages are not followed */
    /* most_open: number of entries of `open`, cfg.n_flow at first; n_open: entries that were ever used */
    uint32_t most_open, n_open;
    struct iba_obs_damaged damaged[IBA_OBS_RECENT];
    uint8_t next_damaged;
    struct iba_obs_congested marked[IBA_OBS_MARKED];   /* the first marked packet since the last notification */
    struct iba_obs_congested notified[IBA_OBS_MARKED]; /* the last notification, at each capture point */
    uint32_t last_found[IBA_OBS_LAST_FOUND]; /* by QP number: the flow last found for it, index plus 1; the flow may
                                                belong to another direction by now */
    struct {
        uint32_t newest, oldest, n, most; /* newest, oldest: flows, index plus 1; n, most: number of flows */
    } list[IBA_OBS_LISTS];
    uint32_t n,
        spare; /* n: flows in use; spare: the flow among these whose direction was just forgotten, index plus 1 */
    uint32_t n_known, resting, clock_hand; /* n_known: entries that were ever used; resting: directions at rest;
                                              clock_hand: where the search for a direction to forget goes on */
    uint32_t generation;                   /* number of times that a flow started a new connection */
    /* packets: with a transport header; others: without; evicted: forgotten directions */
    uint64_t packets, others, evicted;
    uint64_t seen_twice; /* packets seen at two capture points */
    uint32_t found[IBA_FINDING_COUNT];
    bool reorders;            /* LATE was found: this network reorders packets */
    bool depends;             /* a decision depended on other connections than the packet's */
    uint64_t n_damaged;       /* damaged packets that were remembered */
    uint64_t congested;       /* a bit for each place of `marked` and `notified` that was used */
    struct iba_observed seen; /* the packet fed last */
    struct iba_obs_mark now;  /* the same packet */
    uint32_t source;
};
#endif
