/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that wait for a port: the queues of the VLs, and the arbitration that selects the next VL. */
#include <assert.h>
#include "fabric/iba_credit.h"
#include "fabric/iba_hop.h"

/* ---- the pool ---- */

void iba_pool_init(struct iba_pool *p, struct iba_slot *slot, uint8_t *bytes, int32_t n)
{
    p->slot = slot;
    p->bytes = bytes;
    p->n = n;
    p->used = 0;
    p->free = p->free_hold = n > 0 ? 0 : IBA_NO_SLOT;
    for (int32_t i = 0; i < n; i++)
        slot[i].next = slot[i].room.next = i + 1 < n ? i + 1 : IBA_NO_SLOT;
}

static uint8_t *bytes_of(const struct iba_pool *p, int32_t slot)
{
    return p->bytes + (size_t)slot * IBA_PACKET_MOST;
}

static void give_back(struct iba_pool *p, int32_t slot)
{
    p->slot[slot].next = p->free;
    p->free = slot;
    p->used--;
}

/* ---- queues ---- */

bool iba_fifo_put(struct iba_node *n, struct iba_fifo *q, const uint8_t *bytes, const struct iba_slot *s)
{
    struct iba_pool *p = n->pool;
    const int32_t i = p->free;

    if (i == IBA_NO_SLOT || s->len > IBA_PACKET_MOST)
        return false;
    p->free = p->slot[i].next;
    p->used++;
    p->slot[i].next = IBA_NO_SLOT;
    p->slot[i].hold = s->hold;
    p->slot[i].len = s->len;
    p->slot[i].in = s->in;
    p->slot[i].flow = s->flow;
    p->slot[i].since = s->since;
    memcpy(bytes_of(p, i), bytes, s->len);
    iba_credit_share(p, s->hold);
    if (q->first == IBA_NO_SLOT)
        q->first = i;
    else
        p->slot[q->last].next = i;
    q->last = i;
    q->n++;
    return true;
}

static void drop_first(struct iba_node *n, struct iba_fifo *q)
{
    struct iba_pool *p = n->pool;
    const int32_t i = q->first;

    q->first = p->slot[i].next;
    q->n--;
    iba_credit_give_back(n, p->slot[i].hold);
    give_back(p, i);
}

size_t iba_fifo_take(struct iba_node *n, struct iba_fifo *q, uint8_t *buf, size_t cap, uint8_t *in)
{
    struct iba_pool *p = n->pool;
    const struct iba_slot *s;
    size_t len;

    if (q->first == IBA_NO_SLOT)
        return 0;
    s = &p->slot[q->first];
    len = s->len;
    if (in)
        *in = s->in;
    assert(len <= cap);
    (void)cap;
    memcpy(buf, bytes_of(p, q->first), len);
    drop_first(n, q);
    return len;
}

bool iba_port_put(struct iba_node *n, struct iba_node_port *p, unsigned vl, const uint8_t *bytes,
                  const struct iba_slot *s)
{
    if (!iba_fifo_put(n, &p->queue[vl], bytes, s))
        return false;
    if (p->queue[vl].n == 1)
        p->wait[vl].first_since = s->since;
    if (s->flow)
        p->paced[s->flow - 1].in_queue = true;
    p->waiting++;
    return true;
}

size_t iba_port_take(struct iba_node *n, struct iba_node_port *p, unsigned vl, uint8_t *buf, size_t cap, iba_time now)
{
    const size_t len = iba_fifo_take(n, &p->queue[vl], buf, cap, NULL);

    iba_credit_spend(n, p, vl, len);
    p->wait[vl].first_since = now;
    p->wait[vl].drops = 0;
    p->waiting--;
    return len;
}

void iba_port_drop(struct iba_node *n, struct iba_node_port *p, unsigned vl, iba_time now)
{
    const uint8_t flow = n->pool->slot[p->queue[vl].first].flow;

    if (flow)
        p->paced[flow - 1].in_queue = false;
    drop_first(n, &p->queue[vl]);
    p->wait[vl].first_since = now;
    p->waiting--;
    p->counters.portxmitdiscards++;
}

void iba_port_flush(struct iba_node *n, struct iba_node_port *p)
{
    for (unsigned vl = 0; vl < IBA_VLS; vl++)
        while (p->queue[vl].first != IBA_NO_SLOT)
            iba_port_drop(n, p, vl, 0);
}

/* ---- arbitration (section 7.6.9, KM-46, KM-47) ---- */

enum { LOW, HIGH };
enum { UNLIMITED = 255, LIMIT_BYTES = 4096, WEIGHT_BYTES = 64 };

static int32_t units_of(const struct iba_node *n, const struct iba_fifo *q)
{
    return (n->pool->slot[q->first].len + WEIGHT_BYTES - 1) / WEIGHT_BYTES;
}

static const uint8_t *entry_of(const struct iba_node_port *p, unsigned priority, unsigned i)
{
    return &p->vlarb[2 * priority + i / IBA_VLARB_ENTRIES][2 * (i % IBA_VLARB_ENTRIES)];
}

/* Returns whether the VL has a packet, and the neighbour has room for the packet. */
static bool may_send(const struct iba_node *n, const struct iba_node_port *p, unsigned vl)
{
    const struct iba_fifo *q = &p->queue[vl];

    return q->first != IBA_NO_SLOT && iba_node_has_credits(n, p, vl, n->pool->slot[q->first].len);
}

static bool has_packet(const struct iba_node *n, const struct iba_node_port *p, const uint8_t *entry)
{
    const uint8_t vl = iba_vlarbitration_vl(entry);

    return vl != IBA_VL15 && may_send(n, p, vl);
}

/* Returns whether the next entries of the table, 8 bytes, have no weight: many tables end in such. */
static bool no_weights(const uint8_t *entries)
{
    static const uint8_t weights[8] = {0, 255, 0, 255, 0, 255, 0, 255};
    uint64_t mask, four;

    memcpy(&mask, weights, sizeof mask);
    memcpy(&four, entries, sizeof four);
    return (four & mask) == 0;
}

/* Returns whether the table has an entry whose VL may send a packet. */
static bool has_work(const struct iba_node *n, const struct iba_node_port *p, unsigned priority)
{
    if (p->waiting == 0)
        return false;
    for (unsigned i = 0; i < n->cfg.vlarb_entries; i++) {
        const uint8_t *e = entry_of(p, priority, i);
        if (i % 4 == 0 && no_weights(e)) {
            i += 3;
            continue;
        }
        if (iba_vlarbitration_weight(e) > 0 && has_packet(n, p, e))
            return true;
    }
    return false;
}

/* Returns the VL whose packet is next by this table. The current entry sends while it has weight left and packets; then
 * the next entry with weight and packets does. A packet may use more weight than its entry has left. */
static uint8_t weighted(const struct iba_node *n, struct iba_node_port *p, unsigned priority)
{
    const uint8_t *e = entry_of(p, priority, p->arb.entry[priority]);

    while (p->arb.left[priority] <= 0 || iba_vlarbitration_weight(e) == 0 || !has_packet(n, p, e)) {
        p->arb.entry[priority] = (uint8_t)((p->arb.entry[priority] + 1u) % n->cfg.vlarb_entries);
        e = entry_of(p, priority, p->arb.entry[priority]);
        p->arb.left[priority] = iba_vlarbitration_weight(e);
    }
    p->arb.left[priority] -= units_of(n, &p->queue[iba_vlarbitration_vl(e)]);
    return iba_vlarbitration_vl(e);
}

static bool high_is_over(const struct iba_node_port *p)
{
    return p->info.vlhighlimit != UNLIMITED && p->arb.high_bytes > 0 &&
           p->arb.high_bytes >= (uint32_t)p->info.vlhighlimit * LIMIT_BYTES;
}

bool iba_port_ready(const struct iba_node *n, const struct iba_node_port *p)
{
    return may_send(n, p, IBA_VL15) || has_work(n, p, LOW) || has_work(n, p, HIGH);
}

/* Packets of a VL that no entry of the tables names wait until the lifetime limit of the switch ends. */
int iba_arbitrate(const struct iba_node *n, struct iba_node_port *p)
{
    const bool low = has_work(n, p, LOW);
    uint8_t vl;

    if (may_send(n, p, IBA_VL15))
        return IBA_VL15;
    if (has_work(n, p, HIGH) && !(low && high_is_over(p))) {
        vl = weighted(n, p, HIGH);
        p->arb.high_bytes += n->pool->slot[p->queue[vl].first].len;
        return vl;
    }
    if (!low)
        return -1;
    p->arb.high_bytes = 0;
    return weighted(n, p, LOW);
}
