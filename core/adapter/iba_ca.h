/* libiba's engine: a channel adapter in software, without I/O, clock or allocation.
 *
 *     iba_ca_init(&ca, &cfg);                       memory, entropy, callbacks are the caller's
 *     iba_port_init(iba_ca_port(&ca, 1), ...);      addresses, P_Keys
 *     iba_pd_create(&ca.mem, &pd); iba_mr_register(&ca.mem, ...);
 *     iba_create_cq(...); iba_create_qp(...); iba_modify_qp(...) to RTS; iba_post_recv(...); iba_post_send(...);
 *     for (;;) {
 *         a frame arrived:   iba_view_parse(&v, ...); iba_view_check(&v); iba_ca_feed(&ca, port, &v, now);
 *         time passed:       iba_ca_advance(&ca, now);          at or after iba_ca_deadline(&ca)
 *         after either:      while (iba_ca_poll(&ca, port, buf, cap, &len, now) == IBA_OK && len) send(buf, len);
 *         completions:       iba_poll_cq(&ca, cq, &wc)
 *     }
 *
 * A malformed or unwanted packet is never an error of these calls: it is dropped by a rule, and the rule is counted.
 * What a caller does wrong is an enum iba_verb_err, or an assert where no verb would report it. No assert depends on
 * wire bytes. */
#ifndef IBA_CA_H
#define IBA_CA_H
#include "transport/iba_engine.h"

#define IBA_VERB_ERRS(E)                                                                                               \
    E(VERB_OK, "ok")                                                                                                   \
    E(VERB_NO_QP, "no such QP")                                                                                        \
    E(VERB_NO_CQ, "no such CQ")                                                                                        \
    E(VERB_NO_SRQ, "no such SRQ")                                                                                      \
    E(VERB_NO_PD, "no such protection domain")                                                                         \
    E(VERB_NO_AH, "no such address handle")                                                                            \
    E(VERB_FULL, "the queue or table is full")                                                                         \
    E(VERB_STATE, "not allowed in this state (QS-17, QS-18, QS-19)")                                                   \
    E(VERB_TRANSITION, "no such state transition (QS-14)")                                                             \
    E(VERB_ATTR_MISSING, "a required attribute is missing (QS-01..QS-13)")                                             \
    E(VERB_ATTR_FORBIDDEN, "an attribute is not allowed in this transition (QS-01..QS-13)")                            \
    E(VERB_ATTR_VALUE, "an attribute's value is out of range")                                                         \
    E(VERB_CUR_STATE, "the current state is another one (QS-16)")                                                      \
    E(VERB_OPCODE, "the operation is not one of the QP's service (RQ-15)")                                             \
    E(VERB_SGE, "too many scatter/gather entries")                                                                     \
    E(VERB_LENGTH, "the message is too long (WF-67)")                                                                  \
    E(VERB_BUSY, "the object is in use")                                                                               \
    E(VERB_TYPE, "not for this type of QP")
enum iba_verb_err {
#define IBA_VERB_ERR_ID(name, text) IBA_##name,
    IBA_VERB_ERRS(IBA_VERB_ERR_ID)
};
const char *iba_verb_strerror(enum iba_verb_err e);

struct iba_ca_config { /* arrays are the caller's, cleared by init, and live as long as the adapter */
    uint8_t n_port;
    struct iba_qp **qp;
    struct iba_cq **cq;
    struct iba_srq **srq;
    struct iba_ah *ah;
    struct iba_mcast *mcast;
    struct iba_mkey *key;
    uint32_t *pd;
    uint32_t n_qp, n_cq, n_srq, n_ah, n_mcast, n_key, n_pd;
    uint64_t (*random)(void *ctx); /* entropy; never NULL */
    void (*event)(void *ctx, const struct iba_event *e);
    void (*trace)(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn);
    void *ctx;
};
void iba_ca_init(struct iba_ca *ca, const struct iba_ca_config *cfg);
struct iba_port *iba_ca_port(struct iba_ca *ca, uint8_t number); /* from 1 */
/* Replaces one rule table, for mutants; NULL puts the true one back. Rows keep their `hit` indices. */
void iba_ca_set_rules(struct iba_ca *ca, enum iba_rule_table t, const struct iba_rules *rules);

/* ---- verbs ---- */
enum iba_verb_err iba_create_cq(struct iba_ca *ca, struct iba_cq *cq, struct iba_wc *ring, uint32_t n,
                                uint32_t *number);
enum iba_verb_err iba_destroy_cq(struct iba_ca *ca, uint32_t number);
enum iba_verb_err iba_req_notify_cq(struct iba_ca *ca, uint32_t number, bool solicited_only);
/* 1: *wc is a completion; 0: there is none. */
int iba_poll_cq(struct iba_ca *ca, uint32_t number, struct iba_wc *wc);
enum iba_verb_err iba_create_srq(struct iba_ca *ca, struct iba_srq *srq, struct iba_recv_wr *ring, uint32_t n,
                                 uint32_t pd, uint32_t *number);
enum iba_verb_err iba_arm_srq(struct iba_ca *ca, uint32_t number, uint32_t limit);
enum iba_verb_err iba_destroy_srq(struct iba_ca *ca, uint32_t number);
enum iba_verb_err iba_post_srq_recv(struct iba_ca *ca, uint32_t number, const struct iba_recv_wr *wr);

struct iba_qp_init {
    uint8_t type; /* enum iba_qp_type */
    bool sq_sig_all;
    uint32_t pd, send_cq, recv_cq, srq; /* srq: IBA_NONE for none */
    uint32_t qpn; /* 0: a random one, as it should be (SMI and GSI: 0 and 1 whatever this says); else this, for tests */
    struct iba_sqe *sq;      /* caller's, n_sq */
    struct iba_recv_wr *rq;  /* caller's, n_rq; none with an SRQ */
    struct iba_saved *saved; /* caller's, n_saved: bounds max_dest_rd */
    uint32_t n_sq, n_rq, n_saved;
};
enum iba_verb_err iba_create_qp(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_init *init, uint32_t *qpn);
enum iba_verb_err iba_destroy_qp(struct iba_ca *ca, uint32_t qpn);
/* All or nothing (QS-15). */
enum iba_verb_err iba_modify_qp(struct iba_ca *ca, uint32_t qpn, const struct iba_qp_attr *attr, uint32_t mask);
const struct iba_qp *iba_query_qp(const struct iba_ca *ca, uint32_t qpn);
enum iba_verb_err iba_post_send(struct iba_ca *ca, uint32_t qpn, const struct iba_send_wr *wr);
enum iba_verb_err iba_post_recv(struct iba_ca *ca, uint32_t qpn, const struct iba_recv_wr *wr);
enum iba_verb_err iba_create_ah(struct iba_ca *ca, uint32_t pd, const struct iba_av *av, uint32_t *number);
enum iba_verb_err iba_destroy_ah(struct iba_ca *ca, uint32_t number);
enum iba_verb_err iba_attach_mcast(struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid);
enum iba_verb_err iba_detach_mcast(struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid);
enum iba_verb_err iba_set_pkey(struct iba_ca *ca, uint8_t port, uint8_t index, uint16_t key);

/* For tables and tests: the transition table of modify QP (iba_qp_state.c). */
struct iba_transition {
    uint8_t from, to;
    uint32_t required[IBA_QPT_COUNT], optional[IBA_QPT_COUNT];
    const char *clause;
};
const struct iba_transition *iba_transitions(size_t *n);
const char *iba_qp_state_name(enum iba_qp_state s);
const char *iba_qp_type_name(enum iba_qp_type t);

/* ---- packets and time ---- */
/* A packet that arrived at `port`, its CRCs already checked (iba_view_check). Bad CRCs are dropped by rule (WF-78). */
void iba_ca_feed(struct iba_ca *ca, uint8_t port, const struct iba_view *v, iba_time now);
/* Timers up to `now`. */
void iba_ca_advance(struct iba_ca *ca, iba_time now);
/* The next packet to send from `port`; *len 0: none. cap >= IBA_TX_MOST, or IBA_NO_ROOM. */
enum iba_err iba_ca_poll(struct iba_ca *ca, uint8_t port, uint8_t *buf, size_t cap, size_t *len, iba_time now);
/* When iba_ca_advance() has something to do; IBA_NEVER when nothing waits. */
iba_time iba_ca_deadline(const struct iba_ca *ca);
/* Every invariant of every object; asserts. */
void iba_ca_check(const struct iba_ca *ca);
#endif
