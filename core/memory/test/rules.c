/* SPDX-License-Identifier: BSD-2-Clause */
/* Translation: each rule alone refuses its own fault, in the order of the table. */
#include "mem.h"

static struct bed bed;
static uint8_t pages[1]; /* none is there */

static size_t rule(const char *name)
{
    size_t i = 0;

    while (i < iba_mem_rule_count && strcmp(iba_mem_rules[i].name, name) != 0)
        i++;
    cr_assert(i < iba_mem_rule_count, "no rule %s", name);
    return i;
}

/* Checks that exactly this rule decides about the request r. */
static void decides(struct bed *b, struct iba_reach r, const char *name)
{
    const size_t want = rule(name);
    const uint32_t before = b->m.hits[want];
    const enum iba_mem_verdict v = ask(b, r, NULL);

    cr_assert_eq(v, iba_mem_rules[want].verdict, "%s: verdict %d", name, v);
    cr_assert_eq(b->m.hits[want], before + 1, "%s did not decide", name);
}

static struct iba_reach good(struct bed *b)
{
    make(b);
    return reach_of(b, reg(b, ALL).rkey, IOVA, ARENA);
}

Test(rules, reached)
{
    struct iba_reach r = good(&bed);
    uint8_t *host;

    decides(&bed, r, "reached");
    r.va = IOVA + 17;
    r.length = ARENA - 17;
    cr_assert_eq(ask(&bed, r, &host), IBA_REACH_OK);
    cr_assert_eq(host, bed.arena + 17);
}

Test(rules, no_index)
{
    const struct iba_reach r = good(&bed);
    const uint32_t index[] = {0, KEYS, KEYS + 1, 0xffffff};

    for (size_t i = 0; i < COUNT(index); i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            struct iba_reach bad = r;
            bad.key = iba_key_of(index[i], (uint8_t)byte);
            bad.remote = byte % 2;
            decides(&bed, bad, "no_index");
        }
}

Test(rules, not_in_force)
{
    struct iba_reach r = good(&bed);
    const uint32_t mw = bound_mw(&bed, IBA_MEM_MW2B, RR), unbound = alloc_mw(&bed, IBA_MEM_MW1);
    const struct mr gone = reg(&bed, ALL);

    cr_assert_eq(iba_mem_invalidate(&bed.m, r.key, bed.pd, QP, true), IBA_MEM_OK);
    decides(&bed, r, "not_in_force");
    r.key = unbound;
    decides(&bed, r, "not_in_force");
    r.key = gone.rkey;
    decides(&bed, r, "reached");
    cr_assert_eq(iba_mr_deregister(&bed.m, gone.lkey), IBA_MEM_OK);
    decides(&bed, r, "not_in_force");
    r = reach_of(&bed, mw, IOVA + MW_AT, 1);
    decides(&bed, r, "reached");
    r.remote = false; /* a window has no L_Key */
    decides(&bed, r, "not_in_force");
}

Test(rules, key_byte)
{
    struct iba_reach r = good(&bed);
    const uint32_t rkey = r.key, index = iba_key_index(rkey);
    const uint8_t lkey_byte = bed.key[index].lkey_byte;

    for (unsigned byte = 0; byte < 256; byte++) {
        r.key = iba_key_of(index, (uint8_t)byte);
        r.remote = true;
        decides(&bed, r, r.key == rkey ? "reached" : "key_byte");
        r.remote = false;
        decides(&bed, r, byte == lkey_byte ? "reached" : "key_byte");
    }
}

Test(rules, other_pd)
{
    struct iba_reach r = good(&bed);
    const enum iba_mem_kind kind[] = {IBA_MEM_MW1, IBA_MEM_MW2B, IBA_MEM_MW2A};

    r.pd = bed.pd2;
    decides(&bed, r, "other_pd");
    r.key = iba_key_of(iba_key_index(r.key), bed.key[iba_key_index(r.key)].lkey_byte);
    r.remote = false;
    decides(&bed, r, "other_pd");
    for (size_t i = 0; i < COUNT(kind); i++) {
        struct iba_reach w = reach_of(&bed, bound_mw(&bed, kind[i], RR), IOVA + MW_AT, MW_BYTES);
        w.pd = bed.pd2;
        decides(&bed, w, kind[i] == IBA_MEM_MW2A ? "reached" : "other_pd");
    }
}

Test(rules, other_qp)
{
    struct iba_reach r = good(&bed);
    const enum iba_mem_kind kind[] = {IBA_MEM_MW1, IBA_MEM_MW2A, IBA_MEM_MW2B};
    const uint32_t other[] = {0, QP + 1, 0xffffff, UINT32_MAX}; /* the last: an XRC target (QS-48) */

    for (size_t q = 0; q < COUNT(other); q++) {
        r.qpn = other[q];
        decides(&bed, r, "reached");
    }
    for (size_t i = 0; i < COUNT(kind); i++) {
        struct iba_reach w = reach_of(&bed, bound_mw(&bed, kind[i], RR), IOVA + MW_AT, MW_BYTES);
        for (size_t q = 0; q < COUNT(other); q++) {
            w.qpn = other[q];
            decides(&bed, w, kind[i] == IBA_MEM_MW1 ? "reached" : "other_qp");
        }
    }
}

Test(rules, range)
{
    const struct iba_reach r = good(&bed);
    const struct {
        uint64_t va, length;
    } bad[] = {{IOVA - 1, 1},
               {IOVA - 1, ARENA},
               {IOVA, ARENA + 1},
               {IOVA + 1, ARENA},
               {IOVA + ARENA, 1},
               {IOVA + ARENA + 1, 0},
               {0, 1},
               {0, UINT64_MAX},
               {IOVA, UINT64_MAX},
               {UINT64_MAX, 1},
               {UINT64_MAX, 0},
               {UINT64_MAX - 7, 16},
               {IOVA - 1, 0},
               {IOVA, 0 - IOVA + ARENA}};

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct iba_reach b = r;
        b.va = bad[i].va;
        b.length = bad[i].length;
        decides(&bed, b, "range");
    }
}

Test(rules, right)
{
    struct iba_reach r = good(&bed);
    const unsigned each[] = {LW, RW, RR, RA, MWB, FG, FP, ZB, OD};

    r.key = reg(&bed, 0).rkey;
    decides(&bed, r, "reached"); /* needs nothing */
    for (size_t i = 0; i < COUNT(each); i++) {
        r.need = (uint16_t)each[i];
        decides(&bed, r, "right");
    }
}

Test(rules, absent)
{
    struct iba_reach r = good(&bed);
    struct iba_mr_attr a = attr(&bed, ALL | OD);

    a.present = pages;
    pages[0] = 0;
    r.key = reg_with(&bed, a).rkey;
    decides(&bed, r, "absent");
    pages[0] = 7;
    decides(&bed, r, "reached");
}

/* Registers a region of pieces: blocks of eight bytes of the arena, 16 bytes apart. */
static struct mr reg_pieces(struct bed *b, unsigned access, struct mr below)
{
    static struct iba_piece piece;
    static const struct iba_pieces pieces = {&piece, 1, 4};
    struct iba_mr_attr a = attr(b, access);

    piece = (struct iba_piece){.addr = IOVA, .stride = 16, .lkey = below.lkey, .length = 8};
    a.pieces = &pieces;
    return reg_with(b, a);
}

Test(rules, piece)
{
    struct iba_reach r = good(&bed);
    const struct mr below = reg(&bed, ALL & ~INV), read_only = reg(&bed, RR);

    r.length = 32;
    r.need = RW;
    r.key = reg_pieces(&bed, ALL, below).rkey;
    decides(&bed, r, "reached");
    cr_assert_eq(iba_mr_deregister(&bed.m, below.lkey), IBA_MEM_OK);
    decides(&bed, r, "piece");
    r.key = reg_pieces(&bed, ALL, read_only).rkey;
    decides(&bed, r, "piece"); /* a write needs the right to write locally */
    r.need = RA;
    decides(&bed, r, "piece"); /* so does an ATOMIC */
    r.need = RR;
    decides(&bed, r, "reached");
}

Test(rules, absent_piece)
{
    struct iba_reach r = good(&bed);
    struct iba_mr_attr a = attr(&bed, ALL | OD);

    a.present = pages;
    pages[0] = 0;
    r.key = reg_pieces(&bed, ALL, reg_with(&bed, a)).rkey;
    r.length = 32;
    decides(&bed, r, "absent");
    pages[0] = 1;
    decides(&bed, r, "reached");
}

/* An access has every fault at once. The test corrects the faults one by one; the access then meets every rule in the
 * order of the table. */
Test(rules, the_first_that_applies_decides)
{
    struct iba_reach r = good(&bed);
    struct iba_mr_attr a = attr(&bed, ALL | OD);
    size_t next = 0;

    a.present = pages;
    pages[0] = 0;
    const struct mr mr = reg_with(&bed, a);
    const uint32_t free_mw = alloc_mw(&bed, IBA_MEM_MW2B);
    const uint32_t mw = bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW2B), mr, RR));
    r = (struct iba_reach){.pd = bed.pd2, .qpn = QP + 1, .va = 0, .length = 8, .need = RW, .remote = true};
    decides(&bed, r, iba_mem_rules[next++].name);
    r.key = free_mw ^ 0x80;
    decides(&bed, r, iba_mem_rules[next++].name);
    r.key = mw ^ 0x80;
    decides(&bed, r, iba_mem_rules[next++].name);
    r.key = mw;
    decides(&bed, r, iba_mem_rules[next++].name);
    r.pd = bed.pd;
    decides(&bed, r, iba_mem_rules[next++].name);
    r.qpn = QP;
    decides(&bed, r, iba_mem_rules[next++].name);
    r.va = IOVA + MW_AT;
    next++; /* a window has no pieces: the rule `piece` */
    decides(&bed, r, iba_mem_rules[next++].name);
    r.need = RR;
    decides(&bed, r, iba_mem_rules[next++].name);
    pages[0] = 1;
    decides(&bed, r, iba_mem_rules[next++].name);
    cr_assert_eq(next, iba_mem_rule_count);
}

Test(rules, rows_are_named_and_the_last_grants)
{
    cr_assert_leq(iba_mem_rule_count, COUNT(bed.m.hits));
    for (size_t i = 0; i < iba_mem_rule_count; i++) {
        const struct iba_mem_rule_info *r = &iba_mem_rules[i];
        cr_assert(r->name[0] && r->sentence[0] && r->clause[0]);
        cr_assert_eq(rule(r->name), i, "%s twice", r->name);
        cr_assert_eq(r->verdict == IBA_REACH_OK, i + 1 == iba_mem_rule_count);
    }
}

/* A broken device: accesses that the left-out rule would have refused are granted, unless that would endanger host
 * memory. */
Test(rules, left_out)
{
    struct iba_mr_attr a;
    struct iba_reach bad[10];

    const uint32_t rkey = good(&bed).key;
    a = attr(&bed, ALL | OD);
    a.present = pages;
    pages[0] = 0;
    for (size_t i = 0; i < COUNT(bad); i++)
        bad[i] = reach_of(&bed, rkey, IOVA, 8);
    bad[rule("no_index")].key = KEYS << 8;
    bad[rule("not_in_force")].key = alloc_mw(&bed, IBA_MEM_MW1);
    bad[rule("key_byte")].key ^= 1;
    bad[rule("other_pd")].pd = bed.pd2;
    bad[rule("other_qp")] = reach_of(&bed, bound_mw(&bed, IBA_MEM_MW2A, RR), IOVA + MW_AT, 8);
    bad[rule("other_qp")].qpn = QP + 1;
    bad[rule("range")].va = IOVA - 1;
    bad[rule("right")].need = ZB;
    {
        const struct mr below = reg(&bed, ALL & ~INV);
        bad[rule("piece")].key = reg_pieces(&bed, ALL, below).rkey;
        cr_assert_eq(iba_mr_deregister(&bed.m, below.lkey), IBA_MEM_OK);
    }
    bad[rule("absent")].key = reg_with(&bed, a).rkey;
    for (size_t i = 0; i < COUNT(bad); i++) {
        bed.m.left_out = 0;
        decides(&bed, bad[i], iba_mem_rules[i].name);
        bed.m.left_out = (uint16_t)(1u << i);
        decides(&bed, bad[i], iba_mem_rules[i].guard ? iba_mem_rules[i].name : "reached");
    }
    bed.m.left_out = UINT16_MAX;
    decides(&bed, bad[rule("range")], "range");
}
