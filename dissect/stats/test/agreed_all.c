/* SPDX-License-Identifier: BSD-2-Clause */
/* -z agreed: what is remarkable of one connection among others, and on other networks than IPv4. The expected sentences
 * follow from the comments of agreed_differ.c; numbers are counted by hand. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "judge/judge.h"
#include "observer/iba_finding_kinds.h"
#include "stats/agreed.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

/* Direction i and i ^ 1 are of one connection; those with an even number go from .1 to .2. */
enum { DIRECTIONS = 8, PORT = 50000, PSN = 0x1000, QP = 16, HOPS = 64 };
#define MAC(host) (UINT64_C(0x020000000000) | (host))

static struct feed f;
static struct direction d[DIRECTIONS];
static struct verdict_names names;
static struct verdict v;

static void end_address(uint8_t *to, enum iba_addr_kind kind, uint8_t host)
{
    memset(to, 0, IBA_ADDR_MOST);
    if (kind == IBA_ADDR_IPV4) {
        to[0] = 10;
        to[3] = host;
    } else if (kind == IBA_ADDR_LID)
        to[1] = host;
    else {
        to[0] = kind == IBA_ADDR_IPV6 ? 0x20 : 0xfe;
        to[1] = kind == IBA_ADDR_IPV6 ? 0 : 0x80;
        to[15] = host;
    }
}

static void begin_as(enum iba_addr_kind kind)
{
    feed_open(&f, "agreed");
    f.unchecked = true;
    for (uint32_t i = 0; i < DIRECTIONS; i++) {
        d[i] = (struct direction){.id = i,
                                  .peer = (i ^ 1) + 1,
                                  .svc = IBA_RC,
                                  .pmtu = 1024,
                                  .knows_source_qp = true,
                                  .source_qp = QP + (i ^ 1)};
        d[i].key.kind = (uint8_t)kind;
        end_address(d[i].key.src, kind, (uint8_t)(1 + i % 2));
        end_address(d[i].key.dst, kind, (uint8_t)(2 - i % 2));
        d[i].key.qpn = QP + i;
    }
    names.direction = d;
    v = (struct verdict){.names = &names};
    f.p.verdict = &v;
}

static void begin(void)
{
    begin_as(IBA_ADDR_IPV4);
}

TestSuite(agreed_all, .init = begin);

/* A packet of a direction; zero members have the usual values. */
struct sent {
    uint8_t opcode;
    enum iba_proto proto; /* IBA_PROTO_NONE: RoCEv2 */
    bool v6;
    uint32_t psn;
    uint16_t port, p_key;
    uint8_t hops, sl, dscp, syndrome;
    uint64_t mac[2]; /* source, destination; 0: those of the two hosts */
    bool no_mac, bad_icrc;
};

static struct frame frame_sent(uint32_t way, const struct sent *x)
{
    const bool native = x->proto == IBA_PROTO_IB;
    const uint8_t src = (uint8_t)(1 + way % 2), dst = (uint8_t)(2 - way % 2);
    struct frame frame = frame_of(&(struct spec){.proto = x->proto ? x->proto : IBA_PROTO_ROCE2,
                                                 .v6 = x->v6,
                                                 .src = src,
                                                 .dst = dst,
                                                 .opcode = x->opcode,
                                                 .p_key = x->p_key ? x->p_key : 0x8001,
                                                 .dest_qp = d[way].key.qpn,
                                                 .psn = x->psn ? x->psn : PSN + 16 * way,
                                                 .bad_icrc = x->bad_icrc});
    struct iba_view view;

    (void)iba_view_parse(&view, frame.link, frame.b, frame.n, frame.n, NULL);
    if (!native && !x->no_mac) {
        iba_eth_set_src(frame.b, x->mac[0] ? x->mac[0] : MAC(src));
        iba_eth_set_dst(frame.b, x->mac[1] ? x->mac[1] : MAC(dst));
    }
    const uint8_t hops = x->hops ? x->hops : HOPS;
    if (view.l3 == IBA_H_ipv4) {
        iba_ipv4_set_ttl(frame.b + view.l3_at, hops);
        iba_ipv4_set_dscp(frame.b + view.l3_at, x->dscp);
    } else if (view.l3 == IBA_H_ipv6) {
        iba_ipv6_set_hlim(frame.b + view.l3_at, hops);
        iba_ipv6_set_dscp(frame.b + view.l3_at, x->dscp);
    } else if (iba_view_has(&view, IBA_H_grh))
        iba_grh_set_hoplmt(frame.b + view.at[IBA_H_grh], hops);
    if (iba_view_has(&view, IBA_H_udp))
        iba_udp_set_srcport(frame.b + view.at[IBA_H_udp], x->port ? x->port : PORT + way);
    if (iba_view_has(&view, IBA_H_lrh))
        iba_lrh_set_sl(frame.b + view.at[IBA_H_lrh], x->sl);
    if (iba_view_has(&view, IBA_H_aeth))
        frame.b[view.at[IBA_H_aeth]] = x->syndrome;
    return frame;
}

static void put(uint32_t way, struct sent x)
{
    const struct frame frame = frame_sent(way, &x);

    v.direction = &d[way];
    feed(&f, &frame, (int64_t)f.p.number * 1000);
    v = (struct verdict){.names = &names};
}

#define REQUEST .opcode = IBA_RC_SEND_ONLY

/* Checks all that the text says at its end. Frees what was counted. */
static void says(const char *want)
{
    char *t = printed(&f, false), *at = strstr(t, "The same, of");

    cr_assert(at, "%s", t);
    for (unsigned i = 0; i < 2; i++) {
        at = strstr(at + 1, "\n---");
        cr_assert(at, "%s", t);
    }
    at += 1 + strcspn(at + 1, "\n") + 1;
    const size_t n = (size_t)(strstr(at, "====") - at);
    cr_expect(n == strlen(want) && strncmp(at, want, n) == 0, "want\n%sgot\n%.*s", want, (int)n, at);
    free(t);
    feed_close(&f);
}
#define NOTHING "Remarkable: nothing\n"

/* ---- several connections of two hosts ---- */

/* Both ends of `n` connections send requests from one port each. */
static void from_one_port(uint32_t n)
{
    for (uint32_t i = 0; i < 2 * n; i++)
        put(i, (struct sent){REQUEST, .port = (uint16_t)(PORT + i % 2)});
}

Test(agreed_all, one_port)
{
    from_one_port(3);
    says("Remarkable:\n"
         "What goes from 10.0.0.1 to 10.0.0.2 QP 0x000010 comes from UDP port 50000, as all 3 connections of the two: "
         "no "
         "path is chosen by it\n"
         "What goes from 10.0.0.2 to 10.0.0.1 QP 0x000011 comes from UDP port 50001, as all 3 connections of the two: "
         "no "
         "path is chosen by it\n");
    begin();
    from_one_port(1);
    says(NOTHING);
}

/* Another port of one of them, or a second port of it; but not the port of a direction that only answers. */
Test(agreed_all, not_quite_one_port)
{
    static const char one[] =
        "Remarkable:\nWhat goes from 10.0.0.2 to 10.0.0.1 QP 0x000011 comes from UDP port 50001, as "
        "all 2 connections of the two: no path is chosen by it\n";

    for (unsigned way = 0; way < 4; way += 2) {
        from_one_port(2);
        put(way, (struct sent){REQUEST, .port = PORT + 9});
        says(one);
        begin();
    }
    from_one_port(2);
    put(4, (struct sent){.opcode = IBA_RC_ACKNOWLEDGE, .port = PORT + 9, .syndrome = 0x1f});
    says("Remarkable:\n"
         "What goes from 10.0.0.1 to 10.0.0.2 QP 0x000010 comes from UDP port 50000, as all 2 connections of the two: "
         "no "
         "path is chosen by it\n"
         "What goes from 10.0.0.2 to 10.0.0.1 QP 0x000011 comes from UDP port 50001, as all 2 connections of the two: "
         "no "
         "path is chosen by it\n");
    begin();
    d[2].key.dst[3] = 9; /* goes to another host */
    from_one_port(2);
    says(one);
}

static void not_ready(uint32_t way)
{
    verdict_add(&v, &(struct iba_finding){.kind = IBA_FINDING_RNR, .wait_ns = 40});
    put(way, (struct sent){.opcode = IBA_RC_ACKNOWLEDGE, .syndrome = 0x21, .port = (uint16_t)(PORT + way)});
}

Test(agreed_all, receivers_that_are_not_ready)
{
    static const char all[] =
        "Remarkable:\nWhat goes from 10.0.0.2 to 10.0.0.1 QP 0x000011 is from one who says on each of "
        "2 connections that it is not ready: do they share their receives?\n";

    not_ready(1);
    not_ready(3);
    says(all);
    begin();
    not_ready(1);
    says(NOTHING);
    begin();
    not_ready(1);
    not_ready(3);
    put(5, (struct sent){REQUEST}); /* on another it is */
    says(NOTHING);
    begin();
    not_ready(1);
    not_ready(3);
    put(4, (struct sent){REQUEST}); /* the other way */
    says(all);
}

/* At least four directions, and more than half, begin with one PSN. */
Test(agreed_all, one_first_psn)
{
    static const struct {
        uint32_t same, other;
        bool said;
    } rows[] = {{4, 0, true}, {3, 0, false}, {4, 3, true}, {4, 4, false}, {5, 3, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[128], json[32];
        for (uint32_t k = 0; k < rows[i].same + rows[i].other; k++)
            put(k, (struct sent){REQUEST, .psn = k < rows[i].other ? PSN + k : 0xabc});
        (void)snprintf(want, sizeof want,
                       "%u directions begin with PSN 0x000abc: whoever knows that can forge packets\n%s", rows[i].same,
                       NOTHING);
        (void)snprintf(json, sizeof json, "\"same_psn\":%u,", rows[i].said ? rows[i].same : 0);
        char *j = printed(&f, true);
        cr_expect(strstr(j, json), "row %zu: %s", i, j);
        free(j);
        says(rows[i].said ? want : NOTHING);
        begin();
    }
    for (uint32_t k = 0; k < 4; k++) /* answers have the PSNs of the other direction */
        put(k, (struct sent){.opcode = IBA_RC_ACKNOWLEDGE, .syndrome = 0x1f, .psn = 0xabc});
    says(NOTHING);
}

/* ---- addresses ---- */

Test(agreed_all, no_mac_address)
{
    put(0, (struct sent){REQUEST});
    put(0, (struct sent){REQUEST, .no_mac = true});
    const struct frame other = frame_other(); /* no InfiniBand */
    struct frame zeros = other;
    memset(zeros.b, 0, 12);
    feed(&f, &zeros, 5000);
    put(1, (struct sent){REQUEST, .no_mac = true});
    char *j = printed(&f, true);
    cr_expect(strstr(j, "\"no_mac\":2,"), "%s", j);
    free(j);
    says("InfiniBand packets from a MAC address of zeros 2, first packet 2\n" NOTHING);
}

/* A port that sends RoCEv1 gets RoCEv2 from the port that it sends to. */
Test(agreed_all, both_encapsulations)
{
    static const struct {
        enum iba_proto there, back;
        uint64_t src, dst;
        bool mixed;
    } rows[] = {{IBA_PROTO_ROCE1, IBA_PROTO_ROCE2, MAC(2), MAC(1), true},
                {IBA_PROTO_ROCE1, IBA_PROTO_ROCE2, MAC(3), MAC(1), false},
                {IBA_PROTO_ROCE1, IBA_PROTO_ROCE2, MAC(2), MAC(3), false},
                {IBA_PROTO_ROCE1, IBA_PROTO_ROCE2, MAC(1), MAC(2), false},
                {IBA_PROTO_ROCE1, IBA_PROTO_ROCE1, MAC(2), MAC(1), false},
                {IBA_PROTO_ROCE2, IBA_PROTO_ROCE2, MAC(2), MAC(1), false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        d[0].key.kind = IBA_ADDR_GID;
        d[0].key.src[0] = d[0].key.dst[0] = 0xfe;
        d[0].key.src[1] = d[0].key.dst[1] = 0x80;
        put(0, (struct sent){REQUEST, .proto = rows[i].there});
        put(3, (struct sent){REQUEST, .proto = rows[i].back, .mac = {rows[i].src, rows[i].dst}});
        char *t = printed(&f, false);
        cr_expect_eq(strstr(t, "QP 0x000010 is RoCEv1, and what comes back from that port is RoCEv2\n") != NULL,
                     rows[i].mixed, "row %zu: %s", i, t);
        cr_expect_eq(strstr(t, "QP 0x000013 is RoCE") != NULL, false, "row %zu: %s", i, t);
        free(t);
        feed_close(&f);
        begin();
    }
    feed_close(&f);
}

/* fe80::/10 is link-local, of IPv6 addresses and of GIDs. */
Test(agreed_all, link_local)
{
    static const struct {
        enum iba_addr_kind kind;
        uint8_t src[2], dst[2];
        bool said;
    } rows[] = {
        {IBA_ADDR_IPV6, {0xfe, 0x80}, {0x20, 0}, true},  {IBA_ADDR_IPV6, {0xfe, 0xbf}, {0x20, 0}, true},
        {IBA_ADDR_IPV6, {0xfe, 0xc0}, {0x20, 0}, false}, {IBA_ADDR_IPV6, {0xfe, 0x7f}, {0x20, 0}, false},
        {IBA_ADDR_IPV6, {0xfd, 0x80}, {0x20, 0}, false}, {IBA_ADDR_IPV6, {0xfe, 0x80}, {0xfe, 0x80}, false},
        {IBA_ADDR_IPV6, {0x20, 0}, {0xfe, 0x80}, false}, {IBA_ADDR_GID, {0xfe, 0x80}, {0x20, 0}, true},
        {IBA_ADDR_IPV4, {0xfe, 0x80}, {0x20, 0}, false}, {IBA_ADDR_LID, {0xfe, 0x80}, {0x20, 0}, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        d[0].key.kind = (uint8_t)rows[i].kind;
        memcpy(d[0].key.src, rows[i].src, 2);
        memcpy(d[0].key.dst, rows[i].dst, 2);
        put(0, (struct sent){REQUEST});
        char *t = printed(&f, false);
        cr_expect_eq(strstr(t,
                            " QP 0x000010 comes from a link-local address and goes to one that is not: answers do not "
                            "pass a router\n") != NULL,
                     rows[i].said, "row %zu: %s", i, t);
        free(t);
        feed_close(&f);
        begin();
    }
    feed_close(&f);
}

/* Checks the values that each network shows, as JSON has them. */
static void shows(enum iba_addr_kind kind, struct sent x, const char *want)
{
    feed_close(&f);
    begin_as(kind);
    put(0, x);
    char *j = printed(&f, true);
    cr_expect(strstr(j, want), "%s\nis not in\n%s", want, j);
    free(j);
}

Test(agreed_all, what_each_network_shows)
{
    shows(
        IBA_ADDR_IPV6, (struct sent){REQUEST, .v6 = true, .hops = 33, .dscp = 11},
        "\"service_level\":{\"agreed\":null,\"observed\":null},\"dscp\":{\"agreed\":null,\"observed\":11},\"hop_"
        "limit\":{"
        "\"agreed\":null,\"observed\":33},\"migreq\":{\"agreed\":null,\"observed\":0},\"source_port\":{\"agreed\":null,"
        "\"observed\":50000}}");
    shows(
        IBA_ADDR_GID, (struct sent){REQUEST, .proto = IBA_PROTO_ROCE1, .hops = 1},
        "\"service_level\":{\"agreed\":null,\"observed\":null},\"dscp\":{\"agreed\":null,\"observed\":null},\"hop_"
        "limit\":{"
        "\"agreed\":null,\"observed\":1},\"migreq\":{\"agreed\":null,\"observed\":0},\"source_port\":{\"agreed\":null,"
        "\"observed\":null}}],\"differences\":[],");
    shows(IBA_ADDR_LID, (struct sent){REQUEST, .proto = IBA_PROTO_IB, .sl = 6},
          "\"service_level\":{\"agreed\":null,\"observed\":6},\"dscp\":{\"agreed\":null,\"observed\":null},\"hop_"
          "limit\":{"
          "\"agreed\":null,\"observed\":null},");
    shows(IBA_ADDR_GID, (struct sent){REQUEST, .proto = IBA_PROTO_IB, .v6 = true, .sl = 7, .hops = 9},
          "\"service_level\":{\"agreed\":null,\"observed\":7},\"dscp\":{\"agreed\":null,\"observed\":null},\"hop_"
          "limit\":{"
          "\"agreed\":null,\"observed\":9},");
    feed_close(&f);
}

/* ---- packets that do not count ---- */

Test(agreed_all, packets_that_do_not_count)
{
    struct sent x = {REQUEST};

    f.unchecked = false;
    x.opcode = IBA_UC_SEND_ONLY;
    put(0, x);
    x.opcode = IBA_RC_SEND_ONLY;
    x.bad_icrc = true;
    put(0, x);
    f.unchecked = true;
    struct frame cut = frame_sent(0, &(struct sent){.opcode = IBA_RC_READ_REQUEST});
    cut.caplen = cut.n - IBA_ICRC_BYTES - 1; /* inside its RETH */
    v.direction = &d[0];
    feed(&f, &cut, 0);
    const struct frame whole = frame_sent(0, &(struct sent){REQUEST});
    v = (struct verdict){.names = &names}; /* of no direction */
    feed(&f, &whole, 0);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "\"directions\":[],\"differences\":[],"), "%s", j);
    free(j);
    put(0, (struct sent){.opcode = 0xa4}); /* XRC SEND Only */
    j = printed(&f, true);
    cr_expect_eq(occurrences(j, "{\"direction\":"), 1, "%s", j);
    free(j);
    feed_close(&f);
}
