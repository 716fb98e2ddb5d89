/* SPDX-License-Identifier: BSD-2-Clause */
/* PortInfo: what a Set changes, field by field (KM-04, KM-20..KM-34). Fields that are legal take effect even if another
 * one is refused (KM-24). */
#include "fabric/iba_node_rules.h"
#include "fabric/iba_sma.h"

/* The port that is set, and what it is to be. */
static struct iba_portinfo *now(const struct iba_hop *h)
{
    return &h->port->info;
}

static const struct iba_portinfo *want(const struct iba_hop *h)
{
    return h->portinfo;
}

/* ---- which ports have the field ---- */

static bool end_port(const struct iba_hop *h)
{
    return !iba_node_is_switch(h->node) || h->port->number == 0;
}

static bool linked_port(const struct iba_hop *h)
{
    return !iba_node_is_switch(h->node) || h->port->number != 0;
}

static bool switch_port(const struct iba_hop *h)
{
    return iba_node_is_switch(h->node) && h->port->number != 0;
}

/* With PortState Down only the two states count (C14-24-2.1, MD-35). */
static bool goes_down(const struct iba_hop *h)
{
    return linked_port(h) && want(h)->portstate == IBA_PORT_DOWN;
}

/* ---- what is refused ---- */

static bool never(const struct iba_hop *h)
{
    (void)h;
    return false;
}

static bool lid_not_unicast(const struct iba_hop *h)
{
    return iba_lid_classify(want(h)->lid) != IBA_LID_UNICAST;
}

static bool smlid_not_unicast(const struct iba_hop *h)
{
    return iba_lid_classify(want(h)->mastersmlid) != IBA_LID_UNICAST;
}

static bool width_unsupported(const struct iba_hop *h)
{
    const uint8_t w = want(h)->linkwidthenabled;
    return w != UINT8_MAX && (w & ~now(h)->linkwidthsupported);
}

enum { ALL_SPEEDS = 15, ALL_EXT_SPEEDS = 31, NO_EXT_SPEED = 30 };

static bool speed_unsupported(const struct iba_hop *h)
{
    const uint8_t s = want(h)->linkspeedenabled;
    return s != ALL_SPEEDS && (s & ~now(h)->linkspeedsupported);
}

static bool ext_speed_unsupported(const struct iba_hop *h)
{
    const uint8_t s = want(h)->linkspeedextenabled;
    return s != ALL_EXT_SPEEDS && s != NO_EXT_SPEED && (s & ~now(h)->linkspeedextsupported);
}

static bool phys_state_impossible(const struct iba_hop *h)
{
    const uint8_t s = want(h)->portphysicalstate;

    if (s == IBA_PHYS_NOP)
        return false;
    return s > IBA_PHYS_DISABLED || (want(h)->portstate != IBA_PORT_NOP && want(h)->portstate != IBA_PORT_DOWN);
}

static bool state_impossible(const struct iba_hop *h)
{
    const uint8_t s = want(h)->portstate, is = now(h)->portstate;

    switch (s) {
    case IBA_PORT_NOP:
    case IBA_PORT_DOWN: return false;
    case IBA_PORT_ARMED: return is != IBA_PORT_INIT && is != IBA_PORT_ARMED;
    case IBA_PORT_ACTIVE: return is != IBA_PORT_ARMED && is != IBA_PORT_ACTIVE;
    default: return true;
    }
}

static bool down_state_reserved(const struct iba_hop *h)
{
    return want(h)->linkdowndefaultstate > IBA_PHYS_POLLING;
}

static bool mtu_beyond(const struct iba_hop *h)
{
    return want(h)->neighbormtu < IBA_MTU_256 || want(h)->neighbormtu > now(h)->mtucap;
}

static bool vls_beyond(const struct iba_hop *h)
{
    return want(h)->operationalvls > now(h)->vlcap;
}

static bool no_inbound_enforcement(const struct iba_hop *h)
{
    return want(h)->partitionenforcementinbound && !h->node->sw.inboundenforcementcap;
}

static bool no_outbound_enforcement(const struct iba_hop *h)
{
    return want(h)->partitionenforcementoutbound && !h->node->sw.outboundenforcementcap;
}

/* ---- what is done ---- */

#define TAKE(name, field)                                                                                              \
    static void name(struct iba_hop *h)                                                                                \
    {                                                                                                                  \
        now(h)->field = want(h)->field;                                                                                \
    }
TAKE(take_mkey, m_key)
TAKE(take_prefix, guid)
TAKE(take_lid, lid)
TAKE(take_smlid, mastersmlid)
TAKE(take_lease, m_keyleaseperiod)
TAKE(take_protection, m_keyprotectbits)
TAKE(take_lmc, lmc)
TAKE(take_smsl, mastersmsl)
TAKE(take_mtu, neighbormtu)
TAKE(take_high_limit, vlhighlimit)
TAKE(take_stall, vlstallcount)
TAKE(take_hoqlife, hoqlife)
TAKE(take_in, partitionenforcementinbound)
TAKE(take_out, partitionenforcementoutbound)
TAKE(take_raw_in, filterrawinbound)
TAKE(take_raw_out, filterrawoutbound)
TAKE(take_timeout, subnettimeout)
TAKE(take_physical_errors, localphyerrors)
TAKE(take_overrun_errors, overrunerrors)

/* A field in which 0 means no change, and a code all that are supported. */
static void take_width(struct iba_hop *h)
{
    const uint8_t w = want(h)->linkwidthenabled;

    if (w)
        now(h)->linkwidthenabled = w == UINT8_MAX ? now(h)->linkwidthsupported : w;
}

static void take_speed(struct iba_hop *h)
{
    const uint8_t s = want(h)->linkspeedenabled;

    if (s)
        now(h)->linkspeedenabled = s == ALL_SPEEDS ? now(h)->linkspeedsupported : s;
}

static void take_ext_speed(struct iba_hop *h)
{
    const uint8_t s = want(h)->linkspeedextenabled;

    if (s)
        now(h)->linkspeedextenabled = s == ALL_EXT_SPEEDS ? now(h)->linkspeedextsupported : s;
}

static void take_down_state(struct iba_hop *h)
{
    if (want(h)->linkdowndefaultstate)
        now(h)->linkdowndefaultstate = want(h)->linkdowndefaultstate;
}

static void take_vls(struct iba_hop *h)
{
    if (want(h)->operationalvls)
        now(h)->operationalvls = want(h)->operationalvls;
}

/* Only 0 has an effect (KM-04, PV-16, PV-18). */
static void clear_violations(struct iba_hop *h)
{
    if (!want(h)->m_keyviolations)
        now(h)->m_keyviolations = 0;
    if (!want(h)->p_keyviolations)
        now(h)->p_keyviolations = 0;
    if (!want(h)->q_keyviolations)
        now(h)->q_keyviolations = 0;
}

static void reregister(struct iba_hop *h)
{
    h->reregister = want(h)->clientreregister;
    h->port->reregister = h->port->reregister || h->reregister;
}

/* Down by order: the link goes to the physical state that was asked for, or to the default. Its other end notices
 * (iba_link_settle). */
static void take_state(struct iba_hop *h)
{
    struct iba_portinfo *i = now(h);
    const uint8_t s = want(h)->portstate, phys = want(h)->portphysicalstate;

    if (s == IBA_PORT_DOWN || (s == IBA_PORT_NOP && phys != IBA_PHYS_NOP)) {
        i->portphysicalstate = phys ? phys : i->linkdowndefaultstate;
        i->portstate = IBA_PORT_DOWN;
        iba_port_flush(h->node, h->port);
        h->port->link_work = true;
    } else if (s != IBA_PORT_NOP) {
        i->portstate = s;
    }
}

static bool state_or_phys_impossible(const struct iba_hop *h)
{
    return phys_state_impossible(h) || state_impossible(h);
}

/* F(name, has, refused, then, sentence, clause): on ports that have the field, the Set is refused or done. */
struct field_rule {
    struct iba_fabric_row row;
    iba_hop_when *has, *refused;
    iba_hop_then *then;
};
/* clang-format off */
/*    name              of           refused                  then                  a Set ...                                                            clause */
#define PORTINFO_RULES(F)                                                                                                                                          \
    F(m_key,            end_port,    never,                   take_mkey,            "takes the M_Key",                                                   "KM-01")  \
    F(gid_prefix,       end_port,    never,                   take_prefix,          "takes the GID prefix",                                              "KM-37")  \
    F(lid,              end_port,    lid_not_unicast,         take_lid,             "takes the LID, and refuses all but 0x0001 to 0xBFFF",               "KM-31")  \
    F(sm_lid,           end_port,    smlid_not_unicast,       take_smlid,           "takes the LID of the SM, and refuses all but 0x0001 to 0xBFFF",     "KM-31, KM-43") \
    F(lease,            end_port,    never,                   take_lease,           "takes the lease of the M_Key",                                      "KM-05")  \
    F(protection,       end_port,    never,                   take_protection,      "takes the protection level of the M_Key",                           "KM-02")  \
    F(lmc,              end_port,    never,                   take_lmc,             "takes the LMC",                                                     "KM-21")  \
    F(sm_sl,            end_port,    never,                   take_smsl,            "takes the SL to the SM",                                            "KM-59")  \
    F(subnet_timeout,   end_port,    never,                   take_timeout,         "takes the time between traps",                                      "KM-33, KM-60") \
    F(reregister,       end_port,    never,                   reregister,           "asks clients to register again",                                    "KM-30")  \
    F(violations,       linked_port, never,                   clear_violations,     "clears those counters of violations for which it has 0",            "KM-04, PV-16, PV-18, KM-20") \
    F(width,            linked_port, width_unsupported,       take_width,           "takes the widths, and refuses widths that are not supported",       "KM-28")  \
    F(speed,            linked_port, speed_unsupported,       take_speed,           "takes the speeds, and refuses speeds that are not supported",       "KM-28")  \
    F(ext_speed,        linked_port, ext_speed_unsupported,   take_ext_speed,       "takes the extended speeds, and refuses those not supported",        "KM-28")  \
    F(down_state,       linked_port, down_state_reserved,     take_down_state,      "takes the default state of a link that is down",                    "MD-35")  \
    F(mtu,              linked_port, mtu_beyond,              take_mtu,             "takes the neighbour's MTU, and refuses more than the port's own",   "KM-29")  \
    F(vls,              linked_port, vls_beyond,              take_vls,             "takes the operational VLs, and refuses more than there are",        "KM-29")  \
    F(high_limit,       linked_port, never,                   take_high_limit,      "takes the limit of high priority",                                  "KM-46")  \
    F(stall_count,      switch_port, never,                   take_stall,           "takes the number of timeouts that stall a VL",                      "KM-50")  \
    F(hoq_life,         switch_port, never,                   take_hoqlife,         "takes the lifetime of a packet at the head of its queue",           "KM-50")  \
    F(enforce_in,       switch_port, no_inbound_enforcement,  take_in,              "switches the enforcement of partitions for packets that come by the port",              "KM-16")  \
    F(enforce_out,      switch_port, no_outbound_enforcement, take_out,             "switches the enforcement of partitions for packets that leave by it",             "KM-16")  \
    F(filter_raw_in,    switch_port, never,                   take_raw_in,          "switches the filter of raw packets that come by the port",                  "KM-16, UU-41")  \
    F(filter_raw_out,   switch_port, never,                   take_raw_out,         "switches the filter of raw packets that leave by it",                 "KM-16, UU-41")  \
    F(physical_errors,  linked_port, never,                   take_physical_errors, "takes the threshold of local physical errors",                      "MD-110") \
    F(overrun_errors,   linked_port, never,                   take_overrun_errors,  "takes the threshold of buffer overruns",                            "MD-110") \
    F(state,            linked_port, state_or_phys_impossible, take_state,          "moves the port: down, Init to Armed, Armed to Active, no other way", "KM-25, KM-26")
/* clang-format on */
#define FIELD_RULE(name_, has_, refused_, then_, sentence_, clause_)                                                   \
    {{#name_, sentence_, clause_}, has_, refused_, then_},
static const struct field_rule fields[] = {PORTINFO_RULES(FIELD_RULE)};
IBA_FABRIC_TABLE(iba_portinfo_rules, IBA_FABRIC_PORTINFO, "portinfo", "Set(PortInfo), field by field", fields)

enum { FIELD_COUNT = sizeof fields / sizeof *fields, STATE_ROW = FIELD_COUNT - 1 };

void iba_sma_set_portinfo(struct iba_hop *h)
{
    struct iba_portinfo w;

    iba_layout_get(&iba_mad_layouts[IBA_M_portinfo], h->data, &w);
    h->portinfo = &w;
    for (unsigned i = goes_down(h) ? STATE_ROW : 0; i < FIELD_COUNT; i++) {
        if (!fields[i].has(h) || !iba_node_has_row(h->node, &iba_portinfo_rules, i))
            continue;
        h->node->hits[IBA_FABRIC_PORTINFO][i]++;
        if (fields[i].refused(h))
            h->status = IBA_MAD_BAD_VALUE;
        else
            fields[i].then(h);
    }
    h->portinfo = NULL;
}

/* KM-23: of an adapter 0 is the port that the request came by. Bit 31 says that the manager knows extended speeds. */
bool iba_sma_find_port(struct iba_hop *h)
{
    const uint32_t number = iba_sma_modifier(h) & 0x7fffffff;
    const uint32_t port = number == 0 && !iba_node_is_switch(h->node) ? h->in : number;

    if (port > h->node->cfg.n_port)
        return false;
    h->port = &h->node->port[port];
    return true;
}

/* KM-02: at level 1 only who has the M_Key sees it. KM-30: the bit is returned as it was set, and else 0. */
void iba_sma_get_portinfo(const struct iba_hop *h)
{
    enum { HIDE_KEY = 1 };
    const struct iba_portinfo *end = &iba_node_end_port(h->node, h->in)->info;
    const bool set = iba_madhdr_method(h->mad) == IBA_METHOD_SET;
    struct iba_portinfo i = *now(h);

    i.localportnum = h->in;
    i.clientreregister = h->reregister;
    if (!end_port(h) ||
        (!set && i.m_keyprotectbits == HIDE_KEY && end->m_key != iba_smplid_mkey(h->mad + IBA_BYTES_madhdr)))
        i.m_key = 0;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &i, h->data);
    if (!iba_node_keeps(h->node, IBA_NODE_CAPABILITIES))
        memset(h->data + IBA_AT_portinfo_cap_hierarchy / 8, 0, sizeof(uint32_t));
}
