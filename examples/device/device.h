/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the two halves of the skeleton: device.c answers packets, agent.c does the verbs for ibconform. */
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
    const char *status; /* a word of the protocol */
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
    uint32_t number, peer, epsn, msn, pmtu, done; /* done: bytes of the message that is being received */
    uint8_t rnr_timer;
    bool open, nak_sent; /* a message has begun; the gap was reported */
    struct queue *completions;
    struct receive receive[DEPTH];
    unsigned head, n, depth;
};
extern struct qp device_qps[QPS];
extern uint8_t device_memory[MEMORY]; /* of all regions; addresses are offsets into it */

extern void (*device_send)(const uint8_t *frame, size_t len); /* answers leave by it */

/* A frame from the wire. */
void device_frame(const uint8_t *frame, size_t len);
/* To the error state: all receives complete as flushed. */
void device_fail(struct qp *qp);
#endif
