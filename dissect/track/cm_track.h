/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections as the connection manager's messages tell of them: who, for what service, with which numbers, and how it
 * ended; and which connection a packet is of. Bounded: the connection begun longest ago makes room, and is counted. */
#ifndef DISSECT_CM_TRACK_H
#define DISSECT_CM_TRACK_H
#include "field/packet.h"
#include "track/addr.h"

enum { CM_CONNECTIONS = 4096, CM_PATHS = 2 };
enum cm_state { CM_REQUESTED, CM_REPLIED, CM_ESTABLISHED, CM_REJECTED, CM_RELEASING, CM_RELEASED, CM_STATES };

struct cm_end {
    uint8_t addr[16];          /* that the messages go to and come from */
    uint8_t gid[CM_PATHS][16]; /* of the primary and the alternate path, as in REQ; 0: none (MD-55) */
    uint16_t lid[CM_PATHS];
    bool known;       /* what stands below was told */
    uint16_t next_qp; /* end in the same bucket, see cm_track.c */
    uint32_t comm_id, qpn, psn;
    uint8_t reads;       /* READs and ATOMICs that it may have outstanding, as agreed */
    uint8_t rnr_retries; /* that it is to make */
    bool flow_control;   /* its receive queue counts credits */
};
struct cm_connection {
    bool outlived;   /* a later one has a QP of it */
    bool used, sidr; /* sidr: a service identifier resolved to a datagram QP; there is no connection */
    uint8_t kind;    /* enum iba_addr_kind, of both ends */
    uint8_t state;   /* enum cm_state */
    struct cm_end active, passive;
    uint64_t service_id;
    uint8_t upper;   /* enum iba_upper: as the caller makes of it */
    uint8_t service; /* as in REQ */
    uint8_t mtu_code, ack_timeout, retries, cm_timeout;
    uint8_t offered_reads;                /* REQ: that the passive end may have outstanding at most */
    uint8_t sl, traffic_class, hop_limit; /* of the path */
    uint16_t p_key;
    uint8_t mras;                                  /* messages that asked for more time */
    uint16_t again;                                /* messages sent again */
    uint16_t reason;                               /* of a REJ, or status of a SIDR_REP */
    uint64_t begin_frame, answer_frame, end_frame; /* 0: not seen */
    int64_t begin_ns, answer_ns;                   /* since the first packet */
    uint32_t begin_source;                         /* index of the file that begin_frame came from */
    uint16_t next;                                 /* in its bucket, plus 1 */
};
struct cm_track {
    struct cm_connection connection[CM_CONNECTIONS];
    uint16_t bucket[CM_CONNECTIONS], qp_bucket[CM_CONNECTIONS];
    uint64_t begun, forgotten, stray; /* stray: messages of no connection that is known */
    uint64_t reuses;                  /* it gives a QP that this one had, by its first frame; 0: none */
    uint32_t reuses_source;           /* index of the file that this frame came from */
    bool refused;                     /* by the message looked at last, and by none before it */
    uint16_t reason;
};

/* Looks at the packet if it is a message of the connection manager. The connection that it is of, if it is one that is
 * known; valid until the next call. */
struct cm_connection *cm_track_packet(struct cm_track *t, const struct packet *p);
/* The same where the packet's datagram has been parsed. */
struct cm_connection *cm_track_message(struct cm_track *t, const struct packet *p, const struct iba_mad *m);
/* The connection that a data packet is of while it lasts: from REP, or SIDR_REP, to DREP, REJ, or the next connection
 * of one of its QPs. `source`: the end that sent it, where its headers do not say; else NULL. NULL: nothing tells. */
const struct cm_connection *cm_track_of(const struct cm_track *t, const struct iba_view *v,
                                        const struct cm_end **source);
/* The connection, begun last, that goes from this QP (NULL: not known) to that one, be it over or not; `active`: from
 * its active end. */
const struct cm_connection *cm_track_find(const struct cm_track *t, uint8_t kind, const uint8_t *src,
                                          const uint32_t *src_qpn, const uint8_t *dst, uint32_t dst_qpn, bool *active);
/* The n-th that is kept, in the order they began; NULL behind the last. */
const struct cm_connection *cm_track_nth(const struct cm_track *t, size_t n);
const char *cm_state_name(enum cm_state s);
#endif
