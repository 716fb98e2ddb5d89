/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends the notices that wait as traps, and again until a TrapRepress comes (o14-2, KM-58..KM-61). */
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"

static void send_trap(struct iba_node *n, const struct iba_notice_waiting *w, iba_time now)
{
    const struct iba_portinfo *i = &n->port[w->port].info;
    const struct iba_mgmt_to to = {.dlid = i->mastersmlid, .slid = i->lid, .sl = i->mastersmsl, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES] = {0};

    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_SMP);
    iba_madhdr_set_classversion(mad, 1);
    iba_madhdr_set_method(mad, IBA_METHOD_TRAP);
    iba_madhdr_set_transactionid(mad, w->tid);
    iba_madhdr_set_attributeid(mad, IBA_ATTR_NOTICE);
    memcpy(mad + IBA_SMP_DATA_AT, w->bytes, sizeof w->bytes);
    if (!iba_node_keeps(n, IBA_NODE_TRAP_KEY))
        iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, i->m_key);
    iba_node_send_mad(n, w->port, &to, mad, now);
}

/* A port that lost its SM or its link gives its notices up. */
static bool lost_its_manager(const struct iba_node *n, const struct iba_notice_waiting *w)
{
    const struct iba_portinfo *i = &n->port[w->port].info;

    return !i->mastersmlid || (i->portstate != IBA_PORT_ACTIVE && iba_node_would_keep(n, IBA_NODE_TRAP_ACTIVE));
}

void iba_notice_advance(struct iba_node *n, iba_time now)
{
    for (unsigned i = 0; i < IBA_PENDING_NOTICES; i++) {
        struct iba_notice_waiting *w = &n->notice[i];
        if (!w->tid || w->due > now)
            continue;
        if (lost_its_manager(n, w)) {
            w->tid = 0;
            continue;
        }
        send_trap(n, w, now);
        w->due = now + ((iba_time)4096 << n->port[w->port].info.subnettimeout);
    }
}
