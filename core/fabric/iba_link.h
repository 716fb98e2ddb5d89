/* SPDX-License-Identifier: BSD-2-Clause */
/* The two ends of a cable: physical states, port states, width and speed (sections 7.2, 14.2.5.6, KM-25..KM-28). */
#ifndef IBA_LINK_H
#define IBA_LINK_H
#include "fabric/iba_node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Brings the link up or down. If both ends poll, it comes up with the highest width and speed that both have enabled.
 * If one end does not poll, it goes down. Call this after a cable was plugged, and when link_work is set at an end. */
void iba_link_settle(struct iba_node *a, uint8_t port_a, struct iba_node *b, uint8_t port_b, iba_time now);
/* The cable was pulled out of this end. */
void iba_link_lost(struct iba_node *n, uint8_t port, iba_time now);

#ifdef __cplusplus
}
#endif

#endif
