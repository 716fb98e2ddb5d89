/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer's memory of past packets: the newest packets of a direction, its requests by PSN, its READs and ATOMICs,
 * and its gaps. Not for users of libiba. */
#ifndef IBA_OBS_HISTORY_H
#define IBA_OBS_HISTORY_H
#include "observer/iba_observer.h"

enum {
    IBA_OBS_SENT = IBA_OBSERVER_WINDOW, /* requests of a direction whose content the observer remembers */
    IBA_OBS_RECENT = 64,                /* newest packets of a direction, among which the observer looks for copies */
    IBA_OBS_GAPS = 8,                   /* gaps of a direction whose packets may still come late */
    IBA_OBS_READS = 32                  /* READs and ATOMICs of a direction that wait for their responses */
};

/* One of the newest packets of a direction. */
struct iba_obs_recent {
    uint64_t hash, number; /* number: position among all packets of the observer */
    struct iba_obs_mark mark;
    uint32_t source;
    iba_psn psn;
    uint16_t ip_id;
    /* data: a response to a READ or ATOMIC; refuses: a NAK of any kind; late: it was reported as LATE */
    bool request, data, refuses, late;
};
/* A request packet. */
struct iba_obs_sent {
    struct iba_obs_mark mark;  /* the newest transmission; frame 0: this entry is unused */
    uint16_t request, content; /* bits of two hashes of the fields that a retransmission repeats (RQ-06): request:
                                  headers and length; content: all bytes */
    uint32_t messages;         /* number of messages that end before this PSN; valid when `counted` */
    iba_psn psn;
    /* the generation of the requests at the time of writing; an entry of another generation is void */
    uint32_t generation;
    uint8_t opcode;
    bool counted, again; /* again: it was sent more than once */
    bool acked;          /* an ACK has exactly this PSN */
    bool cut;            /* the capture lacks a part of the packet, so retransmissions are not compared with it */
};
/* A READ or ATOMIC, and its run of responses. */
struct iba_obs_read {
    struct iba_obs_mark mark;
    iba_psn psn, expect; /* PSNs; psn: of the newest transmission of the request; expect: of the next response */
    iba_psn seen;        /* one past the highest response */
    uint32_t n, length; /* number of responses; bytes: as the newest transmission asks. n 0: unknown, since the path MTU
                           is unknown */
    uint8_t opcode;
    bool used, again; /* again: the request was sent more than once, so responses of several runs may mix */
    bool fresh; /* the newest transmission begins at another PSN, so a First or Only at that PSN answers the newest
                   transmission */
    bool reported, reported_before; /* ANSWER_MISSING is reported: for the newest transmission; for an earlier one */
};
/* PSNs that a packet jumped over. */
struct iba_obs_gap {
    iba_time at; /* time of the jump */
    iba_psn psn;
    uint16_t n, done; /* n: number of PSNs, 0: no gap. done: for responses, number of PSNs from `psn` on that did come,
                         in another run */
};
#endif
