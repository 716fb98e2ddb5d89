/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares findings with the log of the simulator and the traces of the engines: precision and recall of each kind.
 *
 * The capture is what the network card of end 0 sees: its own packets as they leave, and the packets of the other end
 * as they arrive. Both ends send requests, so the capture has both views of every kind. The required findings come from
 * the log, the engines, and the packets that passed the capture point, never from the observer. Packets are matched one
 * by one: docs/accuracy.md lists the rules of counting. */
#ifndef SCORE_H
#define SCORE_H
#include "adapter/test/pair.h"
#include "observer/iba_finding_kinds.h"
#include "observer/iba_observer.h"

enum { SCORE_FRAMES = 1 << 16 };
#define SCORE_KIND(kind) (UINT64_C(1) << IBA_FINDING_##kind)

/* The kind of a packet that others overtook. */
enum score_overtaken {
    SCORE_SHOWN,  /* shows as late: its receiver, or the capture, lacks a packet that was overtaken with it */
    SCORE_LAWFUL, /* its receiver waited for it */
    SCORE_UNCLEAR /* its receiver waited for it, but waited for another packet that did not come */
};
struct score_frame { /* a packet as an engine sent it */
    iba_psn psn;
    uint32_t n;    /* PSNs it takes */
    uint32_t read; /* READ responses: number of the run, from 1 */
    uint64_t retry,
        nak;          /* kinds of findings, as a bit: retry: a retransmission, and its reason; nak: a NAK or RNR NAK */
    uint64_t headers; /* a hash of all before the payload */
    uint64_t content; /* a hash of the bytes after the BTH */
    uint64_t asked;   /* a hash of the headers after the BTH, and the length */
    uint64_t name;    /* a hash of addresses, QP and PSN, and whether it is a request */
    uint64_t mode;    /* a hash of its path: traffic class without ECN, hop limit, flow label */
    uint64_t ends;    /* kind of finding, as a bit: the requester took it as the end of the connection */
    uint32_t cause;   /* retry: the frame that made the sender go back, plus 1; 0: a timer */
    uint32_t run;     /* retry: the frame with which the sender went back; a READ response: the first of its answer;
                         otherwise: itself */
    uint64_t obeyed;  /* for the frame `run`: score_reason() of the retransmissions that came with it, up to this point
                         of the capture */
    uint8_t from, opcode, credits, overtaken;
    bool request, plain; /* plain: an ACK and nothing else */
    bool asks;           /* a request that asks for an answer */
    bool marked;         /* the network set a congestion mark */
    bool captured;       /* captured up to this point of the capture */
    bool accepted;       /* a copy arrived, and the adapter found it undamaged */
    bool in_vain; /* its receiver dropped it, because an earlier packet was lost, or did not come while the receiver
                     waited */
    bool misses;  /* a response: the requester found that an answer before it is missing */
};
/* Whether the capture lacks a PSN that a packet jumps over. It is uncertain if the capture has that PSN in a packet
 * with damaged headers. */
enum score_missing { SCORE_CAPTURED, SCORE_UNCERTAIN, SCORE_MISSING };
struct score_sight { /* one packet that passed the capture point */
    uint32_t frame;
    iba_time at;
    bool copy;            /* the frame has passed the capture point before */
    bool refused;         /* the adapter's checks of lengths and CRCs refused it */
    bool seen;            /* the packet is in the capture */
    uint64_t mode;        /* the hash score_frame.way, as the capture shows it */
    bool headers_damaged; /* the headers differ from those that were sent */
    bool shows_damage;    /* if it is damaged: the capture has its ICRC or its lengths */
    bool names;     /* damaged or not, the captured bytes name addresses, QP and PSN of the frame, and its direction */
    bool disguised; /* the captured bytes are damaged, and no ICRC shows it: the capture seems to have another packet */
    enum score_overtaken jump; /* kind of those packets that it overtook and whose PSNs it jumps over; SCORE_SHOWN also:
                                  there are none */
    uint64_t found, must;      /* kinds of findings: found: those reported; must: those required */
    /* hidden: true, but another history gives the same capture; either: may be reported or not */
    uint64_t hidden, either;
};

/* The network, and the adapters in it. */
enum score_network {
    SCORE_PLAIN,      /* packets come in order, except for faults; adapters go back to lost packets */
    SCORE_REORDERING, /* packets overtake others all the time, and adapters accept them in any order */
    SCORE_OLDEST,    /* adapters keep packets that arrive after a lost one, and at a timeout send only the oldest packet
                        again */
    SCORE_SELECTIVE, /* as SCORE_OLDEST, and the responders ask for missing packets */
    SCORE_ADAPTIVE,  /* timers begin below 1 ms, and run twice as long each time that nothing was answered */
    SCORE_REUSED,    /* a QP of each connection, or both, had another connection before, and has other PSNs now */
    SCORE_NETWORKS
};
enum score_mode { SCORE_WHOLE, SCORE_CUT, SCORE_LOSSY, SCORE_MIDSTREAM, SCORE_MODES };
/* "plain", "reordering" ...; "whole", "cut" ... */
extern const char *const score_networks[SCORE_NETWORKS], *const score_ways[SCORE_MODES];

struct score_run {
    enum score_mode mode;
    enum score_network network;
    struct score_frame frame[SCORE_FRAMES];
    struct score_sight sight[SCORE_FRAMES];
    uint32_t n_frame, n_sight;
    bool gave_up[2];                        /* that end gave up: it had sent a packet as often as agreed */
    uint32_t n_reported[IBA_FINDING_COUNT]; /* number of findings in the connection that is scored */
    uint64_t digest;                        /* a digest of the contents of these findings, in order */
};

/* Plays the network of that kind and number. Fills in the findings that are required, and those that the observer
 * reports. */
void score_play(struct score_run *r, enum score_mode mode, enum score_network network, uint64_t seed);
/* The same for a network of few packets, of which the network loses, delays, damages and marks many. */
void score_play_short(struct score_run *r, enum score_mode mode, enum score_network network, uint64_t seed);
/* Returns whether the capture before `e` lacks that frame and its repeats. Damaged frames count as captured. */
enum score_missing score_missing(const struct score_run *r, const struct score_sight *e, uint32_t frame);
/* Returns the kind of finding, as a bit, if the earlier captured packet of that PSN was another request, or had another
 * payload because its memory was written in between; 0 otherwise. */
uint64_t score_changed(const struct score_run *r, const struct score_frame *f, uint32_t id);
/* The kinds of retransmission that responses asked for: responses captured since the request was sent last, 10 ms ago
 * at most, or sent before a capture that began in the middle, 10 ms ago at most, and that lacks the request. A slow
 * requester may react to them only now. RNR_EARLY: the wait of one of them is not over. */
uint64_t score_reason(const struct score_run *r, const struct score_sight *e);
/* The retransmission directly follows the frame `newest`, which was sent again shortly before. Both may belong to one
 * series of retransmissions, in which the sender had to pause. Returns the kinds that the retransmission may then have,
 * or 0. */
uint64_t score_paused(const struct score_run *r, const struct score_sight *e, uint32_t newest);
/* Returns whether all captured requests of the same sender with later PSNs came less than a round trip ago. */
bool score_just_overtaken(const struct score_run *r, const struct score_sight *e);
/* Returns the previous request of the same sender if it has the same bytes and came at the same instant; NULL
 * otherwise. */
const struct score_sight *score_previous_twin(const struct score_run *r, const struct score_sight *e);
/* Returns the packet after this one if it is a retransmission caused by a captured response. The two then look like
 * that retransmission and a network copy of it, which is likelier. */
const struct score_sight *score_comes_with_retry(const struct score_run *r, const struct score_sight *e);
/* Returns whether the capture has at most a few requests of that end before the packet, none of them within a round
 * trip of another. These may be single retransmissions from before the capture, and the requests that the packet jumps
 * over may have been sent then (score_same.c). */
bool score_begins(const struct score_run *r, const struct score_sight *e);
/* Returns whether another frame with the same PSN and opcode was sent, up to the frame `newest`. */
bool score_sent_twice(const struct score_run *r, uint32_t newest, uint32_t id);
/* Returns whether the responder sent a response with this PSN before, even before the capture began. */
bool score_answers_again(const struct score_run *r, uint32_t id);
/* Returns whether a NAK asked for the next transmission of this request. */
bool score_is_asked_for(const struct score_run *r, uint32_t id);
/* Returns whether the packet needs a receive; a responder without one sends an RNR NAK (RR-49). */
bool score_takes_receive(const struct score_frame *f);
/* Returns whether the capture has exactly one request of that end before the packet, and a captured NAK asked for it.
 * The requests after it may then have been sent before the capture, too (score_same.c). */
bool score_asked_first(const struct score_run *r, const struct score_sight *e);
/* Returns whether the requester went back because of the response in that frame. */
bool score_was_obeyed(const struct score_run *r, uint32_t id);
/* Returns whether the frame has the kind and sender of the packet, was sent before it, and is not captured yet. */
bool score_is_overtaken(const struct score_run *r, const struct score_sight *e, uint32_t frame);
/* Returns whether the frame is captured after the packet. */
bool score_comes_later(const struct score_run *r, const struct score_sight *e, uint32_t frame);
/* Fills in the required and possible findings of every packet in the capture. */
void score_truth(struct score_run *r);
#endif
