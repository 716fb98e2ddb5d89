/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of a node: credits of lanes and room of receive buffers (section 7.9). Not for users of libiba. */
#ifndef IBA_CREDIT_H
#define IBA_CREDIT_H
#include "fabric/iba_node.h"

enum { IBA_NO_CREDITS = -1 };

/* Rows of iba_credit_rules. */
enum iba_credit_row {
    IBA_CREDIT_SPENDS,
    IBA_CREDIT_VL15,
    IBA_CREDIT_ANNOUNCES,
    IBA_CREDIT_REFRESHES,
    IBA_CREDIT_WATCHES
};
/* Whether the node has the row, which decides now. */
bool iba_credit_decides(struct iba_node *n, enum iba_credit_row row);

/* The link has come up: counting begins. `on`: both ends count. Packets keep their part of the buffer. */
void iba_credit_begin(struct iba_node *n, struct iba_node_port *p, bool on, iba_time now);
/* The link is down. */
void iba_credit_end(struct iba_node_port *p, iba_time now);

/* ---- packets that come ---- */
/* A packet came on that data lane: its record in the pool, plus 1, with one copy, which the caller gives back;
 * IBA_NO_CREDITS: its sender had no credits for it. */
int32_t iba_credit_take(struct iba_node *n, uint8_t port, unsigned vl, size_t len);
/* One more copy of the packet waits; `hold` may be 0. */
void iba_credit_share(struct iba_pool *p, int32_t hold);
/* A copy is gone; with the last one its room is free again. `hold` may be 0. */
void iba_credit_give_back(struct iba_node *n, int32_t hold);

/* ---- packets that leave ---- */
/* Whether one may: iba_node_has_credits(). */
void iba_credit_spend(struct iba_node *n, struct iba_node_port *p, unsigned vl, size_t len);

/* ---- flow-control packets ---- */
/* The credit limit of a lane as this end has it now: FCCL. */
uint16_t iba_credit_limit(const struct iba_node *n, const struct iba_node_port *p, unsigned vl);
void iba_credit_heard(struct iba_node *n, struct iba_node_port *p, unsigned vl, uint16_t fctbs, uint16_t fccl,
                      iba_time now);

/* ---- PortXmitWait ---- */
/* Packets wait for the port and none may have the wire, or that is over. */
void iba_credit_wait(struct iba_node_port *p, bool stuck, iba_time now);
#endif
