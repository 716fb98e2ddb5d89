/* SPDX-License-Identifier: BSD-2-Clause */
/* A lossy network for tests, fuzzers and the harness: seeded, on virtual time, in the caller's memory, without I/O.
 * It loses, delays, reorders, duplicates, corrupts and ECN-marks frames, each with its own probability. The same seed
 * and the same calls give the same frames at the same times. */
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

/* Probabilities in 1/1000000 of a frame. A lost frame has no other fault. A corrupt frame has 1 to 3 flipped bits,
 * anywhere in it. A duplicate is a copy of the frame after it was marked or corrupted, and has a delay of its own.
 *
 * A mark is CE in the IP header of RoCEv2, whether or not the sender set ECT (like a switch that does not check), FECN
 * in the BTH of IB and RoCEv1; other frames are not marked. IPv4 checksum and VCRC are updated, if they were correct.
 *
 * Every frame has a random generator of its own: the probability of one fault does not affect the others. */
struct iba_net_faults {
    uint32_t lose, duplicate, corrupt, reorder, ecn_mark;
    iba_time delay_ns,
        jitter_ns;       /* delay of every frame; extra delay, uniform in 0..jitter_ns, which may reorder frames */
    iba_time reorder_ns; /* extra delay of a frame selected for reordering */
    iba_time spacing_ns; /* time between two frames of one side, as on a link of limited rate; 0: none */
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
/* The simulator's own log, as ground truth for analysers. The first event of every frame is SENT. Once nothing is in
 * flight, a frame has either one LOST, or one DELIVERED for itself and one for each DUPLICATED. */
struct iba_net_event {
    iba_time at;
    uint64_t frame; /* serial number of the frame as sent */
    enum iba_net_fate what;
    uint8_t from; /* the side that sent the frame: 0 or 1 */
};

struct iba_net_slot { /* one frame in flight */
    iba_time due;
    uint64_t serial; /* orders frames that are due at the same time */
    uint64_t frame;
    uint32_t len;
    uint8_t to;
    bool used;
};
struct iba_net {
    struct iba_random random;
    struct iba_net_faults faults;
    enum iba_link link; /* link type of the frames, for ECN marks */
    struct iba_net_slot *slot;
    uint8_t *bytes; /* n_slot * slot_bytes */
    uint32_t n_slot, slot_bytes;
    uint64_t serial, frames;
    uint64_t overflow;  /* frames lost because no slot was free, which are logged as LOST; without a free slot no
                           duplicate is made */
    iba_time next[2];   /* when the next frame is due at each side */
    iba_time wire[2];   /* when the next frame to each side may leave */
    uint32_t free, top; /* slots below `free` are used, slots from `top` on are unused */
    void (*log)(void *ctx, const struct iba_net_event *e); /* optional */
    void *log_ctx;
};
/* The caller owns the arrays `slot` (n_slot entries) and `bytes` (n_slot * slot_bytes). *f is copied. */
void iba_net_init(struct iba_net *n, uint64_t seed, const struct iba_net_faults *f, enum iba_link link,
                  struct iba_net_slot *slot, uint8_t *bytes, uint32_t n_slot, uint32_t slot_bytes);
/* A frame leaves side `from` (0 or 1) for the other. 1 <= len <= slot_bytes. */
void iba_net_send(struct iba_net *n, uint8_t from, const uint8_t *frame, size_t len, iba_time now);
/* Copies the next frame that is due at side `to` by `now` to buf (cap >= slot_bytes), and returns its length; 0: none
 * is due. The frame that is due first comes first; of frames due at one time, the one sent first. */
size_t iba_net_receive(struct iba_net *n, uint8_t to, uint8_t *buf, size_t cap, iba_time now);
/* When the next frame is due, at either side; IBA_NEVER when nothing is in flight. */
iba_time iba_net_deadline(const struct iba_net *n);

#ifdef __cplusplus
}
#endif

#endif
