/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections as messages of the connection manager show them: their ends, service, numbers and outcome; and the
 * connection of each packet. The number is bounded: a new connection replaces the one begun longest ago, which is
 * counted as forgotten. */
#ifndef DISSECT_CM_TRACK_H
#define DISSECT_CM_TRACK_H
#include "cm/iba_cm.h"
#include "field/bound.h"
#include "field/packet.h"
#include "track/addr.h"

enum { CM_CONNECTIONS = BOUND(4096, 8), CM_PATHS = 2 };
enum {
    CM_KEYS = 1 + 2 * CM_PATHS, /* addresses of an end: that of its messages, and the GIDs and LIDs of its paths */
    CM_BUCKETS = BOUND(16384, 32),
    CM_HINTS = BOUND(8192, 32),
    CM_SAME = 8, /* most ends of one address and QP that are found: the newest ones */
};
enum cm_state { CM_REQUESTED, CM_REPLIED, CM_ESTABLISHED, CM_REJECTED, CM_RELEASING, CM_RELEASED, CM_STATES };

/* The messages whose number and times are kept; SIDR_REQ and SIDR_REP count as REQ and REP. */
enum cm_kept { CM_KEPT_REQ, CM_KEPT_REP, CM_KEPT_RTU, CM_KEPT_DREQ, CM_KEPT_DREP, CM_KEPT_COUNT };
struct cm_sent {
    uint16_t n;                /* 65535: that many or more */
    int64_t first_ns, last_ns; /* since the first packet of the run; valid if n > 0 */
};

/* A message that is repeated until an answer comes, as its first transmission showed it. */
struct cm_asked {
    uint16_t attribute;   /* 0: there is no message */
    uint16_t n;           /* transmissions; 65535: that many or more */
    uint32_t digest, psn; /* digest: of the content without the transaction ID; psn: of the last transmission */
    uint64_t tid, frame;  /* frame: of the last transmission */
    uint32_t source;      /* index of the file that the frame came from */
    int64_t ns;           /* since the first packet of the run */
    bool timed;           /* the message has a time */
    bool answered, mixed; /* mixed: it was sent under several transaction IDs */
    uint32_t id;          /* the sender's communication ID */
};
/* CM_ASKED_FIRST: REQ, REP or SIDR_REQ. CM_ASKED_LATER: the last LAP or DREQ. */
enum { CM_ASKED_FIRST, CM_ASKED_LATER, CM_ASKED_COUNT };

struct cm_end {
    struct cm_asked asked[CM_ASKED_COUNT];
    uint8_t addr[16];          /* the source and destination of the messages */
    uint8_t gid[CM_PATHS][16]; /* of the primary and the alternate path, as in REQ; 0: none (MD-55) */
    uint16_t lid[CM_PATHS];
    bool known; /* the members below are known */
    struct {
        uint16_t bucket, next; /* the end's bucket, and the next link in that bucket, each plus 1; 0: none */
    } key[CM_KEYS];
    uint32_t comm_id, qpn, psn;
    uint8_t reads;       /* READs and ATOMICs that the end may have outstanding, as agreed */
    uint8_t rnr_retries; /* RNR retries that the end must make */
    bool flow_control;   /* the end's receive queue counts credits */
};
struct cm_connection {
    bool outlived;   /* a later connection has a QP of this one */
    bool used, sidr; /* sidr: a service identifier resolved to a datagram QP; there is no connection */
    uint8_t kind;    /* enum iba_addr_kind, of both ends */
    uint8_t state;   /* enum cm_state */
    struct cm_end active, passive;
    uint64_t service_id;
    uint8_t upper;             /* enum iba_upper: set by the caller */
    uint8_t service, extended; /* as in REQ: transport service, extended transport */
    uint8_t mtu_code, ack_timeout, retries, cm_timeout;
    uint8_t cm_retries; /* retries that REQ allows for each message of the connection manager (Max CM Retries) */
    struct cm_sent sent[CM_KEPT_COUNT];
    uint8_t more_time;       /* code of the time that the passive end's last MRA asked for */
    bool asked;              /* the passive end sent an MRA */
    bool refused;            /* by a REJ, or a SIDR_REP with another status than 0; `reason` is the first one's */
    bool refused_by_active;  /* the active end sent the REJ */
    bool released_by_active; /* the active end sent the first DREQ */
    uint8_t offered_reads;   /* REQ: the maximum that the passive end may have outstanding */
    uint8_t wanted_reads;    /* REQ: the maximum that the active end wants to have outstanding */
    uint8_t sl, traffic_class, hop_limit; /* of the path */
    uint16_t p_key;
    uint8_t mras;                                  /* messages that asked for more time */
    uint16_t again;                                /* messages sent again */
    uint16_t reason;                               /* reason of a REJ, or status of a SIDR_REP */
    uint64_t begin_frame, answer_frame, end_frame; /* 0: not seen */
    int64_t begin_ns, answer_ns, end_ns;           /* since the first packet */
    uint32_t begin_source;                         /* index of the file that begin_frame came from */
    uint16_t next;                                 /* the next connection in its bucket, plus 1 */
};
static inline bool cm_is_xrc(const struct cm_connection *c)
{
    return c->service == IBA_CM_EXTENDED && c->extended == IBA_CM_EXT_XRC;
}
struct cm_track {
    struct cm_connection connection[CM_CONNECTIONS];
    uint16_t bucket[CM_CONNECTIONS], qp_bucket[CM_BUCKETS];
    uint16_t hint[CM_HINTS];            /* see cm_rules.c */
    uint64_t begun, forgotten, unknown; /* unknown: messages of unknown connections */
    uint64_t reuses;                    /* first frame of the connection that had the QP before; 0: there is none */
    uint32_t reuses_source;             /* index of the file that this frame came from */
    /* called before a connection is forgotten; NULL: nothing is called */
    void (*ending)(void *ctx, const struct cm_connection *c);
    void *ctx;
    bool refused; /* the message processed last is the first that refused its connection */
    uint16_t reason;
    uint8_t n_said; /* number of findings on the message processed last, about its sender */
    struct iba_cm_said said[MAD_SAID_MOST];
};

/* Processes the packet if it is a message of the connection manager. Returns its connection if that is known; valid
 * until the next call. */
struct cm_connection *cm_track_packet(struct cm_track *t, const struct packet *p);
/* Processes a datagram that is already parsed, as cm_track_packet() does. */
struct cm_connection *cm_track_message(struct cm_track *t, const struct packet *p, const struct iba_mad *m);
/* The connection of a data packet. A connection lasts from REP, or SIDR_REP, to DREP, REJ, or the next connection of
 * one of its QPs. `source`: the end that sent the packet, if the packet's headers do not show it; else NULL. NULL:
 * unknown. */
const struct cm_connection *cm_track_of(const struct cm_track *t, const struct iba_view *v,
                                        const struct cm_end **source);
/* The most recent connection from this QP (NULL: not known) to that QP, ended or not; `active`: whether packets in this
 * direction come from its active end. */
const struct cm_connection *cm_track_find(const struct cm_track *t, uint8_t kind, const uint8_t *src,
                                          const uint32_t *src_qpn, const uint8_t *dst, uint32_t dst_qpn, bool *active);
/* The n-th connection that is kept, in the order in which they began; NULL after the last. */
const struct cm_connection *cm_track_nth(const struct cm_track *t, size_t n);
const char *cm_state_name(enum cm_state s);
static inline bool cm_was_sent(const struct cm_connection *c, enum cm_kept k)
{
    return c->sent[k].n > 0;
}
#endif
