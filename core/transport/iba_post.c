/* SPDX-License-Identifier: BSD-2-Clause */
/* Posting sends: which operations a QP takes, in which form, and when (section 11.4.1; RQ-15, QS-17..QS-25, QS-83). */
#include "transport/iba_qp_parts.h"
#include "transport/deviations_requester.h"

/* clang-format off */
enum { /* types of QP */
    RC = 1 << IBA_QPT_RC, UC = 1 << IBA_QPT_UC, UD = 1 << IBA_QPT_UD, GSI = 1 << IBA_QPT_GSI, SMI = 1 << IBA_QPT_SMI,
    XRC = 1 << IBA_QPT_XRC_INI, RAW = 1 << IBA_QPT_RAW_IPV6 | 1 << IBA_QPT_RAW_ETHERTYPE,
};
enum { EIGHT = 8 };

/* The operations that the services offer (WF-59..WF-61; UU-01, UU-16, PV-08), and the local operations. SMI and GSI take
 * no Immediate; raw QPs send whole datagrams (UU-39). `entries` limits the entries of the scatter/gather list; `bytes` is
 * the sum of their lengths, where the operation fixes it.
 *      operation     types                          least and most entries  bytes  */
#define OPERATIONS(O)                                                                 \
    O( SEND         , RC|UC|UD|SMI|GSI|XRC | RAW    , 0, IBA_MAX_SGE        , 0     ) \
    O( SEND_IMM     , RC | UC | UD | XRC            , 0, IBA_MAX_SGE        , 0     ) \
    O( SEND_INV     , RC | XRC                      , 0, IBA_MAX_SGE        , 0     ) \
    O( WRITE        , RC | UC | XRC                 , 0, IBA_MAX_SGE        , 0     ) \
    O( WRITE_IMM    , RC | UC | XRC                 , 0, IBA_MAX_SGE        , 0     ) \
    O( READ         , RC | XRC                      , 0, IBA_MAX_SGE        , 0     ) \
    O( CMP_SWAP     , RC | XRC                      , 1, 1                  , EIGHT ) \
    O( FETCH_ADD    , RC | XRC                      , 1, 1                  , EIGHT ) \
    O( FLUSH        , RC | XRC                      , 1, 1                  , 0     ) \
    O( ATOMIC_WRITE , RC | XRC                      , 1, IBA_MAX_SGE        , EIGHT ) \
    O( BIND_MW      , RC | UC                       , 0, 0                  , 0     ) \
    O( LOCAL_INV    , RC | UC                       , 0, 0                  , 0     )
/* clang-format on */

static const struct operation {
    uint32_t types;
    uint8_t least, most, bytes;
} operations[IBA_WR_OP_COUNT] = {
#define ROW(op, types, least, most, bytes) [IBA_WR_##op] = {(types), (least), (most), (bytes)},
    OPERATIONS(ROW)};

/* A datagram is one packet (UU-16). A QP that never had a port has no MTU; requests posted to it are flushed anyway. */
static uint64_t longest(const struct iba_qp *qp)
{
    const bool one_packet = iba_qp_has(qp, IBA_QP_DATAGRAM) && qp->attr.path_mtu != 0;

    return one_packet ? iba_mtu_bytes((enum iba_mtu)qp->attr.path_mtu) : IBA_MAX_MESSAGE;
}

/* FETH has reserved codes (WF-56), so only the other codes are accepted. */
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

/* clang-format off */
/* The rows are some of IBA_POSTING_BEHAVIOURS.
 *    row               error       the work request ...                                               clause */
#define POSTING_REFUSALS(R)                                                                                                         \
    R(operation_offered, OPCODE,    (o->types >> qp->type & 1) == 0,                                   "RQ-15")                     \
    R(sge_count,        SGE,        wr->n_sge < o->least || wr->n_sge > o->most,                       "QS-83")                     \
    R(eight_bytes,      LENGTH,     o->bytes && length != o->bytes,                                    "WF-68, WF-57")              \
    R(datagram_length,  LENGTH,     !o->bytes && is_datagram(qp) && length > longest(qp),              "UU-16")                     \
    R(message_length,   LENGTH,     !o->bytes && !is_datagram(qp) && length > longest(qp),             "WF-67")                     \
    R(flush_asks,       ATTR_VALUE, wr->op == IBA_WR_FLUSH && !flush_asks_for_something(wr),           "WF-56")                     \
    R(handle_exists,    NO_AH,      addressed && (wr->ah >= ca->n_ah || !ca->ah[wr->ah].used),         "QS-82")
/* clang-format on */

static enum iba_verb_err may_post(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_send_wr *wr)
{
    enum { QPN_MAX = 0xffffff };
    const struct operation *o = &operations[wr->op < IBA_WR_RECV ? wr->op : IBA_WR_RECV];
    const uint64_t length = iba_sgl_length(wr->sge, wr->n_sge <= IBA_MAX_SGE ? wr->n_sge : 0);
    const bool addressed = is_datagram(qp) || (RAW >> qp->type & 1) != 0;

    if (!iba_qp_has(qp, IBA_QP_SENDS))
        return IBA_VERB_TYPE;
    IBA_REFUSE(ca, posting, post_before_rts, before_rts(qp), IBA_VERB_STATE)
    if (wr->op >= IBA_WR_RECV)
        return IBA_VERB_OPCODE;
#define REFUSAL(row, error, is, clause) IBA_REFUSE(ca, posting, row, is, IBA_VERB_##error)
    POSTING_REFUSALS(REFUSAL)
    if (wr->n_sge > IBA_MAX_SGE)
        return IBA_VERB_SGE;
    if (addressed && wr->remote_qpn > QPN_MAX)
        return IBA_VERB_ATTR_VALUE;
    return qp->s.count == qp->s.n ? IBA_VERB_FULL : IBA_VERB_OK;
}

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
    enum iba_verb_err e;

    if (!qp)
        return IBA_VERB_NO_QP;
    e = may_post(ca, qp, wr);
    if (e != IBA_VERB_OK)
        return e;
    if (is_broken(qp) && IBA_KEEPS(ca, posting, post_flushes))
        flush(ca, qp, wr);
    else
        iba_requester_post(ca, qp, wr);
    return IBA_VERB_OK;
}
