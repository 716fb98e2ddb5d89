/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet that equals what a line expects, except for one field. The test changes the device's frame before the runner
 * reads it, and corrects the CRCs. If the line names the field, or every packet must have that value, the scenario must
 * fail with the field's name; any other field may have any value. */
#include <criterion/criterion.h>
#include <string.h>
#include "cases.h"

#define P IBC_IS_PASS
#define F IBC_IS_FAIL

enum how { FIELD, BYTE_OF_PAYLOAD, BIT_OF_ICRC, BIT_OF_CHECKSUM, BIT_OF_VCRC, LATER };
struct change {
    enum how how;
    enum iba_hdr hdr;
    const char *field; /* the field's lowest bit is inverted */
    uint64_t n;        /* which byte; how many ns later */
};

static struct change next;
static bool waits; /* for a frame to change */

static void turn(struct iba_view *v, uint8_t *frame, size_t len)
{
    const struct iba_field *f;
    uint8_t *h;

    switch (next.how) {
    case FIELD:
        f = iba_field_find(next.hdr, next.field);
        cr_assert(f && iba_view_has(v, next.hdr), "no %s", next.field);
        h = frame + v->at[next.hdr];
        if (f->bits <= 64)
            iba_field_put(f, h, iba_field_get(f, h) ^ 1);
        else
            h[(size_t)(f->at + f->bits) / 8 - 1] ^= 1;
        break;
    case BYTE_OF_PAYLOAD: frame[v->payload_at + next.n] ^= 1; break;
    default: return;
    }
    iba_view_repair_crc(v, frame);
    (void)len;
}

static void spoil(const struct iba_view *v, uint8_t *frame, size_t len)
{
    if (next.how == BIT_OF_ICRC)
        frame[v->end - 1] ^= 0x80;
    else if (next.how == BIT_OF_CHECKSUM) /* the ICRC does not cover this field */
        frame[v->at[IBA_H_ipv4] + IBA_AT_ipv4_checksum / 8 + 1] ^= 1;
    else if (next.how == BIT_OF_VCRC)
        frame[len - 1] ^= 1;
}

static enum ibc_rc collect_changed(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                   size_t *len, uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);
    struct iba_view v;

    if (*len == 0 || !waits)
        return rc;
    waits = false;
    cr_assert_eq(iba_view_parse(&v, t->framing, frame, *len, *len, NULL), IBA_OK);
    turn(&v, frame, *len);
    spoil(&v, frame, *len);
    *at += next.how == LATER ? next.n : 0;
    return rc;
}

struct row {
    enum ibc_link link;
    const char *text;
    struct change change;
    enum ibc_verdict verdict;
    const char *expected, *got; /* of the finding, their beginnings; NULL: not checked */
};

static bool begins(const char *want, const char *is)
{
    return !want || strncmp(is, want, strlen(want)) == 0;
}

static void check(const struct row *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        next = c[i].change;
        waits = true;
        changed.collect = collect_changed;
        r = run_text(t, c[i].text, &(struct ibc_options){.seed = 1, .link = c[i].link, .stop_at_first = true});
        cr_expect(!waits, "row %zu: no frame came", i);
        cr_expect(r.verdict == c[i].verdict && begins(c[i].expected, r.finding.expected) &&
                      begins(c[i].got, r.finding.got),
                  "row %zu, %s: %s\n  expected: %s\n  got: %s", i, next.field ? next.field : "no field",
                  ibc_verdict_names[r.verdict], r.finding.expected, r.finding.got);
        close_changed(t, &r);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

#define ACK RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+0 syndrome=ack msn=1\n"
#define READS RC "qp a\n> a READ_REQUEST dmalen=100\n< a READ_RESP_ONLY payload=100 fill=m\n"
#define V4 IBC_LINK_roce2_ipv4
#define V6 IBC_LINK_roce2_ipv6
#define V1 IBC_LINK_roce1
#define IB IBC_LINK_ib_local
#define GLOBAL IBC_LINK_ib_global
#define OF(header, name)                                                                                               \
    {                                                                                                                  \
        FIELD, IBA_H_##header, name, 0                                                                                 \
    }

Test(differs, in_a_field_that_every_packet_must_have)
{
    static const struct row rows[] = {
        {V4, ACK, OF(eth, "dst"), F, "eth.dst ", "eth.dst "},
        {V4, ACK, OF(eth, "src"), F, "eth.src ", "eth.src "},
        {V4, ACK, OF(ipv4, "dst"), F, "ip.dst ", "ip.dst "},
        {V4, ACK, OF(ipv4, "src"), F, "ip.src ", "ip.src "},
        {V4, ACK, OF(bth, "destqp"), F, "", ""},
        {V6, ACK, OF(eth, "dst"), F, "eth.dst ", "eth.dst "},
        {V6, ACK, OF(ipv6, "dst"), F, "ipv6.dst ", "ipv6.dst "},
        {V6, ACK, OF(ipv6, "src"), F, "ipv6.src ", "ipv6.src "},
        {V1, ACK, OF(eth, "src"), F, "eth.src ", "eth.src "},
        {V1, ACK, OF(grh, "dgid"), F, "grh.dgid ", "grh.dgid "},
        {V1, ACK, OF(grh, "sgid"), F, "grh.sgid ", "grh.sgid "},
        {IB, ACK, OF(lrh, "dlid"), F, "lrh.dlid ", "lrh.dlid "},
        {IB, ACK, OF(lrh, "slid"), F, "lrh.slid ", "lrh.slid "},
        {GLOBAL, ACK, OF(lrh, "dlid"), F, "lrh.dlid ", "lrh.dlid "},
        {GLOBAL, ACK, OF(grh, "dgid"), F, "grh.dgid ", "grh.dgid "},
        {GLOBAL, ACK, OF(grh, "sgid"), F, "grh.sgid ", "grh.sgid "},
    };
    CHECK(rows);
}

Test(differs, in_a_field_that_the_line_names)
{
    static const struct row rows[] = {
        {V4, ACK, OF(bth, "psn"), F, "bth.psn 0x001000", "bth.psn 0x001001"},
        {V4, ACK, OF(aeth, "msn"), F, "aeth.msn 1", "aeth.msn 0"},
        {V4, RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE pkey=0xffff\n", OF(bth, "p_key"), F,
         "bth.p_key 0xffff", "bth.p_key 0xfffe"},
        {V4, RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE hop=64\n", OF(ipv4, "ttl"), F, "ip.ttl 64",
         "ip.ttl 65"},
        {V4, READS, {.how = BYTE_OF_PAYLOAD, .n = 0}, F, "byte 0 of the payload 0x", "byte 0 of the payload 0x"},
        {V4, READS, {.how = BYTE_OF_PAYLOAD, .n = 99}, F, "byte 99 of the payload 0x", "byte 99 of the payload 0x"},
        {V4,
         RC "qp a\nwrite m hex:0102030405\n> a READ_REQUEST dmalen=5\n< a READ_RESP_ONLY payload=hex:0102030405\n",
         {.how = BYTE_OF_PAYLOAD, .n = 4},
         F,
         "0102030405",
         "0102030404"},
    };
    CHECK(rows);
}

Test(differs, in_what_nobody_asked_for)
{
    static const struct row rows[] = {
        {V4, ACK, OF(ipv4, "ttl"), P, NULL, NULL},
        {V4, ACK, OF(ipv4, "dsfield.dscp"), P, NULL, NULL},
        {V4, ACK, OF(ipv4, "id"), P, NULL, NULL},
        {V4, ACK, OF(udp, "srcport"), P, NULL, NULL},
        {V4, ACK, OF(bth, "a"), P, NULL, NULL},
        {V4, RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE psn=+0 syndrome=ack\n", OF(aeth, "msn"), P, NULL,
         NULL},
        {V4, RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ANY\n", OF(bth, "psn"), P, NULL, NULL},
        {V4,
         RC "qp a\n> a READ_REQUEST dmalen=100\n< a READ_RESP_ONLY payload=100\n",
         {.how = BYTE_OF_PAYLOAD, .n = 50},
         P,
         NULL,
         NULL},
    };
    CHECK(rows);
}

Test(differs, in_its_crcs)
{
    static const struct row rows[] = {
        {V4, ACK, {.how = BIT_OF_ICRC}, F, "icrc good", "icrc bad"},
        {V1, ACK, {.how = BIT_OF_ICRC}, F, "icrc good", "icrc bad"},
        {V4, ACK, {.how = BIT_OF_CHECKSUM}, F, "ip.checksum good", "ip.checksum bad"},
        {IB, ACK, {.how = BIT_OF_VCRC}, F, "vcrc good", "vcrc bad"},
    };
    CHECK(rows);
}

#define IN_TIME RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE after=10us within=20us\n"

Test(differs, in_its_time)
{
    static const struct row rows[] = {
        {V4, IN_TIME, {.how = LATER, .n = 9999}, F, "not before 10.000 us", "after 9.999 us"},
        {V4, IN_TIME, {.how = LATER, .n = 10000}, P, NULL, NULL},
        {V4, IN_TIME, {.how = LATER, .n = 20000}, P, NULL, NULL},
        {V4, IN_TIME, {.how = LATER, .n = 20001}, F, "within 20.000 us", "after 20.001 us"},
    };
    CHECK(rows);
}
