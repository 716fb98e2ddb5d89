/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer of captures. The observer follows both ends of each connection from packets alone, and reports findings:
 * events that explain the traffic, and packets that break a rule.
 *
 *     struct iba_observer_config cfg = {.n_flow = 1024, .n_known = 65536, .report = print, .ctx = &out};
 *     struct iba_observer *s = iba_observer_init(malloc(iba_observer_bytes(&cfg)), &cfg);
 *     each packet:  iba_view_parse(&v, ...); iba_view_check(&v);
 *                   iba_observer_feed(s, &(struct iba_sighting){.view = &v, .now = t, .frame = n});
 *     at the end:   iba_observer_end(s, t);      reports the findings that still wait for packets
 *
 * The observer reports the findings of a packet during the call that feeds it. A flow is one direction: packets from
 * one address to one QP. The observer pairs the two directions of a connection by addresses and by PSNs that answer
 * PSNs. If more than one direction fits, the pair is a guess; no finding depends on a guess alone.
 *
 * A capture may begin in the middle, show one direction only, or lack packets. The observer judges only what the
 * capture shows. */
#ifndef IBA_OBSERVER_H
#define IBA_OBSERVER_H
#include <stddef.h>
#include "observer/iba_finding.h"
#include "observer/iba_message.h"
#include "wire/iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The observer remembers the content of this many newest requests of a direction. The observer does not judge packets
 * further back. */
enum { IBA_OBSERVER_WINDOW = 128 };

/* The direction of a flow: addresses in wire order from the left, followed by zeros. For a flow that rested until the
 * end only qpn is known. */
struct iba_flow_key {
    uint8_t kind; /* enum iba_addr_kind */
    uint8_t dst[16];
    uint32_t qpn; /* DestQP */
    uint8_t src[16];
};
struct iba_obs_mark { /* a packet that later findings may name */
    uint64_t frame, tag;
    iba_time at;
};

struct iba_observer_config {
    uint32_t n_flow;  /* n_flow: directions in use at the same time, at least 2; each takes 15 KiB */
    uint32_t n_known; /* n_known: directions remembered, n_flow to 2^20 - 1; a direction at rest takes a hundredth of a
                         flow. With n_known equal to n_flow no direction rests: when all flows are used, the observer
                         forgets one */
    /* Newest requests of directions without a peer: a response looks for its request among them. A power of two;
     * 0: 8192. */
    uint32_t n_asked;
    uint64_t seed; /* secret, so that nobody can choose addresses whose hashes collide; no result depends on the seed */
    bool zeroed;   /* every byte of the memory is 0 already, so the observer need not touch pages that it never uses */
    /* This observer gets some connections of a capture, and other observers get the rest: iba_observer_part(). */
    bool part;
    uint32_t pmtu; /* path MTU of all connections, bytes; 0: learned from each. A power of two, 256 to 4096 */
    void (*report)(void *ctx, const struct iba_finding *f);
    /* Optional: a direction begins. The caller returns a number for the direction; findings and iba_observer_feed()
     * give that number back. 0: not numbered, so the observer asks again when it needs the number. */
    uint32_t (*begun)(void *ctx, const struct iba_flow *f);
    /* Optional: the current packet is the first to answer the request in this frame. */
    void (*answered)(void *ctx, uint64_t frame);
    /* Optional: a message has ended. */
    void (*message)(void *ctx, const struct iba_message *m);
    uint32_t n_message; /* used with `message`: most open messages of a direction, at least 1; when one more begins, the
                           oldest ends */
    /* Optional: a decision table has decided. Called also when no finding follows. */
    void (*decided)(void *ctx, const struct iba_decision *row);
    /* Optional: called before the flow passes to another direction, unless the direction only goes to rest. */
    void (*forget)(void *ctx, const struct iba_flow *f);
    void *ctx;
    /* 0 selects the default of each of these times. Without IPv4 identifications that count packets, a copy comes
     * within copy_ns of its original, and a late packet within late_ns of the packet that overtook it. A request that
     * has no response after silence_ns counts as unanswered. A flow that rested for rest_ns may belong to another
     * connection. */
    iba_time copy_ns, late_ns, silence_ns, rest_ns;
};

enum { IBA_CM_SAID_MOST = 4 };
struct iba_cm_said {
    uint8_t kind;   /* enum iba_finding_kind: END_REFUSED, QP_REUSED, MAD_PKEY, CM_... */
    uint32_t count; /* END_REFUSED: the reason; CM_AGAIN...: how often the message was sent */
    /* the packet that explains the finding: the message that began this or the previous connection, the request that
     * the packet answers, or for CM_AGAIN... the earlier transmission; frame 0: none */
    struct iba_obs_mark cause;
    iba_time wait_ns; /* CM_AGAIN...: time since `cause` */
};
struct iba_cm_facts { /* facts from connection management about a packet */
    uint8_t n;        /* number of findings about the packet, a connection management message */
    struct iba_cm_said said[IBA_CM_SAID_MOST];
    uint64_t begun; /* for a data packet: the frame that made its connection; 0: not known */
};
struct iba_direction { /* the key by which a direction is found */
    uint64_t from, to; /* hashes of the addresses */
    uint64_t target;   /* hash of `to` and the QP */
    uint32_t qpn;      /* DestQP */
};
struct iba_expected { /* a packet that is fed soon */
    const struct iba_view *view;
    struct iba_direction id;
    uint32_t place; /* where a search for the packet's direction begins */
    uint32_t known; /* the direction, index plus 1; 0: not known yet */
    bool any;       /* the packet has a direction */
};
struct iba_sighting {                    /* one packet at one capture point */
    const struct iba_view *view;         /* checked */
    iba_time now;                        /* if the time steps back, no time passes */
    uint64_t frame;                      /* not 0 */
    uint64_t tag;                        /* any value: findings give the tag back with the frame */
    uint32_t source;                     /* capture point: the same packet at two capture points counts once */
    const struct iba_cm_facts *cm;       /* optional */
    const struct iba_expected *expected; /* optional: from iba_observer_expect() of the same view */
    const uint64_t *content;             /* optional: iba_observer_content() of the same view */
};
struct iba_observed {            /* results for one packet */
    const struct iba_flow *flow; /* its direction; NULL: the packet belongs to no connection */
    uint32_t direction;          /* the number that the caller gave the direction; 0: none */
    /* the newest transmission of the request that the packet answers; frame 0: not known, or the pair is a guess */
    struct iba_obs_mark request;
    uint64_t same_as;        /* frame of the same packet at another capture point; 0: it was not seen there */
    enum iba_severity worst; /* the worst severity of the packet's findings */
    bool copy;               /* the packet repeats an earlier one: at another capture point, or as a network copy */
    bool damaged;            /* the receiver drops the packet: iba_view_is_damaged() */
};

/* Returns how many bytes of memory the observer needs. The memory is aligned as malloc() aligns. */
size_t iba_observer_bytes(const struct iba_observer_config *cfg);
/* Makes an observer in `memory`, which stays the caller's. */
struct iba_observer *iba_observer_init(void *memory, const struct iba_observer_config *cfg);
/* Restores the observer's pointers after the caller has moved the memory, as realloc() does. */
struct iba_observer *iba_observer_moved(void *memory);
/* Reduces the flows to the first n_flow; the directions of other flows go to rest. Returns how many bytes of the memory
 * are still used, from its beginning; the caller may take the rest back. */
size_t iba_observer_shrink(struct iba_observer *s, uint32_t n_flow);

/* Judges one packet. The result is valid until the next call. */
const struct iba_observed *iba_observer_feed(struct iba_observer *s, const struct iba_sighting *p);
/* No more packets come: reports the findings that still wait for packets. */
void iba_observer_end(struct iba_observer *s, iba_time now);

/* Optional, for packets that are fed soon. The entries of these packets' directions are probably not in the cache. Each
 * step prefetches the memory that the next step reads, so the caller does each step for several packets before the next
 * step. The last step returns the direction's number, 0 when the direction is not known. */
void iba_observer_expect(const struct iba_observer *s, struct iba_expected *e, const struct iba_view *v);
void iba_observer_fetch(const struct iba_observer *s, struct iba_expected *e);                /* the second step */
uint32_t iba_observer_fetch_peer(const struct iba_observer *s, const struct iba_expected *e); /* the last step */
/* Returns the hash by which the observer compares the bytes of packets. A caller that has just read the bytes may
 * compute the hash, in another thread too. The packet has a BTH. */
uint64_t iba_observer_content(const struct iba_view *v);
/* True when some directions are at rest. Only then iba_observer_expect() and the later steps are worth their time. */
bool iba_observer_has_resting(const struct iba_observer *s);

/* ---- properties of a direction; flows are valid until the next packet ---- */
const struct iba_flow_key *iba_flow_key(const struct iba_flow *f);
enum iba_svc iba_flow_svc(const struct iba_flow *f); /* by its opcodes */
/* Path MTU, bytes; 0: not seen. */
uint32_t iba_flow_pmtu(const struct iba_flow *f);
/* True when the flow has a peer. The peer may be at rest, or a guess: then several directions would fit. */
bool iba_flow_is_paired(const struct iba_flow *f);
bool iba_flow_is_guess(const struct iba_flow *f); /* a guess: see iba_flow_is_paired() */
/* Gives the source QP in the DETH of the direction's datagrams; false: the direction has no datagrams. */
bool iba_flow_src_qp(const struct iba_flow *f, uint32_t *qpn);
struct iba_flow_counts { /* counted since the last rest */
    uint64_t packets, requests, responses;
    uint64_t bytes;        /* of payload */
    const uint32_t *found; /* findings by kind */
    uint64_t fatal;        /* frame of the first NAK from this direction that ends the connection; 0: none */
    iba_time began;        /* time of the direction's first packet */
};
struct iba_flow_counts iba_flow_counts(const struct iba_flow *f); /* found is valid until the next packet */
/* Returns the other direction; NULL: it is not known, or at rest. While a response is fed, the other direction is not
 * at rest. */
const struct iba_flow *iba_observer_peer(const struct iba_observer *s, const struct iba_flow *f);
/* Returns the number that the caller gave the direction, 0: none. Asks the caller for a number if the direction has
 * none yet. */
uint32_t iba_observer_direction(struct iba_observer *s, const struct iba_flow *f);
/* The flow with this index among n_flow; NULL: neither this flow nor one after it was ever used. */
const struct iba_flow *iba_observer_flow(const struct iba_observer *s, uint32_t index);

struct iba_observer_totals {
    uint64_t packets, others;     /* packets: with a transport header; others: without */
    uint64_t seen_twice, evicted; /* seen_twice: packets at two capture points; evicted: forgotten directions */
    const uint32_t *found;        /* findings by kind */
};
struct iba_observer_totals iba_observer_totals(const struct iba_observer *s); /* of all packets so far */

/* An observer of all packets between some addresses, in both directions, judges as an observer of the whole capture
 * does, unless a decision depends on packets between other addresses. The observer of a part notices each such
 * decision. Besides, the tables that all connections share would have to suffice for the whole capture: the caller adds
 * up what the parts use. */
struct iba_observer_part {
    bool depends; /* a decision depended on other connections, or might have */
    bool
        began_again; /* a flow started a new connection, so the order of flows is not that of the directions' numbers */
    uint64_t directions, most_directions; /* directions: number remembered; most_directions: most in a whole capture if
                                             each has a flow */
    uint64_t damaged, most_damaged; /* damaged: number of damaged packets; most_damaged: most that an observer of a
                                       whole capture remembers */
    uint64_t congested; /* a bit for each used place in the table of congested senders: two parts must not use the same
                           place */
};
struct iba_observer_part iba_observer_part(const struct iba_observer *s); /* of all packets so far */

#ifdef __cplusplus
}
#endif

#endif
