/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses arbitrary bytes as a packet of any link type. The promises of the view hold, and code that relies on them does
 * not read beyond the packet. */
#include "mad/iba_mad.h"
#include "records.h"

const struct fuzz_target fuzz_target = {"view", FUZZ_PACKET, NULL};

enum { CUT = 1, DC = 2, PORT = 4, ALL_PORTS = 8, TM = 16 };

/* Decodes a header to a struct, encodes it, and compares the bytes. */
static void there_and_back(enum iba_hdr h, const uint8_t *wire)
{
    static uint64_t decoded[128]; /* larger than every decoded header */
    static uint8_t again[256];

    memset(again, 0, sizeof again);
    iba_hdr_get(h, wire, decoded);
    iba_hdr_put(h, decoded, again);
    FUZZ_CHECK(iba_headers[h].bytes <= sizeof again && memcmp(again, wire, iba_headers[h].bytes) == 0);
}

static void read_fields(const struct iba_view *v)
{
    for (unsigned i = 0; i < v->n_layer; i++) {
        const struct iba_hdr_info *h = &iba_headers[v->layer[i].hdr];
        const uint8_t *wire = v->wire + v->layer[i].at;

        FUZZ_CHECK((size_t)v->layer[i].at + h->bytes <= v->caplen);
        FUZZ_CHECK(iba_view_has(v, (enum iba_hdr)v->layer[i].hdr));
        there_and_back((enum iba_hdr)v->layer[i].hdr, wire);
        for (unsigned k = 0; k < h->n_field; k++)
            fuzz_note(h->field[k].bits > 64 ? wire[h->field[k].at / 8] : iba_field_get(&h->field[k], wire));
    }
}

static void read_payload(const struct iba_view *v)
{
    const uint32_t n = iba_view_payload_captured(v);

    if (!iba_view_has_bth(v))
        return;
    FUZZ_CHECK(n == 0 || v->payload_at + n <= v->caplen);
    fuzz_note_bytes(v->wire + v->payload_at, n);
    fuzz_note(iba_bth_psn(iba_view_bth(v)));
    FUZZ_CHECK(v->truncated || (uint64_t)v->payload_at + v->payload_len + v->pad <= v->len);
}

static void read_mad(const struct iba_view *v)
{
    struct iba_mad m;

    if (iba_mad_of(&m, v)) {
        FUZZ_CHECK(m.n_part > 0 && m.n_part <= IBA_MAD_PARTS && m.captured <= iba_view_payload_captured(v));
        fuzz_note(m.n_part);
    }
}

static void check(struct iba_view *v)
{
    const enum iba_check icrc = v->icrc;

    iba_view_check(v);
    FUZZ_CHECK(v->icrc != IBA_CHECK_PENDING && v->vcrc != IBA_CHECK_PENDING);
    FUZZ_CHECK(icrc == IBA_CHECK_PENDING || v->icrc == icrc);
    fuzz_note((uint64_t)v->proto << 32 | (uint64_t)v->err << 24 | (uint64_t)v->icrc << 16 | (uint64_t)v->vcrc << 8 |
              v->n_layer);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n};
    const enum iba_link link = fuzz_link(fuzz_u8(&in));
    const uint8_t options = fuzz_u8(&in);
    static const uint16_t ports[IBA_MAX_PORTS] = {4792, 4793, 4794, 4795, 4796, 4797, 4798, 4799};
    struct iba_view_opts opts = {.port = {options & PORT ? 4792 : 0}, .dc = (options & DC) != 0};
    if (options & TM) /* of most packets: the builder's default */
        opts.qp[0].qpn = 0x12, opts.qp[0].holds = IBA_HOLDS_TM;
    const size_t len = in.n + (options & CUT ? options >> 3 : 0);
    struct iba_view v;

    if ((options & (PORT | ALL_PORTS)) == ALL_PORTS)
        memcpy(opts.port, ports, sizeof ports);
    fuzz_packet(link, in.p, in.n);
    (void)iba_view_parse(&v, link, in.p, in.n, len, &opts);
    FUZZ_CHECK(v.n_layer <= IBA_MAX_LAYERS && v.caplen <= in.n && v.frame_at <= in.n);
    FUZZ_CHECK(!v.truncated || v.caplen < v.len);
    check(&v);
    fuzz_opcode(FUZZ_OPCODES_READ, &v);
    read_fields(&v);
    read_payload(&v);
    read_mad(&v);
    return 0;
}
