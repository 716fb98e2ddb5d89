/* A hostile network for tests, fuzzers and the harness: seeded, on virtual time, in the caller's memory, without I/O.
 * Frames in, frames out later: lost, delayed, reordered, duplicated, corrupted, ECN-marked, each with its own
 * probability. Same seed and same calls give the same frames at the same times. */
#ifndef IBA_NET_H
#define IBA_NET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/iba_psn.h"
#include "wire/iba_view.h"

/* xorshift64*, splittable enough for tests; never 0. */
struct iba_random {
    uint64_t s;
};
void iba_random_seed(struct iba_random *r, uint64_t seed);
uint64_t iba_random_next(struct iba_random *r);
/* Uniform in [0, n), n > 0. */
uint64_t iba_random_below(struct iba_random *r, uint64_t n);

struct iba_net_faults { /* probabilities in 1/1000000 of a frame */
    uint32_t lose, duplicate, corrupt, reorder, ecn_mark;
    iba_time delay_ns, jitter_ns; /* every frame; uniform extra */
    iba_time reorder_ns;          /* extra delay of a frame picked for reordering */
};

enum iba_net_what {
    IBA_NET_SENT,
    IBA_NET_LOST,
    IBA_NET_DUPLICATED,
    IBA_NET_CORRUPTED,
    IBA_NET_REORDERED,
    IBA_NET_MARKED,
    IBA_NET_DELIVERED
};
struct iba_net_event { /* the simulator's own log: ground truth for analysers */
    iba_time at;
    uint64_t frame; /* serial number of the frame as sent */
    enum iba_net_what what;
    uint8_t from; /* side, 0 or 1 */
};

struct iba_net_slot { /* one frame in flight */
    iba_time due;
    uint64_t serial, frame;
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
    uint64_t overflow; /* frames lost because no slot was free; counted as LOST too */
    void (*log)(void *ctx, const struct iba_net_event *e); /* optional */
    void *log_ctx;
};

void iba_net_init(struct iba_net *n, uint64_t seed, const struct iba_net_faults *f, enum iba_link link,
                  struct iba_net_slot *slot, uint8_t *bytes, uint32_t n_slot, uint32_t slot_bytes);
/* A frame leaves side `from` (0 or 1) for the other. len <= slot_bytes. */
void iba_net_send(struct iba_net *n, uint8_t from, const uint8_t *frame, size_t len, iba_time now);
/* The next frame due at side `to` by `now`, copied to buf (cap >= slot_bytes). 0 when there is none. */
size_t iba_net_receive(struct iba_net *n, uint8_t to, uint8_t *buf, size_t cap, iba_time now);
/* When the next frame is due, at either side; IBA_NEVER when nothing is in flight. */
iba_time iba_net_deadline(const struct iba_net *n);
#endif
