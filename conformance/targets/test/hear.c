/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that receive wrongly: packets that they drop, packets that they change, and descriptions of such devices that
 * are refused. */
#include "targets/hear.h"
#include <criterion/criterion.h>
#include <string.h>
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

static uint8_t frame[2048];
static size_t len;
static enum iba_link link = IBA_LINK_ETHERNET;

/* Builds a SEND of five bytes, which has three pad bytes. */
static void build(enum iba_encap encap)
{
    static const uint8_t payload[5] = {1, 2, 3, 4, 5};
    struct iba_recipe r;

    link = encap == IBA_ENCAP_IB_LOCAL || encap == IBA_ENCAP_IB_GLOBAL ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
    r.payload = payload;
    r.payload_len = sizeof payload;
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
}

static bool hears(struct ref_hear *h, bool knows_qp, uint32_t any_qp)
{
    struct iba_view v;

    if (iba_view_parse(&v, link, frame, len, len, NULL) == IBA_OK)
        iba_view_check(&v);
    return hear_change(h, link, &v, frame, &len, knows_qp, any_qp);
}

static bool passes(struct ref_hear *h)
{
    return hears(h, true, 0);
}

static struct iba_view view(void)
{
    struct iba_view v;

    cr_assert_eq(iba_view_parse(&v, link, frame, len, len, NULL), IBA_OK);
    iba_view_check(&v);
    return v;
}

Test(hear, minds_a_field)
{
    struct ref_hear h;
    struct iba_view v;

    build(IBA_ENCAP_ROCE2_V4);
    v = view();
    iba_ipv4_set_ttl(frame + v.at[IBA_H_ipv4], 64);
    cr_assert(hear_parse(&h, "ip.ttl", 6, "!64") && passes(&h));
    iba_ipv4_set_ttl(frame + v.at[IBA_H_ipv4], 63);
    cr_assert_not(passes(&h));
    cr_assert(hear_parse(&h, "ipv6.hlim", 9, "!64") && passes(&h), "a header that is not there");
}

Test(hear, reads_a_field_wrongly)
{
    struct ref_hear h;
    struct iba_view v;

    build(IBA_ENCAP_ROCE2_V4);
    cr_assert(hear_parse(&h, "ip.dsfield.ecn", 14, "3") && passes(&h));
    v = view();
    cr_assert_eq(iba_ipv4_ecn(frame + v.at[IBA_H_ipv4]), 3);
    cr_assert_eq(v.icrc, IBA_CHECK_GOOD);
}

Test(hear, minds_what_stands_behind_the_payload)
{
    struct ref_hear h;
    struct iba_view v;

    build(IBA_ENCAP_ROCE1);
    v = view();
    cr_assert(hear_parse(&h, "pad", 3, "!0") && passes(&h));
    frame[v.payload_at + v.payload_len + 2] = 7;
    cr_assert_not(passes(&h));
    build(IBA_ENCAP_ROCE1);
    cr_assert(hear_parse(&h, "trailer", 7, "!0") && passes(&h));
    frame[len++] = 0;
    cr_assert_not(passes(&h));
}

Test(hear, goes_deaf_after_faults)
{
    struct ref_hear h;
    struct iba_view v;

    build(IBA_ENCAP_ROCE2_V4);
    v = view();
    cr_assert(hear_parse(&h, "faults", 6, "!2") && passes(&h));
    frame[v.payload_at] ^= 1;
    cr_assert(passes(&h));
    cr_assert_not(passes(&h));
    frame[v.payload_at] ^= 1;
    cr_assert_not(passes(&h));
}

Test(hear, gives_packets_for_no_queue_pair_to_one)
{
    struct ref_hear h;
    struct iba_view v;

    build(IBA_ENCAP_ROCE2_V4);
    cr_assert(hear_parse(&h, "unknown_qp", 10, "1"));
    cr_assert(hears(&h, true, 0x123));
    v = view();
    cr_assert_neq(iba_bth_destqp(iba_view_bth(&v)), 0x123);
    cr_assert(hears(&h, false, 0x123));
    v = view();
    cr_assert_eq(iba_bth_destqp(iba_view_bth(&v)), 0x123);
    cr_assert_eq(v.icrc, IBA_CHECK_GOOD);
}

Test(hear, reads_zeros_where_headers_are_missing)
{
    static const enum iba_encap encaps[] = {IBA_ENCAP_ROCE2_V4, IBA_ENCAP_ROCE2_V6, IBA_ENCAP_ROCE1, IBA_ENCAP_IB_LOCAL,
                                            IBA_ENCAP_IB_GLOBAL};

    for (size_t i = 0; i < sizeof encaps / sizeof *encaps; i++) {
        struct ref_hear h;
        struct iba_view v;
        size_t before;

        build(encaps[i]);
        before = len;
        v = view();
        cr_assert(hear_parse(&h, "short", 5, "1") && passes(&h) && len == before);
        iba_bth_set_opcode(frame + v.bth_at, IBA_RC_WRITE_ONLY);
        iba_view_repair_crc(&v, frame);
        cr_assert(passes(&h));
        cr_assert_eq(len, before + IBA_BYTES_reth - 8); /* five bytes and their pad were there */
        v = view();
        cr_assert_eq(v.icrc, IBA_CHECK_GOOD);
        cr_assert_eq(v.vcrc, link == IBA_LINK_IB ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT);
        cr_assert_eq(v.payload_len, 0);
        cr_assert_eq(iba_reth_dmalen(frame + v.at[IBA_H_reth]), 0);
    }
}

/* No opcode needs more bytes of headers after its BTH than are left free for them. */
Test(hear, room_for_missing_headers)
{
    for (unsigned code = 0; code < 256; code++)
        if (iba_opcodes[code].name)
            cr_expect_leq(iba_hdrs_bytes(iba_opcodes[code].hdrs), HEAR_MORE + IBA_BYTES_bth, "opcode 0x%02x", code);
}

/* A packet that is wrong in another way stays as it is. */
Test(hear, leaves_whole_headers_alone)
{
    static uint8_t before[sizeof frame];
    struct ref_hear h;
    struct iba_view v;

    build(IBA_ENCAP_ROCE2_V4);
    v = view();
    len -= 8; /* fewer bytes than PadCnt says */
    iba_udp_set_length(frame + v.at[IBA_H_udp], iba_udp_length(frame + v.at[IBA_H_udp]) - 8);
    iba_ipv4_set_len(frame + v.at[IBA_H_ipv4], iba_ipv4_len(frame + v.at[IBA_H_ipv4]) - 8);
    cr_assert_neq(iba_view_parse(&v, link, frame, len, len, NULL), IBA_OK);
    memcpy(before, frame, sizeof before);
    const size_t was = len;
    cr_assert(hear_parse(&h, "short", 5, "1") && passes(&h));
    cr_expect(len == was && memcmp(frame, before, sizeof before) == 0);
}

Test(hear, names_and_values)
{
    struct ref_hear h;

    for (size_t i = 0; i < hear_row_count; i++)
        cr_assert(hear_parse(&h, hear_rows[i].name, strlen(hear_rows[i].name), hear_rows[i].change), "%s",
                  hear_rows[i].name);
    cr_assert_not(hear_parse(&h, "ip.ttk", 6, "!64"));
    cr_assert_not(hear_parse(&h, "ip.ttl", 6, "!"));
    cr_assert_not(hear_parse(&h, "ip.ttl", 6, "64x"));
    cr_assert_not(hear_parse(&h, "payload", 7, "!0"));
    cr_assert_not(hear_parse(&h, "ip.ttl", 6, ""));
    cr_assert_not(hear_parse(&h, "ip.ttl", 6, "-1"));
    cr_assert_not(hear_parse(&h, "ip.ttl", 6, "! 1"));
    cr_assert_not(hear_parse(&h, "ip.ttl", 6, "+1"));
    cr_assert_not(hear_parse(&h, "ip.ttl", 6, ":"));
    cr_assert(hear_parse(&h, "ip.ttl", 6, "!9") && h.minds && h.value == 9);
    cr_assert(hear_parse(&h, "ip.ttl", 6, "0x10") && !h.minds && h.value == 16);
}
