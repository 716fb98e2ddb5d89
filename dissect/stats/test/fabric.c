/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes, cables and credits from packets built by hand. The subnet: an adapter A asks by its port 1; its cable leads to
 * port 2 of switch S, whose port 3 leads to port 4 of switch T. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "mad/iba_mad.h"
#include "stats/kinds.h"
#include "wire/iba_crc.h"
#include "wire/iba_opcode_rows.h"

enum { MAD_WORDS = 64, CRCS = 4 + 2, VL15 = 15, SWITCH = 2, GET = 1, GET_RESP = 0x81, INITIALIZE = 1 };
enum { NODE_DESCRIPTION = 0x10, NODE_INFO = 0x11, PORT_INFO = 0x15, S = 0xaaaa, T = 0xbbbb };

struct smp {
    uint8_t method, pointer, hops, out[3], in[3];
    uint16_t attribute;
    uint64_t guid;           /* of NodeInfo */
    const char *description; /* of NodeDescription */
    uint8_t modifier, state; /* of PortInfo */
    uint16_t lid, drdlid;    /* drdlid 0: the permissive one */
};

static struct frame frame_smp(const struct smp *s)
{
    struct frame f = frame_of(&(struct spec){.proto = IBA_PROTO_IB, .opcode = IBA_UD_SEND_ONLY, .words = MAD_WORDS});
    uint8_t *mad = f.b + f.n - CRCS - IBA_MAD_BYTES;

    iba_lrh_set_vl(f.b, VL15);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_DIRECTED);
    iba_madhdr_set_classversion(mad, 1);
    iba_madhdr_set_method(mad, s->method);
    iba_madhdr_set_attributeid(mad, s->attribute);
    iba_madhdr_set_attributemodifier(mad, s->modifier);
    mad[4] = s->method == GET_RESP ? 0x80 : 0;
    mad[6] = s->pointer;
    mad[7] = s->hops;
    iba_smp_route_set_drslid(mad + 24, 0xffff);
    iba_smp_route_set_drdlid(mad + 24, s->drdlid ? s->drdlid : 0xffff);
    memcpy(mad + 129, s->out, sizeof s->out);
    memcpy(mad + 193, s->in, sizeof s->in);
    if (s->description)
        memcpy(mad + 64, s->description, strlen(s->description));
    if (s->attribute == NODE_INFO) {
        iba_nodeinfo_set_nodetype(mad + 64, SWITCH);
        iba_nodeinfo_set_numports(mad + 64, 8);
        iba_nodeinfo_set_nodeguid(mad + 64, s->guid);
        iba_nodeinfo_set_localportnum(mad + 64, s->in[s->hops <= sizeof s->in ? s->hops - 1 : 0]);
    }
    if (s->attribute == PORT_INFO) {
        iba_portinfo_set_lid(mad + 64, s->lid);
        iba_portinfo_set_portstate(mad + 64, s->state);
    }
    return f;
}

static void smp(struct feed *f, uint32_t iface, const struct smp *s)
{
    const struct frame frame = frame_smp(s);

    f->unchecked = true; /* zeros became a datagram, the CRCs stayed */
    f->cap.iface = iface;
    feed(f, &frame, (int64_t)f->p.number);
    f->unchecked = false;
}

static void flow(struct feed *f, uint32_t iface, unsigned op, unsigned vl, unsigned fctbs, unsigned fccl)
{
    struct frame frame = {.link = IBA_LINK_IB, .n = IBA_BYTES_fc};

    iba_fc_set_op(frame.b, op);
    iba_fc_set_vl(frame.b, vl);
    iba_fc_set_fctbs(frame.b, fctbs);
    iba_fc_set_fccl(frame.b, fccl);
    iba_put_le16(frame.b + IBA_BYTES_fc - 2, iba_lpcrc(frame.b));
    f->cap.iface = iface;
    feed(f, &frame, (int64_t)f->p.number);
}

/* Feeds a data packet on lane 0. Its length is 8 + 12 + 8 + 4 + 2 bytes and the payload. */
static void data(struct feed *f, uint32_t iface, uint8_t words)
{
    const struct frame frame =
        frame_of(&(struct spec){.proto = IBA_PROTO_IB, .opcode = IBA_UD_SEND_ONLY, .dest_qp = 2, .words = words});

    f->cap.iface = iface;
    feed(f, &frame, (int64_t)f->p.number);
}

static const struct smp node_s = {GET_RESP, 1, 1, {1}, {2}, NODE_INFO, S, NULL, 0, 0, 0, 0};
static const struct smp node_t = {GET_RESP, 2, 2, {1, 3}, {2, 4}, NODE_INFO, T, NULL, 0, 0, 0, 0};

static void has(struct feed *f, const char *json)
{
    char *j = printed(f, true);

    cr_expect(strstr(j, json), "%s\nis not in\n%s", json, j);
    free(j);
}

/* The nodes name themselves; the ports are those of the route. Interface 1 has what S sends to A, 2 what T sends to S.
 */
Test(fabric, nodes_cables_and_names)
{
    const struct smp named = {GET_RESP, 1, 1, {1}, {2}, NODE_DESCRIPTION, 0, "S\x1b[31m", 0, 0, 0, 0};
    const struct smp state = {GET_RESP, 2, 2, {1, 3}, {2, 4}, PORT_INFO, 0, NULL, 4, 3, 0, 0};
    const struct smp lid = {GET_RESP, 2, 2, {1, 3}, {2, 4}, PORT_INFO, 0, NULL, 0, 4, 77, 0};
    struct feed f;

    feed_open(&f, "fabric");
    smp(&f, 1, &node_s);
    smp(&f, 2, &node_t);
    smp(&f, 1, &named);
    smp(&f, 2, &state);
    smp(&f, 2, &lid);
    has(&f,
        "\"nodes\":[{\"first_frame\":1,\"guid\":\"0x000000000000aaaa\",\"type\":\"switch\",\"ports\":8,\"lid\":null,"
        "\"description\":\"S\\u001b[31m\"},{\"first_frame\":2,\"guid\":\"0x000000000000bbbb\",\"type\":\"switch\","
        "\"ports\":8,\"lid\":77,\"description\":\"\"}]");
    has(&f, "\"cables\":[{\"port\":2,\"guid\":\"0x000000000000aaaa\",\"state\":\"-\",\"peer_port\":1},"
            "{\"port\":3,\"guid\":\"0x000000000000aaaa\",\"state\":\"-\",\"peer_port\":4,"
            "\"peer_guid\":\"0x000000000000bbbb\",\"peer_state\":\"Armed\"}]");
    has(&f, "\"answers\":5,\"moved\":0,\"damaged_flow\":0,\"no_room\":0,");
    char *t = printed(&f, false);
    cr_expect(strstr(t, "\nS\\033[31m"), "%s", t);
    cr_expect(strstr(t, "(that asks)                          1  -"), "%s", t);
    free(t);
    expect(&f, "fabric-subnet");
}

/* A node after an unknown node has no cable. A request, an error, a route with a part by LID, and an impossible hop
 * pointer show nothing. */
Test(fabric, what_says_nothing)
{
    struct smp other[] = {node_s, node_s, node_s, node_s};
    struct feed f;

    feed_open(&f, "fabric");
    smp(&f, 1, &node_t);
    other[0].method = GET;
    other[1].drdlid = 5;
    other[2].pointer = 2;
    other[3].hops = 64;
    for (unsigned i = 0; i < 4; i++)
        smp(&f, 1, &other[i]);
    has(&f, "\"answers\":1,\"moved\":0,");
    has(&f, "\"cables\":[]");
    feed_close(&f);
}

/* The cable is moved to another switch, and then the route leads to a third switch. */
Test(fabric, moved)
{
    struct smp elsewhere = node_t, third = node_t;
    struct feed f;

    feed_open(&f, "fabric");
    smp(&f, 1, &node_s);
    smp(&f, 2, &node_t);
    elsewhere.in[1] = 5;
    smp(&f, 2, &elsewhere);
    has(&f, "\"answers\":3,\"moved\":1,");
    has(&f, "\"peer_port\":5,\"peer_guid\":\"0x000000000000bbbb\"");
    third.guid = 0xcccc;
    smp(&f, 2, &third);
    has(&f, "\"answers\":4,\"moved\":3,"); /* the route, and S's port 3 */
    has(&f, "\"port\":3,\"guid\":\"0x000000000000aaaa\",\"state\":\"-\",\"peer_port\":4,\"peer_guid\":"
            "\"0x000000000000cccc\"");
    expect(&f, "fabric-moved");
}

/* Interface 3 has what S sends to T, as a request shows. T grants 10 blocks; S sends 2, 1 and 9 blocks, which is 2 too
 * many. */
Test(fabric, credits)
{
    const struct smp request = {GET, 2, 2, {1, 3}, {2, 0}, NODE_INFO, 0, NULL, 0, 0, 0, 0};
    struct feed f;

    feed_open(&f, "fabric");
    smp(&f, 1, &node_s);
    smp(&f, 2, &node_t);
    smp(&f, 3, &request);
    flow(&f, 3, INITIALIZE, 0, 4090, 100);
    flow(&f, 2, INITIALIZE, 0, 0, (4090 + 10) % 4096);
    data(&f, 3, (128 - 34) / 4);
    data(&f, 3, 1);
    has(&f,
        "\"interface\":3,\"guid\":\"0x000000000000aaaa\",\"port\":3,\"vl\":0,\"packets\":2,\"blocks\":3,\"updates\":1,"
        "\"unseen\":0,\"credits\":7,\"least_credits\":7,\"beyond\":0}");
    for (unsigned i = 0; i < 9; i++)
        data(&f, 3, 1);
    has(&f,
        "\"packets\":11,\"blocks\":12,\"updates\":1,\"unseen\":0,\"credits\":4094,\"least_credits\":0,\"beyond\":2}");
    flow(&f, 3, 0, 0, (4090 + 15) % 4096, 100); /* three more than the capture has */
    flow(&f, 2, 0, 0, 0, (4090 + 40) % 4096);
    has(&f, "\"updates\":2,\"unseen\":3,\"credits\":25,\"least_credits\":0,\"beyond\":2}");
    has(&f, "\"interface\":2,\"guid\":\"0x000000000000bbbb\",\"port\":4,\"vl\":0,\"packets\":0,\"blocks\":0,"
            "\"updates\":2,");
    expect(&f, "fabric-credits");
}

/* An interface with packets of two ports belongs to neither port. Damaged flow-control packets count for no lane. */
Test(fabric, mixed_and_damaged)
{
    struct feed f;
    struct frame bad = {.link = IBA_LINK_IB, .n = IBA_BYTES_fc};

    feed_open(&f, "fabric");
    smp(&f, 1, &node_s);
    smp(&f, 1, &node_t);
    flow(&f, 1, 0, 3, 5, 9);
    flow(&f, 1, 2, 3, 5, 9);
    flow(&f, 1, 0, 15, 5, 9);
    iba_put_le16(bad.b + IBA_BYTES_fc - 2, (uint16_t)~iba_lpcrc(bad.b));
    feed(&f, &bad, 9);
    has(&f, "\"damaged_flow\":3,");
    has(&f, "\"lanes\":[{\"file\":1,\"interface\":1,\"vl\":3,\"packets\":0,\"blocks\":0,\"updates\":1,\"unseen\":0,"
            "\"credits\":null,\"least_credits\":null,\"beyond\":0}]");
    expect(&f, "fabric-mixed");
}

/* Each of many interfaces has the packets that one port sends. */
Test(fabric, many_interfaces)
{
    enum { INTERFACES = 200 };
    struct feed f;

    feed_open(&f, "fabric");
    for (uint32_t i = 1; i <= INTERFACES; i++) {
        smp(&f, i, &node_s);
        flow(&f, i, 0, 0, 5, 9);
    }
    has(&f, "\"no_room\":0,");
    char *j = printed(&f, true);
    cr_expect_eq(occurrences(j, "\"vl\":0,"), INTERFACES);
    free(j);
    feed_close(&f);
}

/* When a table is full, further entries are left out and counted. */
Test(fabric, no_room)
{
    enum { NODES = 4096, MORE = 3 };
    struct smp s = node_s;
    struct feed f;

    feed_open(&f, "fabric");
    for (unsigned i = 0; i < NODES + MORE; i++) {
        s.guid = i + 1;
        smp(&f, 1, &s);
    }
    has(&f, "\"no_room\":3,");
    char *j = printed(&f, true);
    cr_expect_eq(occurrences(j, "\"first_frame\":"), NODES);
    free(j);
    feed_close(&f);
}
