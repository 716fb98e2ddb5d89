/* SPDX-License-Identifier: BSD-2-Clause */
/* The state machine of queue pairs: the transitions that software may request, the attributes that each takes, and the
 * actions when a QP enters a state (section 10.3.1, 11.2.5.2; QS-01..QS-27). */
#include <string.h>
#include "transport/deviations.h"
#include "transport/deviations_qp.h"
#include "transport/iba_refusals.h"
#include "transport/iba_qp_state.h"
#include "transport/iba_qp_attr.h"
#include "transport/iba_qp_traits.h"
#include "wire/iba_behaviours.h"

/* ---- the table ---- */
enum {
    CUR = IBA_QPA_CUR_STATE,
    NOTIFY = IBA_QPA_SQD_NOTIFY,
    ACCESS = IBA_QPA_ACCESS,
    PKEY = IBA_QPA_PKEY_INDEX,
    PORT = IBA_QPA_PORT,
    QKEY = IBA_QPA_QKEY,
    AV = IBA_QPA_AV,
    MTU = IBA_QPA_PATH_MTU,
    TIMEOUT = IBA_QPA_TIMEOUT,
    RETRY = IBA_QPA_RETRY,
    RNR_RETRY = IBA_QPA_RNR_RETRY,
    RQ_PSN = IBA_QPA_RQ_PSN,
    MAX_RD = IBA_QPA_MAX_RD,
    ALT = IBA_QPA_ALT_PATH,
    MIN_RNR = IBA_QPA_MIN_RNR,
    SQ_PSN = IBA_QPA_SQ_PSN,
    MAX_DEST = IBA_QPA_MAX_DEST_RD,
    MIG = IBA_QPA_PATH_MIG,
    DEST = IBA_QPA_DEST_QPN,
};

/* clang-format off */
/* Each transition has, per type of QP, the attributes that must be given and those that may be given. A type that is
 * not named takes the state alone. A transition that is not in the table does not exist. Each row is QS-14 as well.
 *
 * SMI and GSI take the attributes of UD except the port: QS-12 gives two of their rows only. Raw has QS-13 only. RC and
 * XRC have SQE to RTS because the matrix of QS-11 has it; they are never in SQE. Reset to Error: catalogue 11.1, 14.
 * The rows of RD and of EE contexts are this model's: what belongs to a path or to PSNs is of the context (UU-33), what
 * belongs to receives and rights of the QP.
 *
 *       type      required                                            optional                             */
#define IBA_TRANSITIONS(FROM_TO, UD, UC, RC, XI, XT, MG, RAW, RD, EE)                                                          \
    FROM_TO(RESET, INIT, "QS-01, QS-12, QS-13",                                                                        \
        UD ( PKEY | PORT | QKEY                                  , 0                                                 ) \
        UC ( PKEY | PORT | ACCESS                                , 0                                                 ) \
        RC ( PKEY | PORT | ACCESS                                , 0                                                 ) \
        XI ( PKEY | PORT | ACCESS                                , 0                                                 ) \
        XT ( PKEY | PORT | ACCESS                                , 0                                                 ) \
        MG ( PKEY | QKEY                                         , 0                                                 ) \
        RAW( PORT                                                , 0                                                 ) \
        RD ( PORT | QKEY | ACCESS                                , 0                                                  ) \
        EE ( PKEY | PORT                                         , 0                                                  ))\
    FROM_TO(INIT, INIT, "QS-02",                                                                                       \
        UD ( 0                                                   , PKEY | PORT | QKEY                                ) \
        UC ( 0                                                   , PKEY | PORT | ACCESS                              ) \
        RC ( 0                                                   , PKEY | PORT | ACCESS                              ) \
        XI ( 0                                                   , PKEY | PORT | ACCESS                              ) \
        XT ( 0                                                   , PKEY | PORT | ACCESS                              ) \
        MG ( 0                                                   , PKEY | QKEY                                       ) \
        RD ( 0                                                   , PORT | QKEY | ACCESS                               ) \
        EE ( 0                                                   , PKEY | PORT                                        ))\
    FROM_TO(INIT, RTR, "QS-03, QS-04",                                                                                 \
        UD ( 0                                                   , PKEY | QKEY                                       ) \
        UC ( AV | MTU | DEST | RQ_PSN                            , PKEY | ALT | ACCESS                               ) \
        RC ( AV | MTU | DEST | RQ_PSN | MAX_DEST | MIN_RNR       , PKEY | ALT | ACCESS                               ) \
        XI ( AV | MTU | DEST | RQ_PSN                            , PKEY | ALT | ACCESS                               ) \
        XT ( AV | MTU | DEST | RQ_PSN | MAX_DEST | MIN_RNR       , PKEY | ALT | ACCESS                               ) \
        MG ( 0                                                   , PKEY | QKEY                                       ) \
        RD ( MIN_RNR                                             , QKEY | ACCESS                                      ) \
        EE ( AV | MTU | DEST | RQ_PSN | MAX_DEST                 , PKEY                                               ))\
    FROM_TO(RTR, RTS, "QS-05, QS-06, QS-12",                                                                           \
        UD ( SQ_PSN                                              , CUR | QKEY                                        ) \
        UC ( SQ_PSN                                              , CUR | ALT | ACCESS | MIG                          ) \
        RC ( SQ_PSN | TIMEOUT | RETRY | RNR_RETRY | MAX_RD       , CUR | ALT | ACCESS | MIG | MIN_RNR                ) \
        XI ( SQ_PSN | TIMEOUT | RETRY | RNR_RETRY | MAX_RD       , CUR | ALT | ACCESS | MIG                          ) \
        XT ( SQ_PSN | TIMEOUT                                    , CUR | ALT | ACCESS | MIG | MIN_RNR                ) \
        MG ( SQ_PSN                                              , CUR | QKEY                                        ) \
        RD ( RNR_RETRY                                           , CUR | QKEY | ACCESS | MIN_RNR                      ) \
        EE ( SQ_PSN | TIMEOUT | RETRY | MAX_RD                   , CUR                                                ))\
    FROM_TO(RTS, RTS, "QS-07",                                                                                         \
        UD ( 0                                                   , CUR | QKEY                                        ) \
        UC ( 0                                                   , CUR | ALT | ACCESS | MIG                          ) \
        RC ( 0                                                   , CUR | ALT | ACCESS | MIG | MIN_RNR                ) \
        XI ( 0                                                   , CUR | ALT | ACCESS | MIG                          ) \
        XT ( 0                                                   , CUR | ALT | ACCESS | MIG | MIN_RNR                ) \
        MG ( 0                                                   , CUR | QKEY                                        ) \
        RD ( 0                                                   , CUR | QKEY | ACCESS | MIN_RNR                      ) \
        EE ( 0                                                   , CUR                                                ))\
    FROM_TO(RTS, SQD, "QS-08",                                                                                         \
        UD ( 0                                                   , NOTIFY                                            ) \
        UC ( 0                                                   , NOTIFY                                            ) \
        RC ( 0                                                   , NOTIFY                                            ) \
        XI ( 0                                                   , NOTIFY                                            ) \
        XT ( 0                                                   , NOTIFY                                            ) \
        MG ( 0                                                   , NOTIFY                                            ) \
        RD ( 0                                                   , NOTIFY                                             ) \
        EE ( 0                                                   , NOTIFY                                             ))\
    FROM_TO(SQD, RTS, "QS-09",                                                                                         \
        UD ( 0                                                   , CUR | QKEY                                        ) \
        UC ( 0                                                   , CUR | ALT | ACCESS | MIG                          ) \
        RC ( 0                                                   , CUR | ALT | ACCESS | MIG | MIN_RNR                ) \
        XI ( 0                                                   , CUR | ALT | ACCESS | MIG                          ) \
        XT ( 0                                                   , CUR | ALT | ACCESS | MIG | MIN_RNR                ) \
        MG ( 0                                                   , CUR | QKEY                                        ) \
        RD ( 0                                                   , CUR | QKEY | ACCESS | MIN_RNR                      ) \
        EE ( 0                                                   , CUR                                                ))\
    FROM_TO(SQD, SQD, "QS-10, QS-23",                                                                                  \
        UD ( 0                                                   , PKEY | QKEY                                       ) \
        UC ( 0                                                   , PKEY | AV | ALT | ACCESS | MIG                    ) \
        RC ( 0                                                   , PKEY | AV | ALT | ACCESS | MIG | PORT | TIMEOUT |   \
                                                                   RETRY | RNR_RETRY | MAX_RD | MAX_DEST | MIN_RNR   ) \
        XI ( 0                                                   , PKEY | AV | ALT | ACCESS | MIG | PORT | TIMEOUT |   \
                                                                   RETRY | RNR_RETRY | MAX_RD                        ) \
        XT ( 0                                                   , PKEY | AV | ALT | ACCESS | MIG | PORT | TIMEOUT |   \
                                                                   MAX_DEST | MIN_RNR                                ) \
        MG ( 0                                                   , PKEY | QKEY                                       ) \
        RD ( 0                                                   , QKEY | ACCESS | RNR_RETRY | MIN_RNR                ) \
        EE ( 0                                                   , PKEY                                               ))\
    FROM_TO(SQE, RTS, "QS-11",                                                                                         \
        UD ( 0                                                   , CUR | QKEY                                        ) \
        UC ( 0                                                   , CUR | ACCESS                                      ) \
        MG ( 0                                                   , CUR | QKEY                                        ) \
        RD ( 0                                                   , CUR | QKEY | ACCESS                                ))\
    FROM_TO(RESET, RESET, "QS-14",)                                                                                    \
    FROM_TO(INIT , RESET, "QS-14",)                                                                                    \
    FROM_TO(RTR  , RESET, "QS-14",)                                                                                    \
    FROM_TO(RTS  , RESET, "QS-14",)                                                                                    \
    FROM_TO(SQD  , RESET, "QS-14",)                                                                                    \
    FROM_TO(SQE  , RESET, "QS-14",)                                                                                    \
    FROM_TO(ERR  , RESET, "QS-14",)                                                                                    \
    FROM_TO(RESET, ERR  , "QS-14",)                                                             \
    FROM_TO(INIT , ERR  , "QS-14",)                                                                                    \
    FROM_TO(RTR  , ERR  , "QS-14",)                                                                                    \
    FROM_TO(RTS  , ERR  , "QS-14",)                                                                                    \
    FROM_TO(SQD  , ERR  , "QS-14",)                                                                                    \
    FROM_TO(SQE  , ERR  , "QS-14",)                                                                                    \
    FROM_TO(ERR  , ERR  , "QS-14",)
/* clang-format on */

#define ROW(from_, to_, clause_, columns) {.from = IBA_QPS_##from_, .to = IBA_QPS_##to_, .clause = (clause_), columns},
#define COLUMN(type, must, may) .required[IBA_QPT_##type] = (must), .optional[IBA_QPT_##type] = (may),
#define COLUMN_UD(must, may) COLUMN(UD, must, may)
#define COLUMN_UC(must, may) COLUMN(UC, must, may)
#define COLUMN_RC(must, may) COLUMN(RC, must, may)
#define COLUMN_XI(must, may) COLUMN(XRC_INI, must, may)
#define COLUMN_XT(must, may) COLUMN(XRC_TGT, must, may)
#define COLUMN_MG(must, may) COLUMN(SMI, must, may) COLUMN(GSI, must, may)
#define COLUMN_RAW(must, may) COLUMN(RAW_IPV6, must, may) COLUMN(RAW_ETHERTYPE, must, may)
#define COLUMN_RD(must, may) COLUMN(RD, must, may)
#define COLUMN_EE(must, may) COLUMN(EE, must, may)

static const struct iba_transition transitions[] = {IBA_TRANSITIONS(
    ROW, COLUMN_UD, COLUMN_UC, COLUMN_RC, COLUMN_XI, COLUMN_XT, COLUMN_MG, COLUMN_RAW, COLUMN_RD, COLUMN_EE)};
enum { N_TRANSITIONS = sizeof transitions / sizeof *transitions };

const struct iba_transition *iba_transitions(size_t *n)
{
    *n = N_TRANSITIONS;
    return transitions;
}

static const struct iba_transition *transition(uint8_t from, uint8_t to)
{
    for (size_t i = N_TRANSITIONS; i-- > 0;)
        if (transitions[i].from == from && transitions[i].to == to)
            return &transitions[i];
    return NULL;
}

uint32_t iba_qp_required(enum iba_qp_type type, uint8_t from, uint8_t to)
{
    const struct iba_transition *t = transition(from, to);

    return t ? t->required[type] : 0;
}

/* ---- the transitions as a list of behaviours ---- */
#define WORDS_RESET "Reset"
#define WORDS_INIT "Initialized"
#define WORDS_RTR "Ready to Receive"
#define WORDS_RTS "Ready to Send"
#define WORDS_SQD "Send Queue Drain"
#define WORDS_SQE "Send Queue Error"
#define WORDS_ERR "Error"
#define DOES_ROW(from, to, words, clause_)                                                                             \
    [IBA_ROW_of_transition(IBA_QPS_##from, IBA_QPS_##to)] = {                                                          \
        .name = #from "_TO_" #to, .sentence = words WORDS_##from " to " WORDS_##to, .clause = clause_, .kinds = DROP},
#define GOES(from, to, clause, columns) DOES_ROW(from, to, "goes when it is asked to from ", clause)
#define STAYS(from, to) DOES_ROW(from, to, "does not go from ", "QS-14")
#define NO_COLUMN(must, may)

static const struct iba_behaviour pairs[IBA_QPS_COUNT * IBA_QPS_COUNT] = {
    IBA_TRANSITIONS(GOES, NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN,
                    NO_COLUMN) IBA_NO_TRANSITIONS(STAYS)};
const struct iba_behaviours iba_transition_behaviours = {"transitions", pairs, IBA_QPS_COUNT *IBA_QPS_COUNT};

/* ---- requests of software ---- */
/* Software may give the state in which it believes the QP to be. Returns whether it may give this one. */
static bool may_change_to_or_from(uint8_t state)
{
    return state == IBA_QPS_RTR || state == IBA_QPS_RTS || state == IBA_QPS_SQD || state == IBA_QPS_SQE;
}

/* QS-23: unfinished requests were begun with the old attributes, so these stay until the queue is drained. */
static bool still_draining(const struct iba_qp *qp, uint8_t to, uint32_t mask)
{
    return qp->state == IBA_QPS_SQD && to == IBA_QPS_SQD && (mask & ~(uint32_t)IBA_QPA_STATE) != 0 && !qp->s.drained;
}

static bool attribute_missing(const struct iba_call *c)
{
    const uint32_t required = c->modify.transition->required[c->qp->type];

    return (c->modify.mask & required) != required;
}

static bool attribute_foreign(const struct iba_call *c)
{
    const struct iba_transition *t = c->modify.transition;

    return (c->modify.mask & ~(t->required[c->qp->type] | t->optional[c->qp->type] | IBA_QPA_STATE)) != 0;
}

static bool gives_cur_state(const struct iba_call *c)
{
    return (c->modify.mask & IBA_QPA_CUR_STATE) != 0;
}

static bool cur_state_untrue(const struct iba_call *c)
{
    const uint8_t given = c->modify.given->cur_state;

    return gives_cur_state(c) && may_change_to_or_from(given) && given != c->qp->state;
}

/* clang-format off */
/*    row                        result                   modify QP ...                                                   clause */
#define MODIFY_QP_CHECKS(R, A)                                                                                                        \
    A(no_transition,             IBA_VERB_TRANSITION,     !c->modify.transition,                                          "QS-14")    \
    A(too_few_attributes,        IBA_VERB_ATTR_MISSING,   attribute_missing(c),                                           "QS-01..QS-13") \
    A(too_many_attributes,       IBA_VERB_ATTR_FORBIDDEN, attribute_foreign(c),                                           "QS-01..QS-13") \
    R(modify, CUR_STATE_VALUES,  IBA_VERB_ATTR_VALUE,     gives_cur_state(c) && !may_change_to_or_from(c->modify.given->cur_state), "QS-16")    \
    R(modify, CUR_STATE_IS_TRUE, IBA_VERB_CUR_STATE,      cur_state_untrue(c),                                            "QS-16")    \
    R(modify, DRAINED_FIRST,     IBA_VERB_STATE,          still_draining(c->qp, c->modify.to, c->modify.mask),            "QS-23")
/* clang-format on */
IBA_REFUSAL_TABLE(MODIFY_QP_CHECKS, modify_qp_checks, MODIFY_QP)

/* ---- actions of a transition ---- */
void iba_qp_drain(struct iba_ca *ca, struct iba_qp *qp, bool notify)
{
    qp->s.drained = false;
    qp->s.sqd_asked = notify;
    iba_qp_enter(ca, qp, IBA_QPS_SQD);
    if (iba_requester_idle(qp))
        iba_qp_drained(ca, qp);
}

static void become(struct iba_ca *ca, struct iba_qp *qp, uint8_t to, uint32_t mask)
{
    const uint8_t from = qp->state;

    if (to == IBA_QPS_RESET) {
        iba_qp_part(ca, qp);
        iba_qp_reset(qp);
    } else if (to == IBA_QPS_ERR) {
        iba_qp_fail(ca, qp);
    } else if (from == IBA_QPS_RTS && to == IBA_QPS_SQD) {
        iba_qp_drain(ca, qp, (mask & IBA_QPA_SQD_NOTIFY) && qp->attr.sqd_notify);
    } else {
        qp->state = to;
        if (to == IBA_QPS_RTR)
            iba_responder_start(qp);
        if (from == IBA_QPS_RTR && to == IBA_QPS_RTS) {
            iba_requester_start(qp);
            if (iba_limiter_of(ca, qp))
                ca->limiter->start(ca->limiter->ctx, qp->qpn);
        }
    }
}

/* Datagrams have no path MTU attribute: the port's MTU limits them (UU-16). */
void iba_qp_set(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask)
{
    const struct iba_port *p = iba_port_of(ca, attr->port);

    qp->attr = *attr;
    if (!p)
        return;
    if (iba_qp_has(qp, IBA_QP_DATAGRAM))
        qp->attr.path_mtu = p->mtu;
    if (mask & IBA_QPA_AV)
        qp->envelope_bytes =
            (uint8_t)iba_envelope_write(p, &qp->attr.av, qp->qpn ^ qp->attr.dest_qpn << 8, qp->envelope);
}

void iba_qp_apply(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_attr *attr, uint32_t mask, uint8_t to)
{
    iba_qp_set(ca, qp, attr, mask);
    become(ca, qp, to, mask);
}

void iba_qp_migrate(struct iba_ca *ca, struct iba_qp *qp)
{
    struct iba_qp_attr attr = qp->attr;

    attr.path_mig = IBA_PATH_MIGRATED;
    attr.av = attr.alt_av;
    attr.port = attr.av.port;
    iba_qp_set(ca, qp, &attr, IBA_QPA_AV);
    iba_raise(ca, IBA_EVENT_PATH_MIGRATED, attr.port, qp->qpn, 0, 0);
}

static enum iba_verb_err modify(struct iba_call *c)
{
    const int refused = iba_refuse(c, &modify_qp_checks);
    struct iba_qp_attr merged;

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    if (!iba_qp_attr_merge(c, &merged))
        return IBA_VERB_ATTR_VALUE;
    if (c->ca->deviate)
        c->ca->deviate->apply(c->ca, c->qp, &merged, c->modify.mask, c->modify.to);
    else
        iba_qp_apply(c->ca, c->qp, &merged, c->modify.mask, c->modify.to);
    return IBA_VERB_OK;
}

enum iba_verb_err iba_modify_qp(struct iba_ca *ca, uint32_t qpn, const struct iba_qp_attr *attr, uint32_t mask)
{
    struct iba_qp *qp = iba_qp_find(ca, qpn);
    uint8_t to;

    if (!qp)
        return IBA_VERB_NO_QP;
    to = mask & IBA_QPA_STATE ? attr->state : qp->state;
    iba_ports_follow(ca);
    return modify(
        &(struct iba_call){.ca = ca,
                           .qp = qp,
                           .modify = {.given = attr, .mask = mask, .to = to, .transition = transition(qp->state, to)}});
}

/* ---- Reset ---- */

void iba_qp_reset(struct iba_qp *qp)
{
    qp->state = IBA_QPS_RESET;
    qp->attr = (struct iba_qp_attr){.port = iba_qp_has(qp, IBA_QP_MANAGES) ? 1 : 0}; /* SMI, GSI: no port attribute */
    memset(qp->envelope, 0, sizeof qp->envelope);
    qp->envelope_bytes = 0;
    if (iba_qp_has(qp, IBA_QP_CONTEXT))
        memset(&qp->ee, 0, sizeof qp->ee);
    else
        qp->rq.head = qp->rq.count = 0;
    iba_responder_reset(qp);
    iba_requester_reset(qp);
}
