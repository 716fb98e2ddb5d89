/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet management agent, one for adapters and switches (section 14.2): who may ask, the M_Key, and the
 * attributes. */
#include "fabric/iba_node_rules.h"
#include "fabric/iba_sma.h"

/* ---- conditions ---- */

static unsigned method(const struct iba_hop *h)
{
    return iba_madhdr_method(h->mad);
}

static uint64_t mkey_of(const struct iba_hop *h)
{
    return iba_smplid_mkey(h->mad + IBA_BYTES_madhdr);
}

static bool for_manager(const struct iba_hop *h)
{
    return (method(h) & IBA_METHOD_RESPONSE) || method(h) == IBA_METHOD_TRAP ||
           iba_madhdr_attributeid(h->mad) == IBA_ATTR_SM_INFO;
}

static bool other_version(const struct iba_hop *h)
{
    return iba_madhdr_baseversion(h->mad) != 1 || iba_madhdr_classversion(h->mad) != 1;
}

static bool key_fits(const struct iba_hop *h)
{
    const struct iba_portinfo *i = &iba_node_end_port(h->node, h->in)->info;

    return i->m_key == 0 || i->m_key == mkey_of(h);
}

static bool key_wrong_for_change(const struct iba_hop *h)
{
    return (method(h) == IBA_METHOD_SET || method(h) == IBA_METHOD_TRAP_REPRESS) && !key_fits(h);
}

/* Levels 0 and 1 let everybody read (KM-02). */
static bool key_wrong_for_get(const struct iba_hop *h)
{
    enum { KEY_FOR_GET = 2 };
    return method(h) == IBA_METHOD_GET && !key_fits(h) &&
           iba_node_end_port(h->node, h->in)->info.m_keyprotectbits >= KEY_FOR_GET;
}

static bool repress(const struct iba_hop *h)
{
    return method(h) == IBA_METHOD_TRAP_REPRESS;
}

static bool other_method(const struct iba_hop *h)
{
    return method(h) != IBA_METHOD_GET && method(h) != IBA_METHOD_SET;
}

static bool unknown_attribute(const struct iba_hop *h)
{
    return !h->attribute;
}

static bool not_to_be_set(const struct iba_hop *h)
{
    return method(h) == IBA_METHOD_SET && !h->attribute->set;
}

static bool no_such_modifier(const struct iba_hop *h)
{
    return !h->port;
}

static bool is_set(const struct iba_hop *h)
{
    return method(h) == IBA_METHOD_SET;
}

/* ---- actions ---- */

static void to_software(struct iba_hop *h)
{
    if (!key_fits(h) && (method(h) & IBA_METHOD_RESPONSE) && !iba_node_keeps(h->node, IBA_NODE_ANSWER_KEY))
        return;
    iba_hop_forward_mad(h, IBA_NO_PORT, 0, 0);
}

/* KM-03..KM-05: silence, a violation, the lease begins to run, and the manager is notified. */
static void refuse_silently(struct iba_hop *h)
{
    enum { SECOND = 1000000000 };
    const uint8_t port = iba_node_is_switch(h->node) ? 0 : h->in;
    struct iba_node_port *p = &h->node->port[port];

    iba_count16(&p->info.m_keyviolations);
    if (p->info.m_keyleaseperiod && p->mkey_lease_ends == IBA_NEVER)
        p->mkey_lease_ends = h->now + (iba_time)p->info.m_keyleaseperiod * SECOND;
    iba_notice_mkey(h->node, h, port);
}

static void respond_with(struct iba_hop *h, uint16_t status)
{
    h->status = status;
    iba_hop_answer(h);
}

static void answer_bad_version(struct iba_hop *h)
{
    respond_with(h, IBA_MAD_BAD_VERSION);
}

static void answer_bad_method(struct iba_hop *h)
{
    respond_with(h, IBA_MAD_BAD_METHOD);
}

static void answer_bad_attribute(struct iba_hop *h)
{
    respond_with(h, IBA_MAD_BAD_ATTRIBUTE);
}

static void answer_bad_value(struct iba_hop *h)
{
    respond_with(h, IBA_MAD_BAD_VALUE);
}

static void stop_trap(struct iba_hop *h)
{
    iba_notice_repress(h->node, iba_madhdr_transactionid(h->mad));
}

static void answer_get(struct iba_hop *h)
{
    memset(h->data, 0, IBA_SMP_DATA_BYTES);
    h->attribute->get(h);
    iba_hop_answer(h);
}

/* The answer to a Set has the attribute as it is then (MD-32). */
static void answer_set(struct iba_hop *h)
{
    h->attribute->set(h);
    answer_get(h);
}

/* clang-format off */
/*    name               when                  then                 the request ...                                                          clause */
#define AGENT_RULES(R)                                                                                                                                \
    R(for_manager,       for_manager,          to_software,         "is an answer, a trap or about SMInfo: for the manager's software",      "MD-04, KM-52") \
    R(other_version,     other_version,        answer_bad_version,  "has another base or class version than 1",                              "MD-02") \
    R(key_for_change,    key_wrong_for_change, refuse_silently,     "is a Set or TrapRepress without the M_Key",                             "KM-01, KM-02, KM-03") \
    R(key_for_get,       key_wrong_for_get,    refuse_silently,     "is a Get without the M_Key, and the protection level is 2 or 3",        "KM-02, KM-03") \
    R(repress,           repress,              stop_trap,           "is a TrapRepress: the trap is not sent again, and nothing is answered", "KM-61") \
    R(other_method,      other_method,         answer_bad_method,   "has a method that an agent does not have",                              "MD-05") \
    R(unknown_attribute, unknown_attribute,    answer_bad_attribute, "is about an attribute that the node does not have",                    "MD-05, MD-31") \
    R(not_to_be_set,     not_to_be_set,        answer_bad_attribute, "sets an attribute that can only be read",                              "MD-05, KM-42") \
    R(no_such_modifier,  no_such_modifier,     answer_bad_value,    "has a modifier that names no port or block of the node",                "KM-12, KM-23") \
    R(set,               is_set,               answer_set,          "is a Set",                                                              "MD-32") \
    R(get,               iba_hop_any,          answer_get,          "is a Get",                                                              "MD-04")
/* clang-format on */
IBA_HOP_TABLE(AGENT_RULES, iba_agent_rules, IBA_FABRIC_AGENT, "agent", "Requests to the subnet management agent")

/* ---- attributes of the node ---- */

static bool find_end_port(struct iba_hop *h)
{
    h->port = iba_node_end_port(h->node, h->in);
    return true;
}

static void get_description(const struct iba_hop *h)
{
    memcpy(h->data, h->node->cfg.description, IBA_BYTES_nodedescription);
}

static void get_nodeinfo(const struct iba_hop *h)
{
    const struct iba_node_config *c = &h->node->cfg;
    const struct iba_nodeinfo info = {.baseversion = 1,
                                      .classversion = 1,
                                      .nodetype = c->type,
                                      .numports = c->n_port,
                                      .systemimageguid = c->system_guid,
                                      .nodeguid = c->node_guid,
                                      .portguid = h->port->guid[0],
                                      .partitioncap = c->pkeys,
                                      .deviceid = c->device,
                                      .revision = c->revision,
                                      .localportnum = h->in,
                                      .vendorid = c->vendor};

    iba_layout_put(&iba_mad_layouts[IBA_M_nodeinfo], &info, h->data);
}

/* KM-62: the oldest notice that waits; type 0x7f is none. */
static void get_notice(const struct iba_hop *h)
{
    enum { TYPE_EMPTY = 0x7f };
    const struct iba_notice_waiting *w = iba_notice_oldest(h->node);

    if (w)
        memcpy(h->data, w->bytes, sizeof w->bytes);
    else
        iba_notice_set_type(h->data, TYPE_EMPTY);
}

static void set_notice(struct iba_hop *h)
{
    const struct iba_notice_waiting *w = iba_notice_oldest(h->node);

    if (w && memcmp(h->data, w->bytes, sizeof w->bytes) == 0)
        iba_notice_repress(h->node, w->tid);
}

/* clang-format off */
/*    name              id      nodes           find                 get                     set                     the agent ...                                                     clause */
#define ATTRIBUTES(A)                                                                                                                                                                                \
    A(notice,           0x0002, IBA_SMA_BOTH,   find_end_port,       get_notice,             set_notice,             "gives the oldest notice that nobody has repressed",               "KM-62")        \
    A(node_description, 0x0010, IBA_SMA_BOTH,   find_end_port,       get_description,        NULL,                   "gives the node's description",                                   "KM-42")         \
    A(node_info,        0x0011, IBA_SMA_BOTH,   find_end_port,       get_nodeinfo,           NULL,                   "gives the node's type, GUIDs and the port that the request came by", "KM-41")    \
    A(switch_info,      0x0012, IBA_SMA_SWITCH, find_end_port,       iba_sma_get_switchinfo, iba_sma_set_switchinfo, "gives and takes what a switch does with all packets",            "MD-31, KM-63")  \
    A(guid_info,        0x0014, IBA_SMA_BOTH,   iba_sma_find_guids,  iba_sma_get_guids,      iba_sma_set_guids,      "gives and takes the GUIDs of a port; the first one only given",  "KM-36")         \
    A(port_info,        0x0015, IBA_SMA_BOTH,   iba_sma_find_port,   iba_sma_get_portinfo,   iba_sma_set_portinfo,   "gives and takes state and addresses of a port",                  "KM-23, MD-33")  \
    A(pkey_table,       0x0016, IBA_SMA_BOTH,   iba_sma_find_pkeys,  iba_sma_get_pkeys,      iba_sma_set_pkeys,      "gives and takes 32 P_Keys of a port",                            "KM-11, KM-14")  \
    A(sl_to_vl,         0x0017, IBA_SMA_BOTH,   iba_sma_find_sl2vl,  iba_sma_get_sl2vl,      iba_sma_set_sl2vl,      "gives and takes the VLs of the 16 SLs",                          "KM-44")         \
    A(vl_arbitration,   0x0018, IBA_SMA_BOTH,   iba_sma_find_vlarb,  iba_sma_get_vlarb,      iba_sma_set_vlarb,      "gives and takes 32 entries of VL arbitration",                   "KM-46")         \
    A(linear_table,     0x0019, IBA_SMA_SWITCH, iba_sma_find_lft,    iba_sma_get_lft,        iba_sma_set_lft,        "gives and takes the ports of 64 LIDs",                           "KM-63")         \
    A(multicast_table,  0x001b, IBA_SMA_SWITCH, iba_sma_find_mft,    iba_sma_get_mft,        iba_sma_set_mft,        "gives and takes 16 ports of 32 multicast LIDs",                  "KM-63")
/* clang-format on */
#define ATTRIBUTE(name_, id_, nodes_, find_, get_, set_, sentence_, clause_)                                           \
    {{#name_, sentence_, clause_}, id_, nodes_, find_, get_, set_},
static const struct iba_sma_attribute attributes[] = {ATTRIBUTES(ATTRIBUTE)};
IBA_FABRIC_TABLE(iba_sma_attributes, IBA_FABRIC_ATTRIBUTE, "attributes", "Attributes of the agent", attributes)

static const struct iba_sma_attribute *attribute_of(const struct iba_hop *h)
{
    enum { SL_TO_VL = 0x0017 };
    const uint16_t id = iba_madhdr_attributeid(h->mad);

    if (id == SL_TO_VL && h->node->cfg.unmapped && iba_node_keeps(h->node, IBA_NODE_UNMAPPED))
        return NULL;
    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].id == id && (attributes[i].nodes >> h->node->cfg.type & 1) &&
            iba_node_has_row(h->node, &iba_sma_attributes, i)) {
            h->node->hits[IBA_FABRIC_ATTRIBUTE][i]++;
            return &attributes[i];
        }
    return NULL;
}

/* KM-06, KM-07: a lease that is over opens the port; a request with the key stops the lease. */
static void mind_lease(struct iba_hop *h)
{
    struct iba_node_port *p = iba_node_end_port(h->node, h->in);

    if (p->mkey_lease_ends <= h->now) {
        p->info.m_keyprotectbits = 0;
        p->mkey_lease_ends = IBA_NEVER;
    }
    if (p->mkey_lease_ends != IBA_NEVER && key_fits(h) && !for_manager(h) &&
        (is_set(h) || repress(h) || method(h) == IBA_METHOD_GET) && iba_node_keeps(h->node, IBA_NODE_LEASE_STOPS))
        p->mkey_lease_ends = IBA_NEVER;
}

void iba_sma_request(struct iba_hop *h)
{
    if (!iba_node_is_switch(h->node) && h->in == 0)
        return;
    mind_lease(h);
    h->data = h->mad + IBA_SMP_DATA_AT;
    h->status = IBA_MAD_OK;
    h->attribute = for_manager(h) ? NULL : attribute_of(h);
    if (h->attribute && !h->attribute->find(h))
        h->port = NULL;
    iba_hop_apply(h, &iba_agent_rules);
}
