/* SPDX-License-Identifier: BSD-2-Clause */
/* Changed rows that no scenario fails, each with the reason. Some changes have no effect: two swapped rows never
 * apply together, or the next row has the same effect. Others make a device that the rules allow as well as ours,
 * since public sources differ or say nothing. A few are faults that the tests cannot show. Fields that may have any
 * value are listed with the fields (emit_rows.c). docs/tables/survivors.md explains numbers such as (a12) and (c4). */
#include "mutant.h"
#include <string.h>

#define OTHER_OPERATION "the two rows are about different operations: no request meets both"
#define OTHER_SYNDROME "the two rows are about different syndromes: no response has both"
#define OTHER_QP "the two rows are about different types of QP: no packet meets both"
#define NOTED_BOTH "both rows count something and continue with the packet: either order counts both"
#define ENDS "the first row is for packets with more to come, the second for the last packet"
#define EITHER_END "public sources differ on the effect of a WRITE whose notification is lost"
#define WORD_OR_SILENCE "public sources differ on a repeated READ whose region has gone: a NAK or nothing"
#define UNDER_WAY "a packet inside a message is not the first one of its queue pair: no packet meets both rows (a12)"
#define FIRST_CONTACT "public sources differ on whether a packet that is refused or dropped is the first contact (a12)"
#define WHICH_EVENT "public sources differ on the event of a request whose length, address or number does not fit (a1)"
#define WIDE_PSN "drivers take the low 24 bits (n1)"
#define SHARED_KEPT "two implementations keep the shared receive of an interrupted message for the next one (c4)"
#define OPEN_OPCODE "public sources differ on reserved opcodes: a NAK or nothing"

struct reason {
    const char *spec, *why; /* spec without "mutant:" */
};
static const struct reason equivalents[] = {
    {"fabric.flow.link_is_down=drop",
     "a link that comes up begins with no credits: those that came while it was down are forgotten (d1)"},
    {"fabric.flow.no_credits=drop", "a port that needs no credits does not look at those it was given (d1)"},
    {"fabric.flow.no_lane=drop", "a lane that the port does not have sends nothing, whatever its credits (d1)"},
    {"fabric.directed.no_datagram=drop", "only whole datagrams of the class come to this table (d1)"},
    {"header-validation.multicast_no_grh=drop", "a group is known by its GID: without GRH no member is found either"},
    {"header-validation.multicast_disagrees=swap",
     "a packet for QP 0xffffff with other addresses finds no member either"},
    {"header-validation.qkey_differs=swap", "a congestion notification has no Q_Key: no packet meets both rows"},
    {"header-validation.peer_armed=swap", NOTED_BOTH},
    {"header-validation.marked=swap", NOTED_BOTH},
    {"header-validation.rc_request=swap", OTHER_QP},
    {"RC-responder.other_operation=swap", UNDER_WAY},
    {"RC-responder.gap=swap", "a PSN is after a gap or a duplicate, never both"},
    {"RC-responder.duplicate=swap", "a duplicate is not the request that is expected and was refused"},
    {"RC-responder.depth_exceeded=swap", OTHER_OPERATION},
    {"RC-responder.write_short=swap", OTHER_OPERATION},
    {"RC-responder.send_too_long=swap", OTHER_OPERATION},
    {"RC-responder.atomic_write_misaligned=swap", OTHER_OPERATION},
    {"RC-responder.receive_protected=swap", OTHER_OPERATION},
    {"RC-responder.atomic_write_denied=swap", "a denied request does not wait for a page: no request meets both rows"},
    {"RC-responder.page_absent=swap", OTHER_OPERATION},
    {"RC-responder.send_part=swap", ENDS},
    {"RC-responder.send_end=swap", OTHER_OPERATION},
    {"RC-responder.write_part=drop", "the next row that a WRITE meets stores and acknowledges alike"},
    {"RC-responder.write_part=swap", ENDS},
    {"RC-responder.write_end=swap", OTHER_OPERATION},
    {"RC-responder.read=swap", OTHER_OPERATION},
    {"RC-responder.add=swap", OTHER_OPERATION},
    {"RC-responder.flush=swap", OTHER_OPERATION},
    {"RC-requester.RD_OTHER_SENDER=other",
     "EE contexts have no credits: the response does nothing in either case (d2)"},
    {"RC-requester.DUPLICATE=drop", "modulo 2^24 an old PSN is also one that was never sent, and both are dropped"},
    {"RC-requester.NAK_KNOWN=other:1", "a NAK has no credits: the requester does nothing in either case"},
    {"RC-requester.ACK_FOR_ANSWER=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_SEQUENCE=swap", OTHER_SYNDROME},
    {"RC-requester.RNR=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_INVALID_REQUEST=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_REMOTE_ACCESS=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_REMOTE_OPERATION=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_INVALID_RD=swap", OTHER_SYNDROME},
    {"RC-requester.ACK=swap", OTHER_SYNDROME},
    {"RC-requester.READ_DATA=swap", "a response is a READ Response or an ATOMIC Acknowledge, never both"},
    {"UC-receiver.nothing_to_go_on=swap", "outside a message there is nothing to abandon"},
    {"UC-receiver.nothing_to_go_on=other", "outside a message there is nothing to abandon"},
    {"UC-receiver.send_without_wqe=other:1",
     "a receive can be missing only when a message begins, and then the message before was abandoned already"},
    {"UC-receiver.dma_too_long=other:1",
     "a DMA length comes only when a message begins, and then the message before was abandoned already"},
    {"UC-receiver.other_operation=swap", "a packet begins a message or continues one, never both"},
    {"UC-receiver.unfinished_before=swap", UNDER_WAY},
    {"UC-receiver.receive_protected=swap", OTHER_OPERATION},
    {"UC-receiver.send_end=swap", OTHER_OPERATION},
    {"UD-receiver.receive_protected=swap", "a responder waits for a page only if the receive may write to the buffer"},
    {"UD-receiver.raw=drop", "the next row delivers the same way; the packet itself shows that it is raw"},
    {"memory.INVALIDATE_WINDOW_PD=drop",
     "only the queue pair that bound the window passes the check before, and it has the window's protection domain"},
};
/* A device could show these faults, but the reference engine or the language of scenarios cannot. */
static const struct reason not_tested[] = {
    {"UC-receiver.dma_too_long=drop",
     "no region of the reference has 2^31 bytes: the WRITE is dropped for its key, also without a response"},
    {"objects.QPN_ORDINARY=drop", "no verb chooses the number of a queue pair, and the engine picks no reserved one "
                                  "by itself"},
};
static const struct reason allowed[] = {
    {"header-validation.split_word=drop", "WF-31 is about senders: no source asks a receiver to check it (n6)"},
    {"RC-responder.malformed_again=drop", "two public engines check only the PSN of a duplicate"},
    {"RC-responder.answer_waits=drop", "no rule forbids to answer a duplicate twice"},
    {"RC-responder.no_room_again=drop", "a duplicate of a remembered request may be answered or not"},
    {"RC-responder.read_gone=drop", WORD_OR_SILENCE},
    {"RC-responder.read_gone=swap", WORD_OR_SILENCE},
    {"RC-responder.reserved=drop", OPEN_OPCODE},
    {"RC-responder.reserved=other:2", OPEN_OPCODE},
    {"RC-responder.first_in_rtr=swap", FIRST_CONTACT},
    {"RC-responder.atomic_write_not_enabled=swap", WHICH_EVENT},
    {"RC-responder.depth_exceeded=other:1", WHICH_EVENT},
    {"RC-responder.receive_absent=swap",
     "the order of the two checks is open: a responder may refuse a wrong length before it touches the receive buffer"},
    {"RC-responder.RNR_AT_ONCE=other",
     "a requester has to wait (RQ-28): three responders drop requests that come earlier (a6)"},
    {"RC-responder.CNP_FOR_MARKS=other",
     "RO-43 forbids no notification where nothing was marked, and hardware sends it (c9)"},
    {"RC-responder.CREDITS_AGREED=drop", "public sources differ on credit codes where no flow control was agreed on"},
    {"RC-responder.AGAIN_ACKED=other", "public sources differ on the PSN that acknowledges a duplicate"},
    {"RC-requester.ACK_FOR_ANSWER=other:2",
     "a plain ACK does not complete a READ: whether it makes the retry earlier is open"},
    {"requester.resend_rest=other",
     "three requesters send the oldest packet alone, and the rest when it is answered (a5)"},
    {"posting.sge_count=drop", "some hardware executes an ATOMIC with two buffers (c7); one with another length may "
                               "fail later, when it is executed (a4)"},
    {"queues.RECV_RESET=drop", "many drivers take a receive in Reset (c1)"},
    {"posting.post_before_rts=drop", "many drivers take a send before Ready to Send, and do it then or flush it (c1)"},
    {"queues.ARM_LOST=drop", "no source says what arming an overflowed queue does, and drivers arm it (n7)"},
    {"RC-responder.reserved=swap",
     "no public source orders the refusals of a reserved opcode that is for no RD QP (d2)"},
    {"RC-requester.READ_OUT_OF_ORDER=swap", "public sources differ on the fault that counts when a response has both"},
    {"receivers.WRITE_WHOLE=other", "a WRITE may be checked as a whole or by packets"},
    {"UC-receiver.first_in_rtr=swap", FIRST_CONTACT},
    {"UC-receiver.unfinished_before=drop", SHARED_KEPT},
    {"receivers.UC_SRQ_FAILS=drop", SHARED_KEPT},
    {"UC-receiver.write_unnoticed=other", EITHER_END},
    {"UC-receiver.write_unnoticed=other:1", EITHER_END},
    {"memory.REGION_WRAPS=drop", "drivers register a region that ends beyond 2^64 (n5); no access may get there"},
    {"memory.BIND_NEW_BYTE=drop", "other suites bind a window again with the same key byte, and expect success (a7)"},
    {"attribute-values.ACCESS=drop", "many programs also give a queue pair rights of regions (n2)"},
    {"attribute-values.RQ_PSN=drop", WIDE_PSN},
    {"attribute-values.SQ_PSN=drop", WIDE_PSN},
    {"attribute-values.DEST_QPN=drop", "drivers check only that the number has 24 bits (n3)"},
    {"attribute-values.AV_FLOW_LABEL=drop",
     "drivers do not check a flow label, and a packet has room for 20 bits (n4)"},
    {"memory.WINDOW_OF_DEAD_QP=drop", "no rule says when a window of a queue pair that went may be bound again"},
    {"memory.INVALIDATE_VALID=drop", "public sources differ on invalidating a region that is invalid already"},
    {"transitions.RESET_TO_ERR=drop", "public sources differ on the transition from Reset to Error"},
};

static const char *reason(const struct reason *r, size_t n, const char *spec)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(r[i].spec, spec) == 0)
            return r[i].why;
    return NULL;
}

const char *mutant_equivalent(const char *spec)
{
    return reason(equivalents, sizeof equivalents / sizeof *equivalents, spec);
}

const char *mutant_equivalent_at(size_t i)
{
    return i < sizeof equivalents / sizeof *equivalents ? equivalents[i].spec : NULL;
}

const char *mutant_not_tested(const char *spec)
{
    return reason(not_tested, sizeof not_tested / sizeof *not_tested, spec);
}

const char *mutant_not_tested_at(size_t i)
{
    return i < sizeof not_tested / sizeof *not_tested ? not_tested[i].spec : NULL;
}

const char *mutant_allowed(const char *spec)
{
    return reason(allowed, sizeof allowed / sizeof *allowed, spec);
}

const char *mutant_allowed_at(size_t i)
{
    return i < sizeof allowed / sizeof *allowed ? allowed[i].spec : NULL;
}
