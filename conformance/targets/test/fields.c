/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields that a broken device sends wrong: their names, their classes, and the change of one frame. test/emit.c
 * compares whole exchanges. */
#include "targets/emit.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "wire/iba_build.h"
#include "wire/iba_crc.h"
#include "wire/iba_opcode_rows.h"

Test(fields, values_are_numbers_and_changes)
{
    struct ref_emit e;

    cr_assert(emit_parse(&e, "bth.psn", 7, "0x17") && e.op == '=' && e.value == 0x17);
    cr_assert(emit_parse(&e, "ack/bth.psn", 11, "^4") && e.op == '^' && e.klass == EMIT_ack);
    cr_assert(emit_parse(&e, "vcrc", 4, "+1") && e.where == EMIT_P_vcrc);
    cr_assert_not(emit_parse(&e, "bth.psm", 7, "1"));
    cr_assert_not(emit_parse(&e, "bth.psn", 7, ""));
    cr_assert_not(emit_parse(&e, "bth.psn", 7, "+"));
    cr_assert_not(emit_parse(&e, "bth.psn", 7, "12x"));
    cr_assert_not(emit_parse(&e, "nack/bth.psn", 12, "1"));
    cr_assert(emit_parse(&e, "ack/packet", 10, "-1") && e.op == '-' && e.value == 1);
    cr_assert_not(emit_parse(&e, "ack/packet", 10, "+1"));
    cr_assert_not(emit_parse(&e, "bth.psn", 7, "-1"));
}

static bool is_right(const struct iba_opcode *op, enum emit_class is)
{
    static const enum emit_class by_position[] = {[IBA_FIRST] = EMIT_request_first,
                                                  [IBA_MIDDLE] = EMIT_request_middle,
                                                  [IBA_LAST] = EMIT_request_last,
                                                  [IBA_ONLY] = EMIT_request_only};
    const bool message = op->operation == IBA_OPERATION_SEND || op->operation == IBA_OPERATION_WRITE;

    if (op->svc == IBA_UD)
        return is == EMIT_datagram;
    if (op->dir == IBA_REQ && (message || op->svc == IBA_XRC))
        return is == by_position[op->pos];
    if (op->dir == IBA_REQ)
        return is == (op->operation == IBA_OPERATION_READ     ? EMIT_read_request
                      : op->operation == IBA_OPERATION_ATOMIC ? EMIT_atomic_request
                                                              : EMIT_extended_request);
    switch ((enum iba_operation)op->operation) {
    case IBA_OPERATION_ACK: return is == EMIT_ack;
    case IBA_OPERATION_ATOMIC_ACK: return is == EMIT_atomic_ack;
    case IBA_OPERATION_READ_RESPONSE: return is == EMIT_read_response;
    case IBA_OPERATION_CNP: return is == EMIT_cnp;
    default: return false;
    }
}

Test(fields, each_opcode_has_the_class_of_its_operation)
{
    uint8_t frame[512];
    size_t len;

    for (unsigned code = 0; code < 256; code++) {
        const struct iba_opcode *op = &iba_opcodes[code];
        struct iba_recipe r;
        struct iba_view v;
        if (!op->name || op->svc == IBA_RD)
            continue;
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, (uint8_t)code);
        cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL);
        const enum emit_class is = emit_class_of(&v);
        cr_assert(is_right(op, is), "conformance/targets/emit.c: opcode 0x%02x, %s, counts among the %s", code,
                  op->name, emit_class_words[is]);
    }
}

Test(fields, a_raw_packet_has_no_class)
{
    uint8_t frame[512] = {0};
    struct iba_recipe r;
    struct iba_view v;
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL);
    cr_expect_eq(emit_class_of(&v), EMIT_request_only);
    iba_bth_set_opcode(frame + v.bth_at, 0x1f); /* a reserved opcode */
    iba_view_repair_crc(&v, frame);
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL);
    cr_expect(iba_view_has_bth(&v) && emit_class_of(&v) == EMIT_any);
    memset(frame, 0, sizeof frame);
    iba_lrh_set_lnh(frame, 0); /* raw, no transport header */
    iba_lrh_set_pktlen(frame, 5);
    (void)iba_view_parse(&v, IBA_LINK_IB, frame, 22, 22, NULL);
    cr_expect_eq(emit_class_of(&v), EMIT_any);
}

/* A response is classified by its syndrome; one that ends before the syndrome is none of the three kinds. */
Test(fields, responses)
{
    static const struct {
        uint8_t syndrome;
        enum emit_class is;
    } rows[] = {{0, EMIT_ack},        {0x1f, EMIT_ack}, {0x20, EMIT_rnr_nak},
                {0x3f, EMIT_rnr_nak}, {0x60, EMIT_nak}, {0x64, EMIT_nak}};
    uint8_t frame[512];
    size_t len;
    struct iba_view v;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iba_recipe r;
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_ACKNOWLEDGE);
        *iba_recipe_part(&r, IBA_H_aeth) = rows[i].syndrome;
        cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len, len, NULL);
        cr_expect_eq(emit_class_of(&v), rows[i].is, "row %zu", i);
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, frame, len - 8, len - 8, NULL);
        const enum emit_class cut = emit_class_of(&v);
        cr_expect(cut != EMIT_ack && cut != EMIT_nak && cut != EMIT_rnr_nak, "row %zu", i);
    }
}

Test(fields, names)
{
    static const struct {
        const char *name;
        uint8_t klass, where;
    } rows[] = {
        {"any/bth.psn", EMIT_any, IBA_H_bth}, {"bth.psn", EMIT_any, IBA_H_bth},
        {"cnp/bth.psn", EMIT_cnp, IBA_H_bth}, {"request_first/reth.va", EMIT_request_first, IBA_H_reth},
        {"icrc", EMIT_any, EMIT_P_icrc},      {"datagram/payload", EMIT_datagram, EMIT_P_payload},
        {"ip.ttl", EMIT_any, IBA_H_ipv4},     {"ipv6.hlim", EMIT_any, IBA_H_ipv6},
        {"grh.dgid", EMIT_any, IBA_H_grh},
    };
    static const char *const wrong[] = {
        "bth",       "bth.", "bth-psn", "bth.psn.x",          "x.psn",   "/bth.psn", "ack/", "ack//icrc", "ac/icrc",
        "acks/icrc", "icr",  "icrcs",   "infiniband.bth.psn", "bht.psn", "grg.dgid"};
    struct ref_emit e;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(emit_parse(&e, rows[i].name, strlen(rows[i].name), "1"), "%s", rows[i].name);
        cr_expect(e.klass == rows[i].klass && e.where == rows[i].where && e.changed == 0, "%s", rows[i].name);
        cr_expect_eq(e.field != NULL, e.where < IBA_H_COUNT, "%s", rows[i].name);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(emit_parse(&e, wrong[i], strlen(wrong[i]), "1"), "%s", wrong[i]);
    char longest[200] = "bth.psn";
    memset(longest + 7, 'x', sizeof longest - 8);
    for (size_t n = 60; n < sizeof longest; n++)
        cr_expect_not(emit_parse(&e, longest, n, "1"));
    cr_expect(emit_parse(&e, "bth.psnx", 7, "1"), "the length counts");
    errno = ERANGE; /* of an earlier call */
    cr_expect(emit_parse(&e, "bth.psn", 7, "1") && e.value == 1);
    cr_expect_not(emit_parse(&e, "bth.psn", 7, " 1"));
    cr_expect(emit_parse(&e, "bth.psn", 7, "9") && e.value == 9);
    cr_expect(emit_parse(&e, "bth.psn", 7, "18446744073709551615") && e.value == UINT64_MAX);
    cr_expect_not(emit_parse(&e, "bth.psn", 7, "18446744073709551616"));
    cr_expect_not(emit_parse(&e, "bth.psn", 7, "/1"));
    cr_expect_not(emit_parse(&e, "bth.psn", 7, ":1"));
    cr_expect_not(emit_parse(&e, "bth.psn", 7, "++1"));
    cr_expect(emit_parse(&e, "bth.psn", 7, "*9") && e.op == '*' && e.value == 9);
    cr_expect_not(emit_parse(&e, "ack/packet", 10, "1"));
}

/* ---- changes ---- */

static uint8_t frame[512];
static size_t len;

/* Builds a SEND with all bits of its PSN set. */
static void build(enum iba_encap encap, unsigned payload)
{
    struct iba_recipe r;

    iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
    iba_bth_set_psn(iba_recipe_part(&r, IBA_H_bth), 0xffffff);
    r.payload = (const uint8_t *)"abcd";
    r.payload_len = payload;
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
}

static struct iba_view change(struct ref_emit *e, enum iba_encap encap, unsigned payload)
{
    const enum iba_link link = encap == IBA_ENCAP_IB_GLOBAL ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    struct iba_view v;

    build(encap, payload);
    cr_expect(emit_change(e, link, frame, len));
    cr_assert_eq(iba_view_parse(&v, link, frame, len, len, NULL), IBA_OK);
    iba_view_check(&v);
    return v;
}

Test(fields, values)
{
    static const struct {
        const char *change;
        uint32_t psn[3]; /* of three packets */
    } rows[] = {
        {"+1", {0, 0, 0}},    {"+0x1000005", {4, 4, 4}},   {"^0xff", {0xffff00, 0xffff00, 0xffff00}},
        {"23", {23, 23, 23}}, {"0x1000017", {23, 23, 23}}, {"*3", {0xffffff, 2, 5}},
    };
    struct ref_emit e;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(emit_parse(&e, "bth.psn", 7, rows[i].change));
        for (unsigned k = 0; k < 3; k++) {
            const struct iba_view v = change(&e, IBA_ENCAP_ROCE2_V4, 4);
            cr_expect_eq(iba_bth_psn(iba_view_bth(&v)), rows[i].psn[k], "%s, packet %u", rows[i].change, k);
            cr_expect_eq(v.icrc, IBA_CHECK_GOOD, "%s", rows[i].change);
            cr_expect_eq(e.changed, k + 1);
        }
    }
    cr_assert(emit_parse(&e, "ack/bth.psn", 11, "+1"));
    struct iba_view v = change(&e, IBA_ENCAP_ROCE2_V4, 4);
    cr_expect(iba_bth_psn(iba_view_bth(&v)) == 0xffffff && e.changed == 0, "another class");
    cr_assert(emit_parse(&e, "request_only/bth.psn", 20, "+1"));
    v = change(&e, IBA_ENCAP_ROCE2_V4, 4);
    cr_expect(iba_bth_psn(iba_view_bth(&v)) == 0 && e.changed == 1);
    cr_assert(emit_parse(&e, "aeth.msn", 8, "+1"));
    v = change(&e, IBA_ENCAP_ROCE2_V4, 4);
    cr_expect(v.icrc == IBA_CHECK_GOOD && e.changed == 1, "no such header");
}

/* Of a field of 128 bits the last 64 are changed. */
Test(fields, a_wide_field)
{
    struct ref_emit e;

    cr_assert(emit_parse(&e, "grh.dgid", 8, "0x1122334455667788"));
    const struct iba_view v = change(&e, IBA_ENCAP_IB_GLOBAL, 4);
    const uint8_t *gid = iba_view_hdr(&v, IBA_H_grh) + 24;
    cr_expect_arr_eq(gid + 8, "\x11\x22\x33\x44\x55\x66\x77\x88", 8);
    cr_expect(v.icrc == IBA_CHECK_GOOD && v.vcrc == IBA_CHECK_GOOD);
    build(IBA_ENCAP_IB_GLOBAL, 4);
    const uint8_t *before = frame + (gid - v.wire);
    uint8_t first[8];
    memcpy(first, before, 8);
    (void)emit_change(&e, IBA_LINK_IB, frame, len);
    cr_expect_arr_eq(before, first, 8);
}

Test(fields, parts)
{
    struct ref_emit e;
    struct iba_view v;

    for (unsigned i = 0; i < 2; i++) {
        const enum iba_encap encap = i ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_ROCE2_V6;
        const enum iba_check vcrc = i ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT;
        cr_assert(emit_parse(&e, "icrc", 4, "+1"));
        v = change(&e, encap, 4);
        cr_expect(v.icrc == IBA_CHECK_BAD && v.vcrc == vcrc);
        cr_expect_eq(iba_le32(frame + v.end - IBA_ICRC_BYTES), iba_view_icrc(&v) + 1);
        cr_assert(emit_parse(&e, "vcrc", 4, "+1"));
        v = change(&e, encap, 4);
        cr_expect(v.icrc == IBA_CHECK_GOOD && v.vcrc == (i ? IBA_CHECK_BAD : IBA_CHECK_ABSENT));
        if (i)
            cr_expect_eq(iba_le16(frame + v.end), (uint16_t)(iba_vcrc(frame, v.end) + 1));
        cr_assert(emit_parse(&e, "payload", 7, "^1"));
        v = change(&e, encap, 4);
        cr_expect(v.icrc == IBA_CHECK_GOOD && v.vcrc == vcrc);
        cr_expect_arr_eq(frame + v.payload_at, "`bcd", 4);
        v = change(&e, encap, 0);
        cr_expect(v.icrc == IBA_CHECK_GOOD && v.vcrc == vcrc && e.changed == 2, "nothing to change");
    }
    cr_assert(emit_parse(&e, "ip.checksum", 11, "+1"));
    v = change(&e, IBA_ENCAP_ROCE2_V4, 4);
    const unsigned is = iba_ipv4_checksum(frame + v.at[IBA_H_ipv4]);
    build(IBA_ENCAP_ROCE2_V4, 4);
    cr_expect_eq(is, iba_ipv4_checksum(frame + v.at[IBA_H_ipv4]) + 1, "it is not put right again");
}

/* A frame whose CRC is wrong already stays as it is. */
Test(fields, frames_with_wrong_crcs)
{
    static const char *const names[] = {"icrc", "vcrc"};
    struct ref_emit e;

    for (unsigned i = 0; i < 2; i++) {
        uint8_t before[512];
        build(IBA_ENCAP_IB_GLOBAL, 4);
        frame[len - (i ? 1 : 3)] ^= 1; /* the last two bytes are the VCRC, the four before them the ICRC */
        memcpy(before, frame, len);
        cr_assert(emit_parse(&e, names[i], 4, "+1") && emit_change(&e, IBA_LINK_IB, frame, len));
        cr_expect_arr_eq(frame, before, len, "%s", names[i]);
    }
}
