/* SPDX-License-Identifier: BSD-2-Clause */
/* What the observer remembers of packets that have passed: the newest of a direction, its requests by PSN, its READs
 * and ATOMICs, and its gaps. Not for users of libiba. */
#ifndef IBA_OBS_HISTORY_H
#define IBA_OBS_HISTORY_H
#include "observer/iba_observer.h"

enum {
    IBA_OBS_SENT = IBA_OBSERVER_WINDOW, /* requests of a direction whose content is remembered */
    IBA_OBS_RECENT = 64,                /* packets of a direction among which copies are looked for */
    IBA_OBS_GAPS = 8,                   /* gaps of a direction whose packets may only be late */
    IBA_OBS_READS = 32                  /* READs and ATOMICs of a direction that wait for their answers */
};

/* One of the newest packets of a direction. */
struct iba_obs_recent {
    uint64_t hash, number; /* number: among all packets that were fed */
    struct iba_obs_mark mark;
    uint32_t source;
    iba_psn psn;
    uint16_t ip_id;
    bool request, refuses, late; /* refuses: a NAK of any kind; late: it was reported as LATE */
};
/* A request packet. */
struct iba_obs_sent {
    struct iba_obs_mark mark;  /* of its latest copy; frame 0: nothing remembered */
    uint16_t request, content; /* bits of hashes of what a retransmission repeats (RQ-06): headers and length; all */
    uint32_t messages;         /* messages that end before this PSN; valid when counted */
    iba_psn psn;
    uint32_t generation; /* of the requests when this was written; with another generation the entry is void */
    uint8_t opcode;
    bool counted, again; /* again: it was sent more than once */
    bool acked;          /* by an ACK with exactly this PSN */
    bool cut;            /* the capture lacks a part of it: it is not compared with what comes again */
};
/* A READ or ATOMIC, and its run of responses. */
struct iba_obs_read {
    struct iba_obs_mark mark;
    iba_psn psn, expect; /* of the request as last sent; of the next response */
    iba_psn seen;        /* one past the highest response */
    uint32_t n, length;  /* responses, bytes: as last sent. n 0: not known, since the path MTU is not known */
    uint8_t opcode;
    bool used, again;       /* again: it was sent more than once, so responses of several runs may mix */
    bool fresh;             /* it began at another PSN before: a First or Only here answers the latest request */
    bool told, told_before; /* its missing answer is reported: as it was sent last; before that */
};
/* PSNs that a packet jumped over. */
struct iba_obs_gap {
    iba_time at; /* time of the jump */
    iba_psn psn;
    uint16_t n, done; /* n 0: none. Responses: those before `done` came with another run, too */
};
#endif
