/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes that are parts of tables: P_Keys, GUIDs, lanes, forwarding; and SwitchInfo (KM-11..KM-14, KM-36,
 * KM-44..KM-46, KM-63). A table has blocks of 64 bytes; the modifier names block and port. */
#include "fabric/iba_node_rules.h"
#include "fabric/iba_sma.h"

/* The port of a switch that a part of the modifier names; of an adapter the port that the request came by. */
static bool take_port(struct iba_hop *h, uint32_t number)
{
    if (!iba_node_is_switch(h->node))
        number = h->in;
    if (number > h->node->cfg.n_port)
        return false;
    h->port = &h->node->port[number];
    return true;
}

/* ---- GUIDInfo (KM-36) ---- */

bool iba_sma_find_guids(struct iba_hop *h)
{
    h->port = iba_node_end_port(h->node, h->in);
    return iba_sma_modifier(h) < (h->port->info.guidcap + IBA_GUID_BLOCK - 1u) / IBA_GUID_BLOCK;
}

void iba_sma_get_guids(const struct iba_hop *h)
{
    for (unsigned i = 0; i < IBA_GUID_BLOCK; i++)
        iba_guidinfo_set_guid(h->data + i * IBA_BYTES_guidinfo, h->port->guid[i]);
}

void iba_sma_set_guids(struct iba_hop *h)
{
    for (unsigned i = 1; i < IBA_GUID_BLOCK && i < h->port->info.guidcap; i++)
        h->port->guid[i] = iba_guidinfo_guid(h->data + i * IBA_BYTES_guidinfo);
}

/* ---- P_KeyTable ---- */

static unsigned pkey_block(const struct iba_hop *h)
{
    return (iba_sma_modifier(h) & 0xffff) * IBA_PKEY_BLOCK;
}

bool iba_sma_find_pkeys(struct iba_hop *h)
{
    return take_port(h, iba_sma_modifier(h) >> 16) && pkey_block(h) < h->port->n_pkey;
}

static uint8_t *pkey_at(const struct iba_hop *h, unsigned i)
{
    return h->data + i * sizeof(uint16_t);
}

void iba_sma_get_pkeys(const struct iba_hop *h)
{
    const unsigned from = pkey_block(h);

    for (unsigned i = 0; i < IBA_PKEY_BLOCK && from + i < h->port->n_pkey; i++)
        iba_bits_put(pkey_at(h, i), 0, 16, h->port->pkey[from + i]);
}

/* Whether an earlier entry of the block has the partition of that entry, with the other kind of member. */
static bool is_twice(const struct iba_hop *h, unsigned entry)
{
    enum { FULL_MEMBER = 0x8000 };

    for (unsigned i = 0; i < entry; i++)
        if ((iba_bits_get(pkey_at(h, i), 0, 16) ^ iba_bits_get(pkey_at(h, entry), 0, 16)) == FULL_MEMBER)
            return true;
    return false;
}

void iba_sma_set_pkeys(struct iba_hop *h)
{
    const unsigned from = pkey_block(h);

    for (unsigned i = 0; i < IBA_PKEY_BLOCK && from + i < h->port->n_pkey; i++)
        if (!is_twice(h, i) || iba_node_keeps(h->node, IBA_NODE_TWICE))
            h->port->pkey[from + i] = (uint16_t)iba_bits_get(pkey_at(h, i), 0, 16);
}

/* ---- SLtoVLMappingTable: of a switch for a port in (bits 15:8) and a port out (7:0) ---- */

static uint8_t in_port(const struct iba_hop *h)
{
    return iba_node_is_switch(h->node) ? (uint8_t)(iba_sma_modifier(h) >> 8) : 0;
}

bool iba_sma_find_sl2vl(struct iba_hop *h)
{
    return take_port(h, iba_sma_modifier(h) & 0xff) && in_port(h) <= h->node->cfg.n_port;
}

void iba_sma_get_sl2vl(const struct iba_hop *h)
{
    const uint8_t *vl = iba_node_sl2vl(h->node, in_port(h), h->port->number);

    for (unsigned sl = 0; sl < IBA_VLS; sl += 2) {
        iba_sltovl_set_high(h->data + sl / 2, vl[sl]);
        iba_sltovl_set_low(h->data + sl / 2, vl[sl + 1]);
    }
}

void iba_sma_set_sl2vl(struct iba_hop *h)
{
    uint8_t *vl = iba_node_sl2vl(h->node, in_port(h), h->port->number);

    for (unsigned sl = 0; sl < IBA_VLS; sl += 2) {
        vl[sl] = iba_sltovl_high(h->data + sl / 2);
        vl[sl + 1] = iba_sltovl_low(h->data + sl / 2);
    }
}

/* ---- VLArbitrationTable: blocks 1 and 2 low priority, 3 and 4 high ---- */

static unsigned vlarb_block(const struct iba_hop *h)
{
    return (iba_sma_modifier(h) >> 16) - 1;
}

bool iba_sma_find_vlarb(struct iba_hop *h)
{
    const unsigned block = vlarb_block(h);

    return take_port(h, iba_sma_modifier(h) & 0xffff) && block < IBA_VLARB_BLOCKS &&
           block % 2 * IBA_VLARB_ENTRIES < h->node->cfg.vlarb_entries;
}

void iba_sma_get_vlarb(const struct iba_hop *h)
{
    memcpy(h->data, h->port->vlarb[vlarb_block(h)], IBA_SMP_DATA_BYTES);
}

void iba_sma_set_vlarb(struct iba_hop *h)
{
    memcpy(h->port->vlarb[vlarb_block(h)], h->data, IBA_SMP_DATA_BYTES);
    memset(&h->port->arb, 0, sizeof h->port->arb);
}

/* ---- forwarding tables ---- */

bool iba_sma_find_lft(struct iba_hop *h)
{
    h->port = &h->node->port[0];
    return iba_sma_modifier(h) < h->node->cfg.lft / (unsigned)IBA_LFT_BLOCK;
}

static uint8_t *lft_block(const struct iba_hop *h)
{
    return h->node->lft + (size_t)iba_sma_modifier(h) * IBA_LFT_BLOCK;
}

void iba_sma_get_lft(const struct iba_hop *h)
{
    memcpy(h->data, lft_block(h), IBA_LFT_BLOCK);
}

void iba_sma_set_lft(struct iba_hop *h)
{
    memcpy(lft_block(h), h->data, IBA_LFT_BLOCK);
}

static unsigned mft_block(const struct iba_hop *h)
{
    return iba_sma_modifier(h) & 0x1ff;
}

static unsigned mft_position(const struct iba_hop *h)
{
    return iba_sma_modifier(h) >> 28;
}

bool iba_sma_find_mft(struct iba_hop *h)
{
    h->port = &h->node->port[0];
    return mft_block(h) < h->node->cfg.mft / (unsigned)IBA_MFT_BLOCK &&
           mft_position(h) < iba_node_mft_positions(h->node);
}

static uint16_t *mft_entry(const struct iba_hop *h, unsigned i)
{
    return &h->node
                ->mft[(mft_block(h) * (size_t)IBA_MFT_BLOCK + i) * iba_node_mft_positions(h->node) + mft_position(h)];
}

void iba_sma_get_mft(const struct iba_hop *h)
{
    for (unsigned i = 0; i < IBA_MFT_BLOCK; i++)
        iba_mft_set_portmask(h->data + i * IBA_BYTES_mft, *mft_entry(h, i));
}

void iba_sma_set_mft(struct iba_hop *h)
{
    for (unsigned i = 0; i < IBA_MFT_BLOCK; i++)
        *mft_entry(h, i) = iba_mft_portmask(h->data + i * IBA_BYTES_mft);
}

/* ---- SwitchInfo ---- */

static bool never(const struct iba_hop *h)
{
    (void)h;
    return false;
}

static bool top_beyond(const struct iba_hop *h)
{
    return h->switchinfo->linearfdbtop >= h->node->sw.linearfdbcap;
}

static void take_top(struct iba_hop *h)
{
    h->node->sw.linearfdbtop = h->switchinfo->linearfdbtop;
}

static void take_default_ports(struct iba_hop *h)
{
    h->node->sw.defaultport = h->switchinfo->defaultport;
    h->node->sw.defaultmulticastprimaryport = h->switchinfo->defaultmulticastprimaryport;
    h->node->sw.defaultmulticastnotprimaryport = h->switchinfo->defaultmulticastnotprimaryport;
}

static void take_lifetime(struct iba_hop *h)
{
    h->node->sw.lifetimevalue = h->switchinfo->lifetimevalue;
}

/* A manager clears the bit by writing 1; 0 leaves it as it is. */
static void clear_change(struct iba_hop *h)
{
    if (h->switchinfo->portstatechange)
        h->node->sw.portstatechange = 0;
}

static void take_multicast_top(struct iba_hop *h)
{
    h->node->sw.multicastfdbtop = h->switchinfo->multicastfdbtop;
}

struct switch_rule {
    struct iba_fabric_row row;
    iba_hop_when *refused;
    iba_hop_then *then;
};
/* clang-format off */
/*    name             refused      then                 a Set ...                                                       clause */
#define SWITCHINFO_RULES(F)                                                                                                       \
    F(top,             top_beyond,  take_top,            "takes the top of the forwarding table, and refuses one beyond it", "KM-63")  \
    F(default_ports,   never,       take_default_ports,  "takes the default ports",                                      "KM-63, KM-64") \
    F(lifetime,        never,       take_lifetime,       "takes the lifetime of packets in the switch",                  "KM-50") \
    F(state_change,    never,       clear_change,        "clears the bit that a port changed its state, by a 1",         "MD-110") \
    F(multicast_top,   never,       take_multicast_top,  "takes the top of the multicast table",                         "KM-63")
/* clang-format on */
#define SWITCH_RULE(name_, refused_, then_, sentence_, clause_) {{#name_, sentence_, clause_}, refused_, then_},
static const struct switch_rule fields[] = {SWITCHINFO_RULES(SWITCH_RULE)};
IBA_FABRIC_TABLE(iba_switchinfo_rules, IBA_FABRIC_SWITCHINFO, "switchinfo", "Set(SwitchInfo), field by field", fields)

void iba_sma_set_switchinfo(struct iba_hop *h)
{
    struct iba_switchinfo w;

    iba_layout_get(&iba_mad_layouts[IBA_M_switchinfo], h->data, &w);
    h->switchinfo = &w;
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!iba_node_has_row(h->node, &iba_switchinfo_rules, i))
            continue;
        h->node->hits[IBA_FABRIC_SWITCHINFO][i]++;
        if (fields[i].refused(h))
            h->status = IBA_MAD_BAD_VALUE;
        else
            fields[i].then(h);
    }
    h->switchinfo = NULL;
}

void iba_sma_get_switchinfo(const struct iba_hop *h)
{
    iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &h->node->sw, h->data);
}
