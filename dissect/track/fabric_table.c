/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of nodes, as their agents answered. An answer counts only if its request was captured on the link to the
 * agent. A Set that is captured there ends what is known, whether its answer is captured or not. */
#include "mad/iba_mad.h"
#include "track/addr.h"
#include "track/fabric.h"
#include "track/smp.h"

enum { ONE_PAIR_OF_PORTS = 0xffff };

/* The frame after which an answer counts, since tables may have changed until then. */
static uint64_t stands_since(const struct fabric *f, const struct fabric_table *t)
{
    const uint64_t lanes = t->key.attribute == FABRIC_LANES_OF_SL ? f->node[t->key.node].lanes_changed : 0;

    return lanes > f->changed ? lanes : f->changed;
}

static bool is_kept(unsigned attribute)
{
    return attribute == FABRIC_SWITCH_INFO || attribute == FABRIC_PORT_INFO || attribute == FABRIC_P_KEYS ||
           attribute == FABRIC_LANES_OF_SL || attribute == FABRIC_ROUTES_OF_LID;
}

/* The place for a table; NULL: there is no room. */
static struct fabric_table *table_of(struct fabric *f, const struct fabric_table *like)
{
    const struct stat_items t = {f->table, sizeof *f->table, FABRIC_TABLES, &f->n_table, f->table_slot};
    const size_t i = stat_item_or_new(&t, &like->key, sizeof like->key);

    f->no_room += i == 0;
    return i ? &f->table[i - 1] : NULL;
}

static size_t find(const struct fabric *f, const struct fabric_table *like)
{
    return stat_item(f->table_slot, 2 * FABRIC_TABLES, f->table, sizeof *f->table, &like->key, sizeof like->key);
}

static void ask(struct fabric *f, const struct fabric_table *like, const uint8_t *mad, uint64_t frame)
{
    const bool set = iba_madhdr_method(mad) == IBA_METHOD_SET;
    struct fabric_table *t = table_of(f, like);

    /* Higher bits of the modifier select all ports, where the switch has the optimized mapping. */
    if (set && like->key.attribute == FABRIC_LANES_OF_SL && like->key.modifier > ONE_PAIR_OF_PORTS)
        f->node[like->key.node].lanes_changed = frame;
    if (!t)
        return;
    t->asked = iba_madhdr_transactionid(mad);
    t->asked_with = iba_smplid_mkey(mad + IBA_BYTES_madhdr);
    t->known = t->known && !set;
}

/* Keeps the M_Key that is known if the answer does not show it: at protection level 1 an agent shows no M_Key to a Get
 * with another M_Key (KM-02). */
static void take_port_info(struct fabric_table *t, const uint8_t *info)
{
    const uint64_t before = iba_portinfo_m_key(t->data);

    memcpy(t->data, info, sizeof t->data);
    if (t->known && iba_portinfo_m_key(info) == 0 && t->asked_with != before)
        iba_portinfo_set_m_key(t->data, before);
}

static void answer(struct fabric *f, const struct fabric_table *like, const uint8_t *mad, uint64_t frame)
{
    const size_t i = find(f, like);
    struct fabric_table *t = i ? &f->table[i - 1] : NULL;

    if (!t || t->asked != iba_madhdr_transactionid(mad) || !smp_is_good(mad))
        return;
    if (!t->known || t->since <= stands_since(f, t) || memcmp(t->data, mad + SMP_DATA_AT, sizeof t->data) != 0)
        t->since = frame;
    if (t->key.attribute == FABRIC_PORT_INFO)
        take_port_info(t, mad + SMP_DATA_AT);
    else
        memcpy(t->data, mad + SMP_DATA_AT, sizeof t->data);
    t->known = true;
}

void fabric_table_take(struct fabric *f, const struct fabric_port *agent, const struct packet *p, const uint8_t *mad)
{
    const bool back = smp_goes_back(mad);
    const unsigned method = iba_madhdr_method(mad), attribute = iba_madhdr_attributeid(mad);

    if (!is_kept(attribute))
        return;
    const struct fabric_table like = {.key = {.modifier = iba_madhdr_attributemodifier(mad),
                                              .node = agent->key.node,
                                              .attribute = (uint16_t)attribute}};
    if (!back && (method == IBA_METHOD_GET || method == IBA_METHOD_SET))
        ask(f, &like, mad, p->number);
    else if (back && method == IBA_METHOD_GET_RESP)
        answer(f, &like, mad, p->number);
}

const struct fabric_table *fabric_table(const struct fabric *f, uint16_t node, uint16_t attribute, uint32_t modifier)
{
    const struct fabric_table like = {.key = {.modifier = modifier, .node = node, .attribute = attribute}};
    const size_t i = find(f, &like);
    const struct fabric_table *t = i ? &f->table[i - 1] : NULL;

    return t && t->known && t->since > stands_since(f, t) ? t : NULL;
}
