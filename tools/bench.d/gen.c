/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-gen PAYLOAD PACKETS SEED FILE: a RoCEv2 capture to measure on, the same bytes for the same arguments.
 *
 * Several queue pairs send RC RDMA WRITEs of PAYLOAD bytes a packet in bursts. The last packet of a burst asks for an
 * acknowledgement, which counts as one of the PACKETS. Where PAYLOAD is a path MTU, a burst is one message (First,
 * Middle, Last); elsewhere each packet is a message (Only). FILE "-" is the standard output. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wire/iba_crc.h"
#include "wire/iba_hdr.h"
#include "wire/iba_opcode.h"
#include "wire/iba_opcode_rows.h"

enum {
    QPS = 16,
    HOSTS = 4, /* on each side */
    BURST_MIN = 4,
    BURST_MAX = 8,
    PMTU_MIN = 256,
    PMTU_MAX = 4096,
};
enum {
    AT_IP = IBA_BYTES_eth,
    AT_UDP = AT_IP + IBA_BYTES_ipv4,
    AT_BTH = AT_UDP + IBA_BYTES_udp,
    FRAME_MAX = AT_BTH + IBA_BYTES_bth + IBA_BYTES_reth + PMTU_MAX + IBA_ICRC_BYTES,
};
enum { QPN_ALL_BITS = 24, QPN_BITS = 8, QPN_BITS_MANY = 18, QPS_MOST = 1 << (QPN_BITS_MANY - 1) };
enum { PCAP_SNAPLEN = 65535, PCAP_ETHERNET = 1, PCAP_HEAD = 24, PCAP_RECORD = 16 };
#define PCAP_MAGIC_US UINT32_C(0xa1b2c3d4)
enum { CREDITS_UNLIMITED = 31, ROCE_PORT = 4791 };
#define FIRST_SECOND UINT64_C(1700000000)
#define PSN_MASK UINT32_C(0xffffff)

struct qp {
    unsigned id;
    uint32_t requester, responder, r_key;
    uint64_t va;
    uint32_t psn, msn; /* of the next request; messages that are complete */
    unsigned burst, sent;
    bool ack_due;
};

struct gen {
    FILE *out;
    uint64_t random, now_us;
    size_t payload, left; /* left: packets that remain to be written */
    unsigned due;         /* acknowledgements among them that are still due */
    struct qp *qp;
    unsigned qps;
};

/* xorshift64 (Marsaglia 2003) */
static uint64_t draw(struct gen *g)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return g->random;
}

static uint64_t draw_in(struct gen *g, uint64_t from, uint64_t to)
{
    return from + (draw(g) >> 16) % (to - from + 1);
}

static bool payload_is_pmtu(size_t payload)
{
    return payload >= PMTU_MIN && (payload & (payload - 1)) == 0;
}

static void capture_begin(struct gen *g)
{
    uint8_t head[PCAP_HEAD] = {0};

    iba_put_le32(head, PCAP_MAGIC_US);
    iba_put_le16(head + 4, 2);
    iba_put_le16(head + 6, 4);
    iba_put_le32(head + 16, PCAP_SNAPLEN);
    iba_put_le32(head + 20, PCAP_ETHERNET);
    fwrite(head, sizeof head, 1, g->out);
}

static void frame_write(struct gen *g, const uint8_t *frame, size_t len)
{
    uint8_t record[PCAP_RECORD];

    g->now_us += draw_in(g, 1, 3);
    iba_put_le32(record, (uint32_t)(FIRST_SECOND + g->now_us / 1000000));
    iba_put_le32(record + 4, (uint32_t)(g->now_us % 1000000));
    iba_put_le32(record + 8, (uint32_t)len);
    iba_put_le32(record + 12, (uint32_t)len);
    fwrite(record, sizeof record, 1, g->out);
    fwrite(frame, len, 1, g->out);
    g->left--;
}

static uint16_t ipv4_checksum(const uint8_t *ip)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < IBA_BYTES_ipv4; i += 2)
        sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* All headers before the BTH of a frame that ends at `end`, ICRC included. */
static void frame_address(struct gen *g, const struct qp *qp, bool request, uint8_t *frame, size_t end)
{
    uint8_t *ip = frame + AT_IP, *udp = frame + AT_UDP;
    const uint32_t requester = 0x0a010001 + qp->id % HOSTS, responder = 0x0a010101 + qp->id / HOSTS % HOSTS;
    const uint32_t src = request ? requester : responder, dst = request ? responder : requester;

    iba_eth_set_dst(frame, UINT64_C(0x020000000000) | dst);
    iba_eth_set_src(frame, UINT64_C(0x020000000000) | src);
    iba_eth_set_type(frame, 0x0800);
    iba_ipv4_set_version(ip, 4);
    iba_ipv4_set_hdr_len(ip, IBA_BYTES_ipv4 / 4);
    iba_ipv4_set_dscp(ip, 26);
    iba_ipv4_set_ecn(ip, 2);
    iba_ipv4_set_len(ip, end - AT_IP);
    /* All queue pairs share one counter: with a counter each, many queue pairs would have so few packets that random
     * values could look like counting. */
    iba_ipv4_set_id(ip, g->qps > QPS ? 0 : g->left & 0xffff);
    iba_ipv4_set_df(ip, 1);
    iba_ipv4_set_ttl(ip, 64);
    iba_ipv4_set_proto(ip, 17);
    iba_ipv4_set_src(ip, src);
    iba_ipv4_set_dst(ip, dst);
    iba_ipv4_set_checksum(ip, ipv4_checksum(ip));
    iba_udp_set_srcport(udp, 0xc000 + qp->id * 37 + (request ? 0 : 1024));
    iba_udp_set_dstport(udp, ROCE_PORT);
    iba_udp_set_length(udp, end - AT_UDP);
}

static void frame_send(struct gen *g, const struct qp *qp, bool request, uint8_t *frame, size_t icrc_at)
{
    frame_address(g, qp, request, frame, icrc_at + IBA_ICRC_BYTES);
    iba_put_le32(frame + icrc_at, iba_icrc(IBA_ICRC_ROCE2_V4, frame + AT_IP, AT_BTH - AT_IP, icrc_at - AT_IP));
    frame_write(g, frame, icrc_at + IBA_ICRC_BYTES);
}

static void bth_fill(uint8_t *bth, uint8_t opcode, uint32_t destqp, bool ask, uint32_t psn)
{
    iba_bth_set_opcode(bth, opcode);
    iba_bth_set_m(bth, 1);
    iba_bth_set_p_key(bth, 0xffff);
    iba_bth_set_destqp(bth, destqp);
    iba_bth_set_a(bth, ask);
    iba_bth_set_psn(bth, psn);
}

static void ack_send(struct gen *g, struct qp *qp)
{
    uint8_t frame[FRAME_MAX] = {0};
    uint8_t *aeth = frame + AT_BTH + IBA_BYTES_bth;

    bth_fill(frame + AT_BTH, IBA_RC_ACKNOWLEDGE, qp->requester, false, (qp->psn - 1) & PSN_MASK);
    iba_aeth_set_syn_value(aeth, CREDITS_UNLIMITED);
    iba_aeth_set_msn(aeth, qp->msn);
    frame_send(g, qp, false, frame, AT_BTH + IBA_BYTES_bth + IBA_BYTES_aeth);
    qp->ack_due = false;
    g->due--;
}

static uint8_t request_opcode(const struct gen *g, const struct qp *qp)
{
    if (!payload_is_pmtu(g->payload))
        return IBA_RC_WRITE_ONLY;
    if (qp->sent == 0)
        return IBA_RC_WRITE_FIRST;
    return qp->sent + 1 == qp->burst ? IBA_RC_WRITE_LAST : IBA_RC_WRITE_MIDDLE;
}

static uint8_t *payload_fill(struct gen *g, uint8_t *at)
{
    for (size_t done = 0; done < g->payload; done += sizeof(uint32_t), at += sizeof(uint32_t))
        iba_put_le32(at, (uint32_t)(draw(g) >> 32));
    return at;
}

static void request_send(struct gen *g, struct qp *qp)
{
    uint8_t frame[FRAME_MAX] = {0};
    uint8_t *at = frame + AT_BTH + IBA_BYTES_bth;
    const uint8_t opcode = request_opcode(g, qp);
    const bool whole = opcode == IBA_RC_WRITE_LAST || opcode == IBA_RC_WRITE_ONLY, last = qp->sent + 1 == qp->burst;
    /* The capture must end without an unanswered request: one with AckReq must leave space for its ACK. */
    const bool ask = last && g->left > g->due + 1;

    bth_fill(frame + AT_BTH, opcode, qp->responder, ask, qp->psn);
    if (iba_opcodes[opcode].hdrs & IBA_HDR_BIT(IBA_H_reth)) {
        iba_reth_set_va(at, qp->va + (uint64_t)qp->psn * g->payload);
        iba_reth_set_r_key(at, qp->r_key);
        iba_reth_set_dmalen(at, whole ? g->payload : g->payload * qp->burst);
        at += IBA_BYTES_reth;
    }
    at = payload_fill(g, at);
    frame_send(g, qp, true, frame, (size_t)(at - frame));
    qp->psn = (qp->psn + 1) & PSN_MASK;
    qp->msn = (qp->msn + whole) & PSN_MASK;
    qp->ack_due = ask;
    g->due += ask;
    qp->sent = last ? 0 : qp->sent + 1;
    if (last)
        qp->burst = (unsigned)draw_in(g, BURST_MIN, BURST_MAX);
}

static void qps_begin(struct gen *g)
{
    /* The low bits make queue pair numbers unique, also within one host. */
    const unsigned bits = g->qps > QPS ? QPN_BITS_MANY : QPN_BITS;
    const uint64_t most = (UINT64_C(1) << (QPN_ALL_BITS - 1 - bits)) - 1;

    for (unsigned i = 0; i < g->qps; i++) {
        struct qp *qp = &g->qp[i];

        qp->id = i;
        qp->requester = (uint32_t)draw_in(g, 1, most) << bits | i;
        qp->responder = (uint32_t)draw_in(g, 1, most) << bits | (i + g->qps);
        qp->r_key = (uint32_t)draw(g);
        qp->va = UINT64_C(0x7f0000000000) + ((uint64_t)i << 36);
        qp->psn = (uint32_t)draw_in(g, 0, PSN_MASK);
        qp->burst = (unsigned)draw_in(g, BURST_MIN, BURST_MAX);
    }
}

/* A queue pair that waits for an ACK sends nothing; when there is space for ACKs only, only these are sent. */
static void packets_write(struct gen *g)
{
    while (g->left > 0) {
        struct qp *qp = &g->qp[draw_in(g, 0, g->qps - 1)];

        if (qp->ack_due)
            ack_send(g, qp);
        else if (g->left > g->due)
            request_send(g, qp);
    }
}

static bool number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *out >= min && *out <= max;
}

int main(int argc, char **argv)
{
    enum { BUFFER = 1 << 20 };
    struct gen g = {0};
    uint64_t payload = 0, packets = 0, qps = QPS;

    if (argc < 5 || argc > 6 || (argc == 6 && !number_parse(argv[5], 1, QPS_MOST, &qps)) ||
        !number_parse(argv[1], 4, PMTU_MAX, &payload) || payload % 4 != 0 ||
        !number_parse(argv[2], 1, UINT32_MAX, &packets) || !number_parse(argv[3], 1, UINT64_MAX, &g.random)) {
        fputs("usage: ibbench-gen PAYLOAD PACKETS SEED FILE [QPS]\n"
              "PAYLOAD: bytes a packet, 4 to 4096, a multiple of 4; SEED: 1 or more; FILE: - is the standard output;\n"
              "QPS: queue pairs that take turns at random, 1 to 131072 (16)\n",
              stderr);
        return 1;
    }
    g.qps = (unsigned)qps;
    g.qp = calloc(g.qps, sizeof *g.qp);
    if (!g.qp) {
        fputs("ibbench-gen: out of memory\n", stderr);
        return 2;
    }
    g.payload = (size_t)payload;
    g.left = (size_t)packets;
    g.out = strcmp(argv[4], "-") == 0 ? stdout : fopen(argv[4], "wb");
    if (!g.out) {
        fprintf(stderr, "ibbench-gen: %s: %s\n", argv[4], strerror(errno));
        free(g.qp);
        return 2;
    }
    setvbuf(g.out, NULL, _IOFBF, BUFFER);
    capture_begin(&g);
    qps_begin(&g);
    packets_write(&g);
    free(g.qp);
    if (ferror(g.out) || fclose(g.out) != 0) {
        fprintf(stderr, "ibbench-gen: %s: cannot write: %s\n", argv[4], strerror(errno));
        return 2;
    }
    return 0;
}
