/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages as a capture shows them: the request packets of one work request, and the response that ends it. The
 * observer hands each message on when the message ends (iba_observer_config.message). */
#ifndef IBA_MESSAGE_H
#define IBA_MESSAGE_H
#include "wire/iba_opcode.h"
#include "wire/iba_psn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a message ended. UNASKED: the message's service has no responses. OPEN: no response came before the capture
 * ended, before the observer forgot the direction, or while it followed the message. */
enum iba_message_end {
    IBA_MESSAGE_END_ANSWERED,
    IBA_MESSAGE_END_REFUSED,
    IBA_MESSAGE_END_UNASKED,
    IBA_MESSAGE_END_OPEN,
    IBA_MESSAGE_ENDS
};

struct iba_message {
    uint32_t direction;               /* the requester's direction: the number that the caller gave it */
    uint8_t operation, end;           /* enum iba_operation, enum iba_message_end */
    bool whole;                       /* the capture has its first request packet */
    bool closed;                      /* the capture has its last request packet */
    iba_psn first, last;              /* the message's PSNs, as far as they are known */
    uint64_t first_frame, last_frame; /* of the message's request packets, as first sent */
    uint64_t answer_frame;            /* the response that ended it; 0: none */
    iba_time began, ended;            /* times of first_frame and answer_frame */
    uint64_t bytes;                   /* payload or DMA length */
    uint32_t again;                   /* number of the message's packets that were sent again */
};
const char *iba_message_end_name(enum iba_message_end e); /* "answered" */

#ifdef __cplusplus
}
#endif

#endif
