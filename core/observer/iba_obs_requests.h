/* SPDX-License-Identifier: BSD-2-Clause */
/* What a direction requests: how far it has come, what is answered, and why it goes back. Not for users of libiba. */
#ifndef IBA_OBS_REQUESTS_H
#define IBA_OBS_REQUESTS_H
#include "observer/iba_obs_history.h"

enum {
    IBA_OBS_REASONS = 8, /* to go back, of a direction, whose effect may still be on its way */
    IBA_OBS_LEAP = 256,  /* PSNs: a packet that jumps so far, and that no packet follows, was damaged or forged */
    IBA_OBS_UNSENT = 2   /* answers to PSNs that were not sent, as far as seen, of a direction */
};

/* What made the requester go back, or will make it. */
enum iba_obs_cause { IBA_CAUSE_NONE, IBA_CAUSE_NAK, IBA_CAUSE_RNR, IBA_CAUSE_IMPLIED };
/* Where a message is, as the responder sees it. */
enum iba_obs_message { IBA_MESSAGE_UNKNOWN, IBA_MESSAGE_NONE, IBA_MESSAGE_SEND, IBA_MESSAGE_WRITE };

/* A response that makes the requester go back to a PSN. */
struct iba_obs_reason {
    uint8_t cause; /* enum iba_obs_cause */
    bool served;   /* that PSN came again since */
    iba_psn psn;
    iba_time wait_ns;
    struct iba_obs_mark mark;
};
/* Answers to PSNs that were not sent yet, or not seen; frame 0: none. */
struct iba_obs_unsent {
    struct iba_obs_mark mark; /* of the first */
    iba_psn psn, end;
    bool asks; /* a NAK: for that PSN */
};

struct iba_obs_requests {
    uint32_t generation; /* number of this beginning: older entries of `sent` belong to another */
    iba_psn first;       /* of the capture */
    iba_psn high;        /* one past the highest PSN that was sent */
    iba_psn next;        /* one past the packet sent last */
    iba_psn stray;       /* one past a packet that came again out of place: the next one shows whether they go back */
    uint8_t strays;      /* how many of them, each directly after the one before */
    uint8_t kept;        /* packets after a lost one that were acknowledged, and not sent again */
    bool unproven;       /* they were not sent again, but nothing has acknowledged them yet */
    iba_psn seq;         /* the PSN that the responder expects, as far as the capture shows */
    iba_psn una;         /* one past the highest that was answered; valid when answered */
    bool any, answered, counts;  /* counts: msn_lo and msn_hi are known */
    bool older;                  /* requests before the first were answered: the capture begins in the middle */
    bool miscounts;              /* its messages were counted wrongly */
    bool ahead;                  /* answers show that it had sent more than the capture has; nothing new came since */
    uint8_t message;             /* enum iba_obs_message, before seq */
    uint32_t dma_left, messages; /* messages that ended before seq */
    uint32_t msn_lo, msn_hi;     /* AETH.MSN minus messages lies between these */
    struct iba_obs_read open;    /* used: the last READ takes a number of PSNs that is not known */
    struct {                     /* why requests go back now */
        bool on;
        bool guess, asked; /* only the next packet will show whether they went back; the last response asked for it */
        bool alone;        /* nothing in the capture asks for it: if no packet follows, it was late */
        bool shown;        /* a response in the capture asks for exactly this PSN */
        uint8_t kind;      /* enum iba_finding_kind */
        struct iba_obs_mark mark;
        const struct iba_decision *decision; /* that gave this kind; NULL: none */
    } run;
    struct iba_obs_unsent unsent[IBA_OBS_UNSENT];
    struct { /* the last packet jumped far ahead: the state before it */
        bool on;
        iba_psn high, next, seq;
    } leap;
    struct { /* a packet that came again, or late: the next packet will show which; frame 0: none */
        struct iba_obs_mark mark;
        iba_psn psn;
        uint16_t ahead;    /* PSNs it jumps over if it is sent again */
        bool told, lawful; /* lawful: as of a response that is held */
    } doubt;
    struct iba_obs_reason pending, before[IBA_OBS_REASONS]; /* why the next one will go back; earlier reasons */
    uint8_t next_before;
    struct { /* the last packet that asked for an answer */
        bool any;
        uint32_t again;
        iba_psn psn;
        iba_time pause; /* between the last two tries */
        struct iba_obs_mark mark, last;
    } ask;
    uint32_t refused; /* RNR NAKs in a row */
    struct {          /* a timer that runs out sooner than others do */
        bool known;
        iba_psn psn;     /* the packet that it sent again last, or may have */
        iba_time waited; /* 0: none */
    } hasty;
    struct { /* what a timer has sent again, with nothing answered since */
        iba_psn psn;
        uint8_t n;
    } stuck;
    iba_psn kept_from;               /* with unproven: the first of those that were kept */
    struct {                         /* how far the responder lets it go */
        bool limited, update;        /* update: the grant acknowledged nothing */
        uint32_t msn, limit, before; /* of the last acknowledgement; message number; before the last grant */
        struct iba_obs_mark grant;   /* that raised it last; frame 0: none */
    } credit;
    struct iba_obs_mark fatal;             /* frame 0: none */
    struct iba_obs_mark last, repeat, gap; /* packet; packet that was sent again; packet that jumped over others */
    struct iba_obs_gap gaps[IBA_OBS_GAPS];
    uint8_t next_gap;
    struct iba_obs_mark copied; /* by the network */
    struct iba_obs_read read[IBA_OBS_READS];
    uint8_t next_read, n_read;              /* n_read: entries that were ever used; they fill from the front */
    struct iba_obs_sent sent[IBA_OBS_SENT]; /* by PSN, modulo */
    struct iba_obs_mark unheeded; /* a NAK that ends the connection if nothing comes back for the answer before it */
};

/* Whether the request at this PSN is remembered. */
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
