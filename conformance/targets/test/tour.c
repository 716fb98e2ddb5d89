/* SPDX-License-Identifier: BSD-2-Clause */
#include "tour.h"
#include "transport/iba_wr_ops.h"
#include <stdlib.h>
#include <string.h>
#include "targets/emit.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { PATIENCE = 40, LONG = 2500 };

static void keep(struct tour *r, const struct bed *b)
{
    if (r->n == TOUR_FRAMES)
        return;
    r->frame[r->n] = malloc(b->len);
    cr_assert_not_null(r->frame[r->n]);
    memcpy(r->frame[r->n], b->frame, b->len);
    r->len[r->n] = b->len;
    r->at[r->n++] = b->at;
    r->classes |= UINT64_C(1) << emit_class_of(&b->v);
}

static void listen(struct tour *r, struct bed *b)
{
    for (unsigned i = 0; i < PATIENCE && bed_take(b, 0); i++)
        keep(r, b);
}

static void request(struct tour *r, struct bed *b, uint8_t opcode, uint32_t psn, uint32_t payload)
{
    bed_send(b, 0, opcode, psn, payload);
    listen(r, b);
}

/* The device responds. It refuses the last request, which ends the QP. */
static void as_responder(struct tour *r, struct bed *b)
{
    struct iba_recipe x;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    request(r, b, IBA_RC_SEND_ONLY, BED_EPSN, 8); /* RNR NAK */
    bed_recv(b, 0, 8192, 4096);
    request(r, b, IBA_RC_SEND_ONLY, BED_EPSN, 61);
    request(r, b, IBA_RC_WRITE_ONLY, BED_EPSN + 1, 64);
    request(r, b, IBA_RC_READ_REQUEST, BED_EPSN + 2, LONG);
    request(r, b, IBA_RC_FETCH_ADD, BED_EPSN + 5, 0);
    request(r, b, IBA_RC_FLUSH, BED_EPSN + 6, 64);
    request(r, b, IBA_RC_ATOMIC_WRITE, BED_EPSN + 7, 8);
    request(r, b, IBA_RC_WRITE_ONLY, BED_EPSN + 1, 64); /* again */
    request(r, b, IBA_RC_WRITE_ONLY, BED_EPSN + 9, 64); /* ahead */
    x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN + 8);
    iba_reth_set_r_key(iba_recipe_part(&x, IBA_H_reth), 0x123456);
    iba_reth_set_dmalen(iba_recipe_part(&x, IBA_H_reth), 8);
    x.payload = (const uint8_t *)"12345678", x.payload_len = 8;
    bed_inject(b, 0, &x);
    listen(r, b);
}

static void answer(struct bed *b, uint8_t opcode, uint32_t psn, uint8_t syndrome, uint32_t payload)
{
    static const uint8_t bytes[1024];
    struct iba_recipe x = bed_recipe(b, 0, opcode, psn);
    uint8_t *aeth = iba_recipe_part(&x, IBA_H_aeth);

    iba_bth_set_a(iba_recipe_part(&x, IBA_H_bth), 0);
    if (aeth)
        aeth[0] = syndrome;
    x.payload = bytes, x.payload_len = payload;
    bed_inject(b, 0, &x);
}

/* The device requests. The tester answers some of the requests, and refuses the last one. */
static void as_requester(struct tour *r, struct bed *b)
{
    static const enum iba_wr_op ops[] = {IBA_WR_SEND,     IBA_WR_SEND_IMM, IBA_WR_SEND_INV, IBA_WR_WRITE_IMM,
                                         IBA_WR_READ,     IBA_WR_FLUSH,    IBA_WR_SEND,     IBA_WR_ATOMIC_WRITE,
                                         IBA_WR_CMP_SWAP, IBA_WR_FETCH_ADD};
    uint32_t psn = BED_PSN;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        const bool eight = ops[i] == IBA_WR_CMP_SWAP || ops[i] == IBA_WR_FETCH_ADD || ops[i] == IBA_WR_ATOMIC_WRITE;
        (void)bed_post(b, 0, ops[i], eight ? 8 : i < 2 ? LONG : 61, 0x1000, 0x2000);
        listen(r, b);
        psn += i < 2 ? 3 : 1;
        if (ops[i] == IBA_WR_READ || ops[i] == IBA_WR_FLUSH || ops[i] == IBA_WR_ATOMIC_WRITE)
            answer(b, IBA_RC_READ_RESP_ONLY, psn - 1, 0x1f, ops[i] == IBA_WR_READ ? 61 : 0);
        else
            answer(b, eight ? IBA_RC_ATOMIC_ACKNOWLEDGE : IBA_RC_ACKNOWLEDGE, psn - 1, 0x1f, 0);
        listen(r, b);
    }
    (void)bed_post(b, 0, IBA_WR_WRITE, LONG, 0x1000, 0x2000);
    listen(r, b);
    answer(b, IBA_RC_ACKNOWLEDGE, psn + 1, 0x60, 0); /* sequence */
    listen(r, b);
    answer(b, IBA_RC_ACKNOWLEDGE, psn + 1, 0x22, 0); /* RNR */
    listen(r, b);
    answer(b, IBA_RC_ACKNOWLEDGE, psn + 2, 0x62, 0);
    listen(r, b);
}

static void unreliable(struct tour *r, struct bed *b)
{
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UC), IBA_QPT_UC, 0);
    bed_recv(b, 0, 8192, 4096);
    bed_recv(b, 0, 8192, 4096);
    request(r, b, IBA_UC_SEND_FIRST, BED_EPSN, 1024);
    request(r, b, IBA_UC_SEND_LAST, BED_EPSN + 1, 3);
    request(r, b, IBA_UC_WRITE_ONLY_IMM, BED_EPSN + 5, 64);
    (void)bed_post(b, 0, IBA_WR_SEND, LONG, 0, 0);
    (void)bed_post(b, 0, IBA_WR_WRITE_IMM, 3, 0x1000, 0x2000);
    listen(r, b);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UD), IBA_QPT_UD, 0);
    bed_recv(b, 0, 8192, 4096);
    request(r, b, IBA_UD_SEND_ONLY, BED_EPSN, 100);
    (void)bed_post(b, 0, IBA_WR_SEND, 61, 0, 0);
    (void)bed_post(b, 0, IBA_WR_SEND_IMM, 64, 0, 0);
    listen(r, b);
}

/* Sends headers that ordinary exchanges do not have: a VLAN tag, XRCETH, the raw header. */
static void seldom(struct tour *r, struct bed *b)
{
    const bool ib = b->t->framing == IBA_LINK_IB;

    b->tagged = !ib;
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UC), IBA_QPT_UC, 0);
    b->tagged = false;
    (void)bed_post(b, 0, IBA_WR_SEND, 64, 0, 0);
    listen(r, b);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_XRC_INI), IBA_QPT_XRC_INI, 0);
    (void)bed_post(b, 0, IBA_WR_SEND, 64, 0, 0);
    listen(r, b);
    if (!ib)
        return;
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RAW_ETHERTYPE), IBA_QPT_RAW_ETHERTYPE, 0);
    (void)bed_post(b, 0, IBA_WR_SEND, 64, 0, 0);
    listen(r, b);
}

/* Sends a packet with an ECN mark. */
static void marked(struct tour *r, struct bed *b)
{
    struct iba_recipe x;
    uint8_t *h;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UC), IBA_QPT_UC, 0);
    x = bed_recipe(b, 0, IBA_UC_SEND_ONLY, BED_EPSN);
    if ((h = iba_recipe_part(&x, IBA_H_ipv4)))
        iba_ipv4_set_ecn(h, 3);
    if ((h = iba_recipe_part(&x, IBA_H_ipv6)))
        iba_ipv6_set_ecn(h, 3);
    iba_bth_set_fecn(iba_recipe_part(&x, IBA_H_bth), b->t->framing == IBA_LINK_IB);
    bed_inject(b, 0, &x);
    listen(r, b);
}

/* Sends packets for other devices, and packets that cannot be parsed. */
static void nonsense(struct tour *r, struct bed *b)
{
    uint8_t frame[400];
    size_t len;
    const struct iba_recipe x = bed_recipe(b, 0, IBA_UC_SEND_ONLY, BED_EPSN);

    cr_assert_eq(iba_build(&x, frame, sizeof frame, &len), IBA_OK);
    for (size_t n = 0; n <= len; n++)
        (void)b->t->ops->inject(b->t, 0, frame, n);
    for (size_t i = 0; i < len * 8; i += 3) {
        frame[i / 8] ^= (uint8_t)(1u << i % 8);
        (void)b->t->ops->inject(b->t, 0, frame, len);
        frame[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    listen(r, b);
}

struct tour *tour_run(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    struct tour *r = calloc(1, sizeof *r);
    struct bed *b = calloc(1, sizeof *b);

    cr_assert(r && b);
    b->t = t;
    b->lenient = true;
    bed_reset(b, link, seed);
    r->framing = t->framing;
    as_responder(r, b);
    as_requester(r, b);
    unreliable(r, b);
    seldom(r, b);
    marked(r, b);
    nonsense(r, b);
    free(b);
    return r;
}

void tour_free(struct tour *r)
{
    for (unsigned i = 0; i < r->n; i++)
        free(r->frame[i]);
    free(r);
}
