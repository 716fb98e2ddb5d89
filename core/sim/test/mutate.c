/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutators: every field is reached and changes alone, no write leaves the buffer, repaired packets are good. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "sim/iba_mutate.h"
#include "wire/iba_build.h"

enum { CAP = 300, MILLION = 1000000 };

/* Builds a packet with the encapsulation and the opcode that `n` selects; all of them take turns. */
static size_t build(uint64_t n, uint8_t *packet, enum iba_link *link)
{
    static const uint8_t payload[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static struct iba_recipe r;
    const enum iba_encap e = (enum iba_encap)(n % IBA_ENCAP_COUNT);
    uint8_t opcode = (uint8_t)(n / IBA_ENCAP_COUNT * 37);
    size_t len;

    while (!iba_opcodes[opcode].name)
        opcode++;
    iba_recipe_init(&r, e, opcode);
    r.payload = payload;
    r.payload_len = 8 + n % 13;
    *link = (enum iba_link)iba_encaps[e].link;
    cr_assert_eq(iba_build(&r, packet, CAP, &len), IBA_OK);
    return len;
}

/* Checks that the packets differ only in the bits [at, at + n), and in at least one of them. */
static void changed_only(const uint8_t *a, const uint8_t *b, size_t len, size_t at, size_t n)
{
    bool inside = false;

    for (size_t i = 0; i < len * 8; i++)
        if ((a[i / 8] ^ b[i / 8]) >> (7 - i % 8) & 1) {
            inside = true;
            if (i < at || i >= at + n)
                cr_assert_fail("bit %zu changed, field is %zu..%zu", i, at, at + n - 1);
        }
    cr_assert(inside, "nothing changed at %zu..%zu", at, at + n - 1);
}

Test(mutate, a_field_changes_alone_and_inside_the_packet)
{
    static unsigned reached[IBA_H_COUNT];
    static unsigned long rows[IBA_H_COUNT];
    uint8_t packet[CAP], before[CAP];
    struct iba_random r;

    iba_random_seed(&r, 1);
    for (uint64_t n = 0; n < 200000; n++) {
        struct iba_mutation m;
        enum iba_link link;
        struct iba_view v;
        const size_t len = build(n, packet, &link);
        memcpy(before, packet, len);
        iba_view_parse(&v, link, packet, len, len, NULL);
        iba_mutate_field(&v, packet, &r, &m);
        cr_assert_eq(m.kind, IBA_MUTATION_FIELD);
        cr_assert(iba_view_has(&v, (enum iba_hdr)m.hdr));
        cr_assert(m.field >= iba_headers[m.hdr].field &&
                  m.field < iba_headers[m.hdr].field + iba_headers[m.hdr].n_field);
        cr_assert_leq(m.field->at + m.field->bits, iba_headers[m.hdr].bytes * 8u);
        cr_assert_leq((size_t)m.at + iba_headers[m.hdr].bytes, len);
        changed_only(before, packet, len, m.at * 8u + m.field->at, m.field->bits);
        reached[m.hdr]++;
        rows[m.hdr] |= 1ul << (m.field - iba_headers[m.hdr].field);
    }
    for (unsigned h = 0; h < IBA_H_COUNT; h++) {
        if (h == IBA_H_dcbth || h == IBA_H_dcceth || h == IBA_H_grecsum || h == IBA_H_ipoibsend || h == IBA_H_tmop ||
            h == IBA_H_tmh || h == IBA_H_rvh)
            continue; /* in no encapsulation of the table */
        cr_expect_gt(reached[h], 0, "never: %s", iba_headers[h].name);
        cr_expect_eq(rows[h], (1ul << iba_headers[h].n_field) - 1, "%s: rows %lx", iba_headers[h].name, rows[h]);
    }
}

/* The mutator draws all values that typically break code: every value of BTH.PadCnt, both ends of PktLen's range, and
 * both neighbours of the old value. */
Test(mutate, interesting_values_come_up)
{
    uint8_t packet[CAP];
    struct iba_random r;
    enum iba_link link;
    struct iba_view v;
    const size_t len = build(IBA_ENCAP_IB_LOCAL, packet, &link);
    static const uint64_t want[] = {0, 1, 0x7ff, 0x7fe, 0x3ff, 0x400};
    enum { WANT = sizeof want / sizeof *want };
    const unsigned was = iba_lrh_pktlen(packet);
    unsigned seen = 0, near = 0, pads = 0;

    iba_random_seed(&r, 2);
    iba_view_parse(&v, link, packet, len, len, NULL);
    for (unsigned n = 0; n < 20000; n++) {
        uint8_t copy[CAP];
        struct iba_mutation m;
        memcpy(copy, packet, len);
        v.wire = copy;
        iba_mutate_field(&v, copy, &r, &m);
        const unsigned now = iba_lrh_pktlen(copy);
        for (unsigned i = 0; i < WANT; i++)
            seen |= (unsigned)(now == want[i]) << i;
        near |= (unsigned)(now == was + 1) | (unsigned)(now == was - 1) << 1;
        pads |= 1u << iba_bth_padcnt(copy + v.bth_at);
    }
    cr_assert_eq(seen, (1u << WANT) - 1, "seen %x", seen);
    cr_assert_eq(near, 3);
    cr_assert_eq(pads, 0xf);
}

/* Mutates a packet in a heap block of its own, so that the sanitizer detects any access beyond it. */
static size_t mutate_one(uint64_t n, struct iba_random *r, uint32_t repair, struct iba_mutation *m, uint8_t *out,
                         enum iba_link *link, size_t *was)
{
    uint8_t packet[CAP];
    const size_t len = build(n, packet, link), cap = len + n % 3 * 10;
    uint8_t *own = malloc(cap);
    size_t now;

    memcpy(own, packet, len);
    now = iba_mutate(r, *link, own, len, cap, repair, m);
    cr_assert(now >= 1 && now <= cap);
    memcpy(out, own, now);
    free(own);
    *was = len;
    return now;
}

Test(mutate, every_kind_says_what_it_did)
{
    unsigned count[IBA_MUTATION_COUNT] = {0};
    uint8_t before[CAP], after[CAP];
    struct iba_random r;

    iba_random_seed(&r, 3);
    for (uint64_t n = 0; n < 100000; n++) {
        struct iba_mutation m;
        enum iba_link link;
        size_t was, len;
        build(n, before, &link);
        len = mutate_one(n, &r, 0, &m, after, &link, &was);
        cr_assert(!m.repaired);
        count[m.kind]++;
        switch (m.kind) {
        case IBA_MUTATION_FIELD:
            cr_assert_eq(len, was);
            changed_only(before, after, len, m.at * 8u + m.field->at, m.field->bits);
            break;
        case IBA_MUTATION_BYTE:
            cr_assert_eq(len, was);
            changed_only(before, after, len, m.at * 8u, 8);
            break;
        case IBA_MUTATION_CUT:
            cr_assert(len < was && m.at == len);
            cr_assert_arr_eq(before, after, len);
            break;
        default:
            cr_assert(len > was && m.at == was && was + 64 >= len);
            cr_assert_arr_eq(before, after, was);
            break;
        }
    }
    for (unsigned k = 0; k < IBA_MUTATION_COUNT; k++)
        cr_assert_gt(count[k], 5000, "kind %u only %u times", k, count[k]);
}

/* After a repair every CRC that the changed packet still has is correct, so the fuzzed code does not drop the packet
 * because of a CRC. */
Test(mutate, repaired_packets_have_good_crcs)
{
    unsigned good = 0, other = 0;
    uint8_t after[CAP];
    struct iba_random r;

    iba_random_seed(&r, 4);
    for (uint64_t n = 0; n < 100000; n++) {
        struct iba_mutation m;
        enum iba_link link;
        struct iba_view v;
        size_t was;
        const size_t len = mutate_one(n, &r, MILLION, &m, after, &link, &was);
        cr_assert(m.repaired);
        iba_view_parse(&v, link, after, len, len, NULL);
        iba_view_check(&v);
        cr_assert(v.icrc != IBA_CHECK_BAD, "packet %lu", (unsigned long)n);
        cr_assert(v.vcrc != IBA_CHECK_BAD, "packet %lu", (unsigned long)n);
        good += v.icrc == IBA_CHECK_GOOD;
        other += v.icrc != IBA_CHECK_GOOD;
    }
    cr_assert_gt(good, other, "%u good, %u without", good, other);
}

Test(mutate, same_seed_same_bytes_and_repair_as_often_as_asked)
{
    unsigned repaired = 0;
    struct iba_random a, b;

    iba_random_seed(&a, 5);
    iba_random_seed(&b, 5);
    for (uint64_t n = 0; n < 40000; n++) {
        uint8_t one[CAP], two[CAP];
        struct iba_mutation m;
        enum iba_link link;
        size_t was;
        const size_t len = mutate_one(n, &a, MILLION / 4, &m, one, &link, &was);
        repaired += m.repaired;
        cr_assert_eq(mutate_one(n, &b, MILLION / 4, n % 2 ? NULL : &m, two, &link, &was), len);
        cr_assert_arr_eq(one, two, len);
    }
    cr_assert(repaired > 9400 && repaired < 10600, "%u repaired", repaired);
}

/* Chains of mutations, as a fuzzer makes them, from one byte and no header upwards. */
Test(mutate, long_chains_stay_in_the_buffer)
{
    struct iba_random r;

    iba_random_seed(&r, 6);
    for (unsigned link = IBA_LINK_NONE; link <= IBA_LINK_IPOIB; link++) {
        uint8_t *own = malloc(CAP);
        size_t len = 1;
        own[0] = 0;
        for (unsigned n = 0; n < 20000; n++) {
            len = iba_mutate(&r, (enum iba_link)link, own, len, CAP, MILLION / 2, NULL);
            cr_assert(len >= 1 && len <= CAP);
        }
        free(own);
    }
}
