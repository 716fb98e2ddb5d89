/* Changed rows that make no other device, each with the reason: both orders of two rows that never apply together, and
 * rows whose work the next one does alike. Fields that may be anything stand with the fields (emit_rows.c). */
#include "mutant.h"
#include <string.h>

#define OTHER_OPERATION "the two rows are about different operations: no request meets both"
#define OTHER_SYNDROME "the two rows are about different syndromes: no response has both"
#define OTHER_QP "the two rows are about different types of QP: no packet meets both"
#define OWN_HANDLE "address handles are made for each send as it needs them: none is missing or another's"
#define NOTED_BOTH "both rows note something and let the packet go on: either order notes both"
#define ENDS "the first row wants more to come, the second comes with the last packet only"

static const struct {
    const char *spec, *why; /* spec without "mutant:" */
} equivalents[] = {
    {"header-validation.multicast_no_grh=drop", "a group is known by its GID: without GRH no member is found either"},
    {"header-validation.multicast_disagrees=swap",
     "a packet for QP 0xffffff with other addresses finds no member either"},
    {"header-validation.qkey_differs=swap", "a congestion notification has no Q_Key: no packet meets both rows"},
    {"header-validation.peer_armed=swap", NOTED_BOTH},
    {"header-validation.marked=swap", NOTED_BOTH},
    {"header-validation.rc_request=swap", OTHER_QP},
    {"RC-responder.first_in_rtr=swap", "an RNR NAK is only sent when the connection is established already"},
    {"RC-responder.gap=swap", "a PSN is ahead or behind, never both"},
    {"RC-responder.duplicate=swap",
     "a request that is behind and has a reserved opcode was dropped as malformed before"},
    {"RC-responder.no_depth=drop", "with no depth at all each such request is one too many, and is refused alike"},
    {"RC-responder.depth_exceeded=swap", OTHER_OPERATION},
    {"RC-responder.write_short=swap", OTHER_OPERATION},
    {"RC-responder.send_too_long=swap", OTHER_OPERATION},
    {"RC-responder.atomic_write_misaligned=swap", OTHER_OPERATION},
    {"RC-responder.receive_protected=swap", OTHER_OPERATION},
    {"RC-responder.atomic_write_denied=swap", "what is denied has no page to wait for: no request meets both rows"},
    {"RC-responder.page_absent=swap", OTHER_OPERATION},
    {"RC-responder.send_part=swap", ENDS},
    {"RC-responder.send_end=swap", OTHER_OPERATION},
    {"RC-responder.write_part=drop", "the next row that a WRITE meets stores and acknowledges alike"},
    {"RC-responder.write_part=swap", ENDS},
    {"RC-responder.write_end=swap", OTHER_OPERATION},
    {"RC-responder.read=swap", OTHER_OPERATION},
    {"RC-responder.add=swap", OTHER_OPERATION},
    {"RC-responder.flush=swap", OTHER_OPERATION},
    {"RC-requester.DUPLICATE=drop",
     "modulo 2^24 a PSN that is behind is also one that was never sent, and dropped alike"},
    {"RC-requester.NAK_KNOWN=other:1", "no NAK has credits to take: nothing is done either way"},
    {"RC-requester.ACK_FOR_ANSWER=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_SEQUENCE=swap", OTHER_SYNDROME},
    {"RC-requester.RNR=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_INVALID_REQUEST=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_REMOTE_ACCESS=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_REMOTE_OPERATION=swap", OTHER_SYNDROME},
    {"RC-requester.NAK_INVALID_RD=swap", OTHER_SYNDROME},
    {"RC-requester.ACK=swap", OTHER_SYNDROME},
    {"RC-requester.READ_DATA=swap", "a response is a READ Response or an ATOMIC Acknowledge, never both"},
    {"UC-receiver.nothing_to_go_on=swap", "where no message is under way there is nothing to abandon"},
    {"UC-receiver.other_operation=swap", "a packet begins a message or goes on with one, never both"},
    {"UC-receiver.unfinished_before=swap", "either way the message before is abandoned and the WRITE is dropped"},
    {"UC-receiver.dma_too_long=drop",
     "no region of the device has 2^31 bytes: the WRITE is denied in the same silence"},
    {"UC-receiver.receive_protected=swap", OTHER_OPERATION},
    {"UC-receiver.send_end=swap", OTHER_OPERATION},
    {"UD-receiver.receive_protected=swap", "a page is waited for only where the receive has a right to the buffer"},
    {"UD-receiver.raw=drop", "the next row delivers alike; what is raw shows in the packet"},
    {"posting.handle_exists=drop", OWN_HANDLE},
    {"posting.handle_domain=drop", OWN_HANDLE},
    {"posting.handle_port=drop", OWN_HANDLE},
    {"posting.multicast_grh=drop", "the handle for a group is made with a GRH, as it needs"},
};

const char *mutant_equivalent(const char *spec)
{
    for (size_t i = 0; i < sizeof equivalents / sizeof *equivalents; i++)
        if (strcmp(equivalents[i].spec, spec) == 0)
            return equivalents[i].why;
    return NULL;
}

const char *mutant_equivalent_at(size_t i)
{
    return i < sizeof equivalents / sizeof *equivalents ? equivalents[i].spec : NULL;
}
