/* SPDX-License-Identifier: BSD-2-Clause */
/* The points at which a broken device deviates from an unbroken one.
 *
 * The code of the engine is that of an unbroken device. At each of these points the engine calls a function of this
 * table, if its adapter has a table (iba_ca.deviate). An unbroken device has no table, and pays one test of a pointer.
 * The files deviations_*.c have the functions; a function acts by the row that the device has changed (iba_change.h).
 * These files call the engine's functions. The engine calls theirs through the table only, and is complete without
 * them. */
#ifndef IBA_DEVIATIONS_H
#define IBA_DEVIATIONS_H
#include "transport/iba_receiver.h"
#include "transport/iba_requester.h"
#include "transport/iba_verbs.h"

/* P(returns, name, arguments) */
/* clang-format off */
#define IBA_REQUESTER_POINTS(P)                                                                                        \
    /* A work request was posted. */                                                                                   \
    P(void, posted, (const struct iba_ca *ca, struct iba_qp *qp))                                                      \
    /* Returns whether the next entry may send its next packet. */                                                     \
    P(bool, may_go, (const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e))                       \
    /* The next entry may go. True: the entry is done without a packet. */                                             \
    P(bool, leaves_out, (struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e))                                     \
    /* The entry has its PSNs. */                                                                                      \
    P(void, begun, (const struct iba_ca *ca, struct iba_qp *qp, const struct iba_sqe *e))                              \
    /* A bind or a local invalidation ended with `err`. */                                                             \
    P(void, done_locally, (const struct iba_ca *ca, enum iba_mem_err *err))                                            \
    /* Returns how the message of `e` is cut into packets. */                                                          \
    P(struct iba_cut, cut, (const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e))                \
    /* The engine has planned the next packet. */                                                                      \
    P(void, plan, (const struct iba_ca *ca, const struct iba_qp *qp, struct iba_request *p))                           \
    /* The payload goes into the packet. */                                                                            \
    P(enum iba_wc_status, gather, (struct iba_ca *ca, const struct iba_qp *qp, const struct iba_request *p,            \
                                   uint8_t *at, bool *absent))                                                         \
    /* An unbroken device does not use the address handle. True: this device does. */                                  \
    P(bool, takes_handle, (const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_send_wr *wr,             \
                           const struct iba_ah *ah))                                                                   \
    /* The request packet is built. */                                                                                 \
    P(void, request, (struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, struct iba_tx *tx))           \
    /* A work request completes; `reported`: an unbroken device reports it. Returns whether this one does. */          \
    P(bool, completion, (const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e,                    \
                         struct iba_wc *wc, bool reported))                                                            \
    /* The finished requests at the head of the queue complete. */                                                     \
    P(void, retires, (const struct iba_ca *ca, struct iba_qp *qp))                                                     \
    /* The queue is flushed. */                                                                                        \
    P(void, flushes, (const struct iba_ca *ca, struct iba_qp *qp))                                                     \
    /* The oldest request failed. True: the function has handled that. */                                              \
    P(bool, fails, (struct iba_ca *ca, struct iba_qp *qp))                                                             \
    /* `psn` is acknowledged. Returns the PSN up to which requests count as acknowledged. */                           \
    P(iba_psn, acknowledges, (const struct iba_ca *ca, const struct iba_qp *qp, iba_psn psn))                          \
    /* A new PSN was acknowledged. The function sets the counters and the timer. */                                    \
    P(void, progress, (const struct iba_ca *ca, struct iba_qp *qp, iba_time now))                                      \
    /* Returns the retry counts to load. */                                                                            \
    P(struct iba_retries, retries, (const struct iba_ca *ca, const struct iba_qp *qp))                                 \
    /* Returns the ACK timeout; 0: no timer. */                                                                        \
    P(iba_time, ack_timeout, (const struct iba_ca *ca, const struct iba_qp *qp))                                       \
    /* The ACK timer has run out. */                                                                                   \
    P(void, timeout, (struct iba_ca *ca, struct iba_qp *qp, iba_time now))                                             \
    /* A NAK or a response shows that the packet of `psn` was lost. True: the function has handled that. */            \
    P(bool, retry, (struct iba_rx *x, iba_psn psn))                                                                    \
    /* An RNR NAK came. */                                                                                             \
    P(void, wait, (struct iba_rx *x))                                                                                  \
    /* The result of an ATOMIC goes to memory. */                                                                      \
    P(void, atomic_result, (const struct iba_rx *x, uint8_t host[8]))                                                  \
    /* Credits came. False: the engine leaves the credit limit as it is. */                                            \
    P(bool, credit, (const struct iba_ca *ca, struct iba_qp *qp, unsigned *code, uint32_t *msn))

#define IBA_RESPONDER_POINTS(P)                                                                                        \
    /* The responder starts with the PSN it was given. */                                                              \
    P(void, responder_started, (const struct iba_ca *ca, struct iba_qp *qp))                                           \
    /* The responder acknowledges a request. False: this device does not. */                                           \
    P(bool, acks, (const struct iba_rx *x, iba_psn *psn))                                                              \
    /* A NAK or RNR NAK is due. */                                                                                     \
    P(void, nak, (const struct iba_rx *x, struct iba_resp *r))                                                         \
    /* A request of `n_psn` PSNs was good. */                                                                          \
    P(void, accepted, (const struct iba_rx *x, uint32_t n_psn))                                                        \
    /* A SEND names a key to be invalidated. False: the key stays valid. */                                            \
    P(bool, invalidates, (const struct iba_rx *x, uint32_t key))                                                       \
    /* The responder remembered an operation for its duplicates. */                                                    \
    P(void, remembered, (const struct iba_rx *x))                                                                      \
    /* An ATOMIC found `old`, and leaves *new. Returns the value for its answer. */                                    \
    P(uint64_t, atomic, (const struct iba_rx *x, uint64_t old, uint64_t *new))                                         \
    /* The next response leaves. False: there is nothing to send. */                                                   \
    P(bool, respond, (struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx))                                        \
    /* The memory of a READ has gone. True: the peer gets no NAK for that. */                                          \
    P(bool, read_lost, (struct iba_ca *ca, struct iba_qp *qp))

#define IBA_RECEIVER_POINTS(P)                                                                                         \
    /* Returns the row of a rule table that decides. */                                                                \
    P(const struct iba_rule *, rule, (const struct iba_rx *x, enum iba_rule_table t))                                  \
    /* A packet has a congestion mark: the adapter owes its source a notification. */                                  \
    P(void, marked, (const struct iba_rx *x))                                                                          \
    /* A request accesses no bytes. True: this device checks its key. */                                               \
    P(bool, asks_for_key, (const struct iba_rx *x))                                                                    \
    /* The payload goes to memory. False: this device does not store it. */                                            \
    P(bool, stores, (struct iba_rx *x))                                                                                \
    /* Returns the entries of a list in the order in which they are filled; `room` has space for another order. */     \
    P(const struct iba_sge *, scatters, (const struct iba_ca *ca, const struct iba_sge *sge, unsigned n,               \
                                         struct iba_sge *room))                                                        \
    /* A receive completes. False: this device does not complete it. */                                                \
    P(bool, received, (const struct iba_rx *x, struct iba_wc *wc))                                                     \
    /* A UC message is broken. Returns whether its receive completes in error. */                                      \
    P(bool, loses_receive, (const struct iba_rx *x, bool loses))                                                       \
    /* The area before a datagram's payload is filled. */                                                              \
    P(void, grh_area, (const struct iba_rx *x, struct iba_grh_area *a))

#define IBA_QP_POINTS(P)                                                                                               \
    /* Returns the row for a transition; NULL: there is none. `room` has space for a changed row. */                   \
    P(const struct iba_transition *, transition, (const struct iba_ca *ca, uint8_t from, uint8_t to,                   \
                                                  const struct iba_transition *t, struct iba_transition *room))        \
    /* A QP is to change its state. True: it did so by a transition that does not exist. */                            \
    P(bool, jumps, (struct iba_ca *ca, struct iba_qp *qp, uint8_t to))                                                 \
    /* Attributes were given, and will be checked. */                                                                  \
    P(void, given, (const struct iba_ca *ca, struct iba_qp_attr *a, uint32_t mask))                                    \
    /* The QP's address is to be written. Returns the attributes of `mask` that count. */                              \
    P(uint32_t, address, (const struct iba_ca *ca, struct iba_qp *qp, uint32_t mask))                                  \
    /* A QP was modified. */                                                                                           \
    P(void, modified, (const struct iba_ca *ca, struct iba_qp *qp))                                                    \
    /* Software moves a QP to Reset. */                                                                                \
    P(void, resets, (struct iba_ca *ca, struct iba_qp *qp))                                                            \
    /* A QP has entered Error, SQE or SQD. */                                                                          \
    P(void, entered, (struct iba_ca *ca, struct iba_qp *qp))                                                           \
    /* A new QP needs a number and a slot; IBA_NONE: no slot is free. True: the function chose them. */                \
    P(bool, numbers, (const struct iba_ca *ca, uint32_t *qpn, uint32_t *slot))                                         \
    /* An address handle was made. */                                                                                  \
    P(void, handle_made, (const struct iba_ca *ca, struct iba_ah *ah))

#define IBA_QUEUE_POINTS(P)                                                                                            \
    /* A work request completes. */                                                                                    \
    P(void, push, (struct iba_ca *ca, uint32_t cq, const struct iba_wc *wc, bool solicited))                           \
    /* Software is about to poll a completion. */                                                                      \
    P(void, polled, (const struct iba_ca *ca, struct iba_cq *cq))                                                      \
    /* A receive was posted; or the queue is flushed, and its next receive is to be taken off. */                      \
    P(void, queued, (const struct iba_ca *ca, struct iba_rq *rq, bool flushed))                                        \
    /* Returns whether a QP in that state takes receives. */                                                           \
    P(bool, takes_receives, (const struct iba_ca *ca, uint8_t state))                                                  \
    /* The receives of a QP are flushed. */                                                                            \
    P(void, flushes_receives, (struct iba_ca *ca, struct iba_qp *qp))                                                  \
    /* A receive was taken from an SRQ. True: the function has checked the limit of the SRQ. */                        \
    P(bool, srq_taken, (struct iba_ca *ca, struct iba_srq *srq))
/* clang-format on */

#define IBA_POINTS(P)                                                                                                  \
    IBA_REQUESTER_POINTS(P) IBA_RESPONDER_POINTS(P) IBA_RECEIVER_POINTS(P) IBA_QP_POINTS(P) IBA_QUEUE_POINTS(P)

struct iba_deviations {
#define IBA_POINT(returns, name, arguments) returns(*name) arguments;
    IBA_POINTS(IBA_POINT)
};
extern const struct iba_deviations iba_deviations;

/* The functions of the table, for the files deviations_*.c. */
#define IBA_DEVIATION(returns, name, arguments) returns iba_deviate_##name arguments;
IBA_POINTS(IBA_DEVIATION)
#endif
