/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges packets as they come, in one pass and bounded memory: core's observer, and what ibdissect adds to its
 * findings.
 *
 *     struct judge *j = judge_open(&config);
 *     each packet:  p->verdict = judge_packet(j, p);     after checking CRCs, before filters
 *     at the end:   judge_end(j);                        reports pending findings
 *
 * A packet without a time counts with the last known time. */
#ifndef DISSECT_JUDGE_H
#define DISSECT_JUDGE_H
#include <string.h>
#include "field/bound.h"
#include "field/packet.h"
#include "field/verdict.h"
#include "observer/iba_observer.h"

/* Directions that the observer keeps in full state: JUDGE_FLOWS until there are more directions than that, then fewer,
 * and the others are in the short form. Directions that are remembered to the end in either form. Newest requests of
 * directions whose other direction is not known. */
enum {
    JUDGE_FLOWS = BOUND(2048, 16),
    JUDGE_FLOWS_OF_MANY = BOUND(384, 8),
    JUDGE_DIRECTIONS = BOUND(1 << 18, 64),
    JUDGE_ASKED = BOUND(1 << 16, 32)
};

/* From so many directions on, tables with a row for each are filled rather than begun (system/pages.h). */
enum { JUDGE_MANY = 512 };

/* Messages of a direction that wait for their response; if there are more, the oldest ends as open. */
enum { JUDGE_MESSAGES = BOUND(128, 8) };

/* One direction of a connection; lives as long as the judge. */
struct direction {
    struct iba_flow_key key; /* addresses and DestQP */
    uint32_t id;             /* from 0, in the order of their first packets */
    uint32_t source_qp;
    uint32_t peer; /* id of the other direction plus 1; 0: not known */
    uint16_t pmtu; /* bytes; 0: not seen */
    uint8_t svc;   /* enum iba_svc */
    bool guess;    /* the other direction is one of several candidates */
    bool knows_source_qp;
};

/* The direction that a finding is about; NULL: of no connection. */
static inline const struct direction *direction_of_finding(const struct iba_finding *f,
                                                           const struct verdict_names *names)
{
    return f->direction ? &names->direction[f->direction - 1] : NULL;
}

/* The direction of the requester of a message. */
static inline const struct direction *direction_of_message(const struct iba_message *m,
                                                           const struct verdict_names *names)
{
    return &names->direction[m->direction - 1];
}

/* Both go between the same two addresses, the same way. */
static inline bool direction_keys_same_ends(const struct iba_flow_key *a, const struct iba_flow_key *b)
{
    return a->kind == b->kind && memcmp(a->src, b->src, sizeof a->src) == 0 &&
           memcmp(a->dst, b->dst, sizeof a->dst) == 0;
}
static inline bool direction_same_ends(const struct direction *a, const struct direction *b)
{
    return direction_keys_same_ends(&a->key, &b->key);
}

struct judge_config {
    bool part;     /* of the packets of a capture: all between some addresses; judge_part() */
    uint32_t pmtu; /* of all connections; 0: learned */
    uint64_t seed; /* of hashes: secret */
    /* A finding that does not belong to the current packet: to an earlier one, or to the end. Optional. */
    void (*late)(void *ctx, const struct iba_finding *f, const struct verdict_names *names);
    /* The current packet is the first to answer this frame, a request. Optional. */
    void (*answered)(void *ctx, uint64_t frame);
    /* A message that has ended. Optional: without it the observer does not follow messages. */
    void (*message)(void *ctx, const struct iba_message *m, const struct verdict_names *names);
    void *ctx;
};
struct judge;

/* NULL when out of memory. Owned: judge_close(). */
struct judge *judge_open(const struct judge_config *cfg);
enum { JUDGE_AHEAD = 16 };
/* Packets that are judged next, at most JUDGE_AHEAD: prefetches the state of their connections in three steps with
 * other work between them. Arguments: each packet; all of them; all of them, and the ids of the known directions, whose
 * number it returns. All are optional, and do nothing if there is no need. */
void judge_expect(struct judge *j, const struct iba_view *view);
void judge_fetch(struct judge *j);
unsigned judge_fetch_more(const struct judge *j, uint32_t direction[JUDGE_AHEAD]);
/* Valid until the next call. */
const struct verdict *judge_packet(struct judge *j, const struct packet *p);
/* Time passes without a packet. */
void judge_pass(struct judge *j, iba_time now);
void judge_end(struct judge *j);
/* NULL is allowed. */
void judge_close(struct judge *j);

/* Directions beyond the limit: their packets have no direction. */
uint64_t judge_beyond(const struct judge *j);
const struct direction *judge_direction(const struct judge *j, uint32_t id);

/* The judge of a part: its directions, and when they began. They are its own. */
struct judge_part {
    struct iba_observer_part observer;
    struct direction *direction;
    const uint64_t *began; /* frame of the first packet of each */
    uint32_t n;
    bool native; /* it has native packets: a part of them shows no switch whole */
};
struct judge_part judge_part(const struct judge *j);
#endif
