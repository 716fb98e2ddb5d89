/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the engine: the state of the adapter, and the functions that the parts of the engine call in each other.
 * Users of libiba include adapter/iba_ca.h only.
 *
 * Parts: verbs (objects, states, queues), validate (header checks), responder and receivers (RC, UC, UD), requester
 * (sending, timers) and completer (responses to the requester). The engine handles each packet and each deadline to the
 * end before the next. */
#ifndef IBA_ENGINE_H
#define IBA_ENGINE_H
#include "fabric/deviations_port.h"
#include "memory/iba_mem.h"
#include "transport/iba_limiter.h"
#include "transport/iba_qp.h"
#include "wire/iba_change.h"
#include "wire/iba_rule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_MAX_PORTS_CA = 2, IBA_MAX_RULES = 64, IBA_MAX_XRCDS = 8 };
#define IBA_NONE UINT32_MAX /* a number that means: there is none */

/* Rule tables, in the order in which they are applied to a packet. */
#define IBA_RULE_TABLES(T)                                                                                             \
    T(VALIDATE, iba_validate_rules, "header validation (section 9.6)")                                                 \
    T(RC_RESPONDER, iba_rc_responder_rules, "RC responder: requests (section 9.7.4, 9.7.5)")                           \
    T(RC_COMPLETER, iba_rc_completer_rules, "RC requester: responses (section 9.7.6)")                                 \
    T(UC_RECEIVER, iba_uc_receiver_rules, "UC receiver (section 9.8.2)")                                               \
    T(UD_RECEIVER, iba_ud_receiver_rules, "UD receiver (section 9.8.3)")
enum iba_rule_table {
#define IBA_RULE_TABLE_ID(id, rules, title) IBA_TABLE_##id,
    IBA_RULE_TABLES(IBA_RULE_TABLE_ID) IBA_TABLE_COUNT
};
#define IBA_RULE_TABLE_DECL(id, rules, title) extern const struct iba_rules rules;
IBA_RULE_TABLES(IBA_RULE_TABLE_DECL)

struct iba_mcast { /* one attachment (UU-25) */
    uint8_t gid[16];
    uint16_t lid;
    uint32_t qpn;
    bool used;
};
struct iba_ah {
    struct iba_av av;
    uint32_t pd;
    uint8_t envelope[IBA_ENVELOPE_MAX], envelope_bytes;
    bool used;
};

struct iba_ca {
    struct iba_port port[IBA_MAX_PORTS_CA];
    uint8_t n_port;
    struct iba_mem mem;
    struct iba_qp **qp; /* caller's slots; the slot of a QP is the low bits of its QPN, modulo n_qp; NULL: free */
    struct iba_cq **cq;
    struct iba_srq **srq;
    struct iba_ah *ah;
    struct iba_mcast *mcast;
    uint32_t n_qp, n_cq, n_srq, n_ah, n_mcast;
    uint32_t xrcd[IBA_MAX_XRCDS];                   /* XRC domains (iba_xrc.c) */
    const struct iba_rules *table[IBA_TABLE_COUNT]; /* a broken device may have a changed table */
    uint32_t hits[IBA_TABLE_COUNT][IBA_MAX_RULES];  /* by iba_rule.hit */
    const struct iba_change *change;                /* the changed row of a broken device; NULL: unbroken */
    const struct iba_deviations *deviate;           /* its functions (deviations.h); NULL if `change` is */
    uint64_t (*random)(void *ctx);
    void (*event)(void *ctx, const struct iba_event *e);                                 /* optional */
    void (*trace)(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn); /* optional: each decision */
    void *ctx;
    iba_time now;                      /* time of the last call; never decreases */
    uint32_t next_slot;                /* QP slot that poll looks at next */
    const struct iba_limiter *limiter; /* the module that reacts to congestion; NULL: none */
    uint32_t ack_delay;                /* packets without AckReq that a responder may leave unacknowledged; 0: none */
};

/* Copies the adapter's change to its ports. A port may be set up (iba_port_init) after the adapter was changed, so the
 * verbs that prepare sending call this function again. */
static inline void iba_ports_follow(struct iba_ca *ca)
{
    for (unsigned i = 0; i < IBA_MAX_PORTS_CA; i++)
        iba_port_change(&ca->port[i], ca->change);
}

enum iba_rx_seen { IBA_SEEN_MARK = 1, IBA_SEEN_BECN = 2 };

/* The packet that the rules decide on. */
struct iba_rx {
    struct iba_ca *ca;
    struct iba_port *port;
    struct iba_qp *qp;   /* NULL until validation has found it; of RD: the EE context */
    struct iba_qp *user; /* RD: the QP that DestQP names, whose receives, rights and domain count; NULL: none, not RD */
    const struct iba_view *v;
    const uint8_t *bth;
    const struct iba_opcode *op; /* NULL for a reserved or vendor opcode */
    iba_time now;
    iba_psn psn;
    int32_t ahead;     /* of a request: its PSN minus the expected PSN */
    uint8_t operation; /* enum iba_operation */
    int pkey_index;    /* index of the P_Key entry that matched */
    uint8_t seen;      /* enum iba_rx_seen: the rows that only note something and have applied */
};

/* The packet being built: buf has the envelope, then the body (BTH to payload and pad). The adapter seals it
 * (iba_envelope_seal). */
struct iba_tx {
    uint8_t *buf;
    size_t cap; /* at least IBA_TX_MOST */
    const struct iba_port *port;
    size_t envelope, body;
};
enum { IBA_TX_MOST = IBA_ENVELOPE_MAX + 12 + 8 + 16 + 28 + 8 + 4096 + 4 + 4 + 2 };

/* iba_rules.c: walks a table; the first row that applies decides and is counted. */
void iba_rules_apply(struct iba_rx *x, enum iba_rule_table t);
const struct iba_rule *iba_rules_first(const struct iba_rules *table, const struct iba_rx *x); /* NULL: none */

/* ---- QPs, events, queues: iba_qp.c, iba_event.c, iba_queue.c, iba_qp_error.c ---- */
struct iba_qp *iba_qp_find(const struct iba_ca *ca, uint32_t qpn);                 /* NULL: none */
static inline struct iba_cq *iba_cq_find(const struct iba_ca *ca, uint32_t number) /* NULL: none */
{
    return number < ca->n_cq ? ca->cq[number] : NULL;
}
static inline struct iba_srq *iba_srq_find(const struct iba_ca *ca, uint32_t number) /* NULL: none */
{
    return number < ca->n_srq ? ca->srq[number] : NULL;
}
void iba_raise(struct iba_ca *ca, enum iba_event_kind kind, uint8_t port, uint32_t object, uint32_t a, uint32_t b);
/* Adds a completion. An overflow makes the CQ unusable, and its QPs fail (QS-32). The caller's QP may fail too, so the
 * caller takes the work request off its queue before the call, and checks the QP's state after it. `solicited`: SE was
 * set, or the completion is an error. */
void iba_cq_push(struct iba_ca *ca, uint32_t cq, const struct iba_wc *wc, bool solicited);
/* Returns the next receive work request without taking it; NULL: there is none. */
const struct iba_recv_wr *iba_rq_next(const struct iba_rq *rq);
/* Takes the next receive work request of the SRQ, or of the QP's own queue if `srq` is NULL (QS-37, QS-38). False:
 * there is none. */
bool iba_recv_take(struct iba_ca *ca, struct iba_qp *qp, struct iba_srq *srq, struct iba_recv_wr *wr);
/* The CQ of the QP's receives: that of its SRQ if the SRQ has tags (VN-06). Not for an XRC target. */
static inline uint32_t iba_recv_cq(const struct iba_ca *ca, const struct iba_qp *qp)
{
    const struct iba_srq *srq = iba_srq_find(ca, qp->srq);

    return srq && srq->tags.list ? srq->cq : qp->recv_cq;
}
/* Number of free receive work requests, for the credit code; IBA_NONE with an SRQ (RR-19, RR-20). */
uint32_t iba_recv_free(const struct iba_ca *ca, const struct iba_qp *qp);
/* Moves the QP to Error. Both queues are flushed: the send queue by iba_requester_flush, the receive queue and the
 * receive in use here. Packets that wait to be sent are dropped (QS-25, QS-27, RQ-61). Idempotent. A responder that
 * fails its QP completes the faulty work request and queues its NAK before the call. With r.last_words the NAK and the
 * responses before it still leave. */
void iba_qp_fail(struct iba_ca *ca, struct iba_qp *qp);
/* The alternate path becomes the path of the QP (QS-78). */
void iba_qp_migrate(struct iba_ca *ca, struct iba_qp *qp);
/* Moves a UC or UD QP to SQE (QS-24). */
void iba_qp_sq_error(struct iba_ca *ca, struct iba_qp *qp);
/* The requester calls this in SQD when the last begun work request is done (QS-23). */
void iba_qp_drained(struct iba_ca *ca, struct iba_qp *qp);
bool iba_qp_may_receive_requests(const struct iba_qp *qp);  /* PV-05 */
bool iba_qp_may_receive_responses(const struct iba_qp *qp); /* PV-06 */
bool iba_qp_may_send(const struct iba_qp *qp);              /* in RTS; in SQD only work requests that have begun */

/* ---- scatter and gather: iba_sgl.c ---- */
/* Number of bytes of the list. The caller refuses more than IBA_MAX_MESSAGE. */
uint64_t iba_sgl_length(const struct iba_sge *sge, unsigned n);
/* Copies between `data` and the list, beginning at byte `at` of the list. Returns LOCAL_PROTECTION or LOCAL_LENGTH on
 * failure, otherwise IBA_WC_SUCCESS; bytes before the fault may have been copied. *absent: a page of an on-demand
 * region is missing. That is no error: the caller tries again later. */
enum iba_wc_status iba_sgl_scatter(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                   const uint8_t *data, size_t len, bool *absent);
/* Returns the result that the other two functions would have, and copies nothing. *absent: a page is missing. `write`:
 * check for writing to the list. */
enum iba_wc_status iba_sgl_check(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                 size_t len, bool write, bool *absent);
enum iba_wc_status iba_sgl_gather(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                  uint8_t *data, size_t len, bool *absent);

/* ---- receiving: iba_validate.c, iba_responder*.c, iba_uc.c, iba_ud.c ---- */
/* Finds the QP, and applies the tables of its type to the packet. The caller has set x->v, ca, port and now. */
void iba_receive(struct iba_rx *x);
void iba_responder_reset(struct iba_qp *qp); /* the QP enters RESET */
void iba_responder_start(struct iba_qp *qp); /* the QP enters RTR: ePSN from attr */
bool iba_responder_ready(const struct iba_ca *ca, const struct iba_qp *qp);
/* Writes the next ACK, NAK, READ response, ATOMIC Acknowledge or CNP. False: there is nothing to send. */
bool iba_responder_emit(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx);

/* ---- sending: iba_requester*.c, iba_completer.c ---- */
void iba_requester_reset(struct iba_qp *qp);
void iba_requester_start(struct iba_qp *qp); /* the QP enters RTS: takes the PSN from attr, loads counters */
/* Adds a work request of a legal form to the queue. The request gets its PSNs when it begins. */
void iba_requester_post(struct iba_ca *ca, struct iba_qp *qp, const struct iba_send_wr *wr);
bool iba_requester_ready(const struct iba_ca *ca, const struct iba_qp *qp, iba_time now);
bool iba_requester_emit(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx);
iba_time iba_requester_deadline(const struct iba_qp *qp); /* of ACK timer, RNR timer, wait for a page; or IBA_NEVER */
void iba_requester_advance(struct iba_ca *ca, struct iba_qp *qp, iba_time now);
/* Completes the queued work requests, oldest first. The oldest has the status that the requester noted for it, if any;
 * the others are flushed (RQ-55). iba_qp_fail() and iba_qp_sq_error() call this. */
void iba_requester_flush(struct iba_ca *ca, struct iba_qp *qp);
/* No work request that has begun is left (QS-22). */
bool iba_requester_idle(const struct iba_qp *qp);

/* ---- invariants of each part; they assert ---- */
void iba_qp_check(const struct iba_ca *ca, const struct iba_qp *qp);
void iba_queues_check(const struct iba_ca *ca); /* CQs and SRQs */
/* Returns the sentence of a violated invariant, or NULL. */
const char *iba_qp_broken(const struct iba_ca *ca, const struct iba_qp *qp);
const char *iba_queues_broken(const struct iba_ca *ca);

#ifdef __cplusplus
}
#endif

#endif
