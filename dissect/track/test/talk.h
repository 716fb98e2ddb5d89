/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of connection managers between two hosts, and packets of their connections, fed to the tracker: datagrams
 * over RoCEv2, between 10.0.0.1 (active) and 10.0.0.2, or as a test says. */
#ifndef TRACK_TEST_TALK_H
#define TRACK_TEST_TALK_H
#include "track/track.h"

enum { ACTIVE = 0x0a000001, PASSIVE = 0x0a000002, OTHER = 0x0a000003, MS = 1000000 };
enum { A_ID = 0x11, P_ID = 0x22, A_QP = 0x101, P_QP = 0x202, A_PSN = 0x1000, P_PSN = 0x2000 };

extern struct track *talk_track;
extern struct packet talk_packet; /* the last one */
extern uint64_t talk_now_ns;      /* of the next packet */
extern bool talk_damaged;         /* whether packets have a wrong ICRC */

struct talk_message {
    uint8_t mad[IBA_MAD_BYTES];
    uint32_t src, dst;
    uint32_t to_qp; /* 1 */
    uint16_t p_key; /* 0xffff */
    uint16_t cut;   /* bytes at its end that were not captured: 0 */
    bool untimed;
};
/* Begins a run; talk_end() ends it. */
void talk_begin(void);
void talk_end(void);
/* Feeds a packet of four bytes, or a response, to that QP. */
void talk_data(uint8_t opcode, uint32_t src, uint32_t dst, uint32_t qpn);
/* talk_message() makes a message without a body; talk_body() returns the place of its body. */
struct talk_message talk_message(uint32_t src, uint32_t dst, uint16_t attribute, uint64_t tid);
uint8_t *talk_body(struct talk_message *m);
/* Feeds the message, with the next PSN or with the given one. Returns the connection that began last. */
const struct cm_connection *talk_send(const struct talk_message *m);
const struct cm_connection *talk_send_as(const struct talk_message *m, uint32_t its_psn);
/* Messages of one connection. RTU, DREP, MRA and REJ have only its identifiers. */
struct talk_message talk_req(void);
struct talk_message talk_rep(void);
struct talk_message talk_ids(uint32_t src, uint16_t attribute, uint64_t tid);
struct talk_message talk_dreq(uint32_t src);
struct talk_message talk_sidr(bool answer);
/* Makes an MRA or REJ, which names the message that it answers: 0 a REQ, 1 a REP, 2 another message (MD-56). A REJ also
 * has a reason. */
struct talk_message talk_naming(uint32_t src, uint16_t attribute, uint64_t tid, uint8_t named, uint16_t reason);
/* Checks that the last message breaks this rule and no other (IBA_FINDING_COUNT: no rule), and that the finding's cause
 * is that frame of the right file. `what` is for the text of a failure. */
void talk_breaks(unsigned kind, uint64_t cause, const char *what);
/* Feeds REQ, REP and RTU, a millisecond apart. */
const struct cm_connection *talk_connect(void);
#endif
