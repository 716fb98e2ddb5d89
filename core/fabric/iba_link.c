/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_link.h"
#include "fabric/iba_credit.h"
#include "fabric/iba_hop.h"
#include "fabric/iba_pace.h"
#include "fabric/iba_rate.h"

/* ---- width and speed ---- */

static uint8_t widest(uint8_t widths)
{
    uint8_t best = 0;

    for (unsigned i = 0; i < IBA_RATE_WIDTHS; i++)
        if ((widths >> i & 1) && iba_rate_lanes((uint8_t)(1u << i)) > iba_rate_lanes(best))
            best = (uint8_t)(1u << i);
    return best;
}

static uint8_t highest(unsigned bits)
{
    uint8_t best = 0;

    for (unsigned i = 0; i < 8; i++)
        if (bits >> i & 1)
            best = (uint8_t)(1u << i);
    return best;
}

/* ---- states ---- */

static void take_down(struct iba_node *n, uint8_t port, iba_time now)
{
    struct iba_node_port *p = &n->port[port];

    if (p->info.portphysicalstate == IBA_PHYS_LINKUP) {
        p->info.portphysicalstate = p->info.linkdowndefaultstate;
        p->counters.linkdownedcounter++;
    }
    iba_port_flush(n, p);
    iba_pace_flush(n, p);
    iba_credit_end(p, now);
    if (p->info.portstate == IBA_PORT_DOWN)
        return;
    p->info.portstate = IBA_PORT_DOWN;
    if (iba_node_is_switch(n)) { /* MD-110 */
        n->sw.portstatechange = 1;
        iba_notice_link(n, now);
    }
}

static void bring_up(struct iba_node *n, uint8_t port, const struct iba_portinfo *common, bool credits, iba_time now)
{
    struct iba_portinfo *i = &n->port[port].info;

    i->portphysicalstate = IBA_PHYS_LINKUP;
    i->portstate = IBA_PORT_INIT;
    i->linkwidthactive = common->linkwidthactive;
    i->linkspeedactive = common->linkspeedactive;
    i->linkspeedextactive = common->linkspeedextactive;
    iba_credit_begin(n, &n->port[port], credits, now);
    if (iba_node_is_switch(n)) {
        n->sw.portstatechange = 1;
        iba_notice_link(n, now);
    }
}

/* Returns the highest width and speed that both ends have enabled; width 0: they have no width or no speed in common.
 */
static struct iba_portinfo agree(const struct iba_portinfo *a, const struct iba_portinfo *b)
{
    enum { NO_EXTENDED = 30 };
    const unsigned ext_a = a->linkspeedextenabled == NO_EXTENDED ? 0 : a->linkspeedextenabled;
    const unsigned ext_b = b->linkspeedextenabled == NO_EXTENDED ? 0 : b->linkspeedextenabled;
    struct iba_portinfo c = {0};

    c.linkspeedextactive = highest(ext_a & ext_b);
    c.linkspeedactive = highest(a->linkspeedenabled & b->linkspeedenabled);
    if (c.linkspeedactive || c.linkspeedextactive)
        c.linkwidthactive = widest(a->linkwidthenabled & b->linkwidthenabled);
    return c;
}

static bool is_up(const struct iba_node *n, uint8_t port)
{
    return n->port[port].info.portphysicalstate == IBA_PHYS_LINKUP;
}

void iba_link_settle(struct iba_node *a, uint8_t port_a, struct iba_node *b, uint8_t port_b, iba_time now)
{
    struct iba_portinfo *i = &a->port[port_a].info, *j = &b->port[port_b].info;
    const struct iba_portinfo common = agree(i, j);
    const bool credits = a->cfg.buffer && b->cfg.buffer;

    a->port[port_a].link_work = b->port[port_b].link_work = false;
    if (is_up(a, port_a) != is_up(b, port_b)) { /* one end went down, so the other end goes down, too */
        take_down(a, port_a, now);
        take_down(b, port_b, now);
    }
    if (i->portphysicalstate == IBA_PHYS_POLLING && j->portphysicalstate == IBA_PHYS_POLLING &&
        common.linkwidthactive) {
        bring_up(a, port_a, &common, credits, now);
        bring_up(b, port_b, &common, credits, now);
    }
}

void iba_link_lost(struct iba_node *n, uint8_t port, iba_time now)
{
    n->port[port].link_work = false;
    take_down(n, port, now);
}
