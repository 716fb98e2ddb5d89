/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings held against what the simulator logged and the engines traced: precision and recall of each kind.
 *
 * The capture is what the network card of end 0 sees: its own packets as they leave, the other end's as they arrive.
 * Both ends ask, so both views of every kind are in it. What must be found comes from the log, the engines, and what of
 * that passed the capture point, never from the observer. Packets are matched one by one: core/README.md says what
 * counts. */
#ifndef SCORE_H
#define SCORE_H
#include "adapter/test/pair.h"
#include "observer/iba_finding_kinds.h"
#include "observer/iba_observer.h"

enum { SCORE_FRAMES = 1 << 16 };
#define SCORE_KIND(kind) (UINT64_C(1) << IBA_FINDING_##kind)

/* Of a packet that others overtook. */
enum score_overtaken {
    SCORE_SHOWN,  /* as late: its receiver, or the capture, lacks a packet that was overtaken with it */
    SCORE_LAWFUL, /* its receiver waited for it */
    SCORE_UNCLEAR /* so it did, but waited in vain for another */
};
struct score_frame { /* as an engine sent it */
    iba_psn psn;
    uint32_t n;    /* PSNs it takes */
    uint32_t read; /* READ responses: which run of them, from 1 */
    uint64_t retry,
        nak;          /* kind of finding, as a bit: a request sent before, and why; a response that is not positive */
    uint64_t headers; /* a hash of all before the payload */
    uint64_t content; /* a hash of what stands behind the BTH */
    uint64_t asked;   /* of the headers there, and the length */
    uint64_t way;     /* what picks its way: traffic class without ECN, hop limit, flow label */
    uint64_t ends;    /* kind of finding, as a bit: the requester took it as the end of the connection */
    uint32_t cause;   /* retry: the frame that made the sender go back, plus 1; 0: a timer */
    uint32_t run;     /* retry: the frame with which the sender went back */
    uint64_t heeded;  /* of that frame: score_reason() of those that came with it, as far as the capture has come */
    uint8_t from, opcode, credits, overtaken;
    bool request, plain; /* plain: an ACK and nothing else */
    bool asks;           /* request: for an answer */
    bool marked;         /* by the network */
    bool captured;       /* as far as the capture has come */
    bool accepted;       /* a copy arrived, and the adapter found it whole */
    bool in_vain;        /* its receiver dropped it because one before it was lost, or waited for that in vain */
    bool misses;         /* a response: the requester found that an answer before it is missing */
};
/* Of a PSN that a packet jumps over. Uncertain: the capture has it in a packet whose headers are damaged. */
enum score_missing { SCORE_CAPTURED, SCORE_UNCERTAIN, SCORE_MISSING };
struct score_sight { /* one packet that passed the capture point */
    uint32_t frame;
    iba_time at;
    bool copy;                 /* that frame has passed before */
    bool refused;              /* by the adapter's checks of lengths and CRCs */
    bool seen;                 /* is in the capture */
    uint64_t way;              /* of score_frame.way, what it is in the capture */
    bool headers_damaged;      /* they are not as they were sent */
    bool shows_damage;         /* if it is damaged: its ICRC or its lengths are in the capture */
    bool disguised;            /* damaged in what was captured of it, and no ICRC to show it: the capture has another */
    enum score_overtaken jump; /* of those it left a hole for; SCORE_SHOWN as well: it left none */
    uint64_t found, must;      /* kinds of findings: said; true */
    uint64_t hidden, either;   /* true, but another history gives the same capture; as good said as left out */
};

/* What the network and the adapters in it are like. */
enum score_network {
    SCORE_PLAIN,      /* packets come in order, but for faults; adapters go back to what was lost */
    SCORE_REORDERING, /* packets overtake others all the time, and adapters take them in any order */
    SCORE_OLDEST, /* adapters keep what comes behind a loss, and a timer makes them send the oldest packet again only */
    SCORE_SELECTIVE, /* the same, and they ask for what is missing */
    SCORE_ADAPTIVE,  /* timers begin below 1 ms, and run twice as long each time that nothing is answered */
    SCORE_REUSED,    /* a QP of each connection, or both, had another connection before, and has other PSNs now */
    SCORE_NETWORKS
};
enum score_way { SCORE_WHOLE, SCORE_CUT, SCORE_LOSSY, SCORE_MIDSTREAM, SCORE_WAYS };

struct score_run {
    enum score_way way;
    enum score_network network;
    struct score_frame frame[SCORE_FRAMES];
    struct score_sight sight[SCORE_FRAMES];
    uint32_t n_frame, n_sight;
    bool gave_up[2];                  /* that end: it was tried as often as agreed */
    uint32_t said[IBA_FINDING_COUNT]; /* how often, in the connection that is scored */
    uint64_t digest;                  /* of everything that these findings say, in their order */
};

/* Plays the network of that kind and number, and fills in what is true and what was said. */
void score_play(struct score_run *r, enum score_way way, enum score_network network, uint64_t seed);
/* Whether the capture before `e` lacks that frame and its repeats, damaged ones not counted as lacking. */
enum score_missing score_missing(const struct score_run *r, const struct score_sight *e, uint32_t frame);
/* What was captured of that PSN before was another request, or had other payload: its memory was written in between.
 * The kind of finding, as a bit; 0: neither. */
uint64_t score_changed(const struct score_run *r, const struct score_frame *f, uint32_t id);
/* For what a request that is sent again was asked for, by responses captured since it was sent last and 10 ms ago at
 * most: kinds of findings. A slow requester may heed them only now. */
uint64_t score_reason(const struct score_run *r, const struct score_sight *e);
/* Fills in must and may of every packet in the capture. */
void score_truth(struct score_run *r);
#endif
