/* SPDX-License-Identifier: BSD-2-Clause */
/* The two ends of a cable: physical states, port states, width and speed (sections 7.2, 14.2.5.6, KM-25..KM-28). */
#ifndef IBA_LINK_H
#define IBA_LINK_H
#include "fabric/iba_node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Brings both ends to what they agree on: up with the highest width and speed that both have enabled when both poll,
 * down when one does not. Call it after a cable was plugged, and when an end has link_work. */
void iba_link_settle(struct iba_node *a, uint8_t port_a, struct iba_node *b, uint8_t port_b, iba_time now);
/* The cable is gone from this end. */
void iba_link_lost(struct iba_node *n, uint8_t port, iba_time now);

#ifdef __cplusplus
}
#endif

#endif
