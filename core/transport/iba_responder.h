/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the RC responder: the actions (iba_responder_exec.c) of its table (iba_responder.c), and the queue of
 * responses that wait to be sent (iba_responder_emit.c). Not for users of libiba. */
#ifndef IBA_RESPONDER_H
#define IBA_RESPONDER_H
#include "iba_receiver.h"

enum { IBA_ATOMIC_BYTES = 8 };

/* ---- iba_responder_saved.c ---- */
/* The remembered operation of the same kind that the request repeats, in whole or in part; NULL: none
 * (RR-25..RR-32). */
const struct iba_saved_op *iba_saved_find(const struct iba_rx *x);
/* Number of operations that are remembered, and of those that may be open at once (RR-29, RR-35). */
uint32_t iba_saved_depth(const struct iba_qp *qp);
/* Number of packets of the response to a READ of `length` bytes (RR-01). */
uint32_t iba_read_packets(const struct iba_qp *qp, uint32_t length);
/* Remembers the operation; it replaces the oldest one (RR-29). */
void iba_saved_put(const struct iba_rx *x, const struct iba_saved_op *s);

/* ---- iba_responder_reach.c ---- */
unsigned iba_flush_access(const struct iba_rx *x); /* rights that a FLUSH needs */
/* Checks the memory access of a READ, ATOMIC, FLUSH or ATOMIC WRITE. */
enum iba_mem_verdict iba_responder_reach(const struct iba_rx *x, struct iba_place *place);

/* ---- the queue: iba_responder_emit.c ---- */
/* Puts a response into the queue by its PSN. An ACK replaces an ACK directly before it; a repeated NAK replaces the
 * earlier copy. The queue always has an entry: rows limit the number of answers (iba_resp_open, iba_resp_again), and
 * newer NAKs and ACKs replace older ones. */
void iba_resp_put(struct iba_qp *qp, const struct iba_resp *r);
/* Returns whether an answer with that PSN is still to be sent. */
bool iba_resp_waits(const struct iba_qp *qp, iba_psn psn);
/* The largest number of responses that can wait. */
uint32_t iba_resp_most(const struct iba_qp *qp);
/* Number of waiting answers to operations that take a responder resource, without replays: at most
 * iba_saved_depth(). */
uint32_t iba_resp_open(const struct iba_qp *qp);
/* Number of waiting replays: at most one more than iba_saved_depth(). */
uint32_t iba_resp_again(const struct iba_qp *qp);
/* Checks the access of the next packet of the READ response at the head of the queue: *n bytes at *place. */
enum iba_mem_verdict iba_resp_reach(struct iba_ca *ca, const struct iba_qp *qp, struct iba_place *place, uint32_t *n);

/* Writes the next response. False: there is nothing to send. */
bool iba_responder_send(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx);
/* The credit code that an ACK announces for this number of receives. */
uint8_t iba_responder_credit(const struct iba_qp *qp, uint32_t receives);

/* ---- iba_responder_exec.c ---- */
/* The value that an ATOMIC leaves where it finds `old` (RR-48). */
typedef uint64_t iba_rc_atomic(const struct iba_rx *x, uint64_t old);
iba_rc_atomic iba_rc_swapped, iba_rc_added;
/* Executes an ATOMIC. Returns the value before it, in host byte order. */
uint64_t iba_rc_execute(struct iba_rx *x, iba_rc_atomic *changed);
/* An ATOMIC, FLUSH or ATOMIC WRITE is done: it is remembered and answered. */
void iba_rc_finish(struct iba_rx *x, uint64_t result);
/* Answers an ATOMIC by an ATOMIC Acknowledge, a FLUSH or ATOMIC WRITE by a READ response without payload (catalogue
 * 11.2, 37 and 40). */
void iba_rc_answer(struct iba_rx *x, uint64_t result, bool replay);
/* The actions of the table. */
iba_then iba_rc_establish;
iba_then iba_rc_nak_sequence, iba_rc_rnr, iba_rc_nak_invalid, iba_rc_nak_unfit, iba_rc_nak_length, iba_rc_nak_access,
    iba_rc_nak_operation;
/* Reliable datagrams: a RESYNC; a NAK for a request to a QP that may not have it; the NAK of before. */
iba_then iba_rc_resync, iba_rc_nak_rd, iba_rc_refuse_again;
iba_then iba_rc_ack_again, iba_rc_read_again, iba_rc_replay;
iba_then iba_rc_send_part, iba_rc_send_end, iba_rc_send_invalidate, iba_rc_write_part, iba_rc_write_end,
    iba_rc_write_notify;
iba_then iba_rc_read, iba_rc_swap, iba_rc_add, iba_rc_flush, iba_rc_atomic_write;
#endif
