/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests of a direction: how far they have come, which are answered, and why the requester goes back. Not for
 * users of libiba. */
#ifndef IBA_OBS_REQUESTS_H
#define IBA_OBS_REQUESTS_H
#include "observer/iba_obs_history.h"

enum {
    IBA_OBS_REASONS = 8, /* reasons to go back, for each direction, whose effect may still come */
    IBA_OBS_JUMP = 256,  /* PSNs: a packet that jumps so far ahead, and that no packet follows, was damaged or forged */
    IBA_OBS_UNSENT = 2   /* responses, for each direction, to PSNs that were not sent as far as the capture shows */
};

/* The kind of response that makes the requester go back. */
enum iba_obs_cause { IBA_CAUSE_NONE, IBA_CAUSE_NAK, IBA_CAUSE_RNR, IBA_CAUSE_IMPLIED };
/* The kind of message in progress, as the responder sees it. */
enum iba_obs_message { IBA_MESSAGE_UNKNOWN, IBA_MESSAGE_NONE, IBA_MESSAGE_SEND, IBA_MESSAGE_WRITE };

/* A response that makes the requester go back to a PSN. */
struct iba_obs_reason {
    uint8_t cause; /* enum iba_obs_cause */
    bool served;   /* the request with that PSN came again after the response */
    iba_psn psn;
    iba_time wait_ns;
    struct iba_obs_mark mark;
};
/* Responses to PSNs that were not sent yet, or that the capture lacks; frame 0: none. */
struct iba_obs_unsent {
    struct iba_obs_mark mark; /* the first of these responses */
    iba_psn psn, end;
    bool asks; /* the response is a NAK for `psn` */
};

/* Why a requester goes back. */
struct iba_obs_run {
    bool on;
    bool guess, asked; /* guess: only the next packet shows whether the requester went back; asked: the last response
                          asked for this packet */
    bool alone;        /* nothing in the capture asks for the packet: if no packet follows, it was late */
    bool shown;        /* a response in the capture asks for exactly this PSN */
    bool longer;       /* more packets than the first of the run have come */
    bool hurried; /* a NAK asks for this PSN, but the packet comes so soon that it may be late: only the packet with the
                     next PSN shows that it is not late */
    uint8_t kind; /* enum iba_finding_kind */
    struct iba_obs_mark mark;
    const struct iba_decision *decision; /* the row that chose this kind; NULL: none */
};

struct iba_obs_requests {
    uint32_t generation; /* number of the connection of this flow: `sent` may have entries of earlier connections */
    iba_psn first;       /* PSN of the first captured request */
    iba_psn high;        /* one past the highest PSN that was sent */
    iba_psn newest;      /* PSN of the packet sent last */
    iba_psn next;        /* one past `newest` */
    iba_psn
        misplaced; /* one past a packet that came out of order: the next packet shows whether the requester goes back */
    uint8_t misplaced_run; /* number of packets out of order, each directly after the previous one */
    uint8_t kept;          /* packets that were sent after a lost one, were acknowledged, and were not sent again */
    bool unproven;         /* packets after a lost one were not sent again, but are not acknowledged yet */
    iba_psn seq;           /* the PSN that the responder expects, as far as the capture shows */
    iba_psn una;           /* one past the highest PSN that was answered; valid when `answered` */
    bool any, answered, counts; /* counts: msn_lo and msn_hi are known */
    bool older;       /* responses answered requests from before `first`: the capture begins inside the connection */
    bool asked_first; /* the last NAK before the first captured request asked for that request */
    bool together;  /* two requests came within a round trip: the first requests were not all single retransmissions */
    bool miscounts; /* MSN_WRONG was reported: the responder counts wrongly */
    bool ahead; /* responses show that the requester had sent more than the capture has; no new request came since */
    uint8_t message;             /* enum iba_obs_message: the message in progress before `seq` */
    uint32_t dma_left, messages; /* messages: number of messages that ended before `seq` */
    uint32_t msn_lo, msn_hi;     /* AETH.MSN minus messages lies between these */
    struct iba_obs_read open;    /* the last READ, if it takes a number of PSNs that is not known yet: `used` is true */
    struct iba_obs_run run, interrupted; /* run: the current run; interrupted: the run before the pending packet */
    struct iba_obs_unsent unsent[IBA_OBS_UNSENT];
    struct { /* the last packet jumped far ahead: the values before that packet */
        bool on;
        iba_psn high, next, seq;
    } jump;
    struct { /* a packet that was sent again or is late: the next packet shows which; frame 0: none */
        struct iba_obs_mark mark;
        iba_psn psn;
        uint16_t ahead; /* PSNs that the packet jumps over if it was sent again */
        /* `reported`: the finding was reported before; lawful: LATE is not reported, as in iba_obs_undecided; missed:
         * iba_obs_misses_first(); paused: the requester sent nothing for a while before */
        bool reported, lawful, missed, paused;
    } undecided;
    /* pending: why the next request will go back; before: earlier reasons */
    struct iba_obs_reason pending, before[IBA_OBS_REASONS];
    struct { /* the last packet that asked for an answer */
        bool any;
        uint32_t again;
        iba_psn psn;
        iba_time pause; /* time between the last two transmissions of this packet */
        struct iba_obs_mark mark, last;
    } ask;
    uint32_t refused;     /* RNR NAKs in a row */
    iba_time rnr_wait_ns; /* wait that the responder's newest RNR NAK asked for; 0: no RNR NAK came */
    struct {              /* an adaptive timer, which runs out sooner than others */
        bool known;
        iba_psn psn;     /* the packet that this timer last sent again, or may have sent again */
        iba_time waited; /* 0: none */
    } hasty;
    struct { /* the packet that a timer has sent again, with nothing answered since */
        iba_psn psn;
        uint8_t n;
    } stuck;
    iba_psn kept_from;               /* valid when `unproven`: the first packet that was not sent again */
    struct {                         /* the limit of credits */
        bool limited, update;        /* update: the grant acknowledged nothing */
        uint32_t msn, limit, before; /* msn: of the last acknowledgement; limit: a message number; before: the limit
                                        before the last grant */
        struct iba_obs_mark grant;   /* the acknowledgement that raised the limit last; frame 0: none */
    } credit;
    struct iba_obs_mark fatal; /* frame 0: none */
    /* last: the last packet; repeat: the last one that was sent again; gap: the last one that jumped over others */
    struct iba_obs_mark last, repeat, gap;
    struct iba_obs_gap gaps[IBA_OBS_GAPS];
    struct iba_obs_mark copied; /* the last network copy */
    struct iba_obs_read read[IBA_OBS_READS];
    uint8_t next_before, next_gap;          /* entries of `before` and `gaps` to be written next */
    uint8_t next_read, n_read;              /* n_read: entries that were ever used; entries fill from the front */
    struct iba_obs_sent sent[IBA_OBS_SENT]; /* the entry of a request is at its PSN modulo IBA_OBS_SENT */
    /* a NAK that ends the connection, unless the requester goes back for an earlier answer */
    struct iba_obs_mark ignored_nak;
};

/* A response has answered this PSN, or a later one. */
static inline bool iba_obs_is_answered(const struct iba_obs_requests *q, iba_psn psn)
{
    return q->answered && iba_psn_diff(psn, q->una) < 0;
}
/* True when the request at this PSN is remembered. */
static inline bool iba_obs_has_request(const struct iba_obs_requests *q, iba_psn psn)
{
    const struct iba_obs_sent *e = &q->sent[psn.v % IBA_OBS_SENT];

    return e->mark.frame != 0 && e->generation == q->generation && iba_psn_eq(e->psn, psn);
}
/* The request remembered at this PSN, or NULL. */
static inline const struct iba_obs_sent *iba_obs_request_at(const struct iba_obs_requests *q, iba_psn psn)
{
    return iba_obs_has_request(q, psn) ? &q->sent[psn.v % IBA_OBS_SENT] : NULL;
}
#endif
