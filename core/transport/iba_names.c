/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the codes of work requests, completions, events, states and verbs. */
#include "transport/iba_verbs.h"
#include "transport/iba_wr_ops.h"

#define NAME(id, words) words,

static const char *name_of(const char *const *names, size_t n, size_t code)
{
    return code < n ? names[code] : "unknown";
}

const char *iba_wr_op_name(enum iba_wr_op op)
{
    static const char *const names[] = {IBA_WR_OPS(NAME)};

    return name_of(names, IBA_WR_OP_COUNT, op);
}

const char *iba_wc_status_name(enum iba_wc_status s)
{
    static const char *const names[] = {IBA_WC_STATUSES(NAME)};

    return name_of(names, IBA_WC_STATUS_COUNT, s);
}

const char *iba_event_name(enum iba_event_kind k)
{
    static const char *const names[] = {IBA_EVENTS(NAME)};

    return name_of(names, IBA_EVENT_COUNT, k);
}

const char *iba_verb_strerror(enum iba_verb_err e)
{
    static const char *const names[] = {IBA_VERB_ERRS(NAME)};

    return name_of(names, IBA_VERB_ERR_COUNT, e);
}

const char *iba_qp_state_name(enum iba_qp_state s)
{
    static const char *const names[] = {IBA_QP_STATES(NAME)};

    return name_of(names, IBA_QPS_COUNT, s);
}

const char *iba_qp_type_name(enum iba_qp_type t)
{
    static const char *const names[] = {IBA_QP_TYPES(NAME)};

    return name_of(names, IBA_QPT_COUNT, t);
}
