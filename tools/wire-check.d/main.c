/* SPDX-License-Identifier: BSD-2-Clause */
/* ibtalk FOLDER: writes one capture a kind of network, talk-KIND.pcap, in nanoseconds; see talk.h. */
#include <stdlib.h>
#include <string.h>
#include "talk.h"
#include "transport/iba_wr_ops.h"

enum { ETHERNET = 1, INFINIBAND = 247, MS = 1000000 };
static const struct network_kind kinds[] = {{"ib", IBA_PORT_IB, true, false, INFINIBAND},
                                            {"ib-grh", IBA_PORT_IB, true, true, INFINIBAND},
                                            {"roce1", IBA_PORT_ROCE1, true, true, ETHERNET},
                                            {"roce2-v4", IBA_PORT_ROCE2, false, true, ETHERNET},
                                            {"roce2-v6", IBA_PORT_ROCE2, true, true, ETHERNET}};

static void expect(struct talk *t, unsigned side, unsigned n, const char *what)
{
    if (talk_completed(t, side) != n)
        die("work did not complete as it should", what);
}

struct work {
    struct iba_send_wr wr;
    uint32_t length;
    bool receive; /* consumes a receive at the peer */
};

/* Posts the work requests one at a time; all must succeed. */
static void do_all(struct talk *t, const struct work *w, size_t n, bool acknowledged)
{
    for (size_t i = 0; i < n; i++) {
        struct iba_send_wr wr = w[i].wr;
        if (w[i].receive)
            talk_receive(t, 1, REGION);
        if (wr.op == IBA_WR_SEND_INV)
            wr.imm_or_key = t->side[1].spare_rkey;
        talk_send(t, &wr, w[i].length);
        talk_run(t, 50 * (iba_time)MS);
        expect(t, 0, 1, iba_wr_op_name((enum iba_wr_op)wr.op));
        expect(t, 1, w[i].receive, acknowledged ? "delivery" : "delivery of a datagram or message");
    }
}

static void every_operation(struct talk *t, const struct network_kind *k)
{
    static const struct work works[] = {
        {{.op = IBA_WR_SEND, .flags = IBA_WR_SOLICITED}, 600, true},
        {{.op = IBA_WR_SEND}, 0, true},
        {{.op = IBA_WR_SEND_IMM, .imm_or_key = 0xdeadbeef}, 11, true},
        {{.op = IBA_WR_SEND_IMM, .imm_or_key = 0x01020304}, 300, true},
        {{.op = IBA_WR_SEND_INV}, 13, true},
        {{.op = IBA_WR_WRITE, .va = REGION_VA + 3}, 701, false},
        {{.op = IBA_WR_WRITE}, 0, false},
        {{.op = IBA_WR_WRITE_IMM, .imm_or_key = 0xcafe}, 6, true},
        {{.op = IBA_WR_WRITE_IMM, .imm_or_key = 0xbabe}, 513, true},
        {{.op = IBA_WR_READ, .va = REGION_VA + 5}, 650, false},
        {{.op = IBA_WR_READ}, 7, false},
        {{.op = IBA_WR_READ}, 0, false},
        {{.op = IBA_WR_CMP_SWAP, .compare_add = 1, .swap = 2}, 8, false},
        {{.op = IBA_WR_FETCH_ADD, .compare_add = 0x1122334455667788}, 8, false},
        {{.op = IBA_WR_ATOMIC_WRITE}, 8, false},
        {{.op = IBA_WR_FLUSH, .flush_placement = 1}, 100, false},
        {{.op = IBA_WR_FLUSH, .flush_placement = 3, .flush_selectivity = 1}, 1, false},
    };
    const struct conversation c = {.kind = k, .service = IBA_QPT_RC, .mtu = IBA_MTU_256, .seed = 1};

    talk_begin(t, &c);
    do_all(t, works, sizeof works / sizeof *works, true);
}

/* A conversation with lost, reordered and duplicated packets, which cause NAKs and retransmissions. */
static void bad_weather(struct talk *t, const struct network_kind *k)
{
    static const struct work works[] = {{{.op = IBA_WR_SEND}, 1500, true},
                                        {{.op = IBA_WR_READ}, 1500, false},
                                        {{.op = IBA_WR_WRITE}, 1200, false},
                                        {{.op = IBA_WR_FETCH_ADD, .compare_add = 1}, 8, false}};
    const struct conversation c = {.kind = k,
                                   .service = IBA_QPT_RC,
                                   .mtu = IBA_MTU_512,
                                   .seed = 7,
                                   .faults = {.lose = 120000,
                                              .duplicate = 100000,
                                              .reorder = 100000,
                                              .ecn_mark = 100000,
                                              .delay_ns = 1000,
                                              .reorder_ns = 5000}};

    talk_begin(t, &c);
    do_all(t, works, sizeof works / sizeof *works, true);
}

/* A SEND while no receive is posted, then a WRITE with a key that does not exist. */
static void refusals(struct talk *t, const struct network_kind *k)
{
    const struct conversation c = {.kind = k, .service = IBA_QPT_RC, .mtu = IBA_MTU_256, .seed = 3};
    struct iba_send_wr wr = {.op = IBA_WR_SEND}, bad = {.op = IBA_WR_WRITE, .rkey = 0x12345678};

    talk_begin(t, &c);
    talk_send(t, &wr, 300);
    talk_run(t, 1 * (iba_time)MS);
    talk_receive(t, 1, REGION);
    talk_run(t, 50 * (iba_time)MS);
    expect(t, 0, 1, "SEND after RNR NAK");
    talk_send(t, &bad, 300);
    talk_run(t, 50 * (iba_time)MS);
    expect(t, 0, 0, "RDMA WRITE with a bad key");
}

static void unreliable(struct talk *t, const struct network_kind *k)
{
    static const struct work works[] = {{{.op = IBA_WR_SEND}, 600, true},
                                        {{.op = IBA_WR_SEND_IMM, .imm_or_key = 5}, 270, true},
                                        {{.op = IBA_WR_SEND_IMM, .imm_or_key = 6}, 0, true},
                                        {{.op = IBA_WR_WRITE}, 601, false},
                                        {{.op = IBA_WR_WRITE_IMM, .imm_or_key = 7}, 30, true},
                                        {{.op = IBA_WR_WRITE_IMM, .imm_or_key = 8}, 258, true}};
    const struct conversation c = {.kind = k, .service = IBA_QPT_UC, .mtu = IBA_MTU_256, .seed = 4};

    talk_begin(t, &c);
    do_all(t, works, sizeof works / sizeof *works, false);
}

static void datagrams(struct talk *t, const struct network_kind *k)
{
    static const struct work works[] = {{{.op = IBA_WR_SEND}, 1000, true},
                                        {{.op = IBA_WR_SEND, .flags = IBA_WR_SOLICITED}, 0, true},
                                        {{.op = IBA_WR_SEND_IMM, .imm_or_key = 9}, 33, true}};
    const struct conversation c = {.kind = k, .service = IBA_QPT_UD, .mtu = IBA_MTU_1024, .seed = 5};

    talk_begin(t, &c);
    do_all(t, works, sizeof works / sizeof *works, false);
}

/* A packet of an EtherType for experiments; and an IPv6 header that says "nothing follows", followed by bytes. */
static void raw_datagrams(struct talk *t, const struct network_kind *k)
{
    enum { LENGTH = 80, IPV6 = 40, NO_NEXT_HEADER = 59, EXPERIMENTAL = 0x88b5 };
    static const uint8_t ipv6[] = {0x60, 0, 0, 0, 0, LENGTH - IPV6, NO_NEXT_HEADER, 64};
    static const enum iba_qp_type types[] = {IBA_QPT_RAW_ETHERTYPE, IBA_QPT_RAW_IPV6};

    for (size_t i = 0; i < 2; i++) {
        const struct conversation c = {
            .kind = k, .service = types[i], .mtu = IBA_MTU_256, .seed = 8 + i}; /* each conversation has its own QPNs */
        const struct work w = {{.op = IBA_WR_SEND, .imm_or_key = EXPERIMENTAL}, LENGTH, true};
        talk_begin(t, &c);
        memcpy(t->side[0].memory + 1, ipv6, sizeof ipv6); /* where messages begin */
        do_all(t, &w, 1, false);
    }
}

static void begin_file(struct talk *t, const char *folder, const struct network_kind *k)
{
    const uint32_t head[] = {0xa1b23c4d, 4 << 16 | 2, 0, 0, 65535, k->linktype};
    char path[4096];

    if (snprintf(path, sizeof path, "%s/talk-%s.pcap", folder, k->name) >= (int)sizeof path)
        die("path too long", folder);
    t->capture = fopen(path, "wb");
    if (!t->capture)
        die("cannot write", path);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        for (unsigned b = 0; b < 32; b += 8)
            fputc((int)(head[i] >> b & 0xff), t->capture);
    t->now = 0;
}

int main(int argc, char **argv)
{
    struct talk *t = calloc(1, sizeof *t);

    if (argc != 2)
        die("usage", "ibtalk FOLDER");
    if (!t)
        die("out of memory", "");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        begin_file(t, argv[1], &kinds[i]);
        every_operation(t, &kinds[i]);
        bad_weather(t, &kinds[i]);
        refusals(t, &kinds[i]);
        unreliable(t, &kinds[i]);
        datagrams(t, &kinds[i]);
        if (kinds[i].port == IBA_PORT_IB && !kinds[i].grh)
            raw_datagrams(t, &kinds[i]);
        if (fclose(t->capture) != 0)
            die("cannot write", kinds[i].name);
    }
    free(t);
    return 0;
}
