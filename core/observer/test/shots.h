/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets for tests of the observer, each written as one line. */
#ifndef SHOTS_H
#define SHOTS_H
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"
#include "witness.h"

enum { A, B, QP_A = 0x11, QP_B = 0x12, CAP = 5000, MTU = 256, MOST = 24, ACK = 0x1f, RNR = 0x2e, NAK = 0x60 };
#define MS UINT64_C(1000000)

/* One packet: sender, opcode, PSN, payload or DMA length, and special fields. */
struct shot {
    uint8_t opcode, from;
    uint32_t psn;
    uint16_t bytes;
    uint8_t syndrome;
    uint32_t msn, dma;
    enum {
        PLAIN,
        DAMAGED,
        STRANGER,
        OTHER_PKEY,
        OTHER_QKEY,
        MARKED,
        OTHER_BYTES,
        OTHER_KEY,
        OTHER_QP,
        BAD_PAD,
        ASKING,
        REFUSING,
        GIVING,
        FARTHER,
        ANSWERING,
        OTHER_PORT,
        MADE,
        THIRD_QP
    } how;
    uint64_t wait; /* ns before the packet; 0: 10 us */
    uint16_t id;   /* IPv4 identification; 0: the sender does not count packets */
    uint16_t cut;  /* number of bytes at the end that the capture lacks */
};
/* clang-format off */
#define SEND(n) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8}
#define AT_ONCE(n) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .wait = 100}
#define ASK(n) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .how = ASKING}
#define SOON(n) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .how = ASKING, .wait = 2 * MS}
#define LATER(n) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .how = ASKING, .wait = 70 * MS}
#define HASTY(n, us) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .wait = us * UINT64_C(1000)}
#define ANOTHER(n) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .how = OTHER_QP, .wait = 20 * MS}
#define SEVEN_LATER(n) LATER(n), LATER(n), LATER(n), LATER(n), LATER(n), LATER(n), LATER(n)
#define MUCH_LATER {.opcode = IBA_RC_SEND_ONLY, .from = B, .psn = 9, .bytes = 8, .wait = 400 * MS}
#define SPOILT(n) {.opcode = IBA_RC_SEND_ONLY, .psn = n, .bytes = 8, .how = DAMAGED}
#define WRITE(n) {.opcode = IBA_RC_WRITE_ONLY, .psn = n, .bytes = 8, .dma = 8}
#define REPLY(n, m) {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = ACK, .msn = m}
#define REFUSE(n, s, m) {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = n, .syndrome = s, .msn = m}
#define READ(n, len) {.opcode = IBA_RC_READ_REQUEST, .psn = n, .dma = len}
/* clang-format on */

static inline void address(struct iba_recipe *r, const struct shot *x)
{
    uint8_t *ip = iba_recipe_part(r, IBA_H_ipv4);
    const uint64_t a = 0x0a000001 + (x->how == STRANGER ? 8 : 0), b = 0x0a000002;

    iba_ipv4_set_src(ip, x->from == A ? a : b);
    iba_ipv4_set_dst(ip, x->from == A ? b : a);
    iba_ipv4_set_id(ip, x->id);
    if (x->how == MARKED)
        iba_ipv4_set_ecn(ip, 3);
    if (x->how == FARTHER)
        iba_ipv4_set_ttl(ip, 9);
    if (x->how == OTHER_PORT)
        iba_udp_set_srcport(iba_recipe_part(r, IBA_H_udp), 0xc123);
}

static inline void headers(struct iba_recipe *r, const struct shot *x, uint32_t base)
{
    uint8_t *bth = iba_recipe_part(r, IBA_H_bth), *h;

    iba_bth_set_psn(bth, x->psn + base);
    iba_bth_set_destqp(bth, (uint32_t)(x->from == A ? QP_B : QP_A) + (x->how == OTHER_QP   ? 0x100u
                                                                      : x->how == THIRD_QP ? 0x200u
                                                                                           : 0u));
    iba_bth_set_a(bth, x->how == ASKING);
    if (x->how == BAD_PAD) {
        iba_bth_set_padcnt(bth, 3);
        r->keep = IBA_KEEP_PAD;
    }
    if (x->how == OTHER_PKEY)
        iba_bth_set_p_key(bth, 0x8123);
    if ((h = iba_recipe_part(r, IBA_H_reth)))
        iba_reth_set_dmalen(h, x->dma), iba_reth_set_r_key(h, x->how == OTHER_KEY);
    if ((h = iba_recipe_part(r, IBA_H_aeth))) {
        h[0] = x->syndrome;
        iba_aeth_set_msn(h, x->msn + base);
    }
    if ((h = iba_recipe_part(r, IBA_H_deth)) && x->how == OTHER_QKEY)
        iba_deth_set_q_key(h, 0x99);
}

/* Builds the packet. Returns its length. */
static inline size_t shot_bytes(const struct shot *x, uint32_t base, uint8_t packet[static CAP])
{
    static struct iba_recipe r;
    uint8_t payload[MTU + 8] = {0};
    size_t len;

    payload[0] = x->how == OTHER_BYTES;
    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x->opcode);
    address(&r, x);
    headers(&r, x, base);
    r.payload = payload;
    r.payload_len = x->bytes;
    r.icrc_mode = x->how == DAMAGED ? IBA_CRC_BAD : IBA_CRC_GOOD;
    cr_assert_eq(iba_build(&r, packet, CAP, &len), IBA_OK);
    return len;
}

/* Returns the facts of connection management about the packet, which is the next one that the observer gets. */
static inline struct iba_cm_facts shot_facts(const struct shot *x, uint64_t frame)
{
    return (struct iba_cm_facts){.n = x->how == REFUSING || x->how == GIVING || x->how == ANSWERING,
                                 .said = {{.kind = x->how == GIVING      ? IBA_FINDING_QP_REUSED
                                                   : x->how == ANSWERING ? IBA_FINDING_MAD_PKEY
                                                                         : IBA_FINDING_END_REFUSED,
                                           .count = x->how == REFUSING ? 28 : 0}},
                                 .begun = x->how == MADE ? frame : 0};
}

/* Gives the packet to the observer. `facts` are those of connection management about this packet. */
static inline void shoot_with(struct witness *w, const struct shot *x, uint32_t base, iba_time *now,
                              const struct iba_cm_facts *facts)
{
    uint8_t packet[CAP];
    struct iba_view v;
    const size_t len = shot_bytes(x, base, packet);

    *now += x->wait ? x->wait : 10000;
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len - x->cut, len, NULL);
    iba_view_check(&v);
    w->frame++;
    (void)iba_observer_feed(w->observer,
                            &(struct iba_sighting){.view = &v, .now = *now, .frame = w->frame, .cm = facts});
}

static inline void shoot(struct witness *w, const struct shot *x, uint32_t base, iba_time *now)
{
    const struct iba_cm_facts facts = shot_facts(x, w->frame + 1);

    shoot_with(w, x, base, now, &facts);
}
#endif
