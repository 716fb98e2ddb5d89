/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds any recipe, parses the packet, and compares the headers. The CRCs are good. */
#include <string.h>
#include "fuzz.h"
#include "wire/iba_build.h"

const struct fuzz_target fuzz_target = {"roundtrip", FUZZ_BYTES, NULL};

enum { ROOM = 2048, MOST_PAYLOAD = 512 };

/* Sets a field of a header after the network headers. Network headers stay unchanged, since another value may make the
 * packet one of another protocol. */
static void set_field(struct iba_recipe *r, struct fuzz_in *in)
{
    static const uint64_t free_to_set = IBA_HDR_BIT(IBA_H_deth) | IBA_HDR_BIT(IBA_H_reth) | IBA_HDR_BIT(IBA_H_aeth) |
                                        IBA_HDR_BIT(IBA_H_atomiceth) | IBA_HDR_BIT(IBA_H_immdt) |
                                        IBA_HDR_BIT(IBA_H_ieth) | IBA_HDR_BIT(IBA_H_rdeth);
    struct iba_part *p = &r->part[fuzz_u8(in) % (r->n_part ? r->n_part : 1)];
    const struct iba_hdr_info *h = &iba_headers[p->hdr];
    const struct iba_field *f = &h->field[fuzz_u8(in) % h->n_field];
    const uint64_t v = fuzz_u32(in) | (uint64_t)fuzz_u32(in) << 32;

    const bool of_bth =
        p->hdr == IBA_H_bth && (f->at == IBA_AT_bth_psn || f->at == IBA_AT_bth_destqp || f->at == IBA_AT_bth_p_key);

    if (of_bth || ((free_to_set >> p->hdr & 1) && f->bits <= 64))
        iba_bits_put(p->bytes, f->at, f->bits, v & iba_field_max(f));
}

static bool derived(const struct iba_field *f, uint8_t hdr)
{
    return hdr == IBA_H_bth && f->at == IBA_AT_bth_padcnt && f->bits == IBA_W_bth_padcnt;
}

/* Compares the images of headers without lengths and checksums. */
static void compare(const struct iba_recipe *r, const struct iba_view *v)
{
    for (unsigned i = 0; i < r->n_part; i++) {
        const struct iba_part *p = &r->part[i];
        const struct iba_hdr_info *h = &iba_headers[p->hdr];

        FUZZ_CHECK(v->layer[i].hdr == p->hdr);
        for (unsigned k = 0; p->hdr >= IBA_H_bth && k < h->n_field; k++) {
            const struct iba_field *f = &h->field[k];
            if (f->bits <= 64 && !derived(f, p->hdr))
                FUZZ_CHECK(iba_bits_get(v->wire + v->layer[i].at, f->at, f->bits) ==
                           iba_bits_get(p->bytes, f->at, f->bits));
        }
    }
}

static bool payload_fits(const struct iba_opcode *op, size_t n)
{
    return op->name && (op->pay == IBA_PAY_0_TO_PMTU || (op->pay == IBA_PAY_1_TO_PMTU && n > 0) ||
                        (op->pay == IBA_PAY_NONE && n == 0) || (op->pay == IBA_PAY_EIGHT && n == 8));
}

static void read_back(const struct iba_recipe *r, enum iba_encap e, uint8_t opcode, const uint8_t *wire, size_t len)
{
    struct iba_view v;

    (void)iba_view_parse(&v, (enum iba_link)iba_encaps[e].link, wire, len, len, NULL);
    iba_view_check(&v);
    fuzz_note_bytes(wire, len);
    if (!iba_view_has_bth(&v) || !payload_fits(&iba_opcodes[opcode], r->payload_len))
        return;
    FUZZ_CHECK(v.err == IBA_OK && v.icrc == IBA_CHECK_GOOD);
    FUZZ_CHECK(v.vcrc == IBA_CHECK_GOOD || v.vcrc == IBA_CHECK_ABSENT);
    FUZZ_CHECK(v.n_layer >= r->n_part && v.payload_len == r->payload_len);
    FUZZ_CHECK(memcmp(wire + v.payload_at, r->payload, r->payload_len) == 0);
    compare(r, &v);
}

/* Builds a packet that no sender sends, with arbitrary lengths and checksums, and bad or missing CRCs. After the repair
 * all of its CRCs are good. */
static void odd(struct iba_recipe *r, enum iba_encap e, struct fuzz_in *in)
{
    static uint8_t wire[ROOM];
    const enum iba_link link = (enum iba_link)iba_encaps[e].link;
    const uint8_t crcs = fuzz_u8(in), i = (uint8_t)(fuzz_u8(in) % (r->n_part ? r->n_part : 1));
    const struct iba_hdr_info *h = &iba_headers[r->part[i].hdr];
    const struct iba_field *f = &h->field[fuzz_u8(in) % h->n_field];
    struct iba_view v;
    size_t len;

    if (f->bits <= 64)
        iba_recipe_set(r, i, f, fuzz_u32(in));
    r->icrc_mode = crcs & 3;
    r->vcrc_mode = crcs >> 2 & 3;
    r->keep = crcs >> 4 & 7;
    r->part[i].extra = fuzz_u8(in) % (IBA_PART_EXTRA + 1u);
    r->frame_pad = fuzz_u8(in) & 0x1f;
    r->icrc = fuzz_u32(in);
    r->vcrc = fuzz_u16(in);
    const enum iba_err err = iba_build(r, wire, sizeof wire, &len);
    FUZZ_CHECK(err == IBA_OK || err == IBA_TOO_DEEP);
    if (err != IBA_OK)
        return;
    (void)iba_view_parse(&v, link, wire, len, len, NULL);
    iba_view_check(&v);
    iba_view_repair_crc(&v, wire);
    const enum iba_check icrc = v.icrc, vcrc = v.vcrc;
    (void)iba_view_parse(&v, link, wire, len, len, NULL);
    iba_view_check(&v);
    FUZZ_CHECK(v.icrc == (icrc == IBA_CHECK_BAD ? IBA_CHECK_GOOD : icrc));
    FUZZ_CHECK(v.vcrc == (vcrc == IBA_CHECK_BAD ? IBA_CHECK_GOOD : vcrc));
    fuzz_note_bytes(wire, len);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    enum { FIELDS = 16, UDP_SUM = 0x10, ODD = 0x20, OTHER_HEADERS = 0x40, FULL = 0x80 };
    static uint8_t wire[ROOM];
    static struct iba_recipe r;
    struct fuzz_in in = {data, n};
    const enum iba_encap e = (enum iba_encap)(fuzz_u8(&in) % IBA_ENCAP_COUNT);
    const uint8_t opcode = fuzz_u8(&in), what = fuzz_u8(&in);
    size_t len, room;

    FUZZ_CHECK(iba_encap_find(iba_encaps[e].name) == e);
    iba_recipe_init(&r, e, opcode);
    if (what & OTHER_HEADERS)
        iba_recipe_init_with(&r, e, opcode, ((uint64_t)fuzz_u16(&in) << IBA_H_bth) & (IBA_HDR_BIT(IBA_H_COUNT) - 1));
    while ((what & FULL) && iba_recipe_add(&r, IBA_H_bth))
        ;
    for (unsigned i = 0; i < what % FIELDS; i++)
        set_field(&r, &in);
    r.udp_checksum = (what & UDP_SUM) != 0;
    if (what & (ODD | FULL)) {
        odd(&r, e, &in);
        return 0;
    }
    r.payload_len = in.n < MOST_PAYLOAD ? in.n : MOST_PAYLOAD;
    r.payload = in.p;
    FUZZ_CHECK(iba_build(&r, wire, sizeof wire, &len) == IBA_OK && len <= sizeof wire);
    FUZZ_CHECK(iba_build(&r, wire, len - 1, &room) == IBA_NO_ROOM && room == len);
    FUZZ_CHECK(iba_build(&r, wire, len, &room) == IBA_OK && room == len);
    if (!(what & OTHER_HEADERS))
        read_back(&r, e, opcode, wire, len);
    return 0;
}
