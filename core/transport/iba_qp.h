/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue pairs, completion queues, shared receive queues. All their state is in the caller's memory.
 *
 * The fields are private to core: users call the functions of adapter/iba_ca.h. */
#ifndef IBA_QP_H
#define IBA_QP_H
#include "fabric/iba_port.h"
#include "transport/iba_wr.h"
#include "wire/iba_opcode.h"

/* clang-format off */
#define IBA_QP_TYPES(T)                                                                                                \
    T(RC,            "RC")                                                                                             \
    T(UC,            "UC")                                                                                             \
    T(UD,            "UD")                                                                                             \
    T(RAW_IPV6,      "Raw IPv6")                                                                                       \
    T(RAW_ETHERTYPE, "Raw EtherType")                                                                                  \
    T(SMI,           "SMI")                                                                                            \
    T(GSI,           "GSI")                                                                                            \
    T(XRC_INI,       "XRC initiator")                                                                                  \
    T(XRC_TGT,       "XRC target")                                                                                     \
    T(RD,            "RD")                                                                                             \
    T(EE,            "EE context")
/* section 10.3.1 */
#define IBA_QP_STATES(S)                                                                                               \
    S(RESET, "Reset")                                                                                                  \
    S(INIT,  "Initialized")                                                                                            \
    S(RTR,   "Ready to Receive")                                                                                       \
    S(RTS,   "Ready to Send")                                                                                          \
    S(SQD,   "Send Queue Drain")                                                                                       \
    S(SQE,   "Send Queue Error")                                                                                       \
    S(ERR,   "Error")
/* clang-format on */
enum iba_qp_type {
#define IBA_QP_TYPE_ID(name, words) IBA_QPT_##name,
    IBA_QP_TYPES(IBA_QP_TYPE_ID) IBA_QPT_COUNT
};
enum iba_qp_state {
#define IBA_QP_STATE_ID(name, words) IBA_QPS_##name,
    IBA_QP_STATES(IBA_QP_STATE_ID) IBA_QPS_COUNT
};
enum iba_path_mig { IBA_PATH_MIGRATED, IBA_PATH_REARM, IBA_PATH_ARMED }; /* QS-78; only the adapter sets ARMED */

/* Attributes of modify QP: a bit of the mask says that the attribute is given (QS-01..QS-13). */
/* clang-format off */
#define IBA_QP_ATTRS(A)                                                                                                \
    A(STATE,       0,  "state")                                                                                        \
    A(CUR_STATE,   1,  "current state")                                                                                \
    A(SQD_NOTIFY,  2,  "notify when drained")                                                                          \
    A(ACCESS,      3,  "access rights")                                                                                \
    A(PKEY_INDEX,  4,  "P_Key index")                                                                                  \
    A(PORT,        5,  "port")                                                                                         \
    A(QKEY,        6,  "Q_Key")                                                                                        \
    A(AV,          7,  "address vector")                                                                               \
    A(PATH_MTU,    8,  "path MTU")                                                                                     \
    A(TIMEOUT,     9,  "ACK timeout")                                                                                  \
    A(RETRY,       10, "retry count")                                                                                  \
    A(RNR_RETRY,   11, "RNR retry count")                                                                              \
    A(RQ_PSN,      12, "receive PSN")                                                                                  \
    A(MAX_RD,      13, "READs as requester")                                                                           \
    A(ALT_PATH,    14, "alternate path")                                                                               \
    A(MIN_RNR,     15, "RNR timer")                                                                                    \
    A(SQ_PSN,      16, "send PSN")                                                                                     \
    A(MAX_DEST_RD, 17, "READs as responder")                                                                           \
    A(PATH_MIG,    18, "migration state")                                                                              \
    A(DEST_QPN,    20, "destination QP")
/* clang-format on */
enum iba_qp_attr_mask {
#define IBA_QP_ATTR_ID(name, bit, words) IBA_QPA_##name = 1 << (bit),
    IBA_QP_ATTRS(IBA_QP_ATTR_ID)
};
struct iba_qp_attr {
    uint8_t state, cur_state; /* enum iba_qp_state */
    uint16_t access;          /* enum iba_access: remote read, write, atomic, flush */
    uint8_t pkey_index, port;
    uint8_t path_mtu;              /* enum iba_mtu */
    uint8_t timeout;               /* 4.096 us * 2^n; 0: no timer (RQ-18) */
    uint8_t retry, rnr_retry;      /* 0 to 7: RQ-22, RQ-29 */
    uint8_t min_rnr;               /* code of the RNR timer (WF-50) */
    uint8_t max_rd, max_dest_rd;   /* most open READs and ATOMICs as requester, and as responder */
    uint8_t path_mig;              /* enum iba_path_mig: MIGRATED or REARM */
    bool sqd_notify, flow_control; /* flow_control: end-to-end credits were negotiated (RQ-45); given with DEST_QPN */
    uint32_t qkey, dest_qpn, rq_psn, sq_psn;
    struct iba_av av, alt_av;
};

struct iba_cq {
    struct iba_wc *ring; /* caller's */
    uint32_t n, head, count, number;
    uint8_t armed;     /* 0 not, 1 solicited only, 2 next (QS-33) */
    bool overflow;     /* QS-32 */
    uint64_t notified; /* number of times that the arm fired */
};

struct iba_rq {               /* of a QP, or of an SRQ */
    struct iba_recv_wr *ring; /* caller's */
    uint32_t n, head, count;
};
/* A tagged receive. Of several that fit a message the one that was added first gets it. */
struct iba_tag {
    struct iba_recv_wr wr;
    uint64_t tag, mask;
    uint32_t handle;
    bool listed; /* false: it was added before software knew of all unexpected messages */
};
/* The matching list of an SRQ (VN-06). */
struct iba_tags {
    struct iba_tag *list; /* caller's, in the order in which they were added; NULL: the SRQ matches no tags */
    uint32_t n, count, next_handle;
    uint32_t unexpected; /* tagged messages that found no receive of the list */
    uint8_t left_out;    /* for tests: the row of iba_tag_rules() that a broken device lacks, plus 1; 0: none */
};
struct iba_srq {
    struct iba_rq rq;
    uint32_t number, pd, limit;
    uint32_t cq;   /* of an SRQ of XRC or with tags: the CQ of its receives; otherwise UINT32_MAX */
    uint32_t xrcd; /* of an SRQ of XRC: its XRC domain; otherwise UINT32_MAX */
    bool error;
    struct iba_tags tags;
};

/* Responses that wait to be sent, in PSN order: answers and NAKs, and between two of them at most one ACK. A READ has
 * one entry until its last packet has left. */
enum iba_resp_kind {
    IBA_RESP_ACK,
    IBA_RESP_NAK,   /* NAK or RNR NAK: `syndrome` */
    IBA_RESP_READ,  /* also answers FLUSH and ATOMIC WRITE, without payload (RR-66, RR-67) */
    IBA_RESP_ATOMIC /* ATOMIC Acknowledge */
};
struct iba_resp {
    uint8_t kind; /* enum iba_resp_kind */
    uint8_t syndrome;
    bool first;  /* READ: the next packet is First or Only */
    bool replay; /* it answers a duplicate, and takes no responder resource (RR-35) */
    iba_psn psn; /* PSN of the next packet to send */
    uint32_t msn;
    uint32_t left; /* READ: number of bytes still to send */
    uint32_t rkey;
    uint32_t srqn; /* READ of an XRC target: the SRQ that the request named; of an EE context: the QP */
    union {
        uint64_t va;     /* READ */
        uint64_t result; /* ATOMIC: the original value */
    };
};

/* Entries for responses. A QP needs three without responder resources: for an ACK, for a NAK, and for a NAK that is
 * outdated because the request that it asked for has come. Each responder resource adds an entry for its answer and an
 * entry for the answer to a duplicate (RR-35). */
enum { IBA_RESP_OWN = 3, IBA_RESP_EACH = 2 };

/* A READ, ATOMIC, FLUSH or ATOMIC WRITE that the responder remembers for its duplicates (RR-25..RR-32). */
struct iba_saved_op {
    iba_psn psn;    /* first */
    uint32_t n_psn; /* responses */
    uint8_t opcode; /* of the request */
    bool used;
    uint64_t va, result;
    uint32_t rkey, length;
};

/* A responder resource, in the caller's memory. Its two parts are independent: `op` is an entry of a ring (RR-29);
 * `resp` continues the queue of iba_qp.r.resp. The answer in `resp` need not belong to the operation in `op`. */
struct iba_saved {
    struct iba_saved_op op;
    struct iba_resp resp[IBA_RESP_EACH]; /* the QP's queue continues here */
};

/* Send queue entry: the work request and its progress. */
struct iba_sqe {
    struct iba_send_wr wr;
    uint32_t length;     /* bytes of the message; 0 when the message is too long, and `status` says so */
    iba_psn first, last; /* PSNs of the request, after it has begun */
    iba_psn asked;       /* READ: PSN of its latest request packet; a response may start there (RQ-07) */
    uint32_t ssn;        /* RQ-40 */
    uint8_t state;       /* enum iba_sqe_state, requester */
    uint8_t status;      /* enum iba_wc_status: a local fault, pending until its turn (RQ-14), or the error */
};

struct iba_qp {
    /* fixed when the QP is created (QS-28) */
    uint32_t qpn;
    uint32_t pd; /* UINT32_MAX of an XRC target, whose requests name an SRQ that has one */
    uint32_t send_cq;
    uint32_t recv_cq, srq; /* srq: UINT32_MAX for none; of an XRC target both are of the unfinished message */
    uint8_t type, state;
    bool sq_sig_all;
    struct iba_qp_attr attr;
    uint8_t envelope[IBA_ENVELOPE_MAX]; /* written when the address vector is set */
    uint8_t envelope_bytes;
    union {
        uint32_t xrcd; /* of an XRC target: its XRC domain */
        uint32_t rdd;  /* of RD and of an EE context: the reliable datagram domain */
    };

    struct { /* responder */
        iba_psn epsn;
        uint32_t msn;
        uint8_t op;            /* opcode of the unfinished message; 0xff: none */
        bool nak_sent;         /* one NAK per gap (RR-04) */
        bool rnr_sent;         /* an RNR NAK was sent: wait for ePSN (RR-51) */
        union {                /* only broken devices use them */
            iba_time rnr_over; /* end of the RNR timer */
            uint8_t late[8];   /* bytes before `va` that a WRITE has not stored yet */
        };
        uint8_t n_late;
        bool established;  /* QS-20 */
        bool drop_message; /* UC: drop the rest of a broken message (UU-03) */
        bool has_wqe;      /* `wqe` is taken from the queue */
        struct iba_recv_wr wqe;
        uint64_t wqe_done; /* bytes delivered to it */
        uint64_t va, left; /* RDMA WRITE: next address, bytes left */
        uint32_t rkey;
        uint32_t dma_length;
        iba_psn acked;           /* most recent PSN acknowledged */
        struct iba_saved *saved; /* caller's, attr.max_dest_rd of n_saved used as a ring */
        uint32_t n_saved, saved_at;
        struct iba_resp resp[IBA_RESP_OWN]; /* in PSN order (RR-06), next to send first; continues in `saved` */
        uint16_t resp_count;
        bool starved;    /* the last ACK announced no credits */
        bool last_words; /* the QP is in Error and a NAK reports why: queued responses still leave (RR-58) */
    } r;

    struct {                     /* requester */
        struct iba_sqe *ring;    /* caller's */
        uint32_t n, head, count; /* head: oldest not completed */
        uint32_t next;           /* entry of the next packet, as an offset from head */
        iba_psn next_psn;        /* PSN of the next packet to be sent, also on a retry */
        iba_psn high_psn;        /* one beyond the highest ever sent (READ: reserved) */
        iba_psn una;             /* oldest unacknowledged */
        iba_psn asked;           /* one beyond the last PSN that asked for an answer since the last rewind (RQ-20) */
        uint32_t ssn, lsn;       /* SSN of the next message to begin; credit limit (RQ-40) */
        bool unlimited;          /* no credit limit (RQ-43) */
        uint8_t unasked;         /* number of packets since the last AckReq (RQ-05) */
        uint8_t rd_open;         /* READs, ATOMICs, FLUSHes, ATOMIC WRITEs begun and not complete (RQ-08) */
        uint8_t retry_left, rnr_left;
        iba_time ack_due, rnr_due; /* IBA_NEVER when not running */
        iba_time page_due;         /* wait for an absent page of a local buffer; IBA_NEVER when not waiting */
        bool drained, sqd_asked;   /* valid in SQD only */
        bool alone;                /* nothing after `alone_psn` is sent before its answer; only broken devices */
        iba_psn alone_psn;
        bool implied; /* the requester handles an implied NAK now (RQ-36) */
    } s;

    union {
        struct iba_rq rq;
        struct {                       /* an EE context, which has no receives of its own (iba_rd.h) */
            uint32_t sender, receiver; /* QPs of the messages in flight; of the last ones if there are none */
            uint32_t peer;             /* QP that gets the responses */
            uint8_t refused;           /* syndrome of the NAK that refused the expected request; 0: none (UU-34) */
            bool resync;               /* the entry of the send queue is a RESYNC */
        } ee;
    };
    bool cnp_due, becn_due; /* congestion: notification owed to the peer */
    uint32_t cnp_to;        /* UD: the QP that gets the CNP; `envelope` then addresses its port */
};
#endif
