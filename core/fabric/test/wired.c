/* SPDX-License-Identifier: BSD-2-Clause */
#include "wired.h"
#include <stdlib.h>

static struct iba_node *node_of(struct wired *w, unsigned i)
{
    return i == 0 ? &w->sw : &w->ca[i - 1];
}

static struct iba_node_config config_of(unsigned i, uint16_t buffer, bool refresh)
{
    struct iba_node_config c = {.type = i == 0 ? IBA_NODE_SWITCH : IBA_NODE_CA,
                                .n_port = i == 0 ? SWITCH_PORTS : 1,
                                .mtu = IBA_MTU_4096,
                                .vls = 4,
                                .widths = 3,
                                .speeds = 7,
                                .ext_speeds = 3,
                                .vlarb_entries = 64,
                                .node_guid = 0x100 * (i + 1),
                                .system_guid = 0x100 * (i + 1),
                                .vendor = 0x1234,
                                .device = 7,
                                .pkeys = 64,
                                .switch_pkeys = i == 0 ? 32 : 0,
                                .lft = i == 0 ? 1024 : 0,
                                .mft = i == 0 ? 64 : 0,
                                .buffer = buffer,
                                .refresh = refresh,
                                .description = "node"};
    return c;
}

void wired_bring_up(struct wired *w)
{
    w->sw.sw.linearfdbtop = 100;
    w->sw.port[0].info.lid = SWITCH_LID;
    w->sw.port[0].info.mastersmlid = FIRST_LID;
    w->sw.lft[SWITCH_LID] = 0;
    for (unsigned i = 0; i < ADAPTERS; i++) {
        struct iba_portinfo *p = &w->ca[i].port[1].info;
        iba_link_settle(&w->sw, (uint8_t)(i + 1), &w->ca[i], 1, 0);
        p->lid = (uint16_t)(FIRST_LID + i);
        p->mastersmlid = FIRST_LID;
        p->portstate = w->sw.port[i + 1].info.portstate = IBA_PORT_ACTIVE;
        w->sw.lft[FIRST_LID + i] = (uint8_t)(i + 1);
    }
    w->sw.sw.portstatechange = 0;
    memset(w->sw.notice, 0, sizeof w->sw.notice);
    w->sw.mft[GROUP - 0xc000] = 1 << 1 | 1 << 2 | 1 << 3;
}

struct wired *wired_with_credits(uint16_t buffer, bool refresh)
{
    struct wired *w = calloc(1, sizeof *w);

    cr_assert_not_null(w);
    iba_pool_init(&w->pool, w->slot, w->bytes[0], SLOTS);
    for (unsigned i = 0; i <= ADAPTERS; i++) {
        const struct iba_node_config c = config_of(i, buffer, refresh);
        w->memory[i] = malloc(iba_node_bytes(&c));
        cr_assert_not_null(w->memory[i]);
        iba_node_init(node_of(w, i), &c, w->memory[i], &w->pool);
    }
    wired_bring_up(w);
    return w;
}

struct wired *wired_new(void)
{
    return wired_with_credits(0, false);
}

/* Checks that buffers are free when no packet waits. */
static void expect_buffers_free(const struct iba_node *n)
{
    for (unsigned p = 1; p <= n->cfg.n_port; p++)
        for (unsigned vl = 0; vl < IBA_VL15; vl++)
            cr_expect_eq(n->port[p].lane[vl].held, 0, "port %u, lane %u: %u blocks", p, vl, n->port[p].lane[vl].held);
}

void wired_free(struct wired *w)
{
    cr_expect_eq(w->pool.used, 0, "%d packets are left in the nodes", w->pool.used);
    for (unsigned i = 0; i <= ADAPTERS; i++) {
        if (w->pool.used == 0)
            expect_buffers_free(node_of(w, i));
        free(w->memory[i]);
    }
    free(w);
}

/* Delivers a packet that port `port` of the node sends. Returns false if there is none. */
static bool pass_on(struct wired *w, unsigned from, uint8_t port)
{
    uint8_t packet[IBA_PACKET_MOST];
    struct iba_node *to = from == 0 ? (port <= ADAPTERS ? &w->ca[port - 1] : NULL) : &w->sw;
    const size_t len = iba_node_poll(node_of(w, from), port, packet, sizeof packet, w->now);

    if (len && w->seen)
        w->seen(w, from, port, packet, len);
    if (len && to)
        iba_node_feed(to, from == 0 ? 1 : (uint8_t)from, packet, len, w->now);
    return len > 0;
}

static bool hear(struct wired *w, unsigned from)
{
    enum { MAD_AT = 28 };
    uint8_t port, packet[IBA_PACKET_MOST];
    const size_t len = iba_node_receive(node_of(w, from), &port, packet, sizeof packet);

    if (!len)
        return false;
    if (w->seen)
        w->seen(w, from, IBA_NO_PORT, packet, len);
    if (len == IBA_MGMT_BYTES && iba_madhdr_method(packet + MAD_AT) == IBA_METHOD_TRAP) {
        w->traps++;
        memcpy(w->trap, packet + MAD_AT, IBA_MAD_BYTES);
        return true;
    }
    memcpy(w->last, packet, len);
    if (from == 0)
        w->heard_by_switch++;
    else
        w->heard[from - 1]++;
    return true;
}

void wired_run(struct wired *w)
{
    for (bool busy = true; busy;) {
        busy = false;
        w->now += 10000;
        for (unsigned i = 0; i <= ADAPTERS; i++) {
            struct iba_node *n = node_of(w, i);
            iba_node_advance(n, w->now);
            for (unsigned p = 1; p <= n->cfg.n_port; p++)
                busy |= pass_on(w, i, (uint8_t)p);
            busy |= hear(w, i);
        }
    }
}

void wired_wait(struct wired *w, iba_time ns)
{
    w->now += ns;
    wired_run(w);
}

size_t wired_data(uint8_t *out, const struct data_packet *d)
{
    static const uint8_t zero[IBA_MTU_MOST_BYTES + 4];
    struct iba_recipe r;
    uint8_t *lrh, *bth;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY);
    lrh = iba_recipe_part(&r, IBA_H_lrh);
    bth = iba_recipe_part(&r, IBA_H_bth);
    iba_lrh_set_slid(lrh, d->slid);
    iba_lrh_set_dlid(lrh, d->dlid);
    iba_lrh_set_sl(lrh, d->sl);
    iba_lrh_set_vl(lrh, d->vl);
    iba_bth_set_p_key(bth, d->pkey ? d->pkey : 0xffff);
    iba_bth_set_destqp(bth, d->qpn ? d->qpn : 2);
    r.payload = zero;
    r.payload_len = d->payload;
    cr_assert_eq(iba_build(&r, out, IBA_PACKET_MOST, &len), IBA_OK);
    return len;
}

void wired_mad(uint8_t mad[IBA_MAD_BYTES], const struct smp *s)
{
    const bool directed = s->dlid == 0xffff;

    memset(mad, 0, IBA_MAD_BYTES);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, directed ? IBA_CLASS_DIRECTED : IBA_CLASS_SMP);
    iba_madhdr_set_classversion(mad, 1);
    iba_madhdr_set_method(mad, s->method ? s->method : IBA_METHOD_GET);
    iba_madhdr_set_transactionid(mad, 0x77);
    iba_madhdr_set_attributeid(mad, s->attribute);
    iba_madhdr_set_attributemodifier(mad, s->modifier);
    iba_smplid_set_mkey(mad + IBA_BYTES_madhdr, s->mkey);
    memcpy(mad + IBA_SMP_DATA_AT, s->data, sizeof s->data);
    if (directed) {
        iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, 0xffff);
        iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, 0xffff);
        mad[7] = s->hops;
        memcpy(mad + 129, s->path, sizeof s->path);
    }
}

int wired_ask(struct wired *w, unsigned from, const struct smp *s, uint8_t answer[IBA_MAD_BYTES])
{
    const struct iba_mgmt_to to = {
        .dlid = s->dlid, .slid = s->slid ? s->slid : (uint16_t)(FIRST_LID + from), .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    wired_mad(mad, s);
    memset(w->heard, 0, sizeof w->heard);
    iba_node_send(&w->ca[from], 1, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad), w->now);
    wired_run(w);
    if (!w->heard[from])
        return -1;
    memcpy(answer, w->last + 28, IBA_MAD_BYTES);
    cr_expect_eq(iba_madhdr_method(answer), IBA_METHOD_GET_RESP);
    return (answer[4] & 0x7f) << 8 | answer[5];
}

int wired_ask_agent(struct wired *w, const struct agent_request *r, uint8_t answer[IBA_MAD_BYTES])
{
    enum { DATA_AT = 64 };
    const struct iba_mgmt_to to = {.dlid = r->dlid, .slid = FIRST_LID, .dqp = 1, .sqp = 1, .pkey = 0xffff};
    const struct smp s = {
        .dlid = r->dlid, .attribute = r->attribute, .method = r->method, .modifier = r->modifier, .mkey = r->key};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    wired_mad(mad, &s);
    iba_madhdr_set_mgmtclass(mad, r->mgmt_class);
    iba_madhdr_set_classversion(mad, r->version);
    memcpy(mad + DATA_AT, r->data, sizeof r->data);
    w->heard[0] = 0;
    iba_node_send(&w->ca[0], 1, packet, iba_mgmt_build(packet, &to, 0, mad), w->now);
    wired_run(w);
    if (!w->heard[0])
        return -1;
    memcpy(answer, w->last + 28, IBA_MAD_BYTES);
    return answer[4] << 8 | answer[5];
}

unsigned wired_row(const struct iba_fabric_table *t, const char *name)
{
    for (unsigned i = 0; i < t->n; i++)
        if (strcmp(iba_fabric_row(t, i)->name, name) == 0)
            return i;
    cr_assert_fail("table %s has no row %s", t->name, name);
    return 0;
}

uint32_t wired_hits(const struct iba_node *n, const struct iba_fabric_table *t, const char *name)
{
    return n->hits[t->id][wired_row(t, name)];
}
