/* SPDX-License-Identifier: BSD-2-Clause */
/* Context of a packet from management datagrams, beyond its own bytes. Made by track/, read by fields and printers; all
 * 0: none. */
#ifndef DISSECT_MAD_CONTEXT_H
#define DISSECT_MAD_CONTEXT_H
#include <stdbool.h>
#include <stdint.h>
#include "observer/iba_observer.h"

/* Findings on a message of the connection manager; one more is for the context's own. */
enum { MAD_SAID_MOST = IBA_CM_SAID_MOST - 1 };

struct mad_context {
    bool used;           /* else all of it is 0 */
    uint64_t setup_in;   /* frame of the REQ or SIDR_REQ of its connection; 0: of none that is known */
    uint64_t service_id; /* valid with setup_in, as are the next ones */
    uint32_t source_qp;
    uint8_t upper;      /* enum iba_upper: the upper protocol of the connection */
    const char *why;    /* how the attempt to connect stands after this message; NULL: it is none of one */
    bool has_source_qp; /* the packet's own headers have none */
    uint64_t response_to, response_in; /* frames of the same transaction; 0: not known */
    int64_t time_ns;                   /* since the request; valid with has_time */
    bool has_time;
    bool other_partition; /* the response has the P_Key of another partition */
    uint64_t begun_in;    /* the message that made its connection, REP; 0: a management datagram, or not known */
    uint64_t reused_in;   /* the message gives a QP to a connection: the frame of the REQ of the connection that had it
                             before */
    bool refused;         /* it is a REJ, the first of its connection */
    uint16_t reason;      /* valid with it */
    uint8_t n_said;
    struct iba_cm_said said[MAD_SAID_MOST];
    uint32_t setup_source, response_to_source, reused_source; /* files that these frames came from, valid with them */
};

static inline bool mad_context_any(const struct mad_context *t)
{
    return t->setup_in != 0 || t->response_to != 0 || t->response_in != 0;
}

enum { OWNER_BYTES = 40 };
/* The protocol of a service: "NVMe/RDMA", "TCP port 7174"; empty when unknown. `upper`: enum iba_upper. */
void owner_text(char to[OWNER_BYTES], uint64_t service_id, uint8_t upper);
#endif
