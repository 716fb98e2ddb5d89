/* SPDX-License-Identifier: BSD-2-Clause */
/* Every field of every header that a line may name, on each link. If the line names the packet's value, the line takes
 * the packet, and no packet that differs from it in one bit of the field. If the line does not name the field, it takes
 * the packet unless every packet must have that value. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "scenario/field.h"

enum { TEXT = 512, NO_BIT = -1 };

/* Each packet of the device that is tested, and the lines that a scenario needs before that packet. */
static const struct {
    uint32_t links; /* 1 << enum ibc_link */
    const char *text;
} packets[] = {
    {~0u, RC "qp a recv=1\n> a SEND_ONLY_IMM imm=7 payload=5 ackreq=1\n< a ACKNOWLEDGE"},
    {~0u, RC "qp a\n> a READ_REQUEST dmalen=5\n< a READ_RESP_ONLY"},
    {~0u, RC "qp a\nwrite m u64=5\n> a FETCH_ADD add=3\n< a ATOMIC_ACKNOWLEDGE"},
    {~0u, RC "qp a\n a post WRITE_IMM len=5 imm=0x1234\n< a WRITE_ONLY_IMM"},
    {~0u, RC "qp a\n a post CMP_SWAP cmp=1 swap=2\n< a CMP_SWAP"},
    {~0u, RC "qp a\n a post SEND_INV inv=0x4567 len=3\n< a SEND_ONLY_INV"},
    {~0u, RC "qp a\n a post FLUSH len=9\n< a FLUSH"},
    {~0u, UC "qp a\n a post SEND len=6\n< a SEND_ONLY"},
    {~0u, UD "qp a\n a post SEND_IMM imm=9 len=7\n< a SEND_ONLY_IMM"},
    {1u << IBC_LINK_roce2_ipv4 | 1u << IBC_LINK_roce2_ipv6 | 1u << IBC_LINK_roce1,
     RC "qp a vlan=7 sl=5\n a post SEND len=4\n< a SEND_ONLY"},
};
enum { N_PACKETS = sizeof packets / sizeof *packets };

/* The change to the first frame that comes from the device; `was` is the unchanged frame. */
static struct {
    enum iba_hdr hdr;
    const struct iba_field *field;
    int bit; /* of the field, 0 the lowest; NO_BIT: none */
    bool waits;
    uint8_t frame[IBC_FRAME];
    struct iba_view was;
} now;

static enum ibc_rc collect_turned(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                  size_t *len, uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);
    struct iba_view v;

    if (*len == 0 || !now.waits)
        return rc;
    now.waits = false;
    memcpy(now.frame, frame, *len);
    cr_assert_eq(iba_view_parse(&now.was, t->framing, now.frame, *len, *len, NULL), IBA_OK);
    iba_view_check(&now.was);
    if (now.bit == NO_BIT)
        return rc;
    (void)iba_view_parse(&v, t->framing, frame, *len, *len, NULL);
    uint8_t *h = frame + v.at[now.hdr];
    const unsigned at_bit = now.field->at + now.field->bits - 1u - (unsigned)now.bit;
    h[at_bit / 8] ^= (uint8_t)(0x80u >> at_bit % 8);
    iba_view_repair_crc(&v, frame);
    return rc;
}

static enum ibc_verdict play(struct ibc_target *t, enum ibc_link link, const char *text, int bit, char *expected)
{
    struct ibc_result r;
    enum ibc_verdict v;

    now.bit = bit;
    now.waits = true;
    r = run_text(t, text, &(struct ibc_options){.seed = 1, .link = link, .stop_at_first = true});
    cr_assert_not(now.waits, "no packet: %s\n%s", r.finding.got, text);
    v = r.verdict;
    snprintf(expected, TEXT, "%s", r.finding.expected);
    ibc_free((struct ibc_scenario *)r.scenario);
    ibc_result_clear(&r);
    return v;
}

/* Returns whether every packet must have one certain value in this field: an address, a field that selects the kind of
 * packet, or one without which the packet is malformed. Any other field that the line does not name may have any
 * value. */
static bool is_due(const char *name)
{
    static const char *const due[] = {"eth.addr",     "eth.dst",    "eth.src",    "eth.type",    "vlan.etype",
                                      "ip.version",   "ip.hdr_len", "ip.len",     "ip.flags",    "ip.flags.mf",
                                      "ip.proto",     "ip.src",     "ip.dst",     "ip.addr",     "ip.frag_offset",
                                      "ipv6.version", "ipv6.plen",  "ipv6.nxt",   "udp.dstport", "udp.length",
                                      "grh.ipver",    "grh.paylen", "grh.nxthdr", "lrh.lver",    "lrh.lnh",
                                      "lrh.dlid",     "lrh.slid",   "lrh.pktlen", "bth.opcode",  "bth.destqp"};

    for (size_t i = 0; i < sizeof due / sizeof *due; i++)
        if (strcmp(due[i], name) == 0)
            return true;
    return false;
}

/* Checks one field of one packet on one link in three plays: the line names the packet's value, the line names another
 * value, and one bit of the packet is inverted. */
static void check(struct ibc_target *t, enum ibc_link link, const char *text, enum iba_hdr hdr,
                  const struct iba_field *f, const char *name, const struct iba_view *was)
{
    const uint64_t is = iba_field_get(f, iba_view_hdr(was, hdr));
    char named[TEXT], other[TEXT], near[TEXT], plain[TEXT], expected[TEXT], begin[128];
    enum ibc_verdict v;

    now.hdr = hdr;
    now.field = f;
    snprintf(plain, sizeof plain, "%s\n", text);
    snprintf(named, sizeof named, "%s %s=%" PRIu64 "\n", text, name, is);
    snprintf(other, sizeof other, "%s %s=!%" PRIu64 "\n", text, name, is);
    snprintf(near, sizeof near, "%s %s=%" PRIu64 "|%" PRIu64 "\n", text, name, is ^ 1, is);
    snprintf(begin, sizeof begin, "%s ", name);
    cr_expect_eq(play(t, link, named, NO_BIT, expected), IBC_IS_PASS, "%s: %s", named, expected);
    cr_expect_eq(play(t, link, near, NO_BIT, expected), IBC_IS_PASS, "%s: %s", near, expected);
    cr_expect_eq(play(t, link, other, NO_BIT, expected), IBC_IS_FAIL, "%s", other);
    cr_expect(strncmp(expected, begin, strlen(begin)) == 0 || strchr(expected, '='), "%s: %s", other, expected);
    for (unsigned k = 0; k < 2; k++) {
        const unsigned bit = k ? f->bits - 1u : 0;
        cr_expect_eq(play(t, link, named, (int)bit, expected), IBC_IS_FAIL, "%s: bit %u turned", named, bit);
    }
    if (strcmp(name, "bth.padcnt") == 0) /* the payload decides whether the change gives another packet, or none */
        return;
    v = play(t, link, plain, 0, expected);
    cr_expect_eq(v, is_due(name) ? IBC_IS_FAIL : IBC_IS_PASS, "%s: %s of %" PRIu64 ": %s: %s", plain, name, is,
                 ibc_verdict_names[v], expected);
}

/* Checks all fields of one packet. */
static void check_packet(struct ibc_target *t, enum ibc_link link, unsigned k)
{
    char plain[TEXT], expected[TEXT];
    struct iba_view was;
    uint8_t frame[IBC_FRAME];

    snprintf(plain, sizeof plain, "%s\n", packets[k].text);
    cr_assert_eq(play(t, link, plain, NO_BIT, expected), IBC_IS_PASS, "%s: %s", plain, expected);
    memcpy(frame, now.frame, sizeof frame);
    was = now.was;
    was.wire = frame;
    for (size_t i = 0; i < ibc_field_count(); i++) {
        const char *const name = ibc_field_whole(i, NULL);
        char whole_name[96];
        enum iba_hdr hdr;
        const struct iba_field *f;
        uint8_t attr;
        snprintf(whole_name, sizeof whole_name, "%s", name);
        if (!*name || ibc_field_find(name, UINT64_MAX, &hdr, &f, &attr) != IBC_FIELD_FOUND || !iba_view_has(&was, hdr))
            continue;
        if (f->bits <= 64 && iba_field_present(f, iba_view_hdr(&was, hdr)) && !iba_field_is_bytes(f) &&
            strcmp(whole_name, "ip.checksum") != 0) /* made good again, as the CRCs are */
            check(t, link, packets[k].text, hdr, f, whole_name, &was);
    }
}

Test(fields, each_of_them)
{
    struct ibc_target *t = open_changed();

    changed.collect = collect_turned;
    for (unsigned link = 0; link < IBC_LINK_COUNT; link++)
        for (unsigned k = 0; k < N_PACKETS; k++)
            if (packets[k].links >> link & 1)
                check_packet(t, (enum ibc_link)link, k);
    t->ops = whole;
    ibc_target_close(t);
}
