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

struct talk_message {
    uint8_t mad[IBA_MAD_BYTES];
    uint32_t src, dst;
    uint32_t to_qp; /* 1 */
    uint16_t p_key; /* 0xffff */
    uint16_t cut;   /* bytes at its end that were not captured: 0 */
    bool untimed;
};
/* A run, and its end. */
void talk_begin(void);
void talk_end(void);
/* A packet of four bytes, or an answer, to that QP. */
void talk_data(uint8_t opcode, uint32_t src, uint32_t dst, uint32_t qpn);
/* Without a body; and its body. */
struct talk_message talk_message(uint32_t src, uint32_t dst, uint16_t attribute, uint64_t tid);
uint8_t *talk_body(struct talk_message *m);
/* Feeds it, with the next PSN or with that one, and returns the connection that began last. */
const struct cm_connection *talk_send(const struct talk_message *m);
const struct cm_connection *talk_send_as(const struct talk_message *m, uint32_t its_psn);
/* The messages of one connection; RTU, DREP, MRA and REJ have its identifiers alone. */
struct talk_message talk_req(void);
struct talk_message talk_rep(void);
struct talk_message talk_ids(uint32_t src, uint16_t attribute, uint64_t tid);
struct talk_message talk_dreq(uint32_t src);
struct talk_message talk_sidr(bool answer);
/* An MRA or REJ names the message that it answers: 0 a REQ, 1 a REP, 2 another one (MD-56); a REJ has a reason. */
struct talk_message talk_naming(uint32_t src, uint16_t attribute, uint64_t tid, uint8_t named, uint16_t reason);
/* The last message breaks this rule and no other (IBA_FINDING_COUNT: none); the evidence is that frame, of the right
 * file. `what`: of a failure's text. */
void talk_breaks(unsigned kind, uint64_t cause, const char *what);
/* REQ, REP and RTU, a millisecond apart. */
const struct cm_connection *talk_connect(void);
#endif
