/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the requester: the send queue as its files use it. Not for users of libiba.
 *
 * The queue has the oldest entries first: begun entries, which own PSNs from s.una up, then entries that wait. s.next
 * and s.next_psn name the next packet; a retry only moves them back (go-back-N, RQ-21). */
#ifndef IBA_REQUESTER_H
#define IBA_REQUESTER_H
#include "transport/iba_engine.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_aeth.h"

#ifdef __cplusplus
extern "C" {
#endif

enum iba_sqe_state {
    IBA_SQE_WAITING, /* has no PSNs yet; if its status is an error, it fails when its turn comes */
    IBA_SQE_BEGUN,   /* has its PSNs; some or all of its packets were sent */
    IBA_SQE_DONE,    /* is finished, and waits for its turn to complete (RQ-54) */
    IBA_SQE_FAULTY,  /* `status` says why; fails the queue as soon as it is the oldest (RQ-14) */
};

enum iba_form_trait {
    IBA_FORM_PAYLOAD = 1,  /* the message travels in the request */
    IBA_FORM_RECEIVED = 2, /* takes a receive of the peer: credits (RQ-42), and SE is allowed (WF-28) */
    IBA_FORM_ANSWERED = 4, /* only its own response completes it (RQ-38) */
    IBA_FORM_RESOURCE = 8, /* counts against max_rd (RQ-08) */
    IBA_FORM_ONE_PSN = 16, /* takes one PSN at any length (RQ-02) */
    IBA_FORM_EIGHT = 32,   /* operand of 8 bytes (WF-57, WF-68) */
    IBA_FORM_LOCAL = 64,   /* nothing is sent */
};

/* The form of each kind of work request on the wire (WF-64, RQ-17), with opcodes without their service bits. */
struct iba_send_form {
    uint8_t opcode[4]; /* by enum iba_pos */
    uint8_t traits;
};
extern const struct iba_send_form iba_send_forms[IBA_WR_RECV]; /* iba_send_forms.c */

enum {
    IBA_PSN_SPAN = 1 << 23,   /* open PSNs stay below this (RQ-03) */
    IBA_ACKREQ_EVERY = 64,    /* packets (RQ-05) */
    IBA_PAGE_WAIT_NS = 10000, /* before an absent page is looked for again */
};

static inline const struct iba_send_form *iba_sqe_form(const struct iba_sqe *e)
{
    return &iba_send_forms[e->wr.op];
}
static inline bool iba_sqe_is(const struct iba_sqe *e, enum iba_form_trait t)
{
    return (iba_sqe_form(e)->traits & t) != 0;
}
/* The i-th entry, from the oldest. */
static inline struct iba_sqe *iba_sqe_at(const struct iba_qp *qp, uint32_t i)
{
    const uint32_t k = qp->s.head + i;
    return &qp->s.ring[k < qp->s.n ? k : k - qp->s.n];
}
/* Number of PSNs from the oldest unacknowledged one to `psn`, in [0, 2^24). The numbers order all PSNs that are open or
 * may be opened. */
static inline uint32_t iba_psn_past(const struct iba_qp *qp, iba_psn psn)
{
    return (psn.v - qp->s.una.v) & IBA_PSN_MASK;
}
static inline bool iba_qp_is_reliable(const struct iba_qp *qp)
{
    return iba_qp_has(qp, IBA_QP_RELIABLE);
}
static inline bool iba_qp_is_raw(const struct iba_qp *qp)
{
    return qp->type == IBA_QPT_RAW_IPV6 || qp->type == IBA_QPT_RAW_ETHERTYPE;
}
/* Each message is one packet, with an address of its own. */
static inline bool iba_qp_is_datagram(const struct iba_qp *qp)
{
    return iba_qp_has(qp, IBA_QP_DATAGRAM) || iba_qp_is_raw(qp);
}
/* A completion that overflows its queue fails the QP, so callers check this after a completion. */
static inline bool iba_qp_is_alive(const struct iba_qp *qp)
{
    return qp->state != IBA_QPS_ERR && qp->state != IBA_QPS_RESET;
}

/* How a message is cut into packets. */
struct iba_cut {
    unsigned shift;   /* all but the last have 2^shift bytes (WF-66); the responder cuts READ responses */
    uint64_t packets; /* number of PSNs: a READ reserves one for each response (WF-64, WF-65, RQ-02) */
};
static inline bool iba_sqe_has_one_psn(const struct iba_qp *qp, const struct iba_sqe *e)
{
    return iba_qp_is_datagram(qp) || iba_sqe_is(e, IBA_FORM_ONE_PSN) || e->length == 0;
}
static inline struct iba_cut iba_cut_at(const struct iba_qp *qp, const struct iba_sqe *e, unsigned shift)
{
    return (struct iba_cut){
        .shift = shift, .packets = iba_sqe_has_one_psn(qp, e) ? 1 : iba_mtu_packets(e->length, UINT32_C(1) << shift)};
}

static inline struct iba_cut iba_request_cut(const struct iba_qp *qp, const struct iba_sqe *e)
{
    return iba_cut_at(qp, e, 7u + qp->attr.path_mtu);
}

/* RQ-22, RQ-29: the values of the retry counts. */
enum { IBA_RETRIES_MOST = 7, IBA_RNR_FOR_EVER = 7 };
struct iba_retries {
    uint8_t retry, rnr;
};

/* The plan of a request packet. */
struct iba_request {
    const struct iba_sqe *e;
    uint64_t offset; /* bytes of the message before the packet */
    uint64_t from;   /* first byte of the message in the payload */
    size_t payload;
    uint64_t hdrs;
    uint8_t opcode;
    bool last, ask; /* last packet of the message; AckReq */
    bool again;     /* the packet was sent before */
};

/* A packet was sent and is not acknowledged. */
static inline bool iba_requester_has_open(const struct iba_qp *qp)
{
    return qp->s.count > 0 && !iba_psn_eq(qp->s.una, qp->s.high_psn);
}
/* Moves s.next past entries that are done. */
static inline void iba_requester_step(struct iba_qp *qp)
{
    while (qp->s.next < qp->s.count && iba_sqe_at(qp, qp->s.next)->state == IBA_SQE_DONE)
        qp->s.next++;
}

/* iba_requester.c */
/* Returns whether the next entry may send its next packet. */
bool iba_sqe_may_go(const struct iba_qp *qp, const struct iba_sqe *e);
/* Lets the next entry, which may go, act once. True: it has written a packet. */
bool iba_requester_serve(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e, iba_time now, struct iba_tx *tx);
/* The parts of a turn. Executes BIND_MW or LOCAL_INV, which send nothing. */
enum iba_mem_err iba_sqe_execute(struct iba_ca *ca, const struct iba_qp *qp, struct iba_sqe *e);
/* Gives the entry its PSNs. */
void iba_sqe_begin(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e);
/* Moves s.next and s.next_psn past the packet that was written. True: that was the last packet of an unreliable
 * message, which is finished. */
bool iba_sqe_advance(struct iba_qp *qp, const struct iba_sqe *e);
/* The entry is finished. It and those before it complete. */
void iba_sqe_finish(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e);

/* iba_requester_queue.c */
/* Acknowledges everything up to `psn`, which is open: completions, counters, timer (RQ-24, RQ-35). */
void iba_requester_acknowledge(struct iba_ca *ca, struct iba_qp *qp, iba_psn psn, iba_time now);
/* Completes finished entries in posting order (RQ-54). Then it reports the local fault of the oldest entry, if that
 * entry has one (RQ-14). */
void iba_requester_retire(struct iba_ca *ca, struct iba_qp *qp);
/* Fails the queue: the oldest entry completes with `status` (RQ-55). */
void iba_requester_fail(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status);
/* Notes a local fault of the next entry: earlier entries complete first (RQ-13, RQ-14). */
void iba_requester_fault(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status);

/* iba_requester_credit.c */
/* Takes the end-to-end credits from the AETH of a positive response (RQ-40, RQ-43, RQ-44). */
void iba_requester_credit(const struct iba_ca *ca, struct iba_qp *qp, uint8_t code, uint32_t msn);
/* Returns whether message `ssn` is beyond the credit limit (RQ-41). */
bool iba_requester_limited(const struct iba_qp *qp, uint32_t ssn);

/* iba_requester_timer.c */
/* Sending resumes at the oldest unacknowledged PSN (RQ-21). */
void iba_requester_rewind(struct iba_qp *qp);
/* Starts the ACK timer again, or stops it when no open PSN has asked for an answer (RQ-20). */
void iba_requester_restart_timer(const struct iba_ca *ca, struct iba_qp *qp, iba_time now);
iba_time iba_requester_ack_timeout(const struct iba_ca *ca, const struct iba_qp *qp); /* 0: no timer */
struct iba_retries iba_requester_retries(const struct iba_ca *ca, const struct iba_qp *qp);
iba_time iba_ack_timeout_ns(uint8_t code); /* RQ-18; 0: no timer */

/* iba_requester_retry.c */
/* Whether the QP migrates instead of failing when its retries are used up: an alternate path is armed (RQ-25). */
bool iba_requester_may_migrate(const struct iba_ca *ca, const struct iba_qp *qp);
/* Uses one retry. If none is left, the QP migrates to its armed alternate path, which has all of them again (RQ-25). */
void iba_requester_use_retry(struct iba_ca *ca, struct iba_qp *qp);
/* Uses one retry, and fails the queue if none is left and no alternate path is armed. */
void iba_requester_timeout(struct iba_ca *ca, struct iba_qp *qp);

/* iba_completer.c: actions of its table that broken devices have in another form */
/* Handles an RNR NAK: everything before its PSN is acknowledged, and sending stops for the time that the RNR NAK names
 * (RQ-28, RQ-30). */
void iba_requester_wait(struct iba_rx *x);
/* Handles a sequence NAK: everything before its PSN is acknowledged, and sending resumes there (RQ-26). */
void iba_requester_resend(struct iba_rx *x);
/* Does the same at the PSN whose response is missing (RQ-36). */
void iba_requester_ask_again(struct iba_rx *x);
/* The PSN of the first READ or ATOMIC, up to the response's PSN, whose response is missing; else the response's PSN. */
iba_psn iba_requester_missing(const struct iba_rx *x);
/* Stores the result of an ATOMIC (RQ-50). */
void iba_requester_store_atomic(struct iba_rx *x);
/* Writes the response's data to the buffers of the oldest request, then acknowledges the response's PSN. */
void iba_requester_store(struct iba_rx *x, const uint8_t *data, size_t len);

/* iba_requester_check.c */
/* Returns whether the invariants of the send queue are true; a row of iba_qp_check(). */
bool iba_requester_is_sound(const struct iba_qp *qp);

/* iba_requester_emit.c */
/* Plans the packet that s.next and s.next_psn name; the packets of the message have 2^shift bytes. */
struct iba_request iba_request_plan(const struct iba_qp *qp, const struct iba_sqe *e, unsigned shift);
/* Writes the packet. False: a fault, or a page is absent. */
bool iba_request_write(struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, iba_time now,
                       struct iba_tx *tx);

#ifdef __cplusplus
}
#endif

#endif
