/* SPDX-License-Identifier: BSD-2-Clause */
/* Every row of every header table. */
#include "wire.h"
#include "wire/iba_opcode_rows.h"

enum { GUARD = 8, ROOM = 64 };

/* The files of the field lists, for error messages. */
#define LISTS "core/wire/*_fields.h"

static unsigned bit_of(const uint8_t *p, unsigned i)
{
    return (unsigned)p[i / 8] >> (7 - i % 8) & 1u;
}

/* The reference implementation, which sets one bit at a time, as WF-01 numbers the bits. */
static void bits_set(uint8_t *p, unsigned at, unsigned n, uint64_t v)
{
    for (unsigned i = 0; i < n; i++) {
        const uint8_t m = (uint8_t)(0x80 >> (at + i) % 8);
        if (v >> (n - 1 - i) & 1)
            p[(at + i) / 8] |= m;
        else
            p[(at + i) / 8] &= (uint8_t)~m;
    }
}

static const struct iba_field *row_end(unsigned h)
{
    return iba_headers[h].field + iba_headers[h].n_field;
}
#define EACH_ROW(h, f)                                                                                                 \
    for (unsigned h = 0; h < IBA_H_COUNT; h++)                                                                         \
        for (const struct iba_field *f = iba_headers[h].field; f < row_end(h); f++)

static void one_value(unsigned h, const struct iba_field *f, uint64_t bits, uint8_t background)
{
    const uint64_t shown = bits * iba_shows[f->show].unit;
    uint8_t w[GUARD + ROOM + GUARD], ref[sizeof w];

    memset(w, background, sizeof w);
    memset(ref, background, sizeof ref);
    iba_field_put(f, w + GUARD, shown);
    bits_set(ref + GUARD, f->at, f->bits, bits);
    EXPECT(memcmp(w, ref, sizeof w) == 0, "%s.%s: put touched its neighbours", iba_headers[h].name, f->name);
    EXPECT(iba_field_get(f, w + GUARD) == shown, "%s.%s: get after put", iba_headers[h].name, f->name);
}

Test(hdr, every_row_round_trips_and_spares_its_neighbours)
{
    EACH_ROW(h, f)
    {
        const uint64_t max = iba_field_max(f);
        const uint64_t v[] = {
            0, 1, max, max >> 1, UINT64_C(0x5a5a5a5a5a5a5a5a) & max, UINT64_C(0xa5a5a5a5a5a5a5a5) & max};
        if (f->bits > 64)
            continue;
        for (size_t k = 0; k < COUNT(v); k++) {
            one_value(h, f, v[k], 0x00);
            one_value(h, f, v[k], 0xff);
        }
    }
}

Test(hdr, a_value_too_wide_loses_its_high_bits_only)
{
    EACH_ROW(h, f)
    {
        uint8_t w[ROOM] = {0};
        if (f->bits >= 64 || iba_shows[f->show].unit != 1)
            continue;
        iba_field_put(f, w, UINT64_MAX);
        for (unsigned i = 0; i < ROOM * 8; i++)
            EXPECT(bit_of(w, i) == (i >= f->at && i < f->at + f->bits), "%s.%s bit %u", iba_headers[h].name, f->name,
                   i);
    }
}

Test(hdr, wide_rows_are_whole_bytes)
{
    EACH_ROW(h, f)
    {
        if (f->bits <= 64)
            continue;
        cr_assert(iba_field_is_bytes(f) && f->at % 8 == 0 && f->bits % 8 == 0,
                  "%s.%s (" LISTS ") has more than 64 bits and is not whole bytes", iba_headers[h].name, f->name);
    }
}

Test(hdr, fields_tile_their_header_in_order)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++) {
        unsigned at = 0;
        for (const struct iba_field *f = iba_headers[h].field; f < row_end(h); f++) {
            cr_assert(f->at + f->bits <= iba_headers[h].bytes * 8u, "%s.%s (" LISTS ") ends after its header",
                      iba_headers[h].name, f->name);
            if (f->mem_size == 0)
                continue;
            cr_assert_eq(f->at, at, "%s.%s (" LISTS ") begins at bit %u, the field before it ends at bit %u",
                         iba_headers[h].name, f->name, f->at, at);
            at += f->bits;
        }
        cr_assert_eq(at, iba_headers[h].bytes * 8u, "%s (" LISTS ") has %u bytes, its fields end at bit %u",
                     iba_headers[h].name, iba_headers[h].bytes, at);
    }
}

Test(hdr, decoded_struct_is_the_same_header)
{
    uint64_t seed = 1;

    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        for (unsigned k = 0; k < 200; k++) {
            uint8_t w[ROOM], out[ROOM];
            uint64_t s[32];
            rnd_bytes(&seed, w, sizeof w);
            memset(out, k % 2 ? 0xff : 0, sizeof out);
            memset(s, 0x77, sizeof s);
            iba_hdr_get((enum iba_hdr)h, w, s);
            iba_hdr_put((enum iba_hdr)h, s, out);
            EXPECT(memcmp(w, out, iba_headers[h].bytes) == 0, "%s is not written as it was read", iba_headers[h].name);
            for (size_t i = iba_headers[h].bytes; i < sizeof out; i++)
                EXPECT(out[i] == (k % 2 ? 0xff : 0), "%s: wrote after the header", iba_headers[h].name);
        }
}

/* Reads or writes one field alone: only that member of the struct changes, or only that field's bits in the packet. */
Test(hdr, one_field_touches_no_other_member)
{
    enum { MEMBERS = 128 };

    EACH_ROW(h, f)
    {
        const struct iba_hdr_info one = {"", "", "", f, 1, iba_headers[h].bytes};
        uint8_t w[GUARD + ROOM], s[MEMBERS], before[MEMBERS];
        memset(w, 0, sizeof w);
        memset(s, 0x5a, sizeof s);
        memset(before, 0x5a, sizeof before);
        iba_layout_get(&one, w, s);
        memset(before + f->mem_at, 0, f->mem_size);
        EXPECT(memcmp(s, before, sizeof s) == 0, "%s.%s: wrote other members", iba_headers[h].name, f->name);
        memset(s, 0xff, sizeof s);
        iba_layout_put(&one, s, w);
        for (unsigned i = 0; i < sizeof w * 8; i++)
            EXPECT(bit_of(w, i) == (f->mem_size > 0 && i >= f->at && i < f->at + f->bits), "%s.%s: bit %u",
                   iba_headers[h].name, f->name, i);
    }
}

/* The named getter, setter and struct member of every field against bits_set() */
#define CHECK_NUM(h, name)                                                                                             \
    {                                                                                                                  \
        const uint64_t v = rnd(&seed) & (UINT64_MAX >> (64 - IBA_W_##h##_##name));                                     \
        struct iba_##h s;                                                                                              \
        memset(a, fill, sizeof a);                                                                                     \
        memset(b, fill, sizeof b);                                                                                     \
        iba_##h##_set_##name(a, v);                                                                                    \
        bits_set(b, IBA_AT_##h##_##name, IBA_W_##h##_##name, v);                                                       \
        EXPECT(memcmp(a, b, sizeof a) == 0, #h "." #name " setter");                                                   \
        EXPECT(iba_##h##_##name(a) == v, #h "." #name " getter");                                                      \
        iba_hdr_get(IBA_H_##h, a, &s);                                                                                 \
        EXPECT(s.name == v, #h "." #name " member");                                                                   \
        rows++;                                                                                                        \
    }
#define CHECK_U8(h, name) CHECK_NUM(h, name)
#define CHECK_U16(h, name) CHECK_NUM(h, name)
#define CHECK_U32(h, name) CHECK_NUM(h, name)
#define CHECK_U64(h, name) CHECK_NUM(h, name)
#define CHECK_B(h, name)                                                                                               \
    {                                                                                                                  \
        struct iba_##h s;                                                                                              \
        uint8_t v[sizeof s.name];                                                                                      \
        rnd_bytes(&seed, v, sizeof v);                                                                                 \
        memset(a, fill, sizeof a);                                                                                     \
        memset(b, fill, sizeof b);                                                                                     \
        iba_##h##_set_##name(a, v);                                                                                    \
        for (unsigned i = 0; i < sizeof v; i++)                                                                        \
            bits_set(b, IBA_AT_##h##_##name + i * 8, 8, v[i]);                                                         \
        EXPECT(memcmp(a, b, sizeof a) == 0, #h "." #name " setter");                                                   \
        EXPECT(memcmp(iba_##h##_##name(a), v, sizeof v) == 0, #h "." #name " getter");                                 \
        iba_hdr_get(IBA_H_##h, a, &s);                                                                                 \
        EXPECT(memcmp(s.name, v, sizeof v) == 0, #h "." #name " member");                                              \
        rows++;                                                                                                        \
    }
#define CHECK_ACCESS(h, type, name, ...) CHECK_##type(h, name)
#define CHECK_HEADER(LIST, h, ...)                                                                                     \
    static unsigned access_##h(uint8_t fill)                                                                           \
    {                                                                                                                  \
        uint64_t seed = IBA_H_##h;                                                                                     \
        uint8_t a[ROOM], b[ROOM];                                                                                      \
        unsigned rows = 0;                                                                                             \
        LIST(CHECK_ACCESS, IBA_NO_VIEW, h)                                                                             \
        return rows;                                                                                                   \
    }
IBA_HEADERS(CHECK_HEADER)

Test(hdr, named_accessors_agree_with_the_rows)
{
    unsigned checked = 0, fields = 0;

#define CALL_HEADER(LIST, h, ...) checked += access_##h(0x00) + access_##h(0xff);
    IBA_HEADERS(CALL_HEADER)
    EACH_ROW(h, f)
    fields += f->mem_size != 0;
    cr_assert_eq(checked, 2 * fields);
}

static bool both_hidden_views(const struct iba_field *a, const struct iba_field *b)
{
    return a->mem_size == 0 && b->mem_size == 0 && a->vis == IBA_VIS_H && b->vis == IBA_VIS_H;
}

Test(hdr, names_are_unique_within_a_header)
{
    EACH_ROW(h, f)
    {
        cr_assert(f->name[0] && f->label[0]);
        for (const struct iba_field *g = iba_headers[h].field; g < f; g++)
            cr_assert(strcmp(f->name, g->name) != 0 || both_hidden_views(f, g), "%s.%s twice", iba_headers[h].name,
                      f->name);
        cr_assert_str_eq(iba_field_find((enum iba_hdr)h, f->name)->name, f->name);
    }
    cr_assert_null(iba_field_find(IBA_H_bth, "ps"));
    cr_assert_null(iba_field_find(IBA_H_bth, "psnx"));
    cr_assert_null(iba_field_find(IBA_H_bth, ""));
}

Test(hdr, views_lie_on_field_boundaries)
{
    EACH_ROW(h, f)
    {
        bool starts = false, ends = false;
        for (const struct iba_field *g = iba_headers[h].field; g < row_end(h); g++) {
            starts |= g->mem_size != 0 && g->at == f->at;
            ends |= g->mem_size != 0 && g->at + g->bits == f->at + f->bits;
        }
        cr_assert(starts && ends, "view %s.%s (" LISTS ") begins or ends inside of a field", iba_headers[h].name,
                  f->name);
    }
}

Test(hdr, conditions_ask_a_field_for_a_value_it_can_have)
{
    EACH_ROW(h, f)
    {
        bool found = f->when.cmp == IBA_CMP_ALWAYS;
        for (const struct iba_field *g = iba_headers[h].field; g < row_end(h); g++)
            found |=
                g->mem_size != 0 && g->at == f->when.at && g->bits == f->when.bits && f->when.value <= iba_field_max(g);
        cr_assert(found, "%s.%s (" LISTS ") asks for bits that are no field, or a value that does not fit",
                  iba_headers[h].name, f->name);
    }
}

Test(hdr, conditions_hold_where_they_say)
{
    const struct iba_field *credit = iba_field_find(IBA_H_aeth, "syndrome.credit_count");
    const struct iba_field *nak = iba_field_find(IBA_H_aeth, "syndrome.error_code");
    const struct iba_field *type = iba_field_find(IBA_H_eth, "type"), *len = iba_field_find(IBA_H_eth, "len");
    uint8_t aeth[IBA_BYTES_aeth] = {0x1f}, eth[IBA_BYTES_eth] = {0};

    cr_assert(iba_field_present(credit, aeth) && !iba_field_present(nak, aeth));
    aeth[0] = 0x60;
    cr_assert(!iba_field_present(credit, aeth) && iba_field_present(nak, aeth));
    iba_eth_set_type(eth, 1500);
    cr_assert(!iba_field_present(type, eth) && iba_field_present(len, eth));
    iba_eth_set_type(eth, 1536);
    cr_assert(iba_field_present(type, eth) && !iba_field_present(len, eth));
    iba_eth_set_type(eth, 1501);
    cr_assert(!iba_field_present(type, eth) && !iba_field_present(len, eth));
}

/* Against bytes typed by hand from catalogue WF-72: the LRH, BTH and RETH of the book's sample packet. */
Test(hdr, sample_packet_reads_as_published)
{
    const uint8_t lrh[] = {0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2};
    const uint8_t bth[] = {0x0a, 0x20, 0x24, 0x87, 0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a};
    const uint8_t reth[] = {0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d, 0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, 0, 0, 0, 0x0e};

    cr_assert(iba_lrh_vl(lrh) == 7 && iba_lrh_sl(lrh) == 1 && iba_lrh_lnh(lrh) == 2);
    cr_assert(iba_lrh_dlid(lrh) == 0x375c && iba_lrh_pktlen(lrh) == 14 && iba_lrh_slid(lrh) == 0x17d2);
    cr_assert(iba_bth_opcode(bth) == IBA_RC_WRITE_ONLY && iba_bth_padcnt(bth) == 2 && iba_bth_p_key(bth) == 0x2487);
    cr_assert(iba_bth_destqp(bth) == 0x87b1b3 && iba_bth_psn(bth) == 0x0dec2a && !iba_bth_a(bth));
    cr_assert(iba_reth_va(reth) == 0x01710a1c015d4002 && iba_reth_r_key(reth) == 0x38f27a05);
    cr_assert_eq(iba_reth_dmalen(reth), 14);
}
