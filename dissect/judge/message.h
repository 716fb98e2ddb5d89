/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages as the capture shows them: the packets of a SEND, WRITE, READ or ATOMIC, and when it was answered. Bounded:
 * for each direction MESSAGES_OPEN that wait for their response; if there are more, the oldest ends as open. */
#ifndef DISSECT_MESSAGE_H
#define DISSECT_MESSAGE_H
#include "judge/judge.h"

enum { MESSAGES_OPEN = BOUND(128, 8) };

enum message_kind {
    MESSAGE_SEND,
    MESSAGE_WRITE,
    MESSAGE_READ,
    MESSAGE_ATOMIC,
    MESSAGE_FLUSH,
    MESSAGE_ATOMIC_WRITE,
    MESSAGE_KINDS
};
/* How it ended. UNASKED: of a service without responses. OPEN: no response before the capture or the connection ended,
 * or too many were open. */
enum message_end { MESSAGE_ANSWERED, MESSAGE_REFUSED, MESSAGE_UNASKED, MESSAGE_OPEN, MESSAGE_ENDS };

struct message {
    const struct direction *direction; /* of the requester */
    uint8_t kind, end;                 /* enum message_kind, enum message_end */
    bool whole;                        /* its first and its last request packet were seen */
    bool closed;                       /* its last request packet was */
    iba_psn first, last;               /* PSNs it takes, as far as they are known */
    uint64_t first_frame, last_frame;  /* of its request packets, as first sent */
    uint64_t answer_frame;             /* that ended it; 0: none */
    iba_time began, ended;             /* of first_frame and answer_frame */
    uint64_t bytes;                    /* payload or DMA length */
    uint32_t again;                    /* packets of it that were sent again */
};
const char *message_kind_name(enum message_kind k); /* "SEND" */
const char *message_end_name(enum message_end e);   /* "answered" */

/* Called with every message when it ends; borrowed for the call. */
typedef void message_done(void *ctx, const struct message *m);

struct messages;
struct message_packet {
    const struct iba_view *view;
    const struct verdict *verdict;
    const struct direction *peer; /* whose requests a response answers; NULL: not known */
    uint32_t slot, peer_slot;     /* below the number given to messages_open() */
    uint64_t frame;
    iba_time now;
};
/* NULL when out of memory. Owned: messages_close(). */
struct messages *messages_open(size_t slots, message_done *done, void *ctx);
/* A packet of a connection, undamaged and no copy. If a slot has another direction than before, its state is
 * cleared. */
void messages_packet(struct messages *s, const struct message_packet *p);
void messages_end(struct messages *s);
/* NULL is allowed. */
void messages_close(struct messages *s);
#endif
