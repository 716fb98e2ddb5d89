/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-fabric PACKETS PAYLOAD: how many packets a second a switch of the model forwards on one core.
 *
 * Datagrams of PAYLOAD bytes arrive at each port of a switch of 36 ports in turn, and leave by the next port on
 * another lane. So the switch computes two VCRCs: it checks the received one and sends a new one. Prints seconds and
 * packets as name=value lines; exit code 1 when a packet was not forwarded. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "fabric/iba_node.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { PORTS = 36, SLOTS = 16, FIRST_LID = 10, LFT = 64, NS_OF_WIRE = 1000 };

static struct iba_node node;
static struct iba_slot slots[SLOTS];
static uint8_t slot_bytes[SLOTS][IBA_PACKET_MOST];

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "ibbench-fabric: %s\n", what);
    exit(1);
}

/* A switch as a subnet manager leaves it: port i leads to LID 10 + i, and SL 0 is on lane 1 of every port. */
static void open_switch(void)
{
    static struct iba_pool pool;
    const struct iba_node_config cfg = {.type = IBA_NODE_SWITCH,
                                        .n_port = PORTS,
                                        .mtu = IBA_MTU_4096,
                                        .vls = 4,
                                        .widths = 3,
                                        .speeds = 7,
                                        .ext_speeds = 3,
                                        .vlarb_entries = 64,
                                        .node_guid = 0x100,
                                        .system_guid = 0x100,
                                        .pkeys = 32,
                                        .switch_pkeys = 32,
                                        .lft = LFT};
    void *memory = malloc(iba_node_bytes(&cfg));

    need(memory != NULL, "no memory");
    iba_pool_init(&pool, slots, slot_bytes[0], SLOTS);
    iba_node_init(&node, &cfg, memory, &pool);
    node.sw.linearfdbtop = LFT - 1;
    for (unsigned out = 1; out <= PORTS; out++) {
        struct iba_portinfo *p = &node.port[out].info;
        p->portphysicalstate = IBA_PHYS_LINKUP;
        p->portstate = IBA_PORT_ACTIVE;
        node.lft[FIRST_LID + out] = (uint8_t)out;
        for (unsigned in = 1; in <= PORTS; in++)
            iba_node_sl2vl(&node, (uint8_t)in, (uint8_t)out)[0] = 1;
    }
}

static size_t build(uint8_t *packet, unsigned in, unsigned out, size_t payload)
{
    static const uint8_t zero[IBA_MTU_MOST_BYTES];
    struct iba_recipe r;
    uint8_t *lrh;
    size_t len = 0;

    iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY);
    lrh = iba_recipe_part(&r, IBA_H_lrh);
    iba_lrh_set_slid(lrh, FIRST_LID + in);
    iba_lrh_set_dlid(lrh, FIRST_LID + out);
    iba_bth_set_p_key(iba_recipe_part(&r, IBA_H_bth), 0xffff);
    r.payload = zero;
    r.payload_len = payload;
    need(iba_build(&r, packet, IBA_PACKET_MOST, &len) == IBA_OK, "the packet is too long");
    return len;
}

static uint64_t run(uint64_t packets, size_t payload)
{
    static uint8_t packet[PORTS + 1][IBA_PACKET_MOST], out[IBA_PACKET_MOST];
    size_t len = 0;
    uint64_t forwarded = 0;

    for (unsigned in = 1; in <= PORTS; in++)
        len = build(packet[in], in, in % PORTS + 1, payload);
    for (uint64_t i = 0; i < packets; i++) {
        const unsigned in = (unsigned)(i % PORTS) + 1;
        const iba_time now = i * NS_OF_WIRE;
        iba_node_feed(&node, (uint8_t)in, packet[in], len, now);
        forwarded += iba_node_poll(&node, (uint8_t)(in % PORTS + 1), out, sizeof out, now) == len;
    }
    return forwarded;
}

int main(int argc, char **argv)
{
    const uint64_t packets = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    const size_t payload = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    clock_t start;

    need(packets > 0 && payload <= IBA_MTU_MOST_BYTES && payload % 4 == 0,
         "ibbench-fabric PACKETS PAYLOAD (0..4096, divisible by 4)");
    open_switch();
    start = clock();
    need(run(packets, payload) == packets, "packets were not forwarded");
    printf("seconds=%.6f\npackets=%llu\n", (double)(clock() - start) / CLOCKS_PER_SEC, (unsigned long long)packets);
    return 0;
}
