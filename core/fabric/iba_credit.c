/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_credit.h"
#include "fabric/iba_hop.h"
#include "fabric/iba_rate.h"

/* Section 7.9.4, from memory: blocks are counted modulo 4096, and a limit is at most 2048 ahead of what was received.
 */
enum { BLOCK_BYTES = 64, MODULO = 4096, AHEAD_MOST = 2048 };

/* clang-format off */
/*    name        the port ...                                                                                                          clause */
#define CREDIT_RULES(R)                                                                                                                        \
    R(spends,     "sends a packet on a data lane only when its blocks are within the credit limit of the neighbour",                    "KM-48") \
    R(vl15,       "sends packets of VL 15 without credits",                                                                             "WF-13") \
    R(announces,  "sends the new limit when room of the receive buffer is free again, or the count of blocks was wrong",                "KM-48") \
    R(refreshes,  "sends the limit of each lane again before 65,536 symbol times are over",                                             "KM-48") \
    R(watches,    "sends trap 131 when no flow-control packet of a lane came for 400,000 symbol times",                                 "KM-48, MD-110")
/* clang-format on */
#define CREDIT_ROW(name_, sentence_, clause_) {#name_, sentence_, clause_},
static const struct iba_fabric_row credit_rows[] = {CREDIT_RULES(CREDIT_ROW)};
IBA_FABRIC_TABLE(iba_credit_rules, IBA_FABRIC_CREDIT, "credit", "Credits of lanes", credit_rows)

bool iba_credit_decides(struct iba_node *n, enum iba_credit_row row)
{
    if (!iba_node_has_row(n, &iba_credit_rules, row))
        return false;
    n->hits[IBA_FABRIC_CREDIT][row]++;
    return true;
}

unsigned iba_node_blocks(size_t len)
{
    return (unsigned)((len + BLOCK_BYTES - 1) / BLOCK_BYTES);
}

static void announce(struct iba_node *n, struct iba_node_port *p, unsigned vl)
{
    if (p->credits && iba_credit_limit(n, p, vl) != p->lane[vl].announced &&
        iba_credit_decides(n, IBA_CREDIT_ANNOUNCES))
        p->announce = (uint16_t)(p->announce | 1u << vl);
}

/* ---- PortXmitWait ---- */

static void add_wait(struct iba_node_port *p, iba_time now)
{
    enum { PS_OF_NS = 1000 };
    const uint32_t tick = iba_rate_ps_per_symbol(p);
    uint64_t ps;

    if (p->wait_since >= now)
        return;
    ps = p->wait_ps + (now - p->wait_since) * PS_OF_NS;
    p->counters.portxmitwait += ps / tick;
    p->wait_ps = (uint32_t)(ps % tick);
    p->wait_since = now;
}

void iba_credit_wait(struct iba_node_port *p, bool stuck, iba_time now)
{
    if (stuck && p->wait_since == IBA_NEVER)
        p->wait_since = p->busy_until > now ? p->busy_until : now;
    if (stuck || p->wait_since == IBA_NEVER)
        return;
    add_wait(p, now);
    p->wait_since = IBA_NEVER;
}

void iba_node_count_wait(struct iba_node *n, uint8_t port, iba_time now)
{
    if (n->port[port].wait_since != IBA_NEVER)
        add_wait(&n->port[port], now);
}

/* ---- link up and down ---- */

void iba_credit_begin(struct iba_node *n, struct iba_node_port *p, bool on, iba_time now)
{
    enum { ALL_LANES = 0x7fff };

    for (unsigned vl = 0; vl < IBA_VL15; vl++)
        p->lane[vl] = (struct iba_lane){.held = p->lane[vl].held, .heard = now};
    p->credits = on;
    p->announce = on ? ALL_LANES : 0;
    p->announce_all = on && n->cfg.refresh ? now : IBA_NEVER;
}

void iba_credit_end(struct iba_node_port *p, iba_time now)
{
    iba_credit_wait(p, false, now);
    p->credits = false;
    p->announce = 0;
    p->announce_all = IBA_NEVER;
}

/* ---- room of the receive buffer ---- */

int32_t iba_credit_take(struct iba_node *n, uint8_t port, unsigned vl, size_t len)
{
    struct iba_pool *pool = n->pool;
    struct iba_node_port *p = &n->port[port];
    struct iba_lane *lane = &p->lane[vl];
    const unsigned blocks = iba_node_blocks(len);
    const int32_t i = pool->free_hold;

    lane->received = (uint16_t)((lane->received + blocks) % MODULO);
    if (lane->held + blocks > n->cfg.buffer || i == IBA_NO_SLOT) {
        announce(n, p, vl);
        return IBA_NO_CREDITS;
    }
    lane->held = (uint16_t)(lane->held + blocks);
    pool->free_hold = pool->slot[i].room.next;
    pool->slot[i].room = (struct iba_hold){.copies = 1, .blocks = (uint16_t)blocks, .port = port, .vl = (uint8_t)vl};
    return i + 1;
}

void iba_credit_share(struct iba_pool *p, int32_t hold)
{
    if (hold > 0)
        p->slot[hold - 1].room.copies++;
}

void iba_credit_give_back(struct iba_node *n, int32_t hold)
{
    struct iba_hold *h;
    struct iba_node_port *p;

    if (hold <= 0)
        return;
    h = &n->pool->slot[hold - 1].room;
    if (--h->copies > 0)
        return;
    p = &n->port[h->port];
    p->lane[h->vl].held = (uint16_t)(p->lane[h->vl].held - h->blocks);
    announce(n, p, h->vl);
    h->next = n->pool->free_hold;
    n->pool->free_hold = hold - 1;
}

/* ---- the neighbour's room ---- */

unsigned iba_node_credits(const struct iba_node_port *p, unsigned vl)
{
    return (unsigned)(p->lane[vl].limit - p->lane[vl].sent) % MODULO;
}

bool iba_node_has_credits(const struct iba_node *n, const struct iba_node_port *p, unsigned vl, size_t len)
{
    if (!p->credits)
        return true;
    if (vl == IBA_VL15)
        return iba_node_has_row(n, &iba_credit_rules, IBA_CREDIT_VL15);
    return (iba_node_credits(p, vl) - iba_node_blocks(len)) % MODULO <= AHEAD_MOST ||
           !iba_node_has_row(n, &iba_credit_rules, IBA_CREDIT_SPENDS);
}

void iba_credit_spend(struct iba_node *n, struct iba_node_port *p, unsigned vl, size_t len)
{
    if (!p->credits)
        return;
    (void)iba_credit_decides(n, vl == IBA_VL15 ? IBA_CREDIT_VL15 : IBA_CREDIT_SPENDS);
    if (vl != IBA_VL15)
        p->lane[vl].sent = (uint16_t)((p->lane[vl].sent + iba_node_blocks(len)) % MODULO);
}

uint16_t iba_credit_limit(const struct iba_node *n, const struct iba_node_port *p, unsigned vl)
{
    const struct iba_lane *lane = &p->lane[vl];
    const unsigned room = n->cfg.buffer - lane->held;

    return (uint16_t)((lane->received + (room < AHEAD_MOST ? room : AHEAD_MOST)) % MODULO);
}

/* A packet may have been lost on the wire, so the neighbour's count of the blocks that it sent replaces our own. */
void iba_credit_heard(struct iba_node *n, struct iba_node_port *p, unsigned vl, uint16_t fctbs, uint16_t fccl,
                      iba_time now)
{
    struct iba_lane *lane = &p->lane[vl];

    lane->limit = fccl;
    lane->heard = now;
    lane->received = fctbs;
    announce(n, p, vl);
}
