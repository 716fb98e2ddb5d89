/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "hostile.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

static const struct shape plain = {.qpn = 5,
                                   .bytes = PAYLOAD,
                                   .opcode = IBA_RC_SEND_ONLY,
                                   .wait_ns = STEP_NS,
                                   .src = {[12] = 10, [15] = 1},
                                   .dst = {[12] = 10, [15] = 2}};

static void transport(struct iba_recipe *r, const struct shape *p)
{
    uint8_t *h = iba_recipe_part(r, IBA_H_bth);

    iba_bth_set_destqp(h, p->qpn);
    iba_bth_set_psn(h, p->psn);
    iba_bth_set_a(h, p->ask);
    iba_bth_set_p_key(h, 0xffff);
    if ((h = iba_recipe_part(r, IBA_H_aeth))) {
        h[0] = p->syndrome;
        iba_aeth_set_msn(h, p->msn);
    }
    if ((h = iba_recipe_part(r, IBA_H_reth)))
        iba_reth_set_dmalen(h, p->length);
    if ((h = iba_recipe_part(r, IBA_H_deth))) {
        iba_deth_set_srcqp(h, p->qpn == GSI || p->native ? p->qpn : 17);
        iba_deth_set_q_key(h, p->native ? 0 : p->qpn == GSI ? 0x80010000 : 1);
    }
}

static void network(struct iba_recipe *r, const struct shape *p)
{
    enum { CE = 3, VL15 = 15 };
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_lrh))) {
        iba_lrh_set_vl(h, VL15);
        iba_lrh_set_dlid(h, 0xffff);
        iba_lrh_set_slid(h, 0xffff);
    } else if ((h = iba_recipe_part(r, IBA_H_ipv4))) {
        iba_ipv4_set_src(h, iba_bits_get(p->src, 96, 32));
        iba_ipv4_set_dst(h, iba_bits_get(p->dst, 96, 32));
        iba_ipv4_set_ecn(h, p->congested ? CE : 0);
    } else if ((h = iba_recipe_part(r, IBA_H_ipv6))) {
        memcpy(h + IBA_AT_ipv6_src / 8, p->src, IBA_ADDR_MOST);
        memcpy(h + IBA_AT_ipv6_dst / 8, p->dst, IBA_ADDR_MOST);
    }
}

static enum iba_encap encapsulation(const struct shape *p)
{
    if (p->native)
        return IBA_ENCAP_IB_LOCAL;
    return p->v6 ? IBA_ENCAP_ROCE2_V6 : IBA_ENCAP_ROCE2_V4;
}

static bool put(FILE *out, const struct shape *p, uint64_t ns)
{
    struct iba_recipe r;
    uint8_t frame[FRAME], payload[FRAME] = {0}, record[16];
    size_t len;

    iba_recipe_init(&r, encapsulation(p), p->opcode);
    transport(&r, p);
    network(&r, p);
    iba_bits_put(payload, 0, 64, p->content);
    r.payload = p->qpn <= GSI ? p->mad : payload;
    r.payload_len = p->opcode == IBA_RC_ACKNOWLEDGE ? 0 : p->bytes;
    r.icrc_mode = p->damaged ? IBA_CRC_BAD : IBA_CRC_GOOD;
    if (iba_build(&r, frame, sizeof frame, &len) != IBA_OK)
        return false;
    iba_put_le32(record, (uint32_t)(ns / NS));
    iba_put_le32(record + 4, (uint32_t)(ns % NS));
    iba_put_le32(record + 8, (uint32_t)len);
    iba_put_le32(record + 12, (uint32_t)len);
    return fwrite(record, sizeof record, 1, out) == 1 && fwrite(frame, len, 1, out) == 1;
}

static bool put_head(FILE *out, bool native)
{
    enum { LINKTYPE_ETHERNET = 1, LINKTYPE_INFINIBAND = 247 };
    uint8_t head[24] = {0};

    iba_put_le32(head, UINT32_C(0xa1b23c4d)); /* nanoseconds */
    iba_put_le16(head + 4, 2);
    iba_put_le16(head + 6, 4);
    iba_put_le32(head + 16, 65535);
    iba_put_le32(head + 20, native ? LINKTYPE_INFINIBAND : LINKTYPE_ETHERNET);
    return fwrite(head, sizeof head, 1, out) == 1;
}

bool hostile_write(FILE *out, make *kind, uint64_t packets)
{
    uint64_t ns = NS;
    struct iba_random random;

    iba_random_seed(&random, 1);
    for (uint64_t i = 0; i < packets; i++) {
        struct shape p = plain;
        p.psn = (uint32_t)(i % PSNS);
        kind(&p, i, &random);
        ns += p.wait_ns;
        if (i == 0 && !put_head(out, p.native))
            return false;
        if (!put(out, &p, ns))
            return false;
    }
    return true;
}
