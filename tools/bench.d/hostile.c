/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-hostile KIND PACKETS FILE: a capture that fills one table of ibdissect, or makes one of its searches
 * long; the same bytes for the same arguments. ibbench-hostile --list: the kinds, each with the ordinary kind of the
 * same packets that it is measured against. FILE "-" is the standard output. */
#include "hostile.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "wire/iba_opcode_rows.h"

enum {
    FEW = 16,       /* queue pairs of an ordinary capture */
    RESTING = 3000, /* more than ibdissect keeps in full */
};
enum { SEND = 3, GET = 1, GET_RESPONSE = 0x81, TABLE_RESPONSE = 0x92, NODE_RECORD = 0x11, SERVICE_ENTRIES = 0x12 };

static void between(struct shape *p, uint64_t src, uint64_t dst)
{
    iba_bits_put(p->src, 96, 32, 0x0a000000 + src);
    iba_bits_put(p->dst, 96, 32, 0x0a000000 + dst);
}

/* ---- queue pairs ---- */

/* Few connections; every fifth packet acknowledges the four before it. */
static void data(struct shape *p, uint64_t i, struct iba_random *r)
{
    const uint32_t qp = (uint32_t)(i / 5 % FEW), messages = (uint32_t)(i / 5 / FEW * 4), step = (uint32_t)(i % 5);

    (void)r;
    p->psn = messages + (step < 4 ? step : 3);
    p->qpn = 100 + qp;
    p->ask = step == 3;
    if (step < 4)
        return;
    between(p, 2, 1);
    p->opcode = IBA_RC_ACKNOWLEDGE;
    p->qpn = 1000 + qp;
    p->msn = messages + 4;
}

static void qps(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    p->qpn = 2 + (uint32_t)(i % (PSNS - 2));
}

static void addresses(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    between(p, 16 + i, 0x1000000 + i);
}

/* These addresses collide under a hash that keeps only the highest bits of a word, whatever its seed is. */
static void addresses6(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    p->v6 = true;
    p->src[0] = p->dst[0] = 0x20;
    p->src[7] = (uint8_t)i;
    p->src[15] = p->src[11] = (uint8_t)(i >> 8);
    p->dst[7] = (uint8_t)(i >> 16);
}

static void senders(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    between(p, 16 + i, 2);
}

static void crowd(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    between(p, 16 + i % 17, 2); /* one more than a queue pair may have */
    p->psn = 7;
    p->content = i;
}

static void crowds(struct shape *p, uint64_t i, struct iba_random *r)
{
    crowd(p, i, r);
    p->qpn = 100 + (uint32_t)iba_random_below(r, 4096);
}

static void datagram_senders(struct shape *p, uint64_t i, struct iba_random *r)
{
    senders(p, i, r);
    p->opcode = IBA_UD_SEND_ONLY;
}

static void resting(struct shape *p, uint64_t i, struct iba_random *r)
{
    data(p, i / RESTING, r);
    p->qpn += (uint32_t)(i % RESTING) * FEW;
}

/* ---- one connection ---- */

static void psns(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)i;
    p->psn = (uint32_t)iba_random_below(r, PSNS);
}

static void near_psns(struct shape *p, uint64_t i, struct iba_random *r)
{
    p->psn = (uint32_t)(i / 2 + iba_random_below(r, 100)) % PSNS;
    p->content = i;
    p->ask = true;
    if (i % 2 == 0)
        return;
    between(p, 2, 1);
    p->opcode = IBA_RC_ACKNOWLEDGE;
    p->syndrome = (uint8_t)(iba_random_below(r, 3) == 0 ? 0x60 : 0);
}

static void retries(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    p->psn = (uint32_t)(i % 64);
    p->content = i;
    p->wait_ns = 100 * STEP_NS;
}

static void copies(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    p->psn = (uint32_t)(i / 32) % PSNS;
}

static void reads(struct shape *p, uint64_t i, struct iba_random *r)
{
    p->opcode = i % 2 ? IBA_RC_READ_RESP_MIDDLE : IBA_RC_READ_REQUEST;
    p->length = UINT32_C(1) << 31;
    p->psn = (uint32_t)(i / 2 * 3) % PSNS;
    p->bytes = 0;
    if (i % 2 == 0)
        return;
    between(p, 2, 1);
    p->psn = (p->psn + (uint32_t)iba_random_below(r, 64)) % PSNS;
    p->bytes = PAYLOAD;
}

static void unfinished(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    p->opcode = IBA_RC_SEND_FIRST;
    p->psn = (uint32_t)(i * 2) % PSNS;
    p->bytes = 256;
}

/* ---- pairs ---- */

static void one_psn(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    p->psn = 7;
    p->qpn = 2 + (uint32_t)(i / 2 % 200000);
    if (i % 2 == 0)
        return;
    between(p, 2, 1);
    p->opcode = IBA_RC_ACKNOWLEDGE;
}

/* Each queue pair searches for its peer as often as ibdissect allows. */
static void unasked(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    p->opcode = IBA_RC_ACKNOWLEDGE;
    p->qpn = 2 + (uint32_t)(i % 40);
    p->psn = (uint32_t)(i / 40) % PSNS;
    if (i % 2)
        between(p, 2, 1);
}

static void refusals(struct shape *p, uint64_t i, struct iba_random *r)
{
    unasked(p, i, r);
    p->syndrome = (uint8_t)(0x60 + i % 4);
}

/* ---- the network ---- */

static void damaged(struct shape *p, uint64_t i, struct iba_random *r)
{
    data(p, i, r);
    p->damaged = true;
}

static void congested(struct shape *p, uint64_t i, struct iba_random *r)
{
    data(p, i, r);
    p->congested = true;
}

static void notified(struct shape *p, uint64_t i, struct iba_random *r)
{
    qps(p, i, r);
    p->opcode = IBA_CNP_ROCE;
    p->bytes = 0;
}

static void times(struct shape *p, uint64_t i, struct iba_random *r)
{
    data(p, i, r);
    p->wait_ns = iba_random_below(r, 1000) == 0 ? (uint64_t)NS * 1000 : iba_random_below(r, NS);
}

/* As many pairs of hosts as -z hosts counts, in any order. */
static void pairs(struct shape *p, uint64_t i, struct iba_random *r)
{
    enum { SIDE = 128 };
    const uint32_t src = (uint32_t)iba_random_below(r, SIDE), dst = (uint32_t)iba_random_below(r, SIDE);

    between(p, 16 + src, 1024 + dst);
    p->qpn = 16 + src;
    p->psn = (uint32_t)i;
}

/* Bursts of as many hosts as the rounds of a collective may have, with silences of each length, which never repeat. */
static void bursts(struct shape *p, uint64_t i, struct iba_random *r)
{
    enum { RING = 64, SILENCE_NS = 20000, LENGTHS = 12 };

    data(p, i, r);
    between(p, 16 + i % RING, 16 + (i + 1) % RING);
    p->opcode = IBA_RC_SEND_ONLY;
    p->bytes = 4 * (1 + (uint32_t)iba_random_below(r, 16));
    p->wait_ns = i % RING ? 500 : (uint64_t)SILENCE_NS << iba_random_below(r, LENGTHS);
}

/* ---- management datagrams ---- */

static void header(struct shape *p, uint8_t class, uint8_t version, uint8_t method, uint64_t transaction,
                   uint16_t attribute)
{
    p->opcode = IBA_UD_SEND_ONLY;
    p->qpn = GSI;
    p->bytes = IBA_MAD_BYTES;
    p->mad[0] = 1;
    p->mad[1] = class;
    p->mad[2] = version;
    p->mad[3] = method;
    iba_bits_put(p->mad, 64, 64, transaction);
    iba_bits_put(p->mad, 128, 16, attribute);
}

static void mad(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    header(p, IBA_CLASS_SA, 2, i % 2 ? GET_RESPONSE : GET, i / 2, NODE_RECORD);
    if (i % 2)
        between(p, 2, 1);
}

static void mad_requests(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    header(p, IBA_CLASS_SA, 2, GET, i, NODE_RECORD);
}

/* Transactions whose places in the table of dissect/track/mad_pair.c are the same. */
static void mad_one_place(struct shape *p, uint64_t i, struct iba_random *r)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t inverse = factor;

    (void)r;
    for (unsigned n = 0; n < 6; n++)
        inverse *= 2 - factor * inverse;
    header(p, IBA_CLASS_SA, 2, GET, (i << 44 ^ i >> 20 << 12) * inverse ^ IBA_CLASS_SA, NODE_RECORD);
}

static void mad_kinds(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    header(p, (uint8_t)(0x09 + i % 7), 1, (uint8_t)(i >> 3), i, (uint16_t)(i >> 4));
    iba_bits_put(p->mad, 32, 16, i & 0xffff);
}

static void segment(struct shape *p, uint64_t transaction, uint8_t flags, uint32_t number, uint32_t payload)
{
    header(p, IBA_CLASS_SA, 2, TABLE_RESPONSE, transaction, NODE_RECORD);
    p->mad[24] = p->mad[25] = 1;
    p->mad[26] = flags;
    iba_bits_put(p->mad, 224, 32, number);
    iba_bits_put(p->mad, 256, 32, payload);
}

static void rmpp(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    segment(p, i / 4, (uint8_t)(i % 4 == 0 ? 3 : i % 4 == 3 ? 5 : 1), 1 + i % 4, i % 4 == 3 ? 120 : 0);
}

static void rmpp_begun(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    segment(p, i, 3, 1, 0);
}

/* Again and again a last segment before the last one that has come. */
static void rmpp_last(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    segment(p, 1, i == 0 ? 1 : 5, i == 0 ? 512 : 2, i == 0 ? 0 : 120);
}

static void services(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    header(p, 0x06, 1, GET_RESPONSE, i, SERVICE_ENTRIES);
    for (unsigned n = 0; n < 4; n++) {
        memcpy(p->mad + 64 + 48 * (size_t)n, "SRP.T10:0123456789abcdef", 24);
        iba_bits_put(p->mad + 64 + 48 * (size_t)n, 320, 64, i * 4 + n);
    }
}

/* ---- connections ---- */

enum { REQ = 0x10, REJ = 0x12, REP, RTU, DREQ, DREP };
static void message(struct shape *p, uint16_t attribute, uint64_t transaction, uint32_t local, uint32_t remote)
{
    header(p, 0x07, 2, SEND, transaction, attribute);
    iba_bits_put(p->mad, 192, 32, local);
    iba_bits_put(p->mad, 224, 32, remote);
}

static void request(struct shape *p, uint64_t i, uint32_t id, uint64_t service, uint32_t qpn, uint64_t gid)
{
    message(p, REQ, i, id, 0);
    iba_bits_put(p->mad, 256, 64, service);
    iba_bits_put(p->mad, 448, 24, qpn);
    if (!gid)
        return;
    iba_bits_put(p->mad, 640, 64, UINT64_C(0xfe80000000000000));
    iba_bits_put(p->mad, 704, 64, gid);
}

static void cm(struct shape *p, uint64_t i, struct iba_random *r)
{
    static const uint16_t attribute[] = {REQ, REP, RTU, DREQ, DREP};
    const uint32_t n = (uint32_t)(i / 5), active = 1 + n, passive = 0x1000000 + n, step = (uint32_t)(i % 5);
    const bool back = step == 1 || step == 4;

    (void)r;
    if (step == 0) {
        request(p, n, active, 7, 2 + n % (PSNS - 2), 0);
        return;
    }
    if (back)
        between(p, 2, 1);
    message(p, attribute[step], n, back ? passive : active, back ? active : passive);
    if (step == 1)
        iba_bits_put(p->mad, 288, 24, 2 + n % (PSNS - 2));
}

static void cm_requests(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    request(p, i, (uint32_t)i, i, (uint32_t)(i % PSNS), 0);
}

static void cm_one_qp(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    request(p, i, (uint32_t)i, i, 9, 77);
}

static void cm_one_id(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    request(p, i, 5, i, (uint32_t)(i % PSNS), 0);
}

static void cm_gids(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    request(p, i, (uint32_t)i, i, 9, i + 1);
}

static void cm_senders(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    request(p, i, 5, 1, 9, 77);
    between(p, 16 + i, 2);
}

static void cm_refused(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    if (i % 2 == 0) {
        request(p, i / 2, (uint32_t)(i / 2), i, 9, 0);
        return;
    }
    message(p, REJ, i / 2, 0, (uint32_t)(i / 2));
    between(p, 2, 1);
    iba_bits_put(p->mad, 272, 16, 8);
}

/* ---- native subnets ---- */

/* The answer of a node at the end of a route of that many hops, by the first port of each switch. */
static void smp(struct shape *p, uint64_t node, uint64_t transaction, unsigned hops)
{
    enum { NODE_INFO = 0x11, DIRECTION = 0x80, ROUTE = 24, DATA = 64, OUT = 128, IN = 192, SWITCH = 2, PORTS = 36 };

    p->native = true;
    header(p, IBA_CLASS_DIRECTED, 1, GET_RESPONSE, transaction, NODE_INFO);
    p->qpn = 0;
    p->mad[4] = DIRECTION;
    p->mad[6] = p->mad[7] = (uint8_t)hops;
    memset(p->mad + ROUTE + 8, 0xff, 4); /* the permissive LID at both ends */
    memset(p->mad + OUT + 1, 1, hops);
    memset(p->mad + IN + 1, 2, hops);
    iba_nodeinfo_set_nodetype(p->mad + DATA, SWITCH);
    iba_nodeinfo_set_numports(p->mad + DATA, PORTS);
    iba_nodeinfo_set_nodeguid(p->mad + DATA, node);
    iba_nodeinfo_set_localportnum(p->mad + DATA, 2);
}

static void smps(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    smp(p, 1 + i % FEW, i, 1 + (unsigned)(i % FEW));
}

static void smp_nodes(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    smp(p, 1 + i, i, 1);
}

static void smp_routes(struct shape *p, uint64_t i, struct iba_random *r)
{
    enum { HOPS = 63, OUT = 128 };

    (void)r;
    smp(p, 1 + i % FEW, i, HOPS);
    iba_bits_put(p->mad, 8 * (OUT + 1), 64, i * UINT64_C(0x9e3779b97f4a7c15));
}

static void smp_moves(struct shape *p, uint64_t i, struct iba_random *r)
{
    (void)r;
    smp(p, 1 + i % 3, i, 1 + (unsigned)(i % 2));
}

#define KINDS(K)                                                                                                       \
    K(data, data, "few connections, each request acknowledged")                                                        \
    K(qps, data, "each packet to another QP")                                                                          \
    K(addresses, data, "each packet between other IPv4 addresses")                                                     \
    K(addresses6, data, "IPv6 addresses that would collide under a weak hash")                                         \
    K(senders, data, "each packet from another sender to one connected QP")                                            \
    K(crowd, data, "one sender more than a QP may have, in turns")                                                     \
    K(crowds, data, "the same to 4096 QPs, at random")                                                                 \
    K(datagram_senders, data, "each datagram from another sender to one QP")                                           \
    K(resting, data, "3000 connections in turns, more than are kept in full")                                          \
    K(psns, data, "one connection, PSNs at random")                                                                    \
    K(near_psns, data, "requests and responses in any order, whose PSNs differ by less than 100")                      \
    K(retries, data, "64 requests again and again, with other contents")                                               \
    K(copies, data, "each packet 32 times")                                                                            \
    K(reads, data, "READs of 2 GiB, responses out of order")                                                           \
    K(unfinished, data, "messages that begin and do not end")                                                          \
    K(one_psn, data, "many connections between two addresses, all begin with one PSN")                                 \
    K(unasked, data, "acknowledgements without requests")                                                              \
    K(refusals, data, "NAKs without requests")                                                                         \
    K(damaged, data, "wrong ICRCs")                                                                                    \
    K(congested, data, "every packet with an ECN mark")                                                                \
    K(notified, data, "congestion notifications to many QPs")                                                          \
    K(times, data, "pauses of up to 1000 s between packets")                                                           \
    K(pairs, data, "16384 pairs of 256 hosts, at random")                                                              \
    K(bursts, data, "bursts of 64 hosts that look like the rounds of a collective, but never repeat")                  \
    K(mad, mad, "requests to the subnet administrator, and their responses")                                           \
    K(mad_requests, mad, "requests without responses")                                                                 \
    K(mad_one_place, mad, "requests whose transactions collide")                                                       \
    K(mad_kinds, mad, "each datagram of another class, attribute and status")                                          \
    K(rmpp, mad, "GetTable responses of four segments")                                                                \
    K(rmpp_begun, mad, "GetTable responses of which only the first segment comes")                                     \
    K(rmpp_last, mad, "a last segment that contradicts others, again and again")                                       \
    K(services, mad, "four services of an I/O controller in each datagram")                                            \
    K(cm, cm, "connections that are made and released")                                                                \
    K(cm_requests, cm, "REQs without answers")                                                                         \
    K(cm_one_qp, cm, "REQs that all name one QP")                                                                      \
    K(cm_one_id, cm, "REQs that all have one identifier")                                                              \
    K(cm_gids, cm, "REQs of one QP, each with another GID")                                                            \
    K(cm_senders, cm, "REQs from many hosts, equal but for the address")                                               \
    K(cm_refused, cm, "REQs that are rejected")                                                                        \
    K(smps, smps, "native: NodeInfo of 16 switches in turns")                                                          \
    K(smp_nodes, smps, "native: NodeInfo of another switch in each packet")                                            \
    K(smp_routes, smps, "native: another route of 63 hops in each packet")                                             \
    K(smp_moves, smps, "native: routes that lead to another switch each time")
static const struct kind {
    const char *name, *ordinary, *what;
    make *make;
} kinds[] = {
#define KIND_ROW(name, ordinary, what) {#name, #ordinary, what, name},
    KINDS(KIND_ROW)};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

int main(int argc, char **argv)
{
    const struct kind *k = kinds;
    char *end = NULL;

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (k = kinds; k < kinds + KIND_COUNT; k++)
            printf("%s\t%s\t%s\n", k->name, k->ordinary, k->what);
        return 0;
    }
    while (argc == 4 && k < kinds + KIND_COUNT && strcmp(k->name, argv[1]) != 0)
        k++;
    const uint64_t packets = argc == 4 ? strtoull(argv[2], &end, 10) : 0;
    if (argc != 4 || k == kinds + KIND_COUNT || *end != '\0' || packets == 0) {
        fputs("usage: ibbench-hostile KIND PACKETS FILE, or --list for the kinds; FILE: - is the standard output\n",
              stderr);
        return 1;
    }
    FILE *out = strcmp(argv[3], "-") == 0 ? stdout : fopen(argv[3], "wb");
    if (!out || !hostile_write(out, k->make, packets) || fclose(out) != 0) {
        fprintf(stderr, "ibbench-hostile: %s: %s\n", argv[3], errno ? strerror(errno) : "a packet cannot be built");
        return 2;
    }
    return 0;
}
