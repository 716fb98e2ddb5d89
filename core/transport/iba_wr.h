/* SPDX-License-Identifier: BSD-2-Clause */
/* Work requests, completions and events (chapter 11: verbs semantics, not an API). iba_wr_ops.h has the operations. */
#ifndef IBA_WR_H
#define IBA_WR_H
#include <stdbool.h>
#include <stdint.h>
#include "wire/iba_psn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_MAX_SGE = 4, IBA_RD_MAX_SGE = 3 };
#define IBA_MAX_MESSAGE (UINT64_C(1) << 31) /* bytes (WF-67) */

/* clang-format off */
/* Completion statuses (section 11.6.2; RQ-57) */
#define IBA_WC_STATUSES(S)                                                                                             \
    S(SUCCESS,             "Success")                                                                                  \
    S(LOCAL_LENGTH,        "Local Length Error")                                                                       \
    S(LOCAL_QP_OPERATION,  "Local QP Operation Error")                                                                 \
    S(LOCAL_PROTECTION,    "Local Protection Error")                                                                   \
    S(FLUSHED,             "Work Request Flushed Error")                                                               \
    S(MW_BIND,             "Memory Window Bind Error")                                                                 \
    S(BAD_RESPONSE,        "Bad Response Error")                                                                       \
    S(LOCAL_ACCESS,        "Local Access Error")                                                                       \
    S(REMOTE_INVALID_REQ,  "Remote Invalid Request Error")                                                             \
    S(REMOTE_ACCESS,       "Remote Access Error")                                                                      \
    S(REMOTE_OPERATION,    "Remote Operation Error")                                                                   \
    S(RETRY_EXCEEDED,      "Transport Retry Counter Exceeded")                                                         \
    S(RNR_RETRY_EXCEEDED,  "RNR Retry Counter Exceeded")                                                               \
    S(LOCAL_RDD,           "Local RDD Violation Error")                                                                \
    S(REMOTE_INVALID_RD,   "Remote Invalid RD Request")                                                                \
    S(REMOTE_ABORTED,      "Remote Aborted Error")                                                                     \
    S(INVALID_EECN,        "Invalid EE Context Number")                                                                \
    S(INVALID_EE_STATE,    "Invalid EE Context State")                                                                 \
    S(TAG_INCOMPLETE,      "Rendezvous Incomplete")
/* Asynchronous events (section 11.6.3; QS-75..QS-77) */
#define IBA_EVENTS(E)                                                                                                  \
    E(PATH_MIGRATED,       "Path Migrated")                                                                            \
    E(COMM_ESTABLISHED,    "Communication Established")                                                                \
    E(SQ_DRAINED,          "Send Queue Drained")                                                                       \
    E(LAST_WQE_REACHED,    "Last WQE Reached")                                                                         \
    E(SRQ_LIMIT,           "SRQ Limit Reached")                                                                        \
    E(CQ_ERROR,            "CQ Error")                                                                                 \
    E(WQ_CATASTROPHIC,     "Local Work Queue Catastrophic Error")                                                      \
    E(WQ_INVALID_REQUEST,  "Invalid Request Local Work Queue Error")                                                   \
    E(WQ_ACCESS_VIOLATION, "Local Access Violation Work Queue Error")                                                  \
    E(SRQ_CATASTROPHIC,    "SRQ Catastrophic Error")                                                                   \
    E(PKEY_CHANGE,         "P_Key Change")                                                                             \
    E(PKEY_VIOLATION,      "P_Key Violation (trap 257)")                                                               \
    E(QKEY_VIOLATION,      "Q_Key Violation (trap 258)")
/* clang-format on */
enum iba_wc_status {
#define IBA_WC_ID(name, words) IBA_WC_##name,
    IBA_WC_STATUSES(IBA_WC_ID) IBA_WC_STATUS_COUNT
};
enum iba_event_kind {
#define IBA_EVENT_ID(name, words) IBA_EVENT_##name,
    IBA_EVENTS(IBA_EVENT_ID) IBA_EVENT_COUNT
};
const char *iba_wc_status_name(enum iba_wc_status s); /* the words above; never NULL */
const char *iba_event_name(enum iba_event_kind k);    /* the words above; never NULL */

struct iba_sge {
    uint64_t addr; /* address in the region of lkey */
    uint32_t length, lkey;
};

enum iba_wr_flags {
    IBA_WR_SIGNALED = 1,  /* completion also on success */
    IBA_WR_SOLICITED = 2, /* SE in the last packet (WF-28) */
    IBA_WR_FENCE = 4,     /* waits for earlier READs and ATOMICs (RQ-09) */
    IBA_WR_INLINE = 8,    /* SEND and WRITE: the data are copied when they are posted (QS-84) */
    IBA_WR_TAGGED = 128,  /* only the engine sets it: tag matching has posted the work request (iba_tags.h) */
};
enum { IBA_MAX_INLINE = IBA_MAX_SGE * sizeof(struct iba_sge) }; /* bytes; they take the place of the list */

struct iba_send_wr {
    uint64_t wr_id;
    uint8_t op; /* enum iba_wr_op of iba_wr_ops.h */
    uint8_t flags, n_sge;
    uint32_t imm_or_key; /* ImmDt; R_Key of SEND_INV; key of LOCAL_INV */
    union {              /* set one of the three: no work request uses two of them */
        struct {         /* connections */
            uint64_t va; /* remote address */
            uint32_t rkey;
            uint32_t xrc_srqn; /* XRC: of every operation */
            union {
                struct { /* ATOMIC */
                    uint64_t compare_add, swap;
                };
                struct { /* FETH (WF-56) */
                    uint8_t flush_placement, flush_selectivity;
                };
            };
        };
        struct { /* UD and raw: address handle, destination QP and Q_Key (PV-21) */
            uint32_t ah, remote_qpn, remote_qkey;
        };
        struct { /* BIND_MW */
            uint32_t mw_rkey, mr_lkey;
            uint64_t va, length;
            uint16_t access;
            uint8_t key_byte;
        } bind;
    };
    union {
        struct iba_sge
            sge[IBA_MAX_SGE]; /* ATOMIC: one of 8 bytes for the result; FLUSH: one, whose length is flushed */
        struct {              /* RD: the address takes the place of the last entry, so every size stays */
            struct iba_sge rd_sge[IBA_RD_MAX_SGE];
            struct {
                uint32_t eecn, remote_qpn, remote_qkey; /* local EE context; QP and Q_Key at its other end (PV-21) */
            } rd;
        };
    };
};
_Static_assert(sizeof(struct iba_send_wr) == 48 + IBA_MAX_SGE * sizeof(struct iba_sge), "RD takes no memory of others");

enum iba_recv_form {
    IBA_RECV_LIST,  /* the receive has the buffers of `sge` */
    IBA_RECV_BLOCKS /* it has blocks of equal length and distance; n_sge is 1 */
};
/* A receive. With `most` it is a streaming receive, which only shared receive queues take: it holds message after
 * message, each in as many units as it needs, at least one, and completes once for each (iba_recv.h). */
struct iba_recv_wr {
    uint64_t wr_id;
    uint8_t n_sge;
    uint8_t form;     /* enum iba_recv_form */
    uint8_t unit_log; /* streaming: a unit has 2^unit_log bytes, and each message begins with a unit */
    uint8_t matched;  /* only the engine writes it: what tag matching decided (iba_tags.h) */
    uint16_t most;    /* streaming: units of the longest message; 0: the receive is for one message */
    uint16_t at;      /* streaming: unit in which the next message begins; the adapter sets it */
    union {
        struct iba_sge sge[IBA_MAX_SGE];
        struct {
            struct iba_sge block; /* the first block */
            uint64_t distance;    /* bytes from the start of a block to the start of the next */
            uint32_t n_block;
        };
    };
};
_Static_assert(sizeof(struct iba_recv_wr) == 16 + IBA_MAX_SGE * sizeof(struct iba_sge), "streams take no memory");

enum iba_wc_flags {
    IBA_WC_WITH_IMM = 1,
    IBA_WC_WITH_INV = 2,
    IBA_WC_GRH = 4,
    IBA_WC_SOLICITED = 8,
    IBA_WC_MORE = 16, /* streaming: the receive is back in its queue, and will complete again */
    IBA_WC_TAG_MATCH =
        32,              /* the message has taken the tagged receive; `tag` and `imm_or_key` are those of its header */
    IBA_WC_TAG_DATA = 64 /* all data of the message are in the tagged receive */
};

struct iba_wc {
    uint64_t wr_id;
    uint8_t status, op, flags; /* enum iba_wc_status, iba_wr_op, iba_wc_flags */
    uint8_t sl, path_bits;
    uint16_t slid, pkey_index;
    uint16_t unit; /* streaming receive: unit in which the message begins */
    uint32_t byte_len, imm_or_key;
    uint32_t qpn, src_qpn, srqn;
    uint64_t tag; /* with TAG_MATCH */
};

struct iba_event {
    uint8_t kind; /* enum iba_event_kind */
    uint8_t port;
    uint32_t object; /* number of the QP, CQ or SRQ */
    uint32_t a, b;   /* of violations: the key, the source QP, for traps */
};

#ifdef __cplusplus
}
#endif

#endif
