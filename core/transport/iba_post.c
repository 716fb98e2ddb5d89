/* SPDX-License-Identifier: BSD-2-Clause */
/* Posting sends: which operations a QP takes, in which form, and when (section 11.4.1; RQ-15, QS-17..QS-25, QS-83). */
#include "transport/deviations_requester.h"
#include "transport/iba_refusals.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_wr_ops.h"

/* clang-format off */
enum { /* types of QP */
    RC = 1 << IBA_QPT_RC, UC = 1 << IBA_QPT_UC, UD = 1 << IBA_QPT_UD, GSI = 1 << IBA_QPT_GSI, SMI = 1 << IBA_QPT_SMI,
    RD = 1 << IBA_QPT_RD, XRC = 1 << IBA_QPT_XRC_INI, RAW = 1 << IBA_QPT_RAW_IPV6 | 1 << IBA_QPT_RAW_ETHERTYPE,
};
enum { EIGHT = 8, QPN_MAX = 0xffffff };

/* The operations that the services offer (WF-59..WF-61; UU-01, UU-16, PV-08), and the local operations. SMI and GSI take
 * no Immediate; raw QPs send whole datagrams (UU-39). `entries` limits the entries of the scatter/gather list; `bytes` is
 * the sum of their lengths, where the operation fixes it.
 *      operation     types                          least and most entries  bytes  */
#define OPERATIONS(O)                                                                 \
    O( SEND         , RC|UC|UD|SMI|GSI|XRC|RD | RAW , 0, IBA_MAX_SGE        , 0     ) \
    O( SEND_IMM     , RC | UC | UD | XRC | RD       , 0, IBA_MAX_SGE        , 0     ) \
    O( SEND_INV     , RC | XRC                      , 0, IBA_MAX_SGE        , 0     ) \
    O( WRITE        , RC | UC | XRC | RD            , 0, IBA_MAX_SGE        , 0     ) \
    O( WRITE_IMM    , RC | UC | XRC | RD            , 0, IBA_MAX_SGE        , 0     ) \
    O( READ         , RC | XRC | RD                 , 0, IBA_MAX_SGE        , 0     ) \
    O( CMP_SWAP     , RC | XRC | RD                 , 1, 1                  , EIGHT ) \
    O( FETCH_ADD    , RC | XRC | RD                 , 1, 1                  , EIGHT ) \
    O( FLUSH        , RC | XRC                      , 1, 1                  , 0     ) \
    O( ATOMIC_WRITE , RC | XRC                      , 1, IBA_MAX_SGE        , EIGHT ) \
    O( BIND_MW      , RC | UC                       , 0, 0                  , 0     ) \
    O( LOCAL_INV    , RC | UC                       , 0, 0                  , 0     )
/* clang-format on */
#define ONE(...) +1
_Static_assert(OPERATIONS(ONE) == IBA_WR_RECV, "core/transport/iba_post.c: an operation of iba_wr.h has no row");

static const struct operation {
    uint32_t types;
    uint8_t least, most, bytes;
} operations[] = {
#define ROW(op, types, least, most, bytes) [IBA_WR_##op] = {(types), (least), (most), (bytes)},
    OPERATIONS(ROW)};

/* A datagram is one packet (UU-16). A QP that never had a port has no MTU; requests posted to it are flushed anyway. */
static uint64_t longest(const struct iba_qp *qp)
{
    const bool one_packet = iba_qp_has(qp, IBA_QP_DATAGRAM) && qp->attr.path_mtu != 0;

    return one_packet ? iba_mtu_bytes((enum iba_mtu)qp->attr.path_mtu) : IBA_MAX_MESSAGE;
}

/* Returns whether a FLUSH names a placement and no reserved code of the FETH (WF-56). */
static bool flush_asks_for_something(const struct iba_send_wr *wr)
{
    return wr->flush_placement >= 1 && wr->flush_placement <= 3 && wr->flush_selectivity <= 1;
}

static bool before_rts(const struct iba_qp *qp) /* QS-17, QS-18, QS-19 */
{
    return qp->state == IBA_QPS_RESET || qp->state == IBA_QPS_INIT || qp->state == IBA_QPS_RTR;
}

static bool is_broken(const struct iba_qp *qp) /* QS-24, QS-25 */
{
    return qp->state == IBA_QPS_SQE || qp->state == IBA_QPS_ERR;
}

static bool is_datagram(const struct iba_qp *qp)
{
    return iba_qp_has(qp, IBA_QP_DATAGRAM);
}

/* QS-82: datagrams and raw packets are addressed by each work request. */
static bool is_addressed(const struct iba_qp *qp)
{
    return is_datagram(qp) || (RAW >> qp->type & 1) != 0;
}

/* Returns the most entries that a list can have. In RD the address takes the place of the last entry (iba_wr.h). */
static unsigned longest_list(const struct iba_qp *qp)
{
    return qp->type == IBA_QPT_RD ? IBA_RD_MAX_SGE : IBA_MAX_SGE;
}

static bool qpn_too_large(const struct iba_qp *qp, const struct iba_send_wr *wr)
{
    return (is_addressed(qp) && wr->remote_qpn > QPN_MAX) || (qp->type == IBA_QPT_RD && wr->rd.remote_qpn > QPN_MAX);
}

/* ibv_post_send(3): inline data are of SENDs and RDMA WRITEs only. */
static bool may_be_inline(const struct iba_qp *qp, const struct iba_send_wr *wr, uint64_t length)
{
    const bool has_data = wr->op == IBA_WR_SEND || wr->op == IBA_WR_SEND_IMM || wr->op == IBA_WR_SEND_INV ||
                          wr->op == IBA_WR_WRITE || wr->op == IBA_WR_WRITE_IMM;

    return !(wr->flags & IBA_WR_INLINE) || (has_data && length <= longest_list(qp) * sizeof(struct iba_sge));
}

static bool handle_missing(const struct iba_ca *ca, const struct iba_send_wr *wr)
{
    return wr->ah >= ca->n_ah || !ca->ah[wr->ah].used;
}

/* clang-format off */
#define POSTED c->send.wr
#define OF(member) operations[POSTED->op].member
#define ENTRIES_WRONG (POSTED->n_sge < OF(least) || POSTED->n_sge > OF(most))
#define TOO_LONG (!OF(bytes) && c->send.length > longest(c->qp))
#define POST_SEND_CHECKS(R, A)                                                                                                          \
    A(no_qp_to_send,              IBA_VERB_NO_QP,      !c->qp,                                                     "QS-83")             \
    A(no_send_queue,              IBA_VERB_TYPE,       !iba_qp_has(c->qp, IBA_QP_SENDS),                           "QS-44")             \
    R(posting, post_before_rts,   IBA_VERB_STATE,      before_rts(c->qp),                                          "QS-17, QS-18, QS-19") \
    A(no_operation_to_send,       IBA_VERB_OPCODE,     POSTED->op >= IBA_WR_RECV,                                  "RQ-15")             \
    R(posting, operation_offered, IBA_VERB_OPCODE,     (OF(types) >> c->qp->type & 1) == 0,                        "RQ-15")             \
    R(posting, sge_count,         IBA_VERB_SGE,        ENTRIES_WRONG,                                              "QS-83")             \
    R(posting, eight_bytes,       IBA_VERB_LENGTH,     OF(bytes) && c->send.length != OF(bytes),                   "WF-68, WF-57")      \
    R(posting, datagram_length,   IBA_VERB_LENGTH,     TOO_LONG && is_datagram(c->qp),                             "UU-16")             \
    R(posting, message_length,    IBA_VERB_LENGTH,     TOO_LONG && !is_datagram(c->qp),                            "WF-67")             \
    R(posting, flush_asks,        IBA_VERB_ATTR_VALUE, POSTED->op == IBA_WR_FLUSH && !flush_asks_for_something(POSTED), "WF-56")        \
    R(posting, handle_exists,     IBA_VERB_NO_AH,      is_addressed(c->qp) && handle_missing(c->ca, POSTED),       "QS-82")             \
    A(not_inline,                 IBA_VERB_LENGTH,     !may_be_inline(c->qp, POSTED, c->send.length),                    "QS-84")             \
    A(list_too_long,              IBA_VERB_SGE,        POSTED->n_sge > longest_list(c->qp),                        "QS-83")             \
    A(remote_qpn_too_large,       IBA_VERB_ATTR_VALUE, qpn_too_large(c->qp, POSTED),                               "WF-37")             \
    A(send_queue_full,            IBA_VERB_FULL,       c->qp->s.count == c->qp->s.n,                               "QS-83")
/* clang-format on */
IBA_REFUSAL_TABLE(POST_SEND_CHECKS, post_send_checks, POST_SEND)

/* The queue of a QP in SQE or Error is empty, so this work request is the oldest. It is flushed even if it has a
 * fault. */
static void flush(struct iba_ca *ca, const struct iba_qp *qp, const struct iba_send_wr *wr)
{
    const struct iba_wc wc = {.wr_id = wr->wr_id, .status = IBA_WC_FLUSHED, .op = wr->op, .qpn = qp->qpn};

    iba_cq_push(ca, qp->send_cq, &wc, true);
}

enum iba_verb_err iba_post_send(struct iba_ca *ca, uint32_t qpn, const struct iba_send_wr *wr)
{
    struct iba_qp *qp = iba_qp_find(ca, qpn);
    const uint64_t length = iba_sgl_length(wr->sge, wr->n_sge <= IBA_MAX_SGE ? wr->n_sge : 0);
    struct iba_call c = {.ca = ca, .qp = qp, .send = {.wr = wr, .length = length}};
    const int refused = iba_refuse(&c, &post_send_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    if (is_broken(qp))
        flush(ca, qp, wr);
    else
        iba_requester_post(ca, qp, wr);
    return IBA_VERB_OK;
}
