/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer of captures: what packets show of both ends of a connection, and what the rules say about it.
 *
 *     static struct iba_flow flow[1024];        the caller's: directions of connections looked at together
 *     static struct iba_known known[65536];     directions remembered, each in a hundredth of the room
 *     static uint32_t bucket[IBA_OBS_BUCKETS * 65536];
 *     struct iba_observer_config cfg = {.flow = flow, .n_flow = 1024, .known = known, .n_known = 65536,
 *                                       .bucket = bucket, .report = print, .ctx = &out};
 *     iba_observer_init(&s, &cfg);
 *     each packet:  iba_view_parse(&v, ...); iba_view_check(&v);
 *                   iba_observer_feed(&s, &(struct iba_sighting){.view = &v, .now = t, .frame = n});
 *     at the end:   iba_observer_end(&s, t);      what was still waited for
 *
 * Findings of a packet are reported from inside of the call that fed it; after the call s.worst is their worst
 * severity. A flow is one direction: packets from one address to one QP. The two directions of a connection find each
 * other by addresses and by PSNs that answer PSNs; where more than one would fit the pairing is marked as a guess, and
 * nothing is held against anybody on the strength of a guess alone.
 *
 * A capture may begin in the middle, show one direction only, or lack packets: what was not seen is not judged. */
#ifndef IBA_OBS_H
#define IBA_OBS_H
#include "wire/iba_endpoints.h"
#include "wire/iba_psn.h"
#include "wire/iba_view.h"

enum iba_severity { IBA_SEVERITY_NONE, IBA_NOTE, IBA_WARN, IBA_ERROR };

/* clang-format off */
/* Each finding: field is the name below infiniband.analysis, so several kinds may share one; "the packet ..." goes before
 * the sentence. Clauses are ids of the catalogue.
 *   kind               field              severity sentence                                                          clause */
#define IBA_FINDINGS(F)                                                                                                         \
    F(RETRY_NAK,        retransmission,    WARN,  "is sent again: the responder asked for it",                          "RQ-26")  \
    F(RETRY_RNR,        retransmission,    WARN,  "is sent again: the receiver was not ready",                          "RQ-28")  \
    F(RETRY_IMPLIED,    retransmission,    WARN,  "is sent again: a response showed that another was lost",             "RQ-36")  \
    F(RETRY_TIMEOUT,    retransmission,    WARN,  "is sent again: its timer ran out",                                   "RQ-21")  \
    F(RETRY_UNCLEAR,    retransmission,    WARN,  "is sent again, for no reason that the capture shows",                "RQ-21")  \
    F(RETRY_CHANGED,    retransmission,    ERROR, "is sent again as another request",                                   "RQ-06")  \
    F(RETRY_PAYLOAD,    retransmission,    NOTE,  "is sent again with other payload: its buffer changed before it was acknowledged", "§10.8") \
    F(RETRY_LIMIT,      retransmission,    WARN,  "is sent again more often than a retry counter of 3 bits allows",     "RQ-22")  \
    F(ANSWER_AGAIN,     retransmission,    NOTE,  "answers again what was answered before",                             "RR-25, RR-28") \
    F(NETWORK_COPY,     duplicate,         WARN,  "is a copy made by the network",                                      "RR-23")  \
    F(GAP,              gap,               WARN,  "jumps over PSNs: those before it are missing",                       "RQ-01, UU-03") \
    F(RESPONSE_GAP,     gap,               WARN,  "jumps over a response that is missing",                              "RQ-37")  \
    F(ANSWER_MISSING,   gap,               WARN,  "answers beyond a READ or ATOMIC whose own answer is missing",        "RQ-36")  \
    F(NOT_CAPTURED,     gap,               NOTE,  "acknowledges requests that the capture lacks: they did arrive",      "RR-10")  \
    F(LATE,             out_of_order,      WARN,  "was overtaken by packets that were sent after it",                   "RR-02")  \
    F(REORDERED,        out_of_order,      NOTE,  "overtakes others, as many do here: the receiver takes them in any order, and nobody asks for them again", "RR-02") \
    F(NAK_SEQUENCE,     nak,               WARN,  "is a NAK: the responder misses this PSN",                            "RR-03")  \
    F(NAK_INVALID,      nak,               ERROR, "is a NAK: the responder cannot take the request",                    "RQ-51")  \
    F(NAK_ACCESS,       nak,               ERROR, "is a NAK: the responder denies the access",                          "RQ-51")  \
    F(NAK_OPERATION,    nak,               ERROR, "is a NAK: the responder failed",                                     "RQ-51")  \
    F(NAK_RD,           nak,               ERROR, "is a NAK: the responder refuses the reliable datagram",              "RQ-51")  \
    F(NAK_RESERVED,     nak,               ERROR, "is a NAK with a reserved code",                                      "WF-48")  \
    F(SYNDROME_RESERVED, nak,              ERROR, "has a reserved syndrome",                                            "WF-48")  \
    F(NAK_AGAIN,        nak,               WARN,  "repeats a NAK before what it asks for has come",                     "RR-04")  \
    F(NAK_AFTER_RNR,    nak,               WARN,  "is a NAK for what an RNR NAK has just put off",                      "RR-51")  \
    F(NAK_IGNORED,      nak,               WARN,  "is a NAK that was not heeded: what it asks for came only when a timer ran out", "RQ-26") \
    F(RNR,              rnr,               WARN,  "says that the receiver is not ready",                                "RR-49")  \
    F(RNR_EARLY,        rnr,               WARN,  "comes back before the wait that the RNR NAK asked for is over",      "RQ-28")  \
    F(GHOST_ACK,        ghost_ack,         WARN,  "answers a PSN that was not sent",                                    "RQ-33")  \
    F(ACK_AGAIN,        duplicate_ack,     NOTE,  "acknowledges again what was acknowledged before",                    "RQ-33")  \
    F(CREDIT_UPDATE,    credit,            NOTE,  "repeats an acknowledgement with other credits",                      "RR-22")  \
    F(CREDIT_STALL,     credit,            NOTE,  "could not be sent sooner, for lack of credits",                      "RQ-40, RQ-41") \
    F(MSN_WRONG,        msn,               ERROR, "counts other messages than were sent",                               "RR-16")  \
    F(SILENCE,          timeout,           WARN,  "asks for an answer, and got no good one",                            "RR-09")  \
    F(AFTER_FATAL,      after_fatal,       ERROR, "is a request on a connection that a NAK has ended",                  "RQ-61")  \
    F(END_REFUSED,      end,               NOTE,  "refuses the connection",                                             "MD-74")  \
    F(END_NAK,          end,               NOTE,  "ends the connection: nothing more was asked of it",                  "RQ-51, RQ-61") \
    F(END_RETRIES,      end,               NOTE,  "ends the connection: nobody answered, and it was not sent again",    "RQ-22")  \
    F(END_RNR,          end,               NOTE,  "ends the connection: the receiver was never ready, and nothing more was asked of it", "RQ-29") \
    F(QP_REUSED,        qp_reuse,          NOTE,  "is the first of another connection of its QP",                       "QS-30")  \
    F(SEQUENCE,         opcode_sequence,   ERROR, "does not go on where the message before stopped",                    "RR-33, UU-06")  \
    F(ANSWER_KIND,      opcode_sequence,   ERROR, "is not an answer to that kind of request",                           "RQ-48")  \
    F(ANSWER_SEQUENCE,  opcode_sequence,   ERROR, "is not the READ response that belongs at its PSN",                   "RQ-46")  \
    F(PSN_OF_READ,      psn_of_read,       ERROR, "has a PSN that the READ before it takes: the ends count its packets differently", "RQ-02")  \
    F(SERVICE,          opcode_sequence,   ERROR, "is of another service than those before and after it",                          "WF-60")  \
    F(OPCODE_RESERVED,  opcode_sequence,   ERROR, "has a reserved opcode",                                              "WF-61")  \
    F(OPCODE_VENDOR,    opcode_sequence,   NOTE,  "has an opcode that its manufacturer gives a meaning",                "VN-02")  \
    F(LENGTH,           length,            ERROR, "has a payload that its opcode cannot have",                          "WF-62")  \
    F(DMA_LENGTH,       length,            ERROR, "does not bring the message to its DMA length",                       "RR-37, UU-07")  \
    F(ANSWER_LENGTH,    length,            ERROR, "has another payload than is missing there of the READ",              "RQ-47")  \
    F(MALFORMED,        length,            ERROR, "has lengths or headers that do not fit",                             "PV-34")  \
    F(BAD_ICRC,         icrc,              ERROR, "has no good ICRC: it was damaged on its way",                        "WF-78")  \
    F(BAD_VCRC,         vcrc,              ERROR, "has no good VCRC: it was damaged on its last link",                  "WF-80")  \
    F(PKEY,             pkey,              WARN,  "is of another partition than those before it",                       "PV-09")  \
    F(MAD_PKEY,         pkey,              WARN,  "answers a management datagram with another partition's P_Key",       "MD-07")  \
    F(QKEY,             qkey,              WARN,  "has another Q_Key than the datagrams before it",                     "PV-18")  \
    F(SPOOF,            spoof,             WARN,  "comes to a connected QP from another address than its peer's",       "PV-22")  \
    F(PATH_CHANGED,     path_change,       NOTE,  "goes another way than those before it",                              "RO-13, RO-15, RO-19") \
    F(CNP,              cnp,               NOTE,  "is a congestion notification",                                       "WF-81")  \
    F(ECN,              ecn,               NOTE,  "met congestion on its way",                                          "RO-41")  \
    F(EVICTED,          evicted,           NOTE,  "needs room: a connection not seen for long is forgotten",            "§9.7")
/* clang-format on */

enum iba_finding_kind {
#define IBA_FINDING_ID(kind, ...) IBA_FINDING_##kind,
    IBA_FINDINGS(IBA_FINDING_ID) IBA_FINDING_COUNT
};
struct iba_finding_info {
    const char *name, *field; /* "retry_nak" in capitals, "retransmission" */
    enum iba_severity severity;
    const char *sentence, *clause;
};
extern const struct iba_finding_info iba_findings[IBA_FINDING_COUNT];
const char *iba_severity_name(enum iba_severity s); /* "note", "warn", "error"; never NULL */

enum iba_copy { IBA_COPY_UNKNOWN, IBA_COPY_ARRIVED, IBA_COPY_LOST };

struct iba_flow;
struct iba_finding {
    enum iba_finding_kind kind;
    uint64_t frame;          /* of the packet; for SILENCE that which asked */
    uint64_t cause;          /* of the packet that explains it: the NAK, the original, the request; 0: none was seen */
    uint64_t tag, cause_tag; /* as the caller gave with those frames */
    iba_time at;
    const struct iba_flow *flow; /* NULL: of no connection. Valid during the report */
    iba_psn psn;
    bool response;    /* the packet is a response, not a request */
    bool no_psn;      /* the packet ends before its BTH */
    uint32_t count;   /* PSNs that are missing (gaps); NAK or RNR timer code; MSN; bits of what changed (path);
                         us since the notification before (CNP); the copy before (RETRY_PAYLOAD): enum iba_copy */
    iba_time wait_ns; /* how long it took, or was to wait: retries, RNR; 0 where it means nothing */
};

enum {
    IBA_OBS_SENT = 128,      /* request packets of a flow whose content is remembered */
    IBA_OBS_RECENT = 64,     /* packets of a flow in which copies are looked for */
    IBA_OBS_REASONS = 8,     /* to go back, of a flow, that may still be on their way */
    IBA_OBS_ASKED = 8192,    /* requests of flows without a peer, in which that of a response is looked for: at least */
    IBA_OBS_BUCKETS = 2,     /* for each direction that is remembered */
    IBA_OBS_LEAP = 256,      /* PSNs: what jumps so far, and is not followed, was damaged or forged */
    IBA_OBS_GAPS = 8,        /* runs of PSNs of a flow that were jumped over, and may only be late */
    IBA_OBS_PUT_OFF = 24,    /* findings of a flow that may turn out to be nothing */
    IBA_OBS_UNSENT = 2,      /* answers of a flow to what was not sent, as far as seen */
    IBA_OBS_ROUTES = 4,      /* changes of a way that are told: some senders change it all the time */
    IBA_OBS_MARKED = 64,     /* QPs with congestion, a power of two: of two at one place the later counts */
    IBA_OBS_READS = 32,      /* READs and ATOMICs of a flow that wait for their answers */
    IBA_OBS_LAST_FOUND = 256 /* flows that are found without a search, one for each of so many QPs */
};

/* Who a flow is: in wire order from the left, zero behind. Of a flow that rested until the end only qpn is told. */
struct iba_flow_key {
    uint8_t kind; /* enum iba_addr_kind */
    uint8_t dst[16];
    uint32_t qpn; /* DestQP */
    uint8_t src[16];
};

struct iba_obs_mark { /* a packet, to be named later */
    uint64_t frame, tag;
    iba_time at;
};
struct iba_obs_recent {
    uint64_t hash, number; /* number: among all packets that were fed */
    struct iba_obs_mark mark;
    uint32_t source;
    iba_psn psn;
    uint16_t ip_id;
    bool request, refuses, late; /* refuses: a NAK of any kind; late: told as that */
};
struct iba_obs_sent {
    struct iba_obs_mark mark;  /* of its latest copy; frame 0: nothing remembered */
    uint16_t request, content; /* bits of hashes of what a retransmission repeats (RQ-06): headers and length; all */
    uint32_t messages;         /* that end before this PSN; valid when counted */
    iba_psn psn;
    uint32_t generation; /* of the requests when this was written; others: nothing remembered */
    uint8_t opcode;
    bool counted, again; /* again: it was sent more than once */
    bool acked;          /* by an ACK with just this PSN */
};
struct iba_obs_read {
    struct iba_obs_mark mark;
    iba_psn psn, expect; /* of the request as last sent; of the next response */
    iba_psn seen;        /* behind the highest response */
    uint32_t n, length;  /* responses, bytes: as last sent. n 0: the path MTU is not known, so neither is this */
    uint8_t opcode;
    bool used, again;       /* again: it was sent more than once, so responses of several runs may mix */
    bool fresh;             /* but began at another PSN before: a First or Only here answers what was sent last */
    bool told, told_before; /* that its answer is missing: as it was sent last; before that */
};

/* What made the requester go back, or will make it. */
enum iba_obs_cause { IBA_CAUSE_NONE, IBA_CAUSE_NAK, IBA_CAUSE_RNR, IBA_CAUSE_IMPLIED };
/* Where a message is, as the responder sees it. */
enum iba_obs_message { IBA_MESSAGE_UNKNOWN, IBA_MESSAGE_NONE, IBA_MESSAGE_SEND, IBA_MESSAGE_WRITE };

struct iba_obs_requests {        /* what this direction asks */
    uint32_t generation;         /* number of this beginning: what is older in `sent` is another's */
    iba_psn first;               /* of the capture */
    iba_psn high;                /* behind the highest PSN that was sent */
    iba_psn next;                /* behind the packet sent last */
    iba_psn stray;               /* behind one that came again out of place: if there is a next, they went back */
    uint8_t strays;              /* how many of them, each right behind the one before */
    uint8_t kept;                /* packets behind a lost one that were acknowledged, and not sent again */
    bool unproven;               /* they were not sent again, but nothing has acknowledged them yet */
    iba_psn seq;                 /* what the responder waits for, as far as the capture shows */
    iba_psn una;                 /* behind the highest that was answered; valid when answered */
    bool any, answered, counts;  /* counts: msn_lo and msn_hi are known */
    bool older;                  /* requests before the first were answered: the capture begins in the middle */
    bool miscounts;              /* its messages were counted wrongly */
    bool ahead;                  /* answers show that it had sent more than the capture has; nothing new came since */
    uint8_t message;             /* enum iba_obs_message, before seq */
    uint32_t dma_left, messages; /* messages that ended before seq */
    uint32_t msn_lo, msn_hi;     /* AETH.MSN minus messages lies between these */
    struct iba_obs_read open;    /* used: the last READ takes a number of PSNs that is not known */
    struct {                     /* why requests go back now */
        bool on;
        bool guess, asked; /* only the next packet will show whether they went back; the last response asked for it */
        bool alone;        /* nothing in the capture asks for it: if nothing follows, it was late */
        bool shown;        /* a response in the capture asks for just this PSN */
        uint8_t kind;      /* enum iba_finding_kind */
        struct iba_obs_mark mark;
    } run;
    struct iba_obs_unsent {       /* answers to what was not sent yet, or not seen; frame 0: none */
        struct iba_obs_mark mark; /* of the first */
        iba_psn psn, end;
        bool asks; /* a NAK: for that PSN */
    } unsent[IBA_OBS_UNSENT];
    struct { /* the last packet leaped far ahead: where things stood before */
        bool on;
        iba_psn high, next, seq;
    } leap;
    struct { /* came again, or late: the next packet will show; frame 0: none */
        struct iba_obs_mark mark;
        iba_psn psn;
        uint16_t ahead;    /* PSNs it jumps over if it is sent again */
        bool told, lawful; /* lawful: as of an answer that is held */
    } doubt;
    struct iba_obs_reason {
        uint8_t cause; /* enum iba_obs_cause */
        bool served;   /* that PSN came again since */
        iba_psn psn;
        iba_time wait_ns;
        struct iba_obs_mark mark;
    } pending, before[IBA_OBS_REASONS]; /* why the next one will; what had been before that */
    uint8_t next_before;
    struct { /* the last packet that asked for an answer */
        bool any;
        uint32_t again;
        iba_psn psn;
        iba_time pause; /* between the last two tries */
        struct iba_obs_mark mark, last;
    } ask;
    uint32_t refused; /* RNR NAKs in a row */
    struct {          /* a timer that runs out sooner than others do */
        bool known;
        iba_psn psn;     /* what came again last by it, or may have */
        iba_time waited; /* 0: none */
    } hasty;
    struct { /* what a timer has sent again, and nothing was answered since */
        iba_psn psn;
        uint8_t n;
    } stuck;
    iba_psn kept_from;               /* with unproven: the first of those that were kept */
    struct {                         /* how far the responder lets it go */
        bool limited, update;        /* update: the grant acknowledged nothing */
        uint32_t msn, limit, before; /* of the last acknowledgement; message number; before the last grant */
        struct iba_obs_mark grant;   /* that raised it last; frame 0: none */
    } credit;
    struct iba_obs_mark fatal;             /* frame 0: none */
    struct iba_obs_mark last, repeat, gap; /* packet; packet that was sent again; that jumped over others */
    struct iba_obs_gap {
        iba_time at; /* when it was jumped over */
        iba_psn psn;
        uint16_t n, done; /* 0: none. Answers: those before `done` came with another run, too */
    } gaps[IBA_OBS_GAPS];
    uint8_t next_gap;
    struct iba_obs_mark copied; /* by the network */
    struct iba_obs_read read[IBA_OBS_READS];
    uint8_t next_read, n_read;              /* n_read: entries that were ever used; they fill from the front */
    struct iba_obs_sent sent[IBA_OBS_SENT]; /* by PSN, modulo */
    struct iba_obs_mark unheeded; /* a NAK that ends the connection if nothing comes back for the answer before it */
};

/* What a packet's way shows in, and is picked by, beside its addresses; and where it is kept: in which of two words, at
 * which bit, how many. */
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
const char *iba_path_part_name(unsigned part);
struct iba_obs_path {
    bool any;
    uint8_t told; /* how often it changed, as far as told */
    uint32_t source;
    uint64_t route[2];
    struct iba_obs_mark mark;
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
    /* From here on what its packets have shown: another connection with the same addresses and QP has none of it. */
    bool has_pkey, has_qkey, has_aeth;
    bool guess;               /* the peer is one of several that would fit */
    bool once;                /* a guess only because it has fitted once */
    uint16_t pkey, last_pkey; /* last_pkey: of the last packet */
    uint32_t qkey, src_qp;    /* of the first datagram */
    uint8_t credits;          /* code of the last acknowledgement */
    bool has_rtt;             /* rtt_min_ns is known: how soon, at least, what goes to the sender has an effect here */
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
    struct { /* does the IPv4 identification count packets? By iba_dir: the two leave by ways of their own */
        uint16_t last;
        uint8_t trust;
        bool any, constant; /* constant: other packets have the same */
    } ip_id[2];
    struct iba_obs_path path[2];                 /* of its last packet, by iba_dir */
    struct iba_obs_gap unanswered[IBA_OBS_GAPS]; /* in this direction's answers to READs and ATOMICs */
    uint8_t next_unanswered;
    bool has_answers;
    iba_psn answers; /* behind the newest of them */
    struct {         /* answers of which each came right behind the one before: how many, where the next would be */
        uint8_t n, before; /* before: of the row that the last one did not go on with */
        iba_psn next;
    } row;
    struct iba_obs_held { /* of the answer to a READ, and may be late: the next will show; frame 0: none */
        struct iba_obs_mark mark;
        iba_psn psn, answers; /* answers: behind the newest before it */
        iba_psn from;         /* of the READ: what is missing if it is not late; psn: it is a First */
        bool late, again;     /* what it is when nothing comes behind it; whether it came before */
        bool lawful;          /* it was overtaken, and its receiver took that: late is nothing to report */
    } held;
    struct { /* how many are put off, and came without being asked for; somebody asked for one; nobody did for many */
        uint8_t n, taken;
        bool strict, lawful;
        bool wanted; /* requests from `psn` on: asked for, and not come again */
        iba_psn psn;
    } order;
    uint8_t next_recent, n_recent;       /* n_recent: entries that were ever used; they fill from the front */
    uint16_t recent_tag[IBA_OBS_RECENT]; /* low bits of the hashes: looked through for each packet */
    struct iba_obs_recent recent[IBA_OBS_RECENT];
    struct iba_obs_put_off { /* a jump over others, or what came late for one: told when somebody asks for it */
        struct iba_obs_mark mark;
        uint64_t cause, cause_tag, of; /* of: frame of the jump */
        iba_psn psn;
        uint16_t n, filled; /* PSNs that were missing; that came */
        uint8_t kind;
    } put_off[IBA_OBS_PUT_OFF];
    struct iba_obs_requests rq;
    struct iba_obs_reason refused; /* the last that it sent while its requests were not known; frame 0: none */
};

/* What is left of a direction that rests, for lack of flows. Behind `tag`: valid at rest only; a hash that two share
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

/* The request remembered at this PSN, or NULL. */
static inline bool iba_obs_has_request(const struct iba_obs_requests *q, iba_psn psn)
{
    const struct iba_obs_sent *e = &q->sent[psn.v % IBA_OBS_SENT];

    return e->mark.frame != 0 && e->generation == q->generation && iba_psn_eq(e->psn, psn);
}
static inline const struct iba_obs_sent *iba_obs_request_at(const struct iba_obs_requests *q, iba_psn psn)
{
    return iba_obs_has_request(q, psn) ? &q->sent[psn.v % IBA_OBS_SENT] : NULL;
}

struct iba_observer_config {
    struct iba_flow *flow; /* n_flow >= 2 */
    uint32_t n_flow;
    struct iba_known
        *known;       /* n_known >= n_flow; with as many no flow ever rests: when all are used, one is forgotten */
    uint32_t n_known; /* below 2^20 */
    uint32_t *bucket; /* IBA_OBS_BUCKETS * n_known */
    uint32_t *asked;  /* optional: where requests are looked for that a response answers, n_asked, a power of two */
    uint32_t n_asked;
    bool zeroed;   /* every byte of all these is 0 already: memory that is never used need not be touched */
    uint32_t pmtu; /* path MTU of all connections, bytes; 0: learned from each. A power of two, 256 to 4096 */
    void (*report)(void *ctx, const struct iba_finding *f);
    /* Optional: before a flow is given to another, unless it is only put to rest. */
    void (*forget)(void *ctx, const struct iba_flow *f);
    void *ctx;
    /* 0: the default. A copy comes within copy_ns and a late packet within late_ns of what it belongs to, where no
     * IPv4 identification tells; who asked and got no answer for silence_ns has been left alone; a flow that rested
     * for rest_ns may be another connection. */
    iba_time copy_ns, late_ns, silence_ns, rest_ns;
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
    struct iba_obs_damaged damaged[IBA_OBS_RECENT];
    uint8_t next_damaged;
    struct iba_obs_congested marked[IBA_OBS_MARKED];   /* the first marked packet that no notification answers */
    struct iba_obs_congested notified[IBA_OBS_MARKED]; /* the last notification, at each capture point */
    uint32_t asked[IBA_OBS_ASKED]; /* who asked, by addresses and PSN; unless the configuration brings a larger one */
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
    enum iba_severity worst;  /* of the packet fed last */
    struct iba_obs_mark same; /* the packet fed last is this one at another capture point; frame 0: is new */
    struct iba_obs_mark now;  /* that packet */
    uint32_t source;
};

struct iba_told {               /* what connection management says of a packet */
    bool any;                   /* it is a message with a finding */
    enum iba_finding_kind kind; /* END_REFUSED, QP_REUSED, MAD_PKEY */
    uint32_t count;             /* END_REFUSED: the reason */
    struct iba_obs_mark
        cause;      /* of the message that began the connection, or that before; of the request it answers; 0: none */
    uint64_t begun; /* of a data packet: the frame that made its connection; 0: not known */
};
struct iba_direction { /* what a direction is found by */
    uint64_t from, to; /* hashes of the addresses */
    uint32_t target;   /* of `to` and the QP */
    uint32_t qpn;      /* DestQP */
};
struct iba_expected { /* a packet that is fed soon */
    const struct iba_view *view;
    struct iba_direction id;
    uint32_t known; /* index plus 1; 0: not known yet */
    bool any;       /* it has one */
};
struct iba_sighting {                    /* one packet at one capture point */
    const struct iba_view *view;         /* checked */
    iba_time now;                        /* steps back are taken as no time passing */
    uint64_t frame;                      /* not 0 */
    uint64_t tag;                        /* anything: given back with the frame */
    uint32_t source;                     /* capture point: the same packet at two of them is one packet */
    const struct iba_told *told;         /* optional */
    const struct iba_expected *expected; /* of this view; optional */
};

void iba_observer_init(struct iba_observer *s, const struct iba_observer_config *cfg);
/* NULL when the packet is of no connection. */
const struct iba_flow *iba_observer_feed(struct iba_observer *s, const struct iba_sighting *p);
/* Packets that are fed soon: what is known of their directions is far away in memory. Each step fetches what the next
 * one reads, so take each for several packets before the next; all are optional. The last returns the direction's tag,
 * 0 when it is not known. */
void iba_observer_expect(const struct iba_observer *s, struct iba_expected *e, const struct iba_view *v);
void iba_observer_fetch(const struct iba_observer *s, struct iba_expected *e);
uint32_t iba_observer_fetch_peer(const struct iba_observer *s, const struct iba_expected *e);
/* Fewer flows from here on, the first n: the others rest. */
void iba_observer_shrink(struct iba_observer *s, uint32_t n_flow);
/* Nothing more comes. */
void iba_observer_end(struct iba_observer *s, iba_time now);
/* The other direction, or NULL: also when it is at rest, which it is not while a response is fed. */
const struct iba_flow *iba_observer_peer(const struct iba_observer *s, const struct iba_flow *f);
#endif
