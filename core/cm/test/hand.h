/* SPDX-License-Identifier: BSD-2-Clause */
/* One CM, and a peer that a test plays by hand: it makes each message, and reads each answer. */
#ifndef IBA_TEST_CM_HAND_H
#define IBA_TEST_CM_HAND_H
#include "lab.h"

enum { HAND_ID = 0x01020304, HAND_QPN = 0x123456, OUR_QPN = 0x654321, HAND_TID = 0x7711 };

struct hand {
    struct lab lab;
    uint8_t mad[IBA_MAD_BYTES]; /* the last answer; zero: there was none */
    struct iba_cm_event e;      /* the last event */
    uint32_t id;                /* of the CM's connection */
};
#define HAND_CM(h) (&(h)->lab.end[0].cm)
#define HAND_DATA(h) ((h)->mad + IBA_BYTES_madhdr)

void hand_open(struct hand *h, enum iba_port_kind kind);
void hand_close(struct hand *h);
/* Makes a message with this header. Its data are at the result. */
uint8_t *hand_message(uint8_t *mad, uint16_t attribute, uint64_t tid);
/* A message with both communication IDs. */
uint8_t *hand_message_of(const struct hand *h, uint8_t *mad, uint16_t attribute);
/* A REQ of the peer to LAB_SERVICE. */
uint8_t *hand_req(const struct hand *h, uint8_t *mad);
/* Gives the CM a message, takes its answer and its event. Returns the answer's attribute; 0: none. */
unsigned hand_feed(struct hand *h, const uint8_t *mad);
/* Takes answer and event after a verb. */
unsigned hand_take(struct hand *h);
/* Time passes until the timer of the CM runs out. */
unsigned hand_timer(struct hand *h);
/* The CM gets to that state as the passive end, or as the active one, by the shortest path. */
void hand_passive(struct hand *h, enum iba_cm_state s);
void hand_active(struct hand *h, enum iba_cm_state s);
enum iba_cm_state hand_state(const struct hand *h); /* of connection `id`; NONE: it has ended */
#endif
