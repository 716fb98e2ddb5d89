/* SPDX-License-Identifier: BSD-2-Clause */
/* The opcode table against a second one, typed from catalogue 1.6 and not derived from the first. */
#include "wire.h"
#include "wire/iba_opcode_rows.h"

#define RSV NULL
static const char *const rc[32] = {
    [0x00] = "",
    [0x01] = "",
    [0x02] = "",
    [0x03] = "immdt",
    [0x04] = "",
    [0x05] = "immdt",
    [0x06] = "reth",
    [0x07] = "",
    [0x08] = "",
    [0x09] = "immdt",
    [0x0a] = "reth",
    [0x0b] = "reth immdt",
    [0x0c] = "reth",
    [0x0d] = "aeth",
    [0x0e] = "",
    [0x0f] = "aeth",
    [0x10] = "aeth",
    [0x11] = "aeth",
    [0x12] = "aeth atomicacketh",
    [0x13] = "atomiceth",
    [0x14] = "atomiceth",
    [0x15] = RSV,
    [0x16] = "ieth",
    [0x17] = "ieth",
    [0x1c] = "feth reth",
    [0x1d] = "reth",
};
static const char *const uc[32] = {
    [0x00] = "",     [0x01] = "", [0x02] = "", [0x03] = "immdt", [0x04] = "",     [0x05] = "immdt",
    [0x06] = "reth", [0x07] = "", [0x08] = "", [0x09] = "immdt", [0x0a] = "reth", [0x0b] = "reth immdt",
};
static const char *const rd[32] = {
    [0x00] = "rdeth deth",
    [0x01] = "rdeth deth",
    [0x02] = "rdeth deth",
    [0x03] = "rdeth deth immdt",
    [0x04] = "rdeth deth",
    [0x05] = "rdeth deth immdt",
    [0x06] = "rdeth deth reth",
    [0x07] = "rdeth deth",
    [0x08] = "rdeth deth",
    [0x09] = "rdeth deth immdt",
    [0x0a] = "rdeth deth reth",
    [0x0b] = "rdeth deth reth immdt",
    [0x0c] = "rdeth deth reth",
    [0x0d] = "rdeth aeth",
    [0x0e] = "rdeth",
    [0x0f] = "rdeth aeth",
    [0x10] = "rdeth aeth",
    [0x11] = "rdeth aeth",
    [0x12] = "rdeth aeth atomicacketh",
    [0x13] = "rdeth deth atomiceth",
    [0x14] = "rdeth deth atomiceth",
    [0x15] = "rdeth deth",
    [0x1c] = "rdeth deth feth reth",
};
static const char *const ud[32] = {[0x04] = "deth", [0x05] = "deth immdt"};
static const char *const cnp[32] = {[0x00] = "cnp", [0x01] = "cnp"};
static const char *const xrc[32] = {
    [0x00] = "xrceth",
    [0x01] = "xrceth",
    [0x02] = "xrceth",
    [0x03] = "xrceth immdt",
    [0x04] = "xrceth",
    [0x05] = "xrceth immdt",
    [0x06] = "xrceth reth",
    [0x07] = "xrceth",
    [0x08] = "xrceth",
    [0x09] = "xrceth immdt",
    [0x0a] = "xrceth reth",
    [0x0b] = "xrceth reth immdt",
    [0x0c] = "xrceth reth",
    [0x0d] = "aeth",
    [0x0e] = "",
    [0x0f] = "aeth",
    [0x10] = "aeth",
    [0x11] = "aeth",
    [0x12] = "aeth atomicacketh",
    [0x13] = "xrceth atomiceth",
    [0x14] = "xrceth atomiceth",
    [0x16] = "xrceth ieth",
    [0x17] = "xrceth ieth",
    [0x1c] = "xrceth feth reth",
    [0x1d] = "xrceth reth",
};
static const char *const none[32] = {RSV};
static const char *const *const by_service[8] = {rc, uc, rd, ud, cnp, xrc, none, none};

/* Low five bits, all services but CNP: payload P, 1..P, 0..P, none (N), 8; direction; position */
static const char payload[] = "PP1100PP1100NPP1"
                              "0NNNNN10????N8??";
static const char position[] = "FMLLOOFMLLOOOFML"
                               "OOOOOOLO????OO??";
static const char direction[] = "qqqqqqqqqqqqqsss"
                                "sssqqqqq????qq??";

/* The file in which a missing row is to be written. */
#define HERE "core/wire/test/opcode.c"

static void render(uint64_t hdrs, char *text, size_t n)
{
    size_t at = 0;

    text[0] = '\0';
    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        if (h != IBA_H_bth && (hdrs >> h & 1))
            at += (size_t)snprintf(text + at, n - at, "%s%s", at ? " " : "", iba_headers[h].name);
}

Test(opcode, headers_of_all_256_codes)
{
    for (unsigned code = 0; code < 256; code++) {
        const char *expected = by_service[code >> 5][code & 31];
        char text[128];
        cr_assert(expected || !iba_opcodes[code].name, "opcode 0x%02x is not in " HERE, code);
        cr_assert(!expected || iba_opcodes[code].name,
                  "opcode 0x%02x is in " HERE " and not in core/wire/iba_opcode_rows.h", code);
        if (!expected) {
            cr_assert_eq(iba_opcodes[code].hdrs, 0, "opcode 0x%02x has headers and no name", code);
            continue;
        }
        cr_assert(iba_opcodes[code].hdrs & IBA_HDR_BIT(IBA_H_bth), "opcode 0x%02x has no BTH", code);
        render(iba_opcodes[code].hdrs, text, sizeof text);
        cr_assert_str_eq(text, expected, "opcode 0x%02x has the headers \"%s\", in " HERE " \"%s\"", code, text,
                         expected);
    }
}

Test(opcode, service_position_direction_of_every_row)
{
    for (unsigned code = 0; code < 256; code++) {
        const struct iba_opcode *op = &iba_opcodes[code];
        const unsigned low = code & 31;
        if (!op->name)
            continue;
        cr_assert_eq(op->svc, code >> 5, "opcode 0x%02x is of service %u", code, op->svc);
        if (op->svc == IBA_CNP)
            continue;
        cr_assert_eq("FMLO"[op->pos], position[low], "opcode 0x%02x has the position %c, in " HERE " %c", code,
                     "FMLO"[op->pos], position[low]);
        cr_assert_eq("qs"[op->dir], direction[low], "opcode 0x%02x has the direction %c, in " HERE " %c", code,
                     "qs"[op->dir], direction[low]);
    }
}

static bool allowed(char rule, size_t len, size_t pmtu)
{
    switch (rule) {
    case 'P': return len == pmtu;
    case '1': return len >= 1 && len <= pmtu;
    case '0': return len <= pmtu;
    case '8': return len == 8;
    default: return len == 0;
    }
}

Test(opcode, payload_rule_of_every_row)
{
    static const size_t pmtu[] = {256, 512, 1024, 2048, 4096};

    for (unsigned code = 0; code < 256; code++)
        for (size_t i = 0; iba_opcodes[code].name && i < COUNT(pmtu); i++)
            for (size_t len = 0; len <= pmtu[i] + 1; len += len > 9 && len < pmtu[i] - 2 ? pmtu[i] - 3 - len + 1 : 1) {
                const char rule = code >> 5 == IBA_CNP ? 'N' : payload[code & 31];
                EXPECT(iba_payload_allowed(&iba_opcodes[code], len, pmtu[i]) == allowed(rule, len, pmtu[i]),
                       "opcode 0x%02x: %zu bytes at PMTU %zu, in " HERE " the payload is '%c'", code, len, pmtu[i],
                       rule);
            }
}

Test(opcode, every_code_has_a_title)
{
    for (unsigned code = 0; code < 256; code++) {
        const char *title = iba_opcode_title((uint8_t)code);
        cr_assert(title && title[0], "opcode 0x%02x has no title", code);
        for (unsigned other = 0; other < code && iba_opcodes[code].name; other++)
            cr_assert(strcmp(title, iba_opcode_title((uint8_t)other)) != 0, "0x%02x and 0x%02x", code, other);
        cr_assert_eq(iba_opcode_is_vendor((uint8_t)code), code >> 6 == 3);
    }
}

/* The services in the order of their three bits (WF-59), and the titles of codes that the table lacks */
Test(opcode, names_of_services_and_of_codes_without_a_row)
{
    static const char *const names[8] = {"RC", "UC", "RD", "UD", "CNP", "XRC", "MSP", "MSP"};

    for (unsigned code = 0; code < 256; code++) {
        char title[32];
        snprintf(title, sizeof title, "%s reserved opcode", names[code >> 5]);
        cr_assert_str_eq(iba_svc_name((enum iba_svc)(code >> 5)), names[code >> 5]);
        if (!iba_opcodes[code].name)
            cr_assert_str_eq(iba_opcode_title((uint8_t)code),
                             iba_opcode_is_vendor((uint8_t)code) ? "Manufacturer specific opcode" : title, "0x%02x",
                             code);
        else
            cr_assert_eq(iba_opcode_title((uint8_t)code), iba_opcodes[code].title, "0x%02x", code);
    }
}

/* Low five bits, all services but CNP; a letter for each of enum iba_operation */
static const char operation[] = "SSSSSSWWWWWWRrrr"
                                "rabAAYSS????FX??";
static const char letters[] = "?SWRAFXYrabC";
_Static_assert(sizeof letters == IBA_OPERATION_COUNT + 1, "core/wire/test/opcode.c: an operation has no letter");

Test(opcode, operation_of_every_row)
{
    for (unsigned code = 0; code < 256; code++) {
        const enum iba_operation is = iba_opcode_operation((uint8_t)code);
        const char *name = iba_opcodes[code].name;
        const char expected = !name ? '?' : code >> 5 == IBA_CNP ? 'C' : operation[code & 31];
        cr_assert(!name || is != IBA_OPERATION_NONE, "core/wire/iba_opcode_rows.h: opcode 0x%02x, %s, has no operation",
                  code, name);
        cr_assert(!name || expected != '?', "core/wire/test/opcode.c: opcode 0x%02x, %s, has no letter", code, name);
        cr_assert_eq(letters[is], expected, "core/wire/iba_opcode_rows.h: opcode 0x%02x, %s, has operation %c, not %c",
                     code, name ? name : "reserved", letters[is], expected);
    }
    for (unsigned o = 0; o < IBA_OPERATION_COUNT; o++)
        for (unsigned other = 0; other < o; other++)
            cr_assert_str_neq(iba_operation_name((enum iba_operation)o), iba_operation_name((enum iba_operation)other));
    cr_assert_str_eq(iba_operation_name(IBA_OPERATION_ATOMIC_WRITE), "ATOMIC WRITE");
}

Test(opcode, header_sets_are_summed)
{
    cr_assert_eq(iba_hdrs_bytes(0), 0);
    cr_assert_eq(iba_hdrs_bytes(iba_opcodes[IBA_RC_WRITE_ONLY_IMM].hdrs), 12 + 16 + 4);
    cr_assert_eq(iba_hdrs_bytes(iba_opcodes[IBA_RD_CMP_SWAP].hdrs), 12 + 4 + 8 + 28);
    cr_assert_eq(iba_hdrs_bytes(iba_opcodes[IBA_XRC_ATOMIC_ACKNOWLEDGE].hdrs), 12 + 4 + 8);
    cr_assert_eq(iba_hdrs_bytes(iba_opcodes[IBA_CNP_ROCE].hdrs), 12 + 16);
}
