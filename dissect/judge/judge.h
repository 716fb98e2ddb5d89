/* Packets judged as they come, in one pass and bounded memory: core's shadow, and what ibdissect makes of it.
 *
 *     struct judge *j = judge_open(&config);
 *     each packet:  p->verdict = judge_packet(j, p);     CRCs checked before, filters asked behind
 *     at the end:   judge_end(j);                        what was still waited for
 *
 * Of packets without a time the last one known is taken. */
#ifndef DISSECT_JUDGE_H
#define DISSECT_JUDGE_H
#include "field/packet.h"
#include "field/verdict.h"

/* Flows the shadow looks at together (it says when it gives one up), and directions that are remembered to the end. */
enum { JUDGE_FLOWS = 4096, JUDGE_DIRECTIONS = 16384 };

/* One direction of a connection; lives as long as the judge. */
struct direction {
    uint32_t id; /* from 0, in the order they began */
    struct iba_flow_key key;
    uint8_t svc; /* enum iba_svc */
    bool guess;  /* the other direction is one of several that would fit */
    bool knows_source_qp;
    uint32_t source_qp;
    uint32_t pmtu; /* bytes; 0: not seen */
    uint32_t peer; /* id of the other direction plus 1; 0: not known */
};

struct message; /* judge/message.h */
struct judge_config {
    uint32_t pmtu; /* of all connections; 0: learned */
    /* A finding that is not of the packet at hand: of one before it, or of the end. Optional. */
    void (*late)(void *ctx, const struct judged *j);
    /* The packet at hand is the first to answer this frame, a request. Optional. */
    void (*answered)(void *ctx, uint64_t frame);
    /* A message that has ended. Optional: without it they are not followed. */
    void (*message)(void *ctx, const struct message *m);
    void *ctx;
};
struct judge;

/* NULL when out of memory. Owned: judge_close(). */
struct judge *judge_open(const struct judge_config *cfg);
/* Valid until the next call. */
const struct verdict *judge_packet(struct judge *j, const struct packet *p);
void judge_end(struct judge *j);
/* NULL is allowed. */
void judge_close(struct judge *j);

/* Directions that found no room any more: their packets have no direction. */
uint64_t judge_beyond(const struct judge *j);
const struct direction *judge_direction(const struct judge *j, uint32_t id);
#endif
