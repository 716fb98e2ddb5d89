/* SPDX-License-Identifier: BSD-2-Clause */
/* A lossy network for tests, fuzzers and the harness: seeded, on virtual time, in the caller's memory, without I/O.
 * Frames go in and come out later: lost, delayed, reordered, duplicated, corrupted, ECN-marked, each with its own
 * probability. Same seed and same calls give the same frames at the same times. */
#ifndef IBA_NET_H
#define IBA_NET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/iba_random.h"
#include "wire/iba_psn.h"
#include "wire/iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Probabilities in 1/1000000 of a frame. A lost frame has no other fault. A corrupt one has 1..3 different bits
 * flipped, anywhere in it. A duplicate is a copy of the frame in flight, marked or corrupt, with a delay of its own.
 *
 * A mark is CE in the IP header of RoCEv2, whether or not the sender set ECT (like a switch that does not check), FECN
 * in the BTH of IB and RoCEv1; other frames are not marked. IPv4 checksum and VCRC are updated, if they were correct.
 *
 * Every frame has a random generator of its own: the probability of one fault does not affect the others. */
struct iba_net_faults {
    uint32_t lose, duplicate, corrupt, reorder, ecn_mark;
    iba_time delay_ns, jitter_ns; /* delay of every frame; uniform extra delay, 0..jitter_ns, which also reorders */
    iba_time reorder_ns;          /* extra delay of a frame selected for reordering */
    iba_time spacing_ns; /* each frame of one side leaves this much later than the one before, as on a wire of limited
                            rate; 0: all at once */
};

enum iba_net_fate {
    IBA_NET_SENT,
    IBA_NET_LOST,
    IBA_NET_DUPLICATED,
    IBA_NET_CORRUPTED,
    IBA_NET_REORDERED,
    IBA_NET_MARKED,
    IBA_NET_DELIVERED
};
/* The simulator's own log: ground truth for analysers. Every frame begins with SENT, and has, once nothing is in
 * flight, either one LOST or a DELIVERED for itself and for each DUPLICATED. */
struct iba_net_event {
    iba_time at;
    uint64_t frame; /* serial number of the frame as sent */
    enum iba_net_fate what;
    uint8_t from; /* side, 0 or 1 */
};

struct iba_net_slot { /* one frame in flight */
    iba_time due;
    uint64_t serial; /* of the copy: the order among frames due at one time */
    uint64_t frame;
    uint32_t len;
    uint8_t to;
    bool used;
};
struct iba_net {
    struct iba_random random;
    struct iba_net_faults faults;
    enum iba_link link; /* of the frames, for ECN marks */
    struct iba_net_slot *slot;
    uint8_t *bytes; /* n_slot * slot_bytes */
    uint32_t n_slot, slot_bytes;
    uint64_t serial, frames;
    uint64_t
        overflow; /* frames lost because no slot was free, logged as LOST too; a copy that finds no slot is not made */
    iba_time next[2];   /* earliest due, by side */
    iba_time wire[2];   /* when the wire to that side is free again */
    uint32_t free, top; /* slots below `free` are used, slots from `top` on are unused */
    void (*log)(void *ctx, const struct iba_net_event *e); /* optional */
    void *log_ctx;
};
/* The arrays are the caller's: n_slot slots, n_slot * slot_bytes bytes. *f is copied. */
void iba_net_init(struct iba_net *n, uint64_t seed, const struct iba_net_faults *f, enum iba_link link,
                  struct iba_net_slot *slot, uint8_t *bytes, uint32_t n_slot, uint32_t slot_bytes);
/* A frame leaves side `from` (0 or 1) for the other. 1 <= len <= slot_bytes. */
void iba_net_send(struct iba_net *n, uint8_t from, const uint8_t *frame, size_t len, iba_time now);
/* The next frame due at side `to` by `now`, copied to buf (cap >= slot_bytes): earliest due first, then in the order
 * sent. 0 when there is none. */
size_t iba_net_receive(struct iba_net *n, uint8_t to, uint8_t *buf, size_t cap, iba_time now);
/* When the next frame is due, at either side; IBA_NEVER when nothing is in flight. */
iba_time iba_net_deadline(const struct iba_net *n);

#ifdef __cplusplus
}
#endif

#endif
