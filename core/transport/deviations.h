/* SPDX-License-Identifier: BSD-2-Clause */
/* The points at which a broken device deviates from an unbroken one.
 *
 * The code of the engine is that of an unbroken device. At each of these points the engine calls a function of this
 * table, if its adapter has a table (iba_ca.deviate). An unbroken device has no table, and pays one test of a pointer.
 * The files deviations_*.c have the functions; a function acts by the row that the device has changed (iba_change.h).
 * These files call the engine's functions. The engine calls theirs through the table only, and is complete without
 * them. Not for users of libiba. */
#ifndef IBA_DEVIATIONS_H
#define IBA_DEVIATIONS_H
#include "transport/iba_receiver.h"
#include "transport/iba_requester.h"
#include "transport/iba_verbs.h"

struct iba_call;
struct iba_refusals;

/* P(returns, name, arguments) */
/* clang-format off */
#define IBA_REQUESTER_POINTS(P)                                                                                        \
    /* Returns whether the entry may send its next packet. */                                                          \
    P(bool, may_go, (const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e))                       \
    /* The entry may send. True: the function has written a packet. */                                                 \
    P(bool, serve, (struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e, iba_time now, struct iba_tx *tx))          \
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
    /* An ACK has credits. False: the engine leaves the credit limit as it is. */                                      \
    P(bool, credit, (const struct iba_ca *ca, struct iba_qp *qp, unsigned *code, uint32_t *msn))

#define IBA_RESPONDER_POINTS(P)                                                                                        \
    /* An ACK, NAK or RNR NAK is due. False: this device does not send it. */                                          \
    P(bool, answers, (const struct iba_rx *x, struct iba_resp *r))                                                     \
    /* The responder has accepted a request of `n_psn` PSNs. */                                                        \
    P(void, accepted, (const struct iba_rx *x, uint32_t n_psn))                                                        \
    /* The next response leaves. False: there is nothing to send. */                                                   \
    P(bool, respond, (struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx))

#define IBA_RECEIVER_POINTS(P)                                                                                         \
    /* Returns the row of a rule table that decides; `room` has space for a changed row. */                            \
    P(const struct iba_rule *, rule, (struct iba_rx *x, enum iba_rule_table t, struct iba_rule *room))                 \
    /* The receiver's QP is to fail because of a packet. False: this device's QP does not. */                          \
    P(bool, fails_qp, (const struct iba_rx *x))                                                                        \
    /* The payload goes to memory. False: this device does not store it. */                                            \
    P(bool, stores, (struct iba_rx *x, const struct iba_place *place))                                                                 \
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
    /* A verb or a work request is checked. Returns the result, as iba_refuse() does. */                                \
    P(int, refuse, (struct iba_call *c, const struct iba_refusals *t))                                                    \
    /* A QP gets attributes and a state that were checked. */                                                          \
    P(void, apply, (struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask, uint8_t to))  \
    /* A QP has entered Error, SQE or SQD. */                                                                          \
    P(void, entered, (struct iba_ca *ca, struct iba_qp *qp))

#define IBA_QUEUE_POINTS(P)                                                                                            \
    /* A work request completes. */                                                                                    \
    P(void, push, (struct iba_ca *ca, uint32_t cq, const struct iba_wc *wc, bool solicited))                           \
    /* A CQ has moved its completions to a ring of another size. */                                                   \
    P(void, resized, (const struct iba_ca *ca, struct iba_cq *cq))                                                     \
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
