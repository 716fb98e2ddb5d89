/* SPDX-License-Identifier: BSD-2-Clause */
/* A target of subnet managers for tests, whose manager is a small script instead of OpenSM. */
#ifndef IBC_TEST_SM_BED_H
#define IBC_TEST_SM_BED_H
#include "../sm_inside.h"

/* Ends of the subnet: a switch with three ports, two adapters with one port, and one with two, whose second port has
 * no cable. */
enum { SW0, SW1, SW2, SW3, A0, A1, B0, B1, C0, C1, C2, SM_BED_ENDS };
enum { SW, A, B, C, SM_BED_NODES };

extern const struct ibc_fabric sm_bed_fabric;
/* Opens a target whose programs are `command`. The subnet is not built yet. */
struct sm *sm_bed_open(const char *command);
void sm_bed_close(struct sm *s);
struct iba_node *sm_bed_node(struct sm *s, unsigned node);
struct iba_portinfo *sm_bed_port(struct sm *s, unsigned node, unsigned port);
/* Gives all ports LIDs, makes them Active and routes all of them: the switch has LID 1, the adapters 4, 6 and 8; A has
 * an LMC of 1. */
void sm_bed_manage(struct sm *s);
#endif
