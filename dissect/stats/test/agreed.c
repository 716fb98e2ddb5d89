/* SPDX-License-Identifier: BSD-2-Clause */
/* -z agreed: REQ and REP of a connection, then packets of both ends that keep to them, or differ in one thing. The
 * agreed values are those of the REQ and the REP (12.7), the observed ones are counted by hand. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "judge/judge.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"
#include "stats/agreed.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

enum { AT_IP = 14, AT_UDP = AT_IP + 20, AT_BTH = AT_UDP + 8, AT_AETH = AT_BTH + 12 };
enum { ACTIVE_QP = 17, PASSIVE_QP = 16, ACTIVE_PSN = 0x200, PASSIVE_PSN = 0x100, PORT = 50000 };
#define TIMEOUT (UINT64_C(4096) << 14)

/* d[0] goes from the active end, 10.0.0.1, to the passive one; d[1] back. */
struct bench {
    struct feed f;
    struct direction d[2];
    struct verdict_names names;
    struct verdict v;
    uint8_t req_depth, rep_depth, ttl, dscp, ecn;
    uint16_t p_key, port;
    bool migreq;
};

static void connects(struct bench *b)
{
    struct frame f = frame_cm(false, IBA_CM_ID_REQ);
    uint8_t *w = frame_datagram(&f) + IBA_BYTES_madhdr;

    iba_cm_req_set_localcommid(w, 1);
    iba_cm_req_set_localqpn(w, ACTIVE_QP);
    iba_cm_req_set_startpsn(w, PASSIVE_PSN); /* each end gives the first PSN of the other */
    iba_cm_req_set_initdepth(w, b->req_depth);
    iba_cm_req_set_responderres(w, 3);
    iba_cm_req_set_pkey(w, 0x8001);
    iba_cm_req_set_prim_sl(w, 5);
    iba_cm_req_set_prim_tfcclass(w, 26 << 2);
    iba_cm_req_set_prim_hoplim(w, 64);
    iba_cm_req_set_rnrretrcount(w, 6);
    iba_cm_req_set_pppmtu(w, 3);
    iba_cm_req_set_prim_localacktout(w, 14);
    iba_cm_req_set_retrcount(w, 5);
    iba_cm_req_set_e2eflowctrl(w, 1);
    feed(&b->f, &f, 0);
    f = frame_cm(true, IBA_CM_ID_REP);
    w = frame_datagram(&f) + IBA_BYTES_madhdr;
    iba_cm_rep_set_localcommid(w, 2);
    iba_cm_rep_set_remotecommid(w, 1);
    iba_cm_rep_set_localqpn(w, PASSIVE_QP);
    iba_cm_rep_set_startpsn(w, ACTIVE_PSN);
    iba_cm_rep_set_initdepth(w, b->rep_depth);
    iba_cm_rep_set_respres(w, b->req_depth);
    iba_cm_rep_set_rnrretrcount(w, 7);
    feed(&b->f, &f, 1000);
}

static void begin(struct bench *b, bool connected)
{
    memset(b, 0, sizeof *b);
    feed_open(&b->f, "agreed");
    b->f.unchecked = true;
    b->req_depth = 4;
    b->rep_depth = 2;
    b->ttl = 64;
    b->dscp = 26;
    b->p_key = 0x8001;
    b->port = PORT;
    for (uint32_t i = 0; i < 2; i++) {
        b->d[i] =
            (struct direction){.id = i, .peer = (i ^ 1) + 1, .svc = IBA_RC, .pmtu = 1024, .knows_source_qp = true};
        b->d[i].key.kind = IBA_ADDR_IPV4;
        b->d[i].key.src[0] = b->d[i].key.dst[0] = 10;
        b->d[i].key.src[3] = (uint8_t)(1 + i);
        b->d[i].key.dst[3] = (uint8_t)(2 - i);
        b->d[i].key.qpn = i ? ACTIVE_QP : PASSIVE_QP;
        b->d[i].source_qp = i ? PASSIVE_QP : ACTIVE_QP;
    }
    b->names.direction = b->d;
    b->f.p.verdict = &b->v;
    b->v = (struct verdict){.names = &b->names};
    if (connected)
        connects(b);
}

/* Feeds a packet of the direction `way`, with the headers of the bench. */
static void packet(struct bench *b, unsigned way, uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
    struct frame f = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2,
                                             .src = (uint8_t)(1 + way),
                                             .dst = (uint8_t)(2 - way),
                                             .opcode = opcode,
                                             .p_key = b->p_key,
                                             .dest_qp = b->d[way].key.qpn,
                                             .psn = psn});

    iba_ipv4_set_dscp(f.b + AT_IP, b->dscp);
    iba_ipv4_set_ecn(f.b + AT_IP, b->ecn);
    iba_ipv4_set_ttl(f.b + AT_IP, b->ttl);
    iba_udp_set_srcport(f.b + AT_UDP, b->port);
    iba_bth_set_m(f.b + AT_BTH, b->migreq);
    iba_eth_set_src(f.b, 0x020000000001 + way);
    if (iba_opcodes[opcode].hdrs & IBA_HDR_BIT(IBA_H_aeth))
        f.b[AT_AETH] = syndrome;
    b->v.direction = &b->d[way];
    feed(&b->f, &f, (int64_t)b->f.p.number * 1000);
    b->v = (struct verdict){.names = &b->names};
}

static void finding(struct bench *b, unsigned kind, uint32_t psn, uint64_t wait_ns)
{
    verdict_add(&b->v, &(struct iba_finding){.kind = (uint8_t)kind, .psn = iba_psn_of(psn), .wait_ns = wait_ns});
}

/* Feeds the packet with this PSN again, the given number of times. */
static void again(struct bench *b, unsigned way, unsigned kind, uint32_t psn, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        finding(b, kind, psn, 0);
        packet(b, way, IBA_RC_SEND_ONLY, psn, 0);
    }
}

static const uint32_t first_psn[2] = {ACTIVE_PSN, PASSIVE_PSN};

static void both_send(struct bench *b)
{
    packet(b, 0, IBA_RC_SEND_ONLY, first_psn[0], 0);
    packet(b, 1, IBA_RC_SEND_ONLY, first_psn[1], 0);
}

/* Checks the value of `key` in the row of a direction, which is the text up to the closing brace. */
static void expect_value(const char *json, unsigned way, const char *key, const char *value)
{
    char row[32], name[64];
    const char *at;

    (void)snprintf(row, sizeof row, "{\"direction\":%u,", way);
    (void)snprintf(name, sizeof name, "\"%s\":{", key);
    at = strstr(json, row);
    at = at ? strstr(at, name) : NULL;
    cr_assert(at, "no %s of direction %u: %s", key, way, json);
    at += strlen(name);
    cr_expect(strncmp(at, value, strlen(value)) == 0 && at[strlen(value)] == '}', "%s of direction %u is %.*s, not %s",
              key, way, (int)strcspn(at, "}"), at, value);
}

Test(agreed, each_value_of_each_end)
{
    static const struct {
        const char *key, *active, *passive;
    } rows[] = {{"pmtu", "\"agreed\":1024,\"observed\":1024", "\"agreed\":1024,\"observed\":1024"},
                {"initiator_depth", "\"agreed\":4,\"observed\":0", "\"agreed\":2,\"observed\":0"},
                {"retry_count", "\"agreed\":null,\"observed\":0", "\"agreed\":5,\"observed\":0"},
                {"ack_timeout", "\"agreed\":null,\"observed\":null", "\"agreed\":0.067108864,\"observed\":null"},
                {"rnr_retry_count", "\"agreed\":7,\"observed\":0", "\"agreed\":6,\"observed\":0"},
                {"rnr_timer", "\"agreed\":null,\"observed\":null", "\"agreed\":null,\"observed\":null"},
                {"end_to_end_flow_control", "\"agreed\":1,\"observed\":null", "\"agreed\":0,\"observed\":null"},
                {"psn", "\"agreed\":512,\"observed\":512", "\"agreed\":256,\"observed\":256"},
                {"p_key", "\"agreed\":32769,\"observed\":32769", "\"agreed\":32769,\"observed\":32769"},
                {"service_level", "\"agreed\":5,\"observed\":null", "\"agreed\":5,\"observed\":null"},
                {"dscp", "\"agreed\":26,\"observed\":26", "\"agreed\":26,\"observed\":26"},
                {"hop_limit", "\"agreed\":64,\"observed\":64", "\"agreed\":null,\"observed\":64"},
                {"migreq", "\"agreed\":null,\"observed\":0", "\"agreed\":null,\"observed\":0"},
                {"source_port", "\"agreed\":null,\"observed\":50000", "\"agreed\":null,\"observed\":50000"}};
    static struct bench b;

    begin(&b, true);
    both_send(&b);
    char *j = printed(&b.f, true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_value(j, 0, rows[i].key, rows[i].active);
        expect_value(j, 1, rows[i].key, rows[i].passive);
    }
    cr_expect(strstr(j, "\"differences\":[],"), "%s", j);
    free(j);
    char *t = printed(&b.f, false);
    cr_expect(strstr(t, "\nRemarkable: nothing\n"), "%s", t);
    free(t);
    feed_close(&b.f);
}

Test(agreed, without_req_and_rep_nothing_is_agreed)
{
    static struct bench b;

    begin(&b, false);
    both_send(&b);
    char *j = printed(&b.f, true);
    cr_expect_eq(occurrences(j, "\"agreed\":null"), 2 * SHOWN, "%s", j);
    free(j);
    feed_close(&b.f);
}

Test(agreed, what_is_observed)
{
    static struct bench b;

    begin(&b, true);
    both_send(&b);
    b.ttl = 60;
    b.dscp = 20;
    b.port = PORT + 5;
    for (uint32_t i = 1; i <= 3; i++)
        packet(&b, 0, IBA_RC_READ_REQUEST, ACTIVE_PSN + i, 0);
    packet(&b, 1, IBA_RC_READ_RESP_FIRST, ACTIVE_PSN + 1, 0x1f); /* does not end it */
    packet(&b, 1, IBA_RC_READ_RESP_ONLY, ACTIVE_PSN + 1, 0x1f);
    packet(&b, 1, IBA_RC_ACKNOWLEDGE, ACTIVE_PSN + 2, 0x1f); /* answers no READ */
    packet(&b, 0, IBA_RC_CMP_SWAP, ACTIVE_PSN + 4, 0);
    finding(&b, IBA_FINDING_NETWORK_COPY, ACTIVE_PSN + 4, 0);
    packet(&b, 0, IBA_RC_CMP_SWAP, ACTIVE_PSN + 4, 0); /* a copy is no new request */
    again(&b, 1, IBA_FINDING_RETRY_TIMEOUT, PASSIVE_PSN, 2);
    again(&b, 1, IBA_FINDING_RETRY_NAK, PASSIVE_PSN + 1, 1); /* follows the packet that it went back to */
    again(&b, 1, IBA_FINDING_RETRY_UNCLEAR, PASSIVE_PSN, 1);
    again(&b, 1, IBA_FINDING_RETRY_NAK, PASSIVE_PSN + 50, 1); /* another */
    again(&b, 1, IBA_FINDING_RETRY_RNR, PASSIVE_PSN + 60, 4);
    finding(&b, IBA_FINDING_RETRY_TIMEOUT, PASSIVE_PSN + 70, 90);
    packet(&b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN + 70, 0);
    finding(&b, IBA_FINDING_RETRY_TIMEOUT, PASSIVE_PSN + 80, 70);
    packet(&b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN + 80, 0);
    finding(&b, IBA_FINDING_RETRY_NAK, PASSIVE_PSN + 80, 10); /* its time is no timer's */
    packet(&b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN + 80, 0);
    finding(&b, IBA_FINDING_RNR, PASSIVE_PSN, 50);
    packet(&b, 0, IBA_RC_ACKNOWLEDGE, PASSIVE_PSN, 0x21);
    finding(&b, IBA_FINDING_RNR, PASSIVE_PSN, 40);
    packet(&b, 0, IBA_RC_ACKNOWLEDGE, PASSIVE_PSN, 0x21);
    packet(&b, 0, IBA_RC_ACKNOWLEDGE, PASSIVE_PSN, 0x05); /* 6 credits */
    char *j = printed(&b.f, true);
    expect_value(j, 0, "initiator_depth", "\"agreed\":4,\"observed\":3");
    expect_value(j, 1, "retry_count", "\"agreed\":5,\"observed\":3");
    expect_value(j, 1, "rnr_retry_count", "\"agreed\":6,\"observed\":4");
    expect_value(j, 1, "ack_timeout", "\"agreed\":0.067108864,\"observed\":0.000000070");
    expect_value(j, 0, "rnr_timer", "\"agreed\":null,\"observed\":0.000000040");
    expect_value(j, 1, "rnr_timer", "\"agreed\":null,\"observed\":null");
    expect_value(j, 0, "end_to_end_flow_control", "\"agreed\":1,\"observed\":1");
    expect_value(j, 1, "end_to_end_flow_control", "\"agreed\":0,\"observed\":0");
    expect_value(j, 0, "hop_limit", "\"agreed\":64,\"observed\":64,\"least\":60");
    expect_value(j, 0, "dscp", "\"agreed\":26,\"observed\":26,\"least\":20");
    expect_value(j, 0, "source_port", "\"agreed\":null,\"observed\":50005,\"least\":50000");
    free(j);
    char *t = printed(&b.f, false);
    cr_expect(strstr(t, "0x000200/0x000200") && strstr(t, "0x000100/0x000100") &&
                  strstr(t, "0.067108864/0.000000070") && strstr(t, " 0x8001/0x8001 ") && strstr(t, " 26/20..26 "),
              "%s", t);
    free(t);
    expect(&b.f, "agreed-observed");
}

/* ---- differences: one thing, and what is said of it ---- */

typedef void change(struct bench *b);
struct differs {
    const char *about; /* of the sentences, in their order, each with a blank after it */
    change *how;
    const char *sentence; /* the first of them, after "What goes from "; NULL: there is none */
};
#define ACTIVE "10.0.0.1 to 10.0.0.2 QP 0x000010 "
#define PASSIVE "10.0.0.2 to 10.0.0.1 QP 0x000011 "

static void check(const struct differs *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        static struct bench b;
        char got[256] = "";
        begin(&b, false);
        row[i].how(&b);
        char *j = printed(&b.f, true);
        for (const char *at = strstr(j, "\"differences\":"); (at = strstr(at, "\"about\":\"")) != NULL; at++) {
            at += strlen("\"about\":\"");
            const size_t used = strlen(got);
            (void)snprintf(got + used, sizeof got - used, "%.*s ", (int)strcspn(at, "\""), at);
        }
        cr_expect_str_eq(got, row[i].about, "row %zu: \"%s\", not \"%s\"", i, got, row[i].about);
        const char *says = strstr(j, "\"What goes from ");
        says = says ? says + strlen("\"What goes from ") : NULL;
        cr_expect((says == NULL) == (row[i].sentence == NULL), "row %zu: %s", i, j);
        if (says && row[i].sentence)
            cr_expect(strncmp(says, row[i].sentence, strlen(row[i].sentence)) == 0 &&
                          says[strlen(row[i].sentence)] == '"',
                      "row %zu: %s\nnot %s", i, says, row[i].sentence);
        free(j);
        feed_close(&b.f);
    }
}

static void psn(struct bench *b)
{
    connects(b);
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN + 1, 0);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
}
static void psn_late(struct bench *b)
{
    connects(b);
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN + 1, 0);
    both_send(b); /* the first comes second */
}
static void pmtu(struct bench *b)
{
    b->d[1].pmtu = 2048;
    connects(b);
    both_send(b);
}
static void other_partition(struct bench *b)
{
    connects(b);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
    b->p_key = 0x8002;
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN, 0);
}
static void one_limited(struct bench *b)
{
    connects(b);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
    b->p_key = 0x0001;
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN, 0);
}
static void both_limited(struct bench *b)
{
    b->p_key = 0x0001;
    connects(b);
    both_send(b);
}
static void one_dscp(struct bench *b)
{
    connects(b);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
    b->dscp = 25;
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN, 0);
}
static void one_migreq(struct bench *b)
{
    connects(b);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
    b->migreq = true;
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN, 0);
}
static void low_port(struct bench *b)
{
    connects(b);
    b->port = 49152;
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
    b->port = 49151;
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN, 0);
}
static void few_hops(struct bench *b)
{
    connects(b);
    b->ttl = 2;
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
    b->ttl = 1;
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN, 0);
}
static void reads(struct bench *b, uint32_t n)
{
    connects(b);
    for (uint32_t i = 0; i < n; i++)
        packet(b, 0, IBA_RC_READ_REQUEST, ACTIVE_PSN + i, 0);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
}
static void four_reads(struct bench *b)
{
    reads(b, 4);
}
static void five_reads(struct bench *b)
{
    reads(b, 5);
}
static void refused(struct bench *b)
{
    reads(b, 4);
    finding(b, IBA_FINDING_NAK_INVALID, ACTIVE_PSN + 3, 0);
    packet(b, 1, IBA_RC_ACKNOWLEDGE, ACTIVE_PSN + 3, 0x61);
}
static void no_reads(struct bench *b)
{
    b->req_depth = 0;
    connects(b);
    both_send(b);
}
static void takes_reads(struct bench *b)
{
    b->rep_depth = 4;
    connects(b);
    both_send(b);
}
static void takes_what_was_offered(struct bench *b)
{
    b->rep_depth = 3;
    connects(b);
    both_send(b);
}

Test(agreed, headers_that_differ)
{
    static const struct differs rows[] = {
        {"psn ", psn, ACTIVE "begins with PSN 0x000201, agreed was 0x000200"},
        {"", psn_late, NULL},
        {"pmtu ", pmtu, PASSIVE "is cut into packets of 2048 bytes, agreed was 1024"},
        {"p_key ", other_partition, ACTIVE "is of partition 0x8002, agreed was 0x8001"},
        {"", one_limited, NULL},
        {"p_key_limited ", both_limited,
         ACTIVE "is of partition 0x0001, of which both ends are limited members: those may not talk"},
        {"dscp dscp_ways ", one_dscp, ACTIVE "has DSCP 25, agreed was 26"},
        {"migreq ", one_migreq, ACTIVE "has MigReq 1, the other way it is 0"},
        {"source_port_low ", low_port, ACTIVE "comes from UDP port 49151, below 49152"},
        {"hop_limit ", few_hops, ACTIVE "has hop limit 1: the first router throws it away"},
        {"", four_reads, NULL},
        {"initiator_depth ", five_reads, ACTIVE "had 5 READs or ATOMICs waiting at once, agreed were 4"},
        {"reads_refused ", refused, ACTIVE "was refused a READ or ATOMIC while 4 waited, agreed were 4"},
        {"no_reads ", no_reads, ACTIVE "may have no READ and no ATOMIC waiting: agreed was 0"},
        {"reads_offered ", takes_reads, PASSIVE "allows itself 4 READs at once, but was offered 3"},
        {"", takes_what_was_offered, NULL},
    };
    check(rows, sizeof rows / sizeof *rows);
}

static void retries(struct bench *b, unsigned way, unsigned kind, unsigned n)
{
    connects(b);
    both_send(b);
    again(b, way, kind, first_psn[way], n);
}
static void retries_5(struct bench *b)
{
    retries(b, 1, IBA_FINDING_RETRY_TIMEOUT, 5);
}
static void retries_6(struct bench *b)
{
    retries(b, 1, IBA_FINDING_RETRY_TIMEOUT, 6);
}
static void rnr_6(struct bench *b)
{
    retries(b, 1, IBA_FINDING_RETRY_RNR, 6);
}
static void rnr_7(struct bench *b)
{
    retries(b, 1, IBA_FINDING_RETRY_RNR, 7);
}
static void rnr_for_ever(struct bench *b)
{
    retries(b, 0, IBA_FINDING_RETRY_RNR, 20);
}
static void too_often(struct bench *b)
{
    retries(b, 0, IBA_FINDING_RETRY_LIMIT, 1);
}
static void timer(struct bench *b, uint64_t ns)
{
    connects(b);
    both_send(b);
    finding(b, IBA_FINDING_RETRY_TIMEOUT, PASSIVE_PSN, ns);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
}
static void timer_short(struct bench *b)
{
    timer(b, TIMEOUT - 1);
}
static void timer_least(struct bench *b)
{
    timer(b, TIMEOUT);
}
static void timer_most(struct bench *b)
{
    timer(b, 4 * TIMEOUT);
}
static void timer_long(struct bench *b)
{
    timer(b, 4 * TIMEOUT + 1);
}
static void rnr_nak(struct bench *b, unsigned way)
{
    connects(b);
    both_send(b);
    finding(b, IBA_FINDING_RNR, first_psn[!way], 40);
    packet(b, way, IBA_RC_ACKNOWLEDGE, first_psn[!way], 0x21);
}
static void passive_meets_rnr(struct bench *b)
{
    rnr_nak(b, 0);
}
static void active_meets_rnr(struct bench *b)
{
    rnr_nak(b, 1);
}
static void marked_ack(struct bench *b)
{
    connects(b);
    both_send(b);
    b->ecn = 2;
    packet(b, 0, IBA_RC_ACKNOWLEDGE, PASSIVE_PSN, 0x1f);
}
static void lost(struct bench *b, uint8_t ecn)
{
    connects(b);
    packet(b, 1, IBA_RC_SEND_ONLY, PASSIVE_PSN, 0);
    b->ecn = ecn;
    packet(b, 0, IBA_RC_SEND_ONLY, ACTIVE_PSN, 0);
    again(b, 0, IBA_FINDING_RETRY_NAK, ACTIVE_PSN, 1);
}
static void lost_unmarkable(struct bench *b)
{
    lost(b, 0);
}
static void lost_unmarked(struct bench *b)
{
    lost(b, 2);
}
static void lost_marked(struct bench *b)
{
    lost(b, 3);
}

Test(agreed, behaviour_that_differs)
{
    static const struct differs rows[] = {
        {"", retries_5, NULL},
        {"retry_count ", retries_6, PASSIVE "sent a packet 6 times again, agreed was 5"},
        {"", rnr_6, NULL},
        {"rnr_retry_count ", rnr_7, PASSIVE "came back 7 times to a receiver that was not ready, agreed was 6"},
        {"", rnr_for_ever, NULL},
        {"retries_many ", too_often, ACTIVE "sent a packet more than 7 times again: a retry counter has 3 bits"},
        {"ack_timeout ", timer_short,
         PASSIVE "waited 0.067108863 s for an answer, agreed was 0.067108864 s (up to four times that is usual)"},
        {"", timer_least, NULL},
        {"", timer_most, NULL},
        {"ack_timeout ", timer_long,
         PASSIVE "waited 0.268435457 s for an answer, agreed was 0.067108864 s (up to four times that is usual)"},
        {"rnr_few ", passive_meets_rnr, PASSIVE "met a receiver that is not ready, and may come back 6 times only"},
        {"", active_meets_rnr, NULL},
        {"ack_ecn ", marked_ack, ACTIVE "has ACKs that switches may mark (ECN)"},
        {"", lost_unmarkable, NULL},
        {"unmarked ", lost_unmarked, ACTIVE "lost packets that could have been marked (ECN), and none of them was"},
        {"", lost_marked, NULL},
    };
    check(rows, sizeof rows / sizeof *rows);
}
