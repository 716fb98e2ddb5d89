/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between device.c, which answers packets, and agent.c, which does the verbs for ibconform. */
#ifndef DEVICE_H
#define DEVICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QPS = 64, DEPTH = 64, REGIONS = 256, MEMORY = 16 << 20 };
#define DEVICE_MAC UINT64_C(0x020000000001)
enum { DEVICE_IPV4 = 0x0a000001 };

enum state { RESET, INIT, RTR, RTS, ERR };
struct receive {
    uint64_t id, at;
    uint32_t length;
};
struct completion {
    uint64_t id;
    const char *status; /* a status word of the agent's protocol */
    uint32_t bytes, qpn, source, immediate;
    bool has_immediate;
};
struct queue {
    struct completion entry[DEPTH];
    unsigned head, n;
};
struct qp { /* a reliable connection, as responder */
    bool used;
    enum state state;
    uint32_t number, peer, epsn, msn, pmtu, done; /* done: bytes that have arrived of the unfinished message */
    uint8_t rnr_timer;
    bool open, nak_sent; /* open: a message has begun; nak_sent: the gap was reported */
    struct queue *completions;
    struct receive receive[DEPTH];
    unsigned head, n, depth;
};
extern struct qp device_qps[QPS];
extern uint8_t device_memory[MEMORY]; /* the memory of all regions; an address is an offset in it */

extern void (*device_send)(const uint8_t *frame, size_t len); /* device.c calls this to send an answer */

/* Handles a frame that has arrived. */
void device_frame(const uint8_t *frame, size_t len);
/* Moves the queue pair to the error state: all receives complete as flushed. */
void device_fail(struct qp *qp);
#endif
