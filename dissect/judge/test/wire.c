/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire.h"

static void headers(struct iba_recipe *r, const struct shot *x)
{
    const uint64_t a = 0x0a000001, b = 0x0a000002;
    uint8_t *ip = iba_recipe_part(r, IBA_H_ipv4), *bth = iba_recipe_part(r, IBA_H_bth), *h;

    iba_ipv4_set_src(ip, x->from ? b : a);
    iba_ipv4_set_dst(ip, x->from ? a : b);
    iba_bth_set_psn(bth, x->psn);
    iba_bth_set_destqp(bth, x->qp);
    if ((h = iba_recipe_part(r, IBA_H_reth)))
        iba_reth_set_dmalen(h, x->dma);
    if ((h = iba_recipe_part(r, IBA_H_aeth))) {
        h[0] = x->syndrome ? x->syndrome : 0x1f;
        iba_aeth_set_msn(h, x->msn);
    }
}

const struct packet *wire_shoot(struct wire *w, const struct shot *x)
{
    static struct iba_recipe r;
    static uint8_t payload[1024];
    size_t n;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x->opcode);
    headers(&r, x);
    r.payload = payload;
    r.payload_len = x->bytes;
    cr_assert_eq(iba_build(&r, w->bytes, sizeof w->bytes, &n), IBA_OK);
    w->now += 10 * US;
    w->cap = (struct cap_packet){.data = w->bytes,
                                 .caplen = (uint32_t)n,
                                 .len = (uint32_t)n,
                                 .ts_ns = w->now,
                                 .has_ts = true,
                                 .number = w->packet.number + 1};
    w->packet = (struct packet){.cap = &w->cap, .number = w->cap.number, .source_name = "x.pcap"};
    (void)iba_view_parse(&w->packet.view, IBA_LINK_ETHERNET, w->bytes, n, n, NULL);
    iba_view_check(&w->packet.view);
    return &w->packet;
}
