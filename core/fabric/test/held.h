/* SPDX-License-Identifier: BSD-2-Clause */
/* Digests of everything in a node, and how often each row of its tables decided. */
#ifndef HELD_H
#define HELD_H
#include "fabric/iba_hop.h"
#include "fabric/iba_rate.h"
#include "test/golden.h"

static inline uint64_t held_port(uint64_t digest, const struct iba_node_port *p)
{
    uint8_t info[IBA_BYTES_portinfo], counters[IBA_BYTES_portcounters_ext];

    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &p->info, info);
    iba_layout_put(&iba_mad_layouts[IBA_M_portcounters_ext], &p->counters, counters);
    digest = golden_digest(digest, info, sizeof info);
    digest = golden_digest(digest, counters, sizeof counters);
    digest = golden_digest(digest, p->vlarb, sizeof p->vlarb);
    digest = golden_digest(digest, p->pkey, p->n_pkey * sizeof *p->pkey);
    digest = golden_number(digest, p->waiting + ((uint64_t)p->link_work << 32) + ((uint64_t)p->reregister << 33));
    digest = golden_number(digest, p->busy_until);
    digest = golden_number(digest, p->mkey_lease_ends);
    return golden_number(digest, iba_rate_ps_per_byte(p));
}

/* Adds the packets that wait for the port, and since when they wait. */
static inline uint64_t held_queues(uint64_t digest, const struct iba_node_port *p)
{
    for (unsigned vl = 0; vl < IBA_VLS; vl++) {
        digest = golden_number(digest, p->queue[vl].n);
        if (p->queue[vl].n == 0)
            continue;
        digest = golden_number(digest, p->wait[vl].first_since);
        digest = golden_number(digest, p->wait[vl].drops);
    }
    for (unsigned i = 0; i < IBA_PACED_FLOWS; i++) {
        const struct iba_paced *f = &p->paced[i];
        digest = golden_number(digest, f->dlid | (uint64_t)f->ipd << 16 | (uint64_t)f->in_queue << 24);
        digest = golden_number(digest, f->queue.n + ((uint64_t)p->paced_waiting << 32));
        digest = golden_number(digest, f->ready_at);
    }
    return digest;
}

static inline uint64_t held_credits(uint64_t digest, const struct iba_node *n, const struct iba_node_port *p)
{
    for (unsigned vl = 0; vl < IBA_VL15; vl++) {
        const struct iba_lane *l = &p->lane[vl];
        digest = golden_number(digest, l->sent | (uint64_t)l->limit << 16 | (uint64_t)l->received << 32);
        digest = golden_number(digest, l->announced | (uint64_t)l->held << 16);
        digest = golden_number(digest, l->heard);
        digest = golden_number(digest, iba_node_has_credits(n, p, vl, 300));
    }
    digest = golden_number(digest, p->announce | (uint64_t)p->announced_last << 16 | (uint64_t)p->credits << 32);
    digest = golden_number(digest, p->announce_all);
    digest = golden_number(digest, p->wait_since);
    return golden_number(digest, p->wait_ps | (uint64_t)p->busy_ps << 32);
}

static inline uint64_t held_notices(uint64_t digest, const struct iba_node *n)
{
    for (unsigned i = 0; i < IBA_PENDING_NOTICES; i++) {
        digest = golden_number(digest, n->notice[i].tid ? n->notice[i].due : 0);
        digest = golden_digest(digest, n->notice[i].bytes, n->notice[i].tid ? sizeof n->notice[i].bytes : 0);
    }
    return digest;
}

/* Writes " name=times" for each row of each table that decided in one of the nodes. Returns the new length of the
 * line. */
static inline size_t held_hits(const struct iba_node *const *nodes, unsigned count, char *line, size_t n)
{
    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (unsigned r = 0; r < iba_fabric_tables[t]->n; r++) {
            unsigned hits = 0;
            for (unsigned i = 0; i < count; i++)
                hits += nodes[i]->hits[t][r];
            if (hits)
                n += (size_t)snprintf(line + n, GOLDEN_LINE - n, " %s=%u",
                                      iba_fabric_row(iba_fabric_tables[t], r)->name, hits);
        }
    return n;
}
#endif
