/* SPDX-License-Identifier: BSD-2-Clause */
/* Notices that a node's agent has for the subnet manager (MD-109..MD-114, KM-58..KM-62, PV-17). This file queues them;
 * iba_trap.c sends them until they are repressed. */
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"

enum { TYPE_URGENT = 1, TYPE_SECURITY = 2, TYPE_INFORMATIONAL = 4 };
enum { DETAILS_AT = IBA_BYTES_notice };

/* Returns the type of a trap's notice (table 131 of section 13.4.8.2): traps from 256 on are of type security, changes
 * of a node informational, all others urgent. */
static unsigned type_of(uint16_t trap)
{
    enum { FIRST_SECURITY = 256, FIRST_LOCAL = 144, LAST_LOCAL = 145 };

    if (trap >= FIRST_SECURITY)
        return TYPE_SECURITY;
    return trap >= FIRST_LOCAL && trap <= LAST_LOCAL ? TYPE_INFORMATIONAL : TYPE_URGENT;
}

/* Adds a notice of that port to the waiting ones, and returns its details, which the caller fills in. NULL: there is no
 * room, so the notice is lost, as KM-60 allows. */
static uint8_t *begin(struct iba_node *n, uint8_t port, uint16_t trap, iba_time now)
{
    struct iba_notice_waiting *w = NULL;

    for (unsigned i = 0; i < IBA_PENDING_NOTICES && !w; i++)
        if (n->notice[i].tid == 0)
            w = &n->notice[i];
    if (!w)
        return NULL;
    memset(w, 0, sizeof *w);
    w->tid = ++n->notice_tid;
    w->due = now;
    w->port = port;
    iba_notice_set_isgeneric(w->bytes, 1);
    iba_notice_set_type(w->bytes, type_of(trap));
    if (iba_node_keeps(n, IBA_NODE_PRODUCER)) /* 1 adapter, 2 switch */
        iba_notice_set_producer(w->bytes, n->cfg.type);
    iba_notice_set_trap(w->bytes, trap);
    iba_notice_set_issuerlid(w->bytes, n->port[port].info.lid);
    return w->bytes + DETAILS_AT;
}

/* A port sends traps only while it is Active and knows its SM (KM-59). Events before that give no notice. */
static bool may_trap(struct iba_node *n, uint8_t port)
{
    const struct iba_portinfo *i = &n->port[port].info;

    return i->lid && i->mastersmlid && (i->portstate == IBA_PORT_ACTIVE || !iba_node_keeps(n, IBA_NODE_TRAP_ACTIVE));
}

bool iba_node_notice(struct iba_node *n, uint8_t port, uint16_t trap, const uint8_t *details, iba_time now)
{
    uint8_t *d = may_trap(n, port) ? begin(n, port, trap, now) : NULL;

    if (d)
        memcpy(d, details, IBA_BYTES_notice_data);
    return d != NULL;
}

/* Returns whether a notice of this trap waits already. A second one would add nothing. */
static bool waits_already(const struct iba_node *n, uint16_t trap)
{
    for (unsigned i = 0; i < IBA_PENDING_NOTICES; i++)
        if (n->notice[i].tid && iba_notice_trap(n->notice[i].bytes) == trap)
            return true;
    return false;
}

void iba_notice_link(struct iba_node *n, iba_time now)
{
    enum { TRAP_LINK_STATE = 128 };
    uint8_t *d;

    if (!may_trap(n, 0) || waits_already(n, TRAP_LINK_STATE) || !(d = begin(n, 0, TRAP_LINK_STATE, now)))
        return;
    iba_trap_switch_set_lidaddr(d, n->port[0].info.lid);
}

/* Writes the capability mask of a port, in wire order, to `to`. */
static void put_capabilities(uint8_t *to, const struct iba_portinfo *i)
{
    uint8_t wire[IBA_BYTES_portinfo];

    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], i, wire);
    memcpy(to, wire + IBA_AT_portinfo_cap_hierarchy / 8, sizeof(uint32_t));
}

void iba_notice_local(struct iba_node *n, uint8_t port, iba_time now)
{
    enum { TRAP_LOCAL_CHANGE = 144 };
    const struct iba_portinfo *i = &n->port[port].info;
    uint8_t *d;

    if (!may_trap(n, port) || !i->cap_mask_notice || !(d = begin(n, port, TRAP_LOCAL_CHANGE, now)))
        return;
    iba_trap_local_set_lidaddr(d, i->lid);
    put_capabilities(d + IBA_AT_trap_local_capabilitymask / 8, i);
}

/* Notice of an M_Key violation (KM-08, MD-112). It has the return path of a directed SMP, from its end backwards, as
 * far as there is room. */
void iba_notice_mkey(struct iba_node *n, const struct iba_hop *h, uint8_t port)
{
    enum { TRAP_BAD_MKEY = 256, ROUTE_BYTES = IBA_W_trap_mkey_returnpath / 8 };
    const bool directed = iba_hop_is_directed(h);
    const uint8_t *route = h->mad + IBA_BYTES_madhdr;
    uint8_t *d;

    if (!may_trap(n, port) || waits_already(n, TRAP_BAD_MKEY) || !(d = begin(n, port, TRAP_BAD_MKEY, h->now)))
        return;
    iba_trap_mkey_set_lidaddr(d, h->lrh ? iba_lrh_slid(h->lrh) : 0);
    iba_trap_mkey_set_method(d, iba_madhdr_method(h->mad));
    iba_trap_mkey_set_attributeid(d, iba_madhdr_attributeid(h->mad));
    iba_trap_mkey_set_attributemodifier(d, iba_madhdr_attributemodifier(h->mad));
    iba_trap_mkey_set_mkey(d, iba_smplid_mkey(route));
    if (directed) {
        const unsigned hops = h->mad[7];
        const unsigned kept = hops < ROUTE_BYTES ? hops : ROUTE_BYTES;
        iba_trap_mkey_set_drslid(d, iba_smp_route_drslid(route));
        iba_trap_mkey_set_drnotice(d, 1);
        iba_trap_mkey_set_drpathtruncated(d, kept < hops);
        iba_trap_mkey_set_drhopcount(d, kept);
        memcpy(d + IBA_AT_trap_mkey_returnpath / 8, h->mad + 192 + hops - kept + 1, kept);
    }
}

/* Notice with the addresses and queue pairs of a packet whose key was wrong. */
void iba_notice_key(struct iba_node *n, const struct iba_hop *h, uint16_t trap, uint32_t key)
{
    uint8_t *d;

    if (!may_trap(n, h->in) || waits_already(n, trap) || !(d = begin(n, h->in, trap, h->now)))
        return;
    iba_trap_key_set_lidaddr1(d, iba_lrh_slid(h->lrh));
    iba_trap_key_set_lidaddr2(d, iba_lrh_dlid(h->lrh));
    iba_trap_key_set_key(d, key);
    iba_trap_key_set_sl(d, iba_lrh_sl(h->lrh));
    if (h->deth)
        iba_trap_key_set_qp1(d, iba_deth_srcqp(h->deth));
    iba_trap_key_set_qp2(d, iba_bth_destqp(h->bth));
    if (iba_view_has(h->view, IBA_H_grh)) {
        const uint8_t *grh = iba_view_hdr(h->view, IBA_H_grh);
        iba_trap_key_set_gidaddr1(d, iba_grh_sgid(grh));
        iba_trap_key_set_gidaddr2(d, iba_grh_dgid(grh));
    }
}

void iba_notice_switch_pkey(struct iba_node *n, const struct iba_hop *h, uint8_t port)
{
    enum { TRAP_SWITCH_PKEY = 259 };
    enum { LID1 = 1, LID2 = 2, PKEY = 4, SL = 8, QP1 = 16, QP2 = 32, GIDS = 64 | 128, SWLID = 256, PORT = 512 };
    const uint8_t *bth = iba_view_bth(h->view);
    unsigned valid = LID1 | LID2 | PKEY | SL | QP2 | SWLID | PORT;
    uint8_t *d;

    if (!may_trap(n, 0) || waits_already(n, TRAP_SWITCH_PKEY) || !(d = begin(n, 0, TRAP_SWITCH_PKEY, h->now)))
        return;
    iba_trap_switch_pkey_set_lidaddr1(d, iba_lrh_slid(h->lrh));
    iba_trap_switch_pkey_set_lidaddr2(d, iba_lrh_dlid(h->lrh));
    iba_trap_switch_pkey_set_pkey(d, iba_bth_p_key(bth));
    iba_trap_switch_pkey_set_sl(d, iba_lrh_sl(h->lrh));
    iba_trap_switch_pkey_set_qp2(d, iba_bth_destqp(bth));
    if (h->deth) {
        iba_trap_switch_pkey_set_qp1(d, iba_deth_srcqp(h->deth));
        valid |= QP1;
    }
    if (iba_view_has(h->view, IBA_H_grh)) {
        const uint8_t *grh = iba_view_hdr(h->view, IBA_H_grh);
        iba_trap_switch_pkey_set_gidaddr1(d, iba_grh_sgid(grh));
        iba_trap_switch_pkey_set_gidaddr2(d, iba_grh_dgid(grh));
        valid |= GIDS;
    }
    iba_trap_switch_pkey_set_swlid(d, n->port[0].info.lid);
    iba_trap_switch_pkey_set_portno(d, port);
    iba_trap_switch_pkey_set_valid(d, valid);
}

/* A TrapRepress has the transaction ID of its trap (KM-61). Software of the manager may use the upper 32 bits, so only
 * the lower 32 bits are compared. */
void iba_notice_repress(struct iba_node *n, uint64_t tid)
{
    for (unsigned i = 0; i < IBA_PENDING_NOTICES; i++)
        if (n->notice[i].tid && (uint32_t)n->notice[i].tid == (uint32_t)tid)
            n->notice[i].tid = 0;
}

const struct iba_notice_waiting *iba_notice_oldest(const struct iba_node *n)
{
    const struct iba_notice_waiting *oldest = NULL;

    for (unsigned i = 0; i < IBA_PENDING_NOTICES; i++)
        if (n->notice[i].tid && (!oldest || n->notice[i].tid < oldest->tid))
            oldest = &n->notice[i];
    return oldest;
}

iba_time iba_notice_deadline(const struct iba_node *n)
{
    iba_time first = IBA_NEVER;

    for (unsigned i = 0; i < IBA_PENDING_NOTICES; i++)
        if (n->notice[i].tid && n->notice[i].due < first)
            first = n->notice[i].due;
    return first;
}
