/* Connections as the connection manager's messages tell of them: who, for what service, with which numbers, and how it
 * ended. Bounded: the connection begun longest ago makes room, and is counted. */
#ifndef DISSECT_CM_TRACK_H
#define DISSECT_CM_TRACK_H
#include "field/packet.h"
#include "stats/addr.h"

enum { CM_CONNECTIONS = 4096 };
enum cm_state { CM_REQUESTED, CM_REPLIED, CM_ESTABLISHED, CM_REJECTED, CM_RELEASING, CM_RELEASED, CM_STATES };

struct cm_end {
    uint8_t addr[16];
    bool known; /* what stands below was told */
    uint32_t comm_id, qpn, psn;
    uint8_t reads;       /* READs and ATOMICs that it may have outstanding, as agreed */
    uint8_t rnr_retries; /* that it is to make */
    bool flow_control;   /* its receive queue counts credits */
};
struct cm_connection {
    bool used, sidr; /* sidr: a service identifier resolved to a datagram QP; there is no connection */
    uint8_t kind;    /* enum stat_addr_kind, of both ends */
    uint8_t state;   /* enum cm_state */
    struct cm_end active, passive;
    uint64_t service_id;
    uint8_t service; /* as in REQ */
    uint8_t mtu_code, ack_timeout, retries, cm_timeout;
    uint8_t mras;                                  /* messages that asked for more time */
    uint16_t again;                                /* messages sent again */
    uint16_t reason;                               /* of a REJ, or status of a SIDR_REP */
    uint64_t begin_frame, answer_frame, end_frame; /* 0: not seen */
    int64_t begin_ns, answer_ns;                   /* since the first packet */
    uint16_t next;                                 /* in its bucket, plus 1 */
};
struct cm_track {
    struct cm_connection connection[CM_CONNECTIONS];
    uint16_t bucket[CM_CONNECTIONS];
    uint64_t begun, forgotten, stray; /* stray: messages of no connection that is known */
};

/* Looks at the packet if it is a message of the connection manager. */
void cm_track_packet(struct cm_track *t, const struct packet *p);
/* The connection, begun last, that goes from this QP (NULL: not known) to that one; `active`: from its active end. */
const struct cm_connection *cm_track_find(const struct cm_track *t, uint8_t kind, const uint8_t *src,
                                          const uint32_t *src_qpn, const uint8_t *dst, uint32_t dst_qpn, bool *active);
/* The n-th that is kept, in the order they began; NULL behind the last. */
const struct cm_connection *cm_track_nth(const struct cm_track *t, size_t n);
const char *cm_state_name(enum cm_state s);
/* Whose the service is, as its identifier tells: "NVMe/RDMA", "TCP port 7174"; empty when it does not. */
void cm_owner(struct out *o, uint64_t service_id);
#endif
