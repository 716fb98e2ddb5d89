/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_link.h"
#include "fabric/iba_hop.h"

/* ---- width and speed ---- */

/* Lanes of a width bit: 1x, 4x, 8x, 12x, 2x. */
static const uint8_t width_lanes[] = {1, 4, 8, 12, 2};

static unsigned lanes_of(uint8_t width)
{
    for (unsigned i = 0; i < sizeof width_lanes; i++)
        if (width == 1u << i)
            return width_lanes[i];
    return 0;
}

static uint8_t widest(uint8_t widths)
{
    uint8_t best = 0;

    for (unsigned i = 0; i < sizeof width_lanes; i++)
        if ((widths >> i & 1) && width_lanes[i] > lanes_of(best))
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

uint32_t iba_link_ps_per_byte(const struct iba_node_port *p)
{
    /* For one lane, after line coding: SDR, DDR, QDR (8b/10b), then FDR, EDR, HDR, NDR (64b/66b) */
    static const uint32_t mbit[] = {2000, 4000, 8000}, mbit_ext[] = {13636, 25000, 50000, 100000};
    const unsigned lanes = lanes_of(p->info.linkwidthactive);
    uint32_t rate = mbit[0];

    for (unsigned i = 0; i < 3; i++)
        if (p->info.linkspeedactive == 1u << i)
            rate = mbit[i];
    for (unsigned i = 0; i < 4; i++)
        if (p->info.linkspeedextactive == 1u << i)
            rate = mbit_ext[i];
    return 8000000 / (rate * (lanes ? lanes : 1));
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
    if (p->info.portstate == IBA_PORT_DOWN)
        return;
    p->info.portstate = IBA_PORT_DOWN;
    if (iba_node_is_switch(n)) { /* MD-110 */
        n->sw.portstatechange = 1;
        iba_notice_link(n, now);
    }
}

static void bring_up(struct iba_node *n, uint8_t port, const struct iba_portinfo *common, iba_time now)
{
    struct iba_portinfo *i = &n->port[port].info;

    i->portphysicalstate = IBA_PHYS_LINKUP;
    i->portstate = IBA_PORT_INIT;
    i->linkwidthactive = common->linkwidthactive;
    i->linkspeedactive = common->linkspeedactive;
    i->linkspeedextactive = common->linkspeedextactive;
    if (iba_node_is_switch(n)) {
        n->sw.portstatechange = 1;
        iba_notice_link(n, now);
    }
}

/* The best width and speed that both ends have enabled; width 0: they have no width or no speed in common. */
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

    a->port[port_a].link_work = b->port[port_b].link_work = false;
    if (is_up(a, port_a) != is_up(b, port_b)) { /* one end went down, and the other notices */
        take_down(a, port_a, now);
        take_down(b, port_b, now);
    }
    if (i->portphysicalstate == IBA_PHYS_POLLING && j->portphysicalstate == IBA_PHYS_POLLING &&
        common.linkwidthactive) {
        bring_up(a, port_a, &common, now);
        bring_up(b, port_b, &common, now);
    }
}

void iba_link_lost(struct iba_node *n, uint8_t port, iba_time now)
{
    n->port[port].link_work = false;
    take_down(n, port, now);
}
