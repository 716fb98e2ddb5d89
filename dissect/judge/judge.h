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

/* JUDGE_FLOWS: directions that the observer keeps in full state. Once there are more directions, JUDGE_FLOWS_OF_MANY
 * stay in full state, and the others are in the short form. JUDGE_DIRECTIONS: directions that are remembered to the end
 * in either form. JUDGE_ASKED: newest requests that are remembered of directions whose other direction is not known. */
enum {
    JUDGE_FLOWS = BOUND(2048, 16),
    JUDGE_FLOWS_OF_MANY = BOUND(384, 8),
    JUDGE_DIRECTIONS = BOUND(1 << 18, 64),
    JUDGE_ASKED = BOUND(1 << 16, 32)
};

/* From this number of directions on, tables with a row for each direction are mapped in large pages (system/pages.h),
 * since they are likely to fill. */
enum { JUDGE_MANY = 512 };

/* Messages of a direction that wait for their response. If there are more, the oldest of them ends as open. */
enum { JUDGE_MESSAGES = BOUND(128, 8) };

/* One direction of a connection; lives as long as the judge. */
struct direction {
    struct iba_flow_key key; /* addresses and DestQP */
    uint32_t id;             /* from 0, in the order of their first packets */
    uint32_t source_qp;
    uint32_t peer; /* id of the other direction plus 1; 0: not known */
    uint16_t pmtu; /* path MTU in bytes; 0: not known */
    uint8_t svc;   /* enum iba_svc */
    bool guess;    /* the other direction is one of several candidates */
    bool knows_source_qp;
};

/* The direction that the finding is about; NULL: the finding belongs to no connection. */
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

/* Whether both directions go from the same address to the same address. */
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
    bool part;     /* judges only the packets between some addresses, as a part of a run: judge_part() */
    uint32_t pmtu; /* of all connections; 0: learned from packets */
    uint64_t seed; /* secret seed of the hashes in tables */
    /* Called for a finding that does not belong to the current packet: it belongs to an earlier packet, or is made at
     * the end. Optional. */
    void (*late)(void *ctx, const struct iba_finding *f, const struct verdict_names *names);
    /* Called when the current packet is the first to answer the request in this frame. Optional. */
    void (*answered)(void *ctx, uint64_t frame);
    /* Called for a message that has ended. Optional: without it the observer does not follow messages. */
    void (*message)(void *ctx, const struct iba_message *m, const struct verdict_names *names);
    void *ctx;
};
struct judge;

/* NULL when out of memory. Owned: judge_close(). */
struct judge *judge_open(const struct judge_config *cfg);
enum { JUDGE_AHEAD = 16 };
/* Prefetches the state of connections for the packets that are judged next, at most JUDGE_AHEAD, in three steps with
 * other work between them. judge_expect() takes each packet, judge_fetch() and judge_fetch_more() work for all of
 * these; the last returns the number of known directions, and their ids. All three are optional, and do nothing if
 * there is no need. */
void judge_expect(struct judge *j, const struct iba_view *view);
void judge_fetch(struct judge *j);
unsigned judge_fetch_more(const struct judge *j, uint32_t direction[JUDGE_AHEAD]);
/* Judges a packet; the verdict is valid until the next call. */
const struct verdict *judge_packet(struct judge *j, const struct packet *p);
/* Tells the judge that time has passed without a packet. */
void judge_pass(struct judge *j, iba_time now);
void judge_end(struct judge *j);
/* Frees the judge; NULL is allowed. */
void judge_close(struct judge *j);

/* The number of directions beyond the limit. Packets of these have no direction. */
uint64_t judge_beyond(const struct judge *j);
const struct direction *judge_direction(const struct judge *j, uint32_t id);

/* The result of a judge of a part: its directions, and when they began. The judge owns them. */
struct judge_part {
    struct iba_observer_part observer;
    struct direction *direction;
    const uint64_t *began; /* frame of the first packet of each */
    uint32_t n;
    bool native; /* the part has native packets: no single part shows all packets of a switch */
};
struct judge_part judge_part(const struct judge *j);
#endif
