/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of address resolution, byte for byte as RFC 826, RFC 4861 4.3 and RFC 5227 2.1.1 write them, and as Linux
 * sends them. The checksums were computed by another program. */
#include "targets/wire_neighbour.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ETHER = 14, MOST = 160 };

static const uint64_t own = 0x021122334455;
static const struct ibc_address party = {
    .mac = 0x02aabbccddee,
    .ipv4 = 0x0a0102c8, /* 10.1.2.200 */
    .ipv6 = {0x20, 0x01, 0x0d, 0xb8, 0x81, 0xf2, 0x72, 0x03, 0x06, 0x04, 0xb5, 0xc6, 0xd7, 0xe8, 0xf9, 0xfa},
    .gid = {0xfe, 0x80, [8] = 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x07, 0x08}};

/* clang-format off */
static const uint8_t ask_ipv4[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x08, 0x06, 0x00, 0x01,
    0x08, 0x00, 0x06, 0x04, 0x00, 0x01, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x01, 0x02, 0xc8,
};
static const uint8_t ask_ipv6[] = {
    0x33, 0x33, 0xff, 0xe8, 0xf9, 0xfa, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x86, 0xdd, 0x60, 0x00,
    0x00, 0x00, 0x00, 0x18, 0x3a, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0xff, 0xe8, 0xf9, 0xfa, 0x87, 0x00, 0xd0, 0x67, 0x00, 0x00, 0x00, 0x00, 0x20, 0x01,
    0x0d, 0xb8, 0x81, 0xf2, 0x72, 0x03, 0x06, 0x04, 0xb5, 0xc6, 0xd7, 0xe8, 0xf9, 0xfa,
};
static const uint8_t ask_gid[] = {
    0x33, 0x33, 0xff, 0xf6, 0x07, 0x08, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x86, 0xdd, 0x60, 0x00,
    0x00, 0x00, 0x00, 0x18, 0x3a, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0xff, 0xf6, 0x07, 0x08, 0x87, 0x00, 0x21, 0xa3, 0x00, 0x00, 0x00, 0x00, 0xfe, 0x80,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x07, 0x08,
};
static const uint8_t host_asks[] = {
    0x33, 0x33, 0xff, 0xe8, 0xf9, 0xfa, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x86, 0xdd, 0x60, 0x00,
    0x00, 0x00, 0x00, 0x20, 0x3a, 0xff, 0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9a, 0x8b,
    0x7c, 0x6d, 0x5e, 0x4f, 0x3a, 0x2b, 0xff, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0xff, 0xe8, 0xf9, 0xfa, 0x87, 0x00, 0xb8, 0xd0, 0x00, 0x00, 0x00, 0x00, 0x20, 0x01,
    0x0d, 0xb8, 0x81, 0xf2, 0x72, 0x03, 0x06, 0x04, 0xb5, 0xc6, 0xd7, 0xe8, 0xf9, 0xfa, 0x01, 0x01,
    0x02, 0x11, 0x22, 0x33, 0x44, 0x55,
};
static const uint8_t advertises[] = {
    0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x86, 0xdd, 0x60, 0x00,
    0x00, 0x00, 0x00, 0x20, 0x3a, 0xff, 0x20, 0x01, 0x0d, 0xb8, 0x81, 0xf2, 0x72, 0x03, 0x06, 0x04,
    0xb5, 0xc6, 0xd7, 0xe8, 0xf9, 0xfa, 0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9a, 0x8b,
    0x7c, 0x6d, 0x5e, 0x4f, 0x3a, 0x2b, 0x88, 0x00, 0x6c, 0x8e, 0x60, 0x00, 0x00, 0x00, 0x20, 0x01,
    0x0d, 0xb8, 0x81, 0xf2, 0x72, 0x03, 0x06, 0x04, 0xb5, 0xc6, 0xd7, 0xe8, 0xf9, 0xfa, 0x02, 0x01,
    0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee,
};
static const uint8_t host_arp[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x08, 0x06, 0x00, 0x01,
    0x08, 0x00, 0x06, 0x04, 0x00, 0x01, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x0a, 0x01, 0x02, 0x07,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x01, 0x02, 0xc8,
};
static const uint8_t replies[] = {
    0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x08, 0x06, 0x00, 0x01,
    0x08, 0x00, 0x06, 0x04, 0x00, 0x02, 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x0a, 0x01, 0x02, 0xc8,
    0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x0a, 0x01, 0x02, 0x07,
};
/* clang-format on */

/* ---- questions ---- */

Test(neighbours, questions_to_the_byte)
{
    static const struct {
        const uint8_t *frame;
        size_t len;
    } is[IBC_NEIGHBOUR_QUESTIONS] = {
        {ask_ipv4, sizeof ask_ipv4}, {ask_ipv6, sizeof ask_ipv6}, {ask_gid, sizeof ask_gid}};
    uint8_t frame[IBC_NEIGHBOUR_ANSWER];

    for (unsigned q = 0; q < IBC_NEIGHBOUR_QUESTIONS; q++) {
        memset(frame, 0xa5, sizeof frame);
        cr_assert_eq(ibc_neighbour_ask(frame, own, &party, q), is[q].len, "%u", q);
        cr_assert_arr_eq(frame, is[q].frame, is[q].len, "%u", q);
        for (size_t i = is[q].len; i < sizeof frame; i++)
            cr_assert_eq(frame[i], 0xa5, "nothing is written after the frame");
    }
}

Test(neighbours, an_address_is_asked_for_once)
{
    struct ibc_address a = party;
    uint8_t frame[IBC_NEIGHBOUR_ANSWER];

    memcpy(a.gid, a.ipv6, sizeof a.gid);
    cr_assert_eq(ibc_neighbour_ask(frame, own, &a, 1), sizeof ask_ipv6);
    cr_assert_eq(ibc_neighbour_ask(frame, own, &a, 2), 0);
    memset(a.ipv6, 0, sizeof a.ipv6);
    cr_assert_eq(ibc_neighbour_ask(frame, own, &a, 1), 0);
    cr_assert_eq(ibc_neighbour_ask(frame, own, &a, 2), sizeof ask_ipv6);
    cr_assert_arr_eq(frame, ask_ipv6, sizeof ask_ipv6);
    a.ipv4 = 0;
    cr_assert_eq(ibc_neighbour_ask(frame, own, &a, 0), 0);
}

/* ---- answers ---- */

static size_t tagged(uint8_t *out, const uint8_t *frame, size_t len)
{
    memcpy(out, frame, 12);
    memcpy(out + 12, "\x81\x00\xe1\x23", 4);
    memcpy(out + 16, frame + 12, len - 12);
    return len + 4;
}

/* Asks for an answer to a copy that ends where the frame does, so that a sanitizer notices reads after its end. */
static bool answered(const uint8_t *frame, size_t len, uint8_t answer[IBC_NEIGHBOUR_ANSWER], size_t *n)
{
    const struct ibc_address who[] = {{.mac = 9}, party};
    uint8_t *copy = malloc(len ? len : 1);
    bool is;

    memcpy(copy, frame, len);
    memset(answer, 0xa5, IBC_NEIGHBOUR_ANSWER);
    is = ibc_neighbour(copy, len, who, 2, answer, n);
    free(copy);
    return is;
}

static void answers(const uint8_t *frame, size_t len, const uint8_t *expected, size_t expected_len)
{
    uint8_t asked[MOST], answer[IBC_NEIGHBOUR_ANSWER], is[MOST];
    size_t n;

    cr_assert(answered(frame, len, answer, &n));
    cr_assert_eq(n, expected_len);
    cr_assert_arr_eq(answer, expected, n);
    const size_t more = tagged(asked, frame, len), expected_more = tagged(is, expected, expected_len);
    cr_assert(answered(asked, more, answer, &n));
    cr_assert_eq(n, expected_more);
    cr_assert_arr_eq(answer, is, n);
    for (size_t i = n; i < sizeof answer; i++)
        cr_assert_eq(answer[i], 0xa5, "nothing is written after the frame");
}

Test(neighbours, answers_to_the_byte)
{
    uint8_t gid[sizeof host_asks], of_gid[sizeof advertises];

    answers(host_arp, sizeof host_arp, replies, sizeof replies);
    answers(host_asks, sizeof host_asks, advertises, sizeof advertises);
    /* the same for the GID, whose checksum differs */
    memcpy(gid, host_asks, sizeof gid);
    memcpy(gid + ETHER + 40 + 8, party.gid, 16);
    size_t n;
    uint8_t answer[IBC_NEIGHBOUR_ANSWER];
    cr_assert(answered(gid, sizeof gid, answer, &n) && n == sizeof advertises);
    memcpy(of_gid, advertises, sizeof of_gid);
    memcpy(of_gid + ETHER + 8, party.gid, 16);
    memcpy(of_gid + ETHER + 48, party.gid, 16);
    memcpy(of_gid + ETHER + 42, answer + ETHER + 42, 2);
    cr_assert_arr_eq(answer, of_gid, n);
}

/* Each row changes one byte of a question that has an answer. */
Test(neighbours, what_is_not_answered)
{
    enum { ICMP = ETHER + 40 };
    static const struct {
        bool ipv6;
        uint8_t at, value;
        bool is; /* whether the frame still belongs to address resolution */
    } rows[] = {
        {false, ETHER + 1, 6, true},                                 /* hardware other than Ethernet */
        {false, ETHER + 2, 0x86, true},                              /* a protocol other than IPv4 */
        {false, ETHER + 4, 8, true},                                 /* lengths */
        {false, ETHER + 5, 16, true},   {false, ETHER + 7, 2, true}, /* a reply */
        {false, ETHER + 24, 11, true},                               /* other addresses */
        {false, ETHER + 25, 2, true},   {false, ETHER + 26, 3, true},
        {false, ETHER + 27, 201, true}, {false, 12, 9, false}, /* other types of frames */
        {false, 13, 5, false},          {true, 12, 0x87, false},
        {true, 13, 0xde, false},        {true, ETHER + 6, 17, false}, /* UDP */
        {true, ETHER + 6, 59, false},   {true, ICMP, 134, false},     /* an advertisement of a router */
        {true, ICMP, 137, false},                                     /* a redirect */
        {true, ICMP, 136, true},                                      /* an advertisement */
        {true, ICMP + 8, 0x21, true},                                 /* other addresses */
        {true, ICMP + 23, 0xfb, true},
    };
    uint8_t frame[MOST], answer[IBC_NEIGHBOUR_ANSWER];
    size_t n;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t len = rows[i].ipv6 ? sizeof host_asks : sizeof host_arp;
        memcpy(frame, rows[i].ipv6 ? host_asks : host_arp, len);
        frame[rows[i].at] = rows[i].value;
        cr_expect_eq(answered(frame, len, answer, &n), rows[i].is, "row %zu", i);
        cr_expect_eq(n, 0, "row %zu", i);
    }
}

/* The least that a question must have is its fixed part; options and padding may be missing. */
Test(neighbours, cut_questions)
{
    uint8_t frame[MOST], answer[IBC_NEIGHBOUR_ANSWER];
    size_t n;

    for (unsigned tag = 0; tag < 2; tag++)
        for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
            const uint8_t *whole = ipv6 ? host_asks : host_arp;
            const size_t all = ipv6 ? sizeof host_asks : sizeof host_arp,
                         least = ETHER + 4 * tag + (ipv6 ? 40u + 24u : 28u);
            memcpy(frame, whole, all);
            if (tag)
                (void)tagged(frame, whole, all);
            for (size_t len = 0; len <= all + 4 * tag; len++) {
                const bool is = answered(frame, len, answer, &n);
                cr_expect_eq(n > 0, len >= least, "%u %u %zu", tag, ipv6, len);
                cr_expect_eq(is, ipv6 ? len >= least : len >= ETHER + 4 * tag, "%u %u %zu", tag, ipv6, len);
            }
        }
}

/* A frame counts as RoCE if twenty bytes follow its type, after any number of tags. */
Test(neighbours, roce_behind_tags)
{
    uint8_t frame[80];

    for (unsigned tags = 0; tags < 4; tags++)
        for (size_t len = 0; len <= sizeof frame; len++) {
            memset(frame, 0, sizeof frame);
            for (unsigned i = 0; i < tags; i++)
                memcpy(frame + 12 + 4 * i, "\x81\x00\x00\x05", 4);
            memcpy(frame + 12 + 4 * tags, "\x89\x15", 2);
            uint8_t *copy = malloc(len ? len : 1);
            memcpy(copy, frame, len);
            cr_expect_eq(ibc_is_roce(copy, len), len >= ETHER + 4 * tags + 20, "%u %zu", tags, len);
            free(copy);
        }
}

/* ---- claims ---- */

/* Returns the MAC that claims the address of the party; 0: none. */
static uint64_t claims(const uint8_t *frame, size_t len)
{
    uint8_t more[MOST];
    uint64_t mac = 0, of_tagged = 0;
    const bool is = ibc_neighbour_claims(frame, len, &party, &mac);

    cr_expect_eq(ibc_neighbour_claims(more, tagged(more, frame, len), &party, &of_tagged), is, "with a tag, too");
    cr_expect_eq(mac, of_tagged);
    return is ? mac : 0;
}

Test(neighbours, claims_of_arp)
{
    uint8_t frame[sizeof host_arp];

    cr_expect_eq(claims(ask_ipv4, sizeof ask_ipv4), own, "somebody asks before taking it");
    cr_expect_eq(claims(host_arp, sizeof host_arp), 0, "somebody with another address asks for it");
    cr_expect_eq(claims(replies, sizeof replies), party.mac, "it has the address");
    memcpy(frame, host_arp, sizeof frame);
    memcpy(frame + ETHER + 14, "\x0a\x01\x02\xc8", 4);
    cr_expect_eq(claims(frame, sizeof frame), own, "it asks from the address, and so announces it");
    memcpy(frame + ETHER + 24, "\x0a\x01\x02\x63", 4);
    cr_expect_eq(claims(frame, sizeof frame), own, "the same, if it asks for another");
    memset(frame + ETHER + 14, 0, 4);
    cr_expect_eq(claims(frame, sizeof frame), 0, "it wants to take another");
    for (size_t len = 0; len < sizeof replies; len++) {
        uint64_t mac;
        cr_expect_not(ibc_neighbour_claims(replies, len, &party, &mac), "%zu", len);
    }
    uint64_t mac;
    const struct ibc_address none = {.mac = 1};
    memset(frame + ETHER + 24, 0, 4);
    cr_expect_not(ibc_neighbour_claims(frame, sizeof frame, &none, &mac), "nobody has no address");
}

Test(neighbours, claims_of_neighbour_discovery)
{
    static const uint8_t none[16] = {0};
    uint8_t frame[sizeof host_asks];

    cr_expect_eq(claims(ask_ipv6, sizeof ask_ipv6), own, "somebody asks before taking it");
    cr_expect_eq(claims(ask_gid, sizeof ask_gid), own);
    cr_expect_eq(claims(host_asks, sizeof host_asks), 0, "somebody with another address asks for it");
    cr_expect_eq(claims(advertises, sizeof advertises), party.mac, "it has the address");
    memcpy(frame, host_asks, sizeof frame);
    memcpy(frame + ETHER + 8, party.gid, 16);
    cr_expect_eq(claims(frame, sizeof frame), own, "it asks from the address");
    memcpy(frame + ETHER + 48, none, 16);
    cr_expect_eq(claims(frame, sizeof frame), own);
    memcpy(frame, advertises, sizeof advertises);
    frame[ETHER + 48 + 15] ^= 1;
    cr_expect_eq(claims(frame, sizeof advertises), 0, "it has another");
    memcpy(frame + ETHER + 48, none, 16);
    uint64_t mac;
    const struct ibc_address nobody = {.mac = 1};
    cr_expect_not(ibc_neighbour_claims(frame, sizeof advertises, &nobody, &mac), "nobody has no address");
    for (size_t len = 0; len < sizeof advertises; len++)
        cr_expect_eq(ibc_neighbour_claims(advertises, len, &party, &mac), len >= ETHER + 40 + 24, "%zu", len);
}

Test(neighbours, other_frames_claim_nothing)
{
    static const uint8_t types[][2] = {{0x08, 0x00}, {0x89, 0x15}, {0x08, 0x05}, {0x86, 0xde}};
    uint8_t frame[MOST];
    uint64_t mac;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
            const size_t len = ipv6 ? sizeof advertises : sizeof replies;
            memcpy(frame, ipv6 ? advertises : replies, len);
            memcpy(frame + 12, types[i], 2);
            cr_expect_not(ibc_neighbour_claims(frame, len, &party, &mac), "%zu", i);
        }
}
