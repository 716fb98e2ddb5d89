/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to judge/: packets that entered a switch and have not left it yet. The number is bounded: a new packet takes
 * the place of the oldest, and the caller decides on the oldest then. */
#ifndef DISSECT_CROSSING_H
#define DISSECT_CROSSING_H
#include "field/bound.h"
#include "field/packet.h"
#include "wire/iba_psn.h"

enum {
    CROSSINGS = BOUND(65536, 16),
    CROSSING_BUCKETS = BOUND(65536, 16),
    CROSSING_FLOWS = BOUND(16384, 16),
    CROSSING_PATH = 16
};

/* Fields that no switch changes. The ICRC stands for all other content that no switch changes. */
struct crossing_key {
    uint32_t icrc, psn, qp, bytes;
    uint16_t dlid, slid;
};
struct crossing_flow { /* packets that a switch keeps in order */
    struct {
        uint16_t node, slid, dlid;
        uint8_t in, sl;
    } key;
    uint64_t left; /* frame with which the newest packet that left the switch had entered it; 0: no packet has left */
};
struct crossing {
    struct crossing_key key;
    bool used, looped;
    uint8_t in, sl; /* in: the port that the packet entered by */
    uint16_t p_key;
    uint16_t node;         /* the switch */
    uint16_t flow;         /* index of the packet's flow, plus 1; 0: it has none */
    uint32_t newer, older; /* neighbours in the bucket: index + 1 */
    /* frames of the packet: on the link into this switch, and on the first captured link */
    uint64_t frame, first_frame;
    uint64_t tag, first_tag;      /* tags of these two frames */
    iba_time at;                  /* when the packet entered this switch */
    uint16_t path[CROSSING_PATH]; /* switches before this one */
    uint8_t n_path;
};
struct crossings {
    struct crossing item[CROSSINGS];
    uint32_t bucket[CROSSING_BUCKETS]; /* the newest packet of each bucket: index + 1 */
    uint32_t next;                     /* the place of the next packet */
    struct crossing_flow flow[CROSSING_FLOWS];
    uint32_t flow_slot[2 * CROSSING_FLOWS];
    size_t n_flow;
};

/* Makes the key by which the packet is recognized after a switch. False: the packet has no such key. */
bool crossing_key_of(struct crossing_key *k, const struct packet *p);
/* The place for the next packet that enters. If the place is used, the caller decides on the old packet; then the
 * caller calls crossing_enter(). */
struct crossing *crossing_next(struct crossings *c);
/* Puts a packet into the place that crossing_next() returned. */
void crossing_enter(struct crossings *c, const struct crossing *x);
/* The newest packet with this key in the switch, or if `any` the newest in another switch than this one. NULL: none. */
struct crossing *crossing_find(struct crossings *c, const struct crossing_key *k, uint16_t node, bool any);
void crossing_remove(struct crossings *c, struct crossing *x);
/* The packet has left its switch. */
void crossing_leave(struct crossings *c, struct crossing *x);
/* Whether a packet of the same flow that entered later has already left. */
bool crossing_overtaken(const struct crossings *c, const struct crossing *x);
#endif
