/* SPDX-License-Identifier: BSD-2-Clause */
/* The context that a run collects from management datagrams and attaches to each packet (its `mad_context` and
 * `table`): from earlier packets only. */
#ifndef DISSECT_TRACK_H
#define DISSECT_TRACK_H
#include "track/cm_track.h"
#include "track/mad_pair.h"

/* Hints on the protocol of a service whose identifier does not show it: from the user, or from a target's
 * ServiceEntries (section 16.3.3.5). */
enum { SERVICE_HINTS = 64 };
struct service_hint {
    uint64_t service_id;
    uint8_t upper; /* enum iba_upper */
};
struct track {
    struct cm_track cm;
    struct mad_pairs pairs;
    struct iba_rmpp_desk desk;
    struct service_hint hint[SERVICE_HINTS]; /* a new one replaces the oldest */
    uint64_t hints;
};

/* NULL when out of memory. Owned: track_close(). */
struct track *track_open(void);
/* Frees the state; NULL is allowed. */
void track_close(struct track *t);
/* Adds a hint. A later hint for a service replaces an earlier one. */
void track_hint(struct track *t, uint64_t service_id, enum iba_upper u);
/* Adds the context to a packet. Must be called once for each packet, in order, with the packet's CRCs checked. The
 * context is valid until the next packet. */
void track_packet(struct track *t, struct packet *p);
#endif
