/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to judge/: packets that entered a switch and did not leave it yet. Bounded: a new one takes the place of the
 * oldest, which is decided then. */
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

/* No switch changes these. The ICRC covers all else that it does not change. */
struct crossing_key {
    uint32_t icrc, psn, qp, bytes;
    uint16_t dlid, slid;
};
struct crossing_flow { /* packets that a switch keeps in order */
    struct {
        uint16_t node, slid, dlid;
        uint8_t in, sl;
    } key;
    uint64_t left; /* frame with which the newest that left had entered; 0: none left */
};
struct crossing {
    struct crossing_key key;
    bool used, looped;
    uint8_t in, sl; /* the port that it entered by */
    uint16_t p_key;
    uint16_t node;                /* the switch */
    uint16_t flow;                /* its index + 1; 0: none */
    uint32_t newer, older;        /* in its bucket: index + 1 */
    uint64_t frame, first_frame;  /* of the packet on the link into this switch; on the first captured link */
    uint64_t tag, first_tag;      /* of these */
    iba_time at;                  /* when it entered */
    uint16_t path[CROSSING_PATH]; /* switches before this one */
    uint8_t n_path;
};
struct crossings {
    struct crossing item[CROSSINGS];
    uint32_t bucket[CROSSING_BUCKETS]; /* the newest: index + 1 */
    uint32_t next;                     /* the place of the next one */
    struct crossing_flow flow[CROSSING_FLOWS];
    uint32_t flow_slot[2 * CROSSING_FLOWS];
    size_t n_flow;
};

/* False: the packet cannot be recognized again. */
bool crossing_key_of(struct crossing_key *k, const struct packet *p);
/* The place for a packet that enters. The caller decides the old one, if it is used, and calls crossing_enter(). */
struct crossing *crossing_next(struct crossings *c);
/* Puts it there. */
void crossing_enter(struct crossings *c, const struct crossing *x);
/* The newest with this key in the switch; any switch: the newest in another switch than this. NULL: none. */
struct crossing *crossing_find(struct crossings *c, const struct crossing_key *k, uint16_t node, bool any);
void crossing_remove(struct crossings *c, struct crossing *x);
/* It left its switch. */
void crossing_leave(struct crossings *c, struct crossing *x);
/* One that entered after it, of the same flow, has left. */
bool crossing_overtaken(const struct crossings *c, const struct crossing *x);
#endif
