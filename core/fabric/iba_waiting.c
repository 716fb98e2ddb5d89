/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that wait too long for a port are dropped (KM-50). VL15 has no lifetimes. */
#include "fabric/iba_hop.h"

/* R(name, due, then, sentence, clause): a row says when it drops the first packet of a queue; the earliest decides, of
 * two at one time the first. */
struct waiting_rule {
    struct iba_fabric_row row;
    iba_time (*due)(const struct iba_node *n, const struct iba_node_port *p, unsigned vl); /* IBA_NEVER: it does not */
    void (*then)(struct iba_node_port *p, unsigned vl, iba_time due);
};

/* A lifetime code: 4.096 us * 2^code; codes above 19 mean that packets have no lifetime (KM-50). */
static iba_time after(iba_time since, unsigned code)
{
    enum { NO_LIFETIME = 20 };
    return code >= NO_LIFETIME ? IBA_NEVER : since + ((iba_time)4096 << code);
}

static iba_time since(const struct iba_node *n, const struct iba_node_port *p, unsigned vl)
{
    return n->pool->slot[p->queue[vl].first].since;
}

static iba_time stalled_due(const struct iba_node *n, const struct iba_node_port *p, unsigned vl)
{
    const iba_time came = since(n, p, vl);

    return came < p->wait[vl].stalled_until ? came : IBA_NEVER;
}

static iba_time switch_life_due(const struct iba_node *n, const struct iba_node_port *p, unsigned vl)
{
    return iba_node_is_switch(n) ? after(since(n, p, vl), n->sw.lifetimevalue) : IBA_NEVER;
}

static iba_time hoq_life_due(const struct iba_node *n, const struct iba_node_port *p, unsigned vl)
{
    (void)n;
    return after(p->wait[vl].first_since, p->info.hoqlife);
}

static void drop(struct iba_node_port *p, unsigned vl, iba_time due)
{
    (void)p;
    (void)vl;
    (void)due;
}

/* VLStallCount drops one after the other stall the lane for eight times HOQLife; 0: never (section 18.2.5.4, from
 * memory). */
static void count_drop(struct iba_node_port *p, unsigned vl, iba_time due)
{
    enum { TIMES = 8 };

    if (!p->info.vlstallcount || ++p->wait[vl].drops < p->info.vlstallcount)
        return;
    p->wait[vl].drops = 0;
    p->wait[vl].stalled_until = due + TIMES * after(0, p->info.hoqlife);
}

/* clang-format off */
/*    name          due               then         the packet ...                                                                          clause */
#define WAITING_RULES(R)                                                                                                                          \
    R(stalled,      stalled_due,      drop,        "came while its lane is stalled: HOQLife ended for VLStallCount packets in a row",       "KM-50") \
    R(switch_life,  switch_life_due,  drop,        "is in the switch for the packet lifetime of the switch",                               "KM-50") \
    R(hoq_life,     hoq_life_due,     count_drop,  "is first in its queue for the port's HOQLife",                                         "KM-50")
/* clang-format on */
#define WAITING_ROW(name_, due_, then_, sentence_, clause_) {{#name_, sentence_, clause_}, due_, then_},
static const struct waiting_rule rules[] = {WAITING_RULES(WAITING_ROW)};
IBA_FABRIC_TABLE(iba_waiting_rules, IBA_FABRIC_WAITING, "waiting", "Packets that wait for a port", rules)

enum { RULES = sizeof rules / sizeof *rules };

/* When the first packet of a queue is dropped, and by which row. */
static iba_time first_due(const struct iba_node *n, const struct iba_node_port *p, unsigned vl, unsigned *row)
{
    iba_time first = IBA_NEVER;

    if (p->queue[vl].first == IBA_NO_SLOT)
        return IBA_NEVER;
    for (unsigned i = 0; i < RULES; i++) {
        const iba_time due = iba_node_has_row(n, &iba_waiting_rules, i) ? rules[i].due(n, p, vl) : IBA_NEVER;
        if (due >= first)
            continue;
        first = due;
        *row = i;
    }
    return first;
}

void iba_port_expire(struct iba_node *n, struct iba_node_port *p, iba_time now)
{
    unsigned row = 0;
    iba_time due;

    for (unsigned vl = 0; p->waiting > 0 && vl < IBA_VL15; vl++)
        while ((due = first_due(n, p, vl, &row)) <= now && due != IBA_NEVER) {
            const iba_time at = due > p->wait[vl].first_since ? due : p->wait[vl].first_since;
            n->hits[IBA_FABRIC_WAITING][row]++;
            iba_port_drop(n, p, vl, at);
            rules[row].then(p, vl, at);
        }
}

iba_time iba_port_expires(const struct iba_node *n, const struct iba_node_port *p)
{
    iba_time first = IBA_NEVER;
    unsigned row;

    for (unsigned vl = 0; vl < IBA_VL15; vl++) {
        const iba_time due = first_due(n, p, vl, &row);
        first = due < first ? due : first;
    }
    return first;
}
