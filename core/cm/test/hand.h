/* SPDX-License-Identifier: BSD-2-Clause */
/* One CM whose peer the test plays: the test makes each message of the peer, and reads each answer of the CM. */
#ifndef IBA_TEST_CM_HAND_H
#define IBA_TEST_CM_HAND_H
#include "lab.h"

enum { HAND_ID = 0x01020304, HAND_QPN = 0x123456, OUR_QPN = 0x654321, HAND_TID = 0x7711 };
/* Codes of times: the response timeouts in the peer's REQ and in our LAPs, the service timeout of the peer's MRAs, the
 * delay in its REPs. Our REQs have the timeouts of lab_request(). */
enum { HAND_PEER_TIME = 13, HAND_LAP_TIME = 12, HAND_SERVICE_TIME = 16, HAND_ACK_DELAY = 9 };

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
/* Makes a message with this header. Returns the place of its data. */
uint8_t *hand_message(uint8_t *mad, uint16_t attribute, uint64_t tid);
/* Makes a message with the communication IDs of both ends. */
uint8_t *hand_message_of(const struct hand *h, uint8_t *mad, uint16_t attribute);
/* Makes the peer's REQ to LAB_SERVICE. */
uint8_t *hand_req(const struct hand *h, uint8_t *mad);
/* Gives the CM a message, and takes its answer and its event. Returns the answer's attribute; 0 if there is no
 * answer. */
unsigned hand_feed(struct hand *h, const uint8_t *mad);
/* Makes a correct message of the peer, and gives it to the CM as hand_feed() does. `code` is the reason of a REJ, the
 * status of an APR, and of an MRA the code of the message that it answers. */
unsigned hand_say(struct hand *h, uint16_t attribute, unsigned code);
/* Takes the CM's message and event after a verb. Returns the message's attribute; 0 if there is none. */
unsigned hand_take(struct hand *h);
/* Lets time pass until the timer of the CM expires. */
unsigned hand_timer(struct hand *h);
/* Brings the CM to that state by the shortest path: hand_passive() as the passive end, hand_active() as the active
 * end. */
void hand_passive(struct hand *h, enum iba_cm_state s);
void hand_active(struct hand *h, enum iba_cm_state s);
enum iba_cm_state hand_state(const struct hand *h); /* of connection `id`; NONE: that connection has ended */
#endif
