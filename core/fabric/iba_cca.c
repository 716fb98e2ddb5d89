/* SPDX-License-Identifier: BSD-2-Clause */
/* The congestion control agent (annex A10): who may ask, the CC_Key, and the attributes of class 0x21. A CC_Key works
 * as an M_Key does (MD-116). */
#include "fabric/iba_hop.h"

enum { CC_KEY_AT = 24, LOG_AT = 32, DATA_AT = 64, DATA_BYTES = 192, CLASS_VERSION = 2 };

/* A(name, id, nodes, get, set, sentence, clause) */
struct iba_cca_attribute {
    struct iba_fabric_row row;
    uint16_t id;
    uint8_t nodes; /* the kinds of nodes that have the attribute, as a set of bits: enum iba_node_type */
    void (*get)(const struct iba_hop *h); /* fills h->data, which is zero */
    void (*set)(struct iba_hop *h); /* takes over h->data, or sets h->status to the reason why not; NULL: the attribute
                                       cannot be set */
};

static struct iba_congestion *state_of(const struct iba_hop *h)
{
    return &h->node->congestion[iba_node_is_switch(h->node) ? 0 : h->in];
}

static uint32_t modifier(const struct iba_hop *h)
{
    return iba_madhdr_attributemodifier(h->mad);
}

/* ---- conditions ---- */

static unsigned method(const struct iba_hop *h)
{
    return iba_madhdr_method(h->mad);
}

static bool other_version(const struct iba_hop *h)
{
    return iba_madhdr_baseversion(h->mad) != 1 || iba_madhdr_classversion(h->mad) != CLASS_VERSION;
}

static bool key_fits(const struct iba_hop *h)
{
    const uint64_t key = state_of(h)->guard.key;

    return key == 0 || key == iba_cc_key_cckey(h->mad + CC_KEY_AT);
}

static bool is_set(const struct iba_hop *h)
{
    return method(h) == IBA_METHOD_SET;
}

static bool key_wrong_for_set(const struct iba_hop *h)
{
    return is_set(h) && !key_fits(h);
}

static bool key_wrong_for_get(const struct iba_hop *h)
{
    return method(h) == IBA_METHOD_GET && !key_fits(h) && state_of(h)->guard.protect;
}

static bool other_method(const struct iba_hop *h)
{
    return method(h) != IBA_METHOD_GET && method(h) != IBA_METHOD_SET;
}

static bool unknown_attribute(const struct iba_hop *h)
{
    return !h->cc_attribute;
}

static bool not_to_be_set(const struct iba_hop *h)
{
    return is_set(h) && !h->cc_attribute->set;
}

/* Returns the number of blocks of an attribute; 0: it has no blocks, and its modifier is ignored. */
static unsigned blocks_of(const struct iba_hop *h)
{
    enum { ATTR_SWITCH_PORT = 0x15, ATTR_TABLE = 0x17 };

    if (h->cc_attribute->id == ATTR_SWITCH_PORT)
        return h->node->cfg.n_port / IBA_CC_PORTS_BLOCK + 1u;
    return h->cc_attribute->id == ATTR_TABLE ? IBA_CCT_BLOCKS : 0;
}

static bool no_such_block(const struct iba_hop *h)
{
    return blocks_of(h) > 0 && modifier(h) >= blocks_of(h);
}

/* ---- actions ---- */

static void refuse_silently(struct iba_hop *h)
{
    iba_guard_violated(&state_of(h)->guard, h->now);
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

static void answer_get(struct iba_hop *h)
{
    memset(h->mad + LOG_AT, 0, DATA_AT - LOG_AT + DATA_BYTES);
    h->cc_attribute->get(h);
    iba_hop_answer(h);
}

/* The answer to a Set has the attribute as it is after the Set. */
static void answer_set(struct iba_hop *h)
{
    h->cc_attribute->set(h);
    answer_get(h);
}

/* clang-format off */
/*    name               when               then                  the request ...                                                            clause */
#define CCA_RULES(R)                                                                                                                                  \
    R(other_version,     other_version,     answer_bad_version,   "has another base version than 1 or class version than 2",                "MD-115") \
    R(key_for_change,    key_wrong_for_set, refuse_silently,      "is a Set without the CC_Key",                                            "MD-116") \
    R(key_for_get,       key_wrong_for_get, refuse_silently,      "is a Get without the CC_Key, which is protected",                        "MD-116") \
    R(other_method,      other_method,      answer_bad_method,    "has a method that the agent does not have",                              "MD-05")  \
    R(unknown_attribute, unknown_attribute, answer_bad_attribute, "is about an attribute that the node does not have",                      "MD-05, MD-115") \
    R(not_to_be_set,     not_to_be_set,     answer_bad_attribute, "sets an attribute that can only be read",                                "MD-05")  \
    R(no_such_block,     no_such_block,     answer_bad_value,     "names a block beyond the ports, or beyond the CongestionControlTable",   "MD-117") \
    R(set,               is_set,            answer_set,           "is a Set",                                                               "MD-115") \
    R(get,               iba_hop_any,       answer_get,           "is a Get",                                                               "MD-115")
/* clang-format on */
IBA_HOP_TABLE(CCA_RULES, iba_cca_rules, IBA_FABRIC_CONGESTION, "congestion", "Requests to the congestion control agent")

/* ---- attributes ---- */

static void get_class_info(const struct iba_hop *h)
{
    enum { RESPONSE_TIME = 16 };

    iba_classportinfo_set_baseversion(h->data, 1);
    iba_classportinfo_set_classversion(h->data, CLASS_VERSION);
    iba_classportinfo_set_resptimevalue(h->data, RESPONSE_TIME);
}

static void get_info(const struct iba_hop *h)
{
    iba_cc_info_set_controltablecap(h->data, iba_node_is_switch(h->node) ? 0 : IBA_CCT_BLOCKS);
}

static void get_key(const struct iba_hop *h)
{
    const struct iba_key_guard *g = &state_of(h)->guard;

    iba_cc_key_info_set_key(h->data, g->key);
    iba_cc_key_info_set_protectbit(h->data, g->protect);
    iba_cc_key_info_set_leaseperiod(h->data, g->lease_s);
    iba_cc_key_info_set_violations(h->data, g->violations);
}

static void set_key(struct iba_hop *h)
{
    struct iba_key_guard *g = &state_of(h)->guard;

    g->key = iba_cc_key_info_key(h->data);
    g->protect = iba_cc_key_info_protectbit(h->data);
    g->lease_s = (uint16_t)iba_cc_key_info_leaseperiod(h->data);
    g->violations = (uint16_t)iba_cc_key_info_violations(h->data);
}

static void get_switch(const struct iba_hop *h)
{
    memcpy(h->data, state_of(h)->of_switch, IBA_BYTES_cc_switch);
}

static void set_switch(struct iba_hop *h)
{
    iba_cc_switch_set_reserved1(h->data, 0);
    iba_cc_switch_set_reserved2(h->data, 0);
    memcpy(state_of(h)->of_switch, h->data, IBA_BYTES_cc_switch);
}

/* Returns the bytes of the port in the block; NULL: the port is in another block. */
static uint8_t *part_of(const struct iba_hop *h, unsigned port)
{
    const unsigned first = modifier(h) * IBA_CC_PORTS_BLOCK;

    return port < first || port >= first + IBA_CC_PORTS_BLOCK
               ? NULL
               : h->data + (size_t)(port - first) * IBA_BYTES_cc_switch_port;
}

static void get_switch_ports(const struct iba_hop *h)
{
    for (unsigned p = 0; p <= h->node->cfg.n_port; p++) {
        uint8_t *part = part_of(h, p);
        if (part)
            memcpy(part, h->node->port[p].congestion, IBA_BYTES_cc_switch_port);
    }
}

static void set_switch_ports(struct iba_hop *h)
{
    for (unsigned p = 0; p <= h->node->cfg.n_port; p++) {
        uint8_t *part = part_of(h, p);
        if (!part)
            continue;
        iba_cc_switch_port_set_reserved1(part, 0);
        memcpy(h->node->port[p].congestion, part, IBA_BYTES_cc_switch_port);
    }
}

static void get_adapter(const struct iba_hop *h)
{
    memcpy(h->data, state_of(h)->of_adapter, sizeof state_of(h)->of_adapter);
}

static void set_adapter(struct iba_hop *h)
{
    for (unsigned sl = 0; sl < IBA_CC_SLS; sl++)
        iba_cc_ca_entry_set_reserved1(h->data + IBA_BYTES_cc_ca + (size_t)sl * IBA_BYTES_cc_ca_entry, 0);
    memcpy(state_of(h)->of_adapter, h->data, sizeof state_of(h)->of_adapter);
}

static void get_table(const struct iba_hop *h)
{
    const struct iba_congestion *c = state_of(h);

    iba_cc_table_set_cctilimit(h->data, c->limit);
    memcpy(h->data + IBA_BYTES_cc_table, c->table[modifier(h) * IBA_CCT_BLOCK], sizeof c->table / IBA_CCT_BLOCKS);
}

static void set_table(struct iba_hop *h)
{
    const unsigned limit = iba_cc_table_cctilimit(h->data);
    struct iba_congestion *c = state_of(h);

    if (limit >= IBA_CCT_BLOCKS * IBA_CCT_BLOCK) {
        h->status = IBA_MAD_BAD_VALUE;
        return;
    }
    c->limit = (uint16_t)limit;
    memcpy(c->table[modifier(h) * IBA_CCT_BLOCK], h->data + IBA_BYTES_cc_table, sizeof c->table / IBA_CCT_BLOCKS);
}

static uint32_t time_stamp(const struct iba_hop *h)
{
    enum { UNIT_NS = 1024 };
    return (uint32_t)(h->now / UNIT_NS);
}

/* The log is always empty, since the agent records no events. */
static void get_log(const struct iba_hop *h)
{
    enum { OF_SWITCH = 1, OF_ADAPTER = 2 };
    uint8_t *log = h->mad + LOG_AT;

    iba_cc_log_set_logtype(log, iba_node_is_switch(h->node) ? OF_SWITCH : OF_ADAPTER);
    if (iba_node_is_switch(h->node))
        iba_cc_log_switch_set_currenttimestamp(log + IBA_BYTES_cc_log, time_stamp(h));
    else
        iba_cc_log_ca_set_currenttimestamp(log + IBA_BYTES_cc_log, time_stamp(h));
}

static void get_time(const struct iba_hop *h)
{
    iba_cc_timestamp_set_timestamp(h->data, time_stamp(h));
}

enum { SWITCH = 1 << IBA_NODE_SWITCH, CA = 1 << IBA_NODE_CA, ANY = SWITCH | CA };
/* clang-format off */
/*    name             id      nodes   get               set               the agent ...                                                                      clause */
#define ATTRIBUTES(A)                                                                                                                                                  \
    A(class_port_info, 0x0001, ANY,    get_class_info,   NULL,             "says its versions",                                                               "MD-115") \
    A(info,            0x0011, ANY,    get_info,         NULL,             "says how many blocks of 64 entries its CongestionControlTable has",               "MD-115") \
    A(key_info,        0x0012, ANY,    get_key,          set_key,          "gives and takes the CC_Key, its protection and its lease",                        "MD-116") \
    A(log,             0x0013, ANY,    get_log,          NULL,             "gives the log of congestion events",                                              "MD-115") \
    A(switch_setting,  0x0014, SWITCH, get_switch,       set_switch,       "gives and takes what a switch marks",                                             "MD-115") \
    A(switch_ports,    0x0015, SWITCH, get_switch_ports, set_switch_ports, "gives and takes what 48 ports of a switch mark",                                  "MD-115") \
    A(adapter_setting, 0x0016, CA,     get_adapter,      set_adapter,      "gives and takes what an adapter does about BECN on each SL",                      "MD-115") \
    A(table,           0x0017, CA,     get_table,        set_table,        "gives and takes 64 entries of the CongestionControlTable, and CCTI_Limit",        "MD-117") \
    A(time_stamp,      0x0018, ANY,    get_time,         NULL,             "gives its time in units of 1.024 us",                                             "MD-115")
/* clang-format on */
#define ATTRIBUTE(name_, id_, nodes_, get_, set_, sentence_, clause_)                                                  \
    {{#name_, sentence_, clause_}, id_, nodes_, get_, set_},
static const struct iba_cca_attribute attributes[] = {ATTRIBUTES(ATTRIBUTE)};
IBA_FABRIC_TABLE(iba_cca_attributes, IBA_FABRIC_CONGESTION_ATTRIBUTE, "congestion_attributes",
                 "Attributes of congestion control", attributes)

static const struct iba_cca_attribute *attribute_of(const struct iba_hop *h)
{
    const uint16_t id = iba_madhdr_attributeid(h->mad);

    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].id == id && (attributes[i].nodes >> h->node->cfg.type & 1) &&
            iba_node_has_row(h->node, &iba_cca_attributes, i)) {
            h->node->hits[IBA_FABRIC_CONGESTION_ATTRIBUTE][i]++;
            return &attributes[i];
        }
    return NULL;
}

void iba_cca_request(struct iba_hop *h)
{
    iba_guard_lease(&state_of(h)->guard, key_fits(h), h->now);
    h->data = h->mad + DATA_AT;
    h->status = IBA_MAD_OK;
    h->cc_attribute = attribute_of(h);
    iba_hop_apply(h, &iba_cca_rules);
}
