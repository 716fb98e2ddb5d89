/* SPDX-License-Identifier: BSD-2-Clause */
/* Open messages: those that wait for more request packets, or for their response. Not for users of libiba. */
#ifndef IBA_OBS_OPEN_H
#define IBA_OBS_OPEN_H
#include "observer/iba_obs_look.h"

/* The open messages of one flow, in the order in which their first packets were seen. */
struct iba_obs_open {
    uint32_t direction; /* number of the direction that they belong to; 0: none */
    uint32_t n, pmtu;   /* pmtu: the path MTU by which READs were measured; 0: not known */
    struct iba_message message[];
};

/* Bytes of the open messages of a flow. */
static inline size_t iba_obs_open_bytes(const struct iba_observer_config *cfg)
{
    return sizeof(struct iba_obs_open) + cfg->n_message * sizeof(struct iba_message);
}
/* The packet, which is undamaged and no copy, belongs to a message or ends some. */
void iba_obs_open_packet(struct iba_look *l);
/* No packet follows: all open messages end. */
void iba_obs_open_end(struct iba_observer *s);
#endif
