/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of dynamic connections (DC). No other part of libiba uses it, and an adapter (iba_ca.h) offers no such QP.
 *
 * DC is a transport of one vendor. Its packets are not public: ibdissect prints their opcodes and lengths only (VN-02).
 * This model knows the transport from a short public description, and has no packets: its messages are structures that
 * the caller carries from end to end, with names of our own. So the model supports no verdict about a device and no
 * statement about bytes.
 *
 * The description says (rows marked "described"):
 * - An initiator only sends. Each operation names its target and the target's access key. If the initiator is connected
 *   to another target, it disconnects first, then connects; operations to the same target use the connection that is
 *   there. An initiator that is idle for some time disconnects. A connection is reliable.
 * - A target has a pool of responders. Each connection takes one. If none is free, the target answers CNAK, and drops
 *   what the initiator sends after that.
 * - Half handshake: the initiator sends operations directly after its request to connect. Full handshake: it waits for
 *   the answer, as TCP does with three packets, which avoids races.
 * - A request with a wrong key is refused and counted (VN-02, VN-03).
 * Everything else is a choice of ours (rows marked "ours"): timers, retries, numbers of connections, tokens, the lease
 * of a responder, and that the transport does not repeat an operation after a CNAK.
 *
 * An operation here stores a word. With a full handshake it is executed at most once, and never if it completes with
 * CNAK. A half handshake cannot promise that: late copies of a request and of its operation look like a new connection.
 *
 * All memory is the caller's. No message makes a call fail: a row drops it. */
#ifndef IBA_DC_H
#define IBA_DC_H
#include <stdbool.h>
#include <stdint.h>
#include "wire/iba_psn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* Requests of an initiator, then answers of a target */
#define IBA_DC_KINDS(K)                                                                                                \
    K(CONNECT,    "connect")                                                                                           \
    K(OPERATION,  "operation")                                                                                         \
    K(DISCONNECT, "disconnect")                                                                                        \
    K(ACCEPTED,   "accepted")                                                                                          \
    K(DONE,       "done")                                                                                              \
    K(CNAK,       "connection refused: no responder is free")                                                          \
    K(BAD_KEY,    "refused: wrong access key")                                                                         \
    K(CLOSED,     "disconnected")
#define IBA_DC_STATUSES(S)                                                                                             \
    S(SUCCESS,    "executed")                                                                                          \
    S(CNAK,       "the target had no free responder")                                                                  \
    S(BAD_KEY,    "the access key was wrong")                                                                          \
    S(TIMEOUT,    "the target did not answer; the operation may have been executed")
#define IBA_DC_STATES(S)                                                                                               \
    S(IDLE,       "not connected")                                                                                     \
    S(OPENING,    "connect was sent")                                                                                  \
    S(OPEN,       "connected")                                                                                         \
    S(CLOSING,    "disconnect was sent")
/* clang-format on */
#define IBA_DC_ID(name, words) IBA_DC_##name,
#define IBA_DC_STATUS_ID(name, words) IBA_DC_STATUS_##name,
enum iba_dc_kind { IBA_DC_KINDS(IBA_DC_ID) IBA_DC_KIND_COUNT };
enum iba_dc_status { IBA_DC_STATUSES(IBA_DC_STATUS_ID) IBA_DC_STATUS_COUNT };
enum iba_dc_state { IBA_DC_STATES(IBA_DC_ID) IBA_DC_STATE_COUNT };

struct iba_dc_message {
    uint8_t kind; /* enum iba_dc_kind */
    bool full;    /* CONNECT: a full handshake */
    uint32_t initiator, target;
    uint32_t connection; /* each connection of an initiator has the number after the one before */
    uint32_t sequence;   /* OPERATION: counts from 0 in each connection; DONE: number of operations executed */
    uint64_t key;        /* CONNECT, OPERATION: access key */
    uint64_t token;      /* full handshake: the target draws it for ACCEPTED; each OPERATION has it */
    uint64_t at, value;  /* OPERATION: stores `value` at `at` */
};

/* A row: "the initiator ..." or "the message ...". The first row that applies decides, and is counted. */
struct iba_dc_row {
    const char *name, *sentence;
    bool described; /* by the public description; otherwise it is a choice of ours */
};
enum { IBA_DC_INITIATOR_ROWS = 20, IBA_DC_TARGET_ROWS = 14 };
extern const struct iba_dc_row iba_dc_initiator_rows[IBA_DC_INITIATOR_ROWS];
extern const struct iba_dc_row iba_dc_target_rows[IBA_DC_TARGET_ROWS];

/* ---- initiator ---- */
struct iba_dc_operation {
    uint64_t id; /* the caller's */
    uint32_t target;
    uint64_t key, at, value;
    uint8_t status; /* enum iba_dc_status, when the operation has completed */
};
struct iba_dc_config {
    bool full;           /* handshake */
    uint8_t retry;       /* times that a message without answer is sent again */
    uint32_t window;     /* most operations without answer; above 0 */
    iba_time timeout_ns; /* until a message without answer is sent again; above 0 */
    iba_time idle_ns;    /* without operations until it disconnects; above 0 */
};
struct iba_dc_initiator { /* private, except `hits` and `left_out` */
    struct iba_dc_config config;
    uint32_t number, n, head, count; /* ring: operations that completed, that were sent, and that wait, in order */
    struct iba_dc_operation *ring;
    uint32_t done, sent, next;          /* next: of those that were sent, the one to send again */
    uint8_t state, left;                /* enum iba_dc_state; retries left */
    bool request_due;                   /* CONNECT or DISCONNECT, as the state says */
    uint32_t connection, target, first; /* first: sequence of the first operation that has not completed */
    uint64_t key, token;
    struct iba_dc_message stray; /* DISCONNECT for a connection that is not ours any more, if stray_due */
    bool stray_due;
    iba_time due, idle_due; /* IBA_NEVER: not running */
    uint32_t hits[IBA_DC_INITIATOR_ROWS];
    uint32_t left_out; /* bit i: row i never applies, as in a broken device; for tests */
};
/* `ring` has n >= 1 entries, and must live as long as the initiator. */
void iba_dc_initiator_init(struct iba_dc_initiator *i, const struct iba_dc_config *c, uint32_t number,
                           struct iba_dc_operation *ring, uint32_t n);
/* Adds an operation. False: the ring is full. */
bool iba_dc_post(struct iba_dc_initiator *i, const struct iba_dc_operation *op);
/* Takes the oldest completed operation. Operations complete in order. False: there is none. */
bool iba_dc_take(struct iba_dc_initiator *i, struct iba_dc_operation *op);
/* An answer arrives. One for another initiator is ignored. */
void iba_dc_initiator_receive(struct iba_dc_initiator *i, const struct iba_dc_message *m, iba_time now);
/* Runs the timers. */
void iba_dc_advance(struct iba_dc_initiator *i, iba_time now);
/* Writes the next message to send. False: there is none. */
bool iba_dc_poll(struct iba_dc_initiator *i, struct iba_dc_message *m, iba_time now);
/* When iba_dc_advance() has work to do next; IBA_NEVER: no timer runs. */
iba_time iba_dc_deadline(const struct iba_dc_initiator *i);

/* ---- target ---- */
struct iba_dc_responder { /* private */
    bool used, full;      /* full: handshake */
    uint32_t initiator, connection, executed;
    uint64_t token;
    iba_time silent_due;
};
struct iba_dc_target { /* private, except the counters and `left_out` */
    uint32_t number, n;
    uint64_t key;
    struct iba_dc_responder *pool;
    iba_time lease_ns; /* a responder that hears nothing for so long is free again; IBA_NEVER: it stays */
    void (*store)(void *ctx, const struct iba_dc_message *m); /* executes an operation */
    uint64_t (*random)(void *ctx);                            /* entropy for tokens */
    void *ctx;
    uint64_t bad_keys, cnaks;
    uint32_t hits[IBA_DC_TARGET_ROWS];
    uint32_t left_out; /* as of an initiator */
};
/* The caller has set number, key, lease_ns, store, random and ctx; the rest becomes 0. `pool` has n >= 1 responders. */
void iba_dc_target_init(struct iba_dc_target *t, struct iba_dc_responder *pool, uint32_t n);
/* A request arrives. Returns whether *answer is to be sent. One for another target is ignored. */
bool iba_dc_target_receive(struct iba_dc_target *t, const struct iba_dc_message *m, iba_time now,
                           struct iba_dc_message *answer);
/* Number of responders in use. */
uint32_t iba_dc_serving(const struct iba_dc_target *t);

#ifdef __cplusplus
}
#endif

#endif
