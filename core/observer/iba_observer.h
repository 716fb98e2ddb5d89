/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer of captures: what packets show of both ends of a connection, and what the rules say of it.
 *
 *     struct iba_observer_config cfg = {.n_flow = 1024, .n_known = 65536, .report = print, .ctx = &out};
 *     struct iba_observer *s = iba_observer_init(malloc(iba_observer_bytes(&cfg)), &cfg);
 *     each packet:  iba_view_parse(&v, ...); iba_view_check(&v);
 *                   iba_observer_feed(s, &(struct iba_sighting){.view = &v, .now = t, .frame = n});
 *     at the end:   iba_observer_end(s, t);      reports the findings that still wait for packets
 *
 * The observer reports the findings of a packet during the call that feeds it. A flow is one direction: packets from
 * one address to one QP. The observer pairs the two directions of a connection by addresses and by PSNs that answer
 * PSNs. Where more than one direction fits, the pair is a guess; no finding rests on a guess alone.
 *
 * A capture may begin in the middle, show one direction only, or lack packets. The observer judges only what the
 * capture shows. */
#ifndef IBA_OBSERVER_H
#define IBA_OBSERVER_H
#include <stddef.h>
#include "observer/iba_finding.h"
#include "wire/iba_view.h"

/* Requests of a direction whose content the observer remembers; a packet further back is of another time. */
enum { IBA_OBSERVER_WINDOW = 128 };

/* Which direction a flow is: addresses in wire order from the left, zero after them. Of a flow that rested until the
 * end only qpn is known. */
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

struct iba_observer_config {
    uint32_t n_flow;  /* directions looked at together, at least 2; each takes 15 KiB */
    uint32_t n_known; /* directions remembered, n_flow to 2^20 - 1; a direction that rests takes a hundredth. With
                         n_flow of them none rests: when all are used, one is forgotten */
    uint32_t n_asked; /* requests among which that of a response is looked for, a power of two; 0: 8192 */
    bool zeroed;      /* every byte of the memory is 0 already: pages that are never used need not be touched */
    uint32_t pmtu;    /* path MTU of all connections, bytes; 0: learned from each. A power of two, 256 to 4096 */
    void (*report)(void *ctx, const struct iba_finding *f);
    /* Optional: the packet at hand is the first to answer this frame, a request. */
    void (*answered)(void *ctx, uint64_t frame);
    /* Optional: a decision table has decided, also where no finding follows. */
    void (*decided)(void *ctx, const struct iba_decision *row);
    /* Optional: before a flow is given to another direction, unless the direction only goes to rest. */
    void (*forget)(void *ctx, const struct iba_flow *f);
    void *ctx;
    /* 0: the default. Where no IPv4 identification tells, a copy comes within copy_ns, and a late packet within
     * late_ns, of the packet it belongs to. A requester that gets no answer for silence_ns is left alone. A flow that
     * rested for rest_ns may be another connection. */
    iba_time copy_ns, late_ns, silence_ns, rest_ns;
};

struct iba_told {   /* what connection management says of a packet */
    bool any;       /* it is a message with a finding */
    uint8_t kind;   /* enum iba_finding_kind: END_REFUSED, QP_REUSED, MAD_PKEY */
    uint32_t count; /* END_REFUSED: the reason */
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
struct iba_observed {            /* what the observer knows of a packet */
    const struct iba_flow *flow; /* its direction; NULL: it is of no connection */
    uint32_t *tag;               /* iba_observer_tag() of the direction */
    struct iba_obs_mark
        request;             /* the request that it answers, as last sent; frame 0: not known, or the pair is a guess */
    uint64_t same_as;        /* frame of this packet at another capture point; 0: it is new */
    enum iba_severity worst; /* of its findings */
    bool copy;               /* of a packet before it: at another capture point, or made by the network */
    bool damaged;            /* its receiver drops it: iba_view_is_damaged() */
};

/* Bytes of memory that the observer needs, aligned as malloc() aligns. */
size_t iba_observer_bytes(const struct iba_observer_config *cfg);
/* The observer lives in `memory`, which stays the caller's. */
struct iba_observer *iba_observer_init(void *memory, const struct iba_observer_config *cfg);
/* The caller has moved the memory, as realloc() does. */
struct iba_observer *iba_observer_moved(void *memory);
/* Fewer flows from here on, the first n: the others rest. Returns how many bytes of the memory are still used, from its
 * beginning; the caller may take the rest back. */
size_t iba_observer_shrink(struct iba_observer *s, uint32_t n_flow);

/* Valid until the next call. */
const struct iba_observed *iba_observer_feed(struct iba_observer *s, const struct iba_sighting *p);
/* No more packets come. */
void iba_observer_end(struct iba_observer *s, iba_time now);

/* Optional, for packets that are fed soon: what is known of their directions is far away in memory. Each step fetches
 * what the next one reads, so take each for several packets before the next. The last returns the direction's tag, 0
 * when it is not known. */
void iba_observer_expect(const struct iba_observer *s, struct iba_expected *e, const struct iba_view *v);
void iba_observer_fetch(const struct iba_observer *s, struct iba_expected *e);
uint32_t iba_observer_fetch_peer(const struct iba_observer *s, const struct iba_expected *e);
/* Some directions are at rest, so that fetching is worth while. */
bool iba_observer_has_resting(const struct iba_observer *s);

/* ---- what is known of a direction; flows are valid until the next packet ---- */
const struct iba_flow_key *iba_flow_key(const struct iba_flow *f);
enum iba_svc iba_flow_svc(const struct iba_flow *f);
/* Path MTU, bytes; 0: not seen. */
uint32_t iba_flow_pmtu(const struct iba_flow *f);
/* It has a peer, which may be at rest; the peer is one of several that would fit. */
bool iba_flow_is_paired(const struct iba_flow *f);
bool iba_flow_is_guess(const struct iba_flow *f);
/* The QP that its datagrams come from, as they say; false: they do not. */
bool iba_flow_src_qp(const struct iba_flow *f, uint32_t *qpn);
struct iba_flow_counts { /* since it rested, if it did */
    uint64_t packets, requests, responses;
    uint64_t bytes;        /* of payload */
    const uint32_t *found; /* findings by kind */
    uint64_t fatal;        /* frame of the first NAK it sent that ends the connection; 0: none */
    iba_time began;        /* its first packet */
};
struct iba_flow_counts iba_flow_counts(const struct iba_flow *f);
/* The other direction, or NULL: also when it is at rest, which it is not while a response is fed. */
const struct iba_flow *iba_observer_peer(const struct iba_observer *s, const struct iba_flow *f);
/* A word of the caller's for each direction: 0 when the direction begins, kept until the observer forgets it. */
uint32_t *iba_observer_tag(struct iba_observer *s, const struct iba_flow *f);
/* Where a flow stands among n_flow. */
uint32_t iba_observer_index(const struct iba_observer *s, const struct iba_flow *f);
/* The flow there; NULL: neither it nor one after it was ever used. */
const struct iba_flow *iba_observer_flow(const struct iba_observer *s, uint32_t index);

struct iba_observer_totals {
    uint64_t packets, others;     /* with a transport header; without */
    uint64_t seen_twice, evicted; /* packets at two capture points; directions that were forgotten */
    const uint32_t *found;        /* findings by kind */
};
struct iba_observer_totals iba_observer_totals(const struct iba_observer *s);
#endif
