/* SPDX-License-Identifier: BSD-2-Clause */
/* How long bytes take on a wire: widths and speeds of links (section 5.2, KM-28). */
#ifndef IBA_RATE_H
#define IBA_RATE_H
#include "fabric/iba_node.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_RATE_WIDTHS = 5 }; /* bits of LinkWidth: 1x, 4x, 8x, 12x, 2x */

/* Lanes of a LinkWidth with one bit set; 0: none. */
unsigned iba_rate_lanes(uint8_t width);
/* Picoseconds that a byte takes on the wire of a port that is up. */
uint32_t iba_rate_ps_per_byte(const struct iba_node_port *p);
/* The same on one lane of it: a symbol time, by which section 7.9 counts, and the tick of PortXmitWait. */
uint32_t iba_rate_ps_per_symbol(const struct iba_node_port *p);

#ifdef __cplusplus
}
#endif

#endif
