/* SPDX-License-Identifier: BSD-2-Clause */
/* -z fabric: nodes, cables and lanes (track/fabric.h) for people, and as JSON. */
#include "mad/iba_mad.h"
#include "stats/kinds.h"
#include "track/fabric.h"

enum { NAME_BYTES = 32 };

void *stat_fabric_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("fabric", sizeof(struct fabric), arg, err, errlen);
}

void stat_fabric_packet(void *state, const struct packet *p)
{
    fabric_packet(state, p);
}

static const char *type_name(const struct fabric_node *n)
{
    static const char *const names[] = {"?", "adapter", "switch", "router"};

    return n->type < sizeof names / sizeof *names ? names[n->type] : "?";
}

static const char *state_name(const struct fabric_port *p)
{
    const char *name = p->state ? iba_value_name(IBA_VALUES_PORT_STATE, p->state) : NULL;

    return name ? name : "-";
}

static void guid(struct out *o, const struct fabric_node *n)
{
    out_hex(o, n->guid, 16);
}

/* Prints the description of a node, or its GUID if it has none. */
static void name_cell(struct table *t, const struct fabric_node *n)
{
    table_begin(t);
    if (n->described)
        out_text(t->o, n->description, n->described < NAME_BYTES ? n->described : NAME_BYTES);
    else
        guid(t->o, n);
    table_end(t);
}

/* ---- for people ---- */

static void nodes_text(const struct fabric *f, struct out *o)
{
    static const struct column column[] = {{"Node", NAME_BYTES, true}, {"GUID", 18, true}, {"Type", 7, true},
                                           {"Ports", 5, false},        {"LID", 5, false},  {"First", 7, false}};
    struct table t;

    table_open(&t, o, "Nodes, as answers on directed routes name them", column, sizeof column / sizeof *column);
    for (const struct fabric_node *n = f->node; n < f->node + f->n_node; n++) {
        name_cell(&t, n);
        table_begin(&t);
        guid(o, n);
        table_end(&t);
        table_str(&t, type_name(n));
        table_u64(&t, n->ports);
        table_known(&t, n->lid != 0, n->lid);
        table_u64(&t, n->first_frame);
    }
    table_close(&t);
}

/* Whether the cable is printed with this port, so that each cable is printed once: from the end that was seen first. */
static bool begins_cable(const struct fabric *f, const struct fabric_port *p)
{
    return p->peer ? p->peer > p - f->port + 1 : p->asker;
}

static void port_cells(const struct fabric *f, struct table *t, const struct fabric_port *p)
{
    name_cell(t, fabric_node_of(f, p));
    table_u64(t, p->key.number);
    table_str(t, state_name(p));
}

static void cables_text(const struct fabric *f, struct out *o)
{
    static const struct column column[] = {{"Node", NAME_BYTES, true}, {"Port", 4, false}, {"State", 6, true},
                                           {"Node", NAME_BYTES, true}, {"Port", 4, false}, {"State", 6, true},
                                           {"First", 7, false}};
    struct table t;

    table_open(&t, o, "Cables", column, sizeof column / sizeof *column);
    for (const struct fabric_port *p = f->port; p < f->port + f->n_port; p++) {
        if (!begins_cable(f, p))
            continue;
        const struct fabric_port *q = p->peer ? &f->port[p->peer - 1] : NULL;
        port_cells(f, &t, p);
        if (q) {
            port_cells(f, &t, q);
        } else {
            table_str(&t, "(that asks)");
            table_u64(&t, p->asker);
            table_str(&t, "-");
        }
        table_u64(&t, q && q->first_frame > p->first_frame ? q->first_frame : p->first_frame);
    }
    table_close(&t);
}

static bool is_used(const struct fabric_lane *l)
{
    return l->updates > 0 || l->packets > 0;
}

static void interface_cell(struct table *t, const struct fabric_sender *s)
{
    table_begin(t);
    out_u64(t->o, s->key.source + UINT64_C(1));
    out_ch(t->o, ':');
    out_u64(t->o, s->key.iface);
    table_end(t);
}

static void lane_text(const struct fabric *f, struct table *t, const struct fabric_sender *s, unsigned vl)
{
    const struct fabric_lane *l = &s->lane[vl];
    const struct fabric_port *p = s->port && !s->mixed ? &f->port[s->port - 1] : NULL;
    unsigned left = 0;
    const bool known = fabric_credits(f, s, vl, &left);

    interface_cell(t, s);
    if (p)
        name_cell(t, fabric_node_of(f, p));
    else
        table_str(t, "-");
    table_known(t, p != NULL, p ? p->key.number : 0);
    table_u64(t, vl);
    table_u64(t, l->packets);
    table_u64(t, l->blocks);
    table_u64(t, l->updates);
    table_known(t, l->updates > 0, l->unseen);
    table_known(t, known, left);
    table_known(t, l->spent, l->least);
    table_u64(t, l->beyond);
}

static void lanes_text(const struct fabric *f, struct out *o)
{
    static const struct column column[] = {{"Interface", 9, true}, {"Sent by", NAME_BYTES, true}, {"Port", 4, false},
                                           {"VL", 3, false},       {"Packets", 9, false},         {"Blocks", 9, false},
                                           {"Updates", 8, false},  {"Unseen", 8, false},          {"Credits", 7, false},
                                           {"Least", 5, false},    {"Beyond", 6, false}};
    struct table t;

    table_open(&t, o, "Data lanes: packets, flow-control packets, credits (blocks of 64 bytes)", column,
               sizeof column / sizeof *column);
    for (const struct fabric_sender *s = f->sender; s < f->sender + f->n_sender; s++)
        for (unsigned vl = 0; vl < FABRIC_LANES; vl++)
            if (is_used(&s->lane[vl]))
                lane_text(f, &t, s, vl);
    table_rule(&t, '-');
    OUT_LIT(o, "Answers ");
    out_u64(o, f->answers);
    OUT_LIT(o, ", routes and cables that led elsewhere before ");
    out_u64(o, f->moved);
    OUT_LIT(o, ", damaged flow-control packets ");
    out_u64(o, f->bad_flow);
    OUT_LIT(o, ", without room in a table ");
    out_u64(o, f->no_room);
    out_ch(o, '\n');
    table_close(&t);
}

/* ---- JSON ---- */

static void json_guid(struct out *o, const char *key, const struct fabric_node *n)
{
    json_key(o, key);
    out_ch(o, '"');
    guid(o, n);
    out_ch(o, '"');
}

static void comma(struct out *o, bool *first)
{
    if (!*first)
        out_ch(o, ',');
    *first = false;
}

static void nodes_json(const struct fabric *f, struct out *o)
{
    json_key(o, "nodes");
    out_ch(o, '[');
    for (size_t i = 0; i < f->n_node; i++) {
        const struct fabric_node *n = &f->node[i];
        out_line(o);
        if (i > 0)
            out_ch(o, ',');
        OUT_LIT(o, "{\"first_frame\":");
        out_u64(o, n->first_frame);
        json_guid(o, "guid", n);
        json_str(o, "type", type_name(n));
        json_u64(o, "ports", n->ports);
        json_known(o, "lid", n->lid != 0, n->lid);
        json_key(o, "description");
        out_ch(o, '"');
        out_json(o, n->description, n->described);
        OUT_LIT(o, "\"}");
    }
    out_ch(o, ']');
}

static void cables_json(const struct fabric *f, struct out *o)
{
    bool first = true;

    json_key(o, "cables");
    out_ch(o, '[');
    for (const struct fabric_port *p = f->port; p < f->port + f->n_port; p++) {
        if (!begins_cable(f, p))
            continue;
        const struct fabric_port *q = p->peer ? &f->port[p->peer - 1] : NULL;
        comma(o, &first);
        OUT_LIT(o, "{\"port\":");
        out_u64(o, p->key.number);
        json_guid(o, "guid", fabric_node_of(f, p));
        json_str(o, "state", state_name(p));
        json_u64(o, "peer_port", q ? q->key.number : p->asker);
        if (q) {
            json_guid(o, "peer_guid", fabric_node_of(f, q));
            json_str(o, "peer_state", state_name(q));
        }
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void lane_json(const struct fabric *f, struct out *o, const struct fabric_sender *s, unsigned vl)
{
    const struct fabric_lane *l = &s->lane[vl];
    const struct fabric_port *p = s->port && !s->mixed ? &f->port[s->port - 1] : NULL;
    unsigned left = 0;
    const bool known = fabric_credits(f, s, vl, &left);

    OUT_LIT(o, "{\"file\":");
    out_u64(o, s->key.source + UINT64_C(1));
    json_u64(o, "interface", s->key.iface);
    if (p) {
        json_guid(o, "guid", fabric_node_of(f, p));
        json_u64(o, "port", p->key.number);
    }
    json_u64(o, "vl", vl);
    json_u64(o, "packets", l->packets);
    json_u64(o, "blocks", l->blocks);
    json_u64(o, "updates", l->updates);
    json_known(o, "unseen", l->updates > 0, l->unseen);
    json_known(o, "credits", known, left);
    json_known(o, "least_credits", l->spent, l->least);
    json_u64(o, "beyond", l->beyond);
    out_ch(o, '}');
}

static void lanes_json(const struct fabric *f, struct out *o)
{
    bool first = true;

    json_key(o, "lanes");
    out_ch(o, '[');
    for (const struct fabric_sender *s = f->sender; s < f->sender + f->n_sender; s++)
        for (unsigned vl = 0; vl < FABRIC_LANES; vl++)
            if (is_used(&s->lane[vl])) {
                comma(o, &first);
                lane_json(f, o, s, vl);
            }
    out_ch(o, ']');
}

void stat_fabric_print(void *state, struct out *o, bool json)
{
    const struct fabric *f = state;

    if (!json) {
        nodes_text(f, o);
        cables_text(f, o);
        lanes_text(f, o);
        return;
    }
    OUT_LIT(o, "{\"stat\":\"fabric\"");
    json_u64(o, "answers", f->answers);
    json_u64(o, "moved", f->moved);
    json_u64(o, "damaged_flow", f->bad_flow);
    json_u64(o, "no_room", f->no_room);
    nodes_json(f, o);
    cables_json(f, o);
    lanes_json(f, o);
    OUT_LIT(o, "}\n");
}
