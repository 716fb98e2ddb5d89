/* SPDX-License-Identifier: BSD-2-Clause */
/* The performance management agent (section 16.1, MD-102..MD-108). Counters have 64 bits; PortCounters shows them as
 * far as they fit, and stops there (MD-104). */
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"

enum { PORT_SELECT_AT = 1, DATA_AT = 64, DATA_BYTES = 192 };

/* A(name, id, get, clear, sentence, clause) */
struct pma_attribute {
    struct iba_fabric_row row;
    uint16_t id;
    bool of_port; /* the attribute names a port */
    void (*get)(const struct iba_hop *h);
    void (*clear)(struct iba_hop *h); /* a Set; NULL: it cannot be set */
};

/* ---- PortCounters ---- */

/* clang-format off */
/*    in PortCounters and PortCountersExtended, bit of CounterSelect */
#define COUNTERS(C)                                                                                                    \
    C(symbolerrorcounter, 0)             C(linkerrorrecoverycounter, 1)      C(linkdownedcounter, 2)                   \
    C(portrcverrors, 3)                  C(portrcvremotephysicalerrors, 4)   C(portrcvswitchrelayerrors, 5)            \
    C(portxmitdiscards, 6)               C(portxmitconstrainterrors, 7)      C(portrcvconstrainterrors, 8)             \
    C(locallinkintegrityerrors, 9)       C(excessivebufferoverrunerrors, 10) C(vl15dropped, 11)                        \
    C(portxmitdata, 12)                  C(portrcvdata, 13)                  C(portxmitpkts, 14)                       \
    C(portrcvpkts, 15)                   C(portxmitwait, 16)
/* The first four of PortCountersExtended can be cleared there, and the unicast and multicast ones. */
#define EXTENDED(C)                                                                                                    \
    C(portxmitdata, 0)                   C(portrcvdata, 1)                   C(portxmitpkts, 2)                        \
    C(portrcvpkts, 3)                    C(portunicastxmitpkts, 4)           C(portunicastrcvpkts, 5)                  \
    C(portmulticastxmitpkts, 6)          C(portmulticastrcvpkts, 7)
/* clang-format on */

static uint64_t at_most(uint64_t value, unsigned bits)
{
    const uint64_t most = (UINT64_C(1) << bits) - 1;

    return value < most ? value : most;
}

static void get_counters(const struct iba_hop *h)
{
    const struct iba_portcounters_ext *c = &h->port->counters;

#define SHOW(name, bit) iba_portcounters_set_##name(h->data, at_most(c->name, IBA_W_portcounters_##name));
    COUNTERS(SHOW)
}

static void clear_counters(struct iba_hop *h)
{
    const uint32_t select = iba_portcounters_counterselect(h->data) | (uint32_t)iba_portcounters_counterselect2(h->data)
                                                                          << 16;
    struct iba_portcounters_ext *c = &h->port->counters;

#define CLEAR(name, bit)                                                                                               \
    if (select >> (bit)&1)                                                                                             \
        c->name = iba_portcounters_##name(h->data);
    COUNTERS(CLEAR)
}

static void get_extended(const struct iba_hop *h)
{
    struct iba_portcounters_ext c = h->port->counters;

    c.portselect = h->data[PORT_SELECT_AT];
    c.counterselect = iba_portcounters_ext_counterselect(h->data);
    c.counterselect2 = iba_portcounters_ext_counterselect2(h->data);
    iba_layout_put(&iba_mad_layouts[IBA_M_portcounters_ext], &c, h->data);
}

static void clear_extended(struct iba_hop *h)
{
    const uint16_t select = iba_portcounters_ext_counterselect(h->data);
    struct iba_portcounters_ext *c = &h->port->counters;

#define CLEAR_EXT(name, bit)                                                                                           \
    if (select >> (bit)&1)                                                                                             \
        c->name = iba_portcounters_ext_##name(h->data);
    EXTENDED(CLEAR_EXT)
}

/* ---- ClassPortInfo ---- */

static void get_class_info(const struct iba_hop *h)
{
    enum { EXTENDED_WIDTH = 0x200, XMIT_WAIT = 0x1000, RESPONSE_TIME = 16 };

    memset(h->data, 0, DATA_BYTES);
    iba_classportinfo_set_baseversion(h->data, 1);
    iba_classportinfo_set_classversion(h->data, 1);
    iba_classportinfo_set_capabilitymask(h->data, EXTENDED_WIDTH | XMIT_WAIT);
    iba_classportinfo_set_resptimevalue(h->data, RESPONSE_TIME);
}

/* clang-format off */
/*    name             id      of_port get             clear            the agent ...                                                        clause */
#define ATTRIBUTES(A)                                                                                                                                 \
    A(class_port_info, 0x0001, false,  get_class_info, NULL,            "says which counters it has",                                        "MD-102") \
    A(counters,        0x0012, true,   get_counters,   clear_counters,  "gives the counters of a port, and sets those that are selected",    "MD-103, MD-104, MD-105") \
    A(extended,        0x001d, true,   get_extended,   clear_extended,  "gives the counters of 64 bits, and sets those that are selected",   "MD-106")
/* clang-format on */
#define ATTRIBUTE(name_, id_, of_port_, get_, clear_, sentence_, clause_)                                              \
    {{#name_, sentence_, clause_}, id_, of_port_, get_, clear_},
static const struct pma_attribute attributes[] = {ATTRIBUTES(ATTRIBUTE)};
IBA_FABRIC_TABLE(iba_pma_attributes, IBA_FABRIC_PERFORMANCE, "performance", "Attributes of performance management",
                 attributes)

static const struct pma_attribute *attribute_of(const struct iba_hop *h)
{
    const uint16_t id = iba_madhdr_attributeid(h->mad);

    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].id == id && iba_node_has_row(h->node, &iba_pma_attributes, i)) {
            h->node->hits[IBA_FABRIC_PERFORMANCE][i]++;
            return &attributes[i];
        }
    return NULL;
}

/* MD-105: a port that does not exist is an invalid value; an adapter has no port 0. */
static struct iba_node_port *port_of(const struct iba_hop *h)
{
    const uint8_t port = h->data[PORT_SELECT_AT];

    if (port > h->node->cfg.n_port || (port == 0 && !iba_node_is_switch(h->node)))
        return NULL;
    return &h->node->port[port];
}

static uint16_t perform(struct iba_hop *h, const struct pma_attribute *a)
{
    const bool set = iba_madhdr_method(h->mad) == IBA_METHOD_SET;

    if (a->of_port && !(h->port = port_of(h)))
        return IBA_MAD_BAD_VALUE;
    if (a->of_port)
        iba_node_count_wait(h->node, h->port->number, h->now);
    if (set)
        a->clear(h);
    a->get(h);
    return IBA_MAD_OK;
}

static uint16_t refusal(const struct iba_hop *h, const struct pma_attribute *a)
{
    const unsigned method = iba_madhdr_method(h->mad);

    if (iba_madhdr_baseversion(h->mad) != 1 || iba_madhdr_classversion(h->mad) != 1)
        return IBA_MAD_BAD_VERSION;
    if (method != IBA_METHOD_GET && method != IBA_METHOD_SET)
        return IBA_MAD_BAD_METHOD;
    return !a || (method == IBA_METHOD_SET && !a->clear) ? IBA_MAD_BAD_ATTRIBUTE : IBA_MAD_OK;
}

void iba_pma_request(struct iba_hop *h)
{
    const struct pma_attribute *a = attribute_of(h);

    h->data = h->mad + DATA_AT;
    h->status = refusal(h, a);
    if (h->status == IBA_MAD_OK)
        h->status = perform(h, a);
    else if (!iba_node_keeps(h->node, IBA_NODE_REFUSES))
        h->status = IBA_MAD_OK;
    iba_hop_answer(h);
}
