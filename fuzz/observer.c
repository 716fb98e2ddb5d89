/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes any packets at any times to the observer. It stays within its memory, its lists stay consistent, and it counts
 * the findings that it reports. */
#include <string.h>
#include "records.h"
#include "observer/test/sound.h"
#include "wire/iba_build.h"

const struct fuzz_target fuzz_target = {"observer", FUZZ_RECORDS, NULL};

enum { RAW = FUZZ_RAW, CRAFT, CRAFT_TOO, TIME, POINT, CUT, KINDS };
enum { MOST_STEPS = 256, FLOWS = 4, KNOWN = 12, ROOM = 2048 };

struct observer {
    struct iba_observer *s;
    uint64_t frame;
    iba_time now;
    uint32_t source, found[IBA_FINDING_COUNT];
    uint8_t cut; /* bytes to cut from the end of the next packet */
};

static void on_finding(void *ctx, const struct iba_finding *f)
{
    struct observer *o = ctx;

    FUZZ_CHECK(f->kind < IBA_FINDING_COUNT && f->cause <= o->frame && f->frame <= o->frame);
    o->found[f->kind]++;
    fuzz_note((uint64_t)f->kind << 32 | f->psn.v);
    fuzz_note(f->count);
}

static void see(struct observer *o, enum iba_link link, const uint8_t *p, size_t len)
{
    const size_t caplen = o->cut < len ? len - o->cut : len;
    uint8_t *exact = malloc(caplen ? caplen : 1);
    struct iba_view v;

    FUZZ_CHECK(exact);
    fuzz_packet(link, p, len);
    if (caplen > 0)
        memcpy(exact, p, caplen);
    (void)iba_view_parse(&v, link, exact, caplen, len, NULL);
    iba_view_check(&v);
    o->cut = 0;
    (void)iba_observer_feed(
        o->s,
        &(struct iba_sighting){.view = &v, .now = o->now, .frame = ++o->frame, .tag = o->frame, .source = o->source});
    free(exact);
}

/* Builds a packet with one of few QPs, PSNs and sizes, so that packets belong together. */
static void craft(struct observer *o, uint8_t link, struct fuzz_in *in)
{
    static const uint8_t encap[] = {IBA_ENCAP_ROCE2_V4, IBA_ENCAP_ROCE2_V6, IBA_ENCAP_ROCE1, IBA_ENCAP_IB_LOCAL};
    static const uint8_t payload[1024] = {1};
    static struct iba_recipe r;
    static uint8_t wire[ROOM];
    const uint8_t e = encap[link % 4], opcode = fuzz_u8(in), psn = fuzz_u8(in), qp = fuzz_u8(in), bytes = fuzz_u8(in);
    uint8_t *h;
    size_t len;

    iba_recipe_init(&r, (enum iba_encap)e, opcode);
    h = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_psn(h, 0xfffff0u + psn);
    iba_bth_set_destqp(h, qp & 3);
    iba_bth_set_a(h, qp >> 2 & 1);
    iba_bth_set_p_key(h, qp & 0x80 ? 0x8001 : 0xffff);
    if ((h = iba_recipe_part(&r, IBA_H_ipv4))) {
        iba_ipv4_set_src(h, 0x0a000001u + (qp >> 3 & 1));
        iba_ipv4_set_dst(h, 0x0a000002u - (qp >> 3 & 1));
        iba_ipv4_set_id(h, fuzz_u8(in));
    }
    if ((h = iba_recipe_part(&r, IBA_H_lrh))) {
        iba_lrh_set_slid(h, 1 + (qp >> 3 & 1));
        iba_lrh_set_dlid(h, 2 - (qp >> 3 & 1));
    }
    if ((h = iba_recipe_part(&r, IBA_H_reth)))
        iba_reth_set_dmalen(h, fuzz_u8(in) * 64u);
    if ((h = iba_recipe_part(&r, IBA_H_aeth))) {
        h[0] = fuzz_u8(in);
        iba_aeth_set_msn(h, fuzz_u8(in));
    }
    if ((h = iba_recipe_part(&r, IBA_H_deth)))
        iba_deth_set_srcqp(h, fuzz_u8(in) & 3);
    r.payload = payload;
    r.payload_len = bytes < 8 ? (size_t)128 << (bytes & 3) : bytes;
    r.icrc_mode = qp & 0x40 ? IBA_CRC_BAD : IBA_CRC_GOOD;
    FUZZ_CHECK(iba_build(&r, wire, sizeof wire, &len) == IBA_OK);
    see(o, (enum iba_link)iba_encaps[e].link, wire, len);
}

static void check(const struct observer *o)
{
    FUZZ_CHECK(sound(o->s));
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        FUZZ_CHECK(o->found[k] == iba_observer_totals(o->s).found[k]);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static _Alignas(64) unsigned char memory[OBSERVER_BYTES(FLOWS, KNOWN)];
    static struct observer observer;
    struct observer *o = &observer;
    struct fuzz_in in = {data, n}, body;
    uint8_t head[FUZZ_HEAD], kind;

    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        head[i] = fuzz_u8(&in);
    memset(o, 0, sizeof *o);
    const struct iba_observer_config cfg = {
        .n_flow = head[1] & 4 ? 2 : FLOWS,
        .n_known = head[1] & 8 ? KNOWN : FLOWS, /* some directions are kept in their short form */
        .pmtu = head[1] & 3 ? 128u << (head[1] & 3) : 0,
        .report = on_finding,
        .ctx = o};
    FUZZ_CHECK(iba_observer_bytes(&cfg) <= sizeof memory);
    o->s = iba_observer_init(memory, &cfg);
    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++, fuzz_steps++) {
        switch (kind % KINDS) {
        case RAW: see(o, fuzz_link(head[0]), body.p, body.n); break;
        case TIME: o->now += (iba_time)fuzz_u16(&body) << fuzz_u8(&body) % 32; break;
        case POINT: o->source = fuzz_u8(&body) & 1; break;
        case CUT: o->cut = fuzz_u8(&body); break;
        default: craft(o, head[0], &body); break;
        }
        check(o);
    }
    iba_observer_end(o->s, o->now);
    check(o);
    return 0;
}
