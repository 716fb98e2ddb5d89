/* SPDX-License-Identifier: BSD-2-Clause */
/* Link credits of data VLs, and room in receive buffers of a node (section 7.9). Not for users of libiba. */
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
/* Returns whether the node has the row, and counts that it decides. */
bool iba_credit_decides(struct iba_node *n, enum iba_credit_row row);

/* The link has come up, so counting begins. `on`: both ends count credits. Packets in the receive buffer keep their
 * room. */
void iba_credit_begin(struct iba_node *n, struct iba_node_port *p, bool on, iba_time now);
/* The link has gone down: counting ends. */
void iba_credit_end(struct iba_node_port *p, iba_time now);

/* ---- packets that come ---- */
/* A packet came on that data VL. Returns the index of its record in the pool, plus 1; the record counts one copy, which
 * the caller gives back. IBA_NO_CREDITS: the sender had no credits for the packet. */
int32_t iba_credit_take(struct iba_node *n, uint8_t port, unsigned vl, size_t len);
/* One more copy of the packet waits; `hold` may be 0. */
void iba_credit_share(struct iba_pool *p, int32_t hold);
/* A copy of the packet has left or was dropped. After the last copy the room is free again. `hold` may be 0. */
void iba_credit_give_back(struct iba_node *n, int32_t hold);

/* ---- packets that leave ---- */
/* The packet leaves, and uses up credits. iba_node_has_credits() says whether it may. */
void iba_credit_spend(struct iba_node *n, struct iba_node_port *p, unsigned vl, size_t len);

/* ---- flow-control packets ---- */
/* Returns the credit limit (FCCL) that this end now gives for the VL. */
uint16_t iba_credit_limit(const struct iba_node *n, const struct iba_node_port *p, unsigned vl);
void iba_credit_heard(struct iba_node *n, struct iba_node_port *p, unsigned vl, uint16_t fctbs, uint16_t fccl,
                      iba_time now);

/* ---- PortXmitWait ---- */
/* `stuck`: from now on packets wait for the port, and none may leave. Not `stuck`: this has ended. */
void iba_credit_wait(struct iba_node_port *p, bool stuck, iba_time now);
#endif
