/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what the nodes of the simulated subnet hold: without packets, so that no M_Key hides it and no lease stops. */
#include <stdio.h>
#include "fabric/probe.h"
#include "sm_inside.h"

enum { DATA_AT = 64, DATA_BYTES = 64 };

/* ---- attributes ---- */

struct reading {
    struct iba_node *n;
    uint8_t port; /* the port at which the request would have come */
    uint32_t modifier;
    uint8_t *data;
};

static void put(uint8_t *data, unsigned i, unsigned bits, uint64_t v)
{
    iba_bits_put(data, i * bits, bits, v);
}

static bool read_portinfo(const struct reading *r)
{
    const uint8_t port = r->modifier & UINT8_MAX ? (uint8_t)r->modifier : iba_node_is_switch(r->n) ? 0 : r->port;
    struct iba_portinfo info;

    if (port > r->n->cfg.n_port)
        return false;
    info = r->n->port[port].info;
    info.localportnum = r->port;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &info, r->data);
    return true;
}

static bool read_switchinfo(const struct reading *r)
{
    iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &r->n->sw, r->data);
    return iba_node_is_switch(r->n);
}

static bool read_pkeys(const struct reading *r)
{
    const uint8_t port = iba_node_is_switch(r->n) ? (uint8_t)(r->modifier >> 16) : r->port;
    const unsigned first = (r->modifier & UINT16_MAX) * IBA_PKEY_BLOCK;
    const struct iba_node_port *p = &r->n->port[port];

    if (port > r->n->cfg.n_port)
        return false;
    for (unsigned i = 0; i < IBA_PKEY_BLOCK; i++)
        put(r->data, i, 16, first + i < p->n_pkey ? p->pkey[first + i] : 0);
    return true;
}

static bool read_lft(const struct reading *r)
{
    const uint64_t first = (uint64_t)r->modifier * IBA_LFT_BLOCK;

    for (unsigned i = 0; i < IBA_LFT_BLOCK; i++)
        put(r->data, i, 8, first + i < r->n->cfg.lft ? r->n->lft[first + i] : IBA_NO_PORT);
    return iba_node_is_switch(r->n);
}

static bool read_mft(const struct reading *r)
{
    enum { POSITION_SHIFT = 28, BLOCK = 0x1ff };
    const unsigned position = r->modifier >> POSITION_SHIFT, positions = iba_node_mft_positions(r->n);
    const uint64_t first = (uint64_t)(r->modifier & BLOCK) * IBA_MFT_BLOCK;

    if (!iba_node_is_switch(r->n) || position >= positions)
        return false;
    for (unsigned i = 0; i < IBA_MFT_BLOCK; i++)
        put(r->data, i, 16, first + i < r->n->cfg.mft ? r->n->mft[(first + i) * positions + position] : 0);
    return true;
}

static const struct {
    uint16_t id;
    bool (*read)(const struct reading *r);
} attributes[] = {
    {0x12, read_switchinfo}, {0x15, read_portinfo}, {0x16, read_pkeys}, {0x19, read_lft}, {0x1b, read_mft},
};

enum ibc_rc sm_read(struct ibc_target *t, unsigned end, uint8_t mad[IBA_MAD_BYTES])
{
    enum { BAD_VALUE = 0x1c, STATUS_AT = 4 };
    struct sm *s = sm_of(t);
    const struct ibc_end *e = &s->is.end[end];
    const struct reading r = {.n = &subnet_node(s->subnet, e->node)->n,
                              .port = e->port,
                              .modifier = iba_madhdr_attributemodifier(mad),
                              .data = mad + DATA_AT};

    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].id != iba_madhdr_attributeid(mad))
            continue;
        memset(mad + DATA_AT, 0, DATA_BYTES);
        iba_madhdr_set_method(mad, IBA_METHOD_GET_RESP);
        mad[STATUS_AT + 1] = attributes[i].read(&r) ? 0 : BAD_VALUE;
        return IBC_OK;
    }
    return sm_fault(s, IBC_BROKEN, "the tester does not read this attribute of a node");
}

/* ---- the whole subnet ---- */

/* Whether the port has LIDs: each of an adapter that has a cable, and port 0 of a switch. */
static bool has_lids(const struct sm *s, unsigned end)
{
    const struct ibc_end *e = &s->is.end[end];

    return s->is.node[e->node].type == IBA_NODE_SWITCH ? e->port == 0 : e->to > 0;
}

static const struct iba_portinfo *info_of(const struct sm *s, unsigned end)
{
    const struct ibc_end *e = &s->is.end[end];

    return &subnet_node(s->subnet, e->node)->n.port[e->port].info;
}

static void name_end(const struct sm *s, unsigned end, char out[48])
{
    (void)snprintf(out, 48, "%.32s.%u", s->is.node[s->is.end[end].node].name, s->is.end[end].port);
}

static bool overlap(const struct iba_portinfo *a, const struct iba_portinfo *b)
{
    return a->lid < b->lid + (1u << b->lmc) && b->lid < a->lid + (1u << a->lmc);
}

static bool check_lids(struct sm *s, char *got, size_t n)
{
    enum { UNICAST_LAST = 0xbfff };
    char name[48], other[48];

    for (unsigned i = 0; i < s->is.n_end; i++) {
        const struct iba_portinfo *a = has_lids(s, i) ? info_of(s, i) : NULL;
        if (!a)
            continue;
        name_end(s, i, name);
        if (a->lid == 0 || a->lid + (1u << a->lmc) - 1 > UNICAST_LAST || a->lid % (1u << a->lmc) != 0) {
            (void)snprintf(got, n, "%s has LID %u with LMC %u", name, a->lid, a->lmc);
            return false;
        }
        for (unsigned k = 0; k < i; k++) {
            if (!has_lids(s, k) || !overlap(a, info_of(s, k)))
                continue;
            name_end(s, k, other);
            (void)snprintf(got, n, "%s and %s have LID %u", other, name, a->lid);
            return false;
        }
    }
    return true;
}

static bool check_active(struct sm *s, char *got, size_t n)
{
    char name[48];

    for (unsigned i = 0; i < s->is.n_end; i++) {
        const struct ibc_end *e = &s->is.end[i];
        if (!e->to || subnet_node(s->subnet, e->node)->end[e->port].pulled ||
            info_of(s, i)->portstate == IBA_PORT_ACTIVE)
            continue;
        name_end(s, i, name);
        (void)snprintf(got, n, "%s is in state %u", name, info_of(s, i)->portstate);
        return false;
    }
    return true;
}

static bool check_routed(struct sm *s, char *got, size_t n)
{
    struct probe_sum sum;
    uint64_t expected = 0;

    for (unsigned i = 0; i < s->is.n_end; i++)
        for (unsigned k = 0; k < s->is.n_end; k++)
            if (i != k && s->is.end[i].port > 0 && s->is.end[k].port > 0 && has_lids(s, i) && has_lids(s, k))
                expected += UINT64_C(1) << info_of(s, k)->lmc;
    probe_pairs(s->subnet, 0, &sum);
    (void)snprintf(got, n, "%u of %u packets arrive, %u run in a loop", (unsigned)sum.by_result[PROBE_DELIVERED],
                   (unsigned)expected, (unsigned)sum.by_result[PROBE_LOOP]);
    return sum.by_result[PROBE_DELIVERED] == expected;
}

bool sm_check(struct ibc_target *t, enum ibc_check check, char *got, size_t n)
{
    static bool (*const checks[IBC_CHECK_COUNT])(struct sm * s, char *got, size_t n) = {
        [IBC_CHECK_lids] = check_lids, [IBC_CHECK_active] = check_active, [IBC_CHECK_routed] = check_routed};

    return checks[check](sm_of(t), got, n);
}
