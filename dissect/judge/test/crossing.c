/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets inside switches: by what they are recognized, which of several is found, and which have overtaken others. */
#include "judge/crossing.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "mad/iba_mad.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"
#include "fabric/iba_node.h"

static struct crossings c;

static void begin(void)
{
    memset(&c, 0, sizeof c);
}
TestSuite(crossing, .init = begin);

/* ---- keys ---- */

static bool key_of(struct crossing_key *k, uint8_t *bytes, size_t captured, size_t n)
{
    struct packet p = {.number = 1};

    (void)iba_view_parse(&p.view, IBA_LINK_IB, bytes, captured, n, NULL);
    iba_view_check(&p.view);
    memset(k, 0x5a, sizeof *k); /* keys are compared as bytes */
    return crossing_key_of(k, &p);
}

Test(crossing, a_key_is_what_no_switch_changes)
{
    static const uint8_t mad[IBA_MAD_BYTES] = {1, 3, 1};
    const struct iba_mgmt_to to = {
        .dlid = 0x1234, .slid = 0x5678, .dqp = 0xabcdef, .sqp = 77, .psn = 0x987654, .pkey = 0xffff};
    uint8_t bytes[IBA_MGMT_BYTES + 8], other[IBA_MGMT_BYTES];
    struct crossing_key k, again;
    const size_t n = iba_mgmt_build(bytes, &to, 0, mad);

    cr_assert(key_of(&k, bytes, n, n));
    cr_expect(k.dlid == 0x1234 && k.slid == 0x5678 && k.qp == 0xabcdef && k.psn == 0x987654);
    cr_expect_eq(k.bytes, n - IBA_VCRC_BYTES); /* the VCRC covers the lane, which a switch may change */
    cr_expect_eq(memcmp(&k.icrc, bytes + n - IBA_VCRC_BYTES - IBA_ICRC_BYTES, IBA_ICRC_BYTES), 0);
    cr_assert(iba_mgmt_build(other, &to, 7, mad) == n && key_of(&again, other, n, n));
    cr_expect_eq(memcmp(&k, &again, sizeof k), 0, "on another lane");
    for (size_t captured = n - 1; captured > 0; captured -= captured > 50 ? 9 : 1)
        cr_expect_not(key_of(&k, bytes, captured, n), "cut to %zu", captured);
    bytes[n - 1] ^= 1;
    cr_expect_not(key_of(&k, bytes, n, n), "damaged");
}

/* A key is made of the LRH, also in packets with a GRH. RoCE and raw packets have none. */
Test(crossing, packets_with_a_key)
{
    static const struct {
        enum iba_encap encap;
        bool has;
    } rows[] = {{IBA_ENCAP_IB_LOCAL, true}, {IBA_ENCAP_IB_GLOBAL, true}, {IBA_ENCAP_IB_RAW, false},
                {IBA_ENCAP_ROCE1, false},   {IBA_ENCAP_ROCE2_V4, false}, {IBA_ENCAP_IB_FC, false}};
    static struct iba_recipe recipe;
    uint8_t bytes[512], *lrh, *bth;
    struct crossing_key k;
    size_t n;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct packet p = {.number = 1};
        iba_recipe_init(&recipe, rows[i].encap, IBA_RC_SEND_ONLY);
        if ((lrh = iba_recipe_part(&recipe, IBA_H_lrh))) {
            iba_lrh_set_dlid(lrh, 0x1234);
            iba_lrh_set_slid(lrh, 0x5678);
        }
        if ((bth = iba_recipe_part(&recipe, IBA_H_bth)))
            iba_bth_set_destqp(bth, 0xabcdef);
        cr_assert_eq(iba_build(&recipe, bytes, sizeof bytes, &n), IBA_OK);
        (void)iba_view_parse(&p.view, (enum iba_link)iba_encaps[rows[i].encap].link, bytes, n, n, NULL);
        iba_view_check(&p.view);
        cr_expect_eq(crossing_key_of(&k, &p), rows[i].has, "row %zu", i);
        cr_expect(!rows[i].has || (k.dlid == 0x1234 && k.slid == 0x5678 && k.qp == 0xabcdef), "row %zu", i);
    }
}

/* ---- which is found ---- */

enum { KEYS = 5, NODES = 3, OPS = 40000 };

static struct crossing one(uint32_t key, uint16_t node, uint64_t frame)
{
    return (struct crossing){.key = {.psn = key, .dlid = 9}, .node = node, .frame = frame};
}

static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % n;
}

/* Against a list of all packets that are in switches, the newest first. */
Test(crossing, the_newest_is_found)
{
    static struct {
        uint32_t key;
        uint16_t node;
        uint64_t frame;
    } in[64];
    size_t n = 0;

    for (uint64_t frame = 1; frame < OPS; frame++) {
        const uint32_t key = random_below(KEYS);
        const uint16_t node = (uint16_t)random_below(NODES);
        const bool any = random_below(2);
        if (n < 20 && random_below(2)) {
            const struct crossing x = one(key, node, frame);
            cr_assert_not(crossing_next(&c)->used);
            crossing_enter(&c, &x);
            memmove(in + 1, in, n++ * sizeof *in);
            in[0].key = key;
            in[0].node = node;
            in[0].frame = frame;
            continue;
        }
        size_t i = 0;
        while (i < n && (in[i].key != key || (in[i].node == node) == any))
            i++;
        const struct crossing like = one(key, node, frame);
        struct crossing *found = crossing_find(&c, &like.key, node, any);
        cr_assert_eq(found != NULL, i < n, "at %u", (unsigned)frame);
        if (!found)
            continue;
        cr_assert_eq(found->frame, in[i].frame, "%u, not %u", (unsigned)found->frame, (unsigned)in[i].frame);
        if (random_below(3) == 0)
            continue;
        if (random_below(2))
            crossing_remove(&c, found);
        else
            crossing_leave(&c, found);
        cr_assert_not(found->used);
        memmove(in + i, in + i + 1, (--n - i) * sizeof *in);
    }
}

/* When all places are taken, a packet takes that of the oldest, which is found no more. */
Test(crossing, the_oldest_gives_way)
{
    const struct crossing old = one(1, 0, 1), other = one(2, 0, 0);

    crossing_enter(&c, &old);
    for (uint32_t i = 1; i < CROSSINGS; i++)
        crossing_enter(&c, &other);
    cr_assert(crossing_next(&c)->used && crossing_next(&c)->frame == 1);
    cr_expect_not_null(crossing_find(&c, &old.key, 0, false));
    crossing_enter(&c, &other);
    cr_expect_null(crossing_find(&c, &old.key, 0, false));
    cr_expect_eq(crossing_find(&c, &other.key, 0, false), &c.item[0]);
    cr_expect_eq(crossing_next(&c), &c.item[1]);
    for (uint32_t i = 0; i < CROSSINGS; i++) {
        struct crossing *x = crossing_find(&c, &other.key, 0, false);
        cr_assert_not_null(x, "%u", i);
        crossing_remove(&c, x);
    }
    cr_expect_null(crossing_find(&c, &other.key, 0, false));
}

/* ---- order ---- */

static struct crossing *enter(struct crossing x, uint64_t frame)
{
    struct crossing *to = crossing_next(&c);

    x.frame = frame;
    crossing_enter(&c, &x);
    return to;
}

/* A switch keeps packets in order that have LIDs, service level and the port they entered by in common. */
Test(crossing, packets_of_a_flow_overtake)
{
    const struct crossing usual = {.key = {.slid = 1, .dlid = 2}, .node = 3, .in = 4, .sl = 5};
    struct crossing others[6];

    for (unsigned i = 0; i < 6; i++)
        others[i] = usual;
    others[1].key.slid = 9;
    others[2].key.dlid = 9;
    others[3].node = 9;
    others[4].in = 9;
    others[5].sl = 9;
    for (unsigned i = 0; i < 6; i++) {
        begin();
        struct crossing *first = enter(usual, 10), *second = enter(others[i], 11);
        cr_expect_not(crossing_overtaken(&c, first));
        crossing_leave(&c, second);
        cr_expect_eq(crossing_overtaken(&c, first), i == 0, "%u", i);
    }
}

Test(crossing, packets_in_order_do_not_overtake)
{
    struct crossing usual = {.key = {.slid = 1, .dlid = 2}, .node = 3, .in = 4, .sl = 5};
    struct crossing *a = enter(usual, 10), *b = enter(usual, 20), *d = enter(usual, 30);

    crossing_leave(&c, a);
    cr_expect_not(crossing_overtaken(&c, b));
    cr_expect_not(crossing_overtaken(&c, a), "by itself");
    crossing_leave(&c, d);
    cr_expect(crossing_overtaken(&c, b));
    struct crossing *late = enter(usual, 5), *e = enter(usual, 25);
    crossing_leave(&c, late); /* the newest that left stays the newest */
    cr_expect(crossing_overtaken(&c, e));
    struct crossing *gone = enter(usual, 50), *f = enter(usual, 40);
    crossing_remove(&c, gone); /* lost, or seen elsewhere: it has not left */
    cr_expect_not(crossing_overtaken(&c, f));
}

/* Of flows beyond the room for them nothing is known. */
Test(crossing, flows_without_room)
{
    struct crossing x = {.node = 3};

    for (uint32_t i = 0; i < CROSSING_FLOWS; i++) {
        x.key.dlid = (uint16_t)i;
        crossing_remove(&c, enter(x, 10));
    }
    for (uint32_t i = 0; i < 2; i++) {
        x.key.dlid = (uint16_t)(CROSSING_FLOWS - 1 + i);
        struct crossing *first = enter(x, 10), *second = enter(x, 20);
        crossing_leave(&c, second);
        cr_expect_eq(crossing_overtaken(&c, first), i == 0, "flow %u", x.key.dlid);
    }
}
