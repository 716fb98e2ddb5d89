/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the reasons for which a verb or a work request is refused. Not for users of libiba.
 *
 * A table is an X-macro LIST(R, A) whose rows are in the order of evaluation: the first row that applies decides.
 *   R(list, row, result, when, clause)  a row of a list of behaviours (iba_change.h), which a broken device may lack
 *   A(name, result, when, clause)       a row that also protects memory or later rows, so no device lacks it
 * `when` is an expression of `c`, the call. */
#ifndef IBA_REFUSALS_H
#define IBA_REFUSALS_H
#include "transport/iba_verbs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum iba_refusal_table {
    IBA_REFUSALS_CREATE_QP,
    IBA_REFUSALS_DESTROY_QP,
    IBA_REFUSALS_MODIFY_QP,
    IBA_REFUSALS_ATTR_VALUES,
    IBA_REFUSALS_ADDRESS,
    IBA_REFUSALS_CREATE_AH,
    IBA_REFUSALS_ATTACH,
    IBA_REFUSALS_DETACH,
    IBA_REFUSALS_DESTROY_CQ,
    IBA_REFUSALS_ARM_CQ,
    IBA_REFUSALS_RESIZE_CQ,
    IBA_REFUSALS_CREATE_SRQ,
    IBA_REFUSALS_DESTROY_SRQ,
    IBA_REFUSALS_CREATE_XRC_SRQ,
    IBA_REFUSALS_DESTROY_XRCD,
    IBA_REFUSALS_POST_RECV,
    IBA_REFUSALS_POST_SRQ_RECV,
    IBA_REFUSALS_POST_SEND,
    IBA_REFUSALS_WORK_REQUEST,   /* the result is an enum iba_wc_status; of all other tables, an enum iba_verb_err */
    IBA_REFUSALS_ADDRESS_HANDLE, /* the address handle of a datagram; the result is an enum iba_wc_status, too */
};

/* The call of a verb, or the work request or address, that a table checks. */
struct iba_call {
    struct iba_ca *ca;
    struct iba_qp *qp; /* NULL: the call is for no QP, or for one that does not exist */
    union {
        struct {
            const struct iba_send_wr *wr;
            const struct iba_sqe *entry; /* WORK_REQUEST */
            const struct iba_ah *ah;     /* ADDRESS_HANDLE */
            uint64_t length;             /* bytes of the message */
        } send;
        struct {
            const struct iba_recv_wr *wr;
            struct iba_rq *rq;   /* NULL: there is none */
            struct iba_srq *srq; /* POST_SRQ_RECV */
        } receive;
        struct {
            const struct iba_qp_attr *given;
            struct iba_qp_attr *merged; /* ATTR_VALUES: the attributes after the call */
            const struct iba_transition *transition;
            uint32_t mask, judged; /* attributes that are given; that are checked */
            uint8_t to;            /* state */
        } modify;
        struct {
            struct iba_av *av;
            const struct iba_port *port; /* of the vector; NULL: there is no such port */
            uint32_t pd;                 /* CREATE_AH */
            bool connection;             /* the vector is of a connection */
        } path;
        struct {
            const struct iba_qp_init *init;
            uint32_t qpn; /* of the new QP */
            bool any;     /* the caller asked for no special number */
        } create;
        struct {
            const struct iba_mcast *attachment; /* NULL: there is none */
            const uint8_t *gid;
            uint16_t lid;
        } group;
        struct {
            struct iba_cq *cq;  /* ARM_CQ, RESIZE_CQ */
            uint32_t number;    /* of the object */
            uint32_t n;         /* RESIZE_CQ: entries of the new ring */
            uint32_t pd;        /* CREATE_SRQ */
            uint32_t xrcd, cqn; /* CREATE_XRC_SRQ */
        } queue;
    };
};

struct iba_refusal {
    bool (*when)(const struct iba_call *c);
    const struct iba_behaviours *list; /* NULL: a row that no device lacks */
    uint16_t row;                      /* of the list */
    uint8_t result;
};
struct iba_refusals {
    enum iba_refusal_table id;
    unsigned n;
    const struct iba_refusal *row;
    int (*first)(const struct iba_call *c); /* iba_refuse() of the rows as they are, compiled from the same list */
};

enum { IBA_PASSES = -1 }; /* no row applies */
/* Returns the result of the first row that applies, or IBA_PASSES. */
int iba_refuse(struct iba_call *c, const struct iba_refusals *t);

#define IBA_REFUSAL_WHEN(list_, row_, result_, is, clause)                                                             \
    static bool list_##_##row_##_applies(const struct iba_call *c)                                                     \
    {                                                                                                                  \
        return (is);                                                                                                   \
    }
#define IBA_REFUSAL_WHEN_ALWAYS(name, result_, is, clause)                                                             \
    static bool name##_applies(const struct iba_call *c)                                                               \
    {                                                                                                                  \
        return (is);                                                                                                   \
    }
#define IBA_REFUSAL_ROW(list_, row_, result_, is, clause)                                                              \
    {list_##_##row_##_applies, &iba_##list_##_behaviours, IBA_ROW_##list_##_##row_, result_},
#define IBA_REFUSAL_ROW_ALWAYS(name, result_, is, clause) {name##_applies, NULL, 0, result_},
#define IBA_REFUSAL_FIRST(list_, row_, result_, is, clause)                                                            \
    if (is)                                                                                                            \
        return result_;
#define IBA_REFUSAL_FIRST_ALWAYS(name, result_, is, clause)                                                            \
    if (is)                                                                                                            \
        return result_;
/* Defines the table `name` of the list. */
#define IBA_REFUSAL_TABLE(LIST, name, id_)                                                                             \
    LIST(IBA_REFUSAL_WHEN, IBA_REFUSAL_WHEN_ALWAYS)                                                                    \
    static const struct iba_refusal name##_rows[] = {LIST(IBA_REFUSAL_ROW, IBA_REFUSAL_ROW_ALWAYS)};                   \
    static int name##_first(const struct iba_call *c)                                                                  \
    {                                                                                                                  \
        LIST(IBA_REFUSAL_FIRST, IBA_REFUSAL_FIRST_ALWAYS)                                                              \
        return IBA_PASSES;                                                                                             \
    }                                                                                                                  \
    static const struct iba_refusals name = {IBA_REFUSALS_##id_, sizeof name##_rows / sizeof *name##_rows,             \
                                             name##_rows, name##_first};

#ifdef __cplusplus
}
#endif

#endif
