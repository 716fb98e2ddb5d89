/* SPDX-License-Identifier: BSD-2-Clause */
/* RC responder: how it handles a request (sections 9.7.4, 9.7.5; catalogue section 3).
 *
 * The rows are in the order of the architecture. The first rows look at the PSN. The next rows check the expected
 * request: its position in the message, support, resources, lengths, keys. A request that no row refuses is executed.
 */
#include "iba_responder.h"
#include "transport/iba_rd.h"
#include "transport/iba_xrc.h"
#include "wire/iba_opcode_rows.h"

static bool is_read(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_READ;
}

static bool is_atomic(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_ATOMIC;
}

static bool is_flush(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_FLUSH;
}

static bool is_atomic_write(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_ATOMIC_WRITE;
}

/* The responder answers each READ, ATOMIC, FLUSH and ATOMIC WRITE by itself, and remembers it for duplicates (RR-68).
 */
static bool takes_resource(const struct iba_rx *x)
{
    return is_read(x) || is_atomic(x) || is_flush(x) || is_atomic_write(x);
}

/* ---- the PSN ---- */

static bool gap(const struct iba_rx *x)
{
    return x->ahead > 0;
}

static bool gap_after_rnr(const struct iba_rx *x)
{
    return gap(x) && x->qp->r.rnr_sent;
}

static bool gap_known(const struct iba_rx *x)
{
    return gap(x) && x->qp->r.nak_sent;
}

static bool duplicate(const struct iba_rx *x)
{
    return x->ahead < 0;
}

static bool malformed_again(const struct iba_rx *x)
{
    return duplicate(x) && (iba_rx_reserved(x) || iba_rx_bad_payload(x) || iba_rx_dma_too_long(x));
}

static bool answer_waits(const struct iba_rx *x)
{
    return duplicate(x) && takes_resource(x) && iba_resp_waits(x->qp, x->psn);
}

/* The duplicate READ asks for the remainder of a remembered READ from this PSN on (RR-25). */
static bool remainder_of_read(const struct iba_rx *x)
{
    const struct iba_saved_op *s = iba_saved_find(x);
    const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);

    if (!s)
        return false;
    const uint64_t offset = (uint64_t)iba_psn_diff(x->psn, s->psn) * iba_mtu_bytes((enum iba_mtu)x->qp->attr.path_mtu);
    return iba_reth_dmalen(reth) == s->length - offset && (s->length == 0 || iba_reth_va(reth) == s->va + offset);
}

static bool unknown_again(const struct iba_rx *x)
{
    if (!duplicate(x) || !takes_resource(x))
        return false;
    return is_read(x) ? !remainder_of_read(x) : !iba_saved_find(x);
}

/* There is an entry for the replay of each remembered operation. One more is for a replay that replaces others: a READ
 * may be repeated from a PSN before the part that already waits. */
static bool no_room_again(const struct iba_rx *x)
{
    return duplicate(x) && takes_resource(x) && iba_resp_again(x->qp) > iba_saved_depth(x->qp);
}

static bool read_gone(const struct iba_rx *x)
{
    struct iba_place place;

    return duplicate(x) && is_read(x) && iba_responder_reach(x, &place) != IBA_REACH_OK;
}

static bool read_again(const struct iba_rx *x)
{
    return duplicate(x) && is_read(x);
}

static bool result_again(const struct iba_rx *x)
{
    return duplicate(x) && takes_resource(x);
}

/* ---- support ---- */

static bool lacks(const struct iba_rx *x, unsigned access)
{
    return (access & ~iba_rx_rights(x)) != 0;
}

static bool read_not_enabled(const struct iba_rx *x)
{
    return is_read(x) && lacks(x, IBA_ACCESS_REMOTE_READ);
}

static bool atomic_not_enabled(const struct iba_rx *x)
{
    return is_atomic(x) && lacks(x, IBA_ACCESS_REMOTE_ATOMIC);
}

static bool atomic_write_not_enabled(const struct iba_rx *x)
{
    return is_atomic_write(x) && lacks(x, IBA_ACCESS_REMOTE_WRITE);
}

static bool flush_not_enabled(const struct iba_rx *x)
{
    return is_flush(x) && lacks(x, iba_flush_access(x));
}

/* ---- resources ---- */

static bool depth_exceeded(const struct iba_rx *x)
{
    return takes_resource(x) && iba_resp_open(x->qp) >= iba_saved_depth(x->qp);
}

/* ---- lengths ---- */

static bool atomic_misaligned(const struct iba_rx *x)
{
    return is_atomic(x) && iba_atomiceth_va(iba_rx_hdr(x, IBA_H_atomiceth)) % IBA_ATOMIC_BYTES != 0;
}

static bool atomic_write_misaligned(const struct iba_rx *x)
{
    return is_atomic_write(x) && iba_reth_va(iba_rx_hdr(x, IBA_H_reth)) % IBA_ATOMIC_BYTES != 0;
}

static bool atomic_write_length(const struct iba_rx *x)
{
    return is_atomic_write(x) && iba_reth_dmalen(iba_rx_hdr(x, IBA_H_reth)) != IBA_ATOMIC_BYTES;
}

/* ---- keys ---- */

static bool denied(const struct iba_rx *x)
{
    struct iba_place place;
    const enum iba_mem_verdict v = iba_responder_reach(x, &place);

    return v != IBA_REACH_OK && v != IBA_REACH_ABSENT;
}

static bool read_denied(const struct iba_rx *x)
{
    return is_read(x) && denied(x);
}

static bool atomic_denied(const struct iba_rx *x)
{
    return is_atomic(x) && denied(x);
}

static bool flush_denied(const struct iba_rx *x)
{
    return is_flush(x) && denied(x);
}

static bool atomic_write_denied(const struct iba_rx *x)
{
    return is_atomic_write(x) && denied(x);
}

static bool page_absent(const struct iba_rx *x)
{
    struct iba_place place;

    return iba_rx_write_absent(x) || iba_responder_reach(x, &place) == IBA_REACH_ABSENT;
}

/* ---- execution ---- */

static bool send_part(const struct iba_rx *x)
{
    return iba_rx_send(x) && !iba_rx_ends(x);
}

static bool send_invalidate(const struct iba_rx *x)
{
    return iba_rx_send(x) && (x->op->hdrs & IBA_HDR_BIT(IBA_H_ieth));
}

static bool write_part(const struct iba_rx *x)
{
    return iba_rx_write(x) && !iba_rx_ends(x);
}

static bool write_notify(const struct iba_rx *x)
{
    return iba_rx_write(x) && iba_rx_imm(x);
}

static bool swap(const struct iba_rx *x)
{
    return is_atomic(x) && (iba_bth_opcode(x->bth) & 0x1f) == IBA_RC_CMP_SWAP;
}

/* clang-format off */
/*    name                      when                       then                    the request ...                                                clause */
#define RC_RESPONDER_RULES(R)                                                                                                                               \
    R(rd_resync,                iba_rd_resyncs,            iba_rc_resync,          "is a RESYNC: the message before it was abandoned",            "UU-34")   \
    R(gap_after_rnr,            gap_after_rnr,             iba_rx_drop,            "follows a PSN gap, and the missing one got an RNR NAK",       "RR-51")   \
    R(gap_known,                gap_known,                 iba_rx_drop,            "follows a PSN gap that was already NAKed",                    "RR-04")   \
    R(gap,                      gap,                       iba_rc_nak_sequence,    "follows a PSN gap: an earlier request was lost",              "RR-03")   \
    R(malformed_again,          malformed_again,           iba_rx_drop,            "is a duplicate, and malformed",                               "RR-24")   \
    R(answer_waits,             answer_waits,              iba_rx_drop,            "is a duplicate, and its response is still pending",           "RR-30")   \
    R(unknown_again,            unknown_again,             iba_rx_drop,            "is a duplicate that matches no remembered request",           "RR-26")   \
    R(no_room_again,            no_room_again,             iba_rx_drop,            "is a duplicate, and too many responses are pending",          "RR-26")   \
    R(read_gone,                read_gone,                 iba_rx_drop,            "repeats a READ of memory that can no longer be read",         "RR-27")   \
    R(read_again,               read_again,                iba_rc_read_again,      "repeats a READ, or the rest of it",                           "RR-25")   \
    R(result_again,             result_again,              iba_rc_replay,          "repeats an ATOMIC, FLUSH or ATOMIC WRITE",                    "RR-28")   \
    R(duplicate,                duplicate,                 iba_rc_ack_again,       "repeats a SEND or WRITE",                                     "RR-23")   \
    R(rd_refused,               iba_rd_refused,            iba_rc_refuse_again,    "repeats a reliable datagram request that was refused",        "UU-34")   \
    R(reserved,                 iba_rx_reserved,           iba_rc_nak_invalid,     "has a reserved opcode",                                       "WF-61")   \
    R(rd_no_receiver,           iba_rd_no_receiver,        iba_rc_nak_rd,          "is for no RD QP that receives",                               "UU-35")   \
    R(rd_other_domain,          iba_rd_other_domain,       iba_rc_nak_rd,          "is for an RD QP of another domain than the EE context's",     "UU-36")   \
    R(rd_qkey_differs,          iba_rd_qkey_differs,       iba_rc_nak_rd,          "has another Q_Key than the RD QP",                            "UU-35")   \
    R(unfinished_before,        iba_rx_unfinished_before,  iba_rc_nak_invalid,     "begins a message inside another",                             "RR-33")   \
    R(nothing_to_go_on,         iba_rx_nothing_to_go_on,   iba_rc_nak_invalid,     "continues a message that never began",                        "RR-33")   \
    R(xrc_other_srq,            iba_xrc_other,             iba_rc_nak_invalid,     "continues an XRC message that names another SRQ",              "QS-51")   \
    R(rd_other_receiver,        iba_rd_other_receiver,     iba_rc_nak_invalid,     "continues a message of another RD QP",                        "UU-33")   \
    R(other_operation,          iba_rx_other_operation,    iba_rc_nak_invalid,     "continues a message with another operation",                  "RR-33")   \
    R(first_in_rtr,             iba_rx_first_in_rtr,       iba_rc_establish,       "is the first request while the QP is in RTR",                   "RR-64") \
    R(write_not_enabled,        iba_rx_write_not_enabled,  iba_rc_nak_invalid,     "is a WRITE, which the QP does not allow",                     "RR-34")   \
    R(read_not_enabled,         read_not_enabled,          iba_rc_nak_invalid,     "is a READ, which the QP does not allow",                      "RR-34")   \
    R(atomic_not_enabled,       atomic_not_enabled,        iba_rc_nak_invalid,     "is an ATOMIC, which the QP does not allow",                   "RR-45")   \
    R(flush_not_enabled,        flush_not_enabled,         iba_rc_nak_invalid,     "is a FLUSH of a kind that the QP does not allow",             "RR-66")   \
    R(atomic_write_not_enabled, atomic_write_not_enabled,  iba_rc_nak_invalid,     "is an ATOMIC WRITE, and the QP allows no WRITE",              "RR-67")   \
    R(depth_exceeded,           depth_exceeded,            iba_rc_nak_unfit,       "exceeds the agreed number of outstanding READs and ATOMICs",  "RR-35")   \
    R(no_receive_wqe,           iba_rx_no_receive_wqe,     iba_rc_rnr,             "needs a receive WQE, and there is none",                      "RR-49")   \
    R(receive_absent,           iba_rx_receive_absent,     iba_rc_rnr,             "needs a receive buffer whose page is absent",                 "RR-50")   \
    R(bad_payload,              iba_rx_bad_payload,        iba_rc_nak_unfit,       "has a payload that its opcode cannot have",                   "RR-36")   \
    R(dma_too_long,             iba_rx_dma_too_long,       iba_rc_nak_unfit,       "has a DMA length of more than 2^31 bytes",                    "RR-39")   \
    R(write_beyond,             iba_rx_write_beyond,       iba_rc_nak_unfit,       "writes more than its DMA length",                             "RR-37")   \
    R(write_short,              iba_rx_write_short,        iba_rc_nak_unfit,       "ends before its DMA length is written",                       "RR-37")   \
    R(send_too_long,            iba_rx_send_too_long,      iba_rc_nak_length,      "is longer than its receive WQE",                              "RR-38")   \
    R(atomic_misaligned,        atomic_misaligned,         iba_rc_nak_unfit,       "is an ATOMIC on an address that is not a multiple of 8",      "RR-44")   \
    R(atomic_write_length,      atomic_write_length,       iba_rc_nak_unfit,       "is an ATOMIC WRITE of other than 8 bytes",                    "WF-57")   \
    R(atomic_write_misaligned,  atomic_write_misaligned,   iba_rc_nak_unfit,       "is an ATOMIC WRITE to an address that is not a multiple of 8", "RR-67")  \
    R(receive_protected,        iba_rx_receive_protected,  iba_rc_nak_operation,   "needs a receive buffer that its WQE may not write",           "RR-57")   \
    R(write_denied,             iba_rx_write_denied,       iba_rc_nak_access,      "is a WRITE without access to that range",                     "RR-41")   \
    R(read_denied,              read_denied,               iba_rc_nak_access,      "is a READ without access to that range",                      "RR-43")   \
    R(atomic_denied,            atomic_denied,             iba_rc_nak_access,      "is an ATOMIC without access to that range",                   "RR-45")   \
    R(flush_denied,             flush_denied,              iba_rc_nak_access,      "is a FLUSH without access to that range, or without that placement type", "RR-66") \
    R(atomic_write_denied,      atomic_write_denied,       iba_rc_nak_access,      "is an ATOMIC WRITE without access to that range",             "RR-67")   \
    R(page_absent,              page_absent,               iba_rc_rnr,             "accesses an absent page",                                     "RR-50")   \
    R(send_part,                send_part,                 iba_rc_send_part,       "is a SEND with more to come",                                 "RR-13")   \
    R(send_invalidate,          send_invalidate,           iba_rc_send_invalidate, "ends a SEND and invalidates a key",                           "RR-54")   \
    R(send_end,                 iba_rx_send,               iba_rc_send_end,        "ends a SEND",                                                 "RR-16")   \
    R(write_part,               write_part,                iba_rc_write_part,      "is a WRITE with more to come",                                "RR-13")   \
    R(write_notify,             write_notify,              iba_rc_write_notify,    "ends a WRITE and notifies",                                   "RR-53")   \
    R(write_end,                iba_rx_write,              iba_rc_write_end,       "ends a WRITE",                                                "RR-16")   \
    R(read,                     is_read,                   iba_rc_read,            "is a READ",                                                   "RR-17")   \
    R(swap,                     swap,                      iba_rc_swap,            "is a Compare and Swap",                                       "RR-48")   \
    R(add,                      is_atomic,                 iba_rc_add,             "is a Fetch and Add",                                          "RR-48")   \
    R(flush,                    is_flush,                  iba_rc_flush,           "is a FLUSH",                                                  "RR-66")   \
    R(atomic_write,             is_atomic_write,           iba_rc_atomic_write,    "is an ATOMIC WRITE",                                          "RR-67")
/* clang-format on */

IBA_RULE_TABLE(RC_RESPONDER_RULES, iba_rc_responder_rules, "RC responder")
