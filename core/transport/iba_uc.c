/* SPDX-License-Identifier: BSD-2-Clause */
/* UC receiver (section 9.8.2; catalogue 5.1): it sends no answers, and drops a message with a gap.
 *
 * r.op is the opcode of the unfinished message; r.epsn only shows whether a packet follows the last packet of that
 * message. */
#include "transport/deviations.h"

static bool hole(const struct iba_rx *x)
{
    return !iba_rx_begins(x) && x->ahead != 0;
}

static bool receive_is_lost(const struct iba_rx *x)
{
    const bool shared = x->qp->srq != IBA_NONE;

    return x->ca->deviate ? x->ca->deviate->loses_receive(x, shared) : shared;
}

/* Drops the rest of the message. A WQE of the QP's own queue waits for the next message (UU-09); a WQE of an SRQ
 * completes in error (class E). */
static void abandon(struct iba_rx *x)
{
    x->qp->r.op = IBA_NO_MESSAGE;
    if (x->qp->r.has_wqe && receive_is_lost(x))
        iba_rx_complete(x, IBA_WC_REMOTE_INVALID_REQ);
}

static void establish(struct iba_rx *x)
{
    iba_rx_establish(x);
    iba_rules_apply(x, IBA_TABLE_UC_RECEIVER);
}

static void abandon_and_begin(struct iba_rx *x)
{
    abandon(x);
    if (!iba_qp_may_receive_requests(x->qp)) /* the completion of the old message overflowed its CQ (QS-32) */
        return;
    iba_rules_apply(x, IBA_TABLE_UC_RECEIVER);
}

/* Class A: the fault is in the receive WQE, so the QP fails. */
static void fail(struct iba_rx *x)
{
    if (iba_rx_begins(x))
        iba_rx_take_wqe(x);
    iba_rx_complete(x, IBA_WC_LOCAL_PROTECTION);
    x->qp->r.op = IBA_NO_MESSAGE;
    iba_rx_fail(x);
}

static bool send_part(const struct iba_rx *x)
{
    return iba_rx_send(x) && !iba_rx_ends(x);
}

static bool write_notify(const struct iba_rx *x)
{
    return iba_rx_write(x) && iba_rx_imm(x);
}

static bool send_without_wqe(const struct iba_rx *x)
{
    return iba_rx_send(x) && iba_rx_no_receive_wqe(x);
}

static bool page_absent(const struct iba_rx *x)
{
    return iba_rx_receive_absent(x) || iba_rx_write_absent(x);
}

/* A message may begin at any PSN; the PSN of each packet sets the expected one (UU-03, UU-05). */
static void accept(struct iba_rx *x)
{
    x->qp->r.epsn = iba_psn_add(x->psn, 1);
    x->qp->r.op = iba_rx_ends(x) ? IBA_NO_MESSAGE : iba_bth_opcode(x->bth);
}

static void store_send(struct iba_rx *x)
{
    iba_rx_store_send(x);
    accept(x);
}

static void deliver_send(struct iba_rx *x)
{
    store_send(x);
    iba_rx_complete(x, IBA_WC_SUCCESS);
}

static void store_write(struct iba_rx *x)
{
    iba_rx_store_write(x);
    accept(x);
}

static void deliver_write(struct iba_rx *x)
{
    store_write(x);
    iba_rx_take_wqe(x);
    iba_rx_complete(x, IBA_WC_SUCCESS);
}

/* clang-format off */
/*    name               when                       then               the packet ...                                               clause */
#define UC_RULES(R)                                                                                                                           \
    R(reserved,          iba_rx_reserved,           iba_rx_drop,       "has a reserved opcode",                                      "UU-01") \
    R(nothing_to_go_on,  iba_rx_nothing_to_go_on,   iba_rx_drop,       "continues a message that never began, or was abandoned",     "UU-06") \
    R(hole,              hole,                      abandon,           "follows a PSN gap: a part of the message was lost",           "UU-03") \
    R(other_operation,   iba_rx_other_operation,    abandon,           "continues a message with another operation",                 "UU-06") \
    R(unfinished_before, iba_rx_unfinished_before,  abandon_and_begin, "begins a message, and the one before never ended",           "UU-06") \
    R(first_in_rtr,      iba_rx_first_in_rtr,       establish,         "is the first request while the QP is in RTR",                   "QS-20") \
    R(write_not_enabled, iba_rx_write_not_enabled,  abandon,           "is a WRITE, which the QP does not allow",                    "UU-10") \
    R(send_without_wqe,  send_without_wqe,          abandon,           "is a SEND, and there is no receive WQE",                     "UU-08") \
    R(bad_payload,       iba_rx_bad_payload,        abandon,           "has a payload that its opcode cannot have",                  "UU-07") \
    R(dma_too_long,      iba_rx_dma_too_long,       abandon,           "has a DMA length of more than 2^31 bytes",                   "WF-44") \
    R(write_beyond,      iba_rx_write_beyond,       abandon,           "writes more than its DMA length",                            "UU-07") \
    R(write_short,       iba_rx_write_short,        abandon,           "ends before its DMA length is written",                      "UU-07") \
    R(send_too_long,     iba_rx_send_too_long,      abandon,           "is longer than its receive WQE",                             "UU-15") \
    R(receive_protected, iba_rx_receive_protected,  fail,              "needs a receive buffer that its WQE may not write",          "UU-29") \
    R(write_denied,      iba_rx_write_denied,       abandon,           "is a WRITE without access to that range",                    "UU-10") \
    R(page_absent,       page_absent,               abandon,           "accesses an absent page",                                    "UU-10") \
    R(send_part,         send_part,                 store_send,        "is a SEND with more to come",                                "UU-12") \
    R(send_end,          iba_rx_send,               deliver_send,      "ends a SEND",                                                "UU-12") \
    R(write_unnoticed,   iba_rx_no_receive_wqe,     store_write,       "ends a WRITE with immediate data, and there is no receive WQE", "UU-08") \
    R(write_notify,      write_notify,              deliver_write,     "ends a WRITE and notifies",                                  "UU-12") \
    R(write,             iba_rx_write,              store_write,       "is a WRITE",                                                 "UU-12")
/* clang-format on */

IBA_RULE_TABLE(UC_RULES, iba_uc_receiver_rules, "UC receiver")
