/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices deviate as receivers. This file has rules with another condition, and the functions that act by the
 * rows of deviations_receiver.h at the points of deviations.h. */
#include "transport/deviations_receiver.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_wr_ops.h"
#include <string.h>
#include "iba_responder.h"
#include "transport/deviations.h"
#include "transport/deviations_actions.h"
#include "transport/deviations_qp.h"
#include "transport/deviations_requester.h"

static int changed(const struct iba_rx *x)
{
    return IBA_CHANGED_ROW(x->ca, receive);
}

static bool otherwise(const struct iba_rx *x)
{
    return x->ca->change->kind == IBA_CHANGE_OTHER;
}

static bool is_connected(const struct iba_rx *x)
{
    return iba_qp_has(x->qp, IBA_QP_CONNECTED);
}

/* ---- rules with another condition ---- */

static bool is_cnp(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_CNP;
}

static bool is_response(const struct iba_rx *x)
{
    return x->op && x->op->dir == IBA_RSP && !is_cnp(x);
}

static bool other_pkey(const struct iba_rx *x)
{
    return x->pkey_index < 0;
}

static bool other_qkey(const struct iba_rx *x, bool smi, uint32_t gsi)
{
    const enum iba_qp_type type = (enum iba_qp_type)x->qp->type;
    const bool asked = type == IBA_QPT_UD || (type == IBA_QPT_SMI && smi) || (type == IBA_QPT_GSI && gsi != 0);

    if (!asked || is_cnp(x) || !iba_view_has(x->v, IBA_H_deth))
        return false;
    return iba_deth_q_key(iba_rx_hdr(x, IBA_H_deth)) != (type == IBA_QPT_GSI ? gsi : x->qp->attr.qkey);
}

static bool other_qkey_of_smp(const struct iba_rx *x)
{
    return other_qkey(x, true, IBA_GSI_QKEY);
}

static bool other_qkey_but_to_gsi(const struct iba_rx *x)
{
    return other_qkey(x, false, 0);
}

static bool request_unless_in(const struct iba_rx *x, enum iba_qp_state state)
{
    return !is_response(x) && (!iba_qp_may_receive_requests(x->qp) || x->qp->state == state);
}

static bool request_in_rtr(const struct iba_rx *x)
{
    return request_unless_in(x, IBA_QPS_RTR);
}

static bool request_in_sqd(const struct iba_rx *x)
{
    return request_unless_in(x, IBA_QPS_SQD);
}

static bool request_in_sqe(const struct iba_rx *x)
{
    return request_unless_in(x, IBA_QPS_SQE);
}

static bool response_in_sqd(const struct iba_rx *x)
{
    return is_response(x) && (!iba_qp_may_receive_responses(x->qp) || x->qp->state == IBA_QPS_SQD);
}

/* The request that got an RNR NAK comes again before the RNR timer has ended, or a later request comes before it. */
static bool gap_or_too_soon(const struct iba_rx *x)
{
    return (x->ahead > 0 || (x->ahead == 0 && x->ca->now < x->qp->r.rnr_over)) && x->qp->r.rnr_sent;
}

static bool hole(const struct iba_rx *x)
{
    return x->ahead != 0;
}

/* A WRITE with Immediate completes a receive and fills none of its buffers. This device checks the buffers all the
 * same. */
static bool has_receive(const struct iba_rx *x)
{
    return iba_rx_send(x) || iba_rx_imm(x);
}

static bool receive_protected(const struct iba_rx *x)
{
    bool absent;

    return has_receive(x) && iba_rx_check_receive(x, &absent) != IBA_WC_SUCCESS;
}

static bool receive_absent(const struct iba_rx *x)
{
    bool absent;

    return has_receive(x) && iba_rx_check_receive(x, &absent) == IBA_WC_SUCCESS && absent;
}

static bool page_absent(const struct iba_rx *x)
{
    return receive_absent(x) || iba_rx_write_absent(x);
}

/* Checks a remote access to no bytes, for which an unbroken device checks no key. */
static enum iba_mem_verdict reach_of_nothing(const struct iba_rx *x, uint16_t need)
{
    const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);
    const struct iba_reach r = {.va = iba_reth_va(reth),
                                .key = iba_reth_r_key(reth),
                                .pd = iba_rx_pd(x),
                                .qpn = x->qp->qpn,
                                .need = need,
                                .remote = true};
    struct iba_place place;

    return iba_mem_reach(&x->ca->mem, &r, &place);
}

static bool is_empty_read(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_READ && iba_reth_dmalen(iba_rx_hdr(x, IBA_H_reth)) == 0;
}

static bool is_empty_write(const struct iba_rx *x)
{
    return iba_rx_write(x) && iba_rx_begins(x) && iba_reth_dmalen(iba_rx_hdr(x, IBA_H_reth)) == 0;
}

static enum iba_mem_verdict read_reach(const struct iba_rx *x)
{
    struct iba_place place;

    if (x->operation != IBA_OPERATION_READ)
        return IBA_REACH_OK;
    return is_empty_read(x) ? reach_of_nothing(x, IBA_ACCESS_REMOTE_READ) : iba_responder_reach(x, &place);
}

static enum iba_mem_verdict write_reach(const struct iba_rx *x)
{
    struct iba_place place;

    if (!iba_rx_write(x))
        return IBA_REACH_OK;
    return is_empty_write(x) ? reach_of_nothing(x, IBA_ACCESS_REMOTE_WRITE) : iba_rx_write_reach(x, &place);
}

static bool read_denied(const struct iba_rx *x)
{
    const enum iba_mem_verdict v = read_reach(x);

    return v != IBA_REACH_OK && v != IBA_REACH_ABSENT;
}

static bool read_gone(const struct iba_rx *x)
{
    return x->ahead < 0 && read_reach(x) != IBA_REACH_OK;
}

static bool write_denied(const struct iba_rx *x)
{
    const enum iba_mem_verdict v = write_reach(x);

    return v != IBA_REACH_OK && v != IBA_REACH_ABSENT;
}

/* The rule page_absent of a device that checks the key of an empty READ, or of an empty WRITE. */
static bool read_absent(const struct iba_rx *x)
{
    struct iba_place place;

    return iba_rx_write_absent(x) || read_reach(x) == IBA_REACH_ABSENT ||
           iba_responder_reach(x, &place) == IBA_REACH_ABSENT;
}

static bool write_absent(const struct iba_rx *x)
{
    struct iba_place place;

    return write_reach(x) == IBA_REACH_ABSENT || iba_responder_reach(x, &place) == IBA_REACH_ABSENT;
}

static bool absent_to_uc(const struct iba_rx *x)
{
    return iba_rx_receive_absent(x) || write_reach(x) == IBA_REACH_ABSENT;
}

/* clang-format off */
/*    list     row                table         rule                      when */
#define OTHER_CONDITIONS(C)                                                                        \
    C(receive, PKEY_SMP,          VALIDATE,     "pkey_differs",          other_pkey)            \
    C(receive, QKEY_SMP,          VALIDATE,     "qkey_differs",          other_qkey_of_smp)     \
    C(receive, QKEY_GSI,          VALIDATE,     "qkey_differs",          other_qkey_but_to_gsi) \
    C(state,   RTR_HEARS,         VALIDATE,     "request_out_of_season", request_in_rtr)        \
    C(state,   SQD_HEARS,         VALIDATE,     "request_out_of_season", request_in_sqd)        \
    C(state,   SQE_HEARS,         VALIDATE,     "request_out_of_season", request_in_sqe)        \
    C(state,   SQD_HEARS_ANSWERS, VALIDATE,     "response_out_of_season", response_in_sqd)      \
    C(respond, RNR_AT_ONCE,       RC_RESPONDER, "gap_after_rnr",         gap_or_too_soon)       \
    C(receive, NOTIFY_KEYLESS,    RC_RESPONDER, "receive_absent",        receive_absent)        \
    C(receive, NOTIFY_KEYLESS,    RC_RESPONDER, "receive_protected",     receive_protected)     \
    C(receive, NOTIFY_KEYLESS,    UC_RECEIVER,  "receive_protected",     receive_protected)     \
    C(receive, NOTIFY_KEYLESS,    UC_RECEIVER,  "page_absent",           page_absent)           \
    C(respond, ZERO_READ,         RC_RESPONDER, "read_gone",             read_gone)             \
    C(respond, ZERO_READ,         RC_RESPONDER, "read_denied",           read_denied)           \
    C(respond, ZERO_READ,         RC_RESPONDER, "page_absent",           read_absent)           \
    C(receive, WRITE_OF_NOTHING,  RC_RESPONDER, "write_denied",          write_denied)          \
    C(receive, WRITE_OF_NOTHING,  RC_RESPONDER, "page_absent",           write_absent)          \
    C(receive, WRITE_OF_NOTHING,  UC_RECEIVER,  "write_denied",          write_denied)          \
    C(receive, WRITE_OF_NOTHING,  UC_RECEIVER,  "page_absent",           absent_to_uc)          \
    C(receive, UC_ANY_PSN,        UC_RECEIVER,  "hole",                  hole)                  \
    C(receive, UC_NOTIFIES,       UC_RECEIVER,  "write_unnoticed",       iba_rx_write)
/* clang-format on */

static const struct other_condition {
    const struct iba_behaviours *list;
    uint16_t row;
    uint8_t table;
    const char *rule;
    iba_when *when;
} conditions[] = {
#define CONDITION(list, row, table, rule, when)                                                                        \
    {&iba_##list##_behaviours, IBA_ROW_##list##_##row, IBA_TABLE_##table, rule, when},
    OTHER_CONDITIONS(CONDITION)};
enum { N_CONDITIONS = sizeof conditions / sizeof *conditions };

static bool is_changed(const struct iba_rx *x, enum iba_rule_table t, const struct other_condition *c)
{
    return iba_changed_row(x->ca->change, c->list) == c->row && c->table == t;
}

static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static iba_when *condition(const struct iba_rx *x, enum iba_rule_table t, const struct iba_rule *r)
{
    for (unsigned i = 0; i < N_CONDITIONS; i++)
        if (is_changed(x, t, &conditions[i]) && is_same(conditions[i].rule, r->name))
            return conditions[i].when;
    return r->when;
}

static const struct iba_rule *first(const struct iba_rx *x, enum iba_rule_table t)
{
    const struct iba_rules *table = x->ca->table[t];
    bool any = false;

    for (unsigned i = 0; i < N_CONDITIONS; i++)
        any |= is_changed(x, t, &conditions[i]);
    if (!any)
        return iba_rules_first(table, x);
    for (const struct iba_rule *r = table->row; r < table->row + table->n; r++)
        if (condition(x, t, r)(x))
            return r;
    return NULL;
}

/* ---- rules with another action ---- */

static iba_then *action(iba_then *engines)
{
    static const struct {
        iba_then *engines, *changed;
    } actions[] = {
        {iba_rc_send_invalidate, iba_changed_send_invalidate},
        {iba_rc_swap, iba_changed_swap},
        {iba_rc_add, iba_changed_add},
        {iba_rc_replay, iba_changed_replay},
        {iba_requester_resend, iba_changed_resend},
        {iba_requester_ask_again, iba_changed_ask_again},
        {iba_requester_wait, iba_changed_wait},
        {iba_requester_store_atomic, iba_changed_store_atomic},
    };

    for (unsigned i = 0; i < sizeof actions / sizeof *actions; i++)
        if (actions[i].engines == engines)
            return actions[i].changed;
    return engines;
}

/* A mark was just noted. MARK_IN_ANSWER: a CNP returns it, not a response. MARK_TO_SOURCE: a datagram's source gets no
 * CNP. */
static void marked(const struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;

    if (changed(x) == IBA_ROW_receive_MARK_IN_ANSWER && is_connected(x)) {
        qp->becn_due = false;
        qp->cnp_due = true;
    }
    if (changed(x) == IBA_ROW_receive_MARK_TO_SOURCE && !is_connected(x))
        qp->cnp_due = false;
}

/* PKEY_OWN: any entry of the table may match. */
static void arrives(struct iba_rx *x)
{
    if (x->seen & IBA_SEEN_MARK)
        marked(x);
    if (x->qp && x->bth && changed(x) == IBA_ROW_receive_PKEY_OWN)
        x->pkey_index = iba_port_pkey_find(x->port, (uint16_t)iba_bth_p_key(x->bth));
}

/* Returns whether the row ends the connection. With error_acks_before these rows acknowledge nothing. */
static bool is_fatal(const struct iba_rule *r)
{
    static const char *const names[] = {
        "RETRIES_EXHAUSTED", "RNR_EXHAUSTED",       "NAK_INVALID_REQUEST", "NAK_REMOTE_ACCESS", "NAK_REMOTE_OPERATION",
        "NAK_INVALID_RD",    "ANSWER_NOT_POSITIVE", "OTHER_KIND",          "READ_OUT_OF_ORDER", "READ_WRONG_LENGTH"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (is_same(names[i], r->name))
            return true;
    return false;
}

/* WRITE_AT_ONCE: the last bytes of a WRITE are stored before the next request that is no READ or ATOMIC. */
static void store_late(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;
    const uint64_t at = qp->r.va - qp->r.n_late;
    struct iba_place place;

    if (qp->r.n_late == 0 || x->operation == IBA_OPERATION_READ || x->operation == IBA_OPERATION_ATOMIC)
        return;
    if (iba_rx_reach(x, qp->r.rkey, at, qp->r.n_late, IBA_ACCESS_REMOTE_WRITE, &place) == IBA_REACH_OK)
        iba_mem_put(&place, qp->r.late, qp->r.n_late);
    qp->r.n_late = 0;
}

const struct iba_rule *iba_deviate_rule(struct iba_rx *x, enum iba_rule_table t, struct iba_rule *room)
{
    const struct iba_rule *r;

    if (t == IBA_TABLE_VALIDATE)
        arrives(x);
    if (t == IBA_TABLE_RC_RESPONDER && changed(x) == IBA_ROW_receive_WRITE_AT_ONCE)
        store_late(x);
    r = first(x, t);
    if (!r)
        return NULL;
    if (t == IBA_TABLE_RC_COMPLETER && !IBA_KEEPS(x->ca, requester, error_acks_before) && is_fatal(r))
        x->psn = x->qp->s.una;
    *room = *r;
    room->then = action(r->then);
    return room;
}

/* ---- what is done with a packet ---- */

bool iba_deviate_fails_qp(const struct iba_rx *x)
{
    if (!iba_qp_has(x->qp, IBA_QP_RELIABLE))
        return IBA_KEEPS(x->ca, receive, FAULT_FAILS_QP);
    x->qp->r.last_words = IBA_KEEPS(x->ca, respond, NAK_FAILS);
    return x->qp->r.last_words;
}

/* Keeps the last bytes of the payload, and stores the others. */
static void keep_late(struct iba_rx *x, const struct iba_place *place)
{
    struct iba_qp *qp = x->qp;
    const size_t len = x->v->payload_len, n = len < sizeof qp->r.late ? len : sizeof qp->r.late;

    iba_mem_put(place, iba_rx_data(x), len - n);
    memcpy(qp->r.late, iba_rx_data(x) + len - n, n);
    qp->r.n_late = (uint8_t)n;
}

bool iba_deviate_stores(struct iba_rx *x, const struct iba_place *place)
{
    if (changed(x) == IBA_ROW_receive_WRITE_AT_ONCE && iba_rx_write(x) && iba_qp_has(x->qp, IBA_QP_RELIABLE)) {
        keep_late(x, place);
        return false;
    }
    if (changed(x) == IBA_ROW_receive_WRITE_FOLLOWS && iba_rx_write(x))
        x->qp->r.va -= x->v->payload_len; /* cancels the step that the caller makes next */
    if (iba_rx_write(x))
        return changed(x) != IBA_ROW_receive_WRITE_STORES;
    return IBA_KEEPS(x->ca, respond, ATOMIC_WRITES);
}

const struct iba_sge *iba_deviate_scatters(const struct iba_ca *ca, const struct iba_sge *sge, unsigned n,
                                           struct iba_sge *room)
{
    if (IBA_CHANGED_ROW(ca, receive) != IBA_ROW_receive_SCATTER_ORDER)
        return sge;
    for (unsigned i = 0; i < n; i++)
        room[i] = sge[n - 1 - i];
    return room;
}

void iba_deviate_grh_area(const struct iba_rx *x, struct iba_grh_area *a)
{
    switch (changed(x)) {
    case IBA_ROW_receive_UD_AREA: a->bytes = a->n = 0; break;
    case IBA_ROW_receive_UD_GRH: a->n = 0; break;
    case IBA_ROW_receive_UD_IPV4_AT_END: a->at = 0; break;
    default: break;
    }
}

/* ---- completions ---- */

/* UC_KEEPS_RECEIVE, UC_SRQ_FAILS */
bool iba_deviate_loses_receive(const struct iba_rx *x, bool loses)
{
    const bool shared = x->qp->srq != IBA_NONE;

    return changed(x) == (shared ? IBA_ROW_receive_UC_SRQ_FAILS : IBA_ROW_receive_UC_KEEPS_RECEIVE) ? !loses : loses;
}

static void change_bytes(const struct iba_rx *x, struct iba_wc *wc)
{
    const int row = changed(x);

    if (is_connected(x) && row == (iba_rx_write(x) ? IBA_ROW_receive_WC_WRITE_BYTES : IBA_ROW_receive_WC_BYTES))
        wc->byte_len = x->v->payload_len;
    if (!is_connected(x) && x->bth && row == IBA_ROW_receive_UD_BYTES)
        wc->byte_len = x->v->payload_len;
}

static void change_values(const struct iba_rx *x, struct iba_wc *wc)
{
    const bool key = (wc->flags & IBA_WC_WITH_INV) != 0;

    switch (changed(x)) {
    case IBA_ROW_receive_WC_WRITE_OP: wc->op = IBA_WR_RECV; break;
    case IBA_ROW_receive_WC_IMM: wc->imm_or_key = wc->flags & IBA_WC_WITH_IMM ? 0 : wc->imm_or_key; break;
    case IBA_ROW_receive_WC_KEY:
        if (key)
            wc->imm_or_key = otherwise(x) ? wc->imm_or_key + 1 : 0;
        break;
    case IBA_ROW_receive_WC_PKEY_INDEX: wc->pkey_index = 0; break;
    case IBA_ROW_receive_WC_IMM_FLAG: wc->flags &= (uint8_t)~IBA_WC_WITH_IMM; break;
    case IBA_ROW_receive_WC_KEY_FLAG: wc->flags &= (uint8_t)~IBA_WC_WITH_INV; break;
    case IBA_ROW_receive_WC_SOLICITED: wc->flags &= (uint8_t)~IBA_WC_SOLICITED; break;
    case IBA_ROW_receive_FAULT_STATUS:
        if (wc->status == IBA_WC_LOCAL_PROTECTION)
            wc->status = IBA_WC_LOCAL_LENGTH;
        break;
    default: break;
    }
}

/* Changes what a completion reports of a datagram's source. */
static void change_source(const struct iba_rx *x, struct iba_wc *wc)
{
    switch (changed(x)) {
    case IBA_ROW_receive_UD_GRH_FLAG: wc->flags &= (uint8_t)~IBA_WC_GRH; break;
    case IBA_ROW_receive_UD_SLID: wc->slid = 0; break;
    case IBA_ROW_receive_UD_SL: wc->sl = 0; break;
    case IBA_ROW_receive_UD_PATH_BITS: wc->path_bits = 0; break;
    case IBA_ROW_receive_UD_SOURCE_QP: wc->src_qpn = 0; break;
    default: break;
    }
}

/* Changes the completion of a receive whose request the RC responder refuses. False: the receive does not complete. */
static bool change_refusal(const struct iba_rx *x, struct iba_wc *wc)
{
    switch (IBA_CHANGED_ROW(x->ca, respond)) {
    case IBA_ROW_respond_REFUSED_COMPLETES:
        return wc->status != IBA_WC_REMOTE_INVALID_REQ && wc->status != IBA_WC_LOCAL_ACCESS;
    case IBA_ROW_respond_DENIED_STATUS:
        if (wc->status == IBA_WC_LOCAL_ACCESS)
            wc->status = IBA_WC_REMOTE_ACCESS;
        return true;
    case IBA_ROW_respond_TOO_LONG_STATUS:
        if (wc->status == IBA_WC_LOCAL_LENGTH)
            wc->status = IBA_WC_REMOTE_INVALID_REQ;
        return true;
    default: return true;
    }
}

bool iba_deviate_received(const struct iba_rx *x, struct iba_wc *wc)
{
    change_bytes(x, wc);
    change_values(x, wc);
    if (!is_connected(x))
        change_source(x, wc);
    return !iba_qp_has(x->qp, IBA_QP_RELIABLE) || change_refusal(x, wc);
}
