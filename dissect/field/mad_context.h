/* SPDX-License-Identifier: BSD-2-Clause */
/* Context of a packet from management datagrams, beyond the packet's own bytes. track/ makes it; fields and printers
 * read it. A context that is all 0 has no facts. */
#ifndef DISSECT_MAD_CONTEXT_H
#define DISSECT_MAD_CONTEXT_H
#include <stdbool.h>
#include <stdint.h>
#include "observer/iba_observer.h"

/* Most findings on one message of the connection manager. One more place is for a finding of the context itself. */
enum { MAD_SAID_MOST = IBA_CM_SAID_MOST - 1 };

struct mad_context {
    bool used;           /* some fact is known; else all members are 0 */
    uint64_t setup_in;   /* frame of the REQ or SIDR_REQ of the packet's connection; 0: not known */
    uint64_t service_id; /* valid with setup_in, as are the next ones */
    uint32_t source_qp;
    uint8_t upper; /* enum iba_upper: the upper protocol of the connection */
    /* How the attempt to connect stands after this message; NULL: the message belongs to no attempt. */
    const char *why;
    bool has_source_qp; /* the source QP is known from the connection: the packet's own headers have none */
    /* Frames of the request and of the response of the same transaction; 0: not known. */
    uint64_t response_to, response_in;
    int64_t time_ns; /* since the request; valid with has_time */
    bool has_time;
    bool other_partition; /* the response has a P_Key of another partition than the request */
    /* Frame of the REP that made the packet's connection; 0: not known, or the packet is a management datagram. */
    uint64_t begun_in;
    /* The message gives a connection a QP that another connection had before: frame of the REQ of that connection. */
    uint64_t reused_in;
    bool refused;    /* the message is the first REJ of its connection */
    uint16_t reason; /* the reason of the REJ; valid with `refused` */
    uint8_t n_said;
    struct iba_cm_said said[MAD_SAID_MOST];
    /* Files of the frames setup_in, response_to and reused_in; valid with these. */
    uint32_t setup_source, response_to_source, reused_source;
};

static inline bool mad_context_any(const struct mad_context *t)
{
    return t->setup_in != 0 || t->response_to != 0 || t->response_in != 0;
}

enum { OWNER_BYTES = 40 };
/* The protocol of a service: "NVMe/RDMA", "TCP port 7174"; empty when unknown. `upper`: enum iba_upper. */
void owner_text(char to[OWNER_BYTES], uint64_t service_id, uint8_t upper);
#endif
