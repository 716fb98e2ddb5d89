/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to run/: packets on the wires of a subnet under test. */
#ifndef IBC_RUN_FABRIC_H
#define IBC_RUN_FABRIC_H
#include "mad/iba_mad.h"
#include "run/play.h"
#include "scenario/field.h"

enum { RUN_FIRST_HOST = 10 };

/* ---- fabric.c ---- */
bool run_make_fabric(struct run_player *p);

/* ---- lid.c ---- */
/* Returns the base LID of a node: that of its first port, or of a switch. */
uint16_t run_lid(const struct run_player *p, const struct run_live *node);

/* ---- manager.c ---- */
/* Adds the partitions of the scenario. False: there are too many; the fault was recorded. */
bool run_add_partitions(struct run_player *p, struct ibc_fabric *f);

/* ---- fabric_packet.c: what the tester sends ---- */
/* Sets the fields that the line of a packet does not name: the host at wire w's port sends to the node. */
void run_wire_defaults(const struct run_player *p, const struct ibc_step *s, const struct run_live *w,
                       struct iba_recipe *r);
/* Builds the flow-control packet of a line. */
bool run_build_flow(struct run_player *p, const struct ibc_step *s, struct run_packet *k);
/* Fills in the datagram of a line. */
void run_smp_fill(struct run_player *p, const struct ibc_step *s, struct run_live *w, uint8_t mad[IBA_MAD_BYTES]);

/* ---- smp.c: datagrams ---- */
/* Returns the datagram in a packet to or from a management agent; NULL: the packet has none. */
const uint8_t *run_smp_in(const struct run_packet *k);
/* Returns the status without the D bit of directed routes. */
unsigned run_smp_status(const uint8_t *mad);
/* Describes the datagram for people: "GET_RESP PortInfo tid 0x1001 status 0". False: the packet has no such
 * datagram. */
bool run_smp_show(const struct iba_view *v, char *out, size_t n);

/* Whether no line of the scenario waits for such a packet at that end: a subnet manager sends many. */
bool run_is_passing(const struct run_player *p, const struct run_packet *k);

/* ---- fabric_match.c: what comes ---- */
/* Whether the datagram has the fields that the line names. */
bool run_smp_has(struct run_player *p, const struct ibc_step *s, const uint8_t *mad, struct run_difference *d);
/* Whether the packet is the line's datagram on the right lane. */
bool run_smp_matches(struct run_player *p, const struct ibc_step *s, const struct run_packet *k,
                     struct run_difference *d);
void run_smp_learn(struct run_live *w, const uint8_t *mad); /* an expected datagram has come */
#endif
