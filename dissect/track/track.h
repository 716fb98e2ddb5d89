/* What a run knows from management datagrams, told to each packet as it comes (struct told): never from what comes
 * later. */
#ifndef DISSECT_TRACK_H
#define DISSECT_TRACK_H
#include "track/cm_track.h"
#include "track/mad_pair.h"

struct track {
    struct cm_track cm;
    struct mad_pairs pairs;
};

/* Call once for each packet, in order, its CRCs checked. */
void track_packet(struct track *t, struct packet *p);
#endif
