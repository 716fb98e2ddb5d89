/* SPDX-License-Identifier: BSD-2-Clause */
/* Open messages: those that wait for more request packets, or for their response. Not for users of libiba. */
#ifndef IBA_OBS_OPEN_H
#define IBA_OBS_OPEN_H
#include <assert.h>
#include "observer/iba_obs_look.h"

/* The part of an open message that is compared with every packet. The other members of the message are in a slot of
 * type struct iba_message. So a search reads 16 bytes for each message, and the end of a message moves no other slot.
 */
struct iba_obs_span {
    iba_psn first, last;
    uint32_t slot;
    uint8_t operation; /* enum iba_operation */
    bool whole, closed;
};
/* The open messages of one flow, in the order in which their first packets were seen. After the spans follow as many
 * slots. Spans from `n` to before `n_slot` name the slots that were used and are free. */
struct iba_obs_open {
    uint32_t direction; /* number of the direction that the messages belong to; 0: none */
    uint32_t n, n_slot;
    uint32_t n_plain; /* number of the SENDs and WRITEs among the open messages */
    uint32_t pmtu;    /* the path MTU by which READs were measured; 0: not known */
    _Alignas(struct iba_message) struct iba_obs_span span[];
};
static_assert(sizeof(struct iba_obs_span) % _Alignof(struct iba_message) == 0, "slots follow the spans");

/* Bytes of the open messages of a flow. */
static inline size_t iba_obs_open_bytes(const struct iba_observer_config *cfg)
{
    return sizeof(struct iba_obs_open) + cfg->n_message * (sizeof(struct iba_obs_span) + sizeof(struct iba_message));
}
/* The packet, which is undamaged and no copy, belongs to a message or ends some. */
void iba_obs_open_packet(struct iba_look *l);
/* Corrects the count of iba_message.again: the request at `psn` was sent only once, and later packets overtook it. */
void iba_obs_open_overtaken(struct iba_observer *s, const struct iba_flow *f, iba_psn psn);
/* No packet follows: all open messages end. */
void iba_obs_open_end(struct iba_observer *s);
#endif
