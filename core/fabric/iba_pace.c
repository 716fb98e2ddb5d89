/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_pace.h"
#include "fabric/iba_hop.h"

/* clang-format off */
/*    name     the port ...                                                                                            clause */
#define PACE_RULES(R)                                                                                                             \
    R(paces,   "lets the next packet of a destination start (IPD + 1) times the length of its last one after that one started",  "UU-31")
/* clang-format on */
#define PACE_ROW(name_, sentence_, clause_) {#name_, sentence_, clause_},
static const struct iba_fabric_row rows[] = {PACE_RULES(PACE_ROW)};
IBA_FABRIC_TABLE(iba_pace_rules, IBA_FABRIC_PACE, "pace", "Static rate", rows)

static bool is_idle(const struct iba_paced *f, iba_time now)
{
    return f->queue.n == 0 && !f->in_queue && f->ready_at <= now;
}

static struct iba_paced *flow_of(struct iba_node_port *p, uint16_t dlid, uint8_t ipd, iba_time now)
{
    struct iba_paced *idle = NULL;

    for (unsigned i = 0; i < IBA_PACED_FLOWS; i++) {
        struct iba_paced *f = &p->paced[i];
        if (f->dlid == dlid && f->ipd == ipd)
            return f;
        if (!idle && is_idle(f, now))
            idle = f;
    }
    if (idle)
        *idle = (struct iba_paced){.dlid = dlid, .ipd = ipd, .queue = {IBA_NO_SLOT, IBA_NO_SLOT, 0}};
    return idle;
}

bool iba_pace_put(struct iba_node *n, struct iba_node_port *p, const uint8_t *bytes, size_t len, uint8_t ipd,
                  iba_time now)
{
    struct iba_paced *f =
        len < IBA_BYTES_lrh || len > IBA_PACKET_MOST ? NULL : flow_of(p, (uint16_t)iba_lrh_dlid(bytes), ipd, now);

    if (!f || !iba_fifo_put(n, &f->queue, bytes, &(struct iba_slot){.len = (uint16_t)len, .since = now}))
        return false;
    p->paced_waiting++;
    return true;
}

static bool has_turn(const struct iba_paced *f, iba_time now)
{
    return f->queue.n > 0 && !f->in_queue && f->ready_at <= now;
}

uint8_t iba_pace_take(struct iba_node *n, struct iba_node_port *p, uint8_t *buf, size_t cap, size_t *len, iba_time now)
{
    for (unsigned i = 0; p->paced_waiting > 0 && i < IBA_PACED_FLOWS; i++)
        if (has_turn(&p->paced[i], now)) {
            *len = iba_fifo_take(n, &p->paced[i].queue, buf, cap, NULL);
            p->paced_waiting--;
            return (uint8_t)(i + 1);
        }
    return 0;
}

/* A packet that starts between two nanoseconds counts as started at the later one, so that no gap is too short. */
void iba_pace_started(struct iba_node *n, struct iba_node_port *p, uint8_t flow, iba_time now, uint32_t ps,
                      uint64_t wire_ps)
{
    enum { PS_OF_NS = 1000 };
    struct iba_paced *f = &p->paced[flow - 1];

    f->in_queue = false;
    if (!iba_node_has_row(n, &iba_pace_rules, 0))
        return;
    n->hits[IBA_FABRIC_PACE][0]++;
    f->ready_at = now + (ps + (f->ipd + 1u) * wire_ps + PS_OF_NS - 1) / PS_OF_NS;
}

iba_time iba_pace_deadline(const struct iba_node_port *p)
{
    iba_time first = IBA_NEVER;

    for (unsigned i = 0; p->paced_waiting > 0 && i < IBA_PACED_FLOWS; i++) {
        const struct iba_paced *f = &p->paced[i];
        if (f->queue.n > 0 && !f->in_queue && f->ready_at < first)
            first = f->ready_at;
    }
    return first;
}

void iba_pace_flush(struct iba_node *n, struct iba_node_port *p)
{
    uint8_t packet[IBA_PACKET_MOST];

    for (unsigned i = 0; p->paced_waiting > 0 && i < IBA_PACED_FLOWS; i++)
        while (p->paced[i].queue.n > 0) {
            (void)iba_fifo_take(n, &p->paced[i].queue, packet, sizeof packet, NULL);
            p->paced_waiting--;
            p->counters.portxmitdiscards++;
        }
}
