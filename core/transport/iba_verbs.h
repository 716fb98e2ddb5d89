/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs: calls of software to the adapter (chapter 11). Users include adapter/iba_ca.h.
 *
 * A verb that fails changes nothing. Objects and rings are memory of the caller; an object is in use until it is
 * destroyed. Null pointers and rings shorter than their stated length are mistakes of the caller: asserts. The comment
 * of a verb lists the errors that it returns. */
#ifndef IBA_VERBS_H
#define IBA_VERBS_H
#include "transport/iba_engine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBA_VERB_ERRS(E)                                                                                               \
    E(VERB_OK, "ok")                                                                                                   \
    E(VERB_NO_QP, "no such QP")                                                                                        \
    E(VERB_NO_CQ, "no such CQ")                                                                                        \
    E(VERB_NO_SRQ, "no such SRQ")                                                                                      \
    E(VERB_NO_XRCD, "no such XRC domain")                                                                              \
    E(VERB_NO_PD, "no such protection domain")                                                                         \
    E(VERB_NO_AH, "no such address handle")                                                                            \
    E(VERB_FULL, "the queue or table is full")                                                                         \
    E(VERB_STATE, "not allowed in this state (QS-17, QS-18, QS-19, QS-23)")                                            \
    E(VERB_TRANSITION, "no such state transition (QS-14)")                                                             \
    E(VERB_ATTR_MISSING, "a required attribute is missing (QS-01..QS-13)")                                             \
    E(VERB_ATTR_FORBIDDEN, "an attribute is not allowed in this transition (QS-01..QS-13)")                            \
    E(VERB_ATTR_VALUE, "an attribute's value is out of range")                                                         \
    E(VERB_CUR_STATE, "the current state is another one (QS-16)")                                                      \
    E(VERB_OPCODE, "the operation is not one of the QP's service (RQ-15)")                                             \
    E(VERB_SGE, "more or fewer scatter/gather entries than the operation takes (QS-83)")                               \
    E(VERB_LENGTH, "the message is too long, or not as long as the operation wants (WF-67)")                           \
    E(VERB_BUSY, "the object is in use")                                                                               \
    E(VERB_TYPE, "not for this type of QP")
enum iba_verb_err {
#define IBA_VERB_ERR_ID(name, text) IBA_##name,
    IBA_VERB_ERRS(IBA_VERB_ERR_ID) IBA_VERB_ERR_COUNT
};
const char *iba_verb_strerror(enum iba_verb_err e); /* the text above; never NULL */

/* ---- completion queues; a number is a slot of the adapter's table ---- */
/* Errors: FULL. `ring` is memory of the caller, n >= 1. */
enum iba_verb_err iba_create_cq(struct iba_ca *ca, struct iba_cq *cq, struct iba_wc *ring, uint32_t n,
                                uint32_t *number);
/* Errors: NO_CQ; BUSY while a QP uses the CQ. */
enum iba_verb_err iba_destroy_cq(struct iba_ca *ca, uint32_t number);
/* Requests one notification (iba_cq.notified) for the next completion or, with `solicited_only`, for the next one that
 * is solicited or an error. A second call may only extend the first (QS-33). NO_CQ; STATE: the queue has overflowed. */
enum iba_verb_err iba_req_notify_cq(struct iba_ca *ca, uint32_t number, bool solicited_only);
/* Gives the queue another ring: memory of the caller, n >= 1, and not the ring that the queue has. The completions of
 * the queue stay in their order (QS-35). NO_CQ; FULL: the queue has more than n completions. */
enum iba_verb_err iba_resize_cq(struct iba_ca *ca, uint32_t number, struct iba_wc *ring, uint32_t n);
/* 1: *wc is a completion; 0: there is none, or no such queue. Completions from before an overflow can still be read. */
int iba_poll_cq(struct iba_ca *ca, uint32_t number, struct iba_wc *wc);

/* ---- shared receive queues ---- */
/* Errors: NO_PD, FULL. `ring` is memory of the caller, n >= 1. */
enum iba_verb_err iba_create_srq(struct iba_ca *ca, struct iba_srq *srq, struct iba_recv_wr *ring, uint32_t n,
                                 uint32_t pd, uint32_t *number);
/* Requests one event when fewer than `limit` work requests are left; 0: no event (QS-38). NO_SRQ; ATTR_VALUE: `limit`
 * is larger than the SRQ. */
enum iba_verb_err iba_arm_srq(struct iba_ca *ca, uint32_t number, uint32_t limit);
/* Errors: NO_SRQ; BUSY while a QP uses the SRQ. */
enum iba_verb_err iba_destroy_srq(struct iba_ca *ca, uint32_t number);
/* Errors: NO_SRQ, STATE (the SRQ is in error), SGE, ATTR_VALUE (blocks or units, see iba_recv.h), FULL. */
enum iba_verb_err iba_post_srq_recv(struct iba_ca *ca, uint32_t number, const struct iba_recv_wr *wr);

/* ---- extended reliable connections (annex A14) ---- */
/* Errors: FULL, since an adapter has at most IBA_MAX_XRCDS domains. */
enum iba_verb_err iba_create_xrcd(struct iba_ca *ca, uint32_t *number);
/* Errors: NO_XRCD; BUSY while a target QP or an SRQ uses the domain. */
enum iba_verb_err iba_destroy_xrcd(struct iba_ca *ca, uint32_t number);
struct iba_xrc_srq_init {
    struct iba_recv_wr *ring; /* caller's, n >= 1 */
    uint32_t n, pd, xrcd, cq; /* cq: of the receives */
};
/* Creates an SRQ. Requests to target QPs of its domain name it by its number (iba_send_wr.xrc_srqn). Errors: NO_PD,
 * NO_XRCD, NO_CQ, FULL. */
enum iba_verb_err iba_create_xrc_srq(struct iba_ca *ca, struct iba_srq *srq, const struct iba_xrc_srq_init *init,
                                     uint32_t *number);

/* ---- tag matching: a model after public text (VN-04..VN-06; iba_tags.c) ---- */
struct iba_tag_srq_init {
    struct iba_recv_wr *ring; /* caller's, n >= 1 */
    struct iba_tag *list;     /* caller's, n_tags >= 1: the most tagged receives at one time */
    uint32_t n, n_tags, pd, cq;
    uint8_t left_out; /* see struct iba_tags */
};
/* Creates an SRQ that RC QPs use as any other. Messages whose tag is in its list go to the tagged receive, all others
 * to receives that iba_post_srq_recv() posts. The engine posts the READ and the FIN of a rendezvous to the send queue
 * of the QP, which needs two free entries for them. Errors: NO_PD, NO_CQ, FULL. */
enum iba_verb_err iba_create_tag_srq(struct iba_ca *ca, struct iba_srq *srq, const struct iba_tag_srq_init *init,
                                     uint32_t *number);
/* Adds a tagged receive: it takes a message whose tag is equal to `tag` in the bits of `mask`. `handled`: the number of
 * unexpected messages that software has handled; if more have come, the receive takes no message before
 * iba_sync_tags(), since one of these may be its message. Errors: NO_SRQ; TYPE: not an SRQ with tags; STATE; SGE, also
 * for blocks and streaming receives; FULL. */
enum iba_verb_err iba_add_tag(struct iba_ca *ca, uint32_t number, const struct iba_recv_wr *wr, uint64_t tag,
                              uint64_t mask, uint32_t handled, uint32_t *handle);
/* Errors: NO_SRQ, TYPE; ATTR_VALUE: there is no such receive, for example because a message has taken it. */
enum iba_verb_err iba_remove_tag(struct iba_ca *ca, uint32_t number, uint32_t handle, uint32_t handled);
/* Errors: NO_SRQ, TYPE. */
enum iba_verb_err iba_sync_tags(struct iba_ca *ca, uint32_t number, uint32_t handled);

/* ---- queue pairs ---- */
struct iba_qp_init {
    uint8_t type; /* enum iba_qp_type */
    bool sq_sig_all;
    uint32_t pd, send_cq, recv_cq, srq; /* srq: IBA_NONE for none; the CQ of a queue that the type lacks is ignored */
    uint32_t xrcd;                      /* XRC target: its domain; pd, CQs and srq are ignored, or IBA_NONE */
    uint32_t rdd;                       /* RD and EE context: the reliable datagram domain; pd and CQs as above */
    uint32_t qpn;       /* 0: random, the normal case; other: this number, for tests. SMI and GSI always have 0 and 1 */
    struct iba_sqe *sq; /* caller's, n_sq; of an EE context one */
    struct iba_recv_wr *rq;  /* caller's, n_rq; none with an SRQ */
    struct iba_saved *saved; /* caller's, n_saved: limits max_dest_rd; also has space for waiting answers */
    uint32_t n_sq, n_rq, n_saved;
};
/* iba_create_qp(): TYPE (not offered, or no SRQ with it), NO_PD, NO_CQ, NO_SRQ, NO_XRCD, FULL; ATTR_VALUE: the number
 * is illegal, or the QP has a receive queue beside an SRQ; BUSY: the number is taken, as by the one SMI or GSI.
 * iba_random_psn(): a starting PSN, which an attacker cannot guess. It is for attr.sq_psn, and for the peer. */
uint32_t iba_random_psn(struct iba_ca *ca);
enum iba_verb_err iba_create_qp(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_init *init, uint32_t *qpn);
/* Permitted in any state; queued work requests do not complete (QS-29). NO_QP; BUSY while the QP is attached to a
 * multicast group. */
enum iba_verb_err iba_destroy_qp(struct iba_ca *ca, uint32_t qpn);
/* Sets all attributes or none (QS-15). NO_QP, TRANSITION, ATTR_MISSING, ATTR_FORBIDDEN, ATTR_VALUE, CUR_STATE; STATE:
 * attributes while the send queue drains (QS-23). */
enum iba_verb_err iba_modify_qp(struct iba_ca *ca, uint32_t qpn, const struct iba_qp_attr *attr, uint32_t mask);
const struct iba_qp *iba_query_qp(const struct iba_ca *ca, uint32_t qpn); /* NULL: none */
/* Errors: NO_QP, TYPE (no send queue), STATE, OPCODE, SGE, LENGTH, ATTR_VALUE, NO_AH, FULL. In SQE and ERR the work
 * request is flushed at once (QS-24, QS-25). */
enum iba_verb_err iba_post_send(struct iba_ca *ca, uint32_t qpn, const struct iba_send_wr *wr);
/* Errors: NO_QP, TYPE (no receive queue of its own), STATE, SGE, ATTR_VALUE (blocks, or a streaming receive), FULL. In
 * ERR the work request is flushed at once (QS-25). */
enum iba_verb_err iba_post_recv(struct iba_ca *ca, uint32_t qpn, const struct iba_recv_wr *wr);

/* ---- addresses, groups, partitions ---- */
/* Errors: NO_PD, ATTR_VALUE, FULL. */
enum iba_verb_err iba_create_ah(struct iba_ca *ca, uint32_t pd, const struct iba_av *av, uint32_t *number);
enum iba_verb_err iba_destroy_ah(struct iba_ca *ca, uint32_t number); /* NO_AH */
/* UD and raw only (UU-25). A second attachment to the same group changes nothing. NO_QP, TYPE, ATTR_VALUE (no multicast
 * GID, or `lid` neither 0 nor multicast), FULL. */
enum iba_verb_err iba_attach_mcast(struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid);
/* Errors: NO_QP; ATTR_VALUE: the QP is not attached to the group. */
enum iba_verb_err iba_detach_mcast(struct iba_ca *ca, uint32_t qpn, const uint8_t *gid, uint16_t lid);
/* Sets an entry of the P_Key table, as the subnet manager does. It takes effect at once (QS-79); a change of the entry
 * raises an event. ATTR_VALUE. */
enum iba_verb_err iba_set_pkey(struct iba_ca *ca, uint8_t port, uint8_t index, uint16_t key);

/* ---- the transition table of modify QP, for tables and tests (iba_qp_state.c) ---- */
struct iba_transition {
    uint8_t from, to;
    uint32_t required[IBA_QPT_COUNT], optional[IBA_QPT_COUNT]; /* enum iba_qp_attr_mask, without STATE */
    const char *clause;
};
const struct iba_transition *iba_transitions(size_t *n); /* the table, *n rows (QS-01..QS-13) */
/* The attributes that the transition requires (enum iba_qp_attr_mask, without STATE); 0: none, or no such transition.
 */
uint32_t iba_qp_required(enum iba_qp_type type, uint8_t from, uint8_t to);
const char *iba_qp_state_name(enum iba_qp_state s); /* never NULL */
const char *iba_qp_type_name(enum iba_qp_type t);   /* never NULL */

#ifdef __cplusplus
}
#endif

#endif
