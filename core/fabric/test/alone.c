/* SPDX-License-Identifier: BSD-2-Clause */
#include "alone.h"
#include <stdlib.h>

struct alone *alone_new(uint8_t type, uint8_t ports)
{
    const bool is_switch = type == IBA_NODE_SWITCH;
    const struct iba_node_config c = {.type = type,
                                      .n_port = ports,
                                      .mtu = IBA_MTU_4096,
                                      .vls = 4,
                                      .widths = 3,
                                      .speeds = 7,
                                      .vlarb_entries = 32,
                                      .node_guid = 0x0102030405060708,
                                      .system_guid = 0x1112131415161718,
                                      .vendor = 0x123456,
                                      .revision = 0x23456789,
                                      .device = 0x4567,
                                      .pkeys = 40,
                                      .switch_pkeys = is_switch ? 40 : 0,
                                      .lft = is_switch ? 128 : 0,
                                      .mft = is_switch ? 64 : 0,
                                      .description = "a node alone"};
    struct alone *a = calloc(1, sizeof *a);

    cr_assert_not_null(a);
    a->memory = malloc(iba_node_bytes(&c));
    cr_assert_not_null(a->memory);
    iba_pool_init(&a->pool, a->slot, a->bytes[0], ALONE_SLOTS);
    iba_node_init(&a->n, &c, a->memory, &a->pool);
    for (unsigned p = is_switch ? 0 : 1; p <= ports; p++) {
        struct iba_portinfo *i = &a->n.port[p].info;
        i->portphysicalstate = IBA_PHYS_LINKUP;
        i->portstate = IBA_PORT_ACTIVE;
        i->lid = (uint16_t)(is_switch ? (p == 0 ? NODE_LID : 0) : NODE_LID + p);
    }
    if (is_switch) {
        a->n.sw.linearfdbtop = 127;
        a->n.lft[MANAGER_LID] = 1;
    }
    a->now = SECOND;
    return a;
}

void alone_free(struct alone *a)
{
    cr_expect_eq(a->pool.used, 0);
    free(a->memory);
    free(a);
}

int alone_ask(struct alone *a, const struct request *r)
{
    const bool smp = r->mgmt_class == IBA_CLASS_SMP;
    const uint8_t port = r->port ? r->port : 1;
    const struct iba_mgmt_to to = {.dlid = (uint16_t)(NODE_LID + (iba_node_is_switch(&a->n) ? 0 : port)),
                                   .slid = MANAGER_LID,
                                   .dqp = smp ? 0 : 1,
                                   .sqp = smp ? 0 : 1,
                                   .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_PACKET_MOST];
    size_t len;

    memset(mad, r->rest, sizeof mad);
    memset(mad, 0, 32);
    iba_madhdr_set_baseversion(mad, r->base ? r->base : 1);
    iba_madhdr_set_mgmtclass(mad, r->mgmt_class);
    iba_madhdr_set_classversion(mad, r->version ? r->version : r->mgmt_class == IBA_CLASS_CONGESTION ? 2 : 1);
    iba_madhdr_set_method(mad, r->method);
    iba_madhdr_set_attributeid(mad, r->attribute);
    iba_madhdr_set_attributemodifier(mad, r->modifier);
    iba_bits_put(mad, 24 * 8, 64, r->key);
    memcpy(mad + DATA_AT, r->data, smp ? IBA_SMP_DATA_BYTES : DATA_BYTES);
    iba_node_feed(&a->n, port, packet, iba_mgmt_build(packet, &to, smp ? IBA_VL15 : 0, mad), a->now);
    if (a->n.port[port].busy_until > a->now)
        a->now = a->n.port[port].busy_until;
    len = iba_node_poll(&a->n, port, packet, sizeof packet, a->now);
    if (len == 0)
        return -1;
    memcpy(a->answer, packet + MAD_AT, sizeof a->answer);
    return a->answer[4] << 8 | a->answer[5];
}

int alone_get(struct alone *a, uint8_t mgmt_class, uint16_t attribute, uint32_t modifier)
{
    return alone_ask(
        a, &(struct request){.mgmt_class = mgmt_class, .method = GET, .attribute = attribute, .modifier = modifier});
}

void alone_expect(const struct alone *a, const void *bytes, size_t n, size_t most, const char *what)
{
    uint8_t expected[DATA_BYTES] = {0};

    memcpy(expected, bytes, n);
    cr_expect_arr_eq(a->answer + DATA_AT, expected, most, "%s", what);
}
